"""Tables of results: scores, right and wrong, labels beside a gold standard; wide or long.

`_roles` says which column is what; here the columns become `Results`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._metrics import LOWER_IS_BETTER, OF_COUNTS, OF_NUMBERS
from betterthan._values import Labels, Numbers, Values
from betterthan._words import but_for_case, counted, counted_apart, listed, some_of
from betterthan.errors import InputError, Say, ignoring_more, shown_name
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._pairing import Side, numbers_twice, refuse_wrong_pairs
from betterthan.readers._roles import (
    FOLDS,
    MODELS,
    SCORES,
    Asked,
    Roles,
    comes_twice,
    find_roles,
    plain,
    ways_to,
    ways_to_counting,
)
from betterthan.readers._table import (
    SEPARATORS,
    Column,
    Table,
    instead_of,
    is_number,
    is_one_column,
    line_of_names,
    table_of,
)
from betterthan.readers._text import PathLike, Source, separator_of
from betterthan.results import Results, unit_word

__all__ = ["read_table"]

OPTIONS = frozenset(
    {
        "empty",
        "gold",
        "groups",
        "ignore",
        "items",
        "key",
        "positive",
        "runs",
        "separator",
        "systems",
        "where",
    }
)
# Of so many gold classes a label that is never gold is a slip of the pen, not free text.
_FEW_CLASSES = 50


def read_table(
    *paths: PathLike,
    key: str | None = None,
    groups: str | None = None,
    gold: str | None = None,
    systems: Sequence[str] = (),
    ignore: Sequence[str] = (),
    positive: str | None = None,
    runs: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    empty: str | None = None,
    separator: str | None = None,
) -> tuple[Results, ...]:
    """The systems in a table, or in one table per system.

    CSV with comma, semicolon or tab, JSON lines, a JSON list, Excel or parquet; packed by gzip or
    not. One row per item with a column per system, or one row per item and system with a column
    ``model``. What is not said is found by `betterthan.readers._roles`, which also states the rule;
    ``results.reading`` says what was found.

    Parameters
    ----------
    *paths : str or Path
        One file, or one per system, the old one first.
    key : str, optional
        The column that names the items.
    groups : str, optional
        The column that says what items belong to (document, task, author).
    gold : str, optional
        The column with the right labels; then systems are columns of labels.
    systems : sequence of str
        The columns that are systems; in a long table the models. In their order.
    ignore : sequence of str
        Columns to leave out.
    positive : str, optional
        The label whose F1 is asked for.
    runs : sequence of str
        Patterns of columns that are runs of one system: ``["a_seed*", "b_seed*"]``; in a long
        table the column that names the runs.
    where : mapping of str to str, optional
        Take only rows with these values.
    empty : {"wrong", "drop"}, optional
        What to do with blank answers, and with rows that a run of a long table lacks: count them
        wrong, or leave the item out for all systems. The default None refuses them.
    separator : str, optional
        What stands between columns, or its name: "tab", "comma", "semicolon", "bar", "blank".

    Returns
    -------
    tuple of Results
        One per system.

    Raises
    ------
    InputError
        For what cannot be read, and for columns that may be two things; with suggestions.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_table(example("predictions"))
    >>> print(old)
    160 items in 11 groups: accuracy 0.7438
    >>> [one.name for one in read_table(example("scores"))]
    ['old', 'new', 'large']
    """
    if not paths:
        raise InputError("paths", expected="at least one file")
    return read_sources(
        [Source(path) for path in paths],
        key=key,
        groups=groups,
        gold=gold,
        systems=systems,
        ignore=ignore,
        positive=positive,
        runs=runs,
        where=where,
        empty=empty,
        separator=separator,
    )


@ignoring_more
def read_sources(sources: Sequence[Source], **options: Any) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    separator, empty = options.get("separator"), options.get("empty")
    if empty is not None:
        _checks.choice("empty", empty, ("wrong", "drop"))
    asked = asked_of(options)
    whole = [table_of(one, separator) for one in sources]
    refuse_unknown(whole, asked.ignore)
    tables = [chosen_rows(table, asked.of(table)) for table in whole]
    positive = options.get("positive")
    read = [_systems(table, asked.of(table), empty, positive) for table in tables]
    if all(len(own) == 1 for own in read) and len(read) > 1:
        refuse_wrong_pairs(
            [Side(table, one.roles, one.results) for table, [one] in zip(tables, read)]
        )
    if empty == "drop":
        read = _without_blanks(read)
    found = [[one.results for one in own] for own in read]
    named = one_per_file(sources, found) if len(sources) > 1 else _of_one_model(found[0])
    return _noting_blanks(named, read) if empty == "wrong" else named


@ignoring_more
def refuse_column_as_metric(sources: Sequence[Source], metric: Any, **options: Any) -> None:
    """A metric that is the name of a column: says how to have that column compared.

    Asked before anything is read, so that nobody is asked about the column that is not meant.
    """
    if not isinstance(metric, str) or metric in {*OF_COUNTS, *OF_NUMBERS}:
        return
    asked = asked_of(options)
    tables = [table_of(one, options.get("separator")) for one in sources]
    if all(metric in table for table in tables):
        ways = ways_to(tables[0], asked.of(tables[0]), metric, len(tables))
        if ways:
            text = "a column of the table, and no metric"
            raise InputError("metric", metric, problem=text, ways=ways)


def ways_to_second(sources: Sequence[Source], **options: Any) -> list[Say]:
    """What to say where one system was found, and numbers that may be another were left out."""
    if len(sources) > 1 or options.get("systems"):
        return []
    whole = table_of(sources[0], options.get("separator"))
    asked = asked_of(options).of(whole)
    table = chosen_rows(whole, asked)
    return ways_to_counting(table, find_roles(table, asked))


def asked_of(options: Mapping[str, Any]) -> Asked:
    """What the caller says of the columns."""
    where = options.get("where") or {}
    if not isinstance(where, Mapping):
        raise InputError("where", where, expected="a mapping from columns to values")
    return Asked(
        key=_one_name("key", options.get("key")),
        groups=_one_name("groups", options.get("groups")),
        gold=_one_name("gold", options.get("gold")),
        systems=_listed("systems", options.get("systems")),
        ignore=_listed("ignore", options.get("ignore")),
        runs=_listed("runs", options.get("runs")),
        where=tuple((str(name), str(value)) for name, value in where.items()),
    )


def refuse_unknown(tables: Sequence[Table], ignore: Sequence[str]) -> None:
    """A column to ignore need not be in all tables, but in one of them."""
    for name in ignore:
        if not any(table.called(name) in table for table in tables):
            tables[0].need("ignore", name)


def _one_name(argument: str, name: Any) -> str | None:
    if name is not None and not isinstance(name, str):
        raise InputError(argument, name, expected="the name of a column")
    return name


def _listed(argument: str, names: Any) -> tuple[str, ...]:
    if names is not None and not isinstance(names, Iterable):
        raise InputError(argument, names, expected="different names of columns")
    listed = [names] if isinstance(names, str) else list(names or ())
    if not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(argument, names, expected="different names of columns")
    return tuple(listed)


def chosen_rows(table: Table, asked: Asked) -> Table:
    """The rows with the values that were asked for."""
    if not asked.where:
        return table
    rows = list(range(len(table)))
    for name, value in asked.where:
        table.need("where", name)
        cells = table[name].cells
        rows = [row for row in rows if cells[row] == value]
        if not rows:
            shown = some_of(sorted(table[name].distinct), 8)
            expected = f"one of {shown}"
            raise InputError("where", {name: value}, file=table.source.path, expected=expected)
    chosen = table.rows(rows)
    chosen.whole = table
    return chosen


@dataclass(frozen=True)
class _Read:
    """One system as it was read, what the columns are, which answers are blank or missing."""

    results: Results
    roles: Roles
    blank: np.ndarray
    lacks: bool  # whether the file lacks some


def _systems(table: Table, asked: Asked, empty: str | None, positive: str | None) -> list[_Read]:
    """The systems in one table."""
    chosen = dict(asked.where)
    if asked.groups in chosen:
        value = f"{chosen[asked.groups]!r:.60}"
        text = f"all rows chosen have {value} there, so it is one group; leave it out"
        raise InputError("groups", asked.groups, problem=text)
    roles = find_roles(table, asked)
    if positive is not None and roles.gold is None:
        raise InputError(
            "positive", positive, expected="a table with a gold column", ways=[Say("gold")]
        )
    if roles.gold is None:
        table = table.answering(roles.systems)
    if roles.is_long:
        if empty is None:
            _refuse_blank_of_long(table, roles, asked)
        parts = parts_of_long(table, roles, asked, empty)
    else:
        parts = [(name, table, runs) for name, runs in _columns_of_systems(roles)]
    reading = [_rows_read(table), *roles.said(), *_said_of_numbers(table, roles)]
    for name, what in ((roles.model, "systems"), (roles.groups, "groups")):
        reading += [] if name is None else counted_apart(table[name].distinct, what)
    return [_one(*part, roles, empty, positive, reading) for part in parts]


def _rows_read(table: Table) -> str:
    """How many rows of the file are read: an item may have several."""
    rows = counted(len(table.whole), "row")
    return rows if len(table) == len(table.whole) else f"{len(table):,} of {rows}"


def _said_of_numbers(table: Table, roles: Roles) -> list[str]:
    """That the numbers of rows name none, because one comes twice."""
    name = numbers_twice(table, roles)
    if name is None:
        return []
    row, _ = table[name].again or (0, 0)
    return [f"{shown_name(name)} names no items: {table[name].cells[row]:.60} comes twice"]


def _columns_of_systems(roles: Roles) -> list[tuple[str, tuple[str, ...]]]:
    """The name of each system and the columns of its runs."""
    if roles.runs:
        return list(roles.runs.items())
    return [(shown_name(name), (name,)) for name in roles.systems]


def _one(
    name: str,
    table: Table,
    runs: Sequence[str],
    roles: Roles,
    empty: str | None,
    positive: str | None,
    reading: Sequence[str],
) -> _Read:
    """One system of a table with one row per item."""
    blank = np.zeros(len(table), dtype=bool)
    for run in runs:
        column = table[run]
        if column.blanks:
            own = np.array([not cell for cell in column.cells])
            if empty is None:
                row = int(np.flatnonzero(own)[0])
                ways = _ways_of_blanks(table, run, roles)
                raise table.fault_at(row, run, problem="a blank answer", ways=ways)
            blank |= own
    values, notes = _values(table, runs, roles, positive, wrong=empty == "wrong")
    results = Results(
        values,
        name=name,
        ids=_ids(table, roles),
        groups=None if roles.groups is None else table.filled(roles.groups),
        grouped_by=roles.groups or "",
        unit=_unit(roles),
        metric=_metric(table, runs, roles),
        columns={name: table[name].cells for name in _staying(roles)},
        run_names=_run_names(runs, roles),
        notes=[*notes, *_groups_apart(table, roles), *_left_out(table, roles)],
        reading=reading,
    )
    return _Read(results, roles, blank, table.lacks)


def _ways_of_blanks(table: Table, name: str, roles: Roles) -> list[Say]:
    """A blank answer may be left out and, where it is known what wrong is, count so."""
    as_what, possible = "wrong", True
    if roles.gold is None and table[name].is_number:
        values = table[name].numbers
        possible = np.nanmin(values) >= 0 and np.nanmax(values) <= 1
        as_what = "wrong" if np.isin(values[~np.isnan(values)], (0, 1)).all() else "0"
    ways = [Say("empty", "wrong", f"to count it {as_what}"), Say("empty", "drop")]
    return ways if possible else ways[1:]


def _staying(roles: Roles) -> list[str]:
    """The columns that stay with the units by their names; that of the groups, too."""
    return [*roles.extra, *([] if roles.groups is None else [roles.groups])]


def _unit(roles: Roles) -> str:
    """What a row is: as the column that names rows is called. Here a fold is none."""
    if roles.key is None or plain(roles.key) in FOLDS:
        return "item"
    return unit_word(roles.key) or "item"


def _run_names(runs: Sequence[str], roles: Roles) -> list[str]:
    """What tells the columns of runs apart: their names without what they share."""
    if len(runs) < 2:
        return []
    if roles.is_long:
        return [name.removeprefix(f"{roles.systems[0]} ") for name in runs]
    shared = 0
    while all(name[shared : shared + 1] == runs[0][shared : shared + 1] != "" for name in runs):
        shared += 1
    return [name[shared:] or name for name in runs]


def _metric(table: Table, runs: Sequence[str], roles: Roles) -> str | None:
    """Right and wrong in words is an accuracy; the rest is as usual."""
    if roles.gold is None and table[runs[0]].right_wrong:
        return "accuracy"
    return None


def _values(
    table: Table, runs: Sequence[str], roles: Roles, positive: str | None, *, wrong: bool
) -> tuple[Values, list[str]]:
    """What a system's columns hold, and what to say about how they were counted."""
    if roles.gold is not None:
        return _labels(table, runs, roles.gold, positive)
    notes: list[str] = []
    arrays = []
    for run in runs:
        column = table[run]
        if column.right_wrong is not None:
            right, other = column.right_wrong
            arrays.append(np.array([float(cell.lower() == right) for cell in column.cells]))
            notes.append(f"{_as_written(column, right)} counts 1, {_as_written(column, other)} 0.")
        else:
            arrays.append(scores(table, run, wrong=wrong))
    return Numbers(tuple(arrays)), list(dict.fromkeys(notes))


