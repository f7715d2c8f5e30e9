"""Seconds, costs and tokens by their ratio: "0.83 times as long" instead of "2.4 seconds less".

Such numbers are positive and have a few large values, which decide a mean and its difference. On
the scale of logarithms they are nearly symmetric, and a difference of logarithms is a ratio.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan._values import Numbers
from betterthan.errors import InputError
from betterthan.results import Results


def logarithms(name: str, results: Results, metric: Any) -> Results:
    """The same results as natural logarithms.

    Raises
    ------
    InputError
        For results that are not numbers above 0, or another metric than the mean.
    """
    held = results.held
    if not isinstance(held, Numbers):
        text = f"numbers such as seconds or costs, but {name} holds labels or counts"
        raise InputError("ratio", True, expected=text)
    asked = results.metric if metric is None else metric
    if asked != "mean":
        shown = asked if isinstance(asked, str) else getattr(asked, "__name__", repr(asked))
        if metric is not None:
            raise InputError("metric", shown, expected="the mean, where a ratio is asked for")
        text = f"numbers such as seconds or costs, but the metric of {name} is {shown}"
        raise InputError("ratio", True, expected=text)
    least = min(float(run.min()) for run in held.runs)
    if least <= 0:
        text = f"numbers above 0, but {name} has {least:g}; its logarithm does not exist"
        raise InputError("ratio", True, expected=text)
    logs = replace(held, runs=tuple(np.log(run) for run in held.runs))
    return results.with_runs(logs, results.run_names)
