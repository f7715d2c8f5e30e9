"""Long runs on real corpora: independent tasks, the same numbers every time.

A study is a list of independent tasks, each with its own child of one seed. A module of this
package that defines ``STUDIES = [Study(...), ...]`` is found by itself, and runs with ::

    python -m studies NAME [--jobs N] [--dask ADDRESS]

which writes ``NAME.csv`` (counts) and ``NAME.json`` (where they come from) to ``data/studies``.
A chapter reads them with :func:`betterthan.datasets.study_table`. ``--replay`` computes one task
again and compares it with the table.
"""

from __future__ import annotations

from studies._run import FOLDER, StudyError, replay, run, sidecar
from studies._study import Study, get

__all__ = ["FOLDER", "Study", "StudyError", "get", "replay", "run", "sidecar"]
