"""On how many of N datasets is B better than A, and on which? (Dror et al. 2017)

Every p-value here belongs to the question *is B better than A on this dataset?*: small values
speak for **B**. A two-sided p-value does not say who won; it needs the sign of the difference.

:func:`analyse` answers all at once, by closed testing with one local test, so that its answers
fit together: the count, the names and the bound for any subset are right together with
probability 1 − alpha. :func:`partial_conjunction`, :func:`count` and :func:`identify` are the
steps of the paper.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from scipy.special import gammaincc, gammainccinv

from betterthan import _checks, _simes
from betterthan._version import __version__
from betterthan._words import IN_ALL_PARTS, counted, enumerated, percent, some_of
from betterthan.errors import InputError, Say

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "Analysis",
    "BothWays",
    "analyse",
    "analyse_both",
    "count",
    "identify",
    "one_sided",
    "partial_conjunction",
]

_LOCAL = {
    "bonferroni": "Bonferroni's test, any dependence of the datasets",
    "simes": "Simes' test, positively dependent datasets",
    "fisher": "Fisher's test, independent datasets and runs",
}
_IDENTIFY = ("holm", "hochberg", "hommel", "bh", "bonferroni")
# Beyond this, what takes N² steps takes too long for a table.
_ADJUSTED = 2_000


@overload
def partial_conjunction(pvalues: Any, at_least: int, method: str = "fisher") -> float: ...


@overload
def partial_conjunction(
    pvalues: Any, at_least: None = None, method: str = "fisher"
) -> np.ndarray: ...


def partial_conjunction(
    pvalues: Any, at_least: int | None = None, method: str = "fisher"
) -> float | np.ndarray:
    """P-value of "B is better on fewer than u of the N datasets" (Dror et al., eq. 2, 3).

    A small value is evidence that B is better on at least u = `at_least` datasets. With sorted
    p-values p₍₁₎ ≤ … ≤ p₍N₎:

    - ``"bonferroni"`` (any dependence): min(1, (N−u+1) p₍ᵤ₎), eq. (2);
    - ``"fisher"`` (independent datasets and runs): P(χ²₂₍N₋ᵤ₊₁₎ ≥ −2 Σ_{i≥u} ln p₍ᵢ₎), eq. (3);
    - ``"simes"`` (positively dependent): min_{i≥u} (N−u+1)/(i−u+1) p₍ᵢ₎.

    Parameters
    ----------
    pvalues : array-like
        One-sided p-values, one per dataset (small: B better); order does not matter.
    at_least : int, optional
        How many datasets, u; None gives the whole array for u = 1 … N.
    method : {"bonferroni", "fisher", "simes"}
        The test of "nothing is going on anywhere".

    Returns
    -------
    float or array
        A float for one `at_least`, else an array whose element u−1 is p^{u/N}. The values are the
        raw ones: Bonferroni's and Fisher's may fall as u grows.

    Raises
    ------
    ValueError
        If `pvalues` is empty or holds NaN or a value outside [0, 1], if `at_least` is not a whole
        number in 1 … N, or if `method` is unknown.

    Examples
    --------
    >>> p = [.168, .297, .357, .019, .218, .001]
    >>> partial_conjunction(p, method="bonferroni").round(3)
    array([0.006, 0.095, 0.672, 0.654, 0.594, 0.357])
    >>> round(partial_conjunction(p, at_least=2, method="fisher"), 3)
    0.04
    """
    ordered = np.sort(_checks.probabilities("pvalues", pvalues))
    _checks.choice("method", method, tuple(_LOCAL))
    if at_least is not None:
        first = _checks.whole("at_least", at_least, 1, ordered.size) - 1
        return float(partial_conjunction(ordered[first:], method=method)[0])
    remaining = np.arange(ordered.size, 0, -1)
    if method == "bonferroni":
        return np.minimum(1.0, remaining * ordered)
    if method == "fisher":
        return gammaincc(remaining, _evidence(ordered[::-1])[::-1])
    return _simes.of_largest(ordered)


def count(pvalues: Any, alpha: float = 0.05, method: str = "bonferroni") -> int:
    """k̂: B is better on at least this many datasets, with confidence 1 − alpha (eq. 4).

    k̂ is the largest u whose partial conjunction p-value, and every one before it, is
    at most `alpha`. "bonferroni" is valid always, "fisher" for independent datasets (and runs),
    "simes" for positively dependent ones. "count" is the number of p ≤ alpha, which
    has no guarantee; it is here for comparison.

    Raises
    ------
    ValueError
        For p-values that are empty, NaN or outside [0, 1], an `alpha` not strictly between 0 and
        1, or an unknown `method`.

    Examples
    --------
    >>> p = [.168, .297, .357, .019, .218, .001]
    >>> [count(p, method=m) for m in ("count", "bonferroni", "fisher", "simes")]
    [2, 1, 2, 1]
    """
    p, alpha = _checks.probabilities("pvalues", pvalues), _checks.alpha(alpha)
    _checks.choice("method", method, ("count", *_LOCAL))
    if method == "count":
        return int(np.count_nonzero(p <= alpha))
    if method == "bonferroni":
        # Holm's comparison, to the last bit, so that the two always agree.
        above = np.sort(p) > alpha / np.arange(p.size, 0, -1)
    else:
        above = partial_conjunction(p, method=method) > alpha
    return int(above.argmax()) if above.any() else p.size


def identify(pvalues: Any, alpha: float = 0.05, method: str = "holm") -> np.ndarray:
    """On which datasets is B better? A boolean mask in the caller's order.

    "holm" (any dependence), "hochberg" and "hommel" (positive dependence) and
    "bonferroni" keep the probability of naming even one dataset wrongly at most
    `alpha`; "bh" (Benjamini–Hochberg) keeps the expected share of wrong names at most
    `alpha` (independence or positive dependence).

    Raises
    ------
    ValueError
        For p-values that are empty, NaN or outside [0, 1], an `alpha` not strictly between 0 and
        1, or an unknown `method`.

    Examples
    --------
    >>> identify([.168, .297, .357, .019, .218, .001])
    array([False, False, False, False, False,  True])
    """
    p, alpha = _checks.probabilities("pvalues", pvalues), _checks.alpha(alpha)
    _checks.choice("method", method, _IDENTIFY)
    if method == "bonferroni":
        return p <= alpha / p.size
    if method == "hommel":
        return _simes.hommel_adjusted(p) <= alpha
    if method == "holm":
        named = count(p, alpha)
    elif method == "hochberg":
        named = _last_at_most(p, alpha / np.arange(p.size, 0, -1))
    else:
        named = _last_at_most(p, alpha * (np.arange(1, p.size + 1) / p.size))
    return np.argsort(np.argsort(p, kind="stable")) < named


def _last_at_most(p: np.ndarray, limits: np.ndarray) -> int:
    """How many a step-up rule names: all up to the last sorted p-value within its limit."""
    within = np.flatnonzero(np.sort(p) <= limits)
    return int(within[-1]) + 1 if within.size else 0


def one_sided(pvalues: Any, a: Any, b: Any) -> float | np.ndarray:
    """One-sided p-value for *B better* from a two-sided one and the two scores.

    p/2 where B scored higher, 1 − p/2 where A did or both scored the same. Right for
    tests whose statistic is symmetric under the null (McNemar, Wilcoxon, Steiger, a
    two-sided randomisation test); higher scores must be better scores.

    Raises
    ------
    ValueError
        For p-values outside [0, 1], missing scores or unequal lengths.

    Examples
    --------
    >>> one_sided(.04, a=85.0, b=81.6)
    0.98
    >>> one_sided([.04, .04], a=[81.6, 85.0], b=[85.0, 81.6])
    array([0.02, 0.98])
    """
    p = _checks.probabilities("pvalues", np.atleast_1d(pvalues))
    a, b = _checks.vector("a", np.atleast_1d(a)), _checks.vector("b", np.atleast_1d(b))
    _checks.same_length(pvalues=p, a=a, b=b)
    turned = np.where(b > a, p / 2, 1 - p / 2)
    return float(turned[0]) if np.ndim(pvalues) == 0 else turned


@dataclass(frozen=True, eq=False)
class Analysis:
    """What :func:`analyse` found. ``print`` gives the sentence for the paper.

    Attributes
    ----------
    count : int
        B is better on at least this many datasets.
    names : tuple of str
        Datasets on which B is better; never more than `count`.
    datasets : tuple of str
        All that were analysed.
    pvalues : array
        One-sided, for *B better*, in the order of `datasets`.
    local : str
        The local test: "bonferroni", "simes" or "fisher".
    alpha : float
        Count, names and all bounds are right together with probability at least 1 − alpha.
    systems : pair of str
        What A and B are called.
    notes : tuple of str
        What looks odd about the input, in words, and what all comparisons note, if it was made of
        such: blank answers that were counted wrong.
    """

    count: int
    names: tuple[str, ...]
    datasets: tuple[str, ...]
    pvalues: np.ndarray
    local: str
    alpha: float
    systems: tuple[str, str]
    notes: tuple[str, ...]
    _bound: Callable[[np.ndarray], int] = field(repr=False)

    def bound(self, subset: Iterable[str]) -> int:
        """On at least how many datasets of `subset` B is better.

        Right for all subsets at once with the same probability, so the subset may be chosen after
        looking at the results.

        Raises
        ------
        ValueError
            For names that are not among `datasets`.
        """
        wanted = {subset} if isinstance(subset, str) else set(map(str, subset))
        unknown = sorted(wanted.difference(self.datasets))
        if unknown:
            expected = f"names of datasets, but {unknown[0]!r} is not one"
            raise InputError("subset", expected=expected)
        return self._bound(np.array([name in wanted for name in self.datasets], dtype=bool))

    def table(self) -> pd.DataFrame:
        """One row per dataset, in the caller's order: dataset, pvalue, pvalue_adjusted, named.

        The adjusted p-value is the smallest alpha that names the dataset (Holm's, Hommel's, or
        that of closed testing with Fisher's test). With "fisher" and more than 2,000 datasets
        there is none.
        """
        import pandas as pd

        table = pd.DataFrame({"dataset": self.datasets, "pvalue": self.pvalues})
        if self.local != "fisher" or len(table) <= _ADJUSTED:
            table["pvalue_adjusted"] = _adjusted(self.pvalues, self.local)
        return table.assign(named=table["dataset"].isin(self.names))

    def __str__(self) -> str:
        (a, b), k, n = self.systems, self.count, len(self.datasets)
        said = f"{b} is better than {a} on at least {k:,}"
        if not k:
            said = f"There is not enough evidence that {b} is better than {a} on even one"
        said += f" of {counted(n, 'dataset')}"
        if self.names:
            some_or_all = "namely" if len(self.names) == k else "among them"
            said += f", {some_or_all} {enumerated(self.names)}"
        elif k:
            said += ", none of which can be named"
        said += f" (confidence {percent(1 - self.alpha)}; closed testing with"
        return " ".join([f"{said} {_LOCAL[self.local]}).", *self.notes])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Sorted p-values on a log scale, filled where named; k̂ and, for Bonferroni, Holm's limits.

        Returns
        -------
        Axes
        """
        import matplotlib.pyplot as plt

        n, (a, b) = len(self.datasets), self.systems
        few = n <= 40
        tall = max(2.4, 1.4 + 0.24 * n) if few else 3.6
        ax = ax or plt.subplots(figsize=(6.8, tall), layout="constrained")[1]
        order, rank = np.argsort(self.pvalues, kind="stable"), np.arange(1, n + 1)
        p = self.pvalues[order]
        shown = np.maximum(p, min(1e-5, 0.1 * p[p > 0].min(initial=1.0)))  # a zero has no logarithm
        named = np.isin(np.array(self.datasets, dtype=object)[order], self.names)
        for part, face, label in ((named, "C0", "named"), (~named, "white", "not named")):
            x, y, size = shown[part], rank[part], 30 if few else 6
            ax.scatter(x, y, size, facecolors=face, edgecolors="C0", zorder=3, label=label)
        if self.local == "bonferroni":
            ax.plot(self.alpha / rank[::-1], rank, color="C0", label="Holm's limit")
        ax.axvline(self.alpha, color="0.5", linestyle=":", label=f"α = {self.alpha:g}")
        if 0 < self.count < n:
            ax.axhline(self.count + 0.5, color="0.2", ls="--", lw=1.2, label=f"k̂ = {self.count:,}")
        ax.set(xscale="log", ylim=(n + 0.8, 0.2), xlabel=f"one-sided p-value (small: {b} better)")
        _plain_ticks(ax)
        ax.set_title(f"{b} better than {a} on at least {self.count:,} of {n:,}")
        if few:
            ax.set_yticks(rank, [self.datasets[i] for i in order])
        else:
            ax.set_ylabel("rank of the dataset")
        # Beside the axes: inside, it would hide some dataset sooner or later.
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return ax


def _plain_ticks(ax: Axes) -> None:
    """At most some six plain numbers, such as 0.01, below a log scale of p-values.

    What matplotlib writes there is a formula, which stays raw where a $ is a dollar (`_saved`).
    """
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    low, high = ax.get_xlim()
    high = min(high, 2.0)
    ax.set_xlim(low, high)
    wide = high / low >= 1000
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0), numticks=6))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def analyse(
    pvalues: Any,
    *,
    names: Iterable[str] | None = None,
    local: str = "bonferroni",
    alpha: float = 0.05,
    systems: tuple[str, str] | None = None,
    alternative: str | None = None,
    differences: Any = None,
) -> Analysis:
    """The whole analysis: on how many datasets B is better, on which, and on how many of a subset.

    Closed testing (Goeman and Solari 2011): a set of datasets counts as "B is better on at least
    one of these" if the local test rejects it and every set that contains it. k̂ of the paper is
    the bound that follows for all datasets.

    Parameters
    ----------
    pvalues
        One of

        - one-sided p-values for "B is better": a sequence, a mapping from dataset to p-value, or
          a pandas Series whose index names the datasets;
        - results of :func:`betterthan.compare` or of `betterthan.pvalues`, in a list or a mapping
          from dataset to result;
        - a table with the columns ``dataset`` and ``p``, as `readers.read_pvalues` returns it, and
          optionally ``alternative`` and the scores ``a`` and ``b``. Whether its p-values are
          one-sided must be said, by `alternative` or in the table.
    names : sequence of str, optional
        Names of the datasets, if `pvalues` does not have them.
    local : {"bonferroni", "simes", "fisher"}
        The local test. "bonferroni" is valid for any dependence (and names what Holm names),
        "simes" for positively dependent datasets (and names what Hommel names), "fisher" for
        independent ones: no two share instances and none is made from another. If the p-values
        speak of learners, from several runs of each, every dataset must have trained runs of its
        own: where the same runs meet ten datasets, equal learners were told apart in 16 % (study
        replicability-runs). One trained model of each, on all datasets, is fine: then the claim
        is about these two models.
    alpha : float
        The probability of claiming too much that you accept.
    systems : pair of str, optional
        What A and B are called; by default as in the results, else "A" and "B".
    alternative : {"greater", "two-sided"}, optional
        What the p-values test: "greater" (B better), or "two-sided", which needs the scores or
        `differences` and is turned as in :func:`one_sided`.
    differences : array-like, optional
        For each p-value the score of B (the new system) minus that of A (the old one), higher being
        better. Only the sign counts: it says which of the two a two-sided p-value speaks for.

    Returns
    -------
    Analysis

    Raises
    ------
    ValueError
        For p-values that are empty, NaN or outside [0, 1], two-sided ones without a sign, a table
        that does not say which they are, a table or results that say other than `alternative`,
        results of several pairs of systems, names that are not distinct or not as many, an unknown
        `local`, or an `alpha` not strictly between 0 and 1.

    Examples
    --------
    >>> found = analyse({"news": .001, "mail": .03, "talk": .9, "web": .02}, local="fisher",
    ...                 systems=("old", "new"))
    >>> print(found)
    new is better than old on at least 2 of 4 datasets, among them news (confidence 95 %; \
closed testing with Fisher's test, independent datasets and runs). The p-values are taken as \
one-sided, for "new is better".
    >>> found.bound(["mail", "web"])
    1
    """
    local, alpha = _checks.choice("local", local, tuple(_LOCAL)), _checks.alpha(alpha)
    given = _read(pvalues, alternative, differences)
    systems = _checks.two_names(systems or given.systems or ("A", "B"))
    datasets = _distinct(given, names)
    named, bound = {"bonferroni": _holm, "simes": _hommel, "fisher": _fisher}[local](
        given.pvalues, alpha
    )
    notes = (*given.notes, *_doubt(given, systems))
    if not given.side_is_said:
        notes += (f'The p-values are taken as one-sided, for "{systems[1]} is better".',)
    return Analysis(
        count=bound(np.ones(len(datasets), dtype=bool)),
        names=tuple(name for name, yes in zip(datasets, named) if yes),
        datasets=datasets,
        pvalues=given.pvalues,
        local=local,
        alpha=alpha,
        systems=systems,
        notes=notes,
        _bound=bound,
    )


