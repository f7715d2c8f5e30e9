"""The page *Compare two files here* on the files of other people's tools.

What it says, the code that it offers and what its controls do are compared with the library.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import shlex
from pathlib import Path
from typing import Any

import pytest

from betterthan import bayes, compare, compare_many, readers
from betterthan.__main__ import main
from betterthan._words import number, probability

from ..made_up_formats import KINDS, made_up_of
from ..test_contract import CASES, read_of, typed, written
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


def _table(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def _scores(mark: str = ",", names: tuple[str, ...] = ("old", "it's b")) -> str:
    """Ids, two kinds of text that repeat, and scores of some systems."""
    lines = [mark.join(["item", "topic", "language", *names])]
    for k in range(40):
        scores = [f"{(k * step % 11 + 3) / 16:.3f}" for step in (3, 7, 5)[: len(names)]]
        lines.append(mark.join([f"q{k}", f"t{k % 8}", ("en", "de")[k % 3 == 0], *scores]))
    return _table(*lines)


def _seeds() -> str:
    """Three runs of two systems, whose seeds have the same names."""
    return _table(
        "item,model,seed,score",
        *(
            f"q{k},{model},{seed},{(k * step + seed * 5) % 13 / 13:.3f}"
            for model, step in (("old", 3), ("new", 7))
            for seed in range(3)
            for k in range(30)
        ),
    )


def _alike_at_first(last: str) -> str:
    """Two runs of two systems, which do the same in the first; `last` is a score of the second."""
    scores = [("old", 0, "0.5"), ("new", 0, "0.5"), ("old", 1, "0.25"), ("new", 1, "0.5")]
    rows = [f"q{k},{model},{seed},{score}" for model, seed, score in scores for k in range(9)]
    return _table("item,model,seed,score", *rows[:-1], f"{rows[-1].removesuffix('0.5')}{last}")


def _both() -> dict[str, str]:
    """Gold tags and those of two systems in one file."""
    old, new = (path.read_text("utf-8").split("\n") for path in readers.example("conll"))
    lines = [
        f"{one.strip()} {two.split()[-1]}" if one.strip() else ""
        for one, two in zip(old, new, strict=True)
    ]
    return {"both.conll": "\n".join(lines)}


def _of(text: str, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
    return {"a table.csv": text}, options


IN_ONE = {"word": 0, "gold": -3, "predicted": [-2, -1]}
# The code and the command must say all of it.
SAID = {
    "some rows": _of(_scores(), where={"language": "en"}, groups="topic", lower=True),
    "ignored": _of(_scores(), ignore=["topic", "language"], margin=0.25),
    "tabs": _of(_scores("\t"), separator="\t", groups="topic", ignore="language"),
    "three": _of(_scores(names=("a", "b", "c")), groups="topic", ignore="language"),
    "two of three": _of(_scores(names=("a", "b", "c")), groups="topic", systems=["c", "a"]),
    "separate runs": _of(_seeds(), shared_runs=False),
    "shared runs": _of(_seeds(), shared_runs=True),
    "alike at first": _of(_alike_at_first("1")),
    "huge": _of(_alike_at_first("1e99")),
    "five hundred billion": _of(_alike_at_first("500000000000123")),
    "folds": _of(_table("old,new", *(f".{k}1,.{k * 7 % 9}" for k in range(9))), test_share=0.1),
    "two in one": (_both(), {"columns": IN_ONE, "metric": "recall"}),
    "names": (example_of("conll")[0], {"names": ["the old one", "größer"], "scheme": "plain"}),
    "a ratio": _of(_scores(), groups="topic", ratio=True),
    "a ratio of costs": _of(_scores(), groups="topic", ratio=True, lower=True),
    "latencies": _of(_scores(names=("a_latency_ms", "latencyOfB")), groups="topic"),
    "three errors": _of(_scores(names=("WER", "b", "c")), groups="topic"),
    "renamed": _of(_scores(names=("a", "b")), groups="topic", names=["loss of A", "y"]),
    "tokens per second": _of(_scores(names=("a_per_second", "b_per_second")), groups="topic"),
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
    assert said_by_the_code(page, capsys) == [shown["sentence"]] * 2


def said_by_the_code(page: Explorable, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the Python and the command that the page offers say where the files are."""
    python, command = shown_code(page)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(python, {})
    program, *words = shlex.split(command.replace("$'\\t'", "'\t'"))
    assert program == "betterthan" and main(words) == 0
    return [said.getvalue().strip(), capsys.readouterr().out.split("\n", 1)[0]]


