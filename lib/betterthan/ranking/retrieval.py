"""Rankings of documents for many queries: one number per query, for `betterthan.compare`."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from betterthan._words import plural
from betterthan.errors import InputError
from betterthan.ranking._inputs import candidates

__all__ = ["average_precision_per_query"]


def average_precision_per_query(table: pd.DataFrame, score: str) -> pd.Series:
    """Average precision of one run for every query: what `betterthan.compare` wants.

    Queries, not documents, would be new if a retrieval experiment were repeated, so two runs are
    compared by one number per query. As in trec_eval documents with equal scores come in reverse
    order of their names, and relevant ones that the run did not return count as never found.

    Parameters
    ----------
    table : DataFrame
        From :func:`betterthan.readers.read_trec`: columns `query`, `document`, `gold` and one per
        run, with a row for every document that a run returned or a judge called relevant.
    score : str
        The column of the run; NaN or −inf where it did not return the document.

    Returns
    -------
    Series
        Its index are the queries with a relevant document, its mean is the run's mean average
        precision.

    Raises
    ------
    ValueError
        For a column that is missing, or gold that is not 0/1.

    Warns
    -----
    UserWarning
        For queries without a relevant document, which have no average precision.

    Examples
    --------
    >>> table = pd.DataFrame({"query": ["q1", "q1", "q1", "q2"], "document": ["x", "y", "z", "x"],
    ...                       "gold": [1, 0, 1, 1], "new": [3.0, 2.0, None, 1.0]})
    >>> average_precision_per_query(table, "new").to_dict()
    {'q1': 0.5, 'q2': 1.0}
    """
    for column in ("query", "document", "gold", score):
        if column not in table.columns:
            raise InputError("table", expected=f"a column {column!r}, got {list(table)}")
    ranked = table.sort_values(["query", score, "document"], ascending=[True, False, False])
    (truth,) = candidates(ranked["gold"])
    hits = pd.Series(truth & (ranked[score].to_numpy() > -np.inf), ranked["query"])
    query = hits.groupby(level=0)
    found = (hits * query.cumsum() / (query.cumcount() + 1)).groupby(level=0).sum()
    relevant = pd.Series(truth, hits.index).groupby(level=0).sum()
    if none := (relevant == 0).sum():
        what = plural("query", none)
        warnings.warn(f"{none} {what} without a relevant document left out.", stacklevel=2)
    return (found / relevant)[relevant > 0].rename(score)
