"""The way in for most readers: one system, two systems, one comparison per task, folds.

`score` and `compare` take what an evaluation leaves behind: `betterthan.Results` as
`betterthan.read` gives them, counts per sentence (`betterthan.counts.Counts`), one number per item
(right or wrong, COMET, MQM, seconds), or a list of such, one entry per run of the system.
``groups=`` says which units belong together (document, article, repository, query). A is the
baseline, B the candidate; a difference is B minus A.

Two other modules have a `compare` of their own: `betterthan.bayes` compares the confusion matrices
of a cross-validation, `betterthan.ranking` two rankings of one list of candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from betterthan import _cautions, _checks, _jackknife, _separate, _tango, _unseen
from betterthan._ratio import logarithms
from betterthan._report import Report, axes, jackknifed, score_interval, wants_hall
from betterthan._result import Interval
from betterthan._together import Together, together
from betterthan._words import IN_ALL_PARTS, counted, number, percent, probability
from betterthan._words import pvalue as pvalue_word
from betterthan.errors import InputError, Say
from betterthan.results import Results, as_results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Comparison", "Score", "Unpaired", "compare", "compare_each", "compare_folds", "score"]

Metric = str | Callable[[np.ndarray], Any]

# Above this many groups Student's t and half-samples agree, and t takes no time.
_MANY_GROUPS = 1_000

# What is offered where units do not match; it is never chosen by itself.
SEPARATE = Say("paired", False, "if these are two separate samples of items")


class Distribution(Protocol):
    """What is known of a difference."""

    @property
    def at_most(self) -> bool: ...
    def below(self, value: float) -> float: ...
    def pvalue(self) -> float: ...
    def interval(self, confidence_level: float) -> Interval | None: ...


@dataclass(frozen=True, kw_only=True)
class Score(Report):
    """What `score` found; ``print`` gives the sentence for the paper.

    Attributes
    ----------
    value : float
        The metric over all units (the mean over runs).
    interval : Interval
        Its ends are ``.low`` and ``.high``.
    standard_error : float
        On the scale of the metric.
    degrees_of_freedom : float
        Of Student's t.
    n_runs : int
        How many runs of the system.
    metric : str
        Its name.
    unit : str
        What was counted.
    n_units : int
        How many of them.
    n_groups : int
        How many groups they were resampled in (the units themselves without ``groups=``).
    n_effective : float
        How many groups of equal size these are worth (Kish).
    confidence_level : float
        How often such an interval holds the true value.
    method : str
        What was computed.
    notes : tuple of str
        What to beware of.
    """

    value: float
    interval: Interval
    standard_error: float
    degrees_of_freedom: float
    n_runs: int

    def __str__(self) -> str:
        runs = f", mean of {self.n_runs} runs" if self.n_runs > 1 else ""
        return self._noted(
            f"{self._Word} is {number(self.value)} ({self._between(self.interval)}; "
            f"{self._sample}{runs}; {self.method})."
        )

    def table(self) -> pd.DataFrame:
        """One row: metric, value, low, high, n_units, n_groups, n_runs."""
        import pandas as pd

        row = {"metric": self._word, "value": self.value, **self.interval._asdict()}
        names = ("n_units", "n_groups", "n_runs")
        return pd.DataFrame([row | {name: getattr(self, name) for name in names}])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The value with its interval."""
        ax = axes(ax, 1.3)
        ax.plot(self.interval, [0, 0], color="C0", linewidth=3)
        ax.plot(self.value, 0, "o", color="C0", markersize=9)
        ax.set(yticks=[], xlabel=f"{self._word}, with the {self._level} interval")
        return ax


@dataclass(frozen=True)
class Spread:
    """Where the variance of a difference comes from: what `betterthan.plan` plans with.

    Attributes
    ----------
    from_items : float
        The part that more items make smaller.
    runs : _jackknife.RunSpread
        What runs add to it.
    kurtosis : float
        Of what the groups contribute, 3 for the normal: the more, the less is the spread known.
    """

    from_items: float
    runs: _jackknife.RunSpread
    kurtosis: float


