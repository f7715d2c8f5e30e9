"""Chapter 6: which confidence finds the mistakes, and whose 90 % is 90 % (Figures 2 to 4)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from betterthan import confidence as measures
from betterthan import taggers
from studies import Study
from studies.confidence import (
    CORPORA,
    SEED,
    corpus,
    counts,
    inner_split,
    pick,
    split,
    tagger,
    tuned,
)

DRAWS = 50
MANY_DRAWS = 500
RESAMPLES = 1000
INSPECTED = 5000


def _tasks(learner: str) -> Any:
    return lambda: [{"corpus": name, "learner": learner} for name in CORPORA]


COLUMNS = ("corpus", "learner", "method", "quantity", "versus", "at", "value", "words")


def run_methods(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Every confidence method on the test quarter, for the labels of one learner.

    Rows by `quantity`: ``tp fp fn words wrong`` (of the labelling), ``scale``,
    ``average_precision`` and its bootstrap standard deviation ``ap_sd``, ``detected`` (expected
    errors among the first `at` words), ``right`` and ``confidence`` (sum) of the `words` in
    calibration bin `at`, ``squares`` (the Brier score's sum), and against another method
    ``p_greater`` (paired bootstrap over sentences; the better one is `method`) and ``only``
    (errors that only `method` has among its first 5,000 words; equals in random order).
    """
    name, learner = task["corpus"], task["learner"]
    X, y = corpus(name)
    train, test = split(name)
    X_train, y_train = pick(X, train), pick(y, train)
    X_test, y_test = pick(X, test), pick(y, test)
    if learner == "crf":
        model = taggers.CRF(c2=1.0).fit(X_train, y_train)
        scales = {}
        flat = {"crf": np.concatenate(model.confidence(X_test))}
    else:
        value = tuned(name, learner)
        model = tagger(learner, value).fit(X_train, y_train)
        scales = _scales(name, learner, value)
        flat = _confidences(model, X_test, scales)
    predicted = model.predict(X_test)
    right = np.concatenate(measures.marks(y_test, predicted))
    rows = _Rows(name, learner)
    for quantity, count in counts(y_test, predicted).items():
        rows.add(learner, quantity, count)
    for method, scale in scales.items():
        rows.add(method, "scale", scale)
    at = np.arange(250, INSPECTED + 1, 250)
    for method, confidence in flat.items():
        rows.add(method, "average_precision", measures.average_precision(right, confidence))
        for n, found in zip(at, measures.detected_errors(right, confidence, at)):
            rows.add(method, "detected", float(found), at=int(n))
        if "delta" not in method:
            rows.add(method, "squares", float(((confidence - right) ** 2).sum()), n=right.size)
            for j, b in measures.evaluate(right, confidence).table().iterrows():
                words = int(b["n"])
                if words:
                    rows.add(method, "right", int(b["right"]), at=int(j), n=words)
                    total = float(b["probability"] * words)
                    rows.add(method, "confidence", total, at=int(j), n=words)
    _compare(flat, right, [len(s) for s in y_test], rows.add)
    return rows.rows


class _Rows:
    """Rows with all columns, numbers rounded to what means something."""

    def __init__(self, corpus: str, learner: str) -> None:
        self.known = {"corpus": corpus, "learner": learner}
        self.rows: list[dict[str, Any]] = []

    def add(
        self, method: str, quantity: str, value: float, at: Any = "", versus: str = "", n: Any = ""
    ) -> None:
        value = round(float(value), 6) if isinstance(value, float) else int(value)
        what = {"method": method, "quantity": quantity, "versus": versus}
        self.rows.append({**self.known, **what, "at": at, "value": value, "words": n})


def _confidences(model: Any, X: list, scales: dict[str, float]) -> dict[str, np.ndarray]:
    flat = {
        method: np.concatenate(model.confidence(X, method=method))
        for method in ("kbv", "wkbv", "delta", "random")
    }
    flat["delta_printed"] = np.concatenate(taggers.delta_as_printed(model, X))
    flat["constant"] = np.ones(flat["delta"].size)
    # Draws come in units of 1/50; Delta, squeezed below that, orders the equal ones.
    low = flat["delta"] / (1 + flat["delta"].max()) / (2 * DRAWS)
    for method, scale in scales.items():
        for draws in (DRAWS, MANY_DRAWS):
            drawn = model.confidence(X, method=method, draws=draws, scale=scale)
            flat[f"{method}_{draws}"] = np.concatenate(drawn)
        flat[f"{method}_{DRAWS}_delta"] = flat[f"{method}_{DRAWS}"] + low
    return flat


def _scales(name: str, learner: str, value: float | None) -> dict[str, float]:
    """The variance of the draws, chosen on held-out training data."""
    X, y = corpus(name)
    train, held = inner_split(name)
    model = tagger(learner, value).fit(pick(X, train), pick(y, train))
    methods = ("kd_pc", "kd_fixed") if learner == "cw" else ("kd_fixed",)
    return {
        method: model.tune_scale(pick(X, held), pick(y, held), method, draws=DRAWS)
        for method in methods
    }


def _compare(flat: dict[str, np.ndarray], right: np.ndarray, lengths: list[int], add: Any) -> None:
    """Bootstrap over sentences, all methods on the same resamples; and who finds what."""
    rng = np.random.default_rng(SEED)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    shuffle = rng.permutation(sentence.size)
    found, ranked = {}, {}
    for method, confidence in flat.items():
        order = np.argsort(confidence, kind="stable")
        first = np.flatnonzero(np.diff(confidence[order], prepend=-1.0))  # of each group of equals
        ranked[method] = sentence[order], right[order], first
        inspected = shuffle[np.argsort(confidence[shuffle], kind="stable")][:INSPECTED]
        found[method] = set(inspected[~right[inspected]].tolist())
    resampled = {method: np.empty(RESAMPLES) for method in flat}
    for b in range(RESAMPLES):
        times = np.bincount(rng.integers(0, len(lengths), len(lengths)), minlength=len(lengths))
        for method, (where, ok, first) in ranked.items():
            weight = times[where]
            n = np.add.reduceat(weight, first)
            m = np.add.reduceat(np.where(ok, 0, weight), first)
            resampled[method][b] = measures.tied_average_precision(n, m)
    whole = {method: measures.average_precision(right, c) for method, c in flat.items()}
    for method, values in resampled.items():
        add(method, "ap_sd", float(values.std(ddof=1)))
    for a, b in permutations(flat, 2):
        observed = whole[a] - whole[b]
        extreme = (resampled[a] - resampled[b] - observed >= observed).sum()
        add(a, "p_greater", float((1 + extreme) / (RESAMPLES + 1)), versus=b)
        add(a, "only", len(found[a] - found[b]), versus=b)


STUDIES = [
    Study(
        name=name,
        tasks=_tasks(learner),
        run=run_methods,
        seed=SEED,
        datasets=("conll2000", "conll2002", "studies/confidence-tuning"),
        columns=COLUMNS,
        title=f"Table 3, Figures 2 to 4: the errors of {title}, and whose 90 % is 90 %",
    )
    for name, learner, title in (
        ("confidence-methods", "cw", "CW"),
        ("confidence-methods-pa", "pa", "PA"),
        ("confidence-methods-crf", "crf", "a CRF"),
    )
]
