"""Running a study: fan-out, checkpoints, and one way to write the result."""

from __future__ import annotations

import json
import shutil
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from betterthan.studies import _code, _files, _results
from betterthan.studies._study import RunTask, Study, canonical, get

Progress = Callable[[int, int], None]


class StudyError(RuntimeError):
    """A task of a study failed; the message names the task. Finished tasks are kept."""


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes
    ----------
    study : str
        The name of the study.
    csv : Path
        The result.
    sidecar : Path
        Where it comes from.
    tasks : int
        How many the study has.
    resumed : int
        Tasks kept from an earlier run.
    ran : int
        Tasks done by this one.
    rows : int
        Of the result.
    """

    study: str
    csv: Path
    sidecar: Path
    tasks: int
    resumed: int
    ran: int
    rows: int

    def __str__(self) -> str:
        if self.ran == 0 and self.resumed == 0:
            return f"{self.study}: up to date, {self.rows} rows in {self.csv}"
        kept = f" ({self.resumed} kept from an earlier run)" if self.resumed else ""
        return f"{self.study}: {self.tasks} tasks{kept}, {self.rows} rows in {self.csv}"


@dataclass(frozen=True)
class Plan:
    """A study with everything its result depends on."""

    study: Study
    tasks: list[dict[str, Any]]
    keys: list[str]
    sidecar: dict[str, Any]

    @classmethod
    def of(cls, study: Study) -> Plan:
        tasks = study.task_list()
        depends = {
            "study": study.name,
            "seed": int(study.seed),
            "columns": study.columns,
            **_code.depends(study),
        }
        keys = [
            _files.sha256(canonical([depends, index, task]).encode())
            for index, task in enumerate(tasks)
        ]
        sidecar = {
            "study": study.name,
            "title": study.title,
            "command": study.command,
            "seed": int(study.seed),
            "tasks": len(tasks),
            "tasks_sha256": _files.sha256("".join(keys).encode()),
            "versions": depends["versions"],
            "data": depends["data"],
            "code": depends["code"],
        }
        return cls(study, tasks, keys, sidecar)

    def checkpoint(self, folder: Path, index: int) -> Path:
        return folder / f"{index:06d}-{self.keys[index][:16]}.json"

    def finished(self, folder: Path) -> dict[int, list[dict[str, Any]]]:
        """Rows of the tasks whose checkpoint is whole and was made by this very plan."""
        done = {}
        for index, key in enumerate(self.keys):
            try:
                saved = json.loads(self.checkpoint(folder, index).read_bytes())
                if saved["key"] == key and saved["rows_sha256"] == _rows_hash(saved["rows"]):
                    done[index] = _results.plain_rows(saved["rows"], self.study.columns)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return done


def run(
    study: Study | str,
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Run a study, or what is left of it, and write ``NAME.csv`` and ``NAME.json``.

    Every finished task is written to ``.partial/NAME`` beside the result at once. A run that
    was killed goes on from there, and ends with the same bytes. A result that is there, made
    by the same code from the same data with the same versions, is left alone.

    Parameters
    ----------
    study
        A study or its name.
    out
        The folder for the result; by default ``data/studies`` of the repository, or of the
        current folder when the package was installed from a wheel.
    jobs
        Processes; -1 for one per core. The default leaves it to ``joblib.parallel_config``,
        so that ``with joblib.parallel_config(backend="dask")`` moves a study to a cluster.
    fresh
        Throw away checkpoints and result, and begin again.
    progress
        Called with (finished tasks, all tasks) at the start and after every task.

    Raises
    ------
    StudyError
        When a task fails. Those that are finished are kept.
    RuntimeError
        When another process is running the same study into the same folder.
    ValueError
        When the study is unknown or describes itself wrongly.

    Examples
    --------
    ``studies.run("bcv-crf-small", jobs=2)`` returns an :class:`Outcome` that says where the
    result is.
    """
    if isinstance(study, str):
        study = get(study)
    plan = Plan.of(study)
    folder = _results.output_folder() if out is None else Path(out)
    scratch = folder / ".partial" / study.name
    table, sidecar = folder / f"{study.name}.csv", folder / f"{study.name}.json"
    scratch.mkdir(parents=True, exist_ok=True)
    busy = f"study {study.name!r} is being run into {folder} by another process"
    with _files.locked(folder / ".partial" / f"{study.name}.lock", busy):
        current = None if fresh else up_to_date(plan, folder)
        if current is not None:
            shutil.rmtree(scratch, ignore_errors=True)
            return Outcome(study.name, table, sidecar, len(plan.tasks), 0, 0, current["rows"])
        done = {} if fresh else plan.finished(scratch)
        keep = {plan.checkpoint(scratch, index) for index in done}
        for path in scratch.iterdir():
            if path not in keep:
                path.unlink()
        resumed = len(done)
        report = progress or (lambda finished, all_tasks: None)
        report(resumed, len(plan.tasks))
        _same_everywhere(study, plan.sidecar)
        for index, rows in _results_of(plan, set(range(len(plan.tasks))) - set(done), jobs):
            saved = {"key": plan.keys[index], "rows_sha256": _rows_hash(rows), "rows": rows}
            data = json.dumps(saved, ensure_ascii=False).encode()
            _files.write_atomically(plan.checkpoint(scratch, index), data, scratch)
            done[index] = rows
            report(len(done), len(plan.tasks))
        rows = [row for index in sorted(done) for row in done[index]]
        columns, data = _results.to_csv(rows, study.columns)
        about = plan.sidecar | {
            "rows": len(rows),
            "columns": columns,
            "csv_sha256": _files.sha256(data),
        }
        _files.write_atomically(table, data, scratch)
        text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
        _files.write_atomically(sidecar, text.encode(), scratch)
        shutil.rmtree(scratch, ignore_errors=True)
    return Outcome(
        study.name, table, sidecar, len(plan.tasks), resumed, len(done) - resumed, len(rows)
    )


