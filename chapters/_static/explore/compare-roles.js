/* Compare two files here: which column plays which role. The rule is written down in
	 betterthan/readers/_roles.py, and this is the same rule, function by function; tests/contract/ holds
	 cases that both must decide alike. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const {
		InputError,
		byLetters,
		count,
		general,
		insteadOf,
		isNumber,
		quoted,
		say,
		shown,
		someOf,
		strip,
	} = Compare;

	// What pandas and R call the numbers of the rows.
	const NAMELESS = new Set(["", "unnamed:_0", "index"]);
	const IDS = new Set([
		...NAMELESS,
		"dataset",
		"document",
		"example",
		"id",
		"idx",
		"instance",
		"item",
		"key",
		"name",
		"qid",
		"query",
		"question",
		"row",
		"sample",
		"seg",
		"segment",
		"sentence",
		"task",
		"uid",
		"uuid",
	]);
	const GROUPS = new Set([
		"article",
		"author",
		"author_id",
		"cluster",
		"cluster_id",
		"contest",
		"contest_id",
		"conversation",
		"conversation_id",
		"dialogue",
		"dialogue_id",
		"doc",
		"doc_id",
		"document",
		"document_id",
		"group",
		"group_id",
		"groups",
		"passage",
		"passage_id",
		"repo",
		"repository",
		"session",
		"session_id",
		"shop",
		"speaker",
		"story",
		"talk",
		"task",
		"thread",
		"user",
		"user_id",
	]);
	// In the order in which they are believed.
	const GOLD = [
		"gold",
		"gold_label",
		"y_true",
		"truth",
		"target",
		"reference",
		"expected",
		"correct_answer",
		"label",
		"answer",
	];
	// Folds of a cross-validation; where rows are items, no scores and nothing to ask about.
	const FOLDS = ["fold", "cv", "cv_fold", "split"];
	const NUMBERED = new Set([...FOLDS, "repetition"]);
	const MODELS = ["system", "model", "system_name", "model_name"];
	const RUNS = ["seed", "run", "epoch", "rater", "judge", "annotator", "template", "trial"];
	const SCORES = new Set(["score", "scores", "value", "correct", "is_correct", "result", "success"]);
	// More columns of numbers than these are something else: embeddings, counts of words.
	const MOST_SYSTEMS = 100;

	/* A column's name as it is looked up. */
	const plain = (name) => strip(name).toLowerCase().replaceAll(" ", "_").replaceAll("-", "_");
	const isId = (name) => IDS.has(plain(name)) || plain(name).endsWith("_id");
	const listed = (names) => someOf(names.map(quoted), 4);
	const without = (names, gone) => names.filter((name) => !gone.has(name));

	/* What the caller says of a table: {key, groups, gold} or null, {systems, ignore, runs} lists, and
		 {where} pairs. */
	function askedOf(options) {
		const list = (argument) => {
			const given = options[argument] ?? [],
				names = typeof given === "string" ? [given] : [...given];
			if (new Set(names).size < names.length)
				throw new InputError({ argument, value: names, expected: "different names of columns" });
			return names;
		};
		return {
			key: options.key ?? null,
			groups: options.groups ?? null,
			gold: options.gold ?? null,
			systems: list("systems"),
			ignore: list("ignore"),
			runs: list("runs"),
			where: Object.entries(options.where ?? {}).map(([name, value]) => [name, String(value)]),
		};
	}
	/* The same with columns called as one of several tables calls them: not all have what is to be ignored. */
	function askedOfTable(asked, table) {
		const called = (name) => (name === null ? null : table.called(name)),
			all = (names) => [...new Set(names.map(called))];
		return {
			...asked,
			key: called(asked.key),
			groups: called(asked.groups),
			gold: called(asked.gold),
			systems: all(asked.systems),
			ignore: all(asked.ignore).filter((name) => table.has(name)),
			where: asked.where.map(([name, value]) => [called(name), value]),
		};
	}

	/* Each column that is named, with the argument that names it. */
	function saidColumns(asked) {
		const single = ["key", "groups", "gold"]
			.filter((argument) => asked[argument] !== null)
			.map((argument) => [argument, asked[argument]]);
		return [
			...single,
			...asked.ignore.map((name) => ["ignore", name]),
			...asked.where.map(([name]) => ["where", name]),
		];
	}
	const explicit = (asked) => new Set([...saidColumns(asked).map(([, name]) => name), ...asked.systems]);
	const unsaid = (left, asked) => without(left, explicit(asked));

	/* The role of every column; what is not clear is refused with the ways on. */
	function findRoles(table, asked) {
		const left = without(table.names, new Set(asked.ignore));
		const model = modelColumn(table, asked, left);
		refuseWrongNames(table, asked, model);
		const long = model !== null || isOfRuns(table, asked, left);
		return long ? longRoles(table, asked, left, model) : wideRoles(table, asked, left);
	}

	/* The column that makes a table long: it names systems, and they come again. */
	function modelColumn(table, asked, left) {
		const name = named(unsaid(left, asked), MODELS);
		if (name === null || !table.column(name).repeats) return null;
		// Patterns of columns are runs of a wide table.
		return asked.runs.some((one) => !table.has(one)) ? null : name;
	}

	/* Columns that are named must be there, and each may have one role. */
	function refuseWrongNames(table, asked, model) {
		const seen = new Map(),
			said = saidColumns(asked);
		if (model === null) said.push(...asked.systems.map((name) => ["systems", name]));
		else refuseOtherModels(table, asked, model);
		for (const [argument, name] of said) {
			table.need(argument, name);
			const before = seen.get(name) ?? argument;
			if (before !== argument && before !== "where" && argument !== "where") {
				throw table.fault({
					problem: `the column ${shown(name)} is ${argument} and ${before}`,
					expected: "one of the two",
				});
			}
			seen.set(name, argument);
		}
	}
	function refuseOtherModels(table, asked, model) {
		const known = table.column(model).distinct;
		for (const name of asked.systems) {
			if (known.has(name)) continue;
			const expected = `one of ${someOf([...known].sort(byLetters), 12)} in ${shown(model, 40)}${Compare.isIt(name, known)}`;
			throw new InputError({ argument: "systems", value: name, expected });
		}
	}

	/* The columns of these names, in the order of the names. */
	function allNamed(left, known) {
		const byPlain = new Map(left.map((name) => [plain(name), name]));
		return known.filter((one) => byPlain.has(one)).map((one) => byPlain.get(one));
	}
	const named = (left, known) => allNamed(left, known)[0] ?? null;

	/* The cells of some columns side by side, as one string per row. */
	function combined(table, names) {
		const columns = names.filter((name) => name !== null).map((name) => table.cells(name));
		return table.lines.map((_, row) => JSON.stringify(columns.map((cells) => cells[row])));
	}
	/* Whether every row has another combination of values in these columns, none of them blank. */
	function differTogether(table, ...names) {
		if (names.some((name) => name !== null && table.column(name).blanks)) return false;
		return new Set(combined(table, names)).size === table.length;
	}

	// --- Wide: one row per item ---
	function wideRoles(table, asked, left) {
		refuseNamesAsGroups(table, asked);
		const said = asked.where.map(([name]) => name),
			runs = runsByPattern(table, asked, left);
		const ofRuns = [...runs.values()].flat();
		const gold = goldColumn(table, asked, without(left, new Set(ofRuns)));
		const taken = new Set([gold, asked.key, ...asked.systems, ...ofRuns, ...said]);
		const groups = asked.groups ?? groupsByName(table, left, taken);
		taken.add(groups);
		const key = asked.key ?? keyColumn(table, left, taken, gold, groups);
		taken.add(key);
		const rest = without(left, taken),
			counting = gold === null ? countingColumns(table, unsaid(left, asked)) : [];
		const systems = asked.systems.length
			? asked.systems
			: ofRuns.length
				? ofRuns
				: systemColumns(table, rest, gold, groups, counting);
		const others = without(rest, new Set(systems));
		if (groups === null) askAbout(table, without(others, likeSystems(table, others, gold)), gold);
		const kept = new Set(without([...others, ...said], new Set([...systems, gold, groups, key])));
		const extra = left.filter((name) => kept.has(name));
		return {
			key,
			groups,
			gold,
			systems,
			model: null,
			run: null,
			runs,
			extra,
			ignored: asked.ignore,
			counting,
			ofModel: (runs.size || systems.length) === 1 ? ofOneModel(table, extra) : null,
			isLong: false,
		};
	}

	/* The column that says of which model all rows are, and what it says. */
	function ofOneModel(table, extra) {
		for (const name of allNamed(extra, MODELS)) {
			const [value, ...others] = table.column(name).distinct;
			if (value && !others.length) return [name, value];
		}
		return null;
	}

	/* Columns that number the rows by their contents alone, and so may be scores after all. */
	const countingColumns = (table, names) => notByName(names).filter((name) => table.column(name).risesByOne);

	/* Columns that are runs of one system, by pattern: a_seed* are the runs of a. */
	function runsByPattern(table, asked, left) {
		const found = new Map();
		for (const pattern of asked.runs) {
			const matches = matcher(pattern),
				own = left.filter((name) => matches.test(name));
			if (!own.length) {
				throw new InputError({
					argument: "runs",
					value: pattern,
					expected: `a pattern of columns: ${someOf(table.shownNames, 12)}`,
				});
			}
			const again = own.find((name) => [...found.values()].some((others) => others.includes(name)));
			if (again !== undefined) {
				const problem = `the column ${shown(again)} is a run of two systems`;
				throw new InputError({
					argument: "runs",
					value: asked.runs,
					problem,
					expected: "patterns that share none",
				});
			}
			found.set(pattern.replace(/[*?[\]]/g, "").replace(/^[_\-. ]+|[_\-. ]+$/g, "") || pattern, own);
		}
		return found;
	}
	/* A pattern of names as shells have it: * is anything, ? one letter, [ab] one of these. */
	function matcher(pattern) {
		const part = /\*|\?|\[!?\]?[^\]]*\]|[^]/gu;
		const written = (one) => {
			if (one === "*") return "[^]*";
			if (one === "?") return "[^]";
			if (one.length > 2 && one.startsWith("["))
				return `[${one
					.slice(1, -1)
					.replace(/[\\\]^[]/g, "\\$&")
					.replace(/^!/, "^")}]`;
			return one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
		};
		return new RegExp(`^${(pattern.match(part) ?? []).map(written).join("")}$`, "u");
	}

	/* The gold standard: as asked, or by its name where another column has its values. */
	function goldColumn(table, asked, left) {
		if (asked.gold !== null) return asked.gold;
		const said = explicit(asked);
		for (const name of allNamed(left, GOLD)) {
			if (said.has(name)) continue;
			const free = notByName(left.filter((other) => other !== name)).filter(
				(other) => !table.column(other).risesByOne,
			);
			const labels = free.filter((other) => isLabel(table.column(other), table.column(name)));
			if (labels.length) refuseRightAndWrong(table, name, labels);
			if (labels.length || plain(name) === "gold") return name;
		}
		return null;
	}

	const isZeroOne = (column) => [...column.values].every((cell) => cell === "0" || cell === "1");

	/* Whether a column holds labels like those of the gold standard. */
	function isLabel(column, gold) {
		const known = gold.distinct,
			values = [...column.values];
		if (!column.isNumber) return values.some((cell) => known.has(cell));
		if (isZeroOne(column)) return values.every((cell) => known.has(cell));
		return 2 * column.cells.filter((cell) => known.has(cell)).length >= column.length;
	}

	/* 0 and 1 beside a gold standard of more numbers: two of its classes, or wrong and right? */
	function refuseRightAndWrong(table, gold, labels) {
		const right = table.column(gold);
		if (!right.isNumber || isZeroOne(right) || !labels.every((name) => isZeroOne(table.column(name)))) return;
		throw table.fault({
			problem: `${listed(labels)} have 0 and 1 only, but ${shown(gold)} other numbers, too`,
			ways: [say("ignore", gold, "if 1 is right and 0 is wrong"), say("gold", gold, "if they are classes")],
		});
	}

	/* A column whose name says what rows belong to, and whose values repeat. */
	function groupsByName(table, left, taken) {
		const found = without(left, taken).filter(
			(name) => GROUPS.has(plain(name)) && table.column(name).repeats,
		);
		if (found.length > 1) {
			const problem = `the columns ${found.slice(0, 3).map(quoted).join(" and ")} may both say what items belong to`;
			throw table.fault({ problem, ways: found.slice(0, 3).map((name) => say("groups", name)) });
		}
		return found[0] ?? null;
	}

	function refuseNamesAsGroups(table, asked) {
		const name = asked.groups;
		if (name !== null)
			refuseGroupsOfOne(table, table.column(name), asked.key === null ? [asKey(name)] : []);
	}
	/* Groups of one item each are none: such a column names the items. */
	function refuseGroupsOfOne(table, column, ways = []) {
		if (column.length < 2 || !column.isDistinct) return;
		throw table.fault({
			argument: "groups",
			value: column.name,
			problem: "every item has another value there, like names of items",
			expected: "values that repeat",
			ways,
		});
	}
	const asKey = (name) => say("key", name, "instead, if it names the items", "groups");

	/* The column that names the rows: by its name, by its numbers, or the first text that does. */
	function keyColumn(table, left, taken, gold, groups) {
		const free = without(left, taken),
			byName = free.filter((name) => isId(name) && namesRows(table, name, groups));
		// Names that need no group first, and pandas' own numbers last.
		const place = (name) => 2 * Number(NAMELESS.has(plain(name))) + Number(!table.column(name).isDistinct);
		if (byName.length) return byName.sort((a, b) => place(a) - place(b))[0];
		const numbered = free.find(
			(name) =>
				table.column(name).risesByOne ||
				(groups !== null && table.column(name).beginsAgain && differTogether(table, name, groups)),
		);
		if (numbered !== undefined) return numbered;
		const right = gold === null ? new Set() : table.column(gold).distinct;
		return (
			free.find((name) => {
				const column = table.column(name);
				return (
					column.isText &&
					column.isDistinct &&
					!column.mostlyNumbers &&
					!column.cells.some((cell) => right.has(cell))
				);
			}) ?? null
		);
	}

	/* Whether every row has another value, or every row of a group. */
	function namesRows(table, name, groups) {
		const alone = table.column(name).isDistinct;
		if (alone || groups === null || NAMELESS.has(plain(name)) || GROUPS.has(plain(name))) return alone;
		return differTogether(table, name, groups);
	}

	/* Those whose names do not say that they name rows, folds or what rows belong to. */
	const notByName = (names) =>
		names.filter((name) => !isId(name) && !GROUPS.has(plain(name)) && !NUMBERED.has(plain(name)));

	/* The columns that are systems by their contents. */
	function systemColumns(table, rest, gold, groups, counting) {
		const found =
			gold === null ? systemsOfScores(table, rest, groups, counting) : systemsOfLabels(table, rest, gold);
		if (found.length > MOST_SYSTEMS) {
			const problem = `${count(found.length)} columns may be systems, ${someOf(found, 3)}`;
			throw table.fault({ problem, ways: [say("systems", undefined, "names those that are")] });
		}
		return found;
	}

	/* Those that would be systems by themselves, and need no word where others were chosen. */
	function likeSystems(table, names, gold) {
		const like = (column) => (gold === null ? !column.answers.isText : isLabel(column, table.column(gold)));
		return new Set(notByName(names).filter((name) => like(table.column(name))));
	}

	function systemsOfLabels(table, rest, gold) {
		const right = table.column(gold),
			free = notByName(rest);
		const found = free.filter((name) => isLabel(table.column(name), right)),
			known = new Set(found);
		for (const name of free) {
			const column = table.column(name);
			const some = column.isNumber && [...column.values].some((cell) => right.distinct.has(cell));
			if (some && !known.has(name) && !column.risesByOne) {
				throw table.fault({
					problem: `the column ${shown(name)} has some of the classes of ${shown(gold)}`,
					column: name,
					ways: [say("ignore", name), say("systems", [...found, name], "if it is a system")],
				});
			}
		}
		if (!found.length) {
			const example = right.cells.find((cell) => cell) ?? "";
			const problem = `no column has classes such as ${shown(example)} of the gold standard ${shown(gold)}`;
			throw table.fault({ problem, expected: "one column of labels per system" });
		}
		return found;
	}

	function systemsOfScores(table, rest, groups, counting) {
		const free = notByName(rest);
		table = table.answering(free);
		refuseBroken(table, free);
		const numbers = free.filter((name) => table.column(name).isNumber && !table.column(name).risesByOne);
		const words = free.filter((name) => table.column(name).rightWrong);
		if (numbers.length && words.length) {
			const problem = `${listed(numbers)} are numbers, but ${listed(words)} right or wrong in words`;
			throw table.fault({ problem, ways: [say("systems", numbers), say("systems", words)] });
		}
		if (!numbers.length && !words.length) refuseNoSystems(table, counting);
		refuseNumbering(table, numbers, groups);
		if (numbers.length > 1 && numbers.length <= MOST_SYSTEMS) refuseOtherScales(table, numbers, groups);
		return numbers.length ? numbers : words;
	}

	/* What to say so that whole numbers that rise by one are scores, too. */
	function waysToCounting(table, { systems, counting, isLong }) {
		if (isLong || !counting.length) return [];
		return [wayToCounting(table.names.filter((name) => systems.includes(name) || counting.includes(name)))];
	}
	const wayToCounting = (names) => say("systems", names, "if whole numbers that rise by one are scores");

	function refuseNoSystems(table, counting = []) {
		const found = someOf(table.shownNames, 12);
		const alone = table.columns.size === 1 ? [say("separator", undefined, "if that is another")] : [];
		throw table.fault({
			problem: `found no column of scores in ${found}`,
			expected: "numbers, right or wrong in words, or a gold column and labels",
			ways: [...alone, ...(counting.length ? [wayToCounting(counting)] : []), say("gold")],
		});
	}

	/* A column of numbers, or of right and wrong, may have no cell that is something else. */
	function refuseBroken(table, names) {
		for (const name of names) {
			const column = table.column(name),
				pair = column.mostlyRightWrong;
			if (!column.mostlyNumbers && pair === null) continue;
			const bad = column.mostlyNumbers
				? (cell) => cell && !isNumber(cell)
				: (cell) => cell && !pair.includes(cell.toLowerCase());
			const row = column.cells.findIndex(bad);
			const expected = column.mostlyNumbers
				? insteadOf(column.cells[row], column.distinct)
				: `${pair[0]} or ${pair[1]}`;
			// Without any other column of results to ignore it leads nowhere.
			const ways = mayHoldResults(table, names).length ? [say("ignore", name, "if it is no system")] : [];
			throw table.faultAt(row, name, { expected, ways });
		}
	}

	/* Whole numbers that may number rows, or say what they belong to, are no scores by themselves. With one
		 column alone there is no other that could be meant. */
	function refuseNumbering(table, numbers, groups) {
		if (numbers.length < 2) return;
		for (const name of numbers) {
			const column = table.column(name);
			if (!column.beginsAgain && !column.standsInBlocks) continue;
			const how = column.beginsAgain
				? "counts up and begins again, like numbers of rows"
				: "comes in blocks, like numbers of documents";
			throw table.fault({
				problem: `the column ${shown(name)} ${how}`,
				column: name,
				ways: waysOfNumbers(table, [name], numbers, groups),
			});
		}
	}

	/* What columns of numbers may be that are hardly systems. */
	function waysOfNumbers(table, odd, numbers, groups) {
		const ways = [],
			first = table.column(odd[0]);
		if (groups === null && odd.length === 1 && first.isWhole && first.repeats) {
			ways.push(say("groups", odd[0], "if it says what items belong to"));
		}
		ways.push(say("ignore", odd.length === 1 ? odd[0] : odd, "if it does not matter"));
		ways.push(say("systems", numbers, "if all are systems"));
		return ways;
	}

	/* Systems are on one scale: no whole numbers beside shares, nor ten times as large. */
	function refuseOtherScales(table, numbers, groups) {
		const size = (name) => Math.max(...table.column(name).range.map(Math.abs));
		const largest = new Map(numbers.map((name) => [name, size(name)]));
		const odd = numbers.filter((name) => otherScale(name, table, largest));
		if (!odd.length) return;
		const ends = numbers.slice(0, 4).map((name) => {
			const [low, high] = table.column(name).range;
			return `${shown(name, 40)} from ${general(low)} to ${general(high)}`;
		});
		throw table.fault({
			problem: `the columns lie on different scales: ${ends.join(", ")}`,
			ways: waysOfNumbers(table, odd, numbers, groups),
		});
	}
	function otherScale(name, table, largest) {
		const own = largest.get(name),
			others = [...largest.keys()].filter((other) => other !== name && largest.get(other) > 0);
		if (!others.length || own === 0) return false;
		if (own >= 10 * Math.max(...others.map((other) => largest.get(other)))) return true;
		if (!table.column(name).isWhole || own <= 1) return false;
		return others.every((other) => isShare(table.column(other)));
	}
	/* Whether its numbers lie between 0 and 1, or have decimals. */
	function isShare(column) {
		const [low, high] = column.range;
		return (low >= 0 && high <= 1) || column.numbers.some((value) => !Number.isNaN(value) && value % 1 !== 0);
	}

	/* A column that may say what rows belong to is not left out in silence. */
	function askAbout(table, others, gold) {
		for (const name of others) {
			const column = table.column(name),
				rowNames = isId(name) && !NAMELESS.has(plain(name));
			if (rowNames && column.blanks > 0 && column.blanks < column.length) {
				throw table.faultAt(column.cells.indexOf(""), name, {
					expected: "a value in every row",
					ways: [say("ignore", name)],
				});
			}
			const twice = rowNames && !column.isDistinct && column.distinct.size > 1;
			if (twice && 4 * (column.length - column.distinct.size) < column.length)
				throw comesTwice(table, name, waysOn(table, name, gold));
			if (twice || (column.isText && column.repeats)) {
				throw table.fault({
					problem: `the column ${shown(name)} repeats, and nothing says what it is`,
					column: name,
					ways: waysOn(table, name, gold),
				});
			}
		}
	}
	/* The first item that comes again, and where; a row may have slipped in twice. */
	function comesTwice(table, name, ways) {
		const [row, first] = table.column(name).again;
		return table.faultAt(row, name, {
			problem: `comes twice, first in line ${table.lines[first]}`,
			expected: "one row per item (take one of the two out)",
			ways,
		});
	}
	function waysOn(table, name, gold) {
		const ways = [
			say("groups", name, "if it says what items belong to"),
			say("ignore", name, "if it does not matter"),
		];
		const others = [...table.columns.values()].filter((column) => column.name !== name);
		if (gold === null && others.some((column) => isLabel(column, table.column(name)))) {
			ways.push(say("gold", name, "if it holds the right labels"));
		}
		return ways;
	}

	// --- Long: one row per item and system, or per item and run ---
	/* Whether a table without models has one system, whose items come once in every run. */
	function isOfRuns(table, asked, left) {
		if (asked.runs.length > 1 || asked.systems.length) return false;
		const free = unsaid(left, asked),
			run = asked.runs[0] ?? named(free, RUNS);
		if (run === null || !table.has(run)) return false;
		const keys = asked.key !== null ? [asked.key] : free.filter((one) => one !== run && isId(one));
		const again = keys.filter((key) => !table.column(key).isDistinct);
		if (!again.some((key) => differTogether(table, key, run))) return false;
		const rest = without(free, new Set([run, ...keys]));
		return resultColumns(table, rest).length === 1 || goldColumn(table, asked, rest) !== null;
	}

	function longRoles(table, asked, left, model) {
		const said = asked.where.map(([name]) => name),
			run = asked.runs[0] ?? named(unsaid(left, asked), RUNS);
		// What rows belong to is asked of the rows of one system and run: the others only repeat them.
		const one = firstPart(table, model, run);
		refuseNamesAsGroups(one, asked);
		const taken = new Set([model, run, asked.key, asked.groups, asked.gold, ...said]);
		const gold = asked.gold ?? goldColumn(table, asked, without(left, taken));
		taken.add(gold);
		const free = without(left, taken),
			key = asked.key ?? longKey(table, asked, free, model, run);
		taken.add(key);
		const value = longValue(
			table,
			free.filter((name) => name !== key),
			gold,
		);
		taken.add(value);
		const groups = asked.groups ?? groupsByName(one, left, taken);
		taken.add(groups);
		const rest = without(left, taken);
		if (groups === null) askAbout(one, rest, gold);
		const kept = new Set(without([...rest, ...said], new Set([key, gold, groups, value, model, run])));
		const extra = left.filter((name) => kept.has(name));
		return {
			key,
			groups,
			gold,
			systems: [value],
			model,
			run,
			runs: new Map(),
			extra,
			ignored: asked.ignore,
			counting: [],
			ofModel: model === null ? ofOneModel(table, extra) : null,
			isLong: model !== null || run !== null,
		};
	}

	/* The rows of the first system and run. */
	function firstPart(table, ...names) {
		const rows = combined(table, names);
		return table.rows([...rows.keys()].filter((place) => rows[place] === rows[0]));
	}

	/* The column that names the items: each comes once per system and run. */
	function longKey(table, asked, free, model, run) {
		const byName = free.filter((name) => isId(name) && !NAMELESS.has(plain(name)));
		const parts = new Set(combined(table, [model, run])).size;
		for (const name of [...byName, ...free.filter((name) => table.column(name).isText)]) {
			const every = byName.includes(name) || table.column(name).distinct.size * parts === table.length;
			if (every && differTogether(table, name, model, run)) return name;
		}
		// Then one comes twice, and the reader says where.
		const single = byName.find((name) => !GROUPS.has(plain(name)));
		if (single !== undefined) return single;
		throw table.fault({
			problem: "one row per item and system, but nothing names the items",
			ways: [asked.groups !== null && isId(asked.groups) ? asKey(asked.groups) : say("key")],
		});
	}

	/* What to say so that this column holds the results, where it does not by itself. */
	function waysTo(table, asked, name, tables) {
		const left = without(table.names, new Set(asked.ignore)),
			when = `instead, to compare ${shown(name)}`,
			model = modelColumn(table, asked, left);
		if (model === null) {
			const isThere = left.includes(name) && !asked.systems.includes(name);
			return tables > 1 && isThere ? [say("systems", name, when, "metric")] : [];
		}
		const free = unsaid(left, asked),
			run = asked.runs[0] ?? named(free, RUNS);
		const found = mayHoldResults(
			table,
			free.filter((one) => one !== run),
		);
		const others = found.filter((one) => one !== name);
		if (!found.includes(name) || !others.length) return [];
		return [say("ignore", others.length === 1 ? others[0] : others, when, "metric")];
	}
	const mayHoldResults = (table, free) =>
		notByName(free).filter((name) => {
			const { answers } = table.column(name);
			return !answers.risesByOne && (answers.isNumber || answers.rightWrong);
		});

	/* The columns of a long table that may hold the results. */
	function resultColumns(table, free) {
		const found = mayHoldResults(table, free),
			// A name says more than numbers that happen to rise by one.
			named = found.length ? found : countingColumns(table, free);
		const known = named.filter((name) => SCORES.has(plain(name)));
		return known.length === 1 ? known : found;
	}

	/* The one column of results. */
	function longValue(table, free, gold) {
		const found = gold === null ? resultColumns(table, free) : systemsOfLabels(table, free, gold);
		if (found.length > 1) {
			throw table.fault({
				problem: `the columns ${listed(found)} may hold the results`,
				ways: [say("ignore", found.slice(1))],
			});
		}
		if (!found.length) {
			refuseBroken(table, notByName(free));
			refuseNoSystems(table);
		}
		return found[0];
	}

	// --- In words ---
	/* The role of each column in a word. */
	function roleByColumn(roles) {
		const found = new Map(roles.systems.map((name) => [name, roles.isLong ? "results" : "system"]));
		for (const name of roles.extra) found.set(name, "extra");
		for (const name of roles.ignored) found.set(name, "ignored");
		if (roles.ofModel !== null) found.set(roles.ofModel[0], "model");
		for (const role of ["key", "groups", "gold", "model", "run"])
			if (roles[role] !== null) found.set(roles[role], role);
		return Object.fromEntries(found);
	}
	/* Every role in words, one line each. */
	function saidRoles(roles) {
		const name = Compare.shownName,
			lines = [];
		const single = {
			key: "names the items",
			groups: "says what they belong to",
			gold: "is the gold standard",
			model: "names the systems",
			run: "names the runs",
		};
		for (const [role, words] of Object.entries(single))
			if (roles[role] !== null) lines.push(`${name(roles[role])} ${words}`);
		const what = roles.isLong ? "results" : roles.systems.length > 1 ? "systems" : "system";
		if (roles.systems.length) lines.push(`${what}: ${someOf(roles.systems.map(name))}`);
		const counting = roles.extra.filter((one) => roles.counting.includes(one)),
			[ofModel, itsName] = roles.ofModel ?? [],
			unused = roles.extra.filter((one) => !counting.includes(one) && one !== ofModel);
		if (counting.length) lines.push(`no scores, but numbers of rows: ${someOf(counting, 8)}`);
		if (ofModel !== undefined) lines.push(`${ofModel} is ${itsName} in every row`);
		if (unused.length) lines.push(`not used: ${someOf(unused.map(name), 8)}`);
		if (roles.ignored.length) lines.push(`ignored: ${someOf(roles.ignored.map(name), 8)}`);
		return lines;
	}

	Object.assign(Compare, {
		askedOf,
		askedOfTable,
		findRoles,
		refuseGroupsOfOne,
		roleByColumn,
		saidRoles,
		comesTwice,
		waysTo,
		waysToCounting,
		plain,
		isId,
		NAMELESS,
		FOLDS,
		MODELS,
		RUNS,
		SCORES,
	});
})();
