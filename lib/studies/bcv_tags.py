"""Do finer tag sets help? The three comparisons of Wang and Li (2019), on other real corpora.

A is the coarse tag set (BMES, IOB2), B the fine one (BB2B3MES, IOBES). Both are trained and
tested on the same halves of a 3×2 BCV whose blocks are balanced over the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from betterthan import bcv, datasets
from betterthan.counts import convert, count_spans, from_spans, to_spans
from betterthan.taggers import Tagger, segmentation_features
from betterthan.taggers.features import shifted
from studies import Study
from studies._crf import crf

REPETITIONS = 3
COLUMNS = (
    "experiment",
    "repetition",
    "fold",
    "line",
    "gold",
    "predicted_a",
    "correct_a",
    "predicted_b",
    "correct_b",
)

Features = Callable[[Any], list[list[str]]]


def ngrams(tokens: Sequence[str], name: str) -> list[list[str]]:
    """Unigrams, bigrams and trigrams of the tokens in the window [-2, 2]."""
    out = []
    for window in zip(*shifted(tokens)):
        features = []
        for n in (1, 2, 3):
            features += [f"{name}{n}{i - 2}={'|'.join(window[i : i + n])}" for i in range(6 - n)]
        out.append(features)
    return out


def words_and_pos(sentence: datasets.Sentence) -> list[list[str]]:
    """The paper's features for entities: word and part-of-speech n-grams."""
    words, pos = ngrams(sentence.words, "w"), ngrams(sentence.pos, "t")
    return [a + b for a, b in zip(words, pos)]


def characters(sentence: datasets.Sentence) -> list[list[str]]:
    """Character n-grams: the segmenter's features."""
    return segmentation_features(sentence.words, "F3")


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
    """The features of every sentence; kept, since all folds need them."""
    sentences = corpus(experiment, lines)[0]
    extract: Features = words_and_pos if experiment.endswith("-es") else characters
    return [extract(sentence) for sentence in sentences]


def one_type(labels: Sequence[str], only: str | None) -> tuple[str, ...]:
    """IOB2 labels without their types (only=None), or of one type alone."""
    spans = [
        (start, end, "NE")
        for start, end, label in to_spans(labels, "IOB2")
        if only is None or label == only
    ]
    return from_spans(spans, len(labels), "IOB2")


def perceptron(
    train: Sequence[tuple[list[list[str]], Sequence[str]]],
    valid: Sequence[list[list[str]]],
    passes: int,
) -> list[list[str]]:
    """Labels for `valid` by the averaged perceptron of `betterthan.taggers`."""
    tagger = Tagger("perceptron", passes=passes, rng=0)
    tagger.fit([features for features, _ in train], [list(labels) for _, labels in train])
    return tagger.predict(list(valid))


