"""Simes' test of every number of largest p-values at once, and Hommel's p-values from it.

Written in the plain way both take N² steps. Two orders that hold for sorted p-values bring them
down to N log N: where the smallest ratio stands can only move one way, and so can the size of the
largest set that is not rejected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["hommel_adjusted", "how_many", "of_largest"]


def of_largest(rising: np.ndarray) -> np.ndarray:
    """Simes' p-value of the m largest of sorted p-values, for m = N, N − 1, … 1.

    It is min over j of m p₍ⱼ₎ / (j − (N − m)), j from N − m + 1 to N. As m falls the best j can
    only rise (if a smaller j is better for some m, it is better for every larger one, since
    p₍ⱼ₎ rises). So the middle m is done first, and halves the places to look at for the others.

    Parameters
    ----------
    rising : array
        P-values, sorted.

    Returns
    -------
    array
        One p-value for each m; the first is that of all.

    Examples
    --------
    >>> of_largest(np.array([0.01, 0.02, 0.9]))
    array([0.03, 0.04, 0.9 ])
    """
    size = rising.size
    found = np.empty(size)
    # Stretches of how many are left out (first to last), and the places where their best j may be.
    todo = np.array([[0, size - 1, 0, size - 1]])
    while len(todo):
        first, last, low, high = todo.T
        middle = (first + last) // 2
        found[middle], best = _smallest(rising, middle, np.maximum(low, middle), high)
        before = np.column_stack([first, middle - 1, low, best])
        after = np.column_stack([middle + 1, last, best, high])
        todo = np.concatenate([before, after])
        todo = todo[todo[:, 0] <= todo[:, 1]]
    return found


def _smallest(
    rising: np.ndarray, left_out: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each number of left-out p-values the smallest ratio in a range, and its place."""
    lengths = high - low + 1
    starts = np.cumsum(lengths) - lengths
    place = np.arange(lengths.sum()) - np.repeat(starts - low, lengths)
    less = np.repeat(left_out, lengths)
    ratio = (rising.size - less) * rising[place] / (place - less + 1)
    least = np.minimum.reduceat(ratio, starts)
    reached = np.flatnonzero(ratio == np.repeat(least, lengths))
    owner = np.searchsorted(starts, reached, side="right") - 1
    _, kept = np.unique(owner, return_index=True)
    return least, place[reached[kept]]


def how_many(holds: Callable[[np.ndarray], np.ndarray], most: int, questions: int) -> np.ndarray:
    """For each of several questions the largest number, up to `most`, for which it holds.

    A question that holds for a number holds for every smaller one; all hold for 0.

    Parameters
    ----------
    holds : callable
        Takes one number of at least 1 per question, and gives True or False for each.
    most : int
        The largest number to try.
    questions : int
        How many questions there are.

    Returns
    -------
    array

    Examples
    --------
    >>> squares = np.array([3, 10, 99])
    >>> how_many(lambda number: number**2 <= squares, 20, 3)
    array([1, 3, 9])
    """
    yes, no = np.zeros(questions, dtype=np.int64), np.full(questions, most + 1)
    while (no - yes > 1).any():
        middle = (yes + no) // 2
        # Where nothing is left to try, 1 is asked in the place of 0; the answer changes nothing.
        answer = holds(np.maximum(middle, 1))
        open_ = no - yes > 1
        yes, no = np.where(open_ & answer, middle, yes), np.where(open_ & ~answer, middle, no)
    return yes


# Up to here Hommel's p-values are computed step by step, to the last digit as statsmodels has them.
_STEP_BY_STEP = 2_000


def hommel_adjusted(p: np.ndarray) -> np.ndarray:
    """The smallest alpha at which closed testing with Simes' test names each dataset.

    Of very many p-values by a shortcut, whose last digit may differ: at alpha a dataset is named
    if h p ≤ alpha, where h is the size of the largest set that is not rejected, which is the number
    of m whose Simes p-value, of the m largest, is above alpha (Goeman et al. 2019). Between two of
    these values h does not change.

    Examples
    --------
    >>> hommel_adjusted(np.array([0.02, 0.9, 0.01]))
    array([0.04, 0.9 , 0.03])
    """
    if p.size <= _STEP_BY_STEP:
        return _step_by_step(p)
    simes = of_largest(np.sort(p))[::-1]  # of the 1, 2, … N largest
    below = np.concatenate([simes, [0.0]])
    m = how_many(lambda number: number * p < simes[number - 1], p.size, p.size)
    return np.minimum(np.maximum(below[m], m * p), 1.0)


def _step_by_step(p: np.ndarray) -> np.ndarray:
    """For every size m, the worst Simes test of m p-values with this one among them (Wright 1992).

    Those in the m largest are tested with the rest of these; a smaller one joins the m − 1 largest.
    """
    order = np.argsort(p, kind="stable")
    rising = p[order]
    adjusted = rising.copy()
    for m in range(p.size, 1, -1):
        inside, outside = slice(p.size - m, None), slice(0, p.size - m)
        simes = np.min(m * rising[inside] / np.arange(1, m + 1))
        adjusted[inside] = np.maximum(adjusted[inside], simes)
        joined = np.minimum(m * rising[outside], simes)
        adjusted[outside] = np.maximum(adjusted[outside], joined)
    return adjusted[np.argsort(order)]
