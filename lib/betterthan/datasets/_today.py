"""Evaluations of today's language models: who was right on what, and how sure they were.

Only what was scored leaves these files, never the texts in them.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from .. import _checks, readers
from ..results import Results
from ._fetch import fetch, resources

_RUNS = {
    "claude-sonnet-4.5": "claude-45sonnet-10132025",
    "gpt-5": "gpt-5-250-turns-10132025",
    "claude-sonnet-4": "claude-4sonnet-10132025",
    "kimi-k2": "kimi-k2-instruct-10132025",
    "claude-opus-4.1 (paper)": "claude-opus-4-1-paper",
    "claude-sonnet-4 (paper)": "claude-sonnet-4-paper",
    "gemini-2.5-pro (paper)": "gemini-2-5-pro-preview-paper",
    "gpt-4o (paper)": "gpt-4o-paper",
    "gpt-oss (paper)": "gptoss-paper",
}
_VOTERS = {"people": "", "gpt-4": "gpt4-", "gpt-3": "gpt3-"}
_INSTANCE = re.compile(r"(?:instance_)?(?P<repository>.+?)-[0-9a-f]{40}.*")
_ANSWERS = re.compile(r".*/(?P<task>arc|truthfulqa)_(?P<model>.+)-q(?P<start>\d+)to\d+_.*")


def _grouped(frame: pd.DataFrame, unit: str, groups: Any) -> pd.DataFrame:
    index = pd.MultiIndex.from_arrays([frame.index, groups], names=[unit, "group"])
    return frame.set_index(index)


def swebench_pro() -> pd.DataFrame:
    """Nine runs of coding agents on SWE-bench Pro: which instance was resolved.

    Runs called *(paper)* had a limit of two dollars per instance, the four others none that
    small: compare like with like. Files do not hold the same instances.

    Returns
    -------
    DataFrame
        One row per instance (970); the index holds the instance and, as "group", its repository,
        which `betterthan.compare` takes for its groups. One column per run: 1 resolved, 0 not, NaN
        where the run has no answer.

    Raises
    ------
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> runs = swebench_pro()  # doctest: +SKIP
    >>> round(runs["gpt-5"].mean(), 3)  # doctest: +SKIP
    0.364
    """
    paths = fetch(
        [*(f"swebench-pro/{file}.json" for file in _RUNS.values()), "swebench-pro/LICENSE"]
    )
    runs = {name: json.loads(path.read_text("utf-8")) for name, path in zip(_RUNS, paths)}
    frame = pd.DataFrame({name: pd.Series(run, dtype=float) for name, run in runs.items()})
    repositories = [_repository(name) for name in frame.index]
    return _grouped(frame, "instance", repositories).sort_index()


def _repository(instance: str) -> str:
    found = _INSTANCE.fullmatch(instance)
    if found is None:
        raise ValueError(f"{instance!r}: expected the name of a repository and its commit")
    return found["repository"]


def llm_calibration(task: str) -> pd.DataFrame:
    """Fourteen language models on multiple choice: right or wrong, and how sure.

    Parameters
    ----------
    task : str
        "arc" (ARC-Challenge, 2,590 questions) or "truthfulqa" (817).

    Returns
    -------
    DataFrame
        One row per model and question: ``model``, ``question`` (its place), ``correct`` (0 or 1),
        ``confidence`` (the largest probability of an answer, by softmax) and ``parsed``, False
        where no answer could be read; such an answer counts as wrong, with a confidence of 0.

    Raises
    ------
    ValueError
        For another task.
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> answers = llm_calibration("arc")  # doctest: +SKIP
    >>> answers["model"].nunique(), answers["question"].nunique()  # doctest: +SKIP
    (14, 2590)
    """
    _checks.choice("task", task, ("arc", "truthfulqa"))
    names = [name for name, r in resources().items() if r.corpus == "llm_calibration"]
    found = [(_ANSWERS.fullmatch(name), name) for name in names]
    # By number: as text, 1000 would come before 500.
    parts = sorted(
        (match["model"], int(match["start"]), name)
        for match, name in found
        if match and match["task"] == task
    )
    rows: list[tuple[Any, ...]] = []
    for (model, start, _), path in zip(parts, fetch([name for *_, name in parts])):
        lines = path.read_text("utf-8").splitlines()[1:]
        for place, line in enumerate(lines, start):
            grade, confidence = line.split()
            rows.append((model, place, int(grade == "Correct"), float(confidence), grade))
    frame = pd.DataFrame(rows, columns=["model", "question", "correct", "confidence", "parsed"])
    return frame.assign(parsed=frame["parsed"] != "Unparseable")


def mqm_ted(pair: str) -> pd.DataFrame:
    """Experts' penalties (MQM) for translations of TED talks by thirteen systems and people.

    A major error costs 5, a minor one 1, a minor one of punctuation 0.1, a translation that is none
    25; lower is better. One rater judged each segment of a system, and raters are not balanced over
    systems.

    Parameters
    ----------
    pair : str
        "zh-en" or "en-de".

    Returns
    -------
    DataFrame
        One row per segment (529); the index holds the segment and, as "group", its talk. One column
        per system: the penalty of the segment.

    Raises
    ------
    ValueError
        For another pair.
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> mqm_ted("zh-en").shape  # doctest: +SKIP
    (529, 15)
    """
    _checks.choice("pair", pair, ("zh-en", "en-de"))
    path, _ = fetch([f"mqm-ted/mqm_ted_{pair.replace('-', '')}.tsv", "mqm-ted/LICENSE"])
    lines = io.StringIO(path.read_text("utf-8"), newline="")
    table = pd.DataFrame(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    table["penalty"] = [*map(_penalty, table["category"], table["severity"])]
    by_segment = table.groupby(["doc", "seg_id", "system"])["penalty"].sum().unstack("system")
    talks = by_segment.index.get_level_values("doc")
    by_segment.index = [f"{talk}:{segment}" for talk, segment in by_segment.index]
    return _grouped(by_segment.rename_axis(columns=None), "segment", talks)


def _penalty(category: str, severity: str) -> float:
    if category == "Non-translation":
        return 25.0
    if severity == "Minor":
        return 0.1 if category == "Fluency/Punctuation" else 1.0
    return 5.0 if severity == "Major" else 0.0


def flipeval(task: str) -> pd.DataFrame:
    """One small model at full precision and quantised in two ways: who was right on what.

    Parameters
    ----------
    task : str
        "mmlu" (400 questions of four subjects) or "gsm8k" (200).

    Returns
    -------
    DataFrame
        One row per question, and the columns "fp16", "awq" and "gptq": 1 right, 0 wrong. The index
        holds the question and, for "mmlu", as "group", its subject.

    Raises
    ------
    ValueError
        For another task.
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> flipeval("mmlu").mean().round(3).to_dict()  # doctest: +SKIP
    {'fp16': 0.455, 'awq': 0.435, 'gptq': 0.412}
    """
    _checks.choice("task", task, ("mmlu", "gsm8k"))
    path, _ = fetch(["flipeval/pilot_outputs_20260711T000427Z.tar.gz", "flipeval/LICENSE"])
    folder, columns = "results/kaggle_qwen25_1p5b_public_quantized", {}
    with tarfile.open(path) as archive:
        for name, file in (("fp16", "fp16"), ("awq", "awq_public"), ("gptq", "gptq_public")):
            text = _content(archive, f"{folder}/{file}.{task}.jsonl").decode("utf-8")
            items = [json.loads(line) for line in text.splitlines()]
            columns[name] = pd.Series({item["item_id"]: float(item["correct"]) for item in items})
    frame = pd.DataFrame(columns)
    if task == "gsm8k":
        return frame.rename_axis("question")
    subjects = [name.split(":")[0] for name in frame.index]
    return _grouped(frame, "question", subjects)


def flipeval_shots() -> dict[str, tuple[Results, ...]]:
    """One model on four subjects of MMLU without and with five examples, from real logs.

    Returns
    -------
    dict of str to pair of Series
        As `betterthan.readers.read_lm_eval` gives it: for each subject 0-shot and 5-shot.

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> sorted(flipeval_shots())[0]  # doctest: +SKIP
    'mmlu_abstract_algebra'
    """
    path, _ = fetch(["flipeval/kaggle_mmlu_reference_run.tar.gz", "flipeval/LICENSE"])
    with tempfile.TemporaryDirectory() as folder, tarfile.open(path) as archive:
        _unpack(archive, Path(folder))
        results = Path(folder) / "results"
        return readers.read_lm_eval(*(results / f"lm_eval_mmlu_{n}shot" for n in (0, 5)))


def _content(archive: tarfile.TarFile, member: str | tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    if file is None:
        raise ValueError(f"{archive.name!r}: {member} is no file")
    return file.read()


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the plain files of an archive, none of them outside of `folder`.

    ``extractall(filter="data")`` does the same, and is not in Python 3.11.0 to 3.11.3.
    """
    inside = folder.resolve()
    for member in archive:
        target = (inside / member.name).resolve()
        if not target.is_relative_to(inside):
            raise ValueError(f"{archive.name!r}: {member.name} does not stay in its folder")
        if member.isfile():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_content(archive, member))


