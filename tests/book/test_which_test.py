"""Every leaf of the decision diagram leads to the cell that answers it, and its command runs."""

from __future__ import annotations

import re
import shlex
import shutil
from html import unescape
from pathlib import Path

import jupytext
import nbformat
import pytest

from betterthan import readers
from betterthan.__main__ import main
from press import ROOT, cookbook, formats

PAGE = ROOT / "chapters" / "x-which-test.ipynb"
CELLS = [c for c in nbformat.read(PAGE, as_version=4).cells if c.cell_type == "code"]
OUTPUTS = [o.data for c in CELLS for o in c.outputs]
[PICTURE] = [data["text/html"] for data in OUTPUTS if "text/html" in data]
[WORDS] = [data["text/markdown"] for data in OUTPUTS if "text/markdown" in data]


def routes() -> dict:
    scope: dict = {}
    exec(next(c.source for c in CELLS if "ROUTES = {" in c.source), scope)
    return scope["ROUTES"]


ROUTES = {have: leaves for family in routes().values() for have, leaves in family.items()}
LEAVES = [leaf for leaves in ROUTES.values() for leaf in leaves]
COMMANDS = sorted({leaf[4] for leaf in LEAVES if leaf[4]})
# What a reader may have, the example of it in a cell that a route leads to, and what that calls.
READS = [
    ("Tags in CoNLL", "conll", "score("),
    ("Tags in CoNLL", "conll", "compare("),
    ("Tags in CoNLL", "conll", "replicability.analyse("),
    ("CoNLL-U", "conllu", "compare("),
    ("A table of predictions", "predictions", "compare("),
    ("Ratings", "raters", "compare("),
    ("Votes", "votes", "compare("),
    ("Results of promptfoo", "promptfoo", "compare("),
    ("Reports of SWE-bench", "swebench", "compare("),
    ("Two separate samples", "scores", "compare("),
    ("A table of scores per item", "scores", "compare_many("),
    ("A table of scores per item", "seconds", "ratio=True"),
    ("A long table", "prompts", "compare("),
    ("A table with a column of tasks", "predictions", "compare_each("),
    ("One number per line", "numbers", "compare("),
    ("Translations", "translations", "compare("),
    ("Folders of lm-evaluation-harness", "lm_eval", "replicability.analyse("),
    ("Folders of lm-evaluation-harness", "lm_eval", "compare("),
    ("Logs of Inspect", "inspect", "compare("),
    ("Segmented text", "words", "compare("),
    ("Segmented text", "words", "psychometrics.difficulty("),
    ("A table of p-values", "pvalues", "replicability.analyse("),
    ("A table of scores on datasets", "datasets", "compare("),
    ("Scores of a cross-validation", "folds", "compare_folds("),
    ("Counts of a cross-validation", "fold_counts", "bayes.compare("),
    ("A table of ranked candidates", "candidates", "ranking.compare("),
    ("TREC runs", "trec", "compare("),
    ("Labels with probabilities", "probabilities", "confidence.evaluate("),
]


