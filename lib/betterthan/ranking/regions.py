"""Two acceptance regions: the candidates whose score reaches a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from betterthan import _checks
from betterthan.ranking._inputs import candidates

__all__ = ["RegionComparison", "compare_regions"]


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
    first, second, truth = candidates(gold, a=a, b=b)
    limits = _checks.vector("thresholds", thresholds, least=2)
    both = _checks.two_names(names)
    _checks.same_length(thresholds=limits, names=both)
    in_a, in_b = first >= limits[0], second >= limits[1]
    only_a, only_b = in_a & ~in_b, in_b & ~in_a
    true_only = _two_counts(only_a & truth, only_b & truth)
    false_only = _two_counts(only_a & ~truth, only_b & ~truth)
    return RegionComparison(
        names=both,
        accepted=_two_counts(in_a, in_b),
        true=_two_counts(in_a & truth, in_b & truth),
        true_only=true_only,
        false_only=false_only,
        pvalue=float(stats.fisher_exact([true_only, false_only]).pvalue),
    )


def _two_counts(a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
    return int(a.sum()), int(b.sum())
