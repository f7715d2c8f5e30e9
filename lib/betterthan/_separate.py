"""Two systems on two separate samples of items: what ``compare(a, b, paired=False)`` computes.

It is for results that cannot be matched: last month's questions and this month's, one half of the
users and the other. Where both systems have seen the same items, the paired comparison says more
from the same data. So this one is never chosen by itself, and its sentence says that it was.

A metric without bounds (seconds, COMET) gets Welch's t on the jackknife's standard errors. One
between 0 and 1 gets the interval that Newcombe (1998) and Zou and Donner (2008) make of the two
systems' own, which `betterthan.score` gives: the distance from the difference to either end is the
root of the sum of the squared distances to the ends that lie that way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from betterthan import _jackknife
from betterthan._report import score_interval
from betterthan._result import Interval
from betterthan._together import Together, refuse_other_kinds, together
from betterthan._words import plural
from betterthan.errors import InputError
from betterthan.results import Results

# Tails are looked for between these.
_SMALLEST_TAIL, _HALF = 1e-12, 0.5


@dataclass(frozen=True)
class Apart:
    """Two systems on samples of their own, and what is known of their difference."""

    sides: tuple[Side, Side]
    student: _jackknife.Student
    distribution: Separate | _jackknife.Student
    method: str
    notes: tuple[str, ...]


def apart(a: Results, b: Results, metric: Any, groups: Any, unmatched: str) -> Apart:
    """Both systems measured, each on its own sample; what cannot be compared is refused."""
    if unmatched != "refuse":
        text = "does nothing for separate samples, which are not matched"
        raise InputError("unmatched", unmatched, problem=text)
    names = [a.name or "a", b.name or "b"]
    refuse_other_kinds(names, [a, b], metric)
    first, second = (
        Side.of(together([one], metric, own, names=[name]))
        for one, own, name in zip((a, b), groups_of_each(groups), names)
    )
    sides = first, second
    if all(side.found.error == 0 and not side.at_an_end for side in sides):
        text = "results that vary; in both samples every unit gives the same value"
        raise InputError("a, b", expected=text)
    student = _welch(sides)
    bounded = first.data.bounded and second.data.bounded
    return Apart(
        sides=sides,
        student=student,
        distribution=Separate(first, second) if bounded else student,
        method=_method(bounded, student.degrees),
        notes=_notes(a, b, sides),
    )


def groups_of_each(groups: Any) -> tuple[Any, Any]:
    if groups is None or isinstance(groups, str):
        return groups, groups
    if isinstance(groups, list | tuple) and len(groups) == 2 and not isinstance(groups[0], str):
        return groups[0], groups[1]
    text = "a column, or a pair: the labels of A's units and those of B's"
    raise InputError("groups", groups, expected=text)


@dataclass(frozen=True)
class Side:
    """One of the two systems, on its own sample."""

    data: Together
    found: _jackknife.Student

    @classmethod
    def of(cls, data: Together) -> Side:
        return cls(data, data.student(data.systems, [1]))

    @property
    def value(self) -> float:
        return self.found.centre

    @property
    def at_an_end(self) -> bool:
        """Whether a value between 0 and 1 is one of the two."""
        return self.data.bounded and self.value in (0.0, 1.0)

    def interval(self, level: float) -> Interval:
        """As `betterthan.score` gives it; no width where there is no spread to measure."""
        interval, _ = score_interval(self.data, self.found, level)
        return Interval(self.value, self.value) if math.isnan(interval.low) else interval


def _welch(sides: Sequence[Side]) -> _jackknife.Student:
    """B minus A with the two standard errors together, degrees of freedom by Satterthwaite."""
    a, b = (side.found for side in sides)
    parts = [one.error**2 for one in (a, b)]
    variance = sum(parts)
    sources = zip(parts, (a.degrees, b.degrees)) if variance > 0 else ()
    doubt = sum((part / variance) ** 2 / known for part, known in sources)
    return replace(
        a if a.error >= b.error else b,
        centre=_jackknife.but_for_rounding(b.centre - a.centre, abs(b.centre)),
        error=math.sqrt(variance),
        degrees=1 / doubt if doubt > 0 else min(a.degrees, b.degrees),
        from_items=a.from_items + b.from_items,
        runs=a.runs + b.runs,
    )


@dataclass(frozen=True)
class Separate:
    """What is known of a difference of two values between 0 and 1, each with its own interval."""

    a: Side
    b: Side

    @property
    def at_most(self) -> bool:
        """Whether the p-value is only known to be at most that, which it never is."""
        return False

    @property
    def centre(self) -> float:
        """B minus A."""
        return self.b.value - self.a.value

    def interval(self, confidence_level: float) -> Interval:
        """Its ends, each as far as the two ends that lie that way are together."""
        (a_low, a_high), (b_low, b_high) = (
            side.interval(confidence_level) for side in (self.a, self.b)
        )
        down = math.hypot(self.b.value - b_low, a_high - self.a.value)
        up = math.hypot(b_high - self.b.value, self.a.value - a_low)
        return Interval(self.centre - down, self.centre + up)

    def below(self, value: float) -> float:
        """The probability of a difference below `value`: the tail whose end it is."""
        if value == self.centre:
            return _HALF
        lower = value < self.centre
        tail = self._tail(value, lower)
        return tail if lower else 1 - tail

    def _tail(self, value: float, lower: bool) -> float:
        """The smaller the tail, the farther out is its end."""
        from scipy import optimize

        def beyond(log_tail: float) -> float:
            low, high = self.interval(1 - 2 * math.exp(log_tail))
            return (low if lower else high) - value

        smallest, half = math.log(_SMALLEST_TAIL), math.log(_HALF)
        # The interval of a score of 0 or 1 never shrinks to a point: what lies within is in doubt.
        if (beyond(half) < 0) == lower:
            return _HALF
        # Where not even the smallest tail reaches so far out, it is that.
        if (beyond(smallest) > 0) == lower:
            return _SMALLEST_TAIL
        return math.exp(float(optimize.brentq(beyond, smallest, half, xtol=1e-10)))

    def pvalue(self) -> float:
        """Twice the smaller tail beyond 0."""
        below = self.below(0.0)
        return min(1.0, 2 * min(below, 1 - below))


def _method(bounded: bool, degrees: float) -> str:
    if bounded:
        return "the two jackknife intervals put together (Newcombe)"
    return f"Welch's t on the jackknife with {degrees:.4g} degrees of freedom"


def _notes(a: Results, b: Results, sides: Sequence[Side]) -> tuple[str, ...]:
    """What to beware of, first of all that items are not matched."""
    found = ["The two were measured on separate samples, so luck with the items counts twice."]
    if a.has_names and b.has_names and a.ids is not None and b.ids is not None:
        shared = len(set(a.ids.tolist()) & set(b.ids.tolist()))
        if shared:
            are = f"{plural(sides[0].data.unit, shared)} {'is' if shared == 1 else 'are'}"
            found.append(f"But {shared:,} {are} in both: matched, they would say more.")
    for side in sides:
        found += side.data.notes
        if not side.data.bounded:
            found += side.data.skewed(side.found)
        if side.found.error == 0 and not side.at_an_end:
            found.append("Every unit of one sample gives the same value: its spread counts as 0.")
    return tuple(dict.fromkeys(found))
