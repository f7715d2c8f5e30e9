"""The tagger against brute force, dense algebra, python-crfsuite and bad input."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from betterthan import _sequences_index as index
from betterthan import _sequences_kernels as kernels
from betterthan import sequences, tags
from betterthan.sequences import Tagger

ALGORITHMS = ("cw", "arow", "pa", "perceptron")


# Tiny problems that can be enumerated


def toy_corpus(seed: int, n_labels: int, sentences: int = 12, features: int = 6, longest: int = 4):
    """Sentences with real-valued features, so that no two labellings tie by accident."""
    rng = np.random.default_rng(seed)
    labels = [f"L{i:02}" for i in range(n_labels)]
    X, y = [], []
    for s in range(sentences):
        n = int(rng.integers(1, longest + 1))
        X.append(
            [
                {f"f{f}": float(rng.normal()) for f in rng.choice(features, 3, replace=False)}
                for _ in range(n)
            ]
        )
        y.append([labels[rng.integers(n_labels)] for _ in range(n)])
        y[-1][0] = labels[s % n_labels]
    return X, y


def set_weights(tagger: Tagger, dense: np.ndarray) -> None:
    """Replace the learned means: rows are features, then previous labels; columns are labels."""
    n_labels = len(tagger.labels_)
    padded = np.zeros((dense.shape[0], 4 * (-(-n_labels // 4))), np.float32)
    padded[:, :n_labels] = dense
    tagger._means = padded.reshape(tagger._means.shape)


def dense(tagger: Tagger, padded: np.ndarray) -> np.ndarray:
    return padded.reshape(padded.shape[0], -1)[:, : len(tagger.labels_)].astype(float)


def phi(tagger: Tagger, sentence, path) -> np.ndarray:
    """Φ(x, y) as a dense matrix of the same shape as the weights."""
    number = {name: i for i, name in enumerate(tagger._vocabulary.features())}
    out = np.zeros((len(number) + len(tagger.labels_), len(tagger.labels_)))
    for p, token in enumerate(sentence):
        for name, value in index.items(token):
            if name in number:
                out[number[name], path[p]] += value
        if p:
            out[len(number) + path[p - 1], path[p]] += 1
    return out


def enumerate_scores(tagger: Tagger, weights: np.ndarray, sentence) -> dict[tuple, float]:
    paths = itertools.product(range(len(tagger.labels_)), repeat=len(sentence))
    return {path: float((weights * phi(tagger, sentence, path)).sum()) for path in paths}


def ranked(scores: dict[tuple, float]) -> list[tuple]:
    """Best first; of equals the one with the lower last label, then the lower one before it."""
    # the first updates leave labels that tie but for the order in which float64 was summed
    return sorted(scores, key=lambda path: (-round(scores[path], 9), path[::-1]))


@pytest.fixture(scope="module", params=[1, 2, 3, 4, 5, 9])
def integer_model(request):
    """A model with small whole weights, so that ties are many and sums exact."""
    n_labels = request.param
    rng = np.random.default_rng(n_labels)
    X = [
        [
            [f"f{f}" for f in rng.integers(0, 5, 3)]
            for _ in range(rng.integers(1, 6 - (n_labels > 5)))
        ]
        for _ in range(25)
    ]
    y = [[f"L{(s + p) % n_labels}" for p in range(len(x))] for s, x in enumerate(X)]
    y[0][0] = "L0"
    tagger = Tagger(passes=1).fit(X, y)
    shape = (len(tagger._vocabulary) + len(tagger.labels_), len(tagger.labels_))
    set_weights(tagger, rng.integers(-2, 3, shape))
    return tagger, X


def test_viterbi_is_the_best_of_all_labellings(integer_model):
    tagger, X = integer_model
    weights = dense(tagger, tagger._means)
    for sentence, labels in zip(X, tagger.predict(X)):
        best = ranked(enumerate_scores(tagger, weights, sentence))[0]
        assert labels == [tagger.labels_[c] for c in best]


@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_kbest_is_the_head_of_all_labellings(integer_model, k):
    tagger, X = integer_model
    weights = dense(tagger, tagger._means)
    for sentence, found in zip(X[:8], tagger.kbest(X[:8], k)):
        scores = enumerate_scores(tagger, weights, sentence)
        expected = [
            ([tagger.labels_[c] for c in path], scores[path]) for path in ranked(scores)[:k]
        ]
        assert found == expected


def test_delta_is_the_gap_to_the_best_labelling_with_another_label(integer_model):
    tagger, X = integer_model
    weights = dense(tagger, tagger._means)
    for sentence, delta in zip(X, tagger.confidence(X, "delta")):
        scores = enumerate_scores(tagger, weights, sentence)
        best = ranked(scores)[0]
        for p, label in enumerate(best):
            others = [score for path, score in scores.items() if path[p] != label]
            assert delta[p] == (scores[best] - max(others) if others else np.inf)


@pytest.mark.parametrize("method", ["kbv", "wkbv"])
def test_kbest_confidence_is_the_share_of_labellings(integer_model, method):
    tagger, X = integer_model
    for sentence, sure in zip(X, tagger.confidence(X, method, k=6)):
        found = tagger.kbest([sentence], 6)[0]
        weight = np.array([max(0.0, score) if method == "wkbv" else 1.0 for _, score in found])
        if weight.sum() == 0:
            weight[:] = 1
        for p in range(len(sentence)):
            agree = np.array([labels[p] == found[0][0][p] for labels, _ in found])
            assert sure[p] == pytest.approx(weight[agree].sum() / weight.sum(), abs=1e-12)


def test_margins_are_the_gap_between_the_best_two():
    X, y = toy_corpus(3, 3)
    tagger = Tagger("cw", passes=2).fit(X, y)
    means, variances = dense(tagger, tagger._means), dense(tagger, tagger._variances)
    result = tagger.margins(X)
    for s, sentence in enumerate(X):
        scores = enumerate_scores(tagger, means, sentence)
        first, second = ranked(scores)[:2]
        change = phi(tagger, sentence, first) - phi(tagger, sentence, second)
        assert result.margin[s] == pytest.approx(scores[first] - scores[second], abs=1e-5)
        assert result.variance[s] == pytest.approx((variances * change**2).sum(), rel=1e-5)
    assert np.isnan(Tagger("pa", passes=1).fit(X, y).margins(X).variance).all()


# The learners against a dense implementation with the full covariance


def dense_fit(tagger: Tagger, X, y):
    """Averaged means and last variances, by enumeration and matrix inversion in float64."""
    labels = tagger.labels_
    shape = (len(tagger._vocabulary) + len(labels), len(labels))
    size = shape[0] * shape[1]
    mean, variance, total, rounds = np.zeros(size), np.ones(size), np.zeros(size), 0
    rng = np.random.default_rng(np.random.SeedSequence(tagger.seed, spawn_key=(0,)))
    for _ in range(tagger.passes):
        for s in rng.permutation(len(X)):
            gold = tuple(labels.index(label) for label in y[s])
            order = ranked(enumerate_scores(tagger, mean.reshape(shape), X[s]))

            def change(path, s=s, gold=gold):
                return (phi(tagger, X[s], gold) - phi(tagger, X[s], path)).ravel()

            def distance(path, gold=gold):
                return sum(a != b for a, b in zip(gold, path))

            if tagger.algorithm == "pa":
                rivals = [path for path in order[:6] if path != gold][:5]
                deltas = np.array([change(path) for path in rivals]).reshape(len(rivals), size)
                slack = np.array([distance(path) for path in rivals]) - deltas @ mean
                if (slack > 0).any():
                    mean = mean + box_qp(deltas @ deltas.T, slack, tagger.C) @ deltas
            elif order[0] != gold:
                delta = change(order[0])
                m, v = mean @ delta, variance @ delta**2
                if tagger.algorithm == "perceptron":
                    mean = mean + delta
                else:
                    if tagger.algorithm == "arow":
                        alpha = max(0.0, distance(order[0]) - m) / (tagger.r + v)
                        beta = 1 / tagger.r
                    else:
                        a, b, c = 1 + tagger.phi**2 / 2, 1 + tagger.phi**2, tagger.phi
                        alpha = max(
                            0.0, (-m * a + np.sqrt(m**2 * c**4 / 4 + v * c**2 * b)) / (v * b)
                        )
                        plus = (-alpha * v * c + np.sqrt(alpha**2 * v**2 * c**2 + 4 * v)) ** 2 / 4
                        beta = alpha * c / np.sqrt(plus)
                        assert m + alpha * v == pytest.approx(c * np.sqrt(plus), rel=1e-9)
                    mean = mean + alpha * variance * delta
                    precision = np.diag(1 / variance) + beta * np.outer(delta, delta)
                    full = np.linalg.inv(precision)
                    if tagger.algorithm == "cw":
                        assert delta @ full @ delta == pytest.approx(plus, rel=1e-6)
                    variance = np.diag(full).copy()
            total += mean
            rounds += 1
    return (total / rounds).reshape(shape), variance.reshape(shape)


def box_qp(gram: np.ndarray, slack: np.ndarray, capacity: float) -> np.ndarray:
    """min ½ αᵀGα − slack·α over 0 ≤ α ≤ C by another method than Hildreth's."""
    result = optimize.minimize(
        lambda a: (0.5 * a @ gram @ a - slack @ a, gram @ a - slack),
        np.zeros(len(slack)),
        jac=True,
        bounds=[(0, capacity)] * len(slack),
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    return result.x


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_learners_match_dense_algebra(algorithm, n_labels):
    X, y = toy_corpus(n_labels, n_labels, longest=4 if n_labels < 5 else 3)
    tagger = Tagger(algorithm, passes=3, r=0.7, phi=0.8, C=0.3, seed=5).fit(X, y)
    means, variances = dense_fit(tagger, X, y)
    np.testing.assert_allclose(dense(tagger, tagger._means), means, atol=2e-5, rtol=2e-5)
    if algorithm in ("cw", "arow"):
        assert variances.min() < 0.9
        np.testing.assert_allclose(
            dense(tagger, tagger._variances), variances, atol=1e-6, rtol=1e-5
        )
    else:
        assert tagger._variances is None


@pytest.mark.parametrize("value", [0.3, 1.0, 2.5])
@settings(deadline=None)
@given(m=st.floats(-50, 0), v=st.floats(1e-3, 1e3))
def test_cw_step_satisfies_its_constraint_exactly(value, m, v):
    alpha, shrink = kernels.step_sizes(kernels.CW, value, m, v, 1)
    after = v - shrink * v * v
    assert m + alpha * v == pytest.approx(value * np.sqrt(after), rel=1e-6, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.floats(0.01, 2))
def test_hildreth_solves_the_quadratic_programme(seed, count, capacity):
    rng = np.random.default_rng(seed)
    deltas = rng.integers(-2, 3, (count, 12)).astype(float)
    deltas[:, 0] = 1 + rng.integers(0, 3, count)
    slack = rng.normal(1, 2, count)
    alpha = np.empty(count)
    kernels.hildreth(deltas @ deltas.T, slack, capacity, alpha, count)
    assert (alpha >= 0).all() and (alpha <= capacity).all()
    gram = deltas @ deltas.T

    def cost(a):
        return 0.5 * a @ gram @ a - slack @ a

    assert cost(alpha) <= cost(box_qp(gram, slack, capacity)) + 1e-6


def test_repeated_features_add_up():
    y = [["A", "B"], ["B", "A"]]
    twice = [[["f", "f", "g"], ["h"]], [["g", "h", "g"], ["f"]]]
    valued = [[{"f": 2.0, "g": 1.0}, {"h": 1.0}], [{"g": 2.0, "h": 1.0}, {"f": 1.0}]]
    for algorithm in ALGORITHMS:
        one = Tagger(algorithm, passes=4).fit(twice, y)
        other = Tagger(algorithm, passes=4).fit(valued, y)
        np.testing.assert_allclose(one._means, other._means, rtol=1e-6)


def test_a_single_label_is_learned_without_complaint():
    tagger = Tagger("arow").fit([[["a"], ["b"]]], [["O", "O"]])
    assert tagger.predict([[["c"]]]) == [["O"]]
    assert tagger.confidence([[["c"]]])[0] == 1.0
    assert tagger.margins([[["c"]]]).margin[0] == np.inf


# Draws


def deviates(key, count):
    q = np.array([kernels.uniform(key, cell) for cell in range(count)])
    return normal_quantiles(q)


def normal_quantiles(q):
    out = np.full(q.size, np.nan)
    kernels.standard_normals(q, out, np.empty(q.size, np.int64), np.empty(2 * q.size))
    return out


def test_normal_quantiles_are_exact_into_the_far_tail():
    tail = np.concatenate([[0.074, 0.0751, 0.075, 0.0749], 2.0 ** -np.arange(4, 54)])
    q = np.concatenate([tail - 0.5, 0.5 - tail, np.linspace(-0.49, 0.49, 999)])
    np.testing.assert_allclose(normal_quantiles(q), special.ndtri(q + 0.5), rtol=1e-9, atol=1e-15)
    # In the lower tail q + ½ is exact, so there nothing blurs the comparison.
    low = tail - 0.5
    np.testing.assert_allclose(normal_quantiles(low), special.ndtri(low + 0.5), rtol=1e-14)


def test_deviates_are_normal_quantiles_of_their_counter():
    key = np.uint64(12345)
    mask = 2**64 - 1
    found = deviates(key, 3000)
    for cell in range(3000):
        z = (12345 + (cell + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        expected = special.ndtri(((z >> 11) + 0.5) / 2**53)
        assert found[cell] == pytest.approx(expected, abs=1e-12, rel=1e-12)


def test_deviates_are_normal_and_independent_between_draws():
    keys = [s.generate_state(1, np.uint64)[0] for s in np.random.SeedSequence(1).spawn(2)]
    one, other = (deviates(key, 20_000) for key in keys)
    assert stats.kstest(one, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.03
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 0.03


@pytest.mark.parametrize("method", ["kd_pc", "kd_fixed"])
def test_agreement_has_the_probability_of_the_gaussian(method):
    """One token, two labels: the draws agree with probability Φ(difference / its deviation)."""
    tagger = Tagger("cw", passes=1).fit([[["a"]], [["b"]]], [["X"], ["Y"]])
    set_weights(tagger, np.array([[0.9, 0.2], [0, 0], [0, 0], [0, 0]]))
    tagger._variances[0, 0, :2] = [0.3, 1.7]
    scale = 0.25
    spread = scale * (2.0 if method == "kd_fixed" else 0.3 + 1.7)
    probability = stats.norm.cdf(0.7 / np.sqrt(spread))
    found = tagger.confidence([[["a"]]], method, draws=4000, scale=scale)[0][0]
    assert abs(found - probability) < 4 * np.sqrt(probability * (1 - probability) / 4000)
    tagger._variances[0, 0, :2] = [0.003, 0.017]
    narrow = tagger.confidence([[["a"]]], method, draws=400, scale=scale)[0][0]
    assert (narrow == 1.0) == (method == "kd_pc")


@pytest.mark.parametrize("method", ["kd_pc", "kd_fixed"])
def test_draws_do_not_depend_on_the_batch(method):
    X, y = toy_corpus(8, 3, sentences=20)
    tagger = Tagger("arow", passes=2).fit(X, y)
    together = tagger.confidence(X, method, draws=20, scale=0.5)
    alone = [tagger.confidence([x], method, draws=20, scale=0.5)[0] for x in X]
    assert all(np.array_equal(a, b) for a, b in zip(together, alone))
    assert len({float(c) for sentence in together for c in sentence}) > 3
    more = tagger.confidence(X, method, draws=40, scale=0.5)
    counts = [np.rint(40 * m) - np.rint(20 * t) for m, t in zip(more, together)]
    assert all(((c >= 0) & (c <= 20)).all() for c in counts)  # the first 20 draws are the same
    other = tagger.confidence(X, method, draws=20, scale=0.5, seed=99)
    assert any(not np.array_equal(a, b) for a, b in zip(together, other))


def test_confidence_is_aligned_with_predict_for_every_method():
    X, y = toy_corpus(2, 3)
    tagger = Tagger("cw").fit(X, y)
    for method in sequences.METHODS:
        sure = tagger.confidence(X, method)
        assert [len(c) for c in sure] == [len(x) for x in X]
        assert all(c.dtype == float and (c >= 0).all() for c in sure)
    assert all((c <= 1).all() for c in tagger.confidence(X))


def test_tune_scale_takes_the_best_and_confidence_uses_it():
    from betterthan._confidence_eval import average_precision

    X, y = toy_corpus(4, 3, sentences=60)
    tagger = Tagger("arow", passes=2).fit(X[:30], y[:30])
    scales = [0.001, 0.05, 3.0]
    flat = np.concatenate([np.array(a) == b for a, b in zip(tagger.predict(X[30:]), y[30:])])
    value = {
        s: average_precision(np.concatenate(tagger.confidence(X[30:], scale=s)), flat)
        for s in scales
    }
    before = tagger.confidence(X[30:])
    chosen = tagger.tune_scale(X[30:], y[30:], scales=scales)
    assert value[chosen] == max(value.values())
    assert tagger.scales_ == {"kd_pc": chosen}
    after = np.concatenate(tagger.confidence(X[30:]))
    assert np.array_equal(after, np.concatenate(tagger.confidence(X[30:], scale=chosen)))
    assert not np.array_equal(after, np.concatenate(before))
    assert tagger.tune_scale(X[30:], y[30:], draws=5) in sequences.SCALES
    perceptron = Tagger("perceptron").fit(X[:30], y[:30])
    assert 0.01 <= perceptron.tune_scale(X[30:], y[30:], "kd_fixed", draws=5) <= 100
    for criterion in ("rmse", "brier"):
        assert tagger.tune_scale(X[30:], y[30:], scales=scales, criterion=criterion) in scales
    # Too small to change any label, so that the two are equals.
    assert tagger.tune_scale(X[30:], y[30:], scales=[1e-19, 1e-20], draws=5) == 1e-20


def test_draws_go_by_the_taggers_own_seed_if_no_other_is_given():
    X, y = toy_corpus(4, 3, sentences=30)
    tagger = Tagger("arow", passes=2, seed=5).fit(X, y)
    own, five, zero = (
        np.concatenate(tagger.confidence(X, draws=9, scale=1.0, seed=seed)) for seed in (None, 5, 0)
    )
    assert np.array_equal(own, five)
    assert not np.array_equal(own, zero)


# Input


ITEMS = [
    ["bias", "w=été", "w=été"],
    ("a", "b"),
    {"word": "cat", "length": 3, "ratio": 0.5, "upper": True, "digit": False},
    {"near": ["the", "sat"], "nested": {"a": 1, "b": "x", "c": {"d": 2.5, "e": ["f"]}}},
    {"set": {"only"}, "empty": [], "zero": 0, "negative": -1.5, "numpy": np.float64(2)},
    {"bytes": b"value", b"key": "v"},
    {},
    [],
]


@pytest.mark.parametrize("token", ITEMS, ids=repr)
def test_tokens_are_read_as_python_crfsuite_reads_them(token):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    (expected,) = pycrfsuite.ItemSequence([token]).items()
    ours: dict[str, float] = {}
    for name, value in index.items(token):
        ours[name] = value
    assert ours == expected


def test_an_item_sequence_is_a_sentence():
    pycrfsuite = pytest.importorskip("pycrfsuite")
    X = [[{"w": "a", "n": 2}, {"w": "b"}]]
    tagger = Tagger(passes=2).fit(X, [["A", "B"]])
    same = Tagger(passes=2).fit([pycrfsuite.ItemSequence(X[0])], [["A", "B"]])
    assert sorted(tagger._vocabulary.features()) == sorted(same._vocabulary.features())
    assert tagger.predict([pycrfsuite.ItemSequence(X[0])]) == tagger.predict(X)


features = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


# No deadline: the first call compiles.
@settings(deadline=None)
@given(st.lists(st.lists(st.lists(features, max_size=5), min_size=1, max_size=4), min_size=1))
def test_interning_numbers_strings_by_first_appearance(X):
    vocabulary = index.Vocabulary()
    data = index.encode(X, vocabulary, learn=True)
    number: dict[str, int] = {}
    expected = [number.setdefault(f, len(number)) for x in X for token in x for f in token]
    assert data.ids.tolist() == expected
    assert vocabulary.features() == list(number)
    assert np.diff(data.token_ptr).tolist() == [len(token) for x in X for token in x]
    assert np.diff(data.sentence_ptr).tolist() == [len(x) for x in X]
    again = index.Vocabulary(vocabulary.text.copy())
    assert index.encode(X, again, learn=False).ids.tolist() == expected


def test_strings_whose_hashes_collide_are_told_apart():
    known = np.frombuffer(b"ab\0", np.uint8)
    for asked, same in ((b"ab\0", True), (b"a\0", False), (b"abc\0", False), (b"ac\0", False)):
        buffer = np.frombuffer(asked, np.uint8)
        assert index._same(known, 0, buffer, 0, len(asked) - 1) == same


def test_interning_grows_and_ignores_what_it_does_not_know():
    names = [f"{i:x}" for i in range(50_000)]
    vocabulary = index.Vocabulary()
    X = [[names[i : i + 100]] for i in range(0, len(names), 100)]
    assert index.encode(X, vocabulary, learn=True).ids.tolist() == list(range(50_000))
    data = index.encode([[["x", "ff", "yy", "0"], [], ["zz"]]], vocabulary, learn=False)
    assert data.ids.tolist() == [255, 0]
    assert data.token_ptr.tolist() == [0, 2, 2, 2]
    data = index.encode([[{"x": 3.0, "ff": 2.0}, {"0": 4.0}]], vocabulary, learn=False)
    assert data.values.tolist() == [2.0, 4.0]


def test_unknown_features_are_ignored_and_unknown_labels_are_errors():
    X, y = [[["a"], ["b"]]], [["A", "B"]]
    tagger = Tagger().fit(X, y)
    assert tagger.predict([[["a", "never", "seen"], ["b", "neither"]]]) == tagger.predict(X)
    assert tagger.score(X, y) == 1.0
    assert tagger.score(X, [["A", "Z"]]) == 0.5
    assert tagger.predict([[[], ["new"]]])[0][0] in ("A", "B")


def nan_token(value):
    return [[["a"]], [["a"], {"b": 1, "weight": value}]]


GOOD_X, GOOD_Y = [[["a"], ["b"]], [["a"]]], [["A", "B"], ["A"]]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], r"X: expected at least one sentence"),
        ([[["a"]], []], [["A"], []], r"X\[1\]: expected at least one token"),
        (GOOD_X, [["A", "B"]], r"X has 2 sentences and y has 1"),
        (GOOD_X, [["A", "B"], ["A", "B"]], r"X\[1\] has 1 tokens and y\[1\] has 2 labels"),
        (GOOD_X, [["A", 3], ["A"]], r"y\[0\]: expected labels to be strings, got 3"),
        (GOOD_X, ["AB", "A"], r"y\[0\]: expected a list of labels, got 'AB'"),
        (
            nan_token(float("nan")),
            [["A"], ["A", "B"]],
            r"X\[1\]\[1\]: feature 'weight' has the value nan",
        ),
        (
            nan_token(float("inf")),
            [["A"], ["A", "B"]],
            r"X\[1\]\[1\]: feature 'weight' has the value inf",
        ),
        (nan_token(None), [["A"], ["A", "B"]], r"X\[1\]\[1\]: feature 'weight' has the value None"),
        ([["word", "word"]], [["A", "B"]], r"X\[0\]\[0\]: expected a list of feature strings"),
        (["word"], [["A"]], r"X\[0\]: expected a list of tokens"),
        ("word", [["A"]], r"X: expected a list of sentences"),
        ([[["a", 3]]], [["A"]], r"X\[0\]\[0\]: expected feature names to be strings, got 3"),
        ([[["a", "b\0c"]]], [["A"]], r"X\[0\]\[0\]: feature 'b\\x00c' holds a NUL"),
        (7, [["A"]], r"X: expected a list of sentences, got 7"),
        (GOOD_X, 7, r"y: expected a list of lists of labels, got 7"),
    ],
)
def test_fit_refuses(X, y, words):
    with pytest.raises(ValueError, match=words):
        Tagger().fit(X, y)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("algorithm", "crf"),
        ("passes", 0),
        ("passes", 2.5),
        ("r", float("nan")),
        ("r", -1),
        ("r", 0),
        ("phi", -0.1),
        ("phi", float("inf")),
        ("C", float("nan")),
        ("C", "much"),
        ("seed", -1),
    ],
)
def test_parameters_refused(argument, value):
    with pytest.raises(ValueError, match=f"{argument}="):
        Tagger(**{argument: value})


