"""Two rankings as n-best lists: what they hold at every n, and what permutations of them do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import special

from betterthan.ranking import _fisher


class ListCounts(NamedTuple):
    """What two n-best lists hold, for n = 1, 2, … (one array entry each)."""

    tp_a: np.ndarray
    """True positives in A's list."""
    tp_b: np.ndarray
    """True positives in B's list."""
    common: np.ndarray
    """Candidates in both lists."""
    tp_common: np.ndarray
    """True positives in both lists."""


def list_counts(order_a: np.ndarray, order_b: np.ndarray, truth: np.ndarray) -> ListCounts:
    """Counts of the lists for every n up to the length of the two orders."""
    ranks = np.full((2, truth.size), order_a.size, np.int64)
    ranks[0, order_a] = ranks[1, order_b] = np.arange(order_a.size)
    joined = ranks[:, order_a].max(axis=0)  # from which n on a candidate is in both

    def in_both(at: np.ndarray) -> np.ndarray:
        return np.cumsum(np.bincount(at, minlength=order_a.size + 1)[:-1])

    return ListCounts(
        tp_a=np.cumsum(truth[order_a]),
        tp_b=np.cumsum(truth[order_b]),
        common=in_both(joined),
        tp_common=in_both(joined[truth[order_a]]),
    )


def swap(
    order_a: np.ndarray,
    order_b: np.ndarray,
    rng: np.random.Generator,
    places: int | None = None,
    swapped: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Two rankings after swapping the two ranks of each candidate with probability ½.

    `swapped` says whose ranks are swapped, if not a coin for each shall. Two candidates that now
    claim the same place are put in the order of a coin, the same in both rankings. Of the rankings
    only the first `places` are made, if that is said.
    """
    if swapped is None:
        flips, coins = rng.integers(0, 2, (2, order_a.size), dtype=np.uint8).astype(bool)
    else:
        flips = swapped
        coins = rng.integers(0, 2, order_a.size, dtype=np.uint8).astype(bool)
    places = order_a.size if places is None else places
    used = places + 5 * math.isqrt(places)  # nearly always enough
    while True:
        from_a = np.stack([coins[:used], ~coins[:used]], axis=1).ravel()
        claims = np.where(from_a, np.repeat(order_a[:used], 2), np.repeat(order_b[:used], 2))
        to_a = flips[claims] != from_a
        new_a, new_b = claims[to_a][:places], claims[~to_a][:places]
        if min(new_a.size, new_b.size) == places:
            return new_a, new_b
        used *= 2


def log_factorials(most: int) -> np.ndarray:
    """log n! for n = 0 … most, to look up in :func:`least_pvalues`."""
    return special.gammaln(np.arange(most + 1) + 1.0)


def least_pvalues(
    permuted: Iterable[ListCounts], first: int, last: int, log_factorial: np.ndarray
) -> np.ndarray:
    """Smallest Fisher p-value over first ≤ n ≤ last, of each of the pairs of rankings."""
    decisive = [_decisive_tables(found, first, last, log_factorial) for found in permuted]
    starts = np.cumsum([0, *(tables.shape[1] for tables in decisive[:-1])])
    return np.minimum.reduceat(_fisher.two_sided(*np.concatenate(decisive, axis=1)), starts)


def _decisive_tables(
    found: ListCounts, first: int, last: int, log_factorial: np.ndarray
) -> np.ndarray:
    """The few tables (rows: true of A, true of B, size) one of which has the smallest p-value.

    Half of a p-value is at least the probability of its own table, and at most this over 1 − r,
    where r is the ratio of the next table's to it: further ones are smaller still.
    """
    tp_a, tp_b, common, tp_common = (v[first - 1 : last] for v in found)
    a, b, size = tp_a - tp_common, tp_b - tp_common, np.arange(first, last + 1) - common
    log_p = 2 * log_factorial[size] - log_factorial[2 * size]
    log_p += log_factorial[a + b] + log_factorial[2 * size - a - b]
    for cell in (a, b, size - a, size - b):
        log_p -= log_factorial[cell]
    best = np.argmin(log_p)
    more, less, n = max(a[best], b[best]), min(a[best], b[best]), size[best]
    ratio = less * (n - more) / ((more + 1) * (n - less + 1))
    # The slack is for the rounding of the logarithms.
    reached = log_p < log_p[best] - np.log1p(-ratio) + 1e-6
    return np.array([a[reached], b[reached], size[reached]], float)
