"""Metrics as functions of column sums.

Every metric here is computed from sums over units (tp, fp and fn; values and their number), so
that leaving units out is a subtraction and a random half is a sum. `MetricOfSums` is such a
function with its name; `metric_of` finds the one that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan.errors import InputError

# What can be asked of counts, of labels and of numbers.
OF_COUNTS = ("f1", "precision", "recall", "macro_f1", "accuracy")
OF_NUMBERS = ("mean", "accuracy")
# What sentences call a metric.
WORDS = {"f1": "F1", "macro_f1": "macro-F1", "balanced_f": "balanced F", "<lambda>": "the metric"}
# Quantities of which less is better, by the names that evaluation tools give them.
LOWER_IS_BETTER = frozenset(
    {
        "bits_per_byte",
        "brier",
        "brier_score",
        "byte_perplexity",
        "cer",
        "loss",
        "mae",
        "mse",
        "nll",
        "perplexity",
        "rmse",
        "ter",
        "wer",
        "word_perplexity",
    }
)

Rows = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class MetricOfSums:
    """A metric of rows of column sums, with what is known about it.

    Attributes
    ----------
    name : str
        As it is asked for.
    of_rows : callable
        Takes rows of column sums (rows × columns) and gives one number per row.
    higher_is_better : bool
        False for errors, penalties, seconds.
    bounded : bool
        Whether it lies between 0 and 1.
    label : str
        What sentences call it, where that is not its name.
    notes : tuple of str
        What a result should say about it.
    """

    name: str
    of_rows: Rows
    higher_is_better: bool = True
    bounded: bool = False
    label: str = ""
    notes: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """What sentences call it."""
        return self.label or WORDS.get(self.name, self.name.replace("_", " "))

    def __call__(self, sums: Any) -> Any:
        """The metric of one row of column sums, or of each of several rows."""
        array = np.asarray(sums, dtype=float)
        return self.of_rows(array) if array.ndim == 2 else float(self.of_rows(array[None])[0])


def divided(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """`part` over `whole`; NaN where there is nothing to divide by."""
    # Taking a group off again may leave a rounding error where there is nothing.
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 1e-9)


def _mean(sums: np.ndarray) -> np.ndarray:
    return divided(sums[:, 0], sums[:, 1])


def _precision(sums: np.ndarray) -> np.ndarray:
    return divided(sums[:, 0], sums[:, 0] + sums[:, 1])


def _recall(sums: np.ndarray) -> np.ndarray:
    return divided(sums[:, 0], sums[:, 0] + sums[:, 2])


def _f1(sums: np.ndarray) -> np.ndarray:
    return divided(2 * sums[:, 0], 2 * sums[:, 0] + sums[:, 1] + sums[:, 2])


def _macro_f1(sums: np.ndarray) -> np.ndarray:
    tp, fp, fn = np.split(sums, 3, axis=1)
    whole = 2 * tp + fp + fn
    seen = whole > 1e-9
    each = np.divide(2 * tp, whole, out=np.zeros_like(whole), where=seen)
    return divided(each.sum(axis=1), seen.sum(axis=1))


_COUNTED = {
    "f1": MetricOfSums("f1", _f1, bounded=True),
    "precision": MetricOfSums("precision", _precision, bounded=True),
    "recall": MetricOfSums("recall", _recall, bounded=True),
    "macro_f1": MetricOfSums("macro_f1", _macro_f1, bounded=True),
    # With one label per item every wrong one is both invented and missed: recall is accuracy.
    "accuracy": MetricOfSums("accuracy", _recall, bounded=True),
}
_NUMBERED = {
    "mean": MetricOfSums("mean", _mean),
    "accuracy": MetricOfSums("accuracy", _mean, bounded=True),
}


def metric_of(metric: Any, *, counted: bool) -> MetricOfSums:
    """The metric by its name, or a function of column sums as one.

    Parameters
    ----------
    metric : str, MetricOfSums or callable
        What is asked for.
    counted : bool
        Whether the columns are tp, fp and fn (of each class).

    Returns
    -------
    MetricOfSums

    Raises
    ------
    InputError
        For a name that such columns do not have.
    """
    if isinstance(metric, MetricOfSums):
        return metric
    if callable(metric):
        return _from_function(metric)
    known = _COUNTED if counted else _NUMBERED
    return known[_checks.choice("metric", metric, tuple(known))]


def _from_function(function: Callable[[np.ndarray], Any]) -> MetricOfSums:
    def of_rows(sums: np.ndarray) -> np.ndarray:
        return np.array([_one_number(function, row) for row in sums])

    return MetricOfSums(getattr(function, "__name__", "metric"), of_rows)


def _one_number(function: Callable[[np.ndarray], Any], row: np.ndarray) -> float:
    value = np.asarray(function(row), dtype=float)
    if value.ndim:
        raise InputError("metric", expected=f"one number for the column sums, got {value!r:.60}")
    return float(value)


def unit_weights(metric: MetricOfSums, table: np.ndarray, *, counted: bool) -> np.ndarray:
    """How much each unit weighs in the metric: its part of the denominator."""
    if not counted or metric.name not in OF_COUNTS:
        return np.ones(len(table))
    tp, fp, fn = (part.sum(axis=1) for part in np.split(table, 3, axis=1))
    if metric.name == "precision":
        return tp + fp
    if metric.name in ("recall", "accuracy"):
        return tp + fn
    return 2 * tp + fp + fn
