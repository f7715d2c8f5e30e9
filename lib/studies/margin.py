"""Right or wrong, and "no difference of more than m": how often interval, test, gate and claim err.

Every world is made up, so that the true difference is known. Each is judged twice: as the library
does it, and as its second edition did. That one compared right and wrong answers like any other
numbers (half-samples up to 1,000 items, Student's t beyond), and claimed "no difference of more
than m" wherever 95 % of that distribution lay within the margin. Its rule is kept here alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from betterthan import compare
from betterthan.counts import Counts
from betterthan.paired import Comparison
from studies._study import Rows, Seed, Study, Task
from studies.coverage import Rng, repeated

CHUNKS, REPETITIONS = 2, 500
# Half-samples within a simulation; the book's default is 9,999.
DRAWS = 499
LEVEL = 0.95
NOW, BEFORE = "this edition", "second edition"
# Only its counts matter, so it can be repeated more often.
RIGHT = "right or wrong"

Pair = tuple[Any, Any, Any]


def tasks() -> list[Task]:
    """Every design, in chunks."""
    designs = [*_right_or_wrong(), *_false_claims(), *_true_claims(), *_gates(), *_switch()]
    names = ("asked", "world", "n", "differing", "difference", "margin")
    return [
        dict(zip(names, design))
        | {"chunk": chunk, "repetitions": REPETITIONS // (1 if design[1] == RIGHT else 4)}
        for design in designs
        for chunk in range(CHUNKS)
    ]


Design = tuple[str, str, int, float, float, float]


def _right_or_wrong() -> Iterator[Design]:
    """Interval and test, from ten items to a thousand, from hardly any that differ to half."""
    for n in (10, 20, 50, 100, 200, 500, 1000):
        for differing, difference in (
            (0.02, 0),
            (0.05, 0),
            (0.2, 0),
            (0.5, 0),
            (0.05, 0.03),
            (0.2, 0.1),
        ):
            yield "interval and test", RIGHT, n, differing, difference, 0.0


def _false_claims() -> Iterator[Design]:
    """B is worse by the margin or more: nobody may say that it is not."""
    for n, margin in (
        (10, 0.05),
        (30, 0.05),
        (100, 0.05),
        (200, 0.05),
        (200, 0.01),
        (400, 0.01),
        (1000, 0.01),
    ):
        for times in (1, 1.5, 3, 5):
            yield "claim", RIGHT, n, times * margin, -times * margin, margin
    for world in (
        "rare losses",
        "rare losses, noise elsewhere",
        "zero-inflated",
        "sentences lost",
        "sentences that differ",
        "clumped groups",
        "clumped sentences",
        "seconds",
    ):
        for n, margin in ((100, 0.01), (100, 0.05), (300, 0.02)):
            for times in (1, 1.9):
                yield "claim", world, n, 0.1, -times * margin, margin


def _true_claims() -> Iterator[Design]:
    """Equal systems: how often is that said?"""
    for differing in (0.0, 0.03, 0.1, 0.4):
        yield "power of the claim", "sentences that differ", 300, differing, 0.0, 0.02
        yield "power of the claim", "rare losses, noise elsewhere", 300, differing, 0.0, 0.02
        for n in (300, 1000):
            yield "power of the claim", RIGHT, n, differing, 0.0, 0.02


def _gates() -> Iterator[Design]:
    """B is as good, or a little better: does it pass a gate at minus the margin?"""
    designs = (
        (100, 0.02, 0, 0.05),
        (200, 0.01, 0, 0.02),
        (200, 0.03, 0.01, 0.02),
        (500, 0.01, 0, 0.02),
        (500, 0.05, 0, 0.02),
        (1000, 0.02, 0, 0.01),
    )
    for n, differing, difference, margin in designs:
        yield "power of the gate", RIGHT, n, differing, difference, margin
        yield "false pass of the gate", RIGHT, n, margin + differing, -margin, margin


def _switch() -> Iterator[Design]:
    """One more item on which both agree: does the verdict change?"""
    for n in (100, 1000):
        yield "verdict with one more item", RIGHT, n, 0.008 if n > 100 else 0.08, 0, 0.0


def run(task: Task, seed: Seed) -> Rows:
    """Repeat one design and count what is said by either rule."""
    hits: Counter[tuple[str, str]] = Counter()

    def experiment(rng: Rng) -> Iterator[tuple[tuple[str, str], bool]]:
        pair = WORLDS[task["world"]](task, rng)
        for edition in (NOW, BEFORE):
            for what, hit in _asked(task, pair, edition):
                yield (edition, what), hit

    for kind, hit in repeated(task, seed, experiment):
        hits[kind] += bool(hit)
    kept = {name: task[name] for name in task if name not in ("chunk", "repetitions")}
    return [
        kept | {"edition": edition, "what": what, "repetitions": task["repetitions"], "hits": k}
        for (edition, what), k in hits.items()
    ]


def _asked(task: Task, pair: Pair, edition: str) -> Iterator[tuple[str, bool]]:
    """What is asked of a design, answered by one edition."""
    asked, truth, margin = task["asked"], task["difference"], task["margin"]
    low, high, pvalue, claim = judged(pair, margin)[edition]
    if asked == "interval and test":
        yield "caught", low <= truth <= high
        if truth == 0:
            yield "false alarm", pvalue <= 1 - LEVEL
    elif asked in ("claim", "power of the claim"):
        yield "no difference", claim
    elif asked in ("power of the gate", "false pass of the gate"):
        yield "passed", low > -margin
    else:
        more = (*(np.append(one, 0.0) for one in pair[:2]), None)
        after = judged(more, margin)[edition][2]
        yield "changed", (after <= 1 - LEVEL) != (pvalue <= 1 - LEVEL)


Judged = tuple[float, float, float, bool]  # the ends of the interval, p-value, claim


def judged(pair: Pair, margin: float) -> dict[str, Judged]:
    """What either edition says."""
    a, b, groups = pair
    if groups is None and not isinstance(a, Counts) and np.isin([a, b], (0, 1)).all():
        return _judged_by_counts(len(a), int((b > a).sum()), int((b < a).sum()), margin)
    found = compare(a, b, groups=groups, margin=margin, n_resamples=DRAWS)
    return {NOW: _now(found), BEFORE: _before(found, margin)}


@lru_cache(maxsize=100_000)
def _judged_by_counts(n: int, gained: int, lost: int, margin: float) -> dict[str, Judged]:
    """Of right and wrong answers only three numbers matter, and the same come again."""
    a, b = np.zeros((2, n))
    a[:lost], b[lost : lost + gained] = 1.0, 1.0
    found = compare(a, b, margin=margin)
    # Half of each answer is no longer right or wrong, and goes the way of all numbers.
    numbers = compare(a / 2, b / 2, margin=margin / 2, n_resamples=DRAWS)
    return {NOW: _now(found), BEFORE: _before(numbers, margin / 2, 2.0)}


def _now(found: Comparison) -> Judged:
    claim = "no difference of more than" in str(found)
    return found.interval.low, found.interval.high, found.pvalue, claim


def _before(found: Comparison, margin: float, scale: float = 1.0) -> Judged:
    """The same distribution by the second edition's rule; it had no interval without spread."""
    low, high = (scale * end for end in found.interval)
    if found.standard_error == 0:
        low = high = np.nan
    known = found._distribution
    within = known.below(margin) - known.below(-margin) if margin else 0.0
    return low, high, found.pvalue, within >= LEVEL


