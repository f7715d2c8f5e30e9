"""Is model B better than model A, and with what probability?

Chapter 2 of the book. The test is Wang and Li (2019): both models run through the same m×2 BCV,
each gets its posterior of precision, recall or F1 (`betterthan.bcv`), and the probability that
B's value is the larger one is an integral. The paper draws a million pairs; here the integral is
computed. H1 always says that *B* is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from betterthan import _checks
from betterthan.bcv import METRICS, Counts, Posterior, posterior

__all__ = [
    "Comparison",
    "PairedComparison",
    "compare",
    "compare_all",
    "compare_paired",
    "plot",
]

_TOLERANCE = 1e-12
# From which probability on a sentence says that something is so; `decision` is the paper's rule.
_SAID = 0.95
_WORDS = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True)
class Comparison:
    """The outcome of a Bayes test of "B is better than A".

    Attributes
    ----------
    metric : {"precision", "recall", "f1"}
    p_h0 : float
        P(ν_B − ν_A < −rope) (for rope 0: ≤ 0).
    p_rope : float
        The rest.
    p_h1 : float
        P(ν_B − ν_A > rope).
    decision : {"H0", "H1", "rope"}
        The most probable of the three; H0 on a tie.
    error : float
        Quadrature error of `p_h1`, or its standard error where it was drawn.
    value_a : float
        The metric of A.
    value_b : float
        The metric of B.
    rope : float
        Half width of the region of practical equivalence.
    method : str
        How the probabilities were found.
    names : pair of str
        What A and B are called in the printed sentence.

    Notes
    -----
    ``print`` reports the probabilities and says "better" from 0.95 on. `decision` follows the
    paper, which takes the larger of the two however small its lead.
    """

    metric: str
    p_h0: float
    p_rope: float
    p_h1: float
    decision: str
    error: float
    value_a: float
    value_b: float
    rope: float
    method: str
    names: tuple[str, str] = field(default=("A", "B"), kw_only=True)

    @property
    def difference(self) -> float:
        """The point estimate of B minus that of A."""
        return self.value_b - self.value_a

    def __str__(self) -> str:
        metric, (a, b) = _WORDS[self.metric], self.names
        h0, rope, h1 = (_shown(p, self.error) for p in (self.p_h0, self.p_rope, self.p_h1))
        if self.rope == 0:
            body = (
                f"The probability that {b} has the higher {metric} is {h1} "
                f"({a} at least as high: {h0})"
            )
            outcomes = (self.p_h1, f"{b} is better"), (self.p_h0, f"{a} is at least as good")
        else:
            by = f"by more than {self.rope:g}"
            body = (
                f"The probability that {b} has the higher {metric} {by} is {h1}, that {a} has, "
                f"{h0}, that they differ by no more, {rope}"
            )
            outcomes = (
                (self.p_h1, f"{b} is better {by}"),
                (self.p_h0, f"{a} is better {by}"),
                (self.p_rope, f"they differ by no more than {self.rope:g}"),
            )
        said = [f"so {outcome}" for p, outcome in outcomes if p >= _SAID]
        verdict = said[0] if said else "which leaves it open"
        return f"{self._head()} {body}, {verdict} at {100 * _SAID:.0f} % ({self._how()})."

    def _head(self) -> str:
        a, b = self.names
        metric = _WORDS[self.metric]
        return f"{metric} is {self.value_a:.4f} for {a} and {self.value_b:.4f} for {b}."

    def _how(self) -> str:
        if self.method == "monte_carlo":
            return f"Monte Carlo, standard error {self.error:.1g}"
        return f"exact, error below {max(self.error, 1e-12):.0e}"


@dataclass(frozen=True)
class PairedComparison(Comparison):
    """A `Comparison` that used the pairing.

    Attributes
    ----------
    interval : pair of float
        Holds 95 % of the difference.
    units : int
        How many were weighted.
    """

    interval: tuple[float, float]
    units: int

    def _head(self) -> str:
        (a, b), (low, high) = self.names, self.interval
        return (
            f"{super()._head()} {b} minus {a} is {self.difference:+.4f}, 95 % interval "
            f"{low:+.4f} to {high:+.4f}."
        )

    def _how(self) -> str:
        return f"paired over {self.units} units, standard error {self.error:.1g}"


def _shown(p: float, error: float) -> str:
    """A probability with the digits that its error leaves it."""
    least = max(error, 1e-12)
    if p < least:
        return f"below {least:.0e}"
    if p > 1 - least:
        return f"above 1 - {least:.0e}"
    if 0.001 <= p <= 0.999:
        return f"{p:.3f}"
    return f"{p:.1e}" if p < 0.5 else f"1 - {1 - p:.0e}"


def compare(
    a: Counts,
    b: Counts,
    metric: str = "f1",
    rope: float = 0.0,
    method: str = "exact",
    draws: int = 1_000_000,
    seed: Any = 0,
    prior: float = 1.0,
    factor: float | None = None,
    *,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """The Bayes test of Eq. (31): H1 says that model B has the higher value.

    The two posteriors are taken as independent, as in the paper; `compare_paired` does without
    that assumption.

    Parameters
    ----------
    a, b : Counts
        The confusion matrices of models A and B, from the same folds.
    metric : {"precision", "recall", "f1"}
    rope : float
        Half width δ of the region of practical equivalence.
    method : {"exact", "monte_carlo"}
        Quadrature of Eq. (32), or the share of `draws` pairs of Eq. (33).
    draws, seed
        Of the Monte Carlo method only.
    prior, factor
        As in `betterthan.bcv.posterior`.
    names : pair of str
        What the printed sentence calls A and B.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        For counts that are not `Counts` of one model each, a different number of matrices, an
        unknown metric or method, a rope outside [0, 1), or names that are not two different ones.

    Examples
    --------
    >>> from betterthan.bcv import Counts
    >>> a = Counts(tp=[80, 82, 79, 81, 80, 83], fp=[20] * 6, fn=[20] * 6)
    >>> b = Counts(tp=[84, 85, 83, 86, 84, 85], fp=[18] * 6, fn=[17] * 6)
    >>> result = compare(a, b)
    >>> round(result.p_h1, 3), result.decision
    (0.827, 'H1')
    >>> print(result)
    F1 is 0.8017 for A and 0.8284 for B. The probability that B has the higher F1 is 0.827 (A at \
least as high: 0.173), which leaves it open at 95 % (exact, error below 1e-12).
    """
    rope = _checks.real("rope", rope, 0.0, 1.0, closed="low")
    _checks.choice("method", method, ("exact", "monte_carlo"))
    names = _checks.two_names(names)
    _same_folds(a, b)
    first, second = posterior(a, metric, prior, factor), posterior(b, metric, prior, factor)
    if method == "exact":
        p_h0, p_rope, p_h1, error = _exact(first, second, rope)
    else:
        draws = _checks.whole("draws", draws, least=2)
        rng = np.random.default_rng(seed)
        p_h0, p_rope, p_h1, error = _drawn(second.rvs(draws, rng) - first.rvs(draws, rng), rope)
    return Comparison(
        metric,
        p_h0,
        p_rope,
        p_h1,
        _decide(p_h0, p_rope, p_h1),
        error,
        _point(a, metric),
        _point(b, metric),
        rope,
        method,
        names=names,
    )


def compare_all(
    a: Counts,
    b: Counts,
    rope: float = 0.0,
    method: str = "exact",
    draws: int = 1_000_000,
    seed: Any = 0,
    prior: float = 1.0,
    factor: float | None = None,
) -> pd.DataFrame:
    """`compare` for precision, recall and F1: a table with a row a metric.

    Raises
    ------
    ValueError
        As `compare` does.

    Examples
    --------
    >>> from betterthan.bcv import Counts
    >>> a = Counts(tp=[80, 82, 79, 81, 80, 83], fp=[20] * 6, fn=[20] * 6)
    >>> b = Counts(tp=[84, 85, 83, 86, 84, 85], fp=[18] * 6, fn=[17] * 6)
    >>> compare_all(a, b)[["p_h0", "p_h1", "decision"]].round(3).rename_axis(None)
                p_h0   p_h1 decision
    precision  0.269  0.731       H1
    recall     0.200  0.800       H1
    f1         0.173  0.827       H1
    """
    results = [
        compare(a, b, metric, rope, method, draws, seed, prior, factor) for metric in METRICS
    ]
    columns = ["value_a", "value_b", "p_h0", "p_rope", "p_h1", "decision", "error"]
    return pd.DataFrame(
        [[getattr(result, name) for name in columns] for result in results],
        columns=columns,
        index=pd.Index(METRICS, name="metric"),
    )


def compare_paired(
    a: Counts,
    b: Counts,
    metric: str = "f1",
    units: Any = None,
    rope: float = 0.0,
    draws: int = 20_000,
    seed: Any = 0,
    prior: float = 1.0,
    *,
    names: tuple[str, str] = ("A", "B"),
) -> PairedComparison:
    """Is B better than A, given which sentences each of them got right?

    Both models are tested on the same text, so a hard sentence hurts both, and their scores rise
    and fall together. This test keeps the pairing: it is the Bayesian bootstrap (Rubin 1981)
    over units. Each draw gives every unit a random weight (Dirichlet, all ones), computes the
    metric of both models with the same weights, and takes the difference. Nothing is assumed
    about how errors spread within a unit, or between A and B; units are assumed exchangeable.
    The question answered is about *these trained models* on more text of this kind.

    What was seen is not all there is, so two imagined units join in: one of those on which the
    models differ, drawn anew each time, and the same with A and B exchanged. For recall over
    single items this is the flat prior on who wins where only one model is right: P(H1) is then
    that of Beta(B alone + 1, A alone + 1), the Bayesian form of McNemar's test.

    Parameters
    ----------
    a, b : Counts
        A small confusion matrix for each sentence (and fold), in the same order for both; what
        `betterthan.tags.count_spans` returns.
    metric : {"precision", "recall", "f1"}
    units : array-like, optional
        Which unit each matrix belongs to; equal labels are added up. In an m×2 BCV every
        sentence is tested m times, so pass the sentence number, or the document where
        neighbouring sentences resemble one another. None: each matrix is its own unit.
    rope : float
        Half width of the region of practical equivalence.
    draws, seed
        How many weightings are drawn, and from which seed.
    prior : float
        What each of the two imagined units weighs; 0 leaves them out.
    names : pair of str
        What the printed sentence calls A and B.

    Returns
    -------
    PairedComparison

    Raises
    ------
    ValueError
        For Counts of different lengths, different gold totals in a unit (tp + fn must agree:
        the text is the same), fewer than two units, a rope outside [0, 1), or names that are
        not two different ones.

    Examples
    --------
    >>> from betterthan.bcv import Counts
    >>> a = Counts(tp=[2, 1, 0, 3] * 30, fp=[0, 1, 1, 0] * 30, fn=[0, 1, 1, 0] * 30)
    >>> b = Counts(tp=[2, 1, 1, 3] * 30, fp=[0, 1, 0, 0] * 30, fn=[0, 1, 0, 0] * 30)
    >>> result = compare_paired(a, b)
    >>> result.decision, round(result.difference, 3)
    ('H1', 0.125)
    """
    _checks.choice("metric", metric, METRICS)
    rope = _checks.real("rope", rope, 0.0, 1.0, closed="low")
    draws = _checks.whole("draws", draws, least=2)
    prior = _checks.real("prior", prior, 0.0, closed="low")
    names = _checks.two_names(names)
    _same_folds(a, b)
    if not np.array_equal(a.tp + a.fn, b.tp + b.fn):
        where = int(np.flatnonzero(a.tp + a.fn != b.tp + b.fn)[0])
        raise ValueError(
            f"b: expected the same gold items (tp + fn) as a in every matrix, but matrix {where} "
            f"has {a.tp[where] + a.fn[where]} in a and {b.tp[where] + b.fn[where]} in b"
        )
    value_a, value_b = getattr(a, metric), getattr(b, metric)
    tops_and_bottoms = np.column_stack([*_parts(a, metric), *_parts(b, metric)]).astype(float)
    if units is not None:
        codes, labels = pd.factorize(np.asarray(units))
        if len(codes) != len(a):
            raise ValueError(f"units: expected one label a matrix ({len(a)}), got {len(codes)}")
        summed = np.zeros((len(labels), 4))
        np.add.at(summed, codes, tops_and_bottoms)
        tops_and_bottoms = summed
    n = len(tops_and_bottoms)
    if n < 2:
        raise ValueError(f"units: expected at least two units to resample, got {n}")
    # A unit with nothing in it carries weight but changes neither ratio. Units with the same
    # counts are drawn together: k weights from an exponential distribution add up to a gamma.
    kept, times = np.unique(
        tops_and_bottoms[tops_and_bottoms.any(axis=1)], axis=0, return_counts=True
    )
    exchanged = kept[:, [2, 3, 0, 1]]
    different = (kept != exchanged).any(axis=1)
    differ = np.repeat(np.flatnonzero(different), times[different])
    rng = np.random.default_rng(seed)
    differences = np.empty(draws)
    rows = max(1, 4_000_000 // len(kept))
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        weights = (
            rng.standard_exponential((size, len(kept)))
            if times.max() == 1
            else rng.standard_gamma(times, (size, len(kept)))
        )
        sums = weights @ kept
        if prior and differ.size:
            pick = rng.choice(differ, size)
            sums += rng.standard_gamma(prior, (size, 1)) * kept[pick]
            sums += rng.standard_gamma(prior, (size, 1)) * exchanged[pick]
        top_a, bottom_a, top_b, bottom_b = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            differences[start : start + size] = top_b / bottom_b - top_a / bottom_a
    p_h0, p_rope, p_h1, error = _drawn(differences, rope)
    low, high = np.quantile(differences, [0.025, 0.975])
    return PairedComparison(
        metric,
        p_h0,
        p_rope,
        p_h1,
        _decide(p_h0, p_rope, p_h1),
        error,
        value_a,
        value_b,
        rope,
        "paired",
        (float(low), float(high)),
        n,
        names=names,
    )


def plot(
    a: Counts,
    b: Counts,
    metric: str = "f1",
    names: tuple[str, str] = ("A", "B"),
    prior: float = 1.0,
    factor: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw the posteriors of both models, each with its 95 % interval below the curve.

    Parameters
    ----------
    a, b, metric, prior, factor
        As in `compare`.
    names : pair of str
        What the legend calls them.
    ax : matplotlib Axes, optional
        Where to draw; None takes the current one.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        As `compare` does.

    Examples
    --------
    >>> from betterthan.bcv import Counts
    >>> ax = plot(Counts(80, 20, 20), Counts(85, 18, 15), factor=1)
    >>> ax.get_xlabel()
    'F1'
    """
    import matplotlib.pyplot as plt

    _one_model(a=a, b=b)
    if ax is None:
        ax = plt.gca()
    posteriors = [posterior(counts, metric, prior, factor) for counts in (a, b)]
    top = max(float(p.pdf(p.ppf(0.5))) for p in posteriors)
    for row, (name, p) in enumerate(zip(names, posteriors)):
        t = np.linspace(p.ppf(0.0005), p.isf(0.0005), 400)
        (line,) = ax.plot(t, p.pdf(t), label=name)
        height = -0.05 * (row + 1) * top
        ax.plot(p.interval(0.95), [height] * 2, color=line.get_color(), linewidth=4)
    ax.set(xlabel=_WORDS[metric], ylabel="density")
    ax.legend(title="line below: 95 %", title_fontsize=8)
    return ax


