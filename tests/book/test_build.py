"""When the book is built again, and how much of it."""

import os

import pytest

from press import build


@pytest.mark.parametrize(
    ("changed", "made"),
    [
        (None, []),
        ("chapters/1-how-sure.ipynb", [False]),
        ("lib/betterthan/paired.py", [False]),
        ("chapters/_static/book.css", [True]),
        ("_config.yml", [True]),
    ],
)
def test_what_stands_on_every_page_makes_every_page_again(tmp_path, monkeypatch, changed, made):
    """Sphinx copies a changed style only with a page that it writes."""
    files = ("_config.yml", "chapters/1-how-sure.ipynb", "chapters/_static/book.css")
    for name in (*files, "lib/betterthan/paired.py", "_build/.built"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 + (name == "_build/.built"),) * 2)
    if changed:
        os.utime(tmp_path / changed, (2000, 2000))
    calls = []
    monkeypatch.setattr(
        build, "make_pages", lambda root, stamp, *, everything: calls.append(everything)
    )
    build.build(root=tmp_path)
    assert calls == made
