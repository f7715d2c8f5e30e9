"""Segmented text: one sentence per line, words separated by white space."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from betterthan.counts import count_spans, words_to_labels
from betterthan.errors import Say
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import LONGEST_SENTENCE, PathLike, Source
from betterthan.results import Results

__all__ = ["read_words"]


def read_words(path: PathLike) -> list[list[str]]:
    """Segmented text: one sentence per line, words separated by white space.

    Parameters
    ----------
    path : str or Path
        The file. An empty line is refused: it would move the sentences of one file against those
        of another.

    Returns
    -------
    list of list of str
        The words of each sentence.

    Raises
    ------
    InputError
        For an empty line or file, a line of more than 100,000 characters, or bytes that are not
        UTF-8; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> gold, old, new, *judges = (read_words(path) for path in example("words"))
    >>> gold[1]
    ['隔壁', '的', '木匠', '研究', '生命', '起源']
    >>> old[1]
    ['隔壁', '的', '木匠', '研', '究', '生命', '起源']
    """
    return _sentences(Source(path))


def _sentences(source: Source) -> list[list[str]]:
    sentences = []
    for number, line in enumerate(source.text.rstrip().split("\n"), 1):
        words = line.split()
        if not words or len(line) > LONGEST_SENTENCE:
            text = f"a line of {len(line):,} characters" if words else "an empty line"
            raise source.fault(line=number, problem=text, expected="one sentence per line")
        sentences.append(words)
    return sentences


def read_sources(sources: Sequence[Source], gold: PathLike | None = None) -> tuple[Results, ...]:
    """F1 of words per sentence, of one system per file beside the gold standard."""
    if gold is None:
        way = Say("gold", when="with the gold standard")
        raise sources[0].fault(problem="segmented words, and nothing to compare with", ways=[way])
    standard = Source(gold)
    right = _sentences(standard)
    labels = [words_to_labels(words, "BMES") for words in right]
    found = []
    for name, source in zip(names_of_systems(sources), sources):
        given = _sentences(source)
        _refuse_other_text(source, given, standard, right)
        own = [words_to_labels(words, "BMES") for words in given]
        counts = count_spans(labels, own, "BMES")
        reading = ["words, one sentence per line", f"gold {standard.path}"]
        found.append(Results(counts, name=name, reading=reading))
    return tuple(found)


def _refuse_other_text(
    source: Source, given: Sequence[Sequence[str]], gold: Source, right: Sequence[Sequence[str]]
) -> None:
    if len(given) != len(right):
        text = f"{len(given):,} sentences, but {len(right):,} in {gold.path}"
        raise source.fault(problem=text, expected="the same sentences")
    for number, (ours, theirs) in enumerate(zip(given, right), 1):
        if "".join(ours) != "".join(theirs):
            text = f"another text than in {gold.path}: {' '.join(ours)!r:.60}"
            raise source.fault(line=number, problem=text, expected="the same characters")


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    if sources[0].folder is not None or not isinstance(asked.get("gold"), str | os.PathLike):
        return False
    gold = asked["gold"]
    return os.path.exists(gold) and not os.path.isdir(gold)


FORMAT = Format(
    kind="words",
    holds="segmented words",
    you_have="segmented text, one sentence per line",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"gold"}),
    questions=("score", "compare", "plan"),
    example=("words/gold.txt", "words/old.txt", "words/new.txt"),
    reader="read_words",
    then="`compare` for F1 of words; `psychometrics`: who handles the hard words",
    compared_by=frozenset({"metric"}),
)
