"""Fisher's test at every n, association measures of a million pairs, exact intervals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from benchmarks.run import Row
from nltk.metrics import BigramAssocMeasures
from scipy import stats

from betterthan import ranking

SAMPLED = 40


class Rankings(NamedTuple):
    """Two related rankings, and the list sizes at which the loop is timed."""

    a: np.ndarray
    b: np.ndarray
    gold: np.ndarray
    sampled: np.ndarray


def rankings(size: int) -> Rankings:
    """Candidates of which one in five is true, the rankings correlated."""
    rng = np.random.default_rng(size)
    gold = (rng.random(size) < 0.2).astype(int)
    shared = rng.normal(size=size)
    a, b = (gold * s + shared + rng.normal(size=size) for s in (0.8, 0.77))
    # Evenly spread, so that the mean time of the sample is the mean time of the loop.
    sampled = np.linspace(1, size, SAMPLED).round().astype(int)
    # Compiled outside the clock: a call on few candidates.
    ranking.compare(a[:9], b[:9], gold[:9])
    return Rankings(a, b, gold, sampled)


def every_n(data: Rankings) -> np.ndarray:
    """p-values at every n; those of the sample for comparison."""
    return ranking.compare(data.a, data.b, data.gold, rng=None).pvalue[data.sampled - 1]


def loop(data: Rankings) -> np.ndarray:
    """What one would write: sort once, then for each n two sets and scipy's test."""
    order_a = np.argsort(-data.a, kind="stable")
    order_b = np.argsort(-data.b, kind="stable")
    out = np.empty(data.sampled.size)
    for i, n in enumerate(data.sampled):
        in_a, in_b = order_a[:n], order_b[:n]
        only_a = data.gold[np.setdiff1d(in_a, in_b, assume_unique=True)]
        only_b = data.gold[np.setdiff1d(in_b, in_a, assume_unique=True)]
        table = [[t.sum(), t.size - t.sum()] for t in (only_a, only_b)]
        out[i] = stats.fisher_exact(table).pvalue
    return out


class Pairs(NamedTuple):
    """Cells of many tables."""

    o11: np.ndarray
    o12: np.ndarray
    o21: np.ndarray
    o22: np.ndarray


def pairs(size: int = 1_000_000) -> Pairs:
    """Pairs as a corpus of a hundred million words might have them."""
    rng = np.random.default_rng(0)
    o11 = rng.geometric(0.02, size)
    o12, o21 = rng.geometric(1e-4, (2, size))
    ranking.measures(1, 2, 3, 4)
    return Pairs(o11, o12, o21, 10**8 - o11 - o12 - o21)


FIVE = ("g2", "x2", "t", "mi", "dice")
NLTK = {
    "g2": BigramAssocMeasures.likelihood_ratio,
    "x2": BigramAssocMeasures.chi_sq,
    "t": BigramAssocMeasures.student_t,
    "mi": BigramAssocMeasures.pmi,
    "dice": BigramAssocMeasures.dice,
}
NLTK_PAIRS = 10_000


def five(data: Pairs) -> np.ndarray:
    """Five measures of all pairs; those of the first for comparison."""
    return ranking.measures(*data, only=FIVE).to_numpy()[:NLTK_PAIRS].T


def nltk_five(data: Pairs) -> np.ndarray:
    """The same five by NLTK, a pair at a time."""
    out = np.empty((len(FIVE), NLTK_PAIRS))
    cells = zip(*(column[:NLTK_PAIRS].tolist() for column in data))
    for i, (a, b, c, d) in enumerate(cells):
        margins = (a, (a + b, a + c), a + b + c + d)
        for j, name in enumerate(FIVE):
            out[j, i] = NLTK[name](*margins)
    return out


def relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest relative difference; theirs has no sign on X² and G²."""
    ours = np.vstack([np.abs(ours[:2]), ours[2:]])
    return float((np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1)).max())


def all_measures(data: Pairs) -> int:
    """The whole table of thirteen measures, Fisher's test included."""
    return int(ranking.measures(*data).isna().to_numpy().sum())


def proportions() -> tuple[np.ndarray, np.ndarray]:
    """True positives for n up to 20,000."""
    n = np.arange(1, 20_001)
    return np.random.default_rng(0).binomial(n, 0.3), n


def scipy_intervals(data: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """scipy's exact interval at a sample of n."""
    return np.array(
        [
            stats.binomtest(int(data[0][i]), int(data[1][i])).proportion_ci(method="exact")
            for i in range(0, 20_000, 200)
        ]
    ).T


def rows() -> Iterator[Row]:
    """The rows of the table."""
    for size, target in ((20_000, 1000.0), (100_000, None)):
        yield Row(
            f"Fisher's test at every n of {size:,} candidates",
            ours=every_n,
            peer=loop,
            peer_name="loop over scipy.stats.fisher_exact",
            setup=partial(rankings, size),
            peer_scale=size / SAMPLED,
            target=target,
            note=f"loop timed at {SAMPLED} list sizes evenly spread and scaled up",
        )
    yield Row(
        "five association measures of 1,000,000 pairs",
        ours=five,
        peer=nltk_five,
        peer_name="nltk BigramAssocMeasures",
        setup=pairs,
        agree=relative,
        # NLTK adds 1e-20 to counts and sums G² with cancellation.
        tolerance=1e-6,
        peer_scale=1_000_000 / NLTK_PAIRS,
        note=f"NLTK timed on {NLTK_PAIRS:,} pairs and scaled up",
    )
    yield Row(
        "all thirteen measures of 1,000,000 pairs, with Fisher's exact test",
        ours=all_measures,
        setup=pairs,
        repeat=3,
    )
    yield Row(
        "exact intervals for 20,000 list sizes",
        ours=lambda data: np.array(ranking.binomial_interval(*data))[:, ::200],
        peer=scipy_intervals,
        peer_name="scipy binomtest.proportion_ci",
        setup=proportions,
        peer_scale=200,
        note="scipy timed at every 200th and scaled up",
    )
