"""The study behind the page of promises: its worlds are what they claim to be."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import average_precision_score

import studies
from betterthan import replicability
from betterthan.datasets import study_table
from studies import coverage


def results():
    return (
        study_table("coverage").groupby(["world", "method", "kind"])[["repetitions", "hits"]].sum()
    )


def test_every_method_was_tried_a_thousand_times_in_its_world():
    table = results()
    assert (table.repetitions == coverage.CHUNKS * coverage.REPETITIONS).all()
    assert set(table.index.get_level_values("world")) == set(coverage.WORLDS)


@pytest.mark.parametrize("world", ["correlations", "labels", "datasets, positive, 3"])
def test_a_task_gives_the_stored_rows(world):
    number = [task["world"] for task in coverage.tasks()].index(world)
    assert studies.replay("coverage", number) == []


def test_rates_that_are_known_exactly():
    """Ten uniform, independent p-values: count, Bonferroni and Fisher err at known rates."""
    table = results().loc["datasets, independent, 0"]
    n = coverage.DATASETS
    for method, rate in {
        "count": 1 - 0.95**n,
        "bonferroni": 1 - (1 - 0.05 / n) ** n,
        "fisher": 0.05,
        "simes": 0.05,
    }.items():
        row = table.loc[(f"replicability.count, {method}", "test")]
        assert stats.binomtest(int(row.hits), int(row.repetitions), rate).pvalue > 0.001, method


def test_binomial_intervals_miss_as_often_as_the_beta_binomial_says():
    """The world of parts is a beta-binomial; its exact miss rate can be added up."""
    from betterthan import ranking

    k = np.arange(coverage.LIST + 1)
    low, high = ranking.binomial_interval(k, coverage.LIST)
    total = (1 - coverage.RHO) / coverage.RHO
    model = stats.betabinom(coverage.LIST, coverage.AVERAGE * total, (1 - coverage.AVERAGE) * total)
    caught = model.pmf(k)[(low <= coverage.AVERAGE) & (high >= coverage.AVERAGE)].sum()
    row = results().loc[("parts", "ranking.binomial_interval", "interval")]
    assert stats.binomtest(int(row.hits), int(row.repetitions), caught).pvalue > 0.001


def test_a_claim_among_the_equal_datasets_is_the_only_false_claim_to_look_for():
    """Count, names and all bounds are right, or the bound of the datasets without a win is not."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        pvalues, better = rng.random(4) ** 3, int(rng.integers(4))
        datasets = ["1", "2", "3", "4"]
        found = replicability.analyse(pvalues, local="fisher", alpha=0.3)
        false = (
            found.count > better
            or bool(set(found.names) & set(datasets[better:]))
            or any(
                found.bound(chosen) > len(set(chosen) & set(datasets[:better]))
                for size in (1, 2, 3)
                for chosen in combinations(datasets, size)
            )
        )
        assert false == (found.bound(datasets[better:]) > 0)


def test_average_precision_is_that_of_sklearn():
    rng = np.random.default_rng(0)
    gold = rng.random((5, 40)) < 0.3
    scores = rng.normal(size=(5, 40)) + gold
    ours = coverage._average_precision(scores, gold)
    assert ours == pytest.approx([average_precision_score(g, s) for g, s in zip(gold, scores)])


def test_a_missed_word_is_cut_in_two():
    gold, (found,), difficulty = coverage._segmented(np.random.default_rng(1), 4, systems=1)
    assert all("".join(words) == "ab" * coverage.WORDS for words in (*gold, *found))
    assert any("a" in words for words in found)
    assert all(len(d) == coverage.WORDS and (d >= 0).all() and (d <= 1).all() for d in difficulty)


def test_the_true_brier_score_is_that_of_many_labels():
    rng = np.random.default_rng(2)
    log_odds = coverage.EASE + np.sqrt(1.49) * rng.normal(size=400_000)
    right = rng.random(log_odds.size) < special.expit(log_odds)
    seen = (special.expit(coverage.TOO_SURE * log_odds) - right) ** 2
    error = seen.std() / np.sqrt(seen.size)
    assert seen.mean() == pytest.approx(coverage.true_brier(), abs=4 * error)
