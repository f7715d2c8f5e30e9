"""From users' feature lists to arrays of integers, and back to a file.

Interning millions of short strings is what a tagger spends its time on. A dictionary of Python
strings costs several cache misses a look-up; here the strings of many tokens are joined once,
with NUL between them, and a compiled loop hashes the bytes into an open-addressing table. The
vocabulary is then one array of bytes, which is also how it is saved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numba import njit

_CHUNK = 1024  # tokens joined at a time: enough to amortise a call, few enough to stay in cache
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0xFFFFFFFF)
_OFFSET = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_32 = np.uint64(32)
_ONE = np.uint64(1)
UNKNOWN = np.uint32(0xFFFFFFFF)


class Encoded(NamedTuple):
    """Sentences as arrays: `ids[token_ptr[t]:token_ptr[t + 1]]` are the features of token t."""

    ids: np.ndarray
    values: np.ndarray  # empty where every value is 1
    token_ptr: np.ndarray
    sentence_ptr: np.ndarray


@njit(cache=True, error_model="numpy")
def _hash(text, begin):
    """FNV-1a of the NUL-terminated string at `begin`, its halves mixed, and where it ends."""
    h = _OFFSET
    end = begin
    byte = text[end]
    while byte != 0:
        h = (h ^ np.uint64(byte)) * _PRIME
        end += 1
        byte = text[end]
    return (h ^ (h >> _32)) * _PRIME, end


@njit(cache=True, error_model="numpy")
def _same(text, start, buffer, begin, end):
    """Whether the NUL-terminated string in `text` is buffer[begin:end + 1]."""
    i = 0
    while begin + i <= end and text[start + i] == buffer[begin + i]:
        i += 1
    return begin + i > end


@njit(cache=True, error_model="numpy")
def _look_up(buffer, learn, table, starts, text, known, out):
    """The number of every NUL-terminated string in `buffer`, into `out`.

    An entry of `table` holds the upper half of the hash above the number of the feature, so
    that nearly every comparison of bytes succeeds. New strings are added where `learn`, else
    they are UNKNOWN. Returns how many features are known then, or -1 if `buffer` does not hold
    exactly as many strings as `out` has room for.

    Memory is the bottleneck, so each step goes over all strings before the next: the short
    loops let the processor wait for many cache lines at once.
    """
    mask = np.uint64(table.size - 1)
    count = out.size
    hashes = np.empty(count, np.uint64)
    begins = np.empty(count + 1, np.int64)
    places = np.empty(count, np.int64)
    begins[0] = 0
    for k in range(count):
        if begins[k] >= buffer.size:
            return -1
        hashes[k], end = _hash(buffer, begins[k])
        begins[k + 1] = end + 1
    if begins[count] != buffer.size:
        return -1
    for k in range(count):
        entry = table[hashes[k] & mask]
        same = ((entry ^ hashes[k]) & ~_LOW) == 0 and entry != _EMPTY
        out[k] = np.uint32(entry & _LOW) if same else UNKNOWN
    for k in range(count):
        places[k] = starts[out[k]] if out[k] != UNKNOWN else -1
    for k in range(count):
        if places[k] >= 0 and not _same(text, places[k], buffer, begins[k], begins[k + 1] - 1):
            out[k] = UNKNOWN
    for k in range(count):
        if out[k] == UNKNOWN:
            tag = hashes[k] & ~_LOW
            place = hashes[k] & mask
            begin = begins[k]
            end = begins[k + 1] - 1
            while table[place] != _EMPTY:
                entry = table[place]
                number = entry & _LOW
                if (entry & ~_LOW) == tag and _same(text, starts[number], buffer, begin, end):
                    out[k] = np.uint32(number)
                    break
                place = (place + _ONE) & mask
            if learn and table[place] == _EMPTY:
                start = starts[known]
                for i in range(end - begin + 1):
                    text[start + i] = buffer[begin + i]
                starts[known + 1] = start + end - begin + 1
                table[place] = tag | np.uint64(known)
                out[k] = np.uint32(known)
                known += 1
    return known


@njit(cache=True, error_model="numpy")
def _fill(table, starts, text, known):
    """Put the first `known` strings of `text` into an empty table."""
    mask = np.uint64(table.size - 1)
    for number in range(known):
        h, _ = _hash(text, starts[number])
        place = h & mask
        while table[place] != _EMPTY:
            place = (place + _ONE) & mask
        table[place] = (h & ~_LOW) | np.uint64(number)


@njit(cache=True, error_model="numpy")
def _drop_unknown(ids, values, token_ptr):
    """Remove unknown features in place; returns how many are left."""
    kept = 0
    begin = token_ptr[0]
    for t in range(token_ptr.size - 1):
        end = token_ptr[t + 1]
        for i in range(begin, end):
            if ids[i] != UNKNOWN:
                ids[kept] = ids[i]
                if values.size:
                    values[kept] = values[i]
                kept += 1
        begin = end
        token_ptr[t + 1] = kept
    return kept


@njit(cache=True, error_model="numpy")
def renumber(ids, number, known, learn):
    """Give every feature in `ids`, in place, its number in `number`; returns how many have one.

    Where `learn`, a feature without one gets the next, in the order of `ids`.
    """
    for i in range(ids.size):
        f = ids[i]
        if learn and number[f] == UNKNOWN:
            number[f] = known
            known += 1
        ids[i] = number[f]
    return known


def known_only(data: Encoded, number: np.ndarray) -> Encoded:
    """A copy of `data` in the numbers of `renumber`, without the features that have none."""
    ids, values, token_ptr = data.ids.copy(), data.values.copy(), data.token_ptr.copy()
    renumber(ids, number, 0, False)
    kept = _drop_unknown(ids, values, token_ptr)
    return Encoded(ids[:kept], values[:kept], token_ptr, data.sentence_ptr)


def take(data: Encoded, sentences: np.ndarray) -> tuple[Encoded, np.ndarray]:
    """Some sentences, in the order given, and where their tokens are in `data`."""
    tokens = _ranges(data.sentence_ptr[sentences], data.sentence_ptr[sentences + 1])
    places = _ranges(data.token_ptr[tokens], data.token_ptr[tokens + 1])
    part = Encoded(
        ids=data.ids[places],
        values=data.values[places] if data.values.size else data.values,
        token_ptr=np.r_[0, np.cumsum(np.diff(data.token_ptr)[tokens])],
        sentence_ptr=np.r_[0, np.cumsum(np.diff(data.sentence_ptr)[sentences])],
    )
    return part, tokens


def _ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    sizes = last - first
    return np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())


class Vocabulary:
    """Features and their numbers, in the order in which they were first seen."""

    def __init__(self, text: np.ndarray | None = None) -> None:
        if text is None:
            text = np.empty(0, np.uint8)
        ends = np.flatnonzero(text == 0) + 1
        self._known = ends.size
        self._text = text
        self._starts = np.concatenate([[0], ends]).astype(np.int64)
        self._table = np.full(16, _EMPTY)
        self._reserve(0, 0)

    def __len__(self) -> int:
        return self._known

    @property
    def text(self) -> np.ndarray:
        """All features as UTF-8, each followed by NUL."""
        return self._text[: self._starts[self._known]]

    def features(self) -> list[str]:
        """All features, in the order of their numbers."""
        return self.text.tobytes().decode("utf-8", "surrogatepass").split("\0")[:-1]

    def _reserve(self, strings: int, size: int) -> None:
        most = self._known + strings
        if most + 1 > self._starts.size:
            self._starts = _grown(self._starts, most + 1)
        used = int(self._starts[self._known])
        if used + size > self._text.size:
            self._text = _grown(self._text, used + size)
        slots = self._table.size
        while slots < 2 * most:
            slots *= 4
        if slots > self._table.size or (self._known and not strings):
            self._table = np.full(slots, _EMPTY)
            _fill(self._table, self._starts, self._text, self._known)

    def number(self, strings: Iterable[str], count: int, learn: bool) -> np.ndarray:
        """The number of each of `count` strings."""
        joined = "\0".join(chain(strings, ("",)))
        buffer = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
        out = np.empty(count, np.uint32)
        if learn:
            self._reserve(count, buffer.size)
        known = _look_up(buffer, learn, self._table, self._starts, self._text, self._known, out)
        if known < 0:
            raise _NulError
        self._known = known
        return out


class _NulError(Exception):
    """A feature holds NUL, which separates features in the vocabulary."""


def _grown(array: np.ndarray, least: int) -> np.ndarray:
    larger = np.empty(max(least, array.size + array.size // 2), array.dtype)
    larger[: array.size] = array
    return larger


def encode(X: Any, vocabulary: Vocabulary, *, learn: bool) -> Encoded:
    """Number the features of every token of every sentence; unknown ones are left out."""
    sentences = _sentences(X)
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    empty = np.flatnonzero(lengths == 0)
    if empty.size:
        raise ValueError(f"X[{empty[0]}]: expected at least one token, got an empty sentence")
    sentence_ptr = np.concatenate([[0], np.cumsum(lengths)])
    plain = set(map(type, chain.from_iterable(sentences))) <= {list, tuple}
    ids: list[np.ndarray] = []
    values: list[np.ndarray] = []
    widths: list[np.ndarray] = []
    begin = 0
    while begin < len(sentences):
        end = int(np.searchsorted(sentence_ptr, sentence_ptr[begin] + _CHUNK))
        end = max(begin + 1, min(end, len(sentences)))
        group = sentences[begin:end]
        part = _plain(group, vocabulary, learn) if plain else None
        if part is None:
            part = _general(group, begin, vocabulary, learn)
        ids.append(part[0])
        values.append(part[1])
        widths.append(part[2])
        begin = end
    token_ptr = np.concatenate([[0], np.cumsum(np.concatenate(widths), dtype=np.int64)])
    numbers = np.concatenate(ids)
    strengths = np.empty(0) if plain else np.concatenate(values)
    if strengths.size and (strengths == 1).all():
        strengths = np.empty(0)
    if not learn:
        kept = _drop_unknown(numbers, strengths, token_ptr)
        numbers, strengths = numbers[:kept], strengths[:kept]
    return Encoded(numbers, strengths, token_ptr, sentence_ptr)


def _sentences(X: Any) -> list[Any]:
    if isinstance(X, str | bytes | dict):
        raise ValueError(f"X: expected a list of sentences, got {X!r:.60}")
    try:
        sentences = list(X)
    except TypeError:
        raise ValueError(f"X: expected a list of sentences, got {X!r:.60}") from None
    if not sentences:
        raise ValueError("X: expected at least one sentence, got none")
    for s, sentence in enumerate(sentences):
        if isinstance(sentence, str | bytes | dict):
            raise ValueError(f"X[{s}]: expected a list of tokens, got {sentence!r:.60}")
        if not isinstance(sentence, list | tuple):
            items = getattr(sentence, "items", None)  # pycrfsuite.ItemSequence
            try:
                sentences[s] = list(items() if callable(items) else sentence)
            except TypeError:
                raise ValueError(
                    f"X[{s}]: expected a list of tokens, got {sentence!r:.60}"
                ) from None
    return sentences


def _plain(group: Sequence[Any], vocabulary: Vocabulary, learn: bool) -> tuple | None:
    """Number lists of strings; None where something else is among them."""
    tokens = list(chain.from_iterable(group))
    widths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    try:
        numbers = vocabulary.number(chain.from_iterable(tokens), int(widths.sum()), learn)
    except (TypeError, _NulError):
        return None
    return numbers, np.empty(0), widths


def _general(group: Sequence[Any], first: int, vocabulary: Vocabulary, learn: bool) -> tuple:
    """Number tokens of any accepted kind, or say which one is not."""
    strings: list[str] = []
    values: list[float] = []
    widths: list[int] = []
    for s, sentence in enumerate(group, first):
        for t, token in enumerate(sentence):
            where = f"X[{s}][{t}]"
            before = len(strings)
            for name, value in items(token, where):
                if not math.isfinite(value):
                    raise ValueError(
                        f"{where}: feature {name!r} has the value {value!r}, "
                        "expected a finite number"
                    )
                if "\0" in name:
                    raise ValueError(f"{where}: feature {name!r} holds a NUL character")
                strings.append(name)
                values.append(value)
            widths.append(len(strings) - before)
    numbers = vocabulary.number(strings, len(strings), learn)
    return numbers, np.asarray(values, float), np.asarray(widths, np.int64)


def items(token: Any, where: str = "token") -> list[tuple[str, float]]:
    """The features of one token with their values, by the rules of `pycrfsuite.ItemSequence`.

    Examples
    --------
    >>> items(["bias", "word=cat"])
    [('bias', 1.0), ('word=cat', 1.0)]
    >>> items({"word": "cat", "length": 3, "upper": False, "near": ["the", "sat"]})
    [('word:cat', 1.0), ('length', 3.0), ('upper', 0.0), ('near:the', 1.0), ('near:sat', 1.0)]
    """
    if isinstance(token, dict):
        found = []
        for key, value in token.items():
            name = _name(key, where)
            if isinstance(value, str | bytes):
                found.append((f"{name}:{_name(value, where)}", 1.0))
            elif isinstance(value, dict | list | set | frozenset):
                found += [(f"{name}:{inner}", x) for inner, x in items(value, f"{where}[{key!r}]")]
            else:
                try:
                    found.append((name, float(value)))
                except (TypeError, ValueError):
                    raise ValueError(
                        f"{where}: feature {name!r} has the value {value!r:.40}, expected a "
                        "string, a number, a bool, or a list, set or dict of features"
                    ) from None
        return found
    if isinstance(token, str | bytes) or not isinstance(token, Iterable):
        raise ValueError(
            f"{where}: expected a list of feature strings or a dict of features, got {token!r:.60}"
        )
    names = [_name(key, where) for key in token]
    if isinstance(token, set | frozenset):
        names.sort()  # the order of a set changes from one process to the next
    return [(name, 1.0) for name in names]


def _name(key: Any, where: str) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bytes):
        return key.decode("utf-8", "surrogateescape")
    raise ValueError(f"{where}: expected feature names to be strings, got {key!r:.60}")
