"""Checks of arguments, in one place, so that every refusal reads alike.

Each function returns the checked value or raises an `InputError`, a ``ValueError`` that names the
argument, shows the value and says what is expected.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan._words import is_it
from betterthan.errors import InputError


def choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value` if it is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        named = ", ".join(repr(one) for one in allowed)
        raise InputError(name, value, expected=f"one of {named}{is_it(value, allowed)}")
    return value


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """`value` as an int between `least` and `most`."""
    upper = f" and at most {most}" if most is not None else ""
    refusal = InputError(name, value, expected=f"a whole number of at least {least}{upper}")
    if isinstance(value, bool | np.bool_):
        raise refusal
    try:
        number = operator.index(value)
    except TypeError:
        raise refusal from None
    if number < least or (most is not None and number > most):
        raise refusal
    return number


def real(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    closed: str = "both",
) -> float:
    """`value` as a finite float between `low` and `high`.

    `closed` says which ends belong to the range: "both", "low", "high" or "neither".
    """
    low_belongs, high_belongs = closed in ("both", "low"), closed in ("both", "high")
    expected = f"a finite number in {_range(low, high, low_belongs, high_belongs)}"
    refusal = InputError(name, value, expected=expected)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise refusal from None
    if (low, high) == (0, 1) and 1 < number <= 100:
        refusal = InputError(name, value, expected=f"{expected}; {number:g} % is {number / 100:g}")
    inside = low < number < high
    at_an_end = (low_belongs and number == low) or (high_belongs and number == high)
    if not math.isfinite(number) or not (inside or at_an_end):
        raise refusal
    return number


def _range(low: float, high: float, low_belongs: bool, high_belongs: bool) -> str:
    left = "[" if low_belongs and low != -math.inf else "("
    right = "]" if high_belongs and high != math.inf else ")"
    return f"{left}{_short(low)}, {_short(high)}{right}"


def alpha(value: Any, name: str = "alpha") -> float:
    """A significance level: strictly between 0 and 1."""
    return real(name, value, 0.0, 1.0, closed="neither")


def vector(name: str, values: Any, *, least: int = 1) -> np.ndarray:
    """`values` as a one-dimensional float array without NaN."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(name, expected=f"numbers, got {values!r:.80}") from None
    if array.ndim != 1:
        raise InputError(name, expected=f"one dimension, got shape {array.shape}")
    if array.size < least:
        raise InputError(name, expected=f"at least {least} value(s), got {array.size}")
    bad = np.flatnonzero(np.isnan(array))
    if bad.size:
        raise InputError(name, expected=f"no missing values, but {name}[{bad[0]}] is NaN")
    return array


def probabilities(name: str, values: Any) -> np.ndarray:
    """`values` as a one-dimensional array of numbers between 0 and 1."""
    array = vector(name, values)
    bad = np.flatnonzero((array < 0) | (array > 1))
    if bad.size:
        shown = f"{name}[{bad[0]}] is {float(array[bad[0]])!r}"
        raise InputError(name, expected=f"values between 0 and 1, but {shown}")
    return array


def same_length(**named: Any) -> int:
    """The common length of the named arguments."""
    lengths = {name: len(value) for name, value in named.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise InputError(problem=f"expected arguments of the same length, but {shown}")
    return next(iter(lengths.values()))


def groups(values: Any, n: int, name: str = "groups") -> np.ndarray:
    """`values` as one label per unit, `n` of them, none missing."""
    labels = np.asarray(values, dtype=object)
    if labels.shape != (n,):
        got = f"a {type(values).__name__}" if labels.ndim == 0 else f"shape {labels.shape}"
        raise InputError(name, expected=f"one label per unit ({n:,}), got {got}")
    missing = [i for i, label in enumerate(labels) if label is None or label != label]
    if missing:
        raise InputError(name, expected=f"no missing labels, but {name}[{missing[0]}] is")
    return labels


def two_names(names: Any) -> tuple[str, str]:
    """What A and B are called: two different names."""
    # A string of two letters would unpack as well.
    pair = tuple(names) if isinstance(names, tuple | list) else ()
    named = all(isinstance(name, str) and name for name in pair)
    if len(pair) != 2 or not named or pair[0] == pair[1]:
        raise InputError("names", names, expected="two different names, of A and of B")
    return pair[0], pair[1]


def boolean(name: str, value: Any) -> bool:
    """`value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(name, value, expected="True or False")
    return bool(value)


def generator(value: Any, name: str = "rng") -> np.random.Generator:
    """A generator from a whole number, a SeedSequence or a Generator, as scipy takes it."""
    if isinstance(value, np.random.Generator | np.random.SeedSequence):
        return np.random.default_rng(value)
    return np.random.default_rng(whole(name, value, 0))


def seed_sequence(value: Any, name: str = "seed") -> np.random.SeedSequence:
    """`value`, a whole number or a SeedSequence, as a SeedSequence to spawn from.

    A copy, since spawning changes the parent: the same seed must give the same children again.
    """
    if isinstance(value, np.random.SeedSequence):
        return np.random.SeedSequence(value.entropy, spawn_key=value.spawn_key)
    return np.random.SeedSequence(whole(name, value, 0))


def _short(bound: float) -> str:
    return {math.inf: "inf", -math.inf: "-inf"}.get(bound, f"{bound:g}")