@dataclass(frozen=True, kw_only=True)
class Comparison(Report):
    """What `compare` found: B minus A; ``print`` gives the sentence for the paper.

    Interval, p-value and the probability that B is better are read from one distribution, so they
    cannot contradict each other: 0 is outside the interval exactly where the p-value is at most
    1 − confidence_level. "No difference of more than the margin" asks for more. The interval must
    lie within the margin, so that a gate at −margin passes, too, and `p_within` must reach the
    confidence level. The distribution does not know of rare units that were not seen, so
    `p_within` also allows for one unit at the worst value; it is never above what the
    distribution gives. Right and wrong answers without groups need no such care: there all of
    it is Tango's score.

    Attributes
    ----------
    names : pair of str
        What A and B are called.
    value_a : float
        The metric of A, the baseline.
    value_b : float
        The metric of B, the candidate.
    difference : float
        B minus A.
    interval : Interval
        Of the difference; its ends are ``.low`` and ``.high``.
    pvalue : float
        Two-sided, of "no difference".
    p_better : float
        The probability that B is better, under a flat prior.
    p_within : float
        The probability that the difference is at most `margin` either way, where one unit that
        was not seen may be the worst possible. 0 without a margin; NaN where it cannot be known:
        numbers without a bound that all show the same difference.
    margin : float
        A difference nobody would care about.
    higher_is_better : bool
        False for errors, penalties, seconds.
    standard_error : float
        Of the difference (jackknife); what `betterthan.plan` plans with. The interval of right and
        wrong answers is not made of it.
    degrees_of_freedom : float
        How well the standard error is known.
    n_runs : pair of int
        Runs of A and of B.
    shared_runs : bool
        Whether both share their runs (the same seeds, prompts, judges), and runs were paired.
    ratio : float or None
        With ``ratio=True`` B over A, of geometric means; then `value_a` and `value_b` are these
        means, and `difference`, `interval` and `standard_error` those of natural logarithms.
    ratio_interval : Interval or None
        Of the ratio: `interval` without the logarithm.
    metric : str
        Its name.
    unit : str
        What was counted.
    n_units : int
        How many of them.
    n_groups : int
        How many groups they were resampled in (the units themselves without ``groups=``).
    n_effective : float
        How many groups of equal size these are worth (Kish).
    confidence_level : float
        Of the interval, and from which probability on the sentence calls a matter settled.
    method : str
        What was computed.
    notes : tuple of str
        What to beware of.
    """

    names: tuple[str, str]
    value_a: float
    value_b: float
    difference: float
    interval: Interval
    pvalue: float
    p_better: float
    p_within: float
    margin: float
    higher_is_better: bool
    standard_error: float
    degrees_of_freedom: float
    n_runs: tuple[int, int]
    shared_runs: bool = False
    ratio: float | None = None
    ratio_interval: Interval | None = None
    _distribution: Distribution = field(repr=False, compare=False)
    _spread: Spread = field(repr=False, compare=False)
    _data: Together = field(repr=False, compare=False)

    def __str__(self) -> str:
        a, b = self.names
        lower = "" if self.higher_is_better else ", lower is better"
        at = "≤" if self._distribution.at_most else "="
        return self._noted(
            f"{self._Word} is {number(self.value_a)} for {a} and {number(self.value_b)} for "
            f"{b}{lower}. {self._apart()}; two-sided p {at} {pvalue_word(self.pvalue)}; "
            f"{self._sample}{self._runs}; {self.method}). {self._verdict()}"
        )

    @property
    def _within_margin(self) -> bool:
        """Whether both the interval and the probability say so."""
        low, high = self.interval
        inside = -self.margin <= low and high <= self.margin
        return bool(self.margin and inside and self.p_within >= self.confidence_level)

    def _given(self) -> str:
        """Under which condition the probability holds, and what is known of the margin."""
        margin = self.margin
        if not margin:
            return "flat prior"
        above = 1 - self._distribution.below(margin)
        ahead = above if self.higher_is_better else self._distribution.below(-margin)
        given = f"flat prior; by more than {margin:g}: {probability(ahead)}"
        if math.isnan(self.p_within):
            return given
        within = f"a difference of at most {margin:g} either way{self._unseen()}"
        return f"{given}; {within}: {probability(self.p_within)}"

    def _unseen(self) -> str:
        """What `p_within` allows for and the other probabilities do not, where that shows."""
        margin, below = self.margin, self._distribution.below
        if probability(below(margin) - below(-margin)) == probability(self.p_within):
            return ""
        one = "group" if self.n_groups < self.n_units else self.unit
        return f", allowing for one {one} not yet seen"

    def _apart(self) -> str:
        """How far B is from A, with the interval, up to the p-value."""
        a, b = self.names
        if self.ratio is None or self.ratio_interval is None:
            away = f"{b} minus {a} is {number(self.difference, '+')}"
            return f"{away} ({self._between(self.interval, '+')}"
        return f"{b} is {number(self.ratio)} times {a} ({self._between(self.ratio_interval)}"

    @property
    def _runs(self) -> str:
        if max(self.n_runs) == 1:
            return ""
        if self.shared_runs:
            return f", the same {self.n_runs[0]} runs for both"
        return f", {self.n_runs[0]} and {self.n_runs[1]} runs"

    def _verdict(self) -> str:
        (a, b), (low, high), margin = self.names, self.interval, self.margin
        sure = self.pvalue <= 1 - self.confidence_level if math.isnan(low) else not low <= 0 <= high
        if self._within_margin:
            said = f"no difference of more than {margin:g}"
        elif self.difference == self.standard_error == 0:
            said = "nothing tells the two apart"
        elif sure:
            first, second = (b, a) if (self.difference > 0) == self.higher_is_better else (a, b)
            said = f"{first} is better than {second}"
        else:
            said = f"which of the two is better is open at {self._level}"
        chance = probability(self.p_better)
        return f"The probability that {b} is better is {chance} ({self._given()}): {said}."

    def table(self) -> pd.DataFrame:
        """One row: metric, both values, difference, low, high, pvalue, p_better.

        With a margin also p_within. Of a ratio, ratio, ratio_low and ratio_high stand in the place
        of the difference, which is one of logarithms then.
        """
        import pandas as pd

        row = {"metric": self._word, self.names[0]: self.value_a, self.names[1]: self.value_b}
        if self.ratio is not None and self.ratio_interval is not None:
            row["ratio"] = self.ratio
            row |= {f"ratio_{end}": x for end, x in self.ratio_interval._asdict().items()}
        else:
            row |= {"difference": self.difference, **self.interval._asdict()}
        names = ("pvalue", "p_better", *["p_within"] * bool(self.margin))
        return pd.DataFrame([row | {name: getattr(self, name) for name in names}])

    def below(self, value: float) -> float:
        """The probability that the true difference is below `value`, under a flat prior.

        Interval, p-value and `p_better` are read from it.
        """
        return self._distribution.below(_checks.real("value", value))

    def disagreements(self) -> pd.DataFrame:
        """The units on which the two differ, the largest difference first.

        One row per unit: its id (its place, from 0, where it has none), the metric of A and of B
        on it alone (the mean over runs), and B minus A.
        """
        import pandas as pd

        whole = [np.mean(runs, axis=0) for runs in self._data.tables]
        each = self._data.each()
        if self.ratio is not None:
            each = [np.exp(own) for own in each]
        columns = [self._data.ids, *each]
        found = pd.DataFrame(dict(zip((self.unit, *self.names), columns)))
        found["difference"] = found[self.names[1]] - found[self.names[0]]
        found = found[(whole[0] != whole[1]).any(axis=1)]
        return found.sort_values("difference", key=abs, ascending=False, kind="stable")

    def plot(self, ax: Axes | None = None) -> Axes:
        """What is known of the difference: A ahead is blue, B orange, the margin grey."""
        ax = axes(ax, 2.6)
        a, b = self.names
        ends = [abs(end - self.difference) for end in self.interval if math.isfinite(end)]
        reach = max([4.5 * self.standard_error, *(1.5 * end for end in ends)]) or 1.0
        edges = np.linspace(self.difference - reach, self.difference + reach, 82)
        heights = np.diff([self._distribution.below(edge) for edge in edges])
        middles = (edges[1:] + edges[:-1]) / 2
        ahead = (middles > 0) == self.higher_is_better
        ax.bar(middles, heights, edges[1] - edges[0], color=np.where(ahead, "C1", "C0"))
        ax.plot(self.interval, [-0.04 * heights.max()] * 2, color="0.2", linewidth=4)
        if self.margin:
            ax.axvspan(-self.margin, self.margin, color="0.5", alpha=0.25, zorder=0)
        ax.axvline(0, linestyle=":", color="0.2")
        asked = f"{b} minus {a}" if self.ratio is None else f"{b} over {a}"
        ax.set(yticks=[], xlabel=f"{asked}, {self._word}; bar below: {self._level} interval")
        if self.ratio is not None:
            _ticks_of_ratios(ax, *np.exp(edges[[0, -1]]))
        ax.set_title(f"probability that {b} is better: {probability(self.p_better)}")
        return ax


