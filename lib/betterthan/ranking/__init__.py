"""Would that ranking win again? Significance for n-best lists (Evert 2004, chapter 5).

A ranking is a score for every candidate, larger first, and a gold standard says which candidates
are true positives. This package measures the precision of the n-best list for every n at once,
with exact intervals, and tests at every n whether one ranking is better than another. A is the
baseline and B the candidate: every difference is B − A.

Candidates with equal scores are ordered at random, by one permutation drawn from `rng` and
shared by all rankings of the same call, so that identical rankings stay identical; `rng=None`
keeps the order in which the candidates were given.

Here `compare` takes two rankings of the same candidates and asks at which n the lists differ
(a `RankingComparison`). `betterthan.compare` takes one score per item, document or query and asks
whose mean is higher (a `Comparison`), and `betterthan.bayes.compare` folds of a cross-validation;
for many queries use that of `betterthan` with :func:`average_precision_per_query`.
"""

from betterthan.ranking.association import measures
from betterthan.ranking.comparison import (
    AveragePrecision,
    RankingComparison,
    compare,
    compare_counts,
)
from betterthan.ranking.curves import PrecisionCurve, binomial_interval, plot, precision_curve
from betterthan.ranking.overdispersion import (
    Overdispersion,
    beta_binomial_interval,
    fit_overdispersion,
)
from betterthan.ranking.regions import RegionComparison, compare_regions
from betterthan.ranking.retrieval import average_precision_per_query

__all__ = [
    "AveragePrecision",
    "Overdispersion",
    "PrecisionCurve",
    "RankingComparison",
    "RegionComparison",
    "average_precision_per_query",
    "beta_binomial_interval",
    "binomial_interval",
    "compare",
    "compare_counts",
    "compare_regions",
    "fit_overdispersion",
    "measures",
    "plot",
    "precision_curve",
]
