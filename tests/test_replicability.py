"""Counting, naming and closed testing: paper, all subsets, oracles, properties, refusals."""

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

from betterthan import _simes, compare, datasets, pvalues, readers, replicability
from betterthan.replicability import analyse, count, identify, one_sided, partial_conjunction

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


def test_the_names_of_table_2():
    table = datasets.paper_table("dror-2017-table2")
    assert identify(table["p_mate_spacy"]).all()
    assert list(table["dataset"][identify(table["p_mate_redshift"])]) == ["MZ"]


def test_the_first_simulation_prints_how_often_k_is_above_one():
    rng = np.random.default_rng(51)
    rows = rng.random((3000, 100))
    printed = {"count": 0.963, "bonferroni": 0.001, "fisher": 0.021}
    above_0 = {"count": 1 - 0.95**100, "bonferroni": 1 - (1 - 0.0005) ** 100, "fisher": 0.05}
    for method, value in printed.items():
        k = np.array([count(row, method=method) for row in rows])
        fits, off = (k > 1).mean(), above_0[method]
        assert abs((k > 0).mean() - off) < 3 * math.sqrt(off * (1 - off) / 3000), method
        # 1,000 repetitions there, 3,000 here
        assert abs(value - fits) < 3 * math.sqrt(fits * (1 - fits) * (1 / 1000 + 1 / 3000)), method
        assert abs(value - off) > 4 * math.sqrt(off * (1 - off) / 1000), method


@pytest.mark.parametrize(
    ("effect", "k", "others", "ahead"),
    [(2.0, 15, 0.0, "fisher"), (5.0, 5, 0.0, "bonferroni"), (3.0, 5, -1.0, "bonferroni")],
)
def test_which_of_fisher_and_bonferroni_counts_more(effect, k, others, ahead):
    """Many weak effects are for Fisher; few strong ones, and losses elsewhere, for Bonferroni."""
    rng = np.random.default_rng(52)
    shift = np.r_[np.full(k, effect), np.full(20 - k, others)]
    p = stats.norm.sf(rng.normal(size=(400, 20)) + shift)
    mean = {m: np.mean([count(row, method=m) for row in p]) for m in ("fisher", "bonferroni")}
    assert max(mean, key=mean.get) == ahead
    assert abs(mean["fisher"] - mean["bonferroni"]) > 0.15


def test_fisher_keeps_its_promise_under_negative_dependence_and_still_counts():
    rng = np.random.default_rng(53)
    noise = rng.normal(size=(2000, 10))
    z = (noise - noise.mean(axis=1, keepdims=True)) / math.sqrt(0.9) + 4.0 * (np.arange(10) < 3)
    k = np.array([count(row, method="fisher") for row in stats.norm.sf(z)])
    assert (k > 3).mean() < 0.05
    assert k.mean() > 2.5


def test_the_marks_of_holm_in_tables_3_to_5():
    table3 = datasets.paper_table("dror-2017-table3")
    assert list(identify(table3["p"])) == list(table3["holm"] == "yes")
    for number in (4, 5):
        table = datasets.paper_table(f"dror-2017-table{number}")
        for alpha, mark in ((0.05, "holm_05"), (0.01, "holm_01")):
            assert list(identify(table["p"], alpha)) == list(table[mark] == "yes"), (number, alpha)


def turned(number, old, new):
    """A table of the paper with its columns named as here: A the baseline, B the candidate."""
    table = datasets.paper_table(f"dror-2017-table{number}")
    return table.rename(columns={old: "a", new: "b"})


@pytest.mark.parametrize("factor", [1, 2])
def test_table_3_with_the_direction_kept_names_three_languages(factor):
    """Two-sided, or one-sided towards whoever is ahead, which is half of a two-sided one."""
    table = turned(3, "char_tag", "mimick")
    table["p"] *= factor
    found = analyse(table, alternative="two-sided")
    assert found.names == ("Hungarian", "Chinese", "Czech")
    other_way = turned(3, "mimick", "char_tag").assign(p=table["p"])
    found = analyse(other_way, alternative="two-sided")
    assert found.names == ("Tamil", "Basque", "Indonesian")


def test_table_5_with_the_direction_kept_loses_yp_130():
    found = analyse(turned(5, "glove", "w2v"), alternative="two-sided")
    assert "YP-130" not in found.names
    assert found.count == 5


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


