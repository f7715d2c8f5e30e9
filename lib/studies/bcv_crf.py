"""A small real study: word segmentation of the People's Daily by a CRF, in 3×2 blocks.

Minutes of work, not hours: it shows the machinery on real text, and gives chapters six folds
of a real segmenter to begin with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import bcv, datasets
from betterthan.counts import count_spans
from betterthan.taggers import segmentation_features
from studies import Study
from studies._crf import crf

REPETITIONS = 3


def tasks() -> list[dict[str, Any]]:
    """One task per fold: three repetitions, two folds each."""
    return [
        {
            "lines": 400,
            "split_seed": 1998,
            "repetition": repetition,
            "fold": fold,
            "scheme": "BMES",
            "template": "F3",
            "max_iterations": 50,
        }
        for repetition in range(1, REPETITIONS + 1)
        for fold in (1, 2)
    ]


def train_and_count(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Train a CRF on one half, segment the other, count words.

    L-BFGS draws no random numbers, so `seed` is not used; all tasks must see the same blocks,
    so the seed of the split is one of their parameters.
    """
    corpus = datasets.segmentation(datasets.peoples_daily(task["lines"]), task["scheme"])
    splits = list(bcv.BlockedCV(REPETITIONS, rng=task["split_seed"]).split(corpus))
    train, valid = splits[2 * (task["repetition"] - 1) + task["fold"] - 1]
    features = [segmentation_features(text, task["template"]) for text, _ in corpus]
    predicted = crf(
        [(features[line], corpus[line][1]) for line in train],
        [features[line] for line in valid],
        task["max_iterations"],
    )
    counts = count_spans([corpus[line][1] for line in valid], predicted, task["scheme"])
    correct = int(counts.tp.sum())
    return [
        {
            "repetition": task["repetition"],
            "fold": task["fold"],
            "train_lines": len(train),
            "valid_lines": len(valid),
            "gold": correct + int(counts.fn.sum()),
            "predicted": correct + int(counts.fp.sum()),
            "correct": correct,
        }
    ]


STUDIES = [
    Study(
        "bcv-crf-small",
        tasks,
        train_and_count,
        seed=1998,
        datasets=("peoples_daily",),
        title="3×2 blocked cross-validation of a CRF segmenter, 400 lines of the People's Daily",
        columns=(
            "repetition",
            "fold",
            "train_lines",
            "valid_lines",
            "gold",
            "predicted",
            "correct",
        ),
    )
]
