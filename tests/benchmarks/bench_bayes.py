"""The exact Bayes test against a million draws; the interval of F1 against scipy's beta prime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from benchmarks.run import Row
from scipy import stats

from betterthan import bayes, bcv

MODELS = 200


class Pair(NamedTuple):
    """Six folds of each of two models."""

    a: bcv.Counts
    b: bcv.Counts


def pair() -> Pair:
    """Two entity recognisers as in Table 4 of Wang and Li (2019), made up."""
    a = bcv.Counts([10_300] * 6, [1_040] * 6, [1_400] * 6, unit="fold")
    b = bcv.Counts([10_330] * 6, [1_010] * 6, [1_380] * 6, unit="fold")
    return Pair(a, b)


def exact(data: Pair) -> float:
    """P(H1) by quadrature."""
    return bayes.compare(data.a, data.b).p_h1


def drawn(data: Pair) -> float:
    """P(H1) as the paper computes it: the share of a million pairs of draws."""
    rng = np.random.default_rng(0)
    f1 = []
    for counts in data:
        errors, found = errors_and_hits(counts)
        x = stats.betaprime.rvs(errors + 2, found + 1, size=1_000_000, random_state=rng)
        f1.append(2 / (2 + x))
    return float((f1[1] > f1[0]).mean())


def errors_and_hits(counts: bcv.Counts) -> tuple[float, float]:
    """The effective counts of Eq. (23)."""
    factor = bcv.effective_factor(3)
    return factor * (counts.fp + counts.fn).sum(), factor * counts.tp.sum()


def within_noise(ours: float, theirs: float) -> tuple[bool, str]:
    """The draws scatter around the integral by their standard error."""
    noise = float(np.sqrt(ours * (1 - ours) / 1_000_000))
    off = abs(ours - theirs)
    return off < 5 * noise, f"{off:.0e} apart, noise of the draws {noise:.0e}"


def models() -> list[bcv.Counts]:
    """Six folds of each of many models."""
    rng = np.random.default_rng(1)
    folds = rng.integers(50, 5000, size=(MODELS, 3, 6))
    return [bcv.Counts(*counts, unit="fold") for counts in folds]


def ours(many: list[bcv.Counts]) -> np.ndarray:
    """95 % intervals of F1."""
    return np.array([bcv.posterior(counts, "f1").interval(0.95) for counts in many])


def scipys(many: list[bcv.Counts]) -> np.ndarray:
    """What one would write: scipy's beta prime distribution."""
    out = []
    for counts in many:
        errors, found = errors_and_hits(counts)
        high, low = stats.betaprime(errors + 2, found + 1).interval(0.95)
        out.append((2 / (2 + low), 2 / (2 + high)))
    return np.array(out)


def rows() -> Iterator[Row]:
    """Two rows."""
    yield Row(
        "Bayes test of F1, exact",
        exact,
        drawn,
        peer_name="10⁶ draws",
        agree=within_noise,
        target=100,
        setup=pair,
        note="quadrature error below 1e-12",
    )
    yield Row(
        f"F1 intervals of {MODELS} models",
        ours,
        scipys,
        peer_name="loop over scipy",
        setup=models,
        tolerance=1e-8,
        target=10,
    )
