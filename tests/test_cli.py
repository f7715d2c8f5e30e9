"""The command line: from files to the sentence, the gate, and refusals in its own words."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from betterthan import (
    InputError,
    Results,
    compare,
    compare_each,
    compare_folds,
    compare_many,
    confidence,
    plan,
    read,
    readers,
    replicability,
    score,
)
from betterthan.__main__ import main
from betterthan._flags import in_flags
from betterthan.errors import ANYTHING

CONLL = [str(path) for path in readers.example("conll")]
SCORES, PREDICTIONS = str(readers.example("scores")), str(readers.example("predictions"))
FOLDS, PVALUES = str(readers.example("folds")), str(readers.example("pvalues"))
LOGS = [str(path) for path in readers.example("lm_eval")]
INSPECT = [str(path) for path in readers.example("inspect")]


@pytest.fixture
def run(capsys):
    """Exit code, standard output and standard error of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([str(one) for one in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def write(tmp_path):
    """A file with this text (or these bytes), as a path."""

    def write(text: str | bytes, name: str = "mine.csv") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def table(header: str, *columns) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in zip(*columns))]) + "\n"


def two(n: int = 40, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 2, n), rng.integers(0, 2, n)]


def first_line(out: str) -> str:
    return out.split("\n", 1)[0]


def test_the_first_line_is_the_sentence_of_the_library(run):
    code, out, err = run("compare", *CONLL)
    assert code == 0 and err == ""
    assert first_line(out) == str(compare(*read(*CONLL)))
    assert "documents by -DOCSTART- lines" in out and f"{CONLL[0]}: 120 sentences" in out


def test_a_table_of_three_systems_is_ranked_and_two_are_chosen(run):
    code, out, _ = run("compare", SCORES)
    assert code == 0 and first_line(out) == str(compare_many(read(SCORES)))
    code, out, _ = run("compare", SCORES, "--systems", "new", "large")
    _, new, large = read(SCORES)
    assert code == 0 and first_line(out) == str(compare(new, large))
    code, _, err = run("compare", SCORES, "--at-least", "0")
    assert code == 2 and "need two systems" in err and "--systems old new" in err


def test_score_of_one_system_and_of_each(run):
    code, out, _ = run("score", CONLL[1])
    assert code == 0 and first_line(out) == str(score(*read(CONLL[1])))
    code, out, _ = run("score", SCORES)
    assert [line.split(":")[0] for line in out.split("\n")[:3]] == ["old", "new", "large"]


def test_predictions_with_metric_groups_and_names(run):
    code, out, _ = run("compare", PREDICTIONS, "--metric", "macro_f1", "--names", "x", "y")
    expected = compare(*read(PREDICTIONS), metric="macro_f1", names=("x", "y"))
    assert code == 0 and first_line(out) == str(expected)
    assert "in 11 groups" in first_line(out)


def test_f1_of_one_label_each_is_called_what_it_is(run):
    assert (
        "Micro-F1, which is accuracy here, is" in run("compare", PREDICTIONS, "--metric", "f1")[1]
    )
    label = sorted({one.held.classes for one in read(PREDICTIONS)}.pop())[0]
    code, out, _ = run("compare", PREDICTIONS, "--positive", label)
    assert code == 0 and out.startswith(f"F1 of {label!r} is")
    old, new = read(PREDICTIONS, positive=label)
    assert first_line(out) == str(compare(old, new))


def test_datasets_of_a_table_say_better_and_worse(run, write):
    old, new = two(400, seed=1)
    tasks = [f"task{i % 4}" for i in range(400)]
    new = np.where([one == "task0" for one in tasks], 1, new)
    new = np.where([one == "task3" for one in tasks], 0, new)
    path = write(table("id,kind,old,new", [f"q{i}" for i in range(400)], tasks, old, new))
    code, out, _ = run("datasets", path, "--groups", "kind")
    assert code == 0
    assert "new is better than old on at least 1, namely task0, and worse on at least 1" in out
    assert "namely task3" in first_line(out)
    each = compare_each(*read(path, groups="kind"))
    assert f"{each['task0'].difference:.4f}" in out
    code, _, err = run("datasets", path, "--ignore", "kind")
    assert code == 2 and "--groups … names the column of tasks" in err


def test_datasets_of_logs_and_pvalues(run):
    code, out, _ = run("datasets", *LOGS)
    assert (
        code == 0 and "on at least 3, namely analogies, capitals and sums, and worse on none" in out
    )
    assert "sums: 100 documents, metric exact_match" in out
    code, out, _ = run("datasets", PVALUES, "--names", "old", "new")
    assert code == 0 and out.startswith("new is better than old on at least 4 of 12 datasets")


def test_a_task_is_chosen_and_several_are_refused(run):
    code, _, err = run("compare", *LOGS)
    assert code == 2 and "5 tasks" in err and "--task analogies" in err
    code, out, _ = run("compare", *LOGS, "--task", "sums")
    assert code == 0 and out.startswith("Mean exact_match is 0.4900 for old and 0.6700 for new")
    code, out, _ = run("compare", *INSPECT)
    assert code == 0 and "Grades count C = 1, I = 0." in first_line(out)
    code, _, err = run("compare", *LOGS, "--metric", "sums=nothing")
    assert code == 2 and "--metric sums=exact_match" in err


