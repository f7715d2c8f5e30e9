"""Exact tails of Fisher's test, for whole columns of 2×2 tables at once.

The probability of one table, given its margins, is a product of nine factorials. Differences of
log-gammas would lose up to eight digits at a million candidates, so each factorial is split into
n log n − n and a small rest (:func:`_rest`). The large parts add up to half of the log-likelihood
ratio G² of the table, a sum of four terms that cannot cancel (:func:`deviance`; C. Loader 2000,
*Fast and accurate computation of binomial probabilities*). A tail is the probability of its first
table times a sum of ratios of neighbouring ones (:func:`_relative_tail`).

All arguments are arrays of floats that hold whole numbers, of at most 10¹⁵: beyond 2⁵³ adding 1
changes nothing, and a sum over tables would never end.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

# log(n!) − (n log n − n) for n below 16, where the series of Stirling's formula is too short.
_RESTS = np.array([0.0] + [math.log(math.factorial(n)) - n * math.log(n) + n for n in range(1, 16)])
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
# In which direction the cells of a table leave their expectation, if the first exceeds it.
_DIRECTIONS = np.array([[1.0], [-1.0], [-1.0], [1.0]])

# So many tables at a time stay in the processor's cache, and amortise the calls of numpy.
_CHUNK = 8192
# Fewer tables than this are summed many terms at a time, more of them a term at a time.
_FEW, _STEPS, _BLOCK = 64, 32, 2**14
# Terms below this share of the sum no longer change it.
_NEGLIGIBLE = 1e-18


def two_sided(true_a: np.ndarray, true_b: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Fisher's two-sided p-values of pairs of differences of the same `size`.

    Which of the two has more is a fair coin then, so this is twice the upper tail. Where they
    differ by 1 the tail is everything on one side of the middle, one half, and p is exactly 1.
    """
    pvalue = np.ones(true_a.size)
    differ = np.flatnonzero(np.abs(true_a - true_b) > 1)
    a, b, n = true_a[differ], true_b[differ], size[differ]
    tail = log_upper(np.maximum(a, b), a + b, 2 * n - (a + b), n)
    pvalue[differ] = np.minimum(1.0, 2 * np.exp(tail))
    return pvalue


