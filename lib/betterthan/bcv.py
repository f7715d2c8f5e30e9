"""How sure is that F1? Posteriors of precision, recall and F1 from an m×2 BCV.

Chapter 1 of the book. The method is Wang and Li (2019), *Bayes Test of Precision, Recall, and
F1 Measure for Comparison of Two Natural Language Processing Models*: split the corpus in blocks,
run m two-fold cross-validations on them, add up the 2m confusion matrices, shrink the sum by a
factor that pays for their correlation, and read the posterior from the shrunken counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special
from scipy.linalg import hadamard
from scipy.optimize import linear_sum_assignment
from sklearn.utils.validation import _num_samples, indexable

from betterthan import _checks

__all__ = [
    "METRICS",
    "BlockedCV",
    "Correlations",
    "Counts",
    "Posterior",
    "correlations",
    "count_units",
    "divergence",
    "effective_factor",
    "posterior",
]

METRICS = ("precision", "recall", "f1")

_LARGEST = 10**15
_LOG1P_SERIES = np.array([(-1) ** (k + 1) / k for k in range(2, 10)])
_GAUSS_LEGENDRE = np.polynomial.legendre.leggauss(32)


@dataclass(frozen=True, eq=False)
class Counts:
    """Confusion matrices of one model (or of many): true positives, false positives, negatives.

    The last axis counts the matrices of one model, usually the folds of a cross-validation in
    the order repetition 1 fold 1, repetition 1 fold 2, repetition 2 …; axes before it, if any,
    count models. A plain number is one matrix.

    Parameters
    ----------
    tp, fp, fn : array-like of whole numbers, all of one shape
        Found and right, found and wrong, missed.

    Raises
    ------
    ValueError
        For a negative, fractional or missing count, or fields of different shapes.

    Examples
    --------
    >>> folds = Counts(tp=[90, 85], fp=[10, 15], fn=[5, 20])
    >>> len(folds)
    2
    >>> print(folds)
    2 matrices: precision 0.8750, recall 0.8750, F1 0.8750
    """

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    def __post_init__(self) -> None:
        fields = {name: _whole_numbers(name, getattr(self, name)) for name in ("tp", "fp", "fn")}
        shapes = {name: values.shape for name, values in fields.items()}
        if len(set(shapes.values())) > 1:
            shown = ", ".join(f"{name} has {shape}" for name, shape in shapes.items())
            raise ValueError(f"expected tp, fp and fn of the same shape, but {shown}")
        for name, values in fields.items():
            object.__setattr__(self, name, values)

    @classmethod
    def from_spans(cls, gold: Sequence[Any], predicted: Sequence[Any]) -> Counts:
        """One confusion matrix from gold and predicted spans.

        Parameters
        ----------
        gold, predicted : sequences of sentences, each a collection of (start, end, label)
            A span counts as found only where start, end and label all agree. A flat list of
            spans is taken as one sentence.

        Raises
        ------
        ValueError
            If the two hold a different number of sentences, or a span stands twice in a sentence.

        Examples
        --------
        >>> gold = [[(0, 2, "PER"), (3, 4, "LOC")], []]
        >>> predicted = [[(0, 2, "PER"), (3, 5, "LOC")], [(1, 2, "ORG")]]
        >>> Counts.from_spans(gold, predicted)
        Counts(tp=[1], fp=[2], fn=[1])
        """
        if _is_flat(gold) or _is_flat(predicted):
            gold, predicted = [gold], [predicted]
        if len(gold) != len(predicted):
            raise ValueError(
                f"predicted: expected as many sentences as gold has ({len(gold)}), "
                f"got {len(predicted)}"
            )
        tp = fp = fn = 0
        for i, (right, guess) in enumerate(zip(gold, predicted)):
            truth, found = _span_set("gold", i, right), _span_set("predicted", i, guess)
            hits = len(truth & found)
            tp, fp, fn = tp + hits, fp + len(found) - hits, fn + len(truth) - hits
        return cls([tp], [fp], [fn])

    @classmethod
    def from_totals(cls, gold: Any, predicted: Any, correct: Any) -> Counts:
        """Confusion matrices from what scorers print: gold, predicted and correct items.

        Raises
        ------
        ValueError
            If more items are correct than there are in gold or in predicted.

        Examples
        --------
        >>> Counts.from_totals(gold=[100, 110], predicted=[95, 100], correct=[90, 92])
        Counts(tp=[90 92], fp=[5 8], fn=[10 18])
        """
        gold, predicted, correct = (
            _whole_numbers(name, value)
            for name, value in (("gold", gold), ("predicted", predicted), ("correct", correct))
        )
        for name, total in (("gold", gold), ("predicted", predicted)):
            if total.shape != correct.shape:
                raise ValueError(
                    f"{name}: expected the shape of correct, {correct.shape}, got {total.shape}"
                )
            if np.any(correct > total):
                raise ValueError(f"correct: expected at most as many items as {name} has")
        return cls(correct, predicted - correct, gold - correct)

    @classmethod
    def concatenate(cls, *parts: Counts | Iterable[Counts]) -> Counts:
        """Stack the folds of one model, in the order given.

        Raises
        ------
        ValueError
            If there is nothing to stack, or something that is not a `Counts`.

        Examples
        --------
        >>> Counts.concatenate(Counts(9, 1, 2), Counts(8, 2, 1))
        Counts(tp=[9 8], fp=[1 2], fn=[2 1])
        """
        flat = [
            item
            for part in parts
            for item in ((part,) if isinstance(part, Counts) else tuple(part))
        ]
        if not flat or not all(isinstance(item, Counts) for item in flat):
            raise ValueError(f"parts: expected one or more Counts, got {flat!r:.80}")
        try:
            return cls(
                *(
                    np.concatenate([getattr(item, name) for item in flat], axis=-1)
                    for name in ("tp", "fp", "fn")
                )
            )
        except ValueError:
            shapes = ", ".join(str(item.tp.shape) for item in flat)
            raise ValueError(
                f"parts: expected Counts of the same models, got shapes {shapes}"
            ) from None

    def __len__(self) -> int:
        return self.tp.shape[-1]

    def __getitem__(self, index: Any) -> Counts:
        """The matrices `index` of every model: ``counts[0]`` is the first fold."""
        return Counts(self.tp[..., index], self.fp[..., index], self.fn[..., index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("tp", "fp", "fn")
        )

    def __hash__(self) -> int:
        return hash((self.tp.tobytes(), self.fp.tobytes(), self.fn.tobytes()))

    @property
    def precision(self) -> float | np.ndarray:
        """Micro-averaged precision, Eq. (8), the right among the found over all matrices."""
        tp, fp, _ = self.totals()
        return _ratio("precision", "tp + fp", tp, tp + fp)

    @property
    def recall(self) -> float | np.ndarray:
        """Micro-averaged recall, Eq. (9), the found among those to be found over all matrices."""
        tp, _, fn = self.totals()
        return _ratio("recall", "tp + fn", tp, tp + fn)

    @property
    def f1(self) -> float | np.ndarray:
        """Micro-averaged F1, Eq. (10), the harmonic mean of precision and recall."""
        tp, fp, fn = self.totals()
        return _ratio("f1", "2 tp + fp + fn", 2 * tp, 2 * tp + fp + fn)

    def totals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """tp, fp and fn added up over the matrices of each model."""
        return self.tp.sum(axis=-1), self.fp.sum(axis=-1), self.fn.sum(axis=-1)

    def __repr__(self) -> str:
        with np.printoptions(threshold=12, edgeitems=2):
            return f"Counts(tp={self.tp}, fp={self.fp}, fn={self.fn})"

    def __str__(self) -> str:
        if self.tp.ndim > 1:
            return f"{math.prod(self.tp.shape[:-1])} models with {len(self)} matrices each"
        tp, fp, fn = self.totals()
        shown = [
            f"{name} {top / bottom:.4f}" if bottom else f"{name} undefined"
            for name, top, bottom in (
                ("precision", tp, tp + fp),
                ("recall", tp, tp + fn),
                ("F1", 2 * tp, 2 * tp + fp + fn),
            )
        ]
        return f"{len(self)} {'matrix' if len(self) == 1 else 'matrices'}: {', '.join(shown)}"


def _whole_numbers(name: str, values: Any) -> np.ndarray:
    try:
        array = np.atleast_1d(np.asarray(values))
        numbers = array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected whole numbers, got {values!r:.80}") from None
    if array.dtype == bool:
        raise ValueError(f"{name}: expected counts, got True and False: {values!r:.60}")
    if array.shape[-1] == 0:
        raise ValueError(f"{name}: expected at least one count, got none")
    wrong = ~((numbers >= 0) & (numbers <= _LARGEST) & (np.floor(numbers) == numbers))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = "" if np.ndim(values) == 0 else f"[{', '.join(map(str, where))}]"
        raise ValueError(
            f"{name}{place}={numbers[where]:g}: expected a whole number of at least 0 "
            f"(and at most {_LARGEST:.0e})"
        )
    result = array.astype(np.int64)
    result.setflags(write=False)
    return result


def _ratio(name: str, words: str, top: np.ndarray, bottom: np.ndarray) -> float | np.ndarray:
    if np.any(bottom == 0):
        raise ValueError(f"{name} is undefined: expected {words} above 0 over all matrices, got 0")
    result = top / bottom
    return float(result) if result.ndim == 0 else result


def _is_flat(spans: Sequence[Any]) -> bool:
    first = next(iter(spans), None)
    return isinstance(first, tuple) and len(first) > 0 and isinstance(first[0], int | np.integer)


def _span_set(name: str, sentence: int, spans: Iterable[Any]) -> set[tuple]:
    listed = [tuple(span) for span in spans]
    unique = set(listed)
    if len(unique) < len(listed):
        twice = next(span for span, times in Counter(listed).items() if times > 1)
        raise ValueError(f"{name}[{sentence}]: expected each span once, but {twice!r} stands twice")
    return unique


class BlockedCV:
    """Block-regularised m×2 cross-validation as a scikit-learn splitter (Table 1 of the paper).

    The corpus is dealt into equal blocks (4 for m ≤ 3, 8 for m ≤ 7, 16 for m ≤ 15, …); each of
    the m repetitions trains on one half of the blocks and validates on the other, then swaps.
    The halves come from the columns of a Hadamard matrix, so any two training sets of different
    repetitions share a quarter of the corpus.

    Parameters
    ----------
    m : int
        Repetitions; 2m models are trained.
    seed : int or numpy SeedSequence
        Decides which instance goes to which block.
    balance : array-like of shape (instances, units), optional
        How often each linguistic unit (entity type, tag, word, …) occurs in each instance. Blocks
        are then dealt so that every unit is spread evenly over them. `count_units` makes one.

    Raises
    ------
    ValueError
        From the constructor for a bad m or seed; from `split` for fewer instances (or groups)
        than blocks, a `balance` of another length, or groups too uneven to make equal blocks.

    Examples
    --------
    >>> for train, valid in BlockedCV(m=3, seed=1).split(range(8)):
    ...     print(train, valid)
    [0 2 5 6] [1 3 4 7]
    [1 3 4 7] [0 2 5 6]
    [1 2 3 5] [0 4 6 7]
    [0 4 6 7] [1 2 3 5]
    [0 1 3 6] [2 4 5 7]
    [2 4 5 7] [0 1 3 6]
    """

    def __init__(self, m: int = 3, seed: Any = 0, balance: Any = None) -> None:
        self.m = _checks.whole("m", m)
        self.seed = (
            seed
            if isinstance(seed, np.random.SeedSequence)
            else _checks.whole("seed", seed, least=0)
        )
        self.balance = None if balance is None else _unit_matrix("balance", balance)

    def __repr__(self) -> str:
        tail = "" if self.balance is None else f", balance=<{self.balance.shape} counts>"
        return f"BlockedCV(m={self.m}, seed={self.seed!r}{tail})"

    @property
    def n_blocks(self) -> int:
        """How many blocks m repetitions need."""
        return max(4, 2 ** math.ceil(math.log2(self.m + 1)))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """2m, whatever the data."""
        return 2 * self.m

    def design(self) -> np.ndarray:
        """Which blocks train in fold 1: a (blocks × m) array of True (train) and False.

        Examples
        --------
        >>> BlockedCV(m=3).design().astype(int).T
        array([[1, 1, 0, 0],
               [1, 0, 1, 0],
               [0, 1, 1, 0]])
        """
        k = self.n_blocks
        bits = k.bit_length() - 1
        # The columns in bit-reversed order, and the third one negated, are the paper's
        # 12|34, 13|24, 23|14; the sign decides only which half is called fold 1.
        order = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(1, k)]
        columns = hadamard(k)[:, order[: self.m]] > 0
        if self.m >= 3:
            columns[:, 2] = ~columns[:, 2]
        return columns

    def blocks(self, X: Any, y: Any = None, groups: Any = None) -> np.ndarray:
        """The block (0, 1, …) of each instance."""
        X, y, groups = indexable(X, y, groups)
        n, k = _num_samples(X), self.n_blocks
        if n < k:
            raise ValueError(f"X: expected at least {k} instances for m={self.m}, got {n}")
        if self.balance is not None and len(self.balance) != n:
            raise ValueError(
                f"balance: expected one row an instance ({n}), got {len(self.balance)} rows"
            )
        rng = np.random.default_rng(self.seed)
        if groups is not None:
            return _deal_groups(groups, self.balance, k, rng)
        if self.balance is None:
            dealt = np.empty(n, dtype=np.int64)
            dealt[rng.permutation(n)] = np.arange(n) % k
            return dealt
        return _deal(self.balance, k, rng)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """2m pairs of train and validation indices: each repetition, then its halves swapped."""
        block = self.blocks(X, y, groups)
        for column in self.design().T:
            first = column[block]
            train, valid = np.flatnonzero(first), np.flatnonzero(~first)
            yield train, valid
            yield valid, train


def count_units(instances: Iterable[Iterable[Any]]) -> pd.DataFrame:
    """How often each unit occurs in each instance: a row an instance, a column a unit.

    Feed it label sequences, entity types or words, and pass the result to
    ``BlockedCV(balance=…)``.

    Raises
    ------
    ValueError
        If there is no unit at all.

    Examples
    --------
    >>> count_units([["B-PER", "O", "O"], ["O"]])
       B-PER  O
    0      1  2
    1      0  1
    """
    counters = [Counter(units) for units in instances]
    names = sorted({unit for counter in counters for unit in counter}, key=str)
    if not names:
        raise ValueError("instances: expected at least one unit, got none")
    place = {unit: i for i, unit in enumerate(names)}
    table = np.zeros((len(counters), len(names)), dtype=np.int64)
    for row, counter in enumerate(counters):
        for unit, times in counter.items():
            table[row, place[unit]] = times
    return pd.DataFrame(table, columns=names)


def divergence(splits: Iterable[tuple[Any, Any]], units: Any) -> float:
    """How unlike the halves of each split are, in nats: 0 when every unit is spread evenly.

    For a unit that occurs N_k times, of which a share s_k falls in the training half, the
    divergence is the mean over all N occurrences of ``KL(s_k ‖ |S|/n)``, averaged over the splits.
    Twice N times the value is the G statistic of the same comparison.

    Parameters
    ----------
    splits : pairs of train and validation indices, as `BlockedCV.split` yields them
    units : array-like of shape (instances, units)
        Occurrences of each unit in each instance, see `count_units`.

    Raises
    ------
    ValueError
        For a table with negative or missing counts or no occurrence at all, or no split.

    Examples
    --------
    >>> units = [[3, 0], [3, 0], [0, 2], [0, 2], [3, 0], [3, 0], [0, 2], [0, 2]]
    >>> halves = [([0, 1, 2, 3], [4, 5, 6, 7])], [([0, 1, 4, 5], [2, 3, 6, 7])]
    >>> [round(divergence(half, units), 4) for half in halves]
    [0.0, 0.6931]
    """
    table = _unit_matrix("units", units)
    total = table.sum()
    if total <= 0:
        raise ValueError("units: expected at least one occurrence, got none")
    values = []
    for train, valid in splits:
        inside, outside = table[train].sum(axis=0), table[valid].sum(axis=0)
        share = len(train) / (len(train) + len(valid))
        both = inside + outside
        values.append(
            special.rel_entr(inside, both * share).sum()
            + special.rel_entr(outside, both * (1 - share)).sum()
        )
    if not values:
        raise ValueError("splits: expected at least one pair of train and validation indices")
    return max(0.0, float(np.mean(values)) / float(total))


def _unit_matrix(name: str, values: Any) -> np.ndarray:
    if hasattr(values, "toarray"):
        values = values.toarray()
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a table of counts, got {values!r:.80}") from None
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"{name}: expected a row an instance, a column a unit, got {table.shape}")
    if not np.all(np.isfinite(table)) or table.min() < 0:
        raise ValueError(f"{name}: expected finite counts of at least 0")
    return table


def _scaled(table: np.ndarray) -> np.ndarray:
    # Dividing by the root of the total makes squared deviations add up to a chi-square, so a
    # rare unit weighs as much as a common one; a unit that never occurs weighs nothing.
    total = table.sum(axis=0)
    return table[:, total > 0] / np.sqrt(total[total > 0])


def _deal(table: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Deal instances to k blocks, k at a time, each hand by the best assignment.

    The heaviest instances come first, so the light ones can even out what is left. Within a
    hand each block gets one instance, and the sum of squared deviations changes only by the
    inner products of deviations and rows: a linear assignment problem.
    """
    rows = _scaled(table)
    n = len(rows)
    shuffled = rng.permutation(n)
    order = shuffled[np.argsort(-np.einsum("ij,ij->i", rows, rows)[shuffled], kind="stable")]
    totals = np.zeros((k, rows.shape[1]))
    dealt = np.empty(n, dtype=np.int64)
    for start in range(0, n, k):
        hand = order[start : start + k]
        deviation = totals - totals.mean(axis=0)
        which, block = linear_sum_assignment(rows[hand] @ deviation.T)
        dealt[hand[which]] = block
        totals[block] += rows[hand[which]]
    return dealt


