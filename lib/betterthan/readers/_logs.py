"""What logs of evaluation harnesses share: files by task, a metric to choose, systems to match."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan._words import some_of
from betterthan.errors import InputError, Say
from betterthan.readers._format import names_of_systems
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

Tasks = dict[str, tuple[Results, ...]]


def sources_of(argument: str, paths: PathLike | Iterable[PathLike]) -> list[Source]:
    """The files and folders of one model."""
    listed: list[PathLike] = []
    if isinstance(paths, str | os.PathLike):
        listed = [paths]
    elif isinstance(paths, Iterable) and not isinstance(paths, Mapping):
        listed = list(paths)
    if not listed:
        raise InputError(argument, paths, expected="a folder, or a list of files")
    return [Source(path) for path in listed]


def second_run(source: Source, task: str, first: str, found: Sequence[Source]) -> InputError:
    """One model has two logs of the same task, or its folder holds the logs of two models."""
    text = f"a second run of the task {task!r}, after {first}"
    both = _two_models([one.path for one in found]) if len(found) > 1 else []
    if both:
        ways = [Say("paths", both, "for two models (A, the old one, first)")]
        return source.fault(problem=text, expected="one for each model", ways=ways)
    return source.fault(problem=text, expected="one (give the files instead of their folder)")


_STAMP = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+")
_OLD = ("base", "baseline", "before", "old")


def _two_models(logs: Sequence[str]) -> list[str]:
    """The two folders, or files, into which the logs in one folder fall; the old one first."""
    above = os.path.commonpath(logs)
    parts: dict[str, list[str]] = {}
    for log in logs:
        below = Path(os.path.relpath(log, above)).parts[0]
        parts.setdefault(os.path.join(above, below), []).append(Path(log).name)
    # By when they were made, where names say that.
    made = {path: min(_stamps(names), default="") for path, names in parts.items()}
    order = lambda path: (made[path], Path(path).stem.lower() not in _OLD, path)  # noqa: E731
    return sorted(parts, key=order) if len(parts) == 2 else []


def _stamps(names: Sequence[str]) -> list[str]:
    return [found[0] for found in map(_STAMP.search, names) if found]


def pick(
    source: Source,
    task: str,
    what: str,
    asked: Any,
    known: Sequence[str],
    usual: Sequence[str] = (),
) -> str:
    """The metric, filter or scorer of a task: as asked, or the usual one, or the only one."""
    wanted = asked.get(task) if isinstance(asked, Mapping) else asked
    # One filter for all tasks is meant for those with several.
    if wanted is None or (what == "filter" and isinstance(asked, str) and len(known) == 1):
        only = known[0] if len(known) == 1 else None
        wanted = next((name for name in usual if name in known), only)
    if wanted is None or wanted not in known:
        shown = ", ".join(map(repr, known)) or "(none that is a number)"
        chosen = f"no {what} was said" if wanted is None else f"{what} {wanted!r:.60} is not there"
        ways = [Say(what, {task: one}) for one in known[:2]]
        raise source.fault(
            problem=f"task {task!r}: {chosen}", expected=f"one of {shown:.400}", ways=ways
        )
    return str(wanted)


def check_by_task(name: str, asked: Any, tasks: Iterable[str]) -> None:
    """Refuse what is neither a name nor a mapping from known tasks to names."""
    if asked is None or isinstance(asked, str):
        return
    known = set(tasks)
    if not isinstance(asked, Mapping) or set(asked) - known:
        text = "a name, or a mapping from the task to the name"
        raise InputError(name, asked, expected=f"{text}; tasks are {some_of(sorted(known), 12)}")


def shared(what: str, models: Sequence[Mapping[Any, Any]], unmatched: str) -> list[Any]:
    """What all models have; the rest is refused, or named in a warning."""
    everything = set().union(*models)
    common = everything.intersection(*models)
    alone = sorted(everything - common)
    if alone:
        shown = f"{what}: {len(alone)} only in some of the models: {some_of(alone)}"
        if unmatched == "refuse" or not common:
            ways = [Say("unmatched", "drop", "to leave them out")] if common else []
            raise InputError(problem=shown, expected="all models on the same", ways=ways)
        warnings.warn(f"{shown}; left out", stacklevel=_levels_to_the_caller())
    return sorted(common)


def _levels_to_the_caller() -> int:
    """How far it is from whoever asks to the first line of code that is not the library's."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("betterthan."):
        level, frame = level + 1, frame.f_back
    return level + 1


def only_task(found: Tasks, task: str | None) -> tuple[Results, ...]:
    """The one task of logs, or the one asked for."""
    if task is not None:
        if task not in found:
            raise InputError("task", task, expected=f"one of {some_of(list(found), 12)}")
        return found[task]
    if len(found) > 1:
        text = f"{len(found)} tasks: {some_of(list(found), 8)}"
        ways = [Say("task", next(iter(found)), "for one of them")]
        way_on = "the command datasets, or the reader of the format, takes all of them"
        raise InputError("task", problem=text, expected=f"one; {way_on}", ways=ways)
    return next(iter(found.values()))


def model_names(groups: Sequence[Sequence[Source]]) -> list[str]:
    """What the models are called, by the first file or folder of each."""
    return names_of_systems([own[0] for own in groups])


def together(
    models: Sequence[Mapping[str, Any]],
    unmatched: str,
    read: Callable[[Sequence[Any], str], tuple[Results, ...]],
) -> Tasks:
    """Task by task what `read` makes of all models."""
    if len(models) == 1:
        return {task: read([one], task) for task, one in models[0].items()}
    return {
        task: read([own[task] for own in models], task)
        for task in shared("tasks", models, unmatched)
    }
