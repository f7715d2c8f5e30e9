"""Tables: scores, right and wrong, labels beside a gold standard; what each column is taken for.

tests/contract/ holds the cases of the written rule of roles; here stand the values that come out,
and what is refused with file and line.
"""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from sklearn.metrics import f1_score

from betterthan import InputError, compare, read, readers, score
from betterthan.readers import _table

# --- Scores -----------------------------------------------------------------------------------


def names(found):
    return [one.name for one in found]


def test_scores(write):
    path = write(
        '\ufeff# from table 2\r\ndataset,a,b\r\n\r\n"news, old",90.1,1e1\r\ntweets, 61 ,0\r\n'
    )
    a, b = readers.read_table(path)
    assert names([a, b]) == ["a", "b"]
    assert a.ids.tolist() == ["news, old", "tweets"] and a.unit == "dataset"
    assert (a.values.tolist(), b.values.tolist()) == ([90.1, 61.0], [10.0, 0.0])
    [x] = readers.read_table(write("x;run\n0.5;one\n0.6;two\n"), key="run", separator=";")
    assert (x.values.tolist(), x.ids.tolist()) == ([0.5, 0.6], ["one", "two"])


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["mine.csv", "SCORES.CSV", "mine.tsv", "mine"])
def test_the_separator_is_found_whatever_the_file_is_called(write, mark, name):
    text = "id,old,new\nx,1,0\ny,0,1\nz,1,1\n".replace(",", mark)
    old, new = read(write(text, name), items=True)
    assert old.values.tolist() == [1, 0, 1] and new.ids.tolist() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("header", "rows", "ids"),
    [
        ("dataset,a", ["1,2", "7,3"], ["1", "7"]),
        (",a", ["0,2", "5,3"], ["0", "5"]),
        ("Item,a", ["4,2", "9,2"], ["4", "9"]),
        ("corpus,a", ["x,2", "y,3"], ["x", "y"]),
        ("n,a", ["0,2", "1,3", "2,3"], ["0", "1", "2"]),
        ("n,a", ["1,2", "2,3", "3,3"], ["1", "2", "3"]),
    ],
)
def test_a_first_column_that_names_the_rows(write, header, rows, ids):
    [a] = readers.read_table(write("\n".join([header, *rows])))
    assert a.ids.tolist() == ids and a.name == "a"


def test_without_names_all_columns_are_systems(write):
    found = readers.read_table(write("old,new\n0.5,0.6\n0.5,0.4\n"))
    assert names(found) == ["old", "new"]
    assert found[0].ids is None
    assert len(readers.read_table(write("a,b\n1,0\n1,1\n"))) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt: no rows"),
        ("dataset,a\n", "mine.txt: no rows"),
        ("dataset,a,a\nx,1,2\n", "line 1: expected different column names: 'dataset, a, a'"),
        ("dataset,a,\nx,1,2\n", "line 1: expected different column names"),
        ("0.15,0.84\n0.2,0.9\n", "line 1: expected column names, found the number '0.15'"),
        ("dataset,a,0.5\nx,1,2\n", "line 1: expected column names, found the number '0.5'"),
        ("dataset\nx\n", "found no column of scores in dataset"),
        ("dataset,a,b\nx,1,2\ny,1\n", "line 3: expected 3 columns, one per name, found 2: 'y, 1'"),
        ("a,b\nx,1,2\n", r"line 2: expected 2 columns.*\(R's write.table.*found 3"),
        ("dataset,a\nx,1\ny,n/a\n", "line 3: a='n/a': a blank answer"),
        ("dataset,a\nx,1\ny,\n", "line 3: a='': a blank answer; say empty='wrong'.*empty='drop'"),
        ("dataset,a\nx,1\ny,nan\n", "line 3: a='nan'"),
        ("dataset,a\nx,1\ny,inf\n", "line 3: a='inf'"),
        ("dataset,a\nx,1\ny,Infinity\n", "line 3: a='Infinity'"),
        ("dataset,a\nx,1\ny,0_1\n", "line 3: a='0_1'"),
        ("dataset,a\nx,1\ny,1e999\n", "line 3: a='1e999'"),
        ("dataset,a\nx,1\ny,1e101\n", "line 3: a='1e101': expected a finite number below 1e100"),
        ("dataset,a\nx,1\ny,\u0663\n", "line 3: a='\u0663'"),
        ("dataset,a\nx,1\ny,91%\n", "line 3: a='91%'.*without %"),
        ("dataset,a\nx,1\n,2\n", "line 3: dataset='': expected a value in every row"),
        ("dataset,a\nx,1\n,\ny,2\n", "line 3: a row of empty cells"),
        ('dataset,a\nx,1\n"y,2\n', "line 3: .*is the file cut off"),
        ('dataset,a\n\n"x\ny",1\n\n"z\n\nw",b\n', "line 6: a='b'"),
        (b"dataset,a\nx\xff,1\n", "line 2: the byte"),
        ("a;b\n0,5;0,25\n0,5;0,75\n", "line 2: a='0,5': expected a finite number; a decimal comma"),
        ("a,b\n0,5,0,25\n0,5,0,75\n", "line 2: expected 2 columns.*a decimal comma"),
        ("a;b\n1,167;842\n1,16;7\n", "a decimal comma\\? write a point: 1.167"),
        ("a;b\n0,167;842\n1,168;7\n", "a decimal comma\\? write a point: 0.167"),
        ("a;b\n1,167;842\n999;7\n", "write 1167, or 1.167 if the comma is a decimal point"),
        ("a;b\n-1,167;842\n999;7\n", "write -1167, or -1.167 if the comma is a decimal"),
    ],
)
def test_scores_refuse_with_file_and_line(write, content, words):
    with pytest.raises(InputError, match=words):
        readers.read_table(write(content))


