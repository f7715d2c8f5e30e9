"""What the modules of `ranking` share: checks of what is given, the order of candidates, seeds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan.errors import InputError

Arrays = tuple[np.ndarray, ...]
Rng = int | np.random.SeedSequence | np.random.Generator | None

# Up to here whole numbers, their sums and the sums over tables of Fisher's test are exact.
MOST = 10**15


def candidates(gold: Any, **scores: Any) -> Arrays:
    """The scores, by the names of their arguments, and `gold` as True and False, all checked."""
    named = {**scores, "gold": gold}
    indices = {name: v.index for name, v in named.items() if isinstance(v, pd.Series)}
    if any(not index.equals(next(iter(indices.values()))) for index in indices.values()):
        raise InputError(", ".join(indices), expected="one index, so that a row is a candidate")
    arrays = {name: _checks.vector(name, values) for name, values in named.items()}
    _checks.same_length(**arrays)
    truth = arrays.pop("gold")
    for i in np.flatnonzero((truth != 0) & (truth != 1))[:1]:
        raise InputError(f"gold[{i}]", truth[i].item(), expected="0 or 1")
    if not truth.any():
        # The warning belongs to the caller of the public function that called this one.
        warnings.warn("gold holds no true positives: every precision is 0", stacklevel=3)
    return *arrays.values(), truth.astype(bool)


def order(scores: np.ndarray, rng: Rng) -> np.ndarray:
    """Candidates from the largest score to the smallest."""
    size = scores.size
    shuffle = np.arange(size) if rng is None else _checks.generator(rng).permutation(size)
    return shuffle[np.argsort(-scores[shuffle], kind="stable")]


def sizes(first: int, last: int | None, size: int) -> tuple[int, int]:
    """The smallest and the largest n, checked; None is all candidates."""
    last = size if last is None else _checks.whole("last", last, 1, size)
    return _checks.whole("first", first, 1, last), last


def restart(rng: Rng) -> Rng:
    """A seed that gives the same numbers each time it is used."""
    return int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng


def children(rng: Rng, count: int) -> list[np.random.SeedSequence]:
    """Seeds of their own for `count` parts of the work."""
    return _checks.seed_sequence(restart(rng), "rng").spawn(count)


def counts(named: Mapping[str, Any], most: int = MOST) -> list[np.ndarray]:
    """Arguments by name, as float arrays of one shape: whole numbers between 0 and `most`."""
    arrays = {name: _whole_numbers(name, values, most) for name, values in named.items()}
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} has shape {array.shape}" for name, array in arrays.items())
        raise InputError(expected=f"counts of the same length, but {shapes}") from None


def _whole_numbers(name: str, values: Any, most: int) -> np.ndarray:
    try:
        array = np.asarray(values).astype(float)
    except (TypeError, ValueError):
        raise InputError(name, expected=f"counts, got {values!r:.80}") from None
    for i in np.flatnonzero(~((array >= 0) & (array <= most) & (array == np.floor(array))))[:1]:
        value, where = array.flat[i].item(), f"{name}[{i}]" if array.ndim else name
        limit = f" and at most {most:.0e}, to stay exact and quick" if value > most else ""
        raise InputError(where, value, expected=f"a whole number of at least 0{limit}")
    return array


def proportion(k: Any, n: Any, most: int = MOST) -> tuple[np.ndarray, np.ndarray]:
    """Hits `k` among `n` candidates, checked."""
    hits, size = counts({"k": k, "n": n}, most)
    for i in np.flatnonzero((size == 0) | (hits > size))[:1]:
        where = f"[{i}]" if size.ndim else ""
        given = f"k{where}={hits.flat[i]:g}, n{where}={size.flat[i]:g}"
        raise InputError(given, expected="a candidate or more and k between 0 and n")
    return hits, size
