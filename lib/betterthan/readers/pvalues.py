"""A table of p-values: one row per dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from betterthan._words import some_of
from betterthan.errors import InputError
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import plain
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_pvalues"]

# What people call the column of p-values.
P_COLUMNS = ("p", "pvalue", "p_value")
_KNOWN = ("dataset", "p", "a", "b", "alternative")
_NO_ZERO = "(no test gives exactly 0: write the value before rounding, or 1/(n_resamples + 1))"


def read_pvalues(path: PathLike, separator: str | None = None) -> pd.DataFrame:
    """A table of p-values: one row per dataset, with the columns ``dataset`` and ``p``.

    ``p`` may also be called ``pvalue``, ``p_value`` or ``p-value``. Of two columns the other one
    names the datasets, whatever it is called.

    A column ``alternative`` says what a p-value tests: "greater" (one-sided, B is better; A is the
    old system, B the new one) or "two-sided". A two-sided one does not say who won, so it needs
    the scores of both systems, higher being better, in the columns ``a`` and ``b``. Without the
    column, say it to `betterthan.replicability.analyse`, which takes the frame.

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
    named = {("p" if plain(name) in P_COLUMNS else plain(name)): name for name in table.columns}
    called = _names_of_datasets(table)
    if called is not None:
        named = {("dataset" if name == called else key): name for key, name in named.items()}
    twice = len(named) < len(table.columns)
    half = len({"a", "b"} & named.keys()) == 1
    if twice or half or not {"dataset", "p"} <= named.keys() <= set(_KNOWN):
        found = some_of(list(table.columns), 12)
        expected = "the columns dataset, p and, if wanted, a with b, and alternative"
        raise table.fault(expected=f"{expected}; found {found}")
    frame: dict[str, Any] = {"dataset": _distinct(table, named["dataset"])}
    frame["p"] = _pvalues(table, named["p"])
    for name in ("a", "b"):
        if name in named:
            table.filled(named[name])
            frame[name] = tables.scores(table, named[name], wrong=False)
    if "alternative" in named:
        frame["alternative"] = _sides(table, named["alternative"], "a" in named)
    return pd.DataFrame(frame)


def _names_of_datasets(table: Table) -> str | None:
    """The column that names the datasets: by its name, or the only one beside p-values."""
    by_plain = {plain(name): name for name in table.columns}
    others = [name for name in table.columns if plain(name) not in P_COLUMNS]
    if len(others) == len(table.columns):
        return None
    if "dataset" in by_plain or len(others) != 1:
        return by_plain.get("dataset")
    column = table[others[0]]
    return others[0] if column.is_text and column.is_distinct else None


def _distinct(table: Table, name: str) -> list[str]:
    cells = list(table.filled(name))
    first: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if first.setdefault(cell, row) != row:
            text = f"comes twice, first in line {table.line(first[cell])}"
            raise table.fault_at(row, name, problem=text)
    return cells


def _pvalues(table: Table, name: str) -> Any:
    table.filled(name)
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
