"""Candidates that belong together: whole groups of them change their two ranks at once.

If two rankings are equally good, it does not matter whose ranks a group (a line, a document, a
query) has from which. So a coin per group, not per candidate, says whether its ranks are swapped,
and what belongs to one group stays together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from betterthan import _checks
from betterthan.errors import InputError
from betterthan.ranking._inputs import Rng, children

# Below this many groups, equal rankings were called different in up to 9 % (ranking-groups).
FEW = 20
# Claims to places in one block of swaps: they should stay in the cache of a processor.
_NUMBERS = 2**15


class Groups(NamedTuple):
    """Which group each candidate belongs to."""

    of: np.ndarray
    """A number from 0 on, one per candidate."""
    number: int
    """How many there are."""

    @property
    def least_pvalue(self) -> float:
        """The smallest p-value there can be, as rare as all coins falling alike."""
        return 2.0 ** (1 - self.number)

    def coins(self, rng: np.random.Generator, rows: int = 1) -> np.ndarray:
        """Whose ranks are swapped: in every row a coin per group."""
        return rng.integers(0, 2, (rows, self.number), dtype=np.uint8).astype(bool)


class Swapped(NamedTuple):
    """The lead of B's lists over A's, as it is and after swaps of whole groups."""

    pvalue: np.ndarray
    """For every n: how often swaps give a lead as large, either way."""
    spread: np.ndarray
    """For every n: the root of the mean square of the leads that swaps give."""
    n_resamples: int


def labelled(groups: Any, size: int, **series: Any) -> Groups:
    """`groups`, one label per candidate, checked.

    Parameters
    ----------
    groups : array-like
        The labels.
    size : int
        How many candidates there are.
    **series
        The other arguments, by name: a pandas index must be theirs.

    Returns
    -------
    Groups
    """
    if isinstance(groups, pd.Series):
        for name, other in series.items():
            if isinstance(other, pd.Series) and not other.index.equals(groups.index):
                text = "one index, so that a row is a candidate"
                raise InputError(f"{name}, groups", expected=text)
    labels = _checks.groups(groups, size)
    places, known = pd.factorize(labels)
    if len(known) < 2:
        text = f"labels of at least two groups, got {known[0]!r:.60} for all candidates"
        raise InputError("groups", expected=text)
    return Groups(places, len(known))


def leads(
    order_a: np.ndarray,
    order_b: np.ndarray,
    truth: np.ndarray,
    groups: Groups,
    n_resamples: int,
    rng: Rng,
) -> Iterator[np.ndarray]:
    """True positives of B's list less those of A's for every n, a row per swap of whole groups.

    As many swaps at a time as fit into the cache. Two candidates that claim the same place of a
    list are put in the order of a coin, the same in both rankings.
    """
    todo, size = _checks.whole("n_resamples", n_resamples), truth.size
    rows = max(1, _NUMBERS // size)
    group_a, group_b = groups.of[order_a], groups.of[order_b]
    true_in_a, true_in_b = np.flatnonzero(truth[order_a]), np.flatnonzero(truth[order_b])
    for start, child in zip(range(0, todo, rows), children(rng, -(-todo // rows))):
        draw, block = np.random.default_rng(child), min(rows, todo - start)
        coins = groups.coins(draw, block)
        a_first = draw.integers(0, 2, (block, size), dtype=np.uint8).astype(bool)
        # Two candidates claim each place: the one that A has there, and the one that B has there.
        claims = _Claims(~coins[:, group_a], coins[:, group_b])
        true = np.zeros((2, block, size), np.int8)  # the places of list B, and those of list A
        claims.put(true, true_in_a, a_first, of_a=True)
        claims.put(true, true_in_b, ~a_first, of_a=False)
        yield np.cumsum(true[0] - true[1], axis=1, dtype=np.int32)


class _Claims:
    """For each swap and place, which of its two claims are made to list A; the others go to B.

    Only where the true positives go matters, and they are few: so no list is ever written out.
    """

    def __init__(self, from_a: np.ndarray, from_b: np.ndarray) -> None:
        self.from_a, self.from_b = from_a, from_b
        made = np.add(from_a, from_b, dtype=np.int8)
        self.earlier = np.cumsum(made, axis=1, dtype=np.int32) - made

    def put(self, true: np.ndarray, places: np.ndarray, first: np.ndarray, *, of_a: bool) -> None:
        """Mark in `true` where the candidates end up that A (or B) has at `places`."""
        own, other = (self.from_a, self.from_b) if of_a else (self.from_b, self.from_a)
        to_a, other_to_a = own[:, places], other[:, places]
        earlier = self.earlier[:, places]
        behind_other = (to_a == other_to_a) & ~first[:, places]
        place = np.where(to_a, earlier, 2 * places - earlier) + behind_other
        true[to_a.astype(int), np.arange(len(place))[:, None], place] = 1


def swapped(
    order_a: np.ndarray,
    order_b: np.ndarray,
    truth: np.ndarray,
    groups: Groups,
    n_resamples: int,
    rng: Rng,
) -> Swapped:
    """For every n, what swaps of whole groups say of the lead; the one observed counts as one."""
    seen = np.cumsum(truth[order_b].astype(np.int64) - truth[order_a])
    reached, squares = np.ones(seen.size), seen.astype(float) ** 2
    for rows in leads(order_a, order_b, truth, groups, n_resamples, rng):
        reached += (np.abs(rows) >= np.abs(seen)).sum(axis=0)
        squares += (rows.astype(float) ** 2).sum(axis=0)
    total = n_resamples + 1
    return Swapped(reached / total, np.sqrt(squares / total), n_resamples)


def in_spreads(lead: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Leads, whoever has them, in units of their spread; 0 where swaps change nothing."""
    return np.divide(np.abs(lead), spread, out=np.zeros(lead.shape), where=spread > 0)
