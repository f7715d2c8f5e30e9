"""Chapters 1 and 2: does a posterior hold on real text once a count's worth is measured?

`bcv-factor` draws test sets from all that real taggers were tested on, by sentences or by stretches
of 25 neighbouring sentences that stand for documents (the corpora have no marks between articles).
The score on everything is the truth. Counted is how often 95 % intervals hold it: the posterior
with factor 1, the posterior with `bcv.factor_from`, and `score`.

`bcv-factor-test` does the same for the Bayes test of two taggers on the same sentences. Where they
are to be equal, each sentence (or stretch) has its two results exchanged by the toss of a coin.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from betterthan import bayes, bcv, datasets, score
from betterthan.counts import Counts
from betterthan.errors import InputError
from studies._study import Rows, Seed, Study, Task, grid

REPETITIONS = 250
CHUNKS = 4
STRETCH = 25
DESIGNS = ("50 sentences", "150 sentences", "400 sentences", "10 stretches", "30 stretches")
# Where the counts per line come from: the study and its experiment.
SYSTEMS = {
    "words, People's Daily": ("bcv-cws", "cws"),
    "names, People's Daily": ("bcv-ner-zh", "ner-zh"),
    "names, Spanish": ("bcv-ner-es", "ner-es"),
}
# Two taggers trained on other text, which share less of their mistakes.
OTHER_TEXT = {
    "words, other training text": ("bcv-two-texts", "cws"),
    "names, Spanish, other training text": ("bcv-two-texts", "ner-es"),
}
LEARNERS = "words, CRF and perceptron"
TEAMS = "names, two teams of WNUT-2017"
PAIRS = (LEARNERS, "names, People's Daily", "names, Spanish", *OTHER_TEXT)
METHODS = ("factor 1", "factor_from", "score")
SURE = 0.95
# So little is a count worth where nothing tells: P(B better) is then one half.
LEAST = 1e-9
QUANTILES = (np.arange(400) + 0.5) / 400


class Pool(NamedTuple):
    """Everything that systems were tested on: counts per sentence, and the stretch of each."""

    systems: list[Counts]
    stretch: np.ndarray


@cache
def pool(name: str) -> Pool:
    """What two systems were tested on; of a cross-validation its first round."""
    if name == TEAMS:
        return _teams("SpinningBytes", "Arcada")
    if name != LEARNERS:
        return _pool(_first(*(SYSTEMS | OTHER_TEXT)[name]), ("a", "b"))
    crf, perceptron = _first("bcv-cws", "cws"), _first("bcv-cws-perceptron", "cws-2019")
    own = perceptron[["line", "gold", "predicted_a", "correct_a"]]
    own = own.rename(columns={"predicted_a": "predicted_p", "correct_a": "correct_p"})
    return _pool(crf.merge(own, on=["line", "gold"], validate="1:1"), ("p", "a"))


def _first(study: str, experiment: str) -> Any:
    table = datasets.study_table(study)
    return table[(table.experiment == experiment) & (table.repetition == 1)].sort_values("line")


def _pool(table: Any, systems: tuple[str, str]) -> Pool:
    pairs = [(table[f"predicted_{one}"], table[f"correct_{one}"]) for one in systems]
    counts = [Counts.from_totals(table.gold, *pair) for pair in pairs]
    return Pool(counts, table.line.to_numpy() // STRETCH)


def _teams(*names: str) -> Pool:
    table = datasets.study_table("replicability-wnut")
    table = table.loc[table.index.repeat(table.sentences)]
    counts = [Counts(*(table[f"{part}_{name}"] for part in ("tp", "fp", "fn"))) for name in names]
    return Pool(counts, np.arange(len(table)))


def drawn(whole: Pool, design: str, rng: np.random.Generator) -> tuple[np.ndarray, Any]:
    """Which sentences a test set holds, and their groups: None where each was drawn by itself."""
    number, kind = design.split()
    if kind == "sentences":
        return rng.integers(0, len(whole.stretch), int(number)), None
    first = np.flatnonzero(np.diff(whole.stretch, prepend=-1))
    last = np.append(first[1:], len(whole.stretch))
    chosen = rng.integers(0, len(first), int(number))
    rows = [np.arange(first[one], last[one]) for one in chosen]
    return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(one) for one in rows])


def intervals(task: Task, seed: Seed) -> Rows:
    """How often three intervals of one tagger's score hold the score on everything."""
    whole, hits = pool(task["tagger"]), Counter()
    truth = {metric: getattr(whole.systems[0], metric) for metric in bcv.METRICS}
    for child in seed.spawn(task["repetitions"]):
        rows, groups = drawn(whole, task["design"], np.random.default_rng(child))
        test = whole.systems[0][rows]
        for metric, true in truth.items():
            found = _three(test, metric, groups)
            hits[metric, "without spread"] += not found
            for method, (low, high) in found.items():
                hits[metric, method] += low <= true <= high
                hits[metric, f"{method}, width"] += high - low
    return [_row(task, metric, method, hits) for metric in bcv.METRICS for method in METHODS]


def _row(task: Task, metric: str, method: str, hits: Counter) -> dict[str, Any]:
    tried = task["repetitions"] - hits[metric, "without spread"]
    row = {"tagger": task["tagger"], "design": task["design"], "metric": metric, "method": method}
    row |= {"without_spread": hits[metric, "without spread"], "tried": tried}
    row |= {"held": hits[metric, method]}
    return row | {"width": round(hits[metric, f"{method}, width"] / tried, 6)}


