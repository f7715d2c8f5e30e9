"""Partial conjunction, counting and identification: paper, oracles, properties, refusals."""

from __future__ import annotations

import math
import time
from pathlib import Path

import jupytext
import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from betterthan import datasets, pvalues, replicability
from betterthan.replicability import (
    adjust,
    analyse,
    count,
    identify,
    one_sided,
    partial_conjunction,
)

COMBINE = ("bonferroni", "fisher", "simes")
PUBLIC = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]  # a known public fixture

p_values = st.lists(
    st.one_of(
        st.floats(0, 1),
        st.sampled_from([0.0, 1.0, 0.01, 0.05, 0.025, 1e-300, 5e-324]),
        st.integers(1, 400).map(lambda k: k / 400),
    ),
    min_size=1,
    max_size=30,
)


def plain(p, u, method):
    """The definitions, one at a time, with nothing in common with the library."""
    ordered = sorted(p)
    n = len(ordered)
    tail = ordered[u - 1 :]
    if method == "bonferroni":
        return min(1.0, (n - u + 1) * ordered[u - 1])
    if method == "simes":
        return min((n - u + 1) * q / j for j, q in enumerate(tail, start=1))
    if tail[0] == 0:
        return 0.0
    return stats.chi2.sf(-2 * math.fsum(math.log(q) for q in tail), 2 * len(tail))


def plain_count(p, alpha, method):
    k = 0
    for u in range(1, len(p) + 1):
        if method == "bonferroni":  # decided as Holm decides: p against alpha/(N-u+1)
            passed = sorted(p)[u - 1] <= alpha / (len(p) - u + 1)
        else:
            passed = plain(p, u, method) <= alpha
        if not passed:
            break
        k = u
    return k


def awkward_vectors(seed, repetitions, longest=40):
    """Random vectors with ties, zeros, ones, tiny values and collinear runs."""
    rng = np.random.default_rng(seed)
    for turn in range(repetitions):
        n = int(rng.integers(1, longest + 1))
        kind = turn % 7
        if kind == 0:
            yield rng.random(n)
        elif kind == 1:
            yield np.round(rng.random(n), 1)
        elif kind == 2:
            yield np.round(rng.random(n) ** 4, 2)
        elif kind == 3:
            yield 10.0 ** -rng.uniform(0, 300, n)
        elif kind == 4:
            yield rng.integers(1, n + 1, n) / n * 0.05
        elif kind == 5:
            yield np.arange(1, n + 1) * 0.05 / n * rng.choice([1, 0.1, 1, 1], n)
        else:
            yield rng.choice([0, 0, 0.01, 0.05, 0.5, 1], n)


# --- the paper ---------------------------------------------------------------------------


def printed_p_values():
    table2, table3 = (datasets.paper_table(f"dror-2017-table{k}") for k in (2, 3))
    return {
        "Mate-SpaCy": table2["p_mate_spacy"],
        "Mate-Redshift": table2["p_mate_redshift"],
        "MIMICK-Char": table3["p"],
        "AE-SCL-SR-MSDA": datasets.paper_table("dror-2017-table4")["p"],
        "W2V-GloVe": datasets.paper_table("dror-2017-table5")["p"],
    }


def test_table_1_and_footnote_13_but_for_the_one_erratum():
    p = printed_p_values()
    wrong = []
    numbers = 0
    for row in datasets.paper_table("dror-2017-table1").itertuples():
        for method in ("count", "bonferroni", "fisher"):
            numbers += 1
            here = count(p[row.comparison], row.alpha, method)
            if here != getattr(row, method):
                wrong.append((row.comparison, row.alpha, method, getattr(row, method), here))
    assert numbers == 30
    assert wrong == [("AE-SCL-SR-MSDA", 0.05, "fisher", 10, 9)]


def test_the_marks_of_holm_in_tables_3_to_5():
    table3 = datasets.paper_table("dror-2017-table3")
    assert list(identify(table3["p"])) == list(table3["holm"] == "yes")
    for number in (4, 5):
        table = datasets.paper_table(f"dror-2017-table{number}")
        for alpha, mark in ((0.05, "holm_05"), (0.01, "holm_01")):
            assert list(identify(table["p"], alpha)) == list(table[mark] == "yes"), (number, alpha)