def test_folds_ask_for_their_share_and_get_their_test(run, write):
    assert first_line(run("compare", FOLDS)[1]) == str(compare_folds(*read(FOLDS)))
    bare = write(table("old,new", [0.8, 0.7, 0.9, 0.8], [0.9, 0.7, 0.95, 0.85]))
    code, _, err = run("compare", bare)
    assert code == 2 and "--test-share 0.1" in err and "--items if rows are items" in err
    code, out, _ = run("compare", bare, "--test-share", "0.25")
    assert code == 0 and "4 folds" in first_line(out)
    assert "4 items" in first_line(run("compare", bare, "--items")[1])
    code, _, err = run("compare", bare, "--test-share", "0")
    assert code == 2 and "--test-share 0" in err


def test_every_way_on_works_when_typed(run, write):
    old, new = two()
    kinds = [f"k{i % 3}" for i in range(40)]
    path = write(table("id,kind,old,new", range(40), kinds, old, new))
    code, _, err = run("compare", path)
    assert code == 2 and "the column 'kind' repeats" in err
    assert "--groups kind if it says what items belong to" in err
    code, out, _ = run("compare", path, "--groups", "kind")
    assert code == 0 and "40 items in 3 groups" in first_line(out)
    code, out, _ = run("compare", path, "--ignore", "kind")
    assert code == 0 and "Items count as independent: 'kind' was ignored." in first_line(out)
    code, out, _ = run("compare", path, "--where", "kind=k1")
    assert code == 0 and "13 items;" in first_line(out)


def test_blank_answers_are_asked_for(run, write):
    gold, old, new = ["x", "y"] * 20, ["x", "y", "x", ""] * 10, ["x", "y"] * 20
    path = write(table("id,gold,old,new", [f"q{i}" for i in range(40)], gold, old, new))
    code, _, err = run("compare", path)
    assert code == 2 and "line 5" in err and "--empty wrong" in err and "--empty drop" in err
    code, out, _ = run("compare", path, "--empty", "wrong")
    assert code == 0 and "10 blank answers of old counted wrong." in first_line(out)
    code, out, _ = run("compare", path, "--empty", "drop")
    assert code == 0 and "10 items with a blank answer left out." in first_line(out)


def test_runs_by_pattern_and_by_seed(run, write):
    a, b = two(), two(seed=3)
    wide = write(table("id,a_s1,a_s2,b_s1,b_s2", range(100, 140), *a, *b), "wide.csv")
    code, out, _ = run("compare", wide, "--runs", "a_s*", "b_s*")
    assert code == 0 and "2 and 2 runs" in first_line(out) and "for a_s and" in first_line(out)
    rows = [
        (i, m, s, x)
        for m, own in (("a", a), ("b", b))
        for s in (0, 1)
        for i, x in enumerate(own[s])
    ]
    long = write(table("item,model,seed,score", *zip(*rows)), "long.csv")
    code, out, _ = run("compare", long)
    assert code == 0 and "for a and" in first_line(out) and "2 and 2 runs" in first_line(out)


