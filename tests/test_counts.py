"""Counts of all shapes; tag schemes, the repair rule against seqeval; refusals."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2

from betterthan.counts import (
    SCHEMES,
    Counts,
    convert,
    count_classes,
    count_spans,
    from_spans,
    labels_to_words,
    to_spans,
    words_to_labels,
)

LABELS = ("PER", "LOC", "creative-work")


def fields(counts):
    return [part.tolist() for part in (counts.tp, counts.fp, counts.fn)]


@st.composite
def spans(draw, labels=LABELS):
    """Spans that do not overlap, and the length of their sequence."""
    found, here = [], 0
    for gap, size, label in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 7), st.sampled_from(labels)))
    ):
        found.append((here + gap, here + gap + size, label))
        here += gap + size
    return found, here + draw(st.integers(0, 2))


def sequences(prefixes, labels=LABELS):
    tag = st.one_of(
        st.just("O"), st.builds("{}-{}".format, st.sampled_from(prefixes), st.sampled_from(labels))
    )
    return st.lists(tag, max_size=12)


def seqeval_spans(labels):
    return [(start, end + 1, label) for label, start, end in get_entities(list(labels))]


@pytest.mark.parametrize(
    ("scheme", "lengths"),
    [
        ("IO", ["I", "I I", "I I I", "I I I I", "I I I I I"]),
        ("IOB1", ["I", "I I", "I I I", "I I I I", "I I I I I"]),
        ("IOB2", ["B", "B I", "B I I", "B I I I", "B I I I I"]),
        ("IOBES", ["S", "B E", "B I E", "B I I E", "B I I I E"]),
        ("BMES", ["S", "B E", "B M E", "B M M E", "B M M M E"]),
        ("BB2B3MES", ["S", "B E", "B B2 E", "B B2 B3 E", "B B2 B3 M E"]),
    ],
)
def test_each_scheme_by_span_length(scheme, lengths):
    for length, expected in enumerate(lengths, 1):
        assert from_spans([(0, length, "")], length, scheme) == tuple(expected.split())


def test_iob1_marks_only_the_border_of_touching_spans_of_one_label():
    touching = [(0, 2, "A"), (2, 3, "A"), (3, 4, "B")]
    assert from_spans(touching, 5, "IOB1") == ("I-A", "I-A", "B-A", "I-B", "O")


@pytest.mark.parametrize("scheme", [scheme for scheme in SCHEMES if scheme != "IO"])
@given(case=spans())
def test_spans_survive_a_round_trip(scheme, case):
    found, length = case
    labels = from_spans(found, length, scheme)
    assert to_spans(labels, scheme) == found


@given(case=spans())
def test_io_joins_touching_spans_of_one_label_and_nothing_else(case):
    found, length = case
    joined: list = []
    for start, end, label in found:
        if joined and joined[-1][1] == start and joined[-1][2] == label:
            joined[-1] = (joined[-1][0], end, label)
        else:
            joined.append((start, end, label))
    labels = from_spans(found, length, "IO")
    assert to_spans(labels, "IO") == joined


@given(case=spans())
def test_conversion_between_all_schemes(case):
    found, length = case
    written = {s: from_spans(found, length, s) for s in SCHEMES if s != "IO"}
    for source, labels in written.items():
        for target, expected in written.items():
            assert convert(labels, source, target) == expected


@given(labels=sequences(("B", "I")))
def test_repair_reads_iob_as_seqeval_does(labels):
    assert to_spans(labels, "IOB2") == seqeval_spans(labels)
    assert to_spans(labels, "IOB1") == seqeval_spans(labels)


@given(labels=sequences(("B", "I", "E", "S")))
def test_repair_reads_iobes_as_seqeval_does(labels):
    assert to_spans(labels, "IOBES") == seqeval_spans(labels)


@given(labels=sequences(("B", "M", "E", "S")))
def test_repair_reads_bmes_as_seqeval_reads_the_same_in_iobes(labels):
    inside = [f"I{tag[1:]}" if tag[0] == "M" else tag for tag in labels]
    assert to_spans(labels, "BMES") == seqeval_spans(inside)


@given(labels=sequences(("B", "B2", "B3", "M", "E", "S")))
def test_repair_reads_b2_and_b3_as_inside(labels):
    inside = [
        "I-" + tag.split("-", 1)[1] if tag[:2] in ("M-", "B2", "B3") else tag for tag in labels
    ]
    assert to_spans(labels, "BB2B3MES") == seqeval_spans(inside)


@pytest.mark.parametrize("mode", [None, "strict"])
@given(data=st.data())
def test_counts_give_seqeval_scores(mode, data):
    pairs = []
    for _ in range(data.draw(st.integers(1, 5))):
        found, length = data.draw(spans())
        if length == 0:
            continue
        gold = from_spans(found, length)
        if mode:
            other = [span for span in found if data.draw(st.booleans())]
            other = [(start, end, data.draw(st.sampled_from(LABELS))) for start, end, _ in other]
            predicted = from_spans(other, length)
        else:
            tag = st.one_of(
                st.just("O"),
                st.builds("{}-{}".format, st.sampled_from("BI"), st.sampled_from(LABELS)),
            )
            predicted = data.draw(st.lists(tag, min_size=length, max_size=length))
        pairs.append((list(gold), list(predicted)))
    if not pairs:
        return
    gold, predicted = (list(side) for side in zip(*pairs))
    counts = count_spans(gold, predicted)
    options = {"mode": mode, "scheme": IOB2} if mode else {}
    for ours, theirs in (
        (counts.precision, precision_score),
        (counts.recall, recall_score),
        (counts.f1, f1_score),
    ):
        if not np.isnan(ours):
            assert ours == pytest.approx(theirs(gold, predicted, zero_division=0, **options))


def test_counts_are_per_sentence():
    gold = [["B-A", "I-A", "B-B"], ["O", "O"], ["B-B", "O"]]
    predicted = [["B-A", "I-A", "B-A"], ["B-A", "O"], ["B-B", "O"]]
    counts = count_spans(gold, predicted)
    assert fields(counts) == [[1, 0, 1], [1, 1, 0], [1, 0, 0]]
    assert (counts.unit, counts.groups) == ("sentence", None)
    grouped = count_spans(gold, predicted, groups=["x", "x", "y"])
    assert grouped.groups.tolist() == ["x", "x", "y"]


def test_rates_of_nothing_are_nan_not_zero():
    counts = count_spans([["O"]], [["O"]])
    assert np.isnan([counts.precision, counts.recall, counts.f1]).all()


@given(words=st.lists(st.text("天地人木水火", min_size=1, max_size=8), max_size=6))
@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BMES", "BB2B3MES"])
def test_words_survive_a_round_trip(scheme, words):
    labels = words_to_labels(words, scheme)
    text = "".join(words)
    assert labels_to_words(text, labels) == tuple(words)
    assert labels_to_words(tuple(text), labels) == tuple(words)


def test_a_bad_segmentation_is_repaired():
    assert labels_to_words("天地人木", "MBBE") == ("天", "地", "人木")
    assert labels_to_words("天地人木", "BESM") == ("天地", "人", "木")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: to_spans(["B"], "BIO"), "scheme='BIO': expected one of 'IO', 'IOB1'"),
        (lambda: to_spans(["B-A", "E-A"], "IOB2"), r"labels\[1\]='E-A': expected O, or one"),
        (lambda: to_spans(["X"]), r"labels\[0\]='X'"),
        (lambda: from_spans([(0, 0, "A")], 3), r"\(0, 0, 'A'\) does not fit"),
        (lambda: from_spans([(2, 4, "A")], 3), "length=3"),
        (lambda: from_spans([(0, 2, "A"), (1, 3, "B")], 3), "begins before the span before"),
        (lambda: from_spans([], -1), "length=-1"),
        (lambda: convert(["O"], "IOB2", "XML"), "target='XML'"),
        (lambda: words_to_labels(["a", ""]), r"words\[1\] is empty"),
        (lambda: words_to_labels(["a"], "IO"), "scheme='IO'"),
        (lambda: labels_to_words("ab", ["S"]), "text has 2, labels has 1"),
        (lambda: labels_to_words("abc", ["S", "O", "S"]), r"labels\[1\]='O'"),
        (lambda: labels_to_words("ab", ["S", "O"]), r"labels\[1\]='O'"),
        (lambda: count_spans([["O"]], []), "gold has 1, predicted has 0"),
        (lambda: count_spans([["O"]], [["O", "O"]]), "sentence 0: gold has 1 tags"),
        (lambda: count_spans([["O"], ["O"]], [["O"], ["Q"]]), r"sentence 1: labels\[0\]='Q'"),
        (lambda: count_spans(["O"], ["O"]), "got a string"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.slow
def test_a_million_tags_are_counted_in_seconds():
    random = np.random.default_rng(7)
    names = np.array(["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    gold = random.choice(names, (40_000, 25)).tolist()
    predicted = random.choice(names, (40_000, 25)).tolist()
    start = time.process_time()
    counts = count_spans(gold, predicted)
    assert len(counts.tp) == 40_000
    assert time.process_time() - start < 10


# --- Counts -------------------------------------------------------------------------------


def test_counts_of_sentences_with_groups():
    counts = Counts([2, 0, 1], [0, 1, 0], [0, 1, 0], groups=["a", "a", "b"])
    assert (len(counts), counts.unit) == (3, "sentence")
    assert counts.precision == 3 / 4
    assert counts.recall == 3 / 4
    assert counts.f1 == 3 / 4
    assert counts.groups.tolist() == ["a", "a", "b"]
    assert str(counts) == "3 sentences: precision 0.7500, recall 0.7500, F1 0.7500"


def test_a_plain_number_is_one_unit():
    counts = Counts(9, 1, 0, unit="fold")
    assert (len(counts), counts.tp.shape) == (1, (1,))
    assert str(counts) == "1 fold: precision 0.9000, recall 1.0000, F1 0.9474"


@given(
    table=st.integers(1, 6).flatmap(
        lambda k: st.lists(
            st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=k, max_size=k),
            min_size=1,
            max_size=5,
        )
    )
)
def test_scores_of_units_by_classes(table):
    tp, fp, fn = np.moveaxis(np.array(table), 2, 0)
    counts = Counts(tp, fp, fn, unit="item")
    sums = tp.sum(), fp.sum(), fn.sum()
    whole = 2 * sums[0] + sums[1] + sums[2]
    flat = Counts(tp.sum(axis=1), fp.sum(axis=1), fn.sum(axis=1), unit="item")
    if whole:
        assert counts.f1 == flat.f1 == 2 * sums[0] / whole
    each = [
        2 * tp[:, c].sum() / total
        for c in range(tp.shape[1])
        if (total := 2 * tp[:, c].sum() + fp[:, c].sum() + fn[:, c].sum())
    ]
    if each:
        assert counts.macro_f1 == pytest.approx(sum(each) / len(each))
    else:
        assert np.isnan([counts.f1, counts.macro_f1]).all()


def test_macro_f1_of_one_class_is_f1():
    counts = Counts([2, 1], [1, 0], [0, 3])
    assert counts.macro_f1 == counts.f1


@given(
    table=st.lists(st.tuples(*[st.integers(0, 50)] * 3), min_size=1, max_size=8),
    unit=st.sampled_from(["sentence", "fold", "document"]),
)
def test_totals_and_counts_say_the_same(table, unit):
    tp, fp, fn = np.array(table).T
    counts = Counts.from_totals(tp + fn, tp + fp, tp, unit, groups=list(range(len(tp))))
    assert counts == Counts(tp, fp, fn, unit, groups=list(range(len(tp))))


def test_counts_are_put_together_in_order():
    one = Counts([1, 2], [0, 0], [3, 4], groups=["x", "x"])
    two = Counts([5], [6], [7], groups=["y"])
    both = Counts.concatenate(iter([one, two]))
    assert fields(both) == [[1, 2, 5], [0, 0, 6], [3, 4, 7]]
    assert both.groups.tolist() == ["x", "x", "y"]
    # Half of the groups would be worse than none.
    assert Counts.concatenate([one, Counts([5], [6], [7])]).groups is None


def test_units_are_taken_by_index_slice_and_mask():
    counts = Counts([1, 2, 3], [4, 5, 6], [7, 8, 9], "document", ["x", "y", "z"])
    assert counts[1:] == Counts([2, 3], [5, 6], [8, 9], "document", ["y", "z"])
    assert counts[0] == Counts(1, 4, 7, "document", ["x"])
    assert counts[np.array([True, False, True])] == counts[[0, 2]]
    assert [len(part) for part in (counts[:2], counts[-1])] == [2, 1]
    table = Counts(*[[[1, 2], [3, 4]]] * 3, unit="item")
    assert table[1:].tp.tolist() == table[1].tp.tolist() == [[3, 4]]


def test_counts_are_equal_where_everything_is():
    counts = Counts([1], [2], [3])
    assert counts == Counts([1.0], [2.0], [3.0])
    assert counts != Counts([1], [2], [4])
    assert counts != Counts([1], [2], [3], unit="fold")
    assert counts != Counts([1], [2], [3], groups=["a"])
    assert counts != (1, 2, 3)
    with pytest.raises(TypeError):
        hash(counts)


def test_counts_cannot_be_changed():
    numbers = np.array([1, 2])
    counts = Counts(numbers, [0, 0], [0, 0])
    numbers[0] = 99
    assert counts.tp.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        counts.tp[0] = 5
    with pytest.raises(AttributeError):
        counts.unit = "fold"


def test_what_is_undefined_is_said_in_words():
    assert str(Counts(0, 0, 0)) == (
        "1 sentence: precision undefined, recall undefined, F1 undefined"
    )
    assert str(Counts(0, 1, 0)).endswith("precision 0.0000, recall undefined, F1 0.0000")


def test_a_long_table_has_a_short_repr():
    shown = repr(Counts(*[np.arange(100_000)] * 3))
    assert len(shown) < 200
    assert shown.startswith("Counts(tp=[    0     1 ...")


def test_classes_of_items_by_scikit_learn():
    from sklearn.metrics import accuracy_score
    from sklearn.metrics import f1_score as sklearn_f1

    rng = np.random.default_rng(3)
    gold, given = rng.choice(["x", "y", "z"], (2, 200), p=[0.6, 0.3, 0.1])
    counts = count_classes(gold, given, groups=np.arange(200) // 10)
    assert (counts.unit, counts.tp.shape, len(set(counts.groups))) == ("item", (200, 3), 20)
    assert counts.f1 == pytest.approx(accuracy_score(gold, given))
    assert counts.macro_f1 == pytest.approx(sklearn_f1(gold, given, average="macro"))


def test_systems_share_their_classes():
    """Without classes= the third column of one would be another class than that of the other."""
    gold = ["x", "y", "x"]
    one = count_classes(gold, ["x", "y", "w"], classes=["w", "x", "y", "z"])
    two = count_classes(gold, ["x", "y", "z"], classes=["w", "x", "y", "z"])
    assert one.fp.tolist()[2] == [1, 0, 0, 0]
    assert two.fp.tolist()[2] == [0, 0, 0, 1]
    assert count_classes(gold, gold).tp.shape == (3, 2)
    # Numbers are classes like any other.
    assert count_classes([1, 0], [1, 1], classes=[0, 1]).tp.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Counts([1, -1], [0, 0], [0, 0]), r"tp\[1\]=-1: expected a whole number"),
        (lambda: Counts([1], [0.5], [0]), r"fp\[0\]=0.5"),
        (lambda: Counts([1], [0], [np.nan]), r"fn\[0\]=nan"),
        (lambda: Counts([np.inf], [0], [0]), r"tp\[0\]=inf"),
        (lambda: Counts([1e16], [0], [0]), r"tp\[0\]=1e\+16.*at most 1e\+15"),
        (lambda: Counts(-1, 0, 0), "tp=-1"),
        (lambda: Counts(["x"], [0], [0]), "tp: expected whole numbers, got"),
        (lambda: Counts([[1], [2, 3]], [0], [0]), "tp: expected whole numbers"),
        (lambda: Counts([True], [0], [0]), "tp: expected counts, got True and False"),
        (lambda: Counts([], [], []), "tp: expected one count per unit"),
        (lambda: Counts(np.zeros((2, 2, 2)), 0, 0), r"got shape \(2, 2, 2\)"),
        (lambda: Counts([1, 2], [0], [0]), r"same shape, but tp has \(2,\), fp has \(1,\)"),
        (lambda: Counts([1], [0], [0], unit=""), "unit='': expected a word"),
        (lambda: Counts([1], [0], [0], unit=3), "unit=3"),
        (lambda: Counts([1], [0], [0], groups=["a", "b"]), r"groups: .*\(1\), got shape \(2,\)"),
        (lambda: Counts([1], [0], [0], groups="a"), "groups: .*got a str"),
        (lambda: Counts([1, 1], [0, 0], [0, 0], groups=["a", None]), r"groups\[1\] is"),
        (lambda: Counts([1, 1], [0, 0], [0, 0], groups=[np.nan, 1]), r"groups\[0\] is"),
        (lambda: Counts.from_totals([5], [5], [6]), r"correct\[0\]: .*as gold has"),
        (lambda: Counts.from_totals([7], [5], [6]), r"correct\[0\]: .*as predicted has"),
        (lambda: Counts.from_totals([7, 7], [7], [6]), r"gold: expected the shape of correct"),
        (lambda: Counts.from_totals([7], ["x"], [6]), "predicted: expected whole numbers"),
        (lambda: Counts.concatenate([]), "parts: expected one or more Counts"),
        (lambda: Counts.concatenate([Counts(1, 0, 0), [1, 0, 0]]), "one or more Counts"),
        (
            lambda: Counts.concatenate([Counts(1, 0, 0), Counts(1, 0, 0, unit="fold")]),
            "one unit and one set of classes, got fold, sentence",
        ),
        (
            lambda: Counts.concatenate([Counts([1], [0], [0]), Counts(*[[[1, 2]]] * 3)]),
            "2 different numbers of classes",
        ),
        (lambda: count_classes(["x"], ["x", "y"]), "gold has 1, predicted has 2"),
        (lambda: count_classes([["x"]], [["x"]]), r"gold: expected one class per item"),
        (lambda: count_classes([], []), "gold: expected one class per item"),
        (lambda: count_classes(["x", None], ["x", "x"]), r"gold\[1\] is missing"),
        (lambda: count_classes([1.0], [np.nan]), r"predicted\[0\] is missing"),
        (lambda: count_classes(["x"], ["y"], classes=["x"]), "classes: 'y' occurs"),
        (lambda: count_classes(["x"], ["x"], classes=["x", "x"]), "classes: one comes twice"),
    ],
)
def test_bad_counts_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
