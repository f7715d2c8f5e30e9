"""Today's evaluations: counts and results of agents, language models, translations and trials.

Four cells of a pair of systems, wherever they occur: ``both`` right, ``only_a``, ``only_b``,
``neither``; right and wrong of two systems can be rebuilt from them, and `compare` run again.

- today-agents: the cells of two runs on the instances both report, by ``repository``: the four
  dated runs among themselves, and those called (paper) among themselves but for Claude Sonnet 4
  and Opus 4.1, whose files agree on all but 24 of 663, and nobody says why.
- today-agents-runs: how many of the ``instances`` of a ``repository`` a ``run`` has ``reported``
  and ``resolved``, ``among`` the 730 of the "dated" runs and among "all" 970.
- today-quantised: the cells by ``task`` and ``group``: fp16, awq, gptq on mmlu by subject and on
  gsm8k; and "mmlu, examples", another model without (a) and with five examples (b).
- today-llms: 14 models on ``arc`` and ``truthfulqa``, a row per ``version`` of their confidence:
  "stated", "temperature" and "isotonic" (each learnt on nine tenths and applied to the tenth, in
  turn), and "base rate", a constant. ``n``, ``right``, ``unparseable``, ``mean`` confidence,
  ``brier`` with its interval (``low``, ``high``) = ``calibration`` − ``resolution`` +
  ``uncertainty``, ``ece`` (20 bins), ``ap`` (average precision of finding errors), ``found_5``,
  ``found_10``, ``found_20``: errors among the 5, 10, 20 % least sure; ``temperature`` (mean).
- today-llms-bins: the reliability of each version, ``n``, ``right``, ``mean`` in bins from ``low``
  on, a tenth wide; empty ones left out.
- today-llms-coverage: how many are ``wrong`` (expected, where ties are cut) of the ``answered``
  surest, for 20 shares.
- today-llms-guarantee: "answer only if the confidence is at least t", t from `GRID` chosen on 400
  random questions by a ``rule`` and tried on the rest, 1,000 times. "naive": the least t with an
  error of at most ``target`` among those answered; "learn then test": the least t for which a
  binomial test (level `DELTA`, Bonferroni over the grid) rejects a larger error, so that at most
  one choice in ten has one; "conformal": the least t such that of *all* questions at most
  ``target`` are answered wrongly, in expectation. On the rest: ``answered`` (share of questions),
  ``error`` (of those answered, all splits together), ``above`` (share of splits with such an error
  over the target; "conformal" does not promise that), ``wrong`` (share of all questions answered
  wrongly), ``silent`` (share of splits in which no t would do).
- today-llms-ranks, today-llms-pairs: `compare_many` of the 14, and the cells and φ of each pair.
- today-items: questions by how many of the 14 were ``wrong``; ``expected`` if models erred
  independently of each other; mean ``discrimination`` (correlation with the score on the other
  questions; 0 where all models agree) and how many have a ``negative`` one.
- today-items-halves: questions by how many of seven models were wrong in each half: "weak, strong"
  (by accuracy) and "odd, even" (places in that order).
- today-items-subsets: the accuracies of seven models told from ``size`` questions chosen on the
  other seven, 500 random halves: ``choice`` "random", "spread" (evenly over difficulty) or
  "discriminating" (the most); ``told`` by the "mean" or by a "line" from mean to accuracy fitted to
  the other seven. ``error`` is the mean absolute one, ``rank`` the mean of Spearman's correlations.
- today-ranking: the right answers of a model (``answers``) ranked by the ``confidence`` of itself,
  of another, or by the mean rank in the "others": ``ap``, and right among the best 5, 10, 20, 50 %.
- today-ranking-counts: a model's ``answers`` to ARC ranked by its own confidence (a) and by that
  of ``b``: what `ranking.compare_counts` needs at every ``n``. today-ranking-minima: the ``least``
  p-value over n from 50 to 1,295 of each of 999 permutations of the two.
- today-mt: penalties by language ``pair`` and ``system``: ``mean``, share of ``zeros``, standard
  error and ranks by segments and by the five talks. today-mt-pairs: b − a and p-values (adjusted
  for all pairs) under both. today-mt-talks: ``segments``, total ``penalty``, ``zeros`` by talk.
- today-trials: how many tasks of τ-bench have so come out in trials 1 to 4.
"""

from __future__ import annotations

from functools import cache, partial, reduce
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from betterthan import compare_many, datasets, ranking, score
from betterthan.confidence import average_precision, detected_errors, evaluate, recalibrate
from studies._study import Rows, Seed, Study, Task, grid

