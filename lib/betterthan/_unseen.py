"""No difference of more than a margin: what one unit that was not seen could still change.

Agreement on the units that were seen says little about a rare unit on which the two would be far
apart. So the claim allows for one more unit, the worst that is possible, with a random weight
(Gaffke's bound): with e₀, e₁ … eₙ independent and exponential, the difference is taken to be as
low as (Σ eᵢdᵢ − e₀M)/Σ e, and as high as its mirror image. The probability that such a sum of
exponentials lies beyond the margin needs no draws: it is an integral of its generating function.

Learned-Miller, E. and Thomas, P. S. (2019). A new confidence interval for the mean of a bounded
random variable. arXiv:1905.06208. Gaffke, N. (2005). Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan._result import Interval
from betterthan._together import System, Together

# The integral: steps of the trapezoidal rule on a scale that spreads the far end.
_STEP, _STEPS = 0.05, 240
_HALVINGS = 100
# So many different weights at a time, which bounds the memory.
_AT_ONCE = 4_096


@dataclass(frozen=True)
class Effects:
    """How far each unit (or group) moves the difference, and how far one not seen could.

    Attributes
    ----------
    seen : ndarray
        One number per unit or group; their mean is the difference.
    low : float
        What a unit that was not seen could be at the worst for B.
    high : float
        And at the best.
    """

    seen: np.ndarray
    low: float
    high: float

    def within(self, margin: float) -> float:
        """The probability that the difference is at most `margin` either way, at the worst."""
        under = negative([*(self.seen + margin), self.low + margin])
        over = negative([*(margin - self.seen), margin - self.high])
        return max(0.0, 1.0 - under - over)

    def interval(self, confidence_level: float) -> Interval:
        """Of units that are all alike: what one that was not seen leaves possible."""
        share = 1 - ((1 - confidence_level) / 2) ** (1 / len(self.seen))
        middle = float(self.seen.mean())
        return Interval(
            middle + (self.low - middle) * share,
            middle + (self.high - middle) * share,
        )


def fewest(margin: float, confidence_level: float, size: float = 1.0) -> int:
    """So many units, all of them alike, support the claim; fewer never do."""
    if margin >= size:
        return 2
    needed = math.log((1 - confidence_level) / 2) / math.log1p(-margin / size)
    return max(2, math.ceil(needed - 1e-9))


def size_of_unseen(data: Together) -> float:
    """How large the unseen unit is, in units of average size.

    Groups may be of very uneven size, and most items are in the large ones: there it is as large
    as the group that an item is in, on average. With the average size instead, the claim was made
    wrongly in 6 to 12 % of the cases at the margin (100 or 300 groups of geometric or lognormal
    size, of which B loses some whole).
    """
    return data.n_groups / data.n_effective if data.n_groups < data.n_units else 1.0


def effects(data: Together) -> Effects | None:
    """Of B minus A; None where nothing bounds what a unit could do, as with seconds."""
    if not data.bounded:
        return None
    if data.per_unit is not None:
        first, second = data.per_unit
        sums = np.bincount(data.codes, weights=second - first, minlength=data.n_groups)
        size = size_of_unseen(data)
        return Effects(sums * (data.n_groups / data.n_units), -size, size)
    return _of_counts(data) if data.metric.name in _SHARES else None


# Numerator and denominator of each metric, as weights of tp, fp and fn.
_SHARES = {
    "f1": ((2, 0, 0), (2, 1, 1)),
    "macro_f1": ((2, 0, 0), (2, 1, 1)),
    "precision": ((1, 0, 0), (1, 1, 0)),
    "recall": ((1, 0, 0), (1, 0, 1)),
    "accuracy": ((1, 0, 0), (1, 0, 1)),
}


@dataclass(frozen=True)
class _Share:
    """One system's share in each class: the first term of its change with what a group adds."""

    value: np.ndarray  # per class
    size: np.ndarray  # the average denominator of a group, per class
    classes: int  # how many have anything in them
    weights: tuple[Any, Any]

    def moved(self, counts: np.ndarray) -> np.ndarray:
        """What groups × (tp, fp, fn) × classes add to the metric."""
        above, below = (np.tensordot(counts, w, (1, 0)) for w in self.weights)
        seen = self.size > 0
        away = (above - self.value * below)[:, seen] / self.size[seen]
        return np.asarray(away.sum(axis=1) / self.classes)


