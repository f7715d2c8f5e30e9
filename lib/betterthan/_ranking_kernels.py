"""Compiled kernels of chapter 5: exact tails of the hypergeometric and the beta-binomial.

Probabilities of single tables come from Loader's saddle-point expansion (C. Loader 2000,
*Fast and accurate computation of binomial probabilities*), because differences of log-gammas
lose up to eight digits at a million candidates. Tails are sums of ratios of neighbouring terms.
"""

from __future__ import annotations

import math

import numba
import numpy as np

# R's fisher.test counts a table as "at most as probable" within this relative tolerance.
_R_TOLERANCE = math.log1p(1e-7)
_TINY = 1e-18
_LOG_2PI = math.log(2 * math.pi)
_STIRLING = np.array(
    [0.0]
    + [math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - 0.5 * _LOG_2PI for i in range(1, 16)]
)


@numba.njit(cache=True)
def _stirling_error(n):
    """log(n!) minus Stirling's formula."""
    if n < 16:
        return _STIRLING[int(n)]
    nn = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / nn) / nn) / nn) / nn) / n


@numba.njit(cache=True)
def deviance(x, m, d):
    """x log(x/m) - (x - m), where d = x - m is known better than by subtraction."""
    if x == 0:
        return m
    if m == 0:
        return math.inf
    if abs(d) < 0.1 * (x + m):
        v = d / (x + m)
        s = d * v
        term = 2 * x * v
        v *= v
        j = 1
        while j < 1000:
            term *= v
            s1 = s + term / (2 * j + 1)
            if s1 == s:
                return s1
            s = s1
            j += 1
        return s
    return x * math.log(x / m) - d


@numba.njit(cache=True)
def _log_binomial(x, n, p, q):
    """log P(X = x) for n draws with chance p, where q = 1 - p."""
    if p == 0:
        return 0.0 if x == 0 else -math.inf
    if q == 0:
        return 0.0 if x == n else -math.inf
    if x == 0:
        if n == 0:
            return 0.0
        return -deviance(n, n * q, n * p) - n * p if p < 0.1 else n * math.log(q)
    if x == n:
        return -deviance(n, n * p, n * q) - n * q if q < 0.1 else n * math.log(p)
    if x < 0 or x > n:
        return -math.inf
    correction = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    correction -= deviance(x, n * p, x - n * p) + deviance(n - x, n * q, n - x - n * q)
    return correction - 0.5 * (_LOG_2PI + math.log(x) + math.log1p(-x / n))


@numba.njit(cache=True)
def log_hypergeometric(x, white, black, draws):
    """log P(X = x), X the white balls among `draws` from `white` and `black` ones."""
    if x < max(0.0, draws - black) or x > min(draws, white):
        return -math.inf
    total = white + black
    if total == 0 or draws == 0:
        return 0.0
    p = draws / total
    q = (total - draws) / total
    return (
        _log_binomial(x, white, p, q)
        + _log_binomial(draws - x, black, p, q)
        - _log_binomial(draws, total, p, q)
    )


@numba.njit(cache=True)
def _up(x, white, black, draws):
    """P(X >= x) / P(X = x) for x at or above the mode."""
    s = 1.0
    term = 1.0
    top = min(draws, white)
    while x < top:
        term *= (white - x) * (draws - x) / ((x + 1) * (black - draws + x + 1))
        s += term
        if term < _TINY * s:
            break
        x += 1
    return s


@numba.njit(cache=True)
def _down(x, white, black, draws):
    """P(X <= x) / P(X = x) for x at or below the mode."""
    s = 1.0
    term = 1.0
    bottom = max(0.0, draws - black)
    while x > bottom:
        term *= x * (black - draws + x) / ((white - x + 1) * (draws - x + 1))
        s += term
        if term < _TINY * s:
            break
        x -= 1
    return s


@numba.njit(cache=True)
def _symmetric(t1, t2, d):
    """Two-sided p-value where both differences hold d candidates: twice the upper tail."""
    high = max(t1, t2)
    if t1 == t2 or d == 0:
        return 1.0
    positives = t1 + t2
    negatives = 2 * d - positives
    log_p = log_hypergeometric(high, positives, negatives, d)
    return min(1.0, 2 * math.exp(log_p) * _up(high, positives, negatives, d))


