"""Scores of a cross-validation: one row per fold, one column (or file) per system.

Folds are not items: they share what they were trained on. A table that may hold folds therefore
asks: what share of the corpus is a fold, or are the rows items?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan._words import some_of
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import FOLDS, NAMELESS, Asked, Roles, find_roles, is_id, plain
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_folds"]

SIZES = ("train", "test")
# So few rows without ids may be folds.
FEW_ROWS = 10


def read_folds(
    *paths: PathLike, test_share: float | None = None, separator: str | None = None
) -> tuple[Results, ...]:
    """A table of a cross-validation: one row per fold, one column per system, or file.

    Such as scikit-learn's ``cross_validate(…)["test_score"]`` of each model, with the same folds.

    Parameters
    ----------
    *paths : str or Path
        One file, or one per system: a column of scores per system, and, if wanted, ``fold``, and
        ``train`` and ``test``, the number of items that a fold was trained and tested on.
    test_share : float, optional
        How much of the corpus a fold is tested on; None takes it from ``train`` and ``test``.
    separator : str, optional
        What stands between columns.

    Returns
    -------
    tuple of Results
        One per system, with ``unit="fold"``; `betterthan.compare_folds` takes two.

    Raises
    ------
    InputError
        For no share of the test set, no system, a score that is no finite number, sizes that are
        not positive, a fold that comes twice, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_folds(example("folds"))
    >>> print(old)
    10 folds: mean 0.8070
    >>> old.test_share
    0.1
    """
    sources = [Source(path) for path in paths]
    if not sources:
        raise InputError("paths", expected="at least one file")
    return read_sources(sources, test_share=test_share, separator=separator)


@ignoring_more
def read_sources(
    sources: Sequence[Source],
    test_share: float | None = None,
    separator: str | None = None,
    systems: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    whole = [table_of(one, separator) for one in sources]
    tables.refuse_unknown(whole, ignore)
    parts = [_systems(table, test_share, systems, ignore) for table in whole]
    if len(sources) == 1:
        return tuple(parts[0])
    return tables.one_per_file(sources, parts)


def _systems(
    table: Table, test_share: float | None, systems: Sequence[str], ignore: Sequence[str]
) -> list[Results]:
    share = _share(table) if test_share is None else test_share
    asked = asked_of(table, systems, ignore)
    roles = find_roles(table, asked)
    share = _asked_share(table, roles, share)
    if not roles.is_long:
        return [_one(name, table, name, roles, share) for name in roles.systems]
    parts = tables.parts_of_long(table, roles, asked, "drop")
    if any(len(runs) > 1 for _, _, runs in parts):
        text = f"several runs of a fold, by {roles.run!r:.60}"
        raise table.fault(problem=text, expected="one score per fold and system")
    return [_one(name, part, runs[0], roles, share) for name, part, runs in parts]


def asked_of(table: Table, systems: Sequence[str] = (), ignore: Sequence[str] = ()) -> Asked:
    """What is known of a table of folds before its columns are looked at."""
    by_plain = _by_plain(table)
    scikit = [by_plain["test_score"]] if "test_score" in by_plain else []
    fold = next((by_plain[name] for name in FOLDS if name in by_plain), None)
    left_out = dict.fromkeys([*ignore, *_sizes(table)])
    return Asked(key=fold, systems=tuple(systems or scikit), ignore=tuple(left_out)).of(table)


def _by_plain(table: Table) -> dict[str, str]:
    return {plain(name): name for name in table.columns}


def _sizes(table: Table) -> list[str]:
    by_plain = _by_plain(table)
    return [by_plain[name] for name in SIZES if name in by_plain]


def _one(name: str, table: Table, column: str, roles: Roles, share: float) -> Results:
    return Results(
        table_scores(table, column),
        name=name,
        ids=_fold_names(table, roles.key),
        unit="fold",
        test_share=share,
        reading=[f"{len(table)} folds", *roles.said(), f"test share {share:g}"],
    )


def _fold_names(table: Table, key: str | None) -> Sequence[str] | None:
    """What the folds are called; each comes once, or once in its repetition."""
    if key is None:
        return None
    names = table.filled(key)
    again = next((name for name in table.columns if plain(name) == "repetition"), None)
    if again is not None:
        names = [f"{name} ({which})" for name, which in zip(names, table.filled(again))]
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if first.setdefault(name, row) != row:
            text = f"comes twice, first in line {table.line(first[name])}"
            ways = [Say("ignore", key, "if rows need no names")]
            raise table.fault_at(row, key, problem=text, ways=ways)
    return names


def table_scores(table: Table, name: str) -> Any:
    """The scores of a system, none of them blank."""
    table.filled(name)
    return tables.scores(table, name, wrong=False)


def _share(table: Table) -> float | None:
    """The share of the test set, from the columns train and test."""
    sizes = _sizes(table)
    if len(sizes) == 1:
        text = f"{sizes[0]!r} without the other"
        raise table.fault(problem=text, expected="train with test, or neither")
    if not sizes:
        return None
    for name in sizes:
        for row, number in enumerate(table_scores(table, name)):
            if number <= 0:
                raise table.fault_at(row, name, expected="a number above 0")
    train, test = (float(table[name].numbers.sum()) for name in sizes)
    return test / (train + test)


def _asked_share(table: Table, roles: Roles, share: float | None) -> float:
    if share is not None:
        return share
    names = some_of(list(roles.systems))
    text = f"{names} on {len(table)} rows that may be folds of a cross-validation"
    ways = [
        Say("test_share", 0.1, "for folds that are a tenth of the corpus"),
        Say("items", True, "if rows are items of a test set"),
    ]
    raise table.fault(problem=text, ways=ways)


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if asked.get("items") or asked.get("gold") or not tables.is_table(sources[0], asked):
        return False
    if asked.get("test_share") is not None:
        return True
    table = table_of(sources[0], asked.get("separator"))
    return is_of_folds(table, asked)


def is_of_folds(table: Table, asked: Mapping[str, Any]) -> bool:
    """Whether rows may be folds: by a column's name, or because they are few and nameless."""
    by_plain = _by_plain(table)
    if "test_score" in by_plain:
        return True
    fold = next((by_plain[name] for name in FOLDS if name in by_plain), None)
    if fold is not None and (table[fold].is_distinct or table[fold].is_whole):
        return table[fold].is_distinct or not _names_items(table)
    if len(table) > FEW_ROWS:
        return False
    roles = find_roles(table, tables.asked_of(asked).of(table))
    nameless = roles.key is None and roles.groups is None and roles.model is None
    return nameless and roles.gold is None and table[roles.systems[0]].answers.is_number


def _names_items(table: Table) -> bool:
    """Whether a column names the rows, which then are items, each with its fold."""
    ids = [name for name in table.columns if is_id(name) and plain(name) not in NAMELESS]
    return any(table[name].is_distinct for name in ids)


FORMAT = Format(
    kind="folds",
    holds="scores of folds",
    you_have="scores of a cross-validation, one row per fold (scikit-learn)",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"test_share", "separator", "systems", "ignore"}),
    questions=("compare", "plan"),
    example=("folds.csv",),
    reader="read_folds",
    then="`compare_folds`: the corrected resampled t-test",
    compared_by=frozenset(),
)
