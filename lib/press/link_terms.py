"""Link the words of the glossary where a chapter first uses them.

    python -m press.link_terms                    # every numbered chapter
    python -m press.link_terms chapters/1-*.md    # some of them

The first occurrence of a term in the prose of a chapter becomes a ``{term}`` role; headings,
code, mathematics, links, tables, titles of boxes and the box *Before you start* are left alone.
The stored notebook gets the new text too: its cells need not run again for that. Run twice, it
changes nothing the second time.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from press import ROOT
from press.chapters import retext, write

GLOSSARY = ROOT / "chapters" / "glossary.md"
# Words that also have an everyday sense, in which the chapters use them; these need a person.
BY_HAND = {"power", "mode"}
ROLE = re.compile(r"\{term\}`(?:[^`<]*<([^`>]+)>|([^`<]+))`")
UNTOUCHED = re.compile(
    r"\{[\w:+-]+\}`[^`]*`"  # roles
    r"|`[^`]+`"  # code
    r"|\$[^$]+\$"  # mathematics
    r"|!?\[[^\]]*\]\([^)]*\)"  # links and images
    r"|<[^>\s]+>"  # addresses
)


def glossary_entries(text: str) -> list[list[str]]:
    """What the glossary explains: for each entry its term and the synonyms below it."""
    body = re.search(r"^```\{glossary\}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if not body:
        raise ValueError("text: expected a ```{glossary} block, found none")
    entries: list[list[str]] = [[]]
    for line in body[1].splitlines():
        if line.startswith(" ") and entries[-1]:
            entries.append([])
        elif re.match(r"[^\s:]", line):
            entries[-1].append(line)
    return [entry for entry in entries if entry]


def glossary_terms(text: str) -> list[str]:
    """All terms and synonyms of the glossary."""
    return [term for entry in glossary_entries(text) for term in entry]


def linked(text: str) -> list[str]:
    """The glossary terms that the {term} roles of a text point to."""
    return [(target or shown).strip() for target, shown in ROLE.findall(text)]


def prose(lines: list[str]) -> Iterator[int]:
    """The numbers of the lines in which a word may be linked."""
    fence = ""
    inside = ""
    for number, line in enumerate(lines):
        stripped = line.strip()
        if inside == "math":
            inside = "" if stripped.startswith("$$") else inside
        elif inside == "front matter":
            inside = "" if stripped == "---" else inside
        elif inside == "opening":
            inside = "" if stripped == ":::" else inside
        elif fence:
            if stripped.startswith(fence) and not stripped.strip("`"):
                fence = ""
        elif number == 0 and stripped == "---":
            inside = "front matter"
        elif stripped.startswith("```"):
            fence = re.match("`+", stripped)[0]
        elif stripped.startswith("$$"):
            inside = "" if stripped.count("$$") > 1 else "math"
        elif stripped == ":::{admonition} Before you start":
            inside = "opening"
        elif not re.match(r"#|\||:::|:\w[\w-]*:|%|\([\w-]+\)=$", stripped):
            yield number


def _pattern(terms: list[str]) -> re.Pattern:
    """Any term, longest first, so that "average precision" is not taken for "precision"."""
    forms = []
    for term in sorted(terms, key=len, reverse=True):
        escaped = re.escape(term).replace(r"\ ", r"\s+").replace("’", "['’]")
        # A capital inside a term (AROW, F1) is part of it; else a sentence may begin with it.
        forms.append(escaped if term != term.lower() else f"(?i:{escaped})")
    return re.compile(rf"(?<![\w\-–])(?:{'|'.join(forms)})(?:s|es)?(?![\w\-–²])")


def link(text: str, entries: list[list[str]]) -> str:
    """The text with the first occurrence of every entry's terms linked to the glossary."""
    spelled = {term.lower(): term for entry in entries for term in entry}
    entry_of = {term: number for number, entry in enumerate(entries) for term in entry}
    pattern = _pattern(list(entry_of))
    done = {entry_of.get(spelled.get(term.lower(), "")) for term in linked(text)}

    def term_of(shown: str) -> str:
        forms = (shown, shown.removesuffix("s"), shown.removesuffix("es"))
        return next(spelled[form.lower()] for form in forms if form.lower() in spelled)

    def replace(match: re.Match) -> str:
        shown, term = match[0], term_of(re.sub(r"\s+", " ", match[0]))
        if entry_of[term] in done or term in BY_HAND:
            return shown
        done.add(entry_of[term])
        return f"{{term}}`{shown}`" if shown == term else f"{{term}}`{shown} <{term}>`"

    def in_line(line: str) -> str:
        parts, last = [], 0
        for kept in UNTOUCHED.finditer(line):
            parts += [pattern.sub(replace, line[last : kept.start()]), kept[0]]
            last = kept.end()
        return "".join([*parts, pattern.sub(replace, line[last:])])

    lines = text.splitlines(keepends=True)
    for number in prose([line.rstrip("\n") for line in lines]):
        lines[number] = in_line(lines[number])
    return "".join(lines)


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
    parser = argparse.ArgumentParser(description="Link glossary terms where first used.")
    parser.add_argument("chapters", nargs="*", type=Path, help="sources (default: all numbered)")
    entries = glossary_entries(GLOSSARY.read_text("utf-8"))
    failed = False
    for md in parser.parse_args().chapters or sorted((ROOT / "chapters").glob("[0-9]-*.md")):
        try:
            after, before = relink(md, entries)
        except SystemExit as error:
            print(error)
            failed = True
        else:
            print(f"{md.name}: {after} terms linked, {after - before} new")
    sys.exit(failed)


if __name__ == "__main__":
    main()
