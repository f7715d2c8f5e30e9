"""How precise is the n-best list, for every n? One ranking, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import _checks
from betterthan._result import Interval
from betterthan.errors import InputError
from betterthan.ranking._average_precision import average_precision, bootstrap, percentiles
from betterthan.ranking._inputs import Rng, candidates, order, proportion, sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrecisionCurve", "binomial_interval", "plot", "precision_curve"]


def binomial_interval(k: Any, n: Any, confidence_level: float = 0.95) -> Interval:
    """Exact (Clopper–Pearson) interval for a proportion, of whole arrays at once.

    The interval for π_A in Eq. (2) of Evert (2004), given k = T_A true positives among n = N_A
    candidates; the same as R's binom.test.

    Raises
    ------
    ValueError
        For k or n that are not counts, k > n, n = 0, or a confidence level outside (0, 1).

    Examples
    --------
    >>> low, high = binomial_interval(200, 500)
    >>> f"{low:.1%} to {high:.1%}"
    '35.7% to 44.4%'
    """
    hits, size = proportion(k, n)
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    low = np.where(hits > 0, special.betaincinv(hits, size - hits + 1, tail), 0.0)
    high = np.where(hits < size, special.betaincinv(hits + 1, size - hits, 1 - tail), 1.0)
    return Interval(low, high) if low.ndim else Interval(float(low), float(high))


@dataclass(frozen=True, eq=False)
class PrecisionCurve:
    """Precision and recall of the n-best list for every n, with exact intervals.

    Attributes
    ----------
    n : array
        Sizes of the list, 1 to the number of candidates.
    tp : array
        True positives in it.
    name : str
        Of the ranking.
    confidence_level : float
        Of the intervals.
    """

    n: np.ndarray
    tp: np.ndarray
    name: str = "ranking"
    confidence_level: float = 0.95

    @property
    def positives(self) -> int:
        """True positives among all candidates."""
        return int(self.tp[-1])

    @property
    def baseline(self) -> float:
        """Precision of a random selection, the share of true positives among all candidates."""
        return self.positives / int(self.n[-1])

    @cached_property
    def precision(self) -> np.ndarray:
        """T_A / n, Eq. (1)."""
        return self.tp / self.n

    @cached_property
    def _interval(self) -> Interval:
        return binomial_interval(self.tp, self.n, self.confidence_level)

    @property
    def low(self) -> np.ndarray:
        """Lower limit of the precision (Clopper–Pearson)."""
        return self._interval.low

    @property
    def high(self) -> np.ndarray:
        """Upper limit of the precision."""
        return self._interval.high

    @property
    def recall(self) -> np.ndarray:
        """T_A divided by all true positives (0 where there are none)."""
        return self.tp / max(self.positives, 1)

    @property
    def average_precision(self) -> float:
        """The mean of the precision at each true positive."""
        return average_precision(np.diff(self.tp, prepend=0))

    def average_precision_interval(self, n_resamples: int = 1000, rng: Rng = 0) -> Interval:
        """Percentile bootstrap over candidates.

        What would another set of candidates from the same source have given? (At 95 % it covered
        92 to 95 % in simulations with 100 to 2,000 candidates.)

        Raises
        ------
        ValueError
            For n_resamples below 1, or an rng that is none.

        Examples
        --------
        >>> curve = precision_curve([4, 3, 2, 1], [1, 0, 1, 0])
        >>> print(round(curve.average_precision, 4), curve.average_precision_interval(200))
        0.8333 0.0000 to 1.0000
        """
        draws = bootstrap(np.diff(self.tp, prepend=0), (self.n - 1,), n_resamples, rng)
        return percentiles(draws[:, 0], self.confidence_level)

    def table(self) -> pd.DataFrame:
        """One row per n."""
        columns = ("n", "tp", "precision", "low", "high", "recall")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Precision against n with its band; see :func:`plot`."""
        return plot(self, ax=ax, **options)

    def __str__(self) -> str:
        sizes = [n for n in (100, 500, 1000, 2000) if n <= self.n[-1]] or [int(self.n[-1])]
        shown = 100 * self.table().set_index("n").loc[sizes, ["precision", "low", "high"]]
        parts = map("of the best {:,} {:.1f} % ({:.1f} to {:.1f} %)".format, sizes, *shown.T.values)
        return (
            f"{self.name}: {self.positives:,} of {int(self.n[-1]):,} candidates are true positives "
            f"({100 * self.baseline:.2f} %), {', '.join(parts)}."
        )


def precision_curve(
    scores: Any, gold: Any, name: str = "ranking", confidence_level: float = 0.95, rng: Rng = 0
) -> PrecisionCurve:
    """Precision of the n-best list for every n (Eq. 1), from one sort.

    Parameters
    ----------
    scores
        One number per candidate, larger is better; infinite ones are fine.
    gold
        1 for a true positive, 0 for a false one.
    name : str
        Of the ranking, for plots and text.
    confidence_level : float
        Of the intervals.
    rng
        Orders candidates with equal scores; None keeps the given order.

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores, gold that is not 0/1, a bad confidence level.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> curve = precision_curve([9, 8, 7, 6], [1, 0, 1, 0])
    >>> curve.tp, curve.precision.round(2)
    (array([1, 1, 2, 2]), array([1.  , 0.5 , 0.67, 0.5 ]))
    """
    values, truth = candidates(gold, scores=scores)
    level = _checks.alpha(confidence_level, "confidence_level")
    tp = np.cumsum(truth[order(values, rng)])
    return PrecisionCurve(np.arange(1, tp.size + 1), tp, name, level)


def plot(
    *curves: PrecisionCurve, ax: Axes | None = None, first: int = 1, last: int | None = None
) -> Axes:
    """Precision against n (Figures 1 and 2 of the paper), with bands for one or two curves.

    Parameters
    ----------
    curves : PrecisionCurve
        One or more.
    ax : matplotlib Axes, optional
        Axes to draw on.
    first, last : int
        The n shown.

    Raises
    ------
    ValueError
        For nothing to plot, or first, last outside the candidates.

    Examples
    --------
    >>> ax = plot(precision_curve([4, 3, 2, 1], [1, 0, 1, 0], name="new"))
    >>> [line.get_label() for line in ax.get_lines()][0], ax.get_ylabel()
    ('new', 'precision (%)')
    """
    if not curves or not all(isinstance(curve, PrecisionCurve) for curve in curves):
        raise InputError("curves", curves, expected="one or more curves")
    first, last = sizes(first, last, min(int(curve.n[-1]) for curve in curves))
    part = slice(first - 1, last)
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for i, curve in enumerate(curves):
        n, style = curve.n[part], ("-", "--", "-.", ":")[i % 4]
        (line,) = ax.plot(n, 100 * curve.precision[part], linestyle=style, label=curve.name)
        if len(curves) <= 2:
            low, high = 100 * curve.low[part], 100 * curve.high[part]
            ax.fill_between(n, low, high, color=line.get_color(), alpha=0.18, linewidth=0)
    share = 100 * curves[0].baseline
    ax.axhline(share, color="0.45", linewidth=1, linestyle=(0, (1, 2)))
    # Below the line, and not on it.
    below: dict[str, Any] = {
        "textcoords": "offset points",
        "ha": "right",
        "va": "top",
        "size": 8,
        "color": "0.35",
    }
    ax.annotate(f"baseline {share:.2f} %", (last, share), (0, -3), **below)
    ax.set(xlabel="n (size of the list)", ylabel="precision (%)", ylim=(0, None))
    ax.legend()
    return ax
