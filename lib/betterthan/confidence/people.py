"""For people: which labels to look at, and where they stand."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from betterthan import _checks
from betterthan.errors import InputError

if TYPE_CHECKING:  # pandas takes longer to import than all the rest, and a tagger needs none
    import pandas as pd

Rows = Sequence[Sequence[Any]]  # one sequence per sentence


def doubtful(
    words: Rows, labels: Rows, confidence: Rows, n: int = 50, gold: Rows = (), tiebreak: Rows = ()
) -> pd.DataFrame:
    """The labels most worth a human look, least sure first.

    Parameters
    ----------
    words, labels, confidence
        One sequence per sentence each: what was labelled, how, and how surely.
    n
        How many to list.
    gold
        If given, a column says which label the annotation has.
    tiebreak
        A second confidence that orders equals, such as Delta's; then the order of the text
        decides.

    Returns
    -------
    DataFrame
        One row per word: sentence, position, word, label, confidence, context.

    Raises
    ------
    ValueError
        If the arguments differ in their numbers of sentences or words, or for NaN.

    Examples
    --------
    >>> doubtful([["Peter", "was", "here"]], [["B-PER", "O", "O"]], [[0.6, 0.99, 0.98]], n=1)
       sentence  position   word  label  confidence           context
    0         0         0  Peter  B-PER         0.6  [Peter] was here
    """
    import pandas as pd

    n = _checks.whole("n", n)
    given = {"words": words, "labels": labels} | ({"gold": gold} if len(gold) else {})
    given |= {"confidence": confidence} | ({"tiebreak": tiebreak} if len(tiebreak) else {})
    _checks.same_length(**given)
    for name, rows in given.items():
        for s, (row, sentence) in enumerate(zip(rows, words)):
            if len(row) != len(sentence):
                wanted = f"{len(sentence)} entries, got {len(row)}"
                raise InputError(f"{name}[{s}]", expected=wanted)
    flat = {name: [x for row in rows for x in row] for name, rows in given.items()}
    place = [(s, p) for s, sentence in enumerate(words) for p in range(len(sentence))]
    frame = pd.DataFrame(place, columns=["sentence", "position"]).assign(**flat)
    order = ["confidence"] + ["tiebreak"] * ("tiebreak" in frame)
    for name in order:
        _checks.vector(name, frame[name])
    frame = frame.sort_values(order, kind="stable", ignore_index=True).head(n)
    frame["context"] = [_context(words[s], p) for s, p in zip(frame["sentence"], frame["position"])]
    return frame.drop(columns=order[1:]).rename(columns={"words": "word", "labels": "label"})


def _context(words: Sequence[str], p: int) -> str:
    around = [*words[max(0, p - 3) : p], f"[{words[p]}]", *words[p + 1 : p + 4]]
    # Languages written without spaces are shown without them.
    dense = all(len(x) == 1 and ord(x) > 0x2E7F for x in words if x.isalpha())
    return ("" if dense else " ").join(around)


@dataclass(frozen=True)
class DoubtMap:
    """A sentence with its doubtful words marked; ``print`` lists them, a notebook shows colours."""

    text: str
    markup: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup


def plot_doubts(
    words: Sequence[str], confidence: Sequence[float], labels: Sequence[str] | None = None
) -> DoubtMap:
    """A heat-map of one sentence: the darker a word, the less sure its label.

    It is drawn as text with colours, so that any script is shown in the reader's own fonts;
    its alternative text lists the words below 0.9.

    Parameters
    ----------
    words, confidence, labels
        One entry per word.

    Raises
    ------
    ValueError
        For unequal lengths or a confidence outside [0, 1].

    Examples
    --------
    >>> print(plot_doubts(["Peter", "was", "here"], [0.6, 0.99, 1.0]))
    1 of 3 words below 0.9: Peter (0) 0.60
    """
    sure = _checks.probabilities("confidence", confidence).tolist()
    labels = [""] * len(words) if labels is None else labels
    _checks.same_length(words=words, confidence=sure, labels=labels)
    rising, cells = sorted(zip(sure, range(len(sure)), words)), []
    low = [f"{word} ({i}) {c:.2f}" for c, i, word in rising if c < 0.9]
    listed = f"{len(low)} of {len(words)} words below 0.9: {', '.join(low)}"
    text = listed if low else f"no word of {len(words)} below 0.9"
    # White to orange by doubt; black text keeps a contrast of at least 8:1 on all of it. The square
    # root makes a doubt of one in ten already visible.
    for word, c, label in zip(words, sure, labels):
        # The text colour is fixed with its background, so both themes read alike, and a
        # thicker underline says the same to those who do not see the colour.
        shade = [round(255 - way * math.sqrt(1 - c)) for way in (25, 96, 255)]
        under = f'<br><span style="font-size:65%">{html.escape(label)}</span>' if label else ""
        said = html.escape(f"confidence {c:.2f}" + (f", label {label}" if label else ""))
        cells.append(
            f'<span title="{said}" style="background:rgb{tuple(shade)};color:#111;padding:2px 3px;'
            "margin:1px;display:inline-block;text-align:center;"
            f'border-bottom:{round(6 * (1 - c))}px solid #D55E00">{html.escape(word)}{under}</span>'
        )
    shown = html.escape(text, quote=True)
    page = f'<div role="img" aria-label="{shown}" style="line-height:2.2;font-size:110%">'
    page += f'{"".join(cells)}</div><div style="font-size:85%">{shown}</div>'
    return DoubtMap(text, page)
