"""Candidates for a ranking: one row each, right or not, one score per system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from betterthan.errors import InputError, Say
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import plain, refuse_groups_of_one
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source, as_score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_candidates"]

_HITS = {"0": 0, "0.0": 0, "false": 0, "no": 0, "1": 1, "1.0": 1, "true": 1, "yes": 1}


def read_candidates(
    path: PathLike,
    gold: str = "gold",
    scores: Sequence[str] | None = None,
    separator: str | None = None,
    groups: str | None = None,
) -> pd.DataFrame:
    """A table of candidates for a ranking: one row each, right or not, one score per system.

    Parameters
    ----------
    path : str or Path
        The file; its first line names the columns.
    gold : str
        The column that says whether the candidate is right, 1 or 0 (or true, false).
    scores : list of str, optional
        The columns of scores, larger is better. The default None takes every column whose first
        value is a number; the others are kept as text.
    separator : str, optional
        What stands between columns.
    groups : str, optional
        The column that says what a candidate belongs to (line, document, query): kept as text,
        even if its values are numbers. Give it to `ranking.compare(groups=…)`.

    Returns
    -------
    DataFrame
        The columns of the file: `gold` as 0 and 1, scores as floats (``inf`` and ``-inf`` are
        allowed), others as text.

    Raises
    ------
    InputError
        For a column that is not there, no column of scores, a value that cannot be used, a line
        with too few or too many columns, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> read_candidates(example("candidates")).head(2)
        candidate  gold    old    new
    0  break fire     0 -0.220  0.244
    1   catch map     1  1.315  2.496
    """
    return read_sources([Source(path)], gold, scores, separator, groups)


def read_sources(
    sources: Sequence[Source],
    gold: str = "gold",
    systems: Sequence[str] | None = None,
    separator: str | None = None,
    groups: str | None = None,
) -> pd.DataFrame:
    """The same, of a file that is open already."""
    import pandas as pd

    if len(sources) > 1:
        raise InputError("paths", sources[1].path, expected="one table of candidates")
    table = table_of(sources[0], separator)
    table.need("gold", gold)
    if groups is not None:
        table.need("groups", groups)
        refuse_groups_of_one(table, table[groups])
        _refuse_blank(table, groups)
    systems = _score_columns(table, gold, systems, groups)
    frame: dict[str, Any] = {name: list(column.cells) for name, column in table.columns.items()}
    frame[gold] = _parsed(table, gold, lambda cell: _HITS.get(cell.lower()), "0 or 1")
    for name in systems:
        frame[name] = _parsed(table, name, as_score, "a number")
    return pd.DataFrame(frame)


def _refuse_blank(table: Table, groups: str) -> None:
    """A candidate that belongs to nothing cannot be swapped with anything."""
    for row, cell in enumerate(table[groups].cells):
        if not cell.strip():
            raise table.fault_at(row, groups, expected="what the candidate belongs to")


def _score_columns(table: Table, gold: str, asked: Any, groups: str | None) -> list[str]:
    """The columns asked for, or those whose first value is a number."""
    if asked:
        listed = [asked] if isinstance(asked, str) or not isinstance(asked, Iterable) else asked
        table.need("scores", *listed)
        return list(listed)
    taken = (gold, groups)
    first = {name: column.cells[0] for name, column in table.columns.items() if name not in taken}
    found = [name for name, cell in first.items() if as_score(cell) is not None]
    if not found:
        text = f"a column of scores beside {gold!r:.60}"
        raise table.fault(expected=text, ways=[Say("scores")])
    return found


def _parsed(table: Table, name: str, parse: Any, expected: str) -> list[Any]:
    found = [parse(cell) for cell in table[name].cells]
    for row, value in enumerate(found):
        if value is None:
            raise table.fault_at(row, name, expected=expected)
    return found


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    """A column `candidate`, a gold column of 0 and 1, and scores that are no labels."""
    if not tables.is_table(sources[0], asked):
        return False
    table = table_of(sources[0], asked.get("separator"))
    by_plain = {plain(name): name for name in table.columns}
    gold = asked.get("gold") or by_plain.get("gold")
    if "candidate" not in by_plain or gold is None or gold not in table:
        return False
    return {cell.lower() for cell in table[gold].distinct} <= set(_HITS)


FORMAT = Format(
    kind="candidates",
    holds="ranked candidates",
    you_have="a table of ranked candidates (a column `candidate`), some of them hits",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"gold", "groups", "systems", "separator"}),
    questions=("compare",),
    example=("candidates.csv",),
    reader="read_candidates",
    then="`ranking.compare`: at which n is B better",
    gives="candidates",
    compared_by=frozenset(),
)
