"""Do the verdict "too sure", Brier's interval and the tested threshold keep their promises?

Made-up answers whose true chances are known. A row says how often something happened: a calibrated
model called too sure or too unsure ("alarm"), one that doubles its log-odds found out ("power"),
the true Brier score within its interval ("Brier"), a threshold whose true error is above the target
("above"), none found ("silent"). Beside the library's rule stands what the second edition did
(Student's t over answers or groups), and beside the tested threshold the naive one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import special, stats

from betterthan import confidence
from studies._study import Rows, Seed, Study, Task

REPETITIONS = 300
Rng = np.random.Generator

SIZES = (30, 50, 100, 200, 300)
SURE = ("99,1", "8,1", "3,1")
SKEWED = ("0.05,5", "30,0.3")
GROUPS, GROUP_SIZES, EFFECTS = (5, 10, 30), (5, 40), (0.0, 0.5, 1.0)


def tasks() -> list[Task]:
    """Every design of single answers, then of groups."""
    single: list[Task] = [
        {"beta": beta, "groups": 0, "size": n, "effect": 0.0, "times": 1.0}
        for beta in (*SURE, *SKEWED)
        for n in (SIZES if beta in SURE else (30, 100, 300))
    ]
    single += [
        {"beta": beta, "groups": 0, "size": n, "effect": 0.0, "times": 2.0}
        for beta in ("8,1", "3,1")
        for n in (50, 100, 300)
    ]
    together: list[Task] = [
        {"beta": beta, "groups": g, "size": size, "effect": effect, "times": 1.0}
        for beta in ("8,1", "20,0.5")
        for g in GROUPS
        for size in GROUP_SIZES
        for effect in EFFECTS
    ]
    return single + together


def run(task: Task, seed: Seed) -> Rows:
    """Repeat one design and count."""
    rng, counts = np.random.default_rng(seed), dict.fromkeys(_counted(task), 0)
    widths = []
    for _ in range(REPETITIONS):
        right, stated, groups = drawn(task, rng)
        found = confidence.evaluate(right, stated, groups=groups)
        old = second_edition(right, stated, groups)
        verdict = "alarm" if task["times"] == 1 else "power"
        counts["new", verdict] += found.pvalue < 0.05
        counts["second edition", verdict] += not old["gap"][0] <= 0 <= old["gap"][1]
        truth = true_brier(task["beta"], task["effect"], task["times"])
        counts["new", "Brier"] += found.interval.low <= truth <= found.interval.high
        counts["second edition", "Brier"] += old["brier"][0] <= truth <= old["brier"][1]
        widths.append(found.interval.high - found.interval.low)
    width = float(np.median(widths))
    return [
        {**task, "rule": rule, "what": what, "repetitions": REPETITIONS, "hits": int(hits)}
        | {"width": round(width, 6) if (rule, what) == ("new", "Brier") else ""}
        for (rule, what), hits in counts.items()
    ]


def _counted(task: Task) -> list[tuple[str, str]]:
    verdict = "alarm" if task["times"] == 1 else "power"
    return [(rule, what) for what in (verdict, "Brier") for rule in ("new", "second edition")]


def drawn(task: Task, rng: Rng) -> tuple[np.ndarray, np.ndarray, Any]:
    """Answers of one design: right or wrong, stated probability, groups."""
    a, b = map(float, task["beta"].split(","))
    n = task["size"] * max(task["groups"], 1)
    chance = np.clip(rng.beta(a, b, n), 1e-12, 1 - 1e-12)
    log_odds = special.logit(chance)
    groups = np.repeat(np.arange(task["groups"]), task["size"]) if task["groups"] else None
    moved = 0.0
    if task["effect"] and groups is not None:
        moved = task["effect"] * rng.normal(size=task["groups"])[groups]
    right = rng.random(n) < special.expit(log_odds + moved)
    return right, stated_of(log_odds, task["effect"], task["times"]), groups


def stated_of(log_odds: np.ndarray, effect: float, times: float) -> np.ndarray:
    """What a model states: the chance over all documents, its log-odds multiplied."""
    if not effect:
        return special.expit(times * log_odds)
    points, weights = np.polynomial.hermite_e.hermegauss(15)
    parts = [w * special.expit(log_odds + effect * x) for x, w in zip(points, weights)]
    return np.sum(parts, axis=0) / weights.sum()


@cache
def true_brier(beta: str, effect: float, times: float) -> float:
    """The Brier score over all answers of a design."""
    a, b = map(float, beta.split(","))
    chance = np.clip(stats.beta.ppf((np.arange(20_000) + 0.5) / 20_000, a, b), 1e-12, 1 - 1e-12)
    log_odds = special.logit(chance)
    stated, right = stated_of(log_odds, effect, times), stated_of(log_odds, effect, 1.0)
    return float((right * (1 - stated) ** 2 + (1 - right) * stated**2).mean())


def second_edition(right: np.ndarray, stated: np.ndarray, groups: Any) -> dict[str, tuple]:
    """Student's t by the delete-one(-group) jackknife, for stated minus right and for Brier."""
    codes = np.arange(right.size) if groups is None else groups
    sizes = np.bincount(codes)
    n, n_groups = right.size, sizes.size
    t = stats.t.ppf(0.975, n**2 / np.square(sizes).sum() - 1)
    found = {}
    for name, values in (("gap", stated - right), ("brier", (stated - right) ** 2)):
        sums = np.bincount(codes, values)
        deleted = (values.sum() - sums) / (n - sizes)
        error = np.sqrt((n_groups - 1) / n_groups * np.square(deleted - deleted.mean()).sum())
        found[name] = (values.mean() - t * error, values.mean() + t * error)
    return found


