"""A committee of weak taggers that grades words (Qian, Qiu and Huang 2016, section 4).

Segmenters read a corpus once: characters become numbers, and every feature of the three
templates is a number made of them, so that a member's training data is a selection of rows
and a hundred members cost little more than their training. The learner is
`betterthan.sequences.Tagger`, fed with the arrays it would have made from feature strings;
a test holds the two ways equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from betterthan import _checks
from betterthan import _psychometrics_core as core
from betterthan._features import chunk_features, ner_features
from betterthan._sequences_index import Encoded
from betterthan.sequences import Tagger
from betterthan.tags import to_spans

# Windows of the three templates of Table 1, in the order in which `segmentation_features`
# lists them: single characters, pairs, triples.
_SLOTS = [(-2, -2), (-1, -1), (0, 0), (1, 1), (2, 2)]
_SLOTS += [(-2, -1), (-1, 0), (0, 1), (1, 2), (-2, 0), (-1, 1), (0, 2)]
_COLUMNS = {"F1": [1, 2, 3, 6, 7], "F2": list(range(9)), "F3": list(range(12))}
_SPAN_FEATURES = {"words": chunk_features, "spelling": ner_features}
_TEMPLATES = {"segmentation": tuple(_COLUMNS), "spans": tuple(_SPAN_FEATURES)}
_LABELS = ("B", "E", "M", "S")  # sorted, as the tagger sorts them


@dataclass(frozen=True)
class _Segmenter:
    """A trained member: the weights of the features that have any, and the transitions."""

    rows: np.ndarray  # numbers of those features, increasing
    weights: np.ndarray  # one more row, of zeros, for all the others; then the transitions
    labels: np.ndarray  # positions in _LABELS


@dataclass(frozen=True)
class _Text:
    """Characters of a corpus as the members see them."""

    features: np.ndarray  # (characters, 12) feature numbers
    sentence_ptr: np.ndarray
    items: core.Items


class Committee:
    """K weak taggers, each with a random template and a random sample of the training data.

    Parameters
    ----------
    size : int
        How many members. The first k members of a larger committee are the committee of k.
    seed : int
        Every member draws from its own child of this seed, so the committee does not depend
        on `n_jobs`.
    n_jobs : int, optional
        Processes for training and marking, as joblib counts them.
    task : {"segmentation", "spans"}
        Whether sentences are lists of words to be found in unsegmented text, or tokens with
        IOB2 labels.
    templates : sequence of str, optional
        What members draw their features from. Segmentation: "F1", "F2", "F3" (the paper's
        Table 1). Spans: "words" (a window of words), "spelling" (the same and the spelling).
    samples : sequence of float
        What members draw their share of the training sentences from.
    algorithm, passes
        Of :class:`betterthan.sequences.Tagger`.

    Attributes
    ----------
    members_ : DataFrame
        Template, share and number of sentences of each member.

    Examples
    --------
    >>> train = [["他", "喜欢", "白", "纸"], ["物质", "是", "白", "的"], ["我们", "喜欢", "物质"]]
    >>> committee = Committee(size=5, samples=(0.4, 0.7), seed=1).fit(train)
    >>> [d.round(1).tolist() for d in committee.difficulty([["我们", "喜欢", "白", "物质"]])]
    [[0.8, 0.2, 0.0, 0.6]]
    """

    def __init__(
        self,
        size: int = 100,
        seed: int = 0,
        n_jobs: int | None = None,
        *,
        task: str = "segmentation",
        templates: Sequence[str] | None = None,
        samples: Sequence[float] = (0.1, 0.2, 0.3),
        algorithm: str = "arow",
        passes: int = 5,
    ) -> None:
        self.size = _checks.whole("size", size)
        self.seed = _checks.whole("seed", seed, 0)
        self.n_jobs = n_jobs
        self.task = _checks.choice("task", task, tuple(_TEMPLATES))
        self.templates = tuple(_TEMPLATES[task] if templates is None else templates)
        for template in self.templates:
            _checks.choice("templates", template, _TEMPLATES[task])
        self.samples = tuple(_checks.real("samples", s, 0, 1, closed="high") for s in samples)
        if not self.templates or not self.samples:
            raise ValueError("templates, samples: expected at least one of each, got none")
        self.algorithm = algorithm
        self.passes = passes
        Tagger(algorithm, passes)  # refuses what it does not know, before hours of work
        self._members: list[Any] | None = None

    def __repr__(self) -> str:
        return (
            f"Committee(size={self.size}, seed={self.seed}, task={self.task!r}, templates="
            f"{self.templates}, samples={self.samples}, algorithm={self.algorithm!r}, "
            f"passes={self.passes})"
        )

    def fit(self, sentences: Any, progress: bool = False) -> Committee:
        """Train the members.

        Parameters
        ----------
        sentences
            Segmentation: lists of words. Spans: (tokens, IOB2 labels) pairs, for example
            `datasets.Sentence`.
        progress
            Show a bar.

        Raises
        ------
        ValueError
            For no sentences, an empty sentence or word, or tokens and labels of different number.
        """
        plan = [self._draw(seed, len(sentences)) for seed in self._seeds()]
        self.members_ = pd.DataFrame(
            [(template, share, len(rows)) for template, share, rows, _ in plan],
            columns=["template", "sample", "sentences"],
        )
        if self.task == "segmentation":
            items = core.encode("sentences", sentences, "words")
            _no_empty("sentences", items.sizes)
            self._alphabet = _Alphabet(items)
            text = self._alphabet.read(items)
            labels = _bmes(items)
            jobs = [
                delayed(_train_segmenter)(
                    text.features, text.sentence_ptr, labels, template, rows,
                    self._alphabet.size, self.algorithm, self.passes, seed,
                )
                for template, _, rows, seed in plan
            ]  # fmt: skip
        else:
            tokens, labels = _labelled(sentences)
            features = self._span_features(tokens)
            jobs = [
                delayed(_train_tagger)(
                    [features[template][i] for i in rows], [labels[i] for i in rows],
                    self.algorithm, self.passes, seed,
                )
                for template, _, rows, seed in plan
            ]  # fmt: skip
        self._members = self._run(jobs, progress)
        return self

    def predict(self, sentences: Any) -> list[list[Any]]:
        """What each member makes of each sentence: `predict(…)[k][s]`, words or spans.

        Segmentation takes lists of words too, and looks only at their characters.
        """
        self._check_fitted()
        if self.task == "spans":
            tokens = [_tokens(s, sentence) for s, sentence in enumerate(sentences)]
            features = self._span_features(tokens)
            jobs = [
                delayed(_spans)(member, features[template])
                for member, template in zip(self._members, self.members_["template"])
            ]
            return self._run(jobs)
        text = self._read(sentences)
        jobs = [
            delayed(_begins)(member, text.features, text.sentence_ptr, self._alphabet.size)
            for member in self._members
        ]
        return [_cut(text, begins) for begins in self._run(jobs)]

    def marks(self, sentences: Any) -> np.ndarray:
        """The table of marks: one row a member, one column a gold word (or span), 1 is right.

        `sentences` are as in :meth:`fit`; their words, or labels, are the gold standard.
        """
        self._check_fitted()
        if self.task == "spans":
            gold = core.encode_gold(_gold_spans(sentences), "sentences", "spans")
            return np.stack(
                [
                    core.member_marks(gold, f"member {k}", member).astype(np.int8)
                    for k, member in enumerate(self.predict(sentences))
                ]
            )
        text = self._read(sentences)
        jobs = [
            delayed(_mark)(
                member, text.features, text.sentence_ptr, self._alphabet.size,
                text.items.start, text.items.end,
            )
            for member in self._members
        ]  # fmt: skip
        return np.stack(self._run(jobs))

    def difficulty(self, sentences: Any) -> list[np.ndarray]:
        """How hard each word (or span) of the gold standard `sentences` is, Eq. (5).

        One array a sentence: the share of the members that get the word wrong.

        Raises
        ------
        ValueError
            Before `fit`, or for sentences that `fit` would refuse.
        """
        wrong = 1.0 - self.marks(sentences).mean(axis=0)
        if self.task == "spans":
            sizes = [len(spans) for spans in _gold_spans(sentences)]
        else:
            sizes = [len(core.row("sentences", s, words)) for s, words in enumerate(sentences)]
        return np.split(wrong, np.cumsum(sizes)[:-1])

    def _seeds(self) -> list[np.random.SeedSequence]:
        return np.random.SeedSequence(self.seed).spawn(self.size)

    def _draw(
        self, seed: np.random.SeedSequence, available: int
    ) -> tuple[str, float, np.ndarray, int]:
        if not available:
            raise ValueError("sentences: expected at least one sentence, got none")
        rng = np.random.default_rng(seed)
        template = self.templates[rng.integers(len(self.templates))]
        share = self.samples[rng.integers(len(self.samples))]
        count = max(1, round(share * available))
        rows = np.sort(rng.choice(available, count, replace=False))
        return template, share, rows, int(rng.integers(2**31))

    def _run(self, jobs: Iterable[Any], progress: bool = False) -> list[Any]:
        jobs = list(jobs)
        results = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        if progress:
            from tqdm.auto import tqdm

            results = tqdm(results, total=len(jobs), desc="committee", unit="member")
        return list(results)

    def _span_features(self, tokens: list[Sequence[str]]) -> dict[str, list[Any]]:
        """Feature lists by template, made once for all members that use it."""
        return {
            template: [_SPAN_FEATURES[template](sentence) for sentence in tokens]
            for template in self.members_["template"].unique()
        }

    def _check_fitted(self) -> None:
        if self._members is None:
            raise ValueError("this Committee has not learned anything yet: call fit first")

    def _read(self, sentences: Any) -> _Text:
        items = core.encode("sentences", sentences, "words")
        _no_empty("sentences", items.sizes)
        return self._alphabet.read(items)


class _Alphabet:
    """Numbers for the characters of a training corpus, their pairs and triples.

    A feature is a slot of the template and what stands there. Slots of the same length share
    one numbering, so that every stretch of text is looked up once, not once a slot.
    """

    def __init__(self, items: core.Items) -> None:
        characters = np.unique(_code_points(items.texts))
        self._code = np.full(0x110000, characters.size + 2, np.int64)  # the last: unknown
        self._code[characters] = np.arange(2, characters.size + 2)
        self._base = characters.size + 3
        grams, _, _ = self._grams(items)
        self._known = [_distinct(gram) for gram in grams]
        sizes = [self._known[last - first].size for first, last in _SLOTS]
        self._first = np.concatenate([[0], np.cumsum(sizes)])

    @property
    def size(self) -> int:
        """How many features there are; this number itself stands for an unknown one."""
        return int(self._first[-1])

    def _grams(self, items: core.Items) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Characters, pairs and triples of the padded text, and where its characters stand."""
        lengths = np.fromiter(map(len, items.texts), np.int64, len(items.texts))
        place = np.arange(lengths.sum()) + 2 + 4 * np.repeat(np.arange(lengths.size), lengths)
        padded = np.ones(place.size + 4 * lengths.size, np.int64)  # 1 after a sentence
        before = np.cumsum(lengths + 4) - (lengths + 4)
        padded[before] = padded[before + 1] = 0  # 0 before it
        padded[place] = self._code[_code_points(items.texts)]
        pairs = padded[:-1] * self._base + padded[1:]
        return [padded, pairs, pairs[:-1] * self._base + padded[2:]], place, lengths

    def read(self, items: core.Items) -> _Text:
        """The features of every character, unknown ones as `size`."""
        grams, place, lengths = self._grams(items)
        numbers = []
        for gram, known in zip(grams, self._known):
            at = np.minimum(np.searchsorted(known, gram), known.size - 1)
            numbers.append(np.where(known[at] == gram, at, -1))
        features = np.empty((place.size, len(_SLOTS)), np.uint32)
        for column, (first, last) in enumerate(_SLOTS):
            number = numbers[last - first][place + first]
            features[:, column] = np.where(number < 0, self.size, number + self._first[column])
        return _Text(features, np.concatenate([[0], np.cumsum(lengths)]), items)


