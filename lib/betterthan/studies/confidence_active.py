"""Chapter 6: learning curves when the tagger chooses what is annotated (Figures 5 and 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import sequences
from betterthan.studies._results import read
from betterthan.studies._study import Study
from betterthan.studies.confidence import SEED, _pick, corpus, tagger, tuned

REPEATS = {"np": 5}
STEPS = 20
CANDIDATES = 400
DRAWS = 30
POOL, TEST = 4000, 1000


def _tasks() -> list[dict[str, Any]]:
    return [
        {"corpus": name, "rule": rule, "repeat": repeat}
        for name, repeats in REPEATS.items()
        for repeat in range(repeats)
        for rule in sequences.RULES
    ]


def run_active(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """A learning curve: 50 sentences to begin with, 10 a step, F1 on 1,000 others.

    The random rule is averaged over five runs, as in the paper: its rows have `run` 0 to 4.
    """
    X, y = corpus(task["corpus"])
    # A repeat is one choice of pool, test data and first sentences, the same for every rule.
    order = np.random.default_rng([SEED, task["repeat"]]).permutation(len(X))
    pool, test = order[:POOL], order[POOL : POOL + TEST]
    value = tuned(task["corpus"], "cw")
    rows = []
    for run in range(5 if task["rule"] == "random" else 1):
        result = sequences.active_learning(
            _pick(X, pool),
            _pick(y, pool),
            _pick(X, test),
            _pick(y, test),
            task["rule"],
            tagger=lambda: tagger("cw", value, passes=5),
            steps=STEPS,
            evaluate_every=4,
            candidates=CANDIDATES,
            draws=DRAWS,
            scale=_scale(task["corpus"], task["rule"]),
            seed=1000 * task["repeat"] + run,
        )
        counts = result.table.drop(columns="f1").to_dict("records")
        rows += [{**task, "run": run, **row} for row in counts]
    return rows


def _scale(name: str, rule: str) -> float | None:
    """The scale of the draws that ``confidence-methods`` chose on held-out training data."""
    if not rule.startswith("kd"):
        return None
    table = read("confidence-methods")
    table = table[(table["corpus"] == name) & (table["quantity"] == "scale")]
    return float(table.set_index("method")["value"][rule])


STUDIES = [
    Study(
        name="confidence-active",
        tasks=_tasks,
        run=run_active,
        seed=SEED,
        datasets=("conll2000", "studies/confidence-tuning", "studies/confidence-methods"),
        title="Figures 5 and 6: learning curves under five rules",
    ),
]
