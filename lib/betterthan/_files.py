"""What the command line says of files that were typed: one is not there, one is given twice."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from betterthan import _example_files, readers
from betterthan._words import nearest_file
from betterthan.errors import InputError

__all__ = ["instead_of", "refuse_twice"]


def instead_of(path: str) -> str:
    """What may be meant by a file that is not there.

    Parameters
    ----------
    path : str
        As it was typed.

    Returns
    -------
    str
    """
    name = Path(path).name
    close = nearest_file(path)
    if close:
        return f"is it {close}?"
    for kind in readers.EXAMPLES:
        if name in [one.name for one in _example_files.files_of(kind)]:
            return f"betterthan example {kind} writes one to try it with"
    return "betterthan example writes files to try it with"


def refuse_twice(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice: it would be compared with itself.

    Parameters
    ----------
    paths : sequence of str
        As they were typed.

    Raises
    ------
    InputError
        With the file.
    """
    seen = set()
    for path in paths:
        real = path if path == "-" else os.path.realpath(path)
        if real in seen:
            text = "given twice, so it would be compared with itself"
            raise InputError("paths", path, problem=text, expected="a file for each system")
        seen.add(real)
