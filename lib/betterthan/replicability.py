"""On how many of N datasets is A better than B, and on which? (Dror et al. 2017)

Every p-value here belongs to the question *is A better than B on this dataset?*:
small values speak for **A**. A two-sided p-value does not say who won; give
:func:`analyse` the scores too, or turn it with :func:`one_sided` first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression
from scipy.special import gammaincc
from statsmodels.stats.multitest import multipletests

from betterthan import _checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Report",
    "adjust",
    "analyse",
    "count",
    "identify",
    "one_sided",
    "partial_conjunction",
]

_COMBINE = ("bonferroni", "fisher", "simes")
_COUNT = ("count", *_COMBINE)
_STATSMODELS = {
    "hochberg": "simes-hochberg",
    "bh": "fdr_bh",
    "bonferroni": "bonferroni",
}
_IDENTIFY = ("holm", "hochberg", "hommel", "bh", "bonferroni")
_PROPER = {
    "count": "counting",
    "bonferroni": "Bonferroni",
    "fisher": "Fisher",
    "simes": "Simes",
    "holm": "Holm",
    "hommel": "Hommel",
}


def partial_conjunction(p: Any, u: int | None = None, method: str = "fisher") -> float | np.ndarray:
    """P-value of "A is better on fewer than u of the N datasets" (Dror et al., eq. 2, 3).

    A small value is evidence that A is better on at least `u` datasets. With sorted
    p-values p₍₁₎ ≤ … ≤ p₍N₎:

    - ``"bonferroni"`` (any dependence): min(1, (N−u+1) p₍ᵤ₎), eq. (2);
    - ``"fisher"`` (independent datasets): P(χ²₂₍N₋ᵤ₊₁₎ ≥ −2 Σ_{i≥u} ln p₍ᵢ₎), eq. (3);
    - ``"simes"`` (positively dependent): min_{i≥u} (N−u+1)/(i−u+1) p₍ᵢ₎.

    Parameters
    ----------
    p : array-like
        One-sided p-values, one a dataset (small: A better); order does not matter.
    u : int, optional
        How many datasets; None gives the whole array for u = 1 … N in O(N log N).
    method : {"bonferroni", "fisher", "simes"}

    Returns
    -------
    float or array
        A float for one `u`, else an array whose element u−1 is p^{u/N}. The values are the raw
        ones: Bonferroni's and Fisher's may fall as u grows.

    Raises
    ------
    ValueError
        If `p` is empty or holds NaN or a value outside [0, 1], if `u` is not a whole number in
        1 … N, or if `method` is unknown.

    Examples
    --------
    >>> p = [.168, .297, .357, .019, .218, .001]
    >>> partial_conjunction(p, method="bonferroni").round(3)
    array([0.006, 0.095, 0.672, 0.654, 0.594, 0.357])
    >>> round(partial_conjunction(p, u=2, method="fisher"), 3)
    0.04
    """
    ordered = np.sort(_checks.probabilities("p", p))
    _checks.choice("method", method, _COMBINE)
    if u is None:
        return _all_u(ordered, method)
    u = _checks.whole("u", u, 1, ordered.size)
    tail = ordered[u - 1 :]
    if method == "bonferroni":
        return float(min(1.0, tail.size * tail[0]))
    if method == "fisher":
        return float(gammaincc(tail.size, _suffix_evidence(tail)[0]))
    return float(np.min(tail.size * tail / np.arange(1, tail.size + 1)))


def count(p: Any, alpha: float = 0.05, method: str = "bonferroni") -> int:
    """k̂: A is better on at least this many datasets, with confidence 1 − alpha (eq. 4).

    k̂ is the largest u whose partial conjunction p-value, and every one before it, is
    at most `alpha`. "bonferroni" is valid always, "fisher" for independent datasets,
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
    p = _checks.probabilities("p", p)
    alpha = _checks.alpha(alpha)
    _checks.choice("method", method, _COUNT)
    if method == "count":
        return int(np.count_nonzero(p <= alpha))
    if method == "bonferroni":
        # Same comparison as Holm, to the last bit, so that the two always agree.
        return _holm_count(np.sort(p), alpha)
    above = np.flatnonzero(_all_u(np.sort(p), method) > alpha)
    return int(above[0]) if above.size else p.size


