"""Other packages that compare systems, and this one, on the same made-up and drawn data.

They are no dependency of book or tests; ``pip install -e '.[peers]'`` brings them. Each is called
as its documentation says, with its defaults: 95 %, its own number of resamples.

- "groups": two equally good systems on 11 documents of very uneven length, right or wrong per item,
  the world `documents` of `studies.paired` without counts. ``what``: a "false alarm" (a p-value of
  at most 0.05; where a package gives none for groups, an interval without 0), whether the interval
  of the "difference" holds 0, that of one system's "score" its true accuracy.
- "F1": 300 sentences drawn from a real test set; whether the interval of corpus F1 holds that of
  all of its sentences.
- "gate": 1,000 items, a true gain of 0.04, a gate at 0.05: how many are let through.
- "items" (study peers-items): the first world without groups, 400 items on their own.

The study peers-later has three packages that came onto the index after June 2026, on the same
groups; peers-later-items the same three on the single items, peers-later-speed their seconds for
two systems (all pairs would take them many minutes); peers-shops the example file of eleven shops,
with and without its groups.

A package without a row has no way to do it. ``repetitions`` are fewer where a package is slow.

peers-speed: seconds of the processor for ours and the package, called in turn (median of three, of
one where it takes more than ten seconds), on what `make bench` times as well: difference, interval
and p-value of two systems on 10,000 items, and all pairs of 14 systems on 2,590, adjusted. What
must be made of the scores first (frames, records) is not timed.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module, metadata
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

import betterthan
from betterthan import replicability
from betterthan.counts import Counts
from betterthan.readers import example
from studies import Study
from studies.paired import pool

GROUPS, SENTENCES, ITEMS, SINGLE, GAIN, MARGIN = 11, 300, 1_000, 400, 0.04, 0.05
TAGGERS = ("CoNLL-2000", "CoNLL-2002 es")
Ends = tuple[float, float]


class Package(NamedTuple):
    """What a package can do: of two systems in groups, of one, of counts, and a gate."""

    compare: Callable[..., tuple[float | None, Ends]]  # p-value and interval
    score: Callable[..., Ends] | None = None
    f1: Callable[[Counts], Ends] | None = None
    gate: Callable[..., bool] | None = None
    repetitions: tuple[int, int, int] = (1_000, 1_000, 1_000)  # of groups, F1, items


def package(name: str) -> Package:
    """The calls of a package, which is imported here."""
    peer = import_module(name)

    def corpus_f1(rows: Any) -> Callable[[np.ndarray], float]:
        """F1 of the sentences whose numbers are given: the way round for those without counts."""
        return lambda drawn: _f1(rows[np.asarray(drawn, int)].sum(axis=0))

    def evalstats_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = peer.compare({"a": a, "b": b}, factors="model").to_dict()["pairwise"][0]
        return found["p_value"], (found["ci_low"], found["ci_high"])

    def evalci_compare(a: Any, b: Any, groups: Any) -> tuple[float | None, Ends]:
        if groups is not None:
            return None, evalci_score(b - a, groups)
        found = peer.compare(b, a, random_state=0)
        return found.p_value, found.ci

    def evalci_score(x: Any, groups: Any) -> Ends:
        return tuple(peer.cluster_ci(x, groups, random_state=0))

    def evalci_f1(counts: Counts) -> Ends:
        each, rows = np.arange(len(counts)), _table(counts)
        return tuple(peer.cluster_ci(each, each, statistic=corpus_f1(rows), random_state=0))

    def deltagate_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = peer.paired_delta(a, b, clusters=groups)
        return found["p_value"], (found["lower"], found["upper"])

    def deltagate_score(x: Any, groups: Any) -> Ends:
        reach = 1.96 * peer.variance_components(x, clusters=groups)["stderr_clustered"]
        return x.mean() - reach, x.mean() + reach

    def deltagate_f1(counts: Counts) -> Ends:
        found = peer.bootstrap_ci(np.arange(len(counts)), corpus_f1(_table(counts)))
        return found["lower"], found["upper"]

    def frames(*systems: Any, groups: Any) -> list[Any]:
        return [
            peer.RunFrame(
                "run",
                "model",
                "task",
                "accuracy",
                [
                    peer.ItemResult(str(i), float(score), group)
                    for i, (score, group) in enumerate(zip(one, groups))
                ],
            )
            for one in systems
        ]

    def evalsig_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        named = [None] * len(a) if groups is None else [f"group {g}" for g in groups]
        cluster = None if groups is None else "group"
        found = peer.compare(*frames(a, b, groups=named), cluster=cluster)
        return found.p_value, found.ci

    def evalsig_gate(a: Any, b: Any) -> bool:
        both = frames(a, b, groups=[None] * len(a))
        return peer.gate(*both, min_delta=MARGIN).verdict.value == "ALLOW"

    def noisecheck_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = peer.compare_paired(_noisecheck_pairs(peer, a, b, groups))
        return found.p_value, (found.ci_low, found.ci_high)

    def truescore_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = peer.paired_bootstrap(b, a, clusters=groups)
        return found.p_value, (found.low, found.high)

    def statgate_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = _statgate_report(peer, a, b)
        return found.p_value, (found.interval.low, found.interval.high)

    def our_compare(a: Any, b: Any, groups: Any) -> tuple[float, Ends]:
        found = betterthan.compare(a, b, groups=groups)
        return found.pvalue, found.interval

    return {
        "betterthan": lambda: Package(
            our_compare,
            lambda x, groups: betterthan.score(x, groups=groups).interval,
            lambda counts: betterthan.score(counts).interval,
            lambda a, b: betterthan.compare(a, b).interval.low > MARGIN,
        ),
        "evalstats": lambda: Package(
            evalstats_compare,
            lambda x, groups: peer.mean_ci(x)[1:3],
            lambda counts: peer.mean_ci(_f1(_table(counts).T))[1:3],
        ),
        "evalci": lambda: Package(
            evalci_compare,
            evalci_score,
            evalci_f1,
            repetitions=(500, 100, 500),
        ),
        "deltagate": lambda: Package(deltagate_compare, deltagate_score, deltagate_f1),
        "evalsig": lambda: Package(evalsig_compare, gate=evalsig_gate),
        "noisecheck": lambda: Package(noisecheck_compare, repetitions=(1_000, 0, 500)),
        "truescore": lambda: Package(truescore_compare, repetitions=(1_000, 0, 500)),
        "statgate": lambda: Package(statgate_compare, repetitions=(500, 0, 500)),
    }[name]()


def _noisecheck_pairs(peer: Any, a: Any, b: Any, groups: Any) -> Any:
    """Two systems as noisecheck takes them."""
    ids = tuple(map(str, range(len(a))))
    clusters = (None,) * len(a) if groups is None else tuple(f"group {g}" for g in groups)
    scores = tuple(map(float, a)), tuple(map(float, b))
    return peer.PairedData("accuracy", ids, (None,) * len(a), clusters, *scores, 0, 0)


def _statgate_report(peer: Any, a: Any, b: Any) -> Any:
    """What statgate says of two systems; it knows no groups, and is seeded so that it replays."""
    runs = [
        [peer.EvalRecord(case_id=str(i), score=float(x)) for i, x in enumerate(one)]
        for one in (a, b)
    ]
    return peer.evaluate_gate(*runs, peer.GateSettings(seed=0))


def _table(counts: Counts) -> np.ndarray:
    return np.column_stack([counts.tp, counts.fp, counts.fn]).astype(float)


def _f1(sums: np.ndarray) -> Any:
    """NaN of a sentence where nothing is and nothing was found, which evalstats leaves out."""
    whole = 2 * sums[0] + sums[1] + sums[2]
    return np.divide(2 * sums[0], whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)[()]


def groups(rng: np.random.Generator, use: Package) -> Iterator[tuple[str, bool]]:
    """Two systems that are equally good on unlimited text."""
    labels = np.repeat(
        np.arange(GROUPS), np.maximum(3, rng.lognormal(3.0, 1.2, GROUPS)).astype(int)
    )
    ease = 0.6 * rng.normal(size=GROUPS)[labels] + 0.8 * rng.normal(size=labels.size)
    own = 0.4 * rng.normal(size=(2, GROUPS))[:, labels]
    a, b = (rng.logistic(size=(2, labels.size)) < 1.2 + ease + own).astype(float)
    yield from _judged(use, a, b, labels)
    if use.score:
        low, high = use.score(a, labels)
        yield "score", low <= true_accuracy() <= high


def _judged(use: Package, a: Any, b: Any, labels: Any) -> Iterator[tuple[str, bool]]:
    p, (low, high) = use.compare(a, b, labels)
    yield "false alarm", not low <= 0 <= high if p is None else p <= 0.05
    yield "difference", low <= 0 <= high


def items(rng: np.random.Generator, use: Package) -> Iterator[tuple[str, bool]]:
    """Two equally good systems on items that have nothing to do with each other."""
    right = rng.logistic(size=(2, SINGLE)) < 1.2 + rng.normal(size=SINGLE)
    yield from _judged(use, *right.astype(float), None)


@cache
def true_accuracy() -> float:
    """Of a system of `groups`."""
    normal, weights = np.polynomial.hermite_e.hermegauss(99)
    spread = np.sqrt(0.6**2 + 0.8**2 + 0.4**2)
    return float(special.expit(1.2 + spread * normal) @ weights / weights.sum())


def f1(rng: np.random.Generator, use: Package, tagger: str) -> Iterator[tuple[str, bool]]:
    """Sentences drawn from a test set."""
    whole = pool(tagger)[1]
    low, high = use.f1(whole[rng.integers(0, len(whole), SENTENCES)])
    yield tagger, low <= whole.f1 <= high


def gate(rng: np.random.Generator, use: Package) -> Iterator[tuple[str, bool]]:
    """The two differ on a fifth of the items; B is right on 0.04 more of all than A."""
    drawn = rng.choice(4, ITEMS, p=(0.1 + GAIN / 2, 0.1 - GAIN / 2, 0.5, 0.3))
    a, b = np.isin(drawn, (1, 2)).astype(float), np.isin(drawn, (0, 2)).astype(float)
    yield "let through", use.gate(a, b)


NAMES = ("evalstats", "evalci", "deltagate", "evalsig")
LATER = ("noisecheck", "truescore", "statgate")  # on the index since June 2026
ALL = ("groups", "F1", "gate", "items")


def tasks() -> list[dict[str, Any]]:
    """Ours by world, so that a replay of a short task needs no other package."""
    ours = [{"packages": ["betterthan"], "worlds": [world]} for world in ALL[:3]]
    return [*ours, {"packages": list(NAMES), "worlds": list(ALL[:3])}]


def item_tasks() -> list[dict[str, Any]]:
    """Ours, and the others."""
    return [{"packages": list(names), "worlds": ["items"]} for names in (["betterthan"], NAMES)]


def later_tasks() -> list[dict[str, Any]]:
    """The later packages, each by itself, on the groups that the others had."""
    return [{"packages": [name], "worlds": ["groups"]} for name in LATER]


def later_item_tasks() -> list[dict[str, Any]]:
    """The later packages, each by itself, on the single items that the others had."""
    return [{"packages": [name], "worlds": ["items"]} for name in LATER]


def run(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All experiments: the same data for each package, whatever the task's own seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            {"package": name, "version": _version(name), "world": world, "what": what}
            | {"repetitions": len(hits), "hits": int(sum(hits))}
            for name in task["packages"]
            for (world, what), hits in _tried(name, task["worlds"], seed.entropy).items()
        ]


def _tried(name: str, worlds: list[str], entropy: int) -> dict[tuple[str, str], list[bool]]:
    use, seen = package(name), {}
    calls = {
        "groups": [(groups, (), use.repetitions[0])],
        "F1": [(f1, (tagger,), use.repetitions[1]) for tagger in TAGGERS if use.f1],
        "gate": [(gate, (), 1_000)] if use.gate else [],
        "items": [(items, (), use.repetitions[2])],
    }
    for place, world in enumerate(ALL):
        for call, more, times in calls[world] if world in worlds else ():
            for child in np.random.SeedSequence([entropy, place]).spawn(times):
                for what, hit in call(np.random.default_rng(child), use, *more):
                    seen.setdefault((world, what), []).append(hit)
    return seen


def _version(name: str) -> str:
    # The sidecar says which version of ours; here it would turn every row stale with a new one.
    return "" if name == "betterthan" else metadata.version(name)


# Eleven shops: the example file of predictions, with and without its groups


def shops() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right or wrong of the two systems of the example file, and the shop of each message."""
    table = pd.read_csv(example("predictions"))
    old, new = ((table[name] == table["gold"]).to_numpy(float) for name in ("old", "new"))
    return old, new, table["group"].to_numpy()


