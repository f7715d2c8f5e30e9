"""Arguments of the library as they are typed: ``--groups task``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from betterthan import _printing
from betterthan.errors import ANYTHING, NAME_ALONE

# What arguments of the library are called there, where that is not their name with hyphens.
FLAGS = {
    "alpha": "--confidence",
    "confidence_level": "--confidence",
    "higher_is_better": "--lower-is-better",
    "scorer": "--metric",
    "scores": "--systems",
}
# Arguments that have no flag: what they mean is said by the rest of the error.
_POSITIONAL = {"a", "b", "x", "paths", "path", "models", "hypotheses", "pvalues", "pilot"}
_POSITIONAL |= {"kind", "folder"}


def in_flags(argument: str, value: Any) -> str:
    """An argument as it is typed: ``--groups task``."""
    if argument == "paired":
        return "--unpaired"
    if argument in _POSITIONAL:
        return argument if value is ANYTHING or value is NAME_ALONE else str(value)
    flag = FLAGS.get(argument, f"--{argument.replace('_', '-')}")
    if value is NAME_ALONE:
        return flag
    if value is ANYTHING:
        return f"{flag} …"
    if value is True:
        return flag
    if value is False:
        return flag.replace("--", "--no-", 1)
    if isinstance(value, Mapping) and argument != "columns":  # one flag for each
        pairs = [_printing.quoted(f"{name}={one}") for name, one in value.items()]
        return " ".join(f"{flag} {pair}" for pair in pairs)
    return f"{flag} {_typed(value)}"


def _typed(value: Any) -> str:
    if isinstance(value, Mapping):
        places = [value.get("word", 0), value["gold"], value["predicted"]]
        flat = [*places[:2], *(places[2] if isinstance(places[2], list) else [places[2]])]
        return " ".join(map(str, flat))
    if isinstance(value, list | tuple):
        return " ".join(_printing.quoted(str(one)) for one in value)
    return _printing.quoted(str(value))
