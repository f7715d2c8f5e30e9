"""The book to take along: home page, lesson 0, the stories and the glossary in one PDF (make pdf).

    python -m press.pdf

The pages are put into one HTML file by Sphinx, without the workshops and appendices (the whole book
would have more than six hundred pages), and printed by Chromium, with page numbers and bookmarks.
What can be played with is a still picture; the solutions of all exercises stand at the end. Only
the printed pages tell where a section begins: so the book is printed twice, the second time with
these numbers in its table of contents.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader

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
# A reference without words to a page that was left out gets that page's title.
ONE_PAGE = """

LEFT_OUT = {titles!r}


def _all_handlers(app):
    known = app.registry.translation_handlers
    merged = {{**known.get("html", {{}}), **known.get("singlehtml", {{}})}}
    known["singlehtml"] = merged


def _title(app, env, node, words):
    from docutils import nodes

    if not node.get("refexplicit") and node.get("reftarget") in LEFT_OUT:
        return nodes.emphasis(text=LEFT_OUT[node["reftarget"]])
    return None


def setup(app):
    app.connect("builder-inited", _all_handlers, priority=1)
    app.connect("missing-reference", _title, priority=1)
"""
STYLE = """
@page {
  size: A4; margin: 18mm 16mm 20mm;
  @bottom-center { content: counter(page); font-size: 9pt; }
}
@media print {
  html { font-size: 14px; }
  .toctree-wrapper > section, section.solutions { break-before: page; }
  .toctree-wrapper > section > h2, section.solutions > h2 { font-size: 2.2em; margin-top: 0; }
  .toctree-wrapper > .caption { display: none; }
  .contents-title { break-before: page; margin-top: 0; }
  .printed-contents { columns: 2; column-gap: 2.5em; font-size: .8em; margin-top: 1em; }
  .printed-contents p { display: flex; gap: .6em; margin: 0; line-height: 1.45; }
  .printed-contents p.chapter { font-weight: bold; margin-top: .5em; break-after: avoid; }
  .printed-contents p.section { padding-left: 1.2em; }
  .printed-contents a { color: inherit; text-decoration: none; }
  .printed-contents .page { margin-left: auto; font-variant-numeric: tabular-nums; }
  .explore { break-inside: avoid; }
  #what-each-chapter-answers table { break-inside: auto; }
  .citation-list { font-size: .85em; }
  div.math { font-size: .92em; }
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


def titles() -> dict[str, str]:
    """The heading, or the title of the exercise, for each label of the pages that are left out."""
    inside = {page.stem for page in pages()}
    found: dict[str, str] = {}
    for page in sorted((ROOT / "chapters").glob("*.md")):
        if page.stem not in inside:
            text = page.read_text("utf-8")
            found |= dict(re.findall(r"^\((\S+)\)=\n+#+ (.+)$", text, flags=re.MULTILINE))
            exercises = re.findall(r"\{exercise\} ★* ?(.+)\n:label: (\S+)", text)
            found |= {label: title for title, label in exercises}
    return found


def contents() -> str:
    """The table of contents; the stories are numbered as on the web."""
    lesson, *numbered, glossary = (f"      - file: chapters/{page.stem}\n" for page in pages())
    return "".join(
        [
            "format: jb-book\nroot: intro\nparts:\n",
            f"  - caption: Start here\n    chapters:\n{lesson}",
            f"  - caption: Stories\n    numbered: true\n    chapters:\n{''.join(numbered)}",
            f"  - caption: Words\n    chapters:\n{glossary}",
        ]
    )


def solutions_last(page: str) -> str:
    """The HTML page with all solutions in a section of their own at its end, by chapter."""
    soup = BeautifulSoup(page, "html.parser")
    last = soup.new_tag("section", attrs={"class": "solutions", "id": "solutions"})
    last.append(soup.new_tag("h2", string="Solutions"))
    for chapter in soup.select(".toctree-wrapper > section"):
        found = chapter.select(".solution")
        heading = chapter.find("h2")
        if found and heading is not None:
            words = heading.get_text().removesuffix("#")
            last.append(soup.new_tag("h3", string=words))
            last.extend(solution.extract() for solution in found)
    article = soup.select_one("article.bd-article")
    if article is None or not last.select(".solution"):
        raise ValueError("the page has no article, or no solutions")
    article.append(last)
    return str(soup)


def ids_of_their_own(page: str) -> str:
    """The HTML page with an id for one place only: every chapter has a section "The problem".

    What comes again is called after its chapter, and so are the links to it in that chapter.
    """
    soup = BeautifulSoup(page, "html.parser")
    known: set[str] = set()
    for chapter in soup.select(".toctree-wrapper > section"):
        own = {element["id"]: element for element in chapter.find_all(id=True)}
        again = {name: f"{chapter['id']}-{name}" for name in own if name in known}
        for name, new in again.items():
            own[name]["id"] = new
            for link in chapter.find_all("a", href=f"#{name}"):
                link["href"] = f"#{new}"
        known |= set(own)
    return str(soup)


def with_contents(page: str) -> str:
    """The HTML page with a list of chapters and sections after the home page, unnumbered yet."""
    soup = BeautifulSoup(page, "html.parser")
    first = soup.select_one(".toctree-wrapper")
    if first is None:
        raise ValueError("the page has no chapters")
    first.insert_before(soup.new_tag("h2", string="Contents", attrs={"class": "contents-title"}))
    listed = soup.new_tag("nav", attrs={"class": "printed-contents"})
    for chapter in soup.select(".toctree-wrapper > section, section.solutions"):
        listed.append(_entry(soup, chapter, "chapter"))
        sections = (
            []
            if "solutions" in chapter.get("class", [])
            else chapter.find_all("section", recursive=False)
        )
        listed.extend(_entry(soup, section, "section") for section in sections)
    first.insert_before(listed)
    return str(soup)


def _entry(soup: BeautifulSoup, section: Tag, kind: str) -> Tag:
    """A line of the contents, with room for a number of three digits."""
    heading = section.find(re.compile("^h[1-6]$"))
    words = " ".join(heading.get_text().removesuffix("#").split())
    line = soup.new_tag("p", attrs={"class": kind})
    line.append(soup.new_tag("a", string=words, href=f"#{section['id']}"))
    line.append(soup.new_tag("span", string="000", attrs={"class": "page"}))
    return line


def numbered(page: str, starts: Mapping[str, int]) -> str:
    """The page with the numbers in its contents, by the id of what begins there."""
    soup = BeautifulSoup(page, "html.parser")
    for line in soup.select(".printed-contents p"):
        number = line.select_one(".page")
        number.string = str(starts[line.a["href"].removeprefix("#")])
    return str(soup)


def starts(made: Path) -> dict[str, int]:
    """On which printed page the places begin that something in the PDF links to."""
    reader = PdfReader(made)
    found = reader.named_destinations.items()
    return {
        name.removeprefix("/"): reader.get_destination_page_number(at) + 1 for name, at in found
    }


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
    (folder / "_toc.yml").write_text(contents(), "utf-8")


def one_page(folder: Path) -> Path:
    """All of it in one HTML file; links to pages that were left out become plain words."""
    run = {"cwd": folder, "check": True, "capture_output": True, "text": True}
    path = os.pathsep.join(map(str, [folder / "chapters" / "_ext", ROOT / "lib"]))
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTHONPATH": path}
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "config", "sphinx", "."]
    subprocess.run(command, env=environment, **run)
    with open(folder / "conf.py", "a", encoding="utf-8") as settings:
        settings.write(ONE_PAGE.format(titles=titles()))
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "singlehtml", ".", "_html"]
    subprocess.run(command, env=environment, **run)
    made = folder / "_html" / "intro.html"
    text = ids_of_their_own(made.read_text("utf-8"))
    made.write_text(with_contents(solutions_last(text)), "utf-8")
    return made


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


