"""What do the correlations of a 3×2 BCV come to on real text, and do the intervals hold?

The People's Daily is dealt at random into many small corpora and one held-out part. Each small
corpus gets its own 3×2 BCV, as if it were all we had; each of its six models also tags the
held-out part, which stands for unlimited text.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from betterthan import bcv, datasets
from betterthan.counts import count_spans
from betterthan.taggers import segmentation_features
from studies import Study
from studies._crf import crf
from studies.bcv_tags import one_type

REPETITIONS = 3
HELD_OUT = 1000
SUBCORPORA = 40
MAX_ITERATIONS = 60
SIZES = {"segmentation": 120, "entities": 200}
SCHEMES = {"segmentation": "BMES", "entities": "IOB2"}


def tasks() -> list[dict[str, Any]]:
    """One task per small corpus: 40 of 120 lines to segment, 40 of 200 to find entities in."""
    return [
        {
            "task": task,
            "corpus": number,
            "lines": lines,
            "held_out": HELD_OUT,
            "max_iterations": MAX_ITERATIONS,
            "deal_seed": 1998,
        }
        for task, lines in SIZES.items()
        for number in range(SUBCORPORA)
    ]


@lru_cache(maxsize=2)
def labelled(task: str) -> list[datasets.Sentence]:
    """The corpus as characters with labels."""
    sentences = datasets.peoples_daily()
    if task == "segmentation":
        pairs = datasets.segmentation(sentences, SCHEMES[task])
        return [datasets.Sentence(text, labels, None) for text, labels in pairs]
    return [
        datasets.Sentence(s.words, one_type(s.tags, None), None)
        for s in datasets.entities(sentences)
    ]


def features(sentence: datasets.Sentence) -> Any:
    """The features of a sentence, in the form CRFsuite reads fastest."""
    import pycrfsuite

    return pycrfsuite.ItemSequence(segmentation_features(sentence.words, "F2"))


@lru_cache(maxsize=2)
def held_out(task: str, lines: int, deal_seed: int) -> tuple[list[Any], list[tuple[str, ...]]]:
    """Features and labels of the part no model is trained on."""
    corpus = labelled(task)
    chosen = np.random.default_rng(deal_seed).permutation(len(corpus))[:lines]
    return [features(corpus[i]) for i in chosen], [corpus[i].tags for i in chosen]


def one_corpus(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The 3×2 BCV of one small corpus, and what each of its models does on held-out text."""
    corpus, scheme = labelled(task["task"]), SCHEMES[task["task"]]
    order = np.random.default_rng(task["deal_seed"]).permutation(len(corpus))
    start = task["held_out"] + task["corpus"] * task["lines"]
    own = [corpus[i] for i in order[start : start + task["lines"]]]
    labels = [s.tags for s in own]
    extracted = [features(s) for s in own]
    far_features, far_labels = held_out(task["task"], task["held_out"], task["deal_seed"])
    splitter = bcv.BlockedCV(REPETITIONS, rng=seed, balance=bcv.count_units(labels))
    rows = []
    for i, (train, valid) in enumerate(splitter.split(own)):
        predicted = crf(
            [(extracted[line], labels[line]) for line in train],
            [*(extracted[line] for line in valid), *far_features],
            task["max_iterations"],
        )
        near, far = predicted[: len(valid)], predicted[len(valid) :]
        row: dict[str, Any] = {
            "task": task["task"],
            "corpus": task["corpus"],
            "repetition": i // 2 + 1,
            "fold": i % 2 + 1,
        }
        for prefix, gold, predicted in (
            ("", [labels[line] for line in valid], near),
            ("held_", far_labels, far),
        ):
            counts = count_spans(gold, predicted, scheme)
            correct = int(counts.tp.sum())
            row[f"{prefix}gold"] = correct + int(counts.fn.sum())
            row[f"{prefix}predicted"] = correct + int(counts.fp.sum())
            row[f"{prefix}correct"] = correct
        rows.append(row)
    return rows


STUDIES = [
    Study(
        "bcv-subcorpora",
        tasks,
        one_corpus,
        seed=5,
        datasets=("peoples_daily",),
        title="3×2 BCV on 80 small corpora of the People's Daily, and the same models on held-out "
        "text",
        columns=(
            "task",
            "corpus",
            "repetition",
            "fold",
            "gold",
            "predicted",
            "correct",
            "held_gold",
            "held_predicted",
            "held_correct",
        ),
    )
]
