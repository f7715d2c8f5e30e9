"""Chapters 1 and 2: taggers of real text in 3×2 blocked cross-validation (BCV).

Do finer tag sets help? The three comparisons of Wang and Li (2019), on other real corpora. A is
the coarse tag set (BMES, IOB2), B the fine one (BB2B3MES, IOBES). Both are trained and tested on
the same halves of a 3×2 BCV whose blocks are balanced over the labels. `bcv-cws` trains a CRF on
4,000 lines and `bcv-cws-all` a perceptron on all of them, so between them text and learner change
together; in `bcv-cws-perceptron` the perceptron gets the 4,000 lines.

`bcv-crf-small`, minutes of work, gives chapters six folds of a real segmenter to begin with.

`bcv-subcorpora`: what do the correlations of a 3×2 BCV come to on real text, and do the intervals
hold? The People's Daily is dealt at random into many small corpora and one held-out part. Each
small corpus gets its own 3×2 BCV, as if it were all we had; each of its six models also tags the
held-out part, which stands for unlimited text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from betterthan import bcv, datasets
from betterthan.counts import convert, count_spans, from_spans, to_spans
from betterthan.taggers import CRF, Tagger, segmentation_features
from betterthan.taggers.features import shifted
from studies._labelled import totals
from studies._study import Rows, Seed, Study, Task, grid

FOLDS = {"repetition": (1, 2, 3), "fold": (1, 2)}
COLUMNS = ("experiment", "repetition", "fold", "line", "gold")
COLUMNS += ("predicted_a", "correct_a", "predicted_b", "correct_b")


def ngrams(tokens: Sequence[str], name: str) -> list[list[str]]:
    """Unigrams, bigrams and trigrams of the tokens in the window [-2, 2]."""
    places = [(n, i) for n in (1, 2, 3) for i in range(6 - n)]
    return [
        [f"{name}{n}{i - 2}={'|'.join(window[i : i + n])}" for n, i in places]
        for window in zip(*shifted(tokens))
    ]


@lru_cache(maxsize=1)
def corpus(experiment: str, lines: int | None) -> tuple[list[Any], list[tuple[str, ...]], str, str]:
    """Sentences, their labels in the coarse scheme, and the names of both schemes."""
    if experiment.startswith("cws"):
        pairs = datasets.segmentation(datasets.peoples_daily(lines), "BMES")
        sentences = [datasets.Sentence(text, labels, None) for text, labels in pairs]
        return sentences, [s.tags for s in sentences], "BMES", "BB2B3MES"
    if experiment.endswith("-es"):
        sentences = datasets.conll2002("es")["train"][:lines]
    else:
        sentences = datasets.entities(datasets.peoples_daily(lines))
    only = "ORG" if experiment.startswith("org") else None
    return sentences, [one_type(s.tags, only) for s in sentences], "IOB2", "IOBES"


@lru_cache(maxsize=1)
def all_features(experiment: str, lines: int | None) -> list[list[list[str]]]:
    """The features of every sentence; kept, since all folds need them.

    The paper's for entities, n-grams of words and parts of speech; for Chinese the segmenter's.
    """
    sentences = corpus(experiment, lines)[0]
    if not experiment.endswith("-es"):
        return [segmentation_features(s.words, "F3") for s in sentences]
    both = ((ngrams(s.words, "w"), ngrams(s.pos, "t")) for s in sentences)
    return [[a + b for a, b in zip(words, pos)] for words, pos in both]


def one_type(labels: Sequence[str], only: str | None) -> tuple[str, ...]:
    """IOB2 labels without their types (only=None), or of one type alone."""
    spans = [
        (start, end, "NE")
        for start, end, label in to_spans(labels, "IOB2")
        if only in (None, label)
    ]
    return from_spans(spans, len(labels), "IOB2")


def predicted(model: Any, features: Any, labels: Any, train: Any, valid: Any) -> list[list[str]]:
    """Labels of the sentences `valid`, from what a model learns from the sentences `train`."""
    model.fit([features[line] for line in train], [list(labels[line]) for line in train])
    return model.predict([features[line] for line in valid])


def fold_of(task: Task, sentences: Sequence[Any], balance: Any) -> tuple[np.ndarray, np.ndarray]:
    """Training and test lines. All tasks must see the same blocks: their seed is a parameter."""
    splitter = bcv.BlockedCV(3, rng=task["split_seed"], balance=balance)
    return list(splitter.split(sentences))[2 * (task["repetition"] - 1) + task["fold"] - 1]


def compare_tag_sets(task: Task, seed: Seed) -> Rows:
    """Train both tag sets on one half, tag the other, count spans in each line.

    Both learners are deterministic, so `seed` is not used.
    """
    sentences, coarse, *schemes = corpus(task["experiment"], task["lines"])
    features = all_features(task["experiment"], task["lines"])
    train, valid = fold_of(task, sentences, bcv.count_units(coarse))
    columns = {"line": valid}
    for model, scheme in zip("ab", schemes):
        labels = [convert(line, schemes[0], scheme) for line in coarse]
        if task["learner"] == "crf":
            learner = CRF(max_iterations=task["max_iterations"])
        else:
            learner = Tagger("perceptron", passes=task["passes"], rng=0)
        found = predicted(learner, features, labels, train, valid)
        counts = count_spans([labels[line] for line in valid], found, scheme)
        columns |= {"gold": counts.tp + counts.fn} if model == "a" else {}
        columns |= {f"predicted_{model}": counts.tp + counts.fp, f"correct_{model}": counts.tp}
    table = pd.DataFrame(columns)
    if task["rows"] == "totals":
        table = table.sum().to_frame().T.assign(line=-1)
    else:
        # A line without anything to find, in which neither found anything, counts for nothing.
        table = table[table.drop(columns="line").any(axis=1)]
    known = {name: task[name] for name in COLUMNS[:3]}
    return [{**known, **row} for row in table.to_dict("records")]


def one_deal(task: Task, seed: Seed) -> Rows:
    """The same, with the seed of the split in every row."""
    return [{"split_seed": task["split_seed"], **row} for row in compare_tag_sets(task, seed)]


def _tasks(
    experiments: Sequence[str], lines: int | None, learner: Task, rows: str, splits: Any = (2019,)
) -> list[Task]:
    """Six folds of each experiment and each way of dealing the blocks."""
    common = {"experiment": experiments, "lines": [lines], "rows": [rows], "split_seed": splits}
    return [{**task, **learner} for task in grid(**common, **FOLDS)()]


def three_deals() -> list[Task]:
    """4,000 lines in three ways of dealing the blocks; ``cws-2019`` has those of `bcv-cws`."""
    kinds = ((2019, "lines"), (2020, "totals"), (2021, "totals"))
    return [t for s, rows in kinds for t in _tasks([f"cws-{s}"], 4000, PERCEPTRON, rows, [s])]


CRF_100 = {"learner": "crf", "max_iterations": 100}
PERCEPTRON = {"learner": "perceptron", "passes": 5}
CHINESE, SPANISH = ("ner-zh", "org-zh"), ("ner-es", "org-es")  # all entities, organisations only


# A segmenter to begin with


def train_and_count(task: Task, seed: Seed) -> Rows:
    """Train a CRF on one half, segment the other, count words. L-BFGS draws no random numbers."""
    sentences, labels, scheme, _ = corpus("cws", task["lines"])
    features = [segmentation_features(s.words, task["template"]) for s in sentences]
    train, valid = fold_of(task, sentences, None)
    found = predicted(CRF(max_iterations=task["max_iterations"]), features, labels, train, valid)
    row = {name: task[name] for name in FOLDS}
    row |= {"train_lines": len(train), "valid_lines": len(valid)}
    return [row | totals(count_spans([labels[line] for line in valid], found, scheme))]


# Two taggers that learned from other text


def two_texts(task: Task, seed: Seed) -> Rows:
    """One learner, trained on two pieces of the corpus, tested on what neither has seen.

    Such taggers share less of their mistakes than two tag sets trained on the same sentences.
    """
    experiment, each = task["experiment"], task["train"]
    sentences, labels, scheme, _ = corpus(experiment, task["lines"])
    features = all_features(experiment, task["lines"])
    last = len(sentences)
    tested = np.arange(each, last - each)
    columns = {"line": tested}
    for model, train in (("a", range(each)), ("b", range(last - each, last))):
        learner = Tagger("perceptron", passes=task["passes"], rng=0)
        found = predicted(learner, features, labels, train, tested)
        counts = count_spans([labels[line] for line in tested], found, scheme)
        columns |= {"gold": counts.tp + counts.fn} if model == "a" else {}
        columns |= {f"predicted_{model}": counts.tp + counts.fp, f"correct_{model}": counts.tp}
    table = pd.DataFrame(columns)
    table = table[table.drop(columns="line").any(axis=1)]
    known = {"experiment": experiment, "repetition": 1, "fold": 1}
    return [{**known, **row} for row in table.to_dict("records")]


# Small corpora

EXPERIMENTS = {"segmentation": "cws", "entities": "ner-zh"}


def small_corpora() -> list[Task]:
    """One task per small corpus: 40 of 120 lines to segment, 40 of 200 to find entities in."""
    common = {"held_out": 1000, "max_iterations": 60, "deal_seed": 1998}
    return [
        {"task": task, "corpus": number, "lines": lines, **common}
        for task, lines in (("segmentation", 120), ("entities", 200))
        for number in range(40)
    ]


@lru_cache(maxsize=2)
def held_out(task: str, lines: int, deal_seed: int) -> tuple[np.ndarray, dict[int, Any]]:
    """All lines in random order, and the features of the first, on which no model is trained."""
    sentences = corpus(EXPERIMENTS[task], None)[0]
    order = np.random.default_rng(deal_seed).permutation(len(sentences))
    return order, {i: segmentation_features(sentences[i].words, "F2") for i in order[:lines]}


def one_corpus(task: Task, seed: Seed) -> Rows:
    """The 3×2 BCV of one small corpus, and what each of its models does on held-out text."""
    sentences, labels, scheme, _ = corpus(EXPERIMENTS[task["task"]], None)
    order, far = held_out(task["task"], task["held_out"], task["deal_seed"])
    start = task["held_out"] + task["corpus"] * task["lines"]
    own = order[start : start + task["lines"]]
    features = far | {i: segmentation_features(sentences[i].words, "F2") for i in own}
    units = bcv.count_units([labels[i] for i in own])
    rows = []
    for i, (train, valid) in enumerate(bcv.BlockedCV(3, rng=seed, balance=units).split(own)):
        tested, n = [*own[valid], *far], len(valid)
        model = CRF(max_iterations=task["max_iterations"])
        found = predicted(model, features, labels, own[train], tested)
        gold = [labels[line] for line in tested]
        row = {"task": task["task"], "corpus": task["corpus"]}
        row |= {"repetition": i // 2 + 1, "fold": i % 2 + 1}
        row |= totals(count_spans(gold[:n], found[:n], scheme))
        unseen = totals(count_spans(gold[n:], found[n:], scheme))
        rows.append(row | {f"held_{name}": count for name, count in unseen.items()})
    return rows


def _study(name: str, tasks: Any, run: Any, seed: int, title: str, columns: Any = None) -> Study:
    source = "conll2002" if name.startswith("ner-es") else "peoples_daily"
    return Study(f"bcv-{name}", tasks, run, seed, (source,), title, columns)


def _tags(name: str, seed: int, title: str, tasks: Any) -> Study:
    schemes = "BMES against BB2B3MES" if name.startswith("cws") else "IOB2 against IOBES"
    return _study(name, tasks, compare_tag_sets, seed, f"{schemes}: {title}", COLUMNS)


STUDIES = [
    _tags(
        "cws",
        1,
        "CRF segmenters on 4,000 lines of the People's Daily",
        partial(_tasks, ["cws"], 4000, CRF_100, "lines"),
    ),
    _tags(
        "cws-all",
        2,
        "averaged perceptron on the whole People's Daily",
        partial(_tasks, ["cws-all"], None, PERCEPTRON, "totals"),
    ),
    _tags(
        "cws-perceptron", 8, "averaged perceptron on 4,000 lines, dealt in three ways", three_deals
    ),
    _tags(
        "ner-es",
        3,
        "CRF on CoNLL-2002 Spanish, all entities and organisations",
        partial(_tasks, SPANISH, 3000, CRF_100, "lines"),
    ),
    _tags(
        "ner-zh",
        4,
        "CRF on the People's Daily, all entities and organisations",
        partial(_tasks, CHINESE, 2000, CRF_100, "lines"),
    ),
    _tags(
        "ner-es-perceptron",
        6,
        "averaged perceptron on CoNLL-2002 Spanish, 4,000 sentences",
        partial(_tasks, SPANISH, 4000, PERCEPTRON, "lines"),
    ),
    _tags(
        "ner-zh-perceptron",
        7,
        "averaged perceptron on the People's Daily, 3,000 lines",
        partial(_tasks, CHINESE, 3000, PERCEPTRON, "lines"),
    ),
    _study(
        "deals",
        partial(_tasks, CHINESE, 2000, PERCEPTRON, "totals", range(10)),
        one_deal,
        8,
        "Ten 3×2 BCVs of the same 2,000 lines of the People's Daily, averaged perceptron",
        ("split_seed", *COLUMNS),
    ),
    _study(
        "crf-small",
        grid(
            lines=[400],
            split_seed=[1998],
            **FOLDS,
            scheme=["BMES"],
            template=["F3"],
            max_iterations=[50],
        ),
        train_and_count,
        1998,
        "3×2 blocked cross-validation of a CRF segmenter, 400 lines of the People's Daily",
    ),
    Study(
        "bcv-two-texts",
        grid(experiment=["cws", "ner-es"], lines=[4000], train=[500], passes=[5]),
        two_texts,
        9,
        ("peoples_daily", "conll2002"),
        "A perceptron trained on two pieces of a corpus, tested on the lines between them",
        COLUMNS,
    ),
    _study(
        "subcorpora",
        small_corpora,
        one_corpus,
        5,
        "3×2 BCV on 80 small corpora of the People's Daily, and the same models on held-out text",
    ),
]
