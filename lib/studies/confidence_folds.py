"""Chapter 6: how well the four learners label, fold by fold (Table 2 and Figure 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.bcv import BlockedCV
from betterthan.taggers import Tagger
from studies import Study
from studies.confidence import CORPORA, ORDERS, SEED, encoded, judge, tagger, tuned

ALGORITHMS = ("arow", "cw", "pa", "perceptron")


def ten_folds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Ten folds of random sentences."""
    parts = np.array_split(np.random.default_rng(SEED).permutation(n), 10)
    return [(np.concatenate(parts[:k] + parts[k + 1 :]), parts[k]) for k in range(10)]


def learn(
    name: str, fold: tuple[np.ndarray, np.ndarray], algorithm: str, order: int, every_pass: bool
) -> list[dict[str, Any]]:
    """Counts on the test part after the last pass over the training part, or after each."""
    train, test = fold
    rows: list[dict[str, Any]] = []

    def watch(model: Tagger) -> None:
        known = {"algorithm": algorithm, "passes": len(rows) + 1}
        rows.append({**known, **judge(name, model, test)})

    model = tagger(algorithm, tuned(name, algorithm), order)
    model.fit(encoded(name)[train], after_pass=watch if every_pass else None)
    if not every_pass:
        rows.append({"algorithm": algorithm, "passes": model.passes, **judge(name, model, test)})
    return rows


def _chunk_tasks() -> list[dict[str, Any]]:
    return [{"corpus": "np", "fold": fold} for fold in range(10)]


def _entity_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name, "fold": fold} for name in ("es", "nl") for fold in range(10)]


def run_fold(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All four learners on one of ten folds, after each pass."""
    name = task["corpus"]
    fold = ten_folds(len(encoded(name)))[task["fold"]]
    return [
        {**task, **row}
        for algorithm in ALGORITHMS
        for row in learn(name, fold, algorithm, 0, every_pass=True)
    ]


def _block_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name, "fold": fold} for name in CORPORA for fold in range(6)]


def run_block(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All four learners on one half of 3×2 blocked cross-validation, in three orders each."""
    name = task["corpus"]
    fold = list(BlockedCV(3, rng=SEED).split(range(len(encoded(name)))))[task["fold"]]
    return [
        {**task, "order": order, **row}
        for algorithm in ALGORITHMS
        for order in range(ORDERS)
        for row in learn(name, fold, algorithm, order, every_pass=False)
    ]


_DATA = ("conll2000", "conll2002", "studies/confidence-tuning")

STUDIES = [
    Study(
        name="confidence-blocks",
        tasks=_block_tasks,
        run=run_block,
        seed=SEED,
        datasets=_DATA,
        title="Spans found by four learners in 3×2 blocked cross-validation, three orders each",
    ),
    *(
        Study(
            name=name,
            tasks=tasks,
            run=run_fold,
            seed=SEED,
            datasets=_DATA,
            title=f"Table 2 and Figure 1: {what} found by four learners, ten folds, each pass",
        )
        for name, tasks, what in (
            ("confidence-folds", _chunk_tasks, "noun phrases"),
            ("confidence-folds-ner", _entity_tasks, "Spanish and Dutch entities"),
        )
    ),
]
