"""Chapter 2's library: the Bayes test, the tests beside it, and their simulation."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from betterthan import bayes, datasets
from betterthan.bcv import posterior
from betterthan.counts import Counts
from studies import _peers as peers
from studies import bcv_simulation as simulation
from tests import _bayes_oracle as oracle
from tests.test_bcv import METRICS, matrix, paper_counts, standalone

PAIRS = {3: ("CWS", "BMES", "BB2B3MES"), 4: ("NER", "IOB2", "IOBES"), 5: ("ORG", "IOB2", "IOBES")}


@pytest.mark.parametrize("number", PAIRS)
def test_tables_3_to_5_of_the_paper(number):
    task, a, b = PAIRS[number]
    counts = paper_counts()
    here = {metric: bayes.compare(counts[task, a], counts[task, b], metric) for metric in METRICS}
    for row in datasets.paper_table(f"wang-li-2019-table{number}").itertuples():
        assert here[row.metric].p_h1 == pytest.approx(row.p_h1, abs=0.002)
        assert here[row.metric].decision == row.decision
    if task == "CWS":
        assert here["recall"].p_h0 == pytest.approx(1.5e-5, abs=1e-6)
        assert here["f1"].p_h0 == pytest.approx(9e-6, abs=1e-6)


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
    # Counts under 4, where the corners that a margin makes carry weight.
    yield "precision", (3, 1, 2), (2, 5, 1), 0.5, 0.37, 0.1
    yield "recall", (0, 0, 3), (1, 0, 2), 1.0, 0.3688, 0.05
    yield "f1", (1, 1, 0), (1, 0, 1), 1.0, 0.3688, 0.9
    yield "precision", (0, 0, 0), (0, 0, 0), 0.5, 1.0, 0.01
    yield "f1", (2, 0, 0), (3, 1, 0), 1.0, 1.0, 0.4
    yield "f1", (0, 1, 1), (1, 0, 0), 1.0, 1.0, 0.4
    yield "f1", (900_000, 51_000, 72_000), (900_500, 50_000, 72_000), 1.0, 1.0, 0.0005
    yield "recall", (800, 0, 90), (810, 0, 80), 1.0, 0.3688, 0.01


@pytest.mark.parametrize(
    "case", list(_random_cases()), ids=lambda case: f"{case[0]}-{case[1]}-{case[5]}"
)
def test_exact_against_quadrature_in_many_digits(case):
    metric, a, b, prior, factor, margin = case
    exact = oracle.exceeds(
        metric,
        oracle.parameters(metric, *a, prior, factor),
        oracle.parameters(metric, *b, prior, factor),
        margin,
    )
    words = {"margin": margin, "prior": prior, "factor": factor}
    result = bayes.compare(matrix(*a), matrix(*b), metric, **words)
    # Where a margin cuts through few counts, the oracle is sure of no more digits than these.
    few = margin > 0 and max(*a, *b) < 10
    assert abs(result.p_h1 - exact) < (2e-9 if few else 1e-12)
    turned = bayes.compare(matrix(*b), matrix(*a), metric, **words)
    assert turned.p_h0 == pytest.approx(result.p_h1, abs=1e-11)


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
    result = bayes.compare(matrix(*a), matrix(*b), "precision", factor=1)
    assert abs(result.p_h1 - exact) < 1e-6


def test_exact_against_a_finite_sum():
    # Where B's first parameter is whole, P(B > A) is a sum of ratios of beta functions.
    from scipy.special import betaln

    a, b = (17, 9, 4), (20, 6, 3)
    pa, pb = (posterior(matrix(*x), "precision", factor=1) for x in (a, b))
    i = np.arange(int(pb.found))
    terms = (
        betaln(pa.found + i, pa.lost + pb.lost)
        - np.log(pb.lost + i)
        - betaln(1 + i, pb.lost)
        - betaln(pa.found, pa.lost)
    )
    result = bayes.compare(matrix(*a), matrix(*b), "precision", factor=1)
    assert result.p_h1 == pytest.approx(np.exp(terms).sum(), abs=1e-12)


def precision_exceeds(one, other):
    sides = (oracle.parameters("precision", *counts, 0) for counts in (one, other))
    return oracle.exceeds("precision", *sides)


def test_small_probabilities_keep_their_digits():
    a, b = matrix(500, 500, 0), matrix(900, 100, 0)
    exact = precision_exceeds((900, 100), (500, 500))
    result = bayes.compare(a, b, "precision", factor=1)
    assert result.p_h0 < 1e-50
    # The grid ends nine standard deviations out: a bound, not a value, beyond it.
    assert result.p_h0 < max(1e-14, float(exact))
    nearer = bayes.compare(a, matrix(640, 360, 0), "precision", factor=1)
    exact = precision_exceeds((640, 360), (500, 500))
    assert nearer.p_h0 == pytest.approx(float(exact), rel=1e-6, abs=0)
    other_side = bayes.compare(matrix(335, 665, 0), a, "precision", factor=1)
    exact = precision_exceeds((500, 500), (335, 665))
    assert other_side.p_h0 == pytest.approx(float(exact), rel=1e-4, abs=0)


@pytest.mark.parametrize("margin", [0.0, 0.001])
def test_a_million_draws_agree_within_their_standard_error(margin):
    counts = paper_counts()
    a, b = counts["NER", "IOB2"], counts["NER", "IOBES"]
    result = bayes.compare(a, b, margin=margin)
    rng = np.random.default_rng(3)
    difference = result.posterior_b.rvs(200_000, rng) - result.posterior_a.rvs(200_000, rng)
    for p, drawn in ((result.p_h1, difference > margin), (result.p_h0, difference <= -margin)):
        assert abs(drawn.mean() - p) < 4 * math.sqrt(p * (1 - p) / 200_000)


counts3 = st.tuples(*[st.integers(0, 5000)] * 3)


@settings(max_examples=80, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS), st.sampled_from([0.0, 0.01, 0.3]))
def test_swapping_the_models_swaps_the_hypotheses(a, b, metric, margin):
    one = bayes.compare(matrix(*a), matrix(*b), metric, margin=margin, factor=1)
    other = bayes.compare(matrix(*b), matrix(*a), metric, margin=margin, factor=1)
    assert one.p_h1 == pytest.approx(other.p_h0, abs=1e-10)
    assert one.p_within == pytest.approx(other.p_within, abs=1e-10)
    assert one.p_h0 + one.p_within + one.p_h1 == pytest.approx(1, abs=1e-10)
    assert min(one.p_h0, one.p_within, one.p_h1) >= 0


@settings(max_examples=60, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS))
def test_more_hits_for_b_raise_its_probability(a, b, metric):
    tp, fp, fn = b
    before = bayes.compare(matrix(*a), matrix(*b), metric, factor=1).p_h1
    hits = bayes.compare(matrix(*a), matrix(tp + 5, fp, fn), metric, factor=1).p_h1
    errors = bayes.compare(matrix(*a), matrix(tp, fp + 5, fn + 5), metric, factor=1).p_h1
    assert errors <= before + 1e-11
    assert hits >= before - 1e-11


@settings(max_examples=40, deadline=None)
@given(counts3, counts3, st.sampled_from(METRICS))
def test_a_wider_margin_takes_from_both_sides(a, b, metric):
    results = [
        bayes.compare(matrix(*a), matrix(*b), metric, margin=margin, factor=1)
        for margin in (0.0, 0.02, 0.2, 0.9)
    ]
    for narrow, wide in pairwise(results):
        assert wide.p_within >= narrow.p_within - 1e-11
        assert wide.p_h1 <= narrow.p_h1 + 1e-11
        assert wide.p_h0 <= narrow.p_h0 + 1e-11


@pytest.mark.parametrize("metric", METRICS)
def test_identical_counts_are_a_tie_and_a_tie_is_h0(metric):
    counts = matrix([30, 31], [4, 4], [5, 6])
    result = bayes.compare(counts, counts, metric, repetitions=1)
    assert result.p_h1 == pytest.approx(0.5, abs=1e-12)
    assert result.decision == "H0"


def test_the_decision_is_the_most_probable():
    counts = paper_counts()
    a, b = counts["NER", "IOB2"], counts["NER", "IOBES"]
    assert bayes.compare(a, b).decision == "H1"
    assert bayes.compare(b, a).decision == "H0"
    assert bayes.compare(a, b, margin=0.005).decision == "within"


def test_without_any_item_the_prior_speaks():
    result = bayes.compare(matrix(0, 0, 0), matrix(0, 0, 0), "precision", factor=1)
    assert result.p_h1 == pytest.approx(0.5)
    assert math.isnan(result.value_a)


def test_results_in_words():
    counts = paper_counts()
    a, b = counts["ORG", "IOB2"], counts["ORG", "IOBES"]
    text = str(bayes.compare(a, b, "precision", names=("old", "new")))
    assert "for old and 0." in text
    assert "new minus old is +0.00" in text
    assert "The probability that new is better is 0.810, that old is at least as good 0.190" in text
    assert (
        "(Bayes test on 6 folds, flat prior): which of the two is better is open at 95 %." in text
    )
    assert "that neither is 0." in str(bayes.compare(a, b, margin=0.005))
    assert ": no difference of more than 0.05." in str(bayes.compare(a, b, margin=0.05))
    assert "prior 2)" in str(bayes.compare(a, b, prior=2))
    words = counts["CWS", "BMES"], counts["CWS", "BB2B3MES"]
    assert "above 0.999, that A is at least as good below 0.001" in str(bayes.compare(*words))
    assert str(bayes.compare(*words)).endswith(": B is better than A.")
    assert str(bayes.compare(*words[::-1])).endswith(": A is at least as good.")
    margin = bayes.compare(*words, margin=1e-4)
    assert margin.p_h1 > 0.95
    assert str(margin).endswith(": B is better by more than 0.0001.")
    turned = bayes.compare(*words[::-1], margin=1e-4)
    assert str(turned).endswith(": A is better by more than 0.0001.")


def test_each_probability_stands_with_its_own_hypothesis_when_there_is_a_margin():
    result = dataclasses.replace(
        bayes.compare(A, B, repetitions=1, margin=0.02, names=("old", "new")),
        p_h0=0.1234,
        p_within=0.2345,
        p_h1=0.6421,
    )
    said = (
        "The probability that new is better by more than 0.02 is 0.642, that old is 0.123, that "
        "neither is 0.234 (Bayes test on 2 folds, flat prior): which of the two is better is open"
    )
    assert said in str(result)


@pytest.mark.parametrize("p", [0.949, 0.95])
def test_the_sentence_says_better_from_95_percent_on(p):
    result = dataclasses.replace(bayes.compare(A, B, repetitions=1), p_h0=1 - p, p_h1=p)
    assert ("B is better than A." in str(result)) == (p >= 0.95)
    assert ("open at 95 %" in str(result)) == (p < 0.95)


def test_the_table_has_one_row():
    result = bayes.compare(A, B, "recall", repetitions=1, margin=0.01, names=("old", "new"))
    (row,) = result.table().to_dict("records")
    assert row == {
        "metric": "recall",
        "old": result.value_a,
        "new": result.value_b,
        "difference": result.value_b - result.value_a,
        "p_h0": result.p_h0,
        "p_within": result.p_within,
        "p_h1": result.p_h1,
        "decision": result.decision,
    }


def test_the_plot_has_two_densities_and_two_intervals():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    result = bayes.compare(
        matrix(80, 20, 25), matrix(85, 18, 20), "recall", factor=1, names=("old", "new")
    )
    _, ax = plt.subplots()
    assert result.plot(ax=ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["old", "new"]
    assert ax.get_xlabel() == "recall"
    curve, interval = ax.lines[0], ax.lines[1]
    np.testing.assert_allclose(curve.get_ydata(), result.posterior_a.pdf(curve.get_xdata()))
    np.testing.assert_allclose(interval.get_xdata(), result.posterior_a.interval())
    assert result.plot() is not ax
    plt.close("all")


A, B = matrix([4, 5], [1, 1], [1, 1]), matrix([5, 5], [1, 1], [1, 0])


@pytest.mark.parametrize("names", ["AB", ("A",), ("A", "A"), ("A", ""), (1, 2)])
def test_refuses_names(names):
    with pytest.raises(ValueError, match=r"names=.*expected two different names"):
        bayes.compare(A, A, names=names)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric": "accuracy"}, "metric='accuracy'"),
        ({"margin": -0.1}, "margin=-0.1"),
        ({"margin": 1}, "margin=1"),
        ({"margin": math.nan}, "margin=nan"),
        ({"prior": -1}, "prior=-1"),
        ({"prior": 1e16}, "prior=1e"),
        ({"repetitions": 3}, "folds_a: 2 folds: expected 6 for repetitions=3; say repetitions=1"),
        ({"folds_b": matrix([1] * 4, [1] * 4, [1] * 4)}, "folds_b: 4 folds: expected 2"),
        (
            {"folds_b": matrix([1] * 4, [1] * 4, [1] * 4), "factor": 1},
            "folds_b: expected 2 folds as in A, got 4",
        ),
        ({"folds_b": [1, 2, 3]}, r"folds_b=\[1, 2, 3\]: expected .*Counts of folds"),
    ],
)
def test_refuses(change, words):
    with pytest.raises(ValueError, match=words):
        bayes.compare(**{"folds_a": A, "folds_b": B, "repetitions": 1, **change})


def test_sentences_are_refused_and_sent_to_compare():
    # The natural walk of the first edition: 600 sentences taken for 600 folds.
    sentences = Counts([1, 0] * 300, [0, 1] * 300, [0, 1] * 300)
    words = r"folds_a: .*got one per sentence; for those there is betterthan\.compare"
    for more in ({}, {"repetitions": 300}, {"factor": 1}):
        with pytest.raises(ValueError, match=words):
            bayes.compare(sentences, sentences, **more)


def test_folds_are_refused_by_compare():
    from betterthan import compare

    with pytest.raises(ValueError, match=r"2 folds of a .*bayes\.compare"):
        compare(A, B)


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

    def test_blocked_t_by_hand(self):
        """Two repetitions; and a wider variance of the same authors gives the corrected t-test."""
        d = np.array([0.01, 0.03, 0.0, 0.04])
        spread = np.sqrt((0.01**2 + 0.01**2 + 0.02**2 + 0.02**2) / 4)
        assert peers.t_blocked(d) == pytest.approx(stats.t.sf(0.02 / spread, 3), rel=1e-9)
        wider = 0.02 / (spread * np.sqrt(5 / 3))
        assert peers.t_corrected(d, 1) == pytest.approx(stats.t.sf(wider, 3), rel=1e-9)

    def test_corrected_t_by_hand(self):
        # Six folds of a 3×2 BCV: test and training halves of one size, so 1/6 + 1.
        d = np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.3])
        t = 0.2 / math.sqrt((1 / 6 + 1) * 0.04 / 5)
        assert peers.t_corrected(d, 1) == pytest.approx(stats.t.sf(t, 5), rel=1e-9)

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

    @pytest.mark.slow
    def test_equal_models_are_equal_and_better_ones_better(self):
        def run(scenario):
            task = {"scenario": scenario, "chunk": 0, "corpora": 20}
            return simulation.all_tests(task, np.random.SeedSequence(1))

        assert all(row["true_difference"] == 0 for row in run("same models"))
        better = run("B better")
        assert all(row["true_difference"] > 0 for row in better)
        assert sum(row["paired"] < 0.05 for row in better) > 10
        restless, calm = (
            np.std([row["true_difference"] for row in run(world)])
            for world in ("restless algorithm", "same algorithm")
        )
        assert restless > 1.4 * calm > 0

    def test_tasks_are_a_thousand_corpora_per_world(self):
        for tasks, key in (
            (simulation.test_tasks(), "scenario"),
            (simulation.bet_tasks(), "spread"),
        ):
            worlds = {task[key] for task in tasks}
            for world in worlds:
                assert sum(task["corpora"] for task in tasks if task[key] == world) == 1000

    def test_bets_know_who_is_ahead(self):
        task = {"spread": 3.0, "chunk": 2, "corpora": 20}
        rows = simulation.bets(task, np.random.SeedSequence(3))
        assert [row["corpus"] for row in rows] == list(range(40, 60))
        clear = [row for row in rows if abs(row["lead"]) > 0.7]
        assert len(clear) > 10
        for row in clear:
            # B's probability is high where its feature, its models and its score are ahead.
            signs = {np.sign(row[name]) for name in ("lead", "true_difference", "difference")}
            signs |= {np.sign(row[name] - 0.5) for name in ("bayes", "paired")}
            assert len(signs) == 1

    def test_bets_come_true_when_differences_are_large_and_not_when_small(self):
        # The finding: P(B better) under a flat prior is no bet where differences are small.
        bets = datasets.study_table("bcv-bets")
        sure = bets[(bets.paired - 0.5).abs() > 0.3]
        right = (sure.paired > 0.5) == (sure.true_difference > 0)
        share = right.groupby(sure.spread).mean()
        claimed = (0.5 + (sure.paired - 0.5).abs()).groupby(sure.spread).mean()
        assert share[0.8] == pytest.approx(claimed[0.8], abs=0.03)
        assert share[0.05] < claimed[0.05] - 0.2

    def test_independence_is_bold_where_errors_cluster(self):
        # Equal models, 200 lines of 30 words; half of what makes a line hard is A's or B's alone.
        rng = np.random.default_rng(6)
        both, *own = rng.normal(size=(3, 400, 200))
        a, b = (
            rng.binomial(30, 1 / (1 + np.exp(2.2 - np.sqrt(0.5) * (both + one)))).sum(axis=1)
            for one in own
        )
        said = [
            bayes.compare(matrix(6000 - x, 0, x), matrix(6000 - y, 0, y), "recall", factor=1).p_h1
            for x, y in zip(a.tolist(), b.tolist())
        ]
        assert np.mean(np.array(said) > 0.95) > 0.08


def test_the_standalone_cell_of_chapter_2_is_the_library(capsys):
    found = standalone("2-is-b-better.md")
    counts = paper_counts()
    for name, tags in (("a", "IOB2"), ("b", "IOBES")):
        folds = counts["NER", tags]
        assert found[name] == {"tp": folds.tp.sum(), "errors": (folds.fp + folds.fn).sum()}
    exact = bayes.compare(counts["NER", "IOB2"], counts["NER", "IOBES"]).p_h1
    assert found["p_h1"] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 1e6))
