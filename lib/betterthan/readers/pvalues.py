"""A table of p-values: one row per dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan._words import some_of
from betterthan.errors import InputError
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import plain
from betterthan.readers._table import Column, Table, is_number, table_of
from betterthan.readers._text import PathLike, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_pvalues"]

# What people call the column of p-values.
P_COLUMNS = ("p", "pvalue", "p_value")
_NO_ZERO = "(no test gives exactly 0: write the value before rounding, or 1/(n_resamples + 1))"


def read_pvalues(path: PathLike, separator: str | None = None) -> pd.DataFrame:
    """A table of p-values: one row per dataset, with the columns ``dataset`` and ``p``.

    ``p`` may also be called ``pvalue``, ``p_value`` or ``p-value``. Of two columns the other one
    names the datasets, whatever it is called; so it does beside two columns of scores, which may be
    called as the two systems are, the old one first: ``task, p, old, new``.

    A column ``alternative`` says what a p-value tests: "greater" (one-sided, B is better; A is the
    old system, B the new one) or "two-sided". A two-sided one does not say who won, so it needs
    the scores of both systems, higher being better, in the columns ``a`` and ``b`` (or by their own
    names). Without the column, say it to `betterthan.replicability.analyse`, which takes the frame.

    Parameters
    ----------
    path : str or Path
        The file; remarks that begin with ``#`` may stand above the line of column names.
    separator : str, optional
        What stands between columns.

    Returns
    -------
    DataFrame
        ``dataset``, ``p`` and, where they are there, ``a``, ``b`` and ``alternative``.

    Raises
    ------
    InputError
        For a column that is missing or not known, a line with too few or too many columns, a
        p-value that is not above 0 and at most 1, a two-sided one without scores, a dataset that
        comes twice, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> read_pvalues(example("pvalues")).head(2)
      dataset     p     a     b alternative
    0    blog  0.21  76.6  77.2     greater
    1    chat  0.61  67.1  66.9     greater
    """
    return read_sources([Source(path)], separator=separator)


def read_sources(sources: Sequence[Source], separator: str | None = None) -> pd.DataFrame:
    """The same, of a file that is open already."""
    import pandas as pd

    if len(sources) > 1:
        raise InputError("paths", sources[1].path, expected="one table of p-values")
    table = table_of(sources[0], separator)
    of_p, called, scores = _p_columns(table), _names_of_datasets(table), _scores(table) or ()
    side = _by_plain(table).get("alternative")
    used = {*of_p, called, *scores, side} - {None}
    if len(of_p) != 1 or called is None or used != table.columns.keys():
        found = some_of(list(table.columns), 12)
        expected = (
            "the columns dataset, p and, if wanted, a with b (the scores of both systems, or "
        )
        expected += "two columns by their names), and alternative"
        raise table.fault(expected=f"{expected}; found {found}")
    frame: dict[str, Any] = {"dataset": _distinct(table, called)}
    frame["p"] = _pvalues(table, of_p[0])
    for name, column in zip(("a", "b"), scores):
        table.filled(column)
        frame[name] = tables.scores(table, column, wrong=False)
    if side is not None:
        frame["alternative"] = _sides(table, side, bool(scores))
    return pd.DataFrame(frame)


def systems_of(source: Source, separator: str | None = None) -> tuple[str, str] | None:
    """What the two columns of scores are called, A first; None without them, and for a and b."""
    names = _scores(table_of(source, separator))
    return names if names and [plain(name) for name in names] != ["a", "b"] else None


def _by_plain(table: Table) -> dict[str, str]:
    return {plain(name): name for name in table.columns}


def _p_columns(table: Table) -> list[str]:
    return [name for name in table.columns if plain(name) in P_COLUMNS]


def _scores(table: Table) -> tuple[str, str] | None:
    """The scores of both systems: a and b, or the only two columns of numbers beside p-values."""
    by_plain = _by_plain(table)
    if "a" in by_plain or "b" in by_plain:
        return (by_plain["a"], by_plain["b"]) if {"a", "b"} <= by_plain.keys() else None
    known = {*P_COLUMNS, "dataset", "alternative"}
    found = [name for name in table.columns if plain(name) not in known and table[name].is_number]
    if len(found) != 2:
        return None
    sizes = [float(np.nanmax(np.abs(table[name].numbers))) for name in found]
    return (found[0], found[1]) if max(sizes) < 10 * min(sizes) else None


def _names_of_datasets(table: Table) -> str | None:
    """The column that names the datasets: by name, or the only one beside p-values and scores."""
    by_plain, of_p = _by_plain(table), _p_columns(table)
    if not of_p or "dataset" in by_plain:
        return by_plain.get("dataset") if of_p else None
    known = {*of_p, by_plain.get("alternative")}
    others = [name for name in table.columns if name not in known]
    if len(others) == 3 and _may_be_pvalues(table[of_p[0]]):
        scores = _scores(table) or ()
        others = [name for name in others if name not in scores]
    if len(others) != 1:
        return None
    column = table[others[0]]
    return others[0] if column.is_text and column.is_distinct else None


def _may_be_pvalues(column: Column) -> bool:
    """Whether its numbers are chances, and not right and wrong alone."""
    if not column.is_number or column.distinct <= {"0", "1"}:
        return False
    return bool(np.nanmin(column.numbers) >= 0 and np.nanmax(column.numbers) <= 1)


def _distinct(table: Table, name: str) -> list[str]:
    cells = list(table.filled(name))
    first: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if first.setdefault(cell, row) != row:
            text = f"comes twice, first in line {table.line(first[cell])}"
            raise table.fault_at(row, name, problem=text)
    return cells


def _pvalues(table: Table, name: str) -> Any:
    for row, cell in enumerate(table.filled(name)):
        bound = cell.removeprefix("<").lstrip("= ")
        if cell.startswith("<") and is_number(bound):
            expected = f"a number (write {bound}, which it cannot be above: a safe choice)"
            raise table.fault_at(row, name, expected=expected)
    values = tables.scores(table, name, wrong=False)
    for row, value in enumerate(values):
        if not 0 < value <= 1:
            expected = f"a number above 0 and at most 1 {_NO_ZERO}"
            raise table.fault_at(row, name, expected=expected)
    return values


def _sides(table: Table, name: str, with_scores: bool) -> list[str]:
    cells = list(table[name].cells)
    allowed = ("greater", "two-sided") if with_scores else ("greater",)
    for row, cell in enumerate(cells):
        if cell not in allowed:
            expected = "greater (B is better), or, with the scores a and b, two-sided"
            raise table.fault_at(row, name, expected=expected)
    return cells


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if not tables.is_table(sources[0], asked):
        return False
    table = table_of(sources[0], asked.get("separator"))
    # Who says which columns are systems has items there, and calls one of the systems p.
    said = asked.get("systems") or asked.get("ignore")
    if said and _scores(table) and "dataset" not in _by_plain(table):
        return False
    return _names_of_datasets(table) is not None


FORMAT = Format(
    kind="pvalues",
    holds="a table of p-values",
    you_have="a table of p-values, one per dataset",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"separator"}),
    questions=("datasets",),
    example=("pvalues.csv",),
    reader="read_pvalues",
    then="`replicability.analyse`: on how many, and on which",
    gives="p-values",
    compared_by=frozenset(),
)
