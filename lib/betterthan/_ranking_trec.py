"""TREC run files and relevance judgements, as candidates for a comparison of rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd


def _fields(path: Path, columns: int, example: str) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: expected UTF-8 ({error})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != columns:
            raise ValueError(
                f"{path.name}, line {number}: expected {columns} columns ({example}), "
                f"got {len(fields)}"
            )
        yield number, fields


def _unique(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    twice = table.duplicated(["query", "document"])
    if twice.any():
        row = table[twice].iloc[0]
        raise ValueError(
            f"{path.name}: expected each document once a query, but {row['document']!r} is there "
            f"twice for query {row['query']!r}"
        )
    if table.empty:
        raise ValueError(f"{path.name}: expected at least one line, got none")
    return table


def read_trec_run(path: str | Path) -> pd.DataFrame:
    """Read a TREC run: `query Q0 document rank score tag`, separated by blanks.

    Returns
    -------
    DataFrame
        Columns `query`, `document`, `rank`, `score`, `tag`. As in trec_eval the order comes from
        the scores; the rank column is kept and not used.

    Raises
    ------
    ValueError
        For a line with other than six columns, a score that is no number, a document twice, with
        file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.txt")
    ...     _ = path.write_text("q1 Q0 d1 1 9.5 mine\\nq1 Q0 d2 2 7 mine\\n", encoding="utf-8")
    ...     read_trec_run(path)
      query document  rank  score   tag
    0    q1       d1     1    9.5  mine
    1    q1       d2     2    7.0  mine
    """
    path = Path(path)
    rows = []
    for number, (query, _, document, rank, score, tag) in _fields(
        path, 6, "query Q0 document rank score tag"
    ):
        try:
            value, place = float(score), int(rank)
        except ValueError:
            raise ValueError(
                f"{path.name}, line {number}: rank={rank!r}, score={score!r}, expected numbers"
            ) from None
        if np.isnan(value):
            raise ValueError(f"{path.name}, line {number}: score={score!r}, expected a number")
        rows.append((query, document, place, value, tag))
    table = pd.DataFrame(rows, columns=["query", "document", "rank", "score", "tag"])
    return _unique(table, path)


def read_trec_qrels(path: str | Path) -> pd.DataFrame:
    """Read TREC relevance judgements: `query iteration document relevance`.

    Returns
    -------
    DataFrame
        Columns `query`, `document`, `relevance` (a whole number).

    Raises
    ------
    ValueError
        For a line with other than four columns, a relevance that is no whole number, a document
        twice, with file and line.
    """
    path = Path(path)
    rows = []
    for number, (query, _, document, relevance) in _fields(
        path, 4, "query iteration document relevance"
    ):
        try:
            rows.append((query, document, int(relevance)))
        except ValueError:
            raise ValueError(
                f"{path.name}, line {number}: relevance={relevance!r}, expected a whole number"
            ) from None
    return _unique(pd.DataFrame(rows, columns=["query", "document", "relevance"]), path)


def trec_candidates(
    runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, relevant_from: int = 1
) -> pd.DataFrame:
    """Join runs and judgements: a row per (query, document), ready for `ranking.compare`.

    Parameters
    ----------
    runs
        Tables of :func:`read_trec_run` by name.
    qrels : DataFrame
        Table of :func:`read_trec_qrels`.
    relevant_from : int
        The smallest relevance that counts as relevant.

    Returns
    -------
    DataFrame
        `query`, `document`, `gold` and a column of scores per run. Scores of different queries
        cannot be compared, so a document's score is minus its rank among its query's documents (by
        score; equal scores in reverse order of the names, as trec_eval does); a document that a run
        did not return has −inf. Documents without a judgement count as not relevant, as in
        trec_eval; queries without judgements are left out.

    Raises
    ------
    ValueError
        For no run, a name that is taken, or no judged query in the runs.
    """
    if not runs:
        raise ValueError("runs: expected at least one run, got none")
    table = qrels[["query", "document", "relevance"]].copy()
    table["gold"] = (table.pop("relevance") >= relevant_from).astype(int)
    judged = set(table["query"])
    for name, run in runs.items():
        if name in ("query", "document", "gold"):
            raise ValueError(f"runs: {name!r} is the name of a column, expected another")
        part = run.loc[run["query"].isin(judged), ["query", "document", "score"]]
        part = part.sort_values(
            ["query", "score", "document"], ascending=[True, False, False], kind="stable"
        )
        part[name] = -(part.groupby("query").cumcount() + 1.0)
        table = table.merge(part.drop(columns="score"), how="outer", on=["query", "document"])
    names = list(runs)
    if table[names].notna().sum().sum() == 0:
        raise ValueError("runs: expected queries that are judged, found none")
    table["gold"] = table["gold"].fillna(0).astype(int)
    table[names] = table[names].fillna(-np.inf)
    return table.sort_values(["query", "document"]).reset_index(drop=True)
