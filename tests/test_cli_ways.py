"""The command line for those who are new to it: what goes wrong is named, with a way on."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest

from betterthan import InputError, read, readers
from betterthan.__main__ import main
from betterthan.readers import Source
from betterthan.readers.conll import places

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
    rows = [f"q{k}{more.format(k % 5)},{k * step % 7 / 7:.2f}" for k in range(30)]
    path.write_text("\n".join([columns, *rows]) + "\n")
    return path


# --- Folders ---------------------------------------------------------------------------------


def test_a_folder_without_logs_says_what_was_looked_for(run, here):
    (here / "empty").mkdir()
    code, _, err = run("compare", "empty")
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
        ("datasets", "--groups", "task", "--local", "simes"),
    ],
)
def test_the_command_for_two_files_keeps_what_was_typed(run, here, more):
    command, *options = more
    tasks = {"columns": "item,task,score", "more": ",t{}"} if "task" in options else {}
    scores(here / "old.csv", **tasks)
    code, _, err = run(command, "old.csv", *options)
    assert code == 2 and "name the other file, too: " in err
    offered = err.split("name the other file, too: betterthan ")[1].split(";")[0]
    assert shlex.split(offered)[:3] == [command, "old.csv", "OTHER"]
    assert sorted(shlex.split(offered)[3:]) == sorted(options)


def test_datasets_of_one_log_asks_for_the_other(run):
    code, _, err = run("datasets", LOGS[0], "--confidence", "0.9")
    assert code == 2 and "expected the logs of two models" in err
    assert err.strip().endswith("OTHER --confidence 0.9")


# --- Files as they are typed -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("scoers.csv", "scoers.csv: no such file; is it scores.csv?"),
        ("Scores.cvs", "Scores.cvs: no such file; is it scores.csv?"),
        ("datasets.csv", "no such file; betterthan example datasets writes one to try it with"),
        ("gone/mine.csv", "no such file; betterthan example writes files to try it with"),
    ],
)
def test_a_file_that_is_not_there(run, here, typed, words):
    scores(here / "scores.csv")
    code, _, err = run("score", typed)
    assert code == 2 and words in err


def test_a_file_is_not_compared_with_itself(run, here):
    one = scores(here / "one.csv")
    for again in ("one.csv", "./one.csv", one):
        code, _, err = run("compare", "one.csv", again)
        assert code == 2 and f"{again}: given twice, so it would be compared with itself" in err
    shutil.copy(one, here / "two.csv")
    code, out, _ = run("compare", "one.csv", "two.csv")
    assert code == 0 and "nothing tells the two apart" in out


def test_columns_there_are_are_listed(run, here):
    scores(here / "one.csv")
    for flag, value in (("--groups", "None"), ("--where", "level=hard"), ("--ignore", "level")):
        code, _, err = run("score", "one.csv", flag, value)
        assert code == 2 and "expected a column of one.csv: item, score" in err


# --- Two of more ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [("plan", "--difference", "0.1"), ("compare", "--margin", "0.1"), ("compare", "--ratio")],
)
def test_two_of_three_files_in_the_order_in_which_they_were_typed(run, here, asked):
    files = ["z.csv", "m.csv", "a.csv"]
    for step, name in enumerate(files, start=3):
        scores(here / name, step)
    code, _, err = run(asked[0], *files, *asked[1:])
    assert code == 2
    offered = shlex.split(err.split("say betterthan ")[1])
    assert offered == [asked[0], "z.csv", "m.csv", *asked[1:]]
    code, _, err = run(*offered)
    assert code == 0 or "--ratio" in asked  # which needs seconds or costs, above 0
    look = run("look", *files)[1]
    assert "--systems" not in look and "ask: betterthan compare z.csv m.csv a.csv" in look


def test_two_of_three_columns_in_the_order_of_the_file(run, here):
    rows = [f"q{k},{k * k % 5},{k * 3 % 5},{k * 3 % 5 + 1}" for k in range(30)]
    (here / "three.csv").write_text("\n".join(["id,zz,mm,aa", *rows]) + "\n")
    code, _, err = run("plan", "three.csv", "--difference", "0.1")
    assert code == 2 and "say --systems zz mm" in err
    assert run("plan", "three.csv", "--difference", "0.1", "--systems", "zz", "mm")[0] == 0


# --- Options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ((), "the following arguments are required: look | score"),
        (("comapre", "one.csv"), "there is no command comapre; is it compare?"),
        (("compare",), "the following arguments are required: FILE"),
        (("compare", "--ignore", "x", "one.csv"), "FILE; files come first, right after"),
        (("compare", "one.csv", "--systms", "a"), "no option --systms; is it --systems?"),
        (("compare", "one.csv", "--by", "item"), "no option --by; is it --groups?"),
        (("compare", "one.csv", "--qqq"), "there is no option --qqq; see"),
        (("compare", "one.csv", "--ratio", "two.csv"), "'two.csv' stands apart: files come"),
        (("compare", "one.csv", "--at-least", "x"), "--at-least: invalid float value: 'x'"),
        (("example", "conll", "--json"), "there is no option --json"),
    ],
)
def test_what_was_mistyped_is_said_in_one_line(capsys, typed, words):
    with pytest.raises(SystemExit) as stopped:
        main(typed)
    said = capsys.readouterr()
    assert stopped.value.code == 2 and said.out == ""
    assert said.err.startswith("betterthan: ") and said.err.count("\n") == 1
    command = f"{typed[0]} " if typed and typed[0] != "comapre" else ""
    assert words in said.err and said.err.endswith(f"; see betterthan {command}--help\n")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (("--open", "1", "--at-least", "0"), "--open 1: expected a whole number from 3 to 125"),
        (("--open", "126", "--at-least", "0"), "--open 126: expected a whole number from 3 to"),
        (("--confidence", "95"), "expected a finite number in (0, 1); 95 % is 0.95"),
        (("--plot", "x.txt"), "--plot x.txt: expected a name that ends in .svg, .png or .pdf"),
        (("--plot", "x"), "--plot x: expected a name that ends in .svg, .png or .pdf"),
        (("--disagreements", "."), "--disagreements .: expected a file, but this is a folder"),
    ],
)
def test_what_no_file_could_make_right_is_refused_before_files_are_read(run, here, typed, words):
    code, out, err = run("compare", "gone.csv", "gone-too.csv", *typed)
    assert code == 2 and out == "" and words in err and "no such file" not in err


@pytest.mark.parametrize("value", [3, 125])
def test_the_third_answer_of_the_gate_has_an_exit_code_that_is_free(run, here, value):
    files = scores(here / "one.csv"), scores(here / "two.csv", 5)
    assert run("compare", *files, "--at-least", "0", "--open", value)[0] == value


def test_pictures_may_have_endings_in_capitals(run, here):
    files = scores(here / "one.csv"), scores(here / "two.csv", 5)
    assert run("compare", *files, "--plot", "x.SVG")[0] == 0
    assert (here / "x.SVG").read_text().startswith("<?xml")


# --- Disagreements -------------------------------------------------------------------------------


def test_disagreements_of_sentences_say_where_they_stand(run, here):
    files = readers.example("conll")
    assert run("compare", *files, "--disagreements", "differ.csv")[0] == 0
    with open("differ.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["sentence", "document", "line", "old", "new", "difference"]
    lines = [path.read_text().split("\n") for path in files]
    starts = [
        number
        for number, line in enumerate(lines[0], 1)
        if line and not line.startswith("-DOC") and not lines[0][number - 2].strip()
    ]
    assert len(starts) == 120
    for row in rows:
        start = int(row["line"])
        assert starts[int(row["sentence"]) - 1] == start  # numbered from 1
        above = lines[0][:start]
        assert sum(line.startswith("-DOCSTART-") for line in above) == int(row["document"])
        end = lines[0].index("", start - 1)
        assert lines[0][start - 1 : end] != lines[1][start - 1 : end]


def test_sentences_of_one_document_have_a_line_alone(here):
    (here / "one.conll").write_text("Ann B-PER B-PER\n\nBonn B-LOC O\n")
    assert places(Source("one.conll")) == {"line": [1, 3]}


def test_disagreements_of_items_without_names_are_numbered_from_one(run, here):
    rows = [f"{k % 2},{int(k == 3) or k % 2}" for k in range(1, 31)]
    (here / "bare.csv").write_text("\n".join(["old,new", "0,1", *rows]) + "\n")
    assert run("compare", "bare.csv", "--disagreements", "differ.csv")[0] == 0
    assert Path("differ.csv").read_text().split("\n")[1] == "1,0.0,1.0,1.0"


def test_datasets_says_where_a_second_system_rises_by_one(run, here):
    rows = [f"q{k},t{k // 6},{k * 7 % 30 + 1},{k * k % 11}" for k in range(30)]
    (here / "t.csv").write_text("\n".join(["item,task,old,new", *rows]) + "\n")
    code, _, err = run("datasets", "t.csv")
    assert code == 2 and "say --systems old new if whole numbers that rise by one" in err
    assert run("datasets", "t.csv", "--systems", "old", "new")[0] == 0


# --- One model alone -----------------------------------------------------------------------------


def test_a_table_of_one_model_is_called_as_that_model(run, here):
    scores(here / "one.csv", columns="item,model,bleu", more=",small")
    (small,) = read("one.csv")
    assert (small.name, small.quantity) == ("small", "bleu")
    assert "model is small in every row" in small.reading
    assert run("look", "one.csv")[1].splitlines()[1].startswith("small: 30 items")
    scores(here / "tasks.csv", columns="item,task,model,bleu", more=",t{},small")
    code, _, err = run("datasets", "tasks.csv", "--groups", "task")
    assert code == 2 and "expected two systems on the groups of a column, found small" in err
    assert "name the other file, too: betterthan datasets tasks.csv OTHER --groups task" in err
    scores(here / "two.csv", 5, columns="item,model,bleu", more=",large")
    assert [one.name for one in read("one.csv", "two.csv")] == ["small", "large"]


# --- What README says of errors ----------------------------------------------------------------


def test_an_error_knows_what_was_given_or_where_it_stands(here):
    shutil.copy(readers.example("answers"), here)
    with pytest.raises(InputError) as asked:
        read("answers.csv")
    error = asked.value
    assert (error.file, error.column) == ("answers.csv", "topic")
    assert (error.argument, error.value, error.line) == (None, None, None)
    assert [(way.argument, way.value) for way in error.ways] == [
        ("groups", "topic"),
        ("ignore", "topic"),
    ]
    assert "groups='topic'" in str(error)
    with pytest.raises(InputError) as asked:
        read("answers.csv", groups="gone")
    assert (asked.value.argument, asked.value.value) == ("groups", "gone")
    text = Path("answers.csv").read_text().replace("easy,1,1", "easy,1,x", 1)
    Path("answers.csv").write_text(text)
    with pytest.raises(InputError) as asked:
        read("answers.csv", groups="topic")
    line = 1 + text[: text.index("easy,1,x")].count("\n")
    assert (asked.value.line, asked.value.column, asked.value.value) == (line, "new", "x")
