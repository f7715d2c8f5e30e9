"""Logs of lm-evaluation-harness and of Inspect: metrics, filters, scorers, epochs, ids, damage."""

from __future__ import annotations

import bz2
import json
import math
import struct
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from betterthan import InputError, compare, compare_each, compare_many, read, readers, score
from betterthan.readers import inspect_ai

# --- lm-evaluation-harness ------------------------------------------------------------------


def sample(doc_id, *, filter="none", doc_hash="h", **metrics):
    """A record as lm-evaluation-harness 0.4 writes it."""
    return {
        "doc_id": doc_id,
        "doc": {"question": "?", "label": 1, "nothing": math.nan},
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": " yes"}},
        "resps": [[["-1.5", "False"]]],
        "filtered_resps": [["-1.5", "False"]],
        "filter": filter,
        "metrics": list(metrics),
        "doc_hash": f"{doc_hash}{doc_id}",
        "prompt_hash": "p",
        "target_hash": "t",
        **metrics,
    }


def jsonl(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


TIME = "2025-01-31T09-30-00.123456"


@pytest.fixture
def model(write):
    def put(name, **tasks):
        for task, records in tasks.items():
            path = write(jsonl(*records), f"{name}/org__model/samples_{task}_{TIME}.jsonl")
        write("{}", f"{name}/results_{TIME}.json")
        return path.parents[1]

    return put


def by_document(results):
    return dict(zip(results.ids.tolist(), results.values.tolist()))


def only(tasks, task):
    """The only model of a task."""
    [found] = tasks[task]
    return found


def test_every_task_of_a_folder_is_read_by_its_own_metric(model):
    """With "acc" alone the second would vanish, and the third be refused."""
    folder = model(
        "run",
        arc_easy=[sample(0, acc=1.0, acc_norm=0.0), sample(1, acc=0.0, acc_norm=1.0)],
        gsm8k=[sample(3, exact_match=1.0)],
        toxicity=[sample(0, score=0.25, bleu=["ref", "hyp"])],
    )
    found = readers.read_lm_eval(folder)
    assert {task: (x.quantity, by_document(x)) for task, (x,) in found.items()} == {
        "arc_easy": ("acc", {0: 1.0, 1: 0.0}),
        "gsm8k": ("exact_match", {3: 1.0}),
        "toxicity": ("score", {0: 0.25}),
    }
    mine = only(found, "gsm8k")
    assert mine.reading == ("task gsm8k", "metric exact_match")
    assert (mine.unit, mine.name) == ("document", "run")
    assert only(found, "arc_easy").reading[-1] == "the log also has acc_norm"
    again = readers.read_lm_eval(folder, metric={"arc_easy": "acc_norm"})
    assert only(again, "arc_easy").quantity == "acc_norm"
    assert only(again, "gsm8k").quantity == "exact_match"
    assert only(again, "arc_easy").reading == ("task arc_easy", "metric acc_norm")


def test_the_direction_of_a_metric_is_known_and_travels(model):
    """A Brier score that falls is no loss; it was one, once two Series stood in a frame."""
    old, new = (
        model(
            name,
            arc=[sample(i, acc=float(i % k > 0), acc_norm=1.0) for i in range(30)],
            mc=[sample(i, brier_score=0.1 * (i % k)) for i in range(30)],
        )
        for name, k in (("old", 5), ("new", 3))
    )
    tasks = readers.read_lm_eval(old, new)
    result = compare(*tasks["arc"])
    assert str(result).startswith("Mean acc is 0.8000 for old and 0.6667 for new.")
    assert result.higher_is_better
    pair = tasks["mc"]
    result = compare(*pair)
    assert str(result).startswith("Mean brier_score is 0.2000 for old and 0.1000 for new, lower is")
    assert result.higher_is_better is False and result.p_better > 0.9 and result.difference < 0
    assert compare(*pair, higher_is_better=True).p_better < 0.1
    many = compare_many(pair)
    assert many.ranks["name"][0] == "new" and "mean brier_score" in str(many)
    assert "lower is better" in str(many)
    assert score(pair[0]).metric == "mean brier_score"
    halves = [one.grouped(["a", "b"] * 15) for one in pair]
    assert all(not one.higher_is_better for one in compare_each(*halves).values())
    assert not pair[0][:10].higher_is_better


def test_a_metric_that_some_task_does_not_have_is_refused(model):
    folder = model("run", arc=[sample(0, acc=1.0)], gsm8k=[sample(0, exact_match=1.0)])
    words = r"gsm8k.*'gsm8k': metric 'acc' is not there; expected one of 'exact_match'; say metric="
    with pytest.raises(InputError, match=words):
        readers.read_lm_eval(folder, metric="acc")
    with pytest.raises(InputError, match=r"metric=\{'arx': 'acc'\}: .*tasks are arc, gsm8k"):
        readers.read_lm_eval(folder, metric={"arx": "acc"})
    with pytest.raises(InputError, match="metric=3: expected a name"):
        readers.read_lm_eval(folder, metric=3)


def test_of_several_unusual_metrics_one_must_be_named(model):
    folder = model("run", wmt=[sample(0, ter=1.0, chrf=2.0)])
    words = r"no metric was said; expected one of 'chrf', 'ter'; say metric=\{'wmt': 'chrf'\}"
    with pytest.raises(InputError, match=words):
        readers.read_lm_eval(folder)
    ter = only(readers.read_lm_eval(folder, metric="ter"), "wmt")
    assert ter.values.tolist() == [1.0] and ter.higher_is_better is False


def test_filters_are_asked_for_where_there_are_several(model):
    folder = model(
        "run",
        arc=[sample(0, acc=1.0)],
        gsm8k=[
            sample(0, filter="strict-match", exact_match=0.0),
            sample(0, filter="flexible-extract", exact_match=1.0),
        ],
    )
    words = "task 'gsm8k': no filter was said; expected one of 'flexible-extract', 'strict-match'"
    with pytest.raises(InputError, match=words):
        readers.read_lm_eval(folder)
    for asked in ("strict-match", {"gsm8k": "strict-match"}):
        found = readers.read_lm_eval(folder, filter=asked)
        mine = only(found, "gsm8k")
        assert mine.values.tolist() == [0.0] and "filter strict-match" in mine.reading
        assert only(found, "arc").values.tolist() == [1.0]
    with pytest.raises(InputError, match="task 'gsm8k': filter 'x' is not there"):
        readers.read_lm_eval(folder, filter="x")
    with pytest.raises(InputError, match=r"task 'arc': filter 'x' is not there; .*one of 'none'"):
        readers.read_lm_eval(folder, filter={"arc": "x", "gsm8k": "strict-match"})


def test_lm_eval_reads_older_logs_and_single_files(write):
    record = sample(0, bleu=["ref", "hyp"], acc=True)
    for name in ("metrics", "filter", "doc_hash"):
        del record[name]
    path = write(jsonl(record), "wmt.jsonl")
    for files in (path, str(path), [path]):
        assert by_document(only(readers.read_lm_eval(files), "wmt")) == {0: 1.0}


def test_pairs_match_documents_in_any_order(model):
    old = model("one", arc=[sample(0, acc=1.0), sample(1, acc=0.0), sample(2, acc=1.0)])
    new = model("two", arc=[sample(2, acc=0.0), sample(0, acc=1.0), sample(1, acc=1.0)])
    a, b = readers.read_lm_eval(old, new)["arc"]
    assert (a.ids.tolist(), a.values.tolist()) == ([0, 1, 2], [1, 0, 1])
    assert (b.ids.tolist(), b.values.tolist()) == ([0, 1, 2], [1, 1, 0])
    assert [one.name for one in (a, b)] == ["one", "two"]


def test_pairs_are_refused_where_models_saw_other_documents(model):
    two = model("two", arc=[sample(0, acc=1.0), sample(1, acc=0.0)])
    one = model("one", arc=[sample(0, acc=1.0)])
    other = model("other", arc=[sample(0, acc=1.0), sample(1, acc=0.0, doc_hash="g")])
    words = r"documents of 'arc': 1 only in some of the models: 1; .*say unmatched='drop'"
    with pytest.raises(InputError, match=words):
        readers.read_lm_eval(two, one)
    with pytest.warns(UserWarning, match="documents of 'arc': 1 only in some of .*: 1; left out"):
        a, b = readers.read_lm_eval(two, one, unmatched="drop")["arc"]
    assert (len(a), len(b)) == (1, 1)
    with pytest.raises(InputError, match=r"other.*arc.*doc_id=1 is another document than in .*two"):
        readers.read_lm_eval(two, other, unmatched="drop")
    with pytest.raises(InputError, match="unmatched='keep'"):
        readers.read_lm_eval(two, one, unmatched="keep")


def test_tasks_of_one_model_only_are_named(model):
    old = model("old", arc=[sample(0, acc=1.0)], boolq=[sample(0, acc=1.0)])
    new = model("new", arc=[sample(0, acc=1.0)], piqa=[sample(0, acc=1.0)])
    words = "tasks: 2 only in some of the models: boolq, piqa; expected all models on the same"
    with pytest.raises(InputError, match=words):
        readers.read_lm_eval(old, new)
    with pytest.warns(UserWarning, match="tasks: 2 only in some .*: boolq, piqa; left out") as w:
        assert list(readers.read_lm_eval(old, new, unmatched="drop")) == ["arc"]
    assert w[0].filename == __file__
    nothing = model("nothing", piqa=[sample(0, acc=1.0)])
    with pytest.raises(InputError, match=r"expected all models on the same$"):
        readers.read_lm_eval(old, nothing, unmatched="drop")


def test_both_models_are_read_by_one_metric_and_filter(model):
    old = model("old", arc=[sample(0, acc=1.0, acc_norm=0.0)])
    new = model("new", arc=[sample(0, acc_norm=1.0)])
    with pytest.raises(InputError, match=r"new.*task 'arc': metric 'acc' is not there"):
        readers.read_lm_eval(old, new)
    a, b = readers.read_lm_eval(old, new, metric="acc_norm")["arc"]
    assert (a.values.tolist(), b.values.tolist()) == ([0.0], [1.0])
    strict = model("strict", arc=[sample(0, filter="strict", acc=1.0)])
    with pytest.raises(InputError, match=r"strict.*task 'arc': filter 'none' is not there"):
        readers.read_lm_eval(old, strict)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no samples; expected a JSON object per line"),
        (jsonl(sample(0, bleu=["r", "h"])), "none that is a number"),
        (jsonl(sample(0, acc=1)) + '{"doc_id": 1, "ac', "line 2: not JSON .*cut off"),
        (jsonl(sample(0, acc=1), {"acc": 1.0}), "line 2: expected an object with a whole doc_id"),
        ("[1]\n", "line 1: expected an object"),
        ("null\n", "line 1: expected an object"),
        ('{"doc_id": true, "acc": 1}\n', "line 1: expected an object with a whole doc_id"),
        ('{"doc_id": 1.0, "acc": 1}\n', "line 1: expected an object with a whole doc_id"),
        ('{"doc_id": 99999999999999999999, "acc": 1}\n', "line 1: expected an object with a whole"),
        (jsonl(sample(3, acc=1), sample(3, acc=0)), "line 2: doc_id=3 .* twice, first in line 1"),
        (jsonl(sample(0, acc=1.0), sample(1, acc=math.inf)), "line 2: acc=inf; expected a finite"),
        (jsonl(sample(0, acc=math.nan)), "line 1: acc=nan; expected a finite number"),
        (
            jsonl(sample(0, acc=1.0), sample(1, acc="1")),
            "line 2: acc='1'; expected a finite number",
        ),
        (jsonl(sample(0, acc=1.0), sample(1, f1=1)), "line 2: acc=None; expected a finite number"),
        (jsonl(sample(0, acc=10**400)), "line 1: acc=1000000.*; expected a finite number"),
        ('{"doc_id": 1, "acc": 1e999}\n', "line 1: acc=inf"),
        (
            '{"doc_id": 1, "metrics": [[1]], "acc": 1}\n',
            r"line 1: metrics=\[\[1\]\]; expected names",
        ),
        ('{"doc_id": 1, "metrics": 7, "acc": 1}\n', "line 1: metrics=7; expected names"),
        ("[" * 100_000 + "\n", "line 1: not JSON"),
        ('{"doc_id": ' + "9" * 5000 + "}\n", "line 1: not JSON"),
        (b'{"doc_id": 0, "acc": 1}\n\xff\n', "line 2: the byte"),
    ],
)
def test_lm_eval_refuses_with_file_and_line(write, content, words):
    path = write(content, f"samples_arc_{TIME}.jsonl")
    with pytest.raises(InputError, match=words) as raised:
        readers.read_lm_eval(path)
    assert path.name in str(raised.value)


