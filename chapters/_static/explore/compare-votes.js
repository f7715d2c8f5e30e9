/* Compare two files here: preferences, vote by vote (betterthan.readers.votes). Each system's result is its
	 share of every vote, a tie is half for both, and votes on one prompt are a group. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { InputError, askedOf, byLetters, byPlainName, count, counted, isId, isTable, plain } = Compare;
	const { say, shown, someOf, tableOf } = Compare;

	const WINNER = ["winner", "preferred", "preference"];
	// Columns of the two models, and what the winner is called beside their names.
	const PAIRS = [
		["model_a", "model_b"],
		["system_a", "system_b"],
		["left", "right"],
		["model_left", "model_right"],
		["model_1", "model_2"],
		["model1", "model2"],
		["model_x", "model_y"],
	];
	const FIRST = new Set(["a", "left", "first", "1", "model_a", "model_1", "model1", "system_a"]);
	const SECOND = new Set(["b", "right", "second", "2", "model_b", "model_2", "model2", "system_b"]);
	const TIE = new Set([
		"tie",
		"draw",
		"both",
		"neither",
		"equal",
		"same",
		"bothbad",
		"both_bad",
		"tie_(bothbad)",
		"tie_(both_bad)",
	]);
	// What the votes on it have in common, in the order in which it is believed.
	const PROMPTS = ["prompt", "prompt_id", "question", "question_id", "instruction", "instruction_id"];
	const RATERS = [
		...Compare.RUNS,
		"worker",
		"worker_id",
		"user",
		"user_id",
		"annotator_id",
		"judge_id",
		"rater_id",
	];

	// Of so many models every two are offered; of more, the pairs with most votes.
	const MOST_PAIRS = 3;

	/* A column of winners, and two of models. */
	function isOfVotes(source, options) {
		if (!isTable(source, options)) return false;
		const names = byPlainName(tableOf(source, options.separator));
		return (
			WINNER.some((one) => names.has(one)) && PAIRS.some((pair) => pair.every((one) => names.has(one)))
		);
	}

	function readVotes(sources, options) {
		if (sources.length > 1) {
			throw new InputError({
				argument: "paths",
				value: sources[1].name,
				problem: "a table of votes has both systems in it",
				expected: "one file",
			});
		}
		const { empty } = options;
		if (empty !== undefined && empty !== "drop") {
			const problem = "a vote without a winner cannot be counted wrong";
			throw new InputError({ argument: "empty", value: empty, problem, ways: [say("empty", "drop")] });
		}
		const whole = tableOf(sources[0], options.separator),
			asked = Compare.askedOfTable(askedOf(options), whole);
		Compare.refuseUnknown([whole], askedOf(options).ignore);
		if (asked.groups !== null) whole.need("groups", asked.groups);
		const table = Compare.chosenRows(whole, asked),
			roles = rolesOf(table, asked);
		sources[0].roles = roleByColumn(table, roles, asked);
		const pair = twoModels(table, roles, asked),
			[first, second] = [table.cells(roles.first), table.cells(roles.second)];
		let between = table.rows(
			[...first.keys()].filter((row) => pair.includes(first[row]) && pair.includes(second[row])),
		);
		const blank = empty === "drop" ? between.column(roles.winner).blanks : 0;
		if (blank) between = withWinner(between, roles);
		const shares = between.lines.map((_, row) => shareOfA(between, roles, row, pair[0]));
		return both(between, roles, asked, pair, shares, table.length, blank);
	}

	// --- Roles ---
	/* Which columns hold the two models, the winner, the prompt and the rater. */
	function rolesOf(table, asked) {
		const left = table.names.filter((name) => !asked.ignore.includes(name)),
			names = new Map(left.map((name) => [plain(name), name]));
		const winner = names.get(WINNER.find((one) => names.has(one))),
			pair = winner === undefined ? null : pairOf(table, names, winner);
		if (winner === undefined || pair === null) {
			throw table.fault({ expected: "the columns model_a and model_b, and the winner beside them" });
		}
		// The other pair of columns, such as the models' numbers, says the same once more.
		const there = (known) => known.filter((one) => names.has(one)).map((one) => names.get(one)),
			taken = new Set([winner, ...there(PAIRS.flat())]);
		const prompts = there(PROMPTS).filter((name) => !taken.has(name)),
			prompt = asked.groups ?? prompts.find((name) => table.column(name).repeats) ?? null;
		const raters = there(RATERS).filter((name) => !taken.has(name)),
			rater = raters.find((name) => table.column(name).repeats && name !== prompt) ?? null;
		const key = [...names.values()].find(
			(name) =>
				isId(name) && table.column(name).isDistinct && !taken.has(name) && name !== prompt && name !== rater,
		);
		if (prompt === null) {
			askAbout(
				table,
				[...names.values()].filter((name) => !taken.has(name)),
				rater,
				prompts,
			);
		}
		return { first: pair[0], second: pair[1], winner, prompt, rater, key: key ?? null };
	}
	/* The two columns of models: those that the winners name, else the first that are there. */
	function pairOf(table, names, winner) {
		const there = PAIRS.filter((pair) => pair.every((one) => names.has(one))).map((pair) =>
			pair.map((one) => names.get(one)),
		);
		const won = table.column(winner).distinct,
			said = new Set([...won].map(plain));
		const byName = there.find((pair) => pair.some((name) => said.has(plain(name))));
		const byModel = () =>
			there.find((pair) => pair.some((name) => [...table.column(name).distinct].some((cell) => won.has(cell))));
		return byName ?? byModel() ?? there[0] ?? null;
	}
	/* Votes may hang together by something; that is not left out in silence. */
	function askAbout(table, others, rater, prompts) {
		for (const name of others) {
			const column = table.column(name);
			if (name !== rater && !(column.isText && column.repeats && !prompts.includes(name))) continue;
			throw table.fault({
				problem: `the column ${shown(name)} repeats, and no prompt says what votes belong to`,
				ways: [
					say("groups", name, "if votes with the same value belong together"),
					say("ignore", name, "if they do not"),
				],
			});
		}
	}
	/* The role of each column in a word, as the page shows it. */
	function roleByColumn(table, { first, second, winner, prompt, rater, key }, asked) {
		const found = Object.fromEntries(table.names.map((name) => [name, "extra"]));
		for (const name of asked.ignore) found[name] = "ignored";
		for (const [name, role] of [
			[first, "model"],
			[second, "model"],
			[winner, "winner"],
			[key, "key"],
			[rater, "rater"],
			[prompt, "groups"],
		])
			if (name !== null) found[name] = role;
		return found;
	}

	// --- Votes ---
	/* A and B: as asked, or the two that there are, the one that is seen first as A. */
	function twoModels(table, roles, asked) {
		const [first, second] = [roles.first, roles.second].map((name) => table.filled(name)),
			seen = table.inOrder(roles.first, roles.second);
		const same = first.findIndex((name, row) => name === second[row]);
		if (same >= 0) {
			const problem = "the same model on both sides";
			throw table.faultAt(same, roles.second, { problem, expected: "two models" });
		}
		for (const name of asked.systems) {
			if (seen.includes(name)) continue;
			const expected = `one of ${someOf([...seen].sort(byLetters), 12)}`;
			throw new InputError({ argument: "systems", value: name, expected });
		}
		const chosen = asked.systems.length ? asked.systems : seen,
			pairs = pairsOf(first, second);
		if (chosen.length !== 2) {
			const most = [...pairs].sort((x, y) => y[1] - x[1]).slice(0, MOST_PAIRS),
				two = ([pair]) => seen.filter((name) => JSON.parse(pair).includes(name));
			const refusal = table.fault({
				problem: `votes between ${counted(seen.length, "model")}: ${someOf(seen)}`,
				expected: "two of them",
				ways: most.map((one) => say("systems", two(one))),
			});
			// The page lets one choose any two of them.
			throw Object.assign(refusal, { candidates: seen });
		}
		if (!pairs.has(asPair(...chosen))) {
			const problem = "no vote is between these two";
			throw new InputError({ argument: "systems", value: chosen, file: table.source.name, problem });
		}
		return chosen;
	}
	const asPair = (a, b) => JSON.stringify([a, b].sort(byLetters));
	/* How many votes are between each two models. */
	function pairsOf(first, second) {
		const found = new Map();
		first.forEach((name, row) => {
			const pair = asPair(name, second[row]);
			found.set(pair, (found.get(pair) ?? 0) + 1);
		});
		return found;
	}

	/* 1 where A won the vote, 0 where B did, 0.5 for a tie. */
	function shareOfA(table, roles, row, a) {
		const [first, second, cell] = [roles.first, roles.second, roles.winner].map(
			(name) => table.cells(name)[row],
		);
		const said = plain(cell);
		if (cell === first || cell === second) return Number(cell === a);
		if (FIRST.has(said) || said === plain(roles.first)) return Number(first === a);
		if (SECOND.has(said) || said === plain(roles.second)) return Number(second === a);
		if (TIE.has(said)) return 0.5;
		throw table.faultAt(row, roles.winner, {
			expected: `${roles.first}, ${roles.second}, tie, or ${shown(first, 40)} or ${shown(second, 40)}`,
			ways: cell ? [] : [say("empty", "drop", "to leave out votes with a blank winner")],
		});
	}
	/* The votes whose winner is not blank. */
	function withWinner(table, roles) {
		const cells = table.cells(roles.winner),
			kept = [...cells.keys()].filter((row) => cells[row]);
		if (!kept.length) {
			throw table.fault({
				problem: `all ${counted(table.length, "vote")} between the two have a blank winner`,
			});
		}
		return table.rows(kept);
	}

	function both(table, roles, asked, names, shares, all, blank) {
		const ties = shares.filter((share) => share === 0.5).length,
			notes = [
				"Each vote is 1 for its winner" +
					(ties ? `, and half for both in a tie (${counted(ties, "tie")}).` : "."),
			];
		const between = table.length + blank;
		if (all > between) notes.push(`Only the ${counted(between, "vote")} between these two, of ${count(all)}.`);
		if (blank) notes.push(`${counted(blank, "vote")} with a blank winner left out.`);
		let groups = roles.prompt === null ? null : table.filled(roles.prompt);
		if (groups !== null && new Set(groups).size === 1) {
			groups = null;
			notes.push(`All votes are on one ${roles.prompt}: they say nothing about others.`);
		}
		const known = [roles.first, roles.second, roles.winner, roles.prompt, roles.key, ...asked.ignore],
			extra = table.names.filter((name) => !known.includes(name));
		const shared = {
			...Compare.NOTHING_KNOWN,
			ids: roles.key === null ? null : table.cells(roles.key),
			groups,
			unit: "vote",
			quantity: "share of votes",
			columns: new Map(extra.map((name) => [name, table.cells(name)])),
			notes,
			reading: readingOf(table, roles, names),
		};
		return [shares, shares.map((share) => 1 - share)].map((own, i) => ({
			...shared,
			name: names[i],
			held: { kind: "numbers", runs: [Float64Array.from(own)] },
		}));
	}
	function readingOf(table, roles, [a, b]) {
		const found = [
			`${counted(table.length, "vote")} between ${a} and ${b}`,
			`${roles.first} and ${roles.second} are the models, ${roles.winner} says who won`,
		];
		if (roles.prompt !== null) found.push(`${roles.prompt} says what votes belong to`);
		if (roles.rater !== null && roles.rater !== roles.prompt) {
			const raters = counted(table.column(roles.rater).distinct.size, "rater");
			found.push(`${roles.rater}: ${raters}, who are not counted as groups`);
		}
		return found;
	}

	Object.assign(Compare, { isOfVotes, readVotes });
})();
