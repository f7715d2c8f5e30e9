"""Build the HTML book from the committed notebooks; every warning is an error."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from press import ROOT


def build(*, root: Path = ROOT, everything: bool = False) -> Path:
    """Run jupyter-book on `root` and return the folder of pages; raise if anything warns.

    Pages that are newer than all they are made from stay as they are.
    """
    pages, stamp = root / "_build" / "html", root / "_build" / ".built"
    if not everything and stamp.exists() and stamp.stat().st_mtime > newest(root):
        return pages
    begun, again = time.time(), (root / "_build" / ".doctrees").exists()
    start = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", start, "build", ".", "-W", "-n", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, "--all"] if everything else command,
        cwd=root,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    if done.returncode and again and not everything:
        # What is left of an earlier build may know labels where they no longer are.
        return build(root=root, everything=True)
    if done.returncode:
        raise RuntimeError(f"the book does not build cleanly:\n{done.stdout}\n{done.stderr}")
    stamp.touch()
    os.utime(stamp, (begun, begun))  # what was saved meanwhile is newer
    return pages


def newest(root: Path) -> float:
    """When the youngest file that the pages are made from was saved."""
    made_from = [*root.glob("*.*"), *root.glob("chapters/**/*"), *root.glob("lib/**/*.py")]
    return max(path.stat().st_mtime for path in made_from if path.is_file())


def main() -> None:
    try:
        pages = build(everything="--all" in sys.argv)
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    print(f"The book is in {pages.relative_to(ROOT)}: open {pages.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
