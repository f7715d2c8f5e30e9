"""Chapter 4: difficulty, balanced scores, the Rasch model (committees: test_taggers)."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import expit

import studies.psychometrics as studies
from betterthan import compare, psychometrics, score
from betterthan.psychometrics import (
    BalancedScores,
    _rasch,
    balanced_f,
    balanced_scores,
    difficulty,
    marks,
)

relaxed = settings(deadline=None, max_examples=60)

GOLD = [["白藜芦醇", "是", "一", "种", "酚类", "物质"]]
P1 = [["白", "藜芦", "醇", "是", "一种", "酚类", "物质"]]
P2 = [["白藜", "芦醇", "是", "一", "种", "酚类物", "质"]]


# Oracles: the paper's definitions, one word at a time ----------------------------------------


def cut(text: str, breaks: list[bool]) -> list[str]:
    words, word = [], ""
    for character, stop in zip(text, [*breaks, True]):
        word += character
        if stop:
            words.append(word)
            word = ""
    return words


def positions(words: list[str]) -> list[tuple[int, int]]:
    found, at = [], 0
    for word in words:
        found.append((at, at + len(word)))
        at += len(word)
    return found


def slow_scores(gold, predicted, d, covering="last", spurious=None) -> dict[str, float]:
    """Loops over pairs of spans; every predicted one looks for its gold one by itself."""
    n = n_p = c = 0
    sums = dict.fromkeys(("d", "1-d", "dm", "(1-d)m", "d'", "1-d'"), 0.0)
    for s, (g, p, values) in enumerate(zip(gold, predicted, d)):
        labelled = not (g and isinstance(g[0], str)) and not (p and isinstance(p[0], str))
        if not labelled:
            g, p = positions(g), positions(p)
        for span, value in zip(g, values):
            hit = span in p
            n += 1
            c += hit
            sums["d"] += value
            sums["1-d"] += 1 - value
            sums["dm"] += value * hit
            sums["(1-d)m"] += (1 - value) * hit
        for span in p:
            n_p += 1
            if covering == "last":
                near = [v for x, v in zip(g, values) if x[0] <= span[1] - 1 < x[1]]
            else:
                near = [v for x, v in zip(g, values) if x[0] < span[1] and span[0] < x[1]]
            value = sum(near) / len(near) if near else spurious(s, span)
            sums["d'"] += value
            sums["1-d'"] += 1 - value

    def ratio(a: float, b: float) -> float:
        return a / b if b > 1e-9 else math.nan

    def harmonic(a: float, b: float) -> float:
        return 0.0 if a == b == 0 else 2 * a * b / (a + b)

    out = {
        "precision": ratio(c, n_p),
        "recall": ratio(c, n),
        "p_reward": ratio(sums["dm"], sums["d'"]),
        "p_punishment": ratio(sums["(1-d)m"], sums["1-d'"]),
        "r_reward": ratio(sums["dm"], sums["d"]),
        "r_punishment": ratio(sums["(1-d)m"], sums["1-d"]),
    }
    out["f1"] = harmonic(out["precision"], out["recall"])
    out["p_b"] = harmonic(out["p_reward"], out["p_punishment"])
    out["r_b"] = harmonic(out["r_reward"], out["r_punishment"])
    out["f_b"] = harmonic(out["p_b"], out["r_b"])
    return out


def quiet_scores(*arguments, **options) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", psychometrics.UndefinedMetricWarning)
        return asdict(balanced_scores(*arguments, **options))


@st.composite
def segmented(draw, systems: int = 1):
    """A gold corpus, `systems` other segmentations of it, and difficulties."""
    corpus = []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 12))
        text = "".join(draw(st.sampled_from("一是种物")) for _ in range(length))
        corpus.append(
            [
                cut(text, draw(st.lists(st.booleans(), min_size=length - 1, max_size=length - 1)))
                for _ in range(systems + 1)
            ]
        )
    d = [
        draw(
            st.lists(
                st.sampled_from([0.0, 0.25, 0.5, 0.8, 1.0]), min_size=len(s[0]), max_size=len(s[0])
            )
        )
        for s in corpus
    ]
    return [[s[k] for s in corpus] for k in range(systems + 1)], d


@st.composite
def labelled(draw, systems: int = 1):
    """Spans that do not overlap, with labels, in sentences of up to ten tokens."""

    def sentence():
        found, at = [], 0
        while at < 10:
            at += draw(st.integers(0, 3))
            size = draw(st.integers(1, 3))
            if at + size > 10 or draw(st.booleans()):
                break
            found.append((at, at + size, draw(st.sampled_from("AB"))))
            at += size
        return found

    count = draw(st.integers(1, 4))
    corpora = [[sentence() for _ in range(count)] for _ in range(systems + 1)]
    corpora[0].append([(0, 2, "A")])
    for other in corpora[1:]:
        other.append(draw(st.sampled_from([[], [(0, 2, "A")], [(1, 3, "A")], [(0, 2, "B")]])))
    d = [
        draw(st.lists(st.sampled_from([0.0, 0.3, 0.5, 1.0]), min_size=len(s), max_size=len(s)))
        for s in corpora[0]
    ]
    return corpora, d


@pytest.mark.parametrize("covering", ["last", "mean"])
@relaxed
@given(case=segmented())
def test_scores_of_random_segmentations_agree_with_loops(covering, case):
    (gold, predicted), d = case
    ours = quiet_scores(gold, predicted, d, covering=covering)
    theirs = slow_scores(gold, predicted, d, covering)
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("covering", ["last", "mean"])
@pytest.mark.parametrize("rule", ["mean", "committee"])
@relaxed
@given(case=labelled(systems=4))
def test_scores_of_random_spans_agree_with_loops(covering, rule, case):
    (gold, predicted, *committee), d = case
    mean = float(np.mean(np.concatenate([np.asarray(x, float) for x in d])))

    def invented(s, span):
        return mean if rule == "mean" else np.mean([span in member[s] for member in committee])

    spurious = "mean" if rule == "mean" else committee
    ours = quiet_scores(gold, predicted, d, covering=covering, spurious=spurious)
    for name, value in slow_scores(gold, predicted, d, covering, invented).items():
        assert ours[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@relaxed
@given(case=segmented(systems=3))
def test_difficulty_is_the_share_of_the_committee_that_misses_the_word(case):
    (gold, *committee), _ = case
    ours = difficulty(gold, committee)
    for s, words in enumerate(gold):
        for i, span in enumerate(positions(words)):
            missed = [span not in positions(member[s]) for member in committee]
            assert ours[s][i] == pytest.approx(np.mean(missed))


@relaxed
@given(case=labelled(systems=2))
def test_marks_of_spans_need_start_end_and_label(case):
    (gold, *others), _ = case
    for other in others:
        found = marks(gold, other)
        assert [m.tolist() for m in found] == [
            [int(span in o) for span in g] for g, o in zip(gold, other)
        ]


@relaxed
@given(case=segmented(systems=2))
def test_words_and_their_spans_score_alike(case):
    (gold, predicted, other), d = case
    as_spans = [[positions(w) for w in corpus] for corpus in (gold, predicted, other)]
    assert quiet_scores(gold, predicted, d) == pytest.approx(
        quiet_scores(*as_spans[:2], d), nan_ok=True
    )
    for one, two in zip(
        difficulty(gold, [predicted, other]), difficulty(as_spans[0], as_spans[1:])
    ):
        np.testing.assert_array_equal(one, two)


def test_a_difficulty_of_one_half_everywhere_gives_the_plain_scores():
    scores = balanced_scores(GOLD, P1, [[0.5] * 6])
    assert scores.p_b == pytest.approx(scores.precision)
    assert scores.r_b == pytest.approx(scores.recall)
    assert scores.f_b == pytest.approx(scores.f1)


def test_the_gold_standard_itself_scores_one():
    scores = balanced_scores(GOLD, GOLD, [[0.9, 0.1, 0.2, 0.0, 1.0, 0.3]])
    assert all(value == pytest.approx(1.0) for value in asdict(scores).values())


def test_opening_example_by_hand():
    d = [[1.0, 0.0, 0.5, 0.5, 0.2, 0.1]]
    one = balanced_scores(GOLD, P1, d)
    assert (one.precision, one.recall) == (3 / 7, 3 / 6)
    # P1 finds words of difficulty 0, 0.2 and 0.1; its seven words end in gold words of
    # difficulty 1, 1, 1, 0, 0.5, 0.2 and 0.1.
    assert one.r_reward == pytest.approx(0.3 / 2.3)
    assert one.r_punishment == pytest.approx(2.7 / 3.7)
    assert one.p_reward == pytest.approx(0.3 / 3.8)
    assert one.p_punishment == pytest.approx(2.7 / 3.2)
    two = balanced_scores(GOLD, P2, d)
    assert (two.precision, two.recall, two.f1) == (one.precision, one.recall, one.f1)
    assert two.p_reward == pytest.approx(1.0 / 3.2)  # 1 1 0 .5 .5 .1 .1


def test_equation_11_uses_difficulty_not_ease():
    d = [[1.0, 0.0, 0.5, 0.5, 0.2, 0.1]]
    scores = balanced_scores(GOLD, P1, d)
    printed = scores.p_punishment  # what Eq. (11) as printed would give
    assert scores.p_reward != pytest.approx(printed)


def test_spurious_by_committee_is_the_share_that_invents_the_same_span():
    gold = [[(0, 2, "A")], [(4, 5, "B")]]
    predicted = [[(0, 2, "A"), (5, 6, "A")], []]
    committee = [[[(5, 6, "A")], []], [[(5, 6, "B")], []], [[], []], [[(5, 6, "A")], [(4, 5, "B")]]]
    d = [[0.5], [0.75]]
    table = psychometrics.sentence_sums(gold, predicted, d, spurious=committee)
    np.testing.assert_allclose(table[0], [1, 2, 1, 0.5, 0.5, 0.5 + 2 / 4])


def test_a_generator_of_members_will_do():
    members = (member for member in (P1, P2))
    np.testing.assert_allclose(difficulty(GOLD, members)[0], [1, 0, 0.5, 0.5, 0.5, 0.5])


# Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (GOLD, [["白", "藜芦", "醇", "是", "两种", "酚类", "物质"]]),
            r"predicted\[0\].*character 5 \(gold word 2\).*'一'.*'两'",
        ),
        ((GOLD, [["白藜芦醇"]]), r"predicted\[0\].*character 4 \(gold word 1\).*end of the sent"),
        ((GOLD * 2, GOLD), r"predicted: expected as many sentences as gold has, 2, got 1"),
        ((GOLD, [["白藜芦醇是一种酚类物质", ""]]), r"predicted\[0\]\[1\]='': expected a word"),
        ((GOLD, ["白藜芦醇"]), r"predicted\[0\]='白藜芦醇'.*expected a list of words"),
        ((GOLD, [7]), r"predicted\[0\]=7.*expected a list of words"),
        (("白藜芦醇", GOLD), r"gold='白藜芦醇'.*list of sentences"),
        ((GOLD, [["白藜芦醇", 5]]), r"predicted\[0\]\[1\]=5: expected a word"),
        ((GOLD, [[(0, 4, "A")]]), r"predicted: expected words.*found spans"),
        (([[(2, 2, "A")]], [[]]), r"gold\[0\]\[0\]=\(2, 2, 'A'\).*start < end"),
        (([[(2, 2**31, "A")]], [[]]), r"gold\[0\]\[0\]=\(2, 2147483648, 'A'\)"),
        (([[(0.0, 2, "A")]], [[]]), r"gold\[0\]\[0\]=\(0.0, 2, 'A'\)"),
        (([[1, 0]], [[]]), r"gold\[0\]\[0\]=1: expected \(start, end, label\)"),
        (([[(-1, 2, "A")]], [[]]), r"gold\[0\]\[0\]"),
        (([[], [(0, 2, "A"), (1, 3, "B")]], [[], []]), r"gold\[1\]\[1\].*do not overlap"),
        (([[(0, 2, "A")]], [[(4, 5, "A"), (4, 5, "A")]]), r"predicted\[0\]\[1\].*each span once"),
        (([[]], [[]]), r"gold: expected at least one"),
        (([[]], [[(0, 1, "A")]]), r"gold: expected at least one"),
    ],
)
def test_marks_name_sentence_and_position(arguments, words):
    with pytest.raises(ValueError, match=words):
        marks(*arguments)


@pytest.mark.parametrize(
    ("d", "words"),
    [
        ([[0.5] * 5], r"difficulty\[0\]: expected 6, one per word, got 5"),
        ([[0.5] * 6] * 2, "difficulty: expected 1 sentences, got 2"),
        ([[0.5] * 5 + [1.5]], r"difficulty\[0\]\[5\]=1.5: expected a number between 0 and 1"),
        ([[0.5] * 2 + [math.nan] + [0.5] * 3], r"difficulty\[0\]\[2\]=nan"),
    ],
)
def test_difficulties_are_checked(d, words):
    with pytest.raises(ValueError, match=words):
        balanced_scores(GOLD, P1, d)


@pytest.mark.parametrize(
    ("committee", "words"),
    [
        ([], "committee: expected at least one member"),
        ([P1, [["白"]]], r"committee\[1\]\[0\].*character 1"),
        ([[[1, 0, 1, 1, 1, 1]]], r"committee\[0\]: expected words.*but found spans"),
    ],
)
def test_committees_are_checked(committee, words):
    with pytest.raises(ValueError, match=words):
        difficulty(GOLD, committee)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"covering": "first"}, "covering='first'"),
        ({"spurious": "none"}, "spurious='none'"),
        ({"spurious": 2.0}, "spurious=2.0"),
        ({"spurious": []}, r"spurious=\[\]"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(ValueError, match=words):
        balanced_scores(GOLD, P1, [[0.5] * 6], **options)


# Undefined scores -----------------------------------------------------------------------------


def test_all_words_easy_leaves_the_reward_undefined():
    with pytest.warns(psychometrics.UndefinedMetricWarning) as caught:
        scores = balanced_scores(GOLD, P1, [[0.0] * 6])
    assert math.isnan(scores.r_reward) and math.isnan(scores.p_reward)
    assert math.isnan(scores.r_b) and math.isnan(scores.f_b)
    assert scores.r_punishment == scores.recall
    messages = [str(w.message) for w in caught]
    assert any("r_reward is undefined" in m and "Σd = 0" in m for m in messages)
    assert any("p_reward is undefined" in m and "Σd′ = 0" in m for m in messages)
    assert all(w.filename == __file__ for w in caught)


def test_all_words_impossible_leaves_the_punishment_undefined():
    with pytest.warns(psychometrics.UndefinedMetricWarning) as caught:
        scores = balanced_scores(GOLD, P1, [[1.0] * 6])
    messages = [str(w.message) for w in caught]
    assert any("r_punishment is undefined" in m and "Σ(1 − d) = 0" in m for m in messages)
    assert any("p_punishment is undefined" in m and "Σ(1 − d′) = 0" in m for m in messages)
    assert math.isnan(scores.r_punishment) and math.isnan(scores.f_b)
    assert scores.r_reward == scores.recall


def test_a_system_that_predicts_nothing_has_no_precision():
    with pytest.warns(psychometrics.UndefinedMetricWarning, match="predicted nothing") as caught:
        scores = balanced_scores([[(0, 1, "A")], [(1, 2, "A")]], [[], []], [[0.5], [0.2]])
    assert len(caught) == 1
    assert math.isnan(scores.precision) and math.isnan(scores.f_b) and scores.recall == 0.0


def test_sums_that_cannot_be_are_no_score():
    scores = BalancedScores.from_sums([2.0, 2.0, 2.0, 1.0, 1.0, 0.0])
    assert math.isnan(scores.p_reward) and math.isnan(scores.f_b)
    assert scores.p_punishment == 0.5 and scores.r_b == 1.0


def test_the_harmonic_mean_of_nothing_right_is_zero_not_undefined():
    scores = balanced_scores([["一", "种"]], [["一种"]], [[0.5, 0.5]])
    assert scores.f1 == 0.0 and scores.f_b == 0.0


# Intervals and tests --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy():
    """300 made-up sentences, two systems that err at random, difficulties."""
    rng = np.random.default_rng(5)
    gold, a, b, d = [], [], [], []
    for _ in range(300):
        length = int(rng.integers(4, 15))
        text = "".join(rng.choice(list("一是种物质类白醇"), length))
        breaks = rng.random(length - 1) < 0.6
        words = cut(text, breaks.tolist())
        gold.append(words)
        a.append(cut(text, (breaks ^ (rng.random(length - 1) < 0.10)).tolist()))
        b.append(cut(text, (breaks ^ (rng.random(length - 1) < 0.14)).tolist()))
        d.append(rng.beta(0.5, 2, len(words)))
    return gold, a, b, d


def test_sentence_sums_add_up(toy):
    gold, a, _, d = toy
    table = psychometrics.sentence_sums(gold, a, d)
    assert table.shape == (300, 6)
    half = slice(0, 120)
    part = psychometrics.sentence_sums(gold[half], a[half], d[half])
    np.testing.assert_allclose(table[half], part, atol=1e-12)
    whole = balanced_scores(gold, a, d)
    assert asdict(BalancedScores.from_sums(table.sum(axis=0))) == pytest.approx(asdict(whole))
    assert whole.table().iloc[0].to_dict() == asdict(whole)
    # Many sums at once, as `compare` asks for them.
    both = np.stack([table.sum(axis=0), part.sum(axis=0)])
    expected = [whole.f_b, balanced_scores(gold[half], a[half], d[half]).f_b]
    np.testing.assert_allclose(balanced_f(both), expected)


def test_score_takes_the_sums(toy):
    """The interval agrees with scoring drawn sentences again."""
    gold, a, _, d = toy
    ours = score(psychometrics.sentence_sums(gold, a, d), metric=balanced_f)
    assert ours.value == pytest.approx(balanced_scores(gold, a, d).f_b)
    assert ours.n_units == 300
    rng = np.random.default_rng(2)
    drawn = []
    for _ in range(800):
        rows = rng.integers(0, 300, 300)
        drawn.append(balanced_scores(*([x[i] for i in rows] for x in (gold, a, d))).f_b)
    error = np.std(drawn)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert ours.interval.low == pytest.approx(low, abs=0.5 * error)
    assert ours.interval.high == pytest.approx(high, abs=0.5 * error)


@pytest.mark.slow
def test_compare_takes_the_sums_and_names_the_better_system(toy):
    gold, new, old, d = toy
    sums = [psychometrics.sentence_sums(gold, system, d) for system in (old, new)]
    result = compare(*sums, metric=balanced_f, names=("old", "new"))
    assert "about other sentences and the same judges" in str(result)
    values = [balanced_scores(gold, system, d).f_b for system in (old, new)]
    assert (result.value_a, result.value_b) == pytest.approx(values)
    assert result.difference == pytest.approx(values[1] - values[0]) and result.difference > 0
    assert result.pvalue < 0.05 and result.interval.low > 0 and result.p_better > 0.975
    assert "new is better than old" in str(result)
    row_by_row = compare(*sums, metric=lambda row: balanced_f(row), names=("old", "new"))
    assert row_by_row.interval == result.interval and row_by_row.pvalue == result.pvalue
    turned = compare(*sums[::-1], metric=balanced_f, names=("new", "old"))
    assert turned.difference == pytest.approx(-result.difference)
    assert "new is better than old" in str(turned)


def test_compare_agrees_with_all_swaps(toy):
    """Eight sentences: the p-value is near that of every way to swap the two outputs."""
    gold, new, old, d = ([x[i] for i in range(8)] for x in toy)
    a, b = (psychometrics.sentence_sums(gold, system, d) for system in (old, new))
    swapped = []
    for swap in itertools.product([False, True], repeat=8):
        pick = np.array(swap)[:, None]
        one, two = np.where(pick, b, a).sum(axis=0), np.where(pick, a, b).sum(axis=0)
        swapped.append(balanced_f(two) - balanced_f(one))
    observed = swapped[0]
    exact = np.mean(np.abs(swapped) >= abs(observed) - 1e-12)
    result = compare(a, b, metric=balanced_f)
    assert result.difference == pytest.approx(observed)
    assert result.pvalue == pytest.approx(exact, abs=0.1)


# Tables ---------------------------------------------------------------------------------------


def test_accuracy_by_difficulty_counts_every_word_once(toy):
    gold, a, b, d = toy
    table = psychometrics.accuracy_by_difficulty(gold, {"A": a, "B": b}, d)
    assert table.index[0] == "0.0-0.1" and table.index[-1] == "0.9-1.0"
    assert table["words"].sum() == sum(map(len, gold))
    flat, found = np.concatenate(d), np.concatenate(marks(gold, a))
    inside = (flat > 0.2) & (flat <= 0.3)
    assert table["words"].iloc[2] == inside.sum()
    assert table["A"].iloc[2] == pytest.approx(found[inside].mean())


def test_tenths_are_closed_on_the_right():
    values = np.array([0.0, 0.1, 0.1 + 1e-6, 0.3, 0.30000000000000004, 0.7, 0.9, 1.0])
    assert psychometrics.bin_of(values).tolist() == [0, 0, 1, 2, 2, 6, 8, 9]


def test_stability_grows_as_spearman_and_brown_say():
    rng = np.random.default_rng(0)
    table = rng.random((200, 3000)) < rng.beta(2, 1, 3000)
    curve = psychometrics.stability(table, sizes=[1, 4, 20, 100], repeats=10)
    # Beta(2, 1): variance 1/18, mean of d(1 − d) 1/6, so one member's reliability is 1/4.
    assert curve["correlation"].iloc[0] == pytest.approx(0.25, abs=0.03)
    assert curve["correlation"].iloc[3] == pytest.approx(100 / 103, abs=0.01)
    np.testing.assert_allclose(curve["correlation"], curve["predicted"], atol=0.04)
    assert curve["change"].is_monotonic_decreasing
    assert curve["size"].tolist() == [1, 4, 20, 100]


@pytest.mark.parametrize(
    ("table", "sizes", "words"),
    [
        (np.ones(4), [1], "two members or more"),
        (np.array([[0, 1], [2, 1]]), [1], r"marks\[1\]\[0\]=2.0: expected a mark of 0 or 1"),
        (np.array([[0, 1], [np.nan, 1]]), [1], r"marks\[1\]\[0\]=nan"),
        (np.eye(4), [3], "sizes=3"),
    ],
)
def test_stability_arguments(table, sizes, words):
    with pytest.raises(ValueError, match=words):
        psychometrics.stability(table, sizes)


def test_human_scores_by_hand():
    table = pd.DataFrame(
        [
            *[("x", 1, "A", 1), ("x", 1, "B", 2), ("x", 2, "B", 1), ("x", 2, "A", 3)],
            *[("y", 1, "A", 1), ("y", 1, "B", 1), ("y", 2, "C", 1), ("y", 2, "A", 2)],
        ],
        columns=["judge", "sentence", "system", "rank"],
    )
    scores = psychometrics.human_scores(table)
    # A: x 1/2, y (1 + 1/2)/2; B: x (1 + 1/2)/2, y 1/2; C: x 0, y 1/2
    assert scores["score"].to_dict() == {"A": 0.625, "B": 0.625, "C": 0.25}
    assert scores.loc["A", ["low", "high"]].tolist() == [0.5, 0.75]
    # A judge who saw one sentence only: A: x 1/2, y 1/1
    fewer = psychometrics.human_scores(table[:6])
    assert fewer.loc["A"].to_dict() == {"score": 0.75, "low": 0.5, "high": 1.0}
    with pytest.raises(ValueError, match="column 'rank'"):
        psychometrics.human_scores(table.drop(columns="rank"))
    with pytest.raises(ValueError, match="row 1 has 0"):
        psychometrics.human_scores(table.assign(rank=[1, 0, 1, 1, 1, 1, 1, 1]))
    with pytest.raises(ValueError, match="row 8 ranks 'A' again"):
        psychometrics.human_scores(pd.concat([table, table[:1]]))


def test_half_width_touches_letters_and_digits_only():
    assert psychometrics.half_width(["１９９８年", "ＢＭＷ族", "，", "ａ"]) == [
        "1998年",
        "BMW族",
        "，",
        "a",
    ]


# The Rasch model ------------------------------------------------------------------------------


def simulate(ability, b, seed):
    rng = np.random.default_rng(seed)
    return (rng.random((ability.size, b.size)) < expit(ability[:, None] - b)).astype(float)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.slow
def test_rasch_maximises_the_likelihood_integrated_by_brute_force(missing):
    rng = np.random.default_rng(11)
    table = simulate(np.array([-0.8, 0.0, 0.3, 1.0]), rng.normal(0.5, 1.5, 150), 12)
    table[rng.random(table.shape) < missing] = np.nan
    table = table[:, ~np.isnan(table).all(axis=0)]
    fit = psychometrics.rasch(table)
    z = np.linspace(-6, 6, 401)
    prior = np.exp(-0.5 * z**2)
    prior /= prior.sum()

    def minus_log_likelihood(parameters):
        theta = np.append(parameters[:3], -parameters[:3].sum())
        b = parameters[3] + np.exp(parameters[4]) * z
        total = 0.0
        for word in table.T:
            p = expit(theta[:, None] - b)
            chance = np.where(word[:, None] == 1, p, 1 - p)[~np.isnan(word)].prod(axis=0)
            total += np.log(prior @ chance)
        return -total

    best = optimize.minimize(
        minus_log_likelihood, [0.0, 0, 0, 0, 0], method="BFGS", options={"gtol": 1e-5}
    )
    np.testing.assert_allclose(fit.ability[:3], best.x[:3], atol=2e-4)
    assert fit.mean == pytest.approx(best.x[3], abs=2e-4)
    assert fit.standard_deviation == pytest.approx(np.exp(best.x[4]), abs=2e-4)
    at_fit = np.append(fit.ability[:3], [fit.mean, math.log(fit.standard_deviation)])
    assert minus_log_likelihood(at_fit) == pytest.approx(best.fun, abs=1e-5)
    b = fit.mean + fit.standard_deviation * z
    p = expit(fit.ability[:, None] - b)
    for i in range(30):
        word = table[:, i]
        chance = np.where(word[:, None] == 1, p, 1 - p)[~np.isnan(word)].prod(axis=0)
        weight = prior * chance / (prior @ chance)
        assert fit.logit[i] == pytest.approx(weight @ b, abs=1e-6)
        spread = math.sqrt(weight @ (b - weight @ b) ** 2)
        assert fit.standard_error[i] == pytest.approx(spread, abs=1e-6)
        assert fit.difficulty[i] == pytest.approx(weight @ (1 - p).mean(axis=0), abs=1e-6)


@pytest.mark.slow
def test_rasch_takes_a_grid_that_is_fine_enough(monkeypatch):
    rng = np.random.default_rng(6)
    table = simulate(rng.normal(0, 0.5, 80), rng.normal(-4, 5, 3000), 7)
    chosen = psychometrics.rasch(table)
    monkeypatch.setattr(_rasch, "_enough", lambda *_: 2001)
    fine = psychometrics.rasch(table)
    np.testing.assert_allclose(chosen.difficulty, fine.difficulty, atol=2e-4)
    monkeypatch.setattr(_rasch, "_enough", lambda *_: 41)
    coarse = psychometrics.rasch(table)
    assert np.abs(coarse.difficulty - fine.difficulty).max() > 0.02


def test_rasch_keeps_the_order_of_raw_error_rates_when_marks_are_complete():
    rng = np.random.default_rng(1)
    table = simulate(rng.normal(0, 1, 30), rng.normal(-2, 2, 800), 2)
    fit = psychometrics.rasch(table)
    raw = 1 - table.mean(axis=0)
    by_raw = pd.Series(fit.difficulty).groupby(raw)
    assert (by_raw.nunique() == 1).all()
    assert by_raw.first().is_monotonic_increasing
    # Shrunk towards the middle: no word is free of doubt after thirty marks.
    assert fit.difficulty.min() > 0 and fit.difficulty.max() < 1


def test_rasch_corrects_for_who_marked_a_word():
    """Good members mark one half of the words, bad ones the other: raw rates mislead."""
    ability = np.r_[np.full(20, 1.5), np.full(20, -1.5)]
    b = np.random.default_rng(3).normal(0, 1, 2000)
    table = simulate(ability, b, 4)
    # Two members on each side mark everything and tie the two scales together.
    table[2:20, :1000] = np.nan
    table[22:, 1000:] = np.nan
    raw = 1 - np.nanmean(table, axis=0)
    fit = psychometrics.rasch(table)
    truth = expit(b[:, None] - ability).mean(axis=1)
    gap = raw[:1000].mean() - raw[1000:].mean()
    assert gap > 0.3  # the halves are equally hard in truth
    assert abs(fit.difficulty[:1000].mean() - fit.difficulty[1000:].mean()) < 0.05
    assert np.abs(fit.difficulty - truth).mean() < 0.6 * np.abs(raw - truth).mean()
    assert "2,000 words" in str(fit)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.ones(3), "two members or more"),
        ([[0, 1, 2], [1, 0, 1]], r"marks\[0\]\[2\]=2.0"),
        ([[0, 1], [1, 1]], r"marks\[1\].*member 1 has 2 right of 2"),
        ([[0, 1], [0, 0]], r"marks\[1\].*member 1 has 0 right of 2"),
        ([[0, 1, math.nan], [1, 0, math.nan]], "word 2"),
        ([[0, 1], [math.nan, math.nan]], "member 1 has 0 right of 0"),
    ],
)
def test_rasch_input(table, words):
    with pytest.raises(ValueError, match=words):
        psychometrics.rasch(table)


def test_rasch_says_when_it_has_not_converged(monkeypatch):
    monkeypatch.setattr(_rasch, "_MOST", 2)
    table = simulate(np.linspace(-1, 1, 5), np.linspace(-2, 2, 50), 1)
    with pytest.raises(ValueError, match="marks: no fit in 2 steps"):
        psychometrics.rasch(table)


# Figures --------------------------------------------------------------------------------------


def test_plot_sentence_draws_bars_over_chinese_characters():
    import matplotlib.pyplot as plt

    ax = psychometrics.plot_sentence(GOLD[0], [1.0, 0.0, 0.5, 0.5, 0.2, 0.1])
    bars = [patch for patch in ax.patches if patch.get_height() >= 0][:6]
    assert [round(bar.get_height(), 1) for bar in bars] == [1.0, 0.0, 0.5, 0.5, 0.2, 0.1]
    drawn = [text for text in ax.texts if text.get_text() in list("白藜芦醇是一种酚类物质")]
    assert len(drawn) == 11
    values = [text for text in ax.texts if text.get_text() in ("1.00", "0.20", "0.10")]
    assert [text.get_position()[0] for text in values] == [2, 8, 10]  # above the middle of the word
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns about a glyph that is missing
        ax.figure.canvas.draw()
    assert all("BetterthanSansSC" in text.get_fontproperties().get_file() for text in drawn)
    plt.close(ax.figure)
    with pytest.raises(ValueError, match="expected 6, one per word, got 1"):
        psychometrics.plot_sentence(GOLD[0], [0.5])
    with pytest.raises(ValueError, match="same length"):
        psychometrics.plot_sentence(GOLD[0], [0.5] * 6, translation=["resveratrol"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        psychometrics.plot_sentence(GOLD[0], [0, 0, 0, 0, 0, 2])


def test_the_font_has_the_characters_of_gb2312():
    from matplotlib.ft2font import FT2Font

    from betterthan._fonts import chinese

    known = FT2Font(chinese().get_file()).get_charmap()
    rows = range(0xB0, 0xF8)
    count = 0
    for row, column in itertools.product(rows, range(0xA1, 0xFF)):
        try:
            character = bytes([row, column]).decode("gb2312")
        except UnicodeDecodeError:
            continue
        count += 1
        assert ord(character) in known
    assert count == 6763
    assert all(ord(c) in known for c in "，。、：（）“”《》0aＡ１")


def test_plot_accuracy_has_a_line_a_system(toy):
    import matplotlib.pyplot as plt

    gold, a, b, d = toy
    table = psychometrics.accuracy_by_difficulty(gold, {"A": a, "B": b}, d)
    ax = psychometrics.plot_accuracy(table)
    assert [line.get_label() for line in ax.get_lines()] == ["A", "B"]
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), table["A"])
    plt.close(ax.figure)


# Speed and studies ----------------------------------------------------------------------------


def test_a_hundred_thousand_words_take_well_under_a_second():
    import time

    gold = [["一种", "白", "物质", "是"] * 5] * 5000
    predicted = [["一", "种", "白物", "质", "是"] * 5] * 5000
    d = [np.full(20, 0.25)] * 5000
    began = time.process_time()
    scores = balanced_scores(gold, predicted, d)
    assert time.process_time() - began < 0.7
    assert scores.recall == 0.25


@relaxed
@given(st.text("一种物质是", min_size=1, max_size=20))
def test_maximum_matching_takes_the_longest_known_word(text):
    known = {"一种", "物质", "是", "一种物"}
    words = studies.maximum_matching(known, 3, text)
    assert "".join(words) == text
    at = 0
    for word in words:
        longer = [w for w in known if len(w) > len(word) and text.startswith(w, at)]
        assert not longer and (word in known or len(word) == 1)
        at += len(word)


@relaxed
@given(case=segmented(), seed=st.integers(0, 99))
def test_sums_by_member_are_those_of_committees_of_one(case, seed):
    (gold, predicted), _ = case
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, 2, (5, sum(map(len, gold))))
    sums = studies._member_sums(gold, predicted, votes)
    for member, vote in zip(sums, votes):
        alone = studies._by_sentence(gold, 1.0 - vote)
        np.testing.assert_allclose(member, psychometrics.sentence_sums(gold, predicted, alone))


def test_score_takes_members_as_units(toy):
    """Leaving a member's row out gives the score that a committee without it would give."""
    gold, a, *_ = toy
    rng = np.random.default_rng(5)
    votes = rng.integers(0, 2, (6, sum(map(len, gold))))
    rows = studies._member_sums(gold, a, votes).sum(axis=1)

    def without(members: np.ndarray) -> float:
        d = studies._by_sentence(gold, 1.0 - votes[members].mean(axis=0))
        return balanced_scores(gold, a, d).f_b

    everybody = np.arange(6)
    left = np.array([without(np.delete(everybody, k)) for k in everybody])
    found = score(rows, metric=balanced_f)
    assert found.value == pytest.approx(without(everybody))
    assert found.standard_error == pytest.approx(
        np.sqrt(5 / 6 * np.square(left - left.mean()).sum())
    )


