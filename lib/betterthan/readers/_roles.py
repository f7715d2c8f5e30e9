"""Which column plays which role: one written rule, for the library, the command line and the page.

The rule, in order (tests/contract/ holds cases of it; a new rule begins with a case):

1. What the caller says: key, groups, gold, systems, ignore, runs, where.
2. Names that mean something. Groups (document, task, author …) where their values repeat; the gold
   standard (gold, target, label, answer …) where another column has its values; ids (id, item,
   question_id …) where every row has another; a column `model` or `system` that repeats makes the
   table *long*, with one row per item and system, and `seed`, `run`, `rater` … name its runs.
3. Contents. A system is a column of numbers, of right and wrong in words, or, beside a gold
   standard, of labels. Whole numbers that rise by one or count up and begin again number the rows.
4. What could be two things and was not said is refused, with the ways on: text that repeats while
   nothing says what rows belong to; ids that repeat; numbers on different scales; right and wrong
   beside numbers.
5. Every column is said, with its role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from betterthan._words import some_of
from betterthan.errors import InputError, Say
from betterthan.readers._table import POINT, Column, Table, decimal_comma

# What pandas and R call the numbers of the rows.
NAMELESS = frozenset({"", "unnamed:_0", "index"})
IDS = NAMELESS | {
    "dataset",
    "document",
    "example",
    "id",
    "idx",
    "instance",
    "item",
    "key",
    "name",
    "qid",
    "query",
    "question",
    "row",
    "sample",
    "seg",
    "segment",
    "sentence",
    "task",
    "uid",
    "uuid",
}
GROUPS = frozenset(
    {
        "article",
        "author",
        "author_id",
        "cluster",
        "cluster_id",
        "contest",
        "contest_id",
        "conversation",
        "conversation_id",
        "dialogue",
        "dialogue_id",
        "doc",
        "doc_id",
        "document",
        "document_id",
        "group",
        "group_id",
        "groups",
        "passage",
        "passage_id",
        "repo",
        "repository",
        "session",
        "session_id",
        "shop",
        "speaker",
        "story",
        "talk",
        "task",
        "thread",
        "user",
        "user_id",
    }
)
# In the order in which they are believed.
GOLD = (
    "gold",
    "gold_label",
    "y_true",
    "truth",
    "target",
    "reference",
    "expected",
    "correct_answer",
    "label",
    "answer",
)
MODELS = ("system", "model", "system_name", "model_name")
RUNS = ("seed", "run", "epoch", "rater", "judge", "annotator", "template", "trial")
SCORES = frozenset({"score", "scores", "value", "correct", "is_correct", "result", "success"})


def plain(name: str) -> str:
    """A column's name as it is looked up."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


@dataclass(frozen=True)
class Asked:
    """What the caller says of a table; None, or nothing, where he does not."""

    key: str | None = None
    groups: str | None = None
    gold: str | None = None
    systems: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()

    def named(self) -> list[tuple[str, str]]:
        """Each column that is named, with the argument that names it."""
        single = [("key", self.key), ("groups", self.groups), ("gold", self.gold)]
        found = [(argument, name) for argument, name in single if name is not None]
        found += [("ignore", name) for name in self.ignore]
        return found + [("where", name) for name, _ in self.where]


