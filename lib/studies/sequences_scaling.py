"""How the tagger's time grows with sentences, labels and features, on the People's Daily.

Seconds of processor time, the least of some repeats, kernels compiled before. They belong to
the machine that measured them; their growth does not.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np

from betterthan import datasets, taggers
from studies import Study

SENTENCES = (250, 500, 1000, 2000, 4000, 8000)
LABELS = (2, 4, 8, 12, 16, 24, 32)
FEATURES = (1, 2, 4, 6, 8, 10, 12)
REPEATS = 3


def _tasks() -> list[dict[str, Any]]:
    return [
        {"axis": axis, "size": size}
        for axis, sizes in (("sentences", SENTENCES), ("labels", LABELS), ("features", FEATURES))
        for size in sizes
    ]


def run(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Processor time of indexing, and of ten passes of AROW."""
    X, y = {"sentences": _sentences, "labels": _labels, "features": _features}[task["axis"]](
        task["size"]
    )
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
    return [
        {
            "axis": task["axis"],
            "size": task["size"],
            "sentences": len(X),
            "tokens": sum(map(len, X)),
            "labels": len(tagger.labels_),
            "features": len(set(strings)),
            "occurrences": len(strings),
            "index_seconds": round(min(index), 4),
            "train_seconds": round(min(train), 4),
        }
    ]


def _sentences(lines: int) -> tuple[list, list]:
    """Word segmentation with template F2 on so many lines."""
    pairs = datasets.segmentation(datasets.peoples_daily(lines))
    return [taggers.segmentation_features(c) for c, _ in pairs], [list(t) for _, t in pairs]


def _features(count: int) -> tuple[list, list]:
    """Word segmentation with the first so many features of template F3."""
    pairs = datasets.segmentation(datasets.peoples_daily(2000))
    X = [
        [token[:count] for token in taggers.segmentation_features(characters, "F3")]
        for characters, _ in pairs
    ]
    return X, [list(labels) for _, labels in pairs]


def _labels(count: int) -> tuple[list, list]:
    """Part-of-speech tagging with the most frequent tags, all others being one label."""
    sentences = datasets.peoples_daily(2000)
    frequency = Counter(tag for s in sentences for tag in s.tags)
    kept = {tag for tag, _ in frequency.most_common(count - 1)}
    X = [taggers.chunk_features(s.words) for s in sentences]
    return X, [[tag if tag in kept else "other" for tag in s.tags] for s in sentences]


STUDIES = [
    Study(
        name="sequences-scaling",
        tasks=_tasks,
        run=run,
        seed=2010,
        datasets=("peoples_daily",),
        title="Time of indexing and training by number of sentences, labels and features",
    )
]
