"""Data and still pictures of the explorables of chapters 2 to 6; see `press.explore`."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from betterthan import bcv, datasets, ranking, replicability
from betterthan.counts import Counts

# --- two-systems: chapter 2 -----------------------------------------------------------------


def two_systems_data() -> dict[str, Any]:
    """Six folds of the paper's models, added up, and a small test set that is made up."""
    table = datasets.paper_table("wang-li-2019-counts").groupby(["task", "tags"]).sum()
    tasks = {"NER": ("names", "IOB2", "IOBES"), "ORG": ("organisations", "IOB2", "IOBES")}
    tasks["CWS"] = "Chinese words", "BMES", "BB2B3MES"
    fields = ("name", "label", "names", "gold", "tp_a", "fp_a", "tp_b", "fp_b", "factor", "design")
    folds = bcv.effective_factor(), "Six folds of a 3×2 cross-validation; one count is worth 0.369."
    rows = []
    for task, (label, *tags) in tasks.items():
        gold, tp = table.loc[task].loc[tags, "gold"], table.loc[task].loc[tags, "correct"]
        counts = (
            np.stack([tp, table.loc[task].loc[tags, "predicted"] - tp], axis=1).ravel().tolist()
        )
        rows.append((task, f"Wang and Li: {label}", tags, int(gold.iloc[0]), *counts, *folds))
    one = 1, "One test set; every count is worth one, as if names were independent."
    rows.append(("small", "made up: 200 names", ["old", "new"], 200, 150, 40, 158, 36, *one))
    return {"examples": [dict(zip(fields, row)) for row in rows]}


def two_systems_still(margin: float = 0.002) -> Any:
    """The first example as the page starts: two posteriors, their difference, the margin grey."""
    row = two_systems_data()["examples"][0]
    counts = [(row[f"tp_{k}"], row[f"fp_{k}"], row["gold"] - row[f"tp_{k}"]) for k in "ab"]
    a, b = (
        bcv.posterior(Counts(*([n] for n in three), unit="fold"), "f1", factor=row["factor"])
        for three in counts
    )
    figure, (above, below) = plt.subplots(2, 1, figsize=(6.4, 4.4))
    values = np.linspace(a.ppf(1e-5), b.ppf(1 - 1e-5), 301)
    for curve, name, colour in ((a, "A", "C0"), (b, "B", "C1")):
        above.plot(100 * values, curve.pdf(values), color=colour, label=name)
    middle = 100 * (a.ppf(0.5) + np.array([-margin, margin]))
    above.axvspan(*middle, color="0.85", zorder=0, label="A ± margin")
    above.set(xlabel="F1, in percent", yticks=[])
    above.legend()
    # All pairs of a value of A and a value of B, by equal shares of each curve.
    shares = (np.arange(2000) + 0.5) / 2000
    difference = np.subtract.outer(b.ppf(shares), a.ppf(shares)).ravel()
    heights, edges = np.histogram(difference, 120, density=True)
    centres = (edges[:-1] + edges[1:]) / 2
    for inside, colour in (
        (centres < -margin, "C0"),
        (np.abs(centres) <= margin, "0.6"),
        (centres > margin, "C1"),
    ):
        below.fill_between(100 * centres, heights, where=inside, step="mid", color=colour, lw=0)
    for end in (-margin, margin):
        below.axvline(100 * end, color="0.5", linewidth=1.2)
    below.axvline(0, color="0.2", linestyle=":", linewidth=1.2)
    below.set(xlabel="B minus A, in points of F1; grey: within the margin", yticks=[])
    return figure


# --- p-values: chapter 3 --------------------------------------------------------------------


def p_values_data() -> dict[str, Any]:
    """The six p-values of the chapter's standalone cell, and Table 4 of the paper."""
    six, table = (
        [0.168, 0.297, 0.357, 0.019, 0.218, 0.001],
        datasets.paper_table("dror-2017-table4"),
    )
    setups, fields = (
        [d.replace("->", "→") for d in table["dataset"]],
        ("name", "label", "datasets", "p"),
    )
    rows = [("six", "six datasets", [f"dataset {k}" for k in range(1, 7)], six)]
    rows.append(("sentiment", "sentiment, twelve setups", setups, table["p"].tolist()))
    return {"examples": [dict(zip(fields, row)) for row in rows]}


def p_values_still() -> Any:
    """The twelve setups, by Bonferroni."""
    row = p_values_data()["examples"][1]
    return replicability.analyse(row["p"], names=row["datasets"]).plot().figure


# --- hard-items: chapter 4 ------------------------------------------------------------------


def hard_items_data() -> dict[str, Any]:
    """From four shares per system, the number of words and their difficulty, all scores follow."""
    table, tenths = (datasets.study_table(f"psychometrics-{t}") for t in ("systems", "tenths"))
    hard = tenths[tenths["group"] == "all"].groupby("corpus")["difficulty_sum"].sum()
    labels = {"pku": "Peking University", "daily": "People's Daily", "msr": "Microsoft Research"}
    texts = []
    for name, label in labels.items():
        rows = table[table["corpus"] == name]
        text = {"name": name, "label": label, "gold": int(rows["gold_words"].iloc[0])}
        shares = rows[["system", "p", "r", "p_reward", "r_reward"]].to_dict("records")
        texts.append(text | {"d": round(hard[name], 2), "systems": shares})
    return {"texts": texts}


