"""Chapter 1's library: counts, blocks, the factor, the posteriors."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, sparse, stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from betterthan import bcv, datasets
from betterthan.bcv import BlockedCV, Counts, divergence, effective_factor, posterior

METRICS = ("precision", "recall", "f1")


def paper_counts() -> dict[tuple[str, str], Counts]:
    table = datasets.paper_table("wang-li-2019-counts")
    return {
        key: Counts.from_totals(part.gold, part.predicted, part.correct)
        for key, part in table.groupby(["task", "tags"])
    }


class TestCounts:
    def test_micro_average_is_not_the_mean_of_the_folds(self):
        counts = Counts(tp=[90, 10], fp=[10, 30], fn=[30, 10])
        assert counts.precision == pytest.approx(100 / 140)
        assert counts.recall == pytest.approx(100 / 140)
        assert counts.f1 == pytest.approx(200 / 280)
        assert len(counts) == 2

    def test_f1_is_the_harmonic_mean(self):
        counts = Counts(tp=[7, 9], fp=[3, 1], fn=[5, 2])
        p, r = counts.precision, counts.recall
        assert counts.f1 == pytest.approx(2 * p * r / (p + r), rel=1e-15)

    def test_takes_lists_series_and_scalars(self):
        frame = pd.DataFrame({"tp": [1.0, 2.0], "fp": [0, 1], "fn": [3, 4]})
        assert Counts(frame.tp, frame.fp, frame.fn) == Counts([1, 2], [0, 1], [3, 4])
        assert len(Counts(5, 1, 2)) == 1
        assert Counts(5, 1, 2).recall == pytest.approx(5 / 7)

    def test_many_models_at_once(self):
        many = Counts(np.full((4, 6), 3), np.full((4, 6), 1), np.zeros((4, 6)))
        assert many.precision.shape == (4,)
        np.testing.assert_allclose(many.precision, 0.75)
        assert "4 models" in str(many)

    def test_fields_cannot_be_written_to(self):
        counts = Counts([1, 2], [0, 1], [3, 4])
        with pytest.raises(ValueError, match="read-only"):
            counts.tp[0] = 9

    def test_its_own_copy(self):
        tp = np.array([1, 2])
        counts = Counts(tp, [0, 1], [3, 4])
        tp[0] = 99
        assert counts.tp[0] == 1

    def test_from_spans_needs_start_end_and_label(self):
        gold = [[(0, 2, "PER"), (3, 4, "LOC")], [], [(0, 1, "ORG")]]
        found = [[(0, 2, "ORG"), (3, 4, "LOC")], [(5, 6, "LOC")], [(0, 1, "ORG")]]
        assert Counts.from_spans(gold, found) == Counts([2], [2], [1])

    def test_from_spans_takes_one_flat_sentence(self):
        counts = Counts.from_spans([(0, 2, "PER"), (3, 4, "LOC")], [(0, 2, "PER")])
        assert counts == Counts([1], [0], [1])
        assert Counts.from_spans([], [(0, 2, "PER")]) == Counts([0], [1], [0])

    def test_from_spans_agrees_with_seqeval(self):
        from seqeval.metrics import f1_score, precision_score, recall_score

        from betterthan import tags

        rng = np.random.default_rng(5)
        labels = np.array(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
        gold = [list(labels[rng.integers(0, 5, 12)]) for _ in range(60)]
        found = [
            [g if rng.random() < 0.8 else labels[rng.integers(5)] for g in sentence]
            for sentence in gold
        ]
        counts = Counts.from_spans(
            [tags.to_spans(s) for s in gold], [tags.to_spans(s) for s in found]
        )
        assert counts.precision == pytest.approx(precision_score(gold, found), abs=1e-12)
        assert counts.recall == pytest.approx(recall_score(gold, found), abs=1e-12)
        assert counts.f1 == pytest.approx(f1_score(gold, found), abs=1e-12)

    def test_concatenate_keeps_the_order(self):
        folds = [Counts(i, i + 1, i + 2) for i in range(6)]
        stacked = Counts.concatenate(folds)
        np.testing.assert_array_equal(stacked.tp, range(6))
        assert Counts.concatenate(*folds) == stacked
        assert stacked[3] == folds[3]

    def test_an_empty_matrix_is_fine_but_an_empty_total_is_not(self):
        assert Counts(tp=[0, 4], fp=[0, 1], fn=[0, 2]).precision == pytest.approx(0.8)
        nothing_found = Counts(tp=[0, 0], fp=[0, 0], fn=[3, 2])
        assert nothing_found.recall == 0
        assert nothing_found.f1 == 0
        with pytest.raises(ValueError, match=r"precision is undefined.*tp \+ fp above 0"):
            _ = nothing_found.precision
        with pytest.raises(ValueError, match="recall is undefined"):
            _ = Counts([0], [2], [0]).recall
        with pytest.raises(ValueError, match="f1 is undefined"):
            _ = Counts([0], [0], [0]).f1
        assert "undefined" in str(nothing_found)

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            (([1, -2], [0, 0], [0, 0]), r"tp\[1\]=-2.*whole number of at least 0"),
            (([1, 2], [0.5, 0], [0, 0]), r"fp\[0\]=0.5"),
            (([1, 2], [0, 0], [0, math.nan]), r"fn\[1\]=nan"),
            (([1, 2], [0, 0], [0, math.inf]), r"fn\[1\]=inf"),
            (([1, 2], [0], [0, 0]), "same shape"),
            (([], [], []), "at least one count"),
            ((["a"], [0], [0]), "tp: expected whole numbers"),
            (([True], [0], [0]), "tp: expected counts"),
            (([10**16], [0], [0]), "at most 1e"),
        ],
    )
    def test_refuses(self, fields, words):
        with pytest.raises(ValueError, match=words):
            Counts(*fields)

    def test_refuses_impossible_totals_and_spans(self):
        with pytest.raises(ValueError, match="correct: expected at most as many items as gold"):
            Counts.from_totals(gold=[5], predicted=[9], correct=[6])
        with pytest.raises(ValueError, match="predicted: expected the shape"):
            Counts.from_totals(gold=[5], predicted=[9, 9], correct=[5])
        with pytest.raises(ValueError, match=r"gold\[0\].*stands twice"):
            Counts.from_spans([[(0, 1, "A"), (0, 1, "A")]], [[]])
        with pytest.raises(ValueError, match="as many sentences as gold"):
            Counts.from_spans([[], []], [[]])
        with pytest.raises(ValueError, match="expected one or more Counts"):
            Counts.concatenate([])
        with pytest.raises(ValueError, match="same models"):
            Counts.concatenate(
                Counts(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1))), Counts(1, 1, 1)
            )


class TestBlockedCV:
    def test_the_paper_partition(self):
        cv = BlockedCV(m=3, seed=7)
        block = cv.blocks(range(40)) + 1
        halves = [set(block[train]) for train, _ in cv.split(range(40))]
        assert halves == [{1, 2}, {3, 4}, {1, 3}, {2, 4}, {2, 3}, {1, 4}]

    @pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 8, 15, 16, 31])
    @pytest.mark.parametrize("n", [64, 67, 130])
    def test_halves_swap_and_share_a_quarter(self, m, n):
        cv = BlockedCV(m=m, seed=3)
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
        cv = BlockedCV(m=m)
        assert cv.n_blocks == blocks
        assert len(list(cv.split(range(blocks)))) == 2 * m
        with pytest.raises(ValueError, match=f"X: expected at least {blocks} instances"):
            list(cv.split(range(blocks - 1)))

    def test_seeds(self):
        def first(seed):
            return next(BlockedCV(seed=seed).split(range(100)))[0]

        np.testing.assert_array_equal(first(4), first(4))
        assert not np.array_equal(first(4), first(5))
        np.testing.assert_array_equal(
            first(np.random.SeedSequence(4)), first(np.random.SeedSequence(4))
        )

    def test_in_scikit_learn(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(90, 3)), np.arange(90) % 2
        X[y == 1] += 1
        cv = BlockedCV(m=3, seed=1, balance=pd.get_dummies(y))
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
        for train, valid in BlockedCV(seed=2).split(np.zeros(120), groups=groups):
            assert not set(groups[train]) & set(groups[valid])
            assert len(train) == len(valid)
        scores = cross_validate(
            LogisticRegression(),
            np.random.default_rng(1).normal(size=(120, 2)),
            np.arange(120) % 2,
            cv=BlockedCV(seed=2),
            groups=groups,
        )
        assert len(scores["test_score"]) == 6

    def test_groups_that_cannot_be_even_are_refused(self):
        with pytest.raises(ValueError, match="at least 4 groups"):
            list(BlockedCV().split(np.zeros(9), groups=[0, 0, 0, 1, 1, 1, 2, 2, 2]))
        with pytest.raises(ValueError, match="groups even enough for 4 blocks"):
            list(BlockedCV().split(np.zeros(100), groups=[0] * 90 + list(range(1, 11))))
        with pytest.raises(ValueError, match="groups: expected no missing"):
            list(BlockedCV().split(np.zeros(5), groups=["a", "b", "c", "d", None]))

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
        plain = divergence(BlockedCV(seed=1).split(units, groups=groups), units)
        even = divergence(BlockedCV(seed=1, balance=units).split(units, groups=groups), units)
        assert even < plain / 3

    @pytest.mark.parametrize("m", [3, 7])
    def test_balancing_wins_over_random_blocks(self, m):
        labels = [s.tags for s in datasets.entities(datasets.peoples_daily(400))]
        units = bcv.count_units([[t for t in line if t != "O"] for line in labels])
        for seed in range(5):
            random = divergence(BlockedCV(m, seed).split(units), units)
            even = divergence(BlockedCV(m, seed, balance=units).split(units), units)
            assert even < random / 10

    def test_balancing_evens_out_a_single_unit(self):
        lengths = np.random.default_rng(0).poisson(20, size=101)
        cv = BlockedCV(seed=0, balance=lengths)
        for train, valid in cv.split(lengths):
            assert abs(len(train) - len(valid)) <= 2
        assert divergence(cv.split(lengths), lengths) < 1e-3

    def test_balance_takes_sparse_tables_and_ignores_units_that_never_occur(self):
        table = np.random.default_rng(0).poisson(0.3, size=(60, 8))
        table[:, 3] = 0
        dense = list(BlockedCV(seed=1, balance=table).split(table))
        for (a, _), (b, _) in zip(
            dense, BlockedCV(seed=1, balance=sparse.csr_matrix(table)).split(table)
        ):
            np.testing.assert_array_equal(a, b)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"m": 0}, "m=0"),
            ({"m": 2.5}, "m=2.5"),
            ({"m": True}, "m=True"),
            ({"seed": -1}, "seed=-1"),
            ({"seed": "x"}, "seed='x'"),
            ({"balance": [[1, -1]]}, "balance: expected finite counts of at least 0"),
            ({"balance": [[1, math.nan]]}, "balance: expected finite"),
            ({"balance": [["a"]]}, "balance: expected a table"),
            ({"balance": np.zeros((2, 2, 2))}, "balance: expected a row an instance"),
        ],
    )
    def test_refuses(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            BlockedCV(**arguments)

    def test_refuses_a_balance_of_another_length(self):
        with pytest.raises(ValueError, match=r"balance: expected one row an instance \(9\)"):
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
        assert effective_factor(m=5, rho1=1, rho2=1) == pytest.approx(1 / 10, rel=1e-15)

    @pytest.mark.parametrize("m", [1, 2, 3, 7, 50])
    @pytest.mark.parametrize(
        ("rho1", "rho2"),
        [
            ((0, 0.5), (0.25, 0.5)),
            ((-0.3, 0.2), (0.1, 0.1000001)),
            ((0.1, 0.1 + 1e-9), (0.25, 0.5)),
            ((0, 1e-4), (0.3, 0.3001)),
            (0.2, (0, 1)),
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
            ({"m": 0}, "m=0"),
            ({"rho1": (0.5, 0.1)}, "rho1.*low ≤ high"),
            ({"rho2": (0.1, 0.2, 0.3)}, "rho2.*number or a pair"),
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
        counts = Counts([30, 28], [4, 6], [9, 11])
        for metric, lost in (("precision", 10), ("recall", 20)):
            ours = posterior(counts, metric, prior=0.5, factor=0.7)
            beta = stats.beta(0.7 * 58 + 0.5, 0.7 * lost + 0.5)
            t = np.linspace(0.01, 0.99, 41)
            np.testing.assert_allclose(ours.pdf(t), beta.pdf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.cdf(t), beta.cdf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.sf(t), beta.sf(t), rtol=1e-10)
            np.testing.assert_allclose(ours.ppf([0.1, 0.9]), beta.ppf([0.1, 0.9]), rtol=1e-12)
            assert ours.mean() == pytest.approx(beta.mean(), rel=1e-13)
            assert ours.std() == pytest.approx(beta.std(), rel=1e-12)

    def test_f1_is_the_papers_beta_prime(self):
        counts = Counts([30, 28], [4, 6], [9, 11])
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
    def test_density_mean_and_std_agree_with_each_other(self, metric, counts):
        p = posterior(Counts(*counts), metric, factor=1)
        cuts = [0, *p.ppf([1e-6, 0.01, 0.5, 0.99, 1 - 1e-6]), 1]

        def over(function):
            return sum(
                integrate.quad(function, low, high, epsabs=1e-13)[0] for low, high in pairwise(cuts)
            )

        assert over(p.pdf) == pytest.approx(1, abs=1e-9)
        mean = over(lambda t: t * p.pdf(t))
        assert p.mean() == pytest.approx(mean, abs=1e-9)
        assert p.std() == pytest.approx(
            math.sqrt(over(lambda t: (t - mean) ** 2 * p.pdf(t))), abs=1e-8
        )

    @pytest.mark.parametrize("metric", METRICS)
    @pytest.mark.parametrize("counts", [(0, 0, 0), (0, 0, 5), (1, 4, 20), (90, 8, 12), (9, 0, 0)])
    def test_mode_is_where_the_density_is_highest(self, metric, counts):
        p = posterior(Counts(*counts), metric, factor=1)
        grid = np.linspace(0, 1, 200_001)
        best = p.pdf(grid).max()
        assert p.pdf(p.mode()) == pytest.approx(best, rel=1e-8)

    def test_mode_and_point_estimate(self):
        counts = Counts([900], [60], [120])
        assert posterior(counts, "precision", factor=1).mode() == pytest.approx(counts.precision)
        assert posterior(counts, "recall", factor=1).mode() == pytest.approx(counts.recall)
        assert posterior(counts, "f1", factor=1).mode() < counts.f1 - 1e-4

    @pytest.mark.parametrize("metric", METRICS)
    def test_a_trillion(self, metric):
        big = 10**12
        for counts in ((big, 10**9, 10**11), (big, 0, 0), (0, big, big), (big, 1, 2)):
            p = posterior(Counts(*([c] * 6 for c in counts)), metric)
            low, high = p.interval(0.95)
            assert 0 <= low < high <= 1
            assert low - 1e-9 <= p.mean() <= high + 1e-9
            assert np.isfinite(p.pdf((low + high) / 2))
            assert p.cdf(high) - p.cdf(low) == pytest.approx(0.95, abs=1e-4)

    def test_a_trillion_against_the_normal_approximation(self):
        p = posterior(Counts([10**12], [10**11], [0]), "precision", factor=1)
        mean, n = 10 / 11, 1.1e12
        sd = math.sqrt(mean * (1 - mean) / n)
        low, high = p.interval(0.95)
        assert (high - low) / (2 * 1.959963984540054 * sd) == pytest.approx(1, abs=1e-6)
        t = mean + sd
        assert p.pdf(t) * sd == pytest.approx(stats.norm.pdf(1), rel=3e-6)

    def test_vectorised(self):
        rng = np.random.default_rng(1)
        fields = rng.integers(0, 500, size=(3, 50, 6))
        low, high = posterior(Counts(*fields), "f1").interval()
        assert low.shape == (50,)
        for i in (0, 17, 49):
            one = posterior(Counts(*fields[:, i]), "f1")
            assert (low[i], high[i]) == one.interval()
            assert posterior(Counts(*fields), "f1").mean()[i] == pytest.approx(one.mean())

    def test_draws_follow_the_distribution(self):
        p = posterior(Counts([40], [5], [9]), "f1", factor=1)
        draws = p.rvs(20_000, random_state=1)
        assert stats.kstest(draws, p.cdf).pvalue > 0.01
        np.testing.assert_array_equal(draws, p.rvs(20_000, random_state=1))
        assert isinstance(p.rvs(random_state=1), float)

    def test_factor_none_means_calibrated_for_the_matrices_there_are(self):
        folds = Counts([50] * 10, [5] * 10, [5] * 10)
        assert posterior(folds, "recall").interval() == (
            posterior(folds, "recall", factor=effective_factor(5)).interval()
        )

    def test_outside_the_unit_interval(self):
        p = posterior(Counts([4], [1], [1]), "f1", factor=1)
        assert p.pdf(-0.1) == p.pdf(1.1) == p.cdf(-3) == p.sf(2) == 0
        assert p.cdf(7) == 1
        with pytest.raises(ValueError, match=r"q=1\.5"):
            p.ppf(1.5)
        with pytest.raises(ValueError, match="confidence=1"):
            p.interval(1)

    @settings(max_examples=60, deadline=None)
    @given(
        st.tuples(*[st.integers(0, 10**6)] * 3),
        st.sampled_from(METRICS),
        st.sampled_from([0.5, 1.0, 2.0]),
    )
    def test_cdf_and_ppf_are_inverse_and_more_hits_help(self, counts, metric, prior):
        p = posterior(Counts(*counts), metric, prior=prior, factor=1)
        for q in (1e-6, 0.3, 0.9):
            assert p.cdf(p.ppf(q)) == pytest.approx(q, rel=1e-6)
            # Close to 1 a float has few digits left for what lies above it.
            if p.isf(q) < 1 - 1e-9:
                assert p.sf(p.isf(q)) == pytest.approx(q, rel=1e-6)
        tp, fp, fn = counts
        better = posterior(Counts(tp + 1, fp, fn), metric, prior=prior, factor=1)
        worse = posterior(Counts(tp, fp + 1, fn + 1), metric, prior=prior, factor=1)
        for q in (0.05, 0.5, 0.95):
            assert worse.ppf(q) < p.ppf(q) < better.ppf(q)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"metric": "accuracy"}, "metric='accuracy': expected one of 'precision'"),
            ({"prior": 0}, "prior=0"),
            ({"prior": math.nan}, "prior=nan"),
            ({"factor": 0}, "factor=0"),
            ({"factor": -1}, "factor=-1"),
        ],
    )
    def test_refuses_arguments(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            posterior(Counts([1, 2], [1, 1], [1, 1]), **arguments)

    def test_refuses_numbers_of_matrices(self):
        with pytest.raises(ValueError, match=r"even number of matrices.*got 3"):
            posterior(Counts([1] * 3, [1] * 3, [1] * 3))
        with pytest.raises(ValueError, match=r"even number of matrices.*got 5"):
            posterior(Counts([1] * 5, [1] * 5, [1] * 5), factor=1)
        with pytest.raises(ValueError, match="expected a factor with a single matrix"):
            posterior(Counts(1, 1, 1))
        with pytest.raises(ValueError, match=r"counts=.*expected a betterthan\.bcv\.Counts"):
            posterior((1, 2, 3))


class TestCorrelations:
    def shared(self, rho, corpora=4000, n=400, seed=0):
        """Folds whose hits are partly the same coin flips: covariance rho of the variance."""
        rng = np.random.default_rng(seed)
        common = rng.binomial(int(rho * n), 0.7, size=(corpora, 1))
        own = rng.binomial(n - int(rho * n), 0.7, size=(corpora, 6))
        hits = common + own
        return Counts(hits, np.zeros_like(hits), n - hits)

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
        counts = self.shared(0.3, corpora=50)
        recall = counts.tp / 400
        cov = np.cov(recall.T)
        p = recall.mean()
        assert bcv.correlations(counts).rho1 == pytest.approx(
            np.mean([cov[0, 1], cov[2, 3], cov[4, 5]]) / (p * (1 - p) / 400), rel=1e-9
        )

    @pytest.mark.parametrize("metric", ["precision", "f1"])
    def test_other_metrics_of_independent_folds(self, metric):
        rng = np.random.default_rng(2)
        tp, fp, fn = (rng.multinomial(500, [0.7, 0.2, 0.1], size=(3000, 6))).transpose(2, 0, 1)
        measured = bcv.correlations(Counts(tp, fp, fn), metric)
        assert measured.rho0 == pytest.approx(1, abs=0.06)
        assert measured.factor == pytest.approx(1, abs=0.1)

    def test_truth_takes_out_what_it_explains(self):
        rng = np.random.default_rng(3)
        level = rng.uniform(0.5, 0.9, size=(3000, 1))
        hits = rng.binomial(400, np.broadcast_to(level, (3000, 6)))
        counts = Counts(hits, np.zeros_like(hits), 400 - hits)
        assert bcv.correlations(counts).rho2 > 5
        assert bcv.correlations(counts, truth=level).rho2 == pytest.approx(0, abs=0.06)

    def test_refuses(self):
        one = Counts([4, 5], [0, 0], [1, 1])
        with pytest.raises(ValueError, match="counts: expected at least two corpora"):
            bcv.correlations(one)
        with pytest.raises(ValueError, match="even number of matrices a corpus, got 3"):
            bcv.correlations(self.shared(0.1, corpora=4)[:3])
        with pytest.raises(ValueError, match="truth: expected a shape"):
            bcv.correlations(self.shared(0.1, corpora=4), truth=np.ones(5))
        with pytest.raises(ValueError, match="expected items for precision"):
            bcv.correlations(
                Counts(np.zeros((3, 2)), np.zeros((3, 2)), np.ones((3, 2))), "precision"
            )


def standalone(chapter: str) -> dict:
    """What the cell that readers copy computes, run in an empty namespace."""
    import jupytext

    from tests.book.chapters import ROOT

    (source,) = (
        cell.source
        for cell in jupytext.read(ROOT / "chapters" / chapter, fmt="md:myst").cells
        if "standalone" in cell.metadata.get("tags", [])
    )
    namespace: dict = {}
    exec(source, namespace)
    return namespace


def test_the_standalone_cell_of_chapter_1_is_the_library(capsys):
    found = standalone("1-how-sure.md")
    counts = Counts.from_totals(found["gold"], found["predicted"], found["correct"])
    assert counts == paper_counts()["NER", "IOB2"]
    assert found["c"] == pytest.approx(effective_factor(), rel=1e-12)
    for row, metric in zip(found["intervals"], METRICS):
        np.testing.assert_allclose(row, posterior(counts, metric).interval(), rtol=1e-12)
