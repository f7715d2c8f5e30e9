"""What the instructor's page says of the chapters is what the chapters say."""

from __future__ import annotations

import re
from zipfile import ZipFile

import pytest

from press import ROOT, slides, stories
from press.build import build
from tests.book.test_template import shape

PAGE = (ROOT / "chapters" / "teaching.md").read_text("utf-8")
CHAPTERS = {path.name[0]: path for path in stories()}
ROW = r"^\| \{ref\}`(\d) <ch-\1>` \|.*?\| (\d+), (\d+), (\d+) \|"
MINUTES = {row[0]: tuple(map(int, row[1:])) for row in re.findall(ROW, PAGE, re.MULTILINE)}


@pytest.mark.parametrize("number", sorted(CHAPTERS))
def test_reading_times_are_those_that_are_measured(number):
    size = shape(CHAPTERS[number].read_text("utf-8"))
    assert MINUTES[number] == (size.reading, size.playing, size.exercises)


def test_every_exercise_that_is_named_exists():
    named = set(re.findall(r"<(ex-\d-[\w-]+)>", PAGE))
    assert len(named) > 5
    for label in named:
        pages = (ROOT / "chapters").glob(f"{label[3]}-*.md")
        assert any(f":label: {label}\n" in page.read_text("utf-8") for page in pages), label


def test_every_section_that_is_named_exists():
    named = re.findall(r"\(([\w-]+)\.ipynb#([\w-]+)\)", PAGE)
    assert len(named) > 10
    for page, anchor in named:
        text = (ROOT / "chapters" / f"{page}.md").read_text("utf-8")
        headings = re.findall(r"^#{2,3} (.+)$", text, re.MULTILINE)
        slugs = [re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings]
        assert anchor in slugs, (page, anchor)


def test_every_slide_at_which_a_deck_is_cut_exists():
    shared = PAGE.partition("share one deck between two sessions:")[2].partition("\n### ")[0]
    for number, words in re.findall(r"^- \*Chapter (\d)\.\* (.+)$", shared, re.MULTILINE):
        text = CHAPTERS[number].read_text("utf-8")
        headlines = set(
            re.findall(r'^\+\+\+ \{"slide": "(.+)"\}$|^:?slide: (.+)$', text, re.MULTILINE)
        )
        known = {"".join(pair).strip("\"'") for pair in headlines}
        named = {name for name in re.findall(r"\*([^*]+)\*", words) if name != "take it home"}
        assert len(named) >= 3 and named <= known, named - known
    assert len(re.findall(r"^- \*Chapter", shared, re.MULTILINE)) == 2


def test_the_misunderstandings_are_all_there():
    assert len(re.findall(r'^\| "', PAGE, re.MULTILINE)) >= 21


@pytest.mark.slow
def test_what_the_page_offers_to_download_is_there():
    pages = build()
    offered = set(re.findall(r'href="\.\./(_downloads/[^"]+)"', PAGE))
    assert {f"_downloads/slides/{deck.stem}.html" for deck in slides.lectures()} <= offered
    for name in offered:
        assert (pages / name).is_file(), name
    with ZipFile(pages / "_downloads" / "notebooks.zip") as archive:
        names = archive.namelist()
        wheels = [name for name in names if name.endswith(".whl")]
        notebooks = [name for name in names if name.endswith(".ipynb")]
        assert len(wheels) == 1 and "/" not in wheels[0]  # each notebook is one folder further in
        assert len(notebooks) >= 15 + 12 + 1 and len(notebooks) == len(names) - 1
        assert all(name.count("/") == 1 for name in notebooks)
        assert "labs/homework-1.ipynb" in names
        for name in notebooks:
            assert "HIDDEN TESTS" not in archive.read(name).decode("utf-8")
    with ZipFile(pages / "_downloads" / "slides.zip") as archive:
        needed = {"slides/reveal/dist/reveal.js", "slides/2-is-b-better.html"}
        assert needed <= set(archive.namelist())
        assert any(name.startswith("slides/mathjax/") for name in archive.namelist())
