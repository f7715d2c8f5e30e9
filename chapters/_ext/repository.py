"""The repository, the version and the date: each is said in one file, and pages show it."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.config import Config

from press import address, citation

# What stands in the text of a page, code included, for what it is on this day.
PLACES = {
    "REPOSITORY_ADDRESS": address(),
    "BOOK_VERSION": citation()["version"],
    "BOOK_DATE": citation()["date"],
}


def set_buttons(app: Sphinx, config: Config) -> None:
    """Binder, Colab, "repository" and "open issue" lead to the repository."""
    config.html_theme_options["repository_url"] = address()


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    for place, text in PLACES.items():
        source[0] = source[0].replace(place, text)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("config-inited", set_buttons)
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
