"""Two systems, and many, on the same items: against scipy.stats with as many resamples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from benchmarks.run import Row
from scipy import stats
from statsmodels.stats.multitest import multipletests

from betterthan import compare, compare_many

RESAMPLES = 9_999
ITEMS = 10_000
SYSTEMS, QUESTIONS = 14, 2_590
# What scipy is fastest with, of 20, 50, 200 and 1,000 (its permutations take 1.4 to 1.9 times as
# long in batches of 200).
PERMUTATIONS, BOOTSTRAPS = 1_000, 20


def pair() -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong, of two systems that mostly agree."""
    rng = np.random.default_rng(1)
    ease = rng.beta(2, 1, ITEMS)
    return rng.random(ITEMS) < ease, rng.random(ITEMS) < np.clip(ease + 0.005, 0, 1)


def ours(data: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Difference, interval and p-value."""
    found = compare(*(side.astype(float) for side in data), n_resamples=RESAMPLES)
    return np.array([found.difference, *found.interval, found.pvalue])


def mean(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """In the form that scipy calls on many resamples at once."""
    return values.mean(axis=axis)


def flipped(d: np.ndarray, rng: int) -> Any:
    """The paired permutation test, on differences: quicker in scipy than on both systems."""
    return stats.permutation_test(
        (d,),
        mean,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        batch=PERMUTATIONS,
        vectorized=True,
        rng=rng,
    )


def scipys(data: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The same four numbers: a paired bootstrap and a paired permutation test."""
    a, b = (side.astype(float) for side in data)
    interval = stats.bootstrap(
        (b - a,),
        mean,
        method="percentile",
        n_resamples=RESAMPLES,
        batch=BOOTSTRAPS,
        vectorized=True,
        rng=2,
    ).confidence_interval
    test = flipped(b - a, 3)
    return np.array([test.statistic, *interval, test.pvalue])


def alike(ours: np.ndarray, peer: np.ndarray) -> tuple[bool, str]:
    """The difference is exact; ends and p-value are within what resampling leaves open."""
    error = (ours[2] - ours[1]) / 3.92
    exact = abs(ours[0] - peer[0]) < 1e-12
    ends = np.abs(ours[1:3] - peer[1:3]).max() / error
    # Of a difference exactly as large as the one seen scipy counts all, t in effect one half on
    # either side (mid-p); differences of right and wrong come in steps of 2 / ITEMS.
    ties = 2 / ITEMS / error * stats.norm.pdf(ours[0] / error)
    tail = ours[3] / 2
    chance = 2 * np.sqrt(tail * (1 - tail) / RESAMPLES)
    good = exact and ends < 0.15 and abs(ours[3] + ties - peer[3]) < 4 * chance
    said = f"p {ours[3]:.3f}, with ties {ours[3] + ties:.3f} and {peer[3]:.3f} (se {chance:.3f})"
    return bool(good), f"ends within {ends:.2f} standard errors, {said}"


def many() -> dict[str, np.ndarray]:
    """Right or wrong, of systems from weak to strong."""
    rng = np.random.default_rng(4)
    ease = rng.normal(size=QUESTIONS)
    return {
        f"system {number}": (ease + 0.05 * number + rng.normal(size=QUESTIONS) > 0).astype(float)
        for number in range(SYSTEMS)
    }


def ours_many(systems: dict[str, np.ndarray]) -> np.ndarray:
    """Every pair: difference and adjusted p-value."""
    table = compare_many(systems, n_resamples=RESAMPLES).table()
    return table[["difference", "pvalue_adjusted"]].to_numpy()


def scipy_many(systems: dict[str, np.ndarray]) -> np.ndarray:
    """A permutation test per pair, then Holm's correction."""
    found = [flipped(b - a, 5) for a, b in combinations(systems.values(), 2)]
    adjusted = multipletests([test.pvalue for test in found], method="holm")[1]
    return np.column_stack([[test.statistic for test in found], adjusted])


def as_strong(ours: np.ndarray, peer: np.ndarray) -> tuple[bool, str]:
    """The same differences; all that Holm names, and what the maximum adds to that."""
    exact = np.allclose(np.abs(ours[:, 0]), np.abs(peer[:, 0]), atol=1e-12)
    named, holm = ours[:, 1] <= 0.05, peer[:, 1] <= 0.05
    good = exact and (holm & ~named).sum() <= 1  # a pair on the edge may fall either way
    return bool(good), f"{named.sum()} pairs named, {holm.sum()} by Holm"


def rows() -> Iterator[Row]:
    """The rows of the table."""
    yield Row(
        f"two systems on {ITEMS:,} items: difference, interval, p",
        ours=ours,
        peer=scipys,
        peer_name="scipy.stats bootstrap and permutation_test",
        setup=pair,
        agree=alike,
        target=10,
        repeat=3,
        note=f"{RESAMPLES:,} resamples; ours takes t from 1,000 items on",
    )
    yield Row(
        f"all pairs of {SYSTEMS} systems on {QUESTIONS:,} items, adjusted",
        ours=ours_many,
        peer=scipy_many,
        peer_name="scipy.stats.permutation_test + Holm",
        setup=many,
        agree=as_strong,
        target=10,
        repeat=1,
        note=f"{RESAMPLES:,} resamples on both sides",
    )
