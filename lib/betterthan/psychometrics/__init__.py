"""Which system handles the hard words? Scores weighted by how hard each word is.

Chapter 4 of the book. After Qian, Qiu and Huang (ACL 2016): a committee of weak segmenters
marks every gold word; the share of members that get it wrong is its *difficulty* d. A system
is then scored twice, once with weights d (reward for hard words) and once with weights 1 − d
(punishment for missing easy ones), and the two are joined by the harmonic mean.

A sentence is a list of words (segmentation), or a list of ``(start, end, label)`` spans
(entities, chunks). Equation numbers are the paper's; Eq. (11) is printed there with the
weights of Eq. (12) and is used here with the weights it must have.

For an interval or a comparison hand the sums of :func:`sentence_sums` to `betterthan.score` or
`betterthan.compare`, with :func:`balanced_f` as the metric.

Here `marks` says which gold words (or spans) a system finds; `betterthan.confidence.marks` says
which of a tagger's labels are right.
"""

from betterthan.psychometrics._rasch import Rasch, rasch
from betterthan.psychometrics.figures import plot_accuracy, plot_sentence
from betterthan.psychometrics.grading import (
    accuracy_by_difficulty,
    bin_of,
    difficulty,
    half_width,
    marks,
)
from betterthan.psychometrics.judges import human_scores, stability
from betterthan.psychometrics.weighted import (
    BalancedScores,
    UndefinedMetricWarning,
    balanced_f,
    balanced_scores,
    sentence_sums,
)

__all__ = [
    "BalancedScores",
    "Rasch",
    "UndefinedMetricWarning",
    "accuracy_by_difficulty",
    "balanced_f",
    "balanced_scores",
    "bin_of",
    "difficulty",
    "half_width",
    "human_scores",
    "marks",
    "plot_accuracy",
    "plot_sentence",
    "rasch",
    "sentence_sums",
    "stability",
]
