"""Which of several systems differ, with one error rate for all pairs, and their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from betterthan import _checks, _jackknife
from betterthan._report import Report, axes
from betterthan._together import System, Together, together
from betterthan._words import listed, number, percent
from betterthan.errors import InputError
from betterthan.paired import Metric, direction_taken
from betterthan.results import Results, as_results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Comparisons", "compare_many"]

# Systems that differ on fewer groups than this, and on less than a quarter, are near copies.
_NEAR_COPIES = 20


@dataclass(frozen=True, kw_only=True)
class Comparisons(Report):
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
        shown = [listed(name, None) for name in best]
        may = f"{', '.join(shown[:-1])} or {shown[-1]} may be" if best[1:] else f"{best[0]} is"
        lower = "" if self.higher_is_better else " (lower is better)"
        return self._noted(
            f"{self.ranks['name'][0]} has the best {self._word} of {len(self.ranks)} systems"
            f"{lower}, {number(self.ranks['value'][0])}; {apart} of {len(self._pairs)} pairs "
            f"are told apart, with {percent(1 - self.confidence_level)} error for all pairs "
            f"together ({self._sample}; {self.method}). {may} the best."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """One row per system: the ranks it may have, the best on top."""
        from matplotlib.ticker import MaxNLocator

        ax = axes(ax, 0.9 + 0.28 * len(self.ranks))
        rows = np.arange(len(self.ranks))
        ax.hlines(rows, self.ranks["rank_low"], self.ranks["rank_high"], color="C0", linewidth=4)
        ax.plot(1 + rows, rows, "o", color="C0", markersize=8)
        shown = zip(self.ranks["name"], self.ranks["value"])
        ax.set_yticks(rows, [f"{name} ({number(value)})" for name, value in shown])
        ax.set(ylim=(len(rows) - 0.4, -0.6), xlabel=f"rank; bar: not ruled out at {self._level}")
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        return ax


def compare_many(
    systems: Mapping[str, Any] | Sequence[Results],
    metric: Metric | None = None,
    *,
    groups: Any = None,
    baseline: str | None = None,
    higher_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Any = 0,
    unmatched: str = "refuse",
    shared_runs: bool | None = None,
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
    systems : sequence of Results, mapping of name to results, or DataFrame
        Each as in `compare`; a frame has one column per system.
    metric, groups, higher_is_better, confidence_level, n_resamples, rng, unmatched, shared_runs
        As in `compare`.
    baseline : str, optional
        Compare this one with each other, instead of all pairs.

    Returns
    -------
    Comparisons

    Raises
    ------
    InputError
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
    named = _named_systems(systems)
    names = list(named)
    if baseline is not None:
        _checks.choice("baseline", baseline, names)
    level = _checks.alpha(confidence_level, "confidence_level")
    draws = _checks.whole("n_resamples", n_resamples, 99)
    generator = _checks.generator(rng)
    results = [as_results(name, x, metric) for name, x in named.items()]
    if shared_runs is not None:
        shared_runs = _checks.boolean("shared_runs", shared_runs)
    data = together(results, metric, groups, unmatched, names, names, shared_runs)
    higher = data.higher_is_better
    if higher_is_better is not None:
        higher = _checks.boolean("higher_is_better", higher_is_better)
    pairs = _pairs(names, baseline)
    spreads = _spreads(data, pairs)
    tested = _tested(data, spreads, pairs, level, draws, generator)
    taken = direction_taken(higher_is_better, results, data, names)
    return Comparisons(
        ranks=_ranks(data, names, pairs, spreads, tested, level, higher),
        higher_is_better=higher,
        metric=data.metric_name,
        unit=data.unit,
        n_units=data.n_units,
        n_groups=data.n_groups,
        n_effective=data.n_effective,
        confidence_level=level,
        method=tested.method,
        notes=(*data.notes, *data.skewed(spreads.most_skewed), *taken),
        _metric_word=data.metric_word,
        _pairs=_table_of_pairs(names, pairs, spreads, tested, level),
        _settings={"baseline": baseline, "n_resamples": draws, "rng": rng, "unmatched": unmatched},
    )


def _named_systems(systems: Any) -> dict[str, Any]:
    """The systems by name: of a mapping, a frame or a sequence of Results."""
    if hasattr(systems, "columns"):  # a frame has one column per system
        systems = dict(systems.items())
    listed = isinstance(systems, list | tuple) and all(isinstance(x, Results) for x in systems)
    if listed:
        names = [one.name or f"system {place}" for place, one in enumerate(systems, 1)]
        if len(set(names)) < len(names):
            raise InputError("systems", names, expected="different names")
        systems = dict(zip(names, systems))
    if not isinstance(systems, Mapping) or len(systems) < 2:
        got = f"{type(systems).__name__} of {len(systems) if hasattr(systems, '__len__') else 1}"
        text = f"a dict (or frame, or list of Results) of at least two systems, got {got}"
        raise InputError("systems", expected=text)
    return {str(name): x for name, x in systems.items()}


def _pairs(names: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """All pairs, or those with the baseline, which then comes first."""
    return [
        (j, i) if names[j] == baseline else (i, j)
        for i, j in combinations(range(len(names)), 2)
        if baseline is None or baseline in (names[i], names[j])
    ]


@dataclass(frozen=True)
class _Spreads:
    """Of each pair the difference, its standard error and degrees of freedom."""

    difference: np.ndarray
    error: np.ndarray  # NaN where there is no spread
    degrees: np.ndarray
    n_differ: np.ndarray  # on how many groups the two differ
    n_groups: int
    effect: float  # by how much one group that differs moves a difference
    most_skewed: _jackknife.Student


def _spreads(data: Together, pairs: Sequence[tuple[int, int]]) -> _Spreads:
    found = [data.difference(data.systems[i], data.systems[j]) for i, j in pairs]
    tiny = 1e-12 * max(abs(float(system.values.mean())) for system in data.systems)
    moved = [
        one.contributions[_differ(data.systems[i], data.systems[j])]
        for one, (i, j) in zip(found, pairs)
    ]
    difference = np.array([one.centre for one in found])
    error = np.array([one.error for one in found])
    return _Spreads(
        difference=np.where(np.abs(difference) > tiny, difference, 0.0),
        error=np.where(error <= tiny, np.nan, error),
        degrees=np.array([one.degrees for one in found]),
        n_differ=np.array([len(own) for own in moved]),
        n_groups=data.n_groups,
        effect=max((float(np.median(np.abs(own))) for own in moved if len(own)), default=0.0),
        most_skewed=max(found, key=lambda one: one.skew),
    )


def _differ(first: System, second: System) -> np.ndarray:
    """On which groups two systems differ, in any run."""
    runs = zip(first.sums, second.sums)
    return np.any([(own != other).any(axis=1) for own, other in runs], axis=0)


@dataclass(frozen=True)
class _Tested:
    """Of each pair the p-value alone and among all, and the reach of intervals in errors."""

    pvalue: np.ndarray
    adjusted: np.ndarray
    reach: Any
    method: str


def _tested(
    data: Together,
    spreads: _Spreads,
    pairs: Sequence[tuple[int, int]],
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> _Tested:
    several = any(len(system.values) > 1 for system in data.systems)
    if several or 2 ** min(data.n_groups, 60) * (1 - level) < 2:
        return _by_student(data, spreads, level)
    return _by_exchanges(data, spreads, pairs, level, draws, rng)


def _by_student(data: Together, spreads: _Spreads, level: float) -> _Tested:
    """Student's t with Holm's correction; intervals are Bonferroni's."""
    alike = np.where(spreads.difference == 0, 1.0, 2.0 ** (1 - data.n_groups))
    away = np.abs(spreads.difference) / spreads.error
    no_spread = np.isnan(spreads.error)
    pvalues = np.where(no_spread, alike, 2 * stats.t.sf(away, spreads.degrees))
    n = len(pvalues)
    order = np.argsort(pvalues)
    holm = np.maximum.accumulate(pvalues[order] * np.arange(n, 0, -1))
    adjusted = np.minimum(1.0, holm)[np.argsort(order)]
    reach = stats.t.ppf(1 - (1 - level) / 2 / n, spreads.degrees)
    over = f" over {data.resampled} and shared runs" if data.shared_runs else ""
    return _Tested(pvalues, adjusted, reach, f"jackknife{over} and t, Holm's correction")


