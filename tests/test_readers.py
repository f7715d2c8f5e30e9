"""Readers of users' files: what they take, and what they refuse with file and line."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from betterthan import compare, compare_many, confidence, readers, score
from betterthan.__main__ import main
from betterthan.counts import Counts, convert, count_spans
from betterthan.ranking import average_precision_per_query
from press import cookbook


@pytest.fixture
def write(tmp_path):
    def put(content, name="mine.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


# --- Examples -------------------------------------------------------------------------------

READ = {
    "candidates": readers.read_candidates,
    "conll": readers.read_conll,
    "datasets": readers.read_scores,
    "folds": readers.read_folds,
    "inspect": readers.read_inspect,
    "lm_eval": readers.read_lm_eval,
    "predictions": readers.read_predictions,
    "probabilities": readers.read_probabilities,
    "pvalues": readers.read_pvalues,
    "scores": readers.read_scores,
    "translations": lambda *paths: readers.read_translations(*paths, paths[0]),
    "trec": readers.read_trec,
    "words": lambda *paths: [readers.read_words(path) for path in paths],
}


@pytest.mark.parametrize("kind", sorted(READ))
def test_every_example_is_there_small_and_read_without_more_said(kind, recwarn):
    paths = readers.example(kind)
    several = paths if isinstance(paths, tuple) else (paths,)
    for path in several:
        for file in path.rglob("*") if path.is_dir() else [path]:
            assert 0 < file.stat().st_size < 30_000
            assert file.suffix == ".eval" or b"\r" not in file.read_bytes()
    assert len(READ[kind](*several)) > 0
    assert not recwarn


def test_there_is_no_example_without_a_reader():
    with pytest.raises(ValueError, match="kind='xml': expected one of") as raised:
        readers.example("xml")
    listed = re.findall(r"'(\w+)'", str(raised.value).partition("expected")[2])
    assert sorted(listed) == sorted(READ)
    known = {name for name in readers.__all__ if name.startswith("read_")} - {"read_columns"}
    assert known == {
        "read_words",
        *(f"read_{kind}" for kind in READ if kind not in ("datasets", "words")),
    }


def test_the_examples_go_into_the_wheel():
    root = Path(__file__).parents[1]
    build = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert "lib/betterthan" in wheel["only-include"]
    folder = root / "lib" / "betterthan" / "examples"
    files = {path.relative_to(root).as_posix() for path in folder.rglob("*") if path.is_file()}
    excluded = set(build.get("exclude", [])) | set(wheel.get("exclude", []))
    assert files
    assert not any(part in file for part in excluded for file in files)
    ignored = subprocess.run(
        ["git", "check-ignore", *sorted(files)], cwd=root, capture_output=True, text=True
    )
    assert ignored.stdout == ""


def test_the_old_system_comes_first():
    assert [path.stem for path in readers.example("conll")] == ["old", "new"]
    assert [path.name for path in readers.example("lm_eval")] == ["old", "new"]
    assert [path.stem for path in readers.example("trec")] == ["old", "new", "judgements"]
    words = [path.stem for path in readers.example("words")]
    assert words == ["gold", "old", "new", *(f"judge{n:02d}" for n in range(1, 11))]


# --- CoNLL columns --------------------------------------------------------------------------

TWO = "Ann B-PER B-PER\nleft O O\n\nBonn B-LOC O\n"
DRESSES = [
    TWO,
    TWO.replace(" ", "\t"),
    TWO.replace(" ", "   "),
    TWO.replace(" ", " \t"),
    TWO.replace("\n", "\r\n"),
    TWO.replace("\n", "\r"),
    "\ufeff" + TWO,
    "\n\n" + TWO + "\n\n",
    TWO.rstrip("\n"),
    TWO.replace("\n\n", "\n \t \n"),
    "-DOCSTART- -X- O\n\n" + TWO,
    TWO.replace("\n\n", "\n-DOCSTART- O O\n"),
]


@pytest.mark.parametrize("content", DRESSES)
def test_conll_in_all_its_dresses(write, content):
    path = write(content)
    assert readers.read_columns(path) == {
        "word": [("Ann", "left"), ("Bonn",)],
        "gold": [("B-PER", "O"), ("B-LOC",)],
        "predicted": [("B-PER", "O"), ("O",)],
    }
    counts = readers.read_conll(path)
    assert (counts.tp.tolist(), counts.fp.tolist(), counts.fn.tolist()) == ([1, 0], [0, 0], [0, 1])
    assert counts.unit == "sentence"


def test_columns_by_number_and_comments(write):
    path = write("# id = 1\nAnn NNP x B-PER\n# between\n#tag NN x O\n")
    data = readers.read_columns(path, {"gold": -1, "pos": 1}, comments="# ")
    assert data == {"gold": [("B-PER", "O")], "pos": [("NNP", "NN")]}


def test_columns_keep_words_with_blanks_and_odd_line_separators(write):
    path = write("New York\tB-LOC\na\u2028b\tO\n\u00a0\tO\nx\ry\tO\n")
    assert readers.read_columns(path, ("word", "gold"))["word"] == [
        ("New York", "a\u2028b", "\u00a0", "x\ry")
    ]


def test_columns_in_another_encoding(write):
    path = write("Köln B-LOC\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"mine.txt, line 1: the byte\(s\) f6 are not utf-8"):
        readers.read_columns(path, ("word", "gold"))
    assert readers.read_columns(path, ("word", "gold"), encoding="latin-1")["word"] == [("Köln",)]


@pytest.mark.parametrize("read", [readers.read_columns, readers.read_conll])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt: no rows"),
        ("\n\n", "mine.txt: no rows"),
        ("Ann B-PER B-PER\nleft O\nout O O\n", "mine.txt, line 2: expected 3 columns, found 2"),
        ("a O O\n\nb O O O\n", "mine.txt, line 3: expected 3 columns, found 4"),
        ("a O O\nb O", "mine.txt, line 2: expected 3 columns, found 2: 'b O'; is the file cut off"),
        ("a\tO\tO\nb\t\tO\n", "mine.txt, line 2: column 2 is empty"),
        (b"a O O\nb O O\nc\xff O O\n", r"mine.txt, line 3: the byte\(s\) ff are not utf-8"),
        (b"a O O\rb O O\rc\xff O O\r", r"mine.txt, line 3: the byte\(s\) ff are not utf-8"),
        (TWO.encode("utf-16"), "mine.txt, line 1: the byte"),
    ],
)
def test_columns_are_refused_with_file_and_line(write, read, content, words):
    with pytest.raises(ValueError, match=words):
        read(write(content))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"gold": 5}, r"columns\['gold'\]=5: .* has 3 columns; expected a number from -3 to 2"),
        ({"gold": -4}, r"columns\['gold'\]=-4"),
        ({"w": "0"}, r"columns\['w'\]='0'"),
        ({"w": True}, r"columns\['w'\]=True"),
        ({"w": 0.0}, r"columns\['w'\]=0.0"),
        ({"gold": 1, "again": -2}, r"columns\['again'\]=-2: .*each once"),
        (("word", "word", "gold"), "columns=.*expected different names"),
        ("abc", "columns='abc': expected different names, or a mapping"),
        (3, "columns=3"),
    ],
)
def test_columns_that_are_not_there(write, columns, words):
    with pytest.raises(ValueError, match=words):
        readers.read_columns(write(TWO), columns)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"encoding": "utf-88"}, "encoding='utf-88'"),
        ({"encoding": None}, "encoding=None"),
        ({"encoding": "hex"}, "encoding='hex'"),
        ({"separator": ""}, "separator=''"),
        ({"separator": 1}, "separator=1"),
        ({"comments": ""}, "comments=''"),
    ],
)
def test_layouts_that_cannot_be(write, options, words):
    for read in (readers.read_columns, readers.read_conll):
        with pytest.raises(ValueError, match=words):
            read(write(TWO), **options)


def test_every_cut_of_a_conll_file_inside_a_row_is_noticed_or_harmless(write):
    """A cut leaves whole rows, or the last row short: then it is refused."""
    full = "Ann B-PER B-PER\nleft O O\n"
    for end in range(1, len(full)):
        path = write(full[:end])
        last = full[:end].split("\n")[-1].split()
        if len(last) in (0, 3):
            assert readers.read_columns(path)["word"][0][0] == "Ann"
        else:
            with pytest.raises(ValueError, match=r"mine.txt, line [12]: .*columns"):
                readers.read_columns(path)


def test_conll_of_several_systems(write):
    old = write(TWO, "old")
    new = write(TWO.replace("B-LOC O", "B-LOC B-LOC"), "new")
    found = readers.read_conll(old, new, old)
    assert [counts.f1 for counts in found] == [pytest.approx(2 / 3), 1.0, pytest.approx(2 / 3)]
    assert found[0].groups is None


def test_conll_takes_the_last_two_columns(write):
    wide = "\n".join(
        f"{line} x".replace(" ", " NN ", 1) if line else "" for line in TWO.split("\n")
    )
    path = write(wide.replace(" x", ""))
    assert readers.read_conll(path) == readers.read_conll(write(TWO, "narrow"))
    where = {"word": 0, "gold": 2, "predicted": 3}
    assert readers.read_conll(path, columns=where) == readers.read_conll(path)


def test_conll_with_the_gold_standard_apart(write):
    gold = write("Ann B-PER\nleft O\n\nBonn B-LOC\n", "gold")
    old = write("Ann B-PER\nleft O\n\nBonn O\n", "old")
    new = write("Ann NNP B-PER\nleft VBD O\n\nBonn NNP B-LOC\n", "new")
    together = readers.read_conll(write(TWO))
    assert readers.read_conll(old, gold=gold) == together
    a, b = readers.read_conll(old, new, gold=gold)
    assert a == together
    assert b.f1 == 1
    assert readers.read_conll(gold, gold=gold).f1 == 1
    with pytest.raises(ValueError, match=r"old has 2 columns.*gold="):
        readers.read_conll(old)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (TWO.replace("left", "went"), "new, line 2: 'went O', but 'left O' in .*old, line 2"),
        (TWO.replace("B-LOC O", "I-ORG O"), "new, line 4: 'Bonn I-ORG', but 'Bonn B-LOC'"),
        (TWO + "\nmore O O\n", "new, line 6: 'more O', but 'the end of the file' in .*old;"),
        ("Ann B-PER B-PER\nleft O O\n", "new: 'the end of the file', but 'Bonn B-LOC' in .*line 4"),
        (TWO.replace("\n\n", "\n"), "line 3: 'Bonn B-LOC', but 'the end of a sentence' .*line 3"),
        ("Ann B-PER O\n\nleft O O\n\nBonn B-LOC O\n", "line 2: 'the end of a sentence', but"),
    ],
)
def test_conll_files_must_have_the_same_sentences(write, other, words):
    with pytest.raises(ValueError, match=words):
        readers.read_conll(write(TWO, "old"), write(other, "new"))


def test_words_that_a_system_changed_are_left_alone_where_asked(write):
    old, new = write(TWO, "old"), write(TWO.replace("left", "LEFT"), "new")
    where = {"gold": 1, "predicted": 2}
    assert len(readers.read_conll(old, new, columns=where)) == 2
    with pytest.raises(ValueError, match=r"new, line 2: 'the end of a sentence', but 'O'"):
        readers.read_conll(
            old, write("Ann B-PER B-PER\n\nleft O O\nBonn B-LOC O\n", "new"), columns=where
        )


def test_conll_documents_are_groups(write):
    start = "-DOCSTART- -X- O\n\n"
    text = start + TWO + "\n" + start + TWO
    counts = readers.read_conll(write(text))
    assert counts.groups.tolist() == [1, 1, 2, 2]
    assert readers.read_conll(write(start + TWO)).groups is None
    assert readers.read_conll(write(text), groups=list("wxyz")).groups.tolist() == list("wxyz")
    with pytest.raises(ValueError, match=r"groups: expected one label per unit \(4\)"):
        readers.read_conll(write(text), groups=[1, 2])
    plain = write(TWO + "\n" + TWO, "plain")
    both = readers.read_conll(plain, write(text))
    assert [part.groups.tolist() for part in both] == [[1, 1, 2, 2]] * 2
    other = write(start + TWO + "\n" + TWO.replace("\n\n", "\n\n" + start), "other")
    with pytest.raises(ValueError, match="-DOCSTART- lines differ; say groups="):
        readers.read_conll(write(text), other)
    assert len(readers.read_conll(write(text), other, groups=[1, 1, 2, 2])) == 2


def test_conll_documents_of_a_gold_standard_apart(write):
    gold = write("-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\nb O\n", "gold")
    assert readers.read_conll(write("a B-X\n\nb O\n"), gold=gold).groups.tolist() == [1, 2]


@pytest.mark.parametrize("scheme", ["IO", "IOB1", "IOB2", "IOBES", "BMES", "BB2B3MES", "BILOU"])
def test_conll_finds_the_scheme_or_is_told(write, scheme):
    gold, given = ("B-A", "I-A", "I-A", "O", "B-B", "O"), ("B-A", "I-A", "I-A", "O", "O", "B-B")
    target = "IOBES" if scheme == "BILOU" else scheme
    tags = [convert(x, "IOB2", target) for x in (gold, given)]
    if scheme == "BILOU":
        tags = [[tag.replace("E-", "L-").replace("S-", "U-") for tag in x] for x in tags]
    path = write("".join(f"w {a} {b}\n" for a, b in zip(*tags)))
    expected = count_spans([gold], [given])
    assert readers.read_conll(path) == readers.read_conll(path, scheme=scheme) == expected


@seed(0)
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.data(),
    prefixes=st.sampled_from([["B", "I"], ["B", "I", "E", "S"], ["B", "M", "E", "S"]]),
)
def test_conll_reads_broken_tags_by_the_rule_of_counts(write, data, prefixes):
    tag = st.builds("{}-{}".format, st.sampled_from(prefixes), st.sampled_from("XY"))
    rows = st.lists(st.tuples(tag | st.just("O"), tag | st.just("O")), min_size=1, max_size=9)
    gold, given_tags = zip(*data.draw(rows))
    scheme = {2: "IOB2"}.get(len(prefixes), "IOBES" if "I" in prefixes else "BMES")
    path = write("".join(f"w {a} {b}\n" for a, b in zip(gold, given_tags)))
    assert readers.read_conll(path) == count_spans([gold], [given_tags], scheme)


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("the DT DT\n", {}, "line 1: the gold tag 'DT': .*scheme='plain'"),
        ("a O O\nb B-X X\n", {}, "line 2: the predicted tag 'X': expected O, or B, I, "),
        (
            "a B-X E-X\n",
            {"scheme": "IOB2"},
            "line 1: the predicted tag 'E-X': expected O, or B, I ",
        ),
        ("a O O\n", {"scheme": "XML"}, "scheme='XML': expected one of 'IO'"),
        ("a O O\n", {"columns": {"word": 0}}, "columns=.*expected the numbers of gold and pred"),
        ("a O O\n", {"columns": ["word"]}, "columns="),
    ],
)
def test_conll_refuses_tags_that_are_no_spans(write, content, options, words):
    with pytest.raises(ValueError, match=words):
        readers.read_conll(write(content), **options)


def test_conll_of_nothing(write, tmp_path):
    with pytest.raises(ValueError, match="at least one file"):
        readers.read_conll()
    with pytest.raises(FileNotFoundError):
        readers.read_conll(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="path=3: expected the path of a file"):
        readers.read_conll(3)


# --- CSV of scores --------------------------------------------------------------------------


def test_scores(write):
    path = write(
        '\ufeff# from table 2\r\ndataset,a,b\r\n\r\n"news, old",90.1,1e1\r\ntweets, 61 ,0\r\n'
    )
    frame = readers.read_scores(path)
    assert frame.index.tolist() == ["news, old", "tweets"]
    assert frame.index.name == "dataset"
    assert frame[["a", "b"]].to_numpy().tolist() == [[90.1, 10.0], [61.0, 0.0]]
    other = write("x;run\n0.5;one\n")
    assert readers.read_scores(other, key="run", separator=";")["x"].to_dict() == {"one": 0.5}


@pytest.mark.parametrize(
    ("header", "rows", "names"),
    [
        ("dataset,a", ["1,2", "7,3"], ["1", "7"]),
        (",a", ["0,2", "5,3"], ["0", "5"]),
        ("Item,a", ["4,2"], ["4"]),
        ("corpus,a", ["x,2", "7,3"], ["x", "7"]),
        ("n,a", ["0,2", "1,3", "2,3"], ["0", "1", "2"]),
        ("n,a", ["1,2", "2,3", "3,3"], ["1", "2", "3"]),
    ],
)
def test_a_first_column_that_names_the_rows(write, header, rows, names):
    frame = readers.read_scores(write("\n".join([header, *rows])))
    assert frame.index.tolist() == names
    assert frame.columns.tolist() == ["a"]


def test_without_names_all_columns_are_systems(write):
    frame = readers.read_scores(write("old,new\n0.5,0.6\n0.5,0.4\n"))
    assert frame.columns.tolist() == ["old", "new"]
    assert frame.index.tolist() == [0, 1]
    assert readers.read_scores(write("a,b\n1,0\n1,1\n"), key=None).shape == (2, 2)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt: no rows"),
        ("dataset,a\n", "mine.txt: no rows"),
        ("dataset,a,a\nx,1,2\n", "line 1: expected different column names: 'dataset, a, a'"),
        ("dataset,a,\nx,1,2\n", "line 1: expected different column names"),
        ("0.15,0.84\n0.2,0.9\n", "line 1: expected column names, found numbers: '0.15, 0.84'"),
        ("dataset\nx\n", "expected a column of scores beside dataset"),
        ("dataset,a,b\nx,1,2\ny,1\n", "line 3: expected 3 columns, one per name, found 2: 'y, 1'"),
        ("a,b\nx,1,2\n", r"line 2: expected 2 columns.*\(R's write.table.*found 3"),
        ("dataset,a\nx,1\ny,n/a\n", "line 3: a='n/a': expected a finite number"),
        ("dataset,a\nx,\n", "line 2: a='': expected a finite number"),
        ("dataset,a\nx,nan\n", "line 2: a='nan'"),
        ("dataset,a\nx,inf\n", "line 2: a='inf'"),
        ("dataset,a\nx,Infinity\n", "line 2: a='Infinity'"),
        ("dataset,a\nx,0_1\n", "line 2: a='0_1'"),
        ("dataset,a\nx,1e999\n", "line 2: a='1e999'"),
        ("dataset,a\nx,\u0663\n", "line 2: a='\u0663'"),
        ("dataset,a\nx,91%\n", "line 2: a='91%'"),
        ("dataset,a\nx,1\nx,2\n", "line 3: dataset='x' comes twice, first in line 2"),
        ("dataset,a\nx,1\n,2\n", "line 3: dataset='': expected a name in every row"),
        ("dataset,a\nx,1\n#y,2\n#y,3\n", "line 4: dataset='#y' comes twice"),
        ('dataset,a\nx,1\n"y,2\n', "line 3: .*is the file cut off"),
        ('dataset,a\n\n"x\ny",1\n\n"z\n\nw",b\n', "line 6: a='b'"),
        (b"dataset,a\nx\xff,1\n", "line 2: the byte"),
        ("dataset;a\nx;1\n", "expected a column of scores beside dataset;a"),
    ],
)
def test_scores_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_scores(write(content))


@pytest.mark.parametrize("separator", ["", ",,", None, 3, "\n"])
def test_a_separator_is_one_character(write, separator):
    with pytest.raises(ValueError, match=r"separator=.*expected one character"):
        readers.read_scores(write("dataset,a\nx,1\n"), separator=separator)


def test_a_key_that_is_not_there(write):
    with pytest.raises(ValueError, match="no column 'run'; found dataset, a"):
        readers.read_scores(write("dataset,a\nx,1\n"), key="run")
    with pytest.raises(ValueError, match=r"no column \['a'\]"):
        readers.read_scores(write("dataset,a\nx,1\n"), key=["a"])


# --- p-values -------------------------------------------------------------------------------


def test_pvalues(write):
    frame = readers.read_pvalues(write("dataset,a,b,p\nnews,90,91,0.03\ntweets,61,60,1\n"))
    assert frame.columns.tolist() == ["dataset", "p", "a", "b"]
    assert frame["p"].tolist() == [0.03, 1.0]
    said = write("dataset,p,alternative,a,b\nx,.1,two-sided,1,2\ny,.1,greater,1,2\n")
    assert readers.read_pvalues(said)["alternative"].tolist() == ["two-sided", "greater"]
    for name in readers.P_COLUMNS:
        assert readers.read_pvalues(write(f"dataset,{name}\nnews,0.03\n"))["p"].tolist() == [0.03]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("dataset,p\nx,1.2\n", "line 2: p='1.2': expected a number above 0 and at most 1"),
        ("dataset,p\nx,-0.1\n", "line 2: p='-0.1'"),
        ("dataset,p\nx,0.5\ny,0\n", r"line 3: p='0': .*no test gives exactly 0.*1/\(n_resamples"),
        ("dataset,p\nx,0_1\n", "line 2: p='0_1'"),
        ("dataset,q\nx,0.1\n", "expected the columns dataset, p"),
        ("dataset,a,b\nx,90,91\n", "scores without p-values: use read_scores"),
        ("dataset,p,a\nx,0.1,2\n", "a with b"),
        ("dataset,p,note\nx,0.1,yes\n", "found dataset, p, note"),
        ("dataset,p,pvalue\nx,0.1,0.1\n", "found dataset, p, pvalue"),
        ("dataset,p\nx,<.001\n", "line 2: p='<.001': expected a number"),
        ("dataset,p\nx,.1\nx,.2\n", "line 3: dataset='x' comes twice"),
        ("dataset,p,alternative\nx,.1,two-sided\n", "line 2: alternative='two-sided': .*a and b"),
        ("dataset,p,alternative,a,b\nx,.1,less,1,2\n", "line 2: alternative='less': expected grea"),
    ],
)
def test_pvalues_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_pvalues(write(content))


# --- Predictions ----------------------------------------------------------------------------

CLASSES = "id,shop,gold,old,new\n1,s,x,x,x\n2,s,y,x,y\n3,t,y,y,z\n"


def test_predictions(write):
    path = write(CLASSES)
    found = readers.read_predictions(path, group="shop", key="id")
    assert list(found) == ["old", "new"]
    # x, y and z, for both systems, though old never says z.
    assert {name: counts.tp.shape for name, counts in found.items()} == {
        "old": (3, 3),
        "new": (3, 3),
    }
    assert found["new"].fp.tolist()[2] == [0, 0, 1]
    assert [counts.f1 for counts in found.values()] == [pytest.approx(2 / 3)] * 2
    assert found["old"].unit == "item"
    assert found["old"].groups.tolist() == ["s", "s", "t"]


def test_a_column_called_group_is_taken(write):
    found = readers.read_predictions(write("gold,a,group\nx,x,1\ny,x,2\n"))
    assert list(found) == ["a"]
    assert found["a"].groups.tolist() == ["1", "2"]
    assert readers.read_predictions(write("gold,a\nx,x\n"))["a"].groups is None


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (CLASSES, {}, "no value of the column 'shop' is a class such as 'x'.*key= or group="),
        (CLASSES, {"gold": "right"}, "no column 'right'; found id, shop, gold, old, new"),
        (CLASSES, {"group": "town"}, "no column 'town'"),
        (CLASSES, {"key": "shop"}, "line 3: shop='s' comes twice"),
        ("gold\nx\n", {}, "one column per system; found 0 columns"),
        ("gold,a\nx,\n", {}, "line 2: a='': expected a value in every row"),
        ("gold,a\nx,x\n,x\n", {}, "line 3: gold='': expected a value"),
        ("gold;a\nx;x\n", {}, "no column 'gold'; found gold;a; is the separator another"),
        (
            "gold,a\n" + "".join(f"c{i},c{i}\n" for i in range(1001)),
            {},
            "1,001 classes; .*write 1 for right and 0 for wrong and use read_scores",
        ),
    ],
)
def test_predictions_refuse_with_file_and_line(write, content, options, words):
    with pytest.raises(ValueError, match=words):
        readers.read_predictions(write(content), **options)


def classes(items, wrong=(), head="id,gold,mine", names="r{}"):
    rows = [(names.format(i), "xyz"[i % 3], "xyz"[(i + (i in wrong)) % 3]) for i in items]
    return "\n".join([head, *map(",".join, rows)]) + "\n"


def test_predictions_of_two_files_are_matched_by_id(write):
    mixed = np.random.default_rng(0).permutation(60)
    old = write(classes(range(60), wrong=range(0, 30, 2)), "old.csv")
    for head in ("id,gold,mine", "gold,mine,id"):
        text = classes(mixed, wrong=range(8)).splitlines()[1:]
        if head[0] == "g":
            text = [",".join([*row.split(",")[1:], row.split(",")[0]]) for row in text]
        new = write("\n".join([head, *text]), "new.csv")
        systems = readers.read_predictions(old, new)
        assert list(systems) == ["old", "new"]  # both columns are called mine
        result = compare(*systems.values())
        straight = write(classes(range(60), wrong=range(8)), "straight.csv")
        assert result.pvalue == compare(*readers.read_predictions(old, straight).values()).pvalue
        assert str(result).startswith("Accuracy is 0.7500 for A and 0.8667 for B")
        assert compare(*systems.values(), "macro_f1").n_units == 60
        first = result.disagreements().iloc[0]
        assert first["item"].startswith("r") and int(first["item"][1:]) < 30


def test_predictions_of_two_files_that_do_not_match_are_refused(write):
    old, n = write(classes(range(9)), "old.csv"), write(classes(range(1, 9)), "n.csv")
    other = readers.read_predictions(old, write(classes(range(9), names="z{}"), "z.csv"))
    with pytest.raises(ValueError, match="9 items are not in all systems, such as 'r0'"):
        compare(*other.values())
    short = readers.read_predictions(old, n)
    with pytest.raises(ValueError, match="1 item is not in all systems, such as 'r0'"):
        compare(*short.values())
    assert "1 item without a match left out." in str(compare(*short.values(), unmatched="drop"))
    gold = classes(range(9)).replace("r4,y", "r4,z")
    with pytest.raises(ValueError, match=r"new.csv, line 6: gold='z' for 'r4', but 'y' in .*old"):
        readers.read_predictions(old, write(gold, "new.csv"))
    bare = write("gold,mine\n" + "x,x\ny,y\nz,z\n" * 3, "bare.csv")
    with pytest.raises(ValueError, match="some files name their items, others do not"):
        readers.read_predictions(old, bare)
    shuffled = write("gold,mine\n" + "x,x\n" * 3 + "y,y\n" * 3 + "z,z\n" * 3, "shuffled.csv")
    with pytest.raises(ValueError, match=r"shuffled\.csv, line 3: gold='x' for 1, but 'y'"):
        readers.read_predictions(bare, shuffled)
    with pytest.raises(ValueError, match="comes twice; expected different files"):
        readers.read_predictions(old, old)
    with pytest.raises(ValueError, match="paths: expected at least one file"):
        readers.read_predictions()
    # Read one by one, the gold classes are compared all the same.
    one, two = (readers.read_predictions(path)["mine"] for path in (bare, shuffled))
    with pytest.raises(ValueError, match=r"b: expected the same gold classes .* in the same order"):
        compare(one, two)


def test_groups_of_two_files_are_matched_by_id(write):
    rows = [(f"r{i}", "xy"[i % 2], "xy"[i % 3 % 2], f"g{i % 7}") for i in range(42)]
    paths = [
        write("\n".join(["id,gold,mine,author", *map(",".join, part)]), f"{name}.csv")
        for name, part in (("a", rows), ("b", rows[::-1]))
    ]
    pair = readers.read_predictions(*paths, group="author").values()
    assert compare(*pair).n_groups == 7
    moved = write(paths[0].read_text().replace("g6", "g5"), "b.csv")
    with pytest.raises(ValueError, match="expected the same groups in all Counts"):
        compare(*readers.read_predictions(paths[0], moved, group="author").values())


def test_classes_that_are_predicted_but_never_gold_are_named(write):
    rows = "".join("x,x,x\ny,x,y\n" for _ in range(20))
    found = readers.read_predictions(write("gold,old,new\n" + rows + "x,x,X\n"))
    assert found["old"].notes == ()
    result = compare(found["old"], found["new"], "macro_f1")
    assert "'X' is predicted but never gold (1 item)." in str(result)
    assert found["new"][:3].notes == found["new"].notes
    many = "".join(f"x,x,z{i}\n" for i in range(5)) + "x,x,x\n"
    notes = readers.read_predictions(write("gold,old,new\n" + many))["new"].notes
    assert notes[0] == "'z0' is predicted but never gold (1 item)." and len(notes) == 4
    assert notes[-1] == "So are 2 more classes."


def scores(head, *columns):
    return "\n".join([head, *(",".join(map(str, row)) for row in zip(*columns))]) + "\n"


DOCUMENTS = [f"doc{i // 4}" for i in range(24)]
OLD_SCORES, NEW_SCORES = ([round(0.5 + 0.01 * (i * k % 13), 2) for i in range(24)] for k in (3, 5))


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("document,segment,old,new", range(24)),
        ("document,id,old,new", range(7, 31)),
        ("document,question_id,old,new", range(24)),
        ("document,segment,old,new", [i % 4 for i in range(24)]),  # begins again in every document
        ("document,n,old,new", range(24)),
        ("document,what,old,new", [f"s{i}" for i in range(24)]),
    ],
)
def test_a_column_that_names_rows_is_no_system(write, head, names):
    frame = readers.read_scores(
        write(scores(head, DOCUMENTS, names, OLD_SCORES, NEW_SCORES)), group="document"
    )
    assert list(frame) == ["old", "new"] and frame.index.names == [head.split(",")[1], "group"]
    assert compare(frame["old"], frame["new"]).n_groups == 6
    last = head.split(",")
    text = scores(",".join([*last[2:], *last[:2]]), OLD_SCORES, NEW_SCORES, DOCUMENTS, names)
    assert readers.read_scores(write(text), group="document").equals(frame)
    # With pandas' own numbers in front.
    text = scores(f",{head}", range(24), DOCUMENTS, names, OLD_SCORES, NEW_SCORES)
    if names != range(24) or "seg" in head:
        assert list(readers.read_scores(write(text), group="document")) == ["old", "new"]


def test_a_column_that_may_name_rows_is_asked_for(write):
    within = scores(
        "document,place,old,new", DOCUMENTS, [i % 4 for i in range(24)], OLD_SCORES, NEW_SCORES
    )
    with pytest.raises(ValueError, match=r"'place' looks like numbers of rows.*say key='place'"):
        readers.read_scores(write(within), group="document")
    frame = readers.read_scores(write(within), key="place", group="document")
    assert list(frame) == ["old", "new"] and frame.index.is_unique
    odd = scores("old,number,new", OLD_SCORES, [3 * i + 100 for i in range(24)], NEW_SCORES)
    with pytest.raises(ValueError, match="'number' looks like numbers of rows"):
        readers.read_scores(write(odd))
    # Whole numbers among whole numbers are a system: seconds, penalties.
    whole = scores("old,new", [3 * i + 100 for i in range(24)], [i % 5 for i in range(24)])
    assert list(readers.read_scores(write(whole))) == ["old", "new"]


def test_a_column_that_repeats_asks_for_group(write):
    text = scores("document,segment,old", DOCUMENTS, range(24), OLD_SCORES)
    with pytest.raises(ValueError, match=r"'document' is no score and repeats.*group='document'"):
        readers.read_scores(write(text))
    with pytest.raises(
        ValueError, match=r"'doc0' comes twice, first in line 2; .*group='document'"
    ):
        readers.read_scores(write(scores("document,old", DOCUMENTS, OLD_SCORES)))
    text = scores(
        "id,sentence,old,new", range(24), map("s{}".format, range(24)), OLD_SCORES, NEW_SCORES
    )
    frame = readers.read_scores(write(text))
    assert "The column 'sentence' is not used." in str(compare(frame["old"], frame["new"]))


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


def test_every_task_of_a_folder_is_read_by_its_own_metric(model):
    """With "acc" alone the second would vanish, and the third be refused."""
    folder = model(
        "run",
        arc_easy=[sample(0, acc=1.0, acc_norm=0.0), sample(1, acc=0.0, acc_norm=1.0)],
        gsm8k=[sample(3, exact_match=1.0)],
        toxicity=[sample(0, score=0.25, bleu=["ref", "hyp"])],
    )
    found = readers.read_lm_eval(folder)
    assert {task: (x.name, x.to_dict()) for task, x in found.items()} == {
        "arc_easy": ("acc", {0: 1.0, 1: 0.0}),
        "gsm8k": ("exact_match", {3: 1.0}),
        "toxicity": ("score", {0: 0.25}),
    }
    assert found["gsm8k"].attrs == {"task": "gsm8k", "metric": "exact_match", "filter": "none"}
    assert found["gsm8k"].index.name == "doc_id"
    again = readers.read_lm_eval(folder, metric={"arc_easy": "acc_norm"})
    assert again["arc_easy"].name == "acc_norm"
    assert again["gsm8k"].name == "exact_match"
    assert "notes" not in again["arc_easy"].attrs


def test_the_metric_of_a_log_is_named_and_its_direction_known(model):
    """Of two metrics one is taken; and a Brier score that falls is no loss."""
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
    assert str(result).startswith("Mean acc is 0.8000 for A and 0.6667 for B.")
    assert str(result).count("The log also has acc_norm.") == 1 and result.higher_is_better
    result = compare(*tasks["mc"])
    assert str(result).startswith("Mean brier score is 0.2000 for A and 0.1000 for B, lower is")
    assert result.higher_is_better is False and result.p_better > 0.9 and result.difference < 0
    assert compare(*tasks["mc"], higher_is_better=True).p_better < 0.1
    many = compare_many(dict(zip(("old", "new"), tasks["mc"])))
    assert many.ranks["name"][0] == "new" and "mean brier score" in str(many)
    assert score(tasks["mc"][0]).metric == "mean brier_score"


def test_a_metric_that_some_task_does_not_have_is_refused(model):
    folder = model("run", arc=[sample(0, acc=1.0)], gsm8k=[sample(0, exact_match=1.0)])
    with pytest.raises(ValueError, match=r"gsm8k.*metric='acc' .*'gsm8k': expected one of 'exact"):
        readers.read_lm_eval(folder, metric="acc")
    with pytest.raises(ValueError, match=r"metric=\{'arx': 'acc'\}: .*tasks are arc, gsm8k"):
        readers.read_lm_eval(folder, metric={"arx": "acc"})
    with pytest.raises(ValueError, match="metric=3: expected a name"):
        readers.read_lm_eval(folder, metric=3)


def test_of_several_unusual_metrics_one_must_be_named(model):
    folder = model("run", wmt=[sample(0, ter=1.0, chrf=2.0)])
    with pytest.raises(ValueError, match=r"metric=None .*'chrf', 'ter'; say metric=\{'wmt': "):
        readers.read_lm_eval(folder)
    assert readers.read_lm_eval(folder, metric="ter")["wmt"].tolist() == [1.0]


def test_filters_are_asked_for_where_there_are_several(model):
    folder = model(
        "run",
        arc=[sample(0, acc=1.0)],
        gsm8k=[
            sample(0, filter="strict-match", exact_match=0.0),
            sample(0, filter="flexible-extract", exact_match=1.0),
        ],
    )
    with pytest.raises(ValueError, match="filter=None for the task 'gsm8k': expected one of 'flex"):
        readers.read_lm_eval(folder)
    for asked in ("strict-match", {"gsm8k": "strict-match"}):
        found = readers.read_lm_eval(folder, filter=asked)
        assert found["gsm8k"].tolist() == [0.0]
        assert found["gsm8k"].attrs["filter"] == "strict-match"
        assert found["arc"].tolist() == [1.0]
    with pytest.raises(ValueError, match="filter='x' for the task 'gsm8k'"):
        readers.read_lm_eval(folder, filter="x")
    with pytest.raises(ValueError, match="filter='x' for the task 'arc': expected one of 'none'"):
        readers.read_lm_eval(folder, filter={"arc": "x", "gsm8k": "strict-match"})


def test_lm_eval_reads_older_logs_and_single_files(write):
    record = sample(0, bleu=["ref", "hyp"], acc=True)
    for name in ("metrics", "filter", "doc_hash"):
        del record[name]
    path = write(jsonl(record), "wmt.jsonl")
    for files in (path, str(path), [path]):
        assert readers.read_lm_eval(files)["wmt"].to_dict() == {0: 1.0}


def test_pairs_match_documents_in_any_order(model):
    old = model("one", arc=[sample(0, acc=1.0), sample(1, acc=0.0), sample(2, acc=1.0)])
    new = model("two", arc=[sample(2, acc=0.0), sample(0, acc=1.0), sample(1, acc=1.0)])
    a, b = readers.read_lm_eval(old, new)["arc"]
    assert (a.index.tolist(), a.tolist()) == ([0, 1, 2], [1, 0, 1])
    assert (b.index.tolist(), b.tolist()) == ([0, 1, 2], [1, 1, 0])


def test_pairs_are_refused_where_models_saw_other_documents(model):
    two = model("two", arc=[sample(0, acc=1.0), sample(1, acc=0.0)])
    one = model("one", arc=[sample(0, acc=1.0)])
    other = model("other", arc=[sample(0, acc=1.0), sample(1, acc=0.0, doc_hash="g")])
    with pytest.raises(ValueError, match=r"documents of 'arc': 1 only in old or new: 1; .*'drop'"):
        readers.read_lm_eval(two, one)
    with pytest.warns(UserWarning, match="documents of 'arc': 1 only in old or new: 1; left out"):
        a, b = readers.read_lm_eval(two, one, unmatched="drop")["arc"]
    assert (len(a), len(b)) == (1, 1)
    with pytest.raises(ValueError, match=r"other.*arc.*doc_id=1 is another document than in .*two"):
        readers.read_lm_eval(two, other, unmatched="drop")
    with pytest.raises(ValueError, match="unmatched='keep'"):
        readers.read_lm_eval(two, one, unmatched="keep")


def test_tasks_of_one_model_only_are_named(model):
    old = model("old", arc=[sample(0, acc=1.0)], boolq=[sample(0, acc=1.0)])
    new = model("new", arc=[sample(0, acc=1.0)], piqa=[sample(0, acc=1.0)])
    with pytest.raises(ValueError, match="tasks: 2 only in old or new: boolq, piqa; expected both"):
        readers.read_lm_eval(old, new)
    with pytest.warns(UserWarning, match="tasks: 2 only in old or new: boolq, piqa; left out") as w:
        assert list(readers.read_lm_eval(old, new, unmatched="drop")) == ["arc"]
    assert w[0].filename == __file__
    nothing = model("nothing", piqa=[sample(0, acc=1.0)])
    with pytest.raises(ValueError, match="expected both models on the same"):
        readers.read_lm_eval(old, nothing, unmatched="drop")


def test_both_models_are_read_by_one_metric_and_filter(model):
    old = model("old", arc=[sample(0, acc=1.0, acc_norm=0.0)])
    new = model("new", arc=[sample(0, acc_norm=1.0)])
    with pytest.raises(ValueError, match=r"new.*metric='acc' for the task 'arc': expected one of "):
        readers.read_lm_eval(old, new)
    a, b = readers.read_lm_eval(old, new, metric="acc_norm")["arc"]
    assert (a.tolist(), b.tolist()) == ([0.0], [1.0])
    strict = model("strict", arc=[sample(0, filter="strict", acc=1.0)])
    with pytest.raises(ValueError, match=r"strict.*filter='none' for the task 'arc'"):
        readers.read_lm_eval(old, strict)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "none that is a number"),
        (jsonl(sample(0, bleu=["r", "h"])), "none that is a number"),
        (jsonl(sample(0, acc=1)) + '{"doc_id": 1, "ac', "line 2: not JSON .*cut off"),
        (jsonl(sample(0, acc=1), {"acc": 1.0}), "line 2: expected an object with a whole doc_id"),
        ("[1]\n", "line 1: expected an object"),
        ("null\n", "line 1: expected an object"),
        ('{"doc_id": true, "acc": 1}\n', "line 1: expected an object with a whole doc_id"),
        ('{"doc_id": 1.0, "acc": 1}\n', "line 1: expected an object with a whole doc_id"),
        ('{"doc_id": 99999999999999999999, "acc": 1}\n', "line 1: expected an object with a whole"),
        (jsonl(sample(3, acc=1), sample(3, acc=0)), "line 2: doc_id=3 .* twice, first in line 1"),
        (jsonl(sample(0, acc=1.0), sample(1, acc=math.inf)), "line 2: acc=inf: expected a finite"),
        (jsonl(sample(0, acc=math.nan)), "line 1: acc=nan: expected a finite number"),
        (
            jsonl(sample(0, acc=1.0), sample(1, acc="1")),
            "line 2: acc='1': expected a finite number",
        ),
        (jsonl(sample(0, acc=1.0), sample(1, f1=1)), "line 2: acc=None: expected a finite number"),
        (jsonl(sample(0, acc=10**400)), "line 1: acc=1000000.*: expected a finite number"),
        ('{"doc_id": 1, "acc": 1e999}\n', "line 1: acc=inf"),
        (
            '{"doc_id": 1, "metrics": [[1]], "acc": 1}\n',
            r"line 1: metrics=\[\[1\]\]: expected a li",
        ),
        ('{"doc_id": 1, "metrics": 7, "acc": 1}\n', "line 1: metrics=7: expected a list"),
        ("[" * 100_000 + "\n", "line 1: not JSON"),
        ('{"doc_id": ' + "9" * 5000 + "}\n", "line 1: not JSON"),
        (b'{"doc_id": 0, "acc": 1}\n\xff\n', "line 2: the byte"),
    ],
)
def test_lm_eval_refuses_with_file_and_line(write, content, words):
    path = write(content, f"samples_arc_{TIME}.jsonl")
    with pytest.raises(ValueError, match=words) as raised:
        readers.read_lm_eval(path)
    assert path.name in str(raised.value)


def test_lm_eval_refuses_folders_without_samples_and_second_runs(write, tmp_path):
    for nothing in (tmp_path, tmp_path / "nowhere.jsonl"):
        with pytest.raises(ValueError, match="--log_samples"):
            readers.read_lm_eval(nothing)
    for wrong in ([], 3, [3], {"old": "x"}):
        with pytest.raises(ValueError, match=r"old=.*expected a folder, or a list of files"):
            readers.read_lm_eval(wrong)
    write(jsonl(sample(0, acc=1)), f"samples_arc_{TIME}.jsonl")
    write(jsonl(sample(0, acc=1)), "samples_arc_2025-02-01T00-00-00.5.jsonl")
    with pytest.raises(ValueError, match="a second run of the task 'arc'"):
        readers.read_lm_eval(tmp_path)


def test_lm_eval_on_logs_that_the_harness_wrote():
    """Only where the folder of today's data is; the harness 0.4.9 wrote these."""
    folder = Path(__file__).parents[2] / "shared" / "data" / "lm-eval"
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        pytest.skip("needs the logs of lm-evaluation-harness")
    with pytest.raises(ValueError, match="a second run of the task"):
        readers.read_lm_eval(folder)
    first, second = files[::2], files[1::2]
    pairs = readers.read_lm_eval(first, second, filter="strict-match")
    assert len(pairs) == 4
    assert {a.name for a, _ in pairs.values()} == {"exact_match"}


