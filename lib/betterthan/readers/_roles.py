"""Which column plays which role: one written rule, for the library, the command line and the page.

The rule, in order (tests/contract/ holds cases of it; a new rule begins with a case):

1. What the caller says: key, groups, gold, systems, ignore, runs, where. A column that is said to
   hold groups must have values that repeat, and an item has one group in all its rows. A column
   without a name is called '' or, as it is shown, '(no name)', unless another is really called so.
2. Names that mean something. Groups (document, task, author …) where their values repeat; the gold
   standard (gold, target, label, answer …) where another column has its values; ids (id, item,
   question_id …) where every row has another, or every row of a group; a column `model` or
   `system` that repeats makes the table *long*, with one row per item and system, and `seed`,
   `run`, `rater` … name its runs (or those of the one system that a file is of).
   In a long table every run of a system has every item; a missing row is like a blank answer.
   Where all rows are of one model, the one system is called as that is.
   Its systems stay in the order of the whole file, also where only some rows are taken.
3. Contents. A system is a column of numbers, of right and wrong in words, or, beside a gold
   standard, of labels; where some of these are chosen, the others are not used. N/A, null and the
   like among numbers, or among right and wrong, are blank answers. Whole numbers that rise by one
   number the rows, and so do those that count up and begin again with each group. Text that
   differs in every row names the rows.
4. What could be two things and was not said is refused, with suggestions: text that repeats while
   nothing says what rows belong to; ids that repeat; numbers that count up and begin again, or
   come in blocks; numbers on different scales; right and wrong beside numbers; 0 and 1 beside a
   gold standard of other numbers; numbers of which some are none; more systems than anybody has.
5. In several files, one per system, rows are paired by what names them. Numbers that pandas or R
   give to rows name nothing where one comes twice, and then are refused: nobody knows in which
   order the rows are. A column that tells the items apart, by cells nine tenths of which all files
   have, must not have one of them beside other ids, or it is refused, too; numbers of rows may.
   With one file nothing is paired across files, and that such a number comes twice is only said.
6. Names that differ only in case are different ones. Models and groups of which some do are said,
   groups in the sentence, too; so is an id that has no match but for its case, where it is refused.
7. Every column is said, with its role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from betterthan._words import is_it, some_of
from betterthan.errors import InputError, Say, shown_name
from betterthan.readers._table import Column, Table, instead_of, is_number
from betterthan.readers._text import Source

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
# Folds of a cross-validation; where rows are items, no scores and nothing to ask about.
FOLDS = ("fold", "cv", "cv_fold", "split")
_NUMBERED = frozenset({*FOLDS, "repetition"})
MODELS = ("system", "model", "system_name", "model_name")
RUNS = ("seed", "run", "epoch", "rater", "judge", "annotator", "template", "trial")
SCORES = frozenset({"score", "scores", "value", "correct", "is_correct", "result", "success"})
# More columns of numbers than these are something else: embeddings, counts of words.
MOST_SYSTEMS = 100


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

    def of(self, table: Table) -> Asked:
        """The same with columns called as one of several tables calls them.

        Not all of the tables have what is to be ignored.
        """
        key, groups, gold = (
            None if name is None else table.called(name)
            for name in (self.key, self.groups, self.gold)
        )
        ignore = [table.called(name) for name in self.ignore]
        return replace(
            self,
            key=key,
            groups=groups,
            gold=gold,
            systems=tuple(dict.fromkeys(table.called(name) for name in self.systems)),
            ignore=tuple(dict.fromkeys(name for name in ignore if name in table)),
            where=tuple((table.called(name), value) for name, value in self.where),
        )

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
    counting : tuple of str
        Whole numbers that rise by one, which nobody said to be scores.
    of_model : (str, str) or None
        Where all rows are of one model: the column that says so, and the model.
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
    counting: tuple[str, ...] = ()
    of_model: tuple[str, str] | None = None

    @property
    def is_long(self) -> bool:
        """Whether an item has several rows, of several systems or of several runs."""
        return self.model is not None or self.run is not None

    def by_column(self) -> dict[str, str]:
        """The role of each column in a word."""
        single = [("key", self.key), ("groups", self.groups), ("gold", self.gold)]
        single += [("model", self.model), ("run", self.run)]
        found = dict.fromkeys(self.systems, "results" if self.is_long else "system")
        found |= dict.fromkeys(self.extra, "extra")
        found |= dict.fromkeys(self.ignored, "ignored")
        if self.of_model is not None:
            found[self.of_model[0]] = "model"
        return found | {name: role for role, name in single if name is not None}

    def said(self) -> list[str]:
        """Every role in words, one line each."""
        single = [("names the items", self.key), ("says what they belong to", self.groups)]
        single += [("is the gold standard", self.gold), ("names the systems", self.model)]
        single += [("names the runs", self.run)]
        lines = [f"{shown_name(name)} {role}" for role, name in single if name is not None]
        if self.systems:
            what = "results" if self.is_long else "systems" if len(self.systems) > 1 else "system"
            lines.append(f"{what}: {some_of([shown_name(name) for name in self.systems])}")
        counting = [name for name in self.extra if name in self.counting]
        if counting:
            lines.append(f"no scores, but numbers of rows: {some_of(counting, 8)}")
        said = set(counting)
        if self.of_model is not None:
            lines.append(" is ".join(self.of_model) + " in every row")
            said.add(self.of_model[0])
        unused = [shown_name(name) for name in self.extra if name not in said]
        if unused:
            lines.append(f"not used: {some_of(unused, 8)}")
        if self.ignored:
            lines.append(f"ignored: {some_of([shown_name(name) for name in self.ignored], 8)}")
        return lines


def find_roles(table: Table, asked: Asked) -> Roles:
    """The role of every column; what is not clear is refused, with suggestions.

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
    ignored = set(asked.ignore)
    left = [name for name in table.columns if name not in ignored]
    model = _model(table, asked, left)
    _refuse_wrong_names(table, asked, model)
    if model is not None or _is_of_runs(table, asked, left):
        return _long_roles(table, asked, left, model)
    return _wide_roles(table, asked, left)


