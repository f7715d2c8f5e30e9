"""Error rates of intervals and tests in made-up worlds, in which the truth is known.

What the chapters' own studies do not cover, for the page that lists every promise of the book.
Each task repeats one experiment; a row says how often the interval caught the truth, or how often
the test raised a false alarm at the level 0.05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import bayes, bcv, psychometrics, pvalues, ranking, replicability
from betterthan.studies import Study

ALPHA = 0.05
CHUNKS, REPETITIONS = 8, 125
SENTENCES = 200
CANDIDATES, SHARE, STRENGTH = 500, 0.2, 1.0
QUERIES, DOCUMENTS = 30, 40
WORDS = 12
PARTS, LIST, AVERAGE, RHO = 80, 100, 0.25, 0.01
DATASETS = 10
RESAMPLES = 499


def tasks() -> list[dict[str, Any]]:
    """Every world, in chunks."""
    return [
        {"world": world, "chunk": chunk, "repetitions": REPETITIONS}
        for world in WORLDS
        for chunk in range(CHUNKS)
    ]


def run(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Repeat the experiment of one world and count catches and alarms."""
    totals: dict[tuple[str, str], int] = {}
    for child in seed.spawn(task["repetitions"]):
        for key, hit in WORLDS[task["world"]](np.random.default_rng(child)):
            totals[key] = totals.get(key, 0) + bool(hit)
    return [
        {
            "world": task["world"],
            "method": method,
            "kind": kind,
            "repetitions": task["repetitions"],
            "hits": hits,
        }
        for (method, kind), hits in totals.items()
    ]


Hits = Iterator[tuple[tuple[str, str], bool]]


def _caught(method: str, low: float, high: float, truth: float) -> tuple[tuple[str, str], bool]:
    return (method, "interval"), low <= truth <= high


def _alarm(method: str, p_value: float) -> tuple[tuple[str, str], bool]:
    return (method, "test"), p_value <= ALPHA


def sentences(rng: np.random.Generator) -> Hits:
    """Two equally good taggers on the same sentences, which are hard or easy for both."""
    gold = 1 + rng.poisson(1.0, SENTENCES)
    ease = special.expit(1.0 + 1.2 * rng.normal(size=SENTENCES))
    counts = []
    for _ in range(2):
        tp = rng.binomial(gold, ease)
        counts.append(np.column_stack([tp, rng.poisson(0.8 * (1 - ease)), gold - tp]))
    a, b = counts
    draw = int(rng.integers(2**31))
    for name, test in (
        ("randomisation", pvalues.randomisation),
        ("paired_bootstrap", pvalues.paired_bootstrap),
    ):
        for statistic, pair in (("f1", (a, b)), ("mean", (a[:, 0] / gold, b[:, 0] / gold))):
            found = test(*pair, statistic, resamples=RESAMPLES, seed=draw)
            yield _alarm(f"pvalues.{name}, {statistic}", found.p_value)
    yield _alarm("pvalues.wilcoxon", pvalues.wilcoxon(a[:, 0] / gold, b[:, 0] / gold).p_value)
    right = [counted[:, 1] + counted[:, 2] == 0 for counted in counts]
    yield _alarm("pvalues.mcnemar", pvalues.mcnemar(*right).p_value)
    paired = bayes.compare_paired(bcv.Counts(*a.T), bcv.Counts(*b.T), draws=2000, seed=draw)
    yield _alarm("bayes.compare_paired", paired.p_h0)
    yield _caught("bayes.compare_paired, difference", *paired.interval, 0.0)


def correlations(rng: np.random.Generator) -> Hits:
    """Two sets of word vectors that agree equally well with people."""
    gold, shared = rng.normal(size=(2, 100))
    scores = gold + 0.6 * shared + 0.8 * rng.normal(size=(2, 100))
    r = np.corrcoef([*scores, gold])
    for method in ("z", "t"):
        found = pvalues.steiger(r[0, 2], r[1, 2], r[0, 1], 100, method=method)
        yield _alarm(f"pvalues.steiger, {method}", found.p_value)


