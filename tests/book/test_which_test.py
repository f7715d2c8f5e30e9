"""Every leaf of the decision diagram leads to a chapter with a cell to copy."""

from __future__ import annotations

import re

import jupytext
import nbformat
import pytest

from tests.book.chapters import ROOT

PAGE = ROOT / "chapters" / "x-which-test.ipynb"
CELLS = [c for c in nbformat.read(PAGE, as_version=4).cells if c.cell_type == "code"]


def routes() -> dict:
    scope: dict = {}
    exec(next(c.source for c in CELLS if c.source.startswith("ROUTES")), scope)
    return scope["ROUTES"]


LEAVES = [leaf for leaves in routes().values() for leaf in leaves]


def test_every_chapter_is_a_leaf():
    assert {chapter for _, chapter in LEAVES} == set(range(1, 8))


@pytest.mark.parametrize(("question", "chapter"), LEAVES)
def test_a_leaf_leads_to_a_cell(question, chapter):
    [text] = [
        o.data["text/markdown"] for c in CELLS for o in c.outputs if "text/markdown" in o.data
    ]
    link = re.search(rf"^- {re.escape(question)} → \[chapter {chapter}\]\((.+?)\)", text, re.M)
    assert link, "the text version lacks this leaf"
    source = (ROOT / "chapters" / link[1]).with_suffix(".md")
    assert f"(ch-{chapter})=" in source.read_text("utf-8")
    tags = {t for c in jupytext.read(source).cells for t in c.metadata.get("tags", [])}
    assert "take-home" in tags or chapter == 7
