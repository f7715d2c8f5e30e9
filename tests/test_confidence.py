"""Features, and the evaluation of confidence: ranking, calibration, recalibration."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss

from betterthan import _confidence_eval as ev
from betterthan import _features as feats
from betterthan import tags

# Features


def test_segmentation_templates_by_hand():
    sentence = "甲乙丙"
    assert feats.segmentation_features(sentence, "F1")[1] == [
        "-1=甲",
        "0=乙",
        "1=丙",
        "-1:0=甲乙",
        "0:1=乙丙",
    ]
    f2 = feats.segmentation_features(list(sentence), "F2")
    assert f2[0] == [
        "-2=<s>",
        "-1=<s>",
        "0=甲",
        "1=乙",
        "2=丙",
        "-2:-1=<s><s>",
        "-1:0=<s>甲",
        "0:1=甲乙",
        "1:2=乙丙",
    ]
    f3 = feats.segmentation_features(sentence, "F3")
    assert f3[2] == [
        "-2=甲",
        "-1=乙",
        "0=丙",
        "1=</s>",
        "2=</s>",
        "-2:-1=甲乙",
        "-1:0=乙丙",
        "0:1=丙</s>",
        "1:2=</s></s>",
        "-2:0=甲乙丙",
        "-1:1=乙丙</s>",
        "0:2=丙</s></s>",
    ]
    assert [len(feats.segmentation_features("甲", t)[0]) for t in feats.TEMPLATES] == [5, 9, 12]


def test_chunk_features_by_hand():
    assert feats.chunk_features(["He", "ran", "far"], ["P", "V", "A"])[1] == [
        "bias",
        "w-2=<s>",
        "w-1=He",
        "w0=ran",
        "w1=far",
        "w2=</s>",
        "w-1:0=He|ran",
        "w0:1=ran|far",
        "shape0=x",
        "lower=ran",
        "suf2=an",
        "t-2=<s>",
        "t-1=P",
        "t0=V",
        "t1=A",
        "t2=</s>",
        "t-2:-1=<s>|P",
        "t-1:0=P|V",
        "t0:1=V|A",
        "t1:2=A|</s>",
        "t-2:0=<s>|P|V",
        "t-1:1=P|V|A",
        "t0:2=V|A|</s>",
        "w-1t0=He|V",
        "w0t-1=ran|P",
        "w0t1=ran|A",
        "w1t0=far|V",
    ]
    assert not any(f.startswith("t") for f in feats.chunk_features(["He"])[0])


def test_ner_features_by_hand():
    first, second = feats.ner_features(["In", "A-1"])
    assert second[:8] == feats.chunk_features(["In", "A-1"])[1][:8]
    assert second[8:] == [
        "shape-2=<s>",
        "shape-1=Xx",
        "shape0=X-d",
        "shape1=</s>",
        "shape2=</s>",
        "shape-1:0=Xx|X-d",
        "shape0:1=X-d|</s>",
        "shape-1:1=Xx|X-d|</s>",
        "lower=a-1",
        "pre1=A",
        "suf1=1",
        "pre2=A-",
        "suf2=-1",
        "pre3=A-1",
        "suf3=A-1",
        "has=digit",
        "has=hyphen",
    ]
    assert not any(f.startswith("has") for f in first)
    assert sum(f.startswith("t") for f in feats.ner_features(["In"], ["P"])[0]) == 12


def test_features_refuse_bad_input():
    with pytest.raises(ValueError, match="template='F4': expected one of 'F1', 'F2', 'F3'"):
        feats.segmentation_features("甲", "F4")
    with pytest.raises(ValueError, match="characters: expected a sentence of at least one"):
        feats.segmentation_features("")
    with pytest.raises(ValueError, match="words has 2, pos has 1"):
        feats.chunk_features(["a", "b"], ["X"])
    with pytest.raises(ValueError, match=r"words\[1\] is 3"):
        feats.ner_features(["a", 3])


# Average precision


def brute_force_average_precision(confidence, correct):
    """Mean over all orders that respect the confidence."""
    n, total, count = len(confidence), 0.0, 0
    for order in itertools.permutations(range(n)):
        if any(confidence[a] > confidence[b] for a, b in itertools.pairwise(order)):
            continue
        found, precisions = 0, []
        for rank, i in enumerate(order, 1):
            if not correct[i]:
                found += 1
                precisions.append(found / rank)
        total += sum(precisions) / len(precisions)
        count += 1
    return total / count


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=7))
def test_average_precision_is_the_mean_over_all_orders(items):
    confidence, correct = zip(*items)
    if all(correct):
        with pytest.raises(ValueError, match="at least one error"):
            ev.average_precision(confidence, correct)
        return
    assert ev.average_precision(confidence, correct) == pytest.approx(
        brute_force_average_precision(confidence, correct), abs=1e-12
    )


def test_average_precision_without_ties_is_scikit_learns():
    rng = np.random.default_rng(0)
    confidence = rng.permutation(2000) / 2000
    correct = rng.random(2000) < 0.2 + 0.8 * confidence
    assert ev.average_precision(confidence, correct) == pytest.approx(
        average_precision_score(~correct, -confidence), abs=1e-12
    )


def test_average_precision_takes_one_array_a_sentence():
    flat = ev.average_precision([0.1, 0.5, 0.2], [0, 1, 1])
    assert ev.average_precision([np.array([0.1, 0.5]), np.array([0.2])], [[0, 1], [1]]) == flat


def test_average_precision_of_a_constant_is_about_the_error_rate():
    correct = np.r_[np.zeros(40, bool), np.ones(1960, bool)]
    value = ev.average_precision(np.ones(2000), correct)
    rng = np.random.default_rng(1)
    orders = [ev.average_precision(rng.permutation(2000), correct) for _ in range(400)]
    assert value == pytest.approx(np.mean(orders), abs=4 * np.std(orders) / 20)


def test_detected_errors_counts_and_shares_ties():
    rng = np.random.default_rng(2)
    confidence = rng.permutation(50)
    correct = rng.random(50) < 0.7
    by_hand = [(~correct[np.argsort(confidence)[:k]]).sum() for k in range(51)]
    np.testing.assert_allclose(ev.detected_errors(confidence, correct), by_hand)
    np.testing.assert_allclose(
        ev.detected_errors([1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 2, 3, 4]), [0, 0.5, 1, 1.5, 2]
    )
    with pytest.raises(ValueError, match="inspected=5: expected a number of words from 0 to 4"):
        ev.detected_errors([1, 1, 1, 1], [0, 0, 1, 1], 5)


@pytest.mark.parametrize("function", [ev.average_precision, ev.detected_errors, ev.calibration])
def test_bad_confidence_is_refused(function):
    with pytest.raises(ValueError, match="confidence has 2, correct has 3"):
        function([0.1, 0.2], [0, 1, 1])
    with pytest.raises(ValueError, match=r"confidence\[1\] is NaN"):
        function([0.1, math.nan], [0, 1])
    with pytest.raises(ValueError, match=r"correct\[0\] is 2"):
        function([0.1, 0.3], [2, 1])


# Calibration


def brute_force_calibration(counts, draws, correct, bins):
    """Bins by whole-number arithmetic on the counts themselves."""
    groups = {}
    for k, right in zip(counts, correct):
        j = min(k * bins // draws, bins - 1)
        groups.setdefault(j, []).append((k / draws, right))
    centre = mean = ece = 0.0
    n = len(counts)
    for j, members in groups.items():
        c = sum(m[1] for m in members) / len(members)
        nu = sum(m[0] for m in members) / len(members)
        centre += len(members) * ((2 * j + 1) / (2 * bins) - c) ** 2
        mean += len(members) * (nu - c) ** 2
        ece += len(members) * abs(nu - c)
    return (
        math.sqrt(centre / n),
        math.sqrt(mean / n),
        ece / n,
        {j: len(g) for j, g in groups.items()},
    )


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 120).flatmap(
        lambda k: st.tuples(
            st.just(k), st.lists(st.tuples(st.integers(0, k), st.booleans()), min_size=1)
        )
    ),
    st.sampled_from([1, 7, 10, 20]),
)
def test_calibration_bins_counts_exactly(case, bins):
    draws, items = case
    counts, correct = zip(*items)
    result = ev.calibration(np.array(counts) / draws, correct, bins=bins)
    rmse, rmse_mean, ece, sizes = brute_force_calibration(counts, draws, correct, bins)
    assert result.rmse == pytest.approx(rmse, abs=1e-12)
    assert result.rmse_mean == pytest.approx(rmse_mean, abs=1e-9)
    assert result.ece == pytest.approx(ece, abs=1e-9)
    assert {j: n for j, n in enumerate(result.table["words"]) if n} == sizes


def test_a_share_on_the_edge_belongs_above_it_whatever_it_rounds_to():
    assert 29 / 50 * 50 < 29
    assert np.flatnonzero(ev.calibration([29 / 50], [1], bins=50).table["words"]) == [29]


def test_brier_score_is_scikit_learns():
    rng = np.random.default_rng(3)
    confidence, correct = rng.random(500), rng.random(500) < 0.6
    assert ev.calibration(confidence, correct).brier == pytest.approx(
        brier_score_loss(correct, confidence)
    )


def test_a_constant_wins_the_papers_rmse():
    """The weak point of the measure: certainty about everything, at 97.6 % accuracy."""
    rng = np.random.default_rng(4)
    honest = rng.beta(20, 0.5, 50_000)
    correct = rng.random(50_000) < honest
    assert 0.974 < correct.mean() < 0.978
    constant = ev.calibration(np.ones(50_000), correct)
    truthful = ev.calibration(honest, correct)
    assert constant.rmse < truthful.rmse
    assert constant.rmse_mean > truthful.rmse_mean
    assert constant.ece > truthful.ece
    assert constant.brier > truthful.brier


def test_calibration_refuses_delta_and_says_which_way_it_leans():
    with pytest.raises(ValueError, match="expected values between 0 and 1"):
        ev.calibration([0.5, 3.0], [True, False])
    assert "too sure by 0.4000" in str(ev.calibration([0.9, 0.9], [True, False]))
    assert "too unsure by 0.1000" in str(ev.calibration([0.9, 0.9], [True, True]))


def test_reliability_plot_draws_the_diagonal_once():
    import matplotlib.pyplot as plt

    result = ev.calibration([0.9, 0.9, 0.2], [True, False, False])
    ax = result.plot(label="a")
    result.plot(ax, label="b", least=2)
    lines = ax.get_lines()
    assert len(lines) == 3
    assert list(lines[1].get_xdata()) == pytest.approx([0.2, 0.9])
    assert list(lines[2].get_ydata()) == [0.5]
    plt.close(ax.figure)


# Recalibration


@pytest.mark.parametrize("method", ["isotonic", "temperature"])
@pytest.mark.parametrize("sharpness", [0.4, 3.0])
def test_recalibration_improves_held_out_ece(method, sharpness):
    """The stated log-odds are the true ones times `sharpness`."""
    rng = np.random.default_rng(5)
    z = rng.normal(1.5, 1.5, 20_000)
    correct = rng.random(20_000) < 1 / (1 + np.exp(-z))
    stated = 1 / (1 + np.exp(-sharpness * z))
    fix = ev.recalibrate(stated[:10_000], correct[:10_000], method)
    before = ev.calibration(stated[10_000:], correct[10_000:])
    after = ev.calibration(fix(stated[10_000:]), correct[10_000:])
    assert after.ece < before.ece / 3
    assert after.brier < before.brier
    if method == "temperature":
        assert fix.temperature == pytest.approx(sharpness, rel=0.1)
        assert ("too sure" if sharpness > 1 else "too unsure") in str(fix)


def test_recalibration_keeps_sentences_and_takes_delta():
    fix = ev.recalibrate([np.array([0.5, 9.0]), np.array([4.0])], [[0, 1], [1]])
    out = fix([np.array([0.5, 100.0]), np.array([4.0])])
    assert [list(s) for s in out] == [[0.0, 1.0], [1.0]]
    with pytest.raises(ValueError, match="expected values between 0 and 1"):
        ev.recalibrate([0.5, 9.0], [0, 1], "temperature")
    with pytest.raises(ValueError, match="method='platt'"):
        ev.recalibrate([0.5, 0.9], [0, 1], "platt")


def test_temperature_smooths_shares_of_draws():
    correct = [True] * 95 + [False] * 5
    fix = ev.recalibrate([1.0] * 100, correct, "temperature", draws=50)
    assert fix(np.array([1.0]))[0] == pytest.approx(0.95, abs=1e-4)
    assert fix(np.array([0.0]))[0] == pytest.approx(0.05, abs=1e-4)
    assert fix(np.array([0.5]))[0] == pytest.approx(0.5, rel=1e-12)


# For people


def test_doubtful_lists_least_confident_first_and_breaks_ties():
    words = [["a", "b"], ["c"]]
    labels = [["X", "Y"], ["X"]]
    table = ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=2, tiebreak=[[2.0, 1.0], [1.0]])
    assert list(table["word"]) == ["c", "a"]
    assert list(ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=2)["word"]) == ["a", "c"]
    gold = ev.doubtful(words, labels, [[0.5, 0.9], [0.5]], n=9, gold=[["X", "X"], ["X"]])
    assert len(gold) == 3
    assert list(gold["gold"]) == ["X", "X", "X"]
    assert ev.doubtful([["北", "京"]], [["B", "E"]], [[0.1, 0.2]], n=1)["context"][0] == "[北]京"
    with pytest.raises(ValueError, match=r"labels\[0\]: expected 2 entries, one a word, got 1"):
        ev.doubtful(words, [["X"], ["X"]], [[0.5, 0.9], [0.5]])
    with pytest.raises(ValueError, match="expected arguments of the same length"):
        ev.doubtful(words, labels, [[0.5, 0.9]])


def test_doubt_map_has_text_and_escapes():
    page = ev.plot_doubts(["<b>", "fine"], [0.4, 0.99], ["O", "O"])
    markup = page._repr_html_()
    assert "<b>" not in markup.replace("<br>", "")
    assert "&lt;b&gt;" in markup
    assert 'role="img"' in markup
    assert "1 of 2 words below 0.9" in markup
    assert str(ev.plot_doubts(["fine"], [0.9])) == "no word of 1 below 0.9"
    with pytest.raises(ValueError, match="words has 1, confidence has 2"):
        ev.plot_doubts(["a"], [0.1, 0.2])


def test_marks_refuses_unequal_sentences():
    with pytest.raises(ValueError, match=r"predicted\[1\]: expected 1 labels .* got 2"):
        ev.marks([["O"], ["O"]], [["O"], ["O", "O"]])


# With a tagger


@pytest.fixture(scope="module")
def news():
    """Segmentation of the first 700 lines of the People's Daily."""
    from betterthan import datasets, sequences

    data = datasets.segmentation(datasets.peoples_daily(lines=700))
    X = [sequences.segmentation_features(text, "F2") for text, _ in data]
    return X, [list(labels) for _, labels in data]


