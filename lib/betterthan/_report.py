"""What scores, comparisons and rankings share: the sample in words, the interval in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from betterthan._cautions import SKEWED
from betterthan._hall import hall_interval
from betterthan._jackknife import Student
from betterthan._result import Interval, record
from betterthan._together import Together
from betterthan._words import counted, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Report:
    """What every result of paired units has; the subclasses say what each field is."""

    metric: str
    unit: str
    n_units: int
    n_groups: int
    n_effective: float
    confidence_level: float
    method: str
    notes: tuple[str, ...] = ()
    _metric_word: str = field(default="", repr=False, compare=False)
    _settings: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    record = record

    @property
    def _word(self) -> str:
        return self._metric_word or self.metric

    @property
    def _Word(self) -> str:
        return self._word[0].upper() + self._word[1:]

    @property
    def _level(self) -> str:
        return percent(self.confidence_level)

    @property
    def _sample(self) -> str:
        groups = f" in {self.n_groups:,} groups" if self.n_groups < self.n_units else ""
        return f"{counted(self.n_units, self.unit)}{groups}"

    def _between(self, interval: Interval, sign: str = "-") -> str:
        if math.isnan(interval.low):
            return f"no {self._level} interval"
        low, high = (number(end, sign) for end in interval)
        return f"{self._level} interval {low} to {high}"

    def _noted(self, text: str) -> str:
        return " ".join([text, *self.notes])


def jackknifed(data: Together, degrees: float) -> str:
    """The method in words: what was left out, and with how many degrees of freedom."""
    what = "delete-one-group" if data.n_groups < data.n_units else "delete-one"
    plural = "" if degrees == 1 else "s"
    over = f" over {data.resampled} and runs" if data.shared_runs else ""
    return f"{what} jackknife{over}, t with {degrees:.4g} degree{plural} of freedom"


def score_interval(data: Together, found: Student, level: float) -> tuple[Interval, str]:
    """The interval of one score and what it is called; NaN where there is no spread."""
    worth = data.n_effective
    if data.bounded and found.centre in (0.0, 1.0):
        far = ((1 - level) / 2) ** (1 / worth)
        interval = Interval(far, 1.0) if found.centre else Interval(0.0, 1 - far)
        return interval, f"Clopper and Pearson's interval, as for {worth:.4g} decisions"
    if found.error == 0:
        return Interval(math.nan, math.nan), jackknifed(data, found.degrees)
    if wants_hall(data, found):
        method = f"Hall's transformation, {jackknifed(data, found.degrees)}"
        return hall_interval(found, level), method
    return found.interval(level, bounded=data.bounded), jackknifed(data, found.degrees)


def wants_hall(data: Together, found: Student) -> bool:
    """Whether these are very skewed numbers on one side of 0, such as seconds and costs."""
    if data.bounded or data.metric.name != "mean" or len(data.tables[0]) > 1:
        return False
    if found.skew <= SKEWED:
        return False
    values = data.tables[0][0][:, 0]
    return bool((values >= 0).all() or (values <= 0).all())


def axes(ax: Axes | None, height: float) -> Axes:
    """`ax`, or new ones of this height in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, height), layout="constrained")[1]
