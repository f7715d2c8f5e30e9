"""Compiled kernels of chapter 5: exact tails of Fisher's test for whole columns of tables.

Probabilities of single tables come from Loader's saddle-point expansion (C. Loader 2000,
*Fast and accurate computation of binomial probabilities*), because differences of log-gammas
lose up to eight digits at a million candidates. Tails are sums of ratios of neighbouring terms.
All arguments are floats that hold whole numbers, of at most 10¹⁵: beyond 2⁵³ adding 1 changes
nothing, and a sum over tables would never end.
"""

from __future__ import annotations

import math

import numba
import numpy as np

_LOG_2PI = math.log(2 * math.pi)
_SMALL = [math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - 0.5 * _LOG_2PI for i in range(1, 16)]
_STIRLING = np.array([0.0, *_SMALL])


@numba.njit(cache=True)
def _stirling_error(n):
    """log(n!) minus Stirling's formula."""
    if n < 16:
        return _STIRLING[int(n)]
    nn = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / nn) / nn) / nn) / nn) / n


@numba.njit(cache=True)
def _deviance(x, m, d):
    """x log(x/m) - (x - m), where d = x - m is known better than by subtraction."""
    if x == 0:
        return m
    if m == 0:
        return math.inf
    if abs(d) >= 0.1 * (x + m):
        return x * math.log(x / m) - d
    v = d / (x + m)
    s, term = d * v, 2 * x * v
    v *= v
    for j in range(1, 1000):
        term *= v
        before, s = s, s + term / (2 * j + 1)
        if s == before:
            break
    return s


@numba.njit(cache=True)
def _log_binomial(x, n, p, q):
    """log P(X = x) for n draws with chance p, where q = 1 - p and neither is 0."""
    if x == 0:
        return -_deviance(n, n * q, n * p) - n * p if p < 0.1 else n * math.log(q)
    if x == n:
        return -_deviance(n, n * p, n * q) - n * q if q < 0.1 else n * math.log(p)
    correction = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    correction -= _deviance(x, n * p, x - n * p) + _deviance(n - x, n * q, n - x - n * q)
    return correction - 0.5 * (_LOG_2PI + math.log(x) + math.log1p(-x / n))


@numba.njit(cache=True)
def _log_tail(x, white, black, draws):
    """log P(X >= x), X the white balls among `draws`, for a possible x not below the mode."""
    total = white + black
    p, q = draws / total, (total - draws) / total
    log_p = _log_binomial(x, white, p, q) + _log_binomial(draws - x, black, p, q)
    log_p -= _log_binomial(draws, total, p, q)
    s = term = 1.0
    while x < min(draws, white) and term >= 1e-18 * s:
        term *= (white - x) * (draws - x) / ((x + 1) * (black - draws + x + 1))
        s += term
        x += 1
    return min(0.0, log_p + math.log(s))


@numba.njit(cache=True)
def _log_upper(x, white, black, draws):
    """log P(X >= x), X the white balls among `draws` from `white` and `black` ones."""
    if x <= max(0.0, draws - black):
        return 0.0
    if x >= math.floor((draws + 1) * (white + 1) / (white + black + 2)):
        return _log_tail(x, white, black, draws)
    # Below the mode the other tail is the short one: fewer white balls are more black ones.
    return math.log1p(-math.exp(_log_tail(draws - x + 1, black, white, draws)))


@numba.vectorize(cache=True)
def two_sided(true_a, true_b, size):
    """Fisher's two-sided p-value of two differences of the same size: twice the upper tail."""
    if true_a == true_b:
        return 1.0
    positives = true_a + true_b
    tail = _log_upper(max(true_a, true_b), positives, 2 * size - positives, size)
    return min(1.0, 2 * math.exp(tail))


deviance = numba.vectorize(cache=True)(_deviance.py_func)
log_upper = numba.vectorize(cache=True)(_log_upper.py_func)
