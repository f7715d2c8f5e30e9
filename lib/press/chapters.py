"""Execute the chapters: from the MyST source `N-name.md` to the committed `N-name.ipynb`.

    python -m press.chapters                    # every chapter
    python -m press.chapters chapters/1-*.md    # some of them
    python -m press.chapters --text             # the prose only: no cell is run

The bytes of the notebook depend on the source and on what its cells compute, on nothing
else: no timings, no random cell ids, no versions. Run twice, it writes the same file.

A number in the prose that a cell has computed is pasted: the cell says ``glue("key", "46",
display=False)``, the source {glue:text}`key`, and the notebook gets "46", so that Colab, slides
and students see it, too. {glue:text}`2-is-b-better.ipynb::key` is a value of another page.
"""

from __future__ import annotations

import argparse
import ast
import base64
import io
import os
import re
import sys
import tempfile
import time
from copy import deepcopy
from functools import cache
from pathlib import Path

import jupytext
import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

from press import ROOT, cookbook, explore, formats

METADATA = {
    "jupytext": {"default_lexer": "ipython3", "formats": "ipynb,md:myst"},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
GLUED = "application/papermill.record/text/plain"
PASTE = re.compile(r"\{glue:text\}`(?:([^`:]+)::)?([^`:]+)`")
EXPLORE = re.compile(
    r"^:::\{explore\} *([\w-]+(?: [\w-]+)?)\n(.*?)\n:::$", re.DOTALL | re.MULTILINE
)


def sources(folder: Path = ROOT / "chapters") -> list[Path]:
    """The pages that have code to run: the introduction and the chapters."""
    pages = [folder.parent / "intro.md", *sorted(folder.glob("*.md"))]
    return [md for md in pages if "{code-cell}" in md.read_text("utf-8")]


@cache
def _parsed(text: str) -> nbformat.NotebookNode:
    """The notebook that MyST text stands for: parsed once, because tests read each page often."""
    return jupytext.reads(text, fmt="md:myst")


def read_source(md: Path) -> nbformat.NotebookNode:
    """The notebook that the MyST source `md` stands for, not yet executed."""
    notebook = deepcopy(_parsed(md.read_text("utf-8")))
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    folder = "chapters/" if md.resolve().parent == ROOT else ""
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"{md.stem}-{number:03d}"
        if cell.cell_type == "markdown":  # Jupyter shows the still picture and the words
            cell.source = EXPLORE.sub(lambda m: explore.markdown(m[1], m[2], folder), cell.source)
    return notebook


def glued(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """The values that the cells of a notebook have glued, by their keys."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    found = [
        (output.metadata["scrapbook"]["name"], ast.literal_eval(output.data[GLUED]))
        for output in outputs
        if GLUED in output.get("data", {})
    ]
    for key, value in found:
        if not isinstance(value, str) or [k for k, _ in found].count(key) > 1:
            raise SystemExit(f"glue({key!r}, {value!r}): expected a string, and each key once")
    return dict(found)


def paste(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Write the glued values into the prose and captions; other pages are those of `folder`."""
    pages = {None: glued(notebook)}

    def value(match: re.Match) -> str:
        page, key = match[1], match[2]
        if page not in pages:
            pages[page] = glued(nbformat.read(folder / page, as_version=4))
        if key not in pages[page]:
            raise SystemExit(f"{match[0]}: no cell glues {key!r}; there are {sorted(pages[page])}")
        return pages[page][key]

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = PASTE.sub(value, cell.source)
        if "slide" in cell.metadata:
            cell.metadata["slide"] = PASTE.sub(value, cell.metadata["slide"])
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if "caption" in figure:
            figure["caption"] = PASTE.sub(value, figure["caption"])
    return notebook


def few_colours(image: Image.Image, furthest: int = 20) -> Image.Image:
    """The picture in at most 256 colours, none further than `furthest` of 255 from the true one.

    Common colours stay as they are; a rare one, as at the edges of letters and lines, becomes the
    nearest of them. A picture that needs more colours than that is returned as it is.
    """
    pixels = np.asarray(image).reshape(-1, 3)
    codes = pixels @ np.array([65536, 256, 1])
    codes, where, count = np.unique(codes, return_inverse=True, return_counts=True)
    colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1)
    palette, far = [], np.ones(len(codes), dtype=bool)
    for k in np.argsort(-count, kind="stable"):
        if far[k]:
            palette.append(colours[k])
            far &= np.abs(colours - colours[k]).max(axis=1) > furthest
    if len(palette) > 256:
        return image
    nearest = np.abs(colours[:, None] - np.array(palette)).max(axis=2).argmin(axis=1)
    few = Image.frombytes("P", image.size, nearest[where].astype(np.uint8).tobytes())
    few.putpalette(np.array(palette, dtype=np.uint8).tobytes())
    return few


def pack(png: str) -> tuple[str, dict[str, int]]:
    """The same picture in fewer bytes, and the size it is shown at: half its pixels."""
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if image.mode == "RGBA" and image.getextrema()[3] == (255, 255):
        image = few_colours(image.convert("RGB"))  # nobody sees a difference of 20
    packed = io.BytesIO()
    image.save(packed, "png", optimize=True)
    size = {"width": image.width // 2, "height": image.height // 2}
    return base64.encodebytes(packed.getvalue()).decode("ascii"), size


def execute(md: Path) -> nbformat.NotebookNode:
    """Run the cells of `md` in a fresh kernel and return the notebook with its outputs."""
    notebook = read_source(md)
    with tempfile.TemporaryDirectory() as folder:  # for the small files that cells write
        NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": folder}},
        ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise SystemExit(f"{md.name}, {cell.id}: the cell wrote to stderr:\n{output.text}")
            if "image/png" in output.get("data", {}):
                output.data["image/png"], size = pack(output.data["image/png"])
                output.metadata["image/png"] = size
    nbformat.validate(notebook)
    return paste(notebook, md.parent)


def retext(md: Path) -> nbformat.NotebookNode:
    """The notebook of `md` with the outputs it has: for when nothing but prose has changed."""
    notebook = read_source(md)
    stored = nbformat.read(md.with_suffix(".ipynb"), as_version=4)
    new, old = ([c for c in n.cells if c.cell_type == "code"] for n in (notebook, stored))
    if [c.source for c in new] != [c.source for c in old]:
        raise SystemExit(f"{md.name}: its code has changed, too; run it without --text")
    for cell, before in zip(new, old):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    return paste(notebook, md.parent)


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write under a temporary name and rename, so that a kill leaves no half notebook."""
    temporary = path.with_name(path.name + ".tmp")
    nbformat.write(notebook, temporary)
    os.replace(temporary, path)


def main() -> None:
    parser = argparse.ArgumentParser(description="Execute chapters into committed notebooks.")
    parser.add_argument("chapters", nargs="*", type=Path, help="sources (default: all)")
    parser.add_argument("--text", action="store_true", help="only prose has changed: run nothing")
    options = parser.parse_args()
    for md in options.chapters:
        if "{code-cell}" not in md.read_text("utf-8"):  # the book would have the page twice
            raise SystemExit(f"{md}: it has no code cell, so it needs no notebook")
    if not options.chapters:
        formats.main()
    for md in options.chapters or sources():
        begun = time.perf_counter()
        write(retext(md) if options.text else execute(md), md.with_suffix(".ipynb"))
        print(f"{md.with_suffix('.ipynb').name}: {time.perf_counter() - begun:.1f} s")
        sys.stdout.flush()
    if not options.chapters:
        cookbook.write()


if __name__ == "__main__":
    main()
