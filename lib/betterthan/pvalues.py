"""Is B better than A on one dataset? Paired tests on the results of the same items.

A is the baseline and B the candidate; differences are B − A. Unless told otherwise a test asks
whether **B is better** (``alternative="greater"``); ``"less"`` asks whether A is, ``"two-sided"``
whether they differ. Each returns a :class:`Result`. For an interval, groups or several runs use
:func:`betterthan.compare`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from betterthan import _checks, _resample
from betterthan._together import Together, together
from betterthan._words import significant
from betterthan.errors import InputError
from betterthan.results import as_results

__all__ = ["Result", "mcnemar", "paired_bootstrap", "randomisation", "steiger", "wilcoxon"]

Names = tuple[str, str]
_NAMES = ("A", "B")


@dataclass(frozen=True)
class Result:
    """Outcome of a paired test. ``print`` it to see who is ahead, in words.

    Attributes
    ----------
    statistic : float
        The test statistic; positive values (or, for Wilcoxon and McNemar, large ones) favour B.
    pvalue : float
        How often a result at least this favourable to the alternative comes up when the null
        hypothesis holds.
    alternative : str
        "greater" (B better), "less" (A better) or "two-sided".
    difference : float
        Score of B minus score of A; its sign says who is ahead.
    n : int
        Number of items.
    test : str
        What was done, in words.
    names : pair of str
        What A and B are called.
    at_floor : bool
        Whether no draw reached the observed difference: the true p-value is at most `pvalue`, and
        more draws would say how much smaller.
    """

    statistic: float
    pvalue: float
    alternative: str
    difference: float
    n: int
    test: str
    names: Names = _NAMES
    at_floor: bool = False

    def __str__(self) -> str:
        a, b = self.names
        claim = {"greater": f"{b} is better", "less": f"{a} is better"}.get(self.alternative)
        seen = f"{a} and {b} score the same"
        if self.difference:
            winner, loser = (b, a) if self.difference > 0 else (a, b)
            seen = f"{winner} scores higher than {loser} by {significant(abs(self.difference), 4)}"
        said = f"{seen}; {self._amount()} that {claim or f'{a} and {b} differ'}"
        sides = "two-sided" if self.alternative == "two-sided" else "one-sided"
        found = f"{sides} p {'≤' if self.at_floor else '='} {significant(self.pvalue)}"
        return f"{said}: {found} ({self.test}, n = {self.n:,})"

    def _amount(self) -> str:
        if self.pvalue <= 0.05:
            return "evidence"
        return "little evidence" if self.pvalue < 0.5 else "no evidence"


def paired_bootstrap(
    a: Any,
    b: Any,
    metric: str | None = None,
    *,
    alternative: str = "greater",
    n_resamples: int = 9_999,
    rng: Any = 0,
    names: Names = _NAMES,
) -> Result:
    """Paired bootstrap test (Berg-Kirkpatrick et al. 2012), H1: B better than A.

    Items are drawn with replacement, the same ones for A and B. With δ the difference that was
    seen and δ* that of a resample, p = (1 + #{δ* − δ ≥ δ}) / (R + 1): the resamples spread
    around δ, not around 0, hence the shift. With fewer than 20 items it errs too often (11 % at 5
    items, 8 % at 10, for a nominal 5 %): use :func:`randomisation`.

    Parameters
    ----------
    a, b
        Results of A and B on the same items: one number per item, or `betterthan.counts.Counts`.
    metric : {"mean", "f1", "precision", "recall"}, optional
        What is compared; "f1" for counts and "mean" for numbers unless you say otherwise.
    alternative : {"greater", "less", "two-sided"}
        B better, A better, or either.
    n_resamples : int
        How many resamples, R.
    rng : int, SeedSequence or Generator
        Of the random numbers.
    names : pair of str
        What A and B are called in the sentence.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For fewer than two items, unequal lengths or pandas indices, missing, infinite or overlarge
        values, rows that are folds or belong together in groups, or unknown names.

    Notes
    -----
    Memory is bounded, whatever the number of resamples and items. A score of 0/0 counts as 0.

    Examples
    --------
    >>> old = [.8, .8, .6, .7, .6, .7, .9, .6]
    >>> new = [.9, .8, .7, .9, .6, .8, .9, .7]
    >>> print(paired_bootstrap(old, new, names=("old", "new")))
    new scores higher than old by 0.075; evidence that new is better: one-sided p = 0.0023 \
(paired bootstrap, 9,999 resamples, n = 8)
    """
    drawn = _Drawn(a, b, metric, alternative, n_resamples, names)
    star = drawn.delta(_resample.bootstrap_sums(drawn.rows, n_resamples, _checks.generator(rng)))
    return drawn.result(star - drawn.seen, f"paired bootstrap, {n_resamples:,} resamples")


def randomisation(
    a: Any,
    b: Any,
    metric: str | None = None,
    *,
    alternative: str = "greater",
    n_resamples: int = 9_999,
    rng: Any = 0,
    names: Names = _NAMES,
) -> Result:
    """Randomisation test (Yeh 2000), H1: B better than A.

    If A and B were the same, swapping their results on any item would change nothing. The p-value
    is the share of swaps whose difference is at least the one seen. Where there are no more than
    `n_resamples` + 1 different swaps, all are listed and the p-value is exact; else R are drawn
    and p = (1 + #{δ* ≥ δ}) / (R + 1).

    Parameters are those of :func:`paired_bootstrap`; one item is enough.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        As :func:`paired_bootstrap`.

    Examples
    --------
    >>> old, new = [0, 1, 0, 0, 0, 1, 0, 1], [1, 1, 1, 1, 1, 0, 1, 1]
    >>> print(randomisation(old, new, names=("old", "new")))
    new scores higher than old by 0.5; little evidence that new is better: one-sided p = 0.109 \
(exact randomisation, n = 8)
    """
    drawn = _Drawn(a, b, metric, alternative, n_resamples, names)
    rng = _checks.generator(rng)
    change = drawn.exchanged - drawn.rows
    change = change[change.any(axis=1)]
    moved = [subset @ change for subset in _resample.subsets(len(change), n_resamples, rng)]
    # All swaps but the one that was seen; none where A and B are the same everywhere.
    star = drawn.delta(drawn.rows.sum(axis=0) + np.concatenate([change[:0], *moved]))
    exact = star.size == 2 ** len(change) - 1
    test = "exact randomisation" if exact else f"randomisation, {n_resamples:,} resamples"
    return drawn.result(star, test, drawn=not exact)


def wilcoxon(a: Any, b: Any, *, alternative: str = "greater", names: Names = _NAMES) -> Result:
    """Wilcoxon's signed-rank test on paired scores, H1: B better than A.

    :func:`scipy.stats.wilcoxon` of the differences b − a; items without a difference are left
    out, as Wilcoxon did. What is equal up to rounding is equal (.3 − .1 and .4 − .2 are).

    Parameters
    ----------
    a, b : array-like
        Scores of A and B on the same items.
    alternative : {"greater", "less", "two-sided"}
        B better, A better, or either.
    names : pair of str
        What A and B are called in the sentence.

    Returns
    -------
    Result
        Its statistic is the sum of the ranks in favour of B (of the smaller side for "two-sided",
        as scipy has it).

    Raises
    ------
    ValueError
        For unequal lengths or pandas indices, missing, infinite or overlarge values, or unknown
        names.

    Examples
    --------
    >>> old, new = [.8, .6, .4, .5, .1], [.9, .8, .7, .9, .6]
    >>> print(wilcoxon(old, new, names=("old", "new")))
    new scores higher than old by 0.3; evidence that new is better: one-sided p = 0.0312 \
(Wilcoxon signed-rank test, n = 5)
    """
    names = _asked(alternative, names)
    a, b = (sums[:, 0] for sums in _read(a, b, "mean")[:2])
    d = b - a
    d[np.abs(d) <= 1e-12 * max(np.abs(a).max(), np.abs(b).max())] = 0.0
    statistic, pvalue = 0.0, 1.0
    if d.any():
        found = stats.wilcoxon(np.round(d / np.abs(d).max(), 12), alternative=alternative)
        statistic, pvalue = float(found.statistic), float(found.pvalue)
    difference = float(b.mean() - a.mean()) if d.any() else 0.0
    test = "Wilcoxon signed-rank test"
    return Result(statistic, pvalue, alternative, difference, a.size, test, names)


def mcnemar(a: Any, b: Any, *, alternative: str = "greater", names: Names = _NAMES) -> Result:
    """McNemar's exact test on right/wrong decisions, H1: B better than A.

    Only the items on which one of the two is right count: are they split like fair coin flips?

    Parameters
    ----------
    a, b : array-like
        For each item 1 (or True) if A, or B, was right, else 0.
    alternative : {"greater", "less", "two-sided"}
        B better, A better, or either.
    names : pair of str
        What A and B are called in the sentence.

    Returns
    -------
    Result
        Its statistic is the number of items that only B has right.

    Raises
    ------
    ValueError
        For unequal lengths or pandas indices, values other than 0 and 1, or unknown names.

    Examples
    --------
    >>> old = [0] * 10 + [1] * 3 + [1] * 50
    >>> new = [1] * 10 + [0] * 3 + [1] * 50
    >>> print(mcnemar(old, new, names=("old", "new")))
    new scores higher than old by 0.1111; evidence that new is better: one-sided p = 0.0461 \
(exact McNemar test, 10 against 3, n = 63)
    """
    names = _asked(alternative, names)
    a, b = (sums[:, 0] for sums in _read(a, b, "mean")[:2])
    for name, values in (("a", a), ("b", b)):
        bad = np.flatnonzero((values != 0) & (values != 1))
        if bad.size:
            shown = f"{name}[{bad[0]}] is {values[bad[0]]:g}"
            raise InputError(name, expected=f"1 (right) or 0 (wrong), but {shown}")
    only_a, only_b = int((a > b).sum()), int((b > a).sum())
    split = only_a + only_b
    test = f"exact McNemar test, {only_b:,} against {only_a:,}"
    pvalue = stats.binomtest(only_b, split, alternative=alternative).pvalue if split else 1.0
    difference = (only_b - only_a) / a.size
    return Result(float(only_b), float(pvalue), alternative, difference, a.size, test, names)


def steiger(
    r_a: float,
    r_b: float,
    r_ab: float,
    n: int,
    *,
    method: str = "z",
    alternative: str = "greater",
    names: Names = _NAMES,
) -> Result:
    """Steiger's test of two correlations with the same gold standard, H1: B's is higher.

    Parameters
    ----------
    r_a, r_b : float
        Correlations of A's and of B's scores with the gold standard.
    r_ab : float
        Correlation of A's scores with B's. Without it the test is not paired.
    n : int
        Number of items.
    method : {"z", "t"}
        "z" for Fisher-transformed correlations with the pooled estimate (Steiger 1980, eq. 14),
        "t" for Williams' T₂ (his eq. 7), which he prefers for small samples.
    alternative : {"greater", "less", "two-sided"}
        B better, A better, or either.
    names : pair of str
        What A and B are called in the sentence.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For correlations outside (−1, 1), three that no data can have together, fewer than four
        items or unknown names.

    Examples
    --------
    >>> print(steiger(.63, .74, r_ab=.75, n=353, names=("GloVe", "W2V")))
    W2V scores higher than GloVe by 0.11; evidence that W2V is better: one-sided p = 9.65e-06 \
(Steiger's test, z, n = 353)
    """
    given = {"r_a": r_a, "r_b": r_b, "r_ab": r_ab}
    r_a, r_b, r_ab = (_checks.real(k, v, -1, 1, closed="neither") for k, v in given.items())
    n = _checks.whole("n", n, 4)
    _checks.choice("method", method, ("z", "t"))
    names = _asked(alternative, names)
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    if determinant < 0:
        fits = f"a correlation that fits {r_a=} and {r_b=}"
        raise InputError("r_ab", r_ab, expected=f"{fits}; no data have these three together")
    mean = (r_a + r_b) / 2
    if method == "z":
        covariance = r_ab * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_ab**2) / 2
        spread = (2 - 2 * covariance / (1 - mean**2) ** 2) / (n - 3)
        statistic = (math.atanh(r_b) - math.atanh(r_a)) / math.sqrt(spread)
    else:
        spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
        statistic = (r_b - r_a) * math.sqrt((n - 1) * (1 + r_ab) / spread)
    favour = {"greater": statistic, "less": -statistic, "two-sided": abs(statistic)}[alternative]
    tail = float(stats.norm.sf(favour) if method == "z" else stats.t.sf(favour, n - 3))
    pvalue = 2 * tail if alternative == "two-sided" else tail
    return Result(statistic, pvalue, alternative, r_b - r_a, n, f"Steiger's test, {method}", names)


def _read(a: Any, b: Any, metric: Any) -> tuple[np.ndarray, np.ndarray, Together]:
    """The column sums of A and of B, a row per item or group, and what else there is to know."""
    both = [as_results("a", a, metric), as_results("b", b, metric)]
    data = together(both, metric, names=["a", "b"])
    for name, system in zip("ab", data.systems):
        runs = len(system.sums)
        if runs > 1:
            raise InputError(name, expected=f"one run, got {runs}; use betterthan.compare")
    return data.systems[0].sums[0], data.systems[1].sums[0], data


class _Drawn:
    """What both resampling tests share: rows to add up, B − A of their sums, and the p-value."""

    def __init__(self, a: Any, b: Any, metric: Any, alternative: str, draws: int, names: Any):
        self.alternative, self.names = alternative, _asked(alternative, names)
        _checks.whole("n_resamples", draws)
        a, b, self.data = _read(a, b, metric)
        self.rows, self.exchanged = np.hstack([a, b]), np.hstack([b, a])
        size = sum(abs(system.values[0]) for system in self.data.systems)
        self.plain = self.data.metric.name == "mean" and len(a) == self.data.n_units
        if self.plain:
            # The mean of the differences is all that counts: one column instead of four.
            self.rows, self.exchanged = (b - a)[:, :1], (a - b)[:, :1]
            size = np.abs([a[:, 0], b[:, 0]]).mean()
        self.slack = 1e-12 * float(size)
        self.seen = float(self.delta(self.rows.sum(axis=0)[None])[0])

    def delta(self, sums: np.ndarray) -> np.ndarray:
        if self.plain:
            return sums[:, 0] / len(self.rows)
        a, b = (np.nan_to_num(self.data.function(part)) for part in np.hsplit(sums, 2))
        return b - a

    def result(self, star: np.ndarray, test: str, drawn: bool = True) -> Result:
        # What is equal up to rounding is equal, and what was seen is one of the possible ones.
        at_least = self.favour(star) >= self.favour(np.array(self.seen)) - self.slack
        reached, n = int(at_least.sum()), len(self.rows)
        pvalue = (1 + reached) / (star.size + 1)
        at_floor = drawn and reached == 0
        known = self.seen, pvalue, self.alternative, self.seen, n, test, self.names
        return Result(*known, at_floor=at_floor)

    def favour(self, difference: np.ndarray) -> np.ndarray:
        """How much a difference speaks for the alternative."""
        if self.alternative == "two-sided":
            return np.abs(difference)
        return -difference if self.alternative == "less" else difference


def _asked(alternative: str, names: Any) -> tuple[str, str]:
    _checks.choice("alternative", alternative, ("greater", "less", "two-sided"))
    return _checks.two_names(names)
