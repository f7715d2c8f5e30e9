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

from betterthan.errors import InputError

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
        raise InputError(name, sentences, expected="a list of sentences")
    # A `datasets.Sentence` has its words under a name.
    listed: list[Any] = [getattr(sentence, "words", sentence) for sentence in sentences]
    for s, words in enumerate(listed):
        if not isinstance(words, list | tuple | np.ndarray):
            raise InputError(f"{name}[{s}]", words, expected="a list of words or of spans")
    sizes = np.fromiter(map(len, listed), np.int64, len(listed))
    first = next((words[0] for words in listed if len(words)), None)
    found = kind if first is None else "words" if isinstance(first, str) else "spans"
    if kind not in (None, found):
        expected = f"{kind}, as the gold standard has, but found {found}"
        raise InputError(name, expected=expected)
    return (_words if found == "words" else _spans)(name, listed, sizes)


def _words(name: str, listed: list[Sequence[Any]], sizes: np.ndarray) -> Items:
    try:
        texts = ["".join(words) for words in listed]
        lengths = np.fromiter(map(len, chain.from_iterable(listed)), np.int64, int(sizes.sum()))
    except TypeError:
        raise _no_word(name, listed) from None
    if not lengths.all():
        raise _no_word(name, listed)
    end = np.cumsum(lengths)
    return Items("words", sizes, end - lengths, end, texts, {})


def _no_word(name: str, listed: list[Sequence[Any]]) -> InputError:
    """Where it stands: known to be somewhere only, since a loop over words takes long."""
    places = ((s, i) for s, words in enumerate(listed) for i in range(len(words)))
    s, i = next((s, i) for s, i in places if not isinstance(listed[s][i], str) or not listed[s][i])
    return InputError(f"{name}[{s}][{i}]", listed[s][i], expected="a word")


def _spans(name: str, listed: list[Sequence[Any]], sizes: np.ndarray) -> Items:
    keys: dict[tuple[int, int, Any], None] = {}
    for s, spans in enumerate(listed):
        for i, span in enumerate(spans):
            pair = isinstance(span, tuple | list) and len(span) in (2, 3)
            start, end, *label = span if pair else (-1, -1)
            whole = isinstance(start, Integral) and isinstance(end, Integral)
            if not whole or not 0 <= start < end < _ROOM:
                expected = "(start, end, label) with 0 <= start < end"
                raise InputError(f"{name}[{s}][{i}]", span, expected=expected)
            key = (s * _ROOM + int(start), s * _ROOM + int(end), *label)
            if key in keys:
                raise InputError(f"{name}[{s}][{i}]", span, expected="each span once, got two")
            keys[key] = None
    start, end = (np.fromiter((key[n] for key in keys), np.int64, len(keys)) for n in (0, 1))
    return Items("spans", sizes, start, end, [], keys)


def encode_gold(sentences: Any) -> Items:
    """The gold standard as :class:`Items`: not empty, and without spans that overlap."""
    gold = encode("gold", sentences)
    if not gold.start.size:
        raise InputError("gold", expected="at least one word or span, got none")
    order = np.argsort(gold.start, kind="stable")
    for bad in np.flatnonzero(gold.start[order][1:] < gold.end[order][:-1]):
        s, i = gold.where(order[bad + 1])
        expected = "spans that do not overlap, but this one does"
        raise InputError(f"gold[{s}][{i}]", expected=expected)
    return gold


def encode_other(gold: Items, name: str, sentences: Any) -> Items:
    """What a system or a member makes of the sentences of `gold`: over the same characters."""
    other = encode(name, sentences, gold.kind)
    if len(gold.sizes) != len(other.sizes):
        expected = f"as many sentences as gold has, {len(gold.sizes)}, got {len(other.sizes)}"
        raise InputError(name, expected=expected)
    for s, (a, b) in enumerate(zip(gold.texts, other.texts)):
        if a != b:
            raise InputError(f"{name}[{s}]", expected=_other_text(gold, name, s, b))
    return other


def _other_text(gold: Items, name: str, s: int, text: str) -> str:
    """Where the text of sentence `s` leaves that of the gold standard."""
    own = gold.texts[s]
    shorter = min(len(own), len(text))
    at = next((c for c in range(shorter) if own[c] != text[c]), shorter)
    in_gold, in_other = (
        repr(one[at]) if at < len(one) else "the end of the sentence" for one in (own, text)
    )
    flat = np.searchsorted(gold.end, sum(map(len, gold.texts[:s])) + at, "right")
    word = int(flat - gold.sizes[:s].sum())
    return (
        f"the characters of gold[{s}], but at character {at} (gold word {word}) "
        f"gold has {in_gold} and {name} has {in_other}"
    )


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


def difficulties(gold: Items, difficulty: Sequence[Any]) -> np.ndarray:
    """One difficulty per gold word, checked."""
    values = [np.ravel(np.asarray(one, float)) for one in difficulty]
    if len(values) != len(gold.sizes):
        expected = f"{len(gold.sizes)} sentences, got {len(values)}"
        raise InputError("difficulty", expected=expected)
    for s, (one, size) in enumerate(zip(values, gold.sizes)):
        if one.size != size:
            expected = f"{size}, one per word, got {one.size}"
            raise InputError(f"difficulty[{s}]", expected=expected)
    flat = np.concatenate(values)
    for bad in np.flatnonzero(~((flat >= 0) & (flat <= 1)))[:1]:
        s, i = gold.where(bad)
        value = float(flat[bad])
        raise InputError(f"difficulty[{s}][{i}]", value, expected="a number between 0 and 1")
    return flat
