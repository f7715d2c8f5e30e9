"""Chapter 2's library: the Bayes test, exact, drawn and paired."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from betterthan import _bayes_peers as peers
from betterthan import bayes, datasets
from betterthan.bcv import Counts, posterior
from betterthan.studies import bcv_simulation as simulation
from tests import _bayes_oracle as oracle
from tests.test_bcv import METRICS, paper_counts, standalone

PAIRS = {3: ("CWS", "BMES", "BB2B3MES"), 4: ("NER", "IOB2", "IOBES"), 5: ("ORG", "IOB2", "IOBES")}


@pytest.mark.parametrize("number", PAIRS)
def test_tables_3_to_5_of_the_paper(number):
    task, a, b = PAIRS[number]
    counts = paper_counts()
    here = bayes.compare_all(counts[task, a], counts[task, b])
    for row in datasets.paper_table(f"wang-li-2019-table{number}").itertuples():
        assert here.loc[row.metric, "p_h1"] == pytest.approx(row.p_h1, abs=0.002)
        assert here.loc[row.metric, "decision"] == row.decision
    if task == "CWS":
        assert here.loc["recall", "p_h0"] == pytest.approx(1.5e-5, abs=1e-6)
        assert here.loc["f1", "p_h0"] == pytest.approx(9e-6, abs=1e-6)


def _random_cases():
    rng = np.random.default_rng(2019)
    for size in (0, 1, 5, 100, 10**4, 10**6):
        a = rng.integers(0, size + 1, 3)
        b = np.maximum(0, a + rng.integers(-1 - size // 60, 2 + size // 60, 3))
        yield (
            METRICS[rng.integers(3)],
            tuple(a.tolist()),
            tuple(b.tolist()),
            float(rng.choice([0.5, 1.0])),
            float(rng.choice([0.3688, 1.0])),
            0.0,
        )
    yield "precision", (3, 1, 2), (2, 5, 1), 0.5, 0.37, 0.1
    yield "f1", (2, 0, 0), (3, 1, 0), 1.0, 1.0, 0.4
    yield "f1", (0, 1, 1), (1, 0, 0), 1.0, 1.0, 0.4
    yield "f1", (900_000, 51_000, 72_000), (900_500, 50_000, 72_000), 1.0, 1.0, 0.0005
    yield "recall", (800, 0, 90), (810, 0, 80), 1.0, 0.3688, 0.01


@pytest.mark.parametrize(
    "case", list(_random_cases()), ids=lambda case: f"{case[0]}-{case[1]}-{case[5]}"
)
def test_exact_against_quadrature_in_many_digits(case):
    metric, a, b, prior, factor, rope = case
    exact = oracle.exceeds(
        metric,
        oracle.parameters(metric, *a, prior, factor),
        oracle.parameters(metric, *b, prior, factor),
        rope,
    )
    result = bayes.compare(Counts(*a), Counts(*b), metric, rope=rope, prior=prior, factor=factor)
    assert abs(result.p_h1 - exact) < 1e-10
    assert result.error < 1e-10


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((10**12, 10**9, 10**10), (10**12 + 10**4, 10**9, 10**10 - 10**4)),
        ((10**12, 0, 0), (10**12, 1, 0)),
        ((10**12, 3, 10**10), (5, 0, 0)),
    ],
)
def test_a_trillion_against_quadrature_in_many_digits(a, b):
    exact = oracle.exceeds(
        "precision", oracle.parameters("precision", *a), oracle.parameters("precision", *b)
    )
    result = bayes.compare(Counts(*a), Counts(*b), "precision", factor=1)
    assert abs(result.p_h1 - exact) < 1e-6


def test_exact_against_a_finite_sum():
    # Where B's first parameter is whole, P(B > A) is a sum of ratios of beta functions.
    from scipy.special import betaln

    a, b = (17, 9, 4), (20, 6, 3)
    pa, pb = (posterior(Counts(*x), "precision", factor=1) for x in (a, b))
    i = np.arange(int(pb.found))
    terms = (
        betaln(pa.found + i, pa.lost + pb.lost)
        - np.log(pb.lost + i)
        - betaln(1 + i, pb.lost)
        - betaln(pa.found, pa.lost)
    )
    result = bayes.compare(Counts(*a), Counts(*b), "precision", factor=1)
    assert result.p_h1 == pytest.approx(np.exp(terms).sum(), abs=1e-12)


def precision_exceeds(one, other):
    sides = (oracle.parameters("precision", *counts, 0) for counts in (one, other))
    return oracle.exceeds("precision", *sides)


def test_small_probabilities_keep_their_digits():
    a, b = Counts(500, 500, 0), Counts(900, 100, 0)
    exact = precision_exceeds((900, 100), (500, 500))
    result = bayes.compare(a, b, "precision", factor=1)
    assert result.p_h0 < 1e-50
    # The grid ends eight and a half standard deviations out: a bound, not a value, beyond it.
    assert result.p_h0 < max(1e-14, float(exact))
    nearer = bayes.compare(Counts(500, 500, 0), Counts(640, 360, 0), "precision", factor=1)
    exact = precision_exceeds((640, 360), (500, 500))
    assert nearer.p_h0 == pytest.approx(float(exact), rel=1e-6, abs=0)
    # Here it is the complement of the side that is integrated first: 1 minus that side would
    # leave a thousandth of it wrong.
    complement = bayes.compare(Counts(335, 665, 0), Counts(500, 500, 0), "precision", factor=1)
    exact = precision_exceeds((500, 500), (335, 665))
    assert complement.p_h0 == pytest.approx(float(exact), rel=1e-4, abs=0)


def test_monte_carlo_agrees_within_its_standard_error():
    counts = paper_counts()
    a, b = counts["NER", "IOB2"], counts["NER", "IOBES"]
    for rope in (0.0, 0.001):
        exact = bayes.compare(a, b, rope=rope)
        drawn = bayes.compare(a, b, rope=rope, method="monte_carlo", draws=200_000, seed=3)
        assert drawn.error == pytest.approx(
            math.sqrt(drawn.p_h1 * (1 - drawn.p_h1) / 200_000), rel=1e-3
        )
        assert abs(drawn.p_h1 - exact.p_h1) < 4 * drawn.error
        assert abs(drawn.p_h0 - exact.p_h0) < 4 * drawn.error
    again = bayes.compare(a, b, rope=0.001, method="monte_carlo", draws=200_000, seed=3)
    assert again == drawn


def test_draws_of_which_none_crosses_over_are_no_certainty():
    a, b = Counts(10, 990, 0), Counts(990, 10, 0)
    drawn = bayes.compare(a, b, "precision", method="monte_carlo", draws=98, factor=1)
    assert drawn.p_h1 == 1
    assert drawn.error == pytest.approx(math.sqrt(99 / 100 * (1 / 100) / 98), rel=1e-12)


counts3 = st.tuples(*[st.integers(0, 5000)] * 3)


@settings(max_examples=80, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS), st.sampled_from([0.0, 0.01, 0.3]))
def test_swapping_the_models_swaps_the_hypotheses(a, b, metric, rope):
    one = bayes.compare(Counts(*a), Counts(*b), metric, rope=rope, factor=1)
    other = bayes.compare(Counts(*b), Counts(*a), metric, rope=rope, factor=1)
    assert one.p_h1 == pytest.approx(other.p_h0, abs=1e-10)
    assert one.p_rope == pytest.approx(other.p_rope, abs=1e-10)
    assert one.p_h0 + one.p_rope + one.p_h1 == pytest.approx(1, abs=1e-10)
    assert min(one.p_h0, one.p_rope, one.p_h1) >= 0


@settings(max_examples=60, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS))
def test_more_hits_for_b_raise_its_probability(a, b, metric):
    tp, fp, fn = b
    before = bayes.compare(Counts(*a), Counts(*b), metric, factor=1).p_h1
    hits = bayes.compare(Counts(*a), Counts(tp + 5, fp, fn), metric, factor=1).p_h1
    errors = bayes.compare(Counts(*a), Counts(tp, fp + 5, fn + 5), metric, factor=1).p_h1
    assert errors <= before + 1e-11
    assert hits >= before - 1e-11


@settings(max_examples=40, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS))
def test_a_wider_rope_takes_from_both_sides(a, b, metric):
    results = [
        bayes.compare(Counts(*a), Counts(*b), metric, rope=rope, factor=1)
        for rope in (0.0, 0.02, 0.2, 0.9)
    ]
    for narrow, wide in pairwise(results):
        assert wide.p_rope >= narrow.p_rope - 1e-11
        assert wide.p_h1 <= narrow.p_h1 + 1e-11
        assert wide.p_h0 <= narrow.p_h0 + 1e-11


def test_identical_counts_are_a_tie_and_a_tie_is_h0():
    counts = Counts([30, 31], [4, 4], [5, 6])
    result = bayes.compare(counts, counts)
    assert result.p_h1 == pytest.approx(0.5, abs=1e-12)
    assert bayes._decide(0.5, 0.0, 0.5) == "H0"
    assert bayes._decide(0.2, 0.4, 0.4) == "rope"
    assert bayes._decide(0.2, 0.3, 0.5) == "H1"


def test_without_any_item_the_prior_speaks():
    result = bayes.compare(Counts(0, 0, 0), Counts(0, 0, 0), "precision", factor=1)
    assert result.p_h1 == pytest.approx(0.5)
    assert math.isnan(result.value_a)


def test_results_in_words():
    counts = paper_counts()
    a, b = counts["ORG", "IOB2"], counts["ORG", "IOBES"]
    text = str(bayes.compare(a, b, "precision"))
    assert "The probability that B has the higher precision is 0.810" in text
    assert "(A at least as high: 0.190), which leaves it open at 95 % (exact" in text
    assert "leaves it open" in str(bayes.compare(a, b, "recall"))
    assert "differ by no more, 0." in str(bayes.compare(a, b, rope=0.005))
    assert "leaves it open at 95 %" in str(bayes.compare(a, b, rope=0.005))
    assert "so they differ by no more than 0.05 at 95 %" in str(bayes.compare(a, b, rope=0.05))
    assert "Monte Carlo" in str(bayes.compare(a, b, method="monte_carlo", draws=1000))
    cws = counts["CWS", "BMES"], counts["CWS", "BB2B3MES"]
    assert "1 - 9e-06" in str(bayes.compare(*cws))
    assert ", so B is better at 95 % (" in str(bayes.compare(*cws))
    assert ", so A is at least as good at 95 % (" in str(bayes.compare(*cws[::-1]))
    margin = bayes.compare(*cws, rope=1e-4)
    assert margin.p_h1 > 0.95
    assert ", so B is better by more than 0.0001 at 95 % (" in str(margin)
    assert "so A is better by more than 0.0001" in str(bayes.compare(*cws[::-1], rope=1e-4))


@pytest.mark.parametrize("p", [0.949, 0.95])
def test_the_sentence_says_better_from_95_percent_on(p):
    result = bayes.Comparison("f1", 1 - p, 0.0, p, "H1", 1e-12, 0.8, 0.9, 0.0, "exact")
    assert ("so B is better" in str(result)) == (p >= 0.95)
    assert ("leaves it open" in str(result)) == (p < 0.95)


def test_the_sentence_calls_the_models_by_their_names():
    result = bayes.compare(A, B, names=("old", "new"))
    assert result.names == ("old", "new")
    assert "for old and" in str(result)
    assert "The probability that new has the higher F1" in str(result)
    assert "(old at least as high" in str(result)
    three = Counts([4, 5, 3], [1, 1, 0], [1, 1, 1]), Counts([5, 5, 3], [1, 1, 0], [0, 1, 1])
    paired = bayes.compare_paired(*three, rope=0.01, names=["old", "new"])
    assert "new minus old is +" in str(paired)
    assert "that old has, " in str(paired)
    assert bayes.compare(A, B).names == ("A", "B")


@pytest.mark.parametrize("names", ["AB", ("A",), ("A", "A"), ("A", ""), (1, 2), None])
@pytest.mark.parametrize("test", [bayes.compare, bayes.compare_paired])
def test_refuses_names(test, names):
    with pytest.raises(ValueError, match=r"names=.*expected two different names"):
        test(A, A, names=names)


def test_compare_all_has_a_row_a_metric():
    counts = paper_counts()
    a, b = counts["ORG", "IOB2"], counts["ORG", "IOBES"]
    table = bayes.compare_all(a, b, rope=0.005)
    assert list(table.index) == list(METRICS)
    for metric in METRICS:
        one = bayes.compare(a, b, metric, rope=0.005)
        assert table.loc[metric, "p_h1"] == one.p_h1
        assert table.loc[metric, "p_rope"] == one.p_rope
        assert table.loc[metric, "decision"] == one.decision


A, B = Counts([4, 5], [1, 1], [1, 1]), Counts([5, 5], [1, 1], [1, 0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric": "accuracy"}, "metric='accuracy'"),
        ({"rope": -0.1}, "rope=-0.1"),
        ({"rope": 1}, "rope=1"),
        ({"rope": math.nan}, "rope=nan"),
        ({"method": "guess"}, "method='guess'"),
        ({"method": "monte_carlo", "draws": 0}, "draws=0"),
        ({"prior": -1}, "prior=-1"),
        ({"b": Counts([1] * 4, [1] * 4, [1] * 4)}, r"b: expected as many matrices as a has \(2\)"),
        ({"b": [1, 2, 3]}, r"b=\[1, 2, 3\]: expected a betterthan.bcv.Counts"),
        (
            {"a": Counts(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))},
            "a: expected .* one model",
        ),
    ],
)
def test_refuses(change, words):
    with pytest.raises(ValueError, match=words):
        bayes.compare(**{"a": A, "b": B, **change})


class TestPaired:
    def sentences(self, n=400, seed=0, gain=0.0):
        """Gold, and two models whose hits depend on how hard the sentence is."""
        rng = np.random.default_rng(seed)
        gold = rng.poisson(3, n)
        easy = rng.beta(4, 2, n)
        hits = [rng.binomial(gold, np.clip(easy + shift, 0, 1)) for shift in (0.0, gain)]
        wrong = [rng.binomial(gold, 0.7 * (1 - easy)) for _ in hits]
        return tuple(Counts(tp, fp, gold - tp) for tp, fp in zip(hits, wrong))

    @pytest.mark.parametrize("metric", METRICS)
    def test_its_spread_is_the_delta_method_one(self, metric):
        a, b = self.sentences()
        result = bayes.compare_paired(a, b, metric, draws=40_000)

        def influence(counts):
            top, bottom = bayes._parts(counts, metric)
            return (top - top.sum() / bottom.sum() * bottom) / bottom.mean()

        d = influence(b) - influence(a)
        sd = d.std() / math.sqrt(len(d))
        low, high = result.interval
        assert high - low == pytest.approx(2 * 1.96 * sd, rel=0.03)
        assert result.p_h1 == pytest.approx(stats.norm.cdf(result.difference / sd), abs=0.01)

    def test_pairing_sharpens(self):
        a, b = self.sentences(n=2000, gain=0.03)
        paired = bayes.compare_paired(a, b)
        total = [Counts(*(int(x.sum()) for x in c.totals())) for c in (a, b)]
        alone = bayes.compare(*total, factor=1)
        assert paired.difference == pytest.approx(alone.difference)
        assert paired.p_h1 > 0.95

    def test_copies_of_a_sentence_add_nothing_once_they_are_one_unit(self):
        a, b = self.sentences(n=200, gain=0.02)
        three = [Counts.concatenate(c, c, c) for c in (a, b)]
        units = np.tile(np.arange(200), 3)
        once = bayes.compare_paired(a, b, draws=50_000)
        joined = bayes.compare_paired(*three, units=units, draws=50_000)
        naive = bayes.compare_paired(*three, draws=50_000)
        assert joined.units == 200
        assert joined.interval == pytest.approx(once.interval, abs=1e-3)
        width = once.interval[1] - once.interval[0]
        assert naive.interval[1] - naive.interval[0] < 0.65 * width

    def test_the_counts_of_a_unit_are_summed(self):
        a, b = self.sentences(n=60, gain=0.05)
        summed = [
            Counts(*(x.reshape(20, 3).sum(axis=1) for x in (c.tp, c.fp, c.fn))) for c in (a, b)
        ]
        units = np.repeat(np.arange(20), 3)
        assert bayes.compare_paired(a, b, units=units) == bayes.compare_paired(*summed)

    def test_antisymmetric_and_sums_to_one(self):
        a, b = self.sentences(n=150, gain=0.02)
        one = bayes.compare_paired(a, b, rope=0.01)
        other = bayes.compare_paired(b, a, rope=0.01)
        assert one.p_h1 == pytest.approx(other.p_h0, abs=0.02)
        assert one.p_h0 + one.p_rope + one.p_h1 == pytest.approx(1)

    def test_empty_sentences_change_nothing(self):
        a, b = self.sentences(n=150, gain=0.02)
        nothing = Counts(np.zeros(50), np.zeros(50), np.zeros(50))
        padded = [Counts.concatenate(c, nothing) for c in (a, b)]
        plain, more = bayes.compare_paired(a, b), bayes.compare_paired(*padded)
        assert (plain.p_h1, plain.interval) == (more.p_h1, more.interval)
        assert more.units == 200

    def test_error_rate_under_the_null_is_near_nominal(self):
        # Two equal models on the same sentences: P(H1) above .95 in about one corpus of twenty.
        n = 300
        p = np.array(
            [
                bayes.compare_paired(*self.sentences(n=200, seed=s), draws=2000, seed=s).p_h1
                for s in range(n)
            ]
        )
        high = np.count_nonzero(p > 0.95)
        assert stats.binomtest(high, n, 0.05).pvalue > 0.001
        assert stats.kstest(p, "uniform").pvalue > 0.001

    def test_single_items_are_the_bayesian_mcnemar_test(self):
        # 240 found by both, 20 by B alone, 9 by A alone, 31 by neither.
        tp_a = np.repeat([1, 0, 1, 0], [240, 20, 9, 31])
        tp_b = np.repeat([1, 1, 0, 0], [240, 20, 9, 31])
        a, b = (Counts(tp, np.zeros(300), 1 - tp) for tp in (tp_a, tp_b))
        result = bayes.compare_paired(a, b, "recall", draws=100_000)
        assert result.p_h1 == pytest.approx(stats.beta.sf(0.5, 21, 10), abs=4 * result.error)
        plain = bayes.compare_paired(a, b, "recall", draws=100_000, prior=0)
        assert plain.p_h1 == pytest.approx(stats.beta.sf(0.5, 20, 9), abs=4 * plain.error)

    def test_a_clean_sweep_is_not_certainty(self):
        tp_a, tp_b = np.repeat([1, 0], [40, 5]), np.ones(45)
        a, b = (Counts(tp, np.zeros(45), 1 - tp) for tp in (tp_a, tp_b))
        result = bayes.compare_paired(a, b, "recall", draws=100_000)
        assert result.p_h1 == pytest.approx(stats.beta.sf(0.5, 6, 1), abs=4 * result.error)
        assert bayes.compare_paired(a, b, "recall", prior=0).p_h1 == 1

    def test_models_that_never_differ(self):
        a, _ = self.sentences(n=50)
        result = bayes.compare_paired(a, a)
        assert (result.p_h0, result.p_h1, result.decision) == (1.0, 0.0, "H0")
        assert "below" in str(result)

    def test_in_words(self):
        a, b = self.sentences(gain=0.05)
        text = str(bayes.compare_paired(a, b))
        assert "paired over 400 units" in text
        assert "95 % interval" in text

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"metric": "mcc"}, "metric='mcc'"),
            ({"rope": 1.5}, "rope=1.5"),
            ({"draws": 1}, "draws=1"),
            ({"prior": -1}, "prior=-1"),
            ({"units": [1]}, r"units: expected one label a matrix \(3\)"),
            ({"units": [1, 1, 1]}, "at least two units"),
            ({"b": Counts([1], [0], [0])}, "b: expected as many matrices"),
            ({"b": Counts([1, 1, 1], [0, 0, 0], [0, 1, 1])}, "same gold items.*matrix 1"),
        ],
    )
    def test_refuses(self, change, words):
        c = Counts([1, 0, 1], [0, 1, 0], [0, 0, 1])
        with pytest.raises(ValueError, match=words):
            bayes.compare_paired(**{"a": c, "b": c, **change})


class TestPeers:
    """The thin implementations that the studies use, against the libraries that have them."""

    def data(self):
        rng = np.random.default_rng(8)
        y = np.arange(200) % 2
        x = rng.normal(size=(200, 3)) + y[:, None] * np.array([0.6, 0.4, 0.2])
        return x, y

    def test_5x2_against_mlxtend(self):
        from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split
        from sklearn.tree import DecisionTreeClassifier

        x, y = self.data()
        models = [DecisionTreeClassifier(max_depth=2, random_state=0), LogisticRegression()]
        rng = np.random.RandomState(3)
        differences = []
        for _ in range(5):
            parts = train_test_split(
                x, y, test_size=0.5, random_state=rng.randint(low=0, high=32767)
            )
            x1, x2, y1, y2 = parts
            for train, test in (((x1, y1), (x2, y2)), ((x2, y2), (x1, y1))):
                a, b = (model.fit(*train).score(*test) for model in models)
                differences.append(b - a)
        d = np.reshape(differences, (5, 2))
        # mlxtend subtracts its second model from its first and reports two-sided p-values.
        arguments = {"X": x, "y": y, "random_seed": 3, "scoring": "accuracy"}
        t, p = paired_ttest_5x2cv(models[1], models[0], **arguments)
        assert peers.t_5x2(d) == pytest.approx(p / 2 if t > 0 else 1 - p / 2, rel=1e-10)
        _, p = combined_ftest_5x2cv(models[1], models[0], **arguments)
        assert peers.f_5x2(d) == pytest.approx(p / 2 if d.mean() > 0 else 1 - p / 2, rel=1e-10)
        assert peers.f_5x2(-d) == pytest.approx(1 - peers.f_5x2(d), rel=1e-10)

    def test_paired_t_against_scipy(self):
        d = np.random.default_rng(1).normal(0.3, 1, 10)
        expected = stats.ttest_1samp(d, 0, alternative="greater").pvalue
        assert peers.t_paired(d) == pytest.approx(expected, rel=1e-12)

    def test_corrected_t_is_baycomps_correlated_t(self):
        import baycomp

        d = np.random.default_rng(2).normal(0.01, 0.02, 10)
        a_better, _ = baycomp.two_on_single(np.zeros(10), d, rope=0, runs=1)
        assert peers.t_corrected(d, 1 / 9) == pytest.approx(a_better, rel=1e-9)

    def test_mcnemar_against_statsmodels(self):
        from statsmodels.stats.contingency_tables import mcnemar

        table = [[50, 7], [15, 30]]
        assert peers.mcnemar(15, 7) == pytest.approx(mcnemar(table, exact=True).pvalue / 2)
        assert peers.mcnemar(0, 0) == 1

    def test_no_difference_at_all(self):
        assert peers.t_paired(np.zeros(10)) == 0.5
        assert peers.t_5x2(np.zeros((5, 2))) == 0.5


class TestSimulation:
    def test_newton_is_logistic_regression(self):
        from sklearn.linear_model import LogisticRegression

        rng = np.random.default_rng(3)
        y = rng.integers(0, 2, (2, 300)).astype(float)
        x = rng.normal(size=(2, 300, 2)) + y[..., None] * 0.5
        train = (rng.random((2, 4, 300)) < 0.5).astype(float)
        beta = simulation.logistic_regression(x, y, train)
        for corpus in range(2):
            for one in range(4):
                use = train[corpus, one] == 1
                fit = LogisticRegression(C=1e6, tol=1e-8).fit(x[corpus][use], y[corpus][use])
                expected = [*fit.coef_[0], fit.intercept_[0]]
                np.testing.assert_allclose(beta[corpus, one], expected, atol=1e-3)

    def test_true_rates_are_those_of_many_new_instances(self):
        beta = np.array([[0.7, 0.2, -0.3]])
        mean1 = np.array([0.5, 0.5])
        tpr, fpr = simulation.true_rates(beta, mean1)
        x = np.random.default_rng(1).normal(size=(1, 200_000, 2))
        assert simulation.predictions(x, beta[None]).mean() == pytest.approx(fpr[0], abs=0.004)
        assert simulation.predictions(x + mean1, beta[None]).mean() == pytest.approx(
            tpr[0], abs=0.004
        )

    @pytest.mark.parametrize("design", simulation.DESIGNS)
    def test_counts_of_the_example_add_up(self, design):
        task = {"design": design, "chunk": 0, "corpora": 5}
        rows = simulation.example_24(task, np.random.SeedSequence(1))
        assert len(rows) == 5
        for row in rows:
            positives = [row[f"gold{k}"] for k in range(1, 7)]
            assert positives[0] + positives[1] == positives[2] + positives[3]
            if design == "balanced":
                assert positives == [150] * 6
            if design == "fixed":
                assert positives[0] + positives[1] == 300
            assert all(row[f"correct{k}"] <= row[f"predicted{k}"] for k in range(1, 7))

    def test_equal_models_are_equal_and_better_ones_better(self):
        def run(scenario):
            task = {"scenario": scenario, "chunk": 0, "corpora": 20}
            return simulation.all_tests(task, np.random.SeedSequence(1))

        assert all(row["true_difference"] == 0 for row in run("same models"))
        better = run("B better")
        assert all(row["true_difference"] > 0 for row in better)
        assert sum(row["paired"] < 0.05 for row in better) > 10


def test_plot_draws_two_densities_and_two_intervals():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    a, b = Counts(80, 20, 25), Counts(85, 18, 20)
    _, ax = plt.subplots()
    assert bayes.plot(a, b, "recall", names=("old", "new"), factor=1, ax=ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["old", "new"]
    curve, interval = ax.lines[0], ax.lines[1]
    expected = posterior(a, "recall", factor=1)
    np.testing.assert_allclose(curve.get_ydata(), expected.pdf(curve.get_xdata()))
    np.testing.assert_allclose(interval.get_xdata(), expected.interval())
    plt.close("all")


def test_the_standalone_cell_of_chapter_2_is_the_library(capsys):
    found = standalone("2-is-b-better.md")
    counts = paper_counts()
    for name, tags in (("a", "IOB2"), ("b", "IOBES")):
        tp, fp, fn = (int(part) for part in counts["NER", tags].totals())
        assert found[name] == {"tp": tp, "errors": fp + fn}
    exact = bayes.compare(counts["NER", "IOB2"], counts["NER", "IOBES"]).p_h1
    assert found["p_h1"] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 1e6))