def test_words_for_right_and_wrong_separators_gzip_and_standard_input(run, write, monkeypatch):
    old, new = ([["False", "True"][x] for x in own] for own in two())
    text = table("id,old,new", [f"q{i}" for i in range(40)], old, new)
    expected = first_line(run("compare", write(text))[1])
    assert expected.startswith("Accuracy is") and "'True' counts 1, 'False' 0." in expected
    assert first_line(run("compare", write(text.replace(",", ";"), "s.CSV"))[1]) == expected
    assert (
        first_line(run("compare", write(gzip.compress(text.encode()), "s.csv.gz"))[1]) == expected
    )
    done = subprocess.run(
        [sys.executable, "-m", "betterthan", "compare", "-"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    assert first_line(done.stdout.decode()) == expected


def test_a_pipe_is_read_once_and_whole(run, tmp_path):
    pipe = tmp_path / "numbers"
    os.mkfifo(pipe)
    numbers = np.random.default_rng(5).random(5_000).round(6)
    text = "\n".join(map(str, numbers)) + "\n"
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    code, out, _ = run("score", pipe)
    writer.join()
    assert code == 0 and first_line(out) == str(score(numbers))


def test_the_gate_and_its_exit_code(run):
    low = compare(*read(*CONLL)).interval.low
    code, out, _ = run("compare", *CONLL, "--at-least", f"{low - 0.001}")
    assert code == 0 and "Gate passed: the gain's lower end" in out
    code, out, _ = run("compare", *CONLL, "--at-least", f"{low + 0.001}")
    assert code == 1 and "Gate not passed" in out
    code, out, _ = run("compare", *CONLL[::-1], "--lower-is-better", "--at-least", "0")
    assert code == 0 and "Gate passed" in out
    code, out, _ = run("compare", *CONLL, "--lower-is-better", "--at-least", "0")
    assert code == 1


def test_json_alone_with_what_was_computed_and_how(run):
    code, out, _ = run("compare", *CONLL, "--json", "--at-least", "0.5")
    found, expected = json.loads(out), compare(*read(*CONLL))
    assert code == 1 and found["sentence"] == str(expected)
    assert found["difference"] == expected.difference and found["pvalue"] == expected.pvalue
    assert found["interval"] == {"low": expected.interval.low, "high": expected.interval.high}
    assert (found["n_units"], found["n_groups"], found["p_better"]) == (120, 12, expected.p_better)
    assert found["gate"].startswith("Gate not") and found["read"]
    each = json.loads(run("score", SCORES, "--json")[1])["results"]
    assert [one["system"] for one in each] == ["old", "new", "large"]
    for command in (("datasets", *LOGS), ("look", SCORES), ("plan", *CONLL, "--n", "500")):
        assert json.loads(run(*command, "--json")[1])


def test_plan_and_its_pilot(run):
    code, out, _ = run("plan", *CONLL, "--difference", "0.05")
    assert code == 0 and out.startswith("About") and "the pilot: F1 is" in out
    code, _, err = run("plan", *CONLL)
    assert code == 2 and "a difference or a number of items" in err


def test_plots_and_disagreements(run, tmp_path, write):
    old, new = two()
    path = write(table("id,$a,b$", [f"q{i}" for i in range(40)], old, new))
    picture, listed = tmp_path / "difference.svg", tmp_path / "differ.csv"
    code, *_ = run("compare", path, "--plot", picture, "--disagreements", listed)
    assert code == 0 and picture.read_text().startswith("<?xml")
    assert len(listed.read_text().splitlines()) == 1 + int((old != new).sum())
    code, _, err = run("compare", path, "--plot", tmp_path)
    assert code == 2 and "this is a folder" in err
    code, _, err = run("score", path, "--plot", picture)
    assert code == 2 and "--plot" in err


@pytest.mark.parametrize("known", readers.FORMATS, ids=lambda known: known.kind)
def test_every_format_has_an_example_that_answers_its_questions(run, known):
    files = [
        str(path) for path in np.atleast_1d(np.array(readers.example(known.kind), dtype=object))
    ]
    more = {
        "trec": [*files[:2], "--gold", files[-1]],
        "conllu": [*files[:2], "--gold", files[-1]],
        "translations": [*files[1:], "--references", files[0]],
        "words": [*files[1:3], "--gold", files[0]],
        "lm_eval": [*files, "--task", "sums"],
        "fold_counts": [*files, "--repetitions", "3"],
    }.get(known.kind, files)
    for question in known.questions:
        typed = files if (question, known.kind) == ("datasets", "lm_eval") else more
        if known.kind == "table":
            typed = [PREDICTIONS]
        extra = ["--difference", "0.1"] if question == "plan" else []
        code, out, err = run(question, *typed, *extra)
        assert (code, err) == (0, ""), (question, err)
        assert out.strip()


@pytest.mark.parametrize(
    "files", [CONLL, [SCORES], [PREDICTIONS], LOGS, INSPECT, [FOLDS], [PVALUES]]
)
def test_look_prints_commands_that_work(run, files):
    code, out, _ = run("look", *files)
    assert code == 0
    commands = [
        line.removeprefix("ask: betterthan ") for line in out.split("\n") if "ask: " in line
    ]
    assert commands
    for command in commands:
        assert run(*command.split())[0] == 0, command


def test_look_shows_the_question_of_an_unclear_file(run, write):
    old, new = two()
    path = write(table("id,kind,old,new", range(40), ["a", "b"] * 20, old, new))
    code, out, _ = run("look", path)
    assert code == 0 and "question: " in out and f"betterthan look {path} --groups kind" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "gone.csv", SCORES], "gone.csv"),
        (["compare", CONLL[0]], "expected two systems"),
        (["compare", *CONLL, "--groups", "x"], "does nothing for tags in columns"),
        (
            ["compare", *INSPECT, "--scheme", "IOB2"],
            "--scheme IOB2: does nothing for a log of Inspect",
        ),
        (["datasets", PVALUES, "--metric", "f1"], "does nothing for a table of p-values"),
        (["compare", SCORES, "--groups", "gone"], "--groups gone: expected a column of"),
        (["compare", SCORES, "--where", "segment"], "--where segment: expected COLUMN=VALUE"),
        (["compare", *CONLL, "--confidence", "2"], "--confidence 2.0: expected a finite number"),
        (["compare", *CONLL, "--margin", "-1"], "--margin -1.0: expected a finite number"),
        (["compare", *CONLL, "--names", "x"], "--names x: expected 2, all different"),
        (["score", FOLDS], "scores of folds: betterthan compare"),
        (["compare", PVALUES], "a table of p-values: betterthan datasets"),
        (["compare", SCORES, "--separator", "ab"], "--separator ab: expected one character"),
        (["compare", *readers.example("trec")[:2]], "--gold"),
    ],
)
def test_bad_input_exits_2_in_words_of_the_command_line(run, arguments, words):
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and err.startswith("betterthan: ")
    assert words in err and "Traceback" not in err and "=…" not in err


def test_names_are_never_taken_for_flags(run, write):
    old, new = two()
    text = table("id,label=0,label=0.1", [f"q{i}" for i in range(40)], old, new)
    code, out, _ = run("compare", write(text, "runs/key=1/x.csv"))
    assert code == 0 and "for label=0 and" in first_line(out)
    assert "runs/key=1/x.csv" in out and "--label" not in out


def test_a_defect_of_ours_is_no_gate_and_no_bad_input(run, monkeypatch):
    def broken(*_, **__):
        raise KeyError("x")

    monkeypatch.setattr("betterthan.paired.together", broken)
    code, out, err = run("compare", *CONLL)
    assert code == 70 and "please report it" in err and out == ""


