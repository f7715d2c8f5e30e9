"""Counts of a cross-validation from files: read, scored, compared, refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from betterthan import bayes, bcv, compare, read, readers, score
from betterthan.__main__ import main
from betterthan.bcv import Counts
from betterthan.errors import InputError

OLD = Counts([80, 82, 79, 81], [20, 21, 19, 20], [20, 18, 21, 19], unit="fold")
NEW = Counts([84, 85, 83, 86], [18, 17, 18, 17], [16, 15, 17, 14], unit="fold")


def lines(counts: Counts, model: str = "") -> list[str]:
    rows = zip(counts.tp, counts.fp, counts.fn)
    return [f"{model}{i},{tp},{fp},{fn}" for i, (tp, fp, fn) in enumerate(rows, 1)]


def table(*rows: str, names: str = "fold,tp,fp,fn") -> str:
    return "\n".join([names, *rows]) + "\n"


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, counts in zip(paths, (OLD, NEW)):
        path.write_text(table(*lines(counts)), "utf-8")
    return [str(path) for path in paths]


@pytest.fixture
def one_file(tmp_path):
    path = tmp_path / "both.csv"
    rows = [*lines(OLD, "old,"), *lines(NEW, "new,")]
    path.write_text(table(*rows, names="model,fold,tp,fp,fn"), "utf-8")
    return str(path)


def test_two_files_or_a_column_of_models(files, one_file):
    for found in (read(*files, repetitions=2), read(one_file, repetitions=2)):
        assert [one.name for one in found] == ["old", "new"]
        assert all(one.unit == "fold" and one.repetitions == 2 for one in found)
        for one, counts in zip(found, (OLD, NEW)):
            assert np.array_equal(one.values, np.column_stack([counts.tp, counts.fp, counts.fn]))
            assert bcv.posterior(one) == bcv.posterior(counts, repetitions=2)
        result = bayes.compare(*found)
        assert result.names == ("old", "new")
        assert result.p_h1 == bayes.compare(OLD, NEW, repetitions=2).p_h1


def test_a_column_repetition_says_it_by_itself(write):
    rows = [f"{1 + i // 2},{1 + i % 2},{tp},20,20" for i, tp in enumerate(OLD.tp)]
    (one,) = read(write(table(*rows, names="repetition,fold,tp,fp,fn")))
    assert one.repetitions == 2 and list(one.ids) == ["1 (1)", "2 (1)", "1 (2)", "2 (2)"]
    assert "by the column repetition" in " ".join(one.reading)


def test_models_are_chosen_and_columns_left_out(one_file, write):
    (new,) = read(one_file, repetitions=2, systems=["new"])
    assert new.name == "new"
    path = write(table("1,3,1,1,9", "2,4,1,1,9", names="fold,tp,fp,fn,tn"))
    (one,) = read(path, repetitions=1)
    assert "tn left out" in one.reading


def test_the_command_line(files, one_file, capsys):
    for given in (files, [one_file]):
        assert main(["compare", *given]) == 2
        assert "--repetitions 2" in capsys.readouterr().err
        assert main(["compare", *given, "--repetitions", "2"]) == 0
        said = capsys.readouterr().out.split("\n", 1)[0]
        assert said == str(bayes.compare(OLD, NEW, repetitions=2, names=("old", "new")))
    assert main(["score", files[0]]) == 2
    assert "--repetitions 2" in capsys.readouterr().err
    assert main(["score", files[0], "--repetitions", "2", "--metric", "recall"]) == 0
    said = capsys.readouterr().out.split("\n", 1)[0]
    assert said == str(bcv.posterior(OLD, "recall", repetitions=2))
    assert main(["compare", one_file, "--repetitions", "2", "--json", "--margin", "0.01"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = bayes.compare(OLD, NEW, repetitions=2, margin=0.01)
    assert found["p_within"] == pytest.approx(expected.p_within)
    assert main(["score", one_file, "--repetitions", "2"]) == 0
    assert capsys.readouterr().out.startswith("old: F1 is ")


def test_look_says_how_to_go_on(one_file, capsys):
    assert main(["look", one_file]) == 0
    assert "ask: betterthan look" in capsys.readouterr().out
    assert main(["look", one_file, "--repetitions", "2"]) == 0
    shown = capsys.readouterr().out
    assert f"ask: betterthan compare {one_file} --repetitions 2" in shown


def test_a_picture(one_file, tmp_path):
    path = tmp_path / "p.svg"
    assert main(["compare", one_file, "--repetitions", "2", "--plot", str(path)]) == 0
    assert path.stat().st_size > 1000
    (new,) = read(one_file, repetitions=2, systems=["new"])
    assert bcv.posterior(new).plot().get_xlabel() == "F1"


def test_front_doors_of_items_refuse_them_and_name_the_right_ones(one_file):
    old, new = read(one_file, repetitions=2)
    for asked in (lambda: score(old), lambda: compare(old, new)):
        with pytest.raises(InputError, match=r"bayes\.compare compares them"):
            asked()


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (table("1,3,1,1", "2,4,1,1"), {}, "counts of 2 folds.*say repetitions=1"),
        (table("1,3,1,1", "2,4,1,1"), {"repetitions": 3}, "2 folds.*expected 6 for 3 repetitions"),
        (table("1,3,1,1", "2,4,1,1"), {"repetitions": 0}, "repetitions=0"),
        (table("1,3,1,1", "1,4,1,1"), {"repetitions": 1}, "line 3.*comes twice, first in line 2"),
        (table("1,3,1,1", "2,4,1.5,1"), {"repetitions": 1}, "line 3: fp='1.5'.*a whole number"),
        (table("1,3,1,1", "2,-4,1,1"), {"repetitions": 1}, "line 3: tp='-4'.*a whole number"),
        (table("1,3,1,1", "2,,1,1"), {"repetitions": 1}, "line 3"),
        (
            table("1,3,1,1,7", "2,4,1,1,7", names="fold,tp,fp,fn,f2"),
            {"repetitions": 1},
            "the column 'f2'.*ignore='f2'",
        ),
        (
            table("a,1,3,1,1", "a,2,4,1,1", "b,1,3,1,1", "b,3,4,1,1", names="model,fold,tp,fp,fn"),
            {"repetitions": 1},
            "fold '2' of a is not among those of b",
        ),
        (
            table("a,1,3,1,1", "a,2,4,1,1", "b,1,3,1,1", "b,2,4,1,2", names="model,fold,tp,fp,fn"),
            {"repetitions": 1},
            r"fold '2' has 5 gold items \(tp \+ fn\) for a and 6 for b",
        ),
        (
            table("1,3,1,1", "2,4,1,1"),
            {"repetitions": 1, "systems": ["x"]},
            "expected a column model",
        ),
    ],
)
def test_refuses(write, text, options, words):
    with pytest.raises(InputError, match=words):
        read(write(text), **options)


def test_scores_of_folds_and_counts_of_items_stay_what_they_are(write):
    old, _ = read(readers.example("folds"))
    assert old.repetitions is None and old.test_share == 0.1
    assert readers.format_of([readers.Source(readers.example("fold_counts"))]).kind == "fold_counts"