def _deal_groups(
    groups: Any, table: np.ndarray | None, k: int, rng: np.random.Generator
) -> np.ndarray:
    """Deal whole groups to k blocks, largest first, to the block that lacks most."""
    codes, names = pd.factorize(np.asarray(groups, dtype=object), use_na_sentinel=True)
    if (codes < 0).any():
        raise ValueError("groups: expected no missing values")
    if len(names) < k:
        raise ValueError(f"groups: expected at least {k} groups, one a block, got {len(names)}")
    n = len(codes)
    sizes = np.bincount(codes, minlength=len(names)).astype(float)
    units = sizes[:, None]
    if table is not None:
        sums = np.zeros((len(names), table.shape[1]))
        np.add.at(sums, codes, table)
        units = np.hstack([units, sums])
    rows = _scaled(units)
    rows[:, 0] *= math.sqrt(rows.shape[1])
    shuffled = rng.permutation(len(names))
    order = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    totals = np.zeros((k, rows.shape[1]))
    block_of = np.empty(len(names), dtype=np.int64)
    for group in order:
        block_of[group] = np.argmin(totals @ rows[group])
        totals[block_of[group]] += rows[group]
    dealt = block_of[codes]
    per_block = np.bincount(dealt, minlength=k)
    if per_block.max() - per_block.min() > max(1, 0.1 * n / k):
        raise ValueError(
            f"groups: expected groups even enough for {k} blocks of about {n / k:.0f} instances, "
            f"but kept together they make blocks of {per_block.min()} to {per_block.max()}"
        )
    return dealt


