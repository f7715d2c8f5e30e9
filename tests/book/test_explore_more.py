"""The explorables of chapters 2 to 6, opened from a file: every control is moved, and what is
shown is what the library says."""

from __future__ import annotations

import json
import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

from betterthan import bayes, datasets, ranking, replicability
from betterthan.counts import Counts
from press import explore
from tests.book import test_browser
from tests.book.test_browser import (  # noqa: F401
    browser,
    choose_theme,
    failures,
    open_page,
    pytestmark,
    resize,
)

NAMES = ("two-systems", "p-values", "hard-items", "hunt", "budget")
# The theme's colours, as far as the explorables use them.
COLOURS = """
html { --pst-color-text-base: #222832; --pst-color-text-muted: #48566b; --pst-color-border: #d1d5da;
  --pst-color-background: #fff; --pst-color-surface: #f3f4f5; background: #fff; }
html[data-theme="dark"] { --pst-color-text-base: #ced6dd; --pst-color-text-muted: #9ca4af;
  --pst-color-border: #48566b; --pst-color-background: #121212; --pst-color-surface: #212121; }
html, body { background: var(--pst-color-background); color: var(--pst-color-text-base); }
body { margin: 0; }
* { box-sizing: border-box; }
"""


class Live:
    """An explorable in the browser."""

    def __init__(self, browser, folder, name):  # noqa: F811
        scripts = [f"{name}.data.js"] * (explore.FOLDER / f"{name}.data.js").exists()
        tags = "".join(
            f'<script defer src="{(explore.FOLDER / script).as_uri()}"></script>'
            for script in ("core.js", *scripts, f"{name}.js")
        )
        style = (explore.FOLDER / "explore.css").as_uri()
        page = folder / f"{name}.html"
        page.write_text(
            '<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><meta '
            f'name="viewport" content="width=device-width"><style>{COLOURS}</style><link '
            f'rel="stylesheet" href="{style}">{tags}<article><div class="explore" '
            f'data-explore="{name}" role="group"><p>Words.</p></div></article>',
            encoding="utf-8",
        )
        self.browser = browser
        failures(browser)
        open_page(browser, page.as_uri())

    def _call(self, call, *arguments):
        root = "document.querySelector('.explore').explore"
        return self.browser.execute_script(f"return {root}.{call}(...arguments)", *arguments)

    def set(self, name, value):
        return self._call("set", name, value)

    def press(self, name):
        return self._call("press", name)

    def read(self):
        return self._call("read")


@pytest.fixture
def live(browser, tmp_path):  # noqa: F811
    resize(browser, (800, 900))
    return lambda name: Live(browser, tmp_path, name)


@pytest.mark.parametrize("name", NAMES)
def test_every_control_answers_to_the_keyboard(live, name):
    from selenium.webdriver import Keys

    page = live(name)
    find = page.browser.find_elements
    # Buttons last: "start again" does nothing as long as nothing was moved.
    fields = find("css selector", ".explore [data-name]")
    fields.sort(key=lambda field: field.tag_name == "button")
    known = [field.get_attribute("data-name") for field in fields]
    assert len(known) >= 2
    for control in known:
        (field,) = find("css selector", f'.explore [data-name="{control}"]')
        before, kind = page.read(), field.get_attribute("type")
        keys = {"range": Keys.ARROW_RIGHT, "checkbox": Keys.SPACE, "submit": Keys.ENTER}
        keys |= {"button": Keys.ENTER, "select-one": Keys.ARROW_DOWN}
        field.send_keys(keys[kind])
        if page.read() == before and kind == "range":  # at its end
            field.send_keys(Keys.ARROW_LEFT)
        assert page.read() != before, control
        assert page.read()["says"]
    assert failures(page.browser) == []


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_and_can_be_read(live, name):
    page = live(name)
    for width in (800, 390, 320):
        resize(page.browser, (width, 900), narrow=width < 500)
        page.browser.execute_async_script(
            "requestAnimationFrame(() => setTimeout(arguments[0], 50))"
        )
        assert page.browser.execute_script(test_browser.TOO_WIDE) == []
        box, *parts = page.browser.execute_script(
            "return [...document.querySelectorAll('.explore-live, .explore-live *')]"
            ".map(e => e.getBoundingClientRect().right)"
        )
        assert box <= width and max(parts) <= box + 1
        for theme in ("light", "dark"):
            choose_theme(page.browser, theme)
            assert page.browser.execute_script(test_browser.FAINT) == [], theme
    says = page.browser.find_element("css selector", ".explore-says")
    assert says.get_attribute("aria-live") == "polite" and len(says.text) > 40


