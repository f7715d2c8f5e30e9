"""What results of all modules share."""

from __future__ import annotations

from typing import Any, NamedTuple


class Interval(NamedTuple):
    """Two ends; `print` shows them as "low to high".

    Attributes
    ----------
    low : float
        The lower end.
    high : float
        The upper end.
    """

    low: Any
    high: Any

    def __str__(self) -> str:
        return f"{self.low:.4f} to {self.high:.4f}"
