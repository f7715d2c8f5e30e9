"""What a count is worth, measured on sentences: `bcv.factor_from`, and what takes it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from betterthan import Results, bayes, bcv, compare, datasets, score
from betterthan.bcv import Counts, added_up, factor_from, posterior
from betterthan.errors import InputError


def value(tp: int, fp: int, fn: int, metric: str) -> Fraction:
    wrong = {"precision": Fraction(fp), "recall": Fraction(fn), "f1": Fraction(fp + fn, 2)}[metric]
    return Fraction(tp) / (tp + wrong)


def by_hand(systems, metric, groups=None) -> float:
    """The formula in fractions, one sentence (or group) left out after the other."""
    rows = [list(zip(one.tp.tolist(), one.fp.tolist(), one.fn.tolist())) for one in systems]
    names = list(range(len(rows[0]))) if groups is None else list(groups)
    coins = Fraction(0)
    for own in rows:
        tp, fp, fn = (sum(column) for column in zip(*own))
        items = tp + {"precision": fp, "recall": fn, "f1": fp + fn}[metric]
        w = Fraction(tp, items)
        squared = (2 / (1 + w) ** 2) ** 2 if metric == "f1" else 1
        coins += w * (1 - w) / items * squared
    left_out = []
    for name in dict.fromkeys(names):
        scores = []
        for own in rows:
            kept = [row for row, group in zip(own, names) if group != name]
            scores.append(value(*(sum(column) for column in zip(*kept)), metric))
        left_out.append(scores[-1] - (scores[0] if len(scores) > 1 else 0))
    n, mean = len(left_out), sum(left_out) / len(left_out)
    variance = Fraction(n - 1, n) * sum((one - mean) ** 2 for one in left_out)
    return float(coins / variance)


def kish(counts: list[Counts], metric: str, groups) -> float:
    """What uneven groups are worth, by the items that the score is made of."""
    size = {}
    for one in counts:
        for row, group in enumerate(groups):
            items = 2 * one.tp[row] + one.fp[row] + one.fn[row] if metric == "f1" else None
            items = one.tp[row] + one.fp[row] if metric == "precision" else items
            items = one.tp[row] + one.fn[row] if metric == "recall" else items
            size[group] = size.get(group, 0) + items
    each = np.array(list(size.values()), dtype=float)
    return float(each.sum() ** 2 / (each**2).sum())


def made_up(seed: int, n: int = 40) -> list[Counts]:
    rng = np.random.default_rng(seed)
    gold = 1 + rng.poisson(4, n)
    ease = rng.beta(4, 1.5, n)
    found = [rng.binomial(gold, ease) for _ in range(2)]
    return [Counts(tp, rng.poisson(2 * (1 - ease)), gold - tp) for tp in found]


@pytest.mark.parametrize("metric", bcv.METRICS)
@pytest.mark.parametrize("seed", range(3))
class TestTheFormula:
    def test_of_one_system(self, metric, seed):
        a, _ = made_up(seed)
        assert factor_from(a, metric) == pytest.approx(by_hand([a], metric), rel=1e-9)
        assert factor_from(a, metric=metric) == factor_from(a, metric)

    def test_of_two_systems(self, metric, seed):
        a, b = made_up(seed)
        assert factor_from(a, b, metric) == pytest.approx(by_hand([a, b], metric), rel=1e-9)
        assert factor_from(b, a, metric) == pytest.approx(factor_from(a, b, metric))

    def test_with_groups(self, metric, seed):
        systems = made_up(seed)
        groups = np.repeat(np.arange(6), [2, 3, 5, 8, 10, 12])
        for chosen in (systems[:1], systems):
            degrees = kish(chosen, metric, groups) - 1
            few = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, degrees)) ** 2
            expected = few * by_hand(chosen, metric, groups)
            found = factor_from(*chosen, metric=metric, groups=groups)
            assert found == pytest.approx(expected, rel=1e-6)


def test_it_is_one_over_the_design_effect():
    """Sentences of k words that stand and fall together: k words are worth one."""
    rng = np.random.default_rng(1)
    right = rng.random(4000) < 0.8
    for k in (1, 3, 10):
        sentences = Counts(k * right, 0 * right, k * ~right)
        assert factor_from(sentences, "recall") == pytest.approx(1 / k, rel=0.01)


def test_independent_words_are_worth_one_each():
    rng = np.random.default_rng(2)
    found = rng.binomial(5, 0.7, 5000)
    assert factor_from(Counts(found, 0 * found, 5 - found), "recall") == pytest.approx(1, abs=0.06)


def test_results_and_counts_with_groups_of_their_own():
    a, b = made_up(4)
    groups = np.arange(40) // 5
    grouped = Counts(a.tp, a.fp, a.fn, groups=groups)
    expected = factor_from(a, groups=groups)
    assert factor_from(grouped) == factor_from(Results(grouped, name="mine")) == expected
    old, new = Results(a, name="old"), Results(b, name="new")
    assert factor_from(old, new) == factor_from(a, b)
    assert factor_from(old, new, "recall", groups=groups) != factor_from(old, new, "recall")


def test_the_posterior_with_it_is_the_interval_of_score():
    """Chapter 1's method and the jackknife say the same, to a hundredth of their width."""
    table = datasets.study_table("bcv-ner-es").query("experiment == 'ner-es' and repetition == 1")
    names = Counts.from_totals(table.gold, table.predicted_a, table.correct_a)
    for metric in bcv.METRICS:
        ours = posterior(added_up(names), metric, factor=factor_from(names, metric)).interval()
        theirs = score(names, metric).interval
        assert ours == pytest.approx(theirs, abs=0.02 * (theirs.high - theirs.low))


