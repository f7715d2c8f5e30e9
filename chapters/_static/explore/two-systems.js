/* Two systems' counts and a margin: what is known of each, the area where B wins, P(B better) and
	 P(within the margin). The numbers are those of betterthan.bayes.compare: posteriors of precision,
	 recall or F1 from the counts, each worth `factor` (bcv.effective_factor for the six folds of a
	 3×2 BCV, 1 for one test set), a flat prior, taken as independent. */
(function () {
	"use strict";
	const { make, fixed, signed, count } = Explore;
	const WORDS = { precision: "precision", recall: "recall", f1: "F1" };
	const STEPS = 400;

	/* The value's log-odds are those of a beta variable, for F1 moved by log 2 (F1 is 2W/(1 + W));
		 there even steps add up to many digits. */
	function posterior(metric, [tp, fp, fn], factor) {
		const found = factor * tp + 1, shift = metric === "f1" ? Math.log(2) : 0;
		const lost = factor * { precision: fp, recall: fn, f1: fp + fn }[metric] + (shift ? 2 : 1);
		const peak = Math.log(found / lost), spread = Math.sqrt(1 / found + 1 / lost);
		// Around the smaller parameter: differences of large numbers lose their digits.
		const log = (away) => {
			const [s, a, b] = found < lost ? [away, found, lost] : [-away, lost, found];
			return a * s - (a + b) * Math.log1p((a / (a + b)) * Math.expm1(Math.min(s, 500)));
		};
		const reach = (side) => {
			let end = side * 9 * spread;
			while (log(end) > -40) end *= 1.4;
			return end;
		};
		const value = (away) => 1 / (1 + Math.exp(-peak - away - shift));
		const low = reach(-1), step = (reach(1) - low) / STEPS;
		const at = Array.from({ length: STEPS + 1 }, (_, i) => low + i * step);
		const heights = at.map((x) => Math.exp(log(x))), sum = heights.reduce((a, b) => a + b);
		const share = (v) => (shift ? v / (2 - v) : v);
		return {
			point: shift ? (2 * tp) / (2 * tp + fp + fn) : tp / (tp + (metric === "recall" ? fn : fp)),
			values: at.map(value), weights: heights.map((h) => h / sum),
			ends: [value(-4 * spread), value(4 * spread)],
			cdf: (v) => (v <= 0 ? 0 : Explore.stats.betaCdf(share(v), found, lost)),
			pdf: (v) => v <= 0 || v >= 1 ? 0
				: Math.exp(log(Math.log(v / (1 - v)) - shift - peak)) / (sum * step * v * (1 - v)),
		};
	}
	const average = (b, of) => b.values.reduce((sum, v, i) =>
		b.weights[i] > 1e-14 ? sum + b.weights[i] * of(v) : sum, 0);
	const exceeds = (a, b, margin) => average(b, (v) => a.cdf(v - margin));

	const shown = (p) => (p > 0.999 ? "above 0.999" : p < 0.001 ? "below 0.001" : fixed(p, 3));

	function legend(panel, entries) {
		const square = "display: inline-block; width: .9em; height: .9em; margin-right: .35em";
		panel.figure.append(make("p", { style: "margin: .4rem 0 0" }, entries.map(([colour, text]) =>
			make("span", { style: "display: inline-block; margin-right: 1.3em" },
				make("span", { "aria-hidden": "true", style: `${square}; background: ${colour}` }), text))));
	}

	Explore.define("two-systems", function (root, data) {
		const examples = Object.fromEntries(data.examples.map((e) => [e.name, e]));
		const sliders = { tp_a: "A finds", fp_a: "A invents", tp_b: "B finds", fp_b: "B invents" };
		const start = data.examples[0];
		let gold = start.gold;
		const range = (name, example) => {
			const centre = example[name], most = name.startsWith("tp") ? example.gold : 2 * example.gold;
			const step = [500, 200, 100, 50, 20, 10, 5, 2, 1].find((s) => s <= Math.max(1, example.gold * 2e-4));
			// At least one is found: of nothing there is no precision.
			const below = Math.min(150, Math.floor((centre - name.startsWith("tp")) / step));
			const above = Math.min(150, Math.floor((most - centre) / step));
			return { min: centre - below * step, max: centre + above * step, step, value: centre };
		};
		const show = (name) => (v) =>
			name.startsWith("tp") ? `${count(v)} (${count(gold - v)} missed)` : count(v);

		const panel = Explore.panel(root, {
			title: "Two systems: how surely is B better?",
			controls: [
				{ type: "choice", name: "example", label: "Start from", value: start.name,
					options: data.examples.map((e) => [e.name, e.label]) },
				{ type: "choice", name: "metric", label: "Measure", value: "f1",
					options: [["f1", "F1"], ["precision", "precision"], ["recall", "recall"]] },
				...Object.entries(sliders).map(([name, label]) => ({ type: "slider", name, label: `${label}:`,
					...range(name, start), show: show(name) })),
				{ type: "slider", name: "margin", label: "A margin nobody would care about:",
					min: 0, max: 3, step: 0.05, value: 0.2, show: (v) => `${fixed(v, 2)} points` },
			],
			changed(name, panel) {
				if (name !== "example") return;
				const example = examples[panel.values.example];
				gold = example.gold;
				for (const key of Object.keys(sliders)) {
					const { value, ...limits } = range(key, example), input = panel.inputs[key];
					Object.assign(input.field, limits);
					input.put(value);
					input.refresh();
					panel.values[key] = value;
				}
			},
			draw({ example, metric, margin, tp_a, fp_a, tp_b, fp_b }, panel) {
				const { factor, names, design } = examples[example], delta = margin / 100;
				const counts = [[tp_a, fp_a, gold - tp_a], [tp_b, fp_b, gold - tp_b]];
				const [a, b] = counts.map((c) => posterior(metric, c, factor));
				const p_h1 = exceeds(a, b, delta), p_h0 = delta ? exceeds(b, a, delta) : 1 - p_h1;
				const p_within = delta ? Math.max(0, 1 - p_h0 - p_h1) : 0;

				const points = (v) => String(Number((100 * v).toFixed(2))).replace("-", "−");
				const low = Math.min(a.ends[0], b.ends[0]), high = Math.max(a.ends[1], b.ends[1]);
				const grid = Array.from({ length: 241 }, (_, i) => low + ((high - low) * i) / 240);
				const curves = [a, b].map((p) => grid.map((v) => [v, p.pdf(v)]));
				// The name of the strip stands above the curves.
				const room = delta ? 1.22 : 1.08;
				const top = room * Math.max(...curves.flat().map((c) => c[1]));
				legend(panel, [["var(--ex-1)", `A, ${names[0]}: ${points(a.point)}`],
					["var(--ex-2)", `B, ${names[1]}: ${points(b.point)}`]]);
				const above = panel.chart({ height: 190, x: [low, high], y: [0, top], yticks: [], xshow: points,
					xlabel: `${WORDS[metric]}, in percent`,
					label: "Two curves: how probable each value is for A and for B" });
				if (delta) {
					above.band(a.point - delta, a.point + delta, { fill: "var(--ex-0)", fillOpacity: 0.25 });
					above.text(a.point, 0, "A ± margin", { y: above.top + 12, "text-anchor": "middle" });
				}
				curves.forEach((c, i) => {
					above.area(c, { fill: `var(--ex-${i + 1})`, fillOpacity: 0.15 });
					above.line(c, { stroke: `var(--ex-${i + 1})` });
				});

				// The difference: all pairs of a value of A and a value of B.
				const centre = b.point - a.point, half = Math.hypot(...[a, b].map((p) => p.ends[1] - p.ends[0])) / 2;
				const from = Math.min(centre - half, -1.1 * delta, -half / 6);
				const to = Math.max(centre + half, 1.1 * delta, half / 6);
				const lags = Array.from({ length: 161 }, (_, i) => from + ((to - from) * i) / 160);
				const density = (d) => average(b, (v) => a.pdf(v - d));
				const shape = lags.map((d) => [d, density(d)]);
				legend(panel, [["var(--ex-1)", `A better: ${shown(p_h0)}`],
					...(delta ? [["var(--ex-0)", `within the margin: ${shown(p_within)}`]] : []),
					["var(--ex-2)", `B better: ${shown(p_h1)}`]]);
				const below = panel.chart({ height: 190, x: [from, to], xshow: points, yticks: [],
					y: [0, room * Math.max(...shape.map((s) => s[1]))],
					xlabel: `B minus A, in points of ${WORDS[metric]}`,
					label: "One curve: how probable each difference is; the area right of the margin is P(B better)" });
				if (delta) {
					below.band(Math.max(from, -delta), Math.min(to, delta), { fill: "var(--ex-0)", fillOpacity: 0.25 });
					for (const end of [-delta, delta]) below.rule(end, { stroke: "var(--ex-0)", strokeDasharray: "none" });
					below.text(0, 0, "margin", { y: below.top + 12, dx: 6 });
				}
				const fill = (start, end, colour, strong) => {
					if (end <= from || start >= to) return;
					const [s, e] = [Math.max(start, from), Math.min(end, to)];
					const inner = shape.filter(([d]) => d > s && d < e);
					below.area([[s, density(s)], ...inner, [e, density(e)]], { fill: colour, fillOpacity: strong });
				};
				fill(-1, -delta, "var(--ex-1)", 0.45);
				fill(-delta, delta, "var(--ex-0)", 0.4);
				fill(delta, 1, "var(--ex-2)", 0.6);
				below.line(shape, { stroke: "var(--ex-ink)", strokeWidth: 1.5 });
				below.rule(0);

				const by = delta ? ` by more than ${fixed(margin, 2)} points` : "";
				const said = [[p_h1, `B is better${by}`], [p_h0, delta ? `A is better${by}` : "A is at least as good"],
					[p_within, `no difference of more than ${fixed(margin, 2)} points`]].find(([p]) => p >= 0.95);
				panel.say(`${WORDS[metric] === "F1" ? "F1" : `The ${metric}`} of A is ${fixed(100 * a.point, 2)} %, ` +
					`of B ${fixed(100 * b.point, 2)} % (${signed(100 * (b.point - a.point), 2)} points). ` +
					`The probability that B is better${by} is ${shown(p_h1)}, that A is ${shown(p_h0)}` +
					`${delta ? `, that neither is ${shown(p_within)}` : ""}: ` +
					`${said ? said[1] : "open at 95 %"}. (${design})`);
				return { p_h0, p_within, p_h1, value_a: a.point, value_b: b.point, factor,
					counts_a: counts[0], counts_b: counts[1] };
			},
		}, data);
		// A pair of sliders per system, in its colour.
		Object.assign(panel.controls.style, { display: "grid",
			gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 17rem), 1fr))" });
		for (const name of ["tp_b", "fp_b"]) panel.inputs[name].field.style.accentColor = "var(--ex-2)";
	});
})();
