"""Every chapter follows the template that CONTRIBUTING.md explains."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
import pytest

from press import ROOT, stories
from press.student import MINUTES

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
# A story that a reader finishes in the time it states.
MOST_WORDS = 3050
MOST_CELLS = 30
MOST_MINUTES = 45
MOST_LINES, MOST_WORKSHOP_LINES = 12, 14
MOST_ROWS = 8
SELF_TEST = "Can you answer these without looking back?"
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


@dataclass
class Shape:
    """How long a page is: words not folded, cells not hidden, lines of those seen, and so on."""

    words: int
    cells: int
    lines: list[int]
    standalone: list[int]
    figures: int
    equations: int = 0
    tables: int = 0
    explorables: int = 0
    stars: tuple[int, ...] = ()
    # Outside the folded solutions: words of captions, figures, and lines of code that are seen.
    captions: int = 0
    figures_met: int = 0
    lines_met: int = 0

    @property
    def minutes(self) -> float:
        """What a slow reading took, to the minute or two (CONTRIBUTING.md)."""
        text = (self.words + self.captions) / 120 + self.equations + self.tables
        return text + self.figures_met / 2 + self.lines_met / 20

    @property
    def reading(self) -> int:
        """The minutes, up to the next 5."""
        return 5 * math.ceil(self.minutes / 5)

    @property
    def playing(self) -> int:
        """Three minutes for each thing to play with; up to the next 5."""
        return 5 * math.ceil(3 * self.explorables / 5)

    @property
    def exercises(self) -> int:
        """5, 25 and 40 minutes for one star, two and three."""
        return sum(MINUTES[stars] for stars in self.stars)

    @property
    def time(self) -> str:
        """What the box *Before you start* says."""
        playing = f", {self.playing} of playing" if self.playing else ""
        return f"{self.reading} minutes of reading{playing}, {self.exercises} for the exercises"


def shape(text: str) -> Shape:
    """Measure a page."""
    found, folded = Shape(0, 0, [], [], 0), False
    for cell in jupytext.reads(text, fmt="md:myst").cells:
        tags = set(cell.metadata.get("tags", []))
        if cell.cell_type != "code":
            ends = re.findall(r"\{solution-(start|end)\}", cell.source)
            folded = ends[-1] == "start" if ends else folded
        elif "remove-cell" not in tags:
            found.cells += 1
            settings = cell.metadata.get("mystnb", {})
            drawn = "alt" in settings.get("image", {})
            found.figures += drawn
            if not folded:
                found.figures_met += drawn
                found.captions += len(settings.get("figure", {}).get("caption", "").split())
            if not tags & {"hide-input", "remove-input"}:
                lines = len([line for line in cell.source.splitlines() if line.strip()])
                (found.standalone if "standalone" in tags else found.lines).append(lines)
                found.lines_met += 0 if folded else lines
    body = prose(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))
    for pattern, words in {
        r"\$\$.*?\$\$": "",
        # What is folded, solutions and answers, is not read at first.
        r"(?m)^:{3,}\{solution-start\}.*?^:{3,}\{solution-end\}\n:{3,}$": "",
        r"(?m)^:{3,}\{(?:solution|dropdown)\}.*?^:{3,}$": "",
        r"(?m)^\+\+\+.*?$": "",
        r"\{glue[^}]*\}`[^`]*`": "value",
        r"\{[\w:-]+\}`([^`<]*?)\s*<[^`>]*>`": r"\1",
        r"\{[\w:-]+\}`([^`]*)`": r"\1",
        r"(?m)^\s*(?::::|```|~~~|:)[^\n]*$": "",
    }.items():
        body = re.sub(pattern, words, body, flags=re.DOTALL)
    found.words = len(re.findall(r"[A-Za-z0-9][\w’'\-]*", body))
    told = prose(text)
    found.equations = len(re.findall(r"\$\$.*?\$\$", told, re.DOTALL))
    found.explorables = told.count(":::{explore}")
    found.stars = tuple(len(s) for s in re.findall(r"\{exercise\} (★+)", told))
    found.tables = len(markdown_tables(text)) + tables_of_cells(text)
    return found


def tables_of_cells(text: str) -> int:
    """Tables that cells show: those with a line in italics above, or a caption and no picture."""
    found, before = 0, ""
    for cell in jupytext.reads(text, fmt="md:myst").cells:
        if cell.cell_type == "markdown":
            before = cell.source.strip().split("\n\n")[-1]
        elif "remove-cell" not in cell.metadata.get("tags", []):
            settings = cell.metadata.get("mystnb", {})
            captioned = "figure" in settings and "image" not in settings
            found += captioned or bool(re.match(r"\*[^*\s]", before))
            before = ""
    return found


def markdown_tables(text: str) -> list[tuple[str, int]]:
    """The caption of each Markdown table of a page, and how many rows it has below its head."""
    rule = r"(?:^:::\{table\} (\S.*)\n(?::[\w-]+:.*\n)*\n*)?((?:^\|.*\n)+)"
    tables = re.findall(rule, f"{prose(text)}\n", re.MULTILINE)
    return [(caption, rows.count("\n") - 2) for caption, rows in tables]


def solutions(text: str) -> dict[str, str]:
    """The last paragraph of every solution, by the label of its exercise."""
    body = prose(text)
    gated = re.findall(
        r"^:{3,}\{solution-start\} (\S+)\n.*?^:{3,}\n(.*?)^:{3,}\{solution-end\}", body, re.S | re.M
    )
    whole = re.findall(r"^(:{3,})\{solution\} (\S+)\n(.*?)^\1$", body, re.S | re.M)
    found = dict([*gated, *((label, inner) for _, label, inner in whole)])
    return {label: inner.strip().split("\n\n")[-1].strip() for label, inner in found.items()}


def shape_faults(text: str, *, workshop: bool = False) -> list[str]:
    """Where a page is longer than a reader likes, or its exercises lack what they should have."""
    found, body, size = [], prose(text), shape(text)
    most = MOST_WORKSHOP_LINES if workshop else MOST_LINES
    found += [f"a visible cell of {n} lines, at most {most}" for n in size.lines if n > most]
    for label, title in re.findall(r"\{exercise\}(.*)\n:label: (\S+)", body):
        if not re.match(r" ★{1,3} \S", label):
            found.append(f"exercise {title} has no stars and name in its title: {label!r}")
    found += [
        f"the solution of {label} does not end in **What to write.** but in {end[:40]!r}"
        for label, end in solutions(text).items()
        if not end.startswith("**What to write.**")
    ]
    for caption, rows in markdown_tables(text):
        if not caption:
            found.append(f"a Markdown table of {rows} rows without a caption")
        if rows > MOST_ROWS and not workshop:
            found.append(f"a table of {rows} rows, at most {MOST_ROWS}: {caption!r}")
    if workshop:
        return found
    if size.words > MOST_WORDS:
        found.append(f"{size.words} words, at most {MOST_WORDS}")
    if size.cells > MOST_CELLS:
        found.append(f"{size.cells} cells that are not hidden, at most {MOST_CELLS}")
    if not re.search(r"\{exercise\} ★+ Predict first: \S", body):
        found.append("no exercise asks to predict first")
    closing = re.search(r"^## Exercises\n(.*?)(?=^## |\Z)", body, re.DOTALL | re.MULTILINE)
    asked = closing[1].partition(SELF_TEST)[2] if closing else ""
    questions = re.findall(r"^:::\{dropdown\} (.*)\n(?::\w+:.*\n)*\S", asked, re.MULTILINE)
    if len(questions) != 3 or not all(question.endswith("?") for question in questions):
        found.append(f"{len(questions)} questions with answers below {SELF_TEST!r}, not 3")
    if f"**Time** {size.time}\n" not in body:
        found.append(f"its time is {size.time}")
    if size.reading > MOST_MINUTES:
        found.append(f"{size.reading} minutes of reading, at most {MOST_MINUTES}")
    return found


@pytest.mark.parametrize("path", [*CHAPTERS, *WORKSHOPS], ids=lambda p: p.stem)
def test_a_page_is_short_enough_and_its_exercises_are_whole(path: Path):
    found = shape_faults(path.read_text("utf-8"), workshop=path in WORKSHOPS)
    assert found == [], "\n".join(found)


def table_faults(notebook: nbformat.NotebookNode) -> list[str]:
    """Tables that the cells of a story show and that are long or have no caption."""
    found, before = [], ""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            before = cell.source.strip().split("\n\n")[-1]
            continue
        shown = "".join(o.get("data", {}).get("text/html", "") for o in cell.outputs)
        if "remove-cell" in cell.metadata.get("tags", []) or "<table" not in shown:
            continue
        rows = len(re.findall(r"<tr", shown.partition("<tbody>")[2]))
        if rows > MOST_ROWS:
            found.append(f"cell {number} shows a table of {rows} rows, at most {MOST_ROWS}")
        if "figure" not in cell.metadata.get("mystnb", {}) and not before.startswith("*"):
            found.append(f"cell {number} shows a table without a caption")
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_tables_of_a_story_are_short_and_have_captions(path: Path):
    found = table_faults(nbformat.read(path.with_suffix(".ipynb"), as_version=4))
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_chapter_follows_the_template(path: Path):
    assert faults(path.read_text("utf-8"), capstone=path.name.startswith(CAPSTONE)) == []


# The word that a status begins with, and whether the data were the paper's (CONTRIBUTING.md).
STATUS = re.compile(r"(reproduced|differs)(, on other data)?(?=[:;, ]|$)|impossible: \S")
LINK = re.compile(r"\{(?:num)?ref\}`[^`]+`|\[[^\]]+\]\([^)]+\)")


def status_rows(text: str) -> list[list[str]]:
    """Item, status and place of each row of the first table whose head ends with "where"."""
    for table in re.findall(r"(?:^\|.*\n)+", f"{text}\n", re.MULTILINE):
        head, _, *rows = (
            [cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()
        )
        if head[-1].lower() == "where":
            return rows
    return []


def row_faults(row: list[str]) -> list[str]:
    """What is wrong with one row of a status table."""
    if len(row) != 3:
        return [f"{row[0]!r}: {len(row)} cells, not item, status and place"]
    item, status, where = row
    found = []
    if not STATUS.match(status):
        words = "'reproduced', 'differs' (either with ', on other data') or 'impossible: reason'"
        found.append(f"{item!r}: the status {status!r} does not begin with {words}")
    if not LINK.search(where):
        found.append(f"{item!r}: no link to the cell or section that shows it, only {where!r}")
    return found


def workshop_faults(text: str, *, capstone: bool = False) -> list[str]:
    """What a workshop lacks: a label, and the paper's items with what became of each."""
    body, found = prose(text), []
    if not re.search(r"^\(more-\d\)=\n# .+$", body, re.MULTILINE):
        found.append("no `(more-N)=` label right above the title")
    if capstone:  # no paper is behind it
        return found
    rows = status_rows(body)
    if len(rows) < 3:
        found.append("no status table with a row per item of the paper")
    found += [fault for row in rows for fault in row_faults(row)]
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
    row = "| Table 1 | reproduced: all digits | {ref}`there <sec-1>` |\n"
    table = "| Item | Status | Where |\n| - | - | - |\n" + row * 3
    whole = "(more-1)=\n# Workshop\n\nBack to {ref}`chapter 1 <ch-1>`.\n\n" + table
    assert workshop_faults(whole) == []
    assert workshop_faults(whole.replace("reproduced:", "differs, on other data:")) == []
    for gone, other in (
        ("(more-1)=", ""),
        ("ch-1", ""),
        ("Where", "Place"),
        ("reproduced: all digits", "other data: ours"),
        ("reproduced:", "reproducible:"),
        ("reproduced: all digits", "impossible"),
        ("reproduced", "impossible, on other data"),
        ("{ref}`there <sec-1>`", "–"),
        (" | {ref}`there <sec-1>` |", " |"),
    ):
        assert len(workshop_faults(whole.replace(gone, other))) > 0, (gone, other)


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


