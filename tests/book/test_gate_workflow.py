"""The workflow that the cookbook offers as a gate, run as GitHub would run its script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from press import ROOT

HUNDRED = range(100)
OLD = [int(k % 5 != 0) for k in HUNDRED]
NEW = {
    "better": ([1] * 100, 0, "Gate passed"),
    "open": ([int(k % 5 != 0 or k in (0, 5)) for k in HUNDRED], 0, "Gate open"),
    "worse": ([int(k % 2 != 0) for k in HUNDRED], 1, "Gate not passed"),
    "cut off": ([1] * 99, 1, "not in all systems"),
}


def workflow() -> dict:
    (text,) = re.findall(
        r"```yaml\n(.*?)```", (ROOT / "chapters/cookbook.md").read_text("utf-8"), re.S
    )
    return yaml.safe_load(text)


def script() -> str:
    """The last step, which compares, comments and decides."""
    return workflow()["jobs"]["gate"]["steps"][-1]["run"]


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)


def lines(values: list[int]) -> str:
    return "".join(f'{{"id": "q{k}", "score": {value}}}\n' for k, value in enumerate(values))


@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
@pytest.mark.parametrize("name", NEW)
def test_the_gate_comments_and_decides(name, tmp_path):
    values, code, said = NEW[name]
    (tmp_path / "old.jsonl").write_text(lines(OLD), "utf-8")
    (tmp_path / "new.jsonl").write_text(lines(values), "utf-8")
    program(tmp_path, "betterthan", f'exec "{sys.executable}" -m betterthan "$@"')
    program(tmp_path, "gh", 'echo "$1 $2 $3" > asked; cp gate.md comment.md')
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-e", "-c", script()],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "NUMBER": "7"},
        check=False,
    )
    assert (run.returncode != 0) == code
    assert (tmp_path / "asked").read_text("utf-8") == "pr comment 7\n"
    assert said in (tmp_path / "comment.md").read_text("utf-8")


def test_a_defect_closes_the_gate(tmp_path):
    program(tmp_path, "betterthan", "exit 70")
    program(tmp_path, "gh", "true")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-e", "-c", script()],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "NUMBER": "7"},
        check=False,
    )
    assert run.returncode != 0


def test_it_may_do_no_more_than_it_must():
    found = workflow()
    assert found["permissions"] == {}
    assert found["jobs"]["gate"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    for step in found["jobs"]["gate"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a@{40 * '0'}"))
