"""What the instructor's page says of the chapters is what the chapters say."""

from __future__ import annotations

import re
from html import unescape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from subprocess import CalledProcessError
from zipfile import ZipFile

import nbformat
import pytest

from press import ROOT, grading, slides, stories, student
from press.build import build
from press.chapters import read_source
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


def headlines(number: str) -> list[str]:
    """The headlines of a chapter's deck, in their order."""
    (notebook,) = (deck for deck in slides.lectures() if deck.stem[0] == number)
    _, columns = slides.columns(nbformat.read(notebook, as_version=4))
    return [unescape(slide.headline) for column in columns for slide in column]


PLAN = PAGE.partition("### Eight sessions")[2].partition("*Final work:*")[0]
SESSIONS = re.findall(r"^\d\. (.+)$", PLAN, re.MULTILINE)


@pytest.mark.parametrize("session", [s for s in SESSIONS if "No slides" not in s])
def test_half_an_hour_of_a_session_is_planned_between_the_slides_in_their_order(session):
    """A guess comes before the slide that gives it away."""
    deck = headlines(re.search(r"Chapter (\d)", session)[1])
    in_class = session.partition("*In class:*")[2].partition("*Homework:*")[0]
    assert sum(map(int, re.findall(r"\((\d+)\)", in_class))) == 30
    named = re.findall(r"slide,? \*([^*]+)\*", in_class)
    named = [name for name in named if name != "The sentence, taken apart"]  # of lesson 0
    assert named and set(named) <= set(deck), set(named) - set(deck)
    places = [deck.index(name) for name in named]
    assert places == sorted(places)


def test_the_slides_named_in_the_longer_plan_exist():
    table = PAGE.partition("A plan of twelve sessions")[2].partition("\n:::")[0]
    known = {name for number in "02" for name in headlines(number)}
    named = re.findall(r"slide \*([^*]+)\*", table)
    assert len(named) == 2 and set(named) <= known


def test_slides_that_may_be_skipped_exist_and_none_is_needed():
    table = PAGE.partition("for when time is short\n")[2].partition("\n:::")[0]
    rows = re.findall(r"^\| (\d) \| (.+) \|$", table, re.MULTILINE)
    assert [number for number, _ in rows] == list("01234567")
    for number, words in rows:
        named = re.findall(r"\*([^*]+)\*", words)
        assert len(named) >= 3 and set(named) <= set(headlines(number))
        assert not any(name.startswith(("Take it home", "Your turn", "Try it")) for name in named)
        assert not any(f"*{name}*" in PLAN for name in named)


def test_the_answers_to_your_turn_are_those_of_the_checks():
    table = PAGE.partition("} Answers to the slides *Your turn*\n")[2].partition("\n:::")[0]
    rows = re.findall(r"^\| (\d) \| \{ref\}`[^<]+<(ex-\S+)>` \| (.+) \|$", table, re.MULTILINE)
    asked = [n for n in "01234567" for name in headlines(n) if name.startswith("Your turn")]
    assert [number for number, _, _ in rows] == asked
    for number, label, answer in rows:
        (page,) = (deck.with_suffix(".md") for deck in slides.lectures() if deck.stem[0] == number)
        check = grading.solutions(read_source(page))[label].check
        key = re.findall(r"[\d.]*\d", check.hidden) if check else []
        known = {
            f"{float(k) * by:.{digits}f}" for k in key for by in (1, 100) for digits in range(4)
        }
        assert set(re.findall(r"\d+\.\d+", answer)) <= known | {"0.10", "0.15", "0.001"}
    margin = grading.solutions(read_source(CHAPTERS["2"]))["ex-2-margin"].check.naming
    assert margin.endswith("0.0010, 0.0015")  # in points of F1, 0.10 and 0.15


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


def test_without_a_network_the_archive_is_made_without_the_library(tmp_path, monkeypatch):
    spec = spec_from_file_location("student_ext", ROOT / "chapters" / "_ext" / "student.py")
    extension = module_from_spec(spec)
    spec.loader.exec_module(extension)

    def refuse(folder: Path) -> Path:
        raise CalledProcessError(1, "pip wheel")

    monkeypatch.setattr(student, "wheel", refuse)
    assert extension.wheel_if_possible(tmp_path) == []
    (tmp_path / "labs").mkdir()
    (tmp_path / "labs" / "a.ipynb").touch()
    (tmp_path / "b.whl").touch()
    extension.zip_folders(tmp_path, "all", ("labs",), tmp_path / "b.whl")
    with ZipFile(tmp_path / "all.zip") as archive:
        assert archive.namelist() == ["b.whl", "labs/a.ipynb"]


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
