"""CoNLL-U, promptfoo, SWE-bench, votes, other measures of TREC; and files that are only named."""

from __future__ import annotations

import importlib
import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from betterthan import InputError, compare, read, readers, score
from betterthan.readers.elsewhere import ELSEWHERE
from betterthan.readers.trec import measure_name

HERE = Path(__file__).parent / "promptfoo"

# --- CoNLL-U ------------------------------------------------------------------------------------

GOLD = """\
# newdoc id = one
# text = It isn't.
1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tisn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tis\tbe\tAUX\tVBZ\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tso\tso\tADV\tRB\t_\t_\t_\t_\t_

# newdoc id = two
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_
"""


def words_of(path):
    """The words of a CoNLL-U file, read in another way: rows whose first cell is a number."""
    rows = [line.split("\t") for line in Path(path).read_text("utf-8").splitlines()]
    return [row for row in rows if len(row) == 10 and row[0].isdigit()]


@pytest.mark.parametrize(
    ("asked", "places"),
    [
        ({}, [3]),
        ({"column": "xpos"}, [4]),
        ({"column": "LEMMA"}, None),
        ({"column": "UAS"}, [6]),
        ({"metric": "las"}, [6, 7]),
        ({"column": "DEPREL"}, [7]),
        ({"metric": "XPOS"}, [4]),
    ],
)
def test_conllu_counts_words_of_a_column(asked, places):
    *files, gold = readers.example("conllu")
    if places is None:  # the lemmas of the example are all right
        assert [score(one).value for one in read(*files, gold=gold, **asked)] == [1.0, 1.0]
        return
    right = words_of(gold)
    for one, path in zip(read(*files, gold=gold, **asked), files):
        hits = [all(a[i] == b[i] for i in places) for a, b in zip(right, words_of(path))]
        assert score(one).value == pytest.approx(np.mean(hits))
        assert (one.n_units, one.n_groups, one.unit) == (65, 12, "sentence")


def test_conllu_macro_f1_is_that_of_scikit():
    from sklearn.metrics import f1_score

    old, _, gold = readers.example("conllu")
    [one] = read(old, gold=gold)
    right, answers = ([row[3] for row in words_of(path)] for path in (gold, old))
    assert score(one, "macro_f1").value == pytest.approx(f1_score(right, answers, average="macro"))


def test_ranges_and_empty_nodes_are_no_words(write):
    new = GOLD.replace("3\tn't\tnot\tPART", "3\tn't\tnot\tADV").replace("3.1\tso", "3.1\tno")
    one, other = read(write(new, "a"), write(GOLD, "b"), gold=write(GOLD, "gold"))
    assert one.values.sum(axis=0).sum() > 0 and one.groups.tolist() == ["one", "two"]
    assert (score(one).value, score(other).value) == (0.8, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("2\t!\t!", "2\t?\t?"), r"new, line 11: '\?', but '!' in .*gold, line 11"),
        (("\t1\tpunct\t_\t_", "\t1\tpunct"), "line 11: expected 10 columns with tabs.*cut off"),
        (("1\tGo", "one\tGo"), "line 10: expected a word's number.*found 'one'"),
        (("\n# newdoc id = two\n", ""), "line 8: 'Go', but 'the end of a sentence'"),
    ],
)
def test_conllu_refuses_with_the_line(write, change, words):
    with pytest.raises(InputError, match=words):
        read(write(GOLD.replace(*change), "new"), gold=write(GOLD, "gold"))


def test_conllu_refuses_what_cannot_be_compared(write):
    old, _, gold = readers.example("conllu")
    with pytest.raises(
        InputError, match=r"CoNLL-U, which has no column .* say gold=… with the gold"
    ):
        read(old)
    with pytest.raises(InputError, match="column='MISC': expected one of LEMMA, UPOS"):
        read(old, gold=gold, column="MISC")
    with pytest.raises(InputError, match=r"FEATS has one value only, '_'.*say column='LEMMA'"):
        read(write(GOLD, "new"), gold=write(GOLD, "gold"), column="FEATS")
    blank = GOLD.replace("PRON", "_").replace("AUX", "_").replace("PART", "_")
    blank = blank.replace("VERB", "_").replace("PUNCT", "_")
    with pytest.raises(InputError, match="new: the column UPOS has one value only, '_', in every"):
        read(write(blank, "new"), gold=write(GOLD, "gold"))


