"""P(B > A + margin) by brute force: nested Gauss-Legendre in 32 digits, sharing no code with ours.

The beta variable is written as sin²θ, which takes the edge off its ends; panels are cut where
either posterior has its bulk, and in powers of ten towards every corner. The distribution
function of A is added up from node to node.
"""

from __future__ import annotations

from itertools import pairwise

import mpmath as mp
import numpy as np

_DIGITS = 32


def parameters(metric, tp, fp, fn, prior=1, factor=1):
    """The two parameters of the beta variable behind a metric, from the paper's words."""
    with mp.workdps(_DIGITS):
        tp, fp, fn, prior, factor = (mp.mpf(float(x)) for x in (tp, fp, fn, prior, factor))
        lost = {"precision": fp, "recall": fn, "f1": fp + fn}[metric]
        return factor * tp + prior, factor * lost + (2 if metric == "f1" else 1) * prior


def _rule(n):
    nodes, _ = np.polynomial.legendre.leggauss(n)
    result = []
    for x in nodes:
        x = mp.mpf(float(x))
        for _ in range(4):
            p0, p1 = mp.mpf(1), x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            slope = n * (x * p1 - p0) / (x * x - 1)
            x -= p1 / slope
        result.append(((x + 1) / 2, 1 / ((1 - x * x) * slope**2)))
    return result


with mp.workdps(_DIGITS):
    _OUTER, _INNER = _rule(16), _rule(6)


def _bulk(shape):
    mean = shape[0] / sum(shape)
    sd = mp.sqrt(mean * (1 - mean) / (sum(shape) + 1))
    return [mean + k * sd / 2 for k in range(-26, 27, 2)]


def exceeds(metric, a, b, margin=0):
    """`a` and `b` are (alpha, beta) of the underlying beta variables."""
    with mp.workdps(_DIGITS):
        margin = mp.mpf(margin)

        def density(shape):
            norm = mp.loggamma(shape[0]) + mp.loggamma(shape[1]) - mp.loggamma(sum(shape))
            p, q = 2 * shape[0] - 1, 2 * shape[1] - 1
            return lambda s: 2 * mp.exp(p * mp.log(mp.sin(s)) + q * mp.log(mp.cos(s)) - norm)

        def value(w):
            return 2 * w / (1 + w) if metric == "f1" else w

        def share(t):
            return t / (2 - t) if metric == "f1" else t

        f_a, f_b = density(a), density(b)
        tiny = [mp.mpf(10) ** -k for k in range(1, 17, 2)]
        corner = share(margin)
        cuts = {corner, mp.mpf(1)}
        points = [*_bulk(b), *(share(value(w) + margin) for w in _bulk(a) if 0 < w < 1)]
        points += [corner + e for e in tiny] + [1 - e for e in tiny] + tiny
        cuts |= {w for w in points if corner < w < 1}
        angles = [mp.asin(mp.sqrt(w)) for w in sorted(cuts)]
        total, below, last = mp.mpf(0), mp.mpf(0), mp.mpf(0)
        for low, high in pairwise(angles):
            for x, weight in _OUTER:
                angle = low + (high - low) * x
                up_to = value(mp.sin(angle) ** 2) - margin
                here = mp.asin(mp.sqrt(share(up_to))) if up_to > 0 else mp.mpf(0)
                below += sum(u * f_a(last + (here - last) * z) for z, u in _INNER) * (here - last)
                last = here
                total += weight * (high - low) * f_b(angle) * below
        return total