def up_to_date(plan: Plan, folder: Path) -> dict[str, Any] | None:
    """The provenance in `folder`, if a new run could only repeat that result."""
    about = _saved(plan, folder)
    return about if about is not None and not _changes(plan, about) else None


def state(plan: Plan, folder: Path) -> tuple[str, str]:
    """In words: how far the study is, and why its result should be made again."""
    about = _saved(plan, folder)
    changes = [] if about is None else _changes(plan, about)
    if about is not None and not changes:
        return "done", ""
    why = f"changed since: {', '.join(changes)}" if changes else ""
    partial = len(plan.finished(folder / ".partial" / plan.study.name))
    if partial:
        return f"{partial} of {len(plan.tasks)} done", why
    if about is not None:
        return "out of date", why
    if (folder / f"{plan.study.name}.csv").is_file():
        return "damaged", "the CSV is not the one that its provenance describes"
    return "not run", ""


def _saved(plan: Plan, folder: Path) -> dict[str, Any] | None:
    """The provenance in `folder`, if it is that of the CSV beside it."""
    try:
        about = json.loads((folder / f"{plan.study.name}.json").read_bytes())
        data = (folder / f"{plan.study.name}.csv").read_bytes()
        return about if about["csv_sha256"] == _files.sha256(data) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _changes(plan: Plan, about: dict[str, Any]) -> list[str]:
    """Names of what is not now as it was when the result was made."""
    changed: list[str] = []
    for kind in ("code", "data", "versions"):
        then, now = about.get(kind) or {}, plan.sidecar[kind]
        changed += [k for k in sorted(then.keys() | now.keys()) if then.get(k) != now.get(k)]
    if not changed and about != about | plan.sidecar:
        changed += [key for key, value in plan.sidecar.items() if about.get(key) != value]
    return changed


def _same_everywhere(study: Study, here: dict[str, Any]) -> None:
    """Refuse a cluster whose workers have other code, data or packages than this process."""
    client = getattr(joblib.parallel.get_active_backend()[0], "client", None)
    if client is None:
        return
    try:
        answers = client.run(_code.depends, study)
    except Exception as error:
        raise RuntimeError(
            f"a worker of the cluster cannot load study {study.name!r} "
            f"({type(error).__name__}: {error}); expected the same code and data everywhere"
        ) from error
    for worker, there in answers.items():
        for kind, values in there.items():
            for name in sorted(values.keys() | here[kind].keys()):
                if values.get(name) != here[kind].get(name):
                    raise RuntimeError(
                        f"worker {worker} has another {name} ({kind}: {values.get(name)}) than "
                        f"this process ({here[kind].get(name)}); expected the same everywhere"
                    )


def _results_of(
    plan: Plan, todo: set[int], jobs: int | None
) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    if not todo:
        return
    study = plan.study
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    calls = (
        joblib.delayed(_call)(study.run, index, plan.tasks[index], study.seed)
        for index in sorted(todo)
    )
    answers = parallel(calls)
    try:
        for index, rows, failure in answers:
            if failure is None:
                try:
                    rows = _results.plain_rows(rows, study.columns)
                except ValueError as error:
                    failure = str(error)
            if failure is not None:
                raise StudyError(
                    f"study {study.name!r}: task {index} of {len(plan.tasks)} (the first is 0), "
                    f"{canonical(plan.tasks[index])}, failed: {failure}"
                )
            yield index, rows
    finally:
        with warnings.catch_warnings():
            # after a failure the tasks still under way are given up on purpose
            warnings.filterwarnings("ignore", message=".*have been cancelled", module="joblib")
            answers.close()


def _call(
    run_task: RunTask, index: int, task: dict[str, Any], seed: int
) -> tuple[int, Any, str | None]:
    # The same child as SeedSequence(seed).spawn(n)[index], whatever n is.
    child = np.random.SeedSequence(seed, spawn_key=(index,))
    try:
        # One thread each: sums made by several threads differ in their last digits, and how
        # many a task would get depends on the number of workers.
        with threadpool_limits(1):
            return index, run_task(task, child), None
    except Exception as error:
        # As text: not every exception survives the way back from another process.
        return index, None, f"{type(error).__name__}: {error}\n\n{traceback.format_exc()}"


def _rows_hash(rows: Any) -> str:
    return _files.sha256(canonical(rows).encode())
