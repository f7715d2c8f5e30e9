"""Error rates of intervals and tests where the truth is known: made up, or all of a real text.

What neither the chapters' own studies nor `paired-coverage` (score, compare, compare_many, plan and
analyse) try, for the page that lists every promise of the book.
Each task repeats one experiment; a row says how often the interval caught the truth, or how often
the test raised a false alarm at the level 0.05. The study `coverage-corpora` does so with real
segmenters, judges and stated probabilities, which it trains first.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import compare, confidence, psychometrics, pvalues, ranking, replicability, score
from betterthan.counts import Counts
from betterthan.datasets import peoples_daily
from betterthan.readers import read_translations
from betterthan.results import Results
from betterthan.taggers import Committee, Tagger
from studies import _labelled
from studies._study import Rows, Seed, Study, Task, grid

ALPHA = 0.05
CHUNKS, REPETITIONS = 8, 125
SENTENCES = 200
CANDIDATES, SHARE, STRENGTH = 500, 0.2, 1.0
QUERIES, DOCUMENTS = 30, 40
WORDS = 12
LABELLED, EASE, TOO_SURE = 60, 2.0, 1.4
PARTS, LIST, AVERAGE, RHO = 80, 100, 0.25, 0.01
DATASETS = 10
RESAMPLES = 299
# Half-samples; the book's default is 9,999.
DRAWS = 499


Rng = np.random.Generator


def tasks(corpora: bool = False) -> list[Task]:
    """Every world, in chunks; those that need corpora are a study of their own."""
    worlds = [world for world in WORLDS if world.startswith("real") == corpora]
    return grid(world=worlds, chunk=range(CHUNKS), repetitions=[REPETITIONS // (1 + corpora)])()


def repeated(task: Task, seed: Seed, experiment: Callable[[Rng], Iterator[Any]]) -> Iterator[Any]:
    """What an experiment yields, again and again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few drawn items may look unaligned
        for child in seed.spawn(task["repetitions"]):
            yield from experiment(np.random.default_rng(child))


def run(task: Task, seed: Seed) -> Rows:
    """Repeat the experiment of one world and count catches and alarms."""
    hits = Counter()
    for kind, hit in repeated(task, seed, WORLDS[task["world"]]):
        hits[kind] += bool(hit)
    columns, n = ("world", "method", "kind", "repetitions", "hits"), task["repetitions"]
    return [dict(zip(columns, (task["world"], *kind, n, k))) for kind, k in hits.items()]


Hits = Iterator[tuple[tuple[str, str], bool]]


def _caught(method: str, interval: Any, truth: float) -> tuple[tuple[str, str], bool]:
    return (method, "interval"), interval.low <= truth <= interval.high


def _alarm(method: str, pvalue: float) -> tuple[tuple[str, str], bool]:
    return (method, "test"), pvalue <= ALPHA


def sentences(rng: Rng) -> Hits:
    """Two equally good taggers on the same sentences, which are hard or easy for both."""
    gold = 1 + rng.poisson(1.0, SENTENCES)
    ease = special.expit(1.0 + 1.2 * rng.normal(size=SENTENCES))
    counts = []
    for _ in range(2):
        tp = rng.binomial(gold, ease)
        counts.append(np.column_stack([tp, rng.poisson(0.8 * (1 - ease)), gold - tp]))
    draw, shares = int(rng.integers(2**31)), [one[:, 0] / gold for one in counts]
    for name in ("randomisation", "paired_bootstrap"):
        for metric, pair in (("f1", [Counts(*one.T) for one in counts]), ("mean", shares)):
            found = getattr(pvalues, name)(*pair, metric, n_resamples=RESAMPLES, rng=draw)
            yield _alarm(f"pvalues.{name}, {metric}", found.pvalue)
    yield _alarm("pvalues.wilcoxon", pvalues.wilcoxon(*shares).pvalue)
    right = [counted[:, 1] + counted[:, 2] == 0 for counted in counts]
    yield _alarm("pvalues.mcnemar", pvalues.mcnemar(*right).pvalue)


