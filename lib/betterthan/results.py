"""`Results`: what one system did on the units of one test.

It is the one type between files and statistics. Every reader gives it, every front door
(`betterthan.score`, `compare`, `compare_many`, `compare_each`) takes it, and plain arrays become
one here. Whatever a comparison needs to know travels in it by name: values, ids, groups, unit,
metric, direction, the system's name, and what was decided while reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks
from betterthan._values import Counted, Labels, Numbers, Sums, Values, from_anything
from betterthan._words import counted, listed
from betterthan.counts import Counts
from betterthan.errors import InputError, Say

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Results"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Results:
    """What one system did on the units of one test; ``print`` says it in a line.

    Parameters
    ----------
    values : array-like, Counts, Results, or a list of arrays or Counts
        One number per unit (right or wrong, COMET, seconds), counts per unit, or units × columns
        for a metric of their sums; a list of such is several runs of the system.
    name : str
        What the system is called.
    groups : array-like, optional
        What each unit belongs to (document, task, author): units of one group belong together.
    grouped_by : str
        What the column of groups is called.
    ids : array-like, optional
        The name of each unit, by which two systems are matched. The default None takes the index
        of a pandas object.
    unit : str, optional
        What a unit is: "sentence", "segment", "item".
    metric : str or callable, optional
        What is asked of the values, if nothing else is: "mean", "accuracy", "f1" …
    quantity : str
        What the numbers measure, as their tool calls it: "acc", "COMET".
    higher_is_better : bool, optional
        False for errors, penalties, seconds. The default None takes what the metric knows.
    columns : mapping of str to array-like
        What else is known about the units, such as their difficulty: `where` selects by it.
    run_names : sequence of str
        What the runs are called: seeds, prompts, judges.
    test_share : float, optional
        Of folds of a cross-validation: how much of the corpus one is tested on.
    repetitions : int, optional
        Of counts of folds: the m of an m×2 cross-validation.
    notes : sequence of str
        What was decided while reading and changes the meaning; sentences say it.
    reading : sequence of str
        How it was read, column by column; the command line prints it below the sentence.

    Raises
    ------
    InputError
        For values that are no results, and ids, groups or columns of another length.

    Examples
    --------
    >>> old = Results([1, 0, 1, 1], name="old", groups=["a", "a", "b", "b"])
    >>> print(old)
    4 items in 2 groups: mean 0.7500
    >>> len(old), old.n_groups, old.values
    (4, 2, array([1., 0., 1., 1.]))
    >>> hard = Results([1, 0, 1], columns={"level": ["easy", "hard", "hard"]}).where(level="hard")
    >>> print(hard)
    2 items: mean 0.5000
    """

    name: str
    ids: np.ndarray | None
    groups: np.ndarray | None
    grouped_by: str
    unit: str
    quantity: str
    columns: Mapping[str, np.ndarray]
    run_names: tuple[str, ...]
    test_share: float | None
    repetitions: int | None
    notes: tuple[str, ...]
    reading: tuple[str, ...]
    _row_numbers: bool = field(repr=False)
    _values: Values = field(repr=False)
    _metric: Any = field(repr=False)
    _higher_is_better: bool | None = field(repr=False)

    def __init__(
        self,
        values: Any,
        *,
        name: str = "",
        groups: Any = None,
        grouped_by: str = "",
        ids: Any = None,
        unit: str | None = None,
        metric: Any = None,
        quantity: str = "",
        higher_is_better: bool | None = None,
        columns: Mapping[str, Any] | None = None,
        run_names: Iterable[str] = (),
        test_share: float | None = None,
        repetitions: int | None = None,
        notes: Iterable[str] = (),
        reading: Iterable[str] = (),
        argument: str = "values",
    ) -> None:
        if not isinstance(name, str):
            raise InputError("name", name, expected="a string")
        known = _known_of(values)
        held = values if _is_values(values) else from_anything(argument, values, metric)
        n = len(held)
        ids = known.get("ids") if ids is None else ids
        groups = known.get("groups") if groups is None else groups
        if higher_is_better is not None:
            higher_is_better = _checks.boolean("higher_is_better", higher_is_better)
        chosen = {
            "name": name,
            "ids": None if ids is None else _labels("ids", ids, n),
            "groups": None if groups is None else _checks.groups(groups, n),
            "grouped_by": grouped_by,
            "unit": unit or known.get("unit") or "item",
            "quantity": quantity,
            "columns": {
                key: _labels(f"columns[{key!r}]", x, n) for key, x in (columns or {}).items()
            },
            "run_names": tuple(map(str, run_names)),
            "test_share": test_share,
            "repetitions": repetitions,
            "notes": (*known.get("notes", ()), *notes),
            "reading": tuple(reading),
            "_row_numbers": ids is known.get("ids") and bool(known.get("numbered")),
            "_values": held,
            "_metric": metric,
            "_higher_is_better": higher_is_better,
        }
        for key, value in chosen.items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_counts(cls, tp: Any, fp: Any, fn: Any, **known: Any) -> Results:
        """Results from what was found, invented and missed, per unit.

        Parameters
        ----------
        tp, fp, fn : array-like of whole numbers
            As for `betterthan.counts.Counts`.
        **known
            What else `Results` takes: name, groups, ids, unit …

        Returns
        -------
        Results

        Examples
        --------
        >>> print(Results.from_counts([2, 1, 0], [0, 1, 0], [0, 0, 1], unit="sentence"))
        3 sentences: F1 0.7500
        """
        return cls(Counts(tp, fp, fn, unit=known.pop("unit", "sentence")), **known)

    @property
    def values(self) -> np.ndarray:
        """One number per unit, or units × (tp, fp, fn); with several runs, runs come first.

        Labels are shown as 1 for right and 0 for wrong.
        """
        return self._values.array()

    @property
    def metric(self) -> Any:
        """What is asked of the values if nothing else is, a name or a function."""
        return self._metric if self._metric is not None else self._values.usual_metric()

    @property
    def higher_is_better(self) -> bool:
        """False for errors, penalties, seconds."""
        if self._higher_is_better is not None:
            return self._higher_is_better
        return bool(getattr(self.metric, "higher_is_better", True))

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return len(self._values)

    @property
    def n_groups(self) -> int:
        """How many groups; without groups each unit is one."""
        return self.n_units if self.groups is None else len(set(self.groups.tolist()))

    @property
    def n_runs(self) -> int:
        """How many runs of the system."""
        return self._values.n_runs

    @property
    def has_names(self) -> bool:
        """Whether units have names of their own, and not only the numbers of their rows."""
        return self.ids is not None and not self._row_numbers

    @property
    def held(self) -> Values:
        """The values as `betterthan._values` has them."""
        return self._values

    def __len__(self) -> int:
        return self.n_units

    def __getitem__(self, rows: Any) -> Results:
        """The units `rows` (a mask, numbers or a slice), with all that is known of them."""
        rows = [rows] if isinstance(rows, int | np.integer) else rows
        rows = np.asarray(rows) if not isinstance(rows, slice) else rows
        return self._changed(
            _values=self._values.take(rows),
            ids=None if self.ids is None else self.ids[rows],
            groups=None if self.groups is None else self.groups[rows],
            columns={name: column[rows] for name, column in self.columns.items()},
        )

    def where(self, **wanted: Any) -> Results:
        """The units of which the columns have these values.

        Parameters
        ----------
        **wanted
            A column and its value, or a list of values: ``where(difficulty="hard")``. "groups" is
            a column, too.

        Returns
        -------
        Results

        Raises
        ------
        InputError
            For a column that is not known, or a value that no unit has.

        Examples
        --------
        >>> mine = Results([1, 0, 1, 1], groups=["a", "a", "b", "b"])
        >>> len(mine.where(groups="b"))
        2
        """
        chosen = np.ones(len(self), dtype=bool)
        for name, value in wanted.items():
            column = self.column(name)
            several = isinstance(value, list | tuple | set | np.ndarray)
            values = {str(one) for one in (value if several else [value])}
            own = np.array([str(cell) in values for cell in column])
            if not own.any():
                found = _some_of(sorted({str(cell) for cell in column}))
                raise InputError(name, value, expected=f"one of {found}")
            chosen &= own
        if not chosen.any():
            raise InputError(
                "where", wanted, expected="units that have all of them; there are none"
            )
        return self[chosen]

    def column(self, name: str) -> np.ndarray:
        """What is known of the units by this name; "groups" are their groups.

        Raises
        ------
        InputError
            If nothing is known by it.
        """
        if name in self.columns:
            return self.columns[name]
        if name == "groups" and self.groups is not None:
            return self.groups
        known = [*self.columns, *(["groups"] if self.groups is not None else [])]
        raise InputError("column", name, expected=f"one of {_some_of(known) or '(there are none)'}")

    def named(self, name: str) -> Results:
        """The same results under another name."""
        return self._changed(name=name)

    def grouped(self, groups: Any) -> Results:
        """The same results in other groups: labels, the name of a column, or None for none."""
        name = groups if isinstance(groups, str) else ""
        if isinstance(groups, str):
            if groups not in self.columns:
                known = f", or one of the columns {_some_of(list(self.columns))}"
                text = f"one label per unit ({len(self):,}){known if self.columns else ''}"
                raise InputError("groups", groups, expected=text)
            groups = self.column(groups)
        checked = None if groups is None else _checks.groups(groups, len(self))
        return self._changed(groups=checked, grouped_by=name)

    @property
    def direction_is_known(self) -> bool:
        """Whether somebody said which direction is better, or the kind of file does."""
        return self._higher_is_better is not None

    def measuring(self, quantity: str, *, lower: bool = False) -> Results:
        """The same results as measures of something, of which less may be better."""
        higher = False if lower else self._higher_is_better
        return self._changed(quantity=quantity, _higher_is_better=higher)

    def with_runs(self, values: Values, names: Sequence[str]) -> Results:
        """The same units with other runs, and what these are called."""
        return self._changed(_values=values, run_names=tuple(names))

    def noting(self, *notes: str) -> Results:
        """The same results with something more to say."""
        return self._changed(notes=(*self.notes, *notes))

    def with_notes(self, *notes: str) -> Results:
        """The same results with only this to say."""
        return self._changed(notes=notes)

    def _changed(self, **fields: Any) -> Results:
        copy = object.__new__(Results)
        for key in self.__dataclass_fields__:
            object.__setattr__(copy, key, fields.get(key, getattr(self, key)))
        return copy

    def table(self) -> pd.DataFrame:
        """One row per unit: id, group, the value on it alone (mean over runs), other columns."""
        import pandas as pd

        found: dict[str, Any] = {}
        if self.ids is not None:
            found[self.unit] = self.ids
        if self.groups is not None:
            found["group"] = self.groups
        metric = self._values.metric(self.name or "values", self.metric)
        each = np.mean([metric.of_rows(run) for run in self._values.tables(metric)], axis=0)
        found[self.name or metric.word] = each
        return pd.DataFrame(found | dict(self.columns))

    def __str__(self) -> str:
        metric = self._values.metric(self.name or "values", self.metric)
        tables = self._values.tables(metric)
        value = float(np.mean([metric.of_rows(run.sum(axis=0)[None])[0] for run in tables]))
        groups = f" in {counted(self.n_groups, 'group')}" if self.groups is not None else ""
        runs = f", mean of {self.n_runs} runs" if self.n_runs > 1 else ""
        of = f" {self.quantity}" if self.quantity and metric.name == "mean" else ""
        shown = "undefined" if np.isnan(value) else f"{value:.4f}"
        units = f"{counted(self.n_units, self.unit)}{groups}"
        return f"{units}: {metric.word}{of} {shown}{runs}"

    def __repr__(self) -> str:
        return f"<Results{f' of {self.name}' if self.name else ''}: {self}>"


def _is_values(x: Any) -> bool:
    return isinstance(x, Numbers | Sums | Counted | Labels)


def _known_of(x: Any) -> dict[str, Any]:
    """What arrays, pandas objects and Counts know of themselves."""
    first = x[0] if isinstance(x, list) and len(x) and not np.isscalar(x[0]) else x
    if isinstance(first, Counts):
        return {
            "unit": first.unit,
            "groups": first.groups,
            "ids": first.index,
            "notes": first.notes,
        }
    ids = pandas_ids(first)
    if ids is None:
        return {}
    known = {"ids": ids, "unit": _unit_word(first), "numbered": _numbers_rows(first.index)}
    if "group" in first.index.names and first.index.nlevels > 1:
        known["groups"] = first.index.get_level_values("group")
        rest = first.index.droplevel("group")
        # An item's name may come again in another group.
        known["ids"] = ids if rest.has_duplicates else np.asarray(rest, dtype=object)
    return known


def pandas_ids(x: Any) -> Any:
    """The index of a pandas object, which names its units; None of anything else."""
    index: Any = getattr(x, "index", None)
    return np.asarray(index, dtype=object) if hasattr(index, "get_indexer") else None


def _numbers_rows(index: Any) -> bool:
    """Whether pandas itself numbered the rows: then row 7 here is not row 7 there."""
    return type(index).__name__ == "RangeIndex" and index.start == 0


def _unit_word(x: Any) -> str | None:
    """What a pandas index calls its items, if that is a word."""
    name = next(iter(getattr(x.index, "names", ())), None)
    return unit_word(name) if isinstance(name, str) else None


# Columns that name units without saying what they are.
_NO_UNITS = frozenset({"idx", "index", "key", "name", "qid", "uid", "uuid"})


def unit_word(name: str) -> str | None:
    """A column's name as the word for a unit, if it is a word."""
    is_word = name.isalpha() and len(name) > 2 and name.lower() not in _NO_UNITS
    return name if is_word else None


