"""Right or wrong, item by item: Tango's score, the inverse of McNemar's test.

McNemar's test asks whether two systems could be equally good, given the items that only one of
them got right. Tango (1998) asks the same of every other difference δ: how many standard errors
is what was seen away from δ, where the error is the one that a true difference of δ would have.
The differences that are not rejected are the interval; the normal probability of each distance is
all that is known of the difference. A closed form: no draws, and the items on which the two agree
count only by their number.

Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for
the paired-sample design. Statistics in Medicine 17, 891-908.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan._result import Interval

METHOD = "Tango's score interval, the inverse of McNemar's test"
# Halving (-1, 1) so often leaves nothing of it that a double could tell apart.
_HALVINGS = 60


@dataclass(frozen=True)
class Tango:
    """What is known of the difference of two shares of right answers on the same items.

    Attributes
    ----------
    gained : int
        Items that only B got right.
    lost : int
        Items that only A got right.
    n : int
        Items in all.
    """

    gained: int
    lost: int
    n: int

    @property
    def at_most(self) -> bool:
        """Whether the p-value is only known to be at most that, which it never is."""
        return False

    def score(self, difference: float) -> float:
        """T(δ): how many standard errors the observed difference lies above `difference`."""
        if difference < 0:  # the same with A and B exchanged, which keeps the digits
            return -_score(self.lost, self.gained, self.n, -difference)
        return _score(self.gained, self.lost, self.n, difference)

    def below(self, value: float) -> float:
        """The probability of a difference below `value`: Φ(−T(value))."""
        if abs(value) >= 1:
            return float(value > 0)
        return float(special.ndtr(-self.score(value)))

    def pvalue(self) -> float:
        """Of "no difference": McNemar's test without a correction for continuity."""
        return float(2 * special.ndtr(-abs(self.score(0.0))))

    def interval(self, confidence_level: float) -> Interval:
        """Every difference that the test of this level would not reject."""
        far = float(special.ndtri((1 + confidence_level) / 2))
        return Interval(self._where(far), self._where(-far))

    def _where(self, score: float) -> float:
        """The difference at which T, which falls, has this value; -1 or 1 where it never has."""
        low, high = -1.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.score(middle) > score:
                low = middle
            else:
                high = middle
        return high if score > 0 else low


def _score(gained: int, lost: int, n: int, difference: float) -> float:
    """T(δ) for δ of at least 0, with the errors of A alone that fit δ best (q)."""
    spread = difference * (1 - difference)
    linear = -gained - lost + (2 * n - gained + lost) * difference
    root = math.sqrt(linear * linear + 8 * n * lost * spread)
    # Two ways to write one root of a quadratic: whichever adds instead of cancelling.
    q = (root - linear) / (4 * n) if linear <= 0 else 2 * lost * spread / (root + linear)
    away, variance = gained - lost - n * difference, n * (2 * q + spread)
    if variance <= 0:
        return 0.0 if away == 0 else math.copysign(math.inf, away)
    return away / math.sqrt(variance)


def tango(a: np.ndarray, b: np.ndarray) -> Tango:
    """What is known of B minus A; both are 1 for right and 0 for wrong, item by item."""
    difference = np.asarray(b, dtype=float) - np.asarray(a, dtype=float)
    return Tango(int((difference > 0).sum()), int((difference < 0).sum()), len(difference))


def fewest(margin: float, confidence_level: float) -> int:
    """So many items, all of them alike, have an interval within the margin; fewer never have."""
    square = float(special.ndtri((1 + confidence_level) / 2)) ** 2
    return max(2, math.ceil(square * (1 - margin) / margin - 1e-9)) if margin < 1 else 2
