"""Systems on the same units: matched, added up by group, and measured.

`together` is what every front door calls first. It refuses what cannot be compared, matches units
by their ids, adds up the columns that the metric needs, and computes the metric of each system
over everything and without each group in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betterthan import _cautions, _checks
from betterthan._crossed import crossed, paired_runs, same_two
from betterthan._jackknife import Student, but_for_rounding, student
from betterthan._metrics import OF_NUMBERS, MetricOfSums, unit_weights
from betterthan._values import Counted, Labels, Numbers
from betterthan._words import but_for_case, plural
from betterthan.errors import InputError, Say
from betterthan.results import Results, pandas_ids


@dataclass(frozen=True)
class System:
    """One system: per run the sums of each group, the metric, and the metric without each group."""

    sums: list[np.ndarray]  # per run: groups × columns
    values: np.ndarray  # per run
    deleted: np.ndarray  # groups × runs


@dataclass(frozen=True)
class Together:
    """Systems on the same units, added up by group, and what to say about them."""

    systems: list[System]
    tables: list[list[np.ndarray]]  # per system and run: units × columns
    ids: Any
    metric: MetricOfSums
    quantity: str
    bounded: bool
    unit: str
    n_units: int
    n_groups: int
    n_effective: float
    notes: list[str]
    higher_is_better: bool
    run_names: list[tuple[str, ...]]
    codes: np.ndarray  # the group of each unit
    # Per system one number per unit (the mean over runs), where the metric is their mean.
    per_unit: list[np.ndarray] | None
    shared_runs: bool = False  # whether run r of one system is run r of the others

    @property
    def right_or_wrong(self) -> bool:
        """Whether each unit stands for itself and is 1 or 0 in the only run of every system."""
        one_run = all(len(system.values) == 1 for system in self.systems)
        if self.per_unit is None or not one_run or self.n_groups < self.n_units:
            return False
        return all(bool(np.isin(own, (0.0, 1.0)).all()) for own in self.per_unit)

    @property
    def function(self) -> Callable[[np.ndarray], np.ndarray]:
        """The metric of rows of column sums."""
        return self.metric.of_rows

    @property
    def metric_name(self) -> str:
        """The metric, and of which quantity it is the mean."""
        of = f" {self.quantity}" if self.quantity and self.metric.name == "mean" else ""
        return self.metric.name + of

    @property
    def metric_word(self) -> str:
        """The same, as sentences call it."""
        of = f" {self.quantity}" if self.quantity and self.metric.name == "mean" else ""
        return self.metric.word + of

    @property
    def resampled(self) -> str:
        """What is resampled, in the plural."""
        return "groups" if self.n_groups < self.n_units else plural(self.unit)

    def each(self) -> list[np.ndarray]:
        """Of each system the metric on every unit alone, the mean over runs."""
        return [np.mean([self.function(run) for run in runs], axis=0) for runs in self.tables]

    def student(self, systems: Sequence[System], signs: Sequence[int]) -> Student:
        """The signed sum of the systems' scores, over groups and runs."""
        deleted, values = [s.deleted for s in systems], [s.values for s in systems]
        return student(deleted, values, signs, self.n_effective)

    def difference(self, first: System, second: System) -> Student:
        """The second system minus the first, over groups and runs, which both may share."""
        values = [first.values, second.values]
        if self.shared_runs:
            found = crossed([first.deleted, second.deleted], values, self.n_effective)
        else:
            found = self.student([first, second], [-1, 1])
        size = max(abs(float(own.mean())) for own in values)
        return replace(found, centre=but_for_rounding(found.centre, size))

    def in_order(self, found: Student) -> list[str]:
        """A warning where units without groups follow one another in blocks or in time."""
        if self.n_groups < self.n_units:
            return []
        return _cautions.in_order(found.contributions, self.each())

    @property
    def ones_and_zeros(self) -> bool:
        """Whether every unit counts for itself, as 1 or 0 in every run."""
        runs = [run for own in self.tables for run in own]
        numbers = self.metric.name in OF_NUMBERS and runs[0].shape[1] == 2
        if not numbers or self.n_groups < self.n_units:
            return False
        return bool(np.isin(np.concatenate(runs)[:, 0], (0, 1)).all())

    def skewed(self, found: Student, *systems: System, mended: bool = False) -> list[str]:
        """A warning where results are so skewed that their number does not make up for it."""
        # Of counts and of right and wrong answers intervals hold what they promise.
        if self.tables[0][0].shape[1] == 3 or self.metric.name == "macro_f1" or self.ones_and_zeros:
            return []
        counts = np.ones(self.n_groups, dtype=bool)
        if len(systems) == 2:
            first, second = systems
            unlike = [(a != b).any(axis=1) for a in first.sums for b in second.sums]
            counts = np.logical_or.reduce(unlike)
        contributions = found.contributions[counts]
        return _cautions.skewed(found.skew, contributions, self.n_groups, mended=mended)


