"""Numbers in the prose that look like results and are neither pasted nor accounted for.

    python -m press.numbers chapters/1-how-sure.md …    # default: every page

What a cell has computed is pasted (`press.chapters`) and so cannot drift from it. What a paper
printed, what the text itself sets, and what a corpus is said to hold is listed for each page in
``tests/book/numbers/PAGE.txt``, one number per line with its reason after a tab.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import jupytext

from press import ROOT

LISTS = ROOT / "tests" / "book" / "numbers"
REASONS = ("paper:", "given:", "corpus:")
NOT_PROSE = [
    r"\$\$.*?\$\$",
    r"(?<!\$)\$[^$\n]+\$",
    r"^```(?:[^{\n][^\n]*)?\n.*?^```",
    r"^```\{(?:math|bibliography|mermaid|eval-rst)\}.*?^```",
    r"\{[\w:-]+\}`[^`\n]*`",
    r"`[^`\n]*`",
    r"\]\([^)\n]*\)",
    r"^:[\w-]+:[^\n]*$",
    r"^\([\w-]+\)=$",
    r"</?\w[^>\n]*>",
    # numbers of sections, equations, tables; versions
    r"(?i)(?:§|\b(?:sections?|eq(?:uation|s)?\.?|fig(?:ures?|\.)|tables?|chapters?|pages?|p\.|python))"
    r" ?\d[\d.]*(?:(?:,| and| to|–) ?\d[\d.]*)*",
]
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
SIGNED = rf"(?<![\w.,])[−+±-]?(?:{NUMBER})"
RESULT = re.compile(
    rf"{SIGNED}(?: ?(?:to|and|or|–|-) ?[−+]?(?:{NUMBER}))*"
    rf"\s?(?:%|per cent\b|points?\b|×(?!\d)|times\b)"
    rf"|(?<![\w.,])[−+±-]?(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d*\.\d+)(?:e[-−]?\d+)?(?!\w)"
    rf"|(?<![\w.,])\d+ (?:out )?of (?:the )?\d+(?:,\d{{3}})*"
    rf"|±\s?\d+"
)
# alt text may hold names with a digit (F1, 3×2) and nothing that was counted or measured
ALT = re.compile(rf"{RESULT.pattern}|(?<![\w×-])\d+(?![\w×])")


def prose(page: Path) -> str:
    """Text, captions and headlines of slides, without code, mathematics, roles and links."""
    text = ""
    for cell in jupytext.read(page, fmt="md:myst").cells:
        caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
        words = cell.source if cell.cell_type == "markdown" else caption
        text += f"{cell.metadata.get('slide', '')}\n\n{words}\n\n"
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def results(text: str) -> list[str]:
    """The numbers in `text` that look like results, each once, in their order."""
    return list(dict.fromkeys(re.sub(r"\s+", " ", found[0]) for found in RESULT.finditer(text)))


def listed(page: Path) -> dict[str, str]:
    """The numbers that the list of a page accounts for, with the reason."""
    path = LISTS / f"{page.stem}.txt"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return dict(line.split("\t", 1) for line in lines if line.strip())


def faults(page: Path) -> list[str]:
    """What is wrong with the numbers of a page, in words."""
    shown, known = results(prose(page)), listed(page)
    lead = f"{page.name}:"
    found = [f"{lead} {n!r} is neither glued nor in its list" for n in shown if n not in known]
    found += [f"{lead} {n!r} is in the list and not in the text" for n in known if n not in shown]
    found += [
        f"{lead} {n!r}: the reason {why!r} does not begin with {', '.join(REASONS)}"
        for n, why in known.items()
        if not re.match(rf"(?:{'|'.join(REASONS)}) \S", why)
    ]
    for cell in jupytext.read(page, fmt="md:myst").cells:
        alt = str(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
        numbers = {re.sub(r"\s+", " ", number[0]) for number in ALT.finditer(alt)}
        found += [f"{lead} alt text with {n!r}: {alt[:60]!r} …" for n in sorted(numbers - {*known})]
    return found


def pages() -> list[Path]:
    """Every page of the book."""
    return [ROOT / "intro.md", *sorted((ROOT / "chapters").glob("*.md"))]


def main() -> None:
    chosen = [Path(name) for name in sys.argv[1:]] or pages()
    sys.exit("\n".join(fault for page in chosen for fault in faults(page)) or None)


if __name__ == "__main__":
    main()
