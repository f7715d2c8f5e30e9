"""A committee of a hundred segmenters; marks, difficulties and scores of a million words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from benchmarks.run import Row

from betterthan import datasets, psychometrics
from betterthan.counts import labels_to_words, words_to_labels
from betterthan.taggers import Committee, segmentation_features

SENTENCES = 5000
SIZE = 100
PEER_SIZE = 5
WORDS = 1_000_000


@lru_cache(maxsize=1)
def sentences() -> list[list[str]]:
    """The first sentences of the People's Daily; the compiled loops are ready."""
    found = [list(s.words) for s in datasets.peoples_daily(SENTENCES) if s.words]
    Committee(size=2).fit(found[:20]).marks(found[:20])
    return found


def committee(corpus: list[list[str]]) -> np.ndarray:
    """Shares of the words found by each member, of a hundred."""
    return Committee(size=SIZE).fit(corpus).marks(corpus).mean(axis=1)


def crfsuite_committee(corpus: list[list[str]]) -> np.ndarray:
    """The first members, with the same templates, samples, algorithm and number of passes."""
    import pycrfsuite

    plan = Committee(size=SIZE)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        for template, _, rows, _ in plan.draw(len(corpus))[:PEER_SIZE]:
            trainer = pycrfsuite.Trainer("arow", {"max_iterations": plan.passes}, verbose=False)
            for i in rows:
                words = corpus[i]
                trainer.append(
                    segmentation_features("".join(words), template), words_to_labels(words)
                )
            trainer.train(model)
            tagger = pycrfsuite.Tagger()
            tagger.open(model)
            output = []
            for words in corpus:
                text = "".join(words)
                labels = tagger.tag(segmentation_features(text, template))
                output.append(labels_to_words(text, labels))
            tagger.close()
            found.append(np.concatenate(psychometrics.marks(corpus, output)).mean())
    return np.array(found)


def same_strength(ours: np.ndarray, peer: np.ndarray) -> tuple[bool, str]:
    """Members trained alike find about as many words."""
    a, b = ours[: peer.size].mean(), peer.mean()
    return bool(abs(a - b) < 0.02), f"words found {a:.3f} and {b:.3f}"


class Million:
    """A million gold words, a system's words, and difficulties."""

    def __init__(self) -> None:
        once = sentences()
        count = sum(map(len, once))
        self.gold = (once * (WORDS // count + 1))[: round(WORDS / count * len(once))]
        one = Committee(size=1, samples=(0.1,)).fit(once[:1000])
        predicted = one.predict(once)[0]
        self.predicted = (predicted * (WORDS // count + 1))[: len(self.gold)]
        rng = np.random.default_rng(0)
        self.difficulty = [rng.beta(0.2, 2, len(words)) for words in self.gold]


@lru_cache(maxsize=1)
def million() -> Million:
    """Made once for the rows that need it."""
    return Million()


def vectorised_marks(data: Million) -> np.ndarray:
    """Difficulty by a committee of one."""
    return np.concatenate(psychometrics.difficulty(data.gold, [data.predicted]))


def set_marks(data: Million) -> np.ndarray:
    """What one would write: a set of spans for each sentence."""
    out = []
    for gold, predicted in zip(data.gold, data.predicted):
        found = set(_spans(predicted))
        out += [span not in found for span in _spans(gold)]
    return np.array(out, float)


def vectorised_scores(data: Million) -> float:
    """Balanced F."""
    return psychometrics.balanced_scores(data.gold, data.predicted, data.difficulty).f_b


def loop_scores(data: Million) -> float:
    """Balanced F, one word at a time."""
    n = n_p = c = 0
    d_gold = d_right = d_predicted = 0.0
    for gold, predicted, d in zip(data.gold, data.predicted, data.difficulty):
        mine = _spans(predicted)
        found = set(mine)
        at = 0
        ends = []
        for span, value in zip(_spans(gold), d):
            n += 1
            d_gold += value
            ends.append(span[1])
            if span in found:
                c += 1
                d_right += value
        for _, end in mine:
            while ends[at] < end:
                at += 1
            n_p += 1
            d_predicted += d[at]

    def balanced(total: float, count: int) -> float:
        reward, punishment = d_right / total, (c - d_right) / (count - total)
        return 2 * reward * punishment / (reward + punishment)

    p, r = balanced(d_predicted, n_p), balanced(d_gold, n)
    return float(2 * p * r / (p + r))


def _spans(words: list[str]) -> list[tuple[int, int]]:
    found, at = [], 0
    for word in words:
        found.append((at, at + len(word)))
        at += len(word)
    return found


def rows() -> Iterator[Row]:
    """The rows of the table."""
    yield Row(
        f"committee of {SIZE}, {SENTENCES:,} sentences, trained and applied",
        ours=committee,
        peer=crfsuite_committee,
        peer_name="python-crfsuite",
        agree=same_strength,
        setup=sentences,
        repeat=1,
        peer_scale=SIZE / PEER_SIZE,
        target=10,
        note=f"AROW, 5 passes on both sides; peer extrapolated from {PEER_SIZE} members",
    )
    yield Row(
        "difficulty of 1e6 words by one member",
        ours=vectorised_marks,
        peer=set_marks,
        peer_name="loop over sets",
        setup=million,
        repeat=2,
    )
    yield Row(
        "ten balanced scores of 1e6 words",
        ours=vectorised_scores,
        peer=loop_scores,
        peer_name="loop",
        setup=million,
        repeat=2,
        tolerance=1e-9,
    )