def together(
    results: Sequence[Results],
    metric: Any = None,
    groups: Any = None,
    unmatched: str = "refuse",
    names: Sequence[str] = (),
    labels: Sequence[str] = (),
    shared_runs: bool | None = False,
    otherwise: Sequence[Say] = (),
) -> Together:
    """All systems as sums of groups; everything that can be wrong with them is refused here.

    Parameters
    ----------
    results : sequence of Results
        One per system.
    metric : str or callable, optional
        What is asked; None takes what the results say.
    groups : array-like or str, optional
        One label per unit of the first system, or the name of a column.
    unmatched : {"refuse", "drop"}
        What to do with ids that not all systems have.
    names : sequence of str
        What errors call the systems.
    labels : sequence of str
        What sentences call them, where that differs.
    shared_runs : bool, optional
        Whether the runs of all systems are the same; None goes by their names.
    otherwise : sequence of Say
        What else helps where units do not match.

    Returns
    -------
    Together
    """
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    names = names or [one.name for one in results]
    refuse_other_kinds(names, results, metric)
    results = _with_groups(results, groups)
    matched, dropped = _matched(names, results, unmatched, otherwise)
    matched, shared = paired_runs(matched, names, shared_runs)
    if len(matched[0]) < 2:
        raise InputError(system=names[0], expected=f"at least two units, got {len(matched[0])}")
    held = _in_the_same_classes([one.held for one in matched])
    _refuse_other_gold(names, held, matched[0].ids, callable(metric))
    asked = metric if metric is not None else matched[0].metric
    chosen = [own.metric(name, asked) for name, own in zip(names, held)].pop()
    tables = [own.tables(chosen) for own in held]
    _refuse_other_widths(names, tables)
    if groups is None or isinstance(groups, str):
        _refuse_other_groups(names, matched)
    codes, n_groups = _codes(matched[0].groups, len(matched[0]))
    systems = [_system(n, own, chosen, codes, n_groups) for n, own in zip(names, tables)]
    counted = held[0].counted
    weights = np.mean([unit_weights(chosen, t, counted=counted) for own in tables for t in own], 0)
    by_group = np.bincount(codes, weights=weights, minlength=n_groups)
    found = Together(
        systems=systems,
        tables=tables,
        ids=np.arange(len(matched[0])) if matched[0].ids is None else matched[0].ids,
        metric=chosen,
        quantity=next((one.quantity for one in matched if one.quantity), ""),
        bounded=_bounded(chosen, held),
        unit=matched[0].unit,
        n_units=len(matched[0]),
        n_groups=n_groups,
        n_effective=float(by_group.sum() ** 2 / np.square(by_group).sum()),
        notes=[],
        higher_is_better=chosen.higher_is_better and matched[0].higher_is_better,
        run_names=[one.run_names for one in matched],
        codes=codes,
        per_unit=_per_unit(held, chosen),
        shared_runs=shared,
    )
    by_ids = all(one.has_names for one in matched)
    notes = _notes(found, labels or names, matched, dropped, by_ids)
    if dropped:
        notes += _not_at_random(labels or names, results, matched, chosen)
    return replace(found, notes=notes)


def _per_unit(held: Sequence[Any], metric: MetricOfSums) -> list[np.ndarray] | None:
    """Of each system one number per unit, where the metric is the mean of such numbers."""
    found = [own.per_unit(metric) for own in held]
    if any(own is None for own in found):
        return None
    return [np.mean(own, axis=0) for own in found]


