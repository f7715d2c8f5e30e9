"""Per-sample results of lm-evaluation-harness (``--log_samples``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._metrics import LOWER_IS_BETTER
from betterthan._words import some_of
from betterthan.errors import InputError
from betterthan.readers import _logs
from betterthan.readers._format import Format
from betterthan.readers._table import loads
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_lm_eval"]

_SAMPLES = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?", re.DOTALL)
# What lm-evaluation-harness writes for each sample beside the metrics.
_NOT_METRICS = {
    "arguments",
    "doc",
    "doc_hash",
    "doc_id",
    "filter",
    "filtered_resps",
    "metrics",
    "prompt_hash",
    "resps",
    "target",
    "target_hash",
}
_USUAL = ("acc", "exact_match")


def read_lm_eval(
    *models: PathLike | Iterable[PathLike],
    metric: str | Mapping[str, str] | None = None,
    filter: str | Mapping[str, str] | None = None,
    unmatched: str = "refuse",
) -> dict[str, tuple[Results, ...]]:
    """Per-sample results of lm-evaluation-harness (``--log_samples``), every task by its metric.

    Parameters
    ----------
    *models
        Of each model, the old one first: its folder, with files ``samples_TASK_TIME.jsonl`` in it
        or below; or one such file; or several. There may be one run of each task.
    metric : str or mapping, optional
        Which metric, for all tasks or task by task. The default None takes ``acc`` where a task
        has it, else ``exact_match``, else its only metric; a task with several others is refused.
    filter : str or mapping, optional
        Which filter, where a task was scored with several (gsm8k has ``"strict-match"`` and
        ``"flexible-extract"``).
    unmatched : {"refuse", "drop"}
        What to do with a task or a document that not all models have: "drop" leaves it out and
        says so in a warning.

    Returns
    -------
    dict of str to tuple of Results
        For each task, in alphabetical order, one `Results` per model, with one number per document.

    Raises
    ------
    InputError
        For no such files, two runs of a task, a line that is not JSON or has no ``doc_id``, the
        same document twice, a value that is missing or not finite, a metric or filter that is not
        there or must be chosen, a task or document that only some have, or documents with the
        same number that are not the same (their hashes differ); with the file and the line.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        With ``unmatched="drop"``, for what was left out.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> tasks = read_lm_eval(*example("lm_eval"))
    >>> [(task, old.quantity) for task, (old, new) in tasks.items()][-2:]
    [('riddles', 'acc'), ('sums', 'exact_match')]
    >>> print(*tasks["sums"], sep=" | ")
    100 documents: mean exact_match 0.4900 | 100 documents: mean exact_match 0.6700
    """
    sources = [_logs.sources_of("models", one) for one in models]
    return read_sources(sources, metric=metric, filter=filter, unmatched=unmatched)


def read_sources(
    sources: Sequence[Sequence[Source]],
    metric: Any = None,
    filter: Any = None,
    unmatched: str = "refuse",
) -> _logs.Tasks:
    """The same, of files that are open already."""
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    if not sources:
        raise InputError("models", expected="at least one folder or file")
    files = [_by_task(own) for own in sources]
    tasks = set().union(*files)
    _logs.check_by_task("metric", metric, tasks)
    _logs.check_by_task("filter", filter, tasks)
    names = _logs.model_names(sources)

    def read(logs: Sequence[Source], task: str) -> tuple[Results, ...]:
        return _models_of_task(logs, task, names, metric, filter, unmatched)

    return _logs.together(files, unmatched, read)


def _by_task(sources: Sequence[Source]) -> dict[str, Source]:
    """The log of each task."""
    tasks: dict[str, Source] = {}
    for item in sources:
        found = [item]
        if item.folder is not None:
            found = [Source(path) for path in sorted(item.folder.rglob("samples_*.jsonl"))]
        if not found:
            expected = "a folder with files samples_TASK_TIME.jsonl, or one such file"
            how = "lm-evaluation-harness writes them with --log_samples"
            raise item.fault(expected=f"{expected} ({how})")
        for source in found:
            matched = _SAMPLES.fullmatch(source.stem)
            task = matched["task"] if matched else source.stem
            if task in tasks:
                raise _logs.second_run(source, task, tasks[task].path, found)
            tasks[task] = source
    return dict(sorted(tasks.items()))


@dataclass(frozen=True)
class _Sample:
    """One line of a log."""

    line: int
    digest: str  # of the document
    metrics: dict[str, Any]


def _samples(source: Source) -> dict[tuple[str, int], _Sample]:
    """The samples by filter and document."""
    samples: dict[tuple[str, int], _Sample] = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        record = loads(source, line, number)
        document = record.get("doc_id") if isinstance(record, dict) else None
        if not isinstance(document, int) or isinstance(document, bool) or abs(document) >= 2**63:
            raise source.fault(line=number, expected="an object with a whole doc_id")
        key = str(record.get("filter", "none")), document
        if key in samples:
            text = f"doc_id={document} with the filter {key[0]!r:.60} comes twice, first in line"
            raise source.fault(line=number, problem=f"{text} {samples[key].line}")
        names = record.get("metrics") or record.keys() - _NOT_METRICS
        if not isinstance(names, list | set) or not all(isinstance(name, str) for name in names):
            raise source.fault(line=number, problem=f"metrics={names!r:.60}", expected="names")
        metrics = {name: record.get(name) for name in names}
        samples[key] = _Sample(number, str(record.get("doc_hash", "")), metrics)
    if not samples:
        raise source.fault(problem="no samples", expected="a JSON object per line")
    return samples


@dataclass(frozen=True)
class _Task:
    """One model on one task: a number and the hash of every document."""

    source: Source
    metric: str
    filter: str
    values: dict[int, float]
    hashes: dict[int, str]
    others: list[str]  # metrics that the log also has


def _one_model(source: Source, task: str, metric: Any, filter: Any) -> _Task:
    samples = _samples(source)
    logged = [pair for sample in samples.values() for pair in sample.metrics.items()]
    known = sorted({name for name, value in logged if isinstance(value, int | float)})
    chosen = _logs.pick(source, task, "metric", metric, known, _USUAL)
    having = {key[0] for key, sample in samples.items() if chosen in sample.metrics}
    picked = _logs.pick(source, task, "filter", filter, sorted(having))
    values, hashes = {}, {}
    for (name, document), sample in samples.items():
        if name == picked:
            value = sample.metrics.get(chosen)
            if not isinstance(value, int | float) or not abs(value) < 1e100:
                text = f"{chosen:.60}={value!r:.60}"
                raise source.fault(line=sample.line, problem=text, expected="a finite number")
            values[document], hashes[document] = float(value), sample.digest
    asked = metric.get(task) if isinstance(metric, Mapping) else metric
    others = [name for name in known if name != chosen] if asked is None else []
    return _Task(source, chosen, picked, values, hashes, others)


def _models_of_task(
    logs: Sequence[Source],
    task: str,
    names: Sequence[str],
    metric: Any,
    filter: Any,
    unmatched: str,
) -> tuple[Results, ...]:
    """All models on one task, on the documents that all of them have."""
    first = _one_model(logs[0], task, metric, filter)
    rest = [_one_model(log, task, {task: first.metric}, {task: first.filter}) for log in logs[1:]]
    models = [first, *rest]
    documents = _logs.shared(f"documents of {task!r}", [own.values for own in models], unmatched)
    for own in rest:
        _refuse_other_documents(first, own, documents)
    return tuple(_results(own, task, name, documents) for own, name in zip(models, names))


def _refuse_other_documents(first: _Task, own: _Task, documents: Sequence[int]) -> None:
    for i in documents:
        here, there = own.hashes[i], first.hashes[i]
        if here != there and here and there:
            text = f"doc_id={i} is another document than in {first.source.path} (by its doc_hash)"
            raise own.source.fault(problem=text, expected="the same version of the task")


def _results(own: _Task, task: str, name: str, documents: Sequence[int]) -> Results:
    reading = [f"task {task}", f"metric {own.metric}"]
    if own.filter != "none":
        reading.append(f"filter {own.filter}")
    if own.others:
        reading.append(f"the log also has {some_of(own.others)}")
    return Results(
        np.array([own.values[i] for i in documents]),
        name=name,
        ids=documents,
        unit="document",
        quantity=own.metric,
        higher_is_better=False if own.metric.lower() in LOWER_IS_BETTER else None,
        reading=reading,
    )


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    source = sources[0]
    if source.folder is not None:
        return any(Path(source.folder).rglob("samples_*.jsonl"))
    first = source.head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"doc_id"' in first and '"doc"' in first


def _read(sources: Sequence[Source], task: str | None = None, **options: Any) -> Any:
    return _logs.only_task(read_sources([[one] for one in sources], **options), task)


FORMAT = Format(
    kind="lm_eval",
    holds="a log of lm-evaluation-harness",
    you_have="per-sample logs of lm-evaluation-harness, a folder per model",
    recognises=_recognises,
    read=_read,
    options=frozenset({"metric", "filter", "unmatched", "task"}),
    questions=("score", "compare", "datasets", "plan"),
    example=("lm_eval/old", "lm_eval/new"),
    reader="read_lm_eval",
    then="`compare` per task, `replicability.analyse`",
    compared_by=frozenset(),
)