DATED = ["kimi-k2", "claude-sonnet-4", "gpt-5", "claude-sonnet-4.5"]
UNEXPLAINED = {"claude-sonnet-4 (paper)", "claude-opus-4.1 (paper)"}
GRID = 1 / (1 + np.exp(-np.arange(-1.0, 11.0)))  # set beforehand, in steps of the log-odds
TARGETS, DELTA, CALIBRATION, SPLITS = (0.05, 0.1, 0.2), 0.1, 400, 1000
PARTS = ("brier", "calibration", "resolution", "uncertainty", "ece")
SIZES, HALVES = (10, 20, 50, 100, 200, 400), 500
SIBLINGS = (("Llama-7b", "Llama-70b"), ("Llama-70b", "Llama-7b"), ("Llama-70b", "Llama3-8b"))

_one, _two, _languages = grid(), grid(task=("arc", "truthfulqa")), grid(pair=("zh-en", "en-de"))
_siblings = partial(list, [{"answers": a, "b": b} for a, b in SIBLINGS])


def _cells(a: Any, b: Any) -> dict[str, int]:
    a, b = np.asarray(a, bool), np.asarray(b, bool)
    cells = {"both": a & b, "only_a": a & ~b, "only_b": ~a & b, "neither": ~a & ~b}
    return {name: int(which.sum()) for name, which in cells.items()}


def _by_group(frame: pd.DataFrame, pairs: Any, name: str, **known: Any) -> Rows:
    return [
        {**known, "a": a, "b": b, name: group, **_cells(rows[a], rows[b])}
        for a, b in pairs
        for group, rows in frame[[a, b]].dropna().groupby(level="group")
    ]


def agents(task: Task, seed: Seed) -> Rows:
    """Pairs of like runs."""
    runs = datasets.swebench_pro()
    paper = [run for run in runs if run.endswith("(paper)")]
    pairs = [*combinations(DATED, 2), *combinations(paper, 2)]
    return _by_group(runs, [p for p in pairs if set(p) != UNEXPLAINED], "repository")


def agent_runs(task: Task, seed: Seed) -> Rows:
    """What each run reports and resolves."""
    runs = datasets.swebench_pro()
    dated = runs[runs[DATED].notna().any(axis=1)]
    return [
        {"among": among, "run": run, "repository": repository}
        | _whole({"instances": len(one), "reported": one.count(), "resolved": one.sum()})
        for among, table in (("dated", dated), ("all", runs))
        for run in runs
        for repository, one in table[run].groupby(level="group")
    ]


