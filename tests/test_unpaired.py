"""Two separate samples: Welch's test and Newcombe's interval, and that nobody gets them unasked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from betterthan import InputError, Results, compare, compare_each, plan, score
from betterthan.counts import Counts
from betterthan.datasets import study_table


def test_numbers_are_welchs_test():
    rng = np.random.default_rng(3)
    a, b = rng.normal(3, 2, 40), rng.normal(4, 1, 25)
    found, theirs = compare(a, b, paired=False), stats.ttest_ind(b, a, equal_var=False)
    assert found.pvalue == pytest.approx(theirs.pvalue)
    assert tuple(found.interval) == pytest.approx(tuple(theirs.confidence_interval()))
    assert found.degrees_of_freedom == pytest.approx(theirs.df)
    assert found.p_better == pytest.approx(1 - found.pvalue / 2)


def test_shares_put_the_two_intervals_together():
    a, b = np.repeat([1, 0], [70, 50]), np.repeat([1, 0], [65, 15])
    found = compare(a, b, paired=False, margin=0.05)
    (la, ha), (lb, hb) = (score(x).interval for x in (a, b))
    p, q = a.mean(), b.mean()
    low = q - p - np.hypot(q - lb, ha - p)
    high = q - p + np.hypot(hb - q, p - la)
    assert tuple(found.interval) == pytest.approx((low, high))
    # Newcombe's own, with Wilson's intervals, is close.
    (wa, va), (wb, vb) = (proportion_confint(x.sum(), len(x), method="wilson") for x in (a, b))
    assert low == pytest.approx(q - p - np.hypot(q - wb, va - p), abs=0.01)
    assert high == pytest.approx(q - p + np.hypot(vb - q, p - wa), abs=0.01)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_interval_and_probabilities_are_of_one_distribution(level):
    rng = np.random.default_rng(1)
    a, b = rng.random(60) < 0.7, rng.random(90) < 0.85
    found = compare(a, b, paired=False, confidence_level=level)
    known = found._distribution
    assert known.below(found.interval.low) == pytest.approx((1 - level) / 2)
    assert known.below(found.interval.high) == pytest.approx((1 + level) / 2)
    again = compare(a, b, paired=False, confidence_level=1 - found.pvalue)
    assert min(abs(end) for end in again.interval) == pytest.approx(0, abs=1e-8)


def test_groups_are_what_is_drawn_anew():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(20), 10)
    values = (rng.random(200) < np.repeat(rng.random(20), 10)).astype(float)
    alone = compare(values, values[::-1], paired=False)
    one, other = (Results(x, groups=g) for x, g in ((values, groups), (values[::-1], groups[::-1])))
    grouped = compare(one, other, paired=False)
    assert np.ptp(grouped.interval) > 1.5 * np.ptp(alone.interval)
    pair = compare(values, values[::-1], paired=False, groups=(groups, groups[::-1]))
    assert pair.interval == grouped.interval
    assert "200 and 200 items in 20 and 20 groups" in str(grouped)
    with pytest.raises(InputError, match=r"(?s)groups=.*expected a column, or a pair"):
        compare(values, values, paired=False, groups=groups)


def test_counts_and_runs_go_in_too():
    rng = np.random.default_rng(7)
    counts = [Counts(rng.poisson(2, n) + 1, rng.poisson(1, n), rng.poisson(1, n)) for n in (50, 80)]
    found = compare(*counts, paired=False)
    assert found.difference == pytest.approx(counts[1].f1 - counts[0].f1)
    runs = [rng.random(60) < 0.6 for _ in range(3)]
    assert compare(runs, rng.random(40) < 0.5, paired=False).n_runs == (3, 1)


def test_a_perfect_sample_has_an_interval():
    found = compare(np.ones(30), np.ones(50), paired=False)
    assert found.interval.low < 0 < found.interval.high and found.pvalue == 1
    with pytest.raises(InputError, match="results that vary"):
        compare(np.full(9, 5.0), np.full(8, 4.0), paired=False)
    half = compare(np.full(9, 5.0), [4.0, 4.5, 6.0, 5.5], paired=False)
    assert "its spread counts as 0" in str(half)


def test_a_perfect_sample_leaves_its_gap_in_doubt():
    """Three of three right: even the shortest of its intervals begins far below 1."""
    result = compare([1, 1, 1], [1] * 231 + [0] * 69, paired=False)
    at = np.linspace(-0.5, 0.6, 23)
    below = np.array([result.below(value) for value in at])
    assert (np.diff(below) >= 0).all() and result.below(-0.1) == 0.5
    low, high = result.interval
    assert result.below(low) == pytest.approx(0.025) and result.below(high) == pytest.approx(0.975)
    assert result.pvalue == pytest.approx(2 * (1 - result.below(0)))


@pytest.mark.parametrize("asked", [{"ratio": True}, {"shared_runs": True}, {"unmatched": "drop"}])
def test_what_only_pairs_have_is_refused(asked):
    with pytest.raises(InputError, match="separate samples, which are not matched"):
        compare([1.0, 2.0, 3.5], [2.0, 2.5, 4.0, 5.0], paired=False, **asked)


def test_it_is_said_and_never_chosen_by_itself():
    a, b = Results([1, 0, 1, 1, 0], ids=[*"abcde"]), Results([1, 0, 1, 0], ids=[*"defg"])
    for other in (b, [1, 0, 1, 1, 0, 1]):
        with pytest.raises(
            InputError, match=r"say .*paired=False if these are two separate samples"
        ):
            compare(a, other)
    said = str(compare(a, b, paired=False))
    assert "separate samples of 5 and 4 items" in said
    assert "The two were measured on separate samples" in said
    assert "But 2 items are in both: matched, they would say more." in said
    with pytest.raises(InputError, match="unmatched='drop': does nothing for separate samples"):
        compare(a, b, paired=False, unmatched="drop")
    with pytest.raises(InputError, match="paired=1: "):
        compare(a, b, paired=1)
    with pytest.raises(InputError, match="no units in common"):
        compare(a, b, paired=False).disagreements()
    with pytest.raises(InputError, match="lower is better"):
        compare(a, Results([1, 0, 1], higher_is_better=False), paired=False)


def test_planning_counts_both_samples():
    rng = np.random.default_rng(2)
    pilot = compare(rng.random(100) < 0.6, rng.random(100) < 0.7, paired=False)
    found = plan(pilot, difference=0.1)
    assert "items of both samples together" in str(found)
    # The textbook's number for two proportions of 0.6 and 0.7, within the luck of the pilot.
    assert 500 < found.n < 900


def test_parts_of_separate_samples():
    tasks = ["x"] * 6 + ["y"] * 6
    a, b = Results([1, 0] * 6, groups=tasks), Results([1, 1, 0] * 4, groups=tasks)
    each = compare_each(a, b, paired=False)
    assert [one.n_units_each for one in each.values()] == [(6, 6), (6, 6)]


def test_it_keeps_its_promise():
    """The study: no world misses by more than chance allows."""
    table = study_table("unpaired-coverage").groupby(["world", "what"])[["repetitions", "hits"]]
    for (_, what), row in table.sum().iterrows():
        share, error = row["hits"] / row["repetitions"], np.sqrt(0.05 * 0.95 / row["repetitions"])
        assert row["repetitions"] == 1000
        if what == "interval":
            assert share > 0.95 - 3 * error
        else:
            assert share < 0.05 + 3 * error
