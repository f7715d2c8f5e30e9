/* Compare two files here, part 6 of 6: `betterthan.compare`, `compare_many` and `compare_folds` with their
   sentences, down to the random numbers (betterthan._metrics, _together, _jackknife, _cautions, paired and
   several, in this order). */
(function () {
  "use strict";
  const Compare = Explore.compare, { stats } = Explore;
  const { InputError, byLetters, count, counted, fixed, general, number, percent, plural, probability, pvalue, quoted, say, shown } = Compare;

  const LEVEL = 0.95, DRAWS = 9999;
  // From so many groups on Student's t and half-samples agree, and t takes no time.
  const MANY_GROUPS = 1000;
  // Up to here intervals of skewed differences miss much too often.
  const FEW = 20;
  const ENOUGH_TO_CORRELATE = 200;
  // Above so many groups the library takes normal random numbers for the coins of `compare_many`.
  const NORMAL = 5000;
  // What a page adds up within half a minute.
  const MOST_ADDED = 4e9;

  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const mean = (values) => sum(values) / values.length;
  const variance = (values) => {
    const middle = mean(values);
    return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
  };

  // --- Rows of numbers, most of them 0 ------------------------------------------------------------
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
      return Object.assign(this, { starts: Int32Array.from(this.starts), where: Int32Array.from(this.where), what: Float64Array.from(this.what) });
    }
    pairs(row) {
      const found = [];
      for (let i = this.starts[row]; i < this.starts[row + 1]; i++) found.push([this.where[i], this.what[i]]);
      return found;
    }
    same(row, other) {
      const from = this.starts[row], length = this.starts[row + 1] - from, start = other.starts[row];
      if (other.starts[row + 1] - start !== length) return false;
      for (let i = 0; i < length; i++) {
        if (this.where[from + i] !== other.where[start + i] || this.what[from + i] !== other.what[start + i]) return false;
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
      const members = Array.from({ length: groups }, () => []), found = new Rows(width), total = new Float64Array(width);
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

  // --- Metrics of sums ------------------------------------------------------------------------------
  const OF_COUNTS = ["f1", "precision", "recall", "macro_f1", "accuracy"], OF_NUMBERS = ["mean", "accuracy"];
  const WORDS = { f1: "F1", macro_f1: "macro-F1" };
  const over = (part, whole) => (whole > 1e-9 ? part / whole : NaN);

  function macroF1(s) {
    const k = s.length / 3;
    let total = 0, seen = 0;
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
    if (!allowed.includes(value)) throw new InputError({ argument, value, expected: `one of ${allowed.map(quoted).join(", ")}` });
    return value;
  }
  const usualMetric = ({ kind, positive, byClass }) =>
    kind === "numbers" ? "mean" : kind === "labels" ? (positive === null ? "accuracy" : "f1") : byClass ? "accuracy" : "f1";
  const metricOfResults = ({ metric, held }) => metric ?? usualMetric(held);

  /* The metric asked for, if such results have it: {name, of, rule, word, bounded}. */
  function metricOf(name, held, asked) {
    if (held.kind === "numbers") return metricOfNumbers(name, held, asked);
    choice("metric", asked, OF_COUNTS);
    if (asked === "accuracy") refuseSeveralLabels(name, held);
    if (asked === "macro_f1" && held.byClass === false) throw new InputError({ problem: `${name}: macro_f1 needs counts per class, units × classes` });
    const rule = asked === "accuracy" ? "recall" : asked;
    return { name: asked, rule, of: RULES[rule], bounded: true, word: wordOf(held, asked) };
  }
  function metricOfNumbers(name, { runs }, asked) {
    if (OF_COUNTS.slice(0, -1).includes(asked)) {
      throw new InputError({ argument: "metric", value: asked, expected: `labels or tags in ${name}, got numbers` });
    }
    choice("metric", asked, OF_NUMBERS);
    const other = asked === "accuracy" ? runs.map((run) => run.find((value) => value !== 0 && value !== 1)).find((value) => value !== undefined) : undefined;
    if (other !== undefined) throw new InputError({ problem: `${name}: accuracy needs 1 for right, 0 for wrong; got ${Compare.shortest(other)}` });
    return { name: asked, rule: "mean", of: RULES.mean, bounded: asked === "accuracy", word: asked };
  }
  function refuseSeveralLabels(name, { kind, runs, byClass }) {
    if (kind !== "counted" || byClass) return;
    const odd = runs.some((run) => Array.from({ length: run.length }, (_, row) => new Map(run.pairs(row)))
      .some((own) => (own.get(1) ?? 0) !== (own.get(2) ?? 0)));
    if (odd) {
      throw new InputError({ problem: `${name}: accuracy needs one label per item, so that each wrong one is both invented and ` +
        "missed; for spans take F1, precision or recall" });
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
    if (held.kind === "numbers") return held.runs.map((run) => rowsOf(2, run, (value) => [[0, value], [1, 1]]));
    if (held.kind === "labels") return held.runs.map((run) => rowsOfLabels(held, run, metric));
    if (!held.byClass || metric.name === "macro_f1") return held.runs;
    return held.runs.map((run) => run.addUp([...Array(run.length).keys()], run.length, { width: 3, place: (column) => Math.floor((3 * column) / run.width) }));
  }
  function rowsOf(width, values, pairs) {
    const rows = new Rows(width);
    values.forEach((value, i) => rows.add(pairs(value, i)));
    return rows.done();
  }
  function rowsOfLabels({ classes, right, positive }, run, metric) {
    const k = classes.length;
    if (metric.name === "macro_f1") {
      return rowsOf(3 * k, run, (said, i) => (said === right[i] ? [[said, 1]] : said < 0 ? [[2 * k + right[i], 1]] : [[k + said, 1], [2 * k + right[i], 1]]));
    }
    if (metric.name === "accuracy" || positive === null) {
      return rowsOf(3, run, (said, i) => (said === right[i] ? [[0, 1]] : [[1, 1], [2, 1]]));
    }
    const place = classes.indexOf(positive);
    return rowsOf(3, run, (said, i) => {
      const [found, is] = [said === place, right[i] === place];
      return [[0, Number(found && is)], [1, Number(found && !is)], [2, Number(!found && is)]];
    });
  }

  // --- Systems on the same units --------------------------------------------------------------------
  /* Systems on the same units, matched, added up by group, and measured; what cannot be compared is refused. */
  function together(given, { metric = null, unmatched = "refuse", notes: more = true } = {}) {
    choice("unmatched", unmatched, ["refuse", "drop"]);
    const names = given.map(({ name }) => name);
    refuseOtherKinds(given, metric);
    const [results, dropped] = matched(given, unmatched), n = lengthOf(results[0]);
    if (n < 2) throw new InputError({ problem: `${names[0]}: expected at least two units, got ${n}` });
    const held = inTheSameClasses(results.map((one) => one.held));
    refuseOtherGold(names, held, results[0].ids);
    const asked = metric ?? metricOfResults(results[0]);
    const chosen = held.map((own, i) => metricOf(names[i], own, asked)).at(-1);
    const tables = held.map((own) => tablesOf(own, chosen));
    refuseOtherGroups(names, results);
    const [codes, groups] = codesOf(results[0].groups, n);
    const systems = tables.map((runs, i) => systemOf(names[i], runs, chosen, codes, groups));
    const data = { systems, tables, metric: chosen, quantity: results.find((one) => one.quantity)?.quantity ?? "",
      bounded: chosen.bounded || (chosen.name === "mean" && held.every(within0And1)), unit: results[0].unit, n_units: n, n_groups: groups,
      n_effective: effective(systems, chosen, groups), higher: results[0].higher ?? true };
    data.resampled = groups < n ? "groups" : plural(data.unit);
    data.word = chosen.word + (data.quantity && chosen.name === "mean" ? ` ${data.quantity}` : "");
    data.notes = more ? notesOf(data, results, dropped) : [];
    return data;
  }
  const lengthOf = ({ held }) => (held.right ?? held.runs[0]).length;
  const within0And1 = ({ kind, runs }) => kind === "numbers" && runs.every((run) => run.every((value) => value >= 0 && value <= 1));

  /* What was decided on the way, and what to beware of. */
  function notesOf(data, results, dropped) {
    const names = results.map(({ name }) => name), own = new Set(results.flatMap(({ notes }) => notes));
    const numbers = results[0].held.kind === "numbers", byIds = results.every(({ ids }) => ids !== null);
    return [...(dropped ? [`${count(dropped)} ${plural("item", dropped)} without a match left out.`] : []), ...own,
      ...(numbers && names.length > 1 && !byIds ? sameItems(names, results.map(({ held }) => held.runs[0])) : []),
      ...tooFew(data), ...fewRuns(data.systems.map(({ values }) => values.length))];
  }

  /* Systems must agree in direction, metric, quantity and unit; both are named where not. */
  function refuseOtherKinds([first, ...others], metric) {
    const direction = ({ higher }) => (higher === false ? "lower is better" : "higher is better");
    for (const own of others) {
      if (direction(own) !== direction(first)) {
        throw new InputError({ problem: `${own.name}: ${direction(own)}, but of ${first.name} ${direction(first)}` });
      }
      const [a, b] = [metricOfResults(first), metricOfResults(own)];
      if (metric === null && a !== b) {
        throw new InputError({ problem: `${own.name}: its metric is ${b}, but that of ${first.name} is ${a}`, ways: [say("metric")] });
      }
      if (first.quantity && own.quantity && own.quantity !== first.quantity) {
        throw new InputError({ problem: `${own.name}: holds ${own.quantity}, but ${first.name} holds ${first.quantity}`, expected: "the same for both" });
      }
      if (own.unit !== first.unit && own.unit !== "item" && first.unit !== "item") {
        throw new InputError({ problem: `${own.name}: its units are ${plural(own.unit)}, but those of ${first.name} are ${plural(first.unit)}`,
          expected: "the same for both" });
      }
    }
  }

  /* All systems on the units of the first, in its order; how many units are left out. */
  function matched(results, unmatched) {
    const ids = results.map((one) => one.ids);
    if (ids.includes(null)) {
      for (const one of results) {
        if (lengthOf(one) === lengthOf(results[0])) continue;
        const problem = `${one.name}: expected as many units as ${results[0].name} has (${count(lengthOf(results[0]))}), got ${count(lengthOf(one))}`;
        throw new InputError({ problem });
      }
      return [results, 0];
    }
    if (ids.every((own) => own.length === ids[0].length && own.every((id, i) => id === ids[0][i]))) return [results, 0];
    const sets = ids.map((own) => new Set(own)), common = ids[0].filter((id) => sets.every((own) => own.has(id)));
    if (unmatched === "refuse" || !common.length) refuseUnmatched(results, new Set(common));
    const all = new Set(ids.flat()), dropped = all.size - common.length;
    return [results.map((one, i) => {
      const place = new Map(ids[i].map((id, row) => [id, row]));
      return Compare.takeRows(one, common.map((id) => place.get(id)));
    }), dropped];
  }
  function refuseUnmatched(results, common) {
    for (const { name, ids } of results) {
      const extra = ids.filter((id) => !common.has(id));
      if (!extra.length) continue;
      const are = extra.length === 1 ? "item is" : "items are";
      throw new InputError({ problem: `${name}: ${count(extra.length)} ${are} not in all systems, such as ${extra.slice(0, 5).map(quoted).join(", ")}`,
        expected: "the same ids everywhere", ways: common.size ? [say("unmatched", "drop", "to leave them out")] : [] });
    }
  }

  /* Labels of several systems in one list of classes. */
  function inTheSameClasses(held) {
    if (!held.every(({ kind }) => kind === "labels")) return held;
    const classes = [...new Set(held.flatMap((own) => own.classes))].sort(byLetters), place = new Map(classes.map((name, i) => [name, i]));
    return held.map((own) => {
      const moved = (codes) => codes.map((code) => (code < 0 ? -1 : place.get(own.classes[code])));
      return { ...own, classes, right: moved(own.right), runs: own.runs.map(moved) };
    });
  }
  /* Refuse what was counted against another gold standard. */
  function refuseOtherGold(names, held, ids) {
    const kinds = [...new Set(held.map(({ kind }) => kind))].sort();
    if (kinds.length > 1) throw new InputError({ problem: `${names.at(-1)}: expected results of one kind, got ${kinds.join(" and ")}` });
    if (kinds[0] !== "labels") return;
    const [{ right, classes }] = held;
    held.forEach((own, k) => {
      const i = own.right.findIndex((code, row) => code !== right[row]);
      if (i < 0) return;
      const problem = `${names[k]}: expected the same gold classes as ${names[0]}, but ${ids === null ? i : shown(ids[i])} is ` +
        `${shown(classes[right[i]], 40)} there and ${shown(classes[own.right[i]], 40)} here`;
      throw new InputError({ problem });
    });
  }
  /* All systems must have the same groups, or none. */
  function refuseOtherGroups(names, results) {
    results.forEach(({ groups }, k) => {
      const first = results[0].groups;
      const same = groups === null || first === null ? groups === first : groups.every((label, i) => label === first[i]);
      if (!same) {
        const expected = `the same groups everywhere, but those of ${names[0]} and ${names[k]} differ`;
        throw new InputError({ argument: "groups", expected });
      }
    });
  }

  /* The number of each unit's group, and how many groups there are. */
  function codesOf(groups, n) {
    if (groups === null) return [[...Array(n).keys()], n];
    const seen = new Map(), codes = groups.map((label) => seen.get(label) ?? (seen.set(label, seen.size), seen.size - 1));
    if (seen.size < 2) {
      const expected = `at least two groups, got one (${typeof groups[0] === "string" ? quoted(groups[0]) : groups[0]}); one group says nothing about how others would turn out`;
      throw new InputError({ argument: "groups", expected });
    }
    return [codes, seen.size];
  }

  /* One system: per run the sums of each group, the metric, and the metric without each group. */
  function systemOf(name, tables, { of, name: metric }, codes, groups) {
    const sums = tables.map((table) => table.addUp(codes, groups)), values = sums.map(({ whole }) => of(whole));
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
    const weights = new Float64Array(groups), runs = systems.flatMap(({ sums }) => sums);
    const weigh = (column, width) => (rule === "mean" ? column : WEIGHTS[rule][Math.floor((3 * column) / width)]);
    for (const { starts, where, what, width } of runs) {
      for (let g = 0; g < groups; g++) {
        for (let i = starts[g]; i < starts[g + 1]; i++) weights[g] += (weigh(where[i], width) * what[i]) / runs.length;
      }
    }
    return sum(weights) ** 2 / sum(weights.map((weight) => weight * weight));
  }

  // --- The jackknife, half-samples and exchanges ------------------------------------------------------
  /* A score or difference known up to a standard error: centre + error × t. */
  class Student {
    constructor(parts) {
      Object.assign(this, { skew: 0, atMost: false }, parts);
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

  /* The second system minus the first, and how far groups and runs may have moved it. */
  function student([first, second], worth) {
    const n = first.deleted[0].length, parts = [[first, -1], [second, 1]];
    const away = parts.map(([{ deleted }]) => deleted.map((each) => {
      const middle = mean(each);
      return each.map((value) => value - middle);
    }));
    const moved = new Float64Array(n);
    parts.forEach(([, sign], s) => away[s].forEach((run) => run.forEach((value, g) => (moved[g] += (sign / away[s].length) * value))));
    const fromItems = ((n - 1) / n) * sum(moved.map((value) => value * value));
    const runs = spreadOfRuns(parts.map(([{ values }]) => values), away, n), fromRuns = sum(runs.parts.map(([part]) => part));
    const whole = Math.max(fromItems + fromRuns - runs.countedTwice, fromItems, fromRuns);
    // One huge group counts as hardly more than one: then next to nothing is known.
    const free = Math.max(worth - 1, 1e-3);
    const doubt = fromItems ** 2 / free + sum(runs.parts.map(([part, known]) => part ** 2 / known));
    const third = Math.abs(sum(moved.map((value) => value ** 3)) / n), square = fromItems / (n - 1);
    return new Student({ centre: mean(second.values) - mean(first.values), error: Math.sqrt(whole), degrees: doubt > 0 ? whole ** 2 / doubt : free,
      skew: third > 0 ? third / square ** 1.5 / Math.sqrt(n) : 0 });
  }

  /* The variance that runs add, [part, its degrees of freedom] for each system; one with a single run is
     taken to be like the others. Part of it is counted twice: what a run's luck on single groups adds. */
  function spreadOfRuns(values, away, n) {
    const several = values.filter((own) => own.length > 1), known = sum(several.map((own) => own.length - 1));
    const usual = several.length ? sum(several.map((own) => variance(own) * (own.length - 1))) / known : 0;
    const found = { parts: [], countedTwice: 0 };
    values.forEach((own, s) => {
      const runs = own.length;
      if (runs > 1) {
        found.parts.push([variance(own) / runs, runs - 1]);
        found.countedTwice += luckOnGroups(away[s], n);
      } else if (several.length) found.parts.push([usual, known]);
    });
    return found;
  }
  function luckOnGroups(away, n) {
    const runs = away.length, product = (a, b) => ((n - 1) / n) * a.reduce((total, value, g) => total + value * b[g], 0);
    const trace = sum(away.map((run) => product(run, run)));
    const all = sum(away.flatMap((a) => away.map((b) => product(a, b))));
    return (trace / runs - (all - trace) / (runs * (runs - 1))) / runs;
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
  /* The same from a generator that is a hundred times as fast. */
  function quickBytes() {
    const random = Explore.random(0);
    return (length) => Uint8Array.from({ length }, () => random.bits() >>> 24);
  }

  const allSubsets = (n) => n < 60 && 2 ** n - 1 <= DRAWS;
  /* Calls `add` with every member of each subset of n, and `done` after each: all subsets but the empty
     one, or as many random ones. */
  function eachSubset(n, bytes, add, done) {
    if (allSubsets(n)) {
      for (let subset = 1; subset < 2 ** n; subset++) {
        for (let g = 0; g < n; g++) if ((subset >> g) & 1) add(g);
        done();
      }
      return;
    }
    const wide = Math.ceil(n / 8), block = Math.max(1, Math.floor(2 ** 21 / n));
    for (let drawn = 0; drawn < DRAWS; drawn += block) {
      const rows = Math.min(block, DRAWS - drawn), coins = bytes(rows * wide);
      for (let r = 0; r < rows; r++) {
        for (let g = 0; g < n; g++) if ((coins[r * wide + (g >> 3)] >> (7 - (g & 7))) & 1) add(g);
        done();
      }
    }
  }

  /* Adds the rows of several tables to sums side by side. */
  function adder(tables) {
    const sums = tables.map(({ width }) => new Float64Array(width));
    const add = (g) => tables.forEach(({ starts, where, what }, k) => {
      const own = sums[k];
      for (let i = starts[g]; i < starts[g + 1]; i++) own[where[i]] += what[i];
    });
    return { sums, add, clear: () => sums.forEach((own) => own.fill(0)) };
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

  /* Hartigan's typical values: the difference on random halves of the groups, sorted. */
  class Halves {
    constructor(values, drawn) {
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

  /* B minus A on all subsets of the groups, or on as many random ones. */
  function halves(of, a, b) {
    const { sums: [first, second], add, clear } = adder([a, b]), found = [];
    const tiny = 1e-12 * (Math.abs(of(a.whole)) + Math.abs(of(b.whole)));
    eachSubset(a.length, numpyBytes(), add, () => {
      const value = of(second) - of(first); // a half with nothing in it has no score
      if (Number.isFinite(value)) found.push(Math.abs(value) <= tiny ? 0 : value);
      clear();
    });
    return new Halves(Float64Array.from(found).sort(), !allSubsets(a.length));
  }

  /* |B − A| of each pair after exchanging the two on random groups: one array of draws per pair. */
  function exchanged(of, tables, pairs) {
    const n = tables[0].length, added = sum(tables.map(({ where }) => where.length));
    if ((added / 2) * DRAWS > MOST_ADDED) {
      throw new InputError({ problem: `${tables.length} systems on ${count(n)} units are too much for a page`,
        expected: "two systems, or the command line: betterthan compare FILE", ways: [say("systems")] });
    }
    const { sums, add, clear } = adder(tables), drawn = pairs.map(() => []);
    const one = new Float64Array(tables[0].width), two = new Float64Array(tables[0].width);
    eachSubset(n, n > NORMAL ? quickBytes() : numpyBytes(), add, () => {
      pairs.forEach(([i, j], k) => {
        for (let c = 0; c < one.length; c++) {
          const middle = (tables[i].whole[c] + tables[j].whole[c]) / 2;
          const half = (2 * sums[j][c] - tables[j].whole[c] - (2 * sums[i][c] - tables[i].whole[c])) / 2;
          one[c] = middle + half;
          two[c] = middle - half;
        }
        const value = of(one) - of(two);
        drawn[k].push(Number.isNaN(value) ? 0 : Math.abs(value));
      });
      clear();
    });
    return drawn.map((own) => Float32Array.from(own));
  }

  /* Westfall and Young's adjusted p-values: each pair against those not larger than it. */
  function stepDown(drawn, size) {
    const order = [...size.keys()].sort((a, b) => size[b] - size[a]), draws = drawn[0].length;
    const hits = order.map(() => 0);
    for (let d = 0; d < draws; d++) {
      let largest = -Infinity;
      for (let place = order.length - 1; place >= 0; place--) {
        largest = Math.max(largest, drawn[order[place]][d]);
        if (largest >= size[order[place]] * (1 - 1e-6)) hits[place]++;
      }
    }
    const adjusted = [];
    let before = 0;
    order.forEach((pair, place) => {
      before = Math.max(before, (1 + hits[place]) / (draws + 1));
      adjusted[pair] = before;
    });
    return adjusted;
  }

  // --- What to beware of --------------------------------------------------------------------------
  /* A warning where a system's results go with nobody else's; hard items are hard for all. */
  function sameItems(names, results) {
    const n = results[0].length, constant = (own) => own.every((value) => value === own[0]);
    if (n < ENOUGH_TO_CORRELATE || results.some(constant)) return [];
    const away = results.map((own) => {
      const middle = mean(own);
      return own.map((value) => value - middle);
    });
    const product = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);
    const sizes = away.map((own) => Math.sqrt(product(own, own)));
    const most = away.map((own, i) => Math.max(...away.map((other, j) => (i === j ? 0 : Math.abs(product(own, other) / sizes[i] / sizes[j])))));
    const alone = names.filter((_, i) => most[i] < 1.645 / Math.sqrt(n));
    if (!alone.length) return [];
    const first = most[names.indexOf(alone[0])];
    return [`The results of ${alone.join(" and ")} hardly go with ${names.length === 2 ? "each other" : "any other"} ` +
      `(correlation ${fixed(first, 2)}): are these the same items in the same order?`];
  }
  /* A warning where there are few groups, or few are worth much. */
  function tooFew({ n_groups: groups, n_effective: worth, resampled }) {
    if (groups <= FEW) {
      const share = groups <= FEW / 2 ? "a third" : "a fifth";
      return [`${groups} ${resampled} are few: where their results are very skewed, such intervals miss in up to ${share} of the cases.`];
    }
    return worth <= FEW ? [`The ${resampled} are so uneven that they are worth ${fixed(worth, 1)} equal ones: few.`] : [];
  }
  /* A warning where runs are too few to say how results move from run to run. */
  function fewRuns(runs) {
    const found = [];
    if (runs.includes(2) || (runs.length === 1 && runs[0] === 3)) { // a difference of three runs each keeps its promise
      found.push(`${runs.includes(2) ? "Two" : "Three"} runs say little about how results move from run to run (such intervals cover 89-95 %).`);
    }
    if (Math.max(...runs) > 1 && Math.min(...runs) === 1) {
      found.push("A single run is taken to move from run to run as much as the other's.");
    }
    return found;
  }
  /* A warning where results are so skewed that their number does not make up for it. */
  function skewed({ n_groups: groups }, { skew }) {
    return skew > 0.25 && groups > FEW ? ["Results are very skewed: such intervals miss in up to a fifth of the cases."] : [];
  }

  // --- Two systems: betterthan.compare --------------------------------------------------------------
  function compare(a, b, { metric = null, margin = 0, higher = null, unmatched } = {}) {
    const data = together([a, b], { metric, unmatched });
    return comparison(data, difference(data), { names: [a.name, b.name], margin, higher: higher ?? data.higher });
  }

  // Halves of k groups that differ have 2^k values; a tail needs one of them at the least.
  const tooFewHalves = (k) => 2 ** Math.min(k, 60) * (1 - LEVEL) < 2;

  /* How far B is from A: by half-samples where there are enough that differ, else by t. */
  function difference(data) {
    const [first, second] = data.systems, found = student([first, second], data.n_effective);
    const size = Math.abs(mean(first.values)) + Math.abs(mean(second.values));
    const differ = Array.from({ length: data.n_groups }, (_, g) => !first.sums[0].same(g, second.sums[0]));
    if (found.error <= 1e-12 * size) return withoutSpread(data, found, halvesOf(data, differ));
    if (first.values.length > 1 || second.values.length > 1) return byStudent(data, found, found);
    const several = differ.filter((own) => own).length;
    // Groups on which the two agree say nothing about how far apart they are elsewhere.
    const careful = new Student({ ...found, degrees: Math.min(found.degrees, Math.max(several - 1, 1)) });
    const few = tooFewHalves(data.n_groups), sparse = tooFewHalves(several);
    if (!few && (sparse || data.n_groups <= MANY_GROUPS)) {
      return byHalves(data, found, careful, halvesOf(data, differ), sparse ? several : null);
    }
    const notes = few ? [`For half-samples ${data.n_groups} ${data.resampled} are too few: t is a rough guide.`] : null;
    return { ...byStudent(data, careful, found), ...(notes ? { notes } : {}) };
  }
  /* B minus A on half-samples; of very many groups all that differ, and some of the others. */
  function halvesOf(data, differ) {
    let sums = data.systems.map((system) => system.sums[0]);
    if (data.n_groups > MANY_GROUPS) {
      const rows = [...differ.keys()].sort((i, j) => differ[j] - differ[i]).slice(0, MANY_GROUPS);
      sums = sums.map((own) => own.take(rows));
    }
    return halves(data.metric.of, ...sums);
  }
  function byStudent(data, distribution, found) {
    return { student: found, distribution, interval: withinBounds(data, distribution.interval()), method: jackknifed(data, distribution.degrees),
      notes: skewed(data, found) };
  }
  /* That the two agreed here, or differed by the same, does not say that they always will. */
  function withoutSpread(data, found, halved) {
    const note = `Every unit shows the same ${found.centre ? "difference" : "result"}, so there is no spread to measure.`;
    return { student: found, distribution: halved, interval: null, method: `half-samples of the ${data.resampled}`, notes: [note] };
  }
  /* The difference by half-samples of the groups, of which `only` so few differ. */
  function byHalves(data, found, careful, halved, only) {
    const shared = { student: found, distribution: halved, method: `half-samples of the ${data.resampled}` };
    if (only === null) return { ...shared, interval: withinBounds(data, halved.interval()), notes: skewed(data, careful) };
    // So few that differ cannot rule out 0, and t is the rough guide to the rest.
    const [low, high] = careful.interval();
    return { ...shared, interval: withinBounds(data, [Math.min(low, 0), Math.max(high, 0)]),
      notes: [`The two differ on only ${only} of the ${data.resampled}: a rough guide.`] };
  }
  const withinBounds = (data, interval) => (interval && data.bounded ? [Math.max(interval[0], -1), Math.min(interval[1], 1)] : interval);

  function jackknifed(data, degrees) {
    const what = data.n_groups < data.n_units ? "delete-one-group" : "delete-one";
    return `${what} jackknife, t with ${general(degrees, 4)} degree${degrees === 1 ? "" : "s"} of freedom`;
  }

  /* What was found, as a result that can be printed. */
  function comparison(data, found, { names, margin, higher }) {
    const known = found.distribution, below = known.below(0), [low, high] = found.interval ?? [NaN, NaN];
    const result = { kind: "two", metric: data.metric.name, word: data.word, names, margin, higher, value_a: mean(data.systems[0].values),
      value_b: mean(data.systems[1].values), difference: found.student.centre, low, high, pvalue: known.pvalue(),
      p_better: higher ? 1 - below : below, p_within: margin ? known.below(margin) - known.below(-margin) : 0,
      standard_error: found.student.error, bounded: data.bounded, n_runs: data.systems.map(({ values }) => values.length),
      n_units: data.n_units, n_groups: data.n_groups, n_effective: data.n_effective, unit: data.unit, method: found.method,
      notes: [...data.notes, ...found.notes], distribution: known };
    return { ...result, sentence: sentence(result) };
  }

  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const sample = (r) => counted(r.n_units, r.unit) + (r.n_groups < r.n_units ? ` in ${count(r.n_groups)} groups` : "");

  function sentence(r) {
    const [a, b] = r.names, lower = r.higher ? "" : ", lower is better";
    const between = Number.isNaN(r.low) ? "no 95 % interval" : `95 % interval ${number(r.low, true)} to ${number(r.high, true)}`;
    const runs = Math.max(...r.n_runs) > 1 ? `, ${r.n_runs[0]} and ${r.n_runs[1]} runs` : "";
    return [
      `${capital(r.word)} is ${number(r.value_a)} for ${a} and ${number(r.value_b)} for ${b}${lower}. ${b} minus ${a} is ` +
      `${number(r.difference, true)} (${between}; p ${r.distribution.atMost ? "≤" : "="} ${pvalue(r.pvalue)}; ${sample(r)}${runs}; ${r.method}). ` +
      verdict(r),
      ...r.notes,
    ].join(" ");
  }
  function verdict(r) {
    const [a, b] = r.names, margin = general(r.margin);
    let given = "flat prior", said = "which of the two is better is open at 95 %";
    if (r.margin) {
      const ahead = r.higher ? 1 - r.distribution.below(r.margin) : r.distribution.below(-r.margin);
      given += `; by more than ${margin}: ${probability(ahead)}; a difference of at most ${margin} either way: ${probability(r.p_within)}`;
    }
    const sure = Number.isNaN(r.low) ? r.pvalue <= 1 - LEVEL : !(r.low <= 0 && 0 <= r.high);
    if (r.margin && r.p_within >= LEVEL) said = `no difference of more than ${margin}`;
    else if (r.difference === 0 && r.standard_error === 0) said = "nothing tells the two apart";
    else if (sure) said = (r.difference > 0) === r.higher ? `${b} is better than ${a}` : `${a} is better than ${b}`;
    return `The probability that ${b} is better is ${probability(r.p_better)} (${given}): ${said}.`;
  }

  // --- Folds: betterthan.compare_folds ---------------------------------------------------------------
  /* The corrected resampled t-test: folds overlap in what they were trained on. */
  function compareFolds(a, b, { margin = 0, higher = null } = {}) {
    const share = a.testShare;
    if (!(share > 0 && share < 1)) throw new InputError({ argument: "test_share", value: share, expected: "a finite number in (0, 1)" });
    const data = together([a, b], { metric: "mean", notes: false });
    const [one, two] = data.systems.map(({ sums: [own] }) => Array.from({ length: own.length }, (_, g) => new Map(own.pairs(g)).get(0) ?? 0));
    const differences = two.map((value, i) => value - one[i]), folds = differences.length;
    const spread = Math.sqrt(variance(differences)), largest = Math.max(...one.map(Math.abs), ...two.map(Math.abs));
    if (folds < 3 || spread <= 1e-12 * largest) {
      throw new InputError({ problem: `expected three folds or more whose differences vary, ${folds < 3 ? `got ${folds}` : "all show the same difference"}` });
    }
    const error = spread * Math.sqrt(1 / folds + share / (1 - share));
    const found = new Student({ centre: mean(differences), error, degrees: folds - 1 });
    return comparison({ ...data, unit: "fold" }, { student: found, distribution: found, interval: found.interval(),
      method: `corrected resampled t with ${folds - 1} degrees of freedom`,
      notes: [`This is about the algorithms, trained on ${percent(1 - share)} of one corpus.`] },
    { names: [a.name, b.name], margin, higher: higher ?? data.higher });
  }

  // --- Several systems: betterthan.compare_many --------------------------------------------------------
  function compareMany(results, { metric = null, higher = null, unmatched } = {}) {
    const names = results.map(({ name }) => name), data = together(results, { metric, unmatched }), up = higher ?? data.higher;
    const pairs = names.flatMap((_, i) => names.slice(i + 1).map((_, k) => [i, i + 1 + k]));
    const spreads = spreadsOf(data, pairs), tested = testedPairs(data, spreads, pairs);
    const ranks = ranksOf(data, names, pairs, spreads, tested, up);
    const result = { kind: "many", metric: data.metric.name, word: data.word, names, higher: up, ranks,
      pairs: pairs.map(([i, j], k) => ({ a: names[i], b: names[j], difference: spreads.difference[k], pvalue: tested.pvalue[k],
        pvalue_adjusted: tested.adjusted[k] })),
      n_units: data.n_units, n_groups: data.n_groups, n_effective: data.n_effective, unit: data.unit, method: tested.method,
      drawn: tested.drawn, notes: [...data.notes, ...skewed(data, spreads.mostSkewed)] };
    return { ...result, sentence: sentenceOfMany(result) };
  }

  /* Of each pair the difference, its standard error (NaN where there is no spread) and degrees of freedom. */
  function spreadsOf(data, pairs) {
    const found = pairs.map(([i, j]) => student([data.systems[i], data.systems[j]], data.n_effective));
    const tiny = 1e-12 * Math.max(...data.systems.map(({ values }) => Math.abs(mean(values))));
    return { difference: found.map(({ centre }) => (Math.abs(centre) > tiny ? centre : 0)),
      error: found.map(({ error }) => (error <= tiny ? NaN : error)), degrees: found.map(({ degrees }) => degrees),
      mostSkewed: found.reduce((most, one) => (one.skew > most.skew ? one : most)) };
  }
  function testedPairs(data, spreads, pairs) {
    const several = data.systems.some(({ values }) => values.length > 1);
    return several || tooFewHalves(data.n_groups) ? pairsByStudent(data, spreads) : pairsByExchanges(data, spreads, pairs);
  }
  /* Student's t with Holm's correction. */
  function pairsByStudent(data, { difference: apart, error, degrees }) {
    const alike = (k) => (apart[k] === 0 ? 1 : 2 ** (1 - data.n_groups));
    const found = apart.map((value, k) => (Number.isNaN(error[k]) ? alike(k) : 2 * stats.tSurvival(Math.abs(value) / error[k], degrees[k])));
    const order = [...found.keys()].sort((a, b) => found[a] - found[b]), adjusted = [];
    let before = 0;
    order.forEach((pair, place) => {
      before = Math.max(before, found[pair] * (found.length - place));
      adjusted[pair] = Math.min(1, before);
    });
    return { pvalue: found, adjusted, method: "jackknife and t, Holm's correction", drawn: 0 };
  }
  /* One set of random exchanges for all pairs: max-T, step-down. */
  function pairsByExchanges(data, spreads, pairs) {
    // In units of the root mean square over groups, which no exchange changes.
    const n = data.n_groups, scale = spreads.difference.map((value, k) => {
      const error = Number.isNaN(spreads.error[k]) ? 0 : spreads.error[k];
      return Math.sqrt((error ** 2 * (n - 1)) / n + value ** 2 / n) || 1;
    });
    const raw = exchanged(data.metric.of, data.systems.map(({ sums }) => sums[0]), pairs);
    const moved = raw.map((own, k) => Float64Array.from(own, (value) => value / scale[k]));
    const seen = spreads.difference.map((value, k) => Math.abs(value) / scale[k]), draws = moved[0].length;
    const found = seen.map((size, k) => (1 + moved[k].filter((value) => value >= size * (1 - 1e-6)).length) / (draws + 1));
    return { pvalue: found, adjusted: stepDown(moved, seen), method: `max-T over ${count(draws)} exchanges of ${data.resampled}`, drawn: draws };
  }

  /* One row per system, the best first, with the ranks that it may have. */
  function ranksOf(data, names, pairs, spreads, tested, higher) {
    const sign = higher ? 1 : -1, wins = names.map(() => 0), losses = names.map(() => 0);
    pairs.forEach(([i, j], k) => {
      const ahead = tested.adjusted[k] <= 1 - LEVEL ? sign * spreads.difference[k] : 0;
      if (!ahead) return;
      wins[ahead > 0 ? j : i]++;
      losses[ahead > 0 ? i : j]++;
    });
    const rows = names.map((name, i) => ({ name, value: mean(data.systems[i].values), low: 1 + losses[i], high: names.length - wins[i] }));
    return rows.sort((a, b) => sign * (b.value - a.value));
  }

  function sentenceOfMany(r) {
    const apart = r.pairs.filter((pair) => pair.pvalue_adjusted <= 1 - LEVEL).length, best = r.ranks.filter(({ low }) => low === 1).map(({ name }) => name);
    const may = best.length > 1 ? `${best.slice(0, -1).join(", ")} or ${best.at(-1)} may be` : `${best[0]} is`;
    return [
      `${r.ranks[0].name} has the best ${r.word} of ${r.names.length} systems${r.higher ? "" : " (lower is better)"}, ` +
      `${number(r.ranks[0].value)}; ${apart} of ${r.pairs.length} pairs are told apart, with ${percent(1 - LEVEL)} error for all pairs ` +
      `together (${sample(r)}; ${r.method}). ${may} the best.`,
      ...r.notes,
    ].join(" ");
  }

  // --- From files to the sentence: `betterthan compare FILE …` ------------------------------------------
  const COMPARING = ["metric", "unmatched", "margin", "lower", "names"];

  /* What the command line answers to the same files and options: {kind, systems, result}. */
  function answer(sources, options) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
    const asked = Object.fromEntries(given.filter(([name]) => COMPARING.includes(name)));
    const { kind, systems: read } = Compare.read(sources, Object.fromEntries(given.filter(([name]) => !COMPARING.includes(name))));
    const systems = renamed(read, asked.names), ofFolds = systems[0].unit === "fold";
    const margin = marginOf(asked.margin ?? 0), direction = asked.lower ? { higher: false } : {};
    if (systems.length < 2 || (ofFolds && systems.length > 2)) throw notTwo(sources[0], systems);
    if (ofFolds) {
      refuseIdle(asked, sources[0]);
      return { kind, systems, result: compareFolds(...systems, { margin, ...direction }) };
    }
    const shared = { metric: asked.metric, unmatched: asked.unmatched, ...direction };
    if (systems.length === 2) return { kind, systems, result: compare(...systems, { ...shared, margin }) };
    if (margin) {
      throw new InputError({ problem: `a margin needs two systems, found ${systems.length}`, ways: [say("systems", systems.slice(0, 2).map(({ name }) => name))] });
    }
    return { kind, systems, result: compareMany(systems, shared) };
  }

  /* The systems as they are called: as asked, or as their files or columns are. */
  function renamed(systems, names) {
    if (!names) return systems;
    if (names.length !== systems.length || new Set(names).size < names.length || names.includes("")) {
      throw new InputError({ argument: "names", value: names, expected: `${systems.length}, all different, for ${Compare.someOf(systems.map(({ name }) => name))}` });
    }
    return systems.map((one, i) => ({ ...one, name: names[i] }));
  }
  function marginOf(value) {
    const margin = Number(value);
    if (!Number.isFinite(margin) || margin < 0) throw new InputError({ argument: "margin", value, expected: "a number of at least 0" });
    return margin;
  }
  function notTwo(source, systems) {
    const names = systems.map(({ name }) => name), expected = `two systems, found ${Compare.someOf(names)}`;
    return Object.assign(source.fault({ expected, ways: systems.length > 2 ? [say("systems")] : [] }), { systems });
  }
  function refuseIdle(asked, source) {
    for (const argument of ["metric", "unmatched"]) {
      if (asked[argument] === undefined) continue;
      throw new InputError({ argument, value: asked[argument], problem: `does nothing for scores of folds (${source.name})` });
    }
  }

  Object.assign(Compare, { Rows, Halves, answer, metricOfResults, numpyBytes, capital, OF_COUNTS, WORDS, DRAWS, NORMAL });
})();
