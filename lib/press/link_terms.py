"""Link the words of the glossary where a chapter first uses them.

    python -m press.link_terms                    # every numbered chapter
    python -m press.link_terms chapters/1-*.md    # some of them

The first occurrence of a term in the prose of a chapter becomes a ``{term}`` role; headings,
code, mathematics, links, tables, titles of boxes and slides and the box *Before you start* stay as
they are.
The stored notebook gets the new text too: its cells need not run again for that. Run twice, it
changes nothing the second time.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from press import ROOT
from press.chapters import retext, write

GLOSSARY = ROOT / "chapters" / "glossary.md"
# Words that also have an everyday sense, in which the chapters use them; these need a person.
BY_HAND = {"power", "mode", "unit", "margin"}
ROLE = re.compile(r"\{term\}`(?:[^`<]*<([^`>]+)>|([^`<]+))`")
UNTOUCHED = re.compile(
    r"\A---\n.*?^---$"  # front matter
    r"|^ *(`{3,})[^\n]*\n.*?^ *\1`*$"  # code and directives
    r"|\$\$.*?\$\$|\$[^$\n]+\$"  # mathematics
    r"|^:::\{admonition\} Before you start$.*?^:::$"
    # headings, tables, titles of boxes and slides, options, comments, labels
    r"|^ *(?:#|\||:::|\+\+\+|:\w[\w-]*:|%|\([\w-]+\)=$)[^\n]*"
    r"|(?:\{[\w:+-]+\})?`[^`\n]+`"  # roles and code
    r"|!?\[[^\]\n]*\]\([^)\n]*\)|<[^>\s]+>",  # links, images, addresses
    re.DOTALL | re.MULTILINE,
)


def glossary_entries(text: str) -> list[list[str]]:
    """What the glossary explains: for each entry its term and the synonyms below it."""
    body = re.search(r"^```\{glossary\}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if not body:
        raise ValueError("text: expected a ```{glossary} block, found none")
    found = re.findall(r"((?:^[^\s:].*\n)+)(?=^ )", body[1], re.MULTILINE)
    return [terms.splitlines() for terms in found]


def glossary_terms(text: str) -> list[str]:
    """All terms and synonyms of the glossary."""
    return [term for entry in glossary_entries(text) for term in entry]


def linked(text: str) -> list[str]:
    """The glossary terms that the {term} roles of a text point to."""
    return [(target or shown).strip() for target, shown in ROLE.findall(text)]


def _pattern(terms: list[str]) -> re.Pattern:
    """Any term, longest first, so that "average precision" is not taken for "precision"."""
    forms = []
    for term in sorted(terms, key=len, reverse=True):
        escaped = re.escape(term).replace(r"\ ", " +").replace("’", "['’]")
        # A capital inside a term (AROW, F1) is part of it; else a sentence may begin with it.
        forms.append(escaped if term != term.lower() else f"(?i:{escaped})")
    return re.compile(rf"(?<![\w\-–])(?:{'|'.join(forms)})(?:s|es)?(?![\w\-–²])")


def link(text: str, entries: list[list[str]]) -> str:
    """The text with the first occurrence of every entry's terms linked to the glossary."""
    spelled = {term.lower(): term for entry in entries for term in entry}
    entry_of = {term: number for number, entry in enumerate(entries) for term in entry}
    pattern = _pattern(list(entry_of))
    done = {entry_of.get(spelled.get(term.lower(), "")) for term in linked(text)}

    def replace(match: re.Match) -> str:
        shown, words = match[0], re.sub(" +", " ", match[0]).lower()
        forms = (words, words.removesuffix("s"), words.removesuffix("es"))
        term = next(spelled[form] for form in forms if form in spelled)
        if entry_of[term] in done or term in BY_HAND:
            return shown
        done.add(entry_of[term])
        return f"{{term}}`{shown}`" if shown == term else f"{{term}}`{shown} <{term}>`"

    parts, last = [], 0
    for kept in UNTOUCHED.finditer(text):
        parts += [pattern.sub(replace, text[last : kept.start()]), kept[0]]
        last = kept.end()
    return "".join([*parts, pattern.sub(replace, text[last:])])


def relink(md: Path, entries: list[list[str]]) -> tuple[int, int]:
    """Link the terms of `md` and of its notebook; how many are linked, and how many were before.

    Exits, with neither file changed, if the code of the notebook is not that of `md`.
    """
    text, notebook = md.read_text("utf-8"), md.with_suffix(".ipynb")
    new = link(text, entries)
    if new != text:
        if notebook.exists():
            retext(md)
        md.write_text(new, encoding="utf-8")
        if notebook.exists():
            write(retext(md), notebook)
    return len(linked(new)), len(linked(text))


def main() -> None:
    entries = glossary_entries(GLOSSARY.read_text("utf-8"))
    chosen = map(Path, sys.argv[1:]) if sys.argv[1:] else (ROOT / "chapters").glob("[0-9]-*.md")
    for md in sorted(chosen):
        after, before = relink(md, entries)
        print(f"{md.name}: {after} terms linked, {after - before} new")


if __name__ == "__main__":
    main()
