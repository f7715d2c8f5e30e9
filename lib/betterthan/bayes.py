"""Is model B better than model A, and with what probability?

Chapter 2 of the book. The test is Wang and Li (2019): both models run through the same m×2 BCV,
each gets its posterior of precision, recall or F1 (`betterthan.bcv`), and the probability that
B's value is the larger one is an integral. The paper draws a million pairs; here the integral is
computed. H1 always says that *B* is better.

The rows are folds. For two systems on the same sentences there is `betterthan.compare`. Three
functions of the library are called `compare`, since each asks whether B is better than A: that one
of two systems on the same items, `betterthan.ranking.compare` of two rankings, and `compare` here
of two cross-validations. Say ``bayes.compare``, and the reader of a script knows which is meant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from betterthan import _checks
from betterthan._words import counted, probability
from betterthan.bcv import Posterior, folds_of, posterior, require_folds
from betterthan.counts import Counts
from betterthan.errors import InputError
from betterthan.results import Results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["BayesTest", "compare"]

_WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}
# From which probability on a sentence says that something is so; `decision` is the paper's rule.
_SAID = 0.95
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True)
class BayesTest:
    """The outcome of a Bayes test of "B is better than A"; ``print`` gives the sentence.

    The sentence says "better" from a probability of 0.95 on. `decision` follows the paper, which
    takes the most probable of the hypotheses however small its lead.

    Attributes
    ----------
    metric : {"precision", "recall", "f1"}
    p_h0 : float
        P(ν_B − ν_A < −margin) (for margin 0: ≤ 0).
    p_within : float
        ``P(|ν_B − ν_A| ≤ margin)``; 0 without a margin.
    p_h1 : float
        P(ν_B − ν_A > margin).
    value_a : float
        The metric of A.
    value_b : float
        The metric of B.
    margin : float
        A difference nobody would care about.
    names : pair of str
        What A and B are called.
    n_folds : int
        Confusion matrices of each model.
    prior : float
        λ of the Beta(λ, λ) prior; 1 is flat.
    posterior_a : Posterior
        What is known of A's value.
    posterior_b : Posterior
        What is known of B's value.
    factor : float, optional
        What one count is worth, where that was said; None is the factor of the cross-validation.
    """

    metric: str
    p_h0: float
    p_within: float
    p_h1: float
    value_a: float
    value_b: float
    margin: float
    names: tuple[str, str]
    n_folds: int
    prior: float
    posterior_a: Posterior
    posterior_b: Posterior
    factor: float | None = None

    @property
    def difference(self) -> float:
        """The point estimate of B minus that of A."""
        return self.value_b - self.value_a

    @property
    def decision(self) -> str:
        """The most probable of "H0", "within" and "H1"; "H0" on a tie."""
        # Rounding must not break a tie.
        chances = {"H0": self.p_h0 + 1e-12, "within": self.p_within, "H1": self.p_h1}
        return max(chances, key=chances.__getitem__)

    def __str__(self) -> str:
        metric, (a, b) = _WORDS[self.metric], self.names
        prior = "flat prior" if self.prior == 1 else f"prior {self.prior:g}"
        sure = [outcome for outcome, p in self._outcomes().items() if p >= _SAID]
        return (
            f"{metric} is {self.value_a:.4f} for {a} and {self.value_b:.4f} for {b}. {b} minus "
            f"{a} is {self.difference:+.4f}. The probability that {self._chances()} (Bayes test on "
            f"{self._counts()}, {prior}): "
            f"{sure[0] if sure else 'which of the two is better is open at 95 %'}."
        )

    def _counts(self) -> str:
        """What the test rests on, in words."""
        folds = counted(self.n_folds, "fold")
        if self.factor is None:
            return folds
        matrices = "the counts of 1 test set" if self.n_folds == 1 else folds
        return f"{matrices}, a count worth {self.factor:.3g}"

    def _chances(self) -> str:
        """How probable each hypothesis is, in words."""
        a, b = self.names
        h0, within, h1 = (probability(p) for p in (self.p_h0, self.p_within, self.p_h1))
        if not self.margin:
            return f"{b} is better is {h1}, that {a} is at least as good {h0}"
        by = f"by more than {self.margin:g}"
        return f"{b} is better {by} is {h1}, that {a} is {h0}, that neither is {within}"

    def _outcomes(self) -> dict[str, float]:
        """What the sentence may conclude, each with its probability."""
        a, b = self.names
        if not self.margin:
            return {f"{b} is better than {a}": self.p_h1, f"{a} is at least as good": self.p_h0}
        by = f"by more than {self.margin:g}"
        return {
            f"{b} is better {by}": self.p_h1,
            f"{a} is better {by}": self.p_h0,
            f"no difference of more than {self.margin:g}": self.p_within,
        }

    def table(self) -> pd.DataFrame:
        """One row: metric, both values, difference, p_h0, p_within, p_h1, decision."""
        import pandas as pd

        values = {
            "metric": _WORDS[self.metric],
            **dict(zip(self.names, (self.value_a, self.value_b))),
        }
        for name in ("difference", "p_h0", "p_within", "p_h1", "decision"):
            values[name] = getattr(self, name)
        return pd.DataFrame([values])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Both posteriors, each with its 95 % interval below the curve."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(layout="constrained")[1]
        both = (self.posterior_a, self.posterior_b)
        top = max(float(p.pdf(p.ppf(0.5))) for p in both)
        for row, (name, p) in enumerate(zip(self.names, both)):
            at = np.linspace(*p.interval(0.999), 400)
            (line,) = ax.plot(at, p.pdf(at), label=name)
            ax.plot(
                p.interval(), [-0.05 * (row + 1) * top] * 2, color=line.get_color(), linewidth=4
            )
        ax.set(xlabel=_WORDS[self.metric], ylabel="density")
        ax.legend(title="line below: 95 %", title_fontsize=8)
        return ax


def compare(
    folds_a: Counts | Results,
    folds_b: Counts | Results,
    metric: str = "f1",
    repetitions: int | None = None,
    margin: float = 0.0,
    prior: float = 1.0,
    factor: float | None = None,
    names: tuple[str, str] | None = None,
) -> BayesTest:
    """The Bayes test of Eq. (31): H1 says that model B has the higher value.

    The two posteriors are taken as independent, as in the paper. A factor from
    `betterthan.bcv.factor_from` makes up for that on the sentences of one test set;
    `betterthan.compare`, which takes sentences, does without the assumption.

    Parameters
    ----------
    folds_a, folds_b : Counts or Results
        The confusion matrices of the baseline and the candidate, from the same folds;
        `betterthan.readers.read_fold_counts` reads them.
    metric : {"precision", "recall", "f1"}
    repetitions : int, optional
        The m of the m×2 cross-validation: two folds for each. The default None takes what the
        reader was told, else 3.
    margin : float
        A difference you would not care about (the region of practical equivalence).
    prior
        As in `betterthan.bcv.posterior`.
    factor : float, optional
        What one count is worth; None is the factor of the cross-validation. For two systems on the
        same sentences take ``bcv.factor_from(a, b)``, measured on both, with the counts
        ``bcv.added_up(a)`` and ``bcv.added_up(b)``.
    names : pair of str, optional
        What the printed sentence calls A and B; None takes the names of the results, else A and B.

    Returns
    -------
    BayesTest

    Raises
    ------
    ValueError
        For rows that are not folds, another number of them than two per repetition, an unknown
        metric, a margin outside [0, 1), or names that are not two different ones.

    Examples
    --------
    >>> from betterthan.counts import Counts
    >>> old = Counts([80, 82, 79, 81, 80, 83], fp=[20] * 6, fn=[20] * 6, unit="fold")
    >>> new = Counts([84, 85, 83, 86, 84, 85], fp=[18] * 6, fn=[17] * 6, unit="fold")
    >>> result = compare(old, new, names=("old", "new"))
    >>> round(result.p_h1, 3), result.decision
    (0.827, 'H1')
    """
    names = _checks.two_names(_names(folds_a, folds_b) if names is None else names)
    folds_a, repetitions = folds_of(folds_a, repetitions)
    folds_b, _ = folds_of(folds_b, repetitions)
    margin = _checks.real("margin", margin, 0.0, 1.0, closed="low")
    for name, folds in (("folds_a", folds_a), ("folds_b", folds_b)):
        require_folds(name, folds, "betterthan.compare", repetitions if factor is None else None)
    if len(folds_a) != len(folds_b):
        expected = f"{len(folds_a)} folds as in A, got {len(folds_b)}"
        raise InputError("folds_b", expected=expected)
    a, b = (posterior(folds, metric, repetitions, prior, factor) for folds in (folds_a, folds_b))
    p_h1 = _exceeds(a, b, margin)
    # A small probability is integrated itself: 1 minus the large one would lose its digits.
    p_h0 = 1 - p_h1 if margin == 0 and p_h1 < 0.99 else _exceeds(b, a, margin)
    p_within = max(0.0, 1 - p_h0 - p_h1) if margin else 0.0
    values = getattr(folds_a, metric), getattr(folds_b, metric)
    return BayesTest(
        metric, p_h0, p_within, p_h1, *values, margin, names, len(folds_a), prior, a, b, factor
    )


def _names(a: Any, b: Any) -> tuple[str, str]:
    """What two results are called, where both have a name."""
    own = getattr(a, "name", ""), getattr(b, "name", "")
    return own if all(own) else ("A", "B")


def _exceeds(a: Posterior, b: Posterior, margin: float) -> float:
    """P(B − A > margin), integrated over the narrower of the two posteriors in log-odds.

    There its density is smooth and falls off exponentially at both ends, and so is the
    distribution function of the wider one, but for a corner where it begins. 128 Gauss-Legendre
    nodes from the corner on give a dozen digits.
    """
    # F1 is 2W/(1 + W): its log-odds are those of the beta variable W plus log 2.
    shift = math.log(2) if a.metric == "f1" else 0.0
    wide, narrow = (a.found, a.lost), (b.found, b.lost)
    if _spread(*narrow) > _spread(*wide):
        # B − A is (1 − A) − (1 − B).
        wide, narrow, shift = narrow[::-1], wide[::-1], -shift
    log_odds, weights = _grid(*narrow, special.logit(margin) - shift)
    value = special.expit(log_odds + shift) - margin
    rest = special.expit(-log_odds - shift) + margin
    with np.errstate(divide="ignore"):
        below = np.log(np.maximum(value, 0)) - np.log(rest) - shift
    found, lost = wide
    # Near 1 a float holds 1 − w far better than w; one of the two terms is 0.
    chance = special.betainc(found, lost, np.where(below < 0, special.expit(below), 0.0))
    chance += special.betaincc(lost, found, np.where(below < 0, 1.0, special.expit(-below)))
    return min(1.0, float(weights @ chance))


def _spread(found: float, lost: float) -> float:
    return math.sqrt(special.zeta(2, found) + special.zeta(2, lost))


def _grid(found: float, lost: float, low: float) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds from `low` on, and their probabilities under Beta(found, lost)."""
    first, last = (_far_out(side * 9 * _spread(found, lost), found, lost) for side in (-1, 1))
    peak = math.log(found / lost)
    away, weights = _panels(first, last, found, lost, 1)
    whole = weights.sum()
    if low - peak > first:
        away, weights = _panels(min(low - peak, last), last, found, lost, 3)
    return peak + away, weights / whole


