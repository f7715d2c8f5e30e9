"""Drawing rows, in constant memory: with replacement (bootstrap), or each with a coin (swaps)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Numbers in one block. Rows drawn for the bootstrap should stay in the cache of a processor.
_DRAWN, _COINS = 2**17, 2**21


def bootstrap_sums(columns: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Column sums of `draws` samples of n rows, drawn with replacement: draws × columns.

    Blocks run in threads (numpy lets go of the lock), each with a seed of its own, so the sums do
    not depend on how many threads there are.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [1.0, 5.0], [1.0, 7.0]])
    >>> bootstrap_sums(rows, 4, np.random.default_rng(0))[:, 0]
    array([3., 3., 3., 3.])
    """
    n, size = len(columns), max(1, _DRAWN // len(columns))
    parts = [np.ascontiguousarray(column) for column in columns.T]
    starts = range(0, draws, size)
    seeds = np.random.SeedSequence(int(rng.integers(2**63))).spawn(len(starts))

    def block(start: int, seed: np.random.SeedSequence) -> np.ndarray:
        drawn = np.random.default_rng(seed).integers(0, n, size=(min(size, draws - start), n))
        return np.column_stack([part.take(drawn).sum(axis=1) for part in parts])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.concatenate(list(pool.map(block, starts, seeds)))


def subsets(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Blocks of rows of 0 and 1: all subsets of n but the empty one, or `draws` random ones.

    All where there are no more than `draws`.

    Examples
    --------
    >>> next(subsets(2, 99, np.random.default_rng(0)))
    array([[1., 0.],
           [0., 1.],
           [1., 1.]])
    """
    everything = n < 60 and 2**n - 1 <= draws
    total, size = (2**n - 1 if everything else draws), max(1, _COINS // max(n, 1))
    for start in range(0, total, size):
        rows = min(size, total - start)
        if everything:
            numbers = np.arange(start + 1, start + rows + 1)
            yield (numbers[:, None] >> np.arange(n) & 1).astype(float)
        else:
            bits = rng.integers(0, 256, size=(rows, -(-n // 8)), dtype=np.uint8)
            yield np.unpackbits(bits, axis=1, count=n).astype(float)
