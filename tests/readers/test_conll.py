"""Tags in columns: what is taken, what is refused with file and line, and what the counts are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from betterthan import InputError, Results, compare, read, readers, score
from betterthan.counts import convert, count_spans

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


def one(path, **options):
    """The only system of a file."""
    [found] = readers.read_conll(path, **options)
    return found


def same_counts(results, counts):
    """Whether they hold these counts, sentence by sentence."""
    return np.array_equal(results.values, Results(counts).values)


# --- The columns of a file ------------------------------------------------------------------


@pytest.mark.parametrize("content", DRESSES)
def test_conll_in_all_its_dresses(write, content):
    path = write(content)
    assert readers.read_columns(path) == {
        "word": [("Ann", "left"), ("Bonn",)],
        "gold": [("B-PER", "O"), ("B-LOC",)],
        "predicted": [("B-PER", "O"), ("O",)],
    }
    assert one(path).values.tolist() == [[1, 0, 0], [0, 0, 1]]  # tp, fp, fn
    assert one(path).unit == "sentence" and one(path).name == "mine"
    # Nobody has to say what it is.
    assert [found.values.tolist() for found in read(path)] == [[[1, 0, 0], [0, 0, 1]]]


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
    with pytest.raises(InputError, match=r"mine.txt, line 1: the byte\(s\) f6 are not utf-8"):
        readers.read_columns(path, ("word", "gold"))
    assert readers.read_columns(path, ("word", "gold"), encoding="latin-1")["word"] == [("Köln",)]


@pytest.mark.parametrize("reader", [readers.read_columns, readers.read_conll])
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
        (TWO.encode("utf-16"), "mine.txt, line 1: the byte.*it looks like UTF-16"),
    ],
)
def test_columns_are_refused_with_file_and_line(write, reader, content, words):
    with pytest.raises(InputError, match=words):
        reader(write(content))


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
    with pytest.raises(InputError, match=words):
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
    for reader in (readers.read_columns, readers.read_conll):
        with pytest.raises(InputError, match=words):
            reader(write(TWO), **options)


def test_every_cut_of_a_conll_file_inside_a_row_is_noticed_or_harmless(write):
    """A cut leaves whole rows, or the last row short: then it is refused."""
    full = "Ann B-PER B-PER\nleft O O\n"
    for end in range(1, len(full)):
        path = write(full[:end])
        last = full[:end].split("\n")[-1].split()
        if len(last) in (0, 3):
            assert readers.read_columns(path)["word"][0][0] == "Ann"
        else:
            with pytest.raises(InputError, match=r"mine.txt, line [12]: .*columns"):
                readers.read_columns(path)


def test_conll_of_nothing(write, tmp_path):
    with pytest.raises(InputError, match="at least one file"):
        readers.read_conll()
    with pytest.raises(FileNotFoundError):
        readers.read_conll(tmp_path / "nowhere")
    with pytest.raises(InputError, match="path=3: expected the path of a file"):
        readers.read_conll(3)


# --- Systems, and the gold standard beside or apart -------------------------------------------


def test_conll_of_several_systems(write):
    old = write(TWO, "old")
    new = write(TWO.replace("B-LOC O", "B-LOC B-LOC"), "new")
    found = readers.read_conll(old, new, old)
    values = [score(results).value for results in found]
    assert values == [pytest.approx(2 / 3), 1.0, pytest.approx(2 / 3)]
    assert found[0].groups is None and found[0].metric == "f1"


def test_conll_takes_the_last_two_columns(write):
    wide = "\n".join(line.replace(" ", " NN ", 1) for line in TWO.split("\n"))
    path, narrow = write(wide), write(TWO, "narrow")
    assert one(path).values.tolist() == one(narrow).values.tolist()
    where = {"word": 0, "gold": 2, "predicted": 3}
    assert one(path, columns=where).values.tolist() == one(path).values.tolist()
    # As they are typed on the command line.
    assert one(path, columns=[0, 2, 3]).values.tolist() == one(path).values.tolist()


def test_conll_with_the_gold_standard_apart(write):
    gold = write("Ann B-PER\nleft O\n\nBonn B-LOC\n", "gold")
    old = write("Ann B-PER\nleft O\n\nBonn O\n", "old")
    new = write("Ann NNP B-PER\nleft VBD O\n\nBonn NNP B-LOC\n", "new")
    together = one(write(TWO)).values.tolist()
    assert one(old, gold=gold).values.tolist() == together
    a, b = readers.read_conll(old, new, gold=gold)
    assert a.values.tolist() == together
    assert score(b).value == score(one(gold, gold=gold)).value == 1
    with pytest.raises(InputError, match=r"old: has 2 columns, too few.*gold="):
        readers.read_conll(old)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (TWO.replace("left", "went"), "new, line 2: 'went O', but 'left O' in .*old, line 2"),
        (TWO.replace("B-LOC O", "I-ORG O"), "new, line 4: 'Bonn I-ORG', but 'Bonn B-LOC'"),
        (TWO + "\nmore O O\n", "old: 1 sentence .* at the end: 'more' of .*new, line 6;"),
        ("Ann B-PER B-PER\nleft O O\n", "new: 1 sentence .* at the end: 'Bonn' of .*old, line 4"),
        (TWO.replace("\n\n", "\n"), "line 3: 'Bonn B-LOC', but 'the end of a sentence' .*line 3"),
        ("Ann B-PER O\n\nleft O O\n\nBonn B-LOC O\n", "line 2: 'the end of a sentence', but"),
    ],
)
def test_conll_files_must_have_the_same_sentences(write, other, words):
    with pytest.raises(InputError, match=words):
        readers.read_conll(write(TWO, "old"), write(other, "new"))


def test_words_that_a_system_changed_are_left_alone_where_asked(write):
    old, new = write(TWO, "old"), write(TWO.replace("left", "LEFT"), "new")
    where = {"gold": 1, "predicted": 2}
    assert len(readers.read_conll(old, new, columns=where)) == 2
    with pytest.raises(InputError, match=r"new, line 2: 'the end of a sentence', but 'O'"):
        readers.read_conll(
            old, write("Ann B-PER B-PER\n\nleft O O\nBonn B-LOC O\n", "new"), columns=where
        )


def test_a_file_with_two_systems_is_not_misread(write):
    both = write("Ann B-PER B-PER O\nleft O O O\n\nBonn B-LOC O B-LOC\n", "both.conll")
    with pytest.raises(InputError, match=r"say columns=.*'predicted': \[-2, -1\]"):
        readers.read_conll(both)
    wanted = {"word": 0, "gold": -3, "predicted": [-2, -1]}
    old, new = readers.read_conll(both, columns=wanted)
    assert [results.name for results in (old, new)] == ["both:-2", "both:-1"]
    assert old.values[:, 0].tolist() == [1, 0] and new.values[:, 0].tolist() == [0, 1]
    last = one(both, columns={"word": 0, "gold": 1, "predicted": 3})
    assert last.values.tolist() == new.values.tolist()
    # Chunks beside names are another matter: the last two columns are meant.
    chunks = write("Ann NNP B-NP B-PER B-PER\nleft VBD B-VP O O\n")
    assert one(chunks).values.tolist() == [[1, 0, 0]]


# --- Documents are groups -----------------------------------------------------------------------

START = "-DOCSTART- -X- O\n\n"


def test_conll_documents_are_groups(write):
    text = START + TWO + "\n" + START + TWO
    assert one(write(text)).groups.tolist() == [1, 1, 2, 2]
    assert one(write(START + TWO)).groups is None  # one document is no grouping
    assert one(write(text), groups=list("wxyz")).groups.tolist() == list("wxyz")
    with pytest.raises(InputError, match=r"groups: expected one label per unit \(4\)"):
        readers.read_conll(write(text), groups=[1, 2])
    plain = write(TWO + "\n" + TWO, "plain")
    both = readers.read_conll(plain, write(text))
    assert [part.groups.tolist() for part in both] == [[1, 1, 2, 2]] * 2


def test_documents_of_two_files_must_be_the_same(write):
    text = write(START + TWO + "\n" + START + TWO)
    other = write(START + TWO + "\n" + TWO.replace("\n\n", "\n\n" + START), "other")
    with pytest.raises(InputError, match=r"other: its -DOCSTART- lines differ.*mine.*groups="):
        readers.read_conll(text, other)
    assert len(readers.read_conll(text, other, groups=[1, 1, 2, 2])) == 2


def test_conll_documents_of_a_gold_standard_apart(write):
    gold = write("-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\nb O\n", "gold")
    assert one(write("a B-X\n\nb O\n"), gold=gold).groups.tolist() == [1, 2]


# --- Schemes of spans ---------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["IO", "IOB1", "IOB2", "IOBES", "BMES", "BB2B3MES", "BILOU"])
def test_conll_finds_the_scheme_or_is_told(write, scheme):
    gold, given = ("B-A", "I-A", "I-A", "O", "B-B", "O"), ("B-A", "I-A", "I-A", "O", "O", "B-B")
    target = "IOBES" if scheme == "BILOU" else scheme
    tags = [convert(x, "IOB2", target) for x in (gold, given)]
    if scheme == "BILOU":
        tags = [[tag.replace("E-", "L-").replace("S-", "U-") for tag in x] for x in tags]
    path = write("".join(f"w {a} {b}\n" for a, b in zip(*tags)))
    expected = count_spans([gold], [given])
    assert same_counts(one(path), expected) and same_counts(one(path, scheme=scheme), expected)


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
    said = {"word": 0, "gold": 1, "predicted": 2}  # the two may share no label
    assert same_counts(one(path, columns=said), count_spans([gold], [given_tags], scheme))


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("the B-X DT\n", {}, "line 1: the predicted tag 'DT'; .*scheme='plain'"),
        ("a O O\nb B-X X\n", {}, "line 2: the predicted tag 'X'; expected O, or B, I, "),
        (
            "a B-X E-X\n",
            {"scheme": "IOB2"},
            "line 1: the predicted tag 'E-X'; expected O, or B, I ",
        ),
        ("a NN NN\n", {"scheme": "IOB2"}, "line 1: the gold tag 'NN'; .*scheme='plain'"),
        ("a O O\n", {"scheme": "XML"}, "scheme='XML': expected one of 'IO'"),
        ("a O O\n", {"columns": {"word": 0}}, "columns=.*expected the numbers of gold and pred"),
        ("a O O\n", {"columns": ["word"]}, "columns="),
    ],
)
def test_conll_refuses_tags_that_are_no_spans(write, content, options, words):
    with pytest.raises(InputError, match=words):
        readers.read_conll(write(content), **options)


def test_tags_that_break_the_scheme_asked_for_are_counted(write):
    good, bad = "a B-X B-X\nb E-X E-X\n\n", "a B-X B-X\nb E-X I-X\n\n"
    file = write(good * 3 + bad, "new.iobes")
    note = "new.iobes: 1 sentence breaks the rules of IOBES and is repaired."
    found = one(file, scheme="IOBES")
    assert found.notes == (note,) and note in str(score(found))
    assert one(file).notes == ()  # no scheme was promised
    broken = "a O I-X\nb S-X I-X\n".replace("S", "B")
    file = write(good.replace("E", "I") + bad.replace("E", "I") + broken, "new.iobes")
    expected = "new.iobes: 1 sentence breaks the rules of IOB2 and is repaired."
    assert one(file, scheme="IOB2").notes == (expected,)


# --- Tags without spans -------------------------------------------------------------------------

PARTS = "the DT DT NN\ncat NN NN NN\n\nsat VB NN VB\n\nit PR PR PR\n"
BOTH = {"word": 0, "gold": 1, "predicted": [2, 3]}


def test_tags_without_spans_are_counted_by_word_and_class(write):
    file = write(PARTS, "tags.conll")
    old, new = readers.read_conll(file, columns=BOTH, scheme="plain")
    assert (old.values.shape, old.unit) == ((3, 3 * 4), "sentence")
    right = [results.values[:, :4].sum(axis=1).tolist() for results in (old, new)]
    assert right == [[2, 0, 1], [1, 1, 1]]
    result = compare(old, new, metric="accuracy")
    assert (result.value_a, result.value_b, result.metric) == (0.75, 0.75, "accuracy")
    gold, own = ["DT", "NN", "VB", "PR"], ["DT", "NN", "NN", "PR"]
    expected = f1_score(gold, own, average="macro")
    assert score(old, "macro_f1").value == pytest.approx(expected)


def test_parts_of_speech_need_no_scheme_and_the_reading_says_so(write):
    file = write(PARTS, "tags.conll")
    found = readers.read_conll(file, columns=BOTH)
    told = readers.read_conll(file, columns=BOTH, scheme="plain")
    assert [a.values.tolist() for a in found] == [a.values.tolist() for a in told]
    assert "tags: plain, every word counts" in found[0].reading
    assert found[0].metric == "accuracy"
    assert str(compare(*found)).startswith("Accuracy is 0.7500 for tags:2 and 0.7500 for tags:3")
    # Spans are not made plain because one tag is misspelt.
    assert "tags: spans, any scheme" in one(write(TWO)).reading


def test_a_gold_column_with_one_value_is_refused(write):
    """Such as the columns of CoNLL-U that hold nothing but an underscore."""
    rows = "".join(f"{i}\tw{i}\tw\tNOUN\tNN\t_\t0\troot\t_\t_\n" for i in range(1, 6))
    with pytest.raises(InputError, match=r"the gold column has one value only, '_'; say columns="):
        readers.read_conll(write(rows))
    same = "".join(f"w{i} A A\n\n" for i in range(5))
    with pytest.raises(InputError, match="the gold column has one value only, 'A'"):
        readers.read_conll(write(same))


# --- What is not the gold standard, and sentences that are missing ----------------------------

FOUR = "Ann NN I-NP {} \nleft VB I-VP O\n\nBonn NN I-NP {}\n\nit NN I-NP O\nran VB I-VP O\n\n"


def four(path, *tags, without=()):
    """A file of the CoNLL-2003 layout: word, part of speech, chunk, tag."""
    sentences = FOUR.format(*tags).split("\n\n")
    text = "\n\n".join(one for place, one in enumerate(sentences) if place not in without)
    path.write_text(text, "utf-8")
    return path


def test_chunks_are_not_the_gold_standard_of_names(tmp_path):
    old = four(tmp_path / "old.conll", "B-PER", "O")
    new = four(tmp_path / "new.conll", "B-PER", "B-LOC")
    gold = four(tmp_path / "gold.conll", "B-PER", "B-LOC")
    with pytest.raises(InputError) as refusal:
        read(old, new)
    assert "column 3 of 4 is taken for the gold standard, with tags such as I-NP, I-VP" in str(
        refusal.value
    )
    assert "column 4 of 4 for the system, with tags such as B-PER" in str(refusal.value)
    with pytest.raises(InputError, match="share no label"):  # nor is the gold file a system
        read(old, new, gold)
    assert [found.values.sum() for found in read(old, new, gold=gold)] == [2, 2]
    # Whoever names the columns is believed.
    said = {"word": 0, "gold": -2, "predicted": -1}
    assert len(read(old, new, columns=said)) == 2
    # A system that finds nothing is one.
    none = four(tmp_path / "none.conll", "O", "O")
    assert read(none, gold=gold)[0].values.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]


def test_a_sentence_that_is_missing_is_named(tmp_path):
    gold = four(tmp_path / "gold.conll", "B-PER", "B-LOC")
    short = four(tmp_path / "short.conll", "B-PER", "B-LOC", without={1})
    with pytest.raises(InputError) as refusal:
        read(short, gold=gold)
    assert (refusal.value.file, refusal.value.line) == (str(short), 4)
    assert f"1 sentence seems to be missing before this line: 'Bonn' of {gold}, line 4" in str(
        refusal.value
    )
    assert "predict it, or take it out of the others" in str(refusal.value)
    with pytest.raises(InputError) as refusal:  # in the gold standard
        read(gold, gold=short)
    assert (refusal.value.file, refusal.value.line) == (str(short), 4)
    cut = four(tmp_path / "cut.conll", "B-PER", "B-LOC", without={1, 2})
    with pytest.raises(InputError, match="2 sentences seem to be missing at the end: 'Bonn' of"):
        read(cut, gold=gold)
    # Another word is another word, and no sentence is missing.
    other = tmp_path / "other.conll"
    other.write_text(gold.read_text("utf-8").replace("Bonn", "Rome"), "utf-8")
    with pytest.raises(InputError, match="'Rome', but 'Bonn' in"):
        read(other, gold=gold)
