"""Every leaf of the decision diagram leads to a chapter and to the section that answers it."""

from __future__ import annotations

import re

import jupytext
import nbformat
import pytest

from press import ROOT, stories

PAGE = ROOT / "chapters" / "x-which-test.ipynb"
CELLS = [c for c in nbformat.read(PAGE, as_version=4).cells if c.cell_type == "code"]


def routes() -> dict:
    scope: dict = {}
    exec(next(c.source for c in CELLS if "ROUTES = {" in c.source), scope)
    return scope["ROUTES"]


LEAVES = [leaf for leaves in routes().values() for leaf in leaves]


def slug(heading: str) -> str:
    """The address of a heading within its page."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_every_chapter_is_a_leaf():
    assert {chapter for _, chapter, _ in LEAVES} == set(range(1, 8))


@pytest.mark.parametrize(("question", "chapter", "section"), LEAVES)
def test_a_leaf_leads_to_a_section_and_a_cell(question, chapter, section):
    [text] = [
        o.data["text/markdown"] for c in CELLS for o in c.outputs if "text/markdown" in o.data
    ]
    link = re.search(
        rf"^- {re.escape(question)} → \[chapter {chapter}\]\((.+?)\), \[.+?\]\((.+?)#(.+?)\)$",
        text,
        re.M,
    )
    assert link, "the text version lacks this leaf"
    assert (link[1], link[3]) == (link[2], section)
    source = (ROOT / "chapters" / link[1]).with_suffix(".md").read_text("utf-8")
    assert f"(ch-{chapter})=" in source
    headings = {slug(h): h for h in re.findall(r"^##+ (.+)$", source, re.M)}
    assert section in headings
    if section == "take-it-home":
        assert take_home_cells(source.split(f"## {headings[section]}\n")[1])


def take_home_cells(text: str) -> list[str]:
    cells = jupytext.reads(text, fmt="md:myst").cells
    return [c.source for c in cells if "take-home" in c.metadata.get("tags", [])]


@pytest.mark.parametrize(
    ("have", "chapter", "reader"),
    [
        ("Labels of one or two systems on one test set", 1, "read_conll"),
        ("Labels of one or two systems on one test set", 2, "read_conll"),
        ("Labels of one or two systems on one test set", 4, "read_words"),
        ("A p-value for each of many datasets, or benchmark logs", 3, "read_pvalues"),
        ("A p-value for each of many datasets, or benchmark logs", 3, "read_lm_eval"),
        ("Only scores on many datasets", 3, "read_scores"),
    ],
)
def test_the_cell_reads_what_the_reader_has(have, chapter, reader):
    assert (chapter, "take-it-home") in {leaf[1:] for leaf in routes()[have]}
    source = next(page for page in stories() if page.name.startswith(f"{chapter}-"))
    assert any(reader in cell for cell in take_home_cells(source.read_text("utf-8")))
