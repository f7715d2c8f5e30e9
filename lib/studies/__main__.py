"""``python -m studies NAME … [--all] [--list] [--replay] [--jobs N] [--dask ADDRESS]``"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sys
import time
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import joblib

from studies._run import FOLDER, replay, run, sidecar, time_replay
from studies._study import Study, discover, get, in_order

LONGEST_REPLAY = 30  # seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run studies from the command line; returns the exit code."""
    about = "Run studies; finished tasks are kept, so that a stopped run goes on."
    parser = argparse.ArgumentParser(prog="python -m studies", description=about)
    say = parser.add_argument
    say("names", nargs="*", metavar="NAME", help="studies to run")
    say("--all", action="store_true", help="run all of them")
    say("--list", action="store_true", help="show them, what they cost and what is done")
    say("--replay", action="store_true", help="compare one random task with the table")
    say("--jobs", type=int, default=1, metavar="N", help="processes (default 1; -1: all cores)")
    say("--dask", metavar="ADDRESS", help="run on the Dask cluster at ADDRESS")
    say("--out", type=Path, default=FOLDER, metavar="DIR", help="folder of the results")
    options = parser.parse_args(arguments)
    if not options.list and options.all == bool(options.names):
        parser.error("expected the names of studies, or --all, or --list")
    # When a task fails, those still under way are given up on purpose.
    warnings.filterwarnings("ignore", message=".*have been cancelled", module="joblib")
    try:
        found, failed = discover()
        if options.list:
            print(*(_line(study, options.out) for study in found.values()), sep="\n")
        if failed and not options.names:
            raise ValueError(failed)
        chosen = [get(name) for name in options.names]
        for study in found.values() if options.all else ():
            missing = [name for name in study.needs if not find_spec(name)]
            if missing:
                print(f"{study.name}: left out, it needs {', '.join(missing)}")
            chosen += [] if missing else [study]
        if options.replay:
            return int(sum(_replay(study, options.out) for study in chosen) > 0)
        if not options.list:
            _run_all(in_order(chosen), options)
    except KeyboardInterrupt:
        print("stopped; finished tasks are kept: the same command goes on", file=sys.stderr)
        return 130
    except (ValueError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _run_all(chosen: list[Study], options: argparse.Namespace) -> None:
    with contextlib.ExitStack() as cluster:
        if options.dask:
            from distributed import Client

            cluster.enter_context(Client(options.dask, timeout=20))
            cluster.enter_context(joblib.parallel_config(backend="dask"))
        for study in chosen:
            began = time.perf_counter()
            jobs = None if options.dask else options.jobs
            table = run(study, options.out, jobs=jobs, keep=True)
            time_replay(study, options.out)
            print(f"{study.name}: {table} ({time.perf_counter() - began:.0f} s)", flush=True)
    for study in chosen:
        shutil.rmtree(options.out / ".partial" / study.name)


def _line(study: Study, folder: Path) -> str:
    done = (folder / f"{study.name}.csv").is_file()
    seconds = sum(sidecar(study.name, folder).get("task_seconds", [])) if done else 0
    cost, state = f"{seconds:.0f} s" if seconds else "? s", "done" if done else "not run"
    return f"{study.name:30} {len(study.tasks()):>5} tasks {cost:>8}  {state:8} {study.title}"


def _replay(study: Study, folder: Path) -> bool:
    """Another task each time, so that all are checked in the long run; whether it differs."""
    if not (folder / f"{study.name}.csv").is_file():
        print(f"{study.name}: left out, it has no table yet", flush=True)
        return False
    began = time.perf_counter()
    seconds = sidecar(study.name, folder).get("task_seconds", [0.0])
    longest = max(LONGEST_REPLAY, min(seconds))
    index = random.choice([i for i, cost in enumerate(seconds) if cost <= longest])
    found = replay(study, index, folder)
    verdict = f"{len(found)} differences, the first in {found[0]}" if found else "as in the table"
    took = time.perf_counter() - began
    print(f"{study.name}: task {index} of {len(seconds)}: {verdict} ({took:.0f} s)", flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
