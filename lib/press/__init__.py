"""What makes the book: notebooks from the chapters, pages and slides from the notebooks.

One tool per module, each run as ``python -m press.NAME``; not in the wheel.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def stories(suffix: str = ".md") -> list[Path]:
    """The chapters that are read from start to end; what is behind each is in its workshop."""
    found = sorted((ROOT / "chapters").glob(f"[0-9]-*{suffix}"))
    return [path for path in found if path.stem[2:] != "more"]


def address() -> str:
    """Where the repository is, from the one file that says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project["urls"]["Repository"]
