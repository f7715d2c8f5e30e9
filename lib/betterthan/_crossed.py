"""Runs that both systems share: the same seeds, prompts, templates or judges.

Where the second run of A and the second run of B used the same prompt, the two are a pair, as the
two results on one item are. What makes a prompt hard for both cancels in the difference, so the
spread of the *differences* from run to run is what counts, not that of each system alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from betterthan._jackknife import Student, student
from betterthan._words import some_of
from betterthan.errors import InputError, Say
from betterthan.results import Results

# Two runs say next to nothing of how a difference moves from run to run: such tests of equal
# systems alarm in up to 15 % (study promises-runs).
FEWEST = 3


def crossed(deleted: Sequence[Any], values: Sequence[Any], groups: float) -> Student:
    """B minus A over items and runs that both share.

    Parameters
    ----------
    deleted
        Of A and of B the delete-one values, groups × runs; a column is the same run in both.
    values
        Of A and of B the scores of the runs.
    groups
        Kish's effective number of groups.

    Returns
    -------
    Student

    Notes
    -----
    With D the differences of n items × R runs (of F1 and other metrics of sums: their
    pseudo-values), and MS_I, MS_R and MS_E the mean squares of items, runs and the rest, the
    variance is max(MS_I + MS_R − MS_E, MS_I, MS_R)/(nR), with (nR V)²/(MS_I²/(n − 1) +
    MS_R²/(R − 1)) degrees of freedom. This is what `student` computes of one system over its runs,
    here with the differences in the place of a system. Only pairs of runs need to be drawn
    independently of each other, so it holds whether or not the two of a pair go together.
    """
    return student([deleted[1] - deleted[0]], [values[1] - values[0]], [1], groups)


def paired_runs(
    results: Sequence[Results], names: Sequence[str], shared: bool | None
) -> tuple[list[Results], bool]:
    """The systems with their runs in one order, and whether they share them.

    Parameters
    ----------
    results : sequence of Results
        One per system.
    names : sequence of str
        What errors call them.
    shared : bool or None
        As the caller says; None looks at the names of the runs, and takes three or more that are
        the same for all systems as shared.

    Returns
    -------
    list of Results, bool

    Raises
    ------
    InputError
        Where runs are said to be shared, and there are fewer than three, or they do not match.
    """
    own = [one.run_names for one in results]
    same = all(own) and all(sorted(one) == sorted(own[0]) for one in own)
    if shared is None:
        if not same or len(own[0]) < FEWEST:
            return list(results), False
    elif shared:
        _refuse_others(results, names, same)
    else:
        return list(results), False
    if not same:  # runs without names are matched by their place
        return list(results), True
    return [_in_order(one, own[0]) for one in results], True


def same_two(results: Sequence[Results]) -> bool:
    """Whether the systems share two runs by name, which are too few to be paired."""
    own = [sorted(one.run_names) for one in results]
    return len(results) > 1 and len(own[0]) == 2 and all(one == own[0] for one in own)


def _refuse_others(results: Sequence[Results], names: Sequence[str], same: bool) -> None:
    separate = [Say("shared_runs", False, "to take them as separate")]
    first = results[0]
    for name, one in zip(names, results):
        if one.n_runs != first.n_runs:
            text = f"as many runs for all systems, but {names[0]} has {first.n_runs} and "
            raise InputError("shared_runs", True, expected=f"{text}{name} {one.n_runs}")
        if one.run_names and first.run_names and not same:
            text = f"the same runs for all systems, but those of {names[0]} are "
            text += f"{some_of(first.run_names)} and those of {name} {some_of(one.run_names)}"
            if sorted(one.run_names) != sorted(first.run_names):
                raise InputError("shared_runs", True, expected=text, ways=separate)
    if first.n_runs < FEWEST:
        text = f"three runs or more that both share, got {first.n_runs}; two say next to nothing "
        text += "about how the difference moves from run to run"
        ways = separate if first.n_runs > 1 else []
        raise InputError("shared_runs", True, expected=text, ways=ways)


def _in_order(results: Results, wanted: Sequence[str]) -> Results:
    """The runs of a system in the order of these names."""
    if list(results.run_names) == list(wanted):
        return results
    held: Any = results.held
    runs = tuple(held.runs[results.run_names.index(name)] for name in wanted)
    return results.with_runs(replace(held, runs=runs), wanted)
