"""Taggers against brute force, dense algebra, python-crfsuite and bad input; committees, active
learning, features."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jupytext
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

import betterthan
from betterthan import confidence, counts, datasets, psychometrics, taggers
from betterthan.taggers import (
    METHODS,
    Committee,
    Tagger,
    active_learning,
    encode,
    segmentation_features,
)
from betterthan.taggers import _encoding as encoding
from betterthan.taggers import _index as index
from betterthan.taggers import _kernels as kernels
from betterthan.taggers import committee as committee_module
from betterthan.taggers import features as feats
from studies import official

ALGORITHMS = ("cw", "arow", "pa", "perceptron")
SEED = 5


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
        for name, value in encoding.token_items(token):
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


def kbest(tagger, X, k):
    """Labels and score of the k best labellings of each sentence, best first."""
    out = []
    for sentence in X:
        paths, totals = tagger._kbest(tagger._read([sentence]), k)
        best = [[tagger.labels_[c] for c in path] for path in paths.T]
        out.append([(p, t) for p, t in zip(best, totals[0]) if t > -np.inf])
    return out


@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_kbest_is_the_head_of_all_labellings(integer_model, k):
    tagger, X = integer_model
    weights = dense(tagger, tagger._means)
    for sentence, found in zip(X[:8], kbest(tagger, X[:8], k)):
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


@pytest.mark.parametrize("options", [{}, {"labellings": 1}, {"labellings": 7}])
@pytest.mark.parametrize("method", ["kbv", "wkbv"])
def test_kbest_confidence_is_the_share_of_labellings(integer_model, method, options):
    tagger, X = integer_model
    for sentence, sure in zip(X, tagger.confidence(X, method, **options)):
        found = kbest(tagger, [sentence], options.get("labellings", 30))[0]
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
    margin, variance = tagger.margins(X)
    for s, sentence in enumerate(X):
        scores = enumerate_scores(tagger, means, sentence)
        first, second = ranked(scores)[:2]
        change = phi(tagger, sentence, first) - phi(tagger, sentence, second)
        assert margin[s] == pytest.approx(scores[first] - scores[second], abs=1e-5)
        assert variance[s] == pytest.approx((variances * change**2).sum(), rel=1e-5)
    assert np.isnan(Tagger("pa", passes=1).fit(X, y).margins(X)[1]).all()


# The learners against a dense implementation with the full covariance


def dense_fit(tagger: Tagger, X, y):
    """Averaged means and last variances, by enumeration and matrix inversion in float64."""
    labels = tagger.labels_
    shape = (len(tagger._vocabulary) + len(labels), len(labels))
    size = shape[0] * shape[1]
    mean, variance, total, rounds = np.zeros(size), np.ones(size), np.zeros(size), 0
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(0,)))
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
    tagger = Tagger(algorithm, passes=3, r=0.7, phi=0.8, C=0.3, rng=SEED).fit(X, y)
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
    assert tagger.margins([[["c"]]])[0][0] == np.inf


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
    tagger._seed = np.random.SeedSequence(99)
    other = tagger.confidence(X, method, draws=20, scale=0.5)
    assert any(not np.array_equal(a, b) for a, b in zip(together, other))


def test_confidence_is_aligned_with_predict_for_every_method():
    X, y = toy_corpus(2, 3)
    tagger = Tagger("cw").fit(X, y)
    for method in taggers.METHODS:
        sure = tagger.confidence(X, method)
        assert [len(c) for c in sure] == [len(x) for x in X]
        assert all(c.dtype == float and (c >= 0).all() for c in sure)
    assert all((c <= 1).all() for c in tagger.confidence(X))


def test_tune_scale_takes_the_best_and_confidence_uses_it():
    X, y = toy_corpus(4, 3, sentences=60)
    tagger = Tagger("arow", passes=2).fit(X[:30], y[:30])
    scales = [0.001, 0.05, 3.0]
    flat = np.concatenate([np.array(a) == b for a, b in zip(tagger.predict(X[30:]), y[30:])])
    value = {
        s: confidence.average_precision(flat, np.concatenate(tagger.confidence(X[30:], scale=s)))
        for s in scales
    }
    before = tagger.confidence(X[30:])
    chosen = tagger.tune_scale(X[30:], y[30:], scales=scales)
    assert value[chosen] == max(value.values())
    assert tagger.scales_ == {"kd_pc": chosen}
    after = np.concatenate(tagger.confidence(X[30:]))
    assert np.array_equal(after, np.concatenate(tagger.confidence(X[30:], scale=chosen)))
    assert not np.array_equal(after, np.concatenate(before))
    assert tagger.tune_scale(X[30:], y[30:], draws=5) in taggers.SCALES
    perceptron = Tagger("perceptron").fit(X[:30], y[:30])
    assert 0.01 <= perceptron.tune_scale(X[30:], y[30:], "kd_fixed", draws=5) <= 100
    # Too small to change any label, so that the two are equals.
    assert tagger.tune_scale(X[30:], y[30:], scales=[1e-19, 1e-20], draws=5) == 1e-20


def test_rng_is_a_number_a_seed_sequence_or_a_generator():
    X, y = toy_corpus(4, 3, sentences=30)

    def drawn(rng):
        tagger = Tagger("arow", passes=2, rng=rng).fit(X, y)
        return np.concatenate([tagger._means.ravel(), *tagger.confidence(X, draws=9, scale=1.0)])

    five = drawn(5)
    assert np.array_equal(five, drawn(np.random.SeedSequence(5)))
    assert not np.array_equal(five, drawn(0))
    generator = np.random.default_rng(5)
    one, other = drawn(generator), drawn(generator)
    assert not np.array_equal(one, other)
    assert np.array_equal(one, drawn(np.random.default_rng(5)))


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
    for name, value in encoding.token_items(token):
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
    encoded = encode(X)
    data, vocabulary = encoded.arrays, encoded.vocabulary
    number: dict[str, int] = {}
    expected = [number.setdefault(f, len(number)) for x in X for token in x for f in token]
    assert data.ids.tolist() == expected
    assert vocabulary.features() == list(number)
    assert np.diff(data.token_ptr).tolist() == [len(token) for x in X for token in x]
    assert np.diff(data.sentence_ptr).tolist() == [len(x) for x in X]
    assert encoded.encode(X).arrays.ids.tolist() == expected


def test_strings_whose_hashes_collide_are_told_apart():
    known = np.frombuffer(b"ab\0", np.uint8)
    for asked, same in ((b"ab\0", True), (b"a\0", False), (b"abc\0", False), (b"ac\0", False)):
        buffer = np.frombuffer(asked, np.uint8)
        assert index.same(known, 0, buffer, 0, len(asked) - 1) == same


def test_interning_grows_and_ignores_what_it_does_not_know():
    names = [f"{i:x}" for i in range(50_000)]
    encoded = encode([[names[i : i + 100]] for i in range(0, len(names), 100)])
    assert encoded.arrays.ids.tolist() == list(range(50_000))
    data = encoded.encode([[["x", "ff", "yy", "0"], [], ["zz"]]]).arrays
    assert data.ids.tolist() == [255, 0]
    assert data.token_ptr.tolist() == [0, 2, 2, 2]
    data = encoded.encode([[{"x": 3.0, "ff": 2.0}, {"0": 4.0}]]).arrays
    assert data.values.tolist() == [2.0, 4.0]


def test_values_of_one_chunk_stand_beside_strings_of_another(monkeypatch):
    monkeypatch.setattr(encoding, "_CHUNK", 1)
    data = encode([[["a", "b"]], [{"a": 2.0, "c": 1.0}], [["c"]]]).arrays
    assert data.ids.tolist() == [0, 1, 0, 2, 2]
    assert data.values.tolist() == [1, 1, 2, 1, 1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("valued", [False, True])
def test_learning_from_a_part_of_what_was_encoded_is_learning_from_its_strings(algorithm, valued):
    X, y = toy_corpus(3, 3, sentences=40, features=12)
    y[7] = ["only here"] * len(X[7])
    if not valued:
        X = [[[f"{name}{round(value)}" for name, value in t.items()] for t in x] for x in X]
    rows = [31, 2, 3, 5, 8, 13, 21, 34, 1]
    encoded = encode(iter(X), y)
    fast = Tagger(algorithm, passes=3).fit(encoded[rows])
    slow = Tagger(algorithm, passes=3).fit([X[i] for i in rows], [y[i] for i in rows])
    assert fast.labels_ == slow.labels_ and "only here" not in fast.labels_
    assert np.array_equal(fast._means, slow._means)
    for asked in (encoded, X, encoded.encode(X)):
        assert fast.predict(asked) == slow.predict(X)
        for method in ("kd_fixed", "wkbv", "delta"):
            for a, b in zip(fast.confidence(asked, method), slow.confidence(X, method)):
                assert np.array_equal(a, b)
        for a, b in zip(fast.margins(asked), slow.margins(X)):
            np.testing.assert_array_equal(a, b)
    small = Tagger(algorithm, passes=3).fit(encoded[rows]).compact()
    assert small.predict(encoded) == small.predict(X) == slow.predict(X)
    with pytest.raises(ValueError, match="not made compact"):
        small.confidence(X, "kd_fixed")


def test_parts_of_an_encoding_are_chosen_as_in_numpy():
    X, y = toy_corpus(3, 3, sentences=9)
    encoded = encode(X, y)
    mask = np.arange(9) % 2 == 1
    assert len(encoded) == 9 and len(encoded[2]) == 1 and len(encoded[:0]) == 0
    for rows in (slice(1, None, 2), mask, [1, 3, 5, 7], np.array([1, 3, 5, 7])):
        part = encoded[rows]
        assert np.diff(part.arrays.sentence_ptr).tolist() == [len(X[i]) for i in (1, 3, 5, 7)]
        labels = [encoded.labels[k] for k in part.gold]
        assert labels == [label for i in (1, 3, 5, 7) for label in y[i]]
    twice = encoded[[1, 3, 5, 7]][[3, 0]]
    assert np.array_equal(twice.arrays.ids, encoded[[7, 1]].arrays.ids)


def test_encodings_refuse():
    X, y = toy_corpus(3, 3, sentences=9)
    encoded = encode(X, y)
    with pytest.raises(ValueError, match="labels included, and no further Y"):
        Tagger().fit(encoded, y)
    with pytest.raises(ValueError, match="labels included"):
        Tagger().fit(encode(X))
    with pytest.raises(ValueError, match="at least one sentence"):
        Tagger().fit(encoded[:0])
    with pytest.raises(ValueError, match="Y=None"):
        Tagger().fit(X)
    with pytest.raises(ValueError, match="encoded together"):
        Tagger().fit(encoded).predict(encode(X))


def test_after_each_pass_the_tagger_is_what_fewer_passes_make():
    X, y = toy_corpus(5, 3, sentences=30)
    seen = []
    Tagger("cw", passes=4).fit(X, y, after_pass=lambda tagger: seen.append(tagger._means.copy()))
    for passes, means in enumerate(seen, 1):
        assert np.array_equal(means, Tagger("cw", passes=passes).fit(X, y)._means)
    assert len(seen) == 4


def test_unknown_features_are_ignored():
    X, y = [[["a"], ["b"]]], [["A", "B"]]
    tagger = Tagger().fit(X, y)
    assert tagger.predict([[["a", "never", "seen"], ["b", "neither"]]]) == tagger.predict(X)
    assert tagger.predict([[[], ["new"]]])[0][0] in ("A", "B")


def nan_token(value):
    return [[["a"]], [["a"], {"b": 1, "weight": value}]]


GOOD_X, GOOD_Y = [[["a"], ["b"]], [["a"]]], [["A", "B"], ["A"]]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], r"X: expected at least one sentence"),
        ([[["a"]], []], [["A"], []], r"X\[1\]: expected at least one token"),
        (GOOD_X, [["A", "B"]], r"X has 2 sentences and Y has 1"),
        (GOOD_X, [["A", "B"], ["A", "B"]], r"X\[1\] has 1 tokens and Y\[1\] has 2 labels"),
        (GOOD_X, [["A", 3], ["A"]], r"Y\[0\]: expected labels to be strings, got 3"),
        (GOOD_X, ["AB", "A"], r"Y\[0\]: expected a list of labels, got 'AB'"),
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
        (GOOD_X, 7, r"Y: expected a list of lists of labels, got 7"),
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
        ("rng", -1),
        ("rng", "now"),
    ],
)
def test_parameters_refused(argument, value):
    with pytest.raises(ValueError, match=f"{argument}="):
        Tagger(**{argument: value})


def test_methods_refuse():
    with pytest.raises(ValueError, match="call fit first"):
        Tagger().predict(GOOD_X)
    for call in ("compact", "confidence", "margins"):
        with pytest.raises(ValueError, match="call fit first"):
            getattr(Tagger(), call)(*([] if call == "compact" else [GOOD_X]))
    for algorithm in ("pa", "perceptron"):
        tagger = Tagger(algorithm, passes=1).fit(GOOD_X, GOOD_Y)
        with pytest.raises(ValueError, match=rf"kd_pc.*{algorithm}"):
            tagger.confidence(GOOD_X)
        with pytest.raises(ValueError, match=rf"kd_pc.*{algorithm}"):
            tagger.tune_scale(GOOD_X, [["B", "A"], ["B"]])
    tagger = Tagger(passes=1).fit(GOOD_X, GOOD_Y)
    for name, value in [("method", "best"), ("draws", 0), ("scale", -1.0), ("scale", 0)]:
        with pytest.raises(ValueError, match=f"{name}="):
            tagger.confidence(GOOD_X, **{name: value})
    with pytest.raises(ValueError, match=r"X\[0\]: expected at least one token"):
        tagger.predict([[]])
    with pytest.raises(ValueError, match="X has 2 sentences and Y has 1"):
        tagger.tune_scale(GOOD_X, [["A", "B"]])
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


# Determinism


SCRIPT = """
from betterthan.taggers import ALGORITHMS, Tagger
words = [["the", "cat", "sat"], ["a", "dog"], ["the", "dog", "sat", "there"]]
X = [[{"w": w, "letters": set(w), "n": len(w) / 3} for w in s] for s in words] * 5
y = [["B", "I", "O"], ["B", "I"], ["B", "I", "O", "O"]] * 5
for algorithm in ALGORITHMS:
    tagger = Tagger(algorithm, passes=3, rng=4).fit(X, y)
    print(algorithm, tagger._means.tobytes().hex(), tagger.predict(X))
    print([c.tolist() for c in tagger.confidence(X, "kd_fixed", draws=7)])
