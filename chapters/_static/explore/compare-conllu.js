/* Compare two files here: CoNLL-U (betterthan.readers.conllu). A system's file holds its own analysis, and
	 the gold standard is a file of its own. What is counted are words right and wrong in one of the columns. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, byLetters, count, counted, say, shown, strip } = Compare;

	const WIDTH = 10,
		MOST_CLASSES = 1000;
	// Where each column stands; of some, two say more than one.
	const COLUMNS = {
		LEMMA: [2],
		UPOS: [3],
		XPOS: [4],
		FEATS: [5],
		HEAD: [6],
		DEPREL: [7],
		LAS: [6, 7],
	};
	// What people also call them.
	const ALSO = { UAS: "HEAD", POS: "UPOS", LEMMAS: "LEMMA", TAG: "XPOS", DEP: "DEPREL" };

	/* Ten columns with tabs, the first of which numbers words. */
	function isConllu({ head }, options) {
		if (options.columns) return false;
		const first = head.split("\n").find((line) => strip(line) && !line.startsWith("#")) ?? "",
			cells = first.split("\t");
		return cells.length === WIDTH && /^(1|1-[0-9]+|0\.1)$/.test(cells[0]);
	}

	/* The column that a name means, in any letters; null for no name of one. */
	function columnOf(name) {
		const upper = typeof name === "string" ? name.toUpperCase() : "",
			known = Object.hasOwn(ALSO, upper) ? ALSO[upper] : upper;
		return Object.hasOwn(COLUMNS, known) ? known : null;
	}
	/* What is asked, and of which column: people name the column as the metric, too. */
	function metricAndColumn(metric, column) {
		const named = columnOf(metric);
		if (named !== null) {
			if (column !== undefined && columnOf(column) !== named) {
				const problem = `names another column than ${shown(column, 40)}`;
				throw new InputError({ argument: "metric", value: metric, problem, expected: "one of the two" });
			}
			return [null, named];
		}
		const found = columnOf(column ?? "UPOS");
		if (found === null) {
			const expected = `one of ${[...Object.keys(COLUMNS), "UAS"].join(", ")}`;
			throw new InputError({ argument: "column", value: column, expected });
		}
		return [metric ?? null, found];
	}

	function readConllu(sources, options) {
		if (options.gold === undefined) {
			throw sources[0].fault({
				problem: "CoNLL-U, which has no column for what a system says beside what is right",
				ways: [say("gold", undefined, "with the gold standard, a file of its own")],
			});
		}
		const [gold, others] = Compare.goldAndSystems(sources, options.gold),
			[metric, column] = metricAndColumn(options.metric, options.column);
		const right = parsed(gold),
			systems = others.map(parsed);
		for (const own of systems) refuseOtherWords(own, right);
		const groups = documentsOf([right, ...systems]),
			runs = countsOf(right, systems, column);
		const names = Compare.namesOfSystems(others);
		return systems.map((_, i) => ({
			...Compare.NOTHING_KNOWN,
			name: names[i],
			held: { kind: "counted", ...runs[i] },
			groups,
			unit: "sentence",
			metric: metric ?? "accuracy",
			notes: [`What is compared is ${column}, word by word.`],
			reading: [
				`${counted(right.rows.length, "word")} of CoNLL-U; gold standard ${gold.name}`,
				`the column ${column} is compared${column.includes("DEP") ? ", with subtypes" : ""}`,
				...(groups === null ? [] : ["documents by # newdoc"]),
			],
		}));
	}
	// --- A file ---
	/* The words of one file: their lines and cells, where sentences end, and the document of each. */
	function parsed(source) {
		const found = { source, lines: [], rows: [], ends: [], documents: [] };
		let document = "",
			documents = 0,
			inside = false;
		source.text.split("\n").forEach((line, i) => {
			if (!strip(line)) {
				inside = false;
				return;
			}
			if (line.startsWith("#")) {
				const begins = /^# *newdoc(?: +id *= *(.*\S))? *$/.exec(line);
				if (begins) document = begins[1] ?? `document ${documents + 1}`;
				documents += Number(begins !== null);
				return;
			}
			const row = rowOf(source, i + 1, line);
			if (row === null) return;
			if (!inside) {
				if (found.rows.length) found.ends.push(found.rows.length);
				found.documents.push(document);
			}
			inside = true;
			found.lines.push(i + 1);
			found.rows.push(row);
		});
		if (!found.rows.length) throw source.fault({ problem: "no words", expected: "CoNLL-U, one word per line" });
		found.ends.push(found.rows.length);
		return found;
	}
	/* The cells of a word; null for a contraction (2-3) or a word that is not in the text (2.1). */
	function rowOf(source, line, text) {
		const cells = text.split("\t");
		if (cells.length !== WIDTH) {
			const end = cells.length < WIDTH ? "; is the file cut off?" : "";
			throw source.fault({
				line,
				expected: `${WIDTH} columns with tabs between them, found ${cells.length}: ${shown(text, 80)}${end}`,
			});
		}
		if (/^[1-9][0-9]*$/.test(cells[0])) return cells;
		if (/^[0-9]+[-.][0-9]+$/.test(cells[0])) return null;
		throw source.fault({
			line,
			expected: `a word's number, a range such as 3-4 or a node such as 2.1, found ${shown(cells[0], 40)}`,
		});
	}
	/* The words, with a mark where a sentence ends, each with its line. */
	function flat({ lines, rows, ends }) {
		const found = [];
		let from = 0;
		for (const to of ends) {
			for (let i = from; i < to; i++) found.push([lines[i], rows[i][1]]);
			found.push([lines[to - 1] + 1, "the end of a sentence"]);
			from = to;
		}
		return found;
	}
	/* Refuses what is not split into the words of the gold standard. */
	function refuseOtherWords(own, gold) {
		const [ours, theirs] = [flat(own), flat(gold)],
			end = [0, "the end of the file"];
		for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
			const [line, a] = ours[i] ?? end,
				[there, b] = theirs[i] ?? end;
			if (a === b) continue;
			throw own.source.fault({
				line,
				problem: `${shown(a)}, but ${shown(b)} in ${gold.source.name}${there ? `, line ${count(there)}` : ""}`,
				expected:
					"the same words in the same sentences (analyse the words of the gold standard, not the running text)",
			});
		}
	}
	/* The document of each sentence; one document alone is no grouping. */
	function documentsOf(files) {
		const found = files.filter(({ documents }) => new Set(documents).size > 1);
		for (const { source, documents } of found) {
			const [first] = found,
				same =
					documents.length === first.documents.length && documents.every((own, i) => own === first.documents[i]);
			if (same) continue;
			throw source.fault({
				problem: `its # newdoc lines differ from those of ${first.source.name}`,
				expected: "the same documents",
			});
		}
		return found.length ? found[0].documents : null;
	}

	// --- Counts ---
	const cellsOf = ({ rows }, column) => rows.map((row) => COLUMNS[column].map((place) => row[place]).join(" "));

	/* Words right and wrong per sentence; by class where there are not too many. */
	function countsOf(gold, systems, column) {
		const right = cellsOf(gold, column),
			answers = systems.map((own) => cellsOf(own, column));
		refuseOneValue(gold, systems, column, right, answers);
		const classes = [...new Set([...right, ...answers.flat()])].sort(byLetters);
		if (classes.length > MOST_CLASSES || column === "HEAD" || column === "LAS")
			return answers.map((own) => ({ runs: [rightAndWrong(right, own, gold.ends)], byClass: false }));
		const place = new Map(classes.map((name, i) => [name, i]));
		return answers.map((own) => ({ runs: [Compare.countWords(right, own, place, gold.ends)], byClass: true }));
	}
	function refuseOneValue(gold, systems, column, right, answers) {
		if (new Set(right).size === 1) {
			const others = Object.keys(COLUMNS).filter((name) => new Set(cellsOf(gold, name)).size > 1);
			throw gold.source.fault({
				problem: `the column ${column} has one value only, ${shown(right[0], 40)}`,
				expected: "a gold standard that varies",
				ways: others.slice(0, 3).map((name) => say("column", name)),
			});
		}
		answers.forEach((own, i) => {
			if (new Set(own).size > 1) return;
			throw systems[i].source.fault({
				problem: `the column ${column} has one value only, ${shown(own[0], 40)}, in every word`,
				expected: "what the system says of each word",
			});
		});
	}
	function rightAndWrong(right, answer, ends) {
		const rows = new Compare.Rows(3);
		let from = 0;
		for (const to of ends) {
			let hits = 0;
			for (let i = from; i < to; i++) hits += Number(right[i] === answer[i]);
			const wrong = to - from - hits;
			rows.add([
				[0, hits],
				[1, wrong],
				[2, wrong],
			]);
			from = to;
		}
		return rows.done();
	}

	Object.assign(Compare, { isConllu, readConllu, COLUMNS_OF_CONLLU: Object.keys(COLUMNS) });
})();
