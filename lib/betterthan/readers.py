"""Readers for the reader's own files.

One function a format: columns of tags (CoNLL), a CSV of scores, a CSV of p-values, the
predictions of a classifier and the per-sample logs of lm-evaluation-harness. All of them
refuse a file they cannot read in full, naming the file and the line, rather than skip what
they do not understand.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import _checks

__all__ = [
    "from_predictions",
    "pair_lm_eval",
    "read_conll",
    "read_lm_eval",
    "read_pvalues",
    "read_scores",
]

PathLike = str | os.PathLike[str]


def read_conll(
    path: PathLike,
    columns: Sequence[str] | Mapping[str, int] = ("word", "gold", "predicted"),
    *,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
) -> dict[str, list[tuple[str, ...]]]:
    """Sentences in columns: one position a line, a blank line after each sentence.

    Parameters
    ----------
    path : str or Path
        The file. A byte order mark and Windows line ends are taken off; ``-DOCSTART-`` lines are
        left out.
    columns
        The names of all columns from left to right, or a mapping from name to column number (0 is
        the first, -1 the last) to take some of them.
    separator : str, optional
        What stands between columns; None takes tabs where the first row has a tab, and otherwise
        runs of blanks.
    comments : str, optional
        Leave out lines that begin with this, such as ``"# "``. The default None takes every line as
        data: in tweets a word often begins with ``#``.
    encoding : str
        How the file is encoded.

    Returns
    -------
    dict of str to list of tuple
        For each name the sentences, each a tuple of strings, ready for
        `betterthan.tags.count_spans`.

    Raises
    ------
    ValueError
        For a row with too few or too many columns, bytes that are not text in `encoding`, a file
        cut off in the middle of a row, or no rows at all; with the file and the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mine.conll"
    >>> _ = file.write_text("Ann B-PER B-PER\\nleft O O\\n\\nBonn B-LOC O\\n")
    >>> data = read_conll(file)
    >>> data["gold"]
    [('B-PER', 'O'), ('B-LOC',)]
    >>> read_conll(file, {"word": 0, "predicted": -1})["predicted"]
    [('B-PER', 'O'), ('O',)]
    """
    path = Path(path)
    rows = parse_columns(
        path.read_bytes(),
        str(path),
        None if isinstance(columns, Mapping) else len(columns),
        separator=separator,
        comments=comments,
        encoding=encoding,
    )
    width = len(rows[0][0])
    wanted = (
        dict(columns) if isinstance(columns, Mapping) else {n: i for i, n in enumerate(columns)}
    )
    for name, number in wanted.items():
        if not -width <= number < width:
            raise ValueError(
                f"columns[{name!r}]={number}: {path} has {width} columns; expected a number "
                f"from {-width} to {width - 1}"
            )
    return {
        name: [tuple(row[number] for row in sentence) for sentence in rows]
        for name, number in wanted.items()
    }


def read_scores(path: PathLike, *, key: str = "dataset", separator: str = ",") -> pd.DataFrame:
    """A CSV of scores: a line for each dataset, a column for each system.

    The first line names the columns; one of them is `key`, the others are systems. Empty
    lines and lines that begin with ``#`` are left out.

    Parameters
    ----------
    path : str or Path
        The file, in UTF-8.
    key : str
        The column that names the dataset (or the sentence, or the run).
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        `key`, and a column of floats for each system.

    Raises
    ------
    ValueError
        For no column `key`, a line with too few or too many columns, a score that is not a finite
        number, a dataset that comes twice, or no lines; with the file and the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("dataset,a,b\\nnews,90.1,91.0\\ntweets,61.5,60.9\\n")
    >>> read_scores(file)
      dataset     a     b
    0    news  90.1  91.0
    1  tweets  61.5  60.9
    """
    names, rows = _csv(Path(path), key, separator)
    systems = [name for name in names if name != key]
    if not systems:
        raise ValueError(f"{path}, line 1: expected a column of scores beside {key!r}")
    columns = {system: [_number(path, row, system) for row in rows] for system in systems}
    return pd.DataFrame({key: _names(path, rows, key), **columns})


def read_pvalues(path: PathLike, *, separator: str = ",") -> pd.DataFrame:
    """A CSV of p-values: a line for each dataset, with the columns ``dataset`` and ``p``.

    Two further columns ``a`` and ``b`` may hold the scores of the systems. Empty lines and
    lines that begin with ``#`` are left out.

    Parameters
    ----------
    path : str or Path
        The file, in UTF-8.
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        ``dataset``, ``p`` and, where they are there, ``a`` and ``b``.

    Raises
    ------
    ValueError
        For a column that is missing or not known, a line with too few or too many columns, a
        p-value outside 0 to 1, a dataset that comes twice, or no lines; with the file and the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "p.csv"
    >>> _ = file.write_text("dataset,p\\nnews,0.03\\ntweets,0.2\\n")
    >>> read_pvalues(file)["p"].to_list()
    [0.03, 0.2]
    """
    names, rows = _csv(Path(path), "dataset", separator)
    unknown = [name for name in names if name not in ("dataset", "p", "a", "b")]
    if "p" not in names and len(names) > 1:
        raise ValueError(
            f"{path}, line 1: expected the columns dataset, p and, if wanted, a and b; found "
            f"{', '.join(names)} (scores without p-values: use read_scores)"
        )
    if "p" not in names or unknown:
        raise ValueError(
            f"{path}, line 1: expected the columns dataset, p and, if wanted, a and b; "
            f"found {', '.join(names)}"
        )
    columns = {
        name: [_number(path, row, name) for row in rows] for name in names if name != "dataset"
    }
    for (line, _), value in zip(rows, columns["p"]):
        if not 0 <= value <= 1:
            raise ValueError(f"{path}, line {line}: p={value!r}: expected a number from 0 to 1")
    return pd.DataFrame({"dataset": _names(path, rows, "dataset"), **columns})


def from_predictions(gold: Sequence[Any], **predicted: Sequence[Any]) -> pd.DataFrame:
    """Right or wrong, item by item, from what classifiers predicted.

    Takes what scikit-learn's ``predict`` returns, or lists, or columns of a table.

    Parameters
    ----------
    gold
        The right class of each item.
    predicted
        For each classifier, by the name it should have, its classes.

    Returns
    -------
    DataFrame
        A row for each item and a column for each classifier: 1.0 right, 0.0 wrong.

    Raises
    ------
    ValueError
        For no predictions, different lengths, more than one dimension, or a missing class.

    Examples
    --------
    >>> from_predictions(["x", "y", "y"], a=["x", "x", "y"], b=["x", "y", "y"]).mean().round(2)
    a    0.67
    b    1.00
    dtype: float64
    """
    if not predicted:
        raise ValueError("predicted: expected at least one classifier, such as a=[...]")
    right = _classes("gold", gold)
    columns = {name: _classes(name, classes) for name, classes in predicted.items()}
    _checks.same_length(gold=right, **columns)
    return pd.DataFrame({name: (given == right).astype(float) for name, given in columns.items()})


_SAMPLES = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?")
# What lm-evaluation-harness writes for each sample beside the metrics.
_NOT_METRICS = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    }
)
_LM_EVAL = ["task", "filter", "doc_id", "metric", "value", "doc_hash"]


def read_lm_eval(paths: PathLike | Iterable[PathLike]) -> pd.DataFrame:
    """Per-sample results of lm-evaluation-harness (``--log_samples``).

    Parameters
    ----------
    paths
        The folder of a model, with its files ``samples_TASK_TIME.jsonl`` in it or below; or one
        such file; or several. There may be one run of each task.

    Returns
    -------
    DataFrame
        A row for each task, filter, document and metric, with the columns ``task``, ``filter``,
        ``doc_id``, ``metric``, ``value`` (a float) and ``doc_hash`` ("" in logs of older versions,
        which have none). Metrics that are no number for a single document (BLEU, perplexity and the
        like, which are logged in parts) are left out.

    Raises
    ------
    ValueError
        For no such files, two runs of a task, a line that is not JSON or has no ``doc_id``, the
        same document twice, or a file without any metric; with the file and the line.

    Examples
    --------
    >>> import json, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> file = folder / "samples_arc_easy_2025-01-31T09-30-00.123456.jsonl"
    >>> sample = {"doc_id": 0, "target": "B", "filter": "none", "doc_hash": "5f", "acc": 1.0}
    >>> _ = file.write_text(json.dumps(sample) + "\\n")
    >>> read_lm_eval(folder)[["task", "metric", "value"]]
           task metric  value
    0  arc_easy    acc    1.0
    """
    frames, seen = [], {}
    for path in _sample_files(paths):
        task = _SAMPLES.fullmatch(path.stem)["task"]
        if task in seen:
            raise ValueError(
                f"{path}: a second run of the task {task!r}, after {seen[task]}; "
                "expected one (give the files to read instead of their folder)"
            )
        seen[task] = path
        frames.append(_samples(path, task))
    return pd.concat(frames, ignore_index=True)


def pair_lm_eval(
    a: pd.DataFrame | PathLike,
    b: pd.DataFrame | PathLike,
    metric: str,
    *,
    filter: str | None = None,
) -> pd.DataFrame:
    """The results of two models on the same documents, side by side.

    Parameters
    ----------
    a
        What `read_lm_eval` gave for the first model, or its folder.
    b
        The same for the second.
    metric : str
        Which metric, such as ``"acc"`` or ``"exact_match"``.
    filter : str, optional
        Which filter, where a task was scored with several (gsm8k has ``"strict-match"`` and
        ``"flexible-extract"``).

    Returns
    -------
    DataFrame
        The columns ``task``, ``doc_id``, ``a`` and ``b``, ordered by task and document.

    Raises
    ------
    ValueError
        For a metric or filter that one of them does not have, several filters and none chosen, a
        document that only one of them has, or documents with the same number that are not the same
        (their hashes differ).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("arc", "none", 0, "acc", 1.0, "5f"), ("arc", "none", 1, "acc", 0.0, "a1")]
    >>> names = ["task", "filter", "doc_id", "metric", "value", "doc_hash"]
    >>> one = pd.DataFrame(rows, columns=names)
    >>> pair_lm_eval(one, one.assign(value=1.0), "acc")
      task  doc_id    a    b
    0  arc       0  1.0  1.0
    1  arc       1  0.0  1.0
    """
    first, second = (_chosen(n, x, metric, filter) for n, x in (("a", a), ("b", b)))
    both = first.merge(
        second, on=["task", "doc_id"], how="outer", suffixes=("_a", "_b"), indicator=True, sort=True
    )
    alone = both[both["_merge"] != "both"]
    if len(alone):
        row = alone.iloc[0]
        side = "a" if row["_merge"] == "left_only" else "b"
        raise ValueError(
            f"{len(alone)} document(s) are in one of a and b only, such as "
            f"doc_id={row['doc_id']} of {row['task']!r}, in {side}; "
            "expected both models on the same documents"
        )
    known = (both["doc_hash_a"] != "") & (both["doc_hash_b"] != "")
    other = both[known & (both["doc_hash_a"] != both["doc_hash_b"])]
    if len(other):
        row = other.iloc[0]
        raise ValueError(
            f"{len(other)} document(s) differ between a and b (doc_hash), such as "
            f"doc_id={row['doc_id']} of {row['task']!r}; expected the same version of the task"
        )
    both = both.rename(columns={"value_a": "a", "value_b": "b"})
    return both[["task", "doc_id", "a", "b"]]


def parse_columns(
    data: bytes,
    source: str,
    width: int | None,
    *,
    separator: str | None = None,
    comments: str | None = None,
    encoding: str = "utf-8",
    empty_words: bool = False,
) -> list[list[list[str]]]:
    """Sentences of rows of cells; `source` is what errors call the file.

    `empty_words` lets the first cell be empty, as in corpora that kept a place for a
    character they could not write.
    """
    text = decode(data, source, encoding)
    # Not str.splitlines: tweets hold U+2028 and U+0085, which end no row.
    lines = text.split("\n")
    sentences: list[list[list[str]]] = []
    sentence: list[list[str]] = []
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            if sentence:
                sentences.append(sentence)
                sentence = []
            continue
        if comments is not None and line.startswith(comments):
            continue
        if separator is None:
            separator = "\t" if "\t" in line else " "
        if separator == " ":
            cells = line.replace("\t", " ").split(" ")
            if "" in cells:
                cells = [cell for cell in cells if cell]
        else:
            cells = [cell.strip(" ") or cell for cell in line.split(separator)]
        if cells[0] == "-DOCSTART-":
            continue
        if width is None:
            width = len(cells)
        if len(cells) != width:
            if number == len(lines) and len(cells) < width:
                raise ValueError(
                    f"{source}, line {number}: the file ends in the middle of a row "
                    f"({len(cells)} of {width} columns, no line end); is it cut off?"
                )
            raise ValueError(
                f"{source}, line {number}: expected {width} columns, found {len(cells)}: "
                f"{line!r:.80}"
            )
        if "" in (cells[1:] if empty_words else cells):
            column = cells.index("", int(empty_words)) + 1
            raise ValueError(f"{source}, line {number}: column {column} is empty: {line!r:.80}")
        sentence.append(cells)
    if sentence:
        sentences.append(sentence)
    if not sentences:
        raise ValueError(f"{source}: no rows; expected one position a line")
    return sentences


def decode(data: bytes, source: str, encoding: str) -> str:
    """`data` as text without a byte order mark, or a ValueError with the line."""
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        shown = data[error.start : error.end].hex(" ")
        raise ValueError(
            f"{source}, line {line}: the byte(s) {shown} are not {encoding}; "
            "expected text in that encoding (another one can be given with encoding=)"
        ) from None
    except LookupError:
        raise ValueError(f"encoding={encoding!r}: expected an encoding Python knows") from None


def _csv(
    path: Path, key: str, separator: str
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The names of the columns, and for each row its line number and its cells."""
    text = decode(path.read_bytes(), str(path), "utf-8")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not names:
                names = cells
                if key not in names or len(set(names)) < len(names):
                    raise ValueError(
                        f"{path}, line {reader.line_num}: expected different column names, one "
                        f"of them {key!r}; found {', '.join(names)}"
                    )
                continue
            if len(cells) != len(names):
                raise ValueError(
                    f"{path}, line {reader.line_num}: expected {len(names)} columns, found "
                    f"{len(cells)}: {separator.join(cells)!r:.80}"
                )
            rows.append((reader.line_num, dict(zip(names, cells))))
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}; is the file cut off?") from None
    if not rows:
        raise ValueError(f"{path}: no rows; expected a line of column names and a line a dataset")
    return names, rows