def test_an_id_that_comes_twice_is_refused(write):
    """A slip among thirty, or a third of them: rows are not matched by their place instead."""
    ids = [f"s{i}" for i in range(30)]
    rows = [f"{name},{i * i % 7}" for i, name in enumerate([*ids[:29], "s4"])]
    with pytest.raises(InputError, match=r"line 31: id='s4': comes twice, first in line 6"):
        readers.read_table(write("\n".join(["id,a", *rows])))
    with pytest.raises(InputError, match=r"'dataset' .*groups='dataset'"):
        readers.read_table(write("dataset,a\nx,1\n#y,2\n#y,5\n"))


@pytest.mark.parametrize("separator", ["", ",,", 3, "\n", '"'])
def test_a_separator_is_one_character(write, separator):
    with pytest.raises(InputError, match=r"separator=.*expected one character"):
        readers.read_table(write("dataset,a\nx,1\n"), separator=separator)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": "run"}, "key='run': expected a column of .*mine.txt: dataset, a"),
        ({"key": ["a"]}, r"key=\['a'\]: expected the name of a column"),
        ({"groups": [1, 2]}, r"groups=\[1, 2\]: expected the name of a column"),
        ({"where": "a=1"}, "where='a=1': expected a mapping"),
        ({"groups": "town"}, "groups='town': expected a column"),
        ({"gold": "right"}, "gold='right': expected a column"),
        ({"systems": ["b"]}, "systems='b': expected a column"),
        ({"ignore": "b"}, "ignore='b': expected a column"),
        ({"systems": 3}, "systems=3: expected different names"),
        ({"systems": ["a", "a"]}, "systems=.*expected different names"),
        ({"where": {"town": "x"}}, "where='town': expected a column"),
        ({"where": {"dataset": "z"}}, "where={'dataset': 'z'}: expected one of x, y"),
        ({"key": "a", "groups": "a"}, "the column 'a' is groups and key; expected one of the two"),
        ({"empty": "zero"}, "empty='zero': expected one of 'wrong', 'drop'"),
        ({"positive": "1"}, "positive='1': expected a table with a gold column; say gold="),
        ({"runs": ["seed*"]}, r"runs='seed\*': expected a pattern of columns: dataset, a"),
    ],
)
def test_what_is_said_must_be_there(write, options, words):
    with pytest.raises(InputError, match=words):
        readers.read_table(write("dataset,a\nx,1\ny,0\n"), **options)


def test_an_option_that_does_nothing_for_the_file_is_refused(write):
    path = write("dataset,a\nx,1\ny,0\n")
    with pytest.raises(InputError, match=r"scheme='IOB2': does nothing for a table .*mine\.txt"):
        read(path, scheme="IOB2")
    with pytest.raises(InputError, match=r"group='dataset': .* is it groups=\?"):
        read(path, group="dataset")
    with pytest.raises(InputError, match="at least one file"):
        read()


@pytest.mark.parametrize(
    ("options", "near"),
    [
        ({"groups": "DOC"}, "doc"),
        ({"systems": ["Olds", "new"]}, "old"),
        ({"where": {"docs": "d1"}}, "doc"),
    ],
)
def test_a_column_that_is_nearly_so_called_is_asked_about(write, options, near):
    path = write("id,doc,old,new\n" + "".join(f"s{i},d{i // 2},{i % 2},1\n" for i in range(8)))
    with pytest.raises(InputError, match=rf": id, doc, old, new; is it {near}\?"):
        read(path, **options)
    long = write("id,model,score\n" + "".join(f"s{i // 2},m-{i % 2},{i % 3}\n" for i in range(8)))
    with pytest.raises(InputError, match=r"one of m-0, m-1 in 'model'; is it m-1\?"):
        read(long, systems=["M-1"])
    with pytest.raises(InputError, match=r"one of 'mean', 'accuracy'; is it accuracy\?"):
        compare([0, 1, 1], [1, 1, 0], "acuracy")
    with pytest.raises(InputError, match="at least one file"):
        readers.read_table()


