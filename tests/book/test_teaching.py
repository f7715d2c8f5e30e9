"""What the instructor's page says of the chapters is what the chapters say."""

from __future__ import annotations

import re

from press import ROOT, stories

PAGE = (ROOT / "chapters" / "teaching.md").read_text("utf-8")
CHAPTERS = {path.name[0]: path for path in stories()}


def test_reading_times_are_those_of_the_chapters():
    rows = re.findall(r"^\| \{ref\}`(\d) <ch-\1>` \|.*?\| (\d+) \|", PAGE, re.MULTILINE)
    assert [number for number, _ in rows] == sorted(CHAPTERS)
    for number, minutes in rows:
        stated = re.search(r"\*\*Time\*\* (\d+) minutes", CHAPTERS[number].read_text("utf-8"))
        assert stated and stated[1] == minutes, CHAPTERS[number].name


def test_every_exercise_that_is_named_exists():
    named = set(re.findall(r"<(ex-\d-[\w-]+)>", PAGE))
    assert len(named) > 5
    for label in named:
        pages = (ROOT / "chapters").glob(f"{label[3]}-*.md")
        assert any(f":label: {label}\n" in page.read_text("utf-8") for page in pages), label
