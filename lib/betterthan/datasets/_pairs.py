"""Candidates for a ranking, from plain text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from .. import _checks


def adjacent_pairs(texts: Iterable[str], least: int = 1) -> pd.DataFrame:
    """Count adjacent pairs of Chinese characters in unsegmented texts as contingency tables.

    Parameters
    ----------
    texts
        One string per sentence or line; pairs do not cross from one to the next.
    least : int
        Frequency threshold; rarer pairs still count towards the margins.

    Returns
    -------
    DataFrame
        `first`, `second` and the cells `o11`, `o12`, `o21`, `o22`, the most frequent pair first
        (equally frequent ones in code point order).

    Raises
    ------
    ValueError
        For `least` below 1, or no pair at all.

    Examples
    --------
    >>> adjacent_pairs(["中国人民", "人民，人"])
      first second  o11  o12  o21  o22
    0     人      民    2    0    0    2
    1     中      国    1    0    0    3
    2     国      人    1    0    0    3
    """
    _checks.whole("least", least, 1)
    # A line break is no Chinese character, so no pair crosses it.
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    chinese = ((codes >= 0x4E00) & (codes <= 0x9FFF)) | ((codes >= 0x3400) & (codes <= 0x4DBF))
    inside = np.flatnonzero(chinese[:-1] & chinese[1:])
    pairs, o11 = np.unique((codes[inside] << 21) | codes[inside + 1], return_counts=True)
    if not pairs.size:
        raise ValueError("texts: expected at least one adjacent pair of characters, found none")
    left, right = pairs >> 21, pairs & 0x1FFFFF
    row = np.bincount(left, weights=o11).astype(np.int64)[left]
    column = np.bincount(right, weights=o11).astype(np.int64)[right]
    table = pd.DataFrame({"first": map(chr, left), "second": map(chr, right), "o11": o11})
    table = table.assign(o12=row - o11, o21=column - o11, o22=o11.sum() - row - column + o11)
    table = table[table["o11"] >= least].sort_values("o11", ascending=False, kind="stable")
    return table.reset_index(drop=True)
