"""Logs of Inspect, ``.eval`` or ``.json``: one number per sample; epochs are runs."""

from __future__ import annotations

import bz2
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import _checks
from betterthan._metrics import LOWER_IS_BETTER
from betterthan._values import Numbers
from betterthan._words import counted
from betterthan.errors import InputError, Say
from betterthan.readers import _logs
from betterthan.readers._format import Format
from betterthan.readers._text import MOST_BYTES, PathLike, Source, as_number, bytes_stream, decode
from betterthan.results import Results

__all__ = ["read_inspect"]

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_CHUNK = 1_000_000


def read_inspect(
    *models: PathLike | Iterable[PathLike],
    scorer: str | Mapping[str, str] | None = None,
    unscored: str = "refuse",
    unmatched: str = "refuse",
) -> dict[str, tuple[Results, ...]]:
    """Logs of Inspect (``.eval`` or ``.json``), one number per sample; epochs are runs.

    The grades C, P, I and N count 1, 0.5, 0 and 0; where they stand, the result says so. Numbers
    and true or false count as they are.

    Parameters
    ----------
    *models
        Of each model, the old one first: its log, or a folder of its logs, or several; one log per
        task.
    scorer : str or mapping, optional
        Which scorer, for all tasks or task by task, where a task has several. A scorer that gives
        several values is named with the value's name: ``"rubric/style"``.
    unscored : {"refuse", "wrong", "drop"}
        What to do with samples that have no score (an error, a limit): refuse the log, count them
        0, or leave them out. Counted and said in the result's notes.
    unmatched : {"refuse", "drop"}
        What to do with a task or a sample that not all models have: "drop" leaves it out and says
        so in a warning.

    Returns
    -------
    dict of str to tuple of Results
        For each task, in alphabetical order, one `Results` per model; several epochs are runs.

    Raises
    ------
    InputError
        For a file that is no log of Inspect, a log that was cancelled or failed, one compressed in
        a way that this Python cannot read, two logs of a task, samples without a score, several
        scorers and none chosen, a value that is no number, or other samples; with the file.
    OSError
        For a file that cannot be opened.

    Warns
    -----
    UserWarning
        With ``unmatched="drop"``, for what was left out.

    Examples
    --------
    >>> from betterthan.readers import example
    >>> tasks = read_inspect(*example("inspect"))
    >>> old, new = tasks["capitals"]
    >>> print(old)
    48 samples: mean match 0.6667
    >>> print(*old.notes)
    Grades count C = 1, I = 0.
    """
    sources = [_logs.sources_of("models", one) for one in models]
    return read_sources(sources, scorer=scorer, unscored=unscored, unmatched=unmatched)


def read_sources(
    sources: Sequence[Sequence[Source]],
    scorer: Any = None,
    unscored: str = "refuse",
    unmatched: str = "refuse",
) -> _logs.Tasks:
    """The same, of files that are open already."""
    _checks.choice("unmatched", unmatched, ("refuse", "drop"))
    _checks.choice("unscored", unscored, ("refuse", "wrong", "drop"))
    if not sources:
        raise InputError("models", expected="at least one log")
    logs = [_by_task(own) for own in sources]
    _logs.check_by_task("scorer", scorer, set().union(*logs))
    names = _logs.model_names(sources)

    def read(own: Sequence[_Log], task: str) -> tuple[Results, ...]:
        models = [_epochs(log, scorer, unscored) for log in own]
        ids = _logs.shared(f"samples of {task!r}", [one.ids for one in models], unmatched)
        return tuple(_results(one, task, name, ids) for one, name in zip(models, names))

    return _logs.together(logs, unmatched, read)


# --- From a file to samples ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Log:
    """A finished log: its task and its samples, as far as they are needed."""

    source: Source
    task: str
    samples: list[dict[str, Any]]


def _by_task(sources: Sequence[Source]) -> dict[str, _Log]:
    logs: dict[str, _Log] = {}
    for item in sources:
        found = [item]
        if item.folder is not None:
            both = [*item.folder.rglob("*.eval"), *item.folder.rglob("*.json")]
            found = [Source(path) for path in sorted(both)]
        if not found:
            raise item.fault(expected="logs of Inspect, .eval or .json")
        for source in found:
            log = _log(source)
            if log.task in logs:
                raise _logs.second_run(source, log.task, logs[log.task].source.path, found)
            logs[log.task] = log
    return dict(sorted(logs.items()))


