"""Paired tests: enumeration, scipy and statsmodels as oracles, memory, seeds, refusals."""

from __future__ import annotations

import dataclasses
import itertools
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables

from betterthan import _resample, compare, pvalues
from betterthan.counts import Counts
from betterthan.datasets import paper_table
from betterthan.pvalues import mcnemar, paired_bootstrap, randomisation, steiger, wilcoxon

SIDES = ("greater", "less", "two-sided")
# Made-up systems that have nothing in common are what many of these tests need.
pytestmark = pytest.mark.filterwarnings("ignore:The results of")


def f1(rows):
    tp, fp, fn = np.asarray(rows).sum(axis=0)
    return 2 * tp / (2 * tp + fp + fn) if tp else 0.0


def precision(rows):
    tp, fp, _ = np.asarray(rows).sum(axis=0)
    return tp / (tp + fp)


def recall(rows):
    tp, _, fn = np.asarray(rows).sum(axis=0)
    return tp / (tp + fn)


def spans(seed, n, lead=0.0):
    """Two systems' (tp, fp, fn) on the same n sentences; B is better where lead > 0."""
    rng = np.random.default_rng(seed)
    gold = rng.poisson(2, n)
    tp_a = rng.binomial(gold, 0.6)
    tp_b = np.minimum(gold, tp_a + rng.binomial(1, lead, n)) if lead else rng.binomial(gold, 0.6)
    a = np.column_stack([tp_a, rng.poisson(0.5, n), gold - tp_a])
    b = np.column_stack([tp_b, rng.poisson(0.5, n), gold - tp_b])
    return a, b


def counted(rows, **options):
    return Counts(*np.asarray(rows).T, **options)


def all_swaps(a, b, score):
    """δ of every one of the 2ⁿ swaps, in plain Python."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    deltas = []
    for coins in itertools.product([False, True], repeat=len(a)):
        coins = np.array(coins)
        x, y = a.copy(), b.copy()
        x[coins], y[coins] = b[coins], a[coins]
        deltas.append(score(y) - score(x))
    return np.array(deltas)


def share(deltas, seen, side):
    if side == "greater":
        return np.mean(deltas >= seen - 1e-12)
    if side == "less":
        return np.mean(deltas <= seen + 1e-12)
    return np.mean(np.abs(deltas) >= abs(seen) - 1e-12)


def all_resamples(a, b, score):
    """δ of every one of the nⁿ resamples."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    n = len(a)
    return np.array(
        [score(b[list(i)]) - score(a[list(i)]) for i in itertools.product(range(n), repeat=n)]
    )


def close_to(p, exact, resamples):
    """Is a Monte Carlo p-value within five standard errors of the exact one?"""
    return (
        abs(p - exact) <= 5 * math.sqrt(max(exact * (1 - exact), 1e-9) / resamples) + 2 / resamples
    )


# --- the resampler -----------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 4])
def test_the_bootstrap_draws_every_row_equally_often(width):
    n, draws = 7, 30_000
    columns = np.zeros((n, width))
    columns[:, 0] = 1.0
    columns[3, width - 1] += 10.0
    sums = _resample.bootstrap_sums(columns, draws, np.random.default_rng(1))
    drawn = (sums[:, width - 1] - (n if width == 1 else 0)) / 10
    if width > 1:
        assert (sums[:, 0] == n).all()
    # The number of times one row is drawn is Binomial(n, 1/n).
    seen = np.bincount(drawn.astype(int), minlength=n + 1)[: n + 1]
    expected = stats.binom.pmf(np.arange(n + 1), n, 1 / n) * draws
    seen, expected = (
        np.append(seen[:4], seen[4:].sum()),
        np.append(expected[:4], expected[4:].sum()),
    )
    assert stats.chisquare(seen, expected).pvalue > 1e-4


