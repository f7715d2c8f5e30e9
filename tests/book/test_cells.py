"""The cells that readers copy run alone: an empty folder, a new process, their own imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from press import cookbook
from press.chapters import ROOT

TAGS = ("standalone", "take-home")


def copyable() -> list[pytest.ParameterSet]:
    """Every cell a reader is told to copy, with what the notebook says it prints."""
    found = []
    for path in sorted((ROOT / "chapters").glob("[0-9x]-*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            for tag in set(cell.metadata.get("tags", [])) & set(TAGS):
                found.append(pytest.param(cell, id=f"{tag}-{cell.id}"))
    return found


def run_alone(source: str, folder: Path) -> subprocess.CompletedProcess:
    """Run `source` as a reader would who has pasted it into an empty file."""
    script = folder / "pasted.py"
    script.write_text(source, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env={**environment, "MPLBACKEND": "Agg", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("cell", copyable())
def test_a_copied_cell_runs_alone(cell, tmp_path):
    done = run_alone(cell.source, tmp_path)
    assert done.returncode == 0, done.stderr
    printed = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
    assert done.stdout == printed


def test_the_cookbook_holds_these_cells():
    page = cookbook.page()
    assert cookbook.PAGE.read_text("utf-8") == page, "run `make chapters`"
    assert all(p.values[0].source.strip() in page for p in copyable())


def test_a_cell_that_leans_on_another_fails(tmp_path):
    assert "NameError" in run_alone("print(counts.sum())", tmp_path).stderr
