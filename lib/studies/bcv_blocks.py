"""Chapter 1: what blocks, deals and the order of training do to a cross-validated F1.

`bcv-variance` tests the first claim of Wang and Li (2019), that blocks give stable estimates of
least variance, on the simulated corpora of their section 2.4: six models each by three random
halvings, by a 3×2 BCV, by one with balanced blocks, and by six folds. `bcv-variance-deals` deals
the same corpora again and again. `bcv-variance-text` asks the same on small corpora of the People's
Daily, cut into words by naive Bayes, which is cheap and draws no random numbers.

`bcv-orders` takes apart what moves a score when the same lines are dealt anew: other blocks, or
the order in which a perceptron sees its training lines. A CRF has no order.

`bcv-halves` asks why the two folds of a repetition pull in opposite directions, by taking possible
causes away: unequal numbers of positives in the halves, then their unequal means.

`bcv-verdicts` tests what the paper says of tests on a 3×2 BCV, that they have more power and come
out the same again: two tests on the folds of each design, each corpus dealt twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from betterthan import bayes, bcv, datasets
from betterthan.counts import Counts, count_spans
from betterthan.taggers import CRF, Tagger, segmentation_features
from studies import _peers as peers
from studies._labelled import totals
from studies._study import Rows, Seed, Study, Task, grid
from studies.bcv_simulation import (
    INSTANCES,
    f1_of,
    logistic_regression,
    predictions,
    true_rates,
)
from studies.bcv_text import corpus, predicted

DESIGNS = ("random halvings", "blocked", "blocked and balanced", "six folds")
MEAN1 = np.array([0.5, 0.5])


def training_sets(design: str, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Six training sets of a corpus as rows of True and False; the rest of it tests."""
    n, train = len(units), np.zeros((6, len(units)), dtype=bool)
    if design == "random halvings":
        for i in range(0, 6, 2):
            train[i, rng.permutation(n)[: n // 2]] = True
            train[i + 1] = ~train[i]
        return train
    if design == "six folds":
        return np.arange(6)[:, None] != rng.permutation(n) % 6
    balance = units if design == "blocked and balanced" else None
    for i, (own, _) in enumerate(bcv.BlockedCV(3, rng=rng, balance=balance).split(units)):
        train[i, own] = True
    return train


def simulated(corpora: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points and labels of corpora as in section 2.4."""
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    return rng.normal(size=(corpora, INSTANCES, 2)) + y[..., None] * MEAN1, y


def micro_f1(x: np.ndarray, y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """F1 over all six tests of each corpus, added up."""
    held = ~train
    said = predictions(x, logistic_regression(x, y, train.astype(float))) & held
    return f1_of(said.reshape(len(y), -1), (held * y[:, None]).reshape(len(y), -1))


def one_deal_each(task: Task, seed: Seed) -> Rows:
    """Many corpora, each dealt once by every design."""
    rng = np.random.default_rng(seed)
    x, y = simulated(task["corpora"], rng)
    units = [np.column_stack([one, 1 - one]) for one in y]
    found = {}
    for design in DESIGNS:
        train = np.stack([training_sets(design, one, rng) for one in units])
        found[design] = micro_f1(x, y, train)
    return [
        {"corpus": task["chunk"] * task["corpora"] + i}
        | {design: round(float(f1[i]), 6) for design, f1 in found.items()}
        for i in range(len(y))
    ]


def many_deals(task: Task, seed: Seed) -> Rows:
    """One corpus, dealt many times by every design: the deviation of F1 over the deals."""
    rng = np.random.default_rng(seed)
    x, y = simulated(1, rng)
    units = np.column_stack([y[0], 1 - y[0]])
    row: dict[str, Any] = {"corpus": task["corpus"]}
    for design in DESIGNS:
        train = np.stack([training_sets(design, units, rng) for _ in range(task["deals"])])
        same_x, same_y = (np.repeat(part, task["deals"], axis=0) for part in (x, y))
        row[design] = round(float(micro_f1(same_x, same_y, train).std(ddof=1)), 6)
    return [row]


# Real text: word boundaries by naive Bayes


@cache
def boundaries() -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Of each line of the People's Daily three features per place between two characters.

    They are the characters before and after the place, and both together; beside them stands
    whether a word ends there.
    """
    known: dict[Any, int] = {}
    features, ends = [], []
    for text, labels in datasets.segmentation(datasets.peoples_daily(), "BMES"):
        pairs = [*pairwise(text)]
        if pairs:
            own = [(("<", a), (">", b), (a, b)) for a, b in pairs]
            features.append(
                np.array([[known.setdefault(f, len(known)) for f in one] for one in own])
            )
            ends.append(np.array([label in "ES" for label in labels[:-1]]))
    return features, ends


def naive_bayes(train: Sequence[int], test: Sequence[int]) -> np.ndarray:
    """Words found, invented and missed in the lines `test`, learned from the lines `train`."""
    features, ends = boundaries()
    seen, end = (np.concatenate([part[i] for i in train]) for part in (features, ends))
    n = max(int(features[i].max()) for i in (*train, *test)) + 1
    with_end, without = (
        np.bincount(seen[end == side].ravel(), minlength=n) + 0.5 for side in (True, False)
    )
    prior = np.log(end.sum() / (~end).sum())
    weight = np.log(with_end / without) - prior
    counts = np.zeros(3, dtype=int)
    for i in test:
        counts += _words(ends[i], prior + weight[features[i]].sum(axis=1) > 0)
    return counts


def _words(gold: np.ndarray, said: np.ndarray) -> np.ndarray:
    """Words of one line: found, invented, missed."""
    there, here = (set(_spans(ends)) for ends in (gold, said))
    return np.array([len(there & here), len(here - there), len(there - here)])


def _spans(ends: np.ndarray) -> Iterator[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(ends) + 1).tolist(), len(ends) + 1]
    return pairwise(edges)


def on_text(task: Task, seed: Seed) -> Rows:
    """One small corpus of real lines, dealt a few times by every design."""
    order = np.random.default_rng(task["deal_seed"]).permutation(len(boundaries()[0]))
    own = order[task["corpus"] * task["lines"] :][: task["lines"]]
    rng = np.random.default_rng(seed)
    units = np.array([[end.sum() + 1, (~end).sum()] for end in (boundaries()[1][i] for i in own)])
    rows = []
    for deal in range(task["deals"]):
        row: dict[str, Any] = {"corpus": task["corpus"], "deal": deal}
        for design in DESIGNS:
            sets = training_sets(design, units, rng)
            tp, fp, fn = np.sum([naive_bayes(own[train], own[~train]) for train in sets], axis=0)
            row[design] = round(float(2 * tp / (2 * tp + fp + fn)), 6)
        rows.append(row)
    return rows


# Deals and orders


def dealt_or_ordered(task: Task, seed: Seed) -> Rows:
    """A 3×2 BCV of the same lines: other blocks, or the same blocks and another order of training.

    The seeds of blocks and order are parameters of the task, so that one can change alone.
    """
    sentences, labels, scheme, _ = corpus("ner-zh", task["lines"])
    features = _plain_features(task["lines"])
    blocks, order = (task["number"], 0) if task["changed"] == "blocks" else (0, task["number"])
    splits = bcv.BlockedCV(3, rng=blocks, balance=bcv.count_units(labels)).split(sentences)
    rows = []
    for i, (train, valid) in enumerate(splits):
        model: Any = CRF(max_iterations=60)
        if task["learner"] == "perceptron":
            model = Tagger("perceptron", passes=5, rng=order)
        found = predicted(model, features, labels, train, valid)
        counts = totals(count_spans([labels[line] for line in valid], found, scheme))
        row = {name: task[name] for name in ("learner", "changed", "number")}
        rows.append(row | {"repetition": i // 2 + 1, "fold": i % 2 + 1, **counts})
    return rows


@cache
def _plain_features(lines: int) -> list[Any]:
    return [segmentation_features(s.words, "F2") for s in corpus("ner-zh", lines)[0]]


def order_tasks() -> list[Task]:
    """Eight orders of the perceptron, eight deals of it, and eight deals of a CRF."""
    kinds = (("perceptron", "order"), ("perceptron", "blocks"), ("crf", "blocks"))
    return [
        {"learner": learner, "changed": changed, "number": number, "lines": 800}
        for learner, changed in kinds
        for number in range(8)
    ]


# Two halves of one corpus

HALVES = ("labels drawn", "balanced", "balanced, positives centred")


def two_halves(task: Task, seed: Seed) -> Rows:
    """Each half of a corpus trains a model that is tested on the other; what may move its recall.

    `positives_k` is how many positives half k holds, `mean_k` how far their mean lies in the
    direction in which the classes differ, `recall_k` the recall on half k and `true_k` the recall
    on unlimited text of the model that learned from half k.
    """
    rng, corpora, half = np.random.default_rng(seed), task["corpora"], INSTANCES // 2
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    if task["design"] != "labels drawn":
        y = np.tile(np.arange(INSTANCES) % 2.0, (corpora, 1))
    x = rng.normal(size=(corpora, INSTANCES, 2)) + y[..., None] * MEAN1
    parts = [slice(0, half), slice(half, INSTANCES)]
    if task["design"] == "balanced, positives centred":
        for part in parts:
            off = _mean_of_positives(x[:, part], y[:, part]) - MEAN1
            x[:, part] -= y[:, part, None] * off[:, None]
    train = np.zeros((corpora, 2, INSTANCES))
    train[:, 0, parts[0]] = train[:, 1, parts[1]] = 1
    beta = logistic_regression(x, y, train)
    said, truth = predictions(x, beta), true_rates(beta, MEAN1)[0]
    columns: dict[str, np.ndarray] = {}
    for k, part in enumerate(parts):
        found = said[:, 1 - k, part] * y[:, part]
        columns[f"positives_{k}"] = y[:, part].sum(1)
        columns[f"mean_{k}"] = _mean_of_positives(x[:, part], y[:, part]).sum(1) / np.sqrt(2)
        columns[f"recall_{k}"] = found.sum(1) / y[:, part].sum(1)
        columns[f"true_{k}"] = truth[:, k]
    known = {"design": task["design"]}
    return [
        {**known, **{name: round(float(values[i]), 5) for name, values in columns.items()}}
        for i in range(corpora)
    ]


def _mean_of_positives(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.einsum("cnf,cn->cf", x, y) / y.sum(1)[:, None]


# Verdicts on the same corpus, dealt twice

# The strength of B's own feature; A's is 0.6, as in `bcv-tests`.
WORLDS = {"same algorithm": 0.6, "B better": 1.0}


def verdicts(task: Task, seed: Seed) -> Rows:
    """How often B is announced at 5 % in the first deal, in the second and in both.

    By three tests on the folds of each design. Six folds test each instance once, so that their
    counts are taken in full; the three halvings of the other designs test it three times, and
    their counts are worth 0.3688. The blocked t-test is made for halvings only.
    """
    rng, corpora = np.random.default_rng(seed), task["corpora"]
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    features = rng.normal(size=(corpora, INSTANCES, 3))
    features += y[..., None] * np.array([0.8, 0.6, WORLDS[task["world"]]])
    units = [np.column_stack([one, 1 - one]) for one in y]
    rows = []
    for design in DESIGNS:
        deals = []
        for _ in range(2):
            train = np.stack([training_sets(design, one, rng) for one in units])
            found = [_folds(features[..., own], y, train) for own in ([0, 1], [0, 2])]
            deals.append([announcements(a, b, design) for a, b in zip(*found, strict=True)])
        for test in deals[0][0]:
            first, second = (np.array([said[test] for said in deal]) for deal in deals)
            row = {"world": task["world"], "design": design, "test": test, "corpora": corpora}
            rows.append(
                row
                | {
                    "first": int(first.sum()),
                    "second": int(second.sum()),
                    "both": int((first & second).sum()),
                }
            )
    return rows


def announcements(a: Counts, b: Counts, design: str) -> dict[str, bool]:
    """Which tests announce at 5 % that B has the higher F1."""
    f1_a, f1_b = (2 * one.tp / (2 * one.tp + one.fp + one.fn) for one in (a, b))
    gain, halves = f1_b - f1_a, design != "six folds"
    pvalues = {
        "corrected t": peers.t_corrected(gain, 1.0 if halves else 1 / 5),
        "Bayes": bayes.compare(a, b, factor=None if halves else 1.0).p_h0,
    }
    if halves:
        pvalues["blocked t"] = peers.t_blocked(gain)
    return {test: pvalue < 0.05 for test, pvalue in pvalues.items()}


def _folds(x: np.ndarray, y: np.ndarray, train: np.ndarray) -> list[Counts]:
    """The counts of the six folds of each corpus."""
    held, gold = ~train, y[:, None] > 0
    said = predictions(x, logistic_regression(x, y, train.astype(float)))
    parts = [(kind & held).sum(-1) for kind in (said & gold, said & ~gold, ~said & gold)]
    return [Counts(*own, unit="fold") for own in zip(*parts, strict=True)]


STUDIES = [
    Study(
        "bcv-verdicts",
        grid(world=[*WORLDS], chunk=range(50), corpora=[100]),
        verdicts,
        66,
        title="Three tests by four designs on 5,000 corpora per world, each dealt twice",
    ),
    Study(
        "bcv-halves",
        grid(design=HALVES, chunk=range(4), corpora=[250]),
        two_halves,
        65,
        title="Why two halves pull apart: recalls of 1,000 halved corpora in three designs",
    ),
    Study(
        "bcv-variance",
        grid(chunk=range(25), corpora=[100]),
        one_deal_each,
        61,
        title="F1 of six models by four designs, 2,500 corpora of section 2.4",
    ),
    Study(
        "bcv-variance-deals",
        grid(corpus=range(20), deals=[25]),
        many_deals,
        62,
        title="20 corpora of section 2.4, each dealt 25 times by every design",
    ),
    Study(
        "bcv-variance-text",
        grid(corpus=range(160), lines=[120], deals=[2], deal_seed=[1998]),
        on_text,
        63,
        ("peoples_daily",),
        "Four designs on 160 small corpora of the People's Daily, naive Bayes",
    ),
    Study(
        "bcv-orders",
        order_tasks,
        dealt_or_ordered,
        64,
        ("peoples_daily",),
        "Other blocks or another order of training: names in 800 lines of the People's Daily",
    ),
]
