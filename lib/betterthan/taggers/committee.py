"""A committee of weak taggers that grades words (Qian, Qiu and Huang 2016, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from betterthan import _checks
from betterthan.counts import labels_to_words, to_spans, words_to_labels
from betterthan.errors import InputError
from betterthan.taggers._encoding import encode
from betterthan.taggers._tagger import Tagger
from betterthan.taggers.features import chunk_features, ner_features, segmentation_features

_TEMPLATES: dict[str, dict[str, Callable[..., list[list[str]]]]] = {
    "segmentation": {
        name: partial(segmentation_features, template=name) for name in ("F1", "F2", "F3")
    },
    "spans": {"words": chunk_features, "spelling": ner_features},
}


class Member(NamedTuple):
    """What one member of a committee learns, and from what."""

    template: str
    """Its features."""
    sample: float
    """The share of the training sentences that it sees."""
    rows: np.ndarray
    """Which sentences these are."""
    rng: int
    """Its own seed."""


class Committee:
    """K weak taggers, each with a random template and a random sample of the training data.

    Parameters
    ----------
    size : int
        How many members. The first k members of a larger committee are the committee of k.
    task : {"segmentation", "spans"}
        Whether sentences are lists of words to be found in unsegmented text, or tokens with
        IOB2 labels.
    templates : sequence of str, optional
        What members draw their features from. Segmentation: "F1", "F2", "F3" (the paper's
        Table 1). Spans: "words" (a window of words), "spelling" (the same and the spelling).
    samples : sequence of float
        What members draw their share of the training sentences from.
    algorithm, passes
        Of :class:`Tagger`.
    rng : int or SeedSequence
        Every member draws from its own child of this seed.

    Attributes
    ----------
    members_ : DataFrame
        Template, share and number of sentences of each member.

    Raises
    ------
    ValueError
        A size below 1, a template or an algorithm that does not exist, a share outside (0, 1].

    Examples
    --------
    >>> train = [["他", "喜欢", "白", "纸"], ["物质", "是", "白", "的"], ["我们", "喜欢", "物质"]]
    >>> committee = Committee(size=5, samples=(0.4, 0.7), rng=1).fit(train)
    >>> [d.round(1).tolist() for d in committee.difficulty([["我们", "喜欢", "白", "物质"]])]
    [[0.8, 0.2, 0.0, 0.6]]
    """

    def __init__(
        self,
        size: int = 100,
        *,
        task: str = "segmentation",
        templates: Sequence[str] | None = None,
        samples: Sequence[float] = (0.1, 0.2, 0.3),
        algorithm: str = "arow",
        passes: int = 5,
        rng: int | np.random.SeedSequence = 0,
    ) -> None:
        self.size = _checks.whole("size", size)
        self.task = _checks.choice("task", task, tuple(_TEMPLATES))
        self.templates = tuple(_TEMPLATES[task] if templates is None else templates)
        for template in self.templates:
            _checks.choice("templates", template, tuple(_TEMPLATES[task]))
        self.samples = tuple(_checks.real("samples", s, 0, 1, closed="high") for s in samples)
        if not self.templates or not self.samples:
            raise InputError("templates, samples", expected="at least one of each, got none")
        Tagger(algorithm, passes)  # refuses what it does not know, before hours of work
        self.algorithm, self.passes = algorithm, passes
        self._seed = _checks.seed_sequence(rng, "rng")
        self._taggers: list[Tagger] | None = None

    def draw(self, available: int) -> list[Member]:
        """What each member would learn from, out of so many training sentences.

        Examples
        --------
        >>> Committee(size=1, rng=1).draw(20)
        [Member(template='F1', sample=0.3, rows=array([ 2,  6, 10, 11, 12, 14]), rng=324269057)]
        """
        available = _checks.whole("available", available)
        members = []
        for seed in _checks.seed_sequence(self._seed).spawn(self.size):
            rng = np.random.default_rng(seed)
            template = self.templates[rng.integers(len(self.templates))]
            share = self.samples[rng.integers(len(self.samples))]
            count = max(1, round(share * available))
            rows = np.sort(rng.choice(available, count, replace=False))
            members.append(Member(template, share, rows, int(rng.integers(2**31))))
        return members

    def fit(self, sentences: Any) -> Committee:
        """Train the members.

        Parameters
        ----------
        sentences
            Segmentation: lists of words. Spans: (tokens, IOB2 labels) pairs, for example
            `datasets.Sentence`.

        Raises
        ------
        ValueError
            For no sentences, an empty sentence or word, or tokens and labels of different number.
        """
        import pandas as pd

        texts, labels = self._labelled(sentences)
        plan = self.draw(len(texts))
        # Feature strings are numbered once per template; a member's data are some rows of them.
        self._encoded = {
            template: encode(self._features(template, texts), labels)
            for template in sorted({member.template for member in plan})
        }
        self._taggers = [
            Tagger(self.algorithm, self.passes, rng=member.rng)
            .fit(self._encoded[member.template][member.rows])
            .compact()
            for member in plan
        ]
        # What is still needed is the vocabulary: no sentence is.
        self._encoded = {template: data[:0] for template, data in self._encoded.items()}
        self.members_ = pd.DataFrame(
            [(member.template, member.sample, member.rows.size) for member in plan],
            columns=["template", "sample", "sentences"],
        )
        return self

    def predict(self, sentences: Any) -> list[list[Any]]:
        """What each member makes of each sentence: `predict(…)[k][s]`, words or spans.

        Segmentation takes lists of words too, and looks only at their characters.
        """
        self._fitted()
        if self.task == "spans":
            texts, _ = self._labelled(sentences)
            return [[to_spans(p) for p in labels] for labels in self._predict(texts)]
        texts = ["".join(words) for words in _words(sentences)]
        return [
            [list(labels_to_words(text, path)) for text, path in zip(texts, labels)]
            for labels in self._predict(texts)
        ]

    def marks(self, sentences: Any) -> np.ndarray:
        """The table of marks: one row per member, one column per gold word (or span), 1 is right.

        `sentences` are as in :meth:`fit`; their words, or labels, are the gold standard.
        """
        self._fitted()
        if self.task == "spans":
            gold = self._gold_spans(sentences)
            found = [
                [span in mine for mine, spans in zip(map(set, member), gold) for span in spans]
                for member in self.predict(sentences)
            ]
            return np.array(found, np.int8)
        words = _words(sentences)
        end = np.cumsum([len(word) for word in chain.from_iterable(words)])
        start = np.r_[0, end[:-1]]
        rows = []
        for labels in self._predict(["".join(s) for s in words]):
            begins = np.append(_begins(labels), True)
            upto = np.cumsum(begins)
            rows.append(begins[start] & begins[end] & (upto[end - 1] == upto[start]))
        return np.stack(rows).astype(np.int8)

    def difficulty(self, sentences: Any) -> list[np.ndarray]:
        """How hard each word (or span) of the gold standard `sentences` is, Eq. (5).

        One array per sentence: the share of the members that get the word wrong.

        Raises
        ------
        ValueError
            Before `fit`, or for sentences that `fit` would refuse.
        """
        wrong = 1.0 - self.marks(sentences).mean(axis=0)
        items = self._gold_spans(sentences) if self.task == "spans" else _words(sentences)
        return np.split(wrong, np.cumsum(list(map(len, items)))[:-1])

    def _predict(self, texts: list[Sequence[str]]) -> Iterator[list[list[str]]]:
        """The labels that each member gives; the features are made once per template."""
        read = {
            template: data.encode(self._features(template, texts))
            for template, data in self._encoded.items()
        }
        for template, tagger in zip(self.members_["template"], self._fitted()):
            yield tagger.predict(read[template])

    def _features(self, template: str, texts: list[Sequence[str]]) -> Iterator[list[list[str]]]:
        return map(_TEMPLATES[self.task][template], texts)

    def _labelled(self, sentences: Any) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
        if self.task == "segmentation":
            words = _words(sentences)
            return ["".join(s) for s in words], [words_to_labels(s) for s in words]
        for s, sentence in enumerate(sentences):
            tokens, labels, *_ = [*list(sentence), "", ""]
            if isinstance(tokens, str) or len(labels) != len(tokens):
                raise InputError(
                    f"sentences[{s}]",
                    expected=f"one label per token, {len(tokens)}, as a pair of "
                    f"tokens and IOB2 labels, got {sentence!r:.60}",
                )
        if not len(sentences):
            raise InputError("sentences", expected="at least one sentence, got none")
        return [sentence[0] for sentence in sentences], [sentence[1] for sentence in sentences]

    def _gold_spans(self, sentences: Any) -> list[list[Any]]:
        return [to_spans(labels) for labels in self._labelled(sentences)[1]]

    def _fitted(self) -> list[Tagger]:
        if self._taggers is None:
            problem = "this Committee has not learned anything yet: call fit first"
            raise InputError(problem=problem)
        return self._taggers


def _begins(labels: list[list[str]]) -> np.ndarray:
    """Where words begin: a mask over the characters of all sentences.

    Labels that break the rules of BMES are read by the rule of `betterthan.counts`: a word
    begins at B or S, after E or S, and with its sentence.
    """
    label = np.frombuffer("".join(chain.from_iterable(labels)).encode(), "S1")
    closes = (label == b"E") | (label == b"S")
    begins = (label == b"B") | (label == b"S")
    begins[1:] |= closes[:-1]
    begins[np.cumsum([0, *map(len, labels[:-1])])] = True
    return begins


def _words(sentences: Any) -> list[Sequence[str]]:
    found = []
    for s, sentence in enumerate(sentences):
        words = getattr(sentence, "words", sentence)
        if isinstance(words, str):
            raise InputError(f"sentences[{s}]", words, expected="a list of words")
        if not len(words):
            expected = "at least one word, got an empty sentence"
            raise InputError(f"sentences[{s}]", expected=expected)
        for i, word in enumerate(words):
            if not isinstance(word, str) or not word:
                raise InputError(f"sentences[{s}][{i}]", word, expected="a word")
        found.append(words)
    if not found:
        raise InputError("sentences", expected="at least one sentence, got none")
    return found