def test_the_bayes_test_with_the_common_factor_is_the_paired_test():
    table = datasets.study_table("bcv-two-texts").query("experiment == 'ner-es'")
    a, b = (
        Counts.from_totals(table.gold, table[f"predicted_{x}"], table[f"correct_{x}"]) for x in "ab"
    )
    for pair in ((a, b), (b, a)):
        folds = [added_up(one) for one in pair]
        paired = compare(*pair)
        z = paired.difference / paired.standard_error
        found = bayes.compare(*folds, factor=factor_from(*pair)).p_h1
        assert stats.norm.ppf(found) == pytest.approx(z, rel=0.02, abs=0.01)


def test_added_up_is_one_matrix():
    sentences = Counts([2, 0, 1], [0, 1, 0], [0, 1, 0])
    for given in (sentences, Results(sentences, name="mine")):
        found = added_up(given)
        assert (found.tp, found.fp, found.fn, found.unit) == ([3], [1], [1], "fold")
    with pytest.raises(InputError, match="expected labels and a gold column"):
        added_up([1, 0, 1])


def test_the_sentences_say_what_a_count_is_worth():
    a, b = made_up(5)
    text = str(posterior(added_up(a), factor=0.25))
    assert text.endswith("; 1 confusion matrix, a count worth 0.25).")
    text = str(bayes.compare(added_up(a), added_up(b), factor=2.5))
    assert "(Bayes test on the counts of 1 test set, a count worth 2.5, flat prior)" in text
    six = Counts([80] * 6, [20] * 6, [20] * 6, unit="fold")
    whole = str(posterior(six))
    assert whole.endswith("; block-regularised cross-validation, items taken as independent).")
    assert "6 confusion matrices, a count worth 0.167" in str(posterior(six, factor=1 / 6))
    assert "on 6 folds, a count worth 0.167, flat" in str(bayes.compare(six, six, factor=1 / 6))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((Counts([1, 2], [0, 0], [0, 0]),), "leaving out one sentence never changes the F1 of a"),
        ((Counts([0, 0], [1, 1], [2, 2]),), "without spread nothing tells what a count is worth"),
        ((Counts([1, 2], [0, 1], [0, 1]),) * 2, "never changes the difference of a and b"),
        ((Counts([1, 2], [1, 0], [0, 1], unit="fold"),), "a: expected one row per sentence"),
        ((Counts([1], [1], [1]),), "a: expected at least two units"),
        (([1, 0, 1],), "a holds plain numbers; expected .*counts"),
        ((Counts([1, 2], [1, 0], [0, 1]), "accuracy"), "metric='accuracy': expected one of"),
        (([Counts([1, 2], [1, 0], [0, 1])] * 2,), "a: expected one run, got 2"),
        ((Counts([1, 2], [1, 0], [0, 1]), Counts([1], [1], [1])), "b: expected as many units"),
        ((Counts([1, 2], [1, 0], [0, 1]), Counts([1, 1], [1, 0], [0, 1])), "the same gold items"),
    ],
)
def test_refuses(asked, words):
    with pytest.raises(InputError, match=words):
        factor_from(*asked)


def test_refuses_groups_without_spread_by_their_own_word():
    a = Counts([1, 2, 1, 2], [1, 0, 1, 0], [0, 1, 0, 1])
    with pytest.raises(InputError, match="leaving out one group never changes"):
        factor_from(a, groups=["x", "x", "y", "y"])
