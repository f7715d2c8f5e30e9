"""What other packages that compare systems got wrong, tried on ours.

More on the same, where it was tested already:

- a verdict against its own probability: test_paired.py, TestCompare,
  test_interval_and_pvalue_never_contradict and test_margin;
- scores that are not there: test_paired.py, test_bad_input_is_refused_in_words; test_readers.py,
  test_scores_refuse_with_file_and_line, test_inspect_samples_without_a_score_…;
- repeated trials: test_readers.py, test_inspect_epochs_are_runs_and_ids_are_matched;
- a power formula: test_paired.py, TestPlan, test_the_power_is_reached, and the rows *plan* of the
  study paired-coverage;
- logs that do not open: test_readers.py, test_inspect_….
"""

from __future__ import annotations

import json
import zipfile
from argparse import Namespace
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from betterthan import compare, compare_many, plan, readers
from betterthan.__main__ import main
from betterthan._gate import gate_of


@pytest.mark.parametrize("kind", ["few", "many", "grouped", "skewed", "runs"])
def test_verdict_probability_interval_and_pvalue_say_the_same(kind):
    """Elsewhere: "P(real) = 0.013 … verdict: REAL"."""
    said = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = 1_500 if kind == "many" else 60
        a = rng.exponential(size=n) if kind == "skewed" else rng.random(n)
        b = a + rng.normal(rng.uniform(-0.6, 0.6) / np.sqrt(n) * 5, 1.0, n)
        groups = rng.integers(0, 9, n) if kind == "grouped" else None
        if kind == "runs":
            a, b = [a, a + rng.normal(0, 0.1, n)], [b, b + rng.normal(0, 0.1, n)]
        result = compare(a, b, groups=groups, n_resamples=499, rng=seed)
        low, high = result.interval
        sure = result.pvalue <= 0.05
        assert sure == (not low <= 0 <= high)
        tails = 2 * min(result.p_better, 1 - result.p_better)
        assert result.pvalue == pytest.approx(tails, abs=2 / 499)  # one half counts for itself
        word = str(result)
        assert ("which of the two is better is open" in word) == (not sure)
        assert ("B is better than A" in word) == (sure and result.p_better > 0.5)
        assert ("A is better than B" in word) == (sure and result.p_better < 0.5)
        said.add((sure, result.p_better > 0.5))
    assert len(said) == 4  # both verdicts and both kinds of doubt were tried


@pytest.mark.parametrize("bad", [np.nan, None, np.inf])
def test_missing_scores_are_refused(bad, tmp_path, capsys):
    """Elsewhere: NaN scores that give "p = 0.0001, significant"."""
    scores = [1.0, 0.0, 1.0, bad, 1.0, 0.0]
    for call in (
        lambda: compare([1.0] * 6, scores),
        lambda: compare_many({"a": scores, "b": scores}),
    ):
        with pytest.raises(ValueError, match="finite numbers"):
            call()
    file = tmp_path / "scores.csv"
    rows = [f"q{i},1,{i % 2}" for i in range(12)]
    file.write_text("\n".join(["item,old,new", *rows[:1], "q90,1,", *rows[1:]]))
    assert main(["compare", str(file)]) == 2
    assert "line 3" in capsys.readouterr().err


def test_repeated_trials_count_and_are_named():
    """Elsewhere all but the first trial were dropped, without a word."""
    rng = np.random.default_rng(0)
    ids = [f"task {i}" for i in range(40)]
    trials = [pd.Series(rng.random(40) < 0.5, ids) for _ in range(4)]
    both = compare(trials, [trial.sample(frac=1, random_state=1) for trial in trials[1:]])
    assert both.n_runs == (4, 3) and "4 and 3 runs" in str(both)
    assert both.value_a == pytest.approx(np.mean([trial.mean() for trial in trials]))
    piled = pd.concat(trials)
    with pytest.raises(ValueError, match="expected each id once, but 'task 0' comes again"):
        compare(piled, trials[0])