def test_the_sums_are_those_of_the_drawn_rows():
    # Columns are drawn together: their sums keep the relation that every row has.
    rows = np.random.default_rng(2).random((50, 1))
    sums = _resample.bootstrap_sums(np.hstack([rows, 3 * rows + 1]), 500, np.random.default_rng(3))
    np.testing.assert_allclose(sums[:, 1], 3 * sums[:, 0] + 50)
    assert len(np.unique(sums[:, 0])) == 500


def test_the_sums_do_not_depend_on_the_number_of_threads(monkeypatch):
    rows = np.random.default_rng(4).random((300, 2))
    first = _resample.bootstrap_sums(rows, 2000, np.random.default_rng(5))
    monkeypatch.setattr(_resample.os, "cpu_count", lambda: 1)
    np.testing.assert_array_equal(
        _resample.bootstrap_sums(rows, 2000, np.random.default_rng(5)), first
    )
    assert (_resample.bootstrap_sums(rows, 2000, np.random.default_rng(6)) != first).any()


def test_every_block_draws_anew(monkeypatch):
    monkeypatch.setattr(_resample, "_DRAWN", 1)
    monkeypatch.setattr(_resample, "_COINS", 1)
    rows = np.random.default_rng(7).random((60, 1))
    assert len(np.unique(_resample.bootstrap_sums(rows, 300, np.random.default_rng(8)))) == 300
    coins = np.concatenate(list(_resample.subsets(60, 300, np.random.default_rng(9))))
    assert coins.shape == (300, 60)
    assert len(np.unique(coins, axis=0)) == 300


@pytest.mark.parametrize("coins", [2**21, 8])
def test_all_subsets_where_there_are_few(monkeypatch, coins):
    monkeypatch.setattr(_resample, "_COINS", coins)
    listed = np.concatenate(list(_resample.subsets(4, 15, np.random.default_rng(0))))
    assert sorted(map(tuple, listed)) == sorted(itertools.product([0, 1], repeat=4))[1:]
    drawn = np.concatenate(list(_resample.subsets(4, 14, np.random.default_rng(0))))
    assert len(drawn) == 14
    assert list(_resample.subsets(0, 99, np.random.default_rng(0))) == []


def test_every_coin_is_fair():
    coins = np.concatenate(list(_resample.subsets(70, 4000, np.random.default_rng(1))))
    heads = coins.sum(axis=0)
    assert (np.abs(heads - 2000) < 5 * math.sqrt(1000)).all()


# --- randomisation -----------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_exact_randomisation_equals_enumeration(side):
    rng = np.random.default_rng(7)
    for turn in range(25):
        n = int(rng.integers(2, 10))
        if turn % 2:
            a, b = rng.integers(0, 3, n), rng.integers(0, 3, n)  # ties, zeros, repeats
        else:
            a, b = rng.normal(size=n), rng.normal(size=n)
        result = randomisation(a, b, alternative=side)
        seen = np.mean(b) - np.mean(a)
        assert "exact" in result.test
        assert result.pvalue == pytest.approx(
            share(all_swaps(a, b, np.mean), seen, side), abs=1e-12
        )
        assert result.statistic == result.difference == pytest.approx(seen)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("score", [f1, precision, recall])
def test_exact_randomisation_of_counts_equals_enumeration(side, score):
    for seed in range(4):
        a, b = spans(seed, 9)
        truth = share(all_swaps(a, b, score), score(b) - score(a), side)
        result = randomisation(counted(a), counted(b), score.__name__, alternative=side)
        assert result.pvalue == pytest.approx(truth, abs=1e-12)
        assert result.difference == pytest.approx(score(b) - score(a))