def test_lm_eval_refuses_folders_without_samples_and_second_runs(write, tmp_path):
    with pytest.raises(InputError, match="--log_samples"):
        readers.read_lm_eval(tmp_path)
    with pytest.raises(FileNotFoundError):
        readers.read_lm_eval(tmp_path / "nowhere.jsonl")
    for wrong in ([], 3, [3], {"old": "x"}):
        with pytest.raises(InputError, match=r"expected a folder, or a list of files|the path of"):
            readers.read_lm_eval(wrong)
    with pytest.raises(InputError, match="at least one folder or file"):
        readers.read_lm_eval()
    write(jsonl(sample(0, acc=1)), f"samples_arc_{TIME}.jsonl")
    write(jsonl(sample(0, acc=1)), "samples_arc_2025-02-01T00-00-00.5.jsonl")
    with pytest.raises(InputError, match="a second run of the task 'arc'"):
        readers.read_lm_eval(tmp_path)


def test_one_task_unpacks_and_of_several_one_is_asked_for(model):
    arc = [sample(i, acc=float(i % 2)) for i in range(6)]
    old, new = model("old", arc=arc), model("new", arc=arc)
    a, b = read(old, new)
    assert (a.name, b.name, len(a)) == ("old", "new", 6)
    old, new = model("old", arc=arc, boolq=arc), model("new", arc=arc, boolq=arc)
    with pytest.raises(InputError, match=r"2 tasks: arc, boolq; .*say task='arc'"):
        read(old, new)
    assert read(old, new, task="boolq")[0].reading[0] == "task boolq"
    with pytest.raises(InputError, match="task='piqa': expected one of arc, boolq"):
        read(old, new, task="piqa")