# --- Right and wrong in words -----------------------------------------------------------------

PAIRS = [
    ("True", "False"),
    ("true", "false"),
    ("yes", "no"),
    ("pass", "fail"),
    ("Passed", "Failed"),
    ("correct", "incorrect"),
    ("right", "wrong"),
    ("C", "I"),
]


@pytest.mark.parametrize(("right", "wrong"), PAIRS)
@pytest.mark.parametrize("mark", [",", ";"])
def test_right_and_wrong_in_words_are_counted_and_said(write, right, wrong, mark):
    cells = [f"s{i},{right if i % 4 else wrong},{right if i % 3 else wrong}" for i in range(24)]
    path = write("\n".join(["id,old,new", *cells]).replace(",", mark))
    old, new = read(path)
    assert old.values.tolist() == [float(i % 4 > 0) for i in range(24)]
    assert new.metric == "accuracy" and score(new).value == pytest.approx(2 / 3)
    note = f"'{right}' counts 1, '{wrong}' 0."
    assert old.notes == (note,) and note in str(compare(old, new))


def test_right_and_wrong_beside_numbers_are_not_mixed(write):
    rows = "".join(f"s{i},{0.1 * i},{'yes' if i % 2 else 'no'}\n" for i in range(20))
    path = write(f"id,comet,judge\n{rows}")
    with pytest.raises(InputError, match=r"numbers, but 'judge' right or wrong in words; say sys"):
        read(path)
    [judge] = read(path, systems="judge")
    assert judge.values.sum() == 10


# --- Labels beside a gold standard --------------------------------------------------------------

CLASSES = "id,shop,gold,old,new\n1,s,x,x,x\n2,s,y,x,y\n3,t,y,y,z\n"


def test_predictions(write):
    old, new = readers.read_table(write(CLASSES), groups="shop", key="id")
    assert names([old, new]) == ["old", "new"]
    assert [score(one).value for one in (old, new)] == [pytest.approx(2 / 3)] * 2
    assert old.metric == "accuracy" and old.unit == "item"
    assert old.groups.tolist() == ["s", "s", "t"]
    # x, y and z for both systems, though old never says z: macro-F1 has one list of classes.
    expected = [
        f1_score(list("xyy"), list(answers), average="macro", labels=list("xyz"), zero_division=0)
        for answers in ("xxy", "xyz")
    ]
    result = compare(old, new, "macro_f1")
    assert result.value_b == pytest.approx(expected[1])
    assert result.value_a == pytest.approx(f1_score(list("xyy"), list("xxy"), average="macro"))


def test_a_column_called_group_is_taken(write):
    rows = "".join(f"{'xy'[i % 2]},{'xy'[i % 3 % 2]},{i % 4}\n" for i in range(12))
    [a] = readers.read_table(write(f"gold,a,group\n{rows}"))
    assert a.name == "a" and a.groups.tolist() == [str(i % 4) for i in range(12)]
    assert readers.read_table(write("gold,a\nx,x\ny,x\n"))[0].groups is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("gold\nx\ny\n", "no column has classes such as .* of the gold standard 'gold'"),
        ("gold,a\nx,x\ny,\n", "line 3: a='': a blank answer; say empty='wrong'"),
        ("gold,a\nx,x\n,x\n", "line 3: gold='': expected a value"),
        ("gold,a\nx,x\nx,y\n", "the gold column 'gold' has one value only, 'x'"),
        ("gold,a\nx,q\ny,r\n", "no column has classes such as"),
    ],
)
def test_predictions_refuse_with_file_and_line(write, content, words):
    with pytest.raises(InputError, match=words):
        readers.read_table(write(content))


def test_a_thousand_classes_have_an_accuracy(write):
    """Free text beside the right answer: as many classes as answers."""
    rows = "".join(f"{i},answer {i},answer {i if i % 4 else 0}\n" for i in range(1_200))
    [mine] = readers.read_table(write(f"id,gold,mine\n{rows}"))
    assert score(mine).value == pytest.approx(0.75 + 1 / 1_200)


