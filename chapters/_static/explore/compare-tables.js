/* Compare two files here: tables as people have them (betterthan.readers._table). CSV with
	 comma, semicolon or tab, JSON lines, a JSON list: columns of cells, each the text of the file. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, count, leftStrip, say, shortest, shown, someOf, strip } = Compare;

	const HEAD = 100000,
		LONGEST_HEADER = 1e6,
		MOST_ROWS = 5e6,
		SOME = 1000,
		FIRST = 50; // what a file is is asked of so many lines
	const SEPARATORS = ["\t", ";", ","];
	// Digits before the point are matched once: with \d+\.?\d* a long row of digits takes its square.
	const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
	const DECIMAL_COMMA = /^[+-]?\d+,\d+$/,
		THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/, // what may be a thousand and some as well: 1,167
		WHOLE = /^\d{1,15}$/;
	const POINT = "a decimal comma? write a point";
	// What people and programs write where there is no answer.
	const NO_ANSWER = new Set(["#n/a", "-", "--", "<na>", "n/a", "na", "nan", "none", "null"]);
	// Words for right and wrong.
	const RIGHT_WRONG = [
		["true", "false"],
		["yes", "no"],
		["pass", "fail"],
		["passed", "failed"],
		["correct", "incorrect"],
		["right", "wrong"],
		["c", "i"],
	];

	// What people type for a mark between columns.
	const SEPARATOR_WORDS = new Map(
		Object.entries({
			"\\t": "\t",
			tab: "\t",
			comma: ",",
			semicolon: ";",
			bar: "|",
			pipe: "|",
			blank: " ",
			space: " ",
		}),
	);
	/* A mark between columns that was said by its name; anything else as it is. */
	const separatorOf = (said) => SEPARATOR_WORDS.get(said) ?? said;

	const isNumber = (cell) => NUMBER.test(cell) && Number.isFinite(Number(cell));
	const decimalComma = (cell) => DECIMAL_COMMA.test(cell);
	const bare = (cell) => strip(cell.replace(/%$/, ""));
	/* Whether a cell is a number, or one with a decimal comma or a percent sign. */
	const looksLikeNumber = (cell) => isNumber(bare(cell)) || decimalComma(bare(cell));
	/* What is expected instead of a cell that is no number, and how to write what it may mean. A comma before
		 three digits may set thousands apart, unless another cell beside it has a decimal comma. */
	function insteadOf(cell, beside = []) {
		const number = bare(cell).replaceAll(",", ".");
		if (!looksLikeNumber(cell)) return "a finite number";
		if (cell.endsWith("%"))
			return `a finite number (write ${number}, or ${Compare.general(Number(number) / 100)}, without %)`;
		if ([cell, ...beside].filter(decimalComma).every((one) => THOUSANDS.test(one)))
			return `a finite number; write ${cell.replace(",", "")}, or ${number} if the comma is a decimal point`;
		return `a finite number; ${POINT}: ${number}`;
	}

	// --- Files ---
	/* One file: its name, its text, and its beginning for whoever asks what it is. */
	class Source {
		constructor({ name, text }) {
			this.name = name;
			this.text = text;
			this.head = text.slice(0, HEAD);
			this.tables = new Map();
		}
		fault(parts) {
			return new InputError({ file: this.name, ...parts });
		}
	}

	/* The text without a byte order mark and with \n as line end; what is not text is refused by name. */
	function plainText(text, name) {
		const kinds = {
			"\u001f\ufffd": "gzip",
			"\u001f\u008b": "gzip",
			"PK\u0003\u0004": "a zip or a spreadsheet",
			PAR1: "parquet",
		};
		for (const [mark, kind] of Object.entries(kinds)) {
			if (text.startsWith(mark)) {
				const expected = kind === "gzip" ? "text; unpack it first" : "text; save the table as CSV (UTF-8)";
				throw new InputError({ file: name, problem: `this is ${kind}`, expected });
			}
		}
		text = text.replace(/^\ufeff/, "");
		// A lone \r ends lines only where nothing else does; in a tweet it is a character.
		return text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n");
	}

	// --- Columns ---
	/* Computes each of these once, when it is asked for. */
	function lazily(prototype, properties) {
		for (const [name, compute] of Object.entries(properties)) {
			Object.defineProperty(prototype, name, {
				configurable: true,
				get() {
					const value = compute.call(this);
					Object.defineProperty(this, name, { value });
					return value;
				},
			});
		}
	}

	/* The cells of one column, and what they are. */
	class Column {
		constructor(name, cells) {
			this.name = name;
			this.cells = cells;
		}
		get length() {
			return this.cells.length;
		}
	}
	lazily(Column.prototype, {
		distinct() {
			return new Set(this.cells);
		},
		/* The different cells that are not blank. */
		values() {
			const found = new Set(this.distinct);
			found.delete("");
			return found;
		},
		isDistinct() {
			return this.distinct.size === this.length && !this.distinct.has("");
		},
		blanks() {
			return this.distinct.has("") ? this.cells.filter((cell) => !cell).length : 0;
		},
		/* The cells as numbers, NaN for a blank one; null if any is something else. */
		numbers() {
			const found = new Float64Array(this.length);
			for (let i = 0; i < found.length; i++) {
				const cell = this.cells[i];
				if (cell && !isNumber(cell)) return null;
				found[i] = cell ? Number(cell) : NaN;
			}
			return found;
		},
		isNumber() {
			return this.numbers !== null && this.blanks < this.length;
		},
		/* The smallest and the largest number. */
		range() {
			let low = Infinity,
				high = -Infinity;
			for (const value of this.numbers) {
				if (value < low) low = value;
				if (value > high) high = value;
			}
			return [low, high];
		},
		/* The words for right and wrong that all its cells are; null if they are not. */
		rightWrong() {
			const words = [...this.values];
			if (!words.length || words.length > 4) return null;
			const all = (pair) => words.every((word) => pair.includes(word.toLowerCase()));
			// C and I are grades in capitals only.
			return (
				RIGHT_WRONG.find(
					(pair) => all(pair) && (pair[0] !== "c" || words.every((word) => "CI".includes(word))),
				) ?? null
			);
		},
		isText() {
			return !(this.isNumber || this.rightWrong || this.values.size === 0);
		},
		isWhole() {
			return [...this.distinct].every((cell) => WHOLE.test(cell));
		},
		/* What most of the cells are is asked of some. */
		some() {
			return this.cells.slice(0, SOME).filter((cell) => cell);
		},
		mostlyNumbers() {
			if (!this.isText) return false;
			const like = this.some.filter(looksLikeNumber).length;
			return this.some.length > 0 && 2 * like >= this.some.length;
		},
		/* The words for right and wrong that half of its cells are, though not all. */
		mostlyRightWrong() {
			if (!this.isText || !this.some.length) return null;
			const share = (pair) =>
				this.some.filter((cell) => pair.includes(cell.toLowerCase())).length / this.some.length;
			return RIGHT_WRONG.slice(0, -1).find((pair) => share(pair) >= 0.5) ?? null;
		},
		/* The same with N/A, null and the like as blank, where the rest, at least half of it, is numbers or
			 right and wrong; of any other column it is the column itself. */
		answers() {
			const none = (cell) => NO_ANSWER.has(cell.toLowerCase());
			if (!this.isText || ![...this.distinct].some(none)) return this;
			const found = new Column(
				this.name,
				this.cells.map((cell) => (none(cell) ? "" : cell)),
			);
			return found.isText || 2 * found.blanks > found.length ? this : found;
		},
		/* Whether its values come again so often that they may say what rows belong to: a tenth of the rows
			 share theirs with another, and not all share one. */
		repeats() {
			if (this.isDistinct || this.values.size < 2) return false;
			const seen = new Map();
			for (const cell of this.cells) seen.set(cell, (seen.get(cell) ?? 0) + 1);
			let sharing = 0;
			for (const [cell, times] of seen) if (cell && times > 1) sharing += times;
			return sharing >= 0.1 * this.length;
		},
		/* Whether it numbers the rows: 0, 1, 2 … as they stand, or ten and more in any order. */
		risesByOne() {
			if (!this.isWhole || !this.isDistinct || this.length < 3) return false;
			const [low, high] = this.range;
			return (this.length >= 10 && high - low === this.length - 1) || this.countsRows;
		},
		/* Whether it numbers the rows as they stand: 0, 1, 2 … */
		countsRows() {
			return this.isWhole && this.cells.every((cell, i) => i === 0 || Number(cell) === Number(this.cells[i - 1]) + 1);
		},
		/* The first row whose cell, if not blank, has been there before, and where that was; or null. */
		again() {
			const first = new Map(),
				row = this.cells.findIndex((cell, i) => cell && (first.has(cell) || !first.set(cell, i)));
			return row < 0 ? null : [row, first.get(this.cells[row])];
		},
		/* Whether it counts up and begins again, like numbers of rows within groups. */
		beginsAgain() {
			if (!this.isWhole || this.isDistinct || this.distinct.size < 3) return false;
			const values = this.cells.map(Number);
			let again = 0,
				rises = 0;
			for (let i = 1; i < values.length; i++) {
				const rose = values[i] === values[i - 1] + 1,
					first = values[i] === values[0];
				if (!rose && !first) return false;
				rises += Number(rose);
				again += Number(first);
			}
			return again >= 1 && rises >= 2 && rises > again;
		},
		/* Whether it is whole numbers that come again and never fall, like numbers of documents. */
		standsInBlocks() {
			if (this.length < 10 || this.distinct.size < 3 || !this.isWhole || this.isDistinct) return false;
			return this.cells.every((cell, i) => i === 0 || Number(cell) >= Number(this.cells[i - 1]));
		},
	});

	// --- Tables ---
	class Table {
		constructor(source, columns, lines, separator = "") {
			this.source = source;
			this.columns = columns;
			this.lines = lines;
			this.separator = separator;
			this.whole = this; // all rows of the file, where these are the ones that were asked for
			this.lacks = false; // whether some cells are blank because the file lacks a row
			this.elsewhere = new Map(); // for columns that stand in other rows: those, and the name there
		}
		get names() {
			return [...this.columns.keys()];
		}
		get length() {
			return this.lines.length;
		}
		has(name) {
			return this.columns.has(name);
		}
		column(name) {
			return this.columns.get(name);
		}
		cells(name) {
			return this.columns.get(name).cells;
		}
		fault(parts) {
			return this.source.fault(parts);
		}
		faultAt(row, column, parts) {
			if (this.elsewhere.has(column)) {
				const [table, name] = this.elsewhere.get(column);
				return table.faultAt(row, name, parts);
			}
			return this.fault({ line: this.lines[row], column, value: this.cells(column)[row], ...parts });
		}
		/* The columns' names as lists show them. */
		get shownNames() {
			return this.names.map(Compare.shownName);
		}
		/* A column's name in the file: the one that has none may be said as it is shown. */
		called(name) {
			return name === Compare.shownName("") && !this.has(name) && this.has("") ? "" : name;
		}
		/* Refuses a name that is no column. */
		need(argument, name) {
			if (this.has(name)) return;
			const ways = this.columns.size === 1 ? [say("separator", undefined, "if that is another")] : [];
			const near = Compare.isIt(name, this.names),
				expected = `a column of ${this.source.name}: ${Compare.someOf(this.shownNames, 12)}${near}`;
			throw new InputError({ argument, value: name, expected, ways });
		}
		/* The cells of a column, none of which may be blank. */
		filled(name) {
			const cells = this.cells(name),
				bad = this.column(name).blanks ? cells.indexOf("") : -1;
			if (bad >= 0) throw this.faultAt(bad, name, { expected: "a value in every row" });
			return cells;
		}
		/* The different cells of some columns, as they come first in the whole file: so the order of systems is
			 the same with rows chosen and without. */
		inOrder(...names) {
			const columns = names.map((name) => this.whole.cells(name)),
				found = new Set();
			this.whole.lines.forEach((_, row) => {
				for (const cells of columns) found.add(cells[row]);
			});
			return [...found].filter((cell) => names.some((name) => this.column(name).distinct.has(cell)));
		}
		/* The same with what stands for no answer in these columns as blank; errors show the file. */
		answering(names) {
			const blanked = names.filter((name) => this.column(name).answers !== this.column(name));
			if (!blanked.length) return this;
			const found = Object.assign(this.rows([...this.lines.keys()]), { whole: this.whole });
			found.elsewhere = new Map(this.elsewhere);
			for (const name of blanked) {
				found.columns.set(name, this.column(name).answers);
				found.elsewhere.set(name, [this, name]);
			}
			return found;
		}
		/* Some of the rows; undefined is one that the file lacks, whose cells are blank. */
		rows(wanted) {
			const columns = new Map();
			for (const [name, { cells }] of this.columns)
				columns.set(
					name,
					new Column(
						name,
						wanted.map((row) => cells[row] ?? ""),
					),
				);
			return new Table(
				this.source,
				columns,
				wanted.map((row) => this.lines[row] ?? 0),
				this.separator,
			);
		}
	}

	/* The table in a file, which is parsed once. */
	function tableOf(source, separator) {
		const kept = separator ?? "";
		if (!source.tables.has(kept)) source.tables.set(kept, readTable(source, separator));
		return source.tables.get(kept);
	}

	function readTable(source, said) {
		const separator = separatorOf(said);
		if (separator !== undefined && (separator.length !== 1 || '"\r\n'.includes(separator))) {
			const expected = "one character, or tab, comma, semicolon, bar, blank";
			throw new InputError({ argument: "separator", value: said, expected });
		}
		if (/^[{[]/.test(leftStrip(source.head))) return fromJson(source);
		return fromCsv(source, separator ?? usualSeparator(source.head));
	}

	/* The first line that is neither blank nor a remark. */
	function lineOfNames(head) {
		return head.split("\n").find((line) => strip(line) && !leftStrip(line).startsWith("#")) ?? "";
	}
	/* The one of tab, semicolon and comma that the line of names has most of. */
	function usualSeparator(head) {
		const line = lineOfNames(head),
			times = SEPARATORS.map((mark) => line.split(mark).length - 1);
		return Math.max(...times) ? SEPARATORS[times.indexOf(Math.max(...times))] : ",";
	}
	/* Whether a file is a table at all, with the separator that was said, if one was. */
	function isTable({ head }, { separator } = {}) {
		const marks = separator === undefined ? SEPARATORS : [...SEPARATORS, separatorOf(separator)];
		return (
			/^[{[]/.test(leftStrip(head)) ||
			marks.some((mark) => lineOfNames(head).includes(mark)) ||
			isOneColumn(head)
		);
	}
	/* Whether a name stands above numbers, or above right and wrong in words, one per line. */
	function isOneColumn(head) {
		const lines = head
				.split("\n")
				.map((line) => strip(line).replace(/^"+|"+$/g, ""))
				.filter(Boolean),
			start = lines.findIndex((line) => !line.startsWith("#"));
		if (start < 0 || isNumber(lines[start])) return false;
		const below = lines.slice(start + 1, start + 1 + FIRST);
		if (!below.length) return false;
		return below.every(isNumber) || !new Column(lines[start], below).answers.isText;
	}
	/* A bar or a blank that divides the first lines into as many cells each; undefined if none does. */
	function otherSeparator(head) {
		const lines = head
			.split("\n")
			.slice(0, FIRST)
			.filter((line) => strip(line))
			.slice(0, -1);
		return ["|", " "].find((mark) => {
			const some = mark === "|" ? lines.slice(0, 2) : lines; // text of other columns has blanks, too
			const widths = new Set(some.map((line) => line.split(mark).length));
			return some.length > 1 && widths.size === 1 && !widths.has(1);
		});
	}

	const noRows = (source) =>
		source.fault({ problem: "no rows", expected: "a line of column names and rows below" });

	// --- CSV ---
	/* Where a cell without quotation marks ends. */
	function endOfCell(text, from, mark) {
		const separator = mark.charCodeAt(0);
		for (let i = from; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code === separator || code === 10 || code === 13) return i;
		}
		return text.length;
	}
	const afterReturns = (text, from) => {
		let i = from;
		while (text[i] === "\r") i++;
		return i;
	};

	/* A cell in quotation marks that begins at `from`: [its text, where it ends]. */
	function quotedCell(source, text, from, line) {
		let cell = "",
			i = from + 1;
		for (;;) {
			const end = text.indexOf('"', i);
			if (end < 0) {
				throw source.fault({
					line,
					problem: "a quotation mark is opened here and never closed; is the file cut off?",
				});
			}
			cell += text.slice(i, end);
			if (text[end + 1] !== '"') return [cell, end + 1];
			cell += '"';
			i = end + 2;
		}
	}

	/* The cells of the row that begins at `from`, and where the next begins; quotes as in RFC 4180. */
	function csvRow(source, text, from, mark, line) {
		const cells = [],
			first = afterReturns(text, from);
		if (text[first] === "\n" || first === text.length) return [cells, first + 1];
		for (let i = from; ; i++) {
			let cell;
			const inQuotes = text[i] === '"';
			if (inQuotes) [cell, i] = quotedCell(source, text, i, line);
			else {
				const end = endOfCell(text, i, mark);
				cell = text.slice(i, end);
				i = end;
			}
			cells.push(cell);
			if (text[i] === mark) continue;
			i = afterReturns(text, i);
			if (i >= text.length || text[i] === "\n") return [cells, i + 1];
			const problem =
				inQuotes && text[i - 1] === '"'
					? "something stands after a closing quotation mark; write one inside a cell twice"
					: "a carriage return within a cell without quotation marks";
			throw source.fault({ line, problem });
		}
	}

	/* Calls `take` with the line of names and the rows, each with its line; remarks are left out. */
	function eachRow(source, mark, take) {
		const { text } = source;
		let named = false,
			line = 1,
			rows = 0;
		for (let i = 0, next; i < text.length; i = next) {
			let cells;
			[cells, next] = csvRow(source, text, i, mark, line);
			const begins = line;
			line++;
			for (let at = text.indexOf("\n", i); at >= 0 && at < next - 1; at = text.indexOf("\n", at + 1)) line++;
			if (!cells.length || (!named && leftStrip(cells[0]).startsWith("#"))) continue;
			named = true;
			take(cells, begins);
			if (++rows > MOST_ROWS)
				throw source.fault({ problem: `more than ${count(MOST_ROWS)} rows`, expected: "a smaller file" });
		}
	}

	/* A line of names that does not end is none. */
	function refuseEndlessNames(source) {
		const { text } = source;
		if (text.length > LONGEST_HEADER && !text.slice(0, LONGEST_HEADER).includes("\n")) {
			throw source.fault({ line: 1, problem: `over ${count(LONGEST_HEADER)} characters; is it a CSV?` });
		}
	}

	function fromCsv(source, mark) {
		refuseEndlessNames(source);
		const columns = [],
			lines = [];
		let names = null;
		eachRow(source, mark, (cells, line) => {
			if (!names) {
				names = cells.map(strip);
				refuseNames(source, line, names);
				names.forEach(() => columns.push([]));
				return;
			}
			if (cells.length !== names.length) throw uneven(source, mark, line, names, cells);
			lines.push(line);
			for (let k = 0; k < cells.length; k++) columns[k].push(strip(cells[k]));
		});
		if (!lines.length) throw noRows(source);
		const table = new Table(
			source,
			new Map(names.map((name, k) => [name, new Column(name, columns[k])])),
			lines,
			mark,
		);
		refuseNamesAgain(table);
		refuseEmptyRows(table);
		return table;
	}

	/* A line of names has different names, and none of them is a number. */
	function refuseNames(source, line, names) {
		const bare = names.find(isNumber),
			all = shown(names.join(", "), 80);
		if (bare !== undefined) {
			const above = line > 1 ? " (one that begins with # is a remark)" : "";
			throw source.fault({
				line,
				expected:
					`column names, found the number ${shown(bare, 40)}: ${all}; is the line of names ` +
					`missing${above}? Write one above the rows, such as id,old,new`,
			});
		}
		if (new Set(names).size < names.length || names.indexOf("", 1) > 0) {
			throw source.fault({ line, expected: `different column names: ${all}` });
		}
	}

	/* A row has too few or too many cells. */
	function uneven(source, mark, line, names, cells) {
		let hint = "";
		if (hasDecimalCommas(cells, names.length)) hint = `; ${POINT}`;
		else if (cells.length === names.length + 1)
			hint =
				" (R's write.table: say col.names=NA; or does a cell with the separator in it want quotation marks?" +
				`${decimalComma(cells.slice(-2).join(mark)) ? ` Or ${POINT}` : ""})`;
		else if (cells.length > names.length) hint = " (a cell with the separator in it wants quotation marks)";
		return source.fault({
			line,
			expected: `${names.length} columns, one per name${hint}, found ${cells.length}: ${shown(cells.join(", "), 80)}`,
		});
	}

	/* Whether the last columns fall into two cells of digits each: 0,5 between commas. */
	function hasDecimalCommas(cells, names) {
		const whole = 2 * names - cells.length; // columns at the left that are one cell
		const enough = cells.length === 2 * names || cells.length > names + 1; // one more may be R's row names
		return whole >= 0 && enough && cells.slice(whole).every((cell) => /^[+-]?\d+$/.test(cell));
	}

	/* Of two tables that were joined, the second brings its line of names. */
	function refuseNamesAgain(table) {
		const columns = [...table.columns.values()];
		if (columns.length < 2 || !columns.every((column) => column.distinct.has(column.name))) return;
		const row = table.lines.findIndex((_, i) => columns.every(({ name, cells }) => cells[i] === name));
		const problem = "repeats the names of the columns, as where two tables were joined; take it out";
		if (row >= 0) throw table.fault({ line: table.lines[row], problem });
	}

	/* A row without any value is refused, not dropped. */
	function refuseEmptyRows(table) {
		const columns = [...table.columns.values()];
		if (!columns.every((column) => column.blanks)) return;
		const row = table.lines.findIndex((_, i) => columns.every(({ cells }) => !cells[i]));
		if (row >= 0)
			throw table.fault({ line: table.lines[row], problem: "a row of empty cells; take it out, or fill it" });
	}

	// --- JSON ---
	/* A list of objects, or an object per line: keys are the names of columns. */
	function fromJson(source) {
		const [records, lines] = jsonRecords(source),
			names = new Set();
		for (const record of records) for (const name of record.keys()) names.add(name);
		if (!records.length || !names.size) throw noRows(source);
		const columns = new Map();
		for (const name of names) {
			columns.set(
				strip(name),
				new Column(
					strip(name),
					records.map((record) => record.get(name) ?? ""),
				),
			);
		}
		if (columns.size < names.size)
			throw source.fault({ expected: `different names of fields: ${shown(someOf([...names], 12), 80)}` });
		const table = new Table(source, columns, lines);
		refuseEmptyRows(table);
		return table;
	}

	function jsonRecords(source) {
		const { text } = source;
		const object = (found, line) => {
			if (!(found instanceof Map)) throw source.fault({ line, expected: "an object with named fields" });
			return found;
		};
		if (leftStrip(text).startsWith("[")) {
			const found = new Json(source, text, 1).list();
			return [found.map((one) => object(one, 0)), found.map(() => 0)];
		}
		const records = [],
			lines = [];
		text.split("\n").forEach((line, i) => {
			if (!strip(line)) return;
			records.push(object(new Json(source, line, i + 1).whole(), i + 1));
			lines.push(i + 1);
		});
		return [records, lines];
	}

	/* Reads JSON and keeps every digit of a number, which JSON.parse does not: ids are long. An object is a
		 Map from names to cells as a table has them; what holds other values is its JSON. */
	class Json {
		constructor(source, text, line) {
			Object.assign(this, { source, text, line, i: 0, depth: 0 });
		}
		fail() {
			return this.source.fault({
				line: this.line,
				problem: `not JSON (character ${count(this.i + 1)}); is the file cut off?`,
			});
		}
		blank() {
			while (this.i < this.text.length && " \t\n\r".includes(this.text[this.i])) this.i++;
		}
		/* Takes the mark if it comes next. */
		next(mark) {
			this.blank();
			if (this.text[this.i] !== mark) return false;
			this.i++;
			return true;
		}
		need(mark) {
			if (!this.next(mark)) throw this.fail();
		}
		end(found) {
			this.blank();
			if (this.i < this.text.length) throw this.fail();
			return found;
		}
		/* One object with named fields, or whatever else the text is. */
		whole() {
			this.blank();
			return this.end(this.text[this.i] === "{" ? this.object((value) => jsonCell(value)) : this.value());
		}
		/* A list of such objects. */
		list() {
			return this.end(
				this.items(() => {
					this.blank();
					return this.text[this.i] === "{" ? this.object((value) => jsonCell(value)) : this.value();
				}),
			);
		}
		/* All of it as it is: objects as Maps, numbers as their digits. */
		tree() {
			return this.end(this.value());
		}
		items(one) {
			const found = [];
			this.need("[");
			if (this.next("]")) return found;
			do found.push(one());
			while (this.next(","));
			this.need("]");
			return found;
		}
		object(made) {
			const found = new Map();
			this.need("{");
			if (this.next("}")) return found;
			do {
				this.blank();
				const name = this.string();
				this.need(":");
				found.set(name, made(this.value()));
			} while (this.next(","));
			this.need("}");
			return found;
		}
		string() {
			const from = this.i;
			if (this.text[from] !== '"') throw this.fail();
			for (this.i++; this.text[this.i] !== '"'; this.i++) {
				if (this.i >= this.text.length) throw this.fail();
				if (this.text[this.i] === "\\") this.i++;
			}
			this.i++;
			try {
				return JSON.parse(this.text.slice(from, this.i));
			} catch {
				throw this.fail();
			}
		}
		value() {
			this.blank();
			const letter = this.text[this.i];
			if (letter === '"') return this.string();
			if (letter !== "{" && letter !== "[") return this.word();
			if (++this.depth > 900) throw this.fail();
			const found = letter === "{" ? this.object((value) => value) : this.items(() => this.value());
			this.depth--;
			return found;
		}
		/* A number as its digits, or null, true, false, and Python's NaN and Infinity. */
		word() {
			const rest = /[-+.\w]*/y;
			rest.lastIndex = this.i;
			const [text] = rest.exec(this.text);
			this.i += text.length;
			const words = { null: null, true: true, false: false, NaN, Infinity, "-Infinity": -Infinity };
			if (Object.hasOwn(words, text)) return words[text];
			if (
				!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ||
				(text.length > 4300 && /^-?\d+$/.test(text))
			)
				throw this.fail();
			return new Digits(text);
		}
	}

	class Digits {
		constructor(text) {
			this.text = text;
		}
		/* As a table would have it: 1.0 is 1. */
		toString() {
			if (/^-?\d+$/.test(this.text)) return this.text === "-0" ? "0" : this.text;
			const value = Number(this.text);
			return Number.isInteger(value) && Math.abs(value) < 1e15
				? String(Math.abs(value) === 0 ? 0 : value)
				: shortest(value);
		}
	}

	function jsonCell(value) {
		if (value === null) return "";
		if (typeof value === "string") return strip(value);
		if (typeof value === "number") return shortest(value);
		if (typeof value === "boolean" || value instanceof Digits) return String(value);
		return jsonText(value);
	}
	/* The JSON of a value, with names in order, so that equal values have equal texts. */
	function jsonText(value) {
		if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
		if (value instanceof Map) {
			const names = [...value.keys()].sort(Compare.byLetters);
			return `{${names.map((name) => `${JSON.stringify(name)}: ${jsonText(value.get(name))}`).join(", ")}}`;
		}
		return typeof value === "string" ? JSON.stringify(value) : String(value);
	}

	/* The JSON of one line, or of a whole file, as a tree of Maps, lists, texts and Digits. */
	const json = (source, text, line) => new Json(source, text, line).tree();
	const isWholeNumber = (value) => value instanceof Digits && /^-?\d+$/.test(value.text);
	const isJsonNumber = (value) => value instanceof Digits || typeof value === "number";
	/* A value as Python's json.dumps writes it. */
	function inJson(value) {
		if (Array.isArray(value)) return `[${value.map(inJson).join(", ")}]`;
		if (value instanceof Map)
			return `{${[...value].map(([name, own]) => `${JSON.stringify(name)}: ${inJson(own)}`).join(", ")}}`;
		if (value instanceof Digits) return isWholeNumber(value) ? value.toString() : shortest(Number(value.text));
		return typeof value === "string" ? JSON.stringify(value) : String(value);
	}

	/* A value of JSON as Python's repr gives it. */
	function represented(value) {
		if (Array.isArray(value)) return `[${value.map(represented).join(", ")}]`;
		if (value instanceof Map)
			return `{${[...value].map(([name, own]) => `${Compare.quoted(name)}: ${represented(own)}`).join(", ")}}`;
		if (typeof value === "string") return Compare.quoted(value);
		if (value === null) return "None";
		return typeof value === "boolean" ? (value ? "True" : "False") : inJson(value);
	}

	Object.assign(Compare, {
		json,
		inJson,
		represented,
		isWholeNumber,
		isJsonNumber,
		csvRow,
		eachRow,
		refuseEndlessNames,
		separatorOf,
		Source,
		Column,
		Table,
		plainText,
		tableOf,
		isTable,
		otherSeparator,
		isNumber,
		insteadOf,
	});
})();