def _three(test: Counts, metric: str, groups: Any) -> dict[str, Any]:
    """Three intervals; none where all items are right, so that there is no factor."""
    together = bcv.added_up(test)
    try:
        factor = bcv.factor_from(test, metric, groups=groups)
    except InputError:
        return {}
    return {
        "factor 1": bcv.posterior(together, metric, factor=1).interval(),
        "factor_from": bcv.posterior(together, metric, factor=factor).interval(),
        "score": score(test, metric, groups=groups).interval,
    }


def announcements(task: Task, seed: Seed) -> Rows:
    """How often four ways to P(B better) announce B, or A: of equal taggers, and as they are.

    Announced is what has a probability above 0.95, on either side: 10 % where both are equal.
    """
    whole, said = pool(task["pair"]), Counter()
    for child in seed.spawn(task["repetitions"]):
        rng = np.random.default_rng(child)
        rows, groups = drawn(whole, task["design"], rng)
        a, b = (one[rows] for one in whole.systems)
        units = np.arange(len(rows)) if groups is None else groups
        swapped = _exchanged(a, b, (rng.random(units.max() + 1) < 0.5)[units])
        for world, pair in (("equal", swapped), ("as they are", (a, b))):
            for method, probability in _four(*pair, task["metric"], groups).items():
                said[world, method] += probability > SURE or probability < 1 - SURE
    return [
        {"pair": task["pair"], "design": task["design"], "metric": task["metric"], "world": world}
        | {"method": method, "repetitions": task["repetitions"], "announced": said[world, method]}
        for world in ("equal", "as they are")
        for method in ("factor 1", "one factor each", "factor_from", "paired jackknife")
    ]


def _exchanged(a: Counts, b: Counts, change: np.ndarray) -> tuple[Counts, Counts]:
    parts = [(getattr(a, name), getattr(b, name)) for name in ("tp", "fp", "fn")]
    first = Counts(*(np.where(change, y, x) for x, y in parts))
    return first, Counts(*(np.where(change, x, y) for x, y in parts))


def _four(a: Counts, b: Counts, metric: str, groups: Any) -> dict[str, float]:
    """P(B better) by the Bayes test with three kinds of factor, and by Student's t."""
    folds = bcv.added_up(a), bcv.added_up(b)
    own = [_factor(one, metric, groups=groups) for one in (a, b)]
    curves = [bcv.posterior(one, metric, factor=c) for one, c in zip(folds, own)]
    common = _factor(a, b, metric, groups=groups)
    return {
        "factor 1": bayes.compare(*folds, metric, factor=1.0).p_h1,
        "one factor each": float(np.mean(curves[0].cdf(curves[1].ppf(QUANTILES)))),
        "factor_from": bayes.compare(*folds, metric, factor=common).p_h1,
        "paired jackknife": _student(a, b, metric, groups),
    }


def _factor(*asked: Any, groups: Any) -> float:
    """The factor; where two taggers never differ there is none, and nobody should be announced."""
    try:
        return bcv.factor_from(*asked, groups=groups)
    except InputError:
        return LEAST


def _student(a: Counts, b: Counts, metric: str, groups: Any) -> float:
    """P(B better) from the difference over its jackknife error; shares no code with the factor."""
    without = [_without_each(one, metric, groups) for one in (a, b)]
    away, n = without[1] - without[0], len(without[0])
    error = np.sqrt((n - 1) / n * np.square(away - away.mean()).sum())
    difference = getattr(b, metric) - getattr(a, metric)
    return float(stats.t.cdf(difference / error, n - 1)) if error > 0 else 0.5


def _without_each(counts: Counts, metric: str, groups: Any) -> np.ndarray:
    """The score without each sentence, or each group."""
    units = np.arange(len(counts)) if groups is None else groups
    sums = [np.bincount(units, weights=part) for part in (counts.tp, counts.fp, counts.fn)]
    tp, fp, fn = (part.sum() - part for part in sums)
    wrong = {"precision": fp, "recall": fn, "f1": (fp + fn) / 2}[metric]
    return tp / (tp + wrong)


def test_tasks() -> list[Task]:
    """Pairs of real taggers by sentences and by stretches; of the teams only by sentences."""
    pairs = [(pair, design) for pair in PAIRS for design in DESIGNS]
    pairs += [(TEAMS, design) for design in DESIGNS[:3]]
    common = {"metric": "f1", "repetitions": REPETITIONS}
    return [
        {"pair": pair, "design": design, "chunk": chunk, **common}
        for pair, design in pairs
        for chunk in range(CHUNKS)
    ]


SOURCES = ("studies/bcv-cws", "studies/bcv-ner-zh", "studies/bcv-ner-es")
STUDIES = [
    Study(
        "bcv-factor",
        grid(tagger=SYSTEMS, design=DESIGNS, chunk=range(CHUNKS), repetitions=[REPETITIONS]),
        intervals,
        51,
        SOURCES,
        "Test sets drawn from real taggers: does the posterior hold with a measured factor?",
    ),
    Study(
        "bcv-factor-test",
        test_tasks,
        announcements,
        52,
        (
            *SOURCES,
            "studies/bcv-cws-perceptron",
            "studies/bcv-two-texts",
            "studies/replicability-wnut",
        ),
        "The Bayes test of two taggers on the same sentences, with a measured factor",
    ),
]
