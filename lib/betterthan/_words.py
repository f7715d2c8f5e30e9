"""How sentences write numbers, shares, lists and several of something: one place for all modules.

Each function takes a value and gives the words for it, so that every sentence of the library rounds
alike and a change of a format is a change of one line.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

# Smaller than this is what rounding leaves of 0.
_NOTHING = 1e-12
# Begins a note of one part that is about all of them.
IN_ALL_PARTS = "In all parts together: "


def number(value: float, sign: str = "-") -> str:
    """A score or a difference: four decimals, none where they would say nothing.

    What is not 0 is never written as 0: below 0.00005 it has two digits that count. `sign` is that
    of Python's formats: "+" shows it always.

    Examples
    --------
    >>> number(0.51234), number(0.2, "+"), number(12), number(12.5), number(-1234.5)
    ('0.5123', '+0.2000', '12', '12.5000', '-1,234')
    >>> number(0, "+"), number(-0.000031, "+"), number(1.25e99)
    ('+0.0000', '-3.1e-05', '1.25e+99')
    >>> number(0.06215), number(0.06215 + 1e-16), number(0.06215 - 1e-16)
    ('0.0621', '0.0621', '0.0621')
    """
    if abs(value) < _NOTHING:
        value = 0.0
    elif abs(value) < 0.00005:
        return f"{value:{sign}.2g}"
    if abs(value) >= 1e12:
        return f"{value:{sign}.4g}"
    if abs(value) >= 1_000 or (abs(value) >= 10 and value == int(value)):
        return f"{value:{sign},.0f}"
    # The last digits of a float hang on the order of a sum; those of the sentence must not.
    return f"{float(f'{value:.12f}'):{sign}.4f}"


def cell(value: float, *, chance: bool = False) -> str:
    """A number in a table: four decimals, and as in sentences what is not 0 is not written as 0.

    Of a p-value or a probability (`chance`) it is enough that it is below 0.0001.

    Examples
    --------
    >>> cell(0.51234), cell(1234.5), cell(3.7e-17), cell(-0.000031)
    ('0.5123', '1234.5000', '0.0000', '-3.1e-05')
    >>> cell(0.04999, chance=True), cell(3.7e-17, chance=True), cell(0.0, chance=True)
    ('0.0500', '<0.0001', '0.0000')
    """
    if chance:
        return "<0.0001" if 0 < value < 0.0001 else f"{value:.4f}"
    if abs(value) < _NOTHING:
        value = 0.0
    if abs(value) >= 1e12:
        return f"{value:.4g}"
    return f"{value:.2g}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"


def significant(value: float, digits: int = 3) -> str:
    """A number of any size, with `digits` significant digits.

    Examples
    --------
    >>> significant(0.0312499), significant(9.6543e-06), significant(0.075, 4)
    ('0.0312', '9.65e-06', '0.075')
    """
    return f"{value:.{digits}g}"


def pvalue(value: float) -> str:
    """A p-value: three decimals, and one digit of those below 0.001.

    Examples
    --------
    >>> pvalue(0.0314), pvalue(0.00049)
    ('0.031', '0.0005')
    """
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def probability(value: float) -> str:
    """A probability, which is never said to be 0 or 1.

    Examples
    --------
    >>> probability(0.5), probability(0.99995), probability(0.0)
    ('0.500', 'above 0.999', 'below 0.001')
    """
    if value > 0.999:
        return "above 0.999"
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def percent(share: float, decimals: int | None = None) -> str:
    """A share in per cent, as short as it is exact, or with `decimals` decimals.

    Examples
    --------
    >>> percent(0.95), percent(0.999), percent(1 / 3), percent(0.95, 1)
    ('95 %', '99.9 %', '33.33 %', '95.0 %')
    """
    return f"{100 * share:.4g} %" if decimals is None else f"{100 * share:.{decimals}f} %"


def plural(word: str, n: int = 2) -> str:
    """`word`, or several of it.

    Examples
    --------
    >>> plural("item"), plural("query"), plural("query", 1), plural("corpus")
    ('items', 'queries', 'query', 'corpuses')
    """
    if n == 1:
        return word
    if word.endswith("ry"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def counted(n: int, word: str) -> str:
    """A number and what is counted.

    Examples
    --------
    >>> counted(1, "item"), counted(12000, "query")
    ('1 item', '12,000 queries')
    """
    return f"{n:,} {plural(word, n)}"


def listed(name: Any, longest: int | None = 60) -> str:
    """A name as it stands in a list: in quotation marks where it holds a comma or a semicolon.

    What is longer than `longest` is cut.

    Examples
    --------
    >>> listed("news"), listed("coding, Python"), listed("'in marks, already'")
    ('news', "'coding, Python'", "'in marks, already'")
    """
    text = str(name)
    in_marks = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    parted = "," in text or ";" in text
    return (repr(text) if parted and not in_marks else text)[:longest]


def some_of(names: Sequence[Any], most: int = 5) -> str:
    """The first of them, and how many more.

    Examples
    --------
    >>> some_of(["news", "mail"]), some_of("abcdefg")
    ('news, mail', 'a, b, c, d, e, and 2 more')
    >>> print(some_of(["claro; mini", "Basis 3.1"]))
    'claro; mini', Basis 3.1
    """
    shown = [listed(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"and {len(names) - most:,} more")
    return ", ".join(shown)


def spelled_alike(names: Iterable[str]) -> list[list[str]]:
    """Names that differ only in case, together.

    Examples
    --------
    >>> spelled_alike(["law", "Law", "mail", "LAW"])
    [['LAW', 'Law', 'law']]
    """
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(name.lower(), []).append(name)
    return [own for own in found.values() if len(own) > 1]


def counted_apart(names: Iterable[str], what: str) -> list[str]:
    """That names which differ only in case are taken as different, in words.

    Examples
    --------
    >>> counted_apart(["law", "Law", "mail"], "groups")
    ["'Law' and 'law' count as two groups"]
    """
    found = spelled_alike(names)
    said = []
    for own in found[:3]:
        n = {2: "two", 3: "three"}.get(len(own), str(len(own)))
        said.append(f"{enumerated([repr(name) for name in own])} count as {n} {what}")
    more = len(found) - 3
    return said + ([f"so do {more:,} more that differ only in case"] if more > 0 else [])


def but_for_case(names: Sequence[Any], others: Sequence[Iterable[Any]]) -> str:
    """How many names are in all other lists but for upper and lower case, to follow a text.

    Examples
    --------
    >>> but_for_case(["Q1", "q7"], [["q1", "q2"]])
    "; 1 of them differs only in case ('Q1' and 'q1')"
    >>> but_for_case(["Q1", "Q2"], [["q1", "q2"]]), but_for_case(["q3"], [["q1", "q2"]])
    ("; they differ only in case ('Q1' and 'q1')", '')
    """
    lower = [{one.lower(): one for one in own if isinstance(one, str)} for own in others]
    texts = [name for name in names if isinstance(name, str)]
    found = [name for name in texts if all(name.lower() in own for own in lower)]
    if not found:
        return ""
    other = next(one for own in lower if (one := own[found[0].lower()]) != found[0])
    few = len(found) == 1
    who = f"{len(found):,} of them {'differs' if few else 'differ'}"
    if len(found) == len(names):
        who = "it differs" if few else "they differ"
    return f"; {who} only in case ({found[0]!r:.60} and {other!r:.60})"


def enumerated(names: Sequence[str], most: int = 12) -> str:
    """The first of them, and how many more, as a list within a sentence.

    Examples
    --------
    >>> enumerated(["news"]), enumerated(["news", "mail", "web"]), enumerated("abcde", 3)
    ('news', 'news, mail and web', 'a, b, c and 2 more')
    """
    shown = [listed(name, None) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def nearest(typed: str, known: Iterable[str], least: float = 0.7) -> str | None:
    """The name that may be meant by one that is not known, capitals or not; None if none is near.

    Examples
    --------
    >>> nearest("group", ["gold", "groups"]), nearest("category", ["Category"]), nearest("x", ["y"])
    ('groups', 'Category', None)
    """
    by_lower = {one.lower(): one for one in reversed(list(known))}
    close = difflib.get_close_matches(typed.lower(), by_lower, n=1, cutoff=least)
    return by_lower[close[0]] if close else None


def is_it(typed: Any, known: Iterable[str]) -> str:
    """What is said behind a list of names where one is nearly as typed; "" where none is.

    Examples
    --------
    >>> is_it("acuracy", ["mean", "accuracy"]), is_it("x", ["mean"])
    ('; is it accuracy?', '')
    """
    close = nearest(typed, known) if isinstance(typed, str) else None
    return "" if close is None else f"; is it {close:.60}?"


def nearest_file(path: str | os.PathLike[str]) -> Path | None:
    """A file of the same folder that may be meant by one that is not there."""
    folder = Path(path).parent
    listed = sorted(folder.iterdir()) if os.access(folder, os.R_OK) and folder.is_dir() else []
    known = {one.stem: one for one in listed}
    close = nearest(Path(path).stem, known, 0.75)
    return None if close is None else known[close]