def _as_written(column: Column, word: str) -> str:
    """The word as the file writes it."""
    return next(
        (f"'{cell}'" for cell in sorted(column.distinct) if cell.lower() == word), f"'{word}'"
    )


def scores(table: Table, name: str, *, wrong: bool) -> np.ndarray:
    """A column of numbers; a blank one counts 0 where all are between 0 and 1."""
    if not table[name].is_number:
        cells = table[name].cells
        row = next(i for i, cell in enumerate(cells) if cell and not is_number(cell))
        raise table.fault_at(row, name, expected=instead_of(cells[row], table[name].distinct))
    numbers = table[name].numbers
    huge = np.flatnonzero(np.abs(numbers) >= 1e100)
    if huge.size:
        raise table.fault_at(int(huge[0]), name, expected="a finite number below 1e100")
    blank = np.isnan(numbers)
    if not blank.any():
        return numbers
    known = numbers[~blank]
    if wrong and (known.min() < 0 or known.max() > 1):
        row = int(np.flatnonzero(blank)[0])
        text = "a blank answer has no score between 0 and 1 to count it wrong by"
        raise table.fault_at(row, name, problem=text, ways=[Say("empty", "drop")])
    return np.where(blank, 0.0, numbers)


def _labels(
    table: Table, runs: Sequence[str], gold: str, positive: str | None
) -> tuple[Values, list[str]]:
    """Labels beside the gold standard."""
    right = table.filled(gold)
    known = table[gold].distinct
    if len(known) == 1:
        text = f"the gold column {gold!r:.60} has one value only, {right[0]!r:.40}"
        ways = [Say("gold", when="if it is another column")]
        raise table.fault(problem=text, column=gold, ways=ways)
    for run in runs:
        if not (table[run].distinct & known) - {""}:
            text = f"no value of the column {run!r:.60} is a class such as {right[0]!r:.60}"
            ways = [Say("ignore", run, "if it is no system")]
            raise table.fault(problem=text, column=run, ways=ways)
    classes = sorted(known.union(*(table[run].distinct for run in runs)) - {""})
    if positive is not None and positive not in classes:
        raise InputError("positive", positive, expected=f"one of {some_of(classes, 12)}")
    place = {name: number for number, name in enumerate(classes)} | {"": -1}
    codes = [np.array([place[cell] for cell in table[run].cells]) for run in runs]
    answers = Labels(tuple(classes), np.array([place[c] for c in right]), tuple(codes), positive)
    return answers, _strays(table, runs, known)


