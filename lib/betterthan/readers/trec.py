"""TREC runs and judgements (qrels)."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan import _checks, _extras
from betterthan._words import counted, some_of
from betterthan.errors import InputError, Say
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import PathLike, Source, as_score
from betterthan.results import Results

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_trec"]

_RUN = "query Q0 document rank score tag"
_QRELS = "query iteration document relevance"

Pairs = dict[tuple[str, str], float]


@dataclass(frozen=True)
class Pools:
    """Judgements and the ranks of two runs.

    Attributes
    ----------
    table : DataFrame
        One row per query and document: ``query``, ``document``, ``gold`` (0 or 1), ``a`` and ``b``.
    notes : tuple of str
        Which queries count 0 or are left out.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]


def read_trec(
    old_run: PathLike,
    new_run: PathLike,
    qrels: PathLike,
    relevant_from: int = 1,
    *,
    missing: str = "refuse",
) -> pd.DataFrame:
    """Two TREC runs and the judgements: one row per query and document.

    Parameters
    ----------
    old_run, new_run : str or Path
        Runs, with the columns ``query Q0 document rank score tag``. As in trec_eval the order comes
        from the scores; the rank column is not used.
    qrels : str or Path
        Judgements, with the columns ``query iteration document relevance``.
    relevant_from : int
        The smallest relevance that counts as relevant.
    missing : {"refuse", "zero", "drop"}
        What to do with queries that have relevant documents and are not in a run: refuse them,
        count them 0 (trec_eval's ``-c``), or leave them out for both runs.

    Returns
    -------
    DataFrame
        ``query``, ``document``, ``gold`` (0 or 1), ``a`` (old) and ``b`` (new), sorted by query
        and document. Scores of different queries cannot be compared, so ``a`` and ``b`` are minus
        the document's rank in its query (by score; equal scores in reverse order of the names, as
        trec_eval does), and −inf where the run did not return it. A document without a judgement
        counts as not relevant, as in trec_eval.

    Raises
    ------
    InputError
        For a line with too few or too many columns, a score that is no number, a document that
        comes twice in a query, no judged query in the runs, or queries that a run does not have;
        with the file and the line.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        For queries without judgements, which are left out, and with ``missing=`` for those that
        count 0 or are left out.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> read_trec(*example("trec")).head(3)
      query document  gold    a    b
    0     1    d0100     0 -inf -9.0
    1     1    d0101     1 -5.0 -7.0
    2     1    d0102     0 -inf -inf
    """
    runs = [Source(old_run), Source(new_run)]
    pools = read_pools(runs, Source(qrels), relevant_from, missing)
    for note in pools.notes:
        warnings.warn(note, stacklevel=2)
    return pools.table


def read_pools(
    runs: Sequence[Source], qrels: Source, relevant_from: int = 1, missing: str = "refuse"
) -> Pools:
    """One row per query and document, and what became of queries that are not everywhere."""
    import pandas as pd

    relevant_from = _checks.whole("relevant_from", relevant_from)
    _checks.choice("missing", missing, ("refuse", "zero", "drop"))
    judged = _numbers(qrels, _QRELS, 3)
    gold = {pair for pair, relevance in judged.items() if relevance >= relevant_from}
    queries = {query for query, _ in judged}
    returned = [_numbers(run, _RUN, 4) for run in runs]
    notes = [note for run, own in zip(runs, returned) for note in _unjudged(run, own, queries)]
    ranks = [_ranks(own, queries) for own in returned]
    if not any(ranks):
        raise qrels.fault(problem="no query of the runs is judged; are they named alike?")
    wanted = {query for query, _ in gold}
    have = [{query for query, _ in own} for own in returned]
    for run, own in zip(runs, have):
        notes += _missing(run, sorted(wanted - own), missing)
    everywhere = have[0].intersection(*have[1:])
    absent = wanted - everywhere if missing == "drop" else set()
    if absent:
        notes.append(f"{_queries(sorted(absent))} not in both runs left out.")
    rows = [
        (*pair, int(pair in gold), *(rank.get(pair, -math.inf) for rank in ranks))
        for pair in sorted(set(judged).union(*ranks))
        if pair[0] not in absent
    ]
    names = ["a", "b"][: len(runs)]
    table = pd.DataFrame(rows, columns=["query", "document", "gold", *names])
    return Pools(table, tuple(dict.fromkeys(notes)))