def _number(path: PathLike, row: tuple[int, dict[str, str]], name: str) -> float:
    line, cells = row
    try:
        value = float(cells[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{path}, line {line}: {name}={cells[name]!r}: expected a finite number")
    return value


def _names(path: PathLike, rows: list[tuple[int, dict[str, str]]], key: str) -> list[str]:
    first: dict[str, int] = {}
    for line, cells in rows:
        name = cells[key]
        if name in first:
            raise ValueError(
                f"{path}, line {line}: {key}={name!r} comes twice, first in line {first[name]}"
            )
        first[name] = line
    return list(first)


def _classes(name: str, classes: Sequence[Any]) -> np.ndarray:
    array = np.asarray(classes)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name}: expected one class an item, got an array of shape {array.shape}")
    missing = np.flatnonzero(pd.isna(array))
    if missing.size:
        raise ValueError(f"{name}[{missing[0]}] is missing: expected a class for every item")
    return array


def _sample_files(paths: PathLike | Iterable[PathLike]) -> list[Path]:
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files: list[Path] = []
    for item in map(Path, listed):
        found = sorted(item.rglob("samples_*.jsonl")) if item.is_dir() else [item]
        if not found or not found[0].is_file():
            raise ValueError(
                f"paths: {str(item)!r}: expected a file or a folder with files "
                "samples_TASK_TIME.jsonl (lm-evaluation-harness writes them with --log_samples)"
            )
        files += found
    if not files:
        raise ValueError("paths: expected at least one file or folder")
    return files


def _samples(path: Path, task: str) -> pd.DataFrame:
    rows: list[tuple[str, str, int, str, float, str]] = []
    seen: dict[tuple[str, int], int] = {}
    for number, line in enumerate(decode(path.read_bytes(), str(path), "utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{path}, line {number}: not JSON ({error}); is the file cut off?"
            ) from None
        if not isinstance(sample, dict) or not isinstance(sample.get("doc_id"), int):
            raise ValueError(f"{path}, line {number}: expected an object with a whole doc_id")
        filter_name, document = str(sample.get("filter", "none")), sample["doc_id"]
        if (filter_name, document) in seen:
            raise ValueError(
                f"{path}, line {number}: doc_id={document} with the filter {filter_name!r} comes "
                f"twice, first in line {seen[filter_name, document]}"
            )
        seen[filter_name, document] = number
        names = sample.get("metrics") or [name for name in sample if name not in _NOT_METRICS]
        rows += [
            (task, filter_name, document, name, float(sample[name]), sample.get("doc_hash", ""))
            for name in names
            if isinstance(sample.get(name), int | float)
        ]
    if not rows:
        raise ValueError(f"{path}: no sample has a metric that is a number")
    return pd.DataFrame(rows, columns=_LM_EVAL)


def _chosen(
    name: str, given: pd.DataFrame | PathLike, metric: str, filter: str | None
) -> pd.DataFrame:
    frame = given if isinstance(given, pd.DataFrame) else read_lm_eval(given)
    lacking = [column for column in _LM_EVAL if column not in frame.columns]
    if lacking:
        raise ValueError(f"{name}: expected what read_lm_eval gives; no column {lacking[0]!r}")
    chosen = frame[frame["metric"] == metric]
    if chosen.empty:
        known = ", ".join(map(repr, sorted(frame["metric"].unique())))
        raise ValueError(f"metric={metric!r}: {name} has none of it; expected one of {known}")
    filters = sorted(chosen["filter"].unique())
    if filter is not None:
        chosen = chosen[chosen["filter"] == filter]
        if chosen.empty:
            raise ValueError(
                f"filter={filter!r}: {name} has none of it; expected one of "
                f"{', '.join(map(repr, filters))}"
            )
    elif chosen.duplicated(["task", "doc_id"]).any():
        raise ValueError(
            f"filter=None: {name} has {metric!r} with several filters; expected one of "
            f"{', '.join(map(repr, filters))}"
        )
    missing = chosen[chosen["value"].isna()]
    if len(missing):
        row = missing.iloc[0]
        raise ValueError(
            f"{name}: {metric!r} of doc_id={row['doc_id']} of {row['task']!r} is NaN; "
            "expected a number for every document"
        )
    return chosen[["task", "doc_id", "value", "doc_hash"]]