@pytest.mark.slow
@pytest.mark.parametrize("method", COMBINE)
@settings(max_examples=300, deadline=None)
@given(p=p_values, data=st.data())
def test_one_u_equals_all_u(method, p, data):
    u = data.draw(st.integers(1, len(p)))
    one = partial_conjunction(p, u, method)
    assert isinstance(one, float)
    assert one == partial_conjunction(p, method=method)[u - 1]
    assert one == pytest.approx(plain(p, u, method), rel=1e-9, abs=1e-320)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["holm", "hochberg", "hommel", "bh", "bonferroni"])
def test_identification_equals_statsmodels(method, monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)  # statsmodels' Holm: 0.1 s a call
    theirs = {"hochberg": "simes-hochberg", "bh": "fdr_bh"}.get(method, method)
    for p in awkward_vectors(2, 2100 if method == "holm" else 70):
        for alpha in (0.05, 0.01):
            reject = multipletests(p, alpha, theirs)[0]
            np.testing.assert_array_equal(identify(p, alpha, method), reject, err_msg=f"{p}")


@pytest.mark.slow
@pytest.mark.parametrize(("local", "theirs"), [("bonferroni", "holm"), ("simes", "hommel")])
def test_closed_testing_names_what_holm_and_hommel_name(local, theirs, monkeypatch):
    monkeypatch.setattr("gc.collect", lambda: 0)
    for p in awkward_vectors(3, 700):
        reject, adjusted, *_ = multipletests(p, 0.05, theirs)
        table = analyse(p, local=local).table()
        np.testing.assert_array_equal(table["pvalue_adjusted"], adjusted)
        # Where p·h is alpha to the last bit, rounding may decide otherwise than in statsmodels.
        open_question = np.abs(adjusted - 0.05) < 1e-12
        np.testing.assert_array_equal(table["named"] | open_question, reject | open_question)


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
    sums = replicability._evidence(ordered[::-1])[::-1]
    # Where a long double is but a double, there is no more precision to be had.
    digits = 1e-15 if np.finfo(np.longdouble).eps < 1e-18 else 1e-13
    for u in (1, 10, 50_000, 99_990):
        evidence = -2 * math.fsum(np.log(ordered[u - 1 :]))
        assert 2 * sums[u - 1] == pytest.approx(evidence, rel=digits, abs=0)
        assert here[u - 1] == pytest.approx(stats.chi2.sf(evidence, 2 * (p.size - u + 1)), rel=1e-9)


def test_a_hundred_thousand_p_values_in_a_few_seconds_each():
    p = np.random.default_rng(5).random(100_000) ** 3
    for call in (
        *(lambda method=m: count(p, method=method) for m in ("bonferroni", "fisher")),
        *(lambda method=m: identify(p, method=method) for m in ("holm", "hochberg", "bh")),
        *(lambda local=m: analyse(p, local=local) for m in ("bonferroni", "fisher")),
    ):
        start = time.perf_counter()
        call()
        assert time.perf_counter() - start < 5


def simes_by_definition(p):
    """Of the N − u + 1 largest, u = 1 … N, one after the other."""
    ordered = np.sort(p)
    sizes = range(ordered.size, 0, -1)
    return np.array([np.min(m * ordered[-m:] / np.arange(1, m + 1)) for m in sizes])


def hommel_by_definition(p):
    """For every size the worst Simes test of so many p-values with this one (Wright 1992)."""
    order = np.argsort(p, kind="stable")
    rising = p[order]
    adjusted = rising.copy()
    for m in range(p.size, 1, -1):
        inside, outside = slice(p.size - m, None), slice(0, p.size - m)
        simes = np.min(m * rising[inside] / np.arange(1, m + 1))
        adjusted[inside] = np.maximum(adjusted[inside], simes)
        adjusted[outside] = np.maximum(adjusted[outside], np.minimum(m * rising[outside], simes))
    return adjusted[np.argsort(order)]


@pytest.mark.parametrize("digits", [1, 2, 16])
def test_simes_and_hommel_equal_their_quadratic_definitions(digits):
    rng = np.random.default_rng(digits)
    for size in [1, 2, 3, *rng.integers(4, 200, 60)]:
        p = np.round(rng.random(size) ** rng.choice([1, 3, 9]), digits)
        p[rng.random(size) < 0.1] = 0
        found = partial_conjunction(p, method="simes")
        np.testing.assert_allclose(found, simes_by_definition(p), rtol=1e-14)
        table = analyse(p, local="simes").table()
        np.testing.assert_allclose(table["pvalue_adjusted"], hommel_by_definition(p), rtol=1e-14)


