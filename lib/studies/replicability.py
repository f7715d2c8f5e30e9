"""Studies of chapter 3: one learner against another on 15 datasets, and seven shared-task systems.

Two learners of :mod:`betterthan.taggers`, AROW and the averaged perceptron, both with their
defaults and 10 passes, are trained and tested on each dataset by itself, five times, in five random
orders of the training sentences (the same five for both). What is kept is how many spans each found
and invented in each test sentence (and missed, for the first order: tp + fn is the same for all);
sentences with the same counts share a row.
"""

from __future__ import annotations

import itertools

from betterthan import datasets
from betterthan.counts import count_spans
from betterthan.taggers import Tagger
from studies._labelled import CORPORA, DATASETS, compared, grouped, split
from studies._study import Rows, Seed, Study, Task, grid

LEARNERS = ("arow", "perceptron")
PASSES = 10
ORDERS = 5


def _run_taggers(task: Task, seed: Seed) -> Rows:
    taggers = {
        f"{name}{suffix(run)}": Tagger(name, passes=PASSES, rng=int(order))
        for run, order in enumerate(seed.generate_state(ORDERS), 1)
        for name in LEARNERS
    }
    again = {f"fn_{name}" for name in list(taggers)[len(LEARNERS) :]}
    rows = compared(task["dataset"], taggers)
    return [{key: row[key] for key in row if key not in again} for row in rows]


def suffix(run: int) -> str:
    """What a learner's columns end in: nothing for the first order, then "_2", "_3", …"""
    return f"_{run}" if run > 1 else ""


def _run_overlap(task: Task, seed: Seed) -> Rows:
    """Sentences of five tokens or more that two test sets, or a test and a training set, share."""
    long = {
        name: [{"".join(s.words) for s in side if len(s.words) >= 5} for side in split(name)]
        for name in DATASETS
    }
    rows = []
    for first, second in itertools.combinations_with_replacement(DATASETS, 2):
        (train, test), (other_train, other_test) = long[first], long[second]
        row = {"first": first, "second": second, "tests": len(test & other_test)}
        row["train_of_first_in_test_of_second"] = len(train & other_test)
        row["test_of_first_in_train_of_second"] = len(test & other_train)
        rows.append(row)
    return rows


def _run_systems(task: Task, seed: Seed) -> Rows:
    gold = [s.tags for s in datasets.wnut2017()["test"]]
    systems = datasets.wnut2017_systems()
    return grouped({name: count_spans(gold, labels) for name, labels in systems.items()})


STUDIES = [
    Study(
        "replicability-taggers",
        grid(dataset=DATASETS),
        _run_taggers,
        2017,
        CORPORA,
        "AROW and the averaged perceptron on 15 datasets, five orders each: spans by sentence",
    ),
    Study(
        "replicability-overlap",
        grid(),
        _run_overlap,
        0,
        CORPORA,
        "Sentences that the 15 datasets share",
    ),
    Study(
        "replicability-wnut",
        grid(),
        _run_systems,
        0,
        ("wnut2017", "wnut2017_systems"),
        "The seven systems of WNUT-2017: spans found, invented, missed in each sentence",
    ),
]
