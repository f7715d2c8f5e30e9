/* A budget of labels or answers that a person can check: how many mistakes are found if the least
	 sure are looked at first, by method. The counts are those of the studies confidence-methods (the
	 quantity "detected"), confidence-methods-crf and today-llms-coverage: numbers of
	 betterthan.confidence.detected_errors. */
(function () {
	"use strict";
	const { make, svg, count, percent } = Explore;
	// One colour per method, as in the figures of chapter 6 and its workshop.
	const LOOK = {
		KBV: ["var(--ex-2)", "8 3 2 3"], WKBV: ["var(--ex-3)", "2 3"], Delta: ["var(--ex-4)", "7 3"],
		"KD-PC": ["var(--ex-5)", "none"], "KD-Fixed": ["var(--ex-6)", "none"],
	};
	const OWN = ["var(--ex-ink)", "none"]; // a model's own probability

	Explore.define("budget", function (root, data) {
		const byName = Object.fromEntries(data.sets.map((s) => [s.name, s]));
		let set = byName[data.start];
		Explore.panel(root, {
			title: "A budget for checking: how many mistakes are found?",
			controls: [
				{ type: "choice", name: "set", label: "Whose mistakes", value: set.name,
					options: data.sets.map((s) => [s.name, s.label]) },
				{ type: "slider", name: "budget", label: "You can check", min: 0, max: 20, step: 1, value: 4,
					show: (k) => `${count(set.at[k])} of ${count(set.total)} ${set.items}` },
			],
			changed(name, panel) {
				set = byName[panel.values.set];
				panel.inputs.budget.refresh();
			},
			draw({ budget }, panel) {
				const { at, total, wrong, items, methods } = set, checked = at[budget];
				const random = (checked * wrong) / total, perfect = Math.min(checked, wrong);
				const found = methods.map((m) => {
					const [colour, dash] = LOOK[m.method] ?? OWN;
					return { ...m, now: m.found[budget], colour, dash };
				});
				const all = [...found].sort((a, b) => b.now - a.now);
				const last = at.at(-1), most = 1.08 * Math.max(1, ...found.map((m) => m.found.at(-1)));
				const chart = panel.chart({ height: 270, x: [0, last], y: [0, most], xshow: count, yshow: count,
					xlabel: `${items} checked, the least sure first`, ylabel: "mistakes found",
					label: "Mistakes found against the number checked, a line per method" });
				const thin = { stroke: "var(--ex-0)", strokeWidth: 1.5, strokeDasharray: "1 4" };
				const knee = Math.min(wrong, most);
				chart.line([[0, 0], [knee, knee], ...(wrong < most ? [[last, wrong]] : [])], thin);
				chart.line([[0, 0], [last, (last * wrong) / total]], { stroke: "var(--ex-0)" });
				for (const m of found) {
					chart.line(at.map((n, k) => [n, m.found[k]]), { stroke: m.colour, strokeDasharray: m.dash });
				}
				chart.rule(checked);
				for (const m of found) chart.dot(checked, m.now, { fill: m.colour });

				const swatch = (colour, dash) => svg("svg", { width: 30, height: 10, "aria-hidden": "true",
					style: "display: inline-block; margin: 0 .4em 0 0" },
					svg("line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: colour, strokeWidth: 3, strokeDasharray: dash }));
				const cell = "text-align: right; padding: .1em 0 .1em 1.2em";
				const row = (colour, dash, name, n) => make("tr", {},
					make("th", { scope: "row", style: "text-align: left; font-weight: 400" }, swatch(colour, dash), name),
					make("td", { style: cell }, count(n)), make("td", { style: cell }, percent(n / wrong)));
				panel.figure.append(make("table", { style: "margin: .3rem auto; width: auto" },
					make("caption", { style: "caption-side: top; padding: 0; color: inherit" },
						`Found of ${count(wrong)} mistakes`),
					make("tbody", {}, row("var(--ex-0)", "1 4", "in perfect order", perfect),
						all.map((m) => row(m.colour, m.dash, m.method, m.now)),
						row("var(--ex-0)", "none", "in random order", random))));
				const [best, second] = all, times = best.now / random;
				panel.say(`${count(checked)} of ${count(total)} ${items} checked: ${best.method} finds ` +
					`${count(best.now)} of ${count(wrong)} mistakes${checked && checked < total
						? ` (${times < 10 ? times.toFixed(1) : count(times)} times as many as a random order)` : ""}, ` +
					`${second ? `${second.method} ${count(second.now)}, ` : ""}a random order ${count(random)}.`);
				return { checked, total, wrong, random, perfect,
					found: Object.fromEntries(found.map((m) => [m.method, m.now])) };
			},
		}, data);
	});
})();
