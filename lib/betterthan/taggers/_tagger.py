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

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import _checks
from betterthan.errors import InputError
from betterthan.taggers._arrays import Arrays
from betterthan.taggers._encoding import Encoded, encode, label_lists, number

if TYPE_CHECKING:
    from betterthan.taggers._index import Vocabulary

ALGORITHMS = ("cw", "arow", "pa", "perceptron")
METHODS = ("kd_pc", "kd_fixed", "kbv", "wkbv", "delta", "random")
# One colour per method, of the style betterthan.book: for every figure, slide and explorable of
# chapter 6 and its workshop. The CRF states probabilities of its own.
COLOURS = {
    "random": "0.6",
    "kbv": "C1",
    "wkbv": "C2",
    "delta": "C3",
    "kd_pc": "C4",
    "kd_fixed": "C5",
    "crf": "C6",
}
SCALES = tuple(float(f"{10 ** (k / 5):.2g}") for k in range(-20, 1))
# The perceptron's weights are sums of whole numbers.
DEFAULT_SCALES = {
    "kd_pc": {"cw": 0.025, "arow": 0.0063},
    "kd_fixed": {"cw": 0.016, "arow": 0.0025, "pa": 0.01, "perceptron": 6.3},
}
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
    rng : int, SeedSequence or Generator
        Fixes the order of the sentences and the draws of `confidence`.

    Attributes
    ----------
    labels_ : tuple of str
        The labels seen in training, sorted. Ties go to the first of them.
    scales_ : dict
        What `tune_scale` chose, by method.

    Raises
    ------
    ValueError
        An algorithm that does not exist, a parameter out of range.

    Examples
    --------
    >>> X = [[["the"], ["cat"], ["sat"]], [["the"], ["dog"]], [["a"], ["cat"]]]
    >>> Y = [["B", "I", "O"], ["B", "I"], ["B", "I"]]
    >>> tagger = Tagger("arow", passes=5).fit(X, Y)
    >>> tagger.predict([[["a"], ["dog"], ["sat"]]])
    [['B', 'I', 'O']]
    """

    def __init__(
        self,
        algorithm: str = "arow",
        passes: int = 10,
        *,
        r: float = 1.0,
        phi: float = 1.0,
        C: float = 0.1,
        rng: int | np.random.SeedSequence | np.random.Generator = 0,
    ) -> None:
        self.algorithm = _checks.choice("algorithm", algorithm, ALGORITHMS)
        self.passes = _checks.whole("passes", passes)
        self.r = _checks.real("r", r, 0.0, closed="neither")
        self.phi = _checks.real("phi", phi, 0.0, closed="neither")
        self.C = _checks.real("C", C, 0.0, closed="neither")
        if isinstance(rng, np.random.Generator):
            rng = int(rng.integers(2**63))
        self._seed = _checks.seed_sequence(rng, "rng")
        self.scales_: dict[str, float] = {}
        self._vocabulary: Vocabulary | None = None
        self.labels_: tuple[str, ...] = ()
        self._own: np.ndarray | None = None
        self._variances: np.ndarray | None = None
        self._compact = False

    def __repr__(self) -> str:
        parameters = f"r={self.r:g}, phi={self.phi:g}, C={self.C:g}"
        return f"Tagger({self.algorithm!r}, passes={self.passes}, {parameters})"

    def _stream(self, key: int) -> np.random.SeedSequence:
        spawn_key = (*self._seed.spawn_key, key)
        return np.random.SeedSequence(self._seed.entropy, spawn_key=spawn_key)

    def fit(
        self, X: Any, Y: Any = None, *, after_pass: Callable[[Tagger], None] | None = None
    ) -> Tagger:
        """Learn from sentences `X` and their labels `Y`.

        Parameters
        ----------
        X : list of sentences, or Encoded
            A sentence is a list of tokens; a token is a list of feature strings, or a dict by
            the rules of `pycrfsuite.ItemSequence`. A feature given twice in one token counts
            twice. What `encode` returned, or a part of it, holds its labels already.
        Y : list of lists of str
            The label of each token.
        after_pass : callable, optional
            Called with the tagger after each pass, when it can predict as if this pass had been
            the last.

        Raises
        ------
        ValueError
            No sentences, an empty sentence, lengths that differ, a label that is not a string,
            a feature value that is not finite.
        """
        if not isinstance(X, Encoded):
            if Y is None:
                raise InputError(problem="Y=None: expected the label of each token")
            X = encode(X, Y)
        elif Y is not None or X.gold is None:
            expected = "encode(X, Y), labels included, and no further Y"
            raise InputError("X", expected=expected)
        if not len(X):
            raise InputError("X", expected="at least one sentence, got none")
        self._vocabulary, self.labels_, self.scales_ = X.vocabulary, X.labels, {}
        self._own, self._compact = None, False
        try:
            if X.whole:
                self._train(X.arrays, X.gold, len(X.vocabulary), after_pass)
            else:
                self._train(*self._renumbered(X, X.gold), after_pass)
        except BaseException:
            self._vocabulary = None  # nothing half-learned can be used
            raise
        return self

    def _renumbered(self, part: Encoded, labels: np.ndarray) -> tuple[Arrays, np.ndarray, int]:
        """A part of a corpus in the tagger's own numbers, and how many features it has."""
        from betterthan.taggers._index import UNKNOWN, renumber

        present, gold = np.unique(labels, return_inverse=True)
        self.labels_ = tuple(self.labels_[k] for k in present)
        data = part.arrays._replace(ids=part.arrays.ids.copy())
        place = np.full(len(part.vocabulary), UNKNOWN)
        features = renumber(data.ids, place)
        seen = np.flatnonzero(place != UNKNOWN)
        self._own = np.empty(features, np.uint32)
        self._own[place[seen]] = seen
        return data, gold.astype(np.int32), features

    def _train(
        self,
        data: Arrays,
        gold: np.ndarray,
        features: int,
        after_pass: Callable[[Tagger], None] | None,
    ) -> None:
        from betterthan.taggers import _kernels as kernels

        n_labels = len(self.labels_)
        blocks = -(-n_labels // 4)
        shape = (features + n_labels, blocks, 4)
        weights = np.zeros(shape, np.float32)
        moments = np.zeros(shape, np.float64)
        confident = self.algorithm in ("cw", "arow")
        variances = np.ones(shape if confident else (0, blocks, 4), np.float32)
        rivals = CONSTRAINTS if self.algorithm == "pa" else 1
        room = kernels.difference_room(shape[0], data, n_labels, rivals * blocks)
        code, parameter = {
            "cw": (kernels.CW, self.phi),
            "arow": (kernels.AROW, self.r),
            "perceptron": (kernels.PERCEPTRON, 1.0),
            "pa": (None, self.C),
        }[self.algorithm]
        sentences = data.sentence_ptr.size - 1
        rng = np.random.default_rng(self._stream(0))
        for turn in range(self.passes):
            task = rng.permutation(sentences), turn * sentences, n_labels, data, gold
            if code is None:
                kernels.train_pass_pa(
                    CONSTRAINTS, parameter, *task, weights, moments, room, kernels.FAST
                )
            else:
                kernels.train_pass(
                    code, parameter, *task, weights, variances, moments, room, kernels.FAST
                )
            if after_pass is not None or turn + 1 == self.passes:
                self._keep(weights, moments, variances, (turn + 1) * sentences)
            if after_pass is not None:
                after_pass(self)

    def _keep(
        self, weights: np.ndarray, moments: np.ndarray, variances: np.ndarray, seen: int
    ) -> None:
        """The model after so many sentences: weights averaged over all rounds, variances as is."""
        with np.errstate(over="ignore", invalid="ignore"):
            self._means = (weights - moments / seen).astype(np.float32)
        if not (np.isfinite(self._means).all() and np.isfinite(variances).all()):
            expected = (
                "feature values whose weights fit into 32 bits, but they overflowed; "
                "scale large values down"
            )
            raise InputError("X", expected=expected)
        self._variances = variances if variances.size else None

    def compact(self) -> Tagger:
        """Keep what `predict` needs: no variances, no features whose weights are all zero.

        A committee of a hundred fits into memory like this. `confidence` by draws, which needs
        the rest, is refused afterwards.

        Examples
        --------
        >>> X, Y = [[["the", "a"], ["cat"]]], [["B", "I"]]
        >>> Tagger().fit(X, Y).compact().predict(X)
        [['B', 'I']]
        """
        self._fitted()
        first = self._means.shape[0] - len(self.labels_)
        useful = np.flatnonzero(self._means[:first].any(axis=(1, 2)))
        self._own = (useful if self._own is None else self._own[useful]).astype(np.uint32)
        self._means = np.concatenate([self._means[useful], self._means[first:]])
        self._variances, self._compact = None, True
        return self

    def _fitted(self) -> Vocabulary:
        if self._vocabulary is None:
            raise InputError(problem="this Tagger has not learned anything yet: call fit first")
        return self._vocabulary

    def _read(self, X: Any) -> Arrays:
        """Sentences in the tagger's own numbers, without the features that it does not know."""
        from betterthan.taggers._index import UNKNOWN, known_only

        vocabulary = self._fitted()
        if not isinstance(X, Encoded):
            data = number(X, vocabulary, learn=False)
        elif X.vocabulary is vocabulary:
            data = X.arrays
        else:
            expected = (
                "sentences encoded together with those the tagger learned from: "
                "a part of the same `encode`, or its `encoded.encode(X)`"
            )
            raise InputError("X", expected=expected)
        if self._own is None:
            return data
        own = np.full(len(vocabulary), UNKNOWN)
        own[self._own] = np.arange(self._own.size, dtype=np.uint32)
        return known_only(data._replace(ids=own[data.ids]))

    def _decode(self, data: Arrays) -> np.ndarray:
        from betterthan.taggers import _kernels as kernels

        path = np.empty(data.token_ptr.size - 1, np.int32)
        kernels.decode(self._means, len(self.labels_), data, path, kernels.FAST)
        return path

    def _kbest(self, data: Arrays, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels (tokens × k) and scores (sentences × k) of the k best labellings.

        Exact: every prefix that could still be among the best k is kept. Where a sentence has
        fewer labellings, the other scores are -inf. Of labellings with the same score, the one
        with the lower last label comes first, then the lower one before it, and so on.
        """
        from betterthan.taggers import _kernels as kernels

        sentences = data.sentence_ptr.size - 1
        paths = np.zeros((data.sentence_ptr[-1], k), np.int32)
        totals = np.full((sentences, k), -np.inf)
        found = np.empty(sentences, int)
        kernels.kbest(self._means, len(self.labels_), data, found, paths, totals, kernels.FAST)
        return paths, totals

    def predict(self, X: Any) -> list[list[str]]:
        """The best labels of each sentence; features never seen in training are ignored.

        `X` is what `fit` takes: sentences, or an Encoded with the vocabulary of the training.
        """
        data = self._read(X)
        names = list(map(self.labels_.__getitem__, self._decode(data).tolist()))
        return [names[a:b] for a, b in pairwise(data.sentence_ptr.tolist())]

    def margins(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """How far each sentence's best labelling is ahead of its second best, and the variance.

        The margin is the difference of the two scores, infinite where there is only one
        labelling; the variance is ΔᵀΣΔ of that difference under the learned Gaussian, NaN
        without variances. Active learning asks for the sentences where the margin is small
        (MinMargin), or small in standard deviations (MinConfMargin).
        """
        from betterthan.taggers import _kernels as kernels

        data = self._read(X)
        paths, totals = self._kbest(data, 2)
        variance = np.full(len(totals), np.nan)
        if self._variances is not None:
            n_labels, (rows, blocks, _) = len(self.labels_), self._variances.shape
            room = kernels.difference_room(rows, data, n_labels, blocks)
            best, second = np.ascontiguousarray(paths.T)
            kernels.path_difference_variance(
                self._variances, n_labels, data, best, second, room, variance
            )
        return totals[:, 0] - totals[:, 1], variance

    def confidence(
        self,
        X: Any,
        method: str = "kd_pc",
        *,
        draws: int = 50,
        labellings: int = 30,
        scale: float | None = None,
    ) -> list[np.ndarray]:
        """How sure the tagger is of each label that `predict` gives, one array per sentence.

        Parameters
        ----------
        X : list of sentences, or Encoded
            As for `predict`.
        method : str
            - "kd_pc": the share of `draws` weight vectors from N(μ, scale·Σ) whose best
              labelling has the same label (Mejer & Crammer 2010, Eq. 5); needs "cw" or "arow";
            - "kd_fixed": the same with N(μ, scale·I), for every algorithm;
            - "kbv": the share of the best `labellings` with the same label;
            - "wkbv": the same, each labelling weighing max(0, score), or all alike where no
              score is positive;
            - "delta": the score of the best labelling less that of the best one with another
              label at this token (max-marginals); not a probability;
            - "random": a uniform random number, to compare with.
        draws : int
            For the methods that draw. A draw is one vector of weights for all sentences, and
            does not depend on which sentences are asked about together.
        labellings : int
            How many of the best labellings "kbv" and "wkbv" count; 30 as in the paper.
        scale : float, optional
            Variance of the draws. None takes what `tune_scale` chose for this method, and
            without that the entry of ``DEFAULT_SCALES``, which was good on training data of
            CoNLL-2000; the best scale differs from corpus to corpus, so better tune it.

        Raises
        ------
        ValueError
            A method that does not exist or needs variances that the algorithm does not have;
            `draws`, `labellings` or `scale` out of range; called before `fit`.
        """
        _checks.choice("method", method, METHODS)
        draws = _checks.whole("draws", draws)
        labellings = _checks.whole("labellings", labellings)
        if scale is not None:
            scale = _checks.real("scale", scale, 0.0, closed="neither")
        data = self._read(X)
        predicted = self._decode(data)
        if method in ("kbv", "wkbv"):
            flat = self._share_of_best(data, predicted, labellings, weighted=method == "wkbv")
        elif method == "delta":
            flat = self._delta(data, predicted)
        elif method == "random":
            flat = np.random.default_rng(self._stream(2)).random(predicted.size)
        else:
            self._check_draws(method)
            if scale is None:
                scale = self.scales_.get(method, DEFAULT_SCALES[method][self.algorithm])
            flat = self._agreement(data, predicted, method, draws, scale)
        return np.split(flat, data.sentence_ptr[1:-1])

    def _share_of_best(
        self, data: Arrays, predicted: np.ndarray, labellings: int, weighted: bool
    ) -> np.ndarray:
        paths, totals = self._kbest(data, labellings)
        weight = np.isfinite(totals).astype(float)
        if weighted:
            positive = np.maximum(totals, 0.0)
            weight = np.where(positive.any(axis=1, keepdims=True), positive, weight)
        lengths = np.diff(data.sentence_ptr)
        agree, total = np.zeros(predicted.size), np.zeros(predicted.size)
        for k in range(labellings):  # not by sum(), which adds in another order
            each = np.repeat(weight[:, k], lengths)
            agree += np.where(paths[:, k] == predicted, each, 0.0)
            total += each
        return agree / total

    def _delta(self, data: Arrays, predicted: np.ndarray) -> np.ndarray:
        from betterthan.taggers import _kernels as kernels

        best = np.empty((predicted.size, len(self.labels_)))
        kernels.max_marginals(self._means, len(self.labels_), data, best, kernels.FAST)
        here = np.arange(predicted.size), predicted
        top = best[here]
        best[here] = -np.inf
        return np.maximum(top - best.max(axis=1), 0.0)

    def _check_draws(self, method: str) -> None:
        if self._compact:
            raise InputError("method", method, expected="a tagger that was not made compact")
        if method == "kd_pc" and self._variances is None:
            expected = (
                f"an algorithm with variances ('cw' or 'arow'), "
                f"but this tagger is {self.algorithm!r}; 'kd_fixed' works with all"
            )
            raise InputError("method", method, expected=expected)

    def _agreement(
        self, data: Arrays, predicted: np.ndarray, method: str, draws: int, scale: float
    ) -> np.ndarray:
        from betterthan.taggers import _kernels as kernels

        n_labels = len(self.labels_)
        features, ids = np.unique(data.ids, return_inverse=True)
        first = self._means.shape[0] - n_labels
        rows = np.concatenate([features, np.arange(first, first + n_labels)]).astype(np.int64)
        if method == "kd_pc" and self._variances is not None:
            deviations = np.sqrt(scale * self._variances[rows].astype(np.float64))
        else:
            deviations = np.full((rows.size, *self._means.shape[1:]), np.sqrt(scale))
        streams = self._stream(1).spawn(draws)
        keys = np.array([stream.generate_state(1, np.uint64)[0] for stream in streams])
        local = data._replace(ids=ids.astype(np.uint32))
        counts = np.zeros(predicted.size, np.int64)
        kernels.agreement(
            keys,
            n_labels,
            rows,
            self._means[rows],
            deviations,
            local,
            predicted,
            counts,
            kernels.FAST,
        )
        return counts / draws

    def tune_scale(
        self,
        X: Any,
        Y: Any,
        method: str = "kd_pc",
        *,
        scales: Sequence[float] = (),
        draws: int = 50,
    ) -> float:
        """Choose the scale of the draws on data that was held out from training.

        Returns the scale with the highest average precision of finding the mistakes, as the
        paper did (the smallest of equals), and keeps it in ``scales_[method]``, where
        `confidence` finds it.

        Parameters
        ----------
        X, Y
            Held-out sentences with their labels.
        method : {"kd_pc", "kd_fixed"}
            Whose scale.
        scales : sequence of float, optional
            What to try; without any, 21 values from 0.0001 to 1, or from 0.01 to 100 for the
            perceptron, whose weights are larger.
        draws : int
            How many draws.

        Raises
        ------
        ValueError
            No mistake to find on the held-out data, a scale that is not positive, a method
            without a scale.
        """
        from betterthan.confidence import average_precision

        _checks.choice("method", method, ("kd_pc", "kd_fixed"))
        draws = _checks.whole("draws", draws)
        if not len(scales):
            scales = [100 * s for s in SCALES] if self.algorithm == "perceptron" else SCALES
        tried = sorted(_checks.real("scales", s, 0.0, closed="neither") for s in scales)
        data = self._read(X)
        predicted = self._decode(data)
        gold = chain.from_iterable(label_lists(Y, np.diff(data.sentence_ptr).tolist()))
        names = map(self.labels_.__getitem__, predicted.tolist())
        right = np.fromiter(map(str.__eq__, names, gold), bool, predicted.size)
        if right.all():
            expected = (
                "held-out data with at least one mistake to find, but the tagger makes none; "
                "give more data"
            )
            raise InputError("Y", expected=expected)
        self._check_draws(method)
        value = {
            scale: average_precision(right, self._agreement(data, predicted, method, draws, scale))
            for scale in tried
        }
        self.scales_[method] = max(value, key=lambda scale: value[scale])
        return self.scales_[method]


def delta_as_printed(tagger: Tagger, X: Any) -> list[np.ndarray]:
    """Delta by the formula the paper prints: only the label at p changes, the rest is kept.

    ``Tagger.confidence(X, method="delta")`` is what the paper's words describe and its results
    need: the best labelling with another label at p, whatever the other labels become then.
    The printed one can only be larger, and looks sure wherever a wrong label needs a wrong
    neighbour.

    Examples
    --------
    >>> tagger = Tagger("cw").fit([[["a"], ["b"]], [["b"]]], [["X", "Y"], ["Y"]])
    >>> printed = delta_as_printed(tagger, [[["a"], ["b"]]])
    >>> bool((printed[0] >= tagger.confidence([[["a"], ["b"]]], method="delta")[0]).all())
    True
    """
    data = tagger._read(X)
    path = tagger._decode(data)
    labels = len(tagger.labels_)
    means = tagger._means.reshape(tagger._means.shape[0], -1)[:, :labels].astype(float)
    transitions = means[-labels:]
    score = np.zeros((path.size, labels))
    token = np.repeat(np.arange(path.size), np.diff(data.token_ptr))
    np.add.at(score, token, means[data.ids] * (data.values[:, None] if data.values.size else 1.0))
    after = np.setdiff1d(np.arange(path.size), data.sentence_ptr)  # tokens that follow another
    score[after] += transitions[path[after - 1]]
    score[after - 1] += transitions[:, path[after]].T
    here = np.arange(path.size), path
    top = score[here]
    score[here] = -np.inf
    return np.split(top - score.max(axis=1), data.sentence_ptr[1:-1])
