"""A script that the theme and an extension both put on a page stands there once."""

from __future__ import annotations

from sphinx.application import Sphinx


def keep_first(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Drop scripts written into the page that say the same as one before: a constant that is
    declared twice is an error in every reader's console."""
    said, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body")
        if body and body in said:
            continue
        said.add(body)
        kept.append(script)
    context["script_files"][:] = kept


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", keep_first, priority=950)  # after all that add scripts
    return {"parallel_read_safe": True, "parallel_write_safe": True}
