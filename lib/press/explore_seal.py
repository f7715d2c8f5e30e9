"""Data and still picture of the explorable of chapter 7, the sealed text; see `press.explore`."""

from __future__ import annotations

import re
from typing import Any

import matplotlib.pyplot as plt
import nbformat
import numpy as np
from scipy import stats

from press import ROOT

SENTENCE = re.compile(
    r"AROW minus CRF is ([-+][\d.]+) \(95 % interval ([-+][\d.]+) to ([-+][\d.]+);.*?"
    r"([\d,]+) lines in .*?t with ([\d.]+) degrees"
)
MARGIN = 0.01  # the archive's rule: AROW may lose at most one point


def seal_data() -> dict[str, float]:
    """What the sealed lines said, from the sentence that chapter 7 prints: in points of F1."""
    chapter = nbformat.read(ROOT / "chapters" / "7-one-comparison.ipynb", as_version=4)
    printed = [
        output.get("text", "")
        for cell in chapter.cells
        if "final = compare(" in cell.source
        for output in cell.outputs
    ]
    found = SENTENCE.search("".join(printed))
    if found is None:
        raise ValueError("chapter 7 prints no sentence about the sealed lines")
    difference, low, high, lines, degrees = (
        float(part.replace(",", "")) for part in found.groups()
    )
    error = (high - low) / 2 / stats.t.ppf(0.975, degrees)
    return {
        "difference": round(100 * difference, 2),
        "low": round(100 * low, 2),
        "high": round(100 * high, 2),
        "lines": int(lines),
        "error": round(float(100 * error), 4),
        "margin": 100 * MARGIN,
    }


def seal_still() -> Any:
    """Intervals of a few archives in which AROW loses exactly what the rule allows."""
    data, rng = seal_data(), np.random.default_rng(7)
    figure, ax = plt.subplots(figsize=(6.4, 3.4))
    ax.axvspan(-data["margin"], data["margin"], color="0.88", zorder=0)
    centres = rng.normal(-data["margin"], data["error"], 20)
    half = stats.norm.ppf(0.975) * data["error"]
    for place, centre in enumerate(centres):
        let_in = centre - half > -data["margin"]
        ends = [centre - half, centre + half]
        ax.plot(ends, [place, place], color="C1" if let_in else "C0", linewidth=2.5)
    ax.axvline(-data["margin"], color="0.2", linestyle=":")
    ax.text(0, 20.2, "margin", ha="center", va="bottom")
    ax.set(xlabel="AROW minus CRF, in points of F1: one line per archive", yticks=[], ylim=(-1, 22))
    ax.plot([], [], color="C0", linewidth=2.5, label="the CRF stays")
    ax.plot([], [], color="C1", linewidth=2.5, label="AROW is let in")
    ax.legend(loc="center right")
    return figure