def right_or_wrong(task: Task, rng: Rng) -> Pair:
    """Items on which the two agree, and some on which they differ; which are right is all one."""
    n, differing, difference = task["n"], task["differing"], task["difference"]
    a, b, u = np.zeros(n), np.zeros(n), rng.random(n)
    gained, either = u < (differing + difference) / 2, u < differing
    a[either], b[either] = 1.0, 0.0
    a[gained], b[gained] = 0.0, 1.0
    return a, b, None


def rare_losses(task: Task, rng: Rng) -> Pair:
    """Scores between 0 and 1, the same for both but for a few items that B loses whole."""
    lost = rng.random(task["n"]) < -task["difference"]
    a = np.where(lost, 1.0, rng.beta(4, 2, task["n"]))
    return a, np.where(lost, 0.0, a), None


def noisy_losses(task: Task, rng: Rng) -> Pair:
    """The same, and small differences in a share of the other items, which hide the few."""
    a, b, _ = rare_losses(task, rng)
    noisy = (b > 0) & (rng.random(task["n"]) < max(task["differing"], 0.0) * 5)
    noise = rng.normal(0, 0.02, task["n"])
    return a, np.where(noisy, np.clip(b + noise, 0, 1), b), None


def zero_inflated(task: Task, rng: Rng) -> Pair:
    """One item in ten differs, by anything; the mean is the difference."""
    n, share = task["n"], max(task["differing"], -2 * task["difference"])
    differs = rng.random(n) < share
    # Beta(a, 1) on (-1, 1), with the mean that makes the difference of all items.
    mean = (1 + task["difference"] / share) / 2
    moved = 2 * rng.beta(mean / (1 - mean), 1, n) - 1
    a = np.where(differs, np.maximum(-moved, 0), 0.5)
    return a, np.where(differs, np.maximum(moved, 0), 0.5), None


