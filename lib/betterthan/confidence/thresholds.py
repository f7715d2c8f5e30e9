"""Above which probability do answers need no check? A threshold whose error is shown to be small.

The threshold that looks good on checked answers may be the lucky one of many. Here each is
*tested*, from the highest down, so that with 95 % confidence none that is claimed has a larger
error than was asked for ("learn then test", Angelopoulos and others 2025).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from betterthan import _checks
from betterthan._words import counted, percent
from betterthan.confidence import _unseen
from betterthan.confidence._inputs import Stated, stated

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Thresholds that are tried, where there are more probabilities than that.
_MOST = 400


@dataclass(frozen=True)
class Tried:
    """All thresholds that were tried, from the highest down; one entry of each array for each.

    Attributes
    ----------
    threshold : array
        Answers of at least this probability are given.
    n_answered : array of int
        How many of the checked answers these are.
    share : array
        The same as a share of all.
    wrong : array of int
        How many of them are wrong.
    error : array
        The same as a share of those answered.
    pvalue : array
        Of so few wrong answers, if the error were above the one that was asked for.
    level : array
        At which level the threshold was tested; 0 where it was passed over.
    holds : array of bool
        Whether its error is shown to be small enough.
    """

    threshold: np.ndarray
    n_answered: np.ndarray
    share: np.ndarray
    wrong: np.ndarray
    error: np.ndarray
    pvalue: np.ndarray
    level: np.ndarray
    holds: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """What `threshold` found; ``print`` gives the sentence for the paper.

    Attributes
    ----------
    threshold : float or None
        The lowest probability from which on the error is shown to be at most `target`; None where
        no threshold could be shown to keep it.
    target : float
        The error that was asked for.
    share : float
        The share of the checked answers at or above the threshold; 0 without one.
    n_answered : int
        How many these are; 0 without one.
    error : float
        The share of them that is wrong; NaN without a threshold.
    upper : float
        An upper bound of the error at this threshold, at the level it was tested at; NaN without
        one. It looks at this threshold alone: what holds for all together is `target`.
    n : int
        How many answers were checked.
    n_groups : int
        How many groups (the answers themselves without ``groups=``).
    n_needed : int
        How many answers (or groups) without any mistake the claim takes at least.
    confidence_level : float
        Of the claim: in at most ``1 - confidence_level`` of all samples is the error above
        `target`.
    notes : tuple of str
        What was said while the answers were read.
    """

    threshold: float | None
    target: float
    share: float
    n_answered: int
    error: float
    upper: float
    n: int
    n_groups: int
    n_needed: int
    confidence_level: float
    _tried: Tried = field(repr=False)
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        said = self._none() if self.threshold is None else self._found()
        return " ".join([said, *self.notes])

    @property
    def _sample(self) -> str:
        groups = f" in {self.n_groups:,} groups" if self.n_groups < self.n else ""
        return f"{self.n:,} checked answers{groups}"

    def _found(self) -> str:
        return (
            f"With a threshold of {self.threshold:.6g} the model answers "
            f"{percent(self.share, 1)} of the questions, and at most {percent(self.target)} of "
            f"these answers are wrong ({percent(self.confidence_level)} confidence; "
            f"{self._sample}, {self.n_answered:,} of them at or above the threshold, "
            f"{percent(self.error, 1)} of those wrong)."
        )

    def _none(self) -> str:
        unit = "group" if self.n_groups < self.n else "answer"
        units = self.n_groups if self.n_groups < self.n else self.n
        said = (
            f"No threshold is shown to keep the error at {percent(self.target)} or less "
            f"({percent(self.confidence_level)} confidence; {self._sample})."
        )
        if units >= self.n_needed:
            return said
        needed = f"even without a mistake that takes {counted(self.n_needed, unit)}"
        return f"{said} {counted(units, unit)} cannot show it: {needed}."

    def table(self) -> pd.DataFrame:
        """One row per threshold tried, from the highest down, and whether it holds."""
        import pandas as pd

        return pd.DataFrame(vars(self._tried))

    def plot(self, ax: Axes | None = None, label: str | None = None) -> Axes:
        """The error among the answers given, by the share that is answered.

        Thresholds that hold are a thick line; a dot is the one chosen, a grey line the target.
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        tried = self._tried
        (line,) = ax.plot(tried.share, tried.error, linewidth=1, label=label)
        shown = np.where(tried.holds, tried.error, np.nan)
        ax.plot(tried.share, shown, linewidth=3, color=line.get_color())
        if self.threshold is not None:
            ax.plot(self.share, self.error, "o", color=line.get_color())
        ax.axhline(self.target, color="0.6", linewidth=1)
        ax.set(xlabel="share answered", ylabel="share wrong of these", xlim=(0, 1), ylim=(0, None))
        return ax


