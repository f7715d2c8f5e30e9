"""The front doors: score, compare, compare_many and plan."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import betterthan
from betterthan import Results, compare, compare_each, compare_folds, compare_many, plan, score
from betterthan._together import together
from betterthan.counts import Counts, count_classes


def two_systems(n=60, seed=0, gain=0.3):
    """Counts of two systems on the same sentences; B finds a little more."""
    rng = np.random.default_rng(seed)
    gold, hard = rng.poisson(2.0, n), rng.normal(0, 1, n)
    found = []
    for plus in (0.0, gain):
        tp = rng.binomial(gold, 1 / (1 + np.exp(-(1.0 + plus + hard))))
        found.append(Counts(tp, rng.poisson(0.4, n), gold - tp))
    return found


def swap(a: Counts, b: Counts, which: np.ndarray) -> tuple[Counts, Counts]:
    """A and B with their results exchanged on some units."""
    parts = [
        (
            np.where(which, getattr(b, f), getattr(a, f)),
            np.where(which, getattr(a, f), getattr(b, f)),
        )
        for f in ("tp", "fp", "fn")
    ]
    return Counts(*(first for first, _ in parts)), Counts(*(second for _, second in parts))


class TestScore:
    def test_a_mean_is_the_t_interval_of_the_textbook(self):
        x = np.random.default_rng(1).normal(20, 5, 40)
        result = score(x)
        low, high = stats.t.interval(0.95, 39, x.mean(), stats.sem(x))
        assert result.value == pytest.approx(x.mean())
        assert result.interval == pytest.approx((low, high))
        assert result.interval.low == result.interval[0]
        assert (result.n_units, result.n_groups, result.n_runs) == (40, 40, 1)

    def test_a_share_is_the_t_interval_in_log_odds(self):
        x = np.repeat([0, 1], [20, 80])
        p, se = 0.8, stats.sem(x)
        half = stats.t.ppf(0.975, 99) * se / (p * (1 - p))
        low, high = (1 / (1 + math.exp(-(math.log(4) + s * half))) for s in (-1, 1))
        assert score(x).interval == pytest.approx((low, high))
        assert score(x.astype(bool)).interval == score(x).interval

    def test_f1_against_a_jackknife_by_hand(self):
        a, _ = two_systems(12)
        groups = np.arange(12) // 3
        result = score(a, groups=groups)
        left_out = np.array([a[groups != g].f1 for g in range(4)])
        se = math.sqrt(3 / 4 * ((left_out - left_out.mean()) ** 2).sum())
        weight = np.bincount(groups, 2 * a.tp + a.fp + a.fn)
        effective = weight.sum() ** 2 / (weight**2).sum()
        assert result.standard_error == pytest.approx(se)
        assert result.n_effective == pytest.approx(effective)
        assert result.degrees_of_freedom == pytest.approx(effective - 1)
        half = stats.t.ppf(0.975, effective - 1) * se / (a.f1 * (1 - a.f1))
        centre = math.log(a.f1 / (1 - a.f1))
        expected = [1 / (1 + math.exp(-(centre + s * half))) for s in (-1, 1)]
        assert result.interval == pytest.approx(expected)
        assert result.value == pytest.approx(a.f1)

    @pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
    def test_the_value_is_that_of_the_counts(self, metric):
        a, _ = two_systems()
        assert score(a, metric).value == pytest.approx(getattr(a, metric))

    def test_macro_f1_is_the_mean_over_classes(self):
        rng = np.random.default_rng(3)
        gold = rng.choice(list("xyz"), 200, p=[0.7, 0.2, 0.1])
        guess = np.where(rng.random(200) < 0.7, gold, rng.choice(list("xyz"), 200))
        counts = count_classes(gold, guess)
        from sklearn.metrics import f1_score

        expected = f1_score(gold, guess, average="macro")
        assert score(counts, "macro_f1").value == pytest.approx(expected)
        assert score(counts).value == pytest.approx((gold == guess).mean())

    def test_the_groups_of_the_counts_are_used(self):
        a, _ = two_systems(30)
        labels = np.arange(30) // 5
        grouped = Counts(a.tp, a.fp, a.fn, groups=labels)
        assert score(grouped) == score(a, groups=labels)
        assert score(grouped).n_groups == 6

    def test_all_right_is_clopper_and_pearson(self):
        low = stats.binomtest(30, 30).proportion_ci(method="exact").low
        assert score([1] * 30).interval == pytest.approx((low, 1.0))
        assert score([0] * 30).interval == pytest.approx((0.0, 1 - low))
        even = np.arange(30) // 5
        low = stats.binomtest(6, 6).proportion_ci(method="exact").low
        assert score([1] * 30, groups=even).interval == pytest.approx((low, 1.0))
        assert "Clopper" in str(score([1] * 30))

    def test_the_same_value_everywhere_has_no_interval(self):
        result = score([3.5] * 30)
        assert math.isnan(result.interval.low)
        assert "no spread" in str(result)

    def test_the_same_difference_everywhere_has_no_interval(self):
        result = compare([0.25, 0.5, 0.75] * 10, [0.5, 0.75, 1.0] * 10)
        assert math.isnan(result.interval.low)
        assert "no spread" in str(result)

    def test_runs_widen_the_interval(self):
        rng = np.random.default_rng(5)
        hard = rng.random(300)
        runs = [(hard + shift < 0.7).astype(float) for shift in (-0.1, 0.0, 0.1)]
        result = score(runs)
        assert result.n_runs == 3
        assert result.value == pytest.approx(np.mean(runs))
        v_runs = np.var([np.mean(run) for run in runs], ddof=1) / 3
        assert result.standard_error >= math.sqrt(v_runs)
        assert result.standard_error > score(runs[1]).standard_error
        assert "mean of 3 runs" in str(result)

    def test_runs_by_the_formula(self):
        rng = np.random.default_rng(6)
        runs = rng.random((4, 25)) + rng.random(25)
        result = score(list(runs))
        n, r = 25, 4
        left_out = (runs.sum(axis=1, keepdims=True) - runs) / (n - 1)
        d = (left_out - left_out.mean(axis=1, keepdims=True)).T
        c = (n - 1) / n * d.T @ d
        items, own = c.mean(), np.trace(c) / r
        apart = (c.sum() - np.trace(c)) / (r * (r - 1))
        between = np.var(runs.mean(axis=1), ddof=1) / r
        total = max(items + between - (own - apart) / r, items, between)
        assert result.standard_error == pytest.approx(math.sqrt(total))
        degrees = total**2 / (items**2 / (n - 1) + between**2 / (r - 1))
        assert result.degrees_of_freedom == pytest.approx(degrees)

    def test_a_callable_takes_column_sums(self):
        a, _ = two_systems()
        table = np.column_stack([a.tp, a.fp, a.fn])

        def many(sums):
            return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])

        def one(sums):
            tp, fp, fn = sums
            return float(2 * tp / (2 * tp + fp + fn))

        expected = score(a)
        for metric in (many, one):
            for x in (table, a, table.tolist()):
                result = score(x, metric)
                assert result.value == pytest.approx(a.f1)
                assert result.standard_error == pytest.approx(expected.standard_error)

    def test_table_and_plot(self):
        result = score(two_systems()[0])
        row = result.table().iloc[0]
        assert (row["value"], row["low"]) == (result.value, result.interval.low)
        assert "95 % interval" in result.plot().get_xlabel()

    def test_a_few_groups_worth_hardly_more_than_one_are_named(self):
        assert "few" not in str(score(np.arange(20) % 3 == 0))
        uneven = np.repeat(np.arange(30), [400, *[1] * 29])
        assert "so uneven" in str(score(np.arange(len(uneven)) % 3 == 0, groups=uneven))


class TestCompare:
    def test_a_is_the_baseline(self):
        a, b = two_systems(300)
        result = compare(a, b, names=("old", "new"))
        assert result.difference == pytest.approx(b.f1 - a.f1)
        assert (result.value_a, result.value_b) == pytest.approx((a.f1, b.f1))
        assert result.difference > 0
        assert result.p_better > 0.5
        turned = compare(b, a)
        assert turned.difference == -result.difference
        assert turned.p_better == pytest.approx(1 - result.p_better, abs=0.02)

    def test_few_groups_are_enumerated_like_the_sign_flip_test(self):
        rng = np.random.default_rng(2)
        for n in (6, 9, 12):
            a, b = rng.normal(size=(2, n))
            b += 0.6
            exact = stats.permutation_test(
                (b - a,), np.mean, permutation_type="samples", n_resamples=np.inf
            )
            assert compare(a, b).pvalue == pytest.approx(exact.pvalue)

    def test_halves_against_all_subsets_by_hand(self):
        a, b = two_systems(10, 3)
        result = compare(a, b)
        values = []
        for size in range(1, 11):
            for rows in itertools.combinations(range(10), size):
                half = list(rows)
                if a[half].tp.sum() + a[half].fp.sum() + a[half].fn.sum():
                    values.append(b[half].f1 - a[half].f1)
        values = np.sort([v for v in values if math.isfinite(v)])
        out = int(0.025 * (len(values) + 1))
        assert result.interval == pytest.approx((values[out - 1], values[-out]))
        share = ((values > 0).sum() + (np.sum(values == 0) + 1) / 2) / (len(values) + 1)
        assert result.p_better == pytest.approx(share)

    @settings(max_examples=60, deadline=None)
    @given(st.integers(0, 10_000), st.integers(6, 40), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
    def test_interval_and_pvalue_never_contradict(self, seed, n, level):
        a, b = two_systems(n + 2, seed, 0.5)
        result = compare(a, b, confidence_level=level, n_resamples=999)
        assert (result.pvalue <= 1 - level + 1e-12) == (
            not result.interval.low <= 0 <= result.interval.high
        )
        assert (result.p_better > 0.5) == (result._distribution.below(0) < 0.5)
        if result.interval.low > 0:
            assert result.p_better > (1 + level) / 2 - 1e-9
            assert "B is better than A" in str(result)
        elif result.interval.high >= 0:
            assert "is open" in str(result) or "nothing tells" in str(result)

    def test_many_items_take_students_t(self):
        rng = np.random.default_rng(4)
        a, b = rng.normal(size=(2, 1001))
        b += a + 0.1
        expected = stats.ttest_rel(b, a)
        result = compare(a, b)
        assert result.pvalue == pytest.approx(expected.pvalue)
        low, high = expected.confidence_interval()
        assert result.interval == pytest.approx((low, high))
        fewer = compare(a[:1000], b[:1000])
        assert "half-samples" in fewer.method
        assert fewer.pvalue == pytest.approx(stats.ttest_rel(b[:1000], a[:1000]).pvalue, abs=0.02)

    def test_groups_are_resampled_whole(self):
        rng = np.random.default_rng(7)
        groups = np.repeat(np.arange(12), 40)
        shift = rng.normal(0, 1, 12)[groups]
        a = rng.normal(size=480)
        b = a + shift + rng.normal(0, 0.1, 480)
        alone, together = compare(a, b), compare(a, b, groups=groups)
        width = [r.interval.high - r.interval.low for r in (alone, together)]
        assert width[1] > 3 * width[0]
        assert together.n_groups == 12
        assert "480 items in 12 groups" in str(together)
        # Equal groups are as many items, one mean each.
        means = [np.bincount(groups, x) / 40 for x in (a, b)]
        assert together.interval == pytest.approx(compare(*means).interval)

    def test_lower_is_better_turns_words_and_probability_only(self):
        a, b = np.random.default_rng(8).random((2, 50))
        up, down = compare(a, b), compare(a, b, higher_is_better=False)
        assert down.difference == up.difference
        assert down.interval == up.interval
        assert down.p_better == pytest.approx(1 - up.p_better)
        slower = compare(a, a + 0.5 + 0.1 * b, higher_is_better=False, names=("old", "new"))
        assert "old is better than new" in str(slower)
        assert "lower is better" in str(slower)

    def test_margin(self):
        rng = np.random.default_rng(9)
        a = rng.random(400)
        b = a + rng.normal(0, 0.01, 400)
        result = compare(a, b, margin=0.01, names=("old", "new"))
        assert result.p_within > 0.99
        assert "no difference of more than 0.01" in str(result)
        values = result._distribution.values
        assert result.p_within == pytest.approx((np.abs(values) <= 0.01).mean(), abs=1e-3)
        wide = compare(a, b + 0.5, margin=0.01)
        assert wide.p_within == pytest.approx(0, abs=1e-3)
        assert "B is better than A" in str(wide)

    def test_identical_systems(self):
        a, _ = two_systems()
        for x in (a, np.arange(50) % 2, [np.arange(50.0)] * 2):
            result = compare(x, x)
            assert (result.difference, result.pvalue, result.p_better) == (0.0, 1.0, 0.5)
            assert "nothing tells the two apart" in str(result)
            assert ("no 95 % interval" in str(result)) == isinstance(x, list)

    def test_the_same_difference_everywhere_is_not_certainty(self):
        few = compare([1, 2, 3], [2, 3, 4])
        assert few.pvalue == pytest.approx(2 / 2**3)
        assert math.isnan(few.interval.low)
        many = compare(np.arange(2000), np.arange(2000) + 1)
        assert 0 < many.pvalue < 0.001
        assert "B is better than A" in str(many)
        assert "is open" in str(few)
        assert math.isnan(many.interval.high)
        assert "no 95 % interval" in str(many)

    def test_under_six_groups_t_is_used_and_said(self):
        a, b = two_systems(100)
        five = compare(a, b, groups=np.arange(100) % 5)
        assert "t with" in five.method
        assert "For half-samples 5 groups are too few" in str(five)
        assert "half-samples" in compare(a, b, groups=np.arange(100) % 6).method

    def test_items_on_which_the_two_agree_do_not_make_a_few_others_certain(self):
        a = np.zeros(5000)
        a[::3] = 0.5  # not 1, which would be right or wrong
        b = a.copy()
        b[[0, 3, 6, 9]] = 0
        four = compare(b, a)
        assert four.pvalue == pytest.approx(2 / 2**4, rel=0.1)
        assert four.interval.low <= 0 < four.interval.high
        assert "differ on only 4 of the items" in str(four)
        b[[12, 15, 18, 21]] = 0
        eight = compare(b, a)
        assert eight.degrees_of_freedom == 7
        assert eight.pvalue < 0.05
        assert compare(b[:200], a[:200]).pvalue == pytest.approx(2 / 2**8, rel=0.4)

    @pytest.mark.parametrize(("wins", "losses"), [(4, 0), (3, 1), (2, 0), (5, 0), (6, 0), (9, 2)])
    def test_few_that_differ_have_the_sign_flip_pvalue(self, wins, losses):
        d = np.zeros(12)
        d[:wins], d[wins : wins + losses] = 0.5, -0.5
        exact = min(1.0, 2 * stats.binom.cdf(losses, wins + losses, 0.5))
        result = compare(np.where(d < 0, 0.5, 0.0), np.where(d > 0, 0.5, 0.0))
        assert result.pvalue == pytest.approx(exact, abs=1e-9)
        inside = result.interval.low <= 0 <= result.interval.high
        assert inside == (result.pvalue > 0.05)

    def test_runs_of_both_systems(self):
        rng = np.random.default_rng(10)
        hard = rng.random(200)
        old = [(hard + rng.normal(0, 0.2, 200) < 0.6) for _ in range(3)]
        new = [(hard + rng.normal(0, 0.2, 200) < 0.65) for _ in range(4)]
        result = compare(old, new)
        assert result.n_runs == (3, 4)
        assert result.difference == pytest.approx(np.mean(new) - np.mean(old))
        assert "3 and 4 runs" in str(result)
        one = compare(old[0], new)
        assert "single run" in str(one)
        luck = np.var([np.mean(run) for run in new], ddof=1)
        assert one.standard_error**2 >= luck + luck / 4
        assert "Two runs" in str(compare(old[:2], new))
        low, high = result.interval
        assert (result.pvalue < 0.05) == (low > 0 or high < 0)

    def test_runs_that_disagree_widen_the_interval(self):
        rng = np.random.default_rng(11)
        hard = rng.random(2000)
        steady = [(hard < 0.6 + 0.001 * k).astype(float) for k in range(4)]
        wild = [(hard < 0.6 + 0.05 * k).astype(float) for k in (-1, 0, 1, 2)]
        base = (hard < 0.58).astype(float)
        assert compare(base, wild).standard_error > 3 * compare(base, steady).standard_error

    def test_ids_are_matched(self):
        a = pd.Series([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], index=list("uvwxyz"))
        b = pd.Series([0.0, 0.0, 1.0, 1.0, 0.0, 0.0], index=list("uvwxyz"))
        shuffled = b.sample(frac=1, random_state=1)
        assert compare(a, shuffled) == compare(a, b)
        labels = pd.Series(list("aabbcc"), index=list("uvwxyz"))
        assert compare(a, shuffled, groups=labels) == compare(a, b, groups=list("aabbcc"))
        with pytest.raises(ValueError, match=r"b: 1 item is .* 'q'.*unmatched='drop'"):
            compare(a, pd.concat([b, pd.Series({"q": 1.0})]))
        more = compare(a, pd.concat([b, pd.Series({"q": 1.0})]), unmatched="drop")
        assert more.n_units == 6
        assert "1 item without a match" in str(more)
        assert compare(a.iloc[:5], shuffled, groups=labels, unmatched="drop").n_groups == 3
        with pytest.raises(ValueError, match="'u' comes again"):
            compare(a, pd.Series([1.0] * 6, index=list("uuwxyz")))

    def test_numbers_are_ids_too(self):
        a, b = pd.Series([1.0, 0, 1, 1, 0, 1, 0]), pd.Series([0.0, 0, 1, 1, 1, 1, 0])
        assert compare(a, b) == compare(a.to_numpy(), b.to_numpy())
        assert compare(a, b.sample(frac=1, random_state=2)) == compare(a, b)
        with pytest.raises(ValueError, match="not in all systems"):
            compare(a.iloc[:5], b.iloc[2:])
        with pytest.raises(ValueError, match="not in all systems, such as 0, 1, 2"):
            compare(a, b.set_axis(range(100, 107)))
        labels = pd.Series(list("aabbccc"))
        turned = labels.sample(frac=1, random_state=3)
        assert compare(a, b, groups=turned) == compare(a, b, groups=list("aabbccc"))

    def test_the_index_says_what_the_items_are(self):
        a = pd.Series([1.0, 0, 1, 1, 0, 1, 0], index=pd.Index(range(7), name="query"))
        assert "7 queries" in str(score(a))
        assert "7 items" in str(score(a.rename_axis("id")))

    def test_unaligned_results_are_warned_of(self):
        rng = np.random.default_rng(12)
        hard = rng.random(400)
        a, b = hard + rng.normal(0, 0.3, 400) < 0.5, hard + rng.normal(0, 0.3, 400) < 0.5
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compare(a, b)
        with pytest.warns(UserWarning, match="old and new are hardly related to each other"):
            result = compare(a, rng.permutation(b), names=("old", "new"))
        assert "same items in the same order?" in str(result)

    def test_skewed_differences_are_warned_of(self):
        rng = np.random.default_rng(13)
        flat, tail = rng.normal(size=60), rng.lognormal(0, 1.2, 60)
        for call in (lambda d: compare(np.zeros(60), d), score):
            assert "very skewed: such" in str(call(tail))
            assert "skewed" not in str(call(flat))
        data = together([Results(tail)])
        assert data.student(data.systems, [1]).skew == pytest.approx(
            abs(stats.skew(tail)) / math.sqrt(60)
        )

    def test_the_seed_decides(self):
        a, b = two_systems(100)
        assert compare(a, b) == compare(a, b)
        assert compare(a, b).interval == compare(a, b, rng=np.random.default_rng(0)).interval
        assert compare(a, b).interval != compare(a, b, rng=1).interval

    def test_table_and_plot(self):
        a, b = two_systems(100)
        result = compare(a, b, names=("old", "new"), margin=0.01)
        row = result.table().iloc[0]
        assert row["new"] - row["old"] == pytest.approx(row["difference"])
        ax = result.plot()
        assert "new minus old" in ax.get_xlabel()
        # The bars are the distribution: their middle is the difference, those ahead are coloured.
        bars = [bar for bar in ax.containers[0] if bar.get_height() > 0]
        middles = np.array([bar.get_x() + bar.get_width() / 2 for bar in bars])
        heights = np.array([bar.get_height() for bar in bars])
        assert middles @ heights / heights.sum() == pytest.approx(result.difference, abs=0.005)
        ahead = np.array([bar.get_facecolor() != bars[0].get_facecolor() for bar in bars])
        assert heights[ahead].sum() == pytest.approx(result.p_better, abs=0.05)
        compare(a, a).plot()


FOLDS = Counts([9] * 6, [1] * 6, [2] * 6, unit="fold")
THREE = [Results([0, 1, 1], name=name) for name in ("old", "new", "large")]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: score(FOLDS), r"x: .*6 folds of a cross-validation; bcv.posterior scores folds"),
        (lambda: compare(FOLDS, FOLDS), r"a: .*bayes.compare compares them"),
        (lambda: score(pd.DataFrame({"tp": [1], "fp": [1], "fn": [1]})), "make it Counts"),
        (lambda: score(pd.Series([0.01, 0.2], name="pvalue")), "replicability.analyse"),
        (lambda: score([compare([0, 1, 1], [1, 1, 0])] * 2), "replicability.analyse"),
        (lambda: score(["1", "0"]), r"x: expected numbers, got \['1', '0'\]"),
        (lambda: score("abc"), "betterthan.read reads files"),
        (lambda: score((two_systems()[0],) * 2), "runs are a list"),
        (lambda: score(None), "x: expected"),
        (lambda: score([]), "x: expected at least two units"),
        (lambda: score([1.0]), "x: expected at least two units, got 1"),
        (lambda: score([1.0, float("nan")]), r"x\[1\] is nan"),
        (lambda: score([1.0, float("inf")]), r"x\[1\] is inf"),
        (lambda: score(np.ones((4, 3))), r"got shape \(4, 3\); counts are Counts"),
        (lambda: score([0, 1, 1], "f1"), "metric='f1': x holds plain numbers; expected labels"),
        (lambda: score([0, 1, 0.5], "accuracy"), "1 for right, 0 for wrong; got 0.5"),
        (lambda: score(two_systems()[0], "accuracy"), "needs one label per item"),
        (lambda: score(two_systems()[0], "mean"), "metric='mean': expected one of 'f1'"),
        (lambda: score(two_systems()[0], "macro_f1"), "counts per class"),
        (lambda: score([0, 1, 1], confidence_level=95), "confidence_level=95"),
        (lambda: score([0, 1, 1], groups=[1, 1, 1]), "at least two groups, got one"),
        (lambda: score([0, 1, 1], groups=[1, 2]), r"one label per unit \(3\)"),
        (lambda: score([0, 1, 1], groups=[1, None, 2]), r"groups\[1\] is"),
        (lambda: score([0, 1, 1], groups="repository"), "one label per unit"),
        (lambda: score([0, 1, 1], lambda s: s), "metric: expected one number"),
        (lambda: score(Counts([0, 0], [0, 0], [0, 0])), "nothing to divide by"),
        (lambda: compare([0, 1, 1], [0, 1]), r"b: expected as many units as a has \(3\), got 2"),
        (lambda: compare(Counts([1, 0], [0, 0], [0, 1]), Counts([1, 0], [0, 0], [1, 0])), "unit 0"),
        (lambda: compare([[0, 1], [0, 1, 1]], [0, 1]), "as many units"),
        (lambda: compare([0, 1, 1], [1, 1, 0], names=("A", "A")), "two different names"),
        (lambda: compare([0, 1, 1], [1, 1, 0], margin=-1), "margin=-1"),
        (lambda: compare([0, 1, 1], [1, 1, 0], rng=-1), "rng=-1"),
        (lambda: compare([0, 1, 1], [1, 1, 0], n_resamples=10), "n_resamples=10"),
        (lambda: compare([0, 1, 1], [1, 1, 0], higher_is_better="no"), "expected True or False"),
        (lambda: compare([0, 1, 1], [1, 1, 0], unmatched="guess"), "unmatched='guess'"),
        (lambda: compare([0, 1], Counts([1, 0], [0, 0], [0, 1])), "metric"),
        (lambda: compare_many({"a": [0, 1]}), "at least two systems"),
        (lambda: compare_many([[0, 1], [0, 1]]), "expected a dict"),
        (lambda: compare_many({"a": [0, 1], "b": [1, 1]}, baseline="c"), "baseline='c'"),
        (lambda: compare_many({"a": [0, 1], "b": [1, 1, 1]}), "b: expected as many units as a"),
        (lambda: compare(*THREE), r"metric: a third system, .*compare_many\(\[…\]\)"),
        (lambda: compare_each(*THREE), "metric: a third system"),
        (lambda: score(*THREE[:2]), "metric: a second system, .* compare takes two"),
        (lambda: plan(3, n=4), "betterthan.compare returns"),
        (lambda: plan(compare([0, 1, 1], [1, 1, 0])), "a difference or a number of items"),
        (
            lambda: plan(compare([0, 1, 1], [1, 1, 0]), n=4, difference=0.1),
            "a difference or a number of items",
        ),
        (lambda: plan(compare([0, 1, 1], [0, 1, 1]), n=4), "expected units that differ"),
        (lambda: plan(compare([0, 1, 1], [1, 1, 0]), n=1), "n=1"),
        (lambda: plan(compare([0, 1, 1], [1, 1, 0]), difference=0), "difference=0"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_groups_weigh_by_what_the_metric_counts():
    a, b = two_systems(20)
    groups = np.arange(20) % 3
    for metric, missed in (("precision", "fp"), ("recall", "fn")):
        counted = [one.tp + getattr(one, missed) for one in (a, b)]
        weights = np.bincount(groups, np.sum(counted, axis=0))
        found = compare(a, b, metric, groups=groups).n_effective
        assert found == pytest.approx(weights.sum() ** 2 / np.square(weights).sum())


def test_a_function_may_be_called_like_a_metric():
    def recall(sums):
        return sums[0] / sums[1]

    a, b = (np.column_stack([one.tp, one.tp + one.fn]) for one in two_systems(20))
    found = compare(a, b, recall, groups=np.arange(20) // 2)
    assert found.n_effective == pytest.approx(10)  # no counts: every unit weighs the same


def test_how_many_runs_each_has_is_said():
    a, b = np.random.default_rng(3).random((2, 3, 30))
    assert "30 items, 1 and 3 runs" in str(compare(a[0], list(b)))
    assert "30 items, 3 and 1 runs" in str(compare(list(a), b[0]))


@pytest.mark.parametrize("higher", [True, False])
def test_the_plot_shows_on_which_side_b_is_better(higher):
    from matplotlib.colors import to_rgba

    a, b = np.random.default_rng(4).random((2, 30))
    bars = compare(a, b, higher_is_better=higher).plot().patches
    for bar in bars:
        right = bar.get_x() + bar.get_width() / 2 > 0
        assert bar.get_facecolor() == to_rgba("C1" if right == higher else "C0")
    assert len({bar.get_facecolor() for bar in bars}) == 2


def test_folds_that_do_not_match_are_named():
    first, second = Results([0.1, 0.2, 0.4], name="old"), Results([0.2, 0.1], name="new")
    with pytest.raises(betterthan.InputError, match=r"(?s)new.*old|old.*new"):
        compare_folds(first, second, test_share=0.1)


def test_results_as_a_table_have_their_ids_and_groups():
    one = Results([1.0, 0.0, 0.5], ids=["x", "y", "z"], groups=["a", "a", "b"])
    assert one.table().iloc[:, :2].to_numpy().tolist() == [["x", "a"], ["y", "a"], ["z", "b"]]


def test_groups_of_counts_must_agree():
    a, b = two_systems(20)
    first = Counts(a.tp, a.fp, a.fn, groups=np.arange(20) // 2)
    second = Counts(b.tp, b.fp, b.fn, groups=np.arange(20) // 4)
    with pytest.raises(betterthan.InputError, match="the same groups") as refused:
        compare(first, second)
    assert refused.value.argument == "groups"
    with pytest.raises(ValueError, match="the same groups everywhere"):
        compare(first, b)


def many_systems(n=250, seed=0, gains=(0.0, 0.0, 0.05, 0.3)):
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    return {
        f"s{i}": (hard + rng.normal(0, 0.25, n) < 0.5 + gain).astype(float)
        for i, gain in enumerate(gains)
    }


class TestCompareMany:
    def test_two_systems_agree_with_the_sign_flip_test(self):
        a, b = np.random.default_rng(3).normal(size=(2, 10))
        table = compare_many({"a": a, "b": b}).table()
        exact = stats.permutation_test(
            (b - a,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert table["difference"][0] == pytest.approx(np.mean(b - a))
        assert table["pvalue"][0] == pytest.approx(exact.pvalue)
        assert table["pvalue_adjusted"][0] == table["pvalue"][0]

    def test_max_t_against_all_exchanges_by_hand(self):
        values = np.random.default_rng(5).normal([[0], [0], [0.5], [2]], size=(4, 8))
        systems = {f"s{i}": row for i, row in enumerate(values)}
        table = compare_many(systems).table()
        pairs = list(itertools.combinations(range(4), 2))
        d = np.array([values[j] - values[i] for i, j in pairs])
        rms = np.sqrt((d**2).sum(axis=1))
        seen = np.abs(d.mean(axis=1)) / rms
        flips = np.array(list(itertools.product([-1, 1], repeat=8)))
        stars = np.abs(flips @ d.T / 8) / rms
        order = np.argsort(-seen)
        expected, worst = np.empty(6), 0.0
        for place, pair in enumerate(order):
            rest = order[place:]
            worst = max(worst, (stars[:, rest].max(axis=1) >= seen[pair] - 1e-6).mean())
            expected[pair] = worst
        assert table["pvalue_adjusted"].to_numpy() == pytest.approx(expected)
        # The interval is every shift of the difference that the largest exchange does not reach.
        most = np.quantile(8 * stars[1:].max(axis=1), 0.95, method="higher") ** 2
        error = d.std(axis=1, ddof=1) / math.sqrt(8)
        reach = error * math.sqrt(most * 7 / (8 - most))
        assert ((table["high"] - table["low"]) / 2)[expected > 0.05].to_numpy() == pytest.approx(
            reach[expected > 0.05], rel=1e-4
        )

    def test_it_is_as_strict_as_holm_or_less(self):
        table = compare_many(many_systems()).table()
        assert (table["pvalue_adjusted"] >= table["pvalue"]).all()
        holm = multipletests(table["pvalue"], method="holm")[1]
        assert (table["pvalue_adjusted"] <= holm + 0.01).all()

    def test_intervals_and_adjusted_pvalues_agree(self):
        for seed in range(8):
            table = compare_many(many_systems(seed=seed)).table()
            inside = (table["low"] < 0) & (table["high"] > 0)
            assert (inside == (table["pvalue_adjusted"] > 0.05)).all()

    def test_ranks(self):
        result = compare_many(many_systems())
        best = max(many_systems().items(), key=lambda pair: np.mean(pair[1]))
        assert str(result).startswith(f"{best[0]} has the best mean of {len(result.ranks)} systems")
        assert f"systems, {np.mean(best[1]):.4f}; " in str(result)
        ranks = result.ranks.set_index("name")
        assert ranks.index[0] == "s3"
        assert ranks.loc["s3", ["rank_low", "rank_high"]].tolist() == [1, 1]
        assert ranks.loc["s0", "rank_high"] == 4
        turned = compare_many(many_systems(), higher_is_better=False).ranks.set_index("name")
        assert turned.index[-1] == "s3"
        assert turned.loc["s3", "rank_low"] == 4
        assert "s3 is the best" in str(result)
        assert "s3" in result.plot().get_yticklabels()[0].get_text()

    def test_a_baseline_is_a_in_every_pair(self):
        table = compare_many(many_systems(), baseline="s2").table()
        assert table["a"].tolist() == ["s2"] * 3
        values = {name: x.mean() for name, x in many_systems().items()}
        expected = [values[b] - values["s2"] for b in table["b"]]
        assert table["difference"].to_numpy() == pytest.approx(expected)

    def test_counts_and_groups(self):
        a, b = two_systems(200)
        groups = np.arange(200) // 10
        result = compare_many({"a": a, "b": b}, groups=groups)
        assert result.n_groups == 20
        assert result.table()["difference"][0] == pytest.approx(b.f1 - a.f1)
        pair = compare(a, b, groups=groups)
        assert result.table()["pvalue"][0] == pytest.approx(pair.pvalue, abs=0.03)

    def test_few_groups_and_runs_take_t_and_holm(self):
        systems = many_systems()
        result = compare_many(systems, groups=np.arange(250) % 4)
        assert "Holm" in result.method
        runs = compare_many({k: [v, 1 - v, v] for k, v in systems.items()})
        assert "Holm" in runs.method
        table = result.table()
        holm = multipletests(table["pvalue"], method="holm")[1]
        assert table["pvalue_adjusted"].to_numpy() == pytest.approx(holm)

    def test_identical_systems_are_not_told_apart(self):
        x = many_systems()
        table = compare_many({"a": x["s0"], "b": x["s0"], "c": x["s3"]}).table()
        assert table.loc[0, ["difference", "pvalue_adjusted"]].tolist() == [0, 1]
        assert math.isnan(table.loc[0, "low"])
        assert table.loc[1, "pvalue_adjusted"] < 0.001

    def test_a_constant_difference_is_a_difference(self):
        a = np.arange(8) / 8
        systems = {"a": a, "b": a + 0.25, "c": a[::-1] + 0.2}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            table = compare_many(systems).table()
        assert table.loc[0, "pvalue"] == compare(a, a + 0.25).pvalue == pytest.approx(2 / 2**8)

    def test_a_frame_has_one_column_per_system(self):
        systems = many_systems()
        frame = pd.DataFrame(systems)
        assert compare_many(frame).table().equals(compare_many(systems).table())

    def test_only_a_system_that_goes_with_nobody_is_flagged(self):
        x = many_systems(1000)
        with pytest.warns(UserWarning, match="results of s1 are hardly related to any other"):
            compare_many({**x, "s1": np.random.default_rng(0).permutation(x["s1"])})

    def test_thousands_of_items_by_the_normal_limit(self):
        systems = many_systems(6000, gains=(0.0, 0.005, 0.01))
        table = compare_many(systems).table()
        for row in table.itertuples():
            expected = stats.ttest_rel(systems[row.b], systems[row.a]).pvalue
            assert row.pvalue == pytest.approx(expected, abs=0.02)


class TestPlan:
    def pilot(self, n=400):
        rng = np.random.default_rng(1)
        d = rng.normal(0.02, 0.5, n)
        a = rng.normal(size=n)
        return compare(a, a + d), d

    def test_n_is_the_textbook_formula(self):
        pilot, d = self.pilot(20_000)  # a spread that is known
        result = plan(pilot, difference=0.1)
        rough = (d.std(ddof=1) * (1.96 + 0.8416) / 0.1) ** 2
        assert result.n == pytest.approx(rough, rel=0.03)
        from statsmodels.stats.power import TTestPower

        exact = TTestPower().solve_power(0.1 / d.std(ddof=1), alpha=0.05, power=0.8)
        assert result.n == pytest.approx(exact, rel=0.02)

    def test_a_pilot_that_knows_little_asks_for_more(self):
        """So that power is reached on average over pilots: the mean over the spreads it may be."""
        pilot, d = self.pilot(24)
        n = plan(pilot, difference=0.1).n
        known = 2 * 24 / (pilot._spread.kurtosis - 1)
        times = known / stats.chi2.rvs(known, size=200_000, random_state=0)
        error = np.sqrt(d.var(ddof=1) * times / n)
        reach = stats.t.ppf(0.975, 23 * n / 24)
        assert stats.t.cdf(0.1 / error - reach, 23 * n / 24).mean() == pytest.approx(0.8, abs=0.01)
        rough = (d.std(ddof=1) * (1.96 + 0.8416) / 0.1) ** 2
        assert n > 1.05 * rough

    def test_difference_and_n_are_inverse(self):
        pilot, _ = self.pilot()
        n = plan(pilot, difference=0.07).n
        assert plan(pilot, n=n).difference == pytest.approx(0.07, rel=0.01)
        assert plan(pilot, difference=0.035).n == pytest.approx(4 * n, rel=0.02)

    def test_the_power_is_reached(self):
        pilot, d = self.pilot(4_000)
        n = plan(pilot, difference=0.1).n
        rng = np.random.default_rng(2)
        drawn = rng.normal(0.1, d.std(ddof=1), (4000, n))
        seen = (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
        assert seen == pytest.approx(0.8, abs=0.03)

    def test_a_larger_difference_needs_no_more_units(self):
        rng = np.random.default_rng(5)
        hard = rng.random((2, 60))
        pilot = compare(hard[0] < 0.5, hard.mean(axis=0) < 0.55)
        asked = [plan(pilot, difference=d).n for d in (0.02, 0.1, 0.3, 0.9, 1, 2, 5)]
        assert asked == sorted(asked, reverse=True)
        assert asked[-1] >= 2
        for d, n in zip((0.02, 0.1, 0.3), asked):
            assert plan(pilot, n=n).difference <= d < plan(pilot, n=n - 1).difference

    def test_range_groups_and_words(self):
        rng = np.random.default_rng(3)
        a, b = rng.random((2, 110))
        pilot = compare(a, b, groups=np.arange(110) % 11)
        result = plan(pilot, difference=0.05)
        assert result.range.low < result.n < result.range.high
        assert result.n_groups == math.ceil(result.n / 10)
        assert "says little about the spread" in str(result)
        assert "happened to land" in str(plan(pilot, difference=abs(pilot.difference)))
        assert "show a difference" in str(plan(pilot, n=1000))

    def test_more_items_do_not_help_against_runs(self):
        rng = np.random.default_rng(4)
        hard = rng.random(500)
        runs = [(hard < 0.5 + shift).astype(float) for shift in (-0.1, 0.0, 0.1)]
        with pytest.raises(ValueError, match=r"more runs would, at least \d,?\d+"):
            plan(compare(runs[1], runs), difference=0.01)

    def runs(self, rng, n, shift=0.0):
        """Three runs on the same items, which differ by luck with single items only."""
        ease = rng.random(n)
        return [
            [(rng.random(n) < ease + more).astype(float) for _ in range(3)] for more in (0.0, shift)
        ]

    def test_luck_of_runs_with_items_is_no_reason_against_more_items(self):
        """The same systems on more items show the difference, so a small pilot must not deny it."""
        rng = np.random.default_rng(6)
        asked = []
        for _ in range(20):
            pilot = compare(*self.runs(rng, 150), n_resamples=99)
            if not pilot._spread.runs.alone:  # in one case of twenty an F-test at 5 % errs
                asked.append(plan(pilot, difference=0.05))
        assert len(asked) >= 16
        assert "no more than by their luck with single items" in str(asked[0])
        n = int(np.median([one.n for one in asked]))
        seen = [compare(*self.runs(rng, n, 0.05), n_resamples=99).pvalue <= 0.05 for _ in range(60)]
        assert 0.62 < np.mean(seen) < 0.95  # 0.8, but for the luck of sixty

    def test_a_difference_of_next_to_nothing_is_refused_for_what_it_is(self):
        with pytest.raises(ValueError, match=r"takes more than 1e\+12 items to show it"):
            plan(self.pilot()[0], difference=1e-12)


def test_the_front_doors_are_at_the_top():
    doors = {"compare", "compare_each", "compare_folds", "compare_many", "plan", "score"}
    assert set(betterthan.__all__) == doors | {"InputError", "Results", "read"}
    assert {"compare", "score"} <= set(dir(betterthan))
    with pytest.raises(AttributeError, match="nothing_like_it"):
        betterthan.nothing_like_it  # noqa: B018


def test_folds_are_compared_by_the_corrected_resampled_t():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.8, 0.02, (2, 10))
    result = compare_folds(a, b, test_share=0.1)
    d = b - a
    t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9))  # Nadeau and Bengio, by hand
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert result.p_better == pytest.approx(stats.t.cdf(t, 9))
    assert (result.unit, result.n_units, result.degrees_of_freedom) == ("fold", 10, 9)
    low, high = result.interval
    assert (low + high) / 2 == pytest.approx(d.mean())
    turned = compare_folds(a, b, test_share=0.1, higher_is_better=False)
    assert turned.p_better == pytest.approx(1 - result.p_better)
    # Half of the corpus for testing widens it, none of it is the plain t-test.
    assert compare_folds(a, b, test_share=0.5).standard_error > result.standard_error
    near = compare_folds(a, b, test_share=1e-12)
    assert near.pvalue == pytest.approx(stats.ttest_rel(b, a).pvalue)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compare_folds([0.5, 0.6], [0.5, 0.7], test_share=0.5), "three folds or more"),
        (lambda: compare_folds([1, 2, 3], [2, 3, 4], test_share=0.5), "the same difference"),
        (lambda: compare_folds([1, 2, 3], [2, 3, 5], test_share=10), "test_share=10"),
        (lambda: compare_folds([1, 2, 3], [2, 3], test_share=0.1), "as many units"),
        (lambda: compare_folds([1, 2, np.nan], [2, 3, 5], test_share=0.1), "finite"),
    ],
)
def test_folds_are_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


class TestDisagreements:
    def test_only_the_items_that_differ_the_largest_first_with_their_ids(self):
        ids = pd.Index(["q1", "q2", "q3", "q4"], name="question")
        a, b = pd.Series([1.0, 0.0, 0.5, 0.2], ids), pd.Series([0.0, 0.5, 0.5, 0.9], ids[::-1])
        found = compare(a, b, names=("old", "new")).disagreements()
        assert found.columns.tolist() == ["question", "old", "new", "difference"]
        assert found["question"].tolist() == ["q2", "q4", "q1"]
        assert found["difference"].tolist() == pytest.approx([0.5, -0.2, -0.1])

    def test_counts_have_the_metric_of_each_sentence_and_runs_their_mean(self):
        # In the last sentence the two err differently, with the same F1.
        a = Counts([1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0])
        b = Counts([1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0])
        found = compare(a, b).disagreements()
        assert found["sentence"].tolist() == [1, 0, 3]
        assert found["A"].tolist() == pytest.approx([1, 2 / 3, 2 / 3])
        runs = compare([np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])], [1.0, 0.0, 1.0])
        assert runs.disagreements().values.tolist() == [[0, 0.5, 1.0, 0.5]]

    def test_without_a_match_is_without_a_row_and_a_group_is_no_id(self):
        rows = [(f"i{k}", k % 2) for k in range(9)]
        index = pd.MultiIndex.from_tuples(rows, names=["id", "group"])
        a = pd.Series(np.arange(9.0), index)
        result = compare(a, (a * 2)[1:], unmatched="drop")
        assert result.disagreements().iloc[:, 0].tolist() == [f"i{k}" for k in range(8, 0, -1)]


def test_the_record_says_what_was_computed_and_how():
    a, b = np.arange(40) % 3, np.arange(40) % 4
    result = compare(a, b, margin=0.1, n_resamples=499, rng=7, unmatched="drop")
    found = json.loads(json.dumps(result.record()))
    assert found["sentence"] == str(result) and found["betterthan"] == betterthan.__version__
    assert (found["n_resamples"], found["rng"], found["unmatched"]) == (499, 7, "drop")
    assert found["method"] == "half-samples of the items" and found["margin"] == 0.1
    assert compare(a, b, rng=np.random.default_rng(1)).record()["rng"].startswith("Generator")
    many = compare_many({"a": a, "b": b, "c": a + b}, baseline="a", n_resamples=99)
    assert many.record()["baseline"] == "a" and len(many.record()["ranks"]) == 3
    assert compare_folds(a, b, test_share=0.1).record()["test_share"] == 0.1
    assert score(a).record()["value"] == score(a).value
    assert plan(result, difference=0.1).record()["power"] == 0.8
    again = pickle.loads(pickle.dumps(result))
    assert again.record() == result.record()
    assert again.disagreements().equals(result.disagreements())


def test_the_smallest_p_value_of_random_halves_is_a_bound():
    """9,999 halves cannot show less than 0.0002, however clear the matter; all halves can."""
    clear = compare(np.zeros(100), np.arange(100) % 7 + 1.0)
    assert clear.pvalue == 0.0002 and "; two-sided p ≤ 0.0002; " in str(clear)
    every = compare(np.zeros(12), np.arange(12) % 7 + 1.0)
    assert every.pvalue == 2 / 2**12 and "; two-sided p = 0.0005; " in str(every)
    rng = np.random.default_rng(0)
    open_matter = compare(rng.random(100), rng.random(100))
    assert f"; two-sided p = {open_matter.pvalue:.3f}; " in str(open_matter)


def test_one_class_per_item_has_an_accuracy_and_spans_have_f1():
    gold, own = ["x", "y", "z"] * 20, ["x", "y", "x"] * 20
    result = score(count_classes(gold, own))
    assert result.metric == "accuracy" and result.value == pytest.approx(2 / 3)
    f1 = score(count_classes(gold, own), "f1")
    assert (f1.value, f1.interval, f1.metric) == (result.value, result.interval, "f1")
    assert score(Counts([2, 1, 0], [0, 1, 1], [0, 1, 1])).metric == "f1"
    assert score(Counts([[2, 1], [1, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 0]])).metric == "f1"


def test_a_table_says_p_within_only_where_there_is_a_margin():
    a, b = np.arange(30) % 3, np.arange(30) % 5
    assert "p_within" not in compare(a, b).table()
    assert "p_within" in compare(a, b, margin=0.1).table()


def test_a_single_run_beside_several_is_said():
    runs = list(np.random.default_rng(1).random((3, 200)))
    said = "A single run: its results are assumed to vary from run to run like the other's."
    assert said in str(compare(runs, runs[0] + 0.1))
    assert said in str(compare(runs[:2], runs[0] + 0.1))
    assert said not in str(compare(runs[:2], [runs[1], runs[2] + 0.1]))


def test_gold_classes_are_compared_whatever_their_columns():
    gold, rng = np.array(list("xyxxyxyy" * 10)), np.random.default_rng(0)
    a, b = (count_classes(gold, np.where(gold == "x", "x", other)) for other in "wz")
    assert compare(a, b).difference == 0  # the columns are w, x, y and x, y, z
    mixed = rng.permutation(gold)
    for metric in (None, "macro_f1", lambda sums: sums[0]):
        with pytest.raises(ValueError, match="b: expected the same gold classes"):
            compare(a, count_classes(mixed, np.where(mixed == "x", "x", "w")), metric)


def test_what_was_noted_of_the_whole_file_is_not_said_of_a_part():
    groups = ["a"] * 20 + ["b"] * 20
    old, new = (
        Results(np.arange(40) % k == 0, name=name, groups=groups, notes=["3 blank answers."])
        for name, k in (("old", 2), ("new", 3))
    )
    for part in compare_each(old, new).values():
        assert part.notes[0] == "In all parts together: 3 blank answers."


def test_a_margin_with_groups_says_what_only_one_of_the_probabilities_allows_for():
    draw = np.random.default_rng(5)
    groups = np.repeat(np.arange(30), 20)
    old = draw.random(600) < 0.7
    new = np.where(draw.random(600) < 0.05, draw.random(600) < 0.7, old)
    grouped = compare(old, new, groups=groups, margin=0.1)
    assert "either way, allowing for one group not yet seen: " in str(grouped)
    single = compare(old, new, margin=0.1)
    assert "either way: " in str(single)  # Tango's score needs no such care


def test_what_is_not_0_is_not_written_as_0():
    draw = np.random.default_rng(1)
    cost = np.abs(draw.normal(2e-5, 4e-6, 60))
    sentence = str(compare(cost, cost * draw.normal(1.1, 0.01, 60)))
    assert "0.0000" not in sentence and "e-05" in sentence


@pytest.mark.parametrize("paired", [True, False])
def test_squares_of_huge_numbers_do_not_overflow(paired):
    """The same as for ordinary numbers, though the variance squared is more than a float holds."""
    a = [[4.0, 2.0, 4.0, 8.0], [2.0, 4.0, 6.0, 4.0]]
    b = [[8.0, 4.0, 4.0, 6.0], [4.0, 8.0, 8.0, 8.0]]
    small, huge = (
        compare(*([[x * scale for x in run] for run in one] for one in (a, b)), paired=paired)
        for scale in (1.0, 2.0**320)
    )
    assert huge.pvalue == pytest.approx(small.pvalue, rel=1e-9)
    assert huge.interval.high == pytest.approx(small.interval.high * 2.0**320, rel=1e-9)