"""


@pytest.mark.slow
def test_two_fits_with_one_seed_give_the_same_bytes():
    """In two processes, with other hashes of strings and another number of threads."""
    outputs = []
    for run, hash_seed in enumerate(["1", "77"]):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "NUMBA_NUM_THREADS": str(run + 1)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert len(set(done.stdout.splitlines())) == 8
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]


# With and without vector instructions, a cache and numba


def everything_learned(X, y, algorithm: str) -> bytes:
    """All numbers that a tagger has or gives."""
    tagger = Tagger(algorithm, passes=3, rng=4).fit(X, y)
    methods = [m for m in METHODS if m != "kd_pc" or algorithm in ("cw", "arow")]
    sure = [tagger.confidence(X, method, draws=7) for method in methods]
    numbers = [tagger._means, *tagger.margins(X), *itertools.chain.from_iterable(sure)]
    if tagger._variances is not None:
        numbers.append(tagger._variances)
    return b"".join(part.tobytes() for part in numbers) + repr(tagger.predict(X)).encode()


@pytest.mark.parametrize("n_labels", [2, 4, 9])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_vectors_change_no_bit(monkeypatch, algorithm, n_labels):
    if kernels.FAST is None:
        pytest.skip("no vector instructions with this numba")
    valued, y = toy_corpus(8, n_labels, sentences=30)
    strings = [[[*token, "bias"] for token in sentence] for sentence in valued]
    fast = [everything_learned(X, y, algorithm) for X in (valued, strings)]
    monkeypatch.setattr(kernels, "FAST", None)
    assert [everything_learned(X, y, algorithm) for X in (valued, strings)] == fast


def test_vectors_that_get_something_else_are_not_used(monkeypatch):
    vectors = pytest.importorskip("betterthan.taggers._vectors")

    def nearly(weights, ids, scores, back):
        real(weights, ids, scores, back)
        scores[1, 1, 2] = np.nextafter(scores[1, 1, 2], 0)

    real = vectors._all_three
    assert vectors.work() == (kernels.FAST is True)
    monkeypatch.setattr(vectors, "_all_three", nearly)
    assert not vectors.work()
    assert kernels._accelerator() is None


def learned_elsewhere(before: str, script: str = SCRIPT, **environment: str) -> list[str]:
    """What a script prints in a process that runs `before` first, and whether it had vectors."""
    known = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    after = "from betterthan.taggers import _kernels; print(_kernels.FAST)"
    done = subprocess.run(
        [sys.executable, "-c", f"{before}\n{script}\n{after}"],
        env={**known, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def learned_here() -> list[str]:
    """What SCRIPT prints in a process where nothing is missing, and whether it had vectors."""
    return learned_elsewhere("")


@pytest.fixture(scope="module")
def plain_cache(tmp_path_factory) -> Path:
    """A cache for numba in which no vectors ever are."""
    return tmp_path_factory.mktemp("numba")


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        "import sys; sys.modules['betterthan.taggers._vectors'] = None",
        "import numba, llvmlite.ir; del llvmlite.ir.VectorType",
        "from numba.core import cgutils; del cgutils.for_range_slice",
    ],
    ids=["missing", "changed type", "changed function"],
)
def test_without_vectors_everything_is_learned_alike(before, plain_cache, learned_here):
    """In a numba that has something else where the vectors expect their parts."""
    *learned, fast = learned_elsewhere(before, NUMBA_CACHE_DIR=str(plain_cache))
    assert fast == "None"
    assert learned == learned_here[:-1]


@pytest.mark.slow
def test_where_no_cache_can_be_written_each_process_compiles(tmp_path, learned_here):
    """A read-only installation and no home, for which even an administrator finds no way round."""
    copied = tmp_path / "betterthan"
    shutil.copytree(Path(betterthan.__file__).parent, copied, ignore=shutil.ignore_patterns("__*_"))
    (copied / "taggers" / "__pycache__").write_text("a file, where numba would make a folder")
    # Without the vectors there is less to compile; they are looked for in the tests above.
    cached = (
        "import sys, numba\n"
        "sys.modules['betterthan.taggers._vectors'] = None\n"
        "from betterthan.taggers import _kernels\n"
        "try: numba.njit(cache=True)(_kernels.decode.py_func)\n"
        "except RuntimeError as error: print(error)\n"
    )
    # One algorithm will do: what matters is that it learns at all, and compiling takes long.
    first = SCRIPT.replace("in ALGORITHMS", "in ALGORITHMS[:1]")
    away = {"HOME": os.devnull, "PYTHONPATH": str(tmp_path)}
    refusal, *learned, fast = learned_elsewhere(cached, first, **away)
    assert "no locator available" in refusal and str(copied) in refusal
    assert fast == "None" and learned == learned_here[:2]


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from betterthan import taggers
X, Y = [[["a"], ["b"]]], [["A", "B"]]
for call in (
    lambda: taggers.encode(X, Y),
    lambda: taggers.Tagger().fit(X, Y),
    lambda: taggers.Committee(size=1).fit([["一", "种"]]),
):
    try:
        call()
    except ModuleNotFoundError as error:
        print(error.name, error)
"""