@dataclass(frozen=True)
class Roles:
    """What each column of a table is.

    Attributes
    ----------
    key : str or None
        Names the items.
    groups : str or None
        Says what they belong to.
    gold : str or None
        Holds the right labels.
    systems : tuple of str
        One column per system; in a long table the one column of results.
    model : str or None
        In a long table: which system a row is of.
    runs : dict of str to tuple of str
        Systems whose columns are runs, by name.
    run : str or None
        In a long table: which run a row is of.
    extra : tuple of str
        Stays with the units.
    ignored : tuple of str
        Is left out, as asked.
    reasons : dict of str to str
        Of columns that were not said: why they play their role.
    """

    key: str | None
    groups: str | None
    gold: str | None
    systems: tuple[str, ...]
    model: str | None = None
    run: str | None = None
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    extra: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)

    def said(self) -> list[str]:
        """Every role in words, one line each."""
        single = [("names the items", self.key), ("says what they belong to", self.groups)]
        single += [("is the gold standard", self.gold), ("names the systems", self.model)]
        single += [("names the runs", self.run)]
        lines = [f"{_shown(name)} {role}" for role, name in single if name is not None]
        if self.systems:
            what = "results" if self.model else "systems" if len(self.systems) > 1 else "system"
            lines.append(f"{what}: {some_of([_shown(name) for name in self.systems])}")
        if self.extra:
            lines.append(f"not used: {some_of([_shown(name) for name in self.extra], 8)}")
        if self.ignored:
            lines.append(f"ignored: {some_of([_shown(name) for name in self.ignored], 8)}")
        return lines


def _shown(name: str) -> str:
    return name or "(no name)"


def find_roles(table: Table, asked: Asked) -> Roles:
    """The role of every column; what is not clear is refused with the ways on.

    Parameters
    ----------
    table : Table
        As it stands in the file.
    asked : Asked
        What the caller says.

    Returns
    -------
    Roles

    Raises
    ------
    InputError
        For a column that is not there or has two roles, and for what rule 4 refuses.
    """
    left = [name for name in table.columns if name not in asked.ignore]
    model = _model(table, asked, left)
    _refuse_wrong_names(table, asked, model)
    if model is not None:
        return _long_roles(table, asked, left, model)
    return _wide_roles(table, asked, left)


def _model(table: Table, asked: Asked, left: list[str]) -> str | None:
    """The column that makes a table long: it names systems, and they come again."""
    said = {name for _, name in asked.named()} | set(asked.systems)
    name = _named(table, [one for one in left if one not in said], MODELS)
    if name is None or not table[name].repeats:
        return None
    # Patterns of columns are runs of a wide table.
    patterns = [one for one in asked.runs if one not in table.columns]
    return None if patterns else name


def _explicit(asked: Asked) -> set[str]:
    return {name for _, name in asked.named()} | set(asked.systems)


def _refuse_wrong_names(table: Table, asked: Asked, model: str | None) -> None:
    """Columns that are named must be there, and each may have one role."""
    seen: dict[str, str] = {}
    named = asked.named()
    if model is None:
        named += [("systems", name) for name in asked.systems]
    else:
        for name in asked.systems:
            if name not in table[model].distinct:
                shown = some_of(sorted(table[model].distinct), 12)
                raise InputError("systems", name, expected=f"one of {shown} in {model!r:.40}")
    for argument, name in named:
        table.need(argument, name)
        if seen.get(name, argument) != argument and "where" not in (argument, seen[name]):
            text = f"the column {name!r:.60} is {argument} and {seen[name]}"
            raise table.fault(problem=text, expected="one of the two")
        seen[name] = argument


def _named(table: Table, left: Iterable[str], known: Sequence[str]) -> str | None:
    """The first column of these names, in their order."""
    by_plain = {plain(name): name for name in left}
    return next((by_plain[one] for one in known if one in by_plain), None)


# --- Wide: one row per item ---------------------------------------------------------------------


def _wide_roles(table: Table, asked: Asked, left: list[str]) -> Roles:
    said = {name for name, _ in asked.where}
    runs = _runs_by_pattern(table, asked, left)
    of_runs = {name for own in runs.values() for name in own}
    gold = _gold(table, asked, [name for name in left if name not in of_runs])
    taken = {gold, asked.key, *asked.systems, *of_runs, *said}
    groups = asked.groups or _groups_by_name(table, left, taken)
    taken.add(groups)
    key = asked.key or _key(table, left, taken, gold)
    rest = [name for name in left if name not in {*taken, key}]
    systems = asked.systems or tuple(of_runs) or _systems(table, rest, gold, groups)
    others = [name for name in rest if name not in systems]
    _ask_about(table, others, groups, gold)
    extra = [name for name in left if name in others or (name in said and name not in systems)]
    extra = [name for name in extra if name not in (gold, groups, key)]
    return Roles(key, groups, gold, tuple(systems), None, None, runs, tuple(extra), asked.ignore)