def _ticks_of_ratios(ax: Axes, least: float, most: float) -> None:
    """Ratios on an axis of their logarithms."""
    from matplotlib.ticker import MaxNLocator

    ratios = [one for one in MaxNLocator(6).tick_values(least, most) if least <= one <= most]
    ax.set_xticks(np.log(ratios), [f"{one:g}" for one in ratios])


@dataclass(frozen=True, kw_only=True)
class Unpaired(Comparison):
    """A `Comparison` of two separate samples; units and groups are those of both together.

    Attributes
    ----------
    n_units_each : pair of int
        Units of A and of B.
    n_groups_each : pair of int
        Their groups.
    """

    n_units_each: tuple[int, int]
    n_groups_each: tuple[int, int]

    @property
    def _sample(self) -> str:
        units, groups = self.n_units_each, self.n_groups_each
        said = f"separate samples of {units[0]:,} and {counted(units[1], self.unit)}"
        return said + (f" in {groups[0]:,} and {groups[1]:,} groups" if groups != units else "")

    def disagreements(self) -> pd.DataFrame:
        """There are none: the two have no units in common."""
        text = "two separate samples have no units in common on which they could differ"
        raise InputError(problem=text)


def score(
    x: Any, metric: Metric | None = None, *, groups: Any = None, confidence_level: float = 0.95
) -> Score:
    """One system's score with an interval that holds for clustered, skewed and few results.

    The metric is recomputed without each group in turn (the delete-one jackknife). The interval
    is symmetric in log-odds where the metric lies between 0 and 1, and takes Student's t with
    G* − 1 degrees of freedom, where G* is what the groups would number if they were of one size.
    A score of exactly 0 or 1 gets Clopper and Pearson's interval for G* decisions. The mean of very
    skewed numbers on one side of 0 (seconds, costs) gets Hall's transformation of t.

    Parameters
    ----------
    x : Results, Counts, array-like, or a list of these
        What `betterthan.read` gives, counts per sentence, or one number per item; a list is
        several runs.
    metric : str or callable, optional
        For counts "f1", "precision", "recall", "macro_f1", or "accuracy" where each item has one
        label; for numbers "mean", or "accuracy" where they are 0 and 1. The default None takes
        "accuracy" for counts by class with one label per item, "f1" for other counts, and "mean".
        Or a function of the column sums of `x` (units × columns), such as corpus BLEU.
    groups : array-like or str, optional
        One label per unit, or the name of a column that `x` has. None takes the groups of `x`, or
        each unit for itself.
    confidence_level : float
        How often the interval should hold the true value.

    Returns
    -------
    Score

    Raises
    ------
    InputError
        For folds of a cross-validation (see `betterthan.bcv`), p-values, anything that is not
        numbers, missing values, groups of another length, fewer than two units or groups.

    Examples
    --------
    >>> from betterthan import score
    >>> print(score([1, 1, 0, 1, 1, 1, 0, 1, 1, 1] * 30))
    Mean is 0.8000 (95 % interval 0.7506 to 0.8417; 300 items; delete-one jackknife, t with 299 \
degrees of freedom).
    """
    level = _checks.alpha(confidence_level, "confidence_level")
    _refuse_system(metric, "a second system, and no metric: score takes one, compare takes two")
    results = as_results("x", x, metric)
    _refuse_folds(results)
    data = together([results], metric, groups, names=[results.name or "x"])
    found, notes = data.student(data.systems, [1]), list(data.notes)
    interval, method = score_interval(data, found, level)
    if math.isnan(interval.low):
        notes.append("Every unit gives the same value, so there is no spread to measure.")
    else:
        notes += data.skewed(found, mended=wants_hall(data, found))
    return Score(
        value=found.centre,
        interval=interval,
        standard_error=found.error,
        degrees_of_freedom=found.degrees,
        n_runs=len(data.systems[0].values),
        metric=data.metric_name,
        unit=data.unit,
        n_units=data.n_units,
        n_groups=data.n_groups,
        n_effective=data.n_effective,
        confidence_level=level,
        method=method,
        notes=tuple(notes),
        _metric_word=data.metric_word,
    )