def shop_tasks() -> list[dict[str, Any]]:
    """Ours first: it needs no other package."""
    return [{"package": name} for name in ("betterthan", *LATER)]


def run_shops(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The p-value of a package, told of the shops or not."""
    name, (a, b, groups) = task["package"], shops()
    knows = name != "statgate"
    rows = []
    for told, labels in (("no", None), ("yes", groups)) if knows else (("no", None),):
        p, (low, high) = package(name).compare(a, b, labels)
        row = {"package": name, "version": _version(name), "groups": told, "items": a.size}
        row |= {"shops": len(set(groups)), "difference": round(float(b.mean() - a.mean()), 6)}
        ends = {"low": round(float(low), 6), "high": round(float(high), 6)}
        rows.append(row | {"pvalue": round(float(p or 0), 6)} | ends)
    return rows


# How long it takes

SIZES = {"two systems": (2, 10_000), "all pairs": (14, 2_590)}


def systems(what: str) -> dict[str, np.ndarray]:
    """Right or wrong, of systems from weak to strong."""
    many, n = SIZES[what]
    rng = np.random.default_rng(many)
    ease = rng.normal(size=n)
    return {
        f"system {k:02}": (ease + 0.05 * k + rng.normal(size=n) > 0).astype(float)
        for k in range(many)
    }


def timed(name: str, what: str) -> tuple[Callable[..., Any], Callable[..., int]]:
    """What makes the package's input of the systems, and its call: how many pairs differ."""
    peer, two = import_module(name), what == "two systems"

    def long(given: dict[str, np.ndarray]) -> pd.DataFrame:
        frame = pd.DataFrame(given).rename_axis("item_id").reset_index()
        return frame.melt("item_id", var_name="model", value_name="score")

    def runs(given: dict[str, np.ndarray]) -> list[Any]:
        items = [[peer.ItemResult(str(i), x) for i, x in enumerate(o)] for o in given.values()]
        return [peer.RunFrame(n, n, "task", "accuracy", own) for n, own in zip(given, items)]

    def evalsig_pairs(frames: list[Any]) -> int:
        found = [peer.compare(a, b).p_value for a, b in combinations(frames, 2)]
        return int(peer.holm(np.array(found)).reject.sum())

    def deltagate_pairs(given: dict[str, np.ndarray]) -> int:
        suite = {f"{a}, {b}": (given[b], given[a]) for a, b in combinations(given, 2)}
        return len(peer.reliability_report(suite).holm_survivors)

    def loaded(given: dict[str, np.ndarray]) -> Any:
        return peer.load_from(long(given).rename(columns={"item_id": "item"}))

    def evalstats_pairs(data: Any) -> int:
        found = peer.compare(data, factors="model").to_dict()["pairwise"]
        return sum(pair["p_value"] <= 0.05 for pair in found)

    def pairs_of(given: dict[str, np.ndarray]) -> list[Any]:
        return list(combinations(given.values(), 2))

    def paired_lists(given: dict[str, np.ndarray]) -> list[Any]:
        return [_noisecheck_pairs(peer, a, b, None) for a, b in pairs_of(given)]

    def records(given: dict[str, np.ndarray]) -> list[Any]:
        made = [
            [peer.EvalRecord(case_id=str(i), score=x) for i, x in enumerate(own.tolist())]
            for own in given.values()
        ]
        return list(combinations(made, 2))

    def loop_of(pvalue: Callable[[Any], float]) -> Callable[..., int]:
        """Every pair, and Holm's correction."""
        return lambda pairs: int(replicability.identify([pvalue(pair) for pair in pairs]).sum())

    def our_pairs(given: dict[str, np.ndarray]) -> int:
        if two:
            return int(betterthan.compare(*given.values()).pvalue <= 0.05)
        return int((betterthan.compare_many(given).table()["pvalue_adjusted"] <= 0.05).sum())

    def two_of(call: Callable[..., Any]) -> Callable[..., int]:
        return lambda given: int(call(*given.values()) <= 0.05)

    return {
        "betterthan": (dict, our_pairs),
        "evalstats": (loaded, evalstats_pairs),
        "evalci": (dict, two_of(lambda a, b: peer.compare(b, a).p_value))
        if two
        else (long, lambda frame: int(peer.multi_compare(frame)["significant"].sum())),
        "deltagate": (
            dict,
            deltagate_pairs
            if not two
            else two_of(lambda a, b: peer.evaluate_comparison(b, a).p_value),
        ),
        "evalsig": (runs, evalsig_pairs),
        "noisecheck": (paired_lists, loop_of(lambda pair: peer.compare_paired(pair).p_value)),
        "truescore": (pairs_of, loop_of(lambda pair: peer.paired_bootstrap(*pair).p_value)),
        "statgate": (
            records,
            loop_of(lambda pair: peer.evaluate_gate(*pair, peer.GateSettings()).p_value),
        ),
    }[name]


def speed_tasks() -> list[dict[str, Any]]:
    """Ours alone first: it needs no other package."""
    ours = [{"packages": ["betterthan"], "whats": [what]} for what in SIZES]
    return [*ours, {"packages": list(NAMES), "whats": list(SIZES)}]


def later_speed_tasks() -> list[dict[str, Any]]:
    """Two systems only: all pairs would take the later packages many minutes."""
    return [{"packages": [name], "whats": ["two systems"]} for name in LATER]


def speed(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Ours and each package in turn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_raced(name, what) for name in task["packages"] for what in task["whats"]]


def _raced(name: str, what: str) -> dict[str, Any]:
    given, ready = systems(what), {}
    for one in dict.fromkeys(["betterthan", name]):
        make, call = timed(one, what)
        call(make({key: x[:100] for key, x in given.items()}))  # compiles and loads
        ready[one] = call, make(given)
    seconds: dict[str, list[float]] = {one: [] for one in ready}
    for _ in range(3):
        for one, (call, data) in ready.items():
            if sum(seconds[one]) < 10:
                began = time.process_time()
                call(data)
                seconds[one].append(time.process_time() - began)
    ours, peers = (round(float(np.median(seconds[one])), 5) for one in ("betterthan", name))
    row = {"package": name, "version": _version(name), "what": what}
    return row | {"ours_seconds": ours, "peer_seconds": peers}


PACKAGES = ("evalstats", "evalci", "deltagate", "evalsig")
READ = ("studies/replicability-taggers", "studies/bcv-ner-es")
SECONDS = "Seconds of other packages and of this one, in turn"
STUDIES = [
    Study(name, todo, how, seed, read, f"{title} (pip install -e '.[peers]')", needs=PACKAGES)
    for name, todo, how, seed, read, title in (
        ("peers", tasks, run, 20_27, READ, "Other packages and this one on the same data"),
        ("peers-items", item_tasks, run, 20_28, (), "The same on single items, without groups"),
        ("peers-speed", speed_tasks, speed, 0, (), SECONDS),
    )
] + [
    Study(name, todo, how, seed, (), f"{title} (pip install -e '.[peers]')", needs=LATER)
    for name, todo, how, seed, title in (
        # The seed of the study above: the same data.
        ("peers-later", later_tasks, run, 20_27, "Three later packages, in groups"),
        # That of peers-items, likewise.
        ("peers-later-items", later_item_tasks, run, 20_28, "Three later packages, single items"),
        ("peers-later-speed", later_speed_tasks, speed, 0, f"{SECONDS}, three later ones"),
        ("peers-shops", shop_tasks, run_shops, 0, "Eleven shops, with and without groups"),
    )
]
