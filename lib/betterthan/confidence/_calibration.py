r"""Is a model too sure, or too unsure, on the whole? Stated minus right, tested.

A model that keeps its promise is right :math:`K` times, and :math:`K` is the sum of independent
tosses with the stated probabilities: its distribution, the Poisson binomial, is known exactly, and
nothing has to be estimated from few mistakes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from betterthan._result import Interval
from betterthan.confidence._inputs import Stated

ALPHA = 0.05
# Above this many answers, with a variance this large, the normal curve corrected for skewness is
# within 0.0001 of the exact distribution (a test has both), and much faster.
_MANY, _SPREAD = 5_000, 300.0
_BLOCK = 32  # answers that are joined one by one


@dataclass(frozen=True)
class InTheLarge:
    """Stated minus right on the whole: is it more than luck?

    Attributes
    ----------
    pvalue : float
        Two-sided, of a model that keeps its promise; NaN for a single group.
    interval : Interval
        Of stated minus right, 95 %; it leaves 0 out exactly where `pvalue` is below 0.05.
    spread : float
        With groups: the variance between them over that of independent answers; 1 without.
    """

    pvalue: float
    interval: Interval
    spread: float = 1.0


def in_the_large(answers: Stated) -> InTheLarge:
    """The exact test where answers stand alone, Student's with groups."""
    if answers.alone:
        return exact(answers.right, answers.probability)
    return grouped(answers)