def test_exact_randomisation_equals_scipy():
    rng = np.random.default_rng(8)
    a, b = rng.normal(0, 1, 11), rng.normal(0.5, 1, 11)
    theirs = stats.permutation_test(
        (b, a),
        lambda x, y: np.mean(x) - np.mean(y),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert randomisation(a, b).pvalue == pytest.approx(theirs.pvalue)


def test_on_right_and_wrong_randomisation_is_mcnemars_exact_test():
    a, b = [0] * 9 + [1] * 4 + [1] * 500, [1] * 9 + [0] * 4 + [1] * 500
    for side in SIDES:
        here = randomisation(a, b, alternative=side)
        assert "exact" in here.test  # 513 items, but only 13 can be swapped
        assert here.pvalue == pytest.approx(mcnemar(a, b, alternative=side).pvalue)


@pytest.mark.parametrize("metric", ["f1", "precision", "recall"])
def test_sampled_randomisation_comes_close_to_the_exact_one(metric):
    a, b = (counted(rows) for rows in spans(3, 14))
    exact = randomisation(a, b, metric, n_resamples=2**14)
    sampled = [randomisation(a, b, metric, n_resamples=9, rng=s) for s in range(300)]
    assert "exact" in exact.test
    assert "9 resamples" in sampled[0].test
    hits = sum(round(10 * result.pvalue - 1) for result in sampled)
    assert close_to(hits / 2700, exact.pvalue, 2700)


def test_sampled_randomisation_agrees_with_the_normal_limit():
    d = np.random.default_rng(10).normal(0.1, 1, 800)
    result = randomisation(np.zeros(d.size), d, n_resamples=20_000)
    assert "20,000" in result.test
    z = d.sum() / np.sqrt((d**2).sum())
    assert result.pvalue == pytest.approx(stats.norm.sf(z), abs=0.015)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation, wilcoxon, mcnemar])
def test_systems_that_are_the_same_everywhere(test):
    for side in SIDES:
        result = test([1, 0, 1], [1, 0, 1], alternative=side)
        assert (result.pvalue, result.difference) == (1.0, 0.0)


# --- bootstrap ---------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_bootstrap_comes_close_to_all_resamples(side):
    rng = np.random.default_rng(11)
    a, b = rng.normal(0, 1, 6), rng.normal(0.4, 1, 6)
    shifted = all_resamples(a, b, np.mean) - (b.mean() - a.mean())
    truth = share(shifted, b.mean() - a.mean(), side)
    result = paired_bootstrap(a, b, alternative=side, n_resamples=40_000)
    assert close_to(result.pvalue, truth, 40_000)


def test_f1_bootstrap_comes_close_to_all_resamples():
    a, b = spans(12, 6)
    shifted = all_resamples(a, b, f1) - (f1(b) - f1(a))
    truth = share(shifted, f1(b) - f1(a), "greater")
    result = paired_bootstrap(counted(a), counted(b), n_resamples=20_000)
    assert close_to(result.pvalue, truth, 20_000), result
    assert result.difference == pytest.approx(f1(b) - f1(a))


def test_bootstrap_counts_as_berg_kirkpatrick_does():
    """p = (1 + #{δ* − δ ≥ δ})/(R + 1): with every difference the same, δ* − δ is always 0."""
    low, high = [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]
    assert paired_bootstrap(low, high, n_resamples=99).pvalue == 1 / 100
    assert paired_bootstrap(high, low, n_resamples=99).pvalue == 1.0
    assert paired_bootstrap(high, low, n_resamples=99, alternative="less").pvalue == 1 / 100


def test_bootstrap_and_randomisation_agree_on_a_large_sample():
    rng = np.random.default_rng(14)
    a = rng.random(3000)
    b = a + rng.normal(0.003, 0.1, 3000)
    z = (b - a).mean() / (b - a).std() * math.sqrt(3000)
    for test in (paired_bootstrap, randomisation):
        assert test(a, b, n_resamples=20_000).pvalue == pytest.approx(stats.norm.sf(z), abs=0.01)


