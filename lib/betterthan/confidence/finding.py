"""Does the ranking put the errors first? What a person finds who checks the least sure answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan.confidence._inputs import pair, tied
from betterthan.errors import InputError


def marks(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Which labels are right: one boolean array per sentence.

    Raises
    ------
    ValueError
        If the two have unequal numbers of sentences, or a sentence unequal lengths.

    Examples
    --------
    >>> marks([["B", "I"], ["O"]], [["B", "O"], ["O"]])
    [array([ True, False]), array([ True])]
    """
    _checks.same_length(gold=gold, predicted=predicted)
    for s, (g, p) in enumerate(zip(gold, predicted)):
        if len(g) != len(p):
            wanted = f"{len(g)} labels, as in gold, got {len(p)}"
            raise InputError(f"predicted[{s}]", expected=wanted)
    return [np.array([a == b for a, b in zip(*pair)], bool) for pair in zip(gold, predicted)]


def average_precision(correct: Any, confidence: Any) -> float:
    r"""Average precision of finding the errors by looking at the least sure answers first.

    Answers are ranked from low to high confidence; the average precision is the mean, over all
    errors, of the share of errors among the answers ranked at least as high (Mejer and Crammer
    2010, section 5). Answers of equal confidence stand in random order: the value returned is
    the expectation over all those orders, in closed form. A group of :math:`n` tied answers with
    :math:`m` errors that follows :math:`N` answers with :math:`M` errors contributes

    .. math:: \sum_{j=1}^{n} \frac{m}{n} \cdot
              \frac{M + 1 + (j-1)\frac{m-1}{n-1}}{N + j}.

    Parameters
    ----------
    correct
        One truth value per answer.
    confidence
        One number per answer, any scale; only the order counts.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, values of `correct` other than 0 and 1, or no error at all
        (then there is nothing to find).

    Examples
    --------
    The two errors are first and third: (1/1 + 2/3) / 2.

    >>> round(average_precision([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9]), 4)
    0.8333
    """
    right, sure = pair(correct, confidence)
    if right.all():
        raise InputError("correct", expected="at least one error to find, got none")
    _, n, hits = tied(right, sure)
    return tied_average_precision(n, n - hits)


def tied_average_precision(n: np.ndarray, errors: np.ndarray) -> float:
    """The same from groups of equals, least sure first: their sizes, and the errors in them.

    Examples
    --------
    >>> round(tied_average_precision(np.array([1, 1, 1, 1]), np.array([1, 0, 1, 0])), 4)
    0.8333
    """
    # The sum over j of (A + Bj)/(N + j) is Bn + (A - BN)(H(N + n) - H(N)), H the harmonic
    # numbers; so the work is one step per group.
    N, M = np.cumsum(n) - n, np.cumsum(errors) - errors
    harmonic = np.r_[0.0, np.cumsum(1.0 / np.arange(1, n.sum() + 1))]
    slope = (errors - 1) / np.maximum(n - 1, 1)
    total = slope * n + (M + 1 - slope - slope * N) * (harmonic[N + n] - harmonic[N])
    return float((errors / np.maximum(n, 1) * total).sum() / errors.sum())


def detected_errors(correct: Any, confidence: Any, inspected: Any = None) -> np.ndarray:
    """How many errors a person finds who looks at the least sure answers first.

    Within a group of equals the errors are expected to be found evenly.

    Parameters
    ----------
    correct, confidence
        As for :func:`average_precision`.
    inspected
        Numbers of answers looked at; None means 0, 1, … all of them.

    Returns
    -------
    array
        The (expected) number of errors found, one for each entry of `inspected`.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, or `inspected` outside 0 … number of answers.

    Examples
    --------
    >>> detected_errors([0, 1, 0, 1], [0.1, 0.5, 0.5, 0.9])
    array([0. , 1. , 1.5, 2. , 2. ])
    """
    right, sure = pair(correct, confidence)
    _, n, hits = tied(right, sure)
    at = np.arange(sure.size + 1) if inspected is None else np.atleast_1d(inspected)
    at = _checks.vector("inspected", at)
    for outside in at[(at < 0) | (at > sure.size)]:
        given = int(outside) if outside == int(outside) else float(outside)
        raise InputError("inspected", given, expected=f"a number from 0 to {sure.size}")
    return np.interp(at, np.r_[0, np.cumsum(n)], np.r_[0, np.cumsum(n - hits)])