def test_two_systems_is_the_bayes_test(live):
    page = live("two-systems")
    examples = ["NER", "ORG", "CWS", "small"]
    for example, metric, margin in product(examples, ["f1", "precision", "recall"], [0, 0.2, 1]):
        page.set("example", example)
        page.set("metric", metric)
        seen = page.set("margin", margin)
        said = as_the_library(seen)
        for key in ("p_h0", "p_within", "p_h1", "value_a", "value_b"):
            assert seen[key] == pytest.approx(getattr(said, key), abs=2e-7), (example, metric, key)
    page.set("margin", 0.5)
    assert page.set("tp_a", 0)["tp_a"] == 1 and "NaN" not in page.set("fp_a", 0)["says"]
    for name, value in {"tp_a": 60, "fp_a": 180, "tp_b": 200, "fp_b": 0}.items():
        seen = page.set(name, value)
        assert seen[name] == value
        assert seen["p_h1"] == pytest.approx(as_the_library(seen).p_h1, abs=2e-7)
    names = page.set("example", "NER")  # what chapter 2 prints
    assert names["counts_a"] == [62100, 6180, 8397] and names["counts_b"] == [62165, 6097, 8332]


def as_the_library(seen):
    folds = [Counts(*([n] for n in seen[f"counts_{k}"]), unit="fold") for k in "ab"]
    margin = seen["margin"] / 100
    return bayes.compare(*folds, seen["metric"], margin=margin, factor=seen["factor"])


def test_p_values_are_analysed_as_the_library_does(live):
    page, rng = live("p-values"), np.random.default_rng(3)
    for example, alpha in product(["six", "sentiment"], [0.01, 0.05, 0.2]):
        page.set("example", example)
        seen = page.set("alpha", alpha)
        analysed(seen)
        for _ in range(4):
            for i in range(len(seen["pvalues"])):
                page.set(
                    f"p{i}", float(rng.choice([rng.uniform(), 10 ** rng.uniform(-5, 0), alpha]))
                )
                seen = page.set(f"in{i}", bool(rng.integers(2)))
            analysed(seen)
    seen = page.press("reset")
    printed = datasets.paper_table("dror-2017-table4")["p"]
    assert seen["pvalues"] == printed.tolist() and seen["subset"] == []
    for method in ("bonferroni", "simes", "fisher"):
        assert page.set("alpha", 0.05)[method]["count"] == replicability.count(
            printed, 0.05, method
        )


def analysed(seen):
    for local in ("bonferroni", "simes", "fisher"):
        options = {"names": seen["datasets"], "local": local, "alpha": seen["alpha"]}
        said = replicability.analyse(seen["pvalues"], **options)
        assert seen[local]["count"] == said.count
        assert seen[local]["names"] == list(said.names)
        assert seen[local]["bound"] == said.bound(seen["subset"])
    assert seen["naive"] == np.sum(np.array(seen["pvalues"]) <= seen["alpha"])


def test_hard_items_are_the_scores_of_the_chapter(live):
    page = live("hard-items")
    table = datasets.study_table("psychometrics-systems").set_index(["corpus", "system"])
    tenths = datasets.study_table("psychometrics-tenths").query("group == 'all'")
    hard = tenths.groupby("corpus")["difficulty_sum"].sum()
    for text in ("pku", "daily", "msr"):
        rows = table.loc[text]
        page.set("text", text)
        page.set("score", "weighted")
        for weight in (1, 30, 1000):
            more = (weight - 1) * hard[text]
            seen = page.set("weight", weight)
            for system, row in rows.iterrows():
                r = (row.gold_words * row.r + more * row.r_reward) / (row.gold_words + more)
                out = row.gold_words * row.r / row.p
                d_out = hard[text] * row.r_reward / row.p_reward
                p = (out * row.p + more * row.r_reward) / (out + (weight - 1) * d_out)
                assert seen["scores"][system] == pytest.approx(2 * p * r / (p + r), abs=1e-5)
                if weight == 1:  # a mean over runs there
                    assert seen["scores"][system] == pytest.approx(row.f1, abs=2e-5)
        seen = page.set("score", "balanced")
        for system, row in rows.iterrows():
            assert seen["scores"][system] == pytest.approx(row.f_b, abs=2e-4)
        assert seen["order"] == rows["f_b"].sort_values(ascending=False).index.tolist()
    assert len(seen["order"]) == len(rows) > 5


