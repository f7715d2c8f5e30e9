"""How hard is each word? Marks, the difficulty that a committee gives, recall by difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan.errors import InputError
from betterthan.psychometrics import _items

__all__ = ["accuracy_by_difficulty", "bin_of", "difficulty", "half_width", "marks"]

_HALF_WIDTH = {c + 0xFEE0: c for c in range(0x21, 0x7F) if chr(c).isalnum()}


def marks(gold: Any, predicted: Any) -> list[np.ndarray]:
    """1 for each gold word (or span) that `predicted` has too, else 0: the m of Eq. (4).

    A word is right when both its ends are and nothing inside it is cut; a span is right when
    its start, end and label are.

    Parameters
    ----------
    gold, predicted
        Lists of sentences, over the same characters; a sentence is a list of words or a list
        of ``(start, end, label)`` spans.

    Returns
    -------
    list of array
        One array of 0 and 1 per sentence.

    Raises
    ------
    ValueError
        For different numbers of sentences; different characters (the sentence, the character and
        the word are named); an empty word; a span with start ≥ end; a span given twice; gold
        spans that overlap.

    Examples
    --------
    >>> marks([["白藜芦醇", "是", "一", "种"]], [["白", "藜芦", "醇", "是", "一种"]])
    [array([0, 1, 0, 0], dtype=int8)]
    """
    items = _items.encode_gold(gold)
    return items.split(_items.member_marks(items, "predicted", predicted).astype(np.int8))


def difficulty(gold: Any, committee: Iterable[Any]) -> list[np.ndarray]:
    """How hard each gold word is: the share of the committee that gets it wrong, Eq. (5).

    Systems that are to be compared need one and the same difficulty, from one committee, best
    of members that are not themselves compared.

    Parameters
    ----------
    gold
        A list of sentences: lists of words, or of ``(start, end, label)`` spans.
    committee
        `committee[k][s]` is what member k makes of sentence s: its words or its spans. Any
        iterable of members will do; a generator keeps one member in memory at a time.

    Returns
    -------
    list of array
        One array per sentence, between 0 (nobody fails) and 1 (everybody does).

    Raises
    ------
    ValueError
        As in :func:`marks`, and for an empty committee.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种"]]
    >>> committee = [[["白", "藜芦", "醇", "是", "一种"]], [["白藜", "芦醇", "是", "一", "种"]]]
    >>> difficulty(gold, committee)
    [array([1. , 0. , 0.5, 0.5])]
    """
    items = _items.encode_gold(gold)
    wrong, members = np.zeros(items.start.size), 0
    for members, member in enumerate(committee, 1):
        wrong += ~_items.member_marks(items, f"committee[{members - 1}]", member)
    if not members:
        raise InputError("committee", expected="at least one member, got none")
    return items.split(wrong / members)


def bin_of(difficulty: Any, bins: int = 10) -> np.ndarray:
    """Which of `bins` equal parts of 0 … 1 each difficulty falls into, counted from 0.

    The parts are closed on the right: 0.3 belongs to 0.2-0.3, and 0 to the first.

    Examples
    --------
    >>> bin_of([0.0, 0.1, 0.3, 0.31, 1.0])
    array([0, 0, 2, 3, 9])
    """
    # Rounded first, so that 0.3 is in its place whatever 0.3 * 10 comes to.
    at = np.ceil(np.round(np.asarray(difficulty, float) * bins, 9)).astype(int) - 1
    return np.clip(at, 0, bins - 1)


def accuracy_by_difficulty(
    gold: Any, systems: Mapping[str, Any], difficulty: Sequence[Any], bins: int = 10
) -> pd.DataFrame:
    """Recall of each system by tenth of difficulty: the paper's Figure 4.

    The bins are those of :func:`bin_of`.

    Returns
    -------
    DataFrame
        One row per bin (indexed by its range, ``"0.0-0.1"`` …): the number of gold `words` and one
        column of accuracies per system, NaN where the bin is empty.

    Raises
    ------
    ValueError
        As in :func:`balanced_scores`, with the system's name.

    Examples
    --------
    >>> gold, d = [["一", "种", "物质"]], [[0.4, 0.6, 0.0]]
    >>> accuracy_by_difficulty(gold, {"old": [["一种", "物质"]]}, d, bins=2)
             words  old
    0.0-0.5      2  0.5
    0.5-1.0      1  0.0
    """
    _checks.whole("bins", bins)
    items = _items.encode_gold(gold)
    which = bin_of(_items.difficulties(items, difficulty), bins)
    found = {n: _items.member_marks(items, f"systems[{n!r}]", s) for n, s in systems.items()}
    table = pd.DataFrame(found, range(which.size)).groupby(which).mean().reindex(range(bins))
    table.insert(0, "words", np.bincount(which, minlength=bins))
    table.index = [f"{round(i / bins, 2)}-{round((i + 1) / bins, 2)}" for i in range(bins)]
    return table


def half_width(words: Sequence[str]) -> list[str]:
    """The words with full-width digits and Latin letters made half-width, the rest untouched.

    Corpora differ in this (the People's Daily writes １９９８, SIGHAN's PKU test 1998), and a
    tagger trained on one form has never seen the other.

    Examples
    --------
    >>> half_width(["１９９８年", "Ｂ", "，"])
    ['1998年', 'B', '，']
    """
    return [word.translate(_HALF_WIDTH) for word in words]
