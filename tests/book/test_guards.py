"""Each guard of the notebooks fails when it should, shown on a small notebook."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from PIL import Image

from press import chapters

ROOT = chapters.ROOT
SOURCE = """\
---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A small notebook

```{code-cell} ipython3
number = 41 + 1
print(f"the answer is {number}")
```

```{code-cell} ipython3
---
mystnb:
  image:
    alt: A line through three points
---
import matplotlib.pyplot as plt
height = 3.0
fig, ax = plt.subplots()
ax.plot([1, 2, height], "o")
ax.set_ylim(0, 4)
plt.show()
```
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("executed")
    source = folder / "1-small.md"
    source.write_text(SOURCE, encoding="utf-8")
    chapters.write(chapters.execute(source), source.with_suffix(".ipynb"))
    return folder


@pytest.fixture
def folder(executed, tmp_path) -> Path:
    return shutil.copytree(executed, tmp_path / "book")


def test_a_page_without_code_gets_no_notebook(tmp_path, monkeypatch):
    page = tmp_path / "cookbook.md"
    page.write_text("# Words alone\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["press.chapters", str(page)])
    with pytest.raises(SystemExit, match=r"cookbook\.md: it has no code cell"):
        chapters.main()
    assert not page.with_suffix(".ipynb").exists()


def validate(*folders: Path) -> subprocess.CompletedProcess:
    options = "-q -rA -p no:cacheprovider -p no:xdist --nbval -p press.nbval_guard -c /dev/null"
    notebooks = [folder / "1-small.ipynb" for folder in folders]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options.split(), *notebooks],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


# Changes of the code of the pair that leave the stored outputs as they are.
CHANGES = {
    "untouched": ("", ""),
    "number": ("number = 41 + 1", "number = 41 + 2"),
    "figure": ("height = 3.0", "height = 3.1"),
    "rounding": ("height = 3.0", "height = 3.0000001"),
    "lost": ("plt.show()", "plt.close()"),
    "loud": ("number = 41 + 1", "import warnings; warnings.warn('oh'); number = 42"),
}


@pytest.fixture(scope="module")
def outcomes(executed, tmp_path_factory) -> tuple[dict[str, list[str]], str]:
    """How each cell of each changed notebook ends, all in one run, and what was printed."""
    folder = tmp_path_factory.mktemp("changed")
    for name, (old, new) in CHANGES.items():
        for path in shutil.copytree(executed, folder / name).iterdir():
            text = path.read_text("utf-8")
            assert old in text
            path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    done = validate(*(folder / name for name in CHANGES))
    ends = re.findall(r"^(PASSED|FAILED) \S*/(\w+)/1-small.ipynb::Cell", done.stdout, re.MULTILINE)
    assert len(ends) == 2 * len(CHANGES), done.stdout + done.stderr
    return {name: sorted(end for end, of in ends if of == name) for name in CHANGES}, done.stdout


@pytest.mark.parametrize(
    ("change", "failed", "words"),
    [
        ("untouched", 0, ""),
        ("number", 1, "the answer is 43"),
        ("figure", 1, "of the pixels changed"),
        ("rounding", 0, ""),
        ("lost", 1, "1 figures stored, 0 drawn"),
        ("loud", 1, "the cell writes to stderr"),
    ],
)
def test_a_changed_notebook_fails_and_says_why(outcomes, change, failed, words):
    ends, printed = outcomes
    assert ends[change] == ["FAILED"] * failed + ["PASSED"] * (2 - failed)
    assert words in printed


def test_an_edited_source_fails(folder):
    source = folder / "1-small.md"
    source.write_text(SOURCE.replace("A small notebook", "An edited notebook"), encoding="utf-8")
    done = validate(folder)
    assert done.returncode == 4
    assert "cell 0 differs between 1-small.md and 1-small.ipynb" in done.stderr


def test_changed_alt_text_fails(folder):
    source = folder / "1-small.md"
    source.write_text(SOURCE.replace("A line through", "Nothing but"), encoding="utf-8")
    assert "cell 2 differs" in validate(folder).stderr


def test_a_cell_that_never_ran_fails(folder):
    notebook = folder / "1-small.ipynb"
    content = nbformat.read(notebook, as_version=4)
    content.cells[1].execution_count = None
    content.cells[1].outputs = []
    chapters.write(content, notebook)
    done = validate(folder)
    assert done.returncode == 4
    assert "cell 1 was never executed" in done.stderr


def test_stored_stderr_fails(folder):
    notebook = folder / "1-small.ipynb"
    content = nbformat.read(notebook, as_version=4)
    content.cells[1].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="oh\n"))
    chapters.write(content, notebook)
    assert "cell 1 has stored output to stderr" in validate(folder).stderr


def test_execution_refuses_stderr(tmp_path):
    source = tmp_path / "1-loud.md"
    source.write_text(SOURCE.replace("41 + 1", "__import__('sys').stderr.write('oh')"), "utf-8")
    with pytest.raises(SystemExit, match="wrote to stderr"):
        chapters.execute(source)


def test_the_bytes_are_the_same_when_run_twice(executed, tmp_path):
    again = tmp_path / "1-small.md"
    again.write_text(SOURCE, encoding="utf-8")
    chapters.write(chapters.execute(again), again.with_suffix(".ipynb"))
    first = (executed / "1-small.ipynb").read_bytes()
    assert again.with_suffix(".ipynb").read_bytes() == first


def test_new_prose_keeps_the_outputs(folder):
    source = folder / "1-small.md"
    source.write_text(SOURCE.replace("A small notebook", "An edited notebook"), encoding="utf-8")
    chapters.write(chapters.retext(source), source.with_suffix(".ipynb"))
    assert validate(folder).returncode == 0
    source.write_text(SOURCE.replace("41 + 1", "41 + 2"), encoding="utf-8")
    with pytest.raises(SystemExit, match="its code has changed"):
        chapters.retext(source)


def test_a_picture_with_few_colours_looks_the_same():
    pixels = np.full((40, 60, 3), 255, np.uint8)
    pixels[:, :30] = (0, 114, 178)
    pixels[5, 5:] = np.linspace((0, 114, 178), (255, 255, 255), 55)  # a soft edge
    few = chapters.few_colours(Image.fromarray(pixels))
    after = np.asarray(few.convert("RGB")).astype(int)
    assert few.mode == "P" and few.size == (60, 40)
    assert 2 < len(few.getcolors()) < len(np.unique(pixels.reshape(-1, 3), axis=0)) / 2
    assert np.abs(after - pixels).max() <= 20
    common = (pixels == (0, 114, 178)).all(axis=2) | (pixels == 255).all(axis=2)
    assert (after[common] == pixels[common]).all()


def test_a_picture_with_many_colours_stays_as_it_is():
    pixels = np.random.default_rng(0).integers(0, 256, (60, 60, 3), dtype=np.uint8)
    picture = Image.fromarray(pixels)
    assert chapters.few_colours(picture) is picture