def test_a_bound_with_simes_equals_its_definition():
    rng = np.random.default_rng(4)
    for _ in range(200):
        p = rng.random(rng.integers(1, 40)) ** 4
        found, inside = analyse(p, local="simes"), rng.random(p.size) < 0.5
        scaled = (p.size - count(p, method="simes")) * p[inside]
        steps = range(1, scaled.size + 1)
        by_hand = max((1 - u + int((scaled / u <= 0.05).sum()) for u in steps), default=0)
        assert found.bound([d for d, yes in zip(found.datasets, inside) if yes]) == by_hand


def test_simes_takes_a_hundred_thousand_p_values():
    rng = np.random.default_rng(5)
    p = np.r_[rng.random(95_000), rng.random(5_000) ** 12]
    start = time.perf_counter()
    found = analyse(p, local="simes")
    assert time.perf_counter() - start < 5
    assert 1_000 < found.count < 5_000 and 0 < len(found.names) <= found.count
    assert identify(p, method="hommel").sum() == len(found.names)


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
        here, there = identify(p, method=method)[order], identify(shuffled, method=method)
        assert sorted(shuffled[here]) == sorted(shuffled[there])


@pytest.mark.parametrize("method", COMBINE)
def test_the_guarantee_holds_for_independent_datasets(method):
    """P(k̂ > k) ≤ α with k = 3 real effects among 10; exact binomial bound on the error."""
    rng = np.random.default_rng(6)
    shift = np.r_[np.full(3, 4.0), np.zeros(7)]
    over = sum(count(stats.norm.sf(rng.normal(shift)), 0.05, method) > 3 for _ in range(2000))
    assert stats.binomtest(over, 2000, 0.05, alternative="greater").pvalue > 1e-4


# --- closed testing ----------------------------------------------------------------------


def rejected(values, local, alpha):
    """The local test of one set, by its definition."""
    values, m = sorted(values), len(values)
    if local == "bonferroni":
        return m * values[0] <= alpha
    if local == "simes":
        return any(m * p / j <= alpha for j, p in enumerate(values, start=1))
    if values[0] == 0:
        return True
    return stats.chi2.sf(-2 * math.fsum(map(math.log, values)), 2 * m) <= alpha


def all_bounds(p, local, alpha):
    """The bound of every subset (a number whose bits are its members), by all of its supersets."""
    n = len(p)
    sets = range(1, 2**n)
    alone = {s: rejected([p[i] for i in range(n) if s >> i & 1], local, alpha) for s in sets}
    closed = {s: all(alone[t] for t in sets if t & s == s) for s in sets}
    bounds = {}
    for s in sets:
        largest, part = 0, s
        while part:
            if not closed[part]:
                largest = max(largest, part.bit_count())
            part = (part - 1) & s
        bounds[s] = s.bit_count() - largest
    return bounds


def tied_vectors(seed, repetitions):
    """Up to eight p-values with many ties, none of them at a limit to the last bit."""
    rng = np.random.default_rng(seed)
    for turn in range(repetitions):
        n = 8 if turn == 0 else int(rng.integers(1, 7))
        kinds = (
            rng.random(n) ** rng.choice([1, 3, 6]),
            rng.choice([0.0007, 0.007, 0.014, 0.021, 0.21, 0.77], n),
            rng.choice([0, 0.003, 0.011, 0.5, 1], n),
            np.round(rng.random(n) ** 3, 3) + 0.0003,
        )
        yield np.minimum(kinds[turn % 4], 1)


@pytest.mark.parametrize("local", COMBINE)
@pytest.mark.slow
def test_count_names_and_every_bound_equal_testing_all_subsets(local):
    for turn, p in enumerate(tied_vectors(41, 60)):
        alpha = (0.05, 0.1, 0.3)[turn % 3]
        found, n = analyse(p, local=local, alpha=alpha), len(p)
        bounds = all_bounds(p, local, alpha)
        for s, bound in bounds.items():
            assert found.bound([str(i + 1) for i in range(n) if s >> i & 1]) == bound, (p, s)
        assert found.count == bounds[2**n - 1] == count(p, alpha, local)
        assert found.names == tuple(str(i + 1) for i in range(n) if bounds[1 << i])
        table = found.table()
        assert list(table["pvalue_adjusted"] <= alpha) == list(table["named"])


