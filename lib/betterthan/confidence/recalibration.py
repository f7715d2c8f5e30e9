"""What a stated confidence is worth, learned from held-out labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan.confidence._inputs import flat, nested, pair, tied


def isotonic(n: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """The rising sequence nearest to the shares ``hits / n``, weighted by `n`.

    Examples
    --------
    >>> isotonic(np.array([2, 2]), np.array([2, 1]))
    array([0.75, 0.75])
    """
    from scipy.optimize import isotonic_regression

    return isotonic_regression(hits / n, weights=n).x


@dataclass(frozen=True)
class Recalibration:
    """A map from a stated confidence to one that held-out data supports; call it.

    Attributes
    ----------
    temperature : float or None
        What the log-odds are divided by; None for isotonic regression.
    """

    temperature: float | None
    _map: Callable[[np.ndarray], np.ndarray] = field(repr=False)

    def __call__(self, confidence: Any) -> Any:
        """The recalibrated confidence in the shape it was given: flat, or one array per sentence.

        Raises
        ------
        ValueError
            For NaN, or a confidence outside [0, 1] where the method needs a probability.
        """
        mapped = self._map(_checks.vector("confidence", flat(confidence)))
        if not nested(confidence):
            return mapped
        lengths = [len(values) for values in confidence]
        return np.split(mapped, np.cumsum(lengths)[:-1])

    def __str__(self) -> str:
        if self.temperature is None:
            return "isotonic recalibration: a rising function fitted to held-out labels"
        was = f"the confidence was too {'sure' if self.temperature > 1 else 'unsure'}"
        return f"temperature {self.temperature:.2f}: the log-odds are divided by it ({was})"


def recalibrate(
    correct: Any, confidence: Any, method: str = "isotonic", draws: int | None = None
) -> Recalibration:
    r"""Learn, from held-out labels, what a stated confidence is worth.

    Parameters
    ----------
    correct
        One truth value per answer of held-out data.
    confidence
        One number per answer. For ``"isotonic"`` any scale will do, so that even
        Delta's differences become probabilities.
    method
        ``"isotonic"``: the best rising function, straight lines between the values that were
        seen. ``"temperature"``: one number T by which the log-odds are divided, chosen by
        maximum likelihood.
    draws
        For ``"temperature"`` and a confidence that is a share of K draws: K, so that 0 and 1
        become (Kν + ½)/(K + 1). None keeps the confidence, cut at 1e-6 from 0 and 1.

    Raises
    ------
    ValueError
        For an unknown method, unequal lengths, NaN, or a confidence outside [0, 1] with
        ``"temperature"``.

    Examples
    --------
    A tagger that says .99 and is right four times in five:

    >>> fix = recalibrate([1] * 8 + [0] * 2, [0.99] * 10, "temperature")
    >>> fix([0.99]).round(3)
    array([0.8])
    """
    _checks.choice("method", method, ("isotonic", "temperature"))
    right, sure = pair(correct, confidence)
    if method == "isotonic":
        stated, n, hits = tied(right, sure)
        worth = isotonic(n, hits)
        return Recalibration(None, lambda values: np.interp(values, stated, worth))
    if draws is not None:
        draws = _checks.whole("draws", draws)

    def log_odds(values: np.ndarray) -> np.ndarray:
        p = _checks.probabilities("confidence", values)
        p = np.clip(p, 1e-6, 1 - 1e-6) if draws is None else (draws * p + 0.5) / (draws + 1)
        return np.log(p) - np.log1p(-p)

    t = _temperature(np.where(right, -1.0, 1.0) * log_odds(sure))
    return Recalibration(t, lambda values: 1 / (1 + np.exp(-log_odds(values) / t)))


def _temperature(z: np.ndarray) -> float:
    """The T from exp(-6) to exp(6) at which the mean of log(1 + exp(z / T)) is smallest.

    The mean is convex in 1 / T, so its slope has one root at most. The root is known to the last
    digits; the minimum itself is too flat to tell more than half of them.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    def slope(log_t: float) -> float:
        u = np.exp(-log_t)
        return float((z * expit(z * u)).mean())

    if not z.any():  # every answer at one half, which no T changes
        return 1.0
    low, high = -6.0, 6.0  # the slope falls as T rises
    if slope(low) <= 0:
        return float(np.exp(low))
    if slope(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(slope, low, high, xtol=1e-15, rtol=1e-14)))
