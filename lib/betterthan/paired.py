"""The way in for most readers: one system, two systems, many systems, and how many items.

`score` and `compare` take what an evaluation leaves behind: counts per sentence
(`betterthan.counts.Counts`), or one number per item (right or wrong, COMET, MQM, seconds), or a
list of such, one entry per run of the system. ``groups=`` names what hangs together (document,
article, repository, query). A is the baseline, B the candidate; a difference is B minus A.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from betterthan import _checks, _jackknife, _units
from betterthan._result import Interval, record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "Comparison", "Comparisons", "Plan", "Score", "compare", "compare_folds", "compare_many",
    "plan", "score",
]  # fmt: skip

Metric = str | Callable[[np.ndarray], Any]

_WORDS = {"f1": "F1", "macro_f1": "macro-F1", "balanced_f": "balanced F", "<lambda>": "the metric"}
# From so many groups on Student's t and half-samples agree, and t takes no time.
_MANY_GROUPS = 1_000


@dataclass(frozen=True, kw_only=True)
class _Result:
    metric: str
    unit: str
    n_units: int
    n_groups: int
    n_effective: float
    confidence_level: float
    method: str
    notes: tuple[str, ...] = ()
    _settings: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    record = record

    @property
    def _word(self) -> str:
        return _WORDS.get(self.metric, self.metric.replace("_", " "))

    @property
    def _Word(self) -> str:
        return self._word[0].upper() + self._word[1:]

    @property
    def _level(self) -> str:
        return _percent(self.confidence_level)

    @property
    def _sample(self) -> str:
        groups = f" in {self.n_groups:,} groups" if self.n_groups < self.n_units else ""
        return f"{self.n_units:,} {_units.plural(self.unit, self.n_units)}{groups}"

    def _between(self, interval: Interval, sign: str = "-") -> str:
        if math.isnan(interval.low):
            return f"no {self._level} interval"
        low, high = (_number(end, sign) for end in interval)
        return f"{self._level} interval {low} to {high}"

    def _noted(self, text: str) -> str:
        return " ".join([text, *self.notes])


@dataclass(frozen=True, kw_only=True)
class Score(_Result):
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
            f"{self._Word} is {_number(self.value)} ({self._between(self.interval)}; "
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
        ax = _axes(ax, 1.3)
        ax.plot(self.interval, [0, 0], color="C0", linewidth=3)
        ax.plot(self.value, 0, "o", color="C0", markersize=9)
        ax.set(yticks=[], xlabel=f"{self._word}, with the {self._level} interval")
        return ax


@dataclass(frozen=True, kw_only=True)
class Comparison(_Result):
    """What `compare` found: B minus A; ``print`` gives the sentence for the paper.

    Interval, p-value and probabilities are read from one distribution, so they cannot
    contradict each other.

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
        The probability that the difference is at most `margin` either way.
    margin : float
        A difference nobody would care about.
    higher_is_better : bool
        False for errors, penalties, seconds.
    standard_error : float
        Of the difference (jackknife).
    degrees_of_freedom : float
        How well the standard error is known.
    n_runs : pair of int
        Runs of A and of B.
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
    _distribution: Any = field(repr=False, compare=False)
    _variance: tuple[float, float, float] = field(repr=False, compare=False)
    _data: _units.Units = field(repr=False, compare=False)

    def __str__(self) -> str:
        a, b = self.names
        lower = "" if self.higher_is_better else ", lower is better"
        runs = f", {self.n_runs[0]} and {self.n_runs[1]} runs" if max(self.n_runs) > 1 else ""
        at = "≤" if getattr(self._distribution, "at_most", False) else "="
        return self._noted(
            f"{self._Word} is {_number(self.value_a)} for {a} and {_number(self.value_b)} for "
            f"{b}{lower}. {b} minus {a} is {_number(self.difference, '+')} "
            f"({self._between(self.interval, '+')}; p {at} {_pvalue(self.pvalue)}; "
            f"{self._sample}{runs}; {self.method}). {self._verdict()}"
        )

    def _verdict(self) -> str:
        (a, b), (low, high), margin = self.names, self.interval, self.margin
        given = "flat prior"
        if margin:
            above = 1 - self._distribution.below(margin)
            ahead = above if self.higher_is_better else self._distribution.below(-margin)
            given += (
                f"; by more than {margin:g}: {_probability(ahead)}; a difference of at most "
                f"{margin:g} either way: {_probability(self.p_within)}"
            )
        sure = self.pvalue <= 1 - self.confidence_level if math.isnan(low) else not low <= 0 <= high
        if margin and self.p_within >= self.confidence_level:
            said = f"no difference of more than {margin:g}"
        elif self.difference == self.standard_error == 0:
            said = "nothing tells the two apart"
        elif sure:
            first, second = (b, a) if (self.difference > 0) == self.higher_is_better else (a, b)
            said = f"{first} is better than {second}"
        else:
            said = f"which of the two is better is open at {self._level}"
        chance = _probability(self.p_better)
        return f"The probability that {b} is better is {chance} ({given}): {said}."

    def table(self) -> pd.DataFrame:
        """One row: metric, both values, difference, low, high, pvalue, p_better.

        With a margin also p_within.
        """
        import pandas as pd

        row = {"metric": self._word, self.names[0]: self.value_a, self.names[1]: self.value_b}
        row |= {"difference": self.difference, **self.interval._asdict()}
        names = ("pvalue", "p_better", *["p_within"] * bool(self.margin))
        return pd.DataFrame([row | {name: getattr(self, name) for name in names}])

    def disagreements(self) -> pd.DataFrame:
        """The units on which the two differ, the largest difference first.

        One row per unit: its id (its place, from 0, where it has none), the metric of A and of B
        on it alone (the mean over runs), and B minus A.
        """
        import pandas as pd

        whole = [np.mean(runs, axis=0) for runs in self._data.tables]
        columns = [self._data.ids, *self._data.each()]
        found = pd.DataFrame(dict(zip((self.unit, *self.names), columns)))
        found["difference"] = found[self.names[1]] - found[self.names[0]]
        found = found[(whole[0] != whole[1]).any(axis=1)]
        return found.sort_values("difference", key=abs, ascending=False, kind="stable")

    def plot(self, ax: Axes | None = None) -> Axes:
        """What is known of the difference: where B is ahead, 0, the margin, the interval."""
        ax = _axes(ax, 2.6)
        a, b = self.names
        reach = 4.5 * self.standard_error or 1.0
        edges = np.linspace(self.difference - reach, self.difference + reach, 82)
        heights = np.diff([self._distribution.below(edge) for edge in edges])
        middles = (edges[1:] + edges[:-1]) / 2
        ahead = (middles > 0) == self.higher_is_better
        ax.bar(middles, heights, edges[1] - edges[0], color=np.where(ahead, "C0", "0.75"))
        ax.plot(self.interval, [-0.04 * heights.max()] * 2, color="0.2", linewidth=4)
        if self.margin:
            ax.axvspan(-self.margin, self.margin, color="C1", alpha=0.2, zorder=0)
        ax.axvline(0, linestyle=":", color="0.2")
        ax.set(yticks=[], xlabel=f"{b} minus {a}, {self._word}; bar below: {self._level} interval")
        ax.set_title(f"probability that {b} is better: {_probability(self.p_better)}")
        return ax


