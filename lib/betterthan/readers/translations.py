"""Translations and their references, one segment per line: what corpus BLEU is made from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._extras import require
from betterthan._metrics import MetricOfSums
from betterthan._values import Sums
from betterthan.errors import InputError
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import LONGEST_SENTENCE, PathLike, Source
from betterthan.results import Results

__all__ = ["read_translations"]

_NAMES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}


def read_translations(
    references: PathLike | Sequence[PathLike], *hypotheses: PathLike, metric: str = "bleu"
) -> tuple[Results, ...]:
    """Translations and their references, one segment per line: what corpus BLEU is made from.

    The statistics of sacrebleu add up over segments, so `betterthan.score` and `compare` can leave
    segments out and compute the score again. Needs the package sacrebleu, with its defaults.

    Parameters
    ----------
    references : str or Path, or several
        The file of references; a list where there are several for each segment.
    *hypotheses : str or Path
        One file per system, the old one first.
    metric : {"bleu", "chrf", "ter"}
        What is computed, from 0 to 100. Of TER, lower is better.

    Returns
    -------
    tuple of Results
        One per system, with the corpus metric and its direction.

    Raises
    ------
    InputError
        For files with another number of lines, an empty reference, or bytes that are not UTF-8.
    OSError
        For a file that cannot be opened.
    ModuleNotFoundError
        If sacrebleu is not installed.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_translations(*example("translations"))
    >>> print(old)
    60 segments: BLEU 47.1184
    """
    listed = [references] if isinstance(references, str | os.PathLike) else list(references)
    sources = [Source(path) for path in hypotheses]
    return read_sources(sources, [Source(path) for path in listed], metric)


def read_sources(
    sources: Sequence[Source], references: Sequence[Source], metric: str = "bleu"
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    _checks.choice("metric", metric, tuple(_NAMES))
    computed = _sacrebleu(metric)
    for name, given_files in (("hypotheses", sources), ("references", references)):
        if not given_files:
            raise InputError(name, expected="at least one file")
    right = [_segments(source) for source in references]
    for source, lines in zip(references, right):
        for number, line in enumerate(lines, 1):
            if not line.strip():
                raise source.fault(line=number, problem="an empty reference")
    given = [_segments(source, len(right[0])) for source in sources]
    for source, lines in zip([*references, *sources], [*right, *given]):
        if len(lines) != len(right[0]):
            text = f"{len(lines):,} lines, but {len(right[0]):,} in {references[0].path}"
            expected = "one segment per line, in the same order"
            raise source.fault(problem=text, expected=expected)

    def corpus_score(sums: np.ndarray) -> float:
        # Counts are whole but for rounding when segments are taken off again.
        whole = [round(float(x)) if metric != "ter" else float(x) for x in sums]
        return float(computed._compute_score_from_stats(whole).score)

    def of_rows(rows: np.ndarray) -> np.ndarray:
        return np.array([corpus_score(row) for row in rows])

    chosen = MetricOfSums(_NAMES[metric], of_rows, higher_is_better=metric != "ter")
    return tuple(
        Results(
            Sums((_statistics(computed, lines, right),), chosen),
            name=name,
            unit="segment",
            reading=[f"{len(lines):,} segments, {_NAMES[metric]}"],
        )
        for name, lines in zip(names_of_systems(sources), given)
    )


def _sacrebleu(metric: str) -> Any:
    metrics = require("sacrebleu.metrics", extra="translations", what=_NAMES.get(metric, metric))
    known = {"bleu": metrics.BLEU, "chrf": metrics.CHRF, "ter": metrics.TER}
    return known[metric]()


def _statistics(computed: Any, lines: list[str], references: list[list[str]]) -> np.ndarray:
    found = computed._extract_corpus_statistics(lines, references)
    return np.asarray(found, dtype=float)


def _segments(source: Source, wanted: int | None = None) -> list[str]:
    """The lines of a file; what ends the last one ends no empty segment, unless one is missing."""
    lines = source.text.split("\n")
    if lines[-1] == "" and len(lines) != wanted:
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_SENTENCE:
            text = f"a segment of {len(line):,} characters"
            raise source.fault(line=number, problem=text, expected="one segment per line")
    return lines


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    return bool(asked.get("references"))


def _read(sources: Sequence[Source], references: Any, metric: str = "bleu") -> Any:
    listed = [references] if isinstance(references, str | os.PathLike) else list(references)
    return read_sources(sources, [Source(path) for path in listed], metric.lower())


FORMAT = Format(
    kind="translations",
    holds="translations",
    you_have="translations and references, one segment per line (extra `translations`)",
    recognises=_recognises,
    read=_read,
    options=frozenset({"references", "metric"}),
    questions=("score", "compare", "plan"),
    example=("translations/reference.txt", "translations/old.txt", "translations/new.txt"),
    reader="read_translations",
    then="`compare` with corpus BLEU, chrF or TER",
    compared_by=frozenset(),
)
