"""What a result should beware of.

Skew, rare classes, few runs, items that do not go together, that were left out for a reason, or
that follow one another.

A warning that comes with every result is read by nobody. Each of these was tried on data where it
should come and on data where it should not; the rates are in the study `promises-notes`.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence

import numpy as np
from scipy import stats

from betterthan._words import number

# Up to here a pilot says little about the spread, and skew does the most harm.
FEW = 20
# Groups that are worth no more than this many equal ones make an interval wide: say why.
_WORTH_LITTLE = 5
# A class with no more items than this moves macro-F1 by luck alone.
_RARE = 5
# Skew above this (over the root of the number) costs coverage, if most are on one side of the mean.
SKEWED, _LEANING = 0.25, 0.15
# The odds that both are right together are at least this large for systems on the same items.
_SAME_ITEMS, _SAME_ITEMS_RANKED, _HALVED = 2.0, 0.25, 0.15
_IN_ORDER = 3.0
# Words in the names of columns of which less is usually better.
_LESS_IS_BETTER = frozenset(
    (
        *("second", "seconds", "sec", "secs", "ms", "msec", "millisecond", "milliseconds"),
        *("latency", "latencies", "time", "duration", "runtime", "delay"),
        *("cost", "costs", "price", "usd", "eur", "penalty", "penalties"),
        *("error", "errors", "loss", "losses", "perplexity", "ppl"),
        *("wer", "cer", "ter", "rmse", "mae", "mse"),
    )
)
# By luck alone this many answers hardly ever differ in every case.
_NEVER_AGREE = 10


def same_items(names: Sequence[str], results: Sequence[np.ndarray]) -> list[str]:
    """A warning where a system's results are unrelated to all others'; hard items are hard for all.

    Where the odds ratio of two systems is surely between 1/2 and 2, they agree less often than
    systems on the same items do. Numbers are cut in two (above the median or not); where that
    gives two halves, their rank correlation, which knows more, is held against 0.25, which is
    what an odds ratio of 2 is then worth.
    """
    values = [np.asarray(own, dtype=float) for own in results]
    n = len(values)
    near = [[_unlike(values[i], values[j]) for j in range(n) if j != i] for i in range(n)]
    alone = [i for i in range(n) if all(near[i])]
    if not alone:
        return []
    other = "each other" if n == 2 else "any other"
    text = (
        f"The results of {' and '.join(names[i] for i in alone)} are hardly related to {other} "
        f"({near[alone[0]][0]}): are these the same items in the same order?"
    )
    warnings.warn(text, stacklevel=5)
    return [text]


def _unlike(a: np.ndarray, b: np.ndarray) -> str:
    """How little two rows go together, in words; "" where they may be of the same items."""
    upper = [_upper_part(own) for own in (a, b)]
    halved = all(abs(own.mean() - 0.5) < _HALVED for own in upper)
    if halved and min(len(np.unique(own)) for own in (a, b)) > 2:
        found = float(np.corrcoef(stats.rankdata(a), stats.rankdata(b))[0, 1])
        furthest = abs(found) + 1.645 / math.sqrt(len(a))
        return f"rank correlation {found:.2f}" if furthest < _SAME_ITEMS_RANKED else ""
    found, furthest = _odds_ratio(*upper)
    return f"odds ratio {found:.2f}" if furthest < _SAME_ITEMS else ""


def _upper_part(values: np.ndarray) -> np.ndarray:
    """Which are above the median; where none is, which are at it."""
    middle = np.median(values)
    above = values > middle
    return above if above.any() else values >= middle


def _odds_ratio(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The odds ratio of two rows of yes and no, and how far from 1 it may be at 95 %."""
    cells = np.array([(a & b).sum(), (~a & ~b).sum(), (a & ~b).sum(), (~a & b).sum()]) + 0.5
    ratio = float(cells[0] * cells[1] / (cells[2] * cells[3]))
    furthest = abs(math.log(ratio)) + 1.645 * math.sqrt(float((1 / cells).sum()))
    return ratio, math.exp(furthest)


def only_differing(a: np.ndarray, b: np.ndarray) -> list[str]:
    """A warning where right-or-wrong answers never agree: were those that do left out?"""
    if len(a) < _NEVER_AGREE or not bool((a != b).all()):
        return []
    return [
        "The two agree on none of the items: if those on which they agree were left out, put them "
        "back, because the difference is too large without them."
    ]


def uneven(n_groups: int, n_effective: float, resampled: str) -> list[str]:
    """A word where an interval is wide because a few groups are most of the data."""
    if n_effective > _WORTH_LITTLE or n_groups <= 2 * n_effective:
        return []
    worth = f"worth {n_effective:.1f} equal ones, which is few"
    return [f"The {resampled} are so uneven that they are {worth}."]


