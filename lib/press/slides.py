"""One lecture's slides per chapter, chosen in the chapter itself (make slides).

    python -m press.slides [chapters/1-how-sure.ipynb …]

A cell with ``slide`` in its metadata is a slide under that headline: a code cell shows what it has
put out (and its code, if tagged ``slide-code``), a Markdown cell its first paragraph and its lists,
equations, boxes, tables and pictures. All other prose, and a long sentence printed beside a
picture, goes into the speaker's notes (press S), a solution nowhere. Each section is a column. No
network is needed: reveal.js and MathJax lie beside.
"""

from __future__ import annotations

import base64
import html
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from press import ROOT, stories
from press.student import plain, without_solutions

OUT = ROOT / "_build" / "slides"
SHOWN = {"bullet_list", "ordered_list", "table", "math_block", "math_block_label", "picture"}
SHOWN |= {"exercise", "admonition", "note", "tip", "warning"}
LONGEST_LINE = 92
LONGEST_SAID = 52  # words that a cell prints
NOT_SPOKEN = {"exercise", "bibliography", "html_block"}
TYPES = {".svg": "svg+xml", ".png": "png"}


@dataclass
class Slide:
    section: str
    headline: str
    body: str = ""
    notes: str = ""

    def __str__(self) -> str:
        top = f'<p class="where">{self.section}</p><h2>{self.headline}</h2>'
        top = f'<div class="head">{top}</div>'
        shown = f'<div class="fit">{top}<div class="body">{self.body}</div></div>'
        return f'<section>{shown}<aside class="notes">{self.notes}</aside></section>'


def picture(data: bytes, kind: str, alt: str) -> str:
    coded = base64.b64encode(data).decode("ascii")
    return f'<img alt="{html.escape(alt)}" src="data:image/{kind};base64,{coded}">'


def render_math(self: object, tokens: list, place: int, *rest: object) -> str:
    tag, ends = ("span", "()") if tokens[place].type == "math_inline" else ("div", "[]")
    shown = html.escape(re.sub(r"[.,;]\s*$", "", tokens[place].content))  # it stands alone
    return f'<{tag} class="math">\\{ends[0]}{shown}\\{ends[1]}</{tag}>'


def render_image(self: object, tokens: list, place: int, *rest: object) -> str:
    file = ROOT / "chapters" / tokens[place].attrs["src"]
    return picture(file.read_bytes(), TYPES[file.suffix], tokens[place].content)


MARKDOWN = MarkdownIt("commonmark").enable("table").use(colon_fence_plugin)
MARKDOWN.use(dollarmath_plugin, double_inline=True, allow_space=True)
for name in ("math_inline", "math_block", "math_block_label", "math_inline_double"):
    MARKDOWN.add_render_rule(name, render_math)
MARKDOWN.add_render_rule("image", render_image)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The top-level blocks of a text: kind (h2, paragraph, exercise …) and html."""
    for node in SyntaxTreeNode(MARKDOWN.parse(text)).children:
        kind = node.tag if node.type == "heading" else node.type
        shown = MARKDOWN.renderer.render(node.to_tokens(), MARKDOWN.options, {})
        if "fence" in kind and (directive := re.match(r"\{([\w-]+)\} *(.*)", node.info)):
            kind, title = directive[1], MARKDOWN.renderInline(directive[2])
            inner = MARKDOWN.render(re.sub(r"^:[\w-]+:.*$", "", node.content, flags=re.MULTILINE))
            shown = f'<div class="box"><h3>{title or kind.title()}</h3>{inner}</div>'
            if kind == "table":
                shown = f'{inner}<p class="caption">{title}</p>'
        elif shown.startswith("<p><img"):
            kind, shown = "picture", re.sub("</?p>", "", shown)
        yield kind, shown


def outputs(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell shows, as html; printed lines stay aligned, longer ones are sentences."""
    shown, alt = [], cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    for output in cell.outputs:
        data = output.get("data", {})
        text = output.get("text") or data.get("text/plain", "")
        if "image/png" in data:
            shown.append(picture(base64.b64decode(data["image/png"]), "png", alt))
        elif "text/html" in data:
            shown.append(re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.DOTALL))
        elif re.search(r"\S {2,}\S.*\n", text) or (
            "\n" in text.rstrip() and max(map(len, text.split("\n"))) <= LONGEST_LINE
        ):
            shown.append(f"<pre><code>{html.escape(text.rstrip())}</code></pre>")
        elif text.strip():
            shown.append(f'<p class="said">{html.escape(text.strip())}</p>')
    return shown


def is_long(part: str) -> bool:
    return part.startswith('<p class="said"') and len(part.split()) > LONGEST_SAID