@pytest.mark.parametrize("local", COMBINE)
@settings(max_examples=200, deadline=None)
@given(p=p_values, alpha=st.sampled_from([0.01, 0.05, 0.3]), data=st.data())
def test_answers_cannot_contradict_each_other(local, p, alpha, data):
    found = analyse(p, local=local, alpha=alpha)
    assert len(found.names) <= found.count
    assert found.bound(found.datasets) == found.count
    assert found.bound(found.names) == len(found.names)
    assert found.bound([]) == 0
    large = data.draw(st.sets(st.sampled_from(found.datasets)))
    small = data.draw(st.sets(st.sampled_from(sorted(large)))) if large else set()
    assert found.bound(small) <= found.bound(large) <= found.bound(small) + len(large - small)
    assert len(set(found.names) & large) <= found.bound(large) <= len(large)


def test_the_papers_recipe_can_name_more_than_it_counts():
    """Fisher's count with Holm's names: the sentence that analyse cannot print."""
    p = [*[0.002] * 6, *[0.95] * 17]
    assert count(p, method="fisher") < identify(p).sum()
    for local in COMBINE:
        found = analyse(p, local=local)
        assert len(found.names) <= found.count


def test_bounds_see_what_the_names_do_not():
    p = {"news": 0.001, "mail": 0.03, "web": 0.02, "talk": 0.9}
    found = analyse(p, local="fisher")
    assert (found.count, found.names) == (2, ("news",))
    assert found.bound(["mail", "web"]) == 1
    assert found.bound("news") == 1
    assert found.bound(["talk"]) == 0
    with pytest.raises(ValueError, match="subset: expected names of datasets, but 'blog' is not"):
        found.bound(["news", "blog"])


@pytest.mark.parametrize("local", COMBINE)
def test_all_bounds_hold_together(local):
    """Of 2,000 simulated analyses with 3 effects among 8, at most 5 % claim too much anywhere."""
    rng = np.random.default_rng(7)
    shift = np.r_[np.full(3, 2.5), np.zeros(5)]
    wrong = 0
    for _ in range(2000):
        found = analyse(stats.norm.sf(rng.normal(shift)), local=local)
        empty = [str(i) for i in range(4, 9)]  # the bound of every set without an effect is 0
        wrong += found.bound(empty) > 0 or bool(set(found.names) & set(empty)) or found.count > 3
    assert stats.binomtest(wrong, 2000, 0.05, alternative="greater").pvalue > 1e-4


# --- direction and input -----------------------------------------------------------------


def test_one_sided():
    assert one_sided(0.04, 1, 2) == 0.02
    assert one_sided(0.04, 2, 1) == 0.98
    assert one_sided(0.04, 1, 1) == 0.98
    assert one_sided(1.0, 1, 1) == 0.5
    np.testing.assert_allclose(one_sided([0.1, 0.1], [1, 2], [2, 1]), [0.05, 0.95])
    with pytest.raises(ValueError, match="pvalues"):
        one_sided(1.5, 1, 2)
    with pytest.raises(ValueError, match="same length"):
        one_sided([0.1, 0.2], [1], [2])
    with pytest.raises(ValueError, match="a"):
        one_sided(0.1, float("nan"), 2)


P = [0.001, 0.002, 0.5]


def frame(**columns):
    return pd.DataFrame({"dataset": ["x", "y", "z"], "p": P, **columns})


def test_a_table_must_say_which_p_values_it_holds():
    scores = {"a": [1, 2, 1], "b": [2, 1, 2]}
    for table in (frame(), frame(**scores)):
        with pytest.raises(ValueError, match=r"alternative: expected 'greater' .* or 'two-sided'"):
            analyse(table)
        assert analyse(table, alternative="greater").names == ("x", "y")
    found = analyse(frame(**scores), alternative="two-sided")
    assert found.names == ("x",)
    np.testing.assert_allclose(found.pvalues, [0.0005, 0.999, 0.25])
    with pytest.raises(ValueError, match="a two-sided p-value does not say who won"):
        analyse(frame(), alternative="two-sided")
    said = frame(**scores, alternative=["two-sided", "greater", "greater"])
    np.testing.assert_allclose(analyse(said).pvalues, [0.0005, 0.002, 0.5])
    with pytest.raises(ValueError, match="alternative='less'"):
        analyse(frame(alternative="less"))