def llmfao(who: str = "people") -> pd.DataFrame:
    """Votes between the answers of 59 language models to 13 prompts, of people or of a judge.

    Parameters
    ----------
    who : str
        "people" (several workers for every pair of answers), "gpt-4" or "gpt-3" (one vote each on
        the same pairs).

    Returns
    -------
    DataFrame
        One row per vote: ``id`` (the pair of answers), ``prompt``, ``worker`` (None of a judge),
        ``model_a``, ``model_b`` and ``winner``: "model_a", "model_b" or "tie".

    Raises
    ------
    ValueError
        For anybody else.
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> llmfao("gpt-4")["winner"].eq("tie").sum()  # doctest: +SKIP
    66
    """
    prefix = _VOTERS[_checks.choice("who", who, tuple(_VOTERS))]
    path, _ = fetch([f"llmfao/{prefix}crowd-comparisons.csv", "llmfao/LICENSE.CC-BY"])
    votes = pd.read_csv(path)
    if "worker" not in votes:
        votes["worker"] = None
    votes["winner"] = votes["winner"].map({"left": "model_a", "right": "model_b", "tie": "tie"})
    votes = votes.drop(columns=["model_x", "model_y"])
    votes = votes.rename(columns={"left": "model_a", "right": "model_b"})
    return votes[["id", "prompt", "worker", "model_a", "model_b", "winner"]]


