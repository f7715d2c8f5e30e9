"""Numbers in the prose are pasted from cells, or accounted for, or the build stops."""

from __future__ import annotations

import io
import re
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import v4

from press import chapters, numbers

PAGES = numbers.pages()
NOTEBOOKS = [page for page in PAGES if page.with_suffix(".ipynb").exists()]
SOURCE = """\
---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

It covers in {glue:text}`coverage` % of the cases.

```{code-cell} ipython3
:tags: [remove-cell]

from myst_nb import glue

glue("coverage", f"{100 * 0.46:.0f}", display=False)
```

```{code-cell} ipython3
---
mystnb:
  image:
    alt: A line
  figure:
    caption: |
      Only {glue:text}`coverage` %.
---
print("drawn")
```
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_result_in_the_prose_is_pasted_or_accounted_for(page: Path):
    assert numbers.faults(page) == []


def test_every_list_belongs_to_a_page():
    assert {p.stem for p in numbers.LISTS.iterdir()} <= {p.stem for p in PAGES}


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda p: p.stem)
def test_nothing_is_glued_in_vain(page: Path):
    glued = chapters.glued(nbformat.read(page.with_suffix(".ipynb"), as_version=4))
    used = set()
    for other in NOTEBOOKS:
        for name, key in chapters.PASTE.findall(other.read_text("utf-8")):
            if (name or f"{other.stem}.ipynb").endswith(f"{page.stem}.ipynb"):
                used.add(key)
    assert set(glued) - used == set()


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> Path:
    source = tmp_path_factory.mktemp("glue") / "1-small.md"
    source.write_text(SOURCE, encoding="utf-8")
    chapters.write(chapters.execute(source), source.with_suffix(".ipynb"))
    return source


def test_a_glued_value_stands_in_the_notebook(executed):
    notebook = nbformat.read(executed.with_suffix(".ipynb"), as_version=4)
    assert notebook.cells[0].source == "It covers in 46 % of the cases."
    assert notebook.cells[2].metadata.mystnb.figure.caption.strip() == "Only 46 %."
    assert chapters.glued(notebook) == {"coverage": "46"}


def test_a_value_of_another_page(executed, tmp_path):
    other = executed.with_name("2-other.md")
    other.write_text(SOURCE.replace("`coverage`", "`1-small.ipynb::coverage`"), "utf-8")
    assert "in 46 %" in chapters.execute(other).cells[0].source


def test_a_value_that_no_cell_glues_stops_the_page(executed, tmp_path):
    source = tmp_path / "1-small.md"
    source.write_text(SOURCE.replace("`coverage`", "`covers`", 1), "utf-8")
    with pytest.raises(SystemExit, match="no cell glues 'covers'"):
        chapters.execute(source)


def test_a_number_that_is_no_string_is_refused(tmp_path):
    source = tmp_path / "1-small.md"
    source.write_text(SOURCE.replace('f"{100 * 0.46:.0f}"', "46"), "utf-8")
    with pytest.raises(SystemExit, match="expected a string"):
        chapters.execute(source)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("covers in 46 % of 95", ["46 %"]),
        ("by 0.35 and −.02 or 1e-5", ["0.35", "−.02"]),
        ("in 19 of the 21 corpora, 17 of 21,", ["19 of the 21", "17 of 21"]),
        ("4,900 words, 1.65 times as wide", ["4,900", "1.65 times"]),
        ("52–91 % and 5 to 7 %", ["52–91 %", "5 to 7 %"]),
        ("3×2 folds, F1, section 2.4, Table 3, Python 3.11, chapter 7", []),
        ("± 3", ["± 3"]),
    ],
)
def test_what_looks_like_a_result(text, found, tmp_path):
    page = tmp_path / "1-small.md"
    page.write_text(text, "utf-8")
    assert numbers.results(numbers.prose(page)) == found


def test_code_mathematics_and_links_are_not_prose(tmp_path):
    page = tmp_path / "1-small.md"
    page.write_text("`0.5` $x = 0.5$ [a](http://b/0.5) {ref}`0.5 <c>`\n\n$$\n0.5\n$$\n", "utf-8")
    assert numbers.results(numbers.prose(page)) == []


def test_new_stale_and_unexplained_numbers_are_faults(tmp_path, monkeypatch):
    monkeypatch.setattr(numbers, "LISTS", tmp_path)
    page = tmp_path / "1-small.md"
    page.write_text("It covers in 46 % of the cases, promised 95 %, drawn 1,000 times.\n", "utf-8")
    (tmp_path / "1-small.txt").write_text(
        "95 %\tgiven: the promise\n7 %\tgiven: x\n1,000 times\tso it was\n"
    )
    faults = numbers.faults(page)
    assert ["neither" in f or "not in the text" in f or "reason" in f for f in faults] == [True] * 3
    assert [n for n in ("46 %", "7 %", "1,000") if any(n in f for f in faults)]


def test_alt_text_holds_no_computed_digits(tmp_path):
    page = tmp_path / "1-small.md"
    page.write_text(SOURCE.replace("alt: A line", "alt: F1 of 12 systems in 3×2 folds"), "utf-8")
    assert [f for f in numbers.faults(page) if "'12'" in f]


# Columns of p-values, and sentences that give one: "p", "two-sided p", "pvalue", "p, Holm" …
# In "mode of p − P" p is the precision. What a paper printed stays as it printed it.
P_COLUMN = re.compile(r"(^|[ ,])p([ ,]|$)|p-?_?values?")
NOT_OURS = re.compile(r"\bprinted\b|\bpaper\b|^mode of p − P$")
P_SENTENCE = re.compile(r"\bp(?:-value)? ?[=<≤] ?0(?:\.0+)?(?![\d.])")


def zero_pvalues(notebook: nbformat.NotebookNode) -> list[str]:
    """Where a cell prints a p-value as 0: a claim of certainty, which no test makes."""
    found = []
    for cell in notebook.cells:
        outputs = [] if "remove-cell" in cell.metadata.get("tags", []) else cell.get("outputs", [])
        for output in outputs:
            found += [f"{cell.id}: {said}" for said in P_SENTENCE.findall(output.get("text", ""))]
            table = output.get("data", {}).get("text/html", "")
            for frame in pd.read_html(io.StringIO(table)) if "<table" in table else []:
                for column in frame:
                    name = " ".join(map(str, column)) if isinstance(column, tuple) else str(column)
                    ours = P_COLUMN.search(name) and not NOT_OURS.search(name)
                    zeros = pd.to_numeric(frame[column], errors="coerce") == 0
                    if ours and zeros.any():
                        found.append(f"{cell.id}: the column {name!r}")
    return found


@pytest.mark.parametrize(
    "path", [page.with_suffix(".ipynb") for page in NOTEBOOKS], ids=lambda p: p.stem
)
def test_no_pvalue_is_printed_as_zero(path: Path):
    assert zero_pvalues(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize("column", ["pvalue", "p", "two-sided p", "p, Holm", "smallest p"])
def test_a_pvalue_of_zero_is_seen(column):
    def shown(frame, **cell):
        output = v4.new_output("display_data", {"text/html": frame.to_html()})
        return v4.new_notebook(cells=[v4.new_code_cell("table", outputs=[output], **cell)])

    small = pd.DataFrame({column: [0.0123, 0.00001]})
    assert zero_pvalues(shown(small.round(4))) != []
    assert zero_pvalues(shown(small.map("{:.2g}".format))) == []
    assert zero_pvalues(shown(small.round(4).add_prefix("printed, "))) == []
    said = v4.new_output("stream", text="B is ahead, p = 0.0000\n")
    spoken = v4.new_notebook(cells=[v4.new_code_cell("print(found)", outputs=[said])])
    assert zero_pvalues(spoken) != []