@pytest.mark.parametrize("reading", ["two-sided", "observed"])
def test_table_3_with_the_direction_kept_names_three_languages(reading):
    table = datasets.paper_table("dror-2017-table3").rename(
        columns={"mimick": "a", "char_tag": "b"}
    )
    report = analyse(table, independent=True, alternative=reading)
    assert report.identified == ("Hungarian", "Chinese", "Czech")
    turned = analyse(table.rename(columns={"a": "b", "b": "a"}), independent=True,
                     alternative=reading)  # fmt: skip
    assert turned.identified == ("Tamil", "Basque", "Indonesian")


def test_table_5_with_the_direction_kept_loses_yp_130():
    table = datasets.paper_table("dror-2017-table5").rename(columns={"w2v": "a", "glove": "b"})
    report = analyse(table, independent=False)
    assert "YP-130" not in report.identified
    assert (report.k, report.estimates["bonferroni"]) == (5, 5)


def test_public_fixture():
    assert count(PUBLIC) == 1
    assert count(PUBLIC, method="fisher") == 2
    assert list(np.flatnonzero(identify(PUBLIC))) == [5]


# --- oracles -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", COMBINE)
def test_every_partial_conjunction_p_value_equals_the_plain_definition(method):
    for p in awkward_vectors(1, 700):
        here = partial_conjunction(p, method=method)
        there = [plain(p, u, method) for u in range(1, len(p) + 1)]
        if method == "fisher":
            np.testing.assert_allclose(here, there, rtol=1e-10, atol=0)
        else:
            np.testing.assert_array_equal(here, there)
        assert count(p, 0.05, method) == plain_count(p, 0.05, method)


@pytest.mark.parametrize("method", COMBINE)
@settings(max_examples=300, deadline=None)
@given(p=p_values, data=st.data())
def test_one_u_equals_all_u(method, p, data):
    u = data.draw(st.integers(1, len(p)))
    one = partial_conjunction(p, u, method)
    assert isinstance(one, float)
    assert one == partial_conjunction(p, method=method)[u - 1]
    assert one == pytest.approx(plain(p, u, method), rel=1e-9, abs=1e-320)


@pytest.mark.parametrize("method", ["holm", "hochberg", "hommel", "bh", "bonferroni"])
def test_identification_equals_statsmodels(method, monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)  # statsmodels' Holm: 0.1 s a call
    theirs = {"hochberg": "simes-hochberg", "bh": "fdr_bh"}.get(method, method)
    for p in awkward_vectors(2, 2100):
        for alpha in (0.05, 0.01):
            reject, adjusted, *_ = multipletests(p, alpha, theirs)
            np.testing.assert_array_equal(identify(p, alpha, method), reject, err_msg=f"{p}")
        np.testing.assert_array_equal(np.minimum(adjust(p, method), 1), adjusted)


def test_hommel_and_simes_on_a_long_vector_equal_the_slow_ones():
    p = np.random.default_rng(3).random(1500) ** 2
    p[::7] = np.round(p[::7], 2)
    np.testing.assert_array_equal(adjust(p, "hommel"), multipletests(p, method="hommel")[1])
    ordered, n = np.sort(p), p.size
    slow = [
        np.min((n - u + 1) * ordered[u - 1 :] / np.arange(1, n - u + 2)) for u in range(1, n + 1)
    ]
    np.testing.assert_array_equal(partial_conjunction(p, method="simes"), slow)


def test_fisher_equals_scipy_combine_pvalues_for_the_global_null():
    p = [0.2, 0.04, 0.7, 0.013]
    assert partial_conjunction(p, 1, "fisher") == pytest.approx(stats.combine_pvalues(p).pvalue)


def test_fisher_keeps_its_digits_far_out_in_the_tail():
    # 1 - cdf would give 0 here; the value is exact for one p-value: p itself.
    assert partial_conjunction([1e-300], 1, "fisher") == pytest.approx(1e-300, rel=1e-9, abs=0)
    assert 0 < partial_conjunction([1e-20] * 12, 1, "fisher") < 1e-200