# --- TREC -----------------------------------------------------------------------------------

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
OLD = "1 Q0 d1 1 9.5 x\n1 Q0 d3 2 9.5 x\n2 Q0 d9 1 1 x\n"
NEW = "1 Q0 d2 7 -1e3 y\n1 Q0 d1 8 inf y\n"


def test_trec(write):
    paths = write(OLD, "old"), write("\ufeff" + NEW.replace("\n", "\r\n"), "new"), write(QRELS, "q")
    frame = readers.read_trec(*paths, missing="zero")
    rows = frame.to_numpy().tolist()
    lost = -math.inf
    # Equal scores: d3 before d1, as trec_eval has it. The rank column is not used.
    assert rows == [
        ["1", "d1", 1, -2.0, -1.0],
        ["1", "d2", 0, lost, -2.0],
        ["1", "d3", 0, -1.0, lost],
        ["2", "d1", 1, lost, lost],
        ["2", "d9", 0, -1.0, lost],
    ]
    again = readers.read_trec(*paths, relevant_from=2, missing="zero")
    assert again["gold"].tolist() == [0, 0, 0, 1, 0]
    bom = write("\ufeff" + OLD, "old")
    assert readers.read_trec(bom, *paths[1:], missing="zero").equals(frame)


def test_trec_names_queries_without_judgements(write):
    old = write(OLD + "3 Q0 d1 1 1 x\n", "old")
    with pytest.warns(UserWarning, match=r"old: 1 query \(3\) without judgements left out"):
        frame = readers.read_trec(old, write(NEW, "new"), write(QRELS, "q"), missing="zero")
    assert set(frame["query"]) == {"1", "2"}
    with (
        pytest.raises(ValueError, match="no query of the runs is judged"),
        pytest.warns(UserWarning, match="left out"),
    ):
        readers.read_trec(old, old, write("9 0 d1 1\n", "q"))