def _one_model(**counts: Any) -> None:
    for name, value in counts.items():
        if not isinstance(value, Counts):
            raise ValueError(f"{name}={value!r:.60}: expected a betterthan.bcv.Counts")
        if value.tp.ndim != 1:
            raise ValueError(
                f"{name}: expected the matrices of one model, got shape {value.tp.shape}"
            )


def _same_folds(a: Any, b: Any) -> None:
    _one_model(a=a, b=b)
    if len(a) != len(b):
        raise ValueError(f"b: expected as many matrices as a has ({len(a)}), got {len(b)}")


def _parts(counts: Counts, metric: str) -> tuple[np.ndarray, np.ndarray]:
    if metric == "precision":
        return counts.tp, counts.tp + counts.fp
    if metric == "recall":
        return counts.tp, counts.tp + counts.fn
    return 2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn


def _point(counts: Counts, metric: str) -> float:
    # Without any item the posterior is the prior: a comparison still, but no point estimate.
    top, bottom = (int(part.sum()) for part in _parts(counts, metric))
    return top / bottom if bottom else math.nan


def _decide(p_h0: float, p_rope: float, p_h1: float) -> str:
    best = max(p_h0, p_rope, p_h1)
    return "H0" if p_h0 == best else "rope" if p_rope == best else "H1"