def test_methods_refuse():
    with pytest.raises(ValueError, match="call fit first"):
        Tagger().predict(GOOD_X)
    for call in ("kbest", "confidence", "margins"):
        with pytest.raises(ValueError, match="call fit first"):
            getattr(Tagger(), call)(GOOD_X)
    with pytest.raises(ValueError, match="call fit first"):
        Tagger().save("nowhere.npz")
    for algorithm in ("pa", "perceptron"):
        tagger = Tagger(algorithm, passes=1).fit(GOOD_X, GOOD_Y)
        with pytest.raises(ValueError, match=rf"kd_pc.*{algorithm}"):
            tagger.confidence(GOOD_X)
        with pytest.raises(ValueError, match=rf"kd_pc.*{algorithm}"):
            tagger.tune_scale(GOOD_X, GOOD_Y)
    tagger = Tagger(passes=1).fit(GOOD_X, GOOD_Y)
    for name, value in [("method", "best"), ("draws", 0), ("k", 0), ("scale", -1.0), ("scale", 0)]:
        with pytest.raises(ValueError, match=f"{name}="):
            tagger.confidence(GOOD_X, **{name: value})
    with pytest.raises(ValueError, match="k="):
        tagger.kbest(GOOD_X, 0)
    with pytest.raises(ValueError, match=r"X\[0\]: expected at least one token"):
        tagger.predict([[]])
    with pytest.raises(ValueError, match="X has 2 sentences and y has 1"):
        tagger.score(GOOD_X, [["A", "B"]])
    with pytest.raises(ValueError, match="at least one mistake"):
        Tagger().fit(GOOD_X, GOOD_Y).tune_scale(GOOD_X, GOOD_Y)
    with pytest.raises(ValueError, match="scales="):
        tagger.tune_scale(GOOD_X, [["B", "B"], ["B"]], scales=[0.1, -1])
    with pytest.raises(ValueError, match="method="):
        tagger.tune_scale(GOOD_X, GOOD_Y, method="delta")


