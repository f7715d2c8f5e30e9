"""Counting over 100,000 datasets against a loop over u; resampling against scipy.stats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.run import Row
from scipy import stats

from betterthan import pvalues, replicability
from betterthan.counts import Counts

DATASETS = 100_000
LOOP = 2_000  # u values that the plain loop is timed on; its time counts 50 times
RESAMPLES, INSTANCES = 100_000, 10_000
SHARE = 20  # scipy runs a twentieth of the resamples, and its time counts 20 times


def datasets() -> np.ndarray:
    """P-values with a few thousand effects among them."""
    rng = np.random.default_rng(1)
    return np.r_[rng.random(DATASETS - 5_000), rng.random(5_000) ** 12]


def count_with(method: str):
    """k̂ and every partial conjunction p-value."""

    def run(p: np.ndarray) -> np.ndarray:
        return replicability.partial_conjunction(p, method=method)[::50]

    return run


def loop(method: str):
    """The definitions, one u at a time: every 50th u."""

    def run(p: np.ndarray) -> np.ndarray:
        ordered = np.sort(p)
        n = p.size
        out = np.empty(LOOP)
        for place, u in enumerate(range(1, n + 1, n // LOOP)):
            tail = ordered[u - 1 :]
            if method == "bonferroni":
                out[place] = min(1.0, tail.size * tail[0])
            else:
                out[place] = stats.chi2.sf(-2 * np.log(tail).sum(), 2 * tail.size)
        return out

    return run


def scores() -> tuple[np.ndarray, np.ndarray]:
    """Per-instance scores of two systems, no two differences alike."""
    rng = np.random.default_rng(2)
    a = rng.random(INSTANCES)
    return a, a + rng.normal(0.001, 0.1, INSTANCES)


def bootstrap(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """Our paired bootstrap p-value."""
    return pvalues.paired_bootstrap(*pair, n_resamples=RESAMPLES).pvalue


def scipy_bootstrap(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """The same p-value from the distribution that scipy.stats.bootstrap returns."""
    d = pair[1] - pair[0]
    found = stats.bootstrap(
        (d,), np.mean, n_resamples=RESAMPLES // SHARE, method="basic", batch=100, rng=3
    )
    return share_beyond(found.bootstrap_distribution, d.mean())


def share_beyond(drawn: np.ndarray, seen: float) -> float:
    """The p-value: how often a difference lies as far above `seen` as `seen` lies above 0."""
    return (1 + np.sum(drawn - seen >= seen)) / (drawn.size + 1)


def randomised(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """Our randomisation p-value."""
    return pvalues.randomisation(*pair, n_resamples=RESAMPLES).pvalue


def scipy_permutation(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """The same test by scipy.stats.permutation_test."""

    def difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(y, axis=axis) - np.mean(x, axis=axis)

    return stats.permutation_test(
        pair,
        difference,
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=RESAMPLES // SHARE,
        batch=100,
        rng=4,
    ).pvalue


def spans() -> tuple[np.ndarray, np.ndarray]:
    """(tp, fp, fn) of two systems on the same sentences."""
    rng = np.random.default_rng(5)
    gold = rng.poisson(2, INSTANCES)
    found = [rng.binomial(gold, q) for q in (0.7, 0.704)]
    a, b = (np.column_stack([tp, rng.poisson(0.5, INSTANCES), gold - tp]) for tp in found)
    return a, b


def f1_bootstrap(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """Our paired bootstrap of F1."""
    counts = [Counts(*table.T) for table in pair]
    return pvalues.paired_bootstrap(*counts, n_resamples=RESAMPLES).pvalue


def scipy_f1(pair: tuple[np.ndarray, np.ndarray]) -> float:
    """F1 from resampled columns by scipy.stats.bootstrap."""
    columns = [c.astype(float) for table in pair for c in table.T]

    def difference(*columns: np.ndarray, axis: int) -> np.ndarray:
        tp_a, fp_a, fn_a, tp_b, fp_b, fn_b = (c.sum(axis=axis) for c in columns)
        return 2 * tp_b / (2 * tp_b + fp_b + fn_b) - 2 * tp_a / (2 * tp_a + fp_a + fn_a)

    found = stats.bootstrap(
        columns,
        difference,
        paired=True,
        vectorized=True,
        method="basic",
        n_resamples=RESAMPLES // SHARE,
        batch=100,
        rng=6,
    )
    return share_beyond(found.bootstrap_distribution, difference(*columns, axis=0))


def near(ours: float, peer: float) -> tuple[bool, str]:
    """Two Monte Carlo p-values of one test: within four standard errors."""
    error = np.sqrt(ours * (1 - ours) * SHARE / RESAMPLES)
    return bool(abs(ours - peer) < 4 * error), f"p {ours:.4f} and {peer:.4f} (se {error:.4f})"


def rows() -> Iterator[Row]:
    """The rows of the table."""
    for method in ("bonferroni", "fisher"):
        yield Row(
            f"every p^u/N of {DATASETS:,} p-values, {method}",
            ours=count_with(method),
            peer=loop(method),
            peer_name="loop over u",
            setup=datasets,
            # At 100,000 terms the loop's plain sums of logarithms lose digits themselves.
            tolerance=1e-9,
            peer_scale=DATASETS / LOOP,
            target=None if method == "bonferroni" else 100,
            note=f"the loop does every {DATASETS // LOOP}th u",
        )
    resampled = f"{RESAMPLES:,} × {INSTANCES:,}"
    slow = f"scipy does a {SHARE}th, in batches of 100 (without batches it would take 8 GB)"
    for name, ours, peer, peer_name, setup, target in (
        ("paired bootstrap of the mean", bootstrap, scipy_bootstrap, "bootstrap", scores, 1.5),
        ("randomisation of the mean", randomised, scipy_permutation, "permutation_test", scores, 2),
        ("paired bootstrap of F1", f1_bootstrap, scipy_f1, "bootstrap", spans, 2),
    ):
        yield Row(
            f"{name}, {resampled}",
            ours=ours,
            peer=peer,
            peer_name=f"scipy.stats.{peer_name}",
            setup=setup,
            agree=near,
            memory=True,
            peer_scale=SHARE,
            repeat=1,
            target=target,
            note=slow,
        )