def _notes(
    found: Together, names: Sequence[str], matched: Sequence[Results], dropped: int, by_ids: bool
) -> list[str]:
    """What was decided on the way, and what to beware of."""
    said = [f"{dropped:,} {plural('item', dropped)} without a match left out."] if dropped else []
    said += dict.fromkeys(note for one in matched for note in one.notes)
    said += found.metric.notes
    # Counts need no guess: their gold items have been compared; nor do items matched by id.
    numbers = found.metric.name in OF_NUMBERS and found.tables[0][0].shape[1] == 2
    alone: list[str] = []
    if numbers and len(names) > 1 and not by_ids:
        alone = _cautions.same_items(names, [own[0][:, 0] for own in found.tables])
    # The shares of a vote add up to 1: two of them never agree but in a tie.
    if len(names) == 2 and found.right_or_wrong and found.unit != "vote":
        alone += _cautions.only_differing(*(own[0][:, 0] for own in found.tables))
    if found.metric.name == "macro_f1":
        said += _cautions.rare_classes(_gold(found.systems[0].sums[0]), found.resampled)
    few = _cautions.uneven(found.n_groups, found.n_effective, found.resampled)
    runs = _cautions.few_runs([one.n_runs for one in matched], found.shared_runs)
    if same_two(matched):
        runs.append("Both have the same two runs, too few to pair: taken as separate.")
    return [*said, *alone, *few, *runs]


def _gold(sums: np.ndarray) -> np.ndarray:
    """How many of each class there were to find, per group."""
    tp, _, fn = np.split(sums, 3, axis=1)
    return np.asarray(tp + fn)


def _not_at_random(
    names: Sequence[str], given: Sequence[Results], kept: Sequence[Results], metric: MetricOfSums
) -> list[str]:
    """A warning where a system does otherwise on the units that others do not have."""
    found = []
    for name, one, own in zip(names, given, kept):
        if len(one) == len(own) or one.ids is None or own.ids is None:
            continue
        missing = np.flatnonzero(~np.isin(one.ids.astype(str), own.ids.astype(str)))
        whole, parts = _contributions(one, metric), []
        for rows in (np.setdiff1d(np.arange(len(one)), missing), missing):
            parts.append((_value(one[rows], metric), whole[rows]))
        if all(np.isfinite(value) for value, _ in parts):
            found.append(_cautions.left_out(name, parts[0], parts[1]))
    return [text for text in found if text]


def _value(results: Results, metric: MetricOfSums) -> float:
    tables = results.held.tables(metric)
    return float(np.mean([metric.of_rows(table.sum(axis=0)[None])[0] for table in tables]))


def _contributions(results: Results, metric: MetricOfSums) -> np.ndarray:
    """By how much each unit raises the score of all, the mean over runs."""
    tables = results.held.tables(metric)
    each = [metric.of_rows(table.sum(axis=0) - table) for table in tables]
    return -np.nan_to_num(np.mean(each, axis=0))


def refuse_other_kinds(names: Sequence[str], results: Sequence[Results], metric: Any) -> None:
    """Systems must agree in direction, metric, quantity and unit; both are named where not."""
    for name, own in zip(names[1:], results[1:]):
        first, other = results[0], names[0]
        if own.higher_is_better != first.higher_is_better:
            words = {True: "higher is better", False: "lower is better"}
            here, there = words[own.higher_is_better], words[first.higher_is_better]
            raise InputError(problem=f"{name}: {here}, but of {other} {there}")
        asked = [_shown(one.metric) for one in (first, own)]
        if metric is None and asked[0] != asked[1]:
            text = f"{name}: its metric is {asked[1]}, but that of {other} is {asked[0]}"
            raise InputError(problem=text, ways=[Say("metric")])
        if first.quantity and own.quantity and own.quantity != first.quantity:
            text = f"{name}: holds {own.quantity}, but {other} holds {first.quantity}"
            raise InputError(problem=text, expected="the same for both")
        units = {first.unit, own.unit} - {"item"}
        if len(units) > 1:
            text = f"{name}: its units are {plural(own.unit)}, but those of {other} are "
            raise InputError(problem=text + plural(first.unit), expected="the same for both")


def _shown(metric: Any) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "name", repr(metric))


def _with_groups(results: Sequence[Results], groups: Any) -> list[Results]:
    """The groups that were given take the place of the systems' own."""
    if groups is None:
        return list(results)
    if isinstance(groups, str):
        return [one.grouped(groups) for one in results]
    first = results[0]
    given = pandas_ids(groups)
    if given is not None and first.ids is not None and list(given) != first.ids.tolist():
        label = dict(zip(given, groups))
        wanted = [label.get(name) for name in first.ids]
        missing = [name for name, own in zip(first.ids, wanted) if own is None]
        if missing:
            text = f"a label for every id, but {missing[0]!r} has none"
            raise InputError("groups", expected=text)
        groups = wanted
    # The groups of the others are those of the first, once units are matched.
    return [first.grouped(groups), *(one.grouped(None) for one in results[1:])]