def _strays(table: Table, runs: Sequence[str], known: set[str]) -> list[str]:
    """Labels that are predicted but never gold: slips of the pen that cost macro-F1 a class."""
    if len(known) > _FEW_CLASSES:
        return []
    seen: dict[str, int] = {}
    for run in runs:
        for cell in table[run].cells:
            if cell and cell not in known:
                seen[cell] = seen.get(cell, 0) + 1
    never = sorted(seen.items(), key=lambda pair: -pair[1])
    said = [
        f"{label!r:.60} is predicted but never gold ({counted(n, 'item')})."
        for label, n in never[:3]
    ]
    return said + ([f"So are {len(never) - 3} more classes."] if len(never) > 3 else [])


def _ids(table: Table, roles: Roles) -> list[str] | None:
    """The name of each item; each may come once, or once in its group."""
    if roles.key is None:
        return None
    names = list(table.filled(roles.key))
    if table[roles.key].is_distinct or len(set(names)) == len(names):
        return names
    if roles.groups is not None:
        groups = table[roles.groups].cells
        within = [f"{name} ({group})" for name, group in zip(names, groups)]
        if len(set(within)) == len(within):
            return within
    ways = [Say("groups", roles.key, "if it says what items belong to", "key")]
    raise comes_twice(table, roles.key, ways)


