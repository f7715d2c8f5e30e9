"""The hot loop of the bootstrap: sums over resampled rows, in constant memory.

Drawing indices with numpy takes three times as long as adding up what they point at, and
needs memory for them; a generator inside the loop needs neither.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@njit(cache=True, inline="always")
def _rotate(word, by):
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


@njit(cache=True, inline="always")
def _next(s0, s1, s2, s3):
    """One step of xoshiro256++ (Blackman and Vigna 2021): a word and the new state."""
    word = _rotate(s0 + s3, 23) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    return word, s0, s1, s2, _rotate(s3, 45)


@njit(cache=True, nogil=True)
def words(state: np.ndarray, size: int) -> np.ndarray:
    """The first `size` words of the generator (for the tests of the generator itself)."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    out = np.empty(size, np.uint64)
    for i in range(size):
        out[i], s0, s1, s2, s3 = _next(s0, s1, s2, s3)
    return out


@njit(cache=True, inline="always")
def _index(word, size):
    """word · size / 2⁶⁴, an index below `size`; its bias is below size/2⁶⁴."""
    return ((word >> _HALF) * size + (((word & _LOW) * size) >> _HALF)) >> _HALF


@njit(cache=True, nogil=True)
def bootstrap_sums(state: np.ndarray, columns: np.ndarray, resamples: int) -> np.ndarray:
    """Column sums of `resamples` samples of n rows drawn with replacement.

    One and four columns (means; numerators and denominators of two systems) have loops of
    their own because sums kept in registers take half the time of sums kept in an array.
    """
    n, width = columns.shape
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    size = np.uint64(n)
    out = np.zeros((resamples, width))
    for r in range(resamples):
        if width == 1:
            total = 0.0
            for _ in range(n):
                word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
                total += columns[_index(word, size), 0]
            out[r, 0] = total
        elif width == 4:
            t0 = t1 = t2 = t3 = 0.0
            for _ in range(n):
                word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
                row = _index(word, size)
                t0 += columns[row, 0]
                t1 += columns[row, 1]
                t2 += columns[row, 2]
                t3 += columns[row, 3]
            out[r, 0], out[r, 1], out[r, 2], out[r, 3] = t0, t1, t2, t3
        else:
            for _ in range(n):
                word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
                row = _index(word, size)
                for c in range(width):
                    out[r, c] += columns[row, c]
    return out