def brute_force_delta(tagger, sentence, keep_others):
    """Best score minus the best with another label at p, by enumerating labellings."""
    everything = tagger.kbest([sentence], k=len(tagger.labels_) ** len(sentence))[0]
    best, top = everything[0]
    out = []
    for p in range(len(best)):
        rivals = [
            score
            for labels, score in everything
            if labels[p] != best[p]
            and (not keep_others or all(labels[q] == best[q] for q in range(len(best)) if q != p))
        ]
        out.append(top - max(rivals))
    return out


def test_delta_as_printed_keeps_the_other_labels(news):
    from betterthan.sequences import Tagger

    X, y = news
    tagger = Tagger("cw", passes=3).fit(X[:200], y[:200])
    short = [s[:4] for s in X[200:230]]
    printed = ev.delta_as_printed(tagger, short)
    meant = tagger.confidence(short, method="delta")
    for i, sentence in enumerate(short):
        np.testing.assert_allclose(printed[i], brute_force_delta(tagger, sentence, True), atol=1e-4)
        np.testing.assert_allclose(meant[i], brute_force_delta(tagger, sentence, False), atol=1e-4)
    assert any((a > b + 1e-3).any() for a, b in zip(printed, meant))


def test_active_learning_beats_random_on_the_peoples_daily():
    """Entities, five seeds, paired by seed: F1 at the same number of labelled characters."""
    from betterthan import datasets, sequences

    lines = datasets.entities(datasets.peoples_daily(lines=2500))
    lines = [line for line in lines if 5 < len(line.words) <= 80]
    X = [sequences.segmentation_features(line.words, "F1") for line in lines]
    y = [list(line.tags) for line in lines]
    gains = []
    for seed in range(5):
        curve = {
            rule: ev.active_learning(
                X[:-300],
                y[:-300],
                X[-300:],
                y[-300:],
                rule,
                tagger=lambda seed=seed: sequences.Tagger("cw", passes=5, seed=seed),
                start=30,
                candidates=300,
                pick=20,
                steps=7,
                evaluate_every=1,
                draws=20,
                seed=seed,
            ).table
            for rule in ("kd_fixed", "random")
        }
        assert curve["kd_fixed"].loc[0].equals(curve["random"].loc[0])
        f1 = {rule: np.interp(5000, t["words"], t["f1"]) for rule, t in curve.items()}
        gains.append(f1["kd_fixed"] - f1["random"])
    gains = np.array(gains)
    assert gains.mean() > 2 * gains.std(ddof=1) / np.sqrt(len(gains))