def test_without_numba_the_extra_is_named():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=True
    )
    line = 'numba the taggers need numba; install the extra: pip install "betterthan[taggers]"'
    assert done.stdout.splitlines() == [line] * 3


def test_importing_the_taggers_is_cheap():
    code = (
        "import sys; from betterthan import confidence, taggers; "
        "print({'pandas', 'matplotlib', 'sklearn', 'numba', 'joblib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_seed_matters(algorithm):
    X, y = toy_corpus(1, 3)
    one, other = (Tagger(algorithm, passes=2, rng=s).fit(X, y) for s in (0, 1))
    assert not np.array_equal(one._means, other._means)


# Conditional random fields


def test_crf_is_python_crfsuite(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    X, y = toy_corpus(9, 3, sentences=40)
    crf = taggers.CRF(c2=0.5, max_iterations=30).fit(X, y)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": 0.5, "max_iterations": 30})
    for x, labels in zip(X, y):
        trainer.append(x, labels)
    trainer.train(str(tmp_path / "crf"))
    peer = pycrfsuite.Tagger()
    peer.open(str(tmp_path / "crf"))
    assert crf.predict(X) == [peer.tag(x) for x in X]
    for x, sure, labels in zip(X, crf.confidence(X), crf.predict(X)):
        peer.set(x)
        assert sure.tolist() == [peer.marginal(label, p) for p, label in enumerate(labels)]
    with pytest.raises(ValueError, match="call fit first"):
        taggers.CRF().predict(X)
    with pytest.raises(ValueError, match="at least one sentence"):
        taggers.CRF().fit([], [])
    with pytest.raises(ValueError, match=r"X\[0\] has 1 tokens and Y\[0\] has 2"):
        taggers.CRF().fit([[["a"]]], [["A", "B"]])


# Features


def test_segmentation_templates_by_hand():
    sentence = "甲乙丙"
    assert feats.segmentation_features(sentence, "F1")[1] == [
        "-1=甲",
        "0=乙",
        "1=丙",
        "-1:0=甲乙",
        "0:1=乙丙",
    ]
    f2 = feats.segmentation_features(list(sentence), "F2")
    assert f2[0] == [
        "-2=<s>",
        "-1=<s>",
        "0=甲",
        "1=乙",
        "2=丙",
        "-2:-1=<s><s>",
        "-1:0=<s>甲",
        "0:1=甲乙",
        "1:2=乙丙",
    ]
    f3 = feats.segmentation_features(sentence, "F3")
    assert f3[2] == [
        "-2=甲",
        "-1=乙",
        "0=丙",
        "1=</s>",
        "2=</s>",
        "-2:-1=甲乙",
        "-1:0=乙丙",
        "0:1=丙</s>",
        "1:2=</s></s>",
        "-2:0=甲乙丙",
        "-1:1=乙丙</s>",
        "0:2=丙</s></s>",
    ]
    assert [len(feats.segmentation_features("甲", t)[0]) for t in feats.TEMPLATES] == [5, 9, 12]


def test_chunk_features_by_hand():
    assert feats.chunk_features(["He", "ran", "far"], ["P", "V", "A"])[1] == [
        "bias",
        "w-2=<s>",
        "w-1=He",
        "w0=ran",
        "w1=far",
        "w2=</s>",
        "w-1:0=He|ran",
        "w0:1=ran|far",
        "shape0=x",
        "lower=ran",
        "suf2=an",
        "t-2=<s>",
        "t-1=P",
        "t0=V",
        "t1=A",
        "t2=</s>",
        "t-2:-1=<s>|P",
        "t-1:0=P|V",
        "t0:1=V|A",
        "t1:2=A|</s>",
        "t-2:0=<s>|P|V",
        "t-1:1=P|V|A",
        "t0:2=V|A|</s>",
        "w-1t0=He|V",
        "w0t-1=ran|P",
        "w0t1=ran|A",
        "w1t0=far|V",
    ]
    assert not any(f.startswith("t") for f in feats.chunk_features(["He"])[0])


def test_ner_features_by_hand():
    first, second = feats.ner_features(["In", "A-1"])
    assert second[:8] == feats.chunk_features(["In", "A-1"])[1][:8]
    assert second[8:] == [
        "shape-2=<s>",
        "shape-1=Xx",
        "shape0=X-d",
        "shape1=</s>",
        "shape2=</s>",
        "shape-1:0=Xx|X-d",
        "shape0:1=X-d|</s>",
        "shape-1:1=Xx|X-d|</s>",
        "lower=a-1",
        "pre1=A",
        "suf1=1",
        "pre2=A-",
        "suf2=-1",
        "pre3=A-1",
        "suf3=A-1",
        "has=digit",
        "has=hyphen",
    ]
    assert not any(f.startswith("has") for f in first)
    assert sum(f.startswith("t") for f in feats.ner_features(["In"], ["P"])[0]) == 12


def test_features_refuse_bad_input():
    with pytest.raises(ValueError, match="template='F4': expected one of 'F1', 'F2', 'F3'"):
        feats.segmentation_features("甲", "F4")
    with pytest.raises(ValueError, match="characters: expected a sentence of at least one"):
        feats.segmentation_features("")
    with pytest.raises(ValueError, match="words has 2, pos has 1"):
        feats.chunk_features(["a", "b"], ["X"])
    with pytest.raises(ValueError, match=r"words\[1\] is 3"):
        feats.ner_features(["a", 3])


# A committee


@pytest.fixture(scope="module")
def daily():
    sentences = [list(s.words) for s in datasets.peoples_daily(420) if s.words]
    return sentences[:350], sentences[350:]


@pytest.fixture(scope="module")
def committee(daily):
    return Committee(size=6, rng=4, samples=(0.2, 0.5), passes=3).fit(daily[0])


def test_members_are_taggers_on_feature_strings(daily, committee):
    """Reading the text once gives, label for label, what Tagger gives for each member alone."""
    train, test = daily
    ours = committee.predict(test)
    for k, member in enumerate(committee.draw(len(train))[:4]):
        assert list(committee.members_.loc[k]) == [member.template, member.sample, len(member.rows)]
        assert len(member.rows) == round(member.sample * len(train)) == len(set(member.rows))
        tagger = Tagger("arow", 3, rng=member.rng).fit(
            [segmentation_features("".join(train[i]), member.template) for i in member.rows],
            [counts.words_to_labels(train[i]) for i in member.rows],
        )
        for s, words in enumerate(test):
            text = "".join(words)
            labels = tagger.predict([segmentation_features(text, member.template)])[0]
            assert list(counts.labels_to_words(text, labels)) == ours[k][s]


def test_committee_marks_are_those_of_its_segmentations(daily, committee):
    _, test = daily
    table = committee.marks(test)
    members = committee.predict(test)
    for k, member in enumerate(members):
        np.testing.assert_array_equal(table[k], np.concatenate(psychometrics.marks(test, member)))
    for one, two in zip(committee.difficulty(test), psychometrics.difficulty(test, members)):
        np.testing.assert_allclose(one, two)
    assert 0 < table.mean() < 1


def test_a_smaller_committee_is_the_beginning_of_a_larger_one(daily, committee):
    train, test = daily
    small = Committee(size=2, rng=4, samples=(0.2, 0.5), passes=3).fit(train)
    np.testing.assert_array_equal(small.marks(test), committee.marks(test)[:2])
    pd.testing.assert_frame_equal(small.members_, committee.members_[:2])
    other = Committee(size=2, rng=5, samples=(0.2, 0.5), passes=3).fit(train)
    assert (other.marks(test) != small.marks(test)).any()


def test_a_sample_holds_at_least_one_sentence():
    few = Committee(size=3, samples=(0.1,), passes=1).fit([["物质"], ["一", "种"], ["是"]])
    assert few.members_["sentences"].tolist() == [1, 1, 1]


def test_a_word_ends_with_its_sentence_whatever_the_labels():
    begins = committee_module._begins([["M", "M"], ["M", "E", "M"]])
    assert begins.tolist() == [True, False, True, False, True]


def test_characters_never_seen_are_no_obstacle(committee):
    found = committee.difficulty([["𠮷", "龘龘", "的"]])
    assert found[0].shape == (3,) and ((found[0] >= 0) & (found[0] <= 1)).all()


def test_a_committee_for_spans():
    sentences = datasets.entities(datasets.peoples_daily(260), unit="word")
    train, test = sentences[:200], sentences[200:]
    committee = Committee(size=3, task="spans", samples=(0.5, 0.9), passes=3).fit(train)
    gold = [counts.to_spans(s.tags) for s in test]
    table = committee.marks(test)
    assert table.shape == (3, sum(map(len, gold)))
    for k, member in enumerate(committee.predict(test)):
        labels = [counts.from_spans(spans, len(s.words)) for spans, s in zip(member, test)]
        assert table[k].sum() == counts.count_spans([s.tags for s in test], labels).tp.sum()
    assert [len(x) for x in committee.difficulty(test)] == [len(g) for g in gold]
    assert set(committee.members_["template"]) <= {"words", "spelling"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 0}, "size=0"),
        ({"rng": -1}, "rng=-1"),
        ({"templates": ("F4",)}, "templates='F4'"),
        ({"templates": ("words",)}, "templates='words'"),
        ({"samples": (0.0,)}, "samples=0.0"),
        ({"samples": ()}, "at least one"),
        ({"task": "parsing"}, "task='parsing'"),
        ({"algorithm": "svm"}, "algorithm='svm'"),
        ({"passes": 0}, "passes=0"),
    ],
)
def test_committee_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        Committee(**options)