def test_lm_eval_on_logs_that_the_harness_wrote():
    """Only where the folder of today's data is; the harness 0.4.9 wrote these."""
    folder = Path(__file__).parents[3] / "shared" / "data" / "lm-eval"
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        pytest.skip("needs the logs of lm-evaluation-harness")
    with pytest.raises(InputError, match="a second run of the task"):
        readers.read_lm_eval(folder)
    first, second = files[::2], files[1::2]
    pairs = readers.read_lm_eval(first, second, filter="strict-match")
    assert len(pairs) == 4
    assert {a.quantity for a, _ in pairs.values()} == {"exact_match"}


# --- Inspect ------------------------------------------------------------------------------------


def header(status="success", task="toy"):
    return {"version": 2, "status": status, "eval": {"task": task, "model": "m"}}


def inspect_log(folder, name, samples, *, status="success", suffix=".json", task="toy"):
    """A log as Inspect writes it, as far as it is read; `samples` are (id, epoch, scores)."""
    listed = [{"id": i, "epoch": e, "scores": s} for i, e, s in samples]
    log = header(status, task)
    path = folder / f"{name}{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps(log | {"samples": listed}))
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(log))
        for one in listed:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
    return path


def graded(grades, epoch=1, scorer="match"):
    return [(i, epoch, {scorer: {"value": g}}) for i, g in enumerate(grades, 1)]


