"""The slides are made from the chapters, and need no network."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.book import slides

NOTEBOOKS = sorted((slides.ROOT / "chapters").glob("[0-9]-*.ipynb"))
SMALL = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("(ch-9)=\n# Which?\n\nA start, see {eq}`eq-a`."),
        nbformat.v4.new_markdown_cell(
            "## The problem\n\nFirst words.\n\nThe law is\n\n$$\na^2 + b^2\n$$ (eq-a)\n\n"
            "Long prose. " + "More of it. " * 40
        ),
        nbformat.v4.new_code_cell(
            "1 + 1",
            outputs=[
                nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)
            ],
        ),
        nbformat.v4.new_markdown_cell("## Further reading\n\nNot on a slide."),
    ]
)


def test_a_small_chapter_becomes_slides():
    title, columns = slides.columns(SMALL)
    assert title == "Which?"
    assert [len(column) for column in columns] == [1, 3]
    heading, law, sum_ = (str(slide) for slide in columns[1])
    assert "First words." in heading
    assert "The law is" in law and "a^2 + b^2" in law and "Long prose" in law.split("notes")[1]
    assert "1 + 1" in sum_ and "2</code>" in sum_
    assert "Not on a slide" not in "".join(str(s) for c in columns for s in c)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_slides_of_a_chapter_are_whole(notebook, tmp_path):
    page = slides.write(notebook, tmp_path).read_text("utf-8")
    cells = nbformat.read(notebook, as_version=4).cells
    figures = sum("image/png" in o.get("data", {}) for c in cells for o in c.get("outputs", []))
    assert page.count('src="data:image/png') == figures > 0
    assert page.count("<section>") > 20
    assert not re.search(r'(src|href)="(https?:)?//', page)
    assert not re.search(r"\{(eq|ref|cite:?\w*|numref|term)\}`", page)


def test_the_assets_are_beside_the_slides(tmp_path):
    slides.assets(tmp_path)
    for name in ("reveal/dist/reveal.js", "reveal/LICENSE", "mathjax/tex-chtml-full.js"):
        assert (tmp_path / name).stat().st_size > 0
