"""Would that ranking win again? Significance for n-best lists (Evert 2004, chapter 5).

A ranking is a score for every candidate, larger first, and a gold standard says which candidates
are true positives. This module measures the precision of the n-best list for every n at once,
with exact intervals, and tests at every n whether one ranking is better than another.

Candidates with equal scores are ordered at random, by one permutation drawn from `seed` and
shared by all rankings of the same call, so that identical rankings stay identical; `seed=None`
keeps the order in which the candidates were given.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from betterthan import _checks
from betterthan import _ranking_kernels as kernels
from betterthan._ranking_measures import (
    counts,
    dice,
    fisher,
    frequency,
    g2,
    local_mi,
    measures,
    mi,
    odds_ratio,
    odds_ratio_disc,
    poisson_stirling,
    t,
    x2,
    x2_yates,
    z,
)
from betterthan._ranking_trec import read_trec_qrels, read_trec_run, trec_candidates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AveragePrecision",
    "Comparison",
    "Interval",
    "Overdispersion",
    "PrecisionCurve",
    "RegionComparison",
    "Simultaneous",
    "adjacent_pairs",
    "average_precision",
    "beta_binomial_interval",
    "binomial_interval",
    "compare",
    "compare_average_precision",
    "compare_counts",
    "compare_regions",
    "dice",
    "fisher",
    "fisher_exact",
    "fit_overdispersion",
    "frequency",
    "g2",
    "local_mi",
    "mean_average_precision",
    "measures",
    "mi",
    "odds_ratio",
    "odds_ratio_disc",
    "plot",
    "poisson_stirling",
    "precision_curve",
    "read_candidates",
    "read_trec_qrels",
    "read_trec_run",
    "t",
    "trec_candidates",
    "x2",
    "x2_yates",
    "z",
]

Seed = int | np.random.SeedSequence | np.random.Generator | None


class Interval(NamedTuple):
    """The limits of an interval.

    Attributes
    ----------
    low : float or array
        Lower limit.
    high : float or array
        Upper limit.
    """

    low: Any
    high: Any


# Checks


def _candidates(gold: Any, **scores: Any) -> tuple[np.ndarray, ...]:
    """The scores, by the names of their arguments, and `gold` as True and False, all checked."""
    checked = {name: _checks.vector(name, values) for name, values in scores.items()}
    truth = _gold(gold)
    _checks.same_length(**checked, gold=truth)
    return *checked.values(), truth


def _gold(gold: Any) -> np.ndarray:
    try:
        array = np.asarray(gold, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"gold: expected 0 and 1, got {gold!r:.80}") from None
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"gold: expected one dimension and at least 1 value, got shape {array.shape}"
        )
    bad = np.flatnonzero((array != 0) & (array != 1))
    if bad.size:
        raise ValueError(
            f"gold[{bad[0]}]={array[bad[0]].item()!r}: expected 0 or 1 for every candidate"
        )
    if not array.any():
        # The warning belongs to the caller of the public function that called `_candidates`.
        warnings.warn(
            "gold holds no true positives: every precision is 0", UserWarning, stacklevel=4
        )
    return array.astype(bool)


def _order(scores: np.ndarray, seed: Seed) -> np.ndarray:
    """Candidates from the largest score to the smallest."""
    if seed is None:
        return np.argsort(-scores, kind="stable")
    shuffle = np.random.default_rng(seed).permutation(scores.size)
    return shuffle[np.argsort(-scores[shuffle], kind="stable")]


def _restart(seed: Seed) -> Seed:
    """A seed that gives the same permutation each time it is used."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    return seed


def _ranks(order: np.ndarray) -> np.ndarray:
    ranks = np.empty(order.size, np.int64)
    ranks[order] = np.arange(order.size)
    return ranks


# One ranking


def binomial_interval(k: Any, n: Any, level: float = 0.95) -> Interval:
    """Exact (Clopper–Pearson) interval for a proportion, of whole arrays at once.

    The interval for π_A in Eq. (2) of Evert (2004), given k = T_A true positives among n = N_A
    candidates; the same as R's binom.test.

    Raises
    ------
    ValueError
        For k or n that are not counts, k > n, n = 0, or a level outside (0, 1).

    Examples
    --------
    >>> low, high = binomial_interval(200, 500)
    >>> f"{low:.1%} to {high:.1%}"
    '35.7% to 44.4%'
    """
    hits, size = _proportion(k, n)
    tail = (1 - _checks.alpha(level, "level")) / 2
    low = np.where(hits > 0, special.betaincinv(np.maximum(hits, 1), size - hits + 1, tail), 0.0)
    high = np.where(
        hits < size, special.betaincinv(hits + 1, np.maximum(size - hits, 1), 1 - tail), 1.0
    )
    return Interval(low, high) if low.ndim else Interval(float(low), float(high))


def _proportion(k: Any, n: Any) -> tuple[np.ndarray, np.ndarray]:
    hits, size = counts("k", k), counts("n", n)
    try:
        hits, size = np.broadcast_arrays(hits, size)
    except ValueError:
        raise ValueError(
            f"expected k and n of the same length, but k has {hits.shape}, n has {size.shape}"
        ) from None
    empty = np.flatnonzero(size == 0)
    if empty.size:
        where = f"n[{empty[0]}]" if size.ndim else "n"
        raise ValueError(f"{where}=0: expected at least one candidate")
    over = np.flatnonzero(hits > size)
    if over.size:
        i = over[0]
        raise ValueError(f"k={hits.flat[i]:g}: expected at most n={size.flat[i]:g} true positives")
    return hits, size


