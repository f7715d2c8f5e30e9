"""The slides are those that a chapter chooses, can be read from the back row, need no network."""

from __future__ import annotations

import re
from html import unescape

import nbformat
import pytest

from press import chapters, numbers, slides
from press.student import plain
from tests.book.test_browser import CHROMIUM, DRIVER, browser, failures, open_page, resize  # noqa: F401

NOTEBOOKS = slides.lectures()
FEWEST, MOST = 20, 30
LONGEST_HEADLINE, LONGEST_LEAD = 60, 60
MOST_CODE = 8
MOST_ROWS, MOST_COLUMNS = 8, 6
SMALLEST_TEXT, SMALLEST_IN_PICTURE = 18, 18
SAID = re.compile(r'<p class="said">.*?</p>', re.DOTALL)
ROLE = re.compile(r"\{[\w:+-]+\}\s*(`|<code>)")
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR42mP8//8/AwMDAA7/Av8BviLeAAAAAElF"
    "TkSuQmCC"
)


HOME = ["Home", "Home: the picture"]


def text_cell(source: str, slide: str = "") -> nbformat.NotebookNode:
    return nbformat.v4.new_markdown_cell(source, metadata={"slide": slide} if slide else {})


def code_cell(source: str, data: dict, slide: str = "", tags: tuple = ()) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("execute_result", data, execution_count=1)
    metadata = {"tags": list(tags), **({"slide": slide} if slide else {})}
    metadata["mystnb"] = {"image": {"alt": "Dots"}, "figure": {"caption": "Seen *here*."}}
    return nbformat.v4.new_code_cell(source, outputs=[output], metadata=metadata)


def small() -> nbformat.NotebookNode:
    table = "<style scoped>x</style><table><tr><td>7</td></tr></table>"
    cells = [
        text_cell("(ch-9)=\n# Which?\n\nFor a start."),
        text_cell(
            "## The problem\n\nThe law, as {cite:t}`rubin1981bayesian` says in {ref}`glossary`:\n\n"
            "$$\na^2 + b^2\n$$ (eq-a)\n\nLong prose, see {eq}`eq-a`.\n\n- a point\n\n"
            ":::{admonition} Mind\n:class: tip\nThe gap.\n:::\n\n"
            ":::{table} All of it\n| x |\n| - |\n| 1 |\n:::\n\n### A new part\n\n- not on it",
            "There is a law & it is short",
        ),
        text_cell("Spoken, too."),
        code_cell("import secrets", {"text/plain": "'not chosen'"}),
        text_cell("## The idea\n\nSaid first."),
        code_cell("figure()", {"image/png": DOT, "text/plain": "<Figure>"}, "A picture"),
        text_cell("*Seven,\nin {term}`all`.*"),
        code_cell("table()", {"text/html": table, "text/plain": "7"}, "A table"),
        code_cell("1 + 1", {"text/plain": "2"}, "One and one", ("slide-code",)),
        code_cell("rows()", {"text/plain": "a  b\nc  d"}, "Columns"),
        code_cell("home()", {"text/plain": "Said."}, "Home", ("slide-code",)),
        code_cell("again()", {"text/plain": "Again " * 70}, "Again"),
        text_cell(
            "Drag it.\n\n"
            + '<div class="explore">\n\n![Still](_static/favicon.svg)\n\nSo.\n\n</div>',
            "Play",
        ),
        text_cell("## Exercises\n\nThree of them."),
        text_cell(
            ":::{exercise} ★ Predict first: a sum\n:label: ex-a\nAdd up.\n:::\n\n"
            ":::{exercise} ★★ Another\n:label: ex-b\nNot this.\n:::\n\n"
            ":::{solution-start} ex-a\n:class: dropdown\n:::\n\nGiven away.",
            "Your turn",
        ),
        code_cell("print('given away')", {"text/plain": "given away"}),
        text_cell(
            "Given away.\n\n:::{solution-end}\n:::\n\n::::{solution} ex-b\nGiven away.\n::::"
        ),
        text_cell("## Further reading\n\nNot on a slide."),
    ]
    del cells[7].metadata["mystnb"]["figure"]
    for number in (10, 11):
        cells[number].outputs += cells[5].outputs
    return nbformat.v4.new_notebook(cells=cells)


