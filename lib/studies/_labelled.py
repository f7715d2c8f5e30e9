"""The fifteen datasets with spans that chapters 3 and 7 compare taggers on.

Official splits where there are some; elsewhere the first two thirds of the file train and the last
third tests, in file order, so that an article or thread is not cut into both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from betterthan import datasets
from betterthan.counts import Counts, count_spans
from betterthan.taggers import CRF, Tagger, chunk_features, ner_features, segmentation_features
from studies._study import Rows

CORPORA = ("conll2000", "conll2002", "wnut2017", "btc", "wikigold", "anem", "gum", "peoples_daily")
# The People's Daily has 19,484 lines; as many as these keep a study within minutes.
PEOPLES_DAILY = (6000, 3000)
DATASETS = ("CoNLL-2000", "CoNLL-2002 es", "CoNLL-2002 nl", "WNUT-2017")
DATASETS += tuple(f"BTC {segment}" for segment in "abefgh")
DATASETS += ("wikigold", "AnEM", "GUM", "People's Daily names", "People's Daily words")
COUNTS = ("tp", "fp", "fn")

Labelled = list[datasets.Sentence]


def split(dataset: str) -> tuple[Labelled, Labelled]:
    """Training and test sentences of a dataset: tokens, labels, part-of-speech tags."""
    if dataset.startswith("People's Daily"):
        train, test = PEOPLES_DAILY
        sentences = _without_empty(datasets.peoples_daily())[: train + test]
        if dataset.endswith("words"):
            labelled = [datasets.Sentence(*s, None) for s in datasets.segmentation(sentences)]
        else:
            labelled = _without_empty(datasets.entities(sentences))
        return labelled[:train], labelled[train:]
    if dataset == "wikigold" or dataset.startswith("BTC"):
        whole = datasets.wikigold() if dataset == "wikigold" else datasets.btc()[dataset[-1]]
        whole = _without_empty(whole)
        cut = round(len(whole) * 2 / 3)
        return whole[:cut], whole[cut:]
    if dataset.startswith("CoNLL-2002"):
        parts = datasets.conll2002(dataset[-2:])
        return _without_empty(parts["train"]), _without_empty(parts["testb"])
    parts = getattr(datasets, dataset.lower().replace("-", ""))()
    return _without_empty(parts["train"]), _without_empty(parts["test"])


def _without_empty(sentences: Labelled) -> Labelled:
    return [s for s in sentences if s.words]


def features(dataset: str, sentences: Labelled) -> list[list[list[str]]]:
    """Feature strings of every token, by the task of the dataset."""
    if dataset.startswith("People's Daily"):
        return [segmentation_features(s.words) for s in sentences]
    extract = chunk_features if dataset == "CoNLL-2000" else ner_features
    return [extract(s.words, s.pos) for s in sentences]


def compared(dataset: str, taggers: Mapping[str, CRF | Tagger], most: int | None = None) -> Rows:
    """Train each tagger, count the spans it finds, invents and misses in each test sentence.

    `most` limits the training sentences. Test sentences with the same counts share a row.
    """
    train, test = split(dataset)
    known, unseen = features(dataset, train[:most]), features(dataset, test)
    labels, gold = ([list(s.tags) for s in part] for part in (train[:most], test))
    scheme = "BMES" if dataset.endswith("words") else "IOB2"
    counts = {
        name: count_spans(gold, tagger.fit(known, labels).predict(unseen), scheme)
        for name, tagger in taggers.items()
    }
    return [{"dataset": dataset, "trained_on": len(known), **row} for row in grouped(counts)]


def totals(counts: Counts) -> dict[str, int]:
    """How many spans there are in all sentences together, how many were found, how many rightly."""
    tp, fp, fn = (int(getattr(counts, name).sum()) for name in COUNTS)
    return {"gold": tp + fn, "predicted": tp + fp, "correct": tp}


def grouped(counts: Mapping[str, Counts]) -> Rows:
    """Counts of each system on the same sentences: a row per combination, and how many have it."""
    names = [f"{count}_{system}" for system in counts for count in COUNTS]
    columns = [getattr(system, count).tolist() for system in counts.values() for count in COUNTS]
    rows = sorted(Counter(zip(*columns)).items())
    return [{**dict(zip(names, row)), "sentences": n} for row, n in rows]
