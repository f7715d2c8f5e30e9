"""How the command line prints: in the letters that a terminal has, as text or as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from betterthan._words import cell


def write(text: str, stream: Any = None) -> None:
    """Print in the letters that the terminal or file has."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for letter, instead in _PLAINER.items():
            text = text.replace(letter, instead)
        text = text.encode(encoding, errors="backslashreplace").decode(encoding)
    print(text, file=stream)


# For terminals that have no such letters.
_PLAINER = {"≤": "<=", "…": "...", "×": "x", "−": "-", "–": "-", "’": "'"}


def in_text(table: Any) -> str:
    """A table for the terminal, with two blanks before each name of a column of numbers."""
    numbers = [kind.kind in "fiub" for kind in table.dtypes]
    header = [f" {name}" if yes else str(name) for name, yes in zip(table.columns, numbers)]
    return str(table.to_string(index=False, header=header, formatters=_formats(table)))


def _formats(table: Any) -> list[Callable[[Any], str] | None]:
    """How each column of a table is written; None as it is."""
    found: list[Callable[[Any], str] | None] = []
    for name, kind in zip(table.columns, table.dtypes):
        chance = str(name).startswith(("pvalue", "p_"))
        found.append(partial(cell, chance=chance) if kind.kind == "f" else None)
    return found


def in_markdown(table: Any) -> str:
    """A table for a comment on a pull request."""
    formats = _formats(table)
    rows = [
        [plain_markdown((written or str)(one)) for written, one in zip(formats, row)]
        for row in table.itertuples(index=False)
    ]
    lines = [
        [plain_markdown(str(name)) for name in table.columns],
        ["---"] * len(table.columns),
        *rows,
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain_markdown(text: str) -> str:
    """Names are text: what Markdown would take for a mark is kept from it."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#~" else letter for letter in text)


_OFFERED = "ask: "


def line_in_markdown(line: str) -> str:
    """A line of an answer; a command that it offers stays as it is typed."""
    mark, command = line[: len(_OFFERED)], line[len(_OFFERED) :]
    if mark != _OFFERED or "`" in command:
        return plain_markdown(line)
    return f"{mark}`{command}`"


def quoted(word: str) -> str:
    """A word as it is typed in a shell: in quotation marks where it needs them."""
    plain = word and all(letter.isalnum() or letter in "_-=.,:/+@%*" for letter in word)
    return word if plain and "*" not in word else "'" + word.replace("'", "'\\''") + "'"
