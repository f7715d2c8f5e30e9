/* Compare two files here: what is known of a difference, and the ranks of several systems, as pictures. */
(function () {
	"use strict";
	const Compare = Explore.compare;
	const { number, probability, someOf } = Compare;

	/* What is known of the difference: how likely each value is, 0, the margin, the interval. */
	function pictureOfDifference(w, r) {
		const reach = 4.2 * r.standard_error || 1,
			most = r.bounded ? 1 : Infinity; // no share differs by more
		const from = Math.max(-most, Math.min(r.difference - reach, 0)),
			to = Math.min(most, Math.max(r.difference + reach, 0));
		const steps = 81,
			step = (to - from) / steps,
			[a, b] = r.names;
		const below = (value) => r.distribution.roughly?.(value) ?? r.distribution.below(value);
		const heights = Array.from({ length: steps }, (_, i) =>
			Math.max(0, below(from + (i + 1) * step) - below(from + i * step)),
		);
		const top = Math.max(...heights) * 1.1 || 1,
			h = 190,
			floor = h - 62;
		const x = (v) => 10 + ((v - from) / (to - from)) * (w - 20),
			y = (v) => floor - (v / top) * (floor - 24);
		const inside = (v) => Math.max(from, Math.min(to, v));
		const interval = Number.isNaN(r.low)
			? "there is no 95 % interval"
			: `the 95 % interval is from ${number(r.low, true)} to ${number(r.high, true)}`;
		const svg = Explore.svg("svg", {
			width: w,
			height: h,
			role: "img",
			"aria-label": `What is known of ${b} minus ${a}: ${interval}`,
		});
		const add = (...given) => svg.append(Explore.svg(...given));
		if (r.margin)
			add("rect", {
				x: x(inside(-r.margin)),
				width: x(inside(r.margin)) - x(inside(-r.margin)),
				y: 20,
				height: floor - 20,
				fill: "var(--ex-0)",
				fillOpacity: 0.3,
			});
		heights.forEach((height, i) => {
			const ahead = from + (i + 0.5) * step > 0 === r.higher;
			add("rect", {
				x: x(from + i * step),
				width: (w - 20) / steps + 0.3,
				y: y(height),
				height: floor - y(height),
				fill: ahead ? "var(--ex-2)" : "var(--ex-1)",
			});
		});
		add("line", {
			x1: x(0),
			x2: x(0),
			y1: 20,
			y2: floor + 12,
			stroke: "var(--ex-ink)",
			strokeDasharray: "2 3",
		});
		if (!Number.isNaN(r.low)) {
			add("line", {
				x1: x(inside(r.low)),
				x2: x(inside(r.high)),
				y1: floor + 8,
				y2: floor + 8,
				stroke: "var(--ex-ink)",
				strokeWidth: 4,
			});
			add("circle", { cx: x(r.difference), cy: floor + 8, r: 5, fill: "var(--ex-ink)" });
		}
		for (const tick of Explore.ticks(from, to, w / 90)) {
			const text = tick ? (tick > 0 ? "+" : "−") + String(Math.abs(tick)) : "0",
				at = Math.max(18, Math.min(w - 18, x(tick)));
			add("text", { x: at, y: floor + 30, "text-anchor": "middle" }, text);
		}
		add(
			"text",
			{ x: w / 2, y: h - 8, "text-anchor": "middle" },
			`${r.ratio === null ? "" : "logarithm of "}${shortName(b)} ${r.ratio === null ? "minus" : "over"} ${shortName(a)}${w < 480 ? "" : "; bar below: 95 % interval"}`,
		);
		const side = x(0) < w / 2 ? { x: w - 4, "text-anchor": "end" } : { x: 4 };
		add("text", { ...side, y: 14, fontWeight: 600 }, `${shortName(b)} better: ${probability(r.p_better)}`);
		return svg;
	}
	const shortName = (name) => (name.length > 24 ? `${Compare.cut(name, 23)}…` : name);

	/* What is known of two values: a curve for each model (betterthan.bayes). */
	function pictureOfPosteriors(w, r) {
		const steps = 200,
			h = 190,
			floor = h - 46,
			ends = r.posteriors.map(widely);
		const from = Math.max(0, Math.min(...ends.map(([low]) => low))),
			to = Math.min(1, Math.max(...ends.map(([, high]) => high)));
		const at = Array.from({ length: steps + 1 }, (_, i) => from + ((to - from) * i) / steps),
			curves = r.posteriors.map((own) => at.map((value) => Compare.density(own, value)));
		const top = Math.max(...curves.flat()) * 1.1 || 1,
			x = (value) => 10 + ((value - from) / (to - from)) * (w - 20),
			y = (value) => floor - (value / top) * (floor - 30);
		const svg = Explore.svg("svg", {
			width: w,
			height: h,
			role: "img",
			"aria-label": `What is known of ${r.word}: a curve for ${r.names[0]} and one for ${r.names[1]}`,
		});
		const add = (...given) => svg.append(Explore.svg(...given));
		curves.forEach((heights, k) => {
			const points = heights.map((height, i) => `${x(at[i]).toFixed(1)},${y(height).toFixed(1)}`).join(" ");
			add("polyline", { points, fill: "none", stroke: `var(--ex-${k + 1})`, strokeWidth: 2.5 });
			const side = k ? { x: w - 4, "text-anchor": "end" } : { x: 4 };
			add("text", { ...side, y: 14, fontWeight: 600, fill: `var(--ex-${k + 1})` }, shortName(r.names[k]));
		});
		for (const tick of Explore.ticks(from, to, w / 90)) {
			const place = Math.max(18, Math.min(w - 18, x(tick)));
			add("text", { x: place, y: floor + 18, "text-anchor": "middle" }, String(tick));
		}
		add("text", { x: w / 2, y: h - 8, "text-anchor": "middle" }, r.word);
		return svg;
	}
	/* Four standard deviations to either side, as far as they go. */
	function widely({ metric, found, lost }) {
		const whole = found + lost,
			share = found / whole,
			away = 4 * Math.sqrt((share * (1 - share)) / (whole + 1));
		const value = (own) => (metric === "f1" ? (2 * own) / (1 + own) : own);
		return [Math.max(0, share - away), Math.min(1, share + away)].map(value);
	}

	/* One row per system: the ranks it may have, the best on top. */
	function pictureOfRanks(w, r) {
		const n = r.ranks.length,
			left = Math.min(w / 2, 20 + 7.5 * Math.max(...r.ranks.map(({ name }) => shortName(name).length + 9))),
			row = 28,
			h = n * row + 52;
		const x = (rank) => left + 14 + ((rank - 1) / (n - 1)) * (w - left - 34),
			y = (i) => 18 + i * row;
		const ranks = r.ranks.map(({ name, low, high }) => `${name} ${low} to ${high}`);
		const svg = Explore.svg("svg", {
			width: w,
			height: h,
			role: "img",
			"aria-label": `The ranks that are not ruled out: ${someOf(ranks, 12)}`,
		});
		const add = (...given) => svg.append(Explore.svg(...given));
		for (let rank = 1; rank <= n; rank++) {
			if (n > 15 && rank % Math.ceil(n / 10) !== 1) continue;
			add("line", { x1: x(rank), x2: x(rank), y1: 6, y2: h - 44, class: "ex-grid" });
			add("text", { x: x(rank), y: h - 28, "text-anchor": "middle" }, String(rank));
		}
		r.ranks.forEach(({ name, value, low, high }, i) => {
			add("text", { x: left, y: y(i) + 4, "text-anchor": "end" }, `${shortName(name)} ${number(value)}`);
			add("line", { x1: x(low), x2: x(high), y1: y(i), y2: y(i), stroke: "var(--ex-1)", strokeWidth: 5 });
			add("circle", { cx: x(i + 1), cy: y(i), r: 6, fill: "var(--ex-1)" });
		});
		add(
			"text",
			{ x: w / 2, y: h - 6, "text-anchor": "middle" },
			w < 480 ? "rank; bar: not ruled out" : "rank; bar: not ruled out at 95 %, all pairs together",
		);
		return svg;
	}

	Object.assign(Compare, { pictureOfDifference, pictureOfPosteriors, pictureOfRanks });
})();
