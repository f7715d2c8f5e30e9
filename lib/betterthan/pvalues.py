"""Is A better than B on one dataset? Paired tests on per-instance results.

Every test takes the results of A and of B on the *same* instances and, unless told
otherwise, asks whether **A is better** (``alternative="greater"``); ``"less"`` asks
whether B is better, ``"two-sided"`` whether they differ. Each returns a :class:`Result`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from statsmodels.stats import contingency_tables

from betterthan import _checks, _resampling

__all__ = ["Result", "mcnemar", "paired_bootstrap", "randomisation", "steiger", "wilcoxon"]

Statistic = str | Callable[[np.ndarray], Any]

_ALTERNATIVES = ("greater", "less", "two-sided")
_SPAN_METRICS = ("f1", "precision", "recall")
# Elements of one chunk's scratch array: 16 MB of floats a worker, whatever the sample size.
_CHUNK = 2**21
# Beyond this, enumerating takes longer than sampling to any useful precision.
_ENUMERABLE = 2**24


@dataclass(frozen=True)
class Result:
    """Outcome of a paired test of A against B. ``print`` it to see who won, in words.

    Attributes
    ----------
    p_value : float
        How often a result at least this favourable to the alternative comes up when the null
        hypothesis holds.
    statistic : float
        The test statistic; positive values (or, for Wilcoxon and exact McNemar, large ones)
        favour A.
    alternative : str
        "greater" (A better), "less" (B better) or "two-sided".
    test : str
        What was done, in words.
    difference : float
        Score of A minus score of B; its sign says who is ahead.
    n : int
        Number of instances.
    """

    p_value: float
    statistic: float
    alternative: str
    test: str
    difference: float
    n: int

    @property
    def ahead(self) -> str:
        """Who has the higher score (which need not be luck-proof), "A", "B" or "neither"."""
        return "A" if self.difference > 0 else "B" if self.difference < 0 else "neither"

    def __str__(self) -> str:
        if self.ahead == "neither":
            who = "A and B score the same"
        else:
            loser = "B" if self.ahead == "A" else "A"
            who = f"{self.ahead} scores higher than {loser} by {abs(self.difference):.4g}"
        asked = {
            "greater": "that A is better",
            "less": "that B is better",
            "two-sided": "that A and B differ",
        }[self.alternative]
        return f"{who}; evidence {asked}: p = {self.p_value:.3g} ({self.test}, n = {self.n:,})"


def paired_bootstrap(
    a: Any,
    b: Any,
    statistic: Statistic = "mean",
    *,
    resamples: int = 9_999,
    alternative: str = "greater",
    seed: int | np.random.SeedSequence = 0,
    sums: bool = False,
    n_jobs: int | None = None,
) -> Result:
    """Paired bootstrap test (Berg-Kirkpatrick et al. 2012), H1: A better than B.

    Instances are drawn with replacement, the same ones for A and B. With δ the difference
    that was seen and δ* that of a resample, p = (1 + #{δ* − δ ≥ δ}) / (R + 1): the
    resamples spread around δ, not around 0, hence the shift.

    Parameters
    ----------
    a, b
        Results of A and B on the same instances, one row each: numbers for "mean"; (tp, fp, fn)
        for "f1", "precision" and "recall", as an n × 3 array or anything with the attributes
        ``tp``, ``fp`` and ``fn``; what `statistic` takes otherwise.
    statistic : str or callable
        "mean", "f1", "precision", "recall", or a function that gets the rows of one system in one
        resample and returns its score (higher is better).
    resamples : int
        How many resamples, R.
    alternative : {"greater", "less", "two-sided"}
        A better, B better, or either.
    seed : int or numpy SeedSequence
        Of the random numbers. The result does not depend on `n_jobs`.
    sums : bool
        State that `statistic` needs only the column sums: it then gets an array of sums whose last
        axis is the columns, for many resamples at once, which is much faster.
    n_jobs : int, optional
        Workers (joblib).

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For fewer than two instances, unequal lengths, missing or infinite values, negative counts
        or unknown names.

    Notes
    -----
    Memory is bounded: rows that are equal are drawn together (a multinomial count each), others
    are drawn and added up in a compiled loop. A score of 0/0 counts as 0.

    Examples
    --------
    >>> a = [.9, .8, .7, .9, .6, .8, .9, .7]
    >>> b = [.8, .8, .6, .7, .6, .7, .9, .6]
    >>> print(paired_bootstrap(a, b))
    A scores higher than B by 0.075; evidence that A is better: p = 0.0016 \
(paired bootstrap, 9,999 resamples, n = 8)
    """
    problem = _problem(a, b, statistic, sums, least=2)
    resamples = _checks.whole("resamples", resamples)
    _checks.choice("alternative", alternative, _ALTERNATIVES)
    problem.prepare_bootstrap()
    p_value = _drawn(problem.bootstrap, alternative, resamples, seed, n_jobs, problem)
    return _resampled(problem, p_value, alternative, f"paired bootstrap, {resamples:,} resamples")


def randomisation(
    a: Any,
    b: Any,
    statistic: Statistic = "mean",
    *,
    resamples: int = 9_999,
    alternative: str = "greater",
    seed: int | np.random.SeedSequence = 0,
    sums: bool = False,
    n_jobs: int | None = None,
) -> Result:
    """Randomisation test (Yeh 2000), H1: A better than B.

    If A and B were the same, swapping their results on any instance would change nothing.
    The p-value is the share of swaps whose difference is at least the one seen. Where
    there are no more than `resamples` + 1 different ones (instances with equal results are
    interchangeable), all are enumerated and the p-value is exact; else R are drawn and
    p = (1 + #{δ* ≥ δ}) / (R + 1).

    Parameters are those of :func:`paired_bootstrap`; one instance is enough.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For no instances, unequal lengths, missing or infinite values, negative counts or unknown
        names.

    Examples
    --------
    >>> print(randomisation([1, 1, 1, 1, 1, 0, 1, 1], [0, 1, 0, 0, 0, 1, 0, 1]))
    A scores higher than B by 0.5; evidence that A is better: p = 0.109 \
(exact randomisation, n = 8)
    """
    problem = _problem(a, b, statistic, sums, least=1)
    resamples = _checks.whole("resamples", resamples)
    _checks.choice("alternative", alternative, _ALTERNATIVES)
    problem.prepare_swap()
    if problem.arrangements <= min(resamples + 1, _ENUMERABLE):
        p_value, test = problem.exact(alternative), "exact randomisation"
    else:
        p_value = _drawn(problem.swap, alternative, resamples, seed, n_jobs, problem)
        test = f"randomisation, {resamples:,} resamples"
    return _resampled(problem, p_value, alternative, test)


def wilcoxon(a: Any, b: Any, *, alternative: str = "greater", zeros: str = "wilcox") -> Result:
    """Wilcoxon's signed-rank test on paired scores, H1: A better than B.

    :func:`scipy.stats.wilcoxon` of the differences a − b. Differences that are equal up to
    rounding are ties (.3 − .1 and .4 − .2 are).

    Parameters
    ----------
    a, b : array-like
        Scores of A and B on the same instances.
    alternative : {"greater", "less", "two-sided"}
        A better, B better, or either.
    zeros : {"wilcox", "pratt", "zsplit"}
        How differences of 0 are treated: "wilcox" drops them, "pratt" ranks them first, "zsplit"
        splits them between the sides.

    Returns
    -------
    Result
        Its statistic is the sum of the ranks in favour of A (of the smaller side for "two-sided",
        as scipy has it).

    Raises
    ------
    ValueError
        For unequal lengths, missing or infinite values or unknown names.

    Examples
    --------
    >>> print(wilcoxon([.9, .8, .7, .9, .6], [.8, .6, .4, .5, .1]))
    A scores higher than B by 0.3; evidence that A is better: p = 0.0312 \
(Wilcoxon signed-rank test, n = 5)
    """
    a, b = _pair_of_vectors(a, b)
    _checks.choice("alternative", alternative, _ALTERNATIVES)
    _checks.choice("zeros", zeros, ("wilcox", "pratt", "zsplit"))
    d = a - b
    widest = np.abs(np.concatenate([a, b])).max()
    d = np.where(np.abs(d) <= 1e-12 * widest, 0.0, d)
    if d.any():
        d = np.round(d / np.abs(d).max(), 12)
        found = stats.wilcoxon(d, zero_method=zeros, alternative=alternative)
        statistic, p_value = float(found.statistic), float(found.pvalue)
    else:
        statistic, p_value = 0.0, 1.0
    return Result(
        p_value=p_value,
        statistic=statistic,
        alternative=alternative,
        test="Wilcoxon signed-rank test",
        difference=float(np.mean(a) - np.mean(b)),
        n=a.size,
    )


def mcnemar(
    a: Any,
    b: Any,
    *,
    exact: bool = True,
    correction: bool = True,
    alternative: str = "greater",
) -> Result:
    """McNemar's test on right/wrong decisions, H1: A better than B.

    Only the instances on which one of the two is right count.

    Parameters
    ----------
    a, b : array-like
        For each instance 1 (or True) if A, or B, was right, else 0.
    exact : bool
        The binomial test; False for the normal (χ²) approximation.
    correction : bool
        Continuity correction of the approximation.
    alternative : {"greater", "less", "two-sided"}
        A better, B better, or either.

    Returns
    -------
    Result
        Its statistic is the number of instances that only A has right (exact), χ² (approximation,
        two-sided) or its signed root (approximation, one-sided).

    Raises
    ------
    ValueError
        For unequal lengths, values other than 0 and 1 or an unknown alternative.

    Examples
    --------
    >>> a = [1] * 10 + [0] * 3 + [1] * 50
    >>> b = [0] * 10 + [1] * 3 + [1] * 50
    >>> print(mcnemar(a, b))
    A scores higher than B by 0.1111; evidence that A is better: p = 0.0461 \
(exact McNemar test, 10 against 3, n = 63)
    """
    a, b = _pair_of_vectors(a, b)
    _checks.choice("alternative", alternative, _ALTERNATIVES)
    for name, values in (("a", a), ("b", b)):
        bad = np.flatnonzero((values != 0) & (values != 1))
        if bad.size:
            raise ValueError(
                f"{name}: expected 1 (right) or 0 (wrong), but {name}[{bad[0]}] is "
                f"{values[bad[0]]:g}"
            )
    only_a = int(np.count_nonzero((a == 1) & (b == 0)))
    only_b = int(np.count_nonzero((a == 0) & (b == 1)))
    split = only_a + only_b
    if exact:
        statistic = float(only_a)
        p_value = (
            float(stats.binomtest(only_a, split, 0.5, alternative=alternative).pvalue)
            if split
            else 1.0
        )
    elif split == 0:
        statistic, p_value = 0.0, 1.0
    elif alternative == "two-sided":
        # statsmodels' correction overshoots 0 when the split is even; the test cannot
        # be more sure of a difference than when there is none.
        found = contingency_tables.mcnemar(
            [[0, only_a], [only_b, 0]], exact=False, correction=correction and only_a != only_b
        )
        statistic, p_value = float(found.statistic), float(found.pvalue)
    else:
        lead = only_a - only_b
        shift = 0 if not correction else 1 if alternative == "greater" else -1
        statistic = (lead - shift) / math.sqrt(split)
        p_value = float(stats.norm.sf(statistic if alternative == "greater" else -statistic))
    kind = "exact McNemar test" if exact else "McNemar test"
    return Result(
        p_value=p_value,
        statistic=statistic,
        alternative=alternative,
        test=f"{kind}, {only_a:,} against {only_b:,}",
        difference=(only_a - only_b) / a.size,
        n=a.size,
    )


def steiger(
    r_a: float,
    r_b: float,
    r_ab: float,
    n: int,
    *,
    method: str = "z",
    alternative: str = "greater",
) -> Result:
    """Steiger's test of two correlations with the same gold standard, H1: A's is higher.

    Parameters
    ----------
    r_a, r_b : float
        Correlations of A's and of B's scores with the gold standard.
    r_ab : float
        Correlation of A's scores with B's. Without it the test is not paired.
    n : int
        Number of items.
    method : {"z", "t"}
        "z" for Fisher-transformed correlations with the pooled estimate (Steiger 1980, eq. 14),
        "t" for Williams' T₂ (his eq. 7), which he prefers for small samples.
    alternative : {"greater", "less", "two-sided"}
        A better, B better, or either.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        For correlations outside (−1, 1), three that no data can have together, fewer than four
        items or unknown names.

    Examples
    --------
    >>> print(steiger(.74, .63, r_ab=.75, n=353))
    A scores higher than B by 0.11; evidence that A is better: p = 9.65e-06 \
(Steiger's test, z, n = 353)
    """
    r_a = _checks.real("r_a", r_a, -1, 1, closed="neither")
    r_b = _checks.real("r_b", r_b, -1, 1, closed="neither")
    r_ab = _checks.real("r_ab", r_ab, -1, 1, closed="neither")
    n = _checks.whole("n", n, 4)
    _checks.choice("method", method, ("z", "t"))
    _checks.choice("alternative", alternative, _ALTERNATIVES)
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    if determinant < 0:
        raise ValueError(
            f"r_ab={r_ab!r}: expected a correlation that fits r_a={r_a!r} and r_b={r_b!r}; no "
            "data have these three together"
        )
    mean = (r_a + r_b) / 2
    if method == "z":
        covariance = (r_ab * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_ab**2) / 2) / (
            1 - mean**2
        ) ** 2
        statistic = (math.atanh(r_a) - math.atanh(r_b)) * math.sqrt((n - 3) / (2 - 2 * covariance))
        null = stats.norm()
    else:
        spread = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r_ab) ** 3
        statistic = (r_a - r_b) * math.sqrt((n - 1) * (1 + r_ab) / spread)
        null = stats.t(n - 3)
    p_value = {
        "greater": null.sf(statistic),
        "less": null.cdf(statistic),
        "two-sided": 2 * null.sf(abs(statistic)),
    }[alternative]
    return Result(
        p_value=float(p_value),
        statistic=statistic,
        alternative=alternative,
        test=f"Steiger's test, {method}",
        difference=r_a - r_b,
        n=n,
    )


@dataclass
class _Sums:
    """A problem whose score depends on column sums: "mean", the span metrics, `sums=True`."""

    a: np.ndarray
    b: np.ndarray
    score: Callable[[np.ndarray], np.ndarray]
    linear: bool = False  # then `a` holds differences and `b` nothing but zeros

    def __post_init__(self) -> None:
        self.n = len(self.a)
        self.total_a, self.total_b = self.a.sum(axis=0), self.b.sum(axis=0)
        score_a, score_b = self._scores(self.total_a), self._scores(self.total_b)
        self.difference = float(score_a - score_b)
        self.tolerance = 1e-12 * float(abs(score_a) + abs(score_b))
        self.chunk = max(1, _CHUNK // self.n)

    def _scores(self, totals: np.ndarray) -> np.ndarray:
        scores = np.asarray(self.score(totals), dtype=float)
        if scores.shape != totals.shape[:-1]:
            raise ValueError(
                f"statistic: expected one score for each row of sums, got shape {scores.shape} "
                f"for sums of shape {totals.shape}"
            )
        if not np.isfinite(scores).all():
            raise ValueError("statistic: expected finite scores, got NaN or infinity")
        return scores

    def prepare_bootstrap(self) -> None:
        rows = self.a if self.linear else np.hstack([self.a, self.b])
        kinds, counts = _kinds(rows)
        # A multinomial count costs some 60 ns, a row of the compiled loop 1-4 ns.
        if len(kinds) * 60 < self.n * (1 + 0.5 * rows.shape[1]):
            self._kinds, self._share = kinds, counts / self.n
            self.chunk = max(1, _CHUNK // len(kinds))
        else:
            self._kinds, self._rows = None, np.ascontiguousarray(rows)

    def bootstrap(self, child: np.random.SeedSequence, resamples: int) -> np.ndarray:
        """δ* − δ of each resample."""
        if self._kinds is None:
            state = child.generate_state(4, np.uint64)
            totals = _resampling.bootstrap_sums(state, self._rows, resamples)
        else:
            drawn = np.random.default_rng(child).multinomial(self.n, self._share, size=resamples)
            totals = drawn @ self._kinds
        if self.linear:
            return self._scores(totals) - self.difference
        width = self.a.shape[1]
        star = self._scores(totals[:, :width]) - self._scores(totals[:, width:])
        return star - self.difference

    def prepare_swap(self) -> None:
        change = self.b - self.a
        change = change[(change != 0).any(axis=1)]
        first = np.argmax(change != 0, axis=1)
        backwards = change[np.arange(len(change)), first] < 0
        # Swapping an instance and not swapping its mirror image are the same event, so all
        # are turned one way round; then equal ones are interchangeable.
        self._start = change[backwards].sum(axis=0)
        change[backwards] *= -1
        self._changes, self._counts = _kinds(change)
        self.arrangements = math.prod(int(c) + 1 for c in self._counts)
        self.chunk = max(1, _CHUNK // max(1, self.n, len(self._counts)))

    def _swapped(self, moved: np.ndarray) -> np.ndarray:
        shift = self._start + moved
        return self._scores(self.total_a + shift) - self._scores(self.total_b - shift)

    def swap(self, child: np.random.SeedSequence, resamples: int) -> np.ndarray:
        """δ* of each random swap."""
        rng = np.random.default_rng(child)
        kinds = len(self._counts)
        if kinds * 16 < self._counts.sum():
            drawn = rng.binomial(self._counts, 0.5, size=(resamples, kinds)).astype(float)
            return self._swapped(drawn @ self._changes)
        changes = np.repeat(self._changes, self._counts, axis=0)
        wide = -(-len(changes) // 8)
        bits = rng.integers(0, 256, size=(resamples, wide), dtype=np.uint8)
        swapped = np.unpackbits(bits, axis=1, count=len(changes)).astype(float)
        return self._swapped(swapped @ changes)

    def exact(self, alternative: str) -> float:
        """Share of all swaps, each kind of instance with its binomial weight."""
        shape = tuple(int(c) + 1 for c in self._counts)
        if not shape:
            return 1.0
        weights = [stats.binom.pmf(np.arange(c), c - 1, 0.5) for c in shape]
        step = max(1, _CHUNK // len(shape))
        p_value = 0.0
        for start in range(0, self.arrangements, step):
            block = np.arange(start, min(start + step, self.arrangements))
            drawn = np.unravel_index(block, shape)
            star = self._swapped(np.column_stack(drawn).astype(float) @ self._changes)
            weight = math.prod((w[d] for w, d in zip(weights, drawn)), start=np.ones(len(block)))
            p_value += weight[_extreme(star, self.difference, alternative, self.tolerance)].sum()
        return min(1.0, float(p_value))


@dataclass
class _Rows:
    """A problem whose score is a function of the rows themselves: one call a resample."""

    a: np.ndarray
    b: np.ndarray
    score: Callable[[np.ndarray], Any]

    def __post_init__(self) -> None:
        self.n = len(self.a)
        score_a, score_b = self._score(self.a), self._score(self.b)
        self.difference = score_a - score_b
        self.tolerance = 1e-12 * (abs(score_a) + abs(score_b))
        self.chunk = max(1, min(500, _CHUNK // self.n))

    def _score(self, rows: np.ndarray) -> float:
        return _checks.real("statistic(rows)", self.score(rows))

    def prepare_bootstrap(self) -> None:
        pass

    def bootstrap(self, child: np.random.SeedSequence, resamples: int) -> np.ndarray:
        rng = np.random.default_rng(child)
        star = np.empty(resamples)
        for r in range(resamples):
            drawn = rng.integers(0, self.n, size=self.n)
            star[r] = self._score(self.a[drawn]) - self._score(self.b[drawn])
        return star - self.difference

    def prepare_swap(self) -> None:
        unequal = self.a != self.b
        self._unequal = np.flatnonzero(unequal if unequal.ndim == 1 else unequal.any(axis=1))
        self.arrangements = 2 ** int(self._unequal.size)

    def _swapped(self, instances: np.ndarray) -> float:
        a, b = self.a.copy(), self.b.copy()
        a[instances], b[instances] = self.b[instances], self.a[instances]
        return self._score(a) - self._score(b)

    def swap(self, child: np.random.SeedSequence, resamples: int) -> np.ndarray:
        rng = np.random.default_rng(child)
        coins = rng.integers(0, 2, size=(resamples, self._unequal.size), dtype=np.uint8)
        return np.array([self._swapped(self._unequal[c == 1]) for c in coins])

    def exact(self, alternative: str) -> float:
        bits = np.arange(self._unequal.size)
        star = np.array(
            [self._swapped(self._unequal[(k >> bits) & 1 == 1]) for k in range(self.arrangements)]
        )
        return float(_extreme(star, self.difference, alternative, self.tolerance).mean())


def _problem(a: Any, b: Any, statistic: Statistic, sums: bool, least: int) -> _Sums | _Rows:
    if callable(statistic):
        a, b = _table("a", a), _table("b", b)
        if a.shape[1:] != b.shape[1:]:
            raise ValueError(
                f"b: expected rows like those of a, shape {a.shape[1:]}, got {b.shape[1:]}"
            )
        _enough(a, b, least)
        if not sums:
            problem = _Rows(a, b, statistic)
        else:
            problem = _Sums(a.reshape(len(a), -1), b.reshape(len(b), -1), statistic)
    else:
        _checks.choice("statistic", statistic, ("mean", *_SPAN_METRICS))
        if statistic == "mean":
            a, b = _pair_of_vectors(a, b, least)
            # The mean of the difference is all that counts: one column instead of two.
            nothing = np.zeros((a.size, 1))
            problem = _Sums((a - b)[:, None], nothing, _mean(a.size), linear=True)
            problem.tolerance = 1e-12 * float(np.abs(np.concatenate([a, b])).mean())
        else:
            a, b = _span_ratio("a", a, statistic), _span_ratio("b", b, statistic)
            _enough(a, b, least)
            problem = _Sums(a, b, _ratio)
    return problem


def _mean(n: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda totals: totals[..., 0] / n


def _ratio(totals: np.ndarray) -> np.ndarray:
    part, whole = totals[..., 0], totals[..., 1]
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _resampled(problem: _Sums | _Rows, p_value: float, alternative: str, test: str) -> Result:
    return Result(p_value, problem.difference, alternative, test, problem.difference, problem.n)


def _drawn(
    draw: Callable[[np.random.SeedSequence, int], np.ndarray],
    alternative: str,
    resamples: int,
    seed: int | np.random.SeedSequence,
    n_jobs: int | None,
    problem: _Sums | _Rows,
) -> float:
    """The share of draws as extreme as what was seen; chunks do not depend on `n_jobs`.

    What was seen counts as one of them.
    """
    root = _checks.seed_sequence(seed)
    sizes = [problem.chunk] * (resamples // problem.chunk)
    if resamples % problem.chunk:
        sizes.append(resamples % problem.chunk)

    def hits(child: np.random.SeedSequence, size: int) -> int:
        star = draw(child, size)
        return int(
            np.count_nonzero(_extreme(star, problem.difference, alternative, problem.tolerance))
        )

    # The compiled loop and BLAS release the lock, so threads do; a caller's Python does not.
    prefer = "processes" if isinstance(problem, _Rows) else "threads"
    tasks = (delayed(hits)(child, size) for child, size in zip(root.spawn(len(sizes)), sizes))
    return (1 + sum(Parallel(n_jobs=n_jobs, prefer=prefer)(tasks))) / (resamples + 1)


def _extreme(star: np.ndarray, seen: float, alternative: str, tolerance: float) -> np.ndarray:
    """Which of `star` are at least as extreme as `seen`, equality up to rounding included."""
    if alternative == "greater":
        return star >= seen - tolerance
    if alternative == "less":
        return star <= seen + tolerance
    return np.abs(star) >= abs(seen) - tolerance


def _kinds(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows and how often each occurs."""
    if rows.shape[1] == 1:
        kinds, counts = np.unique(rows[:, 0], return_counts=True)
        return kinds[:, None], counts
    return np.unique(rows, axis=0, return_counts=True)


def _pair_of_vectors(a: Any, b: Any, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    a, b = _finite("a", _checks.vector("a", a)), _finite("b", _checks.vector("b", b))
    _enough(a, b, least)
    return a, b


def _table(name: str, values: Any) -> np.ndarray:
    try:
        table = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected numbers, got {values!r:.80}") from None
    if table.ndim not in (1, 2):
        raise ValueError(f"{name}: expected one row an instance, got shape {table.shape}")
    if np.isnan(table).any():
        raise ValueError(f"{name}: expected no missing values, but there is a NaN")
    return _finite(name, table)


def _span_ratio(name: str, values: Any, metric: str) -> np.ndarray:
    """Numerator and denominator of the metric, instance by instance: two columns to add up."""
    if all(hasattr(values, field) for field in ("tp", "fp", "fn")):
        values = np.column_stack([values.tp, values.fp, values.fn])
    table = _table(name, values)
    if table.ndim != 2 or table.shape[1] != 3:
        raise ValueError(
            f"{name}: expected the columns tp, fp, fn, one row an instance, got shape {table.shape}"
        )
    if (table < 0).any():
        raise ValueError(f"{name}: expected counts of at least 0, got {table.min():g}")
    tp, fp, fn = table.T
    whole = {"f1": tp + (fp + fn) / 2, "precision": tp + fp, "recall": tp + fn}[metric]
    return np.column_stack([tp, whole])


def _finite(name: str, values: np.ndarray) -> np.ndarray:
    if np.isinf(values).any():
        raise ValueError(f"{name}: expected finite values, but there is an infinite one")
    return values


def _enough(a: np.ndarray, b: np.ndarray, least: int) -> None:
    n = _checks.same_length(a=a, b=b)
    if n < least:
        raise ValueError(f"a, b: expected at least {least} instance(s), got {n}")
