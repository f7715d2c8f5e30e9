"""What `paired` computes with: delete-one-group values, half-samples, exchanges.

Every metric is a function of column sums (tp, fp and fn; values and their number; whatever a
callable takes), so leaving a group out is a subtraction and a random half is a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import special, stats

from betterthan._resample import subsets
from betterthan._result import Interval

Metric = Callable[[np.ndarray], np.ndarray]
# Sums of so many groups with random signs are normal for all that matters.
_NORMAL = 5_000


@dataclass(frozen=True)
class RunSpread:
    """How much of a variance comes from runs.

    Attributes
    ----------
    alone : float
        The part that only more runs make smaller, as far as these runs can tell.
    luck : float
        What the luck of runs on single groups adds to the variance of the runs' scores; more groups
        make it smaller.
    degrees : float
        Degrees of freedom of the variance of the runs' scores; 0 without several runs.
    """

    alone: float = 0.0
    luck: float = 0.0
    degrees: float = 0.0

    def __add__(self, other: RunSpread) -> RunSpread:
        """Of a difference of two that were measured apart."""
        degrees = self.degrees + other.degrees
        return RunSpread(self.alone + other.alone, self.luck + other.luck, degrees)


@dataclass(frozen=True)
class Student:
    """A score or difference known up to a standard error: centre + error × t.

    Attributes
    ----------
    centre : float
        The estimate.
    error : float
        Its standard error.
    degrees : float
        Degrees of freedom of Student's t.
    from_items : float
        The part of the variance that more items make smaller.
    runs : RunSpread
        What runs add to it.
    skew : float
        Skewness of what the groups contribute, over the root of their number: above a quarter
        the interval misses more often than it says.
    kurtosis : float
        Of what the groups contribute, 3 for the normal: the more, the less is the error known.
    contributions : array
        By how much each group is above the mean of all, as far as the score goes.
    """

    centre: float
    error: float
    degrees: float
    from_items: float
    runs: RunSpread
    skew: float
    kurtosis: float = 3.0
    contributions: np.ndarray = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )

    @property
    def at_most(self) -> bool:
        """Whether the p-value is only known to be at most that, which it never is."""
        return False

    def below(self, value: float) -> float:
        """The probability of a value below `value`."""
        return float(stats.t.cdf((value - self.centre) / self.error, self.degrees))

    def pvalue(self) -> float:
        """Twice the smaller tail beyond 0."""
        return float(2 * stats.t.sf(abs(self.centre) / self.error, self.degrees))

    def interval(self, confidence_level: float, *, bounded: bool = False) -> Interval:
        """Leaves out equal tails; in log-odds where the value is `bounded` by 0 and 1."""
        half = float(stats.t.ppf((1 + confidence_level) / 2, self.degrees)) * self.error
        if not bounded:
            return Interval(self.centre - half, self.centre + half)
        middle, half = special.logit(self.centre), half / (self.centre * (1 - self.centre))
        return Interval(float(special.expit(middle - half)), float(special.expit(middle + half)))


def but_for_rounding(difference: float, size: float) -> float:
    """A difference of numbers of this size, 0 where it is only what rounding leaves.

    Examples
    --------
    >>> but_for_rounding((0.1 + 0.2) - 0.3, 0.3), but_for_rounding(1e-9, 0.3)
    (0.0, 1e-09)
    """
    return 0.0 if abs(difference) <= 1e-12 * size else difference


def student(deleted: Sequence, values: Sequence, signs: Sequence[int], groups: float) -> Student:
    """The sum of sign × score over systems, and how far groups and runs may have moved it.

    Parameters
    ----------
    deleted
        For each system the delete-one values, groups × runs.
    values
        For each system the scores of its runs.
    signs
        +1 or -1 for each system.
    groups
        Kish's effective number of groups.

    Notes
    -----
    With D the deviations of the delete-one values and C = (G − 1)/G · DᵀD, the variance over
    groups is wᵀCw for the weights w = sign/runs. The variance of the runs' scores holds part of
    it once more (what a run's luck on single groups adds), which is taken off again. Degrees of
    freedom by Satterthwaite.
    """
    n = len(deleted[0])
    away = np.hstack([each - each.mean(axis=0) for each in deleted])
    weights = np.concatenate([np.full(len(v), sign / len(v)) for sign, v in zip(signs, values)])
    # Not wᵀCw, which loses the digits of a difference that hardly varies.
    moved = away @ weights
    from_items = float((n - 1) / n * (moved @ moved))
    runs = _runs((n - 1) / n * (away.T @ away), values)
    from_runs = sum(part for part, _ in runs.parts)
    variance = max(from_items + from_runs - runs.counted_twice, from_items, from_runs)
    # One huge group counts as hardly more than one: then next to nothing is known.
    free = max(groups - 1, 1e-3)
    # As shares of the whole and in standard deviations, because squares of huge numbers overflow.
    sources = [(from_items, free), *runs.parts] if variance > 0 else []
    doubt = sum((part / variance) ** 2 / known for part, known in sources)
    square = from_items / (n - 1)
    apart = moved / np.sqrt(square) if square > 0 else np.zeros(n)
    return Student(
        centre=sum(sign * float(np.mean(value)) for sign, value in zip(signs, values)),
        error=float(np.sqrt(variance)),
        degrees=1 / doubt if doubt > 0 else free,
        from_items=from_items,
        runs=runs.spread(groups),
        skew=abs(float(np.mean(apart**3))) / n**0.5,
        kurtosis=float(np.mean(apart**4)) if square > 0 else 3.0,
        # A score without a group moves the other way than the group does.
        contributions=-moved,
    )


@dataclass(frozen=True)
class _Runs:
    """What runs add to the variance: (part, its degrees of freedom) for each system.

    `counted_twice` is the luck of runs on single groups, which the variance over groups holds, too.
    """

    parts: list[tuple[float, int]]
    counted_twice: float

    def spread(self, groups: float) -> RunSpread:
        """What runs add, and how much of that is their luck on single groups.

        Nothing is left for the runs alone where an F-test at 5 % cannot tell the two apart: three
        runs or five know little, and in half of all cases the luck alone would leave something.
        """
        whole, luck = sum(part for part, _ in self.parts), max(self.counted_twice, 0.0)
        if not whole:
            return RunSpread(luck=luck)
        degrees = 1 / sum((part / whole) ** 2 / known for part, known in self.parts)
        others = max(groups - 1, 1.0) * degrees
        told_apart = not luck or stats.f.sf(whole / luck, degrees, others) <= 0.05
        return RunSpread(max(whole - luck, 0.0) if told_apart else 0.0, luck, degrees)


def _runs(covariance: np.ndarray, values: Sequence) -> _Runs:
    """The variance that runs add; a system with one run is taken to be like the others."""
    several = [value for value in values if len(value) > 1]
    known = sum(len(value) - 1 for value in several)
    total = float(sum(np.var(value, ddof=1) * (len(value) - 1) for value in several))
    parts, twice, start = [], 0.0, 0
    for value in values:
        runs = len(value)
        own = covariance[start : start + runs, start : start + runs]
        start += runs
        if runs > 1:
            parts.append((float(np.var(value, ddof=1)) / runs, runs - 1))
            apart = (own.sum() - np.trace(own)) / (runs * (runs - 1))
            twice += (np.trace(own) / runs - apart) / runs
        elif several:
            parts.append((total / known, known))
    return _Runs(parts, twice)


@dataclass(frozen=True)
class Halves:
    """Hartigan's typical values: the difference on random halves of the groups, sorted.

    N values cut the line into N + 1 pieces, and the true difference lies in each of them with the
    same probability (exactly, where differences are symmetric). Of random halves (`drawn`) the
    p-value cannot fall below 2/(N + 1), however clear the matter.
    """

    values: np.ndarray
    drawn: bool = False

    def below(self, value: float) -> float:
        """The probability of a difference below `value`; its own piece counts half."""
        ends = np.searchsorted(self.values, value), np.searchsorted(self.values, value, "right")
        return float((sum(ends) + 1) / 2 / (len(self.values) + 1))

    def pvalue(self) -> float:
        """Twice the smaller tail beyond 0: the sign-flip test of the same groups."""
        not_above = np.searchsorted(self.values, 0.0, "right")
        not_below = len(self.values) - np.searchsorted(self.values, 0.0)
        return float(min(1.0, 2 * (1 + min(not_above, not_below)) / (len(self.values) + 1)))

    @property
    def at_most(self) -> bool:
        """Whether the p-value is the smallest that so many random halves can show."""
        return self.drawn and self.pvalue() <= 2 / (len(self.values) + 1)

    def interval(self, confidence_level: float) -> Interval | None:
        """Leaves out equal tails; None where the values are too few for that."""
        # As many as the p-value allows, so that 0 is outside exactly where p is small enough;
        # the 1e-9 undoes the rounding of 1 - confidence_level.
        out = int((1 - confidence_level) / 2 * (len(self.values) + 1) + 1e-9)
        return Interval(float(self.values[out - 1]), float(self.values[-out])) if out else None


def halves(
    metric: Metric, a: np.ndarray, b: np.ndarray, draws: int, rng: np.random.Generator
) -> Halves:
    """B minus A on all subsets of the groups, or on `draws` random ones where there are more."""
    both, width = np.hstack([a, b]), a.shape[1]
    sums = np.concatenate([rows @ both for rows in subsets(len(a), draws, rng)])
    values = metric(sums[:, width:]) - metric(sums[:, :width])
    values = values[np.isfinite(values)]  # a half with nothing in it has no score
    size = np.abs([metric(part.sum(axis=0)[None])[0] for part in (a, b)]).sum()
    values[np.abs(values) <= 1e-12 * size] = 0.0
    return Halves(np.sort(values), drawn=len(a) >= 60 or 2 ** len(a) - 1 > draws)


def exchanged(
    metric: Metric,
    groups: np.ndarray,
    pairs: Sequence[tuple[int, int]],
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """|B − A| of each pair after exchanging the two on random groups: draws × pairs.

    `groups` is groups × systems × columns; one set of exchanges serves all pairs.
    """
    n, *shape = groups.shape
    flat, total = groups.reshape(n, -1), groups.sum(axis=0)
    if n > _NORMAL:
        variances, directions = np.linalg.eigh(flat.T @ flat)
        root = directions * np.sqrt(np.maximum(variances, 0.0))
        moved = rng.standard_normal((draws, len(variances))) @ root.T
    else:
        moved = np.concatenate([(2 * rows - 1) @ flat for rows in subsets(n, draws, rng)])
    moved = moved.reshape(-1, *shape)
    drawn = np.empty((len(moved), len(pairs)), dtype=np.float32)
    for column, (i, j) in enumerate(pairs):
        middle, half = (total[i] + total[j]) / 2, (moved[:, j] - moved[:, i]) / 2
        drawn[:, column] = np.abs(np.nan_to_num(metric(middle + half) - metric(middle - half)))
    return drawn


def step_down(drawn: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Westfall and Young's adjusted p-values: each pair against those not larger than it."""
    order = np.argsort(-size, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    hits = (largest >= size[order] * (1 - 1e-6)).sum(axis=0)
    adjusted = np.empty(len(size))
    adjusted[order] = np.maximum.accumulate((1 + hits) / (len(drawn) + 1))
    return adjusted
