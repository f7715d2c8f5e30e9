"""Which system handles the hard words? Scores weighted by how hard each word is.

Chapter 4 of the book. After Qian, Qiu and Huang (ACL 2016): a committee of weak segmenters
marks every gold word; the share of members that get it wrong is its *difficulty* d. A system
is then scored twice, once with weights d (reward for hard words) and once with weights 1 − d
(punishment for missing easy ones), and the two are joined by the harmonic mean.

A sentence is a list of words (segmentation), or a list of ``(start, end, label)`` spans
(entities, chunks). Equation numbers are the paper's; Eq. (11) is printed there with the
weights of Eq. (12) and is used here with the weights it must have.

For an interval or a comparison hand the sums of :func:`sentence_sums` to `betterthan.score` or
`betterthan.compare`, with `balanced_f` as the metric.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from betterthan import _checks, _items
from betterthan._metrics import MetricOfSums
from betterthan._rasch import Rasch, mark_table, rasch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BalancedScores", "Rasch", "UndefinedScoreWarning", "accuracy_by_difficulty", "balanced_f",
    "balanced_scores", "bin_of", "difficulty", "half_width", "human_scores", "marks",
    "plot_accuracy", "plot_sentence", "rasch", "sentence_sums", "stability",
]  # fmt: skip

_WHY = {
    "precision": "the system predicted nothing",
    "p_reward": "the predicted words have difficulty 0, every one (Σd′ = 0)",
    "p_punishment": "the predicted words have difficulty 1, every one (Σ(1 − d′) = 0)",
    "r_reward": "every gold word is equally easy, with difficulty 0 (Σd = 0)",
    "r_punishment": "every gold word has difficulty 1 (Σ(1 − d) = 0)",
}
_HALF_WIDTH = {c + 0xFEE0: c for c in range(0x21, 0x7F) if chr(c).isalnum()}


class UndefinedScoreWarning(UserWarning):
    """A score has nothing in its denominator; the message says why."""


@dataclass(frozen=True)
class BalancedScores:
    """Precision, recall and F of one system: plain, for hard words, for easy words, balanced.

    NaN is *undefined*.

    Attributes
    ----------
    precision : float
        Eq. (1).
    recall : float
        Eq. (2).
    f1 : float
        Eq. (3).
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

    precision: float
    recall: float
    f1: float
    p_reward: float
    p_punishment: float
    p_b: float
    r_reward: float
    r_punishment: float
    r_b: float
    f_b: float

    @classmethod
    def from_sums(cls, sums: Any) -> BalancedScores:
        """The scores of sums as :func:`sentence_sums` gives them, added up over sentences.

        The six sums are the last axis; with more axes every score is an array. So
        ``lambda sums: BalancedScores.from_sums(sums).r_reward`` is a metric for
        `betterthan.compare`.

        Examples
        --------
        >>> BalancedScores.from_sums([4, 5, 3, 1.0, 0.5, 1.25]).r_reward
        0.5
        """
        n_gold, n_out, right, d, d_right, d_out = np.moveaxis(np.asarray(sums, float), -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            p, r = right / n_out, right / n_gold
            p_parts = d_right / d_out, (right - d_right) / (n_out - d_out)
            r_parts = d_right / d, (right - d_right) / (n_gold - d)
            p_b, r_b = _harmonic(*p_parts), _harmonic(*r_parts)
            values = p, r, _harmonic(p, r), *p_parts, p_b, *r_parts, r_b, _harmonic(p_b, r_b)
        # 0/0 is NaN already; x/0 cannot happen with honest sums, but must never pass for a score.
        safe = [np.where(np.isfinite(value), value, np.nan) for value in values]
        return cls(*(value if value.ndim else float(value) for value in safe))

    def __str__(self) -> str:
        return (
            f"F1 is {self.f1:.4f}, balanced F is {self.f_b:.4f}. Weighted by difficulty (hard "
            f"words count more) precision is {self.p_reward:.4f} and recall {self.r_reward:.4f}; "
            f"weighted by ease, {self.p_punishment:.4f} and {self.r_punishment:.4f}."
        )

    def table(self) -> pd.DataFrame:
        """The ten scores as one row."""
        return pd.DataFrame([asdict(self)])


def _harmonic(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The harmonic mean; of 0 and 0 it is 0."""
    return np.where(a + b == 0, 0.0, 2 * a * b / (a + b))


@dataclass(frozen=True)
class BalancedF(MetricOfSums):
    """Balanced F, Eq. (15), of the sums of :func:`sentence_sums`: a metric for `compare`.

    Examples
    --------
    >>> from betterthan import compare
    >>> gold = [["一", "种"], ["物质"], ["酚类", "物质"], ["是"]] * 5
    >>> old, new = [["一种"], ["物质"], ["酚类物", "质"], ["是"]] * 5, gold
    >>> d = [[0.4, 0.6], [0.1], [0.5, 0.1], [0.0]] * 5
    >>> sums = [sentence_sums(gold, system, d) for system in (old, new)]
    >>> round(compare(*sums, metric=balanced_f).difference, 3)
    0.869
    """

    def __call__(self, sums: Any) -> Any:
        """Balanced F of sums, which are the last axis."""
        return self.of_rows(sums)


def _balanced_f(sums: Any) -> Any:
    return BalancedScores.from_sums(sums).f_b


# `compare` adds the note to its sentence: it resamples sentences, not judges.
balanced_f = BalancedF(
    "balanced_f",
    _balanced_f,
    notes=(
        "This is about other sentences and the same judges; with fewer than ten, others may "
        "disagree.",
    ),
)
"""Balanced F, Eq. (15), of the sums of :func:`sentence_sums`: a metric for `betterthan.compare`."""


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
        One array of 0 and 1 per sentence.

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
    items = _items.encode_gold(gold)
    return items.split(_items.member_marks(items, "predicted", predicted).astype(np.int8))


def difficulty(gold: Any, committee: Iterable[Any]) -> list[np.ndarray]:
    """How hard each gold word is: the share of the committee that gets it wrong, Eq. (5).

    Systems that are to be compared need one and the same difficulty, from one committee, best
    of members that are not themselves compared.

    Parameters
    ----------
    gold
        A list of sentences: lists of words, or of ``(start, end, label)`` spans.
    committee
        `committee[k][s]` is what member k makes of sentence s: its words or its spans. Any
        iterable of members will do; a generator keeps one member in memory at a time.

    Returns
    -------
    list of array
        One array per sentence, between 0 (nobody fails) and 1 (everybody does).

    Raises
    ------
    ValueError
        As in :func:`marks`, and for an empty committee.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种"]]
    >>> committee = [[["白", "藜芦", "醇", "是", "一种"]], [["白藜", "芦醇", "是", "一", "种"]]]
    >>> difficulty(gold, committee)
    [array([1. , 0. , 0.5, 0.5])]
    """
    items = _items.encode_gold(gold)
    wrong, members = np.zeros(items.start.size), 0
    for members, member in enumerate(committee, 1):
        wrong += ~_items.member_marks(items, f"committee[{members - 1}]", member)
    if not members:
        raise ValueError("committee: expected at least one member, got none")
    return items.split(wrong / members)


def sentence_sums(
    gold: Any, predicted: Any, difficulty: Sequence[Any], *,
    covering: str = "last", spurious: str | Sequence[Any] = "mean",
) -> np.ndarray:  # fmt: skip
    """Six sums per sentence, from which every score is made: counts, not text.

    The columns are the numbers of gold words, of predicted words and of words in both, and the
    sums of the difficulties of the gold words, of the right ones, and of the predicted ones (d′).
    Sums of sums over any sample of sentences give the scores of that sample, which is what
    `betterthan.score` and `betterthan.compare` need; see `balanced_f`.

    See :func:`balanced_scores` for the arguments and what is refused.

    Examples
    --------
    >>> sentence_sums([["一", "种"]], [["一种"]], [[0.25, 0.5]])
    array([[2.  , 1.  , 0.  , 0.75, 0.  , 0.5 ]])
    """
    _checks.choice("covering", covering, ("last", "mean"))
    items = _items.encode_gold(gold)
    d = _flat(items, difficulty)
    other = _items.encode_other(items, "predicted", predicted)
    right = _items.found_in(items, other)
    d_other = _borrowed(items, d, other, covering, spurious)
    columns = [items.total(right), items.total(d), items.total(d * right), other.total(d_other)]
    return np.stack([items.sizes, other.sizes, *columns], axis=1)


def balanced_scores(
    gold: Any, predicted: Any, difficulty: Sequence[Any], *,
    covering: str = "last", spurious: str | Sequence[Any] = "mean",
) -> BalancedScores:  # fmt: skip
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
        One array per sentence, one number between 0 and 1 per gold word, as :func:`difficulty`
        returns it.
    covering
        What d′ is: ``"last"``, the difficulty of the gold word that contains the last
        character (the rule below the paper's Eq. 12), or ``"mean"``, the mean over the gold
        words it touches (the rule two sentences earlier). For a correct word both are d.
    spurious
        Spans only: d′ of a predicted span whose last token lies in no gold span (with
        ``covering="mean"``: that touches none). ``"mean"``, the mean difficulty of the gold
        spans, so that inventing an entity costs what missing an average one does; or a
        committee, whose share of members that invent the very same span is then its difficulty.

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
    UndefinedScoreWarning
        Says why a score is NaN.

    Examples
    --------
    >>> gold = [["白藜芦醇", "是", "一", "种", "酚类", "物质"]]
    >>> old = [["白", "藜芦", "醇", "是", "一种", "酚类", "物质"]]
    >>> new = [["白藜", "芦醇", "是", "一", "种", "酚类物", "质"]]
    >>> d = [[1.0, 0.0, 0.5, 0.5, 0.2, 0.1]]
    >>> one, two = balanced_scores(gold, old, d), balanced_scores(gold, new, d)
    >>> one.f1 == two.f1, round(one.f_b, 3), round(two.f_b, 3)
    (True, 0.175, 0.432)
    """
    sums = sentence_sums(gold, predicted, difficulty, covering=covering, spurious=spurious)
    result = BalancedScores.from_sums(sums.sum(axis=0))
    lost = [name for name, value in asdict(result).items() if math.isnan(value)]
    for name, why in _WHY.items():
        # Without predictions all of precision is undefined for one reason: say it once.
        if name in lost and not (name.startswith("p_") and "precision" in lost):
            message = f"{name} is undefined: {why}; NaN for {', '.join(lost)}"
            warnings.warn(message, UndefinedScoreWarning, stacklevel=2)
    return result


def _flat(gold: _items.Items, difficulty: Sequence[Any]) -> np.ndarray:
    """One difficulty per gold word, checked."""
    values = [np.ravel(np.asarray(one, float)) for one in difficulty]
    if len(values) != len(gold.sizes):
        raise ValueError(f"difficulty: expected {len(gold.sizes)} sentences, got {len(values)}")
    for s, (one, size) in enumerate(zip(values, gold.sizes)):
        if one.size != size:
            raise ValueError(f"difficulty[{s}]: expected {size}, one per word, got {one.size}")
    flat = np.concatenate(values)
    for bad in np.flatnonzero(~((flat >= 0) & (flat <= 1))):
        shown = "difficulty[{}][{}]={!r}".format(*gold.where(bad), float(flat[bad]))
        raise ValueError(f"{shown}: expected a number between 0 and 1")
    return flat


def _borrowed(
    gold: _items.Items, d: np.ndarray, other: _items.Items, covering: str, spurious: Any
) -> np.ndarray:
    """d′ of each predicted word or span."""
    order = np.argsort(gold.start, kind="stable")
    # The last gold word that begins before the predicted one ends, the first that ends after it
    # begins: the words between them share a character with it.
    last = np.searchsorted(gold.start[order], other.end, "left") - 1
    if covering == "mean":
        first = np.searchsorted(gold.end[order], other.start, "right")
        hit = last >= first
    else:
        first, hit = last, (last >= 0) & (gold.end[order][last] >= other.end)
    out = np.empty(other.start.size)
    if hit.any():
        slices = np.stack([first[hit], last[hit] + 1], axis=1).ravel()
        sums = np.add.reduceat(np.append(d[order], 0.0), slices)[::2]
        out[hit] = sums / (last[hit] + 1 - first[hit])
    if isinstance(spurious, str):
        _checks.choice("spurious", spurious, ("mean",))
        out[~hit] = d.mean()
    elif isinstance(spurious, Sequence) and len(spurious):
        members = [_items.encode_other(gold, f"spurious[{k}]", m) for k, m in enumerate(spurious)]
        out[~hit] = np.mean([_items.found_in(other, member) for member in members], axis=0)[~hit]
    else:
        raise ValueError(f"spurious={spurious!r:.40}: expected 'mean' or a committee")
    return out


def bin_of(difficulty: Any, bins: int = 10) -> np.ndarray:
    """Which of `bins` equal parts of 0 … 1 each difficulty falls into, counted from 0.

    The parts are closed on the right: 0.3 belongs to 0.2-0.3, and 0 to the first.

    Examples
    --------
    >>> bin_of([0.0, 0.1, 0.3, 0.31, 1.0])
    array([0, 0, 2, 3, 9])
    """
    # Rounded first, so that 0.3 is in its place whatever 0.3 * 10 comes to.
    at = np.ceil(np.round(np.asarray(difficulty, float) * bins, 9)).astype(int) - 1
    return np.clip(at, 0, bins - 1)


def accuracy_by_difficulty(
    gold: Any, systems: Mapping[str, Any], difficulty: Sequence[Any], bins: int = 10
) -> pd.DataFrame:
    """Recall of each system by tenth of difficulty: the paper's Figure 4.

    The bins are those of :func:`bin_of`.

    Returns
    -------
    DataFrame
        One row per bin (indexed by its range, ``"0.0-0.1"`` …): the number of gold `words` and one
        column of accuracies per system, NaN where the bin is empty.

    Raises
    ------
    ValueError
        As in :func:`balanced_scores`, with the system's name.

    Examples
    --------
    >>> gold, d = [["一", "种", "物质"]], [[0.4, 0.6, 0.0]]
    >>> accuracy_by_difficulty(gold, {"old": [["一种", "物质"]]}, d, bins=2)
             words  old
    0.0-0.5      2  0.5
    0.5-1.0      1  0.0
    """
    _checks.whole("bins", bins)
    items = _items.encode_gold(gold)
    which = bin_of(_flat(items, difficulty), bins)
    found = {n: _items.member_marks(items, f"systems[{n!r}]", s) for n, s in systems.items()}
    table = pd.DataFrame(found, range(which.size)).groupby(which).mean().reindex(range(bins))
    table.insert(0, "words", np.bincount(which, minlength=bins))
    table.index = [f"{round(i / bins, 2)}-{round((i + 1) / bins, 2)}" for i in range(bins)]
    return table


def stability(marks: Any, sizes: Sequence[int], *, repeats: int = 20, rng: Any = 0) -> pd.DataFrame:
    """How much do the difficulties depend on who sits on the committee?

    For each size k the members are split at random into two committees of k that share nobody,
    `repeats` times. A committee is large enough where two of its size agree.

    Parameters
    ----------
    marks
        A table of marks, one row per member, one column per word (`Committee.marks`).
    sizes
        Committee sizes to try, each at most half the number of members.
    rng
        A seed or a generator, as in scipy.

    Returns
    -------
    DataFrame
        One row per size: `correlation` between the two committees' difficulties (mean over the
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
    wrong = 1.0 - mark_table(marks, missing=False)
    sizes = [_checks.whole("sizes", k, 1, len(wrong) // 2) for k in sizes]
    generator, drawn = np.random.default_rng(rng), []
    for _ in range(_checks.whole("repeats", repeats)):
        order = generator.permutation(len(wrong))
        for k in {1, *sizes}:
            one, two = wrong[order[:k]].mean(axis=0), wrong[order[k : 2 * k]].mean(axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):  # all words equally hard: NaN
                r = np.corrcoef(one, two)[0, 1]
            drawn.append((k, r, np.abs(one - two).mean()))
    by_size = pd.DataFrame(drawn, columns=["size", "correlation", "change"]).groupby("size")
    table = by_size["correlation"].agg(correlation="mean", low="min", high="max")
    single = table["correlation"][1]
    table["predicted"] = table.index * single / (1 + (table.index - 1) * single)
    table["change"] = by_size["change"].mean()
    return table.loc[sizes].reset_index()


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
        One row per system, best first: `score`, and its `low` and `high` over the judges.

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
    for at in np.flatnonzero(~(rank >= 1) | (rank % 1 != 0)):
        value = table["rank"].iloc[at]
        raise ValueError(f"judgements: expected a rank of 1, 2, …, but row {at} has {value!s:.40}")
    for at in np.flatnonzero(table.duplicated(["judge", "sentence", "system"])):
        again = f"row {at} ranks {table['system'].iloc[at]!r} again"
        expected = "expected one rank per judge, sentence and system"
        raise ValueError(f"judgements: {expected}, but {again}")
    points = table.assign(points=rank.map({1: 1.0, 2: 0.5}).fillna(0.0))
    earned = points.pivot_table("points", "system", "judge", aggfunc="sum", fill_value=0.0)
    share = (earned / table.groupby("judge")["sentence"].nunique()).T
    result = share.agg(["mean", "min", "max"]).T.set_axis(["score", "low", "high"], axis=1)
    return result.sort_values("score", ascending=False, kind="stable")


def half_width(words: Sequence[str]) -> list[str]:
    """The words with full-width digits and Latin letters made half-width, the rest untouched.

    Corpora differ in this (the People's Daily writes １９９８, SIGHAN's PKU test 1998), and a
    tagger trained on one form has never seen the other.

    Examples
    --------
    >>> half_width(["１９９８年", "Ｂ", "，"])
    ['1998年', 'B', '，']
    """
    return [word.translate(_HALF_WIDTH) for word in words]


def plot_sentence(
    words: Sequence[str], difficulty: Any, ax: Axes | None = None, *,
    translation: Sequence[str] | None = None,
) -> Axes:  # fmt: skip
    """The difficulty of each word as a bar above its characters: the paper's Figure 7.

    Chinese is drawn with the font that the package carries, so the figure is the same
    everywhere.

    Parameters
    ----------
    words
        The words of one sentence.
    difficulty
        One number between 0 and 1 per word.
    ax
        Where to draw; None makes a figure.
    translation
        One gloss per word, drawn below it.

    Raises
    ------
    ValueError
        For lengths that differ, a difficulty outside 0 … 1 or an empty word.

    Examples
    --------
    >>> ax = plot_sentence(["一", "种", "物质"], [0.2, 0.5, 0.0])
    >>> ax.get_ylabel()
    'difficulty'
    """
    import matplotlib.pyplot as plt

    from betterthan._fonts import chinese

    items = _items.encode("words", [words], "words")
    values = _flat(items, [difficulty])
    glosses = [""] * len(words) if translation is None else translation
    _checks.same_length(words=words, translation=glosses)
    height, bottom = (2.6, -0.24) if translation is None else (3.0, -0.36)
    ax = plt.subplots(figsize=(6.4, height))[1] if ax is None else ax
    left, widths = items.start + 0.08, items.end - items.start - 0.16
    colours = plt.get_cmap("cividis_r")(0.15 + 0.8 * values)
    ax.bar(left, values, widths, align="edge", color=colours)
    # A thin foot keeps words of difficulty 0 visible.
    ax.bar(left, -0.02, widths, align="edge", color="0.6")
    for middle, value, gloss in zip((items.start + items.end) / 2, values, glosses):
        ax.text(middle, value + 0.03, f"{value:.2f}", ha="center", fontsize=8)
        ax.text(middle, -0.26, gloss, ha="center", va="top", fontsize=7)
    for position, character in enumerate(items.texts[0]):
        ax.text(position + 0.5, -0.06, character, ha="center", va="top", fontproperties=chinese(15))
    ax.set(xlim=(0, items.end[-1]), ylim=(bottom, 1.12), xticks=[], ylabel="difficulty")
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    ax.spines["bottom"].set_visible(False)
    return ax


def plot_accuracy(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Lines of accuracy by difficulty, from :func:`accuracy_by_difficulty` (Figure 4).

    Examples
    --------
    >>> gold, d = [["一", "种", "物质"]], [[0.4, 0.6, 0.0]]
    >>> ax = plot_accuracy(accuracy_by_difficulty(gold, {"old": [["一种", "物质"]]}, d, bins=2))
    >>> [line.get_label() for line in ax.get_lines()]
    ['old']
    """
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for n, name in enumerate(table.columns.drop("words", errors="ignore")):
        style = {"ls": "-" if n < 7 else "--", "marker": "osD^vPX<>*"[n % 10]}
        ax.plot(table.index, table[name], ms=5, label=name, **style)
    ax.set(xlabel="difficulty", ylabel="share of words found", ylim=(-0.02, 1.02))
    ax.tick_params(axis="x", labelrotation=30)
    ax.legend()
    return ax
