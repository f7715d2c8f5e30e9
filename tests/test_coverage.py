"""The studies behind the page of promises are what they claim to be, and the page names them all.

Every cell that readers copy has a row there, and in it a word for each promise that it prints.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from itertools import combinations

import nbformat
import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import average_precision_score

import studies
from betterthan import compare, compare_many, plan, replicability, score
from betterthan.datasets import study_table
from press import ROOT, cookbook
from studies import coverage, paired

# What a printed sentence promises, and the word for it in the column *prints*.
PROMISES = {
    r"\d % interval": "interval",
    r"probability that|P\(B better\)": "probability",
    r"is better than \w+\.|is open at": "verdict",
    r"on at least [\d,]+ of|not enough evidence": "count",
    r", (?:namely|among them) ": "names",
    r"at each n on its own": "at some n",
    r"over all these n together": "over all these n together",
    r"(?:may be|is) the best\.": "may be the best",
    r"pairs are told apart": "told apart",
    r"the model is too (?:un)?sure": "too sure",
    r"expected calibration error": "calibration error",
    r"with a power of": "power",
    r"\] p = ": "significance at one n",
    r"\[\[0\.\d+ +0\.\d+ *\]\n": "intervals",
    r"^\[\d, \d, \d\]$": "counts",
}


def copied() -> dict[str, str]:
    """Every cell that readers copy, under the name it has on the page, with what it prints."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "chapters").glob("[0-9x]-*.ipynb")):
        number, more = re.match(r"(\w)(-more)?", path.stem).groups()
        for cell in nbformat.read(path, as_version=4).cells:
            tags = set(cell.metadata.get("tags", [])) & {"take-home", "standalone"}
            if tags:
                what = "standalone" if "standalone" in tags else cookbook.kind_of(cell.source)
                printed = "".join(o.text for o in cell.outputs if o.get("name") == "stdout")
                name = f"{number}{more or ''} {what}"
                found[name] = found.get(name, "") + printed
    read = {name.split()[1] for name in found}
    alone = {f"cookbook {k}": v for k, v in cookbook.CELLS.items() if k not in read}
    alone["README"] = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    for name, source in alone.items():
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(re.sub(r"^(ax = )?\w+\.plot\(\)$", "", source, flags=re.MULTILINE), {})
        found[name] = printed.getvalue()
    return found


def rows_of_the_page() -> list[list[str]]:
    text = (ROOT / "chapters" / "x-coverage.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\| (?:\[\d|\[cookbook|README)", line)]
    return [[part.strip() for part in line.strip("|").split("|")] for line in lines]


def test_every_promise_of_a_cell_that_readers_copy_has_a_row():
    prints: dict[str, str] = {}
    for cells, what, *_ in rows_of_the_page():
        for name in cells.split(", "):
            prints[name.strip("[]")] = prints.get(name.strip("[]"), "") + what + "; "
    printed = copied()
    assert set(prints) == set(printed), "chapters/x-coverage.md has a row for every such cell"
    missing = [
        (name, word)
        for name, text in printed.items()
        for pattern, word in PROMISES.items()
        if re.search(pattern, text, re.MULTILINE) and word not in prints[name]
    ]
    assert missing == []


def test_a_row_says_what_was_promised_what_was_measured_and_what_follows():
    for cells, what, world, promised, measured, verdict in rows_of_the_page():
        if what != "a number":
            assert world and promised and "{glue:text}" in measured and verdict, (cells, what)


def results():
    return (
        study_table("coverage").groupby(["world", "method", "kind"])[["repetitions", "hits"]].sum()
    )


def test_every_method_was_tried_a_thousand_times_in_its_world():
    table = results()
    assert (table.repetitions == coverage.CHUNKS * coverage.REPETITIONS).all()
    worlds = {*table.index.get_level_values("world"), *study_table("coverage-corpora").world}
    assert worlds == set(coverage.WORLDS)


def test_systems_made_equal_are_equal_and_stay_themselves():
    """Exchanged on half of the units, the two have what they had, and no lead but by luck."""
    a, b = paired.pool("WNUT-2017")
    swap = np.random.default_rng(0).random(len(a)) < 0.5
    c, d = paired.exchanged(a, b, swap)
    assert (c.tp + d.tp == a.tp + b.tp).all()
    assert (c.fp[swap] == b.fp[swap]).all() and (c.fp[~swap] == a.fp[~swap]).all()


def test_truths_of_the_made_up_classes_and_plans():
    rng = np.random.default_rng(5)
    a, _ = paired._uneven(rng, rng.normal(size=200_000))
    assert a.macro_f1 == pytest.approx(paired.true_macro_f1(), abs=0.01)
    # By the book: (z.975 + z.8)² × variance over the square of the difference.
    two = paired._two(rng, "pilot with it", 400_000, True).astype(float)
    variance = (two[1] - two[0]).var()
    by_hand = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 * variance / 0.05**2
    assert paired.right_number("pilot with it", 0.05) == pytest.approx(by_hand, rel=0.02)


def test_where_a_promise_is_broken_the_sentence_says_so():
    """Few or skewed items, few runs, Fisher's condition: the rows of the page that are broken."""
    rng = np.random.default_rng(1)
    # Ten items may look symmetric though their world is not: the page says how often that happens.
    for n, least in ((10, 0.55), (20, 0.75), (50, 0.85)):
        drawn = rng.lognormal(0, 1.5, (60, n))
        warned = ["skewed" in str(compare(np.zeros(n), own, n_resamples=99)) for own in drawn]
        assert np.mean(warned) >= least, n
    runs = list(rng.random((3, 200)) < rng.random(200))
    assert "Two runs say little about how results move from run to run" in str(score(runs[:2]))
    assert "Three runs say little" in str(score(runs))
    found = replicability.analyse({"a": 0.01, "b": 0.2}, local="fisher")
    assert "independent datasets" in str(found)
    assert "(flat prior)" in str(compare(runs[0], runs[1]))


