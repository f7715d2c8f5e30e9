"""A second notebook to download on every page with exercises: the one without solutions."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

from press import student

FOLDER = "_downloads/student"
LABS = "_downloads/labs"


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
    for sheet in student.lab_sheets():
        student.write(sheet, Path(app.outdir, LABS))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", add_button, priority=600)  # after the theme's own buttons
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
