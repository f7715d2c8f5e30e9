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

import os
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betterthan import _checks

if TYPE_CHECKING:
    from betterthan._sequences_index import Encoded, Vocabulary

ALGORITHMS = ("cw", "arow", "pa", "perceptron")
METHODS = ("kd_pc", "kd_fixed", "kbv", "wkbv", "delta", "random")
CRITERIA = ("average_precision", "rmse", "brier")
SCALES = tuple(float(f"{10 ** (k / 5):.2g}") for k in range(-20, 1))
DEFAULT_SCALES = {
    ("cw", "kd_pc"): 0.025,
    ("arow", "kd_pc"): 0.0063,
    ("cw", "kd_fixed"): 0.016,
    ("arow", "kd_fixed"): 0.0025,
    ("pa", "kd_fixed"): 0.01,
    ("perceptron", "kd_fixed"): 6.3,  # its weights are sums of whole numbers
}
CONSTRAINTS = 5  # labellings that the passive-aggressive learner pushes below the gold one


class Margins(NamedTuple):
    """How far the best labelling of each sentence is ahead of the second best."""

    margin: np.ndarray
    """Difference of the two scores; infinite where there is only one labelling."""
    variance: np.ndarray
    """ΔᵀΣΔ of that difference under the learned Gaussian; NaN without variances."""


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
    scales_ : dict
        What `tune_scale` chose, by method.

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
        self.scales_: dict[str, float] = {}
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
        self.scales_ = {}
        try:
            self._train(data, gold, progress)
        except BaseException:
            self._vocabulary = None  # nothing half-learned can be used
            raise
        return self

    def _train(
        self,
        data: Encoded,
        gold: np.ndarray,
        progress: bool,
        watch: Callable[[int, np.ndarray], None] | None = None,
    ) -> None:
        # `watch` is shown the averaged weights after each pass but the last: studies of how
        # fast a learner gets better need them all, and training ten times over is slow.
        from betterthan import _sequences_kernels as kernels

        n_labels = len(self.labels_)
        blocks = -(-n_labels // 4)
        shape = (len(self._vocabulary) + n_labels, blocks, 4)
        lengths = np.diff(data.sentence_ptr)
        longest = int(lengths.max())
        rows = _most_rows(data, n_labels)
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
            if watch is not None and turn + 1 < self.passes:
                seen = (turn + 1) * lengths.size
                watch(turn + 1, (weights - moments / seen).astype(np.float32))
        with np.errstate(over="ignore", invalid="ignore"):
            moments /= -(self.passes * lengths.size)
            moments += weights
            means = moments.astype(np.float32)
        if not (np.isfinite(means).all() and np.isfinite(variances).all()):
            raise ValueError(
                "X: expected feature values whose weights fit into 32 bits, but they overflowed; "
                "scale large values down"
            )
        self._means = means
        self._variances = variances if confident else None

    def _fitted(self) -> None:
        if self._vocabulary is None:
            raise ValueError("this Tagger has not learned anything yet: call fit first")

    def _encode(self, X: Any) -> Encoded:
        from betterthan._sequences_index import encode

        self._fitted()
        return encode(X, self._vocabulary, learn=False)

    def _decode(self, data: Encoded, weights: np.ndarray) -> np.ndarray:
        from betterthan import _sequences_kernels as kernels

        path = np.empty(data.token_ptr.size - 1, np.int32)
        kernels.decode(weights, len(self.labels_), *data, path)
        return path

    def predict(self, X: Any) -> list[list[str]]:
        """The best labels of each sentence; features never seen in training are ignored."""
        return self._predict(self._encode(X))

    def _predict(self, data: Encoded) -> list[list[str]]:
        path = self._decode(data, self._means)
        names = list(map(self.labels_.__getitem__, path.tolist()))
        bounds = data.sentence_ptr.tolist()
        return [names[a:b] for a, b in pairwise(bounds)]

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose label is right; a gold label never seen counts as wrong.

        Examples
        --------
        >>> tagger = Tagger().fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> tagger.score([[["a"], ["b"]]], [["X", "Z"]])
        0.5
        """
        return _token_accuracy(self.predict(X), y)

    def kbest(self, X: Any, k: int = 5) -> list[list[tuple[list[str], float]]]:
        """The `k` best labellings of each sentence with their scores, best first.

        Exact: every prefix that could still be among the best k is kept. A short sentence has
        fewer labellings than k. Of labellings with the same score, the one with the lower last
        label comes first, then the lower one before it, and so on.

        Examples
        --------
        >>> tagger = Tagger("perceptron", passes=1).fit([[["a"], ["b"]]], [["X", "Y"]])
        >>> [(labels, round(score, 2)) for labels, score in tagger.kbest([[["a"]]], k=2)[0]]
        [(['X'], 0.0), (['Y'], 0.0)]
        """
        from betterthan import _sequences_kernels as kernels

        k = _checks.whole("k", k)
        data = self._encode(X)
        sentences = data.sentence_ptr.size - 1
        found = np.empty(sentences, np.int64)
        paths = np.empty((data.sentence_ptr[-1], k), np.int32)
        totals = np.empty((sentences, k))
        kernels.kbest(self._means, len(self.labels_), *data, found, paths, totals)
        names = np.array(self.labels_, dtype=object)
        bounds = data.sentence_ptr.tolist()
        return [
            [(names[paths[a:b, j]].tolist(), float(totals[s, j])) for j in range(found[s])]
            for s, (a, b) in enumerate(pairwise(bounds))
        ]

    def margins(self, X: Any) -> Margins:
        """How far each sentence's best labelling is ahead of its second best.

        Active learning asks for the sentences where this is small (MinMargin), or small in
        standard deviations (MinConfMargin: ``margin / sqrt(variance)``).
        """
        return self._margins(self._encode(X))

    def _margins(self, data: Encoded) -> Margins:
        from betterthan import _sequences_kernels as kernels

        n_labels = len(self.labels_)
        sentences = data.sentence_ptr.size - 1
        found = np.empty(sentences, np.int64)
        paths = np.zeros((data.sentence_ptr[-1], 2), np.int32)
        totals = np.full((sentences, 2), -np.inf)
        kernels.kbest(self._means, n_labels, *data, found, paths, totals)
        variance = np.full(sentences, np.nan)
        if self._variances is not None:
            first, second = np.ascontiguousarray(paths.T)
            rows = _most_rows(data, n_labels)
            kernels.path_difference_variance(
                self._variances, n_labels, *data, first, second, rows, variance
            )
        return Margins(totals[:, 0] - totals[:, 1], variance)

    def confidence(
        self,
        X: Any,
        method: str = "kd_pc",
        draws: int = 50,
        k: int = 30,
        scale: float | None = None,
        seed: int | None = None,
    ) -> list[np.ndarray]:
        """How sure the tagger is of each label that `predict` gives, one array a sentence.

        Parameters
        ----------
        X : list of sentences
        method : str
            - "kd_pc": the share of `draws` weight vectors from N(μ, scale·Σ) whose best
              labelling has the same label (Mejer & Crammer 2010, Eq. 5); needs "cw" or "arow";
            - "kd_fixed": the same with N(μ, scale·I), for every algorithm;
            - "kbv": the share of the `k` best labellings with the same label;
            - "wkbv": the same, each labelling weighing max(0, score), or all alike where no
              score is positive;
            - "delta": the score of the best labelling less that of the best one with another
              label at this token (max-marginals); not a probability;
            - "random": a uniform random number, to compare with.
        draws, k : int
            For the methods that draw, and those that take the k best.
        scale : float, optional
            Variance of the draws. None takes what `tune_scale` chose for this method, and
            without that the entry of ``DEFAULT_SCALES``, which was good on training data of
            CoNLL-2000; the best scale differs from corpus to corpus, so better tune it.
        seed : int, optional
            Seed of the draws; None takes the tagger's own. A draw is one vector of weights for
            all sentences, and does not depend on which sentences are asked about together.

        Raises
        ------
        ValueError
            A method that does not exist or needs variances that the algorithm does not have;
            `draws`, `k` or `scale` out of range; called before `fit`.
        """
        _checks.choice("method", method, METHODS)
        draws = _checks.whole("draws", draws)
        k = _checks.whole("k", k)
        if scale is not None:
            scale = _checks.real("scale", scale, 0.0, closed="neither")
        source = self.seed if seed is None else _checks.whole("seed", seed, 0)
        data = self._encode(X)
        self._need_variances(method)
        predicted = self._decode(data, self._means)
        flat = self._confidence(data, predicted, method, draws, k, scale, source)
        return np.split(flat, data.sentence_ptr[1:-1])

    def _need_variances(self, method: str) -> None:
        if method == "kd_pc" and self._variances is None:
            raise ValueError(
                f"method='kd_pc': expected an algorithm with variances ('cw' or 'arow'), "
                f"but this tagger is {self.algorithm!r}; 'kd_fixed' works with all"
            )

    def _confidence(
        self,
        data: Encoded,
        predicted: np.ndarray,
        method: str,
        draws: int,
        k: int,
        scale: float | None,
        seed: int,
    ) -> np.ndarray:
        from betterthan import _sequences_kernels as kernels

        n_labels = len(self.labels_)
        out = np.empty(predicted.size)
        if method in ("kbv", "wkbv"):
            weighted = method == "wkbv"
            kernels.kbest_confidence(self._means, n_labels, *data, k, weighted, predicted, out)
        elif method == "delta":
            best = np.empty((predicted.size, n_labels))
            kernels.max_marginals(self._means, n_labels, *data, best)
            here = np.arange(predicted.size), predicted
            top = best[here]
            best[here] = -np.inf
            out = np.maximum(top - best.max(axis=1), 0.0)
        elif method == "random":
            source = np.random.SeedSequence(seed, spawn_key=(2,))
            out = np.random.default_rng(source).random(predicted.size)
        else:
            if scale is None:
                scale = self._scale(method)
            out = self._agreement(data, predicted, method, draws, scale, seed)
        return out

    def _scale(self, method: str) -> float:
        if method in self.scales_:
            return self.scales_[method]
        return DEFAULT_SCALES[self.algorithm, method]

    def _agreement(
        self,
        data: Encoded,
        predicted: np.ndarray,
        method: str,
        draws: int,
        scale: float,
        seed: int,
    ) -> np.ndarray:
        from betterthan import _sequences_kernels as kernels

        n_labels = len(self.labels_)
        features, ids = np.unique(data.ids, return_inverse=True)
        first = self._means.shape[0] - n_labels
        rows = np.concatenate([features, np.arange(first, first + n_labels)]).astype(np.int64)
        if method == "kd_pc":
            deviations = np.sqrt(scale * self._variances[rows].astype(np.float64))
        else:
            deviations = np.full((rows.size, *self._means.shape[1:]), np.sqrt(scale))
        streams = np.random.SeedSequence(seed, spawn_key=(1,)).spawn(draws)
        keys = np.array([stream.generate_state(1, np.uint64)[0] for stream in streams])
        local = data._replace(ids=ids.astype(np.uint32))
        counts = np.zeros(predicted.size, np.int64)
        kernels.agreement(
            keys, n_labels, rows, self._means[rows], deviations, *local, predicted, counts
        )
        return counts / draws

    def tune_scale(
        self,
        X: Any,
        y: Any,
        method: str = "kd_pc",
        scales: Sequence[float] | None = None,
        draws: int = 50,
        criterion: str = "average_precision",
    ) -> float:
        """Choose the scale of the draws on data that was held out from training.

        Returns the best scale (the smallest of equals), and keeps it in ``scales_[method]``,
        where `confidence` finds it.

        Parameters
        ----------
        X, y
            Held-out sentences with their labels.
        method : {"kd_pc", "kd_fixed"}
        scales : sequence of float, optional
            What to try; None means 21 values from 0.0001 to 1, or from 0.01 to 100 for the
            perceptron, whose weights are larger.
        draws : int
        criterion : {"average_precision", "rmse", "brier"}
            "average_precision" of finding the mistakes, as the paper did; "rmse" of
            calibration against bin centres, the paper's other measure, which a tagger that is
            always sure can win; "brier", which it cannot.

        Raises
        ------
        ValueError
            No mistake to find on the held-out data, a scale that is not positive, a method
            without a scale.
        """
        from betterthan._confidence_eval import average_precision, calibration

        _checks.choice("method", method, ("kd_pc", "kd_fixed"))
        _checks.choice("criterion", criterion, CRITERIA)
        draws = _checks.whole("draws", draws)
        if scales is None:
            scales = [100 * s for s in SCALES] if self.algorithm == "perceptron" else SCALES
        tried = tuple(scales)
        if not tried:
            raise ValueError("scales: expected at least one, got none")
        tried = sorted(_checks.real("scales", s, 0.0, closed="neither") for s in tried)
        data = self._encode(X)
        self._need_variances(method)
        predicted = self._decode(data, self._means)
        gold = chain.from_iterable(_label_lists(y, np.diff(data.sentence_ptr).tolist()))
        names = map(self.labels_.__getitem__, predicted.tolist())
        right = np.fromiter(map(str.__eq__, names, gold), bool, predicted.size)
        if criterion == "average_precision" and right.all():
            raise ValueError(
                "y: expected held-out data with at least one mistake to find, but the tagger "
                "makes none; give more data, or criterion='brier'"
            )
        best, chosen = -np.inf, tried[0]
        for s in tried:
            sure = self._agreement(data, predicted, method, draws, s, self.seed)
            if criterion == "average_precision":
                value = average_precision(sure, right)
            else:
                value = -getattr(calibration(sure, right), criterion)
            if value > best:
                best, chosen = value, s
        self.scales_[method] = chosen
        return chosen

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to one ``.npz`` file, which numpy can open without this library.

        It holds ``header`` (JSON as UTF-8: format, version, parameters, labels, scales),
        ``features`` (UTF-8, each followed by NUL), ``means`` and, for "cw" and "arow",
        ``variances`` (float32; a row for each feature, then one for each previous label; a
        column for each label). The file appears whole or not at all.
        """
        from betterthan import _sequences_files

        self._fitted()
        _sequences_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tagger:
        """Read a tagger that `save` wrote.

        Raises
        ------
        ValueError
            The file is truncated, or was not written by `save`.
        """
        from betterthan import _sequences_files

        return _sequences_files.load(cls, path)


def _most_rows(data: Encoded, n_labels: int) -> int:
    """The most rows of weights that a sentence can touch."""
    return int(np.diff(data.token_ptr[data.sentence_ptr]).max()) + n_labels


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
    if set(map(type, chain.from_iterable(gold))) != {str}:
        for s, labels in enumerate(gold):
            for label in labels:
                if not isinstance(label, str):
                    raise ValueError(f"y[{s}]: expected labels to be strings, got {label!r:.60}")
    return gold


def _token_accuracy(predicted: list[list[str]], y: Any) -> float:
    gold = _label_lists(y, list(map(len, predicted)))
    right = sum(map(str.__eq__, chain.from_iterable(predicted), chain.from_iterable(gold)))
    return right / sum(map(len, predicted))


def _number_labels(y: Any, sentence_ptr: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    gold = list(chain.from_iterable(_label_lists(y, np.diff(sentence_ptr).tolist())))
    labels = tuple(sorted(set(gold)))
    number = {label: i for i, label in enumerate(labels)}
    return labels, np.fromiter(map(number.__getitem__, gold), np.int32, len(gold))


# Feature extractors, measures of confidence and the CRF live in files of their own.
from betterthan._confidence_eval import (  # noqa: E402
    RULES,
    ActiveLearning,
    Calibration,
    DoubtMap,
    Recalibration,
    active_learning,
    average_precision,
    calibration,
    delta_as_printed,
    detected_errors,
    doubtful,
    marks,
    plot_doubts,
    recalibrate,
)
from betterthan._features import (  # noqa: E402
    chunk_features,
    ner_features,
    segmentation_features,
)
from betterthan._sequences_crf import CRF, crf_marginals  # noqa: E402

__all__ = [
    "ALGORITHMS",
    "CRF",
    "CRITERIA",
    "METHODS",
    "RULES",
    "SCALES",
    "ActiveLearning",
    "Calibration",
    "DoubtMap",
    "Margins",
    "Recalibration",
    "Tagger",
    "active_learning",
    "average_precision",
    "calibration",
    "chunk_features",
    "crf_marginals",
    "delta_as_printed",
    "detected_errors",
    "doubtful",
    "marks",
    "ner_features",
    "plot_doubts",
    "recalibrate",
    "segmentation_features",
]
