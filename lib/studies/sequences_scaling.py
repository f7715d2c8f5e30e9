"""How the tagger's time grows with sentences, labels and features, on the People's Daily.

Seconds of processor time, the least of some repeats, kernels compiled before. They belong to
the machine that measured them; their growth does not.
"""

from __future__ import annotations

import time
from collections import Counter

from betterthan import datasets, taggers
from studies._study import Rows, Seed, Study, Task

SIZES = {"sentences": (250, 500, 1000, 2000, 4000, 8000), "labels": (2, 4, 8, 12, 16, 24, 32)}
SIZES["features"] = (1, 2, 4, 6, 8, 10, 12)
REPEATS = 3


def tasks() -> list[Task]:
    """Every size of each of the three."""
    return [{"axis": axis, "size": size} for axis, sizes in SIZES.items() for size in sizes]


def run(task: Task, seed: Seed) -> Rows:
    """Processor time of indexing, and of ten passes of AROW."""
    axis, size = task.values()
    if axis == "labels":
        X, y = _labels(size)
    else:
        X, y = _segmentation(size) if axis == "sentences" else _segmentation(2000, size, "F3")
    taggers.Tagger(passes=1).fit(X[:2], y[:2])
    index, train = [], []
    for _ in range(REPEATS):
        began = time.process_time()
        data = taggers.encode(X, y)
        indexed = time.process_time()
        tagger = taggers.Tagger("arow", passes=10).fit(data)
        train.append(time.process_time() - indexed)
        index.append(indexed - began)
    strings = [feature for sentence in X for token in sentence for feature in token]
    row = {**task, "sentences": len(X), "tokens": sum(map(len, X)), "labels": len(tagger.labels_)}
    row |= {"features": len(set(strings)), "occurrences": len(strings)}
    row |= {"index_seconds": round(min(index), 4), "train_seconds": round(min(train), 4)}
    return [row]


def _segmentation(lines: int, features: int = 99, template: str = "F2") -> tuple[list, list]:
    """Word segmentation of so many lines with the first so many features of a template."""
    pairs = datasets.segmentation(datasets.peoples_daily(lines))
    X = [taggers.segmentation_features(text, template) for text, _ in pairs]
    return [[token[:features] for token in s] for s in X], [list(tags) for _, tags in pairs]


def _labels(count: int) -> tuple[list, list]:
    """Part-of-speech tagging with the most frequent tags, all others being one label."""
    sentences = datasets.peoples_daily(2000)
    frequency = Counter(tag for s in sentences for tag in s.tags)
    kept = {tag for tag, _ in frequency.most_common(count - 1)}
    X = [taggers.chunk_features(s.words) for s in sentences]
    return X, [[tag if tag in kept else "other" for tag in s.tags] for s in sentences]


STUDIES = [
    Study(
        "sequences-scaling",
        tasks,
        run,
        2010,
        ("peoples_daily",),
        "Time of indexing and training by number of sentences, labels and features",
    )
]