def threshold(
    correct: Any,
    probability: Any = None,
    error: float = 0.05,
    *,
    confidence_level: float = 0.95,
    groups: Any = None,
) -> Threshold:
    r"""The lowest threshold above which the error is shown to be at most `error`.

    Every probability that was stated is a threshold to try (400 of them, evenly spaced by rank,
    where there are more). The test of one: so few wrong answers among those given, if the error
    were above `error` (binomial). The thresholds are tried from the highest down. Where one
    passes, the next is tried at the same level; where one fails, its level is spent. So that one
    early mistake does not end the search, the 5 % are divided among several starting points, each
    with at least twice as many answers as the one before; a level that reaches the next starting
    point is added to what is there (the fallback procedure, Wiens 2003). All claims hold together
    with `confidence_level`.

    With groups the number of mistakes is not binomial. The test then weights the groups at random
    and adds one that was not seen, whose answers are all wrong; it holds however much mistakes
    clump, and takes many groups: 59 without any mistake for an error of 5 %.

    Parameters
    ----------
    correct
        1 or 0 (right or wrong) per answer that was checked; or answers as
        `readers.read_probabilities` gives them, which bring probability, groups and notes along.
    probability
        How sure the model was of each answer, between 0 and 1. Only their order and ties count.
    error
        The largest share of wrong answers among those given that is allowed.
    confidence_level
        How sure to be that the error is not larger.
    groups
        What hangs together (sentence, document), one label per answer.

    Returns
    -------
    Threshold
        With ``threshold=None`` where none could be shown to keep the promise.

    Raises
    ------
    InputError
        For no answers, unequal lengths, NaN, values of `correct` other than 0 and 1, a probability
        outside [0, 1], or an error or level that is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> probability = rng.beta(4, 0.5, 1000)
    >>> correct = rng.random(1000) < probability
    >>> found = threshold(correct, probability, error=0.05)
    >>> print(found)  # doctest: +ELLIPSIS
    With a threshold of 0.901048 the model answers 60.5 % of the questions, and at most 5 % of ...
    """
    target = _checks.real("error", error, 0.0, 1.0, closed="neither")
    level = _checks.real("confidence_level", confidence_level, 0.0, 1.0, closed="neither")
    answers = stated(correct, probability, groups)
    tried = _try_all(answers, target, 1 - level)
    chosen = np.flatnonzero(tried.holds)
    return _result(answers, tried, int(chosen[-1]) if chosen.size else None, target, level)


def needed(error: float, alpha: float) -> int:
    """How many units without a mistake show that the error is at most `error`.

    Examples
    --------
    >>> needed(0.05, 0.05)
    59
    """
    return math.ceil(math.log(alpha) / math.log1p(-error) - 1e-9)


def _result(
    answers: Stated, tried: Tried, chosen: int | None, target: float, level: float
) -> Threshold:
    """The result for one of the thresholds tried, or for none."""
    none = chosen is None
    place = 0 if chosen is None else chosen
    return Threshold(
        threshold=None if none else float(tried.threshold[place]),
        target=target,
        share=0.0 if none else float(tried.share[place]),
        n_answered=0 if none else int(tried.n_answered[place]),
        error=math.nan if none else float(tried.error[place]),
        upper=math.nan if none else _upper(answers, tried, place),
        n=answers.n,
        n_groups=answers.n_groups,
        n_needed=needed(target, 1 - level),
        confidence_level=level,
        _tried=tried,
        notes=answers.notes,
    )


def _upper(answers: Stated, tried: Tried, place: int) -> float:
    """The bound of the error at one threshold: Clopper and Pearson's, or of one unseen group."""
    n, wrong, tail = int(tried.n_answered[place]), int(tried.wrong[place]), tried.level[place]
    if answers.alone:
        return 1.0 if wrong == n else float(special.betaincinv(wrong + 1, n - wrong, 1 - tail))
    given = answers.probability >= tried.threshold[place]
    sizes, sums = answers.summed(given), answers.summed(given & ~answers.right)
    return _unseen.upper(sums[sizes > 0], sizes[sizes > 0], tail)


