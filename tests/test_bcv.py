"""Chapter 1's library: blocks, the factor, the posteriors."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, sparse, special, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_validate

from betterthan import bcv, datasets, read, readers, score
from betterthan._result import Interval
from betterthan.bcv import (
    BlockedCV,
    Counts,
    added_up,
    divergence,
    effective_factor,
    factor_from,
    posterior,
)

METRICS = ("precision", "recall", "f1")


def paper_counts() -> dict[tuple[str, str], Counts]:
    table = datasets.paper_table("wang-li-2019-counts")
    return {
        key: Counts.from_totals(part.gold, part.predicted, part.correct, unit="fold")
        for key, part in table.groupby(["task", "tags"])
    }


def matrix(tp, fp, fn) -> Counts:
    """One confusion matrix, or several."""
    return Counts(tp, fp, fn, unit="fold")


def test_counts_are_readable_here_too():
    from betterthan import counts

    assert bcv.Counts is counts.Counts


class TestBlockedCV:
    def test_the_paper_partition(self):
        cv = BlockedCV(repetitions=3, rng=7)
        block = cv.blocks(range(40)) + 1
        halves = [set(block[train]) for train, _ in cv.split(range(40))]
        assert halves == [{1, 2}, {3, 4}, {1, 3}, {2, 4}, {2, 3}, {1, 4}]

    @pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 8, 15, 16, 31])
    @pytest.mark.parametrize("n", [64, 67, 130])
    def test_halves_swap_and_share_a_quarter(self, m, n):
        cv = BlockedCV(m, rng=3)
        splits = list(cv.split(np.zeros(n)))
        assert len(splits) == cv.get_n_splits() == 2 * m
        sizes = np.bincount(cv.blocks(np.zeros(n)), minlength=cv.n_blocks)
        assert sizes.max() - sizes.min() <= 1
        for first, second in zip(splits[::2], splits[1::2]):
            np.testing.assert_array_equal(first[0], second[1])
            np.testing.assert_array_equal(first[1], second[0])
            np.testing.assert_array_equal(np.sort(np.concatenate(first)), np.arange(n))
        for i, (one, _) in enumerate(splits):
            for j, (other, _) in enumerate(splits):
                if i // 2 != j // 2:
                    shared = len(np.intersect1d(one, other))
                    assert abs(shared - n / 4) <= cv.n_blocks / 4
                    if n % cv.n_blocks == 0:
                        assert shared == n / 4

    @pytest.mark.parametrize(("m", "blocks"), [(1, 4), (3, 4), (4, 8), (7, 8), (8, 16), (15, 16)])
    def test_number_of_blocks_and_the_refusal_below_it(self, m, blocks):
        cv = BlockedCV(m)
        assert cv.n_blocks == blocks
        assert len(list(cv.split(range(blocks)))) == 2 * m
        with pytest.raises(ValueError, match=f"X: expected at least {blocks} instances"):
            list(cv.split(range(blocks - 1)))

    def test_seeds(self):
        def first(seed):
            return next(BlockedCV(rng=seed).split(range(100)))[0]

        np.testing.assert_array_equal(first(4), first(4))
        assert not np.array_equal(first(4), first(5))
        np.testing.assert_array_equal(first(np.random.SeedSequence(4)), first(4))
        np.testing.assert_array_equal(first(np.random.default_rng(4)), first(4))

    def test_in_scikit_learn(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(90, 3)), np.arange(90) % 2
        X[y == 1] += 1
        cv = BlockedCV(3, rng=1, balance=pd.get_dummies(y))
        scores = cross_validate(LogisticRegression(), X, y, cv=cv, scoring="f1")
        assert scores["test_score"].shape == (6,)
        train, valid = next(cv.split(X, y))
        model = LogisticRegression().fit(X[train], y[train])
        from sklearn.metrics import f1_score

        assert scores["test_score"][0] == pytest.approx(f1_score(y[valid], model.predict(X[valid])))
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=cv).fit(X, y)
        assert search.n_splits_ == 6

    def test_groups_stay_together(self):
        groups = np.repeat(np.arange(24), 5)
        for train, valid in BlockedCV(rng=2).split(np.zeros(120), groups=groups):
            assert not set(groups[train]) & set(groups[valid])
            assert len(train) == len(valid)
        scores = cross_validate(
            LogisticRegression(),
            np.random.default_rng(1).normal(size=(120, 2)),
            np.arange(120) % 2,
            cv=BlockedCV(rng=2),
            groups=groups,
        )
        assert len(scores["test_score"]) == 6

    def test_groups_that_cannot_be_even_are_refused(self):
        with pytest.raises(ValueError, match="at least 4 groups"):
            list(BlockedCV().split(np.zeros(9), groups=[0, 0, 0, 1, 1, 1, 2, 2, 2]))
        with pytest.raises(ValueError, match="groups even enough for 4 blocks"):
            list(BlockedCV().split(np.zeros(100), groups=[0] * 90 + list(range(1, 11))))
        with pytest.raises(
            ValueError, match=r"groups: expected no missing labels, but groups\[4\]"
        ):
            list(BlockedCV().split(np.zeros(5), groups=["a", "b", "c", "d", None]))
        with pytest.raises(ValueError, match=r"groups: expected one label per unit \(5\)"):
            list(BlockedCV().split(np.zeros(5), groups=["a", "b", "c", "d"]))

    def test_blocks_of_groups_may_differ_by_a_tenth_of_a_block(self):
        def sizes(last):
            groups = np.repeat(np.arange(4), [100, 100, 100, last])
            return np.bincount(BlockedCV().blocks(np.zeros(groups.size), groups=groups))

        assert sorted(sizes(110)) == [100, 100, 100, 110]
        with pytest.raises(ValueError, match="blocks of 100 to 111"):
            sizes(111)

    def test_squared_deviations_of_scaled_units_add_up_to_chi_square(self):
        table = np.random.default_rng(4).poisson([30, 3, 0.4], size=(40, 3))
        block = np.arange(40) % 4
        totals = np.array([table[block == k].sum(axis=0) for k in range(4)])
        scaled = bcv._scaled(table.astype(float))
        sums = np.array([scaled[block == k].sum(axis=0) for k in range(4)])
        expected = sum(stats.chisquare(column).statistic for column in totals.T)
        assert 4 * ((sums - sums.mean(axis=0)) ** 2).sum() == pytest.approx(expected, rel=1e-12)

    def test_balanced_groups(self):
        rng = np.random.default_rng(3)
        groups = np.repeat(np.arange(80), 6)
        units = rng.poisson(rng.gamma(0.5, 4, size=(80, 3))[groups])
        plain = divergence(BlockedCV(rng=1).split(units, groups=groups), units)
        even = divergence(BlockedCV(rng=1, balance=units).split(units, groups=groups), units)
        assert even < plain / 3

    @pytest.mark.parametrize("m", [3, 7])
    def test_balancing_wins_over_random_blocks(self, m):
        labels = [s.tags for s in datasets.entities(datasets.peoples_daily(400))]
        units = bcv.count_units([[t for t in line if t != "O"] for line in labels])
        for seed in range(5):
            random = divergence(BlockedCV(m, seed).split(units), units)
            even = divergence(BlockedCV(m, seed, balance=units).split(units), units)
            assert even < random / 10

    def of_seeds(self, units, groups=None, seeds=8, m=3):
        """Blocks by seed; how alike two seeds' blocks are (1 the same, 0 as if by chance)."""
        cvs = [BlockedCV(m, seed, balance=units) for seed in range(seeds)]
        blocks = [cv.blocks(units, groups=groups) for cv in cvs]
        alike = [adjusted_rand_score(a, b) for a, b in combinations(blocks, 2)]
        uneven = [divergence(cv.split(units, groups=groups), units) for cv in cvs]
        return np.array(blocks), np.mean(alike), np.array(uneven)

    @pytest.mark.parametrize("m", [3, 7])
    @pytest.mark.parametrize("lines", [120, 400])
    def test_seeds_give_other_blocks_that_are_as_even(self, monkeypatch, m, lines):
        labels = [s.tags for s in datasets.entities(datasets.peoples_daily(lines))]
        units = bcv.count_units(labels)
        blocks, alike, uneven = self.of_seeds(units, m=m)
        assert abs(alike) < 0.03
        # No line has a favourite block, and no two lines go together.
        chance = 1 / BlockedCV(m).n_blocks
        assert (blocks[0] == blocks[1:]).mean() == pytest.approx(chance, abs=0.05)
        monkeypatch.setattr(
            bcv, "_best_of_five", lambda once, weight, rng: once(np.argsort(-weight))[0]
        )
        _, strict_alike, strict = self.of_seeds(units, m=m, seeds=2)
        assert strict_alike == 1
        assert np.median(uneven) < 1.3 * strict[0]
        assert uneven.max() < 2.5 * strict[0]

    def test_seeds_deal_groups_of_unlike_sizes_in_other_ways(self):
        sizes = np.random.default_rng(1).permutation(np.arange(5, 45))
        groups = np.repeat(np.arange(40), sizes)
        units = np.ones((groups.size, 1))
        blocks, _, _ = self.of_seeds(units, groups)
        firsts = blocks[:, np.unique(groups, return_index=True)[1]]
        alike = [adjusted_rand_score(a, b) for a, b in combinations(firsts, 2)]
        assert abs(np.mean(alike)) < 0.05
        for block in blocks:
            counts = np.bincount(block)
            assert counts.max() - counts.min() <= 0.05 * groups.size / 4

    def test_instances_without_units_are_dealt_at_random_too(self):
        units = np.zeros((200, 1))
        units[:8] = 1
        blocks, _, uneven = self.of_seeds(units)
        assert uneven.max() == 0
        rest = [adjusted_rand_score(a, b) for a, b in combinations(blocks[:, 8:], 2)]
        assert abs(np.mean(rest)) < 0.03

    def test_balancing_evens_out_a_single_unit(self):
        lengths = np.random.default_rng(0).poisson(20, size=101)
        cv = BlockedCV(rng=0, balance=lengths)
        for train, valid in cv.split(lengths):
            assert abs(len(train) - len(valid)) <= 2
        assert divergence(cv.split(lengths), lengths) < 1e-3

    def test_balance_takes_sparse_tables_and_ignores_units_that_never_occur(self):
        table = np.random.default_rng(0).poisson(0.3, size=(60, 8))
        table[:, 3] = 0
        dense = list(BlockedCV(rng=1, balance=table).split(table))
        for (a, _), (b, _) in zip(
            dense, BlockedCV(rng=1, balance=sparse.csr_matrix(table)).split(table)
        ):
            np.testing.assert_array_equal(a, b)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"repetitions": 0}, "repetitions=0"),
            ({"repetitions": 2.5}, "repetitions=2.5"),
            ({"repetitions": True}, "repetitions=True"),
            ({"rng": -1}, "rng=-1"),
            ({"rng": "x"}, "rng='x'"),
            ({"balance": [[1, -1]]}, "balance: expected instances × units of finite counts"),
            ({"balance": [[1, math.nan]]}, "balance: expected .* finite"),
            ({"balance": [["a"]]}, "balance: expected a table"),
            ({"balance": np.zeros((2, 2, 2))}, "balance: expected instances × units"),
        ],
    )
    def test_refuses(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            BlockedCV(**arguments)

    def test_refuses_a_balance_of_another_length(self):
        with pytest.raises(ValueError, match=r"balance: expected 9 rows as in X, got 8"):
            list(BlockedCV(balance=np.ones((8, 2))).split(range(9)))


class TestDivergence:
    def test_is_the_g_statistic(self):
        rng = np.random.default_rng(2)
        units = rng.poisson(3, size=(40, 5))
        train, valid = np.arange(20), np.arange(20, 40)
        table = np.array([units[train].sum(0), units[valid].sum(0)])
        g = stats.chi2_contingency(table, lambda_="log-likelihood", correction=False).statistic
        halves = table.sum(1)
        size = 2 * (halves * np.log(halves / halves.mean())).sum()
        value = divergence([(train, valid)], units)
        assert 2 * units.sum() * value == pytest.approx(g + size, rel=1e-12)

    def test_unequal_halves_are_expected_to_hold_unequal_shares(self):
        assert divergence([([0, 1, 2, 3], [4, 5])], np.ones(6)) == 0
        by_hand = (3 * math.log(3 / (4 * 2 / 3)) + math.log(1 / (4 / 3))) / 4
        assert divergence([([0, 1], [2])], [2, 1, 1]) == pytest.approx(by_hand, rel=1e-12)

    def test_refuses(self):
        with pytest.raises(ValueError, match="at least one occurrence"):
            divergence([([0], [1])], [[0], [0]])
        with pytest.raises(ValueError, match="splits: expected at least one pair"):
            divergence([], [[1], [1]])
        with pytest.raises(ValueError, match="at least one unit"):
            bcv.count_units([[], []])


class TestFactor:
    def test_of_the_paper(self):
        assert effective_factor() == pytest.approx(0.36880211, abs=5e-9)
        assert effective_factor(3, 0, 0) == 1
        assert effective_factor(3, 1, 1) == pytest.approx(1 / 6, rel=1e-15)
        assert effective_factor(repetitions=5, rho1=1, rho2=1) == pytest.approx(1 / 10, rel=1e-15)

    @pytest.mark.parametrize("m", [1, 2, 3, 7, 50])
    @pytest.mark.parametrize(
        ("rho1", "rho2"),
        [
            ((0, 0.5), (0.25, 0.5)),
            ((-0.3, 0.2), (0.1, 0.1000001)),
            ((0.1, 0.1 + 1e-9), (0.25, 0.5)),
            ((0, 1e-4), (0.3, 0.3001)),
            (0.2, (0, 1)),
            ((-0.95, 0.9), (0.0, 1.0)),
            ((-0.9, 0.9), 0.0),
        ],
    )
    def test_against_quadrature_in_30_digits(self, m, rho1, rho2):
        with mp.workdps(30):
            low1, high1 = (mp.mpf(x) for x in (rho1 if isinstance(rho1, tuple) else (rho1, rho1)))
            low2, high2 = (mp.mpf(x) for x in (rho2 if isinstance(rho2, tuple) else (rho2, rho2)))

            def at(x, y):
                return 1 / (1 + x + 2 * (m - 1) * y)

            def over(function, low, high):
                return (
                    function(low) if low == high else mp.quad(function, [low, high]) / (high - low)
                )

            exact = over(lambda y: over(lambda x: at(x, y), low1, high1), low2, high2)
            assert abs(effective_factor(m, rho1, rho2) - exact) < 1e-12 * exact

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"repetitions": 0}, "repetitions=0"),
            ({"rho1": (0.5, 0.1)}, "rho1.*low ≤ high"),
            ({"rho2": (0.1, 0.2, 0.3)}, "rho2.*number, or"),
            ({"rho1": math.nan}, "rho1=nan"),
            ({"rho1": -1, "rho2": 0}, "above 0"),
            ({"rho2": "x"}, "rho2='x'"),
        ],
    )
    def test_refuses(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            effective_factor(**arguments)


class TestPosterior:
    def test_table_2_of_the_paper(self):
        counts = paper_counts()
        off = []
        for row in datasets.paper_table("wang-li-2019-table2").itertuples():
            interval = posterior(counts[row.task, row.tags], row.metric).interval(0.95)
            for name, end, printed in zip(("low", "high"), interval, (row.low, row.high)):
                assert abs(100 * end - printed) < 0.011
                if round(100 * end, 2) != printed:
                    off.append((row.task, row.tags, row.metric, name, round(100 * end, 2)))
        assert off == [
            ("CWS", "BMES", "recall", "high", 95.12),
            ("NER", "IOBES", "precision", "low", 90.71),
        ]

    def test_precision_and_recall_are_beta_distributions(self):
        counts = matrix([30, 28], [4, 6], [9, 11])
        for metric, lost in (("precision", 10), ("recall", 20)):
            ours = posterior(counts, metric, prior=0.5, factor=0.7)
            beta = stats.beta(0.7 * 58 + 0.5, 0.7 * lost + 0.5)
            t = np.linspace(0.01, 0.99, 41)
            np.testing.assert_allclose(ours.pdf(t), beta.pdf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.cdf(t), beta.cdf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.sf(t), beta.sf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.ppf([0.1, 0.9]), beta.ppf([0.1, 0.9]), rtol=1e-12)
            assert ours.mean() == pytest.approx(beta.mean(), rel=1e-13)

    def test_f1_is_the_papers_beta_prime(self):
        counts = matrix([30, 28], [4, 6], [9, 11])
        ours = posterior(counts, "f1", factor=0.7)
        a, b = 0.7 * 30 + 2, 0.7 * 58 + 1
        prime = stats.betaprime(a, b)
        for t in (0.2, 0.6, 0.75, 0.9):
            assert ours.sf(t) == pytest.approx(prime.cdf(2 / t - 2), rel=1e-10)
            density = 2**a * (1 - t) ** (a - 1) * (2 - t) ** (-a - b) * t ** (b - 1)
            assert ours.pdf(t) == pytest.approx(
                density / math.gamma(a) / math.gamma(b) * math.gamma(a + b), rel=1e-10
            )
        low, high = ours.interval(0.9)
        assert low == pytest.approx(2 / (2 + prime.ppf(0.95)), rel=1e-10)
        assert high == pytest.approx(2 / (2 + prime.ppf(0.05)), rel=1e-10)

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("counts", [(0, 0, 0), (0, 3, 1), (5, 0, 0), (40, 3, 9), (3000, 7, 90)])
    def test_density_and_mean_agree_with_each_other(self, metric, counts):
        p = posterior(matrix(*counts), metric, factor=1)
        cuts = [0, *p.ppf([1e-6, 0.01, 0.5, 0.99, 1 - 1e-6]), 1]

        def over(function):
            return sum(
                integrate.quad(function, low, high, epsabs=1e-13)[0] for low, high in pairwise(cuts)
            )

        assert over(p.pdf) == pytest.approx(1, abs=1e-9)
        assert p.mean() == pytest.approx(over(lambda t: t * p.pdf(t)), abs=1e-9)

    @pytest.mark.parametrize("shape", [(0.5, 1), (3.3, 90), (1e6, 1e5), (7, 1e12), (1e12, 1e12)])
    def test_mean_of_f1_in_30_digits(self, shape):
        with mp.workdps(30):
            a, b = map(mp.mpf, shape)
            exact = 2 * a / (a + b) * mp.hyp2f1(1, a + 1, a + b + 1, -1)
            assert abs(bcv.Posterior("f1", *shape).mean() / exact - 1) < 1e-14

    @pytest.mark.parametrize("metric", METRICS)
    def test_a_trillion(self, metric):
        big = 10**12
        for counts in ((big, 10**9, 10**11), (big, 0, 0), (0, big, big), (big, 1, 2)):
            p = posterior(matrix(*([c] * 6 for c in counts)), metric)
            low, high = p.interval(0.95)
            assert 0 <= low < high <= 1
            assert low - 1e-9 <= p.mean() <= high + 1e-9
            assert np.isfinite(p.pdf((low + high) / 2))
            assert p.cdf(high) - p.cdf(low) == pytest.approx(0.95, abs=1e-4)

    def test_a_trillion_against_the_normal_approximation(self):
        p = posterior(matrix(10**12, 10**11, 0), "precision", factor=1)
        mean, n = 10 / 11, 1.1e12
        sd = math.sqrt(mean * (1 - mean) / n)
        low, high = p.interval(0.95)
        assert (high - low) / (2 * 1.959963984540054 * sd) == pytest.approx(1, abs=1e-8)
        t = mean + sd
        assert p.pdf(t) * sd == pytest.approx(stats.norm.pdf(1), rel=3e-6)

    @pytest.mark.parametrize("found, lost", [(2e9, 1.1e9), (1.2e9, 4e10)])
    @pytest.mark.parametrize("below", [1e-4, 0.025, 0.5, 0.975])
    def test_quantiles_of_huge_counts_are_those_of_scipy_where_it_is_exact(
        self, found, lost, below
    ):
        # Just above the switch scipy's inverse is still good for some 1e-8 of a deviation.
        p = bcv.Posterior("precision", found, lost)
        sd = math.sqrt(found * lost / (found + lost) ** 3)
        assert abs(p.ppf(below) - special.betaincinv(found, lost, below)) < 1e-7 * sd

    @pytest.mark.parametrize("shape", [(1e12, 1e11), (1e14, 1e13), (3e13, 9e14)])
    def test_quantiles_of_huge_counts_exist_and_mirror(self, shape):
        ours, mirrored = bcv.Posterior("recall", *shape), bcv.Posterior("recall", *shape[::-1])
        sd = math.sqrt(shape[0] * shape[1] / sum(shape) ** 3)
        (low, high), (low_too, high_too) = ours.interval(), mirrored.interval()
        assert (high - low) / (2 * 1.959963984540054 * sd) == pytest.approx(1, abs=1e-6)
        assert low == pytest.approx(1 - high_too, rel=1e-15)
        assert high == pytest.approx(1 - low_too, rel=1e-15)
        assert math.isnan(ours.ppf(1.5))

    def test_draws_follow_the_distribution(self):
        p = posterior(matrix(40, 5, 9), "f1", factor=1)
        draws = p.rvs(20_000, rng=1)
        assert stats.kstest(draws, p.cdf).pvalue > 0.01
        np.testing.assert_array_equal(draws, p.rvs(20_000, rng=np.random.default_rng(1)))
        assert isinstance(p.rvs(), float)

    def test_repetitions_are_said_and_decide_on_the_factor(self):
        ten = matrix([50] * 10, [5] * 10, [5] * 10)
        said = posterior(ten, "recall", repetitions=5)
        other = posterior(ten, "recall", factor=effective_factor(5))
        assert (said.interval(), said.mean()) == (other.interval(), other.mean())
        assert "10 confusion matrices" in str(other)  # a factor that was given is said
        with pytest.raises(ValueError, match="repetitions=3; say repetitions=5 if this is a 5×2"):
            posterior(ten, "recall")

    def test_the_interval_has_named_ends(self):
        p = posterior(matrix(40, 5, 9), "f1", factor=1)
        interval = p.interval()
        assert isinstance(interval, Interval)
        assert isinstance(interval.low, float)
        assert interval == p.interval(confidence_level=0.95)
        assert p.cdf(interval.low) == pytest.approx(0.025)
        assert p.sf(interval.high) == pytest.approx(0.025)

    def test_outside_the_unit_interval(self):
        p = posterior(matrix(4, 1, 1), "f1", factor=1)
        assert p.pdf(-0.1) == p.pdf(1.1) == p.pdf(2) == p.cdf(-3) == p.sf(2) == 0
        assert p.cdf(7) == 1
        assert math.isnan(p.ppf(1.5))
        with pytest.raises(ValueError, match="confidence_level=1"):
            p.interval(1)

    @settings(max_examples=60, deadline=None)
    @given(
        st.tuples(*[st.integers(0, 10**6)] * 3),
        st.sampled_from(METRICS),
        st.sampled_from([0.5, 1.0, 2.0]),
    )
    def test_cdf_and_ppf_are_inverse_and_more_hits_help(self, counts, metric, prior):
        p = posterior(matrix(*counts), metric, prior=prior, factor=1)
        for q in (1e-6, 0.3, 0.9):
            assert p.cdf(p.ppf(q)) == pytest.approx(q, rel=1e-6)
        tp, fp, fn = counts
        better = posterior(matrix(tp + 1, fp, fn), metric, prior=prior, factor=1)
        worse = posterior(matrix(tp, fp + 1, fn + 1), metric, prior=prior, factor=1)
        for q in (0.05, 0.5, 0.95):
            assert worse.ppf(q) < p.ppf(q) < better.ppf(q)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"metric": "accuracy"}, "metric='accuracy': expected one of 'precision'"),
            ({"prior": 0}, "prior=0"),
            ({"prior": 0.09}, r"prior=0.09: expected .* \[0.1"),
            ({"prior": 1e15}, "prior=1000000000000000.0: expected"),
            ({"prior": math.nan}, "prior=nan"),
            ({"factor": 1e6}, "factor=1000000"),
            ({"repetitions": 0}, "repetitions=0"),
            ({"factor": 0}, "factor=0"),
            ({"factor": -1}, "factor=-1"),
        ],
    )
    def test_refuses_arguments(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            posterior(matrix([1, 2], [1, 1], [1, 1]), **{"repetitions": 1, **arguments})

    @pytest.mark.parametrize("n", [1, 3, 4, 10, 600])
    def test_refuses_other_numbers_of_folds(self, n):
        folds = matrix([1] * n, [1] * n, [1] * n)
        with pytest.raises(ValueError, match=f"folds: {n} folds: expected 6 for repetitions=3"):
            posterior(folds)
        assert posterior(folds, factor=1).found == n + 1

    @pytest.mark.parametrize("unit", ["sentence", "document", "item"])
    @pytest.mark.parametrize("factor", [None, 1.0])
    def test_refuses_rows_that_are_not_folds(self, unit, factor):
        rows = Counts([1] * 6, [1] * 6, [1] * 6, unit=unit)
        words = rf"expected one row per fold .*got one per {unit}; .* betterthan\.score"
        with pytest.raises(ValueError, match=words):
            posterior(rows, factor=factor)

    def test_score_refuses_folds_and_says_where_they_belong(self):
        from betterthan import score

        with pytest.raises(ValueError, match=r"folds.*bcv\.posterior"):
            score(matrix([4] * 6, [1] * 6, [1] * 6))

    def test_refuses_what_is_not_counts(self):
        with pytest.raises(ValueError, match=r"folds=\(1, 2, 3\): expected .*Counts of folds"):
            posterior((1, 2, 3))


class TestCorrelations:
    def shared(self, rho, corpora=4000, n=400, seed=0):
        """Folds whose hits are partly the same coin flips: covariance rho of the variance."""
        rng = np.random.default_rng(seed)
        common = rng.binomial(int(rho * n), 0.7, size=(corpora, 1))
        own = rng.binomial(n - int(rho * n), 0.7, size=(corpora, 6))
        return [matrix(hits, 0 * hits, n - hits) for hits in common + own]

    def test_finds_the_correlation_that_was_put_in(self):
        for rho in (0.0, 0.25, 0.5):
            measured = bcv.correlations(self.shared(rho))
            assert measured.rho0 == pytest.approx(1, abs=0.06)
            assert measured.rho1 == pytest.approx(rho, abs=0.06)
            assert measured.rho2 == pytest.approx(rho, abs=0.06)
            assert measured.factor == pytest.approx(1 / (1 + 5 * rho), rel=0.1)

    def test_the_factor_is_that_of_eq_14(self):
        measured = bcv.correlations(self.shared(0.3))
        implied = 1 / (measured.rho0 + measured.rho1 + 4 * measured.rho2)
        assert measured.factor == pytest.approx(implied, rel=1e-9)

    def test_is_a_covariance_over_the_binomial_variance(self):
        corpora = self.shared(0.3, corpora=50)
        recall = np.array([folds.tp for folds in corpora]) / 400
        cov = np.cov(recall.T)
        p = recall.mean()
        assert bcv.correlations(corpora).rho1 == pytest.approx(
            np.mean([cov[0, 1], cov[2, 3], cov[4, 5]]) / (p * (1 - p) / 400), rel=1e-9
        )

    @pytest.mark.parametrize("metric", ["precision", "f1"])
    def test_other_metrics_of_independent_folds(self, metric):
        rng = np.random.default_rng(2)
        drawn = rng.multinomial(500, [0.7, 0.2, 0.1], size=(3000, 6))
        measured = bcv.correlations([matrix(*folds.T) for folds in drawn], metric)
        assert measured.rho0 == pytest.approx(1, abs=0.06)
        assert measured.factor == pytest.approx(1, abs=0.1)

    def test_truth_takes_out_what_it_explains(self):
        rng = np.random.default_rng(3)
        level = rng.uniform(0.5, 0.9, size=(3000, 1))
        hits = rng.binomial(400, np.broadcast_to(level, (3000, 6)))
        corpora = [matrix(row, 0 * row, 400 - row) for row in hits]
        assert bcv.correlations(corpora).rho2 > 5
        assert bcv.correlations(corpora, truth=level).rho2 == pytest.approx(0, abs=0.06)

    def test_one_repetition_has_no_rho2(self):
        pairs = [folds[:2] for folds in self.shared(0.25)]
        measured = bcv.correlations(pairs, repetitions=1)
        assert measured.rho2 == 0
        assert measured.factor == pytest.approx(1 / (measured.rho0 + measured.rho1), rel=1e-9)

    def test_refuses(self):
        four = self.shared(0.1, corpora=4)
        for corpora in (four[:1], four[0]):
            with pytest.raises(ValueError, match="expected a Counts for each of many corpora"):
                bcv.correlations(corpora)
        with pytest.raises(ValueError, match=r"corpora\[1\]: 3 folds: expected 6"):
            bcv.correlations([four[0], four[1][:3]])
        with pytest.raises(ValueError, match=r"corpora\[0\]: expected one row per fold"):
            bcv.correlations([Counts([1] * 6, [1] * 6, [1] * 6)] * 2)
        with pytest.raises(ValueError, match=r"truth: expected \(4, 6\) values, got \(5,\)"):
            bcv.correlations(four, truth=np.ones(5))
        with pytest.raises(ValueError, match="expected items for precision"):
            bcv.correlations([matrix([0] * 6, [0] * 6, [1] * 6)] * 3, "precision")


def standalone(chapter: str, number: int = 0) -> dict:
    """What a cell that readers copy computes, run in an empty namespace."""
    import jupytext

    from press.chapters import ROOT

    sources = [
        cell.source
        for cell in jupytext.read(ROOT / "chapters" / chapter, fmt="md:myst").cells
        if "standalone" in cell.metadata.get("tags", [])
    ]
    namespace: dict = {}
    exec(sources[number], namespace)
    return namespace


def test_the_standalone_cell_of_chapter_1_is_score(capsys):
    found = standalone("1-how-sure.md")
    documents = Counts(found["tp"], found["fp"], found["fn"], unit="document")
    result = score(documents)
    assert found["f1"] == pytest.approx(result.value, rel=1e-12)
    assert found["error"] == pytest.approx(result.standard_error, rel=1e-9)
    np.testing.assert_allclose([found["low"], found["high"]], result.interval, rtol=1e-12)
    (mine,) = read(readers.example("conll")[1])
    np.testing.assert_allclose(score(mine).interval, result.interval, rtol=1e-12)


def test_the_papers_method_in_a_standalone_cell_is_the_library(capsys):
    found = standalone("1-more.md")
    counts = Counts.from_totals(found["gold"], found["predicted"], found["correct"], unit="fold")
    assert counts == paper_counts()["NER", "IOB2"]
    assert found["c"] == pytest.approx(effective_factor(), rel=1e-12)
    for row, metric in zip(found["intervals"], METRICS):
        np.testing.assert_allclose(row, posterior(counts, metric).interval(), rtol=1e-12)


def test_the_factor_in_a_standalone_cell_is_the_library(capsys):
    found = standalone("1-more.md", 1)
    sentences = Counts(found["tp"], 0 * found["tp"], found["fn"])
    assert found["factor"] == pytest.approx(factor_from(sentences, "recall"), rel=1e-9)
    curve = posterior(added_up(sentences), "recall", factor=found["factor"])
    np.testing.assert_allclose([found["low"], found["high"]], curve.interval(), rtol=1e-9)
