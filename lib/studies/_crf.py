"""CRFsuite, trained on one half of a corpus and applied to the other."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def crf(
    train: Sequence[tuple[Any, Sequence[str]]], valid: Sequence[Any], max_iterations: int
) -> list[list[str]]:
    """Labels for `valid` by a CRF trained with L-BFGS (L2 penalty 1, CRFsuite's default).

    Sentences are lists of feature strings for each token, or pycrfsuite's ItemSequence.
    """
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set("max_iterations", max_iterations)
    for features, labels in train:
        trainer.append(features, labels)
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        trainer.train(model)
        tagger.open(model)
        predicted = [tagger.tag(features) for features in valid]
        tagger.close()
    return predicted
