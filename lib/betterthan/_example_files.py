"""The example files of each format, copied into a folder: what ``betterthan example`` does."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from betterthan import readers
from betterthan._printing import quoted
from betterthan.errors import InputError


def files_of(kind: str) -> list[Path]:
    """Where the files of one kind are, in the package."""
    found = readers.example(kind)
    return list(found) if isinstance(found, tuple) else [found]


def write(kind: str, folder: Path) -> list[Path]:
    """Copy the files of one kind into a folder, and say where they are now.

    Raises
    ------
    InputError
        For a kind that does not exist, a folder that is a file, or a file that is there already.
    """
    files = files_of(kind)
    if folder.exists() and not folder.is_dir():
        raise InputError("folder", str(folder), expected="a folder, but this is a file")
    copies = [folder / path.name for path in files]
    for path in copies:
        if path.exists():
            text = "is there already, and is not overwritten; name another folder: "
            text += f"betterthan example {kind} FOLDER"
            raise InputError(file=path, problem=text)
    folder.mkdir(parents=True, exist_ok=True)
    for path, copy in zip(files, copies):
        if path.is_dir():
            shutil.copytree(path, copy)
        else:
            shutil.copyfile(path, copy)
    return copies


def to_look_at(kind: str, files: Sequence[Path]) -> str:
    """The files of an example as they are typed, with what they are held against."""
    typed = [quoted(str(path)) for path in files]
    if kind in ("trec", "conllu"):
        return f"{' '.join(typed[:-1])} --gold {typed[-1]}"
    if kind == "words":
        return f"{' '.join(typed[1:3])} --gold {typed[0]}"
    if kind == "translations":
        return f"{' '.join(typed[1:])} --references {typed[0]}"
    return " ".join(typed)
