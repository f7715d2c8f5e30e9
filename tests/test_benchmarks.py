"""The runner of the benchmarks, on toy rows whose times are known."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import run as bench

RUNNER = Path(bench.__file__)

TOYS = """
import time

import numpy as np
from benchmarks.run import Row, Value

CALLS = []


def short():
    CALLS.append("ours")
    time.sleep(0.01)
    return np.arange(3.0)


def long():
    CALLS.append("peer")
    time.sleep(0.05)
    return np.arange(3.0)


def rows():
    yield Row("sleeping", ours=short, peer=long, peer_name="sleeper", repeat=5, target=2)
    yield Row("alone", ours=short, repeat=2)
    yield Value("a number", lambda: 42.0, "apples", limit=50)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder for bench files; what they import is forgotten afterwards."""
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("bench_"):
            del sys.modules[name]


def write(folder: Path, topic: str, body: str) -> None:
    head = "" if "import" in body else "from benchmarks.run import Row, Value\n"
    (folder / f"bench_{topic}.py").write_text(head + body)


def only(folder: Path, body: str, **options) -> bench.Result:
    write(folder, "toy", body)
    results = list(bench.run(folder, [], **options))
    assert len(results) == 1
    return results[0]


def test_the_ratio_is_how_many_times_longer_the_peer_takes(folder):
    write(folder, "toys", TOYS)
    sleeping, alone, number = bench.run(folder, [])
    # sleeps may oversleep on a busy machine, but hardly so by a factor of 2.5 in the median
    assert 2 < sleeping.ratio < 12.5
    assert sleeping.ours >= sleeping.ours_min >= 0.01
    assert sleeping.peer >= sleeping.peer_min >= 0.05
    assert sleeping.ratio == sleeping.peer / sleeping.ours
    assert (sleeping.agreement, sleeping.failures, sleeping.repeats) == ("exact", [], 5)
    assert alone.ratio is None and alone.peer is None and alone.ours >= 0.01
    assert (number.value, number.unit, number.failures) == (42.0, "apples", [])


def test_ours_and_the_peer_take_turns(folder):
    write(folder, "toys", TOYS)
    next(bench.run(folder, ["toys"]))
    calls = sys.modules["bench_toys"].CALLS
    assert len(calls) == 12
    turns = [set(calls[i : i + 2]) for i in range(0, 12, 2)]
    assert turns == [{"ours", "peer"}] * 6
    assert calls[2:6] == ["ours", "peer", "peer", "ours"]


def test_disagreement_is_a_failure(folder):
    result = only(folder, "def rows(): yield Row('x', lambda: [1.0, 2.0], lambda: [1.0, 2.5])")
    assert result.agreement == "5.0e-01 > 1e-09"
    assert result.failures == ["the results differ by 0.5, more than 1e-09"]


@pytest.mark.parametrize(
    ("row", "shown", "fails"),
    [
        ("lambda: 1.0, lambda: 1.0 + 1e-12", "1.0e-12", False),
        ("lambda: 1.0, lambda: 1.1, tolerance=0.2", "1.0e-01", False),
        ("lambda: [1.0], lambda: [1.0, 1.0]", "DIFFERENT", True),
        ("lambda: [[1.0]], lambda: [1.0]", "DIFFERENT", True),
        ("lambda: float('nan'), lambda: float('nan')", "exact", False),
        ("lambda: float('nan'), lambda: 1.0", "nan > 1e-09", True),
        ("lambda: float('inf'), lambda: float('inf')", "exact", False),
        ("lambda: 'a', lambda: 'a'", "same", False),
        ("lambda: 'a', lambda: 'b'", "DIFFERENT", True),
        ("lambda: {'a': 1}, lambda: {'a': 2}", "DIFFERENT", True),
        ("lambda: 1, lambda: 2, agree=lambda a, b: 'F1 .9 and .8'", "F1 .9 and .8", False),
        ("lambda: 1, lambda: 2, agree=lambda a, b: a < b", "same", False),
        ("lambda: 1, lambda: 2, agree=lambda a, b: (False, 'too low')", "too low", True),
        ("lambda: 1, lambda: 2, agree=lambda a, b: (True, 'as good')", "as good", False),
        ("lambda: 1, lambda: 2, agree=lambda a, b: abs(a - b)", "1.0e+00 > 1e-09", True),
    ],
)
def test_agreement(folder, row, shown, fails):
    result = only(folder, f"def rows(): yield Row('x', {row}, repeat=1)")
    assert result.agreement == shown
    assert bool(result.failures) == fails


def test_a_missed_target_is_a_failure_unless_quick(folder):
    slow = "import time\nfrom benchmarks.run import Row, Value\n"
    slow += "def rows(): yield Row('x', lambda: time.sleep(.01), lambda: None, repeat=1, target=3)"
    result = only(folder, slow)
    assert "is below the target 3" in result.failures[0]
    assert only(folder, slow, quick=True).failures == []
    over = "def rows(): yield Value('x', lambda: 3, 's', limit=2)"
    assert only(folder, over).failures == ["3 s is above the limit 2"]


def test_setup_is_not_timed_and_its_data_reach_both_sides(folder):
    body = "import time\nfrom benchmarks.run import Row\n"
    body += "def rows(): yield Row('x', sum, max, setup=lambda: time.sleep(.2) or [1, 2],"
    body += " agree=lambda a, b: (a, b) == (3, 2), repeat=3)"
    result = only(folder, body)
    assert result.failures == [] and result.ours < 0.1


def test_a_peer_too_slow_to_run_in_full_is_scaled_and_says_so(folder):
    body = "import time\nfrom benchmarks.run import Row\n"
    body += "def rows(): yield Row('x', lambda: time.sleep(.02), lambda: time.sleep(.02),"
    body += " peer_name='p', peer_scale=20, repeat=3)"
    result = only(folder, body)
    assert 8 < result.ratio < 50
    assert "p (measured x 20)" in bench.table([result])


def test_a_row_that_raises_fails_and_the_others_go_on(folder):
    body = (
        "def rows():\n yield Row('bad', lambda: 1 / 0)\n yield Row('good', lambda: 1, repeat=1)\n"
    )
    write(folder, "a", body + " raise KeyError('later')\n")
    write(folder, "b", "def rows(): yield Row('fine', lambda: 1, repeat=1)")
    write(folder, "c", "from nowhere_at_all import nothing")
    results = list(bench.run(folder, []))
    assert [r.comparison for r in results] == ["bad", "good", "(its rows)", "fine", "(its rows)"]
    assert results[0].failures == ["ZeroDivisionError: division by zero"]
    assert results[2].failures == ["KeyError: 'later'"]
    assert "ModuleNotFoundError" in results[4].failures[0]
    assert not results[1].failures and not results[3].failures
    assert "FAIL: ZeroDivisionError" in bench.table(results)


@pytest.mark.parametrize(
    "row", ["Row('x', int, target=2)", "Row('x', int, int, memory_target=1.3)"]
)
def test_a_row_that_contradicts_itself_is_refused(folder, row):
    assert "expected" in only(folder, f"def rows(): yield {row}").failures[0]


def test_peak_memory_is_that_of_one_side_alone(folder):
    body = """
