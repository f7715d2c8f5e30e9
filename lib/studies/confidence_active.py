"""Chapter 6: learning curves when the tagger chooses what is annotated (Figures 5 and 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan import taggers
from studies import Study
from studies.confidence import SEED, corpus, pick, tagger, tuned

REPEATS = {"np": 5, "es": 3, "nl": 3}
RANDOM_RUNS = 5
STEPS = {"np": 100, "es": 50, "nl": 50}  # the paper goes on to 495


def _tasks(*corpora: str) -> Any:
    return lambda: [
        {"corpus": name, "repeat": repeat, "rule": rule}
        for name in corpora
        for repeat in range(REPEATS[name])
        for rule in taggers.RULES
    ]


def run_active(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """A learning curve: 50 sentences to begin with, then 10 a step out of 1,000 candidates.

    A random three quarters of the corpus can be annotated; F1 is measured on the last quarter
    after every second step (the paper: every tenth, too far apart to compare rules at equal
    numbers of words while the curves still bend). The random rule is averaged over five runs,
    as in the paper: its rows have `run` 0 to 4. phi is the one of ``confidence-tuning``; the
    scale of the draws is chosen on the sentences annotated so far.
    """
    X, y = corpus(task["corpus"])
    # A repeat is one choice of pool, test data and first sentences, the same for every rule.
    order = np.random.default_rng([SEED, task["repeat"]]).permutation(len(X))
    pool, test = order[: len(X) * 3 // 4], order[len(X) * 3 // 4 :]
    value = tuned(task["corpus"], "cw")
    rows = []
    for run in range(RANDOM_RUNS if task["rule"] == "random" else 1):
        result = taggers.active_learning(
            pick(X, pool),
            pick(y, pool),
            pick(X, test),
            pick(y, test),
            task["rule"],
            tagger=lambda: tagger("cw", value),
            steps=STEPS[task["corpus"]],
            evaluate_every=2,
            rng=1000 * task["repeat"] + run,
        )
        counts = result.drop(columns="f1").to_dict("records")
        rows += [{**task, "run": run, **row} for row in counts]
    return rows


STUDIES = [
    Study(
        name=name,
        tasks=_tasks(*corpora),
        run=run_active,
        seed=SEED,
        datasets=(source, "studies/confidence-tuning"),
        title=f"Figures 5 and 6: learning curves under five rules, {what}",
    )
    for name, corpora, source, what in (
        ("confidence-active", ("np",), "conll2000", "noun phrases"),
        ("confidence-active-ner", ("es", "nl"), "conll2002", "Spanish and Dutch entities"),
    )
]
