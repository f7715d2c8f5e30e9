"""A vocabulary of feature strings: a compiled hash table in place of a dictionary.

Interning millions of short strings is what a tagger spends its time on. A dictionary of Python
strings costs several cache misses per look-up; here the strings of many tokens are joined once,
with NUL between them, and a compiled loop hashes the bytes into an open-addressing table. With
a dictionary, tagging from strings would be slower than CRFsuite; like this it is twice as fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from betterthan.taggers._arrays import Arrays
from betterthan.taggers._compile import compiled

_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0xFFFFFFFF)
_OFFSET = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_32, _ONE = np.uint64(32), np.uint64(1)
UNKNOWN = np.uint32(0xFFFFFFFF)  # in place of the number of a feature never seen


@compiled
def _hash(text: np.ndarray, begin: int) -> tuple[np.uint64, int]:
    """FNV-1a of the NUL-terminated string at `begin`, its halves mixed, and where it ends."""
    h = _OFFSET
    end = begin
    byte = text[end]
    while byte != 0:
        h = (h ^ np.uint64(byte)) * _PRIME
        end += 1
        byte = text[end]
    return (h ^ (h >> _32)) * _PRIME, end


@compiled
def same(text: np.ndarray, start: int, buffer: np.ndarray, begin: int, end: int) -> bool:
    """Whether the NUL-terminated string in `text` is buffer[begin:end + 1]."""
    i = 0
    while begin + i <= end and text[start + i] == buffer[begin + i]:
        i += 1
    return begin + i > end


@compiled
def _probe(
    h: np.uint64,
    buffer: np.ndarray,
    begin: int,
    end: int,
    table: np.ndarray,
    starts: np.ndarray,
    text: np.ndarray,
) -> tuple[np.uint64, np.uint32]:
    """Where buffer[begin:end + 1] stands in `table`, or could stand, and its number or UNKNOWN."""
    mask = np.uint64(table.size - 1)
    place = h & mask
    while table[place] != _EMPTY:
        entry = table[place]
        number = entry & _LOW
        if (entry & ~_LOW) == (h & ~_LOW) and same(text, starts[number], buffer, begin, end):
            return place, np.uint32(number)
        place = (place + _ONE) & mask
    return place, UNKNOWN


@compiled
def _look_up(
    buffer: np.ndarray,
    learn: bool,
    table: np.ndarray,
    starts: np.ndarray,
    text: np.ndarray,
    known: int,
    out: np.ndarray,
) -> int:
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
        like = ((entry ^ hashes[k]) & ~_LOW) == 0 and entry != _EMPTY
        out[k] = np.uint32(entry & _LOW) if like else UNKNOWN
    for k in range(count):
        places[k] = starts[out[k]] if out[k] != UNKNOWN else -1
    for k in range(count):
        if places[k] >= 0 and not same(text, places[k], buffer, begins[k], begins[k + 1] - 1):
            out[k] = UNKNOWN
    for k in range(count):
        if out[k] == UNKNOWN:
            begin, end = begins[k], begins[k + 1] - 1
            place, out[k] = _probe(hashes[k], buffer, begin, end, table, starts, text)
            if learn and out[k] == UNKNOWN:
                start = starts[known]
                for i in range(end - begin + 1):
                    text[start + i] = buffer[begin + i]
                starts[known + 1] = start + end - begin + 1
                table[place] = (hashes[k] & ~_LOW) | np.uint64(known)
                out[k] = np.uint32(known)
                known += 1
    return known


@compiled
def _fill(table: np.ndarray, starts: np.ndarray, text: np.ndarray, known: int) -> None:
    """Put the first `known` strings of `text` into an empty table."""
    mask = np.uint64(table.size - 1)
    for number in range(known):
        h, _ = _hash(text, starts[number])
        place = h & mask
        while table[place] != _EMPTY:
            place = (place + _ONE) & mask
        table[place] = (h & ~_LOW) | np.uint64(number)


@compiled
def renumber(ids: np.ndarray, number: np.ndarray) -> int:
    """Number the features in `ids`, in place, by first appearance; returns how many there are.

    `number`, all UNKNOWN at first, becomes the new number of each old one.
    """
    known = 0
    for i in range(ids.size):
        f = ids[i]
        if number[f] == UNKNOWN:
            number[f] = known
            known += 1
        ids[i] = number[f]
    return known


def known_only(data: Arrays) -> Arrays:
    """`Arrays` without the features that are unknown."""
    known = data.ids != UNKNOWN
    places = np.r_[0, np.cumsum(known)][data.token_ptr]
    values = data.values[known[: data.values.size]]  # none or all have one
    return data._replace(ids=data.ids[known], values=values, token_ptr=places)


class Vocabulary:
    """Features and their numbers, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._known = 0
        self._text = np.empty(0, np.uint8)  # all features as UTF-8, each followed by NUL
        self._starts = np.zeros(1, np.int64)
        self._table = np.full(16, _EMPTY)

    def __len__(self) -> int:
        return self._known

    def features(self) -> list[str]:
        """All features, in the order of their numbers."""
        text = self._text[: self._starts[self._known]]
        return text.tobytes().decode("utf-8", "surrogatepass").split("\0")[:-1]

    def number(self, strings: Iterable[str], count: int, learn: bool) -> np.ndarray | None:
        """The number of each of `count` strings; None if one of them holds NUL."""
        joined = "\0".join(chain(strings, ("",)))
        buffer = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
        out = np.empty(count, np.uint32)
        if learn:
            self._reserve(count, buffer.size)
        known = _look_up(buffer, learn, self._table, self._starts, self._text, self._known, out)
        if known < 0:
            return None
        self._known = known
        return out

    def _reserve(self, strings: int, size: int) -> None:
        most = self._known + strings
        self._starts = _grown(self._starts, most + 1)
        self._text = _grown(self._text, int(self._starts[self._known]) + size)
        slots = self._table.size
        while slots < 2 * most:
            slots *= 4
        if slots > self._table.size:
            self._table = np.full(slots, _EMPTY)
            _fill(self._table, self._starts, self._text, self._known)


def _grown(array: np.ndarray, least: int) -> np.ndarray:
    if least <= array.size:
        return array
    larger = np.empty(max(least, array.size + array.size // 2), array.dtype)
    larger[: array.size] = array
    return larger