@pytest.mark.parametrize("name", SAID)
def test_all_that_was_said_is_in_the_code(page, name, tmp_path, monkeypatch, capsys):
    files, options = SAID[name]
    shown = page.load_texts(files, options)
    assert shown["error"] == ""
    written({"files": files}, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert said_by_the_code(page, capsys) == [shown["sentence"]] * 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_is_drawn(page, name):
    page.load_texts(*EXAMPLES[name])
    page.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 50))")
    shapes = page.run(
        """[...document.querySelectorAll(".explore-figure svg :is(rect, polyline)")].map((one) => {
          const {x, y, width, height} = one.getBBox(), whole = one.closest("svg");
          return [x, y, x + width - whole.clientWidth, y + height - whole.clientHeight]; })"""
    )
    assert len(shapes) > 1
    left, top, right, bottom = map(list, zip(*shapes, strict=True))
    assert min(left) > 0 and min(top) > 0 and max(right) < 0 and max(bottom) < 0  # inside
    assert min(top) < 60  # and as high as there is room
    label = page.run("document.querySelector('.explore-figure svg').getAttribute('aria-label')")
    shown = table_of_numbers(page)
    if "95 % interval" in shown:
        assert label.endswith(f"the 95 % interval is from {shown['95 % interval']}")
    else:
        assert label.endswith("a curve for {} and one for {}".format(*page.read()["names"]))


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


def moved(page: Explorable, name: str, value: Any) -> dict[str, Any]:
    """A control gets a value, as by hand."""
    page.run(
        """(([field]) => {
          field[field.type === "checkbox" ? "checked" : "value"] = arguments[1];
          for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind));
        })([...document.querySelectorAll(".explore [data-name]")].filter(
          (field) => field.dataset.name === arguments[0]))""",
        name,
        value,
    )
    return page.read()


