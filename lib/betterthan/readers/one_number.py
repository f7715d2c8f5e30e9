"""One number per line, one file per system: what ``cut`` and ``jq`` leave behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan._words import counted
from betterthan.errors import Say
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import Source, as_number
from betterthan.readers.folds import FEW_ROWS
from betterthan.results import Results

__all__ = ["FORMAT"]


def read_sources(
    sources: Sequence[Source], items: bool = False, test_share: float | None = None
) -> tuple[Results, ...]:
    """One system per file."""
    found = []
    for name, source in zip(names_of_systems(sources), sources):
        numbers = _numbers(source)
        if len(numbers) <= FEW_ROWS and not items and test_share is None:
            text = f"{counted(len(numbers), 'number')} that may be folds of a cross-validation"
            ways = [
                Say("test_share", 0.1, "for folds that are a tenth of the corpus"),
                Say("items", True, "if they are items of a test set"),
            ]
            raise source.fault(problem=text, ways=ways)
        unit = "item" if test_share is None else "fold"
        reading = ["one number per line"]
        found.append(Results(numbers, name=name, unit=unit, test_share=test_share, reading=reading))
    return tuple(found)


def _numbers(source: Source) -> np.ndarray:
    lines = source.text.rstrip().split("\n")
    found = [as_number(line.strip()) for line in lines]
    for number, (line, value) in enumerate(zip(lines, found), 1):
        if value is None or abs(value) >= 1e100:
            raise source.fault(line=number, expected=f"a finite number, found {line!r:.60}")
    return np.array(found, dtype=float)


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if sources[0].folder is not None:
        return False
    first = next((line.strip() for line in sources[0].head.split("\n") if line.strip()), "")
    return as_number(first) is not None


FORMAT = Format(
    kind="numbers",
    holds="one number per line",
    you_have="one number per line, a file per system",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"items", "test_share"}),
    questions=("score", "compare", "plan"),
    example=("old.txt", "new.txt"),
    reader="read",
    then="`score`, `compare`",
    compared_by=frozenset({"metric"}),
)
