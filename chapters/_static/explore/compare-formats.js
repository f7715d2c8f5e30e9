/* Compare two files here: which format files are of, and how they are read (betterthan.readers: `FORMATS`,
	 `format_of`). A format is {kind, holds, is, read, options, compared, without}: what sentences call it, how
	 it is told from others, its reader, what the reader takes, what may be said of the comparison, and what
	 may be said of every other comparison but this. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const {
		InputError,
		Source,
		byPlainName,
		isTable,
		leftStrip,
		otherSeparator,
		plain,
		plainText,
		say,
		strip,
		tableOf,
	} = Compare;

	// --- What only the library reads ---
	const firstLine = (head) => leftStrip(head).split("\n", 1)[0];
	const isLmEval = ({ head }) => {
		const first = firstLine(head);
		return first.startsWith("{") && first.includes('"doc_id"') && first.includes('"doc"');
	};
	const isInspect = ({ head }) =>
		leftStrip(head).startsWith("{") && head.includes('"eval"') && head.includes('"status"');
	const isTrec = ({ head }) => {
		const fields = (head.split("\n").find((line) => strip(line)) ?? "").split(/\s+/).filter((field) => field);
		return fields.length === 6 && fields[1] === "Q0";
	};

	/* The names of a table's columns as they are looked up; null for what is no table. */
	const namesOf = (source, options) =>
		isTable(source, options) ? byPlainName(tableOf(source, options.separator)) : null;
	const hasAny = (names, wanted) => names !== null && wanted.some((name) => names.has(name));
	const P_COLUMNS = ["p", "pvalue", "p_value"];
	/* With a column that names the datasets: by its name, or the only one beside p-values and scores. */
	function isOfPvalues(source, options) {
		const names = namesOf(source, options);
		if (!hasAny(names, P_COLUMNS)) return false;
		if (names.has("dataset")) return true;
		const table = tableOf(source, options.separator),
			scores = scoresBeside(table, names);
		// Who says which columns are systems has items there, and calls one of the systems p.
		if (scores.length && (options.systems?.length || options.ignore?.length)) return false;
		const ofP = table.names.filter((name) => P_COLUMNS.includes(plain(name)));
		let others = table.names.filter((name) => !ofP.includes(name) && plain(name) !== "alternative");
		if (others.length === 3 && mayBePvalues(table.column(ofP[0])))
			others = others.filter((name) => !scores.includes(name));
		if (others.length !== 1) return false;
		const column = table.column(others[0]);
		return column.isText && column.isDistinct;
	}
	/* The scores of both systems: a and b, or the only two columns of numbers beside p-values. */
	function scoresBeside(table, names) {
		if (names.has("a") || names.has("b"))
			return names.has("a") && names.has("b") ? [names.get("a"), names.get("b")] : [];
		const known = [...P_COLUMNS, "dataset", "alternative"];
		const found = table.names.filter((name) => !known.includes(plain(name)) && table.column(name).isNumber);
		if (found.length !== 2) return [];
		const sizes = found.map((name) => Math.max(...table.column(name).range.map(Math.abs)));
		return Math.max(...sizes) < 10 * Math.min(...sizes) ? found : [];
	}
	/* Whether its numbers are chances, and not right and wrong alone. */
	function mayBePvalues(column) {
		if (!column.isNumber || [...column.distinct].every((cell) => cell === "0" || cell === "1")) return false;
		const [low, high] = column.range;
		return low >= 0 && high <= 1;
	}
	const isOfProbabilities = (source, options) => {
		const names = namesOf(source, options);
		return hasAny(names, ["probability", "confidence"]) && hasAny(names, ["correct", "is_correct", "gold"]);
	};
	const HITS = new Set(["0", "0.0", "false", "no", "1", "1.0", "true", "yes"]);
	function isOfCandidates(source, options) {
		const names = namesOf(source, options);
		if (!hasAny(names, ["candidate"])) return false;
		const table = tableOf(source, options.separator),
			gold = options.gold ?? names.get("gold");
		if (gold === undefined || !table.has(gold)) return false;
		return [...table.column(gold).distinct].every((cell) => HITS.has(cell.toLowerCase()));
	}

	// --- The formats ---
	const OF_TABLES = [
		"empty",
		"gold",
		"groups",
		"ignore",
		"items",
		"key",
		"positive",
		"runs",
		"separator",
		"systems",
		"where",
	];
	/* One that is known and not computed here. */
	const named = (holds, is) => ({ kind: null, holds, is });
	// In the order in which they are tried, which is that of the library: the particular before the general.
	const FORMATS = [
		named("a log of lm-evaluation-harness", isLmEval),
		named("a log of Inspect", isInspect),
		{
			kind: "promptfoo",
			holds: "results of promptfoo",
			is: Compare.isPromptfoo,
			read: Compare.readPromptfoo,
			options: ["metric", "groups", "ignore", "systems"],
			compared: ["unmatched"],
		},
		{
			kind: "swebench",
			holds: "a report of SWE-bench",
			is: Compare.isSwebench,
			read: Compare.readSwebench,
			options: [],
			compared: ["metric", "unmatched"],
		},
		named("a TREC run", isTrec),
		{
			kind: "numbers",
			holds: "one number per line",
			is: Compare.isOfNumbers,
			read: Compare.readNumbers,
			options: ["items", "test_share"],
			compared: ["metric"],
		},
		{
			kind: "conllu",
			holds: "CoNLL-U",
			is: Compare.isConllu,
			read: Compare.readConllu,
			options: ["gold", "column", "metric"],
			compared: [],
		},
		{
			kind: "conll",
			holds: "tags in columns",
			is: Compare.isConll,
			read: Compare.readConll,
			options: ["gold", "scheme", "columns", "comments", "separator"],
			compared: ["metric"],
		},
		named("a table of p-values", isOfPvalues),
		named("labels with probabilities", isOfProbabilities),
		named("ranked candidates", isOfCandidates),
		{
			kind: "fold_counts",
			holds: "counts of folds",
			is: Compare.isOfFoldCounts,
			read: Compare.readFoldCounts,
			options: ["repetitions", "systems", "ignore", "separator"],
			compared: ["metric"],
			without: ["lower", "ratio", "shared_runs", "paired"],
		},
		{
			kind: "votes",
			holds: "votes between two models",
			is: Compare.isOfVotes,
			read: Compare.readVotes,
			options: ["groups", "systems", "ignore", "where", "empty", "separator"],
			compared: [],
		},
		{
			kind: "folds",
			holds: "scores of folds",
			is: Compare.isOfFolds,
			read: Compare.readFolds,
			options: ["test_share", "separator", "systems", "ignore"],
			compared: [],
		},
		{
			kind: "table",
			holds: "a table",
			is: isTable,
			read: Compare.readTables,
			options: OF_TABLES,
			compared: ["metric", "unmatched"],
		},
	];

	/* Which format the files are of; what is none, or is not computed here, is refused by name. */
	function formatOf(sources, options) {
		// A gold standard in a file of its own is none of the systems.
		const source = sources.find(({ name }) => name !== options.gold) ?? sources[0];
		for (const one of sources) Compare.refuseElsewhere(one);
		const format = FORMATS.find(({ is }) => is(source, options));
		if (format === undefined) throw ofNoFormat(source, options);
		if (format.kind === null) {
			throw source.fault({
				problem: `this is ${format.holds}`,
				expected: "a file that this page reads; the library reads this one: betterthan look FILE",
			});
		}
		return format;
	}
	function ofNoFormat(source, options) {
		if (!strip(source.head)) return source.fault({ problem: "the file is empty" });
		const mark = options.separator === undefined ? otherSeparator(source.head) : undefined;
		return source.fault({
			expected:
				"a table (CSV, JSON lines), CoNLL columns, or one number per line; segmented words and translations " +
				"are for the library: betterthan compare OLD NEW --gold GOLD",
			ways: mark === undefined ? [] : [say("separator", mark, "for a table")],
		});
	}

	/* The format of files, of which nothing is said that does nothing for them. */
	function formatFor(sources, options) {
		const format = formatOf(sources, options);
		for (const argument of Object.keys(options).sort()) {
			if (format.options.includes(argument) || format.compared.includes(argument)) continue;
			throw idle(argument, options[argument], format, sources[0]);
		}
		return format;
	}
	const idle = (argument, value, { holds }, { name }) =>
		new InputError({ argument, value, problem: `does nothing for ${holds} (${name})` });

	const openFiles = (files) =>
		files.map(({ name, text }) => new Source({ name, text: plainText(text, name) }));

	Object.assign(Compare, { formatOf, formatFor, idle, openFiles });
})();
