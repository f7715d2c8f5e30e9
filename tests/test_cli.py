"""The command line: what it prints, draws and refuses, beside what the library says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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
    assert "difference" in out and "120 sentences, documents by -DOCSTART-, tags: spans" in out


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
    # The lower end of the gain is what counts: between it and the upper end the gate stays shut.
    low, high = (-end for end in compare(*readers.read_scores(file).T.to_numpy()).interval[::-1])
    assert low < high
    for least, code in ((low - 0.01, 0), (low + 0.01, 1), ((low + high) / 2, 1)):
        assert run("compare", file, "--lower-is-better", "--at-least", least)[0] == code


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
    assert (code, out) == (2, "") and "--scheme plain" in err


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
    assert "48 samples, metric match, task capitals" in out
    assert run("compare", *logs, "--metric", "match")[0] == 0
    assert "--metric gone for the task 'capitals'" in run("compare", *logs, "--metric", "gone")[2]


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
    assert (
        code == 0 and out.startswith(f"{expected}\n") and "10 folds" in out and "share 0.1" in out
    )
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
        (("compare", CONLL[0]), "expected two systems, found old"),
        (("compare", *CONLL, "--names", "x"), "expected 2, all different, for old, new"),
        (("compare", readers.example("pvalues")), "betterthan datasets"),
        (("datasets", readers.example("scores")), "one CSV with the columns dataset and p"),
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
    assert found["betterthan"] and len(found["read"]) == 2
    several = json.loads(run("score", readers.example("scores"), "--json")[1])
    assert {one["betterthan"] for one in several["results"]} == {found["betterthan"]}


def written(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


FOLDS = [(0.90, 0.91), (0.94, 0.93), (0.92, 0.95), (0.90, 0.93), (0.96, 0.95), (0.91, 0.92)]


@pytest.mark.parametrize("header", ["old,new", "Fold,old,new", "split,old,new", ",old,new"])
def test_a_test_share_always_gives_the_corrected_t(run, tmp_path, header):
    named = header != "old,new"
    rows = [f"{i + 1}," * named + f"{a},{b}" for i, (a, b) in enumerate(FOLDS)]
    file = written(tmp_path / "folds.csv", header, *rows)
    expected = compare_folds(*zip(*FOLDS), test_share=0.2, names=NAMES)
    code, out, _ = run("compare", file, "--test-share", 0.2)
    assert code == 0 and out.startswith(f"{expected}\n")
    code, out, err = run("compare", CONLL[0], CONLL[1], "--test-share", 0.2)
    assert code == 2 and "--test-share" in err and "tags in columns" in err


def test_two_tables_of_cross_validate(run, tmp_path):
    files = []
    for place, name in enumerate(NAMES):
        rows = [f"{pair[1 - place]},0.2,{pair[place]}" for pair in FOLDS]
        files.append(written(tmp_path / f"{name}.csv", "fit_time,score_time,test_score", *rows))
    expected = compare_folds(*zip(*FOLDS), test_share=0.2, names=NAMES)
    assert run("compare", *files, "--test-share", 0.2)[1].startswith(f"{expected}\n")
    assert "--test-share 0.1" in run("compare", *files)[2]
    wanted = ["--test-share", 0.2, "--metric", "fit_time"]
    expected = compare_folds(*zip(*(pair[::-1] for pair in FOLDS)), test_share=0.2, names=NAMES)
    assert run("compare", *files, *wanted)[1].startswith(f"{expected}\n")
    assert "say --metric COLUMN" in run("compare", *files, *wanted[:3], "gone")[2]


def test_several_score_columns_per_file(run, tmp_path):
    files = [
        written(tmp_path / f"{name}.csv", "segment,bleu,comet", *rows)
        for name, rows in (
            ("old", [f"s{i},{i % 4},{i % 3}" for i in range(30)]),
            ("new", [f"s{i},{i % 4},{i % 5}" for i in range(30)]),
        )
    ]
    code, out, _ = run("compare", *files, "--metric", "comet")
    assert code == 0 and "new minus old is +1.0000" in out
    assert "found bleu, comet; say --metric COLUMN" in run("compare", *files)[2]


def test_groups_and_key_of_a_table_of_scores(run, tmp_path):
    rows = [f"d{i % 6},{i},{i % 3},{i % 4}" for i in range(60)]
    file = written(tmp_path / "x.csv", "document,segment,old,new", *rows)
    code, out, _ = run("compare", file, "--groups", "document", "--key", "segment")
    assert code == 0 and "60 segments in 6 groups" in out and "systems: old, new" in out
    assert "--groups document" in run("compare", file)[2]


def lm_eval(folder, task, rows):
    lines = [json.dumps({"doc_id": i, **row}) for i, row in enumerate(rows)]
    return written(folder / f"samples_{task}_2026-01-02T03-04-05.0.jsonl", *lines)


def test_metrics_and_filters_by_task(run, tmp_path):
    for model, right in (("old", 3), ("new", 2)):
        folder = tmp_path / model / "org__model"
        easy = [{"acc": 0.0, "acc_norm": float(i % right == 0)} for i in range(40)]
        lm_eval(folder, "arc_easy", easy)
        maths = [
            {"doc_id": i, "filter": name, "exact_match": float(i % right == 0)}
            for i in range(40)
            for name in ("strict", "loose")
        ]
        lm_eval(folder, "gsm8k", maths)
    folders = tmp_path / "old", tmp_path / "new"
    code, out, err = run("datasets", *folders)
    assert (code, out) == (2, "") and "no --filter for the task 'gsm8k'" in err
    assert "say --filter gsm8k=NAME" in err
    chosen = ["--filter", "gsm8k=strict", "--metric", "arc_easy=acc_norm"]
    code, out, _ = run("datasets", *folders, *chosen)
    assert code == 0 and "gsm8k: 40 items, metric exact_match, filter strict" in out
    assert "arc_easy: 40 items, metric acc_norm" in out
    code, _, err = run("datasets", *folders, *chosen, "--metric", "acc")
    assert code == 2 and "TASK=NAME for each" in err
    # A single file has a name of 40 characters; its folder says whose it is.
    files = [next(folder.rglob("*arc*")) for folder in folders]
    assert " for old and " in run("compare", *files, "--metric", "acc_norm")[1].split(".")[1]


def test_pvalues_of_either_kind(run, tmp_path):
    rows = [f"d{i},{p}" for i, p in enumerate((0.001, 0.2, 0.004, 0.7))]
    file = written(tmp_path / "p.csv", "dataset,p", *rows)
    assert "--alternative: expected 'greater'" in run("datasets", file)[2]
    code, out, _ = run("datasets", file, "--alternative", "greater")
    expected = replicability.analyse(readers.read_pvalues(file), alternative="greater")
    assert code == 0 and out.startswith(f"{expected}\n")
    code, _, err = run("datasets", file, "--alternative", "two-sided")
    assert code == 2 and err.endswith("expected the scores a and b in the table\n")
    code, _, err = run("datasets", readers.example("pvalues"), "--alternative", "two-sided")
    assert code == 2 and "--alternative two-sided" in err


def test_gold_and_two_systems_in_one_conll_file(run, tmp_path):
    texts = [Path(path).read_text("utf-8").splitlines() for path in CONLL]
    rows = [f"{a} {b.split()[-1]}" if a.strip() else "" for a, b in zip(*texts)]
    both = written(tmp_path / "both.conll", *rows)
    code, out, err = run("compare", both)
    assert (code, out) == (2, "") and "say --columns 0 -3 -2 -1" in err and "{" not in err
    code, out, _ = run("compare", both, "--columns", 0, 1, 2, 3, "--names", *NAMES)
    result = compare(*readers.read_conll(*CONLL), names=NAMES)
    assert code == 0 and out.startswith(f"{result}\n")
    assert "systems: both:-2, both:-1" in run("compare", both, "--columns", 0, -3, -2, -1)[1]
    for few in ([0], [0, 1]):
        code, out, err = run("compare", both, "--columns", *few)
        assert (code, out) == (2, "") and "--columns" in err


def test_tags_in_a_tsv_and_remarks(run, tmp_path):
    expected = run("compare", *CONLL)[1].split("read:")[0]
    texts = [Path(path).read_text("utf-8").replace(" ", "\t") for path in CONLL]
    files = [tmp_path / f"{name}.tsv" for name in NAMES]
    for file, text in zip(files, texts):
        file.write_text(text, "utf-8")
    assert run("compare", *files)[1].split("read:")[0] == expected
    for file, text in zip(files, texts):
        file.write_text(f"# newdoc id = 1\n{text}", "utf-8")
    code, _, err = run("compare", *files)
    assert code == 2 and "are lines with # remarks? Say --comments '# '" in err
    assert run("compare", *files, "--comments", "# ")[1].split("read:")[0] == expected


TAGS, INSPECT = ("compare", *CONLL), ("compare", *readers.example("inspect"))
PVALUES, SCORES = ("datasets", readers.example("pvalues")), ("compare", readers.example("scores"))
LM_EVAL = ("datasets", *readers.example("lm_eval"))
LABELS = ("score", readers.example("probabilities"))


@pytest.mark.parametrize(
    ("command", "option", "kind"),
    [
        (INSPECT, "--groups x", "a log of Inspect"),
        (INSPECT, "--gold x", "a log of Inspect"),
        (INSPECT, "--scheme IOB2", "a log of Inspect"),
        (TAGS, "--groups x", "tags in columns"),
        (TAGS, "--unmatched drop", "tags in columns"),
        (TAGS, "--test-share 0.1", "tags in columns"),
        (PVALUES, "--metric f1", "a CSV of p-values"),
        (PVALUES, "--groups x", "a CSV of p-values"),
        (PVALUES, "--margin 1", "a CSV of p-values"),
        (PVALUES, "--lower-is-better", "a CSV of p-values"),
        (LM_EVAL, "--alternative greater", "a log of lm-evaluation-harness"),
        (LABELS, "--confidence 0.9", "labels with probabilities"),
        (SCORES, "--unscored drop", "a CSV of scores"),
        (SCORES, "--filter x", "a CSV of scores"),
        (SCORES, "--label x", "a CSV of scores"),
    ],
)
def test_options_that_do_nothing_are_refused(run, command, option, kind):
    code, out, err = run(*command, *option.split())
    assert (code, out) == (2, "") and f"{option.split()[0]}: does nothing for {kind}" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("score", readers.example("pvalues")), "a CSV of p-values: betterthan datasets"),
        (("score", readers.example("folds")), "scores of folds: betterthan compare"),
        (("plan", readers.example("folds"), "--n", "9"), "scores of folds: betterthan compare"),
        (("compare", readers.example("probabilities")), "betterthan score"),
        (("datasets", *CONLL), "expected the logs of two models"),
        (("datasets", *[readers.example("pvalues")] * 2), "or one CSV"),
        (("compare", readers.example("folds"), "--metric", "f1"), "no --metric"),
        (("datasets", readers.example("inspect")[0]), "expected the logs of two models"),
        (("compare", *readers.example("trec")[:2]), "--gold"),
        (
            ("compare", readers.example("predictions"), "--gold", "truth"),
            "no column 'truth'; found",
        ),
        (("compare", readers.example("predictions"), "--gold", "truth"), "say --gold"),
        (("compare", *CONLL, "--metric", "x"), "--metric x: expected one of"),
        (("compare", *CONLL, "--confidence", "2"), "--confidence: expected a finite number"),
        (("datasets", readers.example("pvalues"), "--confidence", "2"), "--confidence: expected"),
    ],
)
def test_dead_ends_name_the_way_on_as_it_is_typed(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and words in err and err.startswith("betterthan: ")


def test_a_gold_column_of_another_name(run, tmp_path):
    text = readers.example("predictions").read_text("utf-8").replace("gold", "label", 1)
    file = written(tmp_path / "x.csv", *text.splitlines())
    assert "--gold" in run("compare", file)[2]
    assert run("compare", file, "--gold", "label")[0] == 0


def test_the_same_name_in_two_folders(run, tmp_path):
    files = []
    for name, path in zip(NAMES, CONLL):
        lines = Path(path).read_text("utf-8").splitlines()
        files.append(written(tmp_path / name / "out" / "pred.conll", *lines))
    result = compare(*readers.read_conll(*CONLL), names=NAMES)
    assert run("compare", *files)[1].startswith(f"{result}\n")
    assert "expected 2, all different" in run("compare", files[0], files[0])[2]


def test_rows_without_ids_are_not_matched_by_their_numbers(run, tmp_path):
    files = [written(tmp_path / f"{n}.csv", "score", *["0.5"] * n) for n in (7, 5)]
    for drop in ((), ("--unmatched", "drop")):
        code, _, err = run("compare", *files, *drop)
        assert code == 2 and "got 5; rows without ids cannot be matched: say --key COLUMN" in err


def test_trec_runs(run, tmp_path):
    from betterthan import ranking

    old, new, judged = readers.example("trec")
    table = readers.read_trec(old, new, judged)
    pair = [ranking.average_precision_per_query(table, name) for name in "ab"]
    code, out, _ = run("compare", old, new, "--gold", judged)
    assert code == 0 and out.startswith(f"{compare(*pair, names=NAMES)}\n")
    assert run("score", old, "--gold", judged)[1].startswith(f"{score(pair[0])}\n")
    rows = old.read_text("utf-8").splitlines()
    query = rows[0].split()[0]
    cut = written(tmp_path / "cut.run", *(row for row in rows if row.split()[0] != query))
    code, out, err = run("compare", cut, new, "--gold", judged)
    assert (code, out) == (2, "") and "--unmatched zero" in err
    assert run("compare", cut, new, "--gold", judged, "--unmatched", "zero")[0] == 0


def test_one_number_per_line(run, tmp_path):
    numbers = [[str(i % 3) for i in range(40)], [str(i % 5 / 2) for i in range(40)]]
    files = [written(tmp_path / f"{name}.txt", *x) for name, x in zip(NAMES, numbers)]
    expected = compare(*([float(x) for x in column] for column in numbers), names=NAMES)
    assert run("compare", *files)[1].startswith(f"{expected}\n")
    bad = written(tmp_path / "bad.txt", "0.5", "", "0.5")
    assert "bad.txt, line 2" in run("compare", files[0], bad)[2]


def test_labels_with_probabilities(run, tmp_path):
    from betterthan import confidence

    file = readers.example("probabilities")
    frame = readers.read_probabilities(file)
    expected = confidence.evaluate(frame["correct"], frame["probability"], groups=frame["group"])
    code, out, _ = run("score", file)
    assert code == 0 and out.startswith(f"{expected}\n")
    assert json.loads(run("score", file, "--json")[1])["brier"] == expected.brier
    text = file.read_text("utf-8").replace("label", "answer", 1).replace("group", "document", 1)
    other = written(tmp_path / "answers.csv", *text.splitlines())
    assert "--label" in run("score", other)[2]
    code, out, _ = run("score", other, "--label", "answer", "--groups", "document")
    assert code == 0 and out.startswith(f"{expected}\n")


@pytest.mark.parametrize(("least", "said"), [(0.01, "passed"), (0.02, "not passed")])
def test_the_gate_says_why(run, least, said):
    no = said.removesuffix("passed")
    words = f"Gate {said}: the gain's lower end +0.0103 is {no}above {least:g}."
    assert run("compare", *CONLL, "--at-least", least)[1].endswith(f"\n\n{words}\n")
    assert json.loads(run("compare", *CONLL, "--at-least", least, "--json")[1])["gate"] == words


def test_scores_of_a_table_name_their_systems(run):
    out = run("score", readers.example("scores"))[1].splitlines()
    assert [line.split(": Mean is")[0] for line in out[:3]] == ["old", "new", "large"]


def test_tiny_pvalues_are_not_shown_as_zero(run, tmp_path):
    file = written(tmp_path / "p.csv", "dataset,p,alternative", "a,0.000001,greater", "b,1,greater")
    out = run("datasets", file)[1]
    assert "<0.0001" in out and "0.0000" not in out
    assert "p_within" not in run("compare", *CONLL)[1]
    assert "p_within" in run("compare", *CONLL, "--margin", 0.05)[1]


def test_predictions_are_matched_by_id(run, tmp_path):
    rows = [f"t{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]}" for i in range(60)]
    old = written(tmp_path / "old.csv", "id,gold,x", *rows)
    rows = [f"t{i},{'ab'[i % 2]},{'ab'[i % 5 % 2]}" for i in range(60)]
    new = written(tmp_path / "new.csv", "id,gold,x", *rows)
    mixed = written(tmp_path / "mixed" / "new.csv", "id,gold,x", *rows[::-1])
    in_order, shuffled = (run("compare", old, file)[1] for file in (new, mixed))
    assert "for old and" in in_order
    assert in_order.split("read:")[0] == shuffled.split("read:")[0]


def test_who_reads_may_stop_reading():
    command = f'"{sys.executable}" -m betterthan score "{readers.example("scores")}"'
    stopped = subprocess.run(f"{command} | exec true", shell=True, capture_output=True, text=True)
    assert stopped.stderr == ""


def test_the_readme_shows_what_is_printed(run):
    text = Path(__file__).parents[1].joinpath("README.md").read_text("utf-8")
    shown = text.split("$ betterthan compare old.conll new.conll\n")[1].split("```")[0]
    assert run("compare", *CONLL)[1].startswith(" ".join(shown.split()) + "\n")


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "betterthan", "compare", *CONLL], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith("F1 is 0.8114 for old")
    done = subprocess.run([sys.executable, "-m", "betterthan"], capture_output=True, text=True)
    assert done.returncode == 2 and "usage: betterthan" in done.stderr
