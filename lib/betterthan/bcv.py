"""How sure is that F1? Posteriors of precision, recall and F1 from an m×2 BCV.

Chapter 1 of the book. The method is Wang and Li (2019), *Bayes Test of Precision, Recall, and
F1 Measure for Comparison of Two Natural Language Processing Models*: split the corpus in blocks,
run m two-fold cross-validations on them, add up the 2m confusion matrices, shrink the sum by a
factor that pays for their correlation, and read the posterior from the shrunken counts.

`posterior` reads `Counts` whose rows are folds. The sentences of one test set go to
`betterthan.score`, or through `factor_from`, which measures on them what one count is worth: then
the posterior of their sum holds for text, whose errors come in clumps.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from scipy import special

from betterthan import _checks
from betterthan._result import Interval
from betterthan._together import Together, together
from betterthan._words import counted
from betterthan.counts import Counts
from betterthan.errors import InputError
from betterthan.results import Results, as_results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "METRICS",
    "BlockedCV",
    "Correlations",
    "Counts",
    "Posterior",
    "added_up",
    "correlations",
    "count_units",
    "divergence",
    "effective_factor",
    "factor_from",
    "posterior",
]

METRICS = ("precision", "recall", "f1")
Split = tuple[np.ndarray, np.ndarray]
Range = float | tuple[float, float]
# Above this many counts a beta distribution is normal but for its skewness.
_HUGE = 1e9
# Counts of two systems that hardly differ may be worth thousands; beyond, something is wrong.
_LARGEST_FACTOR = 1e6
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


class BlockedCV:
    """Block-regularised m×2 cross-validation as a scikit-learn splitter (Table 1 of the paper).

    The corpus is dealt into equal blocks (4 for up to 3 repetitions, 8 for up to 7, 16 for up to
    15, …); each repetition trains on one half of the blocks and validates on the other, then
    swaps. The halves come from the columns of a Hadamard matrix, so any two training sets of
    different repetitions share a quarter of the corpus.

    Parameters
    ----------
    repetitions : int
        The m of m×2; twice as many models are trained.
    rng : int, numpy SeedSequence or Generator
        Decides which instance goes to which block. A Generator deals anew at every call.
    balance : array-like of shape (instances, units), optional
        How often each linguistic unit (entity type, tag, word, …) occurs in each instance. Blocks
        are then dealt, still at random, so that every unit is spread evenly over them.
        `count_units` makes one.

    Raises
    ------
    ValueError
        From the constructor for bad repetitions or a bad rng; from `split` for fewer instances
        (or groups) than blocks, a `balance` of another length, or groups too uneven to make
        equal blocks.

    Examples
    --------
    >>> for train, valid in BlockedCV(repetitions=3, rng=1).split(range(8)):
    ...     print(train, valid)
    [0 2 5 6] [1 3 4 7]
    [1 3 4 7] [0 2 5 6]
    [1 2 3 5] [0 4 6 7]
    [0 4 6 7] [1 2 3 5]
    [0 1 3 6] [2 4 5 7]
    [2 4 5 7] [0 1 3 6]
    """

    def __init__(self, repetitions: int = 3, rng: Any = 0, balance: Any = None) -> None:
        self.repetitions = _checks.whole("repetitions", repetitions)
        _checks.generator(rng)
        self.rng = rng
        self.balance = None if balance is None else _unit_matrix("balance", balance)

    @property
    def n_blocks(self) -> int:
        """How many blocks the repetitions need."""
        return max(4, 2 ** math.ceil(math.log2(self.repetitions + 1)))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Twice the repetitions, whatever the data."""
        return 2 * self.repetitions

    def design(self) -> np.ndarray:
        """Which blocks train in fold 1: (blocks × repetitions) of True (train) and False.

        Examples
        --------
        >>> BlockedCV(repetitions=3).design().astype(int).T
        array([[1, 1, 0, 0],
               [1, 0, 1, 0],
               [0, 1, 1, 0]])
        """
        from scipy.linalg import hadamard

        # The columns in bit-reversed order, and the third one negated, are the paper's
        # 12|34, 13|24, 23|14; the sign decides only which half is called fold 1.
        bits = self.n_blocks.bit_length() - 1
        order = [int(f"{i:0{bits}b}"[::-1], 2) for i in range(1, self.repetitions + 1)]
        columns = hadamard(self.n_blocks)[:, order] > 0
        columns[:, 2:3] = ~columns[:, 2:3]
        return columns

    def blocks(self, X: Any, y: Any = None, groups: Any = None) -> np.ndarray:
        """The block (0, 1, …) of each instance."""
        n, k = X.shape[0] if hasattr(X, "shape") else len(X), self.n_blocks
        if n < k:
            raise InputError("X", expected=f"at least {k} instances, one per block, got {n}")
        if self.balance is not None and len(self.balance) != n:
            raise InputError("balance", expected=f"{n} rows as in X, got {len(self.balance)}")
        rng = _checks.generator(self.rng)
        if groups is not None:
            return _deal_groups(_checks.groups(groups, n), self.balance, k, rng)
        if self.balance is not None:
            return _deal(self.balance, k, rng)
        # By the place in the shuffled order.
        return np.argsort(rng.permutation(n)) % k

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Pairs of train and validation indices: each repetition, then its halves swapped."""
        block = self.blocks(X, y, groups)
        for column in self.design().T:
            train, valid = np.flatnonzero(column[block]), np.flatnonzero(~column[block])
            yield from ((train, valid), (valid, train))


def count_units(instances: Iterable[Iterable[Any]]) -> pd.DataFrame:
    """How often each unit occurs in each instance: one row per instance, one column per unit.

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
    import pandas as pd

    counters = [Counter(units) for units in instances]
    names = sorted({unit for counter in counters for unit in counter}, key=str)
    if not names:
        raise InputError("instances", expected="at least one unit, got none")
    return pd.DataFrame([[counter[name] for name in names] for counter in counters], columns=names)


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
    table, values = _unit_matrix("units", units), []
    if table.sum() <= 0:
        raise InputError("units", expected="at least one occurrence, got none")
    for train, valid in splits:
        inside, outside = table[train].sum(axis=0), table[valid].sum(axis=0)
        due = (inside + outside) * len(train) / (len(train) + len(valid))
        away = special.rel_entr(inside, due) + special.rel_entr(outside, inside + outside - due)
        values.append(away.sum() / table.sum())
    if not values:
        raise InputError("splits", expected="at least one pair of train and validation indices")
    return max(0.0, float(np.mean(values)))


