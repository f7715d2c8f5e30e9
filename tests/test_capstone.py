"""Chapter 7: its three studies, and the promises its page makes."""

from __future__ import annotations

import ast
import functools
import re
import tempfile
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from betterthan import datasets
from betterthan.counts import count_spans, to_spans
from betterthan.taggers import CRF, Tagger
from press import ROOT
from studies import _labelled, capstone

CHAPTER = ROOT / "chapters" / "7-one-comparison.ipynb"
MORE = CHAPTER.with_name("7-more.ipynb")
CHINESE = re.compile(r"[\u3400-\u9fff\uff10-\uff5a]")


@functools.cache
def month() -> list:
    return datasets.entities(datasets.peoples_daily())


def lines_of(first: int, last: int | None) -> tuple[list, list]:
    lines = month()[first:last]
    return capstone.features(lines), [list(line.tags) for line in lines]


def test_trained_is_the_tagger_of_that_name():
    X, Y = [[["the"], ["cat"]]] * 3, [["B", "I"]] * 3
    crf, arow = capstone.trained("crf", 0.3, X, Y), capstone.trained("arow", 2.0, X, Y, run=5)
    assert isinstance(crf, CRF)
    assert crf.params == {"c2": 0.3, "max_iterations": capstone.ITERATIONS}
    assert isinstance(arow, Tagger)
    assert (arow.algorithm, arow.r, arow.passes) == ("arow", 2.0, capstone.PASSES)
    draws = [
        tagger.confidence(X, "random")[0].tolist()
        for tagger in (arow, Tagger(r=2.0, rng=5).fit(X, Y), capstone.trained("arow", 2.0, X, Y))
    ]
    assert draws[0] == draws[1] != draws[2]


def test_trained_refuses_another_name():
    with pytest.raises(ValueError, match=r"name='svm': expected one of crf, arow"):
        capstone.trained("svm", 1.0, [[["a"]]], [["O"]])
    with pytest.raises(ValueError, match="r"):
        capstone.trained("arow", -1.0, [[["a"]]], [["O"]])


def test_orders_matter_to_arow_and_hardly_to_the_crf():
    (X, y), (unseen, gold) = lines_of(0, 60), lines_of(-200, None)
    spread = {
        name: np.ptp(
            [
                count_spans(gold, capstone.trained(name, setting, X, y, run).predict(unseen)).f1
                for run in range(4)
            ]
        )
        for name, setting in (("crf", 1e-3), ("arow", 1.0))
    }
    assert spread["arow"] > 3 * spread["crf"]


def test_the_crf_stops_by_itself_before_the_cap():
    pycrfsuite = pytest.importorskip("pycrfsuite")
    c2 = capstone.best_settings(datasets.study_table("capstone-tuning"))["crf"]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": c2, "max_iterations": capstone.ITERATIONS})
    for sentence, labels in zip(*lines_of(0, capstone.TRAIN)):
        trainer.append(pycrfsuite.ItemSequence(sentence), labels)
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
    assert 60 < trainer.logparser.last_iteration["num"] < capstone.ITERATIONS / 2


def test_best_settings_agrees_with_a_loop_and_takes_the_first_of_equals():
    rng = np.random.default_rng(0)
    correct = rng.integers(10, 60, 24)
    table = pd.DataFrame(
        {
            "model": ["crf"] * 12 + ["arow"] * 12,
            "setting": [*range(6)] * 4,
            "gold": 100,
            "predicted": correct + rng.integers(0, 40, 24),
            "correct": correct,
        }
    )
    for name, chosen in capstone.best_settings(table).items():
        f1 = {setting: [] for setting in range(6)}
        for r in table[table["model"] == name].itertuples():
            f1[r.setting].append(2 * r.correct / (r.gold + r.predicted))
        assert chosen == max(f1, key=lambda setting: sum(f1[setting]))
    twice = pd.concat([table.assign(setting=table["setting"] + 10), table])
    first = {name: s + 10 for name, s in capstone.best_settings(table).items()}
    assert capstone.best_settings(twice) == first


def test_lines_to_tune_on_are_not_those_of_the_chapter():
    total = len(datasets.peoples_daily())
    tested = set(range(total - capstone.TESTED, total))
    sealed = set(range(total - 6000, total - 1000))  # as in the chapter's first cell
    blocks = [*capstone.TUNE_TRAIN, capstone.TUNE_TEST]
    tuned = [line for block in blocks for line in range(*block)]
    assert len(tuned) == len({*tuned})
    pools = [line for first in capstone.POOLS for line in range(first, first + capstone.TRAIN)]
    assert len(pools) == len({*pools})
    assert not {*tuned} & ({*range(600)} | sealed | tested | {*pools})
    assert not {*pools} & tested


def test_the_stored_tuning_is_complete_and_a_row_of_it_comes_out_again():
    table = datasets.study_table("capstone-tuning")
    wanted = [
        (t["model"], t["setting"], t["block"], run)
        for t in capstone._tuning_tasks()
        for run in range(capstone.TUNING_RUNS[t["model"]])
    ]
    assert list(zip(*(table[c] for c in ("model", "setting", "block", "run")))) == wanted
    lines = datasets.entities(datasets.peoples_daily())[slice(*capstone.TUNE_TEST)]
    assert set(table["gold"]) == {sum(len(to_spans(line.tags)) for line in lines)}
    train = slice(*capstone.TUNE_TRAIN[1])
    test = slice(*capstone.TUNE_TEST)
    (again,) = capstone._on_lines(train, test, {"arow": 1.0}, {"arow": 1})
    stored = table.query("model == 'arow' and setting == 1 and block == 1 and run == 0").iloc[0]
    assert again == {name: stored[name] for name in table.columns if name != "block"}


