"""Ours and the peers side by side: ``python tests/benchmarks/run.py [TOPIC ...]``.

Every ``bench_TOPIC.py`` beside this file defines ``rows()``, which yields rows::

    from benchmarks.run import Row, Value

    def rows():
        data = ...
        yield Row("F1 of 1e6 draws", ours=lambda: f(data), peer=lambda: g(data),
                  peer_name="baycomp", agree=lambda ours, peer: abs(ours - peer).max(),
                  tolerance=1e-9, target=10)

Ours and the peer are called in turn in one process, so that whatever else the machine does
hits both. The ratio is peer / ours: above 1, ours is faster. A row whose results disagree
beyond its tolerance fails the run, and so does a missed target unless ``--quick``.
`Value` is a line with one number, such as the time of an import.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gc
import importlib.util
import io
import itertools
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "_build"


@dataclass(frozen=True)
class Row:
    """One comparison.

    `ours` and `peer` take what `setup` returns, or nothing when there is no `setup`, and
    return their results; `peer` may be missing. `target` is the least ratio peer / ours.

    `agree(ours, peer)` gets both results and returns the largest difference (a number, checked
    against `tolerance`), a bool, a text to show, or a pair of a bool and a text. Without
    `agree`, numbers and arrays are compared by their largest absolute difference, anything
    else by ``==``.

    `repeat` fixes the number of timed calls of each side. `peer_scale` is for a peer too slow
    to run in full: its time counts that many times, and the table says so.

    With `memory=True` each side also runs alone in a fresh process that reports its peak;
    `memory_target` is then the most that ours / peer may be.
    """

    name: str
    ours: Callable[..., Any]
    peer: Callable[..., Any] | None = None
    peer_name: str = ""
    agree: Callable[[Any, Any], float | str | bool] | None = None
    target: float | None = None
    repeat: int | None = None
    memory: bool = False
    setup: Callable[[], Any] | None = None
    tolerance: float = 1e-9
    peer_scale: float = 1.0
    memory_target: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.peer is None and self.target is not None:
            raise ValueError(f"row {self.name!r}: target={self.target!r}: expected a peer, too")
        if self.memory_target is not None and not (self.memory and self.peer):
            raise ValueError(
                f"row {self.name!r}: memory_target={self.memory_target!r}: "
                "expected memory=True and a peer, too"
            )


@dataclass(frozen=True)
class Value:
    """A single measured number with its unit, such as the time an import takes.

    `limit` is the most it may be.
    """

    name: str
    measure: Callable[[], float]
    unit: str
    limit: float | None = None
    note: str = ""


@dataclass
class Result:
    """A line of the table."""

    topic: str
    comparison: str
    ours: float | None = None
    peer: float | None = None
    peer_name: str = ""
    ratio: float | None = None
    target: float | None = None
    agreement: str = ""
    ours_min: float | None = None
    peer_min: float | None = None
    repeats: int = 0
    ours_memory: float | None = None
    peer_memory: float | None = None
    value: float | None = None
    unit: str = "s"
    note: str = ""
    failures: list[str] = field(default_factory=list)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, and its result; the garbage collector waits outside."""
    gc.disable()
    try:
        began = time.perf_counter()
        result = call()
        return time.perf_counter() - began, result
    finally:
        gc.enable()


def bind(function: Callable[..., Any], row: Row, prepared: Any) -> Callable[[], Any]:
    """`function` as a call without arguments."""
    return function if row.setup is None else lambda: function(prepared)


def measure(topic: str, row: Row, *, quick: bool = False) -> Result:
    """Time a row: warm up, then ours and the peer in turn; the median counts."""
    prepared = row.setup() if row.setup else None
    sides = {"ours": bind(row.ours, row, prepared)}
    if row.peer is not None:
        sides["peer"] = bind(row.peer, row, prepared)
    warm, outputs = {}, {}
    for side, call in sides.items():
        warm[side], outputs[side] = timed(call)
    result = Result(topic, row.name, peer_name=row.peer_name, target=row.target, note=row.note)
    if row.peer is not None:
        result.agreement, fault = agreement(row, outputs["ours"], outputs["peer"])
        if fault:
            result.failures.append(fault)
    outputs.clear()
    times = alternate(sides, warm, row.repeat, budget=0.2 if quick else 2.0)
    result.repeats = len(times["ours"])
    result.ours, result.ours_min = statistics.median(times["ours"]), min(times["ours"])
    if row.peer is not None:
        result.peer = row.peer_scale * statistics.median(times["peer"])
        result.peer_min = row.peer_scale * min(times["peer"])
        if row.peer_scale != 1:
            result.peer_name = f"{row.peer_name} (measured x {row.peer_scale:g})"
        result.ratio = result.peer / result.ours
        if row.target is not None and result.ratio < row.target and not quick:
            result.failures.append(f"ratio {result.ratio:.3g} is below the target {row.target:g}")
    return result


