"""Tango's score for right and wrong answers, and "no difference of more than m" for everything."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from betterthan import Results, compare, plan
from betterthan.__main__ import main
from betterthan._tango import METHOD, Tango, fewest
from betterthan._unseen import Effects, effects, negative
from betterthan._unseen import fewest as fewest_units
from betterthan.counts import Counts, count_classes
from betterthan.results import as_results

CLAIM = "no difference of more than"


def answers(gained: int, lost: int, both: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    """Right and wrong answers of A and B."""
    a = np.repeat([0.0, 1.0, 1.0, 0.0], [gained, lost, both, neither])
    b = np.repeat([1.0, 0.0, 1.0, 0.0], [gained, lost, both, neither])
    return a, b


def score_by_search(gained: int, lost: int, n: int, difference: float) -> float:
    """T(δ) with the restricted maximum of the likelihood found by search, not by formula."""

    def unlikely(q: float) -> float:
        chances = np.array([q + difference, q, 1 - 2 * q - difference])
        seen = np.array([gained, lost, n - gained - lost])
        kept = seen > 0
        return -float(seen[kept] @ np.log(np.maximum(chances[kept], 1e-300)))

    low, high = max(0.0, -difference), (1 - difference) / 2
    options = {"xatol": 1e-13}
    q = optimize.minimize_scalar(unlikely, bounds=(low, high), method="bounded", options=options).x
    return (gained - lost - n * difference) / math.sqrt(n * (2 * q + difference * (1 - difference)))


class TestTango:
    @pytest.mark.parametrize(
        ("gained", "lost", "n"), [(12, 5, 40), (1, 1, 3), (30, 90, 400), (9, 0, 20)]
    )
    def test_the_score_is_that_of_the_restricted_likelihood(self, gained, lost, n):
        for difference in (-0.6, -0.2, 0.01, 0.1, 0.35, 0.8):
            ours = Tango(gained, lost, n).score(difference)
            expected = score_by_search(gained, lost, n, difference)
            assert ours == pytest.approx(expected, rel=1e-4, abs=1e-4)

    def test_a_published_interval(self):
        """Fagerland, Lydersen and Laake (2014): 1 and 7 of 21 children, -0.517 to -0.026."""
        assert Tango(1, 7, 21).interval(0.95) == pytest.approx((-0.517, -0.026), abs=5e-4)

    def test_no_difference_is_mcnemar_without_correction(self):
        result = compare(*answers(14, 5, 50, 31))
        assert result.pvalue == pytest.approx(stats.chi2.sf((14 - 5) ** 2 / 19, 1))
        assert result.p_better == pytest.approx(1 - result.pvalue / 2)
        assert result.method == METHOD

    def test_the_interval_holds_what_the_test_does_not_reject(self):
        found = Tango(14, 5, 100)
        low, high = found.interval(0.9)
        assert found.below(low) == pytest.approx(0.05)
        assert found.below(high) == pytest.approx(0.95)

    @pytest.mark.parametrize("n", [2, 5, 30, 500])
    def test_identical_systems_are_answered(self, n):
        x = np.arange(n) % 2
        result = compare(x, x)
        z2 = stats.norm.ppf(0.975) ** 2
        reach = z2 / (n + z2)
        assert result.interval == pytest.approx((-reach, reach))
        assert (result.pvalue, result.p_better, result.standard_error) == (1.0, 0.5, 0.0)
        assert "nothing tells the two apart" in str(result)
        assert "nan" not in json.dumps(result.record()).lower()
        assert result.plot() is not None

    def test_one_more_item_on_which_both_agree_changes_nothing(self):
        before = [compare(*answers(6, 0, n - 6, 0)) for n in (1000, 1001, 5000)]
        assert len({one.pvalue for one in before}) == 1
        assert all("B is better than A" in str(one) for one in before)

    def test_exchanging_the_two_turns_everything_round(self):
        a, b = answers(11, 3, 20, 6)
        one, other = compare(a, b, margin=0.1), compare(b, a, margin=0.1)
        assert one.interval == pytest.approx((-other.interval.high, -other.interval.low))
        assert one.p_better == pytest.approx(1 - other.p_better)
        assert (one.pvalue, one.p_within) == pytest.approx((other.pvalue, other.p_within))

    def test_labels_are_right_or_wrong_too(self):
        gold = np.array(list("abcab" * 12))
        said = [np.where(np.arange(60) % k == 0, "a", gold) for k in (4, 7)]
        hits = [(one == gold).astype(float) for one in said]
        expected = compare(*hits)
        counted = compare(*(count_classes(gold, one) for one in said))
        assert counted.method == METHOD
        assert counted.interval == expected.interval
        assert counted.pvalue == expected.pvalue

    def test_groups_runs_and_other_numbers_go_another_way(self):
        a, b = answers(8, 2, 30, 20)
        assert compare(a, b, groups=np.arange(60) % 20).method != METHOD
        assert compare(a, b, groups=np.arange(60)).method == METHOD
        assert compare([a, a[::-1]], [b, b[::-1]]).method != METHOD
        assert compare(a / 2, b / 2).method != METHOD
        assert compare(Counts(a, 1 - a, 1 - a), Counts(b, 1 - b, 1 - b), "f1").method != METHOD

    def test_lower_is_better_turns_the_words(self):
        a, b = answers(20, 2, 30, 8)
        errors = compare(a, b, higher_is_better=False)
        assert "A is better than B" in str(errors)
        assert errors.p_better == pytest.approx(1 - compare(a, b).p_better)

    def test_what_else_a_comparison_does(self):
        result = compare(*answers(20, 5, 60, 15), names=("old", "new"))
        assert len(result.disagreements()) == 25
        assert plan(result, difference=0.05).n > 100
        assert result.standard_error == pytest.approx(
            np.std(np.repeat([1.0, -1.0, 0.0], [20, 5, 75]), ddof=1) / 10
        )
        assert result.degrees_of_freedom == pytest.approx(99)

    @given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 300))
    def test_below_rises_and_interval_and_test_agree(self, gained, lost, agree):
        n = gained + lost + agree
        if n < 2:
            return
        found = Tango(gained, lost, n)
        values = [found.below(value) for value in np.linspace(-1.2, 1.2, 97)]
        assert (np.diff(values) >= -1e-12).all()
        assert (values[0], values[-1]) == (0.0, 1.0)
        low, high = found.interval(0.95)
        assert -1 <= low <= (gained - lost) / n <= high <= 1
        assert (low <= 0 <= high) == (found.pvalue() >= 0.05)


class TestUnseen:
    def test_units_that_agree_give_the_rule_of_three(self):
        for n, margin in ((5, 0.1), (300, 0.01), (40, 0.2)):
            found = Effects(np.zeros(n), -1.0, 1.0).within(margin)
            assert found == pytest.approx(max(0.0, 1 - 2 * (1 - margin) ** n), abs=1e-9)

    @pytest.mark.parametrize("seed", range(6))
    def test_the_integral_is_what_draws_show(self, seed):
        rng = np.random.default_rng(seed)
        weights = rng.choice([-0.4, 0.0, 0.01, 0.05, 0.3], 5 + 10 * seed) + rng.normal(0, 0.02)
        weights = np.append(weights, -0.9)
        drawn = (rng.standard_exponential((100_000, len(weights))) @ weights < 0).mean()
        assert negative(weights) == pytest.approx(drawn, abs=0.006)

    def test_sums_that_cannot_fall_below_0(self):
        assert negative([1.0, 2.0]) == 0.0
        assert negative([-1.0, 0.0]) == 1.0
        assert negative([1.0, -1.0]) == pytest.approx(0.5)

    def test_f1_against_weighted_counts(self):
        """The linear form against the counts themselves with random weights."""
        rng = np.random.default_rng(3)
        gold = 1 + rng.poisson(1.0, 200)
        tables = []
        for _ in range(2):
            tp = rng.binomial(gold, 0.85)
            tables.append(np.column_stack([tp, rng.poisson(0.2, 200), gold - tp]).astype(float))
        result = compare(*(Counts(*table.T) for table in tables), margin=0.05)
        e = rng.standard_exponential((20_000, 201))
        size = gold.mean()
        right, wrong = np.array([size, 0, 0]), np.array([0, size, size])

        def f1(table, unseen):
            sums = e[:, 1:] @ table + e[:, :1] * unseen
            return 2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1] + sums[:, 2])

        low = f1(tables[1], wrong) - f1(tables[0], right)
        high = f1(tables[1], right) - f1(tables[0], wrong)
        drawn = 1 - (low < -0.05).mean() - (high > 0.05).mean()
        assert 0.1 < drawn < 0.95
        assert result.p_within == pytest.approx(drawn, abs=0.02)

    def test_groups_are_sums_in_units_of_their_average_size(self):
        rng = np.random.default_rng(0)
        groups = np.repeat(np.arange(30), 1 + rng.integers(0, 9, 30))
        a, b = rng.random((2, len(groups)))
        data = compare(a, b, groups=groups)._data
        found = effects(data)
        assert found.seen.mean() == pytest.approx((b - a).mean())
        sizes = np.bincount(groups)
        assert (
            found.high == -found.low == pytest.approx((sizes**2).sum() / sizes.sum() / sizes.mean())
        )

    def test_the_classes_of_macro_f1_are_hit_where_it_hurts(self):
        rng = np.random.default_rng(4)
        gold = np.array(["often"] * 190 + ["rare"] * 10)
        said = [np.where(rng.random(200) < 0.9, gold, gold[::-1]) for _ in range(2)]
        macro = compare(*(count_classes(gold, one) for one in said), "macro_f1", margin=0.05)
        micro = compare(*(count_classes(gold, one) for one in said), margin=0.05)
        assert macro.p_within < micro.p_within

    def test_seconds_have_no_worst_value(self):
        rng = np.random.default_rng(1)
        a = rng.lognormal(1, 0.5, 200)
        result = compare(a, a + rng.normal(0, 0.1, 200), margin=0.1)
        known = result._distribution
        assert effects(result._data) is None
        assert result.p_within == pytest.approx(known.below(0.1) - known.below(-0.1))
        assert CLAIM in str(result)


class TestMargin:
    def test_fewer_than_three_over_the_margin_never_support_the_claim(self):
        x = np.ones(299)
        result = compare(x, x, margin=0.01)
        assert CLAIM not in str(result)
        assert "Fewer than 381 items can never rule out a difference of more than 0.01." in str(
            result
        )
        sentences = Counts(x, 0 * x, 0 * x)
        assert "Fewer than 368 sentences can never" in str(
            compare(sentences, sentences, margin=0.01)
        )

    @pytest.mark.parametrize("margin", [0.01, 0.02, 0.1, 0.5, 1.5])
    def test_the_fewest_is_the_fewest(self, margin):
        for n in (fewest(margin, 0.95), fewest(margin, 0.95) - 1):
            if n >= 2:
                claimed = CLAIM in str(compare(np.ones(n), np.ones(n), margin=margin))
                assert claimed == (n >= fewest(margin, 0.95))
        for n in (fewest_units(margin, 0.95), fewest_units(margin, 0.95) - 1):
            if n >= 2:
                claimed = CLAIM in str(compare(np.full(n, 0.5), np.full(n, 0.5), margin=margin))
                halves = n >= 6  # of fewer than six the half-samples say too little
                assert claimed == (n >= fewest_units(margin, 0.95) and halves)

    def test_five_equal_items_say_nothing(self):
        for x in (np.ones(5), np.full(5, 0.3), np.full(5, 30.0)):
            assert CLAIM not in str(compare(x, x, margin=0.01))

    def test_numbers_without_bound_or_spread_have_no_probability(self):
        result = compare(np.arange(50.0), np.arange(50.0), margin=1.0)
        assert math.isnan(result.p_within)
        assert "either way" not in str(result)
        assert result.record()["p_within"] is None

    def test_rare_losses_hidden_by_noise_are_not_called_nothing(self):
        """B loses one item in fifty whole; where none was drawn, all looks well."""
        rng = np.random.default_rng(0)
        a = rng.uniform(0.3, 0.7, 100)
        b = a + rng.normal(0, 0.005, 100)
        result = compare(a, b, margin=0.01)
        known = result._distribution
        assert known.below(0.01) - known.below(-0.01) > 0.999
        assert result.p_within < 0.5
        assert CLAIM not in str(result)


def small_results() -> st.SearchStrategy:
    """Two systems of any kind on the same units, with or without groups."""
    seeds = st.integers(0, 10_000)
    kinds = st.sampled_from(["right", "share", "seconds", "counts", "same"])
    return st.tuples(seeds, kinds, st.integers(2, 120), st.booleans(), st.floats(0.0, 0.5))


def made(seed: int, kind: str, n: int, grouped: bool, differing: float):
    rng = np.random.default_rng(seed)
    again = rng.random(n) < differing
    groups = rng.integers(0, max(2, n // 3), n) if grouped else None
    if groups is not None and len(set(groups)) < 2:
        groups = None
    if kind == "counts":
        gold = 1 + rng.poisson(1.0, n)
        tp = [rng.binomial(gold, 0.8) for _ in range(2)]
        tp[1] = np.where(again, tp[1], tp[0])
        tp = [np.append(one, 1) for one in tp]
        gold = np.append(gold, 1)
        groups = None if groups is None else np.append(groups, groups[0])
        return *(Counts(one, gold - one, gold - one) for one in tp), groups
    draws = {
        "right": lambda: (rng.random(n) < 0.7).astype(float),
        "share": lambda: rng.random(n),
        "seconds": lambda: rng.lognormal(1, 0.5, n),
        "same": lambda: rng.random(n).round(1),
    }[kind]
    a = draws()
    return a, a.copy() if kind == "same" else np.where(again, draws(), a), groups


@pytest.mark.filterwarnings("ignore:The results of")
class TestNothingContradicts:
    @settings(max_examples=150, deadline=None)
    @given(
        small_results(), st.sampled_from([0.005, 0.02, 0.1, 0.4, 2.0]), st.sampled_from([0.9, 0.95])
    )
    def test_interval_pvalue_probability_claim_and_gate(self, drawn, margin, level):
        a, b, groups = made(*drawn)
        result = compare(
            a, b, groups=groups, margin=margin, confidence_level=level, n_resamples=499
        )
        low, high = result.interval
        sentence, known = str(result), result._distribution
        claimed = f"{CLAIM} {margin:g}" in sentence
        if math.isnan(low):
            assert not claimed
        else:
            assert low <= result.difference + 1e-9 and result.difference <= high + 1e-9
            # 0 is outside exactly where the test rejects
            assert (low <= 0 <= high) == (result.pvalue > 1 - level - 1e-9)
            inside = -margin <= low and high <= margin
            assert claimed == (inside and result.p_within >= level)
        if not math.isnan(result.p_within):
            assert 0 <= result.p_within <= known.below(margin) - known.below(-margin) + 1e-12
        assert result.p_better == pytest.approx(1 - known.below(0.0))
        edges = [known.below(value) for value in np.linspace(-2, 2, 41)]
        assert (np.diff(edges) >= -1e-12).all()
        if claimed:  # whoever may say so passes a gate at minus the margin
            assert low >= -margin
        if "is better than" in sentence:
            assert (result.difference > 0) == ("B is better than A" in sentence)
            assert result.pvalue <= 1 - level + 1e-9


class TestGate:
    def write(self, tmp_path, a, b):
        path = tmp_path / "table.csv"
        rows = [f"i{k},{x:g},{y:g}" for k, (x, y) in enumerate(zip(a, b))]
        path.write_text("\n".join(["id,old,new", *rows]))
        return str(path)

    def test_identical_systems_pass_a_gate_below_0(self, tmp_path, capsys):
        path = self.write(tmp_path, np.arange(500) % 2, np.arange(500) % 2)
        assert main(["compare", path, "--at-least", "-0.02"]) == 0
        out = capsys.readouterr().out
        assert "Gate passed: the gain's lower end -0.0076 is above -0.02." in out
        assert main(["compare", path, "--at-least", "0"]) == 1

    def test_identical_scores_pass_it_too(self, tmp_path, capsys):
        x = np.linspace(0.1, 0.9, 400).round(3)
        assert main(["compare", self.write(tmp_path, x, x), "--at-least", "-0.02"]) == 0
        assert "nan" not in capsys.readouterr().out

    def test_without_an_interval_it_says_why(self, tmp_path, capsys):
        x = np.linspace(10, 20, 40).round(3)
        assert main(["compare", self.write(tmp_path, x, x), "--at-least", "-0.02"]) == 1
        out = capsys.readouterr().out
        assert "Gate not passed: every unit shows the same difference, so it has no interval" in out
        assert "nan" not in out


def test_results_by_hand_are_right_or_wrong():
    a, b = answers(7, 1, 20, 2)
    old, new = Results(a, name="old"), Results(b, name="new")
    assert compare(old, new).method == METHOD
    assert as_results("a", old) is old