def test_an_unpaired_test_would_not_see_this():
    rng = np.random.default_rng(15)
    a = rng.normal(0, 10, 400)
    b = a + rng.normal(0.3, 1, 400)
    assert paired_bootstrap(a, b).pvalue < 1e-3
    assert stats.ttest_ind(b, a, alternative="greater").pvalue > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_p_values_are_uniform_or_larger_when_nothing_is_going_on(test):
    rng = np.random.default_rng(16)
    p = [
        test(rng.normal(size=40), rng.normal(size=40), n_resamples=199, rng=s).pvalue
        for s in range(400)
    ]
    for level in (0.05, 0.1, 0.5):
        below = int(np.sum(np.array(p) <= level))
        # The bootstrap is a little liberal at n = 40; a wrong tail or shift would be far off.
        assert stats.binomtest(below, 400, level * 1.15, alternative="greater").pvalue > 1e-3
        assert stats.binomtest(below, 400, level * 0.8, alternative="less").pvalue > 1e-3


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_small_p_values_speak_for_b(test):
    a, b = (counted(rows) for rows in spans(17, 300, lead=0.1))
    assert test(a, b).pvalue == pytest.approx(test(b, a, alternative="less").pvalue, abs=0.02)
    assert test(a, b).pvalue < 0.2 < test(b, a).pvalue


def test_one_sided_randomisation_is_what_compare_says():
    """Half-samples and sign flips of a mean are the same test."""
    rng = np.random.default_rng(18)
    a = rng.random(12)
    b = a + rng.normal(0.05, 0.1, 12)
    both = compare(a, b)
    half = randomisation(a, b, alternative="greater").pvalue
    assert both.pvalue / 2 == pytest.approx(half, abs=1e-3)


def test_groups_are_swapped_and_drawn_as_a_whole():
    """Twelve sentences in four groups: the same as four sentences with their sums."""
    a, b = spans(19, 12, lead=0.5)
    groups = np.repeat(list("wxyz"), 3)
    whole = [rows.reshape(4, 3, 3).sum(axis=1) for rows in (a, b)]
    for side in SIDES:
        grouped = randomisation(
            counted(a, groups=groups), counted(b, groups=groups), alternative=side
        )
        assert grouped.n == 4
        assert grouped.pvalue == randomisation(*map(counted, whole), alternative=side).pvalue
    alone = paired_bootstrap(*map(counted, whole), n_resamples=200)
    again = paired_bootstrap(counted(a, groups=groups), counted(b, groups=groups), n_resamples=200)
    assert alone == again


# --- seeds, ids, memory ------------------------------------------------------------------


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_seeds(test):
    noise = np.random.default_rng(20).normal(size=(2, 300))
    one = test(*noise, n_resamples=700)
    assert test(*noise, n_resamples=700, rng=0) == one
    assert test(*noise, n_resamples=700, rng=1) != one
    assert test(*noise, n_resamples=700, rng=np.random.default_rng(0)) == one
    seed = np.random.SeedSequence(5)
    assert test(*noise, rng=seed) == test(*noise, rng=seed)
    assert seed.n_children_spawned == 0
    generator = np.random.default_rng(0)  # goes on where it stopped, as scipy's do
    assert test(*noise, rng=generator) != test(*noise, rng=generator)


def test_series_are_matched_by_their_index():
    a = pd.Series([0, 0, 0, 1, 1, 0], index=list("uvwxyz"))
    b = pd.Series([1, 1, 1, 1, 0, 1], index=list("uvwxyz"))
    for test in (randomisation, wilcoxon, mcnemar):
        assert test(a, b.sample(frac=1, random_state=1)) == test(a, b)
        with pytest.raises(ValueError, match="not in all systems"):
            test(a, b.rename({"z": "other"}))


