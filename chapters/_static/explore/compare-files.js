/* Compare two files here: the page. What is in the files, which column is what and what comes out is decided
	 in the other scripts called compare-…, which do what the library does; here are the controls, the
	 pictures and the words around them. Nothing is sent anywhere.
	 For tests: root.explore.load([{name, text}…], options?), .set(name, value), .read(). */
(function () {
	"use strict";
	const { make, compare: Compare } = Explore;
	const { InputError, count, fixed, general, number, plural, probability, pvalue, someOf, written } = Compare;

	const MOST_BYTES = 200e6,
		MOST_SHOWN = 40,
		FEW_VALUES = 30;
	// What the options of the library are called here.
	const LABELS = {
		column: "Column that is compared",
		columns: "Columns",
		comments: "Remarks begin with",
		empty: "Blank answers",
		gold: "Gold",
		groups: "Groups",
		ignore: "Left out",
		items: "Rows are items",
		key: "Names of items",
		lower: "Lower is better",
		margin: "Margin",
		metric: "Metric",
		names: "Names",
		paired: "Two separate samples of items",
		paths: "Files",
		positive: "F1 of the class",
		ratio: "As a ratio",
		repetitions: "Times the corpus was halved",
		runs: "Runs",
		scheme: "Tags",
		separator: "Separator",
		shared_runs: "Runs of both",
		systems: "Systems",
		test_share: "Rows are folds, share",
		unmatched: "Items that not all have",
		where: "Only rows with",
	};
	const VALUES = {
		"empty wrong": "count them wrong",
		"empty drop": "leave the items out",
		"unmatched drop": "leave them out",
		"shared_runs false": "are separate",
		"shared_runs true": "are the same",
		"scheme plain": "plain tags (parts of speech)",
		"comments # ": "“# ”, and are left out",
	};
	const SEPARATORS = [
		[",", "comma"],
		[";", "semicolon"],
		["\t", "tab"],
		["|", "bar |"],
		[" ", "blank"],
	];
	const METRICS = {
		mean: "Mean",
		accuracy: "Accuracy",
		f1: "F1",
		precision: "Precision",
		recall: "Recall",
		macro_f1: "Macro-F1",
	};
	// What may be asked of each format, where that is not seen from what it holds.
	const METRICS_OF = {
		conllu: ["accuracy", "macro_f1"],
		fold_counts: ["f1", "precision", "recall"],
	};
	// Formats whose gold standard is a file of its own, and those whose reader takes the metric.
	const GOLD_IS_A_FILE = ["conll", "conllu"],
		METRIC_IS_READ = ["conllu", "promptfoo"];
	const ROLES = {
		key: "names the items",
		groups: "says what items belong to",
		gold: "is the gold standard",
		rater: "says who voted",
		system: "is a system",
		results: "holds the results",
		model: "names the systems",
		run: "names the runs",
		winner: "says who won",
		extra: "is not used",
		ignored: "is left out",
	};

	/* An option and its value in the page's words. */
	function inControls(argument, value) {
		const label = LABELS[argument] ?? argument;
		if (value === undefined || value === true || argument === "paired") return label;
		return `${label}: ${VALUES[`${argument} ${value}`] ?? (argument === "columns" ? columnsInWords(value) : written(named(value)))}`;
	}
	/* Names of columns as they are shown. */
	const named = (value) =>
		Array.isArray(value) ? value.map(named) : value === "" ? Compare.shownName(value) : value;
	/* Whether what was said means this column. */
	const isCalled = (said, name) => said === name || (name === "" && said === Compare.shownName(name));
	function columnsInWords({ gold, predicted }) {
		const place = (n) => (n < 0 ? `${-n}. from the right` : `${n + 1}. from the left`);
		return `gold is the ${place(gold)}, systems the ${[predicted].flat().map(place).join(" and ")}`;
	}

	// --- Files ---
	/* Bytes as text; what is not UTF-8 is refused with its line. */
	function decode(bytes, name) {
		Compare.plainText(String.fromCharCode(...bytes.subarray(0, 4)), name); // gzip, Excel and parquet, by name
		const strict = (part) => new TextDecoder("utf-8", { fatal: true }).decode(part);
		try {
			return strict(bytes);
		} catch {
			const marks = bytes[0] === 255 || bytes[0] === 254 ? " (it looks like UTF-16)" : "";
			throw new InputError({
				file: name,
				line: firstBadLine(bytes, strict),
				problem: "this is not text in UTF-8",
				expected: `text${marks}; save it as UTF-8`,
			});
		}
	}
	function firstBadLine(bytes, strict) {
		let line = 1;
		for (let start = 0; start < bytes.length; line++) {
			const end = bytes.indexOf(10, start);
			try {
				strict(bytes.subarray(start, end < 0 ? bytes.length : end));
			} catch {
				return line;
			}
			if (end < 0) break;
			start = end + 1;
		}
		return line;
	}
	async function readFile(file) {
		if (file.size > MOST_BYTES) {
			throw new InputError({
				file: file.name,
				problem: `more than ${MOST_BYTES / 1e6} MB, which a page cannot hold`,
				expected: "a smaller file; the library takes up to 500 MB",
			});
		}
		return { name: file.name, text: decode(new Uint8Array(await file.arrayBuffer()), file.name) };
	}
	/* Files of the same name get a number. */
	function toldApart(files) {
		const seen = new Map();
		return files.map(({ name, text }) => {
			const times = (seen.get(name) ?? 0) + 1;
			seen.set(name, times);
			return { name: times === 1 ? name : name.replace(/(\.[^.]*)?$/, ` (${times})$1`), text };
		});
	}

	// --- The same in Python and on the command line ---
	function inPython(value) {
		if (value === true) return "True";
		if (value === false) return "False";
		if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`;
		if (value && typeof value === "object")
			return `{${Object.entries(value)
				.map(([name, one]) => `${inPython(name)}: ${inPython(one)}`)
				.join(", ")}}`;
		return JSON.stringify(value);
	}
	function inShell(word) {
		if (word === "\t") return "$'\\t'";
		return /^[\p{L}\p{N}_\-=.,:/+@%]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
	}
	const COMPARING = ["metric", "margin", "lower", "unmatched", "names", "shared_runs", "ratio", "paired"];

	/* The files of the systems: a gold standard of its own is said by name. */
	const filesOfSystems = ({ files, options, kind }) =>
		GOLD_IS_A_FILE.includes(kind) ? files.filter(({ name }) => name !== options.gold) : files;

	/* What is said of a comparison, as Python has it. */
	function askedInPython([name, value]) {
		if (name === "lower") return "higher_is_better=False";
		if (name === "names") return `names=(${value.map(inPython).join(", ")})`;
		return `${name}=${inPython(value)}`;
	}
	function pythonOf(page) {
		const { kind, options, result } = page,
			said = Object.entries(options);
		const isAsked = ([name]) =>
			COMPARING.includes(name) && !(name === "metric" && METRIC_IS_READ.includes(kind));
		const reading = said.filter((one) => !isAsked(one)).map(([name, value]) => `${name}=${inPython(value)}`);
		const given = [...filesOfSystems(page).map(({ name }) => inPython(name)), ...reading].join(", ");
		const asked = said.filter(isAsked).map(askedInPython);
		if (result.kind === "bayes")
			return `from betterthan import bayes, read\n\nprint(bayes.compare(${[`*read(${given})`, ...asked].join(", ")}))`;
		const call =
			result.kind === "many" ? "compare_many" : result.unit === "fold" ? "compare_folds" : "compare";
		const first = call === "compare_many" ? `read(${given})` : `*read(${given})`;
		return `from betterthan import ${call}, read\n\nprint(${call}(${[first, ...asked].join(", ")}))`;
	}
	function commandOf(page) {
		const { options } = page;
		const flag = (name) => `--${name === "lower" ? "lower-is-better" : name.replaceAll("_", "-")}`;
		const words = (value) =>
			[value]
				.flat()
				.map((one) => inShell(String(one)))
				.join(" ");
		const typed = Object.entries(options).map(([name, value]) => {
			if (value === true) return flag(name);
			if (name === "shared_runs") return "--no-shared-runs";
			if (name === "paired") return "--unpaired";
			if (name === "where")
				return Object.entries(value)
					.map(([column, cell]) => `${flag(name)} ${inShell(`${column}=${cell}`)}`)
					.join(" ");
			if (name === "columns")
				return `${flag(name)} ${words([value.word ?? 0, value.gold, ...[value.predicted].flat()])}`;
			return `${flag(name)} ${words(value)}`;
		});
		const files = filesOfSystems(page).map(({ name }) => inShell(name));
		return ["betterthan compare", ...files, ...typed].join(" ");
	}

	const isPositive = ({ held }) => held.runs.every((run) => run.every((value) => value > 0));

	// --- The page ---
	const part = (name, ...children) => make("div", { class: `explore-${name}` }, ...children);
	const button = (label, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, label);

	class Page {
		constructor(root, examples) {
			this.root = root;
			this.forget([]);
			this.picker = make("input", {
				type: "file",
				multiple: true,
				id: "explore-files",
				class: "explore-picker",
				accept:
					".conll,.conll2003,.conllu,.iob,.iob2,.bio,.txt,.tsv,.csv,.tab,.json,.jsonl,.ndjson,text/*,application/json",
			});
			this.drop = make(
				"label",
				{ class: "explore-drop", for: "explore-files" },
				make("strong", {}, "Drop your files here, or choose them: "),
				this.picker,
				make(
					"span",
					{},
					"One table with a column per system (CSV, JSON lines), one file per system (A, the old one, first), CoNLL or CoNLL-U files, votes, reports of SWE-bench, results of promptfoo. They stay on this machine.",
				),
			);
			const tryout = part(
				"controls",
				make("span", {}, "No file at hand?"),
				...examples.map(({ label, files }) => button(label, () => this.load(whole(files)))),
			);
			this.places = Object.fromEntries(
				["chosen", "trouble", "ways", "outcome", "controls", "more"].map((name) => [
					name,
					name === "trouble"
						? make("p", { class: "explore-trouble", role: "alert", hidden: true })
						: part(name),
				]),
			);
			root.prepend(part("live", this.drop, tryout, ...Object.values(this.places)));
			root.setAttribute("aria-label", "Compare two files here");
			this.listen();
			root.explore = {
				load: (files, options) => this.load(files, options),
				set: (name, value) => this.set(name, value),
				read: () => this.read(),
			};
		}

		/* Nothing is known of new files. */
		forget(files) {
			Object.assign(this, {
				files,
				sources: [],
				options: {},
				kind: null,
				result: null,
				systems: [],
				candidates: [],
				error: null,
				defect: "",
			});
		}

		listen() {
			this.picker.addEventListener("change", () =>
				this.take(this.picker.files).then(() => (this.picker.value = "")),
			);
			for (const kind of ["dragover", "dragleave", "drop"]) {
				this.drop.addEventListener(kind, (event) => {
					event.preventDefault();
					this.drop.classList.toggle("explore-over", kind === "dragover");
					if (kind === "drop") this.take(event.dataTransfer.files);
				});
			}
		}

		async take(list) {
			const files = [...list];
			if (!files.length) return;
			this.places.trouble.hidden = true;
			this.places.more.replaceChildren();
			this.places.outcome.replaceChildren(make("p", { "aria-live": "polite" }, "Reading …"));
			await new Promise((go) => setTimeout(go, 30));
			try {
				const read = [];
				for (const file of files) read.push(await readFile(file));
				// One more file beside a first one that waits for it makes a pair.
				this.load(read.length === 1 && (this.waits || this.waitsForGold) ? [...this.files, ...read] : read);
			} catch (error) {
				this.forget([]);
				this.fail(error);
				this.show();
			}
		}

		/* Whether the only file holds one system, so that the other is in another file. */
		get waits() {
			return this.files.length === 1 && this.result === null && this.systems.length === 1;
		}

		/* Whether the files of systems are there, and that of the gold standard may not be. */
		get waitsForGold() {
			return this.files.length < 3 && Boolean(this.error?.ways?.some((way) => way.argument === "gold")) &&
				GOLD_IS_A_FILE.includes(this.kind);
		}

		load(files, options = {}) {
			this.forget(toldApart(files));
			this.options = { ...options };
			try {
				this.sources = Compare.openFiles(this.files);
			} catch (error) {
				this.fail(error);
				this.show();
				return this.read();
			}
			return this.run();
		}

		set(name, value) {
			// "No" says something only where the page would else look for itself.
			const idle = name === "paired" ? value !== false : value === false && name !== "shared_runs";
			const unsaid = idle || value === "";
			if (unsaid || value === undefined || value === null || (Array.isArray(value) && !value.length))
				delete this.options[name];
			else this.options[name] = value;
			return this.run();
		}

		run() {
			Object.assign(this, { kind: null, result: null, systems: [], error: null, defect: "" });
			for (const source of this.sources) delete source.roles;
			if (this.sources.length) {
				try {
					this.kind = Compare.formatOf(this.sources, this.options).kind;
					Object.assign(this, Compare.answer(this.sources, this.options));
					if (!this.options.systems) this.candidates = this.systems.map(({ name }) => name);
				} catch (error) {
					this.fail(error);
				}
			}
			this.show();
			return this.read();
		}

		fail(error) {
			this.error = error;
			this.systems = error.systems ?? [];
			if (error.candidates) this.candidates = error.candidates;
			if (error instanceof InputError) {
				error.addTo("ignore", this.options.ignore ?? []);
				return;
			}
			console.error(error);
			this.defect = `This went wrong in the page (${error.message}); please report it.`;
		}

		/* What is wrong, in words; the ways on are buttons on the page, and words for tests. */
		message(withWays) {
			if (this.error === null) return "";
			if (this.defect) return this.defect;
			const told = withWays ? this.error.told(inControls) : this.error.toldAlone(inControls);
			if (this.waits) return `${told}; choose the other system's file, too`;
			return told + (this.waitsForGold ? "; choose the file of the gold standard, too, if it is not here" : "");
		}

		read() {
			const { distribution, posteriors, kind: of, ...numbers } = this.result ?? {};
			const { argument, value, problem, expected, file, line, column, ways } =
				this.error instanceof InputError ? this.error : {};
			return {
				sentence: "",
				...numbers,
				error: this.message(true),
				kind: this.kind,
				files: this.files.map(({ name }) => name),
				roles: Object.fromEntries(
					this.sources.filter(({ roles }) => roles).map(({ name, roles }) => [name, roles]),
				),
				read: this.result ? [...new Set(this.systems.flatMap(({ reading }) => reading))] : [],
				options: { ...this.options },
				refusal: ways ? { argument, value, problem, expected, file, line, column, ways } : null,
			};
		}

		// --- What is shown ---
		show() {
			for (const place of Object.values(this.places)) place.replaceChildren();
			this.places.trouble.hidden = !this.error;
			this.places.trouble.textContent = this.message(false);
			if (!this.files.length) return;
			this.showFiles();
			if (this.error instanceof InputError) this.showWays();
			this.showControls();
			if (this.result) this.showAnswer();
			this.showColumns();
			if (this.result) this.showDetails();
		}

		showFiles() {
			const several = this.files.length > 1,
				letter = (i) => (several ? `${String.fromCharCode(65 + i)}: ` : "File: ");
			const names = this.files.flatMap(({ name }, i) => [i ? ", " : "", make("strong", {}, letter(i)), name]);
			const two = ["two", "bayes"].includes(this.result?.kind);
			this.places.chosen.append(
				make("p", {}, ...names, " "),
				...(two ? [button("Swap A and B", () => this.swap())] : []),
				button("Start again", () => this.startAgain()),
			);
		}
		startAgain() {
			this.forget([]);
			this.show();
		}
		swap() {
			const { options } = this,
				names = this.systems.map(({ name }) => name).reverse();
			if (options.names) options.names = [...options.names].reverse();
			if (this.files.length > 1) {
				this.files.reverse();
				this.sources.reverse();
			} else if (this.kind === "conll")
				options.columns = { ...options.columns, predicted: [...options.columns.predicted].reverse() };
			else if (options.runs?.length === 2) options.runs = [...options.runs].reverse();
			else options.systems = options.names ? [...(options.systems ?? this.candidates)].reverse() : names;
			this.run();
		}

		/* The ways on, each as a button, or as a choice where any column may be meant. */
		showWays() {
			const ways = this.error.ways.map((way, i) =>
				make(
					"li",
					{},
					way.value === undefined ? this.choiceFor(way, i) : this.buttonFor(way, i),
					way.when ? ` ${way.when}` : "",
				),
			);
			if (ways.length) this.places.ways.append(make("p", {}, "Ways on:"), make("ul", {}, ways));
		}
		buttonFor({ argument, value, insteadOf }, i) {
			return button(inControls(argument, value), () => this.follow(argument, value, insteadOf), {
				"data-name": `way-${i}`,
			});
		}
		choiceFor({ argument }, i) {
			const columns = this.columnNames.map((name) => [Compare.shownName(name), Compare.shownName(name)]);
			const files = this.files.map(({ name }) => [name, name]),
				isFile = argument === "gold" && GOLD_IS_A_FILE.includes(this.kind);
			const choices =
				{ separator: SEPARATORS, metric: Object.entries(METRICS) }[argument] ?? (isFile ? files : columns);
			if (argument === "columns") return this.columnsField(`way-${i}`);
			if (argument === "systems" || !choices.length)
				return make("span", {}, LABELS[argument] ?? argument);
			const field = this.select(`way-${i}`, LABELS[argument], [["", "…"], ...choices], "", (value) =>
				this.follow(argument, value),
			);
			return field;
		}
		/* Where word, gold and the systems stand, as numbers with blanks between them. */
		columnsField(name) {
			const field = make("input", { type: "text", placeholder: "0 -2 -1", size: 8 });
			return this.control(name, LABELS.columns, field, (value) => {
				const [word, gold, ...predicted] = value.split(/[\s,]+/).filter(Boolean).map(Number);
				if (predicted.length) this.set("columns", { word, gold, predicted });
			});
		}
		/* Does what a way on says. */
		follow(argument, value, insteadOf = "") {
			delete this.options[insteadOf];
			if (argument === "paths")
				return this.load(this.files.filter(({ name }) => value.includes(name)), this.options);
			if (argument === "ignore")
				return this.set("ignore", [...new Set([...[this.options.ignore ?? []].flat(), ...[value].flat()])]);
			if (value === "") return this.set(argument, Compare.shownName(value)); // "" unsays it
			return this.set(argument, ["systems", "runs"].includes(argument) ? [value].flat() : value);
		}

		get tables() {
			return this.sources
				.map((source) => source.tables.get(this.options.separator ?? ""))
				.filter((table) => table);
		}
		get columnNames() {
			return [...new Set(this.tables.flatMap((table) => table.names))];
		}

		// --- Controls ---
		control(name, label, field, change) {
			const checkbox = field.type === "checkbox";
			field.id = `explore-files-${name}`;
			field.dataset.name = name;
			field.addEventListener(field.type === "text" || field.type === "number" ? "change" : "input", () => {
				change(checkbox ? field.checked : field.value);
				this.root.querySelector(`[data-name="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
			});
			return checkbox
				? make("label", { class: "explore-check", for: field.id }, field, " ", label)
				: make("label", { class: "explore-field", for: field.id }, make("span", {}, label), field);
		}
		select(name, label, choices, value, change = (chosen) => this.set(name, chosen)) {
			const field = make(
				"select",
				{},
				choices.map(([one, text]) => make("option", { value: one }, text)),
			);
			field.value = value;
			return this.control(name, label, field, change);
		}
		check(name, label, on, change = (checked) => this.set(name, checked)) {
			const field = make("input", { type: "checkbox" });
			field.checked = on;
			return this.control(name, label, field, change);
		}

		showControls() {
			const add = (...fields) => this.places.controls.append(...fields);
			if (this.candidates.length > 2) add(...this.pairControls());
			if (this.result) add(...this.metricControls());
			if (["two", "bayes"].includes(this.result?.kind)) {
				if (this.kind === "conll" || this.kind === "numbers" || this.files.length > 1)
					add(...this.nameControls());
				add(
					this.control(
						"margin",
						"A difference nobody would care about",
						make("input", { type: "number", min: 0, step: "any", value: this.options.margin ?? 0 }),
						(value) => this.set("margin", Number(value)),
					),
				);
			} else if (this.options.margin) add(this.check("margin", `Margin: ${this.options.margin}`, true));
			if (this.kind === "conll") add(...this.conllControls());
			if (GOLD_IS_A_FILE.includes(this.kind) && this.options.gold) add(this.goldControl());
			if (this.kind === "conllu" && this.options.gold) add(this.columnControl());
			if (this.canBeSeparate) add(this.separateControl());
			add(...this.saidControls());
		}
		/* Whether these may be two samples of items that have nothing to do with each other. */
		get canBeSeparate() {
			if (this.options.paired === false) return true;
			return this.result?.kind === "two" && this.result.unit !== "fold" && this.files.length > 1;
		}
		separateControl() {
			const on = this.options.paired === false;
			return this.check("paired", "two separate samples of items", on, (checked) =>
				this.set("paired", checked ? false : ""),
			);
		}
		/* Which file is the gold standard. */
		goldControl() {
			const files = this.files.map(({ name }) => [name, name]);
			return this.select("gold", "The gold standard", files, this.options.gold);
		}
		/* Which column of CoNLL-U is compared. */
		columnControl() {
			const columns = Compare.COLUMNS_OF_CONLLU.map((name) => [name, name === "HEAD" ? "HEAD (UAS)" : name]);
			return this.select("column", "Column that is compared", columns, this.options.column ?? "UPOS");
		}
		/* Of more than two systems: all together, or two of them. */
		pairControls() {
			const { candidates, options } = this,
				[a, b] = options.systems ?? ["", ""],
				listed = candidates.map((name) => [name, Compare.shownName(name)]);
			const together = this.kind === "votes" ? "choose …" : `all ${candidates.length} together`,
				all = [["", together], ...listed];
			const pair = (one, two) => this.set("systems", one && two ? [one, two] : []);
			const other = (name) => candidates.find((one) => one !== name);
			return [
				this.select("a", "A, the old one", all, a, (value) =>
					pair(value, value && (b && b !== value ? b : other(value))),
				),
				this.select("b", "B, the new one", all, b, (value) =>
					pair(value && (a && a !== value ? a : other(value)), value),
				),
			];
		}
		/* The metrics that may be asked of these files. */
		get knownMetrics() {
			const { held, measures } = this.systems[0];
			if (measures) return measures;
			if (METRICS_OF[this.kind]) return METRICS_OF[this.kind];
			const known = {
				numbers: ["mean"],
				labels: ["accuracy", "macro_f1"],
				counted: held.byClass ? ["accuracy", "macro_f1"] : ["f1", "precision", "recall"],
			}[held.kind];
			if (held.kind === "labels" && held.positive !== null) known.push("f1", "precision", "recall");
			const isRight = (value) => value === 0 || value === 1;
			if (held.kind === "numbers" && this.systems.every((one) => one.held.runs.every((run) => run.every(isRight))))
				known.push("accuracy");
			return known;
		}
		metricControls() {
			const { held } = this.systems[0],
				{ options, result } = this,
				fields = [];
			if (result.unit === "fold" && result.kind !== "bayes")
				return [this.check("lower", "lower is better", Boolean(options.lower))];
			const known = this.knownMetrics,
				asked = METRIC_IS_READ.includes(this.kind) ? (options.metric ?? "accuracy") : result.metric;
			if (known.length > 1 && this.kind !== "votes")
				fields.push(
					this.select(
						"metric",
						"Metric",
						known.map((name) => [name, METRICS[name] ?? name]),
						asked,
					),
				);
			if (held.kind === "labels" && held.classes.length <= FEW_VALUES) {
				fields.push(
					this.select(
						"positive",
						"F1 of one class",
						[["", "all classes"], ...held.classes.map((name) => [name, name])],
						held.positive ?? "",
						(value) => {
							delete options.metric;
							this.set("positive", value);
						},
					),
				);
			}
			if (held.kind === "numbers")
				fields.push(this.check("lower", "lower is better", result.higher === false));
			const inPairs = result.kind === "two" && !result.separate;
			if (inPairs && held.kind === "numbers" && this.systems.every(isPositive))
				fields.push(this.check("ratio", "as a ratio (seconds, costs)", Boolean(options.ratio)));
			if (inPairs && Math.min(...result.n_runs) > 2 && result.n_runs[0] === result.n_runs[1]) {
				const choices = [
					["", "by their names"],
					["yes", "are the same (seeds, prompts, judges)"],
					["no", "are separate"],
				];
				const said = { true: "yes", false: "no" }[options.shared_runs] ?? "";
				fields.push(
					this.select("shared_runs", "Runs of both", choices, said, (value) =>
						this.set("shared_runs", value && value === "yes"),
					),
				);
			}
			return fields;
		}
		nameControls() {
			return this.systems.map(({ name }, i) =>
				this.control(
					`name_${"ab"[i]}`,
					`Name of ${"AB"[i]}`,
					make("input", { type: "text", value: name, maxlength: 60 }),
					(value) =>
						this.set(
							"names",
							this.systems.map((one, k) => (k === i ? value.trim() : one.name)),
						),
				),
			);
		}
		conllControls() {
			return [
				this.select(
					"scheme",
					"Tags",
					[
						["", "detect"],
						["plain", "plain tags (parts of speech)"],
					],
					this.options.scheme ?? "",
				),
				this.check("comments", "leave out lines that begin with “# ”", Boolean(this.options.comments), (on) =>
					this.set("comments", on ? "# " : ""),
				),
			];
		}
		/* What was said on the way can be unsaid. */
		saidControls() {
			const { options } = this,
				fields = [];
			if (options.empty)
				fields.push(
					this.select(
						"empty",
						this.kind === "votes" ? "Blank winners" : "Blank answers",
						this.kind === "votes"
							? [
									["", "ask"],
									["drop", "leave the votes out"],
								]
							: [
									["", "ask"],
									["wrong", "count them wrong"],
									["drop", "leave the items out"],
								],
						options.empty,
					),
				);
			if (options.unmatched) fields.push(this.check("unmatched", "leave out items that not all have", true));
			if (options.items) fields.push(this.check("items", "rows are items of a test set", true));
			if (options.separator)
				fields.push(
					this.select("separator", "Separator", [["", "detect"], ...SEPARATORS], options.separator),
				);
			if (options.columns && this.kind !== null)
				fields.push(this.check("columns", `Columns: ${columnsInWords(options.columns)}`, true));
			if (options.runs) {
				fields.push(
					this.control(
						"runs",
						"Runs: a column, or patterns such as a_seed* b_seed*",
						make("input", { type: "text", value: [options.runs].flat().join(" ") }),
						(value) =>
							this.set(
								"runs",
								value.split(/\s+/).filter((one) => one),
							),
					),
				);
			}
			if (options.repetitions !== undefined) {
				fields.push(
					this.control(
						"repetitions",
						"Times the corpus was halved (m of m×2)",
						make("input", { type: "number", min: 1, step: 1, value: options.repetitions }),
						(value) => this.set("repetitions", value === "" ? "" : Number(value)),
					),
				);
			}
			if (options.test_share !== undefined) {
				fields.push(
					this.control(
						"test_share",
						"A fold is this share of the corpus",
						make("input", { type: "number", min: 0, max: 1, step: "any", value: options.test_share }),
						(value) => this.set("test_share", value === "" ? "" : Number(value)),
					),
				);
			}
			return fields;
		}

		// --- Columns ---
		/* Every column with its role, which may be changed. */
		showColumns() {
			if (!this.tables.length || ["folds", "fold_counts"].includes(this.kind)) return;
			const names = this.columnNames,
				rows = names.slice(0, MOST_SHOWN).map((name) => this.columnRow(name));
			const head = make(
				"tr",
				{},
				["column", "what it is", "only rows with"].map((text) => make("th", { scope: "col" }, text)),
			);
			const rest =
				names.length > MOST_SHOWN
					? [make("p", {}, `… and ${count(names.length - MOST_SHOWN)} more columns`)]
					: [];
			this.places.more.append(
				make(
					"details",
					{ open: this.result === null },
					make("summary", {}, "What each column is"),
					make(
						"div",
						{ class: "explore-wide" },
						make(
							"table",
							{ class: "explore-table explore-columns" },
							make("thead", {}, head),
							make("tbody", {}, rows),
						),
					),
					...rest,
				),
			);
		}
		columnRow(name) {
			const columns = this.tables.filter((table) => table.has(name)).map((table) => table.column(name));
			const example = columns[0].cells.find((cell) => cell) ?? "";
			const label = make(
				"th",
				{ scope: "row" },
				Compare.shownName(name),
				make("small", {}, ` ${Compare.cut(example, 24)}${example.length > 24 ? "…" : ""}`),
			);
			return make(
				"tr",
				{},
				label,
				make("td", {}, this.roleOf(name)),
				make("td", {}, this.rowsOf(name, columns)),
			);
		}
		roleOf(name) {
			const found = this.sources.map(({ roles }) => roles?.[name]).find((role) => role),
				long =
					found === "results" ||
					this.sources.some(({ roles }) => Object.values(roles ?? {}).includes("model"));
			const said =
				["key", "groups", "gold", "systems", "ignore"].find((argument) =>
					[this.options[argument] ?? []].flat().some((one) => isCalled(one, name)),
				) ?? "";
			const choices = [
				["key", "names the items"],
				["groups", "says what items belong to"],
				["gold", "is the gold standard"],
				...(long ? [] : [["systems", "is a system"]]),
				["ignore", "is left out"],
			];
			const first = ["", said ? "…" : found ? ROLES[found] : "not said"];
			const field = this.select(
				`role ${name}`,
				`What ${name || "the first column"} is`,
				[first, ...choices.filter(([argument, words]) => said === argument || words !== first[1])],
				said,
				(role) => this.play(name, role),
			);
			field.firstChild.classList.add("explore-hidden");
			return field;
		}
		/* Gives a column another role, or lets the page find it. */
		play(name, role) {
			const { options } = this,
				roles = Object.assign({}, ...this.sources.map((source) => source.roles ?? {}));
			const systems = options.systems ?? Object.keys(roles).filter((one) => roles[one] === "system");
			for (const argument of ["key", "groups", "gold"])
				if (isCalled(options[argument], name)) delete options[argument];
			for (const argument of ["ignore", "systems"]) {
				if (!options[argument]) continue;
				options[argument] = [options[argument]].flat().filter((one) => !isCalled(one, name));
				if (!options[argument].length) delete options[argument];
			}
			if (role === "ignore") this.follow("ignore", name);
			else if (role === "systems") this.set("systems", [...new Set([...[systems].flat(), name])]);
			else if (role) this.follow(role, name);
			else this.run();
		}
		/* Where a column has few values, the rows of one of them may be taken alone. */
		rowsOf(name, columns) {
			const values = new Set(
				columns.flatMap((column) => (column.isText ? [...column.values] : []).slice(0, FEW_VALUES + 1)),
			);
			const where = this.options.where ?? {};
			if (values.size < 2 || values.size > FEW_VALUES || columns.some((column) => column.isDistinct))
				return "";
			const field = this.select(
				`where ${name}`,
				`Only rows of ${name}`,
				[["", "all"], ...[...values].sort(Compare.byLetters).map((value) => [value, value])],
				where[name] ?? "",
				(value) => {
					const { [name]: gone, ...others } = where,
						left = value ? { ...others, [name]: value } : others;
					this.set("where", Object.keys(left).length ? left : "");
				},
			);
			field.firstChild.classList.add("explore-hidden");
			return field;
		}

		// --- The answer ---
		showAnswer() {
			const { result } = this;
			const said = make(
				"blockquote",
				{ class: "explore-sentence", "aria-live": "polite" },
				make("p", {}, result.sentence),
			);
			const copied = make("span", { role: "status" });
			const copy = button(
				"Copy the sentence",
				() =>
					toClipboard(result.sentence, said).then((done) => {
						copied.textContent = done ? " Copied." : " The sentence is marked: copy it with Ctrl+C or ⌘C.";
					}),
				{ "data-name": "copy" },
			);
			const figure = make("div", { class: "explore-figure" });
			let drawn = 0;
			const draw = () => {
				const width = Math.max(260, Math.min(700, figure.clientWidth || 600));
				if (width === drawn) return;
				drawn = width;
				const pictures = { many: Compare.pictureOfRanks, bayes: Compare.pictureOfPosteriors };
				figure.replaceChildren((pictures[result.kind] ?? Compare.pictureOfDifference)(width, result));
			};
			new ResizeObserver(() => figure.clientWidth && draw()).observe(figure);
			requestAnimationFrame(draw);
			this.places.outcome.append(said, make("p", {}, copy, copied), figure);
		}
		showDetails() {
			const { result } = this,
				tables = { many: numbersOfMany, bayes: numbersOfBayes },
				numbers = (tables[result.kind] ?? numbersOfTwo)(result);
			const read = [
				...new Set(this.systems.flatMap(({ reading }) => reading)),
				...(result.kind === "bayes" ? [] : [groupsInWords(this.systems[0], result)]),
				methodInWords(result),
			];
			this.places.more.prepend(
				numbers,
				make(
					"details",
					{ open: true },
					make("summary", {}, "What was read"),
					make(
						"ul",
						{},
						read.map((text) => make("li", {}, text)),
					),
				),
			);
			const code = (text) => make("pre", {}, make("code", {}, text));
			this.places.more.append(
				make(
					"details",
					{},
					make("summary", {}, "The same in Python, and on the command line"),
					code(pythonOf(this)),
					code(commandOf(this)),
				),
			);
		}
	}

	function groupsInWords({ groups }, r) {
		if (groups === null)
			return `no groups: each ${r.unit} counts for itself; if ${plural(r.unit)} hang together (of one document, author, task), say so, or the interval is too short`;
		return `${count(r.n_groups)} groups, worth ${fixed(r.n_effective, 1)} equal ones`;
	}
	function methodInWords(r) {
		const same = "as the command line computes it";
		if (r.kind === "bayes") return `probabilities: an integral over both posteriors, ${same}`;
		if (r.distribution instanceof Compare.Separate)
			return `interval, p and probability: the two systems' own intervals put together, ${same}`;
		if (r.kind === "many") {
			if (!r.drawn) return `p-values: Student's t with Holm's correction, ${same}`;
			return r.n_groups > Compare.NORMAL
				? `p-values: ${count(r.drawn)} random exchanges; the library takes others for so many ${plural(r.unit)}, which may move the third digit of p`
				: `p-values: ${count(r.drawn)} exchanges, ${same}`;
		}
		if (!(r.distribution instanceof Compare.Halves))
			return `interval, p and probability: ${r.method}, ${same}`;
		const drawn = r.distribution.values.length;
		return drawn < Compare.DRAWS
			? `interval, p and probability: all ${count(drawn)} half-samples, ${same}`
			: `interval, p and probability: ${count(drawn)} random half-samples, the same (seed 0) as the command line draws; another seed may move the third digit of p`;
	}

	const tableOfRows = (rows) =>
		make(
			"table",
			{ class: "explore-table" },
			make(
				"tbody",
				{},
				rows.map(([what, ...values]) =>
					make(
						"tr",
						{},
						make("th", { scope: "row" }, what),
						values.map((value) => make("td", {}, value)),
					),
				),
			),
		);
	function sampleRows(r) {
		const groups =
			r.n_groups < r.n_units
				? `${count(r.n_groups)}, worth ${fixed(r.n_effective, 1)} equal ones`
				: `none: each ${r.unit} for itself`;
		return [
			[plural(r.unit), count(r.n_units)],
			["groups", groups],
		];
	}
	function apartRows(r) {
		const [a, b] = r.names,
			ends = (r.ratio === null ? [r.low, r.high] : r.ratio_interval).map((end) => number(end, r.ratio === null));
		return [
			r.ratio === null
				? [`${b} minus ${a}`, number(r.difference, true)]
				: [`${b} over ${a}`, number(r.ratio)],
			["95 % interval", Number.isNaN(r.low) ? "none" : ends.join(" to ")],
		];
	}
	function numbersOfTwo(r) {
		const [a, b] = r.names,
			word = Compare.capital(r.word);
		return tableOfRows([
			[`${word} of ${a}`, number(r.value_a)],
			[`${word} of ${b}`, number(r.value_b)],
			...apartRows(r),
			["p-value, two-sided", pvalue(r.pvalue)],
			[`P(${b} better)`, probability(r.p_better)],
			...(r.margin ? [[`P(at most ${general(r.margin)} apart)`, probability(r.p_within)]] : []),
			...sampleRows(r),
		]);
	}
	function numbersOfBayes(r) {
		const [a, b] = r.names,
			by = r.margin ? ` by more than ${general(r.margin)}` : "";
		return tableOfRows([
			[`${r.word} of ${a}`, number(r.value_a)],
			[`${r.word} of ${b}`, number(r.value_b)],
			[`${b} minus ${a}`, number(r.difference, true)],
			[`P(${b} better${by})`, probability(r.p_h1)],
			[r.margin ? `P(${a} better${by})` : `P(${a} at least as good)`, probability(r.p_h0)],
			...(r.margin ? [["P(neither)", probability(r.p_within)]] : []),
			["folds", count(r.n_folds)],
		]);
	}
	function numbersOfMany(r) {
		const pairs = r.pairs.map((pair) => [
			`${pair.b} minus ${pair.a}`,
			`${number(pair.difference, true)}, p = ${pvalue(pair.pvalue_adjusted)}`,
		]);
		return tableOfRows([
			...r.ranks.map(({ name, value, low, high }) => [
				name,
				`${number(value)}, rank ${low === high ? low : `${low} to ${high}`}`,
			]),
			...(pairs.length <= 15
				? pairs
				: [...pairs.slice(0, 15), [`… and ${pairs.length - 15} more pairs`, ""]]),
			...sampleRows(r),
		]);
	}

	async function toClipboard(text, element) {
		try {
			await navigator.clipboard.writeText(text);
			return true;
		} catch {
			// a page from a folder may not: the old way, or the reader's own hands
			getSelection().selectAllChildren(element);
			return document.execCommand?.("copy") ?? false;
		}
	}

	/* The files of an example; what differs from the first is kept line by line. */
	function whole([first, ...others]) {
		const lines = first.text.split("\n");
		const changed = ({ name, changes }) => ({ name, text: Object.assign([...lines], changes).join("\n") });
		return [first, ...others.map(changed)];
	}
	Explore.define("compare-files", (root, examples) => new Page(root, examples));
})();
