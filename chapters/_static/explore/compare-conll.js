/* Compare two files here: tags in columns, one word per line, a blank line after each
	 sentence (betterthan.readers.conll and betterthan.counts). A file is kept flat: for every word its cells
	 in the columns asked for and its line; where the sentences end; the document of each. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, count, counted, quoted, say, shown, someOf, strip } = Compare;

	const MOST_LINES = 5e6,
		MOST_TAGS = 1000;
	// One rule reads the spans of every scheme: what begins a span, what ends one, what goes on.
	const IN_IOBES = { B: "B", I: "I", E: "E", S: "S", L: "E", U: "S", M: "I", B2: "I", B3: "I" };
	const prefixOf = (tag) => (tag.includes("-") ? tag.slice(0, tag.indexOf("-")) : tag);
	const isSpan = (tag) => tag === "O" || Object.hasOwn(IN_IOBES, prefixOf(tag));
	const isRemark = (line) => line.startsWith("# ");

	/* Blank lines divide the rows of CoNLL files, as in no table; or the last column is tags. */
	function isConll({ head }, options) {
		if (/^\s*[{[]/.test(head)) return false;
		const lines = head.split("\n").filter((line) => strip(line)),
			first = lines.find((line) => !isRemark(line)) ?? "";
		if (first.startsWith("-DOCSTART-")) return true;
		const width = first.includes("\t")
			? first.split("\t").length
			: strip(first)
					.split(/\s+/)
					.filter((cell) => cell).length;
		if (width < 2 || options.scheme || options.columns || options.comments) return width >= 2;
		const inColumns = first.includes("\t") || !/[,;]/.test(first) || width > 2;
		const tags = lines
			.slice(0, 50)
			.filter((line) => !isRemark(line))
			.map((line) => strip(line).split(/\s+/).at(-1));
		return inColumns && (/\S\n[ \t]*\n\s*\S/.test(head) || tags.every(isSpan));
	}

	// --- Columns ---
	function cellsOf(line, separator) {
		if (separator === " ") return line.split(/[ \t]+/).filter((cell) => cell);
		const cells = line.split(separator);
		return line.includes(" ") ? cells.map((cell) => cell.replace(/^ +| +$/g, "") || cell) : cells;
	}

	/* Calls `take` with the cells of every word, its line, and the numbers of its sentence and document. */
	function eachWord(source, options, take) {
		const { text } = source;
		let document = 0,
			sentence = -1,
			inside = false,
			separator = Compare.separatorOf(options.separator) ?? null;
		for (let number = 1, from = 0, to; from <= text.length; number++, from = to + 1) {
			to = text.indexOf("\n", from);
			if (to < 0) to = text.length;
			const line = text.slice(from, to);
			if (!/[^ \t]/.test(line)) {
				inside = false;
				continue;
			}
			if (options.comments && line.startsWith(options.comments)) continue;
			if (number > MOST_LINES)
				throw source.fault({ problem: `more than ${count(MOST_LINES)} lines`, expected: "a smaller file" });
			separator ??= line.includes("\t") ? "\t" : " ";
			const cells = cellsOf(line, separator);
			if (cells[0] === "-DOCSTART-") {
				document++;
				inside = false;
				continue;
			}
			if (!inside) sentence++;
			inside = true;
			take({ cells, line, number, sentence, document, last: to === text.length });
		}
	}

	/* The columns asked for ({word: 0, gold: -2, "predicted 0": -1}), flat. */
	function readColumns(source, wanted, options) {
		const found = {
			source,
			line: [],
			ends: [],
			documents: [],
			columns: null,
			width: 0,
			labels: [new Set(), new Set(), new Set()],
		};
		const same = new Map(); // one string per tag, not one per word
		let places = null,
			misplaced = null; // said when all rows are found to have as many cells
		eachWord(source, options, ({ cells, line, number, sentence, document, last }) => {
			if (places === null) {
				found.width = cells.length;
				try {
					places = found.places = placesOf(source, wanted, cells.length);
				} catch (error) {
					[places, misplaced] = [{}, error];
				}
				found.columns = Object.fromEntries(Object.keys(places).map((name) => [name, []]));
			}
			refuseCells(source, options, { cells, line, number, last }, found.width);
			if (found.documents.length <= sentence) {
				if (found.line.length) found.ends.push(found.line.length);
				found.documents.push(document);
			}
			found.line.push(number);
			for (const [name, place] of Object.entries(places)) {
				const cell = cells[place];
				if (name !== "word" && !same.has(cell)) same.set(cell, cell);
				found.columns[name].push(name === "word" ? cell : same.get(cell));
			}
			if (found.width > 3) noteLabels(found.labels, cells);
		});
		if (!found.line.length) throw source.fault({ problem: "no rows", expected: "one word per line" });
		if (misplaced) throw misplaced;
		found.ends.push(found.line.length);
		return found;
	}

	function refuseCells(source, options, { cells, line, number, last }, width) {
		if (cells.length !== width) {
			const end = cells.length < width && last ? "; is the file cut off?" : "";
			// A remark is this line, or was the first and said how many columns there are.
			const remarks = !options.comments && (line.startsWith("# ") || /^\s*# /.test(source.text));
			throw source.fault({
				line: number,
				expected: `${width} columns, found ${cells.length}: ${shown(line, 80)}${end}`,
				ways: remarks ? [say("comments", "# ", "if lines with # are remarks")] : [],
			});
		}
		const empty = cells.indexOf("");
		if (empty >= 0)
			throw source.fault({ line: number, problem: `column ${empty + 1} is empty: ${shown(line, 80)}` });
	}

	/* The place of each column from the left. */
	function placesOf(source, wanted, width) {
		const places = {};
		if (width < Object.keys(wanted).length) {
			const names = Object.keys(wanted).map((name) => name.split(" ")[0]).join(", ");
			throw source.fault({
				problem: `has ${counted(width, "column")}, too few for ${names}`,
				ways: [say("gold", undefined, "for a gold standard in a file of its own")],
			});
		}
		for (const [name, number] of Object.entries(wanted)) {
			const place = ((number % width) + width) % width,
				inside = Number.isInteger(number) && -width <= number && number < width;
			if (!inside || Object.values(places).includes(place)) {
				const problem = `columns: ${name} is ${number}, but ${source.name} has ${counted(width, "column")}`;
				throw new InputError({
					problem,
					expected: `a number from ${-width} to ${width - 1}, each once`,
					ways: [say("gold", undefined, "for a gold standard in a file of its own")],
				});
			}
			places[name] = place;
		}
		return places;
	}

	/* The labels of the last three columns: gold and two systems have the same. */
	function noteLabels(labels, cells) {
		labels.forEach((own, k) => {
			const tag = cells[cells.length - 3 + k],
				hyphen = tag.indexOf("-");
			if (hyphen >= 0 && hyphen < tag.length - 1) own.add(tag.slice(hyphen + 1));
		});
	}
	const threeAlike = ([first, second, third]) =>
		[...first].some((label) => second.has(label) || third.has(label));

	/* The same words and gold tags in the same sentences, or the first place where not. */
	function refuseOthers(ours, theirs) {
		const names = ["word", "gold"].filter((name) => ours.columns[name] && theirs.columns[name]);
		const at = ({ ends, line, columns }, k, sentence) => {
			if (ends[sentence] === k) return [line[k - 1] + 1, "the end of a sentence"];
			if (k >= line.length) return [0, "the end of the file"];
			return [line[k], names.map((name) => columns[name][k]).join(" ")];
		};
		for (let k = 0, s = 0; ;) {
			const [line, a] = at(ours, k, s),
				[other, b] = at(theirs, k, s);
			if (a !== b) {
				if (names.includes("word")) refuseMissing(ours, theirs);
				const there = theirs.source.name + (other ? `, line ${count(other)}` : "");
				const problem = `${shown(a)}, but ${shown(b)} in ${there}`;
				throw ours.source.fault({ line, problem, expected: "the same sentences and gold tags" });
			}
			if (a === "the end of the file") return;
			if (a === "the end of a sentence") s++;
			else k++;
		}
	}

	/* The words of each sentence, as one string. */
	const sentencesOf = ({ ends, columns }) =>
		ends.map((end, s) => columns.word.slice(s ? ends[s - 1] : 0, end).join("\n"));
	const firstLine = ({ ends, line }, s) => line[s ? ends[s - 1] : 0];

	/* Where one file goes on a few sentences later in the other, those between are missing. */
	function refuseMissing(ours, theirs) {
		const [a, b] = [ours, theirs].map(sentencesOf);
		let start = 0;
		while (start < a.length && a[start] === b[start]) start++;
		if (start === a.length && start === b.length) return; // the gold tags differ
		const there = [
			[goesOn(a, b, start) - start, ours, theirs, b],
			[goesOn(b, a, start) - start, theirs, ours, a],
		].filter(([n]) => n > 0);
		if (!there.length) return;
		const [n, short, whole, sentences] = there.reduce((best, one) => (one[0] < best[0] ? one : best)),
			inside = start < short.ends.length,
			it = n === 1 ? "it" : "them";
		const seems = `${counted(n, "sentence")} ${n === 1 ? "seems" : "seem"} to be missing`,
			text = `${seems} ${inside ? "before this line" : "at the end"}: ${shown(sentences[start].replaceAll("\n", " "))}`;
		throw short.source.fault({
			...(inside ? { line: firstLine(short, start) } : {}),
			problem: `${text} of ${whole.source.name}, line ${firstLine(whole, start)}`,
			expected: `the same sentences in all files: predict ${it}, or take ${it} out of the others`,
		});
	}
	/* Where the other file goes on as this one does from `start`; 0 if nowhere. */
	function goesOn(short, whole, start) {
		if (start >= short.length) return whole.length;
		for (let k = start + 1; k < whole.length; k++)
			if (whole[k] === short[start] && whole[k + 1] === short[start + 1]) return k;
		return 0;
	}

	/* The labels of a column, but for O, each with the tag that has it first. */
	function firstTags({ columns }, name) {
		const found = new Map();
		for (const tag of new Set(columns[name])) {
			if (tag === "O") continue;
			const label = isSpan(tag) ? tag.slice(prefixOf(tag).length + 1) : tag;
			if (!found.has(label)) found.set(label, tag);
		}
		return found;
	}
	const placeInWords = ({ places, width }, name) => `column ${places[name] + 1} of ${width}`;

	/* Tags that share no label with the gold standard mean that it is another column, or file. */
	function refuseOtherLabels(gold, file) {
		const right = firstTags(gold, "gold"),
			own = firstTags(file, "predicted 0");
		if (!right.size || !own.size || [...own.keys()].some((label) => right.has(label))) return;
		const inside = gold === file,
			there = `${placeInWords(gold, "gold")}${inside ? "" : ` of ${gold.source.name}`}`;
		throw file.source.fault({
			problem:
				`${there} is taken for the gold standard, with tags such as ${someOf([...right.values()], 3)}, ` +
				`and ${placeInWords(file, "predicted 0")} for the system, with tags such as ` +
				`${someOf([...own.values()], 3)}: they share no label`,
			ways: [
				say("gold", undefined, inside ? "for a gold standard in a file of its own" : "if it is another file"),
				say("columns", undefined, "if they are others: the numbers of word, gold and system, 0 is first"),
			],
		});
	}

	// --- Spans and words ---
	/* Tags as numbers: 4 × label + (0 inside, 1 begins, 2 ends, 3 both), or -1 for O. */
	function codeTags(file, name, codes, labels) {
		return Int32Array.from(file.columns[name], (tag, i) => {
			let code = codes.get(tag);
			if (code === undefined) {
				if (!isSpan(tag)) throw noSpan(file, name, i, tag);
				code = codeOf(tag, labels);
				codes.set(tag, code);
			}
			return code;
		});
	}
	function codeOf(tag, labels) {
		if (tag === "O") return -1;
		const label = tag.slice(prefixOf(tag).length + 1);
		if (!labels.has(label)) labels.set(label, labels.size);
		return 4 * labels.get(label) + { I: 0, B: 1, E: 2, S: 3 }[IN_IOBES[prefixOf(tag)]];
	}
	function noSpan({ source, line }, name, i, tag) {
		return source.fault({
			line: line[i],
			problem: `the ${name.split(" ")[0]} tag ${shown(tag)}`,
			expected: `O, or ${Object.keys(IN_IOBES).join(", ")} with or without a label, such as B-PER`,
			ways: [say("scheme", "plain", "for tags without spans, such as parts of speech")],
		});
	}

	/* The spans between two places, as [start, end, label] in a flat list (the CoNLL scorer's rule). */
	function spans(coded, from, to) {
		const found = [];
		let start = -1,
			open = -1,
			closed = true;
		for (let i = from; i < to; i++) {
			const code = coded[i];
			if (code < 0) {
				if (start >= 0) found.push(start, i, open);
				start = -1;
				closed = true;
				continue;
			}
			const label = code >> 2,
				kind = code & 3;
			if (closed || kind & 1 || label !== open) {
				if (start >= 0) found.push(start, i, open);
				start = i;
				open = label;
			}
			closed = kind >= 2;
		}
		if (start >= 0) found.push(start, to, open);
		return found;
	}

	/* How many spans two lists share; both are in order. */
	function shared(right, ours) {
		let i = 0,
			j = 0,
			both = 0;
		while (i < right.length && j < ours.length) {
			if (right[i] === ours[j] && right[i + 1] === ours[j + 1] && right[i + 2] === ours[j + 2]) both++;
			if (right[i] <= ours[j]) {
				if (right[i] === ours[j]) j += 3;
				i += 3;
			} else j += 3;
		}
		return both;
	}

	/* tp, fp and fn of each sentence. */
	function countSpans(gold, given, ends) {
		const rows = new Compare.Rows(3);
		let from = 0;
		for (const to of ends) {
			const right = spans(gold, from, to),
				ours = spans(given, from, to),
				both = shared(right, ours);
			rows.add([
				[0, both],
				[1, ours.length / 3 - both],
				[2, right.length / 3 - both],
			]);
			from = to;
		}
		return rows.done();
	}

	/* Words right and wrong per sentence and class: tags that have no spans. */
	function countWords(gold, given, place, ends) {
		const k = place.size,
			rows = new Compare.Rows(3 * k);
		let from = 0;
		for (const to of ends) {
			const own = new Map(),
				add = (column) => own.set(column, (own.get(column) ?? 0) + 1);
			for (let i = from; i < to; i++) {
				const [right, said] = [place.get(gold[i]), place.get(given[i])];
				if (right === said) add(right);
				else {
					add(k + said);
					add(2 * k + right);
				}
			}
			rows.add([...own].sort((a, b) => a[0] - b[0]));
			from = to;
		}
		return rows.done();
	}

	// --- Reading ---
	function readConll(sources, options) {
		if (options.scheme !== undefined && options.scheme !== "plain") {
			throw new InputError({
				argument: "scheme",
				value: options.scheme,
				expected: "plain, or nothing for spans of any scheme",
			});
		}
		const apart = options.gold !== undefined,
			[gold, systems] = apart ? goldAndSystems(sources, options.gold) : [null, sources];
		const wanted = wantedColumns(options.columns, apart),
			predicted = Object.keys(wanted).filter((name) => name.startsWith("predicted"));
		const without = (absent) =>
			Object.fromEntries(Object.entries(wanted).filter(([name]) => !absent.includes(name)));
		const files = [];
		for (const source of apart ? [gold, ...systems] : systems) {
			const absent = apart ? (source === gold ? predicted : ["gold"]) : [];
			files.push(readColumns(source, without(absent), options));
			refuseOthers(files.at(-1), files[0]);
		}
		if (!options.columns && !apart && threeAlike(files[0].labels)) refuseThree(sources[0]);
		const given = files.slice(Number(apart)).flatMap((file) => predicted.map((name) => [file, name]));
		const isPlain = options.scheme === "plain" || !files[0].columns.gold.every(isSpan);
		if (!options.columns) {
			// Nobody said which they are.
			for (const file of files.slice(Number(apart)))
				if (isPlain || file.columns["predicted 0"].every(isSpan)) refuseOtherLabels(apart ? files[0] : file, file);
		}
		const groups = documentsOf(files),
			runs = isPlain ? countAllWords(files[0], given) : countAllSpans(files[0], given);
		const reading = [
			`${count(files[0].ends.length)} sentences`,
			...(groups ? ["documents by -DOCSTART- lines"] : []),
			`tags: ${isPlain ? "plain, every word counts" : "spans, any scheme"}`,
		];
		return namesOf(systems, predicted, wanted).map((name, i) => ({
			...Compare.NOTHING_KNOWN,
			name,
			groups,
			unit: "sentence",
			held: { kind: "counted", runs: [runs[i]], byClass: isPlain },
			reading,
		}));
	}

	/* The file that holds the gold standard, by its name, and the others. */
	function goldAndSystems(sources, name) {
		const gold = sources.find((source) => source.name === name),
			others = sources.filter((source) => source !== gold);
		if (gold === undefined || !others.length) {
			const files = sources.map((source) => source.name).join(", ");
			const expected = `one of the files, beside those of the systems: ${files}`;
			throw new InputError({ argument: "gold", value: name, expected });
		}
		return [gold, others];
	}

	/* Where word, gold and each system stand: predicted 0, predicted 1 … */
	function wantedColumns(columns, apart) {
		if (!columns) return { word: 0, gold: apart ? -1 : -2, "predicted 0": -1 };
		const {
			word = 0,
			gold,
			predicted,
		} = Array.isArray(columns)
			? { word: columns[0], gold: columns[1], predicted: columns.slice(2) }
			: columns;
		const several = [predicted ?? []].flat();
		if (gold === undefined || !several.length) {
			throw new InputError({
				argument: "columns",
				value: columns,
				expected: "the numbers of word, gold and each system",
			});
		}
		return { word, gold, ...Object.fromEntries(several.map((number, i) => [`predicted ${i}`, number])) };
	}
	function refuseThree(source) {
		throw source.fault({
			problem: "the last three columns hold the same kind of tags: gold and two systems?",
			ways: [
				say("columns", { word: 0, gold: -3, predicted: [-2, -1] }),
				say("columns", { word: 0, gold: -2, predicted: -1 }, "if only the last is a system's"),
			],
		});
	}
	/* The document of each sentence; one document alone is no grouping. */
	function documentsOf(files) {
		const found = files.filter(({ documents }) => new Set(documents).size > 1);
		for (const { source, documents } of found) {
			if (documents.every((own, i) => own === found[0].documents[i])) continue;
			throw source.fault({
				problem: `its -DOCSTART- lines differ from those of ${found[0].source.name}`,
				expected: "the same documents",
			});
		}
		return found.length ? found[0].documents : null;
	}
	/* Systems are called as their files are, and by the column where a file has several. */
	function namesOf(sources, predicted, wanted) {
		const stems = Compare.namesOfSystems(sources);
		return predicted.length === 1
			? stems
			: stems.flatMap((stem) => predicted.map((name) => `${stem}:${wanted[name]}`));
	}
	function countAllSpans(gold, given) {
		const codes = new Map(),
			labels = new Map(),
			right = codeTags(gold, "gold", codes, labels);
		return given.map(([file, name]) => countSpans(right, codeTags(file, name, codes, labels), gold.ends));
	}
	function countAllWords(gold, given) {
		const right = new Set(gold.columns.gold),
			tags = new Set(right);
		for (const [file, name] of given) for (const tag of file.columns[name]) tags.add(tag);
		if (tags.size > MOST_TAGS || right.size === 1) {
			const many = `${count(tags.size)} tags, such as ${someOf([...tags].sort(Compare.byLetters), 3)}`;
			const problem =
				right.size === 1 ? `the gold column has one value only, ${quoted([...right][0])}` : many;
			throw gold.source.fault({ problem, ways: [say("columns", undefined, "if others")] });
		}
		const place = new Map([...tags].sort(Compare.byLetters).map((tag, i) => [tag, i]));
		return given.map(([file, name]) => countWords(gold.columns.gold, file.columns[name], place, gold.ends));
	}

	Object.assign(Compare, { isConll, readConll, goldAndSystems, spans, countWords });
})();
