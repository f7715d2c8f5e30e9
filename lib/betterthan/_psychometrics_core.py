"""Words and spans as flat arrays: the matching and the sums behind `psychometrics`.

A corpus becomes one array entry a word (or span), numbered through the whole corpus, so
that marks, difficulties and sums are array operations: a million words take about a second,
most of it spent in Python's own ``len`` and ``join``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Number, Real
from typing import Any

import numpy as np

FIELDS = (
    "p",
    "r",
    "f1",
    "p_reward",
    "p_punishment",
    "p_b",
    "r_reward",
    "r_punishment",
    "r_b",
    "f_b",
)


@dataclass(frozen=True)
class Items:
    """The words or spans of a corpus, flat. Offsets of words run through the whole corpus."""

    kind: str  # "words" or "spans"
    sizes: np.ndarray  # how many in each sentence
    start: np.ndarray
    end: np.ndarray
    labels: list[Any]  # spans only
    texts: list[str]  # words only: one string a sentence

    @property
    def count(self) -> int:
        return int(self.start.size)

    @property
    def sentence(self) -> np.ndarray:
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    def where(self, flat: int) -> tuple[int, int]:
        """Sentence and position in it of the word number `flat`."""
        edges = np.cumsum(self.sizes)
        s = int(np.searchsorted(edges, flat, side="right"))
        return s, int(flat - (edges[s] - self.sizes[s]))


def row(name: str, s: int, sentence: Any) -> Sequence[Any]:
    """One sentence as a sequence of words or spans; `Sentence` tuples give their words."""
    if isinstance(sentence, str):
        raise ValueError(
            f"{name}[{s}]={sentence!r:.40}: expected a list of words or spans, got one string "
            "(split it at the spaces first)"
        )
    words = getattr(sentence, "words", sentence)
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ValueError(f"{name}[{s}]={sentence!r:.40}: expected a list of words or spans")
    return words if isinstance(words, list | tuple | np.ndarray) else list(words)


def rows(name: str, sentences: Any) -> list[Sequence[Any]]:
    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ValueError(f"{name}={sentences!r:.40}: expected a list of sentences")
    return [row(name, s, sentence) for s, sentence in enumerate(sentences)]


def kind_of(name: str, sentences: list[Sequence[Any]]) -> str | None:
    """ "words", "spans" or "marks", by the first entry there is; None without any."""
    for s, sentence in enumerate(sentences):
        if len(sentence):
            first = sentence[0]
            if isinstance(first, str):
                return "words"
            if isinstance(first, Number | np.bool_):
                return "marks"
            if isinstance(first, tuple | list | np.ndarray):
                return "spans"
            raise ValueError(
                f"{name}[{s}][0]={first!r:.40}: expected a word, a (start, end, label) span "
                "or a mark of 0 or 1"
            )
    return None


def encode(name: str, sentences: Any, kind: str | None = None) -> Items:
    """`sentences` as :class:`Items`; `kind` says what they must be."""
    listed = rows(name, sentences)
    found = kind_of(name, listed) or kind or "spans"
    if kind is not None and found != kind:
        raise ValueError(f"{name}: expected {kind}, as the gold standard has, but found {found}")
    if found == "words":
        return _encode_words(name, listed)
    if found == "spans":
        return _encode_spans(name, listed)
    raise ValueError(f"{name}: expected words or (start, end, label) spans, but found numbers")


def _encode_words(name: str, listed: list[Sequence[Any]]) -> Items:
    sizes = np.fromiter(map(len, listed), np.int64, len(listed))
    try:
        texts = ["".join(words) for words in listed]
    except TypeError:
        for s, words in enumerate(listed):
            for i, word in enumerate(words):
                if not isinstance(word, str):
                    raise ValueError(f"{name}[{s}][{i}]={word!r:.40}: expected a word") from None
        raise
    lengths = np.fromiter(map(len, chain.from_iterable(listed)), np.int64, int(sizes.sum()))
    end = np.cumsum(lengths)
    items = Items("words", sizes, end - lengths, end, [], texts)
    if lengths.size and lengths.min() == 0:
        s, i = items.where(int(np.argmin(lengths)))
        raise ValueError(f"{name}[{s}][{i}]='': expected a word of at least one character")
    return items


def _encode_spans(name: str, listed: list[Sequence[Any]]) -> Items:
    sizes = np.fromiter(map(len, listed), np.int64, len(listed))
    start, end, labels = [], [], []
    for s, spans in enumerate(listed):
        for i, span in enumerate(spans):
            try:
                a, b, *label = span
            except (TypeError, ValueError):
                a, b, label = None, None, []
            whole = isinstance(a, Integral) and isinstance(b, Integral) and len(label) <= 1
            if not whole or not 0 <= a < b:
                raise ValueError(
                    f"{name}[{s}][{i}]={span!r:.60}: expected (start, end, label) "
                    "with 0 <= start < end"
                )
            start.append(a)
            end.append(b)
            labels.append(label[0] if label else None)
    items = Items("spans", sizes, np.array(start, np.int64), np.array(end, np.int64), labels, [])
    return items


def check_same_text(gold: Items, name: str, predicted: Items) -> None:
    """Gold and predicted words must spell the same characters, sentence by sentence."""
    if len(gold.sizes) != len(predicted.sizes):
        raise ValueError(
            f"{name}: expected as many sentences as gold has, {len(gold.sizes)}, "
            f"got {len(predicted.sizes)}"
        )
    if gold.kind == "spans" or gold.texts == predicted.texts:
        return
    s = next(s for s, (a, b) in enumerate(zip(gold.texts, predicted.texts)) if a != b)
    a, b = gold.texts[s], predicted.texts[s]
    at = next((c for c, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    shown = [repr(text[at]) if at < len(text) else "the end of the sentence" for text in (a, b)]
    before = int(gold.sizes[:s].sum())
    offset = int(gold.start[before]) if gold.sizes[s] else 0
    position = int(np.searchsorted(gold.end[before : before + gold.sizes[s]], offset + at, "right"))
    raise ValueError(
        f"{name}[{s}]: expected the characters of gold[{s}], but at character {at} "
        f"(gold word {position}) gold has {shown[0]} and {name} has {shown[1]}"
    )


def encode_gold(sentences: Any, name: str = "gold", kind: str | None = None) -> Items:
    """The gold standard as :class:`Items`: not empty, and without spans that overlap."""
    gold = encode(name, sentences, kind)
    if not gold.count:
        raise ValueError("gold: expected at least one word or span, got none")
    if gold.kind == "spans":
        order = np.lexsort((gold.start, gold.sentence))
        s, a, b = gold.sentence[order], gold.start[order], gold.end[order]
        bad = np.flatnonzero((s[1:] == s[:-1]) & (a[1:] < b[:-1]))
        if bad.size:
            s, i = gold.where(int(order[bad[0] + 1]))
            raise ValueError(
                f"gold[{s}][{i}]: expected spans that do not overlap, but this one does"
            )
    return gold


def found_in(gold: Items, name: str, predicted: Items) -> np.ndarray:
    """Which of the gold items `predicted` holds too, as a mask."""
    if gold.kind == "words":
        begins = np.full(int(gold.end[-1]) + 1, -1, np.int64)
        begins[predicted.end] = predicted.start
        return begins[gold.end] == gold.start
    codes = {label: c for c, label in enumerate(dict.fromkeys(gold.labels + predicted.labels))}
    key = np.concatenate([gold.sentence, predicted.sentence])
    for column in (
        np.concatenate([gold.start, predicted.start]),
        np.concatenate([gold.end, predicted.end]),
        np.array([codes[label] for label in gold.labels + predicted.labels], np.int64),
    ):
        # Renumbering after each column keeps the key far from the end of int64.
        _, key = np.unique(key * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    in_gold, in_predicted = key[: gold.count], key[gold.count :]
    _, first, counts = np.unique(in_predicted, return_index=True, return_counts=True)
    if counts.size and counts.max() > 1:
        again = np.setdiff1d(np.arange(predicted.count), first)[0]
        s, i = predicted.where(int(again))
        raise ValueError(f"{name}[{s}][{i}]: expected each span once, but it is given twice")
    return np.isin(in_gold, in_predicted)


def read_marks(gold: Items, name: str, listed: list[Sequence[Any]]) -> np.ndarray:
    """Marks given as numbers, flat, NaN where a member did not mark the word."""
    if len(listed) != len(gold.sizes):
        raise ValueError(
            f"{name}: expected as many sentences as gold has, {len(gold.sizes)}, got {len(listed)}"
        )
    for s, (marks, size) in enumerate(zip(listed, gold.sizes)):
        if len(marks) != size:
            raise ValueError(
                f"{name}[{s}]: expected {size} marks, one a gold word, got {len(marks)}"
            )
    flat = np.fromiter(chain.from_iterable(listed), float, gold.count)
    bad = np.flatnonzero(~np.isin(flat, (0.0, 1.0)) & ~np.isnan(flat))
    if bad.size:
        s, i = gold.where(int(bad[0]))
        raise ValueError(f"{name}[{s}][{i}]={float(flat[bad[0]])!r:.20}: expected a mark of 0 or 1")
    return flat


def mark_table(marks: Any, allowed: str) -> np.ndarray:
    """Marks, one row a member, one column a word; `allowed` is "0 or 1" or "0, 1 or NaN"."""
    table = np.asarray(marks, float)
    if table.ndim != 2 or len(table) < 2 or not table.shape[1]:
        raise ValueError(f"marks: expected a table of two members or more, got shape {table.shape}")
    wrong = (table != 0) & (table != 1)
    if allowed == "0, 1 or NaN":
        wrong &= ~np.isnan(table)
    bad = np.argwhere(wrong)
    if bad.size:
        k, i = bad[0]
        raise ValueError(f"marks[{k}][{i}]={float(table[k, i])!r}: expected a mark of {allowed}")
    return table


def member_marks(gold: Items, name: str, member: Any) -> np.ndarray:
    """The marks of one committee member, whatever form it comes in."""
    listed = rows(name, member)
    if kind_of(name, listed) == "marks":
        return read_marks(gold, name, listed)
    predicted = encode(name, listed, gold.kind)
    check_same_text(gold, name, predicted)
    return found_in(gold, name, predicted).astype(float)


def flat_difficulty(gold: Items, difficulty: Any) -> np.ndarray:
    """One difficulty a gold word, checked, flat."""
    if len(difficulty) != len(gold.sizes):
        raise ValueError(
            f"difficulty: expected one array a sentence, {len(gold.sizes)}, got {len(difficulty)}"
        )
    for s, (values, size) in enumerate(zip(difficulty, gold.sizes)):
        if np.size(values) != size:
            raise ValueError(
                f"difficulty[{s}]: expected {size} values, one a gold word, got {np.size(values)}"
            )
    flat = np.concatenate([np.asarray(values, float).ravel() for values in difficulty])
    bad = np.flatnonzero(~((flat >= 0) & (flat <= 1)))
    if bad.size:
        s, i = gold.where(int(bad[0]))
        raise ValueError(
            f"difficulty[{s}][{i}]={float(flat[bad[0]])!r}: expected a number between 0 and 1"
        )
    return flat


def bin_of(d: np.ndarray, bins: int) -> np.ndarray:
    """Which bin each difficulty falls into; bins are closed on the right."""
    # 0.3 belongs to 0.2-0.3 whatever 0.3 * 10 rounds to.
    return np.clip(np.ceil(np.round(d * bins, 9)).astype(int) - 1, 0, bins - 1)


def predicted_difficulty(
    gold: Items, d: np.ndarray, predicted: Items, covering: str, spurious: Any
) -> np.ndarray:
    """d′ of each predicted word or span."""
    if gold.kind == "words":
        of_character = np.repeat(np.arange(gold.count), gold.end - gold.start)
        last = of_character[predicted.end - 1]
        if covering == "last":
            return d[last]
        first = of_character[predicted.start]
        slices = np.stack([first, last + 1], axis=1).ravel()
        return np.add.reduceat(np.append(d, 0.0), slices)[::2] / (last + 1 - first)
    order, last, first = _touched(gold, predicted)
    hit = last >= first
    sorted_d = np.append(d[order], 0.0)
    out = np.empty(predicted.count)
    if covering == "last":
        # The gold span that contains the last token, where there is one.
        reaches = np.zeros(predicted.count, bool)
        reaches[hit] = gold.end[order][last[hit]] >= predicted.end[hit]
        out[reaches] = sorted_d[last[reaches]]
        hit = reaches
    elif hit.any():
        slices = np.stack([first[hit], last[hit] + 1], axis=1).ravel()
        out[hit] = np.add.reduceat(sorted_d, slices)[::2] / (last[hit] + 1 - first[hit])
    if not hit.all():
        out[~hit] = _spurious(gold, d, predicted, spurious)[~hit]
    return out


def _touched(gold: Items, predicted: Items) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last gold span (in sorted order) that share a token with each predicted one."""
    order = np.lexsort((gold.start, gold.sentence))
    width = int(max(gold.end.max(initial=0), predicted.end.max(initial=0))) + 1
    base, mine = gold.sentence[order] * width, predicted.sentence * width
    last = np.searchsorted(base + gold.start[order], mine + predicted.end, "left") - 1
    first = np.searchsorted(base + gold.end[order], mine + predicted.start, "right")
    return order, last, first


