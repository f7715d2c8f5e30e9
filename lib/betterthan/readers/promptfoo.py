"""Results of promptfoo: JSON, JSON lines or CSV, as `promptfoo eval -o FILE` writes them.

A system is a provider with its prompt, an item is a test with its variables, and repeats are runs.
No file but the JSON says how often tests were repeated; elsewhere tests with the same variables and
description are repeats of one.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan._words import counted, some_of
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._roles import refuse_groups_of_one
from betterthan.readers._table import Column, csv_rows, is_number, loads, refuse_endless_names
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_promptfoo"]

# What a CSV calls the answers of a provider; Status, Score and Grader Reason follow.
_PROVIDER = re.compile(r"\[(?P<provider>[^\]]*)\] (?P<prompt>.*)", re.DOTALL)
_STATUS = {"PASS": True, "FAIL": False, "ERROR": False}
_ERROR = 2  # failureReason: 0 is none, 1 an assertion, 2 an error


def read_promptfoo(
    *paths: PathLike,
    metric: str | None = None,
    groups: str | None = None,
    ignore: Sequence[str] = (),
    systems: Sequence[str] = (),
) -> tuple[Results, ...]:
    """Which tests each provider passed, from the files of promptfoo.

    Parameters
    ----------
    *paths : str or Path
        One file with all providers, or one per provider, the old one first.
    metric : str, optional
        The default None takes whether a test was passed; "score" its score, and the name of a
        named score that.
    groups : str, optional
        The variable that says what tests belong to (a document, a topic).
    ignore : sequence of str
        Variables that repeat and do not matter.
    systems : sequence of str
        Which providers, the old one first.

    Returns
    -------
    tuple of Results
        One per provider and prompt. Variables stay as columns; repeats are runs.

    Raises
    ------
    InputError
        For a file that cannot be read, tests that not all providers have, repeats that do not come
        out even, or a variable that repeats and may say what tests belong to.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_promptfoo(example("promptfoo"))
    >>> print(new)
    40 tests: accuracy 0.6000
    """
    if not paths:
        raise InputError("paths", expected="at least one file")
    sources = [Source(path) for path in paths]
    return read_sources(sources, metric=metric, groups=groups, ignore=ignore, systems=systems)


@ignoring_more
def read_sources(
    sources: Sequence[Source],
    metric: str | None = None,
    groups: str | None = None,
    ignore: Any = (),
    systems: Any = (),
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    ignored = [ignore] if isinstance(ignore, str) else list(ignore or ())
    found = []
    for source in sources:
        answers = _answers(source)
        names = _names(answers)
        own = [
            _system(source, name, [one for one in answers if one.system == key], metric)
            for key, name in names.items()
        ]
        found.append(_chosen(own, systems))
    _refuse_unknown(found[0][0], groups, ignored)
    flat = _one_each(sources, found) if len(sources) > 1 else found[0]
    return tuple(_grouped(sources[0], one, groups, ignored) for one in flat)


def _chosen(own: list[Results], systems: Any) -> list[Results]:
    """The providers that were asked for, in that order."""
    wanted = [systems] if isinstance(systems, str) else list(systems or ())
    by_name = {one.name: one for one in own}
    for name in wanted:
        if name not in by_name:
            raise InputError("systems", name, expected=f"one of {some_of(list(by_name), 12)}")
    return [by_name[name] for name in wanted] or own


def _one_each(sources: Sequence[Source], found: Sequence[list[Results]]) -> list[Results]:
    for source, own in zip(sources, found):
        if len(own) > 1:
            names = [one.name for one in own]
            text = f"found {len(own)} providers, {some_of(names)}, in one of {len(sources)} files"
            raise source.fault(problem=text, ways=[Say("systems", names[0])])
    names = [own[0].name for own in found]
    if len(set(names)) < len(names):
        names = names_of_systems(sources)
    return [own.named(name) for name, [own] in zip(names, found)]


# --- Answers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Answer:
    """What one provider's prompt did on one test."""

    line: int
    system: tuple[int, str, str]  # number, provider, prompt
    item: str
    test: int | None  # its number, where repeats are known
    passed: bool
    score: float
    named: dict[str, Any]
    failed: bool  # with an error, not by an assertion
    variables: dict[str, str]


def _answers(source: Source) -> list[_Answer]:
    """Everything a file holds, in its order."""
    text = source.head.lstrip()
    if not text.startswith("{"):
        refuse_endless_names(source)
        found = list(_of_csv(source))
    elif _is_whole(text):
        found = list(_of_json(source))
    else:
        numbered = ((line, one) for line, one in source.lines() if one.strip())
        found = [_of_record(source, line, loads(source, one, line)) for line, one in numbered]
    if not found:
        raise source.fault(problem="no results", expected="what promptfoo eval writes")
    return found


