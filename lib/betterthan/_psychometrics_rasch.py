"""The Rasch model of the marks: members have abilities, words have difficulties.

P(member k gets word i right) = 1 / (1 + exp(b_i − θ_k)). There are few members and many words,
so the words' difficulties are integrated out (marginal maximum likelihood, Bock and Aitkin
1981) and the abilities are estimated; each word's difficulty is then its posterior mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from betterthan import _checks
from betterthan import _psychometrics_core as core


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
    log_likelihood : float
        Of the fit.
    iterations : int
        How many the fit took.
    """

    ability: np.ndarray
    logit: np.ndarray
    standard_error: np.ndarray
    difficulty: np.ndarray
    mean: float
    standard_deviation: float
    log_likelihood: float
    iterations: int

    def __str__(self) -> str:
        return (
            f"Rasch model of {self.ability.size} members and {self.logit.size:,} words: abilities "
            f"from {self.ability.min():+.2f} to {self.ability.max():+.2f} logits; difficulties "
            f"have mean {self.mean:+.2f} and standard deviation {self.standard_deviation:.2f}."
        )


def rasch(
    marks: Any, *, nodes: int | None = None, tolerance: float = 1e-7, most: int = 5000
) -> Rasch:
    """Fit the Rasch (1PL) model to a table of marks by marginal maximum likelihood.

    The words' difficulties are taken to be normal, with mean and standard deviation estimated
    along with the abilities (expectation-maximisation, with Newton steps for the abilities,
    over a grid of values). With complete marks a word's difficulty then depends on its
    raw error rate only, and in the same order: what changes is the spacing. With missing marks
    (NaN) the model also corrects for *who* marked the word.

    Parameters
    ----------
    marks
        One row a member, one column a word; 1 right, 0 wrong, NaN not marked.
    nodes
        Points of the grid that the normal distribution is put on, from −6 to 6 standard
        deviations. None takes as many as it needs for steps of half the precision that this
        many members allow, 1/√K logits: a coarser grid would draw a staircase.
    tolerance
        Stop when no ability and neither moment moves by more.
    most
        Iterations after which to give up.

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
    table = _table(marks)
    if nodes is not None:
        _checks.whole("nodes", nodes, 5)
    known = ~np.isnan(table)
    right = np.where(known, table, 0.0)
    # The posterior of a word depends on who marked it and on its total only, so a few cases
    # stand for all the words: with complete marks one for each total.
    totals = right.sum(axis=0)
    pattern = np.packbits(known, axis=0).T.astype(float)
    distinct, case_of, times = np.unique(
        np.column_stack([totals, pattern]), axis=0, return_inverse=True, return_counts=True
    )
    cases = distinct[:, 0]
    seen = np.unpackbits(distinct[:, 1:].T.astype(np.uint8), axis=0, count=len(table)).T
    seen = seen.astype(float)
    times = times.astype(float)
    earned = right.sum(axis=1)
    rate = (right.sum(axis=1) + 0.5) / (known.sum(axis=1) + 1.0)
    ability = np.log(rate / (1 - rate))
    mean, deviation = -float(ability.mean()), 2.0
    ability = ability - ability.mean()
    iteration = 0
    points = 0
    while points < (wanted := nodes or _enough(deviation, len(table))):
        # The first grid goes by a guess of the deviation; a finer one starts where it ended.
        points = wanted
        z = np.linspace(-6.0, 6.0, points)
        log_prior = -0.5 * z**2
        log_prior -= logsumexp(log_prior)
        moved = np.inf
        while moved >= tolerance:
            if iteration == most:
                raise ValueError(
                    f"most={most}: expected convergence, but the last step moved by {moved:.2g}"
                )
            iteration += 1
            b = mean + deviation * z
            posterior, _ = _posterior(b, ability, cases, seen, log_prior)
            new_mean, new_deviation = _moments(posterior, times, b)
            weight = (seen * times[:, None]).T @ posterior  # words at each node, by member
            new_ability = _abilities(ability, earned, weight, b)
            shift = float(new_ability.mean())
            new_ability -= shift
            new_mean -= shift
            moved = max(
                float(np.abs(new_ability - ability).max()),
                abs(new_mean - mean),
                abs(new_deviation - deviation),
            )
            ability, mean, deviation = new_ability, new_mean, new_deviation
    b = mean + deviation * z
    posterior, evidence = _posterior(b, ability, cases, seen, log_prior)
    log_likelihood = float(times @ evidence + earned @ ability)
    logit = posterior @ b
    error = np.sqrt(np.maximum(posterior @ b**2 - logit**2, 0.0))
    share = posterior @ expit(b[:, None] - ability).mean(axis=1)
    return Rasch(
        ability,
        logit[case_of],
        error[case_of],
        share[case_of],
        mean,
        deviation,
        log_likelihood,
        iteration,
    )


def _enough(deviation: float, members: int) -> int:
    """Points for a grid over ±6 deviations in steps of at most 1/√members logits."""
    return max(81, int(np.ceil(12 * deviation * np.sqrt(members))) + 1)


def _posterior(
    b: np.ndarray, ability: np.ndarray, cases: np.ndarray, seen: np.ndarray, log_prior: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P(node | marks) of each case, and the logarithm of its evidence without Σ m θ."""
    silent = log_expit(b[None, :] - ability[:, None])  # log P(wrong), member by node
    log_joint = log_prior - cases[:, None] * b + seen @ silent
    # P(right) = P(wrong)·exp(θ − b), so every member adds log P(wrong) and a right mark θ − b.
    evidence = logsumexp(log_joint, axis=1)
    return np.exp(log_joint - evidence[:, None]), evidence


def _moments(posterior: np.ndarray, times: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    share = times @ posterior / times.sum()
    mean = float(share @ b)
    return mean, float(np.sqrt(share @ (b - mean) ** 2))


def _abilities(
    ability: np.ndarray, earned: np.ndarray, weight: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Solve Σ_i E[P(right)] = marks earned for every ability: Newton, concave in each."""
    theta = ability.copy()
    for _ in range(25):
        p = expit(theta[:, None] - b)
        step = (earned - (weight * p).sum(axis=1)) / (weight * p * (1 - p)).sum(axis=1)
        theta += np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-10:
            break
    return theta


def _table(marks: Any) -> np.ndarray:
    table = core.mark_table(marks, "0, 1 or NaN")
    known = ~np.isnan(table)
    for axis, what in ((1, "member"), (0, "word")):
        none = np.flatnonzero(~known.any(axis=axis))
        if none.size:
            raise ValueError(f"marks: expected at least one mark for {what} {none[0]}, got none")
    share = np.nanmean(table, axis=1)
    stuck = np.flatnonzero((share == 0) | (share == 1))
    if stuck.size:
        k = int(stuck[0])
        raise ValueError(
            f"marks[{k}]: expected right and wrong marks, but member {k} has everything "
            f"{'right' if share[k] else 'wrong'}, so its ability is infinite"
        )
    return table
