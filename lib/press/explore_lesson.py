"""Data and still pictures of the explorables of lesson 0; see `press.explore`."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

from betterthan import datasets

BASELINE, CANDIDATE = "gpt-5", "claude-sonnet-4.5"


def agents() -> pd.DataFrame:
    """Two coding agents on SWE-bench Pro: per repository who solved how many tasks."""
    table = datasets.study_table("today-agents")
    return table[(table["a"] == BASELINE) & (table["b"] == CANDIDATE)].reset_index(drop=True)


# --- two-errors -----------------------------------------------------------------------------


def two_errors_data() -> dict[str, Any]:
    """The share of tasks on which the two agents differ."""
    counts = agents()[["both", "only_a", "only_b", "neither"]].sum()
    apart = (counts["only_a"] + counts["only_b"]) / counts.sum()
    return {"apart": round(float(apart), 4)}


def two_errors_still() -> Any:
    """What a thousand experiments see when the two are equally good, and the false alarms."""
    apart, tasks = two_errors_data()["apart"], 96
    rng = np.random.default_rng(0)
    only_b, only_a = rng.multinomial(tasks, [apart / 2, apart / 2, 1 - apart], 1000)[:, :2].T
    more, fewer = np.maximum(only_b, only_a), np.minimum(only_b, only_a)
    pvalue = np.minimum(1.0, 2 * stats.binom.sf(more - 1, more + fewer, 0.5))
    announced = (pvalue <= 0.05) & (more > fewer)
    seen = 100 * (only_b - only_a) / tasks
    figure, ax = plt.subplots(figsize=(6.4, 3.0))
    edges = np.arange(-25, 27, 2)
    parts = [seen[~announced], seen[announced & (seen < 0)], seen[announced & (seen > 0)]]
    ax.hist(parts, edges, stacked=True, color=["0.75", "C0", "C1"], edgecolor="white")
    ax.axvline(0, color="0.2", linestyle=":")
    ax.set(xlabel="difference seen in an experiment, B minus A, in points", ylabel="experiments")
    return figure


# --- hundred-intervals ----------------------------------------------------------------------


def hundred_intervals_data() -> dict[str, Any]:
    """Of each repository the share of tasks that only A, and that only B solved."""
    table = agents()
    tasks = table[["both", "only_a", "only_b", "neither"]].sum(axis=1)
    shares = {"onlyA": table["only_a"] / tasks, "onlyB": table["only_b"] / tasks}
    return {name: [round(float(value), 4) for value in share] for name, share in shares.items()}


def hundred_intervals_still() -> Any:
    """The first intervals of test sets drawn task by task: how many of a hundred will miss?"""
    data = hundred_intervals_data()
    only_a, only_b = np.array(data["onlyA"]), np.array(data["onlyB"])
    truth, tasks = (only_b - only_a).mean(), 11 * 40
    rng = np.random.default_rng(4)
    shares = [only_b.mean(), only_a.mean()]
    wins, losses = rng.multinomial(tasks, [*shares, 1 - sum(shares)], 100)[:, :2].T
    centre = (wins - losses) / tasks
    spread = np.sqrt(((wins + losses) / tasks - centre**2) * tasks / (tasks - 1))
    half = stats.t.ppf(0.975, tasks - 1) * spread / np.sqrt(tasks)
    missed = np.abs(centre - truth) > half
    figure, ax = plt.subplots(figsize=(6.4, 3.6))
    for i in range(15):
        ends = 100 * np.array([centre[i] - half[i], centre[i] + half[i]])
        ax.plot(ends, [i, i], color="C3" if missed[i] else "0.6", linewidth=3 if missed[i] else 2)
    ax.axvline(100 * truth, color="0.2")
    ax.set(xlabel="B minus A, in points: one line per test set", yticks=[], ylim=(-1, 16))
    return figure