def test_committee_input():
    with pytest.raises(ValueError, match="call fit first"):
        Committee(size=2).difficulty([["一"]])
    with pytest.raises(ValueError, match="at least one sentence"):
        Committee(size=2).fit([])
    with pytest.raises(ValueError, match=r"sentences\[1\]: expected at least one word"):
        Committee(size=2).fit([["一"], []])
    with pytest.raises(ValueError, match=r"sentences\[0\]='一种': expected a list of words"):
        Committee(size=2).fit(["一种"])
    with pytest.raises(ValueError, match=r"sentences\[0\]\[1\]='': expected a word"):
        Committee(size=2).fit([["一", ""]])
    spans = Committee(size=1, task="spans")
    for bad in ((["a", "b"], ["O"]), "a b", (["a"],)):
        with pytest.raises(
            ValueError, match=r"sentences\[0\]: expected one label per token.* pair of tokens"
        ):
            spans.fit([bad])
    with pytest.raises(ValueError, match="at least one sentence"):
        spans.fit([])


# Active learning, and Delta as printed


@pytest.fixture(scope="module")
def news():
    """Segmentation of the first 700 lines of the People's Daily."""
    data = datasets.segmentation(datasets.peoples_daily(lines=700))
    X = [segmentation_features(text, "F2") for text, _ in data]
    return X, [list(labels) for _, labels in data]


