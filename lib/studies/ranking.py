"""Studies of chapter 5: the German PP-verb data, Chinese word discovery, and 80 parts of a corpus.

Only counts and p-values come out of them, no text.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from betterthan import _checks, compare, datasets, ranking
from betterthan.datasets import adjacent_pairs
from studies import Study

# Columns of KrennPPV and what this book calls them.
KRENN = {
    "g2": "log.like",
    "x2": "chisq",
    "x2_yates": "chisq.corr",
    "t": "t.score",
    "frequency": "freq",
    "mi": "MI",
    "dice": "Dice",
    "z": "z.score",
    "fisher": "Fisher",
}
KRENN_PAIRS = (("g2", "x2"), ("g2", "t"), ("g2", "frequency"))
PARTS = 80
SIZES = (100, 200, 400)
# The smallest part has 384 candidates: lists longer than 200 would hold more than half of them.
LIST_SIZES = (50, 100, 200)
COMPARED = ("g2", "x2", "t", "frequency", "mi")


# German PP-verb pairs


def _krenn() -> tuple[dict[str, np.ndarray], np.ndarray]:
    frame = datasets.krenn_ppv()
    scores = {name: frame[column].to_numpy(float) for name, column in KRENN.items()}
    return scores, frame["is.colloc"].to_numpy(int)


def krenn_tasks() -> list[dict[str, Any]]:
    """One task: everything comes from the same permutation of ties."""
    return [{"tie_seed": 0}]


def krenn_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """True positives per n for every measure; what the lists of some pairs have in common."""
    scores, gold = _krenn()
    columns = {"n": np.arange(1, gold.size + 1)}
    for name, values in scores.items():
        columns[name] = ranking.precision_curve(values, gold, rng=task["tie_seed"]).tp
    for a, b in KRENN_PAIRS:
        pair = ranking.compare(scores[a], scores[b], gold, rng=task["tie_seed"])
        columns[f"common_{a}_{b}"] = pair.n - pair.true_only_a - pair.false_only_a
        columns[f"tp_common_{a}_{b}"] = pair.tp_a - pair.true_only_a
    return pd.DataFrame(columns).to_dict("records")


def krenn_permutation_tasks() -> list[dict[str, Any]]:
    """The range of the paper's figures, and every n."""
    ranges = ((100, 2000), (1, 5102))
    return [
        {"a": a, "b": b, "first": first, "last": last, "permutations": 1999, "tie_seed": 0}
        for (a, b), (first, last) in [
            (("g2", "x2"), ranges[0]),
            (("g2", "x2"), ranges[1]),
            (("g2", "t"), ranges[0]),
        ]
    ]