@pytest.mark.parametrize("rule", ev.RULES)
def test_active_learning_repeats_itself_and_never_labels_twice(news, rule):
    X, y = news
    run = [
        ev.active_learning(
            X[:80],
            y[:80],
            X[80:100],
            y[80:100],
            rule,
            start=10,
            candidates=30,
            steps=7,
            seed=3,
            scheme="BMES",
        )
        for _ in range(2)
    ]
    assert run[0].table.equals(run[1].table)
    assert list(run[0].table["sentences"]) == [10, 80]
    assert run[0].table["words"].iloc[-1] == sum(len(s) for s in y[:80])
    assert rule in str(run[0])


def learn_actively_from_scratch(X, y, X_test, y_test, rule, make, start, candidates, pick, steps):
    """Section 6 of the paper by public names alone: every step reads and learns anew."""
    first, *later = np.random.SeedSequence(0).spawn(steps + 1)
    labelled = [int(i) for i in np.random.default_rng(first).permutation(len(X))[:start]]
    f1, tuned_at, scale = [], 0, None
    for step in range(steps + 1):
        known = [X[i] for i in labelled], [y[i] for i in labelled]
        tagger = make().fit(*known)
        f1.append(tags.count_spans(y_test, tagger.predict(X_test), "BMES").f1)
        if step == steps:
            break
        left = [i for i in range(len(X)) if i not in labelled]
        pool = np.random.default_rng(later[step]).permutation(left)[:candidates]
        batch = [X[i] for i in pool]
        if rule == "random":
            score, length = np.zeros(len(pool)), np.arange(len(pool))
        else:
            length = np.array([len(s) for s in batch])
            if rule.startswith("kd"):
                if len(labelled) >= 2 * tuned_at:
                    tuned_at = len(labelled)
                    half = make().fit(known[0][::2], known[1][::2])
                    scale = half.tune_scale(known[0][1::2], known[1][1::2], rule)
                drawn = tagger.confidence(batch, rule, scale=scale)
                score = np.array([c.min() for c in drawn])
            else:
                margin, variance = tagger.margins(batch)
                # Of two labellings without a difference in features neither is the surer one.
                spread = np.sqrt(np.where(variance > 0, variance, 1.0))
                score = margin / (length if rule == "min_margin" else spread)
        chosen = pool[np.lexsort([length, score])[:pick]]
        labelled += [int(i) for i in chosen]
    return labelled, f1