def test_weights_that_overflow_are_refused():
    tagger = Tagger("perceptron")
    with pytest.raises(ValueError, match=r"X: expected feature values .* overflowed"):
        tagger.fit([[{"a": 1e300}], [{"b": 1.0}]], [["B"], ["A"]])
    with pytest.raises(ValueError, match="call fit first"):
        tagger.predict([[["a"]]])


def test_progress_is_shown_only_when_asked(capsys):
    Tagger(passes=3).fit(GOOD_X, GOOD_Y)
    assert capsys.readouterr() == ("", "")
    Tagger(passes=3).fit(GOOD_X, GOOD_Y, progress=True)
    assert "3/3" in capsys.readouterr().err


# Files and determinism


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_saved_taggers_come_back_whole(algorithm, tmp_path):
    X, y = toy_corpus(6, 5, sentences=30)
    X[0][0]["größe:€"] = 1.0
    tagger = Tagger(algorithm, passes=3, r=0.3, phi=0.4, C=0.5, seed=7).fit(X, y)
    tagger.scales_["kd_fixed"] = 0.125
    tagger.save(tmp_path / "model")
    loaded = Tagger.load(str(tmp_path / "model"))
    assert repr(loaded) == repr(tagger)
    assert loaded.labels_ == tagger.labels_ and loaded.scales_ == tagger.scales_
    assert loaded.predict(X) == tagger.predict(X)
    for method in ("kd_fixed", "wkbv", "delta"):
        for a, b in zip(tagger.confidence(X, method), loaded.confidence(X, method)):
            assert np.array_equal(a, b)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    with np.load(tmp_path / "model", allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes())
        assert header["format"] == "betterthan.sequences.Tagger"
        assert archive["means"].shape == (header["features"] + 5, 5)
        assert "größe:€" in archive["features"].tobytes().decode().split("\0")


