"""Sentences as arrays: what the compiled loops read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Arrays(NamedTuple):
    """Sentences as arrays: `ids[token_ptr[t]:token_ptr[t + 1]]` are the features of token t.

    (Numba's cache remembers this class by its module: whoever moves it must clear the cache.)
    """

    ids: np.ndarray
    values: np.ndarray  # empty where every value is 1
    token_ptr: np.ndarray
    sentence_ptr: np.ndarray