def _sentences(n: int, rng: Rng) -> np.ndarray:
    """tp, fp and fn of one system on sentences with some names each."""
    gold = 1 + rng.poisson(1.0, n)
    tp = rng.binomial(gold, 0.8)
    return np.column_stack([tp, rng.poisson(0.2 * gold), gold - tp])


def _all_wrong(counts: np.ndarray) -> np.ndarray:
    gold = counts[:, 0] + counts[:, 2]
    return np.column_stack([np.zeros_like(gold), gold, gold])


def _all_right(counts: np.ndarray) -> np.ndarray:
    gold = counts[:, 0] + counts[:, 2]
    return np.column_stack([gold, np.zeros_like(gold), np.zeros_like(gold)])


def sentences_lost(task: Task, rng: Rng) -> Pair:
    """F1: the two are the same but for a few sentences that A has right and B all wrong."""
    a = _sentences(task["n"], rng)
    share = -task["difference"]
    lost = (rng.random(task["n"]) < share)[:, None]
    first, second = np.where(lost, _all_right(a), a), np.where(lost, _all_wrong(a), a)
    return Counts(*first.T), Counts(*second.T), None


def sentences_that_differ(task: Task, rng: Rng) -> Pair:
    """F1: a share of the sentences is tagged anew by B, which loses some of them whole."""
    a = _sentences(task["n"], rng)
    gold = a[:, 0] + a[:, 2]
    tp = rng.binomial(gold, 0.8)
    again = np.column_stack([tp, rng.poisson(0.2 * gold), gold - tp])
    other = (rng.random(task["n"]) < task["differing"])[:, None]
    b = np.where(other, again, a)
    lost = (rng.random(task["n"]) < -task["difference"])[:, None]
    first, second = np.where(lost, _all_right(a), a), np.where(lost, _all_wrong(a), b)
    return Counts(*first.T), Counts(*second.T), None


def _uneven(n: int, rng: Rng) -> np.ndarray:
    """The group of each item: n groups of very uneven size, five items on average."""
    return np.repeat(np.arange(n), 1 + rng.negative_binomial(1, 0.2, n))


def clumped_groups(task: Task, rng: Rng) -> Pair:
    """Right or wrong in groups: a few groups are lost whole by B, whatever their size."""
    groups = _uneven(task["n"], rng)
    a = (rng.random(len(groups)) < 0.8).astype(float)
    lost = (rng.random(task["n"]) < -task["difference"])[groups]
    return np.where(lost, 1.0, a), np.where(lost, 0.0, a), groups


def clumped_sentences(task: Task, rng: Rng) -> Pair:
    """The same with F1 of sentences."""
    groups = _uneven(task["n"], rng)
    a = _sentences(len(groups), rng)
    lost = (rng.random(task["n"]) < -task["difference"])[groups][:, None]
    first, second = np.where(lost, _all_right(a), a), np.where(lost, _all_wrong(a), a)
    return Counts(*first.T), Counts(*second.T), groups


def seconds(task: Task, rng: Rng) -> Pair:
    """Numbers without a bound: B takes longer, and how long varies from item to item."""
    a = rng.lognormal(1.0, 0.5, task["n"])
    return a, a + rng.normal(task["difference"], 5 * task["margin"], task["n"]), None


WORLDS = {
    RIGHT: right_or_wrong,
    "rare losses": rare_losses,
    "rare losses, noise elsewhere": noisy_losses,
    "zero-inflated": zero_inflated,
    "sentences lost": sentences_lost,
    "sentences that differ": sentences_that_differ,
    "clumped groups": clumped_groups,
    "clumped sentences": clumped_sentences,
    "seconds": seconds,
}

STUDIES = [
    Study(
        name="promises-margin",
        tasks=tasks,
        run=run,
        seed=21,
        title="Right or wrong, and no difference of more than a margin: errors and power",
    )
]