def test_a_win_of_the_old_system_is_never_named_as_one_of_the_new():
    """The walk of a reader: a file, read, analysed. Two-sided p-values keep their sign."""
    table = readers.read_pvalues(readers.example("pvalues")).drop(columns="alternative")
    for factor in (1.0, 0.001):
        table["p"] *= factor
        found = analyse(table, alternative="two-sided", local="bonferroni")
        lost = table["dataset"][table["b"] <= table["a"]]
        assert len(lost)
        assert not set(found.names) & set(lost)


def test_an_argument_never_overrules_the_file():
    """Two-sided p-values of a file, taken as one-sided, named wins that are none."""
    lost = {"dataset": ["x", "y"], "p": [0.001, 0.3], "a": [80, 80], "b": [75, 81]}
    table = pd.DataFrame(lost | {"alternative": "two-sided"})
    with pytest.raises(ValueError, match="alternative='greater', but the table's column says 'two"):
        analyse(table, alternative="greater")
    assert analyse(table, alternative="two-sided").count == analyse(table).count == 0
    result = compare([1, 0, 1, 1, 0, 1, 0], [1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="alternative='greater', but a result is 'two-sided'"):
        analyse([result], alternative="greater")


def test_one_sided_p_values_are_not_halved():
    """A table of p-values from `pvalues` goes through as it is, scores or not."""
    table = frame(a=[1, 1, 1], b=[2, 2, 2])
    np.testing.assert_array_equal(analyse(table, alternative="greater").pvalues, P)


def test_two_sided_p_values_take_their_sign_from_differences():
    found = analyse(P, alternative="two-sided", differences=[1, -1, 0])
    np.testing.assert_allclose(found.pvalues, [0.0005, 0.999, 0.75])
    with pytest.raises(ValueError, match="who won"):
        analyse(P, alternative="two-sided")
    with pytest.raises(ValueError, match="pvalues has 3, differences has 2"):
        analyse(P, alternative="two-sided", differences=[1, 2])
    with pytest.raises(ValueError, match=r"differences\[0\] is NaN"):
        analyse(P, alternative="two-sided", differences=[math.nan, 1, 2])


def test_one_sided_p_values_that_contradict_the_scores_are_noticed():
    scores = {"a": [1, 2, 1], "b": [2, 1, 2]}
    assert "A scores higher on 1 of those with p < 0.5; are they two-sided?" in str(
        analyse(frame(**scores), alternative="greater")
    )
    assert "two-sided?" not in str(analyse(frame(**scores), alternative="two-sided"))


def test_datasets_are_named_by_what_is_given():
    assert analyse(P).names == ("1", "2")
    assert analyse(P, names=["x", "y", "z"]).names == ("x", "y")
    assert analyse(dict(zip("xyz", P))).names == ("x", "y")
    assert analyse(pd.Series(P, index=list("xyz"))).names == ("x", "y")
    assert analyse(np.array(P)).count == analyse(tuple(P)).count == 2
    assert analyse(frame(), alternative="greater", names=list("uvw")).names == ("u", "v")


def test_results_of_tests_bring_their_direction_and_their_names():
    rng = np.random.default_rng(8)
    old = rng.random((3, 40))
    new = old + np.array([[0.2], [-0.2], [0.0]]) + rng.normal(0, 0.05, (3, 40))
    names = ("old", "new")
    for side in ("greater", "two-sided"):
        results = [pvalues.wilcoxon(a, b, alternative=side, names=names) for a, b in zip(old, new)]
        found = analyse(results, names=list("xyz"))
        assert (found.names, found.systems) == (("x",), names)
        assert found.pvalues[1] > 0.99
    by_compare = {k: compare(a, b, names=names) for k, a, b in zip("xyz", old, new)}
    found = analyse(by_compare)
    assert (found.names, found.systems) == (("x",), names)
    for result, p in zip(by_compare.values(), found.pvalues):
        half = result.pvalue / 2
        assert p == pytest.approx(half if result.difference > 0 else 1 - half)
    seconds = [compare(a, b, names=names, higher_is_better=False) for a, b in zip(old, new)]
    assert analyse(seconds, names=list("xyz")).names == ("y",)
    one_sided_for_old = [pvalues.wilcoxon(a, b, alternative="less") for a, b in zip(old, new)]
    with pytest.raises(ValueError, match="alternative='less'"):
        analyse(one_sided_for_old)
    with pytest.raises(ValueError, match="the same two systems"):
        analyse([*by_compare.values(), compare(old[0], new[0])])


# --- words, table, picture ---------------------------------------------------------------


def test_the_words():
    systems = ("perceptron", "AROW")
    words = (
        "AROW is better than perceptron on at least 2 of 3 datasets, namely x and y "
        "(confidence 95 %; closed testing with Bonferroni's test, any dependence of the datasets)."
    )
    given = dict(zip("xyz", P))
    assert str(analyse(given, systems=systems, alternative="greater")) == words
    taken = words + ' The p-values are taken as one-sided, for "AROW is better".'
    assert str(analyse(given, systems=systems)) == taken
    some = analyse({"x": 0.001, "y": 0.03, "z": 0.02, "w": 0.9}, local="fisher", alpha=0.05)
    assert "on at least 2 of 4 datasets, among them x (confidence 95 %" in str(some)
    assert "Fisher's test, independent datasets and runs" in str(some)
    nobody = analyse([0.07, 0.08, 0.09, 0.2], local="fisher")
    assert "none of which can be named" in str(nobody)
    nothing = analyse([0.9, 0.8], alpha=0.1)
    assert str(nothing).startswith(
        "There is not enough evidence that B is better than A on even one of 2 datasets "
        "(confidence 90 %"
    )
    assert "1 of 1 dataset, namely only" in str(analyse({"only": 0.01}))
    many = analyse(np.full(20, 1e-9))
    assert "11, 12 and 8 more (" in str(many)


def test_the_table_keeps_the_callers_order():
    found = analyse({"a": 0.9, "b": 0.001, "c": 0.5, "d": 0.0})
    table = found.table()
    assert list(table.columns) == ["dataset", "pvalue", "pvalue_adjusted", "named"]
    assert list(table["dataset"]) == list("abcd")
    assert list(table["named"]) == [False, True, False, True]
    np.testing.assert_allclose(table["pvalue_adjusted"], [1.0, 0.003, 1.0, 0.0])
    many = analyse(np.linspace(0.01, 1, 2_001), local="fisher")
    assert list(many.table().columns) == ["dataset", "pvalue", "named"]


def test_the_plot_shows_every_dataset_and_zeros():
    ax = analyse(dict(zip("xyz", [0.0, 0.02, 0.5])), local="fisher").plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x", "y", "z"]
    points = np.concatenate([c.get_offsets() for c in ax.collections])
    assert len(points) == 3
    assert (points[:, 0] > 0).all()
    assert "B better than A on at least 1 of 3" in ax.get_title(loc="left") + ax.get_title()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "k̂ = 1" in labels
    assert "Holm's limit" not in labels
    large = analyse(np.linspace(0, 1, 100)).plot()
    assert large.get_ylabel() == "rank of the dataset"
    assert "Holm's limit" in [text.get_text() for text in large.get_legend().get_texts()]


@pytest.mark.parametrize(("p", "k"), [([0.9, 0.8], 0), ([0.001, 0.001], 2)])
def test_the_plot_has_no_line_for_none_or_all(p, k):
    found = analyse(p)
    assert found.count == k
    labels = [text.get_text() for text in found.plot().get_legend().get_texts()]
    assert not any("k̂" in label for label in labels)


def test_the_plot_takes_axes():
    _, ax = matplotlib.pyplot.subplots()
    assert analyse(P).plot(ax) is ax


def test_one_dataset_gives_the_trivial_answer():
    for method in COMBINE:
        assert partial_conjunction([0.03], method=method) == pytest.approx([0.03])
        assert count([0.03], method=method) == 1
        assert count([0.07], method=method) == 0
    for method in ("holm", "hochberg", "hommel", "bh", "bonferroni"):
        assert list(identify([0.03], method=method)) == [True]
    for local in COMBINE:
        assert analyse([0.03], local=local).names == ("1",)
        assert analyse([0.07], local=local).names == ()


def test_alpha_is_inclusive():
    assert count([0.05]) == 1
    assert count([0.05], method="count") == 1
    assert list(identify([0.025, 0.05])) == [True, True]
    for local in COMBINE:
        assert analyse([0.05], local=local).count == 1


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [[], [0.1, math.nan], [-0.1], [1.1], [[0.1, 0.2]], ["x"]])
def test_bad_p_values_are_refused_by_name(bad):
    for call in (partial_conjunction, count, identify, analyse):
        with pytest.raises(ValueError, match=r"^pvalues: expected"):
            call(bad)