def identify(p: Any, alpha: float = 0.05, method: str = "holm") -> np.ndarray:
    """On which datasets is A better? A boolean mask in the caller's order.

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
    p = _checks.probabilities("p", p)
    alpha = _checks.alpha(alpha)
    _checks.choice("method", method, _IDENTIFY)
    if method == "hommel":
        return adjust(p, method) <= alpha
    if method == "holm":
        ordered = np.sort(p)
        k = _holm_count(ordered, alpha)
        # Tied p-values stand or fall together: Holm's limits grow along the list.
        return p <= ordered[k - 1] if k else np.zeros(p.size, dtype=bool)
    return multipletests(p, alpha, _STATSMODELS[method])[0]


def adjust(p: Any, method: str = "holm") -> np.ndarray:
    """Adjusted p-values in the caller's order: the smallest alpha that names the dataset.

    The methods are those of :func:`identify`. Hommel's takes O(N log N) here: its inner
    minima are the Simes partial conjunction p-values, which come all at once.

    Raises
    ------
    ValueError
        For p-values that are empty, NaN or outside [0, 1], or an unknown `method`.

    Examples
    --------
    >>> adjust([.01, .04, .03], "holm").round(3)
    array([0.03, 0.06, 0.06])
    >>> adjust([.01, .04, .03], "hommel").round(3)
    array([0.03, 0.04, 0.04])
    """
    p = _checks.probabilities("p", p)
    _checks.choice("method", method, _IDENTIFY)
    if method in _STATSMODELS:
        return multipletests(p, method=_STATSMODELS[method])[1]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = _hommel(p[order]) if method == "hommel" else _holm(p[order])
    return adjusted


def one_sided(p_two_sided: Any, a: Any, b: Any) -> float | np.ndarray:
    """One-sided p-value for *A better* from a two-sided one and the two scores.

    p/2 where A scored higher, 1 − p/2 where B did or both scored the same. Right for
    tests whose statistic is symmetric under the null (McNemar, Wilcoxon, Steiger, a
    two-sided randomisation test); higher scores must be better scores.

    Raises
    ------
    ValueError
        For p-values outside [0, 1], missing scores or unequal lengths.

    Examples
    --------
    >>> one_sided(.04, a=81.6, b=85.0)
    0.98
    >>> one_sided([.04, .04], a=[85.0, 81.6], b=[81.6, 85.0])
    array([0.02, 0.98])
    """
    scalar = np.ndim(p_two_sided) == 0
    p = _checks.probabilities("p_two_sided", np.atleast_1d(p_two_sided))
    a = _checks.vector("a", np.atleast_1d(a))
    b = _checks.vector("b", np.atleast_1d(b))
    _checks.same_length(p_two_sided=p, a=a, b=b)
    turned = np.where(a > b, p / 2, 1 - p / 2)
    return float(turned[0]) if scalar else turned


@dataclass(frozen=True, eq=False)
class Report:
    """What :func:`analyse` found. ``print`` it, read ``.table``, call ``.plot()``.

    Attributes
    ----------
    k : int
        A is better on at least this many datasets, with confidence 1 − alpha.
    datasets : int
        How many were analysed.
    identified : tuple of str
        Names of the datasets on which A is better, all right at once with probability at least
        1 − alpha.
    alpha : float
        The level.
    method : str
        The estimator of `k` that the dependence allows.
    identification : str
        The procedure of naming that it allows.
    estimates : dict of str to int
        k̂ by every method; only those in `valid` carry the guarantee.
    valid : tuple of str
        Methods that hold under the dependence that was stated.
    names : pair of str
        What A and B are called.
    table : DataFrame
        One row a dataset, in the caller's order: scores if they were given, the one-sided p-value
        for *A better*, the adjusted one, and whether it is identified.
    notes : tuple of str
        What looks odd about the input, in words.
    """

    k: int
    datasets: int
    identified: tuple[str, ...]
    alpha: float
    method: str
    identification: str
    estimates: dict[str, int]
    valid: tuple[str, ...]
    names: tuple[str, str]
    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        a, b = self.names
        given = {
            "fisher": "Fisher's partial conjunction test, datasets taken as independent",
            "bonferroni": "Bonferroni's partial conjunction test, any dependence",
            "simes": "Simes' partial conjunction test, datasets taken as positively dependent",
        }[self.method]
        if self.k:
            counted = f"{a} is better than {b} on at least {self.k} of {_datasets(self.datasets)}"
        else:
            counted = (
                f"There is not enough evidence that {a} is better than {b} on even one of "
                f"{_datasets(self.datasets)}"
            )
        if counted.startswith(("the ", "a ", "an ", "our ")):
            counted = counted[0].upper() + counted[1:]
        procedure = _PROPER[self.identification]
        if not self.identified:
            named = f"{procedure}'s procedure names none"
        elif len(self.identified) > 12:
            named = f"{procedure}'s procedure names {len(self.identified):,} of them"
        else:
            named = f"{procedure}'s procedure names {_listed(self.identified)}"
        return f"{counted} (confidence {1 - self.alpha:.4g}; {given}); {named}."

    def __str__(self) -> str:
        a, b = self.names
        lines = [
            f"Is {a} better than {b}? {_datasets(self.datasets)}, alpha = {self.alpha:g}",
            "",
            "On how many (k-hat):",
        ]
        for method, k in self.estimates.items():
            mark = "->" if method == self.method else "  "
            warning = "" if method in self.valid else "   (no guarantee here)"
            lines.append(f" {mark} {_PROPER[method]:<11}{k:>7,}{warning}")
        shown = _listed(self.identified[:12]) if self.identified else "none"
        if len(self.identified) > 12:
            shown += f" … ({len(self.identified):,} in all, see .table)"
        lines += ["", f"On which ({_PROPER[self.identification]}): {shown}"]
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join([*lines, "", self.sentence])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Sorted p-values on a log scale, Holm's limits if Holm named, k̂; returns the axes."""
        import matplotlib.pyplot as plt

        if ax is None:
            tall = 1.4 + 0.24 * self.datasets if self.datasets <= 40 else 3.6
            _, ax = plt.subplots(figsize=(6.8, max(2.4, tall)), layout="constrained")
        table = self.table.sort_values("p_one_sided", kind="stable")
        p = table["p_one_sided"].to_numpy()
        n = p.size
        rank = np.arange(1, n + 1)
        floor = min(1e-5, 0.1 * p[p > 0].min(initial=1.0))
        shown = np.maximum(p, floor)
        named = table["identified"].to_numpy()
        size = 30 if n <= 40 else 6
        ax.scatter(shown[named], rank[named], s=size, color="C0", label="identified", zorder=3)
        ax.scatter(
            shown[~named], rank[~named], s=size, facecolors="white", edgecolors="C0",
            label="not identified", zorder=3,
        )  # fmt: skip
        zeros = rank[p == 0]
        if zeros.size:
            ax.scatter(np.full(zeros.size, floor), zeros, marker="<", s=size, color="C0", zorder=4)
        if self.identification == "holm":
            ax.plot(self.alpha / (n - rank + 1), rank, color="C1", label="Holm's limit")
        ax.axvline(self.alpha, color="0.5", linestyle=":", label=f"α = {self.alpha:g}")
        if 0 < self.k < n:
            ax.axhline(self.k + 0.5, color="C2", ls="--", lw=1.2, label=f"k̂ = {self.k:,}")
        ax.set_xscale("log")
        ax.set_ylim(n + 0.8, 0.2)
        ax.set_xlabel(f"one-sided p-value (small: {self.names[0]} better)")
        if n <= 40:
            ax.set_yticks(rank, [str(name) for name in table["dataset"]])
        else:
            ax.set_ylabel("rank of the dataset")
        ax.set_title(
            f"{self.names[0]} better than {self.names[1]} on at least {self.k:,} of {n:,} "
            f"({_PROPER[self.method]})"
        )
        # Beside the axes: inside, it would hide some dataset sooner or later.
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return ax