WHOLE = f"""\
**Time** 15 minutes of reading, 30 for the exercises

{"word " * 1000}

:::{{table}} All of it
| a | b |
| --- | --- |
| 1 | 2 |
:::

+++ {{"slide": "These words do not count"}}

```{{code-cell}} ipython3
:tags: [hide-input]
hidden = 1
```

```{{code-cell}} ipython3
---
mystnb:
  image:
    alt: A line
---
seen = 1
```

## Exercises

{SELF_TEST}

{":::{dropdown} Why?" + chr(10) + "Because." + chr(10) + ":::" + chr(10)}
{(":::{dropdown} How?" + chr(10) + "So." + chr(10) + ":::" + chr(10) + chr(10)) * 2}
:::{{exercise}} ★ Predict first: a sum
:label: ex-a
How large?
:::

:::{{solution-start}} ex-a
:class: dropdown
:::

Two.

```{{code-cell}} ipython3
:tags: [remove-cell]
checked = 1
```

**What to write.** It is two.

:::{{solution-end}}
:::

:::{{exercise}} ★★ Another
:label: ex-b
Again.
:::

::::{{solution}} ex-b
Three.

**What to write.** It is three.
::::

## Take-aways
"""


def test_the_length_of_a_page():
    size = shape(WHOLE)
    assert (size.cells, size.lines, size.standalone, size.figures) == (2, [1], [], 1)
    assert 1000 < size.words < 1060
    assert (size.reading, size.playing, size.exercises) == (15, 0, 30)
    # The words, a table, a figure, a line of code.
    assert size.minutes == pytest.approx(size.words / 120 + 1 + 1 / 2 + 1 / 20)
    assert shape(WHOLE.replace("word ", "", 600)).reading == 10
    captioned = "  figure:\n    caption: These are four words\n---\nseen = 1\nmore = 2\n"
    longer = shape(WHOLE.replace("---\nseen = 1\n", captioned))
    assert (longer.captions, longer.lines_met, longer.figures_met) == (4, 2, 1)
    assert longer.minutes == pytest.approx(size.minutes + 4 / 120 + 1 / 20)
    in_a_solution = "Two.\n\n```{code-cell} ipython3\nunseen = 1\n```\n"
    assert shape(WHOLE.replace("Two.\n", in_a_solution)).lines_met == size.lines_met
    shown = "$$a = b$$\n\n$$\nc = d\n$$\n\n:::{explore} groups\nX.\n:::\n\n+++"
    more = WHOLE.replace("+++", shown, 1)
    assert (shape(more).equations, shape(more).explorables, shape(more).playing) == (2, 1, 5)
    for folded in ("Two.", "Three.", "Because."):
        assert shape(WHOLE.replace(folded, "many more words")).words == size.words
    assert shape(WHOLE.replace("How large?", "How large is it?")).words == size.words + 2


