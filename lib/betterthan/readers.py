"""Readers for the reader's own files.

One function a format: columns of tags (CoNLL), a CSV of scores, a CSV of p-values and
the per-sample logs of lm-evaluation-harness. All of them refuse a file they cannot
read in full, naming the file and the line, rather than skip what they do not understand.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["read_conll"]

PathLike = str | os.PathLike[str]


def read_conll(
    path: PathLike,
    columns: Sequence[str] | Mapping[str, int] = ("word", "gold", "predicted"),
    *,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, list[tuple[str, ...]]]:
    """Sentences in columns: one position a line, a blank line after each sentence.

    Args:
        path: the file. A byte order mark and Windows line ends are taken off;
            ``-DOCSTART-`` lines are left out.
        columns: the names of all columns from left to right, or a mapping from name to
            column number (0 is the first, -1 the last) to take some of them.
        separator: what stands between columns; None takes tabs where the first row has
            a tab, and otherwise runs of blanks.
        comments: leave out lines that begin with this, such as ``"# "``. The default
            None takes every line as data: in tweets a word often begins with ``#``.
        encoding: how the file is encoded.

    Returns:
        For each name the sentences, each a tuple of strings, ready for
        `betterthan.tags.count_spans`.

    Raises:
        ValueError: a row with too few or too many columns, bytes that are not text in
            `encoding`, a file cut off in the middle of a row, or no rows at all; with the
            file and the line.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mine.conll"
    >>> _ = file.write_text("Ann B-PER B-PER\\nleft O O\\n\\nBonn B-LOC O\\n")
    >>> data = read_conll(file)
    >>> data["gold"]
    [('B-PER', 'O'), ('B-LOC',)]
    >>> read_conll(file, {"word": 0, "predicted": -1})["predicted"]
    [('B-PER', 'O'), ('O',)]
    """
    path = Path(path)
    rows = parse_columns(
        path.read_bytes(),
        str(path),
        None if isinstance(columns, Mapping) else len(columns),
        separator=separator,
        comments=comments,
        encoding=encoding,
    )
    width = len(rows[0][0])
    wanted = (
        dict(columns) if isinstance(columns, Mapping) else {n: i for i, n in enumerate(columns)}
    )
    for name, number in wanted.items():
        if not -width <= number < width:
            raise ValueError(
                f"columns[{name!r}]={number}: {path} has {width} columns; expected a number "
                f"from {-width} to {width - 1}"
            )
    return {
        name: [tuple(row[number] for row in sentence) for sentence in rows]
        for name, number in wanted.items()
    }


def parse_columns(
    data: bytes,
    source: str,
    width: int | None,
    *,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
    empty_words: bool = False,
) -> list[list[list[str]]]:
    """Sentences of rows of cells; `source` is what errors call the file.

    `empty_words` lets the first cell be empty, as in corpora that kept a place for a
    character they could not write.
    """
    text = decode(data, source, encoding)
    # Not str.splitlines: tweets hold U+2028 and U+0085, which end no row.
    lines = text.split("\n")
    sentences: list[list[list[str]]] = []
    sentence: list[list[str]] = []
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            if sentence:
                sentences.append(sentence)
                sentence = []
            continue
        if comments is not None and line.startswith(comments):
            continue
        if separator is None:
            separator = "\t" if "\t" in line else " "
        if separator == " ":
            cells = [cell for cell in line.replace("\t", " ").split(" ") if cell]
        else:
            cells = line.split(separator)
        if cells[0] == "-DOCSTART-":
            continue
        if width is None:
            width = len(cells)
        if len(cells) != width:
            if number == len(lines) and len(cells) < width:
                raise ValueError(
                    f"{source}, line {number}: the file ends in the middle of a row "
                    f"({len(cells)} of {width} columns, no line end); is it cut off?"
                )
            raise ValueError(
                f"{source}, line {number}: expected {width} columns, found {len(cells)}: {line!r:.80}"
            )
        if "" in (cells[1:] if empty_words else cells):
            raise ValueError(
                f"{source}, line {number}: column {cells.index('', empty_words) + 1} is empty: {line!r:.80}"
            )
        sentence.append(cells)
    if sentence:
        sentences.append(sentence)
    if not sentences:
        raise ValueError(f"{source}: no rows; expected one position a line")
    return sentences


def decode(data: bytes, source: str, encoding: str) -> str:
    """`data` as text without a byte order mark, or a ValueError with the line."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = data[error.start : error.end].hex(" ")
        raise ValueError(
            f"{source}, line {line}: the byte(s) {shown} are not {encoding}; "
            "expected text in that encoding (another one can be given with encoding=)"
        ) from None
    except LookupError:
        raise ValueError(f"encoding={encoding!r}: expected an encoding Python knows") from None
