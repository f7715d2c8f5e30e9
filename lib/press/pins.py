"""Pin what the packages of requirements.txt bring along, below what is pinned there by hand.

The first part of requirements.txt names what this repository itself asks for, by purpose; its
versions are chosen by hand. ``python -m press.pins`` (or ``make pins``) writes the second part:
one version of everything else, for every Python from 3.11 on and every system, worked out by uv.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from press import ROOT

FILE = ROOT / "requirements.txt"
EXTRAS = ("book", "studies", "test")
SECOND = "# What these bring along, written by `make pins`\n"


def parts(text: str) -> tuple[str, str]:
    """What is pinned by hand, and what came along."""
    first, _, second = text.partition(SECOND)
    return first, second


def lines_of(text: str) -> list[str]:
    """The pins of a part, without remarks."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def name_of(line: str) -> str:
    """The package that a line pins, as package indices spell it."""
    return re.sub(r"[-_.]+", "-", line.partition("==")[0].strip()).lower()


def came_along(first: str) -> str:
    """One version of everything that the pins of the first part need, line by line."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        raise SystemExit("press.pins needs uv: pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        by_hand = Path(folder, "by-hand.txt")
        by_hand.write_text(first, encoding="utf-8")
        command = [uv, "pip", "compile", "pyproject.toml", "--universal", "--python-version=3.11"]
        command += ["--quiet", "--no-header", "--no-annotate", f"--constraints={by_hand}"]
        command += [f"--extra={extra}" for extra in EXTRAS]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    known = {name_of(line) for line in lines_of(first)}
    found = [line for line in lines_of(done.stdout) if name_of(line) not in known]
    return "\n".join(found) + "\n"


def main() -> None:
    first, _ = parts(FILE.read_text("utf-8"))
    FILE.write_text(first + SECOND + came_along(first), encoding="utf-8")


if __name__ == "__main__":
    main()
