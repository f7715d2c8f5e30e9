/* What the book's explorables are made of: labelled native controls, charts in SVG, seeded random
	 numbers, a few distributions, and a sentence that says in words what is shown.

		 Explore.define("name", {title, controls, draw})       or
		 Explore.define("name", function (root, data) { … Explore.panel(root, {…}, data) … })

	 A control is {type, name, label, …}:
		 slider  min, max, step, value, show(v) → text; or values: [1, 2, 5, 10 …] to step through
		 choice  options: [[value, text], …], value
		 check   value: true or false
		 button  action(values, panel); neither read nor set, but `press`ed
	 Values that the page asks for, data-preset="a=FLYTXT side=one", come before those of the script;
	 a choice takes the value or the words of an option.
	 draw(values, panel) fills panel.figure (panel.chart helps), calls panel.say("…") and returns the
	 numbers on the screen. It runs at the start, after each change and when the width changes.
	 Data are Explore.data["name"], from name.data.js, which `python -m press.explore` writes.
	 For tests: root.explore.set(name, value), .press(name), .read(). */
(function () {
	"use strict";
	const Explore = (window.Explore = { data: {} });
	const makers = new Map();

	Explore.define = function (name, spec) {
		makers.set(name, spec);
		if (document.readyState !== "loading") start();
	};

	function start() {
		for (const root of document.querySelectorAll(".explore[data-explore]")) {
			const name = root.dataset.explore, spec = makers.get(name);
			if (!spec || root.explore) continue;
			const data = Explore.data[name];
			if (typeof spec === "function") spec(root, data);
			else Explore.panel(root, spec, data);
			// The still picture remains for paper; on the screen the live one takes its place.
			root.querySelector("img")?.closest("p, a, div:not(.explore)")?.classList.add("explore-still");
			root.classList.add("explore-on");
		}
	}
	document.addEventListener("DOMContentLoaded", start);

	// --- Elements ---
	const SVG = "http://www.w3.org/2000/svg";
	const STYLED = /^(fill|stroke|opacity|fillOpacity|strokeWidth|strokeDasharray|fontWeight)$/;

	/* An element of the page: make("p", {class: "x"}, "text", child …). */
	const make = (Explore.make = (tag, attributes, ...children) =>
		dress(document.createElement(tag), attributes, children));
	/* The same for SVG; fill, stroke and the like may be var(--ex-1), so that they follow the theme. */
	const draw = (Explore.svg = (tag, attributes, ...children) =>
		dress(document.createElementNS(SVG, tag), attributes, children));

	function dress(element, attributes, children) {
		for (const [key, value] of Object.entries(attributes ?? {})) {
			if (value === undefined || value === null || value === false) continue;
			if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
			else if (element.namespaceURI === SVG && STYLED.test(key)) element.style[key] = value;
			else element.setAttribute(key, value === true ? "" : value);
		}
		element.append(...children.flat().filter((c) => c !== undefined && c !== null));
		return element;
	}

	// --- Panel ---
	let made = 0;

	Explore.panel = function (root, spec, data) {
		const id = `explore-${++made}`;
		const controls = make("div", { class: "explore-controls" });
		const figure = make("div", { class: "explore-figure" });
		const says = make("p", { class: "explore-says", "aria-live": "polite" });
		const title = spec.title && make("p", { class: "explore-title" }, spec.title);
		const live = make("div", { class: "explore-live" }, title, controls, figure, says);
		root.prepend(live);
		if (spec.title) root.setAttribute("aria-label", spec.title);
		const values = {}, inputs = {}, preset = presetOf(root);
		let numbers = {};

		const panel = {
			root, data, figure, controls, values, inputs, width: 0,
			random: Explore.random,
			chart: (options) => chart(panel, options),
			say(text) {
				if (says.textContent !== text) says.textContent = text;
			},
			redraw() {
				panel.width = Math.max(260, Math.min(800, Math.floor(figure.clientWidth || 640)));
				figure.replaceChildren();
				numbers = spec.draw(values, panel) ?? {};
			},
		};

		for (const given of spec.controls ?? []) {
			const control = given.name in preset ? { ...given, value: asked(given, preset[given.name]) } : given;
			const input = build(control, `${id}-${control.name}`, controls, panel);
			inputs[control.name] = input;
			if (control.type === "button") continue;
			values[control.name] = input.value();
			input.field.addEventListener("input", () => {
				values[control.name] = input.value();
				input.refresh();
				spec.changed?.(control.name, panel);
				panel.redraw();
			});
		}
		root.explore = {
			set(name, value) {
				inputs[name].put(value);
				inputs[name].field.dispatchEvent(new Event("input", { bubbles: true }));
				return root.explore.read();
			},
			press(name) {
				inputs[name].field.click();
				return root.explore.read();
			},
			read: () => ({ ...values, ...numbers, says: says.textContent }),
		};
		new ResizeObserver(() => {
			const width = Math.max(260, Math.min(800, Math.floor(figure.clientWidth)));
			if (figure.clientWidth && width !== panel.width) panel.redraw();
		}).observe(figure);
		panel.redraw();
		return panel;
	};

	const presetOf = (root) =>
		Object.fromEntries((root.dataset.preset ?? "").split(" ").filter(Boolean).map((pair) => pair.split("=")));

	/* What a preset means to a control: an option by its value or its words, a number, yes or no. */
	function asked(control, text) {
		if (control.type === "choice") return control.options.find((option) => option.includes(text))[0];
		return control.type === "check" ? text === "true" : Number(text);
	}

	function build(control, id, place, panel) {
		const { type, label, name } = control;
		if (type === "button") {
			const field = make("button", { type: "button", id, "data-name": name }, label);
			field.addEventListener("click", () => {
				control.action(panel.values, panel);
				panel.redraw();
			});
			let row = place.lastElementChild; // neighbours share a row
			if (!row?.classList.contains("explore-buttons")) {
				row = make("div", { class: "explore-buttons" });
				place.append(row);
			}
			row.append(field);
			return { field };
		}
		if (type === "check") {
			const field = make("input", { type: "checkbox", id, "data-name": name });
			field.checked = !!control.value;
			place.append(make("label", { class: "explore-check", for: id }, field, " ", label));
			const put = (value) => (field.checked = !!value);
			return { field, put, refresh() {}, value: () => field.checked };
		}
		if (type === "choice") {
			const options = control.options.map(([value, text]) => make("option", { value }, text));
			const field = make("select", { id, "data-name": name }, options);
			if (control.value !== undefined) field.value = control.value;
			place.append(make("label", { class: "explore-field", for: id }, make("span", {}, label), field));
			const put = (value) => (field.value = value);
			return { field, put, refresh() {}, value: () => field.value };
		}
		const steps = control.values; // a slider may step through a list
		const { min, max, step } = steps ? { min: 0, max: steps.length - 1, step: 1 } : control;
		const show = control.show ?? ((value) => value.toLocaleString("en"));
		const field = make("input", { type: "range", id, min, max, step, "data-name": name });
		const out = make("output", { for: id });
		const value = () => (steps ? steps[field.valueAsNumber] : field.valueAsNumber);
		const put = (wanted) => (field.value = steps ? steps.indexOf(wanted) : wanted);
		const refresh = () => {
			out.textContent = show(value());
			field.setAttribute("aria-valuetext", out.textContent);
		};
		put(control.value);
		refresh();
		place.append(
			make("label", { class: "explore-field", for: id }, make("span", {}, label, " ", out), field),
		);
		return { field, put, refresh, value };
	}

	// --- Charts ---
	/* Round numbers between low and high, about `count` of them. */
	Explore.ticks = function (low, high, count) {
		const rough = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(rough));
		const step = power * [1, 2, 5, 10].find((m) => m * power >= rough * (1 - 1e-9));
		const found = [];
		for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
			found.push(Number((i * step).toPrecision(12)));
		}
		return found;
	};

	/* An empty chart with axes in panel.figure: {height, x: [low, high], y: [low, high], xlabel,
		 ylabel (over the axis), xticks, yticks (lists; [] for none), xshow, yshow (formats), label (for
		 readers who cannot see it)}; its x() and y() give pixels, its methods draw. */
	function chart(panel, options) {
		const width = panel.width, height = options.height ?? 260;
		const yticks = options.yticks ?? Explore.ticks(...options.y, height / 50);
		const yshow = options.yshow ?? String, xshow = options.xshow ?? String;
		const longest = Math.max(0, ...yticks.map((t) => yshow(t).length));
		const left = options.left ?? (yticks.length ? 12 + 8 * longest : 8), right = width - 12;
		const top = options.ylabel ? 26 : 10, bottom = height - (options.xlabel ? 44 : 24);
		const scale = ([from, to], low, high) => (v) => low + ((v - from) / (to - from)) * (high - low);
		const x = scale(options.x, left, right), y = scale(options.y, bottom, top);
		const label = options.label ?? options.xlabel ?? "chart";
		const svg = draw("svg", { width, height, role: "img", "aria-label": label });
		const xticks = options.xticks ?? Explore.ticks(...options.x, (right - left) / 75);
		for (const tick of yticks) {
			svg.append(
				draw("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: "ex-grid" }),
				draw("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, yshow(tick)),
			);
		}
		for (const tick of xticks) {
			// Half of the text, of which no part may lie outside.
			const text = xshow(tick), half = text.length * 4.5, at = x(tick);
			const [place, anchor] = at + half > width ? [width, "end"] : at < half ? [0, "start"] : [at, "middle"];
			svg.append(
				draw("line", { x1: at, x2: at, y1: bottom, y2: bottom + 5, class: "ex-axis" }),
				draw("text", { x: place, y: bottom + 19, "text-anchor": anchor }, text),
			);
		}
		svg.append(draw("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "ex-axis" }));
		if (options.xlabel) {
			const place = { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" };
			svg.append(draw("text", place, options.xlabel));
		}
		if (options.ylabel) svg.append(draw("text", { x: 2, y: 14 }, options.ylabel));
		panel.figure.append(svg);
		const add = (tag, attributes, ...children) => {
			const element = draw(tag, attributes, ...children);
			svg.append(element);
			return element;
		};
		const path = (points) =>
			points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(2)},${y(b).toFixed(2)}`).join("");
		return {
			svg, x, y, left, right, top, bottom, width, height, add,
			// What lies at a pixel: for dragging.
			xAt: (pixel) => options.x[0] + ((pixel - left) / (right - left)) * (options.x[1] - options.x[0]),
			line: (points, style) => add("path", { d: path(points), fill: "none", stroke: "var(--ex-1)",
				strokeWidth: 2, ...style }),
			area: (points, style) => {
				const floor = (point) => [point[0], options.y[0]];
				const d = `${path([floor(points[0]), ...points, floor(points.at(-1))])}Z`;
				return add("path", { d, fill: "var(--ex-1)", fillOpacity: 0.35, ...style });
			},
			bar: (from, to, high, style) => add("rect", { x: x(from), width: Math.max(0, x(to) - x(from)),
				y: y(high), height: Math.max(0, bottom - y(high)), fill: "var(--ex-1)", ...style }),
			band: (from, to, style) => add("rect", { x: x(from), width: Math.max(0, x(to) - x(from)), y: top,
				height: bottom - top, fill: "var(--ex-2)", fillOpacity: 0.18, ...style }),
			rule: (value, style) => add("line", { x1: x(value), x2: x(value), y1: top, y2: bottom,
				stroke: "var(--ex-ink)", strokeWidth: 2, strokeDasharray: "2 3", ...style }),
			dot: (a, b, style) => add("circle", { cx: x(a), cy: y(b), r: 4, fill: "var(--ex-1)", ...style }),
			text: (a, b, text, style) => add("text", { x: x(a), y: y(b), ...style }, text),
		};
	}

	// --- Words ---
	Explore.fixed = (value, digits = 3) => value.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, "");
	Explore.signed = (value, digits = 3) => {
		const text = Explore.fixed(value, digits);
		return text.startsWith("-") ? text.replace("-", "−") : `+${text}`;
	};
	Explore.percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}\u00a0%`;
	Explore.count = (number) => Math.round(number).toLocaleString("en");

	// --- Random numbers ---
	/* The same numbers for the same seed: xoshiro128**, started by splitmix32. */
	Explore.random = function (seed) {
		let s = seed >>> 0;
		const next = () => {
			s = (s + 0x9e3779b9) >>> 0;
			let z = Math.imul(s ^ (s >>> 16), 0x21f0aaad);
			z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
			return (z ^ (z >>> 15)) >>> 0;
		};
		let a = next(), b = next(), c = next(), d = next(), spare = null;
		const bits = () => {
			const five = Math.imul(b, 5), result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
			const t = b << 9;
			c ^= a; d ^= b; b ^= c; a ^= d; c ^= t;
			d = (d << 11) | (d >>> 21);
			return result;
		};
		const uniform = () => (bits() + 0.5) / 4294967296;
		return {
			bits, uniform,
			below: (n) => Math.floor(uniform() * n),
			normal() {
				if (spare !== null) {
					const kept = spare;
					spare = null;
					return kept;
				}
				const r = Math.sqrt(-2 * Math.log(uniform())), angle = 2 * Math.PI * uniform();
				spare = r * Math.sin(angle);
				return r * Math.cos(angle);
			},
		};
	};

	// --- Distributions ---
	const LANCZOS = [
		0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
		-176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
		1.5056327351493116e-7,
	];
	function lgamma(z) {
		if (z < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * z))) - lgamma(1 - z);
		if (z > 1e4) {
			return (z - 0.5) * Math.log(z) - z + 0.91893853320467274 + (1 / 12 - 1 / (360 * z * z)) / z;
		}
		const t = z + 6.5;
		let sum = LANCZOS[0];
		for (let i = 1; i < 9; i++) sum += LANCZOS[i] / (z - 1 + i);
		return 0.91893853320467274 + (z - 0.5) * Math.log(t) - t + Math.log(sum);
	}
	const logBeta = (a, b) => lgamma(a) + lgamma(b) - lgamma(a + b);

	/* The regularised incomplete beta function by its continued fraction (Lentz); `y` is 1 − x where
		 that is known better than 1 − x says. */
	function betaCdf(x, a, b, y = 1 - x) {
		if (x <= 0) return 0;
		if (y <= 0) return 1;
		if (x > (a + 1) / (a + b + 2)) return 1 - betaCdf(y, b, a, x);
		const front = Math.exp(a * Math.log(x) + b * Math.log(y) - logBeta(a, b)) / a;
		const tiny = 1e-300, guard = (v) => (Math.abs(v) < tiny ? tiny : v);
		let c = 1, d = 1 / guard(1 - ((a + b) * x) / (a + 1)), f = d;
		for (let m = 1; m < 20000; m++) {
			for (const term of [
				(m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
				(-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
			]) {
				d = 1 / guard(1 + term * d);
				c = guard(1 + term / c);
				f *= c * d;
			}
			if (Math.abs(c * d - 1) < 1e-16) break;
		}
		return Math.min(1, front * f);
	}
	const betaPdf = (x, a, b) => x <= 0 || x >= 1 ? 0
		: Math.exp((a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x) - logBeta(a, b));

	/* Where an increasing function of x in (low, high) reaches p. */
	function solve(cdf, p, low, high) {
		for (let i = 0; i < 200 && high - low > 1e-16 * Math.max(1e-300, Math.abs(low) + Math.abs(high)); i++) {
			const middle = (low + high) / 2;
			if (middle === low || middle === high) break;
			if (cdf(middle) < p) low = middle;
			else high = middle;
		}
		return (low + high) / 2;
	}

	function tSurvival(t, degrees) {
		if (t < 0) return 1 - tSurvival(-t, degrees);
		const square = t * t, whole = degrees + square;
		return betaCdf(degrees / whole, degrees / 2, 0.5, square / whole) / 2;
	}
	function tQuantile(p, degrees) {
		if (p === 0.5) return 0;
		if (p < 0.5) return -tQuantile(1 - p, degrees);
		let high = 2;
		while (tSurvival(high, degrees) > 1 - p && high < 1e300) high *= 2;
		return solve((t) => -tSurvival(t, degrees), p - 1, high === 2 ? 0 : high / 2, high);
	}

	/* The upper tail of the normal distribution: a series near 0, a continued fraction beyond. */
	function normalSurvival(z) {
		if (z < 0) return 1 - normalSurvival(-z);
		const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
		if (z < 3) {
			let term = z, sum = z;
			for (let k = 1; Math.abs(term) > 1e-18 && k < 200; k++) sum += term *= (z * z) / (2 * k + 1);
			return 0.5 - density * sum;
		}
		let fraction = z;
		for (let k = 60; k > 0; k--) fraction = z + k / fraction;
		return density / fraction;
	}
	function normalQuantile(p) {
		if (p === 0.5) return 0;
		return p < 0.5 ? -normalQuantile(1 - p) : solve((z) => -normalSurvival(z), p - 1, 0, 40);
	}

	Explore.stats = {
		lgamma, logBeta, betaCdf, betaPdf, tSurvival, tQuantile, normalSurvival, normalQuantile,
		betaQuantile: (p, a, b) => solve((x) => betaCdf(x, a, b), p, 0, 1),
		tCdf: (t, degrees) => 1 - tSurvival(t, degrees),
		normalCdf: (z) => 1 - normalSurvival(z),
		normalPdf: (z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI),
		mean: (values) => values.reduce((a, b) => a + b, 0) / values.length,
		quantile(sorted, p) {
			const place = p * (sorted.length - 1), low = Math.floor(place);
			return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
		},
	};
})();
