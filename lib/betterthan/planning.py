"""How many units show a difference, or which difference so many units show."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, special, stats

from betterthan import _checks
from betterthan._cautions import FEW
from betterthan._result import Interval, record
from betterthan._words import counted, number, percent, plural
from betterthan.errors import InputError, Say
from betterthan.paired import Comparison

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Plan", "plan"]

# More units than this are not looked for.
_MOST = 2**40
# Points of the distribution of a pilot's variance, over which power is averaged.
_POINTS = 39


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
    _range_of_n: bool = field(repr=False)
    _sentence: str = field(repr=False)

    record = record

    def __str__(self) -> str:
        return " ".join([self._sentence, *self.notes])

    def table(self) -> pd.DataFrame:
        """One row: n, n_groups, difference, low, high, power; of units low and high are whole."""
        import pandas as pd

        row = {name: getattr(self, name) for name in ("n", "n_groups", "difference")}
        ends = self.range._asdict()
        if self._range_of_n:
            ends = {name: round(end) for name, end in ends.items()}
        return pd.DataFrame([row | ends | {"power": self.power}])


def plan(
    pilot: Comparison,
    *,
    difference: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> Plan:
    """How many units show a difference, or which difference so many units show.

    Power is averaged over what the spread may be, as far as the pilot knows it: a pilot with few
    units that differ asks for more.

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
        text = "what betterthan.compare returns: plan(compare(old, new), difference=0.05)"
        raise InputError("pilot", pilot, expected=text)
    if (difference is None) == (n is None):
        ways = [
            Say("difference", 0.05, "to ask how many items show a difference of 0.05"),
            Say("n", 2 * pilot.n_units, "to ask which difference so many show"),
        ]
        given = "neither was" if n is None else "both were"
        raise InputError(
            problem=f"expected a difference or a number of items, {given} given", ways=ways
        )
    power = _checks.alpha(power, "power")
    level = _checks.alpha(confidence_level, "confidence_level")
    if pilot._spread.from_items <= 0:
        text = "units that differ; every one shows the same difference"
        raise InputError("pilot", expected=text)
    # The number asked for makes up for a spread that the pilot knows only roughly; the range is
    # that of the right number, which somebody who knew the spread would ask for.
    power_of = _power_of(pilot, level, _spreads_it_may_be(pilot))
    as_found, notes = _power_of(pilot, level, np.ones(1)), []
    if difference is not None:
        difference = _checks.real("difference", difference, 0.0, closed="neither")
        units = _units_for(difference, power_of, power, pilot)
        ends = _units_for(difference, as_found, power, pilot) * _uncertainty(pilot)
        if math.isclose(difference, abs(pilot.difference), rel_tol=1e-9):
            notes.append("But this is where the pilot happened to land; plan for what matters.")
    else:
        units = _checks.whole("n", n, 2)
        difference = _difference_for(units, power_of, power)
        ends = _difference_for(units, as_found, power) * np.sqrt(_uncertainty(pilot))
    if pilot.n_effective <= FEW:
        of = "groups" if pilot.n_groups < pilot.n_units else plural(pilot.unit)
        notes.append(f"A pilot worth {pilot.n_effective:.1f} {of} says little about the spread.")
    if max(pilot.n_runs) > 1:
        notes.append(_note_on_runs(pilot))
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
        _range_of_n=n is None,
        _sentence=_sentence(pilot, units, n_groups, difference, power, level, ends, n is None),
    )


def _power_of(pilot: Comparison, level: float, times: np.ndarray) -> Callable[..., float]:
    """How often so many units show a difference, on average over these times the spread.

    With several runs the comparison to come estimates what they add, too, from few of them: on
    average over what it may find, too.
    """
    spread, runs = pilot._spread, pilot._spread.runs
    free = max(pilot.n_effective - 1, 1e-3)
    found_by_chance = _found_by_chance(runs.degrees)

    def power_of(units: float, difference: float) -> float:
        more = units / pilot.n_units
        known = max(free * more, 1.0)
        items, luck = spread.from_items * times[:, None] / more, runs.luck / more
        of_runs = (runs.alone + luck) * found_by_chance
        variance = np.maximum(items + of_runs - luck, np.maximum(items, of_runs))
        degrees = variance**2 / (items**2 / known + of_runs**2 / max(runs.degrees, 1e-9))
        reach = special.stdtrit(degrees, (1 + level) / 2) * np.sqrt(variance)
        away = (difference - reach) / np.sqrt(items + runs.alone)
        return float(special.stdtr(known, away).mean())

    return power_of


def _found_by_chance(degrees: float) -> np.ndarray:
    """By which factors a variance with so many degrees of freedom is found off; 0 without runs."""
    if not degrees:
        return np.zeros(1)
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    return np.asarray(stats.chi2.ppf(shares, degrees) / degrees)


def _difference_for(units: int, power_of: Callable[..., float], power: float) -> float:
    """The smallest difference that so many units show."""
    most = 1e-9
    while power_of(units, most) < power:
        most *= 2
        if not math.isfinite(most):
            text = "more units; with so few no difference reaches the power asked for"
            raise InputError("n", units, expected=text)
    return float(optimize.brentq(lambda d: power_of(units, d) - power, 0.0, most, xtol=1e-15))


def _spreads_it_may_be(pilot: Comparison) -> np.ndarray:
    """By which factors the pilot's variance may be off: points of its distribution."""
    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    return np.asarray(_known(pilot) / stats.chi2.ppf(shares, _known(pilot)))


def _known(pilot: Comparison) -> float:
    """Degrees of freedom of the pilot's variance; fewer where a few groups make most of it."""
    free = max(pilot.n_effective - 1, 1e-3)
    return min(free, 2 * pilot.n_groups / max(pilot._spread.kurtosis - 1, 1e-9))


def _units_for(
    difference: float, power_of: Callable[..., float], power: float, pilot: Comparison
) -> int:
    """How many units show the difference."""
    if power_of(_MOST, difference) < power:
        raise InputError("difference", difference, problem=_why_never(difference, power, pilot))
    found = bisect.bisect_left(
        range(2, _MOST), power, key=lambda units: power_of(units, difference)
    )
    return 2 + found


def _why_never(difference: float, power: float, pilot: Comparison) -> str:
    """Why no number of units shows the difference, and how many runs might."""
    error = math.sqrt(pilot._spread.runs.alone)
    if not error:
        return f"it takes more than {_MOST:.0e} {plural(pilot.unit)} to show it"
    enough = difference / (stats.norm.ppf(0.975) + stats.norm.ppf(power))
    least = math.ceil(max(pilot.n_runs) * (error / enough) ** 2)
    return (
        f"no number of {plural(pilot.unit)} shows it with as many runs as the pilot has, because "
        f"runs alone have a standard error of {error:.2g}; more runs would, at least {least:,}"
    )


def _note_on_runs(pilot: Comparison) -> str:
    said = "This is with as many runs as the pilot has."
    if pilot._spread.runs.alone:
        return said
    units = plural(pilot.unit)
    return (
        f"{said} In the pilot they vary no more than by their luck with single {units}; "
        f"if they vary more, more {units} do not make up for it."
    )


def _uncertainty(pilot: Comparison) -> np.ndarray:
    """By which factors the pilot's variance may be off, at the ends of an 80 % interval."""
    return np.asarray(_known(pilot) / stats.chi2.ppf([0.9, 0.1], _known(pilot)))


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
