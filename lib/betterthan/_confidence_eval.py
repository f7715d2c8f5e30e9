"""Is a confidence any good? Ranking of errors, calibration, recalibration, active learning.

Confidence and correctness are given as one flat array over all words, or as one array a
sentence, as :meth:`betterthan.sequences.Tagger.confidence` returns them.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _checks, tags

if TYPE_CHECKING:  # pandas takes longer to import than all the rest, and a tagger needs none
    import pandas as pd

    from ._sequences_index import Encoded
    from .sequences import Tagger

RULES = ("kd_pc", "kd_fixed", "min_margin", "min_conf_margin", "random")


# Correct or not


def marks(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Which labels are right: one boolean array a sentence.

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
    out = []
    for s, (g, p) in enumerate(zip(gold, predicted)):
        if len(g) != len(p):
            raise ValueError(
                f"predicted[{s}]: expected {len(g)} labels as in gold[{s}], got {len(p)}"
            )
        out.append(np.fromiter((a == b for a, b in zip(g, p)), dtype=bool, count=len(g)))
    return out


# Relative confidence: does the ranking put the errors first?


def average_precision(confidence: Any, correct: Any) -> float:
    r"""Average precision of finding the errors by looking at the least confident words first.

    Words are ranked from low to high confidence; the average precision is the mean, over all
    errors, of the share of errors among the words ranked at least as high (Mejer and Crammer
    2010, section 5). Words of equal confidence stand in random order: the value returned is
    the expectation over all those orders, in closed form. A group of :math:`n` tied words with
    :math:`m` errors that follows :math:`N` words with :math:`M` errors contributes

    .. math:: \sum_{j=1}^{n} \frac{m}{n} \cdot
              \frac{M + 1 + (j-1)\frac{m-1}{n-1}}{N + j}.

    Parameters
    ----------
    confidence
        One number a word, any scale; only the order counts.
    correct
        One truth value a word.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, values of `correct` other than 0 and 1, or no error at all
        (then there is nothing to find).

    Examples
    --------
    The two errors are first and third: (1/1 + 2/3) / 2.

    >>> round(average_precision([0.1, 0.2, 0.3, 0.9], [False, True, False, True]), 4)
    0.8333
    """
    c, wrong = _ranked_input(confidence, correct)
    if not wrong.any():
        raise ValueError("correct: expected at least one error to find, got none")
    return float(_average_precision(*_tied_groups(c, wrong)))


def _average_precision(n: np.ndarray, m: np.ndarray) -> float:
    """From the sizes of the tied groups, in order, and the errors in them.

    The sum over j of (A + Bj)/(N + j) is Bn + (A - BN)(H(N + n) - H(N)), H the harmonic
    numbers; so the work is one step a group.
    """
    N, M = np.cumsum(n) - n, np.cumsum(m) - m
    harmonic = np.r_[0.0, np.cumsum(1.0 / np.arange(1, n.sum() + 1))]
    slope = (m - 1) / np.maximum(n - 1, 1)
    total = slope * n + (M + 1 - slope - slope * N) * (harmonic[N + n] - harmonic[N])
    return (m / np.maximum(n, 1) * total).sum() / m.sum()


def detected_errors(confidence: Any, correct: Any, inspected: Any = None) -> np.ndarray:
    """How many errors a person finds who looks at the least confident words first.

    Within a group of tied words the errors are expected to be found evenly.

    Parameters
    ----------
    confidence, correct
        As for :func:`average_precision`.
    inspected
        Numbers of words looked at; None means 0, 1, … all words.

    Returns
    -------
    array
        The (expected) number of errors found, one for each entry of `inspected`.

    Raises
    ------
    ValueError
        For unequal lengths, NaN, or `inspected` outside 0 … number of words.

    Examples
    --------
    >>> detected_errors([0.1, 0.5, 0.5, 0.9], [False, True, False, True])
    array([0. , 1. , 1.5, 2. , 2. ])
    """
    c, wrong = _ranked_input(confidence, correct)
    n, m = _tied_groups(c, wrong)
    if inspected is None:
        at = np.arange(c.size + 1, dtype=float)
    else:
        at = _checks.vector("inspected", np.atleast_1d(inspected))
        bad = np.flatnonzero((at < 0) | (at > c.size))
        if bad.size:
            raise ValueError(
                f"inspected={at[bad[0]]:g}: expected a number of words from 0 to {c.size}"
            )
    return np.interp(at, np.r_[0, np.cumsum(n)], np.r_[0, np.cumsum(m)])


def _ranked_input(confidence: Any, correct: Any) -> tuple[np.ndarray, np.ndarray]:
    c, right = _flat_pair(confidence, correct)
    return c, ~right


def _tied_groups(c: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The groups of equal confidence from low to high: their sizes and numbers of errors."""
    order, first = _order(c)
    n = np.diff(np.r_[first, c.size])
    m = np.add.reduceat(wrong[order].astype(np.int64), first)
    return n, m