BLANK = _table("item,old,new", *(f"q{k},{k % 2},{'' if k == 3 else k % 3 % 2}" for k in range(30)))
LABELS = _table("item,gold,old,new", *(f"q{k},{'xyz'[k % 3]},{'xyyz'[k % 4]},x" for k in range(30)))
WORDS = _table("item,1_a,1_b,2_a,2_b", *(f"q{k},{k % 2},{k % 3},{k % 5},1" for k in range(30)))
NAMELESS = _table(",item,old,new", *(f"{k},q{k},{k % 2},{k % 3 % 2}" for k in range(30)))
OPEN = _of(_scores(), groups="topic", ignore=["language"])
THREE = _of(_scores(names=("a", "b", "c")), groups="topic", ignore=["language"])
CONLL = example_of("conll")
# Files and options, the control, its value, and what is said then beside what was before: None is
# what is said no more.
MOVES: list[tuple[tuple[dict[str, str], dict[str, Any]], str, Any, dict[str, Any]]] = [
    (OPEN, "role topic", "ignore", {"groups": None, "ignore": ["language", "topic"]}),
    (OPEN, "role topic", "key", {"groups": None, "key": "topic"}),
    (OPEN, "role language", "gold", {"ignore": None, "gold": "language"}),
    (OPEN, "role language", "", {"ignore": None}),
    (OPEN, "role old", "ignore", {"ignore": ["language", "old"]}),
    (OPEN, "role language", "systems", {"ignore": None, "systems": ["old", "it's b", "language"]}),
    (_of(NAMELESS), "role ", "key", {"key": "(no name)"}),
    (_of(NAMELESS, key="(no name)"), "role ", "ignore", {"key": None, "ignore": [""]}),
    (_of(NAMELESS, ignore=["(no name)"]), "role ", "", {"ignore": None}),
    (OPEN, "where language", "de", {"where": {"language": "de"}}),
    (
        _of(_scores(), groups="topic", where={"language": "de"}),
        "where language",
        "",
        {"where": None},
    ),
    (OPEN, "margin", "0.2", {"margin": 0.2}),
    (_of(_scores(), groups="topic", margin=0.2), "margin", "0", {"margin": 0}),
    (OPEN, "lower", True, {"lower": True}),
    (OPEN, "ratio", True, {"ratio": True}),
    (THREE, "a", "c", {"systems": ["c", "a"]}),
    (THREE, "b", "c", {"systems": ["a", "c"]}),
    (_of(_seeds()), "shared_runs", "no", {"shared_runs": False}),
    (_of(_seeds()), "shared_runs", "yes", {"shared_runs": True}),
    (_of(_seeds(), shared_runs=True), "shared_runs", "", {"shared_runs": None}),
    (CONLL, "name_b", " the new one ", {"names": ["old", "the new one"]}),
    (CONLL, "scheme", "plain", {"scheme": "plain"}),
    (CONLL, "comments", True, {"comments": "# "}),
    ((CONLL[0], {"comments": "# "}), "comments", False, {"comments": None}),
    ((_both(), {"columns": IN_ONE}), "columns", False, {"columns": None}),
    (_of(BLANK, empty="drop"), "empty", "wrong", {"empty": "wrong"}),
    (_of(BLANK, empty="drop"), "metric", "accuracy", {"metric": "accuracy"}),
    (_of(LABELS, metric="macro_f1"), "positive", "y", {"metric": None, "positive": "y"}),
    (_of(LABELS, positive="y"), "metric", "recall", {"metric": "recall"}),
    (_of(WORDS, runs=["1_*", "2_*"]), "runs", "1_a  2_*", {"runs": ["1_a", "2_*"]}),
    (EXAMPLES["fold_counts"], "repetitions", "6", {"repetitions": 6}),
    (SAID["folds"], "test_share", "0.2", {"test_share": 0.2}),
    (SAID["tabs"], "separator", ";", {"separator": ";"}),
    (
        _of(_table("old,new", *("0.5,0.6", "0.7,0.4") * 4), items=True),
        "items",
        False,
        {"items": None},
    ),
    ((_separate()[0], {"unmatched": "drop"}), "unmatched", False, {"unmatched": None}),
]


@pytest.mark.parametrize("place", range(len(MOVES)))
def test_controls_say_what_they_mean(page, place):
    (files, options), control, value, then = MOVES[place]
    page.load_texts(files, options)
    after = moved(page, control, value)
    wanted = {name: said for name, said in {**options, **then}.items() if said is not None}
    assert after["options"] == wanted
    same = page.load_texts(files, wanted)
    assert (after["sentence"], after["error"]) == (same["sentence"], same["error"])


def controls(page: Explorable) -> dict[str, list[Any]]:
    """Of every control its label, what it shows, and what may be chosen."""
    return page.run(
        """Object.fromEntries([...document.querySelectorAll("[data-name]")].map((field) => {
          const {type, tagName, dataset} = field, label = field.closest("label");
          return [dataset.name, [
            tagName === "BUTTON" ? field.textContent
              : (type === "checkbox" ? label : label.firstChild).textContent.trim(),
            type === "checkbox" ? field.checked : field.value,
            [...(field.options ?? [])].map((one) => one.text)]]; }))"""
    )


ALL = ["all 3 together", "a", "b", "c"]
RUNS = ["by their names", "are the same (seeds, prompts, judges)", "are separate"]
IN_WORDS = "gold is the 3. from the right, systems the 2. from the right and 1. from the right"
# Files and options, a control, and what stands there: None where there is no such control.
STANDING: list[tuple[tuple[dict[str, str], dict[str, Any]], str, list[Any] | None]] = [
    (OPEN, "lower", ["lower is better", False, []]),
    (_of(_scores(), groups="topic", lower=True), "lower", ["lower is better", True, []]),
    (_of(LABELS), "lower", None),
    (OPEN, "a", None),
    (OPEN, "name_a", None),
    (THREE, "a", ["A, the old one", "", ALL]),
    (SAID["shared runs"], "shared_runs", ["Runs of both", "yes", RUNS]),
    (SAID["separate runs"], "shared_runs", ["Runs of both", "no", RUNS]),
    (SAID["two in one"], "columns", [f"Columns: {IN_WORDS}", True, []]),
    (SAID["folds"], "role old", None),
    (EXAMPLES["fold_counts"], "role fold", None),
]


