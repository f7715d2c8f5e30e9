"""Is "90 %" right nine times in ten? The Brier score, its parts, and is a model too sure?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks
from betterthan._result import Interval
from betterthan._words import pvalue as shown_pvalue
from betterthan.confidence import _unseen
from betterthan.confidence._calibration import ALPHA, InTheLarge, in_the_large
from betterthan.confidence._inputs import Stated, stated, tied
from betterthan.confidence.finding import tied_average_precision
from betterthan.confidence.recalibration import isotonic

if TYPE_CHECKING:  # pandas takes longer to import than all the rest, and a tagger needs none
    import pandas as pd
    from matplotlib.axes import Axes

# Where groups vary twice as much as independent answers would, the test of calibration errs in more
# than 5 % (study promises-confidence).
STRONG = 2.0


@dataclass(frozen=True)
class Bins:
    """Answers sorted into equal bins by their probability, and how far each bin is off.

    Attributes
    ----------
    low : array
        The lower end of each bin.
    high : array
        The upper end.
    n : array of int
        How many answers it has.
    right : array of int
        How many of them are right.
    accuracy : array
        The share of right answers; NaN in an empty bin.
    probability : array
        The mean probability; NaN in an empty bin.
    """

    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    right: np.ndarray
    accuracy: np.ndarray
    probability: np.ndarray

    @classmethod
    def of(cls, right: np.ndarray, p: np.ndarray, bins: int) -> Bins:
        """The answers in `bins` equal bins over [0, 1]."""
        # 29/50 * 50 is 28.999999999999996 in floating point: a count on an edge belongs above it.
        index = np.minimum(np.floor(p * bins + 1e-9).astype(np.int64), bins - 1)
        n = np.bincount(index, minlength=bins)
        hits = np.bincount(index, right, bins)
        total = np.bincount(index, p, bins)
        with np.errstate(invalid="ignore"):
            accuracy, mean = hits / n, total / n
        edges = np.arange(bins + 1) / bins
        return cls(edges[:-1], edges[1:], n, hits.astype(np.int64), accuracy, mean)

    def ece(self) -> float:
        """The mean absolute distance between accuracy and mean probability."""
        used, share = self.n > 0, self.n / self.n.sum()
        return float((share * np.abs(self.probability - self.accuracy))[used].sum())

    def rmse(self, stated_probability: np.ndarray) -> float:
        """The root mean squared distance between accuracy and what each bin is taken to state."""
        used, share = self.n > 0, self.n / self.n.sum()
        squares = share * (stated_probability - self.accuracy) ** 2
        return float(np.sqrt(squares[used].sum()))

    @property
    def centre(self) -> np.ndarray:
        """The middle of each bin."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What `evaluate` found; ``print`` gives the sentence for the paper.

    Attributes
    ----------
    n : int
        How many answers.
    base_rate : float
        The share of right answers. Saying it every time is the constant to beat.
    mean_probability : float
        What was stated on average; above the base rate the model is too sure.
    too_sure : Interval
        Of `mean_probability` − `base_rate`, 95 %; where it holds 0, luck alone may have done it.
    pvalue : float
        Two-sided, of a model that is neither too sure nor too unsure on the whole: below 0.05
        exactly where `too_sure` leaves 0 out. NaN for a single group.
    brier : float
        Mean squared distance between probability and 1 (right) or 0 (wrong). It is
        ``calibration − resolution + uncertainty``, exactly.
    interval : Interval
        Of the Brier score, 95 %, by the bound of one unseen answer (or group); NaN for a single
        group.
    n_groups : int
        How many groups (the answers themselves without ``groups=``).
    calibration : float
        What the Brier score would lose if every probability were replaced by what isotonic
        regression finds it to be worth; 0 is best.
    resolution : float
        How much better those replaced probabilities are than the base rate; more is better.
    ece : float
        Expected calibration error: mean absolute distance between a bin's share of right
        answers and its mean probability. Above 0 even for a model that keeps its promise.
    rmse_mean : float
        Root mean squared distance between the two.
    rmse_centre : float
        The same against the bin's *centre* (Mejer and Crammer 2010). A constant answer can win it.
    average_precision : float
        Of finding the errors, the least probable answers first; NaN without an error.
    notes : tuple of str
        What to beware of, and what was said while the answers were read.
    """

    n: int
    base_rate: float
    mean_probability: float
    too_sure: Interval
    pvalue: float
    brier: float
    interval: Interval
    n_groups: int
    calibration: float
    resolution: float
    ece: float
    rmse_mean: float
    rmse_centre: float
    average_precision: float
    _bins: Bins = field(repr=False)
    _curve: tuple[np.ndarray, np.ndarray] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def uncertainty(self) -> float:
        """The Brier score of the base rate."""
        return self.base_rate * (1 - self.base_rate)

    def __str__(self) -> str:
        said = (
            f"Of {self.n:,} answers {100 * self.base_rate:.1f} % are right. The Brier score is "
            f"{self.brier:.4f} ({self._known()}); always saying "
            f"{self.base_rate:.3f} would score {self.uncertainty:.4f}. Calibration costs "
            f"{self.calibration:.4f}, resolution gains {self.resolution:.4f}. The expected "
            f"calibration error is {self.ece:.4f} (above 0 for any model); on the whole the model "
            f"is {self._leaning()}. {self._finding()}"
        )
        return " ".join([said, *self.notes])

    def _known(self) -> str:
        groups = f"; {self.n_groups:,} groups" if self.n_groups < self.n else ""
        if math.isnan(self.interval.low):
            return f"no interval{groups}"
        return f"95 % interval {self.interval}{groups}"

    def _leaning(self) -> str:
        gap, (low, high) = self.mean_probability - self.base_rate, self.too_sure
        if math.isnan(self.pvalue):
            return (
                f"not shown to be too sure or unsure (stated minus right {gap:+.4f}, no interval)"
            )
        known = (
            f"(stated minus right {gap:+.4f}, 95 % interval {low:+.4f} to {high:+.4f}, "
            f"{_told(self.pvalue)})"
        )
        if self.pvalue >= ALPHA:
            return f"not shown to be too sure or unsure {known}"
        return f"too {'sure' if gap > 0 else 'unsure'} {known}"

    def _finding(self) -> str:
        if self.base_rate == 1:
            return "There is no mistake to find."
        wrong = round(self.n * (1 - self.base_rate))
        random_order = tied_average_precision(np.array([self.n]), np.array([wrong]))
        return (
            "Checking the least sure first finds the mistakes with an average precision of "
            f"{self.average_precision:.3f} (in random order {random_order:.3f})."
        )

    def table(self) -> pd.DataFrame:
        """One row per bin: low, high, n, right, accuracy, probability (its mean)."""
        import pandas as pd

        return pd.DataFrame(vars(self._bins))

    def plot(self, ax: Axes | None = None, label: str | None = None) -> Axes:
        """Reliability: the share of right answers at each stated probability.

        The line is isotonic regression: on the diagonal the promise is kept, below it the model
        promises too much. The bars grow with the square root of the number of answers.
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        (line,) = ax.plot(*self._curve, linewidth=1.5, label=label)
        low, height = self._bins.low, 0.1 * np.sqrt(self._bins.n / self._bins.n.max())
        ax.bar(low, height, 1 / low.size, align="edge", color=line.get_color(), alpha=0.35)
        ax.set(xlabel="stated probability", ylabel="share right", xlim=(0, 1), ylim=(0, 1))
        return ax