def _labels(name: str, values: Any, n: int) -> np.ndarray:
    array = np.empty(n, dtype=object)
    if isinstance(values, str):
        values = [values]
    listed = values if isinstance(values, list | tuple) else list(values)
    if len(listed) != n:
        raise InputError(name, expected=f"one value per unit ({n:,}), got {len(listed):,}")
    array[:] = listed
    return array


def _some_of(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(listed(name, 40) for name in names[:most]) + more


def as_results(argument: str, x: Any, metric: Any = None) -> Results:
    """`x` as it is if it is `Results`; arrays, Counts and lists of runs become one.

    Parameters
    ----------
    argument : str
        What errors call it.
    x : object
        As given to a front door; a list of `Results` is several runs of one system.
    metric : optional
        What will be asked.

    Returns
    -------
    Results
    """
    if isinstance(x, Results):
        return x
    if isinstance(x, list) and x and all(isinstance(run, Results) for run in x):
        return runs_of(argument, x)
    return Results(x, metric=metric if callable(metric) else None, argument=argument)


def runs_of(argument: str, runs: Sequence[Results]) -> Results:
    """Several results of one system on the same units, as its runs.

    Raises
    ------
    InputError
        If they are not of one kind, or not of the same units.
    """
    first = runs[0]
    held = [run.held for run in runs]
    for place, run in enumerate(runs):
        if type(run.held) is not type(first.held) or run.n_runs > 1:
            raise InputError(argument, expected="runs of one kind, each a single run")
        if (run.ids is None) != (first.ids is None) or len(run) != len(first):
            raise InputError(
                problem=f"{argument}, run {place + 1}: expected the units of the first run "
                f"({len(first):,}), got {len(run):,}"
            )
    if first.ids is not None:
        held = [run.held.take(_places(argument, first.ids, run.ids)) for run in runs]
    if isinstance(first.held, Labels):
        joined: Values = replace(first.held, runs=tuple(one.runs[0] for one in held))  # type: ignore[attr-defined]
    else:
        joined = type(first.held)(tuple(one.runs[0] for one in held))  # type: ignore[attr-defined,call-arg]
    names = tuple(run.name for run in runs)
    distinct = len(set(names)) == len(names) and all(names)
    return first._changed(
        _values=joined,
        run_names=names if distinct else (),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def _places(argument: str, wanted: np.ndarray, ids: np.ndarray | None) -> np.ndarray:
    """Where each of the wanted ids stands in `ids`."""
    place = {name: number for number, name in enumerate(ids if ids is not None else ())}
    missing = [name for name in wanted if name not in place]
    if missing:
        ways = [Say("unmatched", "drop")] if argument != "runs" else []
        raise InputError(
            argument,
            expected=f"the same units in every run, but {missing[0]!r} is missing",
            ways=ways,
        )
    return np.array([place[name] for name in wanted])
