"""Confidence-weighted sequence labelling: a fast tagger that says how sure it is.

Four online learners of a first-order Markov model (Mejer & Crammer, EMNLP 2010): `"cw"`
(confidence-weighted), `"arow"` (adaptive regularisation of weights), `"pa"` (5-best
passive-aggressive, also called MIRA) and `"perceptron"` (averaged). The input is what
python-crfsuite and sklearn-crfsuite take, so feature extractors work unchanged.

A model scores a labelling by emissions (each feature of a token with its label) and transitions
(each label with the one before it); there is no start or stop state. Weights are averaged over
all rounds; CW and AROW also keep a variance for each weight, the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks

if TYPE_CHECKING:
    from betterthan._sequences_index import Encoded, Vocabulary

__all__ = ["Tagger"]

ALGORITHMS = ("cw", "arow", "pa", "perceptron")
CONSTRAINTS = 5  # labellings that the passive-aggressive learner pushes below the gold one


class Tagger:
    """A sequence labeller with a confidence for each label.

    Parameters
    ----------
    algorithm : {"arow", "cw", "pa", "perceptron"}
        The learner; "arow" and "cw" keep a variance for each weight.
    passes : int
        How often the training sentences are gone through, in a new random order each time.
    r : float
        AROW: how much old knowledge weighs against a new mistake; larger is more cautious.
    phi : float
        CW: how many standard deviations the gold labelling must win by.
    C : float
        Passive-aggressive: the largest step for one labelling.
    seed : int
        Fixes the order of the sentences and the draws of `confidence`.

    Attributes
    ----------
    labels_ : tuple of str
        The labels seen in training, sorted. Ties go to the first of them.

    Examples
    --------
    >>> X = [[["the"], ["cat"], ["sat"]], [["the"], ["dog"]], [["a"], ["cat"]]]
    >>> y = [["B", "I", "O"], ["B", "I"], ["B", "I"]]
    >>> tagger = Tagger("arow", passes=5).fit(X, y)
    >>> tagger.predict([[["a"], ["dog"], ["sat"]]])
    [['B', 'I', 'O']]
    """

    def __init__(
        self,
        algorithm: str = "arow",
        passes: int = 10,
        r: float = 1.0,
        phi: float = 1.0,
        C: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.algorithm = _checks.choice("algorithm", algorithm, ALGORITHMS)
        self.passes = _checks.whole("passes", passes)
        self.r = _checks.real("r", r, 0.0, closed="neither")
        self.phi = _checks.real("phi", phi, 0.0, closed="neither")
        self.C = _checks.real("C", C, 0.0, closed="neither")
        self.seed = _checks.whole("seed", seed, 0)
        self._vocabulary: Vocabulary | None = None

    def __repr__(self) -> str:
        return (
            f"Tagger(algorithm={self.algorithm!r}, passes={self.passes}, r={self.r:g}, "
            f"phi={self.phi:g}, C={self.C:g}, seed={self.seed})"
        )

    def fit(self, X: Any, y: Any, progress: bool = False) -> Tagger:
        """Learn from sentences `X` and their labels `y`; `progress` shows a bar.

        Parameters
        ----------
        X : list of sentences
            A sentence is a list of tokens; a token is a list of feature strings, or a dict by
            the rules of `pycrfsuite.ItemSequence`. A feature given twice in one token counts
            twice.
        y : list of lists of str
            The label of each token.

        Raises
        ------
        ValueError
            No sentences, an empty sentence, lengths that differ, a label that is not a string,
            a feature value that is not finite.
        """
        from betterthan._sequences_index import Vocabulary, encode

        vocabulary = Vocabulary()
        data = encode(X, vocabulary, learn=True)
        labels, gold = _number_labels(y, data.sentence_ptr)
        self._vocabulary = vocabulary
        self.labels_ = labels
        self._train(data, gold, progress)
        return self

    def _train(self, data: Encoded, gold: np.ndarray, progress: bool) -> None:
        from betterthan import _sequences_kernels as kernels

        n_labels = len(self.labels_)
        blocks = -(-n_labels // 4)
        shape = (len(self._vocabulary) + n_labels, blocks, 4)
        lengths = np.diff(data.sentence_ptr)
        longest = int(lengths.max())
        observed = np.diff(data.token_ptr[data.sentence_ptr])
        rows = int((observed + n_labels).max())
        rivals = CONSTRAINTS if self.algorithm == "pa" else 1
        weights = np.zeros(shape, np.float32)
        moments = np.zeros(shape, np.float64)
        confident = self.algorithm in ("cw", "arow")
        variances = np.ones(shape if confident else (0, blocks, 4), np.float32)
        slot = np.full(shape[0], kernels.FREE)
        touched = np.empty(rows, np.uint32)
        delta = np.empty((rows, rivals * blocks, 4))
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(0,)))
        turns = range(self.passes)
        if progress:
            from tqdm.auto import tqdm

            turns = tqdm(turns, desc=f"{self.algorithm}, {lengths.size:,} sentences", unit="pass")
        for turn in turns:
            order = rng.permutation(lengths.size)
            rounds = turn * lengths.size
            if self.algorithm == "pa":
                kernels.train_pass_pa(
                    CONSTRAINTS, self.C, order, rounds, n_labels, *data, gold,
                    weights, moments, slot, touched, delta, longest,
                )  # fmt: skip
            else:
                code, parameter = {
                    "cw": (kernels.CW, self.phi),
                    "arow": (kernels.AROW, self.r),
                    "perceptron": (kernels.PERCEPTRON, 1.0),
                }[self.algorithm]
                kernels.train_pass(
                    code, parameter, order, rounds, n_labels, *data, gold,
                    weights, variances, moments, slot, touched, delta, longest,
                )  # fmt: skip
        moments /= -(self.passes * lengths.size)
        moments += weights
        self._means = moments.astype(np.float32)
        self._variances = variances if confident else None

    def _encode(self, X: Any) -> Encoded:
        from betterthan._sequences_index import encode

        if self._vocabulary is None:
            raise ValueError("this Tagger has not learned anything yet: call fit first")
        return encode(X, self._vocabulary, learn=False)

    def _decode(self, data: Encoded, weights: np.ndarray) -> np.ndarray:
        from betterthan import _sequences_kernels as kernels

        path = np.empty(data.token_ptr.size - 1, np.int32)
        kernels.decode(weights, len(self.labels_), *data, path)
        return path

    def predict(self, X: Any) -> list[list[str]]:
        """The best labels of each sentence; features never seen in training are ignored."""
        data = self._encode(X)
        path = self._decode(data, self._means)
        names = list(map(self.labels_.__getitem__, path.tolist()))
        bounds = data.sentence_ptr.tolist()
        return [names[a:b] for a, b in pairwise(bounds)]

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose label is right; a gold label never seen counts as wrong.

        >>> tagger = Tagger().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> tagger.score([[["a"], ["b"]]], [["X", "Z"]])
        0.5
        """
        predicted = self.predict(X)
        gold = _label_lists(y, [len(sentence) for sentence in predicted])
        right = sum(map(str.__eq__, chain.from_iterable(predicted), chain.from_iterable(gold)))
        return right / sum(map(len, predicted))