def _far_out(away: float, found: float, lost: float) -> float:
    """So far from the peak, from `away` on, that the density is next to nothing."""
    while _log_density(away, found, lost) > -40:
        away *= 1.4
    return away


def _panels(
    start: float, end: float, found: float, lost: float, power: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights from `start` to the peak at 0, where they are dense, and on to `end`.

    At a corner a power of the nodes makes them denser still: roots become smooth there.
    """
    nodes, weights = (_NODES + 1) / 2, _WEIGHTS / 2
    nodes, weights = nodes**power, power * nodes ** (power - 1) * weights
    edges = np.array([[start], [min(max(start, 0.0), end)], [end]])
    away = (edges[:-1] + np.diff(edges, axis=0) * nodes).ravel()
    weights = (np.diff(edges, axis=0) * weights).ravel()
    return away, weights * np.exp(_log_density(away, found, lost))


def _log_density(away: Any, found: float, lost: float) -> Any:
    """log density of the log-odds of Beta(found, lost), relative to its peak, `away` from it.

    Written around the smaller parameter: the other form subtracts numbers of the size of the
    larger one and loses their last digits.
    """
    if found >= lost:
        away, found, lost = -away, lost, found
    share = found / (found + lost)
    # e^500 is as good as infinity, and does not overflow.
    growth = np.log1p(share * np.expm1(np.minimum(away, 500))) + np.maximum(away - 500, 0)
    return found * away - (found + lost) * growth