def test_fisher_of_a_hundred_thousand_keeps_its_digits():
    p = np.random.default_rng(4).random(100_000)
    ordered = np.sort(p)
    here = partial_conjunction(p, method="fisher")
    sums = replicability._suffix_evidence(ordered)
    # Where a long double is but a double, there is no more precision to be had.
    digits = 1e-15 if np.finfo(np.longdouble).eps < 1e-18 else 1e-13
    for u in (1, 10, 50_000, 99_990):
        evidence = -2 * math.fsum(np.log(ordered[u - 1 :]))
        assert 2 * sums[u - 1] == pytest.approx(evidence, rel=digits, abs=0)
        assert here[u - 1] == pytest.approx(stats.chi2.sf(evidence, 2 * (p.size - u + 1)), rel=1e-9)


def test_a_hundred_thousand_p_values_in_under_a_second_each():
    p = np.random.default_rng(5).random(100_000) ** 3
    for method in COMBINE:
        start = time.perf_counter()
        count(p, method=method)
        assert time.perf_counter() - start < 1, method
    for method in ("holm", "hochberg", "hommel", "bh"):
        start = time.perf_counter()
        identify(p, method=method)
        assert time.perf_counter() - start < 1, method


# --- facts the chapter relies on ---------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(p=p_values, alpha=st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_bonferroni_counts_what_holm_names(p, alpha):
    named = identify(p, alpha, "holm")
    assert count(p, alpha, "bonferroni") == named.sum()
    # … and Holm names the k̂ smallest.
    assert named.sum() in (0, len(p)) or np.max(np.array(p)[named]) <= np.min(np.array(p)[~named])


@settings(max_examples=300, deadline=None)
@given(p=p_values)
def test_simes_never_falls_and_never_needs_clipping(p):
    values = partial_conjunction(p, method="simes")
    assert (values <= 1).all()
    assert (np.diff(values) >= -1e-12 * values[1:]).all()
    assert (values <= partial_conjunction(p, method="bonferroni") + 1e-15).all()


def test_bonferroni_and_fisher_may_fall_so_the_count_stops_at_the_first_failure():
    assert (np.diff(partial_conjunction(PUBLIC, method="bonferroni")) < 0).any()
    falling = [0.2, 0.2, 0.2]
    values = partial_conjunction(falling, method="bonferroni")
    assert values[2] < values[0]
    # At alpha = .3 only u = 3 passes; k̂ must still be 0.
    assert values[2] <= 0.3 < values[0]
    assert count(falling, 0.3) == 0
    fisher = partial_conjunction([0.04] + [0.9] * 5, method="fisher")
    assert (np.diff(fisher) < 0).any()


def test_zeros_are_seen_up_to_their_number_and_no_further():
    p = [0.0, 0.0, 0.4, 0.7]
    values = partial_conjunction(p, method="fisher")
    assert list(values[:2]) == [0, 0]
    assert values[2] == pytest.approx(stats.combine_pvalues([0.4, 0.7]).pvalue)
    assert not np.isnan(partial_conjunction([0.0] * 5, method="fisher")).any()


@settings(max_examples=100, deadline=None)
@given(p=p_values, seed=st.integers(0, 99))
def test_the_order_of_datasets_does_not_matter(p, seed):
    order = np.random.default_rng(seed).permutation(len(p))
    shuffled = np.array(p)[order]
    for method in COMBINE:
        assert count(p, method=method) == count(shuffled, method=method)
    for method in ("holm", "hochberg", "hommel", "bh"):
        np.testing.assert_array_equal(
            identify(p, method=method)[order], identify(shuffled, method=method)
        )


@pytest.mark.parametrize("method", COMBINE)
def test_the_guarantee_holds_for_independent_datasets(method):
    """P(k̂ > k) ≤ α with k = 3 real effects among 10; exact binomial bound on the error."""
    rng = np.random.default_rng(6)
    shift = np.r_[np.full(3, 4.0), np.zeros(7)]
    over = sum(count(stats.norm.sf(rng.normal(shift)), 0.05, method) > 3 for _ in range(2000))
    assert stats.binomtest(over, 2000, 0.05, alternative="greater").pvalue > 1e-4


# --- direction and report ----------------------------------------------------------------


def test_one_sided():
    assert one_sided(0.04, 2, 1) == 0.02
    assert one_sided(0.04, 1, 2) == 0.98
    assert one_sided(0.04, 1, 1) == 0.98
    assert one_sided(1.0, 1, 1) == 0.5
    np.testing.assert_allclose(one_sided([0.1, 0.1], [2, 1], [1, 2]), [0.05, 0.95])
    with pytest.raises(ValueError, match="p_two_sided"):
        one_sided(1.5, 1, 2)
    with pytest.raises(ValueError, match="same length"):
        one_sided([0.1, 0.2], [1], [2])
    with pytest.raises(ValueError, match="a"):
        one_sided(0.1, float("nan"), 2)


