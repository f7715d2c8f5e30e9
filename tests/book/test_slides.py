"""The slides are made from the chapters, and need no network."""

from __future__ import annotations

import re

import nbformat
import pytest

from press import slides, stories
from tests.book.test_browser import CHROMIUM, DRIVER, browser, failures, resize  # noqa: F401

NOTEBOOKS = stories(".ipynb")
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
        nbformat.v4.new_markdown_cell(
            "## Exercises\n\n:::{exercise}\n:label: ex-a\nAdd up. {cite}`rubin1981bayesian` did, "
            "as {cite:t}`rubin1981bayesian` says in {ref}`glossary`.\n:::\n\n"
            "The solution, given away."
        ),
        nbformat.v4.new_markdown_cell("## Further reading\n\nNot on a slide."),
    ]
)


def test_a_small_chapter_becomes_slides():
    title, columns = slides.columns(SMALL)
    assert title == "Which?"
    assert [len(column) for column in columns] == [1, 3, 2]
    heading, law, sum_ = (str(slide) for slide in columns[1])
    assert "First words." in heading
    assert "The law is" in law and "a^2 + b^2" in law and "Long prose" in law.split("notes")[1]
    assert "1 + 1" in sum_ and "2</code>" in sum_
    opening, exercise = (str(slide).split("<aside")[0] for slide in columns[2])
    assert "given away" not in opening + exercise
    assert "[Rubin, 1981] did, as Rubin (1981) says in Glossary" in exercise
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


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    slides.assets(folder)
    return {notebook.stem: slides.write(notebook, folder) for notebook in NOTEBOOKS}


@pytest.mark.browser
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")
@pytest.mark.parametrize("stem", [notebook.stem for notebook in NOTEBOOKS])
def test_every_slide_fits_the_screen(browser, decks, stem):  # noqa: F811
    """Opened from a folder, no slide is empty, larger than a screen or in need of scrolling."""
    resize(browser, (1280, 720))
    failures(browser)
    browser.get(decks[stem].as_uri())
    browser.set_script_timeout(120)
    faults = browser.execute_async_script(
        """const done = arguments[0], faults = [];
        const shown = () => new Promise(next => setTimeout(next, 15));
        (async () => {
          await MathJax.startup.promise;
          while (document.body.classList.contains("measured")) await shown();
          await new Promise(next => setTimeout(next, 300));
          Reveal.configure({transition: "none"});
          if (Reveal.getSlides().length < 20) faults.push("few slides");
          for (const slide of Reveal.getSlides()) {
            const {h, v} = Reveal.getIndices(slide);
            Reveal.slide(h, v);
            await shown();
            const box = slide.querySelector(".fit");
            const empty = !box.innerText.trim() && !box.querySelector("img");
            if (empty) faults.push(`${h}/${v} is empty`);
            if (box.querySelector(".math:not(:has(mjx-container))")) faults.push(`${h}/${v}: TeX`);
            for (const part of [box, ...box.querySelectorAll(":not(mjx-container *)")]) {
              const {top, bottom, right, width} = part.getBoundingClientRect();
              if (width && (top < 0 || bottom > 720 || right > 1280))
                { faults.push(`${h}/${v}: ${part.tagName} ends at ${right}, ${bottom}`); break; }
              if (part.scrollHeight > part.clientHeight + 2 && part.clientHeight
                  && getComputedStyle(part).overflowY === "auto")
                { faults.push(`${h}/${v} scrolls`); break; }
            }
          }
          done(faults);
        })();"""
    )
    assert faults == []
    assert failures(browser) == []
