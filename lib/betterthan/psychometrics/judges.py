"""Who judges? How much difficulties depend on the committee, and rankings by people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan.errors import InputError
from betterthan.psychometrics._rasch import mark_table

__all__ = ["human_scores", "stability"]


def stability(marks: Any, sizes: Sequence[int], *, repeats: int = 20, rng: Any = 0) -> pd.DataFrame:
    """How much do the difficulties depend on who sits on the committee?

    For each size k the members are split at random into two committees of k that share nobody,
    `repeats` times. A committee is large enough where two of its size agree.

    Parameters
    ----------
    marks
        A table of marks, one row per member, one column per word (`Committee.marks`).
    sizes
        Committee sizes to try, each at most half the number of members.
    rng
        A seed or a generator, as in scipy.

    Returns
    -------
    DataFrame
        One row per size: `correlation` between the two committees' difficulties (mean over the
        repeats) with its range `low` … `high` over the repeats, `predicted`, the correlation that
        the Spearman-Brown formula foretells from pairs of single members, and `change`, the mean
        absolute difference of a word's difficulty between the two committees.

    Raises
    ------
    ValueError
        For marks that are not a table of 0 and 1 with two rows or more, or a size beyond half.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = rng.random((40, 500)) > rng.random(500) ** 2
    >>> curve = stability(table, sizes=[1, 10, 20])
    >>> curve["correlation"].round(1).tolist()
    [0.4, 0.9, 0.9]
    """
    wrong = 1.0 - mark_table(marks, missing=False)
    sizes = [_checks.whole("sizes", k, 1, len(wrong) // 2) for k in sizes]
    generator, drawn = np.random.default_rng(rng), []
    for _ in range(_checks.whole("repeats", repeats)):
        order = generator.permutation(len(wrong))
        for k in {1, *sizes}:
            one, two = wrong[order[:k]].mean(axis=0), wrong[order[k : 2 * k]].mean(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):  # all words equally hard: NaN
                r = np.corrcoef(one, two)[0, 1]
            drawn.append((k, r, np.abs(one - two).mean()))
    by_size = pd.DataFrame(drawn, columns=["size", "correlation", "change"]).groupby("size")
    table = by_size["correlation"].agg(correlation="mean", low="min", high="max")
    single = table["correlation"][1]
    table["predicted"] = table.index * single / (1 + (table.index - 1) * single)
    table["change"] = by_size["change"].mean()
    return table.loc[sizes].reset_index()


def human_scores(judgements: Any) -> pd.DataFrame:
    """Human ranking of systems by the procedure of the paper's section 5.1.

    For each sentence a judge names the best candidate(s) and the second-best. A system ranked
    first n times and second m times by one judge of S sentences scores (n + m/2)/S there; its
    score is the mean over the judges.

    Parameters
    ----------
    judgements
        A table with columns `judge`, `sentence`, `system` and `rank` (1 best, 2 second-best;
        rows with other ranks, or left out, earn nothing). Ties are allowed.

    Returns
    -------
    DataFrame
        One row per system, best first: `score`, and its `low` and `high` over the judges.

    Raises
    ------
    ValueError
        For a missing column, a rank that is no positive whole number, or the same judge ranking
        the same system twice on a sentence.

    Examples
    --------
    >>> table = pd.DataFrame({"judge": ["x"] * 4, "sentence": [1, 1, 2, 2],
    ...                       "system": ["A", "B", "A", "B"], "rank": [1, 2, 1, 1]})
    >>> human_scores(table)["score"].to_dict()
    {'A': 1.0, 'B': 0.75}
    """
    table = pd.DataFrame(judgements)
    for column in ("judge", "sentence", "system", "rank"):
        if column not in table:
            expected = f"a column {column!r}, got {list(table.columns)}"
            raise InputError("judgements", expected=expected)
    rank = pd.to_numeric(table["rank"], errors="coerce")
    for at in np.flatnonzero(~(rank >= 1) | (rank % 1 != 0)):
        value = table["rank"].iloc[at]
        expected = f"a rank of 1, 2, …, but row {at} has {value!s:.40}"
        raise InputError("judgements", expected=expected)
    for at in np.flatnonzero(table.duplicated(["judge", "sentence", "system"])):
        again = f"row {at} ranks {table['system'].iloc[at]!r} again"
        expected = f"one rank per judge, sentence and system, but {again}"
        raise InputError("judgements", expected=expected)
    points = table.assign(points=rank.map({1: 1.0, 2: 0.5}).fillna(0.0))
    earned = points.pivot_table("points", "system", "judge", aggfunc="sum", fill_value=0.0)
    share = (earned / table.groupby("judge")["sentence"].nunique()).T
    result = share.agg(["mean", "min", "max"]).T.set_axis(["score", "low", "high"], axis=1)
    return result.sort_values("score", ascending=False, kind="stable")