def _spurious(gold: Items, d: np.ndarray, predicted: Items, rule: Any) -> np.ndarray:
    if isinstance(rule, str):
        return np.full(predicted.count, float(np.mean(d)))
    if isinstance(rule, Real):
        return np.full(predicted.count, float(rule))
    wrong = np.zeros(predicted.count)
    members = 0
    for k, member in enumerate(rule):
        other = encode(f"spurious[{k}]", member, gold.kind)
        check_same_text(gold, f"spurious[{k}]", other)
        wrong += found_in(predicted, f"spurious[{k}]", other)
        members += 1
    return wrong / members


def sums(
    gold: Items, d: np.ndarray, predicted: Items, d_predicted: np.ndarray, found: np.ndarray
) -> np.ndarray:
    """One row a sentence: the six sums that every score is made of.

    They are `n_gold`, `n_predicted`, `correct`, and the difficulties of the gold words, of the
    correct ones and of the predicted ones.
    """
    s, n = gold.sentence, gold.sizes.size
    return np.stack(
        [
            gold.sizes.astype(float),
            predicted.sizes.astype(float),
            np.bincount(s, weights=found, minlength=n),
            np.bincount(s, weights=d, minlength=n),
            np.bincount(s, weights=d * found, minlength=n),
            np.bincount(predicted.sentence, weights=d_predicted, minlength=n),
        ],
        axis=1,
    )


def harmonic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The harmonic mean; of 0 and 0 it is 0."""
    total = a + b
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total == 0, 0.0, 2 * a * b / total)


def scores(totals: np.ndarray) -> dict[str, np.ndarray]:
    """The ten scores from what `sums` gives in the last axis; undefined ones are NaN."""
    n, n_p, c, d, dm, d_p = np.moveaxis(np.asarray(totals, float), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, r = c / n_p, c / n
        p_reward, p_punishment = dm / d_p, (c - dm) / (n_p - d_p)
        r_reward, r_punishment = dm / d, (c - dm) / (n - d)
    p_b, r_b = harmonic(p_reward, p_punishment), harmonic(r_reward, r_punishment)
    values = (p, r, harmonic(p, r), p_reward, p_punishment, p_b)
    values += (r_reward, r_punishment, r_b, harmonic(p_b, r_b))
    return {name: _finite(value) for name, value in zip(FIELDS, values)}


def _finite(value: np.ndarray) -> np.ndarray:
    # 0/0 is NaN already; x/0 cannot happen with honest sums, but must never pass for a score.
    return np.where(np.isfinite(value), value, np.nan)
