/* Draw new test sets from a known world, a 95 % interval from each, and count the misses.
	 The data are the eleven repositories of SWE-bench Pro: on which share of its tasks only A
	 succeeds, and on which only B. */
Explore.define("hundred-intervals", function (root, data) {
	"use strict";
	const { signed, count, percent } = Explore;
	const { onlyA, onlyB } = data, REPOSITORIES = onlyA.length, SHOWN = 100, MOST = 20000;
	const mean = Explore.stats.mean, truth = mean(onlyB) - mean(onlyA);
	let drawn = null;

	const begin = () => ({ sets: 0, missed: 0, shown: [], random: Explore.random(11) });

	/* The differences (−1, 0 or 1 per task) of a new test set, repository by repository. */
	function testSet(values, random) {
		const size = values.tasks, clumped = values.world === "repositories", found = [];
		for (let g = 0; g < REPOSITORIES; g++) {
			const whole = random.below(REPOSITORIES), own = [];
			for (let i = 0; i < size; i++) {
				// Task by task: every task comes from a repository of its own.
				const r = clumped ? whole : random.below(REPOSITORIES), u = random.uniform();
				own.push(u < onlyB[r] ? 1 : u < onlyB[r] + onlyA[r] ? -1 : 0);
			}
			found.push(own);
		}
		return found;
	}

	/* Student's interval of the mean: difference ± t × standard error. */
	function interval(numbers, level) {
		const n = numbers.length, centre = mean(numbers);
		const variance = numbers.reduce((sum, v) => sum + (v - centre) ** 2, 0) / (n - 1);
		const half = Explore.stats.tQuantile((1 + level) / 2, n - 1) * Math.sqrt(variance / n);
		return [centre - half, centre + half];
	}

	function drawSets(times, values) {
		const d = (drawn ??= begin());
		for (let i = 0; i < times && d.sets < MOST; i++) {
			const set = testSet(values, d.random);
			const counted = values.unit === "repositories" ? set.map(mean) : set.flat();
			const [low, high] = interval(counted, Number(values.level));
			const missed = truth < low || truth > high;
			d.sets++;
			d.missed += missed;
			d.shown.push([low, high, missed]);
			d.last = { counted, low, high };
		}
		d.shown = d.shown.slice(-SHOWN);
	}

	function stack(panel, d) {
		const chart = panel.chart({
			height: 330, x: [-0.15, 0.3], y: [0, SHOWN + 1], yticks: [],
			xlabel: panel.width < 480 ? "B minus A, in points" : "B minus A, in points: one line per test set",
			xshow: (tick) => (tick ? signed(100 * tick, 0) : "0"),
			label: `${d.shown.length} intervals, of which those that miss the true difference have another colour`,
		});
		const inside = (v) => Math.max(-0.15, Math.min(0.3, v));
		d.shown.forEach(([low, high, missed], i) => {
			chart.line([[inside(low), SHOWN - i], [inside(high), SHOWN - i]],
				{ stroke: missed ? "var(--ex-4)" : "var(--ex-0)", strokeWidth: missed ? 3 : 1.6 });
		});
		chart.rule(truth, { strokeDasharray: "none" });
		chart.text(truth, 0, "true difference", { y: chart.top + 2, dx: 5, fontWeight: 600, class: "ex-halo" });
	}

	function draw(values, panel) {
		const d = (drawn ??= begin()), promised = 1 - Number(values.level);
		stack(panel, d);
		const size = count(REPOSITORIES * values.tasks);
		panel.say(d.sets === 0 ? `Each test set has ${size} tasks. Draw one: does its interval catch the true difference?`
			: `${count(d.missed)} of ${count(d.sets)} intervals (${percent(d.missed / d.sets, 1)}) miss the true ` +
				`difference; they promised to miss in ${percent(promised)} of the cases.`);
		return { sets: d.sets, missed: d.missed, truth, last: d.last ?? null };
	}

	const again = () => (drawn = null);
	Explore.panel(root, {
		title: "A hundred test sets: how many intervals miss?",
		controls: [
			{ type: "choice", name: "world", label: "new each time", value: "tasks",
				options: [["tasks", "tasks, each from anywhere"], ["repositories", "repositories, with all their tasks"]] },
			{ type: "choice", name: "unit", label: "the interval counts", value: "tasks",
				options: [["tasks", "tasks"], ["repositories", "repositories"]] },
			{ type: "slider", name: "tasks", label: "tasks per repository", values: [5, 10, 20, 40, 66], value: 40 },
			{ type: "choice", name: "level", label: "confidence level", value: "0.95",
				options: [["0.8", "80 %"], ["0.95", "95 %"], ["0.99", "99 %"]] },
			{ type: "button", name: "one", label: "Draw a test set", action: (values) => drawSets(1, values) },
			{ type: "button", name: "hundred", label: "Draw 100", action: (values) => drawSets(100, values) },
			{ type: "button", name: "thousand", label: "Draw 1,000", action: (values) => drawSets(1000, values) },
			{ type: "button", name: "again", label: "Start again", action: again },
		],
		changed: again,
		draw,
	}, data);
});