def brute_force_delta(tagger, sentence, keep_others):
    """Best score minus the best with another label at p, by enumerating labellings."""
    everything = kbest(tagger, [sentence], len(tagger.labels_) ** len(sentence))[0]
    best, top = everything[0]
    out = []
    for p in range(len(best)):
        rivals = [
            score
            for labels, score in everything
            if labels[p] != best[p]
            and (not keep_others or all(labels[q] == best[q] for q in range(len(best)) if q != p))
        ]
        out.append(top - max(rivals))
    return out


def test_delta_as_printed_keeps_the_other_labels(news):
    X, y = news
    tagger = Tagger("cw", passes=3).fit(X[:200], y[:200])
    short = [s[:4] for s in X[200:230]]
    printed = taggers.delta_as_printed(tagger, short)
    meant = tagger.confidence(short, method="delta")
    for i, sentence in enumerate(short):
        np.testing.assert_allclose(printed[i], brute_force_delta(tagger, sentence, True), atol=1e-4)
        np.testing.assert_allclose(meant[i], brute_force_delta(tagger, sentence, False), atol=1e-4)
    assert any((a > b + 1e-3).any() for a, b in zip(printed, meant))


@pytest.mark.slow
def test_active_learning_beats_random_on_the_peoples_daily():
    """Entities, five seeds, paired by seed: F1 at the same number of labelled characters."""
    lines = datasets.entities(datasets.peoples_daily(lines=2500))
    lines = [line for line in lines if 5 < len(line.words) <= 80]
    X = [segmentation_features(line.words, "F1") for line in lines]
    y = [list(line.tags) for line in lines]
    gains = []
    for seed in range(5):
        curve = {
            rule: active_learning(
                X[:-300],
                y[:-300],
                X[-300:],
                y[-300:],
                rule,
                tagger=lambda seed=seed: Tagger("cw", passes=5, rng=seed),
                start=30,
                candidates=300,
                pick=20,
                steps=7,
                evaluate_every=1,
                draws=20,
                rng=seed,
            )
            for rule in ("kd_fixed", "random")
        }
        assert curve["kd_fixed"].loc[0].equals(curve["random"].loc[0])
        f1 = {rule: np.interp(5000, t["words"], t["f1"]) for rule, t in curve.items()}
        gains.append(f1["kd_fixed"] - f1["random"])
    gains = np.array(gains)
    assert gains.mean() > 2 * gains.std(ddof=1) / np.sqrt(len(gains))


