/* The rule of chapter 7, in many archives: AROW replaces the CRF if the 95 % interval of the
	 difference lies wholly above minus the margin. You choose the truth, the margin and the size of
	 the sealed text; each seal that is opened gives another interval. The standard error is that of
	 the chapter's sealed lines, scaled to the number of lines and taken as known. */
Explore.define("seal", function (root, data) {
	"use strict";
	const { fixed, signed, count, percent, stats } = Explore;
	const SHOWN = 60, MOST = 20000, Z = stats.normalQuantile(0.975), LATER = 3;
	let tally = null;

	const begin = () => ({ opened: 0, letIn: 0, shown: [], random: Explore.random(7) });
	const errorOf = (lines) => data.error * Math.sqrt(data.lines / lines);

	/* How often the rule lets AROW in, in the long run. A margin that is chosen afterwards grows, up
		 to three points, until the interval fits. */
	const allowed = (values) => (values.when === "before" ? values.margin : Math.max(values.margin, LATER));
	const rate = (values) => stats.normalCdf((values.truth + allowed(values)) / errorOf(values.lines) - Z);

	function open(times, values) {
		const t = (tally ??= begin()), error = errorOf(values.lines);
		for (let i = 0; i < times && t.opened < MOST; i++) {
			const seen = values.truth + error * t.random.normal();
			const low = seen - Z * error, high = seen + Z * error, letIn = low > -allowed(values);
			t.opened++;
			t.letIn += letIn;
			t.last = { low, high, letIn };
			t.shown.push(t.last);
		}
		t.shown = t.shown.slice(-SHOWN);
	}

	function picture(panel, t, values) {
		const chart = panel.chart({
			height: 300, x: [-5, 3], y: [0, SHOWN + 2], yticks: [],
			xlabel: panel.width < 480 ? "AROW minus CRF, points" : "AROW minus CRF, in points of F1: one line per archive",
			xshow: (tick) => (tick ? signed(tick, 0) : "0"),
			label: `${t.shown.length} intervals, in the colour of the tagger that is chosen; the margin is grey`,
		});
		const inside = (v) => Math.max(-5, Math.min(3, v));
		// What the rule lets pass: chosen afterwards, the margin reaches further than the one that was meant.
		const limit = allowed(values), grey = { fill: "var(--ex-0)", fillOpacity: 0.25 };
		chart.band(-limit, limit, { ...grey, class: "ex-margin" });
		if (limit > values.margin) chart.band(-values.margin, values.margin, grey);
		chart.rule(-limit, { stroke: "var(--ex-0)", strokeDasharray: "none" });
		t.shown.forEach(({ low, high, letIn }, i) => {
			chart.line([[inside(low), SHOWN - i], [inside(high), SHOWN - i]],
				{ stroke: letIn ? "var(--ex-2)" : "var(--ex-1)", strokeWidth: 2.5, class: letIn ? "ex-in" : "ex-out" });
		});
		chart.rule(values.truth);
		const left = values.truth > -1;
		chart.text(values.truth, 0, "truth", { y: chart.top + 2, dx: left ? 5 : -5,
			"text-anchor": left ? "start" : "end", fontWeight: 600 });
	}

	const points = (v) => `${fixed(Math.abs(v), 1)} ${Math.abs(v) === 1 ? "point" : "points"}`;

	function words(t, values) {
		const world = values.truth === 0 ? "AROW is exactly as good as the CRF."
			: `AROW is truly ${points(values.truth)} ${values.truth < 0 ? "worse" : "better"}.`;
		if (!t.opened) return `${world} It may lose ${points(values.margin)}. Open a seal: what does the rule decide?`;
		const wrong = values.truth <= -values.margin;
		if (t.opened === 1) {
			return `${world} This archive reads ${signed(t.last.low, 2)} to ${signed(t.last.high, 2)}: ` +
				`${t.last.letIn ? "AROW replaces the CRF" : "the CRF stays"}.`;
		}
		const verdict = wrong ? "each time wrongly, for it loses as much as the margin or more"
			: "as it should be, for it loses less than the margin";
		return `${world} In ${count(t.letIn)} of ${count(t.opened)} archives (${percent(t.letIn / t.opened, 1)}) ` +
			`AROW was let in, ${verdict}. In the long run it would be ${percent(rate(values), 1)}.`;
	}

	function draw(values, panel) {
		const t = (tally ??= begin());
		picture(panel, t, values);
		panel.say(words(t, values));
		return { opened: t.opened, letIn: t.letIn, rate: rate(values), error: errorOf(values.lines), last: t.last ?? null };
	}

	const again = () => (tally = null);
	Explore.panel(root, {
		title: "The same rule in many archives: how often is AROW let in?",
		controls: [
			{ type: "slider", name: "truth", label: "true difference, AROW minus CRF:", min: -3, max: 1, step: 0.1, value: -1,
				show: (v) => `${v ? signed(v, 1) : "0"} points` },
			{ type: "slider", name: "margin", label: "AROW may lose:", min: 0, max: 3, step: 0.1, value: data.margin,
				show: (v) => points(v) },
			{ type: "slider", name: "lines", label: "sealed lines:", values: [500, 1000, 2000, 5000, 10000, 20000], value: 5000 },
			{ type: "choice", name: "when", label: "The margin is chosen", value: "before",
				options: [["before", "before the seal is opened"], ["after", "afterwards, up to 3 points, so that it fits"]] },
			{ type: "button", name: "one", label: "Open a seal", action: (values) => open(1, values) },
			{ type: "button", name: "hundred", label: "100", action: (values) => open(100, values) },
			{ type: "button", name: "thousand", label: "1,000", action: (values) => open(1000, values) },
			{ type: "button", name: "again", label: "Start again", action: again },
		],
		changed: again,
		draw,
	}, data);
});
