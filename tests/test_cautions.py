"""What results beware of: each note where it should come, and nowhere else."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from betterthan import Results, _cautions, compare, score
from betterthan._hall import hall_interval
from betterthan._together import together
from betterthan.counts import count_classes


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def right(rng, n, ease, alike=1.0):
    """Two systems, right or wrong; how alike hard items are for both."""
    hard = alike * 2.0 * rng.normal(size=n)
    return [(rng.logistic(size=n) < ease + hard).astype(float) for _ in range(2)]


def reversed_(runs):
    return runs[::-1]


class TestSameItems:
    def test_aligned_items_at_high_accuracy_are_not_suspected(self):
        rng = np.random.default_rng(0)
        for _ in range(200):
            a, b = right(rng, 400, 5.0)
            assert _cautions.same_items("AB", [a, b]) == []

    @pytest.mark.parametrize("numbers", [False, True])
    def test_shuffled_items_are(self, numbers):
        rng = np.random.default_rng(1)
        caught = 0
        for _ in range(100):
            a, b = right(rng, 500, 0.3) if not numbers else rng.lognormal(0, 1, (2, 500))
            caught += bool(_cautions.same_items("AB", [a, rng.permutation(b)]))
        assert caught >= 85

    def test_an_outlier_hides_nothing(self):
        rng = np.random.default_rng(2)
        seconds = rng.lognormal(0, 1, 300)
        a, b = seconds.copy(), seconds * rng.lognormal(0, 0.5, 300)
        a[7] = 1e6  # one timeout, of A alone
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.1
        assert _cautions.same_items("AB", [a, b]) == []

    def test_never_where_ids_matched(self):
        rng = np.random.default_rng(3)
        a, b = rng.integers(0, 2, (2, 900))
        ids = [f"q{i}" for i in range(900)]
        assert "same items" in str(compare(a, b))
        assert "same items" not in str(compare(Results(a, ids=ids), Results(b, ids=ids)))

    def test_the_odds_ratio_is_that_of_the_textbook(self):
        cells = [200, 190, 210, 220]
        a, b = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
        ratio, furthest = _cautions._odds_ratio(a == 1, b == 1)
        assert ratio == pytest.approx(200.5 * 220.5 / (190.5 * 210.5))
        spread = math.sqrt(1 / 200.5 + 1 / 220.5 + 1 / 190.5 + 1 / 210.5)
        assert furthest == pytest.approx(math.exp(abs(math.log(ratio)) + 1.645 * spread))


class TestSkew:
    def test_one_sided_right_and_wrong_is_not_skewed(self):
        b = np.zeros(1000)
        b[:12] = 1
        assert "skewed" not in str(compare(np.zeros(1000), b))

    def test_large_differences_on_either_side_do_no_harm(self):
        rng = np.random.default_rng(4)
        told = 0
        for _ in range(40):
            d = rng.choice([-1, 1], 60) * rng.lognormal(0, 1, 60)
            told += "skewed" in str(compare(np.zeros(60), d, n_resamples=99))
        assert told <= 6

    def test_groups_that_differ_in_the_second_run_only_count_too(self):
        """What the first runs share is not all there is to look at."""
        alike = np.full(60, 0.5)
        second = alike + np.random.default_rng(5).lognormal(0, 2, 60)
        runs = [alike, alike], [alike, second]
        assert "skewed" in str(compare(*runs)) and "skewed" in str(compare(*map(reversed_, runs)))

    def test_large_differences_on_one_side_do(self):
        rng = np.random.default_rng(5)
        told = 0
        for _ in range(40):
            d = rng.lognormal(0, 1.5, 60)
            told += "skewed" in str(compare(np.zeros(60), d, n_resamples=99))
        assert told >= 30

    def test_halls_transformation_is_inverted_exactly(self):
        x = np.random.default_rng(6).lognormal(0, 1.3, 40)
        data = together([Results(x)])
        found = data.student(data.systems, [1])
        n, skew = 40, stats.skew(x) / math.sqrt(40) * (39 / 40) ** 1.5
        low, high = hall_interval(found, 0.95)
        for end, quantile in ((low, 0.975), (high, 0.025)):
            t = (x.mean() - end) / (x.std(ddof=1) / math.sqrt(n))
            k = found.skew
            cubic = t + k * t**2 / 3 + k**2 * t**3 / 27 + k / 6
            assert cubic == pytest.approx(stats.t.ppf(quantile, n - 1), rel=1e-6)
        assert found.skew == pytest.approx(skew, rel=0.06)
        assert low > found.interval(0.95).low and high > found.interval(0.95).high

    def test_a_tail_below_turns_the_interval_round(self):
        x = np.random.default_rng(7).lognormal(0, 1.3, 40)
        up, down = score(x).interval, score(-x).interval
        assert down == pytest.approx((-up.high, -up.low))
        assert "Hall's transformation" in str(score(x))

    def test_without_skew_it_is_students_t(self):
        x = np.random.default_rng(8).normal(20, 2, 50)
        assert score(x).interval == pytest.approx(
            stats.t.interval(0.95, 49, x.mean(), stats.sem(x))
        )


class TestDirection:
    """Nobody said which direction is better, and less may be."""

    def both(self, names=("old", "new"), **options):
        rng = np.random.default_rng(11)
        a, b = rng.lognormal(1, 0.5, (2, 40))
        return str(compare(a, b, names=names, n_resamples=199, **options))

    def test_a_ratio_says_so_until_somebody_does(self):
        taken = "More is taken to be better, which is wrong for seconds and costs."
        assert taken in self.both(ratio=True)
        assert taken not in self.both(ratio=True, higher_is_better=True)
        assert taken not in self.both(ratio=True, higher_is_better=False)
        assert taken not in self.both()

    @pytest.mark.parametrize("paired", [True, False])
    def test_a_name_that_sounds_so_does(self, paired):
        named = ("old", "newLatency")
        assert "though 'newLatency' sounds" in self.both(named, paired=paired)
        assert "sounds" not in self.both(named, paired=paired, higher_is_better=False)
        assert "sounds" not in self.both(("old", "tokens_per_second"), paired=paired)

    def test_a_direction_that_came_with_the_results_is_not_asked_for(self):
        a, b = (
            Results([1.0, 2.0, 4.0], name=n, higher_is_better=True) for n in ("cost a", "cost b")
        )
        assert "sounds" not in str(compare(a, b))
        assert "sounds" in str(compare([1.0, 2.0, 4.0], [2.0, 2.0, 5.0], names=("cost", "b")))

    def test_right_and_wrong_have_a_direction(self):
        counts = count_classes(["x", "y"] * 9, ["x", "x"] * 9)
        assert "sounds" not in str(compare(counts, counts, names=("time", "b")))


class TestRareClasses:
    def test_a_class_of_five_is_rare_and_one_of_six_is_not(self):
        for times, rare in ((5, True), (6, False)):
            gold = ["x"] * 50 + ["y"] * times
            said = (["x"] * 3 + ["y"]) * 50
            counts = count_classes(gold, said[: len(gold)])
            assert ("1 of 2 classes is rare" in str(score(counts, "macro_f1"))) is rare
            assert "rare" not in str(score(counts))


class TestMissing:
    def test_wrong_answers_that_are_missing_are_noticed(self):
        rng = np.random.default_rng(9)
        told = {True: 0, False: 0}
        for _ in range(60):
            hard = rng.normal(size=400)
            a, b = (rng.logistic(size=400) < 1 + 1.5 * hard for _ in range(2))
            for at_random in (True, False):
                p = 0.1 if at_random else np.where(b, 0.0, 0.4)
                kept = rng.random(400) > p
                ids = np.arange(400).astype(str)
                old = Results(a.astype(float), ids=ids)
                new = Results(b[kept].astype(float), ids=ids[kept])
                result = compare(old, new, unmatched="drop", n_resamples=99)
                told[at_random] += "not like the rest" in str(result)
        assert told[True] <= 8 and told[False] >= 50

    def test_the_two_scores_are_named(self):
        ids = np.arange(100).astype(str)
        a = np.r_[np.zeros(10), np.ones(60), np.zeros(30)]
        new = Results(np.tile([1.0, 0.0], 45), ids=ids[10:])
        text = str(compare(Results(a, ids=ids, name="old"), new.named("new"), unmatched="drop"))
        assert "old has 0.0000 there and 0.6667 on what was kept" in text


class TestOrder:
    def test_blocks_are_noticed_and_independent_items_are_not(self):
        rng = np.random.default_rng(10)
        told = {True: 0, False: 0}
        for _ in range(60):
            effect = np.repeat(rng.normal(size=20), 20)
            for blocks in (True, False):
                own = effect if blocks else rng.permutation(effect)
                a = rng.logistic(size=400) < 0.5
                b = rng.logistic(size=400) < 0.5 + 2.0 * own
                told[blocks] += "Neighbouring rows" in str(compare(a, b, n_resamples=99))
        assert told[True] >= 30 and told[False] <= 1

    def test_not_with_groups_nor_in_a_sorted_table(self):
        rng = np.random.default_rng(11)
        a = rng.normal(size=400)
        b = a + np.repeat(rng.normal(size=20), 20)
        assert "Neighbouring rows" in str(compare(a, b))
        assert "Neighbouring rows" not in str(compare(a, b, groups=np.arange(400) // 20))
        order = np.argsort(b)
        assert "Neighbouring rows" not in str(compare(a[order], b[order]))


def test_only_items_that_differ_are_noticed():
    a = np.array([1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
    assert "agree on none" in str(compare(a, 1 - a))
    assert "agree on none" not in str(compare(np.r_[a, 1], np.r_[1 - a, 1]))
    assert "agree on none" not in str(compare(a[:9], 1 - a[:9]))
