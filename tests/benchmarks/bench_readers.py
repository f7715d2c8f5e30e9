"""A table of a million rows: read strictly, with every column's role, against pandas' reader."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.run import Row

from betterthan import read

ROWS = 1_000_000


def _written(values: np.ndarray, shape: str) -> Path:
    """Id and two systems, one line per item."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    table = pd.DataFrame(values, columns=["old", "new"])
    table.insert(0, "id", [f"q{row}" for row in range(len(table))])
    path = folder / "scores.csv"
    table.to_csv(path, index=False, float_format=shape)
    return path


def right_or_wrong() -> Path:
    """0 and 1."""
    draws = np.random.default_rng(1).random((ROWS, 2))
    return _written((draws < [0.6, 0.62]).astype(int), "%d")


def scores() -> Path:
    """Four decimals."""
    return _written(np.random.default_rng(2).random((ROWS, 2)), "%.4f")


def ours(path: Path) -> np.ndarray:
    """The sum of each system."""
    return np.array([one.held.runs[0].sum() for one in read(path)])


def with_pandas(path: Path) -> np.ndarray:
    """The same two sums; pandas asks neither what the columns are nor whether all is in order."""
    return pd.read_csv(path)[["old", "new"]].sum().to_numpy(dtype=float)


def rows() -> Iterator[Row]:
    """Strict need not mean slow: at most three times as long as pandas."""
    for name, setup in (("0 and 1", right_or_wrong), ("four decimals", scores)):
        yield Row(
            f"a CSV of a million rows, {name}",
            ours=ours,
            peer=with_pandas,
            peer_name="pandas",
            setup=setup,
            target=1 / 3,
            repeat=3,
            tolerance=1e-6,
        )