def _log(source: Source) -> _Log:
    """The log in a file; what is no finished log of Inspect is refused."""
    try:
        header, samples = _header_and_samples(source)
        status, task = header["status"], str(header["eval"]["task"])
        if not all(isinstance(s, dict) and {"id", "epoch"} <= s.keys() for s in samples):
            raise TypeError("samples without id and epoch")
        if not all(isinstance(s["epoch"], int | str) for s in samples):
            raise TypeError("an epoch that is no number")
    except NotImplementedError:
        text = "the log is compressed with zstd, which Python reads from 3.14 on"
        convert = "inspect log convert --to json FILE --output-dir DIR"
        how = f'pip install "betterthan[inspect]", or convert it: {convert}'
        raise source.fault(problem=text, expected=how) from None
    except (zipfile.BadZipFile, EOFError, RecursionError, OSError) as error:
        text = f"not readable ({error!s:.80}); is the file cut off?"
        raise source.fault(problem=text) from None
    except RuntimeError as error:  # what zipfile says of a password
        raise source.fault(problem=f"not readable ({error!s:.80})") from None
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        text = f"expected a log of Inspect, .eval or .json ({type(error).__name__})"
        raise source.fault(problem=text) from None
    if status != "success":
        text = f"the evaluation did not finish (status {status!r:.40})"
        raise source.fault(problem=text, expected="a finished log (inspect eval-retry)")
    return _Log(source, task, samples)


def _header_and_samples(source: Source) -> tuple[Any, list[Any]]:
    if source.data[:4] != b"PK\x03\x04":
        header = json.loads(source.text)
        return header, header.get("samples") or []
    with _archive(source) as archive:
        names = archive.namelist()
        if "header.json" not in names:
            text = "the log has no header: was the evaluation stopped?"
            raise source.fault(problem=text, expected="a finished log (inspect eval-retry)")
        parts = _Parts(source, archive)
        header = parts.json("header.json")
        # The summaries hold every score and are a thousandth of the samples.
        if "summaries.json" in names:
            return header, parts.json("summaries.json")
        files = sorted(name for name in names if name.startswith("samples/"))
        return header, [parts.json(name) for name in files]


def _archive(source: Source) -> zipfile.ZipFile:
    try:  # an extra that teaches zipfile to read zstd before Python 3.14
        import zipfile_zstd as reader
    except ImportError:
        reader = zipfile
    return reader.ZipFile(bytes_stream(source.data))


class _Parts:
    """The files in a log; what is unpacked is counted, not what they declare."""

    def __init__(self, source: Source, archive: zipfile.ZipFile) -> None:
        self.source = source
        self.archive = archive
        self.left = 4 * MOST_BYTES

    def json(self, name: str) -> Any:
        """One file as JSON."""
        info = self.archive.getinfo(name)
        self._refuse_size(name, info.file_size, MOST_BYTES)
        chunks, size = [], 0
        for chunk in self._chunks(info):
            size += len(chunk)
            self.left -= len(chunk)
            self._refuse_size(name, size, info.file_size)
            self._refuse_size(name, 4 * MOST_BYTES - self.left, 4 * MOST_BYTES)
            chunks.append(chunk)
        return json.loads(decode(b"".join(chunks), f"{self.source.path}, {name}", "utf-8"))

    def _refuse_size(self, name: str, size: int, most: int) -> None:
        if size > most:
            text = f"{name!r:.60} unpacks to more than {most:,} bytes"
            raise self.source.fault(problem=text, expected="less")

    def _chunks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The contents of one file, a piece at a time."""
        encrypted = info.flag_bits & 1
        try:
            if info.compress_type == zipfile.ZIP_BZIP2 and not encrypted:
                yield from self._chunks_of_bzip2(info)
                return
            with self.archive.open(info.filename) as file:
                while chunk := bytes(file.read(_CHUNK)):
                    yield chunk
        except (NotImplementedError, RuntimeError):  # zstd; a password
            raise
        except Exception as error:  # each way of packing has exceptions of its own
            raise zipfile.BadZipFile(str(error) or type(error).__name__) from None

    def _chunks_of_bzip2(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The same, where zipfile would unpack a kilobyte to a gigabyte in one step."""
        data, start = self.source.data, info.header_offset
        name_length, extra_length = struct.unpack("<HH", data[start + 26 : start + 30])
        start += 30 + name_length + extra_length
        packed = data[start : start + info.compress_size]
        unpacker, checksum = bz2.BZ2Decompressor(), 0
        while not unpacker.eof:
            chunk = unpacker.decompress(packed, _CHUNK)
            packed = b""
            if not chunk and unpacker.needs_input:
                raise EOFError("it ends too early")
            checksum = zlib.crc32(chunk, checksum)
            yield chunk
        if checksum != info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")


# --- From samples to numbers --------------------------------------------------------------------


def _scorers(samples: Sequence[dict[str, Any]]) -> list[str]:
    """The scorers of all samples; of one with several values each value."""
    found = set()
    for sample in samples:
        for name, value in _scores(sample):
            found |= {f"{name}/{k}" for k in value} if isinstance(value, dict) else {name}
    return sorted(found)


def _scores(sample: dict[str, Any]) -> list[tuple[str, Any]]:
    scores = sample.get("scores")
    if not isinstance(scores, dict):
        return []
    return [(name, one.get("value")) for name, one in scores.items() if isinstance(one, dict)]


def _value(sample: dict[str, Any], scorer: str) -> Any:
    """What the scorer, or one of its values, gave; None where there is nothing."""
    for name, value in _scores(sample):
        if name == scorer:
            return value
        if scorer.startswith(f"{name}/") and isinstance(value, dict):
            return value.get(scorer[len(name) + 1 :])
    return None


