"""Readers of the reader's own files: one function per format, and an example of each.

========================= ==========================================================
file                      reader, and what it gives
========================= ==========================================================
CoNLL columns             `read_conll`: `Counts` per sentence, per system
CSV of predictions        `read_predictions`: `Counts` per item, per system
CSV of scores             `read_scores`: a frame, one row per item or dataset
CSV of scores of folds    `read_folds`: a frame, one row per fold
CSV of p-values           `read_pvalues`: a frame, one row per dataset
lm-evaluation-harness     `read_lm_eval`: two Series per task
Inspect logs              `read_inspect`: two Series per task, or lists of them
TREC runs and judgements  `read_trec`: a frame, one row per query and document
CSV of ranked candidates  `read_candidates`: a frame, one row per candidate
translations              `read_translations`: statistics per segment, and BLEU, chrF or TER
segmented text            `read_words`: sentences of words
labels and probabilities  `read_probabilities`: a frame, one row per label
========================= ==========================================================

`example` gives the paths of small files of each kind. A reader refuses a file that it cannot read
in full, with a ``ValueError`` (or the system's ``OSError``) that names the file, the line and
what to do; it drops nothing in silence. Files are in UTF-8; a byte order mark and the line ends of
all systems are taken off. Files of more than 500 MB or ten million lines are refused.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _checks
from .counts import SCHEMES, Counts, convert, count_classes, count_spans

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = [
    "example", "read_candidates", "read_columns", "read_conll", "read_folds", "read_inspect",
    "read_lm_eval", "read_predictions", "read_probabilities", "read_pvalues", "read_scores",
    "read_translations", "read_trec", "read_words",
]  # fmt: skip

PathLike = str | os.PathLike[str]

# What a machine of today reads within seconds; beyond it a file is more likely a mistake.
_MOST_BYTES = 500_000_000
_MOST_LINES = 10_000_000
_LONGEST_HEADER = 1_000_000
_LONGEST_SEGMENT = 100_000
_MOST_CLASSES = 1_000

# What people call the column of p-values.
P_COLUMNS = ("p", "pvalue", "p_value", "p-value")
_ONE_FILE = ("candidates", "datasets", "folds", "predictions", "probabilities", "pvalues", "scores")
_JUDGES = tuple(f"judge{number:02d}" for number in range(1, 11))
_EXAMPLES: dict[str, tuple[str, ...]] = {kind: (f"{kind}.csv",) for kind in _ONE_FILE} | {
    "conll": ("old.conll", "new.conll"),
    "inspect": ("inspect/old.eval", "inspect/new.eval"),
    "lm_eval": ("lm_eval/old", "lm_eval/new"),
    "translations": tuple(f"translations/{name}.txt" for name in ("reference", "old", "new")),
    "trec": ("old.run", "new.run", "judgements.qrels"),
    "words": tuple(f"words/{name}.txt" for name in ("gold", "old", "new", *_JUDGES)),
}


def example(kind: str) -> Path | tuple[Path, ...]:
    """Where the small example files are that the package ships; all of them are made up.

    Parameters
    ----------
    kind : str
        What to read them with: "conll" (two files), "predictions", "scores" (per segment, three
        systems), "datasets" (scores on datasets), "folds" (of a cross-validation), "pvalues",
        "lm_eval" (two folders), "inspect" (two logs), "translations" (reference, old, new), "trec"
        (two runs and the judgements), "candidates", "words" (gold, two systems, ten judges),
        "probabilities".

    Returns
    -------
    Path or tuple of Path
        The file; where there are several, the old system before the new one.

    Raises
    ------
    ValueError
        For another kind.

    Examples
    --------
    >>> old, new = example("conll")
    >>> old.name, new.name
    ('old.conll', 'new.conll')
    >>> print(example("scores").read_text().splitlines()[0])
    segment,old,new,large
    """
    files = _EXAMPLES[_checks.choice("kind", kind, tuple(_EXAMPLES))]
    paths = tuple(Path(__file__).with_name("examples").joinpath(file) for file in files)
    return paths if len(paths) > 1 else paths[0]


def read_conll(
    *paths: PathLike, gold: PathLike | None = None, scheme: str | None = None,
    columns: Mapping[str, int] | None = None, groups: Any = None, separator: str | None = None,
    comments: str | None = None, encoding: str = "utf-8",
) -> Counts | tuple[Counts, ...]:  # fmt: skip
    """Spans found, invented and missed per sentence, from files of tags in columns.

    One word per line with its tags, a blank line after each sentence. The word comes first; the
    last two columns are the gold tag and the predicted one. Where the gold standard is a file
    of its own (`gold`), the tag is the last column of every file.

    Parameters
    ----------
    *paths : str or Path
        One file per system, the old one first. All must have the same words and gold tags.
    gold : str or Path, optional
        A file with the gold standard, where the systems' files have only their own tags.
    scheme : str, optional
        One of `betterthan.counts.SCHEMES` or "BILOU", and tags of another are refused. The default
        None takes the tags of all of them; one rule reads the spans of every scheme. "plain" is
        for tags without spans (parts of speech): every word counts, by class, and
        ``metric="accuracy"`` or ``"macro_f1"`` is what to ask of them.
    columns : mapping, optional
        Where the columns are, from 0 or, from the right, -1; the default is
        ``{"word": 0, "gold": -2, "predicted": -1}``, with ``"gold": -1`` for a gold standard of its
        own. Without "word" the files' words are not compared. Where one file holds several systems,
        "predicted" is a list: ``{"word": 0, "gold": 1, "predicted": [2, 3]}``.
    groups : array-like, optional
        The document of each sentence. The default None counts documents by their ``-DOCSTART-``
        lines, where a file has two or more.
    separator : str, optional
        What stands between columns; None takes tabs where the first row has a tab, and otherwise
        runs of blanks.
    comments : str, optional
        Leave out lines that begin with this, such as ``"# "``. The default None takes every line as
        data: in tweets a word often begins with ``#``.
    encoding : str
        How the files are encoded.

    Returns
    -------
    Counts or tuple of Counts
        One per system, in their order, with ``unit="sentence"``; for one not in a tuple.

    Raises
    ------
    ValueError
        For files that do not have the same sentences or gold tags, tags that are no spans, and
        whatever `read_columns` refuses; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> old, new = read_conll(*example("conll"))
    >>> print(old)
    120 sentences: precision 0.8177, recall 0.8051, F1 0.8114
    >>> print(new)
    120 sentences: precision 0.8724, recall 0.8769, F1 0.8747
    >>> len(set(new.groups))
    12
    """
    if not paths:
        raise ValueError("paths: expected at least one file")
    if scheme is not None:
        _checks.choice("scheme", scheme, (*SCHEMES, "BILOU", "plain"))
    guessed = columns is None
    if guessed:
        columns = {"word": 0, "gold": -2 if gold is None else -1, "predicted": -1}
    if not isinstance(columns, Mapping) or not {"gold", "predicted"} <= set(columns):
        raise ValueError(f"columns={columns!r:.80}: expected the numbers of gold and predicted")
    # Several systems in one file are columns of their own: predicted 0, predicted 1 …
    several = columns["predicted"]
    several = several if isinstance(several, list | tuple) else [several]
    named = {f"predicted {i}": number for i, number in enumerate(several)}
    columns = {key: number for key, number in columns.items() if key != "predicted"} | named
    apart = gold is not None
    tables: list[_Columns] = []
    for place, path in enumerate((gold, *paths) if apart else paths):
        absent = set() if not apart else {"gold"} if place else set(named)
        wanted = {key: number for key, number in columns.items() if key not in absent}
        tables.append(_Columns.read(path, wanted, encoding, separator, comments))
        if len(tables) > 1:
            tables[-1].agree(tables[0])
    if guessed and not apart and tables[0].alike:
        text = "the last three columns hold the same kind of tags: gold and two systems?"
        way_on = "columns={'word': 0, 'gold': -3, 'predicted': [-2, -1]} (or [-1], if they are not)"
        raise _fault(paths[0], 0, text, f"say {way_on}")
    if groups is None:  # one document alone is no grouping
        found = [table.documents for table in tables if len(set(table.documents)) > 1]
        if any(documents != found[0] for documents in found):
            raise ValueError(f"{paths[0]}: the files' -DOCSTART- lines differ; say groups=")
        groups = found[0] if found else None
    given = [(table, name) for table in tables[apart:] for name in named]
    if scheme == "plain":
        right = tables[0].columns["gold"]
        answers = [table.columns[name] for table, name in given]
        classes = sorted({tag for tags in (right, *answers) for own in tags for tag in own})
        if len(classes) > _MOST_CLASSES:
            raise _fault(paths[0], 0, f"{len(classes):,} tags", "are the columns others? columns=")
        results = tuple(_count_words(right, own, classes, groups) for own in answers)
    else:
        right = tables[0].spans("gold", scheme)
        spans = [table.spans(name, scheme) for table, name in given]
        results = tuple(count_spans(right, own, "IOBES", groups=groups) for own in spans)
        first = _broken(right, scheme, tables[0].source)
        broken = [first + _broken(x, scheme, own.source) for x, (own, _) in zip(spans, given)]
        results = tuple(replace(x, notes=notes) for x, notes in zip(results, broken))
    return results if len(results) > 1 else results[0]


def _broken(sentences: list[list[str]], scheme: str | None, source: str) -> tuple[str, ...]:
    """Says how many sentences do not keep the rules of the scheme that was asked for."""
    if scheme is None:  # every scheme is allowed
        return ()
    rules = scheme if scheme in ("IO", "IOB1", "IOB2") else "IOBES"
    n = sum(convert(tags, "IOBES", rules) != tuple(tags) for tags in sentences)
    breaks = "sentence breaks" if n == 1 else "sentences break"
    said = f"{n:,} {breaks} the rules of {scheme} and {'is' if n == 1 else 'are'} repaired."
    return (f"{Path(source).name}: {said}",) if n else ()


def _count_words(right: Any, given: Any, classes: list[str], groups: Any) -> Counts:
    """Words right and wrong per sentence and class: tags that have no spans."""
    import numpy as np

    flat = [[tag for tags in sentences for tag in tags] for sentences in (right, given)]
    words = count_classes(*flat, classes=classes)
    starts = np.cumsum([0, *(len(tags) for tags in right[:-1])])
    parts = [np.add.reduceat(part, starts) for part in (words.tp, words.fp, words.fn)]
    return Counts(*parts, unit="sentence", groups=groups)


def read_columns(
    path: PathLike, columns: Sequence[str] | Mapping[str, int] = ("word", "gold", "predicted"), *,
    separator: str | None = None, comments: str | None = None, encoding: str = "utf-8",
) -> dict[str, list[tuple[str, ...]]]:  # fmt: skip
    """The columns of a CoNLL file as they stand: one word per line, a blank line after a sentence.

    Parameters
    ----------
    path : str or Path
        The file. ``-DOCSTART-`` lines are left out.
    columns
        The names of all columns from left to right, or a mapping from name to column number (0 is
        the first, -1 the last) to take some of them.
    separator, comments, encoding
        As for `read_conll`.

    Returns
    -------
    dict of str to list of tuple
        For each name the sentences, each a tuple of strings, ready for
        `betterthan.counts.count_spans`.

    Raises
    ------
    ValueError
        For a row with too few or too many columns, bytes that are not text in `encoding`, a file
        cut off in the middle of a row, or no rows at all; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> data = read_columns(example("conll")[0])
    >>> data["word"][0], data["gold"][0][-2:]
    (('Shares', 'of', 'Kaltsee', 'Bank', 'fell', 'by', 'three', 'per', 'cent', '.'), ('O', 'O'))
    >>> read_columns(example("conll")[0], {"predicted": -1})["predicted"] == data["predicted"]
    True
    """
    return _Columns.read(path, columns, encoding, separator, comments).columns


def read_predictions(
    *paths: PathLike, gold: str = "gold", group: str | None = None, key: str | None = None,
    separator: str = ",",
) -> dict[str, Counts]:  # fmt: skip
    """CSVs of classes: one row per item, the gold class and one column per system.

    Parameters
    ----------
    *paths : str or Path
        One file or several, each with its first line of column names and the gold class of its
        items. `betterthan.compare` matches the items of several by `key`, or, where no file has
        one, row by row.
    gold : str
        The column with the right class.
    group : str, optional
        The column that says what an item belongs to (document, shop, author). The default None
        takes a column called "group", if there is one.
    key : str, optional
        A column that names the items, each once. The default None takes one called id, item,
        question, segment … (or a first one that numbers the rows). All other columns are systems.
    separator : str
        What stands between columns.

    Returns
    -------
    dict of str to Counts
        For each system, in the order of the files, items × classes with ``unit="item"``. All
        systems share the classes. `betterthan.compare` takes the accuracy by default, and with
        ``metric="macro_f1"`` the mean of the classes' F1. ``.notes`` name classes that are
        predicted but never gold. Systems are called as their columns are, or, where columns of
        several files have the same name, as their files.

    Raises
    ------
    ValueError
        For a column that is not there, an empty cell, a column that is no system (none of its
        values is a class of the gold standard), an item that comes twice or has another gold class
        in another file, names of items in some files only, more than 1,000 classes, a line with
        too few or too many columns, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> systems = read_predictions(example("predictions"))
    >>> {name: round(counts.f1, 3) for name, counts in systems.items()}
    {'old': 0.744, 'new': 0.825}
    >>> round(systems["new"].macro_f1, 3), len(set(systems["new"].groups))
    (0.808, 11)
    """
    import pandas as pd

    if not paths:
        raise ValueError("paths: expected at least one file")
    tables = [Table.read(path, separator) for path in paths]
    if group is None and any("group" in table.columns for table in tables):
        group = "group"
    golds: dict[Any, tuple[str, str]] = {}
    found: list[tuple[Any, ...]] = []
    for table in tables:
        alone, again = table.naming(gold, group, text=False)
        own = key if key is not None else next(iter([*alone, *again]), None)
        roles = [name for name in (gold, group, own) if name is not None]
        table.need(*roles)
        cells = {name: table.values(name, str, "a value in every row") for name in table.columns}
        ids = None if own is None else table.distinct(own)
        for line, item, right in zip(table.lines, ids or range(len(table.lines)), cells[gold]):
            other, there = golds.setdefault(item, (right, f"{table.source}, line {line}"))
            if other != right:
                text = f"{gold}={right!r:.60} for {item!r:.60}, but {other!r:.60} in {there}"
                raise _fault(table.source, line, text, "expected the same items and gold classes")
        systems = [name for name in cells if name not in roles]
        if not systems:
            text = f"found 0 columns beside {', '.join(roles):.60}"
            raise _fault(table.source, 0, "expected one column per system", text)
        for name in systems:
            if not set(cells[name]) & set(cells[gold]):
                text = f"no value of the column {name!r:.60} is a class such as"
                way_on = f"{cells[gold][0]!r:.60}; if it is no system, name it as key= or group="
                raise _fault(table.source, 0, f"{text} {way_on}")
            found.append((table.source, name, ids, cells[gold], cells[name], cells.get(group)))
    if len({ids is None for _, _, ids, *_ in found}) > 1:
        raise ValueError(f"{paths[0]}: some files name their items, others do not; say key=")
    known = {right for right, _ in golds.values()}
    classes = sorted(known.union(*(given for *_, given, _ in found)))
    if len(classes) > _MOST_CLASSES:
        way_on = "for free text write 1 for right and 0 for wrong and use read_scores"
        raise _fault(paths[0], 0, f"{len(classes):,} classes; expected a few", way_on)
    called = [(name, Path(source).stem, f"{source} {name}") for source, name, *_ in found]
    names = next((each for each in zip(*called) if len({*each}) == len(each)), None)
    if names is None:
        raise ValueError(f"{paths[0]}: comes twice; expected different files")
    counted = {}
    for name, (_, _, ids, right, given, groups) in zip(names, found):
        counts = count_classes(right, given, classes=classes, groups=groups)
        never = Counter(label for label in given if label not in known).most_common()
        notes = [
            f"{label!r:.60} is predicted but never gold ({n} {_checks.plural('item', n)})."
            for label, n in never[:3]
        ] + [f"So are {len(never) - 3} more classes."] * (len(never) > 3)
        index = None if ids is None else pd.Index(ids)
        counted[name] = replace(counts, index=index, notes=tuple(notes))
    return counted


def read_scores(
    path: PathLike, key: str | None = None, group: str | None = None, separator: str = ","
) -> pd.DataFrame:
    """A CSV of scores: one row per item or dataset, one column per system.

    Parameters
    ----------
    path : str or Path
        The file; its first line names the columns. Remarks that begin with ``#`` may stand above
        it; empty lines are left out.
    key : str, optional
        The column that names the item or the dataset. The default None takes the first that is no
        score: its name is id, dataset, item, question, segment … or empty (as pandas and R write
        it), or it holds text, or numbers the rows. Otherwise all columns are systems. With groups
        an item's name may come again in another group.
    group : str, optional
        The column that says what an item belongs to (document, talk, repository). The default None
        takes a column called "group", if there is one.
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        A column of floats for each system; the index is the item's name, by which
        `betterthan.compare` matches two systems, or the number of the row. Groups are a second
        level of the index, "group", which `compare` takes for its groups.

    Raises
    ------
    ValueError
        For a line with too few or too many columns, a score that is not a finite number, an item
        that comes twice, a column that may be names of rows or groups rather than scores, or no
        rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> scores = read_scores(example("scores"))
    >>> scores.mean().round(4).to_dict()
    {'old': 0.8002, 'new': 0.8099, 'large': 0.8132}
    >>> scores.index[:2].to_list()
    ['s001', 's002']
    """
    table = Table.read(path, separator)
    cells = table.columns
    group = "group" if group is None and "group" in cells else group
    table.need(*(name for name in (key, group) if name is not None))
    alone, again = table.naming(key, group, group=group)
    if key is None:
        key = next(iter([*alone, *again]), None)
    left = [name for name in alone if name != key]
    for name in again:
        if name != key:
            text = f"the column {name!r:.60} is no score and repeats"
            way_on = f"if it is what items belong to, say group={name!r:.60}; else take it out"
            raise _fault(path, 0, text, way_on)
    systems = [name for name in cells if name not in (key, group, *left)]
    columns = {name: table.numbers(name) for name in systems}
    if not columns:
        found = ", ".join(name for name in (key, group) if name is not None)
        raise _fault(path, 0, f"expected a column of scores beside {found:.60}")
    broken = any(x % 1 for numbers in columns.values() for x in numbers)
    for name in systems:
        if table.numbers_rows(name, group, broken):
            text = f"the column {name!r:.60} looks like numbers of rows, not like a system's scores"
            way_on = f"say key={name!r:.60}, or write 1.0 for 1 if it is a system"
            raise _fault(path, 0, text, way_on)
    index = None if key is None else table.distinct(key, group)
    frame = _frame(columns, index=index).rename_axis(key or None)
    if group is not None:
        labels = table.values(group, str, "a group in every row")
        frame = frame.set_index(_frame({"group": labels}, index=index)["group"], append=True)
    unused = [f"The column {name!r} is not used." for name in left if name.lower() not in _NAMELESS]
    frame.attrs |= {"notes": tuple(unused)} if unused else {}
    return frame


def read_folds(path: PathLike, separator: str = ",") -> pd.DataFrame:
    """A CSV of a cross-validation: one row per fold, one column per system.

    Such as scikit-learn's ``cross_validate(…)["test_score"]`` of each model, with the same folds.

    Parameters
    ----------
    path : str or Path
        The file: a column ``fold``, one column of scores per system, and, if wanted, ``train`` and
        ``test``, the number of items that a fold was trained and tested on.
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        A column of floats for each system, the index is the fold. With ``train`` and ``test`` in
        the file, ``attrs["test_share"]`` is what `betterthan.compare_folds` asks for.

    Raises
    ------
    ValueError
        For no column ``fold`` or no system, a score that is no finite number, sizes that are not
        positive, a fold that comes twice, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> folds = read_folds(example("folds"))
    >>> folds.mean().round(4).to_dict(), folds.attrs
    ({'old': 0.807, 'new': 0.819}, {'test_share': 0.1})
    """
    table = Table.read(path, separator)
    table.need("fold")
    sizes = [name for name in ("train", "test") if name in table.columns]
    systems = [name for name in table.columns if name not in ("fold", *sizes)]
    if not systems or len(sizes) == 1:
        text = "expected fold, a column per system, and either train with test or neither"
        raise _fault(path, 0, text, f"found {', '.join(table.columns):.200}")
    columns = {name: table.numbers(name) for name in systems}
    frame = _frame(columns, index=table.distinct("fold")).rename_axis("fold")
    if sizes:
        expected = "a number above 0"
        train, test = (sum(table.numbers(name, lambda x: x > 0, expected)) for name in sizes)
        frame.attrs["test_share"] = test / (train + test)
    return frame


def read_pvalues(path: PathLike, separator: str = ",") -> pd.DataFrame:
    """A CSV of p-values: one row per dataset, with the columns ``dataset`` and ``p``.

    ``p`` may also be called ``pvalue``, ``p_value`` or ``p-value``.

    A column ``alternative`` says what a p-value tests: "greater" (one-sided, B is better; A is the
    old system, B the new one) or "two-sided". A two-sided one does not say who won, so it needs
    the scores of both systems, higher being better, in the columns ``a`` and ``b``. Without the
    column, say it to `betterthan.replicability.analyse`, which takes the frame.

    Parameters
    ----------
    path : str or Path
        The file; remarks that begin with ``#`` may stand above the line of column names.
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        ``dataset``, ``p`` and, where they are there, ``a``, ``b`` and ``alternative``.

    Raises
    ------
    ValueError
        For a column that is missing or not known, a line with too few or too many columns, a
        p-value that is not above 0 and at most 1, a two-sided one without scores, a dataset that
        comes twice, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> read_pvalues(example("pvalues")).head(2)
      dataset     p     a     b alternative
    0    blog  0.21  76.6  77.2     greater
    1    chat  0.61  67.1  66.9     greater
    """
    table = Table.read(path, separator)
    named = [name for name in P_COLUMNS if name in table.columns]
    if len(named) == 1 and named != ["p"]:
        table.columns["p"] = table.columns.pop(named[0])
    given, known = set(table.columns), {"dataset", "p", "a", "b", "alternative"}
    if not {"dataset", "p"} <= given <= known or len(given & {"a", "b"}) == 1:
        wanted = "expected the columns dataset, p and, if wanted, a with b, and alternative"
        way_on = "scores without p-values: use read_scores"
        raise _fault(path, 0, f"{wanted}; found {', '.join(table.columns):.200} ({way_on})")
    frame: dict[str, list[Any]] = {"dataset": table.distinct("dataset")}
    above = "a number above 0 and at most 1 (no test gives exactly 0: write the value before"
    above += " rounding, or 1/(n_resamples + 1))"
    frame["p"] = table.numbers("p", lambda p: 0 < p <= 1, above)
    frame |= {name: table.numbers(name) for name in ("a", "b") if name in given}
    if "alternative" in given:
        sides = {"greater": "greater"} | ({"two-sided": "two-sided"} if "a" in given else {})
        expected = "greater (B is better), or, with the scores a and b, two-sided"
        frame["alternative"] = table.values("alternative", sides.get, expected)
    return _frame(frame)


def read_lm_eval(
    old: PathLike | Iterable[PathLike], new: PathLike | Iterable[PathLike] | None = None, *,
    metric: str | Mapping[str, str] | None = None, filter: str | Mapping[str, str] | None = None,
    unmatched: str = "refuse",
) -> dict[str, pd.Series] | dict[str, tuple[pd.Series, pd.Series]]:  # fmt: skip
    """Per-sample results of lm-evaluation-harness (``--log_samples``), every task by its metric.

    Parameters
    ----------
    old, new
        The folder of a model, with its files ``samples_TASK_TIME.jsonl`` in it or below; or one
        such file; or several. There may be one run of each task. `new` may be left out.
    metric : str or mapping, optional
        Which metric, for all tasks or task by task. The default None takes ``acc`` where a task
        has it, else ``exact_match``, else its only metric; a task with several others is refused.
    filter : str or mapping, optional
        Which filter, where a task was scored with several (gsm8k has ``"strict-match"`` and
        ``"flexible-extract"``).
    unmatched : {"refuse", "drop"}
        What to do with a task or a document that only one of the models has: "drop" leaves it out
        and says so in a warning.

    Returns
    -------
    dict of str to Series or pair of Series
        For each task, in alphabetical order, one number per document, old and new; with one model
        alone, one Series. The index is ``doc_id``, the name the metric; ``series.attrs`` holds
        task, metric and filter.

    Raises
    ------
    ValueError
        For no such files, two runs of a task, a line that is not JSON or has no ``doc_id``, the
        same document twice, a value that is missing or not finite, a metric or filter that is not
        there or must be chosen, a task or document that only one model has, or documents with the
        same number that are not the same (their hashes differ); with the file and the line.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        With ``unmatched="drop"``, for what was left out.

    Examples
    --------
    >>> tasks = read_lm_eval(*example("lm_eval"))
    >>> [(task, old.name) for task, (old, new) in tasks.items()][-2:]
    [('riddles', 'acc'), ('sums', 'exact_match')]
    >>> old, new = tasks["sums"]
    >>> float(old.mean()), float(new.mean())
    (0.49, 0.67)
    """
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    files = [_task_files(name, x) for name, x in (("old", old), ("new", new)) if x is not None]
    tasks = set().union(*files)
    for name, asked in (("metric", metric), ("filter", filter)):
        wrong = set(asked) - tasks if isinstance(asked, Mapping) else not isinstance(asked, str)
        if wrong and asked is not None:
            text = f"{name}={asked!r:.80}: expected a name, or a mapping from the task to the name"
            raise ValueError(f"{text}; tasks are {', '.join(sorted(tasks)):.400}")
    if len(files) == 1:
        return {task: _task(path, task, metric, filter)[0] for task, path in files[0].items()}
    pairs = {}
    for task in _shared("tasks", *files, unmatched):
        first, second = (part[task] for part in files)
        a, hashes = _task(first, task, metric, filter)
        b, others = _task(second, task, {task: a.name}, {task: a.attrs["filter"]})
        shared = _shared(f"documents of {task!r}", hashes, others, unmatched)
        for i in shared:
            if hashes[i] != others[i] and hashes[i] and others[i]:
                text = f"doc_id={i} is another document than in {first} (by its doc_hash)"
                raise _fault(second, 0, text, "expected the same version of the task")
        pairs[task] = a.loc[shared], b.loc[shared]
    return pairs


def read_inspect(
    old: PathLike | Iterable[PathLike], new: PathLike | Iterable[PathLike] | None = None, *,
    scorer: str | Mapping[str, str] | None = None, unscored: str = "refuse",
    unmatched: str = "refuse",
) -> dict[str, Any]:  # fmt: skip
    """Logs of Inspect (``.eval`` or ``.json``), one number per sample; epochs are runs.

    The grades C, P, I and N count 1, 0.5, 0 and 0; where they stand, the result says so. Numbers
    and true or false count as they are.

    Parameters
    ----------
    old, new
        The log of a model, or a folder of its logs, or several; one log per task. `new` may be
        left out.
    scorer : str or mapping, optional
        Which scorer, for all tasks or task by task, where a task has several. A scorer that gives
        several values is named with the value's name: ``"rubric/style"``.
    unscored : {"refuse", "wrong", "drop"}
        What to do with samples that have no score (an error, a limit): refuse the log, count them
        0, or leave them out. Counted and said in the result's notes.
    unmatched : {"refuse", "drop"}
        What to do with a task or a sample that only one of the models has: "drop" leaves it out
        and says so in a warning.

    Returns
    -------
    dict of str to pair
        For each task, in alphabetical order, old and new, ready for `betterthan.compare`: a Series
        with one number per sample (the index is its id), or, with several epochs, a list of such;
        with one model alone, its own.

    Raises
    ------
    ValueError
        For a file that is no log of Inspect, a log that was cancelled or failed, one compressed in
        a way that this Python cannot read, two logs of a task, samples without a score, several
        scorers and none chosen, a value that is no number, or other samples; with the file.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        With ``unmatched="drop"``, for what was left out.

    Examples
    --------
    >>> tasks = read_inspect(*example("inspect"))
    >>> old, new = tasks["capitals"]
    >>> float(old.mean()), float(new.mean())
    (0.6666666666666666, 0.8958333333333334)
    >>> print(*old.attrs["notes"])
    Grades count C = 1, I = 0.
    """
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    _checks.choice("unscored", unscored, ("refuse", "wrong", "drop"))
    logs = [_inspect_logs(name, x) for name, x in (("old", old), ("new", new)) if x is not None]
    if len(logs) == 1:
        return {t: _epochs(*log, t, scorer, unscored) for t, log in logs[0].items()}
    pairs = {}
    for task in _shared("tasks", *logs, unmatched):
        both = [_epochs(*log[task], task, scorer, unscored) for log in logs]
        ids = [dict.fromkeys((x[0] if isinstance(x, list) else x).index) for x in both]
        shared = _shared(f"samples of {task!r}", *ids, unmatched)
        pairs[task] = tuple(
            [run.loc[shared] for run in x] if isinstance(x, list) else x.loc[shared] for x in both
        )
    return pairs


def read_trec(
    old_run: PathLike, new_run: PathLike, qrels: PathLike, relevant_from: int = 1, *,
    missing: str = "refuse",
) -> pd.DataFrame:  # fmt: skip
    """Two TREC runs and the judgements: one row per query and document.

    Parameters
    ----------
    old_run, new_run : str or Path
        Runs, with the columns ``query Q0 document rank score tag``. As in trec_eval the order comes
        from the scores; the rank column is not used.
    qrels : str or Path
        Judgements, with the columns ``query iteration document relevance``.
    relevant_from : int
        The smallest relevance that counts as relevant.
    missing : {"refuse", "zero", "drop"}
        What to do with queries that have relevant documents and are not in a run: refuse them,
        count them 0 (trec_eval's ``-c``), or leave them out for both runs.

    Returns
    -------
    DataFrame
        ``query``, ``document``, ``gold`` (0 or 1), ``a`` (old) and ``b`` (new), sorted by query
        and document. Scores of different queries cannot be compared, so ``a`` and ``b`` are minus
        the document's rank in its query (by score; equal scores in reverse order of the names, as
        trec_eval does), and −inf where the run did not return it. A document without a judgement
        counts as not relevant, as in trec_eval. ``attrs["notes"]`` say which queries count 0 or
        are left out; `ranking.average_precision_per_query` hands them on to `betterthan.compare`.

    Raises
    ------
    ValueError
        For a line with too few or too many columns, a score that is no number, a document that
        comes twice in a query, no judged query in the runs, or queries that a run does not have;
        with the file and the line.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        For queries without judgements, which are left out.

    Examples
    --------
    >>> read_trec(*example("trec")).head(3)
      query document  gold    a    b
    0     1    d0100     0 -inf -9.0
    1     1    d0101     1 -5.0 -7.0
    2     1    d0102     0 -inf -inf
    """
    relevant_from = _checks.whole("relevant_from", relevant_from)
    _checks.choice("missing", missing, ("refuse", "zero", "drop"))
    judged = _trec(qrels, "query iteration document relevance", 3)
    queries = {query for query, _ in judged}
    gold = {pair for pair, relevance in judged.items() if relevance >= relevant_from}
    wanted, notes, have = {query for query, _ in gold}, [], []
    ranks: list[dict[tuple[str, str], float]] = [{}, {}]
    for path, rank in zip((old_run, new_run), ranks):
        run = _trec(path, "query Q0 document rank score tag", 4)
        have.append({query for query, _ in run})
        lost = sorted(have[-1] - queries)
        if lost:
            notes.append(f"{_queries(lost)} without judgements left out.")
            warnings.warn(f"{path}: {notes[-1]}", stacklevel=2)
        returned = dict.fromkeys(queries, 0)
        for _, document, query in sorted(((run[q, d], d, q) for q, d in run), reverse=True):
            if query in queries:
                returned[query] += 1
                rank[query, document] = -float(returned[query])
    if not any(ranks):
        raise _fault(qrels, 0, "no query of the runs is judged; are they named alike?")
    for path, own in zip((old_run, new_run), have):
        gone = sorted(wanted - own)
        if gone and missing == "refuse":
            text = f"{_queries(gone)} with relevant documents not in this run; is it cut off?"
            way_on = "missing='zero' counts them 0, missing='drop' leaves them out"
            raise _fault(path, 0, f"{text} {way_on}")
        if gone and missing == "zero":
            notes.append(f"{_queries(gone)} not in {Path(path).name} count 0.")
    absent = wanted - (have[0] & have[1]) if missing == "drop" else set()
    if absent:
        notes.append(f"{_queries(sorted(absent))} not in both runs left out.")
    rows = [
        (*pair, int(pair in gold), *(rank.get(pair, -math.inf) for rank in ranks))
        for pair in sorted(set(judged).union(*ranks))
        if pair[0] not in absent
    ]
    frame = _frame(rows, columns=["query", "document", "gold", "a", "b"])
    frame.attrs |= {"notes": tuple(dict.fromkeys(notes))} if notes else {}
    return frame


def _queries(names: Sequence[str]) -> str:
    return f"{len(names)} {_checks.plural('query', len(names))} ({some_of(names)})"


def read_candidates(
    path: PathLike, gold: str = "gold", scores: Sequence[str] | None = None, separator: str = ","
) -> pd.DataFrame:
    """A CSV of candidates for a ranking: one row each, right or not, one score per system.

    Parameters
    ----------
    path : str or Path
        The file; its first line names the columns.
    gold : str
        The column that says whether the candidate is right, 1 or 0 (or true, false).
    scores : list of str, optional
        The columns of scores, larger is better. The default None takes every column whose first
        value is a number; the others are kept as text.
    separator : str
        What stands between columns.

    Returns
    -------
    DataFrame
        The columns of the file: `gold` as 0 and 1, scores as floats (``inf`` and ``-inf`` are
        allowed), others as text.

    Raises
    ------
    ValueError
        For a column that is not there, no column of scores, a value that cannot be used, a line
        with too few or too many columns, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> read_candidates(example("candidates")).head(2)
        candidate  gold    old    new
    0  break fire     0 -0.220  0.244
    1   catch map     1  1.315  2.496
    """
    table = Table.read(path, separator)
    frame: dict[str, list[Any]] = dict(table.columns)
    if scores is None:
        scores = [n for n in frame if n != gold and _any_number(frame[n][0]) is not None]
    scores = scores if isinstance(scores, list | tuple) else [scores]
    table.need(gold, *scores)
    if not scores:
        raise _fault(path, 0, f"expected a column of scores beside {gold!r:.60}")
    frame[gold] = table.flags(gold)
    frame |= {name: table.values(name, _any_number, "a number") for name in scores}
    return _frame(frame)


def read_translations(
    references: PathLike | Sequence[PathLike], *hypotheses: PathLike, metric: str = "bleu"
) -> tuple[tuple[np.ndarray, ...], Callable[[np.ndarray], float]]:
    """Translations and their references, one segment per line: what corpus BLEU is made from.

    The statistics of sacrebleu add up over segments, so `betterthan.score` and `compare` can leave
    segments out and compute the score again. Needs the package sacrebleu, with its defaults.

    Parameters
    ----------
    references : str or Path, or several
        The file of references; a list where there are several for each segment.
    *hypotheses : str or Path
        One file per system, the old one first.
    metric : {"bleu", "chrf", "ter"}
        What is computed, from 0 to 100. Of TER, lower is better.

    Returns
    -------
    tuple of arrays, and the metric
        Segments × statistics for each system, and the function of their sums to give to `compare`
        as ``metric=``.

    Raises
    ------
    ValueError
        For files with another number of lines, an empty reference, or bytes that are not UTF-8.
    OSError
        For a file that cannot be opened.
    ModuleNotFoundError
        If sacrebleu is not installed.

    Examples
    --------
    >>> (old, new), bleu = read_translations(*example("translations"))
    >>> old.shape, round(bleu(old.sum(axis=0)), 2), round(bleu(new.sum(axis=0)), 2)
    ((60, 10), 47.12, 60.77)
    """
    import numpy as np

    try:
        from sacrebleu import metrics
    except ModuleNotFoundError:
        text = "BLEU, chrF and TER are sacrebleu's; install it: pip install sacrebleu"
        raise ModuleNotFoundError(text, name="sacrebleu") from None
    known = {"bleu": metrics.BLEU, "chrf": metrics.CHRF, "ter": metrics.TER}
    computed = known[_checks.choice("metric", metric, tuple(known))]()
    listed = [references] if _is_path(references) else list(references)
    texts = [(path, read_text(path).rstrip("\n").split("\n")) for path in (*listed, *hypotheses)]
    if len(texts) <= len(listed):
        raise ValueError("hypotheses: expected at least one file")
    for place, (path, lines) in enumerate(texts):
        if len(lines) != len(texts[0][1]):
            text = f"{len(lines):,} lines, but {len(texts[0][1]):,} in {texts[0][0]}"
            raise _fault(path, 0, text, "expected one segment per line, in the same order")
        for number, line in enumerate(lines, 1):
            if len(line) > _LONGEST_SEGMENT:
                text = f"a segment of {len(line):,} characters; expected one segment per line"
                raise _fault(path, number, text)
            if place < len(listed) and not line.strip():
                raise _fault(path, number, "an empty reference")
    right = [lines for _, lines in texts[: len(listed)]]
    tables = [
        np.asarray(computed._extract_corpus_statistics(lines, right), dtype=float)
        for _, lines in texts[len(listed) :]
    ]

    def corpus_score(sums: np.ndarray) -> float:
        # Counts are whole but for rounding when segments are taken off again.
        whole = [round(float(x)) if metric != "ter" else float(x) for x in sums]
        return float(computed._compute_score_from_stats(whole).score)

    corpus_score.__name__ = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}[metric]
    return tuple(tables), corpus_score


def read_words(path: PathLike) -> list[list[str]]:
    """Segmented text: one sentence per line, words separated by white space.

    Parameters
    ----------
    path : str or Path
        The file. An empty line is refused: it would move the sentences of one file against those
        of another.

    Returns
    -------
    list of list of str
        The words of each sentence.

    Raises
    ------
    ValueError
        For an empty line or file, or bytes that are not UTF-8; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> gold, old, new, *judges = (read_words(path) for path in example("words"))
    >>> gold[1]
    ['隔壁', '的', '木匠', '研究', '生命', '起源']
    >>> old[1]
    ['隔壁', '的', '木匠', '研', '究', '生命', '起源']
    """
    sentences = [line.split() for line in read_text(path).rstrip().split("\n")]
    if [] in sentences:
        line = sentences.index([]) + 1
        raise _fault(path, line, "an empty line", "expected one sentence per line")
    return sentences


def read_probabilities(
    path: PathLike, separator: str = ",", *, group: str | None = None, label: str = "label"
) -> pd.DataFrame:
    """A CSV of labels with a model's probabilities for them: one row per label.

    Parameters
    ----------
    path : str or Path
        The file, with a column ``probability`` and either ``correct`` (1 or 0, or true, false), or
        ``gold`` and ``label``, which are compared.
    separator : str
        What stands between columns.
    group : str, optional
        The column that says what a label belongs to (sentence, document). The default None takes
        a column called "group", if there is one.
    label : str
        The column of the model's labels or answers.

    Returns
    -------
    DataFrame
        ``correct`` (0 or 1), ``probability``, ``label`` and ``group`` (by these names), and the
        other columns of the file as text. ``attrs["notes"]`` name columns that may be groups.

    Raises
    ------
    ValueError
        For a column that is missing, a probability that is not between 0 and 1, an empty label, a
        line with too few or too many columns, or no rows; with the file and the line.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> read_probabilities(example("probabilities")).head(2)
       correct  probability group    word gold label
    0        0        0.771     1  Jordan  PER   LOC
    1        1        0.999     1     met    O     O
    """
    table = Table.read(path, separator)
    roles = {label: "label"} if label != "label" else {}
    roles |= {group: "group"} if group is not None else {}
    table.need(*roles)
    cells = {roles.get(name, name): column for name, column in table.columns.items()}
    if len(cells) < len(table.columns):
        raise _fault(path, 0, f"{roles}: such a column is there already; expected one of the two")
    table = table._replace(columns=cells)
    frame: dict[str, list[Any]] = {"correct": [], "probability": []} | table.columns
    filled = [name for name in ("gold", "label", "group") if name in frame]
    table.need("probability", *(() if "correct" in table.columns else ("gold", "label")))
    cells = {name: table.values(name, str, "a value in every row") for name in filled}
    if "correct" in table.columns:
        frame["correct"] = table.flags("correct")
    else:
        frame["correct"] = [int(a == b) for a, b in zip(cells["gold"], cells["label"])]
    inside = "a number from 0 to 1"
    frame["probability"] = table.numbers("probability", lambda p: 0 <= p <= 1, inside)
    rest = [name for name in frame if name not in ("correct", "probability", "gold", "label")]
    again = [repr(name) for name in rest if 1 < len({*frame[name]}) <= len(table.lines) / 2]
    found = _frame(frame)
    if again and "group" not in frame:
        text = f"if answers hang together by {again[0]:.60}, say group={again[0]:.60}"
        found.attrs["notes"] = (f"Not used: {', '.join(again)}, whose values repeat; {text}.",)
    return found


# --- Text -----------------------------------------------------------------------------------


def decode(data: bytes, source: str, encoding: str) -> str:
    """`data` as text, without a byte order mark and with ``\\n`` as line end; or a ValueError."""
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeError as error:
        start, end = getattr(error, "start", 0), getattr(error, "end", 1)
        line = data.count(b"\n" if b"\n" in data else b"\r", 0, start) + 1
        shown = f"the byte(s) {data[start:end][:8].hex(' ')} are not {encoding}"
        raise _fault(source, line, f"{shown}; expected text (save it as UTF-8)") from None
    except (LookupError, TypeError):
        raise ValueError(f"encoding={encoding!r:.60}: expected an encoding Python knows") from None
    # A lone \r ends lines only where nothing else does; in a tweet it is a character.
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    if text.count("\n") > _MOST_LINES:
        raise _fault(source, 0, f"more than {_MOST_LINES:,} lines; expected a smaller file")
    return text


def _is_path(path: Any) -> bool:
    return isinstance(path, str | os.PathLike)


def read_text(path: PathLike, encoding: str = "utf-8") -> str:
    """The whole file as text, unless it is too large."""
    if not _is_path(path):
        raise ValueError(f"path={path!r:.80}: expected the path of a file")
    if os.stat(path).st_size > _MOST_BYTES:
        raise _fault(path, 0, f"more than {_MOST_BYTES:,} bytes; expected a smaller file")
    return decode(Path(path).read_bytes(), str(path), encoding)


def _frame(data: Any, **options: Any) -> pd.DataFrame:
    # Loaded when needed: CoNLL files and words do without.
    import pandas as pd

    return pd.DataFrame(data, **options)


def some_of(names: Sequence[Any], most: int = 5) -> str:
    """The first of them, and how many more."""
    more = [f"and {len(names) - most:,} more"] * (len(names) > most)
    return ", ".join([*(f"{name!s:.60}" for name in names[:most]), *more])


def _fault(source: PathLike, line: int, *said: str) -> ValueError:
    """What is wrong, and what to do about it; line 0 is the whole file."""
    return ValueError(f"{source}{f', line {line}' if line else ''}: {'; '.join(said)}")


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def as_number(cell: str) -> float | None:
    """A number as people write it; float() would take 0_1, nan and Infinity, too."""
    value = float(cell) if _NUMBER.fullmatch(cell) else math.nan
    return value if math.isfinite(value) else None


def _any_number(cell: str) -> float | None:
    """The same, or an infinite score, as measures of association have."""
    return float(cell) if cell.lower() in ("inf", "+inf", "-inf") else as_number(cell)


# --- Columns of tags ------------------------------------------------------------------------


class Block(NamedTuple):
    """The rows between two blank lines, the line of each, and the number of the document."""

    lines: list[int]
    rows: list[list[str]]
    document: int


def parse_columns(
    text: str, source: str, width: int | None, separator=None, comments=None, empty_words=False
) -> list[Block]:
    """Sentences of rows of cells; `source` is what errors call the file.

    `empty_words` lets the first cell be empty, as in corpora that kept a place for a
    character they could not write.
    """
    for name, value in (("separator", separator), ("comments", comments)):
        if value is not None and not (isinstance(value, str) and value):
            raise ValueError(f"{name}={value!r:.60}: expected a character, or None")
    blocks: list[Block] = []
    document, inside = 0, False
    # Not str.splitlines: tweets hold U+2028 and U+0085, which end no row.
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip(" \t"):
            inside = False
            continue
        if comments is not None and line.startswith(comments):
            continue
        if separator is None:
            separator = "\t" if "\t" in line else " "
        if separator == " ":
            cells = [cell for cell in line.replace("\t", " ").split(" ") if cell]
        else:
            cells = [cell.strip(" ") or cell for cell in line.split(separator)]
        if cells[0] == "-DOCSTART-":
            document, inside = document + 1, False
            continue
        width = width or len(cells)
        if len(cells) != width:
            cut = ["is the file cut off?"] * (len(cells) < width and number == len(lines))
            remarks = comments is None and re.search("^# ", text, re.MULTILINE)
            cut += ["are lines with # remarks? Say comments='# '"] * bool(remarks)
            found = f"found {len(cells)}: {line!r:.80}"
            raise _fault(source, number, f"expected {width} columns, {found}", *cut)
        if "" in cells[int(empty_words) :]:
            column = cells.index("", int(empty_words)) + 1
            raise _fault(source, number, f"column {column} is empty: {line!r:.80}")
        if not inside:
            blocks.append(Block([], [], document))
            inside = True
        blocks[-1].lines.append(number)
        blocks[-1].rows.append(cells)
    if not blocks:
        raise _fault(source, 0, "no rows; expected one word per line")
    return blocks


# Every scheme's spans are read by one rule (see `betterthan.counts`), which needs to know what
# begins a span, what ends one and what goes on: these say it in the words of IOBES.
_IN_IOBES = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S", "M": "I"}
_IN_IOBES |= {"B2": "I", "B3": "I"}
_PREFIXES: dict[str | None, Iterable[str]] = {"IO": "I", "IOB1": "BI", "IOB2": "BI"}
_PREFIXES |= {"IOBES": "BIES", "BMES": "BMES", "BILOU": "BILU", None: _IN_IOBES}
_PREFIXES["BB2B3MES"] = ("B", "B2", "B3", "M", "E", "S")


class _Columns(NamedTuple):
    """A file of columns: for every sentence its lines, its document and its columns by name."""

    source: str
    lines: list[list[int]]
    documents: list[int]
    columns: dict[str, list[tuple[str, ...]]]
    alike: bool  # the last three columns hold tags with the same labels

    @classmethod
    def read(cls, path: PathLike, columns: Any, encoding: str, *layout: Any) -> _Columns:
        named = isinstance(columns, Mapping)
        if not named and (not isinstance(columns, list | tuple) or len({*columns}) < len(columns)):
            raise ValueError(f"columns={columns!r:.80}: expected different names, or a mapping")
        text, width = read_text(path, encoding), None if named else len(columns)
        blocks = parse_columns(text, str(path), width, *layout)
        width, places = len(blocks[0].rows[0]), {}
        for name, number in (columns if named else dict(zip(columns, range(width)))).items():
            whole = isinstance(number, int) and not isinstance(number, bool)
            if not whole or not -width <= number < width or number % width in places.values():
                expected = f"expected a number from {-width} to {width - 1}, each once"
                text = f"columns[{name!r:.60}]={number!r:.60}: {path} has {width} columns"
                way_on = "a gold standard in a file of its own: gold="
                raise ValueError(f"{text}; {expected} ({way_on})")
            places[name] = number % width
        lines, documents = [b.lines for b in blocks], [b.document for b in blocks]
        cells = {n: [tuple(row[i] for row in b.rows) for b in blocks] for n, i in places.items()}
        labels = [
            {row[i].partition("-")[2] for b in blocks for row in b.rows if width > 3} - {""}
            for i in (-3, -2, -1)
        ]
        return cls(str(path), lines, documents, cells, bool(labels[0] & (labels[1] | labels[2])))

    def agree(self, other: _Columns) -> None:
        """Refuse what has not the words and gold tags of `other`, sentence by sentence."""
        names = [n for n in ("word", "gold") if n in self.columns and n in other.columns]
        ours, theirs = (list(file.flat(names)) for file in (self, other))
        end = (0, ("the end of the file",))
        for (line, a), (other_line, b) in zip_longest(ours, theirs, fillvalue=end):
            if a != b:
                there = other.source + (f", line {other_line}" if other_line else "")
                text = f"{' '.join(a)!r:.60}, but {' '.join(b)!r:.60} in {there}"
                raise _fault(self.source, line, text, "expected the same sentences and gold tags")

    def flat(self, names: list[str]) -> Iterable[tuple[int, tuple[str, ...]]]:
        for i, lines in enumerate(self.lines):
            cells = [self.columns[name][i] for name in names] or [("",) * len(lines)]
            yield from zip(lines, zip(*cells))
            yield lines[-1] + 1, ("the end of a sentence",)

    def spans(self, name: str, scheme: str | None) -> list[list[str]]:
        """The tags of a column in the words of IOBES."""
        written: dict[str, str] = {"O": "O"}
        for lines, tags in zip(self.lines, self.columns[name]):
            for line, tag in zip(lines, tags):
                prefix, hyphen, label = tag.partition("-")
                if tag not in written and prefix not in _PREFIXES[scheme]:
                    known = f"O, or {', '.join(_PREFIXES[scheme])} with or without a label"
                    kind = name.split()[0]
                    text = f"the {kind} tag {tag!r:.60}: expected {known}, such as B-PER"
                    way_on = "tags without spans, such as parts of speech: scheme='plain'"
                    raise _fault(self.source, line, text, way_on)
                written.setdefault(tag, _IN_IOBES.get(prefix, "") + hyphen + label)
        return [[written[tag] for tag in tags] for tags in self.columns[name]]


# --- Tables ---------------------------------------------------------------------------------

_NAMELESS = ("", "unnamed: 0", "index")  # what pandas and R call the numbers of the rows
_KEYS = {*_NAMELESS, "dataset", "document", "example", "id", "instance", "item", "name", "query"}
_KEYS |= {"question", "sample", "seg", "segment", "sentence", "task"}
# So many numbers in a row are no accident.
_MANY_ROWS = 10


def _is_key(name: str) -> bool:
    return name.lower() in _KEYS or name.lower().endswith("_id")


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells are 0, 1, 2 … or 1, 2, 3 …"""
    return any(list(cells) == [str(i + s) for i in range(len(cells))] for s in (0, 1))


