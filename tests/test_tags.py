"""Tag schemes: every conversion, the repair rule against seqeval, and refusals."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB1, IOB2, IOBES, Entities

from betterthan import tags

LABELS = ("PER", "LOC", "creative-work")


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
        assert tags.from_spans([(0, length, "")], length, scheme) == tuple(expected.split())


def test_iob1_marks_only_the_border_of_touching_spans_of_one_label():
    touching = [(0, 2, "A"), (2, 3, "A"), (3, 4, "B")]
    assert tags.from_spans(touching, 5, "IOB1") == ("I-A", "I-A", "B-A", "I-B", "O")


@pytest.mark.parametrize("scheme", [scheme for scheme in tags.SCHEMES if scheme != "IO"])
@given(case=spans())
def test_spans_survive_a_round_trip(scheme, case):
    found, length = case
    labels = tags.from_spans(found, length, scheme)
    assert tags.to_spans(labels, scheme, repair=False) == found
    assert tags.to_spans(labels, scheme) == found


@given(case=spans())
def test_io_joins_touching_spans_of_one_label_and_nothing_else(case):
    found, length = case
    joined: list = []
    for start, end, label in found:
        if joined and joined[-1][1] == start and joined[-1][2] == label:
            joined[-1] = (joined[-1][0], end, label)
        else:
            joined.append((start, end, label))
    labels = tags.from_spans(found, length, "IO")
    assert tags.to_spans(labels, "IO", repair=False) == joined


@given(case=spans())
def test_conversion_between_all_schemes(case):
    found, length = case
    written = {s: tags.from_spans(found, length, s) for s in tags.SCHEMES if s != "IO"}
    for source, labels in written.items():
        for target, expected in written.items():
            assert tags.convert(labels, source, target) == expected


@given(labels=sequences(("B", "I")))
def test_repair_reads_iob_as_seqeval_does(labels):
    assert tags.to_spans(labels, "IOB2") == seqeval_spans(labels)
    assert tags.to_spans(labels, "IOB1") == seqeval_spans(labels)


@given(labels=sequences(("B", "I", "E", "S")))
def test_repair_reads_iobes_as_seqeval_does(labels):
    assert tags.to_spans(labels, "IOBES") == seqeval_spans(labels)


@given(labels=sequences(("B", "M", "E", "S")))
def test_repair_reads_bmes_as_seqeval_reads_the_same_in_iobes(labels):
    inside = [f"I{tag[1:]}" if tag[0] == "M" else tag for tag in labels]
    assert tags.to_spans(labels, "BMES") == seqeval_spans(inside)


@given(labels=sequences(("B", "B2", "B3", "M", "E", "S")))
def test_repair_reads_b2_and_b3_as_inside(labels):
    inside = [
        "I-" + tag.split("-", 1)[1] if tag[:2] in ("M-", "B2", "B3") else tag for tag in labels
    ]
    assert tags.to_spans(labels, "BB2B3MES") == seqeval_spans(inside)


@pytest.mark.parametrize(("scheme", "strict"), [("IOB1", IOB1), ("IOB2", IOB2), ("IOBES", IOBES)])
@given(data=st.data())
def test_strict_agrees_with_seqeval_where_a_sequence_is_good(scheme, strict, data):
    """seqeval's strict mode drops bad spans; what we accept it must read in full."""
    prefixes = ("B", "I", "E", "S") if scheme == "IOBES" else ("B", "I")
    labels = data.draw(sequences(prefixes, labels=("PER", "LOC")))
    found, length = data.draw(spans(labels=("PER", "LOC")))
    for sequence in (labels, tags.from_spans(found, length, scheme)):
        try:
            ours = tags.to_spans(sequence, scheme, repair=False)
        except ValueError:
            continue
        theirs = [
            entity.to_tuple()[1:] for entity in Entities([list(sequence)], strict).entities[0]
        ]
        assert [(start, end, label) for start, end, label in ours] == [
            (start, end, label) for label, start, end in theirs
        ]


@given(labels=sequences(("B", "I"), labels=("PER", "LOC")))
def test_strict_refuses_exactly_what_seqeval_strict_would_drop_iob2(labels):
    """A bad IOB2 sequence is one where the strict and the default reading differ."""
    strict = [e.to_tuple()[1:] for e in Entities([labels], IOB2).entities[0]]
    same = [(start, end, label) for label, start, end in strict] == seqeval_spans(labels)
    if same:
        tags.to_spans(labels, "IOB2", repair=False)
    else:
        with pytest.raises(ValueError, match=r"labels\[\d+\]='I-"):
            tags.to_spans(labels, "IOB2", repair=False)


@pytest.mark.parametrize("mode", [None, "strict"])
@given(data=st.data())
def test_counts_give_seqeval_scores(mode, data):
    pairs = []
    for _ in range(data.draw(st.integers(1, 5))):
        found, length = data.draw(spans())
        if length == 0:
            continue
        gold = tags.from_spans(found, length)
        if mode:
            other = [span for span in found if data.draw(st.booleans())]
            other = [(start, end, data.draw(st.sampled_from(LABELS))) for start, end, _ in other]
            predicted = tags.from_spans(other, length)
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
    counts = tags.count_spans(gold, predicted, repair=mode is None)
    options = {"mode": mode, "scheme": IOB2} if mode else {}
    for ours, theirs in (
        (counts.precision, precision_score),
        (counts.recall, recall_score),
        (counts.f1, f1_score),
    ):
        if not np.isnan(ours):
            assert ours == pytest.approx(theirs(gold, predicted, zero_division=0, **options))