def effective_factor(
    m: int = 3,
    rho1: float | tuple[float, float] = (0, 0.5),
    rho2: float | tuple[float, float] = (0.25, 0.5),
) -> float:
    """What one count of an m×2 BCV is worth, Eqs. (16) and (22): c = 1/(1 + ρ1 + 2(m−1)ρ2).

    Parameters
    ----------
    m : int
        Repetitions of two-fold cross-validation.
    rho1 : number or (low, high)
        Covariance of the two folds of one repetition, over the binomial variance of a fold.
    rho2 : number or (low, high)
        The same for two folds of different repetitions. A range is averaged over, evenly, in
        closed form; a number is taken as known.

    Returns
    -------
    float
        The factor by which the added-up counts are multiplied.

    Raises
    ------
    ValueError
        For an m below 1, a range that is not (low, high), or values that leave no variance.

    Examples
    --------
    >>> round(effective_factor(), 8)
    0.36880211
    >>> effective_factor(rho1=0, rho2=0), round(effective_factor(rho1=1, rho2=1), 4)
    (1.0, 0.1667)
    """
    m = _checks.whole("m", m)
    low1, high1 = _range("rho1", rho1)
    low2, high2 = _range("rho2", rho2)
    slope = 2.0 * (m - 1)
    least = 1 + low1 + slope * low2
    if least <= 0:
        raise ValueError(
            f"rho1={rho1!r}, rho2={rho2!r}: expected 1 + rho1 + {slope:g} rho2 above 0, "
            f"got {least:g}"
        )
    wide1, wide2 = high1 - low1, slope * (high2 - low2)
    if min(wide1, wide2) / least > 1e-2:
        # The double integral of 1/u is the second difference of u log u.
        corners = special.xlogy(u := least + np.array([wide1 + wide2, wide1, wide2, 0.0]), u)
        return float((corners[0] - corners[1] - corners[2] + corners[3]) / (wide1 * wide2))
    # A narrow range makes that difference cancel; the inner integral in log1p and Gauss-Legendre
    # for the outer one do not.
    wide, narrow = max(wide1, wide2), min(wide1, wide2)
    nodes, weights = _GAUSS_LEGENDRE
    u = least + narrow * (nodes + 1) / 2
    inner = 1 / u if wide == 0 else np.log1p(wide / u) / wide
    return float(inner @ weights / 2)