@pytest.mark.parametrize("rule", ev.RULES)
def test_active_learning_is_fit_and_confidence_step_by_step(news, rule):
    from betterthan.sequences import Tagger

    X, y = news
    size = {"start": 12, "candidates": 40, "pick": 6, "steps": 4}

    def make():
        return Tagger("cw", passes=3, seed=5)

    labelled, f1 = learn_actively_from_scratch(
        X[:150], y[:150], X[150:200], y[150:200], rule, make, **size
    )
    result = ev.active_learning(
        X[:150],
        y[:150],
        X[150:200],
        y[150:200],
        rule,
        tagger=make,
        evaluate_every=1,
        scheme="BMES",
        **size,
    )
    assert list(result.table["f1"]) == f1
    words = np.cumsum([len(y[i]) for i in labelled])
    assert list(result.table["words"]) == [words[n - 1] for n in (12, 18, 24, 30, 36)]


def test_active_learning_takes_values_and_a_scale_of_its_own(news):
    X, y = news
    valued = [[{f: 1 + len(f) % 2 for f in token} for token in s] for s in X[:60]]
    size = {"start": 10, "candidates": 20, "steps": 2, "scheme": "BMES"}
    run = [
        ev.active_learning(
            valued[:40], y[:40], valued[40:], y[40:60], "kd_fixed", scale=s, draws=5, **size
        ).table
        for s in (1e-9, 10.0)
    ]
    assert run[0].loc[0].equals(run[1].loc[0])
    assert not run[0].equals(run[1])
    with pytest.raises(ValueError, match="scale=0"):
        ev.active_learning(X, y, X, y, scale=0)


