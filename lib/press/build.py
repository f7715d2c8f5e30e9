"""Build the HTML book from the committed notebooks; every warning is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from press import ROOT


def build(*, root: Path = ROOT, everything: bool = False) -> Path:
    """Run jupyter-book on `root` and return the folder of pages; raise if anything warns."""
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "build", ".", "-W", "-n", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, "--all"] if everything else command,
        cwd=root,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the book does not build cleanly:\n{done.stdout}\n{done.stderr}")
    return root / "_build" / "html"


def main() -> None:
    try:
        pages = build(everything="--all" in sys.argv)
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    print(f"The book is in {pages.relative_to(ROOT)}: open {pages.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