def test_a_small_chapter_becomes_the_slides_it_chooses():
    title, columns = slides.columns(small())
    assert title == "Which?"
    heads = [[slide.headline for slide in column] for column in columns]
    assert heads == [
        [""],
        ["There is a law &amp; it is short"],
        ["A picture", "A table", "One and one", "Columns", *HOME, "Again", "Play"],
        ["Your turn"],
    ]
    assert "<h1>Which?</h1>" in columns[0][0].body and "For a start." in columns[0][0].notes
    law = columns[1][0]
    assert law.section == "The problem"
    assert law.body.startswith("<p>The law, as Rubin (1981) says in Glossary:</p>")
    for shown in ("a^2 + b^2", "a point", "<h3>Mind</h3><p>The gap.", "<td>1</td>", "All of it"):
        assert shown in law.body
    assert "Long prose, see the equation." in law.notes and "Spoken, too." in law.notes
    assert "prose" not in law.body and "not on it" not in law.body and "eq-a" not in law.body
    picture, table, both, aligned, home, drawn, again, play = columns[2]
    assert picture.notes.startswith("<p>Said first.</p>")
    assert picture.body.startswith('<img alt="Dots" src="data:image/png;base64,')
    assert "figure()" not in picture.body and "Seen <em>here</em>." in picture.notes
    caption = '<p class="caption"><em>Seven,\nin all.</em></p>\n'
    assert table.body == "<table><tr><td>7</td></tr></table>" + caption
    assert "1 + 1" in both.body and '<p class="said">2</p>' in both.body
    assert aligned.body == "<pre><code>a  b\nc  d</code></pre>"
    assert home.body.endswith('home()</code></pre><p class="said">Said.</p>')
    assert drawn.body == picture.body == again.body and "Again Again" in again.notes
    assert play.body.startswith("<p>Drag it.</p>\n<img") and "So." in play.notes
    everything = "".join(str(slide) for column in columns for slide in column)
    assert "★ Predict first: a sum</h3><p>Add up." in columns[3][0].body
    for hidden in ("iven away", "Not this", "Not on a slide", "secrets", "not chosen"):
        assert hidden not in everything


