"""Chapter 6: which confidence finds the mistakes, and whose 90 % is 90 % (Figures 2 to 4)."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np

from betterthan import compare, taggers
from betterthan import confidence as measures
from studies import Study
from studies import confidence as common

DRAWS = 50
MANY_DRAWS = 500
RESAMPLES = 1000
INSPECTED = 5000
COLUMNS = ("corpus", "learner", "order", "method", "quantity", "versus", "at", "value", "words")


def _tasks(learner: str) -> Any:
    return lambda: [{"corpus": name, "learner": learner} for name in common.CORPORA]


def run_methods(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Every confidence method on the test quarter, for the labels of one learner.

    CW sees its training sentences in three orders; parameter and scale are tuned once.
    Rows by `quantity`: ``tp fp fn words wrong`` (of the labelling, and of the votes of
    the draws where `method` is ``vote``), ``scale``, ``average_precision``, ``brier`` and its
    parts ``calibration`` and ``resolution``, ``sentences``: how many of them have `at` errors
    among the first 5,000 words of `method` and `words` among those of `versus` (equals in random
    order). For the first order also ``ap_sd`` (bootstrap over sentences), ``detected`` (expected
    errors among the first `at` words), ``right`` and ``confidence`` (sum) of the `words` in
    calibration bin `at`, and against another method ``p_greater`` (average precision, paired
    bootstrap over sentences; the better one is `method`) and ``p_brier`` (two-sided, by sentence).
    """
    name, learner = task["corpus"], task["learner"]
    train, test = common.split(name)
    y_test = common.pick(common.corpus(name)[1], test)
    rows: list[dict[str, Any]] = []
    value = common.tuned(name, learner)
    base_rate, scales = _held_out(name, learner, value) if learner != "crf" else (None, {})
    for order in range(common.ORDERS if learner == "cw" else 1):
        add = _adder(rows, {**task, "order": order})
        if learner == "crf":
            X_test = common.pick(common.corpus(name)[0], test)
            model = common.crf(name, value, train)
            flat = {"crf": np.concatenate(model.confidence(X_test))}
        else:
            X_test = common.encoded(name)[test]
            model = common.tagger(learner, value, order).fit(common.encoded(name)[train])
            flat = _confidences(model, X_test, scales)
            flat["constant"] = np.ones(flat["delta"].size)
            flat["base_rate"] = np.full(flat["delta"].size, base_rate)
        if "kd_pc" in scales:
            voted = _votes(model, X_test, scales["kd_pc"])
            for quantity, count in common.counts(y_test, voted).items():
                add("vote", quantity, count)
        predicted = model.predict(X_test)
        right = np.concatenate(measures.marks(y_test, predicted))
        for quantity, count in common.counts(y_test, predicted).items():
            add(learner, quantity, count)
        for method, scale in scales.items():
            add(method, "scale", scale)
        sentence = np.repeat(np.arange(len(y_test)), [len(s) for s in y_test])
        _measure(flat, right, add, thorough=order == 0)
        _found(flat, right, sentence, add)
        if order == 0:
            _compare(flat, right, sentence, add)
    return rows


def _adder(rows: list[dict[str, Any]], known: dict[str, Any]) -> Any:
    """What adds a row with all columns, numbers rounded to what means something."""

    def add(
        method: str, quantity: str, value: float, at: Any = "", versus: str = "", n: Any = ""
    ) -> None:
        value = round(float(value), 6) if isinstance(value, float) else int(value)
        what = {"method": method, "quantity": quantity, "versus": versus}
        rows.append({**known, **what, "at": at, "value": value, "words": n})

    return add


def _confidences(model: Any, X: Any, scales: dict[str, float]) -> dict[str, np.ndarray]:
    flat = {
        method: np.concatenate(model.confidence(X, method=method))
        for method in ("kbv", "wkbv", "delta", "random")
    }
    flat["delta_printed"] = np.concatenate(taggers.delta_as_printed(model, X))
    # Draws come in units of 1/50; Delta, squeezed below that, orders the equal ones.
    low = flat["delta"] / (1 + flat["delta"].max()) / (2 * DRAWS)
    for method, scale in scales.items():
        for draws in (DRAWS, MANY_DRAWS) if "kd_pc" in scales else (DRAWS,):
            drawn = model.confidence(X, method=method, draws=draws, scale=scale)
            flat[f"{method}_{draws}"] = np.concatenate(drawn)
        flat[f"{method}_{DRAWS}_delta"] = flat[f"{method}_{DRAWS}"] + low
    return flat