def candidates(rng: np.random.Generator) -> Hits:
    """Two equally good rankings of the same candidates; noise shared in part."""
    gold = rng.random(CANDIDATES) < SHARE
    shared = rng.normal(size=CANDIDATES)
    a, b = STRENGTH * gold + np.sqrt(0.5) * (shared + rng.normal(size=(2, CANDIDATES)))
    draw = int(rng.integers(2**31))
    one = ranking.average_precision(a, gold, seed=draw, resamples=RESAMPLES)
    yield _caught("ranking.average_precision", one.low, one.high, true_average_precision())
    both = ranking.compare_average_precision(a, b, gold, seed=draw, resamples=RESAMPLES)
    yield _alarm("ranking.compare_average_precision", both.p_value)
    yield _caught("ranking.compare_average_precision, difference", both.low, both.high, 0.0)
    regions = ranking.compare_regions(a, 1.0, b, 1.0, gold)
    yield _alarm("ranking.compare_regions", regions.p_value)


def queries(rng: np.random.Generator) -> Hits:
    """Two equally good retrieval systems; some queries are harder than others."""
    gold, scores = _retrieval(rng, QUERIES, systems=2)
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(QUERIES), DOCUMENTS),
            "document": np.tile(np.arange(DOCUMENTS), QUERIES),
            "gold": gold.ravel().astype(int),
            "a": scores[0].ravel(),
            "b": scores[1].ravel(),
        }
    )
    draw = int(rng.integers(2**31))
    one = ranking.mean_average_precision(frame, "a", seed=draw, resamples=RESAMPLES)
    yield _caught("ranking.mean_average_precision", one.low, one.high, true_mean_of_queries())
    both = ranking.mean_average_precision(frame, "a", "b", seed=draw, resamples=RESAMPLES)
    yield _alarm("ranking.mean_average_precision, two runs", both.p_value)
    yield _caught("ranking.mean_average_precision, difference", both.low, both.high, 0.0)


def words(rng: np.random.Generator) -> Hits:
    """Two equally good segmenters of sentences whose words have known difficulties."""
    gold, found, difficulty = _segmented(rng, 100, systems=2)
    draw = int(rng.integers(2**31))
    interval = psychometrics.bootstrap(gold, found[0], difficulty, resamples=RESAMPLES, seed=draw)
    yield _caught("psychometrics.bootstrap", interval.low, interval.high, true_balanced_f())
    both = psychometrics.paired_test(
        gold, *found, difficulty, resamples=RESAMPLES, seed=draw, alternative="two-sided"
    )
    yield _alarm("psychometrics.paired_test", both.p_value)
    yield _caught("psychometrics.paired_test, difference", both.low, both.high, 0.0)


def parts(rng: np.random.Generator) -> Hits:
    """Lists from 80 parts of a text whose candidates hang together; the last part is judged."""
    rate = rng.beta(AVERAGE / RHO * (1 - RHO), (1 - AVERAGE) / RHO * (1 - RHO), PARTS)
    k, n = rng.binomial(LIST, rate), np.full(PARTS, LIST)
    plain = ranking.binomial_interval(k[-1], LIST)
    yield _caught("ranking.binomial_interval", plain.low, plain.high, AVERAGE)
    rho = ranking.fit_overdispersion(k[:-1], n[:-1]).rho
    wide = ranking.beta_binomial_interval(k[-1], LIST, rho)
    yield _caught("ranking.beta_binomial_interval", wide.low, wide.high, AVERAGE)


