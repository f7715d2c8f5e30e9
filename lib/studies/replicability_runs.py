"""Study of chapter 3: the same trained runs meet all benchmarks, or each has runs of its own.

Two learners that are equally good are trained several times each. A training may be lucky on every
benchmark at once, and more or less so on each. Every benchmark has items of its own, which it
shares with no other. Counted is how often k̂ is above 0, though B is better nowhere.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from betterthan import compare, replicability
from studies._study import Rows, Seed, Study, Task, grid

BENCHMARKS, RUNS, ITEMS = 10, 5, 200
LOCAL = ("bonferroni", "simes", "fisher")


def pvalues(rng: np.random.Generator, shared: bool, luck: float) -> list[float]:
    """One-sided p-values for "B is better", one per benchmark, from runs of `compare`."""
    lucky = luck * rng.normal(size=(2, RUNS))
    found = []
    for _ in range(BENCHMARKS):
        if not shared:
            lucky = luck * rng.normal(size=(2, RUNS))
        ease = rng.normal(1.0, 1.0, ITEMS)
        # A run is also better on some benchmarks than on others.
        ability = lucky + 0.5 * luck * rng.normal(size=(2, RUNS))
        right = rng.random((2, RUNS, ITEMS)) < special.expit(ease + ability[..., None])
        a, b = (list(runs.astype(float)) for runs in right)
        result = compare(a, b)
        found.append(float(replicability.one_sided(result.pvalue, 0.0, result.difference)))
    return found


def run(task: Task, seed: Seed) -> Rows:
    """How often k̂ is above 0, by local test."""
    rng, n = np.random.default_rng(seed), task["repetitions"]
    drawn = [pvalues(rng, task["runs"] == "shared", task["luck"]) for _ in range(n)]
    row = {"runs": task["runs"], "luck": task["luck"], "repetitions": n}
    return [row | {m: sum(replicability.count(p, method=m) > 0 for p in drawn) for m in LOCAL}]


STUDIES = [
    Study(
        "replicability-runs",
        grid(runs=("shared", "own"), luck=(0.2, 0.5), repetitions=[250], block=range(2)),
        run,
        2017,
        (),
        "equal learners on ten benchmarks: how often k̂ is above 0, with runs shared or not",
    )
]
