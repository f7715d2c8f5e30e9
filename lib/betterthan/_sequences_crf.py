"""Conditional random fields by python-crfsuite, to compare with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import _checks


class CRF:
    """A conditional random field trained by CRFsuite, with marginal probabilities as confidence.

    It takes what `Tagger` takes and offers its `fit`, `predict`, `score` and `confidence`, so
    that the two can stand in the same table. Needs python-crfsuite.

    Parameters
    ----------
    algorithm : str
        CRFsuite's own: "lbfgs", "l2sgd", "ap", "pa" or "arow". Marginals are probabilities
        with the first two only; the others do not maximise a likelihood.
    params : dict
        CRFsuite's parameters, such as ``{"c2": 1.0, "max_iterations": 100}``.

    Examples
    --------
    >>> crf = CRF(max_iterations=20).fit([[["the"], ["cat"]]] * 5, [["B", "I"]] * 5)
    >>> crf.predict([[["the"], ["cat"]]])
    [['B', 'I']]
    >>> [round(float(p), 1) for p in crf.confidence([[["the"], ["cat"]]])[0]]
    [0.8, 0.8]
    """

    def __init__(self, algorithm: str = "lbfgs", **params: Any) -> None:
        self.algorithm = _checks.choice(
            "algorithm", algorithm, ("lbfgs", "l2sgd", "ap", "pa", "arow")
        )
        self.params = params
        self._model: bytes | None = None

    def fit(self, X: Any, y: Any) -> CRF:
        """Learn from sentences `X` and their labels `y`."""
        from betterthan.sequences import _label_lists

        pycrfsuite = _pycrfsuite()
        sentences = [list(sentence) for sentence in X]
        if not sentences:
            raise ValueError("X: expected at least one sentence, got none")
        trainer = pycrfsuite.Trainer(algorithm=self.algorithm, verbose=False)
        trainer.set_params(self.params)
        for sentence, labels in zip(sentences, _label_lists(y, list(map(len, sentences)))):
            trainer.append(pycrfsuite.ItemSequence(sentence), labels)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.crfsuite"
            trainer.train(str(path))
            self._model = path.read_bytes()
        return self

    def _tagger(self) -> Any:
        if self._model is None:
            raise ValueError("this CRF has not learned anything yet: call fit first")
        tagger = _pycrfsuite().Tagger()
        tagger.open_inmemory(self._model)
        return tagger

    def predict(self, X: Any) -> list[list[str]]:
        """The best labels of each sentence."""
        tagger = self._tagger()
        return [tagger.tag(list(sentence)) for sentence in X]

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens whose label is right."""
        from betterthan.sequences import _token_accuracy

        return _token_accuracy(self.predict(X), y)

    def confidence(self, X: Any) -> list[np.ndarray]:
        """The marginal probability of each label that `predict` gives, one array a sentence."""
        tagger = self._tagger()
        out = []
        for sentence in X:
            labels = tagger.tag(list(sentence))
            marginals = [tagger.marginal(label, p) for p, label in enumerate(labels)]
            out.append(np.minimum(marginals, 1.0))  # rounding in CRFsuite can pass 1 by 1e-15
        return out


def crf_marginals(X_train: Any, y_train: Any, X: Any, **params: Any) -> list[np.ndarray]:
    """Train a `CRF` and return the marginal probability of each label it predicts for `X`."""
    return CRF(**params).fit(X_train, y_train).confidence(X)


def _pycrfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError as error:
        raise ImportError(
            "CRF needs python-crfsuite: pip install 'python-crfsuite>=0.9.11'"
        ) from error
    return pycrfsuite
