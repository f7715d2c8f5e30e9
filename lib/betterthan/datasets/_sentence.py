"""What a corpus is made of."""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """A sentence of a corpus.

    Attributes:
        words: the words, or the characters where the unit is the character.
        tags: for each its gold label: a part-of-speech tag, or an entity or chunk label.
        pos: for each its part of speech, or None where the corpus has none.

    >>> Sentence(("Ann", "left"), ("B-PER", "O"), None).tags
    ('B-PER', 'O')
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    pos: tuple[str, ...] | None = None