@pytest.mark.slow
@pytest.mark.parametrize("test", ["paired_bootstrap", "randomisation"])
def test_twenty_thousand_resamples_of_ten_thousand_fit_in_a_gibibyte(test):
    program = (
        "import numpy as np\n"
        "from tests.benchmarks.run import own_peak\n"
        f"from betterthan.pvalues import {test}\n"
        "rng = np.random.default_rng(0); a = rng.random(10_000)\n"
        "b = a + rng.normal(.001, .1, 10_000)\n"
        f"r = {test}(a, b, n_resamples=20_000)\n"
        "assert 0.05 < r.pvalue < 0.95\n"
        "print(own_peak())\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(out.stdout) < 1024  # MiB


# --- Wilcoxon, McNemar, Steiger ----------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_equals_scipy(side):
    rng = np.random.default_rng(21)
    for n in (8, 30, 300):
        a, b = rng.integers(0, 8, n), rng.integers(0, 9, n)
        theirs = stats.wilcoxon(b - a, alternative=side)
        here = wilcoxon(a, b, alternative=side)
        assert (here.pvalue, here.statistic) == pytest.approx((theirs.pvalue, theirs.statistic))
        assert here.difference == pytest.approx(b.mean() - a.mean())


def test_wilcoxon_takes_equal_differences_for_ties_in_spite_of_rounding():
    a, b = np.array([0.1, 0.2, 0.7, 0.3]), np.array([0.3, 0.4, 0.9, 0.1])
    whole = wilcoxon([1, 2, 7, 3], [3, 4, 9, 1])
    assert wilcoxon(a, b).statistic == whole.statistic


def test_wilcoxon_takes_rounding_noise_for_zero():
    # Three real differences and two that are 5e-17 and -5e-17: these must not get ranks.
    a = [0.1 + 0.2, 0.3, 0.5, 0.6, 0.7]
    b = [0.3, 0.1 + 0.2, 0.6, 0.8, 1.0]
    assert a[0] != b[0]
    assert a[1] != b[1]
    noisy, clean = wilcoxon(a, b), wilcoxon([0.5, 0.6, 0.7], [0.6, 0.8, 1.0])
    assert (noisy.statistic, noisy.pvalue) == (clean.statistic, clean.pvalue) == (6.0, 0.125)
    only_noise = wilcoxon([0.1 + 0.2, 0.5, 0.7], [0.3, 0.5, 0.7])
    assert (only_noise.pvalue, only_noise.difference) == (1.0, 0.0)


@pytest.mark.parametrize(("only_a", "only_b"), [(10, 3), (3, 10), (5, 5), (0, 4), (121, 59)])
def test_mcnemar_equals_statsmodels_and_the_binomial(only_a, only_b):
    a = [1] * only_a + [0] * only_b + [1] * 30
    b = [0] * only_a + [1] * only_b + [1] * 30
    exact = contingency_tables.mcnemar([[30, only_a], [only_b, 0]], exact=True)
    assert mcnemar(a, b, alternative="two-sided").pvalue == pytest.approx(exact.pvalue)
    flips = only_a + only_b
    result = mcnemar(a, b)
    assert result.pvalue == pytest.approx(stats.binom.sf(only_b - 1, flips, 0.5))
    assert (result.statistic, result.n) == (only_b, len(a))
    assert result.difference == pytest.approx((only_b - only_a) / len(a))
    less = mcnemar(a, b, alternative="less").pvalue
    assert less == pytest.approx(stats.binom.cdf(only_b, flips, 0.5))


def test_steiger_on_published_numbers():
    """Steiger's case A (1980): n = 103, r12 = .4, r13 = .5, r23 = .1; t = -.89, p = .37."""
    t = steiger(0.5, 0.4, 0.1, 103, method="t", alternative="two-sided")
    assert t.statistic == pytest.approx(-0.89, abs=0.005)
    assert t.pvalue == pytest.approx(0.37, abs=0.006)
    z = steiger(0.5, 0.4, 0.1, 103, alternative="two-sided")
    assert z.statistic == pytest.approx(-0.89, abs=0.005)


def test_three_p_values_of_table_5_are_beyond_what_steigers_test_can_give():
    table = paper_table("dror-2017-table5").set_index("dataset")
    beyond = []
    for name, n in {"MEN": 3000, "RW": 2034, "WS353-REL": 252, "WS353": 353, "RG-65": 65}.items():
        r_a, r_b = table.loc[name, "glove"], table.loc[name, "w2v"]
        reach = 0.9999 * math.sqrt((1 - r_a**2) * (1 - r_b**2))
        every = np.linspace(r_a * r_b - reach, r_a * r_b + reach, 300)
        p = [steiger(r_a, r_b, r, n, alternative="two-sided").pvalue for r in every]
        if table.loc[name, "p"] > max(p):
            beyond.append(name)
    assert beyond == ["MEN", "RW", "WS353-REL"]


@pytest.mark.parametrize("method", ["z", "t"])
def test_steigers_p_values_are_uniform_under_the_null(method):
    rng = np.random.default_rng(22)
    covariance = [[1, 0.5, 0.5], [0.5, 1, 0.7], [0.5, 0.7, 1]]
    p = []
    for _ in range(1500):
        r = np.corrcoef(rng.multivariate_normal([0, 0, 0], covariance, 60).T)
        p.append(steiger(r[0, 1], r[0, 2], r[1, 2], 60, method=method).pvalue)
    assert stats.kstest(p, "uniform").pvalue > 1e-3


@settings(max_examples=60, deadline=None)
@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(0.0, 0.25), st.integers(10, 500))
def test_steigers_sides_fit_together(r_a, r_b, r_ab, n):
    greater = steiger(r_a, r_b, r_ab, n).pvalue
    less = steiger(r_a, r_b, r_ab, n, alternative="less").pvalue
    both = steiger(r_a, r_b, r_ab, n, alternative="two-sided").pvalue
    assert greater + less == pytest.approx(1)
    assert both == pytest.approx(2 * min(greater, less))
    assert steiger(r_b, r_a, r_ab, n).pvalue == pytest.approx(less)
    if abs(r_b - r_a) > 1e-6:
        assert (greater < 0.5) == (r_b > r_a)


