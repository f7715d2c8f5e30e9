"""Studies of chapter 5: the German PP-verb data, Chinese word discovery, and 80 parts of a corpus.

Only counts and p-values come out of them, no text.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd

from betterthan import _checks, compare, datasets, ranking
from betterthan.datasets import adjacent_pairs
from studies._study import Rows, Seed, Study, Task, grid

# Columns of KrennPPV and what this book calls them.
KRENN = {"g2": "log.like", "x2": "chisq", "x2_yates": "chisq.corr", "t": "t.score"}
KRENN |= {"frequency": "freq", "mi": "MI", "dice": "Dice", "z": "z.score", "fisher": "Fisher"}
KRENN_PAIRS = (("g2", "x2"), ("g2", "t"), ("g2", "frequency"), ("t", "frequency"))
CHURCH = 1.65  # the threshold of Church and others for t, in Evert's footnote 8
PARTS = 80
SIZES = (100, 200, 400)
# The smallest part has 384 candidates: lists longer than 200 would hold more than half of them.
LIST_SIZES = (50, 100, 200)
BOTH = ["first", "second"]  # the characters of a pair
COMPARED = ("g2", "x2", "t", "frequency", "mi")


# German PP-verb pairs


def _krenn() -> tuple[dict[str, np.ndarray], np.ndarray]:
    frame = datasets.krenn_ppv()
    scores = {name: frame[column].to_numpy(float) for name, column in KRENN.items()}
    return scores, frame["is.colloc"].to_numpy(int)


def krenn_counts(task: Task, seed: Seed) -> Rows:
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


def krenn_permutation_tasks() -> list[Task]:
    """The range of the paper's figures, and every n."""
    cases = (("g2", "x2", 100, 2000), ("g2", "x2", 1, 5102), ("g2", "t", 100, 2000))
    cases += (("g2", "frequency", 100, 2000), ("t", "frequency", 100, 2000))
    rest = {"permutations": 1999, "tie_seed": 0}
    return [dict(zip(("a", "b", "first", "last"), case)) | rest for case in cases]


def krenn_permutations(task: Task, seed: Seed) -> Rows:
    """The smallest p-value over all n of every permutation of two rankings."""
    scores, gold = _krenn()
    pair = ranking.compare(scores[task["a"]], scores[task["b"]], gold, rng=task["tie_seed"])
    pair = pair.between(task["first"], task["last"])
    found = pair.simultaneous(n_resamples=task["permutations"], rng=seed)
    known = {name: task[name] for name in ("a", "b", "first", "last")}
    return [{**known, "least": _six(p)} for p in found.least_pvalues]


def _six(pvalue: float) -> float:
    return float(f"{pvalue:.6g}")


def krenn_threshold(task: Task, seed: Seed) -> Rows:
    """What a threshold for t accepts, beside all candidates."""
    scores, gold = _krenn()
    accepted = scores["t"] >= task["threshold"]
    found = {"threshold": task["threshold"], "candidates": gold.size, "true": int(gold.sum())}
    return [found | {"accepted": int(accepted.sum()), "true_accepted": int(gold[accepted].sum())}]


def krenn_ties(task: Task, seed: Seed) -> Rows:
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