def _numbers(source: Source, names: str, place: int) -> Pairs:
    """By query and document the number in the column `place`: a score, or a relevance."""
    found: Pairs = {}
    width = len(names.split())
    for line, text in source.lines():
        fields = text.split()
        if not fields:
            continue
        if len(fields) != width:
            expected = f"{width} columns ({names}), found {text!r:.80}"
            raise source.fault(line=line, expected=expected)
        pair, number = (fields[0], fields[2]), as_score(fields[place])
        if number is None or (place == 3 and number % 1):
            expected = "a whole number" if place == 3 else "a number"
            raise source.fault(
                line=line, expected=f"{expected} in column {place + 1}: {text!r:.80}"
            )
        if pair in found:
            text = f"this document comes twice for its query: {text!r:.80}"
            raise source.fault(line=line, problem=text)
        found[pair] = number
    if not found:
        raise source.fault(problem="no rows", expected=f"the columns {names}")
    return found


def _unjudged(run: Source, own: Pairs, queries: set[str]) -> list[str]:
    lost = sorted({query for query, _ in own} - queries)
    return [f"{Path(run.path).name}: {_queries(lost)} without judgements left out."] if lost else []


def _missing(run: Source, gone: Sequence[str], missing: str) -> list[str]:
    if not gone or missing == "drop":
        return []
    if missing == "refuse":
        text = f"{_queries(gone)} with relevant documents not in this run; is it cut off?"
        ways = [Say("missing", "zero", "to count them 0"), Say("missing", "drop")]
        raise run.fault(problem=text, ways=ways)
    return [f"{_queries(gone)} not in {Path(run.path).name} count 0."]


def _ranks(run: Pairs, queries: set[str]) -> Pairs:
    """Minus the rank of each document in its query."""
    returned, ranks = dict.fromkeys(queries, 0), {}
    for _, document, query in sorted(((run[q, d], d, q) for q, d in run), reverse=True):
        if query in queries:
            returned[query] += 1
            ranks[query, document] = -float(returned[query])
    return ranks


def _queries(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'query')} ({some_of(names)})"


# --- Measures -----------------------------------------------------------------------------------

# What people call a measure, and what ir_measures does; a number behind it is the cut-off.
_SPELLED = {
    "ap": "AP",
    "map": "AP",
    "averageprecision": "AP",
    "meanaverageprecision": "AP",
    "ndcg": "nDCG",
    "ndcgcut": "nDCG",
    "p": "P",
    "prec": "P",
    "precision": "P",
    "r": "R",
    "recall": "R",
    "rr": "RR",
    "mrr": "RR",
    "reciprank": "RR",
    "mapcut": "AP",
    "success": "Success",
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "rprec": "Rprec",
    "bpref": "Bpref",
    "infap": "infAP",
    "err": "ERR",
    "rbp": "RBP",
    "setp": "SetP",
    "setr": "SetR",
    "setf": "SetF",
    "judged": "Judged",
}
_NAMED = re.compile(r"(?P<name>.*?)(?:[@_ -]+(?P<cut>[0-9]+))?", re.ASCII)
# Names in which a precision and a recall are asked of so many documents.
_NEEDS_A_CUT = frozenset({"P", "R", "Success"})


def measure_name(metric: str) -> str:
    """A measure as ir_measures spells it: "ndcg_cut_10" is "nDCG@10", "MRR" is "RR".

    Parameters
    ----------
    metric : str
        As people, trec_eval or ir_measures spell it.

    Returns
    -------
    str
        What is not known goes on as it is, for ir_measures to judge.

    Raises
    ------
    InputError
        For a precision, recall or success without the number of documents.

    Examples
    --------
    >>> [measure_name(name) for name in ("ndcg@10", "P_5", "MRR", "recall_100", "map", "nDCG")]
    ['nDCG@10', 'P@5', 'RR', 'R@100', 'AP', 'nDCG']
    """
    found = _NAMED.fullmatch(metric.strip())
    assert found is not None
    name = _SPELLED.get(re.sub(r"[^a-z]", "", found["name"].lower()))
    if name is None or not re.fullmatch(r"[A-Za-z_ -]*", found["name"]):
        return metric
    if found["cut"] is None and name in _NEEDS_A_CUT:
        text = f"of how many documents? {name}@10 asks of the first ten"
        raise InputError("metric", metric, problem=text, ways=[Say("metric", f"{name}@10")])
    return name if found["cut"] is None else f"{name}@{found['cut']}"