# --- results in words --------------------------------------------------------------------


def test_results_are_frozen_and_name_both_systems():
    names = ("old", "new")
    ahead = mcnemar([0] * 9 + [1], [1] * 9 + [0], names=names)
    assert str(ahead).startswith(
        "new scores higher than old by 0.8; evidence that new is better: one-sided p = 0.0107"
    )
    behind = mcnemar([1] * 9 + [0], [0] * 9 + [1], names=names)
    assert str(behind).startswith(
        "old scores higher than new by 0.8; no evidence that new is better: one-sided p = 0.999"
    )
    assert "little evidence that new is better" in str(mcnemar([0, 0, 0], [1, 1, 1], names=names))
    asked = mcnemar([1, 1], [0, 1], alternative="less", names=names)
    assert "evidence that old is better" in str(asked)
    same = randomisation([1, 2], [2, 1], names=names)
    assert "old and new score the same; no evidence that new is better" in str(same)
    either = randomisation([1, 2], [2, 1], alternative="two-sided", names=names)
    assert "no evidence that old and new differ" in str(either)
    assert "A scores higher than B" in str(wilcoxon([2, 3], [1, 1]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        ahead.pvalue = 0


@pytest.mark.parametrize("side", SIDES)
def test_no_sentence_claims_what_the_p_value_denies(side):
    rng = np.random.default_rng(23)
    for _ in range(50):
        result = wilcoxon(rng.normal(size=12), rng.normal(size=12), alternative=side)
        if "; evidence that" in str(result):
            assert result.pvalue <= 0.05


def test_a_resample_of_nothing_over_nothing_scores_zero():
    """Every resample with only first sentences has nothing found: precision 0/0 counts as 0."""
    a, b = np.array([[0, 0, 3], [1, 1, 1]]), np.array([[0, 0, 3], [2, 0, 0]])
    result = paired_bootstrap(counted(a), counted(b), "precision", n_resamples=99)
    assert result.difference == 0.5
    assert 0 < result.pvalue < 1


def test_items_in_another_order_are_noticed():
    rng = np.random.default_rng(25)
    easy = rng.random(400)
    a, b = (easy + rng.normal(0, 0.3, 400) < 0.6 for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mcnemar(a, b)
    with pytest.warns(UserWarning, match="the same items in the same order"):
        mcnemar(a, rng.permutation(b))


def test_inputs_are_left_alone():
    rng = np.random.default_rng(24)
    a, b = rng.random((2, 30))
    before = a.copy(), b.copy()
    for test in (paired_bootstrap, randomisation, wilcoxon):
        test(a, b)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])


# --- refusals ----------------------------------------------------------------------------

FOLDS = Counts([9, 8], [1, 1], [1, 2], unit="fold")
SENTENCES = Counts([2, 1], [0, 1], [0, 1])


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        ([1, 2], [1, 2, 3], {}, "b: expected as many units as a has"),
        ([1, math.nan], [1, 2], {}, r"a\[1\] is nan"),
        ([1, 2], [1, math.inf], {}, r"b\[1\] is inf"),
        ([], [], {}, "at least two units"),
        ([1], [2], {}, "at least two units, got 1"),
        (np.ones((2, 3)), np.ones((2, 3)), {}, r"Counts\(tp, fp, fn\)"),
        ([[1, 2], [1, 2]], [[1, 2], [1, 2]], {}, "expected one run, got 2; use betterthan.compare"),
        ([1, 2], [1, 2], {"metric": "f1"}, "plain numbers; expected labels and a gold column"),
        ([1, 2], [1, 2], {"metric": "f2"}, "metric='f2': expected one of 'mean'"),
        (SENTENCES, SENTENCES, {"metric": "mean"}, "metric='mean'"),
        (FOLDS, FOLDS, {}, "2 folds of a cross-validation; .*bayes.compare"),
        ([1, 2], [2, 1], {"alternative": "better"}, "alternative='better'"),
        ([1, 2], [2, 1], {"n_resamples": 0}, "n_resamples=0"),
        ([1, 2], [2, 1], {"rng": -1}, "rng=-1"),
        ([1, 2], [2, 1], {"rng": None}, "rng=None"),
        ([1, 2], [2, 1], {"names": "AB"}, "names='AB'"),
    ],
)
def test_what_resampling_refuses(test, a, b, options, words):
    with pytest.raises(ValueError, match=words):
        test(a, b, **options)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation, wilcoxon])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1e308, -1e308, 1.0], [-1e308, 1e308, 1.0]),
        ([1e308, 1e308], [1.0, 2.0]),
        ([1.0, 2.0], [3e200, 2.0]),
    ],
)
def test_numbers_that_would_overflow_are_refused(test, a, b):
    with warnings.catch_warnings(), pytest.raises(ValueError, match=r"^[ab]: "):
        warnings.simplefilter("error")
        test(a, b)


