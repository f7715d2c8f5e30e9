"""What a result should beware of: few groups, skew, few runs, items that do not go together."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

# Up to here intervals of skewed differences miss much too often (study paired-coverage).
FEW = 20
# Whether two systems saw the same items can be told from so many items on.
_ENOUGH_TO_CORRELATE = 200


def same_items(names: Sequence[str], results: Sequence[np.ndarray]) -> list[str]:
    """A warning where a system's results go with nobody else's; hard items are hard for all."""
    if len(results[0]) < _ENOUGH_TO_CORRELATE or any(np.ptp(own) == 0 for own in results):
        return []
    together = np.abs(np.corrcoef(results))
    np.fill_diagonal(together, 0.0)
    alone = np.flatnonzero(together.max(axis=1) < 1.645 / math.sqrt(len(results[0])))
    if not alone.size:
        return []
    other = "each other" if len(names) == 2 else "any other"
    text = (
        f"The results of {' and '.join(names[int(i)] for i in alone)} hardly go with {other} "
        f"(correlation {together[alone[0]].max():.2f}): are these the same items in the same order?"
    )
    warnings.warn(text, stacklevel=5)
    return [text]


def too_few(n_groups: int, n_effective: float, resampled: str) -> list[str]:
    """A warning where there are few groups, or few are worth much."""
    if n_groups <= FEW:
        share = "a third" if n_groups <= FEW / 2 else "a fifth"
        return [
            f"{n_groups} {resampled} are few: where their results are very skewed, such intervals "
            f"miss in up to {share} of the cases."
        ]
    if n_effective <= FEW:
        worth = f"they are worth {n_effective:.1f} equal ones: few."
        return [f"The {resampled} are so uneven that {worth}"]
    return []


def few_runs(runs: Sequence[int]) -> list[str]:
    """A warning where runs are too few to say how results move from run to run."""
    found = []
    if 2 in runs or list(runs) == [3]:  # a difference of three runs each keeps its promise
        number = "Two" if 2 in runs else "Three"
        found.append(
            f"{number} runs say little about how results move from run to run (such intervals "
            "cover 89-95 %)."
        )
    if max(runs) > 1 and min(runs) == 1:
        found.append("A single run is taken to move from run to run as much as the other's.")
    return found


def skewed(skew: float, n_groups: int) -> list[str]:
    """A warning where results are so skewed that their number does not make up for it."""
    if skew <= 0.25 or n_groups <= FEW:
        return []
    return ["Results are very skewed: such intervals miss in up to a fifth of the cases."]
