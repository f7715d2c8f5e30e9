"""Who imports whom: no circles, statistics without taggers, nobody's private names, no ballast."""

from __future__ import annotations

import ast
import graphlib
import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import betterthan

PACKAGE = Path(betterthan.__file__).parent
TAGGERS = "betterthan.taggers"


class Import(NamedTuple):
    """One name that a module imports, in a function or at the top."""

    importer: str
    module: str
    name: str | None
    line: int


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of the library by their dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path = PACKAGE) -> Iterator[Import]:
    """Everything of the library that modules of the library import or reach into, wherever."""
    known = modules(package)
    for importer, path in known.items():
        inside = importer if path.name == "__init__.py" else importer.rpartition(".")[0]
        bound = {}
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in known:
                        bound[alias.asname or alias.name] = alias.name
                        yield Import(importer, alias.name, None, node.lineno)
            elif isinstance(node, ast.ImportFrom):
                stem = inside.split(".")[: len(inside.split(".")) - node.level + 1]
                base = ".".join([*(stem if node.level else []), *filter(None, [node.module])])
                for alias in node.names:
                    if f"{base}.{alias.name}" in known:
                        bound[alias.asname or alias.name] = f"{base}.{alias.name}"
                        yield Import(importer, f"{base}.{alias.name}", None, node.lineno)
                    elif base in known:
                        yield Import(importer, base, alias.name, node.lineno)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and dotted(node.value) in bound:
                yield Import(importer, bound[dotted(node.value)], node.attr, node.lineno)


def dotted(node: ast.expr) -> str:
    """The name ``a.b.c`` that an expression is, or nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""


def top(module: str) -> str:
    """The module of the library's first level that `module` belongs to."""
    return ".".join(module.split(".")[:2])


def circle(found: list[Import]) -> list[str]:
    """Modules that import each other in a circle, or nothing."""
    graph: dict[str, set[str]] = {}
    for one in found:
        needs = graph.setdefault(one.importer, set())
        needs.add(one.module)
        # Python runs a package before a module inside it, unless it is running it already.
        package = one.module.rpartition(".")[0]
        if not f"{one.importer}.".startswith(f"{package}."):
            needs.add(package)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def taggers_in_statistics(found: list[Import]) -> list[str]:
    """Modules outside of the taggers that import one."""
    return [
        f"{one.importer}, line {one.line}"
        for one in found
        if top(one.module) == TAGGERS and top(one.importer) != TAGGERS
    ]


def private(name: str | None) -> bool:
    return bool(name) and name.startswith("_") and not name.startswith("__")


def private_names(found: list[Import]) -> list[str]:
    """Private names taken from a public module, and private modules of another package.

    A module that begins with an underscore (``_checks``) is there for all of its package.
    """
    poked = []
    for one in found:
        package, _, module = one.module.rpartition(".")
        own = f"{one.importer}.".startswith(f"{package}.")
        if (private(one.name) and not private(module)) or (private(module) and not own):
            poked.append(f"{one.importer}, line {one.line}: {one.module} {one.name or ''}".rstrip())
    return poked


FOUND = list(imports())


def test_no_circle_of_imports():
    assert "\n".join(circle(FOUND)) == ""


def test_statistics_never_import_a_tagger():
    assert "\n".join(taggers_in_statistics(FOUND)) == ""


def test_no_module_takes_a_private_name_of_another():
    assert "\n".join(private_names(FOUND)) == ""


@pytest.fixture
def package(tmp_path) -> Path:
    """A small library without a fault."""
    files = {
        "__init__.py": "from betterthan import scores\n",
        "_checks.py": "def whole(): ...\n",
        "scores.py": "from . import _checks\nfrom ._checks import _hidden\n_checks.whole()\n",
        "taggers/__init__.py": "from betterthan.taggers._kernels import train\n",
        "taggers/_kernels.py": "from .. import scores\ndef train(): ...\n",
    }
    for name, text in files.items():
        path = tmp_path / "betterthan" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "betterthan"


def verdicts(package: Path) -> list[list[str]]:
    found = list(imports(package))
    return [circle(found), taggers_in_statistics(found), private_names(found)]


