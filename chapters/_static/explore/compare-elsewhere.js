/* Compare two files here: files that are known and not read, each named for what it is, with what to do
	 instead (betterthan.readers.elsewhere). They would often pass for a table, so they are asked first. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { leftStrip, strip } = Compare;

	/* A JSON file whose first characters have all these marks. */
	const has =
		(...marks) =>
		({ head }) =>
			/^[{[]/.test(leftStrip(head)) && marks.every((mark) => head.includes(mark));
	/* A JSON file whose first line has all these marks. */
	const firstLineHas =
		(...marks) =>
		({ head }) => {
			const first = leftStrip(head).split("\n", 1)[0];
			return first.startsWith("{") && marks.every((mark) => first.includes(mark));
		};
	/* Of lm-evaluation-harness, without the samples. */
	const isAggregated = (source) =>
		has('"results"')(source) &&
		/"(n-shot|higher_is_better|config_general|lm_eval_version)"/.test(source.head) &&
		/"\w+,[\w-]+": /.test(source.head);
	function isBrat({ head }) {
		const lines = head.split("\n").slice(0, 20).filter((line) => strip(line)),
			spans = lines.filter((line) => /^T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t/.test(line));
		return spans.length > 0 && spans.length === lines.filter((line) => line.startsWith("T")).length;
	}

	const ELSEWHERE = [
		[
			"a record of OpenAI evals",
			firstLineHas('"spec"', '"eval_name"'),
			"one line per sample, from those of type match: " +
				"jq -c 'select(.type==\"match\")|{id:.sample_id,score:.data.correct}' FILE > old.jsonl",
		],
		[
			"per-instance statistics of HELM",
			has('"instance_id"', '"train_trial_index"', '"stats"'),
			"one line per instance (of the original ones, if there are perturbations) with the metric " +
				"you mean: jq -c '.[]|{id:.instance_id," +
				"score:(.stats[]|select(.name.name==\"exact_match\").mean)}' FILE > old.jsonl",
		],
		[
			"a test run of deepeval",
			has('"testCases"', '"metricsData"'),
			"one line per test case: jq -c '.testCases[]|{id:.name,score:.success}' FILE > old.jsonl",
		],
		[
			"a result of MTEB, one score for the whole task",
			has('"mteb_version"', '"scores"'),
			"a table with one row per task and the main_score of each model: dataset,old,new",
		],
		[
			"an export of Label Studio",
			has('"annotations"', '"from_name"', '"to_name"'),
			"the export as CONLL2003 (of spans), or as CSV with the columns id, gold and prediction",
		],
		[
			"annotations of brat",
			isBrat,
			"CoNLL columns: brat's own tools/anntoconll.py turns .txt and .ann into them",
		],
		[
			"aggregated results of lm-evaluation-harness, without the answers to single questions",
			isAggregated,
			"the files samples_TASK_TIME.jsonl, which lm_eval writes with --log_samples",
		],
		[
			"a page in HTML",
			({ head }) => /^<(!doctype html|html)/i.test(leftStrip(head)),
			"the file itself; was a page saved in its place?",
		],
	];

	/* Refuses what is known for something that is not read. */
	function refuseElsewhere(source) {
		const known = ELSEWHERE.find(([, is]) => is(source));
		if (known) throw source.fault({ problem: `this is ${known[0]}`, expected: known[2] });
	}

	Object.assign(Compare, { refuseElsewhere });
})();
