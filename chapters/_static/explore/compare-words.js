/* Compare two files here: how sentences write numbers and lists (betterthan._words), what
	 Python does with strings, and an error that knows its argument (betterthan.errors). */
(function () {
	"use strict";
	const Compare = (Explore.compare = {});

	// --- Numbers as Python writes them ---
	/* toFixed, but what lies in the middle goes to the even digit. */
	function fixed(value, digits) {
		if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (digits ? `.${"0".repeat(digits)}` : "");
		const exact = Math.abs(value).toFixed(digits + 40),
			cut = exact.length - 40;
		let text = Math.abs(value).toFixed(digits);
		if (/^50*$/.test(exact.slice(cut))) {
			const down = exact.slice(0, cut).replace(/\.$/, "");
			if (Number(down.at(-1)) % 2 === 0) text = down;
		}
		return (value < 0 ? "-" : "") + text;
	}

	/* Python's format "g". */
	function general(value, digits = 6) {
		if (value === 0) return "0";
		const [mantissa, power] = value.toExponential(digits - 1).split("e"),
			exponent = Number(power);
		if (exponent < -4 || exponent >= digits) {
			const size = String(Math.abs(exponent)).padStart(2, "0");
			return `${mantissa.replace(/\.?0+$/, "")}e${exponent < 0 ? "-" : "+"}${size}`;
		}
		const text = fixed(value, Math.max(0, digits - 1 - exponent));
		return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
	}

	/* Python's repr of a float: as few digits as say which it is. */
	function shortest(value) {
		if (Number.isNaN(value)) return "nan";
		if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
		const [mantissa, power] = value.toExponential().split("e"),
			exponent = Number(power);
		if (exponent < -4 || exponent >= 16) {
			return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
		}
		if (Number.isInteger(value)) return `${value.toFixed(0)}.0`;
		return String(value).includes("e")
			? value.toFixed(mantissa.replace(/\D/g, "").length - 1 - exponent)
			: String(value);
	}

	const commas = (text) => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
	const count = (n) => commas(String(n));

	/* A score or a difference: four decimals, none where they would say nothing. */
	function number(value, plus = false) {
		const size = Math.abs(value),
			whole = size >= 1000 || (size >= 10 && Number.isInteger(value));
		// What rounding leaves of 0 is 0; what is not 0 is never written as 0. The last digits of a
		// number hang on the order of a sum; those of the sentence must not.
		const settled = whole ? value : Number(value.toFixed(12));
		let text = commas(fixed(size < 1e-12 ? 0 : settled, whole ? 0 : 4));
		if (size >= 1e-12 && size < 0.00005) text = general(value, 2);
		if (size >= 1e12) text = general(value, 4);
		return plus && !text.startsWith("-") ? `+${text}` : text;
	}

	/* A probability, which is never said to be 0 or 1. */
	function probability(value) {
		if (value > 0.999) return "above 0.999";
		return value < 0.001 ? "below 0.001" : fixed(value, 3);
	}

	const pvalue = (value) => (value >= 0.001 ? fixed(value, 3) : general(value, 1));
	const percent = (share) => `${general(100 * share, 4)} %`;

	function plural(word, n = 2) {
		if (n === 1) return word;
		if (word.endsWith("ry")) return `${word.slice(0, -1)}ies`;
		return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
	}
	const counted = (n, word) => `${count(n)} ${plural(word, n)}`;

	// --- Strings as Python has them ---
	const BLANK = "[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
	const BEGINS = new RegExp(`^${BLANK}+`),
		ENDS = new RegExp(`${BLANK}+$`),
		EDGE = new RegExp(`^${BLANK}|${BLANK}$`);

	const leftStrip = (text) => text.replace(BEGINS, "");
	/* Without white space around it: what Python calls so, which is not quite what JavaScript does. */
	const strip = (text) => (EDGE.test(text) ? leftStrip(text).replace(ENDS, "") : text);

	/* The name of a column as it is shown; pandas and R leave that of the first one blank. */
	const shownName = (name) => name || "(no name)";

	/* At most so many letters. */
	const cut = (text, most) => (text.length <= most ? text : [...text].slice(0, most).join(""));

	/* The order in which Python sorts strings: by code points, of which large ones are pairs here. */
	function byLetters(a, b) {
		const code = (text, i) => {
			const unit = text.charCodeAt(i);
			return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
		};
		for (let i = 0; i < a.length && i < b.length; i++) {
			if (a[i] !== b[i]) return code(a, i) - code(b, i);
		}
		return a.length - b.length;
	}

	/* A string in quotation marks, as Python's repr gives it. */
	function quoted(text) {
		const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
		const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", [mark]: `\\${mark}` };
		const written = (letter) => {
			if (letter in named) return named[letter];
			if (letter === " " || !/[\p{C}\p{Z}]/u.test(letter)) return letter;
			const code = letter.codePointAt(0),
				digits = code.toString(16);
			if (code < 256) return `\\x${digits.padStart(2, "0")}`;
			return code < 65536 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
		};
		return mark + [...text].map(written).join("") + mark;
	}
	const shown = (text, most = 60) => cut(quoted(text), most);

	/* A name as it stands in a list: in quotation marks where it holds a comma or a semicolon. */
	function listed(name, longest = 60) {
		const text = String(name),
			inMarks = text.length > 1 && /^['"]/.test(text) && text.at(-1) === text[0];
		return cut(/[,;]/.test(text) && !inMarks ? quoted(text) : text, longest);
	}

	/* The first of them, and how many more. */
	function someOf(names, most = 5) {
		const first = names.slice(0, most).map((name) => listed(name));
		if (names.length > most) first.push(`and ${count(names.length - most)} more`);
		return first.join(", ");
	}

	/* Names that differ only in case, together. */
	function spelledAlike(names) {
		const found = new Map();
		for (const name of [...names].sort(byLetters)) {
			const lower = name.toLowerCase();
			found.set(lower, [...(found.get(lower) ?? []), name]);
		}
		return [...found.values()].filter((own) => own.length > 1);
	}
	/* That names which differ only in case are taken as different, in words. */
	function countedApart(names, what) {
		const found = spelledAlike(names);
		const said = found.slice(0, 3).map((own) => {
			const all = own.map(quoted);
			return `${all.slice(0, -1).join(", ")} and ${all.at(-1)} count as ${{ 2: "two", 3: "three" }[own.length] ?? own.length} ${what}`;
		});
		return found.length > 3 ? [...said, `so do ${count(found.length - 3)} more that differ only in case`] : said;
	}
	/* How many names are in all other lists but for upper and lower case, to follow a text. */
	function butForCase(names, others) {
		const lower = others.map((own) => new Map([...own].map((one) => [one.toLowerCase(), one])));
		const found = names.filter((name) => lower.every((own) => own.has(name.toLowerCase())));
		if (!found.length) return "";
		const [first] = found,
			other = lower.map((own) => own.get(first.toLowerCase())).find((one) => one !== first);
		const few = found.length === 1,
			differ = few ? "differs" : "differ";
		const who =
			found.length === names.length ? (few ? "it" : "they") : `${count(found.length)} of them`;
		return `; ${who} ${differ} only in case (${shown(first)} and ${shown(other)})`;
	}

	// --- Errors ---
	/* An option to give and its value, as a way on; without a value whatever fits. It may take the place of
		 another option. */
	const say = (argument, value, when = "", insteadOf = "") => ({ argument, value, when, insteadOf });

	/* Something given is not what is needed. It is made of parts, and the page words them with the names
		 of its controls: `told` takes a function of an argument and its value. */
	/* How many characters two texts share in blocks, as Python's difflib counts them: the longest block
		 that both have, and so on at both sides of it. */
	function sharedLetters(a, b) {
		let best = 0,
			inA = 0,
			inB = 0,
			before = [];
		a.forEach((letter, i) => {
			const run = b.map((other, j) => (letter === other ? (before[j - 1] ?? 0) + 1 : 0));
			run.forEach((length, j) => {
				if (length > best) [best, inA, inB] = [length, i - length + 1, j - length + 1];
			});
			before = run;
		});
		if (!best) return 0;
		const left = sharedLetters(a.slice(0, inA), b.slice(0, inB));
		return best + left + sharedLetters(a.slice(inA + best), b.slice(inB + best));
	}
	/* What is said behind a list of names where one is nearly as typed, capitals or not; "" where none is. */
	function isIt(typed, known) {
		const asked = [...String(typed).toLowerCase()],
			byLower = new Map();
		for (const name of known) if (!byLower.has(name.toLowerCase())) byLower.set(name.toLowerCase(), name);
		let close = null,
			most = 0.7;
		for (const lower of [...byLower.keys()].sort(byLetters)) {
			const own = [...lower],
				both = own.length + asked.length;
			if ((2 * Math.min(own.length, asked.length)) / both < most) continue;
			const ratio = (2 * sharedLetters(own, asked)) / both;
			if (ratio >= most) [close, most] = [lower, ratio];
		}
		return close === null ? "" : `; is it ${cut(byLower.get(close), 60)}?`;
	}

	class InputError extends Error {
		constructor({
			argument = null,
			value,
			problem = "",
			expected = "",
			ways = [],
			file = null,
			line = 0,
			column = null,
			system = null,
		}) {
			super(problem || expected);
			Object.assign(this, { argument, value, problem, expected, ways, file, line, column, system });
		}
		/* Lets the ways on that give this argument name what was given for it before, too. */
		addTo(argument, given) {
			const add = (way) => ({ ...way, value: [...new Set([given, way.value].flat())] });
			this.ways = this.ways.map((way) =>
				way.argument === argument && way.value !== undefined && given.length ? add(way) : way,
			);
		}
		told(words) {
			const ways = this.ways.map((way) => `${words(way.argument, way.value)} ${way.when}`.trim());
			return [this.toldAlone(words), ...(ways.length ? [`say ${ways.join(", or ")}`] : [])].join("; ");
		}
		/* The same without the ways on. */
		toldAlone(words) {
			const said = [this.problem, this.expected && `expected ${this.expected}`]
				.filter((part) => part)
				.join("; ");
			return [this.place(), this.subject(words), said].filter((part) => part).join(": ");
		}
		place() {
			if (this.file === null) return "";
			return this.line ? `${this.file}, line ${count(this.line)}` : this.file;
		}
		subject(words) {
			if (this.argument !== null)
				return this.value === undefined ? words(this.argument) : words(this.argument, this.value);
			return this.column !== null && this.value !== undefined
				? `${cut(shownName(this.column), 60)} = ${written(this.value)}`
				: (this.system ?? "");
		}
	}

	/* A value as a reader would write it, cut where it is long. */
	function written(value) {
		const one = (part) => (typeof part === "string" ? `“${part}”` : String(part));
		const text = Array.isArray(value)
			? value.map(one).join(", ")
			: value && typeof value === "object"
				? Object.entries(value)
						.map(([name, part]) => `${name} = ${part}`)
						.join(", ")
				: one(value);
		return text.length <= 80 ? text : `${cut(text, 79)}…`;
	}

	Object.assign(Compare, {
		fixed,
		general,
		shortest,
		count,
		number,
		probability,
		pvalue,
		percent,
		plural,
		counted,
		strip,
		leftStrip,
		cut,
		byLetters,
		quoted,
		shown,
		countedApart,
		butForCase,
		shownName,
		listed,
		someOf,
		isIt,
		say,
		InputError,
		written,
	});
})();