class Correlations(NamedTuple):
    """What `correlations` measured, over the binomial variance of a fold.

    Attributes
    ----------
    rho0 : float
        Variance of one fold; the paper takes it to be 1.
    rho1 : float
        Covariance of the two folds of a repetition.
    rho2 : float
        Covariance of folds of different repetitions.
    factor : float
        The factor c these three imply: 1/(ρ0 + ρ1 + 2(m−1)ρ2).
    """

    rho0: float
    rho1: float
    rho2: float
    factor: float


def correlations(counts: Counts, metric: str = "recall", truth: Any = None) -> Correlations:
    """ρ1, ρ2 and the factor c as they turn out on many corpora, after Eq. (14).

    Parameters
    ----------
    counts : Counts of shape (corpora, 2m)
        A m×2 BCV of each corpus.
    metric : {"precision", "recall", "f1"}
    truth : array-like that broadcasts to (corpora, 2m), optional
        The value each fold should have had. None takes the mean over the corpora: the value of
        the *algorithm*. Pass what each trained model reaches on unlimited text to ask about
        *these trained models*.

    Returns
    -------
    Correlations
        Covariances over the *binomial* variance of a fold, as the paper defines them; a plain
        correlation coefficient would divide by the variance that is there.

    Raises
    ------
    ValueError
        For counts of a single corpus, an odd number of matrices, a fold without items, or a
        truth of another shape.

    Examples
    --------
    Six independent folds have no covariance, so one count is worth about one count:

    >>> hits = np.random.default_rng(0).binomial(200, 0.8, size=(2000, 6))
    >>> measured = correlations(Counts(hits, np.zeros_like(hits), 200 - hits))
    >>> print(" ".join(f"{value:.2f}" for value in measured))
    1.01 0.00 0.01 0.96
    """
    _checks.choice("metric", metric, METRICS)
    if counts.tp.ndim != 2 or counts.tp.shape[0] < 2:
        raise ValueError(
            f"counts: expected at least two corpora, shape (corpora, 2m), got {counts.tp.shape}"
        )
    corpora, folds = counts.tp.shape
    if folds % 2:
        raise ValueError(f"counts: expected an even number of matrices a corpus, got {folds}")
    errors = {"precision": counts.fp, "recall": counts.fn, "f1": counts.fp + counts.fn}[metric]
    items = counts.tp + errors
    if np.any(items == 0):
        raise ValueError(f"counts: expected items for {metric} in every matrix, but some have none")
    share = counts.tp / items
    pooled = counts.tp.sum() / items.sum()
    binomial = pooled * (1 - pooled) * np.mean(1 / items)
    values = share
    if metric == "f1":
        values = 2 * share / (1 + share)
        binomial *= (2 / (1 + pooled) ** 2) ** 2
    if truth is None:
        away, degrees = values - values.mean(axis=0), corpora - 1
    else:
        try:
            away, degrees = values - np.broadcast_to(truth, values.shape), corpora
        except ValueError:
            raise ValueError(
                f"truth: expected a shape that fits {values.shape}, got {np.shape(truth)}"
            ) from None
    covariance = away.T @ away / degrees / binomial
    same = np.arange(folds) // 2
    together = (same[:, None] == same) & ~np.eye(folds, dtype=bool)
    apart = same[:, None] != same
    rho2 = float(covariance[apart].mean()) if folds > 2 else 0.0
    return Correlations(
        float(np.diag(covariance).mean()),
        float(covariance[together].mean()),
        rho2,
        float(folds / covariance.sum()),
    )


