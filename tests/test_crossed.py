"""Runs that both systems share: the variance of a two-way layout, against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from betterthan import Results, compare, compare_many, plan, read, results
from betterthan._crossed import crossed
from betterthan.counts import Counts
from betterthan.errors import InputError


def two_way(d: np.ndarray) -> tuple[float, float]:
    """Variance and degrees of freedom of the mean of items × runs, from sums of squares."""
    n, runs = d.shape
    items = runs * sum((d[i].mean() - d.mean()) ** 2 for i in range(n)) / (n - 1)
    between = n * sum((d[:, r].mean() - d.mean()) ** 2 for r in range(runs)) / (runs - 1)
    rest = sum(
        (d[i, r] - d[i].mean() - d[:, r].mean() + d.mean()) ** 2
        for i in range(n)
        for r in range(runs)
    ) / ((n - 1) * (runs - 1))
    whole = max(items + between - rest, items, between)
    return whole / (n * runs), whole**2 / (items**2 / (n - 1) + between**2 / (runs - 1))


def numbers(n=30, runs=4, luck=0.5, seed=0):
    rng = np.random.default_rng(seed)
    hard, easy = rng.normal(size=(n, 1)), rng.normal(size=(1, runs))
    return [
        hard + easy + luck * rng.normal(size=(1, runs)) + rng.normal(size=(n, runs)) + gain
        for gain in (0.0, 0.4)
    ]


@pytest.mark.parametrize("luck", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("runs", [3, 5])
def test_means_are_the_two_way_analysis_of_variance(luck, runs):
    a, b = numbers(runs=runs, luck=luck, seed=runs)
    result = compare(list(a.T), list(b.T), shared_runs=True)
    variance, degrees = two_way(b - a)
    assert result.difference == pytest.approx((b - a).mean())
    assert result.standard_error == pytest.approx(math.sqrt(variance))
    assert result.degrees_of_freedom == pytest.approx(degrees)
    t = (b - a).mean() / math.sqrt(variance)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(abs(t), degrees))
    assert result.shared_runs and "the same" in str(result)


def counted(n=25, runs=4, seed=1):
    rng = np.random.default_rng(seed)
    gold = rng.poisson(2.0, n)
    found = []
    for gain in (0.0, 0.5):
        tp = rng.binomial(gold[:, None], 1 / (1 + np.exp(-(1 + gain))), size=(n, runs))
        fp = rng.poisson(0.4, (n, runs))
        found.append([Counts(tp[:, r], fp[:, r], gold - tp[:, r]) for r in range(runs)])
    return found


def test_f1_goes_by_pseudo_values():
    """Items and rest are those of n θ − (n − 1) θ without i; runs those of F1 itself."""
    a, b = counted()
    n, runs = 25, 4
    d = np.empty((n, runs))
    for r in range(runs):
        for i in range(n):
            keep = np.arange(n) != i
            pseudo = [n * x[r].f1 - (n - 1) * x[r][keep].f1 for x in (a, b)]
            d[i, r] = pseudo[1] - pseudo[0]
    whole = np.array([b[r].f1 - a[r].f1 for r in range(runs)])
    d += whole - d.mean(axis=0)  # the mean of pseudo-values has another bias than F1
    variance, degrees = two_way(d)
    result = compare(a, b, shared_runs=True)
    assert result.standard_error == pytest.approx(math.sqrt(variance))
    assert result.degrees_of_freedom == pytest.approx(degrees, rel=0.02)  # G* by gold weights


def test_groups_are_the_items_of_the_layout():
    a, b = numbers(n=30, runs=3)
    groups = np.repeat(np.arange(10), 3)
    result = compare(list(a.T), list(b.T), groups=groups, shared_runs=True)
    means = (b - a).reshape(10, 3, 3).mean(axis=1)
    variance, degrees = two_way(means)
    assert result.standard_error == pytest.approx(math.sqrt(variance))
    assert result.degrees_of_freedom == pytest.approx(degrees)


def test_what_makes_a_template_hard_for_both_cancels():
    rng = np.random.default_rng(3)
    hard, easy = rng.normal(size=(200, 1)), 2 * rng.normal(size=(1, 5))
    a, b = (hard + easy + gain + 0.5 * rng.normal(size=(200, 5)) for gain in (0.0, 0.2))
    shared = compare(list(a.T), list(b.T), shared_runs=True)
    separate = compare(list(a.T), list(b.T))
    assert not separate.shared_runs
    assert shared.pvalue < 0.001 and separate.pvalue > 0.2


def long_table(folder, runs, order=1):
    rng = np.random.default_rng(0)
    lines = ["item,model,template,score"]
    for model in ("old", "new"):
        for r in [*range(runs)][:: order if model == "new" else 1]:
            right = rng.random(40) < (0.3 + 0.1 * r) + 0.15 * (model == "new")
            lines += [f"q{i},{model},t{r},{int(x)}" for i, x in enumerate(right)]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_runs_of_the_same_name_are_paired_by_name(tmp_path):
    old, new = read(long_table(tmp_path, 4))
    result = compare(old, new)
    assert result.shared_runs
    turned = new.with_runs(type(new.held)(new.held.runs[::-1]), new.run_names[::-1])
    assert compare(old, turned) == result
    again = compare(list(old.values), list(new.values), shared_runs=True)
    assert again.interval == pytest.approx(result.interval)
    assert not compare(old, new, shared_runs=False).shared_runs


def test_two_runs_are_too_few_to_pair(tmp_path):
    old, new = read(long_table(tmp_path, 2))
    result = compare(old, new)
    assert not result.shared_runs and "too few to pair: taken as separate" in str(result)
    with pytest.raises(InputError, match="three runs or more that both share, got 2") as refused:
        compare(old, new, shared_runs=True)
    assert [(way.argument, way.value) for way in refused.value.ways] == [("shared_runs", False)]


def test_runs_that_do_not_match_are_refused():
    a, b = (list(x.T) for x in numbers())
    with pytest.raises(InputError, match="a has 4 and b 3"):
        compare(a, b[:3], shared_runs=True)
    first = Results(a, name="old", run_names=["p1", "p2", "p3", "p4"])
    other = Results(b, name="new", run_names=["p1", "p2", "p3", "p5"])
    with pytest.raises(InputError, match="p1, p2, p3, p5"):
        compare(first, other, shared_runs=True)
    assert not compare(first, other).shared_runs
    with pytest.raises(InputError, match="got 1"):
        compare(a[0], b[0], shared_runs=True)


def test_results_called_alike_are_runs_without_names():
    """Four files that are all called "scores" do not have the runs of four others."""
    a, b = (list(x.T) for x in numbers())
    alike = [[Results(run, name="scores") for run in own] for own in (a, b)]
    assert results.runs_of("a", alike[0]).run_names == ()
    assert not compare(*alike).shared_runs
    named = [[Results(run, name=f"p{k}") for k, run in enumerate(own)] for own in (a, b)]
    assert compare(*named).shared_runs


def test_several_systems_share_runs_too():
    a, b = numbers(runs=4)
    both = {"a": list(a.T), "b": list(b.T)}
    pairs = compare_many(both, shared_runs=True).table()
    assert pairs.loc[0, "pvalue"] == pytest.approx(compare(*both.values(), shared_runs=True).pvalue)
    assert "shared runs" in str(compare_many(both, shared_runs=True))
    assert pairs.loc[0, "pvalue"] < compare_many(both).table().loc[0, "pvalue"]


def test_a_plan_takes_the_spread_of_shared_runs():
    a, b = (list(x.T) for x in numbers(n=100, runs=5, luck=0.0))
    assert plan(compare(a, b, shared_runs=True), difference=0.5).n < 100
    with pytest.raises(InputError, match="more runs would"):
        plan(compare(a, b), difference=0.5)


def test_the_kernel_takes_unrelated_runs_as_well():
    """Seeds that have only their names in common: the variance is the sum of both."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(2, 4000))
    deleted = np.zeros((2, 10, 4000)) + 1e-9 * rng.normal(size=(2, 10, 4000))
    found = crossed(list(deleted), list(values), 10)
    assert found.error == pytest.approx(math.sqrt(2 / 4000), rel=0.05)