def correlations(rng: Rng) -> Hits:
    """Two sets of word vectors that agree equally well with people."""
    gold, shared = rng.normal(size=(2, 100))
    scores = gold + 0.6 * shared + 0.8 * rng.normal(size=(2, 100))
    r = np.corrcoef([*scores, gold])
    for method in ("z", "t"):
        found = pvalues.steiger(r[0, 2], r[1, 2], r[0, 1], 100, method=method)
        yield _alarm(f"pvalues.steiger, {method}", found.pvalue)


def candidates(rng: Rng) -> Hits:
    """Two equally good rankings of the same candidates; noise shared in part."""
    gold = rng.random(CANDIDATES) < SHARE
    shared = rng.normal(size=CANDIDATES)
    a, b = STRENGTH * gold + np.sqrt(0.5) * (shared + rng.normal(size=(2, CANDIDATES)))
    draw = int(rng.integers(2**31))
    one = ranking.precision_curve(a, gold).average_precision_interval(RESAMPLES, rng=draw)
    yield _caught("ranking, average precision", one, true_average_precision())
    both = ranking.compare(a, b, gold).average_precision(n_resamples=RESAMPLES, rng=draw)
    yield _alarm("ranking, average precision of two", both.pvalue)
    yield _caught("ranking, average precision of two", both.interval, 0.0)
    regions = ranking.compare_regions(a, b, gold, thresholds=(1.0, 1.0))
    yield _alarm("ranking.compare_regions", regions.pvalue)
    # B puts the true ones among its first sixty to the top: longer lists are as good as A's.
    order = np.argsort(-b)
    order[:60] = order[:60][np.argsort(~gold[order[:60]], kind="stable")]
    yield from _band("ranking.compare, better up to 60", a, -np.argsort(order), gold, 60)


def _band(method: str, a: np.ndarray, b: np.ndarray, gold: np.ndarray, first: int) -> Hits:
    """Whether equally good lists of `first` and more are told apart, by either test."""
    found = ranking.compare(a, b, gold).between(20).simultaneous(n_resamples=199, rng=0)
    yield _alarm(f"{method}, Fisher's test at n = 100", found.pvalue[99])
    yield _alarm(f"{method}, simultaneous", found.pvalue_adjusted[first - 1 :].min())


def queries(rng: Rng) -> Hits:
    """Two equally good retrieval systems; a query is harder than others, for either or for one."""
    gold, scores = _retrieval(rng, QUERIES, systems=2)
    query, document = np.divmod(np.arange(gold.size), DOCUMENTS)
    frame = pd.DataFrame({"query": query, "document": document, "gold": gold.ravel().astype(int)})
    frame["a"], frame["b"] = (one.ravel() for one in scores)
    runs = [ranking.average_precision_per_query(frame, name) for name in ("a", "b")]
    yield from _front_doors("mean average precision", runs, "mean", true_mean_of_queries())
    yield from _band("ranking.compare, pooled", frame["a"], frame["b"], frame["gold"], 20)


def words(rng: Rng) -> Hits:
    """Two equally good segmenters of sentences whose words have known difficulties."""
    gold, found, difficulty = _segmented(rng, 100, systems=2)
    sums = [psychometrics.sentence_sums(gold, system, difficulty) for system in found]
    yield from _front_doors("balanced F", sums, psychometrics.balanced_f, true_balanced_f())


@cache
def segmenters() -> tuple[list[list[str]], list[np.ndarray], list[list[list[str]]]]:
    """1,000 lines of the People's Daily: gold words, marks of sixty judges, two segmenters."""
    lines = [psychometrics.half_width(s.words) for s in peoples_daily() if s.words]
    train, test = lines[:3000], lines[3000:4000]
    judges = Committee(60, rng=1).fit(train)
    two = (Committee(1, templates=(t,), samples=(1.0,)).fit(train) for t in ("F1", "F2"))
    marks = np.split(judges.marks(test), np.cumsum([len(words) for words in test])[:-1], axis=1)
    return test, marks, [one.predict(test)[0] for one in two]


