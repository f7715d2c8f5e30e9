"""What a reader can play with: it opens from a folder, and its numbers are the library's.

`explorable` opens one on a page of its own, from file://, without a build. Its numbers are compared
with betterthan's; `by_keyboard` moves every control. The built pages that have explorables are
opened in both themes, on a desk and on a phone. `test_explore_more.py` uses the same fixtures.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from betterthan import compare, datasets, pvalues, readers, score
from betterthan.counts import Counts
from press import explore
from press.chapters import read_source

from .test_browser import (
    browser,
    failures,
    pages,
    pytestmark,
    resize,
)

__all__ = ["browser", "explorable", "pages", "pytestmark"]

HOST = """<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">
<title>{name}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{folder}/explore.css">
<div class="explore" data-explore="{name}" role="group">
<p><img alt="" src="{folder}/{name}.svg"></p>
<p>Words.</p></div>{scripts}</html>"""


class Explorable:
    """An open explorable: what it shows, and its controls."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def run(self, script: str, *arguments: Any) -> Any:
        start = "const e = document.querySelector('.explore').explore; return "
        return self.browser.execute_script(start + script, *arguments)

    def read(self) -> dict[str, Any]:
        return self.run("e.read()")

    def set(self, name: str, value: Any) -> dict[str, Any]:
        return self.run("e.set(arguments[0], arguments[1])", name, value)

    def press(self, name: str) -> dict[str, Any]:
        return self.run("e.press(arguments[0])", name)

    def load(self, *files: Path) -> dict[str, Any]:
        listed = [{"name": path.name, "text": path.read_bytes().decode()} for path in files]
        return self.run("e.load(arguments[0])", listed)

    def by_keyboard(self) -> list[str]:
        """Move every control with the keyboard alone; the names of those that moved."""
        from selenium.webdriver import Keys

        moved = []
        fields = self.browser.find_elements("css selector", ".explore [data-name]")
        for name in [field.get_attribute("data-name") for field in fields]:
            field = self.browser.find_element("css selector", f'.explore [data-name="{name}"]')
            before, kind = self.read(), field.get_attribute("type")
            if field.tag_name == "button":
                field.send_keys(Keys.ENTER)
                moved.append(name)
                continue
            if kind == "range":
                last = field.get_attribute("max") == str(field.get_attribute("value"))
                field.send_keys(Keys.ARROW_LEFT if last else Keys.ARROW_RIGHT)
            else:
                field.send_keys(Keys.SPACE if kind == "checkbox" else Keys.ARROW_DOWN)
            both = [{**shown.get("options", {}), **shown} for shown in (before, self.read())]
            moved += [name] * (both[0].get(name) != both[1].get(name))
        return moved


@pytest.fixture
def explorable(browser, tmp_path) -> Callable[[str], Explorable]:
    """Open an explorable on a page of its own, from a folder; no error may come up."""
    troubles(browser)

    def open_(name: str) -> Explorable:
        folder = explore.FOLDER.as_uri()
        files = explore.scripts(name)
        scripts = "".join(f'<script src="{folder}/{file}" defer></script>' for file in files)
        page = tmp_path / f"{name}.html"
        page.write_text(HOST.format(name=name, folder=folder, scripts=scripts), "utf-8")
        resize(browser, (1280, 1000))
        browser.get(page.as_uri())
        return Explorable(browser)

    yield open_
    assert troubles(browser) == []


def troubles(browser: Any) -> list[str]:
    """What failed, but for what the browser itself asks of the network when it starts."""
    return [text for text in failures(browser) if "ERR_NAME_NOT_RESOLVED" not in text]


# --- Files ----------------------------------------------------------------------------------


def test_data_and_still_pictures_are_what_the_committed_tables_give():
    for name, text in explore.files().items():
        assert (explore.FOLDER / name).read_text("utf-8") == text, "run `python -m press.explore`"