def _refuse_folds(*results: Results) -> None:
    """Folds of a cross-validation are not items: they share what they were trained on."""
    for one in results:
        if one.unit == "fold":
            text = f"one number per item, got {len(one)} folds of a cross-validation"
            way_on = "compare_folds compares them, with test_share="
            if one.held.counted:
                way_on = "bcv.posterior scores counts of folds, bayes.compare compares them"
            raise InputError(system=one.name or "x", expected=f"{text}; {way_on}")


def compare(
    a: Any,
    b: Any,
    metric: Metric | None = None,
    *,
    groups: Any = None,
    margin: float = 0.0,
    names: Sequence[str] | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Any = 0,
    unmatched: str = "refuse",
    paired: bool = True,
    shared_runs: bool | None = None,
    ratio: bool = False,
) -> Comparison:
    """Is B better than A? Both on the same units; A is the baseline, the difference B − A.

    Answers that are right or wrong (0 and 1, or one label per item), without groups, get Tango's
    score (1998): the interval holds every difference that McNemar's test, widened to other
    differences than 0, does not reject. p-value and probabilities are read from the same score.
    It has no draws, and answers for two items as for a million, for identical systems, too.

    Everything else is computed on random halves of the groups (Hartigan 1969): its quantiles are
    the interval, the share above 0 is the probability that B is better, and twice the smaller tail
    is the p-value of the sign-flip test. All halves are taken where there are few. With fewer than
    six groups, with more than 1,000, and with several runs, Student's t takes the place of the
    halves, with at most as many degrees of freedom as groups that differ, less one. Where fewer
    than six groups differ, the interval is that of t and includes 0.

    With a margin the sentence may say that there is no difference of more than that. It does so
    where the interval lies within the margin and the probability of that reaches the confidence
    level even if one further unit were the worst that is possible (Gaffke's bound): one of average
    size, or of the size that the group of an item has on average. That needs to know what is
    possible: scores between 0 and 1 and counts. For other numbers (seconds) the distribution alone
    decides.

    Runs that both share (the same seeds, prompts, templates or judges) are paired as items are:
    the variance is that of the differences over items and runs (a two-way layout with both drawn
    at random).

    Parameters
    ----------
    a, b : Results, Counts, array-like, or a list of these
        The baseline and the candidate, unit by unit in the same order, or with ids (of `Results`,
        or the index of pandas Series), by which units are matched. A list is several runs of a
        system.
    metric : str or callable, optional
        As in `score`.
    groups : array-like or str, optional
        One label per unit of `a`, or the name of a column that both have.
    margin : float
        A difference you would not care about.
    names : pair of str, optional
        What A and B are called in the sentence; None takes the names of `Results`, else A and B.
    higher_is_better : bool, optional
        False for errors, penalties, seconds. None takes what the results know, else True.
    confidence_level : float
        Of the interval.
    n_resamples : int
        Random halves, where there are more than these.
    rng : int, SeedSequence or Generator
        Draws them.
    unmatched : {"refuse", "drop"}
        What to do with ids that only one of them has.
    paired : bool
        False for two separate samples of items, which cannot be matched (Welch's t, or for
        a metric between 0 and 1 Newcombe's way to put two intervals together); the sentence
        says so. Where both systems have seen the same items, True says more. `groups` is
        then the name of a column, or a pair of labels.
    shared_runs : bool, optional
        Whether the runs of A and B are the same: run r of both used the same seed, prompt,
        template or judge. None says so where `Results` name three runs or more, the same for both
        (as the column seed, template or rater of a long table does). Runs without names are
        matched by their place. Also right for seeds that have only their names in common.
    ratio : bool
        Whether to ask how many times as large B is, instead of how much larger: for seconds,
        costs and other numbers above 0 with a long tail. The ratio is that of geometric means.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        As `score` does, and for unequal lengths, ids that do not match, results of another metric,
        unit or direction, counts whose gold items (tp + fn) differ, a negative margin, names
        that are not two different ones, shared runs that are fewer than three or not the same, or
        a ratio of anything but numbers above 0, or with a margin; for separate samples a ratio or
        shared runs.

    Warns
    -----
    UserWarning
        Where the results of the two hardly go together: are these the same items in the same
        order?

    Examples
    --------
    >>> from betterthan import compare
    >>> from betterthan.counts import Counts
    >>> old = Counts(tp=[2, 1, 0, 3] * 30, fp=[0, 1, 1, 0] * 30, fn=[0, 1, 1, 0] * 30)
    >>> new = Counts(tp=[2, 1, 1, 3] * 30, fp=[0, 1, 0, 0] * 30, fn=[0, 1, 0, 0] * 30)
    >>> result = compare(old, new, names=("old", "new"))
    >>> round(result.difference, 3), result.p_better > 0.99
    (0.125, True)
    """
    margin = _checks.real("margin", margin, 0.0)
    level = _checks.alpha(confidence_level, "confidence_level")
    draws = _checks.whole("n_resamples", n_resamples, 99)
    generator = _checks.generator(rng)
    _refuse_system(metric, _THIRD)
    first, second = as_results("a", a, metric), as_results("b", b, metric)
    _refuse_folds(first, second)
    labels = _called(names, first, second)
    if not _checks.boolean("paired", paired):
        _refuse_pairing(shared_runs=shared_runs, ratio=ratio or None)
        found_apart = _separate.apart(first, second, metric, groups, unmatched)
        unpaired = _unpaired(found_apart, labels, margin, higher_is_better, level)
        taken = direction_taken(higher_is_better, (first, second), unpaired._data, labels)
        return replace(unpaired, notes=(*unpaired.notes, *taken))
    called = [first.name or "a", second.name or "b"]
    if shared_runs is not None:
        shared_runs = _checks.boolean("shared_runs", shared_runs)
    if _checks.boolean("ratio", ratio):
        if margin:
            text = "is a difference, so it does not go with a ratio; leave it out"
            raise InputError("margin", margin, problem=text)
        first, second = (logarithms(n, x, metric) for n, x in zip(called, (first, second)))
    data = together(
        [first, second], metric, groups, unmatched, called, labels, shared_runs, [SEPARATE]
    )
    if ratio:  # a logarithm has no bounds
        data = replace(data, bounded=False)
    found = _difference(data, level, draws, generator)
    if margin:
        found = _with_margin(data, found, margin, level)
    taken = direction_taken(higher_is_better, (first, second), data, labels, ratio=ratio)
    found = replace(found, notes=[*found.notes, *data.in_order(found.student), *taken])
    result = _comparison(
        data,
        found,
        names=labels,
        margin=margin,
        higher_is_better=_direction(higher_is_better, data),
        confidence_level=level,
        settings={"n_resamples": draws, "rng": rng, "unmatched": unmatched},
    )
    return _as_ratio(result) if ratio else result