def _distinct(values: np.ndarray) -> np.ndarray:
    # np.unique hashes integers, which is several times slower here than sorting them.
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])]


def _code_points(texts: list[str]) -> np.ndarray:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)


def _bmes(items: core.Items) -> np.ndarray:
    """The BMES label of every character, as positions in _LABELS."""
    first = np.zeros(int(items.end[-1]), bool)
    last = first.copy()
    first[items.start] = True
    last[items.end - 1] = True
    return np.select([first & last, first, last], [3, 0, 1], 2).astype(np.int32)


def _train_segmenter(
    features: np.ndarray,
    sentence_ptr: np.ndarray,
    labels: np.ndarray,
    template: str,
    rows: np.ndarray,
    vocabulary: int,
    algorithm: str,
    passes: int,
    seed: int,
) -> _Segmenter:
    lengths = np.diff(sentence_ptr)[rows]
    ends = np.cumsum(lengths)
    characters = np.arange(ends[-1]) + np.repeat(sentence_ptr[rows] - (ends - lengths), lengths)
    columns = _COLUMNS[template]
    numbers = features[characters][:, columns]
    # Number the sample's own features, so that the weights take no room for the others.
    present = np.zeros(vocabulary, bool)
    present[numbers.ravel()] = True
    own = np.flatnonzero(present)
    local = np.zeros(vocabulary, np.uint32)
    local[own] = np.arange(own.size, dtype=np.uint32)
    kinds, gold = np.unique(labels[characters], return_inverse=True)
    tagger = Tagger(algorithm, passes, seed=seed)
    tagger.labels_ = tuple(_LABELS[kind] for kind in kinds)
    tagger._vocabulary = range(own.size)
    data = Encoded(
        np.ascontiguousarray(local[numbers].ravel()),
        np.empty(0),
        np.arange(0, numbers.size + 1, len(columns), dtype=np.int64),
        np.concatenate([[0], ends]),
    )
    tagger._train(data, gold.astype(np.int32), False)
    emissions, transitions = tagger._means[: own.size], tagger._means[own.size :]
    useful = np.flatnonzero(emissions.any(axis=(1, 2)))
    nothing = np.zeros((1, *emissions.shape[1:]), emissions.dtype)
    weights = np.concatenate([emissions[useful], nothing, transitions])
    return _Segmenter(own[useful].astype(np.uint32), weights, kinds.astype(np.int32))