def test_trec_queries_that_a_run_lacks_are_never_zero_in_silence(write):
    lines = [f"{q} Q0 d{d} 1 {(q * d) % 7} x\n" for q in range(1, 31) for d in (1, 2, 3)]
    qrels = "".join(f"{q} 0 d{q % 3 + 1} 1\n" for q in range(1, 31)) + "99 0 d1 0\n"
    old, cut, paths = write("".join(lines), "old"), write("".join(lines[:60]), "cut"), write(qrels)
    with pytest.raises(ValueError, match=r"cut: 10 queries \(21, .*, and 5 more\).*missing='zero'"):
        readers.read_trec(old, cut, paths)
    with pytest.raises(ValueError, match="not in this run"):  # though both lack them
        readers.read_trec(cut, cut, paths)
    assert len({*readers.read_trec(old, old, paths)["query"]}) == 31  # 99 has none to find

    def sentence(missing):
        table = readers.read_trec(old, cut, paths, missing=missing)
        with pytest.warns(UserWarning, match="1 query without a relevant document"):
            return str(compare(*(average_precision_per_query(table, run) for run in "ab")))

    assert re.search(r"10 queries \(21.* not in cut count 0\.", sentence("zero"))
    assert "; 20 queries; " in sentence("drop")
    assert re.search(r"10 queries \(21.* not in both runs left out\.", sentence("drop"))