def _candidates(texts: tuple[str, ...], least: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Every measure of the adjacent pairs, and which of them are words."""
    pairs = adjacent_pairs(texts, least)
    scores = ranking.measures(pairs.o11, pairs.o12, pairs.o21, pairs.o22)
    return scores, is_word(pairs, _corpus()[1])


@cache
def _part_scores(least: int) -> tuple[pd.DataFrame, ...]:
    """For each part every measure and `gold` of its candidates."""
    texts, _ = _corpus()
    found = (_candidates(texts[part], least) for part in contiguous_parts(texts))
    return tuple(scores.assign(gold=gold) for scores, gold in found)


def words_counts(task: Task, seed: Seed) -> Rows:
    """True positives of every measure at a grid of n, with average precision and its interval."""
    scores, gold = _candidates(_corpus()[0], task["least"])
    rows = []
    for name in scores:
        curve = ranking.precision_curve(scores[name], gold, rng=task["tie_seed"])
        low, high = curve.average_precision_interval(rng=task["tie_seed"])
        row = {"measure": name, "candidates": gold.size, "positives": int(gold.sum())}
        row |= {f"tp_{n}": int(curve.tp[n - 1]) for n in (100, 200, 500, 1000, 2000, 4000)}
        row["average_precision"] = round(curve.average_precision, 6)
        rows.append(row | {"low": round(low, 6), "high": round(high, 6)})
    return rows


def parts_counts(task: Task, seed: Seed) -> Rows:
    """Section 4: accepted candidates and true positives of every part, threshold shared."""
    tables = _part_scores(task["least"])
    rows = []
    for name in tables[0].columns.drop("gold"):
        pooled = np.sort(np.concatenate([table[name] for table in tables]))[::-1]
        gamma = pooled[len(tables) * task["size"] - 1]
        known = {"measure": name, "size": task["size"], "gamma": round(float(gamma), 6)}
        for part, table in enumerate(tables, start=1):
            accepted = table["gold"][table[name] >= gamma]
            rows.append({**known, "part": part, "n": accepted.size, "tp": int(accepted.sum())})
    return rows


def again_counts(task: Task, seed: Seed) -> Rows:
    """Pairs of measures compared at one n on each part."""
    rows, i = [], task["size"] - 1
    for part, table in enumerate(_part_scores(task["least"]), start=1):
        for a, b in combinations(COMPARED, 2):
            pair = ranking.compare(table[a], table[b], table["gold"], rng=task["tie_seed"])
            row = {"a": a, "b": b, "n": task["size"], "part": part}
            row |= {"t1": pair.true_only_a[i], "f1": pair.false_only_a[i]}
            row |= {"t2": pair.true_only_b[i], "f2": pair.false_only_b[i]}
            rows.append({**row, "p_value": _six(pair.pvalue[i])})
    return rows


# Error rates


def null_tasks() -> list[Task]:
    """Two rankings that are equally good, on made-up and on real candidates."""
    count = {"repetitions": [200], "permutations": [99], "block": range(5)}
    made_up = grid(kind=["made up"], correlation=(0.0, 0.5, 0.9), candidates=[2000], **count)
    count |= {"repetitions": [50], "block": range(6)}
    return [*made_up(), *grid(kind=("halves", "shuffled halves"), least=[30], **count)()]


@cache
def _part_counts(least: int, shuffled: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """O11, row and column sums of each candidate in each part; totals of the parts; gold."""
    texts, words = _corpus()
    pairs = adjacent_pairs(texts, least)
    gold = is_word(pairs, words)
    if shuffled:
        texts = tuple(texts[i] for i in np.random.default_rng(0).permutation(len(texts)))
    counts, totals = [], []
    for part in contiguous_parts(texts):
        found = adjacent_pairs(texts[part])
        totals.append(found["o11"].sum())
        # The candidates' sums, in their order: of the pair, of its first and its second character.
        sums = ((key, found.groupby(key)["o11"].sum()) for key in (BOTH, BOTH[0], BOTH[1]))
        counts.append([pairs[BOTH].merge(sum_, "left", on=key)["o11"] for key, sum_ in sums])
    return np.nan_to_num(counts).astype(int), np.array(totals), gold


def _halves(rng: np.random.Generator, least: int, shuffled: bool) -> tuple[np.ndarray, ...]:
    """G² of the same candidates measured on two random halves of the corpus.

    Halves are made of 40 parts each: contiguous ones, or parts of the shuffled lines.
    """
    counts, totals, gold = _part_counts(least, shuffled)
    half = rng.permutation(PARTS) < PARTS // 2
    scores = []
    for chosen in (half, ~half):
        a, row, column = counts[chosen].sum(axis=0)
        cells = a, row - a, column - a, totals[chosen].sum() - row - column + a
        scores.append(ranking.measures(*cells, only=["g2"])["g2"].to_numpy())
    return *scores, gold


def _made_up(
    rng: np.random.Generator, size: int, correlation: float, share: float = 0.2, lead: float = 1.0
) -> tuple[np.ndarray, ...]:
    """Scores of two equally good rankings: a `share` of the candidates is true, `lead` better."""
    gold = rng.random(size) < share
    score = lead * gold + rng.normal(size=size) * np.sqrt(correlation)
    a, b = (score + np.sqrt(1 - correlation) * rng.normal(size=size) for _ in range(2))
    return a, b, gold.astype(int)


def null_counts(task: Task, seed: Seed) -> Rows:
    """How often equal rankings are called different: at one n, at any n, simultaneously."""
    rng, alarms = np.random.default_rng(seed), []
    for _ in range(task["repetitions"]):
        if task["kind"] != "made up":
            a, b, gold = _halves(rng, task["least"], task["kind"].startswith("shuffled"))
        else:
            a, b, gold = _made_up(rng, task["candidates"], task["correlation"])
        pair = ranking.compare(a, b, gold, rng=rng)
        significant = pair.significant()
        band = pair.between(100).simultaneous(n_resamples=task["permutations"], rng=rng)
        alarms.append({f"at_{n}": significant[n - 1] for n in (100, 500, 1000)})
        alarms[-1]["anywhere"] = significant[99:].any()
        alarms[-1]["simultaneous"] = (band.pvalue_adjusted <= 0.05).any()
    row = {"kind": task["kind"], "correlation": task.get("correlation", -1.0)}
    row["repetitions"] = task["repetitions"]
    return [row | {what: int(sum(one[what] for one in alarms)) for what in alarms[0]}]


# Claims that are false though a test says so


def claims_tasks() -> list[Task]:
    """Two rankings that are equally good: as regions, from some n on, or in every query."""
    common = {"candidates": 5000, "share": 0.3, "lead": 1.0}
    regions = [common | w for w in grid(larger=(0.1, 0.2, 0.5), correlation=(0.0, 0.5, 0.9))()]
    many = {**common, "candidates": 20_000, "larger": 0.5, "correlation": 0.0}
    regions += [many, {**many, "share": 0.05, "lead": 3.0}]
    longer = grid(shared=(0, 0.5, 0.9), block=range(4))()
    queries = grid(own=(0, 0.25, 0.5), block=range(4))()
    return [
        *({"kind": "regions", "repetitions": 1000, **world} for world in regions),
        *({"kind": "longer lists", "repetitions": 250, **world} for world in longer),
        *({"kind": "queries", "repetitions": 250, **world} for world in queries),
    ]


def claims_counts(task: Task, seed: Seed) -> Rows:
    """How often each claim is made, in a world that the other parameters of the task describe."""
    rng, kind, n = np.random.default_rng(seed), task["kind"], task["repetitions"]
    made = [CLAIMS[kind](rng, task) for _ in range(n)]
    rest = {k: v for k, v in task.items() if k not in ("kind", "repetitions", "block")}
    row = {"kind": kind, "world": ", ".join(f"{name} {value:g}" for name, value in rest.items())}
    times = {claim: sum(one[claim] for one in made) for claim in made[0]}
    return [{**row, "claim": claim, "repetitions": n, "made": k} for claim, k in times.items()]


def _regions(rng: np.random.Generator, task: Task) -> dict[str, bool]:
    """A accepts a part of the candidates, B a tenth of them."""
    a, b, gold = _made_up(rng, *(task[k] for k in ("candidates", "correlation", "share", "lead")))
    limits = np.quantile(a, 1 - task["larger"]), np.quantile(b, 0.9)
    found = ranking.compare_regions(a, b, gold, limits)
    significant = bool(found.pvalue <= 0.05)
    smaller = found.true_only[1] * found.false_only[0] > found.true_only[0] * found.false_only[1]
    return {"smaller": significant and smaller, "larger": significant and not smaller}


def _longer_lists(rng: np.random.Generator, task: Task) -> dict[str, bool]:
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


def _queries(rng: np.random.Generator, task: Task) -> dict[str, bool]:
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

KRENN_TIES = [{"baselines": ["x2", "x2_yates"], "seeds": 40}]  # the X² of the paper may be either
# `tie_seed` puts equal scores into one order for all measures; `size` is that of the acceptance set
# on average, or of the n-best lists.
STUDIES = [
    Study(f"ranking-{name}", tasks, run, 2004, (data,) if data else (), title)
    for name, tasks, run, data, title in (
        (
            "krenn",
            grid(tie_seed=[0]),
            krenn_counts,
            "krenn_ppv",
            "true positives per n of nine measures on the German PP-verb pairs",
        ),
        (
            "krenn-permutations",
            krenn_permutation_tasks,
            krenn_permutations,
            "krenn_ppv",
            "smallest Fisher p-value over n of permuted rankings of the PP-verb pairs",
        ),
        (
            "krenn-threshold",
            grid(threshold=[CHURCH, 3.0, 5.0]),
            krenn_threshold,
            "krenn_ppv",
            "how many PP-verb pairs pass Church's threshold for t, and higher ones",
        ),
        (
            "krenn-ties",
            partial(list, KRENN_TIES),
            krenn_ties,
            "krenn_ppv",
            "where Figure 3 ends, by the order of pairs with equal scores",
        ),
        (
            "words",
            grid(least=[30], tie_seed=[0]),
            words_counts,
            "peoples_daily",
            "two-character words among adjacent character pairs, all measures",
        ),
        (
            "parts",
            grid(size=SIZES, least=[4]),
            parts_counts,
            "peoples_daily",
            "acceptance sets of every measure in 80 contiguous parts of the People's Daily",
        ),
        (
            "again",
            grid(size=LIST_SIZES, least=[4], tie_seed=[0]),
            again_counts,
            "peoples_daily",
            "pairs of measures compared on each of the 80 parts",
        ),
        (
            "null",
            null_tasks,
            null_counts,
            "peoples_daily",
            "how often two equally good rankings are called different",
        ),
        (
            "claims",
            claims_tasks,
            claims_counts,
            "",
            "false claims about regions of two sizes, longer lists, and pooled queries",
        ),
    )
]