def real_words(rng: Rng, judges: int, n: int = 100) -> Hits:
    """100 lines and some judges drawn from all; the truth is what all lines and judges say."""
    size, panel = len(segmenters()[1]), rng.integers(0, len(segmenters()[1][0]), judges)
    a, b = _graded(panel, rng.integers(0, size, n))
    yield from _drawn(
        f"balanced F, {judges} judges", a, b, psychometrics.balanced_f, true_balanced_fs(), rng
    )


def real_bleu(rng: Rng, n: int = 100) -> Hits:
    """100 lines of all; BLEU of the segmenters' words against the gold ones."""
    old, new = bleu_results()
    a, b, bleu = old.values, new.values, old.metric
    truths = [bleu(one.sum(axis=0)) for one in (a, b)]
    rows = rng.integers(0, len(a), n)
    yield from _drawn("BLEU", a[rows], b[rows], bleu, truths, rng)


def _drawn(what: str, a: Any, b: Any, metric: Any, truths: list, rng: Any) -> Hits:
    """What `score` says of A, `compare` of both, and of both made equal by a coin for each line."""
    yield _caught(f"score, {what}", score(a, metric).interval, truths[0])
    both = compare(a, b, metric, n_resamples=DRAWS)
    yield _caught(f"compare, {what}", both.interval, truths[1] - truths[0])
    swap = rng.random((len(a), 1)) < 0.5
    both = compare(np.where(swap, b, a), np.where(swap, a, b), metric, n_resamples=DRAWS)
    yield _alarm(f"compare, {what}", both.pvalue)


@cache
def bleu_results() -> tuple[Results, ...]:
    """What `readers.read_translations` makes of the lines and both segmenters."""
    gold, _, systems = segmenters()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, str(number)) for number in range(3)]
        for path, lines in zip(paths, (gold, *systems)):
            path.write_text("\n".join(map(" ".join, lines)), "utf-8")
        return read_translations(*paths)


def _graded(panel: np.ndarray, lines: np.ndarray) -> list[np.ndarray]:
    """The sums of both segmenters on these lines, graded by these judges."""
    gold, marks, systems = segmenters()
    grades = [1.0 - marks[i][panel].mean(axis=0) for i in lines]
    words = [[one[i] for i in lines] for one in (gold, *systems)]
    return [psychometrics.sentence_sums(words[0], system, grades) for system in words[1:]]


@cache
def true_balanced_fs() -> list[float]:
    """Balanced F of both segmenters on every line, graded by all judges."""
    _, marks, _ = segmenters()
    sums = _graded(np.arange(len(marks[0])), np.arange(len(marks)))
    return [psychometrics.balanced_f(one.sum(axis=0)) for one in sums]


def labels(rng: Rng) -> Hits:
    """Labels of a sentence are hard together; a tagger that is too sure of itself, and one not."""
    hard = 0.7 * rng.normal(size=(LABELLED, 1))
    log_odds = EASE + rng.normal(size=(LABELLED, WORDS)) - hard
    right = rng.random(log_odds.shape) < special.expit(log_odds)
    sentence = np.repeat(np.arange(LABELLED), WORDS)
    for name, times in (("Brier score", TOO_SURE), ("calibrated", 1.0)):
        stated = special.expit(times * log_odds)
        found = confidence.evaluate(right.ravel(), stated.ravel(), groups=sentence)
        yield _caught(f"confidence.evaluate, {name}", found.interval, true_brier(times))
    low, high = found.too_sure
    yield ("confidence.evaluate, too sure", "test"), not low <= 0 <= high
    # A mean, counted as in `datasets`.
    yield ("confidence.evaluate, expected calibration error", "mean"), rng.random() < found.ece


