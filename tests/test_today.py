"""The studies of today's evaluations: what is committed adds up, and comes from the data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from betterthan import compare, datasets, ranking, score
from betterthan.datasets import study_table
from studies import today

CELLS = ["both", "only_a", "only_b", "neither"]


def rebuilt(table, group):
    """Right and wrong of A and of B, and groups, from four cells."""
    n = table[CELLS].to_numpy().ravel()
    a, b = (np.repeat(np.tile(side, len(table)), n) for side in ([1, 1, 0, 0], [1, 0, 1, 0]))
    return a, b, np.repeat(table[group].to_numpy(), table[CELLS].sum(axis=1))


def test_agents_differ_as_published_and_by_repository_less_surely():
    pair = study_table("today-agents").query("a == 'gpt-5' and b == 'claude-sonnet-4.5'")
    assert pair[CELLS].sum().tolist() == [206, 59, 113, 351]
    assert len(pair) == 11
    a, b, groups = rebuilt(pair, "repository")
    alone, grouped = compare(a, b), compare(a, b, groups=groups)
    # Figures found apart from this library.
    assert (round(100 * alone.difference, 1), round(100 * alone.standard_error, 2)) == (7.4, 1.78)
    sums = [(b - a - alone.difference)[groups == g].sum() for g in np.unique(groups)]
    sandwich = np.sqrt(11 / 10 * np.square(sums).sum()) / a.size
    assert round(100 * sandwich, 2) == 2.55
    assert grouped.standard_error == pytest.approx(sandwich, rel=0.01)


def test_like_is_compared_with_like():
    pairs = study_table("today-agents")[["a", "b"]].drop_duplicates()
    assert len(pairs) == 6 + 9
    assert (pairs["a"].str.endswith("(paper)") == pairs["b"].str.endswith("(paper)")).all()
    assert not (pairs.isin(today.UNEXPLAINED).all(axis=1)).any()


def test_a_run_that_reports_less_is_said_to():
    runs = study_table("today-agents-runs").query("among == 'dated' and run == 'claude-sonnet-4'")
    assert runs[["instances", "reported", "resolved"]].sum().tolist() == [730, 562, 240]


def test_precisions_of_one_model():
    cells = study_table("today-quantised").query("task == 'mmlu' and a == 'fp16'")
    first = cells.groupby("b")[CELLS].sum()
    assert (first.sum(axis=1) == 400).all()
    assert ((first["both"] + first["only_a"]) == 182).all()
    assert (first["both"] + first["only_b"]).to_dict() == {"awq": 174, "gptq": 165}


def test_confidence_adds_up():
    table = study_table("today-llms")
    parts = table["calibration"] - table["resolution"] + table["uncertainty"]
    np.testing.assert_allclose(table["brier"], parts, atol=1e-9)
    assert table.query("version == 'stated'")["unparseable"].sum() == 250
    bins = study_table("today-llms-bins").groupby(["task", "model", "version"])[["n", "right"]]
    whole = table.query("version != 'base rate'").set_index(["task", "model", "version"])
    assert bins.sum().eq(whole[["n", "right"]].loc[bins.sum().index]).all(axis=None)
    surest = study_table("today-llms-coverage").groupby(["task", "model"]).last()
    stated = whole.xs("stated", level="version")
    np.testing.assert_allclose(surest["wrong"], stated["n"] - stated["right"])


def test_thresholds_keep_what_they_promise():
    table = study_table("today-llms-guarantee").set_index("rule")
    assert table.loc["learn then test", "above"].max() <= today.DELTA
    assert (table.loc["conformal", "wrong"] <= table.loc["conformal", "target"]).all()
    assert table.loc["naive", "above"].max() > 0.5


def test_questions_and_models_add_up():
    models = study_table("today-llms").query("version == 'stated'").groupby("task")
    halves = study_table("today-items-halves")
    for task, rows in study_table("today-items").groupby("task"):
        mine = models.get_group(task)
        assert rows["questions"].sum() == mine["n"].iloc[0]
        assert (rows["wrong"] * rows["questions"]).sum() == (mine["n"] - mine["right"]).sum()
        np.testing.assert_allclose(rows["expected"].sum(), rows["questions"].sum())
        for _, half in halves[halves["task"] == task].groupby("halves"):
            n = half["n"].groupby(half["first"] + half["second"]).sum()
            assert n.tolist() == rows["questions"].tolist()


def test_discrimination_is_the_correlation_with_the_rest():
    table = (np.random.default_rng(0).random((30, 8)) < 0.6).astype(int)
    table[0] = 1
    found = today._discrimination(table)
    assert found[0] == 0
    for row in range(1, 30):
        rest = np.delete(table, row, axis=0).sum(axis=0)
        assert found[row] == pytest.approx(np.corrcoef(table[row], rest)[0, 1])


def test_rankings_hold_every_answer():
    stated = study_table("today-llms").query("version == 'stated' and task == 'arc'")
    right = stated.set_index("model")["right"]
    for (answers, _), rows in study_table("today-ranking-counts").groupby(["answers", "b"]):
        found = ranking.compare_counts(*(rows[c] for c in ("tp_a", "tp_b", "common", "tp_common")))
        assert found.tp_a[-1] == found.tp_b[-1] == right[answers]
        assert found.n.size == 2590


def test_translations_by_segments_and_by_talks():
    systems = study_table("today-mt").set_index(["pair", "system"])
    talks = study_table("today-mt-talks").groupby(["pair", "system"])[["segments", "penalty"]].sum()
    assert (talks["segments"] == 529).all()
    np.testing.assert_allclose((talks["penalty"] / 529)[systems.index], systems["mean"])
    pairs = study_table("today-mt-pairs").groupby("pair")
    assert pairs.size().to_dict() == {"en-de": 91, "zh-en": 105}


def test_trials_are_not_tasks():
    table = study_table("today-trials")
    assert table["tasks"].sum() == 50
    four = table.loc[table.index.repeat(table["tasks"])].drop(columns="tasks").to_numpy()
    assert four.mean() == pytest.approx(0.42)
    rows, tasks = score(four.ravel()), score(four.ravel(), groups=np.repeat(np.arange(50), 4))
    assert [round(100 * s.standard_error, 1) for s in (rows, tasks)] == [3.5, 5.2]


@pytest.mark.corpora("swebench_pro")
def test_cells_are_those_of_the_files():
    folder = datasets._fetch.cache_folder() / "swebench-pro"
    a, b = (
        json.loads((folder / f"{file}.json").read_text("utf-8"))
        for file in ("gpt-5-250-turns-10132025", "claude-45sonnet-10132025")
    )
    both = [(bool(a[i]), bool(b[i])) for i in a.keys() & b.keys()]
    assert [both.count(c) for c in ((1, 1), (1, 0), (0, 1), (0, 0))] == [206, 59, 113, 351]


@pytest.mark.corpora("llm_calibration")
def test_rankings_are_those_of_the_confidences():
    right, sure, _ = (frame.to_numpy() for frame in today.answers("arc"))
    models = list(today.answers("arc")[0])
    counts = study_table("today-ranking-counts").set_index(["answers", "b", "n"])
    for answers, other in today.SIBLINGS:
        i, j = models.index(answers), models.index(other)
        for n in (50, 500, 2000):
            lists = [set(np.argsort(-sure[:, k], kind="stable")[:n]) for k in (i, j)]
            hits = [right[sorted(one), i].sum() for one in (*lists, lists[0] & lists[1])]
            row = counts.loc[answers, other, n]
            # Equal confidences at the end of a list may be cut in another place.
            found = [row["tp_a"], row["tp_b"], row["tp_common"]]
            np.testing.assert_allclose(found, hits, atol=2)
            assert abs(row["common"] - len(lists[0] & lists[1])) <= 2
