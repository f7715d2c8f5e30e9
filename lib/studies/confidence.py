"""Chapter 6: the tables and figures of Mejer and Crammer (2010) on three real corpora.

The corpora are put together so that their sizes are those of the paper's Table 1: training and
test part of CoNLL-2000 (noun phrases only), training part and testa of Spanish CoNLL-2002,
training part and testb of Dutch CoNLL-2002. English CoNLL-2003 cannot be had freely.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from betterthan import compare, datasets, taggers
from betterthan import confidence as measures
from betterthan.bcv import BlockedCV
from betterthan.counts import count_spans
from betterthan.taggers import CRF, Encoded, Tagger
from studies._labelled import COUNTS
from studies._study import Rows, Seed, Study, Task, grid

CORPORA = ("np", "es", "nl")
GRID = {
    "arow": ("r", (0.1, 1.0, 10.0, 100.0)),
    "cw": ("phi", (0.1, 0.3, 1.0, 2.0)),
    "pa": ("C", (0.003, 0.01, 0.03, 0.1)),
}
# Wider than GRID, which decides: does an edge of it cost anything? And the penalty of the CRF.
WIDE = {
    "arow": ("r", (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)),
    "cw": ("phi", (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0)),
    "pa": ("C", (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
    "crf": ("c2", (0.01, 0.1, 1.0, 10.0)),
}
ORDERS = 3
CRF_TRAINS_ON = 2000  # sentences, while its penalty is tuned: a prior does not know their number
SEED = 2010
ALGORITHMS = ("arow", "cw", "pa", "perceptron")
RANDOM_RUNS = 5
RULES = ("kd_pc", "kd_fixed", "min_margin", "min_conf_margin", "random")
DRAWS = 50
MANY_DRAWS = 500
RESAMPLES = 1000
INSPECTED = 5000


# Corpora and splits


@lru_cache(maxsize=1)
def corpus(name: str) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Feature strings and labels of all sentences."""
    if name == "np":
        parts = datasets.conll2000()
        sentences = [*parts["train"], *parts["test"]]
        y = [[t if t.endswith("-NP") else "O" for t in s.tags] for s in sentences]
        return [taggers.chunk_features(s.words, s.pos) for s in sentences], y
    parts = datasets.conll2002(name)
    sentences = [*parts["train"], *parts["testa" if name == "es" else "testb"]]
    X = [taggers.ner_features(s.words, s.pos) for s in sentences]
    return X, [list(s.tags) for s in sentences]