def number_right(probability: np.ndarray) -> np.ndarray:
    """The Poisson binomial: P(0, 1, 2, … answers are right), from each one's probability.

    Answers are added one by one within blocks, all blocks at once; then pairs of blocks are joined,
    and pairs of pairs, by fast Fourier transforms. The error is about 1e-15. Numbers that are too
    far above the mean to have a chance of even that are left out.
    """
    sd = math.sqrt((probability * (1 - probability)).sum())
    longest = min(probability.size, int(probability.sum() + 12 * sd + 60)) + 1
    n_blocks = 1 << (-(-probability.size // _BLOCK) - 1).bit_length()
    blocks = np.zeros((n_blocks, _BLOCK))  # an answer that is never right changes nothing
    blocks.flat[: probability.size] = probability
    joined = np.zeros((n_blocks, _BLOCK + 1))
    joined[:, 0] = 1.0
    for i, p in enumerate(blocks.T, 1):
        joined[:, 1 : i + 1] += p[:, None] * (joined[:, :i] - joined[:, 1 : i + 1])
        joined[:, 0] *= 1 - p
    while len(joined) > 1:
        width = 2 * joined.shape[1] - 1
        size = 1 << (width - 1).bit_length()
        waves = np.fft.rfft(joined, size, axis=1)
        joined = np.fft.irfft(waves[::2] * waves[1::2], size, axis=1)[:, : min(width, longest)]
    return np.clip(joined[0, :longest], 0.0, 1.0)


def tails(probability: np.ndarray, right: int) -> tuple[float, float]:
    """P(at most `right`) and P(at least `right`) of the Poisson binomial."""
    spread = float((probability * (1 - probability)).sum())
    if probability.size > _MANY and spread > _SPREAD:
        below = _refined_normal(probability, right)
        return below, 1 - _refined_normal(probability, right - 1)
    if probability.mean() > 0.5:  # then the wrong answers are fewer to count
        above, below = _tails(number_right(1 - probability), probability.size - right)
    else:
        below, above = _tails(number_right(probability), right)
    return below, above


def _tails(chance: np.ndarray, number: int) -> tuple[float, float]:
    """P(at most `number`) and P(at least `number`)."""
    return min(float(chance[: number + 1].sum()), 1.0), min(float(chance[number:].sum()), 1.0)


def _refined_normal(probability: np.ndarray, right: int) -> float:
    """P(at most `right`) by the normal curve, corrected for half steps and for skewness."""
    spread = probability * (1 - probability)
    sd = math.sqrt(spread.sum())
    skew = float((spread * (1 - 2 * probability)).sum()) / sd**3
    x = (right + 0.5 - probability.sum()) / sd
    density = math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.clip(special.ndtr(x) + skew * (1 - x**2) / 6 * density, 0.0, 1.0))


def exact(right: np.ndarray, probability: np.ndarray) -> InTheLarge:
    """Twice the smaller tail of the Poisson binomial, and the interval of what it does not refute.

    The interval asks the same question of other models: those whose every chance of being right is
    lower than stated by the same share (p becomes (1 − s)p), or whose every chance of being wrong
    is lower by the same share. One of them has any share of right answers that there can be; those
    that the test does not refute at 0.05 are in.
    """
    k = int(right.sum())
    below, above = tails(probability, k)
    # A share that `above` rules out is too low; one that `below` rules out is too high.
    lowest = -1.0 if k == 0 else _edge(lambda s: tails(moved(probability, s), k)[1], above)
    highest = (
        1.0 if k == right.size else -_edge(lambda s: tails(moved(probability, -s), k)[0], below)
    )
    stated = float(probability.mean())
    low, high = (float(moved(probability, s).mean()) for s in (lowest, highest))
    return InTheLarge(min(1.0, 2 * min(below, above)), Interval(stated - high, stated - low))


def moved(probability: np.ndarray, share: float) -> np.ndarray:
    """All chances to be right lowered (a negative share), or all chances to be wrong."""
    if share < 0:
        return (1 + share) * probability
    return probability + share * (1 - probability)


def _edge(tail: Callable[[float], float], unmoved: float) -> float:
    """Where a tail that rises from 0 to 1 over shares from -1 to 1 passes 0.025."""
    if unmoved == ALPHA / 2:
        return 0.0
    # As a quantile of the normal curve the tail is nearly a straight line, and few steps suffice.
    wanted = float(special.ndtri(ALPHA / 2))

    def beyond(share: float) -> float:
        return float(np.clip(special.ndtri(tail(share)), -40.0, 40.0)) - wanted

    # The value at 0 says on which side: then the interval leaves 0 out exactly where p < 0.05.
    away = 1.0 if unmoved < ALPHA / 2 else -1.0
    near, far = 0.0, away / 1024
    while abs(far) < 1 and (beyond(far) < 0) == (away > 0):
        near, far = far, 4 * far
    return float(optimize.brentq(beyond, near, far, xtol=1e-7))


def grouped(answers: Stated) -> InTheLarge:
    """Student's t over groups, with a variance never below that of independent answers."""
    if answers.n_groups < 2:
        return InTheLarge(math.nan, Interval(math.nan, math.nan), math.nan)
    p, sizes = answers.probability, answers.sizes
    gaps = answers.summed(p - answers.right)
    total, n_groups = float(gaps.sum()), answers.n_groups
    known = float((p * (1 - p)).sum())
    over_groups = np.square(gaps - sizes * total / answers.n).sum()
    between = float(over_groups * n_groups / (n_groups - 1))
    variance = max(known, between)
    if variance == 0:
        return _without_spread(total, answers)
    # One huge group counts as hardly more than one: then next to nothing is known.
    degrees = max(effective(sizes) - 1, 1e-3)
    t = abs(total) / math.sqrt(variance)
    pvalue = float(2 * special.stdtr(degrees, -t))
    half = float(special.stdtrit(degrees, 1 - ALPHA / 2)) * math.sqrt(variance)
    spread = between / known if known > 0 else math.inf
    interval = Interval((total - half) / answers.n, (total + half) / answers.n)
    return InTheLarge(pvalue, interval, spread)


def effective(sizes: np.ndarray) -> float:
    """Kish's number: how many groups of equal size these are worth."""
    return float(sizes.sum() ** 2 / np.square(sizes).sum())


def _without_spread(total: float, answers: Stated) -> InTheLarge:
    """All stated for certain: right everywhere, or in every group as often wrong."""
    gap = total / answers.n
    if total != 0:
        return InTheLarge(0.0, Interval(gap, gap), math.inf)
    # Nothing was seen to be wrong: each group is taken for one answer.
    unseen = 1 - (ALPHA / 2) ** (1 / answers.n_groups)
    stated = float(answers.probability.mean())
    return InTheLarge(1.0, Interval(-unseen * (1 - stated), unseen * stated))
