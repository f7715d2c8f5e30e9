"""Rows of several files, one per system: are those that will be paired the same items?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from betterthan.errors import Say
from betterthan.readers._roles import NAMELESS, Roles, comes_twice, is_id, plain
from betterthan.readers._table import Column, Table
from betterthan.results import Results

_BY_ROWS = "if row k of one file belongs to row k of the other, or nothing is to be paired"

# Of so many values in common a column says the same of items in all files.
_NEARLY = 0.9


@dataclass(frozen=True)
class Side:
    """What one file gives to a comparison: its rows, what its columns are, and its system."""

    table: Table
    roles: Roles
    results: Results

    def column(self, name: str) -> Column:
        """A column with one cell per item."""
        return Column(name, self.results.columns[name].tolist())


def refuse_wrong_pairs(sides: Sequence[Side]) -> None:
    """Refuse numbers of rows that repeat, and ids that other columns contradict.

    Parameters
    ----------
    sides : sequence of Side
        One per file.

    Raises
    ------
    InputError
        With the item, and what to say.
    """
    if any(side.results.ids is None for side in sides):
        _refuse_rows_twice(sides)
    else:
        _refuse_other_cells(sides)


def _refuse_rows_twice(sides: Sequence[Side]) -> None:
    """Without ids rows are paired as they stand; numbers of rows that repeat may say otherwise."""
    for side in sides:
        repeated = numbers_twice(side.table, side.roles)
        if repeated is not None:
            ways = [Say("key", one, "if it names the items") for one in _told_apart(sides)]
            ways.append(Say("ignore", repeated, _BY_ROWS))
            raise comes_twice(side.table, repeated, ways)


def numbers_twice(table: Table, roles: Roles) -> str | None:
    """The column called like names or numbers of items, where it repeats and so names none."""
    if roles.key is not None:
        return None
    found = [name for name in roles.extra if is_id(name)]
    return next((name for name in found if table[name].again is not None), None)


def _told_apart(sides: Sequence[Side], share: float = 1.0) -> list[str]:
    """The columns with other cells for each item, and this share of the same ones in all files."""
    first, *others = sides
    names = [name for name in first.roles.extra if all(name in one.roles.extra for one in others)]
    columns = {name: [side.column(name) for side in sides] for name in names}
    return [name for name, own in columns.items() if _are_alike(own, share)]


def _are_alike(columns: Sequence[Column], share: float) -> bool:
    if not all(column.is_distinct for column in columns):
        return False
    common = set.intersection(*(column.distinct for column in columns))
    return len(common) >= share * max(map(len, columns))


def _refuse_other_cells(sides: Sequence[Side]) -> None:
    """What tells items apart in all files goes with the same id in each of them."""
    for name in _told_apart(sides, _NEARLY):
        columns = [side.column(name) for side in sides]
        if plain(name) in NAMELESS or all(column.counts_rows for column in columns):
            continue  # the numbers that rows have in each file
        known = dict(zip(_ids(sides[0]), columns[0].cells))
        for side, column in zip(sides[1:], columns[1:]):
            for item, cell in zip(_ids(side), column.cells):
                if known.get(item, cell) != cell and cell in columns[0].distinct:
                    there = f"{known[item]!r:.40} in {sides[0].table.source.path}"
                    raise side.table.fault_at(
                        side.table[name].cells.index(cell),
                        name,
                        problem=f"the item {item!r:.60} has {there}",
                        expected="the same in all files, which have the same values, or nearly, "
                        "in another order (were rows numbered anew?)",
                        ways=[
                            Say("key", name, "if it names the items"),
                            Say("ignore", name, "if it does not matter"),
                        ],
                    )


def _ids(side: Side) -> list[str]:
    assert side.results.ids is not None
    return list(side.results.ids)