def _runs_by_pattern(table: Table, asked: Asked, left: list[str]) -> dict[str, tuple[str, ...]]:
    """Columns that are runs of one system, by pattern: a_seed* are the runs of a."""
    found = {}
    for pattern in asked.runs:
        own = tuple(name for name in left if fnmatchcase(name, pattern))
        if not own:
            shown = some_of(list(table.columns), 12)
            raise InputError("runs", pattern, expected=f"a pattern of columns: {shown}")
        found[re.sub(r"[*?\[\]]", "", pattern).strip("_-. ") or pattern] = own
    return found


def _gold(table: Table, asked: Asked, left: list[str]) -> str | None:
    """The gold standard: as asked, or by its name where another column has its values."""
    if asked.gold is not None:
        return asked.gold
    name = _named(table, left, GOLD)
    if name is None or name in _explicit(asked):
        return None
    others = [other for other in left if other != name and plain(other) not in GROUPS]
    if plain(name) == "gold" or any(_is_label(table[other], table[name]) for other in others):
        return name
    return None


def _is_label(column: Column, gold: Column) -> bool:
    """Whether a column holds labels like those of the gold standard."""
    if column.is_number and not column.right_wrong:
        inside = sum(1 for cell in column.cells if cell in gold.distinct)
        return 2 * inside >= len(column)
    return bool((column.distinct & gold.distinct) - {""})


def _groups_by_name(table: Table, left: list[str], taken: set[str | None]) -> str | None:
    """A column whose name says what rows belong to, and whose values repeat."""
    found = [
        name for name in left if name not in taken and plain(name) in GROUPS and table[name].repeats
    ]
    if len(found) > 1:
        text = f"the columns {' and '.join(map(repr, found[:3]))} may both say what items belong to"
        raise table.fault(problem=text, ways=[Say("groups", name) for name in found[:3]])
    return found[0] if found else None


def _key(table: Table, left: list[str], taken: set[str | None], gold: str | None) -> str | None:
    """The column that names the rows: by its name, by its numbers, or the first text that does."""
    free = [name for name in left if name not in taken]
    by_name = [name for name in free if _is_id(name) and table[name].is_distinct]
    by_name.sort(key=lambda name: plain(name) in NAMELESS)  # pandas' own numbers come last
    if by_name:
        return by_name[0]
    numbered = [name for name in free if table[name].rises_by_one]
    if numbered:
        return numbered[0]
    right = None if gold is None else table[gold]
    for name in free:
        column = table[name]
        answers = right is not None and bool(column.distinct & right.distinct)
        if column.is_text and column.is_distinct and not answers:
            return name
    return None


def _is_id(name: str) -> bool:
    return plain(name) in IDS or plain(name).endswith("_id")


def _systems(
    table: Table, rest: list[str], gold: str | None, groups: str | None
) -> tuple[str, ...]:
    """The columns that are systems by their contents."""
    if gold is not None:
        return _systems_of_labels(table, rest, gold)
    return _systems_of_scores(table, rest, groups)


def _systems_of_labels(table: Table, rest: list[str], gold: str) -> tuple[str, ...]:
    right = table[gold]
    found = [name for name in rest if _is_label(table[name], right)]
    for name in rest:
        column = table[name]
        some = column.is_number and bool(column.distinct & right.distinct)
        if some and name not in found and not column.rises_by_one:
            text = f"the column {name!r:.60} has some of the classes of {gold!r:.60}"
            raise table.fault(problem=text, ways=[Say("systems", name), Say("ignore", name)])
    if not found:
        example = next(iter(right.distinct), "")
        text = f"no column has classes such as {example!r:.60} of the gold standard {gold!r:.60}"
        raise table.fault(problem=text, expected="one column of labels per system")
    return tuple(found)