@dataclass(frozen=True, eq=False)
class BothWays:
    """On which datasets B is better, and on which it is worse; ``print`` gives the sentence.

    Attributes
    ----------
    better : Analysis
        On how many datasets B is better, and on which.
    worse : Analysis
        The same with A and B exchanged.
    alpha : float
        Everything that is claimed of both is right together with probability at least 1 − alpha.
    """

    better: Analysis
    worse: Analysis
    alpha: float

    def record(self) -> dict[str, Any]:
        """Sentence, counts and names in both directions, settings and version, as JSON has them."""
        return {
            "sentence": str(self),
            "systems": list(self.better.systems),
            "n_datasets": len(self.better.datasets),
            "better": {"count": self.better.count, "names": list(self.better.names)},
            "worse": {"count": self.worse.count, "names": list(self.worse.names)},
            "local": self.better.local,
            "alpha": self.alpha,
            "notes": list(self.better.notes),
            "betterthan": __version__,
        }

    def __str__(self) -> str:
        (a, b), n = self.better.systems, len(self.better.datasets)
        ahead = f"{b} is better than {a} on {_how_many(self.better)}"
        behind = f"worse on {_how_many(self.worse)}"
        how = f"confidence {percent(1 - self.alpha)} for both together; closed testing with"
        said = f"Of {counted(n, 'dataset')} {ahead}, and {behind} ({how}"
        return " ".join([f"{said} {_LOCAL[self.better.local]}).", *self.better.notes])

    def table(self) -> pd.DataFrame:
        """One row per dataset: dataset, pvalue_better, pvalue_worse (one-sided), better, worse."""
        better, worse = (one.table() for one in (self.better, self.worse))
        table = better[["dataset"]].assign(
            pvalue_better=better["pvalue"], pvalue_worse=worse["pvalue"]
        )
        named = [table["dataset"].isin(one.names) for one in (self.better, self.worse)]
        return table.assign(better=named[0], worse=named[1])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The picture of where B is better."""
        return self.better.plot(ax)


def _how_many(found: Analysis) -> str:
    """On at least how many datasets, and on which, in words."""
    if not found.count:
        return "none that can be shown"
    if not found.names:
        return f"at least {found.count:,}, none of which can be named"
    some_or_all = "namely" if len(found.names) == found.count else "among them"
    return f"at least {found.count:,}, {some_or_all} {enumerated(found.names)}"


def analyse_both(
    pvalues: Any,
    *,
    local: str = "bonferroni",
    alpha: float = 0.05,
    systems: tuple[str, str] | None = None,
) -> BothWays:
    """On which datasets B is better *and* on which it is worse, with one error rate for both.

    Each direction is analysed by itself with half of alpha (see :func:`analyse`).

    Parameters
    ----------
    pvalues
        As for :func:`analyse`, such as what `betterthan.compare_each` gives.
    local : {"bonferroni", "simes", "fisher"}
        The local test.
    alpha : float
        The probability of claiming too much, in either direction, that you accept.
    systems : pair of str, optional
        What A and B are called.

    Returns
    -------
    BothWays

    Raises
    ------
    InputError
        As :func:`analyse` does.

    Examples
    --------
    >>> print(analyse_both({"news": .001, "mail": .4, "talk": .9995}, systems=("old", "new")))
    Of 3 datasets new is better than old on at least 1, namely news, and worse on at least 1, \
