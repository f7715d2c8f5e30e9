"""Every chapter follows the template that CONTRIBUTING.md explains."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import nbformat
import pytest

from press import ROOT, stories

CHAPTERS = stories()
WORKSHOPS = sorted((ROOT / "chapters").glob("[0-9]-more.md"))
HEADINGS = [
    "The problem",
    "The idea",
    "The library call",
    "On a real corpus",
    "Does it keep its promise?",
    "Where it breaks",
    "Take it home",
    "Exercises",
    "Take-aways",
    "Further reading",
]
OPENING = ["**You will learn**", "**You need**", "**Time**", "**Data**"]
STANDALONE_LINES = 15
# The capstone puts the six methods to work together; the shape of a method's chapter is not its.
CAPSTONE = "7-"


def prose(text: str) -> str:
    """The text without its code cells."""
    return re.sub(r"^```\{code-cell\}.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def faults(text: str, *, capstone: bool = False) -> list[str]:
    """What a chapter's source lacks, in words."""
    found = []
    body = prose(text)
    title = re.search(r"^\((ch-\d)\)=\n# (.+)$", body, re.MULTILINE)
    if not title:
        found.append("no `(ch-N)=` label right above the title")
    elif not title[2].rstrip().endswith("?"):
        found.append(f"the title {title[2]!r} is not a question")
    opening = re.search(r"^:::\{admonition\} Before you start\n(.*?)^:::$", body, re.M | re.S)
    if not opening:
        found.append("no 'Before you start' admonition")
    else:
        found += [f"'Before you start' lacks {w}" for w in OPENING if w not in opening[1]]
    headings = re.findall(r"^## (.+)$", body, re.MULTILINE)
    wanted = HEADINGS[-3:] if capstone else HEADINGS
    place = 0
    for heading in wanted:
        if heading in headings[place:]:
            place = headings.index(heading, place) + 1
        else:
            found.append(f"no heading '## {heading}' in its place")
    exercises = set(re.findall(r"\{exercise(?:-start)?\}.*?\n:label: (\S+)", body))
    solved = set(re.findall(r"\{solution(?:-start)?\} (\S+)", body))
    if len(exercises) < 3:
        found.append(f"{len(exercises)} exercises, at least 3 are wanted")
    found += [f"exercise {label} has no solution" for label in sorted(exercises - solved)]
    if "{bibliography}" not in body:
        found.append("no bibliography")
    found += [
        f"the word {word!r} belittles the reader"
        for word in ("clearly", "simply", "obviously")
        if re.search(rf"\b{word}\b", body, re.IGNORECASE)
    ]
    cells = [c for c in jupytext.reads(text, fmt="md:myst").cells if c.cell_type == "code"]
    tags = [tag for cell in cells for tag in cell.metadata.get("tags", [])]
    found += [
        f"no cell is tagged {tag!r}"
        for tag in ("standalone", "take-home")
        if tag not in tags and not capstone
    ]
    for cell in cells:
        if "standalone" in cell.metadata.get("tags", []):
            lines = [line for line in cell.source.splitlines() if line.strip()]
            if len(lines) > STANDALONE_LINES:
                found.append(f"a standalone cell has {len(lines)} lines: {lines[0]!r} …")
            if re.search(r"\bbetterthan\b", cell.source.replace("betterthan.book", "")):
                found.append(f"a standalone cell needs the library: {lines[0]!r} …")
    return found


def figure_faults(notebook: nbformat.NotebookNode) -> list[str]:
    """Cells that draw a figure without alt text or caption."""
    found = []
    for number, cell in enumerate(notebook.cells):
        if any("image/png" in o.get("data", {}) for o in cell.get("outputs", [])):
            settings = cell.metadata.get("mystnb", {})
            if not settings.get("image", {}).get("alt", "").strip():
                found.append(f"cell {number} draws a figure without alt text")
            # In an exercise's solution the text around the figure says what to see.
            if "figure" not in settings and "take-home" not in cell.metadata.get("tags", []):
                found.append(f"cell {number} draws a figure without a caption")
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_chapter_follows_the_template(path: Path):
    assert faults(path.read_text("utf-8"), capstone=path.name.startswith(CAPSTONE)) == []


