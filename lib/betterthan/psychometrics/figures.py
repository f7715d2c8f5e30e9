"""The pictures of chapter 4: a sentence with its difficulties, accuracy by difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from betterthan import _checks
from betterthan.psychometrics import _items

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_accuracy", "plot_sentence"]


def plot_sentence(
    words: Sequence[str],
    difficulty: Any,
    ax: Axes | None = None,
    *,
    translation: Sequence[str] | None = None,
) -> Axes:
    """The difficulty of each word as a bar above its characters: the paper's Figure 7.

    Chinese is drawn with the font that the package carries, so the figure is the same
    everywhere.

    Parameters
    ----------
    words
        The words of one sentence.
    difficulty
        One number between 0 and 1 per word.
    ax
        Where to draw; None makes a figure.
    translation
        One gloss per word, drawn below it.

    Raises
    ------
    ValueError
        For lengths that differ, a difficulty outside 0 … 1 or an empty word.

    Examples
    --------
    >>> ax = plot_sentence(["一", "种", "物质"], [0.2, 0.5, 0.0])
    >>> ax.get_ylabel()
    'difficulty'
    """
    import matplotlib.pyplot as plt

    from betterthan._fonts import chinese

    items = _items.encode("words", [words], "words")
    values = _items.difficulties(items, [difficulty])
    glosses = [""] * len(words) if translation is None else translation
    _checks.same_length(words=words, translation=glosses)
    height, bottom = (2.6, -0.24) if translation is None else (3.0, -0.36)
    ax = plt.subplots(figsize=(6.4, height))[1] if ax is None else ax
    left, widths = items.start + 0.08, items.end - items.start - 0.16
    colours = plt.get_cmap("cividis_r")(0.15 + 0.8 * values)
    ax.bar(left, values, widths, align="edge", color=colours)
    # A thin foot keeps words of difficulty 0 visible.
    ax.bar(left, -0.02, widths, align="edge", color="0.6")
    for middle, value, gloss in zip((items.start + items.end) / 2, values, glosses):
        ax.text(middle, value + 0.03, f"{value:.2f}", ha="center", fontsize=8)
        ax.text(middle, -0.26, gloss, ha="center", va="top", fontsize=7)
    for position, character in enumerate(items.texts[0]):
        ax.text(position + 0.5, -0.06, character, ha="center", va="top", fontproperties=chinese(15))
    ax.set(xlim=(0, items.end[-1]), ylim=(bottom, 1.12), xticks=[], ylabel="difficulty")
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
    ax.spines["bottom"].set_visible(False)
    return ax


def plot_accuracy(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Lines of accuracy by difficulty, from :func:`accuracy_by_difficulty` (Figure 4).

    Examples
    --------
    >>> from betterthan.psychometrics import accuracy_by_difficulty
    >>> gold, d = [["一", "种", "物质"]], [[0.4, 0.6, 0.0]]
    >>> ax = plot_accuracy(accuracy_by_difficulty(gold, {"old": [["一种", "物质"]]}, d, bins=2))
    >>> [line.get_label() for line in ax.get_lines()]
    ['old']
    """
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for n, name in enumerate(table.columns.drop("words", errors="ignore")):
        line, marker = "-" if n < 7 else "--", "osD^vPX<>*"[n % 10]
        ax.plot(table.index, table[name], ls=line, marker=marker, ms=5, label=name)
    ax.set(xlabel="difficulty", ylabel="share of words found", ylim=(-0.02, 1.02))
    ax.tick_params(axis="x", labelrotation=30)
    ax.legend()
    return ax