def _order(c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ranking from low to high, and the rank at which each group of equals begins."""
    order = np.argsort(c, kind="stable")
    ranked = c[order]
    return order, np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])


def _flat(name: str, values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values
    values = list(values)
    if values and all(np.ndim(v) == 1 for v in values):
        return np.concatenate([np.asarray(v) for v in values])
    return np.asarray(values)


def _flat_pair(confidence: Any, correct: Any) -> tuple[np.ndarray, np.ndarray]:
    c = _checks.vector("confidence", _flat("confidence", confidence))
    given = _flat("correct", correct)
    right = _checks.vector("correct", given)
    _checks.same_length(confidence=c, correct=right)
    bad = np.flatnonzero((right != 0) & (right != 1))
    if bad.size:
        raise ValueError(
            f"correct: expected truth values, but correct[{bad[0]}] is {right[bad[0]]:g}"
        )
    return c, right.astype(bool)


# Absolute confidence: is "90 %" right nine times in ten?


@dataclass(frozen=True)
class Calibration:
    """How far stated confidence is from the share of right labels.

    Attributes
    ----------
    rmse
        Root mean squared distance between a bin's share of right labels and its *centre*,
        as in the paper. A constant answer can win it: see ``rmse_mean``.
    rmse_mean
        The same against the bin's *mean confidence*.
    brier
        Mean squared distance between confidence and 0 or 1, word by word.
    ece
        Expected calibration error: mean absolute distance between a bin's share of right
        labels and its mean confidence.
    table
        One row a bin: low, high, centre, words, right, accuracy, confidence.
    """

    rmse: float
    rmse_mean: float
    brier: float
    ece: float
    words: int
    table: pd.DataFrame = field(repr=False)

    def __str__(self) -> str:
        used = self.table[self.table["words"] > 0]
        gap = (used["words"] * (used["confidence"] - used["accuracy"])).sum() / self.words
        if round(abs(gap), 4) == 0:
            leaning = "on the whole neither too sure nor too unsure"
        else:
            leaning = f"on the whole too {'sure' if gap > 0 else 'unsure'} by {abs(gap):.4f}"
        return (
            f"{self.words} labels: expected calibration error {self.ece:.4f}, "
            f"Brier score {self.brier:.4f}, RMSE {self.rmse:.4f} against bin centres and "
            f"{self.rmse_mean:.4f} against mean confidence; {leaning}"
        )

    def plot(self, ax: Any = None, label: str | None = None, least: int = 1) -> Any:
        """Reliability diagram: share of right labels against confidence, a point a bin.

        Bins with fewer than `least` words are left out. Returns the axes.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        if not any(line.get_gid() == "diagonal" for line in ax.lines):
            ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, gid="diagonal")
        used = self.table[self.table["words"] >= least]
        ax.plot(used["confidence"], used["accuracy"], marker="o", markersize=4, label=label)
        ax.set(
            xlabel="stated confidence (mean of the bin)",
            ylabel="share of right labels",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        return ax


def calibration(confidence: Any, correct: Any, bins: int = 20) -> Calibration:
    """Compare stated confidence with the share of right labels, bin by bin.

    Equal bins over [0, 1], each closed below and open above but for the last, which holds 1
    (the paper's last bin is open, and would lose the words all draws agree on). A confidence
    that is a count over a number of draws falls into the bin exact arithmetic puts it in.

    Parameters
    ----------
    confidence
        One number between 0 and 1 a word.
    correct
        One truth value a word.
    bins
        Number of bins.

    Raises
    ------
    ValueError
        For a confidence outside [0, 1] (as Delta's), unequal lengths or NaN.

    Examples
    --------
    >>> result = calibration([0.9] * 10, [True] * 9 + [False])
    >>> print(f"{result.ece:.3f} {result.rmse:.3f}")
    0.000 0.025
    """
    import pandas as pd

    bins = _checks.whole("bins", bins)
    c, right = _flat_pair(confidence, correct)
    _checks.probabilities("confidence", c)
    scaled = c * bins
    nearest = np.rint(scaled)
    # 29/50 * 50 is 28.999999999999996 in floating point: a count on an edge belongs above it.
    exact = np.where(np.abs(scaled - nearest) < 1e-9, nearest, np.floor(scaled))
    index = np.minimum(exact.astype(np.int64), bins - 1)
    n = np.bincount(index, minlength=bins)
    hits = np.bincount(index, weights=right, minlength=bins)
    total = np.bincount(index, weights=c, minlength=bins)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracy = hits / n
        mean = total / n
    edges = np.arange(bins + 1) / bins
    centre = (edges[:-1] + edges[1:]) / 2
    used = n > 0
    share = n[used] / c.size
    table = pd.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "centre": centre,
            "words": n,
            "right": hits.astype(np.int64),
            "accuracy": accuracy,
            "confidence": mean,
        }
    )
    return Calibration(
        rmse=float(np.sqrt((share * (centre - accuracy)[used] ** 2).sum())),
        rmse_mean=float(np.sqrt((share * (mean - accuracy)[used] ** 2).sum())),
        brier=float(np.mean((c - right) ** 2)),
        ece=float((share * np.abs(mean - accuracy)[used]).sum()),
        words=int(c.size),
        table=table,
    )