def log_upper(x: np.ndarray, white: np.ndarray, black: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """log P(X ≥ x), X the white balls among `draws` from `white` and `black` ones."""
    out = np.zeros(x.size)
    # Any draw has at least this many white balls.
    open_cases = np.flatnonzero(x > np.maximum(0.0, draws - black))
    for start in range(0, open_cases.size, _CHUNK):
        part = open_cases[start : start + _CHUNK]
        out[part] = _log_upper(x[part], white[part], black[part], draws[part])
    return out


def _log_upper(
    x: np.ndarray, white: np.ndarray, black: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """The same, for x that not every draw reaches."""
    mode = np.floor((draws + 1) * (white + 1) / (white + black + 2))
    above = x >= mode
    # Below the mode the other tail is the short one: fewer white balls are more black ones.
    drawn = np.where(above, x, draws - x + 1)
    same, other = np.where(above, white, black), np.where(above, black, white)
    tables = np.stack([drawn, same - drawn, draws - drawn, other - draws + drawn])
    tail = np.minimum(0.0, log_probability(tables) + np.log(_relative_tail(tables)))
    return np.where(above, tail, np.log1p(-np.exp(np.where(above, -1.0, tail))))


def log_probability(tables: np.ndarray) -> np.ndarray:
    """log P of each table (rows: O11, O12, O21, O22) among those with the same margins."""
    o11, o12, o21, o22 = tables
    margins = np.stack([o11 + o12, o21 + o22, o11 + o21, o12 + o22])
    total = margins[0] + margins[1]
    expected = margins[[0, 0, 1, 1]] * margins[[2, 3, 2, 3]] / total
    difference = _DIRECTIONS * (determinant(o11, o12, o21, o22) / total)
    cells = _rest(tables) + deviance(tables, expected, difference)
    return _rest(margins).sum(axis=0) - _rest(total) - cells.sum(axis=0)


def _rest(n: np.ndarray) -> np.ndarray:
    """log(n!) − (n log n − n): half the logarithm of 2πn, and Stirling's series."""
    inverse = 1 / np.maximum(n, 16.0)
    out = np.full_like(inverse, 1 / 1188)
    for number in (1680, 1260, 360, 12):
        out *= -inverse * inverse
        out += 1 / number
    out *= inverse
    out += _HALF_LOG_2PI - 0.5 * np.log(inverse)
    small = n < 16
    out[small] = _RESTS[n[small].astype(np.intp)]
    return out


def deviance(x: np.ndarray, m: np.ndarray, d: np.ndarray) -> np.ndarray:
    """x log(x/m) − (x − m), where d = x − m is known better than by subtraction.

    Where x and m are close the two parts would cancel, so there it is dv + 2xv (v²/3 + v⁴/5 + …)
    with v = d/(x + m) below 0.1: what comes after the ninth term is beyond the last digit.
    """
    close = np.abs(d) < 0.1 * (x + m)
    v = np.divide(d, x + m, out=np.zeros_like(d), where=close)
    squared = v * v
    out = np.full_like(v, 1 / 19)
    for number in range(17, 1, -2):
        out *= squared
        out += 1 / number
    out *= squared * 2 * x * v
    out += d * v
    x, m, d = x[~close], m[~close], d[~close]
    out[~close] = np.where(x > 0, special.rel_entr(x, m) - d, m)
    return out


def determinant(o11: np.ndarray, o12: np.ndarray, o21: np.ndarray, o22: np.ndarray) -> np.ndarray:
    """O11·O22 − O12·O21.

    Near independence the products agree in most digits, and at large counts their plain
    difference would be rounding error.
    """
    (p, p_error), (q, q_error) = exact_product(o11, o22), exact_product(o12, o21)
    return (p - q) + (p_error - q_error)


def exact_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a·b as a rounded product and its rounding error (Dekker 1971)."""
    product = a * b
    split_a, split_b = 134217729.0 * a, 134217729.0 * b
    high_a, high_b = split_a - (split_a - a), split_b - (split_b - b)
    low_a, low_b = a - high_a, b - high_b
    return product, (high_a * high_b - product + high_a * low_b + low_a * high_b) + low_a * low_b


def _relative_tail(tables: np.ndarray) -> np.ndarray:
    """The probability of each table and all with a larger O11, in units of its own.

    For tables not below the mode, where every term is smaller than the one before:
    P(O11 + 1)/P(O11) = O12·O21 / ((O11 + 1)(O22 + 1)). Past the last possible table a factor is 0,
    and so is all that follows.
    """
    total, term = np.ones(tables.shape[1]), np.ones(tables.shape[1])
    left, done = np.arange(total.size), 0
    while left.size:
        add = _many_terms if left.size < _FEW else _few_terms
        terms, term, count = add(tables, term, done)
        total[left] += terms
        done += count
        going = term >= _NEGLIGIBLE * total[left]
        if not going.all():
            left, term, tables = left[going], term[going], tables[:, going]
    return total


def _few_terms(
    tables: np.ndarray, term: np.ndarray, done: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """The sum of the next terms, the last of them, and how many: one after the other, in place."""
    a, b, c, d = tables + np.array([[done + 1], [-done], [-done], [done + 1]])
    total, term = np.zeros_like(term), term.copy()
    ratio, below = np.empty_like(term), np.empty_like(term)
    for _ in range(_STEPS):
        np.multiply(b, c, out=ratio)
        np.multiply(a, d, out=below)
        ratio /= below
        term *= ratio
        total += term
        a += 1
        b -= 1
        c -= 1
        d += 1
    return total, term, _STEPS


def _many_terms(
    tables: np.ndarray, term: np.ndarray, done: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """The same, all of them at once: one row per term."""
    count = min(_BLOCK // term.size, max(_FEW, done))
    step = np.arange(done, done + count, dtype=float)[:, None]
    o11, o12, o21, o22 = tables
    terms = (o12 - step) * (o21 - step) / ((o11 + 1 + step) * (o22 + 1 + step))
    terms[0] *= term
    np.multiply.accumulate(terms, axis=0, out=terms)
    return terms.sum(axis=0), terms[-1], count