def _groups_apart(table: Table, roles: Roles) -> list[str]:
    """Groups that differ only in case count as different ones: were they spelled by hand?"""
    if roles.groups is None:
        return []
    said = counted_apart(table[roles.groups].distinct, "groups")
    return [f"{text[:1].upper()}{text[1:]}." for text in said]


def _left_out(table: Table, roles: Roles) -> list[str]:
    """Where a column that repeats was left out on request, items count as independent."""
    if roles.groups is not None:
        return []
    hung = [name for name in roles.ignored if name in table and table[name].repeats]
    hung = [name for name in hung if table[name].is_text]
    if not hung:
        return []
    return [f"Items count as independent: {some_of([repr(name) for name in hung], 3)} was ignored."]


# --- Long tables ----------------------------------------------------------------------------------


def _refuse_blank_of_long(table: Table, roles: Roles, asked: Asked) -> None:
    """The first blank answer in the file, of a system that is asked for; says whose it is."""
    value = roles.systems[0]
    for row, cell in enumerate(table[value].cells if table[value].blanks else ()):
        model = "" if roles.model is None else table[roles.model].cells[row]
        if cell or (asked.systems and model not in asked.systems):
            continue
        text = f"a blank answer of {_whose(table, roles, row)}"
        raise table.fault_at(row, value, problem=text, ways=_ways_of_blanks(table, value, roles))


