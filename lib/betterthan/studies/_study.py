"""What a study is, and which ones there are."""

from __future__ import annotations

import difflib
import graphlib
import importlib
import importlib.util
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import _checks

RunTask = Callable[[dict[str, Any], np.random.SeedSequence], list[dict[str, Any]]]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

# The machinery itself: it holds no studies, and editing it does not change a result.
RUNNER = frozenset(
    f"betterthan.studies{module}"
    for module in ("", ".__main__", "._code", "._files", "._results", "._run", "._study")
)


@dataclass(frozen=True)
class Study:
    """A list of independent tasks and the function that does one of them.

    Parameters
    ----------
    name
        Letters, digits, ``-`` and ``_``; names the result files.
    tasks
        Called without arguments, returns a list of dicts: the parameters of each task, of
        types that JSON knows.
    run
        A module-level function ``run(task, seed)``: `task` is one of those dicts, `seed` a
        ``numpy.random.SeedSequence`` of its own. Returns the rows of the result, a list of
        dicts of numbers and strings.
    seed
        The seed from which every task gets its child, by its place in the list; so results
        depend neither on the number of workers nor on the order in which they finish.
    datasets
        What it reads, so that its hash goes into the provenance: names of the loaders in
        :mod:`betterthan.datasets`, files of the registry (or their folder, ``"BTC/"``),
        ``"papers/NAME"`` and ``"studies/NAME"`` for committed tables.
    title
        One line that says what is measured.
    columns
        The columns of the result. If given, each row must have exactly these; if not, they
        are those of the rows, in order of appearance.

    Raises
    ------
    ValueError
        On a name that cannot be a file name, a seed that is not a whole number, or a `run`
        that another process could not import (a lambda, a nested function).

    Examples
    --------
    >>> from betterthan import studies
    >>> study = studies.get("bcv-crf-small")
    >>> len(study.tasks())
    6
    """

    name: str
    tasks: Callable[[], Sequence[dict[str, Any]]]
    run: RunTask
    seed: int
    datasets: tuple[str, ...] = ()
    title: str = ""
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError(
                f"name={self.name!r}: expected letters, digits, '-' and '_', "
                "beginning with a letter or digit"
            )
        if not callable(self.tasks):
            raise ValueError(f"tasks={self.tasks!r:.80}: expected a function that returns a list")
        where = getattr(self.run, "__qualname__", "<")
        if not callable(self.run) or "<" in where:
            raise ValueError(
                f"run={self.run!r:.80}: expected a function at the top level of a module, "
                "so that other processes can import it"
            )
        _checks.whole("seed", self.seed, least=0)
        for field in ("datasets", "columns"):
            if isinstance(getattr(self, field), str):
                raise ValueError(f"{field}={getattr(self, field)!r}: expected a tuple of names")
        object.__setattr__(self, "datasets", tuple(self.datasets))
        if self.columns is not None:
            object.__setattr__(self, "columns", tuple(self.columns))

    @property
    def command(self) -> str:
        """The command that makes the results."""
        module = self.run.__module__
        if module == "__main__":
            return f"python {Path(sys.argv[0]).name}".rstrip()
        own = "" if module.startswith("betterthan.") else f" --from {module}"
        return f"python -m betterthan.studies {self.name}{own}"

    def task_list(self) -> list[dict[str, Any]]:
        """The tasks, checked.

        Raises
        ------
        ValueError
            When there are none, or one is not a dict that JSON can hold.
        """
        tasks = list(self.tasks())
        if not tasks:
            raise ValueError(f"study {self.name!r}: tasks() returned no tasks")
        for index, task in enumerate(tasks):
            if not isinstance(task, dict):
                raise ValueError(
                    f"study {self.name!r}: task {index} is {task!r:.80}, expected a dict"
                )
            try:
                canonical(task)
            except TypeError as error:
                raise ValueError(
                    f"study {self.name!r}: task {index} is {task!r:.200}, expected values "
                    f"that JSON can hold ({error})"
                ) from None
        return tasks


def canonical(value: Any) -> str:
    """One text for one value, whatever the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} is not JSON")


def _modules() -> list[str]:
    """Modules of this package that may hold studies."""
    import betterthan.studies as package

    own = [f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)]
    return sorted(name for name in own if name not in RUNNER)


def discover(modules: Iterable[str] = ()) -> tuple[dict[str, Study], dict[str, str]]:
    """All studies by name, and why a module could not be imported.

    Looks into every module of this package and into `modules`.
    """
    found: dict[str, Study] = {}
    failed: dict[str, str] = {}
    for name in [*_modules(), *modules]:
        try:
            module = importlib.import_module(name)
        except Exception as error:  # one broken module must not hide the others
            failed[name] = f"{type(error).__name__}: {error}"
            continue
        for study in getattr(module, "STUDIES", ()):
            if study.name in found and found[study.name] is not study:
                raise ValueError(
                    f"two studies are called {study.name!r}: in "
                    f"{found[study.name].run.__module__} and in {name}"
                )
            found[study.name] = study
    return found, failed


def in_order(chosen: Iterable[Study]) -> list[Study]:
    """The studies by name, but after those whose results they read.

    Raises
    ------
    ValueError
        When they read each other's results in a circle.
    """
    by_name = {study.name: study for study in sorted(chosen, key=lambda study: study.name)}
    needs = {
        name: [
            other
            for other in (entry.removeprefix("studies/") for entry in study.datasets)
            if other in by_name and f"studies/{other}" in study.datasets
        ]
        for name, study in by_name.items()
    }
    try:
        return [by_name[name] for name in graphlib.TopologicalSorter(needs).static_order()]
    except graphlib.CycleError as error:
        circle = " -> ".join(error.args[1])
        raise ValueError(f"studies read each other's results in a circle: {circle}") from None


def available(modules: Iterable[str] = ()) -> dict[str, Study]:
    """The studies of this package (and of `modules`), by name.

    Examples
    --------
    >>> from betterthan import studies
    >>> "bcv-crf-small" in studies.available()
    True
    """
    return dict(sorted(discover(modules)[0].items()))


def get(name: str, modules: Iterable[str] = ()) -> Study:
    """The study called `name`.

    Raises
    ------
    ValueError
        When there is none of that name; the message lists those there are.

    Examples
    --------
    >>> from betterthan import studies
    >>> studies.get("bcv-crf-smal")
    Traceback (most recent call last):
      ...
    ValueError: name='bcv-crf-smal': no such study; did you mean 'bcv-crf-small'? ...
    """
    modules = list(modules)
    # The module that spells the name most likely has it: no need to import all the others.
    for module in [*modules, *_modules()]:
        if _mentions(module, name):
            try:
                loaded = importlib.import_module(module)
            except Exception:  # told below, with all the modules that fail
                continue
            for study in getattr(loaded, "STUDIES", ()):
                if study.name == name:
                    return study
    found, failed = discover(modules)
    if name in found:
        return found[name]
    near = difflib.get_close_matches(str(name), found, n=1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    known = ", ".join(sorted(found)) or "none"
    broken = "".join(f"; {module} could not be imported ({why})" for module, why in failed.items())
    raise ValueError(f"name={name!r}: no such study;{hint} expected one of: {known}{broken}")


def _mentions(module: str, name: str) -> bool:
    try:
        spec = importlib.util.find_spec(module)
        source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    except (ImportError, ValueError, OSError):
        return False
    return f'"{name}"' in source or f"'{name}'" in source