@pytest.mark.parametrize(
    ("old", "qrels", "words"),
    [
        ("", QRELS, "old: no rows"),
        ("1 Q0 d1 1 x\n", QRELS, "old, line 1: expected 6 columns"),
        ("\n\n1 Q0 d1 1 best x\n", QRELS, "old, line 3: expected a number in column 5: '1 Q0 d1"),
        ("1 Q0 d1 1 nan x\n", QRELS, "old, line 1: expected a number in column 5"),
        ("1 Q0 d1 1 1_0 x\n", QRELS, "old, line 1: expected a number in column 5"),
        (OLD + "1 Q0 d1 3 1 x\n", QRELS, "old, line 4: this document comes twice"),
        (b"1 Q0 d1 1 1 x\n1 Q0 d\xff 1 1 x\n", QRELS, "old, line 2: the byte"),
        (OLD, "1 0 d1\n", "qrels, line 1: expected 4 columns"),
        (OLD, "1 0 d1 0.5\n", "qrels, line 1: expected a whole number in column 4"),
        (OLD, "1 0 d1 inf\n", "qrels, line 1: expected a whole number in column 4"),
        (OLD, "1 0 d1 1\n1 0 d1 0\n", "qrels, line 2: this document comes twice"),
    ],
)
def test_trec_refuses_with_file_and_line(write, old, qrels, words):
    with pytest.raises(ValueError, match=words):
        readers.read_trec(write(old, "old"), write(OLD, "new"), write(qrels, "qrels"))


