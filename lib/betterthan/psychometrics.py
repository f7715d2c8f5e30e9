"""Which system handles the hard words? Scores weighted by how hard each word is.

Chapter 4 of the book. After Qian, Qiu and Huang (ACL 2016): a committee of weak segmenters
marks every gold word; the share of members that get it wrong is its *difficulty* d. A system
is then scored twice, once with weights d (reward for hard words) and once with weights 1 − d
(punishment for missing easy ones), and the two are joined by the harmonic mean.

A sentence is a list of words (segmentation), or a list of ``(start, end, label)`` spans
(entities, chunks). Equation numbers are the paper's; Eq. (11) is printed there with the
weights of Eq. (12) and is used here with the weights it must have.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from betterthan import _checks
from betterthan import _psychometrics_core as core
from betterthan._psychometrics_committee import Committee
from betterthan._psychometrics_rasch import Rasch, rasch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BalancedScores",
    "Committee",
    "Interval",
    "PairedTest",
    "Rasch",
    "accuracy_by_difficulty",
    "balanced_scores",
    "bootstrap",
    "difficulty",
    "half_width",
    "human_scores",
    "marks",
    "paired_test",
    "plot_accuracy",
    "plot_sentence",
    "rasch",
    "read_words",
    "sentence_sums",
    "spans",
    "stability",
]

Words = Sequence[str]
Spans = Sequence[tuple[int, int, str]]

_WHY = {
    "p": "the system predicted nothing",
    "p_reward": "the predicted words have difficulty 0, every one (Σd′ = 0)",
    "p_punishment": "the predicted words have difficulty 1, every one (Σ(1 − d′) = 0)",
    "r_reward": "every gold word is equally easy, with difficulty 0 (Σd = 0)",
    "r_punishment": "every gold word has difficulty 1 (Σ(1 − d) = 0)",
}


@dataclass(frozen=True)
class BalancedScores:
    """Precision, recall and F of one system: plain, for hard words, for easy words, balanced.

    NaN is *undefined*.

    Attributes
    ----------
    p : float
        Precision, Eq. (1).
    r : float
        Recall, Eq. (2).
    f1 : float
        F1, Eq. (3).
    p_reward : float
        Precision weighted by difficulty, Eq. (11).
    p_punishment : float
        Precision weighted by ease, Eq. (12).
    p_b : float
        Balanced precision, Eq. (13).
    r_reward : float
        Recall weighted by difficulty, Eq. (6).
    r_punishment : float
        Recall weighted by ease, Eq. (7).
    r_b : float
        Balanced recall, Eq. (10).
    f_b : float
        Balanced F, Eq. (15).
    """

    p: float
    r: float
    f1: float
    p_reward: float
    p_punishment: float
    p_b: float
    r_reward: float
    r_punishment: float
    r_b: float
    f_b: float

    def __str__(self) -> str:
        return (
            f"F1 is {self.f1:.4f}, balanced F is {self.f_b:.4f}. Weighted by difficulty (hard "
            f"words count more) precision is {self.p_reward:.4f} and recall {self.r_reward:.4f}; "
            f"weighted by ease, {self.p_punishment:.4f} and {self.r_punishment:.4f}."
        )


@dataclass(frozen=True)
class Interval:
    """A score with its bootstrap interval over sentences (the difficulties stay as they are).

    Attributes
    ----------
    score : str
        Which one.
    estimate : float
        Its value.
    low : float
        Lower limit.
    high : float
        Upper limit.
    standard_error : float
        Standard deviation of the resamples.
    level : float
        Of the interval.
    sentences : int
        How many were drawn from.
    resamples : int
        How often.
    """

    score: str
    estimate: float
    low: float
    high: float
    standard_error: float
    level: float
    sentences: int
    resamples: int

    def __str__(self) -> str:
        return (
            f"{self.score} is {self.estimate:.4f}, {100 * self.level:g} % interval "
            f"{self.low:.4f} to {self.high:.4f} ({self.resamples:,} bootstrap samples of "
            f"{self.sentences:,} sentences)."
        )


@dataclass(frozen=True)
class PairedTest:
    """A comparison of two systems on the same sentences.

    Attributes
    ----------
    score : str
        Which one.
    statistic : float
        A minus B.
    p_value : float
        From the randomisation test.
    alternative : {"greater", "less", "two-sided"}
    value_a : float
        The score of A.
    value_b : float
        The score of B.
    low : float
        Lower limit of the difference, from the paired bootstrap.
    high : float
        Upper limit.
    level : float
        Of the interval.
    sentences : int
        How many were swapped.
    resamples : int
        How often.
    """

    score: str
    statistic: float
    p_value: float
    alternative: str
    value_a: float
    value_b: float
    low: float
    high: float
    level: float
    sentences: int
    resamples: int

    def __str__(self) -> str:
        higher = "A" if self.statistic > 0 else "B"
        if self.statistic == 0:
            head = f"A and B have the same {self.score}, {self.value_a:.4f}."
        else:
            head = (
                f"{higher} has the higher {self.score}: {self.value_a:.4f} for A, "
                f"{self.value_b:.4f} for B."
            )
        claim = {"greater": "A is better", "less": "B is better", "two-sided": "they differ"}
        return (
            f"{head} A minus B is {self.statistic:+.4f}, {100 * self.level:g} % interval "
            f"{self.low:+.4f} to {self.high:+.4f}; p = {self.p_value:.2g} for "
            f"'{claim[self.alternative]}' ({self.resamples:,} random swaps over "
            f"{self.sentences:,} sentences)."
        )


def spans(words: Words) -> list[tuple[int, int]]:
    """Where each word begins and ends, in characters: ``text[start:end]`` is the word.

    Raises
    ------
    ValueError
        For a string instead of a list of words, an empty word or a word that is no string.

    Examples
    --------
    >>> spans(["白藜芦醇", "是", "一", "种"])
    [(0, 4), (4, 5), (5, 6), (6, 7)]
    """
    if isinstance(words, str):
        raise ValueError(f"words={words!r:.40}: expected a list of words, got one string")
    items = core.encode("words", [words], "words")
    return list(zip(items.start.tolist(), items.end.tolist()))


def marks(gold: Any, predicted: Any) -> list[np.ndarray]:
    """1 for each gold word (or span) that `predicted` has too, else 0: the m of Eq. (4).

    A word is right when both its ends are and nothing inside it is cut; a span is right when
    its start, end and label are.

    Parameters
    ----------
    gold, predicted
        Lists of sentences, over the same characters; a sentence is a list of words or a list
        of ``(start, end, label)`` spans.

    Returns
    -------
    list of array
        One array of 0 and 1 a sentence.

    Raises
    ------
    ValueError
        For different numbers of sentences; different characters (the sentence, the character and
        the word are named); an empty word; a span with start ≥ end; a span given twice; gold
        spans that overlap.

    Examples
    --------
    >>> marks([["白藜芦醇", "是", "一", "种"]], [["白", "藜芦", "醇", "是", "一种"]])
    [array([0, 1, 0, 0], dtype=int8)]
    """
    items = core.encode_gold(gold)
    flat = core.member_marks(items, "predicted", predicted).astype(np.int8)
    return _unflatten(flat, items)


def difficulty(gold: Any, committee: Iterable[Any]) -> list[np.ndarray]:
    """How hard each gold word is: the share of the committee that gets it wrong, Eq. (5).

    Parameters
    ----------
    gold
        A list of sentences: lists of words, or of ``(start, end, label)`` spans.
    committee
        `committee[k][s]` is what member k makes of sentence s: its words, its spans, or its
        marks (1 right, 0 wrong, NaN where the member has not seen the word). Any iterable of
        members will do; a generator keeps one member in memory at a time.

    Returns
    -------
    list of array
        One array a sentence, between 0 (nobody fails) and 1 (everybody does).

    Raises
    ------
    ValueError
        As in :func:`marks`; for an empty committee, a mark other than 0 and 1, or a word that no
        member has marked.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种"]]
    >>> committee = [[["白", "藜芦", "醇", "是", "一种"]], [["白藜", "芦醇", "是", "一", "种"]]]
    >>> difficulty(gold, committee)
    [array([1. , 0. , 0.5, 0.5])]
    """
    items = core.encode_gold(gold)
    wrong = np.zeros(items.count)
    seen = np.zeros(items.count)
    for k, member in enumerate(committee):
        flat = core.member_marks(items, f"committee[{k}]", member)
        known = ~np.isnan(flat)
        wrong += np.where(known, 1.0 - flat, 0.0)
        seen += known
    if not seen.any():
        raise ValueError("committee: expected at least one member, got none")
    if not seen.all():
        s, i = items.where(int(np.argmin(seen)))
        raise ValueError(f"committee: expected a mark for gold[{s}][{i}], but no member has one")
    return _unflatten(wrong / seen, items)


def sentence_sums(
    gold: Any,
    predicted: Any,
    difficulty: Sequence[Any],
    *,
    covering: str = "last",
    spurious: str | float | Sequence[Any] = "mean",
) -> np.ndarray:
    """Six sums a sentence, from which every score is made: counts, not text.

    The columns are `n_gold`, `n_predicted`, `correct` (words in both), and the sums of the
    difficulties of the gold words, of the correct ones, and of the predicted ones (d′). Sums
    of sums over any sample of sentences give the scores of that sample; :func:`bootstrap` and
    :func:`paired_test` stand on this.

    See :func:`balanced_scores` for the arguments and what is refused.

    Examples
    --------
    >>> sentence_sums([["一", "种"]], [["一种"]], [[0.25, 0.5]])
    array([[2.  , 1.  , 0.  , 0.75, 0.  , 0.5 ]])
    """
    items = core.encode_gold(gold)
    return _sums(items, core.flat_difficulty(items, difficulty), predicted, covering, spurious)


def balanced_scores(
    gold: Any,
    predicted: Any,
    difficulty: Sequence[Any],
    *,
    covering: str = "last",
    spurious: str | float | Sequence[Any] = "mean",
) -> BalancedScores:
    """Plain and difficulty-weighted precision, recall and F of one system, Eqs. (1)-(15).

    Recall weights each gold word by its difficulty d (`r_reward`) or by 1 − d
    (`r_punishment`); precision weights each predicted word by a difficulty d′ borrowed from
    the gold standard. The balanced scores are harmonic means; sums run over the whole corpus.
    Eq. (11) is used with weights d, as its name demands, not with the printed 1 − d.

    Parameters
    ----------
    gold, predicted
        Lists of sentences over the same characters: lists of words, or of
        ``(start, end, label)`` spans.
    difficulty
        One array a sentence, one number between 0 and 1 a gold word, as :func:`difficulty`
        returns it.
    covering
        What d′ is: ``"last"``, the difficulty of the gold word that contains the last
        character (the rule below the paper's Eq. 12), or ``"mean"``, the mean over the gold
        words it touches (the rule two sentences earlier). For a correct word both are d.
    spurious
        Spans only: d′ of a predicted span whose last token lies in no gold span (with
        ``covering="mean"``: that touches none). ``"mean"``, the mean difficulty of the gold
        spans, so that inventing an entity costs what missing an average one does; a number
        between 0 and 1; or a committee, whose share of members that invent the very same
        span is then its difficulty.

    Returns
    -------
    BalancedScores
        A score with nothing in its denominator is NaN. The harmonic mean of 0 and 0 is 0.

    Raises
    ------
    ValueError
        As in :func:`marks`; for a difficulty outside 0 … 1 or not one for each gold word, with the
        sentence and position; for an unknown `covering` or `spurious`.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        Says why a score is NaN.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种", "酚类", "物质"]]
    >>> one = [["白", "藜芦", "醇", "是", "一种", "酚类", "物质"]]
    >>> two = [["白藜", "芦醇", "是", "一", "种", "酚类物", "质"]]
    >>> d = [[1.0, 0.0, 0.5, 0.5, 0.2, 0.1]]
    >>> a, b = balanced_scores(gold, one, d), balanced_scores(gold, two, d)
    >>> a.f1 == b.f1, round(a.f_b, 3), round(b.f_b, 3)
    (True, 0.175, 0.432)
    """
    totals = sentence_sums(gold, predicted, difficulty, covering=covering, spurious=spurious).sum(
        axis=0
    )
    result = BalancedScores(**{k: float(v) for k, v in core.scores(totals).items()})
    _warn_undefined(result)
    return result


def bootstrap(
    gold: Any,
    predicted: Any,
    difficulty: Sequence[Any],
    *,
    score: str = "f_b",
    level: float = 0.95,
    resamples: int = 2000,
    method: str = "percentile",
    seed: int | np.random.SeedSequence = 0,
    covering: str = "last",
    spurious: str | float | Sequence[Any] = "mean",
) -> Interval:
    """A score with its interval: sentences are drawn again with replacement.

    The difficulties are taken as given; how much they would change with another committee is
    what :func:`stability` shows. The interval is equal-tailed. Parameters that are not listed
    are those of :func:`balanced_scores`.

    Parameters
    ----------
    score
        Any field of :class:`BalancedScores`.
    method
        ``"percentile"``, ``"basic"`` or ``"BCa"`` of `scipy.stats.bootstrap`.

    Raises
    ------
    ValueError
        As in :func:`balanced_scores`; for fewer than two sentences, or an unknown score or method.

    Examples
    --------
    >>> gold = [["一", "种"], ["物质"], ["酚类", "物质"], ["是"]]
    >>> system = [["一种"], ["物质"], ["酚类", "物质"], ["是"]]
    >>> d = [[0.4, 0.6], [0.1], [0.5, 0.1], [0.0]]
    >>> print(bootstrap(gold, system, d, score="r", resamples=500))
    r is 0.6667, 95 % interval 0.2500 to 1.0000 (500 bootstrap samples of 4 sentences).
    """
    _score_arguments(score, level, resamples)
    _checks.choice("method", method, ("percentile", "basic", "BCa"))
    table = sentence_sums(gold, predicted, difficulty, covering=covering, spurious=spurious)
    return _bootstrap(table, score, level, resamples, method, seed)


def paired_test(
    gold: Any,
    a: Any,
    b: Any,
    difficulty: Sequence[Any],
    *,
    score: str = "f_b",
    alternative: str = "greater",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int | np.random.SeedSequence = 0,
    covering: str = "last",
    spurious: str | float | Sequence[Any] = "mean",
) -> PairedTest:
    """Is system A better than system B on the same sentences, by `score`?

    The randomisation test: if A and B were equally good, swapping their outputs on
    any sentence would change nothing, so the observed difference is compared with the
    differences after random swaps. The observed arrangement counts as one of them, so p is at
    least 1/(resamples + 1). The interval of A minus B is the percentile bootstrap over
    sentences. Parameters that are not listed are those of :func:`bootstrap`.

    Parameters
    ----------
    a, b
        The two systems' sentences.
    alternative
        ``"greater"`` (A is better, the default), ``"less"`` or ``"two-sided"``.

    Raises
    ------
    ValueError
        As in :func:`bootstrap`; for an unknown alternative, or a score that is undefined for A
        or B.

    Examples
    --------
    >>> gold = [["一", "种"], ["物质"], ["酚类", "物质"], ["是"]]
    >>> a, b = gold, [["一种"], ["物质"], ["酚类物", "质"], ["是"]]
    >>> d = [[0.4, 0.6], [0.1], [0.5, 0.1], [0.0]]
    >>> test = paired_test(gold, a, b, d, resamples=999)
    >>> test.statistic > 0, round(test.p_value, 1)
    (True, 0.2)
    """
    _score_arguments(score, level, resamples)
    _checks.choice("alternative", alternative, ("greater", "less", "two-sided"))
    items = core.encode_gold(gold)
    d = core.flat_difficulty(items, difficulty)
    table_a = _sums(items, d, a, covering, spurious, "a")
    table_b = _sums(items, d, b, covering, spurious, "b")
    return _paired_test(table_a, table_b, score, alternative, level, resamples, seed)


def accuracy_by_difficulty(
    gold: Any, systems: Mapping[str, Any], difficulty: Sequence[Any], bins: int = 10
) -> pd.DataFrame:
    """Recall of each system by tenth of difficulty: the paper's Figure 4.

    The bins are closed on the right, (0.9, 1.0] being the last; the first is [0, 0.1].

    Returns
    -------
    DataFrame
        One row a bin (indexed by its range, ``"0.0-0.1"`` …): the number of gold `words` and one
        column of accuracies a system, NaN where the bin is empty.

    Raises
    ------
    ValueError
        As in :func:`balanced_scores`, with the system's name.

    Examples
    --------
    >>> gold, d = [["一", "种", "物质"]], [[0.4, 0.6, 0.0]]
    >>> accuracy_by_difficulty(gold, {"A": [["一种", "物质"]]}, d, bins=2)
             words    A
    0.0-0.5      2  0.5
    0.5-1.0      1  0.0
    """
    _checks.whole("bins", bins)
    items = core.encode_gold(gold)
    d = core.flat_difficulty(items, difficulty)
    which = core.bin_of(d, bins)
    words = np.bincount(which, minlength=bins)
    table = {"words": words}
    for name, system in systems.items():
        found = np.bincount(
            which, weights=core.member_marks(items, f"systems[{name!r}]", system), minlength=bins
        )
        with np.errstate(invalid="ignore"):
            table[str(name)] = found / words
    return pd.DataFrame(table, index=_bin_names(bins))


def stability(
    marks: Any, sizes: Sequence[int] | None = None, repeats: int = 20, seed: int = 0
) -> pd.DataFrame:
    """How much do the difficulties depend on who sits on the committee?

    For each size k the members are split at random into two committees of k that share nobody,
    `repeats` times. A committee is large enough where two of its size agree.

    Parameters
    ----------
    marks
        A table of marks, one row a member, one column a word (`Committee.marks`).
    sizes
        Committee sizes to try, each at most half the number of members. None takes about ten
        between 1 and half.

    Returns
    -------
    DataFrame
        One row a size: `correlation` between the two committees' difficulties (mean over the
        repeats) with its range `low` … `high` over the repeats, `predicted`, the correlation that
        the Spearman-Brown formula foretells from pairs of single members, and `change`, the mean
        absolute difference of a word's difficulty between the two committees.

    Raises
    ------
    ValueError
        For marks that are not a table of 0 and 1 with two rows or more, or a size beyond half.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = rng.random((40, 500)) > rng.random(500) ** 2
    >>> curve = stability(table, sizes=[1, 10, 20])
    >>> curve["correlation"].round(1).tolist()
    [0.4, 0.9, 0.9]
    """
    table = core.mark_table(marks, "0 or 1")
    members = len(table)
    half = members // 2
    if sizes is None:
        sizes = sorted({int(k) for k in np.geomspace(1, half, 10).round()})
    sizes = [_checks.whole("sizes", k, 1, half) for k in sizes]
    _checks.whole("repeats", repeats)
    rng = np.random.default_rng(seed)
    wrong = 1.0 - table
    seen: dict[int, list[tuple[float, float]]] = {k: [] for k in [1, *sizes]}
    for _ in range(repeats):
        order = rng.permutation(members)
        for k in seen:
            one, two = wrong[order[:k]].mean(axis=0), wrong[order[k : 2 * k]].mean(axis=0)
            seen[k].append((_correlation(one, two), float(np.abs(one - two).mean())))
    single = np.nanmean([r for r, _ in seen[1]])
    rows = []
    for k in sizes:
        r = np.array([r for r, _ in seen[k]])
        rows.append(
            {
                "size": k,
                "correlation": r.mean(),
                "low": r.min(),
                "high": r.max(),
                "predicted": k * single / (1 + (k - 1) * single),
                "change": np.mean([c for _, c in seen[k]]),
            }
        )
    return pd.DataFrame(rows)


def human_scores(judgements: Any) -> pd.DataFrame:
    """Human ranking of systems by the procedure of the paper's section 5.1.

    For each sentence a judge names the best candidate(s) and the second-best. A system ranked
    first n times and second m times by one judge of S sentences scores (n + m/2)/S there; its
    score is the mean over the judges.

    Parameters
    ----------
    judgements
        A table with columns `judge`, `sentence`, `system` and `rank` (1 best, 2 second-best;
        rows with other ranks, or left out, earn nothing). Ties are allowed.

    Returns
    -------
    DataFrame
        One row a system, best first: `score`, and its `low` and `high` over the judges.

    Raises
    ------
    ValueError
        For a missing column, a rank that is no positive whole number, or the same judge ranking
        the same system twice on a sentence.

    Examples
    --------
    >>> table = pd.DataFrame({"judge": ["x"] * 4, "sentence": [1, 1, 2, 2],
    ...                       "system": ["A", "B", "A", "B"], "rank": [1, 2, 1, 1]})
    >>> human_scores(table)["score"].to_dict()
    {'A': 1.0, 'B': 0.75}
    """
    table = pd.DataFrame(judgements)
    for column in ("judge", "sentence", "system", "rank"):
        if column not in table:
            raise ValueError(f"judgements: expected a column {column!r}, got {list(table.columns)}")
    rank = pd.to_numeric(table["rank"], errors="coerce")
    bad = ~(rank >= 1) | (rank % 1 != 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(
            f"judgements: expected a rank of 1, 2, …, but row {at} has "
            f"{table['rank'].iloc[at]!s:.40}"
        )
    again = table.duplicated(["judge", "sentence", "system"])
    if again.any():
        at = int(np.argmax(again))
        raise ValueError(
            f"judgements: expected one rank a judge, sentence and system, but row {at} ranks "
            f"{table['system'].iloc[at]!r} again"
        )
    points = np.select([rank == 1, rank == 2], [1.0, 0.5], 0.0)
    seen = table.groupby("judge")["sentence"].nunique()
    earned = table.assign(points=points).pivot_table(
        index="system", columns="judge", values="points", aggfunc="sum", fill_value=0.0
    )
    share = earned / seen
    result = pd.DataFrame({"score": share.mean(axis=1), "low": share.min(axis=1)})
    result["high"] = share.max(axis=1)
    return result.sort_values("score", ascending=False, kind="stable")


def half_width(words: Words) -> list[str]:
    """The words with full-width digits and Latin letters made half-width, the rest untouched.

    Corpora differ in this (the People's Daily writes １９９８, SIGHAN's PKU test 1998), and a
    tagger trained on one form has never seen the other.

    Examples
    --------
    >>> half_width(["１９９８年", "Ｂ", "，"])
    ['1998年', 'B', '，']
    """
    return [word.translate(_WIDTHS) for word in words]


_WIDTHS = {c + 0xFEE0: c for c in range(0x21, 0x7F) if chr(c).isalnum()}


def read_words(path: str | Path) -> list[list[str]]:
    """Sentences from a text file: one a line, words separated by white space (UTF-8).

    Raises
    ------
    ValueError
        For a file that is not UTF-8, or an empty line, with its number.
    """
    sentences = []
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"path={str(path)!r}: expected UTF-8 text ({error})") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            raise ValueError(
                f"path={str(path)!r}: expected a sentence a line, but line {number} is empty"
            )
        sentences.append(words)
    if not sentences:
        raise ValueError(f"path={str(path)!r}: expected at least one sentence, got an empty file")
    return sentences


def plot_sentence(
    words: Words,
    difficulty: Any,
    ax: Axes | None = None,
    *,
    translation: Sequence[str] | None = None,
) -> Axes:
    """The difficulty of each word as a bar above its characters: the paper's Figure 7.

    Chinese is drawn with the font that the package carries, so the figure is the same
    everywhere.

    Parameters
    ----------
    words
        The words of one sentence.
    difficulty
        One number between 0 and 1 a word.
    ax
        Where to draw; None makes a figure.
    translation
        One gloss a word, drawn below it.

    Raises
    ------
    ValueError
        For lengths that differ, a difficulty outside 0 … 1 or an empty word.
    """
    import matplotlib.pyplot as plt

    from betterthan._fonts import chinese

    values = _checks.probabilities("difficulty", difficulty)
    extent = np.array(spans(words), float)
    _checks.same_length(words=words, difficulty=values)
    if translation is not None:
        _checks.same_length(words=words, translation=translation)
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 2.6 if translation is None else 3.0))
    gap = 0.08
    colours = plt.get_cmap("cividis_r")(0.15 + 0.8 * values)
    widths = extent[:, 1] - extent[:, 0] - 2 * gap
    ax.bar(extent[:, 0] + gap, values, widths, align="edge", color=colours)
    # A thin foot keeps words of difficulty 0 visible.
    ax.bar(extent[:, 0] + gap, -0.02, widths, align="edge", color="0.6")
    for (start, end), value in zip(extent, values):
        ax.text((start + end) / 2, value + 0.03, f"{value:.2f}", ha="center", fontsize=8)
    for position, character in enumerate("".join(words)):
        ax.text(position + 0.5, -0.06, character, ha="center", va="top", fontproperties=chinese(15))
    if translation is not None:
        for (start, end), gloss in zip(extent, translation):
            ax.text((start + end) / 2, -0.26, gloss, ha="center", va="top", fontsize=7)
    ax.set(xlim=(0, extent[-1, 1]), ylim=(-0.36 if translation is not None else -0.24, 1.12))
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    ax.set(xticks=[], ylabel="difficulty")
    ax.spines["bottom"].set_visible(False)
    return ax


def plot_accuracy(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Lines of accuracy by difficulty, from :func:`accuracy_by_difficulty` (Figure 4)."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots()
    systems = [column for column in table if column != "words"]
    markers = "osD^vPX<>*"
    for n, name in enumerate(systems):
        line = "-" if n < 7 else "--"
        ax.plot(table.index, table[name], line, marker=markers[n % 10], ms=5, label=name)
    ax.set(xlabel="difficulty", ylabel="share of words found", ylim=(-0.02, 1.02))
    ax.tick_params(axis="x", labelrotation=30)
    if systems:
        ax.legend()
    return ax


def _unflatten(flat: np.ndarray, items: core.Items) -> list[np.ndarray]:
    return np.split(flat, np.cumsum(items.sizes)[:-1])


def _sums(
    gold: core.Items,
    d: np.ndarray,
    predicted: Any,
    covering: str,
    spurious: Any,
    name: str = "predicted",
) -> np.ndarray:
    _checks.choice("covering", covering, ("last", "mean"))
    if isinstance(spurious, str):
        _checks.choice("spurious", spurious, ("mean",))
    elif isinstance(spurious, Real):
        _checks.real("spurious", spurious, 0.0, 1.0)
    elif not isinstance(spurious, Sequence) or not len(spurious):
        raise ValueError(
            f"spurious={spurious!r:.40}: expected 'mean', a number between 0 and 1, or a committee"
        )
    items = core.encode(name, predicted, gold.kind)
    core.check_same_text(gold, name, items)
    found = core.found_in(gold, name, items)
    d_predicted = core.predicted_difficulty(gold, d, items, covering, spurious)
    return core.sums(gold, d, items, d_predicted, found)


def _warn_undefined(result: BalancedScores) -> None:
    values = asdict(result)
    for name, why in _WHY.items():
        if math.isnan(values[name]) and not (name.startswith("p_") and math.isnan(values["p"])):
            lost = [f.name for f in fields(result) if math.isnan(values[f.name])]
            warnings.warn(
                f"{name} is undefined: {why}; NaN for {', '.join(lost)}",
                UndefinedMetricWarning,
                stacklevel=3,
            )


def _score_arguments(score: str, level: float, resamples: int) -> None:
    _checks.choice("score", score, core.FIELDS)
    _checks.alpha(level, "level")
    _checks.whole("resamples", resamples)


def _bootstrap(
    table: np.ndarray, score: str, level: float, resamples: int, method: str, seed: Any
) -> Interval:
    if len(table) < 2:
        raise ValueError(f"gold: expected at least 2 sentences to draw from, got {len(table)}")
    estimate = float(core.scores(table.sum(axis=0))[score])

    def statistic(*columns: np.ndarray, axis: int = -1) -> np.ndarray:
        return core.scores(np.stack([c.sum(axis=axis) for c in columns], axis=-1))[score]

    with warnings.catch_warnings():
        # scipy warns where all resamples agree; the interval of width 0 says so itself.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        drawn = stats.bootstrap(
            tuple(table.T),
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, 2_000_000 // len(table)),
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(seed),
        )
    values = drawn.bootstrap_distribution
    lost = int(np.isnan(values).sum())
    low, high = drawn.confidence_interval
    if lost and not math.isnan(estimate):
        warnings.warn(
            f"{score} is undefined in {lost} of {resamples} bootstrap samples, which are left out",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        tail = (1 - level) / 2
        low, high = np.nanquantile(values, [tail, 1 - tail])
    error = float(np.nanstd(values, ddof=1)) if resamples - lost > 1 else math.nan
    return Interval(score, estimate, float(low), float(high), error, level, len(table), resamples)


def _paired_test(
    a: np.ndarray,
    b: np.ndarray,
    score: str,
    alternative: str,
    level: float,
    resamples: int,
    seed: Any,
) -> PairedTest:
    if len(a) < 2:
        raise ValueError(f"gold: expected at least 2 sentences to swap, got {len(a)}")
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    value_a, value_b = (float(core.scores(t)[score]) for t in (total_a, total_b))
    for name, value in (("a", value_a), ("b", value_b)):
        if math.isnan(value):
            raise ValueError(f"{name}: expected a defined {score}, but it is undefined (0/0)")
    observed = value_a - value_b
    swapping, drawing = (
        np.random.default_rng(s) for s in np.random.SeedSequence(_entropy(seed)).spawn(2)
    )
    half = (a - b) / 2
    middle = (total_a + total_b) / 2
    swapped = np.empty(resamples)
    differences = np.empty(resamples)
    weights = np.full(len(a), 1 / len(a))
    step = max(1, 4_000_000 // len(a))
    for first in range(0, resamples, step):
        here = slice(first, min(first + step, resamples))
        n = here.stop - here.start
        signs = 1.0 - 2.0 * swapping.integers(0, 2, (n, len(a)))
        shift = signs @ half
        swapped[here] = core.scores(middle + shift)[score] - core.scores(middle - shift)[score]
        counts = drawing.multinomial(len(a), weights, n).astype(float)
        differences[here] = core.scores(counts @ a)[score] - core.scores(counts @ b)[score]
    # Sums of halves round differently from sums of wholes: equal differences must count as equal.
    slack = 1e-12
    extreme = {
        "greater": swapped >= observed - slack,
        "less": swapped <= observed + slack,
        "two-sided": np.abs(swapped) >= abs(observed) - slack,
    }[alternative]
    p_value = (1 + int(extreme.sum())) / (1 + resamples)
    tail = (1 - level) / 2
    low, high = np.nanquantile(differences, [tail, 1 - tail])
    return PairedTest(
        score,
        observed,
        p_value,
        alternative,
        value_a,
        value_b,
        float(low),
        float(high),
        level,
        len(a),
        resamples,
    )


def _entropy(seed: Any) -> Any:
    return seed.generate_state(4).tolist() if isinstance(seed, np.random.SeedSequence) else seed


def _bin_names(bins: int) -> list[str]:
    digits = 1 if bins in (1, 2, 5, 10) else 2
    return [f"{i / bins:.{digits}f}-{(i + 1) / bins:.{digits}f}" for i in range(bins)]


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    if a.std() == 0 or b.std() == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])
