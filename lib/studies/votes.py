"""Votes of people and of judges: is a judge's interval an interval of what people think?

- votes: every model of LLMFAO by its share of the votes (a tie is half): ``people`` and ``voted``
  (votes of people on it), and of each ``judge`` ``share``, ``votes``, the interval with every vote
  for itself (``low``, ``high``), and with the thirteen prompts as groups (``prompt_low``,
  ``prompt_high``).
"""

from __future__ import annotations

import pandas as pd

from betterthan import score
from betterthan.datasets import llmfao
from studies._study import Rows, Seed, Study, Task, grid


def shares(votes: pd.DataFrame) -> pd.DataFrame:
    """Each of the two models' share of every vote."""
    won = votes["winner"].map({"model_a": 1.0, "tie": 0.5, "model_b": 0.0})
    left = votes.assign(model=votes["model_a"], share=won)
    right = votes.assign(model=votes["model_b"], share=1 - won)
    return pd.concat([left, right])


def run(task: Task, seed: Seed) -> Rows:
    """Every model, by people and by one judge."""
    people = shares(llmfao("people")).groupby("model")["share"]
    rows = []
    for model, own in shares(llmfao(task["judge"])).groupby("model"):
        values = own["share"].to_numpy()
        alone = score(values).interval
        grouped = score(values, groups=own["prompt"].to_numpy()).interval
        crowd = people.get_group(model)
        rows.append(
            {
                "judge": task["judge"],
                "model": model,
                "people": round(crowd.mean(), 6),
                "voted": len(crowd),
                "share": round(values.mean(), 6),
                "votes": len(values),
                "low": round(alone.low, 6),
                "high": round(alone.high, 6),
                "prompt_low": round(grouped.low, 6),
                "prompt_high": round(grouped.high, 6),
            }
        )
    return rows


STUDIES = [
    Study(
        name="votes",
        tasks=grid(judge=["gpt-4", "gpt-3"]),
        run=run,
        seed=23,
        datasets=("llmfao",),
        title="Votes of people and of two judges on 59 language models",
    )
]
