"""Something to play with on a page: ``:::{explore} NAME`` with words for those who cannot see it.

The directive puts on the page what `press.chapters` writes into the notebooks: a box that names
the explorable, its still picture, and the words. The scripts (``press.explore.scripts``) and the
style go on the pages that have such a box, and on no others.
"""

from __future__ import annotations

import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from press.explore import FOLDER, markdown, scripts


class Explore(SphinxDirective):
    required_arguments = 1
    optional_arguments = 1  # the name of a preset
    has_content = True

    def run(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        if not text.strip():
            raise self.error("explore: expected words for readers who cannot see it")
        lines = markdown(" ".join(self.arguments), text).splitlines()
        box = nodes.Element()
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), 0, box)
        return box.children


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    if not isinstance(doctree, nodes.document):
        return
    html = " ".join(raw.astext() for raw in doctree.findall(nodes.raw))
    names = dict.fromkeys(re.findall(r'data-explore="([\w-]+)"', html))
    for name in names:
        if not (FOLDER / f"{name}.js").exists():
            raise ValueError(f"{page}: there is no explorable {name!r} in {FOLDER}")
    if names:
        for file in scripts(*names):
            app.add_js_file(f"explore/{file}", loading_method="defer")
        app.add_css_file("explore/explore.css")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("explore", Explore)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
