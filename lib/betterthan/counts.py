"""Counts of what was found, invented and missed; and the tag schemes they are counted from.

`Counts` is what every other module reads: true positives, false positives and false negatives,
one row per unit, with a word for what a unit *is*. A sentence is not a fold: functions that
need folds refuse sentences, and the other way round.

A *span* is a triple ``(start, end, label)`` with `end` exclusive, so that
``words[start:end]`` is what it covers. Six schemes write spans as one tag per
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

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._words import counted
from betterthan.errors import InputError

__all__ = [
    "SCHEMES",
    "Counts",
    "Span",
    "convert",
    "count_classes",
    "count_spans",
    "from_spans",
    "labels_to_words",
    "to_spans",
    "words_to_labels",
]

Span = tuple[int, int, str]

_PREFIXES: dict[str, frozenset[str]] = {
    "IO": frozenset("I"),
    "IOB1": frozenset("IB"),
    "IOB2": frozenset("BI"),
    "IOBES": frozenset("BIES"),
    "BMES": frozenset("BMES"),
    "BB2B3MES": frozenset({"B", "B2", "B3", "M", "E", "S"}),
}
SCHEMES: tuple[str, ...] = tuple(_PREFIXES)
_ALL_PREFIXES = frozenset.union(*_PREFIXES.values())
# Larger counts would lose whole numbers when they are added up as floats.
_LARGEST = 10**15


@dataclass(frozen=True, eq=False)
class Counts:
    """True positives, false positives and false negatives of one system, one row per unit.

    Parameters
    ----------
    tp, fp, fn : array-like of whole numbers, all of one shape
        Found and right, found and wrong, missed. One number per unit; or units × classes, which
        ``metric="macro_f1"`` needs. A plain number is one unit.
    unit : str
        What a row is: "sentence", "document", "item" …, or "fold" for the confusion matrices of
        a cross-validation (in the order repetition 1 fold 1, repetition 1 fold 2, repetition 2 …).
    groups : array-like, optional
        What each unit belongs to (document, article, repository): units of one group hang
        together and are resampled together.
    index : pandas Index, optional
        The id of each unit, by which `betterthan.compare` matches two systems.
    notes : tuple of str
        What a reader had to decide; results say it.

    Raises
    ------
    ValueError
        For a negative, fractional or missing count, fields of different shapes, or groups of
        another length or with missing names.

    Examples
    --------
    >>> sentences = Counts(tp=[2, 0, 1], fp=[0, 1, 0], fn=[0, 1, 0], groups=["a", "a", "b"])
    >>> len(sentences), round(sentences.f1, 2)
    (3, 0.75)
    >>> print(Counts(tp=[90, 85], fp=[10, 15], fn=[5, 20], unit="fold"))
    2 folds: precision 0.8750, recall 0.8750, F1 0.8750
    """

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    unit: str = "sentence"
    groups: np.ndarray | None = None
    index: Any = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fields = {name: _whole_numbers(name, getattr(self, name)) for name in ("tp", "fp", "fn")}
        shapes = {name: values.shape for name, values in fields.items()}
        if len(set(shapes.values())) > 1:
            shown = ", ".join(f"{name} has {shape}" for name, shape in shapes.items())
            raise InputError(problem=f"expected tp, fp and fn of the same shape, but {shown}")
        if not isinstance(self.unit, str) or not self.unit:
            raise InputError("unit", self.unit, expected="a word such as 'sentence' or 'fold'")
        for name, values in fields.items():
            object.__setattr__(self, name, values)
        if self.groups is not None:
            object.__setattr__(self, "groups", _checks.groups(self.groups, len(self)))
        if self.index is not None and len(self.index) != len(self):
            raise InputError("index", expected=f"{len(self)} ids, got {len(self.index)}")

    @classmethod
    def from_totals(
        cls, gold: Any, predicted: Any, correct: Any, unit: str = "sentence", groups: Any = None
    ) -> Counts:
        """Counts from what scorers print: gold, predicted and correct items per unit.

        Raises
        ------
        ValueError
            If more items are correct than there are in gold or in predicted.

        Examples
        --------
        >>> folds = Counts.from_totals([100, 110], [95, 100], [90, 92], unit="fold")
        >>> folds.tp, folds.fp, folds.fn
        (array([90, 92]), array([5, 8]), array([10, 18]))
        """
        given = {"gold": gold, "predicted": predicted, "correct": correct}
        gold, predicted, correct = (_whole_numbers(name, values) for name, values in given.items())
        for name, total in (("gold", gold), ("predicted", predicted)):
            if total.shape != correct.shape:
                expected = f"the shape of correct, {correct.shape}, got {total.shape}"
                raise InputError(name, expected=expected)
            above = np.argwhere(correct > total)
            if above.size:
                expected = f"at most as many items as {name} has there"
                raise InputError(f"correct[{above[0][0]}]", expected=expected)
        return cls(correct, predicted - correct, gold - correct, unit, groups)

    @classmethod
    def concatenate(cls, parts: Iterable[Counts]) -> Counts:
        """The rows of all `parts`, one after the other; they must be of one unit.

        Raises
        ------
        ValueError
            If there is nothing to put together, something that is not a `Counts`, or units differ.
        """
        parts = list(parts)
        if not parts or not all(isinstance(part, Counts) for part in parts):
            raise InputError("parts", expected=f"one or more Counts, got {parts!r:.80}")
        units = sorted({part.unit for part in parts})
        shapes = {part.tp.shape[1:] for part in parts}
        if len(units) > 1 or len(shapes) > 1:
            got = f"{', '.join(units)} with {len(shapes)} different numbers of classes"
            raise InputError("parts", expected=f"one unit and one set of classes, got {got}")
        known = [part.groups for part in parts if part.groups is not None]
        return cls(
            np.concatenate([part.tp for part in parts]),
            np.concatenate([part.fp for part in parts]),
            np.concatenate([part.fn for part in parts]),
            units[0],
            np.concatenate(known) if len(known) == len(parts) else None,
        )

    def __len__(self) -> int:
        return len(self.tp)

    def __getitem__(self, index: Any) -> Counts:
        """The units `index`: ``counts[:100]`` are the first hundred."""
        # One unit of a table of classes must not become a column of units.
        index = [index] if isinstance(index, int | np.integer) else index
        groups, ids = (x if x is None else x[index] for x in (self.groups, self.index))
        parts = self.tp[index], self.fp[index], self.fn[index]
        return Counts(*parts, self.unit, groups, ids, self.notes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        ours, theirs = ((x.tp, x.fp, x.fn, x.groups) for x in (self, other))
        same = all(np.array_equal(mine, its) for mine, its in zip(ours, theirs))  # type: ignore[arg-type]
        return self.unit == other.unit and same

    __hash__ = None  # type: ignore[assignment]

    @property
    def precision(self) -> float:
        """The right among the found over all units, Eq. (8); NaN where nothing was found."""
        return _ratio(self.tp.sum(), self.tp.sum() + self.fp.sum())

    @property
    def recall(self) -> float:
        """The found among those to be found, Eq. (9); NaN where there was nothing to find."""
        return _ratio(self.tp.sum(), self.tp.sum() + self.fn.sum())

    @property
    def f1(self) -> float:
        """Micro-averaged F1, Eq. (10); NaN where there is nothing in either."""
        twice = 2 * self.tp.sum()
        return _ratio(twice, twice + self.fp.sum() + self.fn.sum())

    @property
    def macro_f1(self) -> float:
        """The mean of the F1 of the classes; a class that never occurs is left out."""
        parts = (self.tp, self.fp, self.fn)
        tp, fp, fn = (part.reshape(len(self), -1).sum(axis=0) for part in parts)
        seen = tp + fp + fn > 0
        f1 = 2 * tp[seen] / (2 * tp + fp + fn)[seen]
        return float(f1.mean()) if seen.any() else math.nan

    def __repr__(self) -> str:
        with np.printoptions(threshold=12, edgeitems=2):
            return f"Counts(tp={self.tp}, fp={self.fp}, fn={self.fn}, unit={self.unit!r})"

    def __str__(self) -> str:
        scores = {"precision": self.precision, "recall": self.recall, "F1": self.f1}
        said = {name: "undefined" if math.isnan(x) else f"{x:.4f}" for name, x in scores.items()}
        shown = ", ".join(f"{name} {value}" for name, value in said.items())
        return f"{counted(len(self), self.unit)}: {shown}"


def _whole_numbers(name: str, values: Any) -> np.ndarray:
    try:
        array = np.atleast_1d(np.asarray(values))
        numbers = array.astype(float)
    except (TypeError, ValueError):
        raise InputError(name, expected=f"whole numbers, got {values!r:.80}") from None
    if array.dtype == bool:
        raise InputError(name, expected=f"counts, got True and False: {values!r:.60}")
    if array.ndim > 2 or array.size == 0:
        expected = f"one count per unit, or units × classes, got shape {array.shape}"
        raise InputError(name, expected=expected)
    wrong = ~((numbers >= 0) & (numbers <= _LARGEST) & (np.floor(numbers) == numbers))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = "" if np.ndim(values) == 0 else f"[{', '.join(map(str, where))}]"
        expected = f"a whole number of at least 0 (and at most {_LARGEST:.0e})"
        raise InputError(f"{name}{place}", array[where].item(), expected=expected)
    result = array.astype(np.int64)
    result.setflags(write=False)
    return result


def to_spans(labels: Sequence[str], scheme: str = "IOB2") -> list[Span]:
    """The spans that a sequence of tags writes down, by the repair rule where it breaks the scheme.

    Parameters
    ----------
    labels
        One tag per position.
    scheme : str
        One of `SCHEMES`.

    Returns
    -------
    list of tuple
        ``(start, end, label)`` with `end` exclusive, in order.

    Raises
    ------
    ValueError
        For an unknown scheme or a tag that the scheme does not have.

    Examples
    --------
    >>> to_spans(["B-PER", "I-PER", "O", "B-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    >>> to_spans(["O", "I-PER", "I-LOC"])
    [(1, 2, 'PER'), (2, 3, 'LOC')]
    """
    _checks.choice("scheme", scheme, SCHEMES)
    return _spans(labels, _PREFIXES[scheme], scheme)


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
            text = f"does not fit: expected 0 <= start < end <= {length=}"
            raise InputError("spans", problem=f"{(start, end, label)!r} {text}")
        if start < free:
            text = f"begins before the span before it ends, at {free}"
            raise InputError("spans", problem=f"{(start, end, label)!r} {text}")
        prefixes = _prefixes(end - start, scheme, touches=start == free and label == previous)
        tags[start:end] = [f"{prefix}-{label}" if label else prefix for prefix in prefixes]
        free, previous = end, label
    return tuple(tags)


def convert(labels: Sequence[str], source: str, target: str) -> tuple[str, ...]:
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
    return from_spans(to_spans(labels, source), len(labels), target)


def words_to_labels(words: Iterable[str], scheme: str = "BMES") -> tuple[str, ...]:
    """One tag per character of segmented text.

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
            empty = f"words[{number}] is empty: expected at least one character"
            raise InputError(problem=empty)
        tags += _prefixes(len(word), scheme, touches=number > 0)
    return tuple(tags)


def labels_to_words(text: str | Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """The words that tags of single characters cut a text into, repaired where needed.

    Parameters
    ----------
    text
        The characters.
    labels
        A tag for each, of any scheme.

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
    words, here = [], 0
    for start, end, _ in _spans(labels, _ALL_PREFIXES, "any scheme"):
        if start != here:
            break
        words.append("".join(text[start:end]))
        here = end
    if here != len(labels):
        raise InputError(f"labels[{here}]", "O", expected="every character to belong to a word")
    return tuple(words)


def count_spans(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    scheme: str = "IOB2",
    *,
    groups: Any = None,
) -> Counts:
    """Spans found, invented and missed in each sentence.

    A predicted span counts as found where start, end and label are those of a span of
    the gold standard.

    Parameters
    ----------
    gold, predicted
        The tags of each sentence.
    scheme : str
        The scheme of both.
    groups : array-like, optional
        The document (article, talk …) of each sentence.

    Returns
    -------
    Counts
        One row per sentence.

    Raises
    ------
    ValueError
        For different numbers of sentences, sentences of different lengths, and whatever `to_spans`
        refuses, with the number of the sentence.

    Examples
    --------
    >>> print(count_spans([["B-PER", "I-PER", "O"]], [["B-PER", "O", "B-LOC"]]))
    1 sentence: precision 0.0000, recall 0.0000, F1 0.0000
    >>> count_spans([["B-PER", "O"]], [["B-PER", "O"]])
    Counts(tp=[1], fp=[0], fn=[0], unit='sentence')
    """
    _checks.same_length(gold=gold, predicted=predicted)
    tp, fp, fn = np.zeros((3, len(gold)), dtype=np.int64)
    for number, (right, ours) in enumerate(zip(gold, predicted)):
        _require_tags(number, right, ours)
        try:
            there = set(to_spans(right, scheme))
            # Most sentences of a good tagger are tagged as in the gold standard.
            here = there if list(ours) == list(right) else set(to_spans(ours, scheme))
        except ValueError as error:
            raise InputError(problem=f"sentence {number}: {error}") from None
        found = len(there & here)
        tp[number], fp[number], fn[number] = found, len(here) - found, len(there) - found
    return Counts(tp, fp, fn, groups=groups)


def _require_tags(number: int, right: Sequence[str], ours: Sequence[str]) -> None:
    """Refuse a sentence whose tags are a string, or not as many in both."""
    if isinstance(right, str) or isinstance(ours, str):
        expected = "a sequence of tags for each sentence, got a string"
        raise InputError(f"gold[{number}], predicted[{number}]", expected=expected)
    if len(right) != len(ours):
        text = f"gold has {len(right)} tags, predicted has {len(ours)}"
        raise InputError(problem=f"sentence {number}: {text}; expected the same number")


def count_classes(gold: Any, predicted: Any, *, classes: Any = None, groups: Any = None) -> Counts:
    """Right and wrong per class, one row per item, from a classifier's decisions.

    Parameters
    ----------
    gold, predicted : array-like
        The class of each item.
    classes : array-like, optional
        The classes, in the order in which they are counted; None takes those that occur in either,
        sorted. Give the classes of all systems, so that their columns are the same.
    groups : array-like, optional
        What each item belongs to.

    Returns
    -------
    Counts
        Items × classes, for ``metric="macro_f1"``. With one class per item the micro-averaged
        F1 is the accuracy.

    Raises
    ------
    ValueError
        For different lengths, more than one dimension, no items, a missing class, or a class that
        is not among `classes`.

    Examples
    --------
    >>> counts = count_classes(["x", "y", "y"], ["x", "x", "y"])
    >>> round(counts.macro_f1, 3)
    0.667
    """
    gold, predicted = _classes("gold", gold), _classes("predicted", predicted)
    _checks.same_length(gold=gold, predicted=predicted)
    both = np.concatenate([gold, predicted])
    known = np.unique(both) if classes is None else _classes("classes", classes)
    codes = {label: code for code, label in enumerate(known)}
    strange = [label for label in both if label not in codes]
    if strange or len(codes) < len(known):
        found = f"{str(strange[0])!r:.60} occurs" if strange else "one comes twice"
        raise InputError("classes", problem=found, expected="every class that occurs, once")
    right, ours = np.split(np.eye(len(known), dtype=np.int64)[[codes[x] for x in both]], 2)
    return Counts(right * ours, ours * (1 - right), right * (1 - ours), "item", groups)


def _classes(name: str, values: Any) -> np.ndarray:
    listed = np.asarray(values, dtype=object)
    if listed.ndim != 1 or not listed.size:
        raise InputError(name, expected=f"one class per item, got shape {listed.shape}")
    missing = [i for i, value in enumerate(listed) if value is None or value != value]
    if missing:
        gone = f"{name}[{missing[0]}] is missing: expected a class for every item"
        raise InputError(problem=gone)
    return listed.astype(str)


def _spans(labels: Sequence[str], allowed: frozenset[str], scheme: str) -> list[Span]:
    spans: list[Span] = []
    start, open_label, closed = -1, "", True
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
            expected = f"O, or one of {known}, alone or followed by a hyphen and a label ({scheme})"
            raise InputError(f"labels[{position}]", tag, expected=expected)
        if closed or prefix == "B" or prefix == "S" or label != open_label:
            if start >= 0:
                spans.append((start, position, open_label))
            start, open_label = position, label
        closed = prefix == "E" or prefix == "S"
    if start >= 0:
        spans.append((start, len(labels), open_label))
    return spans


def _prefixes(length: int, scheme: str, *, touches: bool) -> list[str]:
    """The prefixes of one span; `touches` one of the same label right before it."""
    if scheme in ("IO", "IOB1", "IOB2"):
        begins = scheme == "IOB2" or (scheme == "IOB1" and touches)
        return ["B" if begins else "I", *["I"] * (length - 1)]
    if length == 1:
        return ["S"]
    if scheme == "BB2B3MES":
        return [*("B", "B2", "B3")[: length - 1], *["M"] * (length - 4), "E"]
    inside = "I" if scheme == "IOBES" else "M"
    return ["B", *[inside] * (length - 2), "E"]


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan
