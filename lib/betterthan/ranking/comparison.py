"""Is one ranking more precise than another? At every n, and for all n together.

Fisher's exact test where candidates are independent of each other; where they come in groups
(lines, documents, queries), swaps of whole groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from betterthan import _checks
from betterthan._result import Interval
from betterthan.errors import InputError
from betterthan.ranking import _fisher, _groups
from betterthan.ranking._average_precision import average_precision, bootstrap, percentiles
from betterthan.ranking._inputs import Rng, candidates, children, counts, order, restart, sizes
from betterthan.ranking._lists import least_pvalues, list_counts, log_factorials, swap
from betterthan.ranking.curves import PrecisionCurve, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AveragePrecision", "RankingComparison", "compare", "compare_counts"]


@dataclass(frozen=True)
class AveragePrecision:
    """Two rankings compared by average precision; see :meth:`RankingComparison.average_precision`.

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
    at_floor : bool
        Whether no swap reached the observed difference: the true p-value is at most `pvalue`.
    """

    difference: float
    interval: Interval
    pvalue: float
    value_a: float
    value_b: float
    names: tuple[str, str]
    confidence_level: float
    at_floor: bool = False

    def __str__(self) -> str:
        (a, b), (low, high) = self.names, self.interval
        at = "≤" if self.at_floor else "="
        return (
            f"The average precision of {b} is {self.value_b:.3f}, of {a} {self.value_a:.3f} "
            f"({b} − {a}: {self.difference:+.3f}, {100 * self.confidence_level:g} % interval "
            f"{low:+.3f} to {high:+.3f}, two-sided p {at} {self.pvalue:.3g})."
        )


class _Rankings(NamedTuple):
    """Candidates in the order of two rankings, which are true, and what belongs together."""

    order_a: np.ndarray
    order_b: np.ndarray
    truth: np.ndarray
    groups: _groups.Groups | None = None

    @property
    def lists(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the counts of lists are made of."""
        return self.order_a, self.order_b, self.truth