@numba.njit(cache=True)
def _inner_end(inside, outside, bound, white, black, draws):
    """The last x on the way from `inside` to `outside` with a log probability up to `bound`."""
    while abs(outside - inside) > 1:
        middle = math.floor((inside + outside) / 2)
        if log_hypergeometric(middle, white, black, draws) <= bound:
            inside = middle
        else:
            outside = middle
    return inside


@numba.njit(cache=True)
def _two_sided(t1, f1, t2, f2):
    """Sum of all tables with these margins that are at most as probable (R's rule)."""
    draws = t1 + f1
    if draws == t2 + f2:
        return _symmetric(t1, t2, draws)
    white = t1 + t2
    black = f1 + f2
    low = max(0.0, draws - black)
    high = min(draws, white)
    if low == high:
        return 1.0
    mode = math.floor((draws + 1) * (white + 1) / (white + black + 2))
    mode = min(max(mode, low), high)
    bound = log_hypergeometric(t1, white, black, draws) + _R_TOLERANCE
    if bound >= log_hypergeometric(mode, white, black, draws):
        return 1.0
    # The probabilities rise to the mode and fall after it: on either side of the mode the tables
    # at most as probable are a tail, whose inner end is found by bisection.
    p = 0.0
    if log_hypergeometric(low, white, black, draws) <= bound:
        x = _inner_end(low, mode, bound, white, black, draws)
        p += math.exp(log_hypergeometric(x, white, black, draws)) * _down(x, white, black, draws)
    if log_hypergeometric(high, white, black, draws) <= bound:
        x = _inner_end(high, mode, bound, white, black, draws)
        p += math.exp(log_hypergeometric(x, white, black, draws)) * _up(x, white, black, draws)
    return min(1.0, p)


@numba.njit(cache=True)
def two_sided(t1, f1, t2, f2):
    """Fisher's two-sided p-value of every table (float arrays of whole numbers)."""
    out = np.empty(t1.size)
    for i in range(t1.size):
        out[i] = _two_sided(t1[i], f1[i], t2[i], f2[i])
    return out


@numba.njit(cache=True)
def _log_upper(x, white, black, draws):
    """log P(X >= x)."""
    if x <= max(0.0, draws - black):
        return 0.0
    mode = math.floor((draws + 1) * (white + 1) / (white + black + 2))
    if x >= mode:
        log_p = log_hypergeometric(x, white, black, draws)
        return min(0.0, log_p + math.log(_up(x, white, black, draws)))
    below = log_hypergeometric(x - 1, white, black, draws)
    return math.log1p(-min(1.0, math.exp(below) * _down(x - 1, white, black, draws)))


@numba.njit(cache=True)
def log_upper(t1, f1, t2, f2):
    """log of Fisher's right tail of every table."""
    out = np.empty(t1.size)
    for i in range(t1.size):
        out[i] = _log_upper(t1[i], t1[i] + t2[i], f1[i] + f2[i], t1[i] + f1[i])
    return out


@numba.njit(cache=True)
def g2(o11, o12, o21, o22, difference):
    """Twice the summed deviances of the four cells, signed like the first."""
    out = np.empty(difference.size)
    for i in range(out.size):
        d = difference[i]
        a, b, c, e = o11[i], o12[i], o21[i], o22[i]
        if d == 0:
            out[i] = 0.0
            continue
        first = (a + b) / (a + b + c + e)
        second = (c + e) / (a + b + c + e)
        s = (
            deviance(a, first * (a + c), d)
            + deviance(b, first * (b + e), -d)
            + deviance(c, second * (a + c), -d)
            + deviance(e, second * (b + e), d)
        )
        out[i] = 2 * s if d > 0 else -2 * s
    return out


@numba.njit(cache=True)
def swap(order_a, order_b, flips, coins):
    """Two rankings after swapping the two ranks of every candidate x with flips[x].

    Two candidates that now claim the same place are put in the order `coins` says, the same in
    both rankings.
    """
    size = order_a.size
    new_a = np.empty(size, np.int64)
    new_b = np.empty(size, np.int64)
    next_a = 0
    next_b = 0
    for place in range(size):
        for turn in range(2):
            from_a = (turn == 0) == coins[place]
            x = order_a[place] if from_a else order_b[place]
            if flips[x] != from_a:
                new_a[next_a] = x
                next_a += 1
            else:
                new_b[next_b] = x
                next_b += 1
    return new_a, new_b


