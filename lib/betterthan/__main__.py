"""From files to the sentence for the paper: is model B really better than model A?

commands:
  betterthan score FILE                         one system, or each system of a table
  betterthan compare OLD NEW                    two files or two logs; a table of systems
  betterthan datasets OLD NEW                   many tasks, or p-values
  betterthan plan OLD NEW --difference 0.01     how many items

A is the old system, B the new one. Each command has options: betterthan compare --help.

files:
  CoNLL columns; a CSV of predictions, scores, folds, p-values, or labels with their probability;
  one number per line; TREC runs; logs of Inspect (.eval, .json) or of lm-evaluation-harness
  (folder or .jsonl)

examples:
  betterthan compare old.conll new.conll
  betterthan compare old.tags new.tags --gold gold.tags --scheme plain --metric accuracy
  betterthan compare predictions.csv --metric macro_f1 --groups author
  betterthan compare old.eval new.eval --margin 0.01 --plot difference.svg
  betterthan compare old.run new.run --gold judgements.qrels
  betterthan datasets runs/old runs/new --metric arc_easy=acc_norm --filter gsm8k=strict-match
  betterthan score answers.csv --groups document

exit code: 0; 1 where --at-least was not reached; 2 for what cannot be read, with the reason
"""
# A thin layer over betterthan.readers and the functions of betterthan.

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import betterthan
from betterthan import readers
from betterthan._checks import plural
from betterthan._result import record
from betterthan._units import _unit
from betterthan.readers import some_of