def _drawn(differences: np.ndarray, rope: float) -> tuple[float, float, float, float]:
    n = len(differences)
    above = int(np.count_nonzero(differences > rope))
    below = int(
        np.count_nonzero(differences < -rope) if rope else np.count_nonzero(differences <= 0)
    )
    # One draw added on either side keeps the standard error above 0 where none crossed over.
    p = (above + 1) / (n + 2)
    return below / n, (n - above - below) / n, above / n, math.sqrt(p * (1 - p) / n)


def _exact(a: Posterior, b: Posterior, rope: float) -> tuple[float, float, float, float]:
    if rope == 0:
        p_h1, p_h0, error = _exceeds(a, b)
        return p_h0, 0.0, p_h1, error
    p_h1, error1 = _exceeds_by(a, b, rope)
    p_h0, error0 = _exceeds_by(b, a, rope)
    return p_h0, max(0.0, 1.0 - p_h0 - p_h1), p_h1, max(error0, error1)


def _exceeds(a: Posterior, b: Posterior) -> tuple[float, float, float]:
    """P(B > A), P(B ≤ A) and the error, by the trapezoidal rule in log-odds.

    The metric is an increasing function of the underlying beta variable, so comparing F1 is
    comparing two beta variables. The rule runs over the narrower of the two, where the
    distribution function of the wider one is smooth.
    """
    narrow_is_b = _spread(b) <= _spread(a)
    narrow, wide = (b, a) if narrow_is_b else (a, b)
    start = math.log(narrow.found / narrow.lost)
    below, error = _mean_over(narrow, lambda d: _beta_cdf(start + d, wide, upper=False))
    if below > 0.99:
        # Take the small side itself, not what 1 minus the large side leaves of it.
        above, error = _mean_over(narrow, lambda d: _beta_cdf(start + d, wide, upper=True))
        below = 1 - above
    else:
        above = 1 - below
    return (below, above, error) if narrow_is_b else (above, below, error)


