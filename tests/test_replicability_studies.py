"""The studies of chapter 3 against the corpora they were measured on."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.datasets import study_table
from studies import _labelled
from studies import replicability as study

PUBLISHED = {  # Derczynski et al. (2017), F1 over entities
    "UH-RiTUAL": 41.86,
    "SpinningBytes": 40.78,
    "SJTU-Adapt": 40.42,
    "Arcada": 39.98,
    "FLYTXT": 38.35,
    "MIC-CIS": 37.06,
    "Drexel-CCI": 26.30,
}


def totals(frame, suffix):
    columns = [f"{count}_{suffix}" for count in _labelled.COUNTS]
    return frame[columns].mul(frame["sentences"], axis=0).sum().to_numpy()


def f1(tp, fp, fn):
    return 2 * tp / (2 * tp + fp + fn)


def test_the_committed_counts_give_the_published_scores():
    wnut = study_table("replicability-wnut")
    assert wnut["sentences"].sum() == 1287
    for system, score in PUBLISHED.items():
        assert round(100 * f1(*totals(wnut, system)), 2) == score


def test_both_learners_were_tested_on_the_same_sentences():
    runs = study_table("replicability-taggers")
    assert list(dict.fromkeys(runs["dataset"])) == list(study.DATASETS)
    assert len(study.DATASETS) >= 12
    # Found and missed spans add up to those of the gold standard, for both alike.
    gold = [runs[f"tp_{a}"] + runs[f"fn_{a}"] for a in study.LEARNERS]
    np.testing.assert_array_equal(*gold)
    sizes = runs.groupby("dataset")["sentences"].sum()
    assert sizes["CoNLL-2000"] == 2012
    assert sizes["CoNLL-2002 es"] == 1517
    assert sizes["WNUT-2017"] == 1287


def test_only_the_two_tasks_of_the_peoples_daily_share_sentences():
    overlap = study_table("replicability-overlap").set_index(["first", "second"])
    shared = overlap[overlap.sum(axis=1) > 0].index
    pairs = [pair for pair in shared if pair[0] != pair[1]]
    assert pairs == [("People's Daily names", "People's Daily words")]


@pytest.mark.corpora
def test_the_systems_study_comes_out_again():
    rows = study._run_systems({}, np.random.SeedSequence(0))
    committed = study_table("replicability-wnut")
    assert list(rows[0]) == list(committed.columns)
    assert [list(row.values()) for row in rows] == committed.to_numpy().tolist()


@pytest.mark.corpora
@pytest.mark.parametrize("dataset", ["BTC e"])
def test_a_task_of_the_tagger_study_comes_out_again(dataset):
    place = study.DATASETS.index(dataset)
    seed = np.random.SeedSequence(2017).spawn(len(study.DATASETS))[place]
    rows = study._run_taggers({"dataset": dataset}, seed)
    committed = study_table("replicability-taggers")
    committed = committed[committed["dataset"] == dataset]
    assert [list(row.values()) for row in rows] == committed.to_numpy().tolist()


@pytest.mark.corpora
def test_training_and_test_are_apart():
    train, test = _labelled.split("BTC a")
    assert (len(train), len(test)) == (667, 333)
    train, test = _labelled.split("wikigold")
    assert len(train) == 2 * len(test) + 1
