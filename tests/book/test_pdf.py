"""The book to take along: which pages go in, and that Sphinx finds them."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from press import ROOT, pdf


def test_lesson_stories_and_glossary_go_in_and_workshops_do_not():
    names = [page.stem for page in pdf.pages()]
    assert names[0] == "0-what-luck-does" and names[-1] == "glossary"
    assert [name[0] for name in names[1:-1]] == list("1234567")
    assert not any(name.endswith("more") for name in names)


def test_the_copy_has_a_table_of_contents_of_its_own(tmp_path):
    pdf.copied(tmp_path)
    listed = (tmp_path / "_toc.yml").read_text("utf-8")
    for page in pdf.pages():
        assert f"chapters/{page.stem}\n" in listed
        assert (tmp_path / "chapters" / page.name).read_bytes() == page.read_bytes()
    css = (tmp_path / "chapters" / "_static" / "book.css").read_text("utf-8")
    assert "counter(page)" in css
    assert "counter(page)" not in (ROOT / "chapters/_static/book.css").read_text("utf-8")


def test_the_stories_keep_their_numbers():
    """The text says "chapter 2": the heading must, too."""
    parts = pdf.contents().split("  - caption: ")
    numbered = [part for part in parts if "numbered: true" in part]
    assert len(numbered) == 1 and "chapters/1-how-sure" in numbered[0]
    assert "0-what-luck-does" not in numbered[0] and "glossary" not in numbered[0]


def test_a_page_that_is_left_out_is_named_by_its_title():
    titles = pdf.titles()
    assert titles["compare-files"] == "Compare two files here"
    assert titles["ex-7-runs"] == "Neighbours stay together"
    assert "ch-0" not in titles  # it is in the book


def test_solutions_stand_at_the_end_by_chapter():
    page = (
        '<article class="bd-article"><div class="toctree-wrapper">'
        '<section><h2>1. One<a class="headerlink">#</a></h2><p>Exercise</p>'
        '<div class="solution">first</div><p>more</p></section>'
        "<section><h2>Words</h2></section></div></article>"
    )
    made = pdf.solutions_last(page)
    assert made.index("more") < made.index("Words") < made.index("Solutions") < made.index("first")
    assert "<h3>1. One</h3>" in made and made.count("first") == 1
    with pytest.raises(ValueError, match="solutions"):
        pdf.solutions_last(page.replace("solution", "other"))


PAGE = (
    '<article class="bd-article"><h2>Home</h2><div class="toctree-wrapper">'
    '<section id="one"><h2>1. One#</h2><section id="idea"><h3>The idea#</h3></section>'
    '<div class="solution">first</div></section>'
    '<section id="two"><h2>2. Two#</h2><section id="idea"><h3>The idea#</h3>'
    '<a href="#idea">the idea</a></section></section></div></article>'
)


def test_an_id_stands_for_one_place():
    made = pdf.ids_of_their_own(PAGE)
    assert made.count('id="idea"') == 1 and 'id="two-idea"' in made
    assert '<a href="#two-idea">the idea</a>' in made


def test_the_contents_list_chapters_and_sections_with_their_pages():
    made = pdf.with_contents(pdf.solutions_last(pdf.ids_of_their_own(PAGE)))
    assert made.index("Home") < made.index("Contents") < made.index('id="one"')
    pages = {"one": 3, "idea": 4, "two": 12, "two-idea": 13, "solutions": 170}
    soup = BeautifulSoup(pdf.numbered(made, pages), "html.parser")
    lines = [" ".join(line.stripped_strings) for line in soup.select(".printed-contents p")]
    assert lines == ["1. One 3", "The idea 4", "2. Two 12", "The idea 13", "Solutions 170"]


def test_a_bookmark_is_said_once_and_nothing_in_the_file_moves():
    doubled = "2. Is it?".encode("utf-16-be").hex().upper().encode()
    made = b"a /Title (One coinOne coin) b /Title (1. 1. How sure?How sure?) c /Title (papa) d"
    made += b" /Title <FEFF" + doubled + doubled + b"> e"
    headings = ["One coin", "1. How sure?", "papa", "pa", "2. Is it?"]
    tidy = pdf.bookmarks_once(made, headings)
    assert len(tidy) == len(made)
    for title in (b"(One coin)", b"(1. How sure?)", b"(papa)", b"(2. Is it?)"):
        assert b"/Title " + title in tidy
    assert [tidy.index(b" " + c) for c in (b"b ", b"c ")] == [
        made.index(b" b "),
        made.index(b" c "),
    ]
    assert not pdf.repeats("One coin, two coins", "One coin")