def slug(heading: str) -> str:
    """The address of a heading within its page."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def code_of(page: str, section: str) -> list[str]:
    """The cells of a section, with those of the sections in it; an error if it is not there."""
    text = (ROOT / "chapters" / f"{page}.md").read_text("utf-8")
    prose = re.sub(r"^```.*?^```$", lambda m: re.sub(r"[^\n]", "x", m[0]), text, flags=re.M | re.S)
    headings = [*re.finditer(r"^(##+) (.+)$", prose, re.M)]
    place = [slug(h[2]) for h in headings].index(section)
    level = len(headings[place][1])
    after = [h.start() for h in headings[place + 1 :] if len(h[1]) <= level]
    part = text[headings[place].end() : after[0] if after else None]
    cells = jupytext.reads(part, fmt="md:myst").cells
    blocks = re.findall(r"^```python\n(.*?)^```$", part, re.M | re.S)
    return [c.source for c in cells if c.cell_type == "code"] + blocks


def function(call: str) -> str:
    """The name of what is called, as the cell spells it."""
    return call.split("(")[0].split(".")[-1] + "("


def test_every_chapter_and_every_kind_of_file_is_there():
    assert {leaf[2][0] for leaf in LEAVES} >= set("1234567")
    missing = {name for _, name, other in cookbook.FILES if not other} - {k for _, k, _ in READS}
    assert not missing, "a section of lib/press/cookbook.md needs a route, and a row in READS"


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf[0])
def test_a_leaf_leads_to_a_cell_that_makes_the_call(leaf):
    question, call, page, section, _ = leaf
    cells = code_of(page, section)
    if "(" in call:
        assert any(function(call) in cell for cell in cells), f"no cell calls {call}"
    assert f"[{question}]({page}.{'md' if page == 'cookbook' else 'ipynb'}#{section})" in WORDS


@pytest.mark.parametrize(("have", "kind", "call"), READS)
def test_the_cell_reads_what_the_reader_has(have, kind, call):
    [leaves] = [leaves for name, leaves in ROUTES.items() if name.startswith(have)]
    cells = [cell for leaf in leaves for cell in code_of(*leaf[2:4])]
    assert any(cookbook.kind_of(cell) == kind and call in cell for cell in cells)


def test_the_picture_holds_the_same_links_as_the_list():
    links = re.findall(r'<a href="(.+?)">.*?class="question".*?>(.+?)</text>', PICTURE, re.S)
    shown = [(link, unescape(question)) for link, question in links]
    assert shown == [(f"{page}.html#{section}", q) for q, _, page, section, _ in LEAVES]
    listed = re.findall(r"^  - \[(.+?)\]", WORDS, re.M)
    assert listed == [question for _, question in shown]


def test_two_files_and_no_python_come_first():
    text = PAGE.with_suffix(".md").read_text("utf-8")
    assert 0 < text.index("<compare-files>") < text.index("{code-cell}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The example files under the names that the commands use."""
    here = tmp_path_factory.mktemp("files")
    apart = {"translations": "mt", "words": "words", "lm_eval": "runs", "swebench": "swe"}
    tables = {"predictions", "scores", "datasets", "prompts", "raters", "seconds"}
    for kind in tables | {one.kind for one in readers.FORMATS}:
        to = here / apart.get(kind, "")
        to.mkdir(exist_ok=True)
        for path in cookbook.paths_of(kind):
            if path.is_dir():
                shutil.copytree(path, to / path.name)
            else:
                shutil.copy(path, to)
    for name, guess in (("old", "NN"), ("new", "VB")):
        lines = ["the DT DT", f"cat NN {guess}", f"sleeps VB {guess}", ""]
        (here / f"{name}.pos").write_text("\n".join(lines * 20), "utf-8")
    return here


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command)
    assert (program, main(arguments)) == ("betterthan", 0)
    assert capsys.readouterr().out.count("\n") > 1


@pytest.mark.parametrize("page", formats.PAGES, ids=lambda path: path.stem)
def test_the_table_of_files_is_that_of_the_formats(page):
    text = page.read_text("utf-8")
    assert formats.updated(text) == text, "run `python -m press.formats`"
    rows = formats.table().splitlines()[2:]
    assert len(rows) == len(readers.FORMATS)
    for one in readers.FORMATS:
        [row] = [row for row in rows if row.startswith(f"| {one.you_have} |")]
        assert one.then in row
        assert all(f"`{question}`" in row for question in one.questions)
        assert ("`read`" in row) == (one.gives == "results")
        assert hasattr(readers, one.reader) and f"{one.reader}`" in row


def test_a_table_that_is_out_of_date_is_seen():
    page = formats.PAGES[0].read_text("utf-8")
    older = page.replace("one number per line", "one number per row")
    assert older != page and formats.updated(older) == page
    with pytest.raises(ValueError, match="expected one table"):
        formats.updated("no table")


README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```console\n(\$ betterthan (?:(?!```).*\n)+)```$", README, re.M)
SHOWN = [
    (command, shown)
    for block in BLOCKS
    for command, shown in re.findall(r"^\$ (.+)\n((?:[^$].*\n)+)", block, re.M)
]


def test_the_readme_shows_look_a_comparison_and_a_question():
    asked = [command.split()[1] for command, _ in SHOWN]
    assert asked == ["example", "compare", "example", "look", "example", "compare"]


def test_commands_print_what_the_readme_shows_from_the_first_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for command, shown in SHOWN:
        code = main(shlex.split(command)[1:])
        printed = capsys.readouterr()
        assert code == (2 if printed.err else 0)
        assert (printed.err or printed.out).split() == shown.split()


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["example", "answers"]) == 0
    blocks = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        assert (".plot()" in block) == ("plt.show()" in block)  # a script would show nothing
        exec(block, {})
    first, *sentences = capsys.readouterr().out.splitlines()[-3:]
    assert first == "96 items in 12 groups: mean 0.6875"
    assert "48 items in 12 groups" in sentences[-1] and "48 items" not in sentences[0]
