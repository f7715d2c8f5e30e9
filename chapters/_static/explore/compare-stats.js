/* Compare two files here: `betterthan.compare`, `compare_folds` and `compare_many` with their sentences
	 (betterthan.paired and several), and what `betterthan compare FILE …` does with files (betterthan.cli). */
(function () {
	"use strict";
	const Compare = Explore.compare,
		{ stats } = Explore;
	const { InputError, count, counted, general, listed, number, percent, probability, pvalue, say } = Compare;
	const { METHOD_OF_TANGO, Tango, effects, fewestRightOrWrong, fewestUnits, sizeOfUnseen, tango } = Compare;
	const { LEVEL, Student, directionTaken, exchanged, halves, inOrder, mean, skewed, stepDown, student } = Compare;
	const { together, variance } = Compare;

	// Above this many groups Student's t and half-samples agree, and t takes no time.
	const MANY_GROUPS = 1000;

	// --- Two systems: betterthan.compare ---
	function compare(
		a,
		b,
		{
			metric = null,
			margin = 0,
			higher = null,
			unmatched,
			sharedRuns = null,
			ratio = false,
			paired = true,
		} = {},
	) {
		if (!paired) {
			refusePairing({ shared_runs: sharedRuns, ratio: ratio || null, unmatched });
			return separately(a, b, metric, margin, higher);
		}
		if (ratio && margin) {
			throw new InputError({
				argument: "margin",
				value: margin,
				problem: "is a difference, so it does not go with a ratio; leave it out",
			});
		}
		const given = ratio ? [a, b].map((one) => logarithms(one, metric)) : [a, b];
		const otherwise = [SEPARATE],
			data = together(given, { metric, unmatched, sharedRuns, bounded: ratio ? false : null, otherwise }),
			found = margin ? withMargin(data, difference(data), margin) : difference(data);
		found.notes = [
			...found.notes,
			...inOrder(data, found.student),
			...directionTaken(higher, [a, b], data, ratio),
		];
		const asked = { names: [a.name, b.name], margin, higher: higher ?? data.higher };
		return comparison(data, found, { ...asked, ratio });
	}
	// What else helps where units do not match.
	const SEPARATE = say("paired", false, "if these are two separate samples of items");

	/* What only pairs have is refused, not left out in silence. */
	function refusePairing(asked) {
		const problem = "does nothing for separate samples, which are not matched";
		for (const [argument, value] of Object.entries(asked)) {
			if (value === undefined || value === null || (argument === "unmatched" && value === "refuse")) continue;
			throw new InputError({ argument, value, problem });
		}
	}
	/* Two separate samples: units and groups are those of both together (betterthan.paired.Unpaired). */
	function separately(a, b, metric, margin, higher) {
		const found = Compare.apart(a, b, metric),
			{ data } = found.sides[0],
			each = (name) => found.sides.map((side) => side.data[name]),
			[units, groups] = [each("n_units"), each("n_groups")];
		const whole = {
			...data,
			systems: found.sides.map((side) => side.data.systems[0]),
			n_units: units[0] + units[1],
			n_groups: groups[0] + groups[1],
			n_effective: each("n_effective")[0] + each("n_effective")[1],
			notes: [],
			bounded: found.distribution instanceof Compare.Separate,
			separate: { units, groups },
		};
		found.notes = [...found.notes, ...directionTaken(higher, [a, b], data)];
		return comparison(whole, found, { names: [a.name, b.name], margin, higher: higher ?? data.higher });
	}

	/* Seconds and costs as natural logarithms, whose difference is a ratio (betterthan._ratio). */
	function logarithms(one, metric) {
		const refuse = (argument, value, expected) => {
			throw new InputError({ argument, value, expected });
		};
		if (one.held.kind !== "numbers")
			refuse("ratio", true, `numbers such as seconds or costs, but ${one.name} holds labels or counts`);
		const own = Compare.metricOfResults(one),
			asked = metric ?? own;
		if (asked !== "mean" && (metric ?? null) === null)
			refuse("ratio", true, `numbers such as seconds or costs, but the metric of ${one.name} is ${own}`);
		if (asked !== "mean") refuse("metric", asked, "the mean, where a ratio is asked for");
		const least = one.held.runs.reduce((low, run) => run.reduce((a, b) => Math.min(a, b), low), Infinity);
		if (least <= 0) {
			const problem = `numbers above 0, but ${one.name} has ${general(least)}; its logarithm does not exist`;
			refuse("ratio", true, problem);
		}
		return { ...one, held: { ...one.held, runs: one.held.runs.map((run) => run.map(Math.log)) } };
	}

	// Halves of k groups that differ have 2^k values; a tail needs one of them at the least.
	const tooFewHalves = (k) => 2 ** Math.min(k, 60) * (1 - LEVEL) < 2;

	/* What a claim of "no difference of more than the margin" needs beside the distribution. */
	function withMargin(data, found, margin) {
		const right = found.distribution instanceof Tango,
			unseen = right ? null : effects(data);
		if (!right && unseen === null) return found;
		const fewest = right ? fewestRightOrWrong(margin) : fewestUnits(margin, sizeOfUnseen(data));
		const text = `Fewer than ${count(fewest)} ${data.resampled} can never rule out a difference of more than ${general(margin)}.`;
		const notes = data.n_groups < fewest ? [...found.notes, text] : found.notes;
		return { ...found, effects: unseen, notes };
	}
	/* The probability of a difference of at most the margin, one unseen unit allowed for. */
	function within({ distribution, effects: unseen, interval }, margin) {
		const known = distribution.below(margin) - distribution.below(-margin);
		if (unseen) return Math.min(known, unseen.within(margin));
		return interval ? known : NaN;
	}

	/* How far B is from A: Tango's score, half-samples where enough groups differ, else t. */
	function difference(data) {
		const [first, second] = data.systems,
			found = student([first, second], data.n_effective, data.sharedRuns);
		if (data.rightOrWrong) {
			const score = tango(...data.perUnit);
			return {
				student: found,
				distribution: score,
				interval: score.interval(),
				method: METHOD_OF_TANGO,
				notes: [],
			};
		}
		const size = Math.abs(mean(first.values)) + Math.abs(mean(second.values));
		const differ = Array.from({ length: data.n_groups }, (_, g) => !first.sums[0].same(g, second.sums[0]));
		if (found.error <= 1e-12 * size) return withoutSpread(data, found, halvesOf(data, differ));
		if (first.values.length > 1 || second.values.length > 1) return byStudent(data, found, found);
		const several = differ.filter((own) => own).length;
		// Groups on which the two agree say nothing about how far apart they are elsewhere.
		const careful = new Student({ ...found, degrees: Math.min(found.degrees, Math.max(several - 1, 1)) });
		const few = tooFewHalves(data.n_groups),
			sparse = tooFewHalves(several);
		if (!few && (sparse || data.n_groups <= MANY_GROUPS)) {
			return byHalves(data, found, careful, halvesOf(data, differ), sparse ? several : null);
		}
		const notes = few
			? [`For half-samples ${data.n_groups} ${data.resampled} are too few: t is a rough guide.`]
			: null;
		return { ...byStudent(data, careful, found), ...(notes ? { notes } : {}) };
	}
	/* B minus A on half-samples; of very many groups all that differ, and some of the others. */
	function halvesOf(data, differ) {
		let sums = data.systems.map((system) => system.sums[0]);
		if (data.n_groups > MANY_GROUPS) {
			const rows = [...differ.keys()].sort((i, j) => differ[j] - differ[i]).slice(0, MANY_GROUPS);
			sums = sums.map((own) => own.take(rows));
		}
		return halves(data.metric.of, ...sums);
	}
	function byStudent(data, distribution, found) {
		return {
			student: found,
			distribution,
			interval: withinBounds(data, distribution.interval()),
			method: jackknifed(data, distribution.degrees),
			notes: skewed(data, found, data.systems),
		};
	}
	/* That the two agreed here, or differed by the same, does not say that they always will. */
	function withoutSpread(data, found, halved) {
		const note = `Every unit shows the same ${found.centre ? "difference" : "result"}, so there is no spread to measure`;
		const unseen = found.centre ? null : effects(data);
		return {
			student: found,
			distribution: halved,
			interval: unseen && withinBounds(data, unseen.interval()),
			method: `half-samples of the ${data.resampled}`,
			notes: [
				note + (unseen ? ": the interval is what one more of them, at the worst, leaves possible." : "."),
			],
		};
	}
	/* The difference by half-samples of the groups, of which `only` so few differ. */
	function byHalves(data, found, careful, halved, only) {
		const shared = { student: found, distribution: halved, method: `half-samples of the ${data.resampled}` };
		if (only === null)
			return { ...shared, interval: withinBounds(data, halved.interval()), notes: skewed(data, careful, data.systems) };
		// So few that differ cannot rule out 0, and t is the rough guide to the rest.
		const [low, high] = careful.interval();
		return {
			...shared,
			interval: withinBounds(data, [Math.min(low, 0), Math.max(high, 0)]),
			notes: [`The two differ on only ${only} of the ${data.resampled}: a rough guide.`],
		};
	}
	const withinBounds = (data, interval) =>
		interval && data.bounded ? [Math.max(interval[0], -1), Math.min(interval[1], 1)] : interval;

	function jackknifed(data, degrees) {
		const what = data.n_groups < data.n_units ? "delete-one-group" : "delete-one";
		const over = data.sharedRuns ? ` over ${data.resampled} and runs` : "";
		return `${what} jackknife${over}, t with ${general(degrees, 4)} degree${degrees === 1 ? "" : "s"} of freedom`;
	}

	/* What was found, as a result that can be printed. */
	function comparison(data, found, { names, margin, higher, ratio = false }) {
		const known = found.distribution,
			below = known.below(0),
			[low, high] = found.interval ?? [NaN, NaN];
		const result = {
			kind: "two",
			metric: data.metric.name,
			word: data.word,
			names,
			margin,
			higher,
			value_a: mean(data.systems[0].values),
			value_b: mean(data.systems[1].values),
			difference: found.student.centre,
			low,
			high,
			pvalue: known.pvalue(),
			p_better: higher ? 1 - below : below,
			p_within: margin ? within(found, margin) : 0,
			standard_error: found.student.error,
			bounded: data.bounded,
			n_runs: data.systems.map(({ values }) => values.length),
			n_units: data.n_units,
			n_groups: data.n_groups,
			n_effective: data.n_effective,
			unit: data.unit,
			method: found.method,
			notes: [...data.notes, ...found.notes],
			distribution: known,
			sharedRuns: data.sharedRuns ?? false,
			separate: data.separate ?? null,
			ratio: null,
		};
		const shown = ratio ? asRatio(result) : result;
		return { ...shown, sentence: sentence(shown) };
	}
	/* A comparison of logarithms, read as a ratio of geometric means. */
	const asRatio = (r) => ({
		...r,
		value_a: Math.exp(r.value_a),
		value_b: Math.exp(r.value_b),
		ratio: Math.exp(r.difference),
		ratio_interval: [Math.exp(r.low), Math.exp(r.high)],
		word: `geometric ${r.word}`,
	});

	const capital = (word) => word[0].toUpperCase() + word.slice(1);
	function sample(r) {
		if (r.separate) return sampleOfTwo(r);
		return counted(r.n_units, r.unit) + (r.n_groups < r.n_units ? ` in ${count(r.n_groups)} groups` : "");
	}
	function sampleOfTwo({ unit, separate: { units, groups } }) {
		const said = `separate samples of ${count(units[0])} and ${counted(units[1], unit)}`,
			inGroups = units.some((n, i) => n !== groups[i]);
		return said + (inGroups ? ` in ${count(groups[0])} and ${count(groups[1])} groups` : "");
	}

	function sentence(r) {
		const [a, b] = r.names,
			lower = r.higher ? "" : ", lower is better";
		const [low, high] = (r.ratio === null ? [r.low, r.high] : r.ratio_interval).map((end) =>
			number(end, r.ratio === null),
		);
		const between = Number.isNaN(r.low) ? "no 95 % interval" : `95 % interval ${low} to ${high}`;
		const apart =
			r.ratio === null
				? `${b} minus ${a} is ${number(r.difference, true)}`
				: `${b} is ${number(r.ratio)} times ${a}`;
		const separate = `, ${r.n_runs[0]} and ${r.n_runs[1]} runs`,
			shared = `, the same ${r.n_runs[0]} runs for both`;
		const runs = Math.max(...r.n_runs) === 1 ? "" : r.sharedRuns ? shared : separate;
		return [
			`${capital(r.word)} is ${number(r.value_a)} for ${a} and ${number(r.value_b)} for ${b}${lower}. ${apart} ` +
				`(${between}; two-sided p ${r.distribution.atMost ? "≤" : "="} ${pvalue(r.pvalue)}; ${sample(r)}${runs}; ${r.method}). ` +
				verdict(r),
			...r.notes,
		].join(" ");
	}
	/* What p_within allows for and the other probabilities do not, where that shows. */
	function unseen(r) {
		const known = r.distribution.below(r.margin) - r.distribution.below(-r.margin);
		if (probability(known) === probability(r.p_within)) return "";
		return `, allowing for one ${r.n_groups < r.n_units ? "group" : r.unit} not yet seen`;
	}
	function verdict(r) {
		const [a, b] = r.names,
			margin = general(r.margin);
		let given = "flat prior",
			said = "which of the two is better is open at 95 %";
		if (r.margin) {
			const ahead = r.higher ? 1 - r.distribution.below(r.margin) : r.distribution.below(-r.margin);
			given += `; by more than ${margin}: ${probability(ahead)}`;
			if (!Number.isNaN(r.p_within))
				given += `; a difference of at most ${margin} either way${unseen(r)}: ${probability(r.p_within)}`;
		}
		const sure = Number.isNaN(r.low) ? r.pvalue <= 1 - LEVEL : !(r.low <= 0 && 0 <= r.high);
		const inside = -r.margin <= r.low && r.high <= r.margin;
		if (r.margin && inside && r.p_within >= LEVEL) said = `no difference of more than ${margin}`;
		else if (r.difference === 0 && r.standard_error === 0) said = "nothing tells the two apart";
		else if (sure)
			said = r.difference > 0 === r.higher ? `${b} is better than ${a}` : `${a} is better than ${b}`;
		return `The probability that ${b} is better is ${probability(r.p_better)} (${given}): ${said}.`;
	}

	// --- Folds: betterthan.compare_folds ---
	/* The corrected resampled t-test: folds overlap in what they were trained on. */
	function compareFolds(a, b, { margin = 0, higher = null } = {}) {
		const share = a.testShare;
		if (!(share > 0 && share < 1)) {
			const inPercent = share > 1 && share <= 100 ? `; ${general(share)} % is ${general(share / 100)}` : "",
				expected = `a finite number in (0, 1)${inPercent}`;
			throw new InputError({ argument: "test_share", value: share, expected });
		}
		const data = together([a, b], { metric: "mean", notes: false });
		const [one, two] = data.systems.map(({ sums: [own] }) =>
			Array.from({ length: own.length }, (_, g) => new Map(own.pairs(g)).get(0) ?? 0),
		);
		const differences = two.map((value, i) => value - one[i]),
			folds = differences.length;
		const spread = Math.sqrt(variance(differences)),
			largest = Math.max(...one.map(Math.abs), ...two.map(Math.abs));
		if (folds < 3 || spread <= 1e-12 * largest) {
			throw new InputError({
				expected: `three folds or more whose differences vary, ${folds < 3 ? `got ${folds}` : "all show the same difference"}`,
			});
		}
		const error = spread * Math.sqrt(1 / folds + share / (1 - share));
		const found = new Student({ centre: mean(differences), error, degrees: folds - 1 });
		return comparison(
			{ ...data, unit: "fold" },
			{
				student: found,
				distribution: found,
				interval: found.interval(),
				method: `corrected resampled t with ${folds - 1} degrees of freedom`,
				notes: [`This is about the algorithms, trained on ${percent(1 - share)} of one corpus.`],
			},
			{ names: [a.name, b.name], margin, higher: higher ?? data.higher },
		);
	}

	// --- Several systems: betterthan.compare_many ---
	function compareMany(results, { metric = null, higher = null, unmatched, sharedRuns = null } = {}) {
		const names = results.map(({ name }) => name),
			data = together(results, { metric, unmatched, sharedRuns }),
			up = higher ?? data.higher;
		const pairs = names.flatMap((_, i) => names.slice(i + 1).map((_, k) => [i, i + 1 + k]));
		const spreads = spreadsOf(data, pairs),
			tested = testedPairs(data, spreads, pairs);
		const ranks = ranksOf(data, names, pairs, spreads, tested, up);
		const result = {
			kind: "many",
			metric: data.metric.name,
			word: data.word,
			names,
			higher: up,
			ranks,
			pairs: pairs.map(([i, j], k) => ({
				a: names[i],
				b: names[j],
				difference: spreads.difference[k],
				pvalue: tested.pvalue[k],
				pvalue_adjusted: tested.adjusted[k],
			})),
			n_units: data.n_units,
			n_groups: data.n_groups,
			n_effective: data.n_effective,
			unit: data.unit,
			method: tested.method,
			drawn: tested.drawn,
			notes: [...data.notes, ...skewed(data, spreads.mostSkewed), ...directionTaken(higher, results, data)],
		};
		return { ...result, sentence: sentenceOfMany(result) };
	}

	/* Of each pair the difference, its standard error (NaN where there is no spread) and degrees of freedom. */
	function spreadsOf(data, pairs) {
		const found = pairs.map(([i, j]) =>
			student([data.systems[i], data.systems[j]], data.n_effective, data.sharedRuns),
		);
		const tiny = 1e-12 * Math.max(...data.systems.map(({ values }) => Math.abs(mean(values))));
		return {
			difference: found.map(({ centre }) => (Math.abs(centre) > tiny ? centre : 0)),
			error: found.map(({ error }) => (error <= tiny ? NaN : error)),
			degrees: found.map(({ degrees }) => degrees),
			mostSkewed: found.reduce((most, one) => (one.skew > most.skew ? one : most)),
		};
	}
	function testedPairs(data, spreads, pairs) {
		const several = data.systems.some(({ values }) => values.length > 1);
		return several || tooFewHalves(data.n_groups)
			? pairsByStudent(data, spreads)
			: pairsByExchanges(data, spreads, pairs);
	}
	/* Student's t with Holm's correction. */
	function pairsByStudent(data, { difference: apart, error, degrees }) {
		const alike = (k) => (apart[k] === 0 ? 1 : 2 ** (1 - data.n_groups));
		const found = apart.map((value, k) =>
			Number.isNaN(error[k]) ? alike(k) : 2 * stats.tSurvival(Math.abs(value) / error[k], degrees[k]),
		);
		const order = [...found.keys()].sort((a, b) => found[a] - found[b]),
			adjusted = [];
		let before = 0;
		order.forEach((pair, place) => {
			before = Math.max(before, found[pair] * (found.length - place));
			adjusted[pair] = Math.min(1, before);
		});
		const over = data.sharedRuns ? ` over ${data.resampled} and shared runs` : "";
		return { pvalue: found, adjusted, method: `jackknife${over} and t, Holm's correction`, drawn: 0 };
	}
	/* One set of random exchanges for all pairs: max-T, step-down. */
	function pairsByExchanges(data, spreads, pairs) {
		// In units of the root mean square over groups, which no exchange changes.
		const n = data.n_groups,
			scale = spreads.difference.map((value, k) => {
				const error = Number.isNaN(spreads.error[k]) ? 0 : spreads.error[k];
				return Math.sqrt((error ** 2 * (n - 1)) / n + value ** 2 / n) || 1;
			});
		const raw = exchanged(
			data.metric.of,
			data.systems.map(({ sums }) => sums[0]),
			pairs,
		);
		const moved = raw.map((own, k) => Float64Array.from(own, (value) => value / scale[k]));
		const seen = spreads.difference.map((value, k) => Math.abs(value) / scale[k]),
			draws = moved[0].length;
		const found = seen.map(
			(size, k) => (1 + moved[k].filter((value) => value >= size * (1 - 1e-6)).length) / (draws + 1),
		);
		return {
			pvalue: found,
			adjusted: stepDown(moved, seen),
			method: `max-T over ${count(draws)} exchanges of ${data.resampled}`,
			drawn: draws,
		};
	}

	/* One row per system, the best first, with the ranks that it may have. */
	function ranksOf(data, names, pairs, spreads, tested, higher) {
		const sign = higher ? 1 : -1,
			wins = names.map(() => 0),
			losses = names.map(() => 0);
		pairs.forEach(([i, j], k) => {
			const ahead = tested.adjusted[k] <= 1 - LEVEL ? sign * spreads.difference[k] : 0;
			if (!ahead) return;
			wins[ahead > 0 ? j : i]++;
			losses[ahead > 0 ? i : j]++;
		});
		const rows = names.map((name, i) => ({
			name,
			value: mean(data.systems[i].values),
			low: 1 + losses[i],
			high: names.length - wins[i],
		}));
		return rows.sort((a, b) => sign * (b.value - a.value));
	}

	function sentenceOfMany(r) {
		const apart = r.pairs.filter((pair) => pair.pvalue_adjusted <= 1 - LEVEL).length,
			best = r.ranks.filter(({ low }) => low === 1).map(({ name }) => name),
			all = best.map((name) => listed(name, Infinity));
		const may =
			best.length > 1 ? `${all.slice(0, -1).join(", ")} or ${all.at(-1)} may be` : `${best[0]} is`;
		return [
			`${r.ranks[0].name} has the best ${r.word} of ${r.names.length} systems${r.higher ? "" : " (lower is better)"}, ` +
				`${number(r.ranks[0].value)}; ${apart} of ${r.pairs.length} pairs are told apart, with ${percent(1 - LEVEL)} error for all pairs ` +
				`together (${sample(r)}; ${r.method}). ${may} the best.`,
			...r.notes,
		].join(" ");
	}

	// --- From files to the sentence: `betterthan compare FILE …` ---
	const OF_EVERY_FILE = ["margin", "lower", "names", "shared_runs", "ratio", "paired"];
	const COMPARING = ["metric", "unmatched", ...OF_EVERY_FILE];

	/* What the command line answers to the same files and options: {kind, systems, result}. */
	function answer(sources, options) {
		const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
		const said = Object.fromEntries(given.filter(([name]) => !OF_EVERY_FILE.includes(name))),
			asked = Object.fromEntries(given.filter(([name]) => COMPARING.includes(name)));
		const format = Compare.formatFor(sources, said),
			{ kind } = format;
		refuseIdle(format.without ?? [], asked, format, sources[0]);
		if (kind === "table" && asked.metric !== undefined)
			Compare.refuseColumnAsMetric(sources, asked.metric, said);
		const systems = renamed(format.read(sources, said), asked.names);
		if (format.options.includes("metric")) delete asked.metric; // its reader has taken it
		if (kind === "fold_counts") {
			const { metric, margin } = asked;
			const result = Compare.compareFoldCounts(sources[0], systems, { metric, margin: marginOf(margin ?? 0) });
			return { kind, systems, result };
		}
		if (systems.length === 1 && kind === "table")
			throw notTwo(sources[0], systems, Compare.waysToSecond(sources, said));
		return { kind, systems, result: compareAll(systems, asked, sources) };
	}
	const NO_USE_OF_FOLDS = ["metric", "unmatched", "ratio", "shared_runs"];

	function compareAll(systems, asked, sources) {
		const [source] = sources,
			ofFolds = systems[0].unit === "fold",
			margin = marginOf(asked.margin ?? 0),
			direction = asked.lower ? { higher: false } : {};
		if (systems.length < 2 || (ofFolds && systems.length > 2)) throw notTwo(source, systems);
		const separate = asked.paired === false;
		if (separate && (ofFolds || systems.length > 2)) {
			const found = Compare.someOf(systems.map(({ name }) => name)),
				expected = `two systems on separate samples of items, found ${found}`;
			throw new InputError({ argument: "paired", value: false, expected });
		}
		if (ofFolds) {
			refuseIdle(NO_USE_OF_FOLDS, asked, { holds: "scores of folds" }, source);
			return compareFolds(...systems, { margin, ...direction });
		}
		const sharedRuns = asked.shared_runs ?? null;
		const shared = { metric: asked.metric, unmatched: asked.unmatched, sharedRuns, ...direction };
		if (systems.length === 2)
			return compare(...systems, { ...shared, margin, ratio: asked.ratio === true, paired: !separate });
		// Of a file per system two are chosen by their files.
		const two = systems.slice(0, 2).map(({ name }) => name),
			files = sources.slice(0, 2).map(({ name }) => name),
			ways = [sources.length > 1 ? say("paths", files) : say("systems", two)];
		if (asked.ratio) {
			const problem = `needs two systems, found ${systems.length}`;
			throw new InputError({ argument: "ratio", value: true, problem, ways });
		}
		if (margin) throw new InputError({ problem: `a margin needs two systems, found ${systems.length}`, ways });
		return compareMany(systems, shared);
	}

	/* The systems as they are called: as asked, or as their files or columns are. */
	function renamed(systems, names) {
		if (!names) return systems;
		if (names.length !== systems.length || new Set(names).size < names.length || names.includes("")) {
			throw new InputError({
				argument: "names",
				value: names,
				expected: `${systems.length}, all different, for ${Compare.someOf(systems.map(({ name }) => name))}`,
			});
		}
		return systems.map((one, i) => ({ ...one, name: names[i] }));
	}
	function marginOf(value) {
		const margin = Number(value);
		if (!Number.isFinite(margin) || margin < 0)
			throw new InputError({ argument: "margin", value, expected: "a number of at least 0" });
		return margin;
	}
	function notTwo(source, systems, ways = systems.length > 2 ? [say("systems")] : []) {
		const names = systems.map(({ name }) => name),
			expected = `two systems, found ${Compare.someOf(names)}`;
		return Object.assign(source.fault({ expected, ways }), { systems });
	}
	/* What says nothing about such files. */
	function refuseIdle(without, asked, format, source) {
		for (const argument of without) {
			if (asked[argument] === undefined) continue;
			throw Compare.idle(argument, asked[argument], format, source);
		}
	}

	Object.assign(Compare, { answer, capital });
})();
