"""What lesson 0 lets a reader play with: its numbers are scipy's, and its promises hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from press import explore_lesson

from .test_explore import browser, explorable, pages, pytestmark

__all__ = ["browser", "explorable", "pages", "pytestmark"]


def test_one_experiment_has_the_pvalue_of_the_binomial_test(explorable):
    page = explorable("two-errors")
    for tasks, difference in [(50, 0), (96, 6), (400, 12)]:
        page.set("tasks", tasks)
        page.set("difference", difference)
        shown = page.press("one")
        b, c = shown["last"]["b"], shown["last"]["c"]
        expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
        assert shown["last"]["p"] == pytest.approx(expected, rel=1e-9)
        assert shown["last"]["seen"] == pytest.approx((b - c) / tasks)


def test_false_alarms_keep_to_the_limit_and_power_grows(explorable):
    page = explorable("two-errors")
    nothing = page.press("thousand")
    assert nothing["runs"] == 1000 and nothing["better"] + nothing["worse"] <= 70
    assert "false alarm" in nothing["says"]
    page.set("difference", 6)
    few = page.press("thousand")["better"]
    page.set("tasks", 800)
    many = page.press("thousand")
    assert few < 300 and many["better"] > 880
    assert "power" in many["says"]


def test_an_interval_is_students(explorable):
    page = explorable("hundred-intervals")
    for unit in ("tasks", "repositories"):
        page.set("unit", unit)
        last = page.press("one")["last"]
        counted = np.array(last["counted"])
        middle, error = counted.mean(), stats.sem(counted)
        expected = stats.t.interval(0.95, len(counted) - 1, middle, error)
        assert (last["low"], last["high"]) == pytest.approx(expected, abs=1e-9)


def test_intervals_miss_as_often_as_they_say_unless_groups_are_ignored(explorable):
    page = explorable("hundred-intervals")
    independent = page.press("thousand")
    assert 25 <= independent["missed"] <= 80
    page.set("world", "repositories")
    ignored = page.press("thousand")["missed"]
    page.set("unit", "repositories")
    grouped = page.press("thousand")["missed"]
    assert ignored > 2 * grouped and grouped <= 90


@pytest.mark.parametrize("name", ["two-errors", "hundred-intervals"])
def test_every_control_moves_by_keyboard(explorable, name):
    page = explorable(name)
    fields = page.browser.find_elements("css selector", ".explore [data-name]")
    assert len(page.by_keyboard()) == len(fields)


def test_the_world_of_the_machines_is_that_of_the_committed_table():
    table = explore_lesson.agents()
    assert len(table) == len(explore_lesson.hundred_intervals_data()["onlyA"]) == 11
    apart = table[["only_a", "only_b"]].to_numpy().sum()
    whole = table[["both", "only_a", "only_b", "neither"]].to_numpy().sum()
    assert explore_lesson.two_errors_data()["apart"] == pytest.approx(apart / whole, abs=1e-4)
