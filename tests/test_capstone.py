"""Chapter 7: its two studies, and the promises its page makes."""

from __future__ import annotations

import ast
import re

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
CHINESE = re.compile(r"[\u3400-\u9fff\uff10-\uff5a]")


def test_model_is_the_tagger_of_that_name():
    crf, arow = capstone.model("crf", 0.3), capstone.model("arow", 2.0, rng=5)
    assert isinstance(crf, CRF)
    assert crf.params == {"c2": 0.3, "max_iterations": capstone.ITERATIONS}
    assert isinstance(arow, Tagger)
    assert (arow.algorithm, arow.r, arow.passes) == ("arow", 2.0, capstone.PASSES)
    X, Y = [[["the"], ["cat"]]], [["B", "I"]]
    draws = [
        tagger.fit(X, Y).confidence(X, "random")[0].tolist()
        for tagger in (arow, Tagger(rng=5), capstone.model("arow", 2.0))
    ]
    assert draws[0] == draws[1] != draws[2]


def test_model_refuses_another_name():
    with pytest.raises(ValueError, match=r"name='svm': expected one of crf, arow"):
        capstone.model("svm", 1.0)
    with pytest.raises(ValueError, match="r"):
        capstone.model("arow", -1.0)


def test_best_settings_agrees_with_a_loop_and_takes_the_first_of_equals():
    rng = np.random.default_rng(0)
    correct = rng.integers(10, 60, 12)
    table = pd.DataFrame(
        {
            "model": ["crf"] * 6 + ["arow"] * 6,
            "setting": [*range(6), *range(6)],
            "gold": 100,
            "predicted": correct + rng.integers(0, 40, 12),
            "correct": correct,
        }
    )
    for name, chosen in capstone.best_settings(table).items():
        rows = table[table["model"] == name]
        f1 = [2 * r.correct / (r.gold + r.predicted) for r in rows.itertuples()]
        assert chosen == rows["setting"].iloc[int(np.argmax(f1))]
    twice = pd.concat([table.assign(setting=table["setting"] + 10), table])
    first = {name: s + 10 for name, s in capstone.best_settings(table).items()}
    assert capstone.best_settings(twice) == first


def test_lines_to_tune_on_are_not_those_of_the_chapter():
    tuned = set(range(*capstone.TUNE_TRAIN)) | set(range(*capstone.TUNE_TEST))
    total = len(datasets.peoples_daily())
    assert not tuned & set(range(600))
    assert not tuned & set(range(total - 1000, total))
    assert not set(range(*capstone.TUNE_TRAIN)) & set(range(*capstone.TUNE_TEST))


def test_the_stored_tuning_is_complete_and_one_row_of_it_comes_out_again():
    table = datasets.study_table("capstone-tuning")
    wanted = [(t["model"], t["setting"]) for t in capstone._tuning_tasks()]
    assert list(zip(table["model"], table["setting"])) == wanted
    lines = datasets.entities(datasets.peoples_daily(capstone.TUNE_TEST[1]))
    names = sum(len(to_spans(line.tags)) for line in lines[slice(*capstone.TUNE_TEST)])
    assert set(table["gold"]) == {names}
    task = {"model": "arow", "setting": 1.0}
    (again,) = capstone._tune(task, np.random.SeedSequence(0))
    stored = table[(table["model"] == "arow") & (table["setting"] == 1.0)].iloc[0]
    assert again == {name: stored[name] for name in table.columns}


def test_the_stored_datasets_are_those_of_chapter_3_with_the_same_gold_for_both():
    table = datasets.study_table("capstone-datasets")
    assert tuple(table["dataset"].unique()) == capstone.DATASETS
    assert len(capstone.DATASETS) == len(_labelled.DATASETS) - 3
    crf, arow = (table[f"tp_{m}"] + table[f"fn_{m}"] for m in capstone.MODELS)
    assert (crf == arow).all()
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
    assert ((rows["tp_crf"] + rows["fn_crf"]) * rows["sentences"]).sum() == names


def code_cells() -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(CHAPTER, as_version=4)
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


def test_the_paragraph_says_what_the_counts_say():
    (cell,) = [c for c in code_cells() if "paragraph = (" in c.source]
    text = " ".join(printed(cell).split())
    settings = capstone.best_settings(datasets.study_table("capstone-tuning"))
    lines = datasets.entities(datasets.peoples_daily())
    pool, fresh = lines[:600], lines[-1000:]
    tagger = capstone.model("arow", settings["arow"])
    tagger.fit(capstone.features(pool), [list(s.tags) for s in pool])
    gold = [list(s.tags) for s in fresh]
    counts = count_spans(gold, tagger.predict(capstone.features(fresh)))
    assert f"AROW {counts.f1:.3f}" in text
    assert f"precision {counts.precision:.3f}" in text
    for name, setting in settings.items():
        assert f"{capstone.GRID[name][0]} = {setting:g}" in text
    assert f"at most {capstone.ITERATIONS} iterations" in text
    assert f"{capstone.PASSES} passes" in text


def test_the_paragraph_takes_b_minus_a():
    (cell,) = [c for c in code_cells() if "paragraph = (" in c.source]
    text = " ".join(printed(cell).split())
    found = re.search(r"F1 was (\S+) for the CRF and for AROW (\S+) \(difference ([-+]\S+),", text)
    crf, arow, difference = map(float, found.groups())
    assert difference == pytest.approx(arow - crf, abs=0.0011)


def test_the_page_needs_nothing_that_the_wheel_lacks():
    for cell in code_cells():
        for node in ast.walk(ast.parse(cell.source)):
            names = [a.name for a in getattr(node, "names", []) if isinstance(a, ast.alias)]
            names.append(getattr(node, "module", None) or "")
            assert not {name.split(".")[0] for name in names} & {"studies", "press", "tests"}


def test_no_text_of_the_corpus_is_on_the_page():
    cells = code_cells()
    (made_up,) = [c for c in cells if "plot_doubts" in c.source]
    allowed = set(re.search(r'sentence = "(.+)"', made_up.source)[1])
    for cell in cells:
        assert set(CHINESE.findall(printed(cell))) <= allowed, cell.id
    sentence = re.search(r'sentence = "(.+)"', made_up.source)[1]
    assert not any(sentence in "".join(line.words) for line in datasets.peoples_daily())
