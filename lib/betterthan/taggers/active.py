"""Active learning: let the tagger choose what is annotated next (Mejer and Crammer 2010)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks
from betterthan.counts import count_spans
from betterthan.errors import InputError
from betterthan.taggers._encoding import Encoded, encode
from betterthan.taggers._tagger import Tagger

if TYPE_CHECKING:
    import pandas as pd

RULES = (
    "kd_pc",
    "kd_fixed",
    "min_margin",
    "min_conf_margin",
    "min_conf_margin_per_word",
    "random",
)


def active_learning(
    X: Sequence | Encoded,
    Y: Sequence[Sequence[str]],
    X_test: Sequence | Encoded,
    Y_test: Sequence[Sequence[str]],
    rule: str = "kd_pc",
    *,
    tagger: Callable[[], Tagger] | None = None,
    start: int = 50,
    candidates: int = 1000,
    pick: int = 10,
    steps: int = 50,
    evaluate_every: int = 10,
    draws: int = 50,
    scheme: str = "IOB2",
    rng: int | np.random.SeedSequence = 0,
) -> pd.DataFrame:
    """Label what the tagger is least sure of, retrain, and see how fast it learns.

    Mejer and Crammer (2010), section 6. From `start` random sentences on, each step trains a
    tagger, scores `candidates` random unlabelled sentences and has the `pick` least sure of
    them labelled, the shorter one on a tie.

    Rules: ``"kd_pc"`` and ``"kd_fixed"`` score a sentence by its least confident word;
    ``"min_margin"`` by the difference in score between the best two labellings, divided by
    the sentence's length; ``"min_conf_margin"`` by that in standard deviations under the learnt
    Gaussian, where the length cancels, for it divides the standard deviation, too;
    ``"random"`` picks at random. The paper "normalizes MinMargin score using the confidence
    information" and prints no formula; ``"min_conf_margin_per_word"`` is the other reading of
    it, the difference divided by the length *and* by the standard deviation of the whole
    difference, which asks for longer sentences.

    Parameters
    ----------
    X, Y
        Sentences that can be labelled, and the labels a person would give them.
    X_test, Y_test
        Sentences to evaluate on. Whoever draws many curves reads the strings once: `X` and
        `X_test` may be parts of what `encode` made of all sentences and their labels.
    rule
        One of ``RULES``.
    tagger
        Makes an untrained :class:`Tagger`; None means ``Tagger("cw", passes=10, rng=rng)``.
    start, candidates, pick, steps
        See above.
    evaluate_every
        Steps between evaluations; the first and the last model are always evaluated.
    draws
        For the two rules by draws; see :meth:`Tagger.confidence`. Their scale is chosen on the
        labelled sentences alone, at the start and each time their number has doubled: a tagger
        that has learnt from every other one of them looks for its mistakes in the rest.
    scheme
        The spans' scheme for F1.
    rng
        Seeds the choice of the first sentences and of the candidates (the same under every
        rule).

    Returns
    -------
    DataFrame
        One row per evaluation: `sentences` and `words` labelled so far; `correct`, `predicted`
        and `gold` spans on the test data; their `f1`.

    Raises
    ------
    ValueError
        For an unknown rule, unequal lengths, or fewer sentences than the steps would label.

    Examples
    --------
    >>> X = [[[f"w{i % 7}"], ["is"], [f"w{i % 3}"]] for i in range(60)]
    >>> Y = [["B-A", "O", "O" if i % 3 else "B-A"] for i in range(60)]
    >>> known, unseen = (X[:40], Y[:40]), (X[40:], Y[40:])
    >>> curve = active_learning(*known, *unseen, "min_margin", start=5, pick=5, steps=2)
    >>> curve["sentences"].tolist()
    [5, 15]
    """
    import pandas as pd

    _checks.choice("rule", rule, RULES)
    start = _checks.whole("start", start)
    pick = _checks.whole("pick", pick)
    steps = _checks.whole("steps", steps, least=0)
    evaluate_every = _checks.whole("evaluate_every", evaluate_every)
    candidates = _checks.whole("candidates", candidates, least=pick)
    draws = _checks.whole("draws", draws)
    n = _checks.same_length(X=X, Y=Y)
    _checks.same_length(X_test=X_test, Y_test=Y_test)
    if start + steps * pick > n:
        least = start + steps * pick
        expected = f"at least start + steps * pick = {least} sentences, got {n}"
        raise InputError("X", expected=expected)
    make = tagger or (lambda: Tagger("cw", passes=10, rng=rng))
    first, *later = _checks.seed_sequence(rng, "rng").spawn(steps + 1)
    # Every step learns from scratch, but the strings are read once: that takes longest.
    pool = X if isinstance(X, Encoded) else encode(X, Y)
    test = X_test if isinstance(X_test, Encoded) else pool.encode(X_test)
    length = np.array([len(labels) for labels in Y])
    labelled = np.random.default_rng(first).permutation(n)[:start]
    tuned_at, scale, rows = 0, None, []
    for step in range(steps + 1):
        model = make().fit(pool[labelled])
        if step % evaluate_every == 0 or step == steps:
            spans = count_spans(Y_test, model.predict(test), scheme)
            tp, fp, fn = (int(c.sum()) for c in (spans.tp, spans.fp, spans.fn))
            known = {"sentences": labelled.size, "words": int(length[labelled].sum())}
            found = {"correct": tp, "predicted": tp + fp, "gold": tp + fn}
            rows.append({**known, **found, "f1": 2 * tp / max(1, 2 * tp + fp + fn)})
        if step == steps:
            break
        left = np.setdiff1d(np.arange(n), labelled)
        offered = np.random.default_rng(later[step]).permutation(left)[:candidates]
        if rule == "random":
            chosen = offered[:pick]
        else:
            if rule in ("kd_pc", "kd_fixed") and labelled.size >= 2 * tuned_at:
                tuned_at = labelled.size
                scale = _scale_by_halves(make(), pool, Y, labelled, rule, draws)
            score = _doubt(model, pool[offered], length[offered], rule, draws, scale)
            chosen = offered[np.lexsort([length[offered], score])[:pick]]
        labelled = np.concatenate([labelled, chosen])
    return pd.DataFrame(rows)


def _scale_by_halves(
    model: Tagger, pool: Encoded, Y: Sequence, labelled: np.ndarray, method: str, draws: int
) -> float | None:
    """The scale with which what half of the sentences taught finds mistakes in the others."""
    known, held = labelled[::2], labelled[1::2]
    gold = [list(Y[i]) for i in held]
    if not held.size or model.fit(pool[known]).predict(pool[held]) == gold:
        return None
    return model.tune_scale(pool[held], gold, method, draws=draws)


def _doubt(
    model: Tagger, data: Encoded, length: np.ndarray, rule: str, draws: int, scale: Any
) -> np.ndarray:
    """How sure the model is of each sentence."""
    if rule in ("kd_pc", "kd_fixed"):
        words = model.confidence(data, rule, draws=draws, scale=scale)
        return np.array([sentence.min() for sentence in words])
    margin, variance = model.margins(data)
    # Of two labellings without a difference in features neither is the surer one.
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))
    if rule == "min_margin":
        return margin / length
    return margin / (spread if rule == "min_conf_margin" else length * spread)