@pytest.mark.parametrize("rule", taggers.RULES)
@pytest.mark.slow
def test_active_learning_repeats_itself_and_never_labels_twice(news, rule):
    X, y = news
    run = [
        active_learning(
            X[:80],
            y[:80],
            X[80:100],
            y[80:100],
            rule,
            start=10,
            candidates=30,
            steps=7,
            rng=3,
            scheme="BMES",
        )
        for _ in range(2)
    ]
    assert run[0].equals(run[1])
    assert list(run[0]["sentences"]) == [10, 80]
    assert run[0]["words"].iloc[-1] == sum(len(s) for s in y[:80])


def learn_actively_from_scratch(X, y, X_test, y_test, rule, make, start, candidates, pick, steps):
    """Section 6 of the paper by public names alone: every step reads and learns anew."""
    first, *later = np.random.SeedSequence(0).spawn(steps + 1)
    labelled = [int(i) for i in np.random.default_rng(first).permutation(len(X))[:start]]
    f1, tuned_at, scale = [], 0, None
    for step in range(steps + 1):
        known = [X[i] for i in labelled], [y[i] for i in labelled]
        tagger = make().fit(*known)
        f1.append(counts.count_spans(y_test, tagger.predict(X_test), "BMES").f1)
        if step == steps:
            break
        left = [i for i in range(len(X)) if i not in labelled]
        pool = np.random.default_rng(later[step]).permutation(left)[:candidates]
        batch = [X[i] for i in pool]
        if rule == "random":
            score, length = np.zeros(len(pool)), np.arange(len(pool))
        else:
            length = np.array([len(s) for s in batch])
            if rule.startswith("kd"):
                if len(labelled) >= 2 * tuned_at:
                    tuned_at = len(labelled)
                    half = make().fit(known[0][::2], known[1][::2])
                    scale = half.tune_scale(known[0][1::2], known[1][1::2], rule)
                drawn = tagger.confidence(batch, rule, scale=scale)
                score = np.array([c.min() for c in drawn])
            else:
                margin, variance = tagger.margins(batch)
                # Of two labellings without a difference in features neither is the surer one.
                spread = np.sqrt(np.where(variance > 0, variance, 1.0))
                by = {"min_margin": length, "min_conf_margin": spread}
                score = margin / by.get(rule, length * spread)
        chosen = pool[np.lexsort([length, score])[:pick]]
        labelled += [int(i) for i in chosen]
    return labelled, f1