def _told(pvalue: float) -> str:
    # The exact distribution is known to about 1e-15, so no smaller digit means anything.
    return "two-sided p below 1e-9" if pvalue < 1e-9 else f"two-sided p = {shown_pvalue(pvalue)}"


def evaluate(
    correct: Any, probability: Any = None, *, groups: Any = None, bins: int = 20
) -> Evaluation:
    r"""Compare the probabilities that a model states with how often it is right.

    The Brier score is split by isotonic regression (CORP: Dimitriadis, Gneiting and Jordan
    2021), so calibration and resolution need no bins. The expected calibration error and the
    table have equal bins over [0, 1], each closed below and open above but for the last, which
    holds 1; a probability that is a count over a number of draws falls into the bin exact
    arithmetic puts it in.

    Parameters
    ----------
    correct
        1 or 0 (right or wrong) per answer; or answers as `readers.read_probabilities` gives them,
        which bring probability, groups and notes along.
    probability
        How sure the model was of each answer, between 0 and 1.
    groups
        Which answers belong together (sentence, document), one label each; the interval needs it.
    bins
        Number of bins.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        For no answers, unequal lengths, NaN, values of `correct` other than 0 and 1, or a
        probability outside [0, 1] (a margin is none; see `recalibrate`).

    Notes
    -----
    **Too sure or too unsure?** Where the model keeps its promise, the number of right answers is a
    sum of independent tosses with the stated probabilities. Without groups the test is exact
    (Poisson binomial, twice the smaller tail), and the interval holds what it does not refute,
    among models whose chances to be right (or to be wrong) are all lower than stated by the same
    share. With groups, :math:`S` being the sum of stated minus right, :math:`S_g` and :math:`n_g`
    those of group :math:`g`,

    .. math:: V = \max\Bigl(\sum p(1-p),\; \tfrac{G}{G-1} \sum_g (S_g - n_g S/n)^2\Bigr),

    and :math:`S/\sqrt V` is compared with Student's t with :math:`G^* - 1` degrees of freedom,
    :math:`G^*` Kish's effective number of groups.

    **The Brier score's interval** is the bound of one unseen answer: every answer gets a weight
    e ~ Exp(1), one answer that was not seen is added at 0 for the lower end and at 1 for the
    upper one, and 2.5 % of the weighted means lie beyond each end. With groups, groups are
    weighted, and the unseen one has their average size.

    Examples
    --------
    >>> result = evaluate([1] * 9 + [0] + [1, 0] * 5, [0.9] * 10 + [0.6] * 10)
    >>> print(f"{result.brier:.3f} = {result.calibration:.3f} − {result.resolution:.3f} + "
    ...       f"{result.uncertainty:.3f}")
    0.175 = 0.005 − 0.040 + 0.210
    >>> print(f"{result.pvalue:.2f}")
    0.76
    """
    bins = _checks.whole("bins", bins)
    answers = stated(correct, probability, groups)
    right, p = answers.right, answers.probability
    binned, leaning = Bins.of(right, p, bins), in_the_large(answers)
    base, brier = float(right.mean()), float(((p - right) ** 2).mean())
    values, n, hits = tied(right, p)
    worth = isotonic(n, hits)
    recalibrated = float((hits * (1 - worth) ** 2 + (n - hits) * worth**2).sum() / p.size)
    return Evaluation(
        n=answers.n,
        base_rate=base,
        mean_probability=float(p.mean()),
        too_sure=leaning.interval,
        pvalue=leaning.pvalue,
        brier=brier,
        interval=_brier_interval(answers),
        n_groups=answers.n_groups,
        calibration=max(0.0, brier - recalibrated),
        resolution=max(0.0, base * (1 - base) - recalibrated),
        ece=binned.ece(),
        rmse_mean=binned.rmse(binned.probability),
        rmse_centre=binned.rmse(binned.centre),
        average_precision=math.nan if right.all() else tied_average_precision(n, n - hits),
        _bins=binned,
        _curve=(values, worth),
        notes=(*answers.notes, *_beware(answers, leaning)),
    )


def _brier_interval(answers: Stated) -> Interval:
    if answers.n_groups < 2:
        return Interval(math.nan, math.nan)
    squares = (answers.probability - answers.right) ** 2
    return _unseen.interval(answers.summed(squares), answers.sizes)


def _beware(answers: Stated, leaning: InTheLarge) -> list[str]:
    if answers.n_groups < 2:
        return ["All answers are in one group: what it has in common cannot be told from luck."]
    if not answers.alone and leaning.spread > STRONG:
        return [
            "Groups differ much in how often the model is right: then a model that keeps its "
            "promise is called too sure or too unsure in up to 15 % of the cases."
        ]
    return []