@dataclass(frozen=True, kw_only=True)
class Comparisons(_Result):
    """What `compare_many` found; ``print`` gives the sentence, ``.table()`` all pairs.

    Attributes
    ----------
    ranks : DataFrame
        One row per system, the best first: name, value, rank_low, rank_high. All rank intervals
        hold together at the confidence level.
    higher_is_better : bool
        False for errors, penalties, seconds.
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

    ranks: pd.DataFrame
    higher_is_better: bool
    _pairs: pd.DataFrame = field(repr=False)

    def table(self) -> pd.DataFrame:
        """One row per pair: a, b, difference (b − a), low, high, pvalue, pvalue_adjusted."""
        return self._pairs.copy()

    def __str__(self) -> str:
        apart = int((self._pairs["pvalue_adjusted"] <= 1 - self.confidence_level).sum())
        best = self.ranks["name"][self.ranks["rank_low"] == 1].tolist()
        may = f"{', '.join(best[:-1])} or {best[-1]} may be" if best[1:] else f"{best[0]} is"
        lower = "" if self.higher_is_better else " (lower is better)"
        return self._noted(
            f"{self.ranks['name'][0]} has the best {self._word} of {len(self.ranks)} systems"
            f"{lower}, {_number(self.ranks['value'][0])}; {apart} of {len(self._pairs)} pairs "
            f"are told apart, with {_percent(1 - self.confidence_level)} error for all pairs "
            f"together ({self._sample}; {self.method}). {may} the best."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """One row per system: the ranks it may have, the best on top."""
        ax = _axes(ax, 0.9 + 0.28 * len(self.ranks))
        rows = np.arange(len(self.ranks))
        ax.hlines(rows, self.ranks["rank_low"], self.ranks["rank_high"], color="C0", linewidth=4)
        ax.plot(1 + rows, rows, "o", color="C0", markersize=8)
        shown = zip(self.ranks["name"], self.ranks["value"])
        ax.set_yticks(rows, [f"{name} ({_number(value)})" for name, value in shown])
        ax.set(ylim=(len(rows) - 0.4, -0.6), xlabel=f"rank; bar: not ruled out at {self._level}")
        return ax


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What `plan` found; ``print`` gives the sentence.

    Attributes
    ----------
    n : int
        Units to collect.
    n_groups : int
        Groups they should come in.
    difference : float
        The smallest difference that so many units show with this power.
    range : Interval
        Of `n` (of `difference`, where `n` was given): the pilot knows the spread only roughly,
        and in about four of five cases the right number lies between these ends.
    power : float
        How often a true difference of that size is seen.
    notes : tuple of str
        What to beware of.
    """

    n: int
    n_groups: int
    difference: float
    range: Interval
    power: float
    notes: tuple[str, ...]
    _sentence: str = field(repr=False)

    record = record

    def __str__(self) -> str:
        return " ".join([self._sentence, *self.notes])

    def table(self) -> pd.DataFrame:
        """One row: n, n_groups, difference, low, high, power."""
        import pandas as pd

        row = {name: getattr(self, name) for name in ("n", "n_groups", "difference")}
        return pd.DataFrame([row | self.range._asdict() | {"power": self.power}])


