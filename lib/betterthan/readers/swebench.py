"""Reports of SWE-bench: which instances a run has resolved.

The harness writes one report per run, `MODEL.RUN.json`, with lists of ids. SWE-bench Pro and others
write an object from the instance to true or false, and the harness' own logs one such object per
instance; all three are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from betterthan._words import counted
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._table import loads
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_swebench"]

# The lists of a report in which an instance may stand without being resolved, and why.
_NOT_RESOLVED = {
    "unresolved_ids": "unresolved",
    "empty_patch_ids": "without a patch",
    "error_ids": "with an error",
    "incomplete_ids": "not submitted",
}
_LISTS = ("resolved_ids", "completed_ids", "submitted_ids", *_NOT_RESOLVED)
# owner__name-1234, or instance_owner__name-0123…abcd-vNNN of SWE-bench Pro.
_INSTANCE = re.compile(
    r"(?:instance_)?(?P<repository>[^\s/]+__[^\s/]+?)-(?:\d+$|[0-9a-f]{40}.*)", re.DOTALL
)


def read_swebench(*paths: PathLike) -> tuple[Results, ...]:
    """Which instances were resolved, from one report per run; repositories are the groups.

    Parameters
    ----------
    *paths : str or Path
        One report per run, the old one first.

    Returns
    -------
    tuple of Results
        One per run: 1 for an instance that was resolved, 0 for every other that the report names,
        also those without a patch, with an error or not submitted, as the harness counts them.

    Raises
    ------
    InputError
        For a report without ids, or with an id that stands in two lists that exclude each other.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_swebench(*example("swebench"))
    >>> print(old)
    58 instances in 8 groups: accuracy 0.3276
    """
    return read_sources([Source(path) for path in paths])


def read_sources(sources: Sequence[Source]) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    names = names_of_systems(sources)
    return tuple(_run(source, name) for source, name in zip(sources, names))


def _run(source: Source, name: str) -> Results:
    report = _report(source)
    is_report = "resolved_ids" in report
    resolved, why = _by_lists(source, report) if is_report else (_by_instance(source, report), {})
    found = [_INSTANCE.fullmatch(instance) for instance in resolved]
    repositories = [one["repository"] for one in found if one]
    grouped = len(repositories) == len(found) and len(set(repositories)) > 1
    reading = [f"{counted(len(resolved), 'instance')} of a SWE-bench report"]
    if grouped:
        reading.append("repositories, from the instances' names, are the groups")
    notes = [f"Of {name}, {', '.join(why.values())} count 0."] if why else []
    return Results(
        list(map(float, resolved.values())),
        name=name,
        ids=list(resolved),
        groups=repositories if grouped else None,
        unit="instance",
        metric="accuracy",
        notes=notes,
        reading=reading,
    )


def _report(source: Source) -> dict[str, Any]:
    found = source.kept.get("report")
    if found is None:
        found = source.kept["report"] = loads(source, source.text, 1)
    if not isinstance(found, dict):
        raise source.fault(expected="a report of SWE-bench, an object")
    return found


def _by_lists(source: Source, report: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, str]]:
    """Whether each instance was resolved, and why some were not even tried, in words."""
    lists = {name: _ids(source, name, report.get(name, [])) for name in _LISTS}
    resolved = lists["resolved_ids"]
    for name in _NOT_RESOLVED:
        both = resolved & lists[name]
        if both:
            text = f"{min(both)!r:.60} stands in resolved_ids and in {name}"
            raise source.fault(problem=text, expected="one of the two")
    every = sorted(set().union(*lists.values()))
    if not every:
        raise source.fault(problem="a report without instances")
    said = {
        name: f"{counted(len(lists[name]), 'instance')} {words}"
        for name, words in _NOT_RESOLVED.items()
        if name != "unresolved_ids" and lists[name]
    }
    _refuse_missing(source, report, len(every))
    return {instance: instance in resolved for instance in every}, said


def _refuse_missing(source: Source, report: Mapping[str, Any], found: int) -> None:
    total = report.get("total_instances")
    if isinstance(total, int) and total > found:
        text = f"total_instances is {total:,}, but its lists name {found:,}"
        raise source.fault(problem=text, expected="the id of every instance; is the file whole?")


def _ids(source: Source, name: str, listed: Any) -> set[str]:
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise source.fault(problem=f"{name}={listed!r:.60}", expected="a list of ids")
    return set(listed)


def _by_instance(source: Source, report: Mapping[str, Any]) -> dict[str, bool]:
    """An object from the instance to true or false, or to an object that has `resolved`."""
    found = {}
    for instance, verdict in report.items():
        value = verdict.get("resolved") if isinstance(verdict, dict) else verdict
        if not isinstance(value, bool):
            text = f"{instance!r:.60} is {verdict!r:.60}"
            raise source.fault(problem=text, expected="true or false, or resolved in an object")
        found[instance] = value
    return found


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    source = sources[0]
    if source.folder is not None or source.head.lstrip()[:1] != "{":
        return False
    if '"resolved_ids"' in source.head:
        return True
    # An object of instances: the first key is one, and it is not a line of a JSON table.
    first = re.match(r'\s*\{\s*"([^"]+)"\s*:\s*(true|false|\{)', source.head)
    if first is None or not _INSTANCE.fullmatch(first[1]):
        return False
    try:
        source.kept["report"] = json.loads(source.text)
    except ValueError:
        return False
    return isinstance(source.kept["report"], dict)


FORMAT = Format(
    kind="swebench",
    holds="a report of SWE-bench",
    you_have="reports of SWE-bench, one per run",
    recognises=_recognises,
    read=read_sources,
    options=frozenset(),
    questions=("score", "compare", "plan"),
    example=("swebench/old.json", "swebench/new.json"),
    reader="read_swebench",
    then="`score`, `compare`; repositories are groups",
    compared_by=frozenset({"metric", "unmatched"}),
)