def test_the_hunt_is_fishers_test_and_the_band_the_librarys(live):
    page = live("hunt")
    counted = {"draws": 0, "alone": 0, "band": 0}
    for button in (None, "again", "again"):
        seen = page.press(button) if button else page.read()
        rank = np.argsort([seen["order_a"], seen["order_b"]], axis=1)
        assert sorted(seen["order_a"]) == sorted(seen["order_b"]) == list(range(rank.shape[1]))
        found = ranking.compare(-rank[0], -rank[1], seen["gold"])
        assert seen["pvalues"] == pytest.approx(found.pvalue, rel=1e-9)
        found = found.between(seen["first"], seen["last"])
        own = found.simultaneous(n_resamples=999, rng=1)
        assert stats.ks_2samp(own.least_pvalues, seen["least"]).pvalue > 1e-4
        together = found.simultaneous(least_pvalues=seen["least"])
        assert seen["critical"] == pytest.approx(together.critical_pvalue, rel=1e-9)
        inside = found.pvalue[seen["first"] - 1 : seen["last"]]
        assert seen["smallest"] == pytest.approx(inside.min(), rel=1e-9)
        for n, band in product((seen["first"], 77, seen["last"]), (False, True)):
            page.set("band", band)
            now = page.set("n", n)
            assert now["pvalue"] == pytest.approx(found.pvalue[n - 1], rel=1e-9)
            assert now["pvalue_adjusted"] == pytest.approx(together.pvalue_adjusted[n - 1])
            assert now["precision_a"] == pytest.approx(found.precision_a[n - 1])
            assert now["precision_b"] == pytest.approx(found.precision_b[n - 1])
            assert now["limit"] == pytest.approx(together.critical_pvalue if band else 0.05)
            assert now["hits"] == np.sum(inside <= now["limit"])
        assert page.press("best")["pvalue"] == pytest.approx(seen["smallest"])
        counted["draws"] += 1
        counted["alone"] += int(inside.min() <= 0.05)
        counted["band"] += int(inside.min() <= together.critical_pvalue)
        assert {key: seen[key] for key in counted} == counted
    many = page.press("twenty")
    assert many["draws"] == 23 and many["band"] <= many["alone"] <= 23


def test_the_budget_finds_what_the_studies_found(live):
    page = live("budget")
    names = {"delta": "Delta", "kd_pc_50": "KD-PC", "kd_fixed_50": "KD-Fixed", "kbv": "KBV"}
    names |= {"wkbv": "WKBV", "crf": "the CRF's own probability"}
    for learner, study in (("cw", "official-methods"), ("crf", "confidence-methods-crf")):
        table = datasets.study_table(study).query("order == 0 and quantity == 'detected'")
        for corpus, budget in product(("np", "es", "nl"), (0, 4, 20)):
            page.set("set", f"{learner}-{corpus}")
            seen = page.set("budget", budget)
            assert seen["checked"] == 250 * budget
            rows = table[(table["corpus"] == corpus) & (table["at"] == 250 * budget)]
            rows = rows.set_index("method")["value"]
            for method, title in names.items():
                if title in seen["found"]:
                    expected = rows[method] if budget else 0
                    assert seen["found"][title] == pytest.approx(expected, abs=1e-3)
            if budget and learner == "cw":  # in any order: the mean over all of them
                assert seen["random"] == pytest.approx(rows["base_rate"], rel=1e-6)
    table = datasets.study_table("today-llms").query("version == 'stated'")
    for row in table.itertuples():
        page.set("set", f"{row.task}-{row.model}")
        seen = page.set("budget", 2)  # a tenth of the answers
        assert (seen["total"], seen["wrong"]) == (row.n, row.n - row.right)
        assert abs(seen["checked"] - row.n / 10) <= 1
        found = seen["found"]["its own confidence"]
        assert abs(found - row.found_10) <= 1 and found <= seen["perfect"] <= seen["checked"]
        assert page.set("budget", 20)["found"]["its own confidence"] == row.n - row.right


def test_the_files_are_what_the_tables_give():
    for name, text in explore.files(*NAMES).items():
        if name.endswith(".js"):
            assert (explore.FOLDER / name).read_text("utf-8") == text, name
            json.loads(text.split(" = ", 1)[1].rstrip(";\n"))


def test_the_budget_has_the_colours_of_the_chapter():
    """`betterthan.taggers.COLOURS` says which; the explorables' colours are counted from 1."""
    from betterthan import taggers

    script = (explore.FOLDER / "budget.js").read_text("utf-8")
    look = dict(re.findall(r'"?([\w-]+)"?: \["var\(--ex-(\d)\)"', script))
    methods = {"KBV": "kbv", "WKBV": "wkbv", "Delta": "delta", "KD-PC": "kd_pc"}
    methods["KD-Fixed"] = "kd_fixed"
    wanted = {name: int(taggers.COLOURS[method][1:]) + 1 for name, method in methods.items()}
    assert {name: int(number) for name, number in look.items()} == wanted
    assert len(set(taggers.COLOURS.values())) == len(taggers.COLOURS) >= len(taggers.METHODS)
