"""Tables printed in the papers."""

from __future__ import annotations

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
    folder = _folder()
    known = sorted(path.stem for path in folder.glob("*.csv"))
    if name not in known:
        raise ValueError(
            f"name={name!r}: expected one of {', '.join(map(repr, known)) or '(none)'}"
        )
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    remarks = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = [line for line in lines if not line.startswith("#")]
    frame = pd.read_csv(io.StringIO("".join(rows)))
    frame.attrs["provenance"] = "\n".join(remarks)
    return frame


def _folder() -> Path:
    package = Path(__file__).parents[1]
    # A wheel carries the tables inside the package; a clone has them at its top.
    inside = package / "_data" / "papers"
    return inside if inside.is_dir() else package.parents[1] / "data" / "papers"