@dataclass(frozen=True, eq=False)
class PrecisionCurve:
    """Precision and recall of the n-best list for every n, with intervals.

    Attributes
    ----------
    n : array
        Sizes of the list.
    tp : array
        True positives in it.
    low : array
        Lower limit of the precision (Clopper–Pearson).
    high : array
        Upper limit.
    positives : int
        True positives among all `n[-1]` candidates.
    level : float
        Of the intervals.
    name : str
        Of the ranking.
    """

    n: np.ndarray
    tp: np.ndarray
    positives: int
    level: float = 0.95
    name: str = "ranking"

    @cached_property
    def precision(self) -> np.ndarray:
        """T_A / n, Eq. (1)."""
        return self.tp / self.n

    @cached_property
    def _interval(self) -> Interval:
        return binomial_interval(self.tp, self.n, self.level)

    @property
    def low(self) -> np.ndarray:
        """Lower limit of the precision."""
        return self._interval.low

    @property
    def high(self) -> np.ndarray:
        """Upper limit of the precision."""
        return self._interval.high

    @property
    def baseline(self) -> float:
        """Precision of a random selection, the share of true positives among all candidates."""
        return self.positives / int(self.n[-1])

    @cached_property
    def recall(self) -> np.ndarray:
        """T_A divided by all true positives (0 where there are none)."""
        return self.tp / max(self.positives, 1)

    @cached_property
    def recall_interval(self) -> Interval:
        """Clopper–Pearson limits of the recall, since a true positive is in the list or not."""
        if self.positives == 0:
            return Interval(np.zeros(self.n.size), np.ones(self.n.size))
        return binomial_interval(self.tp, self.positives, self.level)

    def at(self, n: int) -> pd.Series:
        """The row of one n.

        Raises
        ------
        ValueError
            For n outside 1 … number of candidates.
        """
        i = _checks.whole("n", n, 1, int(self.n[-1])) - 1
        return pd.Series(
            {
                "n": n,
                "tp": int(self.tp[i]),
                "precision": float(self.precision[i]),
                "low": float(self.low[i]),
                "high": float(self.high[i]),
                "recall": float(self.recall[i]),
            }
        )

    def table(self) -> pd.DataFrame:
        """Everything as a table, a row per n."""
        recall_low, recall_high = self.recall_interval
        return pd.DataFrame(
            {
                "n": self.n,
                "tp": self.tp,
                "precision": self.precision,
                "low": self.low,
                "high": self.high,
                "recall": self.recall,
                "recall_low": recall_low,
                "recall_high": recall_high,
            }
        )

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Precision against n with its band; see :func:`plot`."""
        return plot(self, ax=ax, **options)

    def __str__(self) -> str:
        shown = [n for n in (100, 500, 1000, 2000) if n <= self.n[-1]] or [int(self.n[-1])]
        parts = [
            f"{100 * row.precision:.1f} % ({100 * row.low:.1f} to {100 * row.high:.1f} %) "
            f"of the best {n:,}"
            for n, row in ((n, self.at(n)) for n in shown)
        ]
        return (
            f"{self.name}: of {int(self.n[-1]):,} candidates {self.positives:,} are true positives "
            f"({100 * self.baseline:.2f} %); true positives are " + ", ".join(parts)
        )


def precision_curve(
    scores: Any, gold: Any, seed: Seed = 0, level: float = 0.95, name: str = "ranking"
) -> PrecisionCurve:
    """Precision of the n-best list for every n (Eq. 1), from one sort.

    Parameters
    ----------
    scores
        A number per candidate, larger is better; infinite ones are fine.
    gold
        1 for a true positive, 0 for a false one.
    seed
        Orders candidates with equal scores; None keeps the given order.
    level : float
        Of the intervals.
    name : str
        Of the ranking, for plots and text.

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores, gold that is not 0/1, a bad level.

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
    values, truth = _candidates(gold, scores=scores)
    _checks.alpha(level, "level")
    tp = np.cumsum(truth[_order(values, seed)])
    return PrecisionCurve(np.arange(1, values.size + 1), tp, int(tp[-1]), float(level), name)


# Two rankings


def fisher_exact(
    t1: Any, f1: Any, t2: Any, f2: Any, alternative: str = "two-sided"
) -> np.ndarray | float:
    """Fisher's exact test of many tables at once: p-values.

    H0: π_D1 = π_D2 (section 3.3), where D1 holds `t1` true and `f1` false positives and D2 holds
    `t2` and `f2`. Two-sided by R's definition: the sum of all tables with the same margins that
    are at most as probable as the observed one. For differences of the same size, as n-best lists
    have, that is 2·P(T ≥ max(t1, t2)), and 1 where t1 = t2.

    Parameters
    ----------
    t1, f1, t2, f2
        Counts, arrays or numbers.
    alternative : str
        "two-sided"; "greater" (D1 has the higher precision) or "less".

    Raises
    ------
    ValueError
        For cells that are not counts, lengths that differ, an unknown alternative.

    Examples
    --------
    >>> fisher_exact([3, 8, 0], [1, 2, 0], [1, 1, 0], [3, 5, 0]).round(4)
    array([0.4857, 0.035 , 1.    ])
    """
    _checks.choice("alternative", alternative, ("two-sided", "greater", "less"))
    cells = [counts(name, v) for name, v in zip(("t1", "f1", "t2", "f2"), (t1, f1, t2, f2))]
    try:
        a, b, c, d = np.broadcast_arrays(*cells)
    except ValueError:
        shapes = ", ".join(str(cell.shape) for cell in cells)
        raise ValueError(
            f"expected t1, f1, t2, f2 of the same length, but shapes are {shapes}"
        ) from None
    flat = [np.ascontiguousarray(cell).ravel() for cell in (a, b, c, d)]
    if alternative == "two-sided":
        p = kernels.two_sided(*flat)
    else:
        first, second = (flat[:2], flat[2:]) if alternative == "greater" else (flat[2:], flat[:2])
        p = np.exp(kernels.log_upper(*first, *second))
    return p.reshape(a.shape) if a.ndim else float(p[0])


