"""What a newcomer types about files of his own: every offered command works when it is typed."""

from __future__ import annotations

import shlex

import pytest

from betterthan.__main__ import main


@pytest.fixture
def run(capsys):
    """Exit code, standard output and standard error of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(list(map(str, arguments)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A file with these rows, by its name in the folder where one is."""
    monkeypatch.chdir(tmp_path)

    def write(rows: list[str], name: str = "mine.csv") -> str:
        (tmp_path / name).write_text("\n".join(rows) + "\n", "utf-8")
        return name

    return write


def offered(out: str) -> list[list[str]]:
    """The commands that `look` offers, as they are typed."""
    lines = [line for line in out.split("\n") if line.startswith("ask: betterthan ")]
    return [shlex.split(line.removeprefix("ask: betterthan ")) for line in lines]


NOTED = ["id,topic,lang,old,new"] + [
    f"s{k},{'abc'[k % 3]},{'xy'[k % 2]},{int(k % 5 > 1)},{int(k % 7 > 1)}" for k in range(120)
]
FOUR = ["id,a_1,a_2,b_1,b_2"] + [
    f"s{k},{k % 2},{int(k % 3 == 0)},{int(k % 4 != 1)},{int(k % 5 != 1)}" for k in range(40)
]


@pytest.mark.parametrize(
    ("rows", "flag", "names"),
    [
        (NOTED, "--ignore", ["topic", "lang"]),
        (FOUR, "--systems", ["b_1", "a_1"]),
        (FOUR, "--runs", ["a_*", "b_*"]),
        (FOUR, "--systems", ["a_1", "b_1", "b_2"]),
    ],
)
def test_a_flag_typed_twice_adds_up(run, write, rows, flag, names):
    path = write(rows)
    once = run("compare", path, flag, *names)
    assert once[0] == 0
    assert run("compare", path, *(part for name in names for part in (flag, name))) == once
    first, *rest = names
    assert run("compare", path, flag, first, flag, *rest) == once


def test_a_way_on_takes_up_what_was_typed_before(run, write):
    path = write(NOTED)
    code, _, err = run("compare", path, "--ignore", "topic")
    assert code == 2 and "or --ignore topic lang if" in err
    typed = ["compare", path, "--ignore", "topic", "--ignore", "topic", "lang"]
    assert run(*typed)[0] == 0


def test_look_offers_commands_with_all_that_was_typed(run, write):
    path = write(NOTED)
    said = ["--where", "topic=a", "--where", "lang=x", "--names", "the old one", "B"]
    code, out, _ = run("look", path, "--confidence", "0.9", *said)
    assert code == 0
    for command in offered(out):
        assert command[2:].count("--where") == 2 and "the old one" in command
        assert run(*command)[0] == 0
    _, out, _ = run("look", path, "--ignore", "topic", "--names", "A", "B")
    by_groups, without = offered(out)
    assert by_groups[2:] == ["--ignore", "topic", "--names", "A", "B", "--groups", "lang"]
    assert without[2:] == ["--ignore", "topic", "lang", "--names", "A", "B"]
    assert all(run(*command)[0] == 0 for command in (by_groups, without))


def test_the_command_with_the_other_file_keeps_what_was_typed(run, write):
    path = write(FOUR)
    said = ["--systems", "a_1", "--lower-is-better", "--margin", "0.1"]
    _, _, err = run("compare", path, *said)
    assert err.strip().endswith(f"betterthan compare {path} OTHER {' '.join(said)}")


def long() -> list[str]:
    """One row per item, model and seed."""
    return [
        f"q{k},{model},{seed},{int((k + seed) % (5 if model == 'base' else 7) > 1)}"
        for k in range(50)
        for model in ("base", "tuned")
        for seed in (1, 2, 3)
    ]


LONG = ["question_id,model,seed,score", *long()]


@pytest.mark.parametrize("rows", [NOTED, LONG])
def test_groups_of_one_item_each_are_none(run, write, rows):
    path, column = write(rows), rows[0].split(",", 1)[0]
    left_out = ["--ignore", "topic", "lang"] if rows is NOTED else []
    code, _, err = run("compare", path, "--groups", column, *left_out)
    assert code == 2 and f"--groups {column}: every item has another value there" in err
    _, out, _ = run("look", path, "--groups", column, *left_out)
    assert offered(out) == [["look", path, *left_out, "--key", column]]
    _, out, _ = run(*offered(out)[0])
    assert f"{column} names the items" in out and len(offered(out)) > 2


def test_items_that_come_twice_may_be_groups_and_back(run, write):
    """Neither of the two flags leads to the other and back."""
    path = write(["task,old,new", *(f"t{k // 3},{k % 2},{int(k % 3 > 0)}" for k in range(60))])
    _, out, _ = run("look", path, "--key", "task")
    assert offered(out) == [["look", path, "--groups", "task"]]
    assert "60 items in 20 groups" in run(*offered(out)[0])[1]