def _spread(p: Posterior) -> float:
    return float(special.zeta(2, p.found) + special.zeta(2, p.lost))


def _beta_cdf(log_odds: np.ndarray, p: Posterior, upper: bool) -> np.ndarray:
    # Near 1 a float holds 1-w far better than w, so the larger parameter goes with the complement.
    if p.found > p.lost:
        function = special.betainc if upper else special.betaincc
        return function(p.lost, p.found, special.expit(-log_odds))
    function = special.betaincc if upper else special.betainc
    return function(p.found, p.lost, special.expit(log_odds))


def _mean_over(p: Posterior, function: Any, *, analytic: bool = True) -> tuple[float, float]:
    """The mean of a function of the log-odds under `p`, and its error.

    The step is halved until the mean stands still. For an analytic function the error of this
    rule is squared by halving the step, so what the last halving changed, squared, bounds it;
    where the function may have a corner, only the change itself is trusted.
    """
    a, b = float(p.found), float(p.lost)
    low, high = _ends(a, b)
    n = 48
    d = np.linspace(low, high, n + 1)
    weights = np.exp(_log_odds_density(d, a, b))
    products = weights * function(d)
    total, top = weights.sum(), products.sum()
    previous = products[::2].sum() / weights[::2].sum()
    while True:
        value = top / total
        change = abs(value - previous)
        error = (10 * change**2 if analytic else change) + 1e-15
        if error < _TOLERANCE or n > 20_000:
            return min(1.0, max(0.0, float(value))), float(error)
        step = (high - low) / n
        d = low + step * (np.arange(n) + 0.5)
        weights = np.exp(_log_odds_density(d, a, b))
        total, top = total + weights.sum(), top + weights @ function(d)
        previous, n = value, 2 * n


