"""Notebooks for a class: the chapters without the solutions of their exercises (make student).

    python -m press.student [chapters/1-how-sure.ipynb …]

Below each exercise stands an empty cell, and room for a guess where one is asked for. What only
the pages of the book can show (roles, labels, boxes) becomes plain words. The first cell installs
what the notebook needs: `betterthan` from the wheel that ``make student`` puts beside the notebooks
or, where there is none, from the repository, and whatever else its cells import.
"""

from __future__ import annotations

import ast
import base64
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
from pybtex.database import parse_file

from press import ROOT, address

OUT = ROOT / "_build" / "student"
GATE = re.compile(r"^:{3,}\{solution-(start|end)\}.*?^:{3,}$\n?", re.DOTALL | re.MULTILINE)
BLOCK = r"^(:{{3,}})\{{({})\}}(.*)\n((?::[\w-]+:.*\n)*)((?:.*\n)*?)\1$"
SOLUTION, EXERCISE, BOX = (
    re.compile(BLOCK.format(name), re.MULTILINE) for name in ("solution", "exercise", r"[\w-]+")
)
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


def unbox(match: re.Match) -> str:
    """A box as a plain notebook can show it."""
    kind, name, body = match[2], match[3].strip(), BOX.sub(unbox, match[5]).strip()
    if kind == "dropdown":
        return f"<details><summary>{name}</summary>\n\n{body}\n\n</details>"
    return f"**{f'Exercise {name}'.strip() if kind == 'exercise' else name}**\n\n{body}"


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
INSTALL = """\
# Run this once: it installs what the notebook needs.
from pathlib import Path

wheel = next(Path().glob("betterthan-*.whl"), None)  # from the folder, if your teacher put it there
source = f"{{wheel}}[all]" if wheel else "betterthan[all] @ git+{address}"
%pip install --quiet "{{source}}"{more}"""


def installing(cells: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """The first cell: what the others need, by what they import."""
    imported = set()
    for cell in cells:
        for node in ast.walk(ast.parse(cell.source if cell.cell_type == "code" else "")):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    more = "".join(f" {package}" for name, package in PACKAGES.items() if name in imported)
    source = INSTALL.format(address=address(), more=more)
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["install"]})


def handout(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """What a student gets of a chapter."""
    made = []
    for cell in without_solutions(notebook).cells:
        if cell.cell_type == "code":
            made.append(code_cell(cell))
            continue
        first, *rest = EXERCISE.sub(lambda match: f"{match[0]}\0", cell.source).split("\0")
        made.append(text_cell(first))
        for asked, piece in zip([first, *rest], rest, strict=False):
            made += [text_cell("**My guess:**")] if "★ Predict first" in asked else []
            made += [nbformat.v4.new_code_cell(), text_cell(piece)]
    made = [c for c in made if c.source or c.cell_type == "code"]
    notebook.cells = [installing(made), *made]
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
    return notebook


def write(notebook: Path, folder: Path = OUT) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(handout(nbformat.read(notebook, as_version=4)), folder / notebook.name)
    return folder / notebook.name


def wheel(folder: Path = OUT) -> None:
    """The library, beside the notebooks, so that they run where no repository can be reached."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), "."]
    subprocess.run(command, cwd=ROOT, check=True)


def main() -> None:
    chosen = map(Path, sys.argv[1:]) if sys.argv[1:] else (ROOT / "chapters").glob("[0-9]-*.ipynb")
    for notebook in sorted(chosen):
        print(f"student: {write(notebook).relative_to(ROOT)}")
    if not sys.argv[1:]:
        wheel()


if __name__ == "__main__":
    main()
