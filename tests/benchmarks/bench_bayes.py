"""The exact Bayes test against a million draws; posteriors of many models at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from benchmarks.run import Row
from scipy import stats

from betterthan import bayes, bcv

MODELS = 10_000
SAMPLED = 200


class Pair(NamedTuple):
    """Six folds of each of two models."""

    a: bcv.Counts
    b: bcv.Counts


def pair() -> Pair:
    """Two entity recognisers as in Table 4 of Wang and Li (2019), made up."""
    a = bcv.Counts([10_300] * 6, [1_040] * 6, [1_400] * 6)
    b = bcv.Counts([10_330] * 6, [1_010] * 6, [1_380] * 6)
    return Pair(a, b)


def exact(data: Pair) -> float:
    """P(H1) by quadrature."""
    return bayes.compare(data.a, data.b).p_h1


def drawn(data: Pair) -> float:
    """P(H1) as the paper computes it: the share of a million pairs of draws."""
    factor = bcv.effective_factor(3)
    rng = np.random.default_rng(0)
    f1 = []
    for counts in data:
        tp, fp, fn = (factor * total for total in counts.totals())
        x = stats.betaprime.rvs(fp + fn + 2, tp + 1, size=1_000_000, random_state=rng)
        f1.append(2 / (2 + x))
    return float((f1[1] > f1[0]).mean())


def within_noise(ours: float, theirs: float) -> tuple[bool, str]:
    """The draws scatter around the integral by their standard error."""
    noise = float(np.sqrt(ours * (1 - ours) / 1_000_000))
    off = abs(ours - theirs)
    return off < 5 * noise, f"{off:.0e} apart, noise of the draws {noise:.0e}"


def models() -> bcv.Counts:
    """Six folds of ten thousand models."""
    rng = np.random.default_rng(1)
    return bcv.Counts(*rng.integers(50, 5000, size=(3, MODELS, 6)))


def at_once(counts: bcv.Counts) -> np.ndarray:
    """95 % intervals of F1 of all models; those of the sample for comparison."""
    low, high = bcv.posterior(counts, "f1").interval(0.95)
    return np.column_stack([low, high])[:: MODELS // SAMPLED]


def loop(counts: bcv.Counts) -> np.ndarray:
    """What one would write: a loop over models with scipy's beta prime distribution."""
    factor = bcv.effective_factor(3)
    out = np.empty((SAMPLED, 2))
    for row, i in enumerate(range(0, MODELS, MODELS // SAMPLED)):
        tp, fp, fn = (factor * part[i].sum() for part in (counts.tp, counts.fp, counts.fn))
        high, low = stats.betaprime(fp + fn + 2, tp + 1).interval(0.95)
        out[row] = 2 / (2 + low), 2 / (2 + high)
    return out


def rows() -> Iterator[Row]:
    """Two rows."""
    yield Row(
        "Bayes test of F1, exact",
        exact,
        drawn,
        peer_name="10⁶ draws",
        agree=within_noise,
        target=500,
        setup=pair,
        note="quadrature error below 1e-12",
    )
    yield Row(
        f"F1 intervals of {MODELS:,} models",
        at_once,
        loop,
        peer_name="loop over scipy",
        setup=models,
        peer_scale=MODELS / SAMPLED,
        tolerance=1e-8,
        target=50,
    )
