"""The Rasch model of the marks: members have abilities, words have difficulties.

P(member k gets word i right) = 1 / (1 + exp(b_i − θ_k)). There are few members and many words,
so the words' difficulties are integrated out (marginal maximum likelihood, Bock and Aitkin
1981) and the abilities are estimated; each word's difficulty is then its posterior mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from betterthan.errors import InputError

Array = np.ndarray
_TOLERANCE = 1e-7  # stop when no ability and neither moment moves by more
_MOST = 5000  # iterations after which to give up


@dataclass(frozen=True)
class Rasch:
    """A fitted Rasch model.

    Attributes
    ----------
    ability : array
        θ of each member, in logits, with mean 0.
    logit : array
        b of each word, in logits: the posterior mean. An average member finds a word with
        b = 0 half of the time.
    standard_error : array
        Posterior standard deviation of each b.
    difficulty : array
        The same as a share between 0 and 1: how many members of this committee would get the
        word wrong, by the model, had all of them marked it.
    mean : float
        Of the words' difficulties, in logits.
    standard_deviation : float
        The same.
    """

    ability: np.ndarray
    logit: np.ndarray
    standard_error: np.ndarray
    difficulty: np.ndarray
    mean: float
    standard_deviation: float

    def __str__(self) -> str:
        return (
            f"Rasch model of {self.ability.size} members and {self.logit.size:,} words: abilities "
            f"from {self.ability.min():+.2f} to {self.ability.max():+.2f} logits; difficulties "
            f"have mean {self.mean:+.2f} and standard deviation {self.standard_deviation:.2f}."
        )


def rasch(marks: Any) -> Rasch:
    """Fit the Rasch (1PL) model to a table of marks by marginal maximum likelihood.

    The words' difficulties are taken to be normal, with mean and standard deviation estimated
    along with the abilities (expectation-maximisation, with Newton steps for the abilities,
    over a grid of values). With complete marks a word's difficulty then depends on its
    raw error rate only, and in the same order: what changes is the spacing. With missing marks
    (NaN) the model also corrects for *who* marked the word.

    Parameters
    ----------
    marks
        One row per member, one column per word; 1 right, 0 wrong, NaN not marked.

    Raises
    ------
    ValueError
        For anything but a table of 0, 1 and NaN; a member or word without marks; a member with
        everything right or everything wrong (its ability is infinite); no convergence.

    Examples
    --------
    >>> rng = np.random.default_rng(3)
    >>> ability, b = np.linspace(-1, 1, 15), rng.normal(0, 2, 4000)
    >>> table = rng.random((15, 4000)) < 1 / (1 + np.exp(b - ability[:, None]))
    >>> fit = rasch(table)
    >>> bool(np.abs(fit.ability - ability).max() < 0.15), round(fit.standard_deviation, 1)
    (True, 2.0)
    """
    answers = _answers(mark_table(marks, missing=True))
    rate = (answers.earned + 0.5) / (answers.asked + 1.0)
    ability = np.log(rate / (1 - rate))
    start = _Model(ability - ability.mean(), -float(ability.mean()), 2.0)
    model, z, log_prior = _fitted(start, answers)
    b = model.mean + model.deviation * z
    posterior = _posterior(b, model.ability, answers, log_prior)
    logit = posterior @ b
    error = np.sqrt(np.maximum(posterior @ b**2 - logit**2, 0.0))
    wrong = posterior @ expit(b[:, None] - model.ability).mean(axis=1)
    return Rasch(
        ability=model.ability,
        logit=logit[answers.case_of],
        standard_error=error[answers.case_of],
        difficulty=wrong[answers.case_of],
        mean=model.mean,
        standard_deviation=model.deviation,
    )


class _Answers(NamedTuple):
    """What the marks say. Words that the same members marked with the same total are one case.

    The posterior of a word depends on nothing else, so a few cases stand for all the words: with
    complete marks one for each total.
    """

    earned: Array
    """Right marks of each member."""
    asked: Array
    """Marks of each member."""
    total: Array
    """Right marks of each case."""
    seen: Array
    """Which members (columns) marked each case, as 0 and 1."""
    times: Array
    """How many words each case stands for."""
    case_of: Array
    """The case of each word."""


class _Model(NamedTuple):
    """What is estimated: the abilities, with mean 0, and the moments of the difficulties."""

    ability: Array
    mean: float
    deviation: float


def _answers(table: Array) -> _Answers:
    known = ~np.isnan(table)
    right = np.where(known, table, 0.0)
    earned, asked = right.sum(axis=1), known.sum(axis=1)
    for k in np.flatnonzero((earned == 0) | (earned == asked)):
        got = f"member {k} has {earned[k]:.0f} right of {asked[k]}"
        expected = f"right and wrong marks (else the ability is infinite), but {got}"
        raise InputError(f"marks[{k}]", expected=expected)
    for i in np.flatnonzero(~known.any(axis=0)):
        raise InputError("marks", expected=f"at least one mark for word {i}, got none")
    pattern = np.column_stack([right.sum(axis=0), np.packbits(known, axis=0).T])
    distinct, case_of, times = np.unique(pattern, axis=0, return_inverse=True, return_counts=True)
    masks = distinct[:, 1:].T.astype(np.uint8)
    seen = np.unpackbits(masks, axis=0, count=len(table)).T.astype(float)
    return _Answers(earned, asked, distinct[:, 0], seen, times, case_of)


def _fitted(model: _Model, answers: _Answers) -> tuple[_Model, Array, Array]:
    """The model of maximum likelihood, the grid (in deviations) and the log prior on it."""
    points, left = 0, _MOST
    z = log_prior = np.empty(0)
    while points < (wanted := _enough(model.deviation, len(answers.earned))):
        # The first grid goes by a guess of the deviation; a finer one starts where it ended.
        points = wanted
        z = np.linspace(-6.0, 6.0, points)
        log_prior = -0.5 * z**2 - logsumexp(-0.5 * z**2)
        moved = np.inf
        while moved >= _TOLERANCE:
            if not left:
                problem = f"no fit in {_MOST} steps, the last moved by {moved:.2g}"
                raise InputError("marks", problem=problem)
            left -= 1
            before, model = model, _step(model, answers, z, log_prior)
            moved = _largest_move(before, model)
    return model, z, log_prior


def _step(model: _Model, answers: _Answers, z: Array, log_prior: Array) -> _Model:
    """One step of expectation-maximisation."""
    b = model.mean + model.deviation * z
    posterior = _posterior(b, model.ability, answers, log_prior)
    share = answers.times @ posterior / answers.times.sum()
    mean = float(share @ b)
    deviation = float(np.sqrt(share @ (b - mean) ** 2))
    weight = (answers.seen * answers.times[:, None]).T @ posterior  # words at a node, by member
    ability = _abilities(model.ability, answers.earned, weight, b)
    shift = float(ability.mean())
    return _Model(ability - shift, mean - shift, deviation)


def _largest_move(before: _Model, after: _Model) -> float:
    moments = abs(after.mean - before.mean), abs(after.deviation - before.deviation)
    return max(float(np.abs(after.ability - before.ability).max()), *moments)


def _enough(deviation: float, members: int) -> int:
    """Points for a grid over ±6 deviations in steps of at most 1/√members logits.

    So many members cannot tell b better than that; a coarser grid would draw a staircase.
    """
    return max(81, int(np.ceil(12 * deviation * np.sqrt(members))) + 1)


def _posterior(b: Array, ability: Array, answers: _Answers, log_prior: Array) -> Array:
    """P(node | marks) of each case."""
    wrong = log_expit(b[None, :] - ability[:, None])  # log P(wrong), member by node
    # P(right) = P(wrong)·exp(θ − b), so every member adds log P(wrong) and a right mark θ − b.
    log_joint = log_prior - answers.total[:, None] * b + answers.seen @ wrong
    return np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))


def _abilities(ability: Array, earned: Array, weight: Array, b: Array) -> Array:
    """Solve Σ_i E[P(right)] = marks earned for every ability: Newton, concave in each."""
    theta = ability.copy()
    for _ in range(25):
        p = expit(theta[:, None] - b)
        step = (earned - (weight * p).sum(axis=1)) / (weight * p * (1 - p)).sum(axis=1)
        theta += np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-10:
            break
    return theta


def mark_table(marks: Any, missing: bool) -> np.ndarray:
    """Marks, one row per member, one column per word; NaN only if some may be `missing`."""
    table = np.asarray(marks, float)
    if table.ndim != 2 or len(table) < 2 or not table.shape[1]:
        expected = f"a table of two members or more, got shape {table.shape}"
        raise InputError("marks", expected=expected)
    for k, i in np.argwhere((table != 0) & (table != 1) & ~(missing & np.isnan(table)))[:1]:
        allowed = "0, 1 or NaN" if missing else "0 or 1"
        raise InputError(f"marks[{k}][{i}]", float(table[k, i]), expected=f"a mark of {allowed}")
    return table
