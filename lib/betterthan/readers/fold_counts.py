"""Counts of a cross-validation: true positives, false positives and misses, one row per fold.

What Wang and Li's posteriors (`betterthan.bcv`) and their Bayes test (`betterthan.bayes`) are made
from. What the counts are worth depends on how often the corpus was gone through, which six rows
alone do not say: six folds of a plain cross-validation look like three repetitions of two folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._values import Counted
from betterthan.counts import Counts
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers import tables
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._roles import FOLDS, MODELS, plain
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_fold_counts"]

COUNTS = ("tp", "fp", "fn")
AGAIN = ("repetition", "repeat")
# What no score here is made of.
UNUSED = ("tn",)


def read_fold_counts(
    *paths: PathLike,
    repetitions: int | None = None,
    systems: Sequence[str] = (),
    ignore: Sequence[str] = (),
    separator: str | None = None,
) -> tuple[Results, ...]:
    """A table of counts per fold: columns fold, tp, fp and fn.

    Parameters
    ----------
    *paths : str or Path
        One file per model, the old one first, or one file with a column ``model``.
    repetitions : int, optional
        The m of an m×2 cross-validation: how often the corpus was halved, each half being tested
        once. There are two folds for each. None takes the number of different values of a column
        ``repetition``, and refuses the file where there is none.
    systems : sequence of str
        Which models to take of a column ``model``, in this order.
    ignore : sequence of str
        Columns to leave out.
    separator : str, optional
        What stands between columns.

    Returns
    -------
    tuple of Results
        One per model, with ``unit="fold"``; `betterthan.bcv.posterior` takes one and
        `betterthan.bayes.compare` two.

    Raises
    ------
    InputError
        For no number of repetitions, another number of folds than two for each, counts that are
        no whole numbers, a fold that comes twice, models with other folds or other gold items in
        a fold, or columns of which nobody said what they are; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan import bayes
    >>> from betterthan.readers import example
    >>> old, new = read_fold_counts(example("fold_counts"), repetitions=3)
    >>> print(old)
    6 folds: F1 0.8142
    >>> round(bayes.compare(old, new).p_h1, 3)
    0.968
    """
    sources = [Source(path) for path in paths]
    if not sources:
        raise InputError("paths", expected="at least one file")
    return read_sources(
        sources, repetitions=repetitions, systems=systems, ignore=ignore, separator=separator
    )


@ignoring_more
def read_sources(
    sources: Sequence[Source],
    repetitions: int | None = None,
    systems: Sequence[str] = (),
    ignore: Sequence[str] = (),
    separator: str | None = None,
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    whole = [table_of(one, separator) for one in sources]
    tables.refuse_unknown(whole, ignore)
    parts = [_models(one, systems, [one.called(name) for name in ignore]) for one in whole]
    if len(sources) > 1:
        names = names_of_systems(sources)
        parts = [_called(name, own) for name, own in zip(names, parts)]
    found = [_results(name, table, repetitions) for own in parts for name, table in own.items()]
    for other in found[1:]:
        _refuse_other_folds(whole[0], found[0], other)
    return tuple(found)


def _column(table: Table, names: Sequence[str]) -> str | None:
    """The first column of one of these names."""
    by_plain = {plain(name): name for name in table.columns}
    return next((by_plain[name] for name in names if name in by_plain), None)


def _models(table: Table, systems: Sequence[str], ignore: Sequence[str]) -> dict[str, Table]:
    """The rows of each model; of a file without a column `model` all of them, under no name."""
    known = (*COUNTS, *FOLDS, *MODELS, *AGAIN, *UNUSED)
    for name in table.columns:
        if plain(name) not in known and name not in ignore:
            text = f"the column {name!r:.60}, beside counts of folds"
            raise table.fault(column=name, problem=text, ways=[Say("ignore", name)])
    model = _column(table, MODELS)
    if model is None:
        if systems:
            raise InputError("systems", list(systems), expected="a column model to take them from")
        return {"": table}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(table.filled(model)):
        rows.setdefault(name, []).append(row)
    unknown = [name for name in systems if name not in rows]
    if unknown:
        raise InputError("systems", unknown[0], expected=f"one of {', '.join(rows)}")
    return {name: table.rows(rows[name]) for name in (systems or rows)}


def _called(name: str, parts: dict[str, Table]) -> dict[str, Table]:
    """A file of one model is called as its file; one of several keeps their names."""
    if len(parts) > 1:
        return parts
    (table,) = parts.values()
    return {name: table}


def _results(name: str, table: Table, repetitions: int | None) -> Results:
    counts = {part: _whole_numbers(table, part) for part in COUNTS}
    times, said = _repetitions(table, repetitions)
    if len(table) != 2 * times:
        text = f"{len(table)} folds, and those of a plain cross-validation are not an m×2"
        ways = [Say("repetitions", len(table) // 2, "if it is one")] if len(table) % 2 == 0 else []
        wanted = f"{2 * times} for {times} repetitions of two folds"
        raise table.fault(problem=text, expected=wanted, ways=ways)
    folds = Counts(counts["tp"], counts["fp"], counts["fn"], unit="fold")
    left_out = [f"{column} left out" for column in table.columns if plain(column) in UNUSED]
    return Results(
        Counted((folds,)),
        name=name,
        ids=_fold_names(table),
        unit="fold",
        repetitions=times,
        reading=[f"{len(table)} folds", "tp, fp and fn are counts", said, *left_out],
    )


def _whole_numbers(table: Table, part: str) -> np.ndarray:
    column = _column(table, [part])
    if column is None:
        raise table.fault(problem=f"no column {part}", expected="columns fold, tp, fp, fn")
    found = []
    for row, cell in enumerate(table.filled(column)):
        if not cell.strip().isdecimal():
            raise table.fault_at(row, column, expected="a count: a whole number of at least 0")
        found.append(int(cell))
    return np.array(found)


def _repetitions(table: Table, repetitions: int | None) -> tuple[int, str]:
    """How often the corpus was halved, and who says so."""
    column = _column(table, AGAIN)
    if repetitions is not None:
        times = _checks.whole("repetitions", repetitions)
        return times, f"{times} × 2 cross-validation, as you say"
    if column is not None:
        times = len(set(table.filled(column)))
        return times, f"{times} × 2 cross-validation, by the column {column}"
    ways = [Say("repetitions", max(len(table) // 2, 1), "if it is an m×2 cross-validation")]
    text = f"counts of {len(table)} folds, of which nothing says how often the corpus was halved"
    raise table.fault(problem=text, ways=ways)


def _fold_names(table: Table) -> list[str] | None:
    fold, again = _column(table, FOLDS), _column(table, AGAIN)
    if fold is None:
        return None
    names = list(table.filled(fold))
    if again is not None:
        names = [f"{name} ({which})" for name, which in zip(names, table.filled(again))]
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if first.setdefault(name, row) != row:
            text = f"comes twice, first in line {table.line(first[name])}"
            raise table.fault_at(row, fold, problem=text)
    return names


def _refuse_other_folds(table: Table, first: Results, other: Results) -> None:
    """Models are compared on the same folds, which hold the same gold items."""
    if len(first) != len(other):
        text = f"{first.name}: {len(first)} folds, {other.name}: {len(other)}"
        raise table.fault(problem=text, expected="the same folds of both")
    if first.ids is not None and other.ids is not None:
        missing = [name for name in first.ids if name not in set(other.ids)]
        if missing:
            text = f"fold {missing[0]!r:.60} of {first.name} is not among those of {other.name}"
            raise table.fault(problem=text, expected="the same folds of both")
    gold = [dict(zip(_names(one), _gold(one))) for one in (first, other)]
    for name, items in gold[0].items():
        if gold[1].get(name) != items:
            text = f"fold {name!r:.60} has {items} gold items (tp + fn) for {first.name} and "
            text += f"{gold[1].get(name)} for {other.name}"
            raise table.fault(problem=text, expected="both models tested on the same folds")


def _names(one: Results) -> list[Any]:
    return list(range(1, len(one) + 1)) if one.ids is None else list(one.ids)


def _gold(one: Results) -> list[int]:
    return [int(tp + fn) for tp, _, fn in one.values]


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if asked.get("items") or asked.get("gold") or not tables.is_table(sources[0], asked):
        return False
    table = table_of(sources[0], asked.get("separator"))
    by_plain = {plain(name) for name in table.columns}
    counted = by_plain.issuperset(COUNTS)
    return counted and (bool(by_plain & {*FOLDS}) or asked.get("repetitions") is not None)


FORMAT = Format(
    kind="fold_counts",
    holds="counts of folds",
    you_have="counts of a cross-validation (tp, fp, fn), one row per fold",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"repetitions", "systems", "ignore", "separator"}),
    questions=("score", "compare"),
    example=("fold_counts.csv",),
    reader="read_fold_counts",
    then="`bcv.posterior`, `bayes.compare`",
    compared_by=frozenset({"metric"}),
)
