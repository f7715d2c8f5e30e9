"""Words with their analysis in ten columns (CoNLL-U, as Universal Dependencies has them).

A system's file holds its own analysis, and the gold standard is a file of its own. What is counted
are words right and wrong in one of the columns, sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from betterthan._words import counted
from betterthan.counts import Counts, count_classes
from betterthan.errors import InputError, Say
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import PathLike, Source
from betterthan.results import Results

__all__ = ["read_conllu"]

WIDTH = 10
# Where each column stands; of some, two say more than one.
COLUMNS: dict[str, tuple[int, ...]] = {
    "LEMMA": (2,),
    "UPOS": (3,),
    "XPOS": (4,),
    "FEATS": (5,),
    "HEAD": (6,),
    "DEPREL": (7,),
    "LAS": (6, 7),
}
# What people also call them.
_ALSO = {"UAS": "HEAD", "POS": "UPOS", "LEMMAS": "LEMMA", "TAG": "XPOS", "DEP": "DEPREL"}
_WORD = re.compile(r"[1-9][0-9]*", re.ASCII)
# A contraction ("2-3 don't") and a word that is not in the text ("2.1").
_NO_WORD = re.compile(r"[0-9]+[-.][0-9]+", re.ASCII)
_NEWDOC = re.compile(r"# *newdoc(?: +id *= *(?P<name>.*\S))? *$")
# Of more values than these macro-F1 says nothing, and counts by class take the memory.
_MOST_CLASSES = 1_000


def read_conllu(
    *paths: PathLike,
    gold: PathLike | None = None,
    column: str = "UPOS",
    metric: str | None = None,
    groups: Sequence[Any] | None = None,
) -> tuple[Results, ...]:
    """Words right and wrong per sentence, from the CoNLL-U files of systems and a gold standard.

    Ranges (``3-4`` for a contraction) and empty nodes (``2.1``) are no words and are left out.
    Documents begin with ``# newdoc``; where there are two or more they are the groups.

    Parameters
    ----------
    *paths : str or Path
        One file per system, the old one first; all with the words of the gold standard.
    gold : str or Path
        The gold standard.
    column : str
        What is compared: "UPOS", "XPOS", "LEMMA", "FEATS", "HEAD" (which is UAS), "DEPREL" (with
        its subtypes), or "LAS" (HEAD and DEPREL).
    metric : str, optional
        "accuracy" (the default), or "macro_f1" of a column of labels. One of the columns may be
        named here, too.
    groups : sequence, optional
        The document of each sentence, instead of ``# newdoc``.

    Returns
    -------
    tuple of Results
        One per system, with ``unit="sentence"``.

    Raises
    ------
    InputError
        For no gold standard, another column, rows that have not ten columns, words that differ from
        those of the gold standard, or a gold column with one value only; with the file and the
        line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> *files, gold = example("conllu")
    >>> old, new = read_conllu(*files, gold=gold)
    >>> print(old)
    65 sentences in 12 groups: accuracy 0.9030
    """
    if not paths:
        raise InputError("paths", expected="at least one file")
    sources = [Source(path) for path in paths]
    return read_sources(sources, gold=gold, column=column, metric=metric, groups=groups)


def read_sources(
    sources: Sequence[Source],
    gold: PathLike | None = None,
    column: str | None = None,
    metric: str | None = None,
    groups: Any = None,
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    if gold is None:
        text = "CoNLL-U, which has no column for what a system says beside what is right"
        way = Say("gold", when="with the gold standard, a file of its own")
        raise sources[0].fault(problem=text, ways=[way])
    metric, column = _metric_and_column(metric, column)
    right = _parsed(Source(gold))
    systems = [_parsed(source) for source in sources]
    for own in systems:
        own.refuse_other_words(right)
    documents = _documents([right, *systems]) if groups is None else groups
    counts = _counts(right, systems, column)
    reading = [
        f"{counted(sum(map(len, right.lines)), 'word')} of CoNLL-U; gold standard {gold}",
        f"the column {column} is compared" + (", with subtypes" if "DEP" in column else ""),
    ]
    if groups is None and documents is not None:
        reading.append("documents by # newdoc")
    return tuple(
        Results(
            own,
            name=name,
            groups=documents,
            metric=metric or "accuracy",
            notes=[f"What is compared is {column}, word by word."],
            reading=reading,
        )
        for own, name in zip(counts, names_of_systems(sources))
    )


def _metric_and_column(metric: str | None, column: str | None) -> tuple[str | None, str]:
    """What is asked, and of which column: people name the column as the metric, too."""
    named = _column(metric)
    if metric is not None and named is not None:
        if column is not None and _column(column) != named:
            text = f"names another column than {column!r:.40}"
            raise InputError("metric", metric, problem=text, expected="one of the two")
        return None, named
    found = _column(column or "UPOS")
    if found is None:
        expected = f"one of {', '.join([*COLUMNS, 'UAS'])}"
        raise InputError("column", column, expected=expected)
    return metric, found


def _column(name: Any) -> str | None:
    """The column that a name means, in any letters; None for no name of one."""
    upper = name.upper() if isinstance(name, str) else ""
    upper = _ALSO.get(upper, upper)
    return upper if upper in COLUMNS else None


# --- A file -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Treebank:
    """The words of one file: for every sentence the lines, the rows and the document."""

    source: Source
    lines: list[list[int]]
    rows: list[list[list[str]]]
    documents: list[str]

    def cells(self, column: str) -> list[list[str]]:
        """For every sentence what its words have in a column."""
        places = COLUMNS[column]
        return [[" ".join(row[i] for i in places) for row in rows] for rows in self.rows]

    def refuse_other_words(self, gold: _Treebank) -> None:
        """Refuse what is not split into the words of the gold standard."""
        end = (0, "the end of the file")
        for (line, a), (there, b) in zip_longest(self._flat(), gold._flat(), fillvalue=end):
            if a != b:
                place = gold.source.path + (f", line {there}" if there else "")
                raise self.source.fault(
                    line=line or None,
                    problem=f"{a!r:.60}, but {b!r:.60} in {place}",
                    expected="the same words in the same sentences (analyse the words of the gold "
                    "standard, not the running text)",
                )

    def _flat(self) -> list[tuple[int, str]]:
        found = []
        for lines, rows in zip(self.lines, self.rows):
            found += [(line, row[1]) for line, row in zip(lines, rows)]
            found.append((lines[-1] + 1, "the end of a sentence"))
        return found


def _parsed(source: Source) -> _Treebank:
    found = _Treebank(source, [], [], [])
    document, inside, n_documents = "", False, 0
    for number, line in source.lines():
        if not line.strip():
            inside = False
            continue
        if line.startswith("#"):
            begins = _NEWDOC.match(line)
            if begins:
                n_documents += 1
                document = begins["name"] or f"document {n_documents}"
            continue
        row = _row(source, number, line)
        if row is None:
            continue
        if not inside:
            inside = True
            found.lines.append([])
            found.rows.append([])
            found.documents.append(document)
        found.lines[-1].append(number)
        found.rows[-1].append(row)
    if not found.rows:
        raise source.fault(problem="no words", expected="CoNLL-U, one word per line")
    return found


def _row(source: Source, number: int, line: str) -> list[str] | None:
    """The cells of a word; None for a contraction or an empty node."""
    cells = line.split("\t")
    if len(cells) != WIDTH:
        cut = "; is the file cut off?" if len(cells) < WIDTH else ""
        expected = f"{WIDTH} columns with tabs between them, found {len(cells)}: {line!r:.80}{cut}"
        raise source.fault(line=number, expected=expected)
    if _WORD.fullmatch(cells[0]):
        return cells
    if _NO_WORD.fullmatch(cells[0]):
        return None
    expected = f"a word's number, a range such as 3-4 or a node such as 2.1, found {cells[0]!r:.40}"
    raise source.fault(line=number, expected=expected)


def _documents(banks: Sequence[_Treebank]) -> list[str] | None:
    """The document of each sentence; one document alone is no grouping."""
    found = [bank for bank in banks if len(set(bank.documents)) > 1]
    for bank in found:
        if bank.documents != found[0].documents:
            text = f"its # newdoc lines differ from those of {found[0].source.path}"
            raise bank.source.fault(problem=text, expected="the same documents")
    return found[0].documents if found else None


def _counts(gold: _Treebank, systems: Sequence[_Treebank], column: str) -> list[Counts]:
    """Words right and wrong per sentence; by class where there are not too many."""
    right = [cell for sentence in gold.cells(column) for cell in sentence]
    if len(set(right)) == 1:
        text = f"the column {column} has one value only, {right[0]!r:.40}"
        others = [name for name in COLUMNS if len({c for s in gold.cells(name) for c in s}) > 1]
        ways = [Say("column", name) for name in others[:3]]
        raise gold.source.fault(problem=text, expected="a gold standard that varies", ways=ways)
    starts = np.cumsum([0, *(len(rows) for rows in gold.rows[:-1])])
    answers = [[cell for sentence in own.cells(column) for cell in sentence] for own in systems]
    for own, answer in zip(systems, answers):
        if len(set(answer)) == 1:
            text = f"the column {column} has one value only, {answer[0]!r:.40}, in every word"
            raise own.source.fault(problem=text, expected="what the system says of each word")
    classes = sorted(set(right).union(*answers))
    if len(classes) > _MOST_CLASSES or column in ("HEAD", "LAS"):
        return [_right_and_wrong(right, answer, starts) for answer in answers]
    found = []
    for answer in answers:
        words = count_classes(right, answer, classes=classes)
        parts = [np.add.reduceat(part, starts) for part in (words.tp, words.fp, words.fn)]
        found.append(Counts(parts[0], parts[1], parts[2], unit="sentence"))
    return found


def _right_and_wrong(right: list[str], answer: list[str], starts: np.ndarray) -> Counts:
    hits = np.array([a == b for a, b in zip(right, answer)], dtype=np.int64)
    tp, wrong = np.add.reduceat(hits, starts), np.add.reduceat(1 - hits, starts)
    return Counts(tp, wrong, wrong, unit="sentence")


# --- The format -------------------------------------------------------------------------------


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    """Ten columns with tabs, the first of which numbers words."""
    source = sources[0]
    if source.folder is not None or source.is_packed or asked.get("columns"):
        return False
    lines = (one for one in source.head.split("\n") if one.strip() and not one.startswith("#"))
    cells = next(lines, "").split("\t")
    return len(cells) == WIDTH and bool(re.fullmatch(r"1|1-[0-9]+|0\.1", cells[0]))


FORMAT = Format(
    kind="conllu",
    holds="CoNLL-U",
    you_have="CoNLL-U (Universal Dependencies): a file per system, and the gold standard",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"gold", "column", "metric", "groups"}),
    questions=("score", "compare", "plan"),
    example=("conllu/old.conllu", "conllu/new.conllu", "conllu/gold.conllu"),
    reader="read_conllu",
    then="`score`, `compare`: UPOS, or another column",
    untyped=frozenset({"groups"}),
    compared_by=frozenset(),
)