@cache
def stated() -> list[tuple[np.ndarray, np.ndarray]]:
    """Which labels AROW gets right in each sentence of WNUT-2017, and how sure it is of them."""
    train, test = _labelled.split("WNUT-2017")
    known, unseen = (_labelled.features("WNUT-2017", part) for part in (train, test))
    labels, gold = ([list(s.tags) for s in part] for part in (train, test))
    tagger = Tagger("arow").fit(known, labels)
    return list(zip(confidence.marks(gold, tagger.predict(unseen)), tagger.confidence(unseen)))


def real_labels(rng: Rng, n: int) -> Hits:
    """n sentences of all that AROW labelled."""
    drawn = [stated()[i] for i in rng.integers(0, len(stated()), n)]
    right, sure = (np.concatenate(part) for part in zip(*drawn))
    sentence = np.repeat(np.arange(n), [len(part) for part, _ in drawn])
    found = confidence.evaluate(right, sure, groups=sentence)
    truth = np.mean(np.concatenate([(sure - right) ** 2 for right, sure in stated()]))
    yield _caught(f"confidence.evaluate, {n} sentences", found.interval, truth)


def _front_doors(what: str, systems: list[Any], metric: Any, truth: float) -> Hits:
    """What `score` says of the first system and `compare` of both, which are equally good."""
    yield _caught(f"score, {what}", score(systems[0], metric).interval, truth)
    both = compare(*systems, metric, n_resamples=DRAWS)
    yield _alarm(f"compare, {what}", both.pvalue)
    yield _caught(f"compare, {what}", both.interval, 0.0)


def parts(rng: Rng) -> Hits:
    """Lists from 80 parts of a text whose candidates hang together; the last part is judged."""
    rate = rng.beta(AVERAGE / RHO * (1 - RHO), (1 - AVERAGE) / RHO * (1 - RHO), PARTS)
    k, n = rng.binomial(LIST, rate), np.full(PARTS, LIST)
    plain = ranking.binomial_interval(k[-1], LIST)
    yield _caught("ranking.binomial_interval", plain, AVERAGE)
    rho = ranking.fit_overdispersion(k[:-1], n[:-1]).rho
    wide = ranking.beta_binomial_interval(k[-1], LIST, rho)
    yield _caught("ranking.beta_binomial_interval", wide, AVERAGE)


def datasets(rng: Rng, dependence: str, better: int) -> Hits:
    """Ten datasets, on `better` of which B is truly better; how many and which are claimed?"""
    z = rng.normal(size=DATASETS)
    if dependence == "positive":
        z = np.sqrt(0.5) * (z + rng.normal())
    elif dependence == "negative":
        z = (z - z.mean()) / np.sqrt(1 - 1 / DATASETS)
    p = special.ndtr(-(z + np.r_[np.full(better, 4.0), np.zeros(DATASETS - better)]))
    for method in ("count", "bonferroni", "fisher", "simes"):
        claimed = replicability.count(p, ALPHA, method)
        yield (f"replicability.count, {method}", "test"), claimed > better
    equal = [str(number) for number in range(better + 1, DATASETS + 1)]
    for local in ("bonferroni", "simes", "fisher"):
        # Count, names and the bounds of all subsets are right together unless a win is claimed
        # among the datasets without one: any other false claim implies that one.
        claimed = replicability.analyse(p, local=local, alpha=ALPHA).bound(equal)
        yield (f"replicability.analyse, {local}", "test"), claimed > 0
    for method in ("bonferroni", "holm", "hochberg", "hommel"):
        wrong = replicability.identify(p, ALPHA, method)[better:].any()
        yield (f"replicability.identify, {method}", "test"), wrong
    named = replicability.identify(p, ALPHA, "bh")
    # The false discovery rate is a mean of shares, not of alarms: an alarm drawn with the
    # share as its probability has the same mean, and stays a count.
    share = named[better:].sum() / max(named.sum(), 1)
    yield ("replicability.identify, bh", "test"), rng.random() < share


