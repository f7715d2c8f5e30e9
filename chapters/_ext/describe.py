"""Every page has a description, for search engines and link previews: its first paragraph."""

from __future__ import annotations

import re
import textwrap
from html import escape

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 160  # characters that search engines print


def description(document: nodes.document) -> str:
    """The first paragraph of a page, as far as `LONGEST`."""
    paragraphs = (part for part in document.findall(nodes.paragraph) if prose(part))
    text = " ".join(next(paragraphs, nodes.Text("")).astext().split())
    if len(text) <= LONGEST:
        return text
    whole = re.match(rf"(.{{60,{LONGEST - 1}}}[.?!])(?= )", text)
    return whole[1] if whole else textwrap.shorten(text, LONGEST, placeholder=" …")


def prose(paragraph: nodes.paragraph) -> bool:
    """Running text of a section: no caption, no item, no box, no formula."""
    plain = isinstance(paragraph.parent, nodes.section | nodes.document)
    return plain and len(paragraph.astext()) > 50 and not any(paragraph.findall(nodes.math))


def describe(app: Sphinx, page: str, template: str, context: dict, document: object) -> None:
    if isinstance(document, nodes.document) and (words := description(document)):
        context["metatags"] += f'\n<meta name="description" content="{escape(words)}">'


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