def test_f1_of_a_table_is_that_of_one_class_or_says_that_it_is_accuracy(write):
    """It was called F1 and was accuracy: 0.94 where F1 of the rare class is 0.55."""
    rng = np.random.default_rng(3)
    gold = (rng.random(300) < 0.1).astype(int)
    answers = [np.where(rng.random(300) < share, 1 - gold, gold) for share in (0.05, 0.08)]
    rows = [f"{i},{g},{a},{b}" for i, (g, a, b) in enumerate(zip(gold, *answers))]
    path = write("\n".join(["id,gold,old,new", *rows]), "labels.csv")
    found = compare(*read(path), metric="f1")
    assert found.value_a == pytest.approx(np.mean(answers[0] == gold))
    assert str(found).startswith("Micro-F1, which is accuracy here, is ")
    one_class = compare(*read(path, positive="1"))
    expected = [f1_score(gold, own) for own in answers]
    assert [one_class.value_a, one_class.value_b] == pytest.approx(expected)
    assert str(one_class).startswith("F1 of '1' is ")
    with pytest.raises(InputError, match="positive='2': expected one of 0, 1"):
        read(path, positive="2")


def classes(items, wrong=(), head="id,gold,mine", names="r{}"):
    rows = [(names.format(i), "xyz"[i % 3], "xyz"[(i + (i in wrong)) % 3]) for i in items]
    return "\n".join([head, *map(",".join, rows)]) + "\n"


def test_predictions_of_two_files_are_matched_by_id(write):
    mixed = np.random.default_rng(0).permutation(60)
    old = write(classes(range(60), wrong=range(0, 30, 2)), "old.csv")
    straight = write(classes(range(60), wrong=range(8)), "straight.csv")
    for head in ("id,gold,mine", "gold,mine,id"):
        text = classes(mixed, wrong=range(8)).splitlines()[1:]
        if head[0] == "g":
            text = [",".join([*row.split(",")[1:], row.split(",")[0]]) for row in text]
        new = write("\n".join([head, *text]), "new.csv")
        systems = readers.read_table(old, new)
        assert names(systems) == ["old", "new"]  # both columns are called mine
        result = compare(*systems)
        assert result.pvalue == compare(*readers.read_table(old, straight)).pvalue
        assert str(result).startswith("Accuracy is 0.7500 for old and 0.8667 for new")
        assert compare(*systems, "macro_f1").n_units == 60
        first = result.disagreements().iloc[0]
        assert first["item"].startswith("r") and int(first["item"][1:]) < 30


def test_predictions_of_two_files_that_do_not_match_are_refused(write):
    old, n = write(classes(range(9)), "old.csv"), write(classes(range(1, 9)), "n.csv")
    other = readers.read_table(old, write(classes(range(9), names="z{}"), "z.csv"))
    with pytest.raises(InputError, match="9 items are not in all systems, such as 'r0'"):
        compare(*other)
    short = readers.read_table(old, n)
    with pytest.raises(InputError, match="1 item is not in all systems, such as 'r0'"):
        compare(*short)
    assert "1 item without a match left out." in str(compare(*short, unmatched="drop"))
    gold = write(classes(range(9)).replace("r4,y", "r4,z"), "new.csv")
    with pytest.raises(InputError, match=r"new: expected the same gold .* 'r4' is 'y' there"):
        compare(*readers.read_table(old, gold))
    with pytest.raises(InputError, match="comes twice; expected different files"):
        readers.read_table(old, old)


def test_two_files_without_ids_must_have_the_same_gold_classes(write):
    bare = write("gold,mine\n" + "x,x\ny,y\nz,z\n" * 4, "bare.csv")
    text = "gold,mine\n" + "x,x\n" * 4 + "y,y\n" * 4 + "z,z\n" * 4
    shuffled = write(text, "shuffled.csv")
    with pytest.raises(InputError, match=r"shuffled: expected the same gold .* 1 is 'y' there and"):
        compare(*readers.read_table(bare, shuffled))
    named = write(classes(range(12)), "named.csv")  # ids in one of the two cannot be matched
    assert compare(*readers.read_table(named, bare)).n_units == 12
    with pytest.raises(InputError, match=r"bare: .* as many units as named has \(9\), got 12"):
        compare(*readers.read_table(write(classes(range(9)), "named.csv"), bare))


def test_groups_of_two_files_are_matched_by_id(write):
    rows = [(f"r{i}", "xy"[i % 2], "xy"[i % 3 % 2], f"g{i % 7}") for i in range(42)]
    paths = [
        write("\n".join(["id,gold,mine,author", *map(",".join, part)]), f"{name}.csv")
        for name, part in (("a", rows), ("b", rows[::-1]))
    ]
    assert compare(*readers.read_table(*paths)).n_groups == 7
    moved = write(paths[0].read_text().replace("g6", "g5"), "b.csv")
    with pytest.raises(InputError, match=r"the same groups everywhere, but .* of a and in .* of b"):
        compare(*readers.read_table(paths[0], moved, groups="author"))


