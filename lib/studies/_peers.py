"""The tests that are used instead: t and F tests on differences between folds, and McNemar's.

Thin, because the studies need them on differences that are already there; the ones that mlxtend
has are checked against it. All p-values are one-sided: small ones say that B is better.
"""

from __future__ import annotations

import numpy as np
from scipy import stats


def t_5x2(differences: np.ndarray) -> float:
    """Dietterich's 5×2 CV paired t-test (1998).

    Parameters
    ----------
    differences : array of shape (5, 2)
        B minus A, one row per repetition, one column per fold.

    Examples
    --------
    >>> round(t_5x2(np.array([[2, 3], [1, 2], [3, 2], [2, 2], [1, 3]]) / 100), 4)
    0.0312
    """
    d = np.asarray(differences, dtype=float)
    spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean()
    return float(stats.t.sf(_over(d[0, 0], np.sqrt(spread)), 5))


def f_5x2(differences: np.ndarray) -> float:
    """Alpaydin's combined 5×2 CV F-test (1999), made one-sided by the sign of the mean."""
    d = np.asarray(differences, dtype=float)
    spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    half = float(stats.f.sf(_over((d**2).sum(), 2 * spread), 10, 5)) / 2
    return half if d.mean() > 0 else 1 - half


def t_paired(differences: np.ndarray) -> float:
    """The K-fold CV t-test: as if the folds were independent, which they are not."""
    return t_corrected(differences, 0.0)


def t_corrected(differences: np.ndarray, test_over_train: float) -> float:
    """The corrected resampled t-test of Nadeau and Bengio (2003).

    The variance of the mean of J differences is taken as (1/J + n_test/n_train) s².

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, 0.0, 0.02])
    >>> round(t_paired(d), 4), round(t_corrected(d, 1 / 4), 4)
    (0.0175, 0.0523)
    """
    d = np.asarray(differences, dtype=float)
    scale = np.sqrt((1 / len(d) + test_over_train) * d.var(ddof=1))
    return float(stats.t.sf(_over(d.mean(), scale), len(d) - 1))


def t_blocked(differences: np.ndarray) -> float:
    """The blocked m×2 CV t-test of Wang et al. (2014), which the first paper of this book cites.

    Their test takes the variance of the mean of the 2m differences as the mean of their squared
    deviations, with 2m - 1 degrees of freedom. With (2m + 1)/(2m - 1) times that variance, as in
    later code of the same group, it is `t_corrected` for halves.

    Examples
    --------
    >>> d = np.array([0.02, 0.01, 0.03, 0.0, 0.02, 0.01])
    >>> round(t_blocked(d), 4), round(t_corrected(d, 1.0), 4)
    (0.089, 0.1214)
    """
    d = np.asarray(differences, dtype=float)
    return float(stats.t.sf(_over(d.mean(), d.std()), len(d) - 1))


def mcnemar(only_b: int, only_a: int) -> float:
    """McNemar's exact test on the items that one model alone gets right."""
    if only_a + only_b == 0:
        return 1.0
    return float(stats.binomtest(only_b, only_a + only_b, 0.5, alternative="greater").pvalue)


def _over(top: float, bottom: float) -> float:
    return top / bottom if bottom > 0 else np.inf if top > 0 else -np.inf if top < 0 else 0.0