def rare_classes(gold: np.ndarray, resampled: str) -> list[str]:
    """A warning where macro-F1 depends on very rare classes; groups × classes."""
    seen = (gold > 0).sum(axis=0)
    seen = seen[seen > 0]
    rare = int((seen <= _RARE).sum())
    if not rare:
        return []
    are = "is" if rare == 1 else "are"
    return [
        f"{rare} of {len(seen)} classes {are} rare, in at most {_RARE} {resampled}: with so few, "
        "intervals of macro-F1 cover 74-92 %."
    ]


def few_runs(runs: Sequence[int], shared: bool = False) -> list[str]:
    """A warning where runs are too few to say how results move from run to run."""
    if shared:
        return []
    found = []
    if 2 in runs or list(runs) == [3]:  # a difference of three runs each keeps its promise
        number = "Two" if 2 in runs else "Three"
        found.append(
            f"{number} runs say little about how results move from run to run (such intervals "
            "cover 89-95 %)."
        )
    if max(runs) > 1 and min(runs) == 1:
        found.append(
            "A single run: its results are assumed to vary from run to run like the other's."
        )
    return found


def skewed(
    skew: float, contributions: np.ndarray, n_groups: int, *, mended: bool = False
) -> list[str]:
    """A warning where results are so skewed that their number does not make up for it.

    Parameters
    ----------
    skew : float
        Skewness over the root of the number of groups.
    contributions : array
        By how much each group that counts is above the mean of all: where two systems are compared,
        those on which they differ. A few large ones on either side do no harm; it is where most lie
        on one side of the mean, and a few far on the other.
    n_groups : int
        How many groups there are in all.
    mended : bool
        Whether the interval makes up for most of it (Hall's transformation).
    """
    if skew <= SKEWED or not len(contributions):
        return []
    # What rounding leaves of the mean is not above it.
    above = np.mean(contributions > 1e-9 * np.abs(contributions).max())
    if abs(float(above) - 0.5) < _LEANING:
        return []
    many = "a tenth" if mended else "a fifth"
    share = "four in ten" if n_groups <= FEW else many
    return [f"Results are very skewed: such intervals miss in up to {share} of the cases."]


def direction(names: Sequence[str], *, ratio: bool = False) -> list[str]:
    """A warning where nobody said which direction is better, and less may be.

    Parameters
    ----------
    names : sequence of str
        The systems: a column of a table is often called after what it holds.
    ratio : bool
        Whether a ratio was asked for, as one does of seconds and costs.

    Examples
    --------
    >>> direction(["old_latency_ms", "new_latency_ms"])
    ["More is taken to be better, though 'old_latency_ms' sounds as if less were."]
    >>> direction(["old", "new"]), direction(["tokens_per_second"]), direction(["Tercile"])
    ([], [], [])
    >>> direction(["old", "new"], ratio=True)
    ['More is taken to be better, which is wrong for seconds and costs.']
    """
    taken = "More is taken to be better"
    for name in names:
        parts = re.findall(r"[A-Z]*[a-z]+|[A-Z]+", name)
        words = {part.lower() for part in parts}
        if words & _LESS_IS_BETTER and "per" not in words:
            return [f"{taken}, though {name!r} sounds as if less were."]
    return [f"{taken}, which is wrong for seconds and costs."] if ratio else []


def left_out(name: str, kept: tuple[float, np.ndarray], dropped: tuple[float, np.ndarray]) -> str:
    """A warning where a system does better or worse on what was left out than on the rest.

    Parameters
    ----------
    name : str
        The system.
    kept, dropped : pair of float and array
        Its score on these units, and what each of them contributes to its score on all.
    """
    parts = [part for _, part in (kept, dropped)]
    everything = np.concatenate(parts)
    spread = everything.std(ddof=1) * math.sqrt(sum(1 / len(part) for part in parts))
    if spread == 0 or min(map(len, parts)) < 2:
        return ""
    away = (parts[1].mean() - parts[0].mean()) / spread
    if 2 * stats.norm.sf(abs(away)) > 0.05:
        return ""
    return (
        f"What was left out is not like the rest: {name} has {number(dropped[0])} there and "
        f"{number(kept[0])} on what was kept, so answers are hardly missing at random."
    )


def in_order(contributions: np.ndarray, values: Sequence[np.ndarray]) -> list[str]:
    """A warning where neighbouring units differ alike, as in blocks, documents or time."""
    n, differ = len(contributions), int(np.count_nonzero(contributions))
    # With few that differ, two neighbours among them are soon found by luck; and a table that is
    # sorted by its results says nothing about how they came about.
    if differ**2 < 4 * n or any(_sorted(own) for own in values):
        return []
    away = contributions - contributions.mean()
    total = float(away @ away)
    if total == 0:
        return []
    alike = float(away[1:] @ away[:-1]) / total
    if alike * math.sqrt(n) <= _IN_ORDER:
        return []
    return [
        f"Neighbouring rows resemble each other (correlation {alike:.2f}): if rows come in blocks, "
        "documents or over time, say so as groups, or this interval is too narrow."
    ]


def _sorted(values: np.ndarray) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())
