"""``python -m betterthan.studies NAME [--jobs N] [--dask ADDRESS]``"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import joblib
from tqdm import tqdm

from betterthan.studies import _results, _run
from betterthan.studies._study import Study, discover, get, in_order


def main(arguments: Sequence[str] | None = None) -> int:
    """Run studies from the command line; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    folder = _results.output_folder() if options.out is None else options.out
    try:
        if options.list:
            return _list(folder, options.modules)
        if options.all == bool(options.names):
            parser.error("expected the names of studies, or --all, or --list")
        if options.all:
            found, failed = discover(options.modules)
            if failed:
                raise ValueError(
                    "; ".join(f"{m} cannot be imported: {w}" for m, w in failed.items())
                )
            chosen = list(found.values())
        else:
            chosen = [get(name, options.modules) for name in options.names]
        with _cluster(options.dask):
            for study in in_order(chosen):
                _one(study, folder, options)
    except KeyboardInterrupt:
        given = sys.argv[1:] if arguments is None else arguments
        # --fresh would throw away what was just kept
        again = " ".join(word for word in given if word != "--fresh")
        print(
            f"stopped; finished tasks are kept. Go on with: python -m betterthan.studies {again}",
            file=sys.stderr,
        )
        return 130
    except (ValueError, RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m betterthan.studies",
        description="Run studies; finished tasks are kept, so that a stopped run goes on.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="studies to run")
    parser.add_argument("--all", action="store_true", help="run all of them")
    parser.add_argument("--list", action="store_true", help="show them and what is done")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes (default 1; -1: all cores)"
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster at ADDRESS")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results")
    parser.add_argument("--fresh", action="store_true", help="begin again, keep nothing")
    parser.add_argument(
        "--from",
        dest="modules",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module of your own that defines STUDIES",
    )
    return parser


def _one(study: Study, folder: Path, options: argparse.Namespace) -> None:
    began = time.perf_counter()
    with tqdm(desc=study.name, unit="task", disable=None) as bar:

        def progress(finished: int, tasks: int) -> None:
            if bar.total is None:
                bar.total, bar.initial, bar.n = tasks, finished, finished
                bar.refresh()
            else:
                bar.update(finished - bar.n)

        outcome = _run.run(
            study,
            folder,
            jobs=None if options.dask else options.jobs,
            fresh=options.fresh,
            progress=progress,
        )
    print(f"{outcome} ({time.perf_counter() - began:.0f} s)")


@contextlib.contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise RuntimeError(
            "--dask needs the package distributed: pip install 'betterthan[cluster]'"
        ) from None
    try:
        client = Client(address, timeout=20)
    except (OSError, TimeoutError, ValueError) as error:
        raise RuntimeError(f"--dask {address}: no Dask scheduler answers there ({error})") from None
    with client, joblib.parallel_config(backend="dask"):
        yield


def _list(folder: Path, modules: Sequence[str]) -> int:
    found, failed = discover(modules)
    width = max(map(len, found), default=0)
    for name, study in sorted(found.items()):
        try:
            tasks = len(study.task_list())
            state, why = _run.state(_run.Plan.of(study), folder)
        except ValueError as error:
            tasks, state, why = 0, "cannot run", str(error)
        print(f"{name:{width}}  {tasks or '?':>6} tasks  {state:<12}  {study.title}".rstrip())
        if why:
            print(f"    {why}")
    for module, why in failed.items():
        print(f"{module} cannot be imported: {why}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