def score(
    x: Any, metric: Metric | None = None, *, groups: Any = None, confidence_level: float = 0.95
) -> Score:
    """One system's score with an interval that holds for clustered, skewed and few results.

    The metric is recomputed without each group in turn (the delete-one jackknife). The interval
    is symmetric in log-odds where the metric lies between 0 and 1, and takes Student's t with
    G* − 1 degrees of freedom, where G* is what the groups would number if they were of one size.
    A score of exactly 0 or 1 gets Clopper and Pearson's interval for G* decisions.

    Parameters
    ----------
    x : Counts, array-like, or a list of either
        Counts per sentence, or one number per item; a list of arrays is several runs.
    metric : str or callable, optional
        For counts "f1", "precision", "recall", "macro_f1", or "accuracy" where each item has one
        label; for numbers "mean", or "accuracy" where they are 0 and 1. The default None takes
        "accuracy" for counts by class with one label per item, "f1" for other counts, and "mean".
        Or a function of the column sums of `x` (units × columns), such as corpus BLEU.
    groups : array-like, optional
        One label per unit. None takes the groups of `x`, or each unit for itself.
    confidence_level : float
        How often the interval should hold the true value.

    Returns
    -------
    Score

    Raises
    ------
    ValueError
        For folds of a cross-validation (see `betterthan.bcv`), p-values, anything that is not
        numbers, missing values, groups of another length, fewer than two units or groups.

    Examples
    --------
    >>> from betterthan import score
    >>> print(score([1, 1, 0, 1, 1, 1, 0, 1, 1, 1] * 30))
    Mean is 0.8000 (95 % interval 0.7506 to 0.8417; 300 items; delete-one jackknife, t with 299 \
degrees of freedom).
    """
    data = _units.read({"x": x}, metric, groups)
    level = _checks.alpha(confidence_level, "confidence_level")
    found, notes = data.student(data.systems, [1]), list(data.notes)
    worth, method = data.facts["n_effective"], _jackknifed(data, found)
    if data.bounded and found.centre in (0.0, 1.0):
        far = ((1 - level) / 2) ** (1 / worth)
        interval = Interval(far, 1.0) if found.centre else Interval(0.0, 1 - far)
        method = f"Clopper and Pearson's interval, as for {worth:.4g} decisions"
    elif found.error == 0:
        interval = Interval(math.nan, math.nan)
        notes.append("Every unit gives the same value, so there is no spread to measure.")
    else:
        interval = found.interval(level, bounded=data.bounded)
        notes += [] if data.bounded else data.skewed(found)
    return Score(
        value=found.centre, interval=interval, standard_error=found.error,
        degrees_of_freedom=found.degrees, n_runs=len(data.systems[0].values),
        confidence_level=level, method=method, notes=tuple(notes), **data.facts,
    )  # fmt: skip


