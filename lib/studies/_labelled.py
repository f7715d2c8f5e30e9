"""The fifteen datasets with spans that chapters 3 and 7 compare taggers on.

Official splits where there are some; elsewhere the first two thirds of the file train and the last
third tests, in file order, so that an article or thread is not cut into both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from betterthan import datasets
from betterthan.counts import Counts, count_spans
from betterthan.taggers import CRF, Tagger, chunk_features, ner_features, segmentation_features

CORPORA = (
    "conll2000",
    "conll2002",
    "wnut2017",
    "btc",
    "wikigold",
    "anem",
    "gum",
    "peoples_daily",
)
BTC = ("a", "b", "e", "f", "g", "h")
# The People's Daily has 19,484 lines; as many as these keep a study within minutes.
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


def features(dataset: str, sentences: Labelled) -> list[list[list[str]]]:
    """Feature strings of every token, by the task of the dataset."""
    if dataset.startswith("People's Daily"):
        return [segmentation_features(tokens) for tokens, _, _ in sentences]
    extract = chunk_features if dataset == "CoNLL-2000" else ner_features
    return [extract(tokens, pos) for tokens, _, pos in sentences]


def compared(
    dataset: str, taggers: Mapping[str, CRF | Tagger], most: int | None = None
) -> list[dict[str, Any]]:
    """Train each tagger, count the spans it finds, invents and misses in each test sentence.

    `most` limits the training sentences. Test sentences with the same counts share a row.
    """
    train, test = split(dataset)
    train = train[:most]
    known, unseen = features(dataset, train), features(dataset, test)
    labels = [list(sentence[1]) for sentence in train]
    gold = [list(sentence[1]) for sentence in test]
    scheme = "BMES" if dataset.endswith("words") else "IOB2"
    counts = {
        name: count_spans(gold, tagger.fit(known, labels).predict(unseen), scheme)
        for name, tagger in taggers.items()
    }
    return [{"dataset": dataset, "trained_on": len(train), **row} for row in grouped(counts)]


def grouped(counts: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """Counts of each system on the same sentences: a row per combination, and how many have it."""
    names = [f"{count}_{system}" for system in counts for count in COUNTS]
    columns = [getattr(system, count).tolist() for system in counts.values() for count in COUNTS]
    rows = sorted(Counter(zip(*columns)).items())
    return [{**dict(zip(names, row)), "sentences": n} for row, n in rows]
