"""``python -m press.kernels``: compile the loops of the taggers once, for all who come after.

numba keeps what it compiles beside the source. Chapters and tests run side by side, and each that
finds nothing there would compile the same loops for itself.
"""

from __future__ import annotations

from betterthan.taggers import ALGORITHMS, METHODS, Tagger, encode

WORDS = [["the", "cat", "sat"], ["a", "dog"], ["the", "dog", "sat", "there"]]
LABELS = [["B", "I", "O"], ["B", "I"], ["B", "I", "O", "O"]]
VARIANCES = ("cw", "arow")  # the only ones with which kd_pc can be asked


def compile_all() -> None:
    """Learn, label and ask how sure, with every algorithm and method, on next to nothing."""
    named = [[[f"word={word}"] for word in sentence] for sentence in WORDS]
    valued = [[{"word": word, "length": len(word) / 3} for word in sentence] for sentence in WORDS]
    for X in (named, valued):
        coded = encode(X, LABELS)
        for algorithm in ALGORITHMS:
            tagger = Tagger(algorithm, passes=1, rng=0).fit(coded)
            tagger.margins(X)
            for method in METHODS:
                if method != "kd_pc" or algorithm in VARIANCES:
                    tagger.confidence(X, method, draws=2)


if __name__ == "__main__":
    compile_all()
