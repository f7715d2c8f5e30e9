"""Labels with a model's probabilities for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan._words import some_of
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import GROUPS, plain, refuse_groups_of_one
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers", "read_probabilities"]

PROBABILITIES = ("probability", "confidence")
CORRECT = ("correct", "is_correct")
_FLAGS = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers with the probability that the model gave them.

    Attributes
    ----------
    correct : array of int
        1 for right, 0 for wrong.
    probability : array of float
        What the model said.
    groups : array or None
        What answers belong to.
    table : DataFrame
        The file as it stands, with ``correct`` and ``probability`` as numbers.
    reading : tuple of str
        Which column is what.
    notes : tuple of str
        What changes the meaning of the numbers; the sentence says it.
    """

    correct: np.ndarray
    probability: np.ndarray
    groups: np.ndarray | None
    table: pd.DataFrame
    reading: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.correct)


def read_probabilities(
    path: PathLike,
    *,
    groups: str | None = None,
    label: str = "label",
    ignore: Sequence[str] = (),
    separator: str | None = None,
) -> Answers:
    """A table of labels with a model's probabilities for them: one row per label.

    Parameters
    ----------
    path : str or Path
        The file, with a column ``probability`` (or ``confidence``) and either ``correct`` (1 or 0,
        or true, false …), or ``gold`` and ``label``, which are compared.
    groups : str, optional
        The column that says what a label belongs to (sentence, document). The default None takes
        a column whose name says so, if there is one.
    label : str
        The column of the model's labels or answers.
    ignore : sequence of str
        Columns that do not matter.
    separator : str, optional
        What stands between columns.

    Returns
    -------
    Answers

    Raises
    ------
    InputError
        For a column that is missing, a probability that is not between 0 and 1, an empty label, a
        column that repeats while nothing says what answers belong to, a line with too few or too
        many columns, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> answers = read_probabilities(example("probabilities"))
    >>> len(answers), int(answers.correct.sum()), len(set(answers.groups))
    (160, 144, 40)
    """
    return read_sources(
        [Source(path)], groups=groups, label=label, ignore=ignore, separator=separator
    )


@ignoring_more
def read_sources(
    sources: Sequence[Source],
    groups: str | None = None,
    label: str = "label",
    ignore: Sequence[str] = (),
    separator: str | None = None,
) -> Answers:
    """The same, of a file that is open already."""
    import pandas as pd

    if len(sources) > 1:
        raise InputError("paths", sources[1].path, expected="one table of answers")
    table = table_of(sources[0], separator)
    by_plain = {plain(name): name for name in table.columns}
    sure = next((by_plain[name] for name in PROBABILITIES if name in by_plain), None)
    if sure is None:
        raise table.fault(expected="a column probability, or confidence")
    ignore = [ignore] if isinstance(ignore, str) else list(ignore)
    table.need("ignore", *ignore)
    correct, used = _correct(table, by_plain, label)
    taken = {sure, *used, *ignore}
    groups = _groups(table, groups, taken)
    frame = {name: list(column.cells) for name, column in table.columns.items()}
    answers = pd.DataFrame(
        {"correct": correct, "probability": _probabilities(table, sure)}
        | {name: cells for name, cells in frame.items() if name not in (sure, "correct")}
    )
    rest = [name for name in table.columns if name not in {*taken, groups}]
    reading = [f"{sure} is the probability", f"right or wrong by {' and '.join(used)}"]
    reading += [f"{groups} says what they belong to"] if groups else []
    reading += [f"not used: {', '.join(rest)}"] if rest else []
    return Answers(
        correct=answers["correct"].to_numpy(),
        probability=answers["probability"].to_numpy(),
        groups=None if groups is None else np.asarray(table.filled(groups), dtype=object),
        table=answers,
        reading=tuple(reading),
        notes=_words_counted(table, used),
    )


def _words_counted(table: Table, used: Sequence[str]) -> tuple[str, ...]:
    """How words for right and wrong were counted, where they were not 1 and 0."""
    words = table[used[0]].right_wrong if len(used) == 1 else None
    if words is None or words[0] in _FLAGS:
        return ()
    return (f"{words[0]!r} counts as right, {words[1]!r} as wrong.",)


def _correct(table: Table, by_plain: Mapping[str, str], label: str) -> tuple[list[int], list[str]]:
    """1 for right and 0 for wrong, and by which columns."""
    name = next((by_plain[one] for one in CORRECT if one in by_plain), None)
    if name is not None and label == "label":
        return _flags(table, name), [name]
    gold = by_plain.get("gold")
    if gold is None:
        found = some_of(list(table.columns), 12)
        raise table.fault(expected=f"a column correct, or gold and {label}; found {found}")
    table.need("label", label)
    pairs = zip(table.filled(gold), table.filled(label))
    return [int(right == given) for right, given in pairs], [gold, label]


def _flags(table: Table, name: str) -> list[int]:
    column = table[name]
    if column.right_wrong is not None and not column.blanks:
        return [int(cell.lower() == column.right_wrong[0]) for cell in column.cells]
    for row, cell in enumerate(column.cells):
        if cell not in _FLAGS:
            raise table.fault_at(row, name, expected="0 or 1")
    return [_FLAGS[cell] for cell in column.cells]


def _probabilities(table: Table, name: str) -> Any:
    table.filled(name)
    values = tables.scores(table, name, wrong=False)
    for row, value in enumerate(values):
        if not 0 <= value <= 1:
            raise table.fault_at(row, name, expected="a number from 0 to 1")
    return values


def _groups(table: Table, groups: str | None, taken: set[str]) -> str | None:
    """What answers belong to; where a column may say it and nobody did, that is refused."""
    if groups is not None:
        table.need("groups", groups)
        refuse_groups_of_one(table, table[groups])
        return groups
    free = [name for name in table.columns if name not in taken]
    for name in free:
        if plain(name) in GROUPS | {"sentence"} and table[name].repeats:
            return name
    for name in free:
        if table[name].repeats and table[name].is_text:
            text = f"the column {name!r:.60} repeats, and nothing says what answers belong to"
            ways = [Say("groups", name, "if its answers belong together"), Say("ignore", name)]
            raise table.fault(problem=text, ways=ways)
    return None


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if not tables.is_table(sources[0], asked):
        return False
    table = table_of(sources[0], asked.get("separator"))
    names = {plain(name) for name in table.columns}
    return bool(names & set(PROBABILITIES)) and bool(names & {*CORRECT, "gold"})


FORMAT = Format(
    kind="probabilities",
    holds="labels with probabilities",
    you_have="labels with a model's probabilities",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"groups", "label", "ignore", "separator"}),
    questions=("score", "threshold"),
    example=("probabilities.csv",),
    reader="read_probabilities",
    then="`confidence.evaluate`: what to check first; `confidence.threshold`: what needs no check",
    gives="answers",
    compared_by=frozenset(),
)
