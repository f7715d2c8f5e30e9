"""Readers of users' files: what they take, and what they refuse with file and line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from betterthan import readers, tags


@pytest.fixture
def write(tmp_path):
    def put(content, name="mine.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


TWO = "Ann B-PER B-PER\nleft O O\n\nBonn B-LOC O\n"


@pytest.mark.parametrize(
    "content",
    [
        TWO,
        TWO.replace(" ", "\t"),
        TWO.replace(" ", "   "),
        TWO.replace(" ", " \t"),
        TWO.replace("\n", "\r\n"),
        "\ufeff" + TWO,
        "\n\n" + TWO + "\n\n",
        TWO.rstrip("\n"),
        TWO.replace("\n\n", "\n \t \n"),
        "-DOCSTART- -X- O\n\n" + TWO,
    ],
)
def test_conll_in_all_its_dresses(write, content):
    data = readers.read_conll(write(content))
    assert data == {
        "word": [("Ann", "left"), ("Bonn",)],
        "gold": [("B-PER", "O"), ("B-LOC",)],
        "predicted": [("B-PER", "O"), ("O",)],
    }
    assert tags.count_spans(data["gold"], data["predicted"]).fn.tolist() == [0, 1]


def test_conll_columns_by_number_and_comments(write):
    path = write("# id = 1\nAnn NNP x B-PER\n#tag NN x O\n")
    data = readers.read_conll(path, {"gold": -1, "pos": 1}, comments="# ")
    assert data == {"gold": [("B-PER", "O")], "pos": [("NNP", "NN")]}


def test_conll_keeps_words_with_blanks_and_odd_line_separators(write):
    path = write("New York\tB-LOC\na\u2028b\tO\n\u00a0\tO\n")
    assert readers.read_conll(path, ("word", "gold"))["word"] == [
        ("New York", "a\u2028b", "\u00a0")
    ]


def test_conll_in_another_encoding(write):
    path = write("Köln B-LOC\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"mine.txt, line 1: the byte\(s\) f6 are not utf-8"):
        readers.read_conll(path, ("word", "gold"))
    assert readers.read_conll(path, ("word", "gold"), encoding="latin-1")["word"] == [("Köln",)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt: no rows"),
        ("\n\n", "mine.txt: no rows"),
        ("Ann B-PER B-PER\nleft O\nout O O\n", "mine.txt, line 2: expected 3 columns, found 2"),
        ("a O O\n\nb O O O\n", "mine.txt, line 3: expected 3 columns, found 4"),
        ("a O O\nb O", "mine.txt, line 2: the file ends in the middle of a row"),
        ("a\tO\tO\nb\t\tO\n", "mine.txt, line 2: column 2 is empty"),
        (b"a O O\nb O O\nc\xff O O\n", r"mine.txt, line 3: the byte\(s\) ff are not utf-8"),
        (TWO.encode("utf-16"), "mine.txt, line 1: the byte"),
    ],
)
def test_conll_refuses_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_conll(write(content))


def test_conll_refuses_a_column_that_is_not_there(write):
    with pytest.raises(ValueError, match=r"columns\['gold'\]=5: .* has 3 columns"):
        readers.read_conll(write(TWO), {"gold": 5})
    with pytest.raises(ValueError, match="encoding='utf-88'"):
        readers.read_conll(write(TWO), encoding="utf-88")


def test_every_cut_of_a_conll_file_inside_a_row_is_noticed_or_harmless(write):
    """A cut leaves whole rows, or the last row short: then it is refused."""
    full = "Ann B-PER B-PER\nleft O O\n"
    for end in range(1, len(full)):
        path = write(full[:end])
        last = full[:end].split("\n")[-1].split()
        if len(last) in (0, 3):
            assert readers.read_conll(path)["word"][0][0] == "Ann"
        else:
            with pytest.raises(ValueError, match=r"mine.txt, line [12]: .*(middle|columns)"):
                readers.read_conll(path)


def test_scores(write):
    path = write(
        '\ufeff# from table 2\r\ndataset,a,b\r\n\r\n"news, old",90.1,1e1\r\ntweets, 61 ,0\r\n'
    )
    frame = readers.read_scores(path)
    assert frame["dataset"].tolist() == ["news, old", "tweets"]
    assert frame[["a", "b"]].to_numpy().tolist() == [[90.1, 10.0], [61.0, 0.0]]
    other = write("run;x\n1;0.5\n")
    assert readers.read_scores(other, key="run", separator=";")["x"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt: no rows"),
        ("dataset,a\n", "mine.txt: no rows"),
        ("corpus,a\nx,1\n", "line 1: expected different column names, one of them 'dataset'"),
        ("dataset,a,a\nx,1,2\n", "line 1: expected different column names"),
        ("dataset\nx\n", "line 1: expected a column of scores"),
        ("dataset,a,b\nx,1,2\ny,1\n", "line 3: expected 3 columns, found 2"),
        ("dataset,a\nx,1\ny,n/a\n", "line 3: a='n/a': expected a finite number"),
        ("dataset,a\nx,\n", "line 2: a='': expected a finite number"),
        ("dataset,a\nx,nan\n", "line 2: a='nan'"),
        ("dataset,a\nx,inf\n", "line 2: a='inf'"),
        ("dataset,a\nx,1\nx,2\n", "line 3: dataset='x' comes twice, first in line 2"),
        ('dataset,a\nx,1\n"y,2\n', "line 3: .*is the file cut off"),
        (b"dataset,a\nx\xff,1\n", "line 2: the byte"),
    ],
)
def test_scores_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_scores(write(content))


def test_pvalues(write):
    frame = readers.read_pvalues(write("dataset,a,b,p\nnews,90,91,0.03\ntweets,61,60,1\n"))
    assert frame.columns.tolist() == ["dataset", "a", "b", "p"]
    assert frame["p"].tolist() == [0.03, 1.0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("dataset,p\nx,1.2\n", "line 2: p=1.2: expected a number from 0 to 1"),
        ("dataset,p\nx,-0.1\n", "line 2: p=-0.1"),
        ("dataset,q\nx,0.1\n", "line 1: expected the columns dataset, p"),
        ("dataset,a,b\nx,90,91\n", "scores without p-values: use read_scores"),
        ("dataset,p,note\nx,0.1,yes\n", "line 1: .*found dataset, p, note"),
        ("dataset,p\nx,<.001\n", "line 2: p='<.001': expected a finite number"),
    ],
)
def test_pvalues_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_pvalues(write(content))


def test_predictions_of_a_scikit_learn_classifier():
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0).fit(x, y)
    dummy = DummyClassifier().fit(x, y)
    frame = readers.from_predictions(y, tree=tree.predict(x), dummy=dummy.predict(x))
    assert frame.mean().to_dict() == {"tree": tree.score(x, y), "dummy": dummy.score(x, y)}


@pytest.mark.parametrize(
    ("gold", "predicted", "words"),
    [
        (["x"], {}, "expected at least one classifier"),
        (["x", "y"], {"a": ["x"]}, "gold has 2, a has 1"),
        ([0, 1], {"a": [[0, 1], [1, 0]]}, r"a: expected one class an item, got .*\(2, 2\)"),
        ([0.0, np.nan], {"a": [0, 1]}, r"gold\[1\] is missing"),
        ([], {"a": []}, "gold: expected one class an item"),
    ],
)
def test_predictions_refused(gold, predicted, words):
    with pytest.raises(ValueError, match=words):
        readers.from_predictions(gold, **predicted)


def sample(doc_id, *, filter="none", doc_hash="h", **metrics):
    """A record as lm-evaluation-harness 0.4 writes it."""
    return {
        "doc_id": doc_id,
        "doc": {"question": "?", "label": 1},
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


def test_lm_eval_folder_of_a_model(write, tmp_path):
    write(
        jsonl(sample(0, acc=1.0, acc_norm=0.0), sample(1, acc=0.0, acc_norm=1.0)),
        f"run/org__model/samples_arc_easy_{TIME}.jsonl",
    )
    write(
        jsonl(
            sample(0, filter="strict-match", exact_match=0.0),
            sample(0, filter="flexible-extract", exact_match=1.0),
        ),
        f"run/org__model/samples_gsm8k_{TIME}.jsonl",
    )
    write("{}", f"run/org__model/results_{TIME}.json")
    frame = readers.read_lm_eval(tmp_path / "run")
    assert len(frame) == 6
    assert frame["task"].unique().tolist() == ["arc_easy", "gsm8k"]
    scores = frame.groupby(["task", "filter", "metric"])["value"].mean().to_dict()
    assert scores == {
        ("arc_easy", "none", "acc"): 0.5,
        ("arc_easy", "none", "acc_norm"): 0.5,
        ("gsm8k", "strict-match", "exact_match"): 0.0,
        ("gsm8k", "flexible-extract", "exact_match"): 1.0,
    }


def test_lm_eval_leaves_out_metrics_in_parts_and_reads_older_logs(write):
    record = sample(0, bleu=["ref", "hyp"], acc=True)
    for name in ("metrics", "filter", "doc_hash"):
        del record[name]
    frame = readers.read_lm_eval([write(jsonl(record), "wmt.jsonl")])
    assert frame.to_dict("records") == [
        {
            "task": "wmt",
            "filter": "none",
            "doc_id": 0,
            "metric": "acc",
            "value": 1.0,
            "doc_hash": "",
        }
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no sample has a metric"),
        (jsonl(sample(0, bleu=["r", "h"])), "no sample has a metric"),
        (jsonl(sample(0, acc=1)) + '{"doc_id": 1, "ac', "line 2: not JSON .*cut off"),
        (jsonl(sample(0, acc=1), {"acc": 1.0}), "line 2: expected an object with a whole doc_id"),
        ("[1]\n", "line 1: expected an object"),
        (jsonl(sample(3, acc=1), sample(3, acc=0)), "line 2: doc_id=3 .* twice, first in line 1"),
    ],
)
def test_lm_eval_refuses_with_file_and_line(write, content, words):
    path = write(content, f"samples_arc_{TIME}.jsonl")
    with pytest.raises(ValueError, match=words) as raised:
        readers.read_lm_eval(path)
    assert path.name in str(raised.value)


def test_lm_eval_refuses_folders_without_samples_and_second_runs(write, tmp_path):
    with pytest.raises(ValueError, match="--log_samples"):
        readers.read_lm_eval(tmp_path)
    with pytest.raises(ValueError, match="--log_samples"):
        readers.read_lm_eval(tmp_path / "nowhere.jsonl")
    with pytest.raises(ValueError, match="at least one"):
        readers.read_lm_eval([])
    write(jsonl(sample(0, acc=1)), f"samples_arc_{TIME}.jsonl")
    write(jsonl(sample(0, acc=1)), "samples_arc_2025-02-01T00-00-00.5.jsonl")
    with pytest.raises(ValueError, match="a second run of the task 'arc'"):
        readers.read_lm_eval(tmp_path)


def frame_of(write, name, *records):
    return readers.read_lm_eval(write(jsonl(*records), f"{name}/samples_arc_{TIME}.jsonl"))


def test_pairs_match_documents_in_any_order(write, tmp_path):
    frame_of(write, "one", sample(0, acc=1.0), sample(1, acc=0.0), sample(2, acc=1.0))
    frame_of(write, "two", sample(2, acc=0.0), sample(0, acc=1.0), sample(1, acc=1.0))
    pairs = readers.pair_lm_eval(tmp_path / "one", tmp_path / "two", "acc")
    assert pairs.columns.tolist() == ["task", "doc_id", "a", "b"]
    assert pairs[["doc_id", "a", "b"]].to_numpy().tolist() == [[0, 1, 1], [1, 0, 1], [2, 1, 0]]


def test_pairs_are_refused_where_models_saw_other_documents(write):
    one = frame_of(write, "one", sample(0, acc=1.0), sample(1, acc=0.0))
    shorter = frame_of(write, "two", sample(0, acc=1.0))
    other = frame_of(write, "three", sample(0, acc=1.0), sample(1, acc=0.0, doc_hash="g"))
    with pytest.raises(ValueError, match=r"1 document.*doc_id=1 of 'arc', in a"):
        readers.pair_lm_eval(one, shorter, "acc")
    with pytest.raises(ValueError, match=r"1 document.*doc_id=1 of 'arc', in b"):
        readers.pair_lm_eval(shorter, one, "acc")
    with pytest.raises(ValueError, match=r"1 document\(s\) differ .*doc_id=1 of 'arc'"):
        readers.pair_lm_eval(one, other, "acc")
    with pytest.raises(ValueError, match="metric='f1': a has none of it; expected one of 'acc'"):
        readers.pair_lm_eval(one, one, "f1")
    with pytest.raises(ValueError, match="filter='x': a has none of it; expected one of 'none'"):
        readers.pair_lm_eval(one, one, "acc", filter="x")
    with pytest.raises(ValueError, match="b: expected what read_lm_eval gives; no column 'task'"):
        readers.pair_lm_eval(one, pd.DataFrame({"x": [1]}), "acc")
    with pytest.raises(ValueError, match="a: 'acc' of doc_id=0 of 'arc' is NaN"):
        readers.pair_lm_eval(one.assign(value=np.nan), one, "acc")


def test_pairs_ask_which_filter(write):
    both = frame_of(
        write,
        "one",
        sample(0, filter="strict-match", exact_match=0.0),
        sample(0, filter="flexible-extract", exact_match=1.0),
    )
    with pytest.raises(ValueError, match="several filters; expected one of 'flexible-extract', "):
        readers.pair_lm_eval(both, both, "exact_match")
    pairs = readers.pair_lm_eval(both, both, "exact_match", filter="flexible-extract")
    assert pairs[["a", "b"]].to_numpy().tolist() == [[1.0, 1.0]]
