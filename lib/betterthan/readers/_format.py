"""What a format of files is: how it is told from others, how it is read, what may be asked of it.

`betterthan.readers.FORMATS` lists all of them. The command line, ``betterthan look``, the table of
files in README and *Which test?*, the cookbook and many tests are made from that list, so a new
format is one module and one line; CONTRIBUTING names the few lists beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from betterthan._words import nearest
from betterthan.errors import InputError
from betterthan.readers._text import Source


@dataclass(frozen=True)
class Format:
    """One kind of file.

    Attributes
    ----------
    kind : str
        Its short name, for `example` and tests: "swebench".
    holds : str
        What sentences and errors call it, with its article: "a report of SWE-bench".
    you_have : str
        The same in the words of somebody who has such a file: a row of the table in README.
    recognises : callable
        Takes the sources and what was asked; whether they are of this kind.
    read : callable
        Takes the sources and the options; gives a tuple of `Results`, or what `gives` says.
    options : frozenset of str
        What `read` takes beyond the sources.
    untyped : frozenset of str
        Those of them that are arrays, and so cannot be typed on a command line.
    compared_by : frozenset of str
        What can be said of their comparison, where the reader does not take it: "metric", and
        "unmatched" where units have names.
    questions : tuple of str
        Which commands it can answer: "score", "compare", "datasets", "plan", "threshold".
    example : tuple of str
        Its example files, below ``examples/``.
    reader : str
        The function of `betterthan.readers` for those who know the format, or "read".
    then : str
        What to do with what it gives.
    gives : str
        "results", or what else.
    """

    kind: str
    holds: str
    you_have: str
    recognises: Callable[[Sequence[Source], Mapping[str, Any]], bool]
    read: Callable[..., Any]
    options: frozenset[str]
    questions: tuple[str, ...]
    example: tuple[str, ...]
    reader: str
    then: str
    gives: str = "results"
    untyped: frozenset[str] = frozenset()
    compared_by: frozenset[str] = frozenset({"metric", "unmatched"})

    def refuse_idle(self, options: Mapping[str, Any], path: str) -> None:
        """Refuse options that do nothing for such files."""
        for name in options:
            if name not in self.options:
                text = f"does nothing for {self.holds} ({path})"
                close = None if name in _OF_COMPARE else nearest(name, sorted(self.options))
                hint = f"; is it {close}=?" if close else _OF_COMPARE.get(name, "")
                raise InputError(name, options[name], problem=text + hint)


# What is said about a comparison, and not about a file.
_OF_COMPARE = {
    name: f"; compare takes {name}="
    for name in ("confidence_level", "margin", "names", "paired", "ratio", "shared_runs")
} | dict.fromkeys(("higher_is_better", "lower_is_better"), "; compare takes higher_is_better=False")


def names_of_systems(sources: Sequence[Source]) -> list[str]:
    """What files call their systems: by name or, where that says nothing, by folder."""
    whole = [Path(source.path).resolve() for source in sources]
    stems = [path.name if source.folder else source.stem for path, source in zip(whole, sources)]
    parts = [[*path.parts[:-1], stem] for path, stem in zip(whole, stems)]
    made_by_a_tool = all(re.match(r"samples_|\d{4}-\d\d-\d\dT", part[-1]) for part in parts)
    for depth in range(2 if made_by_a_tool else 1, min(map(len, parts))):
        names = [part[-depth] for part in parts]
        if len(set(names)) == len(names):
            return names
    if made_by_a_tool and len(parts) == 2:
        return ["old", "new"]
    return [part[-1] for part in parts]