def datasets(rng: np.random.Generator, dependence: str, better: int) -> Hits:
    """Ten datasets, on `better` of which A is truly better; how many and which are claimed?"""
    z = rng.normal(size=DATASETS)
    if dependence == "positive":
        z = np.sqrt(0.5) * (z + rng.normal())
    elif dependence == "negative":
        z = (z - z.mean()) / np.sqrt(1 - 1 / DATASETS)
    p = special.ndtr(-(z + np.r_[np.full(better, 4.0), np.zeros(DATASETS - better)]))
    for method in ("count", "bonferroni", "fisher", "simes"):
        claimed = replicability.count(p, ALPHA, method)
        yield (f"replicability.count, {method}", "test"), claimed > better
    for method in ("bonferroni", "holm", "hochberg", "hommel"):
        wrong = replicability.identify(p, ALPHA, method)[better:].any()
        yield (f"replicability.identify, {method}", "test"), wrong
    named = replicability.identify(p, ALPHA, "bh")
    # The false discovery rate is a mean of shares, not of alarms: an alarm drawn with the
    # share as its probability has the same mean, and stays a count.
    share = named[better:].sum() / max(named.sum(), 1)
    yield ("replicability.identify, bh", "test"), rng.random() < share


WORLDS: dict[str, Callable[[np.random.Generator], Hits]] = {
    world.__name__: world for world in (sentences, correlations, candidates, queries, words, parts)
}
WORLDS |= {
    f"datasets, {dependence}, {better}": partial(datasets, dependence=dependence, better=better)
    for dependence in ("independent", "positive", "negative")
    for better in (0, 3)
}


def _retrieval(
    rng: np.random.Generator, n: int, systems: int
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Relevance and scores of `n` queries; each has a relevant document and its own hardness."""
    gold = rng.random((n, DOCUMENTS)) < SHARE
    gold[:, 0] = True
    hardness = rng.normal(STRENGTH, 0.4, size=(n, 1))
    return gold, tuple(hardness * gold + rng.normal(size=gold.shape) for _ in range(systems))


def _segmented(
    rng: np.random.Generator, n: int, systems: int
) -> tuple[list[list[str]], list[list[list[str]]], list[np.ndarray]]:
    """Words of two characters; a word that is missed is cut in two.

    A sentence has a hardness that all systems feel, so words of one sentence fail together.
    """
    d = rng.beta(0.3, 1.5, size=(n, WORDS))
    hardness = rng.normal(0, 0.5, size=(n, 1))
    found = special.expit(3.0 - 5.0 * d - hardness) > rng.random((systems, n, WORDS))
    gold = [["ab"] * WORDS for _ in range(n)]
    predicted = [
        [[part for hit in row for part in (("ab",) if hit else ("a", "b"))] for row in one]
        for one in found
    ]
    return gold, predicted, list(d)


@cache
def true_average_precision() -> float:
    """The mean over many sets of candidates, with an error below 0.0003."""
    rng = np.random.default_rng(5)
    gold = rng.random((40_000, CANDIDATES)) < SHARE
    scores = STRENGTH * gold + rng.normal(size=gold.shape)
    return float(_average_precision(scores, gold).mean())


@cache
def true_mean_of_queries() -> float:
    """The mean over many queries, with an error below 0.0005."""
    gold, (scores,) = _retrieval(np.random.default_rng(6), 200_000, systems=1)
    return float(_average_precision(scores, gold).mean())


@cache
def true_balanced_f() -> float:
    """The score on a text so long that its own error does not matter."""
    gold, (found,), difficulty = _segmented(np.random.default_rng(7), 200_000, systems=1)
    return psychometrics.balanced_scores(gold, found, difficulty).f_b


def _average_precision(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    ranked = np.take_along_axis(gold, np.argsort(-scores, axis=1), axis=1)
    precision = np.cumsum(ranked, axis=1) / np.arange(1, gold.shape[1] + 1)
    return (precision * ranked).sum(axis=1) / ranked.sum(axis=1)


STUDIES = [
    Study(
        "coverage",
        tasks,
        run,
        seed=95,
        title="Catches and false alarms of intervals and tests, 1,000 made-up experiments each",
        columns=("world", "method", "kind", "repetitions", "hits"),
    )
]