class Table(NamedTuple):
    """A CSV file: for every row the line where it begins, and its cells by column."""

    source: str
    lines: list[int]
    columns: dict[str, list[str]]

    @classmethod
    def read(cls, path: PathLike, separator: str) -> Table:
        text, source = read_text(path), str(path)
        if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n':
            raise ValueError(f"separator={separator!r:.60}: expected one character")
        if len(text) > _LONGEST_HEADER and "\n" not in text[:_LONGEST_HEADER]:
            raise _fault(source, 1, f"over {_LONGEST_HEADER:,} characters", "is it a CSV?")
        lines, columns, last = [], {}, 0
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
            for cells in reader:
                # A quoted cell may hold line ends: a row begins after the one before it.
                line, last = last + 1, reader.line_num
                cells = [cell.strip() for cell in cells]
                if not any(cells) or (not columns and cells[0].startswith("#")):
                    continue
                if not columns:
                    columns = {name: [] for name in cells}
                    if len(columns) < len(cells) or "" in cells[1:]:
                        text = f"expected different column names: {', '.join(cells)!r:.80}"
                        raise _fault(source, line, text)
                    if all(as_number(cell) is not None for cell in cells):
                        text = f"expected column names, found numbers: {', '.join(cells)!r:.80}"
                        raise _fault(source, line, text, "write a line of names above them")
                    continue
                if len(cells) != len(columns):
                    way_on = " (R's write.table: say col.names=NA)" * (len(cells) > len(columns))
                    text = f"expected {len(columns)} columns, one per name{way_on}, found"
                    raise _fault(source, line, f"{text} {len(cells)}: {', '.join(cells)!r:.80}")
                lines.append(line)
                for column, cell in zip(columns.values(), cells):
                    column.append(cell)
        except csv.Error as error:
            raise _fault(source, last + 1, f"{error}; is the file cut off?") from None
        if not lines:
            raise _fault(source, 0, "no rows; expected a line of column names and rows below")
        return cls(source, lines, columns)

    def need(self, *names: str) -> None:
        for name in names:
            if not isinstance(name, str) or name not in self.columns:
                way_on = ["is the separator another?"] * (len(self.columns) == 1)
                found = f"found {', '.join(self.columns):.200}"
                raise _fault(self.source, 0, f"no column {name!r:.60}", found, *way_on)

    def values(self, name: str, parse: Callable[[str], Any], expected: str) -> list[Any]:
        """The cells of a column as `parse` reads them; None and an empty string are refused."""
        found = [parse(cell) for cell in self.columns[name]]
        for line, cell, value in zip(self.lines, self.columns[name], found):
            if value is None or value == "":
                raise _fault(self.source, line, f"{name:.60}={cell!r:.60}: expected {expected}")
        return found

    def numbers(self, name: str, inside: Any = math.isfinite, expected="a finite number") -> list:
        found = {cell: as_number(cell) for cell in self.columns[name]}
        good = {cell: x for cell, x in found.items() if x is not None and inside(x)}
        return self.values(name, good.get, expected)

    def flags(self, name: str) -> list[int]:
        known = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}
        return self.values(name, lambda cell: known.get(cell.lower()), "0 or 1")

    def distinct(self, name: str, group: str | None = None) -> list[str]:
        """The cells of a column, each of which may come once (in its group)."""
        first: dict[tuple[str, str], int] = {}
        cells = self.values(name, str, "a name in every row")
        for line, *pair in zip(self.lines, cells, self.columns.get(group, cells)):
            if first.setdefault(tuple(pair), line) != line:
                text = f"{name:.60}={pair[0]!r:.60} comes twice, first in line {first[tuple(pair)]}"
                way_on = [f"if it is what items belong to, say group={name!r:.60}"]
                raise _fault(self.source, line, text, *way_on * (group is None and _is_key(name)))
        return cells

    def naming(self, *taken: str | None, group: str | None = None, text: bool = True) -> tuple:
        """The columns that name rows: those that tell all rows (of a group) apart, and others."""
        first, found = next(iter(self.columns)), []
        for name, cells in self.columns.items():
            if all(map(str.isdecimal, cells)):
                many = len(cells) >= _MANY_ROWS and _counts_up(sorted(cells, key=int))
                names = many or (name == first and len(cells) > 2 and _counts_up(cells))
            else:
                words = len({*cells}) > 1 and all(cell[:1].isalpha() for cell in cells)
                names = text and (words or (name == first and as_number(cells[0]) is None))
            if name not in taken and (names or _is_key(name)):
                found.append((len({*zip(cells, self.columns.get(group, cells))}), name))
        # pandas' own numbers give way to a column with a name.
        found.sort(key=lambda pair: pair[1].lower() in _NAMELESS)
        alone = [name for n, name in found if n == len(self.lines)]
        return alone, [name for _, name in found if name not in alone]

    def numbers_rows(self, name: str, group: str | None, broken: bool) -> bool:
        """Whether numbers may be names of rows: all differ, or they begin again in every group."""
        cells = self.columns[name]
        if len(cells) < _MANY_ROWS or not all(map(str.isdecimal, cells)):
            return False
        parts: dict[str, list[str]] = {}
        for label, cell in zip(self.columns.get(group, ()), cells):
            parts.setdefault(label, []).append(cell)
        again = parts and max(map(len, parts.values())) > 2 and all(map(_counts_up, parts.values()))
        return bool(again) or (broken and len({*cells}) == len(cells))


