r"""Bounds for the mean of values between 0 and 1 that hold however skewed the values are.

Give every unit (an answer, or a group of them) a random weight :math:`e \sim` Exp(1), add one unit
that was not seen and has the worst value there can be, and take the weighted mean: its quantile is
the bound (Gaffke 2005). Whoever has seen thirty right answers and no wrong one has not seen that
wrong ones do not exist; the unseen unit says how many there may be.

The mean exceeds x where :math:`\sum e_i a_i > 0`, with :math:`a_i` the unit's sum less x times its
size. That probability needs no random numbers. `betterthan._unseen.negative` has it exactly, as an
integral; here hundreds of thresholds, and the steps of an interval, ask for it, so the saddlepoint
formula of Lugannani and Rice takes its place, which needs a hundredth of the time and is within one
part in twenty for six units, two in a hundred for thirty to a hundred and one in two hundred for
three hundred (a test holds it against the integral).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from betterthan._result import Interval

_ROUNDS = 200


def chance_above_zero(parts: np.ndarray) -> np.ndarray:
    """P(Σ e·a > 0) for weights e ~ Exp(1), for each row a of `parts`.

    Parameters
    ----------
    parts : array
        One row per question; each has at least one entry.

    Returns
    -------
    array
        One probability per row.
    """
    parts = np.atleast_2d(parts)
    chance = np.where(parts.max(axis=1) > 0, 1.0, 0.0)
    open_ = (parts.min(axis=1) < 0) & (parts.max(axis=1) > 0)
    if open_.any():
        chance[open_] = _saddlepoint(parts[open_])
    return chance


def _saddlepoint(parts: np.ndarray) -> np.ndarray:
    """The same where values lie on both sides of 0."""
    a = parts / np.abs(parts).max(axis=1, keepdims=True)
    t = _tilt(a)
    shrunk = 1 - t[:, None] * a
    away = np.maximum(2 * np.log(shrunk).sum(axis=1), 0.0)
    w = np.sign(t) * np.sqrt(away)
    u = t * np.sqrt(np.square(a / shrunk).sum(axis=1))
    # Close to the middle both 1/u and 1/w grow without bound; their difference tends to -skew/6.
    middle = np.abs(w) < 1e-4
    skew = 2 * (a**3).sum(axis=1) / np.square(a).sum(axis=1) ** 1.5
    safe_u, safe_w = np.where(middle, 1.0, u), np.where(middle, 1.0, w)
    correction = np.where(middle, -skew / 6, 1 / safe_u - 1 / safe_w)
    density = np.exp(-(w**2) / 2) / math.sqrt(2 * math.pi)
    return np.clip(special.ndtr(-w) + density * correction, 0.0, 1.0)


def _tilt(a: np.ndarray) -> np.ndarray:
    """The t of each row at which Σ a/(1 − ta) is 0: Newton's steps, halved where they leave."""
    low, high = 1 / a.min(axis=1), 1 / a.max(axis=1)
    t = np.zeros(len(a))
    for _ in range(_ROUNDS):
        part = a / (1 - t[:, None] * a)
        slope, curve = part.sum(axis=1), np.square(part).sum(axis=1)
        low, high = np.where(slope < 0, t, low), np.where(slope > 0, t, high)
        step = t - slope / curve
        inside = (step > low) & (step < high)
        new = np.where(inside, step, (low + high) / 2)
        if np.all(np.abs(new - t) <= 1e-12 * np.maximum(np.abs(new), 1e-3)):
            return new
        t = new
    return t


def chance_of_mean_above(sums: np.ndarray, sizes: np.ndarray, value: float) -> float:
    """P(weighted mean > value), with one unseen unit of average size whose values are all 1.

    Parameters
    ----------
    sums, sizes : array
        Of each unit: the sum of its values, each between 0 and 1, and how many they are.
    value : float
        Between 0 and 1.

    Returns
    -------
    float
    """
    unseen = sizes.mean() * (1 - value)
    return float(chance_above_zero(np.append(sums - value * sizes, unseen))[0])


def upper(sums: np.ndarray, sizes: np.ndarray, tail: float) -> float:
    """The bound that the mean exceeds with probability at most `tail`.

    Parameters
    ----------
    sums, sizes : array
        As for `chance_of_mean_above`.
    tail : float
        The probability that the bound is too low.

    Returns
    -------
    float
    """
    size = sizes.mean()
    centre = float((sums.sum() + size) / (sizes.sum() + size))
    if centre >= 1 - 1e-12:
        return 1.0
    wanted = float(special.ndtri(tail))

    def excess(value: float) -> float:
        # As a quantile of the normal curve this is nearly a straight line: few steps suffice.
        chance = chance_of_mean_above(sums, sizes, value)
        return float(np.clip(special.ndtri(chance), -40.0, 40.0)) - wanted

    spread = float(np.square(sums - centre * sizes).sum() + (size * (1 - centre)) ** 2)
    near, step = centre, math.sqrt(spread) / float(sizes.sum() + size)
    if excess(near) <= 0:  # a tail of about a half
        return near
    far = near + 3 * step
    while far < 1 and excess(far) > 0:
        near, step = far, 2 * step
        far = near + step
    return float(optimize.brentq(excess, near, min(far, 1 - 1e-12), xtol=1e-9))


def interval(sums: np.ndarray, sizes: np.ndarray, confidence_level: float = 0.95) -> Interval:
    """Both bounds, each with half of what may be missed: the unseen unit at 0 and at 1.

    Parameters
    ----------
    sums, sizes : array
        As for `chance_of_mean_above`.
    confidence_level : float
        Of the interval.

    Returns
    -------
    Interval
    """
    tail = (1 - confidence_level) / 2
    return Interval(1 - upper(sizes - sums, sizes, tail), upper(sums, sizes, tail))
