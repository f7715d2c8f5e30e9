"""The command line: what it prints, draws and refuses, beside what the library says."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from betterthan import compare, compare_folds, compare_many, plan, readers, replicability, score
from betterthan.__main__ import main

CONLL = [str(path) for path in readers.example("conll")]
NAMES = ("old", "new")


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_two_files_give_the_sentence_the_table_and_what_was_read(run):
    code, out, err = run("compare", *CONLL)
    result = compare(*readers.read_conll(*CONLL), names=NAMES)
    assert (code, err) == (0, "")
    assert out.startswith(f"{result}\n")
    assert "difference" in out and "120 sentences in 12 documents (-DOCSTART-)" in out


def test_json_holds_the_fields_under_their_library_names(run):
    code, out, _ = run("compare", *CONLL, "--json", "--metric", "recall", "--margin", "0.01")
    found = json.loads(out)
    result = compare(*readers.read_conll(*CONLL), "recall", names=NAMES, margin=0.01)
    assert code == 0
    for name in ("difference", "pvalue", "p_better", "p_within", "n_units", "n_groups", "margin"):
        assert found[name] == getattr(result, name)
    assert found["interval"] == result.interval._asdict()
    assert found["sentence"] == str(result)
    assert not [name for name in found if name.startswith("_")]


@pytest.mark.parametrize(("least", "code"), [(0.0, 0), (0.0102, 0), (0.0104, 1), (-1, 0)])
def test_the_gate_opens_when_the_whole_interval_is_above(run, least, code):
    assert 0.0102 < compare(*readers.read_conll(*CONLL)).interval.low < 0.0104
    assert run("compare", *CONLL, "--at-least", least)[0] == code


def test_the_gate_turns_with_lower_is_better(run, tmp_path):
    file = tmp_path / "seconds.csv"
    rows = [f"{i},{10 + i % 5},{5 + i % 3}" for i in range(40)]
    file.write_text("\n".join(["item,old,new", *rows]))
    assert run("compare", file, "--lower-is-better", "--at-least", 4)[0] == 0
    assert run("compare", file, "--at-least", 4)[0] == 1
    assert run("compare", file, "--lower-is-better", "--at-least", 9)[0] == 1


def test_a_table_of_several_systems(run):
    file = readers.example("scores")
    code, out, _ = run("compare", file)
    result = compare_many(dict(readers.read_scores(file)))
    assert code == 0 and out.startswith(f"{result}\n") and "rank_low" in out
    code, out, _ = run("score", file, "--json")
    first = json.loads(out)["results"][0]
    assert first["value"] == score(readers.read_scores(file)["old"]).value


def test_predictions_with_a_metric_names_and_groups(run, tmp_path):
    file = readers.example("predictions")
    code, out, _ = run("compare", file, "--metric", "macro_f1", "--names", "x", "y")
    systems = readers.read_predictions(file)
    assert code == 0
    assert out.startswith(
        str(compare(systems["old"], systems["new"], "macro_f1", names=("x", "y")))
    )
    other = tmp_path / "other.tsv"
    text = file.read_text().replace(",", "\t").replace("group", "author", 1)
    other.write_text(text.replace("gold", "truth", 1))
    _, out, _ = run("compare", other, "--groups", "author", "--gold", "truth", "--json")
    assert json.loads(out)["n_groups"] == 11


def test_tags_without_spans_and_gold_apart(run, tmp_path):
    for name, tags in (("gold", "ABAB"), ("old", "ABBB"), ("new", "ABAA")):
        text = "\n\n".join(f"w {tag}\nv {tag}" for tag in tags * 5)
        (tmp_path / f"{name}.tags").write_text(text + "\n")
    old, new, gold = (tmp_path / f"{name}.tags" for name in ("old", "new", "gold"))
    wanted = ["--gold", gold, "--scheme", "plain", "--metric", "accuracy", "--json"]
    found = json.loads(run("compare", old, new, *wanted)[1])
    assert (found["value_a"], found["value_b"], found["n_units"]) == (0.75, 0.75, 20)
    code, out, err = run("compare", old, new, "--gold", gold)
    assert (code, out) == (2, "") and "scheme='plain'" in err


def test_one_score_per_file(run, tmp_path):
    for name, top in (("old", 3), ("new", 5)):
        rows = [f"s{i},{i % top}" for i in range(30)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["segment,comet", *rows]))
    code, out, _ = run("compare", tmp_path / "old.csv", tmp_path / "new.csv")
    assert code == 0 and "new minus old is +1.0000" in out


def test_logs(run, tmp_path):
    logs = readers.example("inspect")
    code, out, _ = run("compare", *logs)
    pair = readers.read_inspect(*logs)["capitals"]
    assert code == 0 and out.startswith(f"{compare(*pair, names=NAMES)}\n")
    assert "capitals: 48 samples, metric match" in out
    assert run("compare", *logs, "--metric", "match")[0] == 0
    assert "scorer='gone'" in run("compare", *logs, "--metric", "gone")[2]


def test_datasets_from_logs_and_from_pvalues(run):
    folders = readers.example("lm_eval")
    code, out, _ = run("datasets", *folders, "--local", "fisher")
    tasks = readers.read_lm_eval(*folders)
    results = {task: compare(*pair, names=NAMES) for task, pair in tasks.items()}
    assert code == 0
    assert out.startswith(f"{replicability.analyse(results, local='fisher')}\n")
    assert "sums: 100 items, metric exact_match" in out
    file = readers.example("pvalues")
    code, out, _ = run("datasets", file, "--names", "old", "new")
    expected = replicability.analyse(readers.read_pvalues(file), systems=NAMES)
    assert code == 0 and out.startswith(f"{expected}\n")
    assert "betterthan datasets" in run("compare", *folders)[2]


def test_folds(run, tmp_path):
    file = readers.example("folds")
    folds = readers.read_folds(file)
    expected = compare_folds(folds["old"], folds["new"], test_share=0.1, names=NAMES)
    code, out, _ = run("compare", file)
    assert code == 0 and out.startswith(f"{expected}\n") and "10 folds, test share 0.1" in out
    other = tmp_path / "folds.csv"
    other.write_text("fold,old,new\n1,0.5,0.6\n2,0.4,0.5\n3,0.5,0.5\n")
    assert "--test-share 0.1" in run("compare", other)[2]
    assert run("compare", other, "--test-share", 0.1)[0] == 0


def test_plan(run):
    code, out, _ = run("plan", *CONLL, "--difference", 0.02)
    pilot = compare(*readers.read_conll(*CONLL), names=NAMES)
    assert code == 0 and out.startswith(f"{plan(pilot, difference=0.02)}\n")
    assert "expected one of the two" in run("plan", *CONLL)[2]


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_it_draws(run, tmp_path, suffix):
    assert run("compare", *CONLL, "--plot", tmp_path / f"x.{suffix}")[0] == 0
    assert (tmp_path / f"x.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare", "gone.conll", "gone2.conll"), "gone.conll"),
        (("compare", CONLL[0]), "expected two systems or more, found one"),
        (("compare", *CONLL, "--names", "x"), "expected 2 different names, for old, new"),
        (("compare", readers.example("pvalues")), "betterthan datasets"),
        (("datasets", readers.example("scores")), "expected the columns dataset and p"),
        (("compare", readers.example("scores"), "--margin", 1), "need two systems, found 3"),
        (("plan", *CONLL, "--n", 300, "--plot", "x.svg"), "no picture"),
        (("compare", readers.example("predictions"), "--groups", "gone"), "no column 'gone'"),
    ],
)
def test_bad_input_exits_2_with_words_and_no_traceback(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err and err.startswith("betterthan: ") and "Traceback" not in err


def test_what_was_left_out_is_said(run, tmp_path):
    for name, n in (("old", 30), ("new", 28)):
        rows = [f"s{i},{(i * 7) % 5}" for i in range(n)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["segment,x", *rows]))
    files = tmp_path / "old.csv", tmp_path / "new.csv"
    assert "2 items are not in all systems" in run("compare", *files)[2]
    assert "2 items without a match left out." in run("compare", *files, "--unmatched", "drop")[1]


def test_disagreements_are_written(run, tmp_path):
    file = tmp_path / "differ.csv"
    assert run("compare", *CONLL, "--disagreements", file)[0] == 0
    expected = compare(*readers.read_conll(*CONLL), names=NAMES).disagreements()
    written = pd.read_csv(file)
    assert written.columns.tolist() == ["sentence", "old", "new", "difference"]
    assert 0 < len(written) == len(expected) < 120
    assert np.allclose(written, expected, equal_nan=True)
    code, _, err = run("compare", readers.example("scores"), "--disagreements", file)
    assert code == 2 and "--disagreements" in err


def test_json_says_how_it_was_computed(run):
    found = json.loads(run("compare", *CONLL, "--json")[1])
    assert found["n_resamples"] == 9_999 and found["rng"] == 0 and found["method"]
    assert found["betterthan"] and len(found["read"]) == 1
    several = json.loads(run("score", readers.example("scores"), "--json")[1])
    assert {one["betterthan"] for one in several["results"]} == {found["betterthan"]}


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "betterthan", "compare", *CONLL], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("F1 is 0.8114 for old")
    done = subprocess.run([sys.executable, "-m", "betterthan"], capture_output=True, text=True)
    assert done.returncode == 2 and "usage: betterthan" in done.stderr