def _refuse_pairing(**asked: Any) -> None:
    """Options that only pairs have are refused for separate samples, not ignored."""
    for name, value in asked.items():
        if value is not None:
            text = "does nothing for separate samples, which are not matched"
            raise InputError(name, value, problem=text)


def _as_ratio(result: Comparison) -> Comparison:
    """A comparison of logarithms, read as a ratio of geometric means."""
    return replace(
        result,
        value_a=math.exp(result.value_a),
        value_b=math.exp(result.value_b),
        ratio=math.exp(result.difference),
        ratio_interval=Interval(*(math.exp(end) for end in result.interval)),
        metric="geometric mean",
        _metric_word=f"geometric {result._word}",
    )


def _unpaired(
    apart: _separate.Apart,
    names: tuple[str, str],
    margin: float,
    higher_is_better: bool | None,
    level: float,
) -> Unpaired:
    """The comparison of two separate samples, as a result that can be printed."""
    first, second = apart.sides
    known, student = apart.distribution, apart.student
    higher, below = _direction(higher_is_better, first.data), known.below(0.0)
    units = first.data.n_units, second.data.n_units
    n_groups = first.data.n_groups, second.data.n_groups
    return Unpaired(
        names=names,
        value_a=first.value,
        value_b=second.value,
        difference=student.centre,
        interval=known.interval(level),
        pvalue=known.pvalue(),
        p_better=1 - below if higher else below,
        p_within=known.below(margin) - known.below(-margin) if margin else 0.0,
        margin=margin,
        higher_is_better=higher,
        standard_error=student.error,
        degrees_of_freedom=student.degrees,
        n_runs=(len(first.data.systems[0].values), len(second.data.systems[0].values)),
        metric=first.data.metric_name,
        unit=first.data.unit,
        n_units=sum(units),
        n_groups=sum(n_groups),
        n_effective=first.data.n_effective + second.data.n_effective,
        confidence_level=level,
        method=apart.method,
        notes=apart.notes,
        n_units_each=units,
        n_groups_each=n_groups,
        _metric_word=first.data.metric_word,
        _distribution=known,
        _spread=Spread(student.from_items, student.runs, student.kurtosis),
        _data=first.data,
        _settings={"paired": False},
    )


