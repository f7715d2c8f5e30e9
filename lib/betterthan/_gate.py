"""The gate of the command line: is the whole interval of a gain above what was asked for?"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any

import betterthan
from betterthan._words import counted
from betterthan.errors import InputError, Say

__all__ = ["Gate", "gate_of"]


@dataclass(frozen=True)
class Gate:
    """Whether the whole interval of the gain is above what was asked for.

    Attributes
    ----------
    answer : str
        "passed", "not passed", or "open" where that was asked for and cannot be told yet.
    sentence : str
        The same, with the numbers.
    code : int
        The exit code.
    """

    answer: str
    sentence: str
    code: int


def gate_of(result: Any, options: argparse.Namespace) -> Gate | None:
    """The gate that was asked for: passed, not passed, and with --open a third answer."""
    least, code = options.at_least, options.open
    if least is None:
        if code is not None:
            raise InputError("open", code, problem="needs a gate", ways=[Say("at_least", 0)])
        return None
    low, high = result.interval
    if math.isnan(low):
        text = "every unit shows the same difference, so it has no interval"
        return Gate("not passed", f"Gate not passed: {text} that could be above {least:g}.", 1)
    if not result.higher_is_better:
        low, high = -high, -low
    if low > least:
        text = f"Gate passed: the gain's lower end {low:+.4f} is above {least:g}."
        return Gate("passed", text, 0)
    if code is None or high <= least:
        text = f"Gate not passed: the gain's lower end {low:+.4f} is not above {least:g}."
        return Gate("not passed", text, 1)
    text = (
        f"Gate open: the gain lies between {low:+.4f} and {high:+.4f}, which does not say whether"
    )
    return Gate("open", f"{text} it is above {least:g}. {_more_items(result, least)}", code)


def _more_items(result: Any, least: float) -> str:
    """How many more items it would take, if the gain is what it seems to be."""
    gain = result.difference if result.higher_is_better else -result.difference
    if result.unit == "fold" or gain == least:
        return "It is not known how many more would be needed."
    try:
        needed = betterthan.plan(
            result, difference=abs(gain - least), confidence_level=result.confidence_level
        )
    except InputError as error:
        return f"More items would not help: {error.problem}."
    more = counted(max(needed.n - result.n_units, 1), result.unit)
    if result.n_groups < result.n_units:
        more = f"{more} in {counted(max(needed.n_groups - result.n_groups, 1), 'group')}"
    said = "pass it" if gain > least else "fail it"
    return f"About {more} more would {said} four times in five, if the gain is {gain:+.4f}."