def _share(sums: np.ndarray, metric: str) -> _Share:
    weights = _SHARES[metric]
    above, below = (np.tensordot(sums.sum(axis=0), w, (0, 0)) for w in weights)
    value = np.divide(above, below, out=np.zeros_like(below), where=below > 0)
    return _Share(value, below / len(sums), int((below > 0).sum()), weights)


def _of_counts(data: Together) -> Effects:
    """The counts with weights, and a sentence of average gold: right for one, wrong for the other.

    The metric is taken to change in proportion to the weights, as the jackknife takes it. Of
    several classes the gold of the unseen sentence is all of the class where it moves most.
    """
    first, second = (_moved(system, data.metric.name) for system in data.systems)
    middle = float(data.systems[1].values.mean() - data.systems[0].values.mean())
    size = size_of_unseen(data)
    return Effects(
        seen=middle + second.seen - first.seen,
        low=middle + size * float(np.min(second.wrong - first.right)),
        high=middle + size * float(np.max(second.right - first.wrong)),
    )


@dataclass(frozen=True)
class _Moved:
    """What groups add to one system's metric, the mean over runs."""

    seen: np.ndarray
    right: np.ndarray  # an unseen group that it has all right, for each class that it may be of
    wrong: np.ndarray


def _moved(system: System, metric: str) -> _Moved:
    found = []
    for part in system.sums:
        counts = part.reshape(len(part), 3, -1)
        share, (right, wrong) = _share(counts, metric), _unseen(counts)
        found.append((share.moved(counts), share.moved(right), share.moved(wrong)))
    return _Moved(*(np.mean(parts, axis=0) for parts in zip(*found)))


def _unseen(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A group of average gold, all right and all wrong: for each class that all of it is in."""
    gold = (counts[:, 0] + counts[:, 2]).sum(axis=0)
    size = gold.sum() / len(counts)
    places = np.flatnonzero(gold)
    right, wrong = np.zeros((2, len(places), 3, len(gold)))
    right[np.arange(len(places)), 0, places] = size
    wrong[np.arange(len(places)), 1, places] = size
    wrong[np.arange(len(places)), 2, places] = size
    return right, wrong


def negative(weights: Any) -> float:
    """The probability that Σ weight × e is below 0, for independent exponential e.

    With M(s) = Π 1/(1 − weight s) it is −1/(2πi) ∫ M(s)/s ds along a line left of 0, here the one
    through the saddle point, where the integrand does not swing.
    """
    own = np.asarray(weights, dtype=float)
    own = own[own != 0]
    if not own.size or own.min() > 0:
        return 0.0
    if own.max() < 0:
        return 1.0
    own = own / np.abs(own).max()
    return _left_tail(own) if own.sum() >= 0 else 1.0 - _left_tail(-own)


def _left_tail(weights: np.ndarray) -> float:
    """P(Σ weight × e < 0) where the sum is at least 0 on average."""
    values, times = np.unique(weights, return_counts=True)
    line = _saddle(values, times)
    inverse = values / (1 - values * line)
    width = 1 / math.sqrt(float(times @ inverse**2) + 1 / line**2)
    u = _STEP * np.arange(_STEPS)
    y = width * np.sinh(u)
    # M on the line, against its value where the line meets the real axis.
    size, angle = np.zeros((2, len(y)))
    for start in range(0, len(inverse), _AT_ONCE):
        turned = np.outer(y, inverse[start : start + _AT_ONCE])
        own = times[start : start + _AT_ONCE]
        size -= 0.5 * np.log1p(turned**2) @ own
        angle += np.arctan(turned) @ own
    at_axis = float(-np.log1p(-values * line) @ times)
    over = np.exp(size + at_axis + 1j * angle) / -(line + 1j * y)
    heights = over.real * width * np.cosh(u)
    total = (heights.sum() - heights[0] / 2) * _STEP / math.pi
    return float(min(max(total, 0.0), 1.0))


def _saddle(values: np.ndarray, times: np.ndarray) -> float:
    """Where log M(s) − log(−s) is least, between the last pole on the left and 0."""
    low, high = 1 / float(values.min()), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        slope = float(times @ (values / (1 - values * middle))) - 1 / middle
        if slope > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2