def split(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Three quarters to learn from and one to test on, as in the paper's section 5."""
    n = len(corpus(name)[0])
    order = np.random.default_rng(SEED).permutation(n)
    return order[: n * 3 // 4], order[n * 3 // 4 :]


def inner_split(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The training quarters divided again, to tune on without looking at the test quarter."""
    train, _ = split(name)
    return train[: len(train) * 3 // 4], train[len(train) * 3 // 4 :]


def tagger(algorithm: str, parameter: float | None = None, order: int = 0) -> Tagger:
    """A tagger with the parameter given, that sees the sentences in one of many orders."""
    given = {} if parameter is None else {GRID[algorithm][0]: parameter}
    return Tagger(algorithm, rng=SEED + order, **given)


@lru_cache(maxsize=1)
def encoded(name: str) -> Encoded:
    """A corpus with its strings numbered once: that costs more than learning from them."""
    return taggers.encode(*corpus(name))


def learned(
    name: str, algorithm: str, value: float | None, train: np.ndarray, order: int = 0
) -> CRF | Tagger:
    """A model trained on a part of a corpus; a CRF until L-BFGS converges."""
    if algorithm == "crf":
        X, y = corpus(name)
        return CRF(c2=value).fit(pick(X, train), pick(y, train))
    return tagger(algorithm, value, order).fit(encoded(name)[train])


def read_by(model: CRF | Tagger, name: str, index: np.ndarray) -> Any:
    """Sentences of a corpus as the model reads them: strings, or their numbers."""
    return pick(corpus(name)[0], index) if isinstance(model, CRF) else encoded(name)[index]


def tuned(name: str, algorithm: str) -> float | None:
    """The value with the best F1 on held-out training data; the least of equals."""
    if algorithm not in WIDE:
        return None
    table = datasets.study_table("confidence-grid" if algorithm == "crf" else "confidence-tuning")
    table = table[(table["corpus"] == name) & (table["algorithm"] == algorithm)]
    f1 = 2 * table["tp"] / (2 * table["tp"] + table["fp"] + table["fn"])
    return float(table["value"].iloc[int(np.argmax(f1.to_numpy()))])


def pick(rows: list, index: np.ndarray) -> list:
    return [rows[i] for i in index]


def counts(gold: list, predicted: list) -> dict[str, int]:
    spans = count_spans(gold, predicted)
    right = np.concatenate(measures.marks(gold, predicted))
    found = {name: int(getattr(spans, name).sum()) for name in COUNTS}
    return found | {"words": right.size, "wrong": int((~right).sum())}


def judge(name: str, model: CRF | Tagger, test: np.ndarray) -> dict[str, int]:
    """What a model gets right on a part of a corpus."""
    return counts(pick(corpus(name)[1], test), model.predict(read_by(model, name, test)))


# Table 1, and the parameters


def run_size(task: Task, seed: Seed) -> Rows:
    """Sentences, words, labels, feature strings and weights."""
    X, y = corpus(task["corpus"])
    found: dict[str, set[str]] = {}
    for sentence, labels in zip(X, y):
        for token, label in zip(sentence, labels):
            found.setdefault(label, set()).update(token)
    row = {**task, "sentences": len(X), "words": sum(map(len, y))}
    row["test_words"] = sum(len(y[i]) for i in split(task["corpus"])[1])
    row |= {"labels": len(found), "features": len(set().union(*found.values()))}
    return [{**row, "feature_label_pairs": sum(map(len, found.values()))}]


def run_tuning(task: Task, seed: Seed) -> Rows:
    """Counts on the held-out part of the training data for each value of each parameter."""
    train, held = inner_split(task["corpus"])
    return [
        {**task, "algorithm": algorithm, "parameter": parameter, "value": value}
        | judge(task["corpus"], learned(task["corpus"], algorithm, value, train), held)
        for algorithm, (parameter, values) in GRID.items()
        for value in values
    ]


def run_grid(task: Task, seed: Seed) -> Rows:
    """The same beyond the grid, in three orders of the sentences; the CRF has no order."""
    name, algorithm = task["corpus"], task["algorithm"]
    train, held = inner_split(name)
    orders, train = (1, train[:CRF_TRAINS_ON]) if algorithm == "crf" else (ORDERS, train)
    parameter, values = WIDE.get(algorithm, ("", (None,)))
    return [
        {**task, "parameter": parameter, "value": value, "order": order}
        | judge(name, learned(name, algorithm, value, train, order), held)
        for value in values
        for order in range(orders)
    ]


# How well the four learners label, fold by fold (Table 2 and Figure 1)


def run_fold(task: Task, seed: Seed) -> Rows:
    """All four learners on one of ten folds of random sentences, after each pass."""
    name, rows = task["corpus"], []
    parts = np.array_split(np.random.default_rng(SEED).permutation(len(encoded(name))), 10)
    test = parts.pop(task["fold"])

    def watch(model: Tagger) -> None:
        passes = 1 + sum(row["algorithm"] == model.algorithm for row in rows)
        known = {**task, "algorithm": model.algorithm, "passes": passes}
        rows.append(known | judge(name, model, test))

    for algorithm in ALGORITHMS:
        model = tagger(algorithm, tuned(name, algorithm))
        model.fit(encoded(name)[np.concatenate(parts)], after_pass=watch)
    return rows


def run_block(task: Task, seed: Seed) -> Rows:
    """All four learners on one half of 3×2 blocked cross-validation, in three orders each."""
    name, rows = task["corpus"], []
    folds = list(BlockedCV(3, rng=SEED).split(range(len(encoded(name)))))
    train, test = folds[task["fold"]]
    for algorithm in ALGORITHMS:
        for order in range(ORDERS):
            model = learned(name, algorithm, tuned(name, algorithm), train, order)
            row = {**task, "order": order, "algorithm": algorithm, "passes": model.passes}
            rows.append(row | judge(name, model, test))
    return rows


# Learning curves when the tagger chooses what is annotated (Figures 5 and 6)


def run_active(task: Task, seed: Seed) -> Rows:
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
            *(pick(rows_of, part) for part in (pool, test) for rows_of in (X, y)),
            task["rule"],
            tagger=lambda: tagger("cw", value),
            steps=100 if task["corpus"] == "np" else 50,  # the paper goes on to 495
            evaluate_every=2,
            rng=1000 * task["repeat"] + run,
        )
        counts = result.drop(columns="f1").to_dict("records")
        rows += [{**task, "run": run, **row} for row in counts]
    return rows


# Which confidence finds the mistakes, and whose 90 % is 90 % (Figures 2 to 4)


def run_methods(task: Task, seed: Seed) -> Rows:
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
    train, test = split(name)
    y_test = pick(corpus(name)[1], test)
    sentence = np.repeat(np.arange(len(y_test)), [len(s) for s in y_test])
    rows: Rows = []
    value = tuned(name, learner)
    base_rate, scales = _held_out(name, learner, value) if learner != "crf" else (None, {})
    for order in range(ORDERS if learner == "cw" else 1):
        add = adder(rows, {**task, "order": order})
        model = learned(name, learner, value, train, order)
        X_test = read_by(model, name, test)
        if learner == "crf":
            flat = {"crf": np.concatenate(model.confidence(X_test))}
        else:
            flat = confidences(model, X_test, scales)
            flat["constant"] = np.ones(sentence.size)
            flat["base_rate"] = np.full(sentence.size, base_rate)
        predicted = {learner: model.predict(X_test)}
        if "kd_pc" in scales:
            predicted = {"vote": votes(model, X_test, scales["kd_pc"]), **predicted}
        for method, labels in predicted.items():
            for quantity, count in counts(y_test, labels).items():
                add(method, quantity, count)
        right = np.concatenate(measures.marks(y_test, predicted[learner]))
        for method, scale in scales.items():
            add(method, "scale", scale)
        measure(flat, right, add, thorough=order == 0)
        found_by_unit(flat, right, sentence, add)
        if order == 0:
            compare_methods(flat, right, sentence, add)
    return rows


def adder(rows: Rows, known: Task) -> Any:
    """What adds a row with all columns, numbers rounded to what means something."""

    def add(
        method: str, quantity: str, value: float, at: Any = "", versus: str = "", n: Any = ""
    ) -> None:
        value = round(float(value), 6) if isinstance(value, float) else int(value)
        what = {"method": method, "quantity": quantity, "versus": versus}
        rows.append({**known, **what, "at": at, "value": value, "words": n})

    return add


def confidences(
    model: Any, X: Any, scales: dict[str, float], many: bool = True
) -> dict[str, np.ndarray]:
    """Every method's confidence in each word; by 500 draws, too, where `many` says so."""
    flat = {
        method: np.concatenate(model.confidence(X, method=method))
        for method in ("kbv", "wkbv", "delta", "random")
    }
    flat["delta_printed"] = np.concatenate(taggers.delta_as_printed(model, X))
    # Draws come in units of 1/50; Delta, squeezed below that, orders the equal ones.
    low = flat["delta"] / (1 + flat["delta"].max()) / (2 * DRAWS)
    for method, scale in scales.items():
        for draws in (DRAWS, MANY_DRAWS) if many and "kd_pc" in scales else (DRAWS,):
            drawn = model.confidence(X, method=method, draws=draws, scale=scale)
            flat[f"{method}_{draws}"] = np.concatenate(drawn)
        flat[f"{method}_{DRAWS}_delta"] = flat[f"{method}_{DRAWS}"] + low
    return flat


def votes(model: Any, X: Any, scale: float) -> list[list[str]]:
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
    train, held = inner_split(name)
    model = learned(name, learner, value, train)
    y = pick(corpus(name)[1], held)
    methods = ("kd_pc", "kd_fixed") if learner == "cw" else ("kd_fixed",)
    scales = {m: model.tune_scale(encoded(name)[held], y, m, draws=DRAWS) for m in methods}
    found = judge(name, model, held)
    return 1 - found["wrong"] / found["words"], scales


def measure(flat: dict[str, np.ndarray], right: np.ndarray, add: Any, thorough: bool) -> None:
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


def found_by_unit(
    flat: dict[str, np.ndarray], right: np.ndarray, sentence: np.ndarray, add: Any
) -> None:
    """Errors among the first 5,000 words: how many in each sentence, by draws and by Delta."""
    shuffle = np.random.default_rng(SEED).permutation(sentence.size)
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


def compare_methods(
    flat: dict[str, np.ndarray],
    right: np.ndarray,
    sentence: np.ndarray,
    add: Any,
    brier: Any = None,
) -> None:
    """Bootstrap over sentences, all methods on the same resamples.

    `brier` names the pairs whose Brier scores are compared; None stands for all that have one.
    """
    rng, n_sentences = np.random.default_rng(SEED), int(sentence[-1]) + 1
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
        scored = "delta" not in a + b and "random" not in (a, b)
        if scored if brier is None else (a, b) in brier:
            terms = ((flat[method] - right) ** 2 for method in (b, a))
            result = compare(*terms, groups=sentence, higher_is_better=False)
            add(a, "p_brier", float(result.pvalue), versus=b)


COLUMNS = ("corpus", "learner", "order", "method", "quantity", "versus", "at", "value", "words")


def _study(name: str, run: Any, title: str, data: Any, columns: Any = None, **tasks: Any) -> Study:
    return Study(f"confidence-{name}", grid(**tasks), run, SEED, data, title, columns)


def _methods(name: str, learner: str, title: str, tuning: str = "tuning") -> Study:
    data, tasks = (*DATA, f"studies/confidence-{tuning}"), {"corpus": CORPORA, "learner": [learner]}
    title = f"Table 3, Figures 2 to 4: the errors of {title}, and whose 90 % is 90 %"
    return _study(name, run_methods, title, data, COLUMNS, **tasks)


DATA = ("conll2000", "conll2002")
TUNED = (*DATA, "studies/confidence-tuning")
CURVES = "Figures 5 and 6: learning curves under five rules,"
FOLDS = "Table 2 and Figure 1: {} found by four learners, ten folds, each pass"
STUDIES = [
    _study(
        "sizes",
        run_size,
        "Table 1: sentences, words and features of the three corpora",
        DATA,
        corpus=CORPORA,
    ),
    _study(
        "tuning",
        run_tuning,
        "r of AROW, phi of CW and C of PA on held-out training data",
        DATA,
        corpus=CORPORA,
    ),
    _study(
        "grid",
        run_grid,
        "The same on wider grids, in three orders; and c2 of a CRF",
        DATA,
        corpus=CORPORA,
        algorithm=(*WIDE, "perceptron"),
    ),
    _study(
        "blocks",
        run_block,
        "Spans found by four learners in 3×2 blocked cross-validation, three orders each",
        TUNED,
        corpus=CORPORA,
        fold=range(6),
    ),
    _study("folds", run_fold, FOLDS.format("noun phrases"), TUNED, corpus=["np"], fold=range(10)),
    _study(
        "folds-ner",
        run_fold,
        FOLDS.format("Spanish and Dutch entities"),
        TUNED,
        corpus=("es", "nl"),
        fold=range(10),
    ),
    _study(
        "active",
        run_active,
        f"{CURVES} noun phrases",
        TUNED[::2],
        corpus=["np"],
        repeat=range(5),
        rule=RULES,
    ),
    _study(
        "active-ner",
        run_active,
        f"{CURVES} Spanish and Dutch entities",
        TUNED[1:],
        corpus=("es", "nl"),
        repeat=range(3),
        rule=RULES,
    ),
    _methods("methods", "cw", "CW"),
    _methods("methods-pa", "pa", "PA"),
    _methods("methods-crf", "crf", "a CRF", "grid"),
]