# What files hold, and the options that mean something for it; the command, where it is one alone.
_PAIR = "names confidence margin lower_is_better"
KINDS = {
    "conll": ("tags in columns", f"metric gold scheme columns comments {_PAIR}"),
    "predictions": ("a CSV of predictions", f"metric gold groups key unmatched {_PAIR}"),
    "scores": ("a CSV of scores", f"metric groups key unmatched {_PAIR}"),
    "numbers": ("one number per line", f"metric {_PAIR}"),
    "trec": ("a TREC run", f"gold unmatched {_PAIR}"),
    "lm_eval": ("a log of lm-evaluation-harness", f"metric filter unmatched {_PAIR}"),
    "inspect": ("a log of Inspect", f"metric unscored unmatched {_PAIR}"),
    "folds": ("scores of folds", f"metric test_share {_PAIR}"),
    "pvalues": ("a CSV of p-values", "alternative names confidence"),
    "probabilities": ("labels with probabilities", "groups label names"),
}
OPTIONS = sorted({option for _, used in KINDS.values() for option in used.split()})
LOGS = ("lm_eval", "inspect")
ALONE = {"folds": "compare", "pvalues": "datasets", "probabilities": "score"}
# What the library calls its arguments, and how they are written here.
FLAGS = {
    r", or differences= \(B minus A\)| \(the pandas index\)|; say groups=$": "",
    r"columns=(\{.*|$)": "--columns 0 -3 -2 -1 (word, gold, systems), or else --columns 0 -2 -1",
    " where the file is read, or set the pandas index": " COLUMN",
    r"columns\['(\w+)[^]]*\]=": r"--columns, \1 ",
    r"^(alpha|confidence_level)=[^:]*": "--confidence",
    r"\bSay comments=": "Say --comments ",
    r"\bscorer=": "metric=",
    r"\bmissing=": "unmatched=",
    r"\b(filter|metric)=None": r"no --\1",
    r"\b(filter|metric)=\{'(.+?)': …\}": r"--\1 \2=NAME",
    r"(?<!\d: )\bgroup=": "groups=",
    r"(?<!\d: )\b(alternative|filter|groups|key|metric|scheme|un\w+)='(.*?)'": r"--\1 \2",
    r"\b(gold|groups|key|label)=(?!')": r"--\1",
    r"^alternative:": "--alternative:",
    r"(no column '.*)": r"\1; say --gold, --groups, --key or --label",
    r"; else take it out": "; if it is the right class, --gold; else take it out",
}


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
    Gate not passed: the gain's lower end +0.0103 is not above 0.05.
    1
    """
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result, tables, read = options.run(options, _kind(options))
            _save(result, plot=options.plot, disagreements=options.disagreements)
        except (ValueError, OSError) as error:
            print(f"betterthan: {_with_flags(str(error))}", file=sys.stderr)
            return 2
    read += dict.fromkeys(str(one.message) for one in caught if one.category is UserWarning)
    gate = "" if options.at_least is None else _gate(result, options.at_least)
    try:
        _show(options, result, tables, read, gate)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads it has seen enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(gate.startswith("Gate not"))


def _with_flags(said: str) -> str:
    for name, flag in FLAGS.items():
        said = re.sub(name, flag, said)
    return said


def _show(options: argparse.Namespace, result: Any, tables: Any, read: Any, gate: str) -> None:
    results = result if isinstance(result, dict) else {"": result}
    if options.json:
        rows = [({"system": name} if name else {}) | record(x) for name, x in results.items()]
        found = ({"results": rows} if rows[1:] else rows[0]) | {"read": read}
        print(json.dumps(found | ({"gate": gate} if gate else {}), indent=2))
        return
    said = {name: _with_flags(str(x)) for name, x in results.items()}
    print(*(f"{name}: {x}" if name else x for name, x in said.items()), sep="\n")
    for table in tables:
        print(f"\n{table.to_string(index=False, float_format=_number)}")
    print("\nread: " + "\n      ".join(read) + (f"\n\n{gate}" if gate else ""))


def _number(x: float) -> str:
    return "<0.0001" if 0 < x < 0.0001 else f"{x:.4f}"


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("betterthan", description=__doc__, formatter_class=raw)
    parser.add_argument("--version", action="version", version=betterthan.__version__)
    commands = parser.add_subparsers(required=True, metavar="score | compare | datasets | plan")
    for run in (_score, _compare, _datasets, _plan):
        name = run.__name__[1:]
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        unless = dict.fromkeys(("at_least", "disagreements", "test_share"))
        command.set_defaults(run=run, command=command, **unless)
        add = command.add_argument
        add("files", nargs="+", metavar="FILE", help="betterthan --help lists what can be read")
        add("--metric", action="append", help="f1, macro_f1 …, a column; in logs NAME or TASK=NAME")
        add("--filter", action="append", help="of lm-evaluation-harness: NAME, or TASK=NAME")
        add("--gold", help="the gold standard: a CoNLL file, TREC's qrels, or the column of a CSV")
        add("--groups", metavar="COLUMN", help="the column that says what an item belongs to")
        add("--key", metavar="COLUMN", help="the column that names the items")
        add("--scheme", help="IOB1, IOB2, IOBES, BILOU …, or plain for parts of speech")
        add("--columns", nargs="+", type=int, help="CoNLL: of word, gold, each system; 0 is first")
        add("--comments", metavar="MARK", help="CoNLL: leave out lines that begin so, such as '# '")
        add("--names", nargs="+", help="what to call the systems")
        add("--confidence", type=float, default=0.95, metavar="LEVEL", help="by default 0.95")
        add("--unmatched", default="refuse", help="items of one only: refuse, drop; TREC: zero")
        add("--unscored", choices=("refuse", "wrong", "drop"), default="refuse", help="in a log")
        add("--json", action="store_true", help="the result's fields, for programs")
        add("--plot", metavar="FILE", help="draw it: .svg, .png or .pdf")
        add("--label", default="label", metavar="COLUMN", help="what the probability is of")
        if name != "score":
            add("--lower-is-better", action="store_true", help="errors, penalties, seconds")
            add("--margin", type=float, default=0.0, help="a difference nobody would care about")
        if name == "compare":
            add("--test-share", type=float, metavar="S", help="of a cross-validation's folds")
            add("--at-least", type=float, metavar="D", help="exit 1 unless the interval is above D")
            add("--disagreements", metavar="FILE", help="the items on which two differ, as CSV")
        if name == "datasets":
            add("--local", choices=("bonferroni", "simes", "fisher"), default="bonferroni")
            add("--alternative", choices=("greater", "two-sided"), help="what the p-values test")
        if name == "plan":
            add("--difference", type=float, help="the smallest difference worth seeing")
            add("--n", type=int, help="or: how many items you can have")
            add("--power", type=float, default=0.8)
    return parser


def _score(options: argparse.Namespace, kind: str) -> Any:
    """One system with its interval, or each system of a table."""
    systems, read = _systems(options, kind)
    results = {name: _scored(x, options) for name, x in systems.items()}
    result = results if len(results) > 1 else next(iter(results.values()))
    return result, [_stacked("system", results)], read


def _scored(x: Any, options: argparse.Namespace) -> Any:
    from betterthan import confidence

    if hasattr(x, "columns"):
        return confidence.evaluate(x["correct"], x["probability"], groups=x.get("group"))
    return betterthan.score(x, options.metric, confidence_level=options.confidence)


def _stacked(name: str, results: dict[str, Any]) -> Any:
    import pandas as pd

    tables = {key: result.table() for key, result in results.items()}
    return pd.concat(tables, names=[name, None]).reset_index(name)


def _compare(options: argparse.Namespace, kind: str) -> Any:
    """Two systems, or all systems of a table."""
    systems, read = _systems(options, kind)
    pair, asked = [*systems.values()], {"names": tuple(systems), **_asked(options)}
    if len(pair) < 2 or (kind == "folds" and len(pair) > 2):
        raise ValueError(f"{options.files[0]}: expected two systems, found {some_of([*systems])}")
    if kind == "folds":
        share = options.test_share or pair[0].attrs.get("test_share")
        if not share or options.metric:
            way_on = "say what share a fold is, --test-share 0.1, and no --metric"
            raise ValueError(f"{options.files[0]}: {', '.join(systems)} on folds: {way_on}")
        result = betterthan.compare_folds(*pair, test_share=share, **asked)
        return result, [result.table()], [*read, f"test share {share:g}"]
    asked["unmatched"] = "refuse" if kind == "trec" else options.unmatched
    if len(pair) == 2:
        result = betterthan.compare(*pair, options.metric, **asked)
        return result, [result.table()], read
    if options.margin or options.at_least is not None:
        raise ValueError(f"--margin and --at-least need two systems, found {len(pair)}")
    asked = {name: asked[name] for name in asked if name not in ("names", "margin")}
    result = betterthan.compare_many(systems, options.metric, **asked)
    return result, [result.ranks, result.table()], read


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    asked = {"margin": options.margin, "confidence_level": options.confidence}
    return asked | ({"higher_is_better": False} if options.lower_is_better else {})


def _plan(options: argparse.Namespace, kind: str) -> Any:
    """How many items a comparison needs."""
    pilot, _, read = _compare(options, kind)
    wanted = {"difference": options.difference, "n": options.n, "power": options.power}
    result = betterthan.plan(pilot, **wanted, confidence_level=options.confidence)
    return result, [result.table()], [*read, f"the pilot: {pilot}"]


def _datasets(options: argparse.Namespace, kind: str) -> Any:
    """Many tasks or p-values: on how many, and on which."""
    from betterthan import replicability

    path, shared = options.files[0], {"local": options.local, "alpha": 1 - options.confidence}
    if kind == "pvalues" and len(options.files) == 1:
        found = readers.read_pvalues(path, _separator(path))
        shared |= {"systems": options.names, "alternative": options.alternative}
        result = replicability.analyse(found, **shared)
        return result, [result.table()], [f"{path}: {len(found)} p-values"]
    if kind not in LOGS or len(options.files) != 2:
        text = "expected the logs of two models, or one CSV with the columns dataset and p"
        raise ValueError(f"{path}: {text}; scores on datasets: betterthan compare")
    tasks, asked = _logs(options, kind), _asked(options)
    asked["names"] = tuple(_names(options, _stems(options.files)))
    results = {task: betterthan.compare(*pair, **asked) for task, pair in tasks.items()}
    read = [_said(task, pair[0]) for task, pair in tasks.items()]
    return replicability.analyse(results, **shared), [_stacked("task", results)], read


def _kind(options: argparse.Namespace) -> str:
    """What the files hold; for another command, or with options that do nothing, a refusal."""
    path = options.files[0]
    kind = _kind_of(Path(path), options)
    holds, used = KINDS[kind]
    if not options.command.prog.endswith(alone := ALONE.get(kind, "")):
        raise ValueError(f"{path}: {holds}: betterthan {alone} {path}")
    for option in OPTIONS:
        given = getattr(options, option, None) != options.command.get_default(option)
        if given and option not in used.split():
            raise ValueError(f"--{option.replace('_', '-')}: does nothing for {holds} ({path})")
    for name in ("metric", "filter"):
        given = getattr(options, name) or []
        tasks = dict(one.split("=", 1) for one in given if "=" in one and kind in LOGS)
        if len(given) > 1 and len(tasks) < len(given):
            raise ValueError(f"--{name} {' '.join(given)}: expected one, or TASK=NAME for each")
        setattr(options, name, tasks or (given[0] if given else None))
    return kind


def _kind_of(path: Path, options: argparse.Namespace) -> str:
    if path.suffix == ".jsonl" or (path.is_dir() and any(path.rglob("samples_*.jsonl"))):
        return "lm_eval"
    if path.suffix in (".eval", ".json") or path.is_dir():
        return "inspect"
    if path.suffix not in (".csv", ".tsv") or (path.suffix == ".tsv" and _has_sentences(path)):
        first, *others = _columns(path, None) or [""]
        number = not others and readers.as_number(first) is not None
        return "trec" if others[:1] == ["Q0"] else "numbers" if number else "conll"
    columns = _columns(path, _separator(path))
    if "probability" in columns:
        return "probabilities"
    if "dataset" in columns and {*readers.P_COLUMNS} & {*columns}:
        return "pvalues"
    if options.gold or "gold" in columns:
        return "predictions"
    folds = "test_score" in columns or "fold" in [name.lower() for name in columns]
    return "folds" if folds or options.test_share is not None else "scores"


def _has_sentences(path: Path) -> bool:
    """Whether blank lines divide its rows, as in CoNLL files and in no table."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return bool(re.search(r"\S\n[ \t]*\n\s*\S", file.read(100_000)))


