"""What a reader can play with: it opens from a folder, and its numbers are the library's.

`explorable` opens one on a page of its own, from file://, without a build. Its numbers are compared
with betterthan's; `by_keyboard` moves every control. The built pages that have explorables are
opened in both themes, on a desk and on a phone. `test_explore_more.py`, `test_page_formats.py` and
`test_contract_page.py` use the same fixtures.
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

from betterthan import datasets, pvalues, score
from betterthan.counts import Counts
from press import explore
from press.chapters import read_source

from .test_browser import (
    browser,
    failures,
    open_page,
    pages,
    pytestmark,
    resize,
)

__all__ = ["browser", "explorable", "pages", "pytestmark"]

HOST = """<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">
<title>{name}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="{folder}/explore.css">
<div class="explore" data-explore="{name}" data-preset="{preset}" role="group">
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

    def load(self, *files: Path, **options: Any) -> dict[str, Any]:
        return self.load_texts({path.name: path.read_bytes().decode() for path in files}, options)

    def load_texts(self, files: dict[str, str], options: dict[str, Any]) -> dict[str, Any]:
        listed = [{"name": name, "text": text} for name, text in files.items()]
        return self.run("e.load(arguments[0], arguments[1])", listed, options)

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

    yield lambda name: opened(browser, tmp_path, name)
    assert troubles(browser) == []


def opened(browser: Any, folder: Path, name: str, preset: str = "") -> Explorable:
    """An explorable on a page of its own in `folder`."""
    static = explore.FOLDER.as_uri()
    files = explore.scripts(name)
    scripts = "".join(f'<script src="{static}/{file}" defer></script>' for file in files)
    page = folder / f"{name}.html"
    host = HOST.format(name=name, preset=preset, folder=static, scripts=scripts)
    page.write_text(host, "utf-8")
    resize(browser, (1280, 1000))
    open_page(browser, page.as_uri())
    return Explorable(browser)


def troubles(browser: Any) -> list[str]:
    """What failed, but for what the browser itself asks of the network when it starts."""
    return [text for text in failures(browser) if "ERR_NAME_NOT_RESOLVED" not in text]


# --- Files ----------------------------------------------------------------------------------


def test_data_and_still_pictures_are_what_the_committed_tables_give():
    for name, text in explore.files().items():
        assert (explore.FOLDER / name).read_text("utf-8") == text, "run `python -m press.explore`"


def test_every_explorable_has_a_still_picture():
    pictures = {p.stem for p in explore.FOLDER.glob("*.svg")}
    presets = {"-".join(preset) for preset in explore.PRESETS}
    assert presets <= pictures
    pictures -= presets
    scripts = {f"{name}.js" for name in pictures} | {"core.js", *explore.scripts(*pictures)}
    assert scripts == {p.name for p in explore.FOLDER.glob("*.js")}
    assert all((explore.FOLDER / file).exists() for file in scripts)


def test_a_notebook_shows_the_still_picture_and_the_words(tmp_path):
    source = tmp_path / "page.md"
    source.write_text("# Title\n\n:::{explore} groups\nWhat it *shows*.\n:::\n\nMore.\n", "utf-8")
    (cell,) = read_source(source).cells
    assert ":::" not in cell.source and "](_static/explore/groups.svg)" in cell.source
    assert "What it shows</summary>\n\nWhat it *shows*.\n\n</details>" in cell.source
    assert cell.source.endswith("</details>\n\n</div>\n\nMore.")


def test_a_page_asks_for_a_preset_and_gets_its_picture(tmp_path):
    source = tmp_path / "page.md"
    source.write_text("# Title\n\n:::{explore} coin-flips flytxt\nWords.\n:::\n", "utf-8")
    (cell,) = read_source(source).cells
    assert 'data-explore="coin-flips" data-preset="a=FLYTXT b=UH-RiTUAL side=one"' in cell.source
    assert "](_static/explore/coin-flips-flytxt.svg)" in cell.source
    with pytest.raises(ValueError, match="no such preset"):
        explore.markdown("coin-flips nobody", "Words.")


def test_a_preset_is_what_the_controls_start_with(browser, tmp_path):
    values = explore.PRESETS["coin-flips", "flytxt"]
    page = opened(browser, tmp_path, "coin-flips", " ".join(f"{k}={v}" for k, v in values.items()))
    systems = explore.found("data")["coin-flips"]()["systems"]
    shown = page.read()
    assert [systems[int(shown[k])] for k in "ab"] == [values["a"], values["b"]]
    assert shown["side"] == "one" and "UH-RiTUAL minus FLYTXT" in shown["says"]


def test_small_files():
    """What a page loads for one explorable: its scripts, its data and its still picture."""
    sizes = {p.name: p.stat().st_size for p in explore.FOLDER.iterdir()}
    assert max(sizes.values()) < 60_000
    for name in (p.stem for p in explore.FOLDER.glob("*.svg")):
        own = sum(sizes[file] for file in [*explore.scripts(name), f"{name}.svg"])
        assert own < (400_000 if name == "compare-files" else 90_000), name


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
    wanted = np.column_stack(
        [
            stats.beta.cdf(x, a, b),
            stats.beta.ppf(p, a, b),
            stats.t.cdf(z, degrees),
            stats.t.ppf(p, degrees),
            stats.norm.cdf(z),
            stats.norm.ppf(p),
            stats.t.sf(8 + z, degrees),
            stats.norm.sf(8 + z),
            stats.beta.pdf(x, a, b),
        ]
    )
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
    # One that begins as the text asks has a still picture of its own, on the same page.
    asked = {f"{name}-{preset}" for name, preset in explore.PRESETS}
    assert there | asked == {path.stem for path in explore.FOLDER.glob("*.svg")}
    texts = [(pages / page).read_text("utf-8") for page in found]
    assert all(any(f"{still}.svg" in text for text in texts) for still in asked)


def test_no_page_without_explorables_loads_their_scripts(pages):
    has = played(pages)
    for page in pages.rglob("*.html"):
        if str(page.relative_to(pages)) not in has:
            assert "explore/core.js" not in page.read_text("utf-8"), page