def test_lower_is_better_is_asked_and_kept():
    """Elsewhere "the worst system is tied as best", because nobody asked."""
    rng = np.random.default_rng(1)
    long = rng.lognormal(size=400)
    seconds = {name: k * long * rng.uniform(0.5, 1.5, 400) for name, k in zip("xyz", (1, 2, 4))}
    fast, slow = (compare_many(seconds, higher_is_better=high) for high in (False, True))
    assert fast.ranks["name"].tolist() == ["x", "y", "z"] and "lower is better" in str(fast)
    assert fast.ranks["rank_high"].tolist() == [1, 2, 3]
    assert slow.ranks["name"].tolist() == ["z", "y", "x"]
    assert "x is better than z" in str(
        compare(seconds["z"], seconds["x"], names=("z", "x"), higher_is_better=False)
    )


@pytest.mark.parametrize("gain", [0.1, 0.07])
def test_the_gate_holds_back_gains_below_its_margin(gain):
    """Elsewhere a third of them passed. (That exit code and interval agree: test_cli.py.)"""
    rng, passed, times = np.random.default_rng(2), 0, 400
    options = Namespace(at_least=0.1, open=None)
    for _ in range(times):
        drawn = rng.choice(4, 300, p=(0.15 + gain / 2, 0.15 - gain / 2, 0.4, 0.3))
        a, b = np.isin(drawn, (1, 2)), np.isin(drawn, (0, 2))
        passed += gate_of(compare(a, b, n_resamples=499), options).answer == "passed"
    assert passed / times <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / times)


def test_as_many_items_as_planned_show_the_difference():
    """Elsewhere a formula was off by a factor of four."""
    rng, hard = np.random.default_rng(3), np.random.default_rng(4).normal(size=40_000)

    def two(n):
        own = rng.choice(hard, n)
        return rng.logistic(size=(2, n)) < 0.8 + own + np.array([[0.0], [0.29]])

    away = float(np.subtract(*two(1_000_000).mean(axis=1)[::-1]))
    n = plan(compare(*two(20_000)), difference=away).n
    seen = np.mean([compare(*two(n), n_resamples=99).pvalue <= 0.05 for _ in range(300)])
    assert seen == pytest.approx(0.8, abs=0.07)  # a quarter of n would give 0.29


def test_inspect_logs_open_and_zstd_is_told_with_its_remedy(tmp_path):
    """Elsewhere .eval was read as text, and a log's `scores` were looked for as `score`."""
    old, new = readers.example("inspect")
    assert {old.suffix, new.suffix} <= {".eval", ".json"}
    (pair,) = readers.read_inspect(old, new).values()
    log = {"status": "success", "eval": {"task": "toy"}, "samples": []}
    samples = [{"id": i, "epoch": 1, "scores": {"m": {"value": "CI"[i % 2]}}} for i in range(9)]
    (tmp_path / "a.json").write_text(json.dumps(log | {"samples": samples}))
    for name in ("b", "c"):
        with zipfile.ZipFile(tmp_path / f"{name}.eval", "w") as archive:
            archive.writestr("header.json", json.dumps(log))
            archive.writestr("summaries.json", json.dumps(samples))
    plain, packed = (readers.read_inspect(tmp_path / n)["toy"] for n in ("a.json", "b.eval"))
    assert plain[0].values.tolist() == packed[0].values.tolist() == [1, 0, 1, 0, 1, 0, 1, 0, 1]
    # The archive says 93, zstandard, in its directory and in front of each file.
    data = bytearray((tmp_path / "c.eval").read_bytes())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = data.find(mark)
        while start >= 0:
            data[start + place : start + place + 2] = (93).to_bytes(2, "little")
            start = data.find(mark, start + 4)
    (tmp_path / "c.eval").write_bytes(data)
    if not hasattr(zipfile, "ZIP_ZSTANDARD") and not find_spec(
        "zipfile_zstd"
    ):  # from Python 3.14 on it can be read
        with pytest.raises(ValueError, match=r"c\.eval: .*zstd.* 3\.14 .*inspect log convert"):
            readers.read_inspect(tmp_path / "c.eval")
    assert len(pair) == 2