def _columns(path: Any, separator: str | None) -> list[str]:
    """The cells of a file's first line."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        line = next((line for line in file if line.strip() and not line.startswith("#")), "")
    return [cell.strip().strip('"') for cell in line.split(separator)]


def _separator(path: Any) -> str:
    return "\t" if Path(path).suffix == ".tsv" else ","


def _systems(options: argparse.Namespace, kind: str) -> tuple[dict[str, Any], list[str]]:
    """The systems in the files by name, and what to say about how they were read."""
    paths, own, said = options.files, _stems(options.files), [KINDS[kind][0]]
    asked = {"group": options.groups, "separator": _separator(paths[0])}
    if kind in LOGS:
        tasks = _logs(options, kind)
        if len(tasks) > 1:
            raise ValueError(f"{len(tasks)} tasks ({some_of([*tasks])}): betterthan datasets")
        options.metric = None  # it has chosen what is read: one number per item
        [(task, found)] = tasks.items()
        given, said = found if isinstance(found, tuple) else (found,), [f"task {task}"]
    elif kind == "predictions":
        asked |= {"gold": options.gold or "gold", "key": options.key}
        found = readers.read_predictions(*paths, **asked)
        given, own = [*found.values()], own if len(found) == len(paths) > 1 else [*found]
    elif kind == "probabilities":
        given = [readers.read_probabilities(x, **asked, label=options.label) for x in paths]
    elif kind == "trec":
        given = _trec(*paths, gold=options.gold, missing=options.unmatched)
    elif kind == "numbers":
        given = [_numbers(path) for path in paths]
    elif kind == "conll":
        asked = {"gold": options.gold, "scheme": options.scheme, "comments": options.comments}
        if options.columns:
            places = [*options.columns[:2], each := options.columns[2:] or None]
            asked["columns"] = dict(zip(("word", "gold", "predicted"), places))
            own = [f"{stem}:{n}" for stem in own for n in each] if each and each[1:] else own
        found = readers.read_conll(*paths, **asked)
        given = found if isinstance(found, tuple) else (found,)
        said = ["documents by -DOCSTART-"] if given[0].groups is not None else []
        said += [f"tags: {options.scheme or 'spans, any scheme'}"]
    else:
        frames = [_frame(path, kind, key=options.key, **asked) for path in paths]
        given, own = [*dict(frames[0]).values()], own if len(paths) > 1 else [*frames[0]]
        if len(paths) > 1:
            given = [_column(path, x, options.metric) for path, x in zip(paths, frames)]
            options.metric = None if options.metric in frames[0] else options.metric
    said += [f"systems: {some_of(own)}"] if len(given) > len(paths) else []
    read = [_said(path, x, *said) for path, x in zip(paths, given)]
    return dict(zip(_names(options, own), given)), read


def _trec(*runs: str, gold: str | None, missing: str) -> list[Any]:
    from betterthan import ranking

    if not gold or len(runs) > 2:
        raise ValueError(f"{runs[0]}: expected one or two TREC runs, and --gold JUDGEMENTS")
    table = readers.read_trec(runs[0], runs[-1], gold, missing=missing)
    return [ranking.average_precision_per_query(table, x) for x in ("a", "b")[: len(runs)]]


def _numbers(path: str) -> list[float]:
    cells = [line.strip() for line in readers.read_text(path).rstrip().split("\n")]
    return readers.Table(path, [*range(1, len(cells) + 1)], {"number": cells}).numbers("number")


def _frame(path: str, kind: str, separator: str, **asked: Any) -> Any:
    if kind == "folds" and "fold" in _columns(path, separator):
        return readers.read_folds(path, separator)
    frame = readers.read_scores(path, separator=separator, **asked)
    return frame if kind == "scores" or frame.index.name else frame.reset_index(drop=True)


def _column(path: str, frame: Any, metric: str | None) -> Any:
    """The scores of the one system of which a file is."""
    own = list(frame)
    name = metric if metric in own else own[0] if len(own) == 1 else "test_score"
    if name not in own or metric not in (None, "mean", "accuracy", name):
        raise ValueError(f"{path}: expected one system, found {some_of(own)}; say --metric COLUMN")
    return frame[name]


def _logs(options: argparse.Namespace, kind: str) -> dict[str, Any]:
    asked = {"metric": options.metric, "filter": options.filter}
    if kind == "inspect":
        asked = {"scorer": options.metric, "unscored": options.unscored}
    if len(options.files) > 2:
        raise ValueError(f"{len(options.files)} logs: expected one or two")
    return getattr(readers, f"read_{kind}")(*options.files, **asked, unmatched=options.unmatched)


def _said(what: str, x: Any, *more: str) -> str:
    """How many items of what were read, and how."""
    runs = x if isinstance(x, list) and hasattr(x[0], "attrs") else [x]
    n, attrs = len(runs[0]), getattr(runs[0], "attrs", {})
    found = [f"{n:,} {plural(getattr(x, 'unit', '') or _unit(runs[0]), n)}"]
    found += [f"{k} {attrs[k]}" for k in ("metric", "filter") if attrs.get(k, "none") != "none"]
    found += [f"{len(runs)} runs"] if len(runs) > 1 else []
    return f"{what}: {', '.join([*found, *more])}"


def _stems(paths: Sequence[str]) -> list[str]:
    """What files call their systems: by name or, where that says nothing, by folder."""
    whole = [Path(path).resolve() for path in paths]
    parts = [[*path.parts[:-1], path.name if path.is_dir() else path.stem] for path in whole]
    made = all(re.match(r"samples_|\d{4}-\d\d-\d\dT", part[-1]) for part in parts)
    for depth in range(2 if made else 1, min(map(len, parts))):
        names = [part[-depth] for part in parts]
        if len(set(names)) == len(names):
            return names
    return ["old", "new"] if made and len(paths) == 2 else [part[-1] for part in parts]


def _names(options: argparse.Namespace, own: list[str]) -> list[str]:
    """What the systems are called: as asked, or as their files or columns are."""
    names = options.names or own
    if len(names) != len(own) or len(set(names)) < len(names):
        raise ValueError(
            f"--names {' '.join(names)}: expected {len(own)}, all different, for {some_of(own)}"
        )
    return names


def _gate(result: Any, least: float) -> str:
    """Whether the whole interval of the gain is above `least`."""
    low = result.interval.low if result.higher_is_better else -result.interval.high
    no = "" if low > least else "not "
    return f"Gate {no}passed: the gain's lower end {low:+.4f} is {no}above {least:g}."


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
