"""Studies of chapter 4: how hard words are, and who handles the hard ones.

A committee of a hundred weak segmenters, trained on samples of the first nine tenths of the
People's Daily of January 1998, grades three texts: the last tenth (*daily*) and the SIGHAN 2005
test texts of Peking University (*pku*) and Microsoft Research (*msr*). Digits and Latin letters
are made half-width everywhere, because the corpora differ in this. Systems are trained on the
same nine tenths, never on the text they are scored on. What a tagger learns hangs on the order of
its training sentences, so each is trained several times, on its own sample where it gets a part.

The studies share the committee and the systems within one process, so run them together:
``python -m studies psychometrics-tenths psychometrics-systems …``
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from betterthan import compare, datasets, psychometrics, score
from betterthan.counts import labels_to_words, to_spans, words_to_labels
from betterthan.psychometrics import BalancedScores, balanced_f
from betterthan.taggers import CRF, Committee, segmentation_features
from studies._study import Rows, Seed, Study, Task, grid

CORPORA = ("daily", "pku", "msr")
SIZE = 100
ENTITY_SIZE = 50
COMMITTEE_SEED = 2016
TRAINING = (20, 50, 80, 100)  # percent, the rows of the paper's Table 2
RUNS = 4
CRF_RUNS = 3  # each takes as long as ten others
LINES = 25  # a run of so many consecutive lines is taken to hang together
POOL = (6, 100)  # committees and members of each, trained on the chapter's 6,000 sentences

Words = list[list[str]]


class Graded(NamedTuple):
    """A text with the committee's marks, one row per member, and the difficulties."""

    gold: Words
    marks: np.ndarray
    difficulty: list[np.ndarray]


@lru_cache(maxsize=1)
def _split() -> tuple[list[Any], list[Any]]:
    sentences = [s for s in datasets.peoples_daily() if s.words]
    cut = round(0.9 * len(sentences))
    return sentences[:cut], sentences[cut:]


@lru_cache(maxsize=1)
def _training() -> Words:
    return [psychometrics.half_width(s.words) for s in _split()[0]]


@lru_cache(maxsize=3)
def _gold(corpus: str) -> Words:
    if corpus == "daily":
        return [psychometrics.half_width(s.words) for s in _split()[1]]
    return [psychometrics.half_width(words) for words in datasets.sighan2005(corpus) if words]


@lru_cache(maxsize=1)
def _committee() -> Committee:
    return Committee(size=SIZE, rng=COMMITTEE_SEED).fit(_training())


@lru_cache(maxsize=3)
def _graded(corpus: str) -> Graded:
    gold = _gold(corpus)
    marks = _committee().marks(gold)
    return Graded(gold, marks, _by_sentence(gold, 1.0 - marks.mean(axis=0)))


def _by_sentence(gold: Words, flat: np.ndarray) -> list[np.ndarray]:
    return np.split(flat, np.cumsum([len(words) for words in gold])[:-1])


def _known() -> set[str]:
    return {word for sentence in _training() for word in sentence}


def tenths(task: Task, seed: Seed) -> Rows:
    """Words by tenth of difficulty: all, idioms, disyllabic words, words never seen (Figure 2)."""
    graded = _graded(task["corpus"])
    d, words = np.concatenate(graded.difficulty), [w for s in graded.gold for w in s]
    if task["corpus"] == "daily":
        idiom = [tag == "i" for s in _split()[1] for tag in s.tags]
    else:
        # SIGHAN has no parts of speech: an idiom is what the People's Daily tags as one.
        daily = (zip(psychometrics.half_width(s.words), s.tags) for s in datasets.peoples_daily())
        tagged = {word for sentence in daily for word, tag in sentence if tag == "i"}
        idiom = [word in tagged for word in words]
    han = [len(w) == 2 and all("\u4e00" <= c <= "\u9fff" for c in w) for w in words]
    groups = {"all": [True] * len(words), "idiom": idiom, "disyllabic": han}
    known = _known()
    groups["oov"] = [word not in known for word in words]
    if task["corpus"] == "pku":
        listed = set(psychometrics.half_width(datasets.sighan2005_words()))
        groups["oov_sighan"] = [word not in listed for word in words]
    tenth, rows = psychometrics.bin_of(d), []
    for group, member in groups.items():
        mask = np.array(member)
        counts = np.bincount(tenth[mask], minlength=10)
        sums = np.bincount(tenth[mask], weights=d[mask], minlength=10).round(4)
        for t, (n, total) in enumerate(zip(counts, sums)):
            row = {**task, "group": group, "tenth": t}
            rows.append({**row, "words": n, "difficulty_sum": total})
    return rows


