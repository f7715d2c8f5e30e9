"""From files to the sentence for the paper: is model B really better than model A?

commands:
  betterthan look FILE…                         what is in a file, and what can be asked of it
  betterthan score FILE                         one system, or each system of a table
  betterthan compare OLD NEW                    two files or two logs; a table of systems
  betterthan datasets OLD NEW                   many tasks: on which is B better, on which worse
  betterthan plan OLD NEW --difference 0.01     how many items
  betterthan threshold ANSWERS --error 0.05     how sure a model must be to be left alone
  betterthan example KIND [FOLDER]              files to try it with; without KIND all kinds

A is the old system, B the new one. Each command has options: betterthan compare --help.
A file may be - for standard input, and may be packed by gzip.

files:
{files}

examples:
  betterthan example conll
  betterthan compare old.conll new.conll
  betterthan compare old.tags new.tags --gold gold.tags --scheme plain --metric accuracy
  betterthan compare predictions.csv --metric macro_f1 --groups author
  betterthan compare scores.csv --where difficulty=hard --systems old new
  betterthan compare old.eval new.eval --margin 0.01 --plot difference.svg
  betterthan compare old.run new.run --gold judgements.qrels --metric nDCG@10
  betterthan compare old.conllu new.conllu --gold gold.conllu --column LAS
  betterthan compare march.csv april.csv --unpaired
  betterthan compare old.jsonl new.jsonl --at-least 0 --open 3 --markdown
  betterthan datasets bbh.csv --groups task
  betterthan datasets runs/old runs/new --metric arc_easy=acc_norm --filter gsm8k=strict-match
  betterthan score answers.csv --groups topic
  betterthan threshold probabilities.csv --error 0.05
  betterthan compare counts-of-folds.csv --repetitions 3

exit code: 0; 1 where --at-least was not reached (with --open N: N where that cannot be told yet);
2 for what cannot be read, with the reason; 70 for a defect of betterthan itself
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import betterthan
from betterthan import _example_files, _files, _hints, _printing, readers
from betterthan._flags import in_flags
from betterthan._gate import Gate, gate_of
from betterthan._options import (
    ADDED,
    DEFAULTS,
    Parser,
    add_output,
    add_reading,
    refuse_wrong_values,
)
from betterthan._saved import refuse_unwritable, save
from betterthan._words import counted, enumerated, plural, some_of
from betterthan.errors import ANYTHING, InputError, Say, Words
from betterthan.readers import Format, Source

__all__ = ["main"]

BAD_INPUT, DEFECT = 2, 70


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        As typed after ``betterthan``; by default those of the process.

    Returns
    -------
    int
        0; 1 where the difference is not at least what was asked for (with ``--open 3`` 3 where that
        cannot be told yet); 2 for bad input; 70 for a defect of ours.

    Raises
    ------
    SystemExit
        For options that do not exist; code 2.

    Examples
    --------
    >>> old, new = readers.example("conll")
    >>> main(["compare", str(old), str(new), "--at-least", "0.05"])  # doctest: +ELLIPSIS
    F1 is 0.8114 for old and 0.8747 for new. new minus old is +0.0633 ...
    Gate not passed: the gain's lower end +0.0103 is not above 0.05.
    1
    """
    options = _parser().parse_args(arguments)
    try:
        return int(options.do(options))
    except InputError as error:
        return _refused(error.told(_words_for(options)))
    except OSError as error:
        return _refused(_of_the_system(error, options))
    except (ValueError, ModuleNotFoundError) as error:
        return _refused(str(error))
    except KeyboardInterrupt:
        return _refused("stopped")
    except Exception:
        print("betterthan: this is a defect of betterthan, please report it", file=sys.stderr)
        traceback.print_exc()
        return DEFECT


def _refused(text: str) -> int:
    _printing.write(f"betterthan: {text}", sys.stderr)
    return BAD_INPUT


def _of_the_system(error: OSError, options: argparse.Namespace) -> str:
    """What the system says of a file, without its number."""
    if error.filename is None or not error.strerror:
        return str(error)
    written = [getattr(options, name, None) for name in ("plot", "disagreements")]
    if not isinstance(error, FileNotFoundError) or error.filename in written:
        return f"{error.filename}: {error.strerror.lower()}"
    return f"{error.filename}: no such file; {_files.instead_of(error.filename)}"


def _words_for(options: argparse.Namespace) -> Words:
    """Arguments as they are typed; other files, with the command as it was typed for these."""

    def words(argument: str, value: Any) -> str:
        if argument == "paths" and isinstance(value, list):
            return _typed(options, options.command, value)
        return in_flags(argument, value)

    return words


