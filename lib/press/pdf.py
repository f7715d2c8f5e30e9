"""The book to take along: home page, lesson 0, the stories and the glossary in one PDF (make pdf).

    python -m press.pdf

The pages are put into one HTML file by Sphinx, without the workshops and appendices (the whole book
would have more than six hundred pages), and printed by Chromium, with page numbers and bookmarks.
What can be played with is a still picture; solutions stand at the end of their chapter's exercises.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from press import ROOT, stories

OUT = ROOT / "_build" / "better-than-chance.pdf"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PRINTING = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
    "--virtual-time-budget=90000",
)
# Sphinx's builder for one page looks for handlers of its own name, which sphinx-exercise registers
# for some of its boxes only: the others are those of the builder for many pages.
ONE_PAGE = """

def _all_handlers(app):
    known = app.registry.translation_handlers
    merged = {**known.get("html", {}), **known.get("singlehtml", {})}
    known["singlehtml"] = merged


def setup(app):
    app.connect("builder-inited", _all_handlers, priority=1)
"""
STYLE = """
@page {
  size: A4; margin: 18mm 16mm 20mm;
  @bottom-center { content: counter(page); font-size: 9pt; }
}
@media print {
  html { font-size: 14px; }
  h1 { break-before: page; }
  .bd-article > section:first-of-type > h1 { break-before: auto; }
  h1, h2, h3 { break-after: avoid; }
  figure, .explore, div.math, tr { break-inside: avoid; }
  .explore-live, .copybtn, .headerlink, .toggle-details__summary, button {
    display: none !important;
  }
  .explore-on > .explore-still { display: block !important; }
  details > summary { list-style: none; }
  .bd-sidebar-primary, .bd-sidebar-secondary, .bd-header, .bd-header-article, .bd-footer,
  .prev-next-footer, .header-article__inner { display: none !important; }
  .bd-main .bd-content .bd-article-container { max-width: 100% !important; }
}
"""


def pages() -> list[Path]:
    """What goes in, in order."""
    chapters = ROOT / "chapters"
    lesson = sorted(chapters.glob("0-*.ipynb"))
    return [*lesson, *stories(".ipynb"), chapters / "glossary.md"]


def copied(folder: Path) -> None:
    """The sources of these pages alone, with a table of contents of their own."""
    (folder / "chapters").mkdir()
    for name in ("_config.yml", "references.bib", "intro.ipynb", "pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("_static", "_vendor", "_ext"):
        shutil.copytree(ROOT / "chapters" / name, folder / "chapters" / name)
    for page in pages():
        shutil.copy(page, folder / "chapters" / page.name)
    with open(folder / "chapters" / "_static" / "book.css", "a", encoding="utf-8") as css:
        css.write(STYLE)
    listed = "".join(f"  - file: chapters/{page.stem}\n" for page in pages())
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: intro\nchapters:\n{listed}", "utf-8")


def one_page(folder: Path) -> Path:
    """All of it in one HTML file; links to pages that were left out become plain words."""
    run = {"cwd": folder, "check": True, "capture_output": True, "text": True}
    path = os.pathsep.join(map(str, [folder / "chapters" / "_ext", ROOT / "lib"]))
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": path}
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "config", "sphinx", "."]
    subprocess.run(command, env=environment, **run)
    with open(folder / "conf.py", "a", encoding="utf-8") as settings:
        settings.write(ONE_PAGE)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "singlehtml", ".", "_html"]
    subprocess.run(command, env=environment, **run)
    return folder / "_html" / "intro.html"


def browser() -> str:
    """Where Chromium is."""
    for name in CHROMIUM:
        if found := shutil.which(name):
            return found
    raise SystemExit(f"make pdf prints with Chromium, and none of {', '.join(CHROMIUM)} is there")


def printed(page: Path, out: Path) -> None:
    """The page as PDF."""
    with tempfile.TemporaryDirectory() as profile:
        options = [*PRINTING, f"--user-data-dir={profile}", f"--print-to-pdf={out}"]
        command = [browser(), *options, page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=600)


def main() -> None:
    browser()
    OUT.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        copied(folder)
        try:
            page = one_page(folder)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"the one page could not be made:\n{error.stderr}") from None
        printed(page, OUT)
    print(f"The book to take along is {OUT.relative_to(ROOT)} ({OUT.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
