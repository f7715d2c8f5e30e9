"""Studies of chapter 4: how hard words are, and who handles the hard ones.

A committee of a hundred weak segmenters, trained on samples of the first nine tenths of the
People's Daily of January 1998, grades three texts: the last tenth (*daily*) and the SIGHAN 2005
test texts of Peking University (*pku*) and Microsoft Research (*msr*). Digits and Latin letters
are made half-width everywhere, because the corpora differ in this. Systems are trained on the
same nine tenths, never on the text they are scored on.

The studies share the committee and the systems within one process, so run them together:
``python -m studies psychometrics-tenths psychometrics-systems …``
"""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from betterthan import datasets, psychometrics
from betterthan.counts import labels_to_words, to_spans, words_to_labels
from betterthan.psychometrics import BalancedScores
from betterthan.taggers import Committee, segmentation_features
from studies._study import Study

CORPORA = ("daily", "pku", "msr")
SIZE = 100
ENTITY_SIZE = 50
COMMITTEE_SEED = 2016
TRAINING = (20, 50, 80, 100)  # percent, the rows of the paper's Table 2
REPEATS = 3

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
def _single(template: str, algorithm: str, percent: int, repeat: int) -> Committee:
    """One tagger with one template: a committee of one on all of its sample."""
    return Committee(
        size=1,
        rng=10_000 + 100 * percent + repeat,
        templates=(template,),
        samples=(1.0,),
        algorithm=algorithm,
    ).fit(_sample(percent, repeat))


@cache
def _tagged(template: str, algorithm: str, percent: int, repeat: int, corpus: str) -> Words:
    return _single(template, algorithm, percent, repeat).predict(_gold(corpus))[0]


@lru_cache(maxsize=1)
def _crf() -> tuple[Any, bytes]:
    """python-crfsuite with F2 on a fifth of the training part (L-BFGS, 50 iterations)."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer("lbfgs", {"c1": 0.0, "c2": 1.0, "max_iterations": 50}, False)
    for words in _sample(20, 0):
        trainer.append(segmentation_features("".join(words), "F2"), words_to_labels(words))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        trainer.train(path)
        model = Path(path).read_bytes()
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return tagger, model  # the tagger reads the bytes in place and does not keep them alive


def _crf_words(corpus: str) -> Words:
    tagger, _ = _crf()
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


def _systems(corpus: str) -> dict[str, Callable[[], Words]]:
    """The systems that may be scored on `corpus`, by name."""
    found: dict[str, Callable[[], Words]] = {
        "maximum matching": lambda: _matching_words(corpus),
        "word counts (jieba's search)": lambda: _counted_words(corpus),
        "CRF F2, 20 %": lambda: _crf_words(corpus),
        "perceptron F1, 20 %": lambda: _tagged("F1", "perceptron", 20, 0, corpus),
    }
    for percent in TRAINING:
        found[f"AROW F2, {percent} %"] = lambda p=percent: _tagged("F2", "arow", p, 0, corpus)
    found["AROW F3, 100 %"] = lambda: _tagged("F3", "arow", 100, 0, corpus)
    if corpus == "pku":
        # jieba does not list the texts behind its counts; users trace them to the People's Daily
        # of 1998 and other annotated corpora (fxsjy/jieba, issues 7 and 896), so it may have
        # seen the other two texts.
        found["jieba"] = lambda: _jieba_words(corpus, True)
        found["jieba without HMM"] = lambda: _jieba_words(corpus, False)
    return found


@lru_cache(maxsize=3)
def _outputs(corpus: str) -> dict[str, Words]:
    return {name: system() for name, system in _systems(corpus).items()}


def systems(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """All scores of every system, with intervals of f1 and f_b."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    rows = []
    for (name, words), child in zip(
        _outputs(corpus).items(), seed.spawn(len(_outputs(corpus))), strict=True
    ):
        rows.append({"corpus": corpus, "system": name, **_scored(graded, words, child)})
    return rows


