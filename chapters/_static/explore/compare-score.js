/* Compare two files here: right or wrong by Tango's score, and what one unit that was not seen could still
	 change (betterthan._tango and _unseen). */
(function () {
	"use strict";
	const Compare = Explore.compare,
		{ stats } = Explore;
	const { LEVEL, mean, sum } = Compare;

	// --- Right or wrong, item by item: Tango's score ---
	const METHOD = "Tango's score interval, the inverse of McNemar's test";

	/* T(δ) for δ of at least 0: how many standard errors the observed difference lies above δ. */
	function scoreAt(gained, lost, n, difference) {
		const spread = difference * (1 - difference),
			linear = -gained - lost + (2 * n - gained + lost) * difference,
			root = Math.sqrt(linear * linear + 8 * n * lost * spread);
		// Two ways to write one root of a quadratic: whichever adds instead of cancelling.
		const q = linear <= 0 ? (root - linear) / (4 * n) : (2 * lost * spread) / (root + linear);
		const away = gained - lost - n * difference,
			variance = n * (2 * q + spread);
		if (variance <= 0) return away === 0 ? 0 : away * Infinity;
		return away / Math.sqrt(variance);
	}

	/* What is known of the difference of two shares of right answers on the same items. */
	class Tango {
		constructor(gained, lost, n) {
			Object.assign(this, { gained, lost, n, atMost: false });
		}
		score(difference) {
			const { gained, lost, n } = this;
			return difference < 0 ? -scoreAt(lost, gained, n, -difference) : scoreAt(gained, lost, n, difference);
		}
		below(value) {
			if (Math.abs(value) >= 1) return Number(value > 0);
			return stats.normalSurvival(this.score(value));
		}
		pvalue() {
			return 2 * stats.normalSurvival(Math.abs(this.score(0)));
		}
		interval() {
			const far = stats.normalQuantile((1 + LEVEL) / 2);
			return [this.where(far), this.where(-far)];
		}
		/* The difference at which the score, which falls, has this value; -1 or 1 where it never has. */
		where(score) {
			let low = -1,
				high = 1;
			for (let k = 0; k < 60; k++) {
				const middle = (low + high) / 2;
				if (this.score(middle) > score) low = middle;
				else high = middle;
			}
			return score > 0 ? high : low;
		}
	}
	function tango(a, b) {
		let gained = 0,
			lost = 0;
		a.forEach((value, i) => {
			if (b[i] > value) gained++;
			if (b[i] < value) lost++;
		});
		return new Tango(gained, lost, a.length);
	}
	/* So many items, all of them alike, have an interval within the margin; fewer never have. */
	function fewestRightOrWrong(margin) {
		const square = stats.normalQuantile((1 + LEVEL) / 2) ** 2;
		return margin < 1 ? Math.max(2, Math.ceil((square * (1 - margin)) / margin - 1e-9)) : 2;
	}

	// --- What one unit that was not seen could still change: Gaffke's bound ---
	/* How far each group moves the difference, and how far one not seen could. */
	class Effects {
		constructor(seen, low, high) {
			Object.assign(this, { seen, low, high });
		}
		within(margin) {
			const under = negative([...this.seen.map((own) => own + margin), this.low + margin]),
				over = negative([...this.seen.map((own) => margin - own), margin - this.high]);
			return Math.max(0, 1 - under - over);
		}
		/* Of groups that are all alike. */
		interval() {
			const share = 1 - ((1 - LEVEL) / 2) ** (1 / this.seen.length),
				middle = mean(this.seen);
			return [middle + (this.low - middle) * share, middle + (this.high - middle) * share];
		}
	}
	function fewestUnits(margin, size) {
		if (margin >= size) return 2;
		return Math.max(2, Math.ceil(Math.log((1 - LEVEL) / 2) / Math.log1p(-margin / size) - 1e-9));
	}
	/* How large the unseen unit is: of average size, or as the group that an item is in on average. */
	const sizeOfUnseen = (data) => (data.n_groups < data.n_units ? data.n_groups / data.n_effective : 1);

	/* Of B minus A; null where nothing bounds what a unit could do, as with seconds. */
	function effects(data) {
		if (!data.bounded) return null;
		if (!data.perUnit) return SHARES[data.metric.rule] ? effectsOfCounts(data) : null;
		const [first, second] = data.perUnit,
			sums = Array(data.n_groups).fill(0);
		data.codes.forEach((group, i) => (sums[group] += second[i] - first[i]));
		return new Effects(
			sums.map((own) => (own * data.n_groups) / data.n_units),
			-sizeOfUnseen(data),
			sizeOfUnseen(data),
		);
	}

	// Numerator and denominator of each metric, as weights of tp, fp and fn.
	const SHARES = {
		f1: [[2, 0, 0], [2, 1, 1]],
		macro_f1: [[2, 0, 0], [2, 1, 1]],
		precision: [[1, 0, 0], [1, 1, 0]],
		recall: [[1, 0, 0], [1, 0, 1]],
	};

	/* The counts with weights, and a sentence of average gold that one has right and the other wrong. */
	function effectsOfCounts(data) {
		const [first, second] = data.systems.map((system) => movedBy(system, data.metric.rule));
		const middle = mean(data.systems[1].values) - mean(data.systems[0].values),
			size = sizeOfUnseen(data),
			minus = (a, b) => a.map((value, i) => value - b[i]);
		return new Effects(
			minus(second.seen, first.seen).map((own) => middle + own),
			middle + size * Math.min(...minus(second.wrong, first.right)),
			middle + size * Math.max(...minus(second.right, first.wrong)),
		);
	}
	/* What groups add to one system's metric, the mean over runs. */
	function movedBy({ sums }, rule) {
		const runs = sums.map((own) => movedInRun(own, rule)),
			average = (name) => runs[0][name].map((_, i) => mean(runs.map((run) => run[name][i])));
		return { seen: average("seen"), right: average("right"), wrong: average("wrong") };
	}
	function movedInRun(rows, rule) {
		const k = rows.width / 3,
			[above, below] = SHARES[rule].map((weights) => (column) => weights[Math.floor(column / k)]);
		const part = (pairs, weigh, c) =>
			pairs.reduce((total, [column, value]) => total + (column % k === c ? weigh(column) * value : 0), 0);
		const whole = Array.from(rows.whole, (value, column) => [column, value]),
			classes = [...Array(k).keys()].filter((c) => part(whole, below, c) > 0);
		const value = new Map(classes.map((c) => [c, part(whole, above, c) / part(whole, below, c)])),
			size = new Map(classes.map((c) => [c, part(whole, below, c) / rows.length]));
		const moved = (pairs) => {
			let total = 0;
			for (const [column, count] of pairs) {
				const c = column % k;
				if (value.has(c)) total += ((above(column) - value.get(c) * below(column)) * count) / size.get(c);
			}
			return total / classes.length;
		};
		const gold = [...Array(k).keys()].map((c) => rows.whole[c] + rows.whole[2 * k + c]),
			average = sum(gold) / rows.length,
			places = [...gold.keys()].filter((c) => gold[c] > 0);
		return {
			seen: Array.from({ length: rows.length }, (_, g) => moved(rows.pairs(g))),
			right: places.map((c) => moved([[c, average]])),
			wrong: places.map((c) => moved([[k + c, average], [2 * k + c, average]])),
		};
	}

	// The integral: steps of the trapezoidal rule on a scale that spreads the far end.
	const STEP = 0.05,
		STEPS = 240;

	/* The probability that Σ weight × e is below 0, for independent exponential e. */
	function negative(weights) {
		const largest = weights.reduce((most, own) => Math.max(most, Math.abs(own)), 0),
			times = new Map();
		let below = false,
			above = false,
			total = 0;
		for (const weight of weights) {
			if (weight === 0) continue;
			const own = weight / largest;
			times.set(own, (times.get(own) ?? 0) + 1);
			total += own;
			if (own < 0) below = true;
			else above = true;
		}
		if (!below) return 0;
		if (!above) return 1;
		const parts = [...times];
		return total >= 0 ? leftTail(parts) : 1 - leftTail(parts.map(([own, k]) => [-own, k]));
	}
	/* The same where the sum is at least 0 on average: an integral of its generating function along the line
		 through the saddle point, where it does not swing. */
	function leftTail(parts) {
		const line = saddle(parts),
			inverse = parts.map(([own, k]) => [own / (1 - own * line), k]);
		const width = 1 / Math.sqrt(sum(inverse.map(([own, k]) => k * own * own)) + 1 / line ** 2),
			atAxis = -sum(parts.map(([own, k]) => k * Math.log1p(-own * line)));
		let total = 0;
		for (let step = 0; step < STEPS; step++) {
			const y = width * Math.sinh(STEP * step);
			let size = 0,
				angle = 0;
			for (const [own, k] of inverse) {
				const turned = y * own;
				size -= 0.5 * k * Math.log1p(turned * turned);
				angle += k * Math.atan(turned);
			}
			// The real part of exp(size + i angle) / −(line + i y).
			const real = (-line * Math.cos(angle) - y * Math.sin(angle)) / (line * line + y * y);
			const height = Math.exp(size + atAxis) * real * width * Math.cosh(STEP * step);
			total += step ? height : height / 2;
		}
		return Math.min(Math.max((total * STEP) / Math.PI, 0), 1);
	}
	/* Where the logarithm of the integrand is least, between the last pole on the left and 0. */
	function saddle(parts) {
		let low = 1 / parts.reduce((least, [own]) => Math.min(least, own), Infinity),
			high = 0;
		for (let k = 0; k < 100; k++) {
			const middle = (low + high) / 2;
			if (middle === low || middle === high) break;
			const slope = sum(parts.map(([own, times]) => (times * own) / (1 - own * middle))) - 1 / middle;
			if (slope > 0) high = middle;
			else low = middle;
		}
		return (low + high) / 2;
	}

	Object.assign(Compare, { METHOD_OF_TANGO: METHOD, Tango, tango, effects, fewestRightOrWrong, fewestUnits, sizeOfUnseen });
})();