def stability(task: Task, seed: Seed) -> Rows:
    """Agreement of two committees of the same size that share nobody."""
    sizes, rng = [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50], int(seed.generate_state(1)[0])
    curve = psychometrics.stability(_graded(task["corpus"]).marks, sizes, repeats=20, rng=rng)
    rows = curve.round(6).to_dict("records")
    return [{**task, **row, "size": int(row["size"])} for row in rows]


def paths(task: Task, seed: Seed) -> Rows:
    """Difficulty of sampled words, two from each tenth, as the committee grows (Figure 1)."""
    wrong = 1 - _graded(task["corpus"]).marks
    tenth = psychometrics.bin_of(wrong.mean(axis=0))
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(np.flatnonzero(tenth == t), 2, replace=False) for t in range(10)]
    return [
        {**task, "word": word, "size": size, "difficulty": wrong[:size, word].mean().round(4)}
        for word in np.concatenate(drawn)
        for size in range(5, SIZE + 1, 5)
    ]


# Systems


def maximum_matching(words: set[str], longest: int, text: str) -> list[str]:
    """Cut `text` from the left at the longest known word, or after one unknown character."""
    cut, at = [], 0
    while at < len(text):
        for size in range(min(longest, len(text) - at), 0, -1):
            if size == 1 or text[at : at + size] in words:
                cut.append(text[at : at + size])
                at += size
                break
    return cut


def _sample(percent: int, repeat: int) -> Words:
    training = _training()
    if percent == 100:
        return training
    rng = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(percent, repeat)))
    chosen = np.sort(rng.choice(len(training), round(percent / 100 * len(training)), replace=False))
    return [training[i] for i in chosen]


@cache
def _cut(template: str, algorithm: str, percent: int, run: int) -> dict[str, list[str]]:
    """Each text as a tagger cuts it, a line per sentence: words as lists would fill the memory."""
    seed = 10_000 + 100 * percent + run
    tagger = Committee(1, templates=(template,), samples=(1.0,), algorithm=algorithm, rng=seed)
    tagger.fit(_sample(percent, run))
    return {c: [" ".join(words) for words in tagger.predict(_gold(c))[0]] for c in CORPORA}


def _tagged(template: str, algorithm: str, percent: int, run: int, corpus: str) -> Words:
    return [line.split(" ") for line in _cut(template, algorithm, percent, run)[corpus]]


def _texts(corpus: str) -> list[str]:
    return ["".join(words) for words in _gold(corpus)]


def _features(texts: Iterable[str]) -> Iterator[list[list[str]]]:
    return (segmentation_features(text, "F2") for text in texts)


@lru_cache(maxsize=CRF_RUNS)
def _crf(run: int) -> CRF:
    """A CRF with F2 on a fifth of the training part (L-BFGS, 50 iterations)."""
    train = _sample(20, run)
    labels = [words_to_labels(words) for words in train]
    return CRF(c2=1.0, max_iterations=50).fit(_features(map("".join, train)), labels)


def _crf_words(corpus: str, run: int) -> Words:
    labels = _crf(run).predict(_features(_texts(corpus)))
    return [list(labels_to_words(text, cut)) for text, cut in zip(_texts(corpus), labels)]