def _called(names: Any, a: Results, b: Results) -> tuple[str, str]:
    """What A and B are called: as asked, or as the results are, or A and B."""
    if names is not None:
        return _checks.two_names(names)
    if a.name and b.name and a.name != b.name:
        return a.name, b.name
    return "A", "B"


def direction_taken(
    asked: bool | None,
    results: Sequence[Results],
    data: Together,
    names: Sequence[str],
    *,
    ratio: bool = False,
) -> list[str]:
    """A warning where more was taken to be better, and nobody said so of what less may be."""
    said = asked is not None or any(one.direction_is_known for one in results)
    if said or data.metric.name != "mean":
        return []
    return _cautions.direction(names, ratio=ratio)


def _direction(higher_is_better: Any, data: Together) -> bool:
    if higher_is_better is None:
        return data.higher_is_better
    return _checks.boolean("higher_is_better", higher_is_better)


@dataclass(frozen=True)
class _Difference:
    """B minus A as it was found: what is known of it, in which way, and what to beware of."""

    student: _jackknife.Student
    distribution: Distribution
    interval: Interval | None
    method: str
    notes: list[str]
    effects: _unseen.Effects | None = None

    def within(self, margin: float) -> float:
        """The probability of a difference of at most `margin`, one unseen unit allowed for."""
        known = self.distribution.below(margin) - self.distribution.below(-margin)
        if self.effects is not None:
            return min(known, self.effects.within(margin))
        return known if self.interval is not None else math.nan


def _with_margin(data: Together, found: _Difference, margin: float, level: float) -> _Difference:
    """What a claim of "no difference of more than the margin" needs beside the distribution."""
    if isinstance(found.distribution, _tango.Tango):
        effects, fewest = None, _tango.fewest(margin, level)
    else:
        effects = _unseen.effects(data)
        fewest = _unseen.fewest(margin, level, _unseen.size_of_unseen(data))
        if effects is None:
            return found
    notes = found.notes
    if data.n_groups < fewest:
        text = f"Fewer than {fewest:,} {data.resampled} can never rule out a difference of more"
        notes = [*notes, f"{text} than {margin:g}."]
    return replace(found, effects=effects, notes=notes)


def _difference(data: Together, level: float, draws: int, rng: np.random.Generator) -> _Difference:
    """How far B is from A: Tango's score, half-samples where enough groups differ, else t."""
    first, second = data.systems
    found = data.difference(first, second)
    if data.right_or_wrong and data.per_unit is not None:
        score = _tango.tango(*data.per_unit)
        return _Difference(found, score, score.interval(level), _tango.METHOD, [])
    size = abs(first.values.mean()) + abs(second.values.mean())
    constant = found.error <= 1e-12 * size
    differ = (first.sums[0] != second.sums[0]).any(axis=1)
    if constant:
        return _without_spread(data, found, _halves(data, differ, draws, rng), level)
    if len(first.values) > 1 or len(second.values) > 1:
        return _by_student(data, found, found, level)
    n_differ = int(differ.sum())
    # Groups on which the two agree say nothing about how far apart they are elsewhere.
    careful = replace(found, degrees=min(found.degrees, max(n_differ - 1, 1)))
    few, sparse = _too_few_halves(data.n_groups, level), _too_few_halves(n_differ, level)
    if not few and (sparse or data.n_groups <= _MANY_GROUPS):
        halved = _halves(data, differ, draws, rng)
        by_halves = _by_halves(data, careful, halved, level, n_differ if sparse else None)
        return replace(by_halves, student=found)
    by_student = _by_student(data, careful, found, level)
    if few:
        note = f"For half-samples {data.n_groups} {data.resampled} are too few: t is a rough guide."
        return replace(by_student, notes=[note])
    return by_student


def _too_few_halves(n: int, level: float) -> bool:
    # Halves of k groups that differ have 2^k values; a tail needs one of them at the least.
    return 2.0 ** min(n, 60) * (1 - level) < 2


