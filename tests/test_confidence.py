"""The evaluation of confidence: ranking, calibration, recalibration, what to look at."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, brier_score_loss

from betterthan import confidence as ev
from betterthan import datasets, readers, taggers
from betterthan._unseen import negative
from betterthan.confidence import _calibration, _unseen, thresholds

# Average precision


def brute_force_average_precision(confidence, correct):
    """Mean over all orders that respect the confidence."""
    n, total, count = len(confidence), 0.0, 0
    for order in itertools.permutations(range(n)):
        if any(confidence[a] > confidence[b] for a, b in itertools.pairwise(order)):
            continue
        found, precisions = 0, []
        for rank, i in enumerate(order, 1):
            if not correct[i]:
                found += 1
                precisions.append(found / rank)
        total += sum(precisions) / len(precisions)
        count += 1
    return total / count


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=7))
def test_average_precision_is_the_mean_over_all_orders(items):
    confidence, correct = zip(*items)
    if all(correct):
        with pytest.raises(ValueError, match="at least one error"):
            ev.average_precision(correct, confidence)
        return
    assert ev.average_precision(correct, confidence) == pytest.approx(
        brute_force_average_precision(confidence, correct), abs=1e-12
    )


def test_average_precision_without_ties_is_scikit_learns():
    rng = np.random.default_rng(0)
    confidence = rng.permutation(2000) / 2000
    correct = rng.random(2000) < 0.2 + 0.8 * confidence
    assert ev.average_precision(correct, confidence) == pytest.approx(
        average_precision_score(~correct, -confidence), abs=1e-12
    )


def test_average_precision_takes_one_array_per_sentence():
    flat = ev.average_precision([0, 1, 1], [0.1, 0.5, 0.2])
    assert ev.average_precision([[0, 1], [1]], [np.array([0.1, 0.5]), np.array([0.2])]) == flat


def test_average_precision_of_a_constant_is_about_the_error_rate():
    correct = np.r_[np.zeros(40, bool), np.ones(1960, bool)]
    value = ev.average_precision(correct, np.ones(2000))
    rng = np.random.default_rng(1)
    orders = [ev.average_precision(correct, rng.permutation(2000)) for _ in range(400)]
    assert value == pytest.approx(np.mean(orders), abs=4 * np.std(orders) / 20)


def test_detected_errors_counts_and_shares_ties():
    rng = np.random.default_rng(2)
    confidence = rng.permutation(50)
    correct = rng.random(50) < 0.7
    by_hand = [(~correct[np.argsort(confidence)[:k]]).sum() for k in range(51)]
    np.testing.assert_allclose(ev.detected_errors(correct, confidence), by_hand)
    np.testing.assert_allclose(
        ev.detected_errors([0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 2, 3, 4]), [0, 0.5, 1, 1.5, 2]
    )
    with pytest.raises(ValueError, match="inspected=5: expected a number from 0 to 4"):
        ev.detected_errors([0, 0, 1, 1], [1, 1, 1, 1], 5)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (ev.average_precision, "confidence"),
        (ev.detected_errors, "confidence"),
        (ev.recalibrate, "confidence"),
        (ev.evaluate, "probability"),
    ],
)
def test_bad_input_is_refused(function, name):
    with pytest.raises(ValueError, match=f"correct has 3, {name} has 2"):
        function([0, 1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match=rf"{name}\[1\] is NaN"):
        function([0, 1], [0.1, math.nan])
    with pytest.raises(ValueError, match=r"correct\[0\] is NaN"):
        function([math.nan, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"expected 0 or 1, but correct\[0\] is 2"):
        function([2, 1], [0.1, 0.3])
    with pytest.raises(ValueError, match="correct: expected at least 1 value"):
        function([], [])
    with pytest.raises(ValueError, match="correct: expected numbers"):
        function(["B", "I"], [0.1, 0.3])


# Calibration


def brute_force_calibration(counts, draws, correct, bins):
    """Bins by whole-number arithmetic on the counts themselves."""
    groups = {}
    for k, right in zip(counts, correct):
        j = min(k * bins // draws, bins - 1)
        groups.setdefault(j, []).append((k / draws, right))
    centre = mean = ece = 0.0
    n = len(counts)
    for j, members in groups.items():
        c = sum(m[1] for m in members) / len(members)
        nu = sum(m[0] for m in members) / len(members)
        centre += len(members) * ((2 * j + 1) / (2 * bins) - c) ** 2
        mean += len(members) * (nu - c) ** 2
        ece += len(members) * abs(nu - c)
    return (
        math.sqrt(centre / n),
        math.sqrt(mean / n),
        ece / n,
        {j: len(g) for j, g in groups.items()},
    )


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 120).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.tuples(st.integers(0, k), st.booleans()), min_size=2)
        )
    ),
    st.sampled_from([1, 7, 10, 20]),
)
def test_calibration_bins_counts_exactly(case, bins):
    draws, items = case
    counts, correct = zip(*items)
    result = ev.evaluate(correct, np.array(counts) / draws, bins=bins)
    rmse, rmse_mean, ece, sizes = brute_force_calibration(counts, draws, correct, bins)
    assert result.rmse_centre == pytest.approx(rmse, abs=1e-12)
    assert result.rmse_mean == pytest.approx(rmse_mean, abs=1e-9)
    assert result.ece == pytest.approx(ece, abs=1e-9)
    assert {j: n for j, n in enumerate(result.table()["n"]) if n} == sizes


def test_a_share_on_the_edge_belongs_above_it_whatever_it_rounds_to():
    assert 29 / 50 * 50 < 29
    table = ev.evaluate([1, 0], [29 / 50, 29 / 50], bins=50).table()
    assert table.index[table["n"] > 0].tolist() == [29]


def brute_force_isotonic(probability, correct):
    """The rising sequence nearest to `correct`, by max-min over all stretches."""
    values = sorted(set(probability))
    mean = {}
    for i, low in enumerate(values):
        for j in range(i, len(values)):
            inside = [c for p, c in zip(probability, correct) if low <= p <= values[j]]
            mean[i, j] = sum(inside) / len(inside)
    best = {
        value: max(min(mean[i, j] for j in range(k, len(values))) for i in range(k + 1))
        for k, value in enumerate(values)
    }
    return np.array([best[p] for p in probability])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=25))
def test_brier_score_splits_exactly_by_isotonic_regression(items):
    """CORP: Dimitriadis, Gneiting and Jordan (2021), section 3."""
    probability, correct = np.array([(k / 8, int(right)) for k, right in items]).T
    result = ev.evaluate(correct, probability)
    recalibrated = np.mean((brute_force_isotonic(probability, correct) - correct) ** 2)
    assert result.brier == pytest.approx(brier_score_loss(correct, probability), abs=1e-12)
    assert result.calibration == pytest.approx(result.brier - recalibrated, abs=1e-12)
    assert result.resolution == pytest.approx(result.uncertainty - recalibrated, abs=1e-12)
    parts = result.calibration - result.resolution + result.uncertainty
    assert parts == pytest.approx(result.brier, abs=1e-12)
    assert result.calibration >= 0 and result.resolution >= 0
    assert result.base_rate == correct.mean()
    if correct.all():
        assert math.isnan(result.average_precision) and "no mistake to find" in str(result)
    else:
        assert result.average_precision == ev.average_precision(correct, probability)


def test_the_parts_are_what_their_names_say():
    rng = np.random.default_rng(3)
    honest = rng.beta(4, 1, 40_000)
    correct = rng.random(40_000) < honest
    told = ev.evaluate(correct, honest)
    assert told.calibration < 0.001 < 0.02 < told.resolution
    bold = ev.evaluate(correct, honest**0.2)
    assert bold.calibration > 0.005
    assert bold.resolution == pytest.approx(told.resolution, abs=1e-12)  # the same order
    constant = ev.evaluate(correct, np.full(40_000, correct.mean()))
    assert constant.calibration == pytest.approx(0, abs=1e-9)
    assert constant.resolution == pytest.approx(0, abs=1e-9)
    assert constant.brier == pytest.approx(constant.uncertainty)


def test_groups_widen_the_interval():
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(60), 20)
    correct = rng.random(1200) < np.repeat(rng.beta(2, 1, 60), 20)
    probability = np.full(1200, 0.7)
    alone, together = (ev.evaluate(correct, probability, groups=g) for g in (None, group))
    assert together.brier == alone.brier
    assert np.ptp(together.interval) > 1.5 * np.ptp(alone.interval)
    assert (alone.n_groups, together.n_groups) == (1200, 60)
    assert "60 groups" in str(together) and "groups" not in str(alone)
    with pytest.raises(ValueError, match="groups: expected one label per unit"):
        ev.evaluate(correct, probability, groups=group[:-1])


def test_a_constant_wins_the_papers_rmse():
    """The weak point of the measure: certainty about everything, at 97.6 % accuracy."""
    rng = np.random.default_rng(4)
    honest = rng.beta(20, 0.5, 50_000)
    correct = rng.random(50_000) < honest
    assert 0.974 < correct.mean() < 0.978
    constant = ev.evaluate(correct, np.ones(50_000))
    truthful = ev.evaluate(correct, honest)
    assert constant.rmse_centre < truthful.rmse_centre
    assert constant.rmse_mean > truthful.rmse_mean
    assert constant.ece > truthful.ece
    assert constant.brier > truthful.brier


def test_the_base_rate_wins_calibration_and_loses_the_brier_score():
    """Why the chapter leads with the Brier score: an honest tagger has noise in every bin."""
    rng = np.random.default_rng(6)
    chance = rng.beta(4.5, 0.5, 2000)
    correct = rng.random(2000) < chance
    honest, constant = ev.evaluate(correct, chance), ev.evaluate(correct, np.full(2000, 0.9))
    assert constant.ece < honest.ece and constant.rmse_mean < honest.rmse_mean
    assert constant.resolution == pytest.approx(0, abs=1e-12)
    assert constant.calibration < honest.calibration
    assert constant.brier > honest.brier


def test_a_group_that_was_not_drawn_adds_nothing():
    n, errors = np.array([2, 0, 3, 0]), np.array([1, 0, 2, 0])
    assert ev.tied_average_precision(n, errors) == ev.tied_average_precision(
        n[n > 0], errors[n > 0]
    )


def test_evaluate_refuses_delta_and_one_answer_and_says_which_way_it_leans():
    with pytest.raises(ValueError, match=r"between 0 and 1, but probability\[1\] is 3.0"):
        ev.evaluate([True, False], [0.5, 3.0])
    with pytest.raises(ValueError, match="correct: expected at least 2 value"):
        ev.evaluate([1], [0.5])
    with pytest.raises(ValueError, match="bins=0"):
        ev.evaluate([1, 0], [0.5, 0.6], bins=0)
    right = [True, True, False, True] * 50
    assert "is too sure (stated minus right +0.1500, 95 %" in str(ev.evaluate(right, [0.9] * 200))
    assert "is too unsure (stated minus right -0.1500" in str(ev.evaluate(right, [0.6] * 200))
    # What luck alone can do is not called by a name: of calibrated models half would lean.
    text = str(ev.evaluate(right[:20], [0.8] * 20))
    assert "is not shown to be too sure or unsure (stated minus right +0.0500" in text
    sentence = str(ev.evaluate([1] * 9 + [0], [0.8] * 10))
    assert "Of 10 answers 90.0 % are right" in sentence
    assert "always saying 0.900 would score 0.0900" in sentence


def test_reliability_plot_draws_the_isotonic_line():
    import matplotlib.pyplot as plt

    ax = ev.evaluate([True, False, False], [0.9, 0.9, 0.2]).plot(label="a")
    assert ev.evaluate([True, False], [0.3, 0.2]).plot(ax, label="b") is ax
    named = {line.get_label(): line for line in ax.get_lines()}
    assert list(named["a"].get_xdata()) == [0.2, 0.9]
    assert list(named["a"].get_ydata()) == [0.0, 0.5]
    assert list(named["b"].get_ydata()) == [0.0, 1.0]
    plt.close(ax.figure)


# Too sure or too unsure: the Poisson binomial


def brute_force_number_right(probability):
    """P(0, 1, … right) by all ways to be right and wrong."""
    chance = np.zeros(len(probability) + 1)
    for way in itertools.product((0, 1), repeat=len(probability)):
        chance[sum(way)] += np.prod([p if hit else 1 - p for p, hit in zip(probability, way)])
    return chance


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.data())
def test_the_exact_test_is_that_of_all_outcomes(stated, data):
    right = data.draw(st.lists(st.booleans(), min_size=len(stated), max_size=len(stated)))
    chance, k = brute_force_number_right(stated), sum(right)
    found = ev.evaluate(right, stated)
    both = 2 * min(chance[: k + 1].sum(), chance[k:].sum())
    assert found.pvalue == pytest.approx(min(1, both), abs=1e-12)
    low, high = found.too_sure
    gap = found.mean_probability - found.base_rate
    assert low - 1e-9 <= gap <= high + 1e-9
    assert (found.pvalue < 0.05) == (low > 0 or high < 0)


def test_equal_probabilities_are_the_binomial_and_many_are_joined_right():
    from scipy import stats

    chance = _calibration.number_right(np.full(700, 0.3))
    np.testing.assert_allclose(
        chance, stats.binom.pmf(np.arange(chance.size), 700, 0.3), atol=1e-14
    )
    # Clopper and Pearson's interval is the same inversion where all probabilities are equal.
    found = ev.evaluate([1] * 170 + [0] * 30, [0.8] * 200)
    ends = stats.binomtest(170, 200).proportion_ci(method="exact")
    np.testing.assert_allclose([0.8 - ends.high, 0.8 - ends.low], found.too_sure, atol=1e-5)


def test_the_normal_curve_stands_in_for_many_answers_only_where_it_is_as_good():
    stated = np.random.default_rng(1).beta(20, 1, 9_000)
    exact = np.cumsum(_calibration.number_right(1 - stated))
    assert (stated * (1 - stated)).sum() > 300
    for wrong in range(350, 520, 7):
        near = 1 - _calibration.tails(stated, 9_000 - wrong - 1)[0]
        assert near == pytest.approx(exact[wrong], abs=1e-4)


def test_groups_follow_the_formula_and_never_beat_independent_answers():
    from scipy import stats

    group = np.repeat([0, 1, 2, 3], [5, 10, 15, 10])
    rng = np.random.default_rng(0)
    stated = rng.uniform(0.5, 1, 40)
    right = rng.random(40) < 0.5 + 0.15 * group
    gap, total = stated - right, (stated - right).sum()
    between = sum((gap[group == g].sum() - (group == g).sum() * total / 40) ** 2 for g in range(4))
    variance = max((stated * (1 - stated)).sum(), 4 / 3 * between)
    degrees = 40**2 / (25 + 100 + 225 + 100) - 1
    found = ev.evaluate(right, stated, groups=group)
    wanted = 2 * stats.t.sf(abs(total) / np.sqrt(variance), degrees)
    assert found.pvalue == pytest.approx(wanted, rel=1e-9)
    one = ev.evaluate(right, stated, groups=[0] * 40)
    assert math.isnan(one.pvalue) and "one group" in str(one) and "not shown to be" in str(one)


def test_a_confident_honest_model_is_not_called_unsure():
    """Second edition: 58 % of such samples of 50 answers were."""
    rng = np.random.default_rng(3)
    stated = rng.beta(99, 1, (150, 50))
    right = rng.random(stated.shape) < stated
    alarms = sum(ev.evaluate(r, p).pvalue < 0.05 for r, p in zip(right, stated))
    assert alarms <= 15
    sure = ev.evaluate([1] * 50, [0.99] * 50)
    assert "not shown to be too sure or unsure" in str(sure) and "two-sided p = 1.000" in str(sure)


# The bound of one unseen answer


def test_the_unseen_bound_is_that_of_random_weights():
    rng = np.random.default_rng(4)
    for n in (5, 30, 200):
        values = rng.beta(0.3, 3, n)
        weights = rng.exponential(size=(200_000, n + 1))
        drawn = [weights @ np.append(values, worst) / weights.sum(axis=1) for worst in (0, 1)]
        low, high = _unseen.interval(values, np.ones(n))
        assert low == pytest.approx(np.quantile(drawn[0], 0.025), rel=0.03)
        assert high == pytest.approx(np.quantile(drawn[1], 0.975), rel=0.01)


def test_the_chance_of_a_weighted_sum_is_near_the_exact_one():
    """Partial fractions: P(Σ e·a > 0) is the sum over positive a of Π a/(a − b)."""
    rng = np.random.default_rng(5)
    for n in np.repeat([6, 10, 14], 20):
        a = rng.normal(rng.choice([-0.5, 0.0]), 1, n)
        exact = sum(
            np.prod([x / (x - y) for j, y in enumerate(a) if j != i])
            for i, x in enumerate(a)
            if x > 0
        )
        if 0.01 < exact < 0.99:  # an interval asks for tails of 2.5 %
            assert _unseen.chance_above_zero(a)[0] == pytest.approx(exact, rel=0.05)


def test_the_formula_agrees_with_the_integral_of_comparisons():
    """One rule, two computations: `compare` takes the integral, thresholds the formula."""
    rng = np.random.default_rng(6)
    for n, near in ((6, 0.05), (30, 0.02), (300, 0.005), (1000, 0.001)):
        for _ in range(20):
            a = np.append(rng.choice([-0.1, 0.9], n, p=[0.93, 0.07]) * rng.uniform(0.5, 2, n), 0.9)
            exact = 1 - negative(a)
            if 0.01 < exact < 0.99:
                assert _unseen.chance_above_zero(a)[0] == pytest.approx(exact, rel=near)


def test_nothing_wrong_is_the_rule_of_three():
    found = ev.evaluate([1] * 100, [1.0] * 100)
    assert found.brier == 0 and found.interval.low == pytest.approx(0, abs=1e-6)
    assert found.interval.high == pytest.approx(1 - 0.025 ** (1 / 100), rel=0.01)


# Thresholds


def test_a_threshold_is_the_binomial_test_from_the_top_down():
    from scipy import stats

    rng = np.random.default_rng(1)
    stated = rng.beta(4, 0.5, 1000)
    right = rng.random(1000) < stated
    found = ev.threshold(right, stated, 0.05)
    given = stated >= found.threshold
    assert (found.n_answered, found.share) == (given.sum(), given.mean())
    assert found.error == pytest.approx((~right[given]).mean())
    assert found.upper <= 0.05 and found.error < 0.05
    table = found.table()
    row = table[table["threshold"] == found.threshold].iloc[0]
    wanted = stats.binom.cdf((~right[given]).sum(), given.sum(), 0.05)
    assert row["pvalue"] == pytest.approx(wanted) and row["pvalue"] <= row["level"]
    assert table["threshold"][table["holds"]].min() == found.threshold
    bound = stats.binomtest(int(row["wrong"]), int(row["n_answered"]), alternative="less")
    ends = bound.proportion_ci(1 - row["level"], method="exact")
    assert found.upper == pytest.approx(ends.high, rel=1e-6)
    assert "at most 5 % of these answers are wrong (95 % confidence" in str(found)
    assert ev.threshold(right, stated, 0.10).share > found.share
    assert ev.threshold(right, stated**3, 0.05).n_answered == found.n_answered  # order alone


def test_levels_are_never_more_than_was_to_be_spent():
    own = np.array([0.02, 0.0, 0.03, 0.0])
    level, rejected = thresholds.fallback(np.array([0.02, 0.5, 0.04, 0.0]), own)
    assert level.tolist() == [0.02, 0.02, 0.03, 0.0]
    assert rejected.tolist() == [True, False, False, False]
    level, rejected = thresholds.fallback(np.zeros(4), own)
    assert level.tolist() == [0.02, 0.02, 0.05, 0.05] and rejected.all()


def test_too_few_answers_or_groups_are_said_to_be_too_few():
    none = ev.threshold([1] * 58, [0.9] * 58)
    assert none.threshold is None and none.share == 0 and math.isnan(none.error)
    assert "No threshold" in str(none) and "takes 59 answers" in str(none)
    assert ev.threshold([1] * 59, [0.9] * 59).threshold == 0.9
    groups = np.repeat(np.arange(40), 20)
    none = ev.threshold([1] * 800, [0.9] * 800, groups=groups)
    assert none.threshold is None and "takes 59 groups" in str(none)
    assert ev.threshold([1] * 800, [0.9] * 800).n_answered == 800


def test_threshold_refuses_bad_input():
    with pytest.raises(ValueError, match="error=0"):
        ev.threshold([1, 0], [0.5, 0.6], 0)
    with pytest.raises(ValueError, match="confidence_level=1"):
        ev.threshold([1, 0], [0.5, 0.6], confidence_level=1)
    with pytest.raises(ValueError, match="probability=None: expected one number per answer"):
        ev.threshold([1, 0])
    with pytest.raises(ValueError, match="groups: expected one label per unit"):
        ev.threshold([1, 0], [0.5, 0.6], groups=[1])


def test_answers_bring_their_groups_and_notes(tmp_path):
    rows = "".join(f"0.9,{'pass' if i % 9 else 'fail'},d{i // 4}\n" for i in range(80))
    path = tmp_path / "answers.csv"
    path.write_text(f"probability,correct,document\n{rows}", encoding="utf-8")
    mine = readers.read_probabilities(path)
    found = ev.evaluate(mine)
    assert found.n_groups == 20 and "'pass' counts as right, 'fail' as wrong." in str(found)
    assert found.pvalue == ev.evaluate(mine.correct, mine.probability, groups=mine.groups).pvalue
    assert ev.threshold(mine, error=0.2).n_groups == 20


def test_threshold_plot_marks_what_was_chosen():
    import matplotlib.pyplot as plt

    found = ev.threshold([1] * 80, np.linspace(0.5, 1, 80))
    ax = found.plot(label="a")
    assert [found.share] in [list(line.get_xdata()) for line in ax.get_lines()]
    plt.close(ax.figure)


# Recalibration


@pytest.mark.parametrize("method", ["isotonic", "temperature"])
@pytest.mark.parametrize("sharpness", [0.4, 3.0])
def test_recalibration_improves_held_out_ece(method, sharpness):
    """The stated log-odds are the true ones times `sharpness`."""
    rng = np.random.default_rng(5)
    z = rng.normal(1.5, 1.5, 20_000)
    correct = rng.random(20_000) < 1 / (1 + np.exp(-z))
    stated = 1 / (1 + np.exp(-sharpness * z))
    fix = ev.recalibrate(correct[:10_000], stated[:10_000], method)
    before = ev.evaluate(correct[10_000:], stated[10_000:])
    after = ev.evaluate(correct[10_000:], fix(stated[10_000:]))
    assert after.ece < before.ece / 3
    assert after.brier < before.brier
    if method == "temperature":
        assert fix.temperature == pytest.approx(sharpness, rel=0.1)
        assert ("too sure" if sharpness > 1 else "too unsure") in str(fix)


def test_recalibration_keeps_sentences_and_takes_delta():
    fix = ev.recalibrate([[0, 1], [1]], [np.array([0.5, 9.0]), np.array([4.0])])
    out = fix([np.array([0.5, 100.0]), np.array([4.0])])
    assert [list(s) for s in out] == [[0.0, 1.0], [1.0]]
    with pytest.raises(ValueError, match="expected values between 0 and 1"):
        ev.recalibrate([0, 1], [0.5, 9.0], "temperature")
    with pytest.raises(ValueError, match="method='platt'"):
        ev.recalibrate([0, 1], [0.5, 0.9], "platt")


def test_isotonic_recalibration_is_scikit_learns():
    rng = np.random.default_rng(9)
    stated = rng.integers(0, 51, 3000) / 50
    correct = rng.random(3000) < stated**2
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(stated, correct)
    asked = np.linspace(-0.1, 1.1, 200)
    np.testing.assert_allclose(
        ev.recalibrate(correct, stated)(asked), theirs.predict(asked), atol=1e-12
    )
    assert "rising function" in str(ev.recalibrate(correct, stated))


def test_a_temperature_does_not_hang_on_the_order_of_the_sums():
    """Processors add in different orders; a minimum that is only near would show that."""
    rng = np.random.default_rng(7)
    stated = rng.beta(5, 1, 400)
    right = rng.random(400) < stated**2
    first = ev.recalibrate(right, stated, "temperature").temperature
    for _ in range(20):
        order = rng.permutation(400)
        again = ev.recalibrate(right[order], stated[order], "temperature").temperature
        assert again == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize(
    ("right", "stated", "expected"),
    [
        ([1, 1, 1], [0.8, 0.9, 0.7], np.exp(-6)),  # always right: as sure as it gets
        ([0, 0, 0], [0.8, 0.9, 0.7], np.exp(6)),
        ([1, 0, 1], [0.5, 0.5, 0.5], 1.0),  # nothing to divide
    ],
)
def test_temperatures_at_the_end_of_the_scale(right, stated, expected):
    assert ev.recalibrate(right, stated, "temperature").temperature == pytest.approx(expected)


def test_temperature_smooths_shares_of_draws():
    correct = [True] * 95 + [False] * 5
    fix = ev.recalibrate(correct, [1.0] * 100, "temperature", draws=50)
    assert fix(np.array([1.0]))[0] == pytest.approx(0.95, abs=1e-4)
    assert fix(np.array([0.0]))[0] == pytest.approx(0.05, abs=1e-4)
    assert fix(np.array([0.5]))[0] == pytest.approx(0.5, rel=1e-12)


# For people


def test_doubtful_lists_least_confident_first_and_breaks_ties():
    words = [["a", "b"], ["c"]]
    labels = [["X", "Y"], ["X"]]
    table = ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=2, tiebreak=[[2.0, 1.0], [1.0]])
    assert list(table["word"]) == ["c", "a"]
    assert list(ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=2)["word"]) == ["a", "c"]
    gold = ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=9, gold=[["X", "X"], ["X"]])
    assert len(gold) == 3
    assert list(gold["gold"]) == ["X", "X", "X"]
    assert ev.doubtful([["北", "京"]], [["B", "E"]], [[0.1, 0.2]], n=1)["context"][0] == "[北]京"
    with pytest.raises(ValueError, match=r"labels\[0\]: expected 2 entries, got 1"):
        ev.doubtful(words, [["X"], ["X"]], [[0.5, 0.9], [0.5]])
    with pytest.raises(ValueError, match="expected arguments of the same length"):
        ev.doubtful(words, labels, [[0.5, 0.9]])


def test_doubt_map_has_text_and_escapes():
    page = ev.plot_doubts(["<b>", "fine"], [0.4, 0.99], ["O", "O"])
    markup = page._repr_html_()
    assert "<b>" not in markup.replace("<br>", "")
    assert "&lt;b&gt;" in markup
    assert 'role="img"' in markup
    assert "1 of 2 words below 0.9" in markup
    assert str(ev.plot_doubts(["fine"], [0.9])) == "no word of 1 below 0.9"
    with pytest.raises(ValueError, match="words has 1, confidence has 2, labels has 1"):
        ev.plot_doubts(["a"], [0.1, 0.2])


@pytest.mark.parametrize(("gold", "predicted"), [(1, 2), (2, 1), (1, 0)])
def test_marks_refuses_unequal_sentences(gold, predicted):
    words = rf"predicted\[1\]: expected {gold} labels, as in gold, got {predicted}"
    with pytest.raises(ValueError, match=words):
        ev.marks([["O"], ["O"] * gold], [["O"], ["O"] * predicted])


# The chapter's standalone cells, and what the studies measured


def standalone_cells():
    import jupytext

    pages = sorted((Path(__file__).parents[1] / "chapters").glob("6-*.md"))
    cells = [cell for page in pages for cell in jupytext.read(page, fmt="md:myst").cells]
    return [c.source for c in cells if "standalone" in c.metadata.get("tags", [])]


def run_cell(source):
    names = {}
    exec(source, names)
    return names


def test_standalone_average_precision_is_the_librarys():
    (source,) = [s for s in standalone_cells() if "average_precision =" in s]
    cell = run_cell(source)
    assert cell["average_precision"] == pytest.approx(
        ev.average_precision(cell["wrong"] == 0, cell["sure"]), abs=1e-12
    )
    rng = np.random.default_rng(6)
    body = source[source.index("total =") :]
    for _ in range(20):
        names = {
            "np": np,
            "sure": rng.integers(0, 6, 40) / 5,
            "wrong": np.r_[1, rng.integers(0, 2, 39)],
        }
        exec(body, names)
        assert names["average_precision"] == pytest.approx(
            ev.average_precision(names["wrong"] == 0, names["sure"]), abs=1e-12
        )


def test_standalone_step_of_cw_is_the_taggers():
    (source,) = [s for s in standalone_cells() if "cw_alpha" in s]
    cell = run_cell(source)
    tagger = taggers.Tagger("cw", passes=1, phi=cell["phi"]).fit([[["the"], ["cat"]]], [["B", "I"]])
    means, variances = (
        a.reshape(len(a), -1)[:, :2].ravel() for a in (tagger._means, tagger._variances)
    )
    np.testing.assert_allclose(means, cell["mu"], atol=1e-6)
    np.testing.assert_allclose(variances, cell["sigma"], atol=1e-6)
    # Eq. (3): after the step the margin is phi standard deviations
    assert cell["mu"] @ cell["delta"] == pytest.approx(cell["phi"] * np.sqrt(cell["v_plus"]))


@pytest.mark.parametrize(("study", "corpus"), [("", "np"), ("-ner", "es"), ("-ner", "nl")])
def test_study_active_learning_is_above_random(study, corpus):
    """Paired by repetition, at the same numbers of words, over the second half of the curves."""
    table = datasets.study_table(f"confidence-active{study}")
    table = table[table["corpus"] == corpus].copy()
    table["f1"] = 2 * table["correct"] / (table["predicted"] + table["gold"])
    runs = table.groupby(["rule", "repeat", "run"])
    last = runs["words"].max().min()
    grid = np.linspace(last / 2, last, 50)
    f1 = pd.Series({key: np.interp(grid, r["words"], r["f1"]).mean() for key, r in runs})
    f1 = f1.groupby(level=[0, 1]).mean()
    assert f1["random"].size >= 3
    for rule in ("kd_pc", "kd_fixed", "min_conf_margin"):
        gain = f1[rule] - f1["random"]
        assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(gain.size), rule


@pytest.fixture
def measured():
    """What the study measured for CW: a value per order, corpus, method and quantity."""
    table = datasets.study_table("confidence-methods")
    table = table[table["versus"].isna() & table["at"].isna()]
    return table.set_index(["order", "corpus", "method", "quantity"])["value"].sort_index()


@pytest.mark.parametrize("corpus", ["np", "es", "nl"])
def test_study_ranks_methods_as_the_chapter_says(measured, corpus):
    for order in range(3):
        a = measured[order, corpus].unstack()["average_precision"]
        assert a["random"] < a["kbv"] < a["wkbv"] < min(a["delta"], a["kd_pc_50"], a["kd_fixed_50"])
        assert a["delta_printed"] < a["delta"]
        # Words in random order: the error rate, give or take the noise of one order.
        wrong = measured[order, corpus, "cw"]
        assert a["constant"] == pytest.approx(wrong["wrong"] / wrong["words"], rel=0.05)
        assert a["base_rate"] == a["constant"]


@pytest.mark.parametrize("corpus", ["np", "es", "nl"])
def test_study_has_the_base_rate_win_rmse_and_lose_the_brier_score(measured, corpus):
    draws = ["kd_pc_50", "kd_fixed_50"]
    for order in range(3):
        a = measured[order, corpus].unstack()
        assert a["rmse_mean"]["base_rate"] < a["rmse_mean"][["kbv", "wkbv", *draws]].min()
        assert a["brier"]["base_rate"] > a["brier"][draws].max()
        assert a["resolution"]["base_rate"] == 0


@pytest.fixture
def official():
    """The same on the official test parts."""
    table = datasets.study_table("official-methods")
    table = table[table["versus"].isna() & table["at"].isna()]
    return table.set_index(["order", "corpus", "method", "quantity"])["value"].sort_index()


@pytest.mark.parametrize("corpus", ["np", "es", "nl"])
def test_official_parts_rank_methods_as_the_workshop_says(official, corpus):
    for order in range(3):
        a = official[order, corpus].unstack()
        ap = a["average_precision"]
        draws = ["kd_pc_50", "kd_fixed_50"]
        assert ap["random"] < ap["kbv"] < ap["wkbv"] < ap[["delta", *draws]].min()
        assert ap["delta_printed"] < ap["delta"]
        assert a["brier"]["base_rate"] > a["brier"][draws].max()
        assert a["rmse_centre"][["constant", "base_rate"]].max() < a["rmse_centre"][draws].min()


def test_official_parts_have_the_papers_sizes():
    """49 to 54 thousand words, and 74 thousand for Dutch: the lines of the files."""
    lines = datasets.study_table("official-sizes").query("part == 'test'").set_index("corpus")
    assert lines["lines"].to_dict() == {"np": 49_389, "es": 54_838, "nl": 74_070}
    methods = datasets.study_table("official-methods").query("method == 'cw' and order == 0")
    words = methods.query("quantity == 'words'").set_index("corpus")["value"]
    assert (words == lines["words"]).all()


def test_the_split_and_not_the_features_lifts_the_names():
    table = pd.concat(
        datasets.study_table(name) for name in ("official-splits", "official-splits-chunk")
    )
    table["f1"] = 2 * table["tp"] / (2 * table["tp"] + table["fp"] + table["fn"])
    f1 = table.pivot_table("f1", "corpus", ["features", "split"])
    names = f1.loc[["es", "nl"]]
    assert (names["ours", "random"] - names["ours", "official"]).min() > 0.07
    assert (names["ours", "official"] - names["chunk", "official"]).max() < 0.02


def test_with_words_and_tags_only_the_perceptron_is_last_on_the_names():
    """In every order, each other learner with the value that was chosen for these features."""
    table = datasets.study_table("official-features").query("part == 'test'")
    table = table[table["low"].notna() | (table["algorithm"] == "perceptron")]
    table = table.assign(f1=2 * table["tp"] / (2 * table["tp"] + table["fp"] + table["fn"]))
    f1 = table.pivot(index=["corpus", "features", "order"], columns="algorithm", values="f1")
    bare = f1.loc[["es", "nl"]].xs("paper", level="features")
    assert (bare[["arow", "cw", "pa"]].min(axis=1) > bare["perceptron"]).all() and len(bare) == 6
    ours = f1.xs("ours", level="features").groupby("corpus").mean()
    assert ours.loc["nl", "perceptron"] > ours.loc["nl", "arow"]


def test_the_study_of_features_counts_what_the_others_count():
    """CW with three kinds of features, and AROW with the r that was tuned, in every order."""
    table = datasets.study_table("official-features").query("part == 'test'")
    counted = ["tp", "fp", "fn", "wrong", "words"]
    splits = [datasets.study_table(name) for name in ("official-splits", "official-splits-chunk")]
    splits = pd.concat(splits).query("split == 'official'")
    key = ["corpus", "features", "order"]
    mine = table.query("algorithm == 'cw' and value == 0.1").set_index(key)[counted].sort_index()
    whole = splits.set_index(key)[counted].sort_index()
    pd.testing.assert_frame_equal(mine, whole.loc[mine.index])
    by_article = datasets.study_table("official-learners").query("algorithm == 'arow'")
    whole = by_article.groupby(["corpus", "order"])[counted].sum()
    r = {"np": 0.1, "es": 0.1, "nl": 100.0}
    mine = table[(table["algorithm"] == "arow") & (table["value"] == table["corpus"].map(r))]
    mine = mine.query("features == 'ours'").set_index(["corpus", "order"])[counted]
    pd.testing.assert_frame_equal(mine.sort_index(), whole.loc[mine.sort_index().index])


@pytest.mark.parametrize(("algorithm", "study"), [("cw", ""), ("pa", "-pa")])
def test_two_studies_of_the_official_parts_count_the_same_spans(algorithm, study):
    """The same tagger, once article by article and once as a whole."""
    table = datasets.study_table(f"official-learners{study}").query("algorithm == @algorithm")
    counted = ["tp", "fp", "fn", "wrong", "words"]
    by_article = table.groupby(["corpus", "order"])[counted].sum()
    whole = datasets.study_table(f"official-methods{study}").query("method == @algorithm")
    whole = whole.pivot_table("value", ["corpus", "order"], "quantity")[counted]
    assert len(whole) == (9 if algorithm == "cw" else 3)  # PA's methods: the first order only
    by_article = by_article.loc[whole.index]
    pd.testing.assert_frame_equal(by_article, whole.astype(int), check_names=False)


@pytest.mark.parametrize("corpus", ["np", "es", "nl"])
def test_official_parts_rank_methods_for_pa_too(corpus):
    table = datasets.study_table("official-methods-pa").query("corpus == @corpus")
    ap = table.query("quantity == 'average_precision'").set_index("method")["value"]
    assert ap["random"] < ap["kbv"] < ap["wkbv"] < min(ap["delta"], ap["kd_fixed_50"])
    assert (ap["kd_fixed_50"] > ap["delta"]) == (corpus != "np")


@pytest.mark.parametrize("corpus", ["np", "es", "nl"])
def test_active_learning_on_official_parts_is_what_the_workshop_says(corpus):
    """Random choice is last by cumulative F1, MinMargin last of the paper's rules."""
    table = datasets.study_table(f"official-active-{corpus}")
    table["f1"] = 2 * table["correct"] / (table["predicted"] + table["gold"])
    assert table.groupby(["rule", "repeat"])["run"].nunique().unstack().loc["random"].eq(5).all()
    runs = table.groupby(["rule", "repeat", "run"])
    words = runs["words"].agg(["min", "max"])
    grid = np.linspace(words["min"].max(), words["max"].min(), 60)
    f1 = pd.Series({key: np.interp(grid, r["words"], r["f1"]).mean() for key, r in runs})
    f1 = f1.groupby(level=[0, 1]).mean().groupby(level=0).mean()
    assert f1.idxmin() == "random"
    assert f1[["kd_pc", "kd_fixed", "min_margin", "min_conf_margin"]].idxmin() == "min_margin"


