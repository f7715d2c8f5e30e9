"""What results of all modules share."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from betterthan._version import __version__


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


def record(result: Any) -> dict[str, Any]:
    """What was computed and how: sentence, fields, settings and version, as JSON knows them."""
    names = [f.name for f in dataclasses.fields(result) if f.name[0] != "_"]
    shown = {n: getattr(result, n) for n in names} | getattr(result, "_settings", {})
    return {"sentence": str(result), **_plain(shown), "betterthan": __version__}


def _plain(value: Any) -> Any:
    """Tables, named tuples, arrays and numbers as lists, dictionaries and what JSON has."""
    if hasattr(value, "to_dict"):
        return value.to_dict(orient="records")
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return _plain_one(value)


def _plain_one(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
