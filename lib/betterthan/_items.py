"""Words and spans as flat arrays: what `psychometrics` matches with.

A corpus becomes one array entry per word (or span), on one line that runs through all sentences,
so that marks, difficulties and sums are array operations: a million words take about a second,
most of it spent in Python's own ``len`` and ``join``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np

_ROOM = 2**31  # places per sentence on the line that the spans of a corpus lie on


@dataclass(frozen=True)
class Items:
    """The words or spans of a corpus, flat. `start` and `end` run through the whole corpus."""

    kind: str  # "words" or "spans"
    sizes: np.ndarray  # how many in each sentence
    start: np.ndarray
    end: np.ndarray
    texts: list[str]  # words only: one string per sentence
    keys: dict[tuple[int, int, Any], None]  # spans only: (start, end, label)

    def where(self, flat: int) -> tuple[int, int]:
        """Sentence and position in it of the word number `flat`."""
        s = int(np.searchsorted(np.cumsum(self.sizes), flat, side="right"))
        return s, int(flat - self.sizes[:s].sum())

    def total(self, flat: np.ndarray) -> np.ndarray:
        """Sums per sentence of values that are one per word."""
        sentence = np.repeat(np.arange(self.sizes.size), self.sizes)
        return np.bincount(sentence, weights=flat, minlength=self.sizes.size)

    def split(self, flat: np.ndarray) -> list[np.ndarray]:
        """Values that are one per word, as one array per sentence."""
        return np.split(flat, np.cumsum(self.sizes)[:-1])


def encode(name: str, sentences: Any, kind: str | None = None) -> Items:
    """`sentences` as :class:`Items`; `kind` says what they must be."""
    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ValueError(f"{name}={sentences!r:.40}: expected a list of sentences")
    # A `datasets.Sentence` has its words under a name.
    listed = [getattr(sentence, "words", sentence) for sentence in sentences]
    for s, words in enumerate(listed):
        if not isinstance(words, list | tuple | np.ndarray):
            raise ValueError(f"{name}[{s}]={words!r:.40}: expected a list of words or of spans")
    sizes = np.fromiter(map(len, listed), np.int64, len(listed))
    first = next((words[0] for words in listed if len(words)), None)
    found = kind if first is None else "words" if isinstance(first, str) else "spans"
    if kind not in (None, found):
        raise ValueError(f"{name}: expected {kind}, as the gold standard has, but found {found}")
    return (_words if found == "words" else _spans)(name, listed, sizes)


def _words(name: str, listed: list[Sequence[Any]], sizes: np.ndarray) -> Items:
    try:
        texts = ["".join(words) for words in listed]
        lengths = np.fromiter(map(len, chain.from_iterable(listed)), np.int64, int(sizes.sum()))
    except TypeError:
        lengths = np.zeros(1)
    if not lengths.all():  # only then look for the place: a loop over words takes long
        for s, i in ((s, i) for s, words in enumerate(listed) for i in range(len(words))):
            if not isinstance(word := listed[s][i], str) or not word:
                raise ValueError(f"{name}[{s}][{i}]={word!r:.40}: expected a word")
    end = np.cumsum(lengths)
    return Items("words", sizes, end - lengths, end, texts, {})


def _spans(name: str, listed: list[Sequence[Any]], sizes: np.ndarray) -> Items:
    keys: dict[tuple[int, int, Any], None] = {}
    for s, spans in enumerate(listed):
        for i, span in enumerate(spans):
            pair = isinstance(span, tuple | list) and len(span) in (2, 3)
            start, end, *label = span if pair else (-1, -1)
            whole = isinstance(start, Integral) and isinstance(end, Integral)
            if not whole or not 0 <= start < end < _ROOM:
                expected = "(start, end, label) with 0 <= start < end"
                raise ValueError(f"{name}[{s}][{i}]={span!r:.60}: expected {expected}")
            key = (s * _ROOM + int(start), s * _ROOM + int(end), *label)
            if key in keys:
                raise ValueError(f"{name}[{s}][{i}]={span!r:.60}: expected each span once, got two")
            keys[key] = None
    start, end = (np.fromiter((key[n] for key in keys), np.int64, len(keys)) for n in (0, 1))
    return Items("spans", sizes, start, end, [], keys)


def encode_gold(sentences: Any) -> Items:
    """The gold standard as :class:`Items`: not empty, and without spans that overlap."""
    gold = encode("gold", sentences)
    if not gold.start.size:
        raise ValueError("gold: expected at least one word or span, got none")
    order = np.argsort(gold.start, kind="stable")
    for bad in np.flatnonzero(gold.start[order][1:] < gold.end[order][:-1]):
        s, i = gold.where(order[bad + 1])
        raise ValueError(f"gold[{s}][{i}]: expected spans that do not overlap, but this one does")
    return gold


def encode_other(gold: Items, name: str, sentences: Any) -> Items:
    """What a system or a member makes of the sentences of `gold`: over the same characters."""
    other = encode(name, sentences, gold.kind)
    if len(gold.sizes) != len(other.sizes):
        expected = f"as many sentences as gold has, {len(gold.sizes)}"
        raise ValueError(f"{name}: expected {expected}, got {len(other.sizes)}")
    for s, (a, b) in enumerate(zip(gold.texts, other.texts)):
        if a != b:
            at = next((c for c, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            shown = [repr(t[at]) if at < len(t) else "the end of the sentence" for t in (a, b)]
            flat = np.searchsorted(gold.end, sum(map(len, gold.texts[:s])) + at, "right")
            word = int(flat - gold.sizes[:s].sum())
            got = f"(gold word {word}) gold has {shown[0]} and {name} has {shown[1]}"
            expected = f"expected the characters of gold[{s}], but at character {at}"
            raise ValueError(f"{name}[{s}]: {expected} {got}")
    return other


def found_in(gold: Items, other: Items) -> np.ndarray:
    """Which of the gold items `other` holds too, as a mask."""
    if gold.kind == "spans":
        return np.fromiter((key in other.keys for key in gold.keys), bool, len(gold.keys))
    begins = np.full(int(gold.end[-1]) + 1, -1, np.int64)
    begins[other.end] = other.start
    return begins[gold.end] == gold.start


def member_marks(gold: Items, name: str, member: Any) -> np.ndarray:
    """Which gold items a committee member finds, as a mask."""
    return found_in(gold, encode_other(gold, name, member))