def _whose(table: Table, roles: Roles, row: int) -> str:
    """Of which system and run a row of a long table is."""
    model = "" if roles.model is None else table[roles.model].cells[row]
    run = "" if roles.run is None else f"{roles.run} {table[roles.run].cells[row]}"
    return ", ".join(part for part in (model, run) if part)


def parts_of_long(
    table: Table, roles: Roles, asked: Asked, empty: str | None = None
) -> list[tuple[str, Table, tuple[str, ...]]]:
    """One table per system, with a column of results for each run."""
    parts = [
        (model, own, _rows_by_run(own, roles))
        for model, own in _tables_of_models(table, roles, asked)
    ]
    if empty is None:
        _refuse_missing(table, roles, {model: by_run for model, _, by_run in parts})
    value = roles.systems[0]
    found = [(model, *_runs_side_by_side(own, value, by_run)) for model, own, by_run in parts]
    _refuse_two_groups(table, roles, {model for model, _, _ in found})
    return found


# Of each run of a system the row of each item.
_Rows = dict[str, dict[str, int]]


def _rows_by_run(own: Table, roles: Roles) -> _Rows:
    assert roles.key is not None
    labels = [""] * len(own) if roles.run is None else own.filled(roles.run)
    by_run: _Rows = {run: {} for run in sorted(set(labels), key=_in_order)}
    for row, (item, run) in enumerate(zip(own.filled(roles.key), labels)):
        if item in by_run[run]:
            whose = _whose(own, roles, row)
            text = f"comes twice for {whose}, first in line {own.line(by_run[run][item])}"
            expected = "one row per item and system (take one of the two out)"
            ways = _ways_to_runs(own, roles)
            raise own.fault_at(row, roles.key, problem=text, expected=expected, ways=ways)
        by_run[run][item] = row
    return by_run


def _ways_to_runs(own: Table, roles: Roles) -> list[Say]:
    """The columns that tell the rows of an item apart, as runs would, if none is known to."""
    assert roles.key is not None
    items, found = own[roles.key], []
    if roles.run is not None:
        return []
    for name in (*roles.extra, roles.groups, *roles.ignored):
        if name is None or name not in own or not own[name].repeats:
            continue
        every = len(own[name].distinct) * len(items.distinct) == len(own)
        if every and len(set(zip(items.cells, own[name].cells))) == len(own):
            instead_of = "groups" if name == roles.groups else ""
            found.append(Say("runs", name, "if it names runs (seeds, prompts)", instead_of))
    return found or [Say("runs", when="names the column that tells runs apart")]


def _first_rows(by_run: _Rows) -> dict[str, int]:
    """Every item, with its row in the first of the fullest runs, or in the first that has it."""
    found: dict[str, int] = {}
    for rows in (max(by_run.values(), key=len), *by_run.values()):
        for item, row in rows.items():
            found.setdefault(item, row)
    return found


