"""What the command line writes into files: a picture, and the list of disagreements.

What cannot be written is refused before anything is computed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan.errors import InputError

__all__ = ["numbered", "refuse_unwritable", "save"]

_WITHOUT = {"plot": "there is no picture of this result", "disagreements": "needs two systems"}


def refuse_unwritable(options: argparse.Namespace) -> None:
    """Refuse a folder in the place of a file, and a picture of a kind that cannot be drawn.

    Parameters
    ----------
    options : argparse.Namespace
        As typed.

    Raises
    ------
    InputError
        With the option.
    """
    for name in _WITHOUT:
        path = getattr(options, name)
        if path and os.path.isdir(path):
            raise InputError(name, path, expected="a file, but this is a folder")
    # Without an ending matplotlib would add one of its own, and write another file.
    if options.plot and Path(options.plot).suffix.lower() not in (".svg", ".png", ".pdf"):
        expected = "a name that ends in .svg, .png or .pdf"
        raise InputError("plot", options.plot, expected=expected)


def save(
    result: Any, options: argparse.Namespace, places: Mapping[str, Sequence[int]] | None
) -> None:
    """Write the files that were asked for.

    Parameters
    ----------
    result : object
        What was found.
    options : argparse.Namespace
        As typed.
    places : mapping of str to sequence of int, or None
        Of units without names where each stands; None where they have names.

    Raises
    ------
    InputError
        If the result has no picture, or no disagreements.
    """
    for name, why in _WITHOUT.items():
        path = getattr(options, name)
        if path and not hasattr(result, name):
            raise InputError(name, path, problem=why)
    if options.plot:
        _draw(result, options.plot)
    if options.disagreements:
        found = result.disagreements()
        if places is not None:
            found = numbered(found, places)
        found.to_csv(options.disagreements, index=False)


def numbered(found: Any, places: Mapping[str, Sequence[int]]) -> Any:
    """Disagreements of units without names: numbered from 1, with where they stand in the file.

    Parameters
    ----------
    found : DataFrame
        What `Comparison.disagreements` gives.
    places : mapping of str to sequence of int
        For each unit, differing or not, its document, its line …

    Returns
    -------
    DataFrame
    """
    unit = found.columns[0]
    rows = found[unit]
    found = found.assign(**{unit: rows + 1})
    for number, (name, values) in enumerate(places.items(), 1):
        found.insert(number, name, [values[row] for row in rows], allow_duplicates=True)
    return found


def _draw(result: Any, path: str) -> None:
    import matplotlib

    # Names of systems are text, not formulas: a $ in them is a dollar.
    with matplotlib.rc_context({"text.parse_math": False}):
        result.plot().figure.savefig(path, bbox_inches="tight")