namely talk (confidence 95 % for both together; closed testing with Bonferroni's test, any \
dependence of the datasets). The p-values are taken as one-sided, for "new is better".
    """
    alpha = _checks.alpha(alpha)
    better = analyse(pvalues, local=local, alpha=alpha / 2, systems=systems)
    worse = analyse(
        1 - better.pvalues,
        names=better.datasets,
        local=local,
        alpha=alpha / 2,
        systems=better.systems[::-1],
        alternative="greater",
    )
    return BothWays(better, worse, alpha)


@dataclass(frozen=True)
class _Given:
    """What was given for `pvalues`, whatever its form: one-sided for B, and what else is known."""

    pvalues: np.ndarray
    names: list[Any] | None
    differences: np.ndarray | None
    systems: tuple[str, str] | None
    side_is_said: bool
    notes: tuple[str, ...] = ()


def _distinct(given: _Given, names: Iterable[str] | None) -> tuple[str, ...]:
    """The names of the datasets: those asked for, else their own, else numbers."""
    own = range(1, given.pvalues.size + 1) if given.names is None else given.names
    datasets = tuple(map(str, own if names is None else names))
    _checks.same_length(pvalues=given.pvalues, names=datasets)
    if len(set(datasets)) < len(datasets):
        again = next(name for name in datasets if datasets.count(name) > 1)
        raise InputError("names", expected=f"each dataset once, but {again!r} occurs again")
    return datasets


def _doubt(given: _Given, systems: tuple[str, str]) -> tuple[str, ...]:
    """A note where one-sided p-values for B are small and A scores higher."""
    if given.differences is None:
        return ()
    odd = int(((given.pvalues < 0.5) & (given.differences < 0)).sum())
    note = f"Note: {systems[0]} scores higher on {odd:,} of those with p < 0.5; are they two-sided?"
    return (note,) if odd else ()


def _read(pvalues: Any, alternative: Any, differences: Any) -> _Given:
    """P-values in any form, turned to one-sided ones for B."""
    names = systems = None
    notes: tuple[str, ...] = ()
    said = alternative is not None
    if hasattr(pvalues, "columns"):
        names, pvalues, alternative, differences = _table(pvalues, alternative, differences)
        said = True
    elif hasattr(pvalues, "items"):
        names, pvalues = list(pvalues.keys()), [x for _, x in pvalues.items()]
    if np.ndim(pvalues) and len(pvalues) and all(hasattr(x, "pvalue") for x in pvalues):
        systems, alternative, differences = _of_results(pvalues, alternative)
        notes = tuple(note.removeprefix(IN_ALL_PARTS) for note in shared_notes(pvalues))
        pvalues, said = [x.pvalue for x in pvalues], True
    p = _checks.probabilities("pvalues", pvalues)
    p, differences = _turned(p, "greater" if alternative is None else alternative, differences)
    return _Given(p, names, differences, systems, said, notes)


def shared_notes(results: Iterable[Any]) -> list[str]:
    """What every one of these results notes, in the order of the first."""
    notes = [list(getattr(one, "notes", ())) for one in results]
    return [note for note in dict.fromkeys(notes[0]) if all(note in own for own in notes)]


def _of_results(
    results: Any, alternative: str | None
) -> tuple[tuple[str, str], list[str], list[float]]:
    """The two systems of several results, what each tested, and by how much B is better in it."""
    systems = results[0].names
    if any(x.names != systems for x in results):
        raise InputError("pvalues", expected="results of the same two systems on all datasets")
    sides = [getattr(x, "alternative", "two-sided") for x in results]
    if alternative is not None:
        _agree(alternative, sides, "a result is")
    signs = [1 if getattr(x, "higher_is_better", True) else -1 for x in results]
    return systems, sides, [sign * x.difference for sign, x in zip(signs, results)]


def _turned(p: np.ndarray, sides: Any, differences: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """One-sided p-values for B from those that say what they test, and the checked differences."""
    tested = np.broadcast_to(sides, p.shape)
    for side in np.unique(tested):
        # What a p-value for A leaves of 1 is too small for B where there are ties.
        _checks.choice("alternative", str(side), ("greater", "two-sided"))
    if differences is not None:
        known = _checks.vector("differences", differences)
        _checks.same_length(pvalues=p, differences=known)
        return np.where(tested == "two-sided", one_sided(p, np.zeros(p.size), known), p), known
    if "two-sided" in tested:
        unsaid = "a two-sided p-value does not say who won"
        wanted = (
            "the scores of both systems, as columns a and b of a table, or as differences=: for "
        )
        wanted += "each p-value the score of B, the new system, minus that of A, the old one"
        raise InputError("alternative", problem=unsaid, expected=wanted)
    return p, None


def _table(
    table: pd.DataFrame, alternative: str | None, differences: Any
) -> tuple[list[Any], Any, Any, Any]:
    """Names, p-values, what they test, and differences, from a table's columns."""
    _require_columns(table)
    if alternative is None and "alternative" not in table:
        wanted = "'greater' (one-sided, for \"B is better\") or 'two-sided'"
        ways = [
            Say("alternative", "greater", "if a small one means that B, the new system, is better")
        ]
        if differences is not None or "a" in table:
            when = "if it means that the two differ, whichever is better"
            ways.append(Say("alternative", "two-sided", when))
        text = f"{wanted}; the table does not say which"
        raise InputError("alternative", expected=text, ways=ways)
    if alternative is not None and "alternative" in table:
        _agree(alternative, table["alternative"], "the table's column says")
    if differences is None and "a" in table:
        differences = _checks.vector("b", table["b"]) - _checks.vector("a", table["a"])
    sides = list(table["alternative"]) if alternative is None else alternative
    return list(table["dataset"]), table["p"], sides, differences


def _require_columns(table: pd.DataFrame) -> None:
    if "dataset" not in table or "p" not in table or ("a" in table) != ("b" in table):
        wanted = "the columns dataset, p and, if wanted, a with b, and alternative"
        got = some_of(list(table.columns), 12)
        raise InputError("pvalues", expected=f"{wanted}; got {got}")


def _agree(asked: str, own: Iterable[str], source: str) -> None:
    for side in own:
        if side != asked:
            text = f"alternative={asked!r:.60}, but {source} {side!r:.60}"
            raise InputError(problem=f"{text}; expected one of the two, or the same")


# Each of the next three closes the tests of all subsets: which datasets are named, and the bound
# for a subset, given as a mask.
def _holm(p: np.ndarray, alpha: float) -> tuple[np.ndarray, Callable[[np.ndarray], int]]:
    named = identify(p, alpha)
    return named, lambda inside: int(named[inside].sum())


def _hommel(p: np.ndarray, alpha: float) -> tuple[np.ndarray, Callable[[np.ndarray], int]]:
    """By the shortcut of Goeman et al. (2019): h is the size of the largest set not rejected."""
    h = p.size - count(p, alpha, "simes")

    def bound(inside: np.ndarray) -> int:
        scaled = h * np.sort(p[inside])
        steps = np.arange(1, scaled.size + 1)
        within = _simes.how_many(
            lambda number: scaled[number - 1] / steps <= alpha, scaled.size, scaled.size
        )
        return int((1 - steps + within).max(initial=0))

    return h * p <= alpha, bound


def _fisher(p: np.ndarray, alpha: float) -> tuple[np.ndarray, Callable[[np.ndarray], int]]:
    """A set of m is rejected where its evidence, the sum of −ln p, reaches `critical[m - 1]`."""
    order = np.argsort(p, kind="stable")
    # Less a hair, so that p = 0.05 alone is rejected at 0.05.
    critical = gammainccinv(np.arange(1, p.size + 2), alpha) * (1 - 1e-12)

    def bound(inside: np.ndarray) -> int:
        """How many of the set are left when as many as can be are kept in a set not rejected."""
        inner, outer = (_evidence(np.sort(p[side])[::-1]) for side in (inside, ~inside))
        outer = np.concatenate([[0.0], outer])
        # The k weakest inside with the j weakest outside, for a block of k and all j at a time.
        limits = np.lib.stride_tricks.sliding_window_view(critical, outer.size)
        step = max(1, 10**6 // outer.size)
        for top in range(inner.size, 0, -step):
            block = slice(max(0, top - step), top)
            kept = (inner[block, None] + outer < limits[block]).any(axis=1)
            if kept.any():
                return inner.size - block.start - int(np.flatnonzero(kept)[-1]) - 1
        return inner.size

    def alone(i: int) -> bool:
        return bound(np.arange(p.size) == order[i]) == 0

    # A smaller p-value is named if a larger one is, so halving finds how many are.
    n = bisect_left(range(bound(np.ones(p.size, dtype=bool))), True, key=alone)
    return np.isin(np.arange(p.size), order[:n]), bound


def _adjusted(p: np.ndarray, local: str) -> np.ndarray:
    """The smallest alpha that names each dataset."""
    rules = {
        "bonferroni": _holm_adjusted,
        "simes": _simes.hommel_adjusted,
        "fisher": _fisher_adjusted,
    }
    return rules[local](p)


def _holm_adjusted(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(steps, 1)[np.argsort(order)]


def _fisher_adjusted(p: np.ndarray) -> np.ndarray:
    order, sizes = np.argsort(-p, kind="stable"), np.arange(1, p.size + 1)
    weakest, adjusted = np.concatenate([[0.0], _evidence(p[order])]), np.empty(p.size)
    for place, i in enumerate(order):
        # The dataset with the weakest others, for every size of the set.
        sums = np.where(sizes <= place, weakest[:-1] + _evidence(p[i : i + 1]), weakest[1:])
        adjusted[i] = gammaincc(sizes, sums).max()
    return adjusted


def _evidence(p: np.ndarray) -> np.ndarray:
    """Running sums of −ln p."""
    with np.errstate(divide="ignore"):
        # Extended precision: at 100,000 terms a plain sum would cost 3-4 digits.
        return np.cumsum(-np.log(p), dtype=np.longdouble).astype(float)