@dataclass(frozen=True)
class Recalibration:
    """A map from a stated confidence to one that held-out data supports; call it."""

    method: str
    temperature: float | None
    _map: Callable[[np.ndarray], np.ndarray] = field(repr=False)

    def __call__(self, confidence: Any) -> Any:
        """The recalibrated confidence, in the shape it was given: flat, or one array a sentence.

        Raises
        ------
        ValueError
            For NaN, or a confidence outside [0, 1] where the method needs a probability.
        """
        nested = not isinstance(confidence, np.ndarray) and any(np.ndim(v) == 1 for v in confidence)
        flat = self._map(_checks.vector("confidence", _flat("confidence", confidence)))
        if not nested:
            return flat
        ends = np.cumsum([len(v) for v in confidence])
        return np.split(flat, ends[:-1])

    def __str__(self) -> str:
        if self.method == "isotonic":
            return "isotonic recalibration: a rising step function fitted to held-out labels"
        side = "too sure" if self.temperature > 1 else "too unsure"
        return (
            f"temperature {self.temperature:.2f}: the log-odds are divided by it "
            f"(the confidence was {side})"
        )


def recalibrate(
    confidence: Any, correct: Any, method: str = "isotonic", draws: int | None = None
) -> Recalibration:
    r"""Learn, from held-out labels, what a stated confidence is worth.

    Parameters
    ----------
    confidence
        One number a word of held-out data. For ``"isotonic"`` any scale will do, so that even
        Delta's differences become probabilities.
    correct
        One truth value a word.
    method
        ``"isotonic"``: the best rising function (scikit-learn). ``"temperature"``: one number
        T by which the log-odds are divided, chosen by maximum likelihood.
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

    >>> fix = recalibrate([0.99] * 10, [True] * 8 + [False] * 2, "temperature")
    >>> fix([0.99]).round(3)
    array([0.8])
    """
    _checks.choice("method", method, ("isotonic", "temperature"))
    c, right = _flat_pair(confidence, correct)
    if method == "isotonic":
        from sklearn.isotonic import IsotonicRegression

        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(c, right)
        return Recalibration("isotonic", None, model.predict)

    from scipy.optimize import minimize_scalar

    if draws is not None:
        draws = _checks.whole("draws", draws)

    def log_odds(values: np.ndarray) -> np.ndarray:
        p = _checks.probabilities("confidence", values)
        p = np.clip(p, 1e-6, 1 - 1e-6) if draws is None else (draws * p + 0.5) / (draws + 1)
        return np.log(p) - np.log1p(-p)

    z = log_odds(c)
    sign = np.where(right, -1.0, 1.0)
    best = minimize_scalar(
        lambda log_t: np.logaddexp(0.0, sign * z / np.exp(log_t)).mean(),
        bounds=(-6.0, 6.0),
        method="bounded",
        options={"xatol": 1e-8},
    )
    temperature = float(np.exp(best.x))
    return Recalibration(
        "temperature", temperature, lambda v: 1 / (1 + np.exp(-log_odds(v) / temperature))
    )