def _systems_of_scores(table: Table, rest: list[str], groups: str | None) -> tuple[str, ...]:
    free = [name for name in rest if not _is_id(name) and plain(name) not in GROUPS]
    numbers = [name for name in free if table[name].is_number]
    numbers = [name for name in numbers if not table[name].rises_by_one]
    words = [name for name in free if table[name].right_wrong]
    for name in numbers:
        if table[name].begins_again:
            text = f"the column {name!r:.60} counts up and begins again, like numbers of rows"
            ways = [
                Say("key", name),
                Say("systems", name, "if it is a system"),
                Say("ignore", name),
            ]
            raise table.fault(problem=text, ways=ways if groups else ways[1:])
    if numbers and words:
        text = f"{_listed(numbers)} are numbers, but {_listed(words)} right or wrong in words"
        ways = [Say("systems", name) for name in (numbers, words)]
        raise table.fault(problem=text, ways=ways)
    if not numbers and not words:
        _refuse_no_systems(table, free)
    _refuse_other_scales(table, numbers)
    return tuple(numbers or words)


def _listed(names: Sequence[str]) -> str:
    return some_of([repr(name) for name in names], 4)


def _refuse_no_systems(table: Table, free: list[str]) -> None:
    broken = [name for name in free if decimal_comma(table[name].cells)]
    if broken:
        row = next(i for i, cell in enumerate(table[broken[0]].cells) if decimal_comma([cell]))
        raise table.fault_at(row, broken[0], expected=f"a number; {POINT}")
    mostly = [name for name in free if _mostly_numbers(table[name])]
    if mostly:
        _refuse_cell(table, mostly[0])
    found = some_of([_shown(name) for name in table.columns], 12)
    alone = [Say("separator", when="if that is another")] if len(table.columns) == 1 else []
    text = f"found no column of scores in {found}"
    expected = "numbers, right or wrong in words, or a gold column and labels"
    raise table.fault(problem=text, expected=expected, ways=[*alone, Say("gold")])


def _mostly_numbers(column: Column) -> bool:
    """Whether half of its cells are numbers, though not all."""
    if column.is_number or not column.is_text:
        return False
    few = column.cells[:1000]
    return 2 * sum(1 for cell in few if Column("", [cell]).is_number) >= len(few)


def _refuse_cell(table: Table, name: str) -> None:
    cells = table[name].cells
    row = next(i for i, cell in enumerate(cells) if cell and not Column("", [cell]).is_number)
    ways = [Say("ignore", name, "if it is no system")]
    hint = " (write 85, or 0.85, without %)" if cells[row].endswith("%") else ""
    raise table.fault_at(row, name, expected=f"a finite number{hint}", ways=ways)


def _refuse_other_scales(table: Table, numbers: Sequence[str]) -> None:
    """Systems are on one scale: not 0 and 1 beside whole numbers above, nor ten times as large."""
    if len(numbers) < 2:
        return
    largest = {name: float(abs(_finite(table[name])).max()) for name in numbers}
    odd = [name for name in numbers if _other_scale(name, table, largest)]
    if odd:
        ends = [_range(table[name], name) for name in numbers[:4]]
        rest = [name for name in numbers if name not in odd] or list(numbers)
        text = f"the columns lie on different scales: {', '.join(ends)}"
        ways = [Say("systems", rest), Say("ignore", odd)]
        raise table.fault(problem=text, ways=ways)


def _finite(column: Column):  # type: ignore[no-untyped-def]
    values = column.numbers
    return values[values == values]


def _range(column: Column, name: str) -> str:
    values = _finite(column)
    return f"{name!r:.40} from {values.min():g} to {values.max():g}"