def _model(table: Table, asked: Asked, left: list[str]) -> str | None:
    """The column that makes a table long: it names systems, and they come again."""
    name = _named(_unsaid(left, asked), MODELS)
    if name is None or not table[name].repeats:
        return None
    # Patterns of columns are runs of a wide table.
    patterns = [one for one in asked.runs if one not in table.columns]
    return None if patterns else name


def _explicit(asked: Asked) -> set[str]:
    return {name for _, name in asked.named()} | set(asked.systems)


def _unsaid(left: Sequence[str], asked: Asked) -> list[str]:
    said = _explicit(asked)
    return [name for name in left if name not in said]


def _refuse_wrong_names(table: Table, asked: Asked, model: str | None) -> None:
    """Columns that are named must be there, and each may have one role."""
    seen: dict[str, str] = {}
    named = asked.named()
    if model is None:
        named += [("systems", name) for name in asked.systems]
    else:
        _refuse_other_models(table, asked, model)
    for argument, name in named:
        table.need(argument, name)
        if seen.get(name, argument) != argument and "where" not in (argument, seen[name]):
            text = f"the column {name!r:.60} is {argument} and {seen[name]}"
            raise table.fault(problem=text, expected="one of the two")
        seen[name] = argument


def _refuse_other_models(table: Table, asked: Asked, model: str) -> None:
    for name in asked.systems:
        if name not in table[model].distinct:
            known = sorted(table[model].distinct)
            text = f"one of {some_of(known, 12)} in {model!r:.40}{is_it(name, known)}"
            raise InputError("systems", name, expected=text)


def _named(left: Iterable[str], known: Sequence[str]) -> str | None:
    """The first column of these names, in their order."""
    return next(iter(_all_named(left, known)), None)


def _all_named(left: Iterable[str], known: Sequence[str]) -> list[str]:
    by_plain = {plain(name): name for name in left}
    return [by_plain[one] for one in known if one in by_plain]


def _differ_together(table: Table, *names: str | None) -> bool:
    """Whether every row has another combination of values in these columns, none of them blank."""
    columns = [table[name] for name in names if name is not None]
    if any(column.blanks for column in columns):
        return False
    return len(set(zip(*(column.cells for column in columns)))) == len(table)


# --- Wide: one row per item ---------------------------------------------------------------------


