"""What the functions of this package take: answers, right or wrong, and how sure of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan.errors import InputError


def nested(values: Any) -> bool:
    """Whether these are arrays, one per sentence."""
    return not isinstance(values, np.ndarray) and all(np.ndim(v) == 1 for v in values)


def flat(values: Any) -> np.ndarray:
    """All values in one array, of a flat sequence or of one array per sentence."""
    return np.concatenate([*values, []]) if nested(values) else np.asarray(values)


def pair(correct: Any, confidence: Any, name: str = "confidence") -> tuple[np.ndarray, np.ndarray]:
    """Which answers are right, and how sure the model was, which errors call `name`."""
    right = _checks.vector("correct", flat(correct))
    sure = _checks.vector(name, flat(confidence))
    _checks.same_length(**{"correct": right, name: sure})
    for i in np.flatnonzero((right != 0) & (right != 1)):
        shown = f"0 or 1, but correct[{i}] is {right[i]:g}"
        raise InputError("correct", expected=shown)
    return right.astype(bool), sure


def tied(right: np.ndarray, sure: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each confidence there is, from low to high; how many have it; how many of them are right."""
    stated, place, n = np.unique(sure, return_inverse=True, return_counts=True)
    return stated, n, np.bincount(place, right).astype(np.int64)


@dataclass(frozen=True)
class Stated:
    """Answers with a probability each, checked.

    Attributes
    ----------
    right : array of bool
        Whether each answer is right.
    probability : array of float
        What the model stated for it.
    groups : array of int
        The number of the group it belongs to, from 0; its own number where it stands alone.
    n_groups : int
        How many groups.
    notes : tuple of str
        What was said while the answers were read.
    """

    right: np.ndarray
    probability: np.ndarray
    groups: np.ndarray
    n_groups: int
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many answers."""
        return int(self.right.size)

    @property
    def alone(self) -> bool:
        """Whether every answer is a group of its own."""
        return self.n_groups == self.n

    def summed(self, values: np.ndarray) -> np.ndarray:
        """The sum of `values`, one per answer, in each group."""
        return np.bincount(self.groups, values, self.n_groups)

    @property
    def sizes(self) -> np.ndarray:
        """How many answers each group has."""
        return np.bincount(self.groups, minlength=self.n_groups)


def stated(correct: Any, probability: Any, groups: Any) -> Stated:
    """The answers as arrays or as what `readers.read_probabilities` gives, which has all three."""
    notes: tuple[str, ...] = ()
    if probability is None:
        if not hasattr(correct, "probability") or not hasattr(correct, "correct"):
            text = "one number per answer, or answers from readers.read_probabilities as the first"
            raise InputError("probability", None, expected=f"{text} argument")
        notes = tuple(getattr(correct, "notes", ()))
        groups = correct.groups if groups is None else groups
        correct, probability = correct.correct, correct.probability
    right, stated_probability = pair(correct, probability, "probability")
    _checks.vector("correct", right, least=2)
    _checks.probabilities("probability", stated_probability)
    codes = _codes(groups, right.size)
    return Stated(right, stated_probability, codes, int(codes.max()) + 1, notes)


def _codes(groups: Any, n: int) -> np.ndarray:
    """The number of each answer's group, in the order in which groups appear."""
    if groups is None:
        return np.arange(n)
    numbers: dict[Any, int] = {}
    labels = _checks.groups(groups, n)
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels])
