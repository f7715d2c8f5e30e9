"""Studies of chapter 7: should AROW replace a CRF? Settings first, then other text.

A, the baseline, is the CRF (CRFsuite's, trained by L-BFGS), B, the candidate, is AROW
(`betterthan.taggers.Tagger`): a difference is AROW minus CRF. Both see the same features. One
setting of each is chosen on lines of the People's Daily that no other part of the comparison
trains or tests on (study ``capstone-tuning``), and then kept for every dataset. AROW depends on
the order of its sentences, so each of its scores is that of several *runs*, one per order. A run
of the CRF has its sentences shuffled, which moves its rounding and nothing else, so here it has
one.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import datasets
from betterthan.counts import Counts, count_spans
from betterthan.taggers import CRF, Tagger, segmentation_features
from studies import Study, _labelled

MODELS = ("crf", "arow")
# CRFsuite stops by itself long before (a test says so), so this is a cap in name only.
ITERATIONS = 1000
PASSES = 10
TRAIN = 600
# Lines of the People's Daily. The chapter trains on the first 600 and tests on the last 1,000;
# those to tune on lie between, and no pool takes any of either.
TUNE_TRAIN = ((4500, 5100), (5100, 5700), (5700, 6300))
TUNE_TEST = (6300, 7300)
TESTED = 1000
POOLS = (*range(0, 4200, TRAIN), *range(7300, 18100, TRAIN))
# Eight settings each, in steps of ten, from the most cautious to the least.
GRID = {
    "crf": ("c2", tuple(10.0**-k for k in range(8))),
    "arow": ("r", tuple(10.0 ** (3 - k) for k in range(8))),
}
TUNING_RUNS = {"crf": 1, "arow": 20}
RUNS = {"crf": 1, "arow": 10}
# Chapter 3's datasets of names, without the People's Daily, which chapter 7 tags live.
OTHERS = ("CoNLL-2000", "People's Daily names", "People's Daily words")
DATASETS = tuple(d for d in _labelled.DATASETS if d not in OTHERS)
TOTALS = ("gold", "predicted", "correct")


def trained(name: str, setting: float, X: Sequence, y: Sequence, run: int = 0) -> CRF | Tagger:
    """A tagger of the comparison that has learned from sentences `X` and labels `y`.

    Parameters
    ----------
    name : {"crf", "arow"}
    setting : float
        The CRF's L2 penalty c2, or AROW's r.
    run : int
        The seed of AROW's orders; the CRF gets its sentences shuffled by it, if it is not 0.

    Raises
    ------
    ValueError
        For another name, or a setting that the tagger refuses.
    """
    if name == "arow":
        return Tagger("arow", passes=PASSES, r=setting, rng=run).fit(X, y)
    if name != "crf":
        raise ValueError(f"name={name!r}: expected one of {', '.join(MODELS)}")
    order = np.random.default_rng(run).permutation(len(X)) if run else range(len(X))
    crf = CRF(c2=float(setting), max_iterations=ITERATIONS)
    return crf.fit([X[i] for i in order], [y[i] for i in order])


def best_settings(table: pd.DataFrame) -> dict[str, float]:
    """The setting of each model with the highest mean F1 over its runs; of equals, the first.

    Parameters
    ----------
    table : DataFrame
        Columns model, setting, gold, predicted, correct, one row per run, as the study
        ``capstone-tuning`` has.

    Examples
    --------
    >>> rows = [["crf", 0.1, 10, 8, 6], ["crf", 1.0, 10, 8, 7], ["arow", 1.0, 10, 9, 6]]
    >>> names = ["model", "setting", "gold", "predicted", "correct"]
    >>> best_settings(pd.DataFrame(rows, columns=names))
    {'crf': 1.0, 'arow': 1.0}
    """
    f1 = 2 * table["correct"] / (table["gold"] + table["predicted"])
    means = f1.groupby([table["model"], table["setting"]], sort=False).mean()
    return {name: float(means[name].idxmax()) for name in table["model"].unique()}


def features(sentences: Sequence[datasets.Sentence]) -> list[list[list[str]]]:
    """Character features (template F2) of sentences of the People's Daily."""
    return [segmentation_features(sentence.words) for sentence in sentences]