def _by_exchanges(
    data: Together,
    spreads: _Spreads,
    pairs: Sequence[tuple[int, int]],
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> _Tested:
    """One set of random exchanges for all pairs: max-T, step-down."""
    sums = np.stack([system.sums[0] for system in data.systems], axis=1)
    # In units of the root mean square over groups, which no exchange changes; the standard
    # error would change with every exchange, and the largest of many pairs with it.
    n = data.n_groups
    scale = np.sqrt(np.nan_to_num(spreads.error) ** 2 * (n - 1) / n + spreads.difference**2 / n)
    scale = np.where(scale > 0, scale, 1.0)
    moved = _jackknife.exchanged(data.function, sums, pairs, draws, rng) / scale
    seen = np.abs(spreads.difference) / scale
    pvalues = (1 + (moved >= seen * (1 - 1e-6)).sum(axis=0)) / (len(moved) + 1)
    most = np.quantile(moved.max(axis=1), level, method="higher") ** 2
    reach = np.sqrt(most * (n - 1) / (n - most)) if most < n else np.inf
    method = f"max-T over {len(moved):,} exchanges of {data.resampled}"
    return _Tested(pvalues, _jackknife.step_down(moved, seen), reach, method)


def _table_of_pairs(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    spreads: _Spreads,
    tested: _Tested,
    level: float,
) -> pd.DataFrame:
    """One row per pair; where the test tells it apart, 0 is at most at its interval's end."""
    import pandas as pd

    difference, apart = spreads.difference, tested.adjusted <= 1 - level
    half = tested.reach * spreads.error
    # Near copies: so few that differ do not say how many do elsewhere. As in Wilson's interval, the
    # spread is what it could be at the interval's end, where more groups differ.
    few = (spreads.n_differ < _NEAR_COPIES) & (4 * spreads.n_differ < spreads.n_groups)
    unseen = np.where(few, tested.reach**2 * spreads.effect, 0.0)
    half = np.sqrt(half**2 + unseen**2)
    low, high = difference - half, difference + half
    return pd.DataFrame(
        {
            "a": [names[i] for i, _ in pairs],
            "b": [names[j] for _, j in pairs],
            "difference": difference,
            "low": np.where(apart & (difference > 0), np.maximum(low, 0.0), low),
            "high": np.where(apart & (difference < 0), np.minimum(high, 0.0), high),
            "pvalue": tested.pvalue,
            "pvalue_adjusted": tested.adjusted,
        }
    )


def _ranks(
    data: Together,
    names: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    spreads: _Spreads,
    tested: _Tested,
    level: float,
    higher_is_better: bool,
) -> pd.DataFrame:
    """One row per system, the best first, with the ranks that it may have."""
    import pandas as pd

    sign = 1 if higher_is_better else -1
    wins, losses = np.zeros(len(names), int), np.zeros(len(names), int)
    apart = tested.adjusted <= 1 - level
    for (i, j), ahead in zip(pairs, np.where(apart, sign * spreads.difference, 0.0)):
        if ahead:
            wins[j if ahead > 0 else i] += 1
            losses[i if ahead > 0 else j] += 1
    values = np.array([system.values.mean() for system in data.systems])
    ranks = pd.DataFrame({"name": list(names), "value": values, "rank_low": 1 + losses})
    ranks["rank_high"] = len(names) - wins
    order = np.argsort(-sign * values, kind="stable")
    return ranks.iloc[order].reset_index(drop=True)