WORLDS: dict[str, Callable[[Rng], Hits]] = {
    world.__name__: world
    for world in (sentences, correlations, candidates, queries, words, labels, parts)
}
WORLDS["real BLEU"] = real_bleu
WORLDS |= {f"real words, {judges}": partial(real_words, judges=judges) for judges in (1, 10, 50)}
WORLDS |= {f"real labels, {n}": partial(real_labels, n=n) for n in (50, 400)}
WORLDS |= {
    f"datasets, {dependence}, {better}": partial(datasets, dependence=dependence, better=better)
    for dependence in ("independent", "positive", "negative")
    for better in (0, 3)
}


def _retrieval(rng: Rng, n: int, systems: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Relevance and scores of `n` queries; each has a relevant document and its own hardness.

    Half of that is a system's own: some queries suit one, some the other.
    """
    gold = rng.random((n, DOCUMENTS)) < SHARE
    gold[:, 0] = True
    hardness = rng.normal(STRENGTH, 0.4, size=(n, 1))
    own = rng.normal(0, 0.5, size=(systems, n, 1))
    return gold, [(hardness + one) * gold + rng.normal(size=gold.shape) for one in own]


def _segmented(rng: Rng, n: int, systems: int) -> tuple[list, list, list]:
    """Words of two characters; a word that is missed is cut in two.

    A sentence has a hardness that all systems feel, so words of one sentence fail together.
    """
    d = rng.beta(0.3, 1.5, size=(n, WORDS))
    hardness = rng.normal(0, 0.5, size=(n, 1))
    found = special.expit(3.0 - 5.0 * d - hardness) > rng.random((systems, n, WORDS))
    gold = [["ab"] * WORDS for _ in range(n)]
    predicted = [
        [[part for hit in row for part in (("ab",) if hit else ("a", "b"))] for row in one]
        for one in found
    ]
    return gold, predicted, list(d)


@cache
def true_average_precision() -> float:
    """The mean over many sets of candidates, with an error below 0.0003."""
    rng = np.random.default_rng(5)
    gold = rng.random((40_000, CANDIDATES)) < SHARE
    scores = STRENGTH * gold + rng.normal(size=gold.shape)
    return float(_average_precision(scores, gold).mean())


@cache
def true_mean_of_queries() -> float:
    """The mean over many queries, with an error below 0.0005."""
    gold, (scores,) = _retrieval(np.random.default_rng(6), 200_000, systems=1)
    return float(_average_precision(scores, gold).mean())


@cache
def true_balanced_f() -> float:
    """The score on a text so long that its own error does not matter."""
    gold, (found,), difficulty = _segmented(np.random.default_rng(7), 200_000, systems=1)
    return psychometrics.balanced_scores(gold, found, difficulty).f_b


@cache
def true_brier(times: float = TOO_SURE) -> float:
    """The Brier score of `labels`, by quadrature."""
    normal, weights = np.polynomial.hermite_e.hermegauss(99)
    log_odds = EASE + np.sqrt(1 + 0.7**2) * normal
    right, stated = special.expit(log_odds), special.expit(times * log_odds)
    expected = right * (1 - stated) ** 2 + (1 - right) * stated**2
    return float(expected @ weights / weights.sum())


def _average_precision(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    ranked = np.take_along_axis(gold, np.argsort(-scores, axis=1), axis=1)
    precision = np.cumsum(ranked, axis=1) / np.arange(1, gold.shape[1] + 1)
    return (precision * ranked).sum(axis=1) / ranked.sum(axis=1)


STUDIES = [
    Study(
        "coverage",
        tasks,
        run,
        95,
        title="Catches and false alarms of intervals and tests, 1,000 made-up experiments each",
    ),
    Study(
        "coverage-corpora",
        partial(tasks, corpora=True),
        run,
        96,
        ("peoples_daily", "wnut2017"),
        "Catches and false alarms with real segmenters, judges and stated probabilities",
    ),
]
