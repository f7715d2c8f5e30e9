"""The page *Compare two files here* decides like the library: case by case, and on made-up files.

The cases are those of `tests/test_contract.py`; the made-up files are compared with the command
line, sentence for sentence. Where one refuses, so does the other, and offers the same ways on.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from betterthan import readers
from betterthan.__main__ import main
from betterthan.errors import InputError
from betterthan.readers.elsewhere import ELSEWHERE

from ..made_up import made_up
from ..made_up_odd import odd
from ..readers.test_elsewhere import NAMED
from ..test_contract import (
    READ,
    REFUSED,
    asked_of_command,
    flags,
    parts,
    read_of,
    same_refusal,
    typed,
    written,
)
from .test_browser import browser, pytestmark
from .test_explore import Explorable, opened, troubles

__all__ = ["browser", "pytestmark"]

SEEDS = range(60)
ODD = range(80)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory) -> Iterator[Explorable]:
    """The page, opened once for all files; nothing may come up on its console."""
    troubles(browser)
    yield opened(browser, tmp_path_factory.mktemp("page"), "compare-files")
    assert troubles(browser) == []


def command_line(paths: list[Path], options: dict[str, Any]) -> tuple[int, str]:
    """The exit code and the first line of `betterthan compare`."""
    said = {"lower_is_better" if name == "lower" else name: x for name, x in options.items()}
    out, trouble = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(trouble):
        code = main(["compare", *map(str, paths), *flags(said)])
    return code, out.getvalue().split("\n", 1)[0]


@pytest.mark.parametrize("name", READ)
def test_every_column_has_its_role(page, name, tmp_path):
    case, options = READ[name], READ[name].get("options", {})
    shown = page.load_texts(case["files"], options)
    assert shown["error"] == ""
    assert {file: roles for file, roles in shown["roles"].items() if roles} == case["roles"]
    assert (0, shown["sentence"]) == command_line(*typed(case, tmp_path))
    _, systems, _ = read_of(*typed(case, tmp_path))
    read = {line: None for one in systems for line in getattr(one, "reading", ())}
    assert shown["read"] == [line.replace(f"{tmp_path}/", "") for line in read]


def shown_parts(shown: dict[str, Any]) -> dict[str, Any]:
    refusal = shown["refusal"]
    ways = [{way["argument"]: way.get("value")} for way in refusal["ways"]]
    return {"argument": refusal["argument"], "line": refusal["line"] or None, "ways": ways}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_clear_is_refused(page, name, tmp_path):
    case = REFUSED[name]
    shown = page.load_texts(case["files"], case.get("options", {}))
    assert shown["sentence"] == "" and shown["error"]
    same_refusal(case["refused"], shown_parts(shown), shown["refusal"]["column"], shown["error"])
    same_words(refusal(*typed(case, tmp_path)), shown)


def refusal(paths: list[Path], options: dict[str, Any]) -> InputError:
    """What the command line refuses, in its parts."""
    said = {"lower_is_better" if name == "lower" else name: x for name, x in options.items()}
    with pytest.raises(InputError) as refused:
        asked_of_command(paths, said)
    return refused.value


# Where the page has words of its own: its reader has no Python, no command line, or another parser.
OWN_WORDS = (
    "not JSON (",
    "one of: translations",
    "--margin and ",
    "the same documents",
    "columns[",
)


def same_words(error: InputError, shown: dict[str, Any]) -> None:
    """What is wrong, with what, what is expected, and when a way helps: word for word."""
    found = shown["refusal"]
    said = [(way["when"], way["insteadOf"]) for way in found["ways"]]
    assert said == [(way.when, way.instead_of) for way in error.ways]
    assert (found["column"], found["value"]) == (error.column, json.loads(json.dumps(error.value)))
    for part in ("problem", "expected"):
        words = re.sub(r"(?:/[^/\s'(]+)+/", "", getattr(error, part)).split(
            "; name the other file"
        )[0]
        if words.startswith("does nothing for"):  # whichever of the files it names
            assert found[part].split(" (")[0] == words.split(" (")[0]
        elif not words.startswith(OWN_WORDS):
            assert found[part] == words


def test_texts_and_numbers_are_written_as_in_python(page):
    texts = [
        "it's",
        'say "so"',
        'it\'s "so"',
        "a\tb\\\n\r",
        "\x07\xa0\xad\u200b\u2028",
        "é 😀\U000e0001",
    ]
    assert page.run("arguments[0].map((one) => Explore.compare.quoted(one))", texts) == [
        repr(one) for one in texts
    ]
    numbers = ["NaN", "-Infinity", "1e16", "1e-05", "0.0001", "123456.75", "-2.5e-300", "1e15"]
    assert page.run(
        "arguments[0].map((one) => Explore.compare.shortest(Number(one)))", numbers
    ) == [repr(float(one)) for one in numbers]


OTHERS = {
    "a TREC run": readers.example("trec")[0],
    "a table of p-values": readers.example("pvalues"),
    "labels with probabilities": readers.example("probabilities"),
    "ranked candidates": readers.example("candidates"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_only_the_library_reads_is_named(page, kind):
    path = OTHERS[kind]
    shown = page.load_texts({path.name: path.read_text("utf-8")}, {})
    assert shown["sentence"] == "" and f"this is {kind}" in shown["error"]
    assert "betterthan look" in shown["error"]


@pytest.mark.parametrize(
    "known",
    [one for one in ELSEWHERE if isinstance(NAMED[one.name], str)],
    ids=lambda one: one.name,
)
def test_files_of_others_are_named_with_what_to_do(page, known):
    refusal = page.load_texts({"results.json": NAMED[known.name]}, {})["refusal"]
    assert refusal["problem"] == f"this is {known.name}" and refusal["expected"] == known.instead


def _two(*names: str) -> dict[str, str]:
    """Files of these names with scores by id."""
    return {
        name: "id,score\n" + "".join(f"q{k},{k * step % 7 / 7:.2f}\n" for k in range(20))
        for name, step in zip(names, (3, 5), strict=True)
    }


# What looks like something that it is not, or almost.
NEARLY = {
    "the first line of a record has two marks": (
        {
            "t.jsonl": "".join(
                f'{{"spec": "q{k}", "a": {k % 2}, "b": {k % 3}}}\n' for k in range(20)
            )
        },
        {"key": "spec"},
    ),
    "counts of folds said to be items": (
        {"t.csv": "fold,tp,fp,fn\n" + "".join(f"{k},{9 + k % 3},{k % 4},2\n" for k in range(6))},
        {"items": True},
    ),
    "names that end in a dot": (_two("old.", "new."), {}),
}


@pytest.mark.parametrize("name", NEARLY)
def test_what_looks_like_something_else(page, name, tmp_path):
    files, options = NEARLY[name]
    shown = page.load_texts(files, options)
    paths = written({"files": files}, tmp_path)
    code, sentence = command_line(paths, options)
    assert (code, sentence) == (0 if shown["sentence"] else 2, shown["sentence"])
    if code == 2:
        refused_alike(refusal(paths, options), shown)


# Tables with a column p, options, and whether they are of p-values.
WITH_P = {
    "by any name of the datasets": ("corpus,p\nnews,0.01\nmail,0.2\nchat,0.4\n", {}, True),
    "beside two scores": ("task,p,old,new\na,0.01,50,60\nb,0.2,40,41\nc,1,30,50\n", {}, True),
    "beside a and b": ("task,A,B,P-value\na,50,60,.1\nb,40,41,.2\nc,30,50,.1\n", {}, True),
    "and what they test": (
        "task,old,new,alternative,p\na,5,6,greater,.1\nb,4,5,greater,.2\nc,3,4,two-sided,.1\n",
        {},
        True,
    ),
    "beside other numbers": (
        "task,p,n,rho\na,0.01,500,.6\nb,0.2,400,.4\nc,1,30,.5\n",
        {"items": True},
        False,
    ),
    "right and wrong": ("item,p,q,r\na,1,0,1\nb,0,1,1\nc,1,1,0\n", {"items": True}, False),
    "systems are said": (
        "item,p,old,new\na,0.1,.5,.6\nb,0.2,.4,.4\nc,1,.3,.5\n",
        {"systems": ["p", "old"]},
        False,
    ),
    "p is left out": (
        "item,p,old,new\na,0.1,.5,.6\nb,0.2,.4,.4\nc,1,.3,.5\n",
        {"ignore": ["p"]},
        False,
    ),
    "names that repeat": ("task,p,old,new\na,0.01,.5,.6\na,0.2,.4,.4\nc,1,.3,.5\n", {}, False),
    "some are above 1": ("task,p,old,new\na,0.01,.5,.6\nb,2,.4,.4\nc,1,.3,.5\n", {}, False),
}


@pytest.mark.parametrize("name", WITH_P)
def test_which_tables_are_of_p_values(page, name, tmp_path):
    text, options, yes = WITH_P[name]
    shown = page.load_texts({"t.csv": text}, options)
    assert ("this is a table of p-values" in shown["error"]) == yes
    (path,) = written({"files": {"t.csv": text}}, tmp_path)
    assert (readers.format_of([readers.Source(path)], options).kind == "pvalues") == yes


def test_a_gold_standard_that_is_no_file_here(page):
    files = {path.name: path.read_text("utf-8") for path in readers.example("conll")}
    shown = page.load_texts(files, {"gold": "gold.conll"})
    assert shown["refusal"]["expected"] == (
        "one of the files, beside those of the systems: old.conll, new.conll"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_made_up_files(page, seed, tmp_path):
    made = made_up(seed)
    shown = page.load_texts(made.files, made.options)
    paths = written({"files": made.files}, tmp_path)
    code, sentence = command_line(paths, made.options)
    assert (code, sentence) == (0 if shown["sentence"] else 2, shown["sentence"])
    if code == 2:
        refused_alike(refusal(paths, made.options), shown)


def refused_alike(error: InputError, shown: dict[str, Any]) -> None:
    """What is refused is refused for the same reason, with the same ways on, in the same words."""
    assert shown_parts(shown) == parts(error)
    same_words(error, shown)


@pytest.fixture(scope="module")
def odd_ones(page) -> list[dict[str, Any]]:
    """What the page says of all tables of odd spelling, asked in one go."""
    made = [odd(seed) for seed in ODD]
    listed = [
        [[{"name": name, "text": text} for name, text in one.files.items()], one.options]
        for one in made
    ]
    return page.run("arguments[0].map((one) => e.load(one[0], one[1]))", listed)


@pytest.mark.parametrize("seed", ODD)
def test_odd_spelling(odd_ones, seed, tmp_path):
    made, shown = odd(seed), odd_ones[ODD.index(seed)]
    paths = written({"files": made.files}, tmp_path)
    code, sentence = command_line(paths, made.options)
    assert (code, sentence) == (0 if shown["sentence"] else 2, shown["sentence"])
    if code == 2:
        refused_alike(refusal(paths, made.options), shown)


def test_odd_spelling_is_read_and_refused(odd_ones):
    """The seeds hold what they should: some of every layout are compared, and some refused."""
    for layout in ("long.csv", "votes.csv", "two", "one"):
        codes = set()
        for seed, shown in zip(ODD, odd_ones, strict=True):
            names = list(odd(seed).files)
            known = (
                names[0]
                if names[0] in ("long.csv", "votes.csv")
                else ["one", "two"][len(names) - 1]
            )
            if known == layout:
                codes.add(bool(shown["sentence"]))
        assert codes == {True, False}, layout


def test_made_up_files_are_read_and_refused_in_every_way():
    """The seeds hold what they should: every layout, groups, blanks, several systems, refusals."""
    made = [made_up(seed) for seed in SEEDS]
    names = [name for one in made for name in one.files]
    for ending in (".csv", ".tsv", ".jsonl", ".json"):
        assert sum(name.endswith(ending) for name in names) > 2, ending
    assert sum(len(one.files) > 1 for one in made) > 5
    for option in ("groups", "ignore", "empty", "lower", "metric", "where", "gold", "margin"):
        assert any(option in one.options for one in made), option


def _rows(*columns: list) -> str:
    """A table with a header."""
    return "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True)) + "\n"


def _margin_files() -> dict[str, tuple[dict[str, str], dict[str, Any]]]:
    """Files that go each way to "no difference of more than m": name, files and options."""
    ids = [f"i{k}" for k in range(400)]
    right = [int(k % 5 != 0) for k in range(400)]
    other = [1 - x if k in (3, 77, 140, 291) else x for k, x in enumerate(right)]
    share = [round(0.2 + (k * 37 % 100) / 200, 3) for k in range(400)]
    close = [round(x + (k % 7 - 3) / 1000, 3) for k, x in enumerate(share)]
    seconds = [round(3 + 40 * x, 2) for x in share]
    document = [f"d{k * k % 61}" for k in range(400)]
    gold = [["ab", "c"][k % 2] if k % 19 else "rare" for k in range(400)]
    said = [["ab" if k % 11 == r else g for k, g in enumerate(gold)] for r in (0, 1)]
    two = {"t.csv": _rows(["id", *ids], ["old", *right], ["new", *other])}
    same = {"t.csv": _rows(["id", *ids], ["old", *right], ["new", *right])}
    alike = {"t.csv": _rows(["id", *ids], ["old", *share], ["new", *share])}
    near = {"t.csv": _rows(["id", *ids], ["old", *share], ["new", *close])}
    slow = {"t.csv": _rows(["id", *ids], ["old", *seconds], ["new", *seconds])}
    grouped = {
        "t.csv": _rows(["id", *ids], ["document", *document], ["old", *right], ["new", *other])
    }
    tagged = {"t.csv": _rows(["id", *ids], ["gold", *gold], ["old", *said[0]], ["new", *said[1]])}
    spans = {path.name: path.read_text(encoding="utf-8") for path in readers.example("conll")}
    one_file = next(iter(spans.values()))
    return {
        "right or wrong": (two, {"margin": 0.03}),
        "identical answers": (same, {"margin": 0.01}),
        "identical answers, too few": (same, {"margin": 0.005}),
        "identical scores": (alike, {"margin": 0.02}),
        "close scores": (near, {"margin": 0.01}),
        "identical seconds": (slow, {"margin": 0.5}),
        "groups": (grouped, {"margin": 0.1, "groups": "document"}),
        "macro-F1": (tagged, {"margin": 0.1, "gold": "gold", "metric": "macro_f1"}),
        "labels": (tagged, {"margin": 0.05, "gold": "gold"}),
        "F1": (spans, {"margin": 0.2}),
        "recall": (spans, {"margin": 0.15, "metric": "recall"}),
        "the same spans": ({"a.conll": one_file, "b.conll": one_file}, {"margin": 0.3}),
    }


MARGINS = _margin_files()


@pytest.mark.parametrize("name", MARGINS)
def test_every_way_to_a_margin(page, name, tmp_path):
    files, options = MARGINS[name]
    shown = page.load_texts(files, options)
    assert shown["error"] == ""
    assert (0, shown["sentence"]) == command_line(written({"files": files}, tmp_path), options)
    assert f"{options['margin']:g}" in shown["sentence"]