@dataclass(frozen=True, eq=False)
class RankingComparison:
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
        Of Fisher's two-sided test, each n on its own; with groups, of swaps of whole groups
        (two-sided, and never below 1 / (n_resamples + 1)).
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
        What Fisher's p must reach at some n for a claim that holds over the whole range; None
        with groups, where the largest lead in units of its own spread is looked at.
    least_pvalues : array, optional
        The smallest p-value of each permutation, sorted (with groups: of its largest lead, as a
        two-sided p-value of the normal distribution).
    n_groups : int, optional
        How many groups the candidates come in; None where they are taken to be independent.
    n_resamples : int, optional
        How many swaps of whole groups `pvalue` rests on.
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
    n_groups: int | None = None
    n_resamples: int | None = None
    _rankings: _Rankings | None = field(default=None, repr=False)
    _spread: np.ndarray | None = field(default=None, repr=False)

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

    def between(self, first: int, last: int | None = None) -> RankingComparison:
        """The same comparison, for lists of `first` to `last` candidates (None: to all of them).

        What follows (the test of all n together, the sentence, the ranges, the plot) looks at these
        n only. Decide on them before you look at the result.

        Raises
        ------
        ValueError
            For first, last outside the candidates.
        """
        first, last = sizes(first, last, int(self.n[-1]))
        return replace(
            self,
            first=first,
            last=last,
            pvalue_adjusted=None,
            critical_pvalue=None,
            least_pvalues=None,
        )

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
            raise InputError("adjusted", True, expected="the result of simultaneous()")
        inside = (self.n >= self.first) & (self.n <= self.last) & (p <= self.alpha)
        sign = np.sign(self.difference) * inside
        starts = np.flatnonzero(np.diff(sign, prepend=0))
        runs = [(i, j) for i, j in zip(starts, [*starts[1:], sign.size]) if sign[i]]
        rows = [(i + 1, j, j - i, self.names[int(sign[i] > 0)], p[i:j].min()) for i, j in runs]
        return pd.DataFrame(rows, columns=["from", "to", "values of n", "better", "smallest p"])

    def _known(self) -> _Rankings:
        if self._rankings is None:
            raise InputError(expected="a comparison made by compare(): counts have no rankings")
        return self._rankings

    def simultaneous(
        self, alpha: float = 0.05, n_resamples: int = 1000, rng: Rng = 0, least_pvalues: Any = None
    ) -> RankingComparison:
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
        it takes candidates to be independent: where many of them rise and fall together, as the
        characters of a line do, both claim too much. A comparison with `groups` swaps whole groups
        instead, and keeps of each permutation the largest lead over all n, in units of the spread
        that swaps give to the lead at that n.

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
        reached = np.searchsorted(least, self._ordering * (1 + 1e-9), side="right")
        inside = (self.n >= self.first) & (self.n <= self.last)
        # A p-value is significant while at most `allowed` permutations reach it.
        allowed = int(np.floor(_checks.alpha(alpha) * (least.size + 1) + 1e-9)) - 1
        critical = 0.0 if allowed < 0 else float(least[allowed] * (1 - 1e-9))
        return replace(
            self,
            alpha=float(alpha),
            least_pvalues=least,
            pvalue_adjusted=np.where(inside, (1 + reached) / (least.size + 1), 1.0),
            critical_pvalue=critical if self._spread is None else None,
        )

    @property
    def _ordering(self) -> np.ndarray:
        """For every n the p-value by which permutations are compared with what was observed."""
        if self._spread is None:
            return self.pvalue
        return 2 * special.ndtr(-_groups.in_spreads(self.tp_b - self.tp_a, self._spread))

    def _permuted_groups(self, n_resamples: int, rng: Rng) -> np.ndarray:
        """The normal p-value of the largest lead in its spreads, for each swap of whole groups."""
        known, spread = self._known(), self._spread
        assert known.groups is not None and spread is not None
        looked = slice(self.first - 1, self.last)
        drawn = _groups.leads(*known.lists, known.groups, n_resamples, rng)
        largest = [
            _groups.in_spreads(rows[:, looked], spread[looked]).max(axis=1) for rows in drawn
        ]
        return 2 * special.ndtr(-np.concatenate(largest))

    def _permuted(self, n_resamples: int, rng: Rng) -> np.ndarray:
        """The smallest p-value of each permutation; a child of `rng` per hundred."""
        known = self._known()
        if known.groups is not None:
            return self._permuted_groups(n_resamples, rng)
        log_factorial = log_factorials(2 * known.truth.size + 1)
        todo = _checks.whole("n_resamples", n_resamples)
        least = []
        for start, child in zip(range(0, todo, 100), children(rng, -(-todo // 100))):
            draw = np.random.default_rng(child)
            permuted = [
                list_counts(*swap(known.order_a, known.order_b, draw, self.last), known.truth)
                for _ in range(min(100, todo - start))
            ]
            least.append(least_pvalues(permuted, self.first, self.last, log_factorial))
        return np.concatenate(least)

    def average_precision(
        self, confidence_level: float = 0.95, n_resamples: int = 1000, rng: Rng = 0
    ) -> AveragePrecision:
        """Difference in average precision, B − A, over the same candidates.

        The interval is a paired bootstrap over candidates; the p-value (two-sided) swaps the two
        ranks of each candidate at random, as :meth:`simultaneous` does. With groups, groups are
        drawn and swapped.

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
        order_a, order_b, truth, groups = self._known()
        rng = restart(rng)
        drawn = np.diff(bootstrap(truth, (order_a, order_b), n_resamples, rng, groups))
        value_a, value_b = (average_precision(truth[order]) for order in (order_a, order_b))
        draw, reached = np.random.default_rng(children(rng, 2)[0]), 0
        for _ in range(n_resamples):
            coins = None if groups is None else groups.coins(draw)[0, groups.of]
            new = swap(order_a, order_b, draw, swapped=coins)
            a, b = (average_precision(truth[order]) for order in new)
            reached += abs(b - a) >= abs(value_b - value_a) - 1e-12
        return AveragePrecision(
            difference=value_b - value_a,
            interval=percentiles(drawn, confidence_level),
            pvalue=(1 + reached) / (n_resamples + 1),
            at_floor=reached == 0,
            value_a=value_a,
            value_b=value_b,
            names=self.names,
            confidence_level=confidence_level,
        )

    def __str__(self) -> str:
        in_groups = "" if self.n_groups is None else f" in {self.n_groups:,} groups"
        text = (
            f"For lists of {self.first:,} to {self.last:,} of {int(self.n[-1]):,} candidates"
            f"{in_groups} ({int(self.tp_a[-1]):,} true), {self._found(self.ranges())} "
            f"({self._test()}, p ≤ {self.alpha:g} at each n on its own)"
        )
        if self.pvalue_adjusted is not None and self.least_pvalues is not None:
            together = self._found(self.ranges(adjusted=True))
            text += f"; over all these n together, {together} ({self._test_of_all()})"
        return f"{text}. {self._taken_for_granted()}"

    def _test(self) -> str:
        if self.n_groups is None:
            return "two-sided Fisher's exact test on the candidates that only one list holds"
        return f"two-sided, {self.n_resamples:,} swaps of the two ranks of whole groups"

    def _test_of_all(self) -> str:
        assert self.least_pvalues is not None
        size = self.least_pvalues.size
        if self.n_groups is not None:
            return f"{size:,} swaps of whole groups, the largest lead of each in its spreads"
        return (
            f"{size:,} permutations of the two rankings: two that are equally good at "
            f"every n would reach p ≤ {self.critical_pvalue:.2g} somewhere in "
            f"{100 * self.alpha:g} % of the cases"
        )

    def _taken_for_granted(self) -> str:
        if self.n_groups is None:
            return "Candidates are taken to be independent of each other."
        said = "Groups are taken to be independent of each other."
        groups = self._known().groups
        assert groups is not None
        if groups.least_pvalue > self.alpha:
            return (
                f"{said} With {groups.number} of them no p-value is below {groups.least_pvalue:g}."
            )
        if groups.number < _groups.FEW:
            few = "equally good rankings may be told apart a little more often than the level says"
            return f"{said} {groups.number} are few: {few}."
        return said

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


def compare(
    a: Any,
    b: Any,
    gold: Any,
    names: tuple[str, str] = ("A", "B"),
    rng: Rng = 0,
    *,
    groups: Any = None,
    n_resamples: int = 999,
) -> RankingComparison:
    """Compare two rankings of the same candidates at every n (section 3.3).

    Only candidates in one list and not in the other can tell the rankings apart: D1 = A∖B and
    D2 = B∖A. Fisher's exact test compares the share of true positives in the two, and takes each
    candidate to be a trial of its own.

    Characters of a line, answers to one document or pairs of one article are no such trials: hits
    come in clumps. With `groups` the two ranks of all candidates of a group are swapped together,
    a coin per group, both rankings are ranked again, and the p-value at n is the share of swaps
    whose lists differ by as many true positives as the observed ones.

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
        order. Swaps of groups are drawn from it, too (from 0 where it is None).
    groups : array-like, optional
        What each candidate belongs to (line, document, query). Take the unit that
        would be new if the experiment were repeated; twenty or more keep the promise best.
    n_resamples : int
        How many swaps of groups.

    Raises
    ------
    ValueError
        For lengths or pandas indices that differ, NaN scores, gold that is not 0/1, groups with a
        missing label or all alike, n_resamples below 1.

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

    Forty documents of fifty candidates each:

    >>> found = compare(old, new, gold, groups=np.arange(2000) // 50, n_resamples=199)
    >>> found.n_groups, float(found.pvalue[499])
    (40, 0.005)
    """
    first, second, truth = candidates(gold, a=a, b=b)
    rng = restart(rng)
    belong = None if groups is None else _groups.labelled(groups, truth.size, a=a, b=b, gold=gold)
    rankings = _Rankings(order(first, rng), order(second, rng), truth, belong)
    result = replace(compare_counts(*list_counts(*rankings.lists), names), _rankings=rankings)
    if belong is None:
        return result
    drawn_from = children(0 if rng is None else rng, 1)[0]
    found = _groups.swapped(*rankings.lists, belong, n_resamples, drawn_from)
    return replace(
        result,
        pvalue=found.pvalue,
        n_groups=belong.number,
        n_resamples=found.n_resamples,
        _spread=found.spread,
    )


def compare_counts(
    tp_a: Any, tp_b: Any, common: Any, tp_common: Any, names: tuple[str, str] = ("A", "B")
) -> RankingComparison:
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
    given = {"tp_a": tp_a, "tp_b": tp_b, "common": common, "tp_common": tp_common}
    checked = {name: _checks.vector(name, values) for name, values in given.items()}
    _checks.same_length(**checked)
    in_a, in_b, shared, true_shared = (v.astype(np.int64) for v in counts(checked))
    n = np.arange(1, in_a.size + 1)
    size, true_a, true_b = n - shared, in_a - true_shared, in_b - true_shared
    cells = np.array([true_a, size - true_a, true_b, size - true_b])
    for i in np.flatnonzero((cells < 0).any(axis=0))[:1]:
        expected = f"counts of two rankings, got {cells[:, i]} in one"
        raise InputError("n", int(n[i]), expected=expected)
    return RankingComparison(
        n=n,
        tp_a=in_a,
        tp_b=in_b,
        precision_a=in_a / n,
        precision_b=in_b / n,
        difference=(in_b - in_a) / n,
        true_only_a=true_a,
        false_only_a=size - true_a,
        true_only_b=true_b,
        false_only_b=size - true_b,
        pvalue=_fisher.two_sided(*(v.astype(float) for v in (true_a, true_b, size))),
        names=_checks.two_names(names),
        first=1,
        last=n.size,
    )