@numba.njit(cache=True)
def _stays_below(x, white, draws, twice_p, limit):
    """Does the two-sided p-value stay below `limit`? Stops adding terms once it does not.

    Most n are ruled out after a few terms, without the exact test.
    """
    s = twice_p
    term = twice_p
    black = 2 * draws - white
    top = min(draws, white)
    while s < limit:
        if x >= top or term < 1e-3 * (limit - s) / (top - x):
            return True
        term *= (white - x) * (draws - x) / ((x + 1) * (black - draws + x + 1))
        s += term
        x += 1
    return False


@numba.njit(cache=True)
def least_p(order_a, order_b, gold, flips, coins, log_factorial, first, last):
    """Smallest Fisher p-value over first <= n <= last after a swap."""
    size = order_a.size
    swapped_a, swapped_b = swap(order_a, order_b, flips, coins)
    new_a = np.empty(size, np.int64)
    new_b = np.empty(size, np.int64)
    for place in range(size):
        new_a[swapped_a[place]] = place
        new_b[swapped_b[place]] = place
    true_a = np.zeros(size, np.int64)
    true_b = np.zeros(size, np.int64)
    both = np.zeros(size, np.int64)
    true_both = np.zeros(size, np.int64)
    for x in range(size):
        later = max(new_a[x], new_b[x])
        both[later] += 1
        if gold[x]:
            true_a[new_a[x]] += 1
            true_b[new_b[x]] += 1
            true_both[later] += 1
    t_a = 0
    t_b = 0
    n_both = 0
    t_both = 0
    least = 1.0
    for i in range(last):
        t_a += true_a[i]
        t_b += true_b[i]
        n_both += both[i]
        t_both += true_both[i]
        if i + 1 < first or t_a == t_b:
            continue
        d = i + 1 - n_both
        t1 = t_a - t_both
        t2 = t_b - t_both
        log_p = (
            2 * log_factorial[d]
            - log_factorial[2 * d]
            + log_factorial[t1 + t2]
            + log_factorial[2 * d - t1 - t2]
            - log_factorial[t1]
            - log_factorial[t2]
            - log_factorial[d - t1]
            - log_factorial[d - t2]
        )
        if _stays_below(max(t1, t2), t1 + t2, d, 2 * math.exp(log_p - 1e-6), least):
            least = min(least, _symmetric(float(t1), float(t2), float(d)))
    return least


@numba.njit(cache=True)
def critical_difference(positives, d, level):
    """Smallest t1 - t2 >= 0 that is significant at `level` (0 where none is)."""
    out = np.zeros(d.size, np.int64)
    for i in range(d.size):
        k = positives[i]
        high = min(d[i], k)
        t = math.floor(k / 2) + 1.0
        if t > high:
            continue
        a, b = t - 1, high
        if _symmetric(high, k - high, d[i]) > level:
            continue
        while b - a > 1:
            middle = math.floor((a + b) / 2)
            if _symmetric(middle, k - middle, d[i]) <= level:
                b = middle
            else:
                a = middle
        out[i] = int(2 * b - k)
    return out


@numba.njit(cache=True)
def _betabinomial_upper(k, n, a, b):
    """P(X >= k) of the beta-binomial with n trials and shapes a, b."""
    log_p = (
        math.lgamma(n + 1.0)
        - math.lgamma(k + 1.0)
        - math.lgamma(n - k + 1.0)
        + math.lgamma(k + a)
        + math.lgamma(n - k + b)
        - math.lgamma(n + a + b)
        + math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
    )
    s = 1.0
    term = 1.0
    x = k
    while x < n:
        term *= (n - x) / (x + 1) * (x + a) / (n - x - 1 + b)
        s += term
        x += 1
    return math.exp(log_p) * s


@numba.njit(cache=True)
def betabinomial_lower_limit(k, n, rho, tail):
    """The mean at which P(X >= k) equals `tail`, by bisection; k >= 1."""
    out = np.empty(k.size)
    scale = (1 - rho) / rho
    for i in range(k.size):
        low, high = 0.0, 1.0
        for _ in range(60):
            mean = 0.5 * (low + high)
            if _betabinomial_upper(k[i], n[i], mean * scale, (1 - mean) * scale) < tail:
                low = mean
            else:
                high = mean
        out[i] = 0.5 * (low + high)
    return out


@numba.njit(cache=True)
def average_precision(weights, gold):
    """Average precision of candidates in rank order, each counted `weights` times."""
    seen = 0.0
    found = 0.0
    total = 0.0
    for i in range(weights.size):
        w = weights[i]
        seen += w
        if gold[i] and w > 0:
            found += w
            total += w * found / seen
    return total / found if found > 0 else 0.0