@pytest.mark.parametrize("place", range(len(STANDING)))
def test_controls_show_what_holds(page, place):
    given, control, wanted = STANDING[place]
    assert page.load_texts(*given)["error"] == ""
    assert controls(page).get(control) == wanted


def test_tags_have_no_columns_with_names(page):
    page.load_texts(*CONLL)
    assert "What each column is" not in page.run("document.querySelector('.explore').textContent")


def test_ways_on_are_said_with_the_names_of_the_controls(page):
    said = page.load_texts(*_of(BLANK))["error"]
    ways = [shown[0] for name, shown in controls(page).items() if name.startswith("way-")]
    assert ways == ["Blank answers: count them wrong", "Blank answers: leave the items out"]
    trouble = page.run("document.querySelector('.explore-trouble').textContent")
    assert said.startswith(f"{trouble}; say ") and all(way in said for way in ways)
    page.load_texts(_separate()[0], {})
    assert controls(page)["way-0"][0] == "Two separate samples of items"
    page.load_texts(*_of(_scores(), ignore=["language"]))
    ways = [shown[0] for name, shown in controls(page).items() if name.startswith("way-")]
    assert ways == ["Groups: “topic”", "Left out: “language”, “topic”"]
    twice = "\n".join([",score", *(f"{k % 6},{k % 5 % 2}" for k in range(12))])
    page.load_texts({"old.csv": twice, "new.csv": twice}, {})
    assert controls(page)["way-0"][0] == "Left out: “(no name)”"
    page.browser.find_element("css selector", "[data-name=way-0]").click()
    assert page.read()["options"] == {"ignore": [""]}


def test_two_of_three_are_chosen_one_after_the_other(page):
    page.load_texts(*THREE)
    steps = [("a", "b", ["b", "a"]), ("b", "c", ["b", "c"]), ("b", "b", ["a", "b"])]
    for control, value, systems in [*steps, ("a", "b", ["b", "a"]), ("b", "", None)]:
        assert moved(page, control, value)["options"].get("systems") == systems
    assert "3 systems" in page.read()["sentence"]


def test_the_pages_own_example_is_the_shipped_one(page, tmp_path):
    """Its second file is kept by the lines that differ from the first."""
    page.load_texts({}, {})
    buttons = page.browser.find_elements("css selector", ".explore button")
    next(button for button in buttons if button.text == "Two CoNLL files").click()
    shipped = {path.name: path.read_text("utf-8") for path in readers.example("conll")}
    assert page.read()["sentence"] == command_line(*typed({"files": shipped}, tmp_path))[1]


def test_of_three_files_the_first_two_are_offered(page):
    """A margin is asked of two systems; the rest of what was said stays."""
    files = {f"{name}.txt": _lines(step) for name, step in (("a", 3), ("b", 5), ("c", 7))}
    shown = page.load_texts(files, {"margin": 0.4, "lower": True})
    assert [way["value"] for way in shown["refusal"]["ways"]] == [["a.txt", "b.txt"]]
    assert controls(page)["way-0"][0] == "Files: “a.txt”, “b.txt”"
    page.browser.find_element("css selector", "[data-name=way-0]").click()
    found = page.read()
    assert found["names"] == ["a", "b"] and found["options"] == {"margin": 0.4, "lower": True}


def _lines(step: int) -> str:
    """A number per line."""
    return "\n".join(f"{k * step % 11 / 11:.2f}" for k in range(30))