def _halves(
    data: Together, differ: np.ndarray, draws: int, rng: np.random.Generator
) -> _jackknife.Halves:
    """B minus A on half-samples; of very many groups all that differ, and some of the others."""
    rows: Any = slice(None)
    if data.n_groups > _MANY_GROUPS:
        rows = np.argsort(~differ, kind="stable")[:_MANY_GROUPS]
    first, second = (system.sums[0][rows] for system in data.systems)
    return _jackknife.halves(data.function, first, second, draws, rng)


def _by_student(
    data: Together, distribution: _jackknife.Student, found: _jackknife.Student, level: float
) -> _Difference:
    """The difference by Student's t."""
    method = jackknifed(data, distribution.degrees)
    interval = _within_bounds(data, distribution.interval(level))
    return _Difference(found, distribution, interval, method, data.skewed(found, *data.systems))


def _without_spread(
    data: Together, found: _jackknife.Student, halved: _jackknife.Halves, level: float
) -> _Difference:
    """That the two agreed here, or differed by the same, does not say that they always will."""
    what, method = (
        "difference" if found.centre else "result",
        f"half-samples of the {data.resampled}",
    )
    note = f"Every unit shows the same {what}, so there is no spread to measure"
    effects = None if found.centre else _unseen.effects(data)
    if effects is None:
        return _Difference(found, halved, None, method, [f"{note}."])
    interval = _within_bounds(data, effects.interval(level))
    note += ": the interval is what one more of them, at the worst, leaves possible."
    return _Difference(found, halved, interval, method, [note])


def _by_halves(
    data: Together,
    careful: _jackknife.Student,
    halved: _jackknife.Halves,
    level: float,
    only: int | None,
) -> _Difference:
    """The difference by half-samples of the groups, of which `only` so few differ."""
    method = f"half-samples of the {data.resampled}"
    if only is None:
        interval = _within_bounds(data, halved.interval(level))
        return _Difference(careful, halved, interval, method, data.skewed(careful, *data.systems))
    # So few that differ cannot rule out 0, and t is the rough guide to the rest.
    low, high = careful.interval(level)
    interval = _within_bounds(data, Interval(min(low, 0.0), max(high, 0.0)))
    note = f"The two differ on only {only} of the {data.resampled}: a rough guide."
    return _Difference(careful, halved, interval, method, [note])


def _within_bounds(data: Together, interval: Interval | None) -> Interval | None:
    if interval is None or not data.bounded:
        return interval
    return Interval(max(interval.low, -1.0), min(interval.high, 1.0))


def _comparison(
    data: Together,
    found: _Difference,
    *,
    names: tuple[str, str],
    margin: float,
    higher_is_better: bool,
    confidence_level: float,
    settings: dict[str, Any],
) -> Comparison:
    """What was found, as a result that can be printed."""
    known = found.distribution
    below = known.below(0.0)
    degrees = known.degrees if isinstance(known, _jackknife.Student) else found.student.degrees
    return Comparison(
        names=names,
        value_a=float(data.systems[0].values.mean()),
        value_b=float(data.systems[1].values.mean()),
        difference=found.student.centre,
        interval=found.interval or Interval(math.nan, math.nan),
        pvalue=known.pvalue(),
        p_better=1 - below if higher_is_better else below,
        p_within=found.within(margin) if margin else 0.0,
        margin=margin,
        higher_is_better=higher_is_better,
        standard_error=found.student.error,
        degrees_of_freedom=degrees,
        n_runs=(len(data.systems[0].values), len(data.systems[1].values)),
        shared_runs=data.shared_runs,
        metric=data.metric_name,
        unit=data.unit,
        n_units=data.n_units,
        n_groups=data.n_groups,
        n_effective=data.n_effective,
        confidence_level=confidence_level,
        method=found.method,
        notes=(*data.notes, *found.notes),
        _metric_word=data.metric_word,
        _distribution=known,
        _spread=Spread(found.student.from_items, found.student.runs, found.student.kurtosis),
        _data=data,
        _settings=settings,
    )


# What is said of compare(*read(…)) where the file holds three systems.
_THIRD = "a third system, and no metric: compare_many([…]) takes a list of three systems or more"


def _refuse_system(metric: Any, said: str) -> None:
    """One more system in the place of the metric, as where all that a file holds is handed on."""
    if isinstance(metric, Results):
        raise InputError("metric", problem=said)