def compare_tag_sets(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Train both tag sets on one half, tag the other, count spans in each line.

    Both learners are deterministic, and all tasks must see the same blocks, so the seed of the
    split is one of the parameters and `seed` is not used.
    """
    sentences, coarse, scheme_a, scheme_b = corpus(task["experiment"], task["lines"])
    units = bcv.count_units(coarse)
    splitter = bcv.BlockedCV(REPETITIONS, rng=task["split_seed"], balance=units)
    splits = list(splitter.split(sentences))
    train, valid = splits[2 * (task["repetition"] - 1) + task["fold"] - 1]
    extracted = all_features(task["experiment"], task["lines"])
    counted = {}
    for model, scheme in (("a", scheme_a), ("b", scheme_b)):
        labels = [convert(line, scheme_a, scheme) for line in coarse]
        pairs = [(extracted[line], labels[line]) for line in train]
        held = [extracted[line] for line in valid]
        if task["learner"] == "crf":
            predicted = crf(pairs, held, task["max_iterations"])
        else:
            predicted = perceptron(pairs, held, task["passes"])
        counted[model] = count_spans([labels[line] for line in valid], predicted, scheme)
    a, b = counted["a"], counted["b"]
    rows = [
        {
            "experiment": task["experiment"],
            "repetition": task["repetition"],
            "fold": task["fold"],
            "line": int(line),
            "gold": int(a.tp[i] + a.fn[i]),
            "predicted_a": int(a.tp[i] + a.fp[i]),
            "correct_a": int(a.tp[i]),
            "predicted_b": int(b.tp[i] + b.fp[i]),
            "correct_b": int(b.tp[i]),
        }
        for i, line in enumerate(valid)
    ]
    if task["rows"] == "totals":
        numbers = COLUMNS[4:]
        total = {name: sum(row[name] for row in rows) for name in numbers}
        return [{**rows[0], "line": -1, **total}]
    # A line without anything to find, in which neither model found anything, counts for nothing.
    return [row for row in rows if row["gold"] + row["predicted_a"] + row["predicted_b"]]


def one_deal(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The same, with the seed of the split in every row."""
    return [{"split_seed": task["split_seed"], **row} for row in compare_tag_sets(task, seed)]


def _tasks(experiment: str, lines: int | None, rows: str, **learner: Any) -> list[dict[str, Any]]:
    return [
        {
            "experiment": experiment,
            "lines": lines,
            "rows": rows,
            "split_seed": 2019,
            "repetition": repetition,
            "fold": fold,
            **learner,
        }
        for repetition in range(1, REPETITIONS + 1)
        for fold in (1, 2)
    ]


def _entity_tasks(language: str, lines: int, **learner: Any) -> list[dict[str, Any]]:
    """All entities, then organisations only."""
    kinds = (f"ner-{language}", f"org-{language}")
    return [task for kind in kinds for task in _tasks(kind, lines, "lines", **learner)]


def cws_tasks() -> list[dict[str, Any]]:
    """4,000 lines, CRF."""
    return _tasks("cws", 4000, "lines", learner="crf", max_iterations=100)


def cws_all_tasks() -> list[dict[str, Any]]:
    """The whole corpus, averaged perceptron."""
    return _tasks("cws-all", None, "totals", learner="perceptron", passes=5)


def spanish_tasks() -> list[dict[str, Any]]:
    """3,000 sentences of CoNLL-2002 Spanish, CRF."""
    return _entity_tasks("es", 3000, learner="crf", max_iterations=100)


def chinese_tasks() -> list[dict[str, Any]]:
    """2,000 lines of the People's Daily, CRF."""
    return _entity_tasks("zh", 2000, learner="crf", max_iterations=100)


def spanish_perceptron_tasks() -> list[dict[str, Any]]:
    """4,000 sentences of CoNLL-2002 Spanish, averaged perceptron."""
    return _entity_tasks("es", 4000, learner="perceptron", passes=5)


def chinese_perceptron_tasks() -> list[dict[str, Any]]:
    """3,000 lines of the People's Daily, averaged perceptron."""
    return _entity_tasks("zh", 3000, learner="perceptron", passes=5)


def deals_tasks() -> list[dict[str, Any]]:
    """Ten deals of the same 2,000 lines into blocks, averaged perceptron."""
    return [
        {**task, "split_seed": split_seed}
        for kind in ("ner-zh", "org-zh")
        for split_seed in range(10)
        for task in _tasks(kind, 2000, "totals", learner="perceptron", passes=5)
    ]


STUDIES = [
    Study(
        "bcv-deals",
        deals_tasks,
        one_deal,
        seed=8,
        datasets=("peoples_daily",),
        title="Ten 3×2 BCVs of the same 2,000 lines of the People's Daily, averaged perceptron",
        columns=("split_seed", *COLUMNS),
    ),
    Study(
        "bcv-cws",
        cws_tasks,
        compare_tag_sets,
        seed=1,
        datasets=("peoples_daily",),
        title="BMES against BB2B3MES: CRF segmenters on 4,000 lines of the People's Daily",
        columns=COLUMNS,
    ),
    Study(
        "bcv-cws-all",
        cws_all_tasks,
        compare_tag_sets,
        seed=2,
        datasets=("peoples_daily",),
        title="BMES against BB2B3MES: averaged perceptron on the whole People's Daily",
        columns=COLUMNS,
    ),
    Study(
        "bcv-ner-es",
        spanish_tasks,
        compare_tag_sets,
        seed=3,
        datasets=("conll2002",),
        title="IOB2 against IOBES: CRF on CoNLL-2002 Spanish, all entities and organisations",
        columns=COLUMNS,
    ),
    Study(
        "bcv-ner-zh",
        chinese_tasks,
        compare_tag_sets,
        seed=4,
        datasets=("peoples_daily",),
        title="IOB2 against IOBES: CRF on the People's Daily, all entities and organisations",
        columns=COLUMNS,
    ),
    Study(
        "bcv-ner-es-perceptron",
        spanish_perceptron_tasks,
        compare_tag_sets,
        seed=6,
        datasets=("conll2002",),
        title="IOB2 against IOBES: averaged perceptron on CoNLL-2002 Spanish, 4,000 sentences",
        columns=COLUMNS,
    ),
    Study(
        "bcv-ner-zh-perceptron",
        chinese_perceptron_tasks,
        compare_tag_sets,
        seed=7,
        datasets=("peoples_daily",),
        title="IOB2 against IOBES: averaged perceptron on the People's Daily, 3,000 lines",
        columns=COLUMNS,
    ),
]
