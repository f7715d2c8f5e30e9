"""Readers: a file becomes `Results`, or what else its format holds.

`read` looks into the files and finds their format; for those who know it there is one reader per
format. `FORMATS` lists them all, in the order in which they are tried. `example` gives the paths of
small files of each kind.

A reader refuses a file that it cannot read in full, with an `InputError` (or the system's
``OSError``) that names the file, the line and what to do; it drops nothing without
a word. Files are in UTF-8; a byte order mark, the line ends of all systems and gzip are taken off.
Files of more than 500 MB or ten million lines are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan import _checks
from betterthan._words import some_of
from betterthan.errors import InputError, Say, ignoring_more
from betterthan.readers import (
    candidates,
    conll,
    conllu,
    fold_counts,
    folds,
    inspect_ai,
    lm_eval,
    one_number,
    probabilities,
    promptfoo,
    pvalues,
    swebench,
    tables,
    translations,
    trec,
    votes,
    words,
)
from betterthan.readers._format import Format
from betterthan.readers._table import other_separator
from betterthan.readers._text import PathLike, Source, decode
from betterthan.readers.candidates import read_candidates
from betterthan.readers.conll import read_columns, read_conll
from betterthan.readers.conllu import read_conllu
from betterthan.readers.elsewhere import refuse_elsewhere
from betterthan.readers.fold_counts import read_fold_counts
from betterthan.readers.folds import read_folds
from betterthan.readers.inspect_ai import read_inspect
from betterthan.readers.lm_eval import read_lm_eval
from betterthan.readers.probabilities import Answers, read_probabilities
from betterthan.readers.promptfoo import read_promptfoo
from betterthan.readers.pvalues import read_pvalues
from betterthan.readers.swebench import read_swebench
from betterthan.readers.tables import read_table
from betterthan.readers.translations import read_translations
from betterthan.readers.trec import read_trec
from betterthan.readers.votes import read_votes
from betterthan.readers.words import read_words
from betterthan.results import Results

__all__ = [
    "EXAMPLES",
    "FORMATS",
    "Answers",
    "Format",
    "Source",
    "decode",
    "example",
    "format_of",
    "read",
    "read_candidates",
    "read_columns",
    "read_conll",
    "read_conllu",
    "read_fold_counts",
    "read_folds",
    "read_inspect",
    "read_lm_eval",
    "read_probabilities",
    "read_promptfoo",
    "read_pvalues",
    "read_swebench",
    "read_table",
    "read_translations",
    "read_trec",
    "read_votes",
    "read_words",
]

# In the order in which they are tried: the particular before the general.
FORMATS: tuple[Format, ...] = (
    translations.FORMAT,
    lm_eval.FORMAT,
    inspect_ai.FORMAT,
    promptfoo.FORMAT,
    swebench.FORMAT,
    trec.FORMAT,
    one_number.FORMAT,
    conllu.FORMAT,
    conll.FORMAT,
    pvalues.FORMAT,
    probabilities.FORMAT,
    candidates.FORMAT,
    fold_counts.FORMAT,
    votes.FORMAT,
    folds.FORMAT,
    tables.FORMAT,
    words.FORMAT,
)

_JUDGES = tuple(f"words/judge{number:02d}.txt" for number in range(1, 11))
# The kinds of files that `example` knows.
EXAMPLES: dict[str, tuple[str, ...]] = {one.kind: one.example for one in FORMATS} | {
    "answers": ("answers.csv",),
    "datasets": ("datasets.csv",),
    "predictions": ("predictions.csv",),
    "raters": ("raters.csv",),
    "scores": ("scores.csv",),
    "words": (*words.FORMAT.example, *_JUDGES),
    "prompts": ("prompts.csv",),
    "seconds": ("seconds.csv",),
}


def read(*paths: PathLike, **options: Any) -> tuple[Results, ...]:
    """The systems in one or more files, whatever their format.

    Looks at what is *in* the files: tables (CSV, JSON lines, Excel …), votes, CoNLL columns,
    CoNLL-U, logs of Inspect and lm-evaluation-harness, results of promptfoo and SWE-bench, TREC
    runs, one number per line, translations, segmented words. ``print`` of a result says what it
    holds, ``results.reading`` how it was read.

    Parameters
    ----------
    *paths : str or Path
        One file, folder or ``"-"`` (standard input) with all systems, or one per system, the old
        one first.
    **options
        What the reader of the format takes: ``groups= gold= key= systems= ignore= where=`` of
        tables, ``scheme=`` of tags, ``metric= task=`` of logs, ``references=`` of translations …
        An option that does nothing for the format is refused.

    Returns
    -------
    tuple of Results
        One per system; ``compare(*read("old.conll", "new.conll"))`` compares two.

    Raises
    ------
    InputError
        For a file that is of no known format, and whatever its reader refuses.
    OSError
        For a file that cannot be opened.

    Examples
    --------
    >>> from betterthan import compare, read
    >>> from betterthan.readers import example
    >>> old, new = read(*example("conll"))
    >>> print(old)
    120 sentences in 12 groups: F1 0.8114
    >>> compare(old, new).names
    ('old', 'new')
    """
    if not paths:
        raise InputError("paths", expected="at least one file")
    sources = [Source(path) for path in paths]
    given = {name: value for name, value in options.items() if value is not None}
    kind = format_of(sources, given)
    if kind.gives != "results":
        text = f"{kind.holds}, which readers.{kind.reader} reads"
        raise sources[0].fault(problem=text, expected="results of systems")
    kind.refuse_idle(given, sources[0].path)
    return tuple(kind.read(sources, **given))


def format_of(sources: Sequence[Source], options: Mapping[str, Any] | None = None) -> Format:
    """Which format the files are of.

    Parameters
    ----------
    sources : sequence of Source
        The files.
    options : mapping, optional
        What is said about them.

    Returns
    -------
    Format

    Raises
    ------
    InputError
        If they are of none, or of one that is known and not read (`elsewhere`).
    """
    asked = options or {}
    refuse_elsewhere(sources)
    known = _recognised(sources, **asked)
    if known is not None:
        return known
    if sources[0].folder is not None:
        raise _no_logs(sources[0], sources[0].folder)
    if not sources[0].head.strip():
        raise sources[0].fault(problem="the file is empty")
    kinds = ", ".join(one.holds for one in FORMATS)
    mark = None if "separator" in asked else other_separator(sources[0].head)
    ways = [Say("separator", mark, "for a table")]
    if mark is None:
        ways = [
            Say("gold", when="for segmented words, with the gold standard"),
            Say("references", when="for translations"),
        ]
    raise sources[0].fault(expected=f"one of: {kinds}", ways=ways)


@ignoring_more
def _recognised(sources: Sequence[Source], **asked: Any) -> Format | None:
    return next((known for known in FORMATS if known.recognises(sources, asked)), None)


def _no_logs(source: Source, folder: Path) -> InputError:
    """A folder in which nothing was found that is read from folders."""
    inside = sorted(path.name for path in folder.iterdir())
    text = f"none of its files is a log: {some_of(inside)}" if inside else "the folder is empty"
    expected = "in a folder samples_TASK_TIME.jsonl (lm-evaluation-harness writes it with "
    expected += "--log_samples), or .eval or .json (Inspect); other files are given one by one"
    return source.fault(problem=text, expected=expected)


def example(kind: str) -> Any:
    """Where the small example files are that the package ships; all of them are made up.

    Parameters
    ----------
    kind : str
        A format ("conll", "conllu", "folds", "fold_counts", "pvalues", "lm_eval", "inspect",
        "promptfoo", "swebench", "translations", "trec", "candidates", "votes", "words",
        "probabilities", "numbers", "table"), or "answers" (right or wrong, on topics that nobody
        said to be groups), "predictions", "scores" (per segment, three systems), "raters" (four
        per item), "datasets" (scores on datasets), "prompts" (right or wrong, with the same four
        prompts for both), "seconds".

    Returns
    -------
    Path or tuple of Path
        The file; where there are several, the old system before the new one.

    Raises
    ------
    InputError
        For another kind.

    Examples
    --------
    >>> old, new = example("conll")
    >>> old.name, new.name
    ('old.conll', 'new.conll')
    >>> print(example("scores").read_text().splitlines()[0])
    segment,old,new,large
    """
    files = EXAMPLES[_checks.choice("kind", kind, tuple(EXAMPLES))]
    folder = Path(__file__).parents[1] / "examples"
    paths = tuple(folder / file for file in files)
    return paths if len(paths) > 1 else paths[0]