@pytest.mark.parametrize("suffix", [".json", ".eval"])
def test_inspect_grades_are_numbers_that_are_said(tmp_path, suffix):
    old = inspect_log(tmp_path, "old", graded("CIPNCICI"), suffix=suffix)
    new = inspect_log(tmp_path, "new", graded("CCPICCCI"), suffix=suffix)
    a, b = readers.read_inspect(old, new)["toy"]
    assert a.values.tolist() == [1, 0, 0.5, 0, 1, 0, 1, 0]
    result = compare(a, b)
    said = str(result)
    for note in ("Grades count C = 1, I = 0.", "Grade N counts 0.", "Grade P counts 0.5."):
        assert said.count(note) == 1  # though N stands in one log only
    assert result.difference == pytest.approx(2 / 8)
    # With `read`, one task unpacks.
    assert [one.values.tolist() for one in read(old, new)] == [a.values.tolist(), b.values.tolist()]


@pytest.mark.parametrize(("scorer", "higher"), [("WER", False), ("match", True)])
def test_inspect_knows_scorers_of_which_less_is_better(tmp_path, scorer, higher):
    logs = [
        inspect_log(tmp_path, name, graded(values, scorer=scorer))
        for name, values in (("old", [0.1, 0.5, 0.2]), ("new", [0.3, 0.6, 0.1]))
    ]
    assert [one.higher_is_better for one in read(*logs)] == [higher] * 2


def test_inspect_epochs_are_runs_and_ids_are_matched(tmp_path):
    first, second = graded([1.0, 0.0, 0.25]), graded([0.0, 0.0, 0.75], epoch=2)
    old = inspect_log(tmp_path, "old", first + second)
    new = inspect_log(tmp_path, "new", [("3", 1, {"match": {"value": True}}), *graded([1, 0])])
    runs, one = readers.read_inspect(old, new)["toy"]
    assert runs.n_runs == 2 and runs.values.tolist() == [[1, 0, 0.25], [0, 0, 0.75]]
    assert one.values.tolist() == [1, 0, 1] and one.ids.tolist() == ["1", "2", "3"]
    assert compare(runs, one).n_runs == (2, 1)
    with pytest.raises(InputError, match="epoch 2 has other samples"):
        readers.read_inspect(inspect_log(tmp_path, "odd", first + second[:2]))


