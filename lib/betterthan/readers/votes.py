"""Preferences: which of two models' answers was liked better, vote by vote.

One row per vote: two columns of models, one of the winner. Each system's result is its share of
every vote, so that the two shares of a vote add up to 1 and a tie is half for both. Votes on one
prompt belong together; they are the groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from betterthan._words import counted, some_of
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers import tables
from betterthan.readers._format import Format
from betterthan.readers._roles import RUNS, Asked, is_id, plain
from betterthan.readers._table import Table, table_of
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_votes"]

WINNER = ("winner", "preferred", "preference")
# Columns of the two models, and what the winner is called beside their names.
PAIRS = (
    ("model_a", "model_b"),
    ("system_a", "system_b"),
    ("left", "right"),
    ("model_left", "model_right"),
    ("model_1", "model_2"),
    ("model1", "model2"),
    ("model_x", "model_y"),
)
_FIRST = frozenset({"a", "left", "first", "1", "model_a", "model_1", "model1", "system_a"})
_SECOND = frozenset({"b", "right", "second", "2", "model_b", "model_2", "model2", "system_b"})
_TIE = frozenset(
    {
        "tie",
        "draw",
        "both",
        "neither",
        "equal",
        "same",
        "bothbad",
        "both_bad",
        "tie_(bothbad)",
        "tie_(both_bad)",
    }
)
# What the votes on it have in common, in the order in which it is believed.
PROMPTS = ("prompt", "prompt_id", "question", "question_id", "instruction", "instruction_id")
RATERS = (*RUNS, "worker", "worker_id", "user", "user_id", "annotator_id", "judge_id", "rater_id")

# Of so many models every two are offered; of more, the pairs with most votes.
_MOST_PAIRS = 3


def read_votes(
    path: PathLike,
    *,
    groups: str | None = None,
    systems: Sequence[str] = (),
    ignore: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    empty: str | None = None,
    separator: str | None = None,
) -> tuple[Results, ...]:
    """Each of two systems' share of every vote between them.

    Parameters
    ----------
    path : str or Path
        A table with the columns ``model_a``, ``model_b`` (or ``left``, ``right`` …) and ``winner``,
        which is one of these names, a model's name, or ``tie``.
    groups : str, optional
        What votes belong to. The default None takes the prompt, where it comes again.
    systems : pair of str
        Which two models, A first; needed where the table has more than two. The default takes the
        model that is seen first as A.
    ignore : sequence of str
        Columns to leave out.
    where : mapping of str to str, optional
        Take only rows with these values.
    empty : {"drop"}, optional
        Leave out the votes with a blank winner. The default None refuses them.
    separator : str, optional
        What stands between columns.

    Returns
    -------
    tuple of Results
        A and B, one number per vote: 1 for the winner, 0 for the other, 0.5 each for a tie.

    Raises
    ------
    InputError
        For more than two models of which none was chosen, a winner that is none of the two, or
        votes that may belong together by a column that was not named; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_votes(example("votes"))
    >>> print(new)
    160 votes in 40 groups: mean share of votes 0.5750
    """
    return read_sources(
        [Source(path)],
        groups=groups,
        systems=systems,
        ignore=ignore,
        where=where,
        empty=empty,
        separator=separator,
    )


@ignoring_more
def read_sources(sources: Sequence[Source], **options: Any) -> tuple[Results, ...]:
    """The same, of a file that is open already."""
    if len(sources) > 1:
        text = "a table of votes has both systems in it"
        raise InputError("paths", sources[1].path, problem=text, expected="one file")
    if options.get("empty") not in (None, "drop"):
        text = "a vote without a winner cannot be counted wrong"
        raise InputError("empty", options["empty"], problem=text, ways=[Say("empty", "drop")])
    whole = table_of(sources[0], options.get("separator"))
    tables.refuse_unknown([whole], tables.asked_of(options).ignore)
    asked = tables.asked_of(options).of(whole)
    if asked.groups is not None:
        whole.need("groups", asked.groups)
    table = tables.chosen_rows(whole, asked)
    roles = find_roles(table, asked)
    a, b = _two_models(table, roles, asked)
    rows = [
        row for row in range(len(table)) if {x.cells[row] for x in roles.models(table)} == {a, b}
    ]
    between = table.rows(rows)
    blank = between[roles.winner].blanks if options.get("empty") == "drop" else 0
    if blank:
        between = _with_winner(between, roles)
    shares = [_share_of_a(between, roles, row, a) for row in range(len(between))]
    return _both(between, roles, asked, (a, b), shares, len(table), blank)


# --- Roles ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VoteRoles:
    """Which columns hold the two models, the winner, the prompt and the rater."""

    first: str
    second: str
    winner: str
    prompt: str | None
    rater: str | None
    key: str | None

    def models(self, table: Table) -> tuple[Any, Any]:
        return table[self.first], table[self.second]

    def by_column(self, table: Table, ignored: Sequence[str]) -> dict[str, str]:
        """The role of each column in a word."""
        found = {name: "ignored" if name in ignored else "extra" for name in table.columns}
        found |= {self.first: "model", self.second: "model", self.winner: "winner"}
        one_each = {"key": self.key, "rater": self.rater, "groups": self.prompt}
        return found | {name: role for role, name in one_each.items() if name is not None}


def _by_plain(table: Table, ignored: Sequence[str] = ()) -> dict[str, str]:
    return {plain(name): name for name in table.columns if name not in ignored}


def _pair(table: Table, names: Mapping[str, str], winner: str) -> tuple[str, str] | None:
    """The two columns of models: those that the winners name, else the first that are there."""
    there = [(names[a], names[b]) for a, b in PAIRS if a in names and b in names]
    said = {plain(cell) for cell in table[winner].distinct}
    for pair in there:
        if said & {plain(pair[0]), plain(pair[1])}:
            return pair
    for first, second in there:
        if table[winner].distinct & (table[first].distinct | table[second].distinct):
            return first, second
    return there[0] if there else None


def find_roles(table: Table, asked: Asked) -> VoteRoles:
    """The role of every column; what is not clear is refused with the ways on."""
    names = _by_plain(table, asked.ignore)
    winner = next((names[one] for one in WINNER if one in names), None)
    pair = None if winner is None else _pair(table, names, winner)
    if winner is None or pair is None:
        expected = "the columns model_a and model_b, and the winner beside them"
        raise table.fault(expected=expected)
    # The other pair of columns, such as the models' numbers, says the same once more.
    taken = {winner, *(names[one] for both in PAIRS for one in both if one in names)}
    prompts = [names[one] for one in PROMPTS if one in names and names[one] not in taken]
    prompt = asked.groups
    if prompt is None:
        prompt = next((one for one in prompts if table[one].repeats), None)
    raters = [names[one] for one in RATERS if one in names and names[one] not in taken]
    rater = next((one for one in raters if table[one].repeats and one != prompt), None)
    keys = [name for name in names.values() if is_id(name) and table[name].is_distinct]
    key = next((name for name in keys if name not in {*taken, prompt, rater}), None)
    if prompt is None:
        _ask_about(table, [name for name in names.values() if name not in taken], rater, prompts)
    return VoteRoles(*pair, winner, prompt, rater, key)


def _ask_about(
    table: Table, others: Sequence[str], rater: str | None, prompts: Sequence[str]
) -> None:
    """A column by which votes may belong together is never left out without a word."""
    for name in others:
        column = table[name]
        if name == rater or (column.is_text and column.repeats and name not in prompts):
            text = f"the column {name!r:.60} repeats, and no prompt says what votes belong to"
            ways = [
                Say("groups", name, "if votes with the same value belong together"),
                Say("ignore", name, "if they do not"),
            ]
            raise table.fault(problem=text, ways=ways)


# --- Votes ----------------------------------------------------------------------------------------


def _two_models(table: Table, roles: VoteRoles, asked: Asked) -> tuple[str, str]:
    """A and B: as asked, or the two that there are, the one that is seen first as A."""
    first, second = (table.filled(name) for name in (roles.first, roles.second))
    seen = table.in_order(roles.first, roles.second)
    same = next((row for row, (x, y) in enumerate(zip(first, second)) if x == y), None)
    if same is not None:
        text = "the same model on both sides"
        raise table.fault_at(same, roles.second, problem=text, expected="two models")
    for name in asked.systems:
        if name not in seen:
            raise InputError("systems", name, expected=f"one of {some_of(sorted(seen), 12)}")
    chosen = asked.systems or tuple(seen)
    pairs = Counter(frozenset(pair) for pair in zip(first, second))
    if len(chosen) != 2:
        most = [pair for pair, _ in pairs.most_common(_MOST_PAIRS)]
        ways = [Say("systems", [name for name in seen if name in pair]) for pair in most]
        text = f"votes between {counted(len(seen), 'model')}: {some_of(seen)}"
        raise table.fault(problem=text, expected="two of them", ways=ways)
    if not pairs[frozenset(chosen)]:
        text = "no vote is between these two"
        raise InputError("systems", list(chosen), file=table.source.path, problem=text)
    return chosen[0], chosen[1]


def _share_of_a(table: Table, roles: VoteRoles, row: int, a: str) -> float:
    """1 where A won the vote, 0 where B did, 0.5 for a tie."""
    first, second = (column.cells[row] for column in roles.models(table))
    cell = table[roles.winner].cells[row]
    said = plain(cell)
    if cell in (first, second):
        return float(cell == a)
    if said in _FIRST or said == plain(roles.first):
        return float(first == a)
    if said in _SECOND or said == plain(roles.second):
        return float(second == a)
    if said in _TIE:
        return 0.5
    expected = f"{roles.first}, {roles.second}, tie, or {first!r:.40} or {second!r:.40}"
    ways = [] if cell else [Say("empty", "drop", "to leave out votes with a blank winner")]
    raise table.fault_at(row, roles.winner, expected=expected, ways=ways)


def _with_winner(table: Table, roles: VoteRoles) -> Table:
    """The votes whose winner is not blank."""
    kept = [row for row, cell in enumerate(table[roles.winner].cells) if cell]
    if not kept:
        text = f"all {counted(len(table), 'vote')} between the two have a blank winner"
        raise table.fault(problem=text)
    return table.rows(kept)


def _both(
    table: Table,
    roles: VoteRoles,
    asked: Asked,
    names: tuple[str, str],
    shares: Sequence[float],
    n_all: int,
    n_blank: int,
) -> tuple[Results, ...]:
    ties = sum(share == 0.5 for share in shares)
    note = "Each vote is 1 for its winner" + (", and half for both in a tie" if ties else "")
    notes = [f"{note} ({counted(ties, 'tie')})." if ties else f"{note}."]
    reading = [f"{counted(len(table), 'vote')} between {names[0]} and {names[1]}"]
    n_between = len(table) + n_blank
    if n_all > n_between:
        notes.append(f"Only the {counted(n_between, 'vote')} between these two, of {n_all:,}.")
    if n_blank:
        notes.append(f"{counted(n_blank, 'vote')} with a blank winner left out.")
    reading.append(f"{roles.first} and {roles.second} are the models, {roles.winner} says who won")
    if roles.prompt is not None:
        reading.append(f"{roles.prompt} says what votes belong to")
    if roles.rater is not None and roles.rater != roles.prompt:
        n_raters = len(table[roles.rater].distinct)
        reading.append(
            f"{roles.rater}: {counted(n_raters, 'rater')}, who are not counted as groups"
        )
    known = {roles.first, roles.second, roles.winner, roles.prompt, roles.key, *asked.ignore}
    extra = {name: table[name].cells for name in table.columns if name not in known}
    groups = None if roles.prompt is None else table.filled(roles.prompt)
    if groups is not None and len(set(groups)) == 1:
        groups = None
        notes.append(f"All votes are on one {roles.prompt}: they say nothing about others.")
    return tuple(
        Results(
            list(own),
            name=name,
            ids=None if roles.key is None else table[roles.key].cells,
            groups=groups,
            unit="vote",
            quantity="share of votes",
            columns=extra,
            notes=notes,
            reading=reading,
        )
        for name, own in zip(names, (shares, [1 - share for share in shares]))
    )


# --- The format -----------------------------------------------------------------------------------


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    """A column of winners, and two of models, the names of which are no numbers of the systems."""
    if not tables.is_table(sources[0], asked):
        return False
    names = _by_plain(table_of(sources[0], asked.get("separator")))
    return any(one in names for one in WINNER) and any(a in names and b in names for a, b in PAIRS)


FORMAT = Format(
    kind="votes",
    holds="votes between two models",
    you_have="votes of people or judges: two models and a `winner` per row, ties or not",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"groups", "systems", "ignore", "where", "empty", "separator"}),
    questions=("score", "compare", "plan"),
    example=("votes.csv",),
    reader="read_votes",
    then="`compare`: each system's share of the votes",
    compared_by=frozenset(),
)