def alternate(
    sides: dict[str, Callable[[], Any]],
    warm: dict[str, float],
    repeat: int | None,
    budget: float,
) -> dict[str, list[float]]:
    """Seconds per call of each side, called in turn; `warm` says how long one took before."""
    slowest = max(warm.values())
    least = 3 if slowest < 10 else 1
    repeats = repeat or max(least, min(101, math.ceil(budget / max(slowest, 1e-9))))
    # A call too short for the clock is timed in a batch.
    batch = {side: max(1, math.ceil(1e-3 / max(warm[side], 1e-7))) for side in sides}
    times: dict[str, list[float]] = {side: [] for side in sides}
    gc.collect()
    for turn in range(repeats):
        # who goes first changes, so that neither always finds the warmer cache
        for side in sorted(sides, reverse=bool(turn % 2)):
            call, count = sides[side], batch[side]
            seconds, _ = timed(call if count == 1 else functools.partial(_many, call, count))
            times[side].append(seconds / count)
    return times


def _many(call: Callable[[], Any], count: int) -> None:
    for _ in range(count):
        call()


def agreement(row: Row, ours: Any, peer: Any) -> tuple[str, str | None]:
    """What to show about how far the results agree, and the fault if they do not."""
    verdict = difference(ours, peer) if row.agree is None else row.agree(ours, peer)
    if isinstance(verdict, str):
        return verdict, None
    if isinstance(verdict, tuple):
        good, text = verdict
        return text, None if good else f"the results disagree: {text}"
    if isinstance(verdict, bool | np.bool_):
        return ("same", None) if verdict else ("DIFFERENT", "the results differ")
    distance = float(verdict)
    if distance <= row.tolerance:
        return f"{distance:.1e}" if distance else "exact", None
    fault = f"the results differ by {distance:.3g}, more than {row.tolerance:g}"
    return f"{distance:.1e} > {row.tolerance:g}", fault


def difference(ours: Any, peer: Any) -> float | bool:
    """The largest absolute difference of numbers; of anything else, whether it is equal."""
    try:
        a, b = np.asarray(ours, dtype=float), np.asarray(peer, dtype=float)
    except (TypeError, ValueError):
        return bool(ours == peer)
    if a.shape != b.shape:
        return False
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    return float(np.max(np.abs(a[~same] - b[~same])))


def value_of(topic: str, row: Value, *, quick: bool = False) -> Result:
    """Measure a single number."""
    number = float(row.measure())
    result = Result(topic, row.name, value=number, unit=row.unit, target=row.limit, note=row.note)
    if row.limit is not None and number > row.limit and not quick:
        result.failures.append(f"{number:.3g} {row.unit} is above the limit {row.limit:g}")
    return result


def load(path: Path) -> Iterable[Row | Value]:
    """The rows of one file."""
    return module_of(path).rows()


def module_of(path: Path) -> ModuleType:
    """A bench file, imported."""
    # so that a bench file, however it spells the import of Row, finds this very module
    for folder in (HERE.parent, HERE.parent.parent):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    for name in ("run", "benchmarks.run", "tests.benchmarks.run"):
        sys.modules.setdefault(name, sys.modules[__name__])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def files(folder: Path) -> dict[str, Path]:
    """The bench files of a folder, by topic."""
    return {path.stem.removeprefix("bench_"): path for path in sorted(folder.glob("bench_*.py"))}