def test_stopping_it_is_quiet(run, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("betterthan.paired.together", stopped)
    code, _, err = run("compare", *CONLL)
    assert code == 2 and "Traceback" not in err


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_output_in_any_encoding(encoding, write):
    rng = np.random.default_rng(0)
    old, new = rng.random(300), rng.random(300) + 1
    path = write(table("id,old,new", [f"q{i}" for i in range(300)], old, new))
    done = subprocess.run(
        [sys.executable, "-m", "betterthan", "compare", path],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
    )
    assert done.returncode == 0 and b"p <= 0.0002" in done.stdout


@pytest.mark.parametrize("flag", ["--help", "--version", "example"])
def test_help_loads_neither_scipy_nor_pandas(flag):
    code = (
        "import sys; from betterthan.__main__ import main\n"
        f"try: main([{flag!r}])\n"
        "except SystemExit: pass\n"
        "print(sorted({'scipy', 'pandas', 'matplotlib'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]" and done.stdout


def test_arguments_are_written_as_they_are_typed():
    assert in_flags("groups", "task") == "--groups task"
    assert in_flags("groups", "my task") == "--groups 'my task'"
    assert in_flags("systems", ["a", "b"]) == "--systems a b"
    assert in_flags("metric", {"sums": "acc"}) == "--metric sums=acc"
    assert in_flags("items", True) == "--items" and in_flags("key", ANYTHING) == "--key …"
    assert in_flags("confidence_level", 2) == "--confidence 2"


@pytest.mark.parametrize("name", ["picture", "picture.gif"])
def test_a_picture_needs_an_ending(tmp_path, capsys, name):
    """matplotlib would write picture.png instead, and nobody would say so."""
    table = str(readers.example("scores"))
    path = tmp_path / name
    assert main(["compare", table, "--systems", "old", "new", "--plot", str(path)]) == 2
    assert "ends in .svg, .png or .pdf" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_folds_without_spread_are_refused_in_words(tmp_path, capsys):
    path = tmp_path / "folds.csv"
    path.write_text("fold,old,new\n0,.5,.5\n1,.5,.5\n2,.5,.5\n", "utf-8")
    assert main(["compare", str(path), "--test-share", "0.1"]) == 2
    assert "betterthan: expected three folds or more" in capsys.readouterr().err


# --- The gate with three answers, the comment, separate samples -----------------------------------


def test_the_gate_has_a_third_answer_where_it_is_asked_for(run):
    low, high = compare(*read(*CONLL)).interval
    wanted = [(0, 0, "passed"), (low, 3, "open"), (0.05, 3, "open"), (high, 1, "not passed")]
    for least, code, answer in [*wanted, (0.2, 1, "not passed")]:
        found, out, _ = run("compare", *CONLL, "--at-least", str(least), "--open", "3", "--json")
        assert (found, json.loads(out)["gate_answer"]) == (code, answer)
    assert run("compare", *CONLL, "--at-least", "0.05")[0] == 1  # without --open there are two
    code, _, err = run("compare", *CONLL, "--open", "3")
    assert code == 2 and "--open 3: needs a gate; say --at-least 0" in err


def test_an_open_gate_says_how_many_more_items(run):
    _, out, _ = run("compare", *CONLL, "--at-least", "0.05", "--open", "3")
    result = compare(*read(*CONLL))
    planned = plan(result, difference=result.difference - 0.05)
    more = planned.n - result.n_units, planned.n_groups - result.n_groups
    assert (
        f"About {more[0]:,} sentences in {more[1]:,} groups more would pass it four times in five"
        in out
    )
    _, out, _ = run("compare", *CONLL, "--at-least", "0.08", "--open", "3")
    assert "more would fail it four times in five" in out


def test_lower_is_better_turns_the_gate_round(run, tmp_path):
    rows = "".join(
        f"s{i},{2.5 + i * 7 % 5 / 10},{1.5 + i * 7 % 5 / 10 + (i % 7 == 0)}\n" for i in range(60)
    )
    (tmp_path / "seconds.csv").write_text("id,old,new\n" + rows)
    path = str(tmp_path / "seconds.csv")
    typed = ("compare", path, "--lower-is-better", "--open", "3", "--at-least")
    assert [run(*typed, least)[0] for least in ("0.5", "0.9", "1.5")] == [0, 3, 1]


def test_markdown_is_a_comment(run):
    code, out, _ = run("compare", *CONLL, "--at-least", "0.05", "--markdown")
    first, sentence, table, *_ = out.split("\n\n")
    assert code == 1 and first.startswith("**Gate not passed: ") and first.endswith("**")
    assert sentence == str(compare(*read(*CONLL)))
    rows = [line.split(" | ") for line in table.splitlines()]
    assert {len(row) for row in rows} == {8} and rows[0][-1] == "p\\_better |"
    assert "<details><summary>How it was read</summary>" in out
    with pytest.raises(SystemExit):
        run("compare", *CONLL, "--json", "--markdown")


def test_offered_commands_stay_as_they_are_typed_in_markdown(run, write):
    path = write(table("id,topic,old_1,new_1", range(40), ["a", "b"] * 20, [0, 1] * 20, [1] * 40))
    _, out, _ = run("look", path, "--markdown")
    assert f"\nask: `betterthan look {path} --markdown --groups topic`" in out
    assert "the column 'topic'" in out


def test_names_are_no_marks_in_markdown(run):
    _, out, _ = run("compare", *CONLL, "--names", "a|b", "*new*", "--markdown")
    assert r"| a\|b | \*new\* |" in out


def test_separate_samples_are_compared_on_request_only(run, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("id,score\n" + "".join(f"a{i},{i % 3 / 2}\n" for i in range(40)))
    new.write_text("id,score\n" + "".join(f"b{i},{1 - i % 5 / 5}\n" for i in range(30)))
    code, _, err = run("compare", str(old), str(new))
    assert code == 2 and "say --unpaired if these are two separate samples of items" in err
    code, out, _ = run("compare", str(old), str(new), "--unpaired")
    assert code == 0 and "separate samples of 40 and 30 items" in out.split("\n")[0]
    code, out, _ = run("plan", str(old), str(new), "--unpaired", "--difference", "0.1")
    assert code == 0 and "items of both samples together" in out
    code, _, err = run("compare", str(old), str(new), "--unpaired", "--unmatched", "drop")
    assert code == 2 and "--unmatched drop: does nothing for separate samples" in err
    code, _, err = run("compare", SCORES, "--unpaired")
    assert code == 2 and "--unpaired: expected two systems on separate samples" in err
    code, _, err = run("compare", FOLDS, "--unpaired")
    assert code == 2 and "--unpaired" in err


def test_the_workflow_of_the_cookbook_is_one(tmp_path):
    page = (Path(__file__).parents[1] / "chapters" / "cookbook.md").read_text("utf-8")
    workflow = tmp_path / "gate.yml"
    workflow.write_text(page.partition("```yaml\n")[2].partition("```")[0])
    schema = ["--builtin-schema", "vendor.github-workflows"]
    checker = pytest.importorskip("check_jsonschema").__name__
    done = subprocess.run([sys.executable, "-m", checker, *schema, str(workflow)])
    assert done.returncode == 0 and "--open 3 --markdown" in workflow.read_text()


def test_candidates_in_groups(tmp_path, capsys):
    rng = np.random.default_rng(1)
    gold = rng.random(200) < 0.3
    old, new = 0.4 * gold + rng.normal(size=200), 1.5 * gold + rng.normal(size=200)
    rows = [
        f"c{i},{i // 8},{int(g)},{a:.3f},{b:.3f}" for i, (g, a, b) in enumerate(zip(gold, old, new))
    ]
    path = tmp_path / "candidates.csv"
    path.write_text("\n".join(["candidate,document,gold,old,new", *rows]) + "\n")
    assert main(["compare", str(path), "--groups", "document"]) == 0
    said = capsys.readouterr().out
    assert (
        "200 candidates in 25 groups" in said and "swaps of the two ranks of whole groups" in said
    )
    assert main(["compare", str(path), "--groups", "page"]) == 2
    assert "--groups page: expected a column" in capsys.readouterr().err
    path.write_text(path.read_text().replace("c3,0,", "c3,,"))
    assert main(["compare", str(path), "--groups", "document"]) == 2
    assert "what the candidate belongs to" in capsys.readouterr().err


# --- What the first users stumbled over ---


@pytest.fixture
def subjects(tmp_path):
    """A table of eight subjects; two answers of `old` and three of `new` are blank."""
    draw = np.random.default_rng(3)
    lines = ["id,subject,old,new"]
    for number in range(240):
        answers = [str(int(draw.random() < share)) for share in (0.6, 0.68)]
        if number in (5, 13):
            answers[0] = ""
        if number in (20, 28, 37):
            answers[1] = ""
        lines.append(f"q{number},s{number % 8},{','.join(answers)}")
    path = tmp_path / "subjects.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_look_says_the_blanks_of_every_system(subjects, capsys):
    assert main(["look", subjects, "--groups", "subject", "--empty", "wrong"]) == 0
    shown = capsys.readouterr().out
    assert "2 blank answers of old counted wrong." in shown
    assert "3 blank answers of new counted wrong." in shown


def test_groups_that_where_has_chosen_one_of_are_refused_with_the_way_on(subjects, capsys):
    asked = ["compare", subjects, "--empty", "wrong", "--where", "subject=s1"]
    assert main([*asked, "--groups", "subject"]) == 2
    assert "--groups subject: all rows chosen have 's1' there" in capsys.readouterr().err
    assert main(asked) == 0


def test_plan_without_a_question_says_what_to_ask(subjects, capsys):
    asked = ["plan", subjects, "--empty", "wrong", "--groups", "subject"]
    assert main(asked) == 2
    told = capsys.readouterr().err
    assert "neither was given" in told and "None" not in told
    for way in (["--difference", "0.05"], ["--n", "480"]):
        assert " ".join(way) in told
        assert main([*asked, *way]) == 0


def test_an_open_gate_says_in_how_many_groups(subjects, capsys):
    asked = ["compare", subjects, "--empty", "wrong", "--groups", "subject"]
    assert main([*asked, "--at-least", "0.05", "--open", "3"]) == 3
    assert re.search(r"About [\d,]+ items in [\d,]+ groups? more", capsys.readouterr().out)


def test_tables_of_tasks_tell_one_sided_and_two_sided_apart(subjects, capsys):
    assert main(["datasets", subjects, "--empty", "wrong", "--groups", "subject"]) == 0
    shown = capsys.readouterr().out.splitlines()
    first, second = (line for line in shown if "better" in line and "pvalue" in line)
    assert "pvalue_better" in first and "pvalue_worse" in first and " pvalue " in second


def test_numbers_without_a_bound_say_which_direction_was_taken(tmp_path, capsys):
    seconds = str(readers.example("seconds"))
    assert main(["compare", seconds]) == 0
    shown = capsys.readouterr().out
    assert "--lower-is-better says otherwise" in shown and "--ratio asks how many times" in shown
    assert main(["compare", seconds, "--lower-is-better", "--ratio"]) == 0
    shown = capsys.readouterr().out
    assert "says otherwise" not in shown and "--ratio" not in shown
    assert main(["compare", str(readers.example("prompts"))]) == 0
    assert "--lower-is-better" not in capsys.readouterr().out
    # What is not above 0 in one of the two has no ratio.
    rows = "".join(f"q{k},{k * 7 % 11 + 1},{k * 5 % 11}\n" for k in range(30))
    (tmp_path / "points.csv").write_text(f"item,old,new\n{rows}")
    assert main(["compare", str(tmp_path / "points.csv")]) == 0
    shown = capsys.readouterr().out
    assert "--lower-is-better says otherwise" in shown and "--ratio" not in shown


# --- datasets: what was decided, the numbers, and why an interval is wide ---


@pytest.fixture
def seeds(write):
    """Four topics, three seeds of two models; some answers blank, and on one topic a tie."""
    draw = np.random.default_rng(8)
    lines = ["item,topic,model,seed,correct"]
    sizes = {"sums, short": 30, "law": 24, "tie": 9, "maps": 16}
    # How many of nine are right: as many of both in all, and not a 0 to the last bit.
    tie = {"small": {1: 3, 2: 3, 42: 5}, "large": {1: 3, 2: 4, 42: 4}}
    for topic, size in sizes.items():
        for number in range(size):
            for model, share in (("small", 0.5), ("large", 0.6)):
                for seed in (1, 2, 42):
                    right = str(draw.random() < share).lower()
                    if topic == "tie":
                        right = str(number < tie[model][seed]).lower()
                    elif topic == "law" and seed == 42:
                        right = str(draw.random() < share - 0.3 * (model == "large")).lower()
                    blank = model == "small" and seed == 2 and number in (3, 7) and topic != "tie"
                    lines.append(f'{topic[:2]}{number},"{topic}",{model},{seed},{right}')
                    if blank:
                        lines[-1] = lines[-1].removesuffix(right)
    return write("\n".join(lines) + "\n", "seeds.csv")


ASKED = ("--groups", "topic", "--empty", "wrong")


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--json"]])
def test_datasets_say_what_was_counted_wrong_and_what_counts_1(run, seeds, form):
    code, out, _ = run("datasets", seeds, *ASKED, *form)
    sentence = json.loads(out)["sentence"] if form == ["--json"] else first_line(out)
    assert code == 0 and sentence.endswith(
        "'true' counts 1, 'false' 0. 6 blank answers of small counted wrong."
    )
    each = compare_each(*read(seeds, groups="topic", empty="wrong"))
    for found in (replicability.analyse(each), replicability.analyse_both(each)):
        assert str(found).endswith(" 6 blank answers of small counted wrong.")


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--json"]])
def test_datasets_say_what_is_noted_of_some(run, write, form):
    old, new = two(43, seed=2)
    old, new = old + 0.5, new + draw_of(43)
    tasks = ["many"] * 40 + ["few"] * 3
    path = write(table("id,task,old,new", [f"q{i}" for i in range(43)], tasks, old, new))
    out = run("datasets", path, "--groups", "task", *form)[1]
    assert "few: For half-samples 3 items are too few" in out and "many: " not in out


def draw_of(n: int) -> np.ndarray:
    return np.random.default_rng(4).random(n).round(3)


def test_datasets_in_json_have_every_number(run, seeds):
    code, out, err = run("datasets", seeds, *ASKED, "--json")
    found = json.loads(out)
    each = compare_each(*read(seeds, groups="topic", empty="wrong"))
    both = replicability.analyse_both(each)
    assert (code, err) == (0, "") and found["alpha"] == 0.05 and found["n_datasets"] == 4
    assert found["systems"] == ["small", "large"] and found["notes"] == list(both.better.notes)
    assert found["better"] == {"count": both.better.count, "names": list(both.better.names)}
    assert [row["dataset"] for row in found["results"]] == list(each)
    for row, one, own in zip(found["results"], each.values(), both.table().itertuples()):
        assert row["difference"] == one.difference and row["pvalue"] == one.pvalue
        assert row["interval"] == {"low": one.interval.low, "high": one.interval.high}
        assert (row["n_units"], row["n_groups"]) == (one.n_units, one.n_groups)
        assert (row["pvalue_better"], row["better"]) == (own.pvalue_better, own.better)
        assert row["worse"] == own.worse and row["method"] == one.method


def test_pvalues_in_json_have_every_number_and_logs_too(run):
    found = json.loads(run("datasets", PVALUES, "--json")[1])
    expected = replicability.analyse(readers.read_pvalues(PVALUES)).table()
    assert found["results"] == expected.to_dict(orient="records") and found["alpha"] == 0.05
    found = json.loads(run("datasets", *LOGS, "--json", "--confidence", "0.9")[1])
    assert found["alpha"] == 0.1 and found["better"]["count"] >= 3
    assert [row["dataset"] for row in found["results"] if row["better"]] == found["better"]["names"]


def test_tables_of_tasks_have_the_items_and_say_where_few_runs_decide(run, seeds):
    out = run("datasets", seeds, *ASKED)[1]
    each = compare_each(*read(seeds, groups="topic", empty="wrong"))
    rows = out.partition(" task ")[2].split("\n\n")[0].splitlines()
    assert rows[0].split()[:3] == ["items", "df", "metric"]
    for line, (task, one) in zip(rows[1:], each.items()):
        shown = [str(one.n_units), f"{one.degrees_of_freedom:.4g}"]
        assert line.strip().removeprefix(task).split()[:2] == shown
    assert each["law"].degrees_of_freedom < 5 < each["sums, short"].degrees_of_freedom
    said = ": so few runs (3) leave fewer than 5 degrees of freedom (df)"
    (line,) = (line for line in out.splitlines() if said in line)
    assert "law" in line and "sums" not in line
    out = run("datasets", *LOGS)[1].partition(" task ")[2]
    assert out.split()[0] == "documents" and " df " not in out


def test_a_tie_is_0_in_tables_and_in_python(run, seeds):
    tie = compare_each(*read(seeds, groups="topic", empty="wrong"))["tie"]
    assert tie.standard_error > 0 and tie.value_a == pytest.approx(tie.value_b)
    assert tie.difference == 0 and tie.pvalue == 1
    for form in ([], ["--markdown"]):
        row = next(
            one
            for one in run("datasets", seeds, *ASKED, *form)[1].splitlines()
            if "tie" in one and "accuracy" in one
        )
        assert "0.0000" in row and "<0.0001" not in row and "e-" not in row


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--json"]])
def test_runs_taken_as_shared_are_said_with_the_way_out(run, seeds, form):
    said = "runs of the same names (1, 2, 42), which count as shared"
    for command in ("compare", "datasets"):
        out = run(command, seeds, *ASKED, *form)[1]
        assert f"both systems have {said}; --no-shared-runs takes them as separate" in out
        code, out, _ = run(command, seeds, *ASKED, "--no-shared-runs", *form)
        assert code == 0 and said not in out
    assert "of the same names" not in run("compare", *CONLL)[1]


def test_names_with_commas_and_semicolons_are_told_apart_in_lists(run, write):
    votes = [f"p{i},{pair},{'ab'[i % 2]}" for i in range(12) for pair in ('"c; x","B, 1"', "B,C")]
    path = write("\n".join(["prompt,model_a,model_b,winner", *votes]) + "\n")
    code, _, err = run("compare", path)
    assert code == 2 and "'c; x', 'B, 1', B, C" in err
    draw = np.random.default_rng(3)
    old, new = (draw.random(120) < 0.2).astype(int), (draw.random(120) < 0.9).astype(int)
    tasks = ['"sums, short"', "maps", "law"] * 40
    path = write(table("id,task,old,new", [f"q{i}" for i in range(120)], tasks, old, new))
    assert "namely 'sums, short', maps and law" in run("datasets", path, "--groups", "task")[1]
    many = table('"a, 1",b,"c;d"', *([x % 10 / 10 for x in range(i, i + 40)] for i in (0, 1, 2)))
    assert "'a, 1', b or 'c;d' may be the best." in run("compare", write(many), "--items")[1]


def test_plan_counts_items_in_whole_numbers(run):
    found = plan(compare(*read(*CONLL)), difference=0.05)
    out = run("plan", *CONLL, "--difference", "0.05")[1]
    numbers = out.partition(" power\n")[2].split("\n")[0].split()
    assert numbers[0] == str(found.n) and numbers[2] == "0.0500"
    assert numbers[3:5] == [str(round(end)) for end in found.range]
    out = run("plan", *CONLL, "--n", "500")[1]
    numbers = out.partition(" power\n")[2].split("\n")[0].split()
    assert numbers[3:5] == [f"{end:.4f}" for end in plan(compare(*read(*CONLL)), n=500).range]


def test_what_has_no_answer_says_why_and_what_works(run):
    code, _, err = run("compare", *CONLL, "--metric", "macro_f1")
    assert code == 2 and "the mean of the F1 of each class" in err
    assert "say --metric f1 for all of them together" in err
    code, _, err = run("datasets", *CONLL)
    assert code == 2 and "datasets has no answer for tags in columns: betterthan compare" in err
    assert f": betterthan compare {' '.join(CONLL)}. " in err
    assert "a table of p-values: compare the two files of each dataset" in err
    seconds = str(readers.example("seconds"))
    code, _, err = run("compare", seconds, "--ratio", "--at-least", "0")
    assert code == 2 and "leave out --ratio to ask for a difference" in err
    found = json.loads(run("compare", seconds, "--ratio", "--json")[1])
    assert "ratio_interval from --json" in err and found["ratio_interval"]["low"] > 0


def test_a_frame_is_read_already():
    frame = pd.DataFrame({"old": [1, 0, 1, 1], "document": list("aabb")})
    with pytest.raises(InputError) as caught:
        read(frame)
    assert 'Results(frame["old"], name="old")' in str(caught.value)
    assert Results(frame["old"], name="old", groups=frame["document"]).name == "old"


# --- example ---


@pytest.mark.parametrize("kind", readers.EXAMPLES)
def test_an_example_is_written_and_its_command_works(run, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("example", kind)
    *wrote, last = out.splitlines()
    assert (code, err) == (0, "") and last.startswith("now type: betterthan look ")
    given = readers.example(kind)
    assert wrote == [f"wrote {path.name}" for path in np.atleast_1d(np.array(given, dtype=object))]
    first = given[0] if isinstance(given, tuple) else given
    if first.is_file():
        assert Path(first.name).read_bytes() == first.read_bytes()
    code, out, _ = run(*shlex.split(last.removeprefix("now type: betterthan ")))
    assert code == 0 and "ask: betterthan " in out


def test_examples_are_listed_and_go_into_a_folder_and_overwrite_nothing(run, tmp_path):
    code, out, _ = run("example")
    assert code == 0 and [line.split()[2] for line in out.splitlines()] == [*readers.EXAMPLES]
    folder = tmp_path / "my files" / "here"
    code, out, _ = run("example", "conll", folder)
    assert code == 0 and f"betterthan look '{folder}/old.conll' '{folder}/new.conll'" in out
    (folder / "old.conll").unlink()
    (folder / "new.conll").write_text("mine")
    code, out, err = run("example", "conll", folder)
    assert code == 2 and not out and "new.conll: is there already" in err
    assert "betterthan example conll FOLDER" in err and not (folder / "old.conll").exists()
    assert (folder / "new.conll").read_text() == "mine"
    code, _, err = run("example", "conll", folder / "new.conll")
    assert code == 2 and "expected a folder, but this is a file" in err
    code, _, err = run("example", "conl")
    assert code == 2 and err.startswith("betterthan: conl: expected one of ") and "'conll'" in err


def test_a_file_that_does_not_exist_is_said_without_a_number(run, tmp_path):
    for typed in (("compare", "none.conll", CONLL[1]), ("score", CONLL[0], "--gold", "none.conll")):
        code, _, err = run(*typed)
        assert code == 2 and "Errno" not in err
        assert "none.conll: no such file; betterthan example writes files to try it with" in err
    picture = str(tmp_path / "no" / "x.svg")
    code, _, err = run("compare", *CONLL, "--plot", picture)
    assert code == 2 and "Errno" not in err and "betterthan example" not in err


# --- threshold ---


@pytest.fixture
def checked(tmp_path):
    """300 checked answers of a model that is right as often as it says."""
    draw = np.random.default_rng(11)
    stated = draw.beta(6, 1, 300).round(3)
    right = (draw.random(300) < stated).astype(int)
    path = tmp_path / "checked.csv"
    rows = [f"{r},{p},d{i // 3}" for i, (r, p) in enumerate(zip(right, stated))]
    path.write_text("\n".join(["correct,probability,document", *rows]) + "\n")
    return str(path)


def test_threshold_prints_what_the_library_finds(run, checked, tmp_path):
    asked = ("threshold", checked, "--ignore", "document", "--error", "0.1")
    mine = readers.read_probabilities(checked, ignore="document")
    result = confidence.threshold(mine, error=0.1)
    assert result.threshold is not None
    code, out, _ = run(*asked)
    assert code == 0 and out.splitlines()[0] == str(result)
    _, out, _ = run(*asked, "--json")
    found = json.loads(out)
    assert found["threshold"] == result.threshold and found["share"] == result.share
    given = [line.split(",")[:2] for line in Path(checked).read_text().split()[1:]]
    above = [right for right, p in given if float(p) >= found["threshold"]]
    assert found["n_answered"] == len(above) and found["error"] == above.count("0") / len(above)
    _, out, _ = run(*asked, "--markdown")
    assert "| threshold |" in out
    assert run(*asked, "--plot", str(tmp_path / "drawn.svg"))[0] == 0
    assert (tmp_path / "drawn.svg").stat().st_size > 1000


def test_threshold_knows_groups_and_says_where_there_is_none(run, checked):
    code, out, _ = run("threshold", checked, "--error", "0.1")
    assert code == 0 and "in 100 groups" in out
    code, out, _ = run("threshold", checked, "--error", "0.01")
    assert code == 0 and out.startswith("No threshold is shown to keep the error at 1 % or less")
    assert "even without a mistake that takes 299 groups" in out and "Empty" not in out
    found = json.loads(run("threshold", checked, "--error", "0.01", "--json")[1])
    assert found["threshold"] is None and found["n_needed"] == 299


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--error", "0"), "--error 0.0: expected a finite number in (0, 1)"),
        (("--confidence", "1"), "--confidence 1.0"),
        (("--names", "x"), "--names x: does nothing"),
        (("--groups", "none"), "--groups none"),
    ],
)
def test_threshold_refuses_in_its_own_words(run, checked, more, words):
    code, out, err = run("threshold", checked, *more)
    assert code == 2 and not out and words in err


def test_threshold_of_other_files_is_refused_with_a_command_that_works(run):
    code, _, err = run("threshold", SCORES)
    assert code == 2 and "betterthan score" in err
    assert run("score", SCORES)[0] == 0
