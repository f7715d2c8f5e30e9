"""Chapter 6 on the parts that the shared tasks set apart for testing.

The paper's test data are 49 to 54 thousand words, and 74 thousand for Dutch: counted in lines of
the files, those are the test part of CoNLL-2000, *testa* of Spanish and *testb* of Dutch
CoNLL-2002. `studies.confidence` tests on sentences drawn at random from all parts instead, so
that sentences of one article stand on both sides. Here whatever is tuned is tuned on the *last
quarter* of the training part, and ten folds are ten runs of consecutive sentences; in Dutch, whose
files say where an article ends, no article is cut in two.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from betterthan import compare, datasets, taggers
from betterthan import confidence as measures
from betterthan.counts import Counts, count_spans
from betterthan.taggers import CRF, Encoded, Tagger
from studies import confidence
from studies._labelled import COUNTS
from studies._study import Rows, Seed, Study, Task, grid
from studies._variants import OF_FULL, WAYS, Variant
from studies.confidence import CORPORA, DRAWS, GRID, SEED, adder, counts, pick, tagger

ORDERS = 3
STRETCH = 20  # sentences in a row that stand for an article where the file marks none
K = (10, 20, 30, 50, 80)
QUICK = ("arow", "cw", "perceptron")
# Whose rankings are compared by resampling articles.
COMPARED = ("kbv", "wkbv", "delta_printed", "delta")
BRIER = (("kd_fixed_50", "kd_pc_50"), ("kd_pc_50", "kd_fixed_50"))
COMPARED += ("kd_pc_50", "kd_fixed_50", "kd_pc_500", "kd_fixed_500")
# The best scale of CW lies well inside.
PHI_SCALES = taggers.SCALES[5:15]
SCALES = {"cw": taggers.SCALES[:13], "pa": taggers.SCALES[6:17]}
# C of PA and c2 of the CRF are those of `studies.confidence`: tuning them takes an hour.
TUNED_HERE = ("arow", "cw")
FOLDS = {"np": 10, "es": 10, "nl": 10}
STEPS = {"np": 30, "es": 15, "nl": 30}  # of ten sentences; the paper goes on to 495
LEARNS_FROM = 2000  # sentences, where many variants are tried
NOISE = (0.0, 0.2)
# What four learners are tried with where the features change; the perceptron has no parameter.
TRIED: dict[str, tuple[float | None, ...]] = {
    "perceptron": (None,),
    "arow": GRID["arow"][1],
    "cw": (0.1, 1.0),
    "pa": (0.01, 0.1),
}
# Sha and Pereira's observations are words and tags around the word; these are what we add.
ADDED = ("shape", "lower=", "suf", "pre", "has=", "w-1t0=", "w0t-1=", "w0t1=", "w1t0=")


# The corpora, in the order of their files


@cache
def sentences(name: str) -> tuple[list[datasets.Sentence], int]:
    """Training and test part of a corpus one after the other, and where the test part begins."""
    if name == "np":
        parts = datasets.conll2000()
        train, test = parts["train"], parts["test"]
    else:
        parts = datasets.conll2002(name)
        train, test = parts["train"], parts["testa" if name == "es" else "testb"]
    return [*train, *test], len(train)


@cache
def gold(name: str) -> list[list[str]]:
    """The labels of all sentences; of chunks the noun phrases only."""
    found = sentences(name)[0]
    if name == "np":
        return [[t if t.endswith("-NP") else "O" for t in s.tags] for s in found]
    return [list(s.tags) for s in found]


def features(name: str, kind: str, sentence: datasets.Sentence) -> list[list[str]]:
    """Feature strings of a sentence.

    ``"ours"``; ``"chunk"``, for names, too, those that we use for noun phrases; ``"paper"``, only
    those that Sha and Pereira (2003) describe.
    """
    if kind == "ours" and name != "np":
        return taggers.ner_features(sentence.words, sentence.pos)
    found = taggers.chunk_features(sentence.words, sentence.pos)
    if kind != "paper":
        return found
    return [[f for f in token if not f.startswith(ADDED)] for token in found]


def encoded(name: str, kind: str = "ours") -> Encoded:
    """A corpus with its strings numbered; the strings themselves are not kept."""
    return _encoded(name, kind)


@lru_cache(maxsize=4)  # the three corpora, and one of them with other features
def _encoded(name: str, kind: str) -> Encoded:
    read = (features(name, kind, sentence) for sentence in sentences(name)[0])
    return taggers.encode(read, gold(name))


def parts(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The sentences of the official training part and of the official test part."""
    found, first = sentences(name)
    return np.arange(first), np.arange(first, len(found))