def _whole(counted: dict[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in counted.items()}


def quantised(task: Task, seed: Seed) -> Rows:
    """Three precisions of one model; and another model with and without examples."""
    rows = []
    for name in ("mmlu", "gsm8k"):
        frame = datasets.flipeval(name)
        if name == "gsm8k":
            frame.index = pd.MultiIndex.from_product([frame.index, ["all"]], names=[None, "group"])
        rows += _by_group(frame, combinations(("fp16", "awq", "gptq"), 2), "group", task=name)
    shots = {"task": "mmlu, examples", "a": "0-shot", "b": "5-shot"}
    return rows + [
        {**shots, "group": subject.removeprefix("mmlu_"), **_cells(*(one.values for one in pair))}
        for subject, pair in datasets.flipeval_shots().items()
    ]


# Fourteen language models


@cache
def answers(name: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Right or wrong, confidence, and whether there was an answer: a column per model."""
    table = datasets.llm_calibration(name)
    values = ("correct", "confidence", "parsed")
    return tuple(table.pivot(index="question", columns="model", values=v) for v in values)


def _versions(right: np.ndarray, sure: np.ndarray, rng: Any) -> dict[str, tuple[Any, float]]:
    fold, out = rng.permutation(right.size) % 10, {"stated": (sure, np.nan)}
    for method in ("temperature", "isotonic"):
        mended, found = np.empty(right.size), []
        for k in range(10):
            fit = recalibrate(right[fold != k], sure[fold != k], method)
            mended[fold == k] = fit(sure[fold == k])
            found.append(fit.temperature or np.nan)
        out[method] = mended, float(np.mean(found))
    return out | {"base rate": (np.full(right.size, right.mean()), np.nan)}


def _evaluations(task: Task, seed: Seed, bins: int) -> Any:
    rng, (right, sure, parsed) = np.random.default_rng(seed), answers(task["task"])
    for model in right:
        hit = right[model].to_numpy()
        for version, (p, t) in _versions(hit, sure[model].to_numpy(), rng).items():
            known = {**task, "model": model, "version": version}
            yield known, hit, p, t, int((~parsed[model]).sum()), evaluate(hit, p, bins=bins)


def llms(task: Task, seed: Seed) -> Rows:
    """Confidence as stated, mended, and as a constant."""
    rows = []
    for known, hit, p, t, unparseable, e in _evaluations(task, seed, 20):
        found = detected_errors(hit, p, [round(share * e.n) for share in (0.05, 0.1, 0.2)])
        row = known | {"n": e.n, "right": int(hit.sum()), "unparseable": unparseable}
        row |= {"mean": e.mean_probability, "low": e.interval.low, "high": e.interval.high}
        row |= {name: getattr(e, name) for name in PARTS} | {"ap": e.average_precision}
        row |= dict(zip(("found_5", "found_10", "found_20"), found)) | {"temperature": t}
        rows.append(row)
    return rows


def llm_bins(task: Task, seed: Seed) -> Rows:
    """Reliability in tenths."""
    return [
        known | {"low": bin.low, "n": int(bin.n), "right": int(bin.right), "mean": bin.probability}
        for known, *_, e in _evaluations(task, seed, 10)
        for bin in e.table().itertuples()
        if bin.n and known["version"] != "base rate"
    ]


def llm_coverage(task: Task, seed: Seed) -> Rows:
    """Wrong answers among the surest."""
    right, sure, _ = answers(task["task"])
    n = len(right)
    most = np.array([round(n * k / 20) for k in range(1, 21)])
    return [
        {**task, "model": model, "answered": int(m), "wrong": float(n - right[model].sum() - found)}
        for model in right
        for m, found in zip(most, detected_errors(right[model], sure[model], n - most))
    ]


def llm_guarantee(task: Task, seed: Seed) -> Rows:
    """Thresholds chosen on some questions and tried on the others."""
    rng, (right, sure, _) = np.random.default_rng(seed), answers(task["task"])
    n, rest, rows = len(right), len(right) - CALIBRATION, []
    drawn = [rng.permutation(n)[:CALIBRATION] for _ in range(SPLITS)]
    for model in right:
        # The last column answers nothing.
        said = sure[model].to_numpy()[:, None] >= np.append(GRID, np.inf)
        lost = said & (right[model].to_numpy() == 0)[:, None]
        tuned = [(said[i].sum(axis=0), lost[i].sum(axis=0)) for i in drawn]
        for target in TARGETS:
            tried: dict[str, list] = {"naive": [], "learn then test": [], "conformal": []}
            for m, k in tuned:
                for rule, fits in (
                    ("naive", (k <= target * m) & (m > 0)),
                    ("learn then test", stats.binom.cdf(k, m, target) <= DELTA / GRID.size),
                    ("conformal", k + 1 <= target * (CALIBRATION + 1)),
                ):
                    t = int(np.argmax(np.append(fits[:-1], True)))  # the least that will do
                    tried[rule].append((said[:, t].sum() - m[t], lost[:, t].sum() - k[t]))
            for rule, found in tried.items():
                m, k = np.array(found).T
                shares = {"answered": m.mean() / rest, "error": k.sum() / max(1, m.sum())}
                shares |= {"above": (k > target * m).mean(), "wrong": k.mean() / rest}
                shares |= {"silent": (m == 0).mean()}
                rows.append({**task, "model": model, "rule": rule, "target": target, **shares})
    return rows


def llm_ranks(task: Task, seed: Seed) -> Rows:
    """The ranks that the fourteen may have."""
    found = compare_many(answers(task["task"])[0], rng=np.random.default_rng(seed))
    return [{**task, **row} for row in found.ranks.to_dict("records")]


def llm_pairs(task: Task, seed: Seed) -> Rows:
    """All pairs of the fourteen."""
    right = answers(task["task"])[0]
    found = compare_many(right, rng=np.random.default_rng(seed)).table()
    return [
        {**task, **row, **_cells(right[row["a"]], right[row["b"]]), "phi": phi}
        for row in found.to_dict("records")
        for phi in [np.corrcoef(right[row["a"]], right[row["b"]])[0, 1]]
    ]


# Questions × models


def _discrimination(table: np.ndarray) -> np.ndarray:
    """Correlation of each question with the score on the others; 0 where all models agree."""
    rest = table.sum(axis=0) - table
    x, y = (v - v.mean(axis=1, keepdims=True) for v in (table, rest))
    spread = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.divide((x * y).sum(axis=1), spread, out=np.zeros(len(table)), where=spread > 0)


def items(task: Task, seed: Seed) -> Rows:
    """How hard the questions are, and how well they tell models apart."""
    table = answers(task["task"])[0].to_numpy()
    wrong, power = (table == 0).sum(axis=1), _discrimination(table)
    chance = reduce(np.convolve, ([m, 1 - m] for m in table.mean(axis=0)))
    return [
        {
            **task,
            "wrong": k,
            "questions": int((wrong == k).sum()),
            "expected": len(table) * chance[k],
            "discrimination": power[wrong == k].mean(),
            "negative": int((power[wrong == k] < 0).sum()),
        }
        for k in range(chance.size)
    ]


def item_halves(task: Task, seed: Seed) -> Rows:
    """Hard for whom?"""
    right = answers(task["task"])[0]
    wrong = 1 - right[right.mean().sort_values().index].to_numpy()
    halves = {"weak, strong": (wrong[:, :7], wrong[:, 7:])}
    halves["odd, even"] = wrong[:, ::2], wrong[:, 1::2]
    rows = []
    for split, both in halves.items():
        found, n = np.unique([half.sum(axis=1) for half in both], axis=1, return_counts=True)
        for i, j, k in zip(*found, n):
            rows.append({**task, "halves": split, **_whole({"first": i, "second": j, "n": k})})
    return rows


def item_subsets(task: Task, seed: Seed) -> Rows:
    """A small set of questions chosen on half of the models, for the other half."""
    rng, table = np.random.default_rng(seed), answers(task["task"])[0].to_numpy()
    n, found = len(table), {}
    for _ in range(HALVES):
        order = rng.permutation(table.shape[1])
        known, new = table[:, order[:7]], table[:, order[7:]]
        truth, shuffled = new.mean(axis=0), rng.permutation(n)
        by_hardness = shuffled[np.argsort(known.mean(axis=1)[shuffled], kind="stable")]
        by_power = shuffled[np.argsort(-_discrimination(known)[shuffled], kind="stable")]
        for size in SIZES:
            steps = ((np.arange(size) + rng.random()) * n / size).astype(int)
            chosen = {"random": shuffled[:size], "spread": by_hardness[steps]}
            for choice, rows in (chosen | {"discriminating": by_power[:size]}).items():
                mean, seen = new[rows].mean(axis=0), known[rows].mean(axis=0)
                line = np.polyfit(seen, known.mean(axis=0), 1) if np.ptp(seen) else (1, 0)
                rank = stats.spearmanr(mean, truth).statistic if np.ptp(mean) else 0.0
                for how, told in (("mean", mean), ("line", np.polyval(line, mean))):
                    error = np.abs(told - truth).mean()
                    found.setdefault((choice, how, size), []).append((error, rank))
    return [
        {**task, "choice": c, "told": how, "size": size, **dict(zip(("error", "rank"), means))}
        for (c, how, size), values in found.items()
        for means in [np.mean(values, axis=0)]
    ]


# Answers ranked by confidence


def ranked(task: Task, seed: Seed) -> Rows:
    """Whose confidence finds a model's right answers?"""
    right, sure, _ = answers(task["task"])
    places, rows, shares = sure.rank(), [], (5, 10, 20, 50)
    at = [round(len(right) * share / 100) for share in shares]
    for model in right:
        scores = {**sure, "others": places.drop(columns=model).mean(axis=1)}
        for name, values in scores.items():
            # What is found here are right answers, the surest first.
            best = detected_errors(1 - right[model], -values, at)
            found = {f"right_{share}": k for share, k in zip(shares, best)}
            ap = average_precision(1 - right[model], -values)
            rows.append({**task, "answers": model, "confidence": name, "ap": ap, **found})
    return rows


def _rankings(answered: str, b: str) -> ranking.RankingComparison:
    right, sure, _ = answers("arc")
    return ranking.compare(sure[answered], sure[b], right[answered])


def ranked_counts(task: Task, seed: Seed) -> Rows:
    """One model's answers in two orders."""
    pair = _rankings(*task.values())
    common, true = pair.n - pair.true_only_a - pair.false_only_a, pair.tp_a - pair.true_only_a
    columns = ("n", "tp_a", "tp_b", "common", "tp_common")
    values = zip(*(v.tolist() for v in (pair.n, pair.tp_a, pair.tp_b, common, true)))
    return [{**task, **dict(zip(columns, row))} for row in values]


def ranked_minima(task: Task, seed: Seed) -> Rows:
    """What permutations of the two orders reach."""
    pair = _rankings(*task.values()).between(50, 1295).simultaneous(n_resamples=999, rng=seed)
    return [{**task, "least": float(f"{p:.6g}")} for p in pair.least_pvalues]


# Translations and trials


def _both_ways(pair: str, seed: Seed) -> tuple[pd.DataFrame, dict[str, Any]]:
    table, rng = datasets.mqm_ted(pair), np.random.default_rng(seed)
    ways = {"segments": table.droplevel("group"), "talks": table}
    return table, {way: compare_many(t, higher_is_better=False, rng=rng) for way, t in ways.items()}


def translations(task: Task, seed: Seed) -> Rows:
    """Each system by segments and by talks."""
    table, found = _both_ways(task["pair"], seed)
    rows = []
    for system in found["segments"].ranks["name"]:
        column, row = table[system], {**task, "system": system}
        row |= {"mean": column.mean(), "zeros": (column == 0).mean()}
        row |= {"se_segments": score(column.to_numpy()).standard_error}
        row |= {"se_talks": score(column).standard_error}
        for way, many in found.items():
            own = many.ranks.set_index("name").loc[system]
            row |= _whole({f"{end}_{way}": own[end] for end in ("rank_low", "rank_high")})
        rows.append(row)
    return rows


def translation_pairs(task: Task, seed: Seed) -> Rows:
    """Each pair of systems by segments and by talks."""
    _, found = _both_ways(task["pair"], seed)
    talks = found["talks"].table().drop(columns="difference")
    both = found["segments"].table().merge(talks, on=["a", "b"], suffixes=("_segments", "_talks"))
    return [{**task, **row} for row in both.to_dict("records")]


def translation_talks(task: Task, seed: Seed) -> Rows:
    """Sums by talk."""
    return [
        {
            **task,
            "system": system,
            "talk": talk,
            "segments": len(part),
            "penalty": round(float(part.sum()), 6),
            "zeros": int((part == 0).sum()),
        }
        for system, column in datasets.mqm_ted(task["pair"]).items()
        for talk, part in column.groupby(level="group")
    ]


def trials(task: Task, seed: Seed) -> Rows:
    """Patterns of four trials."""
    patterns = datasets.tau_bench().astype(int).value_counts().sort_index()
    columns = [f"trial_{k}" for k in range(1, 5)]
    return [{**dict(zip(columns, pattern)), "tasks": int(n)} for pattern, n in patterns.items()]


STUDIES = [
    Study(f"today-{name}", tasks, run, seed=2026, datasets=(corpus,), title=title)
    for corpus, tasks, name, run, title in (
        ("swebench_pro", _one, "agents", agents, "Agents: four cells by repository"),
        ("swebench_pro", _one, "agents-runs", agent_runs, "Agents: reported and resolved"),
        ("flipeval", _one, "quantised", quantised, "Quantised models: four cells by subject"),
        ("llm_calibration", _two, "llms", llms, "14 LLMs: confidence, mended, constant"),
        ("llm_calibration", _two, "llms-bins", llm_bins, "14 LLMs: reliability in tenths"),
        ("llm_calibration", _two, "llms-coverage", llm_coverage, "14 LLMs: wrong of the surest"),
        ("llm_calibration", _two, "llms-guarantee", llm_guarantee, "14 LLMs: thresholds that hold"),
        ("llm_calibration", _two, "llms-ranks", llm_ranks, "14 LLMs: ranks"),
        ("llm_calibration", _two, "llms-pairs", llm_pairs, "14 LLMs: pairs, and their four cells"),
        ("llm_calibration", _two, "items", items, "Questions × 14 LLMs: how hard"),
        ("llm_calibration", _two, "items-halves", item_halves, "Questions × 14 LLMs: for whom"),
        ("llm_calibration", _two, "items-subsets", item_subsets, "Few questions, new LLMs"),
        ("llm_calibration", _two, "ranking", ranked, "An LLM's answers ranked by any confidence"),
        ("llm_calibration", _siblings, "ranking-counts", ranked_counts, "Two orders at every n"),
        ("llm_calibration", _siblings, "ranking-minima", ranked_minima, "The same, permuted"),
        ("mqm_ted", _languages, "mt", translations, "MQM: systems by segments and talks"),
        ("mqm_ted", _languages, "mt-pairs", translation_pairs, "MQM: pairs by segments and talks"),
        ("mqm_ted", _languages, "mt-talks", translation_talks, "MQM: sums by talk"),
        ("tau_bench", _one, "trials", trials, "τ-bench: patterns of four trials"),
    )
]
