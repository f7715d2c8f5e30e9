"""One lecture's slides per chapter, made from the chapter itself (make slides).

    python -m press.slides [chapters/1-how-sure.ipynb …]

A section of the chapter becomes a column of slides: its heading with its first paragraph, then
each equation, box, table, figure and short cell in its order. The rest of the prose becomes the
speaker's notes (press S). reveal.js and MathJax lie beside the slides: no network is needed.
"""

from __future__ import annotations

import html
import re
import shutil
import sys
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pybtex.database import parse_file

from press import ROOT, stories

OUT = ROOT / "_build" / "slides"
LONGEST_CELL = 14
LONGEST_LEAD = 280
SKIPPED_SECTIONS = {"Further reading"}

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="favicon.svg">
<link rel="stylesheet" href="reveal/dist/reset.css">
<link rel="stylesheet" href="reveal/dist/reveal.css">
<link rel="stylesheet" href="reveal/dist/theme/white-contrast.css">
<style>
.reveal {{ font-family: system-ui, sans-serif; font-size: 30px; }}
.reveal h1, .reveal h2, .reveal h3 {{ text-transform: none; font-family: inherit; }}
.reveal h1 {{ font-size: 1.9em; }} .reveal h2 {{ font-size: 1.45em; }}
.reveal h3 {{ font-size: 1.05em; color: #0072b2; }}
.reveal p, .reveal li, .reveal td, .reveal th {{ line-height: 1.35; }}
.reveal .fit > p {{ text-align: left; }} .reveal .fit > h1 + p {{ text-align: center; }}
.reveal pre {{ width: 100%; font-size: .6em; box-shadow: none; background: #f3f4f5; }}
.reveal pre code {{ padding: .8em; max-height: none; white-space: pre-wrap; }}
.reveal table {{ font-size: .6em; }} .reveal img {{ max-height: 62vh; margin: .2em auto; }}
.reveal .caption {{ font-size: .65em; max-width: 84%; margin: auto; }}
.reveal .output {{ font-size: .8em; }}
.reveal .box {{ border-left: .3em solid #d55e00; padding-left: .8em; text-align: left; }}
.reveal section ul, .reveal section ol {{ display: block; text-align: left; }}
.measured section {{ display: block !important; }}
</style></head><body><div class="reveal"><div class="slides">
{sections}
</div></div>
<script>
window.MathJax = {{options: {{processHtmlClass: "math", ignoreHtmlClass: "reveal"}}}};
</script>
<script src="mathjax/tex-chtml-full.js" defer></script>
<script src="reveal/dist/reveal.js"></script>
<script src="reveal/plugin/notes/notes.js"></script>
<script>
const size = {{width: 1280, height: 720}};
Reveal.initialize({{...size, hash: true, slideNumber: "c/t", plugins: [RevealNotes]}});
// What is taller than a slide is made smaller, once the mathematics has its size.
addEventListener("load", () => MathJax.startup.promise.then(() => {{
  const room = size.height - 60;
  document.body.classList.add("measured");
  for (const box of document.querySelectorAll(".fit"))
    for (let zoom = 1; box.getBoundingClientRect().height > room * Reveal.getScale() && zoom > 0.4;)
      box.style.zoom = zoom -= 0.05;
  document.body.classList.remove("measured");
  Reveal.layout();
}}));
</script>
</body></html>
"""


@dataclass
class Slide:
    body: str
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        notes = "".join(self.notes)
        fit = f'<div class="fit">{self.body}</div>'
        return f'<section>{fit}<aside class="notes">{notes}</aside></section>'


def authors_and_year() -> dict[str, tuple[str, str]]:
    """The authors and the year of every key of the bibliography."""
    shown = {}
    for key, entry in parse_file(str(ROOT / "references.bib")).entries.items():
        names = [" ".join(p.last_names) for p in entry.persons.get("author", [])]
        names = [*names[:1], "et al."] if len(names) > 2 else [" and ".join(names)]
        year = entry.fields.get("year", "n.d.")
        shown[key] = (" ".join(names).replace("{", "").replace("}", ""), year)
    return shown


def titles() -> dict[str, str]:
    """The headings that labels stand for, in all pages."""
    pages = [ROOT / "intro.md", *(ROOT / "chapters").glob("*.md")]
    found = (re.findall(r"^\(([\w-]+)\)=\n#+ (.+)$", p.read_text("utf-8"), re.M) for p in pages)
    return dict(pair for page in found for pair in page)


def plain(text: str, cited: dict[str, tuple[str, str]], headings: dict[str, str]) -> str:
    """MyST roles as the words a listener needs."""

    def cite(match: re.Match) -> str:
        known = [cited.get(key.strip(), (key, "")) for key in match[2].split(",")]
        if match[1]:
            return "; ".join(f"{names} ({year})" for names, year in known)
        return f"[{'; '.join(', '.join(pair) for pair in known)}]"

    text = re.sub(r"\{cite(:\w+)?\}`([^`]+)`", cite, text)
    text = re.sub(r"\{\w+(?::\w+)?\}`([^`<]+?)\s*<[^`>]+>`", r"\1", text)
    text = re.sub(r"\{eq\}`[^`]+`", "the equation", text)
    text = re.sub(r"\{numref\}`[^`]+`", "the figure", text)
    text = re.sub(r"\{(?:term|doc|abbr)\}`([^`]+)`", r"\1", text)
    text = re.sub(r"\{ref\}`([^`]+)`", lambda m: headings.get(m[1], "the exercise"), text)
    text = re.sub(r"^\([\w-]+\)=$", "", text, flags=re.MULTILINE)
    return re.sub(r"^(\$\$)\s*\([\w-]+\)\s*$", r"\1", text, flags=re.MULTILINE)


def markdown() -> MarkdownIt:
    renderer = MarkdownIt("commonmark").enable("table")
    renderer.use(dollarmath_plugin, double_inline=True, allow_space=True)
    renderer.use(colon_fence_plugin)
    renderer.add_render_rule(
        "math_inline",
        lambda self, t, i, o, e: f'<span class="math">\\({html.escape(t[i].content)}\\)</span>',
    )
    for name in ("math_block", "math_block_label", "math_inline_double"):
        renderer.add_render_rule(
            name,
            lambda self, t, i, o, e: f'<div class="math">\\[{html.escape(t[i].content)}\\]</div>',
        )
    return renderer


def blocks(renderer: MarkdownIt, text: str) -> list[tuple[str, str, str]]:
    """The top-level blocks of a text: (kind, html, source)."""
    tokens, lines, found = renderer.parse(text), text.splitlines(), []
    start = 0
    while start < len(tokens):
        end, depth = start, tokens[start].nesting
        while depth > 0:
            end += 1
            depth += tokens[end].nesting
        group = tokens[start : end + 1]
        first, last = group[0].map or (0, 0)
        source = "\n".join(lines[first:last])
        kind = group[0].type.removesuffix("_open")
        rendered = renderer.renderer.render(group, renderer.options, {})
        if kind == "heading":
            kind = group[0].tag
        found.append((kind, rendered, group[0].content if "fence" in kind else source))
        if "fence" in kind:
            found[-1] = (group[0].info.strip(), rendered, group[0].content)
        start = end + 1
    return found


def outputs(cell: nbformat.NotebookNode) -> str:
    """What a cell shows, as html."""
    shown = []
    for output in cell.outputs:
        data = output.get("data", {})
        settings = cell.metadata.get("mystnb", {})
        if "image/png" in data:
            alt = html.escape(settings.get("image", {}).get("alt", ""), quote=True)
            caption = settings.get("figure", {}).get("caption", "")
            picture = data["image/png"].replace("\n", "")
            shown.append(f'<img alt="{alt}" src="data:image/png;base64,{picture}">')
            if caption:
                caption = markdown().render(plain(caption, authors_and_year(), titles()))
                shown.append(f'<div class="caption">{caption}</div>')
        elif "text/html" in data:
            shown.append(data["text/html"])
        else:
            text = output.get("text") or data.get("text/plain", "")
            shown.append(f'<pre class="output"><code>{html.escape(text)}</code></pre>')
    return "".join(shown)


def columns(notebook: nbformat.NotebookNode) -> tuple[str, list[list[Slide]]]:
    """The title of a chapter, and its slides, a list for each section."""
    renderer, cited, headings = markdown(), authors_and_year(), titles()
    title, made, heading, lead = "", [], "", ""

    def add(body: str) -> None:
        nonlocal lead
        made[-1].append(Slide((f"<h3>{heading}</h3>" if heading else "") + lead + body))
        lead = ""

    def note(rendered: str) -> None:
        if made and made[-1]:
            made[-1][-1].notes.append(rendered)

    fresh = skipping = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if skipping or not made:
                continue
            hidden = {"hide-input", "remove-input"} & set(cell.metadata.get("tags", []))
            long = len(cell.source.splitlines()) > LONGEST_CELL
            code = f"<pre><code>{html.escape(cell.source)}</code></pre>"
            picture = any("image/png" in o.get("data", {}) for o in cell.outputs)
            shown = outputs(cell)
            if shown and (hidden or long or picture):
                add(shown)
                note(code)
            elif cell.source.strip():
                add(code + shown)
            continue
        for kind, rendered, source in blocks(renderer, plain(cell.source, cited, headings)):
            words = re.sub(r"<[^>]+>", "", rendered).strip()
            if kind not in ("math_block", "math_block_label", "amsmath", "table"):
                note(lead)
                lead = ""
            if kind == "h1":
                title, heading = words, ""
                made.append([Slide(f"<h1>{words}</h1><p>Better than Chance</p>")])
            elif kind == "h2":
                skipping, heading, fresh = words in SKIPPED_SECTIONS, words, True
                if not skipping:
                    made.append([Slide(rendered)])
            elif skipping or not made:
                continue
            elif kind == "h3":
                heading = words
            elif "{admonition}" in kind or "{exercise" in kind:
                name = kind.split("}", 1)[1].strip() or "Exercise"
                inner = re.sub(r"^:\w+:.*$", "", source, flags=re.MULTILINE)
                add(f'<div class="box"><h3>{name}</h3>{renderer.render(inner)}</div>')
                fresh = False  # what follows an exercise belongs to its solution
            elif kind.startswith("{"):
                inner = re.sub(r"^:\w+:.*$", "", source, flags=re.MULTILINE)
                note(renderer.render(inner))
            elif kind in ("math_block", "math_block_label", "amsmath", "table"):
                add(rendered)
            elif fresh and kind in ("paragraph", "bullet_list"):
                made[-1][0].body += rendered
                fresh = False
            elif kind in ("bullet_list", "ordered_list"):
                add(rendered)
            elif kind == "paragraph" and len(words) <= LONGEST_LEAD:
                lead = rendered  # the sentence before a result belongs on its slide
            else:
                note(rendered)
    return title, made


def write(notebook: Path, folder: Path = OUT) -> Path:
    """Write the slides of a chapter and return where they are."""
    title, made = columns(nbformat.read(notebook, as_version=4))
    sections = "\n".join(f"<section>{''.join(map(str, column))}</section>" for column in made)
    path = folder / f"{notebook.stem}.html"
    path.write_text(PAGE.format(title=html.escape(title), sections=sections), encoding="utf-8")
    return path


def assets(folder: Path = OUT) -> None:
    """Copy reveal.js and MathJax beside the slides."""
    folder.mkdir(parents=True, exist_ok=True)
    with resources.as_file(resources.files("sphinx_revealjs")) as package:
        reveal = package / "_static" / "revealjs"
        for part in ("dist", "plugin/notes", "LICENSE"):
            copy = shutil.copy2 if (reveal / part).is_file() else shutil.copytree
            options = {"dirs_exist_ok": True} if copy is shutil.copytree else {}
            (folder / "reveal" / part).parent.mkdir(parents=True, exist_ok=True)
            copy(reveal / part, folder / "reveal" / part, **options)
    vendored = ROOT / "chapters" / "_vendor" / "mathjax"
    shutil.copytree(vendored, folder / "mathjax", dirs_exist_ok=True)
    shutil.copy2(ROOT / "chapters" / "_static" / "favicon.svg", folder / "favicon.svg")


def main() -> None:
    chosen = [Path(name) for name in sys.argv[1:]]
    assets()
    for notebook in chosen or stories(".ipynb"):
        print(f"slides: {write(notebook).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
