"""The address of the repository, which pyproject.toml alone names: in the buttons and on pages."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.config import Config

from press import address

PLACE = "REPOSITORY_ADDRESS"  # stands for it in the text of a page, code included


def set_buttons(app: Sphinx, config: Config) -> None:
    """Binder, Colab, "repository" and "open issue" lead to the repository."""
    config.html_theme_options["repository_url"] = address()


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = source[0].replace(PLACE, address())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", set_buttons)
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
