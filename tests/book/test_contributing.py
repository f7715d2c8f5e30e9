"""CONTRIBUTING's example of a new format, done step by step with the code that stands there."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from betterthan import InputError, cli, compare, read, readers
from betterthan.__main__ import main
from press import ROOT, cookbook, formats
from tests.test_docstrings import faults, without_example

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
SECTION = TEXT.partition("## A reader for a new format")[2].partition("\n## ")[0]
[EXAMPLE] = re.findall(r"^```text\n(.*?)^```$", SECTION, re.M | re.S)
CASES = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", TEXT, re.M | re.S)]
MODULE, TEST = re.findall(r"^```python\n(.*?)^```$", SECTION, re.M | re.S)


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Two files like the example; the new system passes more checks."""
    lines = EXAMPLE.splitlines()[1:]
    kept = [re.sub(r"- .+", f"- check {i}", lines[i % 4]) for i in range(40)]
    paths = [tmp_path / "old.tap", tmp_path / "new.tap"]
    paths[0].write_text("1..40\n" + "\n".join(kept), "utf-8")
    paths[1].write_text("\n".join(line.removeprefix("not ") for line in kept[:30]), "utf-8")
    with paths[1].open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(kept[30:]) + "\n")
    return paths


@pytest.fixture
def tap(tmp_path, files, monkeypatch) -> ModuleType:
    """The module as it would stand in the library, and its line in the list."""
    path = tmp_path / "tap.py"
    path.write_text(MODULE, "utf-8")
    spec = importlib.util.spec_from_file_location("betterthan.readers.tap", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = [one.kind for one in readers.FORMATS]
    place = known.index("numbers")
    listed = (*readers.FORMATS[:place], module.FORMAT, *readers.FORMATS[place:])
    monkeypatch.setattr(readers, "FORMATS", listed)
    monkeypatch.setattr(formats, "FORMATS", listed)
    others = ("predictions", "scores", "datasets", "raters", "prompts", "seconds")
    examples = {one: readers.example(one) for one in {*known, *others}}
    examples["tap"] = tuple(files)
    monkeypatch.setattr(readers, "example", examples.__getitem__)
    return module


def test_the_files_are_read_compared_and_looked_at(tap, files, capsys):
    old, new = read(*files)
    assert (old.name, old.n_units, old.unit) == ("old", 40, "check")
    found = str(compare(old, new))
    assert "Accuracy is 0.7500 for old and 0.9500 for new" in found
    assert "40 checks" in found and "'ok' counts 1, 'not ok' 0." in found
    assert main(["look", *map(str, files)]) == 0
    seen = capsys.readouterr().out.splitlines()
    assert seen[0] == f"{files[0]}: verdicts of a test runner"
    asked = [line.removeprefix("ask: ") for line in seen if line.startswith("ask: ")]
    assert [line.split()[1] for line in asked] == ["score", "compare", "plan"]
    for line in asked:
        assert main(line.split()[1:]) == 0
    assert found in capsys.readouterr().out


def test_the_test_that_is_shown_passes(tap, tmp_path):
    def write(content: str, name: str) -> Path:
        path = tmp_path / name
        path.write_text(content, "utf-8")
        return path

    scope: dict[str, Callable] = {"pytest": pytest, "InputError": InputError, "read": read}
    exec(TEST, scope)
    scope["test_a_line_that_is_no_verdict_is_refused"](write)
    with pytest.raises(InputError, match=r"again\.tap, line 2: the check 'adds' comes twice"):
        read(write("ok 1 - adds\nok 2 - adds\n", "again.tap"))


def test_no_example_of_another_format_is_taken_for_one(tap):
    for one in readers.FORMATS:
        for path in cookbook.paths_of(one.kind):
            assert tap.FORMAT.recognises([readers.Source(path)], {}) == (one.kind == "tap")


def test_it_comes_into_the_tables_and_the_cookbook(tap):
    [row] = [line for line in formats.table().splitlines() if "Test Anything Protocol" in line]
    assert row.endswith("| `score`, `compare`, `plan` | `read` | `score`, `compare` |")
    page = cookbook.page()
    assert "### Verdicts of a test runner\n" in page
    assert 'readers.example("tap")  # your own: ("old.tap", "new.tap")' in page


def test_the_module_is_documented_as_all_are():
    assert faults(MODULE) == [] == without_example(MODULE)


def test_the_names_that_are_mentioned_exist():
    assert hasattr(cli, "_READING") and hasattr(cli, "add_reading")
    edited = re.findall(r"`([A-Z_]{4,})`(?:\s+of|\s+in)\s+`([\w./-]+\.(?:js|py|md))`", TEXT)
    assert {name for name, _ in edited} >= {"FORMATS", "READ", "DAMAGED", "OTHERS", "ROUTES"}
    for name, file in edited:
        places = [ROOT / file, ROOT / "lib" / "betterthan" / file]
        (place,) = [place for place in places if place.is_file()]
        assert re.search(rf"\b{name}\b", place.read_text("utf-8")), (name, file)
    for name in ("__init__", "_format", "_roles"):
        assert f"readers/{name}.py`" in TEXT
        assert importlib.util.find_spec(f"betterthan.readers.{name}")
    rules = importlib.import_module("betterthan.readers._roles").__doc__
    assert "tests/contract/" in rules and "The rule, in order" in rules


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_a_case_that_is_shown_is_one(case, tmp_path):
    [(name, text)] = case["files"].items()
    head, *rows = text.rstrip("\n…").split("\n")
    rows += [re.sub(r"^s\d", f"s{i}", rows[i % 3]) for i in range(4, 20)]
    path = tmp_path / name
    path.write_text("\n".join([head, *rows]), "utf-8")
    if "roles" in case:
        roles = {role: column for column, role in case["roles"][name].items()}
        old, new = read(path)
        assert [one.name for one in (old, new)] == head.split(",")[-2:]
        assert f"{roles['key']} names the items" in old.reading
        assert f"{roles['groups']} says what they belong to" in old.reading
    else:
        with pytest.raises(InputError) as refusal:
            read(path)
        assert [{way.argument: way.value} for way in refusal.value.ways] == case["refused"]["ways"]