def test_mean_f1_is_the_mean_over_the_words_that_were_bought():
    curve = pd.DataFrame({"words": [100, 200, 400], "f1": [0.2, 0.4, 0.6]})
    assert ev.ActiveLearning("random", 0, curve).mean_f1 == pytest.approx((0.3 + 2 * 0.5) / 3)
    assert ev.ActiveLearning("random", 0, curve[:1]).mean_f1 == 0.2


def test_active_learning_refuses(news):
    X, y = news
    with pytest.raises(ValueError, match="rule='entropy'"):
        ev.active_learning(X, y, X, y, "entropy")
    with pytest.raises(ValueError, match=r"start \+ steps \* pick = 550 sentences, got 80"):
        ev.active_learning(X[:80], y[:80], X, y)
    with pytest.raises(ValueError, match="candidates=5: expected a whole number of at least 10"):
        ev.active_learning(X, y, X, y, candidates=5)


# The chapter's standalone cells, and what the studies measured


def standalone_cells():
    import jupytext

    chapter = Path(__file__).parents[1] / "chapters" / "6-labels-you-can-trust.md"
    cells = jupytext.read(chapter, fmt="md:myst").cells
    return [c.source for c in cells if "standalone" in c.metadata.get("tags", [])]


def run_cell(source):
    names = {}
    exec(source, names)
    return names