def test_other_refusals():
    with pytest.raises(
        ValueError, match=r"a: expected 1 \(right\) or 0 \(wrong\), but a\[1\] is 2"
    ):
        mcnemar([1, 2], [1, 0])
    with pytest.raises(ValueError, match="b: expected as many units as a has"):
        wilcoxon([1, 2], [1])
    with pytest.raises(ValueError, match=r"r_a=1.2"):
        steiger(1.2, 0.5, 0.5, 30)
    with pytest.raises(ValueError, match="no data have these three"):
        steiger(0.9, -0.9, 0.9, 30)
    with pytest.raises(ValueError, match="n=3"):
        steiger(0.5, 0.4, 0.3, 3)


def test_a_p_value_at_its_floor_says_at_most():
    a, b = np.zeros(40), np.ones(40) + np.arange(40) / 100
    drawn = pvalues.randomisation(a, b, n_resamples=99)
    assert drawn.at_floor and "one-sided p ≤ 0.01" in str(drawn)
    assert "two-sided p ≤ 0.01" in str(
        pvalues.randomisation(a, b, n_resamples=99, alternative="two-sided")
    )
    exact = pvalues.randomisation(a[:6], b[:6])
    assert not exact.at_floor and "p = 0.0156" in str(exact)
    assert not pvalues.randomisation(b, a, n_resamples=99).at_floor
