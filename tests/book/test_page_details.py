"""The page *Compare two files here*: corners that no other test of it looks at.

Each of these was a change to the page's code that every test let pass.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from betterthan import InputError, read

from ..test_contract import typed, written
from .test_browser import browser, pytestmark
from .test_contract_page import command_line, page, refusal, refused_alike
from .test_explore import Explorable
from .test_page_formats import _both, _of, _scores, _table, controls, example_of, said_by_the_code

__all__ = ["browser", "page", "pytestmark"]

Given = tuple[dict[str, str], dict[str, Any]]


def _tagged(*rows: str) -> dict[str, str]:
    """Twelve sentences of the same words in CoNLL columns."""
    return {"tags.conll": "\n".join([*rows, ""] * 12)}


def _labels(gold: list[str], old: list[str], new: list[str]) -> str:
    rows = zip(gold, old, new, strict=True)
    return _table("id,gold,old,new", *(f"q{k},{','.join(row)}" for k, row in enumerate(rows)))


def _penalties() -> str:
    """Mostly zeros and a few that rise: neither numbers of rows nor of documents."""
    old = [0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 1, 0] * 3
    new = [0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0] * 3
    return _table("id,old,new", *(f"q{k},{a},{b}" for k, (a, b) in enumerate(zip(old, new))))


def _few_differ() -> str:
    """Fifteen neighbours of a hundred differ: too few to tell an order from chance."""
    rows = (f"q{k},0.5{k % 7},{0.8 if 40 <= k < 55 else f'0.5{k % 7}'}" for k in range(100))
    return _table("id,old,new", *rows)


GOLD = ["a"] * 8 + ["b"] * 30
ALIKE: dict[str, Given] = {
    "penalties": _of(_penalties(), lower=True),
    "few that differ": _of(_few_differ()),
    "a class of which half is missed": _of(
        _labels(GOLD, ["a"] * 4 + ["b"] * 34, ["a"] * 5 + ["b"] * 33), metric="macro_f1"
    ),
    "tags of which some are no spans, columns not said": (
        _tagged("Ann B-PER NN", "saw O O", "Bonn B-LOC B-LOC"),
        {},
    ),
    "a margin of all there is": example_of("fold_counts", repetitions=3, margin=1),
    "three folds alike": _of(_table("old,new", "0.5,0.6", "0.6,0.7", "0.4,0.5"), test_share=0.2),
    "two folds": _of(_table("old,new", "0.5,0.6", "0.6,0.8"), test_share=0.2),
    "classes that begin alike": _of(
        _labels(["ab", "a", "abc"] * 9, ["ab", "a", "a"] * 9, ["a", "a", "abc"] * 9), positive="q"
    ),
}


SAID: dict[str, Given] = {
    "columns from the left": (
        _both(),
        {"columns": {"word": -4, "gold": -3, "predicted": [-2, -1]}},
    ),
    "no column of words": (_both(), {"columns": {"gold": -3, "predicted": [-2, -1]}}),
}


@pytest.mark.parametrize("name", SAID)
def test_columns_are_said_by_the_code_and_the_command(page, name, tmp_path, monkeypatch, capsys):
    files, options = SAID[name]
    shown = page.load_texts(files, options)
    assert shown["error"] == ""
    written({"files": files}, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert said_by_the_code(page, capsys) == [shown["sentence"]] * 2


COLUMNS_REFUSED: dict[str, Given] = {
    "a column too far left": (
        _both(),
        {"columns": {"word": -5, "gold": -3, "predicted": [-2, -1]}},
    ),
    "tags of which some are no spans": (
        _tagged("Ann B-PER NN NN", "saw O O O", "Bonn B-LOC B-LOC O"),
        {"columns": {"word": 0, "gold": 1, "predicted": [2, 3]}},
    ),
}


@pytest.mark.parametrize("name", COLUMNS_REFUSED)
def test_columns_are_refused_as_by_the_library(page, name, tmp_path):
    files, options = COLUMNS_REFUSED[name]
    with pytest.raises(InputError) as refused:
        read(*written({"files": files}, tmp_path), **options)
    refused_alike(refused.value, page.load_texts(files, options))


@pytest.mark.parametrize("name", ALIKE)
def test_as_the_command_line(page, name, tmp_path):
    files, options = ALIKE[name]
    shown = page.load_texts(files, options)
    paths, said = typed({"files": files, "options": options}, tmp_path)
    code, sentence = command_line(paths, said)
    assert (code, sentence) == (0 if shown["sentence"] else 2, shown["sentence"])
    if code == 2:
        refused_alike(refusal(paths, said), shown)


# What is shown where a file cannot be compared: which control, file or system it is about.
REFUSED: dict[str, tuple[Given, str]] = {
    "a control and its value": (
        _of(_scores(), groups="nothing"),
        "Groups: “nothing”: expected a column of a table.csv: item, topic, language, old, it's b",
    ),
    "a file and a line": (
        _of(_table("id,old,new", "q1,0.5,0.4", "q2,0.5")),
        "a table.csv, line 3: expected 3 columns, one per name, found 2: 'q2, 0.5'",
    ),
    "a cell": (
        _of(
            _table("id,old,new", *(f"q{k},0.5,0.4" for k in range(9)), "q9,much,0.4"),
            systems=["old", "new"],
        ),
        "a table.csv, line 11: old = “much”: expected a finite number",
    ),
    "a system": (
        (
            {"a.csv": _table("score", *["0.5"] * 9), "b.csv": _table("score", *["0.4"] * 8)},
            {"items": True},
        ),
        "b: expected as many units as a has (9), got 8",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_what_it_is_about(page, name):
    given, words = REFUSED[name]
    assert page.load_texts(*given)["error"].startswith(words)


OUTSIDE = """
const svg = document.querySelector(".explore svg[role=img]"), frame = svg.getBoundingClientRect();
return [...svg.querySelectorAll("*")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.left < frame.left - 1 || box.right > frame.right + 1 ||
    box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
}).map((one) => one.outerHTML.slice(0, 80));"""
PLACES = """
const svg = document.querySelector(".explore svg[role=img]");
const middle = (one) => {
  const box = one.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
return {dots: [...svg.querySelectorAll("circle")].map(middle),
  words: [...svg.querySelectorAll("text")].map((one) => [one.textContent, ...middle(one)])};"""
PICTURES: dict[str, Given] = {
    "two systems": _of(_scores(), groups="topic", ignore="language"),
    "far from zero": _of(
        _table("id,a,b", *(f"q{k},0.{k % 7}1,{5 + k % 3}.5" for k in range(40))), systems=["a", "b"]
    ),
    "many systems": _of(_scores(names=("a", "b", "c")), groups="topic", ignore="language"),
    "posteriors": example_of("fold_counts", repetitions=3),
}


def in_the_next_frame(page: Explorable, script: str) -> Any:
    """A picture is drawn when its place on the page has a width."""
    page.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 50))")
    return page.browser.execute_script(script)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_stays_in_its_frame(page, name):
    assert page.load_texts(*PICTURES[name])["error"] == ""
    assert in_the_next_frame(page, OUTSIDE) == []


def places(page: Explorable) -> tuple[list[list[float]], dict[str, list[float]]]:
    found = in_the_next_frame(page, PLACES)
    return found["dots"], {word: at for word, *at in found["words"]}


def test_ranks_go_to_the_right_and_down(page):
    """The best stands on top at rank 1, each dot above the number of its rank, beside its name."""
    page.load_texts(*PICTURES["many systems"])
    dots, words = places(page)
    assert len(dots) == 3
    for rank, (x, y) in enumerate(dots, 1):
        assert x == pytest.approx(words[str(rank)][0], abs=1)
        name = [word for word, at in words.items() if abs(at[1] - y) < 6 and at[0] < x]
        assert len(name) == 1 and name[0][0] in "abc"
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(dots))
    axis = next(at for word, at in words.items() if word.startswith("rank; bar"))
    assert max(y for _, y in dots) < words["1"][1] < axis[1]


def test_ticks_of_a_difference_stand_below_it(page):
    page.load_texts(*PICTURES["two systems"])
    ((_, bar),), words = places(page)
    axis = next(at for word, at in words.items() if " minus " in word)
    ticks = [at for word, at in words.items() if word == "0" or word[0] in "+−"]
    assert ticks and all(bar < y < axis[1] for _, y in ticks)


def test_what_was_asked_for_stays_checked(page):
    files = {
        "a.csv": _table("id,score", *(f"q{k},0.{k % 9}1" for k in range(30))),
        "b.csv": _table("id,score", *(f"q{k},0.{k % 7}3" for k in range(2, 32))),
    }
    assert page.load_texts(files, {"unmatched": "drop"})["error"] == ""
    shown = controls(page)
    assert shown["unmatched"] == ["leave out items that not all have", True, []]