def test_active_learning_from_encoded_parts_is_the_same(news):
    X, y = news
    size = {"start": 12, "candidates": 40, "pick": 6, "steps": 3, "scheme": "BMES"}
    whole = taggers.encode(X[:200], y[:200])
    for rule in ("min_conf_margin_per_word", "kd_fixed"):
        plain = active_learning(X[:150], y[:150], X[150:200], y[150:200], rule, **size)
        coded = active_learning(whole[:150], y[:150], whole[150:], y[150:200], rule, **size)
        assert plain.equals(coded)


@pytest.mark.parametrize("rule", taggers.RULES)
def test_active_learning_is_fit_and_confidence_step_by_step(news, rule):
    X, y = news
    size = {"start": 12, "candidates": 40, "pick": 6, "steps": 4}

    def make():
        return Tagger("cw", passes=3, rng=5)

    labelled, f1 = learn_actively_from_scratch(
        X[:150], y[:150], X[150:200], y[150:200], rule, make, **size
    )
    result = active_learning(
        X[:150],
        y[:150],
        X[150:200],
        y[150:200],
        rule,
        tagger=make,
        evaluate_every=1,
        scheme="BMES",
        **size,
    )
    assert list(result["f1"]) == f1
    words = np.cumsum([len(y[i]) for i in labelled])
    assert list(result["words"]) == [words[n - 1] for n in (12, 18, 24, 30, 36)]