def test_classes_that_are_predicted_but_never_gold_are_named(write):
    rows = "".join("x,x,x\ny,x,y\n" for _ in range(20))
    old, new = readers.read_table(write("gold,old,new\n" + rows + "x,x,X\n"))
    assert old.notes == ()
    result = compare(old, new, "macro_f1")
    assert "'X' is predicted but never gold (1 item)." in str(result)
    assert new[:3].notes == new.notes
    many = "".join(f"x,x,z{i}\n" for i in range(5)) + "x,x,x\ny,y,y\n"
    notes = readers.read_table(write("gold,old,new\n" + many))[1].notes
    assert notes[0] == "'z0' is predicted but never gold (1 item)." and len(notes) == 4
    assert notes[-1] == "So are 2 more classes."


# --- Blank answers ------------------------------------------------------------------------------


def test_blank_answers_count_wrong_or_leave_the_item_out_for_all(write):
    rows = [f"s{i},{i % 2},{'' if i in (3, 4) else (i + 1) % 2}" for i in range(20)]
    path = write("\n".join(["id,old,new", *rows]))
    with pytest.raises(InputError, match="line 5: new='': a blank answer; say empty='wrong'"):
        read(path)
    old, new = read(path, empty="wrong")
    assert new.values[3] == new.values[4] == 0 and len(new) == 20
    assert "2 blank answers of new counted wrong." in str(compare(old, new))
    old, new = read(path, empty="drop")
    assert len(old) == len(new) == 18 and "s3" not in old.ids.tolist()
    assert str(compare(old, new)).count("2 items with a blank answer left out.") == 1
    for name, missing in (("bm25", ()), ("dense", (3, 4))):
        rows = [f"q{i}\t{'' if i in missing else i / 20}" for i in range(20)]
        path = write("\n".join(["query\tndcg", *rows]), f"{name}.tsv")
    with pytest.raises(InputError, match="say empty='wrong' to count it 0, or"):
        read(path)
    found = read(path.with_name("bm25.tsv"), path, empty="wrong")
    assert [one.notes for one in found] == [(), ("2 blank answers of dense counted 0.",)]
    seconds = write("\n".join(["id,old", *(f"s{i},{'' if i == 3 else 2.5 * i}" for i in range(9))]))
    with pytest.raises(InputError, match="a blank answer has no score between 0 and 1"):
        read(seconds, empty="wrong")


def test_blank_labels_are_wrong(write):
    rows = [f"s{i},{'xy'[i % 2]},{'' if i < 5 else 'xy'[i % 2]}" for i in range(20)]
    [mine] = read(write("\n".join(["id,gold,mine", *rows])), empty="wrong")
    assert score(mine).value == 0.75
    assert mine.notes == ("5 blank answers of mine counted wrong.",)


# --- Columns that are no systems ----------------------------------------------------------------


def scores(head, *columns):
    return "\n".join([head, *(",".join(map(str, row)) for row in zip(*columns))]) + "\n"


DOCUMENTS = [f"doc{i // 4}" for i in range(24)]
OLD_SCORES, NEW_SCORES = ([round(0.5 + 0.01 * (i * k % 13), 2) for i in range(24)] for k in (3, 5))


@pytest.mark.parametrize(
    ("head", "ids"),
    [
        ("document,segment,old,new", range(24)),
        ("document,id,old,new", range(7, 31)),
        ("document,question_id,old,new", range(24)),
        ("document,n,old,new", range(24)),
        ("document,what,old,new", [f"s{i}" for i in range(24)]),
    ],
)
def test_a_column_that_names_rows_is_no_system(write, head, ids):
    found = readers.read_table(write(scores(head, DOCUMENTS, ids, OLD_SCORES, NEW_SCORES)))
    assert names(found) == ["old", "new"]
    assert found[0].ids.tolist() == [str(one) for one in ids]
    assert compare(*found).n_groups == 6
    last = head.split(",")
    text = scores(",".join([*last[2:], *last[:2]]), OLD_SCORES, NEW_SCORES, DOCUMENTS, ids)
    again = readers.read_table(write(text))
    assert again[0].ids.tolist() == found[0].ids.tolist() and names(again) == ["old", "new"]
    # With pandas' own numbers in front.
    text = scores(f",{head}", range(24), DOCUMENTS, ids, OLD_SCORES, NEW_SCORES)
    assert names(readers.read_table(write(text))) == ["old", "new"]