def test_relevance_begins_at_a_whole_number(write):
    with pytest.raises(ValueError, match=r"relevant_from=0\.5"):
        readers.read_trec(write(OLD, "o"), write(NEW, "n"), write(QRELS, "q"), relevant_from=0.5)


# --- Candidates, words, probabilities -------------------------------------------------------


def test_candidates(write):
    path = write('\ufeffpair,old,new,gold\n"a\nb",1,-inf,1\n\nc,2,3e-1,False\n', "mine.csv.gz")
    frame = readers.read_candidates(path)
    assert frame.columns.tolist() == ["pair", "old", "new", "gold"]
    assert frame["gold"].tolist() == [1, 0]
    assert frame["new"].tolist() == [-math.inf, 0.3]
    assert frame["pair"].tolist() == ["a\nb", "c"]
    assert readers.read_candidates(path, scores=["new"])["old"].tolist() == ["1", "2"]
    assert readers.read_candidates(path, scores="new").equals(
        readers.read_candidates(path, scores=("new",))
    )


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        # R's write.table: one name fewer than columns; pandas takes 0.9 for score_a.
        (
            "score_a,score_b,gold\n5,0.9,0,1\n",
            {},
            "line 2: expected 3 columns.*write.table.*found 4",
        ),
        ("gold,a,b\n1,2,3\n1,2\n", {}, "line 3: expected 3 columns, one per name, found 2"),
        ('gold,a\n\n1,"2"\n\n\n1,x\n', {}, "line 6: a='x': expected a number"),
        ('gold,a,t\n1,1,"x\n\ny"\n2,1,z\n', {}, "line 5: gold='2': expected 0 or 1"),
        ("gold,a\n1,nan\n", {"scores": ["a"]}, "line 2: a='nan': expected a number"),
        ("gold,a\n1,nan\n", {}, "expected a column of scores beside 'gold'"),
        ("gold,a\n1,1\n", {"gold": "hit"}, "no column 'hit'; found gold, a"),
        ("gold,a\n1,1\n", {"scores": ["b"]}, "no column 'b'"),
        ("gold,a\n1,1\n", {"scores": 3}, "no column 3"),
        (b"PK\x03\x04 not a table\n", {}, "no rows"),
        (b"gold,a\n1,\xfe\n", {}, "line 2: the byte"),
    ],
)
@pytest.mark.parametrize("name", ["mine.csv", "mine.zip", "mine.gz", "mine.xz", "mine.tar"])
def test_candidates_refuse_with_file_and_line(write, name, content, options, words):
    with pytest.raises(ValueError, match=words):
        readers.read_candidates(write(content, name), **options)