def test_standalone_arow_step_is_the_taggers():
    from betterthan.sequences import Tagger

    (source,) = [s for s in standalone_cells() if "alpha, beta" in s]
    cell = run_cell(source)
    tagger = Tagger("arow", passes=1, r=cell["r"]).fit([[["the"], ["cat"]]], [["B", "I"]])
    labels = len(tagger.labels_)
    means = tagger._means.reshape(len(tagger._means), -1)[:, :labels]
    variances = tagger._variances.reshape(len(means), -1)[:, :labels]
    np.testing.assert_allclose(means.ravel(), cell["mu"], atol=1e-6)
    np.testing.assert_allclose(variances.ravel(), cell["sigma"], atol=1e-6)


def test_standalone_average_precision_is_the_librarys():
    (source,) = [s for s in standalone_cells() if "average_precision =" in s]
    cell = run_cell(source)
    assert cell["average_precision"] == pytest.approx(
        ev.average_precision(cell["confidence"], cell["wrong"] == 0), abs=1e-12
    )
    rng = np.random.default_rng(6)
    body = source[source.index("total =") :]
    for _ in range(20):
        names = {
            "np": np,
            "confidence": rng.integers(0, 6, 40) / 5,
            "wrong": np.r_[1, rng.integers(0, 2, 39)],
        }
        exec(body, names)
        assert names["average_precision"] == pytest.approx(
            ev.average_precision(names["confidence"], names["wrong"] == 0), abs=1e-12
        )


