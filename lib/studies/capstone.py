"""Studies of chapter 7: should AROW replace a CRF? Settings first, then twelve datasets.

A, the baseline, is the CRF (CRFsuite's, trained by L-BFGS), B, the candidate, is AROW
(`betterthan.taggers.Tagger`): a difference is AROW minus CRF. Both see the same features. One
setting of each is chosen on lines of the People's Daily that no other part of the comparison
touches (study ``capstone-tuning``), and then kept for every dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import datasets
from betterthan.counts import count_spans
from betterthan.taggers import CRF, Tagger, segmentation_features
from studies import Study, _labelled

MODELS = ("crf", "arow")
ITERATIONS = 60
PASSES = 10
SEED = 7
TRAIN = 600
# Lines of the People's Daily: those to tune on lie between those of the chapter, which
# cross-validates on the first 600 and tests on the last 1,000.
TUNE_TRAIN = (4500, 5000)
TUNE_TEST = (5000, 5500)
# The first of each is the default; of equally good settings the earlier one is taken.
GRID = {
    "crf": ("c2", (1.0, 0.1, 0.01, 0.001, 0.0001)),
    "arow": ("r", (1.0, 0.01, 0.1, 10.0, 100.0)),
}
# Chapter 3's datasets of names, without the People's Daily, which chapter 7 tags live.
OTHERS = ("CoNLL-2000", "People's Daily names", "People's Daily words")
DATASETS = tuple(d for d in _labelled.DATASETS if d not in OTHERS)


def model(name: str, setting: float, rng: int = SEED) -> CRF | Tagger:
    """An untrained tagger of the comparison.

    Parameters
    ----------
    name : {"crf", "arow"}
    setting : float
        The CRF's L2 penalty c2, or AROW's r.
    rng : int
        AROW goes through the sentences in random orders; the CRF draws no random number.

    Raises
    ------
    ValueError
        For another name, or a setting that the tagger refuses.
    """
    if name == "crf":
        return CRF(c2=float(setting), max_iterations=ITERATIONS)
    if name == "arow":
        return Tagger("arow", passes=PASSES, r=setting, rng=rng)
    raise ValueError(f"name={name!r}: expected one of {', '.join(MODELS)}")


def best_settings(table: pd.DataFrame) -> dict[str, float]:
    """The setting of each model with the highest F1; of equals, the first.

    Parameters
    ----------
    table : DataFrame
        Columns model, setting, gold, predicted, correct, as the study
        ``capstone-tuning`` has.

    Examples
    --------
    >>> rows = [["crf", 0.1, 10, 8, 6], ["crf", 1.0, 10, 8, 7], ["arow", 1.0, 10, 9, 6]]
    >>> names = ["model", "setting", "gold", "predicted", "correct"]
    >>> best_settings(pd.DataFrame(rows, columns=names))
    {'crf': 1.0, 'arow': 1.0}
    """
    f1 = 2 * table["correct"] / (table["gold"] + table["predicted"])
    ranked = table.assign(f1=f1).sort_values("f1", ascending=False, kind="stable")
    return {
        name: float(ranked.loc[ranked["model"] == name, "setting"].iloc[0])
        for name in table["model"].unique()
    }


def features(sentences: Sequence[datasets.Sentence]) -> list[list[list[str]]]:
    """Character features (template F2) of sentences of the People's Daily."""
    return [segmentation_features(sentence.words) for sentence in sentences]


def _tuning_tasks() -> list[dict[str, Any]]:
    return [{"model": name, "setting": value} for name in MODELS for value in GRID[name][1]]


def _tune(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Train with one setting, count names. The order of AROW's sentences is that of `SEED`."""
    lines = datasets.entities(datasets.peoples_daily(TUNE_TEST[1]))
    train, test = lines[slice(*TUNE_TRAIN)], lines[slice(*TUNE_TEST)]
    tagger = model(task["model"], task["setting"])
    tagger.fit(features(train), [list(s.tags) for s in train])
    counts = count_spans([s.tags for s in test], tagger.predict(features(test)))
    tp, fp, fn = (int(part.sum()) for part in (counts.tp, counts.fp, counts.fn))
    return [{**task, "gold": tp + fn, "predicted": tp + fp, "correct": tp}]


def _dataset_tasks() -> list[dict[str, Any]]:
    return [{"dataset": name} for name in DATASETS]


def _compare(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Train both on one dataset and count spans in each test sentence; equal rows are merged."""
    settings = best_settings(datasets.study_table("capstone-tuning"))
    taggers = {name: model(name, settings[name]) for name in MODELS}
    return _labelled.compared(task["dataset"], taggers, TRAIN)


STUDIES = [
    Study(
        "capstone-tuning",
        _tuning_tasks,
        _tune,
        seed=71,
        datasets=("peoples_daily",),
        title="The CRF's penalty and AROW's r on lines 4,501 to 5,500 of the People's Daily",
        columns=("model", "setting", "gold", "predicted", "correct"),
    ),
    Study(
        "capstone-datasets",
        _dataset_tasks,
        _compare,
        seed=72,
        datasets=(
            "studies/capstone-tuning",
            *(c for c in _labelled.CORPORA if c not in ("conll2000", "peoples_daily")),
        ),
        title="CRF against AROW on twelve datasets of names, 600 training sentences each or fewer",
        columns=(
            "dataset",
            "trained_on",
            *(f"{count}_{name}" for name in MODELS for count in _labelled.COUNTS),
            "sentences",
        ),
    ),
]
