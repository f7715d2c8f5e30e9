"""The lab sheets: an hour or more each, with data of their own, and answers that were run."""

from __future__ import annotations

import contextlib
import io
import re

import nbformat
import pytest

from press import ROOT, grading, student
from press.chapters import read_source

SHEETS = student.lab_sheets()
MINUTES = {1: 5, 2: 25, 3: 40}  # by stars, as in the chapters
PAGE = (ROOT / "chapters" / "teaching.md").read_text("utf-8")


def test_there_is_a_sheet_for_each_of_twelve_sessions():
    assert [sheet.stem[:2] for sheet in SHEETS] == [f"{n:02d}" for n in range(1, 13)]
    linked = re.findall(r"_downloads/labs/([\w-]+)\.ipynb", PAGE)
    assert linked == [sheet.stem for sheet in SHEETS]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_a_sheet_takes_an_hour_to_an_hour_and_a_half(sheet):
    stars = re.findall(r"\{exercise\} (★+) ", sheet.read_text("utf-8"))
    assert 60 <= sum(MINUTES[len(found)] for found in stars) <= 90
    assert "Predict first" in sheet.read_text("utf-8")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_its_answers_pass_their_checks_and_wrong_ones_do_not(sheet):
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in read_source(sheet).cells:
            if cell.cell_type != "code":
                continue
            exec(cell.source, names)  # a check cell is asserted here, hidden tests and all
            if "check" in cell.metadata.get("tags", []):
                check, wrong = grading.Check.of(cell.source), dict(names)
                exec(check.wrong, wrong)
                with pytest.raises(AssertionError):
                    exec(f"{check.shown}\n{check.hidden}", wrong)


@pytest.mark.parametrize("shift", [100, 200, 300])
@pytest.mark.parametrize("name", ["01-luck", "05-bugs", "06-hard-items", "08-doubt", "11-promises"])
def test_a_right_answer_with_other_draws_passes(name, shift):
    """A seed does not say in which order a student draws: the key allows for the luck of it."""
    names: dict = {}
    (sheet,) = (path for path in SHEETS if path.stem == name)
    given, *cells = (cell for cell in read_source(sheet).cells if cell.cell_type == "code")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(given.source, names)
        for cell in cells:
            exec(re.sub(r"default_rng\((\d+)\)", rf"default_rng(\1 + {shift})", cell.source), names)


@pytest.mark.parametrize("counts", ["(4, 4, 6)", "np.array([4, 4, 6])"])
def test_three_counts_may_be_of_any_kind(counts):
    names: dict = {}
    cells = [cell for cell in read_source(SHEETS[3]).cells if cell.cell_type == "code"]
    check = next(cell for cell in cells if "# counts:" in cell.source)
    exec(f"import numpy as np\ncounts, allowed = {counts}, 'bonferroni'", names)
    exec(grading.Check.of(check.source).hidden, names)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_students_get_no_answer_and_lecturers_all(sheet, tmp_path):
    given = nbformat.read(student.write(sheet, tmp_path), as_version=4)
    kept = nbformat.read(student.write_for_grading(sheet, tmp_path), as_version=4)
    for each in (given, kept):
        nbformat.validate(each)
    solved = grading.solutions(read_source(sheet))
    text, key = ("\n".join(cell.source for cell in each.cells) for each in (given, kept))
    assert len(solved) == 4
    for solution in solved.values():
        assert solution.program() in key and solution.check.hidden in key
        assert solution.check.hidden not in text and solution.sentence() not in text
    assert text.count("# Answer ") == text.count("# Check ") == 4
    assert "%pip install" in given.cells[0].source


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_a_sheet_installs_the_library_alone(sheet, tmp_path):
    """No corpora, no taggers: no sheet uses what `[all]` brings."""
    first = nbformat.read(student.write(sheet, tmp_path), as_version=4).cells[0].source
    assert "[all]" not in first and "numba" not in first
    assert "git+" in first and first.endswith('%pip install --quiet "{source}"')