SWAPS = {
    "two files": _separate(),
    "two files with names": (CONLL[0], {"names": ["a", "b"]}),
    "a table": OPEN,
    "one file of tags": (_both(), {"columns": IN_ONE}),
    "runs": _of(WORDS, runs=["1_*", "2_*"]),
    "two of three": SAID["two of three"],
    "folds": EXAMPLES["fold_counts"],
}


@pytest.mark.parametrize("name", SWAPS)
def test_a_and_b_change_places(page, name):
    before = page.load_texts(*SWAPS[name])
    script = "document.querySelector('.explore-chosen button').click()"
    for names in (before["names"][::-1], before["names"]):
        page.run(script)
        after = page.read()
        assert after["error"] == "" and after["names"] == names
        assert (after["value_a"], after["value_b"]) == pytest.approx(
            [before[f"value_{'ab'[before['names'].index(own)]}"] for own in names]
        )


def chosen(page: Explorable, *paths: Path) -> dict[str, Any]:
    """Files through the picker, byte by byte."""
    page.load_texts({}, {})
    page.browser.find_element("css selector", ".explore-picker").send_keys(
        "\n".join(map(str, paths))
    )
    page.browser.execute_async_script(
        """const done = arguments[0], wait = () =>
          document.querySelector(".explore-outcome").textContent.startsWith("Reading")
          ? setTimeout(wait, 10) : done();
        setTimeout(wait, 60);"""
    )
    return page.read()


NO_TEXT = {
    "latin": ("id,a\nx,1\nü,2\nz,3\n".encode("latin-1"), "not text in UTF-8", 3),
    "last line": ("id,a\nx,1\nü".encode("latin-1"), "not text in UTF-8", 3),
    "utf-16": ("id,a\nx,1\n".encode("utf-16"), "(it looks like UTF-16)", 1),
    "gzip": (gzip.compress(b"id,a\n"), "this is gzip", 0),
    "a spreadsheet": (b"PK\3\4" + bytes(9), "a zip or a spreadsheet", 0),
    "parquet": (b"PAR1" + bytes(9), "this is parquet", 0),
}


@pytest.mark.parametrize("name", NO_TEXT)
def test_what_is_not_text_is_refused_with_its_line(page, name, tmp_path):
    given, words, line = NO_TEXT[name]
    path = tmp_path / "scores.csv"
    path.write_bytes(given)
    shown = chosen(page, path)
    assert words in shown["error"] and (shown["refusal"]["line"] or 0) == line


@pytest.mark.parametrize("names", [("scores.csv", "scores (2).csv"), ("scores", "scores (2)")])
def test_files_of_the_same_name_are_told_apart(page, tmp_path, names):
    paths = [tmp_path / folder / names[0] for folder in ("one", "two")]
    for path, (_, text) in zip(paths, _separate()[0].items(), strict=True):
        path.parent.mkdir()
        path.write_text(text, "utf-8")
    assert chosen(page, *paths)["files"] == [*names]


def test_files_are_dropped_and_the_page_says_that_it_reads(page):
    files, options = example_of("conll")
    wanted = page.load_texts(files, options)
    page.load_texts({}, {})
    said = page.run(
        """((given) => {
          const dataTransfer = new DataTransfer();
          for (const [name, text] of given) dataTransfer.items.add(new File([text], name));
          const drop = new DragEvent("drop", {dataTransfer, cancelable: true});
          document.querySelector(".explore-drop").dispatchEvent(drop);
          return document.querySelector(".explore-outcome").textContent; })(arguments[0])""",
        list(files.items()),
    )
    assert said == "Reading …"
    page.browser.execute_async_script("setTimeout(arguments[0], 200)")
    assert page.read()["sentence"] == wanted["sentence"]


def table_of_numbers(page: Explorable) -> dict[str, str]:
    return page.run(
        """Object.fromEntries([...document.querySelectorAll(".explore-more > table tr")].map(
          (row) => [...row.children].map((cell) => cell.textContent)))"""
    )