@pytest.mark.corpora("conll2002")
def test_articles_of_dutch_are_not_cut_in_two():
    from studies import official

    article = official.articles("nl")
    pieces = [set(article[fold]) for fold in official.folds("nl")]
    assert sum(map(len, pieces)) == len(set.union(*pieces)) == 406
    train, held = official.inner("nl")
    assert train[-1] + 1 == held[0] and not set(article[train]) & set(article[held])


def test_variants_begin_with_the_librarys_own_step():
    from studies._variants import OF_FULL, OF_INVERSE, OPTIMAL, Variant

    rng = np.random.default_rng(6)
    X = [[[f"w{k}", "bias"] for k in rng.integers(0, 20, 6)] for _ in range(80)]
    y = [[["A", "B", "C"][int(w[0][1:]) % 3] for w in s] for s in X]
    for i in range(0, 80, 9):
        y[i][0] = "C"  # mistakes that never end
    for algorithm in ("cw", "arow"):
        usual, variant = (kind(algorithm, rng=1).fit(X, y) for kind in (taggers.Tagger, Variant))
        np.testing.assert_array_equal(usual._means, variant._means)
        np.testing.assert_array_equal(usual._variances, variant._variances)
    # CW does not see how large its covariance is at the start; AROW does
    labels = {a: Variant("cw", start=a, rng=1).fit(X, y).predict(X) for a in (0.25, 1.0, 4.0)}
    assert labels[0.25] == labels[1.0] == labels[4.0]
    # one step of CW, β = ¼ and v = 4: 1 − β/(1 + βv) by the full matrix, else 1/(1 + β)
    sentence = [[["the"], ["cat"]]], [["B", "I"]]
    least = {
        way: Variant("cw", way, passes=1).fit(*sentence)._variances.min()
        for way in (OF_FULL, OF_INVERSE)
    }
    assert least == pytest.approx({OF_FULL: 0.875, OF_INVERSE: 0.8})
    # the best diagonal step ends with a margin of phi of the standard deviations that are kept
    one = Variant("cw", OPTIMAL, passes=1, average=False).fit(*sentence)
    mu, sigma = (a.reshape(len(a), -1)[:, :2].ravel() for a in (one._means, one._variances))
    moved = mu != 0
    d = np.sign(mu[moved])
    assert mu[moved] @ d == pytest.approx(np.sqrt(sigma[moved].sum()), rel=1e-4)


def test_study_of_orders_begins_with_the_old_one():
    """Order 0 is the order that tuning and folds used; the grid holds the same fits."""
    keys = ["corpus", "algorithm", "value"]
    old = datasets.study_table("confidence-tuning").set_index(keys)["tp"]
    wide = datasets.study_table("confidence-grid")
    wide = wide[wide["order"] == 0].set_index(keys)["tp"]
    both = old.index.intersection(wide.index)
    assert len(both) == len(old)
    assert (old[both] == wide[both]).all()
