"""The cookbook: every cell that readers copy, on one page, by the file they have.

`make chapters` writes `chapters/cookbook.md` from the chapters and from `cookbook.md` beside this
file, which names the files a reader may have, each with its example, the function that reads it
and, where no chapter has one, a cell. A test says when the page is out of date, and
`test_cells.py` runs each of the cells in an empty process.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import jupytext

from betterthan import readers
from press import ROOT

PAGE = ROOT / "chapters" / "cookbook.md"
OPENING, *PARTS, ALONE = re.split(
    r"^(?=###? )", Path(__file__).with_suffix(".md").read_text("utf-8"), flags=re.MULTILINE
)
FILES = re.findall(r"^### (.+) <!-- (\w+) (\w+) -->$", "".join(PARTS), re.MULTILINE)
CELLS = dict(re.findall(r"<!-- (\w+) .*\n\n```python\n([^`]+)\n```$", "".join(PARTS), re.MULTILINE))


def lines_of(kind: str, count: int = 3) -> str:
    """The first lines of an example, as the reader's own file should look."""
    paths = readers.example(kind)
    blocks = []
    several = paths if isinstance(paths, tuple) else (paths,)
    # One of each sort: both runs look alike, the judgements do not.
    for path in [*{path.suffix: path for path in several[::-1]}.values()][::-1]:
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as log:
                first = json.loads(log.read("summaries.json"))[0]
            lines = [f"{path.name} (a zip), summaries.json:", json.dumps(first)]
        else:
            file = path if path.is_file() else min(path.glob("*.jsonl"))
            lines = [line for line in file.read_text("utf-8").splitlines() if line]
            lines = [line for line in lines if not line.startswith("-DOCSTART-")][:count]
        blocks.append("```text\n" + "\n".join([*lines, "…"]) + "\n```\n")
    return "\n".join(blocks)


def kind_of(source: str) -> str | None:
    """What kind of file a cell reads; of two that one function reads, the example it names."""
    kinds = [kind for _, kind, reader in FILES if f".{reader}(" in source]
    named = [kind for kind in kinds if f'"{kind}"' in source]
    return next(iter(named or kinds), None)


def cells() -> list[tuple[str, str, set[str]]]:
    """The chapter as a link and a title, source and tags of every code cell."""
    found = []
    for page in sorted((ROOT / "chapters").glob("[0-9]-*.md")):
        text = page.read_text("utf-8")
        kind, number, title = re.search(r"^\((ch|more)-(\d)\)=\n# (.+)$", text, re.M).groups()
        name = "chapter" if kind == "ch" else "workshop"
        link = f"From {{ref}}`{name} {number} <{kind}-{number}>`"
        for cell in jupytext.reads(text, fmt="md:myst").cells:
            if cell.cell_type == "code":
                tags = set(cell.metadata.get("tags", []))
                found.append(((link, title), f"```python\n{cell.source.strip()}\n```\n", tags))
    return found


def page() -> str:
    """The text of the cookbook, as the chapters stand now."""
    every = cells()
    parts = [OPENING.rstrip("\n") + "\n", PARTS[0].rstrip("\n") + "\n"]
    for part in PARTS[1:]:
        name, kind = re.match(r"### (.+?)(?: <!-- (\w+).*)?$", part, re.MULTILINE).groups()
        mine = [c for c in every if "take-home" in c[2] and kind_of(c[1]) == kind]
        own = [f"```python\n{CELLS[kind]}\n```\n"] if kind in CELLS and not mine else []
        if mine or own:
            parts += [f"### {name}\n", *([lines_of(kind)] if kind else []), *own]
        for (link, title), source, _ in mine:
            parts += [f"{link}, *{title}*:\n", source]
    parts.append(ALONE.rstrip("\n") + "\n")
    alone = [cell for cell in every if "standalone" in cell[2]]
    for link, title in dict.fromkeys(cell[0] for cell in alone):
        parts += [f"### {title}\n", f"{link}.\n"]
        parts += [source for where, source, _ in alone if where[0] == link]
    return "\n".join(parts)


def write() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
