"""Learners that differ from the library's in one choice that the paper makes.

How the diagonal of the covariance is kept, how large the covariance is at the start, and whether
the weights are averaged. The library has the paper's choice; a study tries the others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from betterthan.taggers import Tagger
from betterthan.taggers import _kernels as kernels
from betterthan.taggers._arrays import Arrays
from betterthan.taggers._compile import compiled

# Section 4 of the paper names three ways; for AROW the second and the third are the same.
OF_FULL, OF_INVERSE, OPTIMAL = 0, 1, 2
WAYS = {"diagonal": OF_FULL, "diagonal of the inverse": OF_INVERSE, "best diagonal": OPTIMAL}


@compiled
def squares(used: int, variances: np.ndarray, room: kernels.Room, out: np.ndarray) -> int:
    """The terms σΔ² of the margin's variance that are not 0, and how many there are."""
    _, touched, delta = room
    n = 0
    for k in range(used):
        for b in range(delta.shape[1]):
            for j in range(4):
                d = delta[k, b, j]
                if d != 0.0:
                    out[n] = variances[touched[k], b, j] * d * d
                    n += 1
    return n


@compiled
def variance_after(terms: np.ndarray, n: int, beta: float) -> float:
    """The variance of the margin once the inverse variances have grown by βΔ²."""
    total = 0.0
    for i in range(n):
        total += terms[i] / (1.0 + beta * terms[i])
    return total


@compiled
def wide_enough(phi: float, m: float, v: float, terms: np.ndarray, n: int, beta: float) -> bool:
    """Whether after a step with this β the truth wins by φ standard deviations or more."""
    return m + math.sqrt(variance_after(terms, n, beta)) * (beta * v / phi - phi) >= 0.0


@compiled
def best_step(phi: float, m: float, v: float, terms: np.ndarray, n: int) -> tuple[float, float]:
    """α and β of the smallest step of CW among diagonal Gaussians.

    The new inverse variances are 1/σ + βΔ², and the new variance of the margin is
    v⁺(β) = Σ σΔ²/(1 + β σΔ²). With α = β√v⁺/φ the margin m + αv must be φ√v⁺: one unknown,
    found by halving.
    """
    low = 0.0
    high = 1.0 / v
    while not wide_enough(phi, m, v, terms, n, high):
        low = high
        high *= 2.0
    while high - low > 1e-6 * high:
        beta = (low + high) / 2.0
        if wide_enough(phi, m, v, terms, n, beta):
            high = beta
        else:
            low = beta
    return high * math.sqrt(variance_after(terms, n, high)) / phi, high


@compiled
def variant_pass(
    algorithm: int,
    way: int,
    parameter: float,
    order: np.ndarray,
    rounds: int,
    n_labels: int,
    data: Arrays,
    gold: np.ndarray,
    weights: np.ndarray,
    variances: np.ndarray,
    moments: np.ndarray,
    room: kernels.Room,
    fast: bool | None,
) -> None:
    """One pass of CW or AROW, the variances kept in one of three ways."""
    first = weights.shape[0] - n_labels
    blocks = weights.shape[1]
    longest = kernels.longest_sentence(data)
    scores = np.empty((longest, blocks, 4), np.float32)
    back = np.empty((longest, blocks, 4), np.int32)
    path = np.empty(longest, np.int32)
    slot, touched, delta = room
    terms = np.empty(delta.size)
    for turn in range(order.size):
        s = order[turn]
        lo, n = data.sentence_ptr[s], data.sentence_ptr[s + 1] - data.sentence_ptr[s]
        kernels.viterbi(weights, n_labels, data, lo, n, scores, back, path, fast)
        distance = kernels.mistakes(gold, lo, path, n)
        if distance == 0:
            continue
        used = kernels.difference(first, data, lo, gold, path, n, room, 0, 0)
        m, v = kernels.margin(algorithm, used, weights, variances, room)
        if v > 0.0:
            alpha, shrink = kernels.step_sizes(algorithm, parameter, m, v, distance)
            beta = 1.0 / parameter if algorithm == kernels.AROW else shrink / (1.0 - shrink * v)
            if way == OPTIMAL and algorithm == kernels.CW:
                terms_used = squares(used, variances, room, terms)
                alpha, beta = best_step(parameter, m, v, terms, terms_used)
            for k in range(used):
                row = touched[k]
                for b in range(blocks):
                    for j in range(4):
                        d = delta[k, b, j]
                        if d == 0.0:
                            continue
                        sigma = np.float64(variances[row, b, j])
                        if way == OF_FULL:
                            variances[row, b, j] = sigma - shrink * sigma * d * sigma * d
                        else:
                            variances[row, b, j] = 1.0 / (1.0 / sigma + beta * d * d)
                        old = np.float64(weights[row, b, j])
                        weights[row, b, j] = old + alpha * sigma * d
                        change = np.float64(weights[row, b, j]) - old
                        moments[row, b, j] += np.float64(rounds + turn) * change
        for k in range(used):
            slot[touched[k]] = kernels.FREE


class Variant(Tagger):
    """CW or AROW with another way to keep variances, another start, or the last weights."""

    def __init__(
        self, algorithm: str, way: int = OF_FULL, start: float = 1.0, average: bool = True, **rest
    ) -> None:
        super().__init__(algorithm, **rest)
        self.way, self.start, self.average = way, start, average

    def _train(self, data: Arrays, gold: np.ndarray, features: int, after_pass: Any) -> None:
        n_labels = len(self.labels_)
        shape = (features + n_labels, -(-n_labels // 4), 4)
        weights, moments = np.zeros(shape, np.float32), np.zeros(shape)
        variances = np.full(shape, self.start, np.float32)
        room = kernels.difference_room(shape[0], data, n_labels, shape[1])
        code, parameter = {
            "cw": (kernels.CW, self.phi),
            "arow": (kernels.AROW, self.r),
        }[self.algorithm]
        sentences = data.sentence_ptr.size - 1
        rng = np.random.default_rng(self._stream(0))
        for turn in range(self.passes):
            task = rng.permutation(sentences), turn * sentences, n_labels, data, gold
            variant_pass(
                code, self.way, parameter, *task, weights, variances, moments, room, kernels.FAST
            )
        if not self.average:
            moments[:] = 0.0
        self._keep(weights, moments, variances, self.passes * sentences)
