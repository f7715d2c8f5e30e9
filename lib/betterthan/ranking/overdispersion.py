"""Do candidates rise and fall together? Repetitions of an experiment and the beta-binomial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from betterthan import _checks
from betterthan._result import Interval
from betterthan.errors import InputError
from betterthan.ranking._inputs import proportion
from betterthan.ranking.curves import binomial_interval

__all__ = ["Overdispersion", "beta_binomial_interval", "fit_overdispersion"]

# The beta-binomial adds up a term per candidate: beyond this one fit takes minutes.
_MOST_SUMMED = 10**6


@dataclass(frozen=True)
class Overdispersion:
    """A beta-binomial fitted to repetitions of an experiment.

    Attributes
    ----------
    mean : float
        The average precision.
    rho : float
        Correlation of two candidates of the same repetition, between 0 and 1; 0 for the binomial.
    pvalue : float
        Tests rho = 0 (likelihood ratio, the null on the boundary).
    parts : int
        How many repetitions.
    """

    mean: float
    rho: float
    pvalue: float
    parts: int

    def inflation(self, n: float) -> float:
        """Standard deviation of the precision among n candidates, in units of the binomial's."""
        return float(np.sqrt(1 + (n - 1) * self.rho))

    def __str__(self) -> str:
        return (
            f"{self.parts} repetitions, average precision {100 * self.mean:.1f} %, over-dispersion "
            f"ρ = {self.rho:.4f} (one-sided p = {self.pvalue:.2g} for none)."
        )


def fit_overdispersion(k: Any, n: Any) -> Overdispersion:
    """Fit a beta-binomial to k true positives among n candidates of several repetitions.

    Maximum likelihood for the mean π and the over-dispersion ρ, with
    Var(k/n) = π(1 − π)/n · (1 + (n − 1)ρ).

    Raises
    ------
    ValueError
        For fewer than two repetitions, k > n, n = 0 or n above a million (the likelihood has a
        term per candidate).

    Examples
    --------
    >>> fit = fit_overdispersion([30, 22, 41, 25, 18, 35], [100] * 6)
    >>> print(f"{fit.mean:.3f} {fit.rho:.3f} {fit.inflation(100):.2f}")
    0.285 0.020 1.72
    """
    hits, size = proportion(k, n, most=_MOST_SUMMED)
    if hits.ndim != 1 or hits.size < 2:
        raise InputError("k", expected=f"at least 2 repetitions, got shape {hits.shape}")
    pooled = float(hits.sum() / size.sum())
    none = Overdispersion(pooled, 0.0, 1.0, hits.size)
    if pooled in (0.0, 1.0):
        return none
    # In units of their rough standard errors both parameters take steps of the same size.
    unit = np.array([np.sqrt(pooled * (1 - pooled) / size.sum()), np.sqrt(2 / (size**2).sum())])
    cost = _likelihood(hits, size, unit)
    fits = [
        optimize.minimize(
            cost,
            np.array([pooled, theta]) / unit,
            jac=True,
            method="TNC",
            bounds=[(1e-9 / unit[0], (1 - 1e-9) / unit[0]), (0, None)],
            tol=1e-13,
        )
        for theta in (2 * unit[1], 0.1)
    ]
    found = min(fits, key=lambda fit: fit.fun)
    mean, theta = map(float, found.x * unit)
    binomial, _ = cost(np.array([pooled, 0.0]) / unit)
    gain = 2 * (binomial - found.fun)
    if theta <= 0 or gain <= 0:
        return none
    return Overdispersion(mean, theta / (1 + theta), float(stats.chi2.sf(gain, 1)) / 2, hits.size)


def _likelihood(
    hits: np.ndarray, size: np.ndarray, unit: np.ndarray
) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Minus the log-likelihood of (π, θ)/unit, θ = ρ/(1 − ρ), with its gradient.

    Written as products of (π + iθ) it is exact down to θ = 0, where it is the binomial's; beta
    functions lose all digits long before. A factor with i is there once for every repetition whose
    count is above i.
    """
    steps = np.arange(int(size.max()), dtype=float)
    groups = np.sort([hits, size - hits, size])
    above = [hits.size - np.searchsorted(group, steps, "right") for group in groups]

    def cost(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        mean, theta = scaled * unit
        factors = [start + steps * theta for start in (mean, 1 - mean, 1.0)]
        hit, miss, either = (count / factor for count, factor in zip(above, factors))
        logs = [(count * np.log(factor)).sum() for count, factor in zip(above, factors)]
        slope = np.array([hit.sum() - miss.sum(), (steps * (hit + miss - either)).sum()])
        return logs[2] - logs[0] - logs[1], -slope * unit

    return cost


def beta_binomial_interval(k: Any, n: Any, rho: float, confidence_level: float = 0.95) -> Interval:
    """The exact interval of :func:`binomial_interval`, widened for over-dispersion `rho`.

    The limits are the averages at which a beta-binomial with this rho gives k or more (k or fewer)
    true positives with probability (1 − confidence_level)/2; rho = 0 gives Clopper–Pearson.

    Raises
    ------
    ValueError
        For k > n, n = 0 or n above a million (a tail has a term per candidate), a confidence level
        outside (0, 1), rho outside [0, 1).

    Examples
    --------
    >>> low, high = beta_binomial_interval(200, 500, rho=0.01)
    >>> f"{low:.1%} to {high:.1%}"
    '29.7% to 50.8%'
    """
    hits, size = proportion(k, n, most=_MOST_SUMMED)
    rho = _checks.real("rho", rho, 0, 1, closed="low")
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    if rho < 1e-9:
        return binomial_interval(k, n, confidence_level)
    scale = (1 - rho) / rho
    limits = np.vectorize(lambda hit, n: _mean_with_tail(hit, n, scale, tail), otypes=[float])
    # P(X ≤ k) at mean π is P(X ≥ n − k) at mean 1 − π.
    low, high = limits(hits, size), 1 - limits(size - hits, size)
    return Interval(low, high) if hits.ndim else Interval(float(low), float(high))


def _mean_with_tail(k: float, n: float, scale: float, tail: float) -> float:
    """The mean at which a beta-binomial with a + b = `scale` has P(X ≥ k) = `tail`."""
    x, ways = np.arange(k, n), -special.betaln(k + 1, n - k + 1) - np.log(n + 1)

    def excess(mean: float) -> float:
        a, b = mean * scale, (1 - mean) * scale
        log_p = ways + special.betaln(k + a, n - k + b) - special.betaln(a, b)
        ratios = (n - x) / (x + 1) * (x + a) / (n - x - 1 + b)
        return min(log_p + np.log1p(np.cumprod(ratios).sum()), 0.0) - np.log(tail)

    if k == 0:
        return 0.0
    with np.errstate(over="ignore"):
        return optimize.brentq(excess, 1e-12, 1 - 1e-12)