def test_a_column_that_may_name_rows_is_asked_for(write):
    within = scores(
        "document,place,old,new", DOCUMENTS, [i % 4 for i in range(24)], OLD_SCORES, NEW_SCORES
    )
    for said in ({}, {"key": "place"}):  # with groups it begins again with each of them
        found = readers.read_table(write(within), **said)
        assert names(found) == ["old", "new"] and len(set(found[0].ids)) == 24
    with pytest.raises(InputError, match=r"counts up and begins again.*'document', 'place'"):
        readers.read_table(write(within), ignore="document")
    odd = scores("old,number,new", OLD_SCORES, [3 * i + 100 for i in range(24)], NEW_SCORES)
    with pytest.raises(InputError, match=r"on different scales.*'number' from 100 to 169"):
        readers.read_table(write(odd))
    # Whole numbers among whole numbers are a system: seconds, penalties.
    whole = scores("old,new", [3 * i for i in range(24)], [i * i % 15 for i in range(24)])
    assert names(readers.read_table(write(whole))) == ["old", "new"]


def test_a_text_column_that_repeats_asks_for_groups(write):
    text = scores("topic,segment,old", DOCUMENTS, range(24), OLD_SCORES)
    with pytest.raises(InputError, match=r"'topic' repeats.*groups='topic'.*ignore='topic'"):
        readers.read_table(write(text))
    assert readers.read_table(write(text), groups="topic")[0].n_groups == 6
    [left] = readers.read_table(write(text), ignore="topic")
    note = "Items count as independent: 'topic' was ignored."
    assert left.groups is None and left.notes == (note,) and note in str(score(left))
    text = scores(
        "id,sentence,old,new", range(24), map("s{}".format, range(24)), OLD_SCORES, NEW_SCORES
    )
    old, _ = readers.read_table(write(text))
    assert "not used: sentence" in old.reading
    assert old.columns["sentence"].tolist()[:2] == ["s0", "s1"]


def test_a_column_of_ids_is_no_system(write):
    path = write("id,gold,base,big\n0,1,1,1\n1,0,1,0\n2,0,0,0\n")
    assert names(readers.read_table(path)) == ["base", "big"]
    path = write("number,gold,base\n0,1,1\n1,0,1\n2,0,0\n")
    assert names(readers.read_table(path)) == ["base"]