def _wide_roles(table: Table, asked: Asked, left: list[str]) -> Roles:
    _refuse_names_as_groups(table, asked)
    said = {name for name, _ in asked.where}
    runs = _runs_by_pattern(table, asked, left)
    of_runs = tuple(name for own in runs.values() for name in own)
    gold = _gold(table, asked, [name for name in left if name not in set(of_runs)])
    taken = {gold, asked.key, *asked.systems, *of_runs, *said}
    groups = _groups_by_name(table, left, taken) if asked.groups is None else asked.groups
    taken.add(groups)
    key = _key(table, left, taken, gold, groups) if asked.key is None else asked.key
    taken.add(key)
    rest = [name for name in left if name not in taken]
    counting = () if gold else _counting(table, _unsaid(left, asked))
    systems = asked.systems or of_runs or _systems(table, rest, gold, groups, counting)
    chosen = set(systems)
    others = [name for name in rest if name not in chosen]
    if groups is None:
        unchosen = _like_systems(table, others, gold)
        _ask_about(table, [name for name in others if name not in unchosen], gold)
    not_extra = {*chosen, gold, groups, key}
    kept = {*others, *said} - not_extra
    extra = tuple(name for name in left if name in kept)
    of_model = _of_one_model(table, extra) if len(runs or systems) == 1 else None
    return Roles(
        key, groups, gold, systems, None, None, runs, extra, asked.ignore, counting, of_model
    )


def _of_one_model(table: Table, extra: Sequence[str]) -> tuple[str, str] | None:
    """The column that says of which model all rows are, and what it says."""
    for name in _all_named(extra, MODELS):
        values = list(table[name].distinct)
        if len(values) == 1 and values[0]:
            return name, values[0]
    return None


def _counting(table: Table, names: Iterable[str]) -> tuple[str, ...]:
    """Columns that number the rows by their contents alone, and so may be scores after all."""
    return tuple(name for name in _not_by_name(names) if table[name].rises_by_one)


def _runs_by_pattern(table: Table, asked: Asked, left: list[str]) -> dict[str, tuple[str, ...]]:
    """Columns that are runs of one system, by pattern: a_seed* are the runs of a."""
    found: dict[str, tuple[str, ...]] = {}
    for pattern in asked.runs:
        own = tuple(name for name in left if fnmatchcase(name, pattern))
        if not own:
            shown = some_of(table.shown_names, 12)
            raise InputError("runs", pattern, expected=f"a pattern of columns: {shown}")
        again = [name for name in own for others in found.values() if name in others]
        if again:
            text = f"the column {again[0]!r:.60} is a run of two systems"
            raise InputError("runs", asked.runs, problem=text, expected="patterns that share none")
        found[re.sub(r"[*?\[\]]", "", pattern).strip("_-. ") or pattern] = own
    return found


def _gold(table: Table, asked: Asked, left: list[str]) -> str | None:
    """The gold standard: as asked, or by its name where another column has its values."""
    if asked.gold is not None:
        return asked.gold
    said = _explicit(asked)
    for name in _all_named(left, GOLD):
        if name in said:
            continue
        free = _not_by_name([other for other in left if other != name])
        free = [other for other in free if not table[other].rises_by_one]
        labels = [other for other in free if _is_label(table[other], table[name])]
        if labels:
            _refuse_right_and_wrong(table, name, labels)
        if labels or plain(name) == "gold":
            return name
    return None


def _is_label(column: Column, gold: Column) -> bool:
    """Whether a column holds labels like those of the gold standard."""
    if not column.is_number:
        return bool((column.distinct & gold.distinct) - {""})
    if column.distinct <= {"0", "1", ""}:
        return column.distinct - {""} <= gold.distinct
    inside = sum(1 for cell in column.cells if cell in gold.distinct)
    return 2 * inside >= len(column)


def _refuse_right_and_wrong(table: Table, gold: str, labels: Sequence[str]) -> None:
    """0 and 1 beside a gold standard of more numbers: two of its classes, or wrong and right?"""
    beyond = table[gold].is_number and bool(table[gold].distinct - {"0", "1", ""})
    if beyond and all(table[name].distinct <= {"0", "1", ""} for name in labels):
        text = f"{_listed(labels)} have 0 and 1 only, but {gold!r:.60} other numbers, too"
        ways = [
            Say("ignore", gold, "if 1 is right and 0 is wrong"),
            Say("gold", gold, "if they are classes"),
        ]
        raise table.fault(problem=text, ways=ways)


