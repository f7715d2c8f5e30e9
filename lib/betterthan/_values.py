"""What a system's results are made of: numbers, counts, labels, or sums for a metric of one's own.

Each class holds the runs of one system, unit by unit, and knows three things: which units to
take, which metrics may be asked of it, and the columns whose sums such a metric needs.
`from_anything` makes one of whatever people have: arrays, lists, pandas columns, `Counts`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from betterthan import _checks
from betterthan._metrics import OF_COUNTS, MetricOfSums, metric_of
from betterthan.counts import Counts
from betterthan.errors import InputError, Say

# Sums of larger numbers would overflow.
LARGEST = 1e100
_PVALUES = {"p", "p_value", "pvalue", "p-value", "p_values", "pvalues"}
_TEST_RESULTS = "betterthan.replicability.analyse takes p-values and results of tests"


class Values(Protocol):
    """One system's results, whatever they are."""

    counted: bool

    @property
    def n_runs(self) -> int: ...
    def __len__(self) -> int: ...
    def take(self, rows: Any) -> Values: ...
    def usual_metric(self) -> Any: ...
    def metric(self, name: str, asked: Any) -> MetricOfSums: ...
    def tables(self, metric: MetricOfSums) -> list[np.ndarray]: ...
    def per_unit(self, metric: MetricOfSums) -> list[np.ndarray] | None: ...
    def array(self) -> np.ndarray: ...


def _one_or_all(runs: Sequence[np.ndarray]) -> np.ndarray:
    """The only run as it is, or runs × units."""
    return runs[0] if len(runs) == 1 else np.stack(runs)


@dataclass(frozen=True, eq=False)
class Numbers:
    """One number per unit and run: right or wrong, COMET, MQM, seconds."""

    runs: tuple[np.ndarray, ...]
    counted = False

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    def __len__(self) -> int:
        return len(self.runs[0])

    def take(self, rows: Any) -> Numbers:
        return Numbers(tuple(run[rows] for run in self.runs))

    def usual_metric(self) -> str:
        return "mean"

    def metric(self, name: str, asked: Any) -> MetricOfSums:
        """The metric asked for, if numbers have it."""
        if asked in OF_COUNTS[:-1]:
            expected = "labels and a gold column, tags, or counts"
            raise InputError(
                "metric", asked, problem=f"{name} holds plain numbers", expected=expected
            )
        metric = metric_of(asked, counted=False)
        if metric.name == "accuracy":
            self._right_or_wrong(name)
        return metric

    def _right_or_wrong(self, name: str) -> None:
        for run in self.runs:
            other = run[~np.isin(run, (0, 1))]
            if other.size:
                text = f"accuracy needs 1 for right, 0 for wrong; got {other[0]}"
                raise InputError(problem=f"{name}: {text}")

    def tables(self, metric: MetricOfSums) -> list[np.ndarray]:
        """Per run the value and a 1 of every unit; a metric of one's own gets the value alone."""
        if metric.name in ("mean", "accuracy"):
            return [np.column_stack([run, np.ones(len(run))]) for run in self.runs]
        return [run.reshape(len(run), -1) for run in self.runs]

    def per_unit(self, metric: MetricOfSums) -> list[np.ndarray] | None:
        """Per run one number per unit whose mean is the metric; None where there is none."""
        return list(self.runs) if metric.name in ("mean", "accuracy") else None

    def array(self) -> np.ndarray:
        return _one_or_all(self.runs)

    def within_0_and_1(self) -> bool:
        """Whether every number lies between 0 and 1."""
        return all(run.min() >= 0 and run.max() <= 1 for run in self.runs)


@dataclass(frozen=True, eq=False)
class Sums:
    """Units × columns per run, for a metric of their sums: corpus BLEU, balanced F."""

    runs: tuple[np.ndarray, ...]
    of_sums: MetricOfSums | None = None
    counted = False

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    def __len__(self) -> int:
        return len(self.runs[0])

    def take(self, rows: Any) -> Sums:
        return replace(self, runs=tuple(run[rows] for run in self.runs))

    def usual_metric(self) -> Any:
        return self.of_sums or "mean"

    def metric(self, name: str, asked: Any) -> MetricOfSums:
        """The metric of the sums: a function."""
        if not callable(asked):
            _checks.choice("metric", asked, ("mean", "accuracy"))
            shape = self.runs[0].shape
            raise InputError(
                problem=f"{name}: expected one number per item, got shape {shape}; counts are "
                "Counts(tp, fp, fn), several runs are a list of arrays"
            )
        return metric_of(asked, counted=False)

    def tables(self, metric: MetricOfSums) -> list[np.ndarray]:
        return list(self.runs)

    def per_unit(self, metric: MetricOfSums) -> list[np.ndarray] | None:
        return None

    def array(self) -> np.ndarray:
        return _one_or_all(self.runs)