def _refuse_missing(table: Table, roles: Roles, parts: Mapping[str, _Rows]) -> None:
    """A row that one run of a system lacks is like a blank answer."""
    lacking, wanted = [], 0
    for model, by_run in parts.items():
        items = _first_rows(by_run)
        wanted += len(items) * len(by_run)
        for run, rows in by_run.items():
            gone = [item for item in items if item not in rows]
            lacking += [(model, run, gone)] if gone else []
    if lacking:
        model, run, gone = lacking[0]
        text = f"{model} lacks {counted(len(gone), 'row')} of {roles.run} {run}, "
        text += f"such as that of {gone[0]!r:.60}"
        text += but_for_case(gone, [parts[model][run]])
        missing = sum(len(gone) for _, _, gone in lacking)
        if lacking[1:]:
            text += f"; {missing:,} rows are missing in all"
        if 2 * missing > wanted:  # no blanks here and there: each run is of other items
            raise table.fault(problem=text, expected="every item in every run")
        ways = _ways_of_blanks(table, roles.systems[0], roles)
        raise table.fault(problem=text, ways=ways)


def _refuse_two_groups(table: Table, roles: Roles, models: set[str]) -> None:
    """An item belongs to one group, whichever system or run a row is of."""
    if roles.groups is None or roles.key is None:
        return
    names, groups = table[roles.key].cells, table[roles.groups].cells
    own = [""] * len(table) if roles.model is None else table[roles.model].cells
    first: dict[str, int] = {}
    for row, (name, group, model) in enumerate(zip(names, groups, own)):
        if not group or (model and model not in models):
            continue
        other = first.setdefault(name, row)
        if groups[other] != group:
            text = f"{name!r:.60} is in {groups[other]!r:.40} in line {table.line(other)}"
            raise table.fault_at(
                row, roles.groups, problem=text, expected="one group for each item"
            )


def _tables_of_models(table: Table, roles: Roles, asked: Asked) -> list[tuple[str, Table]]:
    """The rows of each system, in the order in which they are asked for or come in the file."""
    if roles.model is None:
        return [(roles.systems[0], table)]
    rows: dict[str, list[int]] = {}
    for row, model in enumerate(table.filled(roles.model)):
        rows.setdefault(model, []).append(row)
    wanted = asked.systems or table.in_order(roles.model)
    return [(model, table.rows(rows[model])) for model in wanted]


def _in_order(name: str) -> tuple[float, str]:
    return (float(name), "") if name.isascii() and name.isdecimal() else (float("inf"), name)


def _runs_side_by_side(own: Table, value: str, by_run: _Rows) -> tuple[Table, tuple[str, ...]]:
    """One row per item, with the results of every run as columns; blank where a row is missing."""
    items = _first_rows(by_run)
    table = own.rows(list(items.values()))
    if len(by_run) == 1:
        return table, (value,)
    names = tuple(f"{value} {run}" for run in by_run)
    for name, rows in zip(names, by_run.values()):
        of_run = own.rows([rows.get(item) for item in items])
        table.columns[name] = Column(name, of_run[value].cells)
        table.elsewhere[name] = (of_run, value)
        table.lacks |= len(rows) < len(items)
    return table, names


# --- One file per system --------------------------------------------------------------------------


def one_per_file(
    sources: Sequence[Source], read: Sequence[Sequence[Results]]
) -> tuple[Results, ...]:
    """The systems of several files, each of which holds one; they are called as the files are."""
    for source, own in zip(sources, read):
        if len(own) > 1:
            names = [one.name for one in own]
            text = f"found {len(own)} systems, {some_of(names)}, in one of {len(sources)} files"
            ways = [Say("systems", names[0]), Say("ignore", names[1:])]
            raise source.fault(problem=text, expected="one system per file", ways=ways)
    names = names_of_systems(sources)
    if len(set(names)) < len(names):
        raise InputError("paths", names[0], problem="comes twice", expected="different files")
    found = [_measured(name, own) for name, [own] in zip(names, read)]
    models = [_constant_model(own) or name for name, own in zip(names, found)]
    if len(set(models)) == len(models):  # two files of one model differ in something else
        names = models
    return tuple(own.named(name) for name, own in zip(names, found))


