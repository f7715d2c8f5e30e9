"""Chapter 6: the tables and figures of Mejer and Crammer (2010) on three real corpora.

The corpora are put together so that their sizes are those of the paper's Table 1: training and
test part of CoNLL-2000 (noun phrases only), training part and testa of Spanish CoNLL-2002,
training part and testb of Dutch CoNLL-2002. English CoNLL-2003 cannot be had freely.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from betterthan import datasets, taggers
from betterthan.confidence import marks
from betterthan.counts import count_spans
from betterthan.taggers import Encoded, Tagger
from studies import Study

CORPORA = ("np", "es", "nl")
GRID = {
    "arow": ("r", (0.1, 1.0, 10.0, 100.0)),
    "cw": ("phi", (0.1, 0.3, 1.0, 2.0)),
    "pa": ("C", (0.003, 0.01, 0.03, 0.1)),
}
# Wider than GRID, which decides: does an edge of it cost anything? And the penalty of the CRF.
WIDE = {
    "arow": ("r", (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)),
    "cw": ("phi", (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0)),
    "pa": ("C", (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
    "crf": ("c2", (0.01, 0.1, 1.0, 10.0)),
}
ORDERS = 3
CRF_TRAINS_ON = 2000  # sentences, while its penalty is tuned: a prior does not know their number
SEED = 2010


# Corpora and splits


@lru_cache(maxsize=1)
def corpus(name: str) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Feature strings and labels of all sentences."""
    if name == "np":
        parts = datasets.conll2000()
        sentences = [*parts["train"], *parts["test"]]
        y = [[t if t.endswith("-NP") else "O" for t in s.tags] for s in sentences]
        return [taggers.chunk_features(s.words, s.pos) for s in sentences], y
    parts = datasets.conll2002(name)
    sentences = [*parts["train"], *parts["testa" if name == "es" else "testb"]]
    X = [taggers.ner_features(s.words, s.pos) for s in sentences]
    return X, [list(s.tags) for s in sentences]


def split(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Three quarters to learn from and one to test on, as in the paper's section 5."""
    n = len(corpus(name)[0])
    order = np.random.default_rng(SEED).permutation(n)
    return order[: n * 3 // 4], order[n * 3 // 4 :]


def inner_split(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The training quarters divided again, to tune on without looking at the test quarter."""
    train, _ = split(name)
    return train[: len(train) * 3 // 4], train[len(train) * 3 // 4 :]


def tagger(algorithm: str, parameter: float | None = None, order: int = 0) -> Tagger:
    """A tagger with the parameter given, that sees the sentences in one of many orders."""
    name = GRID[algorithm][0] if algorithm in GRID else None
    given = {name: parameter} if name and parameter is not None else {}
    return Tagger(algorithm, rng=SEED + order, **given)


def tuned(name: str, algorithm: str) -> float | None:
    """The value with the best F1 on held-out training data; the least of equals."""
    if algorithm not in WIDE:
        return None
    table = datasets.study_table("confidence-grid" if algorithm == "crf" else "confidence-tuning")
    table = table[(table["corpus"] == name) & (table["algorithm"] == algorithm)]
    f1 = 2 * table["tp"] / (2 * table["tp"] + table["fp"] + table["fn"])
    return float(table["value"].iloc[int(np.argmax(f1.to_numpy()))])


def pick(rows: list, index: np.ndarray) -> list:
    return [rows[i] for i in index]


def counts(gold: list, predicted: list) -> dict[str, int]:
    spans = count_spans(gold, predicted)
    right = np.concatenate(marks(gold, predicted))
    return {
        "tp": int(spans.tp.sum()),
        "fp": int(spans.fp.sum()),
        "fn": int(spans.fn.sum()),
        "words": right.size,
        "wrong": int((~right).sum()),
    }


# Table 1, and the parameters


def _size_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name} for name in CORPORA]


def run_size(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Sentences, words, labels, feature strings and weights."""
    X, y = corpus(task["corpus"])
    found: dict[str, set[str]] = {}
    for sentence, labels in zip(X, y):
        for token, label in zip(sentence, labels):
            found.setdefault(label, set()).update(token)
    return [
        {
            "corpus": task["corpus"],
            "sentences": len(X),
            "words": sum(map(len, y)),
            "test_words": sum(len(y[i]) for i in split(task["corpus"])[1]),
            "labels": len(found),
            "features": len(set().union(*found.values())),
            "feature_label_pairs": sum(map(len, found.values())),
        }
    ]


def _tuning_tasks() -> list[dict[str, Any]]:
    return [{"corpus": name} for name in CORPORA]


def run_tuning(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Counts on the held-out part of the training data for each value of each parameter."""
    train, held = inner_split(task["corpus"])
    rows = []
    for algorithm, (name, values) in GRID.items():
        for value in values:
            model = tagger(algorithm, value).fit(encoded(task["corpus"])[train])
            known = {"algorithm": algorithm, "parameter": name, "value": value}
            rows.append({**task, **known, **judge(task["corpus"], model, held)})
    return rows


def _grid_tasks() -> list[dict[str, Any]]:
    return [{"corpus": c, "algorithm": a} for c in CORPORA for a in (*WIDE, "perceptron")]


def run_grid(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The same beyond the grid, in three orders of the sentences; the CRF has no order."""
    name, algorithm = task["corpus"], task["algorithm"]
    train, held = inner_split(name)
    parameter, values = WIDE.get(algorithm, ("", (None,)))
    rows = []
    for value in values:
        for order in range(1 if algorithm == "crf" else ORDERS):
            if algorithm == "crf":
                model = crf(name, value, train[:CRF_TRAINS_ON])
                found = counts(
                    pick(corpus(name)[1], held), model.predict(pick(corpus(name)[0], held))
                )
            else:
                model = tagger(algorithm, value, order).fit(encoded(name)[train])
                found = judge(name, model, held)
            rows.append({**task, "parameter": parameter, "value": value, "order": order, **found})
    return rows


def crf(name: str, c2: float, train: np.ndarray) -> taggers.CRF:
    """A CRF trained until L-BFGS converges."""
    X, y = corpus(name)
    return taggers.CRF(c2=c2).fit(pick(X, train), pick(y, train))


@lru_cache(maxsize=1)
def encoded(name: str) -> Encoded:
    """A corpus with its strings numbered once: that costs more than learning from them."""
    return taggers.encode(*corpus(name))


def judge(name: str, model: Tagger, test: np.ndarray) -> dict[str, int]:
    """What a model that learned from a part of `encoded` gets right on `test`."""
    return counts(pick(corpus(name)[1], test), model.predict(encoded(name)[test]))


_DATA = ("conll2000", "conll2002")

STUDIES = [
    Study(
        name="confidence-sizes",
        tasks=_size_tasks,
        run=run_size,
        seed=SEED,
        datasets=_DATA,
        title="Table 1: sentences, words and features of the three corpora",
    ),
    Study(
        name="confidence-tuning",
        tasks=_tuning_tasks,
        run=run_tuning,
        seed=SEED,
        datasets=_DATA,
        title="r of AROW, phi of CW and C of PA on held-out training data",
    ),
    Study(
        name="confidence-grid",
        tasks=_grid_tasks,
        run=run_grid,
        seed=SEED,
        datasets=_DATA,
        title="The same on wider grids, in three orders; and c2 of a CRF",
    ),
]