def _typed(
    options: argparse.Namespace,
    command: str,
    files: Sequence[str],
    more: Sequence[Say] = (),
    idle: Iterable[str] = (),
) -> str:
    """A command about files, with what was typed before but for what is idle there, and `more`."""
    gone = {*idle, *(way.instead_of for way in more)}
    before = _said_options(options) | _beside_reading(options, command)
    given = {name: value for name, value in before.items() if name not in gone}
    given |= {way.argument: way.value for way in more}
    paths = [_printing.quoted(path) for path in files]
    flags = [in_flags(name, value) for name, value in given.items()]
    return " ".join(["betterthan", command, *paths, *flags])


def _beside_reading(options: argparse.Namespace, command: str) -> dict[str, Any]:
    """What was typed that says nothing about files, as far as a command takes it, too."""
    found = {}
    for name, value in vars(options).items():
        taken = name in ("names", "confidence")
        if command == options.command:
            taken = name not in ("do", "run", "command", "files")
        silent = value is None or (value is False and name != "shared_runs")
        if taken and name not in _READING and not silent and value != DEFAULTS.get(name):
            whole = isinstance(value, float) and value.is_integer()  # 0 as it was typed, not 0.0
            found[name] = int(value) if whole else value
    return found


# --- Running ------------------------------------------------------------------------------------


@dataclass
class Answer:
    """What a command found, and what to print below the sentence."""

    result: Any
    tables: list[Any] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    # Of each part its name and what was found, for --json.
    parts: list[dict[str, Any]] = field(default_factory=list)
    # Of units without names where each stands, for --disagreements.
    places: Mapping[str, Sequence[int]] | None = None


