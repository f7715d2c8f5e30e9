"""How the loops of the taggers are compiled: by numba, which is an extra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    import numba
except ModuleNotFoundError as error:
    if error.name != "numba":
        raise
    raise ModuleNotFoundError(
        'the taggers need numba; install the extra: pip install "betterthan[taggers]"',
        name="numba",
    ) from None

Function = TypeVar("Function", bound=Callable[..., Any])
# Compiled or not, a function takes and returns the same: so it keeps its type.
_njit: Any = numba.njit


def compiled(function: Function) -> Function:
    """`function`, to be compiled when it is first called with arguments of some types.

    The compiled code is kept beside the source or in a folder of the user. Where neither can be
    written (a read-only installation, no home), every process compiles for itself.
    """
    try:
        return _njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # "no locator available"
        return _njit(error_model="numpy")(function)
