"""Is a model's confidence any good, and which of its answers should a person check?

Everything here takes any model's output: whether each answer is right (`correct`) and how sure
the model was of it, flat, or as one array per sentence. `evaluate` asks whether "90 %" is right
nine times in ten; `average_precision` and `detected_errors` ask whether the mistakes are among
the least sure answers, and take any scale; `recalibrate` repairs; `doubtful` and `plot_doubts`
show people where to look.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks
from betterthan._result import Interval

if TYPE_CHECKING:  # pandas takes longer to import than all the rest, and a tagger needs none
    import pandas as pd
    from matplotlib.axes import Axes

Rows = Sequence[Sequence[Any]]  # one sequence per sentence

__all__ = [
    "DoubtMap", "Evaluation", "Recalibration", "average_precision", "detected_errors", "doubtful",
    "evaluate", "marks", "plot_doubts", "recalibrate", "tied_average_precision",
]  # fmt: skip


def marks(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Which labels are right: one boolean array per sentence.

    Raises
    ------
    ValueError
        If the two have unequal numbers of sentences, or a sentence unequal lengths.

    Examples
    --------
    >>> marks([["B", "I"], ["O"]], [["B", "O"], ["O"]])
    [array([ True, False]), array([ True])]
    """
    _checks.same_length(gold=gold, predicted=predicted)
    for s, (g, p) in enumerate(zip(gold, predicted)):
        if len(g) != len(p):
            raise ValueError(f"predicted[{s}]: expected {len(g)} labels, as in gold, got {len(p)}")
    return [np.array([a == b for a, b in zip(*pair)], bool) for pair in zip(gold, predicted)]


def _nested(values: Any) -> bool:
    return not isinstance(values, np.ndarray) and all(np.ndim(v) == 1 for v in values)


def _flat(values: Any) -> np.ndarray:
    return np.concatenate([*values, []]) if _nested(values) else np.asarray(values)


def _pair(correct: Any, **confidence: Any) -> tuple[np.ndarray, np.ndarray]:
    ((name, values),) = confidence.items()
    right, sure = _checks.vector("correct", _flat(correct)), _checks.vector(name, _flat(values))
    _checks.same_length(**{"correct": right, name: sure})
    for i in np.flatnonzero((right != 0) & (right != 1)):
        raise ValueError(f"correct: expected 0 or 1, but correct[{i}] is {right[i]:g}")
    return right.astype(bool), sure