def test_an_item_in_two_groups_is_named(run, write):
    rows = [f"s{k},d{k // 4},{k % 2}" for k in range(40)]
    old = write(["id,document,score", *rows], "old.csv")
    new = write(["id,document,score", *rows[:4], "s4,d9,1", *rows[5:]], "new.csv")
    _, _, err = run("compare", old, new)
    text = "expected the same groups everywhere, but item 's4' is in 'd1' of old and in 'd9' of new"
    said = "the column 'document' says what they belong to"
    assert err.strip() == f"betterthan: {said}; {text}; say --ignore document if it does not matter"
    assert run("compare", old, new, "--ignore", "document")[0] == 0
    without = write(["id,score", *(f"s{k},{k % 2}" for k in range(40))], "bare.csv")
    assert run("compare", old, without)[2].count("everywhere, but bare has none; say")


@pytest.mark.parametrize("way", ["wrong", "drop"])
def test_missing_rows_are_like_blank_answers(run, write, way):
    gone = ("q7,tuned,2,", "q8,tuned,2,", "q30,base,1,")
    path = write([row for row in LONG if not row.startswith(gone)])
    code, _, err = run("compare", path)
    assert code == 2 and "base lacks 1 row of seed 1, such as that of 'q30'" in err
    assert "; 3 rows are missing in all; say --empty wrong to count it wrong, or --empty" in err
    _, out, _ = run("look", path)
    assert ["look", path, "--empty", way] in offered(out)
    missing = run("compare", path, "--empty", way)
    first, *rest = LONG
    blank = [row.rsplit(",", 1)[0] + "," if row.startswith(gone) else row for row in rest]
    blanks = run("compare", write([first, *blank], "blanks.csv"), "--empty", way)
    assert missing[0] == blanks[0] == 0
    same = [
        one[1].split("\nread:")[0].replace("blank or missing", "blank") for one in (missing, blanks)
    ]
    assert same[0] == same[1]


def test_rows_are_rows_of_the_file(run, write):
    path = write(LONG)
    for command in ("look", "compare"):
        out = run(command, path)[1]
        assert "300 rows\n" in out and "50 rows" not in out
    assert "100 of 300 rows\n" in run("look", path, "--where", "seed=1")[1]


TASKS = [("arc", 0.01, 0.5, 0.6), ("mmlu", 0.2, 0.4, 0.41), ("bbh", 0.003, 0.5, 0.3)]


def of_tasks(head: str, *places: int) -> list[str]:
    """A table of p-values with some of the columns."""
    return [head, *(",".join(str(row[place]) for place in places) for row in TASKS)]


@pytest.mark.parametrize("head", ["task,p,old,new", "dataset,p-value,a,b", "corpus,P value,A,B"])
def test_p_values_beside_scores_are_read_in_both_ways(run, write, head):
    path = write(of_tasks(head, 0, 1, 2, 3))
    _, out, _ = run("look", path)
    sides = [command[-1] for command in offered(out)]
    assert sides == ["greater", "two-sided"] and "only that the two differ (two-sided)" in out
    said = [run(*command) for command in offered(out)]
    a, b = ("old", "new") if "old" in head else ("A", "B")
    assert said[0][1].startswith(f"{b} is better than {a} on at least 2 of 3 datasets")
    assert said[1][1].startswith(f"{b} is better than {a} on at least 1 of 3 datasets, namely arc")
    for command in ("datasets", "compare"):  # what works is named
        _, _, err = run(command, path)
        assert "--alternative greater" in err and "--alternative two-sided" in err


def test_p_values_without_scores_have_one_reading(run, write):
    path = write(of_tasks("task,p", 0, 1))
    _, out, _ = run("look", path)
    assert offered(out) == [["datasets", path, "--alternative", "greater"]]
    assert "add two columns, the scores of the old system and of the new one" in out
    assert run(*offered(out)[0])[0] == 0
    code, _, err = run("datasets", path, "--alternative", "two-sided")
    assert code == 2 and "differences" not in err
    assert f"expected two more columns in {path}, the scores of both systems" in err


def test_a_system_called_p_is_none_of_p_values(run, write):
    shares = [f"x{k},{k % 7 / 10},{k % 5 / 10},{k % 3 / 10}" for k in range(30)]
    path = write(["item,p,old,new", *shares])
    assert "systems: p, old" in run("look", path, "--systems", "p", "old")[1]
    assert "systems: old, new" in run("look", path, "--ignore", "p")[1]
    right = write(["item,p,q,r", *(f"x{k},{k % 2},{k % 3 % 2},1" for k in range(30))])
    assert "systems: p, q, r" in run("look", right)[1]


@pytest.mark.parametrize("kind", ["probabilities", "candidates"])
def test_groups_of_one_are_refused_in_other_tables_too(run, write, kind):
    head, row = {
        "probabilities": ("id,probability,correct", "q{0},0.{1},{2}"),
        "candidates": ("candidate,gold,old,new", "q{0},{2},0.{1},0.3{1}"),
    }[kind]
    path = write([head, *(row.format(k, k % 7 + 1, k % 2) for k in range(40))])
    command, column = ("compare" if kind == "candidates" else "score"), head.split(",", 1)[0]
    assert run(command, path)[0] == 0
    _, _, err = run(command, path, "--groups", column)
    assert f"{path}: --groups {column}: every item has another value there" in err