@lru_cache(maxsize=64)
def _calibrated(m: int) -> float:
    return effective_factor(m)


def _range(name: str, value: Any) -> tuple[float, float]:
    if np.ndim(value) == 0:
        number = _checks.real(name, value)
        return number, number
    if np.shape(value) != (2,):
        raise ValueError(f"{name}={value!r}: expected a number or a pair (low, high)")
    low, high = (_checks.real(name, end) for end in value)
    if low > high:
        raise ValueError(f"{name}={value!r}: expected a pair (low, high) with low ≤ high")
    return low, high


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the counts say about one metric: a frozen distribution on [0, 1].

    Precision and recall are Beta(found, lost), Eqs. (25) and (26). F1 is 2W/(1 + W) where W,
    the share of true positives among TP, FP and FN, is Beta(found, lost): the same thing as
    2/(2 + X) with X beta prime, Eq. (27). All methods broadcast over the models in the counts.

    Attributes
    ----------
    metric : {"precision", "recall", "f1"}
    found : float or array
        First parameter of the beta distribution.
    lost : float or array
        Second parameter.
    """

    metric: str
    found: Any
    lost: Any

    def _share(self, t: Any) -> np.ndarray:
        t = np.asarray(t, dtype=float)
        return t / (2 - t) if self.metric == "f1" else t

    def _value(self, w: Any) -> np.ndarray:
        return 2 * w / (1 + w) if self.metric == "f1" else w

    def pdf(self, t: Any) -> float | np.ndarray:
        """The density at t; 0 outside [0, 1]."""
        return _plain(np.exp(self.logpdf(t)))

    def logpdf(self, t: Any) -> float | np.ndarray:
        """The logarithm of the density at t."""
        t = np.asarray(t, dtype=float)
        inside = (t >= 0) & (t <= 1)
        held = np.where(inside, t, 0.5)
        w = self._share(held)
        value = _log_beta_density(w, self.found, self.lost)
        if self.metric == "f1":
            value = value + math.log(2) - 2 * np.log(2 - held)
        return _plain(np.where(np.isnan(t), np.nan, np.where(inside, value, -np.inf)))

    def cdf(self, t: Any) -> float | np.ndarray:
        """The probability of a value of at most t."""
        return _plain(special.betainc(self.found, self.lost, self._share(np.clip(t, 0, 1))))

    def sf(self, t: Any) -> float | np.ndarray:
        """The probability of a value above t, exact also where it is tiny."""
        return _plain(special.betaincc(self.found, self.lost, self._share(np.clip(t, 0, 1))))

    def ppf(self, q: Any) -> float | np.ndarray:
        """The value below which a share q of the probability lies."""
        return _plain(self._value(_beta_quantile(self.found, self.lost, _unit("q", q), False)))

    def isf(self, q: Any) -> float | np.ndarray:
        """The value above which a share q of the probability lies."""
        return _plain(self._value(_beta_quantile(self.found, self.lost, _unit("q", q), True)))

    def interval(self, confidence: float = 0.95) -> tuple[Any, Any]:
        """The equal-tailed credible interval, Eqs. (28) to (30)."""
        tail = (1 - _checks.alpha(confidence, "confidence")) / 2
        return self.ppf(tail), self.isf(tail)

    def mean(self) -> float | np.ndarray:
        """The expected value."""
        if self.metric != "f1":
            return _plain(self.found / (np.asarray(self.found) + self.lost))
        return _plain(self._moments()[0])

    def std(self) -> float | np.ndarray:
        """The standard deviation."""
        if self.metric != "f1":
            a, b = np.asarray(self.found), np.asarray(self.lost)
            return _plain(np.sqrt(a / (a + b) * (b / (a + b)) / (a + b + 1)))
        return _plain(np.sqrt(self._moments()[1]))

    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        log_odds, weights = log_odds_grid(self.found, self.lost)
        # With w in log-odds L, 2w/(1 + w) is the logistic function of L + log 2.
        values = special.expit(log_odds + math.log(2))
        centre = (weights * values).sum(axis=0)
        return centre, (weights * (values - centre) ** 2).sum(axis=0)

    def mode(self) -> float | np.ndarray:
        """The value where the density is highest.

        With the default prior of 1 it is the point estimate for precision and recall. For F1 it
        is not: the density of 2W/(1 + W) peaks a little beside the point estimate (below it where
        F1 is high), by an amount that vanishes as the counts grow.
        """
        a, b = np.broadcast_arrays(
            np.asarray(self.found, dtype=float), np.asarray(self.lost, dtype=float)
        )
        if self.metric == "f1":
            return _plain(_f1_mode(a, b))
        with np.errstate(divide="ignore", invalid="ignore"):
            peak = (a - 1) / (a + b - 2)
        peak = np.where((a <= 1) & (b > 1), 0.0, np.where((b <= 1) & (a > 1), 1.0, peak))
        # Flat, or one peak at either end: no single mode, so the middle of the two.
        return _plain(np.where((a <= 1) & (b <= 1), 0.5, peak))

    def rvs(self, size: Any = None, random_state: Any = None) -> float | np.ndarray:
        """Random values; `random_state` is a seed or a numpy Generator."""
        rng = np.random.default_rng(random_state)
        return _plain(self._value(np.asarray(rng.beta(self.found, self.lost, size=size))))


def posterior(
    counts: Counts, metric: str = "f1", prior: float = 1.0, factor: float | None = None
) -> Posterior:
    """The m×2 BCV posterior of precision, recall or F1, Eqs. (25) to (27).

    Parameters
    ----------
    counts : Counts
        The 2m confusion matrices of the cross-validation, or one matrix of a hold-out test.
    metric : {"precision", "recall", "f1"}
    prior : float
        λ of the symmetric Beta(λ, λ) prior; 1 is flat for precision and recall.
    factor : float, optional
        What one count is worth. None takes `effective_factor` for m = matrices/2; 1 with a
        single matrix is the hold-out posterior; 1/(2m) is that of Wang et al. (2015).

    Returns
    -------
    Posterior
        With ``pdf cdf sf ppf isf interval mean std mode rvs``.

    Raises
    ------
    ValueError
        For an unknown metric, a prior or factor that is not positive, an odd number of matrices
        above one, or one matrix without an explicit factor.

    Examples
    --------
    >>> counts = Counts(tp=[90, 85, 88, 86, 91, 84], fp=[10] * 6, fn=[12] * 6)
    >>> low, high = posterior(counts, "f1").interval(0.95)
    >>> print(f"F1 between {low:.3f} and {high:.3f}")
    F1 between 0.851 and 0.914
    """
    if not isinstance(counts, Counts):
        raise ValueError(f"counts={counts!r:.60}: expected a betterthan.bcv.Counts")
    _checks.choice("metric", metric, METRICS)
    prior = _checks.real("prior", prior, 0.0, closed="neither")
    n = len(counts)
    if n > 1 and n % 2:
        raise ValueError(
            f"counts: expected an even number of matrices (two a repetition), or one, got {n}"
        )
    if factor is None:
        if n == 1:
            raise ValueError(
                "factor=None: expected a factor with a single matrix (1 for a hold-out test)"
            )
        factor = _calibrated(n // 2)
    factor = _checks.real("factor", factor, 0.0, closed="neither")
    tp, fp, fn = counts.totals()
    if metric == "precision":
        return Posterior(metric, factor * tp + prior, factor * fp + prior)
    if metric == "recall":
        return Posterior(metric, factor * tp + prior, factor * fn + prior)
    return Posterior(metric, factor * tp + prior, factor * (fp + fn) + 2 * prior)


def _plain(value: Any) -> float | np.ndarray:
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def _unit(name: str, q: Any) -> np.ndarray:
    array = np.asarray(q, dtype=float)
    if not np.all((array >= 0) & (array <= 1)):
        raise ValueError(f"{name}={q!r:.60}: expected probabilities between 0 and 1")
    return array


def _beta_quantile(a: Any, b: Any, q: np.ndarray, upper: bool) -> np.ndarray:
    """The quantile of Beta(a, b) with probability q below it (above it where `upper`)."""
    inverse = special.betainccinv if upper else special.betaincinv
    w = inverse(a, b, q)
    if np.all(np.add(a, b) < 1e6):
        return w
    # For a narrow distribution the inverse stops some millionths of a standard deviation early;
    # a step of Newton's method takes it the rest of the way.
    area = special.betaincc if upper else special.betainc
    with np.errstate(all="ignore"):
        step = (area(a, b, w) - q) / np.exp(_log_beta_density(w, a, b))
        moved = w + step if upper else w - step
        better = np.abs(area(a, b, moved) - q) < np.abs(area(a, b, w) - q)
    return np.where(better & (moved > 0) & (moved < 1), moved, w)


def _log_beta_density(w: Any, a: Any, b: Any) -> np.ndarray:
    """log density of Beta(a, b), without the cancellation that large a and b bring.

    The density is written as a binomial deviance around a/(a+b) plus Stirling remainders, the
    way R's dbeta does it, because a log(w) + b log(1-w) - log B(a, b) loses ten digits at 1e12.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    n = a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        away = w - a / n
        deviance = a * _log1p_less_x(away * n / a) + b * _log1p_less_x(-away * n / b)
        log_peak = 0.5 * np.log(a * b / n / (2 * math.pi))
        edges = -np.log(w) - np.log1p(-w)
        value = deviance + log_peak + edges + _stirling(n) - _stirling(a) - _stirling(b)
    at_zero = np.where(a == 1, np.log(b), np.where(a < 1, np.inf, -np.inf))
    at_one = np.where(b == 1, np.log(a), np.where(b < 1, np.inf, -np.inf))
    return np.where(w == 0, at_zero, np.where(w == 1, at_one, value))