def _of_json(source: Source) -> Iterator[_Answer]:
    whole = loads(source, source.text, 1)
    results = whole.get("results") if isinstance(whole, dict) else None
    records = results.get("results") if isinstance(results, dict) else None
    if not isinstance(records, list):
        raise source.fault(expected="results.results, as promptfoo eval -o out.json writes them")
    options = whole.get("runtimeOptions")
    repeat = options.get("repeat", 1) if isinstance(options, dict) else 1
    if not isinstance(repeat, int) or repeat < 1:
        raise source.fault(problem=f"runtimeOptions.repeat={repeat!r:.40}", expected="1 or more")
    for record in records:
        yield _of_record(source, 0, record, repeat)


def _of_record(source: Source, line: int, record: Any, repeat: int | None = None) -> _Answer:
    """One object of `results`; with `repeat` its test is known by number."""
    if not isinstance(record, dict) or not isinstance(record.get("success"), bool):
        raise source.fault(line=line or None, expected="a result of promptfoo, with success")
    provider, prompt = (_object(record.get(name)) for name in ("provider", "prompt"))
    case = _object(record.get("testCase"))
    variables = _object(record.get("vars")) or _object(case.get("vars"))
    described = case.get("description")
    number, score = record.get("testIdx"), record.get("score")
    if not isinstance(number, int) or not isinstance(score, int | float):
        raise source.fault(line=line or None, expected="a result with testIdx and score")
    texts = {str(name): _text(value) for name, value in variables.items()}
    return _Answer(
        line=line,
        system=(
            int(record.get("promptIdx") or 0),
            str(provider.get("label") or provider.get("id") or record.get("provider") or ""),
            str(prompt.get("label") or prompt.get("raw") or ""),
        ),
        item=_item(described if isinstance(described, str) else "", texts),
        test=None if repeat is None else number // repeat,
        passed=record["success"],
        score=float(score),
        named=_object(record.get("namedScores")),
        # `error` also holds the words of an assertion that failed.
        failed=record.get("failureReason") == _ERROR,
        variables=texts,
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _item(description: str, variables: Mapping[str, str]) -> str:
    """What a test is called: by its description and its variables."""
    told = [f"{name}={value}" for name, value in variables.items()]
    return ", ".join([description, *told] if description else told) or "(no variables)"


def _of_csv(source: Source) -> Iterator[_Answer]:
    """The CSV: variables, then the columns of each provider."""
    rows = csv_rows(source, ",")
    first, names = next(rows)
    starts = _places(names)
    if not starts:
        expected = "a column [provider] prompt before Status and Score"
        raise source.fault(line=first, expected=expected)
    for line, cells in rows:
        if len(cells) != len(names):
            expected = f"{len(names)} columns, found {len(cells)}; is the file cut off?"
            raise source.fault(line=line, expected=expected)
        variables = dict(zip(names[: starts[0]], cells))
        described = variables.pop("Description", "")
        for number, start in enumerate(starts):
            yield _of_cells(source, line, number, names[start], cells[start:], described, variables)


def _places(names: Sequence[str]) -> list[int]:
    """Where the columns of each provider begin."""
    return [
        place
        for place in range(len(names))
        if _PROVIDER.fullmatch(names[place]) and names[place + 1 : place + 2] == ["Status"]
    ]


def _of_cells(
    source: Source,
    line: int,
    number: int,
    name: str,
    cells: Sequence[str],
    described: str,
    variables: dict[str, str],
) -> _Answer:
    status, score, named = cells[1], cells[2], cells[3]
    called = _PROVIDER.fullmatch(name)
    assert called is not None
    if status not in _STATUS or not is_number(score):
        text = f"{status!r:.40} and {score!r:.40}"
        raise source.fault(line=line, problem=text, expected="PASS, FAIL or ERROR, and a score")
    return _Answer(
        line=line,
        system=(number, called["provider"], called["prompt"]),
        item=_item(described, variables),
        test=None,
        passed=_STATUS[status],
        score=float(score),
        named=_object(loads(source, named, line)) if named.startswith("{") else {},
        failed=status == "ERROR",
        variables=variables,
    )


# --- Systems ------------------------------------------------------------------------------------


def _names(answers: Sequence[_Answer]) -> dict[tuple[int, str, str], str]:
    """What each system is called: its provider, its prompt where that tells them apart."""
    keys = sorted({one.system for one in answers})
    for name in (
        lambda key: key[1],
        lambda key: key[2] if len({one[1] for one in keys}) == 1 else f"{key[1]}, {key[2]}",
        lambda key: f"{key[1]}, {key[2]}, {key[0]}",
    ):
        names = {key: name(key) for key in keys}
        if len(set(names.values())) == len(keys) and all(names.values()):
            break
    return names


def _system(source: Source, name: str, answers: Sequence[_Answer], metric: str | None) -> Results:
    """One provider's tests, repeats as runs."""
    items = _by_item(answers)
    n_runs = Counter(map(len, items.values()))
    if len(n_runs) > 1:
        often = n_runs.most_common(1)[0][0]
        odd = next(item for item, own in items.items() if len(own) != often)
        text = f"{name}: {odd!r:.60} comes {len(items[odd])} times, but most tests {often}"
        expected = "every test as often (the JSON of promptfoo says which are repeats)"
        raise source.fault(problem=text, expected=expected)
    runs = [[own[k] for own in items.values()] for k in range(next(iter(n_runs)))]
    first = runs[0]
    errors = sum(one.failed for one in answers)
    measured = metric not in (None, "accuracy", "success")
    variables = dict.fromkeys(key for one in first for key in one.variables)
    values = [np.array([_value(source, one, metric) for one in run]) for run in runs]
    return Results(
        values if len(values) > 1 else values[0],
        name=name,
        ids=list(items),
        unit="test",
        metric="mean" if measured else "accuracy",
        quantity=("score" if metric == "mean" else str(metric)) if measured else "",
        columns={key: [one.variables.get(key, "") for one in first] for key in variables},
        run_names=[f"repeat {k + 1}" for k in range(len(runs))] if len(runs) > 1 else [],
        notes=[f"{counted(errors, 'error')} of {name} count as failed."] if errors else [],
        reading=_reading(len(items), len(runs), list(variables)),
    )


def _reading(n_tests: int, n_runs: int, variables: Sequence[str]) -> list[str]:
    found = [f"{counted(n_tests, 'test')} of promptfoo"]
    if n_runs > 1:
        found.append(f"{n_runs} repeats are runs")
    if variables:
        found.append(f"variables: {some_of(variables, 8)}")
    return found


def _by_item(answers: Sequence[_Answer]) -> dict[str, list[_Answer]]:
    """The repeats of each test: by its number where that is known, else by what it is called."""
    if any(one.test is None for one in answers):
        found: dict[str, list[_Answer]] = {}
        for one in answers:
            found.setdefault(one.item, []).append(one)
        return found
    by_number: dict[int | None, list[_Answer]] = {}
    for one in answers:
        by_number.setdefault(one.test, []).append(one)
    seen: Counter[str] = Counter()
    named = {}
    for own in by_number.values():
        called = own[0].item
        seen[called] += 1
        named[called if seen[called] == 1 else f"{called} #{seen[called]}"] = own
    return named


def _value(source: Source, answer: _Answer, metric: str | None) -> float:
    if metric in (None, "accuracy", "success"):
        return float(answer.passed)
    if metric in ("score", "mean"):
        return answer.score
    value = answer.named.get(str(metric))
    if isinstance(value, bool) or not isinstance(value, int | float):
        known = ", ".join(["score", *answer.named])
        text = f"{answer.item!r:.60} has no such score"
        raise InputError(
            "metric",
            metric,
            file=source.path,
            line=answer.line or None,
            problem=text,
            expected=f"one of {known:.200}",
        )
    return float(value)


# --- Groups -------------------------------------------------------------------------------------


def _refuse_unknown(one: Results, groups: str | None, ignored: Sequence[str]) -> None:
    for argument, name in [("groups", groups), *(("ignore", name) for name in ignored)]:
        if name is not None and name not in one.columns:
            shown = some_of(list(one.columns), 12) or "(there are none)"
            raise InputError(argument, name, expected=f"a variable: {shown}")


def _grouped(source: Source, one: Results, groups: str | None, ignored: Sequence[str]) -> Results:
    """The tests in the groups that were asked for; what may be one is not left out in silence."""
    columns = [Column(name, [str(cell) for cell in cells]) for name, cells in one.columns.items()]
    if groups is not None:
        refuse_groups_of_one(source, next(own for own in columns if own.name == groups))
        return one.grouped(groups)
    hung = [column.name for column in columns if column.is_text and column.repeats]
    open_ones = [name for name in hung if name not in ignored]
    if open_ones:
        name = open_ones[0]
        ways = [
            Say("groups", name, "if it says what tests belong to"),
            Say("ignore", name, "if it does not matter"),
        ]
        text = f"the variable {name!r:.60} repeats, and nothing says what it is"
        raise source.fault(problem=text, ways=ways)
    if hung:
        shown = some_of([repr(name) for name in hung], 3)
        return one.noting(f"Tests count as independent: {shown} was ignored.")
    return one


# --- The format ---------------------------------------------------------------------------------


def _is_whole(text: str) -> bool:
    """Whether it is the JSON of a whole evaluation, perhaps on one line, and no JSON lines."""
    return text.startswith("{") and '"evalId"' in text[:200] and '"results"' in text


def _is_record(line: str) -> bool:
    return '"promptIdx"' in line and '"testCase"' in line and line.lstrip().startswith("{")


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    source = sources[0]
    if source.folder is not None or source.is_packed:
        return False
    text = source.head.lstrip()
    if text.startswith("{"):
        return _is_whole(text) or _is_record(text.split("\n", 1)[0])
    if ",Status,Score" not in text or "Grader Reason" not in text:
        return False
    # The prompt is part of a column's name, and may have several lines.
    names = next(csv.reader(io.StringIO(text, newline="\n")), [])
    return bool(_places(names))


FORMAT = Format(
    kind="promptfoo",
    holds="results of promptfoo",
    you_have="results of promptfoo (JSON, JSON lines, CSV), all providers or a file for each",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"metric", "groups", "ignore", "systems"}),
    questions=("score", "compare", "plan"),
    example=("promptfoo/out.csv",),
    reader="read_promptfoo",
    then="`compare`, `compare_many`; repeats are runs",
    compared_by=frozenset({"unmatched"}),
)
