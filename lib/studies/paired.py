"""Do the sentences of `score`, `compare`, `compare_many`, `plan` and `analyse` keep their promise?

The sentences of real test sets are the world: what a tagger scores on all of them is the truth,
and test sets are drawn from them by sentence or by runs of neighbouring lines of very uneven
length; so are datasets, languages and parts of a text, with one number each. Where systems must be
equally good, their results are exchanged by a fair coin for every sentence (or group). What no real
data have (few skewed items with a true difference of 0, documents, runs) is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import compare, compare_many, plan, replicability, score
from betterthan.counts import Counts
from betterthan.datasets import paper_table, study_table
from studies._labelled import COUNTS
from studies._study import Rows, Seed, Study, Task, grid
from studies.coverage import Rng, repeated

SENTENCES, GROUPS, ITEMS, RUNS = (20, 50, 150, 400), (5, 7, 11, 27), (10, 20, 50), (2, 3, 5)
CHUNKS, REPETITIONS = 2, 500
# Half-samples of a test set within a simulation; the book's default is 9,999.
DRAWS = 999

EXPERIMENTS = {"People's Daily words": "cws", "People's Daily names": "ner-zh"}
EXPERIMENTS["CoNLL-2002 es"] = "ner-es"

Hits = Iterator[tuple[str, bool, float]]


@cache
def pool(tagger: str) -> tuple[Counts, Counts]:
    """Counts of two real systems on all sentences of a test set, in the order of the text."""
    if tagger.startswith("WNUT-2017"):
        close = tagger == "WNUT-2017"
        return systems()["SpinningBytes" if close else "MIC-CIS"], systems()["UH-RiTUAL"]
    if tagger in ("CoNLL-2000", "CoNLL-2002 nl"):
        table = _by_sentence("replicability-taggers")
        return _two_learners(table[table["dataset"] == tagger])
    experiment = EXPERIMENTS[tagger]
    table = study_table(f"bcv-{experiment}").sort_values("line")
    table = table[(table["experiment"] == experiment) & (table["repetition"] == 1)]
    totals = (table[["gold", f"predicted_{m}", f"correct_{m}"]] for m in "ab")
    return tuple(Counts.from_totals(*total.to_numpy().T) for total in totals)


def _by_sentence(study: str) -> pd.DataFrame:
    table = study_table(study)
    return table.loc[table.index.repeat(table["sentences"])]


def _counts(table: pd.DataFrame, system: str) -> Counts:
    return Counts(*(table[f"{name}_{system}"] for name in COUNTS))


def _two_learners(table: pd.DataFrame) -> tuple[Counts, ...]:
    return tuple(_counts(table, name) for name in ("perceptron", "arow"))


@cache
def test_sets() -> list[tuple[Counts, Counts]]:
    """The fifteen real test sets of chapter 3; B is the better tagger of each."""
    both = _by_sentence("replicability-taggers").groupby("dataset", sort=False)
    pairs = (_two_learners(part) for _, part in both)
    return [tuple(sorted(pair, key=lambda counts: counts.f1)) for pair in pairs]


@cache
def systems() -> dict[str, Counts]:
    """The seven systems of WNUT-2017 on all its sentences."""
    table = _by_sentence("replicability-wnut")
    names = [name.removeprefix("tp_") for name in table if name.startswith("tp_")]
    return {name: _counts(table, name) for name in names}


TAGGERS = (
    "WNUT-2017",
    "CoNLL-2000",
    "CoNLL-2002 nl",
    "CoNLL-2002 es",
    "People's Daily names",
    "People's Daily words",
)
# Not neighbours in the table: 5 points of F1 lie between these two.
APART = "WNUT-2017, 5 points apart"
# Those whose sentences are kept in the order of the text, so that neighbours are neighbours.
IN_ORDER = TAGGERS[3:]


def exchanged(a: Counts, b: Counts, swap: np.ndarray) -> tuple[Counts, Counts]:
    """A and B with their results exchanged on the units `swap`: equally good by construction."""
    pairs = [(getattr(a, name), getattr(b, name)) for name in COUNTS]
    swap = swap if a.tp.ndim == 1 else swap[:, None]
    return tuple(Counts(*(np.where(swap ^ i, y, x) for x, y in pairs)) for i in (False, True))


def _judged(a: Counts, b: Counts, groups: Any, swap: Any, truths: dict, rng: Any) -> Hits:
    """Coverage of the scores of A and of B − A, and false alarms where the two are equal.

    `truths` are the true scores of A and B by metric; the first metric is that of the comparison.
    """
    for metric, truth in truths.items():
        what = f"score, {metric}" if metric in ("precision", "recall") else "score"
        yield _caught(what, score(a, metric, groups=groups), truth[0])
    metric, truth = next(iter(truths.items()))
    both = compare(a, b, metric, groups=groups, n_resamples=DRAWS, rng=rng)
    yield from _covered(both, truth[1] - truth[0])
    null = compare(*exchanged(a, b, swap), metric, groups=groups, n_resamples=DRAWS, rng=rng)
    yield "false alarm", null.pvalue <= 0.05, _width(null)


def _truths(whole: tuple[Counts, Counts], *metrics: str) -> dict[str, list[float]]:
    return {metric: [getattr(counts, metric) for counts in whole] for metric in metrics}


def _caught(what: str, result: Any, truth: float) -> tuple[str, bool, float]:
    return what, result.interval.low <= truth <= result.interval.high, _width(result)


def _covered(both: Any, truth: float) -> Hits:
    """Whether the interval holds the truth; where the two agree on everything there is none."""
    if np.isnan(both.interval.low):
        yield "no interval", True, 0.0
    else:
        yield _caught("difference", both, truth)


def _width(result: Any) -> float:
    return result.interval.high - result.interval.low


def sentences(rng: Rng, tagger: str, n: int) -> Hits:
    """Test sets of n sentences drawn from all of them."""
    whole = pool(tagger)
    drawn = rng.integers(0, len(whole[0]), n)
    a, b = (counts[drawn] for counts in whole)
    if a.tp.sum() == 0:
        return  # no test set to speak of
    truths = _truths(whole, "f1", "precision", "recall")
    yield from _judged(a, b, None, rng.random(n) < 0.5, truths, rng)


def bets(rng: Rng, tagger: str, n: int) -> Hits:
    """Either may be the better one, by anything up to the real difference: who is, how surely?"""
    whole = pool(tagger)
    whole = exchanged(*whole, rng.random(len(whole[0])) < rng.random())
    drawn = rng.integers(0, len(whole[0]), n)
    both = compare(*(counts[drawn] for counts in whole), n_resamples=DRAWS, rng=rng)
    sure = max(both.p_better, 1 - both.p_better)
    stated = ("50 to 80 % sure", "80 to 95 % sure", "more than 95 % sure")
    right = (both.p_better > 0.5) == (whole[1].f1 > whole[0].f1)
    yield stated[np.searchsorted((0.8, 0.95), sure)], right, sure


def groups(rng: Rng, tagger: str, n: int) -> Hits:
    """Test sets of n runs of neighbouring lines, the longest some fifty times the shortest."""
    whole = pool(tagger)
    lengths = np.clip(rng.lognormal(2.5, 1.0, n), 2, 300).astype(int)
    starts = rng.integers(0, len(whole[0]), n)
    rows = np.concatenate([s + np.arange(m) for s, m in zip(starts, lengths)]) % len(whole[0])
    labels = np.repeat(np.arange(n), lengths)
    a, b = (counts[rows] for counts in whole)
    truths = _truths(whole, "f1", "precision", "recall")
    yield from _judged(a, b, labels, (rng.random(n) < 0.5)[labels], truths, rng)


def documents(rng: Rng, _: str, n: int) -> Hits:
    """Made up: n documents of very uneven length that are easy or hard for either system."""
    lengths = np.maximum(3, rng.lognormal(3.0, 1.2, n)).astype(int)
    labels = np.repeat(np.arange(n), lengths)
    gold = rng.poisson(2.0, len(labels))
    ease = 0.6 * rng.normal(size=n)[labels] + 0.8 * rng.normal(size=len(labels))
    counts = []
    for _system in range(2):
        own = ease + 0.4 * rng.normal(size=n)[labels]
        tp = rng.binomial(gold, special.expit(1.2 + own))
        counts.append(Counts(tp, rng.poisson(0.5 * np.exp(-own / 2)), gold - tp))
    a, b = counts
    truths = {"f1": [true_f1_of_documents()] * 2}
    yield from _judged(a, b, labels, np.zeros(len(labels), bool), truths, rng)


@cache
def true_f1_of_documents() -> float:
    """F1 of a system of `documents` on unlimited text."""
    rng = np.random.default_rng(0)
    ease = np.sqrt(0.6**2 + 0.8**2 + 0.4**2) * rng.normal(size=4_000_000)
    tp, fp = 2.0 * special.expit(1.2 + ease).mean(), 0.5 * np.exp(-ease / 2).mean()
    # The part of `ease` that false positives see is all of it.
    return 2 * tp / (2 * tp + fp + (2.0 - tp))


def items(rng: Rng, kind: str, n: int) -> Hits:
    """n items with a number each: of real systems, or made up (nine of ten right; skewed)."""
    if kind in REAL_ITEMS:
        whole = real_items(kind)
        a, b = whole[:, rng.integers(0, whole.shape[1], n)]
        swap, (truth, other) = rng.random(n) < 0.5, whole.mean(axis=1)
        null = np.where(swap, b, a), np.where(swap, a, b)
    elif kind == "right or wrong":
        ease = special.expit(3.2 + 1.5 * rng.normal(size=n))
        a, b = null = (rng.random((2, n)) < ease).astype(float)
        truth = other = true_accuracy(3.2, 1.5)
    else:
        a = rng.exponential(1.0, n)
        a, b = null = a, a + rng.lognormal(0, 1.0, n) - np.exp(0.5)
        truth = other = 1.0
    yield _caught("score", score(a), truth)
    yield from _covered(compare(a, b, n_resamples=DRAWS, rng=rng), other - truth)
    equal = compare(*null, n_resamples=DRAWS, rng=rng)
    yield "false alarm", equal.pvalue <= 0.05, _width(equal)


REAL_ITEMS = (
    "errors per sentence",
    "F1 per test set",
    "accuracy per language",
    "precision per part of a text",
)


@cache
def real_items(kind: str) -> np.ndarray:
    """One number per item of two real systems, 2 × items."""
    if kind == "errors per sentence":
        return np.array([counts.fp + counts.fn for counts in pool("WNUT-2017")], float)
    if kind == "F1 per test set":
        return np.array([[counts.f1 for counts in pair] for pair in test_sets()]).T
    if kind == "accuracy per language":
        return paper_table("dror-2017-table3")[["char_tag", "mimick"]].to_numpy(float).T / 100
    table = study_table("ranking-parts").query("size == 100").assign(share=lambda t: t.tp / t.n)
    return table.pivot(index="measure", columns="part", values="share").loc[["t", "g2"]].to_numpy()


def classes(rng: Rng, kind: str, n: int) -> Hits:
    """Macro-F1 of n handwritten digits, or of n made-up groups with four uneven classes."""
    if kind == "digits":
        whole = digits()
        rows = rng.integers(0, len(whole[0]), n)
        a, b = (counts[rows] for counts in whole)
        yield from _judged(a, b, None, rng.random(n) < 0.5, _truths(whole, "macro_f1"), rng)
        return
    labels = np.repeat(np.arange(n), rng.integers(4, 25, n))
    a, b = _uneven(rng, rng.normal(size=n)[labels])
    swap = (rng.random(n) < 0.5)[labels]
    yield from _judged(a, b, labels, swap, {"macro_f1": [true_macro_f1()] * 2}, rng)


def _uneven(rng: Rng, hard: np.ndarray) -> list[Counts]:
    """Two equally good classifiers of items that are `hard` or not, for classes 50 to 5 % large."""
    gold = rng.choice(4, hard.size, p=(0.5, 0.3, 0.15, 0.05))
    right = rng.logistic(size=(2, hard.size)) < 1.5 - 0.3 * gold + hard
    said = np.where(right, gold, rng.choice(4, (2, hard.size), p=(0.5, 0.3, 0.15, 0.05)))
    return [_by_class(gold, one) for one in said]


def _by_class(gold: np.ndarray, said: np.ndarray) -> Counts:
    true, claimed = (np.eye(gold.max() + 1, dtype=int)[labels] for labels in (gold, said))
    return Counts(true & claimed, claimed & ~true & 1, true & ~claimed & 1, unit="item")


@cache
def true_macro_f1() -> float:
    """Macro-F1 of a classifier of `_uneven` on unlimited text."""
    rng = np.random.default_rng(0)
    return _uneven(rng, rng.normal(size=2_000_000))[0].macro_f1


@cache
def digits() -> tuple[Counts, Counts]:
    """What a small tree and naive Bayes make of handwritten digits they have not seen."""
    from sklearn import datasets, model_selection, naive_bayes, tree

    X, gold = datasets.load_digits(return_X_y=True)
    models = tree.DecisionTreeClassifier(max_depth=6, random_state=0), naive_bayes.GaussianNB()
    said = (model_selection.cross_val_predict(model, X, gold, cv=5) for model in models)
    return tuple(_by_class(gold, one) for one in said)


@cache
def true_accuracy(ease: float, spread: float) -> float:
    """Share of right items if the log-odds of being right are normal."""
    normal, weights = np.polynomial.hermite_e.hermegauss(99)
    return float(special.expit(ease + spread * normal) @ weights / weights.sum())


def runs(rng: Rng, size: str, n: int) -> Hits:
    """Made up: n runs of either system on 200 items; luck in training moves a run as a whole."""
    luck = {"little luck": 0.1, "much luck": 0.5}[size]
    hard = rng.normal(size=200)

    def one() -> np.ndarray:
        shift = luck * rng.normal() + 0.7 * rng.normal(size=200)
        return (rng.logistic(size=200) < 1.0 + hard + shift).astype(float)

    a, b = [one() for _ in range(n)], [one() for _ in range(n)]
    yield _caught("score", score(a), true_accuracy(1.0, np.sqrt(1 + luck**2 + 0.7**2)))
    both = compare(a, b)
    yield from _covered(both, 0.0)
    yield "false alarm", both.pvalue <= 0.05, _width(both)


def many(rng: Rng, kind: str, n: int) -> Hits:
    """Made up: n systems on 300 items (in 15 groups); all equally good, or one half better."""
    groups = None if kind == "items" else np.arange(300) // 20
    hard = rng.normal(size=300) + (0 if groups is None else rng.normal(size=15)[groups])
    skill = np.where(np.arange(n) < n / 2, 0.0, 1.5 if kind == "half better" else 0.0)
    right = rng.logistic(size=(n, 300)) < 0.5 + hard + skill[:, None]
    result = compare_many(
        dict(zip(map(str, range(n)), right)), groups=groups, n_resamples=DRAWS, rng=rng
    )
    table = result.table()
    equal = (table["a"].astype(int) < n / 2) == (table["b"].astype(int) < n / 2)
    if kind != "half better":
        equal[:] = True
    wrong = (table["pvalue_adjusted"][equal] <= 0.05).any()
    yield "false alarm in any pair", bool(wrong), float((table["high"] - table["low"]).mean())
    if kind == "half better":
        yield "found", float((table["pvalue_adjusted"][~equal] <= 0.05).mean()) >= 0.5, 0.0


def league(rng: Rng, _: str, n: int) -> Hits:
    """All seven systems of WNUT-2017 on n of its sentences: who may be the best, who is where?"""
    true = {name: counts.f1 for name, counts in systems().items()}
    drawn = rng.integers(0, len(systems()["Arcada"]), n)
    result = compare_many(
        {name: counts[drawn] for name, counts in systems().items()}, n_resamples=DRAWS, rng=rng
    )
    table, ranks = result.table(), result.ranks.set_index("name")
    away = table["b"].map(true) - table["a"].map(true)
    held = ((table["low"] <= away) & (away <= table["high"])).all()
    yield "all intervals", bool(held), float((table["high"] - table["low"]).mean())
    wrong = (table["pvalue_adjusted"] <= 0.05) & (table["difference"] * away < 0)
    yield "a wrong winner in any pair", bool(wrong.any()), 0.0
    may = ranks.index[ranks["rank_low"] == 1]
    yield "the best is listed", max(true, key=true.get) in may, float(len(may))


def planned(rng: Rng, kind: str, n: int) -> Hits:
    """Is a true difference seen on as many items as a pilot of n asks for? Is its range right?"""
    away = 0.05 if kind.startswith("pilot") else abs(pool(kind)[1].f1 - pool(kind)[0].f1)
    pilot = compare(*_two(rng, kind, n, kind != "pilot without a difference"), n_resamples=DRAWS)
    asked = plan(pilot, difference=away)
    seen = compare(*_two(rng, kind, min(asked.n, 20_000), True), n_resamples=DRAWS, rng=rng)
    yield "seen", seen.pvalue <= 0.05, float(asked.n)
    yield "range", asked.range.low <= right_number(kind, away) <= asked.range.high, 0.0


def _two(rng: Rng, kind: str, n: int, apart: bool) -> Any:
    """Two systems on n sentences of a real test set, or items; 5 points apart, or equal."""
    if not kind.startswith("pilot"):
        rows = rng.integers(0, len(pool(kind)[0]), n)
        return tuple(counts[rows] for counts in pool(kind))
    hard = rng.normal(size=n)
    return rng.logistic(size=(2, n)) < 0.8 + hard + np.array([[0.0], [0.29 * apart]])


@cache
def right_number(kind: str, away: float) -> int:
    """What `plan` asks for when it knows the spread."""
    return plan(compare(*_two(np.random.default_rng(0), kind, 400_000, True)), difference=away).n


def suite(rng: Rng, kind: str, n: int) -> Hits:
    """n real test sets of 100 sentences; B is better on none or a third and equal on the rest.

    Overlapping ones are from one corpus and have 50 of the 100 sentences in common.
    """
    one, better = kind == "overlapping", n // 3 if kind == "a third better" else 0
    common, coins, results = rng.integers(0, len(test_sets()[0][0]), 50), rng.random(50) < 0.5, {}
    for place, chosen in enumerate(rng.choice(len(test_sets()), n, replace=False)):
        a, b = test_sets()[0 if one else chosen]
        rows, swap = rng.integers(0, len(a), 100), rng.random(100) < 0.5
        rows[: 50 * one], swap[: 50 * one] = common[: 50 * one], coins[: 50 * one]
        a, b = exchanged(a[rows], b[rows], swap & (place >= better))
        results[str(place)] = compare(a, b, n_resamples=DRAWS, rng=rng)
    equal = [str(place) for place in range(better, n)]
    for local in ("bonferroni", "simes", "fisher"):
        found = replicability.analyse(results, local=local)
        # Any false claim, of the count or a name, implies one among the equal ones.
        yield f"false claim, {local}", found.bound(equal) > 0, float(found.count)


PILOTS = ("pilot without a difference", "pilot with it", APART, "People's Daily names")
WORLDS: dict[str, tuple[Callable[..., Hits], tuple[str, ...], tuple[int, ...]]] = {
    "sentences": (sentences, TAGGERS, SENTENCES),
    "bets": (bets, ("WNUT-2017", "CoNLL-2000", APART), (150, 1_000)),
    "groups": (groups, IN_ORDER, GROUPS),
    "documents": (documents, ("made up",), GROUPS),
    "items": (items, ("right or wrong", "skewed", *REAL_ITEMS), ITEMS),
    "classes": (classes, ("digits", "uneven"), (27, 150)),
    "runs": (runs, ("little luck", "much luck"), RUNS),
    "many": (many, ("items", "groups", "half better"), (3, 14)),
    "league": (league, ("WNUT-2017",), (50, 150, 400)),
    "plan": (planned, PILOTS, (100, 400)),
    "suite": (suite, ("none better", "a third better", "overlapping"), (6, 12)),
}


def tasks() -> list[Task]:
    """Every world, in chunks."""
    last = {"chunk": range(CHUNKS), "repetitions": [REPETITIONS]}
    worlds = (grid(world=[w], data=names, n=n, **last) for w, (_, names, n) in WORLDS.items())
    return [task for world in worlds for task in world()]


def run(task: Task, seed: Seed) -> Rows:
    """Repeat one experiment; hits are intervals that hold the truth, or alarms."""
    world = {name: task[name] for name in ("world", "data", "n")}
    experiment = WORLDS[task["world"]][0]
    found: dict[str, list[tuple[bool, float]]] = {}
    for what, hit, width in repeated(
        task, seed, lambda rng: experiment(rng, task["data"], task["n"])
    ):
        found.setdefault(what, []).append((hit, width))
    rows = []
    for what, seen in found.items():
        hits, widths = zip(*seen)
        row = {**world, "what": what, "repetitions": len(seen), "hits": sum(hits)}
        rows.append({**row, "median_width": float(np.median(widths))})
    return rows


TABLES = ("replicability-wnut", "replicability-taggers", "bcv-cws", "bcv-ner-zh", "bcv-ner-es")
DATA = (*(f"studies/{table}" for table in (*TABLES, "ranking-parts")), "papers/dror-2017-table3")
STUDIES = [
    Study(
        "paired-coverage",
        tasks,
        run,
        20_26,
        DATA,
        "What score, compare, compare_many, plan and analyse promise, and what comes of it",
    )
]