@dataclass(frozen=True, eq=False)
class Counted:
    """What was found, invented and missed, per unit (and class) and run."""

    runs: tuple[Counts, ...]
    counted = True

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    def __len__(self) -> int:
        return len(self.runs[0])

    def take(self, rows: Any) -> Counted:
        return Counted(tuple(run[rows] for run in self.runs))

    def usual_metric(self) -> str:
        # One class per item: every wrong one is both invented and missed, so F1 is the accuracy.
        by_class = all(run.tp.ndim == 2 for run in self.runs)
        return "accuracy" if by_class and self._one_label_each() else "f1"

    def _one_label_each(self) -> bool:
        return all((_by_unit(run.fp) == _by_unit(run.fn)).all() for run in self.runs)

    def metric(self, name: str, asked: Any) -> MetricOfSums:
        """The metric asked for, if these counts have it."""
        if not callable(asked):
            _checks.choice("metric", asked, OF_COUNTS)
        if asked == "macro_f1" and self.runs[0].tp.ndim == 1:
            raise InputError(
                problem=f"{name}: macro_f1 is the mean of the F1 of each class and needs counts "
                "per class, but these are of all classes together, as those of spans are",
                ways=[Say("metric", "f1", "for all of them together")],
            )
        if asked == "accuracy" and not self._one_label_each():
            raise InputError(
                problem=f"{name}: accuracy needs one label per item, so that each wrong one is "
                "both invented and missed; for spans take F1, precision or recall"
            )
        return metric_of(asked, counted=True)

    def tables(self, metric: MetricOfSums) -> list[np.ndarray]:
        """Per run tp, fp and fn; of all classes together, but for what needs them apart."""
        together = metric.name in ("f1", "precision", "recall", "accuracy")
        return [_stacked(run, together) for run in self.runs]

    def per_unit(self, metric: MetricOfSums) -> list[np.ndarray] | None:
        """Right or wrong, where the accuracy is asked and every unit has one label."""
        one_each = all((_by_unit(run.tp + run.fn) == 1).all() for run in self.runs)
        if metric.name != "accuracy" or not one_each:
            return None
        return [_by_unit(run.tp).astype(float) for run in self.runs]

    def array(self) -> np.ndarray:
        return _one_or_all([_stacked(run, False) for run in self.runs])

    def gold(self) -> np.ndarray:
        """How many there were to be found, units × classes; the same for every run."""
        return (self.runs[0].tp + self.runs[0].fn).reshape(len(self), -1)


def _by_unit(counts: np.ndarray) -> np.ndarray:
    return counts.reshape(len(counts), -1).sum(axis=1)


def _stacked(run: Counts, together: bool) -> np.ndarray:
    parts = [part.reshape(len(run), -1) for part in (run.tp, run.fp, run.fn)]
    if together:
        parts = [part.sum(axis=1, keepdims=True) for part in parts]
    return np.hstack(parts).astype(float)


@dataclass(frozen=True, eq=False)
class Labels:
    """One label per unit and run beside the right one; labels are numbers of `classes`.

    An answer of −1 is blank, and wrong.
    """

    classes: tuple[str, ...]
    right: np.ndarray
    runs: tuple[np.ndarray, ...]
    positive: str | None = None
    counted = True

    @property
    def n_runs(self) -> int:
        return len(self.runs)

    def __len__(self) -> int:
        return len(self.right)

    def take(self, rows: Any) -> Labels:
        runs = tuple(run[rows] for run in self.runs)
        return replace(self, right=self.right[rows], runs=runs)

    def usual_metric(self) -> str:
        return "accuracy" if self.positive is None else "f1"

    def metric(self, name: str, asked: Any) -> MetricOfSums:
        """The metric asked for; F1 of all classes together is the accuracy, and is called so."""
        if callable(asked):
            return metric_of(asked, counted=True)
        metric = metric_of(_checks.choice("metric", asked, OF_COUNTS), counted=True)
        if asked in ("macro_f1", "accuracy"):
            return metric
        if self.positive is not None:
            word = {"f1": "F1"}.get(asked, asked)
            return replace(metric, name=asked, label=f"{word} of {self.positive!r}")
        word = {"f1": "micro-F1"}.get(asked, f"micro-{asked}")
        return replace(metric, label=f"{word}, which is accuracy here,")

    def tables(self, metric: MetricOfSums) -> list[np.ndarray]:
        if metric.name == "accuracy":
            return [self._right_and_wrong(run) for run in self.runs]
        if metric.name in ("f1", "precision", "recall"):
            if self.positive is None:
                return [self._right_and_wrong(run) for run in self.runs]
            place = self.classes.index(self.positive)
            return [self._of_class(run, place) for run in self.runs]
        return [self._by_class(run) for run in self.runs]

    def per_unit(self, metric: MetricOfSums) -> list[np.ndarray] | None:
        """Right or wrong, where the metric is the accuracy, under whatever name."""
        micro = metric.name in ("f1", "precision", "recall") and self.positive is None
        if metric.name != "accuracy" and not micro:
            return None
        return [(run == self.right).astype(float) for run in self.runs]

    def _right_and_wrong(self, run: np.ndarray) -> np.ndarray:
        hit = (run == self.right).astype(float)
        return np.column_stack([hit, 1 - hit, 1 - hit])

    def _of_class(self, run: np.ndarray, place: int) -> np.ndarray:
        said, is_so = run == place, self.right == place
        return np.column_stack([said & is_so, said & ~is_so, ~said & is_so]).astype(float)

    def _by_class(self, run: np.ndarray) -> np.ndarray:
        k, rows = len(self.classes), np.arange(len(run))
        table = np.zeros((len(run), 3 * k))
        hit = run == self.right
        table[rows[hit], run[hit]] = 1
        answered = ~hit & (run >= 0)
        table[rows[answered], k + run[answered]] = 1
        table[rows[~hit], 2 * k + self.right[~hit]] = 1
        return table

    def array(self) -> np.ndarray:
        return _one_or_all([(run == self.right).astype(float) for run in self.runs])

    def in_classes(self, classes: Sequence[str]) -> Labels:
        """The same labels, numbered in another list of classes that has them all."""
        place = {name: number for number, name in enumerate(classes)}
        moved = np.array([*(place[name] for name in self.classes), -1])
        runs = tuple(moved[run] for run in self.runs)
        return replace(self, classes=tuple(classes), right=moved[self.right], runs=runs)