def test_words(write):
    path = write("\ufeff一 种\u3000物质\r\n是\r\n\r\n")
    assert readers.read_words(path) == [["一", "种", "物质"], ["是"]]
    assert readers.read_words(write("a\u2028b c\n")) == [["a", "b", "c"]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt, line 1: an empty line"),
        ("a b\n\nc\n", "mine.txt, line 2: an empty line; expected one sentence per line"),
        (b"a\nb\xff\n", "mine.txt, line 2: the byte"),
    ],
)
def test_words_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_words(write(content))


def test_probabilities(write):
    frame = readers.read_probabilities(write("probability,correct\n0.5,1\n1,0\n0,TRUE\n"))
    assert frame.to_dict("list") == {"correct": [1, 0, 1], "probability": [0.5, 1.0, 0.0]}
    labels = write("word,gold,label,probability,group\na,x,x,.9,s\nb,x,y,.8,t\n")
    frame = readers.read_probabilities(labels)
    assert frame.columns.tolist() == ["correct", "probability", "word", "gold", "label", "group"]
    assert frame["correct"].tolist() == [1, 0]
    assert frame["group"].tolist() == ["s", "t"]


def test_probabilities_with_columns_of_other_names(write):
    rows = "".join(f"d{i // 5},q{i},x,{'xy'[i % 3 == 0]},0.{5 + i % 4}\n" for i in range(40))
    path = write(f"document,question,gold,answer,probability\n{rows}")

    def found(**options):
        mine = readers.read_probabilities(path, label="answer", **options)
        return confidence.evaluate(mine["correct"], mine["probability"], groups=mine.get("group"))

    hint = "Not used: 'document', whose values repeat; if answers hang together by 'document', say"
    assert found().n_groups == 40 and hint in str(found())
    grouped = found(group="document")
    assert grouped.n_groups == 8 and grouped.notes == () and "Not used" not in str(grouped)
    with pytest.raises(ValueError, match="no column 'page'"):
        found(group="page")
    both = write("label,answer,gold,probability\nx,x,x,1\n")
    with pytest.raises(ValueError, match="such a column is there already"):
        readers.read_probabilities(both, label="answer")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("correct\n1\n", "no column 'probability'"),
        ("probability,label\n1,x\n", "no column 'gold'"),
        (
            "probability,correct\n1.1,1\n",
            "line 2: probability='1.1': expected a number from 0 to 1",
        ),
        ("probability,correct\n-1e-9,1\n", "line 2: probability='-1e-9'"),
        ("probability,correct\n1,1\n1,2\n", "line 3: correct='2': expected 0 or 1"),
        ("probability,gold,label\n1,x,\n", "line 2: label='': expected a value in every row"),
        ("probability,correct,group\n1,1,\n", "line 2: group='': expected a value"),
    ],
)
def test_probabilities_refuse_with_file_and_line(write, content, words):
    with pytest.raises(ValueError, match=words):
        readers.read_probabilities(write(content))


# --- Whatever may come ----------------------------------------------------------------------

WORDS = """a B-PER O I-X -DOCSTART- gold old new p b dataset correct probability group label word
doc_id acc filter metrics 0 1 0.5 -1 1e999 nan inf 0_1 two-sided greater # " ' , ; { } [ ] : \ufeff
\x00 日本 Q0 d1 null true NaN"""
LAYOUT = [" ", ",", "\t", "\n", "\n\n", "\r", "\r\n", "\u2028", "\ud7ff", "gold,a,b\n"]
RECORDS = ['"doc_id": 1', '{"doc_id": 1, "acc": 1}\n']
BITS = st.sampled_from([*WORDS.split(), *LAYOUT, *LAYOUT, *RECORDS])
CONTENT = st.lists(BITS, max_size=40).map(lambda bits: "".join(bits).encode()) | st.binary(
    max_size=60
)


@st.composite
def damaged(draw, paths):
    """An example file with bytes cut out, put in or doubled."""
    data = draw(st.sampled_from(paths)).read_bytes()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 50)))
        data = data[:start] + draw(st.binary(max_size=4) | CONTENT) + data[end:]
    return data


