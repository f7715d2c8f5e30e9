"""The tagger beside CRFsuite: the same feature strings, ten passes, one thread.

CoNLL-2000 (noun phrases) needs the downloaded corpus and is left out where it is missing;
the People's Daily is always there. CRFsuite's `train` also writes its model to a file, which
takes a small part of its time.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pycrfsuite
from benchmarks.run import Row, Value

from betterthan import datasets, taggers
from betterthan.counts import count_spans

PASSES = 10
LBFGS_ITERATIONS = 60
LINES, TEST_LINES = 3000, 500


class Corpus(NamedTuple):
    """Feature strings and labels, to learn from and to test on."""

    X: list
    y: list
    X_test: list
    y_test: list
    scheme: str

    def f1(self, predicted: list) -> float:
        return count_spans(self.y_test, predicted, self.scheme).f1


@functools.lru_cache(maxsize=1)
def noun_phrases() -> Corpus:
    parts = []
    for part in ("train", "test"):
        sentences = datasets.conll2000()[part]
        parts.append([taggers.chunk_features(s.words, s.pos) for s in sentences])
        parts.append([[t if t.endswith("-NP") else "O" for t in s.tags] for s in sentences])
    return Corpus(*parts, "IOB2")


@functools.lru_cache(maxsize=1)
def segmentation() -> Corpus:
    pairs = datasets.segmentation(datasets.peoples_daily(LINES + TEST_LINES))
    X = [taggers.segmentation_features(characters) for characters, _ in pairs]
    y = [list(labels) for _, labels in pairs]
    return Corpus(X[:LINES], y[:LINES], X[LINES:], y[LINES:], "BMES")


class Model:
    """A trained model, ours or CRFsuite's, that can tag."""

    def __init__(self, tag: Any, corpus: Corpus) -> None:
        self.tag = tag
        self.corpus = corpus

    @functools.cached_property
    def f1(self) -> float:
        return self.corpus.f1(self.tag(self.corpus.X_test))


def ours(corpus: Corpus, algorithm: str) -> Model:
    """Index, train."""
    return Model(taggers.Tagger(algorithm, passes=PASSES).fit(corpus.X, corpus.y).predict, corpus)


def trainer(corpus: Corpus, algorithm: str) -> Any:
    iterations = LBFGS_ITERATIONS if algorithm == "lbfgs" else PASSES
    made = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    made.set_params({"max_iterations": iterations})
    for sentence, labels in zip(corpus.X, corpus.y):
        made.append(sentence, labels)
    return made


