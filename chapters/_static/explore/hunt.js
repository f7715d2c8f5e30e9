/* Two rankings that are equally good, and a hunt for a list size n at which they seem to differ.
	 Fisher's exact test on the candidates that only one list holds, as betterthan.ranking.compare;
	 with the threshold for all n, the smallest p-value of permuted rankings as Comparison.simultaneous. */
(function () {
	"use strict";
	const { make, fixed } = Explore;
	const SIZE = 600, SHARE = 0.3, LEAD = 1, FIRST = 10, LAST = 400, PERMUTED = 199, ALPHA = 0.05, START = 2004;
	const LOG = [0, 0];
	for (let i = 2; i <= 2 * SIZE; i++) LOG.push(LOG[i - 1] + Math.log(i));

	/* Both rankings see the same lead of the true candidates, and noise of their own. */
	function draw(seed) {
		const rng = Explore.random(seed);
		const gold = Array.from({ length: SIZE }, () => Number(rng.uniform() < SHARE));
		const ranking = () => {
			const scores = gold.map((true_) => LEAD * true_ + rng.normal());
			return [...scores.keys()].sort((i, j) => scores[j] - scores[i]);
		};
		const [a, b] = [ranking(), ranking()], found = { seed, gold, a, b, ...counts(a, b, gold) };
		found.pvalue = Array.from(a, (_, i) => twoSided(...cells(found, i)));
		const least = Array.from({ length: PERMUTED }, () => leastPvalue(counts(...swap(a, b, rng), gold)));
		found.least = least.sort((x, y) => x - y);
		found.critical = least[Math.floor(ALPHA * (PERMUTED + 1) + 1e-9) - 1] * (1 - 1e-9);
		let best = FIRST;
		for (let n = FIRST; n <= LAST; n++) if (found.pvalue[n - 1] < found.pvalue[best - 1]) best = n;
		return { ...found, best, smallest: found.pvalue[best - 1] };
	}

	/* For every n: true positives of both lists, candidates and true positives in both. */
	function counts(a, b, gold) {
		const [place, tp_a, tp_b, common, tp_common] = Array.from({ length: 5 }, () => new Int32Array(SIZE));
		for (let i = 0; i < SIZE; i++) {
			place[a[i]] = i;
			tp_a[i] = gold[a[i]];
			tp_b[i] = gold[b[i]];
		}
		for (let i = 0; i < SIZE; i++) {
			const at = Math.max(place[b[i]], i);
			common[at]++;
			tp_common[at] += gold[b[i]];
		}
		const found = { tp_a, tp_b, common, tp_common };
		for (const v of Object.values(found)) for (let i = 1; i < SIZE; i++) v[i] += v[i - 1];
		return found;
	}
	const cells = (f, i) => [f.tp_a[i] - f.tp_common[i], f.tp_b[i] - f.tp_common[i], i + 1 - f.common[i]];

	/* log of the probability that `k` of `size` draws from 2 × size are among the `positives`. */
	const logTable = (k, positives, size) => 2 * LOG[size] - LOG[2 * size] + LOG[positives] +
		LOG[2 * size - positives] - LOG[k] - LOG[positives - k] - LOG[size - k] - LOG[size - positives + k];

	function twoSided(trueA, trueB, size) {
		if (trueA === trueB) return 1;
		const positives = trueA + trueB;
		let sum = 0;
		for (let k = Math.max(trueA, trueB); k <= Math.min(positives, size); k++) {
			sum += Math.exp(logTable(k, positives, size));
		}
		return Math.min(1, 2 * sum);
	}
	function leastPvalue(found) {
		let least = 1, log = 0;
		for (let i = FIRST - 1; i < LAST; i++) {
			const [a, b, size] = cells(found, i);
			// No p-value is below twice the probability of its own table, which rules out most n.
			if (a === b || logTable(a, a + b, size) + Math.LN2 >= log) continue;
			least = Math.min(least, twoSided(a, b, size));
			log = Math.log(least);
		}
		return least;
	}

	/* Each candidate's two ranks swapped by a coin; two that claim one place get the order of another. */
	function swap(a, b, rng) {
		const flips = new Uint8Array(SIZE), out = [new Int32Array(SIZE), new Int32Array(SIZE)], ends = [0, 0];
		const put = (c, fromA) => {
			const to = flips[c] === fromA ? 1 : 0;
			out[to][ends[to]++] = c;
		};
		for (let i = 0; i < SIZE; i++) flips[i] = rng.bits() >>> 31;
		for (let i = 0; i < SIZE; i++) {
			if (rng.bits() >>> 31) { put(a[i], 1); put(b[i], 0); } else { put(b[i], 0); put(a[i], 1); }
		}
		return out;
	}

	const words = (p) => (p < 0.001 ? p.toExponential(0).replace("e-", "e−")
		: p < 0.1 ? String(Number(p.toPrecision(2))) : fixed(p, 2));

	Explore.define("hunt", function (root, data) {
		let seed = START, now = draw(seed);
		const tally = { draws: 0, alone: 0, band: 0 };
		const note = () => {
			tally.draws++;
			tally.alone += now.smallest <= ALPHA;
			tally.band += now.smallest <= now.critical;
		};
		const next = () => { now = draw(++seed); note(); };
		const go = (n, panel) => {
			panel.inputs.n.put(n);
			panel.values.n = n;
			panel.inputs.n.refresh();
		};
		note();
		Explore.panel(root, {
			title: "Hunt for a significant n between two equal rankings",
			controls: [
				{ type: "slider", name: "n", label: "Size of the list, n =", min: FIRST, max: LAST, step: 1,
					value: 50 },
				{ type: "button", name: "best", label: "Go to the smallest p",
					action: (_, panel) => go(now.best, panel) },
				{ type: "button", name: "again", label: "New draw", action: next },
				{ type: "button", name: "twenty", label: "Twenty draws",
					action: () => { for (let k = 0; k < 20; k++) next(); } },
				{ type: "check", name: "band", label: "Threshold for all n", value: false },
			],
			draw({ n, band }, panel) {
				const i = n - 1, p = now.pvalue[i], limit = band ? now.critical : ALPHA;
				const adjusted = (1 + now.least.filter((v) => v <= p * (1 + 1e-9)).length) / (PERMUTED + 1);
				const sizes = Array.from({ length: LAST - FIRST + 1 }, (_, k) => FIRST + k);
				const hits = sizes.filter((m) => now.pvalue[m - 1] <= limit);
				const share = (tp) => sizes.map((m) => [m, tp[m - 1] / m]);
				const [a, b] = [share(now.tp_a), share(now.tp_b)], all = [...a, ...b].map((v) => v[1]);
				const low = Math.max(0, Math.floor(10 * Math.min(...all) - 0.3) / 10);
				const high = Math.min(1, Math.ceil(10 * Math.max(...all) + 0.3) / 10);
				const dash = "display: inline-block; width: 1.3em; height: .22em; margin: 0 .35em .25em 0";
				const key = (colour, text) => make("span", { style: "display: inline-block; margin-right: 1.2em" },
					make("span", { "aria-hidden": "true", style: `${dash}; background: ${colour}` }), text);
				panel.figure.append(make("p", { style: "margin: 0 0 .2rem" },
					key("var(--ex-1)", "ranking A"), key("var(--ex-2)", "ranking B"), make("br"),
					`Draw ${seed - START + 1}: ${now.tp_a.at(-1)} of ${SIZE} candidates are true. ` +
					"A and B are made equally good."));
				const above = panel.chart({ height: 210, x: [FIRST, LAST], y: [low, high], left: 52,
					yticks: Explore.ticks(low, high, 4), yshow: (v) => Explore.percent(v),
					ylabel: "precision of the best n",
					label: "Precision of two rankings against the size of the list" });
				above.rule(n);
				above.line(a, { stroke: "var(--ex-1)" });
				above.line(b, { stroke: "var(--ex-2)" });
				above.dot(n, now.tp_a[i] / n, { fill: "var(--ex-1)", r: 5 });
				above.dot(n, now.tp_b[i] / n, { fill: "var(--ex-2)", r: 5 });

				const floor = Math.min(-3, Math.floor(Math.log10(Math.min(now.smallest, now.critical))));
				const log = (v) => Math.max(floor, Math.log10(v));
				const below = panel.chart({ height: 190, x: [FIRST, LAST], y: [floor, 0], left: 52,
					yticks: Array.from({ length: 1 - floor }, (_, k) => -k),
					yshow: (v) => (v > -4 ? String(10 ** v) : `1e−${-v}`),
					xlabel: "n (size of the list)", ylabel: "p at this n, Fisher's test",
					label: "The p-value at every n, with the limit that it must reach" });
				const floorY = below.y(floor), limitY = below.y(log(limit));
				below.add("rect", { x: below.left, width: below.right - below.left, y: limitY,
					height: floorY - limitY, fill: "var(--ex-3)", fillOpacity: 0.16 });
				below.line(sizes.map((m) => [m, log(now.pvalue[m - 1])]),
					{ stroke: "var(--ex-ink)", strokeWidth: 1.5 });
				below.add("line", { x1: below.left, x2: below.right, y1: limitY, y2: limitY,
					stroke: "var(--ex-3)", strokeWidth: 2, strokeDasharray: "6 4" });
				for (const m of hits) below.dot(m, log(now.pvalue[m - 1]), { fill: "var(--ex-3)", r: 3 });
				below.rule(n);
				// Near the floor, away from the line and its dots; where there is no room, above the limit.
				const place = limitY > floorY - 22 ? limitY - 6 : floorY - 7;
				below.add("text", { x: below.right - 4, y: place, "text-anchor": "end", class: "ex-halo" },
					`${band ? "threshold for all n" : "threshold at each n, α"} = ${words(limit)}`);
				below.dot(n, log(p), { fill: "var(--ex-ink)", r: 5 });

				const lead = now.tp_b[i] - now.tp_a[i];
				const winner = lead > 0 ? "B is ahead" : lead < 0 ? "A is ahead" : "a draw";
				const verdict = !band && p <= limit ? "“significant”, if nobody asks how you came to this n"
					: p <= limit ? "significant" : "not significant";
				const looked = `adjusted for looking at every n from ${FIRST} to ${LAST} it is ${words(adjusted)}`;
				const of = (k) => make("strong", {}, `${k} of ${tally.draws}`);
				panel.figure.append(make("p", { style: "margin: .4rem 0 0" },
					"Draws with a “significant” n: ", of(tally.alone), "; with the threshold for all n: ", of(tally.band), "."));
				panel.say(`Of the best ${n} candidates ${now.tp_a[i]} are true in A's list and ${now.tp_b[i]} in ` +
					`B's (${winner}). p = ${words(p)}${band ? `; ${looked}` : ""}: ${verdict}.`);
				return { pvalue: p, pvalue_adjusted: adjusted, limit, critical: now.critical, best: now.best,
					smallest: now.smallest, hits: hits.length, precision_a: now.tp_a[i] / n,
					precision_b: now.tp_b[i] / n, first: FIRST, last: LAST, ...tally, seed, order_a: now.a,
					order_b: now.b, gold: now.gold, least: now.least, pvalues: now.pvalue };
			},
		}, data);
	});
})();
