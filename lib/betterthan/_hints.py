"""What ``betterthan look`` offers beyond the plain commands, by what the systems of a file hold.

Every hint is a command and what to say to it, and works when it is typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan._values import Labels
from betterthan.errors import Say
from betterthan.readers import Source, pvalues

Hint = tuple[str, list[Say]]


def needed(systems: Sequence[Any]) -> list[Say]:
    """What must be said before these systems can be compared, where their items do not match."""
    if len(systems) != 2 or any(one.ids is None or not one.has_names for one in systems):
        return []
    first, second = (set(one.ids.tolist()) for one in systems)
    if first == second:
        return []
    return [Say("unmatched", "drop")] if first & second else [Say("paired", False)]


def more(systems: Sequence[Any], options: frozenset[str]) -> list[Hint]:
    """Further questions that may be meant: two of many, one class, columns that are runs."""
    found: list[Hint] = []
    names = [one.name for one in systems]
    patterns = runs_by_number(names)
    if "runs" in options and patterns:
        found.append(("compare", [Say("runs", patterns)]))
    elif "systems" in options and len(systems) > 2:
        found.append(("plan", [Say("systems", names[:2])]))
    label = rarer_label(systems[0]) if systems else None
    if "positive" in options and label is not None and len(systems) > 1:
        found.append(("compare", [Say("positive", label)]))
    return found


def systems_of_pvalues(source: Source, said: Mapping[str, Any]) -> tuple[str, str] | None:
    """What the columns of scores beside p-values are called, if they have names of their own."""
    return pvalues.systems_of(source, said.get("separator"))


def scores_of_pvalues(names: Sequence[str] | None, found: Any) -> list[str]:
    """Whose scores stand beside p-values, in words."""
    if "a" not in found:
        return []
    a, b = names or ("a", "b")
    return [f"{a} (A, the old system) and {b} (B, the new one) are scores, higher being better"]


def sides_of_pvalues(found: Any) -> list[str]:
    """What p-values may test, where the table does not say it."""
    if "alternative" in found:
        return []
    text = "the table does not say what a small p-value means: that the new system is better "
    lines = [f"{text}(greater), or only that the two differ (two-sided)"]
    if "a" not in found:
        text = "two-sided ones do not say which is better: for them add two columns, the scores of "
        lines.append(f"{text}the old system and of the new one")
    return lines


def readings(found: Any) -> list[list[Say]]:
    """What to say to have p-values read, in each way that is possible."""
    if "alternative" in found:
        return [[]]
    sides = ["greater", "two-sided"] if "a" in found else ["greater"]
    return [[Say("alternative", side)] for side in sides]


def runs_by_number(names: Sequence[str]) -> list[str]:
    """Patterns for columns that are called alike but for a number: runs of systems, perhaps.

    Examples
    --------
    >>> runs_by_number(["bert-1", "bert-2", "xlm-1", "xlm-2"])
    ['bert-*', 'xlm-*']
    >>> runs_by_number(["v1", "v2"]), runs_by_number(["old", "new"])
    ([], [])
    """
    numbers: dict[str, set[str]] = {}
    for name in names:
        parts = re.fullmatch(r"(.*?\D)(\d+)", name)
        if parts is None:
            return []
        numbers.setdefault(parts[1], set()).add(parts[2])
    same = len({frozenset(own) for own in numbers.values()}) == 1
    several = len(numbers) > 1 and all(len(own) > 1 for own in numbers.values())
    return [f"{start}*" for start in numbers] if same and several else []


def rarer_label(results: Any) -> str | None:
    """The rarer of two gold classes, where a result holds labels and no class was chosen."""
    held = results.held
    if not isinstance(held, Labels) or held.positive is not None or len(held.classes) != 2:
        return None
    often = np.bincount(held.right, minlength=2)
    return held.classes[int(np.argmin(often))]