def test_a_group_column_of_scores_makes_groups(write):
    rows = [f"s{i},d{i // 3},{i * i % 5},{i * i % 7}" for i in range(30)]
    old, new = readers.read_table(write("\n".join(["segment,group,old,new", *rows])))
    result = compare(old, new)
    assert result.n_groups == 10 and result.unit == "segment"
    with_groups = compare(
        [i * i % 5 for i in range(30)],
        [i * i % 7 for i in range(30)],
        groups=[i // 3 for i in range(30)],
    )
    assert result.interval == with_groups.interval


def test_where_takes_rows_and_asks_no_more(write):
    rows = [f"q{i},{('easy', 'hard')[i % 2]},{i % 3 > 0:d},{i % 5 > 0:d}" for i in range(40)]
    path = write("\n".join(["question_id,difficulty,old,new", *rows]))
    with pytest.raises(InputError, match="'difficulty' repeats"):
        read(path)
    hard, _ = read(path, where={"difficulty": "hard"})
    assert len(hard) == 20 and hard.values.tolist() == [float(i % 3 > 0) for i in range(1, 40, 2)]
    assert hard.notes == () and hard.groups is None
    # The line of a cell is that of the file, not of the rows that were taken.
    rows[21] = "q21,hard,x,1"
    with pytest.raises(InputError, match="line 23: old='x'"):
        wrong = write("\n".join(["question_id,difficulty,old,new", *rows]))
        read(wrong, where={"difficulty": "hard"})


# --- Long tables --------------------------------------------------------------------------------


def long_table(seeds=(1,), models=("old", "new"), n=12):
    rows = [
        f"q{i},{model},{seed},{(i * (2 + place) + seed) % 5 / 4}"
        for seed in seeds
        for place, model in enumerate(models)
        for i in range(n)
    ]
    head = "item,model,seed,score"
    if len(seeds) == 1:
        rows = [",".join(row.split(",")[:2] + row.split(",")[3:]) for row in rows]
        head = "item,model,score"
    return "\n".join([head, *rows]) + "\n"


def test_one_row_per_item_and_model(write):
    old, new = read(write(long_table()))
    assert names([old, new]) == ["old", "new"] and old.n_runs == 1
    assert old.values.tolist() == [(2 * i + 1) % 5 / 4 for i in range(12)]
    assert new.ids.tolist() == [f"q{i}" for i in range(12)]
    only = read(write(long_table(models=("old", "new", "large"))), systems=["large", "old"])
    assert names(only) == ["large", "old"]
    with pytest.raises(InputError, match="systems='x': expected one of new, old in 'model'"):
        read(write(long_table()), systems="x")


def test_seeds_of_a_long_table_are_runs(write):
    old, new = read(write(long_table(seeds=(1, 2, 10))))
    assert (old.n_runs, old.run_names) == (3, ("1", "2", "10"))
    assert old.values.shape == (3, 12)
    assert old.values[2].tolist() == [(2 * i + 10) % 5 / 4 for i in range(12)]
    assert compare(old, new).n_runs == (3, 3)
    text = long_table(seeds=(1, 2)).splitlines()
    with pytest.raises(InputError, match="new lacks 1 row of seed 2, such as that of 'q11'"):
        read(write("\n".join(text[:-1])))
    with pytest.raises(InputError, match=r"line 26: item='q0'.* comes twice for old, seed 1"):
        read(write("\n".join([*text[:25], "q0,old,1,0.5", *text[25:]])))


def test_columns_by_pattern_are_runs(write):
    rows = [f"q{i},{i % 2},{i % 3 % 2},{(i + 1) % 2},{i % 5 % 2}" for i in range(12)]
    path = write("\n".join(["id,a_seed1,a_seed2,b_seed1,b_seed2", *rows]))
    a, b = read(path, runs=["a_seed*", "b_seed*"])
    assert names([a, b]) == ["a_seed", "b_seed"] and a.run_names == ("1", "2")
    assert a.values.tolist()[1] == [i % 3 % 2 for i in range(12)]
    assert compare(a, b).n_runs == (2, 2)


# --- JSON, gzip, Excel, parquet -----------------------------------------------------------------

RECORDS = [
    {"id": f"q{i}", "score": i % 3 / 2, "ok": i % 2 == 0, "more": {"tokens": i}} for i in range(12)
]


def test_json_lines_and_lists_are_tables(write):
    lines = "".join(json.dumps(one) + "\n" for one in RECORDS)
    for path in (write(lines, "old.jsonl"), write(json.dumps(RECORDS, indent=1), "old.json")):
        [found] = read(path, systems="score")
        assert found.values.tolist() == [i % 3 / 2 for i in range(12)]
        assert found.ids.tolist()[:2] == ["q0", "q1"]
        [ok] = read(path, systems="ok")
        assert ok.values.tolist() == [1.0, 0.0] * 6
    cut = write(lines[:-20], "old.jsonl")
    with pytest.raises(InputError, match=r"old\.jsonl, line 12: not JSON .*cut off"):
        read(cut)
    with pytest.raises(InputError, match="line 13: expected an object with named fields, found 5"):
        read(write(lines + "5\n", "old.jsonl"))


def test_one_jsonl_per_model_is_matched_by_id(write):
    paths = []
    for name, step in (("old", 3), ("new", 2)):
        rows = [
            {"id": f"q{i}", "score": float(i % step > 0), "category": "ab"[i % 2]}
            for i in range(40)
        ]
        rows = rows if name == "old" else rows[::-1]
        paths.append(write("".join(json.dumps(one) + "\n" for one in rows), f"{name}.jsonl"))
    with pytest.raises(InputError, match=r"'category' repeats.*ignore='category'"):
        read(*paths)
    old, new = read(*paths, ignore="category")
    assert names([old, new]) == ["old", "new"]
    result = compare(old, new)
    assert (result.value_a, result.value_b) == (pytest.approx(26 / 40), 0.5)
    assert result.n_units == 40


def test_files_packed_by_gzip(write):
    text = "id,old,new\nx,1,0\ny,0,1\nz,1,1\n"
    old, _ = read(write(gzip.compress(text.encode()), "mine.csv.gz"), items=True)
    assert old.values.tolist() == [1, 0, 1]
    packed = gzip.compress(text.replace(",new", ",x").encode())
    files = [write(packed, f"{name}.csv.gz") for name in "ab"]
    assert names(read(*files, systems="old", items=True)) == ["a", "b"]


@pytest.mark.parametrize("kind", ["excel", "parquet"])
def test_excel_and_parquet_are_read_like_a_csv(tmp_path, kind):
    pd = pytest.importorskip("pandas")
    pytest.importorskip({"excel": "openpyxl", "parquet": "fastparquet"}[kind])
    frame = pd.DataFrame({"id": list("wxyz") * 3, "old": [1, 0, 1, 1] * 3, "new": [0.5] * 12})
    frame["id"] += [str(i) for i in range(12)]
    path = tmp_path / f"mine.{kind}"
    if kind == "excel":
        frame.to_excel(path, engine="openpyxl", index=False)
    else:
        frame.to_parquet(path, index=False)
    old, new = read(path)
    assert old.values.tolist() == [1, 0, 1, 1] * 3 and new.values.tolist() == [0.5] * 12
    assert old.ids.tolist() == frame["id"].tolist()
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(InputError, match=rf"mine\.{kind}: not readable as (?i:{kind})"):
        readers.read_table(path)


def test_a_header_without_end_is_refused(write, monkeypatch):
    monkeypatch.setattr(_table, "_LONGEST_HEADER", 5)
    with pytest.raises(InputError, match=r"mine\.txt, line 1: over 5 characters"):
        readers.read_table(write("dataset,a\n"))


# --- Folds ----------------------------------------------------------------------------------------


def test_folds_are_read_with_their_sizes(write):
    text = "fold,old,new\n1,0.5,0.6\n2,0.4,0.5\n3,0.5,0.5\n"
    _, new = readers.read_folds(write(text), test_share=0.25)
    assert new.values.tolist() == [0.6, 0.5, 0.5] and new.unit == "fold"
    assert new.test_share == 0.25
    [sized] = readers.read_folds(write("fold,train,test,old\na,80,20,0.5\nb,79,21,0.4\n"))
    assert sized.test_share == 0.205 and names([sized]) == ["old"]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("fold,old,new\n1,0.5,0.6\n2,0.4,0.5\n", r"may be folds .*say test_share=0.1 .*items=True"),
        ("fold\n1\n2\n", "no column of scores"),
        ("fold,train,old\n1,2,3\n2,2,3\n", "expected train with test"),
        ("fold,old\n1,x\n2,0.5\n", "line 2: old='x': expected a finite number"),
        ("fold,train,test,old\n1,0,2,3\n2,1,1,3\n", "line 2: train='0': expected a number above 0"),
        ("fold,train,test,old\n1,1,2,3\n1,1,2,3\n", "line 3: fold='1': comes twice, .*line 2"),
        ("fold,train,test,old\n1,1,2,3\n2,1,2,\n", "line 3: old='': expected a value"),
    ],
)
def test_folds_are_refused_with_file_and_line(write, bad, words):
    with pytest.raises(InputError, match=words):
        readers.read_folds(write(bad))