@relaxed
@given(case=segmented())
def test_equation_11_as_printed_bounds_the_ease_of_what_was_found(case):
    """The bound by which the printed Table 2 could not have come out (workshop 4)."""
    (gold, predicted), d = case
    scores = quiet_scores(gold, predicted, d)
    right, p = np.concatenate(marks(gold, predicted)).astype(bool), scores["precision"]
    printed = scores["p_punishment"]  # what p_b would be
    if right.any() and p < 1 and printed < 1:
        ease = 1 - np.concatenate(d)[right].mean()
        assert ease <= (1 - p) / p * printed / (1 - printed) + 1e-9


def test_in_the_table_of_tests_the_baseline_is_the_lower_one():
    from betterthan import datasets

    table = datasets.study_table("psychometrics-tests")
    scores = datasets.study_table("psychometrics-systems").set_index(["corpus", "system"])
    for row in table.itertuples():
        lower, upper = (scores.loc[(row.corpus, name)] for name in (row.a, row.b))
        assert upper["f1"] > lower["f1"]
        assert row.difference == pytest.approx(upper[row.score] - lower[row.score], abs=2e-6)


def test_one_committee_grades_all_seven_systems():
    """Eq. (6) turned round: the same Σd for all, whatever they found."""
    from betterthan import datasets

    table = datasets.study_table("psychometrics-entities")
    assert not table["rule"].str.startswith("other").any()
    # r = mean of reward and punishment, weighted by the mean difficulty: one number per rule.
    mean = (table["r_punishment"] - table["r"]) / (table["r_punishment"] - table["r_reward"])
    for rule, values in mean.groupby(table["rule"]):
        assert np.ptp(values) < 1e-4, rule