def _scored(
    graded: Graded, words: Any, seed: np.random.SeedSequence, **options: Any
) -> dict[str, Any]:
    gold, d = graded.gold, graded.difficulty
    row = _row(psychometrics.balanced_scores(gold, words, d, **options))
    row["sentences"] = len(gold)
    row["gold_words"] = sum(map(len, gold))
    sums = psychometrics.sentence_sums(gold, words, d, **options)
    for score, child in zip(("f1", "f_b"), seed.spawn(2)):
        low, high, error = _bootstrap(sums, score, child)
        row[f"{score}_low"] = round(low, 6)
        row[f"{score}_high"] = round(high, 6)
        row[f"{score}_se"] = round(error, 6)
    return row


def _row(scores: BalancedScores) -> dict[str, float]:
    """The ten scores, rounded, under the paper's letters."""
    short = {"precision": "p", "recall": "r"}
    return {short.get(name, name): round(value, 6) for name, value in asdict(scores).items()}


def _bootstrap(
    sums: np.ndarray, score: str, seed: np.random.SeedSequence
) -> tuple[float, float, float]:
    """Percentiles and standard error of a score over 1,000 bootstrap samples of sentences."""

    def statistic(*columns: np.ndarray, axis: int = -1) -> Any:
        totals = np.stack([column.sum(axis=axis) for column in columns], axis=-1)
        return getattr(BalancedScores.from_sums(totals), score)

    drawn = stats.bootstrap(
        tuple(sums.T),
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=1000,
        batch=max(1, 2_000_000 // len(sums)),
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    low, high = drawn.confidence_interval
    return float(low), float(high), float(drawn.standard_error)


def accuracy(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Words found by each system, by tenth of difficulty (Figure 4)."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    table = psychometrics.accuracy_by_difficulty(graded.gold, _outputs(corpus), graded.difficulty)
    return [
        {
            "corpus": corpus,
            "system": name,
            "tenth": t,
            "words": int(table["words"].iloc[t]),
            "found": round(np.nan_to_num(table[name].iloc[t]) * table["words"].iloc[t]),
        }
        for name in _outputs(corpus)
        for t in range(10)
    ]


def tests(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """Neighbours in the ranking by F1: randomisation tests by F1 and by f_b.

    Column `a` is the upper one and the candidate, `b` the lower one and the baseline; the
    difference is upper minus lower.
    """
    corpus = task["corpus"]
    graded = _graded(corpus)
    sums = {
        name: psychometrics.sentence_sums(graded.gold, words, graded.difficulty)
        for name, words in _outputs(corpus).items()
    }
    ranked = sorted(sums, key=lambda name: -BalancedScores.from_sums(sums[name].sum(axis=0)).f1)
    rows = []
    for (upper, lower), child in zip(itertools.pairwise(ranked), seed.spawn(len(ranked))):
        for score in ("f1", "f_b"):
            found = _randomisation(sums[lower], sums[upper], score, child)
            found = {name: round(value, 6) for name, value in found.items()}
            rows.append({"corpus": corpus, "a": upper, "b": lower, "score": score, **found})
    return rows


def _randomisation(
    old: np.ndarray, new: np.ndarray, score: str, seed: np.random.SeedSequence
) -> dict[str, float]:
    """New minus old: 2,000 random swaps of sentences; percentiles of 2,000 bootstrap samples."""

    def value(sums: np.ndarray) -> Any:
        return getattr(BalancedScores.from_sums(sums), score)

    children = np.random.SeedSequence(seed.generate_state(4).tolist()).spawn(2)
    swapping, drawing = map(np.random.default_rng, children)
    n, middle = len(new), (new.sum(axis=0) + old.sum(axis=0)) / 2
    shift = (1.0 - 2.0 * swapping.integers(0, 2, (2000, n))) @ ((new - old) / 2)
    swapped = value(middle + shift) - value(middle - shift)
    counts = drawing.multinomial(n, np.full(n, 1 / n), 2000).astype(float)
    low, high = np.quantile(value(counts @ new) - value(counts @ old), [0.025, 0.975])
    difference = value(new.sum(axis=0)) - value(old.sum(axis=0))
    # Sums of halves round differently from sums of wholes: equal differences count as equal.
    extreme = np.abs(swapped) >= abs(difference) - 1e-12
    pvalue = (1 + int(extreme.sum())) / 2001
    return {"difference": difference, "low": float(low), "high": float(high), "p_value": pvalue}


def training_size(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """F2 taggers on 20, 50, 80 and 100 % of the training part, three samples each (Table 2)."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    rows = []
    for percent in TRAINING:
        for repeat in range(REPEATS):
            words = _tagged("F2", "arow", percent, repeat, corpus)
            scores = psychometrics.balanced_scores(graded.gold, words, graded.difficulty)
            rows.append({"corpus": corpus, "percent": percent, "repeat": repeat, **_row(scores)})
    return rows


def halves(task: dict[str, Any], seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """f1 and f_b of many models on two random halves of the text (Figure 6), twenty splits."""
    corpus = task["corpus"]
    graded = _graded(corpus)
    models = {
        f"AROW F2, {p} %, {r}": ("F2", "arow", p, r) for p in TRAINING for r in range(REPEATS)
    }
    models |= {f"AROW {t}, {p} %": (t, "arow", p, 0) for t in ("F1", "F3") for p in TRAINING}
    sums = {
        name: psychometrics.sentence_sums(graded.gold, _tagged(*model, corpus), graded.difficulty)
        for name, model in models.items()
    }
    for name, words in _outputs(corpus).items():
        if not name.startswith("AROW"):
            sums[name] = psychometrics.sentence_sums(graded.gold, words, graded.difficulty)
    rng = np.random.default_rng(seed)
    rows = []
    for split in range(20):
        order = rng.permutation(len(graded.gold))
        one, two = order[: len(order) // 2], order[len(order) // 2 :]
        for name, table in sums.items():
            row = {"corpus": corpus, "split": split, "model": name}
            for score in ("f1", "f_b"):
                for n, half in ((1, one), (2, two)):
                    scores = BalancedScores.from_sums(table[half].sum(axis=0))
                    row[f"{score}_{n}"] = round(getattr(scores, score), 6)
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
            "f_b": round(
                psychometrics.balanced_scores(graded.gold, words, d, covering=covering).f_b, 6
            ),
        }
        for name, words in _outputs(corpus).items()
        for variant, (d, covering) in choices.items()
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
    """The seven WNUT-2017 systems by F1 and f_b, under three sources of difficulty."""
    graded, outputs, predicted = _entities()
    rows = []
    for (name, spans), child in zip(outputs.items(), seed.spawn(len(outputs)), strict=True):
        others = [spans for other, spans in outputs.items() if other != name]
        peers = graded._replace(difficulty=psychometrics.difficulty(graded.gold, others))
        rules = {
            "committee, spurious mean": (graded, "mean"),
            "committee, spurious by committee": (graded, predicted),
            "other systems, spurious mean": (peers, "mean"),
        }
        for rule, (source, spurious) in rules.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error", UndefinedMetricWarning)
                rows.append(
                    {
                        "system": name,
                        "rule": rule,
                        **_scored(source, spans, child, spurious=spurious),
                    }
                )
    return rows


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
_WNUT = ("wnut2017", "wnut2017_systems")


def _study(name: str, run: Any, title: str, seed: int = 2016) -> Study:
    return Study(f"psychometrics-{name}", by_corpus, run, seed, _ALL, title)


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
    Study(
        "psychometrics-entities",
        entity_tasks,
        entity_systems,
        2017,
        _WNUT,
        "the seven WNUT-2017 systems by F1 and balanced F",
    ),
    Study(
        "psychometrics-entity-accuracy",
        entity_tasks,
        entity_accuracy,
        2017,
        _WNUT,
        "entities found by tenth of difficulty",
    ),
]