def _begins(
    member: _Segmenter, features: np.ndarray, sentence_ptr: np.ndarray, vocabulary: int
) -> np.ndarray:
    """Where words begin, by this member: a mask over the characters.

    Labels that break the rules of BMES are read by the rule of `betterthan.tags`: a word begins
    at B or S and after E or S.
    """
    from betterthan import _sequences_kernels as kernels

    table = np.full(vocabulary + 1, member.rows.size, np.uint32)
    table[member.rows] = np.arange(member.rows.size, dtype=np.uint32)
    numbers = table[features].ravel()
    width = features.shape[1]
    path = np.empty(len(features), np.int32)
    kernels.decode(
        member.weights, member.labels.size, numbers, np.empty(0),
        np.arange(0, numbers.size + 1, width, dtype=np.int64), sentence_ptr, path,
    )  # fmt: skip
    label = member.labels[path]
    closes = (label == 1) | (label == 3)
    begins = (label == 0) | (label == 3)
    begins[1:] |= closes[:-1]
    begins[sentence_ptr[:-1]] = True
    return begins


def _mark(
    member: _Segmenter,
    features: np.ndarray,
    sentence_ptr: np.ndarray,
    vocabulary: int,
    start: np.ndarray,
    end: np.ndarray,
) -> np.ndarray:
    begins = np.append(_begins(member, features, sentence_ptr, vocabulary), True)
    upto = np.cumsum(begins)
    return (begins[start] & begins[end] & (upto[end - 1] == upto[start])).astype(np.int8)