def frame(**columns):
    return pd.DataFrame({"dataset": ["x", "y", "z"], "p": [0.001, 0.002, 0.5], **columns})


def test_analyse_turns_two_sided_p_values_by_the_scores():
    report = analyse(frame(a=[2, 1, 2], b=[1, 2, 1]), independent=False)
    assert report.identified == ("x",)
    np.testing.assert_allclose(report.table["p_one_sided"], [0.0005, 0.999, 0.25])
    without = analyse(frame(), independent=False)
    assert without.identified == ("x", "y")


def test_analyse_reads_one_sided_p_values_both_ways():
    scores = {"a": [2, 1, 2], "b": [1, 2, 1]}
    observed = analyse(frame(**scores), independent=False, alternative="observed")
    np.testing.assert_allclose(observed.table["p_one_sided"], [0.001, 0.998, 0.5])
    greater = analyse(frame(**scores), independent=False, alternative="greater")
    np.testing.assert_allclose(greater.table["p_one_sided"], [0.001, 0.002, 0.5])
    assert "two-sided?" in str(greater)
    assert "two-sided?" not in str(observed)
    equal = frame(a=[2, 1, 2], b=[1, 1, 1])
    for alternative, p in (("observed", 0.998), ("two-sided", 0.999)):
        report = analyse(equal, independent=False, alternative=alternative)
        assert report.table["p_one_sided"][1] == pytest.approx(p)  # equal scores: not A's


def test_the_dependence_chooses_the_estimator():
    table = frame()
    chosen = {
        (True, False): ("fisher", "holm"),
        (True, True): ("fisher", "holm"),
        (False, False): ("bonferroni", "holm"),
        (False, True): ("simes", "hommel"),
    }
    for (independent, positive), (method, naming) in chosen.items():
        report = analyse(table, independent=independent, positive=positive)
        assert (report.method, report.identification) == (method, naming)
        assert report.k == report.estimates[method] == count(table["p"], method=method)
    with pytest.raises(TypeError, match="independent"):
        analyse(table)


def test_the_words_of_the_report():
    report = analyse(frame(), independent=True, names=("AROW", "perceptron"))
    text = str(report)
    assert "AROW is better than perceptron on at least 2 of 3 datasets" in report.sentence
    assert "Holm's procedure names x and y" in text
    assert text.count("no guarantee here") == 1  # counting
    dependent = str(analyse(frame(), independent=False))
    assert dependent.count("no guarantee here") == 3  # counting, Fisher, Simes
    nothing = analyse(frame().assign(p=0.9), independent=True)
    assert nothing.k == 0
    assert "not enough evidence that A is better than B" in nothing.sentence
    assert "names none" in nothing.sentence


def test_the_table_keeps_the_callers_order():
    table = pd.DataFrame({"dataset": list("abcd"), "p": [0.9, 0.001, 0.5, 0.0]}, index=[9, 3, 5, 7])
    report = analyse(table, independent=True)
    assert list(report.table["dataset"]) == list("abcd")
    assert list(report.table["identified"]) == [False, True, False, True]
    np.testing.assert_allclose(report.table["p_adjusted"], adjust(table["p"], "holm"))


def test_the_plot_shows_every_dataset_and_zeros():
    ax = analyse(frame().assign(p=[0.0, 0.02, 0.5]), independent=True).plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x", "y", "z"]
    assert sum(len(c.get_offsets()) for c in ax.collections) == 4  # three and the mark of the 0
    assert "at least 1 of 3" in ax.get_title(loc="left") + ax.get_title()
    large = pd.DataFrame({"dataset": range(100), "p": np.linspace(0, 1, 100)})
    assert analyse(large, independent=True).plot().get_ylabel() == "rank of the dataset"


def test_one_dataset_gives_the_trivial_answer():
    for method in COMBINE:
        assert partial_conjunction([0.03], method=method) == pytest.approx([0.03])
        assert count([0.03], method=method) == 1
        assert count([0.07], method=method) == 0
    for method in ("holm", "hochberg", "hommel", "bh", "bonferroni"):
        assert list(identify([0.03], method=method)) == [True]
    assert analyse(frame().head(1), independent=False).k == 1


