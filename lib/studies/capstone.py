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
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from betterthan import datasets
from betterthan.counts import count_spans
from betterthan.taggers import CRF, Tagger, segmentation_features
from studies import _labelled
from studies._study import Rows, Seed, Study, Task, grid

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
    if name not in MODELS:
        raise ValueError(f"name={name!r}: expected one of {', '.join(MODELS)}")
    shuffled = name == "crf" and run
    order = np.random.default_rng(run).permutation(len(X)) if shuffled else range(len(X))
    return _tagger(name, setting, run).fit([X[i] for i in order], [y[i] for i in order])


def _tagger(name: str, setting: float, run: int) -> CRF | Tagger:
    if name == "arow":
        return Tagger("arow", passes=PASSES, r=setting, rng=run)
    return CRF(c2=float(setting), max_iterations=ITERATIONS)


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


def _on_lines(train: slice, test: slice, settings: dict[str, float], runs: dict[str, int]) -> Rows:
    """Train on lines of the People's Daily, count the names found in others: one row per run."""
    known, unseen = _lines()[train], _lines()[test]
    X, y, fresh = features(known), [list(s.tags) for s in known], features(unseen)
    rows = []
    for name, run in _runs(settings, runs):
        found = trained(name, settings[name], X, y, run).predict(fresh)
        row = {"model": name, "setting": settings[name], "run": run}
        rows.append(row | _labelled.totals(count_spans([s.tags for s in unseen], found)))
    return rows


def _runs(names: Iterable[str] = MODELS, runs: dict[str, int] = RUNS) -> list[tuple[str, int]]:
    return [(name, run) for name in names for run in range(runs[name])]


def _tuning_tasks() -> list[Task]:
    blocks = range(len(TUNE_TRAIN))
    return [t for m in MODELS for t in grid(model=[m], setting=GRID[m][1], block=blocks)()]


def _tune(task: Task, seed: Seed) -> Rows:
    """One setting on one block of lines: the runs are numbered, so the seed is not used."""
    train, settings = TUNE_TRAIN[task["block"]], {task["model"]: task["setting"]}
    rows = _on_lines(slice(*train), slice(*TUNE_TEST), settings, TUNING_RUNS)
    return [{"block": task["block"], **row} for row in rows]


def _pool(task: Task, seed: Seed) -> Rows:
    """Both taggers trained on one pool of lines, tested on the last lines of the month."""
    first = task["first_line"]
    settings = best_settings(datasets.study_table("capstone-tuning"))
    rows = _on_lines(slice(first, first + TRAIN), slice(-TESTED, None), settings, RUNS)
    return [{**task, **row} for row in rows]


def _compare(task: Task, seed: Seed) -> Rows:
    """Both taggers on one dataset, run by run; test sentences with equal counts share a row."""
    settings = best_settings(datasets.study_table("capstone-tuning"))
    taggers = {f"{name}_{run}": _tagger(name, settings[name], run) for name, run in _runs()}
    rows = []
    for row in _labelled.compared(task["dataset"], taggers, TRAIN):
        start = {name: row.pop(name) for name in ("dataset", "trained_on")}
        start["gold"] = row["tp_crf_0"] + row["fn_crf_0"]
        rows.append(start | {name: n for name, n in row.items() if not name.startswith("fn")})
    return sorted(rows, key=lambda row: list(row.values()))


TUNING = "studies/capstone-tuning"
STUDIES = [
    Study(
        "capstone-tuning",
        _tuning_tasks,
        _tune,
        71,
        ("peoples_daily",),
        "The CRF's penalty and AROW's r on lines 4,501 to 7,300 of the People's Daily",
    ),
    Study(
        "capstone-pools",
        grid(first_line=POOLS),
        _pool,
        73,
        (TUNING, "peoples_daily"),
        "CRF against AROW, trained on 25 pools of 600 lines, tested on one later text",
    ),
    Study(
        "capstone-datasets",
        grid(dataset=DATASETS),
        _compare,
        72,
        (TUNING, *_labelled.CORPORA[1:-1]),  # without the corpora of OTHERS
        "CRF against AROW on twelve datasets of names, 600 training sentences each or fewer",
    ),
]
