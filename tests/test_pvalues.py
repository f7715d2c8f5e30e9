"""Paired tests: enumeration, scipy and statsmodels as oracles, memory, seeds, refusals."""

from __future__ import annotations

import dataclasses
import itertools
import math
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables

from betterthan import _resampling, pvalues
from betterthan.pvalues import mcnemar, paired_bootstrap, randomisation, steiger, wilcoxon

SIDES = ("greater", "less", "two-sided")


def f1(rows):
    tp, fp, fn = np.asarray(rows).sum(axis=0)
    return 2 * tp / (2 * tp + fp + fn) if tp else 0.0


def spans(seed, n, lead=0.0):
    """Two systems' (tp, fp, fn) on the same n sentences; A is better where lead > 0."""
    rng = np.random.default_rng(seed)
    gold = rng.poisson(2, n)
    tp_b = rng.binomial(gold, 0.6)
    tp_a = np.minimum(gold, tp_b + rng.binomial(1, lead, n)) if lead else rng.binomial(gold, 0.6)
    a = np.column_stack([tp_a, rng.poisson(0.5, n), gold - tp_a])
    b = np.column_stack([tp_b, rng.poisson(0.5, n), gold - tp_b])
    return a, b


def all_swaps(a, b, score):
    """δ of every one of the 2ⁿ swaps, in plain Python."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    deltas = []
    for coins in itertools.product([False, True], repeat=len(a)):
        coins = np.array(coins)
        x, y = a.copy(), b.copy()
        x[coins], y[coins] = b[coins], a[coins]
        deltas.append(score(x) - score(y))
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
        [score(a[list(i)]) - score(b[list(i)]) for i in itertools.product(range(n), repeat=n)]
    )


def close_to(p, exact, resamples):
    """Is a Monte Carlo p-value within five standard errors of the exact one?"""
    return (
        abs(p - exact) <= 5 * math.sqrt(max(exact * (1 - exact), 1e-9) / resamples) + 2 / resamples
    )


# --- the generator -----------------------------------------------------------------------


def test_the_generator_is_xoshiro256plusplus():
    # First words for the state 1, 2, 3, 4, by the authors' C code.
    reference = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    here = _resampling.words(np.array([1, 2, 3, 4], np.uint64), 5)
    assert [int(word) for word in here] == reference


@pytest.mark.parametrize("size", [2, 3, 7, 1000, 10**9 + 7])
def test_an_index_takes_all_64_bits_of_its_word(size):
    for k in {1, size // 2, size - 1}:
        first = -(-k * 2**64 // size)  # the smallest word that gives k
        for word, expected in ((first - 1, k - 1), (first, k)):
            assert _resampling._index(np.uint64(word), np.uint64(size)) == expected


@pytest.mark.parametrize("width", [1, 2, 4])
def test_the_compiled_loop_draws_every_row_equally_often(width):
    n, resamples = 7, 30_000
    columns = np.zeros((n, width))
    columns[:, 0] = 1.0
    columns[3, width - 1] += 10.0
    state = np.random.SeedSequence(1).generate_state(4, np.uint64)
    sums = _resampling.bootstrap_sums(state, columns, resamples)
    drawn = (sums[:, width - 1] - (n if width == 1 else 0)) / 10
    if width > 1:
        assert (sums[:, 0] == n).all()
    # The number of times one row is drawn is Binomial(n, 1/n).
    seen = np.bincount(drawn.astype(int), minlength=n + 1)[: n + 1]
    expected = stats.binom.pmf(np.arange(n + 1), n, 1 / n) * resamples
    seen, expected = (
        np.append(seen[:4], seen[4:].sum()),
        np.append(expected[:4], expected[4:].sum()),
    )
    assert stats.chisquare(seen, expected).pvalue > 1e-4


# --- randomisation -----------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_exact_randomisation_equals_enumeration(side):
    rng = np.random.default_rng(7)
    for turn in range(25):
        n = int(rng.integers(1, 10))
        if turn % 2:
            a, b = rng.integers(0, 3, n), rng.integers(0, 3, n)  # ties, zeros, repeats
        else:
            a, b = rng.normal(size=n), rng.normal(size=n)
        result = randomisation(a, b, alternative=side)
        seen = np.mean(a) - np.mean(b)
        assert "exact" in result.test
        assert result.p_value == pytest.approx(
            share(all_swaps(a, b, np.mean), seen, side), abs=1e-12
        )
        assert result.statistic == pytest.approx(seen)


@pytest.mark.parametrize("side", SIDES)
def test_exact_randomisation_of_f1_equals_enumeration(side):
    for seed in range(6):
        a, b = spans(seed, 9)
        truth = share(all_swaps(a, b, f1), f1(a) - f1(b), side)
        assert randomisation(a, b, "f1", alternative=side).p_value == pytest.approx(
            truth, abs=1e-12
        )
        by_rows = randomisation(a, b, f1, alternative=side)
        assert "exact" in by_rows.test
        assert by_rows.p_value == pytest.approx(truth, abs=1e-12)


def test_exact_randomisation_equals_scipy():
    rng = np.random.default_rng(8)
    a, b = rng.normal(0.5, 1, 11), rng.normal(0, 1, 11)
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples",
        alternative="greater", n_resamples=np.inf,
    )  # fmt: skip
    assert randomisation(a, b).p_value == pytest.approx(theirs.pvalue)


def test_on_right_and_wrong_randomisation_is_mcnemars_exact_test():
    rng = np.random.default_rng(9)
    a, b = rng.random(3000) < 0.81, rng.random(3000) < 0.79
    for side in SIDES:
        here = randomisation(a, b, resamples=10**6, alternative=side)
        assert "exact" in here.test  # 3,000 instances, but only two kinds of them
        assert here.p_value == pytest.approx(mcnemar(a, b, alternative=side).p_value)


@pytest.mark.parametrize("statistic", ["f1", "precision", "recall"])
def test_sampled_randomisation_comes_close_to_the_exact_one(statistic):
    a, b = spans(3, 30)
    exact = randomisation(a, b, statistic, resamples=10**7)
    sampled = [randomisation(a, b, statistic, resamples=9, seed=s) for s in range(300)]
    assert "exact" in exact.test
    assert "9 resamples" in sampled[0].test
    hits = sum(round(10 * result.p_value - 1) for result in sampled)
    assert close_to(hits / 2700, exact.p_value, 2700)


@pytest.mark.parametrize("repeat", [1, 40])
def test_both_ways_of_sampling_swaps_agree_with_the_normal_limit(repeat):
    # repeat = 1: all instances differ (coins); 40: few kinds, many of each (binomial counts).
    rng = np.random.default_rng(10)
    d = np.repeat(rng.normal(0.1, 1, 800 // repeat), repeat)
    result = randomisation(d, np.zeros(d.size), resamples=20_000)
    assert "20,000" in result.test
    z = d.sum() / np.sqrt((d**2).sum())
    assert result.p_value == pytest.approx(stats.norm.sf(z), abs=0.015)


# --- bootstrap ---------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_bootstrap_comes_close_to_all_resamples(side):
    rng = np.random.default_rng(11)
    a, b = rng.normal(0.4, 1, 6), rng.normal(0, 1, 6)
    shifted = all_resamples(a, b, np.mean) - (a.mean() - b.mean())
    truth = share(shifted, a.mean() - b.mean(), side)
    result = paired_bootstrap(a, b, alternative=side, resamples=40_000)
    assert close_to(result.p_value, truth, 40_000)


@pytest.mark.parametrize("repeat", [1, 60])
def test_f1_bootstrap_comes_close_to_all_resamples_by_every_route(repeat):
    a, b = spans(12, 6)
    if repeat == 1:
        shifted = all_resamples(a, b, f1) - (f1(a) - f1(b))
        truth = share(shifted, f1(a) - f1(b), "greater")
    else:
        # Many copies of few rows: drawn as multinomial counts; a loop is the oracle.
        a, b = np.repeat(a, repeat, axis=0), np.repeat(b, repeat, axis=0)
        rng = np.random.default_rng(13)
        rows = rng.integers(0, len(a), (8000, len(a)))
        shifted = np.array([f1(a[i]) - f1(b[i]) for i in rows]) - (f1(a) - f1(b))
        truth = share(shifted, f1(a) - f1(b), "greater")
    by_name = paired_bootstrap(a, b, "f1", resamples=20_000)
    by_sums = paired_bootstrap(a, b, f1_of_sums, resamples=20_000, sums=True)
    by_rows = paired_bootstrap(a, b, f1, resamples=4_000)
    for result, resamples in ((by_name, 8000), (by_sums, 8000), (by_rows, 4000)):
        assert close_to(result.p_value, truth, resamples / 2), result
        assert result.difference == pytest.approx(f1(a) - f1(b))


def f1_of_sums(sums):
    tp, fp, fn = np.moveaxis(sums, -1, 0)
    return 2 * tp / (2 * tp + fp + fn)


def test_bootstrap_counts_as_berg_kirkpatrick_does():
    """p = (1 + #{δ* − δ ≥ δ})/(R + 1): with every difference the same, δ* − δ is always 0."""
    same = paired_bootstrap([2.0, 3.0, 4.0], [1.0, 2.0, 3.0], resamples=99)
    assert same.p_value == 1 / 100
    assert paired_bootstrap([1.0, 2.0], [2.0, 3.0], resamples=99).p_value == 1.0
    assert paired_bootstrap([1.0, 2.0], [1.0, 2.0], resamples=99).p_value == 1.0
    assert paired_bootstrap([2.0, 3.0], [1.0, 2.0], resamples=99, alternative="less").p_value == 1.0


def test_bootstrap_and_randomisation_agree_on_a_large_sample():
    rng = np.random.default_rng(14)
    b = rng.random(3000)
    a = b + rng.normal(0.003, 0.1, 3000)
    z = (a - b).mean() / (a - b).std() * math.sqrt(3000)
    for test in (paired_bootstrap, randomisation):
        assert test(a, b, resamples=20_000).p_value == pytest.approx(stats.norm.sf(z), abs=0.01)


def test_an_unpaired_test_would_not_see_this():
    rng = np.random.default_rng(15)
    b = rng.normal(0, 10, 400)
    a = b + rng.normal(0.3, 1, 400)
    assert paired_bootstrap(a, b).p_value < 1e-3
    assert stats.ttest_ind(a, b, alternative="greater").pvalue > 0.2


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_p_values_are_uniform_or_larger_when_nothing_is_going_on(test):
    rng = np.random.default_rng(16)
    p = [
        test(rng.normal(size=40), rng.normal(size=40), resamples=199, seed=s).p_value
        for s in range(400)
    ]
    for level in (0.05, 0.1, 0.5):
        below = int(np.sum(np.array(p) <= level))
        # The bootstrap is a little liberal at n = 40; a wrong tail or shift would be far off.
        assert stats.binomtest(below, 400, level * 1.15, alternative="greater").pvalue > 1e-3
        assert stats.binomtest(below, 400, level * 0.8, alternative="less").pvalue > 1e-3


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_the_mirror_image_has_the_mirror_p_value(test):
    a, b = spans(17, 300, lead=0.05)
    assert test(a, b, "f1").p_value == pytest.approx(
        test(b, a, "f1", alternative="less").p_value, abs=0.02
    )
    assert test(a, b, "f1").p_value < 0.2 < test(b, a, "f1").p_value


# --- seeds, workers, memory --------------------------------------------------------------


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_the_number_of_workers_changes_nothing(test, monkeypatch):
    monkeypatch.setattr(pvalues, "_CHUNK", 20_000)  # several chunks
    a, b = spans(18, 500)
    noise = np.random.default_rng(19).normal(size=(2, 500))
    for x, y, statistic in ((a, b, "f1"), (*noise, "mean")):
        one = test(x, y, statistic, resamples=700, n_jobs=1)
        assert test(x, y, statistic, resamples=700, n_jobs=2) == one
        assert test(x, y, statistic, resamples=700, seed=1) != one
    rows = test(*noise, np.median, resamples=60, n_jobs=1)
    assert test(*noise, np.median, resamples=60, n_jobs=2) == rows


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_every_chunk_draws_anew(test, monkeypatch):
    monkeypatch.setattr(pvalues, "_CHUNK", 1)  # a chunk holds one resample
    noise = np.random.default_rng(21).normal(size=(2, 60))
    close = stats.ttest_rel(*noise, alternative="greater").pvalue
    assert 0.2 < close < 0.8
    for statistic in ("mean", np.mean):
        here = test(*noise, statistic, resamples=300).p_value
        assert here == pytest.approx(close, abs=0.12)  # 1/301 or 1 if all were the same draw


def test_a_seed_sequence_is_left_as_it_was():
    seed = np.random.SeedSequence(5)
    noise = np.random.default_rng(20).normal(size=(2, 300))
    assert paired_bootstrap(*noise, seed=seed) == paired_bootstrap(*noise, seed=seed)
    assert seed.n_children_spawned == 0


@pytest.mark.slow
@pytest.mark.parametrize("test", ["paired_bootstrap", "randomisation"])
def test_a_hundred_thousand_resamples_of_ten_thousand_fit_in_a_gibibyte(test):
    program = (
        "import numpy as np\n"
        "from tests.benchmarks.run import own_peak\n"
        f"from betterthan.pvalues import {test}\n"
        "rng = np.random.default_rng(0); b = rng.random(10_000)\n"
        "a = b + rng.normal(.001, .1, 10_000)\n"
        f"r = {test}(a, b, resamples=100_000)\n"
        "assert 0.05 < r.p_value < 0.95\n"
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
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_equals_scipy(side, zeros):
    rng = np.random.default_rng(21)
    for n in (8, 30, 300):
        a, b = rng.integers(0, 9, n), rng.integers(0, 8, n)
        theirs = stats.wilcoxon(a - b, zero_method=zeros, alternative=side)
        here = wilcoxon(a, b, alternative=side, zeros=zeros)
        assert (here.p_value, here.statistic) == pytest.approx((theirs.pvalue, theirs.statistic))


def test_wilcoxon_takes_equal_differences_for_ties_in_spite_of_rounding():
    a, b = np.array([0.3, 0.4, 0.9, 0.1]), np.array([0.1, 0.2, 0.7, 0.3])
    whole = wilcoxon([3, 4, 9, 1], [1, 2, 7, 3])
    assert wilcoxon(a, b).statistic == whole.statistic
    assert wilcoxon([0.5, 0.5], [0.5, 0.5]).p_value == 1.0


@pytest.mark.parametrize(("only_a", "only_b"), [(10, 3), (3, 10), (5, 5), (0, 4), (121, 59)])
def test_mcnemar_equals_statsmodels_and_the_binomial(only_a, only_b):
    a = [1] * only_a + [0] * only_b + [1] * 30
    b = [0] * only_a + [1] * only_b + [1] * 30
    table = [[30, only_a], [only_b, 0]]
    exact = contingency_tables.mcnemar(table, exact=True)
    assert mcnemar(a, b, alternative="two-sided").p_value == pytest.approx(exact.pvalue)
    flips = only_a + only_b
    assert mcnemar(a, b).p_value == pytest.approx(stats.binom.sf(only_a - 1, flips, 0.5))
    less = mcnemar(a, b, alternative="less").p_value
    assert less == pytest.approx(stats.binom.cdf(only_a, flips, 0.5))
    for correction in (False, True):
        here = mcnemar(a, b, exact=False, correction=correction, alternative="two-sided")
        if only_a == only_b:
            assert here.p_value == 1.0
            continue
        there = contingency_tables.mcnemar(table, exact=False, correction=correction)
        assert (here.p_value, here.statistic) == pytest.approx((there.pvalue, there.statistic))
        ahead = "greater" if only_a > only_b else "less"
        half = mcnemar(a, b, exact=False, correction=correction, alternative=ahead)
        assert half.p_value == pytest.approx(there.pvalue / 2)


def test_mcnemar_without_disagreement():
    for exact in (True, False):
        for side in SIDES:
            assert mcnemar([1, 0, 1], [1, 0, 1], exact=exact, alternative=side).p_value == 1.0


def test_steiger_on_published_numbers():
    """Steiger's case A (1980): n = 103, r12 = .4, r13 = .5, r23 = .1; t = -.89, p = .37."""
    t = steiger(0.4, 0.5, 0.1, 103, method="t", alternative="two-sided")
    assert t.statistic == pytest.approx(-0.89, abs=0.005)
    assert t.p_value == pytest.approx(0.37, abs=0.006)
    z = steiger(0.4, 0.5, 0.1, 103, alternative="two-sided")
    assert z.statistic == pytest.approx(-0.89, abs=0.005)


@pytest.mark.parametrize("method", ["z", "t"])
def test_steigers_p_values_are_uniform_under_the_null(method):
    rng = np.random.default_rng(22)
    covariance = [[1, 0.5, 0.5], [0.5, 1, 0.7], [0.5, 0.7, 1]]
    p = []
    for _ in range(1500):
        r = np.corrcoef(rng.multivariate_normal([0, 0, 0], covariance, 60).T)
        p.append(steiger(r[0, 1], r[0, 2], r[1, 2], 60, method=method).p_value)
    assert stats.kstest(p, "uniform").pvalue > 1e-3


@settings(max_examples=60, deadline=None)
@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(0.0, 0.25), st.integers(10, 500))
def test_steigers_sides_fit_together(r_a, r_b, r_ab, n):
    greater = steiger(r_a, r_b, r_ab, n).p_value
    less = steiger(r_a, r_b, r_ab, n, alternative="less").p_value
    both = steiger(r_a, r_b, r_ab, n, alternative="two-sided").p_value
    assert greater + less == pytest.approx(1)
    assert both == pytest.approx(2 * min(greater, less))
    assert steiger(r_b, r_a, r_ab, n).p_value == pytest.approx(less)


# --- results in words --------------------------------------------------------------------


def test_results_are_frozen_and_name_the_winner():
    ahead = mcnemar([1] * 9 + [0], [0] * 9 + [1])
    assert str(ahead).startswith(
        "A scores higher than B by 0.8; evidence that A is better: p = 0.0107"
    )
    behind = mcnemar([0] * 9 + [1], [1] * 9 + [0])
    assert str(behind).startswith(
        "B scores higher than A by 0.8; evidence that A is better: p = 0.999"
    )
    assert "evidence that B is better" in str(mcnemar([0, 1], [1, 1], alternative="less"))
    assert "A and B score the same" in str(randomisation([1, 2], [2, 1]))
    assert "that A and B differ" in str(randomisation([1, 2], [2, 1], alternative="two-sided"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        ahead.p_value = 0


def test_counts_with_names_are_taken_too():
    class Spans(NamedTuple):
        tp: np.ndarray
        fp: np.ndarray
        fn: np.ndarray

    a, b = spans(23, 50)
    assert randomisation(Spans(*a.T), Spans(*b.T), "f1") == randomisation(a, b, "f1")


def test_a_score_of_nothing_over_nothing_is_zero():
    a, b = np.array([[0, 0, 3], [0, 0, 2]]), np.array([[0, 0, 3], [1, 0, 1]])
    result = paired_bootstrap(a, b, "precision", resamples=99)
    assert result.difference == -1.0


def test_inputs_are_left_alone():
    a, b = spans(24, 30)
    before = a.copy(), b.copy()
    for test in (paired_bootstrap, randomisation):
        test(a, b, "f1", resamples=50)
        test(a, b, f1, resamples=20)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        ([1, 2], [1, 2, 3], {}, "same length, but a has 2, b has 3"),
        ([1, math.nan], [1, 2], {}, r"a\[1\] is NaN"),
        ([1, 2], [1, math.inf], {}, "b: expected finite"),
        ([], [], {}, "at least 1 value"),
        ([[1, 2]], [[1, 2]], {}, "one dimension"),
        ([[1, 2]] * 2, [[1, 2]] * 2, {"statistic": "f1"}, "columns tp, fp, fn"),
        ([[1, 2, -1]] * 2, [[1, 2, 0]] * 2, {"statistic": "f1"}, "at least 0, got -1"),
        ([1, 2], [1, 2], {"statistic": "f2"}, "statistic='f2': expected one of 'mean'"),
        ([1, 2], [2, 1], {"alternative": "better"}, "alternative='better'"),
        ([1, 2], [2, 1], {"resamples": 0}, "resamples=0"),
        ([[1, 2]] * 2, [1, 2], {"statistic": np.mean}, "rows like those of a"),
        ([1, 2], [2, 1], {"statistic": lambda rows: math.nan}, "statistic"),
        ([1, 2], [2, 1], {"statistic": lambda s: s, "sums": True}, "one score for each row"),
    ],
)
def test_what_resampling_refuses(test, a, b, options, words):
    with pytest.raises(ValueError, match=words):
        test(a, b, **options)


def test_other_refusals():
    with pytest.raises(ValueError, match="at least 2 instance"):
        paired_bootstrap([1], [2])
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="seed=-1"):
        paired_bootstrap(rng.random(50), rng.random(50), seed=-1)
    with pytest.raises(
        ValueError, match=r"a: expected 1 \(right\) or 0 \(wrong\), but a\[1\] is 2"
    ):
        mcnemar([1, 2], [1, 0])
    with pytest.raises(ValueError, match="same length"):
        wilcoxon([1, 2], [1])
    with pytest.raises(ValueError, match="zeros='drop'"):
        wilcoxon([1, 2], [2, 1], zeros="drop")
    with pytest.raises(ValueError, match=r"r_a=1.2"):
        steiger(1.2, 0.5, 0.5, 30)
    with pytest.raises(ValueError, match="no data have these three"):
        steiger(0.9, -0.9, 0.9, 30)
    with pytest.raises(ValueError, match="n=3"):
        steiger(0.5, 0.4, 0.3, 3)
