/* Compare two files here: tables, folds and numbers become results (betterthan.readers: tables, folds,
	 one_number). A result is what one system did on the units of one test:

		 {name, held, ids, groups, unit, metric, quantity, higher, columns, testShare, notes, reading}

	 where `held` is {kind: "numbers", runs}, {kind: "labels", classes, right, runs, positive} or
	 {kind: "counted", runs, byClass}, where a run is rows of tp, fp and fn (see `Rows`); ids, groups,
	 metric and higher are null where nothing is known. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const {
		InputError,
		Column,
		askedOf,
		askedOfTable,
		byLetters,
		count,
		counted,
		findRoles,
		isId,
		isNumber,
		isTable,
		plain,
		quoted,
		roleByColumn,
		saidRoles,
		say,
		shown,
		someOf,
		strip,
		tableOf,
	} = Compare;

	// Of so many gold classes a label that is never gold is a slip of the pen, not free text.
	const FEW_CLASSES = 50;
	// Of so many values in common a column says the same of items in all files.
	const NEARLY = 0.9;
	// So few rows without ids may be folds.
	const FEW_ROWS = 10;
	// Quantities of which less is better, by the names that evaluation tools give them.
	const LOWER_IS_BETTER = new Set([
		"bits_per_byte",
		"brier",
		"brier_score",
		"byte_perplexity",
		"cer",
		"loss",
		"mae",
		"mse",
		"nll",
		"perplexity",
		"rmse",
		"ter",
		"wer",
		"word_perplexity",
	]);

	const NOTHING_KNOWN = {
		ids: null,
		groups: null,
		groupedBy: "",
		unit: "item",
		metric: null,
		quantity: "",
		higher: null,
		columns: new Map(),
		testShare: null,
		notes: [],
		reading: [],
	};

	// --- Systems and their names ---
	/* A file's name without what says how it is written. */
	function stem(name) {
		const bare = name.replace(/^.*\//, "").replace(/\.gz$/, ""),
			dot = bare.lastIndexOf(".");
		return dot > 0 && dot < bare.length - 1 ? bare.slice(0, dot) : bare;
	}
	/* What files call their systems. */
	function namesOfSystems(sources) {
		const stems = sources.map(({ name }) => stem(name));
		const madeByATool = stems.every((one) => /^(samples_|\d{4}-\d\d-\d\dT)/.test(one));
		return madeByATool && stems.length === 2 ? ["old", "new"] : stems;
	}
	/* A column's name as the word for a unit, if it is a word. */
	const NO_UNITS = ["idx", "index", "key", "name", "qid", "uid", "uuid"];
	const unitWord = (name) =>
		/^\p{L}{3,}$/u.test(name) && !NO_UNITS.includes(name.toLowerCase()) ? name : "item";

	// --- Tables ---
	function readTables(sources, options) {
		const { empty, positive } = options;
		if (empty !== undefined && !["wrong", "drop"].includes(empty)) {
			throw new InputError({ argument: "empty", value: empty, expected: "one of 'wrong', 'drop'" });
		}
		const asked = askedOf(options),
			whole = sources.map((source) => tableOf(source, options.separator));
		refuseUnknown(whole, asked.ignore);
		const tables = whole.map((table) => chosenRows(table, askedOfTable(asked, table)));
		let read = tables.map((table, i) => systemsOf(table, askedOfTable(asked, whole[i]), empty, positive));
		if (read.length > 1 && read.every((own) => own.length === 1))
			refuseWrongPairs(read.map(([one], i) => ({ table: tables[i], ...one })));
		if (empty === "drop") read = withoutBlanks(read);
		const found = read.map((own) => own.map(({ results }) => results));
		const named = sources.length > 1 ? onePerFile(sources, found) : ofOneModel(found[0]);
		return empty === "wrong" ? notingBlanks(named, read.flat()) : named;
	}

	/* A metric that is the name of a column: says how to have that column compared. Asked before anything is
		 read, so that nobody is asked about the column that is not meant. */
	function refuseColumnAsMetric(sources, metric, options) {
		if ([...Compare.OF_COUNTS, ...Compare.OF_NUMBERS].includes(metric)) return;
		const asked = askedOf(options),
			tables = sources.map((source) => tableOf(source, options.separator));
		if (!tables.every((table) => table.has(metric))) return;
		const ways = Compare.waysTo(tables[0], askedOfTable(asked, tables[0]), metric, tables.length);
		if (!ways.length) return;
		const problem = "a column of the table, and no metric";
		throw new InputError({ argument: "metric", value: metric, problem, ways });
	}

	/* What to say where one system was found, and numbers that may be another were left out. */
	function waysToSecond(sources, options) {
		if (sources.length > 1 || options.systems) return [];
		const whole = tableOf(sources[0], options.separator),
			asked = askedOfTable(askedOf(options), whole),
			table = chosenRows(whole, asked);
		return Compare.waysToCounting(table, findRoles(table, asked));
	}

	/* A column to ignore need not be in all tables, but in one of them. */
	function refuseUnknown(tables, ignore) {
		for (const name of ignore) if (!tables.some((table) => table.has(table.called(name)))) tables[0].need("ignore", name);
	}

	/* The rows with the values that were asked for. */
	function chosenRows(table, asked) {
		let rows = [...table.lines.keys()];
		for (const [name, value] of asked.where) {
			table.need("where", name);
			const cells = table.cells(name);
			rows = rows.filter((row) => cells[row] === value);
			if (!rows.length) {
				const expected = `one of ${someOf([...table.column(name).distinct].sort(byLetters), 8)}`;
				throw new InputError({
					argument: "where",
					value: { [name]: value },
					file: table.source.name,
					expected,
				});
			}
		}
		return asked.where.length ? Object.assign(table.rows(rows), { whole: table }) : table;
	}

	/* The systems in one table, each with which of its answers are blank. */
	function systemsOf(table, asked, empty, positive) {
		const chosen = asked.where.find(([name]) => name === asked.groups);
		if (chosen) {
			const problem = `all rows chosen have ${quoted(chosen[1])} there, so it is one group; leave it out`;
			throw new InputError({ argument: "groups", value: asked.groups, problem });
		}
		const roles = findRoles(table, asked);
		table.source.roles = roleByColumn(roles);
		if (positive !== undefined && roles.gold === null) {
			throw new InputError({
				argument: "positive",
				value: positive,
				expected: "a table with a gold column",
				ways: [say("gold")],
			});
		}
		if (roles.gold === null) table = table.answering(roles.systems);
		if (roles.isLong && empty === undefined) refuseBlankOfLong(table, roles, asked);
		const parts = roles.isLong
			? partsOfLong(table, roles, asked, empty)
			: columnsOfSystems(roles).map(([name, runs]) => ({ name, table, runs }));
		const reading = [rowsRead(table), ...saidRoles(roles), ...saidOfNumbers(table, roles)];
		for (const [name, what] of [[roles.model, "systems"], [roles.groups, "groups"]])
			if (name !== null) reading.push(...Compare.countedApart(table.column(name).distinct, what));
		return parts.map((part) => oneSystem(part, roles, empty, positive, reading));
	}
	/* How many rows of the file are read: an item may have several. */
	function rowsRead({ length, whole }) {
		const rows = counted(whole.length, "row");
		return length === whole.length ? rows : `${count(length)} of ${rows}`;
	}
	/* The name of each system and the columns of its runs. */
	function columnsOfSystems(roles) {
		return roles.runs.size ? [...roles.runs] : roles.systems.map((name) => [Compare.shownName(name), [name]]);
	}

	function oneSystem({ name, table, runs }, roles, empty, positive, reading) {
		const blank = blankAnswers(table, runs, roles, empty);
		const [held, notes] = valuesOf(table, runs, roles, positive, empty === "wrong");
		const words = roles.gold === null && table.column(runs[0]).rightWrong;
		const results = {
			...NOTHING_KNOWN,
			name,
			held,
			ids: idsOf(table, roles),
			groups: roles.groups === null ? null : table.filled(roles.groups),
			groupedBy: roles.groups ?? "",
			unit: unitOf(roles),
			metric: words ? "accuracy" : null,
			columns: new Map(roles.extra.map((extra) => [extra, table.cells(extra)])),
			notes: [...notes, ...groupsApart(table, roles), ...leftOut(table, roles)],
			reading,
			runNames: runNamesOf(runs, roles),
		};
		return { results, roles, blank, lacks: table.lacks };
	}
	/* What tells the columns of runs apart: their names without what they share. */
	function runNamesOf(runs, roles) {
		if (runs.length < 2) return [];
		if (roles.isLong) {
			const before = `${roles.systems[0]} `;
			return runs.map((name) => (name.startsWith(before) ? name.slice(before.length) : name));
		}
		let shared = 0;
		while (runs.every((name) => name[shared] !== undefined && name[shared] === runs[0][shared])) shared++;
		return runs.map((name) => name.slice(shared) || name);
	}

	/* What a row is: as the column that names rows is called. Here a fold is none. */
	const unitOf = ({ key }) => (key === null || Compare.FOLDS.includes(plain(key)) ? "item" : unitWord(key));

	/* Whether some of the numbers are neither right nor wrong. */
	const isGraded = (numbers) => numbers.some((value) => value !== 0 && value !== 1 && !Number.isNaN(value));

	/* A blank answer may be left out and, where it is known what wrong is, count so. */
	function waysOfBlanks(table, name, { gold }) {
		const column = table.column(name),
			scores = gold === null && column.isNumber;
		const asWhat = scores && isGraded(column.numbers) ? "0" : "wrong",
			ways = [say("empty", "wrong", `to count it ${asWhat}`), say("empty", "drop")];
		const [low, high] = scores ? column.range : [0, 1];
		return low >= 0 && high <= 1 ? ways : ways.slice(1);
	}

	/* Which answers are blank: 1 or 0; refused unless it was said what to do with them. */
	function blankAnswers(table, runs, roles, empty) {
		const blank = new Uint8Array(table.length);
		for (const run of runs) {
			if (!table.column(run).blanks) continue;
			table.cells(run).forEach((cell, row) => {
				if (cell) return;
				if (empty === undefined)
					throw table.faultAt(row, run, {
						problem: "a blank answer",
						ways: waysOfBlanks(table, run, roles),
					});
				blank[row] = 1;
			});
		}
		return blank;
	}

	/* What a system's columns hold, and what to say about how they were counted. */
	function valuesOf(table, runs, roles, positive, wrong) {
		if (roles.gold !== null) return labelsOf(table, runs, roles.gold, positive);
		const notes = new Set(),
			arrays = [];
		for (const run of runs) {
			const column = table.column(run),
				pair = column.rightWrong;
			if (pair === null) {
				arrays.push(scoresOf(table, run, wrong));
				continue;
			}
			arrays.push(Float64Array.from(column.cells, (cell) => Number(cell.toLowerCase() === pair[0])));
			notes.add(`${asWritten(column, pair[0])} counts 1, ${asWritten(column, pair[1])} 0.`);
		}
		return [{ kind: "numbers", runs: arrays }, [...notes]];
	}
	/* The word as the file writes it. */
	function asWritten(column, word) {
		return `'${[...column.distinct].sort(byLetters).find((cell) => cell.toLowerCase() === word) ?? word}'`;
	}

	/* A column of numbers; a blank one counts 0 where all are between 0 and 1. */
	function scoresOf(table, name, wrong) {
		const column = table.column(name);
		if (!column.isNumber) {
			const row = column.cells.findIndex((cell) => cell && !isNumber(cell));
			throw table.faultAt(Math.max(row, 0), name, {
				expected: Compare.insteadOf(column.cells[Math.max(row, 0)], column.distinct),
			});
		}
		const huge = column.numbers.findIndex((value) => Math.abs(value) >= 1e100);
		if (huge >= 0) throw table.faultAt(huge, name, { expected: "a finite number below 1e100" });
		if (!column.blanks) return column.numbers;
		const [low, high] = column.range;
		if (wrong && (low < 0 || high > 1)) {
			const problem = "a blank answer has no score between 0 and 1 to count it wrong by";
			throw table.faultAt(column.cells.indexOf(""), name, { problem, ways: [say("empty", "drop")] });
		}
		return column.numbers.map((value) => (Number.isNaN(value) ? 0 : value));
	}

	/* Labels beside the gold standard; each is the number of its class, and -1 is blank. */
	function labelsOf(table, runs, gold, positive) {
		const right = table.filled(gold),
			known = table.column(gold).distinct;
		if (known.size === 1) {
			const problem = `the gold column ${shown(gold)} has one value only, ${shown(right[0], 40)}`;
			const ways = [say("gold", undefined, "if it is another column")];
			throw table.fault({ problem, column: gold, ways });
		}
		for (const run of runs) {
			if ([...table.column(run).values].some((cell) => known.has(cell))) continue;
			const problem = `no value of the column ${shown(run)} is a class such as ${shown(right[0])}`;
			throw table.fault({ problem, column: run, ways: [say("ignore", run, "if it is no system")] });
		}
		const all = new Set(known);
		for (const run of runs) for (const cell of table.column(run).values) all.add(cell);
		const classes = [...all].sort(byLetters);
		if (positive !== undefined && !all.has(positive)) {
			throw new InputError({
				argument: "positive",
				value: positive,
				expected: `one of ${someOf(classes, 12)}`,
			});
		}
		const place = new Map(classes.map((name, i) => [name, i]));
		const codes = (cells) => Int32Array.from(cells, (cell) => place.get(cell) ?? -1);
		const held = {
			kind: "labels",
			classes,
			right: codes(right),
			runs: runs.map((run) => codes(table.cells(run))),
			positive: positive ?? null,
		};
		return [held, strays(table, runs, known)];
	}
	/* Labels that are predicted but never gold: slips of the pen that cost macro-F1 a class. */
	function strays(table, runs, known) {
		if (known.size > FEW_CLASSES) return [];
		const seen = new Map();
		for (const run of runs) {
			for (const cell of table.cells(run))
				if (cell && !known.has(cell)) seen.set(cell, (seen.get(cell) ?? 0) + 1);
		}
		const never = [...seen].sort((x, y) => y[1] - x[1]);
		const said = never
			.slice(0, 3)
			.map(([label, n]) => `${shown(label)} is predicted but never gold (${counted(n, "item")}).`);
		return never.length > 3 ? [...said, `So are ${never.length - 3} more classes.`] : said;
	}

	/* The name of each item; each may come once, or once in its group. */
	function idsOf(table, roles) {
		if (roles.key === null) return null;
		const names = table.filled(roles.key);
		if (new Set(names).size === names.length) return names;
		if (roles.groups !== null) {
			const groups = table.cells(roles.groups),
				within = names.map((name, i) => `${name} (${groups[i]})`);
			if (new Set(within).size === within.length) return within;
		}
		throw Compare.comesTwice(table, roles.key, [
			say("groups", roles.key, "if it says what items belong to", "key"),
		]);
	}

	/* Groups that differ only in case count as different ones: were they spelled by hand? */
	function groupsApart(table, { groups }) {
		if (groups === null) return [];
		const said = Compare.countedApart(table.column(groups).distinct, "groups");
		return said.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`);
	}

	/* Where a column that repeats was left out on request, items count as independent. */
	function leftOut(table, roles) {
		if (roles.groups !== null) return [];
		const hung = roles.ignored.filter(
			(name) => table.has(name) && table.column(name).repeats && table.column(name).isText,
		);
		return hung.length ? [`Items count as independent: ${someOf(hung.map(quoted), 3)} was ignored.`] : [];
	}

	// --- Long tables ---
	/* The first blank answer in the file, of a system that is asked for; says whose it is. */
	function refuseBlankOfLong(table, roles, asked) {
		const [value] = roles.systems,
			modelOf = (row) => (roles.model === null ? "" : table.cells(roles.model)[row]);
		const row = table
			.cells(value)
			.findIndex(
				(cell, i) => !cell && (!asked.systems.length || asked.systems.includes(modelOf(i))),
			);
		if (row < 0) return;
		throw table.faultAt(row, value, {
			problem: `a blank answer of ${whoseOf(table, roles, row)}`,
			ways: waysOfBlanks(table, value, roles),
		});
	}
	/* Of which system and run a row of a long table is. */
	function whoseOf(table, { model, run }, row) {
		const parts = [model === null ? "" : table.cells(model)[row], run === null ? "" : `${run} ${table.cells(run)[row]}`];
		return parts.filter(Boolean).join(", ");
	}

	/* One table per system, with a column of results for each run. */
	function partsOfLong(table, roles, asked, empty) {
		const parts = tablesOfModels(table, roles, asked).map(([name, own]) => [name, own, rowsByRun(own, roles)]);
		if (empty === undefined) refuseMissing(table, roles, parts);
		const found = parts.map(([name, own, byRun]) => ({
			name,
			...runsSideBySide(own, roles.systems[0], byRun),
		}));
		refuseTwoGroups(table, roles, new Set(found.map(({ name }) => name)));
		return found;
	}
	/* An item belongs to one group, whichever system or run a row is of. */
	function refuseTwoGroups(table, roles, models) {
		if (roles.groups === null) return;
		const groups = table.cells(roles.groups),
			own = roles.model === null ? null : table.cells(roles.model),
			first = new Map();
		table.cells(roles.key).forEach((name, row) => {
			if (!groups[row] || (own?.[row] && !models.has(own[row]))) return;
			if (!first.has(name)) first.set(name, row);
			const other = first.get(name);
			if (groups[other] === groups[row]) return;
			throw table.faultAt(row, roles.groups, {
				problem: `${shown(name)} is in ${shown(groups[other], 40)} in line ${table.lines[other]}`,
				expected: "one group for each item",
			});
		});
	}
	/* The rows of each system, in the order in which they are asked for or come in the file. */
	function tablesOfModels(table, roles, asked) {
		if (roles.model === null) return [[roles.systems[0], table]];
		const rows = new Map();
		table.filled(roles.model).forEach((model, row) => {
			if (!rows.has(model)) rows.set(model, []);
			rows.get(model).push(row);
		});
		const wanted = asked.systems.length ? asked.systems : table.inOrder(roles.model);
		return wanted.map((model) => [model, table.rows(rows.get(model))]);
	}
	function inOrder(a, b) {
		const place = (name) => (/^\d+$/.test(name) ? Number(name) : Infinity),
			[x, y] = [place(a), place(b)];
		return x === y ? (x === Infinity ? byLetters(a, b) : 0) : x - y;
	}

	/* Of each run of a system the row of each item. */
	function rowsByRun(own, roles) {
		const labels = roles.run === null ? null : own.filled(roles.run),
			runs = labels === null ? [""] : [...new Set(labels)].sort(inOrder);
		const byRun = new Map(runs.map((run) => [run, new Map()]));
		own.filled(roles.key).forEach((item, row) => {
			const seen = byRun.get(labels === null ? "" : labels[row]);
			if (seen.has(item)) {
				throw own.faultAt(row, roles.key, {
					problem: `comes twice for ${whoseOf(own, roles, row)}, first in line ${own.lines[seen.get(item)]}`,
					expected: "one row per item and system (take one of the two out)",
					ways: waysToRuns(own, roles),
				});
			}
			seen.set(item, row);
		});
		return byRun;
	}
	/* The columns that tell the rows of an item apart, as runs would, if none is known to. */
	function waysToRuns(own, roles) {
		if (roles.run !== null) return [];
		const items = own.column(roles.key),
			names = [...roles.extra, roles.groups, ...roles.ignored];
		const found = names.filter((name) => {
			if (name === null || !own.has(name) || !own.column(name).repeats) return false;
			const { cells, distinct } = own.column(name),
				every = distinct.size * items.distinct.size === own.length;
			return every && new Set(items.cells.map((item, i) => JSON.stringify([item, cells[i]]))).size === own.length;
		});
		return found.length
			? found.map((name) => say("runs", name, "if it names runs (seeds, prompts)", name === roles.groups ? "groups" : ""))
			: [say("runs", undefined, "names the column that tells runs apart")];
	}
	/* Every item, with its row in the first of the fullest runs, or in the first that has it. */
	function firstRows(byRun) {
		const found = new Map(),
			most = Math.max(...[...byRun.values()].map((rows) => rows.size)),
			fullest = [...byRun.values()].find((rows) => rows.size === most);
		for (const rows of [fullest, ...byRun.values()])
			for (const [item, row] of rows) if (!found.has(item)) found.set(item, row);
		return found;
	}
	/* A row that one run of a system lacks is like a blank answer. */
	function refuseMissing(table, roles, parts) {
		const lacking = parts.flatMap(([model, , byRun]) => {
			const items = [...firstRows(byRun).keys()];
			return [...byRun].map(([run, rows]) => [model, run, items.filter((item) => !rows.has(item)), rows]);
		});
		const found = lacking.filter(([, , gone]) => gone.length);
		if (!found.length) return;
		const [model, run, gone, rows] = found[0],
			all = found.reduce((sum, [, , own]) => sum + own.length, 0);
		const more = found.length > 1 ? `; ${count(all)} rows are missing in all` : "";
		const wanted = parts.reduce((sum, [, , byRun]) => sum + firstRows(byRun).size * byRun.size, 0),
			most = 2 * all > wanted; // no blanks here and there: each run is of other items
		throw table.fault({
			problem: `${model} lacks ${counted(gone.length, "row")} of ${roles.run} ${run}, such as that of ${shown(gone[0])}${Compare.butForCase(gone, [rows.keys()])}${more}`,
			expected: most ? "every item in every run" : "",
			ways: most ? [] : waysOfBlanks(table, roles.systems[0], roles),
		});
	}

	/* One row per item, with the results of every run as columns; blank where a row is missing. */
	function runsSideBySide(own, value, byRun) {
		const items = firstRows(byRun),
			table = own.rows([...items.values()]);
		if (byRun.size === 1) return { table, runs: [value] };
		const names = [];
		for (const [run, rows] of byRun) {
			const name = `${value} ${run}`,
				ofRun = own.rows([...items.keys()].map((item) => rows.get(item)));
			names.push(name);
			table.columns.set(name, new Column(name, ofRun.cells(value)));
			table.elsewhere.set(name, [ofRun, value]);
			table.lacks ||= rows.size < items.size;
		}
		return { table, runs: names };
	}

	// --- Rows of several files: are those that will be paired the same items? ---
	/* Refuses numbers of rows that repeat, and ids that other columns contradict (readers._pairing). */
	function refuseWrongPairs(sides) {
		if (sides.some(({ results }) => results.ids === null)) refuseRowsTwice(sides);
		else refuseOtherCells(sides);
	}
	/* Without ids rows are paired as they stand; numbers of rows that repeat may say otherwise. */
	function refuseRowsTwice(sides) {
		for (const { table, roles } of sides) {
			const repeated = numbersTwice(table, roles);
			if (repeated === null) continue;
			const ways = toldApart(sides).map(({ name }) => say("key", name, "if it names the items")),
				byRows = "if row k of one file belongs to row k of the other, or nothing is to be paired";
			throw Compare.comesTwice(table, repeated, [...ways, say("ignore", repeated, byRows)]);
		}
	}
	/* The column that pandas or R number rows with, where it repeats and so names none. */
	function numbersTwice(table, { key, extra }) {
		if (key !== null) return null;
		return extra.find((name) => isId(name) && table.column(name).again !== null) ?? null;
	}
	/* That the numbers of rows name none, because one comes twice. */
	function saidOfNumbers(table, roles) {
		const name = numbersTwice(table, roles);
		if (name === null) return [];
		const { again, cells } = table.column(name);
		return [`${Compare.shownName(name)} names no items: ${Compare.cut(cells[again[0]], 60)} comes twice`];
	}
	/* The columns with other cells for each item, and this share of the same ones in all files:
		 {name, columns}. */
	function toldApart(sides, share = 1) {
		const [first, ...others] = sides;
		const alike = (columns) => {
			if (!columns.every(({ isDistinct }) => isDistinct)) return false;
			const common = columns[0].cells.filter((cell) => columns.every(({ distinct }) => distinct.has(cell)));
			return common.length >= share * Math.max(...columns.map(({ length }) => length));
		};
		return first.roles.extra
			.filter((name) => others.every(({ roles }) => roles.extra.includes(name)))
			.map((name) => ({ name, columns: sides.map(({ results }) => new Column(name, results.columns.get(name))) }))
			.filter(({ columns }) => alike(columns));
	}
	/* What tells items apart in all files goes with the same id in each of them. */
	function refuseOtherCells(sides) {
		for (const { name, columns } of toldApart(sides, NEARLY)) {
			// The numbers that rows have in each file need not.
			if (Compare.NAMELESS.has(plain(name)) || columns.every(({ countsRows }) => countsRows)) continue;
			const known = new Map(sides[0].results.ids.map((item, row) => [item, columns[0].cells[row]]));
			sides.forEach(({ table, results }, i) => {
				const { cells } = columns[i],
					isElsewhere = (cell) => columns[0].distinct.has(cell),
					row = results.ids.findIndex(
						(item, k) => known.has(item) && known.get(item) !== cells[k] && isElsewhere(cells[k]),
					);
				if (row < 0) return;
				const item = results.ids[row];
				throw table.faultAt(table.cells(name).indexOf(cells[row]), name, {
					problem: `the item ${shown(item)} has ${shown(known.get(item), 40)} in ${sides[0].table.source.name}`,
					expected:
						"the same in all files, which have the same values, or nearly, in another order (were rows numbered anew?)",
					ways: [say("key", name, "if it names the items"), say("ignore", name, "if it does not matter")],
				});
			});
		}
	}

	// --- One file per system ---
	/* The systems of several files, each of which holds one; they are called as the files are. */
	function onePerFile(sources, read) {
		read.forEach((own, i) => {
			if (own.length < 2) return;
			const names = own.map(({ name }) => name);
			const problem = `found ${own.length} systems, ${someOf(names)}, in one of ${sources.length} files`;
			throw sources[i].fault({
				problem,
				expected: "one system per file",
				ways: [say("systems", names[0]), say("ignore", names.slice(1))],
			});
		});
		const names = namesOfSystems(sources);
		if (new Set(names).size < names.length) {
			throw new InputError({
				argument: "paths",
				value: names[0],
				problem: "comes twice",
				expected: "different files",
			});
		}
		const found = read.map(([own], i) => measured(names[i], own)),
			models = found.map((own, i) => constantModel(own) ?? names[i]);
		const apart = new Set(models).size === models.length; // two files of one model differ in something else
		return found.map((own, i) => ({ ...own, name: apart ? models[i] : names[i] }));
	}
	/* The systems of a file; a single one is called as the column that names models calls it. */
	function ofOneModel(read) {
		const model = read.length === 1 ? constantModel(read[0]) : null;
		return model === null ? read : [{ ...measured(model, read[0]), name: model }];
	}
	/* Its column says what was measured, if that means anything. */
	function measured(file, results) {
		const column = plain(results.name);
		if (Compare.SCORES.has(column) || column === plain(file) || results.held.kind !== "numbers")
			return results;
		return {
			...results,
			quantity: results.name,
			higher: LOWER_IS_BETTER.has(column) ? false : results.higher,
		};
	}
	/* What a column `model` calls the system, where it says the same in every row. */
	function constantModel(results) {
		for (const [name, cells] of results.columns) {
			if (Compare.MODELS.includes(plain(name)) && cells[0] && cells.every((cell) => cell === cells[0]))
				return cells[0];
		}
		return null;
	}

	/* The systems as they are called now, each with how many of its blank answers count nothing. */
	function notingBlanks(named, read) {
		return named.map((results, i) => {
			const blanks = read[i].blank.reduce((sum, own) => sum + own, 0),
				{ kind, runs } = results.held;
			if (!blanks) return results;
			const asWhat = kind === "numbers" && runs.some(isGraded) ? "0" : "wrong";
			const what = counted(blanks, `${read[i].lacks ? "blank or missing" : "blank"} answer`);
			return { ...results, notes: [...results.notes, `${what} of ${results.name} counted ${asWhat}.`] };
		});
	}

	/* All systems without the items that any of them left blank. */
	function withoutBlanks(read) {
		const everyone = read.flat();
		if (!everyone.some(({ blank }) => blank.some((own) => own))) return read;
		const byId = everyone.every(({ results }) => results.ids !== null),
			gone = new Set();
		if (!byId) refuseOtherLengths(everyone);
		const name = ({ results }, row) => (byId ? results.ids[row] : row);
		for (const one of everyone) one.blank.forEach((own, row) => own && gone.add(name(one, row)));
		const which = everyone.some(({ lacks }) => lacks) ? "blank or missing" : "blank";
		const note = `${counted(gone.size, "item")} with a ${which} answer left out.`;
		return read.map((own) =>
			own.map((one) => {
				const rows = [...one.blank.keys()].filter((row) => !gone.has(name(one, row)));
				const kept = takeRows(one.results, rows);
				return { ...one, results: { ...kept, notes: [...kept.notes, note] } };
			}),
		);
	}
	function refuseOtherLengths(everyone) {
		if (new Set(everyone.map(({ blank }) => blank.length)).size === 1) return;
		const each = everyone.map(({ results, blank }) => `${Compare.listed(results.name)} ${count(blank.length)}`).join(", ");
		const problem = `blank answers cannot be left out where rows have no ids: ${each} rows`;
		throw new InputError({ argument: "empty", value: "drop", problem, ways: [say("key")] });
	}

	/* Some of the units, with all that is known of them. */
	function takeRows(results, rows) {
		const pick = (values) => rows.map((row) => values[row]),
			{ held } = results;
		const typed = (values) => values.constructor.from(rows, (row) => values[row]);
		const taken = {
			...held,
			runs: held.runs.map(typed),
			...(held.right ? { right: typed(held.right) } : {}),
		};
		return {
			...results,
			held: taken,
			ids: results.ids && pick(results.ids),
			groups: results.groups && pick(results.groups),
			columns: new Map([...results.columns].map(([name, cells]) => [name, pick(cells)])),
		};
	}

	// --- Folds ---
	const foldWays = (items) => [
		say("test_share", 0.1, "for folds that are a tenth of the corpus"),
		say("items", true, `if ${items} items of a test set`),
	];
	const firstOf = (names, byPlain) => byPlain.get(names.find((name) => byPlain.has(name))) ?? null;
	const byPlainName = (table) => new Map(table.names.map((name) => [plain(name), name]));

	function readFolds(sources, options) {
		refuseUnknown(
			sources.map((source) => tableOf(source, options.separator)),
			askedOf({ ignore: options.ignore }).ignore,
		);
		const parts = sources.map((source) => foldSystems(source, options));
		return sources.length === 1 ? parts[0] : onePerFile(sources, parts);
	}
	function foldSystems(source, options) {
		const table = tableOf(source, options.separator),
			byPlain = byPlainName(table);
		const sizes = ["train", "test"].filter((name) => byPlain.has(name)).map((name) => byPlain.get(name));
		const given = options.test_share ?? shareOf(table, sizes);
		const said = askedOf({ systems: options.systems, ignore: options.ignore });
		const scikit = byPlain.has("test_score") ? [byPlain.get("test_score")] : [];
		const asked = askedOfTable(
			{
				...said,
				key: firstOf(Compare.FOLDS, byPlain),
				systems: said.systems.length ? said.systems : scikit,
				ignore: [...new Set([...said.ignore, ...sizes])],
			},
			table,
		);
		const roles = findRoles(table, asked);
		source.roles = roleByColumn(roles);
		if (given === null) {
			const problem = `${someOf(roles.systems)} on ${table.length} rows that may be folds of a cross-validation`;
			throw table.fault({ problem, ways: foldWays("rows are") });
		}
		const parts = roles.isLong
			? partsOfLong(table, roles, asked, "drop")
			: roles.systems.map((name) => ({ name, table, runs: [name] }));
		if (parts.some(({ runs }) => runs.length > 1)) {
			throw table.fault({
				problem: `several runs of a fold, by ${shown(roles.run)}`,
				expected: "one score per fold and system",
			});
		}
		return parts.map((part) => oneOfFolds(part, roles, given));
	}
	function oneOfFolds({ name, table, runs: [column] }, roles, testShare) {
		table.filled(column);
		return {
			...NOTHING_KNOWN,
			name,
			held: { kind: "numbers", runs: [scoresOf(table, column, false)] },
			ids: foldNames(table, roles.key),
			unit: "fold",
			testShare,
			reading: [`${table.length} folds`, ...saidRoles(roles), `test share ${Compare.general(testShare)}`],
		};
	}
	/* What the folds are called; each comes once, or once in its repetition. */
	function foldNames(table, key) {
		if (key === null) return null;
		let names = table.filled(key);
		const again = table.names.find((name) => plain(name) === "repetition");
		if (again !== undefined) {
			const times = table.filled(again);
			names = names.map((name, row) => `${name} (${times[row]})`);
		}
		const first = new Map();
		names.forEach((name, row) => {
			if (first.has(name)) {
				throw table.faultAt(row, key, {
					problem: `comes twice, first in line ${table.lines[first.get(name)]}`,
					ways: [say("ignore", key, "if rows need no names")],
				});
			}
			first.set(name, row);
		});
		return names;
	}
	/* The share of the test set, from the columns train and test. */
	function shareOf(table, sizes) {
		if (sizes.length === 1) {
			throw table.fault({
				problem: `${quoted(sizes[0])} without the other`,
				expected: "train with test, or neither",
			});
		}
		if (!sizes.length) return null;
		const [train, test] = sizes.map((name) => {
			table.filled(name);
			const numbers = scoresOf(table, name, false),
				bad = numbers.findIndex((value) => value <= 0);
			if (bad >= 0) throw table.faultAt(bad, name, { expected: "a number above 0" });
			return numbers.reduce((a, b) => a + b, 0);
		});
		return test / (train + test);
	}

	/* Whether rows may be folds: by a column's name, or because they are few and nameless. */
	function isOfFolds(source, options) {
		if (options.items || options.gold || !isTable(source, options)) return false;
		if (options.test_share !== undefined) return true;
		const table = tableOf(source, options.separator),
			byPlain = byPlainName(table),
			fold = firstOf(Compare.FOLDS, byPlain);
		if (byPlain.has("test_score")) return true;
		if (fold !== null && (table.column(fold).isDistinct || table.column(fold).isWhole)) {
			return table.column(fold).isDistinct || !namesItems(table);
		}
		if (table.length > FEW_ROWS) return false;
		const roles = findRoles(table, askedOfTable(askedOf(options), table));
		const nameless = roles.key === null && roles.groups === null && roles.model === null;
		return nameless && roles.gold === null && table.column(roles.systems[0]).answers.isNumber;
	}
	/* Whether a column names the rows, which then are items, each with its fold. */
	const namesItems = (table) =>
		table.names.some(
			(name) => isId(name) && !Compare.NAMELESS.has(plain(name)) && table.column(name).isDistinct,
		);

	// --- One number per line ---
	function readNumbers(sources, options) {
		const names = namesOfSystems(sources);
		return sources.map((source, i) => {
			const numbers = numbersOf(source),
				testShare = options.test_share ?? null;
			if (numbers.length <= FEW_ROWS && !options.items && testShare === null) {
				const problem = `${counted(numbers.length, "number")} that may be folds of a cross-validation`;
				throw source.fault({ problem, ways: foldWays("they are") });
			}
			return {
				...NOTHING_KNOWN,
				name: names[i],
				held: { kind: "numbers", runs: [numbers] },
				unit: testShare === null ? "item" : "fold",
				testShare,
				reading: ["one number per line"],
			};
		});
	}
	function numbersOf(source) {
		const lines = source.text.replace(/\s+$/, "").split("\n");
		return Float64Array.from(lines, (line, i) => {
			const cell = strip(line);
			if (!isNumber(cell) || Math.abs(Number(cell)) >= 1e100) {
				throw source.fault({ line: i + 1, expected: `a finite number, found ${shown(line)}` });
			}
			return Number(cell);
		});
	}
	const isOfNumbers = ({ head }) => isNumber(strip(head.split("\n").find((line) => strip(line)) ?? ""));

	Object.assign(Compare, {
		readTables,
		readFolds,
		readNumbers,
		isOfFolds,
		isOfNumbers,
		chosenRows,
		refuseColumnAsMetric,
		waysToSecond,
		refuseUnknown,
		takeRows,
		namesOfSystems,
		firstOf,
		byPlainName,
		NOTHING_KNOWN,
	});
})();