def test_alpha_is_inclusive():
    assert count([0.05]) == 1
    assert count([0.05], method="count") == 1
    assert list(identify([0.025, 0.05])) == [True, True]


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [[], [0.1, math.nan], [-0.1], [1.1], [[0.1, 0.2]], ["x"]])
def test_bad_p_values_are_refused_by_name(bad):
    for call in (partial_conjunction, count, identify, adjust):
        with pytest.raises(ValueError, match=r"^p: expected"):
            call(bad)


@pytest.mark.parametrize("u", [0, 4, -1, 1.5, True, "1"])
def test_bad_u(u):
    with pytest.raises(
        ValueError, match=r"u=.*expected a whole number of at least 1 and at most 3"
    ):
        partial_conjunction([0.1, 0.2, 0.3], u)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan, "x"])
def test_bad_alpha(alpha):
    for call in (count, identify):
        with pytest.raises(ValueError, match="alpha="):
            call([0.1], alpha)
    with pytest.raises(ValueError, match="alpha="):
        analyse(frame(), alpha, independent=True)


def test_unknown_methods():
    with pytest.raises(ValueError, match="method='stouffer': expected one of 'bonferroni'"):
        partial_conjunction([0.1], method="stouffer")
    with pytest.raises(ValueError, match="method='holm'"):
        count([0.1], method="holm")
    with pytest.raises(ValueError, match="method='fisher'"):
        identify([0.1], method="fisher")


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (frame().drop(columns="p"), {}, "'p' is missing"),
        (frame(a=[1, 2, 3]), {}, "both scores"),
        (frame(a=[1, 2, math.nan], b=[1, 2, 3]), {}, "a: expected no missing"),
        (frame().assign(dataset="x"), {}, "'x' occurs again"),
        (frame(), {"independent": "yes"}, "independent='yes': expected True or False"),
        (frame(), {"independent": None}, "independent=None"),
        (frame(), {"alternative": "two-sided"}, "who won"),
        (frame(), {"alternative": "observed"}, "who won"),
        (frame(), {"alternative": "less"}, "alternative='less'"),
        (frame(), {"names": "AB"}, "names='AB'"),
        (frame().head(0), {}, "p: expected at least 1"),
    ],
)  # fmt: skip
def test_what_analyse_refuses(table, options, words):
    with pytest.raises(ValueError, match=words):
        analyse(table, **{"independent": True, **options})


def test_inputs_are_left_alone():
    p = np.array([0.5, 0.001, 0.2])
    before = p.copy()
    table = frame(a=[2, 1, 2], b=[1, 2, 1])
    copy = table.copy()
    for method in COMBINE:
        partial_conjunction(p, method=method)
    identify(p, method="hommel")
    analyse(table, independent=True)
    np.testing.assert_array_equal(p, before)
    pd.testing.assert_frame_equal(table, copy)


def test_public_names():
    assert set(replicability.__all__) >= {
        "partial_conjunction", "count", "identify", "analyse", "one_sided",
    }  # fmt: skip


# --- the chapter's own code --------------------------------------------------------------


def chapter_cells(tag):
    path = Path(__file__).parents[1] / "chapters" / "3-how-many-datasets.md"
    cells = jupytext.read(path, fmt="md:myst").cells
    return [c.source for c in cells if tag in c.metadata.get("tags", [])]


def test_the_standalone_cell_counts_like_the_library(capsys):
    (source,) = chapter_cells("standalone")
    space = {}
    exec(source, space)
    assert capsys.readouterr().out == "[1, 2, 1]\n"
    rng = np.random.default_rng(31)
    p = rng.random((300, 12)) ** rng.integers(1, 6, (300, 1))
    for method in COMBINE:
        ours = [count(row, method=method) for row in p]
        assert space["k_hat"](p, method).tolist() == ours
        assert len(set(ours)) > 3


def test_every_bug_is_caught_and_every_repair_passes():
    space = {"np": np, "chi2": stats.chi2, "replicability": replicability, "pvalues": pvalues}
    for source in chapter_cells("spot-the-bug"):
        exec(source, space)
    for number in ("one", "two", "three", "four", "five"):
        check = space[f"check_{number}"]
        with pytest.raises(AssertionError):
            check(space[f"bug_{number}"])
        check(space[f"fixed_{number}"])
