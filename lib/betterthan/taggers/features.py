"""Feature strings for segmentation, chunking and entity recognition.

Each extractor takes one sentence and returns, for each token, the list of feature strings
that :class:`betterthan.taggers.Tagger`, python-crfsuite and sklearn-crfsuite all take.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from betterthan import _checks
from betterthan.errors import InputError

_BEFORE, _AFTER = "<s>", "</s>"

TEMPLATES = ("F1", "F2", "F3")


def segmentation_features(characters: Sequence[str], template: str = "F2") -> list[list[str]]:
    """Features of each character of one sentence, for word segmentation.

    The templates of Qian et al. (2016), Table 1; the transition feature T-1,0 that all three
    contain is the learner's own.

    - ``"F1"``: characters -1 … 1 and the two pairs around the current one,
    - ``"F2"``: characters -2 … 2 and the four pairs in that window,
    - ``"F3"``: F2 and the three triples in that window.

    Parameters
    ----------
    characters
        One sentence: a string, or a list of characters.
    template
        ``"F1"``, ``"F2"`` or ``"F3"``.

    Returns
    -------
    list of list of str
        The features of each character.

    Raises
    ------
    ValueError
        For an unknown template, an empty sentence or an element that is no string.

    Examples
    --------
    >>> segmentation_features("迈向充满", "F1")[0]
    ['-1=<s>', '0=迈', '1=向', '-1:0=<s>迈', '0:1=迈向']
    """
    _checks.choice("template", template, TEMPLATES)
    c = _tokens("characters", characters)
    out = []
    for a, b, x, d, e in zip(*shifted(c)):
        if template == "F1":
            out.append([f"-1={b}", f"0={x}", f"1={d}", f"-1:0={b}{x}", f"0:1={x}{d}"])
            continue
        token = [f"-2={a}", f"-1={b}", f"0={x}", f"1={d}", f"2={e}"]
        token += [f"-2:-1={a}{b}", f"-1:0={b}{x}", f"0:1={x}{d}", f"1:2={d}{e}"]
        if template == "F3":
            token += [f"-2:0={a}{b}{x}", f"-1:1={b}{x}{d}", f"0:2={x}{d}{e}"]
        out.append(token)
    return out


def chunk_features(words: Sequence[str], pos: Sequence[str] | None = None) -> list[list[str]]:
    """Features of each word of one sentence, for chunking.

    The observations of Sha and Pereira (2003), Table 1: words -2 … 2, the two word pairs
    around the current one, and part-of-speech tags -2 … 2 with their pairs and triples in
    that window. Their model looks at two previous labels and ours at one; what that loses
    is made good by the shape of the word, its suffixes of two to four letters, the word in
    lower case, and pairs of a word with a neighbouring tag. (Chosen on training data.)

    Parameters
    ----------
    words
        The words of one sentence.
    pos
        Their part-of-speech tags; None leaves the tag features out.

    Returns
    -------
    list of list of str
        The features of each word.

    Raises
    ------
    ValueError
        For an empty sentence, unequal lengths or an element that is no string.

    Examples
    --------
    >>> chunk_features(["He", "reckons"], ["PRP", "VBZ"])[0][:7]
    ['bias', 'w-2=<s>', 'w-1=<s>', 'w0=He', 'w1=reckons', 'w2=</s>', 'w-1:0=<s>|He']
    """
    w = _tokens("words", words)
    out = _word_window(w)
    for token, word in zip(out, w):
        token += [f"shape0={shape(word)}", f"lower={word.lower()}"]
        token += [f"suf{n}={word[-n:]}" for n in (2, 3, 4) if len(word) > n]
    if pos is not None:
        _tags(out, w, pos)
        _, before, _, after, _ = shifted(w)
        _, tag_before, tag, tag_after, _ = shifted(pos)
        around = zip(out, before, w, after, tag_before, tag, tag_after)
        for token, a, word, b, ta, t, tb in around:
            token += [f"w-1t0={a}|{t}", f"w0t-1={word}|{ta}", f"w0t1={word}|{tb}", f"w1t0={b}|{t}"]
    return out


def ner_features(words: Sequence[str], pos: Sequence[str] | None = None) -> list[list[str]]:
    """Features of each word of one sentence, for named-entity recognition.

    The window of :func:`chunk_features`, and what a name shows by its spelling: prefixes and
    suffixes of one to four letters, the shape (``Madrid-1`` is ``Xx-d``) in the same window,
    the word in lower case, and whether it holds a digit or a hyphen.

    Parameters
    ----------
    words
        The words of one sentence.
    pos
        Their part-of-speech tags; None leaves the tag features out.

    Returns
    -------
    list of list of str
        The features of each word.

    Raises
    ------
    ValueError
        For an empty sentence, unequal lengths or an element that is no string.

    Examples
    --------
    >>> features = ner_features(["De", "Sint-Niklaas"])[1]
    >>> [f for f in features if f.startswith(("shape", "suf", "has"))]  # doctest: +ELLIPSIS
    ['shape-2=<s>', 'shape-1=Xx', 'shape0=Xx-Xx', ..., 'suf3=aas', 'suf4=laas', 'has=hyphen']
    """
    w = _tokens("words", words)
    out = _word_window(w)
    for token, word, (a, b, x, d, e) in zip(out, w, zip(*shifted([shape(v) for v in w]))):
        token += [f"shape-2={a}", f"shape-1={b}", f"shape0={x}", f"shape1={d}", f"shape2={e}"]
        token += [f"shape-1:0={b}|{x}", f"shape0:1={x}|{d}", f"shape-1:1={b}|{x}|{d}"]
        token.append(f"lower={word.lower()}")
        for n in range(1, min(4, len(word)) + 1):
            token += [f"pre{n}={word[:n]}", f"suf{n}={word[-n:]}"]
        if any(letter.isdigit() for letter in word):
            token.append("has=digit")
        if "-" in word:
            token.append("has=hyphen")
    if pos is not None:
        _tags(out, words, pos)
    return out


def shape(word: str) -> str:
    """The shape of a word: X, x and d for runs of capitals, small letters and digits.

    Examples
    --------
    >>> shape("Madrid-1"), shape("EFE"), shape("1.250")
    ('Xx-d', 'X', 'd.d')
    """
    kinds = "".join(
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word
    )
    return re.sub(r"(.)\1+", r"\1", kinds)


def shifted(tokens: Sequence[str]) -> tuple[list[str], ...]:
    """The tokens shifted by -2 … 2, padded at the ends of the sentence.

    Examples
    --------
    >>> shifted("ab")[1:4]
    (['<s>', 'a'], ['a', 'b'], ['b', '</s>'])
    """
    t = list(tokens)
    n = len(t)
    padded = [_BEFORE, _BEFORE, *t, _AFTER, _AFTER]
    return tuple(padded[k : k + n] for k in range(5))


def _word_window(words: list[str]) -> list[list[str]]:
    out = []
    for a, b, x, d, e in zip(*shifted(words)):
        token = ["bias", f"w-2={a}", f"w-1={b}", f"w0={x}", f"w1={d}", f"w2={e}"]
        token += [f"w-1:0={b}|{x}", f"w0:1={x}|{d}"]
        out.append(token)
    return out


def _tags(out: list[list[str]], words: Sequence[str], pos: Sequence[str]) -> None:
    tags = _tokens("pos", pos)
    _checks.same_length(words=words, pos=tags)
    for token, (a, b, x, d, e) in zip(out, zip(*shifted(tags))):
        token += [f"t-2={a}", f"t-1={b}", f"t0={x}", f"t1={d}", f"t2={e}"]
        token += [f"t-2:-1={a}|{b}", f"t-1:0={b}|{x}", f"t0:1={x}|{d}", f"t1:2={d}|{e}"]
        token += [f"t-2:0={a}|{b}|{x}", f"t-1:1={b}|{x}|{d}", f"t0:2={x}|{d}|{e}"]


def _tokens(name: str, tokens: Sequence[str]) -> list[str]:
    tokens = list(tokens)
    if not tokens:
        expected = "a sentence of at least one token, got an empty one"
        raise InputError(name, expected=expected)
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise InputError(name, expected=f"strings, but {name}[{i}] is {token!r:.60}")
    return tokens