def _jieba_words(corpus: str, hmm: bool, counts: dict[str, int] | None = None) -> Words:
    """The words that jieba finds with its own dictionary, or with these words and counts."""
    import jieba

    jieba.setLogLevel("WARNING")
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = jieba.Tokenizer()
        if counts is not None:
            path = Path(folder, "words.txt")
            path.write_text("".join(f"{w} {n}\n" for w, n in counts.items()), encoding="utf-8")
            tokenizer = jieba.Tokenizer(str(path))
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return [list(tokenizer.cut(text, HMM=hmm)) for text in _texts(corpus)]


def _matching_words(corpus: str) -> Words:
    known = _known()
    longest = max(map(len, known))
    return [maximum_matching(known, longest, text) for text in _texts(corpus)]


@lru_cache(maxsize=3)
def _outputs(corpus: str) -> dict[str, list[Words]]:
    """What each run of each system that may be scored on `corpus` makes of it, by name."""
    counts = Counter(word for sentence in _training() for word in sentence)
    found = {
        "maximum matching": [_matching_words(corpus)],
        # jieba's algorithm with the words and counts of the training part, without its HMM
        "word counts (jieba's search)": [_jieba_words(corpus, False, counts)],
        "CRF F2, 20 %": [_crf_words(corpus, run) for run in range(CRF_RUNS)],
    }
    taggers = {"perceptron F1, 20 %": ("F1", "perceptron", 20)}
    taggers |= {f"AROW F2, {percent} %": ("F2", "arow", percent) for percent in TRAINING}
    taggers["AROW F3, 100 %"] = ("F3", "arow", 100)
    for name, tagger in taggers.items():
        found[name] = [_tagged(*tagger, run, corpus) for run in range(RUNS)]
    if corpus == "pku":
        # jieba does not list the texts behind its counts; users trace them to the People's Daily
        # of 1998 and other annotated corpora (fxsjy/jieba, issues 7 and 896), so it may have
        # seen the other two texts.
        found["jieba"] = [_jieba_words(corpus, True)]
        found["jieba without HMM"] = [_jieba_words(corpus, False)]
    return found


def plain_f(sums: Any) -> Any:
    """F1 of the sums of `sentence_sums`."""
    return BalancedScores.from_sums(sums).f1


def _gap(sums: Any) -> Any:
    """f_b of the second six columns minus that of the first."""
    return balanced_f(sums[..., 6:]) - balanced_f(sums[..., :6])


METRICS = {"f1": plain_f, "f_b": balanced_f}


def systems(task: Task, seed: Seed) -> Rows:
    """All scores of every system, with intervals of f1 and f_b over sentences and runs.

    The standard errors `…_lines_se` take consecutive lines as one unit, `f_b_committee_se` the
    members of the committee.
    """
    graded = _graded(task["corpus"])
    groups = np.arange(len(graded.gold)) // LINES
    rows = []
    for name, runs in _outputs(task["corpus"]).items():
        row = {**task, "system": name, **_scored(graded, runs)}
        sums = _sums(graded, runs)
        for which, metric in METRICS.items():
            error = score(sums, metric=metric, groups=groups).standard_error
            row[f"{which}_lines_se"] = round(error, 6)
        error = score(_by_member(graded, runs), metric=balanced_f).standard_error
        rows.append({**row, "f_b_committee_se": round(error, 6)})
    return rows


def _sums(graded: Graded, runs: list[Any], **options: Any) -> list[np.ndarray]:
    gold, _, d = graded
    return [psychometrics.sentence_sums(gold, run, d, **options) for run in runs]