@pytest.mark.parametrize("number", [0, 4, -1, 1.5, True, "1"])
def test_bad_number_of_datasets(number):
    with pytest.raises(
        ValueError, match=r"at_least=.*expected a whole number of at least 1 and at most 3"
    ):
        partial_conjunction([0.1, 0.2, 0.3], number)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan, "x"])
def test_bad_alpha(alpha):
    for call in (count, identify):
        with pytest.raises(ValueError, match="alpha="):
            call([0.1], alpha)
    with pytest.raises(ValueError, match="alpha="):
        analyse(P, alpha=alpha)


def test_unknown_methods():
    with pytest.raises(ValueError, match="method='stouffer': expected one of 'bonferroni'"):
        partial_conjunction([0.1], method="stouffer")
    with pytest.raises(ValueError, match="method='holm'"):
        count([0.1], method="holm")
    with pytest.raises(ValueError, match="method='fisher'"):
        identify([0.1], method="fisher")


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (frame().drop(columns="p"), {}, "expected the columns dataset, p"),
        (frame(a=[1, 2, 3]), {}, "a with b"),
        (frame(a=[1, 2, math.nan], b=[1, 2, 3]), {"alternative": "two-sided"}, r"a\[2\] is NaN"),
        (frame().assign(dataset="x"), {"alternative": "greater"}, "'x' occurs again"),
        (frame().head(0), {"alternative": "greater"}, "pvalues: expected at least 1"),
        (P, {"names": ["x", "y"]}, "pvalues has 3, names has 2"),
        (P, {"names": ["x", "x", "y"]}, "'x' occurs again"),
        (P, {"local": "holm"}, "local='holm': expected one of 'bonferroni', 'simes', 'fisher'"),
        (P, {"local": None}, "local=None"),
        (P, {"alternative": "less"}, "alternative='less'"),
        (P, {"alternative": "observed"}, "alternative='observed'"),
        (P, {"systems": "AB"}, "names='AB'"),
        (0.05, {}, "one dimension"),
        ([0.1, compare([1, 2, 3], [2, 1, 4])], {}, "pvalues: expected numbers"),
    ],
)
def test_what_analyse_refuses(given, options, words):
    with pytest.raises(ValueError, match=words):
        analyse(given, **options)