def repeats(text: str, heading: str) -> bool:
    """Whether the text is the heading with some of its pieces said twice, blanks aside."""
    long, short = "".join(text.split()), "".join(heading.split())
    reached, open_ = {(0, 0)}, [(0, 0)]
    while open_:
        i, j = open_.pop()
        steps = [1] if long[i : i + 1] == short[j : j + 1] else []
        following = [(i + step, j + step) for step in steps]
        for size in range(1, len(short) - j + 1):
            piece = short[j : j + size]
            if long.startswith(piece + piece, i):
                following.append((i + 2 * size, j + size))
        new = [place for place in following if place not in reached and place[1] <= len(short)]
        reached.update(new)
        open_ += new
    return (len(long), len(short)) in reached


def bookmarks_once(made: bytes, headings: list[str]) -> bytes:
    """The PDF with every bookmark said once.

    Chromium repeats what it had to move to the next page. Blanks make up for what is taken out, so
    that nothing else in the file moves.
    """

    def once(match: re.Match[bytes]) -> bytes:
        plain, coded = match["plain"], match["coded"]
        if coded is not None:
            text = bytes.fromhex(coded.decode()).decode("utf-16")
        else:
            text = re.sub(rb"\\(.)", rb"\1", plain).decode("latin-1")
        meant = [heading for heading in headings if repeats(text, heading)]
        if text in headings or not meant:
            return match[0]
        title = (b"\xfe\xff" + meant[0].encode("utf-16-be")).hex().upper().encode()
        new = b"/Title <" + title + b">"
        if meant[0].isascii():
            new = b"/Title (" + re.sub(r"([()\\])", r"\\\1", meant[0]).encode() + b")"
        return new.ljust(len(match[0])) if len(new) <= len(match[0]) else match[0]

    title = rb"/Title (?:\((?P<plain>(?:\\.|[^\\()])*)\)|<(?P<coded>FEFF[0-9A-F]*)>)"
    return re.sub(title, once, made)


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
        page.write_text(numbered(page.read_text("utf-8"), starts(OUT)), "utf-8")
        printed(page, OUT)
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        found = soup.select("article :is(h1, h2, h3, h4)")
        headings = [" ".join(h.get_text().removesuffix("#").split()) for h in found]
        OUT.write_bytes(bookmarks_once(OUT.read_bytes(), headings))
    print(f"The book to take along is {OUT.relative_to(ROOT)} ({OUT.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
