/* Compare two files here: metrics as functions of column sums, systems on the same units, matched and added
	 up by group, and what to beware of (betterthan._metrics, _values, _together and _cautions). */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, byLetters, count, fixed, plural, quoted, say, shown } = Compare;

	// Up to here skew does the most harm.
	const FEW = 20;
	// What each warning goes by: see betterthan._cautions.
	const WORTH_LITTLE = 5,
		RARE = 5,
		SKEWED = 0.25,
		LEANING = 0.15,
		SAME_ITEMS = 2,
		SAME_ITEMS_RANKED = 0.25,
		HALVED = 0.15,
		IN_ORDER = 3,
		NEVER_AGREE = 10;
	// Two runs that both share are too few to be paired.
	const FEWEST_RUNS = 3;

	const sum = (values) => values.reduce((a, b) => a + b, 0);
	const mean = (values) => sum(values) / values.length;
	const variance = (values) => {
		const middle = mean(values);
		return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
	};

	// --- Rows of numbers, most of them 0 ---
	/* Units (or groups) × columns. What is not 0 in row r: the columns where[i] and the values what[i], for
		 i from starts[r] to starts[r + 1]; and the sums of all rows. */
	class Rows {
		constructor(width) {
			Object.assign(this, { width, starts: [0], where: [], what: [], whole: new Float64Array(width) });
		}
		get length() {
			return this.starts.length - 1;
		}
		/* One more row: pairs of column and value, in the order of columns. */
		add(pairs) {
			for (const [column, value] of pairs) {
				if (value === 0) continue;
				this.where.push(column);
				this.what.push(value);
				this.whole[column] += value;
			}
			this.starts.push(this.where.length);
		}
		done() {
			return Object.assign(this, {
				starts: Int32Array.from(this.starts),
				where: Int32Array.from(this.where),
				what: Float64Array.from(this.what),
			});
		}
		pairs(row) {
			const found = [];
			for (let i = this.starts[row]; i < this.starts[row + 1]; i++) found.push([this.where[i], this.what[i]]);
			return found;
		}
		same(row, other) {
			const from = this.starts[row],
				length = this.starts[row + 1] - from,
				start = other.starts[row];
			if (other.starts[row + 1] - start !== length) return false;
			for (let i = 0; i < length; i++) {
				if (this.where[from + i] !== other.where[start + i] || this.what[from + i] !== other.what[start + i])
					return false;
			}
			return true;
		}
		take(rows) {
			const found = new Rows(this.width);
			for (const row of rows) found.add(this.pairs(row));
			return found.done();
		}
		/* Rows of the same group added up; columns may be put together, too. */
		addUp(codes, groups, { width, place } = { width: this.width, place: (column) => column }) {
			const members = Array.from({ length: groups }, () => []),
				found = new Rows(width),
				total = new Float64Array(width);
			codes.forEach((group, unit) => members[group].push(unit));
			for (const units of members) {
				const touched = new Set();
				for (const unit of units) {
					for (let i = this.starts[unit]; i < this.starts[unit + 1]; i++) {
						const column = place(this.where[i]);
						total[column] += this.what[i];
						touched.add(column);
					}
				}
				found.add([...touched].sort((a, b) => a - b).map((column) => [column, total[column]]));
				for (const column of touched) total[column] = 0;
			}
			return found.done();
		}
	}

	// --- Metrics of sums ---
	const OF_COUNTS = ["f1", "precision", "recall", "macro_f1", "accuracy"],
		OF_NUMBERS = ["mean", "accuracy"];
	const WORDS = { f1: "F1", macro_f1: "macro-F1" };
	const over = (part, whole) => (whole > 1e-9 ? part / whole : NaN);

	function macroF1(s) {
		const k = s.length / 3;
		let total = 0,
			seen = 0;
		for (let c = 0; c < k; c++) {
			const whole = 2 * s[c] + s[k + c] + s[2 * k + c];
			if (whole <= 1e-9) continue;
			total += (2 * s[c]) / whole;
			seen++;
		}
		return over(total, seen);
	}
	const RULES = {
		mean: (s) => over(s[0], s[1]),
		precision: (s) => over(s[0], s[0] + s[1]),
		recall: (s) => over(s[0], s[0] + s[2]),
		f1: (s) => over(2 * s[0], 2 * s[0] + s[1] + s[2]),
		macro_f1: macroF1,
	};
	// How much tp, fp and fn weigh in the denominator.
	const WEIGHTS = { precision: [1, 1, 0], recall: [1, 0, 1], f1: [2, 1, 1], macro_f1: [2, 1, 1] };

	function choice(argument, value, allowed) {
		if (!allowed.includes(value)) {
			const expected = `one of ${allowed.map(quoted).join(", ")}${Compare.isIt(value, allowed)}`;
			throw new InputError({ argument, value, expected });
		}
		return value;
	}
	const usualMetric = ({ kind, positive, byClass }) =>
		kind === "numbers"
			? "mean"
			: kind === "labels"
				? positive === null
					? "accuracy"
					: "f1"
				: byClass
					? "accuracy"
					: "f1";
	const metricOfResults = ({ metric, held }) => metric ?? usualMetric(held);

	/* The metric asked for, if such results have it: {name, of, rule, word, bounded}. */
	function metricOf(name, held, asked) {
		if (held.kind === "numbers") return metricOfNumbers(name, held, asked);
		choice("metric", asked, OF_COUNTS);
		if (asked === "accuracy") refuseSeveralLabels(name, held);
		if (asked === "macro_f1" && held.byClass === false) {
			const needs = "macro_f1 is the mean of the F1 of each class and needs counts per class",
				problem = `${name}: ${needs}, but these are of all classes together, as those of spans are`;
			throw new InputError({ problem, ways: [say("metric", "f1", "for all of them together")] });
		}
		const rule = asked === "accuracy" ? "recall" : asked;
		return { name: asked, rule, of: RULES[rule], bounded: true, word: wordOf(held, asked) };
	}
	function metricOfNumbers(name, { runs }, asked) {
		if (OF_COUNTS.slice(0, -1).includes(asked)) {
			throw new InputError({
				argument: "metric",
				value: asked,
				problem: `${name} holds plain numbers`,
				expected: "labels and a gold column, tags, or counts",
			});
		}
		choice("metric", asked, OF_NUMBERS);
		const other =
			asked === "accuracy"
				? runs
						.map((run) => run.find((value) => value !== 0 && value !== 1))
						.find((value) => value !== undefined)
				: undefined;
		if (other !== undefined)
			throw new InputError({
				problem: `${name}: accuracy needs 1 for right, 0 for wrong; got ${Compare.shortest(other)}`,
			});
		return { name: asked, rule: "mean", of: RULES.mean, bounded: asked === "accuracy", word: asked };
	}
	function refuseSeveralLabels(name, { kind, runs, byClass }) {
		if (kind !== "counted" || byClass) return;
		const odd = runs.some((run) =>
			Array.from({ length: run.length }, (_, row) => new Map(run.pairs(row))).some(
				(own) => (own.get(1) ?? 0) !== (own.get(2) ?? 0),
			),
		);
		if (odd) {
			throw new InputError({
				problem:
					`${name}: accuracy needs one label per item, so that each wrong one is both invented and ` +
					"missed; for spans take F1, precision or recall",
			});
		}
	}
	/* What sentences call it; F1 of all classes together is the accuracy, and is called so. */
	function wordOf({ kind, positive }, asked) {
		const word = WORDS[asked] ?? asked;
		if (kind !== "labels" || asked === "macro_f1" || asked === "accuracy") return word;
		return positive === null ? `micro-${word}, which is accuracy here,` : `${word} of ${quoted(positive)}`;
	}

	/* Per run the columns whose sums the metric needs, unit by unit. */
	function tablesOf(held, metric) {
		if (held.kind === "numbers")
			return held.runs.map((run) =>
				rowsOf(2, run, (value) => [
					[0, value],
					[1, 1],
				]),
			);
		if (held.kind === "labels") return held.runs.map((run) => rowsOfLabels(held, run, metric));
		if (!held.byClass || metric.name === "macro_f1") return held.runs;
		return held.runs.map((run) =>
			run.addUp([...Array(run.length).keys()], run.length, {
				width: 3,
				place: (column) => Math.floor((3 * column) / run.width),
			}),
		);
	}
	function rowsOf(width, values, pairs) {
		const rows = new Rows(width);
		values.forEach((value, i) => rows.add(pairs(value, i)));
		return rows.done();
	}
	function rowsOfLabels({ classes, right, positive }, run, metric) {
		const k = classes.length;
		if (metric.name === "macro_f1") {
			return rowsOf(3 * k, run, (said, i) =>
				said === right[i]
					? [[said, 1]]
					: said < 0
						? [[2 * k + right[i], 1]]
						: [
								[k + said, 1],
								[2 * k + right[i], 1],
							],
			);
		}
		if (metric.name === "accuracy" || positive === null) {
			return rowsOf(3, run, (said, i) =>
				said === right[i]
					? [[0, 1]]
					: [
							[1, 1],
							[2, 1],
						],
			);
		}
		const place = classes.indexOf(positive);
		return rowsOf(3, run, (said, i) => {
			const [found, is] = [said === place, right[i] === place];
			return [
				[0, Number(found && is)],
				[1, Number(found && !is)],
				[2, Number(!found && is)],
			];
		});
	}

	// --- Systems on the same units ---
	/* Systems on the same units, matched, added up by group, and measured; what cannot be compared is refused. */
	function together(
		given,
		{
			metric = null,
			unmatched = "refuse",
			notes: more = true,
			sharedRuns = false,
			bounded = null,
			otherwise = [],
		} = {},
	) {
		choice("unmatched", unmatched, ["refuse", "drop"]);
		const names = given.map(({ name }) => name);
		refuseOtherKinds(given, metric);
		const [units, dropped] = matched(given, unmatched, otherwise),
			[results, shared] = pairedRuns(units, sharedRuns),
			n = lengthOf(results[0]);
		if (n < 2) throw new InputError({ system: names[0], expected: `at least two units, got ${n}` });
		const held = inTheSameClasses(results.map((one) => one.held));
		refuseOtherGold(names, held, results[0].ids);
		const asked = metric ?? metricOfResults(results[0]);
		const chosen = held.map((own, i) => metricOf(names[i], own, asked)).at(-1);
		const tables = held.map((own) => tablesOf(own, chosen));
		refuseOtherGroups(names, results);
		const [codes, groups] = codesOf(results[0].groups, n);
		const systems = tables.map((runs, i) => systemOf(names[i], runs, chosen, codes, groups));
		const data = {
			systems,
			tables,
			metric: chosen,
			quantity: results.find((one) => one.quantity)?.quantity ?? "",
			bounded: bounded ?? (chosen.bounded || (chosen.name === "mean" && held.every(within0And1))),
			unit: results[0].unit,
			n_units: n,
			n_groups: groups,
			n_effective: effective(systems, chosen, groups),
			higher: results[0].higher ?? true,
			codes,
			perUnit: perUnitOf(held, chosen),
			sharedRuns: shared,
		};
		data.rightOrWrong = rightOrWrong(data);
		data.resampled = groups < n ? "groups" : plural(data.unit);
		data.word = chosen.word + (data.quantity && chosen.name === "mean" ? ` ${data.quantity}` : "");
		data.notes = more ? notesOf(data, results, dropped) : [];
		if (more && dropped) data.notes.push(...notAtRandom(given, results, chosen));
		return data;
	}
	const lengthOf = ({ held }) => (held.right ?? held.runs[0]).length;
	const within0And1 = ({ kind, runs }) =>
		kind === "numbers" && runs.every((run) => run.every((value) => value >= 0 && value <= 1));

	/* Of each system one number per unit, the mean over runs, where the metric is the mean of such numbers. */
	function perUnitOf(held, metric) {
		const found = held.map((own) => runsPerUnit(own, metric));
		if (found.includes(null)) return null;
		return found.map((runs) => Array.from(runs[0], (_, i) => mean(runs.map((run) => run[i]))));
	}
	function runsPerUnit({ kind, runs, right, positive }, { name }) {
		if (kind === "numbers") return runs;
		if (kind === "labels") {
			if (name === "macro_f1" || (name !== "accuracy" && positive !== null)) return null;
			return runs.map((run) => Array.from(run, (said, i) => Number(said === right[i])));
		}
		if (name !== "accuracy") return null;
		const found = runs.map((run) => Array.from({ length: run.length }, (_, i) => oneLabel(run, i)));
		return found.some((run) => run.includes(null)) ? null : found;
	}
	/* Right or wrong of a unit with one label; null for any other. */
	function oneLabel(run, unit) {
		const parts = [0, 0, 0];
		for (const [column, value] of run.pairs(unit)) parts[Math.floor((3 * column) / run.width)] += value;
		return parts[0] + parts[2] === 1 ? parts[0] : null;
	}
	/* Whether each unit stands for itself and is 1 or 0 in the only run of every system. */
	function rightOrWrong({ perUnit, systems, n_groups: groups, n_units: units }) {
		if (perUnit === null || groups < units || systems.some(({ values }) => values.length > 1)) return false;
		return perUnit.every((own) => own.every((value) => value === 0 || value === 1));
	}

	/* What was decided on the way, and what to beware of. */
	function notesOf(data, results, dropped) {
		const names = results.map(({ name }) => name),
			own = new Set(results.flatMap(({ notes }) => notes));
		const numbers = results[0].held.kind === "numbers",
			byIds = results.every(({ ids }) => ids !== null);
		return [
			...(dropped ? [`${count(dropped)} ${plural("item", dropped)} without a match left out.`] : []),
			...own,
			...(data.metric.name === "macro_f1" ? rareClasses(data) : []),
			...(numbers && names.length > 1 && !byIds
				? sameItems(
						names,
						results.map(({ held }) => held.runs[0]),
					)
				: []),
			// The shares of a vote add up to 1: two of them never agree but in a tie.
			...(names.length === 2 && data.rightOrWrong && data.unit !== "vote" ? onlyDiffering(data) : []),
			...uneven(data),
			...(data.sharedRuns ? [] : fewRuns(data.systems.map(({ values }) => values.length))),
			...(sameTwo(results)
				? ["Both have the same two runs, too few to pair: taken as separate."]
				: []),
		];
	}

	// --- Runs that both share: betterthan._crossed ---
	const namesOfRuns = (one) => one.runNames ?? [];
	const alike = (a, b) => a.length === b.length && [...a].sort().every((name, i) => name === [...b].sort()[i]);

	/* The systems with their runs in one order, and whether they share them: as asked, or by name. */
	function pairedRuns(results, asked) {
		const own = results.map(namesOfRuns),
			same = own.every((names) => names.length > 0 && alike(names, own[0]));
		if (asked === null && (!same || own[0].length < FEWEST_RUNS)) return [results, false];
		if (asked === false) return [results, false];
		if (asked) refuseOtherRuns(results, same);
		return [same ? results.map((one) => runsInOrder(one, own[0])) : results, true];
	}
	function refuseOtherRuns(results, same) {
		const [first] = results,
			runs = first.held.runs.length,
			separate = [say("shared_runs", false, "to take them as separate")];
		const refuse = (expected, ways = []) => {
			throw new InputError({ argument: "shared_runs", value: true, expected, ways });
		};
		for (const one of results) {
			if (one.held.runs.length !== runs) {
				refuse(
					`as many runs for all systems, but ${first.name} has ${runs} and ${one.name} ${one.held.runs.length}`,
				);
			}
			const [here, there] = [namesOfRuns(one), namesOfRuns(first)];
			if (here.length && there.length && !same && !alike(here, there)) {
				refuse(
					`the same runs for all systems, but those of ${first.name} are ${Compare.someOf(there)} and those of ${one.name} ${Compare.someOf(here)}`,
					separate,
				);
			}
		}
		if (runs < FEWEST_RUNS) {
			refuse(
				`three runs or more that both share, got ${runs}; two say next to nothing about how the difference moves from run to run`,
				runs > 1 ? separate : [],
			);
		}
	}
	function runsInOrder(one, wanted) {
		const place = wanted.map((name) => one.runNames.indexOf(name));
		return {
			...one,
			runNames: wanted,
			held: { ...one.held, runs: place.map((k) => one.held.runs[k]) },
		};
	}
	/* Whether the systems share two runs by name, which are too few to be paired. */
	function sameTwo(results) {
		const own = results.map(namesOfRuns);
		return results.length > 1 && own[0].length === 2 && own.every((names) => alike(names, own[0]));
	}

	/* Systems must agree in direction, metric, quantity and unit; both are named where not. */
	function refuseOtherKinds([first, ...others], metric) {
		const direction = ({ higher }) => (higher === false ? "lower is better" : "higher is better");
		for (const own of others) {
			if (direction(own) !== direction(first)) {
				throw new InputError({
					problem: `${own.name}: ${direction(own)}, but of ${first.name} ${direction(first)}`,
				});
			}
			const [a, b] = [metricOfResults(first), metricOfResults(own)];
			if (metric === null && a !== b) {
				throw new InputError({
					problem: `${own.name}: its metric is ${b}, but that of ${first.name} is ${a}`,
					ways: [say("metric")],
				});
			}
			if (first.quantity && own.quantity && own.quantity !== first.quantity) {
				throw new InputError({
					problem: `${own.name}: holds ${own.quantity}, but ${first.name} holds ${first.quantity}`,
					expected: "the same for both",
				});
			}
			if (own.unit !== first.unit && own.unit !== "item" && first.unit !== "item") {
				throw new InputError({
					problem: `${own.name}: its units are ${plural(own.unit)}, but those of ${first.name} are ${plural(first.unit)}`,
					expected: "the same for both",
				});
			}
		}
	}

	/* All systems on the units of the first, in its order; how many units are left out. */
	function matched(results, unmatched, otherwise) {
		const ids = results.map((one) => one.ids);
		if (ids.includes(null)) {
			for (const one of results) {
				if (lengthOf(one) === lengthOf(results[0])) continue;
				const first = results[0];
				const expected = `as many units as ${first.name} has (${count(lengthOf(first))}), got ${count(lengthOf(one))}`;
				throw new InputError({ system: one.name, expected, ways: otherwise });
			}
			return [results, 0];
		}
		if (ids.every((own) => own.length === ids[0].length && own.every((id, i) => id === ids[0][i])))
			return [results, 0];
		const sets = ids.map((own) => new Set(own)),
			common = ids[0].filter((id) => sets.every((own) => own.has(id)));
		if (unmatched === "refuse" || !common.length) refuseUnmatched(results, new Set(common), otherwise);
		const all = new Set(ids.flat()),
			dropped = all.size - common.length;
		return [
			results.map((one, i) => {
				const place = new Map(ids[i].map((id, row) => [id, row]));
				return Compare.takeRows(
					one,
					common.map((id) => place.get(id)),
				);
			}),
			dropped,
		];
	}
	function refuseUnmatched(results, common, otherwise) {
		const drop = common.size ? [say("unmatched", "drop", "to leave them out")] : [];
		for (const one of results) {
			const { name, ids } = one,
				others = results.filter((other) => other !== one).map((other) => other.ids);
			const extra = ids.filter((id) => !common.has(id));
			if (!extra.length) continue;
			const are = extra.length === 1 ? "item is" : "items are";
			throw new InputError({
				problem: `${name}: ${count(extra.length)} ${are} not in all systems, such as ${extra.slice(0, 5).map(quoted).join(", ")}${Compare.butForCase(extra, others)}`,
				expected: "the same ids everywhere",
				ways: [...drop, ...otherwise],
			});
		}
	}

	/* Labels of several systems in one list of classes. */
	function inTheSameClasses(held) {
		if (!held.every(({ kind }) => kind === "labels")) return held;
		const classes = [...new Set(held.flatMap((own) => own.classes))].sort(byLetters),
			place = new Map(classes.map((name, i) => [name, i]));
		return held.map((own) => {
			const moved = (codes) => codes.map((code) => (code < 0 ? -1 : place.get(own.classes[code])));
			return { ...own, classes, right: moved(own.right), runs: own.runs.map(moved) };
		});
	}
	/* Refuse what was counted against another gold standard. */
	function refuseOtherGold(names, held, ids) {
		const kinds = [...new Set(held.map(({ kind }) => kind))].sort();
		if (kinds.length > 1)
			throw new InputError({
				system: names.at(-1),
				expected: `results of one kind, got ${kinds.join(" and ")}`,
			});
		if (kinds[0] !== "labels") return;
		const [{ right, classes }] = held;
		held.forEach((own, k) => {
			const i = own.right.findIndex((code, row) => code !== right[row]);
			if (i < 0) return;
			const expected =
				`the same gold classes as ${names[0]}, but ${ids === null ? i : shown(ids[i])} is ` +
				`${shown(classes[right[i]], 40)} there and ${shown(classes[own.right[i]], 40)} here`;
			throw new InputError({ system: names[k], expected });
		});
	}
	/* All systems must have the same groups, or none. */
	function refuseOtherGroups(names, results) {
		const [first] = results;
		results.forEach((own, k) => {
			const none = own.groups === null || first.groups === null,
				row = none ? -1 : own.groups.findIndex((label, i) => label !== first.groups[i]);
			if (none ? own.groups === first.groups : row < 0) return;
			const other = none
				? `${first.groups === null ? names[0] : names[k]} has none`
				: `${first.unit} ${shown(first.ids === null ? String(row + 1) : first.ids[row])} is in ` +
					`${shown(String(first.groups[row]), 40)} of ${names[0]} and in ${shown(String(own.groups[row]), 40)} of ${names[k]}`;
			const expected = `the same groups everywhere, but ${other}`,
				column = own.groupedBy || first.groupedBy;
			if (!column) throw new InputError({ argument: "groups", expected });
			const problem = `the column ${shown(column)} says what they belong to`; // by its name, perhaps
			const ways = [say("ignore", column, "if it does not matter", "groups")];
			throw new InputError({ column, problem, expected, ways });
		});
	}

	/* The number of each unit's group, and how many groups there are. */
	function codesOf(groups, n) {
		if (groups === null) return [[...Array(n).keys()], n];
		const seen = new Map(),
			codes = groups.map((label) => seen.get(label) ?? (seen.set(label, seen.size), seen.size - 1));
		if (seen.size < 2) {
			const expected = `at least two groups, got one (${typeof groups[0] === "string" ? quoted(groups[0]) : groups[0]}); one group says nothing about how others would turn out, and without groups its units count one by one`;
			throw new InputError({ argument: "groups", expected });
		}
		return [codes, seen.size];
	}

	/* One system: per run the sums of each group, the metric, and the metric without each group. */
	function systemOf(name, tables, { of, name: metric }, codes, groups) {
		const sums = tables.map((table) => table.addUp(codes, groups)),
			values = sums.map(({ whole }) => of(whole));
		if (!values.every(Number.isFinite)) {
			const problem = `${name}: the metric ${quoted(metric)} is undefined: there is nothing to divide by (nothing was found, or there was nothing to find)`;
			throw new InputError({ problem });
		}
		return { sums, values, deleted: sums.map((own, run) => withoutEach(own, of, values[run])) };
	}
	/* The metric without each group in turn; where that leaves nothing, the score stays. */
	function withoutEach({ starts, where, what, whole }, of, value) {
		const left = Float64Array.from(whole);
		return Float64Array.from({ length: starts.length - 1 }, (_, g) => {
			for (let i = starts[g]; i < starts[g + 1]; i++) left[where[i]] = whole[where[i]] - what[i];
			const found = of(left);
			for (let i = starts[g]; i < starts[g + 1]; i++) left[where[i]] = whole[where[i]];
			return Number.isFinite(found) ? found : value;
		});
	}

	/* Kish's effective number of groups, by what each weighs in the metric. */
	function effective(systems, { rule }, groups) {
		const weights = new Float64Array(groups),
			runs = systems.flatMap(({ sums }) => sums);
		const weigh = (column, width) =>
			rule === "mean" ? column : WEIGHTS[rule][Math.floor((3 * column) / width)];
		for (const { starts, where, what, width } of runs) {
			for (let g = 0; g < groups; g++) {
				for (let i = starts[g]; i < starts[g + 1]; i++)
					weights[g] += (weigh(where[i], width) * what[i]) / runs.length;
			}
		}
		return sum(weights) ** 2 / sum(weights.map((weight) => weight * weight));
	}

	// --- What to beware of ---
	/* A warning where a system's results go with nobody else's; hard items are hard for all. */
	function sameItems(names, results) {
		const near = results.map((own, i) =>
			results.filter((_, j) => j !== i).map((other) => unlike(own, other)),
		);
		const alone = [...names.keys()].filter((i) => near[i].every((words) => words));
		if (!alone.length) return [];
		return [
			`The results of ${alone.map((i) => names[i]).join(" and ")} are hardly related to ${names.length === 2 ? "each other" : "any other"} ` +
				`(${near[alone[0]][0]}): are these the same items in the same order?`,
		];
	}
	/* How little two rows go together, in words; "" where they may be of the same items. */
	function unlike(a, b) {
		const upper = [a, b].map(upperPart),
			halved = upper.every((own) => Math.abs(mean(own) - 0.5) < HALVED);
		if (halved && [a, b].every((own) => new Set(own).size > 2)) {
			const found = correlation(ranks(a), ranks(b)),
				furthest = Math.abs(found) + 1.645 / Math.sqrt(a.length);
			return furthest < SAME_ITEMS_RANKED ? `rank correlation ${fixed(found, 2)}` : "";
		}
		const [ratio, furthest] = oddsRatio(...upper);
		return furthest < SAME_ITEMS ? `odds ratio ${fixed(ratio, 2)}` : "";
	}
	/* 1 for those above the median; where none is, for those at it. */
	function upperPart(values) {
		const sorted = Float64Array.from(values).sort(),
			n = sorted.length,
			middle = n % 2 ? sorted[(n - 1) / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
		const above = Array.from(values, (value) => Number(value > middle));
		return above.includes(1) ? above : Array.from(values, (value) => Number(value >= middle));
	}
	/* The odds ratio of two rows of 1 and 0, and how far from 1 it may be at 95 %, either way. */
	function oddsRatio(a, b) {
		const cells = [0.5, 0.5, 0.5, 0.5]; // both, neither, only a, only b
		a.forEach((own, i) => cells[own ? (b[i] ? 0 : 2) : b[i] ? 3 : 1]++);
		const ratio = (cells[0] * cells[1]) / (cells[2] * cells[3]),
			spread = Math.sqrt(sum(cells.map((cell) => 1 / cell)));
		return [ratio, Math.exp(Math.abs(Math.log(ratio)) + 1.645 * spread)];
	}
	/* The place of each value among all, the mean of places where values are the same. */
	function ranks(values) {
		const order = [...values.keys()].sort((i, j) => values[i] - values[j]),
			found = new Float64Array(values.length);
		for (let from = 0; from < order.length; ) {
			let to = from;
			while (to + 1 < order.length && values[order[to + 1]] === values[order[from]]) to++;
			for (let k = from; k <= to; k++) found[order[k]] = 1 + (from + to) / 2;
			from = to + 1;
		}
		return found;
	}
	function correlation(a, b) {
		const [first, second] = [a, b].map((own) => {
			const middle = mean(own);
			return own.map((value) => value - middle);
		});
		const product = (x, y) => x.reduce((total, value, i) => total + value * y[i], 0);
		return product(first, second) / Math.sqrt(product(first, first) * product(second, second));
	}
	/* Whether every unit counts for itself, as 1 or 0. */
	function onesAndZeros({ tables, metric, n_groups: groups, n_units: units }) {
		const runs = tables.flat(),
			width = runs[0].width;
		if (groups < units || !(width === 2 || (metric.name === "accuracy" && width === 3))) return false;
		return runs.every((run) =>
			Array.from({ length: run.length }, (_, row) => new Map(run.pairs(row))).every((own) => {
				const first = own.get(0) ?? 0;
				return (first === 0 || first === 1) && (width === 2 || first + (own.get(2) ?? 0) === 1);
			}),
		);
	}
	const firstColumn = (rows) =>
		Array.from({ length: rows.length }, (_, row) => new Map(rows.pairs(row)).get(0) ?? 0);

	/* A warning where right-or-wrong answers never agree: were those that do left out? */
	function onlyDiffering({ tables }) {
		const [a, b] = tables.map(([run]) => firstColumn(run));
		if (a.length < NEVER_AGREE || a.some((value, i) => value === b[i])) return [];
		return [
			"The two agree on none of the items: if those on which they agree were left out, put them back, because the difference is too large without them.",
		];
	}
	/* A word where an interval is wide because a few groups are most of the data. */
	function uneven({ n_groups: groups, n_effective: worth, resampled }) {
		return worth > WORTH_LITTLE || groups <= 2 * worth
			? []
			: [`The ${resampled} are so uneven that they are worth ${fixed(worth, 1)} equal ones, which is few.`];
	}
	/* A warning where macro-F1 hangs on classes of which there are hardly any. */
	function rareClasses({ systems, resampled }) {
		const [sums] = systems[0].sums,
			k = sums.width / 3,
			seen = new Array(k).fill(0);
		for (let g = 0; g < sums.length; g++) {
			const own = new Set(
				sums
					.pairs(g)
					.map(([column]) => column)
					.filter((column) => column < k || column >= 2 * k)
					.map((column) => column % k),
			);
			for (const one of own) seen[one]++;
		}
		const known = seen.filter((times) => times),
			rare = known.filter((times) => times <= RARE).length;
		if (!rare) return [];
		return [
			`${rare} of ${known.length} classes ${rare === 1 ? "is" : "are"} rare, in at most ${RARE} ${resampled}: with so few, intervals of macro-F1 cover 74-92 %.`,
		];
	}
	/* A warning where a system does otherwise on the units that others do not have. */
	function notAtRandom(given, kept, metric) {
		return given
			.map((one, i) => {
				if (lengthOf(one) === lengthOf(kept[i]) || one.ids === null || kept[i].ids === null) return "";
				const have = new Set(kept[i].ids),
					rows = [...one.ids.keys()],
					whole = contributionsOf(one, metric);
				const parts = [true, false].map((own) => {
					const chosen = rows.filter((row) => have.has(one.ids[row]) === own);
					return [valueOf(Compare.takeRows(one, chosen), metric), chosen.map((row) => whole[row])];
				});
				return parts.every(([value]) => Number.isFinite(value)) ? leftOut(one.name, ...parts) : "";
			})
			.filter((text) => text);
	}
	const valueOf = ({ held }, metric) => mean(tablesOf(held, metric).map(({ whole }) => metric.of(whole)));
	function contributionsOf({ held }, metric) {
		const runs = tablesOf(held, metric).map((table) => withoutEach(table, metric.of, 0));
		return Array.from(runs[0], (_, unit) => -mean(runs.map((own) => own[unit])));
	}
	function leftOut(name, [keptValue, kept], [droppedValue, dropped]) {
		const spread =
			Math.sqrt(variance([...kept, ...dropped])) * Math.sqrt(1 / kept.length + 1 / dropped.length);
		if (spread === 0 || Math.min(kept.length, dropped.length) < 2) return "";
		const away = Math.abs(mean(dropped) - mean(kept)) / spread;
		if (2 * (1 - Explore.stats.normalCdf(away)) > 0.05) return "";
		return (
			`What was left out is not like the rest: ${name} has ${Compare.number(droppedValue)} there and ` +
			`${Compare.number(keptValue)} on what was kept, so answers are hardly missing at random.`
		);
	}
	/* A warning where units without groups follow one another in blocks or in time. */
	function inOrder(data, { contributions }) {
		if (data.n_groups < data.n_units) return [];
		const n = contributions.length,
			differ = contributions.filter((value) => value !== 0).length;
		if (differ ** 2 < 4 * n || data.systems.some((_, s) => isSorted(eachOf(data, s)))) return [];
		const middle = mean(contributions),
			away = contributions.map((value) => value - middle);
		const total = away.reduce((added, value) => added + value * value, 0);
		if (total === 0) return [];
		const together = away.reduce((added, value, i) => (i ? added + value * away[i - 1] : 0), 0) / total;
		if (together * Math.sqrt(n) <= IN_ORDER) return [];
		return [
			`Neighbouring rows resemble each other (correlation ${fixed(together, 2)}): if rows come in blocks, documents or over time, say so as groups, or this interval is too narrow.`,
		];
	}
	/* The metric of a system on every unit alone, the mean over runs. */
	function eachOf({ tables, metric, n_units: n }, system) {
		const runs = tables[system],
			sums = new Float64Array(runs[0].width);
		return Array.from({ length: n }, (_, row) =>
			mean(
				runs.map((run) => {
					sums.fill(0);
					for (const [column, value] of run.pairs(row)) sums[column] = value;
					return metric.of(sums);
				}),
			),
		);
	}
	const isSorted = (values) =>
		values.every((value, i) => !i || value >= values[i - 1]) ||
		values.every((value, i) => !i || value <= values[i - 1]);

	/* A warning where runs are too few to say how results move from run to run. */
	function fewRuns(runs) {
		const found = [];
		if (runs.includes(2) || (runs.length === 1 && runs[0] === 3)) {
			// a difference of three runs each keeps its promise
			found.push(
				`${runs.includes(2) ? "Two" : "Three"} runs say little about how results move from run to run (such intervals cover 89-95 %).`,
			);
		}
		if (Math.max(...runs) > 1 && Math.min(...runs) === 1) {
			found.push("A single run: its results are assumed to vary from run to run like the other's.");
		}
		return found;
	}
	/* A warning where results are so skewed that their number does not make up for it; of two systems those
		 groups count on which they differ. */
	function skewed(data, { skew, contributions }, systems = null) {
		if (data.tables[0][0].width === 3 || data.metric.name === "macro_f1" || onesAndZeros(data)) return [];
		const counted = systems
			? contributions.filter((_, g) => systems[0].sums.some((a) => systems[1].sums.some((b) => !a.same(g, b))))
			: contributions;
		// What rounding leaves of the mean is not above it.
		const largest = Math.max(...counted.map(Math.abs));
		const above = counted.filter((value) => value > 1e-9 * largest).length / counted.length;
		if (skew <= SKEWED || !counted.length || Math.abs(above - 0.5) < LEANING) return [];
		const share = data.n_groups <= FEW ? "four in ten" : "a fifth";
		return [`Results are very skewed: such intervals miss in up to ${share} of the cases.`];
	}

	// Words in the names of columns of which less is usually better.
	const LESS_IS_BETTER = new Set(
		(
			"second seconds sec secs ms msec millisecond milliseconds latency latencies time duration " +
			"runtime delay cost costs price usd eur error errors loss losses penalty penalties perplexity " +
			"ppl wer cer ter rmse mae mse"
		).split(" "),
	);
	/* A warning where more was taken to be better, and nobody said so of what less may be. */
	function directionTaken(asked, results, data, ratio = false) {
		const said = asked !== null || results.some(({ higher }) => typeof higher === "boolean");
		if (said || data.metric.name !== "mean") return [];
		const taken = "More is taken to be better";
		for (const { name } of results) {
			const words = (name.match(/[A-Z]*[a-z]+|[A-Z]+/g) ?? []).map((part) => part.toLowerCase());
			if (words.some((word) => LESS_IS_BETTER.has(word)) && !words.includes("per"))
				return [`${taken}, though ${quoted(name)} sounds as if less were.`];
		}
		return ratio ? [`${taken}, which is wrong for seconds and costs.`] : [];
	}

	Object.assign(Compare, {
		directionTaken,
		OF_COUNTS,
		OF_NUMBERS,
		Rows,
		together,
		refuseOtherKinds,
		metricOfResults,
		skewed,
		inOrder,
		sum,
		mean,
		variance,
	});
})();