def test_the_numbers_are_those_of_the_library(page, tmp_path):
    files, options = _of(_scores(), groups="topic", ignore="language", margin=0.2)
    page.load_texts(files, options)
    _, systems, asked = read_of(*typed({"files": files, "options": options}, tmp_path))
    found = compare(*systems, **asked)
    assert table_of_numbers(page) == {
        "Mean of old": number(found.value_a),
        "Mean of it's b": number(found.value_b),
        "it's b minus old": number(found.difference, "+"),
        "95 % interval": " to ".join(number(end, "+") for end in found.interval),
        "p-value, two-sided": f"{found.pvalue:.3f}",
        "P(it's b better)": f"{found.p_better:.3f}",
        "P(at most 0.2 apart)": f"{found.p_within:.3f}",
        "items": "40",
        "groups": "8, worth 8.0 equal ones",
    }
    page.load_texts(*SAID["a ratio"])
    ratio = table_of_numbers(page)
    assert ratio["it's b over old"] == "1.0212" and ratio["95 % interval"] == "0.8389 to 1.2750"


def test_the_numbers_of_several_and_of_folds_are_those_of_the_library(page, tmp_path):
    files, options = THREE
    page.load_texts(files, options)
    many = compare_many(read_of(*typed({"files": files, "options": options}, tmp_path))[1])
    shown = table_of_numbers(page)
    for row in many.ranks.itertuples():
        rank = (
            row.rank_low if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"
        )
        assert shown[row.name] == f"{number(row.value)}, rank {rank}"
    for row in many.table().itertuples():
        apart = f"{number(row.difference, '+')}, p = {row.pvalue_adjusted:.3f}"
        assert shown[f"{row.b} minus {row.a}"] == apart
    files, options = EXAMPLES["fold_counts"]
    page.load_texts(files, options)
    _, systems, asked = read_of(*typed({"files": files, "options": options}, tmp_path))
    found, shown = bayes.compare(*systems, **asked), table_of_numbers(page)
    a, b = found.names
    assert shown[f"P({b} better by more than 0.01)"] == probability(found.p_h1)
    assert shown[f"P({a} better by more than 0.01)"] == probability(found.p_h0)
    assert shown["P(neither)"] == probability(found.p_within)
    assert shown[f"{b} minus {a}"] == number(found.value_b - found.value_a, "+")


def _seven() -> str:
    """Right or wrong, of seven systems."""
    rows = (",".join(str(int(k * step % 7 < 4)) for step in range(2, 9)) for k in range(1, 31))
    return _table("a,b,c,d,e,f,g", *rows)


TWO_RUNS = _seeds().replace("old,", "x,").replace("new,", "y,") + _seeds().split("\n", 1)[1]
SAME = ", as the command line computes it"
# How it was computed: the line that says so, which the sentence must bear out.
METHODS = {
    "half-samples": (OPEN, "interval, p and probability: all 255 half-samples"),
    "right or wrong": (
        _of(LABELS),
        "interval, p and probability: Tango's score interval, the inverse of McNemar's test",
    ),
    "separate": (
        EXAMPLES["separate"],
        "interval, p and probability: the two systems' own intervals put together",
    ),
    "folds": (
        SAID["folds"],
        "interval, p and probability: corrected resampled t with 8 degrees of freedom",
    ),
    "counts of folds": (
        EXAMPLES["fold_counts"],
        "probabilities: an integral over both posteriors",
    ),
    "three": (THREE, "p-values: 255 exchanges"),
    "three with runs": (_of(TWO_RUNS), "p-values: Student's t with Holm's correction"),
}


@pytest.mark.parametrize("name", METHODS)
def test_the_page_says_how_it_computed(page, name):
    given, words = METHODS[name]
    shown = page.load_texts(*given)
    read = "[...document.querySelectorAll('.explore-more li')].map((one) => one.textContent)"
    assert (shown["error"], page.run(read)[-1]) == ("", words + SAME)
    if name in ("right or wrong", "folds"):
        assert words.split(": ")[1] in shown["sentence"]


def test_of_many_pairs_some_are_shown(page):
    page.load_texts(*_of(_seven(), items=True))
    shown = table_of_numbers(page)
    assert "… and 6 more pairs" in shown and sum(" minus " in what for what in shown) == 15


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