def _try_all(answers: Stated, target: float, alpha: float) -> Tried:
    """Test every threshold, from the highest down."""
    values, n_answered, block = _candidates(answers)
    given = _by_group(answers, block, np.ones(answers.n), values.size)
    mistakes = _by_group(answers, block, ~answers.right, values.size)
    pvalue = _pvalues(given, mistakes, target)
    own = _starting_levels(n_answered, _pvalues(given, 0 * mistakes, target), alpha)
    level, holds = fallback(pvalue, own)
    wrong = np.rint(mistakes.sum(axis=1)).astype(np.int64)
    return Tried(
        threshold=values,
        n_answered=n_answered,
        share=n_answered / answers.n,
        wrong=wrong,
        error=wrong / n_answered,
        pvalue=pvalue,
        level=level,
        holds=holds,
    )


def _candidates(answers: Stated) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The thresholds to try, how many answers each gives, and which is the first to give each."""
    values, counts = np.unique(answers.probability, return_counts=True)
    values, n_answered = values[::-1], np.cumsum(counts[::-1])
    most = _MOST if answers.alone else int(np.clip(4_000_000 // answers.n_groups, 50, _MOST))
    if values.size > most:
        wanted = np.ceil(answers.n * np.arange(1, most + 1) / most)
        kept = np.unique(np.searchsorted(n_answered, wanted))
        values, n_answered = values[kept], n_answered[kept]
    return values, n_answered, np.searchsorted(-values, -answers.probability)


def _by_group(answers: Stated, block: np.ndarray, values: np.ndarray, n_tried: int) -> np.ndarray:
    """The sum of `values` over the answers given: by threshold and, where there are any, group."""
    columns = 1 if answers.alone else answers.n_groups
    place = block * columns + (0 if answers.alone else answers.groups)
    table = np.bincount(place, values, n_tried * columns).reshape(n_tried, columns)
    return np.cumsum(table, axis=0)


def _pvalues(given: np.ndarray, mistakes: np.ndarray, target: float) -> np.ndarray:
    """P(so few mistakes) at each threshold, if the error were `target`."""
    if given.shape[1] == 1:
        return special.bdtr(np.rint(mistakes[:, 0]), given[:, 0].astype(int), target)
    seen = given.sum(axis=1) / (given > 0).sum(axis=1)  # the average size of a group
    parts = np.column_stack([mistakes - target * given, seen * (1 - target)])
    return _unseen.chance_above_zero(parts)


def _starting_levels(n_answered: np.ndarray, at_best: np.ndarray, alpha: float) -> np.ndarray:
    """How `alpha` is divided: a starting point for every doubling of the number of answers.

    It looks at how many answers there are, never at which are right: `at_best` are the p-values
    without any mistake, and the first starting point is where those suffice.
    """
    own, n = np.zeros(n_answered.size), int(n_answered[-1])
    if not (at_best <= alpha).any():
        return own
    least = int(n_answered[np.argmax(at_best <= alpha)])
    for parts in range(1 + int(math.log2(n / least)), 0, -1):
        if not (at_best <= alpha / parts).any():
            continue
        first = int(n_answered[np.argmax(at_best <= alpha / parts)])
        sizes = first * (n / first) ** (np.arange(parts) / max(parts - 1, 1))
        for place in np.searchsorted(n_answered, np.rint(sizes)):
            own[place] += alpha / parts
        return own
    return own


def fallback(pvalue: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wiens' fallback procedure: hypotheses in a fixed order, each with a level of its own.

    Where one is rejected, its level is added to the next one's.

    Parameters
    ----------
    pvalue, own : array
        Of each hypothesis, in their order: its p-value, and the level it begins with.

    Returns
    -------
    level, rejected : array
        At which level each was tested, and whether it was rejected.

    Examples
    --------
    >>> level, rejected = fallback(np.array([0.01, 0.04, 0.02]), np.array([0.025, 0.0, 0.025]))
    >>> level.tolist(), rejected.tolist()
    ([0.025, 0.025, 0.025], [True, False, True])
    """
    level, rejected, carried = np.zeros(own.size), np.zeros(own.size, bool), 0.0
    for place, (p, start) in enumerate(zip(pvalue, own)):
        level[place] = start + carried
        rejected[place] = level[place] > 0 and p <= level[place]
        carried = level[place] if rejected[place] else 0.0
    return level, rejected
