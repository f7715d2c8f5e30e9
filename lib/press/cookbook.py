"""The cookbook: every cell that readers copy, on one page, by the file they have.

`make chapters` writes `chapters/cookbook.md` from the chapters and from `cookbook.md` beside this
file, which names the files a reader may have, each with its example (of the same name, unless a
second one follows) and, where no chapter has one, a cell. A format of `readers.FORMATS` that
neither mentions gets a section with the cell that compares two systems. A test says when the page
is out of date, and `test_cells.py` runs each of the cells in an empty process.
"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import jupytext

from betterthan import readers
from betterthan.readers import Format
from press import ROOT

PAGE = ROOT / "chapters" / "cookbook.md"
OPENING, *PARTS, ALONE = re.split(
    r"^(?=###? )", Path(__file__).with_suffix(".md").read_text("utf-8"), flags=re.MULTILINE
)
LONGEST = 300
# Heading, name, and the example where that is called otherwise.
HEADING = re.compile(r"### (.+?)(?: <!-- (\w+)(?: (\w+))? -->)?$", re.MULTILINE)
FILES = re.findall(r"^### (.+) <!-- (\w+)(?: (\w+))? -->$", "".join(PARTS), re.MULTILINE)
CELLS = dict(re.findall(r"<!-- (\w+).*\n\n```python\n([^`]+)\n```$", "".join(PARTS), re.MULTILINE))


def paths_of(kind: str) -> tuple[Path, ...]:
    """The files of an example."""
    paths = readers.example(kind)
    return paths if isinstance(paths, tuple) else (paths,)


def lines_of(kind: str, count: int = 3) -> str:
    """The first lines of an example, as the reader's own file should look."""
    blocks = []
    # One of each sort: both runs look alike, the judgements do not.
    for path in [*{path.suffix: path for path in paths_of(kind)[::-1]}.values()][::-1]:
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as log:
                first = json.loads(log.read("summaries.json"))[0]
            lines = [f"{path.name} (a zip), summaries.json:", json.dumps(first)]
        else:
            file = path if path.is_file() else min(path.glob("*.jsonl"))
            lines = [line for line in file.read_text("utf-8").splitlines() if line]
            lines = [line for line in lines if not line.startswith("-DOCSTART-")][:count]
            # Some tools write the whole file in one line.
            lines = [line if len(line) <= LONGEST else line[:LONGEST] + " …" for line in lines]
        blocks.append("```text\n" + "\n".join([*lines, "…"]) + "\n```\n")
    return "\n".join(blocks)


def kind_of(source: str) -> str | None:
    """What kind of file a cell reads: the example it names."""
    named = re.search(r'readers\.example\("(\w+)"\)', source)
    return named[1] if named else None


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
                found.append(((link, title), fenced(cell.source.strip()), tags))
    return found


def others() -> list[Format]:
    """The formats whose example no section of `cookbook.md` shows."""
    shown = {path for _, name, example in FILES for path in paths_of(example or name)}
    return [one for one in readers.FORMATS if not shown & {*paths_of(one.kind)}]


def comparing(one: Format) -> str:
    """The cell that compares the two systems in the example of a format."""
    if one.gives != "results":
        raise SystemExit(
            f"{one.kind}: lib/press/cookbook.md needs a section with a cell of its own"
        )
    paths = paths_of(one.kind)
    typed = ", ".join(f'"{path.name}"' for path in paths)
    files, given, own = "files", "*files", f"({typed})"
    if len(paths) == 1:
        files, given, own = "file", "file", typed
    return (
        "from betterthan import compare, read, readers\n\n"
        f'{files} = readers.example("{one.kind}")  # your own: {own}\n'
        f"old, new = read({given})\n"
        "result = compare(old, new)\n"
        "print(result)  # the sentence for your paper\n"
        "result.plot()"
    )


def section(heading: str, kind: str | None, *parts: str) -> list[str]:
    """A heading, the first lines of such a file, and what follows."""
    return [f"### {heading}\n", *([lines_of(kind)] if kind else []), *parts]


def fenced(source: str) -> str:
    return f"```python\n{source}\n```\n"


def page() -> str:
    """The text of the cookbook, as the chapters stand now."""
    every = cells()
    parts = [OPENING.rstrip("\n") + "\n", PARTS[0].rstrip("\n") + "\n"]
    for part in PARTS[1:]:
        if part.startswith("## ") or ("-->" not in part and "```" in part):  # as it stands
            parts.append(part.rstrip("\n") + "\n")
            continue
        heading, name, example = HEADING.match(part).groups()
        mine = [c for c in every if "take-home" in c[2] and kind_of(c[1]) == name]
        if name is None:
            for one in others():
                title = one.holds[0].upper() + one.holds[1:]
                parts += section(title, one.kind, fenced(comparing(one)))
        if mine:
            shown = [text for (link, title), s, _ in mine for text in (f"{link}, *{title}*:\n", s)]
            parts += section(heading, example or name, *shown)
        elif name in CELLS:
            parts += section(heading, example or name, fenced(CELLS[name]))
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
