"""Shared runs, notes, plans, near copies, ratios and early looks: do they keep what they promise?

All of it is made up, because only then the truth is known: whether two systems are equal, whether
items hang together, whether answers are missing at random. Designs are those of users: prompts that
both systems were given, judges, seconds with a long tail, a log in the order of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special, stats

from betterthan import Results, compare, compare_many, plan, score
from betterthan.counts import Counts
from betterthan.errors import InputError
from studies._study import Rows, Seed, Study, Task, grid
from studies.coverage import Rng, repeated

REPETITIONS = 250
DRAWS = 199
Hits = Iterator[tuple[str, bool]]

ITEMS, DOCUMENTS = 100, 20
# Log-odds: how hard a prompt is for both, and how differently both take it.
PROMPT, GAIN = 0.5, 0.3
TAKEN = {"alike": 0.0, "a little apart": 0.2, "far apart": 0.5}


def _prompts(rng: Rng, kind: str, n: int, taken: str, gain: float) -> tuple[list, list, Any]:
    """Two systems with n prompts each: right or wrong, or counts per sentence, or in documents."""
    documents = None
    size, own = ITEMS, np.zeros((2, ITEMS))
    if kind == "F1 in documents":
        lengths = np.maximum(2, rng.lognormal(1.3, 0.8, DOCUMENTS)).astype(int)
        documents, size = np.repeat(np.arange(DOCUMENTS), lengths), int(lengths.sum())
        own = 0.4 * rng.normal(size=(2, DOCUMENTS))[:, documents]
    hard, easy = rng.normal(size=size), PROMPT * rng.normal(size=n)
    if taken == "unrelated seeds":
        moved = 0.3 * rng.normal(size=(2, n))
    else:
        moved = easy + TAKEN[taken] * rng.normal(size=(2, n))
    gold, found = rng.poisson(2.0, size), []
    for system in range(2):
        ease = 1.0 + (hard + own[system])[:, None] + moved[system] + gain * system
        if kind == "accuracy":
            found.append(list((rng.logistic(size=ease.shape) < ease).astype(float).T))
            continue
        tp = rng.binomial(gold[:, None], special.expit(ease))
        fp = rng.poisson(0.5 * np.exp(-ease / 3))
        found.append([Counts(tp[:, r], fp[:, r], gold - tp[:, r]) for r in range(n)])
    return found[0], found[1], documents


def runs(rng: Rng, design: str, n: int) -> Hits:
    """The same n prompts for both: false alarms, and how often a difference is seen."""
    kind, taken = design.split(", ")
    a, b, groups = _prompts(rng, kind, n, taken, 0.0)
    yield "false alarm", compare(a, b, groups=groups, shared_runs=True).pvalue <= 0.05
    a, b, groups = _prompts(rng, kind, n, taken, GAIN)
    yield "seen", compare(a, b, groups=groups, shared_runs=True).pvalue <= 0.05
    yield "seen, taken as separate", compare(a, b, groups=groups).pvalue <= 0.05


def _ordinary(rng: Rng, design: str, n: int) -> tuple[Any, Any, dict[str, Any]]:
    """Two systems on n items as people have them; what else to say of them."""
    hard = rng.normal(size=n)
    if design == "accuracy of 97 %":
        return *(rng.logistic(size=(2, n)) < 5.5 + 2 * hard).astype(float), {}
    if design == "accuracy of 70 %":
        return *(rng.logistic(size=(2, n)) < 1.2 + 1.5 * hard).astype(float), {}
    if design == "accuracy in 12 documents":
        groups = np.arange(n) % 12
        ease = 1.0 + hard + 0.7 * rng.normal(size=12)[groups]
        return *(rng.logistic(size=(2, n)) < ease).astype(float), {"groups": groups}
    if design == "scores":
        both = special.expit(hard + 0.7 * rng.normal(size=(2, n)))
        return both[0], both[1], {}
    gold = rng.poisson(2.0, n)
    tp = rng.binomial(gold, special.expit(1.2 + hard), size=(2, n))
    fp = rng.poisson(0.4, size=(2, n))
    found = [Counts(tp[i], fp[i], gold - tp[i]) for i in range(2)]
    return found[0], found[1], {} if design == "F1" else {"groups": np.arange(n) % 12}


ORDINARY = (
    "accuracy of 97 %",
    "accuracy of 70 %",
    "accuracy in 12 documents",
    "scores",
    "F1",
    "F1 in 12 documents",
)


def notes(rng: Rng, design: str, n: int) -> Hits:
    """Ordinary comparisons, of which nothing is wrong: how many have a note, then and now?"""
    a, b, asked = _ordinary(rng, design, n)
    result = compare(a, b, n_resamples=DRAWS, rng=rng, **asked)
    yield "a note", bool(result.notes)
    numbers = None if isinstance(a, Counts) else np.corrcoef(a, b)[0, 1]
    second = result.n_effective <= 20 or result._spread.kurtosis < 0
    skew = float(abs(stats.skew(b - a))) / np.sqrt(n) if numbers is not None and not asked else 0.0
    second |= skew > 0.25 and result.n_groups > 20
    second |= numbers is not None and n >= 200 and abs(numbers) < 1.645 / np.sqrt(n)
    rough = any("rough guide" in note for note in result.notes)
    yield "a note, second edition", bool(second or rough)


def shuffled(rng: Rng, design: str, n: int) -> Hits:
    """B in another order: is it noticed?"""
    a, b, _ = _ordinary(rng, design, n)
    yield "noticed", "same items" in str(compare(a, rng.permutation(b), n_resamples=DRAWS))


def missing(rng: Rng, design: str, n: int) -> Hits:
    """B has no answer on n per cent of 400 items, at random or where it was wrong."""
    hard = rng.normal(size=400)
    a, b = (rng.logistic(size=(2, 400)) < 1.0 + 1.5 * hard).astype(float)
    share = n / 100
    where = np.full(400, share) if design == "at random" else (1 - b) * share / (1 - b.mean())
    kept = rng.random(400) > where
    ids = np.arange(400).astype(str)
    result = compare(
        Results(a, ids=ids), Results(b[kept], ids=ids[kept]), unmatched="drop", n_resamples=DRAWS
    )
    yield "noticed", "not like the rest" in str(result)
    yield "B is better", result.pvalue <= 0.05 and result.difference > 0


def order(rng: Rng, design: str, n: int) -> Hits:
    """Rows in blocks of twenty that go together, which nobody says; or in no order.

    Shuffled rows keep the effects of the blocks they were drawn from. So the two designs differ in
    the note alone: the false alarms of both are those of blocks.
    """
    blocks = rng.normal(size=(2, n // 20)).repeat(20, axis=1)
    if design == "independent":
        blocks = rng.permuted(blocks, axis=1)
    a, b = (rng.logistic(size=(2, n)) < 0.5 + 1.5 * blocks).astype(float)
    result = compare(a, b, n_resamples=DRAWS)
    yield "noticed", "Neighbouring rows" in str(result)
    yield "false alarm", result.pvalue <= 0.05


def _discordant(rng: Rng, n: int, share: float, away: float) -> np.ndarray:
    """Right or wrong for two systems that differ on a share of items, `away` apart."""
    u, both = rng.random(n), rng.random(n) < 0.8
    only_b, only_a = u < (share + away) / 2, (u >= (share + away) / 2) & (u < share)
    return np.where(only_b, [[0], [1]], np.where(only_a, [[1], [0]], both)).astype(float)


PLANS = {"3 % differ": (0.03, 0.02), "5 % differ": (0.05, 0.03), "20 % differ": (0.2, 0.05)}


def planned(rng: Rng, design: str, n: int) -> Hits:
    """As many items as a pilot of n asks for: how often is the difference seen (McNemar's test)?"""
    share, away = PLANS[design]
    pilot = compare(*_discordant(rng, n, share, 0.0), n_resamples=99)
    if pilot.standard_error == 0:
        return
    asked = min(plan(pilot, difference=away).n, 20_000)
    a, b = _discordant(rng, asked, share, away)
    b_only, a_only = (b > a).sum(), (a > b).sum()
    yield "seen", bool((b_only - a_only) ** 2 > 3.841 * (b_only + a_only))
    per_unit = pilot._spread.from_items * n
    as_found = int(np.ceil((1.96 + 0.8416) ** 2 * per_unit / away**2))
    a, b = _discordant(rng, max(as_found, 2), share, away)
    b_only, a_only = (b > a).sum(), (a > b).sum()
    yield "seen, second edition", bool((b_only - a_only) ** 2 > 3.841 * (b_only + a_only))


# By how much training moves the accuracy of a run.
MOVED = {"luck with items": 0.0, "two points": 0.02}


def planned_runs(rng: Rng, design: str, n: int) -> Hits:
    """The same with three runs of each system: is five points refused, and if not, seen?"""
    pilot = compare(*_trained(rng, n, MOVED[design], 0.0), n_resamples=99)
    try:
        asked = min(plan(pilot, difference=0.05).n, 5_000)
    except InputError:
        yield "refused", True
        return
    yield "refused", False
    a, b = _trained(rng, asked, MOVED[design], 0.05)
    yield "seen", compare(a, b, n_resamples=99).pvalue <= 0.05


def _trained(rng: Rng, n: int, moved: float, lead: float) -> list[list[np.ndarray]]:
    """Three runs of two systems on the same items, right or wrong."""
    ease = 0.1 + 0.8 * rng.random(n)
    chances = [[ease + more + moved * rng.normal() for _ in range(3)] for more in (0.0, lead)]
    return [[(rng.random(n) < own).astype(float) for own in system] for system in chances]


def copies(rng: Rng, design: str, n: int) -> Hits:
    """A system and copies of it, changed on few of n items: are all differences in their intervals?

    A copy gets a new answer on 2 % (or 20 %) of the items, right in nine of ten cases.
    """
    share = {"near copies": 0.02, "other systems": 0.2}[design]
    base = rng.random(n) < 0.7
    systems = {"base": base.astype(float)}
    for place in range(3):
        changed = rng.random(n) < share
        systems[str(place)] = np.where(changed, rng.random(n) < 0.9, base).astype(float)
    table = compare_many(systems, n_resamples=DRAWS, rng=rng).table()
    truth = {name: 0.0 if name == "base" else share * 0.2 for name in systems}
    away = table["b"].map(truth) - table["a"].map(truth)
    known = table["low"].notna()
    yield "all intervals", bool(((table["low"] <= away) & (away <= table["high"]))[known].all())


SKEWED = {
    "seconds, long tail": (lambda rng, n: rng.lognormal(0, 1, n), np.exp(0.5)),
    "seconds, very long tail": (lambda rng, n: rng.lognormal(0, 1.5, n), np.exp(1.125)),
    "costs, mostly 0": (lambda rng, n: rng.exponential(1, n) * (rng.random(n) < 0.1), 0.1),
}


def skew(rng: Rng, design: str, n: int) -> Hits:
    """The mean of n skewed numbers: Hall's transformation where it is used, and plain t."""
    draw, truth = SKEWED[design]
    x = draw(rng, n)
    result = score(x)
    if not np.isnan(result.interval.low):
        yield "score", result.interval.low <= truth <= result.interval.high
        low, high = stats.t.interval(0.95, n - 1, x.mean(), stats.sem(x))
        yield "score, second edition", low <= truth <= high
        yield "a note", any("skewed" in note for note in result.notes)


def ratio(rng: Rng, design: str, n: int) -> Hits:
    """Seconds of two systems on n items, B 0.8 times as slow: the ratio, and the difference."""
    tail = {"long tail": 1.0, "very long tail": 1.5}[design]
    hard = rng.lognormal(0, tail, n)
    a, b = hard * rng.lognormal(0, 0.5, (2, n)) * np.array([[1.0], [0.8]])
    found = compare(a, b, ratio=True, n_resamples=DRAWS, rng=rng)
    yield "ratio", found.ratio_interval.low <= 0.8 <= found.ratio_interval.high
    yield "seen, ratio", found.pvalue <= 0.05
    plain = compare(a, b, n_resamples=DRAWS, rng=rng)
    truth = -0.2 * np.exp((tail**2 + 0.25) / 2)
    yield "difference", plain.interval.low <= truth <= plain.interval.high
    yield "seen, difference", plain.pvalue <= 0.05
    a, b = hard * rng.lognormal(0, 0.5, (2, n))
    yield "false alarm", compare(a, b, ratio=True, n_resamples=DRAWS).pvalue <= 0.05


def early(rng: Rng, design: str, n: int) -> Hits:
    """Two systems that differ on some of n items: stop at the first look that says so."""
    away = 0.0 if design == "equal" else 0.1
    steps = np.diff(_discordant(rng, n, 0.3, away), axis=0)[0]
    wins, losses = np.cumsum(steps > 0), np.cumsum(steps < 0)
    seen = wins + losses
    # The bet of 2-more.md: every share of wins is as likely as another.
    log_value = seen * np.log(2) + special.betaln(wins + 1, losses + 1)
    yield "a claim, e-process at every item", bool((log_value >= np.log(20)).any())
    looks = slice(49, None, 50)
    z = np.abs(wins - losses)[looks] / np.sqrt(np.maximum(seen[looks], 1))
    yield "a claim, test at every 50th", bool((z > 1.96).any())
    yield "a claim, test at the end", bool(z[-1] > 1.96)


def prompts(rng: Rng, design: str, n: int) -> Hits:
    """Ten prompts, none better than the baseline: is the best of them called better?"""
    hard = rng.normal(size=n)
    right = (rng.logistic(size=(11, n)) < 0.5 + hard).astype(float)
    systems = {str(place): one for place, one in enumerate(right)}
    table = compare_many(systems, baseline="0", n_resamples=DRAWS, rng=rng).table()
    better = table["difference"] > 0
    yield "best called better", bool((better & (table["pvalue_adjusted"] <= 0.05)).any())
    best = right[1:].mean(axis=1).argmax() + 1
    alone = compare(right[0], right[best], n_resamples=DRAWS)
    yield "best called better, second edition", alone.pvalue <= 0.05 and alone.difference > 0


_KINDS = ("accuracy", "F1", "F1 in documents")
WORLDS: dict[str, tuple[Callable[..., Hits], tuple[str, ...], tuple[int, ...]]] = {
    "runs": (runs, tuple(f"{kind}, {taken}" for kind in _KINDS for taken in TAKEN), (3, 5, 10)),
    "seeds": (runs, tuple(f"{kind}, unrelated seeds" for kind in _KINDS), (3, 5)),
    "notes": (notes, ORDINARY, (100, 500)),
    "shuffled": (shuffled, ("accuracy of 70 %", "scores"), (300, 1000)),
    "missing": (missing, ("at random", "wrong ones"), (5, 10, 20)),
    "order": (order, ("independent", "blocks"), (400, 1000)),
    "plan": (planned, tuple(PLANS), (100, 300)),
    "copies": (copies, ("near copies", "other systems"), (300,)),
    "skew": (skew, tuple(SKEWED), (20, 50, 200)),
    "ratio": (ratio, ("long tail", "very long tail"), (20, 50, 200)),
    "early": (early, ("equal", "ten points apart"), (500, 2000)),
    "prompts": (prompts, ("equal",), (100, 400)),
    "plan of runs": (planned_runs, tuple(MOVED), (150, 1000)),
}


def tasks() -> list[Task]:
    """Every world."""
    last = {"repetitions": [REPETITIONS]}
    worlds = (grid(world=[w], design=names, n=n, **last) for w, (_, names, n) in WORLDS.items())
    return [task for world in worlds for task in world()]


def run(task: Task, seed: Seed) -> Rows:
    """Repeat one experiment and count what came of it."""
    experiment = WORLDS[task["world"]][0]
    found: dict[str, list[bool]] = {}
    for what, hit in repeated(task, seed, lambda rng: experiment(rng, task["design"], task["n"])):
        found.setdefault(what, []).append(bool(hit))
    about = {name: task[name] for name in ("world", "design", "n")}
    return [
        {**about, "what": what, "repetitions": len(hits), "hits": sum(hits)}
        for what, hits in found.items()
    ]


STUDIES = [
    Study("promises", tasks, run, 20_27, (), "Shared runs, notes, plans, ratios and early looks")
]
