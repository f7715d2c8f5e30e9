"""Build the HTML book from the committed notebooks; every warning is an error."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from press import ROOT


def build(*, root: Path = ROOT, everything: bool = False) -> Path:
    """Run jupyter-book on `root` and return the folder of pages; raise if anything warns.

    Pages that are newer than all they are made from stay as they are.
    """
    pages, stamp = root / "_build" / "html", root / "_build" / ".built"
    with one_at_a_time(root / "_build"):
        built = stamp.stat().st_mtime if stamp.exists() else 0.0
        if everything or built <= newest(made_from(root)):
            every_page = everything or built <= newest(on_every_page(root))
            make_pages(root, stamp, everything=every_page)
    return pages


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for whoever builds in `folder`: `make test` begins its tests beside the build."""
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_pages(root: Path, stamp: Path, *, everything: bool) -> None:
    """Run jupyter-book, and set the time of `stamp` to when it began."""
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
        make_pages(root, stamp, everything=True)
    elif done.returncode:
        raise RuntimeError(f"the book does not build cleanly:\n{done.stdout}\n{done.stderr}")
    stamp.touch()
    os.utime(stamp, (begun, begun))  # what was saved meanwhile is newer


def made_from(root: Path) -> list[Path]:
    """What the pages are made from."""
    patterns = ("*.*", "chapters/**/*", "lib/**/*.py", "lib/press/*.html")
    return [path for pattern in patterns for path in root.glob(pattern)]


def on_every_page(root: Path) -> list[Path]:
    """Styles, scripts and extensions: Sphinx does not copy them again when no text is new."""
    return [*root.glob("_config.yml"), *root.glob("chapters/_*/**/*")]


def newest(files: list[Path]) -> float:
    """When the youngest of the files was saved."""
    return max((path.stat().st_mtime for path in files if path.is_file()), default=0.0)


def main() -> None:
    try:
        pages = build(everything="--all" in sys.argv)
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    print(f"The book is in {pages.relative_to(ROOT)}: open {pages.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
