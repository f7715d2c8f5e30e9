"""Taggers that say how sure they are, a committee of them, and active learning (chapters 4, 6).

`Tagger` and `CRF` learn from lists of feature strings, which `segmentation_features`,
`chunk_features` and `ner_features` make. Whoever trains many taggers on parts of one corpus
reads it once with `encode`. Statistics (`betterthan.confidence`, `betterthan.psychometrics`)
know nothing of these taggers and take the output of any model.
"""

from betterthan.taggers._crf import CRF
from betterthan.taggers._encoding import Encoded, encode
from betterthan.taggers._tagger import (
    ALGORITHMS,
    COLOURS,
    METHODS,
    SCALES,
    Tagger,
    delta_as_printed,
)
from betterthan.taggers.active import RULES, active_learning
from betterthan.taggers.committee import Committee, Member
from betterthan.taggers.features import chunk_features, ner_features, segmentation_features

__all__ = [
    "ALGORITHMS",
    "COLOURS",
    "CRF",
    "METHODS",
    "RULES",
    "SCALES",
    "Committee",
    "Encoded",
    "Member",
    "Tagger",
    "active_learning",
    "chunk_features",
    "delta_as_printed",
    "encode",
    "ner_features",
    "segmentation_features",
]
