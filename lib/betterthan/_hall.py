"""An interval for the mean of skewed numbers: Hall's transformation of Student's t.

Seconds, costs and counts of errors have a few large values. The mean of a sample without any of
them is too low, and so is its standard error: Student's interval then misses on that side. Hall
(1992) undoes the skew of t by a cubic that can be inverted.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from betterthan._jackknife import Student
from betterthan._result import Interval


def hall_interval(found: Student, confidence_level: float) -> Interval:
    """The interval of a mean whose contributions are skewed.

    Parameters
    ----------
    found : Student
        The mean with its standard error, and what each unit contributes to it.
    confidence_level : float
        How often it should hold the true mean.

    Returns
    -------
    Interval

    Notes
    -----
    With k the skewness over √n, t + k t²/3 + k² t³/27 + k/6 = ((1 + k t/3)³ − 1)/k + k/6 has the
    distribution of Student's t more nearly than t itself. Without skew it is t.

    Examples
    --------
    >>> from betterthan._jackknife import student
    >>> seconds = np.array([1.2, 0.8, 1.1, 0.9, 1.0, 1.3, 0.7, 9.0])
    >>> without = (seconds.sum() - seconds) / 7
    >>> found = student([without[:, None]], [[seconds.mean()]], [1], 8)
    >>> [round(float(end), 2) for end in hall_interval(found, 0.95)]
    [0.47, 9.55]
    >>> [round(float(end), 2) for end in found.interval(0.95)]
    [-0.37, 4.37]
    """
    skew = found.skew if np.sum(found.contributions**3) > 0 else -found.skew
    reach = float(stats.t.ppf((1 + confidence_level) / 2, found.degrees))
    if abs(skew) < 1e-6:
        return Interval(found.centre - reach * found.error, found.centre + reach * found.error)
    low, high = (3 / skew * (np.cbrt(1 + skew * (end - skew / 6)) - 1) for end in (reach, -reach))
    return Interval(
        found.centre - float(low) * found.error, found.centre - float(high) * found.error
    )