def test_a_clean_library_passes(package):
    assert len(list(imports(package))) == 6
    assert verdicts(package) == [[], [], []]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("_checks.py", "def f():\n    from betterthan import scores\n", (0,)),
        ("taggers/_kernels.py", "from betterthan.taggers import train\n", (0,)),
        ("scores.py", "def f():\n    from betterthan.taggers import train\n", (0, 1)),
        ("other.py", "import betterthan.taggers\n", (1,)),
        ("other.py", "from .scores import _hidden\n", (2,)),
        ("other.py", "def f():\n    from betterthan import scores as s\n    s._hidden()\n", (2,)),
        ("other.py", "def f():\n    from betterthan.taggers._kernels import train\n", (1, 2)),
    ],
)
def test_a_fault_is_seen_even_inside_a_function(package, file, text, expected):
    path = package / file
    path.write_text((path.read_text() if path.exists() else "") + text)
    assert tuple(n for n, verdict in enumerate(verdicts(package)) if verdict) == expected


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh Python holds after `code`."""
    show = f"{code}\nimport json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("code", "ballast"),
    [
        ("import betterthan", {"numpy", "pandas", "scipy"}),
        (
            "from betterthan import bayes",
            {"sklearn", "statsmodels", "matplotlib", "pandas.tests", "numba", "joblib"},
        ),
        ("from betterthan import compare", {"sklearn", "statsmodels", "matplotlib", "numba"}),
        (
            "from betterthan import psychometrics, ranking, taggers",
            {"sklearn", "statsmodels", "matplotlib", "numba", "joblib"},
        ),
    ],
)
def test_an_import_loads_no_ballast(code, ballast):
    assert loaded_by(code) & ballast == set()


CORE = ("matplotlib", "numpy", "pandas", "scipy", "tqdm")
# Imports every module of the library where nothing is installed but what is named, and prints
# which modules cannot be imported and what they lack.
WITH_THESE_ALONE = """
import importlib, json, sys

absent, modules = map(json.loads, sys.argv[1:])

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
failed = {}
for module in modules:
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        failed[module] = error.name
print(json.dumps(failed))
"""


def brought_along(*distributions: str) -> set[str]:
    """These packages and all they need, as package indices spell them."""
    found, todo = set(), list(distributions)
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            needs = importlib.metadata.requires(name) or []
            todo += [re.match(r"[\w.-]+", need)[0] for need in needs if "extra ==" not in need]
    return found


def lacking_with(*distributions: str) -> dict[str, str]:
    """The modules of the library that these packages do not suffice for, and what they lack."""
    there = brought_along(*distributions) | {"betterthan"}
    provided = importlib.metadata.packages_distributions()
    absent = [
        package
        for package, by in provided.items()
        if not {one.lower().replace("_", "-") for one in by} & there
    ]
    known = [name for name in modules() if not name.endswith("__main__")]
    arguments = [json.dumps(absent), json.dumps(known)]
    done = subprocess.run(
        [sys.executable, "-c", WITH_THESE_ALONE, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_five_packages_of_the_core_suffice_for_everything_but_the_taggers():
    assert {name for name in lacking_with(*CORE) if top(name) != TAGGERS} == set()


def test_what_is_lacking_is_seen():
    assert lacking_with("numpy")["betterthan.datasets"] == "pandas"


EXTRAS = ("joblib", "numba", "pycrfsuite", "sklearn", "statsmodels")
CORE_ONLY = """
import sys
for name in {extras!r}:
    sys.modules[name] = None
import doctest, importlib, pkgutil
import matplotlib
matplotlib.use("agg")
for name in ("ranking", "psychometrics"):
    package = importlib.import_module(f"betterthan.{{name}}")
    for found in pkgutil.iter_modules(package.__path__, f"betterthan.{{name}}."):
        module = importlib.import_module(found.name)
        failed, tried = doctest.testmod(module)
        print(found.name, failed, tried)
"""


def test_rankings_and_psychometrics_need_numpy_scipy_pandas_and_matplotlib_alone():
    """Every example of every function runs without the extras."""
    code = CORE_ONLY.format(extras=EXTRAS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = [line.split() for line in done.stdout.splitlines()]
    assert [line for line in found if line[1] != "0"] == []
    assert sum(int(tried) for *_, tried in found) > 60
