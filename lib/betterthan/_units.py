"""What `paired` accepts: results of systems on the same units, read, matched and added up."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._checks import plural
from betterthan._jackknife import Student, student
from betterthan.counts import Counts

OF_COUNTS = ("f1", "precision", "recall", "macro_f1", "accuracy")
# Up to here intervals of skewed differences miss much too often (study paired-coverage).
FEW = 20
# Whether two systems saw the same items can be told from so many items on.
_ENOUGH_TO_CORRELATE = 200
_PVALUES = {"p", "p_value", "pvalue", "p-value", "p_values", "pvalues"}
_TEST_RESULTS = "betterthan.replicability.analyse takes p-values and results of tests"


@dataclass(frozen=True)
class System:
    """One system: per run the sums of each group, the metric, and the metric without each group."""

    sums: list[np.ndarray]  # per run: groups × columns
    values: np.ndarray  # per run
    deleted: np.ndarray  # groups × runs


@dataclass(frozen=True)
class Units:
    """Systems on the same units, added up by group, and what to say about them."""

    systems: list[System]
    tables: list[list[np.ndarray]]  # per system and run: units × columns
    ids: Any
    metric: Any
    bounded: bool
    facts: dict[str, Any]  # metric, unit, n_units, n_groups, n_effective
    notes: list[str]
    counted: bool
    higher_is_better: bool

    @property
    def function(self) -> Callable[[np.ndarray], np.ndarray]:
        """The metric of rows of column sums."""
        return _function(self.metric, self.counted)

    def each(self) -> list[np.ndarray]:
        """Of each system the metric on every unit alone, the mean over runs."""
        return [np.mean([self.function(run) for run in runs], axis=0) for runs in self.tables]

    def skewed(self, found: Student) -> list[str]:
        """A warning where results are so skewed that their number does not make up for it."""
        if found.skew <= 0.25 or self.facts["n_groups"] <= FEW:
            return []
        return ["Results are very skewed: such intervals miss in up to a fifth of the cases."]

    def student(self, systems: Sequence[System], signs: Sequence[int]) -> Student:
        """The signed sum of the systems' scores, over groups and runs."""
        groups = self.facts["n_effective"]
        return student([s.deleted for s in systems], [s.values for s in systems], signs, groups)


def read(
    systems: Mapping[str, Any],
    metric: Any,
    groups: Any,
    unmatched: str = "refuse",
    labels: Sequence[str] = (),
) -> Units:
    """All systems as sums of groups; everything that can be wrong with them is refused here.

    `labels` are what sentences call the systems, where that differs from the arguments' names.
    """
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    runs = {name: _runs(name, x, metric) for name, x in systems.items()}
    names = [name for name, listed in runs.items() for _ in listed]
    flat = [run for listed in runs.values() for run in listed]
    counted = isinstance(flat[0], Counts)
    metric = metric or _usual(flat)
    tables = [_columns(name, run, metric) for name, run in zip(names, flat)]
    own_groups = groups is None and counted
    if own_groups:
        groups = flat[0].groups
    elif groups is None and "group" in getattr(_index(flat[0]), "names", ()):
        groups = _index(flat[0]).get_level_values("group")
    rows, groups, dropped = _matched(names, flat, tables, groups, unmatched)
    tables = [table[own] for table, own in zip(tables, rows)]
    n = len(tables[0])
    if n < 2:
        raise ValueError(f"{names[0]}: expected at least two units, got {n}")
    for name, table in zip(names, tables):
        if table.shape[1] != tables[0].shape[1]:
            raise ValueError(f"{name}: expected as many columns (or classes) as {names[0]} has")
    ids = range(n) if _index(flat[0]) is None else _index(flat[0])[rows[0]].get_level_values(0)
    if counted:
        taken = [(run, own) for run, own in zip(flat, rows) if isinstance(run, Counts)]
        gold = [(run.tp + run.fn)[own].reshape(n, -1) for run, own in taken]
        _same_gold(names, gold, ids, metric)
    if own_groups and not all(
        np.array_equal(groups, run.groups if run.groups is None else run.groups[own])
        for run, own in taken
    ):
        raise ValueError("groups: expected the same groups in all Counts, but they differ")
    codes, n_groups = _codes(groups, n)
    function = _function(metric, counted)
    in_order = iter(tables)
    by_system = [[next(in_order) for _ in listed] for listed in runs.values()]
    added = [
        _system(name, own, function, codes, n_groups, metric) for name, own in zip(runs, by_system)
    ]
    weights = np.mean([_weights(metric if counted else "mean", t) for t in tables], axis=0)
    weights = np.bincount(codes, weights=weights, minlength=n_groups)
    # What a reader knows and had to decide: the metric, how grades became numbers.
    known = [getattr(x, "attrs", {"notes": getattr(x, "notes", ())}) for x in flat]
    called = {facts.get("metric") for facts in known}
    of = f" {called.pop()}" if metric == "mean" and len(called) == 1 and None not in called else ""
    facts = {
        "metric": getattr(metric, "__name__", "metric") if callable(metric) else metric + of,
        "unit": flat[0].unit if counted else _unit(flat[0]),
        "n_units": n,
        "n_groups": n_groups,
        "n_effective": float(weights.sum() ** 2 / np.square(weights).sum()),
    }
    bounded = metric in OF_COUNTS or (
        not callable(metric) and all(t[:, 0].min() >= 0 and t[:, 0].max() <= 1 for t in tables)
    )
    notes = [f"{dropped:,} {plural('item', dropped)} without a match left out."] if dropped else []
    said = [note for own in known for note in own.get("notes", ())]
    notes += dict.fromkeys([*said, *getattr(metric, "notes", ())])
    notes += _unaligned(
        labels or list(runs), tables, np.cumsum([len(r) for r in runs.values()]), metric
    )
    notes += _too_few(facts, [len(listed) for listed in runs.values()])
    higher = all(own.get("higher_is_better", True) for own in known)
    return Units(added, by_system, ids, metric, bounded, facts, notes, counted, higher)