def _matched(
    names: Sequence[str], results: Sequence[Results], unmatched: str, otherwise: Sequence[Say]
) -> tuple[list[Results], int]:
    """All systems on the units of the first, in its order; how many units are left out."""
    no_names = not any(one.has_names for one in results)
    if no_names or any(one.ids is None for one in results):
        for name, one in zip(names, results):
            if len(one) != len(results[0]):
                _refuse_lengths(names[0], results[0], name, one, otherwise)
        return list(results), 0
    ids = [one.ids.tolist() for one in results if one.ids is not None]
    if all(own == ids[0] for own in ids):
        return list(results), 0
    for name, own in zip(names, ids):
        if len(set(own)) < len(own):
            again = next(one for one in own if own.count(one) > 1)
            raise InputError(system=name, expected=f"each id once, but {again!r} comes again")
    shared = set(ids[0]).intersection(*ids[1:])
    if unmatched == "refuse":
        _refuse_unmatched(names, ids, shared, otherwise)
    common = [one for one in ids[0] if one in shared]
    dropped = len(set().union(*ids)) - len(common)
    if not common:
        _refuse_unmatched(names, ids, shared, otherwise)
    return [one[_rows(own, common)] for one, own in zip(results, ids)], dropped


def _rows(ids: Sequence[Any], wanted: Sequence[Any]) -> np.ndarray:
    place = {name: number for number, name in enumerate(ids)}
    return np.array([place[name] for name in wanted], dtype=np.int64)


def _refuse_lengths(
    first: str, a: Results, name: str, b: Results, otherwise: Sequence[Say]
) -> None:
    text = f"as many units as {first} has ({len(a):,}), got {len(b):,}"
    if a.ids is None or b.ids is None:
        raise InputError(system=name, expected=text, ways=otherwise)
    text += "; rows without ids cannot be matched"
    ways = [Say("key", when="where the file is read"), *otherwise]
    raise InputError(system=name, expected=text, ways=ways)


def _refuse_unmatched(
    names: Sequence[str], ids: Sequence[list[Any]], shared: set[Any], otherwise: Sequence[Say]
) -> None:
    drop = [Say("unmatched", "drop", "to leave them out")] if shared else []
    for name, own in zip(names, ids):
        extra = [one for one in own if one not in shared]
        if extra:
            are = "item is" if len(extra) == 1 else "items are"
            shown = ", ".join(map(repr, extra[:5]))
            raise InputError(
                problem=f"{name}: {len(extra):,} {are} not in all systems, such as {shown}"
                + but_for_case(extra, [other for other in ids if other is not own]),
                expected="the same ids everywhere",
                ways=[*drop, *otherwise],
            )


def _in_the_same_classes(held: Sequence[Any]) -> list[Any]:
    """Labels of several systems in one list of classes."""
    if not all(isinstance(own, Labels) for own in held):
        return list(held)
    classes = sorted(set().union(*(own.classes for own in held)))
    return [own if list(own.classes) == classes else own.in_classes(classes) for own in held]


def _refuse_other_gold(
    names: Sequence[str], held: Sequence[Any], ids: Any, by_column: bool
) -> None:
    """Refuse what was counted against another gold standard."""
    kinds = {type(own) for own in held}
    if len(kinds) > 1:
        words = " and ".join(sorted(kind.__name__.lower() for kind in kinds))
        raise InputError(system=names[-1], expected=f"results of one kind, got {words}")
    if isinstance(held[0], Labels):
        for name, own in zip(names, held):
            for i in np.flatnonzero(own.right != held[0].right)[:1]:
                here, there = own.classes[own.right[i]], own.classes[held[0].right[i]]
                unit = int(i) if ids is None else ids[i]
                text = f"the same gold classes as {names[0]}, but {unit!r:.60} is {there!r:.40} "
                raise InputError(system=name, expected=f"{text}there and {here!r:.40} here")
    if isinstance(held[0], Counted):
        runs = [(name, run) for name, own in zip(names, held) for run in own.runs]
        gold = [(name, (run.tp + run.fn).reshape(len(run), -1)) for name, run in runs]
        _refuse_other_counts(gold, ids, by_column)