class Deck:
    """The slides of one chapter, made while its cells are read from the first to the last."""

    def __init__(self) -> None:
        self.title = ""
        self.columns: list[list[Slide]] = [[]]
        self._section = ""
        self._pending = ""  # what is said before a section's first slide
        self._last_block = ""  # of prose: it may be the caption of the table that follows

    def add_code(self, cell: nbformat.NotebookNode) -> None:
        """The slide of a code cell, or two if its picture needs the room."""
        headline = headline_of(cell)
        if not headline:
            return
        parts, caption = outputs(cell), caption_of(cell)
        if "<table" in "".join(parts):
            if not caption and self._last_block.startswith("<p><em>"):
                caption = self._last_block
            parts.append(caption.replace("<p>", '<p class="caption">', 1))
            caption = self._last_block = ""
        if short := [part for part in parts if not is_long(part)]:
            caption, parts = caption + "".join(filter(is_long, parts)), short
        if "slide-code" in cell.metadata.get("tags", []):
            parts.insert(0, f'<pre class="source"><code>{html.escape(cell.source)}</code></pre>')
        parts.sort(key=lambda part: part.startswith("<img"))
        heads = (headline, f"{headline}: the picture")
        bodies = with_room_for_the_picture("".join(parts))
        new = [Slide(self._section, *pair) for pair in zip(heads, bodies, strict=False)]
        new[0].notes, self._pending = self._pending, ""
        new[-1].notes += caption
        self.columns[-1] += new

    def add_prose(self, cell: nbformat.NotebookNode) -> None:
        """The slide of a Markdown cell, if it has a headline; all else is said."""
        headline, slide = headline_of(cell), None
        for kind, shown in blocks(plain(cell.source)):
            self._last_block = shown
            self._begin_column(kind, shown)
            if is_heading(kind):
                headline = "" if slide else headline  # a slide ends where a new part begins
                continue
            if headline and not slide:
                slide, self._pending = Slide(self._section, headline, notes=self._pending), ""
                self.columns[-1].append(slide)
            if slide and headline and (kind in SHOWN or (kind == "paragraph" and not slide.body)):
                slide.body += shown
                headline = "" if kind == "exercise" else headline
            else:
                self._say(kind, shown)

    def _begin_column(self, kind: str, shown: str) -> None:
        """A chapter's title and each of its sections begin a new column."""
        if kind in ("h1", "h2"):
            self._section = re.sub(r"<[^>]+>", "", shown).strip()
            self.columns.append([])
        if kind == "h1":
            self.title = self._section
            self.columns[-1].append(Slide("Better than Chance", "", f"<h1>{self.title}</h1>"))

    def _say(self, kind: str, shown: str) -> None:
        """Into the notes of the last slide, or of the next one where a section has none yet."""
        if kind in NOT_SPOKEN:
            return
        if self.columns[-1]:
            self.columns[-1][-1].notes += shown
        else:
            self._pending += shown


def headline_of(cell: nbformat.NotebookNode) -> str:
    return html.escape(plain(cell.metadata.get("slide", "")))


def caption_of(cell: nbformat.NotebookNode) -> str:
    """The caption of a cell's figure, as html."""
    caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
    return MARKDOWN.render(plain(caption))


def is_heading(kind: str) -> bool:
    return kind[0] == "h" and kind[1:].isdigit()


def with_room_for_the_picture(body: str) -> list[str]:
    """A picture does not stand below code, nor below long words: it is a part of its own then."""
    if body.startswith("<pre class") or len(body.partition("<img")[0]) > 400:
        return [part for part in re.split("(?=<img)", body, maxsplit=1) if part]
    return [body]


def columns(notebook: nbformat.NotebookNode) -> tuple[str, list[list[Slide]]]:
    """The title of a chapter, and its slides, a list for each section that has some."""
    deck = Deck()
    for cell in without_solutions(notebook).cells:
        if cell.cell_type == "code":
            deck.add_code(cell)
        else:
            deck.add_prose(cell)
    return deck.title, [column for column in deck.columns if column]


def write(notebook: Path, folder: Path = OUT) -> Path:
    """Write the slides of a chapter and return where they are."""
    title, made = columns(nbformat.read(notebook, as_version=4))
    sections = "\n".join(f"<section>{''.join(map(str, column))}</section>" for column in made)
    page, path = Path(__file__).with_suffix(".html"), folder / f"{notebook.stem}.html"
    page = page.read_text("utf-8").replace("TITLE", title, 1).replace("SLIDES", sections, 1)
    path.write_text(page, encoding="utf-8")
    return path


def assets(folder: Path = OUT) -> None:
    """Copy reveal.js and MathJax beside the slides."""
    folder.mkdir(parents=True, exist_ok=True)
    with resources.as_file(resources.files("sphinx_revealjs")) as package:
        reveal = package / "_static" / "revealjs"
        for part in ("dist", "plugin/notes"):
            shutil.copytree(reveal / part, folder / "reveal" / part, dirs_exist_ok=True)
        shutil.copy2(reveal / "LICENSE", folder / "reveal")
    vendored = ROOT / "chapters" / "_vendor" / "mathjax"
    shutil.copytree(vendored, folder / "mathjax", dirs_exist_ok=True)
    shutil.copy2(ROOT / "chapters" / "_static" / "favicon.svg", folder)


def lectures() -> list[Path]:
    """The notebooks that have slides: lesson 0, which opens a course, and the stories."""
    return [*sorted((ROOT / "chapters").glob("0-*.ipynb")), *stories(".ipynb")]


def main() -> None:
    assets()
    for notebook in [Path(name) for name in sys.argv[1:]] or lectures():
        print(f"slides: {write(notebook).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
