"""Precision, recall and F weighted by how hard, or how easy, each word is."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan._metrics import MetricOfSums
from betterthan.errors import InputError
from betterthan.psychometrics import _items

__all__ = [
    "BalancedScores",
    "UndefinedMetricWarning",
    "balanced_f",
    "balanced_scores",
    "sentence_sums",
]

_WHY = {
    "precision": "the system predicted nothing",
    "p_reward": "the predicted words have difficulty 0, every one (Σd′ = 0)",
    "p_punishment": "the predicted words have difficulty 1, every one (Σ(1 − d′) = 0)",
    "r_reward": "every gold word is equally easy, with difficulty 0 (Σd = 0)",
    "r_punishment": "every gold word has difficulty 1 (Σ(1 − d) = 0)",
}


class UndefinedMetricWarning(UserWarning):
    """A score has nothing in its denominator."""


@dataclass(frozen=True)
class BalancedScores:
    """Precision, recall and F of one system: plain, for hard words, for easy words, balanced.

    NaN is *undefined*.

    Attributes
    ----------
    precision : float
        Eq. (1).
    recall : float
        Eq. (2).
    f1 : float
        Eq. (3).
    p_reward : float
        Precision weighted by difficulty, Eq. (11).
    p_punishment : float
        Precision weighted by ease, Eq. (12).
    p_b : float
        Balanced precision, Eq. (13).
    r_reward : float
        Recall weighted by difficulty, Eq. (6).
    r_punishment : float
        Recall weighted by ease, Eq. (7).
    r_b : float
        Balanced recall, Eq. (10).
    f_b : float
        Balanced F, Eq. (15).
    """

    precision: float
    recall: float
    f1: float
    p_reward: float
    p_punishment: float
    p_b: float
    r_reward: float
    r_punishment: float
    r_b: float
    f_b: float

    @classmethod
    def from_sums(cls, sums: Any) -> BalancedScores:
        """The scores of sums as :func:`sentence_sums` gives them, added up over sentences.

        The six sums are the last axis; with more axes every score is an array. So
        ``lambda sums: BalancedScores.from_sums(sums).r_reward`` is a metric for
        `betterthan.compare`.

        Examples
        --------
        >>> BalancedScores.from_sums([4, 5, 3, 1.0, 0.5, 1.25]).r_reward
        0.5
        """
        n_gold, n_out, right, d, d_right, d_out = np.moveaxis(np.asarray(sums, float), -1, 0)
        precision, recall = _over(right, n_out), _over(right, n_gold)
        p_reward, p_punishment = _over(d_right, d_out), _over(right - d_right, n_out - d_out)
        r_reward, r_punishment = _over(d_right, d), _over(right - d_right, n_gold - d)
        p_b, r_b = _harmonic(p_reward, p_punishment), _harmonic(r_reward, r_punishment)
        return cls(
            precision=_plain(precision),
            recall=_plain(recall),
            f1=_plain(_harmonic(precision, recall)),
            p_reward=_plain(p_reward),
            p_punishment=_plain(p_punishment),
            p_b=_plain(p_b),
            r_reward=_plain(r_reward),
            r_punishment=_plain(r_punishment),
            r_b=_plain(r_b),
            f_b=_plain(_harmonic(p_b, r_b)),
        )

    def __str__(self) -> str:
        return (
            f"F1 is {self.f1:.4f}, balanced F is {self.f_b:.4f}. Weighted by difficulty (hard "
            f"words count more) precision is {self.p_reward:.4f} and recall {self.r_reward:.4f}; "
            f"weighted by ease, {self.p_punishment:.4f} and {self.r_punishment:.4f}."
        )

    def table(self) -> pd.DataFrame:
        """The ten scores as one row."""
        return pd.DataFrame([asdict(self)])


def _over(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """top / bottom, and NaN where bottom is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = top / bottom
    # x/0 cannot happen with honest sums, but must never pass for a score.
    return np.where(np.isfinite(value), value, np.nan)


def _harmonic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The harmonic mean; of 0 and 0 it is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(a + b == 0, 0.0, 2 * a * b / (a + b))


def _plain(value: np.ndarray) -> Any:
    """One number as a float; of more sums than one an array."""
    return value if value.ndim else float(value)


def _balanced_f_of_rows(sums: np.ndarray) -> np.ndarray:
    return np.asarray(BalancedScores.from_sums(sums).f_b)


# Balanced F, Eq. (15), of the sums of `sentence_sums`: a metric for `compare`, which resamples
# sentences while the judges are always the same.
balanced_f = MetricOfSums(
    "balanced_f",
    _balanced_f_of_rows,
    notes=(
        "This is about other sentences and the same judges; "
        "with fewer than ten, others may disagree.",
    ),
)