# --- Thresholds ---------------------------------------------------------------------------------

# What the answers are like, how many groups, the error that is allowed.
WORLDS: dict[str, tuple[int, float]] = {
    "calibrated": (0, 0.05),
    "too sure": (0, 0.10),
    "very confident": (0, 0.01),
    "ties": (0, 0.05),
    "error at the target everywhere": (0, 0.05),
    "error at the target up to the middle": (0, 0.05),
    "documents": (100, 0.10),
    "documents, strong": (100, 0.10),
    "bad documents": (100, 0.05),
    "bad documents, few": (30, 0.10),
}


def threshold_tasks() -> list[Task]:
    """Every world with 300 and 1,000 answers, or ten and forty per document."""
    return [
        {"world": world, "groups": groups, "n": n, "target": target}
        for world, (groups, target) in WORLDS.items()
        for n in ((300, 1000) if not groups else (10 * groups, 40 * groups))
    ]


def made(world: str, rng: Rng, n: int, groups: int) -> tuple[np.ndarray, np.ndarray, Any]:
    """Stated probability and true chance of each answer, and its document."""
    if world == "calibrated":
        chance = rng.beta(8, 0.5, n)
        return chance, chance, None
    if world == "too sure":
        z = rng.normal(1.5, 1.5, n)
        return special.expit(2 * z), special.expit(z), None
    if world == "very confident":
        chance = rng.beta(99, 1, n)
        return chance, chance, None
    if world == "ties":
        chance = np.clip(np.round(rng.beta(8, 0.5, n), 1), 0.05, 0.98)
        return np.round(chance, 1), chance, None
    if world == "error at the target everywhere":
        return rng.random(n), np.full(n, 0.9499), None
    if world == "error at the target up to the middle":
        stated = rng.random(n)
        return stated, np.where(stated > 0.5, 0.9499, 0.7), None
    document = np.repeat(np.arange(groups), n // groups)
    if world.startswith("bad documents"):
        share = {"bad documents": 0.0501, "bad documents, few": 0.1001}[world]
        bad = rng.random(groups) < share
        return rng.random(n), np.where(bad[document], 0.0, 1.0), document
    effect = 1.0 if world == "documents" else 2.0
    z = rng.normal(2.5, 1.0, n)
    return special.expit(z), special.expit(z + effect * rng.normal(size=groups)[document]), document


@cache
def true_errors(world: str, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds that rise, and the true error at or above each of them."""
    rng, many = np.random.default_rng(1), 400_000
    stated, chance, _ = made(world, rng, many, many // 4 if groups else 0)
    if world.startswith("bad documents"):
        chance = np.full(many, {"bad documents": 0.9499, "bad documents, few": 0.8999}[world])
    order = np.argsort(stated)
    wrong = np.cumsum((1 - chance[order])[::-1])[::-1] / np.arange(many, 0, -1)
    return stated[order], wrong


def true_error(world: str, groups: int, threshold: float) -> float:
    """The share of wrong answers among all at or above a threshold."""
    stated, wrong = true_errors(world, groups)
    return float(wrong[min(np.searchsorted(stated, threshold), stated.size - 1)])


def run_threshold(task: Task, seed: Seed) -> Rows:
    """Choose thresholds by each rule, again and again, and ask for the true error."""
    rng, world, target = np.random.default_rng(seed), task["world"], task["target"]
    rules = ["new", "naive"] + ["groups forgotten"] * bool(task["groups"])
    counts = {rule: {"above": 0, "silent": 0, "answered": 0.0} for rule in rules}
    for _ in range(REPETITIONS):
        stated, chance, document = made(world, rng, task["n"], task["groups"])
        right = rng.random(task["n"]) < chance
        for rule in rules:
            chosen = choose(rule, right, stated, document, target)
            count = counts[rule]
            if chosen is None:
                count["silent"] += 1
                continue
            count["answered"] += float((stated >= chosen).mean())
            count["above"] += true_error(world, task["groups"], chosen) > target
    return [
        {**task, "rule": rule, "repetitions": REPETITIONS, "above": int(count["above"])}
        | {"silent": int(count["silent"]), "answered": round(count["answered"] / REPETITIONS, 6)}
        for rule, count in counts.items()
    ]


def choose(
    rule: str, right: np.ndarray, stated: np.ndarray, document: Any, target: float
) -> float | None:
    """The threshold by one of the rules, or None."""
    if rule == "naive":
        order = np.argsort(-stated, kind="stable")
        error = np.cumsum(~right[order]) / np.arange(1, right.size + 1)
        ends = np.append(stated[order][1:] != stated[order][:-1], True)
        good = np.flatnonzero(ends & (error <= target))
        return float(stated[order][good[-1]]) if good.size else None
    groups = document if rule == "new" else None
    return confidence.threshold(right, stated, target, groups=groups).threshold


STUDIES = [
    Study(
        name="promises-confidence",
        tasks=tasks,
        run=run,
        seed=60,
        title="Too sure or too unsure, and Brier's interval, where the truth is known",
    ),
    Study(
        name="promises-threshold",
        tasks=threshold_tasks,
        run=run_threshold,
        seed=61,
        title="Thresholds with a promised error, where the truth is known",
    ),
]