@dataclass(frozen=True, eq=False)
class Simultaneous:
    """A test of every n at once (see :meth:`Comparison.simultaneous`).

    Attributes
    ----------
    critical_p : float
        What Fisher's p must reach at some n for a claim that holds over the whole range.
    p_value : array
        The adjusted p-value of every n, 1 outside the range.
    least : array
        The smallest p-value of each permutation, sorted.
    alpha : float
        The chance of one or more false claims over the whole range.
    first : int
        Where the range of n begins.
    last : int
        Where it ends.
    """

    critical_p: float
    p_value: np.ndarray
    least: np.ndarray
    alpha: float
    first: int
    last: int

    def significant(self, alpha: float | None = None) -> np.ndarray:
        """For every n: is the adjusted p-value at most alpha?"""
        level = self.alpha if alpha is None else _checks.alpha(alpha)
        return self.p_value <= level

    def __str__(self) -> str:
        return (
            f"over all n from {self.first:,} to {self.last:,} together, Fisher's p must be at most "
            f"{self.critical_p:.2g} at some n to be significant at {self.alpha:g} "
            f"({self.least.size:,} permutations)"
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two rankings compared at every n.

    Attributes
    ----------
    n : array
        Sizes of the lists.
    tp_a : array
        True positives in A's list.
    tp_b : array
        True positives in B's list.
    t1 : array
        True positives in A's list that are not in B's.
    f1 : array
        False positives in A's list that are not in B's.
    t2 : array
        True positives in B's list that are not in A's.
    f2 : array
        False positives in B's list that are not in A's.
    p_value : array
        Of Fisher's two-sided test.
    positives : int
        True positives among all candidates.
    level : float
        Of the intervals of each curve.
    names : pair of str
        Of the rankings.
    """

    n: np.ndarray
    tp_a: np.ndarray
    tp_b: np.ndarray
    t1: np.ndarray
    f1: np.ndarray
    t2: np.ndarray
    f2: np.ndarray
    p_value: np.ndarray
    positives: int
    level: float = 0.95
    names: tuple[str, str] = ("A", "B")
    _orders: tuple[np.ndarray, ...] | None = field(default=None, init=False, repr=False)

    @cached_property
    def precision_a(self) -> np.ndarray:
        """Precision of A's n-best list."""
        return self.tp_a / self.n

    @cached_property
    def precision_b(self) -> np.ndarray:
        """Precision of B's n-best list."""
        return self.tp_b / self.n

    @cached_property
    def a(self) -> PrecisionCurve:
        """A's own curve, with intervals."""
        return PrecisionCurve(self.n, self.tp_a, self.positives, self.level, self.names[0])

    @cached_property
    def b(self) -> PrecisionCurve:
        """B's own curve, with intervals."""
        return PrecisionCurve(self.n, self.tp_b, self.positives, self.level, self.names[1])

    @property
    def winner(self) -> np.ndarray:
        """The name of the ranking with more true positives at every n, "" for a draw."""
        return np.where(
            self.tp_a > self.tp_b,
            self.names[0],
            np.where(self.tp_b > self.tp_a, self.names[1], ""),
        )

    def significant(self, alpha: float = 0.05) -> np.ndarray:
        """For every n: is p at most alpha? (Pointwise: each n is tested on its own.)

        Raises
        ------
        ValueError
            For alpha outside (0, 1).
        """
        return self.p_value <= _checks.alpha(alpha)

    def at(self, n: int) -> pd.Series:
        """The row of one n.

        Raises
        ------
        ValueError
            For n outside 1 … number of candidates.
        """
        return self.table().iloc[_checks.whole("n", n, 1, int(self.n[-1])) - 1]

    def table(self) -> pd.DataFrame:
        """Everything as a table, a row per n."""
        return pd.DataFrame(
            {
                "n": self.n,
                "precision_a": self.precision_a,
                "precision_b": self.precision_b,
                "t1": self.t1,
                "f1": self.f1,
                "t2": self.t2,
                "f2": self.f2,
                "p_value": self.p_value,
                "winner": self.winner,
            }
        )

    def ranges(
        self,
        alpha: float = 0.05,
        first: int = 1,
        last: int | None = None,
        simultaneous: Simultaneous | None = None,
    ) -> pd.DataFrame:
        """The ranges of n over which one ranking is significantly better without a gap.

        Parameters
        ----------
        alpha : float
            Significance level.
        first, last : int
            The n looked at.
        simultaneous : Simultaneous, optional
            Result of :meth:`simultaneous`; its adjusted p-values are used.

        Returns
        -------
        DataFrame
            A row per range: first n, last n, how many, the better ranking, smallest p.

        Raises
        ------
        ValueError
            For alpha outside (0, 1), or first, last outside the candidates.
        """
        first, last = self._range(first, last)
        p = self.p_value if simultaneous is None else simultaneous.p_value
        inside = (self.n >= first) & (self.n <= last)
        sign = np.sign(self.tp_a - self.tp_b) * ((p <= _checks.alpha(alpha)) & inside)
        starts = np.flatnonzero(np.diff(sign, prepend=0))
        ends = np.append(starts[1:], sign.size)
        rows = [
            {
                "from": int(self.n[i]),
                "to": int(self.n[j - 1]),
                "values of n": int(j - i),
                "better": self.names[0] if sign[i] > 0 else self.names[1],
                "smallest p": float(p[i:j].min()),
            }
            for i, j in zip(starts, ends)
            if sign[i]
        ]
        return pd.DataFrame(rows, columns=["from", "to", "values of n", "better", "smallest p"])

    def _range(self, first: int, last: int | None) -> tuple[int, int]:
        size = int(self.n[-1])
        last = size if last is None else _checks.whole("last", last, 1, size)
        return _checks.whole("first", first, 1, last), last

    def simultaneous(
        self,
        alpha: float = 0.05,
        permutations: int = 1000,
        first: int = 1,
        last: int | None = None,
        seed: Seed = 0,
        n_jobs: int = 1,
    ) -> Simultaneous:
        """Test all n together: a band that holds everywhere at once.

        Were the two rankings equally good, it would not matter which of a candidate's two ranks
        came from which. So every permutation swaps the two ranks of each candidate with
        probability ½, ranks again (a fair coin, the same for both rankings, where two candidates
        claim a place), runs Fisher's test at every n and keeps the smallest p-value. The alpha
        quantile of these is the critical p-value, which equally good rankings reach *anywhere* with
        a probability of about alpha (Westfall and Young's single-step minP; swapping ranks, not
        scores, makes it approximate). Like Fisher's test it takes candidates to be independent:
        where many of them rise and fall together, as pairs from the same articles do, both
        claim too much.

        Parameters
        ----------
        alpha : float
            Chance of one or more false claims over the whole range.
        permutations : int
            How many.
        first, last : int
            The range of n; a narrower one is more powerful.
        seed
            Of the permutations.
        n_jobs : int
            Workers; the result does not depend on it.

        Raises
        ------
        ValueError
            For arguments out of range, or a comparison made from counts alone.
        """
        _checks.alpha(alpha)
        _checks.whole("permutations", permutations, 1)
        first, last = self._range(first, last)
        if self._orders is None:
            raise ValueError(
                "simultaneous: expected a comparison made by compare(); one made from counts "
                "does not know the rankings"
            )
        order_a, order_b, gold = self._orders
        log_factorial = special.gammaln(np.arange(2 * order_a.size + 2) + 1.0)
        blocks = [100] * (permutations // 100) + [permutations % 100] * (permutations % 100 > 0)
        children = _children(seed, len(blocks))

        def block(size: int, child: np.random.SeedSequence) -> np.ndarray:
            rng = np.random.default_rng(child)
            out = np.empty(size)
            for i in range(size):
                bits = rng.integers(0, 2, (2, order_a.size), dtype=np.uint8).astype(bool)
                out[i] = kernels.least_p(
                    order_a, order_b, gold, bits[0], bits[1], log_factorial, first, last
                )
            return out

        parts = joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
            joblib.delayed(block)(size, child) for size, child in zip(blocks, children)
        )
        least = np.sort(np.concatenate(parts))
        return self.adjust(least, alpha, first, last)

    def adjust(
        self, least: Any, alpha: float = 0.05, first: int = 1, last: int | None = None
    ) -> Simultaneous:
        """Adjusted p-values from the smallest p-values of permutations made earlier.

        The observed rankings count as one permutation more, so no adjusted p-value is 0.

        Raises
        ------
        ValueError
            For `least` that are not probabilities, or arguments out of range.
        """
        _checks.alpha(alpha)
        first, last = self._range(first, last)
        smallest = np.sort(_checks.probabilities("least", least))
        # The slack lets equal tables count as equal whatever order their terms were summed in.
        reached = np.searchsorted(smallest, self.p_value * (1 + 1e-9), side="right")
        adjusted = (1 + reached) / (smallest.size + 1)
        adjusted[(self.n < first) | (self.n > last)] = 1.0
        allowed = int(np.floor(alpha * (smallest.size + 1) + 1e-9)) - 1
        # A p-value is significant while at most `allowed` permutations reach it.
        critical = 0.0 if allowed < 0 else float(smallest[allowed] * (1 - 1e-9))
        return Simultaneous(critical, adjusted, smallest, float(alpha), first, last)

    def band(self, level: float) -> np.ndarray:
        """For every n: the smallest difference in precision whose p-value is at most `level`.

        Infinite where no split of the observed true positives would be significant.

        Raises
        ------
        ValueError
            For level outside (0, 1).
        """
        _checks.alpha(level, "level")
        positives = (self.t1 + self.t2).astype(float)
        size = (self.t1 + self.f1).astype(float)
        least = kernels.critical_difference(positives, size, level)
        return np.where(least > 0, least / self.n, np.inf)

    def sentence(
        self,
        alpha: float = 0.05,
        first: int = 1,
        last: int | None = None,
        simultaneous: Simultaneous | None = None,
    ) -> str:
        """What was found, as a sentence for a paper.

        Raises
        ------
        ValueError
            For alpha outside (0, 1), or first, last outside the candidates.
        """
        first, last = self._range(first, last)
        text = (
            f"For lists of {first:,} to {last:,} of {int(self.n[-1]):,} candidates "
            f"({self.positives:,} true), {self._found(self.ranges(alpha, first, last))} "
            f"(two-sided Fisher's exact test on the candidates that only one list holds, "
            f"p ≤ {alpha:g} at each n)"
        )
        if simultaneous is not None:
            found = self._found(self.ranges(alpha, first, last, simultaneous))
            text += (
                f"; over all n from {simultaneous.first:,} to {simultaneous.last:,} together, "
                f"{found} (permutation of the two rankings, {simultaneous.least.size:,} "
                f"permutations, maximum statistic, familywise p ≤ {alpha:g})"
            )
        return text + "."

    def _found(self, found: pd.DataFrame) -> str:
        if found.empty:
            a, b = self.names
            return f"the precision of {a} and {b} differs significantly at no n"
        parts = []
        for name in self.names:
            mine = found[found["better"] == name]
            if mine.empty:
                continue
            other = self.names[1] if name == self.names[0] else self.names[0]
            number = int(mine["values of n"].sum())
            longest = mine.loc[mine["values of n"].idxmax()]
            where = f"n = {longest['from']:,}"
            if longest["to"] > longest["from"]:
                where = f"{longest['from']:,} ≤ n ≤ {longest['to']:,}"
            if len(mine) > 1:
                where = f"{number:,} values of n, the longest run being {where}"
            parts.append(f"{name} is significantly more precise than {other} at {where}")
        return " and ".join(parts)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Both curves with bands, significant n marked; see :func:`plot`."""
        return plot(self, ax=ax, **options)

    def plot_difference(
        self,
        ax: Axes | None = None,
        first: int = 1,
        last: int | None = None,
        alpha: float = 0.05,
        simultaneous: Simultaneous | None = None,
    ) -> Axes:
        """Difference in precision against the pointwise and the simultaneous band around 0.

        Raises
        ------
        ValueError
            For alpha outside (0, 1), or first, last outside the candidates.
        """
        first, last = self._range(first, last)
        ax = _axes(ax)
        part = slice(first - 1, last)
        n = self.n[part]
        difference = 100 * (self.precision_a - self.precision_b)[part]
        reach = 1.15 * max(np.abs(difference).max(), 1e-9)
        bands = [(_checks.alpha(alpha), "0.55", f"pointwise, p > {alpha:g}")]
        if simultaneous is not None and simultaneous.critical_p > 0:
            bands.insert(0, (simultaneous.critical_p, "0.82", "simultaneous"))
        for limit, colour, label in bands:
            width = np.minimum(100 * self.band(limit)[part], 10 * reach)
            ax.fill_between(n, -width, width, color=colour, alpha=0.5, linewidth=0, label=label)
            reach = max(reach, 1.1 * np.median(width))
        ax.plot(n, difference, color="C0", label=f"{self.names[0]} − {self.names[1]}")
        ax.axhline(0, color="0.3", linewidth=0.8)
        ax.set(
            xlabel="n (size of the list)",
            ylabel="difference in precision (points)",
            ylim=(-reach, reach),
        )
        ax.legend()
        return ax

    def __str__(self) -> str:
        found = self.ranges()
        if found.empty:
            return (
                f"{self.names[0]} against {self.names[1]} on {int(self.n[-1]):,} candidates: "
                "no n with a significant difference (Fisher's exact test, each n on its own, "
                "α = 0.05)"
            )
        longest = found.loc[found["values of n"].idxmax()]
        covered = int(found["values of n"].sum())
        return (
            f"{self.names[0]} against {self.names[1]} on {int(self.n[-1]):,} candidates: "
            f"{longest['better']} is better for {longest['from']:,} ≤ n ≤ {longest['to']:,} "
            f"(Fisher's exact test, each n on its own, α = 0.05; {covered:,} significant n in "
            f"{len(found)} range{'s' if len(found) > 1 else ''})"
        )


def compare(
    scores_a: Any,
    scores_b: Any,
    gold: Any,
    seed: Seed = 0,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare two rankings of the same candidates at every n (section 3.3).

    Only candidates in one list and not in the other can tell the rankings apart: D1 = A∖B and
    D2 = B∖A. Fisher's exact test compares the share of true positives in the two.

    Parameters
    ----------
    scores_a, scores_b
        A number per candidate, larger is better.
    gold
        1 for a true positive, 0 for a false one.
    seed
        Orders candidates with equal scores, the same way in both rankings.
    level : float
        Of the intervals of each curve.
    names : pair of str
        Of the rankings.

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores, gold that is not 0/1, a bad level.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gold = np.arange(2000) % 5 == 0
    >>> good, poor = (gold * strength + rng.normal(size=2000) for strength in (1.5, 0.5))
    >>> result = compare(good, poor, gold, names=("good", "poor"))
    >>> print(result.significant()[[99, 499]], f"{result.p_value[499]:.1g}")
    [ True  True] 9e-25
    >>> print(result)  # doctest: +ELLIPSIS
    good against poor on 2,000 candidates: good is better for ...
    """
    a, b, truth = _candidates(gold, scores_a=scores_a, scores_b=scores_b)
    seed = _restart(seed)
    order_a, order_b = _order(a, seed), _order(b, seed)
    both_from = np.maximum(_ranks(order_a), _ranks(order_b))
    result = compare_counts(
        np.cumsum(truth[order_a]),
        np.cumsum(truth[order_b]),
        np.cumsum(np.bincount(both_from, minlength=a.size)),
        np.cumsum(np.bincount(both_from[truth], minlength=a.size)),
        level=level,
        names=names,
    )
    object.__setattr__(result, "_orders", (order_a, order_b, truth))
    return result


def compare_counts(
    tp_a: Any,
    tp_b: Any,
    common: Any,
    tp_common: Any,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """The comparison of :func:`compare` from counts per n, where the rankings are not at hand.

    Parameters
    ----------
    tp_a, tp_b
        True positives in the n-best lists for n = 1, 2, … all candidates.
    common
        How many candidates are in both lists.
    tp_common
        How many true positives are in both lists.
    level : float
        Of the intervals of each curve.
    names : pair of str
        Of the rankings.

    Raises
    ------
    ValueError
        For lengths that differ, or counts that no two rankings can have.

    Examples
    --------
    >>> compare_counts([1, 2, 2], [0, 1, 2], [0, 1, 3], [0, 1, 2]).p_value
    array([1., 1., 1.])
    """
    named = {"tp_a": tp_a, "tp_b": tp_b, "common": common, "tp_common": tp_common}
    arrays = {name: counts(name, values) for name, values in named.items()}
    for name, array in arrays.items():
        if array.ndim != 1 or not array.size:
            raise ValueError(
                f"{name}: expected one dimension and at least 1 value, got shape {array.shape}"
            )
    size = _checks.same_length(**arrays)
    _checks.alpha(level, "level")
    n = np.arange(1, size + 1)
    in_a, in_b, shared, true_shared = (array.astype(np.int64) for array in arrays.values())
    t1, t2 = in_a - true_shared, in_b - true_shared
    f1, f2 = n - shared - t1, n - shared - t2
    for name, array in {"t1": t1, "t2": t2, "f1": f1, "f2": f2}.items():
        bad = np.flatnonzero(array < 0)
        if bad.size:
            raise ValueError(
                f"{name}={array[bad[0]]} at n={n[bad[0]]}: expected counts of two rankings, "
                "none of whose differences is negative"
            )
    p = kernels.two_sided(*(cell.astype(float) for cell in (t1, f1, t2, f2)))
    names = _checks.two_names(names)
    positives = int(max(in_a[-1], in_b[-1]))
    return Comparison(n, in_a, in_b, t1, f1, t2, f2, p, positives, float(level), names)


@dataclass(frozen=True)
class RegionComparison:
    """Two γ-acceptance regions compared.

    Attributes
    ----------
    n_a : int
        Candidates in A's region.
    tp_a : int
        True positives among them.
    n_b : int
        Candidates in B's region.
    tp_b : int
        True positives among them.
    t1 : int
        True positives in A's region that are not in B's.
    f1 : int
        False positives in A's region that are not in B's.
    t2 : int
        True positives in B's region that are not in A's.
    f2 : int
        False positives in B's region that are not in A's.
    p_value : float
        Of Fisher's two-sided test.
    interval_a : Interval
        Of A's precision.
    interval_b : Interval
        Of B's precision.
    names : pair of str
        Of the rankings.
    """

    n_a: int
    tp_a: int
    n_b: int
    tp_b: int
    t1: int
    f1: int
    t2: int
    f2: int
    p_value: float
    interval_a: Interval
    interval_b: Interval
    names: tuple[str, str] = ("A", "B")

    @property
    def precision_a(self) -> float:
        """Precision of A's region, NaN where it accepts nothing."""
        return self.tp_a / self.n_a if self.n_a else float("nan")

    @property
    def precision_b(self) -> float:
        """Precision of B's region, NaN where it accepts nothing."""
        return self.tp_b / self.n_b if self.n_b else float("nan")

    def significant(self, alpha: float = 0.05) -> bool:
        """Is p at most alpha?"""
        return self.p_value <= _checks.alpha(alpha)

    def __str__(self) -> str:
        share1 = self.t1 / max(self.t1 + self.f1, 1)
        share2 = self.t2 / max(self.t2 + self.f2, 1)
        if self.p_value > 0.05 or share1 == share2:
            verdict = "no significant difference"
        else:
            verdict = f"{self.names[0] if share1 > share2 else self.names[1]} is better"
        return (
            f"{self.names[0]} accepts {self.n_a:,} candidates ({self.tp_a:,} true), "
            f"{self.names[1]} {self.n_b:,} ({self.tp_b:,} true); where they differ {self.t1:,} of "
            f"{self.t1 + self.f1:,} against {self.t2:,} of {self.t2 + self.f2:,} are true: "
            f"{verdict} (Fisher's exact test, p = {self.p_value:.3g})"
        )


def compare_regions(
    scores_a: Any,
    gamma_a: float,
    scores_b: Any,
    gamma_b: float,
    gold: Any,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> RegionComparison:
    """Compare two γ-acceptance regions: the candidates with score ≥ γ (section 2).

    Regions need not be of the same size, so Fisher's test follows the general rule. Note Evert's
    footnote 13: with very different sizes the better region need not have the higher precision.

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores or thresholds, gold that is not 0/1.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> print(compare_regions([5, 4, 3, 2, 1], 3, [1, 2, 3, 4, 5], 4, [1, 1, 0, 0, 0]))
    A accepts 3 candidates (2 true), B 2 (0 true); where they differ 2 of 3 against 0 of 2 are \
true: no significant difference (Fisher's exact test, p = 0.4)
    """
    a, b, truth = _candidates(gold, scores_a=scores_a, scores_b=scores_b)
    limits = [
        _checks.vector(name, [value])[0]
        for name, value in (("gamma_a", gamma_a), ("gamma_b", gamma_b))
    ]
    in_a, in_b = a >= limits[0], b >= limits[1]
    only_a, only_b = in_a & ~in_b, in_b & ~in_a
    t1, t2 = int((only_a & truth).sum()), int((only_b & truth).sum())
    f1, f2 = int(only_a.sum()) - t1, int(only_b.sum()) - t2
    sizes = (int(in_a.sum()), int((in_a & truth).sum()), int(in_b.sum()), int((in_b & truth).sum()))

    def interval(tp: int, n: int) -> Interval:
        return binomial_interval(tp, n, level) if n else Interval(0.0, 1.0)

    return RegionComparison(
        *sizes,
        t1,
        f1,
        t2,
        f2,
        float(fisher_exact(t1, f1, t2, f2)),
        interval(sizes[1], sizes[0]),
        interval(sizes[3], sizes[2]),
        _checks.two_names(names),
    )


# Over-dispersion


@dataclass(frozen=True)
class Overdispersion:
    """A beta-binomial fitted to repetitions of an experiment.

    Attributes
    ----------
    mean : float
        The average precision.
    rho : float
        Correlation of two candidates of the same repetition, between 0 and 1; 0 for the binomial.
    p_value : float
        Tests rho = 0 (likelihood ratio, the null on the boundary).
    parts : int
        How many repetitions.
    """

    mean: float
    rho: float
    p_value: float
    parts: int

    def inflation(self, n: float) -> float:
        """Standard deviation of the precision among n candidates, in units of the binomial's."""
        return float(np.sqrt(1 + (n - 1) * self.rho))

    def __str__(self) -> str:
        return (
            f"{self.parts} repetitions, average precision {100 * self.mean:.1f} %, over-dispersion "
            f"ρ = {self.rho:.4f} (p = {self.p_value:.2g} for none)"
        )


def fit_overdispersion(k: Any, n: Any) -> Overdispersion:
    """Fit a beta-binomial to k true positives among n candidates of several repetitions.

    Maximum likelihood for the mean π and the over-dispersion ρ, with
    Var(k/n) = π(1 − π)/n · (1 + (n − 1)ρ).

    Raises
    ------
    ValueError
        For fewer than two repetitions, k > n, n = 0.

    Examples
    --------
    >>> fit = fit_overdispersion([30, 22, 41, 25, 18, 35], [100] * 6)
    >>> print(f"{fit.mean:.3f} {fit.rho:.3f} {fit.inflation(100):.2f}")
    0.285 0.020 1.72
    """
    hits, size = _proportion(k, n)
    if hits.ndim != 1 or hits.size < 2:
        raise ValueError(f"k: expected at least 2 repetitions, got shape {hits.shape}")
    pooled = float(hits.sum() / size.sum())
    if pooled in (0.0, 1.0):
        return Overdispersion(pooled, 0.0, 1.0, hits.size)

    # Written as products of (π + iθ), θ = ρ/(1 − ρ), the likelihood is exact down to θ = 0, where
    # it is the binomial's; beta functions lose all digits long before.
    k_index, miss_index, n_index = (v.astype(np.int64) for v in (hits, size - hits, size))
    steps = np.arange(int(size.max()), dtype=float)

    def summed(terms: np.ndarray, upto: np.ndarray) -> float:
        return float(np.concatenate([[0.0], np.cumsum(terms)])[upto].sum())

    def cost(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        mean, theta = parameters
        yes, no, all_ = mean + steps * theta, 1 - mean + steps * theta, 1 + steps * theta
        value = (
            summed(np.log(yes), k_index)
            + summed(np.log(no), miss_index)
            - summed(np.log(all_), n_index)
        )
        by_mean = summed(1 / yes, k_index) - summed(1 / no, miss_index)
        by_theta = (
            summed(steps / yes, k_index)
            + summed(steps / no, miss_index)
            - summed(steps / all_, n_index)
        )
        return -value, -np.array([by_mean, by_theta])

    # In units of their rough standard errors both parameters take steps of the same size.
    unit = np.array([np.sqrt(pooled * (1 - pooled) / size.sum()), np.sqrt(2 / (size * size).sum())])

    def scaled(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = cost(parameters * unit)
        return value, slope * unit

    found = min(
        (
            optimize.minimize(
                scaled,
                np.array([pooled, start]) / unit,
                jac=True,
                method="TNC",
                bounds=[(1e-9 / unit[0], (1 - 1e-9) / unit[0]), (0, None)],
                options={"ftol": 1e-13, "maxfun": 2000},
            )
            for start in (2 * unit[1], 0.1)
        ),
        key=lambda result: result.fun,
    )
    mean, theta = found.x * unit
    gain = 2 * (cost(np.array([pooled, 0.0]))[0] - found.fun)
    if theta <= 0 or gain <= 0:
        return Overdispersion(pooled, 0.0, 1.0, hits.size)
    return Overdispersion(
        float(mean), float(theta / (1 + theta)), 0.5 * float(stats.chi2.sf(gain, 1)), hits.size
    )


def beta_binomial_interval(k: Any, n: Any, rho: float, level: float = 0.95) -> Interval:
    """The exact interval of :func:`binomial_interval`, widened for over-dispersion `rho`.

    The limits are the averages at which a beta-binomial with this rho gives k or more (k or fewer)
    true positives with probability (1 − level)/2; rho = 0 gives Clopper–Pearson.

    Raises
    ------
    ValueError
        For k > n, n = 0, a level outside (0, 1), rho outside [0, 1).

    Examples
    --------
    >>> low, high = beta_binomial_interval(200, 500, rho=0.01)
    >>> f"{low:.1%} to {high:.1%}"
    '29.7% to 50.8%'
    """
    hits, size = _proportion(k, n)
    rho = _checks.real("rho", rho, 0, 1, closed="low")
    tail = (1 - _checks.alpha(level, "level")) / 2
    if rho < 1e-9:
        return binomial_interval(k, n, level)
    flat_k, flat_n = hits.ravel().astype(float), size.ravel().astype(float)
    low, high = np.zeros(flat_k.size), np.ones(flat_k.size)
    some, miss = flat_k > 0, flat_k < flat_n
    low[some] = kernels.betabinomial_lower_limit(flat_k[some], flat_n[some], rho, tail)
    # P(X <= k) at mean π is P(X >= n - k) at mean 1 - π.
    high[miss] = 1 - kernels.betabinomial_lower_limit(
        (flat_n - flat_k)[miss], flat_n[miss], rho, tail
    )
    if not hits.ndim:
        return Interval(float(low[0]), float(high[0]))
    return Interval(low.reshape(hits.shape), high.reshape(hits.shape))


# Retrieval


@dataclass(frozen=True)
class AveragePrecision:
    """Average precision with a bootstrap interval; a difference has a p-value too.

    Attributes
    ----------
    value : float
        The average precision, or the difference of two.
    low : float
        Lower limit.
    high : float
        Upper limit.
    level : float
        Of the interval.
    p_value : float, optional
        Of a difference.
    names : tuple of str
        Of the rankings.
    per_query : DataFrame, optional
        The values that were averaged, where there are several queries.
    """

    value: float
    low: float
    high: float
    level: float
    p_value: float | None = None
    names: tuple[str, ...] = ("ranking",)
    per_query: pd.DataFrame | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        limits = f"{self.low:.3f} to {self.high:.3f}, {100 * self.level:g} %"
        if self.p_value is None:
            return f"{self.names[0]}: average precision {self.value:.3f} ({limits})"
        ahead, behind = self.names if self.value >= 0 else self.names[::-1]
        return (
            f"average precision of {ahead} is {abs(self.value):.3f} above {behind}'s "
            f"({self.names[0]} − {self.names[1]}: {limits}; p = {self.p_value:.3g})"
        )


def average_precision(
    scores: Any,
    gold: Any,
    seed: Seed = 0,
    level: float = 0.95,
    resamples: int = 1000,
    name: str = "ranking",
) -> AveragePrecision:
    """Average precision, the mean of the precision at each true positive, with its interval.

    The interval is the percentile bootstrap over candidates: what would another set of candidates
    from the same source have given? (At 95 % it covered 92 to 95 % in simulations with 100 to
    2,000 candidates.)

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores, gold that is not 0/1, a bad level.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives (the value is 0).

    Examples
    --------
    >>> print(average_precision([4, 3, 2, 1], [1, 0, 1, 0], resamples=200).value.__round__(4))
    0.8333
    """
    values, truth = _candidates(gold, scores=scores)
    _check_resampling(level, resamples)
    seed = _restart(seed)
    order = _order(values, seed)
    ranked = truth[order]
    rng = np.random.default_rng(_children(seed, 2)[1])
    draws = np.empty(resamples)
    for i in range(resamples):
        weights = np.bincount(rng.integers(0, order.size, order.size), minlength=order.size)
        draws[i] = kernels.average_precision(weights.astype(float), ranked)
    value = kernels.average_precision(np.ones(order.size), ranked)
    low, high = _percentiles(draws, level)
    return AveragePrecision(float(value), low, high, float(level), names=(str(name),))


def compare_average_precision(
    scores_a: Any,
    scores_b: Any,
    gold: Any,
    seed: Seed = 0,
    level: float = 0.95,
    resamples: int = 1000,
    names: tuple[str, str] = ("A", "B"),
) -> AveragePrecision:
    """Difference in average precision, A − B, over the same candidates.

    The interval is a paired bootstrap over candidates; the p-value (two-sided) swaps the two ranks
    of each candidate at random, as :meth:`Comparison.simultaneous` does.

    Raises
    ------
    ValueError
        For lengths that differ, NaN scores, gold that is not 0/1, a bad level.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> gold = np.arange(500) % 4 == 0
    >>> print(compare_average_precision(gold + rng.normal(size=500), rng.normal(size=500), gold,
    ...                                 resamples=199).p_value)
    0.005
    """
    a, b, truth = _candidates(gold, scores_a=scores_a, scores_b=scores_b)
    _check_resampling(level, resamples)
    seed = _restart(seed)
    orders = _order(a, seed), _order(b, seed)
    size = a.size
    rng = np.random.default_rng(_children(seed, 2)[1])

    def difference(order_a: np.ndarray, order_b: np.ndarray, weights: np.ndarray) -> float:
        first, second = (
            kernels.average_precision(weights[order], truth[order]) for order in (order_a, order_b)
        )
        return first - second

    one = np.ones(size)
    observed = difference(*orders, one)
    draws, swapped = np.empty(resamples), np.empty(resamples)
    for i in range(resamples):
        weights = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
        draws[i] = difference(*orders, weights)
        bits = rng.integers(0, 2, (2, size), dtype=np.uint8).astype(bool)
        swapped[i] = difference(*kernels.swap(*orders, *bits), one)
    return AveragePrecision(
        float(observed),
        *_percentiles(draws, level),
        float(level),
        _reached(swapped, observed),
        _checks.two_names(names),
    )


def mean_average_precision(
    candidates: pd.DataFrame,
    *runs: str,
    seed: Seed = 0,
    level: float = 0.95,
    resamples: int = 10_000,
) -> AveragePrecision:
    """Mean average precision over queries of one run, or the difference of two.

    The interval is the percentile bootstrap over queries; for two runs the p-value (two-sided)
    flips the sign of each query's difference at random.

    Average precision is trec_eval's: relevant documents that a run did not return count as never
    found, and queries without a relevant document are left out.

    Parameters
    ----------
    candidates : DataFrame
        From :func:`trec_candidates`: columns `query`, `document`, `gold`, one per run.
    runs : str
        One or two column names.
    seed, level, resamples
        Of the interval and the test.

    Raises
    ------
    ValueError
        For a column that is missing, no query with a relevant document, not 1 or 2 runs.
    """
    if len(runs) not in (1, 2):
        raise ValueError(f"runs={runs!r}: expected the names of one or two runs")
    missing = [c for c in ("query", "document", "gold", *runs) if c not in candidates.columns]
    if missing:
        raise ValueError(f"candidates: expected a column {missing[0]!r}, got {list(candidates)}")
    _check_resampling(level, resamples)
    relevant = candidates[candidates.groupby("query")["gold"].transform("sum") > 0]
    if relevant.empty:
        raise ValueError("candidates: expected a query with a relevant document, found none")
    rows = {}
    for query, part in relevant.groupby("query", sort=True):
        truth = part["gold"].to_numpy(bool)
        # trec_eval puts documents with equal scores in reverse order of their names
        names = np.argsort(part["document"].to_numpy(str), kind="stable")[::-1]
        values = []
        for run in runs:
            scores = part[run].to_numpy(float)
            order = names[np.argsort(-scores[names], kind="stable")]
            returned = np.isfinite(scores[order]) | (scores[order] > 0)
            hits = truth[order] & returned
            places = np.flatnonzero(hits) + 1
            values.append(float((np.arange(1, places.size + 1) / places).sum() / truth.sum()))
        rows[query] = values
    per_query = pd.DataFrame.from_dict(rows, orient="index", columns=list(runs))
    per_query.index.name = "query"
    values = per_query.to_numpy()
    measured = values[:, 0] if len(runs) == 1 else values[:, 0] - values[:, 1]
    rng = np.random.default_rng(seed)
    draws = measured[rng.integers(0, measured.size, (resamples, measured.size))].mean(axis=1)
    low, high = _percentiles(draws, level)
    p = None
    if len(runs) == 2:
        signs = rng.choice([-1.0, 1.0], (resamples, measured.size))
        p = _reached((signs * measured).mean(axis=1), measured.mean())
    return AveragePrecision(
        float(measured.mean()), low, high, float(level), p, tuple(runs), per_query
    )


def _check_resampling(level: float, resamples: int) -> None:
    _checks.alpha(level, "level")
    _checks.whole("resamples", resamples)


def _percentiles(draws: np.ndarray, level: float) -> tuple[float, float]:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _reached(shuffled: np.ndarray, observed: float) -> float:
    """Two-sided p-value: how often a shuffled difference is as large as the observed one."""
    reached = int((np.abs(shuffled) >= abs(observed) - 1e-12).sum())
    return (1 + reached) / (shuffled.size + 1)


# Data


def adjacent_pairs(texts: Iterable[str], least: int = 1, keep: str = "cjk") -> pd.DataFrame:
    """Count adjacent character pairs of unsegmented texts as contingency tables.

    Parameters
    ----------
    texts
        One string a sentence or line; pairs do not cross from one to the next.
    least : int
        Frequency threshold; rarer pairs still count towards the margins.
    keep : str
        "cjk" counts only pairs of two Chinese characters, "all" counts all.

    Returns
    -------
    DataFrame
        `first`, `second` and the cells `o11`, `o12`, `o21`, `o22`, the most frequent pair first
        (equally frequent ones in code point order).

    Raises
    ------
    ValueError
        For `least` below 1, an unknown `keep`, or no pair at all.

    Examples
    --------
    >>> adjacent_pairs(["abab", "ac"], keep="all").head(2)
      first second  o11  o12  o21  o22
    0     a      b    2    1    0    1
    1     a      c    1    2    0    1
    """
    _checks.whole("least", least, 1)
    _checks.choice("keep", keep, ("cjk", "all"))
    # A line break is no character of a text: pairs with it are the borders between texts.
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    first, second = codes[:-1], codes[1:]
    inside = (first != 10) & (second != 10)
    if keep == "cjk":
        chinese = ((codes >= 0x4E00) & (codes <= 0x9FFF)) | ((codes >= 0x3400) & (codes <= 0x4DBF))
        inside &= chinese[:-1] & chinese[1:]
    pairs, o11 = np.unique((first[inside] << 21) | second[inside], return_counts=True)
    if not pairs.size:
        raise ValueError("texts: expected at least one adjacent pair of characters, found none")
    left, right = pairs >> 21, pairs & 0x1FFFFF
    row = np.bincount(left, weights=o11).astype(np.int64)[left]
    column = np.bincount(right, weights=o11).astype(np.int64)[right]
    total = int(o11.sum())
    chosen = np.flatnonzero(o11 >= least)
    chosen = chosen[np.argsort(-o11[chosen], kind="stable")]
    o11, row, column = o11[chosen], row[chosen], column[chosen]
    return pd.DataFrame(
        {
            "first": [chr(c) for c in left[chosen]],
            "second": [chr(c) for c in right[chosen]],
            "o11": o11,
            "o12": row - o11,
            "o21": column - o11,
            "o22": total - row - column + o11,
        }
    )


def read_candidates(
    path: str | Path, a: str = "score_a", b: str = "score_b", gold: str = "gold"
) -> pd.DataFrame:
    """Read a CSV with two columns of scores and one of 0 and 1.

    Further columns are kept. Scores may be `inf` or `-inf`.

    Raises
    ------
    ValueError
        For a file without these columns, or a value that cannot be used, with its line.
    """
    path = Path(path)
    try:
        table = pd.read_csv(path, keep_default_na=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name}: expected a CSV file in UTF-8 ({error})") from None
    for column in (a, b, gold):
        if column not in table.columns:
            raise ValueError(f"{path.name}: expected a column {column!r}, got {list(table)}")
        values = pd.to_numeric(table[column], errors="coerce")
        bad = np.flatnonzero(values.isna() | (~values.isin([0, 1]) if column == gold else False))
        if bad.size:
            expected = "0 or 1" if column == gold else "a number"
            raise ValueError(
                f"{path.name}, line {bad[0] + 2}: {column}={table[column].iloc[bad[0]]}, "
                f"expected {expected}"
            )
        table[column] = values.astype(int) if column == gold else values.astype(float)
    if table.empty:
        raise ValueError(f"{path.name}: expected at least one candidate, got none")
    return table


# Figures


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def plot(
    rankings: PrecisionCurve | Comparison | Mapping[str, PrecisionCurve],
    ax: Axes | None = None,
    first: int = 1,
    last: int | None = None,
    bands: bool | None = None,
    alpha: float = 0.05,
    simultaneous: Simultaneous | None = None,
    baseline: bool = True,
) -> Axes:
    """Precision against n (Figures 1 to 3 of the paper).

    Parameters
    ----------
    rankings
        One curve, several by name, or a comparison; the n at which a comparison is significant are
        marked by triangles, filled where the simultaneous test agrees.
    ax : matplotlib Axes, optional
        Axes to draw on.
    first, last : int
        The n shown.
    bands : bool, optional
        Intervals as shaded bands; default: for one or two curves.
    alpha : float
        Level of the markers.
    simultaneous : Simultaneous, optional
        Result of :meth:`Comparison.simultaneous`.
    baseline : bool
        Draw the precision of a random selection.

    Raises
    ------
    ValueError
        For nothing to plot, or first, last outside the candidates.
    """
    comparison = rankings if isinstance(rankings, Comparison) else None
    if comparison is not None:
        curves = {comparison.names[0]: comparison.a, comparison.names[1]: comparison.b}
    elif isinstance(rankings, PrecisionCurve):
        curves = {rankings.name: rankings}
    elif isinstance(rankings, Mapping) and rankings:
        curves = dict(rankings)
    else:
        raise ValueError(f"rankings={rankings!r:.60}: expected a curve, a comparison or a mapping")
    size = min(int(curve.n[-1]) for curve in curves.values())
    last = size if last is None else _checks.whole("last", last, 1, size)
    _checks.whole("first", first, 1, last)
    part = slice(first - 1, last)
    bands = len(curves) <= 2 if bands is None else bands
    ax = _axes(ax)
    styles = ["-", "--", "-.", ":"]
    for i, (name, curve) in enumerate(curves.items()):
        n = curve.n[part]
        (line,) = ax.plot(
            n, 100 * curve.precision[part], linestyle=styles[i % len(styles)], label=name
        )
        if bands:
            ax.fill_between(
                n,
                100 * curve.low[part],
                100 * curve.high[part],
                color=line.get_color(),
                alpha=0.18,
                linewidth=0,
            )
    if baseline:
        share = 100 * next(iter(curves.values())).baseline
        ax.axhline(share, color="0.45", linewidth=1, linestyle=(0, (1, 2)))
        ax.annotate(
            f"baseline {share:.2f} %",
            (last, share),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color="0.35",
        )
    if comparison is not None:
        _mark(ax, comparison, first, last, alpha, simultaneous)
    ax.set(xlabel="n (size of the list)", ylabel="precision (%)")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def _mark(
    ax: Axes,
    comparison: Comparison,
    first: int,
    last: int,
    alpha: float,
    simultaneous: Simultaneous | None,
) -> None:
    """Triangles half way between the curves, some forty along the axis."""
    shown = np.unique(np.linspace(first, last, 41).round().astype(int))
    middle = 50 * (comparison.precision_a + comparison.precision_b)
    pointwise = shown[comparison.significant(alpha)[shown - 1]]
    ax.plot(
        pointwise,
        middle[pointwise - 1],
        "^",
        markersize=5,
        markerfacecolor="none",
        markeredgecolor="0.35",
        label=f"p ≤ {alpha:g} at this n",
    )
    if simultaneous is not None:
        sure = shown[simultaneous.significant()[shown - 1]]
        ax.plot(
            sure,
            middle[sure - 1],
            "^",
            markersize=5,
            color="0.15",
            label="and simultaneously",
        )


def _children(seed: Seed, count: int) -> list[np.random.SeedSequence]:
    seed = _restart(seed)
    return _checks.seed_sequence(0 if seed is None else seed).spawn(count)