def analyse(
    frame: pd.DataFrame,
    alpha: float = 0.05,
    *,
    independent: bool,
    positive: bool = False,
    alternative: str | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Report:
    """The whole analysis: how many datasets, which ones, and the sentence for the paper.

    Parameters
    ----------
    frame : DataFrame
        A table with the columns ``dataset`` and ``p``, and optionally the scores ``a`` and ``b``
        (higher is better), which keep the direction.
    alpha : float
        The probability of claiming too much that you accept.
    independent : bool
        True if no two datasets share instances and none is derived from another (Fisher counts);
        False otherwise (Bonferroni counts). No default: only you know.
    positive : bool
        With ``independent=False``, state that the statistics are positively dependent (Simes
        counts and Hommel names; Holm and Bonferroni otherwise).
    alternative : {"two-sided", "greater", "observed"}, optional
        What the p-values test. "two-sided" (needs scores; turned by :func:`one_sided`), "greater"
        (one-sided already, A better) or "observed" (one-sided towards whoever scored higher; needs
        scores: p where A scored higher, 1 − p elsewhere). None means "two-sided" if there are
        scores, else "greater".
    names : pair of str
        What A and B are called in the report.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        For missing columns, scores without their partner, a dataset that occurs twice, an
        `independent` that is not True or False, and whatever :func:`count` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": ["news", "mail", "talk"], "p": [.001, .002, .004],
    ...                       "a": [91.2, 88.0, 70.1], "b": [90.1, 85.2, 74.5]})
    >>> report = analyse(table, independent=True)
    >>> report.k, report.identified
    (2, ('news', 'mail'))
    >>> print(report.sentence)
    A is better than B on at least 2 of 3 datasets (confidence 0.95; Fisher's partial \
conjunction test, datasets taken as independent); Holm's procedure names news and mail.
    """
    alpha = _checks.alpha(alpha)
    for name, value in (("independent", independent), ("positive", positive)):
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={value!r}: expected True or False")
    names = _checks.two_names(names)
    missing = [c for c in ("dataset", "p") if c not in frame]
    if missing:
        raise ValueError(
            f"frame: expected the columns 'dataset' and 'p', but {missing[0]!r} is missing "
            f"(columns: {', '.join(map(str, frame.columns))})"
        )
    scores = [c for c in ("a", "b") if c in frame]
    if len(scores) == 1:
        raise ValueError(f"frame: expected both scores 'a' and 'b' or neither, got {scores[0]!r}")
    twice = frame["dataset"][frame["dataset"].duplicated()]
    if len(twice):
        raise ValueError(f"frame: expected each dataset once, but {twice.iloc[0]!r} occurs again")
    p = _checks.probabilities("p", frame["p"])
    if alternative is None:
        alternative = "two-sided" if scores else "greater"
    _checks.choice("alternative", alternative, ("two-sided", "greater", "observed"))
    if alternative != "greater" and not scores:
        raise ValueError(
            f"alternative={alternative!r}: expected the scores 'a' and 'b' in frame, which say "
            "who won"
        )

    table = pd.DataFrame({"dataset": frame["dataset"].to_numpy()})
    notes = []
    if scores:
        a, b = (_checks.vector(c, frame[c]) for c in scores)
        table["a"], table["b"] = a, b
        if alternative == "greater":
            against = int(np.count_nonzero((p < 0.5) & (a < b)))
            if against:
                notes.append(
                    f"{_datasets(against)} with p < 0.5 for {names[0]} but the higher score for "
                    f"{names[1]}; are these p-values two-sided?"
                )
    table["p"] = p
    if alternative == "two-sided":
        p = one_sided(p, a, b)
    elif alternative == "observed":
        p = np.where(a > b, p, 1 - p)
    table["p_one_sided"] = p

    if independent:
        method, identification, valid = "fisher", "holm", _COMBINE
    elif positive:
        method, identification, valid = "simes", "hommel", ("bonferroni", "simes")
    else:
        method, identification, valid = "bonferroni", "holm", ("bonferroni",)
    estimates = {m: count(p, alpha, m) for m in _COUNT}
    table["p_adjusted"] = adjust(p, identification)
    table["identified"] = identify(p, alpha, identification)
    return Report(
        k=estimates[method],
        datasets=len(table),
        identified=tuple(str(d) for d in table["dataset"][table["identified"]]),
        alpha=alpha,
        method=method,
        identification=identification,
        estimates=estimates,
        valid=valid,
        names=names,
        table=table,
        notes=tuple(notes),
    )


def _all_u(ordered: np.ndarray, method: str) -> np.ndarray:
    remaining = np.arange(ordered.size, 0, -1)
    if method == "bonferroni":
        return np.minimum(1.0, remaining * ordered)
    if method == "fisher":
        return gammaincc(remaining, _suffix_evidence(ordered))
    return _simes(ordered)


def _suffix_evidence(ordered: np.ndarray) -> np.ndarray:
    """Σ_{i≥u} −ln p₍ᵢ₎ for every u; infinite from a zero on, which gammaincc turns into 0."""
    with np.errstate(divide="ignore"):
        evidence = -np.log(ordered)
    # Extended precision: at 100,000 terms a plain running sum would cost 3-4 digits.
    total = np.cumsum(evidence[::-1], dtype=np.longdouble)[::-1]
    return total.astype(float)


def _simes(ordered: np.ndarray) -> np.ndarray:
    """min_{i≥u} (N−u+1) p₍ᵢ₎ / (i−u+1) for every u, in O(N log N).

    Up to the factor N−u+1 this is the least slope of a line from (u−1, 0) to a point
    (i, p₍ᵢ₎) on its right: a tangent to the lower convex hull of *all* points, since the
    points on the left, which are not below the axis, cannot hide a tangent point. The hull
    is the greatest convex minorant, which isotonic regression of the increments gives, and
    each of its edges serves the u−1 between the places where neighbouring edges, extended,
    meet the axis.
    """
    n = ordered.size
    result = np.empty(n)
    zeros = int(np.searchsorted(ordered, 0.0, side="right"))
    result[:zeros] = 0.0
    if zeros == n:
        return result
    # From here on everything is about the positive p-values, ranks `zeros`+1 … N.
    p = ordered[zeros:]
    rank = np.arange(zeros + 1, n + 1)
    if p.size == 1:
        result[zeros:] = p
        return result
    knots = isotonic_regression(np.diff(p)).blocks
    slope = np.diff(p[knots]) / np.diff(knots)
    with np.errstate(divide="ignore"):
        meets = rank[knots[:-1]] - p[knots[:-1]] / slope

    u = rank  # the zeros have answered every smaller u
    at = np.searchsorted(np.maximum.accumulate(meets), u - 1)
    best = np.full(u.size, np.inf)
    # The neighbours too: rounding may have put the meeting point on the wrong side.
    for step in (-1, 0, 1):
        i = rank[knots[np.clip(at + step, 0, knots.size - 1)]]
        reached = np.maximum(i, u)
        best = np.minimum(best, (n - u + 1) * ordered[reached - 1] / (reached - u + 1))
    # Points on one line through (u−1, 0) tie, and rounding then decides which is least. An
    # edge passes through at most one such place, so looking at all its points costs O(N).
    place = np.rint(np.clip(meets, -1.0, n)).astype(int) + 1
    tied_u = np.append(np.repeat(place, np.diff(knots)), place)
    i = np.append(rank[:-1], rank[knots[1:]])
    fits = (tied_u > zeros) & (tied_u <= i)
    tied_u, i = tied_u[fits], i[fits]
    np.minimum.at(best, tied_u - zeros - 1, (n - tied_u + 1) * ordered[i - 1] / (i - tied_u + 1))
    result[zeros:] = best
    return result


# statsmodels has Holm's procedure too, but collects garbage at every call: 0.1 s each, too
# slow for simulations.
def _holm(ordered: np.ndarray) -> np.ndarray:
    steps = np.arange(ordered.size, 0, -1)
    return np.minimum(1.0, np.maximum.accumulate(ordered * steps))


def _holm_count(ordered: np.ndarray, alpha: float) -> int:
    above = np.flatnonzero(ordered > alpha / np.arange(ordered.size, 0, -1))
    return int(above[0]) if above.size else ordered.size


def _hommel(ordered: np.ndarray) -> np.ndarray:
    """Hommel's adjusted p-values of sorted p-values, in O(N log N).

    With c_m the Simes p-value of the m largest p-values, the adjusted value of p₍ᵢ₎ is the
    largest of p₍ᵢ₎, c_m for m > N−i, and min(m p₍ᵢ₎, c_m) for m ≤ N−i. c_m falls and
    m p₍ᵢ₎ rises with m, so the last maximum sits where they cross.
    """
    n = ordered.size
    # c[m-1]; the running maximum undoes non-monotonicity in the last bit.
    c = np.maximum.accumulate(_simes(ordered))[::-1]
    m = np.arange(1, n + 1)
    rank = np.arange(1, n + 1)
    whole_tail = c[n - rank]
    # The number of m with m p ≤ c_m: c_m/m falls, so it can be looked up.
    crossing = np.searchsorted(-(c / m), -ordered, side="right")
    best = np.maximum(ordered, whole_tail)
    # The largest p-value has no m ≤ N−i = 0; m = 1 gives it min(p, c_1) = p, no harm.
    most = np.maximum(n - rank, 1)
    for step in (-1, 0, 1, 2):  # rounding may move the crossing by one
        at = np.clip(crossing + step, 1, most)
        best = np.maximum(best, np.minimum(at * ordered, c[at - 1]))
    return best


def _datasets(n: int) -> str:
    return f"{n:,} dataset" if n == 1 else f"{n:,} datasets"


def _listed(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
