"""What a corpus is made of."""

from __future__ import annotations

from typing import NamedTuple


class Sentence(NamedTuple):
    """A sentence of a corpus.

    Attributes
    ----------
    words : tuple of str
        The words, or the characters where the unit is the character.
    tags : tuple of str
        For each its gold label: a part-of-speech tag, or an entity or chunk label.
    pos : tuple of str, optional
        For each its part of speech, or None where the corpus has none.

    Examples
    --------
    >>> Sentence(("Ann", "left"), ("B-PER", "O"), None).tags
    ('B-PER', 'O')
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    pos: tuple[str, ...] | None = None
