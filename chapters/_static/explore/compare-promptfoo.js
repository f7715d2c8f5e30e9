/* Compare two files here: results of promptfoo, as JSON, JSON lines or CSV (betterthan.readers.promptfoo). A
	 system is a provider with its prompt, an item is a test with its variables, and repeats are runs. No file
	 but the JSON says how often tests were repeated; elsewhere tests with the same variables and description
	 are repeats of one. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { Column, InputError, byLetters, counted, cut, inJson, isJsonNumber, isNumber, isWholeNumber } = Compare;
	const { json, leftStrip, quoted, say, shown, someOf, strip } = Compare;

	const PROVIDER = /^\[([^\]]*)\] ([^]*)$/;
	const STATUS = { PASS: true, FAIL: false, ERROR: false };
	const ERROR = "2"; // failureReason: 0 is none, 1 an assertion, 2 an error

	// --- Which files these are ---
	const isRecord = (line) =>
		line.includes('"promptIdx"') && line.includes('"testCase"') && leftStrip(line).startsWith("{");
	/* Whether it is the JSON of a whole evaluation, perhaps on one line, and no JSON lines. */
	const isWhole = (text) => text.slice(0, 200).includes('"evalId"') && text.includes('"results"');
	function isPromptfoo(source) {
		const text = leftStrip(source.head);
		if (text.startsWith("{")) {
			return isWhole(text) || isRecord(text.split("\n", 1)[0]);
		}
		if (!text.includes("Grader Reason") || !text.includes(",Status,Score")) return false;
		try {
			// The prompt is part of a column's name, and may have several lines.
			return placesOf(Compare.csvRow(source, text, 0, ",", 1)[0]).length > 0;
		} catch {
			return false;
		}
	}
	/* Where the columns of each provider begin. */
	const placesOf = (names) =>
		[...names.keys()].filter((i) => PROVIDER.test(names[i]) && names[i + 1] === "Status");

	// --- Answers ---
	/* Everything a file holds, in its order: what one provider's prompt did on one test. */
	function answersOf(source) {
		const text = leftStrip(source.head);
		let found;
		if (!text.startsWith("{")) found = ofCsv(source);
		else found = isWhole(text) ? ofJson(source) : ofLines(source);
		if (!found.length) throw source.fault({ problem: "no results", expected: "what promptfoo eval writes" });
		return found;
	}
	const object = (value) => (value instanceof Map ? value : new Map());

	function ofLines(source) {
		const found = [];
		source.text.split("\n").forEach((line, i) => {
			if (strip(line)) found.push(ofRecord(source, i + 1, json(source, line, i + 1), null));
		});
		return found;
	}
	function ofJson(source) {
		const whole = object(json(source, source.text, 1)),
			records = object(whole.get("results")).get("results");
		if (!Array.isArray(records))
			throw source.fault({ expected: "results.results, as promptfoo eval -o out.json writes them" });
		const said = object(whole.get("runtimeOptions")).get("repeat"),
			repeat = said === undefined ? 1 : isWholeNumber(said) ? Number(said.text) : 0;
		if (repeat < 1)
			throw source.fault({ problem: `runtimeOptions.repeat=${cut(Compare.represented(said), 40)}`, expected: "1 or more" });
		return records.map((record) => ofRecord(source, 0, record, repeat));
	}
	/* One object of `results`; with `repeat` its test is known by number. */
	function ofRecord(source, line, record, repeat) {
		const own = object(record);
		if (typeof own.get("success") !== "boolean")
			throw source.fault({ line, expected: "a result of promptfoo, with success" });
		const [provider, prompt, test] = ["provider", "prompt", "testCase"].map((name) => object(own.get(name))),
			[number, score, described] = [own.get("testIdx"), own.get("score"), test.get("description")];
		if (!isWholeNumber(number) || !isJsonNumber(score))
			throw source.fault({ line, expected: "a result with testIdx and score" });
		const given = object(own.get("vars")),
			variables = asTexts(given.size ? given : object(test.get("vars")));
		return {
			line,
			system: [
				isWholeNumber(own.get("promptIdx")) ? Number(own.get("promptIdx").text) : 0,
				firstText(provider.get("label"), provider.get("id"), own.get("provider")),
				firstText(prompt.get("label"), prompt.get("raw")),
			],
			item: itemOf(typeof described === "string" ? described : "", variables),
			test: repeat === null ? null : Math.floor(Number(number.text) / repeat),
			passed: own.get("success"),
			score: numberOf(score),
			named: object(own.get("namedScores")),
			// `error` also holds the words of an assertion that failed.
			failed: isWholeNumber(own.get("failureReason")) && own.get("failureReason").text === ERROR,
			variables,
		};
	}
	const numberOf = (value) => (typeof value === "number" ? value : Number(value.text));
	const firstText = (...values) => values.find((value) => typeof value === "string" && value) ?? "";
	const asTexts = (variables) =>
		new Map([...variables].map(([name, value]) => [name, typeof value === "string" ? value : inJson(value)]));
	/* What a test is called: by its description and its variables. */
	function itemOf(described, variables) {
		const told = [...variables].map(([name, value]) => `${name}=${value}`);
		return (described ? [described, ...told] : told).join(", ") || "(no variables)";
	}

	/* The CSV: variables, then the columns of each provider. */
	function ofCsv(source) {
		Compare.refuseEndlessNames(source);
		const found = [];
		let names = null,
			starts = [];
		Compare.eachRow(source, ",", (cells, line) => {
			if (names === null) {
				names = cells;
				starts = placesOf(names);
				if (!starts.length)
					throw source.fault({ line, expected: "a column [provider] prompt before Status and Score" });
				return;
			}
			if (cells.length !== names.length) {
				const expected = `${names.length} columns, found ${cells.length}; is the file cut off?`;
				throw source.fault({ line, expected });
			}
			const variables = new Map(names.slice(0, starts[0]).map((name, i) => [name, cells[i]])),
				described = variables.get("Description") ?? "";
			variables.delete("Description");
			starts.forEach((start, number) =>
				found.push(ofCells(source, line, number, names[start], cells.slice(start), described, variables)),
			);
		});
		return found;
	}
	function ofCells(source, line, number, name, [, status, score, named], described, variables) {
		const [, provider, prompt] = PROVIDER.exec(name);
		if (!Object.hasOwn(STATUS, status) || !isNumber(score)) {
			const problem = `${shown(status, 40)} and ${shown(score, 40)}`;
			throw source.fault({ line, problem, expected: "PASS, FAIL or ERROR, and a score" });
		}
		return {
			line,
			system: [number, provider, prompt],
			item: itemOf(described, variables),
			test: null,
			passed: STATUS[status],
			score: Number(score),
			named: named.startsWith("{") ? object(json(source, named, line)) : new Map(),
			failed: status === "ERROR",
			variables,
		};
	}

	// --- Systems ---
	function readPromptfoo(sources, options) {
		const list = (given) => (typeof given === "string" ? [given] : [...(given ?? [])]),
			ignored = list(options.ignore);
		const found = sources.map((source) => {
			const answers = answersOf(source),
				own = [...namesOf(answers)].map(([key, name]) =>
					systemOf(
						source,
						name,
						answers.filter(({ system }) => JSON.stringify(system) === key),
						options.metric ?? null,
					),
				);
			return chosen(own, list(options.systems));
		});
		refuseUnknown(found[0][0], options.groups ?? null, ignored);
		const flat = sources.length > 1 ? oneEach(sources, found) : found[0];
		return flat.map((one) => grouped(sources[0], one, options.groups ?? null, ignored));
	}
	/* What each system is called: its provider, its prompt where that tells them apart. */
	function namesOf(answers) {
		const keys = [...new Map(answers.map(({ system }) => [JSON.stringify(system), system])).values()].sort(
			(a, b) => a[0] - b[0] || byLetters(a[1], b[1]) || byLetters(a[2], b[2]),
		);
		const alone = new Set(keys.map(([, provider]) => provider)).size === 1,
			ways = [
				([, provider]) => provider,
				([, provider, prompt]) => (alone ? prompt : `${provider}, ${prompt}`),
				([number, provider, prompt]) => `${provider}, ${prompt}, ${number}`,
			];
		const named = ways.map((name) => keys.map(name)),
			apart = named.find((names) => new Set(names).size === keys.length && names.every((name) => name));
		return new Map(keys.map((key, i) => [JSON.stringify(key), (apart ?? named[2])[i]]));
	}
	/* The providers that were asked for, in that order. */
	function chosen(own, wanted) {
		for (const name of wanted) {
			if (own.some((one) => one.name === name)) continue;
			const expected = `one of ${someOf(
				own.map((one) => one.name),
				12,
			)}`;
			throw new InputError({ argument: "systems", value: name, expected });
		}
		return wanted.length ? wanted.map((name) => own.find((one) => one.name === name)) : own;
	}
	function oneEach(sources, found) {
		found.forEach((own, i) => {
			if (own.length === 1) return;
			const names = own.map(({ name }) => name);
			const problem = `found ${own.length} providers, ${someOf(names)}, in one of ${sources.length} files`;
			throw sources[i].fault({ problem, ways: [say("systems", names[0])] });
		});
		const own = found.map(([one]) => one.name),
			names = new Set(own).size < own.length ? Compare.namesOfSystems(sources) : own;
		return found.map(([one], i) => ({ ...one, name: names[i] }));
	}

	/* One provider's tests, repeats as runs. */
	function systemOf(source, name, answers, metric) {
		const items = byItem(answers),
			times = timesOf(source, name, items);
		const runs = [...Array(times).keys()].map((k) => [...items.values()].map((own) => own[k])),
			[first] = runs;
		const errors = answers.filter(({ failed }) => failed).length,
			measured = !OF_PASSING.includes(metric);
		const variables = [...new Set(first.flatMap((one) => [...one.variables.keys()]))];
		return {
			...Compare.NOTHING_KNOWN,
			name,
			held: {
				kind: "numbers",
				runs: runs.map((run) => Float64Array.from(run, (one) => valueOf(source, one, metric))),
			},
			ids: [...items.keys()],
			unit: "test",
			metric: measured ? "mean" : "accuracy",
			quantity: measured ? (metric === "mean" ? "score" : metric) : "",
			columns: new Map(variables.map((key) => [key, first.map((one) => one.variables.get(key) ?? "")])),
			runNames: times > 1 ? runs.map((_, k) => `repeat ${k + 1}`) : [],
			measures: ["accuracy", "score", ...first[0].named.keys()],
			notes: errors ? [`${counted(errors, "error")} of ${name} count as failed.`] : [],
			reading: [
				`${counted(items.size, "test")} of promptfoo`,
				...(times > 1 ? [`${times} repeats are runs`] : []),
				...(variables.length ? [`variables: ${someOf(variables, 8)}`] : []),
			],
		};
	}
	/* How often every test comes; refused where that differs. */
	function timesOf(source, name, items) {
		const often = new Map();
		for (const own of items.values()) often.set(own.length, (often.get(own.length) ?? 0) + 1);
		const [most] = [...often].reduce((best, own) => (own[1] > best[1] ? own : best));
		const odd = [...items].find(([, own]) => own.length !== most);
		if (odd) {
			throw source.fault({
				problem: `${name}: ${shown(odd[0])} comes ${odd[1].length} times, but most tests ${most}`,
				expected: "every test as often (the JSON of promptfoo says which are repeats)",
			});
		}
		return most;
	}
	/* The repeats of each test: by its number where that is known, else by what it is called. */
	function byItem(answers) {
		const numbered = answers.every(({ test }) => test !== null),
			found = new Map();
		for (const one of answers) {
			const key = numbered ? one.test : one.item;
			if (!found.has(key)) found.set(key, []);
			found.get(key).push(one);
		}
		if (!numbered) return found;
		const seen = new Map(),
			named = new Map();
		for (const own of found.values()) {
			const called = own[0].item,
				times = (seen.get(called) ?? 0) + 1;
			seen.set(called, times);
			named.set(times === 1 ? called : `${called} #${times}`, own);
		}
		return named;
	}
	const OF_PASSING = [null, "accuracy", "success"];
	function valueOf(source, answer, metric) {
		if (OF_PASSING.includes(metric)) return Number(answer.passed);
		if (metric === "score" || metric === "mean") return answer.score;
		const value = answer.named.get(metric);
		if (isJsonNumber(value)) return numberOf(value);
		throw new InputError({
			argument: "metric",
			value: metric,
			file: source.name,
			line: answer.line,
			problem: `${shown(answer.item)} has no such score`,
			expected: `one of ${cut(["score", ...answer.named.keys()].join(", "), 200)}`,
		});
	}

	// --- Groups ---
	function refuseUnknown({ columns }, groups, ignored) {
		const asked = [["groups", groups], ...ignored.map((name) => ["ignore", name])];
		for (const [argument, name] of asked) {
			if (name === null || columns.has(name)) continue;
			const expected = `a variable: ${someOf([...columns.keys()], 12) || "(there are none)"}`;
			throw new InputError({ argument, value: name, expected });
		}
	}
	/* The tests in the groups that were asked for; what may be one is not left out in silence. */
	function grouped(source, one, groups, ignored) {
		if (groups !== null) {
			Compare.refuseGroupsOfOne(source, new Column(groups, one.columns.get(groups)));
			return { ...one, groups: one.columns.get(groups), groupedBy: groups };
		}
		const hung = [...one.columns]
			.filter(([name, cells]) => {
				const column = new Column(name, cells);
				return column.isText && column.repeats;
			})
			.map(([name]) => name);
		const open = hung.find((name) => !ignored.includes(name));
		if (open !== undefined) {
			throw source.fault({
				problem: `the variable ${shown(open)} repeats, and nothing says what it is`,
				ways: [
					say("groups", open, "if it says what tests belong to"),
					say("ignore", open, "if it does not matter"),
				],
			});
		}
		if (!hung.length) return one;
		const note = `Tests count as independent: ${someOf(hung.map(quoted), 3)} was ignored.`;
		return { ...one, notes: [...one.notes, note] };
	}

	Object.assign(Compare, { isPromptfoo, readPromptfoo });
})();
