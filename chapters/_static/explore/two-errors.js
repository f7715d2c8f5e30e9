/* Repeat an experiment that compares two systems, and count what the test says each time.
	 The world is set: the true difference, and how many tasks each experiment has. */
Explore.define("two-errors", function (root, data) {
	"use strict";
	const { signed, fixed, count, percent } = Explore;
	const MOST = 20000;
	let tally = null;

	const begin = () => ({ runs: 0, better: 0, worse: 0, bars: new Map(), random: Explore.random(20261118) });

	/* How many counts share a bar: an odd number, so that the bars are the same on both sides of 0. */
	const wide = (n) => 2 * Math.max(0, Math.round((0.02 * n - 1) / 2)) + 1;

	/* Two-sided: how often would fair coins split as unevenly as b to c, or more? */
	function pvalue(b, c) {
		if (b + c === 0) return 1;
		const most = Math.max(b, c), least = Math.min(b, c);
		return most === least ? 1 : Math.min(1, 2 * Explore.stats.betaCdf(0.5, most, least + 1));
	}

	/* One experiment: each task is solved by B alone, by A alone, or tells nothing. */
	function experiment(values, t) {
		const difference = values.difference / 100, n = values.tasks;
		const onlyB = (data.apart + difference) / 2, onlyA = (data.apart - difference) / 2;
		let b = 0, c = 0;
		for (let i = 0; i < n; i++) {
			const u = t.random.uniform();
			if (u < onlyB) b++;
			else if (u < onlyB + onlyA) c++;
		}
		const seen = (b - c) / n, found = pvalue(b, c) <= Number(values.level);
		t.runs++;
		t.better += found && b > c;
		t.worse += found && b < c;
		const place = Math.round((b - c) / wide(n)), bar = t.bars.get(place) ?? [0, 0];
		bar[0]++;
		bar[1] += found;
		t.bars.set(place, bar);
		t.last = { b, c, seen, found, p: pvalue(b, c) };
	}

	function repeat(times, values) {
		tally ??= begin();
		for (let i = 0; i < times && tally.runs < MOST; i++) experiment(values, tally);
	}

	function histogram(panel, t, values) {
		const reach = 0.3, width = wide(values.tasks) / values.tasks, highest = Math.max(4, ...[...t.bars.values()].map((bar) => bar[0]));
		const chart = panel.chart({
			height: 250, x: [-reach, reach], y: [0, highest * 1.08], ylabel: "experiments",
			xlabel: panel.width < 480 ? "difference seen, in points" : "difference seen in an experiment, B minus A, in points",
			xshow: (tick) => (tick ? signed(100 * tick, 0) : "0"),
			yshow: (tick) => (Number.isInteger(tick) ? count(tick) : ""),
			label: `Histogram of the differences that ${t.runs} experiments saw`,
		});
		for (const [place, [all, found]] of t.bars) {
			const from = Math.max(-reach, (place - 0.45) * width), to = Math.min(reach, (place + 0.45) * width);
			if (to <= from) continue;
			chart.bar(from, to, all, { fill: "var(--ex-0)", opacity: 0.55 });
			chart.bar(from, to, found, { fill: place > 0 ? "var(--ex-2)" : "var(--ex-1)" });
		}
		chart.rule(values.difference / 100);
		const left = values.difference > 12 && panel.width < 420;
		chart.text(values.difference / 100, 0, "true", { y: chart.top + 2, dx: left ? -5 : 5,
			"text-anchor": left ? "end" : "start", fontWeight: 600 });
	}

	function words(t, values) {
		const world = values.difference === 0 ? "The two are equally good."
			: `B is truly ${values.difference} points better.`;
		if (!t.runs) return `${world} Run an experiment with ${count(values.tasks)} tasks: what will the test say?`;
		if (t.runs === 1) {
			const { b, c, seen, p, found } = t.last;
			return `${world} One experiment: B alone solves ${b} tasks, A alone ${c}; the difference seen is ` +
				`${signed(100 * seen, 1)} points, p = ${fixed(p, 3)}. The test ${found ? "announces a winner" : "says nothing"}.`;
		}
		const share = (n) => percent(n / t.runs, 1), announced = t.better + t.worse;
		if (values.difference === 0) {
			return `${world} In ${count(announced)} of ${count(t.runs)} experiments (${share(announced)}) the test ` +
				"announced a winner all the same. Each of these is a false alarm.";
		}
		return `${world} In ${count(t.better)} of ${count(t.runs)} experiments (${share(t.better)}) the test noticed: ` +
			`that share is the power. It missed the difference in ${count(t.runs - announced)}, and named the wrong ` +
			`one in ${count(t.worse)}.`;
	}

	function draw(values, panel) {
		const t = (tally ??= begin());
		histogram(panel, t, values);
		panel.say(words(t, values));
		return { runs: t.runs, better: t.better, worse: t.worse, last: t.last ?? null };
	}

	const again = () => (tally = null);
	Explore.panel(root, {
		title: "Repeat the experiment: how often does the test speak?",
		controls: [
			{ type: "slider", name: "difference", label: "true difference", min: 0, max: 15, step: 1, value: 0,
				show: (v) => (v ? `${v} points` : "none") },
			{ type: "slider", name: "tasks", label: "tasks in each experiment", values: [50, 96, 200, 400, 800, 1600], value: 96 },
			{ type: "choice", name: "level", label: "announce a winner when p is at most", value: "0.05",
				options: [["0.1", "0.10"], ["0.05", "0.05"], ["0.01", "0.01"]] },
			{ type: "button", name: "one", label: "One experiment", action: (values) => repeat(1, values) },
			{ type: "button", name: "hundred", label: "100", action: (values) => repeat(100, values) },
			{ type: "button", name: "thousand", label: "1,000", action: (values) => repeat(1000, values) },
			{ type: "button", name: "again", label: "Start again", action: again },
		],
		changed: again,
		draw,
	}, data);
});