# --- promptfoo ----------------------------------------------------------------------------------


def test_promptfoo_says_the_same_in_all_three_files():
    files = [HERE / f"tiny.{ending}" for ending in ("json", "jsonl", "csv")]
    for metric in (None, "score", "exact"):
        three = [read(path, metric=metric) for path in files]
        for ours in zip(*three):
            assert len({one.name for one in ours}) == 1
            assert all(one.ids.tolist() == ours[0].ids.tolist() for one in ours)
            for one in ours:
                np.testing.assert_allclose(one.values, ours[0].values, atol=0.004)  # two decimals
    assert (three[0][0].n_runs, three[0][0].n_units, len(three[0])) == (2, 2, 4)


@pytest.mark.parametrize("options", [None, {}, {"repeat": 1}])
def test_promptfoo_that_does_not_say_how_often_ran_once(write, options):
    whole = json.loads((HERE / "tiny.json").read_text("utf-8"))
    assert whole["runtimeOptions"]["repeat"] == 2
    whole["runtimeOptions"] = options
    for record in whole["results"]["results"]:  # else the same test comes twice
        record["vars"] = record["testCase"]["vars"] = {"number": record["testIdx"]}
    one, *_ = read(write(json.dumps(whole), "out.json"))
    assert (one.n_runs, one.n_units) == (1, 4)


def test_promptfoo_counts_what_the_tool_counts():
    whole = json.loads((HERE / "tiny.json").read_text("utf-8"))
    for one, prompt in zip(read(HERE / "tiny.json"), whole["results"]["prompts"]):
        assert one.values.sum() == prompt["metrics"]["testPassCount"]
    for one, prompt in zip(read(HERE / "tiny.json", metric="score"), whole["results"]["prompts"]):
        assert one.values.sum() == pytest.approx(prompt["metrics"]["score"])


def test_promptfoo_a_file_for_each_provider(write):
    lines = (HERE / "tiny.jsonl").read_text("utf-8").splitlines()
    first = [line for line in lines if json.loads(line)["promptIdx"] == 0]
    other = [line for line in lines if json.loads(line)["promptIdx"] == 3]
    files = write("\n".join(first), "a.jsonl"), write("\n".join(other[::-1]), "b.jsonl")
    old, new = read(*files)
    assert (old.name, new.name) == ("old", "new") and compare(old, new).n_units == 2


def test_promptfoo_of_several_files_takes_one_provider_each(write):
    copy = write((HERE / "tiny.jsonl").read_text("utf-8"), "b.jsonl")
    words = r"tiny.jsonl: found 4 providers, .*, in one of 2 files; say systems="
    with pytest.raises(InputError, match=words):
        read(HERE / "tiny.jsonl", copy)


def test_promptfoo_no_system_is_without_a_name(write):
    lines = map(json.loads, (HERE / "tiny.jsonl").read_text("utf-8").splitlines())
    kept = [{**one, "provider": "old" * (one["promptIdx"] == 0)} for one in lines]
    kept = [json.dumps(one) for one in kept if one["promptIdx"] in (0, 2)]
    names = [one.name for one in read(write("\n".join(kept), "a.jsonl"))]
    assert len(set(names)) == 2 and all(names)


def changed(number, **fields):
    lines = [json.loads(one) for one in (HERE / "tiny.jsonl").read_text("utf-8").splitlines()]
    lines[number] |= fields
    return "\n".join(map(json.dumps, lines))


def test_promptfoo_errors_count_as_failed_and_are_said(write):
    path = write(changed(0, failureReason=2, success=False, score=0, error="429"), "x.jsonl")
    one = read(path)[0]
    assert one.notes == (f"1 error of {one.name} count as failed.",)
    # A failed assertion is no error, though the tool puts its words into `error`.
    assert json.loads((HERE / "tiny.jsonl").read_text("utf-8").splitlines()[0])["error"]
    assert [one.notes for one in read(HERE / "tiny.jsonl", metric="exact")] == [()] * 4


