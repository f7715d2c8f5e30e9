"""What the machinery of studies costs beside the work itself."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import joblib
import numpy as np
import pandas as pd
from benchmarks.run import Row, Value

import studies

TASKS = 50


def tasks() -> list[dict]:
    """Tasks of about 10 ms."""
    return [{"draws": 400_000} for _ in range(TASKS)]


def draw(task: dict, seed: np.random.SeedSequence) -> list[dict]:
    """The work: as much of it as makes the overhead visible."""
    return [{"mean": np.random.default_rng(seed).normal(size=task["draws"]).mean()}]


TOY = studies.Study("bench-overhead", tasks, draw, seed=0)


def kept() -> np.ndarray:
    """The study, with every finished task kept, and its result files."""
    with tempfile.TemporaryDirectory() as folder:
        return pd.read_csv(studies.run(TOY, folder, jobs=1))["mean"].to_numpy()


def bare() -> np.ndarray:
    """joblib alone, on the same tasks and seeds."""
    children = np.random.SeedSequence(TOY.seed).spawn(TASKS)
    done = joblib.Parallel(n_jobs=1)(
        joblib.delayed(draw)(task, child) for task, child in zip(tasks(), children)
    )
    return np.array([rows[0]["mean"] for rows in done])


def seconds_of(code: str, repeats: int = 3) -> float:
    """The least wall time of a fresh Python that runs `code`."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        best = min(best, time.perf_counter() - began)
    return best


def rows() -> Iterator[Row | Value]:
    """The rows of the table."""
    yield Row(
        f"study of {TASKS} short tasks, each kept",
        ours=kept,
        peer=bare,
        peer_name="joblib alone",
        repeat=5,
        tolerance=1e-11,
    )
    # Against what it stands on, so that the limits hold on any machine (0.2 s and 0.6 s on one
    # where scipy.stats takes 0.4 s).
    for code, limit in (("import betterthan", 0.5), ("from betterthan import bayes", 1.5)):
        yield Value(
            code,
            lambda code=code: seconds_of(code) / seconds_of("import scipy.stats"),
            "times import scipy.stats",
            limit=limit,
        )
