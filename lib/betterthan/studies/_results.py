"""Where results are, how they are written, how they are read."""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import betterthan

PACKAGE = Path(betterthan.__file__).parent


def repository() -> Path | None:
    """The top folder of the repository, when the package runs from one."""
    top = PACKAGE.parent.parent
    return top if (top / "pyproject.toml").is_file() and (top / "data").is_dir() else None


def results_folder() -> Path:
    """Where :func:`read` looks: ``data/studies`` of the repository, or the copy in a wheel.

    Examples
    --------
    >>> from betterthan import studies
    >>> studies.results_folder().name
    'studies'
    """
    top = repository()
    return top / "data" / "studies" if top else PACKAGE / "_data" / "studies"


def output_folder() -> Path:
    """Where a run writes when not told: a wheel is read-only, so there the current folder."""
    top = repository()
    return (top if top else Path.cwd()) / "data" / "studies"


def read(name: str, folder: str | Path | None = None) -> pd.DataFrame:
    """The results of the study `name`, as a data frame; works from any folder.

    Parameters
    ----------
    name
        The name of a study.
    folder
        Where the results are, when they were written with ``--out``.

    Raises
    ------
    ValueError
        When no study is called `name`; the message lists those that have results.
    FileNotFoundError
        When the study has not been run; the message has the command that does.

    Examples
    --------
    >>> from betterthan import studies
    >>> folds = studies.read("bcv-crf-small")
    >>> len(folds)
    6
    """
    return pd.read_csv(_find(name, folder, ".csv"), keep_default_na=False, na_values=[""])


def provenance(name: str, folder: str | Path | None = None) -> dict[str, Any]:
    """Where the results of the study `name` come from.

    The command, the seed, the versions of Python and the packages, the SHA-256 of the data,
    of the code and of the result itself.

    Raises
    ------
    ValueError, FileNotFoundError
        As :func:`read`.

    Examples
    --------
    >>> from betterthan import studies
    >>> studies.provenance("bcv-crf-small")["command"]
    'python -m betterthan.studies bcv-crf-small'
    """
    return json.loads(_find(name, folder, ".json").read_text(encoding="utf-8"))


def _find(name: str, folder: str | Path | None, suffix: str) -> Path:
    where = results_folder() if folder is None else Path(folder)
    path = where / f"{name}{suffix}"
    if isinstance(name, str) and path.parent == where and path.is_file():
        return path
    from betterthan.studies._study import discover

    known = discover()[0]
    if name in known:
        raise FileNotFoundError(
            f"study {name!r} has no results in {where}; make them with: {known[name].command}"
        )
    there = sorted(p.stem for p in where.glob("*.csv"))
    near = difflib.get_close_matches(str(name), {*there, *known}, n=1)
    hint = f" did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"name={name!r}: no such study;{hint} there are results of: {', '.join(there) or 'none'} "
        f"(in {where}; `python -m betterthan.studies --list` shows what can be run)"
    )


def plain_rows(rows: Any, columns: Sequence[str] | None) -> list[dict[str, Any]]:
    """`rows` with numpy's scalars turned into Python's, checked.

    Raises
    ------
    ValueError
        When it is not a list of dicts of scalars, or a row has other columns than `columns`.
    """
    if not isinstance(rows, list | tuple):
        raise ValueError(f"run returned {rows!r:.80}, expected a list of dicts")
    plain = []
    for row in rows:
        if not isinstance(row, dict):
            raise ValueError(f"run returned a row {row!r:.80}, expected a dict")
        if columns is not None and set(row) != set(columns):
            raise ValueError(
                f"run returned a row with the columns {', '.join(map(str, row))}; "
                f"expected {', '.join(columns)}"
            )
        plain.append({_column(key): _scalar(key, value) for key, value in row.items()})
    return plain


def _column(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"run returned a column called {key!r}, expected a string")
    return key


def _scalar(key: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"run returned {value!r:.80} in the column {key!r}, expected a number, a string or None"
    )


def to_csv(
    rows: Sequence[dict[str, Any]], columns: Sequence[str] | None
) -> tuple[list[str], bytes]:
    """The columns and the bytes of the CSV."""
    if columns is None:
        columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return list(columns), text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        # 12 digits: more than any of our numbers means, fewer than where machines differ
        text = f"{value:.12g}"
        return text if any(c in text for c in ".einf") else f"{text}.0"
    return str(value)