def _scored(graded: Graded, runs: list[Any], **options: Any) -> dict[str, Any]:
    """Mean scores of the runs under the paper's letters, with intervals of f1 and f_b."""
    gold, _, d = graded
    found = [asdict(psychometrics.balanced_scores(gold, r, d, **options)) for r in runs]
    row = _mean(found) | {"runs": len(runs), "sentences": len(gold)}
    row["gold_words"] = sum(map(len, gold))
    sums = _sums(graded, runs, **options)
    for which, metric in METRICS.items():
        result = score(sums, metric=metric)
        ends = {**result.interval._asdict(), "se": result.standard_error}
        row |= {f"{which}_{end}": round(value, 6) for end, value in ends.items()}
        values = [scores[which] for scores in found]
        row[f"{which}_run_sd"] = round(float(np.std(values, ddof=1)), 6) if values[1:] else None
    return row


def _mean(found: list[dict[str, float]]) -> dict[str, Any]:
    short = {"precision": "p", "recall": "r"}
    means = {name: np.mean([scores[name] for scores in found]) for name in found[0]}
    return {short.get(name, name): round(float(mean), 6) for name, mean in means.items()}


def _by_member(graded: Graded, runs: list[Words]) -> np.ndarray:
    """The six sums, one row per member, as if it were the whole committee; means over the runs.

    All sums are linear in the difficulties, so these rows are to the committee what the rows of
    `sentence_sums` are to the text, and `score` and `compare` resample members instead.
    """
    return np.mean([_member_sums(graded.gold, run, graded.marks).sum(axis=1) for run in runs], 0)


def _member_sums(gold: Words, words: Words, marks: np.ndarray) -> np.ndarray:
    """`sentence_sums` with each member as a committee of one: members × sentences × six."""
    right = np.concatenate(psychometrics.marks(gold, words))
    ends, mine = (np.cumsum([len(w) for s in text for w in s]) for text in (gold, words))
    borrowed = np.bincount(np.searchsorted(ends, mine), minlength=ends.size)
    starts = np.cumsum([0, *map(len, gold[:-1])])
    sums = [np.add.reduceat((1.0 - marks) * v, starts, axis=1) for v in (1, right, borrowed)]
    counts = [[*map(len, gold)], [*map(len, words)], np.add.reduceat(right, starts, dtype=float)]
    return np.stack([*np.broadcast_arrays(*counts, sums[0])[:3], *sums], axis=-1)


def accuracy(task: Task, seed: Seed) -> Rows:
    """Words found by each system, by tenth of difficulty (Figure 4); the mean of its runs."""
    gold, _, d = _graded(task["corpus"])
    rows = []
    for name, runs in _outputs(task["corpus"]).items():
        table = psychometrics.accuracy_by_difficulty(gold, dict(enumerate(runs)), d)
        found = table["words"] * table.drop(columns="words").mean(axis=1).fillna(0)
        for t, (words, hits) in enumerate(zip(table["words"], found)):
            row = {"tenth": t, "words": int(words), "found": round(float(hits), 2)}
            rows.append({**task, "system": name, **row})
    return rows


def tests(task: Task, seed: Seed) -> Rows:
    """Paired comparisons: neighbours in the ranking by F1, and taggers on little and on all text.

    A is the lower one and the baseline, B the upper one and the candidate.
    """
    graded = _graded(task["corpus"])
    outputs = _outputs(task["corpus"])
    sums = {name: _sums(graded, runs) for name, runs in outputs.items()}
    members = {name: _by_member(graded, runs) for name, runs in outputs.items()}
    f1 = {name: np.mean([plain_f(s.sum(axis=0)) for s in runs]) for name, runs in sums.items()}
    pairs = [*itertools.pairwise(sorted(f1, key=f1.get)), ("AROW F2, 20 %", "AROW F2, 100 %")]
    most = max(map(len, sums.values()))
    rows = []
    for (which, metric), (a, b) in itertools.product(METRICS.items(), pairs):
        # What has no luck in training is the same in every run.
        runs = [sums[name] * most if len(sums[name]) == 1 else sums[name] for name in (a, b)]
        found = compare(*runs, metric=metric)
        row = {"difference": found.difference, **found.interval._asdict(), "pvalue": found.pvalue}
        row["se"] = found.standard_error
        if which == "f_b":
            both = np.hstack([members[a], members[b]])
            row["committee_se"] = score(both, metric=_gap).standard_error
        row = {name: float(f"{value:.6g}") for name, value in row.items()}
        rows.append({**task, "score": which, "a": a, "b": b, **row})
    return rows