def test_a_damaged_or_foreign_file_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    Tagger(passes=1).fit(GOOD_X, GOOD_Y).save(path)
    whole = path.read_bytes()
    for size in [0, 1, 10, 100, len(whole) // 2, len(whole) - 200, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"model\.npz.*(foreign or damaged|expected)"):
            Tagger.load(path)
    flipped = bytearray(whole)
    flipped[whole.index(b"means.npy") + 160] ^= 0xFF
    path.write_bytes(flipped)
    with pytest.raises(ValueError, match="foreign or damaged"):
        Tagger.load(path)
    path.write_text("not a model")
    with pytest.raises(ValueError, match="foreign or damaged"):
        Tagger.load(path)
    path.write_bytes(pickle.dumps({"means": 1}))
    with pytest.raises(ValueError, match="foreign or damaged"):
        Tagger.load(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(ValueError, match="foreign or damaged"):
        Tagger.load(path)
    np.save(path.with_suffix(".npy"), np.arange(3))
    with pytest.raises(ValueError, match="foreign or damaged"):
        Tagger.load(path.with_suffix(".npy"))
    with pytest.raises(FileNotFoundError):
        Tagger.load(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, "its format is 'other'"),
        ({"version": 99}, "its version is 99"),
        ({"labels": ["B", "A"]}, "its labels"),
        ({"labels": ["A", "B", "C"]}, "its means are float32 of shape"),
        ({"features": 1}, "holds 2 features and promises 1"),
        ({"r": -1}, "r=-1"),
        ({"passes": None}, "passes=None"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(change, words, tmp_path):
    path = tmp_path / "model.npz"
    Tagger(passes=1).fit(GOOD_X, GOOD_Y).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes()) | change
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=words):
        Tagger.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.npz"
    tagger = Tagger(passes=1).fit(GOOD_X, GOOD_Y)
    tagger.save(path)
    before = path.read_bytes()

    def full(file, **arrays):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="disk full"):
        tagger.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.npz"]