def _label_lists(y: Any, lengths: Sequence[int]) -> list[Sequence[str]]:
    """`y` as a list of lists of strings, one label for each token."""
    if isinstance(y, str):
        raise ValueError(f"y: expected a list of lists of labels, got {y!r:.60}")
    try:
        gold = list(y)
    except TypeError:
        raise ValueError(f"y: expected a list of lists of labels, got {y!r:.60}") from None
    if len(gold) != len(lengths):
        raise ValueError(
            f"expected a list of labels for each sentence, but X has {len(lengths)} sentences "
            f"and y has {len(gold)}"
        )
    for s, (labels, length) in enumerate(zip(gold, lengths)):
        if isinstance(labels, str) or not hasattr(labels, "__len__"):
            raise ValueError(f"y[{s}]: expected a list of labels, got {labels!r:.60}")
        if len(labels) != length:
            raise ValueError(
                f"expected a label for each token, but X[{s}] has {length} tokens "
                f"and y[{s}] has {len(labels)} labels"
            )
    for s, labels in enumerate(gold):
        for label in labels:
            if not isinstance(label, str):
                raise ValueError(f"y[{s}]: expected labels to be strings, got {label!r:.60}")
    return gold


def _number_labels(y: Any, sentence_ptr: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    gold = list(chain.from_iterable(_label_lists(y, np.diff(sentence_ptr).tolist())))
    labels = tuple(sorted(set(gold)))
    number = {label: i for i, label in enumerate(labels)}
    return labels, np.fromiter(map(number.__getitem__, gold), np.int32, len(gold))