def _by_ir_measures(
    runs: Sequence[Source], qrels: Source, metric: str, queries: Sequence[str]
) -> list[list[float]]:
    """For every run the measure of each of these queries; 0 for a query that it does not have."""
    ir_measures = _extras.require("ir_measures", extra="retrieval", what=f"The measure {metric}")
    try:
        measure = ir_measures.parse_measure(metric)
    except (ValueError, NameError, SyntaxError, TypeError) as error:
        known = "AP, nDCG@10, P@5, R@100, RR, RR@10, Success@1, Rprec, Bpref, ERR@20, …"
        text = f"no measure that ir_measures knows ({error!s:.60})"
        raise InputError("metric", metric, problem=text, expected=known) from None
    wanted = set(queries)
    judged = [
        ir_measures.Qrel(query, document, int(relevance))
        for (query, document), relevance in _numbers(qrels, _QRELS, 3).items()
        if query in wanted
    ]
    found = []
    for run in runs:
        scored = [
            ir_measures.ScoredDoc(query, document, score)
            for (query, document), score in _numbers(run, _RUN, 4).items()
            if query in wanted
        ]
        values = dict.fromkeys(queries, 0.0)
        try:
            for one in ir_measures.iter_calc([measure], judged, scored):
                values[one.query_id] = float(one.value)
        except (ValueError, RuntimeError, OSError) as error:
            text = f"ir_measures cannot compute it here ({error!s:.80})"
            raise InputError("metric", metric, problem=text) from None
        found.append(list(values.values()))
    return found


# --- The format ---------------------------------------------------------------------------------


def read_sources(
    sources: Sequence[Source],
    gold: PathLike | None = None,
    missing: str = "refuse",
    metric: str | None = None,
) -> tuple[Results, ...]:
    """A measure of every query, of one run or two: average precision, unless another is asked."""
    from betterthan import ranking

    if gold is None:
        way = Say("gold", when="with the judgements (qrels)")
        raise sources[0].fault(problem="a TREC run without judgements", ways=[way])
    if len(sources) > 2:
        raise sources[2].fault(expected=f"one or two TREC runs, found {len(sources)}")
    if metric is not None and not isinstance(metric, str):
        raise InputError("metric", metric, expected="the name of a measure, such as nDCG@10")
    asked = measure_name(metric or "AP")
    both = sources if len(sources) == 2 else [sources[0], sources[0]]
    pools = read_pools(both, Source(gold), missing=missing)
    averages = [ranking.average_precision_per_query(pools.table, name) for name in "ab"]
    queries = [str(query) for query in averages[0].index]
    if asked in ("AP", "mean"):
        values, quantity = [own.to_numpy() for own in averages], "average precision"
    else:
        values, quantity = _by_ir_measures(both, Source(gold), asked, queries), asked
    reading = [f"judgements {gold}"]
    if quantity == asked:
        reading.append(f"{asked} of every query, by ir_measures")
    return tuple(
        Results(
            own,
            name=name,
            ids=queries,
            unit="query",
            quantity=quantity,
            notes=pools.notes,
            reading=reading,
        )
        for name, own in zip(names_of_systems(sources), values)
    )


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if sources[0].folder is not None:
        return False
    first = next((line for line in sources[0].head.split("\n") if line.strip()), "")
    fields = first.split()
    return len(fields) == 6 and fields[1] == "Q0"


FORMAT = Format(
    kind="trec",
    holds="a TREC run",
    you_have="TREC runs and judgements (qrels)",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"gold", "missing", "metric"}),
    questions=("score", "compare", "plan"),
    example=("old.run", "new.run", "judgements.qrels"),
    reader="read_trec",
    then="`compare` by average precision, or by nDCG@10, P@5, MRR … (extra `retrieval`)",
    compared_by=frozenset(),
)