def _groups_by_name(table: Table, left: list[str], taken: set[str | None]) -> str | None:
    """A column whose name says what rows belong to, and whose values repeat."""
    free = [name for name in left if name not in taken and plain(name) in GROUPS]
    found = [name for name in free if table[name].repeats]
    if len(found) > 1:
        text = f"the columns {' and '.join(map(repr, found[:3]))} may both say what items belong to"
        raise table.fault(problem=text, ways=[Say("groups", name) for name in found[:3]])
    return found[0] if found else None


def _refuse_names_as_groups(table: Table, asked: Asked) -> None:
    name = asked.groups
    if name is not None:
        refuse_groups_of_one(table, table[name], [_as_key(name)] if asked.key is None else [])


def refuse_groups_of_one(table: Table | Source, column: Column, ways: Sequence[Say] = ()) -> None:
    """Groups of one item each are none: such a column names the items."""
    if len(column) > 1 and column.is_distinct:
        raise table.fault(
            argument="groups",
            value=column.name,
            problem="every item has another value there, like names of items",
            expected="values that repeat",
            ways=ways,
        )


def _as_key(name: str | None) -> Say:
    return Say("key", name, "instead, if it names the items", "groups")


def _key(
    table: Table, left: list[str], taken: set[str | None], gold: str | None, groups: str | None
) -> str | None:
    """The column that names the rows: by its name, by its numbers, or the first text that does."""
    free = [name for name in left if name not in taken]
    by_name = [name for name in free if is_id(name) and _names_rows(table, name, groups)]
    # Names that need no group first, and pandas' own numbers last.
    by_name.sort(key=lambda name: (plain(name) in NAMELESS, not table[name].is_distinct))
    if by_name:
        return by_name[0]
    for name in free:
        within = groups is not None and table[name].begins_again
        if table[name].rises_by_one or (within and _differ_together(table, name, groups)):
            return name
    right = None if gold is None else table[gold]
    for name in free:
        column = table[name]
        answers = right is not None and bool(column.distinct & right.distinct)
        if column.is_text and column.is_distinct and not answers and not column.mostly_numbers:
            return name
    return None


def _names_rows(table: Table, name: str, groups: str | None) -> bool:
    """Whether every row has another value, or every row of a group."""
    if table[name].is_distinct or groups is None or plain(name) in NAMELESS | GROUPS:
        return table[name].is_distinct
    return _differ_together(table, name, groups)


def is_id(name: str) -> bool:
    return plain(name) in IDS or plain(name).endswith("_id")


def _not_by_name(names: Iterable[str]) -> list[str]:
    """Those whose names do not say that they name rows, folds or what rows belong to."""
    other = GROUPS | _NUMBERED
    return [name for name in names if not is_id(name) and plain(name) not in other]


def _systems(
    table: Table,
    rest: list[str],
    gold: str | None,
    groups: str | None,
    counting: Sequence[str],
) -> tuple[str, ...]:
    """The columns that are systems by their contents."""
    if gold is not None:
        found = _systems_of_labels(table, rest, gold)
    else:
        found = _systems_of_scores(table, rest, groups, counting)
    if len(found) > MOST_SYSTEMS:
        text = f"{len(found):,} columns may be systems, {some_of(found, 3)}"
        ways = [Say("systems", when="names those that are")]
        raise table.fault(problem=text, ways=ways)
    return found


def _like_systems(table: Table, names: Sequence[str], gold: str | None) -> set[str]:
    """Those that would be systems by themselves, and need no word where others were chosen."""
    free = _not_by_name(names)
    if gold is None:
        return {name for name in free if not table[name].answers.is_text}
    return {name for name in free if _is_label(table[name], table[gold])}


def _systems_of_labels(table: Table, rest: list[str], gold: str) -> tuple[str, ...]:
    right = table[gold]
    free = _not_by_name(rest)
    found = [name for name in free if _is_label(table[name], right)]
    known = set(found)
    for name in free:
        column = table[name]
        some = column.is_number and bool((column.distinct & right.distinct) - {""})
        if some and name not in known and not column.rises_by_one:
            text = f"the column {name!r:.60} has some of the classes of {gold!r:.60}"
            ways = [Say("ignore", name), Say("systems", [*found, name], "if it is a system")]
            raise table.fault(problem=text, column=name, ways=ways)
    if not found:
        example = next((cell for cell in right.cells if cell), "")
        text = f"no column has classes such as {example!r:.60} of the gold standard {gold!r:.60}"
        raise table.fault(problem=text, expected="one column of labels per system")
    return tuple(found)


