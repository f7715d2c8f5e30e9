"""Files that are known and not read: each is named for what it is, with what to do instead.

A file that is somebody else's would often pass for a table, and then be refused, or compared, as
something that it is not. So these are asked first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from betterthan.readers._text import Source

__all__ = ["ELSEWHERE", "Elsewhere", "refuse_elsewhere"]


@dataclass(frozen=True)
class Elsewhere:
    """One kind of file that is not read.

    Attributes
    ----------
    name : str
        What it is.
    recognises : callable
        Takes the source; whether it is of this kind.
    instead : str
        What to export, or to do.
    """

    name: str
    recognises: Callable[[Source], bool]
    instead: str


def _has(*marks: str) -> Callable[[Source], bool]:
    """A JSON file whose first characters have all these marks."""

    def recognises(source: Source) -> bool:
        if source.folder is not None or source.head.lstrip()[:1] not in ("{", "["):
            return False
        return all(mark in source.head for mark in marks)

    return recognises


def _first_line_has(*marks: str) -> Callable[[Source], bool]:
    """A JSON file whose first line has all these marks."""

    def recognises(source: Source) -> bool:
        if source.folder is not None:
            return False
        first = source.head.lstrip().split("\n", 1)[0]
        return first.startswith("{") and all(mark in first for mark in marks)

    return recognises


def _begins(*magic: bytes) -> Callable[[Source], bool]:
    """A file that begins with one of these bytes."""

    def recognises(source: Source) -> bool:
        return source.folder is None and source.data.startswith(magic)

    return recognises


def _is_aggregated(source: Source) -> bool:
    """Of lm-evaluation-harness, without the samples."""
    if source.folder is not None:
        found = any(source.folder.rglob("results_*.json"))
        return found and not any(source.folder.rglob("samples_*.jsonl"))
    return bool(
        _has('"results"')(source)
        and re.search(r'"(n-shot|higher_is_better|config_general|lm_eval_version)"', source.head)
        and re.search(r'"\w+,[\w-]+": ', source.head)
    )


def _is_brat(source: Source) -> bool:
    if source.folder is not None:
        return False
    lines = [one for one in source.head.split("\n")[:20] if one.strip()]
    spans = [one for one in lines if re.match(r"T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t", one)]
    return bool(spans) and len(spans) == sum(one.startswith("T") for one in lines)


def _is_other_zip(source: Source) -> bool:
    """A zip that is neither a workbook nor a log."""
    data = source.data if source.folder is None else b""
    known = (b"xl/", b"[Content_Types].xml", b"header.json", b"_journal/", b"summaries.json")
    return data.startswith(b"PK\x03\x04") and not any(part in data for part in known)


_PER_ITEM = "one row per item, such as id,old,new"

ELSEWHERE: tuple[Elsewhere, ...] = (
    Elsewhere(
        "a record of OpenAI evals",
        _first_line_has('"spec"', '"eval_name"'),
        "one line per sample, from those of type match: "
        "jq -c 'select(.type==\"match\")|{id:.sample_id,score:.data.correct}' FILE > old.jsonl",
    ),
    Elsewhere(
        "per-instance statistics of HELM",
        _has('"instance_id"', '"train_trial_index"', '"stats"'),
        "one line per instance (of the original ones, if there are perturbations) with the metric "
        "you mean: jq -c '.[]|{id:.instance_id,"
        'score:(.stats[]|select(.name.name=="exact_match").mean)}\' FILE > old.jsonl',
    ),
    Elsewhere(
        "a test run of deepeval",
        _has('"testCases"', '"metricsData"'),
        "one line per test case: jq -c '.testCases[]|{id:.name,score:.success}' FILE > old.jsonl",
    ),
    Elsewhere(
        "a result of MTEB, one score for the whole task",
        _has('"mteb_version"', '"scores"'),
        "a table with one row per task and the main_score of each model: dataset,old,new",
    ),
    Elsewhere(
        "an export of Label Studio",
        _has('"annotations"', '"from_name"', '"to_name"'),
        "the export as CONLL2003 (of spans), or as CSV with the columns id, gold and prediction",
    ),
    Elsewhere(
        "annotations of brat",
        _is_brat,
        "CoNLL columns: brat's own tools/anntoconll.py turns .txt and .ann into them",
    ),
    Elsewhere(
        "aggregated results of lm-evaluation-harness, without the answers to single questions",
        _is_aggregated,
        "the files samples_TASK_TIME.jsonl, which lm_eval writes with --log_samples",
    ),
    Elsewhere(
        "an old Excel workbook (.xls)",
        _begins(b"\xd0\xcf\x11\xe0"),
        "the table saved as CSV or .xlsx",
    ),
    Elsewhere("a zip archive", _is_other_zip, "the files in it: unpack it first"),
    Elsewhere("a database of SQLite", _begins(b"SQLite format 3"), f"a CSV with {_PER_ITEM}"),
    Elsewhere("a PDF", _begins(b"%PDF"), f"a CSV with {_PER_ITEM}"),
    Elsewhere(
        "an array of numpy (.npy)",
        _begins(b"\x93NUMPY"),
        "in Python compare(numpy.load(old), numpy.load(new)); here a number per line",
    ),
    Elsewhere(
        "a pickle of Python",
        _begins(b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        f"a CSV with {_PER_ITEM}: DataFrame.to_csv writes one",
    ),
    Elsewhere(
        "a page in HTML",
        lambda source: (
            source.folder is None
            and source.head.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))
        ),
        "the file itself; was a page saved in its place?",
    ),
)


def refuse_elsewhere(sources: Sequence[Source]) -> None:
    """Refuse files that are known for something that is not read.

    Parameters
    ----------
    sources : sequence of Source
        The files.

    Raises
    ------
    InputError
        With what the first such file is, and what to do.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> refuse_elsewhere([Source(example("scores"))])  # a table: nothing is refused
    """
    for source in sources:
        for known in ELSEWHERE:
            if known.recognises(source):
                raise source.fault(problem=f"this is {known.name}", expected=known.instead)
