"""What the instructor's page says of the chapters is what the chapters say."""

from __future__ import annotations

import re

import pytest

from press import ROOT, stories
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


def test_the_misunderstandings_are_all_there():
    assert len(re.findall(r'^\| "', PAGE, re.MULTILINE)) >= 21