def _usual(runs: Sequence[Any]) -> str:
    """The metric where none is asked for."""
    if not isinstance(runs[0], Counts):
        return "mean"
    counts = [run for run in runs if isinstance(run, Counts)]
    # One class per item: every wrong one is both invented and missed, so F1 is the accuracy.
    classes = all(run.tp.ndim == 2 for run in counts)
    one = classes and all((run.fp.sum(axis=1) == run.fn.sum(axis=1)).all() for run in counts)
    return "accuracy" if one else "f1"


def _runs(name: str, x: Any, metric: Any) -> list[Any]:
    """The runs of one system: a list of arrays or of Counts, or the one that `x` is."""
    if not isinstance(x, list | tuple) or not len(x) or np.isscalar(x[0]) or x[0] is None:
        return [x]
    if isinstance(x, tuple):  # what a reader gives for several files: not runs of one system
        raise ValueError(f"{name}: expected one system, got a tuple of {len(x)}; runs are a list")
    if any(hasattr(run, "pvalue") for run in x):
        raise ValueError(f"{name}: expected results per item; {_TEST_RESULTS}")
    rows = callable(metric) and all(np.ndim(run) == 1 and not hasattr(run, "tp") for run in x)
    return [x] if rows else list(x)


def _columns(name: str, run: Any, metric: Any) -> np.ndarray:
    """Units × columns whose sums the metric needs."""
    if isinstance(run, Counts):
        if run.unit == "fold":
            raise ValueError(
                f"{name}: expected counts per sentence or item, got {len(run)} folds of a cross-"
                "validation; bcv.posterior scores folds, and bayes.compare compares them"
            )
        if not callable(metric):
            _checks.choice("metric", metric, OF_COUNTS)
        if metric == "macro_f1" and run.tp.ndim == 1:
            raise ValueError(f"{name}: macro_f1 needs counts per class, units × classes")
        parts = [part.reshape(len(run), -1) for part in (run.tp, run.fp, run.fn)]
        if metric == "accuracy" and (parts[1].sum(axis=1) != parts[2].sum(axis=1)).any():
            raise ValueError(
                f"{name}: metric='accuracy' needs one label per item, so that each wrong one is "
                "both invented and missed; for spans take 'f1', 'precision' or 'recall'"
            )
        if metric in ("f1", "precision", "recall", "accuracy"):
            parts = [part.sum(axis=1, keepdims=True) for part in parts]
        return np.hstack(parts).astype(float)
    labels = getattr(run, "columns", [getattr(run, "name", None)])
    labels = {str(label).lower() for label in labels}
    if labels & _PVALUES:
        raise ValueError(f"{name}: expected results per item, got p-values; {_TEST_RESULTS}")
    if {"tp", "fp", "fn"} <= labels:
        raise ValueError(
            f"{name}: expected Counts, got a table of tp, fp and fn; make it Counts(tp, fp, fn, "
            "unit=…), which says whether a row is a sentence or a fold"
        )
    table = _numbers(name, run)
    if callable(metric):
        return table.reshape(len(table), -1)
    if metric in OF_COUNTS[:-1]:
        raise ValueError(f"metric={metric!r}: expected Counts in {name}, got numbers")
    _checks.choice("metric", metric, ("mean", "accuracy"))
    if metric == "accuracy" and not np.isin(table, (0, 1)).all():
        other = table[~np.isin(table, (0, 1))][0]
        raise ValueError(f"{name}: metric='accuracy' needs 1 for right, 0 for wrong; got {other}")
    if table.ndim != 1:
        raise ValueError(
            f"{name}: expected one number per item, got shape {table.shape}; counts are "
            "Counts(tp, fp, fn), several runs are a list of arrays"
        )
    return np.column_stack([table, np.ones(len(table))])


