"""The command line: from files to the sentence for the paper.

    betterthan score FILE                         one system, or each system of a table
    betterthan compare OLD NEW                    two files or two logs; a table of systems
    betterthan datasets OLD NEW                   many tasks, or p-values
    betterthan plan OLD NEW --difference 0.01     how many items

A thin layer over :mod:`betterthan.readers` and the four functions of :mod:`betterthan`. Exit code
0; 1 where ``--at-least`` was not reached; 2 for what cannot be read, with the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import betterthan
from betterthan import readers
from betterthan._result import record

EXAMPLES = """\
examples:
  betterthan compare old.conll new.conll
  betterthan compare old.tags new.tags --gold gold.tags --scheme plain --metric accuracy
  betterthan compare predictions.csv --metric macro_f1 --groups author
  betterthan compare old.eval new.eval --margin 0.01 --plot difference.svg
  betterthan datasets runs/old runs/new
"""
FILES = """CoNLL columns, a CSV of predictions or scores, logs of Inspect (.eval, .json) or of
lm-evaluation-harness (folder or .jsonl)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        As typed after ``betterthan``; by default those of the process.

    Returns
    -------
    int
        0; 1 where the difference is not at least what was asked for; 2 for bad input.

    Raises
    ------
    SystemExit
        For options that do not exist, with the usage; code 2.

    Examples
    --------
    >>> old, new = readers.example("conll")
    >>> main(["compare", str(old), str(new), "--at-least", "0.05"])  # doctest: +ELLIPSIS
    F1 is 0.8114 for old and 0.8747 for new. new minus old is +0.0633 ...
    1
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, tables, read = options.run(options)
            _save(result, plot=options.plot, disagreements=getattr(options, "disagreements", None))
        except (ValueError, OSError) as error:
            print(f"betterthan: {error}", file=sys.stderr)
            return 2
    notes = [str(warning.message) for warning in caught if warning.category is UserWarning]
    if options.json:
        several = isinstance(result, list)
        found = {"results": [record(one) for one in result]} if several else record(result)
        print(json.dumps(found | {"read": [*read, *notes]}, indent=2))
    else:
        for one in result if isinstance(result, list) else [result]:
            print(one)
        for table in tables:
            print(f"\n{table.to_string(index=False, float_format='{:.4f}'.format)}")
        print("\nread: " + "\n      ".join([*read, *notes]))
    return int(not _reached(result, getattr(options, "at_least", None)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="betterthan",
        description="Is model B really better than model A? A is the old system, B the new one.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=betterthan.__version__)
    commands = parser.add_subparsers(required=True, metavar="score | compare | datasets | plan")
    for name, run, files, text in [
        ("score", _score, "FILE", "one system with its interval"),
        ("compare", _compare, "OLD NEW", "two systems, or all systems of a table"),
        ("datasets", _datasets, "OLD NEW", "many tasks or p-values: on how many, and on which"),
        ("plan", _plan, "OLD NEW", "how many items a comparison needs"),
    ]:
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(run=run)
        add = command.add_argument
        add("files", nargs="+", metavar=files, help=FILES)
        add("--metric", help="f1, precision, recall, macro_f1, accuracy or mean; of a log, its own")
        add("--gold", help="the gold standard: a CoNLL file, or the column of a CSV")
        add("--groups", metavar="COLUMN", help="the column that says what an item belongs to")
        add("--scheme", help="IOB1, IOB2, IOBES, BILOU …, or plain for parts of speech")
        add("--names", nargs="+", help="what to call the systems")
        add("--confidence", type=float, default=0.95, metavar="LEVEL", help="by default 0.95")
        add("--unmatched", choices=("refuse", "drop"), default="refuse", help="items of one only")
        add("--unscored", choices=("refuse", "wrong", "drop"), default="refuse", help="in a log")
        add("--json", action="store_true", help="the result's fields, for programs")
        add("--plot", metavar="FILE", help="draw it: .svg, .png or .pdf")
        if name != "score":
            add("--lower-is-better", action="store_true", help="errors, penalties, seconds")
            add("--margin", type=float, default=0.0, help="a difference nobody would care about")
        if name == "compare":
            add("--test-share", type=float, metavar="S", help="of a cross-validation's folds")
            gate = "a gate: exit 1 unless the whole interval of the gain is above D"
            add("--at-least", type=float, metavar="D", help=gate)
            add("--disagreements", metavar="FILE", help="the items on which two differ, as CSV")
        if name == "datasets":
            add("--local", choices=("bonferroni", "simes", "fisher"), default="bonferroni")
        if name == "plan":
            add("--difference", type=float, help="the smallest difference worth seeing")
            add("--n", type=int, help="or: how many items you can have")
            add("--power", type=float, default=0.8)
    return parser


def _score(options: argparse.Namespace) -> Any:
    systems, read = _systems(options)
    level = {"confidence_level": options.confidence}
    results = [betterthan.score(x, options.metric, **level) for x in systems.values()]
    tables = []
    if len(results) > 1:
        import pandas as pd

        rows = pd.concat([result.table() for result in results])
        rows.insert(0, "system", list(systems))
        tables = [rows]
    return (results if len(results) > 1 else results[0]), tables, read


def _compare(options: argparse.Namespace) -> Any:
    if _is_table(options.files[0]) and "fold" in _table(options.files[0]):
        return _folds(options)
    systems, read = _systems(options)
    if len(systems) < 2:
        raise ValueError(f"{options.files[0]}: expected two systems or more, found one")
    if len(systems) == 2:
        asked = {"names": tuple(systems), "unmatched": options.unmatched, **_asked(options)}
        result = betterthan.compare(*systems.values(), options.metric, **asked)
        return result, [result.table()], read
    if options.margin or options.at_least is not None:
        raise ValueError(f"--margin and --at-least need two systems, found {len(systems)}")
    asked = {"unmatched": options.unmatched, **_asked(options)}
    asked.pop("margin")
    result = betterthan.compare_many(systems, options.metric, **asked)
    return result, [result.ranks, result.table()], read


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    higher = not options.lower_is_better
    asked = {"margin": options.margin, "higher_is_better": higher}
    return asked | {"confidence_level": options.confidence}


def _folds(options: argparse.Namespace) -> Any:
    path = options.files[0]
    folds = readers.read_folds(path, _separator(path))
    share = options.test_share or folds.attrs.get("test_share")
    if share is None or len(folds.columns) != 2:
        text = f"{path}: {len(folds.columns)} systems on {len(folds)} folds; expected two, and what"
        raise ValueError(f"{text} share of the corpus a fold is tested on: --test-share 0.1")
    names = tuple(_names(options, list(folds)))
    pair = (folds[name] for name in folds)
    result = betterthan.compare_folds(*pair, test_share=share, names=names, **_asked(options))
    return result, [result.table()], [f"{path}: {len(folds)} folds, test share {share:g}"]


def _plan(options: argparse.Namespace) -> Any:
    unused = {"at_least": None, "test_share": None}
    pilot, _, read = _compare(argparse.Namespace(**vars(options) | unused))
    wanted = {"difference": options.difference, "n": options.n, "power": options.power}
    result = betterthan.plan(pilot, **wanted, confidence_level=options.confidence)
    return result, [result.table()], [*read, f"the pilot: {pilot}"]


def _datasets(options: argparse.Namespace) -> Any:
    from betterthan import replicability

    own = [Path(path).stem or str(path) for path in options.files]
    names = tuple(_names(options, own)) if len(own) > 1 else ("A", "B")
    shared = {"local": options.local, "alpha": 1 - options.confidence}
    if len(options.files) == 1:
        table = _table(options.files[0])
        if "p" not in table:
            raise ValueError(
                f"{options.files[0]}: expected the columns dataset and p; scores on datasets are "
                "compared by `betterthan compare`"
            )
        found = readers.read_pvalues(options.files[0], _separator(options.files[0]))
        systems = tuple(options.names) if options.names else None
        result = replicability.analyse(found, systems=systems, **shared)
        return result, [result.table()], [f"{options.files[0]}: {len(found)} p-values"]
    tasks = _logs(options)
    results = {
        task: betterthan.compare(*pair, names=names, **_asked(options))
        for task, pair in tasks.items()
    }
    result = replicability.analyse(results, **shared)
    import pandas as pd

    table = pd.concat([one.table() for one in results.values()])
    table.insert(0, "task", list(results))
    read = [
        f"{task}: {one.n_units} {one.unit}s, metric {tasks[task][0].attrs['metric']}"
        if hasattr(tasks[task][0], "attrs")
        else f"{task}: {one.n_units} {one.unit}s, {one.n_runs} runs"
        for task, one in results.items()
    ]
    return result, [table], read


def _systems(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """The systems in the files by name, and what to say about how they were read."""
    paths = options.files
    stems = [Path(path).stem or str(path) for path in paths]
    if _is_log(paths[0]):
        tasks = _logs(options)
        if len(tasks) > 1:
            raise ValueError(f"{len(tasks)} tasks ({', '.join(tasks):.200}): betterthan datasets")
        options.metric = None  # it has chosen what is read: one number per item
        task, found = next(iter(tasks.items()))
        given = found if isinstance(found, tuple) else (found,)
        systems = dict(zip(_names(options, stems[: len(given)]), given))
        run = given[0][0] if isinstance(given[0], list) else given[0]
        chosen = run.attrs.get("filter", "none")
        filtered = f", filter {chosen}" if chosen != "none" else ""
        return systems, [f"{task}: {len(run)} {run.index.name}s, metric {run.name}{filtered}"]
    if _is_table(paths[0]):
        return _tables(options, stems)
    found = readers.read_conll(*paths, gold=options.gold, scheme=options.scheme)
    given = found if isinstance(found, tuple) else (found,)
    systems = dict(zip(_names(options, stems), given))
    groups = given[0].groups
    said = f"{len(given[0]):,} sentences" + (
        f" in {len(set(groups))} documents (-DOCSTART-)" if groups is not None else ""
    )
    return systems, [f"{', '.join(paths)}: {said}, tags: {options.scheme or 'spans, any scheme'}"]


def _tables(options: argparse.Namespace, stems: list[str]) -> tuple[dict[str, Any], list[str]]:
    systems: dict[str, Any] = {}
    read = []
    for path, stem in zip(options.files, stems):
        separator = _separator(path)
        columns, gold = _table(path), options.gold or "gold"
        if "p" in columns and "dataset" in columns:
            raise ValueError(f"{path}: a table of p-values: betterthan datasets {path}")
        if gold in columns:
            found = readers.read_predictions(path, gold, options.groups, separator=separator)
            said = f"{len(next(iter(found.values()))):,} items, {len(found)} systems, classes"
        else:
            frame = readers.read_scores(path, group=options.groups, separator=separator)
            found = dict(frame.items())
            unit = frame.index.names[0] or "row"
            said = f"{len(frame):,} {unit}s, {len(found)} systems, scores"
        if len(options.files) > 1:
            if len(found) > 1:
                text = f"found {len(found)} ({', '.join(found):.200})"
                raise ValueError(f"{path}: expected one system in each of several files, {text}")
            found = {stem: next(iter(found.values()))}
        systems |= found
        read.append(f"{path}: {said}")
    return dict(zip(_names(options, list(systems)), systems.values())), read


def _logs(options: argparse.Namespace) -> dict[str, Any]:
    if len(options.files) > 2:
        raise ValueError(f"{len(options.files)} logs: expected one or two")
    if _is_log(options.files[0]) == "lm_eval":
        return readers.read_lm_eval(
            *options.files, metric=options.metric, unmatched=options.unmatched
        )
    return readers.read_inspect(
        *options.files,
        scorer=options.metric,
        unscored=options.unscored,
        unmatched=options.unmatched,
    )


def _is_log(path: str) -> str | None:
    """Whose log a file or a folder is."""
    place = Path(path)
    if place.suffix == ".jsonl" or (place.is_dir() and any(place.rglob("samples_*.jsonl"))):
        return "lm_eval"
    return "inspect" if place.suffix in (".eval", ".json") or place.is_dir() else None


def _table(path: str) -> list[str]:
    """The names of a table's columns."""
    lines = Path(path).read_text("utf-8-sig", errors="replace").splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return [cell.strip().strip('"') for cell in first.split(_separator(path))]


def _is_table(path: str) -> bool:
    return Path(path).suffix in (".csv", ".tsv")


def _separator(path: str) -> str:
    return "\t" if Path(path).suffix == ".tsv" else ","


def _names(options: argparse.Namespace, own: list[str]) -> list[str]:
    """What the systems are called: as asked, or as their files or columns are."""
    names = options.names or own
    if len(names) != len(own) or len(set(names)) < len(names):
        wanted = f"expected {len(own)} different names, for {', '.join(own):.200}"
        raise ValueError(f"--names {' '.join(names)}: {wanted}")
    return names


def _reached(result: Any, least: float | None) -> bool:
    """Whether the whole interval of the gain is above `least`."""
    if least is None:
        return True
    low, high = result.interval
    return bool((low if result.higher_is_better else -high) > least)


def _save(result: Any, **paths: str | None) -> None:
    without = {"plot": "there is no picture of this result", "disagreements": "needs two systems"}
    for name, path in paths.items():
        if path and not hasattr(result, name):
            raise ValueError(f"--{name} {path}: {without[name]}")
    if paths["plot"]:
        result.plot().figure.savefig(paths["plot"], bbox_inches="tight")
    if paths["disagreements"]:
        result.disagreements().to_csv(paths["disagreements"], index=False)


if __name__ == "__main__":
    sys.exit(main())
