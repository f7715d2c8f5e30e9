"""The command line for those who are new to it: what goes wrong is named, with a way on."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from betterthan import InputError, read, readers
from betterthan.__main__ import main

LOGS = [Path(path) for path in readers.example("lm_eval")]
INSPECT = [Path(path) for path in readers.example("inspect")]


@pytest.fixture
def run(capsys):
    """Exit code, standard output and standard error of a command."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty folder, from which commands are typed."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands(text: str) -> list[list[str]]:
    """The commands about other files that a refusal offers."""
    found = re.findall(r"say betterthan (.+?) for two", text)
    return [shlex.split(one) for one in found]


def scores(path: Path, step: int = 3, columns: str = "item,score", more: str = "") -> Path:
    rows = [f"q{k}{more},{k * step % 7 / 7:.2f}" for k in range(30)]
    path.write_text("\n".join([columns, *rows]) + "\n")
    return path


# --- Folders ---------------------------------------------------------------------------------


def test_a_folder_without_logs_says_what_was_looked_for(run, here):
    (here / "empty").mkdir()
    code, _, err = run("compare", "empty", "empty")
    assert code == 2 and "empty: the folder is empty; expected" in err
    for looked_for in ("samples_TASK_TIME.jsonl", "--log_samples", ".eval"):
        assert looked_for in err
    (here / "empty" / "notes.txt").write_text("hello\n")
    assert "none of its files is a log: notes.txt" in run("look", "empty")[2]


@pytest.mark.parametrize("kind", ["folders", "deeper", "files"])
def test_a_folder_of_two_models_offers_the_command_with_both(run, here, kind):
    top = here / "runs"
    if kind == "files":
        top.mkdir()
        both = [shutil.copy(path, top) for path in INSPECT]
        asked = ["compare", "runs"]
    else:
        below = top / "today" if kind == "deeper" else top
        both = [shutil.copytree(path, below / path.name) for path in LOGS]
        asked = ["compare", "runs", "--task", "sums", "--margin", "0.01"]
    code, _, err = run(*asked)
    assert code == 2
    [offered] = commands(err)
    files = [str(Path(one).relative_to(here)) for one in both]
    assert offered == [asked[0], *files, *asked[2:]]  # the earlier one first, and what was said
    assert run(*offered)[0] == 0
    look = run("look", "runs", *asked[2:4])[1].splitlines()[-1]
    assert look.startswith("ask: betterthan look ") and run(*shlex.split(look)[2:])[0] == 0


def test_three_models_in_a_folder_are_not_two(run, here):
    for name in "abc":
        shutil.copytree(LOGS[0], here / "runs" / name)
    code, _, err = run("compare", "runs")
    assert code == 2 and "give the files instead of their folder" in err
    with pytest.raises(InputError, match="a second run of the task"):
        read("runs")


# --- The other file is missing -----------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        ("compare", "--confidence", "0.9", "--at-least", "0", "--open", "3"),
        ("compare", "--key", "item", "--no-shared-runs"),
        ("plan", "--difference", "0.1"),
        ("datasets", "--groups", "item", "--local", "simes"),
    ],
)
def test_the_command_for_two_files_keeps_what_was_typed(run, here, more):
    scores(here / "old.csv")
    command, *options = more
    code, _, err = run(command, "old.csv", *options)
    assert code == 2 and "name the other file, too: " in err
    offered = err.split("name the other file, too: betterthan ")[1].split(";")[0]
    assert shlex.split(offered)[:3] == [command, "old.csv", "OTHER"]
    assert sorted(shlex.split(offered)[3:]) == sorted(options)


def test_datasets_of_one_log_asks_for_the_other(run):
    code, _, err = run("datasets", LOGS[0], "--confidence", "0.9")
    assert code == 2 and "expected the logs of two models" in err
    assert err.strip().endswith("OTHER --confidence 0.9")