def from_anything(name: str, x: Any, metric: Any = None) -> Values:
    """Numbers, counts or sums of whatever people have; `name` is what errors call it.

    Parameters
    ----------
    name : str
        The argument.
    x : array-like, Counts, or a list of either
        One number per unit, counts per unit, or units × columns; a list of arrays is several runs.
    metric : optional
        What will be asked: for a function of column sums a list of rows is one run.

    Returns
    -------
    Values

    Raises
    ------
    InputError
        For what is none of these, numbers that are not finite, or runs of another length.
    """
    runs = _runs(name, x, metric)
    counted = [isinstance(run, Counts) for run in runs]
    if all(counted):
        for run in runs:
            _refuse_folds(name, run)
        values: Values = Counted(tuple(runs))
    elif any(counted):
        raise InputError(name, expected="runs of one kind, got Counts and numbers")
    else:
        arrays = tuple(numbers(name, run) for run in runs)
        flat = all(array.ndim == 1 for array in arrays)
        values = Numbers(arrays) if flat else Sums(arrays)
    lengths = [len(run) for run in runs]
    for place, length in enumerate(lengths):
        if length != lengths[0]:
            raise InputError(
                problem=f"{name}, run {place + 1}: expected as many units as {name} has "
                f"({lengths[0]:,}), got {length:,}"
            )
    return values


def _runs(name: str, x: Any, metric: Any) -> list[Any]:
    """The runs of one system: a list of arrays or of Counts, or the one that `x` is."""
    if not isinstance(x, list | tuple) or not len(x) or np.isscalar(x[0]) or x[0] is None:
        return [x]
    if isinstance(x, tuple):  # what a reader gives for several systems: not runs of one
        raise InputError(name, expected=f"one system, got a tuple of {len(x)}; runs are a list")
    if any(hasattr(run, "pvalue") for run in x):
        raise InputError(name, expected=f"results per item; {_TEST_RESULTS}")
    rows = callable(metric) and all(np.ndim(run) == 1 and not hasattr(run, "tp") for run in x)
    return [x] if rows else list(x)


def _refuse_folds(name: str, run: Counts) -> None:
    if run.unit == "fold":
        raise InputError(
            name,
            expected=f"counts per sentence or item, got {len(run)} folds of a cross-"
            "validation; bcv.posterior scores folds, and bayes.compare compares them",
        )


def numbers(name: str, run: Any) -> np.ndarray:
    """One run as finite floats, units or units × columns; what is no number is refused."""
    _refuse_other_tables(name, run)
    if isinstance(run, str | os.PathLike):
        raise InputError(name, run, expected="results; betterthan.read reads files")
    try:
        array = np.asarray(run)
        # Digits in quotation marks are a column that was read as text: refused, not guessed.
        text = array.dtype.kind == "O" and any(isinstance(v, str | bytes) for v in array.flat)
        if text or array.dtype.kind not in "biufO":
            raise TypeError
        table = array.astype(float)
    except (TypeError, ValueError):
        raise InputError(name, expected=f"numbers, got {run!r:.80}") from None
    if table.ndim not in (1, 2) or table.size == 0:
        raise InputError(name, expected=f"at least two units, got shape {table.shape}")
    bad = np.argwhere(~(np.abs(table) < LARGEST))
    if len(bad):
        place = ", ".join(str(int(i)) for i in bad[0])
        shown = table[tuple(bad[0])]
        raise InputError(
            name, expected=f"finite numbers (below 1e100), but {name}[{place}] is {shown}"
        )
    return table


def _refuse_other_tables(name: str, run: Any) -> None:
    """Tables of p-values or of counts are not results per item."""
    labels = getattr(run, "columns", [getattr(run, "name", None)])
    known = {str(label).lower() for label in labels}
    if known & _PVALUES:
        raise InputError(name, expected=f"results per item, got p-values; {_TEST_RESULTS}")
    if {"tp", "fp", "fn"} <= known:
        raise InputError(
            name,
            expected="Counts, got a table of tp, fp and fn; make it Counts(tp, fp, fn, unit=…), "
            "which says whether a row is a sentence or a fold",
        )
