/* Items come in groups whose items are alike: what that does to an interval that does not know it.
	 Made-up test sets with a seed: a group's chance of being right is Beta, its items are coins of
	 that chance, so that the intra-class correlation is what the slider says. */
Explore.define("groups", (function () {
	"use strict";
	const { fixed, percent, count, stats } = Explore;
	const TRUE = 0.8, SETS = 1000, SHOWN = 25, LEVEL = 0.95;

	function gamma(shape, random) { // Marsaglia and Tsang
		if (shape < 1) return gamma(shape + 1, random) * random.uniform() ** (1 / shape);
		const d = shape - 1 / 3, c = 1 / Math.sqrt(9 * d);
		for (;;) {
			const x = random.normal(), v = (1 + c * x) ** 3;
			if (v > 0 && Math.log(random.uniform()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
		}
	}

	/* How many of the items of each group are right. */
	function testSet(groups, size, alike, random) {
		const right = new Array(groups);
		for (let g = 0; g < groups; g++) {
			let chance = TRUE;
			if (alike > 0) {
				const strength = (1 - alike) / alike;
				const up = gamma(TRUE * strength, random), down = gamma((1 - TRUE) * strength, random);
				chance = up + down > 0 ? up / (up + down) : random.uniform() < TRUE ? 1 : 0;
			}
			let n = 0;
			for (let i = 0; i < size; i++) n += random.uniform() < chance;
			right[g] = n;
		}
		return right;
	}

	/* `betterthan.score`: delete-one jackknife of the mean, t, symmetric in log-odds. */
	function interval(value, error, quantile, worth) {
		if (value === 0 || value === 1) {
			const far = ((1 - LEVEL) / 2) ** (1 / worth);
			return value ? [far, 1] : [0, 1 - far];
		}
		const middle = Math.log(value / (1 - value)), half = (quantile * error) / (value * (1 - value));
		return [middle - half, middle + half].map((v) => 1 / (1 + Math.exp(-v)));
	}

	function simulate(items, groups, alike) {
		const size = items / groups, random = Explore.random(items * 1000 + groups * 7 + Math.round(alike * 100));
		const tItems = stats.tQuantile((1 + LEVEL) / 2, items - 1);
		const tGroups = stats.tQuantile((1 + LEVEL) / 2, groups - 1);
		const shown = [], hits = [0, 0], lengths = [0, 0];
		let first = null;
		for (let set = 0; set < SETS; set++) {
			const right = testSet(groups, size, alike, random);
			const value = right.reduce((a, b) => a + b, 0) / items;
			const naive = Math.sqrt((value * (1 - value)) / (items - 1));
			const squares = right.reduce((sum, n) => sum + (n / size - value) ** 2, 0);
			const grouped = Math.sqrt(squares / groups / (groups - 1));
			const both = [interval(value, naive, tItems, items), interval(value, grouped, tGroups, groups)];
			both.forEach(([low, high], k) => {
				hits[k] += low <= TRUE && TRUE <= high;
				lengths[k] += high - low;
			});
			if (set < SHOWN) shown.push({ value, both });
			first ??= { right, value, both };
		}
		return { size, shown, first, coverage: hits.map((n) => n / SETS), length: lengths.map((s) => s / SETS) };
	}

	function draw(values, panel) {
		const { items, groups, alike } = values;
		const found = simulate(items, groups, alike);
		const inflation = 1 + (found.size - 1) * alike, effective = items / inflation;
		const expected = 1 - 2 * stats.normalSurvival(stats.normalQuantile(0.975) / Math.sqrt(inflation));
		const ends = found.shown.flatMap((set) => set.both.flat());
		const low = Math.max(0, Math.min(0.6, ...ends) - 0.02), high = 1;

		const strip = panel.chart({
			height: 92, x: [0, 1], y: [0, 1], yticks: [], xlabel: "share right in each group of one test set",
			label: "One dot per group of the first test set: the share of its items that are right",
		});
		const seen = new Map();
		for (const n of found.first.right) {
			const share = n / found.size, bin = Math.round(share * 40), high = seen.get(bin) ?? 0;
			seen.set(bin, high + 1);
			strip.dot(share, 0, { cy: strip.bottom - 7 - Math.min(high * 5, 32), r: 4, fillOpacity: 0.6 });
		}

		["each item for itself", "by groups"].forEach((name, k) => {
			const chart = panel.chart({
				height: k ? 172 : 130, x: [low, high], y: [0, SHOWN + 1], yticks: [], xticks: k ? undefined : [],
				ylabel: `${name}: ${percent(found.coverage[k])} hold the truth`,
				xlabel: k ? `95\u00a0% intervals of ${SHOWN} test sets; line: the truth` : undefined,
				label: `Intervals ${name}: of a thousand, ${percent(found.coverage[k])} hold the true value`,
			});
			chart.rule(TRUE, { strokeDasharray: "none", strokeWidth: 1.5 });
			found.shown.forEach(({ value, both }, i) => {
				const [from, to] = both[k], missed = from > TRUE || to < TRUE;
				const stroke = missed ? "var(--ex-4)" : "var(--ex-0)", y = chart.y(i + 1);
				chart.add("line", { x1: chart.x(Math.max(low, from)), x2: chart.x(to), y1: y, y2: y, stroke, strokeWidth: missed ? 3 : 2 });
				chart.dot(value, i + 1, { r: 2, fill: stroke });
			});
		});
		panel.say(
			`${count(items)} items in ${groups} groups of ${count(found.size)} are worth ${count(effective)} ` +
			`independent ones. An interval that takes each item for itself, and says 95\u00a0%, holds the truth in ` +
			`${percent(found.coverage[0])} of ${count(SETS)} test sets; one that leaves out whole groups in turn, in ` +
			`${percent(found.coverage[1])}, and is ${fixed(found.length[1] / found.length[0], 1)} times as wide.`,
		);
		return { effective, expected, inflation, naive: found.coverage[0], grouped: found.coverage[1],
			width_naive: found.length[0], width_grouped: found.length[1], size: found.size,
			right: found.first.right, value: found.first.value, interval_naive: found.first.both[0],
			interval_grouped: found.first.both[1] };
	}

	return {
		title: "How many items is a test set worth?",
		controls: [
			{ type: "slider", name: "items", label: "items", values: [60, 120, 240, 480, 960, 1920, 3840], value: 480 },
			{ type: "slider", name: "groups", label: "groups", values: [5, 6, 10, 12, 15, 20, 30, 60], value: 12 },
			{ type: "slider", name: "alike", label: "how alike the items of a group are", min: 0, max: 0.8,
				step: 0.02, value: 0.1, show: (v) => (v ? fixed(v, 2) : "0, not at all") },
		],
		draw,
	};
})());