def krenn_permutations(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The smallest p-value over all n of every permutation of two rankings."""
    scores, gold = _krenn()
    pair = ranking.compare(scores[task["a"]], scores[task["b"]], gold, rng=task["tie_seed"])
    pair = pair.between(task["first"], task["last"])
    found = pair.simultaneous(n_resamples=task["permutations"], rng=seed)
    return [
        {
            "a": task["a"],
            "b": task["b"],
            "first": task["first"],
            "last": task["last"],
            "least": float(f"{p:.6g}"),
        }
        for p in found.least_pvalues
    ]


def krenn_ties_tasks() -> list[dict[str, Any]]:
    """One task; the X² of the paper may be either."""
    return [{"baselines": ["x2", "x2_yates"], "seeds": 40}]


def krenn_ties(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The longest run of n at which G² is significantly better, by the order of equal scores."""
    scores, gold = _krenn()
    rows = []
    for name, ties in product(task["baselines"], (None, *range(task["seeds"]))):
        found = ranking.compare(scores[name], scores["g2"], gold, rng=ties).ranges()
        run = found.loc[found["values of n"].idxmax()]
        order = "file" if ties is None else str(ties)
        rows.append({"a": name, "ties": order, "from": int(run["from"]), "to": int(run["to"])})
    return rows


# Chinese words


@cache
def _corpus() -> tuple[tuple[str, ...], frozenset[str]]:
    """Lines without their segmentation, and the two-character words of the segmented corpus."""
    sentences = datasets.peoples_daily()
    texts = tuple("".join(sentence.words) for sentence in sentences)
    words = frozenset(word for s in sentences for word in s.words if len(word) == 2)
    return texts, words


def is_word(pairs: pd.DataFrame, words: frozenset[str] | set[str]) -> np.ndarray:
    """1 where the two characters of a pair are a word, 0 elsewhere.

    Examples
    --------
    >>> is_word(pd.DataFrame({"first": ["中", "国"], "second": ["国", "的"]}), {"中国"})
    array([1, 0])
    """
    return np.array([int(a + b in words) for a, b in zip(pairs["first"], pairs["second"])])


def contiguous_parts(texts: tuple[str, ...] | list[str], parts: int = PARTS) -> list[slice]:
    """Slices of `texts` with about the same number of characters each.

    Raises
    ------
    ValueError
        For fewer texts than parts.

    Examples
    --------
    >>> contiguous_parts(["abcd", "ef", "gh", "ijkl"], 3)
    [slice(0, 1, None), slice(1, 3, None), slice(3, 4, None)]
    """
    _checks.whole("parts", parts, 1, len(texts))
    ends = np.cumsum([len(text) for text in texts])
    middle = ends - np.array([len(text) for text in texts]) / 2
    place = np.minimum((middle / ends[-1] * parts).astype(int), parts - 1)
    cuts = np.searchsorted(place, np.arange(parts + 1))
    return [slice(int(a), int(b)) for a, b in pairwise(cuts)]


@cache
def _part_scores(least: int) -> tuple[pd.DataFrame, ...]:
    """For each part every measure and `gold` of its candidates."""
    texts, words = _corpus()
    tables = []
    for part in contiguous_parts(texts):
        pairs = adjacent_pairs(texts[part], least)
        scores = ranking.measures(pairs.o11, pairs.o12, pairs.o21, pairs.o22)
        tables.append(scores.assign(gold=is_word(pairs, words)))
    return tuple(tables)


def words_tasks() -> list[dict[str, Any]]:
    """One task: the candidates are the same for all measures."""
    return [{"least": 30, "tie_seed": 0}]


def words_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """True positives of every measure at a grid of n, with average precision and its interval."""
    texts, words = _corpus()
    pairs = adjacent_pairs(texts, task["least"])
    gold = is_word(pairs, words)
    scores = ranking.measures(pairs.o11, pairs.o12, pairs.o21, pairs.o22)
    rows = []
    for name in scores:
        curve = ranking.precision_curve(scores[name], gold, rng=task["tie_seed"])
        low, high = curve.average_precision_interval(rng=task["tie_seed"])
        rows.append(
            {
                "measure": name,
                "candidates": gold.size,
                "positives": int(gold.sum()),
                **{f"tp_{n}": int(curve.tp[n - 1]) for n in (100, 200, 500, 1000, 2000, 4000)},
                "average_precision": round(curve.average_precision, 6),
                "low": round(low, 6),
                "high": round(high, 6),
            }
        )
    return rows


def parts_tasks() -> list[dict[str, Any]]:
    """A task for each average size of the acceptance set."""
    return [{"size": size, "least": 4} for size in SIZES]


def parts_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Section 4: accepted candidates and true positives of every part, threshold shared."""
    tables = _part_scores(task["least"])
    rows = []
    for name in tables[0].columns.drop("gold"):
        pooled = np.sort(np.concatenate([table[name] for table in tables]))[::-1]
        gamma = pooled[len(tables) * task["size"] - 1]
        for part, table in enumerate(tables, start=1):
            accepted = table[name] >= gamma
            rows.append(
                {
                    "measure": name,
                    "size": task["size"],
                    "gamma": round(float(gamma), 6),
                    "part": part,
                    "n": int(accepted.sum()),
                    "tp": int(table["gold"][accepted].sum()),
                }
            )
    return rows


def again_tasks() -> list[dict[str, Any]]:
    """A task for each size of the n-best lists."""
    return [{"size": size, "least": 4, "tie_seed": 0} for size in LIST_SIZES]


def again_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Pairs of measures compared at one n on each part."""
    rows = []
    for part, table in enumerate(_part_scores(task["least"]), start=1):
        for a, b in combinations(COMPARED, 2):
            pair = ranking.compare(table[a], table[b], table["gold"], rng=task["tie_seed"])
            i = task["size"] - 1
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "n": task["size"],
                    "part": part,
                    "t1": int(pair.true_only_a[i]),
                    "f1": int(pair.false_only_a[i]),
                    "t2": int(pair.true_only_b[i]),
                    "f2": int(pair.false_only_b[i]),
                    "p_value": float(f"{pair.pvalue[i]:.6g}"),
                }
            )
    return rows