def hard_items_still() -> Any:
    """F1 beside balanced F, for the five systems of the chapter."""
    chosen = ["AROW F2, 100 %", "AROW F2, 20 %", "CRF F2, 20 %", "maximum matching", "jieba"]
    table = datasets.study_table("psychometrics-systems").query("corpus == 'pku'")
    figure, ax = plt.subplots()
    for k, (system, f1, f_b) in enumerate(
        table.set_index("system").loc[chosen, ["f1", "f_b"]].itertuples()
    ):
        ax.plot([0, 1], [100 * f1, 100 * f_b], "o-", color=f"C{k // 3}")
        ax.text(1.04, 100 * f_b, system, va="center", color=f"C{k // 3}")
    ax.set(xlim=(-0.2, 1.7), ylabel="score (%)", title="Peking University: who leads?")
    ax.set_xticks([0, 1], ["F1: all words alike", "balanced F: hard words count"])
    return figure


# --- hunt: chapter 5 ------------------------------------------------------------------------


def hunt_still() -> Any:
    """Fisher's p at every n for two equal rankings, and two limits."""
    rng = np.random.default_rng(7)
    gold = rng.random(600) < 0.3
    found = ranking.compare(*(gold + rng.normal(size=(2, 600))), gold).between(10, 400)
    figure, ax = plt.subplots()
    ax.plot(found.n[9:400], found.pvalue[9:400], color="0.2")
    ax.axhline(0.05, color="C2", label="α = 0.05 at each n")
    ax.axhline(
        found.simultaneous().critical_pvalue, color="C1", ls="--", label="for all n together"
    )
    ax.set(yscale="log", xlabel="n (size of the list)", ylabel="p of Fisher's test")
    ax.legend()
    return figure


# --- budget: chapter 6 ----------------------------------------------------------------------


def budget_data() -> dict[str, Any]:
    """Mistakes found at 21 budgets, by method, of taggers and of language models."""
    methods = {"kd_fixed_50": "KD-Fixed", "kd_pc_50": "KD-PC", "delta": "Delta", "wkbv": "WKBV"}
    methods |= {"kbv": "KBV", "crf": "the CRF's own probability"}
    corpora = {"np": "noun phrases", "es": "Spanish names", "nl": "Dutch names"}
    studies = ("official-methods", "confidence-methods-crf")
    parts = (datasets.study_table(study) for study in studies)
    table, sets = pd.concat(parts).query("order == 0"), []

    def add(name: str, label: str, items: str, total: float, wrong: float, at: Any, found: dict):
        lists = [{"method": m, "found": np.round(v, 3).tolist()} for m, v in found.items()]
        row = {"name": name, "label": label, "items": items, "total": int(total)}
        sets.append(row | {"wrong": int(wrong), "at": list(map(int, at)), "methods": lists})

    for learner, corpus in [(who, c) for who in ("cw", "crf") for c in corpora]:
        rows = table[(table["learner"] == learner) & (table["corpus"] == corpus)]
        found = rows[rows["quantity"] == "detected"].pivot(
            index="at", columns="method", values="value"
        )
        found = found[[m for m in methods if m in found]].rename(columns=methods)
        whole = rows[rows["method"] == learner].set_index("quantity")["value"]
        found.loc[0] = 0
        found, sizes = found.sort_index(), (whole["words"], whole["wrong"])
        where = "" if learner == "cw" else ", random sentences"
        label = f"{learner.upper()} tagger, {corpora[corpus]}{where}"
        add(f"{learner}-{corpus}", label, "words", *sizes, found.index, dict(found.items()))
    for (task, model), rows in datasets.study_table("today-llms-coverage").groupby(
        ["task", "model"]
    ):
        # The surest that are left, from all of them down to none.
        left, wrong = (np.append(rows[c].to_numpy()[::-1], 0) for c in ("answered", "wrong"))
        label = f"{model}, {'ARC' if task == 'arc' else 'TruthfulQA'}"
        found = {"its own confidence": wrong[0] - wrong}
        add(f"{task}-{model}", label, "answers", left[0], wrong[0], left[0] - left, found)
    return {"start": "arc-gpt-4-turbo", "sets": sets}


def budget_still() -> Any:
    """The model that the chapter speaks of: what a budget finds."""
    data = budget_data()
    one = next(s for s in data["sets"] if s["name"] == data["start"])
    figure, ax = plt.subplots()
    for method in one["methods"]:
        ax.plot(one["at"], method["found"], color="k", label=method["method"])
    ax.axline((0, 0), slope=one["wrong"] / one["total"], color="0.6", label="in random order")
    ax.set(
        xlabel=f"{one['items']} checked, the least sure first",
        ylabel="mistakes found",
        title=one["label"],
    )
    ax.legend()
    return figure