def tau_bench() -> pd.DataFrame:
    """gpt-4o on the fifty airline tasks of τ-bench, four times.

    Returns
    -------
    DataFrame
        One row per task (50), one column per trial (4): 1 solved, 0 not.

    Raises
    ------
    DownloadError
        If the file is not there and cannot be downloaded.

    Examples
    --------
    >>> tau_bench().to_numpy().mean()  # doctest: +SKIP
    np.float64(0.42)
    """
    path, _ = fetch(["tau-bench/gpt-4o-airline.json", "tau-bench/LICENSE"])
    rows = [(r["task_id"], r["trial"], r["reward"]) for r in json.loads(path.read_text("utf-8"))]
    frame = pd.DataFrame(rows, columns=["task", "trial", "reward"])
    return frame.pivot(index="task", columns="trial", values="reward").rename_axis(columns=None)


def evaluation_logs(harness: str) -> list[Path]:
    """Small real logs, to try readers on.

    Parameters
    ----------
    harness : str
        "inspect" or "lm_eval".

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    ValueError
        For another harness.
    DownloadError
        If a file is not there and cannot be downloaded.

    Examples
    --------
    >>> len(evaluation_logs("inspect"))  # doctest: +SKIP
    8
    """
    _checks.choice("harness", harness, ("inspect", "lm_eval"))
    folder = harness.replace("_", "-")
    names = [name for name in resources() if name.startswith(f"{folder}/")]
    return [path for path in fetch(names) if not path.name.startswith("LICENSE")]
