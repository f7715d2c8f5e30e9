"""Notebooks for students: no solution is left, each exercise has its answer cells, and they run."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from press import ROOT, grading, student
from press.build import build

NOTEBOOKS = sorted((ROOT / "chapters").glob("[0-9]-*.ipynb"))
TEXT = """\
# Which?

$$a = b$$ (eq-a)

Drag it; see {ref}`fig-4-kinds` and {ref}`ex-4-circular`.

<div class="explore" data-explore="nothing">

![Dot](_static/favicon.svg)

</div>

::::{exercise} ★ Predict first: a sum
:label: ex-a
Add up, as {cite:t}`rubin1981bayesian` did.
::::

:::{solution} ex-a
:class: dropdown
Given away.
:::

:::{exercise}
:label: ex-b
Again.
:::

::::{solution-start} ex-b
:class: dropdown
::::

Given away."""
CHECK = """\
# answer: the sum
answer = total
# check
assert answer > 0, "a number"
# hidden
assert answer == 4
# wrong: answer = 3"""


def small() -> nbformat.NotebookNode:
    new = nbformat.v4
    hidden = {"tags": ["remove-cell"]}
    return new.new_notebook(
        cells=[
            new.new_code_cell("from myst_nb import glue\nglue('a', '1')\nx = 1", metadata=hidden),
            new.new_markdown_cell(TEXT),
            new.new_code_cell("total = 2 + 2  # given away"),
            new.new_code_cell(CHECK, metadata={"tags": ["remove-cell", "check"]}),
            new.new_markdown_cell("Given away.\n\n::::{solution-end}\n::::\n\nAfter it."),
            new.new_markdown_cell(
                ":::{dropdown} Why?\nBecause.\n:::\n\n![Dot](_static/favicon.svg)\n\n(a-label)=\n"
            ),
            new.new_code_cell("print(x)"),
        ]
    )


def test_a_small_chapter_without_its_solutions():
    made = student.handout(small())
    nbformat.validate(made)
    kinds = [(cell.cell_type, bool(cell.source)) for cell in made.cells]
    text, code = ("markdown", True), ("code", True)
    # Guess and words below the first; answer, check and words below the second.
    below = [text, text, text, text, code, code, text]
    assert kinds == [code, code, *below, text, text, code]
    everything = "\n".join(cell.source for cell in made.cells)
    assert "iven away" not in everything and ":::" not in everything and "myst_nb" not in everything
    title = "**Exercise ★ Predict first: a sum (about 5 minutes)**"
    assert f"{title}\n\nAdd up, as Rubin (1981) did." in everything
    assert "**Exercise**\n\nAgain." in everything and "After it." in everything
    assert "<details><summary>Why?</summary>\n\nBecause.\n\n</details>" in everything
    assert "![Dot](attachment:favicon.svg)" in everything
    assert made.cells[3].source == "**My guess:**"
    assert "$$a = b$$\n" in everything and 'see the figure and the exercise "A member' in everything
    assert '<div class="explore" data-explore="nothing">\n\n*(A still picture' in everything
    assert made.cells[10].attachments["favicon.svg"]["image/svg+xml"]
    assert made.cells[
        6
    ].source == "# Answer ex-b. The check below looks for:\n# answer: the sum\n" + (
        "# Your code here."
    )
    assert made.cells[7].source == '# Check ex-b\nassert answer > 0, "a number"'
    assert "%pip install" in made.cells[0].source and "scikit-learn" not in made.cells[0].source
    assert made.cells[1].metadata["jupyter"] == {"source_hidden": True}


def test_the_first_cell_installs_what_the_others_import():
    cells = [
        nbformat.v4.new_code_cell("from sklearn.metrics import f1_score\nimport statsmodels.api")
    ]
    source = student.installing(cells).source
    assert source.endswith('%pip install --quiet "{source}" scikit-learn statsmodels')
    assert '"snownlp", "sklearn", "statsmodels"' in source
    known = {"betterthan", "matplotlib", "numpy", "pandas", "scipy", "myst_nb", "IPython", "tqdm"}
    for notebook in NOTEBOOKS:
        code = [
            c.source for c in nbformat.read(notebook, as_version=4).cells if c.cell_type == "code"
        ]
        nodes = [node for source in code for node in ast.walk(ast.parse(source))]
        names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
        others = {name.split(".")[0] for name in names} - known - sys.stdlib_module_names
        assert others <= set(student.PACKAGES), notebook.stem


