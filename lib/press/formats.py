"""The table of files that can be read, in README and on *Which test?*, from `readers.FORMATS`.

    python -m press.formats

It stands between two marks on each page, and a test says when it is out of date.
"""

from __future__ import annotations

import re

from betterthan.readers import FORMATS, Format
from press import ROOT

PAGES = (ROOT / "README.md", ROOT / "chapters" / "x-which-test.md")
MARKS = "<!-- files: `python -m press.formats` writes this table -->", "<!-- end of files -->"
BETWEEN = re.compile(f"(?<={re.escape(MARKS[0])}\n\n).*?(?=\n\n{re.escape(MARKS[1])})", re.DOTALL)


def table() -> str:
    """One row per format: those that most can be asked of come first."""
    lines = ["| you have | `betterthan …` | in Python | then |", "| --- | --- | --- | --- |"]
    general_first = [*reversed(FORMATS)]
    for one in sorted(general_first, key=lambda known: -len(known.questions)):
        asked = ", ".join(f"`{question}`" for question in one.questions)
        lines.append(f"| {one.you_have} | {asked} | {_readers(one)} | {one.then} |")
    return "\n".join(lines)


def _readers(one: Format) -> str:
    """`read` where it reads such files, and the reader for those who know what they have."""
    general = ["`read`"] if one.gives == "results" else []
    particular = [f"`readers.{one.reader}`"] if one.reader != "read" else []
    return ", ".join(general + particular)


def updated(text: str) -> str:
    """A page with the table as it should be.

    Raises
    ------
    ValueError
        For a page that has not the two marks, once each.
    """
    page, found = BETWEEN.subn(lambda _: table(), text)
    if found != 1:
        raise ValueError(f"expected one table between {MARKS[0]} and {MARKS[1]}, found {found}")
    return page


def main() -> None:
    for path in PAGES:
        path.write_text(updated(path.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
