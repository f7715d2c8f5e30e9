"""The options of the command line, as they are typed and as ``--help`` tells them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from betterthan import _checks
from betterthan._words import is_it
from betterthan.errors import InputError

__all__ = ["ADDED", "DEFAULTS", "Parser", "add_output", "add_reading", "refuse_wrong_values"]

DEFAULTS = {
    "confidence": 0.95,
    "error": 0.05,
    "local": "bonferroni",
    "margin": 0.0,
    "power": 0.8,
}


# Other exit codes have a meaning already: 0 to 2 here, and those from 126 on for shells.
_FREE_CODES = range(3, 126)
# What other programs call options.
_ALSO_CALLED = {"--by": "--groups", "--group-by": "--groups", "--sep": "--separator"}


def refuse_wrong_values(options: argparse.Namespace) -> None:
    """Refuse values that no file could make right, before any file is read.

    Parameters
    ----------
    options : argparse.Namespace
        As typed.

    Raises
    ------
    InputError
        With the option.
    """
    _checks.alpha(options.confidence, "confidence_level")
    if options.open is not None and options.open not in _FREE_CODES:
        expected = "a whole number from 3 to 125: other exit codes have a meaning already"
        raise InputError("open", options.open, expected=expected)


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and where all options are told."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and stop.

        Parameters
        ----------
        message : str
            What is wrong.

        Raises
        ------
        SystemExit
            With code 2.
        """
        if message.endswith("required: FILE"):  # an option that takes several names took it, too
            message += "; files come first, right after the command"
        self.exit(2, f"betterthan: {message}; see {self.prog} --help\n")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> argparse.Namespace:
        """The options, or one line that says which of them is none.

        Parameters
        ----------
        args : sequence of str, optional
            As typed; by default those of the process.
        namespace : object, optional
            Where they go.

        Returns
        -------
        argparse.Namespace
        """
        words = sys.argv[1:] if args is None else args
        command = words[0] if words and not words[0].startswith("-") else None
        if command is not None and command not in self._commands():
            self.error(_no(f"command {command}", command, list(self._commands())))
        options, left = self.parse_known_args(words, namespace)
        if left:
            parser = self._commands()[command or ""]
            parser.error(_apart(left[0], list(parser._option_string_actions)))
        return options

    def _commands(self) -> dict[str, argparse.ArgumentParser]:
        """The parser of each command."""
        [found] = [one for one in self._actions if isinstance(one, argparse._SubParsersAction)]
        return dict(found.choices)


def _apart(typed: str, flags: Sequence[str]) -> str:
    """What is wrong with something that was typed and is no option of the command."""
    if not typed.startswith("-"):
        return f"{typed!r} stands apart: files come together, right after the command"
    flag = typed.split("=")[0]
    return _no(f"option {flag}", _ALSO_CALLED.get(flag, flag), flags)


def _no(what: str, typed: str, known: Sequence[str]) -> str:
    return f"there is no {what}{is_it(typed, known)}"