def test_active_learning_takes_values(news):
    X, y = news
    valued = [[{f: 1 + len(f) % 2 for f in token} for token in s] for s in X[:60]]
    size = {"start": 10, "candidates": 20, "steps": 2, "scheme": "BMES", "draws": 5}
    table = active_learning(valued[:40], y[:40], valued[40:], y[40:60], "kd_fixed", **size)
    assert table["sentences"].tolist() == [10, 30]


def test_active_learning_refuses(news):
    X, y = news
    with pytest.raises(ValueError, match="rule='entropy'"):
        active_learning(X, y, X, y, "entropy")
    with pytest.raises(ValueError, match=r"start \+ steps \* pick = 550 sentences, got 80"):
        active_learning(X[:80], y[:80], X, y)
    with pytest.raises(ValueError, match="candidates=5: expected a whole number of at least 10"):
        active_learning(X, y, X, y, candidates=5)


def test_standalone_arow_step_is_the_taggers():
    chapter = Path(__file__).parents[1] / "chapters" / "6-more.md"
    cells = jupytext.read(chapter, fmt="md:myst").cells
    alone = [c.source for c in cells if "standalone" in str(c.metadata)]
    (source,) = [source for source in alone if "alpha, beta =" in source]
    cell: dict = {}
    exec(source, cell)
    tagger = Tagger("arow", passes=1, r=cell["r"]).fit([[["the"], ["cat"]]], [["B", "I"]])
    labels = len(tagger.labels_)
    means = tagger._means.reshape(len(tagger._means), -1)[:, :labels]
    variances = tagger._variances.reshape(len(means), -1)[:, :labels]
    np.testing.assert_allclose(means.ravel(), cell["mu"], atol=1e-6)
    np.testing.assert_allclose(variances.ravel(), cell["sigma"], atol=1e-6)


# A real corpus


def f1(gold, predicted) -> float:
    return counts.count_spans(gold, predicted).f1


@pytest.mark.corpora("conll2000")
@pytest.mark.slow
def test_noun_phrases_of_conll2000():
    """With the settings that the studies chose on a part of the training data, as in the paper."""

    def noun_phrases(sentences):
        X = [taggers.chunk_features(s.words, s.pos) for s in sentences]
        y = [[t if t.endswith("-NP") else "O" for t in s.tags] for s in sentences]
        return X, y

    corpus = datasets.conll2000()
    coded = taggers.encode(*noun_phrases(corpus["train"]))  # once for the four trainings
    X_test, y_test = noun_phrases(corpus["test"])
    coded_test = coded.encode(X_test)
    found = {}
    for algorithm, setting in {"arow": "r", "cw": "phi", "pa": "C", "perceptron": "C"}.items():
        value = 1.0 if algorithm == "perceptron" else official.tuned("np", algorithm)
        tagger = Tagger(algorithm, **{setting: value}).fit(coded)
        found[algorithm] = f1(y_test, tagger.predict(coded_test))
    assert found["arow"] >= 0.937 and found["cw"] >= 0.937, found
    assert max(found.values()) >= 0.941, found
