"""What all pictures of the library share: numbers on their axes that can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import betterthan
from betterthan import bayes, bcv, compare, compare_many, confidence, psychometrics, ranking, read
from betterthan import replicability as many
from betterthan.readers import example, read_fold_counts, read_probabilities

mpl.use("Agg")
LIBRARY = Path(betterthan.__file__).parent


def _ranked() -> Any:
    rng = np.random.default_rng(0)
    gold = rng.random(60) < 0.4
    return ranking.compare(gold + rng.random(60), rng.random(60), gold)


def _difficulties() -> Any:
    gold = [["一", "种", "物质"]]
    found = psychometrics.accuracy_by_difficulty(
        gold, {"old": [["一种", "物质"]]}, [[0.4, 0.6, 0]], bins=2
    )
    return psychometrics.plot_accuracy(found)


def _folds() -> list[Any]:
    return list(read_fold_counts(*_paths(example("fold_counts")), repetitions=3))


def _paths(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


# By the file that draws them, as often as it has a function for it.
PICTURES: dict[str, list[Callable[[], Any]]] = {
    "bayes.py": [lambda: bayes.compare(*_folds()[:2]).plot()],
    "bcv.py": [lambda: bcv.posterior(_folds()[0]).plot()],
    "confidence/evaluation.py": [
        lambda: confidence.evaluate(read_probabilities(example("probabilities"))).plot()
    ],
    "confidence/thresholds.py": [
        lambda: confidence.threshold(read_probabilities(example("probabilities"))).plot()
    ],
    "paired.py": [
        lambda: betterthan.score(read(example("scores"))[0]).plot(),
        lambda: compare(*read(example("seconds")), ratio=True).plot(),
    ],
    "psychometrics/figures.py": [
        lambda: psychometrics.plot_sentence(["一", "种"], [0.2, 0.5]),
        _difficulties,
    ],
    "ranking/comparison.py": [lambda: _ranked().plot()],
    "ranking/curves.py": [
        lambda: _ranked().curve_a.plot(),
        lambda: ranking.plot(_ranked().curve_a),
    ],
    "replicability.py": [
        lambda: many.analyse([0.001, 0.03, 0.4, 0.9]).plot(),
        lambda: many.analyse_both(betterthan.compare_each(*read(example("predictions")))).plot(),
    ],
    "several.py": [lambda: compare_many(read(example("scores"))).plot()],
}
ALL = [(file, place) for file, drawn in PICTURES.items() for place in range(len(drawn))]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def test_no_picture_is_forgotten():
    found = {
        path.relative_to(LIBRARY).as_posix(): len(
            re.findall(r"def plot\w*\([^)]*\) -> Axes", path.read_text("utf-8"))
        )
        for path in LIBRARY.rglob("*.py")
    }
    drawn = {file: len(pictures) for file, pictures in PICTURES.items()}
    assert {file: times for file, times in found.items() if times} == drawn


def labels(axis: Any) -> list[Any]:
    """The labels of the ticks that are seen, near ones together."""
    low, high = sorted(axis.get_view_interval())
    seen = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    seen += [tick for tick in axis.get_minor_ticks() if low <= tick.get_loc() <= high]
    return [tick.label1 for tick in seen if tick.label1.get_text()]


@pytest.mark.parametrize("formulas", [True, False])
@pytest.mark.parametrize(("file", "place"), ALL)
def test_ticks_are_numbers_and_no_formulas(file, place, formulas):
    """With formulas off, as --plot has it for names with a $, a formula would be shown raw."""
    with mpl.rc_context({"text.parse_math": formulas}):
        ax = PICTURES[file][place]()
        ax.figure.canvas.draw()
        for axis in (ax.xaxis, ax.yaxis):
            assert not [one for one in labels(axis) if "$" in one.get_text()]


# Wide and narrow, with a zero, many, one alone.
PVALUES = [
    [0.18, 0.09, 0.63, 0.5],
    [0.3, 0.4],
    [1e-17, 0.3, 1.0, 1.0],
    [0.0, 0.02, 0.5],
    np.linspace(0, 1, 100),
    [1.0],
    [1e-200, 0.5],
]


@pytest.mark.parametrize("pvalues", PVALUES)
@pytest.mark.parametrize("style", ["default", "betterthan.book"])
def test_numbers_below_pvalues_stand_apart(pvalues, style):
    with mpl.style.context(style):
        ax = many.analyse(pvalues).plot()
        ax.figure.canvas.draw()
        shown = labels(ax.xaxis)
        assert 3 <= len(shown) <= 8
        numbers = [float(one.get_text().replace("−", "-")) for one in shown]
        assert numbers == sorted(numbers) and numbers[-1] <= 1
        boxes = [one.get_window_extent() for one in shown]
        assert all(left.x1 + 4 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("names", [["old", "new"], ["old", "new", "large"]])
def test_ranks_are_whole_numbers(names):
    ax = compare_many(read(example("scores"), systems=names)).plot()
    ax.figure.canvas.draw()
    assert all(one.get_text().isdecimal() for one in labels(ax.xaxis))