STATUS = {"reproduced", "other data", "differs", "impossible"}


def workshop_faults(text: str, *, capstone: bool = False) -> list[str]:
    """What a workshop lacks: a label, and the paper's items with what became of each."""
    body, found = prose(text), []
    if not re.search(r"^\(more-\d\)=\n# .+$", body, re.MULTILINE):
        found.append("no `(more-N)=` label right above the title")
    if capstone:  # no paper is behind it
        return found
    rows = re.findall(r"^\| *([^|]+?) *\| *([^|]+?) *\| *([^|]+?) *\|", body, re.MULTILINE)
    rows = [
        row for row in rows if re.match(r"(Table|Figure|Fig|Eq|Sect|§|Example|Def|Algo)", row[0])
    ]
    if len(rows) < 3:
        found.append("no status table with a row per item of the paper")
    found += [
        f"{item!r}: the status {status!r} does not begin with one of {sorted(STATUS)}"
        for item, status, _ in rows
        if not status.strip("*_ ").lower().startswith(tuple(STATUS))
    ]
    if not re.search(r"\{ref\}`[^`]*ch-\d", body):
        found.append("no link back to its chapter")
    return found


@pytest.mark.parametrize("path", WORKSHOPS, ids=lambda p: p.stem)
def test_a_workshop_says_what_became_of_every_item_of_the_paper(path: Path):
    text = path.read_text("utf-8")
    assert workshop_faults(text, capstone=path.name.startswith(CAPSTONE)) == []


def test_every_paper_has_its_workshop():
    assert {path.name[0] for path in WORKSHOPS} >= set("123456")


def test_the_workshop_check_sees_what_is_missing():
    table = "| Item | Status | Where |\n| - | - | - |\n" + "| Table 1 | reproduced | x |\n" * 3
    whole = "(more-1)=\n# Workshop\n\nBack to {ref}`chapter 1 <ch-1>`.\n\n" + table
    assert workshop_faults(whole) == []
    for gone in ("(more-1)=", "| Table 1 |", "reproduced", "ch-1"):
        assert workshop_faults(
            whole.replace(gone, "| nothing |", 1 if gone == "reproduced" else -1)
        )


@pytest.mark.parametrize("path", [*CHAPTERS, *WORKSHOPS], ids=lambda p: p.stem)
def test_figures_have_alt_text_and_caption(path: Path):
    assert figure_faults(nbformat.read(path.with_suffix(".ipynb"), as_version=4)) == []


def test_the_check_sees_what_is_missing():
    skeleton = "(ch-9)=\n# Which?\n:::{admonition} Before you start\n" + " ".join(OPENING)
    skeleton += "\n:::\n" + "\n".join(f"## {h}" for h in HEADINGS)
    for label in "abc":
        skeleton += f"\n:::{{exercise}}\n:label: {label}\n:::\n:::{{solution}} {label}\n:::\n"
    skeleton += "\n```{bibliography}\n```\n"
    for tag in ("standalone", "take-home"):
        skeleton += f"\n```{{code-cell}} ipython3\n:tags: [{tag}]\nx = 1\n```\n"
    assert faults(skeleton) == []
    for gone, word in [
        ("Which?", "title"),
        ("**Time**", "Time"),
        ("## The idea", "The idea"),
        ("{solution} b", "b has no solution"),
        ("{exercise}\n:label: c", "2 exercises"),
        ("tags: [standalone]", "standalone"),
        ("{bibliography}", "bibliography"),
    ]:
        assert any(word in fault for fault in faults(skeleton.replace(gone, "tags: []"))), gone
    assert any("library" in f for f in faults(skeleton.replace("x = 1", "import betterthan", 1)))
    assert any("belittles" in f for f in faults(skeleton + "\nClearly so.\n"))
