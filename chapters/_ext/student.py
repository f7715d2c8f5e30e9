"""What a course needs beside the pages: notebooks without solutions, lab sheets, slides.

The lecturer's notebooks, with solutions and hidden tests, are not among them: `make student` writes
them where the book does not reach.
"""

from __future__ import annotations

from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from sphinx.application import Sphinx
from sphinx.util import logging

from press import slides, student

LOGGER = logging.getLogger(__name__)
FOLDER = "_downloads/student"
LABS = "_downloads/labs"
SLIDES = "_downloads/slides"


def has_exercises(notebook: Path) -> bool:
    return notebook.exists() and "{exercise}" in notebook.read_text("utf-8")


def add_button(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    if not has_exercises(Path(app.srcdir, f"{page}.ipynb")):
        return
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            button = {
                "type": "link",
                "url": f"{context['pathto'](FOLDER, 1)}/{Path(page).name}.ipynb",
                "text": ".ipynb without solutions",
                "icon": "fas fa-pencil-alt",
                "tooltip": "Download the notebook without solutions",
                "label": "download-student-button",
            }
            group["buttons"].insert(1, button)


def write_notebooks(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    for notebook in Path(app.srcdir, "chapters").glob("[0-9]-*.ipynb"):
        if has_exercises(notebook):
            student.write(notebook, Path(app.outdir, FOLDER))
    for sheet in [*student.lab_sheets(), student.homework()]:
        student.write(sheet, Path(app.outdir, LABS))
    student.five_bugs(Path(app.outdir, FOLDER))
    write_slides(Path(app.outdir, SLIDES))
    with TemporaryDirectory() as folder:
        library = wheel_if_possible(Path(folder))
        zip_folders(Path(app.outdir, "_downloads"), "notebooks", ("student", "labs"), *library)
    zip_folders(Path(app.outdir, "_downloads"), "slides", ("slides",))


def wheel_if_possible(folder: Path) -> list[Path]:
    """The library, for classes that reach no repository; a book can be made without a network."""
    try:
        return [student.wheel(folder)]
    except CalledProcessError:
        LOGGER.info("notebooks.zip is without the library: what makes a wheel cannot be fetched")
        return []


def write_slides(folder: Path) -> None:
    """The decks, with all that they need beside them."""
    slides.assets(folder)
    for notebook in slides.lectures():
        slides.write(notebook, folder)


def zip_folders(parent: Path, name: str, folders: tuple[str, ...], *files: Path) -> None:
    """Pack folders, and files at the top, into one archive beside them, to be taken along whole."""
    with ZipFile(parent / f"{name}.zip", "w", ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
        for folder in folders:
            for file in sorted(Path(parent, folder).rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(parent))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_button, priority=600)  # after the theme's own buttons
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