def peak_memory(folder: Path, topic: str, number: int, side: str) -> float:
    """Peak memory in MiB of one side of a row, in a process of its own.

    Imports and data are in it, too: it is what a user sees.
    """
    command = [sys.executable, __file__, "--folder", str(folder)]
    command += ["--measure-memory", f"{topic}:{number}:{side}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"memory of {topic}:{number}:{side}: {done.stderr[-2000:]}")
    return float(json.loads(done.stdout.splitlines()[-1])["peak_mib"])


def measure_memory(folder: Path, which: str) -> None:
    """The child's part of :func:`peak_memory`."""
    topic, number, side = which.rsplit(":", 2)
    row = next(itertools.islice(load(files(folder)[topic]), int(number), None))
    prepared = row.setup() if row.setup else None
    bind(getattr(row, side), row, prepared)()
    print(json.dumps({"peak_mib": own_peak()}))


def own_peak() -> float:
    """Peak memory of this process in MiB."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Linux hands ru_maxrss on to the programs a process starts: a child of a large
        # parent would report its parent's peak. VmHWM begins anew with each program.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def run(folder: Path, topics: Sequence[str], *, quick: bool = False) -> Iterator[Result]:
    """Measure the rows of the topics (all when none are named), one after another.

    A row that raises is a failed line of the table; the others are measured all the same.
    """
    there = files(folder)
    if not there:
        raise ValueError(f"no bench_*.py in {folder}")
    unknown = [topic for topic in topics if topic not in there]
    if unknown:
        raise ValueError(
            f"no such topic: {', '.join(unknown)}; expected: {', '.join(there) or 'none there'}"
        )
    for topic in topics or there:
        try:
            for number, row in enumerate(load(there[topic])):
                try:
                    yield one(folder, topic, number, row, quick=quick)
                except Exception as error:
                    yield broken(topic, row.name, error)
        except Exception as error:
            yield broken(topic, "(its rows)", error)


def one(folder: Path, topic: str, number: int, row: Row | Value, *, quick: bool) -> Result:
    """Measure one row."""
    if isinstance(row, Value):
        return value_of(topic, row, quick=quick)
    result = measure(topic, row, quick=quick)
    if row.memory:
        result.ours_memory = peak_memory(folder, topic, number, "ours")
        if row.peer is not None:
            result.peer_memory = peak_memory(folder, topic, number, "peer")
            share = result.ours_memory / result.peer_memory
            if row.memory_target is not None and share > row.memory_target:
                result.failures.append(
                    f"{share:.2f} times the memory is above the target {row.memory_target:g}"
                )
    return result


def broken(topic: str, name: str, error: Exception) -> Result:
    """The line for a row that could not be measured."""
    return Result(topic, name, failures=[f"{type(error).__name__}: {error}"])


HEAD = ("topic", "comparison", "ours", "peer", "ratio", "target", "agreement", "memory", "")


def cells(result: Result) -> tuple[str, ...]:
    """A result as the cells of the table."""
    if result.value is not None:
        ours = f"{result.value:.3g} {result.unit}"
        target = "" if result.target is None else f"<= {result.target:g}"
    else:
        ours = "" if result.ours is None else duration(result.ours)
        target = "" if result.target is None else f">= {result.target:g}"
    peer = f"{duration(result.peer)} {result.peer_name}".strip() if result.peer else ""
    ratio = "" if result.ratio is None else f"{result.ratio:.3g}x"
    sides = (result.ours_memory, result.peer_memory)
    memory = " / ".join(f"{side:.0f}" for side in sides if side is not None)
    memory = f"{memory} MiB" if memory else ""
    verdict = "FAIL: " + "; ".join(result.failures) if result.failures else result.note
    name = (result.topic, result.comparison)
    return (*name, ours, peer, ratio, target, result.agreement, memory, verdict)


def duration(seconds: float) -> str:
    """Seconds in a unit a person reads."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(results: Sequence[Result], *, markdown: bool = False) -> str:
    """The table as text."""
    lines = [HEAD, *(cells(result) for result in results)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    lines.insert(1, tuple("-" * width for width in widths))
    between, edge = (" | ", "|") if markdown else ("  ", "")
    padded = [between.join(c.ljust(w) for c, w in zip(line, widths)) for line in lines]
    return "\n".join(f"{edge} {line} {edge}".strip() for line in padded)


def to_csv(results: Sequence[Result], path: Path) -> None:
    """Write all that was measured, unrounded."""
    text = io.StringIO()
    names = list(asdict(Result("", "")))
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for result in results:
        writer.writerow(asdict(result) | {"failures": "; ".join(result.failures)})
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".tmp")
    try:
        half.write_text(text.getvalue(), encoding="utf-8", newline="")
        os.replace(half, path)
    finally:
        half.unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 when results disagree or a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help="all when none are named")
    parser.add_argument("--quick", action="store_true", help="few repeats; targets do not count")
    parser.add_argument("--csv", type=Path, default=BUILD / "bench.csv", metavar="FILE")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--folder", type=Path, default=HERE, help="where bench_*.py are")
    parser.add_argument("--measure-memory", metavar="TOPIC:ROW:SIDE", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure_memory:
        measure_memory(options.folder, options.measure_memory)
        return 0
    results = []
    try:
        for result in run(options.folder, options.topics, quick=options.quick):
            results.append(result)
            print(f"{result.topic}: {result.comparison}", file=sys.stderr)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(results, markdown=options.markdown))
    to_csv(results, options.csv)
    return 1 if any(result.failures for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