def spoken(notebook: nbformat.NotebookNode) -> list[str]:
    """Every paragraph before the exercises, as a slide or its notes show it."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    parts = slides.blocks(plain(text.partition("## Exercises")[0]))
    return [shown for kind, shown in parts if kind == "paragraph"]


def faults(notebook: nbformat.NotebookNode) -> list[str]:
    """What is wrong with the slides of a chapter, in words."""
    chosen = [c for c in notebook.cells if c.metadata.get("slide")]
    drawn = sum("figure" in c.metadata.get("mystnb", {}) for c in chosen)
    told = spoken(notebook)
    found, made = [], [s for column in slides.columns(notebook)[1] for s in column]
    if not FEWEST <= len(made) <= MOST:
        found.append(f"{len(made)} slides, {FEWEST} to {MOST} are wanted")
    if lost := {plain(c.metadata["slide"]) for c in chosen} - {unescape(s.headline) for s in made}:
        found.append(f"cells that became no slide: {sorted(lost)}")
    if sum("<img" in s.body or "<table" in s.body for s in made) < drawn:
        found.append("a slide has lost its figure")
    heard = "".join(s.body + s.notes for s in made)
    found += [f"on no slide and in no notes: {said[:60]!r}" for said in told if said not in heard]
    for slide in made[1:]:
        words = re.sub(r"<[^>]+>", "", slide.body).strip()
        lead = re.match(r"<p>(.*?)</p>", slide.body, re.DOTALL)
        source = re.search(r'<pre class="source">(.*?)</pre>', slide.body, re.DOTALL)
        rows = [r.count("<td") for r in re.findall(r"<tr.*?</tr>", slide.body, re.DOTALL)]
        is_wrong = {
            "its headline is long": len(unescape(slide.headline)) > LONGEST_HEADLINE,
            "mathematics in its headline": "$" in slide.headline,
            "nothing is on it": not words and "<img" not in slide.body,
            "code only": source
            and slide.body == source[0]
            and not any(s.headline == f"{slide.headline}: the picture" for s in made),
            "a long sentence that was printed": any(map(slides.is_long, SAID.findall(slide.body))),
            "much code": source and source[0].count("\n") >= MOST_CODE,
            "a role": ROLE.search(slide.headline + slide.body + slide.notes),
            "a table of many rows": len(list(filter(None, rows))) > MOST_ROWS,
            "a table of many columns": max(rows, default=0) > MOST_COLUMNS,
        }
        if lead:
            said = re.sub(r"<[^>]+>", "", lead[1]).strip()
            alone = slide.body.strip() == lead[0]
            is_wrong["its headline twice"] = said.startswith(unescape(slide.headline))
            is_wrong["a long first paragraph"] = len(said.split()) > LONGEST_LEAD
            is_wrong["a broken sentence"] = not re.search(r"[.?!…][”\"’)\]]*$", said) and (
                alone or not re.search(r"[:,;]$|\w$|\\\)$", said)
            )
        found += [f"{slide.headline!r}: {fault}" for fault, wrong in is_wrong.items() if wrong]
    return found


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_chapter_chooses_slides_that_are_whole(notebook):
    found = faults(nbformat.read(notebook, as_version=4))
    assert found == [], "\n".join(found)


def test_the_check_sees_what_is_wrong():
    fine = small()
    fine.cells += [text_cell("## More")] + [text_cell("It is so.", "So it is")] * 15
    assert faults(fine) == []
    for source, slide, fault in [
        ("So.", "A headline " * 6, "long"),
        ("So.", "How large is $x$?", "mathematics"),
        ("As follows:", "Broken", "broken"),
        ("**Twice.** So.", "Twice", "headline twice"),
        ("A {zzz}`role`.", "Role", "role"),
        ("word " * 61 + ".", "Long", "long first"),
        ("| a |\n| - |\n" + "| 1 |\n" * 9, "Rows", "many rows"),
        (f"{'| a ' * 7}|\n{'| - ' * 7}|\n{'| 1 ' * 7}|", "Columns", "many columns"),
        ("### Only a heading", "Nothing", "no slide"),
    ]:
        spoilt = small()
        spoilt.cells += [text_cell(source, slide), *[text_cell("It is so.", "So it is")] * 14]
        assert any(fault in found for found in faults(spoilt)), fault
    spoilt = small()
    spoilt.cells += [nbformat.v4.new_code_cell("x = 1", metadata={"slide": "x", "tags": []})]
    assert any("nothing is on it" in found for found in faults(spoilt))
    spoilt.cells += [code_cell("x", {"text/plain": "word " * 70}, "Wall")]
    assert any("was printed" in found for found in faults(spoilt))
    spoilt.cells[-2].metadata["tags"] = ["slide-code"]
    assert any("code only" in found for found in faults(spoilt))


def test_a_number_in_a_headline_is_a_result_like_any_other(tmp_path):
    page = tmp_path / "9-small.md"
    page.write_text('+++ {"slide": "It covers in 46 %, not 95"}\n\nWords.\n', "utf-8")
    assert numbers.results(numbers.prose(page)) == ["46 %"]
    told = nbformat.v4.new_output("display_data", {chapters.GLUED: "'46'"})
    told.metadata = {"scrapbook": {"name": "share"}}
    cells = [
        nbformat.v4.new_code_cell(outputs=[told]),
        text_cell("So.", "It covers in {glue:text}`share` %"),
    ]
    pasted = chapters.paste(nbformat.v4.new_notebook(cells=cells), tmp_path)
    assert pasted.cells[1].metadata["slide"] == "It covers in 46 %"


def test_slides_ask_for_nothing_from_the_network(tmp_path):
    nbformat.write(small(), tmp_path / "9-small.ipynb")
    page = slides.write(tmp_path / "9-small.ipynb", tmp_path).read_text("utf-8")
    assert page.count("<section>") == 4 + 11
    assert "<title>Which?</title>" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_the_assets_are_beside_the_slides(tmp_path):
    slides.assets(tmp_path)
    for name in ("reveal/dist/reveal.js", "reveal/LICENSE", "mathjax/tex-chtml-full.js"):
        assert (tmp_path / name).stat().st_size > 0


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    slides.assets(folder)
    nbformat.write(small(), folder / "9-small.ipynb")
    made = [*NOTEBOOKS, folder / "9-small.ipynb"]
    return {notebook.stem: slides.write(notebook, folder) for notebook in made}


LOOK = """const [smallest, smallestInPicture, done] = arguments, faults = [];
const shown = () => new Promise(next => setTimeout(next, 15));
(async () => {
  await MathJax.startup.promise;
  while (document.body.classList.contains("measured")) await shown();
  await new Promise(next => setTimeout(next, 300));
  Reveal.configure({transition: "none"});
  for (const slide of Reveal.getSlides()) {
    const {h, v} = Reveal.getIndices(slide);
    Reveal.slide(h, v);
    await shown();
    const box = slide.querySelector(".fit");
    const say = (fault) => faults.push(`${box.querySelector("h2").textContent}: ${fault}`);
    if (box.querySelector(".math:not(:has(mjx-container))")) say("unset mathematics");
    if (box.querySelector("mjx-merror")) say("mathematics that is no TeX");
    const outside = [...box.querySelectorAll(":not(mjx-container *)")].find((part) => {
      const {top, bottom, left, right, width} = part.getBoundingClientRect();
      return width && (top < 0 || bottom > 720 || left < 0 || right > 1280); });
    if (outside) say(`${outside.tagName} leaves the slide`);
    const body = box.querySelector(".body"), head = box.querySelector("h2");
    if (body.scrollHeight > body.clientHeight + 1) say("more than fits");
    const under = (part) => {
      const {top, left} = part.getBoundingClientRect(), at = head.getBoundingClientRect();
      return top >= at.bottom - 1 || left >= at.right - 1; };
    if (![...body.children].every(under)) say("over its headline");
    const words = box.querySelector(".head");
    if (words.scrollHeight > words.clientHeight + 1) say("more words than fit");
    for (const pre of body.querySelectorAll("pre, pre code, table"))
      if (pre.scrollWidth > body.clientWidth + 1) say("lines too long");
    for (const image of body.querySelectorAll("img"))
      if (!image.complete || image.naturalWidth === 0) say("no picture");
      else {
        const shown = Math.min(image.clientHeight / image.naturalHeight,
                               image.clientWidth / image.naturalWidth);
        // 10 points at the dpi of book.mplstyle, or of a still picture that is drawn
        const text = shown * (image.src.startsWith("data:image/svg") ? 96 : 220) * 10 / 72;
        if (text < smallestInPicture) say(`a picture with text of ${text.toFixed(1)} px`);
      }
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement;
      if (!texts.currentNode.data.trim() || parent.closest("mjx-container")) continue;
      const height = parseFloat(getComputedStyle(parent).fontSize) * Reveal.getScale();
      if (height < smallest) { say(`text of ${height.toFixed(1)} px`); break; }
    }
  }
  done([Reveal.getScale(), faults]);
})();"""


@pytest.mark.browser
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")
@pytest.mark.parametrize("stem", [*(notebook.stem for notebook in NOTEBOOKS), "9-small"])
def test_every_slide_can_be_read_from_the_back_row(browser, decks, stem):  # noqa: F811
    """Opened from a folder: nothing leaves the slide, no text is small, every picture is there."""
    resize(browser, (1280, 720))
    failures(browser)
    open_page(browser, decks[stem].as_uri())
    browser.set_script_timeout(120)
    scale, found = browser.execute_async_script(LOOK, SMALLEST_TEXT, SMALLEST_IN_PICTURE)
    assert scale == 1
    assert found == [], "\n".join(found)
    assert failures(browser) == []
