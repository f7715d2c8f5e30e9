/* Compare two files here: counts of a cross-validation, one row per fold (betterthan.readers.fold_counts),
	 and the Bayes test of two models that is made from them (betterthan.bcv and bayes). */
(function () {
	"use strict";
	const Compare = Explore.compare,
		{ stats } = Explore;
	const { InputError, byPlainName, counted, firstOf, fixed, general, isTable, plain, probability } = Compare;
	const { say, shown, someOf, strip, tableOf } = Compare;

	const COUNTS = ["tp", "fp", "fn"],
		AGAIN = ["repetition", "repeat"],
		UNUSED = ["tn"]; // what no score here is made of
	const KNOWN = new Set([...COUNTS, ...Compare.FOLDS, ...Compare.MODELS, ...AGAIN, ...UNUSED]);

	function isOfFoldCounts(source, options) {
		if (options.items || options.gold || !isTable(source, options)) return false;
		const names = byPlainName(tableOf(source, options.separator));
		if (!COUNTS.every((name) => names.has(name))) return false;
		return firstOf(Compare.FOLDS, names) !== null || options.repetitions !== undefined;
	}

	// --- Reading ---
	function readFoldCounts(sources, options) {
		const asked = Compare.askedOf({ systems: options.systems, ignore: options.ignore }),
			whole = sources.map((source) => tableOf(source, options.separator));
		Compare.refuseUnknown(whole, asked.ignore);
		const names = Compare.namesOfSystems(sources);
		const parts = whole.map((table, i) => {
			const own = modelsOf(table, Compare.askedOfTable(asked, table));
			// A file of one model is called as its file; one of several keeps their names.
			return sources.length > 1 && own.length === 1 ? [[names[i], own[0][1]]] : own;
		});
		const found = parts.flat().map(([name, table]) => foldsOf(name, table, options.repetitions));
		for (const other of found.slice(1)) refuseOtherFolds(whole[0], found[0], other);
		return found;
	}
	/* The rows of each model; of a file without a column `model` all of them, under no name. */
	function modelsOf(table, asked) {
		const odd = table.names.find((name) => !KNOWN.has(plain(name)) && !asked.ignore.includes(name));
		if (odd !== undefined) {
			const problem = `the column ${shown(odd)}, beside counts of folds`;
			throw table.fault({ column: odd, problem, ways: [say("ignore", odd)] });
		}
		const model = firstOf(Compare.MODELS, byPlainName(table));
		if (model === null) {
			if (!asked.systems.length) return [["", table]];
			const expected = "a column model to take them from";
			throw new InputError({ argument: "systems", value: asked.systems, expected });
		}
		const rows = new Map();
		table.filled(model).forEach((name, row) => rows.set(name, [...(rows.get(name) ?? []), row]));
		const unknown = asked.systems.find((name) => !rows.has(name));
		if (unknown !== undefined) {
			const expected = `one of ${[...rows.keys()].join(", ")}`;
			throw new InputError({ argument: "systems", value: unknown, expected });
		}
		const wanted = asked.systems.length ? asked.systems : [...rows.keys()];
		return wanted.map((name) => [name, table.rows(rows.get(name))]);
	}
	function foldsOf(name, table, said) {
		const columns = COUNTS.map((part) => wholeNumbers(table, part)),
			[times, words] = repetitionsOf(table, said);
		if (table.length !== 2 * times) {
			const half = Math.floor(table.length / 2);
			throw table.fault({
				problem: `${table.length} folds, and those of a plain cross-validation are not an m×2`,
				expected: `${2 * times} for ${times} repetitions of two folds`,
				ways: table.length % 2 ? [] : [say("repetitions", half, "if it is one")],
			});
		}
		const unused = table.names.filter((column) => UNUSED.includes(plain(column)));
		return {
			...Compare.NOTHING_KNOWN,
			name,
			held: { kind: "folds", counts: columns },
			ids: foldNames(table),
			unit: "fold",
			repetitions: times,
			reading: [
				`${table.length} folds`,
				"tp, fp and fn are counts",
				words,
				...unused.map((column) => `${column} left out`),
			],
		};
	}
	function wholeNumbers(table, part) {
		const column = firstOf([part], byPlainName(table));
		if (column === null) throw table.fault({ problem: `no column ${part}`, expected: "columns fold, tp, fp, fn" });
		return table.filled(column).map((cell, row) => {
			if (/^\d+$/.test(strip(cell))) return Number(cell);
			throw table.faultAt(row, column, { expected: "a count: a whole number of at least 0" });
		});
	}
	/* How often the corpus was halved, and who says so. */
	function repetitionsOf(table, said) {
		const column = firstOf(AGAIN, byPlainName(table));
		if (said !== undefined) {
			if (!Number.isInteger(said) || said < 1)
				throw new InputError({ argument: "repetitions", value: said, expected: "a whole number of at least 1" });
			return [said, `${said} × 2 cross-validation, as you say`];
		}
		if (column !== null) {
			const times = new Set(table.filled(column)).size;
			return [times, `${times} × 2 cross-validation, by the column ${column}`];
		}
		throw table.fault({
			problem: `counts of ${table.length} folds, of which nothing says how often the corpus was halved`,
			ways: [
				say("repetitions", Math.max(Math.floor(table.length / 2), 1), "if it is an m×2 cross-validation"),
			],
		});
	}
	function foldNames(table) {
		const byPlain = byPlainName(table),
			[fold, again] = [Compare.FOLDS, AGAIN].map((known) => firstOf(known, byPlain));
		if (fold === null) return null;
		let names = table.filled(fold);
		if (again !== null) {
			const which = table.filled(again);
			names = names.map((name, row) => `${name} (${which[row]})`);
		}
		const first = new Map();
		names.forEach((name, row) => {
			if (first.has(name))
				throw table.faultAt(row, fold, { problem: `comes twice, first in line ${table.lines[first.get(name)]}` });
			first.set(name, row);
		});
		return names;
	}
	/* Models are compared on the same folds, which hold the same gold items. */
	function refuseOtherFolds(table, first, other) {
		const [n, m] = [first, other].map(({ held }) => held.counts[0].length);
		if (n !== m) {
			const problem = `${first.name}: ${n} folds, ${other.name}: ${m}`;
			throw table.fault({ problem, expected: "the same folds of both" });
		}
		const missing = first.ids && other.ids && first.ids.find((name) => !other.ids.includes(name));
		if (missing) {
			const problem = `fold ${shown(missing)} of ${first.name} is not among those of ${other.name}`;
			throw table.fault({ problem, expected: "the same folds of both" });
		}
		const [gold, theirs] = [first, other].map(goldOf);
		for (const [name, items] of gold) {
			if (theirs.get(name) === items) continue;
			const said = typeof name === "string" ? shown(name) : name;
			throw table.fault({
				problem:
					`fold ${said} has ${items} gold items (tp + fn) for ${first.name} and ` +
					`${theirs.get(name) ?? "None"} for ${other.name}`,
				expected: "both models tested on the same folds",
			});
		}
	}
	function goldOf({ ids, held: { counts } }) {
		const [tp, , fn] = counts;
		return new Map(tp.map((found, row) => [ids === null ? row + 1 : ids[row], found + fn[row]]));
	}

	// --- Gauss and Legendre's rule ---
	/* The nodes and weights of n points between -1 and 1: roots of Legendre's polynomial, by Newton's steps. */
	function gaussLegendre(n) {
		return Array.from({ length: n }, (_, i) => {
			let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)),
				slope = 1;
			for (let step = 0; step < 100; step++) {
				let [before, now] = [1, x];
				for (let k = 2; k <= n; k++) [before, now] = [now, ((2 * k - 1) * x * now - (k - 1) * before) / k];
				slope = (n * (x * now - before)) / (x * x - 1);
				const moved = now / slope;
				x -= moved;
				if (Math.abs(moved) < 1e-15) break;
			}
			return [x, 2 / ((1 - x * x) * slope * slope)];
		}).reverse();
	}
	const RULE = gaussLegendre(64);

	// --- The posterior of an m×2 cross-validation: betterthan.bcv ---
	/* What one count is worth: the mean of 1/(1 + ρ1 + 2(m−1)ρ2) over ρ1 in (0, 0.5) and ρ2 in (0.25, 0.5). */
	function effectiveFactor(repetitions) {
		const slope = 2 * (repetitions - 1),
			[narrow, wide] = [0.5, slope * 0.25].sort((a, b) => a - b),
			least = 1 + slope * 0.25;
		const parts = RULE.map(([node, weight]) => weight * Math.log1p(wide / (least + (narrow * (node + 1)) / 2)));
		return parts.reduce((a, b) => a + b, 0) / wide / 2;
	}
	const total = (values) => values.reduce((a, b) => a + b, 0);
	const VALUES = {
		precision: ([tp, fp]) => tp / (tp + fp),
		recall: ([tp, , fn]) => tp / (tp + fn),
		f1: ([tp, fp, fn]) => (2 * tp) / (2 * tp + fp + fn),
	};
	/* The beta distribution of one metric under a flat prior: {metric, value, found, lost}. */
	function posteriorOf({ held, repetitions }, metric) {
		const sums = held.counts.map(total),
			[tp, fp, fn] = sums.map((part) => part * effectiveFactor(repetitions));
		const lost = { precision: fp + 1, recall: fn + 1, f1: fp + fn + 2 }[metric];
		return { metric, value: VALUES[metric](sums), found: tp + 1, lost };
	}

	// --- The Bayes test: betterthan.bayes ---
	const expit = (x) => 1 / (1 + Math.exp(-x)),
		logit = (p) => Math.log(p) - Math.log1p(-p);
	/* The variance of the logarithm of a gamma variable. */
	function trigamma(x) {
		let found = 0,
			at = x;
		for (; at < 20; at++) found += 1 / (at * at);
		const square = 1 / (at * at);
		return found + 1 / at + square / 2 + (square / at) * (1 / 6 - square * (1 / 30 - square / 42));
	}
	const spread = ([found, lost]) => Math.sqrt(trigamma(found) + trigamma(lost));

	/* P(B − A > margin), integrated over the narrower of the two posteriors in log-odds. */
	function exceeds(a, b, margin) {
		// F1 is 2W/(1 + W): its log-odds are those of the beta variable W plus log 2.
		let shift = a.metric === "f1" ? Math.log(2) : 0,
			wide = [a.found, a.lost],
			narrow = [b.found, b.lost];
		if (spread(narrow) > spread(wide)) {
			// B − A is (1 − A) − (1 − B).
			[wide, narrow, shift] = [[...narrow].reverse(), [...wide].reverse(), -shift];
		}
		const chance = grid(narrow, margin ? logit(margin) - shift : -Infinity).map(([odds, weight]) => {
			const value = expit(odds + shift) - margin,
				rest = expit(-odds - shift) + margin;
			const below = Math.log(Math.max(value, 0)) - Math.log(rest) - shift;
			return weight * stats.betaCdf(expit(below), ...wide, expit(-below));
		});
		return Math.min(1, total(chance));
	}
	/* Log-odds from `low` on, and their probabilities under a beta distribution. */
	function grid(narrow, low) {
		const [first, last] = [-1, 1].map((side) => farOut(side * 9 * spread(narrow), narrow)),
			peak = Math.log(narrow[0] / narrow[1]);
		let nodes = panels(first, last, narrow, 1);
		const whole = total(nodes.map(([, weight]) => weight));
		if (low - peak > first) nodes = panels(Math.min(low - peak, last), last, narrow, 3);
		return nodes.map(([away, weight]) => [peak + away, weight / whole]);
	}
	/* So far from the peak, from `away` on, that the density is next to nothing. */
	function farOut(away, narrow) {
		let far = away;
		while (logDensity(far, narrow) > -40) far *= 1.4;
		return far;
	}
	/* Nodes and weights from `start` to the peak at 0, where they are dense, and on to `end`. */
	function panels(start, end, narrow, power) {
		const middle = Math.min(Math.max(start, 0), end);
		return [
			[start, middle],
			[middle, end],
		].flatMap(([from, to]) =>
			RULE.map(([node, weight]) => {
				const place = (node + 1) / 2,
					away = from + (to - from) * place ** power;
				const share = ((to - from) * power * place ** (power - 1) * weight) / 2;
				return [away, share * Math.exp(logDensity(away, narrow))];
			}),
		);
	}
	/* The logarithm of the density of log-odds, relative to its peak, `away` from it. */
	function logDensity(away, [found, lost]) {
		const turned = found >= lost,
			[a, b, x] = turned ? [lost, found, -away] : [found, lost, away];
		const growth = Math.log1p((a / (a + b)) * Math.expm1(Math.min(x, 500))) + Math.max(x - 500, 0);
		return a * x - (a + b) * growth;
	}

	const WORDS = { precision: "precision", recall: "recall", f1: "F1" };
	// From which probability on a sentence says that something is so.
	const SAID = 0.95;

	/* The Bayes test of two models on the same folds: what `betterthan.bayes.compare` gives. */
	function bayesTest(models, { metric = "f1", margin = 0 }) {
		if (!(margin >= 0 && margin < 1))
			throw new InputError({ argument: "margin", value: margin, expected: "a finite number in [0, 1)" });
		if (!Object.hasOwn(WORDS, metric)) {
			const expected = "one of 'precision', 'recall', 'f1'";
			throw new InputError({ argument: "metric", value: metric, expected });
		}
		const [a, b] = models.map((model) => posteriorOf(model, metric)),
			h1 = exceeds(a, b, margin);
		// A small probability is integrated itself: 1 minus the large one would lose its digits.
		const h0 = margin === 0 && h1 < 0.99 ? 1 - h1 : exceeds(b, a, margin);
		const result = {
			kind: "bayes",
			metric,
			word: WORDS[metric],
			names: models.map(({ name }) => name),
			margin,
			value_a: a.value,
			value_b: b.value,
			difference: b.value - a.value,
			p_h0: h0,
			p_within: margin ? Math.max(0, 1 - h0 - h1) : 0,
			p_h1: h1,
			n_folds: models[0].held.counts[0].length,
			unit: "fold",
			posteriors: [a, b],
		};
		return { ...result, sentence: sentenceOf(result) };
	}
	function sentenceOf(r) {
		const [a, b] = r.names,
			sure = outcomes(r).find(([, chance]) => chance >= SAID),
			plus = r.difference < 0 ? "" : "+";
		return (
			`${r.word} is ${fixed(r.value_a, 4)} for ${a} and ${fixed(r.value_b, 4)} for ${b}. ${b} minus ` +
			`${a} is ${plus}${fixed(r.difference, 4)}. The probability that ${chances(r)} (Bayes test on ` +
			`${counted(r.n_folds, "fold")}, flat prior): ` +
			`${sure ? sure[0] : "which of the two is better is open at 95 %"}.`
		);
	}
	/* How probable each hypothesis is, in words. */
	function chances(r) {
		const [a, b] = r.names,
			[h0, within, h1] = [r.p_h0, r.p_within, r.p_h1].map(probability);
		if (!r.margin) return `${b} is better is ${h1}, that ${a} is at least as good ${h0}`;
		return `${b} is better by more than ${general(r.margin)} is ${h1}, that ${a} is ${h0}, that neither is ${within}`;
	}
	/* What the sentence may conclude, each with its probability. */
	function outcomes(r) {
		const [a, b] = r.names;
		if (!r.margin)
			return [
				[`${b} is better than ${a}`, r.p_h1],
				[`${a} is at least as good`, r.p_h0],
			];
		const by = `by more than ${general(r.margin)}`;
		return [
			[`${b} is better ${by}`, r.p_h1],
			[`${a} is better ${by}`, r.p_h0],
			[`no difference of more than ${general(r.margin)}`, r.p_within],
		];
	}
	/* The density of a value under a posterior, for the picture. */
	function density({ metric, found, lost }, value) {
		if (metric !== "f1") return stats.betaPdf(value, found, lost);
		return (stats.betaPdf(value / (2 - value), found, lost) * 2) / (2 - value) ** 2;
	}

	/* Two models, or the refusal of the command line. */
	function compareFoldCounts(source, models, asked) {
		if (models.length !== 2) {
			const expected = `two models, found ${someOf(models.map(({ name }) => name))}`;
			throw source.fault({ expected, ways: models.length > 2 ? [say("systems")] : [] });
		}
		const [a, b] = models.map(({ name }) => name);
		if (a === b) throw new InputError({ argument: "names", value: [a, b], expected: "two different names, of A and of B" });
		return bayesTest(models, asked);
	}

	Object.assign(Compare, { isOfFoldCounts, readFoldCounts, compareFoldCounts, density });
})();
