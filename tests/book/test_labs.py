"""The lab sheets: an hour or more each, with data of their own, and answers that were run."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from betterthan import readers
from press import ROOT, grading, student
from press.chapters import read_source

SHEETS = student.lab_sheets()
PAGE = (ROOT / "chapters" / "teaching.md").read_text("utf-8")


def test_there_is_a_sheet_for_each_of_twelve_sessions():
    assert [sheet.stem[:2] for sheet in SHEETS] == [f"{n:02d}" for n in range(1, 13)]
    linked = re.findall(r"_downloads/labs/(\d[\w-]+)\.ipynb", PAGE)
    assert linked == [sheet.stem for sheet in SHEETS]


HOMEWORK = student.homework()


def test_there_is_a_sheet_to_begin_the_first_homework_with(tmp_path):
    """Its checks see the kind of an answer and nothing else: the data are the student's."""
    assert PAGE.count("_downloads/labs/homework-1.ipynb") >= 2  # in both plans
    solved, names = grading.solutions(read_source(HOMEWORK)), {}
    given = nbformat.read(student.write(HOMEWORK, tmp_path), as_version=4)
    text = "\n".join(cell.source for cell in given.cells)
    assert text.count("# Answer 1") == text.count("# Check 1") == 3
    assert text.count(grading.TEXT_STUB) == len(solved) == 4
    assert student.write_for_grading(HOMEWORK, tmp_path).parent.name == "homework-1"
    with contextlib.redirect_stdout(io.StringIO()):
        exec(next(c for c in read_source(HOMEWORK).cells if c.cell_type == "code").source, names)
        for solution in solved.values():
            assert solution.sentence() and solution.sentence() not in text
            if check := solution.check:
                exec(solution.program(), names)
                exec(check.shown, names)
                assert not check.hidden
                with pytest.raises(AssertionError):
                    exec(f"{check.wrong}\n{check.shown}", dict(names))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_a_sheet_takes_an_hour_to_an_hour_and_a_half(sheet):
    stars = re.findall(r"\{exercise\} (★+) ", sheet.read_text("utf-8"))
    assert 60 <= sum(student.MINUTES[len(found)] for found in stars) <= 90
    assert "Predict first" in sheet.read_text("utf-8")


def run(
    sheet: Path, given: Callable[[str], str] = str, answers: Callable[[str], str] = str
) -> None:
    """Run a sheet with its answers, and each check with its wrong answer and with none.

    `given` changes the first cell, with the data, as a lecturer may; `answers` the others, as a
    student may.
    """
    names: dict = {}
    first, *cells = (cell for cell in read_source(sheet).cells if cell.cell_type == "code")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(given(first.source), names)
        for cell in cells:
            if "check" not in cell.metadata.get("tags", []):
                exec(answers(cell.source), names)
                continue
            check = grading.Check.of(cell.source)
            exec(check.naming, names)
            before = set(names)
            exec(f"{check.shown}\n{check.hidden}", names)
            left = {name for name in set(names) - before if not name.startswith("key")}
            assert not left, "a hidden test leaves names that a student may need"
            wrong = dict(names)
            exec(check.wrong, wrong)
            exec(check.shown, wrong)  # the right kind: only the hidden test says that it is wrong
            with pytest.raises(AssertionError):
                exec(check.hidden, wrong)
            asked = re.findall(r"^# (\w+):", check.names, re.MULTILINE)
            with pytest.raises((AssertionError, TypeError)):
                exec(check.shown, {**names, **dict.fromkeys(asked)})


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda p: p.stem)
def test_its_answers_pass_their_checks_and_wrong_ones_do_not(sheet):
    run(sheet)


def seeds(shift: int) -> Callable[[str], str]:
    """Other seeds: each is larger by `shift`."""
    return lambda code: re.sub(r"default_rng\((\d+)\)", rf"default_rng(\1 + {shift})", code)


@pytest.mark.parametrize("shift", [100, 200, 300])
@pytest.mark.parametrize("name", ["01-luck", "05-bugs", "06-hard-items", "08-doubt", "11-promises"])
def test_a_right_answer_with_other_draws_passes(name, shift):
    """A seed does not say in which order a student draws: the key allows for the luck of it."""
    (sheet,) = (path for path in SHEETS if path.stem == name)
    run(sheet, answers=seeds(shift))


SEEDED = [s for s in SHEETS if "default_rng(" in read_source(s).cells[1].source]


@pytest.mark.parametrize("shift", [1000, 2000])
@pytest.mark.parametrize("sheet", SEEDED, ids=lambda p: p.stem)
def test_the_key_follows_a_changed_seed(sheet, shift):
    """For marks a lecturer changes the seed of the data, and nothing else."""
    run(sheet, given=seeds(shift))


WITH_FILES = [s for s in SHEETS if "readers.example(" in read_source(s).cells[1].source]


