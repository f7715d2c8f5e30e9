"""Files as bytes and text: each is opened once, unpacked within limits, and decoded with its line.

A `Source` is one file, folder or standard input. Whoever asks what it is and whoever reads it look
at the same bytes, so a pipe loses nothing.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import re
import sys
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from betterthan._words import nearest_file
from betterthan.errors import InputError

PathLike = str | os.PathLike[str]

# What a machine of today reads within seconds; beyond it a file is more likely a mistake.
MOST_BYTES = 500_000_000
MOST_LINES = 10_000_000
# A sentence of more characters is no sentence.
LONGEST_SENTENCE = 100_000
_HEAD = 100_000
_PIECE = 1 << 20
# Digits before the point are matched once: with \d+\.?\d* a long row of digits takes its square.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)

# What people type for a mark between columns that is hard to type, or to quote, in a shell.
SEPARATOR_WORDS = {
    "\\t": "\t",
    "tab": "\t",
    "comma": ",",
    "semicolon": ";",
    "bar": "|",
    "pipe": "|",
    "blank": " ",
    "space": " ",
}


def _opened(path: PathLike) -> BinaryIO:
    """The file, or the system's word that it is not there with the file that may be meant."""
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        close = nearest_file(path)
        if close is None:
            raise
        said = f"{error.strerror} (is it {close}?)"
        raise FileNotFoundError(error.errno, said, error.filename) from None


def separator_of(said: Any) -> Any:
    """A mark between columns that was said by its name; anything else as it is."""
    return SEPARATOR_WORDS.get(said, said) if isinstance(said, str) else said


class Source:
    """One file, folder or standard input, read once.

    Attributes
    ----------
    path : str
        What errors call it.
    folder : Path or None
        Where it is a folder.
    """

    def __init__(self, path: PathLike) -> None:
        if not isinstance(path, str | os.PathLike):
            text = "the path of a file"
            if hasattr(path, "columns"):  # a frame is read already
                text += '; a column of a frame is Results(frame["old"], name="old")'
                text += ', with groups=frame["document"] where items belong together'
                raise InputError("path", expected=f"{text}, got a {type(path).__name__}")
            raise InputError("path", path, expected=text)
        self.path = "standard input" if path == "-" else os.fspath(path)
        self._where = path
        is_folder = path != "-" and os.path.isdir(path)
        self.folder = Path(path) if is_folder else None
        # What was made of the contents, for whoever asks next.
        self.kept: dict[str, Any] = {}

    @cached_property
    def data(self) -> bytes:
        """Everything that is in it, unpacked where it was packed by gzip."""
        if self._where == "-":
            data = _at_most(sys.stdin.buffer)
        else:
            with _opened(self._where) as file:
                data = _at_most(file)
        if len(data) > MOST_BYTES:
            raise self.fault(problem=f"more than {MOST_BYTES:,} bytes", expected="a smaller file")
        return self._unpacked(data) if data[:2] == b"\x1f\x8b" else data

    def _unpacked(self, data: bytes) -> bytes:
        """What was packed by gzip, in one part or in several (as by ``cat a.gz b.gz``)."""
        try:
            # What comes out is counted, not what the file declares.
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                found = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            text = f"not readable as gzip ({error!s:.80}); is the file cut off?"
            raise self.fault(problem=text) from None
        if len(found) > MOST_BYTES:
            text = f"unpacks to more than {MOST_BYTES:,} bytes"
            raise self.fault(problem=text, expected="a smaller file")
        return found

    @cached_property
    def text(self) -> str:
        """The contents as text in UTF-8."""
        return self.decoded("utf-8")

    def decoded(self, encoding: str) -> str:
        """The contents as text, without a byte order mark and with ``\\n`` as line end."""
        return decode(self.data, self.path, encoding)

    @cached_property
    def head(self) -> str:
        """The first characters, whatever they are, with the line ends that `text` has."""
        found = self.data[:_HEAD].decode("utf-8-sig", errors="replace")
        return found.replace("\r\n", "\n") if b"\n" in self.data else found.replace("\r", "\n")

    @property
    def is_packed(self) -> bool:
        """Whether it is a zip (a log, a workbook) or parquet, and no text."""
        return self.data[:4] in (b"PK\x03\x04", b"PAR1")

    @property
    def stem(self) -> str:
        """The name of the file without what says how it is written."""
        name = Path(self.path).name.removesuffix(".gz")
        return Path(name).stem

    def lines(self, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
        """The lines with their numbers, from 1."""
        text = self.text if encoding == "utf-8" else self.decoded(encoding)
        # Not str.splitlines: tweets hold U+2028 and U+0085, which end no row.
        return enumerate(text.split("\n"), 1)

    def fault(self, **parts: Any) -> InputError:
        """What is wrong with it, as an error that names it."""
        return InputError(file=self.path, **parts)


def _at_most(file: Any) -> bytes:
    """What is in a file, or a little more than may be: Python makes room for all that is asked."""
    pieces, left = [], MOST_BYTES + 1
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def decode(data: bytes, source: str, encoding: str) -> str:
    """`data` as text, without a byte order mark and with ``\\n`` as line end; or an InputError."""
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeError as error:
        start, end = getattr(error, "start", 0), getattr(error, "end", 1)
        line = data.count(b"\n" if b"\n" in data else b"\r", 0, start) + 1
        shown = f"the byte(s) {data[start:end][:8].hex(' ')} are not {encoding}"
        utf_16 = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        expected = f"text (save it as UTF-8){utf_16}"
        raise InputError(file=source, line=line, problem=shown, expected=expected) from None
    except (LookupError, TypeError):
        raise InputError("encoding", encoding, expected="an encoding Python knows") from None
    # A lone \r ends lines only where nothing else does; in a tweet it is a character.
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    if text.count("\n") > MOST_LINES:
        text = f"more than {MOST_LINES:,} lines"
        raise InputError(file=source, problem=text, expected="a smaller file")
    return text


def as_number(cell: str) -> float | None:
    """A number as people write it; float() would take 0_1, nan and Infinity, too.

    Examples
    --------
    >>> as_number("0.5"), as_number("1e3"), as_number("nan"), as_number("1_000")
    (0.5, 1000.0, None, None)
    """
    value = float(cell) if _NUMBER.fullmatch(cell) else math.nan
    return value if math.isfinite(value) else None


def as_score(cell: str) -> float | None:
    """The same, or an infinite score, as measures of association have."""
    return float(cell) if cell.lower() in ("inf", "+inf", "-inf") else as_number(cell)


def bytes_stream(data: bytes) -> io.BytesIO:
    """The bytes as a file to read from."""
    return io.BytesIO(data)