def crfsuite(corpus: Corpus, algorithm: str, made: Any = None) -> Model:
    """Append, train (which saves); or only train what was appended before."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        (made or trainer(corpus, algorithm)).train(str(path))
        model = path.read_bytes()
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)

    def tag(X: list, keep: bytes = model) -> list:  # CRFsuite reads the bytes while it tags
        return [tagger.tag(sentence) for sentence in X]

    return Model(tag, corpus)


def as_good(ours: Model, peer: Model) -> tuple[bool, str]:
    """Our F1 may be at most 0.002 lower."""
    return ours.f1 >= peer.f1 - 0.002, f"F1 {ours.f1:.4f} / {peer.f1:.4f}"


def only_training(load: Any) -> Row:
    def setup() -> tuple:
        corpus = load()
        return corpus, taggers.encode(corpus.X, corpus.y), trainer(corpus, "arow")

    def train(prepared: tuple) -> Model:
        corpus, encoded, _ = prepared
        return Model(taggers.Tagger("arow", passes=PASSES).fit(encoded).predict, corpus)

    return Row(
        f"{load.__name__}: train AROW, indexed before",
        ours=train,
        peer=lambda prepared: crfsuite(prepared[0], "arow", prepared[-1]),
        peer_name="CRFsuite AROW",
        agree=as_good,
        target=12,
        setup=setup,
    )


def whole_way(load: Any, algorithm: str, peer: str, target: float | None) -> Row:
    return Row(
        f"{load.__name__}: index, train {algorithm}",
        ours=lambda corpus: ours(corpus, algorithm),
        peer=lambda corpus: crfsuite(corpus, peer),
        peer_name=f"CRFsuite {peer}" + (f", {LBFGS_ITERATIONS} it." if peer == "lbfgs" else ""),
        agree=as_good,
        target=target,
        setup=load,
        repeat=1 if peer == "lbfgs" else 2,
        memory=peer == "arow",
        memory_target=1.3 if peer == "arow" else None,
    )


def tagging(load: Any) -> Row:
    def setup() -> tuple:
        corpus = load()
        return ours(corpus, "arow"), crfsuite(corpus, "arow"), corpus

    return Row(
        f"{load.__name__}: tag the test part, from strings",
        ours=lambda prepared: prepared[0].tag(prepared[2].X_test),
        peer=lambda prepared: prepared[1].tag(prepared[2].X_test),
        peer_name="CRFsuite",
        agree=lambda a, b: f"{sum(x == z for x, z in zip(a, b)) / len(a):.0%} of sentences alike",
        target=2,
        setup=setup,
    )


def confidence(load: Any) -> Iterator[Row]:
    """No library draws or takes the K best; CRF marginals are the nearest thing."""

    @functools.lru_cache(maxsize=1)
    def setup() -> tuple:
        corpus = load()
        tagger = taggers.Tagger("cw", passes=PASSES).fit(corpus.X, corpus.y)
        return tagger, taggers.CRF(max_iterations=10).fit(corpus.X, corpus.y), corpus.X_test

    yield Row(
        f"{load.__name__}: 50 draws (KD-PC) of the test part",
        ours=lambda prepared: prepared[0].confidence(prepared[2]),
        peer=lambda prepared: prepared[1].confidence(prepared[2]),
        peer_name="CRFsuite marginals",
        agree=lambda a, b: "two kinds of confidence",
        setup=setup,
    )
    yield Row(
        f"{load.__name__}: 30 best labellings of the test part",
        ours=lambda prepared: prepared[0].confidence(prepared[2], "kbv"),
        setup=setup,
    )
    yield Row(
        f"{load.__name__}: max-marginals (Delta) of the test part",
        ours=lambda prepared: prepared[0].confidence(prepared[2], "delta"),
        setup=setup,
    )


def child(code: str, cache: str | None = None) -> float:
    """Seconds that a fresh process measures."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    timed = f"import time; began = time.perf_counter(); {code}; print(time.perf_counter() - began)"
    command = [sys.executable, "-c", timed]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


FIRST = (
    "from betterthan.taggers import Tagger; "
    "Tagger(passes=1).fit([[['a'], ['b']]], [['A', 'B']]).predict([[['a']]])"
)


@functools.lru_cache(maxsize=1)
def first_calls() -> tuple[float, float]:
    """Import, fit and predict in a new process: without and with the compiled code cached."""
    with tempfile.TemporaryDirectory() as cache:
        return child(FIRST, cache), child(FIRST, cache)


def rows() -> Iterator[Row | Value]:
    yield Value("import betterthan.taggers", lambda: child("import betterthan.taggers"), "s", 1.0)
    yield Value("import, fit, predict: compiled first", lambda: first_calls()[0], "s")
    yield Value("import, fit, predict: compiled before", lambda: first_calls()[1], "s")
    for load in (noun_phrases, segmentation):
        if load is noun_phrases and not available():
            continue
        yield only_training(load)
        yield whole_way(load, "arow", "arow", 6)
        yield Row(
            f"{load.__name__}: index, train cw",
            functools.partial(ours, algorithm="cw"),
            setup=load,
        )
        yield whole_way(load, "perceptron", "ap", None)
        yield tagging(load)
        yield from confidence(load)
        yield whole_way(load, "pa", "lbfgs", None)


def available() -> bool:
    """Whether CoNLL-2000 was downloaded: a benchmark should not start a download."""
    return (datasets.cache_folder() / "conll2000.zip").is_file()