SCRIPT = """
import sys
from betterthan.sequences import ALGORITHMS, Tagger
words = [["the", "cat", "sat"], ["a", "dog"], ["the", "dog", "sat", "there"]]
X = [[{"w": w, "letters": set(w), "n": len(w) / 3} for w in s] for s in words] * 5
y = [["B", "I", "O"], ["B", "I"], ["B", "I", "O", "O"]] * 5
for algorithm in ALGORITHMS:
    tagger = Tagger(algorithm, passes=3, seed=4).fit(X, y)
    tagger.save(f"{sys.argv[1]}-{algorithm}")
    print([c.tolist() for c in tagger.confidence(X, "kd_fixed", draws=7)])
"""


def test_two_fits_with_one_seed_give_the_same_bytes(tmp_path):
    """In two processes, with other hashes of strings and another number of threads."""
    outputs = []
    for run, hash_seed in enumerate(["1", "77"]):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / str(run))],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "NUMBA_NUM_THREADS": str(run + 1)},
            capture_output=True,
            text=True,
            check=True,
        )
        saved = [(tmp_path / f"{run}-{algorithm}").read_bytes() for algorithm in ALGORITHMS]
        assert len(set(saved)) == 4
        outputs.append((done.stdout, saved))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_seed_matters(algorithm):
    X, y = toy_corpus(1, 3)
    one, other = (Tagger(algorithm, passes=2, seed=s).fit(X, y) for s in (0, 1))
    assert not np.array_equal(one._means, other._means)