def test_promptfoo_variables_that_repeat_are_asked_about(write):
    rows = (readers.example("promptfoo").read_text("utf-8")).splitlines()
    told = ["topic," + rows[0]] + [f"t{i // 4}," + row for i, row in enumerate(rows[1:])]
    path = write("\n".join(told), "out.csv")
    with pytest.raises(InputError, match=r"'topic' repeats.*say groups='topic'.*ignore='topic'"):
        read(path)
    assert read(path, groups="topic")[0].n_groups == 10
    assert "Tests count as independent: 'topic' was ignored." in read(path, ignore="topic")[0].notes
    with pytest.raises(InputError, match="groups='genre': expected a variable: topic, a, b"):
        read(path, groups="genre")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (changed(3, success="yes"), "line 4: expected a result of promptfoo, with success"),
        (changed(3, score=None), "line 4: expected a result with testIdx and score"),
        (changed(0, vars={"a": 9}), "comes 2 times, but most tests 1"),
        ('{"evalId":"x","results":{"results":[]}}', "no results"),
        ('{"evalId":"x","results":{"results":7}}', r"expected results\.results"),
        ("a,[x] p,Status,Score,Named Scores,Grader Reason\n1,2,MAYBE,1,,\n", "line 2: 'MAYBE'"),
        ("a,[x] p,Status,Score,Named Scores,Grader Reason\n1,2,PASS\n", "line 2: expected 6 colum"),
    ],
)
def test_promptfoo_refuses(write, text, words):
    with pytest.raises(InputError, match=words):
        read(write(text, "mine"))


# --- SWE-bench ----------------------------------------------------------------------------------


def test_swebench_counts_as_the_harness_does():
    for path, one in zip(readers.example("swebench"), read(*readers.example("swebench"))):
        report = json.loads(path.read_text("utf-8"))
        assert one.values.sum() == report["resolved_instances"]
        assert len(one) == report["total_instances"] and one.n_groups == 8
        assert f"{len(report['incomplete_ids'])} instance" in one.notes[0]


def test_swebench_verdicts_by_instance(write):
    pro = {f"instance_me__repo{i % 3}-{i:040x}-v{i:040x}": i % 4 == 0 for i in range(12)}
    logs = {f"me__repo{i % 3}-{i}": {"resolved": i % 4 == 0} for i in range(12)}
    for verdicts in (pro, logs):
        [one] = read(write(json.dumps(verdicts), "run.json"))
        assert (one.n_units, one.n_groups, one.values.sum()) == (12, 3, 3)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ({"resolved_ids": []}, "a report without instances"),
        ({"resolved_ids": ["a"], "unresolved_ids": ["a"]}, "'a' stands in resolved_ids and in unr"),
        ({"resolved_ids": ["a"], "total_instances": 9}, "total_instances is 9, but its lists name"),
        ({"resolved_ids": 7}, "resolved_ids=7; expected a list of ids"),
        ({"me__repo-1": True, "me__repo-2": "no"}, "'me__repo-2' is 'no'; expected true or false"),
    ],
)
def test_swebench_refuses(write, report, words):
    with pytest.raises(InputError, match=words):
        read(write(json.dumps(report), "run.json"))


# --- Votes --------------------------------------------------------------------------------------


def votes(rows, names="prompt,rater,model_a,model_b,winner"):
    return names + "\n" + "".join(f"{row}\n" for row in rows)


def test_votes_are_shares_whatever_the_winner_is_called(write):
    rows = ["p1,r1,x,y,{0}", "p1,r2,y,x,{1}", "p2,r1,x,y,tie", "p2,r2,x,y,{2}"]
    for words in (("model_a", "model_a", "model_b"), ("x", "y", "y"), ("A", "a", "B")):
        path = write(votes(rows).format(*words), "votes.csv")
        a, b = read(path)
        assert (a.name, a.values.tolist()) == ("x", [1, 0, 0.5, 0])
        assert (b.values + a.values).tolist() == [1] * 4
        assert a.groups.tolist() == ["p1", "p1", "p2", "p2"] and a.unit == "vote"
    assert "rater: 2 raters, who are not counted as groups" in a.reading
    assert "half for both in a tie (1 tie)" in str(compare(a, b))


