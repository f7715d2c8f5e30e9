"""What is said when something given cannot be used: one error that knows its argument.

An error is made of parts (what was given, what is wrong with it, what is expected, and the ways
on), not of one text. Python prints them in Python's words (``groups='task'``), the command line in
its own (``--groups task``): each *words* the parts, and no finished text is ever changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["InputError", "Say"]

# Stands for "no value was given", or for "whatever fits": None is a value.
ANYTHING: Any = object()
# Stands for the name of an argument alone, without a value.
NAME_ALONE: Any = object()
_LONGEST = 80


@dataclass(frozen=True)
class Say:
    """An argument to give and its value, as a suggestion: ``groups='task'``, or ``--groups task``.

    Attributes
    ----------
    argument : str
        Its name in Python.
    value : object
        What to give it; by default whatever fits.
    when : str
        In which case: "if it says what items belong to".
    instead_of : str
        Another argument, whose place it takes.
    """

    argument: str
    value: Any = ANYTHING
    when: str = ""
    instead_of: str = ""


Words = Callable[[str, Any], str]


def shown_name(column: str) -> str:
    """The name of a column as it is shown; pandas and R leave that of the first one blank."""
    return column or "(no name)"


def in_python(argument: str, value: Any) -> str:
    """An argument as it is written in Python: ``groups='task'``, ``groups=…`` or ``groups``."""
    if value is NAME_ALONE:
        return argument
    return f"{argument}={'…' if value is ANYTHING else shortened(value)}"


def shortened(value: Any) -> str:
    """The `repr` of a value, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class InputError(ValueError):
    """Something given is not what is needed; ``print`` says what, where and what to do.

    Parameters
    ----------
    argument : str, optional
        The name of the argument, such as "groups".
    value : object, optional
        What was given for it.
    problem : str
        What is wrong, in words.
    expected : str
        What is expected instead.
    ways : sequence of Say
        Arguments that would help.
    file : str, optional
        The file in which it stands.
    line : int, optional
        Its line, from 1.
    column : str, optional
        Its column, or the column of the table that it is about.
    system : str, optional
        Which of the systems it is about, where no argument is to blame; said as it is.

    Examples
    --------
    >>> print(InputError("margin", -1, expected="a number of at least 0"))
    margin=-1: expected a number of at least 0
    >>> error = InputError(
    ...     file="scores.csv",
    ...     problem="the column 'task' repeats",
    ...     ways=[Say("groups", "task", "if it says what items belong to"), Say("ignore", "task")],
    ... )
    >>> print(error)
    scores.csv: the column 'task' repeats; say groups='task' if it says what items belong to, or \
ignore='task'
    """

    def __init__(
        self,
        argument: str | None = None,
        value: Any = ANYTHING,
        *,
        problem: str = "",
        expected: str = "",
        ways: Sequence[Say] = (),
        file: Any = None,
        line: int | None = None,
        column: str | None = None,
        system: str | None = None,
    ) -> None:
        self.argument = argument
        self.has_value = value is not ANYTHING
        self.value = value if self.has_value else None
        self.problem = problem
        self.expected = expected
        self.ways = tuple(ways)
        self.file = None if file is None else str(file)
        self.line = line
        self.column = column
        self.system = system
        super().__init__(self.told(in_python))

    def add_to(self, argument: str, given: str | Sequence[str]) -> None:
        """Let the ways on that give this argument name what was given for it before, too.

        Parameters
        ----------
        argument : str
            One that takes several names, such as "ignore".
        given : str or sequence of str
            Its names so far.

        Examples
        --------
        >>> error = InputError(problem="'lang' repeats", ways=[Say("ignore", "lang")])
        >>> error.add_to("ignore", ["topic"])
        >>> print(error)
        'lang' repeats; say ignore=['topic', 'lang']
        """
        before = _names_in(given)
        self.ways = tuple(
            _adding(way, before) if way.argument == argument else way for way in self.ways
        )
        self.args = (self.told(in_python),)

    def told(self, words: Words) -> str:
        """The whole error, with `words` for its arguments.

        Parameters
        ----------
        words : callable
            Takes an argument's name and its value (or ANYTHING, or NAME_ALONE), and gives how they
            are written.

        Returns
        -------
        str
        """
        said = [part for part in (self.problem, self._wanted(), self._ways(words)) if part]
        parts = [self._place(), self._subject(words), "; ".join(said)]
        return ": ".join(part for part in parts if part)

    def _place(self) -> str:
        if self.file is None:
            return ""
        return f"{self.file}, line {self.line}" if self.line else self.file

    def _subject(self, words: Words) -> str:
        if self.argument is not None:
            return words(self.argument, self.value if self.has_value else NAME_ALONE)
        if self.column is not None and self.has_value:
            return f"{shown_name(self.column):.60}={shortened(self.value)}"
        return self.system or ""

    def _wanted(self) -> str:
        return f"expected {self.expected}" if self.expected else ""

    def _ways(self, words: Words) -> str:
        if not self.ways:
            return ""
        told = [f"{words(way.argument, way.value)} {way.when}".strip() for way in self.ways]
        joined = ", or ".join(told)
        return f"say {joined}"


def _names_in(given: str | Sequence[str]) -> list[str]:
    """One name, or several, as a list."""
    return [given] if isinstance(given, str) else list(given)


def _adding(way: Say, before: Sequence[str]) -> Say:
    if way.value is ANYTHING or not before:
        return way
    return replace(way, value=list(dict.fromkeys([*before, *_names_in(way.value)])))


P = ParamSpec("P")
R = TypeVar("R")


def ignoring_more(read: Callable[P, R]) -> Callable[P, R]:
    """For a reader that takes ``ignore=``: columns to leave out are added to those left out."""

    @wraps(read)
    def reading(*args: P.args, **options: P.kwargs) -> R:
        try:
            return read(*args, **options)
        except InputError as error:
            ignored = options.get("ignore")
            if isinstance(ignored, str | list | tuple):
                error.add_to("ignore", ignored)
            raise

    return reading