@cache
def articles(name: str) -> np.ndarray:
    """The article of each sentence; 20 sentences in a row where the file does not mark any."""
    found, first = sentences(name)
    if name == "nl":
        marked = datasets.conll2002_documents()
        train, test = (np.array(marked[part]) for part in ("train", "testb"))
    else:
        train, test = np.arange(first) // STRETCH, np.arange(len(found) - first) // STRETCH
    numbered = np.r_[train, train.max() + 1 + test]
    return np.unique(numbered, return_inverse=True)[1]


def cut(name: str, index: np.ndarray, share: float) -> int:
    """Where to cut `index` so that about `share` comes before, at the end of an article."""
    ends = np.flatnonzero(np.diff(articles(name)[index])) + 1
    return int(ends[np.argmin(np.abs(ends - share * index.size))])


def inner(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The training part without its last quarter, and that quarter, to tune on."""
    train = parts(name)[0]
    place = cut(name, train, 0.75)
    return train[:place], train[place:]


def folds(name: str) -> list[np.ndarray]:
    """Ten runs of consecutive sentences over training and test part, cut between articles."""
    whole = np.arange(len(sentences(name)[0]))
    return np.split(whole, [cut(name, whole, k / 10) for k in range(1, 10)])


def tuned(name: str, algorithm: str) -> float | None:
    """The value with the best F1 on the last quarter of the training part; the least of equals."""
    if algorithm == "perceptron":
        return None
    if algorithm not in TUNED_HERE:
        return confidence.tuned(name, algorithm)
    table = datasets.study_table("official-tuning")
    table = table[(table["corpus"] == name) & (table["algorithm"] == algorithm)]
    f1 = 2 * table["tp"] / (2 * table["tp"] + table["fp"] + table["fn"])
    return float(table["value"].iloc[int(np.argmax(f1.to_numpy()))])


def judge(name: str, model: Tagger, test: np.ndarray, kind: str = "ours") -> dict[str, int]:
    """What a tagger gets right on a part of a corpus."""
    return counts(pick(gold(name), test), model.predict(encoded(name, kind)[test]))


# Table 1


def run_sizes(task: Task, seed: Seed) -> Rows:
    """Sentences, words, lines of the file and articles of both parts; the paper's features.

    ``strings`` counts feature strings of Sha and Pereira's kind in both parts together, ``pairs``
    those strings with each label that they were seen with.
    """
    name = task["corpus"]
    data, y = encoded(name, "paper"), gold(name)
    label = np.repeat(data.gold.astype(np.int64), np.diff(data.arrays.token_ptr))
    pairs = np.unique(label * len(data.vocabulary) + data.arrays.ids).size
    rows = []
    for part, index in zip(("train", "test"), parts(name)):
        words = sum(len(y[i]) for i in index)
        row = {**task, "part": part, "sentences": index.size, "words": words}
        row |= {"lines": words + index.size, "articles": np.unique(articles(name)[index]).size}
        rows.append(row | {"strings": len(data.vocabulary), "pairs": pairs})
    return rows


# The parameters


def run_tuning(task: Task, seed: Seed) -> Rows:
    """Counts on the last quarter of the training part for each value of a parameter."""
    name, algorithm = task["corpus"], task["algorithm"]
    train, held = inner(name)
    parameter, values = GRID[algorithm]
    rows = []
    for value in values:
        model = tagger(algorithm, value).fit(encoded(name)[train])
        rows.append({**task, "parameter": parameter, "value": value} | judge(name, model, held))
    return rows


# Table 2 and Figure 1


def run_fold(task: Task, seed: Seed) -> Rows:
    """Learners on one of ten runs of consecutive sentences, after each pass.

    Every fold has another order of the training sentences, so that the spread over folds holds
    that luck, too.
    """
    name, rows = task["corpus"], []
    test = folds(name)[task["fold"]]
    train = np.setdiff1d(np.arange(len(encoded(name))), test)

    def watch(model: Tagger) -> None:
        passes = 1 + sum(row["algorithm"] == model.algorithm for row in rows)
        known = {**task, "algorithm": model.algorithm, "passes": passes}
        rows.append(known | judge(name, model, test))

    for algorithm in ("pa",) if task["learners"] == "pa" else QUICK:
        model = tagger(algorithm, tuned(name, algorithm), task["fold"])
        model.fit(encoded(name)[train], after_pass=watch)
    return rows


# The four learners on the official parts, article by article


def run_learners(task: Task, seed: Seed) -> Rows:
    """Counts of one learner in each article of the test part, in several orders."""
    name, algorithm = task["corpus"], task["algorithm"]
    train, test = parts(name)
    article = np.unique(articles(name)[test], return_inverse=True)[1]
    rows = []
    for order in range(ORDERS):
        model = tagger(algorithm, tuned(name, algorithm), order).fit(encoded(name)[train])
        y, predicted = pick(gold(name), test), model.predict(encoded(name)[test])
        spans = count_spans(y, predicted)
        found = {c: np.bincount(article, getattr(spans, c)).astype(int) for c in COUNTS}
        wrong = [int((~np.asarray(marks)).sum()) for marks in measures.marks(y, predicted)]
        found["wrong"] = np.bincount(article, wrong).astype(int)
        found["words"] = np.bincount(article, [len(labels) for labels in y]).astype(int)
        for k in range(article.max() + 1):
            known = {**task, "order": order, "article": k}
            rows.append(known | {c: int(values[k]) for c, values in found.items()})
    return rows


# What the split does, and what the features do


def run_splits(task: Task, seed: Seed) -> Rows:
    """CW with three kinds of features, on the official test part and on random ones.

    A random test part has as many sentences as the official one; each order of the training
    sentences comes with another. ``seen``: names of the test part that are names in training.
    """
    name, kind = task["corpus"], task["features"]
    data, value, rows = encoded(name, kind), tuned(name, "cw"), []
    train, test = parts(name)
    for order in range(ORDERS):
        shuffled = np.random.default_rng([SEED, order]).permutation(len(data))
        for split, a, b in (
            ("official", train, test),
            ("random", shuffled[: train.size], shuffled[train.size :]),
        ):
            model = tagger("cw", value, order).fit(data[a])
            row = {**task, "split": split, "order": order, "strings": len(model._own)}
            seen = names_seen(name, a, b)
            rows.append(row | judge(name, model, b, kind) | dict(zip(("seen", "names"), seen)))
    return rows


def run_features(task: Task, seed: Seed) -> Rows:
    """Four learners with one kind of features, for several values of their parameter.

    ``held``: the last quarter of the training part, in one order, to choose the value; ``test``:
    the official test part, in three orders. ``low`` and ``high`` stand with the value chosen: a
    95 % interval, over articles and orders, for how far F1 is above that of the perceptron.
    """
    name, kind = task["corpus"], task["features"]
    (train, test), (held_from, held) = parts(name), inner(name)
    data, y = encoded(name, kind), pick(gold(name), test)
    article = np.unique(articles(name)[test], return_inverse=True)[1]
    rows: Rows = []
    runs: dict[tuple[str, float | None], list[Counts]] = {}
    for algorithm, values in TRIED.items():
        on_held = []
        for value in values:
            known = {**task, "algorithm": algorithm, "value": value}
            model = tagger(algorithm, value).fit(data[held_from])
            found = judge(name, model, held, kind)
            on_held.append(2 * found["tp"] / (2 * found["tp"] + found["fp"] + found["fn"]))
            rows.append({**known, "part": "held", "order": 0} | found | {"low": "", "high": ""})
            runs[algorithm, value] = []
            for order in range(ORDERS):
                labels = tagger(algorithm, value, order).fit(data[train]).predict(data[test])
                spans = count_spans(y, labels)
                by_article = (np.bincount(article, getattr(spans, c)).astype(int) for c in COUNTS)
                runs[algorithm, value].append(Counts(*by_article, unit="article"))
                row = {**known, "part": "test", "order": order} | counts(y, labels)
                rows.append(row | {"low": "", "high": ""})
        chosen = values[int(np.argmax(on_held))]
        if algorithm != "perceptron":
            above = compare(runs["perceptron", None], runs[algorithm, chosen]).interval
            for row in rows:
                if (row["algorithm"], row["value"], row["part"]) == (algorithm, chosen, "test"):
                    row |= {"low": round(float(above.low), 6), "high": round(float(above.high), 6)}
    return rows


def names_seen(name: str, train: np.ndarray, test: np.ndarray) -> tuple[int, int]:
    """How many spans of the test part are, word for word, spans of training, and of how many."""
    known = {words for i in train for words in span_words(name, i)}
    found = [words for i in test for words in span_words(name, i)]
    return sum(words in known for words in found), len(found)


def span_words(name: str, index: int) -> list[tuple[str, ...]]:
    """The words of each span of a sentence."""
    words, labels = sentences(name)[0][index].words, gold(name)[index]
    starts = [i for i, label in enumerate(labels) if label.startswith("B")]
    spans = []
    for start in starts:
        end = start + 1
        while end < len(labels) and labels[end].startswith("I"):
            end += 1
        spans.append(tuple(words[start:end]))
    return spans


# Which confidence finds the mistakes, and whose 90 % is 90 %


def run_methods(task: Task, seed: Seed) -> Rows:
    """Every confidence method on the official test part, for the labels of CW or PA.

    The rows of ``confidence-methods``, with articles in the place of sentences, and beside them
    ``held_ap``, ``held_rmse``, ``held_brier`` (on the last quarter of the training part) and
    ``near_rmse`` (on the test part) at the scale `at`, and ``ap_by_k``, average precision of
    `at` draws or labellings. 500 draws, votes and other K belong to the
    first order only.
    """
    name, learner = task["corpus"], task["learner"]
    train, test = parts(name)
    y = pick(gold(name), test)
    unit = np.unique(articles(name)[test], return_inverse=True)[1]
    unit = np.repeat(unit, [len(labels) for labels in y])
    rows: Rows = []
    base_rate, scales = tune_scales(name, learner, adder(rows, {**task, "order": 0}))
    X = encoded(name)[test]
    for order in range(ORDERS if learner == "cw" else 1):
        add = adder(rows, {**task, "order": order})
        model = tagger(learner, tuned(name, learner), order).fit(encoded(name)[train])
        predicted = {learner: model.predict(X)}
        if learner == "cw" and order == 0:
            predicted["vote"] = confidence.votes(model, X, scales["kd_pc"])
        for method, labels in predicted.items():
            for quantity, count in counts(y, labels).items():
                add(method, quantity, count)
        right = np.concatenate(measures.marks(y, predicted[learner]))
        for method, scale in scales.items():
            add(method, "scale", scale)
        flat = confidence.confidences(model, X, scales, many=order == 0)
        flat["constant"], flat["base_rate"] = np.ones(unit.size), np.full(unit.size, base_rate)
        confidence.measure(flat, right, add, thorough=order == 0)
        confidence.found_by_unit(flat, right, unit, add)
        if learner == "cw" and order == 0:
            by_k(model, X, right, scales, add)
        if order == 0:
            chosen = {method: flat[method] for method in COMPARED if method in flat}
            confidence.compare_methods(chosen, right, unit, add, brier=BRIER)
            near_scales(model, X, right, scales, add)
    return rows


def tune_scales(name: str, learner: str, add: Any) -> tuple[float, dict[str, float]]:
    """The share of right labels on the last quarter of the training part, and the best scales."""
    train, held = inner(name)
    model = tagger(learner, tuned(name, learner)).fit(encoded(name)[train])
    X = encoded(name)[held]
    right = np.concatenate(measures.marks(pick(gold(name), held), model.predict(X)))
    chosen = {}
    for method in ("kd_pc", "kd_fixed") if learner == "cw" else ("kd_fixed",):
        found = {}
        for scale in SCALES[learner]:
            drawn = np.concatenate(model.confidence(X, method, draws=DRAWS, scale=scale))
            result = measures.evaluate(right, drawn)
            found[scale] = result.average_precision
            add(method, "held_ap", result.average_precision, at=scale)
            add(method, "held_rmse", result.rmse_centre, at=scale)
            add(method, "held_brier", result.brier, at=scale)
        chosen[method] = max(found, key=lambda scale: found[scale])
    return float(right.mean()), chosen


def near_scales(model: Tagger, X: Encoded, right: np.ndarray, scales: Any, add: Any) -> None:
    """RMSE on the test part at the scale chosen and a step of the grid to either side."""
    for method, chosen in scales.items():
        place = taggers.SCALES.index(chosen)
        for scale in taggers.SCALES[max(0, place - 1) : place + 2]:
            drawn = np.concatenate(model.confidence(X, method, draws=DRAWS, scale=scale))
            add(method, "near_rmse", measures.evaluate(right, drawn).rmse_centre, at=scale)


def by_k(model: Tagger, X: Encoded, right: np.ndarray, scales: Any, add: Any) -> None:
    """Average precision by the number of draws or labellings."""
    for method in ("kbv", "wkbv", "kd_pc", "kd_fixed"):
        for k in K:
            given = model.confidence(X, method, draws=k, labellings=k, scale=scales.get(method))
            found = measures.average_precision(right, np.concatenate(given))
            add(method, "ap_by_k", found, at=k)


def run_phi(task: Task, seed: Seed) -> Rows:
    """KD-PC and KD-Fixed for the labels of CW with another φ, the scale tuned for each.

    The larger φ, the more a mistake shrinks the variances of its weights, so the more the two
    kinds of draws differ.
    """
    name, phi = task["corpus"], task["phi"]
    train, test = parts(name)
    held_from, held = inner(name)
    model = tagger("cw", phi).fit(encoded(name)[held_from])
    right = np.concatenate(
        measures.marks(pick(gold(name), held), model.predict(encoded(name)[held]))
    )
    scales = {
        method: max(
            PHI_SCALES,
            key=lambda s: measures.average_precision(right, drawn(model, name, held, method, s)),
        )
        for method in ("kd_pc", "kd_fixed")
    }
    rows = []
    for order in range(ORDERS):
        model = tagger("cw", phi, order).fit(encoded(name)[train])
        labels = model.predict(encoded(name)[test])
        right = np.concatenate(measures.marks(pick(gold(name), test), labels))
        spread = model._variances[model._variances < 1]
        for method, scale in scales.items():
            result = measures.evaluate(right, drawn(model, name, test, method, scale))
            row = {**task, "order": order, "method": method, "scale": scale}
            row |= {"average_precision": result.average_precision, "brier": result.brier}
            row |= {"rmse_centre": result.rmse_centre, "rmse_mean": result.rmse_mean}
            row |= {"variance": float(np.median(spread))}
            rows.append({k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()})
    return rows


def drawn(model: Tagger, name: str, index: np.ndarray, method: str, scale: float) -> np.ndarray:
    """The confidence in each word by 50 draws."""
    return np.concatenate(model.confidence(encoded(name)[index], method, draws=DRAWS, scale=scale))


def run_crf(task: Task, seed: Seed) -> Rows:
    """A CRF, trained until L-BFGS converges, on the official test part: as `run_methods`."""
    name = task["corpus"]
    train, test = parts(name)
    found, y = sentences(name)[0], pick(gold(name), test)
    X = [features(name, "ours", found[i]) for i in train]
    model = CRF(c2=tuned(name, "crf")).fit(X, pick(gold(name), train))
    X = [features(name, "ours", found[i]) for i in test]
    rows: Rows = []
    add = adder(rows, {**task, "order": 0})
    predicted = model.predict(X)
    for quantity, count in counts(y, predicted).items():
        add("crf", quantity, count)
    right = np.concatenate(measures.marks(y, predicted))
    flat = {"crf": np.concatenate(model.confidence(X))}
    unit = np.unique(articles(name)[test], return_inverse=True)[1]
    unit = np.repeat(unit, [len(labels) for labels in y])
    confidence.measure(flat, right, add, thorough=True)
    confidence.compare_methods(flat, right, unit, add)
    return rows


# Figures 5 and 6


def run_active(task: Task, seed: Seed) -> Rows:
    """A learning curve on the official parts: 50 sentences, then 10 a step out of 1,000.

    The training part can be annotated, and F1 is measured on the test part after every second
    step. The random rule is averaged over five runs, as in the paper (`run` 0 to 4).
    """
    name = task["corpus"]
    train, test = parts(name)
    data, y = encoded(name), gold(name)
    value, rows = tuned(name, "cw"), []
    for run in range(confidence.RANDOM_RUNS if task["rule"] == "random" else 1):
        result = taggers.active_learning(
            data[train],
            pick(y, train),
            data[test],
            pick(y, test),
            task["rule"],
            tagger=lambda: tagger("cw", value),
            steps=STEPS[name],
            evaluate_every=2,
            rng=1000 * task["repeat"] + run,
        )
        table = result.drop(columns="f1").to_dict("records")
        rows += [{**task, "run": run, **row} for row in table]
    return rows


# Choices of the paper that its own text only mentions


def run_variants(task: Task, seed: Seed) -> Rows:
    """Three ways to keep a diagonal, three covariances to start from, and no averaging.

    Learned from the first 2,000 sentences, on the official test part. ``changed`` counts labels
    that differ from those of the library's choice.
    """
    name, algorithm = task["corpus"], task["algorithm"]
    train, test = parts(name)
    data, X = encoded(name)[train[:LEARNS_FROM]], encoded(name)[test]
    given = {GRID[algorithm][0]: tuned(name, algorithm)}
    rows = []
    for order in range(2):
        usual = Variant(algorithm, rng=SEED + order, **given).fit(data).predict(X)
        tried = {("way", way): {"way": code} for way, code in WAYS.items()}
        tried |= {("start", f"{a:g}"): {"start": a} for a in (0.01, 100.0)}
        tried["average", "last weights"] = {"average": False}
        for (what, choice), other in tried.items():
            if algorithm == "arow" and choice == "best diagonal":
                continue  # the same as the diagonal of the inverse
            same = other == {"way": OF_FULL}
            labels = (
                usual
                if same
                else (Variant(algorithm, rng=SEED + order, **given, **other).fit(data).predict(X))
            )
            changed = sum(a != b for s, t in zip(usual, labels) for a, b in zip(s, t))
            row = {**task, "order": order, "what": what, "choice": choice, "changed": changed}
            rows.append(row | counts(pick(gold(name), test), labels))
    return rows


def run_noise(task: Task, seed: Seed) -> Rows:
    """CW and AROW when a share of the training labels is replaced by random others.

    Learned from the first 2,000 sentences; the official test part stays as it is.
    """
    name, algorithm = task["corpus"], task["algorithm"]
    train, test = parts(name)
    part, rows = encoded(name)[train[:LEARNS_FROM]], []
    labels = len(part.labels)
    for noise in NOISE:
        for order in range(2):
            rng = np.random.default_rng([SEED, order])
            hit = rng.random(part.gold.size) < noise
            other = (part.gold + rng.integers(1, labels, part.gold.size)) % labels
            noisy = replace(part, gold=np.where(hit, other, part.gold).astype(np.int32))
            parameter, values = GRID.get(algorithm, ("", (None,)))
            for value in values:
                model = tagger(algorithm, value, order).fit(noisy)
                row = {**task, "noise": noise, "parameter": parameter, "value": value}
                rows.append(row | {"order": order} | judge(name, model, test))
    return rows


KINDS = [(name, kind) for name in ("nl", "es") for kind in ("ours", "chunk", "paper")]
KINDS += [("np", "ours"), ("np", "paper")]  # of noun phrases ours are those of "chunk"
DATA = ("conll2000", "conll2002")
TUNED = (*DATA, "studies/official-tuning")
ALSO_TUNED = (*DATA, "studies/confidence-tuning")


def kinds() -> list[Task]:
    """The kinds of features that are tried with four learners."""
    return [{"corpus": name, "features": kind} for name, kind in KINDS]


def quick_folds() -> list[Task]:
    """The folds on which AROW, CW and the perceptron were run."""
    return fold_tasks(FOLDS, "quick")


def pa_folds() -> list[Task]:
    """The folds on which PA is to be run."""
    return fold_tasks(FOLDS, "pa")


def fold_tasks(most: dict[str, int], learners: str) -> list[Task]:
    """So many folds of each corpus."""
    return [
        {"corpus": name, "fold": fold, "learners": learners}
        for name, number in most.items()
        for fold in range(number)
    ]


def _study(name: str, run: Any, title: str, data: Any = TUNED, columns: Any = None, **tasks: Any):
    return Study(f"official-{name}", grid(**tasks), run, SEED, data, title, columns)


ON = "on the shared tasks' own test parts"
PASSES = "Table 2 and Figure 1: {}, ten runs of consecutive sentences, each pass"
STUDIES = [
    _study(
        "sizes",
        run_sizes,
        "Table 1: the official parts, and the paper's features",
        DATA,
        corpus=CORPORA,
    ),
    _study(
        "tuning",
        run_tuning,
        "r and phi on the last quarter of the training parts",
        DATA,
        corpus=CORPORA,
        algorithm=TUNED_HERE,
    ),
    Study(
        "official-folds",
        quick_folds,
        run_fold,
        SEED,
        TUNED,
        PASSES.format("AROW, CW and the perceptron"),
    ),
    Study("official-folds-pa", pa_folds, run_fold, SEED, ALSO_TUNED, PASSES.format("PA")),
    _study(
        "learners",
        run_learners,
        f"Four learners {ON}, article by article",
        corpus=CORPORA,
        algorithm=QUICK,
    ),
    _study(
        "learners-pa",
        run_learners,
        f"PA {ON}, article by article",
        ALSO_TUNED,
        corpus=CORPORA,
        algorithm=["pa"],
    ),
    _study(
        "splits",
        run_splits,
        "CW: official or random test part, our features or the paper's",
        corpus=CORPORA,
        features=("ours", "paper"),
    ),
    _study(
        "splits-chunk",
        run_splits,
        "The same, names with our features for noun phrases",
        corpus=("es", "nl"),
        features=["chunk"],
    ),
    Study(
        "official-features",
        kinds,
        run_features,
        SEED,
        DATA,
        f"Four learners with three kinds of features {ON}",
    ),
    _study(
        "methods",
        run_methods,
        f"Table 3, Figures 2 to 4: the errors of CW {ON}",
        columns=confidence.COLUMNS,
        corpus=CORPORA,
        learner=["cw"],
    ),
    _study(
        "phi",
        run_phi,
        f"Figure 2, right: KD-PC and KD-Fixed with a larger phi {ON}",
        DATA,
        corpus=CORPORA,
        phi=[1.0],
    ),
    _study(
        "methods-pa",
        run_methods,
        f"Figure 2, below: the errors of PA {ON}",
        ALSO_TUNED,
        confidence.COLUMNS,
        corpus=CORPORA,
        learner=["pa"],
    ),
    _study(
        "methods-crf",
        run_crf,
        f"Table 3, Figures 2 to 4: the errors of a CRF {ON}",
        (*DATA, "studies/confidence-grid"),
        confidence.COLUMNS,
        corpus=CORPORA,
        learner=["crf"],
    ),
    *(
        _study(
            f"active-{name}",
            run_active,
            f"Figures 5 and 6, {name}: six rules {ON}",
            corpus=[name],
            repeat=range(3),
            rule=taggers.RULES,
        )
        for name in CORPORA
    ),
    _study(
        "variants",
        run_variants,
        "Three diagonals, three starts, the last weights",
        corpus=("np", "nl"),
        algorithm=("cw", "arow"),
    ),
    _study(
        "noise",
        run_noise,
        "CW, AROW and the perceptron learn from labels with noise",
        corpus=("np", "nl"),
        algorithm=QUICK,
    ),
]
