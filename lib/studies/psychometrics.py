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
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from betterthan import compare, datasets, psychometrics, score
from betterthan.counts import labels_to_words, to_spans, words_to_labels
from betterthan.psychometrics import BalancedScores, balanced_f
from betterthan.taggers import Committee, segmentation_features
from studies._study import Study

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


def by_corpus() -> list[dict[str, Any]]:
    """One task per text."""
    return [{"corpus": corpus} for corpus in CORPORA]


def tenths(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Words by tenth of difficulty: all, idioms, disyllabic words, words never seen (Figure 2)."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    d = np.concatenate(graded.difficulty)
    words = [word for sentence in graded.gold for word in sentence]
    known = {word for sentence in _training() for word in sentence}
    if corpus == "daily":
        idiom = np.array([tag == "i" for s in _split()[1] for tag in s.tags])
    else:
        # SIGHAN has no parts of speech: an idiom is what the People's Daily tags as one.
        tagged = {
            word
            for s in datasets.peoples_daily()
            for word, tag in zip(psychometrics.half_width(s.words), s.tags)
            if tag == "i"
        }
        idiom = np.array([word in tagged for word in words])
    han = np.array([len(w) == 2 and all("\u4e00" <= c <= "\u9fff" for c in w) for w in words])
    groups = {
        "all": np.ones(len(words), bool),
        "idiom": idiom,
        "disyllabic": han,
        "oov": np.array([word not in known for word in words]),
    }
    if corpus == "pku":
        listed = {psychometrics.half_width([w])[0] for w in datasets.sighan2005_words()}
        groups["oov_sighan"] = np.array([word not in listed for word in words])
    tenth = psychometrics.bin_of(d)
    rows = []
    for group, mask in groups.items():
        counts = np.bincount(tenth[mask], minlength=10)
        sums = np.bincount(tenth[mask], weights=d[mask], minlength=10)
        rows += [
            {
                "corpus": corpus,
                "group": group,
                "tenth": t,
                "words": int(counts[t]),
                "difficulty_sum": round(float(sums[t]), 4),
            }
            for t in range(10)
        ]
    return rows


def stability(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Agreement of two committees of the same size that share nobody."""
    graded = _graded(task["corpus"])
    sizes = [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50]
    curve = psychometrics.stability(graded.marks, sizes, repeats=20, rng=_number(seed))
    rows = curve.round(6).to_dict("records")
    return [{"corpus": task["corpus"], **row, "size": int(row["size"])} for row in rows]


def paths(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Difficulty of sampled words, two from each tenth, as the committee grows (Figure 1)."""
    graded = _graded(task["corpus"])
    wrong = 1 - graded.marks
    tenth = psychometrics.bin_of(wrong.mean(axis=0))
    rng = np.random.default_rng(seed)
    rows = []
    for t in range(10):
        for word in rng.choice(np.flatnonzero(tenth == t), 2, replace=False):
            running = np.cumsum(wrong[:, word]) / np.arange(1, SIZE + 1)
            rows += [
                {
                    "corpus": task["corpus"],
                    "word": int(word),
                    "size": size,
                    "difficulty": round(float(running[size - 1]), 4),
                }
                for size in range(5, SIZE + 1, 5)
            ]
    return rows


def _number(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0])


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


@lru_cache(maxsize=CRF_RUNS)
def _crf(run: int) -> tuple[Any, bytes]:
    """python-crfsuite with F2 on a fifth of the training part (L-BFGS, 50 iterations)."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer("lbfgs", {"c1": 0.0, "c2": 1.0, "max_iterations": 50}, False)
    for words in _sample(20, run):
        trainer.append(segmentation_features("".join(words), "F2"), words_to_labels(words))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        model = Path(path).read_bytes()
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return tagger, model  # the tagger reads the bytes in place and does not keep them alive


def _crf_words(corpus: str, run: int) -> Words:
    tagger, _ = _crf(run)
    cut = []
    for words in _gold(corpus):
        text = "".join(words)
        labels = tagger.tag(segmentation_features(text, "F2"))
        cut.append(list(labels_to_words(text, labels)))
    return cut


def _counted_words(corpus: str) -> Words:
    """jieba's algorithm with the words and counts of the training part, without its HMM."""
    counts = Counter(word for sentence in _training() for word in sentence)
    return _jieba_words(corpus, False, "".join(f"{w} {n}\n" for w, n in counts.items()))


def _jieba_words(corpus: str, hmm: bool, dictionary: str | None = None) -> Words:
    """The words that jieba finds with its own dictionary, or with lines of a word and a count."""
    import jieba

    jieba.setLogLevel("WARNING")
    with tempfile.TemporaryDirectory() as folder:
        if dictionary is None:
            tokenizer = jieba.Tokenizer()
        else:
            path = Path(folder, "words.txt")
            path.write_text(dictionary, encoding="utf-8")
            tokenizer = jieba.Tokenizer(str(path))
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return [list(tokenizer.cut("".join(words), HMM=hmm)) for words in _gold(corpus)]


def _matching_words(corpus: str) -> Words:
    known = {word for sentence in _training() for word in sentence}
    longest = max(map(len, known))
    return [maximum_matching(known, longest, "".join(words)) for words in _gold(corpus)]


@lru_cache(maxsize=3)
def _outputs(corpus: str) -> dict[str, list[Words]]:
    """What each run of each system that may be scored on `corpus` makes of it, by name."""
    found = {
        "maximum matching": [_matching_words(corpus)],
        "word counts (jieba's search)": [_counted_words(corpus)],
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


def systems(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
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
        interval = score(sums, metric=metric)
        row[f"{which}_low"] = round(interval.interval.low, 6)
        row[f"{which}_high"] = round(interval.interval.high, 6)
        row[f"{which}_se"] = round(interval.standard_error, 6)
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


def accuracy(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
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


def tests(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
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


def training_size(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """F2 taggers on 20, 50, 80 and 100 % of the training part, several samples each (Table 2)."""
    corpus = task["corpus"]
    gold, _, d = _graded(corpus)
    rows = []
    for percent, run in itertools.product(TRAINING, range(RUNS)):
        words = _tagged("F2", "arow", percent, run, corpus)
        scores = asdict(psychometrics.balanced_scores(gold, words, d))
        rows.append({"corpus": corpus, "percent": percent, "run": run, **_mean([scores])})
    return rows


def halves(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """f1 and f_b of many models on two random halves of the text (Figure 6), twenty splits."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    models = {f"AROW F2, {p} %, {r}": ("F2", "arow", p, r) for p in TRAINING for r in range(RUNS)}
    models |= {f"AROW {t}, {p} %": (t, "arow", p, 0) for t in ("F1", "F3") for p in TRAINING}
    sums = {
        name: psychometrics.sentence_sums(graded.gold, _tagged(*model, corpus), graded.difficulty)
        for name, model in models.items()
    }
    for name, runs in _outputs(corpus).items():
        if not name.startswith("AROW"):
            (sums[name],) = _sums(graded, runs[:1])
    rng = np.random.default_rng(seed)
    rows = []
    for split in range(20):
        order = rng.permutation(len(graded.gold))
        one, two = order[: len(order) // 2], order[len(order) // 2 :]
        for name, table in sums.items():
            row = {"corpus": corpus, "split": split, "model": name}
            for which, metric in METRICS.items():
                for n, half in ((1, one), (2, two)):
                    row[f"{which}_{n}"] = round(metric(table[half].sum(axis=0)), 6)
            rows.append(row)
    return rows


def variants(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """f_b under other choices: d′ as a mean, half the committee, Rasch instead of error rates."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    half = SIZE // 2
    model = psychometrics.rasch(graded.marks)
    choices = {
        "as published": (graded.difficulty, "last"),
        "d' as a mean": (graded.difficulty, "mean"),
        "members 1-50": (_by_sentence(graded.gold, 1 - graded.marks[:half].mean(axis=0)), "last"),
        "members 51-100": (_by_sentence(graded.gold, 1 - graded.marks[half:].mean(axis=0)), "last"),
        "Rasch": (_by_sentence(graded.gold, model.difficulty), "last"),
    }
    return [
        {
            "corpus": corpus,
            "system": name,
            "variant": variant,
            "f_b": round(float(np.mean([balanced_f(s.sum(axis=0)) for s in found])), 6),
        }
        for name, runs in _outputs(corpus).items()
        for variant, (d, covering) in choices.items()
        for found in [_sums(graded._replace(difficulty=d), runs, covering=covering)]
    ]


def rasch_scale(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Raw error rate and Rasch difficulty, one row for each number of members that fail."""
    graded = _graded(task["corpus"])
    model = psychometrics.rasch(graded.marks)
    wrong = (1 - graded.marks).sum(axis=0)
    return [
        {
            "corpus": task["corpus"],
            "wrong": int(count),
            "words": int((wrong == count).sum()),
            "raw": count / SIZE,
            "rasch": round(float(model.difficulty[wrong == count][0]), 6),
            "logit": round(float(model.logit[wrong == count][0]), 6),
            "standard_error": round(float(model.standard_error[wrong == count][0]), 6),
        }
        for count in np.unique(wrong)
    ]


def members(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Each member's template, sample, share of words found and ability."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    model = psychometrics.rasch(graded.marks)
    table = _committee().members_
    return [
        {
            "corpus": corpus,
            "member": k,
            "template": table["template"][k],
            "sample": table["sample"][k],
            "words": graded.marks.shape[1],
            "found": int(graded.marks[k].sum()),
            "ability": round(float(model.ability[k]), 6),
        }
        for k in range(SIZE)
    ]


# Another committee


@lru_cache(maxsize=1)
def _live() -> tuple[Words, np.ndarray, dict[str, np.ndarray]]:
    """The text of the chapter's cells, the marks of 600 members, and two systems' sums by member.

    The systems are those of the chapter: F2 on a fifth of 6,000 sentences, and on all of them.
    """
    sentences = [psychometrics.half_width(s.words) for s in datasets.peoples_daily() if s.words]
    train, test = sentences[:6000], sentences[-600:]
    batches, size = POOL
    pool = (Committee(size, rng=COMMITTEE_SEED + batch).fit(train) for batch in range(batches))
    marks = np.concatenate([committee.marks(test) for committee in pool])
    sums = {}
    for name, share in {"small": 0.2, "large": 1.0}.items():
        system = Committee(1, rng=99, templates=("F2",), samples=(share,)).fit(train)
        sums[name] = _member_sums(test, system.predict(test)[0], marks)
    return test, marks, sums


def committees(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """f_b of two systems before committees of one size that share nobody, with standard errors."""
    _, marks, sums = _live()
    size = task["size"]
    rows = []
    for k in range(len(marks) // size):
        seats = slice(k * size, (k + 1) * size)
        small, large = (sums[name][seats] for name in ("small", "large"))
        row = {"size": size, "committee": k}
        for what, table, metric in (
            ("small", small, balanced_f),
            ("large", large, balanced_f),
            ("difference", np.concatenate([small, large], axis=-1), _gap),
        ):
            row[what] = round(float(metric(table.sum(axis=(0, 1)))), 6)
            for unit, axis in (("members", 1), ("sentences", 0)):
                found = score(table.mean(axis=axis), metric=metric)
                row[f"{what}_{unit}_se"] = round(found.standard_error, 6)
        rows.append(row)
    return rows


def by_size() -> list[dict[str, Any]]:
    """One task per size of a committee."""
    return [{"size": size} for size in (10, 30, 50, 100)]


def coverage(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """How often 95 % intervals of f_b hold the truth when both members and sentences are drawn.

    The truth is what all 600 members and all 600 sentences say.
    """
    _, marks, sums = _live()
    both = np.concatenate([sums["small"], sums["large"]], axis=-1)
    cases = {"level": (sums["large"], balanced_f), "difference": (both, _gap)}
    rng, size, n = np.random.default_rng(seed), task["size"], both.shape[1]
    rows = []
    for what, (table, metric) in cases.items():
        truth, covered = metric(table.sum(axis=(0, 1))), Counter()
        for _ in range(task["samples"]):
            drawn = table[rng.integers(0, len(marks), size)][:, rng.integers(0, n, n)]
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


def coverage_tasks() -> list[dict[str, Any]]:
    """Committees of 10, 30 and 100."""
    return [{"size": size, "samples": 400} for size in (10, 30, 100)]


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


def entity_tasks() -> list[dict[str, Any]]:
    """One task: the WNUT-2017 test text."""
    return [{"corpus": "wnut2017"}]


def entity_systems(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The seven WNUT-2017 systems by F1 and f_b, under three rules that are the same for all."""
    graded, outputs, predicted = _entities()
    seven = psychometrics.difficulty(graded.gold, outputs.values())
    rules = {
        "committee, spurious mean": (graded, "mean"),
        "committee, spurious by committee": (graded, predicted),
        "the seven systems, spurious mean": (graded._replace(difficulty=seven), "mean"),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        return [
            {"system": name, "rule": rule, **_scored(source, [spans], spurious=spurious)}
            for name, spans in outputs.items()
            for rule, (source, spurious) in rules.items()
        ]


def entity_accuracy(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Entities found by each system, by tenth of difficulty."""
    graded, outputs, _ = _entities()
    table = psychometrics.accuracy_by_difficulty(graded.gold, outputs, graded.difficulty)
    return [
        {
            "system": name,
            "tenth": t,
            "entities": int(table["words"].iloc[t]),
            "found": round(np.nan_to_num(table[name].iloc[t]) * table["words"].iloc[t]),
        }
        for name in outputs
        for t in range(10)
    ]


_ALL = ("peoples_daily", "sighan2005", "sighan2005_words")
_DAILY = ("peoples_daily",)
_WNUT = ("wnut2017", "wnut2017_systems")


def _study(
    name: str, run: Any, title: str, tasks: Any = by_corpus, data: Any = _ALL, seed: int = 2016
) -> Study:
    return Study(f"psychometrics-{name}", tasks, run, seed, data, title)


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
        "committees", committees, "balanced F before many committees of one size", by_size, _DAILY
    ),
    _study(
        "coverage", coverage, "do intervals of balanced F hold before another committee?",
        coverage_tasks, _DAILY,
    ),
    _study(
        "entities", entity_systems, "the seven WNUT-2017 systems by F1 and balanced F",
        entity_tasks, _WNUT, 2017,
    ),
    _study(
        "entity-accuracy", entity_accuracy, "entities found by tenth of difficulty",
        entity_tasks, _WNUT, 2017,
    ),
]  # fmt: skip