def _trec(path: PathLike, names: str, place: int) -> dict[tuple[str, str], float]:
    """By query and document the number in the column `place`: a score, or a relevance."""
    found: dict[tuple[str, str], float] = {}
    width = len(names.split())
    for line, text in enumerate(read_text(path).split("\n"), 1):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != width:
            raise _fault(path, line, f"expected {width} columns ({names}), found {text!r:.80}")
        pair, number = (fields[0], fields[2]), _any_number(fields[place])
        if number is None or (place == 3 and number % 1):
            expected = "a whole number" if place == 3 else "a number"
            raise _fault(path, line, f"expected {expected} in column {place + 1}: {text!r:.80}")
        if pair in found:
            raise _fault(path, line, f"this document comes twice for its query: {text!r:.80}")
        found[pair] = number
    if not found:
        raise _fault(path, 0, f"no rows; expected the columns {names}")
    return found


# --- lm-evaluation-harness ------------------------------------------------------------------

_SAMPLES = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.-]+)?", re.DOTALL)
# What lm-evaluation-harness writes for each sample beside the metrics.
_NOT_METRICS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"}
_NOT_METRICS |= {"metrics", "doc_hash", "prompt_hash", "target_hash"}


def _listed(name: str, paths: Any) -> list[Path]:
    """The files and folders of one model."""
    listed = [paths] if _is_path(paths) else paths
    if not isinstance(listed, list | tuple) or not listed or not all(map(_is_path, listed)):
        raise ValueError(f"{name}={paths!r:.80}: expected a folder, or a list of files")
    return [Path(path) for path in listed]


