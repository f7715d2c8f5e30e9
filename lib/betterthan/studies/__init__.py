"""Long runs on real corpora: independent tasks, checkpointed, the same bytes every time.

A study is a list of independent tasks, each with its own child of one seed. A module of
this package that defines ``STUDIES = [Study(...), ...]`` is found by itself, and runs with ::

    python -m betterthan.studies NAME [--jobs N] [--dask ADDRESS]

which writes ``NAME.csv`` (counts) and ``NAME.json`` (where they come from) to ``data/studies``.
A chapter reads them with :func:`read`, from any folder.
"""

from __future__ import annotations

from betterthan.studies._results import provenance, read, results_folder
from betterthan.studies._run import Outcome, StudyError, run
from betterthan.studies._study import Study, available, get

__all__ = [
    "Outcome",
    "Study",
    "StudyError",
    "available",
    "get",
    "provenance",
    "read",
    "results_folder",
    "run",
]
