"""The files around the book agree with each other."""

from __future__ import annotations

import re
import subprocess
import tomllib

import pytest
import yaml

from press.chapters import ROOT, sources
from press.nbval_guard import problems


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return done.stdout.split("\n")[:-1]


def test_one_address_of_the_repository():
    address = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]["url"]
    for name in ("README.md", "intro.md", "CITATION.cff"):
        text = (ROOT / name).read_text("utf-8")
        named = set(re.findall(r"https://github\.com/[\w.-]+/[\w-]+", text))
        assert named <= {address}, name
        assert address in text, name


def test_every_chapter_is_in_the_table_of_contents():
    contents = (ROOT / "_toc.yml").read_text("utf-8")
    for source in sources():
        assert f"{source.relative_to(ROOT).with_suffix('')}\n" in contents + "\n"


@pytest.mark.parametrize("source", sources(), ids=lambda p: p.stem)
def test_the_stored_notebook_is_what_its_source_gives(source):
    assert problems(source.with_suffix(".ipynb")) == []


def test_versions_agree():
    import betterthan

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert project["version"] == betterthan.__version__ == citation["version"]


def test_one_pinned_version_for_everything_that_is_needed():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pins)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert all("==" in need for need in extras.pop("peers"))  # nothing else needs them
    needs = [project["dependencies"], *extras.values()]
    named = {re.match(r"[\w.-]+", need)[0] for group in needs for need in group}
    assert sorted(pin.split("==")[0] for pin in pins) == sorted(named - {"betterthan"})


def test_the_book_installs_nothing_that_only_tests_and_studies_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    book = " ".join([*project["dependencies"], *project["optional-dependencies"]["book"]])
    for package in ("dask", "distributed", "selenium", "mlxtend", "pytest", "jieba", "snownlp"):
        assert package not in book


def test_no_machine_paths_and_no_lock_files_are_tracked():
    names = tracked()
    assert not [n for n in names if re.search(r"(package-lock\.json|uv\.lock|poetry\.lock)$", n)]
    pattern = re.compile(r"(?<![\w.:/])/(home|root|Users|tmp)/\w")
    for name in names:
        path = ROOT / name
        if path.suffix in {".ipynb", ".md", ".csv", ".json", ".yml", ".toml"} and path.exists():
            assert not pattern.search(path.read_text("utf-8")), name
