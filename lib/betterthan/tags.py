"""Tag schemes for spans and for words, and counting of spans.

A *span* is a triple ``(start, end, label)`` with `end` exclusive, so that
``words[start:end]`` is what it covers. Six schemes write spans as one tag for each
position; a tag is a prefix, or a prefix, a hyphen and a label (``"B"``, ``"B-PER"``):

========= ====================================================== ==================
scheme    prefixes                                               a span of 5
========= ====================================================== ==================
IO        I                                                      I I I I I
IOB1      I; B only where a span touches one of the same label   I I I I I
IOB2      B, I                                                   B I I I I
IOBES     B, I, E; S for a span of one                           B I I I E
BMES      B, M, E; S for a span of one                           B M M M E
BB2B3MES  B, B2, B3, M, E; S for a span of one                   B B2 B3 M E
========= ====================================================== ==================

``"O"`` is a position outside all spans. Words are spans without a label (``""``) that
leave nothing outside.

Model output breaks the rules of its scheme now and then. *The repair rule* is that of
the CoNLL shared tasks' scorer, for all schemes: every tag but O belongs to a span; a
span begins at B or S, after O, E or S, at the start of the sequence, and where the
label changes; it ends where the next begins, before O, and at the end of the sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from . import _checks

__all__ = [
    "SCHEMES",
    "Span",
    "SpanCounts",
    "convert",
    "count_spans",
    "from_spans",
    "labels_to_words",
    "to_spans",
    "words_to_labels",
]

Span = tuple[int, int, str]

# For each scheme and prefix: what may come next when the span goes on, and whether the
# span may stop there.
_GRAMMAR: dict[str, dict[str, tuple[frozenset[str], bool]]] = {
    "IO": {"I": (frozenset("I"), True)},
    "IOB1": {"I": (frozenset("I"), True), "B": (frozenset("I"), True)},
    "IOB2": {"B": (frozenset("I"), True), "I": (frozenset("I"), True)},
    "IOBES": {
        "B": (frozenset("IE"), False),
        "I": (frozenset("IE"), False),
        "E": (frozenset(), True),
        "S": (frozenset(), True),
    },
    "BMES": {
        "B": (frozenset("ME"), False),
        "M": (frozenset("ME"), False),
        "E": (frozenset(), True),
        "S": (frozenset(), True),
    },
    "BB2B3MES": {
        "B": (frozenset({"B2", "E"}), False),
        "B2": (frozenset({"B3", "E"}), False),
        "B3": (frozenset("ME"), False),
        "M": (frozenset("ME"), False),
        "E": (frozenset(), True),
        "S": (frozenset(), True),
    },
}
SCHEMES: tuple[str, ...] = tuple(_GRAMMAR)
# The prefixes that may begin a span.
_OPENING = {"IO": "I", "IOB1": "IB", "IOB2": "B", "IOBES": "BS", "BMES": "BS", "BB2B3MES": "BS"}
_ALL_PREFIXES = frozenset(prefix for grammar in _GRAMMAR.values() for prefix in grammar)


class SpanCounts(NamedTuple):
    """Spans found, invented and missed, one number a sentence.

    Attributes
    ----------
    tp : array
        Spans in both (true positives).
    fp : array
        Spans predicted that are not in the gold standard (false positives).
    fn : array
        Spans of the gold standard that were not predicted (false negatives).
    """

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    @property
    def precision(self) -> float:
        """tp / (tp + fp) over all sentences; NaN where nothing was predicted."""
        return _ratio(self.tp.sum(), self.tp.sum() + self.fp.sum())

    @property
    def recall(self) -> float:
        """tp / (tp + fn) over all sentences; NaN where there is nothing to find."""
        return _ratio(self.tp.sum(), self.tp.sum() + self.fn.sum())

    @property
    def f1(self) -> float:
        """2 tp / (2 tp + fp + fn) over all sentences; NaN where both are empty."""
        twice = 2 * self.tp.sum()
        return _ratio(twice, twice + self.fp.sum() + self.fn.sum())

    def __str__(self) -> str:
        found, invented, missed = (int(counts.sum()) for counts in self)
        return (
            f"{_number(found, 'span')} found, {invented} invented, {missed} missed in "
            f"{_number(len(self.tp), 'sentence')}: precision {self.precision:.4f}, "
            f"recall {self.recall:.4f}, F1 {self.f1:.4f}"
        )


def to_spans(labels: Sequence[str], scheme: str = "IOB2", repair: bool = True) -> list[Span]:
    """The spans that a sequence of tags writes down.

    Parameters
    ----------
    labels
        One tag for each position.
    scheme : str
        One of `SCHEMES`.
    repair : bool
        Read a sequence that breaks the scheme by the repair rule (see the top of this module); with
        False such a sequence is refused.

    Returns
    -------
    list of tuple
        ``(start, end, label)`` with `end` exclusive, in order.

    Raises
    ------
    ValueError
        For an unknown scheme, a tag that the scheme does not have, or, with ``repair=False``, a tag
        that may not stand where it stands.

    Examples
    --------
    >>> to_spans(["B-PER", "I-PER", "O", "B-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    >>> to_spans(["O", "I-PER", "I-LOC"])
    [(1, 2, 'PER'), (2, 3, 'LOC')]
    >>> to_spans(["O", "I-PER", "I-LOC"], repair=False)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: labels[1]='I-PER' after 'O': not allowed in IOB2; ...
    """
    _checks.choice("scheme", scheme, SCHEMES)
    spans = _spans(labels, frozenset(_GRAMMAR[scheme]), scheme)
    if not repair:
        _refuse(labels, scheme)
    return spans


def from_spans(spans: Iterable[Span], length: int, scheme: str = "IOB2") -> tuple[str, ...]:
    """The tags that write `spans` down in a sequence of `length` positions.

    In the IO scheme spans of the same label that touch run together: that scheme
    cannot keep them apart.

    Raises
    ------
    ValueError
        For an unknown scheme, a span that is empty, outside the sequence or on top of another.

    Examples
    --------
    >>> from_spans([(0, 2, "PER"), (3, 4, "LOC")], 4, "IOBES")
    ('B-PER', 'E-PER', 'O', 'S-LOC')
    >>> from_spans([(0, 5, "")], 5, "BB2B3MES")
    ('B', 'B2', 'B3', 'M', 'E')
    """
    _checks.choice("scheme", scheme, SCHEMES)
    length = _checks.whole("length", length, least=0)
    tags = ["O"] * length
    free, previous = 0, None
    for start, end, label in sorted(spans):
        if not 0 <= start < end <= length:
            raise ValueError(
                f"spans: {(start, end, label)!r} does not fit: expected "
                f"0 <= start < end <= length={length}"
            )
        if start < free:
            raise ValueError(
                f"spans: {(start, end, label)!r} begins before the span before it ends, at {free}"
            )
        touches = start == free and label == previous
        suffix = f"-{label}" if label else ""
        tags[start:end] = [
            prefix + suffix for prefix in _prefixes(end - start, scheme, touches=touches)
        ]
        free, previous = end, label
    return tuple(tags)


def convert(
    labels: Sequence[str], source: str, target: str, repair: bool = True
) -> tuple[str, ...]:
    """The same spans written in another scheme.

    Raises
    ------
    ValueError
        As `to_spans`.

    Examples
    --------
    >>> convert(["I-ORG", "I-ORG", "B-ORG", "O"], "IOB1", "IOB2")
    ('B-ORG', 'I-ORG', 'B-ORG', 'O')
    >>> convert("BESBME", "BMES", "BB2B3MES")
    ('B', 'E', 'S', 'B', 'B2', 'E')
    """
    _checks.choice("source", source, SCHEMES)
    _checks.choice("target", target, SCHEMES)
    return from_spans(to_spans(labels, source, repair), len(labels), target)


def words_to_labels(words: Iterable[str], scheme: str = "BMES") -> tuple[str, ...]:
    """One tag for each character of segmented text.

    Raises
    ------
    ValueError
        For an unknown scheme, the scheme IO (it cannot write the border between two words), or an
        empty word.

    Examples
    --------
    >>> words_to_labels(["我们", "是", "中国人"])
    ('B', 'E', 'S', 'B', 'M', 'E')
    >>> words_to_labels(["中华人民共和国"], "BB2B3MES")
    ('B', 'B2', 'B3', 'M', 'M', 'M', 'E')
    """
    _checks.choice("scheme", scheme, tuple(name for name in SCHEMES if name != "IO"))
    tags: list[str] = []
    for number, word in enumerate(words):
        if not word:
            raise ValueError(f"words[{number}] is empty: expected at least one character")
        tags += _prefixes(len(word), scheme, touches=number > 0)
    return tuple(tags)


def labels_to_words(
    text: str | Sequence[str], labels: Sequence[str], scheme: str | None = None
) -> tuple[str, ...]:
    """The words that tags of single characters cut a text into, repaired where needed.

    Parameters
    ----------
    text
        The characters.
    labels
        A tag for each.
    scheme : str, optional
        Refuse tags of any other scheme; None takes those of all schemes.

    Raises
    ------
    ValueError
        For different lengths, an unknown tag, or an O: every character belongs to a word.

    Examples
    --------
    >>> labels_to_words("我们是中国人", ("B", "E", "S", "B", "M", "E"))
    ('我们', '是', '中国人')
    """
    _checks.same_length(text=text, labels=labels)
    if scheme is None:
        spans = _spans(labels, _ALL_PREFIXES, "any scheme")
    else:
        spans = to_spans(labels, scheme)
    words, here = [], 0
    for start, end, _ in spans:
        if start != here:
            break
        words.append("".join(text[start:end]))
        here = end
    if here != len(labels):
        raise ValueError(f"labels[{here}]='O': expected every character to belong to a word")
    return tuple(words)


def count_spans(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    scheme: str = "IOB2",
    *,
    label: str | None = None,
    repair: bool = True,
) -> SpanCounts:
    """Spans found, invented and missed in each sentence.

    A predicted span counts as found where start, end and label are those of a span of
    the gold standard.

    Parameters
    ----------
    gold
        For each sentence its tags.
    predicted
        The same for the predictions.
    scheme : str
        The scheme of both.
    label : str, optional
        Count only spans of this label.
    repair : bool
        As in `to_spans`.

    Raises
    ------
    ValueError
        For different numbers of sentences, sentences of different lengths, and whatever `to_spans`
        refuses, with the number of the sentence.

    Examples
    --------
    >>> counts = count_spans([["B-PER", "I-PER", "O"]], [["B-PER", "O", "B-LOC"]])
    >>> counts.tp, counts.fp, counts.fn
    (array([0]), array([2]), array([1]))
    >>> print(count_spans([["B-PER", "O"]], [["B-PER", "O"]]))
    1 span found, 0 invented, 0 missed in 1 sentence: precision 1.0000, recall 1.0000, F1 1.0000
    """
    _checks.same_length(gold=gold, predicted=predicted)
    counts = np.zeros((3, len(gold)), dtype=np.int64)
    for number, (right, ours) in enumerate(zip(gold, predicted)):
        if isinstance(right, str) or isinstance(ours, str):
            raise ValueError(
                f"gold[{number}], predicted[{number}]: expected a sequence of tags for each "
                "sentence, got a string"
            )
        if len(right) != len(ours):
            raise ValueError(
                f"sentence {number}: gold has {len(right)} tags, predicted has {len(ours)}; "
                "expected the same number"
            )
        try:
            there = set(to_spans(right, scheme, repair))
            here = set(to_spans(ours, scheme, repair))
        except ValueError as error:
            raise ValueError(f"sentence {number}: {error}") from None
        if label is not None:
            there = {span for span in there if span[2] == label}
            here = {span for span in here if span[2] == label}
        found = len(there & here)
        counts[:, number] = found, len(here) - found, len(there) - found
    return SpanCounts(*counts)


def _spans(labels: Sequence[str], allowed: frozenset[str], scheme: str) -> list[Span]:
    spans: list[Span] = []
    start = -1
    open_label = ""
    closed = True
    for position, tag in enumerate(labels):
        if tag == "O":
            if start >= 0:
                spans.append((start, position, open_label))
                start = -1
            closed = True
            continue
        prefix, _, label = tag.partition("-")
        if prefix not in allowed:
            known = ", ".join(sorted(allowed))
            raise ValueError(
                f"labels[{position}]={tag!r}: expected O, or one of {known}, alone or followed "
                f"by a hyphen and a label ({scheme})"
            )
        if closed or prefix == "B" or prefix == "S" or label != open_label:
            if start >= 0:
                spans.append((start, position, open_label))
            start, open_label = position, label
        closed = prefix == "E" or prefix == "S"
    if start >= 0:
        spans.append((start, len(labels), open_label))
    return spans


def _refuse(labels: Sequence[str], scheme: str) -> None:
    """Raise at the first tag that may not stand where it stands."""
    grammar, opening = _GRAMMAR[scheme], _OPENING[scheme]
    before, label_before = "O", ""
    for position, tag in enumerate(labels):
        prefix, _, label = tag.partition("-")
        goes_on, may_stop = grammar.get(before, (frozenset(), True))
        continues = label == label_before and prefix in goes_on
        opens = may_stop and (prefix == "O" or prefix in opening)
        if scheme == "IOB1" and prefix == "B":
            opens = before != "O" and label == label_before
        if not (continues or opens):
            after = f"after {labels[position - 1]!r}" if position else "at the start"
            raise ValueError(
                f"labels[{position}]={tag!r} {after}: not allowed in {scheme}; "
                "correct it, or read it by the repair rule with repair=True"
            )
        before, label_before = prefix, label
    if not grammar.get(before, (frozenset(), True))[1]:
        raise ValueError(
            f"labels[{len(labels) - 1}]={labels[-1]!r} at the end: {scheme} expects the span to be "
            "closed; correct it, or read it by the repair rule with repair=True"
        )


def _prefixes(length: int, scheme: str, *, touches: bool) -> list[str]:
    """The prefixes of one span; `touches` one of the same label right before it."""
    if scheme == "IO":
        return ["I"] * length
    if scheme == "IOB1":
        return ["B" if touches else "I"] + ["I"] * (length - 1)
    if scheme == "IOB2":
        return ["B"] + ["I"] * (length - 1)
    if length == 1:
        return ["S"]
    if scheme == "BB2B3MES":
        return [*("B", "B2", "B3")[: length - 1], *["M"] * (length - 4), "E"]
    inside = "I" if scheme == "IOBES" else "M"
    return ["B", *[inside] * (length - 2), "E"]


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