def _systems_of_scores(
    table: Table, rest: list[str], groups: str | None, counting: Sequence[str]
) -> tuple[str, ...]:
    free = _not_by_name(rest)
    table = table.answering(free)
    _refuse_broken(table, free)
    numbers = [name for name in free if table[name].is_number and not table[name].rises_by_one]
    words = [name for name in free if table[name].right_wrong]
    if numbers and words:
        text = f"{_listed(numbers)} are numbers, but {_listed(words)} right or wrong in words"
        ways = [Say("systems", name) for name in (numbers, words)]
        raise table.fault(problem=text, ways=ways)
    if not numbers and not words:
        _refuse_no_systems(table, counting)
    _refuse_numbering(table, numbers, groups)
    if 1 < len(numbers) <= MOST_SYSTEMS:
        _refuse_other_scales(table, numbers, groups)
    return tuple(numbers or words)


def _listed(names: Sequence[str]) -> str:
    return some_of([repr(name) for name in names], 4)


def ways_to_counting(table: Table, roles: Roles) -> list[Say]:
    """What to say so that whole numbers that rise by one are scores, too."""
    if roles.is_long or not roles.counting:
        return []
    chosen = {*roles.systems, *roles.counting}
    return [_way_to_counting([name for name in table.columns if name in chosen])]


def _way_to_counting(names: Sequence[str]) -> Say:
    return Say("systems", list(names), "if whole numbers that rise by one are scores")


def _refuse_no_systems(table: Table, counting: Sequence[str] = ()) -> None:
    found = some_of(table.shown_names, 12)
    alone = [Say("separator", when="if that is another")] if len(table.columns) == 1 else []
    text = f"found no column of scores in {found}"
    expected = "numbers, right or wrong in words, or a gold column and labels"
    counted = [_way_to_counting(counting)] if counting else []
    ways = [*alone, *counted, Say("gold")]
    raise table.fault(problem=text, expected=expected, ways=ways)


def _refuse_broken(table: Table, names: Sequence[str]) -> None:
    """A column of numbers, or of right and wrong, may have no cell that is something else."""
    for name in names:
        column = table[name]
        if column.mostly_numbers:
            row = next(i for i, cell in enumerate(column.cells) if cell and not is_number(cell))
            expected = instead_of(column.cells[row], column.distinct)
        elif column.mostly_right_wrong is not None:
            pair = column.mostly_right_wrong
            row = next(
                i for i, cell in enumerate(column.cells) if cell and cell.lower() not in pair
            )
            expected = f"{pair[0]} or {pair[1]}"
        else:
            continue
        others = _may_hold_results(table, list(names))  # without any, to ignore it leads nowhere
        ways = [Say("ignore", name, "if it is no system")] if others else []
        raise table.fault_at(row, name, expected=expected, ways=ways)


def _refuse_numbering(table: Table, numbers: Sequence[str], groups: str | None) -> None:
    """Whole numbers that may number rows, or say what they belong to, are no scores by themselves.

    With one column alone there is no other that could be meant.
    """
    if len(numbers) < 2:
        return
    for name in numbers:
        column = table[name]
        if column.begins_again or column.stands_in_blocks:
            how = "counts up and begins again" if column.begins_again else "comes in blocks"
            what = "rows" if column.begins_again else "documents"
            text = f"the column {name!r:.60} {how}, like numbers of {what}"
            ways = _ways_of_numbers(table, [name], numbers, groups)
            raise table.fault(problem=text, column=name, ways=ways)


def _ways_of_numbers(
    table: Table, odd: Sequence[str], numbers: Sequence[str], groups: str | None
) -> list[Say]:
    """What columns of numbers may be that are hardly systems."""
    ways = []
    first = table[odd[0]]
    if groups is None and len(odd) == 1 and first.is_whole and first.repeats:
        ways.append(Say("groups", odd[0], "if it says what items belong to"))
    ways.append(Say("ignore", odd[0] if len(odd) == 1 else list(odd), "if it does not matter"))
    ways.append(Say("systems", list(numbers), "if all are systems"))
    return ways