def test_flat_span_counts_are_those_of_tags():
    from betterthan import tags
    from betterthan.studies import confidence_folds

    labels = ("B-A", "B-B", "I-A", "I-B", "O")
    rng = np.random.default_rng(7)
    for _ in range(100):
        gold = [rng.integers(0, 5, n) for n in rng.integers(1, 9, 6)]
        guess = [np.where(rng.random(g.size) < 0.3, rng.integers(0, 5, g.size), g) for g in gold]
        begins = np.cumsum([0, *map(len, gold)])[:-1]
        flat = confidence_folds.count_spans(
            np.concatenate(gold), np.concatenate(guess), labels, begins
        )
        names = [[[labels[k] for k in s] for s in side] for side in (gold, guess)]
        spans = tags.count_spans(*names)
        assert (flat["tp"], flat["fp"], flat["fn"]) == tuple(int(c.sum()) for c in spans)


@pytest.mark.parametrize(("study", "corpus"), [("", "np"), ("-ner", "es"), ("-ner", "nl")])
def test_study_active_learning_is_above_random(study, corpus):
    """Paired by repetition, at the same numbers of words, over the second half of the curves."""
    from betterthan import studies

    table = studies.read(f"confidence-active{study}")
    table = table[table["corpus"] == corpus].copy()
    table["f1"] = 2 * table["correct"] / (table["predicted"] + table["gold"])
    runs = table.groupby(["rule", "repeat", "run"])
    last = runs["words"].max().min()
    grid = np.linspace(last / 2, last, 50)
    f1 = pd.Series({key: np.interp(grid, r["words"], r["f1"]).mean() for key, r in runs})
    f1 = f1.groupby(level=[0, 1]).mean()
    assert f1["random"].size >= 3
    for rule in ("kd_pc", "kd_fixed", "min_conf_margin"):
        gain = f1[rule] - f1["random"]
        assert gain.mean() > 2 * gain.std(ddof=1) / np.sqrt(gain.size), rule


def test_study_ranks_methods_as_the_chapter_says():
    from betterthan import studies

    table = studies.read("confidence-methods")
    ap = table[table["quantity"] == "average_precision"].set_index(["corpus", "method"])["value"]
    for corpus in ("np", "es", "nl"):
        a = ap[corpus]
        assert a["random"] < a["kbv"] < a["wkbv"] < min(a["delta"], a["kd_pc_50"], a["kd_fixed_50"])
        assert a["delta_printed"] < a["delta"]
        # Words in random order: the error rate, give or take the noise of one order.
        wrong = table[(table["corpus"] == corpus) & (table["method"] == "cw")]
        wrong = wrong.set_index("quantity")["value"]
        assert a["constant"] == pytest.approx(wrong["wrong"] / wrong["words"], rel=0.05)