def _numbers(name: str, run: Any) -> np.ndarray:
    if isinstance(run, str | os.PathLike):
        raise ValueError(f"{name}={run!r:.80}: expected results; betterthan.readers reads files")
    try:
        array = np.asarray(run)
        # Digits in quotation marks are a column that was read as text: refused, not guessed.
        text = array.dtype.kind == "O" and any(isinstance(v, str | bytes) for v in array.flat)
        if text or array.dtype.kind not in "biufO":
            raise TypeError
        table = array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, got {run!r:.80}") from None
    if table.ndim not in (1, 2) or table.size == 0:
        raise ValueError(f"{name}: expected at least two units, got shape {table.shape}")
    bad = np.argwhere(~(np.abs(table) < 1e100))  # sums of larger ones would overflow
    if len(bad):
        place = ", ".join(str(int(i)) for i in bad[0])
        shown = table[tuple(bad[0])]
        raise ValueError(
            f"{name}: expected finite numbers (below 1e100), but {name}[{place}] is {shown}"
        )
    return table


def _index(x: Any) -> Any:
    """The index of a pandas object, which names its items; None for anything else."""
    index = getattr(x, "index", None)
    return index if hasattr(index, "get_indexer") else None


def _matched(
    names: Sequence[str], runs: Sequence[Any], tables: Sequence, groups: Any, unmatched: str
) -> tuple[list[Any], Any, int]:
    """Which rows of each run to take, in the order of the first; groups; how many are left out."""
    ids = [_index(run) for run in runs]
    everything = [slice(None)] * len(runs)
    if any(index is None for index in ids):
        for place, (name, table) in enumerate(zip(names, tables)):
            if len(table) != len(tables[0]):
                which = f"{name}, run {place + 1}" if name == names[0] else name
                raise ValueError(
                    f"{which}: expected as many units as {names[0]} has ({len(tables[0]):,}), got "
                    f"{len(table):,}"
                )
        return everything, groups, 0
    for name, index in zip(names, ids):
        if index.has_duplicates and not all(index.equals(other) for other in ids):
            again = index[index.duplicated()][0]
            raise ValueError(f"{name}: expected each id once, but {again!r} comes again")
    if all(index.equals(ids[0]) for index in ids):
        return everything, _grouped(groups, ids[0], everything[0]), 0
    # Numbers that pandas gave to the rows are no ids: row 7 here is not row 7 there.
    if all(type(index).__name__ == "RangeIndex" and index.start == 0 for index in ids):
        name, index = next((n, i) for n, i in zip(names, ids) if len(i) != len(ids[0]))
        raise ValueError(
            f"{name}: expected as many rows as {names[0]} has ({len(ids[0]):,}), got "
            f"{len(index):,}; rows without ids cannot be matched: say key= where the file is "
            "read, or set the pandas index"
        )
    common = ids[0][np.logical_and.reduce([ids[0].isin(index) for index in ids])]
    alone = [(name, index[~index.isin(common)]) for name, index in zip(names, ids)]
    dropped = len({one for _, extra in alone for one in extra})
    if dropped and unmatched == "refuse":
        name, extra = next((name, extra) for name, extra in alone if len(extra))
        raise ValueError(
            f"{name}: {len(extra):,} {'item is' if len(extra) == 1 else 'items are'} not in all "
            "systems, such as "
            f"{', '.join(map(repr, extra[:5]))}; expected the same ids (the pandas index) "
            "everywhere, or unmatched='drop' to leave them out"
        )
    rows = [index.get_indexer(common) for index in ids]
    return rows, _grouped(groups, ids[0], rows[0]), dropped