def _second(path: Path, task: str, first: Path) -> ValueError:
    text = f"a second run of the task {task!r}, after {first}; expected one"
    return _fault(path, 0, f"{text} (give the files to read instead of their folder)")


def _task_files(name: str, paths: PathLike | Iterable[PathLike]) -> dict[str, Path]:
    tasks: dict[str, Path] = {}
    for item in _listed(name, paths):
        found = sorted(item.rglob("samples_*.jsonl")) if item.is_dir() else [item]
        if not found or not found[0].is_file():
            text = "expected a folder with files samples_TASK_TIME.jsonl, or one such file"
            way_on = "lm-evaluation-harness writes them with --log_samples"
            raise ValueError(f"{name}: {str(item)!r}: {text} ({way_on})")
        for path in found:
            task = _SAMPLES.fullmatch(path.stem)["task"]
            if task in tasks:
                raise _second(path, task, tasks[task])
            tasks[task] = path
    return dict(sorted(tasks.items()))


def _samples(path: Path) -> dict[tuple[str, int], tuple[int, str, dict[str, Any]]]:
    """By filter and document the line, the document's hash and the metrics."""
    samples: dict[tuple[str, int], tuple[int, str, dict[str, Any]]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
        except (ValueError, RecursionError) as error:
            text = f"not JSON ({error!s:.80}); is the file cut off?"
            raise _fault(path, number, text) from None
        document = sample.get("doc_id") if isinstance(sample, dict) else None
        if not isinstance(document, int) or isinstance(document, bool) or abs(document) >= 2**63:
            raise _fault(path, number, "expected an object with a whole doc_id")
        key = str(sample.get("filter", "none")), document
        if key in samples:
            text = f"doc_id={document} with the filter {key[0]!r:.60} comes twice, first in line"
            raise _fault(path, number, f"{text} {samples[key][0]}")
        names = sample.get("metrics") or sample.keys() - _NOT_METRICS
        if not isinstance(names, list | set) or not all(isinstance(name, str) for name in names):
            raise _fault(path, number, f"metrics={names!r:.60}: expected a list of names")
        metrics = {name: sample.get(name) for name in names}
        samples[key] = number, str(sample.get("doc_hash", "")), metrics
    return samples


def _pick(
    path: Path, task: str, what: str, asked: Any, known: list[str], usual: Sequence[str] = ()
) -> str:
    """The metric or the filter of a task: as asked, or the usual one, or the only one."""
    wanted = asked.get(task) if isinstance(asked, Mapping) else asked
    # One filter for all tasks is meant for those with several.
    if wanted is None or (what == "filter" and isinstance(asked, str) and len(known) == 1):
        only = known[0] if len(known) == 1 else None
        wanted = next((name for name in usual if name in known), only)
    if wanted not in known:
        text = f"{what}={wanted!r:.60} for the task {task!r}: expected one of"
        text += f" {', '.join(map(repr, known)) or '(none that is a number)':.400}"
        raise _fault(path, 0, f"{text}; say {what}={{{task!r}: …}}")
    return wanted


def _task(path: Path, task: str, metric: Any, filter: Any) -> tuple[pd.Series, dict[int, str]]:
    """One number per document, and the hashes of the documents."""
    import pandas as pd

    samples = _samples(path)
    logged = [pair for *_, metrics in samples.values() for pair in metrics.items()]
    known = sorted({name for name, value in logged if isinstance(value, int | float)})
    asked = metric.get(task) if isinstance(metric, Mapping) else metric
    metric = _pick(path, task, "metric", metric, known, ("acc", "exact_match"))
    others = [name for name in known if name != metric and asked is None]
    filters = sorted({key[0] for key, (*_, metrics) in samples.items() if metric in metrics})
    filter = _pick(path, task, "filter", filter, filters)
    values, hashes = {}, {}
    for (name, document), (line, digest, metrics) in samples.items():
        if name == filter:
            value = metrics.get(metric)
            if not isinstance(value, int | float) or not abs(value) < 1e300:
                raise _fault(path, line, f"{metric:.60}={value!r:.60}: expected a finite number")
            values[document], hashes[document] = float(value), digest
    series = pd.Series(values, name=metric).rename_axis("doc_id")
    series.attrs = {"task": task, "metric": metric, "filter": filter} | _lower(metric)
    if others:
        series.attrs["notes"] = (f"The log also has {some_of(others)}.",)
    return series, hashes


# Metrics of which less is better.
_LOWER = {"bits_per_byte", "brier", "brier_score", "byte_perplexity", "cer", "loss", "mae", "mse"}
_LOWER |= {"nll", "perplexity", "rmse", "ter", "wer", "word_perplexity"}


def _lower(metric: str) -> dict[str, bool]:
    return {"higher_is_better": False} if metric.lower() in _LOWER else {}


# --- Inspect --------------------------------------------------------------------------------

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def _inspect_logs(name: str, paths: Any) -> dict[str, tuple[Path, list[dict[str, Any]]]]:
    """By task the log and its samples."""
    logs: dict[str, tuple[Path, list[dict[str, Any]]]] = {}
    for item in _listed(name, paths):
        both = [*item.rglob("*.eval"), *item.rglob("*.json")] if item.is_dir() else [item]
        if not both:
            raise ValueError(f"{name}: {str(item)!r}: expected logs of Inspect, .eval or .json")
        for path in sorted(both):
            task, samples = _inspect_log(path)
            if task in logs:
                raise _second(path, task, logs[task][0])
            logs[task] = path, samples
    return dict(sorted(logs.items()))


def _inspect_log(path: Path) -> tuple[str, list[dict[str, Any]]]:
    """The task of a log and its samples, as far as they are needed."""
    if os.stat(path).st_size > _MOST_BYTES:
        raise _fault(path, 0, f"more than {_MOST_BYTES:,} bytes; expected a smaller file")
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                if sum(part.file_size for part in archive.infolist()) > 4 * _MOST_BYTES:
                    raise _fault(path, 0, "unpacks to more than two gigabytes; expected less")
                if "header.json" not in names:
                    text = "the log has no header: was the evaluation stopped?"
                    raise _fault(path, 0, text, "expected a finished log (inspect eval-retry)")
                header = json.loads(archive.read("header.json"))
                # The summaries hold every score and are a thousandth of the samples.
                if "summaries.json" in names:
                    samples = json.loads(archive.read("summaries.json"))
                else:
                    files = sorted(name for name in names if name.startswith("samples/"))
                    samples = [json.loads(archive.read(name)) for name in files]
        else:
            header = json.loads(read_text(path))
            samples = header.get("samples") or []
        status, task = header["status"], str(header["eval"]["task"])
        if not all(isinstance(s, dict) and {"id", "epoch"} <= s.keys() for s in samples):
            raise TypeError
    except NotImplementedError:
        text = "the log is compressed with zstd, which Python reads from 3.14 on"
        way_on = "inspect log convert --to json FILE --output-dir DIR"
        raise _fault(path, 0, text, f"take that, or convert it: {way_on}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RecursionError) as error:
        raise _fault(path, 0, f"not readable ({error!s:.80})", "is the file cut off?") from None
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        text = f"expected a log of Inspect, .eval or .json ({type(error).__name__})"
        raise _fault(path, 0, text) from None
    if status != "success":
        text = f"the evaluation did not finish (status {status!r:.40})"
        raise _fault(path, 0, text, "expected a finished log (inspect eval-retry)")
    return task, samples


def _value(sample: dict[str, Any], scorer: str) -> Any:
    """What the scorer, or one of its values, gave; None where there is nothing."""
    scores = sample.get("scores") or {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        if name == scorer:
            return value
        if scorer.startswith(f"{name}/") and isinstance(value, dict):
            return value.get(scorer[len(name) + 1 :])
    return None


def _scorers(samples: list[dict[str, Any]]) -> list[str]:
    found = set()
    for sample in samples:
        scores = sample.get("scores")
        for name, score in scores.items() if isinstance(scores, dict) else ():
            value = score.get("value") if isinstance(score, dict) else None
            found |= {f"{name}/{k}" for k in value} if isinstance(value, dict) else {name}
    return sorted(found)


def _epochs(path: Path, samples: list, task: str, scorer: Any, unscored: str) -> Any:
    """One Series per epoch, or the only one."""
    import pandas as pd

    known = _scorers(samples)
    if not known:
        text = f"none of the {len(samples)} samples of {task!r:.60} has a score"
        raise _fault(path, 0, text, "score the log first (inspect score)")
    scorer = _pick(path, task, "scorer", scorer, known)
    runs: dict[Any, dict[str, float]] = {}
    missing, grades = [], set()
    for sample in samples:
        name, value = str(sample["id"]), _value(sample, scorer)
        place = f"the sample {name!r:.60}"
        if value is None:
            missing.append(name)
            if unscored == "drop":
                continue
            value = 0.0
        grades |= {value} if isinstance(value, str) and value in _GRADES else set()
        number = _GRADES.get(value, as_number(value)) if isinstance(value, str) else value
        if not isinstance(number, int | float) or not abs(number) < 1e300:
            raise _fault(path, 0, f"{place}: {value!r:.60} is no grade and no finite number")
        run = runs.setdefault(sample["epoch"], {})
        if name in run:
            raise _fault(path, 0, f"{place} comes twice in epoch {sample['epoch']!r:.20}")
        run[name] = float(number)
    if missing and unscored == "refuse":
        what = _checks.plural("sample", len(missing))
        text = f"{len(missing)} {what} without a score, such as {missing[0]!r:.60}"
        way_on = "say unscored='wrong' to count them 0, or 'drop' to leave them out"
        raise _fault(path, 0, text, way_on)
    if missing and unscored == "drop":  # in every epoch: runs are compared item by item
        runs = {e: {n: x for n, x in r.items() if n not in missing} for e, r in runs.items()}
    ids = next(iter(runs.values()), {})
    other = next((epoch for epoch, run in runs.items() if run.keys() != ids.keys()), None)
    if not ids or other is not None:
        text = "no sample with a score" if not ids else f"epoch {other} has other samples"
        raise _fault(path, 0, f"{text} (task {task!r})")
    notes = []
    if grades:
        notes.append("Grades count C = 1, I = 0.")
        notes += [f"Grade {x} counts {_GRADES[x]:g}." for x in sorted(grades - {"C", "I"})]
    if missing:
        done = "counted as wrong" if unscored == "wrong" else "left out"
        what = _checks.plural("sample", len(missing))
        notes.append(f"{len(missing)} {what} without a score {done}.")
    series = [pd.Series(run, name=scorer).rename_axis("sample") for run in runs.values()]
    for one in series:
        one.attrs = {"task": task, "metric": scorer, "notes": tuple(notes)} | _lower(scorer)
    return series if len(series) > 1 else series[0]


# --- What both have -------------------------------------------------------------------------


def _shared(what: str, old: Mapping[Any, Any], new: Mapping[Any, Any], unmatched: str) -> list[Any]:
    """What both models have; the rest is refused, or named in a warning."""
    alone = sorted(set(old) ^ set(new))
    if alone:
        shown = f"{what}: {len(alone)} only in old or new: {some_of(alone)}"
        if unmatched == "refuse" or not set(old) & set(new):
            raise ValueError(f"{shown}; expected both models on the same, or unmatched='drop'")
        warnings.warn(f"{shown}; left out", stacklevel=3)
    return sorted(set(old) & set(new))
