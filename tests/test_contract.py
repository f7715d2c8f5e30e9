"""The rule of roles, case by case: through the readers and through the command line.

`tests/contract/` holds one small case per file: files, options, and what must come out, which is
the role of every column or a refusal with its ways on. `tests/book/test_contract_page.py` asks the
page *Compare two files here* the same. A new rule begins with a case.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from betterthan import bayes, cli, compare, compare_folds, compare_many, readers
from betterthan.__main__ import main
from betterthan.errors import ANYTHING, InputError
from betterthan.readers import Source, folds, format_of, tables, votes
from betterthan.readers._roles import find_roles
from betterthan.readers._table import table_of

FOLDER = Path(__file__).parent / "contract"
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
READ = {name: case for name, case in CASES.items() if "roles" in case}
REFUSED = {name: case for name, case in CASES.items() if "refused" in case}


def written(case: dict[str, Any], folder: Path) -> list[Path]:
    """The files of a case."""
    paths = []
    for name, text in case["files"].items():
        paths.append(folder / name)
        paths[-1].write_bytes(text.encode())
    return paths


def typed(case: dict[str, Any], folder: Path) -> tuple[list[Path], dict[str, Any]]:
    """The files of the systems and the options; a gold standard of its own is said by its path."""
    paths, options = written(case, folder), dict(case.get("options", {}))
    gold = [path for path in paths if path.name == options.get("gold")]
    if gold:
        options["gold"] = str(gold[0])
    return [path for path in paths if path not in gold], options


def flags(options: dict[str, Any]) -> Iterator[str]:
    """Options as they are typed."""
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "where":
            for column, cell in value.items():
                yield from (flag, f"{column}={cell}")
        elif name == "paired":
            yield "--unpaired"
        elif value is True:
            yield flag
        else:
            yield flag
            yield from map(str, value if isinstance(value, list) else [value])


def roles_of(path: Path, options: dict[str, Any]) -> dict[str, str]:
    """The role of every column of a file."""
    source = Source(path)
    kind = format_of([source], options).kind
    if kind not in ("table", "folds", "votes"):
        return {}
    table = table_of(source, options.get("separator"))
    if kind == "votes":
        asked = tables.asked_of(options).of(table)
        table = tables.chosen_rows(table, asked)
        return votes.find_roles(table, asked).by_column(table, asked.ignore)
    if kind == "folds":
        asked = folds.asked_of(table, options.get("systems", ()), options.get("ignore", ()))
    else:
        asked = tables.asked_of(options).of(table)
        table = tables.chosen_rows(table, asked)
    return find_roles(table, asked).by_column()


# What is said of a comparison, and not of the files.
ASKED = ("unmatched", "paired", "margin", "shared_runs", "ratio")


def read_of(paths: list[Path], options: dict[str, Any]) -> tuple[str, list[Any], dict[str, Any]]:
    """The kind of the files, the systems in them, and what is left to say of the comparison."""
    asked = {name: value for name, value in options.items() if name in ASKED}
    reading = {name: value for name, value in options.items() if name not in ASKED}
    kind = format_of([Source(path) for path in paths], reading)
    if "metric" in kind.compared_by and "metric" in reading:
        asked["metric"] = reading.pop("metric")
    return kind.kind, readers.read(*paths, **reading), asked


def compared(paths: list[Path], options: dict[str, Any]) -> Any:
    """What the library makes of them."""
    kind, systems, asked = read_of(paths, options)
    if kind == "fold_counts":
        return bayes.compare(*systems, **asked)
    if systems[0].unit == "fold":
        return compare_folds(*systems, **asked)
    if len(systems) == 2:
        return compare(*systems, **asked)
    return compare_many(systems, **asked)


def asked_of_command(paths: list[Path], options: dict[str, Any]) -> Any:
    """The same through the command line, which refuses some things by itself."""
    asked = cli._parser().parse_args(["compare", *map(str, paths), *flags(options)])
    return asked.run(cli.Request.of(asked))


def parts(error: InputError) -> dict[str, Any]:
    """What a case may say of a refusal; files are called by their names."""
    ways = [{way.argument: None if way.value is ANYTHING else way.value} for way in error.ways]
    for way in ways:
        if isinstance(way.get("paths"), list):
            way["paths"] = [Path(path).name for path in way["paths"]]
    return {
        "argument": error.argument,
        "line": error.line or None,
        "ways": json.loads(json.dumps(ways)),
    }


def same_refusal(wanted: dict[str, Any], found: dict[str, Any], column: Any, text: str) -> None:
    """What a case says of a refusal is what it is; a column is the error's own, or is named."""
    assert {name: found[name] for name in wanted if name != "column"} == {
        name: value for name, value in wanted.items() if name != "column"
    }
    if "column" in wanted:
        assert column == wanted["column"] or repr(wanted["column"]) in text


@pytest.mark.parametrize("name", READ)
def test_every_column_has_its_role(name, tmp_path, capsys):
    case = READ[name]
    paths, options = typed(case, tmp_path)
    found = {path.name: roles_of(path, options) for path in paths}
    assert {file: roles for file, roles in found.items() if roles} == case["roles"]
    if "systems" in case:  # A first
        assert [one.name for one in readers.read(*paths, **options)] == case["systems"]
    assert main(["compare", *map(str, paths), *flags(options)]) == 0
    assert capsys.readouterr().out.split("\n", 1)[0] == str(compared(paths, options))


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_clear_is_refused(name, tmp_path, capsys):
    case = REFUSED[name]
    paths, options = typed(case, tmp_path)
    asked = asked_of_command if case.get("of_the_command") else compared
    with pytest.raises(InputError) as refusal:
        asked(paths, options)
    same_refusal(case["refused"], parts(refusal.value), refusal.value.column, str(refusal.value))
    assert main(["compare", *map(str, paths), *flags(options)]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("betterthan: ")


WAYS = [
    (name, place)
    for name, case in REFUSED.items()
    for place, way in enumerate(case["refused"].get("ways", ()))
    if None not in way.values()
]


@pytest.mark.parametrize(("name", "place"), WAYS)
def test_every_way_on_leads_on(name, place, tmp_path, capsys):
    """Typed as it is offered, it is not met by the same refusal again; perhaps by another."""
    case = REFUSED[name]
    paths, options = typed(case, tmp_path)
    way = case["refused"]["ways"][place]
    command = ["compare", *map(str, paths)]
    with pytest.raises(InputError) as refusal:
        asked_of_command(paths, options)
    main([*command, *flags(options)])
    before = capsys.readouterr().err
    options.pop(refusal.value.ways[place].instead_of, None)
    code = main([*command, *flags(options | way)])
    after = capsys.readouterr().err
    assert code == 0 or (code == 2 and after.split(";")[0] != before.split(";")[0])