def test_votes_by_left_and_right_beside_numbers_of_models(write):
    text = votes(
        ["8,97,98,tie,x,y", "8,98,97,left,y,x"], "prompt,model_x,model_y,winner,left,right"
    )
    a, b = read(write(text + "9,97,98,right,x,y\n", "votes.csv"))
    assert (a.name, b.name, b.values.tolist()) == ("x", "y", [0.5, 1, 1])


def test_votes_between_more_than_two_models(write):
    rows = [f"p{i},r1,{'xyz'[i % 3]},{'xyz'[(i + 1) % 3]},model_a" for i in range(9)] * 2
    path = write(votes([*rows, "p9,r1,z,y,tie"]), "votes.csv")
    with pytest.raises(
        InputError, match=r"votes between 3 models: x, y, z; .*say systems=\['y', '"
    ):
        read(path)
    a, b = read(path, systems=["z", "x"])
    assert (a.name, len(a)) == ("z", 6) and a.values.tolist() == [1] * 6
    assert "Only the 6 votes between these two, of 19." in b.notes
    with pytest.raises(InputError, match="systems='w': expected one of x, y, z"):
        read(path, systems=["w", "x"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (votes(["p1,r1,x,y,z", "p1,r2,x,y,x"]), "line 2: winner='z': expected model_a, model_b, t"),
        (votes(["p1,r1,x,y,", "p1,r2,x,y,x"]), "line 2: winner='': expected"),
        (votes(["p1,r1,x,x,tie", "p1,r2,x,y,x"]), "line 2: model_b='x': the same model on both"),
        (votes(["r1,x,y,x"] * 4 + ["r2,x,y,x"] * 4, "rater,model_a,model_b,winner"), "'rater' rep"),
    ],
)
def test_votes_refuse(write, text, words):
    with pytest.raises(InputError, match=words):
        read(write(text, "votes.csv"))


# --- TREC by other measures -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "values"),
    [
        ("nDCG@10", (0.7418, 0.8390)),
        ("ndcg_cut_10", (0.7418, 0.8390)),
        ("P@5", (0.488, 0.624)),
        ("precision_5", (0.488, 0.624)),
        ("mrr", (0.8167, 0.8733)),
        ("MAP", (0.5982, 0.7307)),
    ],
)
def test_trec_by_measures_of_ir_measures(spelled, values):
    pytest.importorskip("ir_measures")
    old, new, gold = readers.example("trec")
    found = [score(one).value for one in read(old, new, gold=gold, metric=spelled)]
    assert found == pytest.approx(values, abs=5e-5)


def test_trec_average_precision_is_that_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    old, _, gold = readers.example("trec")
    [one] = read(old, gold=gold)
    qrels, run = ir_measures.read_trec_qrels(str(gold)), ir_measures.read_trec_run(str(old))
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.AP], qrels, run)}
    assert dict(zip(one.ids, one.values)) == pytest.approx(theirs)


def test_trec_refuses_what_is_no_measure(monkeypatch):
    old, new, gold = readers.example("trec")
    with pytest.raises(InputError, match=r"metric='P': of how many documents.*say metric='P@10'"):
        read(old, new, gold=gold, metric="P")
    assert measure_name("nDCG(dcg='exp-log2')@5") == "nDCG(dcg='exp-log2')@5"
    pytest.importorskip("ir_measures")
    with pytest.raises(InputError, match="no measure that ir_measures knows"):
        read(old, new, gold=gold, metric="beauty@3")
    real = importlib.import_module

    def without(name, *more):
        if name == "ir_measures":
            raise ModuleNotFoundError(name, name=name)
        return real(name, *more)

    monkeypatch.setattr("betterthan._extras.importlib.import_module", without)
    with pytest.raises(ModuleNotFoundError, match=r'nDCG@10 needs .*"betterthan\[retrieval\]"'):
        read(old, new, gold=gold, metric="ndcg@10")


# --- Files that are only named --------------------------------------------------------------------


def zipped():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("answers.csv", "id,old\n")
    return data.getvalue()