def test_every_explorable_has_a_still_picture():
    pictures = {p.stem for p in explore.FOLDER.glob("*.svg")}
    scripts = {f"{name}.js" for name in pictures} | {"core.js", *explore.scripts(*pictures)}
    assert scripts == {p.name for p in explore.FOLDER.glob("*.js")}
    assert all((explore.FOLDER / file).exists() for file in scripts)


def test_a_notebook_shows_the_still_picture_and_the_words(tmp_path):
    source = tmp_path / "page.md"
    source.write_text("# Title\n\n:::{explore} groups\nWhat it *shows*.\n:::\n\nMore.\n", "utf-8")
    (cell,) = read_source(source).cells
    assert ":::" not in cell.source and "](_static/explore/groups.svg)" in cell.source
    assert "\n\nWhat it *shows*.\n\n</div>\n\nMore." in cell.source


def test_small_files():
    sizes = {p.name: p.stat().st_size for p in explore.FOLDER.iterdir()}
    assert max(sizes.values()) < 150_000 and sum(sizes.values()) < 500_000


# --- Distributions --------------------------------------------------------------------------


def test_distributions_agree_with_scipy(explorable):
    page, rng = explorable("groups"), random.Random(0)
    cases = []
    for _ in range(300):
        a, b = (10 ** rng.uniform(-1, 5) for _ in range(2))
        z, degrees, p = rng.gauss(0, 2), 10 ** rng.uniform(-0.5, 4), rng.uniform(0.0005, 0.9995)
        x = float(np.clip(stats.beta(a, b).ppf(rng.uniform(0.001, 0.999)), 1e-6, 1 - 1e-6))
        cases.append((a, b, z, degrees, p, x))
    found = page.run(
        """arguments[0].map(([a, b, z, degrees, p, x]) => { const s = Explore.stats; return [
          s.betaCdf(x, a, b), s.betaQuantile(p, a, b), s.tCdf(z, degrees), s.tQuantile(p, degrees),
          s.normalCdf(z), s.normalQuantile(p), s.tSurvival(8 + z, degrees), s.normalSurvival(8 + z),
          s.betaPdf(x, a, b)]; })""",
        cases,
    )
    a, b, z, degrees, p, x = np.array(cases).T
    wanted = np.column_stack([
        stats.beta.cdf(x, a, b), stats.beta.ppf(p, a, b), stats.t.cdf(z, degrees),
        stats.t.ppf(p, degrees), stats.norm.cdf(z), stats.norm.ppf(p), stats.t.sf(8 + z, degrees),
        stats.norm.sf(8 + z), stats.beta.pdf(x, a, b),
    ])  # fmt: skip
    np.testing.assert_allclose(np.array(found, float), wanted, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(np.array(found, float)[:, :6], wanted[:, :6], rtol=2e-8, atol=1e-10)


def test_random_numbers_are_random_and_have_a_seed(explorable):
    page = explorable("groups")
    draw = "(r => Array.from({length: 4000}, () => r.%s()))(Explore.random(arguments[0]))"
    uniform, normal = page.run(draw % "uniform", 1), page.run(draw % "normal", 1)
    assert uniform == page.run(draw % "uniform", 1) != page.run(draw % "uniform", 2)
    assert stats.kstest(uniform, "uniform").pvalue > 0.001
    assert stats.kstest(normal, "norm").pvalue > 0.001


# --- coin-flips -----------------------------------------------------------------------------


def wnut(name: str) -> Counts:
    table = datasets.study_table("replicability-wnut")
    columns = [f"{kind}_{name}" for kind in ("tp", "fp", "fn")]
    return Counts(*np.repeat(table[columns].to_numpy(), table["sentences"], axis=0).T)


@pytest.mark.parametrize("names", [("SpinningBytes", "UH-RiTUAL"), ("FLYTXT", "UH-RiTUAL")])
def test_coin_flips_settle_at_the_librarys_p(explorable, names):
    page = explorable("coin-flips")
    systems = explore.found("data")["coin-flips"]()["systems"]
    for control, name in zip("ab", names):
        page.set(control, str(systems.index(name)))
    assert page.read()["flips"] == 0
    page.press("one")
    page.press("hundred")
    for _ in range(3):
        page.press("many")
    a, b = map(wnut, names)
    for side, alternative in (("either", "two-sided"), ("one", "greater")):
        shown = page.set("side", side)
        test = pvalues.randomisation(a, b, "f1", alternative=alternative, n_resamples=40_000)
        assert shown["flips"] == sum(shown["bars"]) == 30_101
        assert math.isclose(shown["difference"], test.difference, abs_tol=1e-12)
        luck = math.sqrt(test.pvalue * (1 - test.pvalue) * (1 / 30_101 + 1 / 40_000))
        assert abs(shown["pvalue"] - test.pvalue) < 4 * luck
    differ = (a.tp != b.tp) | (a.fp != b.fp) | (a.fn != b.fn)
    assert shown["differ"] == int(differ.sum())
    assert names[1] in shown["says"] and "p = " in shown["says"]
    assert page.press("again")["flips"] == 0


def test_coin_flips_begin_with_the_best_two(explorable):
    data = explore.found("data")["coin-flips"]()
    f1 = [wnut(name).f1 for name in data["systems"]]
    assert f1 == sorted(f1, reverse=True) and data["start"] == [1, 0] and data["total"] == 1287
    page = explorable("coin-flips")
    assert {"a", "b", "side", "one", "run", "again"} <= set(page.by_keyboard())
    page.set("a", "3")
    assert page.set("b", "3")["says"] == "Choose two different systems."


# --- groups ---------------------------------------------------------------------------------

ALIKE = [(480, 12, 0.1), (60, 60, 0.5), (960, 5, 0.3), (3840, 60, 0.02), (240, 20, 0)]


@pytest.mark.parametrize(("items", "groups", "alike"), ALIKE)
def test_groups_agree_with_the_closed_form_and_the_library(explorable, items, groups, alike):
    page = explorable("groups")
    page.set("items", items)
    page.set("groups", groups)
    shown = page.set("alike", alike)
    size = items // groups
    assert math.isclose(shown["effective"], items / (1 + (size - 1) * alike), rel_tol=1e-12)
    # The interval of the first test set, by the library.
    right = np.concatenate([np.repeat([1, 0], [n, size - n]) for n in shown["right"]])
    labels = np.repeat(np.arange(groups), size)
    for name, given in (("naive", None), ("grouped", labels)):
        result = score(right, groups=given)
        assert math.isclose(result.value, shown["value"], rel_tol=1e-12)
        np.testing.assert_allclose(shown[f"interval_{name}"], result.interval, atol=1e-7)
    # How often the naive one holds the truth: by the normal approximation, and in the page.
    luck = 4 * math.sqrt(0.25 / 1000)
    assert abs(shown["naive"] - shown["expected"]) < luck + 0.02
    assert shown["grouped"] > 0.95 - luck or groups == 5
    assert f"{items:,} items in {groups} groups" in shown["says"]


def test_test_sets_are_as_alike_as_the_slider_says(explorable):
    page = explorable("groups")
    page.set("items", 3840)
    page.set("groups", 60)
    found = []
    for alike in (0.0, 0.1, 0.4):
        shares = np.array(page.set("alike", alike)["right"]) / 64
        # Var(share) = p(1 - p)(1 + 63 alike)/64
        found.append((shares.var(ddof=1) * 64 / 0.16 - 1) / 63)
    np.testing.assert_allclose(found, [0.0, 0.1, 0.4], atol=0.16)
    assert found == sorted(found)
    assert set(page.by_keyboard()) == {"items", "groups", "alike"}


# --- compare-files --------------------------------------------------------------------------

NUMBERS = ("value_a", "value_b", "difference", "pvalue", "p_better", "p_within", "n_effective")


def same(shown: dict[str, Any], result: Any) -> None:
    """The page has the library's numbers, and its sentence to the letter."""
    assert shown["error"] == ""
    for name in NUMBERS:
        assert math.isclose(shown[name], getattr(result, name), rel_tol=1e-8, abs_tol=1e-9), name
    for name, wanted in (("low", result.interval.low), ("high", result.interval.high)):
        missing = shown[name] is None and math.isnan(wanted)
        assert missing or math.isclose(shown[name], wanted, rel_tol=1e-8, abs_tol=1e-9), name
    assert (shown["n_units"], shown["n_groups"]) == (result.n_units, result.n_groups)
    assert shown["sentence"] == str(result)


def conll(path: Path, n: int, *, seed: int, documents: int = 0, **how) -> Path:
    """Sentences with a gold tag and a system's; the gold tags are the same for every seed."""
    gold, luck, lines = random.Random(7), random.Random(seed), []
    scheme, wrong = how.get("scheme", "IOB2"), how.get("wrong", 0.15)
    cuts = random.Random(documents).sample(range(1, n), max(0, documents - 1))
    for number in range(n):
        if documents and (number == 0 or number in cuts):
            lines += ["-DOCSTART- O O", ""]
        for word in range(gold.randint(2, 9)):
            tag = gold.choice(tags(scheme))
            given = luck.choice(tags(scheme)) if luck.random() < wrong else tag
            lines.append(f"w{number}-{word} {tag} {given}")
        lines.append("")
    path.write_text("\n".join(lines), "utf-8")
    return path


def tags(scheme: str) -> list[str]:
    prefixes = {"IOB1": "IIB", "IOB2": "BI", "IOBES": "BIES", "BMES": "BMES", "BILOU": "BILU"}
    if scheme == "plain":
        return ["NN", "VB", "DT", "JJ", "B-X"]
    return ["O", "O", *(f"{prefix}-{x}" for prefix in prefixes[scheme] for x in ("PER", "LOC"))]


@pytest.fixture(scope="module")
def rows() -> np.random.Generator:
    return np.random.default_rng(11)


def test_the_shipped_conll_files(explorable):
    page, files = explorable("compare-files"), readers.example("conll")
    shown = page.load(*files)
    old, new = readers.read_conll(*files)
    same(shown, compare(old, new, names=("old", "new")))
    for metric in ("precision", "recall"):
        same(page.set("metric", metric), compare(old, new, metric=metric, names=("old", "new")))
    page.set("metric", "f1")
    same(page.set("margin", 0.1), compare(old, new, margin=0.1, names=("old", "new")))
    page.set("name_a", "the old one")
    assert page.read()["sentence"].startswith("F1 is 0.8114 for the old one")


def test_the_same_in_one_file_with_gold_and_two_systems(explorable, tmp_path):
    files = readers.example("conll")
    both = [path.read_text("utf-8").splitlines() for path in files]
    joined = tmp_path / "both.conll"
    lines = [f"{a} {b.split()[-1]}" if a else "" for a, b in zip(*both)]
    joined.write_text("\n".join(lines) + "\n", "utf-8")
    place = {"word": 0, "gold": -3, "predicted": [-2, -1]}
    result = compare(*readers.read_conll(joined, columns=place))
    same(explorable("compare-files").load(joined), result)
    assert result.difference == compare(*readers.read_conll(*files)).difference


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES", "BMES", "BILOU"])
def test_every_scheme_is_read_by_the_librarys_rule(explorable, tmp_path, scheme):
    # Tags at random: hardly a sentence keeps the rules of its scheme.
    files = [conll(tmp_path / f"{s}.conll", 60, seed=s, scheme=scheme, wrong=0.3) for s in (1, 2)]
    shown = explorable("compare-files").load(*files)
    same(shown, compare(*readers.read_conll(*files), names=("1", "2")))
    read = "IOB1" if scheme == "IOB2" else scheme  # some spans begin with I: no IOB2
    assert f"gold tags {read} (" in shown["read"][1]


GROUPED = [(300, 0), (300, 40), (1500, 0), (200, 5), (200, 3), (90, 13), (1001, 0)]


@pytest.mark.parametrize(("sentences", "documents"), GROUPED)
def test_groups_and_numbers_of_sentences(explorable, tmp_path, sentences, documents):
    files = [
        conll(tmp_path / f"{n}.txt", sentences, seed=ord(n), documents=documents) for n in "ab"
    ]
    result = compare(*readers.read_conll(*files), names=("a", "b"))
    assert result.n_groups == (documents or sentences)
    assert ("jackknife" in result.method) == (result.n_groups < 6 or result.n_groups > 1000)
    same(explorable("compare-files").load(*files), result)


def test_plain_tags(explorable, tmp_path):
    files = [conll(tmp_path / f"{n}.txt", 80, seed=ord(n), scheme="plain") for n in "ab"]
    page = explorable("compare-files")
    assert "a.txt, line 1" in page.load(*files)["error"] and "plain tags" in page.read()["error"]
    page.set("tags", "plain")
    counts = readers.read_conll(*files, scheme="plain")
    for metric in ("accuracy", "macro_f1"):
        same(page.set("metric", metric), compare(*counts, metric=metric, names=("a", "b")))


def test_the_shipped_predictions(explorable, tmp_path):
    page, file = explorable("compare-files"), readers.example("predictions")
    page.load(file)
    systems = readers.read_predictions(file)
    pair, names = (systems["old"], systems["new"]), ("old", "new")
    for metric in ("accuracy", "macro_f1"):
        same(page.set("metric", metric), compare(*pair, metric=metric, names=names))
    # Without groups; then another name, separator and quotes.
    rows = [line.split(",") for line in file.read_text("utf-8").splitlines()]
    alone = [Counts(c.tp, c.fp, c.fn, "item") for c in pair]
    same(page.set("group", "none"), compare(*alone, metric="macro_f1", names=names))
    other = tmp_path / "other.csv"
    rows[0][:2] = ["the; shop", "right"]
    other.write_text("\n".join(";".join(f'"{cell}"' for cell in row) for row in rows), "utf-8")
    page.load(other)
    assert "choose it under Gold" in page.read()["error"]
    page.set("gold", "right")
    page.set("group", "the; shop")
    same(page.set("metric", "accuracy"), compare(*pair, metric="accuracy", names=names))


def test_the_shipped_scores(explorable):
    page, file = explorable("compare-files"), readers.example("scores")
    frame = readers.read_scores(file)
    same(page.load(file), compare(frame["old"], frame["new"], names=("old", "new")))
    page.set("b", "large")
    page.set("margin", 0.02)
    wanted = {"margin": 0.02, "names": ("old", "large"), "higher_is_better": False}
    same(page.set("lower", True), compare(frame["old"], frame["large"], **wanted))
    assert "lower is better" in page.read()["sentence"] and "segments" in page.read()["sentence"]
    assert "expected 0 or more" in page.set("margin", -1)["error"]
    field = "document.querySelector('.explore [data-name=margin]').value"
    assert page.run(field) == "-1"  # to be mended where it was written
    offered = (
        "[...document.querySelector('.explore [data-name=group]').options].map((o) => o.value)"
    )
    assert page.run(offered) == ["none", "segment"]  # scores are no groups
    assert "columns into one CSV" in page.load(file, file)["error"]


def test_slips_of_the_pen_and_names_of_rows_are_seen_as_the_library_sees_them(explorable, tmp_path):
    page, file = explorable("compare-files"), tmp_path / "own.csv"
    rows = [f"{'xy'[i % 2]},{'xy'[i % 3 % 2]},{'xy'[i % 2]},{i}" for i in range(40)]
    file.write_text("\n".join(["gold,one,two,number", *rows, "x,x,X,40"]), "utf-8")
    pair, names = readers.read_predictions(file), ("one", "two")
    assert list(pair) == ["one", "two"]
    page.load(file)
    result = compare(*pair.values(), metric="macro_f1", names=names)
    assert "'X' is predicted but never gold (1 item)." in str(result)
    same(page.set("metric", "macro_f1"), result)
    rows = [f"{0.1 * (i % 7):.1f},{0.1 * (i % 5):.1f},s{i}" for i in range(40)]
    file.write_text("\n".join(["one,two,segment", *rows]), "utf-8")
    frame = readers.read_scores(file)
    same(page.load(file), compare(frame["one"], frame["two"], names=names))
    assert "40 segments" in page.read()["sentence"]


TABLES = {
    "many rows": (1400, 0, 1.0), "groups": (300, 25, 1.0), "uneven groups": (300, 9, 3.0),
    "five groups": (100, 5, 1.0), "large numbers": (40, 0, 12345.0), "few rows": (7, 0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_scores(explorable, tmp_path, rows, case):
    n, groups, size = TABLES[case]
    hard = rows.normal(size=n)
    a, b = (size * (hard + rows.normal(0.1 * k, 0.6, n)) for k in (0, 1))
    labels = [f"g{int(groups * (i / n) ** 1.7)}" for i in range(n)]
    file = tmp_path / "t.tsv"
    head = "id\tone\ttwo" + "\tgroup" * bool(groups)
    lines = [f"{i}\t{x!r}\t{y!r}" + f"\t{g}" * bool(groups)
             for i, (x, y, g) in enumerate(zip(a.tolist(), b.tolist(), labels))]  # fmt: skip
    file.write_text("\r\n".join([head, *lines]) + "\r\n", "utf-8")
    frame = readers.read_scores(file, separator="\t")
    same(
        explorable("compare-files").load(file),
        compare(frame["one"], frame["two"], names=("one", "two")),
    )


CORNERS = {
    "the same": ([1, 0, 1, 1, 0, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1]),
    "one apart": ([1, 0, 1, 1, 0, 1, 0, 1], [1, 1, 1, 1, 0, 1, 0, 1]),
    "always better": ([0] * 30, [1] * 30),
    "always as much better": ([0.25, 0.5, 0.75] * 10, [0.5, 0.75, 1.0] * 10),
    "two rows": ([1, 2], [2, 4]),
    "does not go together": (
        [(i * i) % 97 for i in range(250)],
        [(i * 7919) % 251 for i in range(250)],
    ),
    "sparse among many": ([1] * 1200, [1] * 1196 + [0] * 4),
    "skewed": ([0.0] * 59 + [50.0], [0.1 * (i % 3) for i in range(60)]),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", CORNERS)
def test_corners(explorable, tmp_path, case):
    file = tmp_path / "corner.csv"
    lines = [f"{x},{y}" for x, y in zip(*CORNERS[case])]
    file.write_text("\n".join(["a,b", *lines]) + "\n", "utf-8")
    frame = readers.read_scores(file)
    page = explorable("compare-files")
    same(page.load(file), compare(frame["a"], frame["b"], names=("a", "b")))
    if set(frame.to_numpy().flat) <= {0, 1}:
        page.set("metric", "accuracy")
        same(page.read(), compare(frame["a"], frame["b"], "accuracy", names=("a", "b")))


BAD = {
    "a row is cut off": ("x.conll", "w O O\nv O", "x.conll, line 2", "cut off"),
    "an unknown tag": ("x.conll", "w O O\nv B-PER X-PER\n", "x.conll, line 2", "B-PER"),
    "other words": ("x.conll", "w O O\nother O O\n", "x.conll, line 2", "same sentences"),
    "other gold": ("x.conll", "w O O\nv B-LOC O\n", "x.conll, line 2", "same sentences"),
    "a sentence more": (
        "x.conll",
        "w O O\nv B-PER O\n\nmore O O\n",
        "x.conll, line 4",
        "end of the file",
    ),
    "split sentence": ("x.conll", "w O O\n\nv B-PER O\n", "x.conll, line 2", "end of a sentence"),
    "remarks": ("x.conll", "# id 7 is this\nw O O\nv B-PER O\n", "x.conll, line 2", "a remark"),
    "an empty file": ("x.conll", "\n\n", "x.conll", "no rows"),
    "no number": ("x.csv", "a,b\n1,2\n3,x\n", "x.csv, line 3", "expected a number"),
    "decimal comma": ("x.csv", "a;b\n1;2\n0,5;3\n", "x.csv, line 3", "a decimal comma"),
    "only decimal commas": ("x.csv", "a;b\n1,5;2,5\n0,5;3,1\n", "x.csv", "a decimal comma"),
    "commas between and inside": ("x.csv", "a,b\n1,5,2,5\n", "x.csv, line 2", "a decimal comma"),
    "an empty score": ("x.csv", "a,b\n1,2\n,4\n", "x.csv, line 3", "the cell is empty"),
    "no names": ("x.csv", "s1,0.15,0.2\ns2,0.3,0.4\n", "x.csv, line 1", "line of names missing"),
    "a cell more": ("x.csv", "a,b\n1,2\n3,4,5\n", "x.csv, line 3", "expected 2 columns"),
    "an open quote": ("x.csv", 'a,b\n1,2\n"3,4\n5,6\n', "x.csv, line 3", "never closed"),
    "an id twice": ("x.csv", "id,a,b\nu,1,2\nu,3,4\n", "x.csv, line 3", "comes twice"),
    "an empty class": ("x.csv", "gold,a,b\nx,x,x\ny,,y\n", "x.csv, line 3", "empty"),
    "one system": ("x.csv", "gold,a\nx,x\ny,x\n", "x.csv", "one column per system"),
    "names twice": ("x.csv", "a,a\n1,2\n", "x.csv, line 1", "different column names"),
    "a spreadsheet": ("x.csv", "PK\x03\x04...", "x.csv", "save it as CSV"),
    "one group": ("x.csv", "a,b,group\n1,2,x\n3,1,x\n", "group", "one group"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_with_its_line(explorable, tmp_path, case):
    name, text, where, what = BAD[case]
    first, bad = tmp_path / "first.conll", tmp_path / name
    first.write_text("w O O\nv B-PER B-PER\n", "utf-8")
    bad.write_text(text, "utf-8")
    page = explorable("compare-files")
    error = page.load(*([first, bad] if name.endswith("conll") else [bad]))["error"]
    assert where in error and what in error, error
    shown = page.run("document.querySelector('.explore-trouble').textContent")
    assert shown == error
    if case == "remarks":  # then the files agree, and their one sentence is too few
        assert "at least two sentences" in page.set("comments", True)["error"]


def test_files_are_chosen_dropped_and_added(explorable, browser, tmp_path):
    from selenium.webdriver.support.ui import WebDriverWait

    page, files = explorable("compare-files"), readers.example("conll")
    picker = browser.find_element("css selector", ".explore-picker")

    def wait(sure: Callable[[dict], bool]) -> dict:
        WebDriverWait(browser, 20, 0.05).until(lambda _: sure(page.read()))
        return page.read()

    picker.send_keys(f"{files[0]}\n{files[1]}")
    wanted = str(compare(*readers.read_conll(*files), names=("old", "new")))
    assert wait(lambda r: r.get("sentence"))["sentence"] == wanted
    picker.send_keys(str(files[0]))  # one alone, and then the other
    assert "add the second" in wait(lambda r: r["error"])["error"]
    picker.send_keys(str(files[1]))
    assert wait(lambda r: r.get("sentence"))["sentence"] == wanted
    latin = tmp_path / "latin.csv"
    latin.write_bytes("a,b\n1,2\nMünchen,3\n".encode("latin-1"))
    picker.send_keys(str(latin))
    assert "latin.csv, line 3" in wait(lambda r: r["error"])["error"]
    page.run(
        """(() => { const data = new DataTransfer();
        arguments[0].forEach(([name, text]) => data.items.add(new File([text], name)));
        document.querySelector('.explore-drop').dispatchEvent(
          new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); })()""",
        [[path.name, path.read_text("utf-8")] for path in files],
    )
    assert wait(lambda r: r.get("sentence"))["sentence"] == wanted


def test_try_with_an_example_swap_and_copy(explorable, browser):
    page = explorable("compare-files")
    buttons = browser.find_elements("css selector", ".explore-live > .explore-controls button")
    labels = [button.text for button in buttons if button.text]
    assert labels[:3] == ["Two CoNLL files", "Predictions", "Scores"]
    for button in buttons[2::-1]:
        button.click()
        assert page.read()["error"] == "" and page.read()["sentence"]
    before = page.read()
    browser.execute_script("[...document.querySelectorAll('.explore-chosen button')][0].click()")
    after = page.read()
    assert math.isclose(after["difference"], -before["difference"])
    assert after["names"] == before["names"][::-1]
    page.set("name_a", "mine")
    browser.execute_script("[...document.querySelectorAll('.explore-chosen button')][0].click()")
    assert page.read()["names"] == [before["names"][0], "mine"]
    browser.execute_script("[...document.querySelectorAll('.explore-chosen button')][0].click()")
    browser.find_element("css selector", '[data-name="copy"]').click()
    browser.implicitly_wait(5)
    assert browser.find_element("css selector", '.explore [role="status"]').text
    browser.implicitly_wait(0)
    moved = page.by_keyboard()
    assert {"tags", "metric", "copy"} <= set(moved)


def test_the_cell_for_python_runs(explorable, browser, tmp_path, monkeypatch, capsys):
    page = explorable("compare-files")
    for kind in ("conll", "predictions", "scores"):
        files = readers.example(kind)
        files = files if isinstance(files, tuple) else (files,)
        for file in files:
            (tmp_path / file.name).write_bytes(file.read_bytes())
        sentence = page.load(*files)["sentence"]
        code = page.run("document.querySelector('.explore details pre').textContent")
        monkeypatch.chdir(tmp_path)
        exec(code, {})
        assert capsys.readouterr().out.strip() == sentence


def test_a_large_file_takes_seconds(explorable, tmp_path):
    files = [conll(tmp_path / f"{n}.txt", 20_000, seed=ord(n)) for n in "ab"]
    page = explorable("compare-files")
    page.browser.set_script_timeout(60)
    listed = [{"name": f.name, "text": f.read_text("utf-8")} for f in files]
    seconds = page.run(
        "(begun => { e.load(arguments[0]); return performance.now() - begun; })(performance.now())",
        listed,
    )
    assert page.read()["n_units"] == 20_000 and seconds < 20_000


# --- On the built pages ---------------------------------------------------------------------


def played(pages: Path) -> dict[str, list[str]]:
    """The built pages with explorables."""
    return {
        str(page.relative_to(pages)): names
        for page in sorted(pages.rglob("*.html"))
        if (names := [n.split('"')[0] for n in page.read_text("utf-8").split('data-explore="')[1:]])
    }


def test_explorables_are_on_the_built_pages(pages):
    """That they live there, at any width and on paper, is asked with all else of each page."""
    found = played(pages)
    assert "compare-files" in found["chapters/compare-files.html"]
    there = {name for names in found.values() for name in names}
    assert there == {path.stem for path in explore.FOLDER.glob("*.svg")}


def test_no_page_without_explorables_loads_their_scripts(pages):
    has = played(pages)
    for page in pages.rglob("*.html"):
        if str(page.relative_to(pages)) not in has:
            assert "explore/core.js" not in page.read_text("utf-8"), page
