/* How much a hard word counts, and what that does to the ranking of real segmenters. A word that
	 nobody on the committee misses counts 1, one that everybody misses counts W, the others in
	 between: 1 + (W − 1)d. W = 1 is F1. The sums follow from the studies psychometrics-systems and
	 -tenths; "balanced" is balanced F, as betterthan.psychometrics.BalancedScores.from_sums has it. */
(function () {
	"use strict";
	const { make, svg, fixed, count } = Explore;
	const harmonic = (a, b) => (a + b ? (2 * a * b) / (a + b) : 0);
	const TAGGER = /^(AROW|CRF|perceptron)/;
	const WEIGHTS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000];

	/* Sums over the text: gold words, predicted words, words in both; the same with difficulties. */
	function weighted({ gold, out, right, d, d_out, d_right }, weight) {
		const total = (n, hard) => n + (weight - 1) * hard;
		return harmonic(total(right, d_right) / total(out, d_out), total(right, d_right) / total(gold, d));
	}
	function balanced({ gold, out, right, d, d_out, d_right }) {
		const side = (n, hard) => harmonic(d_right / hard, (right - d_right) / (n - hard));
		return harmonic(side(out, d_out), side(gold, d));
	}

	Explore.define("hard-items", function (root, data) {
		const texts = data.texts, byName = Object.fromEntries(texts.map((t) => [t.name, t]));
		Explore.panel(root, {
			title: "How much shall a hard word count?",
			controls: [
				{ type: "slider", name: "weight", label: "A word that everybody misses counts as much as",
					values: WEIGHTS, value: 1, show: (w) => (w === 1 ? "1 easy word (F1)" : `${count(w)} easy words`) },
				{ type: "choice", name: "text", label: "Text", value: texts[0].name,
					options: texts.map((t) => [t.name, t.label]) },
				{ type: "choice", name: "score", label: "Order the systems by", value: "weighted",
					options: [["weighted", "F with this weight"], ["balanced", "balanced F"]] },
			],
			draw({ weight, text, score }, panel) {
				const { systems, gold, d } = byName[text];
				const rows = systems.map((s) => {
					const right = s.r * gold, d_right = s.r_reward * d;
					const sums = { gold, d, right, d_right, out: right / s.p, d_out: d_right / s.p_reward };
					const now = score === "balanced" ? balanced(sums) : weighted(sums, weight);
					return { system: s.system, list: !TAGGER.test(s.system), now, plain: weighted(sums, 1) };
				});
				const places = (key) => {
					const order = [...rows].sort((a, b) => b[key] - a[key]);
					return new Map(order.map((r, i) => [r.system, i + 1]));
				};
				const before = places("plain"), after = places("now");
				rows.sort((a, b) => b.now - a.now);
				panel.inputs.weight.field.disabled = score === "balanced";

				const colour = (r) => (r.list ? "var(--ex-2)" : "var(--ex-1)"), width = panel.width;
				const square = "display: inline-block; width: .9em; height: .9em; margin-right: .35em";
				const key = (list, words) => make("span", { style: "display: inline-block; margin-right: 1.2em" },
					make("span", { "aria-hidden": "true", style: `${square}; background: ${colour({ list })}` }), words);
				panel.figure.append(make("p", { style: "margin: 0 0 .3rem" },
					key(false, "a tagger trained on text"), key(true, "looks words up in a list")));
				// One row per system: place, name and move above, the bar below.
				const step = 38, left = 26, right = width - 40;
				const x = (v) => left + v * (right - left);
				const image = svg("svg", { width, height: rows.length * step + 30, role: "img",
					"aria-label": "The systems in their order, a bar each, in two colours" });
				for (const tick of Explore.ticks(0, 1, width / 130)) {
					const end = rows.length * step, text = String(Math.round(100 * tick));
					image.append(svg("line", { x1: x(tick), x2: x(tick), y1: 0, y2: end, class: "ex-grid" }),
						svg("text", { x: x(tick), y: end + 18, "text-anchor": "middle" }, text));
				}
				rows.forEach((r, i) => {
					const y = i * step, moved = before.get(r.system) - after.get(r.system);
					const arrow = moved ? `${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}` : "";
					image.append(
						svg("text", { x: 18, y: y + 16, "text-anchor": "end", fontWeight: 600 }, String(i + 1)),
						svg("text", { x: left, y: y + 14 }, `${r.system}${arrow ? `  ${arrow}` : ""}`),
						svg("rect", { x: left, y: y + 19, height: 12, width: x(r.now) - left, fill: colour(r) }),
						svg("text", { x: x(r.now) + 5, y: y + 30, fontWeight: 600 }, fixed(100 * r.now, 1)));
				});
				panel.figure.append(image);

				const [first, last] = [rows[0], rows.at(-1)], list = rows.findIndex((r) => r.list) + 1;
				const tagger = rows.findIndex((r) => !r.list) + 1;
				const what = score === "balanced" ? "By balanced F" : weight === 1 ? "With all words alike (F1)"
					: `With a hardest word worth ${count(weight)} easy ones`;
				const moved = rows.filter((r) => before.get(r.system) !== after.get(r.system)).length;
				panel.say(`${what}, ${first.system} is first (${fixed(100 * first.now, 1)}) and ${last.system} last ` +
					`(${fixed(100 * last.now, 1)}). The best tagger is in place ${tagger}, the best word list in ` +
					`place ${list}. ${moved ? `${moved} of ${rows.length} systems have another place than by F1.`
						: "The order is that of F1."}`);
				return { order: rows.map((r) => r.system),
					scores: Object.fromEntries(rows.map((r) => [r.system, r.now])) };
			},
		}, data);
	});
})();