def test_the_stored_pools_are_complete_and_use_the_chosen_settings():
    table = datasets.study_table("capstone-pools")
    assert tuple(table["first_line"].unique()) == capstone.POOLS
    settings = capstone.best_settings(datasets.study_table("capstone-tuning"))
    for name, runs in capstone.RUNS.items():
        rows = table[table["model"] == name]
        assert set(rows["setting"]) == {settings[name]}
        assert (rows.groupby("first_line")["run"].nunique() == runs).all()
    assert table["gold"].nunique() == 1


def test_the_stored_datasets_are_those_of_chapter_3():
    table = datasets.study_table("capstone-datasets")
    assert tuple(table["dataset"].unique()) == capstone.DATASETS
    assert len(capstone.DATASETS) == len(_labelled.DATASETS) - 3
    for name, run in capstone._runs():
        assert (table[f"tp_{name}_{run}"] <= table["gold"]).all()
    assert (table["trained_on"] <= capstone.TRAIN).all()


@pytest.mark.corpora
def test_one_dataset_comes_out_again():
    task = {"dataset": "BTC e"}
    again = pd.DataFrame(capstone._compare(task, np.random.SeedSequence(0)))
    table = datasets.study_table("capstone-datasets")
    stored = table[table["dataset"] == "BTC e"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again[stored.columns], stored, check_dtype=False)


@pytest.mark.corpora
@pytest.mark.parametrize("dataset", ["WNUT-2017", "AnEM", "CoNLL-2002 nl"])
def test_stored_counts_hold_every_test_sentence_and_name(dataset):
    table = datasets.study_table("capstone-datasets")
    rows = table[table["dataset"] == dataset]
    _, test = _labelled.split(dataset)
    assert rows["sentences"].sum() == len(test)
    names = sum(len(to_spans(sentence[1])) for sentence in test)
    assert (rows["gold"] * rows["sentences"]).sum() == names


def code_cells(page: Path = CHAPTER) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(page, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: nbformat.NotebookNode) -> str:
    texts = [o.get("text", "") for o in cell.outputs]
    texts += [o.data.get("text/plain", "") for o in cell.outputs if "data" in o]
    texts += [o.data.get("text/html", "") for o in cell.outputs if "data" in o]
    return "\n".join(texts)


def test_the_paragraph_holds_no_number_that_was_typed():
    (cell,) = [c for c in code_cells() if "paragraph = (" in c.source]
    typed = [
        node.value
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    prose = [text for text in typed if len(text) > 8]
    assert len(prose) > 10
    assert not [text for text in prose if re.search(r"\d[.,]\d|\d{3}", text)]
    text = printed(cell)
    assert len(re.findall(r"\d\.\d", text)) > 15


def paragraph() -> str:
    (cell,) = [c for c in code_cells() if "paragraph = (" in c.source]
    return " ".join(printed(cell).split())


def test_the_paragraph_leads_with_a_decision_that_its_interval_bears_out():
    text = paragraph()
    found = re.search(
        r"F1 was (\S+) for the CRF and (\S+) for AROW \(difference ([-+]\S+), "
        r"95 % interval ([-+]\S+) to ([-+]\S+);",
        text,
    )
    crf, arow, difference, low, high = map(float, found.groups())
    assert difference == pytest.approx(arow - crf, abs=0.0011)
    assert low < difference < high
    kept = text.startswith("We keep the CRF")
    assert kept or text.startswith("We replace the CRF")
    assert kept == (low <= -0.01)


def test_the_paragraph_says_what_was_tuned_and_how_often_it_was_looked_at():
    text = paragraph()
    settings = capstone.best_settings(datasets.study_table("capstone-tuning"))
    for name, setting in settings.items():
        assert f"{capstone.GRID[name][0]} = {setting:g}" in text
    assert f"at most {capstone.ITERATIONS:,} iterations" in text
    assert f"{capstone.PASSES} passes" in text
    assert f"{capstone.TUNING_RUNS['arow']} orders" in text
    assert f"{len(capstone.POOLS)} training texts" in text
    assert "Holm" in text


def test_the_orders_of_the_page_come_out_again():
    (cell,) = [c for c in code_cells() if "shuffled = [" in c.source]
    lowest, highest = map(float, re.search(r"arow: .*, (\S+) to (\S+)", printed(cell)).groups())
    settings = capstone.best_settings(datasets.study_table("capstone-tuning"))
    (X, y), (unseen, gold) = lines_of(0, 600), lines_of(-1000, None)
    for run in (0, 39):
        tagger = capstone.trained("arow", settings["arow"], X, y, run)
        assert lowest <= round(count_spans(gold, tagger.predict(unseen)).f1, 4) <= highest


def test_the_page_needs_nothing_that_the_wheel_lacks():
    for cell in [*code_cells(), *code_cells(MORE)]:
        for node in ast.walk(ast.parse(cell.source)):
            names = [a.name for a in getattr(node, "names", []) if isinstance(a, ast.alias)]
            names.append(getattr(node, "module", None) or "")
            assert not {name.split(".")[0] for name in names} & {"studies", "press", "tests"}


def test_no_text_of_the_corpus_is_on_the_page():
    cells = [*code_cells(), *code_cells(MORE)]
    (made_up,) = [c for c in cells if "plot_doubts" in c.source]
    allowed = set(re.search(r'sentence = "(.+)"', made_up.source)[1])
    for cell in cells:
        assert set(CHINESE.findall(printed(cell))) <= allowed, cell.id
    sentence = re.search(r'sentence = "(.+)"', made_up.source)[1]
    assert not any(sentence in "".join(line.words) for line in datasets.peoples_daily())
