"""Average precision of rankings, and of the same rankings on other candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan import _checks
from betterthan._result import Interval
from betterthan.ranking._groups import Groups
from betterthan.ranking._inputs import Rng, children


def average_precision(ranked: np.ndarray, weights: np.ndarray | int = 1) -> float:
    """Average precision of candidates in rank order, each counted `weights` times."""
    hits, seen = ranked * weights, np.cumsum(np.broadcast_to(weights, ranked.shape))
    found = np.cumsum(hits)
    return float((hits * found / np.maximum(seen, 1)).sum() / max(found[-1], 1))


def bootstrap(
    truth: np.ndarray,
    orders: Sequence[np.ndarray],
    n_resamples: int,
    rng: Rng,
    groups: Groups | None = None,
) -> np.ndarray:
    """Average precision of each ranking (columns) for resampled candidates, or groups (rows)."""
    draw, out = np.random.default_rng(children(rng, 2)[1]), []
    units = truth.size if groups is None else groups.number
    for _ in range(_checks.whole("n_resamples", n_resamples)):
        drawn = np.bincount(draw.integers(0, units, units), minlength=units)
        weights = drawn if groups is None else drawn[groups.of]
        out.append([average_precision(truth[order], weights[order]) for order in orders])
    return np.array(out)


def percentiles(draws: np.ndarray, confidence_level: float) -> Interval:
    """The middle part of the draws."""
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(low), float(high))