def sentence_sums(
    gold: Any,
    predicted: Any,
    difficulty: Sequence[Any],
    *,
    covering: str = "last",
    spurious: str | Sequence[Any] = "mean",
) -> np.ndarray:
    """Six sums per sentence, from which every score is made: counts, not text.

    The columns are the numbers of gold words, of predicted words and of words in both, and the
    sums of the difficulties of the gold words, of the right ones, and of the predicted ones (d′).
    Sums of sums over any sample of sentences give the scores of that sample, which is what
    `betterthan.score` and `betterthan.compare` need; see :func:`balanced_f`.

    See :func:`balanced_scores` for the arguments and what is refused.

    Examples
    --------
    >>> sentence_sums([["一", "种"]], [["一种"]], [[0.25, 0.5]])
    array([[2.  , 1.  , 0.  , 0.75, 0.  , 0.5 ]])
    """
    _checks.choice("covering", covering, ("last", "mean"))
    items = _items.encode_gold(gold)
    d = _items.difficulties(items, difficulty)
    other = _items.encode_other(items, "predicted", predicted)
    right = _items.found_in(items, other)
    d_other = _borrowed(items, d, other, covering, spurious)
    columns = [items.total(right), items.total(d), items.total(d * right), other.total(d_other)]
    return np.stack([items.sizes, other.sizes, *columns], axis=1)


def balanced_scores(
    gold: Any,
    predicted: Any,
    difficulty: Sequence[Any],
    *,
    covering: str = "last",
    spurious: str | Sequence[Any] = "mean",
) -> BalancedScores:
    """Plain and difficulty-weighted precision, recall and F of one system, Eqs. (1)-(15).

    Recall weights each gold word by its difficulty d (`r_reward`) or by 1 − d
    (`r_punishment`); precision weights each predicted word by a difficulty d′ borrowed from
    the gold standard. The balanced scores are harmonic means; sums run over the whole corpus.
    Eq. (11) is used with weights d, as its name demands, not with the printed 1 − d.

    Parameters
    ----------
    gold, predicted
        Lists of sentences over the same characters: lists of words, or of
        ``(start, end, label)`` spans.
    difficulty
        One array per sentence, one number between 0 and 1 per gold word, as :func:`difficulty`
        returns it.
    covering
        What d′ is: ``"last"``, the difficulty of the gold word that contains the last
        character (the rule below the paper's Eq. 12), or ``"mean"``, the mean over the gold
        words it touches (the rule two sentences earlier). For a correct word both are d.
    spurious
        Spans only: d′ of a predicted span whose last token lies in no gold span (with
        ``covering="mean"``: that touches none). ``"mean"``, the mean difficulty of the gold
        spans, so that inventing an entity costs what missing an average one does; or a
        committee, whose share of members that invent the very same span is then its difficulty.

    Returns
    -------
    BalancedScores
        A score with nothing in its denominator is NaN. The harmonic mean of 0 and 0 is 0.

    Raises
    ------
    ValueError
        As in :func:`marks`; for a difficulty outside 0 … 1 or not one for each gold word, with the
        sentence and position; for an unknown `covering` or `spurious`.

    Warns
    -----
    UndefinedMetricWarning
        Says why a score is NaN.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种", "酚类", "物质"]]
    >>> old = [["白", "藜芦", "醇", "是", "一种", "酚类", "物质"]]
    >>> new = [["白藜", "芦醇", "是", "一", "种", "酚类物", "质"]]
    >>> d = [[1.0, 0.0, 0.5, 0.5, 0.2, 0.1]]
    >>> one, two = balanced_scores(gold, old, d), balanced_scores(gold, new, d)
    >>> one.f1 == two.f1, round(one.f_b, 3), round(two.f_b, 3)
    (True, 0.175, 0.432)
    """
    sums = sentence_sums(gold, predicted, difficulty, covering=covering, spurious=spurious)
    result = BalancedScores.from_sums(sums.sum(axis=0))
    lost = [name for name, value in asdict(result).items() if math.isnan(value)]
    for name, why in _WHY.items():
        # Without predictions all of precision is undefined for one reason: say it once.
        if name in lost and not (name.startswith("p_") and "precision" in lost):
            message = f"{name} is undefined: {why}; NaN for {', '.join(lost)}"
            warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return result


def _borrowed(
    gold: _items.Items, d: np.ndarray, other: _items.Items, covering: str, spurious: Any
) -> np.ndarray:
    """d′ of each predicted word or span."""
    order = np.argsort(gold.start, kind="stable")
    # The last gold word that begins before the predicted one ends, the first that ends after it
    # begins: the words between them share a character with it.
    last = np.searchsorted(gold.start[order], other.end, "left") - 1
    if covering == "mean":
        first = np.searchsorted(gold.end[order], other.start, "right")
        hit = last >= first
    else:
        first, hit = last, (last >= 0) & (gold.end[order][last] >= other.end)
    out = np.empty(other.start.size)
    if hit.any():
        slices = np.stack([first[hit], last[hit] + 1], axis=1).ravel()
        sums = np.add.reduceat(np.append(d[order], 0.0), slices)[::2]
        out[hit] = sums / (last[hit] + 1 - first[hit])
    if isinstance(spurious, str):
        _checks.choice("spurious", spurious, ("mean",))
        out[~hit] = d.mean()
    elif isinstance(spurious, Sequence) and len(spurious):
        members = [_items.encode_other(gold, f"spurious[{k}]", m) for k, m in enumerate(spurious)]
        out[~hit] = np.mean([_items.found_in(other, member) for member in members], axis=0)[~hit]
    else:
        raise InputError("spurious", spurious, expected="'mean' or a committee")
    return out