@pytest.mark.corpora
def test_the_test_texts_are_not_among_the_training_text():
    training = {"".join(words) for words in studies._training() if len("".join(words)) > 20}
    for corpus in ("pku", "msr"):
        shared = sum("".join(words) in training for words in studies._gold(corpus))
        assert shared <= 2, corpus


# The chapter ----------------------------------------------------------------------------------


def chapter_cells(tag: str) -> list[str]:
    import jupytext

    from press.chapters import ROOT

    book = jupytext.read(ROOT / "chapters" / "4-hard-words.md", fmt="md:myst")
    return [cell.source for cell in book.cells if tag in cell.metadata.get("tags", [])]


@pytest.fixture(scope="module")
def standalone():
    (source,) = chapter_cells("standalone")
    names: dict = {}
    exec(source, names)
    return names


def test_the_standalone_cell_computes_the_opening_example(standalone):
    assert standalone["f_b"] == pytest.approx(
        balanced_scores(GOLD, P1, [[1, 0, 0.5, 0.5, 0.2, 0.1]]).f_b, abs=1e-12
    )


@relaxed
@given(case=segmented())
def test_the_standalone_cell_agrees_with_the_library(standalone, case):
    """On every sentence whose scores are defined."""
    (gold, predicted), d = case
    for words, mine, values in zip(gold, predicted, d):
        ours = quiet_scores([words], [mine], [values])["f_b"]
        if not math.isnan(ours):
            assert standalone["balanced"](words, mine, values) == pytest.approx(ours, abs=1e-12)