def test_inputs_are_left_alone():
    p = np.array([0.5, 0.001, 0.2])
    before = p.copy()
    table = frame(a=[1, 2, 1], b=[2, 1, 2])
    copy = table.copy()
    for method in COMBINE:
        partial_conjunction(p, method=method)
    identify(p, method="hommel")
    analyse(table, alternative="two-sided", local="fisher")
    analyse(p).table()
    np.testing.assert_array_equal(p, before)
    pd.testing.assert_frame_equal(table, copy)


def test_public_names():
    assert set(replicability.__all__) >= {
        "partial_conjunction",
        "count",
        "identify",
        "analyse",
        "one_sided",
    }


# --- the chapter's own code --------------------------------------------------------------


def chapter_cells(tag, page="3-how-many-datasets"):
    path = Path(__file__).parents[1] / "chapters" / f"{page}.md"
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


@pytest.mark.slow
def test_every_bug_is_caught_and_every_repair_passes():
    space = {"np": np, "chi2": stats.chi2, "replicability": replicability, "pvalues": pvalues}
    for source in chapter_cells("spot-the-bug", "3-more"):
        exec(source, space)
    for number in ("one", "two", "three", "four", "five"):
        check = space[f"check_{number}"]
        with pytest.raises(AssertionError):
            check(space[f"bug_{number}"])
        check(space[f"fixed_{number}"])


def test_hommels_shortcut_for_many_is_the_step_by_step_way(monkeypatch):
    rng = np.random.default_rng(7)
    for p in (rng.random(300), rng.beta(0.2, 2, 400), np.round(rng.random(200), 2)):
        plain = _simes.hommel_adjusted(p)
        with monkeypatch.context() as patched:
            patched.setattr(_simes, "_STEP_BY_STEP", 0)
            np.testing.assert_allclose(_simes.hommel_adjusted(p), plain, rtol=1e-12)
