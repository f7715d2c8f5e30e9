/* Compare two files here: reports of SWE-bench (betterthan.readers.swebench): which instances a run has
	 resolved, from the harness' report, or from an object of instances with true or false. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { byLetters, count, counted, leftStrip, shown } = Compare;

	// The lists of a report in which an instance may stand without being resolved, and why.
	const NOT_RESOLVED = {
		unresolved_ids: "unresolved",
		empty_patch_ids: "without a patch",
		error_ids: "with an error",
		incomplete_ids: "not submitted",
	};
	const LISTS = ["resolved_ids", "completed_ids", "submitted_ids", ...Object.keys(NOT_RESOLVED)];
	// owner__name-1234, or instance_owner__name-0123…abcd-vNNN of SWE-bench Pro.
	const INSTANCE = /^(?:instance_)?([^\s/]+__[^\s/]+?)-(?:\d+|[0-9a-f]{40}[^]*)$/;

	function isSwebench(source) {
		const { head } = source;
		if (!leftStrip(head).startsWith("{")) return false;
		if (head.includes('"resolved_ids"')) return true;
		// An object of instances: the first key is one, and it is not a line of a JSON table.
		const first = /^\s*\{\s*"([^"]+)"\s*:\s*(true|false|\{)/.exec(head);
		if (first === null || !INSTANCE.test(first[1])) return false;
		try {
			return reportOf(source) instanceof Map;
		} catch {
			return false;
		}
	}
	const reportOf = (source) => (source.report ??= Compare.json(source, source.text, 1));

	function readSwebench(sources) {
		const names = Compare.namesOfSystems(sources);
		return sources.map((source, i) => runOf(source, names[i]));
	}
	function runOf(source, name) {
		const report = reportOf(source);
		if (!(report instanceof Map)) throw source.fault({ expected: "a report of SWE-bench, an object" });
		const [resolved, why] = report.has("resolved_ids") ? byLists(source, report) : [byInstance(source, report), []];
		const ids = [...resolved.keys()],
			repositories = ids.map((instance) => INSTANCE.exec(instance)?.[1]),
			grouped = !repositories.includes(undefined) && new Set(repositories).size > 1;
		return {
			...Compare.NOTHING_KNOWN,
			name,
			held: { kind: "numbers", runs: [Float64Array.from(resolved.values(), Number)] },
			ids,
			groups: grouped ? repositories : null,
			unit: "instance",
			metric: "accuracy",
			notes: why.length ? [`Of ${name}, ${why.join(", ")} count 0.`] : [],
			reading: [
				`${counted(ids.length, "instance")} of a SWE-bench report`,
				...(grouped ? ["repositories, from the instances' names, are the groups"] : []),
			],
		};
	}

	/* Whether each instance was resolved, and why some were not even tried, in words. */
	function byLists(source, report) {
		const lists = new Map(LISTS.map((name) => [name, idsOf(source, name, report.get(name) ?? [])])),
			resolved = lists.get("resolved_ids");
		for (const name of Object.keys(NOT_RESOLVED)) {
			const both = [...lists.get(name)].filter((id) => resolved.has(id)).sort(byLetters);
			if (both.length) {
				const problem = `${shown(both[0])} stands in resolved_ids and in ${name}`;
				throw source.fault({ problem, expected: "one of the two" });
			}
		}
		const every = [...new Set([...lists.values()].flatMap((own) => [...own]))].sort(byLetters);
		if (!every.length) throw source.fault({ problem: "a report without instances" });
		refuseMissing(source, report.get("total_instances"), every.length);
		const said = Object.entries(NOT_RESOLVED)
			.filter(([name]) => name !== "unresolved_ids" && lists.get(name).size)
			.map(([name, words]) => `${counted(lists.get(name).size, "instance")} ${words}`);
		return [new Map(every.map((id) => [id, resolved.has(id)])), said];
	}
	function refuseMissing(source, total, found) {
		if (!Compare.isWholeNumber(total) || Number(total.text) <= found) return;
		throw source.fault({
			problem: `total_instances is ${count(Number(total.text))}, but its lists name ${count(found)}`,
			expected: "the id of every instance; is the file whole?",
		});
	}
	function idsOf(source, name, listed) {
		if (!Array.isArray(listed) || !listed.every((one) => typeof one === "string")) {
			const problem = `${name}=${Compare.cut(Compare.represented(listed), 60)}`;
			throw source.fault({ problem, expected: "a list of ids" });
		}
		return new Set(listed);
	}

	/* An object from the instance to true or false, or to an object that has `resolved`. */
	function byInstance(source, report) {
		const found = new Map();
		for (const [instance, verdict] of report) {
			const value = verdict instanceof Map ? verdict.get("resolved") : verdict;
			if (typeof value !== "boolean") {
				const problem = `${shown(instance)} is ${Compare.cut(Compare.represented(verdict), 60)}`;
				throw source.fault({ problem, expected: "true or false, or resolved in an object" });
			}
			found.set(instance, value);
		}
		return found;
	}

	Object.assign(Compare, { isSwebench, readSwebench });
})();