def _refuse_other_counts(gold: Sequence[tuple[str, np.ndarray]], ids: Any, by_column: bool) -> None:
    """Counts of other gold items, or of other classes; their columns may be in any order."""
    same = "are these the same sentences in the same order?"
    first, expected = gold[0]
    whole = expected.sum(axis=1)
    classes = {column.tobytes() for column in expected.T if column.any()}
    for name, own in gold:
        for i in np.flatnonzero(own.sum(axis=1) != whole)[:1]:
            unit = int(i) if ids is None else ids[i]
            text = f"the same gold items (tp + fn) as {first} in every unit, but unit {unit!r:.60} "
            text += f"has {whole[i]} there and {own[i].sum()} here; {same}"
            raise InputError(system=name, expected=text)
        if expected.shape[1] == 1 or own.shape[1] == 1:
            continue
        others = {column.tobytes() for column in own.T if column.any()}
        if others != classes or (by_column and not np.array_equal(own, expected)):
            text = f"the same gold classes (tp + fn) as {first} in every unit; {same}"
            raise InputError(system=name, expected=text)


def _refuse_other_widths(names: Sequence[str], tables: Sequence[list[np.ndarray]]) -> None:
    for name, own in zip(names, tables):
        if any(table.shape[1] != tables[0][0].shape[1] for table in own):
            text = f"as many columns (or classes) as {names[0]} has"
            raise InputError(system=name, expected=text)


def _refuse_other_groups(names: Sequence[str], results: Sequence[Results]) -> None:
    """All systems must have the same groups, or none."""
    first = results[0]
    for name, one in zip(names, results):
        if np.array_equal(one.groups, first.groups):  # type: ignore[arg-type]
            continue
        text = f"the same groups everywhere, but {_other_group(names[0], first, name, one)}"
        column = one.grouped_by or first.grouped_by
        if not column:
            raise InputError("groups", expected=text)
        said = f"the column {column!r:.60} says what they belong to"  # by its name, perhaps
        ways = [Say("ignore", column, "if it does not matter", "groups")]
        raise InputError(column=column, problem=said, expected=text, ways=ways)


def _other_group(first: str, a: Results, name: str, b: Results) -> str:
    """The first unit that belongs to something else in the second of two systems."""
    if a.groups is None or b.groups is None:
        return f"{first if a.groups is None else name} has none"
    pairs = zip(a.groups.tolist(), b.groups.tolist())
    row, here, there = next((i, *both) for i, both in enumerate(pairs) if both[0] != both[1])
    unit = row + 1 if a.ids is None else a.ids.tolist()[row]
    which = f"{a.unit} {str(unit)!r:.60}"
    return f"{which} is in {str(here)!r:.40} of {first} and in {str(there)!r:.40} of {name}"


def _codes(groups: Any, n: int) -> tuple[np.ndarray, int]:
    """The number of each unit's group, and how many groups there are."""
    if groups is None:
        return np.arange(n), n
    seen: dict[Any, int] = {}
    codes = np.fromiter((seen.setdefault(label, len(seen)) for label in groups), np.int64, n)
    if len(seen) < 2:
        text = f"at least two groups, got one ({groups[0]!r}); one group says nothing about how "
        text += "others would turn out, and without groups its units count one by one"
        raise InputError("groups", expected=text)
    return codes, len(seen)


def _system(
    name: str, tables: Sequence[np.ndarray], metric: MetricOfSums, codes: np.ndarray, n: int
) -> System:
    sums = [
        np.column_stack([np.bincount(codes, weights=column, minlength=n) for column in table.T])
        for table in tables
    ]
    values = np.array([float(metric.of_rows(part.sum(axis=0)[None])[0]) for part in sums])
    if not np.isfinite(values).all():
        raise InputError(
            problem=f"{name}: the metric {metric.name!r:.40} is undefined: there is nothing to "
            "divide by (nothing was found, or there was nothing to find)"
        )
    # Leaving a group out is subtracting it; where that leaves nothing, the score stays.
    deleted = np.column_stack([metric.of_rows(part.sum(axis=0) - part) for part in sums])
    return System(sums, values, np.where(np.isfinite(deleted), deleted, values))


def _bounded(metric: MetricOfSums, held: Sequence[Any]) -> bool:
    """Whether the metric lies between 0 and 1."""
    if metric.bounded or metric.name != "mean":
        return metric.bounded
    return all(isinstance(own, Numbers) and own.within_0_and_1() for own in held)