def _cut(text: _Text, begins: np.ndarray) -> list[list[str]]:
    starts = np.flatnonzero(begins)
    bounds = np.searchsorted(starts, text.sentence_ptr)
    sentences = []
    for s, characters in enumerate(text.items.texts):
        cuts = (starts[bounds[s] : bounds[s + 1]] - text.sentence_ptr[s]).tolist()
        sentences.append([characters[a:b] for a, b in zip(cuts, [*cuts[1:], len(characters)])])
    return sentences


def _train_tagger(
    features: list[Any], labels: list[Sequence[str]], algorithm: str, passes: int, seed: int
) -> Tagger:
    return Tagger(algorithm, passes, seed=seed).fit(features, labels)


def _spans(tagger: Tagger, features: list[Any]) -> list[list[Any]]:
    return [to_spans(labels) for labels in tagger.predict(features)]


def _tokens(s: int, sentence: Any) -> Sequence[str]:
    try:
        tokens, *_ = sentence
    except (TypeError, ValueError):
        tokens = ""
    if isinstance(tokens, str):
        raise ValueError(
            f"sentences[{s}]={sentence!r:.60}: expected a pair of tokens and IOB2 labels"
        )
    return tokens


def _labelled(sentences: Any) -> tuple[list[Sequence[str]], list[Sequence[str]]]:
    tokens = [_tokens(s, sentence) for s, sentence in enumerate(sentences)]
    labels = []
    for s, sentence in enumerate(sentences):
        if len(sentence) < 2 or len(sentence[1]) != len(tokens[s]):
            raise ValueError(f"sentences[{s}]: expected one label a token, {len(tokens[s])}")
        labels.append(sentence[1])
    return tokens, labels


def _gold_spans(sentences: Any) -> list[list[Any]]:
    return [to_spans(labels) for labels in _labelled(sentences)[1]]


def _no_empty(name: str, sizes: np.ndarray) -> None:
    if not sizes.size:
        raise ValueError(f"{name}: expected at least one sentence, got none")
    empty = np.flatnonzero(sizes == 0)
    if empty.size:
        raise ValueError(f"{name}[{empty[0]}]: expected at least one word, got an empty sentence")