def _ignoring_more(run: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
    """For a command: columns that a way on leaves out are added to those left out already."""

    @wraps(run)
    def running(request: Request) -> Answer:
        try:
            return run(request)
        except InputError as error:
            error.add_to("ignore", request.said.get("ignore", ()))
            raise

    return running


def _run(options: argparse.Namespace) -> int:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = options.run(Request.of(options))
        save(answer.result, options, answer.places)
    answer.read += dict.fromkeys(str(one.message) for one in caught if one.category is UserWarning)
    gate = gate_of(answer.result, options)
    try:
        _show(options, answer, gate)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads it has seen enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if gate is None else gate.code


@dataclass(frozen=True)
class Request:
    """What was typed: the command, the files, their format, and what was said about them."""

    options: argparse.Namespace
    sources: list[Source]
    format: Format
    said: dict[str, Any]  # reader's and statistics' options that were given

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """The request, with options that do nothing refused."""
        said = _said_options(options)
        refuse_wrong_values(options)
        refuse_unwritable(options)
        _files.refuse_twice(options.files)
        sources = [Source(path) for path in options.files]
        kind = readers.format_of(sources, said)
        request = cls(options, sources, kind, said)
        if options.command != "look":
            request._refuse_other_commands()
            request._refuse_idle()
        return request

    @property
    def path(self) -> str:
        """The first file."""
        return self.sources[0].path

    def _refuse_other_commands(self) -> None:
        asked, known = self.options.command, self.format.questions
        if asked in known:
            return
        instead = "compare" if "compare" in known and asked != "threshold" else known[0]
        ways = _hints.readings(self.read()) if self.format.kind == "pvalues" else [[]]
        typed = ", or ".join(self.typed(instead, way) for way in ways)
        text = f"{asked} has no answer for {self.format.holds}: {typed}"
        if asked == "datasets":
            text += f". {_FOR_DATASETS}"
        raise self.sources[0].fault(problem=text)

    def typed(
        self, command: str, more: Sequence[Say] = (), files: Sequence[str] | None = None
    ) -> str:
        """A command about the same or other files, with what was typed before, and `more`."""
        idle = set(_no_use(command, self.format.kind))
        if command not in (self.options.command, "look"):
            taken = self.format.options | _OF_COMMANDS[command] & self.format.compared_by
            idle |= {name for name in _READING if name not in taken}
        return _typed(self.options, command, files or self.options.files, more, idle)

    def with_another(self) -> str:
        """What to type where the file of the other system is missing."""
        again = self.typed(self.options.command, files=[*self.options.files, "OTHER"])
        return f"name the other file, too: {again}"

    def _refuse_idle(self) -> None:
        asked = _OF_COMMANDS[self.options.command] & self.format.compared_by
        known = (self.format.options - self.format.untyped) | asked
        for name, value in self.said.items():
            if name not in known:
                raise self._idle(name, value)
        for name in _no_use(self.options.command, self.format.kind):
            value = getattr(self.options, name, None)
            if value not in (None, False, DEFAULTS.get(name)):
                raise self._idle(name, value)

    def _idle(self, name: str, value: Any) -> InputError:
        text = f"does nothing for {self.format.holds} ({self.path})"
        return InputError(name, value, problem=text)

    def reader_options(self) -> dict[str, Any]:
        """What the reader of the format takes."""
        return {name: value for name, value in self.said.items() if name in self.format.options}

    def read(self) -> Any:
        """What is in the files."""
        if self.format.kind == "table":
            readers.tables.refuse_column_as_metric(
                self.sources, self.metric(), **self.reader_options()
            )
        return self.format.read(self.sources, **self.reader_options())

    def metric(self) -> Any:
        """The metric, where the reader has not taken it."""
        return None if "metric" in self.format.options else self.said.get("metric")

    def comparing(self) -> dict[str, Any]:
        """What `compare` is asked."""
        asked = {"margin": self.options.margin, "confidence_level": self.options.confidence}
        if self.options.lower_is_better:
            asked["higher_is_better"] = False
        if self.options.unpaired:
            asked["paired"] = False
        if self.options.shared_runs is not None:
            asked["shared_runs"] = self.options.shared_runs
        return asked


def _said_options(options: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, by their names in Python."""
    found = {}
    for name in _READING:
        value = getattr(options, name, None)
        if value is not None and value is not False:  # a share of 0 was said, and is refused
            found[name] = value
    for name in ("metric", "filter"):
        if name in found:
            found[name] = _by_task(name, found[name])
    if "ignore" in found:
        found["ignore"] = list(dict.fromkeys(found["ignore"]))
    if "where" in found:
        found["where"] = dict(_pair("where", one) for one in found["where"])
    return found


def _pair(name: str, text: str) -> tuple[str, str]:
    column, mark, value = text.partition("=")
    if not mark:
        raise InputError(name, text, expected="COLUMN=VALUE")
    return column, value


def _by_task(name: str, given: Sequence[str]) -> Any:
    """One name for everything, or a name for each task."""
    tasks = dict(_pair(name, one) for one in given if "=" in one)
    if len(given) > 1 and len(tasks) < len(given):
        raise InputError(name, given, expected="one, or TASK=NAME for each")
    return tasks or given[0]


_FOR_DATASETS = (
    "datasets takes a table with a column of tasks, logs of two models on several tasks, or a "
    "table of p-values: compare the two files of each dataset, and write one row for each, with "
    "the columns dataset, p, a, b (the scores of both) and alternative (two-sided)"
)

# What can be said about files, in the words of the readers.
_READING = (
    "column",
    "columns",
    "comments",
    "empty",
    "filter",
    "gold",
    "groups",
    "ignore",
    "items",
    "key",
    "label",
    "metric",
    "missing",
    "positive",
    "references",
    "repetitions",
    "runs",
    "scheme",
    "separator",
    "systems",
    "task",
    "test_share",
    "unmatched",
    "unscored",
    "where",
)
_OF_COMMANDS = {
    "score": frozenset({"metric"}),
    "compare": frozenset({"metric", "unmatched"}),
    "plan": frozenset({"metric", "unmatched"}),
    "datasets": frozenset({"metric", "unmatched"}),
    "threshold": frozenset(),
    "look": frozenset(_READING),
}

# What the answers about some files have no use for, though the command has.
_OF_PVALUES = ("alternative",)
_NO_USE = {
    "pvalues": ("margin", "lower_is_better", "shared_runs", "unpaired"),
    "probabilities": ("confidence", "names"),
    "candidates": (
        "margin",
        "lower_is_better",
        "confidence",
        "at_least",
        "ratio",
        "shared_runs",
        "unpaired",
    ),
    "fold_counts": (
        "lower_is_better",
        "confidence",
        "at_least",
        "disagreements",
        "ratio",
        "shared_runs",
        "unpaired",
    ),
}


def _no_use(command: str, kind: str) -> tuple[str, ...]:
    """Options of a command that say nothing about this kind of file."""
    if command == "threshold":
        return ("names",)
    return _NO_USE.get(kind, _OF_PVALUES)


# --- Commands -----------------------------------------------------------------------------------


def _score(request: Request) -> Answer:
    """One system with its interval, or each system of a table."""
    if request.format.kind == "probabilities":
        return _score_answers(request)
    if request.format.kind == "fold_counts":
        return _score_fold_counts(request)
    systems = _named(request, request.read())
    level = request.options.confidence
    results = {
        one.name: betterthan.score(one, request.metric(), confidence_level=level) for one in systems
    }
    result = results if len(results) > 1 else next(iter(results.values()))
    return Answer(result, [_stacked("system", results)], _reading(request, systems))


def _score_answers(request: Request) -> Answer:
    from betterthan import confidence

    answers = request.read()
    result = confidence.evaluate(answers)
    read = [f"{request.path}: {counted(len(answers), 'answer')}", *answers.reading]
    return Answer(result, [result.table()], read)


def _threshold(request: Request) -> Answer:
    """From which probability on a model's answers need no check."""
    from betterthan import confidence

    answers, asked = request.read(), request.options
    result = confidence.threshold(answers, error=asked.error, confidence_level=asked.confidence)
    read = [f"{request.path}: {counted(len(answers), 'answer')}", *answers.reading]
    table = result.table()
    return Answer(result, [table[table["level"] > 0]], read)


def _score_fold_counts(request: Request) -> Answer:
    """The posterior of each model."""
    from betterthan import bcv

    models = _named(request, request.read())
    found = {one.name: bcv.posterior(one, request.metric() or "f1") for one in models}
    result = found if len(found) > 1 else next(iter(found.values()))
    return Answer(result, [_stacked("system", found)], _reading(request, models))


def _compare_fold_counts(request: Request) -> Answer:
    """The Bayes test of two models."""
    from betterthan import bayes

    models = _named(request, request.read())
    if len(models) != 2:
        found = some_of([one.name for one in models])
        ways = [Say("systems")] if len(models) > 2 else []
        raise request.sources[0].fault(expected=f"two models, found {found}", ways=ways)
    metric, margin = request.metric() or "f1", request.options.margin
    result = bayes.compare(models[0], models[1], metric, margin=margin)
    return Answer(result, [result.table()], _reading(request, models))


def _compare(request: Request) -> Answer:
    """Two systems, or all systems of a table."""
    if request.format.kind == "candidates":
        return _compare_candidates(request)
    if request.format.kind == "fold_counts":
        return _compare_fold_counts(request)
    systems = _named(request, request.read())
    if len(systems) < 2 or (request.format.kind == "folds" and len(systems) > 2):
        raise _not_two(request, systems)
    asked = request.comparing()
    read = [*_reading(request, systems), *_runs_taken(request, systems)]
    if request.options.unpaired and (systems[0].unit == "fold" or len(systems) > 2):
        text = "two systems on separate samples of items"
        raise InputError("paired", False, expected=f"{text}, found {some_of(_names(systems))}")
    _refuse_no_ratio(request, systems)
    if systems[0].unit == "fold":
        return _compare_folds(request, systems)
    asked["unmatched"] = request.said.get("unmatched", "refuse")
    if len(systems) == 2:
        if request.options.ratio:
            asked["ratio"] = True
        result = betterthan.compare(systems[0], systems[1], request.metric(), **asked)
        answer = Answer(result, [result.table()], read + _direction_taken(request, systems))
        answer.places = _places(request, systems[0])
        return answer
    if request.options.margin or request.options.at_least is not None:
        text = f"--margin and --at-least need two systems, found {len(systems)}"
        raise InputError(problem=text, ways=_two_of(request, systems))
    del asked["margin"]
    many = betterthan.compare_many(systems, request.metric(), **asked)
    return Answer(many, [many.ranks, many.table()], read)


def _places(request: Request, first: Any) -> Mapping[str, Sequence[int]] | None:
    """Where the units stand, if they have no names and somebody asks."""
    if first.ids is not None or not request.options.disagreements:
        return None
    if request.format.kind != "conll":
        return {}
    return readers.conll.places(request.sources[0], **request.reader_options())


def _not_two(request: Request, systems: Sequence[Any]) -> InputError:
    """One system, or more than two where only two can be compared."""
    ways = [Say("systems")] if len(systems) > 2 else []
    text = f"two systems, found {some_of(_names(systems))}"
    if len(systems) == 1:
        text += f"; {request.with_another()}"
        if request.format.kind == "table":
            ways = readers.tables.ways_to_second(request.sources, **request.reader_options())
    return request.sources[0].fault(expected=text, ways=ways)


def _compare_folds(request: Request, systems: Sequence[Any]) -> Answer:
    """Scores of folds, which are no items."""
    if "metric" in request.said:
        text = f"does nothing for scores of folds ({request.path})"
        raise InputError("metric", request.said["metric"], problem=text)
    result = betterthan.compare_folds(systems[0], systems[1], **request.comparing())
    return Answer(result, [result.table()], _reading(request, systems))


def _direction_taken(request: Request, systems: Sequence[Any]) -> list[str]:
    """What one may want to say of numbers that are neither shares nor right and wrong."""
    from betterthan._values import Numbers

    held = [run for one in systems if isinstance(one.held, Numbers) for run in one.held.runs]
    if not held or all((run >= 0).all() and (run <= 1).all() for run in held):
        return []
    lines = []
    if systems[0].higher_is_better and not request.options.lower_is_better:
        lines.append("more is taken to be better; --lower-is-better says otherwise")
    if not request.options.ratio and all((run > 0).all() for run in held):
        lines.append("for seconds and costs --ratio asks how many times as much")
    return lines


def _runs_taken(request: Request, systems: Sequence[Any]) -> list[str]:
    """That runs of the same names were taken as shared, where nothing was said about them."""
    from betterthan._crossed import paired_runs

    if request.options.unpaired or request.options.shared_runs is not None:
        return []
    if len(systems) < 2 or not paired_runs(systems, _names(systems), None)[1]:
        return []
    who = "both systems" if len(systems) == 2 else "all systems"
    text = f"{who} have runs of the same names ({some_of(systems[0].run_names)}), which count as"
    return [f"{text} shared; --no-shared-runs takes them as separate"]


def _names(systems: Sequence[Any]) -> list[str]:
    return [one.name for one in systems]


def _two_of(request: Request, systems: Sequence[Any]) -> list[Say]:
    """How to ask about two of more systems: the first two, as they stand or were typed."""
    if len(request.sources) > 1:
        return [Say("paths", request.options.files[:2])]
    return [Say("systems", _names(systems)[:2])]


def _refuse_no_ratio(request: Request, systems: Sequence[Any]) -> None:
    """A ratio is asked of two systems on the same items, and has no gate."""
    options = request.options
    if systems[0].unit == "fold":
        for name, value in (("ratio", options.ratio or None), ("shared_runs", options.shared_runs)):
            if value is not None:
                text = f"does nothing for scores of folds ({request.path})"
                raise InputError(name, value, problem=text)
    if options.ratio and len(systems) > 2:
        text = f"needs two systems, found {len(systems)}"
        raise InputError("ratio", True, problem=text, ways=_two_of(request, systems))
    if options.ratio and options.at_least is not None:
        text = "is a difference, so it does not go with a ratio; leave out --ratio to ask for a"
        text += " difference, or let a program read ratio_interval from --json, without --at-least"
        raise InputError("at_least", options.at_least, problem=text)


def _compare_candidates(request: Request) -> Answer:
    from betterthan import ranking

    gold = request.said.get("gold", "gold")
    table = request.read()
    scores = [name for name in table if table[name].dtype.kind == "f"]
    if len(scores) != 2:
        raise request.sources[0].fault(
            expected=f"scores of two systems, found {some_of(scores)}", ways=[Say("systems")]
        )
    a, b = scores
    names = tuple(request.options.names or scores)
    column = request.said.get("groups")
    groups = None if column is None else table[column]
    result = ranking.compare(table[a], table[b], table[gold], names=names, groups=groups)
    read = [f"{request.path}: {counted(len(table), 'candidate')}", f"{gold} says which are hits"]
    if column is not None:
        read.append(f"{column} says what belongs together: {result.n_groups:,} groups")
    return Answer(result, [], read)


def _plan(request: Request) -> Answer:
    """How many items a comparison needs."""
    from betterthan.paired import Comparison

    pilot = _compare(request)
    asked = request.options
    if not isinstance(pilot.result, Comparison):
        systems = _named(request, request.read())
        text = f"two systems, found {some_of(_names(systems))}"
        raise request.sources[0].fault(expected=text, ways=_two_of(request, systems))
    result = betterthan.plan(
        pilot.result,
        difference=asked.difference,
        n=asked.n,
        power=asked.power,
        confidence_level=asked.confidence,
    )
    return Answer(result, [result.table()], [*pilot.read, f"the pilot: {pilot.result}"])


def _datasets(request: Request) -> Answer:
    """Many tasks or p-values: on how many, on which, and on which it is worse."""
    from betterthan import replicability

    # 1 - 0.95 is a hair more than 0.05.
    alpha = round(1 - request.options.confidence, 12)
    shared = {"local": request.options.local, "alpha": alpha}
    if request.format.kind == "pvalues":
        found, side = request.read(), request.options.alternative
        _refuse_two_sided(request, found)
        called = _hints.systems_of_pvalues(request.sources[0], request.said)
        names = request.options.names or called
        one_way = replicability.analyse(found, systems=names, alternative=side, **shared)
        table = one_way.table()
        read = [f"{request.path}: {len(found)} p-values", *_hints.scores_of_pvalues(called, found)]
        return Answer(one_way, [table], read, table.to_dict(orient="records"))
    results, read = _each_dataset(request)
    both = replicability.analyse_both(results, **shared)
    named = both.table()
    rows = named.to_dict(orient="records")
    parts = [row | _recorded(results[row["dataset"]]) for row in rows]
    read += _notes_of_some(results)
    return Answer(both, [named, _table_of_tasks(results)], read, parts)


def _refuse_two_sided(request: Request, found: Any) -> None:
    """Two-sided p-values need the scores, which a table has or has not."""
    if request.options.alternative == "two-sided" and "a" not in found:
        text = "a two-sided p-value does not say which of the two systems is better"
        wanted = (
            f"two more columns in {request.path}, the scores of both systems, the old one first"
        )
        raise InputError("alternative", "two-sided", problem=text, expected=wanted)


def _notes_of_some(results: Mapping[str, Any]) -> list[str]:
    """What is noted of some datasets; what is noted of all stands in the sentence."""
    from betterthan.replicability import shared_notes

    of_all = shared_notes(results.values())
    where: dict[str, list[str]] = {}
    for name, one in results.items():
        for note in [*one.notes, *_few_runs_decide(one)]:
            if note not in of_all:
                where.setdefault(note, []).append(name)
    return [f"{enumerated(names)}: {note}" for note, names in where.items()]


# With fewer degrees of freedom Student's t makes an interval a third wider than the normal does.
_FEW_DEGREES = 5


def _few_runs_decide(result: Any) -> list[str]:
    """What makes an interval wide where its items alone would not."""
    degrees, runs = result.degrees_of_freedom, result.n_runs
    if max(runs) == 1 or degrees >= _FEW_DEGREES or 2 * degrees >= result.n_effective - 1:
        return []
    said = f"{runs[0]}" if result.shared_runs else f"{runs[0]} and {runs[1]}"
    text = f"so few runs ({said}) leave fewer than {_FEW_DEGREES} degrees of freedom (df)"
    return [f"{text}, which makes the interval wide."]


def _table_of_tasks(results: Mapping[str, Any]) -> Any:
    """One row per dataset, with how many items it has and, of several runs, how well they say."""
    table, found = _stacked("task", results), results.values()
    units = {one.unit for one in found}
    called = plural(units.pop()) if len(units) == 1 else "units"
    table.insert(1, called, [one.n_units for one in found], allow_duplicates=True)
    if any(max(one.n_runs) > 1 for one in found):
        degrees = [f"{one.degrees_of_freedom:.4g}" for one in found]
        table.insert(2, "df", degrees, allow_duplicates=True)
    return table


def _each_dataset(request: Request) -> tuple[dict[str, Any], list[str]]:
    """One comparison per task, of logs or of a table."""
    asked = request.comparing()
    if request.format.kind == "table":
        systems, said = _named(request, request.read()), request.reader_options()
        if len(systems) != 2 or systems[0].groups is None:
            named = systems[0].groups is not None
            ways = [] if named else [Say("groups", when="names the column of tasks")]
            ways += _two_of(request, systems) if len(systems) > 2 else []
            found = some_of(_names(systems))
            text = f"two systems on the groups of a column, found {found}"
            if len(systems) == 1:
                text += f"; {request.with_another()}"
                ways = [*readers.tables.ways_to_second(request.sources, **said), *ways]
            raise request.sources[0].fault(expected=text, ways=ways)
        asked["unmatched"] = request.said.get("unmatched", "refuse")
        each = betterthan.compare_each(systems[0], systems[1], request.metric(), **asked)
        return each, [*_reading(request, systems), *_runs_taken(request, systems)]
    if len(request.sources) == 1:
        _tasks(request)  # which says so if they are of two models
        text = f"the logs of two models; {request.with_another()}"
        raise request.sources[0].fault(expected=text)
    if len(request.sources) != 2:
        raise request.sources[0].fault(expected="the logs of two models")
    tasks = _tasks(request)
    compared, read = {}, []
    for task, systems in tasks.items():
        first, second = _named(request, systems)
        compared[task] = betterthan.compare(first, second, **asked)
        read.append(f"{task}: {counted(len(first), first.unit)}, {', '.join(first.reading[1:])}")
    shared = [line for systems in tasks.values() for line in _runs_taken(request, systems)]
    return compared, [*read, *dict.fromkeys(shared)]


def _tasks(request: Request) -> dict[str, Any]:
    """All tasks of two logs."""
    from betterthan.readers import inspect_ai, lm_eval

    options = request.reader_options()
    groups = [[one] for one in request.sources]
    if request.format.kind == "inspect":
        options["scorer"] = options.pop("metric", None)
        return inspect_ai.read_sources(groups, **options)
    return lm_eval.read_sources(groups, **options)


def _look(request: Request) -> Answer:
    """What is in a file, which column is what, and what can be asked of it."""
    known = request.format
    lines = [f"{request.path}: {known.holds}"]
    try:
        lines += _contents(request)
        commands = _commands(request)
    except InputError as error:
        lines.append(f"question: {error.told(_words_for(request.options))}")
        commands = _ways_on(request, error)
    lines += [f"ask: {one}" for one in commands]
    return Answer(Look(lines), [], [])


@dataclass(frozen=True)
class Look:
    """What `betterthan look` found, line by line."""

    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def record(self) -> dict[str, Any]:
        return {"lines": self.lines}


def _contents(request: Request) -> list[str]:
    """What was read, in words."""
    kind = request.format
    if kind.kind in ("lm_eval", "inspect") and "task" not in request.said:
        tasks = _tasks(request)
        return [
            f"task {task}: " + ", ".join(f"{one.name}: {one}" for one in systems)
            for task, systems in tasks.items()
        ]
    found = kind.read(request.sources, **request.reader_options())
    if kind.kind == "pvalues":
        names = _hints.systems_of_pvalues(request.sources[0], request.said)
        more = [*_hints.scores_of_pvalues(names, found), *_hints.sides_of_pvalues(found)]
        return [counted(len(found), "row"), *more]
    if kind.gives != "results":
        return [f"{counted(len(found), 'row')}", *getattr(found, "reading", ())]
    lines = [f"{one.name}: {one}" for one in found]
    decided = [line for one in found for line in (*one.reading, *one.notes)]
    return [*lines, *dict.fromkeys(decided)]


def _commands(request: Request) -> list[str]:
    """Commands that work with these files as they are, and others that may be meant."""
    answered = [one for one in request.format.questions if _answers(request, one)]
    kind = request.format
    if kind.kind == "pvalues":
        return [request.typed("datasets", said) for said in _hints.readings(request.read())]
    if kind.gives != "results" or kind.kind in ("lm_eval", "inspect"):
        return [_command(request, one) for one in answered]
    systems = request.read()
    needed = [] if "unmatched" in request.said else _hints.needed(systems)
    # Of a file per system two are chosen by naming their files.
    options = kind.options if len(request.sources) == 1 else kind.options - {"systems"}
    return [
        *(_command(request, one, [] if one == "score" else needed) for one in answered),
        *(_command(request, one, said) for one, said in _hints.more(systems, options)),
    ]


def _command(request: Request, name: str, more: Sequence[Say] = ()) -> str:
    return request.typed(name, [*more, *_EXAMPLES.get(name, ())])


# What a command needs to be told beyond the files.
_EXAMPLES = {"plan": [Say("difference", 0.05)], "threshold": [Say("error", 0.1)]}


def _answers(request: Request, question: str) -> bool:
    """Whether a command has an answer for these files."""
    if request.format.gives != "results":
        return True
    if request.format.kind in ("lm_eval", "inspect") and "task" not in request.said:
        models, tasks = len(request.sources), len(_tasks(request))
        return models == 2 if question == "datasets" else tasks == 1 and _enough(question, models)
    systems = request.read()
    if question == "datasets":
        return len(systems) == 2 and systems[0].groups is not None
    return _enough(question, len(systems))


def _enough(question: str, n_systems: int) -> bool:
    if question == "plan":
        return n_systems == 2
    return question == "score" or n_systems > 1


def _ways_on(request: Request, error: InputError) -> list[str]:
    ways = [way for way in error.ways if way.value is not ANYTHING]
    return [
        request.typed("look", files=way.value)
        if way.argument == "paths"
        else request.typed("look", [way])
        for way in ways
    ]


def _example(options: argparse.Namespace) -> int:
    """Write small files of a kind into a folder, to try the commands with; none is overwritten."""
    if options.kind is None:
        for kind in readers.EXAMPLES:
            names = [path.name for path in _example_files.files_of(kind)]
            _printing.write(f"betterthan example {kind:<14} {some_of(names, 3)}")
        return 0
    written = _example_files.write(options.kind, Path(options.folder))
    for path in written:
        _printing.write(f"wrote {path}")
    typed = _example_files.to_look_at(options.kind, written)
    _printing.write(f"now type: betterthan look {typed}")
    return 0


# --- What the commands share --------------------------------------------------------------------


def _named(request: Request, systems: Sequence[Any]) -> list[Any]:
    """The systems as they are called: as asked, or as their files or columns are."""
    names = request.options.names
    if not names:
        return list(systems)
    own = [one.name for one in systems]
    if len(names) != len(own) or len(set(names)) < len(names):
        text = f"{len(own)}, all different, for {some_of(own)}"
        raise InputError("names", names, expected=text)
    return [one.named(name) for one, name in zip(systems, names)]


def _reading(request: Request, systems: Sequence[Any]) -> list[str]:
    """How the files were read, each line once."""
    if len(request.sources) == 1:
        lines = [f"{request.path}: {request.format.holds}"]
    else:
        both = zip(request.sources, systems)
        lines = [f"{source.path}: {counted(len(one), one.unit)}" for source, one in both]
    for one in systems:
        lines += one.reading
    return list(dict.fromkeys(lines))


def _stacked(name: str, results: Mapping[str, Any]) -> Any:
    import pandas as pd

    tables = {key: result.table() for key, result in results.items()}
    return pd.concat(tables, names=[name, None]).reset_index(name)


def _show(options: argparse.Namespace, answer: Answer, gate: Gate | None) -> None:
    result = answer.result
    results = result if isinstance(result, dict) else {"": result}
    if options.json:
        rows = [
            ({"system": name} if name else {}) | _recorded(one) for name, one in results.items()
        ]
        found: dict[str, Any] = {"results": rows} if rows[1:] else rows[0]
        if answer.parts:
            found = found | {"results": answer.parts}
        found = found | {"read": answer.read}
        if gate is not None:
            found |= {"gate": gate.sentence, "gate_answer": gate.answer}
        _printing.write(json.dumps(found, indent=2))
        return
    if options.markdown:
        _printing.write(_in_markdown(results, answer, gate))
        return
    _printing.write(
        "\n".join(f"{name}: {one}" if name else str(one) for name, one in results.items())
    )
    for table in answer.tables:
        if len(table):
            _printing.write(f"\n{_printing.in_text(table)}")
    if answer.read:
        _printing.write("\nread: " + "\n      ".join(answer.read))
    if gate is not None:
        _printing.write(f"\n{gate.sentence}")


def _in_markdown(results: Mapping[str, Any], answer: Answer, gate: Gate | None) -> str:
    """The same as a comment on a pull request."""
    parts = [] if gate is None else [f"**{_printing.plain_markdown(gate.sentence)}**"]
    for name, one in results.items():
        sentence = f"{name}: {one}" if name else str(one)
        parts += [_printing.line_in_markdown(line) for line in sentence.split("\n")]
    parts += [_printing.in_markdown(table) for table in answer.tables if not table.empty]
    if answer.read:
        read = "\n".join(f"- {_printing.plain_markdown(line)}" for line in answer.read)
        parts.append(f"<details><summary>How it was read</summary>\n\n{read}\n\n</details>")
    return "\n\n".join(parts)


def _recorded(result: Any) -> dict[str, Any]:
    if hasattr(result, "record"):
        return dict(result.record())
    from betterthan._result import record

    return record(result)


# --- Options ------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    held = "; ".join(known.holds for known in readers.FORMATS)
    files = textwrap.fill(held, 96, initial_indent="  ", subsequent_indent="  ")
    about = (__doc__ or "").format(files=files)
    parser = Parser("betterthan", description=about, formatter_class=raw)
    parser.add_argument("--version", action="version", version=betterthan.__version__)
    names = "look | score | compare | datasets | plan | threshold | example"
    commands = parser.add_subparsers(required=True, metavar=names)
    for name, run in _COMMANDS.items():
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        absent = ("at_least", "disagreements", "test_share", "plot", "names", "open", "unpaired")
        unless = dict.fromkeys([*absent, "ratio", "shared_runs"])
        command.set_defaults(do=_run, run=_ignoring_more(run), command=name, **unless)
        add_reading(command)
        add_output(command)
        ADDED.get(name, lambda command: None)(command)
    command = commands.add_parser("example", help=_example.__doc__, description=_example.__doc__)
    command.set_defaults(do=_example)
    command.add_argument("kind", nargs="?", metavar="KIND", help="without it all kinds are listed")
    command.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="by default here")
    return parser


_COMMANDS: dict[str, Callable[[Request], Answer]] = {
    "look": _look,
    "score": _score,
    "compare": _compare,
    "datasets": _datasets,
    "plan": _plan,
    "threshold": _threshold,
}
