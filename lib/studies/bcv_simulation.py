"""Simulated corpora, where the truth is known: coverage of the intervals, error rates of tests.

`bcv-intervals` is the example of section 2.4 of Wang and Li (2019), `bcv-folds` the same corpora by
K folds. `bcv-tests` sets the Bayes test beside the tests that are used instead. `bcv-bets` asks
whether its probability comes true, and `bcv-fresh` whether a model's own corpus is to blame where
it does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from betterthan import bayes, bcv, compare
from betterthan.counts import Counts
from studies import _peers as peers
from studies._study import Rows, Seed, Study, Task, grid

INSTANCES = 600
CHUNK = 100
DESIGNS = ("independent", "fixed", "balanced")
# The strength of B's own feature (A's is 0.6), and how many features of either model say nothing.
SCENARIOS = {"same models": (0.6, 0), "same algorithm": (0.6, 0)}
SCENARIOS |= {"B better": (1.0, 0), "restless algorithm": (0.6, 40)}
# How much the strengths of B's and A's own features differ from corpus to corpus (deviation).
SPREADS = (0.05, 0.2, 0.8)


def logistic_regression(x: np.ndarray, y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Maximum likelihood weights (constant last) for many training sets at once, by Newton.

    `x` is (corpora, n, features), `y` (corpora, n), `train` (corpora, sets, n) of 0 and 1; the
    result is (corpora, sets, features + 1). A ridge of 1e-6 keeps separable sets finite.
    """
    ones = np.ones((*x.shape[:2], 1))
    design = np.concatenate([x, ones], axis=2)
    beta = np.zeros((*train.shape[:2], design.shape[2]))
    ridge = 1e-6 * np.eye(design.shape[2])
    outer = design[..., :, None] * design[..., None, :]
    for _ in range(6):
        p = 1 / (1 + np.exp(-np.einsum("cnf,csf->csn", design, beta)))
        slope = np.einsum("csn,cnf->csf", train * (y[:, None] - p), design) - 1e-6 * beta
        curve = np.einsum("csn,cnfg->csfg", train * p * (1 - p), outer, optimize=True) + ridge
        beta = beta + np.linalg.solve(curve, slope[..., None])[..., 0]
    return beta


