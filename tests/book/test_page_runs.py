"""Shared runs, ratios and every note: the page says what the command line says, to the letter."""

from __future__ import annotations

import numpy as np
import pytest

from .test_browser import browser, pytestmark
from .test_contract_page import command_line, page

__all__ = ["browser", "page", "pytestmark"]


def csv(**columns) -> str:
    rows = zip(*columns.values())
    return "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"


def long_table(runs: int, *, backwards: bool = False) -> str:
    """Items × models × templates; the second model may have its templates the other way round."""
    rng = np.random.default_rng(runs)
    hard, easy = rng.normal(size=40), rng.normal(size=runs)
    lines = ["item,model,template,score"]
    for model, gain in (("old", 0.0), ("new", 0.8)):
        names = [*range(runs)][:: -1 if backwards and gain else 1]
        for r in names:
            right = rng.logistic(size=40) < 0.5 + gain + hard + easy[r]
            lines += [f"q{i},{model},t{r},{int(hit)}" for i, hit in enumerate(right)]
    return "\n".join(lines) + "\n"


def seconds(n: int = 60) -> str:
    rng = np.random.default_rng(5)
    hard = rng.lognormal(1, 1, n)
    old, new = (hard * faster * rng.lognormal(0, 0.4, n) for faster in (1.0, 0.8))
    return csv(item=[f"q{i}" for i in range(n)], old=old.round(3), new=new.round(3))


def ordered() -> str:
    """Both better in blocks of twenty, which no column says."""
    rng = np.random.default_rng(6)
    block = np.repeat(rng.normal(size=30), 20)
    old = rng.logistic(size=600) < 0.5
    return csv(old=old.astype(int), new=(rng.logistic(size=600) < 0.5 + 2 * block).astype(int))


def strangers(kind: str) -> str:
    """Two systems that hardly go together."""
    rng = np.random.default_rng(7)
    if kind == "right or wrong":
        return csv(old=rng.integers(0, 2, 900), new=rng.integers(0, 2, 900))
    return csv(old=rng.random(400).round(4), new=rng.random(400).round(4))


def classes() -> str:
    rng = np.random.default_rng(8)
    gold = rng.choice(["a", "b", "c"], 90, p=[0.6, 0.37, 0.03])
    said = [np.where(rng.random(90) < p, gold, rng.choice(["a", "b", "c"], 90)) for p in (0.6, 0.8)]
    return csv(item=[f"q{i}" for i in range(90)], gold=gold, old=said[0], new=said[1])


def skewed() -> str:
    rng = np.random.default_rng(9)
    old = rng.random(40).round(3)
    new = (old + rng.lognormal(0, 2, 40)).round(3)
    return csv(item=[f"q{i}" for i in range(40)], old=old, new=new)


def with_missing() -> dict[str, str]:
    """The new system has no answer where the old one was mostly wrong."""
    rng = np.random.default_rng(10)
    right = rng.random(200) < 0.8
    kept = right | (rng.random(200) < 0.3)
    ids = np.array([f"q{i}" for i in range(200)])
    new = (rng.random(200) < 0.8).astype(int)
    return {
        "old.csv": csv(item=ids, score=right.astype(int)),
        "new.csv": csv(item=ids[kept], score=new[kept]),
    }


def uneven() -> str:
    rng = np.random.default_rng(11)
    document = ["big"] * 150 + [f"d{i}" for i in range(30)]
    old, new = rng.integers(0, 2, (2, 180))
    return csv(item=[f"q{i}" for i in range(180)], document=document, old=old, new=new)


CASES = {
    "the same runs": ({"t.csv": long_table(5)}, {}, "the same 5 runs for both"),
    "in another order": ({"t.csv": long_table(4, backwards=True)}, {}, "the same 4 runs"),
    "said to be separate": ({"t.csv": long_table(5)}, {"shared_runs": False}, ", 5 and 5 runs"),
    "two runs": ({"t.csv": long_table(2)}, {}, "too few to pair"),
    "a ratio": ({"t.csv": seconds()}, {"ratio": True, "lower": True}, "times old (95 % interval 0"),
    "blocks": ({"t.csv": ordered()}, {}, "Neighbouring rows resemble each other"),
    "other items": ({"t.csv": strangers("right or wrong")}, {}, "(odds ratio"),
    "other items, numbers": ({"t.csv": strangers("numbers")}, {}, "(rank correlation"),
    "rare classes": ({"t.csv": classes()}, {"metric": "macro_f1"}, "1 of 3 classes is rare"),
    "skew": (
        {"t.csv": skewed()},
        {"systems": ["old", "new"]},
        "Results are very skewed: such intervals miss in up to a fifth",
    ),
    "missing": (with_missing(), {"unmatched": "drop"}, "What was left out is not like the rest"),
    "only differing": (
        {"t.csv": csv(item=[f"q{i}" for i in range(12)], old=[0, 1, 0] * 4, new=[1, 0, 1] * 4)},
        {},
        "The two agree on none",
    ),
    "uneven groups": ({"t.csv": uneven()}, {"groups": "document"}, "so uneven that"),
}


@pytest.mark.parametrize("name", CASES)
def test_page_and_command_line_say_the_same(page, name, tmp_path):
    files, options, words = CASES[name]
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    typed = {key: value for key, value in options.items() if value is not False}
    separate = ["--no-shared-runs"] if options.get("shared_runs") is False else []
    code, sentence = command_line([tmp_path / file for file in files] + separate, typed)
    shown = page.load_texts(files, options)
    assert code == 0 and shown["error"] == ""
    assert words in sentence
    assert shown["sentence"] == sentence


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (long_table(2), {"shared_runs": True}),
        (long_table(5), {"ratio": True}),
        (seconds(), {"ratio": True, "margin": 0.1}),
    ],
)
def test_page_and_command_line_refuse_alike(page, text, options, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert command_line([tmp_path / "t.csv"], options)[0] == 2
    shown = page.load_texts({"t.csv": text}, options)
    assert shown["sentence"] == "" and shown["error"]
