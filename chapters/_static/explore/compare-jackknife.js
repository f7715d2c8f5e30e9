/* Compare two files here: the jackknife, half-samples and exchanges, down to the random numbers
	 (betterthan._jackknife and _resample). */
(function () {
	"use strict";
	const Compare = Explore.compare,
		{ stats } = Explore;
	const { InputError, count, mean, say, sum, variance } = Compare;

	const LEVEL = 0.95,
		DRAWS = 9999;
	// Above so many groups the library takes normal random numbers for the coins of `compare_many`.
	const NORMAL = 5000;
	// What a page adds up within half a minute.
	const MOST_ADDED = 4e9;

	// --- The jackknife, half-samples and exchanges ---
	/* A score or difference known up to a standard error: centre + error × t. */
	class Student {
		constructor(parts) {
			Object.assign(this, { skew: 0, atMost: false }, parts);
		}
		below(value) {
			return stats.tCdf((value - this.centre) / this.error, this.degrees);
		}
		pvalue() {
			return 2 * stats.tSurvival(Math.abs(this.centre) / this.error, this.degrees);
		}
		/* Leaves out equal tails; in log-odds where the value is bounded by 0 and 1. */
		interval(level = LEVEL, bounded = false) {
			const half = stats.tQuantile((1 + level) / 2, this.degrees) * this.error;
			if (!bounded) return [this.centre - half, this.centre + half];
			const middle = Math.log(this.centre) - Math.log1p(-this.centre),
				wide = half / (this.centre * (1 - this.centre));
			return [middle - wide, middle + wide].map((end) => 1 / (1 + Math.exp(-end)));
		}
	}

	/* The second system minus the first, and how far groups and runs may have moved it. */
	function student([first, second], worth, shared = false) {
		return shared ? studentOf([[differences(first, second), 1]], worth) : studentOf([[first, -1], [second, 1]], worth);
	}
	/* Runs that both share are paired as items are: the differences take the place of a system. */
	function differences(first, second) {
		return {
			values: second.values.map((value, r) => value - first.values[r]),
			deleted: second.deleted.map((own, r) => own.map((value, g) => value - first.deleted[r][g])),
		};
	}
	function studentOf(parts, worth) {
		const n = parts[0][0].deleted[0].length;
		const away = parts.map(([{ deleted }]) =>
			deleted.map((each) => {
				const middle = mean(each);
				return each.map((value) => value - middle);
			}),
		);
		const moved = new Float64Array(n);
		parts.forEach(([, sign], s) =>
			away[s].forEach((run) => run.forEach((value, g) => (moved[g] += (sign / away[s].length) * value))),
		);
		const fromItems = ((n - 1) / n) * sum(moved.map((value) => value * value));
		const runs = spreadOfRuns(
				parts.map(([{ values }]) => values),
				away,
				n,
			),
			fromRuns = sum(runs.parts.map(([part]) => part));
		const whole = Math.max(fromItems + fromRuns - runs.countedTwice, fromItems, fromRuns);
		// One huge group counts as hardly more than one: then next to nothing is known.
		const free = Math.max(worth - 1, 1e-3);
		// As shares of the whole and in standard deviations, because squares of huge numbers overflow.
		const sources = whole > 0 ? [[fromItems, free], ...runs.parts] : [];
		const doubt = sum(sources.map(([part, known]) => (part / whole) ** 2 / known));
		const size = Math.sqrt(fromItems / (n - 1));
		const third = size > 0 ? sum(moved.map((value) => (value / size) ** 3)) / n : 0;
		return new Student({
			centre: sum(parts.map(([{ values }, sign]) => sign * mean(values))),
			error: Math.sqrt(whole),
			degrees: doubt > 0 ? 1 / doubt : free,
			skew: Math.abs(third) / Math.sqrt(n),
			// A score without a group moves the other way than the group does.
			contributions: moved.map((value) => -value),
		});
	}

	/* The variance that runs add, [part, its degrees of freedom] for each system; one with a single run is
		 taken to be like the others. Part of it is counted twice: what a run's luck on single groups adds. */
	function spreadOfRuns(values, away, n) {
		const several = values.filter((own) => own.length > 1),
			known = sum(several.map((own) => own.length - 1));
		const usual = several.length ? sum(several.map((own) => variance(own) * (own.length - 1))) / known : 0;
		const found = { parts: [], countedTwice: 0 };
		values.forEach((own, s) => {
			const runs = own.length;
			if (runs > 1) {
				found.parts.push([variance(own) / runs, runs - 1]);
				found.countedTwice += luckOnGroups(away[s], n);
			} else if (several.length) found.parts.push([usual, known]);
		});
		return found;
	}
	function luckOnGroups(away, n) {
		const runs = away.length,
			product = (a, b) => ((n - 1) / n) * a.reduce((total, value, g) => total + value * b[g], 0);
		const trace = sum(away.map((run) => product(run, run)));
		const all = sum(away.flatMap((a) => away.map((b) => product(a, b))));
		return (trace / runs - (all - trace) / (runs * (runs - 1))) / runs;
	}

	/* numpy's default_rng(0): PCG64, bytes as Generator.integers(0, 256, dtype=uint8) gives them. */
	function numpyBytes() {
		const step = 0x2360ed051fc65da44385df649fccf645n,
			plus = 87136372517582989555478159403783844777n;
		let state = 35399562948360463058890781895381311971n,
			high = null;
		const word = () => {
			if (high !== null) {
				const kept = high;
				high = null;
				return kept;
			}
			state = BigInt.asUintN(128, state * step + plus);
			const mixed = BigInt.asUintN(64, (state >> 64n) ^ state),
				turn = state >> 122n;
			const out = BigInt.asUintN(64, (mixed >> turn) | (mixed << ((64n - turn) & 63n)));
			high = Number(out >> 32n);
			return Number(out & 0xffffffffn);
		};
		return (length) => {
			const bytes = new Uint8Array(length);
			for (let i = 0; i < length; i += 4) {
				let four = word();
				for (let k = i; k < i + 4 && k < length; k++, four >>>= 8) bytes[k] = four & 255;
			}
			return bytes;
		};
	}
	/* The same from a generator that is a hundred times as fast. */
	function quickBytes() {
		const random = Explore.random(0);
		return (length) => Uint8Array.from({ length }, () => random.bits() >>> 24);
	}

	const allSubsets = (n) => n < 60 && 2 ** n - 1 <= DRAWS;
	/* Calls `add` with every member of each subset of n, and `done` after each: all subsets but the empty
		 one, or as many random ones. */
	function eachSubset(n, bytes, add, done) {
		if (allSubsets(n)) {
			for (let subset = 1; subset < 2 ** n; subset++) {
				for (let g = 0; g < n; g++) if ((subset >> g) & 1) add(g);
				done();
			}
			return;
		}
		const wide = Math.ceil(n / 8),
			block = Math.max(1, Math.floor(2 ** 21 / n));
		for (let drawn = 0; drawn < DRAWS; drawn += block) {
			const rows = Math.min(block, DRAWS - drawn),
				coins = bytes(rows * wide);
			for (let r = 0; r < rows; r++) {
				for (let g = 0; g < n; g++) if ((coins[r * wide + (g >> 3)] >> (7 - (g & 7))) & 1) add(g);
				done();
			}
		}
	}

	/* Adds the rows of several tables to sums side by side. */
	function adder(tables) {
		const sums = tables.map(({ width }) => new Float64Array(width));
		const add = (g) =>
			tables.forEach(({ starts, where, what }, k) => {
				const own = sums[k];
				for (let i = starts[g]; i < starts[g + 1]; i++) own[where[i]] += what[i];
			});
		return { sums, add, clear: () => sums.forEach((own) => own.fill(0)) };
	}

	const search = (sorted, value, right) => {
		// how many lie below (or at) the value
		let low = 0,
			high = sorted.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (sorted[middle] < value || (right && sorted[middle] === value)) low = middle + 1;
			else high = middle;
		}
		return low;
	};

	/* Hartigan's typical values: the difference on random halves of the groups, sorted. */
	class Halves {
		constructor(values, drawn) {
			Object.assign(this, { values, drawn });
		}
		// The smallest p-value that so many random halves can show is a bound.
		get atMost() {
			return this.drawn && this.pvalue() <= 2 / (this.values.length + 1);
		}
		below(value) {
			return (
				(search(this.values, value) + search(this.values, value, true) + 1) / 2 / (this.values.length + 1)
			);
		}
		pvalue() {
			const n = this.values.length,
				tail = Math.min(search(this.values, 0, true), n - search(this.values, 0));
			return Math.min(1, (2 * (1 + tail)) / (n + 1));
		}
		interval() {
			const out = Math.floor(((1 - LEVEL) / 2) * (this.values.length + 1) + 1e-9);
			return out ? [this.values[out - 1], this.values.at(-out)] : null;
		}
	}

	/* B minus A on all subsets of the groups, or on as many random ones. */
	function halves(of, a, b) {
		const {
				sums: [first, second],
				add,
				clear,
			} = adder([a, b]),
			found = [];
		const tiny = 1e-12 * (Math.abs(of(a.whole)) + Math.abs(of(b.whole)));
		eachSubset(a.length, numpyBytes(), add, () => {
			const value = of(second) - of(first); // a half with nothing in it has no score
			if (Number.isFinite(value)) found.push(Math.abs(value) <= tiny ? 0 : value);
			clear();
		});
		return new Halves(Float64Array.from(found).sort(), !allSubsets(a.length));
	}

	/* |B − A| of each pair after exchanging the two on random groups: one array of draws per pair. */
	function exchanged(of, tables, pairs) {
		const n = tables[0].length,
			added = sum(tables.map(({ where }) => where.length));
		if ((added / 2) * DRAWS > MOST_ADDED) {
			throw new InputError({
				problem: `${tables.length} systems on ${count(n)} units are too much for a page`,
				expected: "two systems, or the command line: betterthan compare FILE",
				ways: [say("systems")],
			});
		}
		const { sums, add, clear } = adder(tables),
			drawn = pairs.map(() => []);
		const one = new Float64Array(tables[0].width),
			two = new Float64Array(tables[0].width);
		eachSubset(n, n > NORMAL ? quickBytes() : numpyBytes(), add, () => {
			pairs.forEach(([i, j], k) => {
				for (let c = 0; c < one.length; c++) {
					const middle = (tables[i].whole[c] + tables[j].whole[c]) / 2;
					const half = (2 * sums[j][c] - tables[j].whole[c] - (2 * sums[i][c] - tables[i].whole[c])) / 2;
					one[c] = middle + half;
					two[c] = middle - half;
				}
				const value = of(one) - of(two);
				drawn[k].push(Number.isNaN(value) ? 0 : Math.abs(value));
			});
			clear();
		});
		return drawn.map((own) => Float32Array.from(own));
	}

	/* Westfall and Young's adjusted p-values: each pair against those not larger than it. */
	function stepDown(drawn, size) {
		const order = [...size.keys()].sort((a, b) => size[b] - size[a]),
			draws = drawn[0].length;
		const hits = order.map(() => 0);
		for (let d = 0; d < draws; d++) {
			let largest = -Infinity;
			for (let place = order.length - 1; place >= 0; place--) {
				largest = Math.max(largest, drawn[order[place]][d]);
				if (largest >= size[order[place]] * (1 - 1e-6)) hits[place]++;
			}
		}
		const adjusted = [];
		let before = 0;
		order.forEach((pair, place) => {
			before = Math.max(before, (1 + hits[place]) / (draws + 1));
			adjusted[pair] = before;
		});
		return adjusted;
	}

	Object.assign(Compare, {
		Student,
		Halves,
		student,
		studentOf,
		halves,
		exchanged,
		stepDown,
		numpyBytes,
		LEVEL,
		DRAWS,
		NORMAL,
	});
})();
