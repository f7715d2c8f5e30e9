"""The page *Compare two files here* on the files of other people's tools.

What it says, the code that it offers and what its controls do are compared with the library.
"""

from __future__ import annotations

import contextlib
import io
import shlex
from typing import Any

import pytest

from betterthan import readers
from betterthan.__main__ import main

from ..made_up_formats import KINDS, made_up_of
from ..test_contract import CASES, typed
from .test_browser import browser, pytestmark
from .test_contract_page import command_line, page, refusal, refused_alike
from .test_explore import Explorable

__all__ = ["browser", "page", "pytestmark"]

SEEDS = range(10)


def example_of(kind: str, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """The texts of an example by their names, and what is said about them."""
    paths = readers.example(kind)
    paths = paths if isinstance(paths, tuple) else (paths,)
    return {path.name: path.read_text("utf-8") for path in paths}, options


def _separate() -> tuple[dict[str, str], dict[str, Any]]:
    made = {
        name: "id,score\n" + "".join(f"{name}{k},{k * step % 7 / 7:.3f}\n" for k in range(n))
        for name, n, step in (("march", 40, 3), ("april", 55, 5))
    }
    return {f"{name}.csv": text for name, text in made.items()}, {"paired": False, "margin": 0.1}


EXAMPLES = {
    "votes": example_of("votes"),
    "swebench": example_of("swebench"),
    "promptfoo": example_of("promptfoo"),
    "the score of promptfoo": example_of("promptfoo", metric="score"),
    "conllu": example_of("conllu", gold="gold.conllu"),
    "LAS of conllu": example_of("conllu", gold="gold.conllu", column="LAS"),
    "fold_counts": example_of("fold_counts", repetitions=3, margin=0.01),
    "separate": _separate(),
}


def shown_code(page: Explorable) -> list[str]:
    """What the page offers as Python, and as a command."""
    return page.browser.execute_script(
        "return [...document.querySelectorAll('.explore pre code')].map((one) => one.textContent)"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_with_their_code_and_command(page, name, tmp_path, monkeypatch, capsys):
    """The sentence is that of the command line; so are those of the code and the command shown."""
    files, options = EXAMPLES[name]
    shown = page.load_texts(files, options)
    assert shown["error"] == ""
    assert (0, shown["sentence"]) == command_line(
        *typed({"files": files, "options": options}, tmp_path)
    )
    monkeypatch.chdir(tmp_path)
    python, command = shown_code(page)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(python, {})
    assert said.getvalue().strip() == shown["sentence"]
    program, *words = shlex.split(command)
    assert program == "betterthan" and main(words) == 0
    assert capsys.readouterr().out.split("\n", 1)[0] == shown["sentence"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_is_drawn(page, name):
    page.load_texts(*EXAMPLES[name])
    page.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 50))")
    count = "return document.querySelectorAll('.explore-figure svg :is(rect, polyline)').length"
    assert page.browser.execute_script(count) > 1


CONTROLS = [
    ("conllu", "column"),
    ("conllu", "metric"),
    ("promptfoo", "metric"),
    ("fold_counts", "metric"),
    ("votes", "lower"),
    ("swebench", "paired"),
]


@pytest.mark.parametrize(("name", "control"), CONTROLS)
def test_controls_move_by_keyboard(page, name, control):
    from selenium.webdriver import Keys

    before = page.load_texts(*EXAMPLES[name])
    field = page.browser.find_element("css selector", f'.explore [data-name="{control}"]')
    field.send_keys(Keys.SPACE if field.get_attribute("type") == "checkbox" else Keys.ARROW_DOWN)
    after = page.read()
    assert after["options"].get(control) != before["options"].get(control)
    assert after["sentence"] not in ("", before["sentence"])


def test_the_gold_standard_is_chosen_among_the_files(page):
    files, _ = example_of("conllu")
    shown = page.load_texts(files, {})
    assert shown["sentence"] == "" and "gold standard" in shown["error"]
    choices = "return [...document.querySelector('[data-name=way-0]').options].map((o) => o.value)"
    assert page.browser.execute_script(choices) == ["", *files]
    shown = page.set("gold", "gold.conllu")
    assert shown["names"] == ["old", "new"] and shown["error"] == ""
    buttons = page.browser.find_elements("css selector", ".explore-chosen button")
    next(button for button in buttons if button.text.startswith("Swap")).click()
    assert page.read()["names"] == ["new", "old"]


def test_the_gold_standard_may_come_later(page, tmp_path):
    files, _ = example_of("conllu")
    gold = tmp_path / "gold.conllu"
    gold.write_text(files.pop("gold.conllu"), "utf-8")
    shown = page.load_texts(files, {})
    assert "choose the file of the gold standard, too" in shown["error"]
    page.browser.find_element("css selector", ".explore-picker").send_keys(str(gold))
    page.browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert page.read()["files"] == ["old.conllu", "new.conllu", "gold.conllu"]
    assert page.set("gold", "gold.conllu")["names"] == ["old", "new"]


def test_chunks_are_not_the_gold_standard_of_names(page):
    """Three files of which nothing is said: one of them is chosen, or the columns are typed."""
    from selenium.webdriver import Keys

    files = CASES["conll-chunks-and-a-gold-file"]["files"]
    assert "column 3 of 4 is taken for the gold standard" in page.load_texts(files, {})["error"]
    choices = "return [...document.querySelector('[data-name=way-0]').options].map((o) => o.value)"
    assert page.browser.execute_script(choices) == ["", *files]
    assert page.set("gold", "gold.conll")["names"] == ["old", "new"]
    two = {name: files[name] for name in ("old.conll", "new.conll")}
    assert "choose the file of the gold standard, too" in page.load_texts(two, {})["error"]
    field = page.browser.find_element("css selector", "[data-name=way-1]")
    field.send_keys("0 -2 -1", Keys.ENTER)
    assert page.read()["sentence"].startswith("F1 is 0.0000 for old")


def test_any_two_of_three_models_are_chosen(page):
    """A button for each pair, and two lists; both stay when a pair is chosen."""
    files = CASES["votes-of-three-models"]["files"]
    page.load_texts(files, {})
    ways = page.browser.find_elements("css selector", ".explore-ways button")
    assert [way.text for way in ways] == [f"Systems: “{a}”, “{b}”" for a, b in ("xy", "xz", "yz")]
    ways[1].click()
    assert page.read()["names"] == ["x", "z"]
    for control, name, names in (("a", "y", ["y", "z"]), ("b", "x", ["y", "x"])):
        field = page.browser.find_element("css selector", f".explore [data-name={control}]")
        page.browser.execute_script(
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
            field,
            name,
        )
        assert page.read()["names"] == names


def test_votes_with_a_blank_winner_are_left_out_and_asked_about_again(page):
    case = CASES["votes-blank-winner"]
    page.load_texts(case["files"], case["options"])
    page.browser.find_element("css selector", "[data-name=way-0]").click()
    assert "2 votes with a blank winner left out." in page.read()["sentence"]
    field = page.browser.find_element("css selector", ".explore [data-name=empty]")
    assert field.text.split("\n") == ["ask", "leave the votes out"]
    assert page.set("empty", "")["sentence"] == ""


def test_separate_samples_are_a_way_on_and_can_be_unsaid(page):
    files, _ = _separate()
    shown = page.load_texts(files, {})
    assert [way["argument"] for way in shown["refusal"]["ways"]] == ["paired"]
    page.browser.find_element("css selector", "[data-name=way-0]").click()
    assert "separate samples of 40 and 55 items" in page.read()["sentence"]
    page.browser.find_element("css selector", "[data-name=paired]").click()
    assert page.read()["sentence"] == "" and "paired" not in page.read()["options"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_made_up_files(page, kind, seed, tmp_path):
    """The same sentence, or the same refusal with the same ways on."""
    made = made_up_of(kind, seed)
    shown = page.load_texts(made.files, made.options)
    paths, options = typed({"files": made.files, "options": made.options}, tmp_path)
    code, sentence = command_line(paths, options)
    assert (code, sentence) == (0 if shown["sentence"] else 2, shown["sentence"])
    if code == 2:
        refused_alike(refusal(paths, options), shown)


def test_made_up_files_are_read_and_refused(tmp_path):
    """The seeds hold what they should: of every kind some are compared and some refused."""
    for kind in KINDS:
        codes = set()
        for seed in SEEDS:
            folder = tmp_path / f"{kind}{seed}"
            folder.mkdir()
            made = made_up_of(kind, seed)
            case = {"files": made.files, "options": made.options}
            codes.add(command_line(*typed(case, folder))[0])
        assert codes == {0, 2}, kind
