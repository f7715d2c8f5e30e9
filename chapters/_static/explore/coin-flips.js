/* Flip a coin for every sentence of two real systems, swap their answers on heads, look again.
	 The data are the counts (tp, fp, fn) of the seven WNUT systems, alike sentences counted once. */
Explore.define("coin-flips", function (root, data) {
	"use strict";
	const { signed, fixed, count, percent } = Explore;
	const MOST = 100000;
	const { systems, counts, sentences } = data;
	let pair = null, running = 0;

	const f1 = (tp, fp, fn) => (2 * tp) / (2 * tp + fp + fn);

	/* What there is to flip: the sentences on which the two differ, and what a swap changes. */
	function begin(a, b) {
		const totals = [0, 0, 0, 0, 0, 0], changes = [], times = [];
		let differ = 0;
		counts.forEach((row, i) => {
			const own = [...row.slice(3 * a, 3 * a + 3), ...row.slice(3 * b, 3 * b + 3)];
			own.forEach((value, k) => (totals[k] += value * sentences[i]));
			const change = [0, 1, 2].map((k) => own[k + 3] - own[k]);
			if (change.some((value) => value)) {
				changes.push(change);
				times.push(sentences[i]);
				differ += sentences[i];
			}
		});
		const first = f1(...totals.slice(0, 3)), second = f1(...totals.slice(3));
		const seen = second - first;
		// How far coins move it, roughly: what one swap does, squared and added up.
		const [whole, other] = [0, 3].map((k) => 2 * totals[k] + totals[k + 1] + totals[k + 2]);
		const spread = Math.sqrt(changes.reduce((sum, [tp, fp, fn], i) => {
			const up = (2 * tp - first * (2 * tp + fp + fn)) / whole;
			const down = (2 * tp - second * (2 * tp + fp + fn)) / other;
			return sum + times[i] * ((up + down) / 2) ** 2;
		}, 0));
		const reach = Math.max(4.2 * spread, 1.3 * Math.abs(seen));
		// The edges of the bars fall on the difference that was seen.
		const width = Math.abs(seen) / Math.max(1, Math.round(Math.abs(seen) / (reach / 28)));
		const half = Math.ceil(reach / width);
		return {
			totals, changes, times, differ, first, second, seen, width, half, flips: 0, either: 0, above: 0,
			bars: new Int32Array(2 * half), trace: [], last: null, random: Explore.random(20170907),
		};
	}

	/* How many of n coins show heads. */
	function heads(n, random) {
		let found = 0;
		for (; n > 0; n -= 32) {
			let word = random.bits();
			if (n < 32) word >>>= 32 - n;
			word -= (word >>> 1) & 0x55555555;
			word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
			found += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
		}
		return found;
	}

	function flip(times) {
		const p = pair, { totals, changes, random } = p, limit = Math.min(times, MOST - p.flips);
		for (let round = 0; round < limit; round++) {
			let tp = 0, fp = 0, fn = 0, swapped = 0;
			for (let i = 0; i < changes.length; i++) {
				const n = heads(p.times[i], random), change = changes[i];
				tp += n * change[0];
				fp += n * change[1];
				fn += n * change[2];
				swapped += n;
			}
			const a = f1(totals[0] + tp, totals[1] + fp, totals[2] + fn);
			const b = f1(totals[3] - tp, totals[4] - fp, totals[5] - fn);
			const difference = b - a, tiny = 1e-12;
			p.flips++;
			p.either += Math.abs(difference) >= Math.abs(p.seen) - tiny;
			p.above += p.seen > 0 ? difference >= p.seen - tiny : difference <= p.seen + tiny;
			const bar = Math.floor(difference / p.width + p.half + (difference > 0 ? -1e-9 : 1e-9));
			p.bars[Math.max(0, Math.min(p.bars.length - 1, bar))]++;
			p.last = { swapped, difference };
			if (p.flips >= 10 && Math.log10(p.flips) * 40 >= p.trace.length + 40) {
				p.trace.push([p.flips, (1 + p.either) / (1 + p.flips), (1 + p.above) / (1 + p.flips)]);
			}
		}
	}

	function run(panel) {
		running = running ? 0 : 1;
		const step = () => {
			if (!running || pair.flips >= MOST) {
				running = 0;
			} else {
				flip(Math.max(1, Math.min(2000, Math.ceil(pair.flips / 20))));
				requestAnimationFrame(step);
			}
			panel.redraw();
		};
		step();
	}

	function draw(values, panel) {
		const a = Number(values.a), b = Number(values.b), side = values.side === "either" ? 1 : 2;
		const { run: button } = panel.inputs;
		button.field.textContent = running ? "Stop" : "Let it run";
		button.field.setAttribute("aria-pressed", String(!!running));
		if (a === b) {
			panel.say("Choose two different systems.");
			return { same: true };
		}
		const p = (pair ??= begin(a, b)), [nameA, nameB] = [systems[a], systems[b]];
		const reach = p.half * p.width, highest = Math.max(4, ...p.bars);
		const whole = (tick) => (Number.isInteger(tick) ? count(tick) : "");
		const chart = panel.chart({
			height: 250, x: [-reach, reach], y: [0, highest * 1.08], ylabel: "times",
			xlabel: panel.width < 480 ? "difference in F1 after the coins"
				: `${nameB} minus ${nameA}, F1, after the coins`, yshow: whole,
			xshow: (tick) => (tick ? signed(tick, 2) : "0"),
			label: `Histogram of the difference after ${p.flips} rounds of coin flips`,
		});
		p.bars.forEach((n, i) => {
			const from = (i - p.half) * p.width, to = from + p.width, middle = (from + to) / 2;
			const far = side === 1 ? Math.abs(middle) > Math.abs(p.seen)
				: p.seen > 0 ? middle > p.seen : middle < p.seen;
			const gap = 0.05 * p.width, fill = !far ? "var(--ex-0)" : middle > 0 ? "var(--ex-2)" : "var(--ex-1)"; // the colour of who is ahead
			if (n) chart.bar(from + gap, to - gap, n, { fill });
		});
		chart.rule(p.seen, { strokeDasharray: "none" });
		if (side === 1) chart.rule(-p.seen);
		const left = p.seen > 0 ? panel.width < 420 && p.seen > reach / 2 : true;
		chart.text(p.seen, 0, "seen", { y: chart.top + 2, dx: left ? -5 : 5, "text-anchor": left ? "end" : "start", fontWeight: 600 });
		const probability = (1 + (side === 1 ? p.either : p.above)) / (1 + p.flips);
		const doubt = Math.sqrt((probability * (1 - probability)) / Math.max(1, p.flips));
		if (p.trace.length > 1) {
			const top = Math.min(1, 1.25 * Math.max(0.04, ...p.trace.map((t) => t[side])));
			const settle = panel.chart({
				height: 130, x: [1, 5], y: [0, top], xticks: panel.width < 480 ? [1, 3, 5] : [1, 2, 3, 4, 5],
				left: Math.max(chart.left, 44),
				xshow: (tick) => count(10 ** tick), ylabel: "p so far", xlabel: "rounds of coin flips",
				yticks: Explore.ticks(0, top, 2),
				label: "The p-value after each number of rounds: it settles",
			});
			settle.line(p.trace.map((t) => [Math.log10(t[0]), t[side]]), { stroke: "var(--ex-ink)" });
		}
		const told = `${nameB} minus ${nameA} is ${signed(p.seen)}`;
		const far = side === 1 ? "as large, in either direction" : `as large in favour of ${p.seen > 0 ? nameB : nameA}`;
		if (!p.flips) {
			panel.say(`${told}. The two differ on ${count(p.differ)} of the ${count(data.total)} sentences: ` +
				"flip a coin for each of these, swap the two answers on heads, and see what difference comes out.");
		} else if (p.flips === 1) {
			panel.say(`${told}. One round of coins: the answers to ${count(p.last.swapped)} of ${count(p.differ)} ` +
				`sentences swapped, and the difference is ${signed(p.last.difference)}. What luck does, one round shows; how often, many.`);
		} else {
			const hits = side === 1 ? p.either : p.above;
			panel.say(`${told}. In ${count(hits)} of ${count(p.flips)} rounds chance alone made a difference ${far}: ` +
				`p = ${fixed(probability, p.flips < 1000 ? 2 : probability < 0.01 ? 5 : 3)}` +
				(p.flips >= 100 ? ` (give or take ${fixed(2 * doubt, doubt < 0.0005 ? 5 : 3)}).` : "."));
		}
		return { flips: p.flips, difference: p.seen, pvalue: probability, differ: p.differ,
			either: p.either, above: p.above, bars: Array.from(p.bars) };
	}

	const options = systems.map((name, i) => [String(i), name]);
	const again = () => {
		running = 0;
		pair = null;
	};
	Explore.panel(root, {
		title: "Flip the coins: two systems of the WNUT shared task",
		controls: [
			{ type: "choice", name: "a", label: "A", options, value: String(data.start[0]) },
			{ type: "choice", name: "b", label: "B", options, value: String(data.start[1]) },
			{ type: "choice", name: "side", label: "count rounds that are", value: "either",
				options: [["either", "as far apart, either way"], ["one", "as far apart, this way round"]] },
			{ type: "button", name: "one", label: "Flip once", action: () => pair && flip(1) },
			{ type: "button", name: "hundred", label: "100 times", action: () => pair && flip(100) },
			{ type: "button", name: "many", label: "10,000 times", action: () => pair && flip(10000) },
			{ type: "button", name: "run", label: "Let it run", action: (values, panel) => pair && run(panel) },
			{ type: "button", name: "again", label: "Start again", action: again },
		],
		changed: (name) => name !== "side" && again(),
		draw,
	}, data);
});