def _of_one_model(read: Sequence[Results]) -> tuple[Results, ...]:
    """The systems of a file; a single one is called as the column that names models calls it."""
    model = _constant_model(read[0]) if len(read) == 1 else None
    return tuple(read) if model is None else (_measured(model, read[0]).named(model),)


def _measured(file: str, results: Results) -> Results:
    """Its column says what was measured, if that means anything."""
    column = results.name
    says_nothing = plain(column) in SCORES or plain(column) == plain(file)
    if says_nothing or not isinstance(results.held, Numbers):
        return results
    return results.measuring(column, lower=plain(column) in LOWER_IS_BETTER)


def _constant_model(results: Results) -> str | None:
    """What a column `model` calls the system, where it says the same in every row."""
    for name, cells in results.columns.items():
        if plain(name) in MODELS and len(set(cells)) == 1 and cells[0]:
            return str(cells[0])
    return None


def _noting_blanks(
    named: Sequence[Results], read: Sequence[Sequence[_Read]]
) -> tuple[Results, ...]:
    """The systems as they are called now, each with how many of its blank answers count nothing."""
    found = []
    for results, one in zip(named, (one for own in read for one in own)):
        if one.blank.any():
            held = results.held
            graded = isinstance(held, Numbers) and not np.isin(held.runs, (0, 1)).all()
            what = counted(int(one.blank.sum()), f"{_which(one.lacks)} answer")
            note = f"{what} of {results.name} counted {'0' if graded else 'wrong'}."
            results = results.noting(note)
        found.append(results)
    return tuple(found)


def _which(lacks: bool) -> str:
    return "blank or missing" if lacks else "blank"


def _without_blanks(read: list[list[_Read]]) -> list[list[_Read]]:
    """All systems without the items that any of them left blank."""
    everyone = [one for own in read for one in own]
    if not any(one.blank.any() for one in everyone):
        return read
    if all(one.results.ids is not None for one in everyone):
        gone = {name for one in everyone for name in _ids_of(one.results)[one.blank]}
        kept = [np.array([name not in gone for name in _ids_of(one.results)]) for one in everyone]
    else:
        _refuse_lengths(everyone)
        blank = np.logical_or.reduce([one.blank for one in everyone])
        gone = set(np.flatnonzero(blank).tolist())
        kept = [~blank for _ in everyone]
    which = _which(any(one.lacks for one in everyone))
    note = f"{counted(len(gone), 'item')} with a {which} answer left out."
    rows = iter(kept)
    return [[_kept(one, next(rows), note) for one in own] for own in read]


def _refuse_lengths(read: Sequence[_Read]) -> None:
    lengths = {len(one.results) for one in read}
    if len(lengths) > 1:
        shown = ", ".join(f"{listed(one.results.name)} {len(one.results):,}" for one in read)
        text = f"blank answers cannot be left out where rows have no ids: {shown} rows"
        raise InputError("empty", "drop", problem=text, ways=[Say("key")])


def _kept(one: _Read, rows: np.ndarray, note: str) -> _Read:
    return replace(one, results=one.results[rows].noting(note), blank=one.blank[rows])


def _ids_of(results: Results) -> np.ndarray:
    assert results.ids is not None
    return results.ids


# --- Formats --------------------------------------------------------------------------------------


def _is_scores(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    return is_table(sources[0], asked)


def is_table(source: Source, asked: Mapping[str, Any]) -> bool:
    """Whether a file is a table at all, with the separator that was said, if one was."""
    if source.folder is not None:
        return False
    if source.data[:4] in (b"PAR1", b"PK\x03\x04"):
        return True
    if source.head.lstrip()[:1] in ("{", "["):
        return True
    said = separator_of(asked.get("separator"))
    marks = SEPARATORS if said is None else (*SEPARATORS, str(said))
    return any(mark in line_of_names(source.head) for mark in marks) or is_one_column(source.head)


FORMAT = Format(
    kind="table",
    holds="a table",
    you_have="a table (CSV, TSV, JSON lines, Excel, parquet) of scores, of right and wrong, or of "
    "labels beside a gold column; one column per system, one file per system, or one row per item "
    "and model",
    recognises=_is_scores,
    read=read_sources,
    options=OPTIONS,
    questions=("score", "compare", "datasets", "plan"),
    example=("scores.csv",),
    reader="read_table",
    then="`compare`, `compare_many`, `compare_each`",
)
