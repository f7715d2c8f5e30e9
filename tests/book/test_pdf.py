"""The book to take along: which pages go in, and that Sphinx finds them."""

from __future__ import annotations

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