@dataclass(frozen=True)
class _Epochs:
    """Per epoch one number for every sample."""

    scorer: str
    runs: dict[Any, dict[str, float]]
    notes: list[str]

    @property
    def ids(self) -> dict[str, float]:
        return next(iter(self.runs.values()))


def _epochs(log: _Log, scorer: Any, unscored: str) -> _Epochs:
    known = _scorers(log.samples)
    if not known:
        text = f"none of the {len(log.samples)} samples of {log.task!r:.60} has a score"
        raise log.source.fault(problem=text, expected="a scored log (inspect score)")
    chosen = _logs.pick(log.source, log.task, "scorer", scorer, known)
    runs: dict[Any, dict[str, float]] = {}
    missing, grades = [], set()
    for sample in log.samples:
        name, value = str(sample["id"]), _value(sample, chosen)
        if value is None:
            missing.append(name)
        if isinstance(value, str) and value in _GRADES:
            grades.add(value)
        run = runs.setdefault(sample["epoch"], {})
        if name in run:
            text = f"the sample {name!r:.60} comes twice in epoch {sample['epoch']!r:.20}"
            raise log.source.fault(problem=text)
        run[name] = 0.0 if value is None else _number(log, name, value)
    if missing and unscored == "refuse":
        text = f"{counted(len(missing), 'sample')} without a score, such as {missing[0]!r:.60}"
        ways = [Say("unscored", "wrong", "to count them 0"), Say("unscored", "drop")]
        raise log.source.fault(problem=text, ways=ways)
    if missing and unscored == "drop":  # in every epoch: runs are compared item by item
        gone = set(missing)
        runs = {e: {n: x for n, x in run.items() if n not in gone} for e, run in runs.items()}
    _refuse_other_samples(log, runs)
    return _Epochs(chosen, runs, _notes(grades, missing, unscored))


def _number(log: _Log, name: str, value: Any) -> float:
    number = _GRADES.get(value, as_number(value)) if isinstance(value, str) else value
    if not isinstance(number, int | float) or not abs(number) < 1e100:
        text = f"the sample {name!r:.60}: {value!r:.60} is no grade and no finite number"
        raise log.source.fault(problem=text)
    return float(number)


def _refuse_other_samples(log: _Log, runs: Mapping[Any, Mapping[str, float]]) -> None:
    ids = next(iter(runs.values()), {})
    other = next((epoch for epoch, run in runs.items() if run.keys() != ids.keys()), None)
    if not ids or other is not None:
        text = "no sample with a score" if not ids else f"epoch {other} has other samples"
        raise log.source.fault(problem=f"{text} (task {log.task!r})")


def _notes(grades: set[str], missing: Sequence[str], unscored: str) -> list[str]:
    notes = []
    if grades:
        notes.append("Grades count C = 1, I = 0.")
        notes += [f"Grade {x} counts {_GRADES[x]:g}." for x in sorted(grades - {"C", "I"})]
    if missing:
        done = "counted as wrong" if unscored == "wrong" else "left out"
        notes.append(f"{counted(len(missing), 'sample')} without a score {done}.")
    return notes


def _results(own: _Epochs, task: str, name: str, ids: Sequence[str]) -> Results:
    runs = tuple(np.array([run[i] for i in ids]) for run in own.runs.values())
    return Results(
        Numbers(runs),
        name=name,
        ids=ids,
        unit="sample",
        quantity=own.scorer,
        higher_is_better=False if own.scorer.lower() in LOWER_IS_BETTER else None,
        notes=own.notes,
        reading=[f"task {task}", f"scorer {own.scorer}"],
    )


# --- The format ---------------------------------------------------------------------------------


def _recognises(sources: Sequence[Source], asked: Mapping[str, Any]) -> bool:
    source = sources[0]
    if source.folder is not None:
        return any(source.folder.rglob("*.eval")) or any(source.folder.rglob("*.json"))
    if source.data[:4] == b"PK\x03\x04":
        return b"xl/workbook" not in source.data and b"[Content_Types]" not in source.data[:4000]
    head = source.head.lstrip()
    return head.startswith("{") and '"eval"' in head and '"status"' in head


def _read(sources: Sequence[Source], task: str | None = None, **options: Any) -> Any:
    options["scorer"] = options.pop("metric", None)
    return _logs.only_task(read_sources([[one] for one in sources], **options), task)


FORMAT = Format(
    kind="inspect",
    holds="a log of Inspect",
    you_have="logs of Inspect, `.eval` or `.json`",
    recognises=_recognises,
    read=_read,
    options=frozenset({"metric", "unscored", "unmatched", "task"}),
    questions=("score", "compare", "datasets", "plan"),
    example=("inspect/old.eval", "inspect/new.eval"),
    reader="read_inspect",
    then="`compare` per task; epochs are runs",
    compared_by=frozenset(),
)
