"""Is a model's confidence any good, and which of its answers should a person check?

Everything here takes any model's output: whether each answer is right (`correct`) and how sure
the model was of it, flat, or as one array per sentence. `evaluate` asks whether "90 %" is right
nine times in ten; `threshold` above which probability answers need no check; `average_precision`
and `detected_errors` ask whether the mistakes are among the least sure answers, and take any
scale; `recalibrate` repairs; `doubtful` and `plot_doubts` show people where to look.
"""

from betterthan.confidence.evaluation import Evaluation, evaluate
from betterthan.confidence.finding import (
    average_precision,
    detected_errors,
    marks,
    tied_average_precision,
)
from betterthan.confidence.people import DoubtMap, doubtful, plot_doubts
from betterthan.confidence.recalibration import Recalibration, recalibrate
from betterthan.confidence.thresholds import Threshold, threshold

__all__ = [
    "DoubtMap",
    "Evaluation",
    "Recalibration",
    "Threshold",
    "average_precision",
    "detected_errors",
    "doubtful",
    "evaluate",
    "marks",
    "plot_doubts",
    "recalibrate",
    "threshold",
    "tied_average_precision",
]