def test_a_plan_knows_that_a_few_items_may_make_most_of_the_spread():
    """Its range is that of a chi-square with 2n / (kurtosis − 1) degrees of freedom."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=300)
    difference = rng.standard_t(3, 300)
    found = plan(compare(a, a + difference, n_resamples=99), difference=0.2)
    free = 2 * 300 / (stats.kurtosis(difference, fisher=False) - 1)
    assert free < 150
    times = free / stats.chi2.ppf([0.9, 0.1], free)
    known = (1.96 + 0.8416) ** 2 * difference.var(ddof=1) / 0.2**2  # who knows the spread asks this
    assert known < found.n < 1.1 * known
    expected = math.ceil(known * 1.005) * times
    assert [*found.range] == pytest.approx(expected, rel=0.02)
    assert found.range.high / found.range.low == pytest.approx(times[1] / times[0], rel=1e-6)


def test_many_skewed_systems_are_warned_of():
    rng = np.random.default_rng(3)
    few_decide = {name: rng.lognormal(0, 2.0, 60) for name in "abc"}
    assert "very skewed" in str(compare_many(few_decide, n_resamples=199))


def test_the_real_pairs_are_the_right_way_round():
    assert all(a.f1 <= b.f1 for a, b in paired.test_sets())
    assert len(paired.test_sets()) == 15 and len(paired.systems()) == 7
    assert paired.real_items("accuracy per language").shape == (2, 23)
    assert paired.real_items("precision per part of a text").shape == (2, 80)
    a, b = paired.pool(paired.APART)
    assert 0.04 < b.f1 - a.f1 < 0.06


@pytest.mark.parametrize("world", ["correlations", "labels", "datasets, positive, 3"])
def test_a_task_gives_the_stored_rows(world):
    number = [task["world"] for task in coverage.tasks()].index(world)
    assert studies.replay("coverage", number) == []


def test_rates_that_are_known_exactly():
    """Ten uniform, independent p-values: count, Bonferroni and Fisher err at known rates."""
    table = results().loc["datasets, independent, 0"]
    n = coverage.DATASETS
    for method, rate in {
        "count": 1 - 0.95**n,
        "bonferroni": 1 - (1 - 0.05 / n) ** n,
        "fisher": 0.05,
        "simes": 0.05,
    }.items():
        row = table.loc[(f"replicability.count, {method}", "test")]
        assert stats.binomtest(int(row.hits), int(row.repetitions), rate).pvalue > 0.001, method


def test_binomial_intervals_miss_as_often_as_the_beta_binomial_says():
    """The world of parts is a beta-binomial; its exact miss rate can be added up."""
    from betterthan import ranking

    k = np.arange(coverage.LIST + 1)
    low, high = ranking.binomial_interval(k, coverage.LIST)
    total = (1 - coverage.RHO) / coverage.RHO
    model = stats.betabinom(coverage.LIST, coverage.AVERAGE * total, (1 - coverage.AVERAGE) * total)
    caught = model.pmf(k)[(low <= coverage.AVERAGE) & (high >= coverage.AVERAGE)].sum()
    row = results().loc[("parts", "ranking.binomial_interval", "interval")]
    assert stats.binomtest(int(row.hits), int(row.repetitions), caught).pvalue > 0.001


def test_a_claim_among_the_equal_datasets_is_the_only_false_claim_to_look_for():
    """Count, names and all bounds are right, or the bound of the datasets without a win is not."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        pvalues, better = rng.random(4) ** 3, int(rng.integers(4))
        datasets = ["1", "2", "3", "4"]
        found = replicability.analyse(pvalues, local="fisher", alpha=0.3)
        false = (
            found.count > better
            or bool(set(found.names) & set(datasets[better:]))
            or any(
                found.bound(chosen) > len(set(chosen) & set(datasets[:better]))
                for size in (1, 2, 3)
                for chosen in combinations(datasets, size)
            )
        )
        assert false == (found.bound(datasets[better:]) > 0)


def test_average_precision_is_that_of_sklearn():
    rng = np.random.default_rng(0)
    gold = rng.random((5, 40)) < 0.3
    scores = rng.normal(size=(5, 40)) + gold
    ours = coverage._average_precision(scores, gold)
    assert ours == pytest.approx([average_precision_score(g, s) for g, s in zip(gold, scores)])


def test_a_missed_word_is_cut_in_two():
    gold, (found,), difficulty = coverage._segmented(np.random.default_rng(1), 4, systems=1)
    assert all("".join(words) == "ab" * coverage.WORDS for words in (*gold, *found))
    assert any("a" in words for words in found)
    assert all(len(d) == coverage.WORDS and (d >= 0).all() and (d <= 1).all() for d in difficulty)


def test_the_true_brier_score_is_that_of_many_labels():
    rng = np.random.default_rng(2)
    log_odds = coverage.EASE + np.sqrt(1.49) * rng.normal(size=400_000)
    right = rng.random(log_odds.size) < special.expit(log_odds)
    seen = (special.expit(coverage.TOO_SURE * log_odds) - right) ** 2
    error = seen.std() / np.sqrt(seen.size)
    assert seen.mean() == pytest.approx(coverage.true_brier(), abs=4 * error)