def _tied(right: np.ndarray, sure: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each confidence there is, from low to high; how many have it; how many of them are right."""
    stated, place, n = np.unique(sure, return_inverse=True, return_counts=True)
    return stated, n, np.bincount(place, right).astype(np.int64)


def _isotonic(n: np.ndarray, hits: np.ndarray) -> np.ndarray:
    from scipy.optimize import isotonic_regression

    return isotonic_regression(hits / n, weights=n).x


# Relative confidence: does the ranking put the errors first?


def average_precision(correct: Any, confidence: Any) -> float:
    r"""Average precision of finding the errors by looking at the least sure answers first.

    Answers are ranked from low to high confidence; the average precision is the mean, over all
    errors, of the share of errors among the answers ranked at least as high (Mejer and Crammer
    2010, section 5). Answers of equal confidence stand in random order: the value returned is
    the expectation over all those orders, in closed form. A group of :math:`n` tied answers with
    :math:`m` errors that follows :math:`N` answers with :math:`M` errors contributes

    .. math:: \sum_{j=1}^{n} \frac{m}{n} \cdot
              \frac{M + 1 + (j-1)\frac{m-1}{n-1}}{N + j}.

    Parameters
    ----------
    correct
        One truth value per answer.
    confidence
        One number per answer, any scale; only the order counts.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, values of `correct` other than 0 and 1, or no error at all
        (then there is nothing to find).

    Examples
    --------
    The two errors are first and third: (1/1 + 2/3) / 2.

    >>> round(average_precision([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9]), 4)
    0.8333
    """
    right, sure = _pair(correct, confidence=confidence)
    if right.all():
        raise ValueError("correct: expected at least one error to find, got none")
    _, n, hits = _tied(right, sure)
    return tied_average_precision(n, n - hits)


def tied_average_precision(n: np.ndarray, errors: np.ndarray) -> float:
    """The same from groups of equals, least sure first: their sizes, and the errors in them.

    Examples
    --------
    >>> round(tied_average_precision(np.array([1, 1, 1, 1]), np.array([1, 0, 1, 0])), 4)
    0.8333
    """
    # The sum over j of (A + Bj)/(N + j) is Bn + (A - BN)(H(N + n) - H(N)), H the harmonic
    # numbers; so the work is one step per group.
    N, M = np.cumsum(n) - n, np.cumsum(errors) - errors
    harmonic = np.r_[0.0, np.cumsum(1.0 / np.arange(1, n.sum() + 1))]
    slope = (errors - 1) / np.maximum(n - 1, 1)
    total = slope * n + (M + 1 - slope - slope * N) * (harmonic[N + n] - harmonic[N])
    return float((errors / np.maximum(n, 1) * total).sum() / errors.sum())


def detected_errors(correct: Any, confidence: Any, inspected: Any = None) -> np.ndarray:
    """How many errors a person finds who looks at the least sure answers first.

    Within a group of equals the errors are expected to be found evenly.

    Parameters
    ----------
    correct, confidence
        As for :func:`average_precision`.
    inspected
        Numbers of answers looked at; None means 0, 1, … all of them.

    Returns
    -------
    array
        The (expected) number of errors found, one for each entry of `inspected`.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, or `inspected` outside 0 … number of answers.

    Examples
    --------
    >>> detected_errors([0, 1, 0, 1], [0.1, 0.5, 0.5, 0.9])
    array([0. , 1. , 1.5, 2. , 2. ])
    """
    right, sure = _pair(correct, confidence=confidence)
    _, n, hits = _tied(right, sure)
    at = np.arange(sure.size + 1) if inspected is None else np.atleast_1d(inspected)
    at = _checks.vector("inspected", at)
    for outside in at[(at < 0) | (at > sure.size)]:
        raise ValueError(f"inspected={outside:g}: expected a number from 0 to {sure.size}")
    return np.interp(at, np.r_[0, np.cumsum(n)], np.r_[0, np.cumsum(n - hits)])


# Absolute confidence: is "90 %" right nine times in ten?


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What `evaluate` found; ``print`` gives the sentence for the paper.

    Attributes
    ----------
    n : int
        How many answers.
    base_rate : float
        The share of right answers. Saying it every time is the constant to beat.
    mean_probability : float
        What was stated on average; above the base rate the model is too sure.
    too_sure : Interval
        Of `mean_probability` − `base_rate`, 95 %; where it holds 0, luck alone may have done it.
    brier : float
        Mean squared distance between probability and 1 (right) or 0 (wrong). It is
        ``calibration − resolution + uncertainty``, exactly.
    interval : Interval
        Of the Brier score, 95 %, by the delete-one(-group) jackknife.
    n_groups : int
        How many groups (the answers themselves without ``groups=``).
    calibration : float
        What the Brier score would lose if every probability were replaced by what isotonic
        regression finds it to be worth; 0 is best.
    resolution : float
        How much better those replaced probabilities are than the base rate; more is better.
    ece : float
        Expected calibration error: mean absolute distance between a bin's share of right
        answers and its mean probability. Above 0 even for a model that keeps its promise.
    rmse_mean : float
        Root mean squared distance between the two.
    rmse_centre : float
        The same against the bin's *centre* (Mejer and Crammer 2010). A constant answer can win it.
    average_precision : float
        Of finding the errors, the least probable answers first; NaN without an error.
    notes : tuple of str
        What to beware of.
    """

    n: int
    base_rate: float
    mean_probability: float
    too_sure: Interval
    brier: float
    interval: Interval
    n_groups: int
    calibration: float
    resolution: float
    ece: float
    rmse_mean: float
    rmse_centre: float
    average_precision: float
    _bins: dict[str, np.ndarray] = field(repr=False)
    _curve: tuple[np.ndarray, np.ndarray] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def uncertainty(self) -> float:
        """The Brier score of the base rate."""
        return self.base_rate * (1 - self.base_rate)

    def __str__(self) -> str:
        groups = f"; {self.n_groups:,} groups" if self.n_groups < self.n else ""
        interval = f"95 % interval {self.interval}"
        interval = "no interval" if math.isnan(self.interval.low) else interval
        gap, (low, high) = self.mean_probability - self.base_rate, self.too_sure
        known = f"(stated minus right {gap:+.4f}, 95 % interval {low:+.4f} to {high:+.4f})"
        leaning = f"too {'sure' if gap > 0 else 'unsure'} {known}"
        leaning = leaning if low > 0 or high < 0 else f"not shown to be too sure or unsure {known}"
        found = f"{self.average_precision:.3f} (in random order {1 - self.base_rate:.3f})"
        errors = "Checking the least sure first finds the mistakes with an average precision of"
        said = (
            f"Of {self.n:,} answers {100 * self.base_rate:.1f} % are right. The Brier score is "
            f"{self.brier:.4f} ({interval}{groups}); always saying "
            f"{self.base_rate:.3f} would score {self.uncertainty:.4f}. Calibration costs "
            f"{self.calibration:.4f}, resolution gains {self.resolution:.4f}. The expected "
            f"calibration error is {self.ece:.4f} (above 0 for any model); on the whole the model "
            f"is {leaning}. "
            f"{f'{errors} {found}.' if self.base_rate < 1 else 'There is no mistake to find.'}"
        )
        return " ".join([said, *self.notes])

    def table(self) -> pd.DataFrame:
        """One row per bin: low, high, n, right, accuracy, probability (its mean)."""
        import pandas as pd

        return pd.DataFrame(self._bins)

    def plot(self, ax: Axes | None = None, label: str | None = None) -> Axes:
        """Reliability: the share of right answers at each stated probability.

        The line is isotonic regression: on the diagonal the promise is kept, below it the model
        promises too much. The bars grow with the square root of the number of answers.
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
        (line,) = ax.plot(*self._curve, linewidth=1.5, label=label)
        low, height = self._bins["low"], 0.1 * np.sqrt(self._bins["n"] / self._bins["n"].max())
        ax.bar(low, height, 1 / low.size, align="edge", color=line.get_color(), alpha=0.35)
        ax.set(xlabel="stated probability", ylabel="share right", xlim=(0, 1), ylim=(0, 1))
        return ax


def evaluate(correct: Any, probability: Any, *, groups: Any = None, bins: int = 20) -> Evaluation:
    """Compare the probabilities that a model states with how often it is right.

    The Brier score is split by isotonic regression (CORP: Dimitriadis, Gneiting and Jordan
    2021), so calibration and resolution need no bins. The expected calibration error and the
    table have equal bins over [0, 1], each closed below and open above but for the last, which
    holds 1; a probability that is a count over a number of draws falls into the bin exact
    arithmetic puts it in.

    Parameters
    ----------
    correct
        1 or 0 (right or wrong) per answer.
    probability
        How sure the model was of each answer, between 0 and 1.
    groups
        What hangs together (sentence, document), one label per answer; the interval needs it.
    bins
        Number of bins.

    Raises
    ------
    ValueError
        For no answers, unequal lengths, NaN, values of `correct` other than 0 and 1, or a
        probability outside [0, 1] (a margin is none; see `recalibrate`).

    Examples
    --------
    >>> result = evaluate([1] * 9 + [0] + [1, 0] * 5, [0.9] * 10 + [0.6] * 10)
    >>> print(f"{result.brier:.3f} = {result.calibration:.3f} − {result.resolution:.3f} + "
    ...       f"{result.uncertainty:.3f}")
    0.175 = 0.005 − 0.040 + 0.210
    """
    from betterthan.paired import score

    bins = _checks.whole("bins", bins)
    right, p = _pair(correct, probability=probability)
    _checks.vector("correct", right, least=2)
    _checks.probabilities("probability", p)
    base, terms = float(right.mean()), (p - right) ** 2
    found, gap = score(terms, groups=groups), score(p - right, groups=groups)
    stated, n, hits = _tied(right, p)
    worth = _isotonic(n, hits)
    recalibrated = float((hits * (1 - worth) ** 2 + (n - hits) * worth**2).sum() / p.size)
    return Evaluation(
        n=p.size, base_rate=base, mean_probability=float(p.mean()), brier=float(terms.mean()),
        calibration=max(0.0, float(terms.mean()) - recalibrated),
        resolution=max(0.0, base * (1 - base) - recalibrated), **_binned(right, p, bins),
        average_precision=math.nan if right.all() else tied_average_precision(n, n - hits),
        interval=found.interval, n_groups=found.n_groups, too_sure=gap.interval,
        _curve=(stated, worth),
        notes=getattr(correct, "attrs", {}).get("notes", ()) if groups is None else (),
    )  # fmt: skip


def _binned(right: np.ndarray, p: np.ndarray, bins: int) -> dict[str, Any]:
    # 29/50 * 50 is 28.999999999999996 in floating point: a count on an edge belongs above it.
    index = np.minimum(np.floor(p * bins + 1e-9).astype(np.int64), bins - 1)
    n, hits, total = (np.bincount(index, w, bins) for w in (None, right, p))
    with np.errstate(invalid="ignore"):
        accuracy, mean = hits / n, total / n
    edges = np.arange(bins + 1) / bins
    used, share = n > 0, n / p.size
    gap = {"mean": mean - accuracy, "centre": (edges[:-1] + edges[1:]) / 2 - accuracy}
    rmse = {f"rmse_{k}": float(np.sqrt((share * g**2)[used].sum())) for k, g in gap.items()}
    table = {"low": edges[:-1], "high": edges[1:], "n": n, "right": hits.astype(np.int64)}
    table |= {"accuracy": accuracy, "probability": mean}
    return {"ece": float((share * np.abs(gap["mean"]))[used].sum()), **rmse, "_bins": table}


@dataclass(frozen=True)
class Recalibration:
    """A map from a stated confidence to one that held-out data supports; call it.

    Attributes
    ----------
    temperature : float or None
        What the log-odds are divided by; None for isotonic regression.
    """

    temperature: float | None
    _map: Callable[[np.ndarray], np.ndarray] = field(repr=False)

    def __call__(self, confidence: Any) -> Any:
        """The recalibrated confidence in the shape it was given: flat, or one array per sentence.

        Raises
        ------
        ValueError
            For NaN, or a confidence outside [0, 1] where the method needs a probability.
        """
        flat = self._map(_checks.vector("confidence", _flat(confidence)))
        lengths = [len(v) for v in confidence] if _nested(confidence) else [flat.size]
        return np.split(flat, np.cumsum(lengths)[:-1]) if _nested(confidence) else flat

    def __str__(self) -> str:
        if self.temperature is None:
            return "isotonic recalibration: a rising function fitted to held-out labels"
        was = f"the confidence was too {'sure' if self.temperature > 1 else 'unsure'}"
        return f"temperature {self.temperature:.2f}: the log-odds are divided by it ({was})"


def recalibrate(
    correct: Any, confidence: Any, method: str = "isotonic", draws: int | None = None
) -> Recalibration:
    r"""Learn, from held-out labels, what a stated confidence is worth.

    Parameters
    ----------
    correct
        One truth value per answer of held-out data.
    confidence
        One number per answer. For ``"isotonic"`` any scale will do, so that even
        Delta's differences become probabilities.
    method
        ``"isotonic"``: the best rising function, straight lines between the values that were
        seen. ``"temperature"``: one number T by which the log-odds are divided, chosen by
        maximum likelihood.
    draws
        For ``"temperature"`` and a confidence that is a share of K draws: K, so that 0 and 1
        become (Kν + ½)/(K + 1). None keeps the confidence, cut at 1e-6 from 0 and 1.

    Raises
    ------
    ValueError
        For an unknown method, unequal lengths, NaN, or a confidence outside [0, 1] with
        ``"temperature"``.

    Examples
    --------
    A tagger that says .99 and is right four times in five:

    >>> fix = recalibrate([1] * 8 + [0] * 2, [0.99] * 10, "temperature")
    >>> fix([0.99]).round(3)
    array([0.8])
    """
    from scipy import optimize

    _checks.choice("method", method, ("isotonic", "temperature"))
    right, sure = _pair(correct, confidence=confidence)
    if method == "isotonic":
        stated, n, hits = _tied(right, sure)
        worth = _isotonic(n, hits)
        return Recalibration(None, lambda values: np.interp(values, stated, worth))
    if draws is not None:
        draws = _checks.whole("draws", draws)

    def log_odds(values: np.ndarray) -> np.ndarray:
        p = _checks.probabilities("confidence", values)
        p = np.clip(p, 1e-6, 1 - 1e-6) if draws is None else (draws * p + 0.5) / (draws + 1)
        return np.log(p) - np.log1p(-p)

    def loss(log_t: float) -> float:
        return np.logaddexp(0.0, z / np.exp(log_t)).mean()

    z = np.where(right, -1.0, 1.0) * log_odds(sure)
    t = float(np.exp(optimize.minimize_scalar(loss, bounds=(-6, 6), options={"xatol": 1e-8}).x))
    return Recalibration(t, lambda values: 1 / (1 + np.exp(-log_odds(values) / t)))


# For people: what to look at


def doubtful(
    words: Rows, labels: Rows, confidence: Rows, n: int = 50, gold: Rows = (), tiebreak: Rows = ()
) -> pd.DataFrame:
    """The labels most worth a human look, least sure first.

    Parameters
    ----------
    words, labels, confidence
        One sequence per sentence each: what was labelled, how, and how surely.
    n
        How many to list.
    gold
        If given, a column says which label the annotation has.
    tiebreak
        A second confidence that orders equals, such as Delta's; then the order of the text
        decides.

    Returns
    -------
    DataFrame
        One row per word: sentence, position, word, label, confidence, context.

    Raises
    ------
    ValueError
        If the arguments differ in their numbers of sentences or words, or for NaN.

    Examples
    --------
    >>> doubtful([["Peter", "was", "here"]], [["B-PER", "O", "O"]], [[0.6, 0.99, 0.98]], n=1)
       sentence  position   word  label  confidence           context
    0         0         0  Peter  B-PER         0.6  [Peter] was here
    """
    import pandas as pd

    n = _checks.whole("n", n)
    given = {"words": words, "labels": labels} | ({"gold": gold} if len(gold) else {})
    given |= {"confidence": confidence} | ({"tiebreak": tiebreak} if len(tiebreak) else {})
    _checks.same_length(**given)
    for name, rows in given.items():
        for s, (row, sentence) in enumerate(zip(rows, words)):
            if len(row) != len(sentence):
                raise ValueError(f"{name}[{s}]: expected {len(sentence)} entries, got {len(row)}")
    flat = {name: [x for row in rows for x in row] for name, rows in given.items()}
    place = [(s, p) for s, sentence in enumerate(words) for p in range(len(sentence))]
    frame = pd.DataFrame(place, columns=["sentence", "position"]).assign(**flat)
    order = ["confidence"] + ["tiebreak"] * ("tiebreak" in frame)
    for name in order:
        _checks.vector(name, frame[name])
    frame = frame.sort_values(order, kind="stable", ignore_index=True).head(n)
    frame["context"] = [_context(words[s], p) for s, p in zip(frame["sentence"], frame["position"])]
    return frame.drop(columns=order[1:]).rename(columns={"words": "word", "labels": "label"})


def _context(words: Sequence[str], p: int) -> str:
    around = [*words[max(0, p - 3) : p], f"[{words[p]}]", *words[p + 1 : p + 4]]
    # Languages written without spaces are shown without them.
    dense = all(len(x) == 1 and ord(x) > 0x2E7F for x in words if x.isalpha())
    return ("" if dense else " ").join(around)


@dataclass(frozen=True)
class DoubtMap:
    """A sentence with its doubtful words marked; ``print`` lists them, a notebook shows colours."""

    text: str
    markup: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup


def plot_doubts(
    words: Sequence[str], confidence: Sequence[float], labels: Sequence[str] | None = None
) -> DoubtMap:
    """A heat-map of one sentence: the darker a word, the less sure its label.

    It is drawn as text with colours, so that any script is shown in the reader's own fonts;
    its alternative text lists the words below 0.9.

    Parameters
    ----------
    words, confidence, labels
        One entry per word.

    Raises
    ------
    ValueError
        For unequal lengths or a confidence outside [0, 1].

    Examples
    --------
    >>> print(plot_doubts(["Peter", "was", "here"], [0.6, 0.99, 1.0]))
    1 of 3 words below 0.9: Peter (0) 0.60
    """
    sure = _checks.probabilities("confidence", confidence).tolist()
    labels = [""] * len(words) if labels is None else labels
    _checks.same_length(words=words, confidence=sure, labels=labels)
    rising, cells = sorted(zip(sure, range(len(sure)), words)), []
    low = [f"{word} ({i}) {c:.2f}" for c, i, word in rising if c < 0.9]
    listed = f"{len(low)} of {len(words)} words below 0.9: {', '.join(low)}"
    text = listed if low else f"no word of {len(words)} below 0.9"
    # White to orange by doubt; black text keeps a contrast of at least 8:1 on all of it. The square
    # root makes a doubt of one in ten already visible.
    for word, c, label in zip(words, sure, labels):
        # The text colour is fixed with its background, so both themes read alike, and a
        # thicker underline says the same to those who do not see the colour.
        shade = [round(255 - way * math.sqrt(1 - c)) for way in (25, 96, 255)]
        under = f'<br><span style="font-size:65%">{html.escape(label)}</span>' if label else ""
        said = html.escape(f"confidence {c:.2f}" + (f", label {label}" if label else ""))
        cells.append(
            f'<span title="{said}" style="background:rgb{tuple(shade)};color:#111;padding:2px 3px;'
            "margin:1px;display:inline-block;text-align:center;"
            f'border-bottom:{round(6 * (1 - c))}px solid #D55E00">{html.escape(word)}{under}</span>'
        )
    shown = html.escape(text, quote=True)
    page = f'<div role="img" aria-label="{shown}" style="line-height:2.2;font-size:110%">'
    page += f'{"".join(cells)}</div><div style="font-size:85%">{shown}</div>'
    return DoubtMap(text, page)
