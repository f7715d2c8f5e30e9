"""Tags in columns, one word per line, a blank line after each sentence (CoNLL).

Spans (names, chunks, words) are counted as found, invented and missed; tags without spans (parts
of speech) are counted word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._words import counted, some_of
from betterthan.counts import SCHEMES, Counts, convert, count_classes, count_spans
from betterthan.errors import InputError, Say
from betterthan.readers._format import Format, names_of_systems
from betterthan.readers._text import PathLike, Source, separator_of
from betterthan.results import Results

__all__ = ["read_columns", "read_conll"]

# Every scheme's spans are read by one rule (see `betterthan.counts`), which needs to know what
# begins a span, what ends one and what goes on: these say it in the words of IOBES.
_IN_IOBES = {
    "B": "B",
    "I": "I",
    "E": "E",
    "S": "S",
    "L": "E",
    "U": "S",
    "M": "I",
    "B2": "I",
    "B3": "I",
}
_PREFIXES: dict[str | None, Iterable[str]] = {
    "IO": "I",
    "IOB1": "BI",
    "IOB2": "BI",
    "IOBES": "BIES",
    "BMES": "BMES",
    "BILOU": "BILU",
    "BB2B3MES": ("B", "B2", "B3", "M", "E", "S"),
    None: _IN_IOBES,
}
_MOST_TAGS = 1_000


@dataclass(frozen=True)
class Block:
    """The rows between two blank lines, the line of each, and the number of the document."""

    lines: list[int]
    rows: list[list[str]]
    document: int


@dataclass(frozen=True)
class Layout:
    """How the columns of a file are written down."""

    separator: str | None = None
    comments: str | None = None
    # The first cell may be empty, as in corpora that kept a place for a character they could not
    # write.
    empty_words: bool = False

    def __post_init__(self) -> None:
        for name in ("separator", "comments"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and value):
                raise InputError(name, value, expected="a character, or None")

    def cells(self, line: str, separator: str) -> list[str]:
        """The cells of one line."""
        if separator == " ":
            return [cell for cell in line.replace("\t", " ").split(" ") if cell]
        return [cell.strip(" ") or cell for cell in line.split(separator)]


def parse_columns(text: str, source: str, width: int | None, layout: Layout) -> list[Block]:
    """Sentences of rows of cells; `source` is what errors call the file."""
    blocks: list[Block] = []
    document, inside, separator = 0, False, separator_of(layout.separator)
    # Not str.splitlines: tweets hold U+2028 and U+0085, which end no row.
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip(" \t"):
            inside = False
            continue
        if layout.comments is not None and line.startswith(layout.comments):
            continue
        separator = separator or ("\t" if "\t" in line else " ")
        cells = layout.cells(line, separator)
        if cells[0] == "-DOCSTART-":
            document, inside = document + 1, False
            continue
        width = width or len(cells)
        if len(cells) != width:
            last = number == len(lines)
            raise _other_width(text, source, number, line, len(cells), width, layout, last)
        if "" in cells[int(layout.empty_words) :]:
            column = cells.index("", int(layout.empty_words)) + 1
            text = f"column {column} is empty: {line!r:.80}"
            raise InputError(file=source, line=number, problem=text)
        if not inside:
            blocks.append(Block([], [], document))
            inside = True
        blocks[-1].lines.append(number)
        blocks[-1].rows.append(cells)
    if not blocks:
        raise InputError(file=source, problem="no rows", expected="one word per line")
    return blocks


def _other_width(
    text: str,
    source: str,
    number: int,
    line: str,
    found: int,
    width: int,
    layout: Layout,
    last: bool,
) -> InputError:
    expected = f"{width} columns, found {found}: {line!r:.80}"
    if found < width and last:
        expected += "; is the file cut off?"
    # A remark is this line, or was the first and said how many columns there are.
    remarks = layout.comments is None and (line.startswith("# ") or text.lstrip().startswith("# "))
    ways = [Say("comments", "# ", "if lines with # are remarks")] if remarks else []
    return InputError(file=source, line=number, expected=expected, ways=ways)


@dataclass(frozen=True)
class Columns:
    """A file of columns: for every sentence its lines, its document and its columns by name."""

    source: str
    lines: list[list[int]]
    documents: list[int]
    columns: dict[str, list[tuple[str, ...]]]
    places: dict[str, int]  # of each of them, from the left
    width: int  # how many the file has
    three_alike: bool  # the last three columns hold tags with the same labels

    @classmethod
    def read(cls, source: Source, columns: Any, encoding: str, layout: Layout) -> Columns:
        """The columns asked for, by names from left to right or by their places."""
        named = isinstance(columns, Mapping)
        if not named and (not isinstance(columns, list | tuple) or len({*columns}) < len(columns)):
            raise InputError("columns", columns, expected="different names, or a mapping")
        text = source.text if encoding == "utf-8" else source.decoded(encoding)
        blocks = parse_columns(text, source.path, None if named else len(columns), layout)
        width = len(blocks[0].rows[0])
        wanted = columns if named else dict(zip(columns, range(width)))
        places = _places(source, wanted, width)
        cells = {
            name: [tuple(row[place] for row in block.rows) for block in blocks]
            for name, place in places.items()
        }
        lines = [block.lines for block in blocks]
        documents = [block.document for block in blocks]
        alike = _three_alike(blocks, width)
        return cls(source.path, lines, documents, cells, places, width, alike)

    def refuse_others(self, other: Columns) -> None:
        """Refuse what has not the words and gold tags of `other`, sentence by sentence."""
        names = [n for n in ("word", "gold") if n in self.columns and n in other.columns]
        ours, theirs = list(self._flat(names)), list(other._flat(names))
        end = (0, ("the end of the file",))
        for (line, a), (other_line, b) in zip_longest(ours, theirs, fillvalue=end):
            if a != b:
                if "word" in names:
                    self._refuse_missing(other)
                there = other.source + (f", line {other_line}" if other_line else "")
                text = f"{' '.join(a)!r:.60}, but {' '.join(b)!r:.60} in {there}"
                raise InputError(
                    file=self.source,
                    line=line,
                    problem=text,
                    expected="the same sentences and gold tags",
                )

    def _refuse_missing(self, other: Columns) -> None:
        """Where one file goes on a few sentences later in the other, those between are missing."""
        ours, theirs = self.columns["word"], other.columns["word"]
        pairs = enumerate(zip_longest(ours, theirs))
        start = next((place for place, (a, b) in pairs if a != b), None)
        if start is None:  # the words are the same, and the gold tags are not
            return
        found = [
            (_goes_on(ours, theirs, start) - start, self, other),
            (_goes_on(theirs, ours, start) - start, other, self),
        ]
        there = [one for one in found if one[0] > 0]
        if not there:
            return
        n, short, whole = min(there, key=lambda one: one[0])
        inside = start < len(short.lines)
        seems = f"{counted(n, 'sentence')} {'seems' if n == 1 else 'seem'} to be missing"
        words = " ".join(whole.columns["word"][start])
        text = f"{seems} {'before this line' if inside else 'at the end'}: {words!r:.60}"
        it = "it" if n == 1 else "them"
        expected = f"the same sentences in all files: predict {it}, or take {it} out of the others"
        raise InputError(
            file=short.source,
            line=short.lines[start][0] if inside else None,
            problem=f"{text} of {whole.source}, line {whole.lines[start][0]}",
            expected=expected,
        )

    def first_tags(self, name: str) -> dict[str, str]:
        """The labels of a column, but for O, each with the tag that has it first."""
        found: dict[str, str] = {}
        for tag in dict.fromkeys(tag for tags in self.columns[name] for tag in tags):
            if tag != "O":
                prefix, _, label = tag.partition("-")
                found.setdefault(label if prefix in _IN_IOBES else tag, tag)
        return found

    def place(self, name: str) -> str:
        """Where a column stands, in words."""
        return f"column {self.places[name] + 1} of {self.width}"

    def _flat(self, names: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        for i, lines in enumerate(self.lines):
            cells = [self.columns[name][i] for name in names] or [("",) * len(lines)]
            yield from zip(lines, zip(*cells))
            yield lines[-1] + 1, ("the end of a sentence",)

    def has_spans(self, name: str) -> bool:
        """Whether the tags of a column write spans, in any scheme."""
        tags = {tag for own in self.columns[name] for tag in own}
        return all(tag == "O" or tag.partition("-")[0] in _IN_IOBES for tag in tags)

    def spans(self, name: str, scheme: str | None) -> list[list[str]]:
        """The tags of a column in the words of IOBES."""
        written: dict[str, str] = {"O": "O"}
        for lines, tags in zip(self.lines, self.columns[name]):
            for line, tag in zip(lines, tags):
                prefix, hyphen, label = tag.partition("-")
                if tag not in written and prefix not in _PREFIXES[scheme]:
                    raise self._no_span(name, line, tag, scheme)
                written.setdefault(tag, _IN_IOBES.get(prefix, "") + hyphen + label)
        return [[written[tag] for tag in tags] for tags in self.columns[name]]

    def _no_span(self, name: str, line: int, tag: str, scheme: str | None) -> InputError:
        known = f"O, or {', '.join(_PREFIXES[scheme])} with or without a label"
        return InputError(
            file=self.source,
            line=line,
            problem=f"the {name.split()[0]} tag {tag!r:.60}",
            expected=f"{known}, such as B-PER",
            ways=[Say("scheme", "plain", "for tags without spans, such as parts of speech")],
        )


def _places(source: Source, columns: Mapping[str, int], width: int) -> dict[str, int]:
    """The place of each column from the left."""
    places: dict[str, int] = {}
    if width < len(columns):
        wanted = ", ".join(name.split()[0] for name in columns)
        way = Say("gold", when="for a gold standard in a file of its own")
        has = "1 column" if width == 1 else f"{width} columns"
        raise source.fault(problem=f"has {has}, too few for {wanted}", ways=[way])
    for name, number in columns.items():
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not -width <= number < width or number % width in places.values():
            text = f"columns[{name!r:.60}]={number!r:.60}: {source.path} has {width} columns"
            expected = f"a number from {-width} to {width - 1}, each once"
            way = Say("gold", when="for a gold standard in a file of its own")
            raise InputError(problem=text, expected=expected, ways=[way])
        places[name] = number % width
    return places


def _goes_on(short: Sequence[Any], whole: Sequence[Any], start: int) -> int:
    """Where the other file goes on as this one does from `start`; 0 if nowhere."""
    if start >= len(short):
        return len(whole)
    two = short[start : start + 2]
    later = range(start + 1, len(whole))
    return next((place for place in later if whole[place : place + 2] == two), 0)


def _three_alike(blocks: Sequence[Block], width: int) -> bool:
    """Whether the last three columns hold the same labels: gold and two systems?"""
    if width <= 3:
        return False
    labels = [
        {row[place].partition("-")[2] for block in blocks for row in block.rows} - {""}
        for place in (-3, -2, -1)
    ]
    return bool(labels[0] & (labels[1] | labels[2]))


# --- Reading ----------------------------------------------------------------------------------


def read_columns(
    path: PathLike,
    columns: Sequence[str] | Mapping[str, int] = ("word", "gold", "predicted"),
    *,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, list[tuple[str, ...]]]:
    """The columns of a CoNLL file as they stand: one word per line, a blank line after a sentence.

    Parameters
    ----------
    path : str or Path
        The file. ``-DOCSTART-`` lines are left out.
    columns
        The names of all columns from left to right, or a mapping from name to column number (0 is
        the first, -1 the last) to take some of them.
    separator, comments, encoding
        As for `read_conll`.

    Returns
    -------
    dict of str to list of tuple
        For each name the sentences, each a tuple of strings, ready for
        `betterthan.counts.count_spans`.

    Raises
    ------
    InputError
        For a row with too few or too many columns, bytes that are not text in `encoding`, a file
        cut off in the middle of a row, or no rows at all; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> data = read_columns(example("conll")[0])
    >>> data["word"][0], data["gold"][0][-2:]
    (('Shares', 'of', 'Kaltsee', 'Bank', 'fell', 'by', 'three', 'per', 'cent', '.'), ('O', 'O'))
    >>> read_columns(example("conll")[0], {"predicted": -1})["predicted"] == data["predicted"]
    True
    """
    layout = Layout(separator, comments)
    return Columns.read(Source(path), columns, encoding, layout).columns


def read_conll(
    *paths: PathLike,
    gold: PathLike | None = None,
    scheme: str | None = None,
    columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
) -> tuple[Results, ...]:
    """Spans found, invented and missed per sentence, from files of tags in columns.

    One word per line with its tags, a blank line after each sentence. The word comes first; the
    last two columns are the gold tag and the predicted one. Where the gold standard is a file
    of its own (`gold`), the tag is the last column of every file.

    Parameters
    ----------
    *paths : str or Path
        One file per system, the old one first. All must have the same words and gold tags.
    gold : str or Path, optional
        A file with the gold standard, where the systems' files have only their own tags.
    scheme : str, optional
        One of `betterthan.counts.SCHEMES` or "BILOU", and tags of another are refused. The default
        None takes the tags of all of them; one rule reads the spans of every scheme. "plain" is
        for tags without spans (parts of speech): every word counts, and accuracy or
        ``metric="macro_f1"`` is what to ask of them. Where the gold tags write no spans in any
        scheme, they are read as plain, and the reading says so.
    columns : mapping, optional
        Where the columns are, from 0 or, from the right, -1; the default is
        ``{"word": 0, "gold": -2, "predicted": -1}``, with ``"gold": -1`` for a gold standard of its
        own. Without "word" the files' words are not compared. Where one file holds several systems,
        "predicted" is a list: ``{"word": 0, "gold": 1, "predicted": [2, 3]}``.
    groups : array-like, optional
        The document of each sentence. The default None counts documents by their ``-DOCSTART-``
        lines, where a file has two or more.
    separator : str, optional
        What stands between columns; None takes tabs where the first row has a tab, and otherwise
        runs of blanks.
    comments : str, optional
        Leave out lines that begin with this, such as ``"# "``. The default None takes every line as
        data: in tweets a word often begins with ``#``.
    encoding : str
        How the files are encoded.

    Returns
    -------
    tuple of Results
        One per system, in their order, with ``unit="sentence"``.

    Raises
    ------
    InputError
        For files that do not have the same sentences or gold tags, tags that are no spans, tags
        that share no label with the column taken for gold where `columns` is not given, and
        whatever `read_columns` refuses; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> old, new = read_conll(*example("conll"))
    >>> print(old)
    120 sentences in 12 groups: F1 0.8114
    >>> print(new)
    120 sentences in 12 groups: F1 0.8747
    """
    if not paths:
        raise InputError("paths", expected="at least one file")
    return read_sources(
        [Source(path) for path in paths],
        gold=gold,
        scheme=scheme,
        columns=columns,
        groups=groups,
        separator=separator,
        comments=comments,
        encoding=encoding,
    )


def read_sources(
    sources: Sequence[Source],
    gold: PathLike | None = None,
    scheme: str | None = None,
    columns: Any = None,
    groups: Any = None,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
) -> tuple[Results, ...]:
    """The same, of files that are open already."""
    if scheme is not None:
        _checks.choice("scheme", scheme, (*SCHEMES, "BILOU", "plain"))
    wanted = _wanted(columns, gold is not None)
    predicted = [name for name in wanted if name.startswith("predicted")]
    layout = Layout(separator, comments)
    tables = _tables(sources, gold, wanted, encoding, layout)
    systems = tables if gold is None else tables[1:]
    plain = scheme == "plain" or (scheme is None and not tables[0].has_spans("gold"))
    if columns is None:
        _refuse_wrong_guess(tables, plain, apart=gold is not None)
    given = [(table, name) for table in systems for name in predicted]
    documents = _documents(tables) if groups is None else groups
    notes: list[tuple[str, ...]] = [()] * len(given)
    if plain:
        counts = _count_words(tables[0], given)
    else:
        counts, notes = _count_spans(tables[0], given, scheme)
    reading = [
        f"{len(counts[0]):,} sentences",
        *(["documents by -DOCSTART- lines"] if groups is None and documents is not None else []),
        f"tags: {'plain, every word counts' if plain else scheme or 'spans, any scheme'}",
        *([_NAMED_BY_COLUMN] if len(predicted) > 1 else []),
    ]
    return tuple(
        Results(own, name=name, groups=documents, notes=more, reading=reading)
        for own, name, more in zip(counts, _names(sources, predicted, wanted), notes)
    )


def places(
    source: Source,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
    **options: Any,
) -> dict[str, list[int]]:
    """The document of each sentence, where there are several, and the line where it begins.

    Parameters
    ----------
    source : Source
        The file.
    separator, comments, encoding
        As in `read_conll`; other options change nothing.

    Returns
    -------
    dict of str to list of int
    """
    text = source.text if encoding == "utf-8" else source.decoded(encoding)
    blocks = parse_columns(text, source.path, None, Layout(separator, comments))
    found = {"document": [block.document for block in blocks]}
    if len(set(found["document"])) == 1:
        found = {}
    return found | {"line": [block.lines[0] for block in blocks]}


_NAMED_BY_COLUMN = "systems are called by their columns; 0 is the first, -1 the last"


def _refuse_wrong_guess(tables: Sequence[Columns], plain: bool, apart: bool) -> None:
    """Nobody said which column is what: refuse those that do not look like gold and a system."""
    if not apart and tables[0].three_alike:
        _refuse_three(tables[0])
    for table in tables[1:] if apart else tables:
        if plain or table.has_spans("predicted 0"):
            _refuse_other_labels(tables[0] if apart else table, table)


def _tables(
    sources: Sequence[Source],
    gold: PathLike | None,
    wanted: Mapping[str, int],
    encoding: str,
    layout: Layout,
) -> list[Columns]:
    """The columns of each file, that of the gold standard first where it stands apart."""
    predicted = {name for name in wanted if name.startswith("predicted")}
    files: list[tuple[Source, set[str]]] = []
    if gold is not None:
        files.append((Source(gold), predicted))
    files += [(source, set() if gold is None else {"gold"}) for source in sources]
    tables: list[Columns] = []
    for source, absent in files:
        own = {name: place for name, place in wanted.items() if name not in absent}
        tables.append(Columns.read(source, own, encoding, layout))
        tables[-1].refuse_others(tables[0])
    return tables


def _refuse_other_labels(gold: Columns, table: Columns) -> None:
    """Tags that share no label with the gold standard mean that it is another column, or file."""
    right, own = gold.first_tags("gold"), table.first_tags("predicted 0")
    if not right or not own or right.keys() & own.keys():
        return
    there = f"{gold.place('gold')}{'' if gold is table else f' of {gold.source}'}"
    golden, given = (some_of(list(tags.values()), 3) for tags in (right, own))
    text = (
        f"{there} is taken for the gold standard, with tags such as {golden}, and "
        f"{table.place('predicted 0')} for the system, with tags such as {given}: "
        "they share no label"
    )
    apart = "for a gold standard in a file of its own" if gold is table else "if it is another file"
    other = "if they are others: the numbers of word, gold and system, 0 is first"
    ways = [Say("gold", when=apart), Say("columns", when=other)]
    raise InputError(file=table.source, problem=text, ways=ways)


def _wanted(columns: Any, apart: bool) -> dict[str, int]:
    """Where word, gold and each system stand: predicted 0, predicted 1 …"""
    if columns is None:
        return {"word": 0, "gold": -1 if apart else -2, "predicted 0": -1}
    if isinstance(columns, list | tuple):  # word, gold and the systems, as they are typed
        columns = dict(zip(("word", "gold"), columns[:2])) | {"predicted": list(columns[2:])}
    if not isinstance(columns, Mapping) or not {"gold", "predicted"} <= set(columns):
        raise InputError("columns", columns, expected="the numbers of gold and predicted")
    several = columns["predicted"]
    several = several if isinstance(several, list | tuple) else [several]
    if not several:
        raise InputError("columns", columns, expected="the numbers of word, gold and each system")
    rest = {key: number for key, number in columns.items() if key != "predicted"}
    return rest | {f"predicted {place}": number for place, number in enumerate(several)}


def _refuse_three(table: Columns) -> None:
    text = "the last three columns hold the same kind of tags: gold and two systems?"
    both = {"word": 0, "gold": -3, "predicted": [-2, -1]}
    one = {"word": 0, "gold": -2, "predicted": -1}
    ways = [Say("columns", both), Say("columns", one, "if only the last is a system's")]
    raise InputError(file=table.source, problem=text, ways=ways)


def _documents(tables: Sequence[Columns]) -> list[int] | None:
    """The document of each sentence; one document alone is no grouping."""
    found = [table for table in tables if len(set(table.documents)) > 1]
    for table in found:
        if table.documents != found[0].documents:
            text = f"its -DOCSTART- lines differ from those of {found[0].source}"
            expected = "the same documents (or, in Python, groups= with that of each sentence)"
            raise InputError(file=table.source, problem=text, expected=expected)
    return found[0].documents if found else None


def _names(sources: Sequence[Source], predicted: Sequence[str], wanted: Any) -> list[str]:
    """Systems are called as their files are, and by the column where a file has several."""
    stems = names_of_systems(sources)
    if len(predicted) == 1:
        return stems
    return [f"{stem}:{wanted[name]}" for stem in stems for name in predicted]


def _count_words(gold: Columns, given: Sequence[tuple[Columns, str]]) -> list[Counts]:
    """Words right and wrong per sentence and class: tags that have no spans."""
    right = gold.columns["gold"]
    answers = [table.columns[name] for table, name in given]
    tags = sorted({tag for own in (right, *answers) for sentence in own for tag in sentence})
    gold_tags = {tag for sentence in right for tag in sentence}
    if len(tags) > _MOST_TAGS or len(gold_tags) == 1:
        text = f"{len(tags):,} tags, such as {some_of(tags, 3)}"
        if len(gold_tags) == 1:
            text = f"the gold column has one value only, {next(iter(gold_tags))!r:.40}"
        raise InputError(file=gold.source, problem=text, ways=[Say("columns", when="if others")])
    starts = np.cumsum([0, *(len(sentence) for sentence in right[:-1])])
    flat = [tag for sentence in right for tag in sentence]
    found = []
    for own in answers:
        words = count_classes(flat, [tag for sentence in own for tag in sentence], classes=tags)
        parts = [np.add.reduceat(part, starts) for part in (words.tp, words.fp, words.fn)]
        found.append(Counts(parts[0], parts[1], parts[2], unit="sentence"))
    return found


def _count_spans(
    gold: Columns, given: Sequence[tuple[Columns, str]], scheme: str | None
) -> tuple[list[Counts], list[tuple[str, ...]]]:
    """Spans found, invented and missed per sentence, and what was repaired."""
    right = gold.spans("gold", scheme)
    spans = [table.spans(name, scheme) for table, name in given]
    counts = [count_spans(right, own, "IOBES") for own in spans]
    first = _broken(right, scheme, gold.source)
    notes = [first + _broken(own, scheme, table.source) for own, (table, _) in zip(spans, given)]
    return counts, notes


def _broken(sentences: list[list[str]], scheme: str | None, source: str) -> tuple[str, ...]:
    """Says how many sentences do not keep the rules of the scheme that was asked for."""
    if scheme is None:  # every scheme is allowed
        return ()
    rules = scheme if scheme in ("IO", "IOB1", "IOB2") else "IOBES"
    n = sum(convert(tags, "IOBES", rules) != tuple(tags) for tags in sentences)
    breaks = "sentence breaks" if n == 1 else "sentences break"
    said = f"{n:,} {breaks} the rules of {scheme} and {'is' if n == 1 else 'are'} repaired."
    return (f"{Path(source).name}: {said}",) if n else ()


# --- The format -------------------------------------------------------------------------------


def has_sentences(head: str) -> bool:
    """Whether blank lines divide its rows, as in CoNLL files and in no table."""
    return bool(re.search(r"\S\n[ \t]*\n\s*\S", head))


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    source = sources[0]
    if source.folder is not None or source.is_packed or source.head.lstrip()[:1] in ("{", "["):
        return False
    lines = [one for one in source.head.split("\n") if one.strip()]
    first = next((one for one in lines if not one.startswith("# ")), "")
    if first.startswith("-DOCSTART-"):
        return True
    width = len(first.split("\t" if "\t" in first else None))
    if width < 2 or (asked.get("scheme") or asked.get("columns") or asked.get("comments")):
        return width >= 2
    in_columns = "\t" in first or not any(mark in first for mark in ",;") or width > 2
    tags = {line.split()[-1] for line in lines[:50] if not line.startswith("# ")}
    tagged = all(tag == "O" or tag.partition("-")[0] in _IN_IOBES for tag in tags)
    return in_columns and (has_sentences(source.head) or tagged)


FORMAT = Format(
    kind="conll",
    holds="tags in columns",
    you_have="tags in CoNLL columns (spans, or parts of speech), one or more systems, the gold "
    "standard inside or apart",
    recognises=_recognises,
    read=read_sources,
    options=frozenset({"gold", "scheme", "columns", "comments", "groups", "separator", "encoding"}),
    questions=("score", "compare", "plan"),
    example=("old.conll", "new.conll"),
    reader="read_conll",
    then="`score`, `compare`",
    untyped=frozenset({"groups", "encoding"}),
    compared_by=frozenset({"metric"}),
)
