"""Studies of chapter 3: one learner against another on 15 datasets, and seven shared-task systems.

Two learners of :mod:`betterthan.sequences`, AROW and the averaged perceptron, both with their
defaults and 10 passes, are trained and tested on each dataset by itself. Official splits where
there are some; elsewhere the first two thirds of the file train and the last third tests, in
file order, so that an article or thread is not cut into both. What is kept is how many spans
each learner found, invented and missed in each test sentence; sentences with the same six
counts share a row.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from betterthan import datasets, tags
from betterthan.sequences import Tagger, chunk_features, ner_features, segmentation_features
from betterthan.studies import Study

LEARNERS = ("arow", "perceptron")
PASSES = 10
BTC = ("a", "b", "e", "f", "g", "h")
# The People's Daily has 19,484 lines; as many as these keep the study within minutes.
PEOPLES_DAILY = (6000, 3000)
DATASETS = (
    "CoNLL-2000",
    "CoNLL-2002 es",
    "CoNLL-2002 nl",
    "WNUT-2017",
    *(f"BTC {segment}" for segment in BTC),
    "wikigold",
    "AnEM",
    "GUM",
    "People's Daily names",
    "People's Daily words",
)
COUNTS = ("tp", "fp", "fn")

Labelled = list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...] | None]]


def split(dataset: str) -> tuple[Labelled, Labelled]:
    """Training and test sentences of a dataset: tokens, labels, part-of-speech tags."""
    if dataset.startswith("People's Daily"):
        train, test = PEOPLES_DAILY
        sentences = [s for s in datasets.peoples_daily() if s.words][: train + test]
        if dataset.endswith("words"):
            labelled = [(c, labels, None) for c, labels in datasets.segmentation(sentences)]
        else:
            labelled = _plain(datasets.entities(sentences))
        return labelled[:train], labelled[train:]
    if dataset.startswith("CoNLL-2002"):
        parts = datasets.conll2002(dataset[-2:])
        return _plain(parts["train"]), _plain(parts["testb"])
    if dataset.startswith("BTC"):
        return _two_thirds(datasets.btc()[dataset[-1]])
    if dataset == "wikigold":
        return _two_thirds(datasets.wikigold())
    load = {
        "CoNLL-2000": datasets.conll2000,
        "WNUT-2017": datasets.wnut2017,
        "AnEM": datasets.anem,
        "GUM": datasets.gum,
    }[dataset]
    parts = load()
    return _plain(parts["train"]), _plain(parts["test"])


def _plain(sentences: Iterable[datasets.Sentence]) -> Labelled:
    return [(s.words, s.tags, s.pos) for s in sentences if s.words]


def _two_thirds(sentences: list[datasets.Sentence]) -> tuple[Labelled, Labelled]:
    plain = _plain(sentences)
    cut = round(len(plain) * 2 / 3)
    return plain[:cut], plain[cut:]


def _features(dataset: str, sentences: Labelled) -> list[list[list[str]]]:
    if dataset.startswith("People's Daily"):
        return [segmentation_features(tokens) for tokens, _, _ in sentences]
    extract = chunk_features if dataset == "CoNLL-2000" else ner_features
    return [extract(tokens, pos) for tokens, _, pos in sentences]


def _tagger_tasks() -> list[dict[str, Any]]:
    return [{"dataset": name} for name in DATASETS]


def _run_taggers(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    dataset = task["dataset"]
    train, test = split(dataset)
    features, unseen = _features(dataset, train), _features(dataset, test)
    labels = [list(sentence[1]) for sentence in train]
    gold = [list(sentence[1]) for sentence in test]
    scheme = "BMES" if dataset.endswith("words") else "IOB2"
    order = int(seed.generate_state(1)[0])
    found = []
    for algorithm in LEARNERS:
        tagger = Tagger(algorithm, passes=PASSES, seed=order).fit(features, labels)
        counts = tags.count_spans(gold, tagger.predict(unseen), scheme)
        found += [counts.tp, counts.fp, counts.fn]
    names = [f"{count}_{algorithm}" for algorithm in LEARNERS for count in COUNTS]
    return [
        {"dataset": dataset, "trained_on": len(train), **dict(zip(names, row)), "sentences": n}
        for row, n in _grouped(found)
    ]


def _grouped(columns: list[np.ndarray]) -> list[tuple[tuple[int, ...], int]]:
    """Rows of counts and how many sentences have them."""
    return sorted(Counter(zip(*(column.tolist() for column in columns))).items())


def _one_task() -> list[dict[str, Any]]:
    return [{}]


def _run_overlap(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Sentences of five tokens or more that two test sets, or a test and a training set, share."""
    parts = {name: split(name) for name in DATASETS}
    long = {
        name: tuple({"".join(s[0]) for s in side if len(s[0]) >= 5} for side in both)
        for name, both in parts.items()
    }
    rows = []
    for first, second in itertools.combinations_with_replacement(DATASETS, 2):
        train, test = long[first]
        rows.append(
            {
                "first": first,
                "second": second,
                "tests": len(test & long[second][1]),
                "train_of_first_in_test_of_second": len(train & long[second][1]),
                "test_of_first_in_train_of_second": len(test & long[second][0]),
            }
        )
    return rows


def _run_systems(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    gold = [list(s.tags) for s in datasets.wnut2017()["test"]]
    columns, names = [], []
    for system, predicted in datasets.wnut2017_systems().items():
        counts = tags.count_spans(gold, [list(labels) for labels in predicted])
        columns += [counts.tp, counts.fp, counts.fn]
        names += [f"{count}_{system}" for count in COUNTS]
    return [{**dict(zip(names, row)), "sentences": n} for row, n in _grouped(columns)]


STUDIES = [
    Study(
        name="replicability-taggers",
        tasks=_tagger_tasks,
        run=_run_taggers,
        seed=2017,
        datasets=(
            "conll2000",
            "conll2002",
            "wnut2017",
            "btc",
            "wikigold",
            "anem",
            "gum",
            "peoples_daily",
        ),
        title="AROW and the averaged perceptron on 15 datasets: spans found, invented, missed",
    ),
    Study(
        name="replicability-overlap",
        tasks=_one_task,
        run=_run_overlap,
        seed=0,
        datasets=(
            "conll2000",
            "conll2002",
            "wnut2017",
            "btc",
            "wikigold",
            "anem",
            "gum",
            "peoples_daily",
        ),
        title="Sentences that the 15 datasets share",
    ),
    Study(
        name="replicability-wnut",
        tasks=_one_task,
        run=_run_systems,
        seed=0,
        datasets=("wnut2017", "wnut2017_systems"),
        title="The seven systems of WNUT-2017: spans found, invented, missed in each sentence",
    ),
]