import numpy as np
from benchmarks.run import Row

def rows():
    yield Row("other", int)
    yield Row("memory", small, large, memory=True, memory_target=2, repeat=1)

def small():
    return np.ones(10).sum() - 10

def large():
    return np.ones(60_000_000).sum() - 60_000_000
"""
    write(folder, "toy", body)
    ballast = np.ones(40_000_000)  # must not count: it is this process's, not the child's
    _, result = bench.run(folder, [])
    del ballast
    assert 350 < result.peer_memory - result.ours_memory < 650  # 60e6 doubles are 458 MiB
    assert result.ours_memory < 250
    assert result.failures == []
    write(folder, "toy", body.replace("small, large", "large, small"))
    _, result = bench.run(folder, [])
    assert "times the memory is above the target 2" in result.failures[0]
    assert " MiB" in bench.table([result])


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(RUNNER), *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_prints_a_table_and_writes_it(folder):
    write(folder, "toys", TOYS)
    write(folder, "wrong", "def rows(): yield Row('x', lambda: 1, lambda: 2, repeat=1)")
    out = folder / "deep" / "bench.csv"
    good = command("toys", "--folder", str(folder), "--csv", str(out), "--quick")
    assert good.returncode == 0, good.stderr
    head, _, first, *_ = good.stdout.splitlines()
    assert head.split()[:6] == ["topic", "comparison", "ours", "peer", "ratio", "target"]
    assert first.startswith("toys   sleeping")
    assert "42 apples" in good.stdout and "<= 50" in good.stdout
    with out.open(newline="") as lines:
        written = list(csv.DictReader(lines))
    assert [row["comparison"] for row in written] == ["sleeping", "alone", "a number"]
    assert float(written[0]["ratio"]) > 1
    both = command("--folder", str(folder), "--csv", str(out), "--quick", "--markdown")
    assert both.returncode == 1
    assert both.stdout.startswith("| topic ")
    assert "FAIL: the results differ by 1" in both.stdout


def test_an_unknown_topic_is_refused(folder):
    write(folder, "toys", TOYS)
    run = command("nope", "--folder", str(folder))
    assert run.returncode == 2
    assert run.stderr == "error: no such topic: nope; expected: toys\n"


def test_no_rows_at_all_is_said(folder):
    run = command("--folder", str(folder), "--csv", str(folder / "x.csv"))
    assert run.returncode == 2
    assert "no bench_*.py" in run.stderr


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 µs"), (7e-9, "7 ns")]
)
def test_durations_are_readable(seconds, text):
    assert bench.duration(seconds) == text


@pytest.mark.parametrize("topic", sorted(bench.files(bench.HERE)))
def test_every_bench_file_can_be_read(topic):
    """Its rows are made but not timed: that is what `make bench` is for."""
    assert callable(bench.module_of(bench.files(bench.HERE)[topic]).rows)