def test_inspect_samples_without_a_score_are_never_dropped_in_silence(tmp_path):
    samples = [*graded("CIC"), (4, 1, None), (5, 1, {})]
    log = inspect_log(tmp_path, "log", samples)
    words = r"2 samples without a score, such as '4'.*say unscored='wrong' .*unscored='drop'"
    with pytest.raises(InputError, match=words):
        readers.read_inspect(log)
    wrong = only(readers.read_inspect(log, unscored="wrong"), "toy")
    assert wrong.values.tolist() == [1, 0, 1, 0, 0]
    assert "2 samples without a score counted as wrong." in str(score(wrong))
    dropped = only(readers.read_inspect(log, unscored="drop"), "toy")
    assert dropped.values.tolist() == [1, 0, 1]
    assert "2 samples without a score left out." in str(score(dropped))
    short = inspect_log(tmp_path, "one", samples[:4])
    one = only(readers.read_inspect(short, unscored="wrong"), "toy")
    assert "1 sample without a score counted as wrong." in str(score(one))
    with pytest.raises(InputError, match="none of the 2 samples of 'toy' has a score"):
        readers.read_inspect(inspect_log(tmp_path, "none", samples[3:]))
    with pytest.raises(InputError, match="unscored='zero'"):
        readers.read_inspect(log, unscored="zero")


def test_inspect_samples_that_one_model_lacks_are_named(tmp_path):
    old = inspect_log(tmp_path, "old", graded("CICC"))
    new = inspect_log(tmp_path, "new", graded("CIC"))
    with pytest.raises(InputError, match="samples of 'toy': 1 only in some of the models: 4"):
        readers.read_inspect(old, new)
    with pytest.warns(UserWarning, match="samples of 'toy': 1 only in some .*; left out"):
        a, b = readers.read_inspect(old, new, unmatched="drop")["toy"]
    assert len(a) == len(b) == 3


def test_inspect_scorers_must_be_chosen_where_there_are_several(tmp_path):
    both = {"match": {"value": "C"}, "rubric": {"value": {"style": 0.5, "facts": 1}}}
    log = inspect_log(tmp_path, "log", [(i, 1, both) for i in range(3)])
    with pytest.raises(InputError, match="'match', 'rubric/facts', 'rubric/style'; say scorer="):
        readers.read_inspect(log)
    style = only(readers.read_inspect(log, scorer="rubric/style"), "toy")
    assert style.values.tolist() == [0.5] * 3 and style.quantity == "rubric/style"
    match = only(readers.read_inspect(log, scorer={"toy": "match"}), "toy")
    assert match.values.tolist() == [1.0] * 3
    assert read(log, metric="match")[0].values.tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "cancelled"}, "did not finish .status 'cancelled'.*eval-retry"),
        ({"status": "error"}, "did not finish"),
        ({"samples": graded(["A", "C"])}, "the sample '1': 'A' is no grade and no finite number"),
        ({"samples": graded([[1, 2], "C"])}, r"the sample '1': \[1, 2\] is no grade"),
        ({"samples": graded("CC") + graded("C")}, "the sample '1' comes twice in epoch 1"),
        ({"samples": [(1, [2], {"match": {"value": 1}})]}, "expected a log of Inspect"),
        ({"samples": [(1, None, {"match": {"value": 1}})]}, "expected a log of Inspect"),
        ({"samples": [(1, {"a": 1}, {"match": {"value": 1}})]}, "expected a log of Inspect"),
    ],
)
def test_inspect_refuses(tmp_path, change, words):
    log = inspect_log(tmp_path, "log", **({"samples": graded("CIC")} | change))
    with pytest.raises(InputError, match=words):
        readers.read_inspect(log)


