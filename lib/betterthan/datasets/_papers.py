"""Tables printed in the papers, and tables that our own studies made."""

from __future__ import annotations

import difflib
import io
from pathlib import Path

import pandas as pd


def paper_table(name: str) -> pd.DataFrame:
    """A table of a paper, from ``data/papers/NAME.csv``.

    Lines that begin with ``#`` say where the table comes from; they are kept in
    ``frame.attrs["provenance"]``.

    Raises
    ------
    ValueError
        If there is no such table; the message lists those that are there.

    Examples
    --------
    >>> paper_table("no such table")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: name='no such table': expected one of ...
    """
    lines = _find("papers", name).read_text(encoding="utf-8").splitlines(keepends=True)
    remarks = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = [line for line in lines if not line.startswith("#")]
    frame = pd.read_csv(io.StringIO("".join(rows)))
    frame.attrs["provenance"] = "\n".join(remarks)
    return frame


def study_table(name: str) -> pd.DataFrame:
    """What one of our long runs measured, from ``data/studies/NAME.csv``.

    ``python -m studies NAME`` makes such a table again, in a clone of the repository.

    Raises
    ------
    ValueError
        If there is no such table; the message names the nearest and lists all.

    Examples
    --------
    >>> len(study_table("bcv-crf-small"))
    6
    """
    # Text such as "NA" is a value; only an empty cell is missing.
    return pd.read_csv(_find("studies", name), keep_default_na=False, na_values=[""])


def _find(kind: str, name: str) -> Path:
    folder = _folder(kind)
    known = sorted(path.stem for path in folder.glob("*.csv"))
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=3)
        hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        raise ValueError(
            f"name={name!r:.80}: expected one of {', '.join(map(repr, known)) or '(none)'}{hint}"
        )
    return folder / f"{name}.csv"


def _folder(kind: str) -> Path:
    package = Path(__file__).parents[1]
    # A wheel carries the tables inside the package; a clone has them at its top.
    inside = package / "_data" / kind
    return inside if inside.is_dir() else package.parents[1] / "data" / kind