def _grouped(groups: Any, ids: Any, rows: Any) -> Any:
    """The groups of the rows that are kept, by id where the groups have ids."""
    if groups is None:
        return None
    given = _index(groups)
    if given is None or given.equals(ids):
        return _checks.groups(groups, len(ids))[rows]
    wanted = ids[rows]
    missing = wanted[~wanted.isin(given)]
    if len(missing):
        raise ValueError(f"groups: expected a label for every id, but {missing[0]!r} has none")
    return groups.loc[wanted]


def _same_gold(names: Sequence[str], gold: Sequence[np.ndarray], ids: Any, metric: Any) -> None:
    """Refuse counts of other gold items, or of other classes; their columns may be in any order."""
    same = "are these the same sentences in the same order?"
    whole, classes = gold[0].sum(axis=1), {column.tobytes() for column in gold[0].T if column.any()}
    for name, own in zip(names, gold):
        for i in np.flatnonzero(own.sum(axis=1) != whole)[:1]:
            raise ValueError(
                f"{name}: expected the same gold items (tp + fn) as {names[0]} in every unit, but "
                f"unit {ids[i]!r:.60} has {whole[i]} there and {own[i].sum()} here; {same}"
            )
        if gold[0].shape[1] == 1 or own.shape[1] == 1:
            continue
        others = {column.tobytes() for column in own.T if column.any()}
        if others != classes or (callable(metric) and not np.array_equal(own, gold[0])):
            text = f"expected the same gold classes (tp + fn) as {names[0]} in every unit"
            raise ValueError(f"{name}: {text}; {same}")


def _codes(groups: Any, n: int) -> tuple[np.ndarray, int]:
    """The number of each unit's group, and how many groups there are."""
    if groups is None:
        return np.arange(n), n
    labels = _checks.groups(groups, n)
    seen: dict[Any, int] = {}
    codes = np.fromiter((seen.setdefault(label, len(seen)) for label in labels), np.int64, n)
    if len(seen) < 2:
        raise ValueError(
            f"groups: expected at least two groups, got one ({labels[0]!r}); one group says "
            "nothing about how others would turn out"
        )
    return codes, len(seen)


def _system(
    name: str, tables: Sequence[np.ndarray], function: Callable, codes: Any, n: int, metric: Any
) -> System:
    sums = [
        np.column_stack([np.bincount(codes, weights=column, minlength=n) for column in table.T])
        for table in tables
    ]
    values = np.array([float(function(part.sum(axis=0)[None])[0]) for part in sums])
    if not np.isfinite(values).all():
        raise ValueError(
            f"{name}: the metric {metric!r:.40} is undefined: there is nothing to divide by "
            "(nothing was found, or there was nothing to find)"
        )
    # Leaving a group out is subtracting it; where that leaves nothing, the score stays.
    deleted = np.column_stack([function(part.sum(axis=0) - part) for part in sums])
    return System(sums, values, np.where(np.isfinite(deleted), deleted, values))


