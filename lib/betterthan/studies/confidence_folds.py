"""Chapter 6: how well the four learners label, fold by fold (Table 2 and Figure 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan._sequences_index import take
from betterthan.bcv import BlockedCV
from betterthan.studies._study import Study
from betterthan.studies.confidence import CORPORA, SEED, _encoded, tagger, tuned

ALGORITHMS = ("arow", "cw", "pa", "perceptron")


def ten_folds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Ten folds of random sentences."""
    parts = np.array_split(np.random.default_rng(SEED).permutation(n), 10)
    return [(np.concatenate(parts[:k] + parts[k + 1 :]), parts[k]) for k in range(10)]


def count_spans(
    gold: np.ndarray, predicted: np.ndarray, labels: tuple[str, ...], begins: np.ndarray
) -> dict[str, int]:
    """What `tags.count_spans` counts in IOB2, from numbered labels of all sentences at once."""
    kind = np.array([label[2:] for label in labels])
    kinds = np.unique(kind, return_inverse=True)[1]
    opens = np.array([label.startswith("B") for label in labels])
    outside = np.array([label == "O" for label in labels])
    first = np.zeros(gold.size + 1, dtype=bool)
    first[begins] = True
    ends = []
    starts = []
    for path in (gold, predicted):
        before = np.r_[path[:1], path[:-1]]
        inside = ~outside[path]
        broken = first[:-1] | outside[before] | (kinds[before] != kinds[path])
        start = inside & (opens[path] | broken)
        # A span ends where the next begins, before an O, and with its sentence.
        stop = np.r_[start | ~inside, True] | first
        place = np.flatnonzero(stop)
        after = place[np.searchsorted(place, np.flatnonzero(start), side="right")]
        starts.append(start)
        end = np.zeros(path.size, dtype=np.int64)
        end[start] = after
        ends.append(end)
    same = starts[0] & starts[1] & (ends[0] == ends[1]) & (kinds[gold] == kinds[predicted])
    tp = int(same.sum())
    return {
        "tp": tp,
        "fp": int(starts[1].sum()) - tp,
        "fn": int(starts[0].sum()) - tp,
        "words": int(gold.size),
        "wrong": int((gold != predicted).sum()),
    }


def learn(
    name: str, train: np.ndarray, test: np.ndarray, algorithm: str, *, every_pass: bool
) -> list[dict[str, Any]]:
    """Counts on `test` after the last pass over `train`, or after each."""
    vocabulary, data, labels, gold = _encoded(name)
    part, tokens = take(data, train)
    unseen, places = take(data, test)
    model = tagger(algorithm, tuned(name, algorithm))
    model._vocabulary, model.labels_ = vocabulary, labels
    rows = []

    def watch(passes: int, means: np.ndarray) -> None:
        path = model._decode(unseen, means)
        counts = count_spans(gold[places], path, labels, unseen.sentence_ptr[:-1])
        rows.append({"algorithm": algorithm, "passes": passes, **counts})

    model._train(part, gold[tokens], False, watch if every_pass else None)
    watch(model.passes, model._means)
    return rows


def _chunk_tasks() -> list[dict[str, Any]]:
    return [{"corpus": "np", "fold": fold} for fold in range(10)]


def _entity_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name, "fold": fold} for name in ("es", "nl") for fold in range(10)]


def run_fold(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All four learners on one of ten folds, after each pass."""
    name = task["corpus"]
    train, test = ten_folds(_encoded(name)[1].sentence_ptr.size - 1)[task["fold"]]
    return [
        {**task, **row}
        for algorithm in ALGORITHMS
        for row in learn(name, train, test, algorithm, every_pass=True)
    ]


def _block_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name, "fold": fold} for name in CORPORA for fold in range(6)]


def run_block(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All four learners on one half of 3×2 blocked cross-validation."""
    name = task["corpus"]
    n = _encoded(name)[1].sentence_ptr.size - 1
    train, test = list(BlockedCV(m=3, seed=SEED).split(range(n)))[task["fold"]]
    return [
        {**task, **row}
        for algorithm in ALGORITHMS
        for row in learn(name, train, test, algorithm, every_pass=False)
    ]


_DATA = ("conll2000", "conll2002", "studies/confidence-tuning")

STUDIES = [
    Study(
        name="confidence-blocks",
        tasks=_block_tasks,
        run=run_block,
        seed=SEED,
        datasets=_DATA,
        title="Spans found by four learners in 3×2 blocked cross-validation",
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