# Conditional random fields


def test_crf_is_python_crfsuite(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    X, y = toy_corpus(9, 3, sentences=40)
    crf = sequences.CRF(c2=0.5, max_iterations=30).fit(X, y)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": 0.5, "max_iterations": 30})
    for x, labels in zip(X, y):
        trainer.append(x, labels)
    trainer.train(str(tmp_path / "crf"))
    peer = pycrfsuite.Tagger()
    peer.open(str(tmp_path / "crf"))
    assert crf.predict(X) == [peer.tag(x) for x in X]
    marginals = sequences.crf_marginals(X, y, X, c2=0.5, max_iterations=30)
    for x, sure, labels in zip(X, marginals, crf.predict(X)):
        peer.set(x)
        assert sure.tolist() == [peer.marginal(label, p) for p, label in enumerate(labels)]
    right = sum(a == b for x, z in zip(crf.predict(X), y) for a, b in zip(x, z))
    assert crf.score(X, y) == pytest.approx(right / sum(map(len, y)))
    with pytest.raises(ValueError, match="call fit first"):
        sequences.CRF().predict(X)
    with pytest.raises(ValueError, match="at least one sentence"):
        sequences.CRF().fit([], [])
    with pytest.raises(ValueError, match=r"X\[0\] has 1 tokens and y\[0\] has 2"):
        sequences.CRF().fit([[["a"]]], [["A", "B"]])


# A real corpus


def f1(gold, predicted) -> float:
    tp, fp, fn = (int(c.sum()) for c in tags.count_spans(gold, predicted))
    return 2 * tp / (2 * tp + fp + fn)


@pytest.mark.corpora("conll2000")
@pytest.mark.slow
def test_noun_phrases_of_conll2000():
    """Hyper-parameters from one split of the training data, as in the paper; then the test."""
    from betterthan import datasets

    def noun_phrases(sentences):
        X = [sequences.chunk_features(s.words, s.pos) for s in sentences]
        y = [[t if t.endswith("-NP") else "O" for t in s.tags] for s in sentences]
        return X, y

    corpus = datasets.conll2000()
    X, y = noun_phrases(corpus["train"])
    X_test, y_test = noun_phrases(corpus["test"])
    cut = 3 * len(X) // 4
    grids = {
        "arow": ("r", [0.3, 1.0, 3.0, 10.0]),
        "cw": ("phi", [0.3, 1.0, 2.0]),
        "pa": ("C", [0.01, 0.03, 0.1]),
        "perceptron": ("C", [1.0]),
    }
    found = {}
    for algorithm, (name, grid) in grids.items():
        tuning = {
            value: f1(
                y[cut:],
                Tagger(algorithm, **{name: value}).fit(X[:cut], y[:cut]).predict(X[cut:]),
            )
            for value in (grid if len(grid) > 1 else ())
        }
        best = max(tuning, key=tuning.get) if tuning else grid[0]
        tagger = Tagger(algorithm, **{name: best}).fit(X, y)
        found[algorithm] = f1(y_test, tagger.predict(X_test))
    assert found["arow"] >= 0.937 and found["cw"] >= 0.937, found
    assert max(found.values()) >= 0.941, found