def compare_each(
    a: Any, b: Any, metric: Metric | None = None, *, by: str | None = None, **options: Any
) -> dict[str, Comparison]:
    """One comparison per group, or per value of a column: on which tasks is B better?

    Parameters
    ----------
    a, b : Results
        The baseline and the candidate.
    metric : str or callable, optional
        As in `score`.
    by : str, optional
        The column to go by; None takes the groups.
    **options
        What else `compare` takes. Within a part its units count one by one, unless
        ``groups="column"`` says which of them belong together.

    Returns
    -------
    dict of str to Comparison
        In the order in which the values come; `betterthan.replicability.analyse` takes it.

    Raises
    ------
    InputError
        For results without groups or such a column, a part that has fewer than two units, and
        whatever `compare` refuses.

    Examples
    --------
    >>> tasks = ["sums"] * 4 + ["riddles"] * 4
    >>> old = Results([0, 1, 0, 1, 1, 0, 0, 0], name="old", groups=tasks)
    >>> new = Results([1, 1, 0, 1, 1, 0, 1, 1], name="new", groups=tasks)
    >>> {task: float(one.difference) for task, one in compare_each(old, new).items()}
    {'sums': 0.25, 'riddles': 0.5}
    """
    _refuse_system(metric, _THIRD)
    first, second = as_results("a", a, metric), as_results("b", b, metric)
    if by is None and first.groups is None:
        text = "results with groups"
        raise InputError("a", expected=text, ways=[Say("by", when="names a column to go by")])
    labels = first.column(by or "groups")
    names = _called(options.pop("names", None), first, second)
    parts = dict.fromkeys(str(label) for label in labels if label is not None)
    found = {}
    for part in parts:
        one, other = _part(first, by, part), _part(second, by, part)
        if len(one) < 2:
            text = f"at least two units in every part, but {part!r:.60} has {len(one)}"
            raise InputError("by", by, expected=text)
        found[part] = compare(one, other, metric, names=names, **options)
    return found


def _part(results: Results, by: str | None, value: str) -> Results:
    """The units of one part, each for itself; what was noted while reading is about all parts."""
    part = results.where(**{by or "groups": value}).grouped(None)
    return part.with_notes(*(f"{IN_ALL_PARTS}{note}" for note in results.notes))


def compare_folds(
    a: Any,
    b: Any,
    *,
    test_share: float | None = None,
    margin: float = 0.0,
    names: Sequence[str] | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
) -> Comparison:
    """Is algorithm B better than A? One score per fold of a cross-validation, on the same folds.

    The corrected resampled t-test (Nadeau and Bengio 2003). Folds overlap in what they were
    trained on, so the variance of the mean difference is taken as (1/J + n_test/n_train) s² for J
    folds, not s²/J. It is about the algorithms, trained on so large a part of one corpus; for
    trained models and a test set there is `compare`.

    Parameters
    ----------
    a, b : Results or array-like
        The score of the baseline and of the candidate on each fold, in the same order.
    test_share : float, optional
        How much of the corpus a fold is tested on: 0.1 for ten folds. None takes what the results
        know of it (files with the columns train and test).
    margin : float
        A difference nobody would care about.
    names : pair of str, optional
        What A and B are called.
    higher_is_better : bool, optional
        False for errors, penalties, seconds. None takes what the results know, else True.
    confidence_level : float
        Of the interval.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For fewer than three folds, other lengths, anything that is not numbers, a share that is
        not between 0 and 1, or folds that all show the same difference.

    Examples
    --------
    >>> from betterthan.paired import compare_folds
    >>> old = [.81, .79, .84, .80, .78, .82, .83, .80, .79, .81]
    >>> new = [.83, .80, .84, .82, .80, .82, .85, .81, .80, .82]
    >>> print(compare_folds(old, new, test_share=0.1, names=("old", "new")))
    Mean is 0.8070 for old and 0.8190 for new. new minus old is +0.0120 (95 % interval +0.0038 to \
+0.0202; two-sided p = 0.009; 10 folds; corrected resampled t with 9 degrees of freedom). The \
probability that new is better is 0.995 (flat prior): new is better than old. This is about the \
algorithms, trained on 90 % of one corpus.
    """
    margin = _checks.real("margin", margin, 0.0)
    level = _checks.alpha(confidence_level, "confidence_level")
    first, second = as_results("a", a), as_results("b", b)
    share = _checks.alpha(first.test_share if test_share is None else test_share, "test_share")
    labels = _called(names, first, second)
    called = [first.name or "a", second.name or "b"]
    data = together([first, second], "mean", None, names=called, labels=labels)
    scores = [system.sums[0][:, 0] for system in data.systems]
    differences, folds = scores[1] - scores[0], len(scores[0])
    spread = float(differences.std(ddof=1))
    if folds < 3 or spread <= 1e-12 * float(np.abs(scores).max()):
        text = f"got {folds}" if folds < 3 else "all show the same difference"
        raise InputError(expected=f"three folds or more whose differences vary, {text}")
    error = spread * math.sqrt(1 / folds + share / (1 - share))
    centre = _jackknife.but_for_rounding(float(differences.mean()), float(np.abs(scores).max()))
    found = _jackknife.Student(centre, error, folds - 1, error**2, _jackknife.RunSpread(), 0.0)
    method = f"corrected resampled t with {folds - 1} degrees of freedom"
    note = f"This is about the algorithms, trained on {percent(1 - share)} of one corpus."
    return _comparison(
        replace(data, unit="fold", notes=[]),
        _Difference(found, found, found.interval(level), method, [note]),
        names=labels,
        margin=margin,
        higher_is_better=_direction(higher_is_better, data),
        confidence_level=level,
        settings={"test_share": share},
    )