def _ends(a: float, b: float) -> tuple[float, float]:
    """Where the density of the log-odds has fallen below e^-34 of its peak, relative to it."""
    spread = math.sqrt(special.zeta(2, a) + special.zeta(2, b))
    ends = []
    for end in (-8.3 * spread, 8.3 * spread):
        while _log_odds_density(end, a, b) > -34:
            end *= 1.4
        ends.append(end)
    return ends[0], ends[1]


def _log_odds_density(d: Any, a: float, b: float) -> Any:
    """`bcv.log_odds_density` for one beta distribution, without the cost of broadcasting."""
    if a >= b:
        d, a, b = -d, b, a
    share = a / (a + b)
    if isinstance(d, float):
        # Beyond e^500 only the larger of the two terms of 1 - share + share e^d counts.
        growth = math.log1p(share * math.expm1(d)) if d < 500 else math.log(share) + d
        return a * d - (a + b) * growth
    with np.errstate(over="ignore"):
        return a * d - (a + b) * np.log1p(share * np.expm1(d))


def _exceeds_by(a: Posterior, b: Posterior, rope: float) -> tuple[float, float]:
    """P(B − A > rope) for a rope above 0."""
    value = (lambda w: 2 * w / (1 + w)) if a.metric == "f1" else (lambda w: w)
    if _spread(b) <= _spread(a):
        start = math.log(b.found / b.lost)
        result = _mean_over(
            b, lambda d: a.cdf(value(special.expit(start + d)) - rope), analytic=False
        )
    else:
        start = math.log(a.found / a.lost)
        result = _mean_over(
            a, lambda d: b.sf(value(special.expit(start + d)) + rope), analytic=False
        )
    if result[1] < 10 * _TOLERANCE:
        return result
    return min(result, _exceeds_by_between(a, b, rope), key=lambda pair: pair[1])