# For people: what to look at


def doubtful(
    words: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    confidence: Sequence[Sequence[float]],
    n: int = 50,
    gold: Sequence[Sequence[str]] | None = None,
    tiebreak: Sequence[Sequence[float]] | None = None,
    context: int = 3,
) -> pd.DataFrame:
    """The labels most worth a human look, least confident first.

    Parameters
    ----------
    words, labels, confidence
        One sequence a sentence each: what was labelled, how, and how surely.
    n
        How many to list.
    gold
        If given, a column says which label the annotation has.
    tiebreak
        A second confidence that orders equals, such as Delta's; then the order of the text
        decides.
    context
        How many words to show on either side.

    Returns
    -------
    DataFrame
        A row a word: sentence, position, word, label, confidence, context.

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
    context = _checks.whole("context", context, least=0)
    given = {"words": words, "labels": labels, "confidence": confidence}
    given |= {k: v for k, v in (("gold", gold), ("tiebreak", tiebreak)) if v is not None}
    _checks.same_length(**given)
    lengths = np.array([len(s) for s in words])
    for name, rows in given.items():
        for s, row in enumerate(rows):
            if len(row) != lengths[s]:
                raise ValueError(
                    f"{name}[{s}]: expected {lengths[s]} entries, one a word, got {len(row)}"
                )
    c = _checks.vector("confidence", _flat("confidence", confidence))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    position = np.arange(c.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    keys = [position, sentence]
    if tiebreak is not None:
        keys.append(_checks.vector("tiebreak", _flat("tiebreak", tiebreak)))
    order = np.lexsort([*keys, c])[:n]
    rows = []
    for i in order:
        s, p = int(sentence[i]), int(position[i])
        w = words[s]
        row = {"sentence": s, "position": p, "word": w[p], "label": labels[s][p]}
        if gold is not None:
            row["gold"] = gold[s][p]
        around = [*w[max(0, p - context) : p], f"[{w[p]}]", *w[p + 1 : p + 1 + context]]
        # Languages written without spaces are shown without them.
        glue = "" if all(len(x) == 1 and ord(x) > 0x2E7F for x in w if x.isalpha()) else " "
        rows.append({**row, "confidence": float(c[i]), "context": glue.join(around)})
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class DoubtMap:
    """A sentence with its doubtful words marked; shows itself in a notebook."""

    words: tuple[str, ...]
    confidence: tuple[float, ...]
    labels: tuple[str, ...] | None
    least: float

    @property
    def doubts(self) -> list[tuple[int, str, float]]:
        """Position, word and confidence of the doubtful words, least confident first."""
        low = [(i, w, c) for i, (w, c) in enumerate(zip(self.words, self.confidence))]
        return sorted((d for d in low if d[2] < self.least), key=lambda d: (d[2], d[0]))

    def __str__(self) -> str:
        if not self.doubts:
            return f"no word of {len(self.words)} below {self.least:g}"
        listed = ", ".join(f"{w} ({i}) {c:.2f}" for i, w, c in self.doubts)
        return f"{len(self.doubts)} of {len(self.words)} words below {self.least:g}: {listed}"

    def _repr_html_(self) -> str:
        cells = []
        for i, (word, c) in enumerate(zip(self.words, self.confidence)):
            label = f", label {self.labels[i]}" if self.labels else ""
            doubt = max(0.0, min(1.0, 1.0 - c))
            # The text colour is fixed with its background, so both themes read alike, and a
            # thicker underline says the same to those who do not see the colour.
            style = (
                f"background:{_heat(doubt)};color:#111;padding:2px 3px;margin:1px;"
                "display:inline-block;text-align:center;"
                f"border-bottom:{round(6 * doubt)}px solid #D55E00"
            )
            under = (
                f'<br><span style="font-size:65%">{html.escape(self.labels[i])}</span>'
                if self.labels
                else ""
            )
            cells.append(
                f'<span style="{style}" title="confidence {c:.2f}{html.escape(label)}">'
                f"{html.escape(word)}{under}</span>"
            )
        text = html.escape(str(self), quote=True)
        return (
            f'<div role="img" aria-label="{text}" style="line-height:2.2;font-size:110%">'
            f'{"".join(cells)}</div><div style="font-size:85%">{text}</div>'
        )


def plot_doubts(
    words: Sequence[str],
    confidence: Sequence[float],
    labels: Sequence[str] | None = None,
    least: float = 0.9,
) -> DoubtMap:
    """A heat-map of one sentence: the darker a word, the less sure its label.

    It is drawn as text with colours, so that any script is shown in the reader's own fonts;
    its alternative text lists the doubtful words.

    Parameters
    ----------
    words, confidence, labels
        One entry a word.
    least
        Words below this confidence are listed in the alternative text.

    Raises
    ------
    ValueError
        For unequal lengths or a confidence outside [0, 1].

    Examples
    --------
    >>> print(plot_doubts(["Peter", "was", "here"], [0.6, 0.99, 1.0]))
    1 of 3 words below 0.9: Peter (0) 0.60
    """
    least = _checks.real("least", least, 0.0, 1.0)
    c = _checks.probabilities("confidence", confidence)
    _checks.same_length(words=words, confidence=c, **({"labels": labels} if labels else {}))
    return DoubtMap(
        tuple(words), tuple(float(v) for v in c), tuple(labels) if labels else None, least
    )


def _heat(doubt: float) -> str:
    """White to orange by doubt; black text keeps a contrast of at least 8:1 on all of it."""
    low, high = np.array([255, 255, 255]), np.array([230, 159, 0])
    # The square root makes a doubt of one in ten already visible.
    r, g, b = np.rint(low + (high - low) * np.sqrt(doubt)).astype(int)
    return f"#{r:02x}{g:02x}{b:02x}"


# Active learning


@dataclass(frozen=True)
class ActiveLearning:
    """What was learnt with how many labels, under one rule.

    ``table`` has a row an evaluation: sentences and words labelled so far, correct, predicted
    and gold spans (or labels, with ``scheme=None``) on the test data, and their F1.
    """

    rule: str
    seed: int
    table: pd.DataFrame = field(repr=False)

    @property
    def mean_f1(self) -> float:
        """F1 averaged over the words labelled, the area under the learning curve."""
        x, f = self.table["words"].to_numpy(float), self.table["f1"].to_numpy(float)
        return float(np.trapezoid(f, x) / (x[-1] - x[0])) if len(x) > 1 else float(f[0])

    def __str__(self) -> str:
        last = self.table.iloc[-1]
        return (
            f"{self.rule}: F1 {last['f1']:.3f} after {last['words']:.0f} words in "
            f"{last['sentences']:.0f} sentences"
        )


def active_learning(
    X: Sequence,
    y: Sequence[Sequence[str]],
    X_test: Sequence,
    y_test: Sequence[Sequence[str]],
    rule: str = "kd_pc",
    *,
    tagger: Callable[[], Tagger] | None = None,
    start: int = 50,
    candidates: int = 1000,
    pick: int = 10,
    steps: int = 50,
    evaluate_every: int = 10,
    draws: int = 50,
    scale: float | None = None,
    scheme: str | None = "IOB2",
    seed: int = 0,
    progress: bool = False,
) -> ActiveLearning:
    """Label what the tagger is least sure of, retrain, and see how fast it learns.

    Mejer and Crammer (2010), section 6. From `start` random sentences on, each step trains a
    tagger, scores `candidates` random unlabelled sentences and has the `pick` least sure of
    them labelled, the shorter one on a tie.

    Rules: ``"kd_pc"`` and ``"kd_fixed"`` score a sentence by its least confident word;
    ``"min_margin"`` by the difference in score between the best two labellings, divided by
    the sentence's length; ``"min_conf_margin"`` by that difference over its standard
    deviation under the learnt Gaussian; ``"random"`` picks at random.

    Parameters
    ----------
    X, y
        Sentences that can be labelled, and the labels a person would give them.
    X_test, y_test
        Sentences to evaluate on.
    rule
        One of ``RULES``.
    tagger
        Makes an untrained :class:`Tagger`; None means ``Tagger("cw", passes=10, seed=seed)``.
    start, candidates, pick, steps
        See above.
    evaluate_every
        Steps between evaluations; the first model is always evaluated.
    draws
        For the two rules by draws; see :meth:`Tagger.confidence`.
    scale
        Their scale. None chooses it on the labelled sentences alone, at the start and each
        time their number has doubled: a tagger that has learnt from every other one of them
        looks for its mistakes in the rest (:meth:`Tagger.tune_scale`).
    scheme
        The spans' scheme for F1; None scores single labels.
    seed
        Seeds the choice of the first sentences and of the candidates (the same under every
        rule), and the draws.
    progress
        Show a bar.

    Raises
    ------
    ValueError
        For an unknown rule, unequal lengths, or fewer sentences than the steps would label.
    """
    _checks.choice("rule", rule, RULES)
    start = _checks.whole("start", start)
    pick = _checks.whole("pick", pick)
    steps = _checks.whole("steps", steps, least=0)
    evaluate_every = _checks.whole("evaluate_every", evaluate_every)
    candidates = _checks.whole("candidates", candidates, least=pick)
    draws = _checks.whole("draws", draws)
    if scale is not None:
        scale = _checks.real("scale", scale, 0.0, closed="neither")
    seed = _checks.whole("seed", seed, least=0)
    n = _checks.same_length(X=X, y=y)
    _checks.same_length(X_test=X_test, y_test=y_test)
    if start + steps * pick > n:
        raise ValueError(
            f"X: expected at least start + steps * pick = {start + steps * pick} sentences, got {n}"
        )
    if tagger is None:
        from .sequences import Tagger

        def tagger() -> Tagger:
            return Tagger("cw", passes=10, seed=seed)

    import pandas as pd

    first, *later = np.random.SeedSequence(seed).spawn(steps + 1)
    annotator = _Annotator(X, y, X_test)
    annotator.label(np.random.default_rng(first).permutation(n)[:start])
    left = np.ones(n, dtype=bool)
    left[annotator.labelled] = False
    tuned_at = 0
    rows = []
    turns: Any = range(steps + 1)
    if progress:
        from tqdm.auto import tqdm

        turns = tqdm(turns, desc=f"{rule}, {pick} sentences a step", unit="step")
    for step in turns:
        model = annotator.train(tagger())
        if step % evaluate_every == 0 or step == steps:
            tp, predicted, gold = _score(y_test, model._predict(annotator.test()), scheme)
            rows.append(
                {
                    "sentences": len(annotator.labelled),
                    "words": sum(len(y[i]) for i in annotator.labelled),
                    "correct": tp,
                    "predicted": predicted,
                    "gold": gold,
                    "f1": 2 * tp / (predicted + gold) if predicted + gold else 0.0,
                }
            )
        if step == steps:
            break
        rng = np.random.default_rng(later[step])
        pool = rng.permutation(np.flatnonzero(left))[:candidates]
        if rule == "random":
            chosen = pool[:pick]
        else:
            if rule in ("kd_pc", "kd_fixed") and scale is None:
                if len(annotator.labelled) >= 2 * tuned_at:
                    tuned_at = len(annotator.labelled)
                    given = [X[i] for i in annotator.labelled], [y[i] for i in annotator.labelled]
                    tuned = _scale_from(tagger(), *given, rule, draws)
                model.scales_[rule] = tuned
            score = _sentence_scores(model, annotator.unlabelled(pool), rule, draws, scale)
            length = np.array([len(y[i]) for i in pool])
            chosen = pool[np.lexsort([length, score])[:pick]]
        annotator.label(chosen)
        left[chosen] = False
    return ActiveLearning(rule, seed, pd.DataFrame(rows))


class _Annotator:
    """A pool of sentences with their strings numbered once, some of them labelled.

    Every step learns from scratch, as `Tagger.fit` would from the labelled sentences, and
    knows their features and labels alone; but reading the strings again each time would take
    most of the time.
    """

    def __init__(self, X: Sequence, y: Sequence[Sequence[str]], X_test: Sequence) -> None:
        # Not at the top: it compiles, and whoever imports the tagger should not wait for that.
        from . import _sequences_index as index
        from .sequences import _number_labels

        self._index = index
        vocabulary = index.Vocabulary()
        self._pool = index.encode(X, vocabulary, learn=True)
        self._labels, self._gold = _number_labels(y, self._pool.sentence_ptr)
        self._test = index.encode(X_test, vocabulary, learn=False)
        self._number = np.full(len(vocabulary), index.UNKNOWN)
        self._known = 0
        self.labelled: list[int] = []

    def label(self, sentences: np.ndarray) -> None:
        """Have some more sentences labelled; their features become known."""
        self.labelled += [int(i) for i in sentences]
        part, _ = self._index.take(self._pool, np.asarray(sentences))
        self._known = self._index.renumber(part.ids, self._number, self._known, True)

    def train(self, model: Tagger) -> Tagger:
        """`model`, trained on the labelled sentences."""
        part, tokens = self._index.take(self._pool, np.asarray(self.labelled))
        self._index.renumber(part.ids, self._number, self._known, False)
        present, gold = np.unique(self._gold[tokens], return_inverse=True)
        model.labels_ = tuple(self._labels[k] for k in present)
        model._vocabulary = range(self._known)
        model._train(part, gold.astype(np.int32), False)
        return model

    def unlabelled(self, sentences: np.ndarray) -> Encoded:
        """Sentences of the pool, without the features that no labelled sentence has."""
        return self._index.known_only(self._index.take(self._pool, sentences)[0], self._number)

    def test(self) -> Encoded:
        """The test sentences, without the features that no labelled sentence has."""
        return self._index.known_only(self._test, self._number)


def _scale_from(
    model: Tagger, X: Sequence, y: Sequence[Sequence[str]], method: str, draws: int
) -> float:
    """The scale with which what half of the sentences taught finds mistakes in the others."""
    if len(X) > 1:
        model.fit(X[::2], y[::2])
        if model.score(X[1::2], y[1::2]) < 1:
            return model.tune_scale(X[1::2], y[1::2], method, draws=draws)
    return model._scale(method)


def _sentence_scores(
    model: Tagger, data: Encoded, rule: str, draws: int, scale: float | None
) -> np.ndarray:
    if rule in ("kd_pc", "kd_fixed"):
        predicted = model._decode(data, model._means)
        words = model._confidence(data, predicted, rule, draws, 1, scale, model.seed)
        return np.minimum.reduceat(words, data.sentence_ptr[:-1])
    margin, variance = model._margins(data)
    if rule == "min_margin":
        return margin / np.diff(data.sentence_ptr)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(variance > 0, margin / np.sqrt(variance), margin)


def _score(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], scheme: str | None
) -> tuple[int, int, int]:
    """Correct, predicted and gold units over all sentences."""
    if scheme is None:
        n = sum(len(g) for g in gold)
        return int(sum(m.sum() for m in marks(gold, predicted))), n, n
    counts = tags.count_spans(gold, predicted, scheme)
    tp = int(counts.tp.sum())
    return tp, tp + int(counts.fp.sum()), tp + int(counts.fn.sum())


def delta_as_printed(tagger: Any, X: Sequence) -> list[np.ndarray]:
    """Delta by the formula the paper prints: only the label at p changes, the rest is kept.

    ``Tagger.confidence(X, method="delta")`` is what the paper's words describe and its results
    need: the best labelling with another label at p, whatever the other labels become then.
    The printed one can only be larger, and looks sure wherever a wrong label needs a wrong
    neighbour.

    Examples
    --------
    >>> from betterthan.sequences import Tagger
    >>> tagger = Tagger("cw").fit([[["a"], ["b"]], [["b"]]], [["X", "Y"], ["Y"]])
    >>> printed = delta_as_printed(tagger, [[["a"], ["b"]]])
    >>> bool((printed[0] >= tagger.confidence([[["a"], ["b"]]], method="delta")[0]).all())
    True
    """
    data = tagger._encode(X)
    labels = len(tagger.labels_)
    number = {label: i for i, label in enumerate(tagger.labels_)}
    means = tagger._means.reshape(tagger._means.shape[0], -1)[:, :labels].astype(float)
    transitions = means[-labels:]
    out = []
    for s, path in enumerate(tagger.predict(X)):
        best = np.array([number[label] for label in path])
        lo = data.sentence_ptr[s]
        score = np.empty((best.size, labels))
        for p in range(best.size):
            span = slice(data.token_ptr[lo + p], data.token_ptr[lo + p + 1])
            value = data.values[span] if data.values.size else 1.0
            score[p] = (means[data.ids[span]].T * value).sum(1)
        score[1:] += transitions[best[:-1]]
        score[:-1] += transitions[:, best[1:]].T
        here = np.arange(best.size)
        top = score[here, best].copy()
        score[here, best] = -np.inf
        out.append(top - score.max(1))
    return out
