"""The sealed text of chapter 7: the machine's error rates are those of the normal distribution."""

from __future__ import annotations

import pytest
from scipy import stats

from press import explore_seal

from .test_explore import browser, explorable, pages, pytestmark

__all__ = ["browser", "explorable", "pages", "pytestmark"]


def let_in(truth: float, margin: float, lines: int) -> float:
    """How often the lower end of the 95 % interval is above minus the margin."""
    data = explore_seal.seal_data()
    error = data["error"] * (data["lines"] / lines) ** 0.5
    return float(stats.norm.sf(-margin + stats.norm.ppf(0.975) * error, truth, error))


def test_the_rate_is_that_of_the_rule(explorable):
    page = explorable("seal")
    for truth, margin, lines in [(-1, 1, 5000), (0, 1, 5000), (0, 1, 500), (-2, 0.5, 1000)]:
        page.set("truth", truth)
        page.set("margin", margin)
        shown = page.set("lines", lines)
        assert shown["rate"] == pytest.approx(let_in(truth, margin, lines), abs=1e-9)


def test_opened_seals_keep_to_that_rate(explorable):
    page = explorable("seal")
    edge = page.press("thousand")
    assert edge["opened"] == 1000 and edge["letIn"] <= 45 and "wrongly" in edge["says"]
    page.set("truth", 0)
    equal = page.press("thousand")
    assert 950 <= equal["letIn"] <= 990 and "as it should be" in equal["says"]
    page.set("truth", -2)
    assert page.press("thousand")["letIn"] == 0
    page.set("when", "after")
    assert page.press("thousand")["letIn"] >= 950


def test_one_seal_is_decided_by_its_interval(explorable):
    page = explorable("seal")
    for _ in range(5):
        last = page.press("one")["last"]
        assert last["letIn"] == (last["low"] > -1)
        page.press("again")


PICTURE = """(() => {
const left = (mark) => mark.getBoundingClientRect().left;
const found = (name) => [...document.querySelectorAll(`.explore svg .${name}`)].map(left);
return { margin: found("ex-margin"), letIn: found("ex-in"), out: found("ex-out") };
})()"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("margin", [0, 0.5, 1, 2, 3])
def test_the_band_is_the_margin_that_decides(explorable, margin, when):
    """Every interval that is let in begins inside the band, every other one outside of it."""
    page = explorable("seal")
    page.set("when", when)
    page.set("margin", margin)
    seen = {"letIn": 0, "out": 0}
    for truth in (-3, -2, -1, 0, 1):
        page.set("truth", truth)
        page.press("hundred")
        picture = page.run(PICTURE)
        (edge,) = picture["margin"]
        assert all(left > edge - 2.5 for left in picture["letIn"])
        assert all(left < edge + 2.5 for left in picture["out"])
        seen = {kind: seen[kind] + len(picture[kind]) for kind in seen}
    assert min(seen.values()) > 10


def test_every_control_moves_by_keyboard(explorable):
    page = explorable("seal")
    fields = page.browser.find_elements("css selector", ".explore [data-name]")
    assert len(page.by_keyboard()) == len(fields)


def test_the_words_on_the_page_are_what_the_rule_gives():
    """About one in forty; nearly all with 5,000 lines, a quarter with 500, all after the fact."""
    assert let_in(-1, 1, 5000) == pytest.approx(0.025) == let_in(-1, 1, 500)
    assert let_in(0, 1, 5000) > 0.95 and 0.2 < let_in(0, 1, 500) < 0.3
    assert let_in(-2, 3, 5000) > 0.95
