"""A number and its % sign stay on one line of a page."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

AS_WRITTEN = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


class KeepTogether(SphinxPostTransform):
    default_priority = 900

    def run(self, **kwargs: object) -> None:
        for text in list(self.document.findall(nodes.Text)):
            joined = re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)
            if joined != text and not isinstance(text.parent, AS_WRITTEN):
                text.parent.replace(text, nodes.Text(joined))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(KeepTogether)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
