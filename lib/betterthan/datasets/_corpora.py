"""Corpora that are downloaded on demand."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from .. import _checks
from .._extras import require
from ..counts import convert
from ..readers import decode
from ..readers.conll import Layout, parse_columns
from ._fetch import fetch
from ._sentence import Sentence

_WNUT_TEST = "wnut17/emerging.test.annotated"
_SYSTEMS = {
    "Arcada": "wnut17/submissions/arcada",
    "Drexel-CCI": "wnut17/submissions/drexel_cci",
    "FLYTXT": "wnut17/submissions/flytxt",
    "MIC-CIS": "wnut17/submissions/mic-cis.txt",
    "SJTU-Adapt": "wnut17/submissions/sjtu_adapt.txt",
    "SpinningBytes": "wnut17/submissions/spinningbytes.txt",
    "UH-RiTUAL": "wnut17/submissions/uh_ritual",
}


def conll2000() -> dict[str, list[Sentence]]:
    """CoNLL-2000 chunking of Wall Street Journal text.

    Returns
    -------
    dict of str to list of Sentence
        "train" (8,936 sentences) and "test" (2,012); `tags` are chunk labels in IOB2, `pos`
        part-of-speech tags.

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(conll2000()["test"])  # doctest: +SKIP
    2012
    """
    (path,) = fetch(["conll2000.zip"])
    return {
        part: _columns(_member(path, f"conll2000/{part}.txt"), f"{path}: {part}.txt", 3)
        for part in ("train", "test")
    }


def conll2002(language: str) -> dict[str, list[Sentence]]:
    """CoNLL-2002 named entities, Spanish or Dutch.

    The labels are IOB2 but for three Spanish sentences (one in each part) that begin an
    entity with I; they are repaired.

    Parameters
    ----------
    language : str
        "es" or "nl".

    Returns
    -------
    dict of str to list of Sentence
        "train", "testa" and "testb"; `tags` are PER, LOC, ORG and MISC in IOB2, `pos`
        part-of-speech tags.

    Raises
    ------
    ValueError
        For another language.
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(conll2002("nl")["testb"])  # doctest: +SKIP
    5195
    """
    prefix = {"es": "esp", "nl": "ned"}[_checks.choice("language", language, ("es", "nl"))]
    (path,) = fetch(["conll2002.zip"])
    return {
        part: _columns(_member(path, f"conll2002/{prefix}.{part}"), f"{path}: {prefix}.{part}", 3)
        for part in ("train", "testa", "testb")
    }


def conll2002_documents() -> dict[str, list[int]]:
    """Which article each Dutch sentence of CoNLL-2002 belongs to.

    Sentences of one article stand and fall together, so a fair split keeps them on one side, and
    a fair test takes them as one of its `groups`. The Spanish files, and CoNLL-2000, do not say
    where an article ends.

    Returns
    -------
    dict of str to list of int
        For "train" (287 articles), "testa" (74) and "testb" (119) the number of the article of
        each sentence of ``conll2002("nl")``, from 1 on in each part.

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(set(conll2002_documents()["testb"]))  # doctest: +SKIP
    119
    """
    (path,) = fetch(["conll2002.zip"])
    found = {}
    for part in ("train", "testa", "testb"):
        source = f"{path}: ned.{part}"
        text = decode(_member(path, f"conll2002/ned.{part}"), source, "utf-8")
        found[part] = [block.document for block in parse_columns(text, source, 3, Layout())]
    return found


def wnut2017() -> dict[str, list[Sentence]]:
    """WNUT-2017: new and rare entities in user-generated text.

    The test part is ``emerging.test.annotated``, the adjudicated gold standard with one
    label for each word. Its neighbour ``emerging.test.conll`` holds the annotators'
    labels before that (several on 297 words, and 831 words labelled otherwise).

    Returns
    -------
    dict of str to list of Sentence
        "train" (3,394), "dev" (1,009) and "test" (1,287 sentences); `tags` are person, location,
        corporation, product, creative-work and group in IOB2; no `pos`.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(wnut2017()["test"])  # doctest: +SKIP
    1287
    """
    files = ("wnut17/wnut17train.conll", "wnut17/emerging.dev.conll", _WNUT_TEST)
    return _parts(("train", "dev", "test"), files, 2)


def wnut2017_systems() -> dict[str, list[tuple[str, ...]]]:
    """What the seven systems of the WNUT-2017 shared task answered on its test part.

    The outputs are matched with the gold standard line by line and sentence by
    sentence; that all of them have its 1,287 sentences of the same lengths is checked.
    Six repeat the words as they are; MIC-CIS gives them as its own preprocessing
    changed them (1,283 of 23,394 words), so words are not compared for it. Entities
    that begin with I (34 times in SpinningBytes, 13 in MIC-CIS) are repaired.

    Returns
    -------
    dict of str to list of tuple
        For each system, in alphabetical order, the labels (IOB2) of each sentence of
        ``wnut2017()["test"]``.

    Raises
    ------
    ValueError
        For an output that does not match the gold standard, with the line.
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> list(wnut2017_systems())[:2]  # doctest: +SKIP
    ['Arcada', 'Drexel-CCI']
    """
    gold_path, *paths = fetch([_WNUT_TEST, *_SYSTEMS.values()])
    gold = _columns(gold_path.read_bytes(), str(gold_path), 2)
    outputs = {}
    for name, path in zip(_SYSTEMS, paths):
        output = _columns(path.read_bytes(), str(path), 2)
        align(gold, output, str(path), same_words=name != "MIC-CIS")
        outputs[name] = [sentence.tags for sentence in output]
    return outputs


def align(
    gold: list[Sentence], output: list[Sentence], source: str, *, same_words: bool = True
) -> None:
    """Refuse an output whose sentences are not those of the gold standard."""
    for number, (right, ours) in enumerate(zip(gold, output), 1):
        if len(right.words) != len(ours.words):
            raise ValueError(
                f"{source}: sentence {number} has {len(ours.words)} words, the gold standard has "
                f"{len(right.words)}; expected the same sentences"
            )
        if same_words and right.words != ours.words:
            word = next(i for i, (a, b) in enumerate(zip(right.words, ours.words)) if a != b)
            raise ValueError(
                f"{source}: sentence {number}, word {word + 1} is {ours.words[word]!r}, in the "
                f"gold standard {right.words[word]!r}; expected the same words"
            )
    if len(gold) != len(output):
        raise ValueError(
            f"{source}: {len(output)} sentences, the gold standard has {len(gold)}; "
            "expected the same number"
        )


def btc() -> dict[str, list[Sentence]]:
    """The Broad Twitter Corpus by its six segments.

    Returns
    -------
    dict of str to list of Sentence
        "a" (UK, general), "b" (UK, not directed), "e" (one disaster), "f" (well-known people), "g"
        (news media) and "h" (outside the UK); `tags` are PER, LOC and ORG in IOB2; no `pos`. Four
        words are empty strings: the files kept a place for a character they could not write.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> list(btc())  # doctest: +SKIP
    ['a', 'b', 'e', 'f', 'g', 'h']
    """
    files = [*(f"BTC/{segment}.conll" for segment in "abefgh"), "BTC/LICENSE"]
    return _parts("abefgh", files, 2, empty_words=True)


def wikigold() -> list[Sentence]:
    """wikigold: named entities in English Wikipedia, written in IOB2 (the file has IOB1).

    Returns
    -------
    list of Sentence
        1,696 sentences; `tags` are PER, LOC, ORG and MISC in IOB2; no `pos`.

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(wikigold())  # doctest: +SKIP
    1696
    """
    path, _ = fetch(["wikigold/wikigold.conll.txt", "wikigold/LICENSE"])
    return _columns(path.read_bytes(), str(path), 2, scheme="IOB1")


def anem() -> dict[str, list[Sentence]]:
    """AnEM: anatomical entities in biomedical text.

    Returns
    -------
    dict of str to list of Sentence
        "train" (2,815) and "test" (1,882 sentences); `tags` are eleven anatomical classes in IOB2;
        no `pos`. The two columns of character offsets are left out.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(anem()["test"])  # doctest: +SKIP
    1882
    """
    files = ("AnEM/AnEM.train", "AnEM/AnEM.test", "AnEM/LICENSE")
    return _parts(("train", "test"), files, 4, pos=None)


def gum() -> dict[str, list[Sentence]]:
    """GUM: entities of eleven classes, named or not, in English wiki text.

    Returns
    -------
    dict of str to list of Sentence
        "train" (2,495) and "test" (1,000 sentences); `tags` in IOB2; no `pos`.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(gum()["test"])  # doctest: +SKIP
    1000
    """
    files = ("GUM/gum-train.conll", "GUM/gum-test.conll", "GUM/LICENSE.txt")
    return _parts(("train", "test"), files, 2)


def sighan2005(corpus: str) -> list[tuple[str, ...]]:
    """The segmented test text of the SIGHAN 2005 bakeoff.

    Parameters
    ----------
    corpus : str
        "pku" (1,944 lines, 104,372 words) or "msr" (3,985 lines, 106,873 words).

    Returns
    -------
    list of tuple
        The words of each line that is not empty.

    Raises
    ------
    ValueError
        For another corpus.
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> sum(map(len, sighan2005("pku")))  # doctest: +SKIP
    104372
    """
    _checks.choice("corpus", corpus, ("pku", "msr"))
    (path,) = fetch([f"icwb2/{corpus}_test_gold.utf8"])
    lines = decode(path.read_bytes(), str(path), "utf-8").split("\n")
    return [tuple(line.split()) for line in lines if line.strip()]


def sighan2005_words() -> frozenset[str]:
    """The words of the PKU training text of the SIGHAN 2005 bakeoff (55,303).

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(sighan2005_words())  # doctest: +SKIP
    55303
    """
    (path,) = fetch(["icwb2/pku_training_words.utf8"])
    return frozenset(decode(path.read_bytes(), str(path), "utf-8").split())


def krenn_ppv() -> pd.DataFrame:
    """Krenn's German preposition-phrase and verb pairs, the data of Evert (2004).

    Returns
    -------
    DataFrame
        5,102 pairs that occur at least 30 times, with the columns of the R package corpora: ``PP``,
        ``verb``; ``is.colloc`` (566 true), ``is.SVC``, ``is.figur``; ``freq`` and the rounded
        scores ``MI``, ``Dice``, ``z.score``, ``t.score``, ``chisq``, ``chisq.corr``, ``log.like``,
        ``Fisher``.

    Raises
    ------
    ModuleNotFoundError
        If the package rdata is not installed.
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> int(krenn_ppv()["is.colloc"].sum())  # doctest: +SKIP
    566
    """
    (path,) = fetch(["KrennPPV.rda"])
    return _krenn(path).copy()


@cache
def _krenn(path: Path) -> pd.DataFrame:
    rdata = require("rdata", extra="corpora", what="Reading KrennPPV.rda")
    frame = rdata.read_rda(path)["KrennPPV"].reset_index(drop=True)
    # R's columns may hold NA and so arrive in pandas' nullable types; these hold none.
    plain = {"boolean": bool, "Int32": int}
    return frame.astype({c: plain[str(t)] for c, t in frame.dtypes.items() if str(t) in plain})


# A mark is [+2], [-1], [+] and the like; a few are misprinted with braces or a bracket missing.
_OPINION = re.compile(r"[\[{]?([+-])([1-3]?)[\]}\[]")
_MARKS = re.compile(r"(?:[^#\[]*\[[^\]]*\])*")


def product_reviews() -> pd.DataFrame:
    """Sentences of customer reviews with the opinions they hold on features of 14 products.

    Misprinted marks are read where the sign is there (``design{+3]``); marks without a
    sign (``look[2]``, eight of them) are left out.

    Returns
    -------
    DataFrame
        A row for each sentence: ``product``; ``review``, its number within the product (0 where the
        file does not say where reviews begin); ``title``, whether it is the heading; ``text``;
        ``opinions``, a tuple of (feature, strength from -3 to 3); and ``polarity``: 1, -1, or 0
        where there are none or they cancel out.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> product_reviews()["product"].nunique()  # doctest: +SKIP
    14
    """
    rows: list[dict[str, object]] = []
    for path in fetch(["product_reviews_1.zip", "product_reviews_2.zip"]):
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".txt") and "README" not in name:
                    text = decode(archive.read(name), f"{path}: {name}", "utf-8")
                    rows += _reviews(Path(name).stem.replace("_", " "), text)
    return pd.DataFrame(rows)


def _reviews(product: str, text: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    review = 0
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("*"):
            continue
        title = line.startswith("[t]")
        if title:
            review += 1
            marks, sentence = "", line[3:]
        else:
            marks, sentence = _marks_and_text(line)
        opinions = tuple(_opinions(marks))
        total = sum(strength for _, strength in opinions)
        rows.append(
            {
                "product": product,
                "review": review,
                "title": title,
                "text": sentence.strip(),
                "opinions": opinions,
                "polarity": (total > 0) - (total < 0),
            }
        )
    return rows


def _marks_and_text(line: str) -> tuple[str, str]:
    marks, hashes, text = line.partition("##")
    if hashes:
        return marks, text
    # Some lines have one # or none between the marks and the sentence.
    found = _MARKS.match(line)
    end = found.end() if found else 0
    return line[:end], line[end:].lstrip().removeprefix("#")


def _opinions(marks: str) -> list[tuple[str, int]]:
    found = []
    for part in marks.split(","):
        match = _OPINION.search(part)
        if match:
            strength = int(match[2] or 1)
            found.append(
                (part[: match.start()].strip(), strength if match[1] == "+" else -strength)
            )
    return found


def _parts(
    names: Iterable[str], files: Iterable[str], width: int, **options: Any
) -> dict[str, list[Sentence]]:
    """A file for each name; files beyond the names, such as a licence, are only fetched."""
    return {
        name: _columns(path.read_bytes(), str(path), width, **options)
        for name, path in zip(names, fetch(files))
    }


def _columns(
    data: bytes,
    source: str,
    width: int,
    *,
    scheme: str = "IOB2",
    pos: int | None = 1,
    empty_words: bool = False,
) -> list[Sentence]:
    sentences = []
    for block in parse_columns(
        decode(data, source, "utf-8"), source, width, Layout(empty_words=empty_words)
    ):
        columns = list(zip(*block.rows))
        labels = convert(columns[-1], scheme, "IOB2")
        parts_of_speech = None if pos is None or width <= 2 else columns[pos]
        sentences.append(Sentence(columns[0], labels, parts_of_speech))
    return sentences


def _member(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)