@pytest.mark.parametrize("sheet", WITH_FILES, ids=lambda p: p.stem)
def test_the_key_follows_a_changed_file(sheet, tmp_path, monkeypatch):
    """Or the file: here the examples without their first two documents, or some of their rows."""
    original = readers.example

    def fewer(file: Path) -> Path:
        text, path = Path(file).read_text("utf-8"), tmp_path / Path(file).name
        if "-DOCSTART-" in text:
            path.write_text("-DOCSTART-" + text.split("-DOCSTART-", 3)[3], "utf-8")
        else:
            top, *rows = text.splitlines(keepends=True)
            path.write_text(top + "".join(rows[: len(rows) * 5 // 6]), "utf-8")
        return path

    def example(kind: str) -> Path | tuple[Path, ...]:
        found = original(kind)
        return tuple(map(fewer, found)) if isinstance(found, tuple) else fewer(found)

    monkeypatch.setattr(readers, "example", example)
    run(sheet)


def test_every_sheet_has_a_seed_or_a_file():
    assert {s.stem for s in SHEETS} - {s.stem for s in SEEDED + WITH_FILES} == {"11-promises"}


# Answers by other right methods or with fewer digits, and common slips, with whether they pass.
OTHERS = {
    "lab-1-b": [("p_coins, p_exact = 0.71, 0.72", True), ("p_coins = p_exact = 0.63", False)],
    "lab-1-c": [("alarms, power = 0.05, 0.59", True), ("alarms, power = 0.04, 0.66", False)],
    "lab-2-a": [("low, high = 0.81, 0.92", True), ("low, high = 0.829, 0.920", False)],
    "lab-2-b": [("error_by_hand = 0.023", True), ("error_by_hand = 0.0067", False)],
    "lab-2-c": [("share_left = 0.83", True), ("share_left = 0.94", False)],
    "lab-2-d": [
        *((f"documents_needed = {n}", True) for n in (40, 41, 42, 48, 50)),
        *((f"documents_needed = {n}", False) for n in (24, 36, 38, 52, 144)),
    ],
    "lab-3-a": [("lead, lead_low = 0.063, 0.010", True), ("lead, lead_low = 0.063, 0.0094", False)],
    "lab-3-b": [("width_ratio = 1.7", True), ("width_ratio = 1.78", False)],
    "lab-3-c": [("better_by_more = 0.931", True), ("better_by_more = 0.057", False)],
    "lab-3-d": [
        ("p_old_large, p_new_large = 0.000285, 0.3075", True),  # the t-test
        ("p_old_large, p_new_large = 0.00025, 0.3012", True),  # Wilcoxon's
        ("p_old_large, p_new_large = 0.00015, 0.288", True),  # the sign test
        ("p_old_large, p_new_large = 0.056, 0.621", False),  # not paired
    ],
    "lab-5-c": [
        ("p_this_way, p_other_way = 0.0024, 0.9977", True),  # another seed
        ("p_this_way, p_other_way = 0.0032, 0.9968", False),  # two-sided
    ],
    "lab-5-d": [("largest, agree = 0.0028, True", True), ("largest, agree = 0.0028, False", False)],
    "lab-6-b": [
        ("reward_one, reward_two = 0.46, 0.54", True),
        ("reward_one, reward_two = 0.442, 0.522", False),  # by all thirty systems
    ],
    "lab-7-b": [("p_differences = 0.009", True), ("p_differences = 0.010", False)],
    "lab-7-c": [("hunted, together = 191, 174", True), ("hunted, together = 190, 182", False)],
    "lab-8-c": [("ap, ap_random = 0.4059, 0.126", True), ("ap, ap_random = 0.985, 0.128", False)],
    "lab-9-a": [("share_right = 0.82", True), ("share_right = 0.804", False)],  # of all answers
    "lab-9-c": [("brier_repaired = 0.191", True), ("brier_repaired = 0.1856", False)],
    "lab-9-d": [("limit = 0.80", True), ("limit = 0.762", False)],  # without a promise
    "lab-10-b": [
        ("items_needed, enough = 4000, False", True),
        ("items_needed, enough = 2284, False", False),  # without documents
    ],
    "lab-11-a": [("missed_items = 0.25", True), ("missed_items = 0.05", False)],
    "lab-12-b": [
        ("difference, p_value = 0.08, 0.28", True),
        ("difference, p_value = 8.1, 0.28", False),  # in points
    ],
}


@pytest.mark.parametrize("label", OTHERS)
def test_another_right_method_passes_and_a_common_slip_does_not(label):
    sheet = SHEETS[int(label.split("-")[1]) - 1]
    first = next(cell for cell in read_source(sheet).cells if cell.cell_type == "code")
    check = grading.solutions(read_source(sheet))[label].check
    for answer, passes in OTHERS[label]:
        names: dict = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(first.source, names)
        exec(answer, names)
        with contextlib.nullcontext() if passes else pytest.raises(AssertionError):
            exec(f"{check.shown}\n{check.hidden}", names)


@pytest.mark.parametrize("counts", ["(4, 4, 6)", "np.array([4, 4, 6])"])
def test_three_counts_may_be_of_any_kind(counts):
    names: dict = {}
    first, *cells = (cell for cell in read_source(SHEETS[3]).cells if cell.cell_type == "code")
    check = next(cell for cell in cells if "# counts:" in cell.source)
    exec(first.source, names)
    exec(f"counts, allowed = {counts}, 'bonferroni'", names)
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
