"""The cookbook: every cell that readers copy, on one page, taken from the chapters.

`make chapters` writes `chapters/cookbook.md`; a test says when it is out of date, and
`test_cells.py` runs each of the cells in an empty process.
"""

from __future__ import annotations

import re
from pathlib import Path

import jupytext

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "chapters" / "cookbook.md"
KINDS = {
    "standalone": "Plain numpy and scipy, nothing of ours",
    "take-home": "With the library, on your own file",
}
# What the reader of each kind of file is called: several cells of a chapter read different ones.
FILES = {
    "read_conll": "labels in CoNLL columns",
    "pair_lm_eval": "logs of lm-evaluation-harness",
    "read_pvalues": "a CSV of p-values",
    "read_scores": "a CSV of scores",
    "read_words": "segmented text",
    "read_candidates": "a CSV of scored candidates",
    "read_trec_run": "TREC runs",
}
OPENING = """\
(cookbook)=
# Cookbook

<!-- Written by `make chapters` from the chapters; edit the cells there. -->

Every cell of the book that is made to be copied. Each one brings its own imports and runs by
itself in an empty file; a test does that with all of them. The ones under *Plain numpy and scipy*
(marked *standalone* in the chapters) need nothing else; the others (marked *take it home*) need
`betterthan`,

```console
pip install "betterthan @ git+https://github.com/better-than-chance/better-than-chance"
```

and write a small example file first, so that you can see the format, put yours in its place, and
run the rest unchanged. The chapter behind each cell says what the numbers mean and when not to
trust them.
"""


def what(source: str) -> str:
    """Which kind of file a cell reads, for its heading."""
    return "".join(f": {words}" for reader, words in FILES.items() if f".{reader}(" in source)


def page() -> str:
    """The text of the cookbook, as the chapters stand now."""
    parts = [OPENING]
    for source in sorted((ROOT / "chapters").glob("[0-9]-*.md")):
        text = source.read_text("utf-8")
        title = re.search(r"^# (.+)$", text, re.MULTILINE)[1]
        label = re.search(r"^\((ch-\d)\)=$", text, re.MULTILINE)[1]
        cells = [c for c in jupytext.reads(text, fmt="md:myst").cells if c.cell_type == "code"]
        found = [
            f"**{words}{what(cell.source)}**\n\n```python\n{cell.source.strip()}\n```\n"
            for tag, words in KINDS.items()
            for cell in cells
            if tag in cell.metadata.get("tags", [])
        ]
        if found:
            number = label.removeprefix("ch-")
            parts += [f"## {title}\n\nFrom {{ref}}`chapter {number} <{label}>`.\n", *found]
    return "\n".join(parts)


def write() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
