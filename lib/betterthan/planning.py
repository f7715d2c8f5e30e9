"""How many units show a difference, or which difference so many units show."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from betterthan import _checks
from betterthan._cautions import FEW
from betterthan._result import Interval, record
from betterthan._words import counted, number, percent
from betterthan.errors import InputError
from betterthan.paired import Comparison

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Plan", "plan"]

# More units than this are not looked for.
_MOST = 2**40


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What `plan` found; ``print`` gives the sentence.

    Attributes
    ----------
    n : int
        Units to collect.
    n_groups : int
        Groups they should come in.
    difference : float
        The smallest difference that so many units show with this power.
    range : Interval
        Of `n` (of `difference`, where `n` was given): the pilot knows the spread only roughly,
        and in about four of five cases the right number lies between these ends.
    power : float
        How often a true difference of that size is seen.
    notes : tuple of str
        What to beware of.
    """

    n: int
    n_groups: int
    difference: float
    range: Interval
    power: float
    notes: tuple[str, ...]
    _sentence: str = field(repr=False)

    record = record

    def __str__(self) -> str:
        return " ".join([self._sentence, *self.notes])

    def table(self) -> pd.DataFrame:
        """One row: n, n_groups, difference, low, high, power."""
        import pandas as pd

        row = {name: getattr(self, name) for name in ("n", "n_groups", "difference")}
        return pd.DataFrame([row | self.range._asdict() | {"power": self.power}])


def plan(
    pilot: Comparison,
    *,
    difference: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> Plan:
    """How many units show a difference, or which difference so many units show.

    Parameters
    ----------
    pilot : Comparison
        A comparison of similar systems on similar units: its *spread* is what counts. Its own
        difference is not one to plan for: it is where the pilot happened to land.
    difference : float, optional
        The smallest difference worth seeing.
    n : int, optional
        Units you can have; give this or `difference`.
    power : float
        How often a true difference of that size should be seen.
    confidence_level : float
        Of the comparison to come.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        For a pilot that is not a `Comparison` or shows no spread, both or neither of `difference`
        and `n`, or a difference that more units cannot show because runs vary too much.

    Examples
    --------
    >>> import numpy as np
    >>> from betterthan import compare, plan
    >>> hard = np.random.default_rng(0).random((2, 300))
    >>> pilot = compare(hard[0] < 0.6, hard.mean(axis=0) < 0.6)
    >>> plan(pilot, difference=0.05).n > 300
    True
    """
    if not isinstance(pilot, Comparison):
        raise InputError("pilot", pilot, expected="what betterthan.compare returns")
    if (difference is None) == (n is None):
        text = f"difference={difference!r}, n={n!r}: expected one of the two"
        raise InputError(problem=text)
    power = _checks.alpha(power, "power")
    level = _checks.alpha(confidence_level, "confidence_level")
    if pilot._spread.from_items <= 0:
        text = "units that differ; every one shows the same difference"
        raise InputError("pilot", expected=text)
    shown, notes = _shown_by(pilot, power, level), []
    if difference is not None:
        difference = _checks.real("difference", difference, 0.0, closed="neither")
        units = _units_for(difference, shown, pilot)
        ends = units * _uncertainty(pilot)
        if math.isclose(difference, abs(pilot.difference), rel_tol=1e-9):
            notes.append("But this is where the pilot happened to land; plan for what matters.")
    else:
        units = _checks.whole("n", n, 2)
        difference = shown(units)
        ends = difference * np.sqrt(_uncertainty(pilot))
    if pilot.n_effective <= FEW:
        notes.append(f"A pilot worth {pilot.n_effective:.1f} groups knows the spread badly.")
    if pilot._settings.get("paired") is False:
        notes.append("These are the items of both samples together, in the pilot's proportion.")
    n_groups = max(2, math.ceil(units * pilot.n_groups / pilot.n_units))
    return Plan(
        n=units,
        n_groups=n_groups,
        difference=difference,
        range=Interval(float(ends[0]), float(ends[1])),
        power=power,
        notes=tuple(notes),
        _sentence=_sentence(pilot, units, n_groups, difference, power, level, ends, n is None),
    )


def _shown_by(pilot: Comparison, power: float, level: float) -> Callable[[float], float]:
    """The smallest difference that so many units show."""
    per_unit = pilot._spread.from_items * pilot.n_units
    free = max(pilot.n_effective - 1, 1e-3)

    def shown(units: float) -> float:
        degrees = max(free * units / pilot.n_units, 1.0)
        away = stats.t.ppf((1 + level) / 2, degrees) + stats.t.ppf(power, degrees)
        return float(away * math.sqrt(per_unit / units + pilot._spread.from_runs))

    return shown


def _units_for(difference: float, shown: Callable[[float], float], pilot: Comparison) -> int:
    """How many units show the difference."""
    if shown(_MOST) > difference:
        error = math.sqrt(pilot._spread.from_runs)
        text = (
            f"no number of units shows it, because runs alone have a standard error of {error:.2g}"
        )
        raise InputError("difference", difference, problem=f"{text}; more runs would")
    return 2 + bisect.bisect_left(range(2, _MOST), -difference, key=lambda units: -shown(units))


def _uncertainty(pilot: Comparison) -> np.ndarray:
    """By which factors the pilot's variance may be off, at the ends of an 80 % interval."""
    # It is known up to a chi-square over its degrees of freedom, of which there are fewer where
    # a few groups make most of it.
    free = max(pilot.n_effective - 1, 1e-3)
    known = min(free, 2 * pilot.n_groups / max(pilot._spread.kurtosis - 1, 1e-9))
    return np.asarray(known / stats.chi2.ppf([0.9, 0.1], known))


def _sentence(
    pilot: Comparison,
    units: int,
    n_groups: int,
    difference: float,
    power: float,
    level: float,
    ends: np.ndarray,
    planned: bool,
) -> str:
    groups = f" in {n_groups:,} groups" if n_groups < units else ""
    reached = f"{number(difference)} with a power of {percent(power)}"
    low, high = (f"{end:,.0f}" if planned else number(end) for end in ends)
    return (
        f"About {counted(units, pilot.unit)}{groups} show a difference of {reached} at "
        f"{percent(level)} confidence. The pilot knows the spread only roughly: in about four of "
        f"five cases (73-86 %) the right {'number' if planned else 'difference'} is between {low} "
        f"and {high}."
    )