def files_of(kind):
    paths = readers.example(kind)
    paths = paths if isinstance(paths, tuple) else (paths,)
    return [f for p in paths for f in (sorted(p.rglob("*.jsonl")) if p.is_dir() else [p])]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", sorted(READ))
def test_whatever_may_come_only_a_value_error_or_an_os_error_is_raised(tmp_path, kind):
    paths = files_of(kind)
    path = tmp_path / "samples_mine.jsonl"

    @seed(12)
    @settings(max_examples=120, deadline=None, database=None)
    @given(content=CONTENT | damaged(paths))
    def attempt(content):
        path.write_bytes(content)
        calls = {
            "conll": [
                lambda: readers.read_conll(path),
                lambda: readers.read_conll(paths[0], path),
                lambda: readers.read_conll(path, gold=path),
            ],
            "inspect": [
                lambda: readers.read_inspect(path),
                lambda: readers.read_inspect(paths[0], path, unscored="wrong", unmatched="drop"),
            ],
            "translations": [lambda: readers.read_translations(path, path)],
            "lm_eval": [
                lambda: readers.read_lm_eval(path),
                lambda: readers.read_lm_eval(path, path),
            ],
            "trec": [
                lambda: readers.read_trec(path, *paths[1:]),
                lambda: readers.read_trec(*paths[:2], path),
            ],
        }.get(kind, [lambda: READ[kind](path)])
        for call in calls:
            try:
                call()
            except (ValueError, OSError) as error:
                assert len(str(error)) < 2_000

    attempt()


@pytest.mark.parametrize("kind", sorted(READ))
def test_folders_and_missing_files_are_the_systems_errors(tmp_path, kind):
    paths = [tmp_path, tmp_path / "nowhere"]
    for path in paths:
        with pytest.raises((OSError, ValueError)):
            READ[kind](*[path] * (3 if kind == "trec" else 1))