@pytest.mark.parametrize(("place", "found"), [("labs", "."), ("", ".."), (None, None)])
def test_the_first_cell_takes_the_wheel_beside_it_or_beside_its_folder(
    place, found, tmp_path, monkeypatch
):
    """So notebooks.zip, with the wheel at its top, needs no repository."""
    (tmp_path / "labs").mkdir()
    if place is not None:
        (tmp_path / place / "betterthan-9.9-py3-none-any.whl").touch()
    monkeypatch.chdir(tmp_path / "labs")
    code = re.sub("%pip install .*", "pass", student.installing([]).source)
    names: dict = {}
    exec(re.sub(r'== "[\d.]+"', '== "9.9"', code), names)
    if found is None:
        assert names["source"].startswith("betterthan[all] @ git+https://")
    else:
        assert names["source"] == str(Path(found, "betterthan-9.9-py3-none-any.whl")) + "[all]"


def solutions(notebook: Path) -> tuple[int, set[str]]:
    """How many exercises a page has, and the lines that only its solutions have."""
    page = nbformat.read(notebook, as_version=4)
    text = "\n".join(cell.source for cell in page.cells)
    # Of a check cell students see what is asked for and the part that is not hidden.
    checks = [one.check for one in grading.solutions(page).values() if one.check]
    shown = [f"{check.names}\n{check.shown}" for check in checks]
    solved, inside = set(), False
    other = {line.strip() for part in shown for line in part.splitlines()}
    for line in text.splitlines():
        if re.match(r":{3,}\{solution-(start|end)\}", line):
            inside = "start" in line
        elif re.match(r":{3,}\{solution\}", line):
            inside = line.split("{")[0]
        elif inside == line and line:
            inside = False
        (solved if inside else other).add(line.strip())
    exercises = len(re.findall(r"^:{3,}\{exercise\}", text, re.MULTILINE))
    return exercises, {line for line in solved - other if len(line) > 25 and "{" not in line}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_no_solution_is_left_in_a_chapter(notebook, tmp_path):
    made = nbformat.read(student.write(notebook, tmp_path), as_version=4)
    nbformat.validate(made)
    exercises, solved = solutions(notebook)
    everything = "\n".join(cell.source for cell in made.cells)
    assert [line for line in solved if line in everything] == []
    assert "{solution" not in everything
    words = [cell for cell in made.cells if cell.source.endswith("*Your words here.*")]
    answers = [cell for cell in made.cells if "answer" in cell.metadata.get("tags", [])]
    assert len(words) == exercises and len(answers) in (exercises, exercises - 1)
    assert not exercises or solved
    assert not re.search(r"\{(eq|ref|cite(:\w)?|numref|term)\}`|\(eq-[\w-]+\)", everything)


def unbound(sources: list[str]) -> set[str]:
    """Names that these cells use and that none of them gives a meaning."""
    used, given = set(), {*dir(builtins), "display", "get_ipython"}
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else given).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            given.add(node.name)
        elif isinstance(node, ast.arg):
            given.add(node.arg)
        elif isinstance(node, ast.alias):
            given.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            given.add(node.name)
    return used - given


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_no_cell_needs_what_a_solution_has_computed(notebook):
    kept = student.without_solutions(nbformat.read(notebook, as_version=4)).cells
    assert unbound([cell.source for cell in kept if cell.cell_type == "code"]) == set()
    assert unbound(["import os", "def f(x):\n    return os, x, y"]) == {"y"}


def test_the_five_bugs_are_handed_out_alone(tmp_path):
    """Five functions that run, and neither the titles nor the solutions that name their bugs."""
    path = student.five_bugs(tmp_path)
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert [name for cell in code for name in re.findall(r"^def (\w+)", cell)] == [
        f"bug_{number}" for number in ("one", "two", "three", "four", "five")
    ]
    assert "%pip install" in code[0] and unbound(code[1:]) == set()
    text = "\n".join(cell.source for cell in made.cells)
    workshop = (ROOT / "chapters" / "3-more.md").read_text("utf-8")
    titles = re.findall(r"\{exercise\} [★ ]*(.+)\n:label: ex-3-bug-\w+", workshop)
    assert len(titles) == 5 and text.count("**Number ") == 5
    assert not any(title in text for title in titles)
    assert not re.search(r"check_|fixed_|assert|mutate|\{\w+\}`", text)


@pytest.mark.slow
def test_the_page_offers_the_notebook_twice():
    pages = build()
    for notebook in NOTEBOOKS:
        offered = f'href="../_downloads/student/{notebook.name}"'
        html = (pages / "chapters" / f"{notebook.stem}.html").read_text("utf-8")
        exercises, _ = solutions(notebook)
        assert (offered in html) == bool(exercises), notebook.stem
        made = pages / "_downloads" / "student" / notebook.name
        assert made.exists() == bool(exercises)


@pytest.mark.slow
def test_a_students_notebook_runs(tmp_path):
    made = nbformat.read(student.write(NOTEBOOKS[0], tmp_path), as_version=4)
    assert made.cells.pop(0).source.startswith("# Run this once")  # tests install nothing
    NotebookClient(made, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(o.get("text", "") for c in made.cells for o in c.get("outputs", []))
    assert "half-samples" in printed and "myst_nb" not in "".join(c.source for c in made.cells)