def _votes(model: Any, X: Any, scale: float) -> list[list[str]]:
    """For each word the label that most draws give it: the paper's inference by voting."""
    data = model._read(X)
    words = data.sentence_ptr[-1]
    shares = [
        model._agreement(data, np.full(words, label, np.int32), "kd_pc", DRAWS, scale)
        for label in range(len(model.labels_))
    ]
    names = np.array(model.labels_)[np.argmax(shares, axis=0)]
    return [part.tolist() for part in np.split(names, data.sentence_ptr[1:-1])]


def _held_out(name: str, learner: str, value: float | None) -> tuple[float, dict[str, float]]:
    """The share of right labels on held-out training data, and the variance of the draws."""
    train, held = common.inner_split(name)
    model = common.tagger(learner, value).fit(common.encoded(name)[train])
    y = common.pick(common.corpus(name)[1], held)
    methods = ("kd_pc", "kd_fixed") if learner == "cw" else ("kd_fixed",)
    scales = {m: model.tune_scale(common.encoded(name)[held], y, m, draws=DRAWS) for m in methods}
    found = common.judge(name, model, held)
    return 1 - found["wrong"] / found["words"], scales


def _measure(flat: dict[str, np.ndarray], right: np.ndarray, add: Any, thorough: bool) -> None:
    """Ranking and probabilities of each method, taken by itself."""
    at = np.arange(250, INSPECTED + 1, 250)
    for method, confidence in flat.items():
        add(method, "average_precision", measures.average_precision(right, confidence))
        if thorough:
            for n, found in zip(at, measures.detected_errors(right, confidence, at)):
                add(method, "detected", float(found), at=int(n))
        if "delta" in method:
            continue
        result = measures.evaluate(right, confidence)
        for quantity in ("brier", "calibration", "resolution", "ece", "rmse_mean", "rmse_centre"):
            add(method, quantity, getattr(result, quantity))
        for j, b in result.table().iterrows() if thorough else ():
            if words := int(b["n"]):
                add(method, "right", int(b["right"]), at=int(j), n=words)
                total = float(b["probability"] * words)
                add(method, "confidence", total, at=int(j), n=words)


def _found(flat: dict[str, np.ndarray], right: np.ndarray, sentence: np.ndarray, add: Any) -> None:
    """Errors among the first 5,000 words: how many in each sentence, by draws and by Delta."""
    shuffle = np.random.default_rng(common.SEED).permutation(sentence.size)
    found = {}
    for method, confidence in flat.items():
        inspected = shuffle[np.argsort(confidence[shuffle], kind="stable")][:INSPECTED]
        errors = inspected[~right[inspected]]
        found[method] = np.bincount(sentence[errors], minlength=sentence[-1] + 1)
    for method in flat:
        if method.startswith("kd_") and "delta" in found:
            pairs = Counter(zip(found[method].tolist(), found["delta"].tolist()))
            for (by_draws, by_delta), sentences in sorted(pairs.items()):
                add(method, "sentences", sentences, by_draws, "delta", by_delta)


def _compare(
    flat: dict[str, np.ndarray], right: np.ndarray, sentence: np.ndarray, add: Any
) -> None:
    """Bootstrap over sentences, all methods on the same resamples."""
    rng, n_sentences = np.random.default_rng(common.SEED), int(sentence[-1]) + 1
    ranked = {}
    for method, confidence in flat.items():
        order = np.argsort(confidence, kind="stable")
        first = np.flatnonzero(np.diff(confidence[order], prepend=-1.0))  # of each group of equals
        ranked[method] = sentence[order], right[order], first
    resampled = {method: np.empty(RESAMPLES) for method in flat}
    for b in range(RESAMPLES):
        times = np.bincount(rng.integers(0, n_sentences, n_sentences), minlength=n_sentences)
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
        if "delta" not in a + b and "random" not in (a, b):
            terms = ((flat[method] - right) ** 2 for method in (b, a))
            result = compare(*terms, groups=sentence, higher_is_better=False)
            add(a, "p_brier", float(result.pvalue), versus=b)


STUDIES = [
    Study(
        name=name,
        tasks=_tasks(learner),
        run=run_methods,
        seed=common.SEED,
        datasets=("conll2000", "conll2002", f"studies/confidence-{tuning}"),
        columns=COLUMNS,
        title=f"Table 3, Figures 2 to 4: the errors of {title}, and whose 90 % is 90 %",
    )
    for name, learner, title, tuning in (
        ("confidence-methods", "cw", "CW", "tuning"),
        ("confidence-methods-pa", "pa", "PA", "tuning"),
        ("confidence-methods-crf", "crf", "a CRF", "grid"),
    )
]
