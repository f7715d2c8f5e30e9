/* Compare two files here: `betterthan.readers` and `betterthan.compare`, in the page. Nothing is sent
   anywhere. The methods are the library's, down to the random half-samples, so that the sentence is
   the one that print(compare(…)) gives; a test compares the two. */
(function () {
  "use strict";
  const { make, stats } = Explore;
  const LEVEL = 0.95, DRAWS = 9999, MANY = 1000, FEW = 20, ENOUGH_TO_CORRELATE = 200;
  const MOST_BYTES = 200e6, MOST_LINES = 5e6, MOST_CLASSES = 1000;

  // --- Numbers as Python writes them ------------------------------------------------------
  /* toFixed, but what lies in the middle goes to the even digit. */
  function fixed(value, digits) {
    const exact = Math.abs(value).toFixed(digits + 40), cut = exact.length - 40;
    let text = Math.abs(value).toFixed(digits);
    if (/^50*$/.test(exact.slice(cut))) {
      const down = exact.slice(0, cut).replace(/\.$/, "");
      if (Number(down.at(-1)) % 2 === 0) text = down;
    }
    return (value < 0 ? "-" : "") + text;
  }
  const commas = (text) => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  const count = (n) => commas(String(n));
  function general(value, digits) { // Python's format "g"
    if (value === 0) return "0";
    const [mantissa, power] = value.toExponential(digits - 1).split("e"), exponent = Number(power);
    if (exponent < -4 || exponent >= digits) {
      const size = String(Math.abs(exponent)).padStart(2, "0");
      return `${mantissa.replace(/\.?0+$/, "")}e${exponent < 0 ? "-" : "+"}${size}`;
    }
    const text = fixed(value, Math.max(0, digits - 1 - exponent));
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }
  function number(value, plus) {
    const size = Math.abs(value), whole = size >= 1000 || (size >= 10 && Number.isInteger(value));
    const text = commas(fixed(value, whole ? 0 : 4));
    return plus && !text.startsWith("-") ? `+${text}` : text;
  }
  const probability = (p) => (p > 0.999 ? "above 0.999" : p < 0.001 ? "below 0.001" : fixed(p, 3));
  const pvalueText = (p) => (p >= 0.001 ? fixed(p, 3) : general(p, 1));
  const plural = (word, n = 2) => (n === 1 ? word : word.endsWith("ry") ? `${word.slice(0, -1)}ies` : `${word}s`);

  // --- Reading ----------------------------------------------------------------------------
  class Fault extends Error {}
  const fault = (file, line, ...said) =>
    new Fault(`${file}${line ? `, line ${count(line)}` : ""}: ${said.join("; ")}`);
  const quote = (text) => `“${text.length > 80 ? `${text.slice(0, 79)}…` : text}”`;

  /* Bytes as text; what is not UTF-8 is refused with its line. */
  function decode(bytes, file) {
    if (bytes.length > MOST_BYTES) {
      throw fault(file, 0, `more than ${MOST_BYTES / 1e6} MB, which a page cannot hold; in Python, ` +
        "betterthan.readers takes up to 500 MB");
    }
    const strict = (part) => new TextDecoder("utf-8", { fatal: true }).decode(part);
    let text;
    try {
      text = strict(bytes);
    } catch {
      let line = 1, start = 0;
      for (let i = 0; i <= bytes.length; i++) {
        if (i < bytes.length && bytes[i] !== 10) continue;
        try {
          strict(bytes.subarray(start, i));
        } catch {
          break;
        }
        start = i + 1;
        line++;
      }
      const marks = bytes[0] === 255 || bytes[0] === 254 ? " (it looks like UTF-16)" : "";
      throw fault(file, line, `this is not text in UTF-8${marks}; save the file as UTF-8`);
    }
    return lineEnds(text, file);
  }
  function lineEnds(text, file) {
    text = text.replace(/^\ufeff/, "");
    if (text.slice(0, 4) === "PK\u0003\u0004") {
      throw fault(file, 0, "this is a zip or a spreadsheet; save it as CSV (UTF-8)");
    }
    return text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n");
  }

  /* A CoNLL file, flat: for every word its cells in the columns asked for and its line; where the
     sentences end; the document of each. `pick` gets the number of columns. */
  function readColumns(text, file, pick, comments) {
    const same = new Map(); // one string per tag, not one per word
    const found = { file, line: [], ends: [], documents: [], cells: null, width: 0, labels: [] };
    let document = 0, inside = false, tabs = null, places = null, remark = 0;
    for (let i = 0, from = 0, to; from <= text.length; i++, from = to + 1) {
      to = text.indexOf("\n", from);
      if (to < 0) to = text.length;
      const line = text.slice(from, to);
      if (!line || !/[^ \t]/.test(line)) {
        inside = false;
        continue;
      }
      if (i > MOST_LINES) throw fault(file, 0, `more than ${count(MOST_LINES)} lines; expected a smaller file`);
      if (comments && line.startsWith("# ")) continue;
      tabs ??= line.includes("\t");
      let cells = line.split(tabs ? "\t" : " ");
      if (tabs && line.includes(" ")) cells = cells.map((cell) => cell.replace(/^ +| +$/g, "") || cell);
      if (!tabs && (cells.includes("") || line.includes("\t"))) cells = line.split(/[ \t]+/).filter((cell) => cell);
      if (cells[0] === "-DOCSTART-") {
        document++;
        inside = false;
        continue;
      }
      if (!places) {
        found.width = cells.length;
        if (line.startsWith("# ")) remark = i + 1;
        places = pick(cells.length, i + 1);
        found.cells = places.map(() => []);
        found.labels = [new Set(), new Set(), new Set()];
      }
      if (cells.length !== found.width) {
        const cut = cells.length < found.width && to === text.length ? "is the file cut off?"
          : !comments && (line.startsWith("# ") || remark) ? `if ${remark && !line.startsWith("# ") ? `line ${remark}` : "this line"} is a remark, tick “leave out lines that begin with # ”`
            : "every word needs the same columns";
        throw fault(file, i + 1, `expected ${found.width} columns, found ${cells.length}: ${quote(line)}`, cut);
      }
      const empty = cells.indexOf("");
      if (empty >= 0) throw fault(file, i + 1, `column ${empty + 1} is empty: ${quote(line)}`);
      if (!inside) {
        if (found.line.length) found.ends.push(found.line.length);
        found.documents.push(document);
        inside = true;
      }
      found.line.push(i + 1);
      found.cells[0].push(cells[places[0]]);
      for (let k = 1; k < places.length; k++) {
        const tag = cells[places[k]];
        if (!same.has(tag)) same.set(tag, tag);
        found.cells[k].push(same.get(tag));
      }
      if (found.width > 3) {
        for (let k = 0; k < 3; k++) {
          const tag = cells[found.width - 3 + k], hyphen = tag.indexOf("-");
          if (hyphen >= 0 && hyphen < tag.length - 1) found.labels[k].add(tag.slice(hyphen + 1));
        }
      }
    }
    if (!found.line.length) throw fault(file, 0, "no rows; expected one word per line");
    found.ends.push(found.line.length);
    return found;
  }

  /* The same words and gold tags in the same sentences, or the first place where not. */
  function agree(ours, theirs) {
    const at = (f, k, sentence) => {
      if (f.ends[sentence] === k) return [f.line[k - 1] + 1, "the end of a sentence"];
      return k < f.line.length ? [f.line[k], `${f.cells[0][k]} ${f.cells[1][k]}`] : [0, "the end of the file"];
    };
    for (let k = 0, s = 0; ; ) {
      const [line, a] = at(ours, k, s), [other, b] = at(theirs, k, s);
      if (a !== b) {
        const there = theirs.file + (other ? `, line ${count(other)}` : "");
        throw fault(ours.file, line, `${quote(a)}, but ${quote(b)} in ${there}`,
          "expected the same sentences and gold tags in both files, in the same order");
      }
      if (a === "the end of the file") return;
      if (a === "the end of a sentence") s++;
      else k++;
    }
  }

  // One rule reads the spans of every scheme: what begins a span, what ends one, what goes on.
  const IN_IOBES = { B: "B", I: "I", E: "E", S: "S", L: "E", U: "S", M: "I", B2: "I", B3: "I" };

  /* Tags as numbers: 4 × label + (0 inside, 1 begins, 2 ends, 3 both), or -1 for O. */
  function codeTags(tags, file, kind, codes, labels) {
    const coded = new Int32Array(tags.length);
    for (let i = 0; i < tags.length; i++) {
      let code = codes.get(tags[i]);
      if (code === undefined) {
        const tag = tags[i], hyphen = tag.indexOf("-");
        const prefix = hyphen < 0 ? tag : tag.slice(0, hyphen);
        if (tag === "O") code = -1;
        else if (!Object.hasOwn(IN_IOBES, prefix)) {
          throw fault(file.file, file.line[i],
            `the ${kind} tag ${quote(tag)}: expected O, or ${Object.keys(IN_IOBES).join(", ")} with or without a label, such as B-PER`,
            "tags without spans, such as parts of speech: choose “plain tags” under Tags");
        } else {
          const label = hyphen < 0 ? "" : tag.slice(hyphen + 1);
          if (!labels.has(label)) labels.set(label, labels.size);
          code = 4 * labels.get(label) + { I: 0, B: 1, E: 2, S: 3 }[IN_IOBES[prefix]];
        }
        codes.set(tags[i], code);
      }
      coded[i] = code;
    }
    return coded;
  }

  /* The spans between two places, as [start, end, label] in a flat list (the CoNLL scorer's rule). */
  function spans(coded, from, to) {
    const found = [];
    let start = -1, open = -1, closed = true;
    for (let i = from; i < to; i++) {
      const code = coded[i];
      if (code < 0) {
        if (start >= 0) found.push(start, i, open);
        start = -1;
        closed = true;
        continue;
      }
      const label = code >> 2, kind = code & 3;
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

  /* tp, fp and fn of each sentence. */
  function countSpans(gold, given, ends) {
    const rows = new Float64Array(3 * ends.length);
    let from = 0;
    ends.forEach((to, s) => {
      const right = spans(gold, from, to), ours = spans(given, from, to);
      let i = 0, j = 0, both = 0;
      while (i < right.length && j < ours.length) {
        if (right[i] === ours[j] && right[i + 1] === ours[j + 1] && right[i + 2] === ours[j + 2]) both++;
        if (right[i] <= ours[j]) {
          if (right[i] === ours[j]) j += 3;
          i += 3;
        } else j += 3;
      }
      rows[3 * s] = both;
      rows[3 * s + 1] = ours.length / 3 - both;
      rows[3 * s + 2] = right.length / 3 - both;
      from = to;
    });
    return { rows, width: 3 };
  }

  /* tp, fp and fn by class of each unit; units are the items, or the sentences that end at `ends`. */
  function countClasses(gold, given, classes, ends) {
    const k = classes.length, place = new Map(classes.map((name, i) => [name, i]));
    const n = ends ? ends.length : gold.length, sparse = Array.from({ length: n }, () => new Map());
    let unit = 0;
    for (let i = 0; i < gold.length; i++) {
      if (ends) while (i >= ends[unit]) unit++;
      else unit = i;
      const add = (column) => sparse[unit].set(column, (sparse[unit].get(column) ?? 0) + 1);
      if (gold[i] === given[i]) add(place.get(gold[i]));
      else {
        add(k + place.get(given[i]));
        add(2 * k + place.get(gold[i]));
      }
    }
    return { sparse, width: 3 * k };
  }

  function scheme(tags) {
    const prefixes = new Set();
    let loose = false;
    for (const tag of new Set(tags)) if (tag !== "O") prefixes.add(tag.split("-", 1)[0]);
    const has = (...names) => names.some((name) => prefixes.has(name));
    for (let i = 0; !loose && i < tags.length; i++) {
      loose = tags[i][0] === "I" && (i === 0 || tags[i - 1] === "O");
    }
    const name = has("B2", "B3") ? "BB2B3MES" : has("M") ? "BMES" : has("L", "U") ? "BILOU"
      : has("E", "S") ? "IOBES" : !has("B") ? "IO" : loose ? "IOB1" : "IOB2";
    return `${name} (${[...prefixes, "O"].join(", ")})`;
  }

  function readConll(files, options) {
    const plain = options.tags === "plain", apart = files.length === 2;
    const pick = (file) => (width, line) => {
      const need = apart ? 3 : 4;
      if (width < need) {
        const way = apart ? "a word, the gold tag and the system's tag in the last two columns"
          : "one file must hold the gold tag and two systems' tags in its last three columns (or add the second system's file)";
        throw fault(file, line, `found ${width} column${width === 1 ? "" : "s"}; expected ${need} or more: ${way}`);
      }
      return apart ? [0, width - 2, width - 1] : [0, width - 3, width - 2, width - 1];
    };
    const tables = files.map(({ name, text }) => readColumns(text, name, pick(name), options.comments));
    if (apart) {
      agree(tables[1], tables[0]);
      const [first, ...rest] = tables[0].labels;
      if (rest.some((labels) => [...labels].some((label) => first.has(label)))) {
        throw fault(files[0].name, 0, "the last three columns hold the same kind of tags: gold and two systems?",
          "then choose this file alone; if not, take the third column from the right out");
      }
    }
    const [one, two] = [tables[0], tables.at(-1)], gold = one.cells[1];
    const given = apart ? [one.cells[2], two.cells[2]] : [one.cells[2], one.cells[3]];
    const several = tables.map((t) => t.documents).filter((own) => new Set(own).size > 1);
    if (several.length > 1 && several[0].some((d, i) => d !== several[1][i])) {
      throw fault(files[0].name, 0, "the -DOCSTART- lines of the two files differ; expected the same documents");
    }
    const read = [`${count(one.ends.length)} sentences, ${count(one.line.length)} words`];
    let tables3;
    if (plain) {
      const classes = [...new Set([gold, ...given].flatMap((tags) => [...new Set(tags)]))].sort();
      if (classes.length > MOST_CLASSES) {
        throw fault(files[0].name, 0, `${count(classes.length)} different tags; are gold and predicted tag the last columns?`);
      }
      tables3 = given.map((tags) => countClasses(gold, tags, classes, one.ends));
      read.push(`${count(classes.length)} plain tags, every word counts`);
    } else {
      const codes = new Map(), labels = new Map(), right = codeTags(gold, one, "gold", codes, labels);
      tables3 = given.map((tags, k) =>
        countSpans(right, codeTags(tags, apart ? tables[k] : one, "predicted", codes, labels), one.ends));
      const sums = tables3.map(({ rows }) => [0, 1, 2].map((k) => total(rows, 3, k)));
      read.push(`gold tags ${scheme(gold)}; ${count(sums[0][0] + sums[0][2])} gold spans, ` +
        sums.map(([tp, fp], k) => `${count(tp + fp)} marked by ${"AB"[k]}`).join(", "));
    }
    const names = apart ? files.map(({ name }) => name.replace(/\.[^.]*$/, "")) : ["A", "B"];
    return { tables: tables3, groups: several[0] ?? null, unit: "sentence", counted: true, read,
      names: names[0] === names[1] ? ["A", "B"] : names, byClass: plain };
  }
  const total = (rows, width, column) => {
    let sum = 0;
    for (let i = column; i < rows.length; i += width) sum += rows[i];
    return sum;
  };

  // --- Tables -----------------------------------------------------------------------------
  function separator(text) {
    const head = text.split("\n").find((line) => line.trim() && !line.startsWith("#")) ?? "";
    const bare = head.replace(/"[^"]*"/g, "");
    const times = [",", ";", "\t"].map((mark) => [bare.split(mark).length, mark]);
    return times.sort((a, b) => b[0] - a[0])[0][1];
  }

  /* The rows of a CSV file with the line where each begins; quotes as in RFC 4180. */
  function readCsv(text, file, mark) {
    const lines = [], columns = [];
    let names = null, i = 0, line = 1;
    while (i < text.length) {
      const begins = line, cells = [];
      for (let more = true; more; ) {
        let cell = "";
        if (text[i] === '"') {
          for (i++; ; i++) {
            const end = text.indexOf('"', i);
            if (end < 0) throw fault(file, begins, "a quotation mark is opened here and never closed; is the file cut off?");
            cell += text.slice(i, end);
            i = end;
            if (text[i + 1] !== '"') break;
            cell += '"';
            i++;
          }
          line += cell.split("\n").length - 1;
          i++;
          if (i < text.length && text[i] !== mark && text[i] !== "\n") {
            throw fault(file, line, `something stands after a closing quotation mark: ${quote(text.slice(i, i + 20).split("\n")[0])}`,
              "write a quotation mark inside a cell twice");
          }
        } else {
          const start = i;
          while (i < text.length && text[i] !== mark && text[i] !== "\n") i++;
          cell = text.slice(start, i);
        }
        cells.push(cell.trim());
        more = text[i] === mark;
        i++;
      }
      line++;
      if (!cells.some((cell) => cell) || (!names && cells[0].startsWith("#"))) continue;
      if (!names) {
        names = cells;
        const bare = names.find(isNumber);
        if (bare !== undefined && !names.includes("gold")) {
          throw fault(file, begins, `expected column names, found the number ${quote(bare)}`,
            "is the line of names missing? write one above the rows, such as id,old,new");
        }
        if (new Set(names).size < names.length || names.slice(1).includes("")) {
          throw fault(file, begins, `expected different column names: ${quote(names.join(", "))}`);
        }
        names.forEach(() => columns.push([]));
        continue;
      }
      if (cells.length !== names.length) {
        throw fault(file, begins, `expected ${names.length} columns, one per name, found ${cells.length}: ` +
          quote(cells.join(", ")), mark === "," && cells.length === 2 * names.length && cells.every(isNumber) ? POINT
          : "is a cell with the separator in it without quotation marks?");
      }
      lines.push(begins);
      cells.forEach((cell, k) => columns[k].push(cell));
      if (lines.length > MOST_LINES) throw fault(file, 0, `more than ${count(MOST_LINES)} rows; expected a smaller file`);
    }
    if (!lines.length) throw fault(file, 0, "no rows; expected a line of column names and rows below");
    return { file, lines, names, columns, column: (name) => columns[names.indexOf(name)] };
  }

  const parsed = (file) => (file.table ??= readCsv(file.text, file.name, separator(file.text)));

  const NAMELESS = ["", "unnamed: 0", "index"]; // what pandas and R call the numbers of the rows
  const KEYS = [...NAMELESS, "dataset", "document", "example", "id", "instance", "item", "name", "query", "question",
    "sample", "seg", "segment", "sentence", "task"];
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
  const isNumber = (cell) => NUMBER.test(cell) && Number.isFinite(Number(cell));
  const DECIMAL_COMMA = /^[+-]?\d+,\d+$/, POINT = "a decimal comma? use a point";
  const isKey = (name) => KEYS.includes(name.toLowerCase()) || name.toLowerCase().endsWith("_id");
  const countsUp = (cells) => [0, 1].some((start) => cells.every((cell, i) => cell === String(i + start)));
  const alone = (cells) => new Set(cells).size === cells.length;

  function filled(table, name) {
    const cells = table.column(name), bad = cells.indexOf("");
    if (bad >= 0) throw fault(table.file, table.lines[bad], `the column ${quote(name)} is empty here; expected a value in every row`);
    return cells;
  }
  function distinct(table, name) {
    const seen = new Map();
    filled(table, name).forEach((cell, i) => {
      if (seen.has(cell)) throw fault(table.file, table.lines[i], `${name} ${quote(cell)} comes twice, first in line ${count(seen.get(cell))}`);
      seen.set(cell, table.lines[i]);
    });
  }

  /* What the columns of a table are: gold, group, the key that names rows, and the systems. */
  function roles(table, options, scores) {
    const { names, columns } = table;
    const chosen = (wanted, usual) => (wanted && names.includes(wanted) ? wanted
      : wanted !== "none" && names.includes(usual) ? usual : null);
    const gold = scores ? null : chosen(options.gold, "gold");
    const group = chosen(options.group, "group");
    // The first column that names its rows, by its name, its text or its numbers.
    const naming = names.filter((name, k) => {
      if (name === gold || name === group) return false;
      const cells = columns[k];
      if (isKey(name) || (k === 0 && cells.length > 2 && countsUp(cells))) return true;
      if (cells.every((cell) => /^\d+$/.test(cell))) return cells.length >= 10 && countsUp(cells.slice().sort((x, y) => x - y));
      return scores && ((k === 0 && !isNumber(cells[0])) || (alone(cells) && cells.every((cell) => /^\p{L}/u.test(cell))));
    });
    const single = naming.filter((name) => alone(table.column(name)));
    const ranked = single.length ? single : naming;
    const key = ranked.find((name) => !NAMELESS.includes(name.toLowerCase())) ?? ranked[0] ?? null;
    // A column with no number, or with no class of the gold standard, is no system; it is named below.
    const known = gold === null ? null : new Set(table.column(gold));
    const plays = (name) => table.column(name).some((cell) => (scores ? isNumber(cell) : known?.has(cell)));
    const rest = names.filter((name) => ![gold, group, key, "group"].includes(name));
    const systems = rest.filter((name) => plays(name) && !(scores && naming.includes(name))), others = rest.filter((name) => !systems.includes(name));
    if (!scores && !gold) throw fault(table.file, 0, `which column is the gold standard? found ${names.join(", ")}`, "choose it under Gold");
    if (systems.length < 2) {
      throw fault(table.file, 0, `expected one column per system, two at least; found ${systems.length ? systems.join(", ") : "none"}` +
        ` beside ${[gold, group, key].filter((name) => name !== null).join(", ") || "nothing"}`,
      others.length ? `${others.join(", ")}: ${scores && others.some((name) => DECIMAL_COMMA.test(table.column(name)[0])) ? POINT : scores ? "no numbers; if these are predictions, choose that under “This file is”" : `none of the classes in ${quote(gold)}`}` : names.length === 1 ? "is the separator another than comma, semicolon and tab?" : "each system needs a column of its own in one file");
    }
    const a = systems.includes(options.a) ? options.a : systems.find((name) => name !== options.b);
    const b = systems.includes(options.b) && options.b !== a ? options.b : systems.find((name) => name !== a);
    return { gold, group, key, systems, others, a, b };
  }

  /* Classes that are predicted but never gold: slips of the pen that cost macro-F1 a class. */
  function strays(right, given) {
    const known = new Set(right), seen = new Map();
    for (const label of given) if (!known.has(label)) seen.set(label, (seen.get(label) ?? 0) + 1);
    const never = [...seen].sort((x, y) => y[1] - x[1]);
    return [...never.slice(0, 3).map(([label, n]) => `'${label}' is predicted but never gold (${n} ${plural("item", n)}).`),
      ...(never.length > 3 ? [`So are ${never.length - 3} more classes.`] : [])];
  }

  function readTable(file, options, scores) {
    const mark = separator(file.text), table = parsed(file);
    const role = roles(table, options, scores), { gold, group, key, a, b } = role;
    if (key !== null) distinct(table, key);
    const groups = group === null ? null : filled(table, group);
    const shown = { ",": "comma", ";": "semicolon", "\t": "tab" }[mark];
    const read = [`${count(table.lines.length)} rows, columns ${table.names.map((n) => n || "(no name)").join(", ")}, separated by ${shown}`];
    if (key !== null) read.push(`the column ${quote(key || "(no name)")} names the rows`);
    const rest = role.systems.filter((name) => name !== a && name !== b);
    if (rest.length) read.push(`not compared: ${rest.join(", ")}`);
    if (role.others.length) read.push(`left out, no systems: ${role.others.join(", ")}`);
    let tables, notes = [], unit = "item";
    if (scores) {
      tables = [a, b].map((name) => {
        const rows = new Float64Array(2 * table.lines.length);
        table.column(name).forEach((cell, i) => {
          if (!isNumber(cell) || !(Math.abs(Number(cell)) < 1e100)) {
            if (!cell) throw fault(table.file, table.lines[i], `${name}: the cell is empty; expected a number`);
            const way = DECIMAL_COMMA.test(cell) ? POINT
              : "is it a file of predictions? then name its gold column “gold”, or choose it";
            throw fault(table.file, table.lines[i], `${name} = ${quote(cell)}: expected a number`, way);
          }
          rows[2 * i] = Number(cell);
          rows[2 * i + 1] = 1;
        });
        return { rows, width: 2 };
      });
      if (key !== null && /^\p{L}{3,}$/u.test(key)) unit = key;
    } else {
      const right = filled(table, gold), given = role.systems.map((name) => filled(table, name));
      const classes = [...new Set([right, ...given].flatMap((own) => [...new Set(own)]))].sort();
      if (classes.length > MOST_CLASSES) {
        throw fault(table.file, 0, `${count(classes.length)} classes; expected a few`,
          "for free text write 1 for right and 0 for wrong, one column per system, without a gold column");
      }
      tables = [a, b].map((name) => countClasses(right, table.column(name), classes));
      notes = [a, b].flatMap((name) => strays(right, table.column(name)));
      read.push(`${count(classes.length)} classes: ${quote(classes.join(", "))}`);
    }
    return { tables, groups, unit, counted: !scores, byClass: !scores, read, notes, names: [a, b], role,
      columns: table.names };
  }

  // --- Comparing: betterthan.paired, _units and _jackknife ------------------------------------
  const over = (part, whole) => (whole > 1e-9 ? part / whole : NaN);
  function macro(s) {
    const k = s.length / 3;
    let sum = 0, seen = 0;
    for (let c = 0; c < k; c++) {
      const whole = 2 * s[c] + s[k + c] + s[2 * k + c];
      if (whole > 1e-9) {
        sum += (2 * s[c]) / whole;
        seen++;
      }
    }
    return over(sum, seen);
  }
  const METRICS = {
    mean: (s) => over(s[0], s[1]),
    precision: (s) => over(s[0], s[0] + s[1]),
    recall: (s) => over(s[0], s[0] + s[2]),
    f1: (s) => over(2 * s[0], 2 * s[0] + s[1] + s[2]),
    macro_f1: macro,
  };
  const WORDS = { f1: "F1", macro_f1: "Macro-F1", accuracy: "Accuracy", mean: "Mean", precision: "Precision", recall: "Recall" };

  /* Rows of a table added up by group. What is not 0, group by group: the columns are where[i] and the
     values what[i], for i from starts[g] to starts[g + 1]; and the sums of everything. */
  function addUp(table, codes, groups, fold) {
    const k = table.width / 3, width = fold ? 3 : table.width;
    let sums; // of each group: by column
    if (table.sparse) {
      sums = Array.from({ length: groups }, () => new Map());
      table.sparse.forEach((row, unit) => row.forEach((value, column) => {
        const own = sums[codes[unit]], place = fold ? Math.floor(column / k) : column;
        own.set(place, (own.get(place) ?? 0) + value);
      }));
    } else {
      sums = new Float64Array(groups * width);
      for (let i = 0, unit = 0; i < table.rows.length; unit++) {
        for (let c = 0; c < width; c++, i++) sums[codes[unit] * width + c] += table.rows[i];
      }
    }
    const starts = new Int32Array(groups + 1), where = [], what = [], whole = new Float64Array(width);
    const add = (column, value) => {
      if (value === 0) return;
      where.push(column);
      what.push(value);
      whole[column] += value;
    };
    for (let g = 0; g < groups; g++) {
      if (table.sparse) [...sums[g].keys()].sort((a, b) => a - b).forEach((column) => add(column, sums[g].get(column)));
      else for (let c = 0; c < width; c++) add(c, sums[g * width + c]);
      starts[g + 1] = where.length;
    }
    return { starts, where: Int32Array.from(where), what: Float64Array.from(what), whole, width };
  }

  /* Some of the groups. */
  function part({ starts, where, what, width }, rows) {
    const found = { starts: [0], where: [], what: [], whole: new Float64Array(width), width };
    for (const g of rows) {
      for (let i = starts[g]; i < starts[g + 1]; i++) {
        found.where.push(where[i]);
        found.what.push(what[i]);
        found.whole[where[i]] += what[i];
      }
      found.starts.push(found.where.length);
    }
    return found;
  }

  function withEach({ starts, where, what, whole }, metric) { // the metric without each group in turn
    const value = metric(whole), left = Float64Array.from(whole), deleted = new Float64Array(starts.length - 1);
    for (let g = 0; g < deleted.length; g++) {
      for (let i = starts[g]; i < starts[g + 1]; i++) left[where[i]] = whole[where[i]] - what[i];
      const found = metric(left);
      for (let i = starts[g]; i < starts[g + 1]; i++) left[where[i]] = whole[where[i]];
      deleted[g] = Number.isFinite(found) ? found : value;
    }
    return { value, deleted };
  }

  /* numpy's default_rng(0): PCG64, bytes as Generator.integers(0, 256, dtype=uint8) gives them. */
  function numpyBytes() {
    const step = 0x2360ed051fc65da44385df649fccf645n, plus = 87136372517582989555478159403783844777n;
    let state = 35399562948360463058890781895381311971n, high = null;
    const word = () => {
      if (high !== null) {
        const kept = high;
        high = null;
        return kept;
      }
      state = BigInt.asUintN(128, state * step + plus);
      const mixed = BigInt.asUintN(64, (state >> 64n) ^ state), turn = state >> 122n;
      const out = BigInt.asUintN(64, (mixed >> turn) | (mixed << ((64n - turn) & 63n)));
      high = Number(out >> 32n);
      return Number(out & 0xffffffffn);
    };
    return (length) => {
      const bytes = new Uint8Array(length);
      for (let i = 0; i < length; i += 4) {
        let four = word();
        for (let k = i; k < i + 4 && k < length; k++, four >>>= 8) bytes[k] = four & 255;
      }
      return bytes;
    };
  }

  /* B minus A on all subsets of the groups, or on as many random ones: sorted. */
  function halves(metric, a, b) {
    const n = a.starts.length - 1, width = a.width, all = n < 60 && 2 ** n - 1 <= DRAWS;
    const sum = new Float64Array(2 * width), first = sum.subarray(0, width), second = sum.subarray(width);
    const add = (g) => {
      for (let i = a.starts[g]; i < a.starts[g + 1]; i++) first[a.where[i]] += a.what[i];
      for (let i = b.starts[g]; i < b.starts[g + 1]; i++) second[b.where[i]] += b.what[i];
    };
    const found = [], size = Math.abs(metric(a.whole)) + Math.abs(metric(b.whole));
    const keep = () => {
      const value = metric(second) - metric(first);
      if (Number.isFinite(value)) found.push(Math.abs(value) <= 1e-12 * size ? 0 : value);
      sum.fill(0);
    };
    if (all) {
      for (let subset = 1; subset < 2 ** n; subset++) {
        for (let g = 0; g < n; g++) if ((subset >> g) & 1) add(g);
        keep();
      }
    } else {
      const bytes = numpyBytes(), wide = Math.ceil(n / 8), block = Math.max(1, Math.floor(2 ** 21 / n));
      for (let done = 0; done < DRAWS; done += block) {
        const rows = Math.min(block, DRAWS - done), coins = bytes(rows * wide);
        for (let r = 0; r < rows; r++) {
          for (let g = 0; g < n; g++) if ((coins[r * wide + (g >> 3)] >> (7 - (g & 7))) & 1) add(g);
          keep();
        }
      }
    }
    return { values: Float64Array.from(found).sort(), drawn: !all };
  }

  const search = (sorted, value, right) => { // how many lie below (or at) the value
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value || (right && sorted[middle] === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  class Halves {
    constructor({ values, drawn }) {
      Object.assign(this, { values, drawn });
    }
    // The smallest p-value that so many random halves can show is a bound.
    get atMost() {
      return this.drawn && this.pvalue() <= 2 / (this.values.length + 1);
    }
    below(value) {
      return (search(this.values, value) + search(this.values, value, true) + 1) / 2 / (this.values.length + 1);
    }
    pvalue() {
      const n = this.values.length, tail = Math.min(search(this.values, 0, true), n - search(this.values, 0));
      return Math.min(1, (2 * (1 + tail)) / (n + 1));
    }
    interval() {
      const out = Math.floor(((1 - LEVEL) / 2) * (this.values.length + 1) + 1e-9);
      return out ? [this.values[out - 1], this.values.at(-out)] : null;
    }
  }
  class Student {
    constructor(centre, error, degrees) {
      Object.assign(this, { centre, error, degrees });
    }
    below(value) {
      return stats.tCdf((value - this.centre) / this.error, this.degrees);
    }
    pvalue() {
      return 2 * stats.tSurvival(Math.abs(this.centre) / this.error, this.degrees);
    }
    interval() {
      const half = stats.tQuantile((1 + LEVEL) / 2, this.degrees) * this.error;
      return [this.centre - half, this.centre + half];
    }
  }

  function unaligned(data, names) {
    if (data.counted) return [];
    const [x, y] = data.tables.map(({ rows }) => rows.filter((_, i) => i % 2 === 0));
    const n = x.length, mean = (v) => v.reduce((a, b) => a + b, 0) / n;
    if (n < ENOUGH_TO_CORRELATE || x.every((v) => v === x[0]) || y.every((v) => v === y[0])) return [];
    const [mx, my] = [mean(x), mean(y)];
    let xy = 0, xx = 0, yy = 0;
    for (let i = 0; i < n; i++) {
      xy += (x[i] - mx) * (y[i] - my);
      xx += (x[i] - mx) ** 2;
      yy += (y[i] - my) ** 2;
    }
    const together = Math.abs(xy / Math.sqrt(xx * yy));
    return together < 1.645 / Math.sqrt(n) ? [`The results of ${names.join(" and ")} hardly go with each other (correlation ` +
      `${fixed(together, 2)}): are these the same items in the same order?`] : [];
  }

  function compare(data, { metric, margin, higher, names }) {
    const n = data.tables[0].sparse?.length ?? data.tables[0].rows.length / data.tables[0].width;
    if (n < 2) throw new Fault(`expected at least two ${plural(data.unit)}, got ${n}`);
    if (!names[0] || !names[1] || names[0] === names[1]) throw new Fault("A and B need two different names");
    const seen = new Map(), codes = new Int32Array(n);
    for (let i = 0; i < n; i++) {
      const label = data.groups ? data.groups[i] : i;
      if (!seen.has(label)) seen.set(label, seen.size);
      codes[i] = seen.get(label);
    }
    const groups = seen.size;
    if (groups < 2) {
      throw new Fault(`the group column has one group only (${quote(String(data.groups[0]))}); one group says nothing about ` +
        "how others would turn out: choose another column, or none");
    }
    const rule = metric === "accuracy" ? (data.counted ? "recall" : "mean") : metric;
    const fold = data.counted && metric !== "macro_f1";
    const f = METRICS[rule], systems = data.tables.map((table) => addUp(table, codes, groups, fold));
    const [one, two] = systems.map((system) => withEach(system, f));
    [one, two].forEach(({ value }, k) => {
      if (!Number.isFinite(value)) throw new Fault(`${names[k]}: ${WORDS[metric]} is undefined: nothing was found, or there was nothing to find`);
    });
    // Kish's effective number of groups, by what each weighs in the metric.
    const weights = new Float64Array(groups), third = systems[0].width / 3;
    const weigh = (column) => {
      if (rule === "mean") return Number(column === 1);
      const place = Math.floor(column / third); // tp, fp, fn
      return rule === "precision" ? Number(place < 2) : rule === "recall" ? Number(place !== 1) : place ? 1 : 2;
    };
    for (const { starts, where, what } of systems) {
      for (let g = 0; g < groups; g++) {
        for (let i = starts[g]; i < starts[g + 1]; i++) weights[g] += (weigh(where[i]) * what[i]) / 2;
      }
    }
    const worth = weights.reduce((a, b) => a + b) ** 2 / weights.reduce((a, b) => a + b * b, 0);
    // The jackknife of the difference.
    const mean = (values) => values.reduce((a, b) => a + b, 0) / groups;
    const [meanA, meanB] = [mean(one.deleted), mean(two.deleted)];
    const moved = Array.from(one.deleted, (value, g) => two.deleted[g] - meanB - (value - meanA));
    const variance = ((groups - 1) / groups) * moved.reduce((sum, v) => sum + v * v, 0);
    const error = Math.sqrt(variance), centre = two.value - one.value, square = variance / (groups - 1);
    const cubed = Math.abs(mean(moved.map((v) => v ** 3)));
    const skew = cubed > 0 ? cubed / square ** 1.5 / Math.sqrt(groups) : 0;
    const constant = error <= 1e-12 * (Math.abs(one.value) + Math.abs(two.value));
    const [x, y] = systems, which = Array.from({ length: groups }, (_, g) => {
      const length = x.starts[g + 1] - x.starts[g];
      if (y.starts[g + 1] - y.starts[g] !== length) return true;
      for (let i = x.starts[g], j = y.starts[g]; i < x.starts[g + 1]; i++, j++) {
        if (x.where[i] !== y.where[j] || x.what[i] !== y.what[j]) return true;
      }
      return false;
    });
    const differ = which.filter((x) => x).length, resampled = groups < n ? "groups" : plural(data.unit);
    const tooFew = (k) => 2 ** Math.min(k, 60) * (1 - LEVEL) < 2;
    const few = tooFew(groups), sparse = tooFew(differ);
    const degrees = Math.min(Math.max(worth - 1, 1e-3), Math.max(differ - 1, 1));
    let distribution = new Student(centre, error, degrees);
    let interval = error > 0 ? distribution.interval() : null;
    let method = `${groups < n ? "delete-one-group" : "delete-one"} jackknife, t with ` +
      `${general(degrees, 4)} degree${degrees === 1 ? "" : "s"} of freedom`;
    if (constant || (!few && (sparse || groups <= MANY))) {
      let parts = systems;
      if (groups > MANY) { // of very many groups all that differ, and some of the others
        const rows = [...which.keys()].sort((i, j) => which[j] - which[i]).slice(0, MANY);
        parts = systems.map((system) => part(system, rows));
      }
      distribution = new Halves(halves(f, ...parts));
      method = `half-samples of the ${resampled}`;
      interval = sparse ? interval && [Math.min(interval[0], 0), Math.max(interval[1], 0)] : distribution.interval();
    }
    const notes = [...new Set([...(data.notes ?? []), ...unaligned(data, names)])];
    if (groups <= FEW) {
      notes.push(`${groups} ${resampled} are few: where their results are very skewed, such intervals miss in up to ` +
        `${groups <= FEW / 2 ? "a third" : "a fifth"} of the cases.`);
    } else if (worth <= FEW) {
      notes.push(`The ${resampled} are so uneven that they are worth ${fixed(worth, 1)} equal ones: few.`);
    }
    if (constant) {
      interval = null;
      notes.push(`Every unit shows the same ${centre ? "difference" : "result"}, so there is no spread to measure.`);
    } else if (few) notes.push(`For half-samples ${groups} ${resampled} are too few: t is a rough guide.`);
    else if (sparse) notes.push(`The two differ on only ${differ} of the ${resampled}: a rough guide.`);
    else if (skew > 0.25 && groups > FEW) notes.push("Results are very skewed: such intervals miss in up to a fifth of the cases.");
    const bounded = data.counted || data.tables.every(({ rows }) => rows.every((v, i) => i % 2 || (v >= 0 && v <= 1)));
    if (interval && bounded) interval = [Math.max(interval[0], -1), Math.min(interval[1], 1)];
    const below = distribution.below(0);
    const result = {
      metric, names, margin, higher, value_a: one.value, value_b: two.value, difference: centre,
      low: interval ? interval[0] : NaN, high: interval ? interval[1] : NaN, pvalue: distribution.pvalue(),
      p_better: higher ? 1 - below : below,
      p_within: margin ? distribution.below(margin) - distribution.below(-margin) : 0,
      standard_error: error, bounded, n_units: n, n_groups: groups, n_effective: worth, differ, unit: data.unit, method, notes,
      distribution,
    };
    result.sentence = sentence(result);
    return result;
  }

  function sentence(r) {
    const [a, b] = r.names, lower = r.higher ? "" : ", lower is better";
    const between = Number.isNaN(r.low) ? "no 95 % interval" : `95 % interval ${number(r.low, true)} to ${number(r.high, true)}`;
    const sample = `${count(r.n_units)} ${plural(r.unit, r.n_units)}${r.n_groups < r.n_units ? ` in ${count(r.n_groups)} groups` : ""}`;
    let given = "flat prior";
    if (r.margin) {
      const ahead = r.higher ? 1 - r.distribution.below(r.margin) : r.distribution.below(-r.margin);
      const g = general(r.margin, 6);
      given += `; by more than ${g}: ${probability(ahead)}; a difference of at most ${g} either way: ${probability(r.p_within)}`;
    }
    const sure = Number.isNaN(r.low) ? r.pvalue <= 1 - LEVEL : !(r.low <= 0 && 0 <= r.high);
    let said;
    if (r.margin && r.p_within >= LEVEL) said = `no difference of more than ${general(r.margin, 6)}`;
    else if (r.difference === 0 && r.standard_error === 0) said = "nothing tells the two apart";
    else if (sure) said = (r.difference > 0) === r.higher ? `${b} is better than ${a}` : `${a} is better than ${b}`;
    else said = "which of the two is better is open at 95 %";
    return [
      `${WORDS[r.metric]} is ${number(r.value_a)} for ${a} and ${number(r.value_b)} for ${b}${lower}. ${b} minus ${a} is ` +
      `${number(r.difference, true)} (${between}; p ${r.distribution.atMost ? "≤" : "="} ${pvalueText(r.pvalue)}; ${sample}; ${r.method}). ` +
      `The probability that ${b} is better is ${probability(r.p_better)} (${given}): ${said}.`,
      ...r.notes,
    ].join(" ");
  }

  Explore.files = { decode, lineEnds, readCsv, spans, compare, general, fixed, numpyBytes };

  // --- The page -----------------------------------------------------------------------------
  Explore.define("compare-files", function (root, examples) {
    const state = { files: [], options: { format: "auto", tags: "spans", metric: "", lower: false, margin: 0 }, result: null, error: "" };
    const part = (name, ...children) => make("div", { class: `explore-${name}` }, ...children);
    const picker = make("input", { type: "file", multiple: true, id: "explore-files", class: "explore-picker",
      accept: ".conll,.conll2003,.iob,.iob2,.bio,.txt,.tsv,.csv,.tab,text/*" });
    const drop = make("label", { class: "explore-drop", for: "explore-files" },
      make("strong", {}, "Drop one or two files here, or choose them: "), picker,
      make("span", {}, "Two CoNLL files (A, the old system, first), one CoNLL file with gold and two systems, or one CSV of predictions or scores. They stay on this machine."));
    const tryout = part("controls", make("span", {}, "No file at hand?"),
      ...examples.map(({ label, files }) => make("button", { type: "button",
        onclick: () => load(files.map(({ name, text }) => ({ name, text }))) }, label)));
    const chosen = part("chosen"), controls = part("controls");
    const trouble = make("p", { class: "explore-trouble", role: "alert", hidden: true });
    const outcome = part("outcome"), more = part("outcome");
    root.prepend(part("live", drop, tryout, chosen, trouble, outcome, controls, more));
    root.setAttribute("aria-label", "Compare two files here");

    const busy = (text) => {
      trouble.hidden = true;
      more.replaceChildren();
      outcome.replaceChildren(make("p", { "aria-live": "polite" }, text));
    };
    async function take(list) {
      const files = [...list];
      if (!files.length) return;
      busy("Reading …");
      await new Promise((go) => setTimeout(go, 30));
      try {
        const read = [];
        for (const file of files.slice(0, 2)) {
          if (file.size > MOST_BYTES) decode({ length: file.size }, file.name);
          read.push({ name: file.name, text: decode(new Uint8Array(await file.arrayBuffer()), file.name) });
        }
        if (files.length > 2) throw new Fault(`${files.length} files; expected one or two`);
        // One more file beside a first one that waits for it makes a pair.
        load(read.length === 1 && state.waiting ? [...state.files, ...read] : read);
      } catch (error) {
        fail(error);
      }
    }
    picker.addEventListener("change", () => take(picker.files).then(() => (picker.value = "")));
    for (const kind of ["dragover", "dragleave", "drop"]) {
      drop.addEventListener(kind, (event) => {
        event.preventDefault();
        drop.classList.toggle("explore-over", kind === "dragover");
        if (kind === "drop") take(event.dataTransfer.files);
      });
    }
    function load(files) {
      state.files = files.map(({ name, text }) => ({ name, text }));
      if (files.length === 2 && files[0].name === files[1].name) state.files[1].name += " (2)";
      const { lower, margin } = state.options;
      state.options = { format: "auto", tags: "spans", metric: "", lower, margin };
      state.kind = state.columns = state.data = null;
      run();
    }

    /* CoNLL files have blank lines between sentences, or no commas and semicolons in the first line. */
    function kindOf(files) {
      const commas = ({ name, text }) => /\.csv$/i.test(name) || /^[^ \t]*[,;][^ \t]*$/.test(text.slice(0, 200000).trim().split("\n", 1)[0]);
      if (files.length === 2) return files.every(commas) ? "table" : "conll";
      const text = files[0].text.slice(0, 200000).trim(), head = text.split("\n", 1)[0];
      if (/\.(csv)$/i.test(files[0].name)) return "table";
      return /\n[ \t]*\n/.test(text) || text.startsWith("-DOCSTART-") || !/[,;\t]/.test(head) ? "conll" : "table";
    }

    function run() {
      const { files, options } = state;
      state.error = "";
      state.result = state.data = null;
      state.waiting = false;
      if (!files.length) return show();
      try {
        for (const file of files) file.text = lineEnds(file.text, file.name);
        let kind = options.format === "auto" ? kindOf(files) : options.format;
        if (kind !== "conll" && files.length === 2) {
          throw fault(files[1].name, 0, "a second table", "put both systems as columns into one CSV");
        }
        if (kind === "table") {
          const { names, columns } = parsed(files[0]), numeric = columns.filter((cells) => cells.some(isNumber)).length;
          kind = names.includes("gold") || (!numeric && names.length > 2) ? "predictions" : "scores";
        }
        state.kind = kind;
        state.waiting = kind === "conll" && files.length === 1;
        if (kind !== "conll") state.columns = parsed(files[0]).names;
        const data = kind === "conll" ? readConll(files, options) : readTable(files[0], options, kind === "scores");
        state.data = data;
        state.metrics = kind === "scores" ? ["mean"] : data.byClass ? ["accuracy", "macro_f1"] : ["f1", "precision", "recall"];
        if (kind === "scores" && data.tables.every(({ rows }) => rows.every((v) => v === 0 || v === 1))) state.metrics.push("accuracy");
        const metric = state.metrics.includes(options.metric) ? options.metric : state.metrics[0];
        const names = ["name_a", "name_b"].map((key, k) => options[key]?.trim() || data.names[k]);
        const margin = Number(options.margin) || 0;
        state.asked = { metric, names };
        if (margin < 0) throw new Fault(`a margin of ${options.margin}: expected 0 or more`);
        state.result = compare(data, { metric, margin, higher: !options.lower, names });
        state.waiting = false;
      } catch (error) {
        return fail(error);
      }
      show();
    }
    function fail(error) {
      if (!(error instanceof Fault)) console.error(error);
      state.error = error instanceof Fault ? error.message : `This went wrong in the page (${error.message}); please report it.`;
      state.result = null;
      show();
    }

    function control(name, label, field, redo = true) {
      field.id = `explore-files-${name}`;
      field.dataset.name = name;
      const value = () => (field.type === "checkbox" ? field.checked : field.value);
      field.addEventListener(field.type === "text" || field.type === "number" ? "change" : "input", () => {
        state.options[name] = value();
        if (redo) run();
        root.querySelector(`[data-name="${name}"]`)?.focus({ preventScroll: true });
      });
      return field.type === "checkbox" ? make("label", { class: "explore-check", for: field.id }, field, " ", label)
        : make("label", { class: "explore-field", for: field.id }, make("span", {}, label), field);
    }
    function select(name, label, options, value) {
      const field = make("select", {}, options.map(([v, text]) => make("option", { value: v }, text)));
      field.value = value;
      return control(name, label, field);
    }

    function show() {
      const { files, options, kind, result, error } = state;
      chosen.replaceChildren();
      controls.replaceChildren();
      outcome.replaceChildren();
      more.replaceChildren();
      trouble.hidden = !error;
      trouble.textContent = error;
      if (!files.length) return;
      const pair = files.length === 2;
      chosen.append(make("p", {}, ...files.flatMap(({ name }, i) => [i ? ", " : "",
        make("strong", {}, pair ? `${"AB"[i]}: ` : "File: "), name]), " "),
      ...(pair ? [make("button", { type: "button", onclick: () => { files.reverse(); Object.assign(options, { name_a: options.name_b, name_b: options.name_a }); run(); } }, "Swap A and B")] : []),
      make("button", { type: "button", onclick: () => { state.files = []; run(); } }, "Start again"));
      const none = [["none", "none: each for itself"]], data = state.data, asked = state.asked;
      if (!pair) {
        controls.append(select("format", "This file is", [["auto", "detect"], ["conll", "CoNLL, gold and two systems"],
          ["predictions", "a table with gold and predictions"], ["scores", "a table of scores"]], options.format));
      }
      if (kind === "conll") {
        controls.append(select("tags", "Tags", [["spans", "spans (names, chunks, words)"], ["plain", "plain tags (parts of speech)"]], options.tags));
      } else if (kind && state.columns) {
        const columns = state.columns.map((name) => [name, name || "(no name)"]), role = data?.role;
        if (kind === "predictions") controls.append(select("gold", "Gold", [["", "…"], ...columns], role?.gold ?? options.gold ?? ""));
        const systems = role?.systems.map((name) => [name, name || "(no name)"]);
        if (role) controls.append(select("a", "A, the old one", systems, role.a), select("b", "B, the new one", systems, role.b));
        // No group: the gold standard, the two systems, and scores, which are rarely whole numbers.
        const table = parsed(files[0]), whole = (name) => table.column(name).every((cell) => !isNumber(cell) || Number(cell) % 1 === 0);
        const mayGroup = (name) => !role || name === role.group ||
          (name !== role.gold && !(role.systems.length === 2 && role.systems.includes(name)) && whole(name));
        controls.append(select("group", "Group", [...none, ...columns.filter(([name]) => mayGroup(name))], role ? role.group ?? "none" : options.group ?? "none"));
      }
      if (data) {
        controls.append(select("metric", "Metric", state.metrics.map((m) => [m, WORDS[m]]), asked.metric));
        if (kind === "conll") {
          for (const [key, label, k] of [["name_a", "Name of A", 0], ["name_b", "Name of B", 1]]) {
            controls.append(control(key, label, make("input", { type: "text", value: asked.names[k], maxlength: 60 })));
          }
        }
        controls.append(control("margin", "A difference nobody would care about", make("input", { type: "number", min: 0, step: "any", value: options.margin || 0 })));
        const lower = make("input", { type: "checkbox" });
        lower.checked = options.lower;
        if (kind === "scores") controls.append(control("lower", "lower is better", lower));
      }
      if (kind === "conll") {
        const box = make("input", { type: "checkbox" });
        box.checked = !!options.comments;
        controls.append(control("comments", "leave out lines that begin with “# ”", box));
      }
      if (result) answer(result);
    }

    function answer(r) {
      const said = make("blockquote", { class: "explore-sentence", "aria-live": "polite" }, make("p", {}, r.sentence));
      const copied = make("span", { role: "status" });
      const copy = make("button", { type: "button", "data-name": "copy", onclick: () => toClipboard(r.sentence, said).then((done) => {
        copied.textContent = done ? " Copied." : " The sentence is marked: copy it with Ctrl+C or ⌘C.";
      }) }, "Copy the sentence");
      const [a, b] = r.names;
      const rows = [
        [`${WORDS[r.metric]} of ${a}`, number(r.value_a)], [`${WORDS[r.metric]} of ${b}`, number(r.value_b)],
        [`${b} minus ${a}`, number(r.difference, true)],
        ["95 % interval", Number.isNaN(r.low) ? "none" : `${number(r.low, true)} to ${number(r.high, true)}`],
        ["p-value, two-sided", pvalueText(r.pvalue)], [`P(${b} better)`, probability(r.p_better)],
        ...(r.margin ? [[`P(at most ${general(r.margin, 6)} apart)`, probability(r.p_within)]] : []),
        [plural(r.unit), count(r.n_units)],
        ["groups", r.n_groups < r.n_units ? `${count(r.n_groups)}, worth ${fixed(r.n_effective, 1)} equal ones` : `none: each ${r.unit} for itself`],
      ];
      const table = make("table", { class: "explore-table" }, make("tbody", {},
        rows.map(([what, value]) => make("tr", {}, make("th", { scope: "row" }, what), make("td", {}, value)))));
      const figure = make("div", { class: "explore-figure" });
      const draw = () => {
        figure.replaceChildren();
        const width = Math.max(260, Math.min(700, figure.clientWidth || 600));
        if (width !== draw.width) draw.width = width;
        picture({ figure, width }, r);
      };
      new ResizeObserver(() => figure.clientWidth && Math.min(700, figure.clientWidth) !== draw.width && draw()).observe(figure);
      requestAnimationFrame(draw);
      const halved = r.distribution instanceof Halves, drawn = halved && r.distribution.values.length;
      const how = !halved ? "interval, p and probability: the jackknife and Student's t, as in print(compare(…))"
        : drawn < DRAWS ? `interval, p and probability: all ${count(drawn)} half-samples, as in print(compare(…))`
          : `interval, p and probability: ${count(drawn)} random half-samples, the same (seed 0) as in print(compare(…)); ` +
            "another seed may move the third digit of p";
      outcome.append(said, make("p", {}, copy, copied), figure);
      more.append(table,
        make("details", { open: true }, make("summary", {}, "What was read"),
          make("ul", {}, state.data.read.map((text) => make("li", {}, text)), make("li", {}, groupWords(r)), make("li", {}, how))),
        make("details", {}, make("summary", {}, "The same in Python"), make("pre", {}, make("code", {}, python(r)))));
    }
    function groupWords(r) {
      if (r.n_groups >= r.n_units && !state.data.groups) {
        return `no groups: each ${r.unit} counts for itself. If ${plural(r.unit)} come from documents, ` +
          (state.kind === "conll" ? "-DOCSTART- lines say so, and the interval will be honest about it" : "a group column says so");
      }
      const from = state.kind === "conll" ? "documents, by their -DOCSTART- lines" : `the column ${quote(state.data.role.group)}`;
      return `groups: ${from}; ${count(r.n_groups)} of them`;
    }
    function python(r) {
      const text = JSON.stringify, { files, kind, data, options } = state, names = `names=(${text(r.names[0])}, ${text(r.names[1])})`;
      const extra = [r.metric !== { conll: "f1", predictions: "f1", scores: "mean" }[kind] && `metric=${text(r.metric)}`, names,
        r.margin && `margin=${r.margin}`, !r.higher && "higher_is_better=False"].filter((x) => x).join(", ");
      const mark = kind === "conll" ? "," : separator(files[0].text), apart = mark === "," ? "" : `, separator=${text(mark)}`;
      const group = data.role?.group && data.role.group !== "group" ? `, group=${text(data.role.group)}` : "";
      const lines = ["from betterthan import compare, readers", ""];
      if (kind === "conll") {
        const more = (options.tags === "plain" ? ', scheme="plain"' : "") + (options.comments ? ', comments="# "' : "");
        const columns = files.length === 2 ? "" : ', columns={"word": 0, "gold": -3, "predicted": [-2, -1]}';
        lines.push(`a, b = readers.read_conll(${files.map(({ name }) => text(name)).join(", ")}${columns}${more})`, `print(compare(a, b, ${extra}))`);
      } else {
        const gold = data.role.gold && data.role.gold !== "gold" ? `, gold=${text(data.role.gold)}` : "";
        const reader = kind === "scores" ? "read_scores" : "read_predictions";
        if (data.role.others.length) lines.push(`# take these columns out of the file first: ${data.role.others.join(", ")}`);
        lines.push(`systems = readers.${reader}(${text(files[0].name)}${gold}${group}${apart})`,
          `print(compare(systems[${text(data.role.a)}], systems[${text(data.role.b)}], ${extra}))`);
      }
      return lines.join("\n");
    }

    root.explore = {
      load(files) {
        load(files);
        return root.explore.read();
      },
      set(name, value) {
        state.options[name] = value;
        run();
        return root.explore.read();
      },
      read() {
        const { distribution, ...numbers } = state.result ?? {};
        return { ...numbers, error: state.error, kind: state.kind, files: state.files.map(({ name }) => name),
          read: state.result ? state.data.read : [], options: { ...state.options } };
      },
    };
  });

  /* What is known of the difference: how likely each value is, 0, the margin, the interval. */
  function picture(panel, r) {
    const reach = 4.2 * r.standard_error || 1, most = r.bounded ? 1 : Infinity; // no share differs by more
    const from = Math.max(-most, Math.min(r.difference - reach, 0)), to = Math.min(most, Math.max(r.difference + reach, 0));
    const steps = 81, width = (to - from) / steps, [a, b] = r.names;
    const heights = Array.from({ length: steps }, (_, i) =>
      Math.max(0, r.distribution.below(from + (i + 1) * width) - r.distribution.below(from + i * width)));
    const top = Math.max(...heights) * 1.1 || 1, w = panel.width, h = 190, floor = h - 62;
    const x = (v) => 10 + ((v - from) / (to - from)) * (w - 20), y = (v) => floor - (v / top) * (floor - 24);
    const svg = Explore.svg("svg", { width: w, height: h, role: "img",
      "aria-label": `What is known of ${b} minus ${a}: the 95 % interval is from ${number(r.low, true)} to ${number(r.high, true)}` });
    const add = (...given) => svg.append(Explore.svg(...given));
    if (r.margin) {
      const [low, high] = [Math.max(from, -r.margin), Math.min(to, r.margin)];
      add("rect", { x: x(low), width: Math.max(0, x(high) - x(low)), y: 20, height: floor - 20, fill: "var(--ex-2)", fillOpacity: 0.2 });
    }
    heights.forEach((height, i) => {
      const middle = from + (i + 0.5) * width, ahead = middle > 0 === r.higher;
      add("rect", { x: x(from + i * width), width: (w - 20) / steps + 0.3, y: y(height), height: floor - y(height),
        fill: ahead ? "var(--ex-1)" : "var(--ex-0)", fillOpacity: ahead ? 1 : 0.6 });
    });
    add("line", { x1: x(0), x2: x(0), y1: 20, y2: floor + 12, stroke: "var(--ex-ink)", strokeDasharray: "2 3" });
    if (!Number.isNaN(r.low)) {
      const [low, high] = [Math.max(from, r.low), Math.min(to, r.high)];
      add("line", { x1: x(low), x2: x(high), y1: floor + 8, y2: floor + 8, stroke: "var(--ex-ink)", strokeWidth: 4 });
      add("circle", { cx: x(r.difference), cy: floor + 8, r: 5, fill: "var(--ex-ink)" });
    }
    for (const tick of Explore.ticks(from, to, w / 90)) {
      const text = tick ? (tick > 0 ? "+" : "−") + String(Math.abs(tick)) : "0", at = Math.max(18, Math.min(w - 18, x(tick)));
      add("text", { x: at, y: floor + 30, "text-anchor": "middle" }, text);
    }
    const end = w < 480 ? "" : "; bar below: 95 % interval";
    add("text", { x: w / 2, y: h - 8, "text-anchor": "middle" }, `${b} minus ${a}${end}`);
    const side = x(0) < w / 2 ? { x: w - 4, "text-anchor": "end" } : { x: 4 };
    add("text", { ...side, y: 14, fontWeight: 600 }, `${b} better: ${probability(r.p_better)}`);
    panel.figure.append(svg);
  }

  async function toClipboard(text, element) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { // a page from a folder may not: the old way, or the reader's own hands
      getSelection().selectAllChildren(element);
      return document.execCommand?.("copy") ?? false;
    }
  }
})();