def predictions(x: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """True where a model says 1: (corpora, sets, n)."""
    return np.einsum("cnf,csf->csn", x, beta[..., :-1]) + beta[..., -1:] > 0


def true_rates(beta: np.ndarray, mean1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True and false positive rates of linear models on classes N(0, I) and N(mean1, I)."""
    norm = np.sqrt((beta[..., :-1] ** 2).sum(-1))
    bias = beta[..., -1]
    ahead = np.einsum("...f,...f->...", beta[..., :-1], mean1)
    return stats.norm.cdf((bias + ahead) / norm), stats.norm.cdf(bias / norm)


def halves(y: np.ndarray, seed: Any, balance: bool) -> np.ndarray:
    """The six training sets of a 3×2 BCV as rows of 0 and 1."""
    table = np.column_stack([y, 1 - y]) if balance else None
    train = np.zeros((6, len(y)))
    for i, (inside, _) in enumerate(bcv.BlockedCV(3, rng=seed, balance=table).split(y)):
        train[i, inside] = 1
    return train


def example_24(task: Task, seed: Seed) -> Rows:
    """Section 2.4: two Gaussians, logistic regression, 3×2 BCV; counts and true rates.

    The designs differ in what varies between corpora: every label drawn on its own, half of
    the corpus in each class, or half of every block.
    """
    rng = np.random.default_rng(seed)
    corpora, mean1 = task["corpora"], np.array([0.5, 0.5])
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    if task["design"] != "independent":
        y = rng.permuted(np.tile(np.arange(INSTANCES) % 2.0, (corpora, 1)), axis=1)
    x = rng.normal(size=(corpora, INSTANCES, 2)) + y[..., None] * mean1
    train = np.stack([halves(one, _seed(rng), task["design"] == "balanced") for one in y])
    beta = logistic_regression(x, y, train)
    said, positive = predictions(x, beta) & (train == 0), (train == 0) * y[:, None]
    counts = {"gold": positive, "predicted": said, "correct": said * positive}
    counts = {what: found.sum(-1).astype(int) for what, found in counts.items()}
    rates = {f"true_{what}": r.mean(1) for what, r in zip(("tpr", "fpr"), true_rates(beta, mean1))}
    return [
        {"design": task["design"], "corpus": task["chunk"] * corpora + i}
        | {f"{what}{k + 1}": count[i, k] for what, count in counts.items() for k in range(6)}
        | {what: _p(rate[i]) for what, rate in rates.items()}
        for i in range(corpora)
    ]


def by_folds(task: Task, seed: Seed) -> Rows:
    """The corpora of section 2.4 by K folds: counts of all folds together, and true rates.

    With them a beta posterior that takes each count as one coin is the first of the two intervals
    of Wang and Li (2016).
    """
    rng, corpora = np.random.default_rng(seed), task["corpora"]
    mean1 = np.array([0.5, 0.5])
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    x = rng.normal(size=(corpora, INSTANCES, 2)) + y[..., None] * mean1
    fold = np.stack([rng.permutation(INSTANCES) % task["folds"] for _ in range(corpora)])
    held = fold[:, None] == np.arange(task["folds"])[:, None]
    beta = logistic_regression(x, y, (~held).astype(float))
    said, gold = predictions(x, beta), y[:, None] > 0
    kinds = {"tp": said & gold, "fp": said & ~gold, "fn": ~said & gold}
    counts = {name: (kind & held).sum((1, 2)) for name, kind in kinds.items()}
    rates = [rate.mean(1) for rate in true_rates(beta, mean1)]
    return [
        {"folds": task["folds"]}
        | {name: int(count[i]) for name, count in counts.items()}
        | {"true_tpr": _p(rates[0][i]), "true_fpr": _p(rates[1][i])}
        for i in range(corpora)
    ]


def test_tasks() -> list[Task]:
    """1,000 corpora of each scenario, in chunks; small ones where there are many features."""
    sizes = {scenario: 20 if noise else CHUNK for scenario, (_, noise) in SCENARIOS.items()}
    return [
        {"scenario": scenario, "chunk": chunk, "corpora": size}
        for scenario, size in sizes.items()
        for chunk in range(1000 // size)
    ]


def f1_of(said: np.ndarray, y: np.ndarray) -> np.ndarray:
    """F1 along the last axis."""
    return 2 * (said * y).sum(-1) / (said.sum(-1) + y.sum(-1))


def training_sets(y: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The training sets each test needs: 3×2 BCV, 5×2 CV, 10 folds, 15 random 90 % parts."""
    n = len(y)
    five = np.zeros((10, n))
    for i in range(5):
        five[2 * i, rng.permutation(n)[: n // 2]] = 1
        five[2 * i + 1] = 1 - five[2 * i]
    fold = rng.permutation(n) % 10
    ten = (fold != np.arange(10)[:, None]).astype(float)
    random = np.ones((15, n))
    for row in random:
        row[rng.permutation(n)[: n // 10]] = 0
    return {"bcv": halves(y, _seed(rng), True), "5x2": five, "10 folds": ten, "random": random}


def all_tests(task: Task, seed: Seed) -> Rows:
    """One-sided p-values (for Bayes tests P(H0)) of all tests of "B has the higher F1".

    A sees a shared feature and one of its own, B the shared one and another of its own. With
    the same strength the two algorithms are equal; in "same models" B even takes over A's
    weights, so that every trained pair is exactly equal, too. In "restless algorithm" each has
    features that say nothing, so that what it learns depends much on the training set.
    """
    rng = np.random.default_rng(seed)
    corpora, (strength, noise) = task["corpora"], SCENARIOS[task["scenario"]]
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    features = rng.normal(size=(corpora, INSTANCES, 3 + 2 * noise))
    features[..., :3] += y[..., None] * np.array([0.8, 0.6, strength])
    x_a = features[..., [0, 1, *range(3, 3 + noise)]]
    x_b = features[..., [0, 2, *range(3 + noise, 3 + 2 * noise)]]
    sets = [training_sets(one, rng) for one in y]
    train = np.stack([np.concatenate([*one.values()]) for one in sets])
    beta_a = logistic_regression(x_a, y, train)
    beta_b = beta_a if task["scenario"] == "same models" else logistic_regression(x_b, y, train)
    said = predictions(x_a, beta_a), predictions(x_b, beta_b)
    ends = np.cumsum([0, *map(len, sets[0].values())])
    parts = {name: slice(*ends[i : i + 2]) for i, name in enumerate(sets[0])}
    first = parts["bcv"]
    means = ([0.8, own] + [0] * noise for own in (0.6, strength))
    true_a, true_b = (
        _true_f1(beta[:, first], np.array(mean)) for beta, mean in zip((beta_a, beta_b), means)
    )
    rows = []
    for i in range(corpora):
        held = train[i] == 0
        f1_a, f1_b = (f1_of(one[i] & held, y[i] * held) for one in said)
        d = {name: (f1_b - f1_a)[part] for name, part in parts.items()}
        found = [_found(one[i, first], y[i], held[first]) for one in said]
        a, b = map(_folds, found)
        right_a, right_b = ((one[i, 0] == y[i]) & held[0] for one in said)
        pvalues = {
            "bayes": bayes.compare(a, b).p_h0,
            "bayes_2015": bayes.compare(a, b, factor=1 / 6).p_h0,
            "paired": 1 - _paired(found, rng).p_better,
            "t_blocked": peers.t_blocked(d["bcv"]),
            "t_bcv": peers.t_corrected(d["bcv"], 1),
            "t_5x2": peers.t_5x2(d["5x2"].reshape(5, 2)),
            "f_5x2": peers.f_5x2(d["5x2"].reshape(5, 2)),
            "t_10_folds": peers.t_paired(d["10 folds"]),
            "t_corrected": peers.t_corrected(d["random"], 1 / 9),
            "baycomp": _correlated_t(d["10 folds"]),
            "mcnemar": peers.mcnemar(sum(right_b & ~right_a), sum(right_a & ~right_b)),
        }
        row = {"scenario": task["scenario"], "corpus": task["chunk"] * corpora + i}
        row["true_difference"] = _p(true_b[i] - true_a[i])
        rows.append(row | {test: _p(p) for test, p in pvalues.items()})
    return rows


bet_tasks = grid(spread=SPREADS, chunk=range(10), corpora=[CHUNK])


def bets(task: Task, seed: Seed) -> Rows:
    """P(B better) by two tests, and who is ahead: the algorithm, and the six trained models.

    As in `all_tests`, but how much better B's algorithm is differs from corpus to corpus.
    """
    rng = np.random.default_rng(seed)
    corpora = task["corpora"]
    lead = rng.normal(0, task["spread"], corpora)
    y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
    means = np.stack([np.full(corpora, 0.8), 0.6 - lead / 2, 0.6 + lead / 2], axis=1)
    features = rng.normal(size=(corpora, INSTANCES, 3)) + y[..., None] * means[:, None]
    train = np.stack([halves(one, _seed(rng), True) for one in y])
    said, true_f1 = [], []
    for own in ([0, 1], [0, 2]):
        beta = logistic_regression(features[..., own], y, train)
        said.append(predictions(features[..., own], beta))
        true_f1.append(_true_f1(beta, means[:, None, own]))
    rows = []
    for i in range(corpora):
        found = [_found(one[i], y[i], train[i] == 0) for one in said]
        paired = _paired(found, rng)
        row = {"lead": lead[i], "true_difference": true_f1[1][i] - true_f1[0][i]}
        row |= {"difference": paired.difference, "standard_error": paired.standard_error}
        row |= {"bayes": bayes.compare(*map(_folds, found)).p_h1, "paired": paired.p_better}
        known = {"spread": task["spread"], "corpus": task["chunk"] * corpora + i}
        rows.append(known | {name: _p(value) for name, value in row.items()})
    return rows


fresh_tasks = grid(spread=SPREADS[:1], chunk=range(80), corpora=[CHUNK])


def on_fresh_text(task: Task, seed: Seed) -> Rows:
    """B minus A of the six models of `bets`: true, on their own corpus, and on a fresh one.

    The fresh corpus is as large and is tested by the same models in the same three rounds, but no
    model learned from it.
    """
    rng, corpora = np.random.default_rng(seed), task["corpora"]
    lead = rng.normal(0, task["spread"], corpora)
    means = np.stack([np.full(corpora, 0.8), 0.6 - lead / 2, 0.6 + lead / 2], axis=1)
    texts = []
    for _ in range(2):
        y = rng.integers(0, 2, (corpora, INSTANCES)).astype(float)
        texts.append((rng.normal(size=(corpora, INSTANCES, 3)) + y[..., None] * means[:, None], y))
    (learned, labels), _ = texts
    train = np.stack([halves(one, _seed(rng), True) for one in labels])
    held = train == 0
    scores = []
    for own in ([0, 1], [0, 2]):
        beta = logistic_regression(learned[..., own], labels, train)
        scores.append([_true_f1(beta, means[:, None, own])])
        for x, y in texts:
            said = predictions(x[..., own], beta) & held
            scores[-1].append(
                f1_of(said.reshape(corpora, -1), (held * y[:, None]).reshape(corpora, -1))
            )
    true, own_text, fresh_text = (b - a for a, b in zip(*scores))
    return [
        {"true_difference": _p(t), "own": _p(o), "fresh": _p(f)}
        for t, o, f in zip(true, own_text, fresh_text)
    ]


def _true_f1(beta: np.ndarray, mean1: np.ndarray) -> np.ndarray:
    """F1 of the six models together on unlimited text, where either class is as frequent."""
    tpr, fpr = (rate.mean(1) for rate in true_rates(beta, mean1))
    return 2 * tpr / (tpr + fpr + 1)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _p(value: float) -> float:
    return round(float(value), 6)


def _found(said: np.ndarray, y: np.ndarray, held: np.ndarray) -> list[np.ndarray]:
    return [said & (y > 0) & held, said & (y == 0) & held, ~said & (y > 0) & held]


def _folds(found: list[np.ndarray]) -> Counts:
    return Counts(*(part.sum(axis=1) for part in found), unit="fold")


def _paired(found: list[list[np.ndarray]], rng: np.random.Generator) -> Any:
    """`compare` with one row per instance, its three tests added up: they hang together."""
    items = (Counts(*(part.sum(axis=0) for part in one), unit="item") for one in found)
    return compare(*items, n_resamples=1999, rng=_seed(rng))


def _correlated_t(differences: np.ndarray) -> float:
    import baycomp

    zero = np.zeros_like(differences)
    a_better, _ = baycomp.two_on_single(zero, differences, rope=0, runs=1)
    return float(a_better)


STUDIES = [
    Study(
        "bcv-intervals",
        grid(design=DESIGNS, chunk=range(20), corpora=[CHUNK]),
        example_24,
        24,
        title="The example of section 2.4: counts and true rates, 2,000 corpora per design",
    ),
    Study(
        "bcv-folds",
        grid(folds=[2, 10], chunk=range(20), corpora=[CHUNK]),
        by_folds,
        25,
        title="The corpora of section 2.4 by K folds: counts and true rates, 2,000 per K",
    ),
    Study(
        "bcv-tests",
        test_tasks,
        all_tests,
        31,
        title="The Bayes test beside ten others on simulated corpora, 1,000 per scenario",
    ),
    Study(
        "bcv-bets",
        bet_tasks,
        bets,
        41,
        title="Does P(B better) come true? 1,000 simulated corpora per spread of differences",
    ),
    Study(
        "bcv-fresh",
        fresh_tasks,
        on_fresh_text,
        42,
        title="B minus A of 8,000 pairs of models, on their own corpus and on a fresh one",
    ),
]
