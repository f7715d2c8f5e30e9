"""The glossary, and the tool that links its words."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from press.chapters import ROOT, read_source, write
from press.link_terms import (
    BY_HAND,
    GLOSSARY,
    glossary_entries,
    glossary_terms,
    link,
    linked,
    relink,
)

ENTRIES = [
    ["precision"],
    ["average precision"],
    ["p-value"],
    ["posterior", "posterior distribution"],
    ["F1"],
    ["power"],
    ["region of practical equivalence", "rope"],
]
PAGES = sorted((ROOT / "chapters").glob("*.md"))

TEXT = """---
title: the posterior in front matter
---

(a-label)=
# Precision in a heading

:::{admonition} Before you start
:class: tip
**You will learn** what a p-value is.
:::

| precision | in a table |
| --- | --- |

```{code-cell} ipython3
precision = "p-value"
```

$$
precision
$$ (eq-precision)

:::{admonition} Precision in a title
:class: precision
See [precision](precision.md), `precision`, $precision$ and {ref}`precision`: average precision is
before Precision, and P-values come twice: p-value.
:::

The **posterior**, the power of the posteriors, f1 and F1-like things, F1, then precision.
"""

LINKED = (
    "See [precision](precision.md), `precision`, $precision$ and {ref}`precision`: "
    "{term}`average precision` is\n"
    "before {term}`Precision <precision>`, and {term}`P-values <p-value>` come twice: p-value.\n"
    ":::\n\n"
    "The **{term}`posterior`**, the power of the posteriors, f1 and F1-like things, {term}`F1`, "
    "then precision.\n"
)


def test_links_the_first_use_in_prose_and_nothing_else():
    start = TEXT.index("See [")
    assert link(TEXT, ENTRIES) == TEXT[:start] + LINKED


def test_linking_twice_changes_nothing():
    once = link(TEXT, ENTRIES)
    assert once != TEXT
    assert link(once, ENTRIES) == once


def test_a_term_that_is_linked_further_down_is_not_linked_again():
    text = "A posterior, then the {term}`posteriors <posterior>`.\n"
    assert link(text, ENTRIES) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the rope\n", "the {term}`rope`\n"),
        ("Rope, or ropes\n", "{term}`Rope <rope>`, or ropes\n"),
        ("a mean average precision\n", "a mean {term}`average precision`\n"),
        ("a $x$ posterior $y$ p-value\n", "a $x$ {term}`posterior` $y$ {term}`p-value`\n"),
        (
            "The rope is the region of practical equivalence.\n",
            "The {term}`rope` is the region of practical equivalence.\n",
        ),
        ("posteriority and pre-posterior\n", "posteriority and pre-posterior\n"),
    ],
)
def test_word_forms(text, expected):
    assert link(text, ENTRIES) == expected


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A chapter and the notebook made from it, with an output in it."""
    md = tmp_path / "1-small.md"
    head = (
        "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n"
    )
    md.write_text(f"{head}\nA posterior.\n\n```{{code-cell}} ipython3\n1 + 1\n```\n", "utf-8")
    notebook = read_source(md)
    notebook.cells[1].outputs = [
        nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=1)
    ]
    write(notebook, md.with_suffix(".ipynb"))
    return md


def test_the_stored_notebook_gets_the_prose_and_keeps_its_outputs(pair):
    assert relink(pair, ENTRIES) == (1, 0)
    assert "A {term}`posterior`." in pair.read_text("utf-8")
    stored = nbformat.read(pair.with_suffix(".ipynb"), as_version=4)
    assert stored.cells[0].source == "A {term}`posterior`."
    assert stored.cells[1].outputs[0].data["text/plain"] == "2"


def test_a_notebook_with_other_code_is_refused(pair):
    pair.write_text(pair.read_text("utf-8").replace("1 + 1", "1 + 2"), "utf-8")
    before = pair.read_bytes(), pair.with_suffix(".ipynb").read_bytes()
    with pytest.raises(SystemExit, match="its code has changed"):
        relink(pair, ENTRIES)
    assert (pair.read_bytes(), pair.with_suffix(".ipynb").read_bytes()) == before


def test_terms_are_read_with_their_synonyms():
    text = "```{glossary}\n:sorted:\n\na term\nits synonym\n    Words.\n\nb-term\n    More.\n```\n"
    assert glossary_entries(text) == [["a term", "its synonym"], ["b-term"]]
    assert glossary_terms(text) == ["a term", "its synonym", "b-term"]
    with pytest.raises(ValueError, match="glossary"):
        glossary_terms("nothing\n")


def test_the_glossary_has_no_term_twice_and_explains_each():
    text = GLOSSARY.read_text("utf-8")
    terms = glossary_terms(text)
    assert len({term.lower() for term in terms}) == len(terms)
    assert set(terms) >= BY_HAND
    entries = re.split(r"\n\n", text[text.index(":sorted:\n\n") + len(":sorted:\n\n") :])
    for entry in entries:
        assert re.search(r"\n    \S.*\.\n?", entry + "\n"), entry


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_term_role_points_into_the_glossary(page: Path):
    known = {term.lower() for term in glossary_terms(GLOSSARY.read_text("utf-8"))}
    missing = [term for term in linked(page.read_text("utf-8")) if term.lower() not in known]
    assert missing == []