def _exceeds_by_between(a: Posterior, b: Posterior, rope: float) -> tuple[float, float]:
    """P(B − A > rope) where the counts are so small that the corners of the range matter.

    A's distribution function begins at t = rope and B's density ends at t = 1. Writing t as
    rope + (1 − rope)·logistic(x) moves both corners to infinity, and the trapezoidal rule
    converges again as fast as without a rope.
    """
    found, lost = float(b.found), float(b.lost)
    norm = special.betaln(found, lost)

    def integrand(x: np.ndarray) -> np.ndarray:
        up, down = (1 - rope) * special.expit(x), (1 - rope) * special.expit(-x)
        t = rope + up
        jacobian = up * special.expit(-x)
        if b.metric == "f1":
            log_w, log_v = np.log(t / (2 - t)), np.log(2 * down / (2 - t))
            jacobian = jacobian * 2 / (2 - t) ** 2
        else:
            log_w, log_v = np.log(t), np.log(down)
        return np.exp((found - 1) * log_w + (lost - 1) * log_v - norm) * jacobian * a.cdf(up)

    low, high = -40.0, 40 / min(lost, 1.0)
    n = 256
    x = np.linspace(low, high, n + 1)
    values = integrand(x)
    total, previous = values.sum(), 2 * values[::2].sum()
    while True:
        step = (high - low) / n
        error = abs(total - previous) * step + 1e-15
        if error < _TOLERANCE or n > 60_000:
            return min(1.0, float(total * step)), float(error)
        previous = 2 * total
        total = total + integrand(low + step * (np.arange(n) + 0.5)).sum()
        n *= 2