def test_the_check_sees_what_is_too_long():
    assert shape_faults(WHOLE) == []
    cell = "\n```{code-cell} ipython3\n" + "x = 1\n" * 13 + "```\n"
    for old, new, word in [
        ("word ", "word " * 4, "words, at most"),
        ("## Take-aways", cell.replace("x = 1\n", "", 12) * 29 + "## Take-aways", "31 cells"),
        ("seen = 1", "seen = 1\n" * 13, "13 lines"),
        ("| 1 | 2 |\n", "| 1 | 2 |\n" * 9, "9 rows"),
        (":::{table} All of it\n", "All of it\n\n", "without a caption"),
        ("★★ Another", "Another", "no stars"),
        ("Predict first: ", "", "predict first"),
        ("**What to write.** It is two.", "It is two.", "solution of ex-a"),
        ("**What to write.** It is three.", "It is three.", "solution of ex-b"),
        (":::{dropdown} How?\nSo.\n:::", "", "questions"),
        ("15 minutes", "45 minutes", "its time is 15 minutes of reading"),
        ("word ", "word " * 6, "minutes of reading, at most"),
    ]:
        assert old in WHOLE
        assert any(word in fault for fault in shape_faults(WHOLE.replace(old, new))), word
    table = "<table><thead><tr></tr></thead><tbody>" + "<tr></tr>" * 9 + "</tbody></table>"
    output = nbformat.v4.new_output("display_data", {"text/html": table})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("t", outputs=[output])])
    assert len(table_faults(notebook)) == 2


LESSON = ROOT / "chapters" / "0-what-luck-does.md"


def test_lesson_0_is_short_and_whole():
    text = LESSON.read_text("utf-8")
    body, size = prose(text), shape(text)
    opening = re.search(r"^:::\{admonition\} Before you start\n(.*?)^:::$", body, re.M | re.S)
    assert opening and all(word in opening[1] for word in OPENING)
    assert size.words <= MOST_WORDS and max(size.lines) <= MOST_LINES
    assert f"**Time** {size.time}\n" in body
    assert body.count(":::{explore}") == 2
    exercises = set(re.findall(r"\{exercise\}.*?\n:label: (\S+)", body))
    assert len(exercises) >= 3 and exercises == set(solutions(text))
    assert all(end.startswith("**What to write.**") for end in solutions(text).values())
    questions = re.findall(r"^:::\{dropdown\} (.*\?)$", body.partition(SELF_TEST)[2], re.M)
    assert len(questions) == 3
    pieces = set(re.findall(r'id="piece-(\d)"', body))
    assert pieces == set("123456789")  # each part of the sentence has its words