def _other_scale(name: str, table: Table, largest: dict[str, float]) -> bool:
    others = [size for other, size in largest.items() if other != name and size > 0]
    if not others or largest[name] == 0:
        return False
    if largest[name] >= 10 * max(others):
        return True
    whole = table[name].is_whole and largest[name] > 1
    within = all(_within(table[other]) for other in largest if other != name)
    return whole and within


def _within(column: Column) -> bool:
    values = _finite(column)
    return bool(values.min() >= 0 and values.max() <= 1)


def _ask_about(table: Table, others: Sequence[str], groups: str | None, gold: str | None) -> None:
    """Rule 4: a column that may say what rows belong to is not left out in silence."""
    if groups is not None:
        return
    for name in others:
        column = table[name]
        if _mostly_numbers(column) and gold is None:
            _refuse_cell(table, name)
        ids = _is_id(name) and plain(name) not in NAMELESS
        if column.repeats and (column.is_text or ids):
            text = f"the column {name!r:.60} repeats, and nothing says what it is"
            raise table.fault(problem=text, ways=_ways_on(table, name, gold))


def _ways_on(table: Table, name: str, gold: str | None) -> list[Say]:
    ways = [
        Say("groups", name, "if it says what items belong to"),
        Say("ignore", name, "if it does not matter"),
    ]
    others = [column for other, column in table.columns.items() if other != name]
    if gold is None and any(_is_label(column, table[name]) for column in others):
        ways.append(Say("gold", name, "if it holds the right labels"))
    return ways


def _unsaid(left: Sequence[str], asked: Asked) -> list[str]:
    said = _explicit(asked)
    return [name for name in left if name not in said]


# --- Long: one row per item and system ------------------------------------------------------------


def _long_roles(table: Table, asked: Asked, left: list[str], model: str) -> Roles:
    said = {name for name, _ in asked.where}
    run = asked.runs[0] if asked.runs else _named(table, _unsaid(left, asked), RUNS)
    taken: set[str | None] = {model, run, asked.key, asked.groups, asked.gold, *said}
    key = asked.key or _long_key(table, [name for name in left if name not in taken])
    taken.add(key)
    gold = asked.gold or _gold(table, asked, [name for name in left if name not in taken])
    taken.add(gold)
    value = _long_value(table, [name for name in left if name not in taken], gold)
    taken.add(value)
    groups = asked.groups or _groups_by_name(table, left, taken)
    taken.add(groups)
    rest = [name for name in left if name not in taken]
    if groups is None:
        first = table[model].cells[0]
        one = table.rows([i for i, cell in enumerate(table[model].cells) if cell == first])
        _ask_about(one, rest, groups, gold)
    extra = tuple(name for name in left if name in rest or name in said)
    return Roles(key, groups, gold, (value,), model, run, {}, extra, asked.ignore)


def _long_key(table: Table, free: list[str]) -> str:
    """The column that names the items: each comes once per system and run."""
    by_name = [name for name in free if _is_id(name) and plain(name) not in NAMELESS]
    if by_name:
        return by_name[0]
    text = "one row per item and system, but nothing names the items"
    raise table.fault(problem=text, ways=[Say("key")])


def _long_value(table: Table, free: list[str], gold: str | None) -> str:
    """The one column of results."""
    if gold is not None:
        return _systems_of_labels(table, free, gold)[0]
    found = [name for name in free if table[name].is_number or table[name].right_wrong]
    found = [name for name in found if not _is_id(name) and not table[name].rises_by_one]
    known = [name for name in found if plain(name) in SCORES]
    if len(found) > 1 and len(known) != 1:
        text = f"the columns {_listed(found)} may hold the results"
        raise table.fault(problem=text, ways=[Say("ignore", found[1:])])
    if not found:
        _refuse_no_systems(table, free)
    return known[0] if known else found[0]
