"""Studies of chapter 3: one learner against another on 15 datasets, and seven shared-task systems.

Two learners of :mod:`betterthan.taggers`, AROW and the averaged perceptron, both with their
defaults and 10 passes, are trained and tested on each dataset by itself, five times, in five random
orders of the training sentences (the same five for both). What is kept is how many spans each found
and invented in each test sentence (and missed, for the first order: tp + fn is the same for all);
sentences with the same counts share a row.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from betterthan import datasets
from betterthan.counts import count_spans
from betterthan.taggers import Tagger
from studies import Study
from studies._labelled import CORPORA, DATASETS, compared, grouped, split

LEARNERS = ("arow", "perceptron")
PASSES = 10
ORDERS = 5


def _tagger_tasks() -> list[dict[str, Any]]:
    return [{"dataset": name} for name in DATASETS]


def _run_taggers(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    taggers = {
        f"{name}{suffix(run)}": Tagger(name, passes=PASSES, rng=int(order))
        for run, order in enumerate(seed.generate_state(ORDERS), 1)
        for name in LEARNERS
    }
    again = tuple(f"fn_{name}" for name in list(taggers)[len(LEARNERS) :])
    rows = compared(task["dataset"], taggers)
    return [{key: row[key] for key in row if key not in again} for row in rows]


def suffix(run: int) -> str:
    """What a learner's columns end in: nothing for the first order, then "_2", "_3", …"""
    return f"_{run}" if run > 1 else ""


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
    gold = [s.tags for s in datasets.wnut2017()["test"]]
    systems = datasets.wnut2017_systems()
    return grouped({name: count_spans(gold, labels) for name, labels in systems.items()})


STUDIES = [
    Study(
        name="replicability-taggers",
        tasks=_tagger_tasks,
        run=_run_taggers,
        seed=2017,
        datasets=CORPORA,
        title="AROW and the averaged perceptron on 15 datasets, five orders each: "
        "spans by sentence",
    ),
    Study(
        name="replicability-overlap",
        tasks=_one_task,
        run=_run_overlap,
        seed=0,
        datasets=CORPORA,
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
