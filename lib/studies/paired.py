"""Do the intervals and tests of `score` and `compare` keep their promise on real taggers?

The sentences of real test sets are the world: what a tagger scores on all of them is the truth,
and test sets are drawn from them by sentence or by runs of neighbouring lines of very uneven
length. Where systems must be equally good, their results are exchanged by a fair coin for every
sentence (or group). What no real data have (equal numbers, few skewed items, runs) is made up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from betterthan import compare, compare_many, plan, score
from betterthan.counts import Counts
from betterthan.datasets import study_table
from studies import Study

SENTENCES, GROUPS, ITEMS, RUNS = (20, 50, 150, 400), (5, 7, 11, 27), (10, 20, 50), (2, 3, 5)
CHUNKS, REPETITIONS = 2, 500
# Half-samples of a test set within a simulation; the book's default is 9,999.
DRAWS = 1_999

Hits = Iterator[tuple[str, bool, float]]


@cache
def pool(tagger: str) -> tuple[Counts, Counts]:
    """Counts of two real systems on all sentences of a test set, in the order of the text."""
    if tagger == "WNUT-2017":
        table = study_table("replicability-wnut")
        table = table.loc[table.index.repeat(table["sentences"])]
        return tuple(_counts(table, f"_{name}") for name in ("SpinningBytes", "UH-RiTUAL"))
    if tagger in ("CoNLL-2000", "CoNLL-2002 nl"):
        table = study_table("replicability-taggers")
        table = table[table["dataset"] == tagger]
        table = table.loc[table.index.repeat(table["sentences"])]
        return tuple(_counts(table, f"_{name}") for name in ("perceptron", "arow"))
    study, experiment = {
        "People's Daily words": ("bcv-cws", "cws"),
        "People's Daily names": ("bcv-ner-zh", "ner-zh"),
        "CoNLL-2002 es": ("bcv-ner-es", "ner-es"),
    }[tagger]
    table = study_table(study)
    table = table[(table["experiment"] == experiment) & (table["repetition"] == 1)]
    table = table.sort_values("line")
    return tuple(
        Counts.from_totals(table["gold"], table[f"predicted_{m}"], table[f"correct_{m}"])
        for m in "ab"
    )


def _counts(table: Any, suffix: str) -> Counts:
    return Counts(*(table[f"{name}{suffix}"] for name in ("tp", "fp", "fn")))


TAGGERS = ("WNUT-2017", "CoNLL-2000", "CoNLL-2002 nl", "CoNLL-2002 es", "People's Daily names",
           "People's Daily words")  # fmt: skip
# Those whose sentences are kept in the order of the text, so that neighbours are neighbours.
IN_ORDER = TAGGERS[3:]


def exchanged(a: Counts, b: Counts, swap: np.ndarray) -> tuple[Counts, Counts]:
    """A and B with their results exchanged on the units `swap`: equally good by construction."""
    pairs = [(getattr(a, f), getattr(b, f)) for f in ("tp", "fp", "fn")]
    return (
        Counts(*(np.where(swap, y, x) for x, y in pairs)),
        Counts(*(np.where(swap, x, y) for x, y in pairs)),
    )


def _judged(a: Counts, b: Counts, groups: Any, swap: Any, truths: tuple, rng: Any) -> Hits:
    """Coverage of the score of A and of B − A, and false alarms where the two are equal."""
    one = score(a, groups=groups)
    yield "score", one.interval.low <= truths[0] <= one.interval.high, _width(one)
    both = compare(a, b, groups=groups, n_resamples=DRAWS, rng=rng)
    yield from _covered(both, truths[1] - truths[0])
    null = compare(*exchanged(a, b, swap), groups=groups, n_resamples=DRAWS, rng=rng)
    yield "false alarm", null.pvalue <= 0.05, _width(null)


def _covered(both: Any, truth: float) -> Hits:
    """Whether the interval holds the truth; where the two agree on everything there is none."""
    if np.isnan(both.interval.low):
        yield "no interval", True, 0.0
    else:
        yield "difference", both.interval.low <= truth <= both.interval.high, _width(both)


def _width(result: Any) -> float:
    return result.interval.high - result.interval.low


def sentences(rng: np.random.Generator, tagger: str, n: int) -> Hits:
    """Test sets of n sentences drawn from all of them."""
    whole = pool(tagger)
    drawn = rng.integers(0, len(whole[0]), n)
    a, b = (counts[drawn] for counts in whole)
    if a.tp.sum() == 0:
        return  # no test set to speak of
    truths = whole[0].f1, whole[1].f1
    yield from _judged(a, b, None, rng.random(n) < 0.5, truths, rng)


def groups(rng: np.random.Generator, tagger: str, n: int) -> Hits:
    """Test sets of n runs of neighbouring lines, the longest some fifty times the shortest."""
    whole = pool(tagger)
    lengths = np.clip(rng.lognormal(2.5, 1.0, n), 2, 300).astype(int)
    starts = rng.integers(0, len(whole[0]), n)
    rows = np.concatenate([s + np.arange(m) for s, m in zip(starts, lengths)]) % len(whole[0])
    labels = np.repeat(np.arange(n), lengths)
    a, b = (counts[rows] for counts in whole)
    truths = whole[0].f1, whole[1].f1
    yield from _judged(a, b, labels, (rng.random(n) < 0.5)[labels], truths, rng)


def documents(rng: np.random.Generator, _: str, n: int) -> Hits:
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
    truth = true_f1_of_documents()
    yield from _judged(a, b, labels, np.zeros(len(labels), bool), (truth, truth), rng)


@cache
def true_f1_of_documents() -> float:
    """F1 of a system of `documents` on unlimited text."""
    rng = np.random.default_rng(0)
    ease = np.sqrt(0.6**2 + 0.8**2 + 0.4**2) * rng.normal(size=4_000_000)
    tp, fp = 2.0 * special.expit(1.2 + ease).mean(), 0.5 * np.exp(-ease / 2).mean()
    # The part of `ease` that false positives see is all of it.
    return 2 * tp / (2 * tp + fp + (2.0 - tp))


def items(rng: np.random.Generator, kind: str, n: int) -> Hits:
    """Made up: n items, right or wrong (nine of ten right), or skewed differences."""
    if kind == "right or wrong":
        ease = special.expit(3.2 + 1.5 * rng.normal(size=n))
        a, b = (rng.random((2, n)) < ease).astype(float)
        truth = true_accuracy()
    else:
        a = rng.exponential(1.0, n)
        b = a + rng.lognormal(0, 1.0, n) - np.exp(0.5)
        truth = 1.0
    one = score(a)
    yield "score", one.interval.low <= truth <= one.interval.high, _width(one)
    both = compare(a, b, n_resamples=DRAWS, rng=rng)
    yield from _covered(both, 0.0)
    yield "false alarm", both.pvalue <= 0.05, _width(both)


@cache
def true_accuracy() -> float:
    """Share of right items of `items`."""
    normal, weights = np.polynomial.hermite_e.hermegauss(99)
    return float(special.expit(3.2 + 1.5 * normal) @ weights / weights.sum())


def runs(rng: np.random.Generator, size: str, n: int) -> Hits:
    """Made up: n runs of either system on 200 items; luck in training moves a run as a whole."""
    luck = {"little luck": 0.1, "much luck": 0.5}[size]
    hard = rng.normal(size=200)

    def one() -> np.ndarray:
        shift = luck * rng.normal() + 0.7 * rng.normal(size=200)
        return (rng.logistic(size=200) < 1.0 + hard + shift).astype(float)

    a, b = [one() for _ in range(n)], [one() for _ in range(n)]
    truth = true_accuracy_of_runs(luck)
    result = score(a)
    yield "score", result.interval.low <= truth <= result.interval.high, _width(result)
    both = compare(a, b)
    yield from _covered(both, 0.0)
    yield "false alarm", both.pvalue <= 0.05, _width(both)


@cache
def true_accuracy_of_runs(luck: float) -> float:
    """Share of right items of `runs`, over items and runs."""
    normal, weights = np.polynomial.hermite_e.hermegauss(99)
    spread = np.sqrt(1 + luck**2 + 0.7**2)
    return float(special.expit(1.0 + spread * normal) @ weights / weights.sum())


def many(rng: np.random.Generator, kind: str, n: int) -> Hits:
    """Made up: n systems on 300 items (in 15 groups); all equally good, or one half better."""
    groups = None if kind == "items" else np.arange(300) // 20
    hard = rng.normal(size=300) + (0 if groups is None else rng.normal(size=15)[groups])
    skill = np.where(np.arange(n) < n / 2, 0.0, 1.5 if kind == "half better" else 0.0)
    right = rng.logistic(size=(n, 300)) < 0.5 + hard + skill[:, None]
    result = compare_many(dict(zip(map(str, range(n)), right)), groups=groups, n_resamples=DRAWS,
                          rng=rng)  # fmt: skip
    table = result.table()
    equal = (table["a"].astype(int) < n / 2) == (table["b"].astype(int) < n / 2)
    if kind != "half better":
        equal[:] = True
    wrong = (table["pvalue_adjusted"][equal] <= 0.05).any()
    yield "false alarm in any pair", bool(wrong), float((table["high"] - table["low"]).mean())
    if kind == "half better":
        yield "found", float((table["pvalue_adjusted"][~equal] <= 0.05).mean()) >= 0.5, 0.0


def planned(rng: np.random.Generator, kind: str, n: int) -> Hits:
    """Made up: is a difference of 5 points seen on as many items as a pilot of n asks for?"""
    gain = 0.0 if kind == "pilot without a difference" else 0.29

    def two(size: int, plus: float) -> np.ndarray:
        hard = rng.normal(size=size)
        return rng.logistic(size=(2, size)) < 0.8 + hard + np.array([[0.0], [plus]])

    asked = plan(compare(*two(n, gain), n_resamples=DRAWS), difference=0.05)
    seen = compare(*two(min(asked.n, 20_000), 0.29), n_resamples=DRAWS, rng=rng)
    yield "seen", seen.pvalue <= 0.05, float(asked.n)


WORLDS: dict[str, tuple[Callable[..., Hits], tuple[str, ...], tuple[int, ...]]] = {
    "sentences": (sentences, TAGGERS, SENTENCES),
    "groups": (groups, IN_ORDER, GROUPS),
    "documents": (documents, ("made up",), GROUPS),
    "items": (items, ("right or wrong", "skewed"), ITEMS),
    "runs": (runs, ("little luck", "much luck"), RUNS),
    "many": (many, ("items", "groups", "half better"), (3, 14)),
    "plan": (planned, ("pilot without a difference", "pilot with it"), (100, 400)),
}


def tasks() -> list[dict[str, Any]]:
    """Every world, in chunks."""
    return [
        {"world": world, "data": data, "n": n, "chunk": chunk, "repetitions": REPETITIONS}
        for world, (_, names, sizes) in WORLDS.items()
        for data in names
        for n in sizes
        for chunk in range(CHUNKS)
    ]


def run(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Repeat one experiment; hits are intervals that hold the truth, or alarms."""
    experiment = WORLDS[task["world"]][0]
    found: dict[str, list[tuple[bool, float]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small drawn test sets look unaligned
        for child in seed.spawn(task["repetitions"]):
            for what, hit, width in experiment(
                np.random.default_rng(child), task["data"], task["n"]
            ):
                found.setdefault(what, []).append((hit, width))
    return [
        {
            "world": task["world"],
            "data": task["data"],
            "n": task["n"],
            "what": what,
            "repetitions": len(seen),
            "hits": sum(hit for hit, _ in seen),
            "median_width": float(np.median([width for _, width in seen])),
        }
        for what, seen in found.items()
    ]


STUDIES = [
    Study(
        name="paired-coverage",
        tasks=tasks,
        run=run,
        seed=20_26,
        datasets=(
            "studies/replicability-wnut", "studies/replicability-taggers", "studies/bcv-cws",
            "studies/bcv-ner-zh", "studies/bcv-ner-es",
        ),
        title="Coverage and false alarms of score, compare, compare_many and plan",
    )
]  # fmt: skip
