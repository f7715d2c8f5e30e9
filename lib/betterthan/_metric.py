"""A metric of one's own, with what has to be said about it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any


class Metric:
    """A function of column sums that `score` and `compare` take as ``metric=``.

    It is called like the function it is made of, and has its name and documentation.

    Attributes
    ----------
    notes : tuple of str
        Sentences that a result adds to its own.
    takes_rows : bool
        Whether it takes thousands of sums at once, one row each, and not one row at a time.
    """

    __name__: str

    def __init__(
        self, function: Callable[[Any], Any], notes: Sequence[str] = (), takes_rows: bool = False
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.notes = tuple(notes)
        self.takes_rows = takes_rows

    def __call__(self, sums: Any) -> Any:
        return self._function(sums)

    def __repr__(self) -> str:
        return f"<metric {self.__name__}>"


def metric(
    *, notes: Sequence[str] = (), takes_rows: bool = False
) -> Callable[[Callable[[Any], Any]], Metric]:
    """Make a :class:`Metric` of the function below.

    Examples
    --------
    >>> @metric(notes=["Averages hide a lot."])
    ... def mean(sums):
    ...     return sums[0] / sums[1]
    >>> mean([6, 3]), mean.notes, mean
    (2.0, ('Averages hide a lot.',), <metric mean>)
    """
    return lambda function: Metric(function, notes, takes_rows)