@functools.cache
def _lines() -> list[datasets.Sentence]:
    return datasets.entities(datasets.peoples_daily())


def _totals(counts: Counts) -> dict[str, int]:
    tp, fp, fn = (int(part.sum()) for part in (counts.tp, counts.fp, counts.fn))
    return {"gold": tp + fn, "predicted": tp + fp, "correct": tp}


def _on_lines(
    train: slice, test: slice, settings: dict[str, float], runs: dict[str, int]
) -> list[dict[str, Any]]:
    """Train on lines of the People's Daily, count the names found in others: one row per run."""
    known, unseen = _lines()[train], _lines()[test]
    X, y, fresh = features(known), [list(s.tags) for s in known], features(unseen)
    return [
        {"model": name, "setting": setting, "run": run}
        | _totals(
            count_spans([s.tags for s in unseen], trained(name, setting, X, y, run).predict(fresh))
        )
        for name, setting in settings.items()
        for run in range(runs[name])
    ]


def _tuning_tasks() -> list[dict[str, Any]]:
    return [
        {"model": name, "setting": value, "block": block}
        for name in MODELS
        for value in GRID[name][1]
        for block in range(len(TUNE_TRAIN))
    ]


def _tune(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """One setting on one block of lines: the runs are numbered, so the seed is not used."""
    train, settings = TUNE_TRAIN[task["block"]], {task["model"]: task["setting"]}
    rows = _on_lines(slice(*train), slice(*TUNE_TEST), settings, TUNING_RUNS)
    return [{"block": task["block"], **row} for row in rows]


def _pool_tasks() -> list[dict[str, Any]]:
    return [{"first_line": first} for first in POOLS]


def _pool(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Both taggers trained on one pool of lines, tested on the last lines of the month."""
    first = task["first_line"]
    settings = best_settings(datasets.study_table("capstone-tuning"))
    rows = _on_lines(slice(first, first + TRAIN), slice(-TESTED, None), settings, RUNS)
    return [{**task, **row} for row in rows]


def _dataset_tasks() -> list[dict[str, Any]]:
    return [{"dataset": name} for name in DATASETS]


def _compare(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Both taggers on one dataset, run by run; test sentences with equal counts share a row."""
    dataset = task["dataset"]
    settings = best_settings(datasets.study_table("capstone-tuning"))
    train, test = _labelled.split(dataset)
    train = train[:TRAIN]
    X, unseen = _labelled.features(dataset, train), _labelled.features(dataset, test)
    y, gold = ([list(sentence[1]) for sentence in part] for part in (train, test))
    columns = {}
    for name, run in _runs():
        counts = count_spans(gold, trained(name, settings[name], X, y, run).predict(unseen))
        columns |= {"gold": counts.tp + counts.fn}
        columns |= {f"tp_{name}_{run}": counts.tp, f"fp_{name}_{run}": counts.fp}
    merged = Counter(zip(*(column.tolist() for column in columns.values())))
    start = {"dataset": dataset, "trained_on": len(train)}
    return [start | dict(zip(columns, row)) | {"sentences": n} for row, n in sorted(merged.items())]


def _runs() -> list[tuple[str, int]]:
    return [(name, run) for name in MODELS for run in range(RUNS[name])]


STUDIES = [
    Study(
        "capstone-tuning",
        _tuning_tasks,
        _tune,
        seed=71,
        datasets=("peoples_daily",),
        title="The CRF's penalty and AROW's r on lines 4,501 to 7,300 of the People's Daily",
        columns=("block", "model", "setting", "run", *TOTALS),
    ),
    Study(
        "capstone-pools",
        _pool_tasks,
        _pool,
        seed=73,
        datasets=("studies/capstone-tuning", "peoples_daily"),
        title="CRF against AROW, trained on 25 pools of 600 lines, tested on one later text",
        columns=("first_line", "model", "setting", "run", *TOTALS),
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
            "gold",
            *(f"{count}_{name}_{run}" for name, run in _runs() for count in ("tp", "fp")),
            "sentences",
        ),
    ),
]
