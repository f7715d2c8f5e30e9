"""The cells that readers copy run alone: an empty folder, a new process, their own imports."""

from __future__ import annotations

import multiprocessing
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from betterthan import readers
from press import cookbook
from press.chapters import ROOT
from tests.book import _pasted

TAGS = ("standalone", "take-home")


def copyable() -> list[pytest.ParameterSet]:
    """Every cell a reader is told to copy, with what the notebook says it prints."""
    found = []
    for path in sorted((ROOT / "chapters").glob("[0-9x]-*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for tag in set(cell.metadata.get("tags", [])) & set(TAGS):
                found.append(pytest.param(cell, id=f"{tag}-{cell.id}"))
    return found


class Done(NamedTuple):
    """How a pasted cell ended, and what it wrote."""

    code: int | None
    stdout: str
    stderr: str


def run_alone(source: str, folder: Path) -> Done:
    """Run `source` as a reader would who has pasted it into an empty file.

    Each in a process of its own, which begins with the large packages loaded but with no name
    of theirs, and with nothing of ours: loading them takes longer than most cells.
    """
    (folder / "pasted.py").write_text(source, encoding="utf-8")
    begun = multiprocessing.get_context("forkserver")
    begun.set_forkserver_preload(["matplotlib.pyplot", "numpy", "pandas", "scipy.stats"])
    process = begun.Process(target=_pasted.run, args=(str(folder),))
    process.start()
    process.join(timeout=300)
    if process.is_alive():
        process.kill()
        process.join()
    written = ((folder / name).read_text("utf-8") for name in ("stdout", "stderr"))
    return Done(process.exitcode, *written)


@pytest.mark.parametrize("cell", copyable())
def test_a_copied_cell_runs_alone(cell, tmp_path):
    done = run_alone(cell.source, tmp_path)
    assert done.code == 0, done.stderr
    printed = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
    assert done.stdout == printed


def test_the_cookbook_holds_these_cells():
    page = cookbook.page()
    assert cookbook.PAGE.read_text("utf-8") == page, "run `python -m press.cookbook`"
    assert all(p.values[0].source.strip() in page for p in copyable())


@pytest.mark.parametrize("one", cookbook.others(), ids=lambda one: one.kind)
def test_a_cell_made_for_a_format_runs_alone(one, tmp_path):
    source = cookbook.comparing(one)
    assert source in cookbook.page()
    done = run_alone(source, tmp_path)
    assert done.code == 0, done.stderr
    assert " minus " in done.stdout


def test_every_format_is_in_the_cookbook():
    examples = {
        path for _, name, other in cookbook.FILES for path in cookbook.paths_of(other or name)
    }
    made = {one.kind for one in cookbook.others()}
    for one in readers.FORMATS:
        assert (one.kind in made) != bool(examples & {*cookbook.paths_of(one.kind)}), one.kind
    [numbers] = [one for one in readers.FORMATS if one.kind == "numbers"]
    with pytest.raises(SystemExit, match="needs a section"):
        cookbook.comparing(replace(numbers, gives="answers"))


def test_no_section_of_the_cookbook_is_lost_or_comes_twice():
    page = cookbook.page()
    headings = re.findall(r"^### (.+)$", page, re.M)
    assert len(headings) == len(set(headings))
    for part in cookbook.PARTS[1:]:
        if "```python" in part:
            assert re.search(r"```python\n.*?```", part, re.S)[0] in page, part.splitlines()[0]


def test_an_example_in_one_long_line_is_cut(tmp_path, monkeypatch):
    path = tmp_path / "mine.xml"
    path.write_text("<case/>" * 1000, "utf-8")
    monkeypatch.setattr(cookbook, "paths_of", lambda kind: (path,))
    assert len(cookbook.lines_of("mine")) < 400


def test_a_cell_that_leans_on_another_fails(tmp_path):
    assert run_alone("import sys; print('betterthan' in sys.modules)", tmp_path).stdout == "False\n"
    assert "NameError" in run_alone("print(counts.sum())", tmp_path).stderr
