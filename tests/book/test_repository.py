"""The files around the book agree with each other."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from packaging.requirements import Requirement

from press import address, citation, pins
from press.chapters import ROOT, sources
from press.nbval_guard import problems

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def names(needs: list[str]) -> set[str]:
    """The packages that a list of requirements asks for, as package indices spell them."""
    return {pins.name_of(Requirement(need).name) for need in needs}


def brought_by(extra: str) -> set[str]:
    """The packages of an extra, and of the extras that it names."""
    found: set[str] = set()
    for need in map(Requirement, project()["optional-dependencies"][extra]):
        if need.name == "betterthan":
            found.update(*map(brought_by, need.extras))
        else:
            found.add(pins.name_of(need.name))
    return found


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return done.stdout.split("\n")[:-1]


def test_the_address_of_the_repository_stands_in_one_place():
    owner_and_name = "/".join(address().rsplit("/", 2)[1:])
    found = []
    for name in tracked():
        path = ROOT / name
        if path.is_file() and owner_and_name.encode() in path.read_bytes():
            found.append(name)
    assert found == ["pyproject.toml"]


def test_buttons_and_pages_get_the_address(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "chapters" / "_ext")
    import repository

    config = SimpleNamespace(html_theme_options={})
    page = ["git+REPOSITORY_ADDRESS, twice; version BOOK_VERSION of BOOK_DATE"]
    repository.set_buttons(None, config)
    repository.fill_in(None, "intro", page)
    assert config.html_theme_options == {"repository_url": address()}
    made = citation()
    assert page == [f"git+{address()}, twice; version {made['version']} of {made['date']}"]
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert "repository" in settings["sphinx"]["local_extensions"]
    assert "url" not in settings["repository"]


def test_every_chapter_is_in_the_table_of_contents():
    contents = (ROOT / "_toc.yml").read_text("utf-8")
    for source in sources():
        assert f"{source.relative_to(ROOT).with_suffix('')}\n" in contents + "\n"


def test_only_pages_with_code_have_a_notebook():
    """With both files, the build has two sources for one page and stops."""
    notebooks = {*ROOT.glob("*.ipynb"), *(ROOT / "chapters").glob("*.ipynb")}
    assert notebooks == {source.with_suffix(".ipynb") for source in sources()}


@pytest.mark.parametrize("source", sources(), ids=lambda p: p.stem)
def test_the_stored_notebook_is_what_its_source_gives(source):
    assert problems(source.with_suffix(".ipynb")) == []


def test_versions_agree():
    import betterthan

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert project()["version"] == betterthan.__version__ == citation["version"]


def test_one_pinned_version_for_everything_that_is_needed():
    by_hand, along = pins.parts(pins.FILE.read_text("utf-8"))
    lines = pins.lines_of(by_hand)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    extras = project()["optional-dependencies"]
    assert all("==" in need for need in extras.pop("peers"))  # nothing else needs them
    needed = names(project()["dependencies"]).union(*map(names, extras.values())) - {"betterthan"}
    assert sorted(map(pins.name_of, lines)) == sorted(needed)
    others = pins.lines_of(along)
    assert others == sorted(others, key=pins.name_of)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ; [\w.'=<>!() -]+)?", line) for line in others)
    assert not {*map(pins.name_of, others)} & needed


def come_along(needs: list[str]) -> set[str]:
    """What these requirements bring into an environment like this one, from what is installed."""
    found: set[tuple[str, str]] = set()
    todo = [(Requirement(need), "") for need in needs]
    while todo:
        need, extra = todo.pop()
        if need.marker and not need.marker.evaluate({"extra": extra}):
            continue
        for wanted in {"", *need.extras}:
            if (need.name, wanted) not in found:
                found.add((need.name, wanted))
                requires = importlib.metadata.requires(need.name) or []
                todo += [(Requirement(one), wanted) for one in requires]
    return {pins.name_of(name) for name, _ in found}


def test_what_comes_along_is_pinned_in_the_version_that_is_installed():
    wanted = come_along(["betterthan[book,studies,test]"]) - {"betterthan"}
    assert {"numpy", "pygments", "requests"} <= wanted
    pinned: dict[str, set[str]] = {}
    for line in pins.lines_of(pins.FILE.read_text("utf-8")):
        version = line.partition(";")[0].partition("==")[2].strip()
        pinned.setdefault(pins.name_of(line), set()).add(version)
    assert sorted(wanted - pinned.keys()) == []
    away = {name: importlib.metadata.version(name) for name in wanted}
    assert {name: v for name, v in away.items() if v not in pinned[name]} == {}


def test_the_library_alone_needs_five_packages():
    assert names(project()["dependencies"]) == {"matplotlib", "numpy", "pandas", "scipy", "tqdm"}
    every = brought_by("all")
    for extra in ("corpora", "inspect", "retrieval", "tables", "taggers", "translations"):
        assert brought_by(extra) <= every
    assert brought_by("crf") == brought_by("taggers")


def test_the_command_that_a_message_names_brings_the_package():
    found = []
    provided = importlib.metadata.packages_distributions()
    for path in sorted((ROOT / "lib" / "betterthan").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("require"):
                said = {one.arg: one.value for one in call.keywords}
                module = ast.literal_eval(call.args[0]).partition(".")[0]
                found.append((path.name, module, ast.literal_eval(said["extra"])))
    assert ("_fetch.py", "pooch", "corpora") in found
    for file, module, extra in found:
        distributions = {*map(pins.name_of, provided[module])}
        assert distributions & brought_by(extra), f"{file}: {extra} does not bring {module}"


def test_the_book_installs_nothing_that_only_tests_and_studies_need():
    book = names(project()["dependencies"]) | brought_by("book")
    others = ("dask", "distributed", "selenium", "mlxtend", "pytest", "jieba", "snownlp", "mypy")
    assert not book & {*others}


def test_the_files_that_quick_tests_leave_out_exist():
    lines = (ROOT / "tests" / "quick.txt").read_text("utf-8").splitlines()
    left_out = [line.partition("=")[2] for line in lines if line.startswith("--ignore=")]
    assert len(left_out) > 5
    assert [name for name in left_out if not (ROOT / name).exists()] == []


# --- What others run: continuous integration, and make on a new machine ----------------------


def tool(name: str, *arguments: object) -> subprocess.CompletedProcess:
    """Run a command of the environment that the tests run in."""
    program = Path(sys.executable).with_name(name)
    return subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_for_others_are_as_their_readers_want_them(schema, files):
    assert files
    done = tool("check-jsonschema", "--builtin-schema", schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_workflows_are_safe():
    done = tool("zizmor", "--offline", "--no-progress", ".github")
    assert done.returncode == 0, done.stdout + done.stderr
    used = [line for path in WORKFLOWS for line in re.findall(r"uses: (.+)", path.read_text())]
    assert len(used) > 5
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", line) for line in used)
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text("utf-8"))
        assert workflow["permissions"] == {}
        assert all("permissions" in job for job in workflow["jobs"].values())


def test_workflows_run_every_python_that_is_promised():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]
    start = "Programming Language :: Python :: 3."
    promised = [c.rpartition(" ")[2] for c in project()["classifiers"] if c.startswith(start)]
    assert jobs["everything"]["strategy"]["matrix"]["python"] == promised
    assert project()["requires-python"] == f">={promised[0]}"
    run = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert ".ci/run" in run and "make lowest" in run
    assert any("@tests/quick.txt" in command for command in run)


def test_the_commands_that_contributors_are_told_exist():
    told = set(re.findall(r"`?make ([a-z]+)\b", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {*re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split()}
    assert {"env", "quick", "test", "lint", "lowest", "pins"} <= told & targets
    assert told <= targets


def test_the_first_change_of_a_contributor_goes_as_told():
    from betterthan.pvalues import mcnemar

    call = "mcnemar([1, 0, 0, 0], [1, 1, 1, 1])"
    assert f"    >>> round({call}.pvalue, 3)\n    0.5\n" in (ROOT / "CONTRIBUTING.md").read_text(
        "utf-8"
    )
    assert eval(call, {"mcnemar": mcnemar}).pvalue == 0.5**3
    assert "Examples\n" in mcnemar.__doc__


# A Python whose `-m venv` fails after half of its work, as Debian's does without python3-venv; with
# a file `repaired` beside it, it makes a whole environment. Nothing is installed by either.
PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
  "-m venv"*)
    mkdir -p .venv/bin
    printf '#!/bin/sh\\nexit 1\\n' > .venv/bin/python
    if [ -e "$here/repaired" ]; then
      for name in python pip; do printf '#!/bin/sh\\nexit 0\\n' > .venv/bin/$name; done
    fi
    chmod +x .venv/bin/*
    test -e "$here/repaired" ;;
esac
"""


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_make_goes_on_after_a_half_made_environment(tmp_path):
    for name in ("Makefile", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(PYTHON)
    python.chmod(0o755)
    uv = tmp_path / "bin" / "uv"
    uv.write_text("#!/bin/sh\n")
    uv.chmod(0o755)
    environment = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}
    # `make PYTHON=… test` hands its variables on.
    environment = {
        k: v for k, v in environment.items() if not k.startswith("MAKE") and k != "PYTHON"
    }

    def make() -> subprocess.CompletedProcess:
        return subprocess.run(
            ["make", "env"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    failed = make()
    assert failed.returncode != 0
    assert "install python3-venv" in failed.stdout
    assert not (tmp_path / ".venv").exists()
    # One that an interrupted run left half-made is made anew, too.
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    shutil.copy("/bin/false", tmp_path / ".venv" / "bin" / "python")
    (python.parent / "repaired").touch()
    done = make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / ".venv" / ".test").exists()


def test_no_machine_paths_and_no_lock_files_are_tracked():
    names = tracked()
    assert not [n for n in names if re.search(r"(package-lock\.json|uv\.lock|poetry\.lock)$", n)]
    pattern = re.compile(r"(?<![\w.:/])/(home|root|Users|tmp)/\w")
    for name in names:
        path = ROOT / name
        if path.suffix in {".ipynb", ".md", ".csv", ".json", ".yml", ".toml"} and path.exists():
            assert not pattern.search(path.read_text("utf-8")), name