def test_folds_of_a_repeated_cross_validation(write):
    rows = [f"{i % 5},{i // 5},{0.5 + 0.01 * (i % 3)},{0.5 + 0.01 * (i % 4)}" for i in range(10)]
    old, _ = read(write("\n".join(["fold,repetition,old,new", *rows])), test_share=0.2)
    assert len(set(old.ids)) == 10 and len(old) == 10 and old.unit == "fold"


def test_few_nameless_rows_may_be_folds_and_are_asked(write):
    path = write("old,new\n" + "0.5,0.6\n0.4,0.5\n" * 4)
    with pytest.raises(InputError, match=r"may be folds .*test_share=0.1.*items=True"):
        read(path)
    assert read(path, items=True)[0].unit == "item"
    assert read(path, test_share=0.2)[0].test_share == 0.2
    many = write("old,new\n" + "0.5,0.6\n0.4,0.5\n" * 6)
    assert read(many)[0].unit == "item"


def test_a_long_column_of_numbers_is_read_as_float_reads_it():
    """Long columns go another way; every digit, and every refusal, is that of float()."""
    rng = np.random.default_rng(5)
    cells = [repr(float(x)) for x in rng.normal(size=2000) * 10.0 ** rng.integers(-300, 300, 2000)]
    cells += [f"{x:.{k}f}" for x, k in zip(rng.random(2000), rng.integers(1, 25, 2000))]
    cells += ["+1", "-0", "007", ".5", "5.", "1E5", "1e-320"]
    expected = np.array([float(cell) for cell in cells])
    assert (_table.Column("x", cells).numbers == expected).all()
    for strange in ("1e", "--1", "1-1", "e5", ".", "+", "1.2.3", "2e308", "1\n2"):
        assert not _table.Column("x", [*cells, strange]).is_number, strange
    with_blank = _table.Column("x", [*cells, ""])
    assert with_blank.is_number and np.isnan(with_blank.numbers[-1])


def test_a_blank_answer_of_a_long_table_is_said_with_its_model_and_run(write):
    rows = [f"s{i},{m},{s},{i % 2}" for s in (1, 2) for m in ("old", "new") for i in range(6)]
    rows[20] = "s2,new,2,"  # behind it in the order of systems and runs, before it in the file
    rows = [rows[20], *rows[:20], *rows[21:]]
    rows[3] = "s2,old,1,"
    path = write("item,model,seed,score\n" + "\n".join(rows) + "\n", "long.csv")
    for options, line, whose in (
        ({}, 2, "new, seed 2"),
        ({"systems": ["old"]}, 5, "old, seed 1"),
    ):
        with pytest.raises(InputError) as refusal:
            read(path, **options)
        assert (refusal.value.line, refusal.value.column) == (line, "score")
        assert refusal.value.problem == f"a blank answer of {whose}"
    assert [one.name for one in read(path, empty="drop")] == ["new", "old"]
