"""More text, or another learner? The segmenters of `bcv_tags` once more, to tell the two apart.

`bcv-cws` trains a CRF on 4,000 lines and `bcv-cws-all` a perceptron on all of them, so between
them text and learner change together. Here the perceptron gets the 4,000 lines.
"""

from __future__ import annotations

from typing import Any

from studies import Study
from studies.bcv_tags import COLUMNS, REPETITIONS, compare_tag_sets

SPLITS = (2019, 2020, 2021)


def tasks() -> list[dict[str, Any]]:
    """4,000 lines in three ways of dealing the blocks; ``cws-2019`` has those of `bcv-cws`."""
    return [
        {
            "experiment": f"cws-{split_seed}",
            "lines": 4000,
            "rows": "lines" if split_seed == SPLITS[0] else "totals",
            "split_seed": split_seed,
            "repetition": repetition,
            "fold": fold,
            "learner": "perceptron",
            "passes": 5,
        }
        for split_seed in SPLITS
        for repetition in range(1, REPETITIONS + 1)
        for fold in (1, 2)
    ]


STUDIES = [
    Study(
        "bcv-cws-perceptron",
        tasks,
        compare_tag_sets,
        seed=8,
        datasets=("peoples_daily",),
        title="BMES against BB2B3MES: averaged perceptron on 4,000 lines, dealt in three ways",
        columns=COLUMNS,
    )
]