def _log1p_less_x(x: np.ndarray) -> np.ndarray:
    """log(1 + x) - x; the linear terms of the two halves of the deviance cancel exactly."""
    small = np.abs(x) < 0.01
    z = np.where(small, x, 0.0)
    series = np.polynomial.polynomial.polyval(z, _LOG1P_SERIES) * z * z
    return np.where(small, series, np.log1p(np.maximum(x, -1.0)) - x)


def _stirling(x: np.ndarray) -> np.ndarray:
    """log Γ(x) minus Stirling's leading terms."""
    large = x > 15
    z = np.where(large, x, 16.0)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / z**2) / z**2) / z**2) / z
    small = np.where(large, 1.0, x)
    direct = special.gammaln(small) - (
        (small - 0.5) * np.log(small) - small + 0.5 * math.log(2 * math.pi)
    )
    return np.where(large, series, direct)


def _f1_mode(b: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Where t^(b-1) (1-t)^(a-1) (2-t)^-(a+b) peaks.

    Setting its slope to 0 gives 2t² + (2b + a - 5)t - 2(b - 1) = 0, which has one root in
    [0, 1] where both a and b are at least 1.
    """
    q = 2 * b + a - 5
    root = np.sqrt(q * q + 16 * np.maximum(b - 1, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        peak = np.where(q > 0, 4 * (b - 1) / (q + root), (root - q) / 4)
    peak = np.clip(np.where(a < 1, 1.0, peak), 0.0, 1.0)
    return np.where(b < 1, np.where(a < 1, 0.5, 0.0), peak)


def log_odds_grid(a: Any, b: Any, n: int = 257) -> tuple[np.ndarray, np.ndarray]:
    """Equally spaced log-odds and their probabilities under Beta(a, b), along a new first axis.

    In log-odds the density is smooth, log-concave and falls off exponentially at both ends
    whatever a and b are, so the trapezoidal rule converges faster than any power of the step.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    spread = np.sqrt(special.polygamma(1, a) + special.polygamma(1, b))
    ends = []
    for end in (-9 * spread, 9 * spread):
        for _ in range(60):
            too_near = log_odds_density(end, a, b) > -40
            if not np.any(too_near):
                break
            end = np.where(too_near, 1.5 * end, end)
        ends.append(end)
    steps = np.linspace(0, 1, n).reshape((n,) + (1,) * np.ndim(ends[0]))
    d = ends[0] + steps * (ends[1] - ends[0])
    weights = np.exp(log_odds_density(d, a, b))
    return np.log(a / b) + d, weights / weights.sum(axis=0)


def log_odds_density(d: Any, a: Any, b: Any) -> np.ndarray:
    """log density of the log-odds of Beta(a, b) at log(a/b) + d, relative to its peak at d = 0.

    Written around the smaller of a and b: the other form subtracts numbers of the size of the
    larger one and loses their last digits.
    """
    d = np.where(a < b, d, np.negative(d))
    less, both = np.minimum(a, b), np.add(a, b)
    share = less / both
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        growth = np.where(
            np.abs(d) < 500,
            np.log1p(share * np.expm1(np.clip(d, -500, 500))),
            np.logaddexp(np.log1p(-share), np.log(share) + d),
        )
    return less * d - both * growth