def _refuse_other_scales(table: Table, numbers: Sequence[str], groups: str | None) -> None:
    """Systems are on one scale: no whole numbers beside shares, nor ten times as large."""
    largest = {name: float(abs(_finite(table[name])).max()) for name in numbers}
    odd = [name for name in numbers if _other_scale(name, table, largest)]
    if odd:
        ends = [_range(table[name], name) for name in numbers[:4]]
        text = f"the columns lie on different scales: {', '.join(ends)}"
        raise table.fault(problem=text, ways=_ways_of_numbers(table, odd, numbers, groups))


def _finite(column: Column):  # type: ignore[no-untyped-def]
    values = column.numbers
    return values[values == values]


def _range(column: Column, name: str) -> str:
    values = _finite(column)
    return f"{name!r:.40} from {values.min():g} to {values.max():g}"


def _other_scale(name: str, table: Table, largest: dict[str, float]) -> bool:
    others = [other for other in largest if other != name and largest[other] > 0]
    if not others or largest[name] == 0:
        return False
    if largest[name] >= 10 * max(largest[other] for other in others):
        return True
    if not table[name].is_whole or largest[name] <= 1:
        return False
    return all(_is_share(table[other]) for other in others)


def _is_share(column: Column) -> bool:
    """Whether its numbers lie between 0 and 1, or have decimals."""
    values = _finite(column)
    within = bool(values.min() >= 0 and values.max() <= 1)
    return within or bool((values % 1 != 0).any())


def _ask_about(table: Table, others: Sequence[str], gold: str | None) -> None:
    """Rule 4: a column that may say what rows belong to is never left out without a word."""
    for name in others:
        column = table[name]
        names_rows = is_id(name) and plain(name) not in NAMELESS
        if names_rows and 0 < column.blanks < len(column):
            row, ways = column.cells.index(""), [Say("ignore", name)]
            raise table.fault_at(row, name, expected="a value in every row", ways=ways)
        twice = names_rows and not column.is_distinct and len(column.distinct) > 1
        if twice and 4 * (len(column) - len(column.distinct)) < len(column):
            raise comes_twice(table, name, _ways_on(table, name, gold))
        if twice or (column.is_text and column.repeats):
            text = f"the column {name!r:.60} repeats, and nothing says what it is"
            raise table.fault(problem=text, column=name, ways=_ways_on(table, name, gold))


def comes_twice(table: Table, name: str, ways: Sequence[Say]) -> InputError:
    """The first item that comes again, and where; a row may have slipped in twice."""
    row, first = table[name].again or (0, 0)
    text = f"comes twice, first in line {table.line(first)}"
    expected = "one row per item (take one of the two out)"
    return table.fault_at(row, name, problem=text, expected=expected, ways=ways)


def _ways_on(table: Table, name: str, gold: str | None) -> list[Say]:
    ways = [
        Say("groups", name, "if it says what items belong to"),
        Say("ignore", name, "if it does not matter"),
    ]
    others = [column for other, column in table.columns.items() if other != name]
    if gold is None and any(_is_label(column, table[name]) for column in others):
        ways.append(Say("gold", name, "if it holds the right labels"))
    return ways


# --- Long: one row per item and system, or per item and run ---------------------------------------


def _is_of_runs(table: Table, asked: Asked, left: list[str]) -> bool:
    """Whether a table without models has one system, whose items come once in every run."""
    if len(asked.runs) > 1 or asked.systems:
        return False
    free = _unsaid(left, asked)
    run = asked.runs[0] if asked.runs else _named(free, RUNS)
    if run is None or run not in table.columns:
        return False
    keys = [one for one in free if one != run and is_id(one)]
    keys = keys if asked.key is None else [asked.key]
    again = [key for key in keys if not table[key].is_distinct]
    if not any(_differ_together(table, key, run) for key in again):
        return False
    rest = [name for name in free if name not in {run, *keys}]
    return len(_results(table, rest)) == 1 or _gold(table, asked, rest) is not None


