/* Drag p-values: on how many datasets is B better, on which, and on how many of a chosen subset,
	 under three local tests. The same closed testing as betterthan.replicability.analyse. */
(function () {
	"use strict";
	const { make } = Explore;
	const LEAST = -6; // log10 of the smallest p-value that can be set
	const TESTS = { bonferroni: "Bonferroni", simes: "Simes", fisher: "Fisher" };
	const NEEDS = { bonferroni: "any dependence", simes: "positive dependence", fisher: "independent" };

	/* Each returns which datasets are named, and the bound for a subset given as a mask. */
	const closed = {
		bonferroni(p, alpha) {
			const order = [...p.keys()].sort((i, j) => p[i] - p[j]), n = p.length;
			let k = 0;
			while (k < n && p[order[k]] <= alpha / (n - k)) k++;
			const named = p.map((_, i) => order.indexOf(i) < k);
			return { named, bound: (inside) => named.filter((yes, i) => yes && inside[i]).length };
		},
		simes(p, alpha) {
			const sorted = [...p].sort((a, b) => a - b), n = p.length;
			// k: from the left, as long as the n − k largest are too small for "nothing going on".
			let k = 0;
			const rejected = (m) => sorted.slice(n - m).some((v, i) => (m * v) / (i + 1) <= alpha);
			while (k < n && rejected(n - k)) k++;
			const h = n - k;
			return {
				named: p.map((v) => h * v <= alpha),
				bound(inside) {
					const scaled = p.filter((_, i) => inside[i]).map((v) => h * v);
					const bounds = scaled.map((_, i) => scaled.filter((v) => v / (i + 1) <= alpha).length - i);
					return Math.max(0, ...bounds);
				},
			};
		},
		fisher(p, alpha) {
			// A set of m is rejected if the chance of so much evidence, the sum of −ln p, is at most alpha.
			const tail = (m, evidence) => {
				let term = Math.exp(-evidence), sum = term;
				for (let i = 1; i < m; i++) sum += term *= evidence / i;
				return sum;
			};
			const weakest = (values) => [...values].sort((a, b) => b - a)
				.reduce((sums, v) => [...sums, sums.at(-1) - Math.log(v)], [0]);
			// As many of the subset as can be are kept in a set that is not rejected; the rest is the bound.
			const bound = (inside) => {
				const inner = weakest(p.filter((_, i) => inside[i])), outer = weakest(p.filter((_, i) => !inside[i]));
				for (let k = inner.length - 1; k > 0; k--) {
					if (outer.some((more, j) => tail(k + j, inner[k] + more) > alpha * (1 + 1e-11))) {
						return inner.length - 1 - k;
					}
				}
				return inner.length - 1;
			};
			return { named: p.map((_, i) => bound(p.map((_, j) => i === j)) === 1), bound };
		},
	};

	/* A row is a slider whose thumb is the point on a logarithmic axis; the line is alpha. */
	const STYLE = `
		.explore-rows { margin-top: .8rem; }
		.explore-row { display: grid; align-items: center;
			grid-template: "name point value badges" / 6.5rem 1fr 4.2rem 5.6rem; }
		.explore-row label { grid-area: name; margin: 0; white-space: nowrap; }
		.explore-row output { grid-area: value; text-align: right; padding: 0 .6rem 0 .2rem;
			font-variant-numeric: tabular-nums; }
		.explore-badges { grid-area: badges; }
		.explore-point { grid-area: point; appearance: none; width: 100%; height: 2rem; margin: 0; cursor: grab;
			--alpha: calc(8px + var(--limit) * (100% - 16px));
			background: linear-gradient(var(--ex-ink), var(--ex-ink)) var(--alpha) 0 / 2px 100% no-repeat,
				linear-gradient(var(--ex-0), var(--ex-0)) 0 50% / 100% 1px no-repeat; }
		.explore-point::-webkit-slider-thumb { appearance: none; width: 18px; height: 18px; border-radius: 50%;
			border: 3px solid var(--ex-0); background: var(--pst-color-background); }
		.explore-point::-moz-range-thumb { width: 12px; height: 12px; border-radius: 50%;
			border: 3px solid var(--ex-0); background: var(--pst-color-background); }
		.explore-named::-webkit-slider-thumb { background: var(--ex-0); }
		.explore-named::-moz-range-thumb { background: var(--ex-0); }
		.explore-badges, .explore-letter { display: inline-flex; gap: .15rem; font-size: .85em; }
		.explore-badges span, .explore-letter { width: 1.9em; line-height: 1.5em; text-align: center;
			justify-content: center; border: 1px solid transparent; border-radius: .2em; color: var(--ex-soft); }
		.explore .explore-badges .named, .explore .explore-letter {
			color: var(--pst-color-background); font-weight: 700; }
		.explore .named-bonferroni { background: var(--ex-1); }
		.explore .named-simes { background: var(--ex-2-deep); }
		.explore .named-fisher { background: var(--ex-3); }
		.explore-scale { grid-area: point; position: relative; height: 1.6em; font-size: .85em; }
		.explore-scale span { position: absolute; left: calc(9px + var(--at) * (100% - 18px));
			transform: translateX(-50%); white-space: nowrap; }
		.explore-tests { width: 100%; margin: .3rem 0; }
		.explore-tests :is(td, th) { padding: .2em .3em; text-align: left; font-weight: 400; overflow-wrap: normal;
			border-bottom: 1px solid var(--pst-color-border); }
		.explore-tests small { display: inline-block; }
		.explore-tests caption { caption-side: top; padding: 0; color: inherit; text-align: left; }
		@media (max-width: 520px) {
			.explore-row { margin-bottom: .3rem;
				grid-template: "name value badges" "point point point" / 1fr auto 5.6rem; }
		}`;
	const words = (p) =>
		p >= 1e-4 ? String(Number(p.toPrecision(3))) : p.toExponential().replace("e-", "e−");

	Explore.define("p-values", function (root, data) {
		const examples = Object.fromEntries(data.examples.map((e) => [e.name, e]));
		let p = [], names = [], inside = [], rows = null, lines = null, table = null;

		function fill(panel) {
			const example = examples[panel.values.example];
			for (const name of Object.keys(panel.inputs)) if (/^p\d|^in\d/.test(name)) delete panel.inputs[name];
			p = [...example.p];
			names = example.datasets;
			inside = names.map(() => false);
			lines = names.map((name, i) => {
				const id = `explore-p-${i}`;
				const field = make("input", { type: "range", min: LEAST, max: 0, step: 0.02,
					"data-name": `p${i}`, "aria-label": `p-value of ${name}`, class: "explore-point" });
				const tick = make("input", { type: "checkbox", id, "data-name": `in${i}` });
				const out = make("output"), badge = make("span", { class: "explore-badges" });
				const place = () => { field.value = Math.log10(Math.max(p[i], 1e-9)); };
				const word = () => {
					out.textContent = words(p[i]);
					field.setAttribute("aria-valuetext", `p = ${words(p[i])}`);
				};
				field.addEventListener("input", () => {
					// Three digits, as one would print it.
					if (field.dataset.exact) delete field.dataset.exact;
					else p[i] = Number((10 ** field.valueAsNumber).toPrecision(3));
					word();
					panel.redraw();
				});
				tick.addEventListener("input", () => { inside[i] = tick.checked; panel.redraw(); });
				const put = (value) => {
					p[i] = value;
					field.dataset.exact = "1";
					place();
				};
				panel.inputs[`p${i}`] = { field, put };
				panel.inputs[`in${i}`] = { field: tick, put: (value) => { tick.checked = !!value; } };
				place();
				word();
				return { field, badge, row: make("div", { class: "explore-row" },
					make("label", { for: id, class: "explore-name" }, tick, " ", name), field, out, badge) };
			});
			const marks = [1e-6, 1e-4, 0.01, 1].map((v) =>
				make("span", { style: `--at: ${1 - Math.log10(v) / LEAST}` }, words(v)));
			rows.replaceChildren(make("style", {}, STYLE), ...lines.map((l) => l.row), 
				make("div", { class: "explore-row", "aria-hidden": "true" }, make("div", { class: "explore-scale" }, marks)));
		}

		const panel = Explore.panel(root, {
			title: "Drag the p-values: what can be said?",
			controls: [
				{ type: "choice", name: "example", label: "Start from", value: data.examples[0].name,
					options: data.examples.map((e) => [e.name, e.label]) },
				{ type: "slider", name: "alpha", label: "Chance of claiming too much, α:", value: 0.05,
					values: [0.01, 0.02, 0.05, 0.1, 0.2] },
				{ type: "button", name: "reset", label: "Start again", action: (_, panel) => fill(panel) },
			],
			changed(name, panel) { if (name === "example") fill(panel); },
			draw({ alpha }, panel) {
				if (!rows) {
					const label = "One p-value per dataset";
					rows = make("div", { class: "explore-rows", role: "group", "aria-label": label });
					table = make("table", { class: "explore-tests" });
					panel.figure.before(rows);
					fill(panel);
				}
				const found = Object.fromEntries(Object.keys(TESTS).map((test) => {
					const { named, bound } = closed[test](p, alpha);
					return [test, { count: bound(p.map(() => true)), bound: bound(inside),
						names: names.filter((_, i) => named[i]), named }];
				}));
				rows.style.setProperty("--limit", (Math.log10(alpha) - LEAST) / -LEAST);
				lines.forEach(({ badge, field }, i) => {
					const by = Object.keys(TESTS).filter((test) => found[test].named[i]);
					badge.replaceChildren(...Object.entries(TESTS).map(([test, text]) =>
						make("span", { class: by.includes(test) ? `named named-${test}` : "", "aria-hidden": "true" },
							text.slice(0, 2))));
					field.classList.toggle("explore-named", by.length > 0);
					const who = by.map((test) => TESTS[test]).join(", ");
					field.setAttribute("aria-description", who ? `named by ${who}` : "not named");
				});
				const naive = p.filter((v) => v <= alpha).length;
				const chosen = inside.filter(Boolean).length, cell = (text) => make("td", {}, String(text));
				const line = (head, ...cells) => make("tr", {}, make("th", { scope: "row" }, head), cells.map(cell));
				table.replaceChildren(
					make("caption", {}, "On how many datasets is B better?" + (chosen ? "" : " Tick some: on how many of these?")),
					make("thead", {}, make("tr", {}, ["test", "at least", "named", `of ${chosen || "the"} ticked`]
						.map((text) => make("th", { scope: "col" }, text)))),
					make("tbody", {}, line(["p ≤ α ", make("small", {}, "no promise")], naive, "–", "–"),
						Object.entries(TESTS).map(([test, text]) => line(
							[make("span", { class: `explore-letter named-${test}` }, text.slice(0, 2)), ` ${text} `,
								make("small", {}, NEEDS[test])],
							found[test].count, found[test].names.length, chosen ? found[test].bound : "–"))));
				panel.figure.append(table);
				const each = (text) => Object.keys(TESTS).map(text);
				const list = ([a, b, c]) => `${a}, ${b} and ${c}`;
				const said = each((t) => `${found[t].count} by ${TESTS[t]} (${found[t].names.length} named)`);
				panel.say(`${naive} of ${p.length} p-values are at most ${alpha}. With a confidence of ` +
					`${Math.round(100 - 100 * alpha)} % B is better on at least ${list(said)}.` +
					(chosen ? ` Of the ${chosen} ticked, on at least ${list(each((t) => found[t].bound))}.` : ""));
				return { pvalues: [...p], datasets: names, subset: names.filter((_, i) => inside[i]), naive,
					...Object.fromEntries(Object.entries(found).map(([t, { named, ...rest }]) => [t, rest])) };
			},
		}, data);
	});
})();
