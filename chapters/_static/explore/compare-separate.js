/* Compare two files here: two systems on two separate samples of items (betterthan._separate), which is
	 never chosen by itself. A metric without bounds gets Welch's t on the jackknife's standard errors; one
	 between 0 and 1 the interval that Newcombe makes of the two systems' own. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, Student, count, general, plural, skewed, studentOf, together } = Compare;

	// Tails are looked for between these.
	const SMALLEST_TAIL = 1e-12,
		HALF = 0.5;
	// So many tails are enough for a picture.
	const DRAWN = 60;

	/* One of the two systems, on its own sample. */
	class Side {
		constructor(results, metric) {
			this.data = together([results], { metric });
			this.found = studentOf([[this.data.systems[0], 1]], this.data.n_effective);
		}
		get value() {
			return this.found.centre;
		}
		/* Whether a value between 0 and 1 is one of the two. */
		get atAnEnd() {
			return this.data.bounded && (this.value === 0 || this.value === 1);
		}
		/* As `betterthan.score` gives it; no width where there is no spread to measure. */
		interval(level) {
			if (this.atAnEnd) {
				const far = ((1 - level) / 2) ** (1 / this.data.n_effective);
				return this.value ? [far, 1] : [0, 1 - far];
			}
			if (this.found.error === 0) return [this.value, this.value];
			return this.found.interval(level, this.data.bounded);
		}
	}

	/* What is known of a difference of two values between 0 and 1, each with its own interval. */
	class Separate {
		constructor(a, b) {
			Object.assign(this, { a, b, atMost: false, centre: b.value - a.value });
		}
		/* Each end is as far as the two ends that lie that way are together. */
		interval(level = Compare.LEVEL) {
			const [aLow, aHigh] = this.a.interval(level),
				[bLow, bHigh] = this.b.interval(level);
			const down = Math.hypot(this.b.value - bLow, aHigh - this.a.value),
				up = Math.hypot(bHigh - this.b.value, this.a.value - aLow);
			return [this.centre - down, this.centre + up];
		}
		/* The ends that leave out so much on either side. */
		ends(tail) {
			return this.interval(1 - 2 * tail);
		}
		/* The probability of a difference below `value`: the tail whose end it is. */
		below(value) {
			if (value === this.centre) return HALF;
			const lower = value < this.centre,
				tail = this.tail(value, lower);
			return lower ? tail : 1 - tail;
		}
		/* The smaller the tail, the farther out is its end: the tail whose end is `value`, by false position
			 (Illinois), because every end takes two quantiles of t. */
		tail(value, lower) {
			const beyond = (logTail) => this.ends(Math.exp(logTail))[lower ? 0 : 1] - value;
			let [x, y] = [Math.log(SMALLEST_TAIL), Math.log(HALF)],
				[atX, atY] = [x, y].map(beyond);
			// The interval of a score of 0 or 1 never shrinks to a point: what lies within is in doubt.
			if (atY < 0 === lower) return HALF;
			// Where not even the smallest tail reaches so far out, it is that.
			if (atX > 0 === lower) return SMALLEST_TAIL;
			for (let step = 0; step < 100 && Math.abs(y - x) > 1e-10; step++) {
				const z = y - (atY * (y - x)) / (atY - atX),
					atZ = beyond(z);
				if (atZ === 0) return Math.exp(z);
				if (atZ > 0 === atY > 0) atX /= 2;
				else [x, atX] = [y, atY];
				const moved = Math.abs(z - y);
				[y, atY] = [z, atZ];
				if (moved < 1e-10) break;
			}
			return Math.exp(y);
		}
		/* Twice the smaller tail beyond 0. */
		pvalue() {
			const below = this.below(0);
			return Math.min(1, 2 * Math.min(below, 1 - below));
		}
		/* The same as `below`, near enough for a picture: between tails that are computed once. */
		roughly(value) {
			this.drawn ??= this.sketch();
			const { at, below } = this.drawn,
				next = at.findIndex((own) => own > value);
			if (next < 0) return 1;
			if (next === 0) return 0;
			const share = (value - at[next - 1]) / (at[next] - at[next - 1]);
			return below[next - 1] + share * (below[next] - below[next - 1]);
		}
		sketch() {
			const tails = Array.from({ length: DRAWN }, (_, k) => HALF * 10 ** ((-6 * k) / DRAWN)),
				ends = tails.map((tail) => this.ends(tail));
			return {
				at: [...ends.map(([low]) => low).reverse(), ...ends.map(([, high]) => high)],
				below: [...[...tails].reverse(), ...tails.map((tail) => 1 - tail)],
			};
		}
	}

	/* B minus A with the two standard errors together, degrees of freedom by Satterthwaite. */
	function welch([a, b]) {
		const parts = [a, b].map(({ error }) => error ** 2),
			variance = parts[0] + parts[1],
			doubt = variance > 0 ? (parts[0] / variance) ** 2 / a.degrees + (parts[1] / variance) ** 2 / b.degrees : 0;
		return new Student({
			...(a.error >= b.error ? a : b),
			centre: b.centre - a.centre,
			error: Math.sqrt(variance),
			degrees: doubt > 0 ? 1 / doubt : Math.min(a.degrees, b.degrees),
		});
	}

	/* Both systems measured, each on its own sample: what `comparison` takes. */
	function apart(a, b, metric) {
		Compare.refuseOtherKinds([a, b], metric);
		const sides = [a, b].map((one) => new Side(one, metric));
		if (sides.every((side) => side.found.error === 0 && !side.atAnEnd)) {
			const expected = "results that vary; in both samples every unit gives the same value";
			throw new InputError({ argument: "a, b", expected });
		}
		const student = welch(sides.map(({ found }) => found)),
			bounded = sides.every(({ data }) => data.bounded),
			distribution = bounded ? new Separate(...sides) : student;
		return {
			sides,
			student,
			distribution,
			interval: distribution.interval(),
			method: bounded
				? "the two jackknife intervals put together (Newcombe)"
				: `Welch's t on the jackknife with ${general(student.degrees, 4)} degrees of freedom`,
			notes: notesOf(a, b, sides),
		};
	}
	/* What to beware of, first of all that items are not matched. */
	function notesOf(a, b, sides) {
		const found = ["The two were measured on separate samples, so luck with the items counts twice."];
		if (a.ids !== null && b.ids !== null) {
			const theirs = new Set(b.ids),
				shared = new Set(a.ids.filter((id) => theirs.has(id))).size;
			if (shared) {
				const are = `${plural(sides[0].data.unit, shared)} ${shared === 1 ? "is" : "are"}`;
				found.push(`But ${count(shared)} ${are} in both: matched, they would say more.`);
			}
		}
		for (const { data, found: own, atAnEnd } of sides) {
			found.push(...data.notes);
			if (!data.bounded) found.push(...skewed(data, own));
			if (own.error === 0 && !atAnEnd)
				found.push("Every unit of one sample gives the same value: its spread counts as 0.");
		}
		return [...new Set(found)];
	}

	Object.assign(Compare, { Separate, apart });
})();