def _long_roles(table: Table, asked: Asked, left: list[str], model: str | None) -> Roles:
    said = {name for name, _ in asked.where}
    run = asked.runs[0] if asked.runs else _named(_unsaid(left, asked), RUNS)
    # What rows belong to is asked of the rows of one system and run: the others only repeat them.
    one = _first_part(table, model, run)
    _refuse_names_as_groups(one, asked)
    taken: set[str | None] = {model, run, asked.key, asked.groups, asked.gold, *said}
    gold = _gold(table, asked, [name for name in left if name not in taken])
    taken.add(gold)
    free = [name for name in left if name not in taken]
    key = _long_key(table, asked, free, model, run) if asked.key is None else asked.key
    taken.add(key)
    value = _long_value(table, [name for name in free if name != key], gold)
    taken.add(value)
    groups = _groups_by_name(one, left, taken) if asked.groups is None else asked.groups
    taken.add(groups)
    rest = [name for name in left if name not in taken]
    if groups is None:
        _ask_about(one, rest, gold)
    kept = {*rest, *said} - {key, gold, groups, value, model, run}
    extra = tuple(name for name in left if name in kept)
    of_model = _of_one_model(table, extra) if model is None else None
    return Roles(
        key, groups, gold, (value,), model, run, {}, extra, asked.ignore, of_model=of_model
    )


def _first_part(table: Table, *names: str | None) -> Table:
    """The rows of the first system and run."""
    columns = [table[name].cells for name in names if name is not None]
    rows = list(zip(*columns))
    return table.rows([place for place, row in enumerate(rows) if row == rows[0]])


def _long_key(
    table: Table, asked: Asked, free: list[str], model: str | None, run: str | None
) -> str:
    """The column that names the items: each comes once per system and run."""
    by_name = [name for name in free if is_id(name) and plain(name) not in NAMELESS]
    parts = len(set(zip(*(table[name].cells for name in (model, run) if name is not None))))
    for name in [*by_name, *(name for name in free if table[name].is_text)]:
        every = name in by_name or len(table[name].distinct) * parts == len(table)
        if every and _differ_together(table, name, model, run):
            return name
    # Then one comes twice, and the reader says where.
    single = [name for name in by_name if plain(name) not in GROUPS]
    if single:
        return single[0]
    text = "one row per item and system, but nothing names the items"
    named = asked.groups is not None and is_id(asked.groups)
    raise table.fault(problem=text, ways=[_as_key(asked.groups) if named else Say("key")])


def ways_to(table: Table, asked: Asked, name: str, n_tables: int) -> list[Say]:
    """What to say so that this column holds the results, where it does not by itself."""
    left = [one for one in table.columns if one not in set(asked.ignore)]
    when, of = f"instead, to compare {name!r:.60}", "metric"
    model = _model(table, asked, left)
    if model is None:
        is_there = name in left and name not in asked.systems
        return [Say("systems", name, when, of)] if n_tables > 1 and is_there else []
    run = asked.runs[0] if asked.runs else _named(_unsaid(left, asked), RUNS)
    found = _may_hold_results(table, [one for one in _unsaid(left, asked) if one != run])
    others = [one for one in found if one != name]
    if name not in found or not others:
        return []
    return [Say("ignore", others[0] if len(others) == 1 else others, when, of)]


def _may_hold_results(table: Table, free: list[str]) -> list[str]:
    found = [name for name in _not_by_name(free) if not table[name].rises_by_one]
    answers = {name: table[name].answers for name in found}
    return [name for name in found if answers[name].is_number or answers[name].right_wrong]


def _results(table: Table, free: list[str]) -> list[str]:
    """The columns of a long table that may hold the results."""
    found = _may_hold_results(table, free)
    known = [name for name in found if plain(name) in SCORES]
    if not found:  # a name says more than numbers that happen to rise by one
        known = [name for name in _counting(table, free) if plain(name) in SCORES]
    return known if len(known) == 1 else found


def _long_value(table: Table, free: list[str], gold: str | None) -> str:
    """The one column of results."""
    found = _systems_of_labels(table, free, gold) if gold is not None else _results(table, free)
    if len(found) > 1:
        text = f"the columns {_listed(found)} may hold the results"
        raise table.fault(problem=text, ways=[Say("ignore", list(found[1:]))])
    if not found:
        _refuse_broken(table, _not_by_name(free))
        _refuse_no_systems(table)
    return found[0]
