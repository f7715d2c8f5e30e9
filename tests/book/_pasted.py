"""A pasted cell, run in a process that has loaded nothing of ours: so nothing is imported here."""

from __future__ import annotations

import os
import runpy
import sys


def run(folder: str) -> None:
    """Run `pasted.py` as a program, in its folder, with its output in files beside it."""
    os.chdir(folder)
    sys.path.insert(0, folder)
    os.environ["MPLBACKEND"] = "Agg"
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
        stream.reconfigure(encoding="utf-8")
    runpy.run_path("pasted.py", run_name="__main__")
