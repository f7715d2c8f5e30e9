"""Answers that can be graded: what nbgrader must find in the cells, and what the checks let pass.

The round trip with nbgrader itself (release, answer right and wrong, grade) is described on the
teaching page. Here are the facts of its schema that it depends on, and the checks run alone.
"""

from __future__ import annotations

import ast
import re
from copy import deepcopy
from functools import cache

import nbformat
import numpy as np
import pytest
from scipy.stats import chi2

from betterthan import pvalues, replicability
from press import ROOT, grading, student
from press.chapters import read_source
from tests.book.test_student import unbound

SOURCES = sorted((ROOT / "chapters").glob("[0-9]-*.md"))
BY_NAME = {md.stem: md for md in SOURCES}
MARKS = re.compile("### (BEGIN|END) (SOLUTION|HIDDEN TESTS)")


@cache
def source(name: str) -> nbformat.NotebookNode:
    return read_source(BY_NAME[name])


def notebook(name: str) -> nbformat.NotebookNode:
    return deepcopy(source(name))


@cache
def solved(name: str) -> dict[str, grading.Solution]:
    return grading.solutions(source(name))


@cache
def kept(name: str) -> list[str]:
    """The code of a chapter that stands outside its solutions."""
    cells = student.without_solutions(notebook(name)).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def checks(alone: bool = False) -> list[pytest.ParameterSet]:
    """Every check, or those that need nothing of their chapter."""
    found = []
    for name in BY_NAME:
        for label, solution in solved(name).items():
            check = solution.check
            if check and not (alone and unbound([check.wrong, check.shown, check.hidden])):
                found.append(pytest.param(name, label, solution, id=label))
    return found


def given(source: str) -> set[str]:
    """The names that the head of a check asks for."""
    heads = re.findall(r"^# ([\w, ]+):", source, re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def test_a_check_cell_is_taken_apart():
    check = grading.Check.of(
        "# x: a sum\nx = 1 + 1\n# check\nassert x > 0\n# hidden\nassert x == 2\n# wrong: x = 3"
    )
    assert check == grading.Check(
        "# x: a sum", "x = 1 + 1", "assert x > 0", "assert x == 2", "x = 3"
    )
    assert check.source(solved=False) == "assert x > 0"
    assert "### BEGIN HIDDEN TESTS\nassert x == 2\n### END HIDDEN TESTS" in check.source(
        solved=True
    )
    with pytest.raises(ValueError, match="no check cell"):
        grading.Check.of("assert True")


def test_every_solution_with_code_is_checked():
    for name in BY_NAME:
        for label, solution in solved(name).items():
            assert solution.sentence(), label
            assert bool(solution.code) == bool(solution.check), label
    assert len(checks()) >= 40


@pytest.mark.parametrize(("name", "label", "solution"), checks())
def test_a_check_asks_for_names_that_only_an_answer_gives(name, label, solution):
    """Else an empty answer could pass, by a name that the chapter has for something else."""
    asked = given(solution.check.names)
    assert asked
    known = {
        node.id
        for cell in kept(name)
        for node in ast.walk(ast.parse(cell))
        if isinstance(node, ast.Name)
    }
    others = {
        found
        for other, one in solved(name).items()
        if one.check and other != label
        for found in given(one.check.names)
    }
    assert not asked & (known | others)
    assert asked <= {
        node.id if isinstance(node, ast.Name) else node.name
        for node in ast.walk(ast.parse(solution.program()))
        if isinstance(node, ast.Name | ast.FunctionDef)
    }


@pytest.mark.parametrize(("name", "label", "solution"), checks())
def test_a_solution_needs_neither_a_hidden_cell_nor_another_solution(name, label, solution):
    """A lecturer may take some exercises of a chapter, and leave the others out."""
    check = solution.check
    assert unbound([*kept(name), solution.program(), check.shown, check.hidden]) == set()


@pytest.mark.parametrize(("name", "label", "solution"), checks(alone=True))
def test_a_wrong_answer_does_not_pass(name, label, solution):
    check, names = solution.check, {}
    tests = f"{check.shown}\n{check.hidden}"
    exec(check.wrong, names)
    assert given(check.names) <= set(names)
    with pytest.raises(AssertionError):
        exec(tests, names)
    with pytest.raises((AssertionError, TypeError)):
        exec(tests, dict.fromkeys(given(check.names)))


SLOW = pytest.param("five", marks=pytest.mark.slow)  # 400 bootstraps


@pytest.mark.parametrize("number", ["one", "two", "three", "four", SLOW])
def test_a_check_that_catches_nothing_does_not_pass(number):
    """*Spot the bug*: with the workshop's functions the book's check passes, an idle one not."""
    names = {"np": np, "pvalues": pvalues, "replicability": replicability, "chi2": chi2}
    for cell in kept("3-more"):
        for part in ast.parse(cell).body:
            if isinstance(part, ast.FunctionDef) and part.name == f"bug_{number}":
                exec(ast.unparse(part), names)
    solution = solved("3-more")[f"ex-3-bug-{number}"]
    exec(solution.code[0].partition("\nfor ")[0], names)
    exec(solution.check.shown, names)
    exec(solution.check.wrong, names)
    with pytest.raises(AssertionError, match="lets the broken function pass"):
        exec(solution.check.shown, names)


def test_all_checks_are_tried_but_one():
    """The one that is left needs the whole of chapter 6; its right answer runs there."""
    left = {one.id for one in checks()} - {one.id for one in checks(alone=True)}
    assert left == {*(f"ex-3-bug-{n}" for n in ("one", "two", "three", "four", "five"))} | {
        "ex-6-constant"
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_nbgrader_finds_what_it_needs(name):
    """Schema 3: these keys and no others, ids once, points where something is graded."""
    released = student.handout(notebook(name))
    kept = student.handout(notebook(name), key=True)
    ids = []
    for cell, keyed in zip(released.cells, kept.cells, strict=True):
        assert cell.metadata == keyed.metadata and cell.cell_type == keyed.cell_type
        assert not MARKS.search(cell.source)
        facts = cell.metadata.get("nbgrader")
        if facts is None:
            assert cell.source == keyed.source
            continue
        keys = {"cell_type", "grade", "grade_id", "locked", "schema_version", "solution", "task"}
        assert set(facts) == (keys | {"points"} if facts["grade"] else keys)
        assert facts["schema_version"] == 3 and facts["cell_type"] == cell.cell_type
        assert facts["grade"] or facts["solution"]
        assert facts["locked"] == (facts["grade"] and not facts["solution"])
        assert re.fullmatch(r"[A-Za-z0-9_-]+", facts["grade_id"])
        assert not facts["grade"] or facts["points"] >= 1
        if facts["solution"]:
            assert keyed.source.count("### BEGIN SOLUTION") == 1
            assert keyed.source.rstrip().endswith("### END SOLUTION")
        ids.append(facts["grade_id"])
    assert len(ids) == len(set(ids))
    assert ids
    assert kept.metadata.kernelspec.language == "python"


@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_released_is_what_nbgrader_would_release(name):
    """Solutions and hidden tests cut out as nbgrader does it give the student's notebook."""
    kept = student.handout(notebook(name), key=True)
    released = student.handout(notebook(name))
    for keyed, cell in zip(kept.cells, released.cells, strict=True):
        stub = grading.CODE_STUB if keyed.cell_type == "code" else grading.TEXT_STUB
        cut = re.sub(r"### BEGIN SOLUTION\n.*?### END SOLUTION", stub, keyed.source, flags=re.S)
        cut = re.sub(r"\n### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS", "", cut, flags=re.S)
        assert cut == cell.source
