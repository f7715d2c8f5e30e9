"""One docstring style for the whole library: numpy's, as the API page renders it."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import betterthan

PACKAGE = Path(betterthan.__file__).parent
ORDER = ("Parameters", "Attributes", "Returns", "Raises", "Warns", "Notes", "Examples")
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def faults(source: str) -> list[str]:
    """What is wrong with the docstrings of a module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            found += [f"{node.name}: {fault}" for fault in _faults(node)]
    return found


def _faults(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    doc = ast.get_docstring(node)
    found = []
    if re.search(r"^(Args|Attributes|Returns|Raises|Warns|Examples?):", doc, re.M):
        found.append("a section in Google style")
    head, *parts = re.split(r"^(\w+)\n-{3,}$", doc, flags=re.M)
    sections = dict(zip(parts[::2], parts[1::2]))
    known = [name for name in ORDER if name in sections]
    if list(sections) != known:
        found.append(f"sections {', '.join(sections)}: expected {', '.join(ORDER)}, in this order")
    if ">>> " in doc.replace(sections.get("Examples", ""), ""):
        found.append("an example outside of Examples")
    for name in {"Parameters", "Attributes", "Returns", "Raises", "Warns"} & sections.keys():
        for line in re.findall(r"^\S.*", sections[name], re.M):
            if line.endswith("."):
                found.append(f"{name}: {line!r}: expected a name or a type, its text below")
            # Sphinx would take the first name for the type of the second.
            if name == "Attributes" and "," in line.partition(" : ")[0]:
                found.append(f"Attributes: {line!r}: expected one name per line")
            if name in ("Raises", "Warns") and not re.fullmatch(r"[\w.]+(, [\w.]+)*", line):
                found.append(f"{name}: {line!r}: expected a class, its text below")
    decorators = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
    if any(d.endswith("property") for d in decorators) and ":" in head.splitlines()[0]:
        found.append("a colon in the first line of a property, before which Sphinx sees a type")
    return found


@pytest.mark.parametrize("file", FILES)
def test_docstrings_are_in_one_style(file):
    assert faults((PACKAGE / file).read_text(encoding="utf-8")) == []


def without_example(source: str) -> list[str]:
    """Public functions of a module (those of its ``__all__``, if it has one) without an example."""
    body = ast.parse(source).body
    listed = [ast.literal_eval(n.value) for n in body if ast.unparse(n).startswith("__all__ = ")]
    return [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef)
        and "overload" not in map(ast.unparse, node.decorator_list)
        and (node.name in listed[0] if listed else not node.name.startswith("_"))
        and ">>> " not in (ast.get_docstring(node) or "")
    ]


@pytest.mark.parametrize("file", [f for f in FILES if "/_" not in f"/{f}"])
def test_every_public_function_has_an_example(file):
    assert without_example((PACKAGE / file).read_text(encoding="utf-8")) == []


def test_the_check_sees_a_function_without_an_example():
    source = 'def f():\n    "Text."\ndef g():\n    """Text.\n\n    >>> 1\n    """\ndef _h(): ...\n'
    assert without_example(source) == ["f"]
    assert without_example(f'__all__ = ["g"]\n{source}') == []
    assert without_example("@overload\ndef f(x: int) -> int: ...\ndef f(x): ...\n") == ["f"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Raises:\n    ValueError: no.", "Google style"),
        ("Examples\n--------\n>>> 1\n1\n\nRaises\n------\nValueError\n    No.", "in this order"),
        (">>> 1\n1", "outside of Examples"),
        ("Returns\n-------\nA number.", "its text below"),
        ("Attributes\n----------\nlow, high : float\n    Limits.", "one name per line"),
        ("Raises\n------\nValueError : for nothing", "expected a class"),
    ],
)
def test_the_check_sees_another_style(text, words):
    doc = inspect.cleandoc(f"What it does.\n\n{text}")
    assert any(words in fault for fault in faults(f"def f():\n    {doc!r}\n"))


def test_the_check_sees_a_property_that_reads_like_a_type():
    source = 'class C:\n    @property\n    def p(self):\n        "The share: of what is right."\n'
    assert any("a colon" in fault for fault in faults(source))