NAMED = {
    "a record of OpenAI evals": '{"spec": {"completion_fns": ["x"], "eval_name": "sums.dev.v0"}}\n'
    '{"run_id": "1", "sample_id": "s.1", "type": "match", "data": {"correct": true}}\n',
    "per-instance statistics of HELM": json.dumps(
        [{"instance_id": "id1", "train_trial_index": 0, "stats": [{"name": {"name": "em"}}]}]
    ),
    "a test run of deepeval": json.dumps({"testCases": [{"name": "t", "metricsData": []}]}),
    "a result of MTEB, one score for the whole task": json.dumps(
        {"task_name": "T", "mteb_version": "1.2", "scores": {"test": [{"main_score": 0.5}]}}
    ),
    "an export of Label Studio": json.dumps(
        [{"id": 1, "annotations": [{"result": [{"from_name": "l", "to_name": "t"}]}]}]
    ),
    "annotations of brat": "T1\tPerson 0 4\tMira\nT2\tPlace 9 13;15 16\tOslo\nR1\tIn Arg1:T1\n",
    "aggregated results of lm-evaluation-harness, without the answers to single questions": (
        json.dumps({"results": {"arc": {"acc,none": 0.5}}, "n-shot": {"arc": 0}})
    ),
    "an old Excel workbook (.xls)": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
    "a zip archive": zipped(),
    "a database of SQLite": b"SQLite format 3\x00" + bytes(100),
    "a PDF": b"%PDF-1.7\n",
    "an array of numpy (.npy)": b"\x93NUMPY\x01\x00",
    "a pickle of Python": b"\x80\x05\x95",
    "a page in HTML": "<!DOCTYPE html><html><p>404</p></html>",
}


def test_every_file_that_is_only_named_has_a_case():
    assert list(NAMED) == [one.name for one in ELSEWHERE]


@pytest.mark.parametrize("known", ELSEWHERE, ids=lambda known: known.name)
def test_files_of_others_are_named_with_what_to_do(write, known):
    path = write(NAMED[known.name], "results.json")
    with pytest.raises(InputError) as raised:
        read(path)
    assert f"this is {known.name}; expected {known.instead}" in str(raised.value)


def test_no_example_is_taken_for_a_file_of_others():
    for one in readers.FORMATS:
        paths = readers.example(one.kind)
        for path in paths if isinstance(paths, tuple) else (paths,):
            source = readers.Source(path)
            assert not any(known.recognises(source) for known in ELSEWHERE), path


def test_a_folder_with_aggregated_results_only(write):
    path = write("{}", "run/model/results_2026.json")
    with pytest.raises(InputError, match=r"this is aggregated results of lm-eval.*--log_samples"):
        read(path.parents[1])


# --- Damage -------------------------------------------------------------------------------------

DAMAGED = [
    (readers.example("conllu")[0], {"gold": readers.example("conllu")[2]}),
    (readers.example("promptfoo"), {}),
    (HERE / "tiny.json", {}),
    (HERE / "tiny.jsonl", {}),
    (readers.example("swebench")[0], {}),
    (readers.example("votes"), {}),
]


def damaged(data, rng):
    """A file with some bytes changed, cut off, or a piece moved."""
    where = rng.randrange(len(data))
    kind = rng.randrange(4)
    if kind == 0:
        return data[:where]
    if kind == 1:
        return data[:where] + bytes([rng.randrange(256)]) + data[where + 1 :]
    if kind == 2:
        return data[:where] + data[where + rng.randrange(1, 200) :]
    return data[:where] + rng.choice([b"\t", b"\n", b'"', b",", b"null", b"\xff"]) + data[where:]


@pytest.mark.parametrize(("path", "options"), DAMAGED, ids=lambda value: getattr(value, "name", ""))
def test_damaged_files_are_read_or_refused_but_never_break(path, options, write):
    rng, data = random.Random(23), path.read_bytes()
    refused = 0
    for _ in range(60):
        broken = write(damaged(data, rng), f"mine{path.suffix}")
        try:
            for one in read(broken, **options):
                assert len(one) > 0 and np.isfinite(one.values).all()
        except (InputError, OSError) as error:
            refused += 1
            assert len(str(error)) < 2_000
    assert refused > 0