def test_counts_are_per_sentence_and_can_be_of_one_label():
    gold = [["B-A", "I-A", "B-B"], ["O", "O"], ["B-B", "O"]]
    predicted = [["B-A", "I-A", "B-A"], ["B-A", "O"], ["B-B", "O"]]
    counts = tags.count_spans(gold, predicted)
    assert [part.tolist() for part in counts] == [[1, 0, 1], [1, 1, 0], [1, 0, 0]]
    only = tags.count_spans(gold, predicted, label="B")
    assert [part.tolist() for part in only] == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert str(counts).startswith("2 spans found, 2 invented, 1 missed in 3 sentences")
    one = tags.count_spans([["B-A"]], [["B-A"]])
    assert str(one).startswith("1 span found, 0 invented, 0 missed in 1 sentence:")


def test_rates_of_nothing_are_nan_not_zero():
    counts = tags.count_spans([["O"]], [["O"]])
    assert np.isnan([counts.precision, counts.recall, counts.f1]).all()


@given(words=st.lists(st.text("天地人木水火", min_size=1, max_size=8), max_size=6))
@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BMES", "BB2B3MES"])
def test_words_survive_a_round_trip(scheme, words):
    labels = tags.words_to_labels(words, scheme)
    text = "".join(words)
    assert tags.labels_to_words(text, labels) == tuple(words)
    assert tags.labels_to_words(tuple(text), labels, scheme) == tuple(words)


def test_a_bad_segmentation_is_repaired():
    assert tags.labels_to_words("天地人木", "MBBE") == ("天", "地", "人木")
    assert tags.labels_to_words("天地人木", "BESM") == ("天地", "人", "木")


@pytest.mark.parametrize(
    ("labels", "scheme", "words"),
    [
        (["O", "I-A"], "IOB2", r"labels\[1\]='I-A' after 'O': not allowed in IOB2"),
        (["I-A"], "IOB2", r"labels\[0\]='I-A' at the start"),
        (["B-A", "I-B"], "IOB2", r"labels\[1\]='I-B' after 'B-A'"),
        (["O", "B-A"], "IOB1", r"labels\[1\]='B-A' after 'O': not allowed in IOB1"),
        (["I-B", "B-A"], "IOB1", r"labels\[1\]='B-A' after 'I-B'"),
        (["B-A", "O"], "IOBES", r"labels\[1\]='O' after 'B-A'"),
        (["S-A", "B-A"], "IOBES", r"labels\[1\]='B-A' at the end: IOBES expects"),
        (["E-A"], "IOBES", r"labels\[0\]='E-A' at the start"),
        (["B", "S"], "BMES", r"labels\[1\]='S' after 'B'"),
        (["B", "B2", "M", "E"], "BB2B3MES", r"labels\[2\]='M' after 'B2'"),
        (["B", "B3", "E"], "BB2B3MES", r"labels\[1\]='B3' after 'B'"),
    ],
)
def test_bad_sequences_are_refused_with_their_position(labels, scheme, words):
    with pytest.raises(ValueError, match=words):
        tags.to_spans(labels, scheme, repair=False)
    tags.to_spans(labels, scheme)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tags.to_spans(["B"], "BIO"), "scheme='BIO': expected one of 'IO', 'IOB1'"),
        (lambda: tags.to_spans(["B-A", "E-A"], "IOB2"), r"labels\[1\]='E-A': expected O, or one"),
        (lambda: tags.to_spans(["X"]), r"labels\[0\]='X'"),
        (lambda: tags.from_spans([(0, 0, "A")], 3), r"\(0, 0, 'A'\) does not fit"),
        (lambda: tags.from_spans([(2, 4, "A")], 3), "length=3"),
        (lambda: tags.from_spans([(0, 2, "A"), (1, 3, "B")], 3), "begins before the span before"),
        (lambda: tags.from_spans([], -1), "length=-1"),
        (lambda: tags.convert(["O"], "IOB2", "XML"), "target='XML'"),
        (lambda: tags.words_to_labels(["a", ""]), r"words\[1\] is empty"),
        (lambda: tags.words_to_labels(["a"], "IO"), "scheme='IO'"),
        (lambda: tags.labels_to_words("ab", ["S"]), "text has 2, labels has 1"),
        (lambda: tags.labels_to_words("abc", ["S", "O", "S"]), r"labels\[1\]='O'"),
        (lambda: tags.labels_to_words("ab", ["S", "O"]), r"labels\[1\]='O'"),
        (lambda: tags.count_spans([["O"]], []), "gold has 1, predicted has 0"),
        (lambda: tags.count_spans([["O"]], [["O", "O"]]), "sentence 0: gold has 1 tags"),
        (lambda: tags.count_spans([["O"], ["O"]], [["O"], ["Q"]]), r"sentence 1: labels\[0\]='Q'"),
        (lambda: tags.count_spans(["O"], ["O"]), "got a string"),
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
    counts = tags.count_spans(gold, predicted)
    assert len(counts.tp) == 40_000
    assert time.process_time() - start < 10
