"""What a study is, and which ones there are."""

from __future__ import annotations

import difflib
import functools
import graphlib
import importlib
import itertools
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import _checks

Task = dict[str, Any]
Rows = list[dict[str, Any]]
Seed = np.random.SeedSequence
RunTask = Callable[[Task, Seed], Rows]


def grid(**values: Iterable[Any]) -> Callable[[], list[Task]]:
    """What `Study` takes as its tasks: every combination, the last parameter changing fastest.

    Examples
    --------
    >>> grid(corpus=["es", "nl"], fold=range(2))()[1:3]
    [{'corpus': 'es', 'fold': 1}, {'corpus': 'nl', 'fold': 0}]
    """
    combinations = list(itertools.product(*values.values()))
    return functools.partial(list, [dict(zip(values, chosen)) for chosen in combinations])


@dataclass(frozen=True)
class Study:
    """A list of independent tasks and the function that does one of them.

    Parameters
    ----------
    name
        Letters, digits, ``-`` and ``_``; names the result files.
    tasks
        Called without arguments, returns a list of dicts: the parameters of each task.
    run
        A module-level function ``run(task, seed)``: `task` is one of those dicts, `seed` a
        ``numpy.random.SeedSequence`` of its own. Returns the rows of the result, a list of
        dicts of numbers and strings.
    seed
        The seed from which every task gets its child, by its place in the list; so results
        depend neither on the number of workers nor on the order in which they finish.
    datasets
        What it reads, so that its hash is recorded: names of the loaders in
        :mod:`betterthan.datasets`, ``"papers/NAME"`` and ``"studies/NAME"`` for committed tables.
    title
        One line that says what is measured.
    columns
        The columns of the result. If given, each row must have exactly these; if not, they
        are those of the rows, in order of appearance. What a column whose name ends in
        ``seconds`` holds is measured, and may differ from run to run.
    needs
        Packages that nothing else needs; ``--all`` leaves the study out where one is missing.

    Raises
    ------
    ValueError
        On a name that cannot be a file name, a seed that is not a whole number, or a `run`
        that another process could not import (a lambda, a nested function).
    """

    name: str
    tasks: Callable[[], Sequence[Task]]
    run: RunTask
    seed: int
    datasets: tuple[str, ...] = ()
    title: str = ""
    columns: tuple[str, ...] | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", str(self.name)):
            expected = "letters, digits, '-' and '_', beginning with a letter or digit"
            raise ValueError(f"name={self.name!r}: expected {expected}")
        if "<" in getattr(self.run, "__qualname__", "<"):
            expected = "a function at the top level of a module, which other processes can import"
            raise ValueError(f"run={self.run!r:.80}: expected {expected}")
        _checks.whole("seed", self.seed, least=0)

    @property
    def command(self) -> str:
        """The command that makes the results."""
        return f"python -m studies {self.name}"


def discover() -> tuple[dict[str, Study], str]:
    """All studies of this package by name, and in words which modules cannot be imported."""
    found: dict[str, Study] = {}
    failed = []
    for info in pkgutil.iter_modules([str(Path(__file__).parent)], "studies."):
        try:
            module = None if "._" in info.name else importlib.import_module(info.name)
        except Exception as error:  # one broken module must not hide the others
            failed.append(f"{info.name} cannot be imported ({type(error).__name__}: {error})")
            continue
        for study in getattr(module, "STUDIES", ()):
            if study.name in found:
                raise ValueError(f"two studies are called {study.name!r}, one in {info.name}")
            found[study.name] = study
    return dict(sorted(found.items())), "; ".join(failed)


def get(name: str) -> Study:
    """The study called `name`.

    Raises
    ------
    ValueError
        When there is none of that name; the message lists those there are.
    """
    found, failed = discover()
    if name in found:
        return found[name]
    near = difflib.get_close_matches(str(name), found, n=1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    known = f"{', '.join(found)}; {failed}" if failed else ", ".join(found)
    raise ValueError(f"name={name!r}: no such study;{hint} expected one of: {known}")


def in_order(chosen: Iterable[Study]) -> list[Study]:
    """The studies by name, but after those whose results they read.

    Raises
    ------
    ValueError
        When they read each other's results in a circle.
    """
    named = {study.name: study for study in sorted(chosen, key=lambda study: study.name)}
    needs = {n: [o for o in named if f"studies/{o}" in s.datasets] for n, s in named.items()}
    return [named[name] for name in graphlib.TopologicalSorter(needs).static_order()]