# Error rates


def null_tasks() -> list[dict[str, Any]]:
    """Two rankings that are equally good, on real and on made-up candidates."""
    made_up = [
        {
            "kind": "made up",
            "correlation": correlation,
            "candidates": 2000,
            "repetitions": 200,
            "permutations": 99,
            "block": block,
        }
        for correlation in (0.0, 0.5, 0.9)
        for block in range(5)
    ]
    real = [
        {
            "kind": kind,
            "least": 30,
            "repetitions": 50,
            "permutations": 99,
            "block": block,
        }
        for kind in ("halves", "shuffled halves")
        for block in range(6)
    ]
    return [*made_up, *real]


@cache
def _part_counts(
    least: int, shuffled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """O11, row and column sums of each candidate in each part, totals, and gold."""
    texts, words = _corpus()
    pairs = adjacent_pairs(texts, least)
    gold = is_word(pairs, words)
    if shuffled:
        texts = tuple(texts[i] for i in np.random.default_rng(0).permutation(len(texts)))
    keys = pd.MultiIndex.from_frame(pairs[["first", "second"]])
    o11, rows, columns, totals = [], [], [], []
    for part in contiguous_parts(texts):
        found = adjacent_pairs(texts[part])
        count = found.set_index(["first", "second"])["o11"]
        o11.append(count.reindex(keys, fill_value=0).to_numpy())
        left = found.groupby("first")["o11"].sum()
        right = found.groupby("second")["o11"].sum()
        rows.append(left.reindex(pairs["first"], fill_value=0).to_numpy())
        columns.append(right.reindex(pairs["second"], fill_value=0).to_numpy())
        totals.append(int(count.sum()))
    return np.array(o11), np.array(rows), np.array(columns), np.array(totals), gold


def _halves(
    rng: np.random.Generator, least: int, shuffled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """G² of the same candidates measured on two random halves of the corpus.

    Halves are made of 40 parts each: contiguous ones, or parts of the shuffled lines.
    """
    o11, rows, columns, totals, gold = _part_counts(least, shuffled)
    half = rng.permutation(PARTS) < PARTS // 2
    scores = []
    for chosen in (half, ~half):
        a = o11[chosen].sum(axis=0)
        row, column = rows[chosen].sum(axis=0), columns[chosen].sum(axis=0)
        total = totals[chosen].sum()
        cells = a, row - a, column - a, total - row - column + a
        scores.append(ranking.measures(*cells, only=["g2"])["g2"].to_numpy())
    return scores[0], scores[1], gold


def _made_up(
    rng: np.random.Generator, size: int, correlation: float, share: float = 0.2, lead: float = 1.0
) -> tuple[np.ndarray, ...]:
    """Scores of two equally good rankings: a `share` of the candidates is true, `lead` better."""
    gold = rng.random(size) < share
    score = lead * gold + rng.normal(size=size) * np.sqrt(correlation)
    a, b = (score + np.sqrt(1 - correlation) * rng.normal(size=size) for _ in range(2))
    return a, b, gold.astype(int)


def null_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """How often equal rankings are called different: at one n, at any n, simultaneously."""
    rng = np.random.default_rng(seed)
    fixed = (100, 500, 1000)
    row = {
        "kind": task["kind"],
        "correlation": task.get("correlation", -1.0),
        "repetitions": task["repetitions"],
        **{f"at_{n}": 0 for n in fixed},
        "anywhere": 0,
        "simultaneous": 0,
    }
    for _ in range(task["repetitions"]):
        if task["kind"] != "made up":
            a, b, gold = _halves(rng, task["least"], task["kind"].startswith("shuffled"))
        else:
            a, b, gold = _made_up(rng, task["candidates"], task["correlation"])
        pair = ranking.compare(a, b, gold, rng=rng)
        significant = pair.significant()
        for n in fixed:
            row[f"at_{n}"] += int(significant[n - 1])
        row["anywhere"] += int(significant[99:].any())
        band = pair.between(100).simultaneous(n_resamples=task["permutations"], rng=rng)
        row["simultaneous"] += int((band.pvalue_adjusted <= 0.05).any())
    return [row]


# Claims that are false though a test says so


def claims_tasks() -> list[dict[str, Any]]:
    """Two rankings that are equally good: as regions, from some n on, or in every query."""
    common = {"candidates": 5000, "share": 0.3, "lead": 1.0}
    regions = [
        {**common, "larger": larger, "correlation": correlation}
        for larger in (0.1, 0.2, 0.5)
        for correlation in (0.0, 0.5, 0.9)
    ]
    many = {**common, "candidates": 20_000, "larger": 0.5, "correlation": 0.0}
    regions += [many, {**many, "share": 0.05, "lead": 3.0}]
    longer = [{"shared": shared, "block": block} for shared in (0, 0.5, 0.9) for block in range(4)]
    queries = [{"own": own, "block": block} for own in (0, 0.25, 0.5) for block in range(4)]
    return [
        *({"kind": "regions", "repetitions": 1000, **world} for world in regions),
        *({"kind": "longer lists", "repetitions": 250, **world} for world in longer),
        *({"kind": "queries", "repetitions": 250, **world} for world in queries),
    ]


def claims_counts(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """How often each claim is made, in a world that the other parameters of the task describe."""
    rng, kind = np.random.default_rng(seed), task["kind"]
    made = [CLAIMS[kind](rng, task) for _ in range(task["repetitions"])]
    rest = {k: v for k, v in task.items() if k not in ("kind", "repetitions", "block")}
    world = ", ".join(f"{name} {value:g}" for name, value in rest.items())
    row = {"kind": kind, "world": world, "repetitions": task["repetitions"]}
    return [{**row, "claim": claim, "made": sum(m[claim] for m in made)} for claim in made[0]]


def _regions(rng: np.random.Generator, task: dict[str, Any]) -> dict[str, bool]:
    """A accepts a part of the candidates, B a tenth of them."""
    a, b, gold = _made_up(rng, *(task[k] for k in ("candidates", "correlation", "share", "lead")))
    limits = np.quantile(a, 1 - task["larger"]), np.quantile(b, 0.9)
    found = ranking.compare_regions(a, b, gold, limits)
    significant = bool(found.pvalue <= 0.05)
    smaller = found.true_only[1] * found.false_only[0] > found.true_only[0] * found.false_only[1]
    return {"smaller": significant and smaller, "larger": significant and not smaller}


def _longer_lists(rng: np.random.Generator, task: dict[str, Any]) -> dict[str, bool]:
    """A's best 250 are better than B's, A's next 250 worse: lists longer than that are equal."""
    a = rng.random(2000)
    b = np.where(rng.random(2000) < task["shared"], a, rng.random(2000))
    gold = rng.random(2000) < 0.1 + 0.4 * (a < 0.125) + 0.1 * (a < 0.25) + 0.3 * (b < 0.25)
    found = ranking.compare(-a, -b, gold).between(100).simultaneous(n_resamples=99, rng=rng)
    together = found.pvalue_adjusted <= 0.05
    # From 600 on, since about 500 candidates, not exactly 500, lie above 0.25.
    claims = {"short, all n together": together[:500], "long, all n together": together[599:]}
    claims["long, each n"] = found.significant()[599:]
    return {name: bool(claim.any()) for name, claim in claims.items()}


def _queries(rng: np.random.Generator, task: dict[str, Any]) -> dict[str, bool]:
    """Two retrieval systems; each has queries of its `own` that suit it, or do not."""
    gold = rng.random((30, 100)) < 0.2
    gold[:, 0] = True
    strength = rng.normal(1, 0.4, (30, 1)) + task["own"] * rng.normal(size=(2, 30, 1))
    scores = (strength * gold + rng.normal(size=(2, 30, 100))).reshape(2, -1)
    query, document = np.divmod(np.arange(gold.size), 100)
    table = pd.DataFrame({"query": query, "document": document, "gold": gold.ravel().astype(int)})
    table["a"], table["b"] = scores
    by_query = compare(*(ranking.average_precision_per_query(table, run) for run in "ab"))
    pooled = ranking.compare(*scores, table["gold"].to_numpy())
    band = pooled.between(100).simultaneous(n_resamples=99, rng=rng)
    return {
        "documents, n = 300": bool(pooled.pvalue[299] <= 0.05),
        "documents, all n together": bool((band.pvalue_adjusted <= 0.05).any()),
        "queries, compare": bool(by_query.pvalue <= 0.05),
    }


CLAIMS = {"regions": _regions, "longer lists": _longer_lists, "queries": _queries}

STUDIES = [
    Study(
        "ranking-krenn",
        krenn_tasks,
        krenn_counts,
        seed=2004,
        datasets=("krenn_ppv",),
        title="true positives per n of nine measures on the German PP-verb pairs",
    ),
    Study(
        "ranking-krenn-permutations",
        krenn_permutation_tasks,
        krenn_permutations,
        seed=2004,
        datasets=("krenn_ppv",),
        title="smallest Fisher p-value over n of permuted rankings of the PP-verb pairs",
        columns=("a", "b", "first", "last", "least"),
    ),
    Study(
        "ranking-krenn-ties",
        krenn_ties_tasks,
        krenn_ties,
        seed=2004,
        datasets=("krenn_ppv",),
        title="where Figure 3 ends, by the order of pairs with equal scores",
    ),
    Study(
        "ranking-words",
        words_tasks,
        words_counts,
        seed=2004,
        datasets=("peoples_daily",),
        title="two-character words among adjacent character pairs, all measures",
    ),
    Study(
        "ranking-parts",
        parts_tasks,
        parts_counts,
        seed=2004,
        datasets=("peoples_daily",),
        title="acceptance sets of every measure in 80 contiguous parts of the People's Daily",
        columns=("measure", "size", "gamma", "part", "n", "tp"),
    ),
    Study(
        "ranking-again",
        again_tasks,
        again_counts,
        seed=2004,
        datasets=("peoples_daily",),
        title="pairs of measures compared on each of the 80 parts",
        columns=("a", "b", "n", "part", "t1", "f1", "t2", "f2", "p_value"),
    ),
    Study(
        "ranking-null",
        null_tasks,
        null_counts,
        seed=2004,
        datasets=("peoples_daily",),
        title="how often two equally good rankings are called different",
    ),
    Study(
        "ranking-claims",
        claims_tasks,
        claims_counts,
        seed=2004,
        title="false claims about regions of two sizes, longer lists, and pooled queries",
        columns=("kind", "world", "claim", "repetitions", "made"),
    ),
]
