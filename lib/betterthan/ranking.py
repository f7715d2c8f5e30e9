"""Would that ranking win again? Significance for n-best lists (Evert 2004, chapter 5).

A ranking is a score for every candidate, larger first, and a gold standard says which candidates
are true positives. This module measures the precision of the n-best list for every n at once,
with exact intervals, and tests at every n whether one ranking is better than another. A is the
baseline and B the candidate: every difference is B − A.

Candidates with equal scores are ordered at random, by one permutation drawn from `rng` and
shared by all rankings of the same call, so that identical rankings stay identical; `rng=None`
keeps the order in which the candidates were given.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from betterthan import _checks
from betterthan import _ranking_kernels as kernels
from betterthan._result import Interval
from betterthan.association import counts, measures  # noqa: F401

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Arrays = tuple[np.ndarray, ...]
Rng = int | np.random.SeedSequence | np.random.Generator | None

# The beta-binomial adds up a term per candidate: beyond this one fit takes minutes.
_MOST_SUMMED = 10**6


# Checks, order and random numbers


def _candidates(gold: Any, **scores: Any) -> Arrays:
    """The scores, by the names of their arguments, and `gold` as True and False, all checked."""
    named = {**scores, "gold": gold}
    indices = {name: v.index for name, v in named.items() if isinstance(v, pd.Series)}
    if any(not index.equals(next(iter(indices.values()))) for index in indices.values()):
        raise ValueError(f"{', '.join(indices)}: expected one index, so that a row is a candidate")
    arrays = {name: _checks.vector(name, values) for name, values in named.items()}
    _checks.same_length(**arrays)
    truth = arrays.pop("gold")
    for i in np.flatnonzero((truth != 0) & (truth != 1))[:1]:
        raise ValueError(f"gold[{i}]={truth[i].item()!r}: expected 0 or 1")
    if not truth.any():
        # The warning belongs to the caller of the public function that called this one.
        warnings.warn("gold holds no true positives: every precision is 0", stacklevel=3)
    return *arrays.values(), truth.astype(bool)


def _order(scores: np.ndarray, rng: Rng) -> np.ndarray:
    """Candidates from the largest score to the smallest."""
    size = scores.size
    shuffle = np.arange(size) if rng is None else _checks.generator(rng).permutation(size)
    return shuffle[np.argsort(-scores[shuffle], kind="stable")]


def _range(first: int, last: int | None, size: int) -> tuple[int, int]:
    """The smallest and the largest n, checked; None is all candidates."""
    last = size if last is None else _checks.whole("last", last, 1, size)
    return _checks.whole("first", first, 1, last), last


def _restart(rng: Rng) -> Rng:
    """A seed that gives the same numbers each time it is used."""
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng


def _children(rng: Rng, count: int) -> list[np.random.SeedSequence]:
    return _checks.seed_sequence(_restart(rng), "rng").spawn(count)


# One ranking


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
    hits, size = _proportion(k, n)
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    low = np.where(hits > 0, special.betaincinv(hits, size - hits + 1, tail), 0.0)
    high = np.where(hits < size, special.betaincinv(hits + 1, size - hits, 1 - tail), 1.0)
    return Interval(low, high) if low.ndim else Interval(float(low), float(high))


def _proportion(k: Any, n: Any, **cap: int) -> list[np.ndarray]:
    hits, size = counts(k=k, n=n, **cap)
    for i in np.flatnonzero((size == 0) | (hits > size))[:1]:
        where = f"[{i}]" if size.ndim else ""
        given = f"k{where}={hits.flat[i]:g}, n{where}={size.flat[i]:g}"
        raise ValueError(f"{given}: expected a candidate or more and k between 0 and n")
    return [hits, size]


def _average_precision(ranked: np.ndarray, weights: np.ndarray | int = 1) -> float:
    """Average precision of candidates in rank order, each counted `weights` times."""
    hits, seen = ranked * weights, np.cumsum(np.broadcast_to(weights, ranked.shape))
    found = np.cumsum(hits)
    return float((hits * found / np.maximum(seen, 1)).sum() / max(found[-1], 1))


def _bootstrap(truth: np.ndarray, orders: Any, n_resamples: int, rng: Rng) -> np.ndarray:
    """Average precision of each ranking (columns) for candidates drawn anew (rows)."""
    draw, out = np.random.default_rng(_children(rng, 2)[1]), []
    for _ in range(_checks.whole("n_resamples", n_resamples)):
        weights = np.bincount(draw.integers(0, truth.size, truth.size), minlength=truth.size)
        out.append([_average_precision(truth[order], weights[order]) for order in orders])
    return np.array(out)


def _percentiles(draws: np.ndarray, confidence_level: float) -> Interval:
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    return Interval(*map(float, np.quantile(draws, [tail, 1 - tail])))


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
        return _average_precision(np.diff(self.tp, prepend=0))

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
        draws = _bootstrap(np.diff(self.tp, prepend=0), (self.n - 1,), n_resamples, rng)
        return _percentiles(draws[:, 0], self.confidence_level)

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
    values, truth = _candidates(gold, scores=scores)
    level = _checks.alpha(confidence_level, "confidence_level")
    tp = np.cumsum(truth[_order(values, rng)])
    return PrecisionCurve(np.arange(1, tp.size + 1), tp, name, level)


# Two rankings


@dataclass(frozen=True)
class AveragePrecision:
    """Two rankings compared by average precision; see :meth:`Comparison.average_precision`.

    Attributes
    ----------
    difference : float
        B − A.
    interval : Interval
        Of the difference.
    pvalue : float
        Two-sided.
    value_a : float
        Average precision of A.
    value_b : float
        Average precision of B.
    names : pair of str
        Of A and of B.
    confidence_level : float
        Of the interval.
    """

    difference: float
    interval: Interval
    pvalue: float
    value_a: float
    value_b: float
    names: tuple[str, str]
    confidence_level: float

    def __str__(self) -> str:
        (a, b), (low, high) = self.names, self.interval
        return (
            f"The average precision of {b} is {self.value_b:.3f}, of {a} {self.value_a:.3f} "
            f"({b} − {a}: {self.difference:+.3f}, {100 * self.confidence_level:g} % interval "
            f"{low:+.3f} to {high:+.3f}, two-sided p = {self.pvalue:.3g})."
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two rankings compared at every n; see :func:`compare` and :meth:`simultaneous`.

    Attributes
    ----------
    n : array
        Sizes of the lists, 1 to the number of candidates.
    tp_a : array
        True positives in A's list.
    tp_b : array
        True positives in B's list.
    precision_a : array
        Precision of A's list.
    precision_b : array
        Precision of B's list.
    difference : array
        B's precision minus A's.
    true_only_a : array
        True positives in A's list that are not in B's.
    false_only_a : array
        False positives in A's list that are not in B's.
    true_only_b : array
        True positives in B's list that are not in A's.
    false_only_b : array
        False positives in B's list that are not in A's.
    pvalue : array
        Of Fisher's two-sided test, each n on its own.
    names : pair of str
        Of A and of B.
    first : int
        The smallest n that is looked at; see :meth:`between`.
    last : int
        The largest.
    alpha : float
        Significance level of the sentence, the ranges and the plot.
    pvalue_adjusted : array, optional
        For all n from `first` to `last` together; None before :meth:`simultaneous`.
    critical_pvalue : float, optional
        What Fisher's p must reach at some n for a claim that holds over the whole range.
    least_pvalues : array, optional
        The smallest p-value of each permutation, sorted.
    """

    n: np.ndarray
    tp_a: np.ndarray
    tp_b: np.ndarray
    precision_a: np.ndarray
    precision_b: np.ndarray
    difference: np.ndarray
    true_only_a: np.ndarray
    false_only_a: np.ndarray
    true_only_b: np.ndarray
    false_only_b: np.ndarray
    pvalue: np.ndarray
    names: tuple[str, str]
    first: int
    last: int
    alpha: float = 0.05
    pvalue_adjusted: np.ndarray | None = None
    critical_pvalue: float | None = None
    least_pvalues: np.ndarray | None = None
    _rankings: Arrays | None = field(default=None, repr=False)

    @property
    def curve_a(self) -> PrecisionCurve:
        """A's own curve, with intervals."""
        return PrecisionCurve(self.n, self.tp_a, self.names[0])

    @property
    def curve_b(self) -> PrecisionCurve:
        """B's own curve, with intervals."""
        return PrecisionCurve(self.n, self.tp_b, self.names[1])

    @property
    def winner(self) -> np.ndarray:
        """The name of the ranking with more true positives at every n, "" for a draw."""
        return np.array(["", self.names[1], self.names[0]])[np.sign(self.tp_b - self.tp_a)]

    def significant(self, alpha: float = 0.05) -> np.ndarray:
        """For every n: is p at most alpha? (Pointwise: each n is tested on its own.)

        Raises
        ------
        ValueError
            For alpha outside (0, 1).
        """
        return self.pvalue <= _checks.alpha(alpha)

    def between(self, first: int, last: int | None = None) -> Comparison:
        """The same comparison, for lists of `first` to `last` candidates (None: to all of them).

        What follows (the test of all n together, the sentence, the ranges, the plot) looks at these
        n only. Decide on them before you look at the result.

        Raises
        ------
        ValueError
            For first, last outside the candidates.
        """
        first, last = _range(first, last, int(self.n[-1]))
        fresh = {"pvalue_adjusted": None, "critical_pvalue": None, "least_pvalues": None}
        return replace(self, first=first, last=last, **fresh)

    def table(self) -> pd.DataFrame:
        """One row per n, which is the index."""
        columns = ["precision_a", "precision_b", "difference", "true_only_a", "false_only_a"]
        columns += ["true_only_b", "false_only_b", "pvalue", "winner"]
        columns += [] if self.pvalue_adjusted is None else ["pvalue_adjusted"]
        values = {name: getattr(self, name) for name in columns}
        return pd.DataFrame(values, index=pd.Index(self.n, name="n"))

    def ranges(self, adjusted: bool = False) -> pd.DataFrame:
        """The ranges of n over which one ranking is significantly better without a gap.

        Parameters
        ----------
        adjusted : bool
            Use the p-values for all n together.

        Returns
        -------
        DataFrame
            One row per range: first n, last n, how many, the better ranking, smallest p.

        Raises
        ------
        ValueError
            For `adjusted` before :meth:`simultaneous`.
        """
        p = self.pvalue_adjusted if adjusted else self.pvalue
        if p is None:
            raise ValueError("adjusted=True: expected the result of simultaneous()")
        inside = (self.n >= self.first) & (self.n <= self.last) & (p <= self.alpha)
        sign = np.sign(self.difference) * inside
        starts = np.flatnonzero(np.diff(sign, prepend=0))
        runs = [(i, j) for i, j in zip(starts, [*starts[1:], sign.size]) if sign[i]]
        rows = [(i + 1, j, j - i, self.names[int(sign[i] > 0)], p[i:j].min()) for i, j in runs]
        return pd.DataFrame(rows, columns=["from", "to", "values of n", "better", "smallest p"])

    def _known(self) -> Arrays:
        if self._rankings is None:
            raise ValueError("expected a comparison made by compare(): counts have no rankings")
        return self._rankings

    def simultaneous(
        self, alpha: float = 0.05, n_resamples: int = 1000, rng: Rng = 0, least_pvalues: Any = None
    ) -> Comparison:
        """Test all n together: the same comparison with p-values that hold everywhere at once.

        Were the two rankings equally good, it would not matter which of a candidate's two ranks
        came from which. So every permutation swaps the two ranks of each candidate with
        probability ½, ranks again (a fair coin, the same for both rankings, where two candidates
        claim a place), runs Fisher's test at every n and keeps the smallest p-value. The alpha
        quantile of these is the critical p-value, which equally good rankings reach *anywhere* with
        a probability of about alpha (Westfall and Young's single-step minP; swapping ranks, not
        scores, makes it approximate). The observed rankings count as one permutation more, so no
        adjusted p-value is 0. The promise is made to rankings that are equal at every n; where they
        differ at some n, simulations found that it still held at the others. Like Fisher's test
        it takes candidates to be independent: where many of them rise and fall together, as pairs
        from the same articles do, both claim too much.

        Parameters
        ----------
        alpha : float
            Chance that equally good rankings are called different anywhere in the range. A
            narrower range (:meth:`between`) is more powerful.
        n_resamples : int
            How many permutations.
        rng
            Of the permutations.
        least_pvalues : sequence of float, optional
            The smallest p-values of permutations made earlier, in place of new ones.

        Raises
        ------
        ValueError
            For arguments out of range, or a comparison made from counts without `least_pvalues`.

        Examples
        --------
        >>> gold, noise = np.arange(200) < 60, np.random.default_rng(0).normal(size=(2, 200))
        >>> both = compare(noise[0], gold + noise[1], gold).between(20, 100).simultaneous()
        >>> print(both.pvalue.min() < both.critical_pvalue < 0.05)
        True
        """
        if least_pvalues is None:
            least_pvalues = self._permuted(n_resamples, rng)
        least = np.sort(_checks.probabilities("least_pvalues", least_pvalues))
        # The slack lets equal tables count as equal whatever order their terms were summed in.
        reached = np.searchsorted(least, self.pvalue * (1 + 1e-9), side="right")
        inside = (self.n >= self.first) & (self.n <= self.last)
        # A p-value is significant while at most `allowed` permutations reach it.
        allowed = int(np.floor(_checks.alpha(alpha) * (least.size + 1) + 1e-9)) - 1
        return replace(
            self, alpha=float(alpha), least_pvalues=least,
            pvalue_adjusted=np.where(inside, (1 + reached) / (least.size + 1), 1.0),
            critical_pvalue=0.0 if allowed < 0 else float(least[allowed] * (1 - 1e-9)),
        )  # fmt: skip

    def _permuted(self, n_resamples: int, rng: Rng) -> np.ndarray:
        """The smallest p-value of each permutation; a child of `rng` per hundred."""
        order_a, order_b, truth = self._known()
        log_factorial = special.gammaln(np.arange(2 * truth.size + 2) + 1.0)
        out: list[float] = []
        for child in _children(rng, -(-_checks.whole("n_resamples", n_resamples) // 100)):
            draw = np.random.default_rng(child)
            for _ in range(min(100, n_resamples - len(out))):
                found = _counts(*_swap(order_a, order_b, draw, self.last), truth)
                out.append(_least_pvalue(found, self.first, self.last, log_factorial))
        return np.array(out)

    def average_precision(
        self, confidence_level: float = 0.95, n_resamples: int = 1000, rng: Rng = 0
    ) -> AveragePrecision:
        """Difference in average precision, B − A, over the same candidates.

        The interval is a paired bootstrap over candidates; the p-value (two-sided) swaps the two
        ranks of each candidate at random, as :meth:`simultaneous` does.

        Raises
        ------
        ValueError
            For n_resamples below 1, a bad confidence level, or a comparison made from counts.

        Examples
        --------
        >>> gold, noise = np.arange(500) % 4 == 0, np.random.default_rng(0).normal(size=(2, 500))
        >>> compare(noise[0], gold + noise[1], gold).average_precision(n_resamples=199).pvalue
        0.005
        """
        *orders, truth = self._known()
        rng = _restart(rng)
        drawn = np.diff(_bootstrap(truth, orders, n_resamples, rng))
        draw = np.random.default_rng(_children(rng, 2)[0])
        pairs = (_swap(*orders, draw) if i else orders for i in range(n_resamples + 1))
        observed, *swapped = ([_average_precision(truth[o]) for o in pair] for pair in pairs)
        difference = observed[1] - observed[0]
        reached = sum(abs(b - a) >= abs(difference) - 1e-12 for a, b in swapped)
        interval, p = _percentiles(drawn, confidence_level), (1 + reached) / (n_resamples + 1)
        return AveragePrecision(difference, interval, p, *observed, self.names, confidence_level)

    def __str__(self) -> str:
        text = (
            f"For lists of {self.first:,} to {self.last:,} of {int(self.n[-1]):,} candidates "
            f"({int(self.tp_a[-1]):,} true), {self._found(self.ranges())} (two-sided Fisher's "
            "exact test on the candidates that only one list holds, "
            f"p ≤ {self.alpha:g} at each n on its own)"
        )
        if self.pvalue_adjusted is not None:
            text += (
                f"; over all these n together, {self._found(self.ranges(adjusted=True))} "
                f"({self.least_pvalues.size:,} permutations of the two rankings: of those equally "
                f"good at every n {100 * self.alpha:g} % would reach "
                f"p ≤ {self.critical_pvalue:.2g} somewhere)"
            )
        return f"{text}. Candidates are taken to be independent of each other."

    def _found(self, found: pd.DataFrame) -> str:
        (a, b), parts = self.names, []
        for name, other in ((b, a), (a, b)):
            mine = found[found["better"] == name]
            if len(mine):
                longest, number = mine.loc[mine["values of n"].idxmax()], mine["values of n"].sum()
                parts.append(
                    f"{name} is significantly more precise than {other} at {number:,} values of n, "
                    f"the longest run being {longest['from']:,} ≤ n ≤ {longest['to']:,}"
                )
        return ", and ".join(parts) or f"the precision of {b} and {a} differs significantly at no n"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Both curves with bands (Figure 3 of the paper).

        Triangles half way between the curves, some forty along the axis, mark significant n; they
        are filled where the test of all n together agrees.
        """
        ax = plot(self.curve_a, self.curve_b, ax=ax, first=self.first, last=self.last)
        shown = np.unique(np.linspace(self.first, self.last, 41).round().astype(int))
        marks = [(self.pvalue, f"p ≤ {self.alpha:g} at this n", "none", "0.35")]
        if self.pvalue_adjusted is not None:
            marks.append((self.pvalue_adjusted, "and simultaneously", "0.15", "0.15"))
        for p, label, face, edge in marks:
            at = shown[p[shown - 1] <= self.alpha]
            middle = 50 * (self.precision_a + self.precision_b)[at - 1]
            ax.plot(at, middle, "^", label=label, ms=5, mfc=face, mec=edge)
        ax.legend()
        return ax


def _swap(
    order_a: np.ndarray, order_b: np.ndarray, rng: np.random.Generator, places: int | None = None
) -> Arrays:
    """Two rankings after swapping the two ranks of each candidate with probability ½.

    Two candidates that now claim the same place are put in the order of a coin, the same in both
    rankings. Of the rankings only the first `places` are made, if that is said.
    """
    flips, coins = rng.integers(0, 2, (2, order_a.size), dtype=np.uint8).astype(bool)
    places = order_a.size if places is None else places
    used = places + 5 * math.isqrt(places)  # nearly always enough
    while True:
        from_a = np.stack([coins[:used], ~coins[:used]], axis=1).ravel()
        claims = np.where(from_a, np.repeat(order_a[:used], 2), np.repeat(order_b[:used], 2))
        to_a = flips[claims] != from_a
        swapped = claims[to_a][:places], claims[~to_a][:places]
        if min(map(len, swapped)) == places:
            return swapped
        used *= 2


def _counts(order_a: np.ndarray, order_b: np.ndarray, truth: np.ndarray) -> Arrays:
    """For every n: true positives of both lists, candidates and true positives in both."""
    ranks = np.full((2, truth.size), order_a.size, np.int64)
    ranks[0, order_a] = ranks[1, order_b] = np.arange(order_a.size)
    joined = ranks[:, order_a].max(axis=0)  # from which n on a candidate is in both
    both = [
        np.bincount(v, minlength=order_a.size + 1)[:-1] for v in (joined, joined[truth[order_a]])
    ]
    return tuple(np.cumsum(v) for v in (truth[order_a], truth[order_b], *both))


def _least_pvalue(found: Arrays, first: int, last: int, log_factorial: np.ndarray) -> float:
    """Smallest Fisher p-value over first ≤ n ≤ last, from what `_counts` found."""
    tp_a, tp_b, common, tp_common = (v[first - 1 : last] for v in found)
    a, b, size = tp_a - tp_common, tp_b - tp_common, np.arange(first, last + 1) - common
    log_p = 2 * log_factorial[size] - log_factorial[2 * size]
    log_p += log_factorial[a + b] + log_factorial[2 * size - a - b]
    for cell in (a, b, size - a, size - b):
        log_p -= log_factorial[cell]
    # No p-value is below twice the probability of its own table, which rules out most n.
    tables = np.array([a, b, size], float)
    least = kernels.two_sided(*tables[:, np.argmin(log_p)])
    near = 2 * np.exp(log_p - 1e-6) < least
    return float(kernels.two_sided(*tables[:, near]).min(initial=least))


def compare(
    a: Any, b: Any, gold: Any, names: tuple[str, str] = ("A", "B"), rng: Rng = 0
) -> Comparison:
    """Compare two rankings of the same candidates at every n (section 3.3).

    Only candidates in one list and not in the other can tell the rankings apart: D1 = A∖B and
    D2 = B∖A. Fisher's exact test compares the share of true positives in the two.

    Parameters
    ----------
    a, b
        One score per candidate, larger is better: A is the baseline, B the candidate.
    gold
        1 for a true positive, 0 for a false one.
    names : pair of str
        Of A and of B.
    rng
        Orders candidates with equal scores, the same way in both rankings; None keeps the given
        order.

    Raises
    ------
    ValueError
        For lengths or pandas indices that differ, NaN scores, gold that is not 0/1.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gold = np.arange(2000) % 5 == 0
    >>> new, old = (gold * strength + rng.normal(size=2000) for strength in (1.5, 0.5))
    >>> result = compare(old, new, gold, names=("old", "new"))
    >>> print(f"{result.difference[499]:.3f} p = {result.pvalue[499]:.1g}")
    0.252 p = 9e-25
    >>> print(result)  # doctest: +ELLIPSIS
    For lists of 1 to 2,000 of 2,000 candidates (400 true), new is significantly more precise ...
    """
    first, second, truth = _candidates(gold, a=a, b=b)
    rng = _restart(rng)
    orders = _order(first, rng), _order(second, rng)
    result = compare_counts(*_counts(*orders, truth), names)
    return replace(result, _rankings=(*orders, truth))


def compare_counts(
    tp_a: Any, tp_b: Any, common: Any, tp_common: Any, names: tuple[str, str] = ("A", "B")
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
    names : pair of str
        Of A and of B.

    Raises
    ------
    ValueError
        For lengths that differ, or counts that no two rankings can have.

    Examples
    --------
    >>> compare_counts([1, 2, 2], [0, 1, 2], [0, 1, 3], [0, 1, 2]).pvalue
    array([1., 1., 1.])
    """
    named = {"tp_a": tp_a, "tp_b": tp_b, "common": common, "tp_common": tp_common}
    named = {name: _checks.vector(name, values) for name, values in named.items()}
    _checks.same_length(**named)
    in_a, in_b, shared, true_shared = (v.astype(np.int64) for v in counts(**named))
    n = np.arange(1, in_a.size + 1)
    true_a, true_b = in_a - true_shared, in_b - true_shared
    cells = np.array([true_a, n - shared - true_a, true_b, n - shared - true_b])
    for i in np.flatnonzero((cells < 0).any(axis=0))[:1]:
        raise ValueError(f"n={n[i]}: expected counts of two rankings, got {cells[:, i]} in one")
    p = kernels.two_sided(*(v.astype(float) for v in (true_a, true_b, n - shared)))
    shares = in_a / n, in_b / n, (in_b - in_a) / n
    return Comparison(n, in_a, in_b, *shares, *cells, p, _checks.two_names(names), 1, n.size)


@dataclass(frozen=True)
class RegionComparison:
    """Two γ-acceptance regions compared; each pair is A's number and B's.

    Attributes
    ----------
    names : pair of str
        Of A and of B.
    accepted : pair of int
        Candidates in the region.
    true : pair of int
        True positives among them.
    true_only : pair of int
        True positives in this region that are not in the other.
    false_only : pair of int
        False positives in this region that are not in the other.
    pvalue : float
        Of Fisher's two-sided test.
    """

    names: tuple[str, str]
    accepted: tuple[int, int]
    true: tuple[int, int]
    true_only: tuple[int, int]
    false_only: tuple[int, int]
    pvalue: float

    def __str__(self) -> str:
        (a, b), (true_a, true_b), (false_a, false_b) = self.names, self.true_only, self.false_only
        # Odds are compared without dividing: a difference may be empty.
        better, other = (b, a) if true_b * false_a > true_a * false_b else (a, b)
        verdict, caution = f"{better} is better than {other}", ""
        if self.accepted[0] != self.accepted[1]:
            verdict = f"significantly more often in the part of {better}"
            caution = " As the regions differ in size, this does not say which ranking is better."
        verdict = verdict if self.pvalue <= 0.05 else "not significant"
        return (
            f"{b} accepts {self.accepted[1]:,} candidates ({self.true[1]:,} true), {a} "
            f"{self.accepted[0]:,} ({self.true[0]:,} true); where they differ {true_b:,} of "
            f"{true_b + false_b:,} against {true_a:,} of {true_a + false_a:,} are true: {verdict} "
            f"(two-sided Fisher's exact test, p = {self.pvalue:.3g}).{caution}"
        )


def compare_regions(
    a: Any, b: Any, gold: Any, thresholds: Any, names: tuple[str, str] = ("A", "B")
) -> RegionComparison:
    """Compare two γ-acceptance regions: the candidates with score ≥ γ (section 2).

    Regions need not be of the same size, so Fisher's test follows the general rule. But then its
    null hypothesis, that D1 and D2 are equally precise, is not that the rankings are equally good:
    one threshold reaches further down its scale than the other. In simulations equally good
    rankings were called different in up to 97 % of the cases, so the sentence draws no such
    conclusion. :func:`compare` at one n is the fair question.

    Parameters
    ----------
    a, b
        One score per candidate, larger is better: A is the baseline, B the candidate.
    gold
        1 for a true positive, 0 for a false one.
    thresholds : pair of float
        γ of A and of B.
    names : pair of str
        Of A and of B.

    Raises
    ------
    ValueError
        For lengths or pandas indices that differ, NaN scores, not two thresholds, gold that is
        not 0/1.

    Warns
    -----
    UserWarning
        If `gold` holds no true positives.

    Examples
    --------
    >>> print(compare_regions([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [1, 1, 0, 0, 0],
    ...                       thresholds=(4, 3)))
    B accepts 3 candidates (2 true), A 2 (0 true); where they differ 2 of 3 against 0 of 2 are \
true: not significant (two-sided Fisher's exact test, p = 0.4). As the regions differ in size, \
this does not say which ranking is better.
    """
    first, second, truth = _candidates(gold, a=a, b=b)
    limits = _checks.vector("thresholds", thresholds, least=2)
    _checks.same_length(thresholds=limits, names=_checks.two_names(names))
    regions = first >= limits[0], second >= limits[1]
    only = regions[0] & ~regions[1], regions[1] & ~regions[0]
    kinds = (regions, True), (regions, truth), (only, truth), (only, ~truth)
    pairs = [tuple(int((mask & kind).sum()) for mask in masks) for masks, kind in kinds]
    return RegionComparison(tuple(names), *pairs, float(stats.fisher_exact(pairs[2:]).pvalue))


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
            f"ρ = {self.rho:.4f} (p = {self.pvalue:.2g} for none)."
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
    hits, size = _proportion(k, n, most=_MOST_SUMMED)
    if hits.ndim != 1 or hits.size < 2:
        raise ValueError(f"k: expected at least 2 repetitions, got shape {hits.shape}")
    pooled = float(hits.sum() / size.sum())
    none = Overdispersion(pooled, 0.0, 1.0, hits.size)
    if pooled in (0.0, 1.0):
        return none
    # Written as products of (π + iθ), θ = ρ/(1 − ρ), the likelihood is exact down to θ = 0, where
    # it is the binomial's; beta functions lose all digits long before. A factor with i is there
    # once for every repetition whose count is above i.
    steps = np.arange(int(size.max()), dtype=float)
    groups = np.sort([hits, size - hits, size])
    above = [hits.size - np.searchsorted(group, steps, "right") for group in groups]
    # In units of their rough standard errors both parameters take steps of the same size.
    unit = np.array([np.sqrt(pooled * (1 - pooled) / size.sum()), np.sqrt(2 / (size**2).sum())])

    def cost(scaled: np.ndarray) -> tuple[float, np.ndarray]:
        mean, theta = scaled * unit
        factors = [start + steps * theta for start in (mean, 1 - mean, 1.0)]
        hit, miss, either = (count / factor for count, factor in zip(above, factors))
        logs = [(count * np.log(factor)).sum() for count, factor in zip(above, factors)]
        slope = np.array([hit.sum() - miss.sum(), (steps * (hit + miss - either)).sum()])
        return logs[2] - logs[0] - logs[1], -slope * unit

    bounds = [(1e-9 / unit[0], (1 - 1e-9) / unit[0]), (0, None)]
    options = {"jac": True, "method": "TNC", "bounds": bounds, "tol": 1e-13}
    starts = [np.array([pooled, theta]) / unit for theta in (0.0, 2 * unit[1], 0.1)]
    found = min((optimize.minimize(cost, x, **options) for x in starts[1:]), key=lambda r: r.fun)
    mean, theta = map(float, found.x * unit)
    gain = 2 * (cost(starts[0])[0] - found.fun)
    if theta <= 0 or gain <= 0:
        return none
    return Overdispersion(mean, theta / (1 + theta), float(stats.chi2.sf(gain, 1)) / 2, hits.size)


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
    hits, size = _proportion(k, n, most=_MOST_SUMMED)
    rho = _checks.real("rho", rho, 0, 1, closed="low")
    tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
    if rho < 1e-9:
        return binomial_interval(k, n, confidence_level)
    scale = (1 - rho) / rho

    def limit(k: float, n: float) -> float:
        """The mean at which P(X ≥ k) is `tail`."""
        x, ways = np.arange(k, n), -special.betaln(k + 1, n - k + 1) - np.log(n + 1)

        def excess(mean: float) -> float:
            a, b = mean * scale, (1 - mean) * scale
            log_p = ways + special.betaln(k + a, n - k + b) - special.betaln(a, b)
            ratios = (n - x) / (x + 1) * (x + a) / (n - x - 1 + b)
            return min(log_p + np.log1p(np.cumprod(ratios).sum()), 0.0) - np.log(tail)

        with np.errstate(over="ignore"):
            return optimize.brentq(excess, 1e-12, 1 - 1e-12) if k else 0.0

    limits = np.vectorize(limit, otypes=[float])
    # P(X ≤ k) at mean π is P(X ≥ n − k) at mean 1 − π.
    low, high = limits(hits, size), 1 - limits(size - hits, size)
    return Interval(low, high) if hits.ndim else Interval(float(low), float(high))


# Retrieval


def average_precision_per_query(table: pd.DataFrame, score: str) -> pd.Series:
    """Average precision of one run for every query: what `betterthan.compare` wants.

    Queries, not documents, are what a retrieval experiment would draw anew, so two runs are
    compared by one number per query. As in trec_eval documents with equal scores come in reverse
    order of their names, and relevant ones that the run did not return count as never found.

    Parameters
    ----------
    table : DataFrame
        From :func:`betterthan.readers.read_trec`: columns `query`, `document`, `gold` and one per
        run, with a row for every document that a run returned or a judge called relevant.
    score : str
        The column of the run; NaN or −inf where it did not return the document.

    Returns
    -------
    Series
        Its index are the queries with a relevant document, its mean is the run's mean average
        precision. ``attrs["notes"]`` say what was left out, for the sentence of `compare`.

    Raises
    ------
    ValueError
        For a column that is missing, or gold that is not 0/1.

    Warns
    -----
    UserWarning
        For queries without a relevant document, which have no average precision.

    Examples
    --------
    >>> table = pd.DataFrame({"query": ["q1", "q1", "q1", "q2"], "document": ["x", "y", "z", "x"],
    ...                       "gold": [1, 0, 1, 1], "new": [3.0, 2.0, None, 1.0]})
    >>> average_precision_per_query(table, "new").to_dict()
    {'q1': 0.5, 'q2': 1.0}
    """
    for column in ("query", "document", "gold", score):
        if column not in table.columns:
            raise ValueError(f"table: expected a column {column!r}, got {list(table)}")
    ranked = table.sort_values(["query", score, "document"], ascending=[True, False, False])
    (truth,) = _candidates(ranked["gold"])
    hits = pd.Series(truth & (ranked[score].to_numpy() > -np.inf), ranked["query"])
    query = hits.groupby(level=0)
    found = (hits * query.cumsum() / (query.cumcount() + 1)).groupby(level=0).sum()
    relevant = pd.Series(truth, hits.index).groupby(level=0).sum()
    notes = [*table.attrs.get("notes", ())]
    if none := (relevant == 0).sum():
        what = _checks.plural("query", none)
        notes.append(f"{none} {what} without a relevant document left out.")
        warnings.warn(notes[-1], stacklevel=2)
    result = (found / relevant)[relevant > 0].rename(score)
    result.attrs = {"metric": "average precision", "notes": tuple(notes)}
    return result


# Figures


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
        raise ValueError(f"curves={curves!r:.60}: expected one or more curves")
    first, last = _range(first, last, min(int(curve.n[-1]) for curve in curves))
    part = slice(first - 1, last)
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for i, curve in enumerate(curves):
        n, style = curve.n[part], ("-", "--", "-.", ":")[i % 4]
        (line,) = ax.plot(n, 100 * curve.precision[part], linestyle=style, label=curve.name)
        if len(curves) <= 2:
            band = {"color": line.get_color(), "alpha": 0.18, "linewidth": 0}
            ax.fill_between(n, 100 * curve.low[part], 100 * curve.high[part], **band)
    share = 100 * curves[0].baseline
    ax.axhline(share, color="0.45", linewidth=1, linestyle=(0, (1, 2)))
    ax.text(last, share, f"baseline {share:.2f} %", ha="right", va="top", size=8, color="0.35")
    ax.set(xlabel="n (size of the list)", ylabel="precision (%)", ylim=(0, None))
    ax.legend()
    return ax