@pytest.fixture(
    scope="module",
    params=[b"\n", b"a,", b"a", b"1 2 3\n"],
    ids=["newlines", "names", "letters", "rows"],
)
def big_file(request, tmp_path_factory):
    """200 MB, written once for all readers."""
    path = tmp_path_factory.mktemp("big") / "samples_big.jsonl"
    path.write_bytes(request.param * (200_000_000 // len(request.param)))
    yield path
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(READ))
def test_two_hundred_megabytes_are_dealt_with_soon_and_briefly(big_file, kind):
    start = time.process_time()
    said = "samples_big"
    try:
        READ[kind](*[big_file] * (3 if kind == "trec" else 1))
    except ValueError as error:
        said = str(error)
    else:
        assert kind == "words"  # to which it is one long word
    assert "samples_big" in said
    assert len(said) < 1_000
    assert time.process_time() - start < 10


def test_files_beyond_the_limits_are_refused_with_the_reason(write, monkeypatch):
    monkeypatch.setattr(readers, "_MOST_BYTES", 20)
    with pytest.raises(ValueError, match=r"mine\.txt: more than 20 bytes; expected a smaller file"):
        readers.read_words(write("a" * 21))
    monkeypatch.setattr(readers, "_MOST_LINES", 3)
    with pytest.raises(ValueError, match=r"mine\.txt: more than 3 lines"):
        readers.read_scores(write("\n" * 4))
    assert readers.read_words(write("a\nb\nc\n")) == [["a"], ["b"], ["c"]]
    monkeypatch.setattr(readers, "_LONGEST_HEADER", 5)
    with pytest.raises(ValueError, match=r"mine\.txt, line 1: over 5 characters"):
        readers.read_scores(write("dataset,a\n"))


def test_readers_do_not_load_pandas_for_counts():
    code = (
        "import sys; from betterthan import readers; "
        "readers.read_conll(*readers.example('conll')); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_comes_out_goes_into_compare():
    """The shapes that the front doors take, from every reader that feeds them."""
    old, new = readers.read_conll(*readers.example("conll"))
    assert isinstance(old, Counts)
    assert len(old) == len(new) == 120
    scores = readers.read_scores(readers.example("scores"))
    assert isinstance(scores["old"], pd.Series)
    assert scores.dtypes.unique().tolist() == [np.dtype(float)]
    assert scores.index.is_unique
    for a, b in readers.read_lm_eval(*readers.example("lm_eval")).values():
        assert a.index.equals(b.index)
        assert a.dtype == b.dtype == float


@pytest.mark.parametrize("kind", sorted(cookbook.CELLS))
def test_the_cells_that_only_the_cookbook_has_run(kind, capsys, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    exec(cookbook.CELLS[kind], {})
    assert len(capsys.readouterr().out) > 100
    assert f'example("{kind}")' in cookbook.CELLS[kind]


def test_the_cell_of_folds_guesses_no_share(write):
    cell = cookbook.CELLS["folds"].replace('readers.example("folds")', "mine")
    mine = write("fold,old,new\n1,0.8,0.9\n2,0.7,0.8\n3,0.6,0.8\n")
    with pytest.raises(ValueError, match="test_share=None: expected"):
        exec(cell, {"mine": mine})


def test_the_cookbook_knows_every_reader_and_every_example():
    assert {kind for _, kind, _ in cookbook.FILES} == set(READ)
    found = {reader for *_, reader in cookbook.FILES}
    assert found == {name for name in readers.__all__ if name.startswith("read_")} - {
        "read_columns"
    }
    for _, kind, _ in cookbook.FILES:
        assert "…" in cookbook.lines_of(kind)
    assert cookbook.kind_of('readers.read_scores(readers.example("datasets"))') == "datasets"
    assert cookbook.kind_of("readers.read_scores(mine)") == "scores"
    assert cookbook.kind_of("print(1)") is None


def test_the_readme_shows_what_command_and_cell_print(capsys, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    shown = re.search(r"\$ betterthan compare old.conll new.conll\n(.+?)```", text, re.DOTALL)[1]
    exec(re.search(r"```python\n(.+?)```", text, re.DOTALL)[1], {})
    assert capsys.readouterr().out.split() == shown.split()
    monkeypatch.chdir(readers.example("conll")[0].parent)
    assert main(["compare", "old.conll", "new.conll"]) == 0
    assert capsys.readouterr().out.split()[: len(shown.split())] == shown.split()


def test_every_reader_is_in_the_readme():
    text = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    named = set(re.findall(r"readers\.(\w+)", text))
    assert named == set(readers.__all__) - {"read_columns"}


def test_a_file_with_two_systems_is_not_misread(tmp_path):
    file = tmp_path / "both.conll"
    file.write_text("Ann B-PER B-PER O\nleft O O O\n\nBonn B-LOC O B-LOC\n")
    with pytest.raises(ValueError, match=r"say columns=.*'predicted': \[-2, -1\]"):
        readers.read_conll(file)
    old, new = readers.read_conll(file, columns={"word": 0, "gold": -3, "predicted": [-2, -1]})
    assert readers.read_conll(file, columns={"word": 0, "gold": 1, "predicted": 3}) == new
    assert (old.tp.tolist(), new.tp.tolist()) == ([1, 0], [0, 1])
    # Chunks beside names are another matter: the last two columns are meant.
    file.write_text("Ann NNP B-NP B-PER B-PER\nleft VBD B-VP O O\n")
    assert readers.read_conll(file).f1 == 1


def test_tags_that_break_the_scheme_asked_for_are_counted(tmp_path):
    file = tmp_path / "new.iobes"
    good, bad = "a B-X B-X\nb E-X E-X\n\n", "a B-X B-X\nb E-X I-X\n\n"
    file.write_text(good * 3 + bad)
    note = "new.iobes: 1 sentence breaks the rules of IOBES and is repaired."
    found = readers.read_conll(file, scheme="IOBES")
    assert found.notes == (note,) and note in str(score(found))
    assert readers.read_conll(file).notes == ()  # no scheme was promised
    file.write_text(
        good.replace("E", "I") + bad.replace("E", "I") + "a O I-X\nb S-X I-X\n".replace("S", "B")
    )
    notes = readers.read_conll(file, scheme="IOB2").notes
    assert notes == ("new.iobes: 1 sentence breaks the rules of IOB2 and is repaired.",)


def test_a_column_of_ids_is_no_system(tmp_path):
    file = tmp_path / "predictions.csv"
    file.write_text("id,gold,base,big\n0,1,1,1\n1,0,1,0\n2,0,0,0\n")
    assert list(readers.read_predictions(file)) == ["base", "big"]
    file.write_text("number,gold,base\n0,1,1\n1,0,1\n2,0,0\n")
    assert list(readers.read_predictions(file)) == ["base"]


def test_tags_without_spans_are_counted_by_word_and_class(tmp_path):
    file = tmp_path / "tags.conll"
    file.write_text("the DT DT NN\ncat NN NN NN\n\nsat VB NN VB\n\nit PR PR PR\n")
    columns = {"word": 0, "gold": 1, "predicted": [2, 3]}
    old, new = readers.read_conll(file, columns=columns, scheme="plain")
    assert old.tp.sum(axis=1).tolist() == [2, 0, 1]
    assert new.tp.sum(axis=1).tolist() == [1, 1, 1]
    assert old.tp.shape == (3, 4) and old.unit == "sentence"
    result = compare(old, new, metric="accuracy")
    assert (result.value_a, result.value_b) == (0.75, 0.75)
    assert compare(old, new, metric="accuracy").metric == "accuracy"
    right, own = ["DT", "NN", "VB", "PR"], ["DT", "NN", "NN", "PR"]
    expected = f1_score(right, own, average="macro")
    assert score(old, "macro_f1").value == pytest.approx(expected)


def test_a_group_column_of_scores_makes_groups(tmp_path):
    file = tmp_path / "scores.csv"
    rows = [f"s{i},d{i // 3},{i % 5},{i % 7}" for i in range(30)]
    file.write_text("\n".join(["segment,group,old,new", *rows]))
    frame = readers.read_scores(file)
    assert list(frame) == ["old", "new"]
    result = compare(frame["old"], frame["new"])
    assert result.n_groups == 10 and result.unit == "segment"
    with_groups = compare(
        [i % 5 for i in range(30)], [i % 7 for i in range(30)], groups=[i // 3 for i in range(30)]
    )
    assert result.interval == with_groups.interval
    file.write_text("talk,old\nx,1\ny,2\n")
    assert readers.read_scores(file, group="talk").index.names == [None, "group"]


def test_numbers_right_or_wrong_have_an_accuracy():
    result = score([1, 0, 1, 1] * 10, "accuracy")
    assert result.value == 0.75 and str(result).startswith("Accuracy is 0.7500")
    assert result.interval == score([1, 0, 1, 1] * 10).interval


def inspect_log(folder, name, samples, *, status="success", suffix=".json", task="toy"):
    """A log as Inspect writes it, as far as it is read; `samples` are (id, epoch, scores)."""
    listed = [{"id": i, "epoch": e, "scores": s} for i, e, s in samples]
    log = {"version": 2, "status": status, "eval": {"task": task, "model": "m"}}
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
    assert a.tolist() == [1, 0, 0.5, 0, 1, 0, 1, 0]
    result = compare(a, b)
    assert (
        str(result).count("Grades count C = 1, I = 0. Grade N counts 0. Grade P counts 0.5.") == 1
    )
    assert str(result).count("Grade") == 3  # though N stands in one log only
    assert result.difference == pytest.approx(2 / 8)


def test_inspect_epochs_are_runs_and_ids_are_matched(tmp_path):
    first, second = graded([1.0, 0.0, 0.25]), graded([0.0, 0.0, 0.75], epoch=2)
    old = inspect_log(tmp_path, "old", first + second)
    new = inspect_log(tmp_path, "new", [("3", 1, {"match": {"value": True}}), *graded([1, 0])])
    runs, one = readers.read_inspect(old, new)["toy"]
    assert [run.tolist() for run in runs] == [[1, 0, 0.25], [0, 0, 0.75]]
    assert one.tolist() == [1, 0, 1] and one.index.tolist() == ["1", "2", "3"]
    assert compare(runs, one).n_runs == (2, 1)
    with pytest.raises(ValueError, match="epoch 2 has other samples"):
        readers.read_inspect(inspect_log(tmp_path, "odd", first + second[:2]))


def test_inspect_samples_without_a_score_are_never_dropped_in_silence(tmp_path):
    samples = [*graded("CIC"), (4, 1, None), (5, 1, {})]
    log = inspect_log(tmp_path, "log", samples)
    with pytest.raises(ValueError, match=r"2 samples without a score, such as '4'.*unscored="):
        readers.read_inspect(log)
    wrong = readers.read_inspect(log, unscored="wrong")["toy"]
    assert wrong.tolist() == [1, 0, 1, 0, 0]
    assert "2 samples without a score counted as wrong." in str(score(wrong))
    dropped = readers.read_inspect(log, unscored="drop")["toy"]
    assert dropped.tolist() == [1, 0, 1]
    assert "2 samples without a score left out." in str(score(dropped))
    one = readers.read_inspect(inspect_log(tmp_path, "one", samples[:4]), unscored="wrong")["toy"]
    assert "1 sample without a score counted as wrong." in str(score(one))
    with pytest.raises(ValueError, match="none of the 2 samples of 'toy' has a score"):
        readers.read_inspect(inspect_log(tmp_path, "none", samples[3:]))


def test_inspect_scorers_must_be_chosen_where_there_are_several(tmp_path):
    both = {"match": {"value": "C"}, "rubric": {"value": {"style": 0.5, "facts": 1}}}
    log = inspect_log(tmp_path, "log", [(i, 1, both) for i in range(3)])
    with pytest.raises(ValueError, match="'match', 'rubric/facts', 'rubric/style'; say scorer="):
        readers.read_inspect(log)
    assert readers.read_inspect(log, scorer="rubric/style")["toy"].tolist() == [0.5] * 3
    assert readers.read_inspect(log, scorer={"toy": "match"})["toy"].tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "cancelled"}, "did not finish .status 'cancelled'.*eval-retry"),
        ({"status": "error"}, "did not finish"),
        ({"samples": graded(["A", "C"])}, "the sample '1': 'A' is no grade and no finite number"),
        ({"samples": graded([[1, 2], "C"])}, r"the sample '1': \[1, 2\] is no grade"),
        ({"samples": graded("CC") + graded("C")}, "the sample '1' comes twice in epoch 1"),
    ],
)
def test_inspect_refuses(tmp_path, change, words):
    log = inspect_log(tmp_path, "log", **({"samples": graded("CIC")} | change))
    with pytest.raises(ValueError, match=words):
        readers.read_inspect(log)


def test_inspect_refuses_what_is_no_log(tmp_path):
    plain = tmp_path / "x.json"
    plain.write_text("[1, 2]")
    with pytest.raises(ValueError, match=r"x\.json: expected a log of Inspect"):
        readers.read_inspect(plain)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match=r"expected logs of Inspect, \.eval or \.json"):
        readers.read_inspect(empty)
    with zipfile.ZipFile(tmp_path / "y.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(ValueError, match="the log has no header"):
        readers.read_inspect(tmp_path / "y.eval")
    with pytest.raises(ValueError, match="a second run of the task 'toy'"):
        two = [inspect_log(tmp_path, name, graded("CI")) for name in "ab"]
        readers.read_inspect(two)


def test_inspect_names_the_remedy_for_zstd(tmp_path, monkeypatch):
    log = inspect_log(tmp_path, "log", graded("CI"), suffix=".eval")

    def read(self, name):
        raise NotImplementedError("That compression method is not supported")

    monkeypatch.setattr(zipfile.ZipFile, "read", read)
    with pytest.raises(ValueError, match=r"compressed with zstd.* 3\.14 .*inspect log convert"):
        readers.read_inspect(log)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_translations_add_up_to_the_corpus_score(metric):
    from sacrebleu import metrics

    paths = readers.example("translations")
    (old, new), corpus = readers.read_translations(*paths, metric=metric)
    reference, *texts = (path.read_text().splitlines() for path in paths)
    peer = {"bleu": metrics.BLEU, "chrf": metrics.CHRF, "ter": metrics.TER}[metric]()
    result = compare(old, new, metric=corpus, higher_is_better=metric != "ter")
    right = [peer.corpus_score(text, [reference]).score for text in texts]
    assert [result.value_a, result.value_b] == pytest.approx(right)
    assert str(result).startswith({"bleu": "BLEU is", "chrf": "ChrF is", "ter": "TER is"}[metric])
    assert "B is better than A" in str(result)


def test_translations_refuse(write):
    reference, old, _ = readers.example("translations")
    short = write(b"one\ntwo\n", "short.txt")
    with pytest.raises(ValueError, match=r"short\.txt: 2 lines, but 60 in .*reference"):
        readers.read_translations(reference, old, short)
    with pytest.raises(ValueError, match=r"gap\.txt, line 2: an empty reference"):
        readers.read_translations(write(b"one\n\nthree\n", "gap.txt"), write(b"a\nb\nc\n", "h.txt"))
    with pytest.raises(ValueError, match="expected at least one file"):
        readers.read_translations(reference)
    with pytest.raises(ValueError, match="metric='comet': expected one of 'bleu'"):
        readers.read_translations(reference, old, metric="comet")


def test_folds_are_read_with_their_sizes(write):
    text = "fold,old,new\n1,0.5,0.6\n2,0.4,0.5\n3,0.5,0.5\n"
    frame = readers.read_folds(write(text))
    assert frame["new"].tolist() == [0.6, 0.5, 0.5] and frame.attrs == {}
    sized = write("fold,train,test,old\na,80,20,0.5\nb,79,21,0.4\n", "sized.csv")
    assert readers.read_folds(sized).attrs == {"test_share": 0.205}
    for bad, words in [
        ("run,old\n1,2\n", "no column 'fold'"),
        ("fold\n1\n", "a column per system"),
        ("fold,train,old\n1,2,3\n", "train with test"),
        ("fold,old\n1,x\n", "line 2: old='x': expected a finite number"),
        ("fold,train,test,old\n1,0,2,3\n", "line 2: train='0': expected a number above 0"),
        ("fold,old\n1,2\n1,3\n", "fold='1' comes twice"),
    ]:
        with pytest.raises(ValueError, match=words):
            readers.read_folds(write(bad))