def training_size(task: Task, seed: Seed) -> Rows:
    """F2 taggers on 20, 50, 80 and 100 % of the training part, several samples each (Table 2)."""
    gold, _, d = _graded(task["corpus"])
    rows = []
    for percent, run in itertools.product(TRAINING, range(RUNS)):
        words = _tagged("F2", "arow", percent, run, task["corpus"])
        scores = asdict(psychometrics.balanced_scores(gold, words, d))
        rows.append({**task, "percent": percent, "run": run, **_mean([scores])})
    return rows


def halves(task: Task, seed: Seed) -> Rows:
    """f1 and f_b of many models on two random halves of the text (Figure 6), twenty splits."""
    corpus = task["corpus"]
    models = {f"AROW F2, {p} %, {r}": ("F2", "arow", p, r) for p in TRAINING for r in range(RUNS)}
    models |= {f"AROW {t}, {p} %": (t, "arow", p, 0) for t in ("F1", "F3") for p in TRAINING}
    words = {name: _tagged(*model, corpus) for name, model in models.items()}
    others = _outputs(corpus).items()
    words |= {name: runs[0] for name, runs in others if not name.startswith("AROW")}
    sums = dict(zip(words, _sums(_graded(corpus), words.values())))
    rng, rows = np.random.default_rng(seed), []
    for split in range(20):
        order = rng.permutation(len(_gold(corpus)))
        both = np.split(order, [len(order) // 2])
        for name, table in sums.items():
            row = {**task, "split": split, "model": name}
            for which, metric in METRICS.items():
                for n, half in enumerate(both, 1):
                    row[f"{which}_{n}"] = round(metric(table[half].sum(axis=0)), 6)
            rows.append(row)
    return rows


def variants(task: Task, seed: Seed) -> Rows:
    """f_b under other choices: d′ as a mean, half the committee, Rasch instead of error rates."""
    graded = _graded(task["corpus"])
    gold, marks, d = graded
    choices = {
        "as published": (d, "last"),
        "d' as a mean": (d, "mean"),
        "members 1-50": (_by_sentence(gold, 1 - marks[: SIZE // 2].mean(axis=0)), "last"),
        "members 51-100": (_by_sentence(gold, 1 - marks[SIZE // 2 :].mean(axis=0)), "last"),
        "Rasch": (_by_sentence(gold, psychometrics.rasch(marks).difficulty), "last"),
    }
    rows = []
    for (name, runs), variant in itertools.product(_outputs(task["corpus"]).items(), choices):
        d, covering = choices[variant]
        sums = _sums(graded._replace(difficulty=d), runs, covering=covering)
        f_b = round(float(np.mean([balanced_f(one.sum(axis=0)) for one in sums])), 6)
        rows.append({**task, "system": name, "variant": variant, "f_b": f_b})
    return rows


def rasch_scale(task: Task, seed: Seed) -> Rows:
    """Raw error rate and Rasch difficulty, one row for each number of members that fail."""
    marks = _graded(task["corpus"]).marks
    model = psychometrics.rasch(marks)
    columns = {"rasch": model.difficulty, "logit": model.logit}
    columns["standard_error"] = model.standard_error
    counts, first, words = np.unique((1 - marks).sum(axis=0), return_index=True, return_counts=True)
    return [
        {**task, "wrong": int(count), "words": n, "raw": count / SIZE}
        | {name: values[i].round(6) for name, values in columns.items()}
        for count, i, n in zip(counts, first, words)
    ]


def members(task: Task, seed: Seed) -> Rows:
    """Each member's template, sample, share of words found and ability."""
    marks, rows = _graded(task["corpus"]).marks, []
    for k, ability in enumerate(psychometrics.rasch(marks).ability):
        row = {name: _committee().members_[name][k] for name in ("template", "sample")}
        row |= {"words": marks.shape[1], "found": int(marks[k].sum())}
        rows.append({**task, "member": k, **row, "ability": round(float(ability), 6)})
    return rows


# Another committee


@lru_cache(maxsize=1)
def _live() -> dict[str, tuple[np.ndarray, Any]]:
    """Sums of two systems by member (600) and sentence of the chapter's cells, and their metric.

    The systems are those of the chapter: F2 on a fifth of 6,000 sentences, and on all of them.
    """
    sentences = [psychometrics.half_width(s.words) for s in datasets.peoples_daily() if s.words]
    train, test = sentences[:6000], sentences[-600:]
    batches, size = POOL
    pool = (Committee(size, rng=COMMITTEE_SEED + batch).fit(train) for batch in range(batches))
    marks = np.concatenate([committee.marks(test) for committee in pool])
    systems = (Committee(1, rng=99, templates=("F2",), samples=(share,)) for share in (0.2, 1.0))
    cut = (system.fit(train).predict(test)[0] for system in systems)
    small, large = (_member_sums(test, words, marks) for words in cut)
    both = np.concatenate([small, large], axis=-1)
    return {"small": (small, balanced_f), "large": (large, balanced_f), "difference": (both, _gap)}


def committees(task: Task, seed: Seed) -> Rows:
    """f_b of two systems before committees of one size that share nobody, with standard errors."""
    size, rows = task["size"], []
    for k in range(POOL[0] * POOL[1] // size):
        row = {"size": size, "committee": k}
        for what, (sums, metric) in _live().items():
            table = sums[k * size : (k + 1) * size]
            row[what] = round(float(metric(table.sum(axis=(0, 1)))), 6)
            for unit, axis in (("members", 1), ("sentences", 0)):
                found = score(table.mean(axis=axis), metric=metric)
                row[f"{what}_{unit}_se"] = round(found.standard_error, 6)
        rows.append(row)
    return rows


def coverage(task: Task, seed: Seed) -> Rows:
    """How often 95 % intervals of f_b hold the truth when both members and sentences are drawn.

    The truth is what all 600 members and all 600 sentences say.
    """
    rng, rows = np.random.default_rng(seed), []
    for what, case in {"level": "large", "difference": "difference"}.items():
        table, metric = _live()[case]
        everybody, n, _ = table.shape
        truth, covered = metric(table.sum(axis=(0, 1))), Counter()
        for _ in range(task["samples"]):
            drawn = table[rng.integers(0, everybody, task["size"])][:, rng.integers(0, n, n)]
            away = abs(metric(drawn.sum(axis=(0, 1))) - truth)
            found = [score(drawn.mean(axis=axis), metric=metric) for axis in (1, 0)]
            parts = {"members": [found[0]], "sentences": [found[1]], "both": found}
            for unit, errors in parts.items():
                variance = sum(e.standard_error**2 for e in errors)  # degrees by Satterthwaite
                doubt = sum(e.standard_error**4 / e.degrees_of_freedom for e in errors)
                reach = stats.t.ppf(0.975, variance**2 / doubt) * variance**0.5
                covered[unit] += int(away <= reach)
        rows += [{"what": what, **task, "drawn": u, "covered": c} for u, c in covered.items()]
    return rows


# Entities


@lru_cache(maxsize=1)
def _entities() -> tuple[Graded, dict[str, list[Any]], list[list[Any]]]:
    """WNUT-2017 test entities graded by a committee, the seven systems' spans, the members'."""
    corpus = datasets.wnut2017()
    # A corpus of 62,000 tokens needs larger samples than one of a million words.
    committee = Committee(
        size=ENTITY_SIZE, rng=COMMITTEE_SEED, task="spans", samples=(0.3, 0.6, 0.9)
    ).fit(corpus["train"])
    test = corpus["test"]
    gold = [to_spans(s.tags) for s in test]
    predicted = committee.predict(test)
    marks = np.stack([np.concatenate(psychometrics.marks(gold, m)) for m in predicted])
    systems = {
        name: [to_spans(labels) for labels in output]
        for name, output in datasets.wnut2017_systems().items()
    }
    graded = Graded(gold, marks, _by_sentence(gold, 1.0 - marks.mean(axis=0)))
    return graded, systems, predicted


def entity_systems(task: Task, seed: Seed) -> Rows:
    """The seven WNUT-2017 systems by F1 and f_b, under three rules that are the same for all."""
    graded, outputs, predicted = _entities()
    seven = psychometrics.difficulty(graded.gold, outputs.values())
    rules = {
        "committee, spurious mean": (graded, "mean"),
        "committee, spurious by committee": (graded, predicted),
        "the seven systems, spurious mean": (graded._replace(difficulty=seven), "mean"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", psychometrics.UndefinedMetricWarning)
        return [
            {"system": name, "rule": rule, **_scored(source, [spans], spurious=spurious)}
            for name, spans in outputs.items()
            for rule, (source, spurious) in rules.items()
        ]


def entity_accuracy(task: Task, seed: Seed) -> Rows:
    """Entities found by each system, by tenth of difficulty."""
    graded, outputs, _ = _entities()
    table = psychometrics.accuracy_by_difficulty(graded.gold, outputs, graded.difficulty)
    return [
        {"system": name, "tenth": t, "entities": n, "found": round(np.nan_to_num(share) * n)}
        for name in outputs
        for t, (share, n) in enumerate(zip(table[name], table["words"]))
    ]


_ALL = ("peoples_daily", "sighan2005", "sighan2005_words")
_WNUT = ("wnut2017", "wnut2017_systems")
_BY_CORPUS, _BY_SIZE = grid(corpus=CORPORA), grid(size=(10, 30, 50, 100))
_DRAWS = grid(size=(10, 30, 100), samples=[400])


def _study(name: str, run: Any, title: str, tasks: Any = _BY_CORPUS, data: Any = _ALL) -> Study:
    return Study(f"psychometrics-{name}", tasks, run, 2016, data, title)


def _entity_study(name: str, run: Any, title: str) -> Study:
    tasks = grid(corpus=["wnut2017"])
    return Study(f"psychometrics-{name}", tasks, run, 2017, _WNUT, title)


STUDIES = [
    _study("tenths", tenths, "words by tenth of difficulty, by kind of word"),
    _study("stability", stability, "agreement of committees that share nobody, by size"),
    _study("paths", paths, "difficulty of sampled words as the committee grows"),
    _study("members", members, "members of the committee: words found, ability"),
    _study("rasch", rasch_scale, "raw error rate and Rasch difficulty"),
    _study("systems", systems, "segmenters by F1 and balanced F, with intervals"),
    _study("accuracy", accuracy, "words found by tenth of difficulty"),
    _study("tests", tests, "paired tests of neighbours in the ranking"),
    _study("training", training_size, "taggers on 20 to 100 % of the training text"),
    _study("halves", halves, "models on parallel halves of the text"),
    _study("variants", variants, "balanced F under other choices"),
    _study(
        "committees",
        committees,
        "balanced F before many committees of one size",
        _BY_SIZE,
        _ALL[:1],
    ),
    _study(
        "coverage",
        coverage,
        "do intervals of balanced F hold before another committee?",
        _DRAWS,
        _ALL[:1],
    ),
    _entity_study("entities", entity_systems, "the seven WNUT-2017 systems by F1 and balanced F"),
    _entity_study("entity-accuracy", entity_accuracy, "entities found by tenth of difficulty"),
]
