"""Answers that can be graded: answer and check cells for nbgrader (make student).

A solution of the book may end with a cell tagged ``check``, which is run with the chapter and shown
nowhere. It says what an answer is called, and how it is told from a wrong one:

    # p_eight: the two-sided p-value of eight to two
    p_eight = 2 * binom.sf(8 - 1, 10, 0.5)
    # check
    assert 0 < p_eight <= 1, "a p-value is between 0 and 1"
    # hidden
    assert abs(p_eight - 0.109) < 0.002
    # wrong: p_eight = 0.0547

The comments at the top are what the student reads; the lines below them give the book's own results
these names. What follows ``# check`` stands in the student's notebook, what follows ``# hidden``
only in the lecturer's: nbgrader puts it back when it grades. The last line is a wrong answer, for
tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import nbformat

GATE = re.compile(r"^:{3,}\{solution-(start|end)\}(.*)$", re.MULTILINE)
WHOLE = re.compile(r"^(:{3,})\{solution\} (\S+)\n((?::[\w-]+:.*\n)*)((?:.*\n)*?)\1$", re.MULTILINE)
CHECK = re.compile(
    r"(.*?)^# check\n(.*?)(?:^# hidden\n(.*?))?^# wrong: (.+)\Z", re.DOTALL | re.MULTILINE
)
CODE_STUB = "# Your code here."
TEXT_STUB = "*Your words here.*"


@dataclass(frozen=True)
class Check:
    """What a check cell of a chapter says; the words of each part are in the module's head."""

    names: str
    naming: str
    shown: str
    hidden: str
    wrong: str

    @classmethod
    def of(cls, source: str) -> Check:
        """Take a check cell apart."""
        found = CHECK.match(source.strip())
        if found is None:
            raise ValueError(f"no check cell as press.grading describes it: {source[:200]!r}")
        top, shown, hidden, wrong = (part.strip("\n") if part else "" for part in found.groups())
        names = [line for line in top.split("\n") if line.startswith("# ")]
        naming = [line for line in top.split("\n") if not line.startswith("# ")]
        return cls("\n".join(names), "\n".join(naming), shown, hidden, wrong)

    def source(self, solved: bool) -> str:
        """The check cell of a notebook; the lecturer's has the hidden tests."""
        if not (solved and self.hidden):
            return self.shown
        return f"{self.shown}\n### BEGIN HIDDEN TESTS\n{self.hidden}\n### END HIDDEN TESTS"


@dataclass
class Solution:
    """What the book says below one exercise."""

    code: list[str] = field(default_factory=list)
    text: str = ""
    check: Check | None = None

    def sentence(self) -> str:
        """What to write, as the end of every solution says it."""
        return self.text.rpartition("**What to write.**")[2].strip()

    def program(self) -> str:
        """The code of the solution, with its results under the names that are checked."""
        naming = [self.check.naming] if self.check and self.check.naming else []
        return "\n\n".join([*self.code, *naming])


def solutions(notebook: nbformat.NotebookNode) -> dict[str, Solution]:
    """The solutions of a chapter, by the label of the exercise."""
    found: dict[str, Solution] = {}
    inside: Solution | None = None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for whole in WHOLE.finditer(cell.source):
                found[whole[2]] = Solution(text=whole[4])
            inside = _read_text(cell.source, inside, found)
        elif inside is not None:
            _read_code(cell, inside)
    return found


def _read_text(text: str, inside: Solution | None, found: dict[str, Solution]) -> Solution | None:
    """Give each part of a text to its solution; the one that is still open at the end."""
    before, *rest = GATE.split(text)
    if inside is not None:
        inside.text += before
    for gate, label, part in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        inside = found.setdefault(label.strip(), Solution()) if gate == "start" else None
        if inside is not None:
            inside.text += re.sub(r"\A\n(?::[\w-]+:.*\n)*:{3,}$", "", part, flags=re.MULTILINE)
    return inside


def _read_code(cell: nbformat.NotebookNode, solution: Solution) -> None:
    tags = cell.metadata.get("tags", [])
    if "check" in tags:
        solution.check = Check.of(cell.source)
    elif "remove-cell" not in tags:
        solution.code.append(cell.source)


def graded(label: str, kind: str, cell_type: str, points: int | None) -> dict[str, Any]:
    """The metadata by which nbgrader knows a cell (its schema, version 3).

    An *answer* is written by the student and graded by the check below it, a *check* is graded by
    running it, and *words* are written by the student and graded by a person.
    """
    facts = {
        "cell_type": cell_type,
        "grade": kind != "answer",
        "grade_id": f"{label}-{kind}",
        "locked": kind == "check",
        "schema_version": 3,
        "solution": kind != "check",
        "task": False,
    }
    return facts if points is None else {**facts, "points": points}


def region(text: str, stub: str, solved: bool) -> str:
    """The solution between nbgrader's marks, or what nbgrader puts in their place."""
    return f"### BEGIN SOLUTION\n{text}\n### END SOLUTION" if solved else stub


def answer_cells(
    label: str, number: str, stars: int, solution: Solution, solved: bool
) -> list[nbformat.NotebookNode]:
    """The cells below an exercise: the answer, its check, and the words to write."""
    new, made = nbformat.v4, []
    if solution.code:
        names = solution.check.names if solution.check else ""
        asked = f"# Answer {number}. The check below looks for:\n{names}" if names else ""
        head = asked or f"# Answer {number}"
        source = f"{head}\n{region(solution.program(), CODE_STUB, solved)}"
        facts = {"nbgrader": graded(label, "answer", "code", None), "tags": ["answer"]}
        made.append(new.new_code_cell(source, metadata=facts))
    if solution.check:
        # The tag lets "Run all" go on below a check that fails; nbgrader sees the failure.
        source = f"# Check {number}\n{solution.check.source(solved)}"
        facts = {"nbgrader": graded(label, "check", "code", stars)}
        made.append(new.new_code_cell(source, metadata={**facts, "tags": ["raises-exception"]}))
    asked = "What to write" if solution.code else "My answer, and what to write"
    text = region(
        solution.sentence() if solution.code else solution.text.strip(), TEXT_STUB, solved
    )
    facts = {"nbgrader": graded(label, "words", "markdown", 1 if solution.code else stars)}
    made.append(new.new_markdown_cell(f"**{asked} ({number}):**\n\n{text}", metadata=facts))
    return made


CONFIG = '''\
"""Settings of nbgrader for the notebooks beside this file; the teaching page says how."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "better-than-chance"
c.ClearSolutions.code_stub = {{"python": {code!r}}}
c.ClearSolutions.text_stub = {text!r}
c.Execute.timeout = 900
'''


def config() -> str:
    """The file nbgrader_config.py."""
    return CONFIG.format(code=CODE_STUB, text=TEXT_STUB)
