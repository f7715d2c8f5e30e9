"""Does ``compare(a, b, paired=False)`` keep its promise? Two separate samples, the truth known.

Some worlds are made up (accuracies near the middle and near 1, documents, skewed seconds); in the
others the sentences of a real test set are the world, and each system gets sentences of its own,
drawn one by one or in runs of neighbouring lines. A row counts how often the interval caught the
true difference, or how often two equally good systems were told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from betterthan import compare
from betterthan.results import Results
from studies._study import Rows, Seed, Study, Task, grid
from studies.coverage import ALPHA, Rng, repeated
from studies.paired import pool

CHUNKS, REPETITIONS = 2, 500
# Accuracy of A and of B, and how many items each has.
ACCURACIES = {
    "accuracy, 0.6 and 0.75": (0.6, 0.75, 100, 60),
    "accuracy, 0.9 and 0.95": (0.9, 0.95, 50, 200),
    "accuracy, 0.98 and 0.99": (0.98, 0.99, 50, 50),
}
REAL, SENTENCES, RUNS = "People's Daily names", (150, 400), (12, 27)
Outcome = tuple[str, bool]


def tasks() -> list[Task]:
    """Every world, in chunks."""
    return grid(world=list(WORLDS), chunk=range(CHUNKS), repetitions=[REPETITIONS])()


def run(task: Task, seed: Seed) -> Rows:
    """Repeat the experiment of one world and count catches and alarms."""
    hits: Counter[str] = Counter()
    for what, hit in repeated(task, seed, WORLDS[task["world"]]):
        hits[what] += bool(hit)
    n = task["repetitions"]
    return [
        {"world": task["world"], "what": what, "repetitions": n, "hits": hits[what]}
        for what in ("interval", "test")
    ]


def _outcomes(a: Any, b: Any, equal: Any, truth: float, metric: str | None = None) -> Iterator[Any]:
    """Whether the interval of B minus A holds the truth; whether equal systems are told apart."""
    low, high = compare(a, b, metric, paired=False).interval
    yield "interval", low <= truth <= high
    yield "test", compare(a, equal, metric, paired=False).pvalue <= ALPHA


def accuracies(name: str, rng: Rng) -> Iterator[Outcome]:
    """Right or wrong, every item for itself."""
    p, q, n, m = ACCURACIES[name]
    a, b, equal = (rng.random(k) < share for k, share in ((n, p), (m, q), (m, p)))
    yield from _outcomes(a, b, equal, q - p)


def documents(rng: Rng) -> Iterator[Outcome]:
    """Right or wrong in 15 and 25 documents, which are hard or easy as a whole."""
    samples = [_documents(rng, n, ease) for n, ease in ((15, 0.5), (25, 1.0), (25, 0.5))]
    # The mean of a logistic function of a normal number, by quadrature.
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    means = [float(weights @ special.expit(e + points) / weights.sum()) for e in (0.5, 1.0)]
    yield from _outcomes(*samples, means[1] - means[0])


def _documents(rng: Rng, n: int, ease: float) -> Results:
    sizes = rng.integers(4, 13, n)
    groups = np.repeat(np.arange(n), sizes)
    chance = special.expit(ease + rng.normal(size=n))[groups]
    return Results((rng.random(len(groups)) < chance).astype(float), groups=groups)


def seconds(rng: Rng) -> Iterator[Outcome]:
    """Skewed seconds of 40 and 80 requests."""
    a, b, equal = (rng.lognormal(mu, 0.8, k) for mu, k in ((0.0, 40), (0.3, 80), (0.0, 80)))
    yield from _outcomes(a, b, equal, np.exp(0.62) - np.exp(0.32))


def sentences(rng: Rng) -> Iterator[Outcome]:
    """F1 of real taggers, each on sentences of its own."""
    a, b = pool(REAL)
    rows = [rng.integers(0, len(a), n) for n in (*SENTENCES, SENTENCES[1])]
    parts = (a[rows[0]], b[rows[1]], a[rows[2]])
    yield from _outcomes(*parts, b.f1 - a.f1)


def lines(rng: Rng) -> Iterator[Outcome]:
    """The same in runs of neighbouring lines, as groups."""
    a, b = pool(REAL)
    parts = [_neighbours(rng, one, n) for one, n in ((a, RUNS[0]), (b, RUNS[1]), (a, RUNS[1]))]
    yield from _outcomes(*parts, b.f1 - a.f1)


def _neighbours(rng: Rng, counts: Any, n: int) -> Results:
    lengths = np.maximum(2, rng.geometric(1 / 12, n))
    starts = rng.integers(0, len(counts) - lengths)
    rows = np.concatenate([np.arange(s, s + k) for s, k in zip(starts, lengths)])
    return Results(counts[rows], groups=np.repeat(np.arange(n), lengths))


WORLDS = {
    **{name: lambda rng, name=name: accuracies(name, rng) for name in ACCURACIES},
    "documents": documents,
    "seconds": seconds,
    "F1, sentences": sentences,
    "F1, runs of lines": lines,
}

STUDIES = [
    Study(
        name="unpaired-coverage",
        tasks=tasks,
        run=run,
        seed=23,
        title="Two separate samples: does the interval hold the true difference?",
    )
]
