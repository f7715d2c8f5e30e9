"""What nbval lets pass and this book does not: a pytest plugin (-p press.nbval_guard).

nbval compares text and html. It does not compare figures, it passes a notebook that was
never executed, and it has no opinion on warnings in an output. Here

* a figure must match the stored one but for `TOLERANCE` of its pixels,
* a code cell without an execution count fails,
* an output to stderr, stored or computed, fails,
* so does a pair whose .md and .ipynb differ.
"""

from __future__ import annotations

import base64
import io
from itertools import zip_longest
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbval.plugin import IPyNbCell
from PIL import Image

from press.chapters import retext

# A pixel counts as changed when a channel moves by more than LEVEL of 255. Two runs on one
# machine give 0 changed pixels; a single marker that moves by its own size changes about
# 0.02 % of a figure of 700 x 400.
LEVEL = 32
TOLERANCE = 1e-4

_text_outputs_agree = IPyNbCell.compare_outputs


def figures(outputs: list) -> list[str]:
    """The PNG images, base64 coded, in a cell's outputs."""
    return [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]


def changed_share(stored: str, computed: str) -> float:
    """The share of pixels that differ between two base64 coded PNG images."""
    if stored == computed:
        return 0.0
    first, second = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"), dtype=int)
        for png in (stored, computed)
    )
    if first.shape != second.shape:
        return 1.0
    return float((np.abs(first - second).max(axis=2) > LEVEL).mean())


def _compare_outputs(self, test, ref, skip_compare=None):
    agree = _text_outputs_agree(self, test, ref, skip_compare)
    if any(o.get("name") == "stderr" for o in [*test, *ref]):
        self.comparison_traceback.append("the cell writes to stderr: silence the cause, not it")
        agree = False
    stored, computed = figures(ref), figures(test)
    if len(stored) != len(computed):
        self.comparison_traceback.append(f"{len(stored)} figures stored, {len(computed)} drawn")
        return False
    for number, pair in enumerate(zip(stored, computed)):
        share = changed_share(*pair)
        if share > TOLERANCE:
            self.comparison_traceback.append(
                f"figure {number}: {share:.3%} of the pixels changed, at most {TOLERANCE:.2%} may"
            )
            agree = False
    return agree


IPyNbCell.compare_outputs = _compare_outputs


def cells(notebook: nbformat.NotebookNode) -> list[tuple]:
    """What the two files of a pair must agree on."""
    return [(c.cell_type, c.source, dict(c.metadata)) for c in notebook.cells]


def pair_difference(notebook: Path) -> str | None:
    """Why `notebook` is not what its .md source gives, or None."""
    source = notebook.with_suffix(".md")
    if not source.exists():
        return f"{notebook.name} has no source {source.name}"
    try:
        # With the stored outputs, because the prose has values of them pasted.
        ours = cells(retext(source))
    except SystemExit as error:
        return str(error)
    theirs = cells(nbformat.read(notebook, as_version=4))
    for number, (a, b) in enumerate(zip_longest(ours, theirs)):
        if a != b:
            return f"cell {number} differs between {source.name} and {notebook.name}"
    return None


def problems(notebook: Path) -> list[str]:
    """What is wrong with a stored notebook, found without running it."""
    found = [pair_difference(notebook)]
    for number, cell in enumerate(nbformat.read(notebook, as_version=4).cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            found.append(f"cell {number} was never executed")
        if any(o.get("name") == "stderr" for o in cell.outputs):
            found.append(f"cell {number} has stored output to stderr")
        if any(o.get("output_type") == "error" for o in cell.outputs):
            found.append(f"cell {number} has stored an exception")
    return [f"{notebook.name}: {problem}; run `make chapters`" for problem in found if problem]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    stored = {Path(item.path) for item in items if isinstance(item, IPyNbCell)}
    found = [problem for notebook in sorted(stored) for problem in problems(notebook)]
    if found:
        raise pytest.UsageError("\n".join(found))
