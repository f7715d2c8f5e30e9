"""Study of chapter 5: two rankings of candidates that come in groups, equal or not.

The score of a true candidate is higher by `lead` on average. Hits come in clumps: groups differ in
how many of their candidates are true. So do scores: each ranking likes or dislikes whole groups,
with a standard deviation of `own`. Counted is how often the rankings are called different, by
Fisher's test on candidates and by swaps of whole groups, at one n and over all n together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan import ranking
from studies._study import Rows, Seed, Study, Task, grid

CANDIDATES, SWAPS = 1000, 99


class World(NamedTuple):
    """How candidates hang together, and by how much a true one leads in each ranking."""

    groups: int
    clumps: float  # standard deviation, between groups, of the log odds of being true
    own: tuple[float, float]  # how much A and B like whole groups
    lead: tuple[float, float] = (1.0, 1.0)
    uneven: bool = False


WORLDS = {
    "independent": World(50, 0.0, (0.0, 0.0)),
    "hits clump": World(50, 1.5, (0.0, 0.0)),
    "hits and scores clump, 10 groups": World(10, 1.5, (1.0, 1.0)),
    "hits and scores clump, 25 groups": World(25, 1.5, (1.0, 1.0)),
    "hits and scores clump, 50 groups": World(50, 1.5, (1.0, 1.0)),
    "hits and scores clump, 25 uneven groups": World(25, 1.5, (1.0, 1.0), uneven=True),
    "only A's scores clump, 10 groups": World(10, 1.5, (1.0, 0.0)),
    "only A's scores clump, 25 groups": World(25, 1.5, (1.0, 0.0)),
    "only A's scores clump, 50 groups": World(50, 1.5, (1.0, 0.0)),
    "B better, independent": World(50, 0.0, (0.0, 0.0), (1.0, 1.5)),
    "B better, hits clump": World(50, 1.5, (0.0, 0.0), (1.0, 1.5)),
    "B better, hits and scores clump": World(50, 1.5, (1.0, 1.0), (1.0, 1.5)),
}


def made_up(rng: np.random.Generator, world: World) -> tuple[np.ndarray, ...]:
    """Scores of A and of B, which candidates are true, and their groups."""
    size = np.full(world.groups, CANDIDATES // world.groups)
    if world.uneven:
        size = np.maximum(3, size * rng.lognormal(-0.32, 0.8, world.groups)).astype(int)
    group = np.repeat(np.arange(world.groups), size)
    odds = -1.6 + world.clumps * rng.normal(size=world.groups)[group]
    gold = rng.random(group.size) < 1 / (1 + np.exp(-odds))
    shared, most = 0.5 * rng.normal(size=group.size), max(world.own)
    scores = []
    for lead, own in zip(world.lead, world.own):
        # What does not vary between groups varies within them, so that both are equally good.
        within = np.sqrt(1 + most**2 - own**2) * rng.normal(size=group.size)
        liked = own * rng.normal(size=world.groups)[group]
        scores.append(lead * gold + shared + within + liked)
    return *scores, gold, group


def run(task: Task, seed: Seed) -> Rows:
    """How often each test calls the two rankings different."""
    rng, world, claims = np.random.default_rng(seed), WORLDS[task["world"]], []
    for _ in range(task["repetitions"]):
        a, b, gold, group = made_up(rng, world)
        n, last = gold.size // 5, gold.size // 2
        alone = ranking.compare(a, b, gold)
        whole = ranking.compare(
            a, b, gold, groups=group, n_resamples=SWAPS, rng=int(rng.integers(2**31))
        )
        band = whole.between(50, last).simultaneous(n_resamples=SWAPS, rng=rng)
        claims.append(
            {
                "fisher": alone.pvalue[n - 1] <= 0.05,
                "groups": whole.pvalue[n - 1] <= 0.05,
                "groups_all_n": (band.pvalue_adjusted <= 0.05).any(),
            }
        )
    made = {test: int(sum(one[test] for one in claims)) for test in claims[0]}
    return [{"world": task["world"], "repetitions": task["repetitions"], **made}]


STUDIES = [
    Study(
        "ranking-groups",
        grid(world=list(WORLDS), repetitions=[250], block=range(2)),
        run,
        2026,
        (),
        "candidates in groups: how often two rankings are called different",
    )
]
