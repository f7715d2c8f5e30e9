"""Notebooks for a class: the chapters without the solutions of their exercises (make student).

    python -m press.student [chapters/1-how-sure.ipynb …]

Below each exercise stands a numbered cell for the answer, a cell that checks it, and room for the
sentence to write (`press.grading`); and for a guess where one is asked for. What only the pages of
the book can show (roles, labels, boxes) becomes plain words. The first cell installs what the
notebook needs: `betterthan` from the wheel that ``make student`` puts beside the notebooks (and the
book into notebooks.zip) or, if there is none, from the repository, and whatever else they import.

The lecturer's notebooks, with the solutions and the hidden tests between nbgrader's marks, go to
``_build/grading/source``, a folder that nbgrader takes as it is.
"""

from __future__ import annotations

import ast
import base64
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat
from pybtex.database import parse_file

from press import ROOT, address, citation
from press.chapters import read_source
from press.grading import Solution, answer_cells, config, solutions

OUT = ROOT / "_build" / "student"
LABS = OUT / "labs"
GRADING = ROOT / "_build" / "grading"
GATE = re.compile(r"^:{3,}\{solution-(start|end)\}.*?^:{3,}$\n?", re.DOTALL | re.MULTILINE)
BLOCK = r"^(:{{3,}})\{{({})\}}(.*)\n((?::[\w-]+:.*\n)*)((?:.*\n)*?)\1$"
SOLUTION, EXERCISE, BOX = (
    re.compile(BLOCK.format(name), re.MULTILINE) for name in ("solution", "exercise", r"[\w-]+")
)
MINUTES = {1: 5, 2: 25, 3: 40}  # by stars; the boxes "Before you start" add them up
WORDS = {
    r"\{\w+(?::\w+)?\}`([^`<]+?)\s*<[^`>]+>`": r"\1",
    r"\{eq\}`[^`]+`": "the equation",
    r"\{numref\}`[^`]+`": "the figure",
    r"\{(?:term|doc|abbr)\}`([^`]+)`": r"\1",
    r"^\([\w-]+\)=$": "",
    r"^(.*\$\$)\s*\([\w-]+\)\s*$": r"\1",
    r'^(<div class="explore".*>)$': r"\1\n\n*(A still picture; it moves on the book's page.)*",
    r"^```\{bibliography\}.*\n(?:.*\n)*?```$": "",
}


@cache
def cited() -> dict[str, tuple[str, str]]:
    """The authors and the year of every key of the bibliography."""
    shown = {}
    for key, entry in parse_file(str(ROOT / "references.bib")).entries.items():
        names = [" ".join(person.last_names) for person in entry.persons.get("author", [])]
        several = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        shown[key] = (re.sub("[{}]", "", several), entry.fields.get("year", "n.d."))
    return shown