def add_reading(command: argparse.ArgumentParser) -> None:
    """What can be said about files."""
    add = command.add_argument
    names: dict[str, Any] = {"nargs": "+", "action": "extend"}  # said twice, they add up
    add("files", nargs="+", metavar="FILE", help="betterthan --help lists what can be read")
    table = command.add_argument_group("tables")
    more = table.add_argument
    more("--groups", metavar="COLUMN", help="the column that says what an item belongs to")
    more("--key", metavar="COLUMN", help="the column that names the items")
    more("--systems", **names, metavar="NAME", help="the columns (or models) to take, A first")
    more("--ignore", **names, metavar="COLUMN", help="columns to leave out")
    more("--where", action="append", metavar="COLUMN=VALUE", help="only these rows")
    more("--positive", metavar="LABEL", help="F1 of this label")
    more("--empty", choices=("wrong", "drop"), help="blank answers: count them wrong, or drop them")
    more("--runs", **names, metavar="PATTERN", help="'a_seed*' 'b_seed*'; or a column")
    more("--separator", metavar="MARK", help="between columns: tab, comma … or itself")
    more("--items", action="store_true", help="rows are items of a test set, not folds")
    more("--test-share", type=float, metavar="S", help="rows are folds; this share is tested on")
    more("--repetitions", type=int, metavar="M", help="counts of folds: an M×2 cross-validation")
    more("--label", metavar="COLUMN", help="what the probability is of")
    add("--gold", help="the gold standard: a file, or the column of a table")
    add("--metric", action="append", help="f1, macro_f1 …; in logs NAME or TASK=NAME")
    add("--filter", action="append", help="of lm-evaluation-harness: NAME, or TASK=NAME")
    add("--task", help="which task of a log")
    add("--scheme", help="IOB1, IOB2, IOBES, BILOU …, or plain for parts of speech")
    add("--columns", nargs="+", type=int, help="CoNLL: of word, gold, each system; 0 is first")
    add("--column", metavar="NAME", help="CoNLL-U: UPOS, XPOS, LEMMA, FEATS, UAS, LAS …")
    add("--comments", metavar="MARK", help="CoNLL: leave out lines that begin so, such as '# '")
    add("--references", **names, metavar="FILE", help="translations: one or more references")
    add("--missing", choices=("zero", "drop"), help="TREC: queries that a run does not have")
    add("--unmatched", choices=("refuse", "drop"), help="items that only one system has")
    add("--unscored", choices=("wrong", "drop"), help="samples of a log without a score")


def add_output(command: argparse.ArgumentParser) -> None:
    """What comes out, of every command."""
    add = command.add_argument
    add("--names", nargs="+", action="extend", help="what to call the systems")
    level = DEFAULTS["confidence"]
    add("--confidence", type=float, default=level, metavar="LEVEL", help=f"by default {level}")
    written = command.add_mutually_exclusive_group().add_argument
    written("--json", action="store_true", help="the result's fields, for programs")
    written("--markdown", action="store_true", help="a comment for a pull request")
    add("--plot", metavar="FILE", help="draw it: .svg, .png or .pdf")


def _add_comparing(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--lower-is-better", action="store_true", help="errors, penalties, seconds")
    margin = DEFAULTS["margin"]
    add("--margin", type=float, default=margin, help="a difference nobody would care about")
    add("--unpaired", action="store_true", help="two separate samples of items")
    either = argparse.BooleanOptionalAction
    add("--shared-runs", action=either, help="both used the same seeds, prompts or judges, or not")


def _add_compare(command: argparse.ArgumentParser) -> None:
    _add_comparing(command)
    add = command.add_argument
    add("--at-least", type=float, metavar="D", help="exit 1 unless the interval is above D")
    add(
        "--open",
        type=int,
        metavar="CODE",
        help="3 to 125: exit so where that cannot be told",
    )
    add("--disagreements", metavar="FILE", help="the items on which two differ, as CSV")
    add("--ratio", action="store_true", help="seconds or costs: how many times as much")


def _add_datasets(command: argparse.ArgumentParser) -> None:
    _add_comparing(command)
    add = command.add_argument
    add("--local", choices=("bonferroni", "simes", "fisher"), default=DEFAULTS["local"])
    add("--alternative", choices=("greater", "two-sided"), help="what the p-values test")


def _add_plan(command: argparse.ArgumentParser) -> None:
    _add_comparing(command)
    add = command.add_argument
    add("--difference", type=float, help="the smallest difference worth seeing")
    add("--n", type=int, help="or: how many items you can have")
    add("--power", type=float, default=DEFAULTS["power"])


def _add_threshold(command: argparse.ArgumentParser) -> None:
    error = DEFAULTS["error"]
    text = f"the largest share of wrong answers among those given; by default {error}"
    command.add_argument("--error", type=float, default=error, metavar="E", help=text)


ADDED: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "compare": _add_compare,
    "datasets": _add_datasets,
    "plan": _add_plan,
    "threshold": _add_threshold,
}
