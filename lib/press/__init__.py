"""What makes the book: notebooks from the chapters, pages and slides from the notebooks.

One tool per module, each run as ``python -m press.NAME``; not in the wheel.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def stories(suffix: str = ".md") -> list[Path]:
    """The chapters that are read from start to end; what is behind each is in its workshop.

    Lesson 0 comes before them and has a shape of its own.
    """
    found = sorted((ROOT / "chapters").glob(f"[1-9]-*{suffix}"))
    return [path for path in found if path.stem[2:] != "more"]


def address() -> str:
    """Where the repository is, from the one file that says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project["urls"]["Repository"]


def citation() -> dict[str, str]:
    """Version and date of this edition, from CITATION.cff, the one file that says both."""
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    found = dict(re.findall(r"^(version|date-released): *(\S+)$", text, re.MULTILINE))
    return {"version": found["version"], "date": found["date-released"]}