@cache
def headings() -> dict[str, str]:
    """The headings and the exercises that labels stand for, in all pages."""
    pages = [ROOT / "intro.md", *(ROOT / "chapters").glob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    named = re.findall(r"^\(([\w-]+)\)=\n#+ (.+)$", text, re.MULTILINE)
    asked = re.findall(r"\{exercise\} [★ ]*(.+)\n:label: (\S+)", text)
    return dict(named) | {label: f'the exercise "{title}"' for title, label in asked}


def plain(text: str) -> str:
    """MyST roles as the words a listener or a plain notebook needs."""

    def cite(match: re.Match) -> str:
        known = [cited().get(key.strip(), (key, "")) for key in match[2].split(",")]
        if match[1]:
            return "; ".join(f"{names} ({year})" for names, year in known)
        return f"[{'; '.join(', '.join(pair) for pair in known)}]"

    text = re.sub(r"\{cite(:\w+)?\}`([^`]+)`", cite, text)
    for role, words in WORDS.items():
        text = re.sub(role, words, text, flags=re.MULTILINE)
    return re.sub(r"\{ref\}`([^`]+)`", lambda m: headings().get(m[1], "the figure"), text)


def without_solutions(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without the solutions: those in one block and those that go over cells."""
    kept, solving = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text, *rest = GATE.split(cell.source)
            parts = [(solving, text), *((gate == "start", t) for gate, t in zip(*[iter(rest)] * 2))]
            cell.source = SOLUTION.sub("", "".join(text for hidden, text in parts if not hidden))
            solving = parts[-1][0]
            kept += [cell] if cell.source.strip() else []
        elif not solving:
            kept.append(cell)
    notebook.cells = kept
    return notebook


def lab_sheets() -> list[Path]:
    """The sheets for the sessions of a course, in their order."""
    return sorted((ROOT / "chapters" / "labs").glob("[0-9]*.md"))


def homework() -> Path:
    """The sheet for the homework of the first session; its data are the student's own."""
    return ROOT / "chapters" / "labs" / "homework-1.md"


@cache
def exercise_numbers() -> dict[str, str]:
    """The number of every exercise as the pages have it: 3.5 is the fifth of chapter 3."""
    numbers = {}
    for sheet in [*lab_sheets(), homework()]:
        text = sheet.read_text("utf-8")
        for label in re.findall(r"^:label: ((?:lab|home)-\d+-\w)$", text, re.MULTILINE):
            numbers[label] = label.partition("-")[2].replace("-", "")
    for chapter in range(8):
        # The story comes first, then the workshop that is nested under it.
        pages = sorted(
            (ROOT / "chapters").glob(f"{chapter}-*.md"), key=lambda p: p.stem[2:] == "more"
        )
        text = "".join(page.read_text("utf-8") for page in pages)
        labels = re.findall(r"^:{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)
        for place, label in enumerate(labels, 1):
            numbers[label] = f"{chapter}.{place}" if chapter else f"{place}"
    return numbers


def label_of(box: re.Match) -> str:
    """The label that a directive carries."""
    label = re.search(r"^:label: (\S+)", box[4], re.MULTILINE)
    return label[1] if label else ""


def unbox(match: re.Match) -> str:
    """A box as a plain notebook can show it."""
    kind, name, body = match[2], match[3].strip(), BOX.sub(unbox, match[5]).strip()
    if kind == "dropdown":
        return f"<details><summary>{name}</summary>\n\n{body}\n\n</details>"
    if kind == "exercise":
        number = exercise_numbers().get(label_of(match), "")
        minutes = f"(about {MINUTES[name.count('★')]} minutes)" if "★" in name else ""
        name = " ".join(filter(None, ("Exercise", number, name, minutes)))
    return f"**{name}**\n\n{body}"


def text_cell(text: str) -> nbformat.NotebookNode:
    """A cell of plain words, with its pictures inside it, so that it can go anywhere."""
    cell = nbformat.v4.new_markdown_cell(BOX.sub(unbox, plain(text)).strip())
    for name in re.findall(r"\]\((_static/[^)]+\.svg)\)", cell.source):
        coded = base64.b64encode((ROOT / "chapters" / name).read_bytes()).decode("ascii")
        cell.setdefault("attachments", {})[Path(name).name] = {"image/svg+xml": coded}
        cell.source = cell.source.replace(f"({name})", f"(attachment:{Path(name).name})")
    return cell


def code_cell(cell: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The cell, folded where the book does not show it, and without what only pages need."""
    tags = set(cell.metadata.get("tags", []))
    folded = bool(tags & {"remove-cell", "hide-input", "remove-input"})
    cell.metadata = {"tags": sorted(tags), "jupyter": {"source_hidden": folded}}
    if "remove-cell" in tags:
        unglued = "def glue(*args, **options):\n    pass"
        cell.source = cell.source.replace("from myst_nb import glue", unglued)
        cell.outputs = []
    return cell


# Imported by cells, and neither in Python itself nor brought along by betterthan[all].
PACKAGES = {"sklearn": "scikit-learn", "statsmodels": "statsmodels", "jieba": "jieba"}
EXTRAS = ("numba", "pycrfsuite", "snownlp")  # what betterthan[all] brings and pages use
INSTALL = """\
# Run this once: it installs what the notebook needs, unless it is there.
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

try:
    ready = version("betterthan") == "{version}" and all(map(find_spec, {modules}))
except PackageNotFoundError:
    ready = False
if not ready:
    # The library lies beside the notebook, or beside its folder; else it is fetched.
    wheel = next((w for at in (".", "..") for w in Path(at).glob("betterthan-*.whl")), None)
    source = f"{{wheel}}{extra}" if wheel else "betterthan{extra} @ git+{address}"
    %pip install --quiet "{{source}}"{more}"""


def imports(cells: list[nbformat.NotebookNode]) -> set[str]:
    """The packages that these cells import."""
    found = set()
    for cell in cells:
        for node in ast.walk(ast.parse(cell.source if cell.cell_type == "code" else "")):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found


def installing(cells: list[nbformat.NotebookNode], extra: str = "[all]") -> nbformat.NotebookNode:
    """The first cell: what the others need, by what they import; a lab sheet needs no extra."""
    needed = [name for name in PACKAGES if name in imports(cells)]
    source = INSTALL.format(
        version=citation()["version"],
        modules=[*(EXTRAS if extra else ()), *needed],
        extra=extra,
        address=address(),
        more="".join(f" {PACKAGES[name]}" for name in needed),
    ).replace("'", '"')
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["install"]})


def below(
    asked: re.Match, solved: dict[str, Solution], key: bool
) -> Iterator[nbformat.NotebookNode]:
    """The cells that follow an exercise: room for a guess, the answer, its check, the words."""
    title, label = asked[3], label_of(asked)
    if "★ Predict first" in title:
        yield text_cell("**My guess:**")
    number = exercise_numbers().get(label, label)
    solution = solved.get(label, Solution())
    for cell in answer_cells(label, number, max(1, title.count("★")), solution, key):
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
        yield cell


def handout(
    notebook: nbformat.NotebookNode, key: bool = False, extra: str = "[all]"
) -> nbformat.NotebookNode:
    """What a student gets of a chapter; with `key` what the lecturer keeps, with the solutions."""
    solved, made = solutions(notebook), []
    for cell in without_solutions(notebook).cells:
        if cell.cell_type == "code":
            made.append(code_cell(cell))
            continue
        start = 0
        for asked in EXERCISE.finditer(cell.source):
            made.append(text_cell(cell.source[start : asked.end()]))
            made += below(asked, solved, key)
            start = asked.end()
        made.append(text_cell(cell.source[start:]))
    made = [c for c in made if c.source or c.cell_type == "code"]
    notebook.cells = [installing(made, extra), *made]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
    return notebook


def write(notebook: Path, folder: Path = OUT, key: bool = False) -> Path:
    """Write a chapter's notebook, or that of a lab sheet, which is run by the student alone."""
    folder.mkdir(parents=True, exist_ok=True)
    is_sheet = notebook.suffix == ".md"
    read = read_source(notebook) if is_sheet else nbformat.read(notebook, as_version=4)
    path = folder / notebook.with_suffix(".ipynb").name
    nbformat.write(handout(read, key, extra="" if is_sheet else "[all]"), path)
    return path


BUGS = "3-five-bugs.ipynb"
BUGS_TOP = """\
# Spot the bug

Five functions with mistakes that were found in public code. Each runs, and each returns a number \
that looks right. Take one: read it, say what is wrong, and write a test that a correct version \
passes and this one fails. The best tests use a case so small that you know the answer without a \
computer."""

# What each function is for. The workshop's own words say with the second what ails the first.
BUGS_ARE = {
    "one": "a randomisation test for the difference of two means",
    "two": "the same test, with arrays",
    "three": "Fisher's combination of p-values",
    "four": "Bonferroni's p-value for the claim that at least u datasets show an effect",
    "five": "a paired bootstrap",
}


def five_bugs(folder: Path = OUT) -> Path:
    """The functions of *Spot the bug* alone: the titles of the exercises give the bugs away."""
    new, shown = nbformat.v4, []
    workshop = nbformat.read(ROOT / "chapters" / "3-more.ipynb", as_version=4)
    marked = [
        cell.source
        for cell in without_solutions(workshop).cells
        if "spot-the-bug" in cell.metadata.get("tags", [])
    ]
    for (number, what), source in zip(BUGS_ARE.items(), marked, strict=True):
        shown += [text_cell(f"**Number {number}**: {what}."), new.new_code_cell(source)]
        shown += [text_cell("**What is wrong:**"), new.new_code_cell("# Your test here.")]
    needed = new.new_code_cell("import numpy as np\nfrom scipy.stats import chi2")
    made = [installing(shown, extra=""), text_cell(BUGS_TOP), needed, *shown]
    for place, cell in enumerate(made):
        cell["id"] = f"cell-{place:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(new.new_notebook(cells=made, metadata=workshop.metadata), folder / BUGS)
    return folder / BUGS


def write_for_grading(notebook: Path, folder: Path = GRADING) -> Path:
    """The lecturer's notebook where nbgrader looks for it: an assignment of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nbgrader_config.py").write_text(config(), "utf-8")
    name = f"lab-{notebook.stem}" if notebook in lab_sheets() else notebook.stem
    return write(notebook, folder / "source" / name, key=True)


def wheel(folder: Path = OUT) -> Path:
    """The library, beside the notebooks, so that they run where no repository can be reached."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), "."]
    subprocess.run(command, cwd=ROOT, check=True)
    return next(folder.glob("betterthan-*.whl"))


def main() -> None:
    chosen = map(Path, sys.argv[1:]) if sys.argv[1:] else (ROOT / "chapters").glob("[0-9]-*.ipynb")
    assignments = []
    for notebook in sorted(chosen):
        print(f"student: {write(notebook).relative_to(ROOT)}")
        assignments.append(write_for_grading(notebook))
    print(f"for nbgrader: {GRADING.relative_to(ROOT)}")
    if not sys.argv[1:]:
        for sheet in [*lab_sheets(), homework()]:
            print(f"student: {write(sheet, LABS).relative_to(ROOT)}")
            assignments.append(write_for_grading(sheet))
        print(f"student: {five_bugs().relative_to(ROOT)}")
        library = wheel()
        for folder in (LABS, *(assignment.parent for assignment in assignments)):
            shutil.copy(library, folder)


if __name__ == "__main__":
    main()