def compare(
    a: Any,
    b: Any,
    metric: Metric | None = None,
    *,
    groups: Any = None,
    margin: float = 0.0,
    names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Any = 0,
    unmatched: str = "refuse",
) -> Comparison:
    """Is B better than A? Both on the same units; A is the baseline, the difference B − A.

    The difference is computed on random halves of the groups (Hartigan 1969): its quantiles are
    the interval, the share above 0 is the probability that B is better, the share within the
    margin that it does not matter, and twice the smaller tail is the p-value of the sign-flip
    test. All halves are taken where there are few. With fewer than six groups, with more than
    1,000, and with several runs, Student's t takes the place of the halves, with at most as many
    degrees of freedom as groups that differ, less one. Where fewer than six groups differ, the
    interval is that of t and includes 0.

    Parameters
    ----------
    a, b : Counts, array-like, or a list of either
        The baseline and the candidate, unit by unit in the same order; a list of arrays is
        several runs of a system. Where both are pandas Series with ids as their index, units are
        matched by it.
    metric : str or callable, optional
        As in `score`.
    groups : array-like, optional
        One label per unit of `a`.
    margin : float
        A difference you would not care about.
    names : pair of str
        What A and B are called in the sentence.
    higher_is_better : bool, optional
        False for errors, penalties, seconds. None takes what a reader knows of the metric (its
        ``attrs``), else True.
    confidence_level : float
        Of the interval.
    n_resamples : int
        Random halves, where there are more than these.
    rng : int, SeedSequence or Generator
        Draws them.
    unmatched : {"refuse", "drop"}
        What to do with ids that only one of them has.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As `score` does, and for unequal lengths, ids that do not match, counts whose gold items
        (tp + fn) differ, a negative margin, or names that are not two different ones.

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
    names = _checks.two_names(names)
    margin = _checks.real("margin", margin, 0.0)
    level = _checks.alpha(confidence_level, "confidence_level")
    draws = _checks.whole("n_resamples", n_resamples, 99)
    seed, rng = rng, _checks.generator(rng)
    data = _units.read({"a": a, "b": b}, metric, groups, unmatched, names)
    higher_is_better = _direction(higher_is_better, data)
    (first, second), notes = data.systems, list(data.notes)
    found, n = data.student([first, second], [-1, 1]), data.facts["n_groups"]
    value_a, value_b = float(first.values.mean()), float(second.values.mean())
    constant = found.error <= 1e-12 * (abs(value_a) + abs(value_b))
    runs = len(first.values), len(second.values)
    which = (first.sums[0] != second.sums[0]).any(axis=1)
    differ, resampled = int(which.sum()), _resampled(data)
    # Halves of k groups that differ have 2^k values; a tail needs one of them at the least.
    few, sparse = (2.0 ** min(k, 60) * (1 - level) < 2 for k in (n, differ))
    distribution = found
    if runs == (1, 1):
        # Groups on which the two agree say nothing about how far apart they are elsewhere.
        distribution = replace(found, degrees=min(found.degrees, max(differ - 1, 1)))
    interval, method = distribution.interval(level), _jackknifed(data, distribution)
    if constant or (runs == (1, 1) and not few and (sparse or n <= _MANY_GROUPS)):
        # Of very many groups all that differ, and some of the others.
        rows = np.argsort(~which, kind="stable")[:_MANY_GROUPS] if n > _MANY_GROUPS else slice(None)
        halved = (system.sums[0][rows] for system in (first, second))
        distribution = _jackknife.halves(data.function, *halved, draws, rng)
        method = f"half-samples of the {resampled}"
        # So few that differ cannot rule out 0, and t is the rough guide to the rest.
        whole = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
        interval = whole if sparse else distribution.interval(level)
    if constant:
        # That the two agreed here does not say that they always will.
        interval, what = None, "difference" if found.centre else "result"
        notes.append(f"Every unit shows the same {what}, so there is no spread to measure.")
    elif runs == (1, 1) and few:
        notes.append(f"For half-samples {n} {resampled} are too few: t is a rough guide.")
    elif runs == (1, 1) and sparse:
        notes.append(f"The two differ on only {differ} of the {resampled}: a rough guide.")
    else:
        notes += data.skewed(found)
    if interval and data.bounded:
        interval = Interval(max(interval.low, -1.0), min(interval.high, 1.0))
    return Comparison(
        names=names, value_a=value_a, value_b=value_b, difference=found.centre,
        interval=interval or Interval(math.nan, math.nan), margin=margin,
        higher_is_better=higher_is_better, standard_error=found.error,
        degrees_of_freedom=getattr(distribution, "degrees", found.degrees), n_runs=runs,
        confidence_level=level, method=method, notes=tuple(notes), _distribution=distribution,
        _variance=(found.from_items, found.from_runs, found.kurtosis), **data.facts, _data=data,
        _settings={"n_resamples": draws, "rng": seed, "unmatched": unmatched},
        **_probabilities(distribution, margin, higher_is_better),
    )  # fmt: skip


def _direction(higher_is_better: Any, data: _units.Units) -> bool:
    if higher_is_better is None:
        return data.higher_is_better
    return _checks.boolean("higher_is_better", higher_is_better)


def _probabilities(distribution: Any, margin: float, higher_is_better: bool) -> dict[str, float]:
    below = distribution.below(0.0)
    within = distribution.below(margin) - distribution.below(-margin) if margin else 0.0
    better = 1 - below if higher_is_better else below
    return {"pvalue": distribution.pvalue(), "p_better": better, "p_within": within}


def compare_folds(
    a: Any, b: Any, *, test_share: float, margin: float = 0.0, names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool | None = None, confidence_level: float = 0.95,
) -> Comparison:  # fmt: skip
    """Is algorithm B better than A? One score per fold of a cross-validation, on the same folds.

    The corrected resampled t-test (Nadeau and Bengio 2003). Folds overlap in what they were
    trained on, so the variance of the mean difference is taken as (1/J + n_test/n_train) s² for J
    folds, not s²/J. It is about the algorithms, trained on so large a part of one corpus; for
    trained models and a test set there is `compare`.

    Parameters
    ----------
    a, b : array-like
        The score of the baseline and of the candidate on each fold, in the same order.
    test_share : float
        How much of the corpus a fold is tested on: 0.1 for ten folds.
    margin : float
        A difference nobody would care about.
    names : pair of str
        What A and B are called.
    higher_is_better : bool, optional
        False for errors, penalties, seconds. None takes what a reader knows of the metric (its
        ``attrs``), else True.
    confidence_level : float
        Of the interval.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For fewer than three folds, other lengths, anything that is not numbers, a share that is
        not between 0 and 1, or folds that all show the same difference.

    Examples
    --------
    >>> from betterthan.paired import compare_folds
    >>> old = [.81, .79, .84, .80, .78, .82, .83, .80, .79, .81]
    >>> new = [.83, .80, .84, .82, .80, .82, .85, .81, .80, .82]
    >>> print(compare_folds(old, new, test_share=0.1, names=("old", "new")))
    Mean is 0.8070 for old and 0.8190 for new. new minus old is +0.0120 (95 % interval +0.0038 to \
+0.0202; p = 0.009; 10 folds; corrected resampled t with 9 degrees of freedom). The probability \
that new is better is 0.995 (flat prior): new is better than old. This is about the algorithms, \
trained on 90 % of one corpus.
    """
    names = _checks.two_names(names)
    margin = _checks.real("margin", margin, 0.0)
    level = _checks.alpha(confidence_level, "confidence_level")
    share = _checks.alpha(test_share, "test_share")
    data = _units.read({"a": a, "b": b}, "mean", None, labels=names)
    higher_is_better = _direction(higher_is_better, data)
    scores = [system.sums[0][:, 0] for system in data.systems]
    differences, folds = scores[1] - scores[0], len(scores[0])
    spread = float(differences.std(ddof=1))
    if folds < 3 or spread <= 1e-12 * float(np.abs(scores).max()):
        text = f"got {folds}" if folds < 3 else "all show the same difference"
        raise ValueError(f"a, b: expected three folds or more whose differences vary, {text}")
    error = spread * math.sqrt(1 / folds + share / (1 - share))
    found = _jackknife.Student(float(differences.mean()), error, folds - 1, error**2, 0.0, 0.0)
    return Comparison(
        names=names, value_a=float(scores[0].mean()), value_b=float(scores[1].mean()),
        difference=found.centre, interval=found.interval(level), margin=margin,
        higher_is_better=higher_is_better, standard_error=error, degrees_of_freedom=folds - 1,
        n_runs=(1, 1), confidence_level=level,
        method=f"corrected resampled t with {folds - 1} degrees of freedom",
        notes=(f"This is about the algorithms, trained on {_percent(1 - share)} of one corpus.",),
        _distribution=found, _variance=(error**2, 0.0, 3.0), **data.facts | {"unit": "fold"},
        _data=data, _settings={"test_share": share},
        **_probabilities(found, margin, higher_is_better),
    )  # fmt: skip


def compare_many(
    systems: Mapping[str, Any],
    metric: Metric | None = None,
    *,
    groups: Any = None,
    baseline: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Any = 0,
    unmatched: str = "refuse",
) -> Comparisons:
    """Which of several systems differ, with one error rate for all pairs, and their ranks.

    If two systems were equally good, exchanging their results on a group would change nothing.
    One set of random exchanges serves all pairs; the largest difference (in standard errors) over
    all pairs of each exchange says what luck can do (max-T, step-down, Westfall and Young 1993).
    Intervals hold together, and a pair that the test tells apart has 0 at most at the end of its
    own. With fewer than six groups, or several runs, Student's t with Holm's correction (and
    Bonferroni's intervals) takes the place of the exchanges.

    Parameters
    ----------
    systems : mapping of name to results, or DataFrame
        Each as in `compare`; a frame has one column per system.
    metric, groups, higher_is_better, confidence_level, n_resamples, rng, unmatched
        As in `compare`.
    baseline : str, optional
        Compare this one with each other, instead of all pairs.

    Returns
    -------
    Comparisons

    Raises
    ------
    ValueError
        As `compare` does, and for fewer than two systems or an unknown baseline.

    Warns
    -----
    UserWarning
        Where a system's results go with nobody else's.

    Examples
    --------
    >>> import numpy as np
    >>> from betterthan import compare_many
    >>> hard = np.random.default_rng(0).random(400)
    >>> result = compare_many({"old": hard < 0.6, "new": hard < 0.7, "same": hard < 0.6})
    >>> result.ranks["name"].tolist(), result.ranks["rank_high"].tolist()
    (['new', 'old', 'same'], [1, 3, 3])
    """
    import pandas as pd

    if hasattr(systems, "columns"):  # a frame has one column per system
        systems = dict(systems.items())
    if not isinstance(systems, Mapping) or len(systems) < 2:
        got = f"{type(systems).__name__} of {len(systems) if hasattr(systems, '__len__') else 1}"
        raise ValueError(f"systems: expected a dict (or frame) of at least two systems, got {got}")
    names = [str(name) for name in systems]
    if baseline is not None:
        _checks.choice("baseline", baseline, names)
    level = _checks.alpha(confidence_level, "confidence_level")
    draws = _checks.whole("n_resamples", n_resamples, 99)
    seed, rng = rng, _checks.generator(rng)
    data = _units.read(dict(zip(names, systems.values())), metric, groups, unmatched)
    higher_is_better = _direction(higher_is_better, data)
    values = np.array([system.values.mean() for system in data.systems])
    pairs = [
        (j, i) if names[j] == baseline else (i, j)
        for i, j in combinations(range(len(names)), 2)
        if baseline is None or baseline in (names[i], names[j])
    ]
    found = [data.student([data.systems[i], data.systems[j]], [-1, 1]) for i, j in pairs]
    error, difference = (np.array([getattr(f, key) for f in found]) for key in ("error", "centre"))
    tiny = 1e-12 * np.abs(values).max()
    difference = np.where(np.abs(difference) > tiny, difference, 0.0)
    constant = error <= tiny
    error = np.where(constant, np.nan, error)  # without a spread there is no interval
    several = any(len(system.values) > 1 for system in data.systems)
    if several or 2 ** min(data.facts["n_groups"], 60) * (1 - level) < 2:
        degrees = np.array([f.degrees for f in found])
        alike = np.where(difference == 0, 1.0, 2.0 ** (1 - data.facts["n_groups"]))
        pvalues = np.where(constant, alike, 2 * stats.t.sf(np.abs(difference) / error, degrees))
        order = np.argsort(pvalues)
        holm = np.maximum.accumulate(pvalues[order] * np.arange(len(pairs), 0, -1))
        adjusted = np.minimum(1.0, holm)[np.argsort(order)]
        reach = stats.t.ppf(1 - (1 - level) / 2 / len(pairs), degrees)
        method = "jackknife and t, Holm's correction"
    else:
        sums = np.stack([system.sums[0] for system in data.systems], axis=1)
        # In units of the root mean square over groups, which no exchange changes; the standard
        # error would change with every exchange, and the largest of many pairs with it.
        n = data.facts["n_groups"]
        scale = np.sqrt(np.nan_to_num(error) ** 2 * (n - 1) / n + difference**2 / n)
        scale = np.where(scale > 0, scale, 1.0)
        moved = _jackknife.exchanged(data.function, sums, pairs, draws, rng) / scale
        seen = np.abs(difference) / scale
        pvalues = (1 + (moved >= seen * (1 - 1e-6)).sum(axis=0)) / (len(moved) + 1)
        adjusted = _jackknife.step_down(moved, seen)
        most = np.quantile(moved.max(axis=1), level, method="higher") ** 2
        reach = np.sqrt(most * (n - 1) / (n - most)) if most < n else np.inf
        method = f"max-T over {len(moved):,} exchanges of {_resampled(data)}"
    low, high = difference - reach * error, difference + reach * error
    apart = adjusted <= 1 - level
    low = np.where(apart & (difference > 0), np.maximum(low, 0.0), low)
    high = np.where(apart & (difference < 0), np.minimum(high, 0.0), high)
    columns = {"difference": difference, "low": low, "high": high}
    columns |= {"pvalue": pvalues, "pvalue_adjusted": adjusted}
    who = {"a": [names[i] for i, _ in pairs], "b": [names[j] for _, j in pairs]}
    sign = 1 if higher_is_better else -1
    wins, losses = np.zeros(len(names), int), np.zeros(len(names), int)
    for (i, j), ahead in zip(pairs, np.where(apart, sign * difference, 0.0)):
        if ahead:
            wins[j if ahead > 0 else i] += 1
            losses[i if ahead > 0 else j] += 1
    ranks = pd.DataFrame({"name": names, "value": values, "rank_low": 1 + losses})
    ranks["rank_high"] = len(names) - wins
    order = np.argsort(-sign * values, kind="stable")
    return Comparisons(
        ranks=ranks.iloc[order].reset_index(drop=True), higher_is_better=higher_is_better,
        confidence_level=level, method=method,
        notes=(*data.notes, *data.skewed(max(found, key=lambda pair: pair.skew))),
        _pairs=pd.DataFrame(who | columns), **data.facts,
        _settings={"baseline": baseline, "n_resamples": draws, "rng": seed, "unmatched": unmatched},
    )  # fmt: skip


def plan(
    pilot: Comparison,
    *,
    difference: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> Plan:
    """How many units show a difference, or which difference so many units show.

    Parameters
    ----------
    pilot : Comparison
        A comparison of similar systems on similar units: its *spread* is what counts. Its own
        difference is not one to plan for: it is where the pilot happened to land.
    difference : float, optional
        The smallest difference worth seeing.
    n : int, optional
        Units you can have; give this or `difference`.
    power : float
        How often a true difference of that size should be seen.
    confidence_level : float
        Of the comparison to come.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        For a pilot that is not a `Comparison` or shows no spread, both or neither of `difference`
        and `n`, or a difference that more units cannot show because runs vary too much.

    Examples
    --------
    >>> import numpy as np
    >>> from betterthan import compare, plan
    >>> hard = np.random.default_rng(0).random((2, 300))
    >>> pilot = compare(hard[0] < 0.6, hard.mean(axis=0) < 0.6)
    >>> plan(pilot, difference=0.05).n > 300
    True
    """
    if not isinstance(pilot, Comparison):
        raise ValueError(f"pilot={pilot!r:.60}: expected what betterthan.compare returns")
    if (difference is None) == (n is None):
        raise ValueError(f"difference={difference!r}, n={n!r}: expected one of the two")
    power = _checks.alpha(power, "power")
    level = _checks.alpha(confidence_level, "confidence_level")
    per_unit, from_runs = pilot._variance[0] * pilot.n_units, pilot._variance[1]
    if per_unit <= 0:
        raise ValueError("pilot: expected units that differ; every one shows the same difference")
    free = max(pilot.n_effective - 1, 1e-3)
    # The pilot's variance is known up to a chi-square over its degrees of freedom, of which
    # there are fewer where a few groups make most of it.
    known = min(free, 2 * pilot.n_groups / max(pilot._variance[2] - 1, 1e-9))
    off = known / stats.chi2.ppf([0.9, 0.1], known)

    def shown(units: float) -> float:
        """The smallest difference that so many units show."""
        degrees = max(free * units / pilot.n_units, 1.0)
        away = stats.t.ppf((1 + level) / 2, degrees) + stats.t.ppf(power, degrees)
        return float(away * math.sqrt(per_unit / units + from_runs))

    notes, planned = [], n is None
    if planned:
        difference = _checks.real("difference", difference, 0.0, closed="neither")
        if shown(2**40) > difference:
            raise ValueError(
                f"difference={difference!r}: no number of units shows it, because runs alone "
                f"have a standard error of {math.sqrt(from_runs):.2g}; more runs would"
            )
        n = 2 + bisect.bisect_left(range(2, 2**40), -difference, key=lambda units: -shown(units))
        ends = n * off
        if math.isclose(difference, abs(pilot.difference), rel_tol=1e-9):
            notes.append("But this is where the pilot happened to land; plan for what matters.")
    else:
        n = _checks.whole("n", n, 2)
        difference = shown(n)
        ends = difference * np.sqrt(off)
    if pilot.n_effective <= _units.FEW:
        notes.append(f"A pilot worth {pilot.n_effective:.1f} groups knows the spread badly.")
    n_groups = max(2, math.ceil(n * pilot.n_groups / pilot.n_units))
    many = f"{n:,} {_units.plural(pilot.unit, n)}" + (
        f" in {n_groups:,} groups" if n_groups < n else ""
    )
    reached = f"{_number(difference)} with a power of {_percent(power)}"
    low, high = (f"{end:,.0f}" if planned else _number(end) for end in ends)
    return Plan(
        n=n, n_groups=n_groups, difference=difference, range=Interval(*map(float, ends)),
        power=power, notes=tuple(notes),
        _sentence=f"About {many} show a difference of {reached} at {_percent(level)} confidence. "
        f"The pilot knows the spread only roughly: in about four of five cases (73-86 %) the right "
        f"{'number' if planned else 'difference'} is between {low} and {high}.",
    )  # fmt: skip


def _resampled(data: _units.Units) -> str:
    return _units.resampled(*(data.facts[name] for name in ("n_groups", "n_units", "unit")))


def _jackknifed(data: _units.Units, found: _jackknife.Student) -> str:
    what = "delete-one-group" if data.facts["n_groups"] < data.facts["n_units"] else "delete-one"
    plural = "" if found.degrees == 1 else "s"
    return f"{what} jackknife, t with {found.degrees:.4g} degree{plural} of freedom"


def _number(value: float, sign: str = "-") -> str:
    whole = abs(value) >= 1_000 or (abs(value) >= 10 and value == int(value))
    return f"{value:{sign},.0f}" if whole else f"{value:{sign}.4f}"


def _probability(value: float) -> str:
    return "above 0.999" if value > 0.999 else "below 0.001" if value < 0.001 else f"{value:.3f}"


def _pvalue(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _axes(ax: Axes | None, height: float) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, height), layout="constrained")[1]