def _function(metric: Any, counted: bool) -> Callable[[np.ndarray], np.ndarray]:
    """The metric of rows of column sums."""
    if getattr(metric, "takes_rows", False):
        return metric
    if callable(metric):
        return lambda sums: np.array([_called(metric, row) for row in sums])
    if metric == "accuracy":
        metric = "recall" if counted else "mean"
    return {
        "mean": lambda s: _over(s[:, 0], s[:, 1]),
        "precision": lambda s: _over(s[:, 0], s[:, 0] + s[:, 1]),
        "recall": lambda s: _over(s[:, 0], s[:, 0] + s[:, 2]),
        "f1": lambda s: _over(2 * s[:, 0], 2 * s[:, 0] + s[:, 1] + s[:, 2]),
        "macro_f1": _macro_f1,
    }[metric]


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    # Taking a group off again may leave a rounding error where there is nothing.
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 1e-9)


def _macro_f1(sums: np.ndarray) -> np.ndarray:
    tp, fp, fn = np.split(sums, 3, axis=1)
    whole = 2 * tp + fp + fn
    seen = whole > 1e-9
    each = np.divide(2 * tp, whole, out=np.zeros_like(whole), where=seen)
    return _over(each.sum(axis=1), seen.sum(axis=1))


def _called(metric: Callable[[np.ndarray], Any], row: np.ndarray) -> float:
    value = np.asarray(metric(row), dtype=float)
    if value.ndim:
        raise ValueError(f"metric: expected one number for the column sums, got {value!r:.60}")
    return float(value)


def _weights(metric: Any, table: np.ndarray) -> np.ndarray:
    """How much each unit weighs in the metric: its part of the denominator."""
    if callable(metric) or metric == "mean":
        return np.ones(len(table))
    metric = "recall" if metric == "accuracy" else metric
    tp, fp, fn = (part.sum(axis=1) for part in np.split(table, 3, axis=1))
    return {"precision": tp + fp, "recall": tp + fn}.get(metric, 2 * tp + fp + fn)


def _unaligned(
    names: Sequence[str], tables: Sequence[np.ndarray], ends: np.ndarray, metric: Any
) -> list[str]:
    """A warning where a system's results go with nobody else's; hard items are hard for all."""
    first = [tables[i] for i in [0, *ends[:-1]]]
    # Counts need no guess: their gold items have been compared.
    if callable(metric) or first[0].shape[1] > 2:
        return []
    if len(first) < 2 or len(first[0]) < _ENOUGH_TO_CORRELATE:
        return []
    results = [table[:, 0] for table in first]
    if any(np.ptp(own) == 0 for own in results):
        return []
    together = np.abs(np.corrcoef(results))
    np.fill_diagonal(together, 0.0)
    alone = np.flatnonzero(together.max(axis=1) < 1.645 / math.sqrt(len(first[0])))
    if not alone.size:
        return []
    text = (
        f"The results of {' and '.join(names[i] for i in alone)} hardly go with "
        f"{'each other' if len(names) == 2 else 'any other'} (correlation "
        f"{together[alone[0]].max():.2f}): are these the same items in the same order?"
    )
    warnings.warn(text, stacklevel=4)
    return [text]


def _unit(run: Any) -> str:
    """What a pandas index calls its items, if that is a word."""
    name = next(iter(getattr(_index(run), "names", ())), None)
    return name if isinstance(name, str) and name.isalpha() and len(name) > 2 else "item"


def _too_few(facts: Mapping[str, Any], runs: Sequence[int]) -> list[str]:
    found = []
    groups, worth = facts["n_groups"], facts["n_effective"]
    unit = resampled(groups, facts["n_units"], facts["unit"])
    if groups <= FEW:
        share = "a third" if groups <= FEW / 2 else "a fifth"
        found.append(
            f"{groups} {unit} are few: where their results are very skewed, such intervals miss in "
            f"up to {share} of the cases."
        )
    elif worth <= FEW:
        found.append(f"The {unit} are so uneven that they are worth {worth:.1f} equal ones: few.")
    if 2 in runs or list(runs) == [3]:  # a difference of three runs each keeps its promise
        found.append(
            f"{'Two' if 2 in runs else 'Three'} runs say little about how results move from run "
            "to run (such intervals cover 89-95 %)."
        )
    if max(runs) > 1 and min(runs) == 1:
        found.append("A single run is taken to move from run to run as much as the other's.")
    return found


def resampled(n_groups: int, n_units: int, unit: str) -> str:
    """What is resampled, in the plural."""
    return "groups" if n_groups < n_units else plural(unit)