def test_inspect_refuses_what_is_no_log(tmp_path):
    plain = tmp_path / "x.json"
    plain.write_text("[1, 2]")
    with pytest.raises(InputError, match=r"x\.json: expected a log of Inspect"):
        readers.read_inspect(plain)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match=r"expected logs of Inspect, \.eval or \.json"):
        readers.read_inspect(empty)
    with zipfile.ZipFile(tmp_path / "y.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(InputError, match="the log has no header"):
        readers.read_inspect(tmp_path / "y.eval")
    two = [inspect_log(tmp_path, name, graded("CI")) for name in "ab"]
    with pytest.raises(InputError, match="a second run of the task 'toy'"):
        readers.read_inspect(two)
    with pytest.raises(InputError, match="at least one log"):
        readers.read_inspect()


def test_inspect_names_the_remedy_for_zstd(tmp_path, monkeypatch):
    log = inspect_log(tmp_path, "log", graded("CI"), suffix=".eval")

    def cannot(self, *arguments, **options):
        raise NotImplementedError("That compression method is not supported")

    monkeypatch.setattr(zipfile.ZipFile, "open", cannot)
    words = r"compressed with zstd.* 3\.14 .*betterthan\[inspect\].*inspect log convert"
    with pytest.raises(InputError, match=words):
        readers.read_inspect(log)


# --- Logs that are damaged, encrypted or too large ----------------------------------------------


def packed(path, method=zipfile.ZIP_DEFLATED, summaries=None):
    """A log with summaries, packed in some way."""
    samples = [{"id": i, "epoch": 1, "scores": {"match": {"value": "C"}}} for i in range(200)]
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", json.dumps(header()))
        archive.writestr("summaries.json", summaries or json.dumps(samples))
    return path


def test_an_encrypted_log_is_refused(tmp_path):
    path = packed(tmp_path / "locked.eval", zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := data.find(signature, start)) >= 0:
            data[start + offset] |= 1  # the flag that says: encrypted
            start += 4
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"locked\.eval: not readable .*(?:encrypted|password)"):
        readers.read_inspect(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_log_damaged_anywhere_is_refused_and_named(tmp_path, method):
    whole = packed(tmp_path / "whole.eval", method).read_bytes()
    assert len(only(readers.read_inspect(tmp_path / "whole.eval"), "toy")) == 200
    rng = np.random.default_rng(5)
    path = tmp_path / "damaged.eval"
    refused = 0
    for place in rng.integers(4, len(whole), 60):
        data = bytearray(whole)
        data[place] ^= int(rng.integers(1, 256))
        path.write_bytes(bytes(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = readers.read_inspect(path)
            except InputError as error:
                assert "damaged.eval" in str(error)
                refused += 1
            else:  # a date or a comment: nothing that is read
                assert len(only(found, "toy")) == 200
    assert refused > 20
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"damaged\.eval: not readable .*cut off"):
        readers.read_inspect(path)


def test_a_bomb_is_counted_by_what_it_unpacks_to(tmp_path, monkeypatch):
    """bzip2 packs a gigabyte into a kilobyte, and a log may declare any size."""
    monkeypatch.setattr(inspect_ai, "MOST_BYTES", 1_000_000)
    path = packed(tmp_path / "bomb.eval", zipfile.ZIP_BZIP2, "[" + " " * 30_000_000 + "]")
    assert path.stat().st_size < 5_000
    data = bytearray(path.read_bytes())
    # The size it declares, in the directory: ten bytes.
    place = data.rindex(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    path.write_bytes(bytes(data))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"bomb\.eval: '.*' unpacks to more than 10 bytes"):
        readers.read_inspect(path)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000  # of thirty that are in it
    tracemalloc.stop()
    honest = packed(tmp_path / "honest.eval", zipfile.ZIP_BZIP2, "[" + " " * 30_000_000 + "]")
    with pytest.raises(InputError, match=r"honest\.eval: .* unpacks to more than"):
        readers.read_inspect(honest)
    assert len(bz2.compress(b" " * 30_000_000)) < 5_000


def test_bytes_that_are_not_utf_8_in_a_log_name_the_file(tmp_path):
    path = packed(tmp_path / "odd.eval", summaries=b'[\n{"id": "\xff"}]')
    words = r"odd\.eval, summaries\.json, line 2: the byte\(s\) ff are not utf-8"
    with pytest.raises(InputError, match=words):
        readers.read_inspect(path)


def test_a_lone_surrogate_is_an_id_like_any_other(tmp_path):
    """JSON can write half a character; it must not stop what prints the result."""
    samples = [(f"a\ud800{i}", 1, {"match": {"value": i % 2}}) for i in range(12)]
    old = inspect_log(tmp_path, "old", samples)
    new = inspect_log(tmp_path, "new", [(i, e, {"match": {"value": 1}}) for i, e, _ in samples])
    result = compare(*read(old, new))
    assert result.n_units == 12
    assert "\ud800" in result.disagreements()["sample"].iloc[0]
