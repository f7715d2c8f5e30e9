"""Sentences with their feature strings numbered once, to train many taggers on parts of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betterthan.errors import InputError
from betterthan.taggers._arrays import Arrays

if TYPE_CHECKING:
    from betterthan.taggers._index import Vocabulary

_CHUNK = 1024  # tokens joined at a time: enough to amortise a call, few enough to stay in cache


@dataclass(frozen=True, eq=False)
class Encoded:
    """What `encode` makes; ``encoded[rows]`` is some of its sentences.

    Attributes
    ----------
    arrays : Arrays
        The numbers of the features.
    vocabulary : Vocabulary
        The features, shared with every part and every tagger that learned from one.
    labels : tuple of str, or None
        All labels, sorted.
    gold : array, or None
        The label of each token, as a place in `labels`.
    whole : bool
        Whether these are all the sentences that the vocabulary was made of.
    """

    arrays: Arrays = field(repr=False)
    vocabulary: Vocabulary = field(repr=False)
    labels: tuple[str, ...] | None = None
    gold: np.ndarray | None = field(default=None, repr=False)
    whole: bool = True

    def __len__(self) -> int:
        return self.arrays.sentence_ptr.size - 1

    def __getitem__(self, rows: Any) -> Encoded:
        """Some of the sentences, in the order given: a slice, a mask or a list of numbers."""
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        data = self.arrays
        tokens = _ranges(data.sentence_ptr[chosen], data.sentence_ptr[chosen + 1])
        places = _ranges(data.token_ptr[tokens], data.token_ptr[tokens + 1])
        part = Arrays(
            ids=data.ids[places],
            values=data.values[places] if data.values.size else data.values,
            token_ptr=np.r_[0, np.cumsum(np.diff(data.token_ptr)[tokens])],
            sentence_ptr=np.r_[0, np.cumsum(np.diff(data.sentence_ptr)[chosen])],
        )
        gold = None if self.gold is None else self.gold[tokens]
        return Encoded(part, self.vocabulary, self.labels, gold, whole=False)

    def encode(self, X: Any) -> Encoded:
        """Other sentences in the same numbers; features that these do not have are left out.

        Examples
        --------
        >>> train = encode([[["the"], ["cat"]]], [["B", "I"]])
        >>> len(train.encode([[["a"], ["cat"]]]))
        1
        """
        return Encoded(number(X, self.vocabulary, learn=False), self.vocabulary, whole=False)


def _ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    sizes = last - first
    return np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())


def encode(X: Any, Y: Any = None) -> Encoded:
    """Number the feature strings of sentences once, where many taggers learn from parts of them.

    Numbering strings takes longer than learning from them. A tagger that learns from
    ``encoded[rows]`` is, to the last bit, the one that learns from those sentences as strings:
    it knows the features and labels of its own sentences only.

    Parameters
    ----------
    X : iterable of sentences
        As for `Tagger.fit`; an iterator is read once.
    Y : list of lists of str, optional
        The label of each token; needed to learn.

    Returns
    -------
    Encoded
        For `Tagger.fit` and, with the tagger of a part of it, for `predict` and `confidence`.

    Raises
    ------
    ValueError
        What `Tagger.fit` refuses.

    Examples
    --------
    >>> from betterthan.taggers import Tagger
    >>> X = [[["the"], ["cat"], ["sat"]], [["the"], ["dog"]], [["a"], ["cat"]]]
    >>> encoded = encode(X, [["B", "I", "O"], ["B", "I"], ["B", "I"]])
    >>> tagger = Tagger(passes=2).fit(encoded[[0, 1]])
    >>> tagger.predict(encoded[2:])
    [['B', 'I']]
    """
    from betterthan.taggers._index import Vocabulary  # compiles

    vocabulary = Vocabulary()
    arrays = number(X, vocabulary, learn=True)
    if Y is None:
        return Encoded(arrays, vocabulary)
    lists = label_lists(Y, np.diff(arrays.sentence_ptr).tolist())
    labels = tuple(sorted(set(chain.from_iterable(lists))))
    place = {label: i for i, label in enumerate(labels)}
    named = map(place.__getitem__, chain.from_iterable(lists))
    gold = np.fromiter(named, np.int32, arrays.token_ptr.size - 1)
    return Encoded(arrays, vocabulary, labels, gold)


def number(X: Any, vocabulary: Vocabulary, *, learn: bool) -> Arrays:
    """The features of every token of every sentence; unknown ones are left out."""
    from betterthan.taggers._index import known_only

    numbered, lengths = [], []
    group: list[Sequence[Any]] = []
    waiting = 0
    for sentence in _sentences(X):
        group.append(sentence)
        lengths.append(len(sentence))
        waiting += len(sentence)
        if waiting >= _CHUNK:
            numbered.append(_number_group(group, len(lengths) - len(group), vocabulary, learn))
            group, waiting = [], 0
    if not lengths:
        raise InputError("X", expected="at least one sentence, got none")
    if group:
        numbered.append(_number_group(group, len(lengths) - len(group), vocabulary, learn))
    values = np.empty(0)
    if any(part.values is not None and np.any(part.values != 1) for part in numbered):
        values = np.concatenate([part.all_values() for part in numbered])
    widths = list(chain.from_iterable(part.widths for part in numbered))
    data = Arrays(
        ids=np.concatenate([part.ids for part in numbered]),
        values=values,
        token_ptr=np.r_[0, np.cumsum(widths, dtype=np.int64)],
        sentence_ptr=np.r_[0, np.cumsum(lengths, dtype=np.int64)],
    )
    return data if learn else known_only(data)


class _Numbered(NamedTuple):
    """Some sentences whose features are numbered."""

    ids: np.ndarray
    """The number of each feature."""
    values: np.ndarray | None
    """The value of each feature; None where every value is 1."""
    widths: list[int]
    """How many features each token has."""

    def all_values(self) -> np.ndarray:
        return np.ones(self.ids.size) if self.values is None else self.values


def _number_group(
    group: list[Sequence[Any]], first: int, vocabulary: Vocabulary, learn: bool
) -> _Numbered:
    """Sentences from number `first` on: lists of strings quickly, anything else as it comes."""
    tokens = list(chain.from_iterable(group))
    if set(map(type, tokens)) <= {list, tuple}:
        widths = list(map(len, tokens))
        with suppress(TypeError):  # `_general` says what is not a string
            found = vocabulary.number(chain.from_iterable(tokens), sum(widths), learn)
            if found is not None:
                return _Numbered(found, None, widths)
    strings, values, widths = _general(group, first)
    found = vocabulary.number(strings, len(strings), learn)
    assert found is not None, "NUL characters were refused before"
    return _Numbered(found, values, widths)


def _sentences(X: Any) -> Iterator[Sequence[Any]]:
    if isinstance(X, str | bytes | dict) or not isinstance(X, Iterable):
        raise InputError("X", expected=f"a list of sentences, got {X!r:.60}")
    for s, sentence in enumerate(X):
        if not isinstance(sentence, list | tuple):
            items = getattr(sentence, "items", None)  # pycrfsuite.ItemSequence
            listed = items() if callable(items) and not isinstance(sentence, dict) else sentence
            if isinstance(listed, str | bytes | dict) or not isinstance(listed, Iterable):
                expected = f"a list of tokens, got {sentence!r:.60}"
                raise InputError(f"X[{s}]", expected=expected)
            sentence = list(listed)
        if not sentence:
            raise InputError(f"X[{s}]", expected="at least one token, got an empty sentence")
        yield sentence


def _general(group: list[Sequence[Any]], first: int) -> tuple[list[str], np.ndarray, list[int]]:
    """Features, values and widths of tokens of any accepted kind, or which one is not."""
    found: list[tuple[str, float]] = []
    widths = []
    for s, sentence in enumerate(group, first):
        for t, token in enumerate(sentence):
            own = token_items(token, f"X[{s}][{t}]")
            found += own
            widths.append(len(own))
    return [name for name, _ in found], np.array([value for _, value in found], float), widths


def token_items(token: Any, where: str = "token") -> list[tuple[str, float]]:
    """The features of one token with their values, by the rules of `pycrfsuite.ItemSequence`.

    Examples
    --------
    >>> token_items(["bias", "word=cat"])
    [('bias', 1.0), ('word=cat', 1.0)]
    >>> token_items({"word": "cat", "length": 3, "upper": False, "near": ["the", "sat"]})
    [('word:cat', 1.0), ('length', 3.0), ('upper', 0.0), ('near:the', 1.0), ('near:sat', 1.0)]
    """
    if isinstance(token, dict):
        return [item for key, value in token.items() for item in _dict_items(key, value, where)]
    if isinstance(token, str | bytes) or not isinstance(token, Iterable):
        expected = f"a list of feature strings or a dict of features, got {token!r:.60}"
        raise InputError(where, expected=expected)
    names = [_name(key, where) for key in token]
    if isinstance(token, set | frozenset):
        names.sort()  # the order of a set changes from one process to the next
    return [(name, 1.0) for name in names]


def _dict_items(key: Any, value: Any, where: str) -> list[tuple[str, float]]:
    """The features of one entry of a dictionary."""
    name = _name(key, where)
    if isinstance(value, str | bytes):
        return [(f"{name}:{_name(value, where)}", 1.0)]
    if isinstance(value, dict | list | set | frozenset):
        inner = token_items(value, f"{where}[{key!r}]")
        return [(f"{name}:{feature}", x) for feature, x in inner]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            where,
            problem=f"feature {name!r} has the value {value!r:.40}, expected a finite "
            "number, a string, a bool, or a list, set or dict of features",
        )
    return [(name, number)]


def _name(key: Any, where: str) -> str:
    name = key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key
    if not isinstance(name, str):
        raise InputError(where, expected=f"feature names to be strings, got {key!r:.60}")
    if "\0" in name:
        raise InputError(where, problem=f"feature {name!r:.60} holds a NUL character")
    return name


def label_lists(Y: Any, lengths: Sequence[int]) -> list[Sequence[str]]:
    """`Y` as a list of lists of strings, one label per token."""
    if isinstance(Y, str) or not isinstance(Y, Iterable):
        raise InputError("Y", expected=f"a list of lists of labels, got {Y!r:.60}")
    gold = list(Y)
    if len(gold) != len(lengths):
        raise InputError(
            expected=f"a list of labels per sentence, but X has {len(lengths)} sentences "
            f"and Y has {len(gold)}"
        )
    for s, (labels, length) in enumerate(zip(gold, lengths)):
        if isinstance(labels, str) or not hasattr(labels, "__len__"):
            raise InputError(f"Y[{s}]", expected=f"a list of labels, got {labels!r:.60}")
        if len(labels) != length:
            raise InputError(
                expected=f"a label per token, but X[{s}] has {length} tokens "
                f"and Y[{s}] has {len(labels)} labels"
            )
        if bad := [label for label in labels if not isinstance(label, str)]:
            raise InputError(f"Y[{s}]", expected=f"labels to be strings, got {bad[0]!r:.60}")
    return gold
