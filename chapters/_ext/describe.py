"""What search engines, link previews and reference managers read in the head of a page.

Every page has its first paragraph as a description, and Open Graph tags for link previews; the
home page has the tags by which reference managers cite the book.
"""

from __future__ import annotations

import re
import textwrap
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from press import citation

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


def tag(kind: str, name: str, text: str) -> str:
    return f'\n<meta {kind}="{name}" content="{escape(text)}">'


def preview(title: str, words: str, config: Config) -> str:
    """Open Graph: what a link to the page looks like in a message."""
    found = {"og:type": "article", "og:site_name": config.project, "og:title": title}
    tags = [tag("property", name, text) for name, text in found.items()]
    if words:
        tags.append(tag("property", "og:description", words))
    return "".join([*tags, tag("name", "twitter:card", "summary")])


def citing(config: Config) -> str:
    """How reference managers cite the book."""
    made = citation()
    found = {
        "citation_title": config.project,
        "citation_author": config.author,
        "citation_publication_date": made["date"].replace("-", "/"),
        "citation_language": "en",
    }
    return "".join(tag("name", name, text) for name, text in found.items())


def describe(app: Sphinx, page: str, template: str, context: dict, document: object) -> None:
    if not isinstance(document, nodes.document):
        return
    words, title = description(document), nodes.Text(context.get("title", "")).astext()
    plain = re.sub(r"<[^>]*>", "", title)
    if words:
        context["metatags"] += tag("name", "description", words)
    context["metatags"] += preview(plain, words, app.config)
    if page == app.config.root_doc:
        context["metatags"] += citing(app.config)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