def _unit_matrix(name: str, values: Any) -> np.ndarray:
    values = values.toarray() if hasattr(values, "toarray") else values
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(name, expected=f"a table of counts, got {values!r:.80}") from None
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not table.size or not np.all(np.isfinite(table) & (table >= 0)):
        raise InputError(name, expected="instances × units of finite counts of at least 0")
    return table


def _scaled(table: np.ndarray) -> np.ndarray:
    # Dividing by the root of the total makes squared deviations add up to a chi-square, so a
    # rare unit weighs as much as a common one; a unit that never occurs weighs nothing.
    total = table.sum(axis=0)
    return table[:, total > 0] / np.sqrt(total[total > 0])


def _deal(table: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Deal instances to k blocks, k at a time, each hand by the best assignment.

    Within a hand each block gets one instance, and the sum of squared deviations changes only by
    the inner products of deviations and rows: a linear assignment problem.
    """
    from scipy.optimize import linear_sum_assignment

    rows = _scaled(table)

    def once(order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        totals, dealt = np.zeros((k, rows.shape[1])), np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), k):
            hand = order[start : start + k]
            which, block = linear_sum_assignment(rows[hand] @ (totals - totals.mean(axis=0)).T)
            dealt[hand[which]] = block
            totals[block] += rows[hand[which]]
        return dealt, totals

    return _best_of_five(once, np.einsum("ij,ij->i", rows, rows), rng)


def _deal_groups(groups: Any, table: Any, k: int, rng: np.random.Generator) -> np.ndarray:
    """Deal whole groups to k blocks, each to the block that lacks most."""
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(group, len(number)) for group in groups])
    if len(number) < k:
        raise InputError(
            "groups", expected=f"at least {k} groups, one per block, got {len(number)}"
        )
    table = np.empty((len(codes), 0)) if table is None else table
    units = np.zeros((len(number), 1 + table.shape[1]))
    np.add.at(units, codes, np.insert(table, 0, 1, axis=1))
    rows = _scaled(units)
    # The number of instances weighs as much as all units together.
    rows[:, 0] *= math.sqrt(rows.shape[1])

    def once(order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        totals, block_of = np.zeros((k, rows.shape[1])), np.empty(len(number), dtype=np.int64)
        for group in order:
            block_of[group] = np.argmin(totals @ rows[group])
            totals[block_of[group]] += rows[group]
        return block_of, totals

    dealt = _best_of_five(once, units[:, 0], rng)[codes]
    sizes, even = np.bincount(dealt, minlength=k), len(codes) / k
    if sizes.max() - sizes.min() > max(1, 0.1 * even):
        wanted = f"groups even enough for {k} blocks of about {even:.0f} instances"
        got = f"kept together they make blocks of {sizes.min()} to {sizes.max()}"
        raise InputError("groups", expected=f"{wanted}, but {got}")
    return dealt


def _best_of_five(once: Any, weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Deal in five random orders, the heavy first, and keep the most even outcome.

    Heavy ones come first so that light ones can even out what is left. Strictly by weight, two
    seeds would put most instances into the same blocks; so each weight is first blurred by a
    factor from 1 to 2, which changes the company of every instance and costs no evenness that
    five tries do not win back.
    """
    best, least = np.empty(0), math.inf
    for _ in range(5):
        shuffled = rng.permutation(len(weight))
        blurred = weight[shuffled] * 2 ** rng.uniform(size=len(weight))
        dealt, totals = once(shuffled[np.argsort(-blurred, kind="stable")])
        uneven = float(((totals - totals.mean(axis=0)) ** 2).sum())
        if uneven < least:
            best, least = dealt, uneven
    return best


def effective_factor(
    repetitions: int = 3, rho1: Range = (0, 0.5), rho2: Range = (0.25, 0.5)
) -> float:
    """What one count of an m×2 BCV is worth, Eqs. (16) and (22): c = 1/(1 + ρ1 + 2(m−1)ρ2).

    Parameters
    ----------
    repetitions : int
        The m of m×2: how often a two-fold cross-validation was run.
    rho1 : number or (low, high)
        Covariance of the two folds of one repetition, over the binomial variance of a fold.
    rho2 : number or (low, high)
        The same for two folds of different repetitions. A range is averaged over, evenly; a
        number is taken as known.

    Returns
    -------
    float
        The factor by which the added-up counts are multiplied.

    Raises
    ------
    ValueError
        For repetitions below 1, a range that is not (low, high), or values that leave no variance.

    Examples
    --------
    >>> round(effective_factor(), 8)
    0.36880211
    >>> effective_factor(rho1=0, rho2=0), round(effective_factor(rho1=1, rho2=1), 4)
    (1.0, 0.1667)
    """
    slope = 2.0 * (_checks.whole("repetitions", repetitions) - 1)
    (low1, high1), (low2, high2) = _range("rho1", rho1), _range("rho2", rho2)
    least = 1 + low1 + slope * low2
    if least <= 0:
        wanted = f"expected 1 + rho1 + {slope:g} rho2 above 0"
        raise InputError(problem=f"{rho1=}, {rho2=}: {wanted}")
    # Along the wider side of the rectangle the mean of 1/u is a logarithm; along the other it is
    # a sum over Gauss-Legendre nodes. The closed form of both cancels where a side is narrow.
    narrow, wide = sorted([high1 - low1, slope * (high2 - low2)])
    u = least + narrow * (_NODES + 1) / 2
    return float(_WEIGHTS @ np.log1p(wide / u) / wide / 2) if wide else 1 / least


def _range(name: str, value: Any) -> tuple[float, float]:
    ends = [_checks.real(name, end) for end in (value if np.ndim(value) else (value, value))]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise InputError(name, value, expected="a number, or (low, high) with low ≤ high")
    return ends[0], ends[1]


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


def correlations(
    corpora: Sequence[Counts], metric: str = "recall", truth: Any = None, repetitions: int = 3
) -> Correlations:
    """ρ1, ρ2 and the factor c as they turn out on many corpora, after Eq. (14).

    Parameters
    ----------
    corpora : sequence of Counts
        The m×2 BCV of each corpus.
    metric : {"precision", "recall", "f1"}
    truth : array-like that broadcasts to (corpora, folds), optional
        The value each fold should have had. None takes the mean over the corpora: the value of
        the *algorithm*. Pass what each trained model reaches on unlimited text to ask about
        *these trained models*.
    repetitions : int
        The m of m×2.

    Returns
    -------
    Correlations
        Covariances over the *binomial* variance of a fold, as the paper defines them; a plain
        correlation coefficient would divide by the variance that is there.

    Raises
    ------
    ValueError
        For fewer than two corpora, rows that are not the 2m folds of each, a fold without items,
        or a truth of another shape.

    Examples
    --------
    Six independent folds have no covariance, so one count is worth about one count:

    >>> hits = np.random.default_rng(0).binomial(200, 0.8, size=(2000, 6))
    >>> corpora = [Counts(row, 0 * row, 200 - row, unit="fold") for row in hits]
    >>> print(" ".join(f"{value:.2f}" for value in correlations(corpora)))
    1.01 0.00 0.01 0.96
    """
    _checks.choice("metric", metric, METRICS)
    if isinstance(corpora, Counts) or len(corpora) < 2:
        raise InputError("corpora", corpora, expected="a Counts for each of many corpora")
    for i, folds in enumerate(corpora):
        require_folds(f"corpora[{i}]", folds, "betterthan.score", repetitions)
    tp, fp, fn = (np.array([getattr(c, part) for c in corpora]) for part in ("tp", "fp", "fn"))
    items = tp + {"precision": fp, "recall": fn, "f1": fp + fn}[metric]
    if np.any(items == 0):
        wanted = f"items for {metric} in every fold, but some have none"
        raise InputError("corpora", expected=wanted)
    values, pooled = tp / items, tp.sum() / items.sum()
    binomial = pooled * (1 - pooled) * np.mean(1 / items)
    if metric == "f1":
        values = 2 * values / (1 + values)
        binomial *= (2 / (1 + pooled) ** 2) ** 2
    try:
        away = values - np.broadcast_to(values.mean(axis=0) if truth is None else truth, tp.shape)
    except ValueError:
        wanted = f"{tp.shape} values, got {np.shape(truth)}"
        raise InputError("truth", expected=wanted) from None
    covariance = away.T @ away / (len(tp) - (truth is None)) / binomial
    variance, total = np.diag(covariance).mean(), covariance.mean()
    same = np.kron(np.eye(repetitions), np.ones((2, 2))) > 0
    rho1 = 2 * covariance[same].mean() - variance
    rho2 = covariance[~same].mean() if repetitions > 1 else 0.0
    return Correlations(*map(float, (variance, rho1, rho2, 1 / (total * len(same)))))


@overload
def factor_from(a: Any, b: str = ..., *, groups: Any = ...) -> float: ...
@overload
def factor_from(a: Any, b: Any = ..., metric: str = ..., *, groups: Any = ...) -> float: ...
def factor_from(a: Any, b: Any = None, metric: str | None = None, *, groups: Any = None) -> float:
    """What one count of a test set is worth, measured on its own sentences: 1 / design effect.

    A posterior takes every count as a coin of its own. Those of one sentence (or document) stand
    and fall together, so the score strays further than coins would. The factor is the variance
    that coins have over the variance that the score has, by leaving out one sentence at a time.
    With w = TP/N, where N is TP + FP + FN for F1, TP + FP for precision and TP + FN for recall,

        factor = w(1 − w)/N · (2/(1 + w)²)² / V,

    without the squared term for precision and recall; V is the delete-one jackknife variance of
    the score. With groups whole groups are left out, and the factor is multiplied by
    (1.96/t)², where t is the 97.5 % point of Student's t with G* − 1 degrees of freedom and G*
    what the groups would number if they were of one size.

    Of two systems on the same sentences it is one common factor: the sum of both systems' coin
    variances over the jackknife variance of the *difference*, which knows what they share.

    Parameters
    ----------
    a : Counts or Results
        Counts per sentence of one system.
    b : Counts or Results, optional
        A second system on the same sentences, for `betterthan.bayes.compare`. A string here is
        the metric.
    metric : {"precision", "recall", "f1"}
        Which score; by default "f1".
    groups : array-like or str, optional
        One label per sentence, such as its document; None takes those of the counts, if any.

    Returns
    -------
    float
        For ``posterior(added_up(a), metric, factor=…)``, or for
        ``bayes.compare(added_up(a), added_up(b), metric, factor=…)``.

    Raises
    ------
    InputError
        For folds, numbers that are no counts, several runs, other sentences in `b`, an unknown
        metric, or results without spread: the factor would be a division by 0.

    Examples
    --------
    Four words in each sentence that are all found or all missed are worth one:

    >>> sentences = Counts(tp=[4, 0, 4, 4] * 50, fp=[0] * 200, fn=[0, 4, 0, 0] * 50)
    >>> round(factor_from(sentences, "recall"), 2)
    0.25
    """
    if isinstance(b, str):
        b, metric = None, b if metric is None else metric
    metric = _checks.choice("metric", "f1" if metric is None else metric, METRICS)
    named = {"a": a} if b is None else {"a": a, "b": b}
    systems = [_by_sentence(name, given) for name, given in named.items()]
    found = together(systems, metric, groups, names=list(named))
    signs = [1] if b is None else [-1, 1]
    variance = found.student(found.systems, signs).from_items
    coins = sum(_coin_variance(own[0].sum(axis=0), metric) for own in found.tables)
    if not variance > 1e-9 * coins:
        raise _without_spread(found, b is not None)
    grouped = groups is not None or systems[0].groups is not None
    return float(coins / variance * (_few_groups(found.n_effective) if grouped else 1.0))


def _by_sentence(name: str, given: Any) -> Results:
    """The counts of one system, one run."""
    if isinstance(given, Counts) and given.unit == "fold":
        wanted = f"one row per sentence or item, got {counted(len(given), 'fold')}"
        why = "folds share sentences, so their spread does not tell what a count is worth"
        raise InputError(name, expected=f"{wanted}: {why}")
    results = as_results(name, given)
    if results.n_runs > 1:
        wanted = f"one run, got {results.n_runs}; a posterior knows nothing of luck in training"
        raise InputError(name, expected=f"{wanted}, for which there is betterthan.score")
    return results


def _coin_variance(sums: np.ndarray, metric: str) -> float:
    """The variance of the score if every count were an independent coin (delta method for F1)."""
    tp, fp, fn = sums
    items = tp + {"precision": fp, "recall": fn, "f1": fp + fn}[metric]
    share = tp / items
    slope = 2 / (1 + share) ** 2 if metric == "f1" else 1.0
    return float(share * (1 - share) / items * slope**2)


def _few_groups(worth: float) -> float:
    """What a factor loses because few groups hardly tell how far the score strays."""
    return float((special.ndtri(0.975) / special.stdtrit(max(worth - 1, 1e-3), 0.975)) ** 2)


def _without_spread(found: Together, two: bool) -> InputError:
    """Why there is no factor where leaving out a sentence changes nothing."""
    left_out = "group" if found.n_groups < found.n_units else found.unit
    what = "the difference of a and b" if two else f"the {found.metric_word} of a"
    text = f"leaving out one {left_out} never changes {what}"
    wanted = f"{left_out}s that differ: without spread nothing tells what a count is worth"
    return InputError(problem=text, expected=wanted)


def added_up(counts_by_sentence: Any) -> Counts:
    """The counts of all sentences together, as the one matrix that `posterior` takes.

    Parameters
    ----------
    counts_by_sentence : Counts or Results

    Returns
    -------
    Counts
        One row, ``unit="fold"``.

    Raises
    ------
    InputError
        For numbers that are no counts, or several runs.

    Examples
    --------
    >>> sentences = Counts(tp=[2, 0, 1], fp=[0, 1, 0], fn=[0, 1, 0])
    >>> print(added_up(sentences))
    1 fold: precision 0.7500, recall 0.7500, F1 0.7500
    """
    results = _by_sentence("counts_by_sentence", counts_by_sentence)
    metric = results.held.metric("counts_by_sentence", "f1")
    sums = results.held.tables(metric)[0].sum(axis=0, keepdims=True).astype(np.int64)
    return Counts(sums[:, 0], sums[:, 1], sums[:, 2], unit="fold")


@dataclass(frozen=True)
class Posterior:
    """What the counts say about one metric: a frozen distribution on [0, 1].

    Precision and recall are Beta(found, lost), Eqs. (25) and (26). F1 is 2W/(1 + W) where W,
    the share of true positives among TP, FP and FN, is Beta(found, lost): the same thing as
    2/(2 + X) with X beta prime, Eq. (27).

    Attributes
    ----------
    metric : {"precision", "recall", "f1"}
    found : float
        First parameter of the beta distribution.
    lost : float
        Second parameter.
    basis : str
        What it rests on, for the sentence.
    """

    metric: str
    found: float
    lost: float
    basis: str = "block-regularised cross-validation, items taken as independent"

    def pdf(self, value: Any) -> Any:
        """The density at a value; 0 outside [0, 1]."""
        from scipy.stats import beta

        value = np.clip(value, -1, 1.5)
        density = beta.pdf(self._share(value), self.found, self.lost)
        return density * 2 / (2 - value) ** 2 if self.metric == "f1" else density

    def cdf(self, value: Any) -> Any:
        """The probability of at most this value."""
        return special.betainc(self.found, self.lost, self._share(np.clip(value, 0, 1)))

    def sf(self, value: Any) -> Any:
        """The probability of more than this value, exact also where it is tiny."""
        return special.betaincc(self.found, self.lost, self._share(np.clip(value, 0, 1)))

    def ppf(self, probability: Any) -> Any:
        """The value below which a share `probability` lies; NaN outside [0, 1]."""
        return self._value(_quantile(self.found, self.lost, probability))

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """The equal-tailed credible interval, Eqs. (28) to (30)."""
        tail = (1 - _checks.alpha(confidence_level, "confidence_level")) / 2
        high = _upper_quantile(self.found, self.lost, tail)
        return Interval(float(self.ppf(tail)), float(self._value(high)))

    def mean(self) -> float:
        """The expected value."""
        mean = self.found / (self.found + self.lost)
        # The mean of 2W/(1 + W) is that of W times a hypergeometric series of positive terms.
        series = special.hyp2f1(1, self.lost, self.found + self.lost + 1, 0.5)
        return float(mean * series if self.metric == "f1" else mean)

    def rvs(self, size: Any = None, rng: Any = 0) -> Any:
        """Random values; `rng` is a seed or a numpy Generator."""
        return self._value(_checks.generator(rng).beta(self.found, self.lost, size))

    def __str__(self) -> str:
        name = self._word[0].upper() + self._word[1:]
        low, high = self.interval()
        text = f"95 % credible interval {low:.4f} to {high:.4f}; {self.basis}"
        return f"{name} is {self.mean():.4f} on average over the posterior ({text})."

    def table(self) -> pd.DataFrame:
        """One row: metric, mean, ends of the 95 % interval."""
        import pandas as pd

        low, high = self.interval()
        row = {"metric": self._word, "mean": self.mean(), "low": low, "high": high}
        return pd.DataFrame([row])

    def plot(self, ax: Axes | None = None) -> Axes:
        """The curve, with its 95 % interval below."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(layout="constrained")[1]
        at = np.linspace(*self.interval(0.999), 400)
        (line,) = ax.plot(at, self.pdf(at))
        below = [-0.05 * float(self.pdf(at).max())] * 2
        ax.plot(self.interval(), below, color=line.get_color(), linewidth=4, label="95 %")
        ax.set(xlabel=self._word, ylabel="density")
        ax.legend()
        return ax

    @property
    def _word(self) -> str:
        return "F1" if self.metric == "f1" else self.metric

    def _share(self, value: Any) -> Any:
        return np.divide(value, np.subtract(2, value)) if self.metric == "f1" else value

    def _value(self, share: Any) -> Any:
        return 2 * share / (1 + share) if self.metric == "f1" else share


def _quantile(found: float, lost: float, below: Any) -> Any:
    """The value of Beta(found, lost) below which a share `below` lies."""
    if min(found, lost) < _HUGE:
        return special.betaincinv(found, lost, below)
    return _nearly_normal(found, lost, special.ndtri(below))


def _upper_quantile(found: float, lost: float, above: Any) -> Any:
    """The same from the share above it, which keeps the digits of a small one."""
    if min(found, lost) < _HUGE:
        return special.betainccinv(found, lost, above)
    return _nearly_normal(found, lost, -special.ndtri(above))


def _nearly_normal(found: float, lost: float, z: Any) -> Any:
    """The quantile of Beta(found, lost) that belongs to z of the normal, for huge parameters.

    There scipy is up to a hundredth of a standard deviation off, and gives NaN before 1.17; the
    first two terms of Cornish and Fisher's expansion are off by a billionth.
    """
    total = found + lost
    spread = math.sqrt(found / total * (lost / total) / total)
    skew = 2 * (lost - found) / math.sqrt(found) / math.sqrt(lost) / math.sqrt(total)
    return np.clip(found / total + spread * (z + skew * (z**2 - 1) / 6), 0.0, 1.0)


def posterior(
    folds: Counts | Results,
    metric: str = "f1",
    repetitions: int | None = None,
    prior: float = 1.0,
    factor: Any = None,
) -> Posterior:
    """The m×2 BCV posterior of precision, recall or F1, Eqs. (25) to (27).

    Parameters
    ----------
    folds : Counts or Results
        The confusion matrices of the cross-validation, two per repetition, ``unit="fold"``;
        `betterthan.readers.read_fold_counts` reads them.
    metric : {"precision", "recall", "f1"}
    repetitions : int, optional
        The m of m×2. Ten folds of a plain cross-validation are not a 5×2. The default None takes
        what the reader was told, else 3.
    prior : float
        λ of the symmetric Beta(λ, λ) prior, from 0.1 on; 1 is flat for precision and recall.
    factor : float, optional
        What one count is worth. None takes `effective_factor(repetitions)`. With a factor, any
        number of matrices will do: 1 with a single one is the hold-out posterior, as if items
        were independent; `factor_from` measures it on the sentences of a test set; 1/(2m) with
        2m is that of Wang et al. (2015).

    Returns
    -------
    Posterior
        With ``pdf cdf sf ppf interval mean rvs``.

    Raises
    ------
    ValueError
        For rows that are not folds, another number of them than two per repetition (without a
        factor), an unknown metric, a prior below 0.1 or of 1e15, or a factor outside (0, 10⁶).

    Examples
    --------
    >>> folds = Counts([90, 85, 88, 86, 91, 84], fp=[10] * 6, fn=[12] * 6, unit="fold")
    >>> print("F1 lies at", posterior(folds, "f1").interval(0.95))
    F1 lies at 0.8508 to 0.9138
    """
    own, repetitions = folds_of(folds, repetitions)
    require_folds("folds", own, "betterthan.score", None if factor is not None else repetitions)
    _checks.choice("metric", metric, METRICS)
    # Below, a float cannot hold how close to 0 and 1 the values lie; above, not single counts.
    prior = _checks.real("prior", prior, 0.1, 1e15, closed="low")
    given = factor is not None
    factor = factor if given else effective_factor(repetitions)
    factor = _checks.real("factor", factor, 0.0, _LARGEST_FACTOR, closed="neither")
    tp, fp, fn = (factor * int(part.sum()) for part in (own.tp, own.fp, own.fn))
    lost = {"precision": fp + prior, "recall": fn + prior, "f1": fp + fn + 2 * prior}[metric]
    if not given:
        return Posterior(metric, tp + prior, lost)
    matrices = "1 confusion matrix" if len(own) == 1 else f"{len(own)} confusion matrices"
    return Posterior(metric, tp + prior, lost, f"{matrices}, a count worth {factor:.3g}")


def folds_of(folds: Any, repetitions: int | None) -> tuple[Any, int]:
    """The counts in what a reader gave, and the m of m×2: as said, as read, or the paper's 3."""
    known = 3
    if isinstance(folds, Results) and folds.unit == "fold" and folds.held.counted:
        known = folds.repetitions or known
        tp, fp, fn = np.asarray(folds.values, dtype=np.int64).T
        folds = Counts(tp, fp, fn, unit="fold")
    return folds, known if repetitions is None else repetitions


def require_folds(name: str, folds: Any, instead: str, repetitions: int | None) -> None:
    """Refuse what is not the confusion matrices of folds, two per repetition (None: any number)."""
    if not isinstance(folds, Counts):
        raise InputError(name, folds, expected="betterthan.counts.Counts of folds")
    if folds.unit != "fold":
        wanted = f"one row per fold (unit='fold'), got one per {folds.unit}"
        raise InputError(name, expected=f"{wanted}; for those there is {instead}")
    n = len(folds)
    if repetitions is not None and n != 2 * _checks.whole("repetitions", repetitions):
        hint = "" if n % 2 else f"; say repetitions={n // 2} if this is a {n // 2}×2"
        plain = f"{n} folds of a plain cross-validation are not an m×2 cross-validation"
        wanted = f"expected {2 * repetitions} for {repetitions=}{hint}"
        raise InputError(name, problem=f"{n} folds: {wanted}; {plain}")
