"""The studies of chapter 3 against the corpora they were measured on."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan import compare
from betterthan.counts import Counts
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
    found = runs.filter(regex="^tp_")
    assert found.shape[1] == len(study.LEARNERS) * study.ORDERS
    assert (found.le(gold[0], axis=0)).all(axis=None)
    sizes = runs.groupby("dataset")["sentences"].sum()
    assert sizes["CoNLL-2000"] == 2012
    assert sizes["CoNLL-2002 es"] == 1517
    assert sizes["WNUT-2017"] == 1287


def test_another_order_gives_another_tagger():
    runs = study_table("replicability-taggers")
    for learner in study.LEARNERS:
        totals = [
            runs[f"tp_{learner}{study.suffix(run)}"].mul(runs["sentences"]).sum()
            for run in range(1, study.ORDERS + 1)
        ]
        assert len(set(totals)) == study.ORDERS


def test_one_order_names_what_five_do_not_bear_out():
    """The verdict on BTC g that an earlier edition of chapter 3 took from one order."""
    rows = study_table("replicability-taggers").query("dataset == 'BTC g'")
    rows = rows.loc[rows.index.repeat(rows["sentences"])]
    gold = rows["tp_arow"] + rows["fn_arow"]
    runs = {
        learner: [
            Counts(tp, rows[f"fp_{learner}{end}"], gold - tp)
            for end in map(study.suffix, range(1, study.ORDERS + 1))
            for tp in [rows[f"tp_{learner}{end}"]]
        ]
        for learner in study.LEARNERS
    }
    assert compare(runs["perceptron"][0], runs["arow"][0]).pvalue < 0.001
    assert compare(runs["perceptron"], runs["arow"]).pvalue > 0.05


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
