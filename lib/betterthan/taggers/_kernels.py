"""Compiled loops of the taggers: decoding, learning, drawing.

Weights live in one array of shape (features + labels, blocks, 4): a row for each feature, and
after them one row for each *previous* label, which holds the transitions out of it. So a
transition is one more observation of the token, and one piece of code updates both. Labels are
padded to a multiple of four, so that a row is read in whole vectors; the padding is never
chosen because every maximum runs over the real labels only. `data` are the arrays of
`betterthan.taggers._arrays.Arrays`.

Results are the same on every machine: no fast-math, no fused multiply-add, no parallel
reduction; every sum runs in the order of the input.

The loops are written out, and this is what they do. Where `fast` is True instead of None the
innermost ones are left to `_vectors`, which gets the same numbers sooner; `FAST` is what it can be.
(Numba drops branches on ``is None`` before it compiles, so that it never looks at the vectors of a
plain function.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from betterthan.taggers._arrays import Arrays
from betterthan.taggers._compile import compiled


def _accelerator() -> Any:
    """The vector instructions, or None: their absence, or a numba they break in, breaks nothing."""
    try:
        from betterthan.taggers import _vectors
    except Exception:  # whatever another numba or LLVM has to say
        return None
    return _vectors if _vectors.work() else None


CW, AROW, PERCEPTRON = 0, 1, 2
FREE = np.uint32(0xFFFFFFFF)

vectors = _accelerator()
FAST = None if vectors is None else True

Fast = bool | None
Room = tuple[np.ndarray, np.ndarray, np.ndarray]
Lattice = tuple[np.ndarray, Room, np.ndarray, np.ndarray]


@compiled
def fetch_next(weights: np.ndarray, data: Arrays, order: np.ndarray, turn: int, fast: Fast) -> None:
    """Have the weights of the next sentence brought near while this one is decoded.

    Sentences come in random order and most of their weights are not in the cache; waiting for
    them was a third of the training time.
    """
    if fast is not None and turn + 1 < order.size:
        s = order[turn + 1]
        begin, end = data.sentence_ptr[s], data.sentence_ptr[s + 1]
        for i in range(data.token_ptr[begin], data.token_ptr[end]):
            vectors.prefetch(weights, data.ids[i])


@compiled
def token_scores(
    weights: np.ndarray, data: Arrays, lo: int, n: int, out: np.ndarray, fast: Fast
) -> None:
    """Score of every label at tokens lo … lo + n, without transitions: out[p, block, 4].

    All tokens at once: a loop without decisions keeps many rows of weights on their way.
    """
    for p in range(n):
        begin, end = data.token_ptr[lo + p], data.token_ptr[lo + p + 1]
        for b in range(weights.shape[1]):
            if data.values.size > 0:
                for j in range(4):
                    total = 0.0
                    for i in range(begin, end):
                        total += data.values[i] * weights[data.ids[i], b, j]
                    out[p, b, j] = total
            elif fast is None:
                for j in range(4):
                    out[p, b, j] = 0.0
                for i in range(begin, end):
                    for j in range(4):
                        out[p, b, j] += weights[data.ids[i], b, j]
            else:
                vectors.sum_rows(weights, data.ids, begin, end, b, out, p)


@compiled
def best_step(
    scores: np.ndarray, transitions: np.ndarray, n_labels: int, p: int, b: int, back: np.ndarray
) -> None:
    """A step of Viterbi's algorithm: the best label before each of the four in block `b`.

    Adds to scores[p, b] the highest scores[p - 1, q] + transitions[q, b] over all labels q, and
    puts that q (the lowest of equals) into back[p, b].
    """
    for j in range(4):
        best = 0
        top = scores[p - 1, 0, 0] + transitions[0, b, j]
        for q in range(1, n_labels):
            s = scores[p - 1, q >> 2, q & 3] + transitions[q, b, j]
            if s > top:
                top = s
                best = q
        scores[p, b, j] += top
        back[p, b, j] = best


@compiled
def viterbi(
    weights: np.ndarray,
    n_labels: int,
    data: Arrays,
    lo: int,
    n: int,
    scores: np.ndarray,
    back: np.ndarray,
    path: np.ndarray,
    fast: Fast,
) -> None:
    """The best labelling of tokens lo … lo + n into `path`.

    `scores` becomes the score of the best labelling that ends in each label. Ties go to the
    lowest label.
    """
    transitions = weights[weights.shape[0] - n_labels :]
    token_scores(weights, data, lo, n, scores, fast)
    for p in range(1, n):
        for b in range(weights.shape[1]):
            if fast is None:
                best_step(scores, transitions, n_labels, p, b, back)
            else:
                vectors.best_before(scores, transitions, n_labels, p, b, back)
    best = 0
    top = scores[n - 1, 0, 0]
    for q in range(1, n_labels):
        s = scores[n - 1, q >> 2, q & 3]
        if s > top:
            top = s
            best = q
    path[n - 1] = best
    for p in range(n - 1, 0, -1):
        best = back[p, best >> 2, best & 3]
        path[p - 1] = best


@compiled
def longest_sentence(data: Arrays) -> int:
    """The number of tokens of the longest sentence. (np.diff takes seconds to compile.)"""
    longest = 0
    for s in range(data.sentence_ptr.size - 1):
        longest = max(longest, data.sentence_ptr[s + 1] - data.sentence_ptr[s])
    return longest


@compiled
def decode(weights: np.ndarray, n_labels: int, data: Arrays, out: np.ndarray, fast: Fast) -> None:
    """The best labelling of every sentence, into the flat array `out`."""
    longest = longest_sentence(data)
    scores = np.empty((longest, weights.shape[1], 4), np.float64)
    back = np.empty((longest, weights.shape[1], 4), np.int32)
    for s in range(data.sentence_ptr.size - 1):
        lo, hi = data.sentence_ptr[s], data.sentence_ptr[s + 1]
        viterbi(weights, n_labels, data, lo, hi - lo, scores, back, out[lo:hi], fast)


def difference_room(rows: int, data: Arrays, n_labels: int, blocks: int) -> Room:
    """Arrays for `difference` in a model of so many rows of weights, none of them in use."""
    most = np.diff(data.token_ptr[data.sentence_ptr]).max() + n_labels
    return np.full(rows, FREE), np.empty(most, np.uint32), np.empty((most, blocks, 4))


@compiled
def _slot_of(row: np.uint32, room: Room, used: int) -> tuple[int, int]:
    slot, touched, delta = room
    k = slot[row]
    if k == FREE:
        k = np.uint32(used)
        slot[row] = k
        touched[k] = row
        for b in range(delta.shape[1]):
            for j in range(4):
                delta[k, b, j] = 0.0
        used += 1
    return k, used


@compiled
def difference(
    first: int,
    data: Arrays,
    lo: int,
    gold: np.ndarray,
    path: np.ndarray,
    n: int,
    room: Room,
    used: int,
    shift: int,
) -> int:
    """Add Δ = Φ(x, gold) − Φ(x, path) to the rows of `delta`, one for each row of weights met.

    Summed over the whole sentence, so that a feature seen at two tokens is squared once.
    `slot` maps a row of weights to its row in `delta`, whose blocks from `shift` on are used.
    Returns how many rows of `delta` are in use.
    """
    unit = data.values.size == 0
    delta = room[2]
    for p in range(n):
        g = gold[lo + p]
        h = path[p]
        if g != h:
            for i in range(data.token_ptr[lo + p], data.token_ptr[lo + p + 1]):
                k, used = _slot_of(data.ids[i], room, used)
                x = 1.0 if unit else np.float64(data.values[i])
                delta[k, shift + (g >> 2), g & 3] += x
                delta[k, shift + (h >> 2), h & 3] -= x
        if p > 0 and (g != h or gold[lo + p - 1] != path[p - 1]):
            k, used = _slot_of(np.uint32(first + gold[lo + p - 1]), room, used)
            delta[k, shift + (g >> 2), g & 3] += 1.0
            k, used = _slot_of(np.uint32(first + path[p - 1]), room, used)
            delta[k, shift + (h >> 2), h & 3] -= 1.0
    return used


@compiled
def step_sizes(
    algorithm: int, parameter: float, m: float, v: float, distance: int
) -> tuple[float, float]:
    """α of the mean and β/(1 + βv) of the variances (Mejer & Crammer 2010, Eqs. 3 and 4)."""
    if algorithm == PERCEPTRON:
        return 1.0, 0.0
    if algorithm == AROW:
        alpha = max(0.0, distance - m) / (parameter + v)
        return alpha, 1.0 / (parameter + v)
    phi = parameter
    phi1 = 1.0 + phi * phi / 2.0
    phi2 = 1.0 + phi * phi
    root = math.sqrt(m * m * phi * phi * phi * phi / 4.0 + v * phi * phi * phi2)
    alpha = max(0.0, (-m * phi1 + root) / (v * phi2))
    half = -alpha * v * phi + math.sqrt(alpha * alpha * v * v * phi * phi + 4.0 * v)
    beta = alpha * phi / (half / 2.0)
    return alpha, beta / (1.0 + beta * v)


@compiled
def mistakes(gold: np.ndarray, lo: int, path: np.ndarray, n: int) -> int:
    """How many labels of tokens lo … lo + n are wrong."""
    distance = 0
    for p in range(n):
        distance += path[p] != gold[lo + p]
    return distance


@compiled
def margin(
    algorithm: int, used: int, weights: np.ndarray, variances: np.ndarray, room: Room
) -> tuple[float, float]:
    """μ·Δ and ΔᵀΣΔ, by how much the gold labelling wins and how uncertain that is."""
    _, touched, delta = room
    m = 0.0
    v = 0.0
    for k in range(used):
        row = touched[k]
        for b in range(delta.shape[1]):
            for j in range(4):
                d = delta[k, b, j]
                m += weights[row, b, j] * d
                v += (1.0 if algorithm == PERCEPTRON else variances[row, b, j]) * d * d
    return m, v


@compiled
def update(
    algorithm: int,
    alpha: float,
    shrink: float,
    when: float,
    used: int,
    weights: np.ndarray,
    variances: np.ndarray,
    moments: np.ndarray,
    room: Room,
) -> None:
    """A step towards the gold labelling, of the means and of the variances."""
    _, touched, delta = room
    for k in range(used):
        row = touched[k]
        for b in range(delta.shape[1]):
            for j in range(4):
                d = delta[k, b, j]
                if d == 0.0:
                    continue
                old = weights[row, b, j]
                step = d
                if algorithm != PERCEPTRON:
                    step = variances[row, b, j] * d
                    variances[row, b, j] -= shrink * step * step
                new = np.float32(old + alpha * step)
                weights[row, b, j] = new
                moments[row, b, j] += when * (np.float64(new) - np.float64(old))


@compiled
def train_pass(
    algorithm: int,
    parameter: float,
    order: np.ndarray,
    rounds: int,
    n_labels: int,
    data: Arrays,
    gold: np.ndarray,
    weights: np.ndarray,
    variances: np.ndarray,
    moments: np.ndarray,
    room: Room,
    fast: Fast,
) -> None:
    """One pass of CW, AROW or the perceptron.

    `rounds` sentences were seen before. The average of the weights after every round needs no
    work in rounds without an update: a change made in round t (from 0) is missing from the
    first t of the T averaged vectors, so mean = weights − moments/T with moments = Σ t·change.
    """
    first = weights.shape[0] - n_labels
    blocks = weights.shape[1]
    longest = longest_sentence(data)
    scores = np.empty((longest, blocks, 4), np.float32)
    back = np.empty((longest, blocks, 4), np.int32)
    path = np.empty(longest, np.int32)
    slot, touched, _ = room
    for turn in range(order.size):
        s = order[turn]
        fetch_next(weights, data, order, turn, fast)
        lo, n = data.sentence_ptr[s], data.sentence_ptr[s + 1] - data.sentence_ptr[s]
        viterbi(weights, n_labels, data, lo, n, scores, back, path, fast)
        distance = mistakes(gold, lo, path, n)
        if distance == 0:
            continue
        used = difference(first, data, lo, gold, path, n, room, 0, 0)
        if fast is not None:
            for k in range(used):
                vectors.prefetch(moments, touched[k])
                if algorithm != PERCEPTRON:
                    vectors.prefetch(variances, touched[k])
        m, v = margin(algorithm, used, weights, variances, room)
        if v > 0.0:
            alpha, shrink = step_sizes(algorithm, parameter, m, v, distance)
            when = np.float64(rounds + turn)
            update(algorithm, alpha, shrink, when, used, weights, variances, moments, room)
        for k in range(used):
            slot[touched[k]] = FREE


@compiled
def kbest_room(longest: int, n_labels: int, blocks: int, limit: int) -> Lattice:
    """Arrays for `kbest_sentence`: emissions, the lattice, and two rows of numbers."""
    shape = (longest + 1, n_labels, limit)
    lattice = np.empty(shape), np.empty(shape, np.int32), np.empty(shape, np.int32)
    return np.empty((longest, blocks, 4)), lattice, np.empty(n_labels, np.int64), np.empty(n_labels)


@compiled
def merge(
    before: np.ndarray,
    bonus: np.ndarray,
    have: int,
    size: int,
    pointer: np.ndarray,
    scores: np.ndarray,
    labels: np.ndarray,
    ranks: np.ndarray,
) -> None:
    """The best prefixes out of the sorted lists of all labels, each with a bonus.

    Those with equal scores stand in the order of their label, then of their rank.
    """
    pointer[:] = 0
    for k in range(size):
        best = -1
        top = -np.inf
        for q in range(pointer.size):
            if pointer[q] < have:
                s = before[q, pointer[q]] + bonus[q]
                if best < 0 or s > top:
                    top = s
                    best = q
        scores[k] = top
        labels[k] = best
        ranks[k] = pointer[best]
        pointer[best] += 1


@compiled
def kbest_sentence(
    weights: np.ndarray,
    n_labels: int,
    data: Arrays,
    lo: int,
    n: int,
    room: Lattice,
    paths: np.ndarray,
    totals: np.ndarray,
    fast: Fast,
) -> int:
    """The K best labellings of tokens lo … lo + n, as columns of `paths`, and how many.

    For each token and label the best K prefixes are kept; the end is one more token, with one
    label and without scores of its own.
    """
    emit, (kscore, kfrom, krank), pointer, bonus = room
    transitions = weights[weights.shape[0] - n_labels :]
    token_scores(weights, data, lo, n, emit, fast)
    for c in range(n_labels):
        kscore[0, c, 0] = emit[0, c >> 2, c & 3]
    have = 1
    for p in range(1, n + 1):
        size = min(totals.size, have * n_labels)
        for c in range(n_labels if p < n else 1):
            for q in range(n_labels):
                bonus[q] = transitions[q, c >> 2, c & 3] if p < n else 0.0
            row = kscore[p, c]
            merge(kscore[p - 1], bonus, have, size, pointer, row, kfrom[p, c], krank[p, c])
            if p < n:
                for k in range(size):
                    row[k] += emit[p, c >> 2, c & 3]
        have = size
    for k in range(have):
        totals[k] = kscore[n, 0, k]
        label, rank = np.int32(0), np.int32(k)
        for p in range(n, 0, -1):
            label, rank = kfrom[p, label, rank], krank[p, label, rank]
            paths[p - 1, k] = label
    return have


@compiled
def kbest(
    weights: np.ndarray,
    n_labels: int,
    data: Arrays,
    found: np.ndarray,
    paths: np.ndarray,
    totals: np.ndarray,
    fast: Fast,
) -> None:
    """The K best labellings of every sentence.

    `paths` is (tokens, K): column k holds the labels of the k-th best labelling; `totals` is
    (sentences, K); `found` says how many labellings each sentence has.
    """
    room = kbest_room(longest_sentence(data), n_labels, weights.shape[1], totals.shape[1])
    for s in range(data.sentence_ptr.size - 1):
        lo, hi = data.sentence_ptr[s], data.sentence_ptr[s + 1]
        found[s] = kbest_sentence(
            weights, n_labels, data, lo, hi - lo, room, paths[lo:hi], totals[s], fast
        )


@compiled
def hildreth(
    gram: np.ndarray, slack: np.ndarray, capacity: float, alpha: np.ndarray, count: int
) -> None:
    """Dual variables of min ½‖u‖² + CΣξ subject to u·Δ_z ≥ slack_z − ξ_z, each in [0, C]."""
    for z in range(count):
        alpha[z] = 0.0
    for _ in range(1000):
        moved = 0.0
        for z in range(count):
            if gram[z, z] <= 0.0:
                continue
            gap = slack[z]
            for other in range(count):
                gap -= alpha[other] * gram[z, other]
            new = min(capacity, max(0.0, alpha[z] + gap / gram[z, z]))
            moved = max(moved, abs(new - alpha[z]) * math.sqrt(gram[z, z]))
            alpha[z] = new
        if moved < 1e-8:
            break


@compiled
def gold_score(
    emit: np.ndarray, transitions: np.ndarray, gold: np.ndarray, lo: int, n: int
) -> float:
    """The score of the gold labelling of tokens lo … lo + n."""
    truth = 0.0
    for p in range(n):
        g = gold[lo + p]
        truth += emit[p, g >> 2, g & 3]
        if p > 0:
            truth += transitions[gold[lo + p - 1], g >> 2, g & 3]
    return truth


@compiled
def choose_rivals(
    truth: float,
    found: int,
    totals: np.ndarray,
    gold: np.ndarray,
    lo: int,
    n: int,
    paths: np.ndarray,
    slack: np.ndarray,
) -> tuple[int, bool]:
    """How many of the `found` best labellings are wrong, and whether one comes too close.

    They become the first columns of `paths`; `slack` says how much each is short of losing by as
    many points as it has mistakes.
    """
    rivals = 0
    violated = False
    for k in range(found):
        distance = mistakes(gold, lo, paths[:, k], n)
        if distance == 0 or rivals == slack.size:
            continue
        slack[rivals] = distance - (truth - totals[k])
        violated = violated or slack[rivals] > 0.0
        for p in range(n):
            paths[p, rivals] = paths[p, k]
        rivals += 1
    return rivals, violated


@compiled
def fill_gram(rivals: int, used: int, blocks: int, delta: np.ndarray, gram: np.ndarray) -> None:
    """gram[y, z] = Δ_y·Δ_z."""
    for y in range(rivals):
        for z in range(y, rivals):
            dot = 0.0
            for k in range(used):
                for b in range(blocks):
                    for j in range(4):
                        dot += delta[k, y * blocks + b, j] * delta[k, z * blocks + b, j]
            gram[y, z] = dot
            gram[z, y] = dot


@compiled
def update_pa(
    alpha: np.ndarray,
    rivals: int,
    when: float,
    used: int,
    weights: np.ndarray,
    moments: np.ndarray,
    room: Room,
) -> None:
    """A step of Σ α_z Δ_z."""
    _, touched, delta = room
    blocks = weights.shape[1]
    for k in range(used):
        row = touched[k]
        for b in range(blocks):
            for j in range(4):
                step = 0.0
                for z in range(rivals):
                    step += alpha[z] * delta[k, z * blocks + b, j]
                if step == 0.0:
                    continue
                old = weights[row, b, j]
                new = np.float32(old + step)
                weights[row, b, j] = new
                moments[row, b, j] += when * (np.float64(new) - np.float64(old))


@compiled
def train_pass_pa(
    constraints: int,
    capacity: float,
    order: np.ndarray,
    rounds: int,
    n_labels: int,
    data: Arrays,
    gold: np.ndarray,
    weights: np.ndarray,
    moments: np.ndarray,
    room: Room,
    fast: Fast,
) -> None:
    """One pass of the K-best passive-aggressive algorithm."""
    first = weights.shape[0] - n_labels
    blocks = weights.shape[1]
    longest = longest_sentence(data)
    lattice = kbest_room(longest, n_labels, blocks, constraints + 1)
    paths = np.empty((longest, constraints + 1), np.int32)
    totals = np.empty(constraints + 1, np.float64)
    gram = np.empty((constraints, constraints))
    slack = np.empty(constraints)
    alpha = np.empty(constraints)
    slot, touched, delta = room
    for turn in range(order.size):
        s = order[turn]
        fetch_next(weights, data, order, turn, fast)
        lo, n = data.sentence_ptr[s], data.sentence_ptr[s + 1] - data.sentence_ptr[s]
        found = kbest_sentence(weights, n_labels, data, lo, n, lattice, paths, totals, fast)
        truth = gold_score(lattice[0], weights[first:], gold, lo, n)
        rivals, violated = choose_rivals(truth, found, totals, gold, lo, n, paths, slack)
        if not violated:
            continue
        used = 0
        for z in range(rivals):
            used = difference(first, data, lo, gold, paths[:, z], n, room, used, z * blocks)
        fill_gram(rivals, used, blocks, delta, gram)
        hildreth(gram, slack, capacity, alpha, rivals)
        update_pa(alpha, rivals, np.float64(rounds + turn), used, weights, moments, room)
        for k in range(used):
            slot[touched[k]] = FREE


@compiled
def max_marginals(
    weights: np.ndarray, n_labels: int, data: Arrays, out: np.ndarray, fast: Fast
) -> None:
    """out[t, label]: the score of the best labelling of the sentence with `label` at token t."""
    transitions = weights[weights.shape[0] - n_labels :]
    emit = np.empty((longest_sentence(data), weights.shape[1], 4), np.float64)
    ahead = np.empty((2, n_labels), np.float64)
    for s in range(data.sentence_ptr.size - 1):
        lo, n = data.sentence_ptr[s], data.sentence_ptr[s + 1] - data.sentence_ptr[s]
        token_scores(weights, data, lo, n, emit, fast)
        for c in range(n_labels):
            out[lo, c] = emit[0, c >> 2, c & 3]
            ahead[(n - 1) & 1, c] = 0.0
        for p in range(1, n):
            for c in range(n_labels):
                top = -np.inf
                for q in range(n_labels):
                    top = max(top, out[lo + p - 1, q] + transitions[q, c >> 2, c & 3])
                out[lo + p, c] = emit[p, c >> 2, c & 3] + top
        for p in range(n - 2, -1, -1):
            for c in range(n_labels):
                top = -np.inf
                for q in range(n_labels):
                    later = ahead[(p + 1) & 1, q] + emit[p + 1, q >> 2, q & 3]
                    top = max(top, later + transitions[c, q >> 2, q & 3])
                ahead[p & 1, c] = top
                out[lo + p, c] += top


@compiled
def path_difference_variance(
    variances: np.ndarray,
    n_labels: int,
    data: Arrays,
    one: np.ndarray,
    other: np.ndarray,
    room: Room,
    out: np.ndarray,
) -> None:
    """ΔᵀΣΔ of every sentence, Δ the difference of the labellings `one` and `other`."""
    first, blocks = variances.shape[0] - n_labels, variances.shape[1]
    slot, touched, delta = room
    for s in range(data.sentence_ptr.size - 1):
        lo, hi = data.sentence_ptr[s], data.sentence_ptr[s + 1]
        used = difference(first, data, lo, one, other[lo:hi], hi - lo, room, 0, 0)
        v = 0.0
        for k in range(used):
            row = touched[k]
            for b in range(blocks):
                for j in range(4):
                    v += variances[row, b, j] * delta[k, b, j] * delta[k, b, j]
            slot[row] = FREE
        out[s] = v


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


@compiled
def uniform(key: np.uint64, cell: int) -> float:
    """Number `cell` of the stream `key`, between -½ and ½ (splitmix64).

    A counter in place of a state: a weight has the same deviate whichever sentences are asked
    about, and only the weights that occur in them need one.
    """
    z = key + (np.uint64(cell) + np.uint64(1)) * _GOLDEN
    z = (z ^ (z >> _30)) * _MIX1
    z = (z ^ (z >> _27)) * _MIX2
    z = z ^ (z >> _31)
    return (np.float64(z >> _11) + 0.5) / 9007199254740992.0 - 0.5


# Wichura's algorithm AS 241: numerators and denominators, the highest power first.
_MIDDLE = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ),
    (
        5226.495278852545925,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ),
)
_TAIL = (
    (
        7.7454501427834140764e-4,
        0.0227238449892691845833,
        0.24178072517745061177,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        0.0151986665636164571966,
        0.14810397642748007459,
        0.68976733498510000455,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ),
)
_FAR_TAIL = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        0.0012426609473880784386,
        0.026532189526576123093,
        0.29656057182850489123,
        1.7848265399172913358,
        5.4637849111641143699,
        6.6579046435011037772,
    ),
    (
        2.04426310338993978564e-15,
        1.4215117583164458887e-7,
        1.8463183175100546818e-5,
        7.868691311456132591e-4,
        0.0148753612908506148525,
        0.13692988092273580531,
        0.59983220655588793769,
        1.0,
    ),
)


@compiled
def rational(coefficients: tuple[tuple[float, ...], ...], r: float, factor: float) -> float:
    """The factor times the quotient of the two polynomials at r."""
    upper, lower = coefficients[0][0], coefficients[1][0]
    for k in range(1, 8):
        upper = upper * r + coefficients[0][k]
        lower = lower * r + coefficients[1][k]
    return factor * upper / lower


@compiled
def standard_normals(q: np.ndarray, out: np.ndarray, where: np.ndarray, roots: np.ndarray) -> None:
    """Normal quantiles of q + ½ into `out`; `where` and `roots` (twice the size) are room.

    One step for all numbers, then the next: steps without decisions take several at once.
    """
    for i in range(q.size):
        out[i] = rational(_MIDDLE, 0.180625 - q[i] * q[i], q[i])
    tails = 0
    for i in range(q.size):
        where[tails] = i
        tails += abs(q[i]) > 0.425
    for j in range(tails):
        roots[j] = math.sqrt(-math.log(0.5 - abs(q[where[j]])))
    tail = roots[q.size :]
    for j in range(tails):
        tail[j] = rational(_TAIL, roots[j] - 1.6, 1.0)
    for j in range(tails):
        value = tail[j] if roots[j] <= 5.0 else rational(_FAR_TAIL, roots[j] - 5.0, 1.0)
        out[where[j]] = math.copysign(value, q[where[j]])


@compiled
def agreement(
    keys: np.ndarray,
    n_labels: int,
    rows: np.ndarray,
    means: np.ndarray,
    deviations: np.ndarray,
    data: Arrays,
    predicted: np.ndarray,
    out: np.ndarray,
    fast: Fast,
) -> None:
    """Count for each token the draws whose best labelling agrees with `predicted`.

    One vector of weights per draw, N(means, deviations²), for all sentences; `rows` are the
    numbers of the weights' rows in the whole model.
    """
    weights = np.zeros(means.shape, np.float32)
    path = np.empty(predicted.size, np.int32)
    group = 64 * n_labels  # so many stay in the nearest cache
    uniforms = np.empty(group)
    normals = np.empty(group)
    where = np.empty(group, np.int64)
    roots = np.empty(2 * group)
    for draw in range(keys.size):
        for first in range(0, rows.size, 64):
            size = min(64, rows.size - first)
            for k in range(size):
                for c in range(n_labels):
                    cell = rows[first + k] * n_labels + c
                    uniforms[k * n_labels + c] = uniform(keys[draw], cell)
            standard_normals(uniforms[: size * n_labels], normals, where, roots)
            for k in range(size):
                for c in range(n_labels):
                    noise = deviations[first + k, c >> 2, c & 3] * normals[k * n_labels + c]
                    weights[first + k, c >> 2, c & 3] = means[first + k, c >> 2, c & 3] + noise
        decode(weights, n_labels, data, path, fast)
        for t in range(path.size):
            out[t] += path[t] == predicted[t]
