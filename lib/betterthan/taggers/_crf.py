"""Conditional random fields by python-crfsuite, to compare with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.errors import InputError
from betterthan.taggers._encoding import label_lists


class CRF:
    """A conditional random field with marginal probabilities as confidence, by CRFsuite.

    It is trained by L-BFGS, takes what `Tagger` takes and offers its `fit`, `predict` and
    `confidence`, so that the two can stand in the same table. Needs python-crfsuite.

    Parameters
    ----------
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

    def __init__(self, **params: Any) -> None:
        self.params = params
        self._model: bytes | None = None

    def fit(self, X: Any, Y: Any) -> CRF:
        """Learn from sentences `X` and their labels `Y`.

        Raises
        ------
        ValueError
            No sentences, lengths that differ, a label that is not a string.
        """
        pycrfsuite = _pycrfsuite()
        sentences = [list(sentence) for sentence in X]
        if not sentences:
            raise InputError("X", expected="at least one sentence, got none")
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params(self.params)
        for sentence, labels in zip(sentences, label_lists(Y, list(map(len, sentences)))):
            trainer.append(pycrfsuite.ItemSequence(sentence), labels)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.crfsuite"
            trainer.train(str(path))
            self._model = path.read_bytes()
        return self

    def _tagger(self) -> Any:
        if self._model is None:
            raise InputError(problem="this CRF has not learned anything yet: call fit first")
        tagger = _pycrfsuite().Tagger()
        tagger.open_inmemory(self._model)
        return tagger

    def predict(self, X: Any) -> list[list[str]]:
        """The best labels of each sentence."""
        tagger = self._tagger()
        return [tagger.tag(list(sentence)) for sentence in X]

    def confidence(self, X: Any) -> list[np.ndarray]:
        """The marginal probability of each label that `predict` gives, one array per sentence."""
        tagger = self._tagger()
        out = []
        for sentence in X:
            labels = tagger.tag(list(sentence))
            marginals = [tagger.marginal(label, p) for p, label in enumerate(labels)]
            out.append(np.minimum(marginals, 1.0))  # rounding in CRFsuite can pass 1 by 1e-15
        return out


def _pycrfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError as error:
        raise ImportError("CRF needs python-crfsuite: pip install python-crfsuite") from error
    return pycrfsuite
