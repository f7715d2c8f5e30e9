"""Jobs that people come with: files as they have them, by the command line and in Python.

Every number is compared with one that was computed without the library.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics

from betterthan import (
    compare,
    compare_each,
    compare_folds,
    compare_many,
    confidence,
    plan,
    ranking,
    read,
    readers,
    replicability,
    score,
)
from betterthan.__main__ import main


@pytest.fixture
def ask(capsys):
    """The exit code of a command and the fields of its answer, or its trouble."""

    def ask(*arguments):
        code = main([*map(str, arguments), "--json"])
        said = capsys.readouterr()
        return code, json.loads(said.out) if said.out else said.err

    return ask


@pytest.fixture
def put(tmp_path):
    def put(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        text.to_csv(path, index=False) if hasattr(text, "to_csv") else path.write_text(text)
        return path

    return put


def jackknife_error(values, groups):
    """The standard error of a mean, leaving out one group at a time."""
    kept = [values[groups != g].mean() for g in np.unique(groups)]
    n = len(kept)
    return np.sqrt((n - 1) / n * np.sum((np.array(kept) - np.mean(kept)) ** 2))


def right_and_wrong(rng, n, shares, shared=0.7):
    """Right and wrong of systems to which the same items are hard."""
    hard = stats.norm.ppf(rng.random(n)) * shared
    own = np.sqrt(1 - shared**2) * rng.normal(size=(len(shares), n))
    return (hard + own < stats.norm.ppf(shares)[:, None]).astype(int)


def test_27_tasks_in_one_table(ask, put):
    rng = np.random.default_rng(1)
    tasks = np.repeat([f"t{i:02d}" for i in range(27)], 40)
    lift = np.repeat(rng.choice([0.0, 0.0, 0.25], 27), 40)
    old = right_and_wrong(rng, len(tasks), [0.5])[0]
    new = np.where(rng.random(len(tasks)) < lift, 1, old)
    frame = pd.DataFrame({"id": range(len(tasks)), "task": tasks, "old": old, "new": new})
    path = put("bbh.csv", frame)
    code, overall = ask("compare", path)
    assert (code, overall["n_groups"], overall["n_units"]) == (0, 27, 1080)
    assert overall["difference"] == pytest.approx(new.mean() - old.mean())
    assert overall["standard_error"] == pytest.approx(jackknife_error(new - old, tasks))
    each = compare_each(*read(path))
    means = frame.groupby("task")[["old", "new"]].mean()
    for task, row in means.iterrows():
        assert each[task].difference == pytest.approx(row["new"] - row["old"])
    found = replicability.analyse_both(each)
    code, which = ask("datasets", path, "--groups", "task")
    assert code == 0 and str(found) in json.dumps(which, ensure_ascii=False)
    least = str(overall["interval"]["low"] - 0.001)
    assert ask("compare", path, "--at-least", least)[0] == 0
    assert ask("compare", path, "--at-least", "0.9", "--open", "3")[0] == 1


def test_four_systems_and_how_many_more_questions(ask, put):
    values = right_and_wrong(np.random.default_rng(2), 150, [0.5, 0.52, 0.6, 0.8])
    names = ["small", "base", "large", "huge"]
    frame = pd.DataFrame(dict(zip(names, values))).assign(question=[f"q{i}" for i in range(150)])
    path = put("answers.csv", frame)
    code, many = ask("compare", path)
    assert code == 0 and many["ranks"][0]["name"] == "huge"
    ranks = compare_many(read(path)).ranks.set_index("name")["value"]
    assert ranks.to_dict() == pytest.approx(frame[names].mean().to_dict())
    code, needed = ask("plan", path, "--systems", "base", "large", "--difference", "0.05")
    spread = np.var(values[2] - values[1], ddof=1)
    away = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert code == 0 and needed["n"] == pytest.approx(away**2 * spread / 0.05**2, rel=0.02)
    code, said = ask("compare", path, "--systems", "base", "large", "--at-least", 0, "--open", 3)
    assert code == (0 if "Gate passed" in said["gate"] else 3)


def test_contests_as_groups_one_difficulty_and_a_margin(ask, put):
    rng = np.random.default_rng(3)
    contests, levels = np.repeat(np.arange(30), 8), np.tile(["easy", "hard"], 120)
    values = right_and_wrong(rng, 240, [0.6, 0.62])
    files = [
        put(
            f"{name}.csv",
            pd.DataFrame(
                {
                    "question_id": [f"q{i}" for i in range(240)],
                    "contest_id": contests,
                    "difficulty": levels,
                    "score": own,
                }
            ).sample(frac=1, random_state=k),
        )
        for k, (name, own) in enumerate(zip(("old", "new"), values))
    ]
    hard = levels == "hard"
    typed = ("compare", *files, "--groups", "contest_id", "--where", "difficulty=hard")
    code, found = ask(*typed, "--margin", "0.3")
    difference = (values[1] - values[0])[hard]
    assert (code, found["n_units"], found["n_groups"]) == (0, 120, 30)
    assert found["difference"] == pytest.approx(difference.mean())
    assert found["standard_error"] == pytest.approx(jackknife_error(difference, contests[hard]))
    old, new = read(*files, groups="contest_id")
    again = compare(old.where(difficulty="hard"), new.where(difficulty="hard"), margin=0.3)
    assert again.p_within == found["p_within"] and "at most 0.3 either way" in str(again)


def test_votes_of_people_and_of_a_judge(ask, put):
    rng = np.random.default_rng(4)
    prompt = np.repeat(np.arange(25), 6)
    lean = np.repeat(rng.normal(0.3, 0.6, 25), 6)
    rows = {"people": lean + rng.normal(size=150), "judge": lean + 0.8 + rng.normal(size=150)}
    for who, liked in rows.items():
        winner = np.where(abs(liked) < 0.2, "tie", np.where(liked > 0, "new", "old"))
        table = pd.DataFrame({"prompt": prompt, "model_a": "old", "model_b": "new"})
        path = put(f"{who}.csv", table.assign(winner=winner))
        share = np.where(abs(liked) < 0.2, 0.5, liked > 0)
        code, found = ask("compare", path)
        assert (code, found["n_groups"]) == (0, 25)
        assert found["value_b"] == pytest.approx(share.mean())
        assert found["standard_error"] == pytest.approx(jackknife_error(2 * share - 1, prompt))
        assert compare(*read(path)).pvalue == found["pvalue"]


def spans(tags):
    """What seqeval would call entities, for IOB2."""
    found, start = set(), None
    for place, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            found.add((start, place, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = place
    return found


def test_names_in_four_variants(ask, put):
    seqeval = pytest.importorskip("seqeval.metrics")
    rng = np.random.default_rng(5)
    kinds = ["O", "O", "B-PER", "B-LOC"]
    gold = [[str(rng.choice(kinds)) for _ in range(8)] for _ in range(40)]
    answers = [
        [[tag if rng.random() > share else str(rng.choice(kinds)) for tag in s] for s in gold]
        for share in (0.3, 0.15)
    ]

    def written(*columns):
        rows = [
            "\n".join(" ".join([f"w{i}", *tags]) for i, tags in enumerate(zip(*sentence)))
            for sentence in zip(*columns)
        ]
        return "\n\n".join(rows) + "\n"

    single = {"B-PER": "U-PER", "B-LOC": "U-LOC", "O": "O"}
    bilou = [[[single[tag] for tag in s] for s in own] for own in (gold, *answers)]
    together = put("both.conll", written(gold, *answers))
    apart = [put(f"{n}.conll", written(gold, own)) for n, own in zip(("old", "new"), answers)]
    tags = [put(f"{n}.tags", written(own)) for n, own in zip(("old", "new"), answers)]
    right = put("gold.tags", written(gold))
    other = [put(f"{n}.bilou", written(bilou[0], own)) for n, own in zip(("o", "n"), bilou[1:])]
    expected = [seqeval.f1_score(gold, own) for own in answers]
    for typed in (
        [together, "--columns", "0", "1", "2", "3"],
        apart,
        [*tags, "--gold", right],
        [*other, "--scheme", "BILOU"],
    ):
        code, found = ask("compare", *typed)
        assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)


def test_parts_of_speech_in_conllu(ask):
    *files, gold = readers.example("conllu")
    rows = [
        [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        for path in (gold, *files)
    ]
    tags = [[row[3] for row in own if len(row) == 10 and row[0].isdigit()] for own in rows]
    code, found = ask("compare", *files, "--gold", gold)
    expected = [metrics.accuracy_score(tags[0], own) for own in tags[1:]]
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)
    code, found = ask("compare", *files, "--gold", gold, "--metric", "macro_f1")
    expected = [metrics.f1_score(tags[0], own, average="macro") for own in tags[1:]]
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)


def test_five_classes_blanks_and_shuffled_ids(ask, put):
    rng = np.random.default_rng(6)
    classes = np.array(["joy", "fear", "anger", "trust", "none"])
    gold = classes[rng.integers(0, 5, 200)]
    answers = [np.where(rng.random(200) < p, gold, rng.permutation(gold)) for p in (0.5, 0.7)]
    answers[1][[3, 50]] = ""
    ids = [f"x{i}" for i in range(200)]
    files = [
        put(
            f"{name}.csv",
            pd.DataFrame({"id": ids, "gold": gold, "label": own}).sample(frac=1, random_state=k),
        )
        for k, (name, own) in enumerate(zip(("old", "new"), answers))
    ]
    code, trouble = ask("compare", *files)
    assert code == 2 and "--empty wrong" in trouble and "--empty drop" in trouble
    code, found = ask("compare", *files, "--empty", "wrong")
    expected = [float((own == gold).mean()) for own in answers]
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)
    kept = answers[1] != ""
    code, found = ask("compare", *files, "--empty", "drop", "--metric", "macro_f1")
    expected = [metrics.f1_score(gold[kept], own[kept], average="macro") for own in answers]
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)
    assert found["n_units"] == 198


def test_two_classes_with_a_rare_positive(ask, put):
    rng = np.random.default_rng(7)
    gold = np.where(rng.random(400) < 0.08, "spam", "ham")
    flip = {"spam": "ham", "ham": "spam"}
    answers = [[flip[g] if rng.random() < p else g for g in gold] for p in (0.08, 0.05)]
    path = put("mail.csv", pd.DataFrame({"gold": gold, "old": answers[0], "new": answers[1]}))
    code, found = ask("compare", path, "--positive", "spam")
    expected = [metrics.f1_score(gold, own, pos_label="spam") for own in answers]
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(expected)
    assert "F1 of 'spam'" in str(compare(*read(path, positive="spam")))


def test_ten_folds(ask, put):
    rng = np.random.default_rng(8)
    old = 0.8 + 0.02 * rng.normal(size=10)
    new = old + 0.01 + 0.01 * rng.normal(size=10)
    path = put("folds.csv", pd.DataFrame({"fold": range(10), "old": old, "new": new}))
    code, trouble = ask("compare", path)
    assert code == 2 and "--test-share" in trouble
    code, found = ask("compare", path, "--test-share", "0.1")
    error = np.std(new - old, ddof=1) * np.sqrt(1 / 10 + 0.1 / 0.9)
    expected = 2 * stats.t.sf(abs(np.mean(new - old)) / error, 9)
    assert code == 0 and found["pvalue"] == pytest.approx(expected)
    assert compare_folds(old, new, test_share=0.1).pvalue == pytest.approx(expected)


def test_twelve_pvalues(ask, put):
    p = [0.0001, 0.0004, 0.002, 0.004, 0.006, 0.02, 0.03, 0.2, 0.3, 0.5, 0.7, 0.9]
    path = put("p.csv", pd.DataFrame({"dataset": [f"d{i}" for i in range(12)], "p": p}))
    code, trouble = ask("datasets", path)
    assert code == 2 and "--alternative" in trouble
    code, found = ask("datasets", path, "--alternative", "greater")
    named = []
    for rank, value in enumerate(sorted(p)):  # Holm's procedure
        if value > 0.05 / (12 - rank):
            break
        named.append(f"d{p.index(value)}")
    result = replicability.analyse(readers.read_pvalues(path), alternative="greater")
    assert code == 0 and len(named) == 5
    assert list(result.names) == named and found["names"] == named


def test_comet_of_three_systems(ask, put):
    rng = np.random.default_rng(9)
    ease = rng.normal(0.8, 0.1, 300)
    frame = pd.DataFrame(
        {
            "doc": np.repeat(np.arange(30), 10),
            "old": ease + rng.normal(0, 0.05, 300),
            "new": ease + rng.normal(0.01, 0.05, 300),
            "large": ease + rng.normal(0.05, 0.05, 300),
        }
    ).round(4)
    path = put("comet.csv", frame)
    code, _ = ask("compare", path)
    many = compare_many(read(path))
    assert code == 0 and many.ranks["name"].iloc[0] == "large"
    code, two = ask("compare", path, "--systems", "old", "large")
    difference = (frame["large"] - frame["old"]).to_numpy()
    assert code == 0 and two["difference"] == pytest.approx(difference.mean())
    assert two["standard_error"] == pytest.approx(
        jackknife_error(difference, frame["doc"].to_numpy())
    )


def test_skewed_seconds(ask, put):
    rng = np.random.default_rng(10)
    hard = rng.lognormal(0, 1, 120)
    frame = pd.DataFrame({"old": hard * rng.lognormal(0, 0.3, 120)})
    frame["new"] = 0.7 * hard * rng.lognormal(0, 0.3, 120)
    path = put("seconds.csv", frame.round(3).assign(request=[f"r{i}" for i in range(120)]))
    code, found = ask("compare", path, "--lower-is-better")
    difference = (frame["new"].round(3) - frame["old"].round(3)).to_numpy()
    assert code == 0 and found["difference"] == pytest.approx(difference.mean())
    t = stats.ttest_1samp(difference, 0)
    low, high = t.confidence_interval()
    # Half-samples and t need not agree to the digit on skewed differences.
    assert [*found["interval"].values()] == pytest.approx([low, high], abs=0.15 * (high - low))
    assert found["p_better"] > 0.99 and found["higher_is_better"] is False


def test_trec_by_ndcg(ask):
    old, new, gold = readers.example("trec")
    judged, runs = {}, []
    for line in Path(gold).read_text("utf-8").splitlines():
        query, _, document, relevance = line.split()
        judged.setdefault(query, {})[document] = int(relevance)
    for path in (old, new):
        run = {}
        for line in Path(path).read_text("utf-8").splitlines():
            query, _, document, _, value, _ = line.split()
            run.setdefault(query, []).append((float(value), document))
        runs.append(run)

    def ndcg(relevant, ranked):
        cut = 1 / np.log2(np.arange(2, 12))
        order = [document for _, document in sorted(ranked, reverse=True)][:10]
        gains = [relevant.get(document, 0) for document in order]
        ideal = sorted(relevant.values(), reverse=True)[:10]
        return gains @ cut[: len(gains)] / (ideal @ cut[: len(ideal)])

    values = [[ndcg(judged[q], run[q]) for q in sorted(judged)] for run in runs]
    code, found = ask("compare", old, new, "--gold", gold, "--metric", "ndcg@10")
    assert code == 0 and found["value_a"] == pytest.approx(np.mean(values[0]))
    a, b = read(old, new, gold=gold, metric="nDCG@10")
    assert sorted(b.values - a.values) == pytest.approx(sorted(np.subtract(values[1], values[0])))


def test_answers_with_probabilities_and_a_threshold(ask, put):
    rng = np.random.default_rng(11)
    probability = rng.beta(5, 2, 300).round(3)
    correct = (rng.random(300) < probability).astype(int)
    path = put("answers.csv", pd.DataFrame({"correct": correct, "probability": probability}))
    code, found = ask("score", path)
    assert code == 0
    brier = metrics.brier_score_loss(correct, probability)
    assert found["brier"] == pytest.approx(brier)
    result = confidence.evaluate(correct, probability)
    assert result.brier == pytest.approx(brier)
    # "Answer only from 0.8 on": the share of wrong answers among those, with its interval.
    kept = correct[probability >= 0.8]
    accuracy = score(kept)
    low, high = stats.binomtest(int(kept.sum()), len(kept)).proportion_ci(method="wilson")
    assert accuracy.value == pytest.approx(kept.mean())
    assert tuple(accuracy.interval) == pytest.approx((low, high), abs=0.02)


def test_five_seeds_each(ask, put):
    rng = np.random.default_rng(12)
    rows = [
        (f"i{i}", model, seed, int(rng.random() < chance))
        for i, ease in enumerate(rng.normal(0, 0.2, 80))
        for model, lift in (("old", 0.0), ("new", 0.1))
        for seed in range(5)
        for chance in [np.clip(0.5 + ease + lift, 0.02, 0.98)]
    ]
    frame = pd.DataFrame(rows, columns=["item", "model", "seed", "score"])
    path = put("seeds.csv", frame)
    code, found = ask("compare", path)
    means = frame.groupby("model")["score"].mean()
    assert (code, found["n_runs"], found["n_units"]) == (0, [5, 5], 80)
    assert [found["value_a"], found["value_b"]] == pytest.approx([means["old"], means["new"]])
    wide = frame.assign(name=frame["model"] + "_seed" + frame["seed"].astype(str))
    wide = wide.pivot(index="item", columns="name", values="score").reset_index()
    columns = put("wide.csv", wide)
    code, again = ask("compare", columns, "--runs", "old_seed*", "new_seed*")
    assert code == 0 and again["interval"] == pytest.approx(found["interval"])


def test_raters_as_rows_and_as_columns(ask, put):
    path = readers.example("raters")
    frame = pd.read_csv(path)
    code, found = ask("compare", path)
    means = frame.groupby("model")["score"].mean()
    assert (code, found["n_runs"], found["n_units"]) == (0, [4, 4], 30)
    assert [found["value_a"], found["value_b"]] == pytest.approx([means["old"], means["new"]])
    wide = frame.assign(name=frame["model"] + "_" + frame["rater"])
    wide = wide.pivot(index="item", columns="name", values="score").reset_index()
    code, again = ask("compare", put("wide.csv", wide), "--runs", "old_*", "new_*")
    assert code == 0 and again["interval"] == pytest.approx(found["interval"])


def test_two_separate_samples(ask, put):
    rng = np.random.default_rng(13)
    a, b = rng.normal(30, 5, 60), rng.normal(33, 6, 45)
    files = [
        put(
            f"{month}.csv",
            pd.DataFrame({"id": [f"{month}{i}" for i in range(len(x))], "points": x}),
        )
        for month, x in (("march", a), ("april", b))
    ]
    code, trouble = ask("compare", *files)
    assert code == 2 and "--unpaired" in trouble
    code, found = ask("compare", *files, "--unpaired")
    welch = stats.ttest_ind(b, a, equal_var=False)
    assert code == 0 and found["pvalue"] == pytest.approx(welch.pvalue)
    assert [*found["interval"].values()] == pytest.approx([*welch.confidence_interval()])
    assert compare(*read(*files), paired=False).pvalue == pytest.approx(welch.pvalue)


def test_ranked_candidates(ask, put):
    rng = np.random.default_rng(14)
    gold = (rng.random(300) < 0.3).astype(int)
    frame = pd.DataFrame({"candidate": [f"c{i}" for i in range(300)], "gold": gold})
    frame["old"], frame["new"] = (gold * lift + rng.normal(size=300) for lift in (0.5, 1.5))
    path = put("candidates.csv", frame.round(6))
    code, _ = ask("compare", path)
    assert code == 0
    result = ranking.compare(frame["old"], frame["new"], gold)
    for name, letter in (("old", "a"), ("new", "b")):
        order = np.argsort(-frame[name].to_numpy())
        precision = np.cumsum(gold[order]) / np.arange(1, 301)
        curve = ranking.precision_curve(frame[name], gold)
        assert curve.precision == pytest.approx(precision), letter
    both = [metrics.average_precision_score(gold, frame[name]) for name in ("old", "new")]
    found = result.average_precision(n_resamples=99)
    assert found.difference == pytest.approx(both[1] - both[0])


def test_segmented_words(ask, put):
    gold, *files = readers.example("words")[:3]

    def words(line):
        ends = np.cumsum([len(word) for word in line.split()])
        return set(zip([0, *ends[:-1]], ends))

    right = [words(line) for line in Path(gold).read_text("utf-8").splitlines() if line.strip()]
    code, found = ask("compare", *files, "--gold", gold)
    values = []
    for path in files:
        own = [words(line) for line in Path(path).read_text("utf-8").splitlines() if line.strip()]
        hits = sum(len(a & b) for a, b in zip(right, own))
        values.append(2 * hits / (sum(map(len, right)) + sum(map(len, own))))
    assert code == 0 and [found["value_a"], found["value_b"]] == pytest.approx(values)
    pilot = compare(*read(*files, gold=gold))
    assert plan(pilot, difference=0.01).n > 0


# --- What a new user meets on the way -----------------------------------------------------------


@pytest.fixture
def look(capsys):
    """What `look` says of files, and the commands that it offers, each of which must work."""

    def look(*arguments):
        assert main(["look", *map(str, arguments)]) == 0
        lines = capsys.readouterr().out.splitlines()
        offered = [shlex.split(one.removeprefix("ask: ")) for one in lines if one[:5] == "ask: "]
        for program, *words in offered:
            assert program == "betterthan"
            assert main(words) == 0, words
        capsys.readouterr()
        return lines, [" ".join(words[1:]) for words in offered]

    return look


def test_two_of_many_systems_are_planned_for(ask, look, put):
    values = right_and_wrong(np.random.default_rng(21), 60, [0.4, 0.6, 0.9])
    frame = pd.DataFrame({"qid": range(60)} | dict(zip(("small", "base", "large"), values)))
    path = put("quiz.csv", frame)
    lines, offered = look(path)
    assert f"plan {path} --systems small base --difference 0.05" in offered
    assert lines[1].startswith("small: 60 items")  # and no "qids"
    code, trouble = ask("plan", path, "--difference", "0.05")
    assert code == 2 and "expected two systems, found small, base, large" in trouble
    assert "say --systems small base" in trouble  # as in the file, and as look offers


def test_columns_that_are_runs_and_a_rare_class_are_offered(look, put):
    rng = np.random.default_rng(22)
    names = [f"{model}-{seed}" for model in ("bert", "xlm") for seed in (13, 42, 7)]
    seeds = pd.DataFrame({"item": [f"i{i}" for i in range(40)]})
    for name in names:
        seeds[name] = (rng.random(40) < 0.6).astype(int)
    path = put("seeds.csv", seeds)
    assert f"compare {path} --runs bert-* xlm-*" in look(path)[1]
    gold = np.where(rng.random(200) < 0.1, 1, 0)
    said = [np.where(rng.random(200) < share, 1 - gold, gold) for share in (0.1, 0.05)]
    mail = pd.DataFrame({"y_true": gold, "lr": said[0], "svm": said[1]})
    path = put("mail.csv", mail)
    assert f"compare {path} --positive 1" in look(path)[1]


def test_files_whose_items_do_not_match_are_offered_what_works(look, put):
    march, april = (
        put(f"{month}.csv", "id,score\n" + "".join(f"{month}{i},{i % 3 % 2}\n" for i in range(n)))
        for month, n in (("march", 30), ("april", 24))
    )
    assert f"compare {march} {april} --unpaired" in look(march, april)[1]
    more = put("more.csv", march.read_text().replace("march4,1", "march4,0") + "extra,1\n")
    assert f"compare {march} {more} --unmatched drop" in look(march, more)[1]


def test_p_values_beside_any_name_and_answers_that_are_correct(ask, look, put):
    p = [0.001, 0.002, 0.2, 0.6]
    path = put("p.csv", pd.DataFrame({"corpus": list("abcd"), "p-value": p}))
    assert look(path)[1] == [f"datasets {path} --alternative greater"]
    code, found = ask("datasets", path, "--alternative", "greater")
    assert code == 0 and found["names"] == ["a", "b"]  # Holm: 0.05/4, 0.05/3, then 0.05/2
    rng = np.random.default_rng(23)
    sure = rng.random(120).round(3)
    right = rng.random(120) < sure
    path = put("answers.csv", pd.DataFrame({"is_correct": right, "confidence": sure}))
    look(path)
    code, found = ask("score", path)
    assert code == 0 and found["brier"] == pytest.approx(metrics.brier_score_loss(right, sure))


def test_files_that_need_another_say_which(ask, put):
    text = "Ann B-PER\nleft O\n\nBonn B-LOC\n"
    code, trouble = ask("compare", put("old.tags", text), put("new.tags", text))
    assert code == 2 and "has 2 columns, too few for word, gold, predicted; say --gold" in trouble
    text = "we went home\nand slept\n"
    code, trouble = ask("compare", put("old.txt", text), put("new.txt", text))
    assert code == 2 and "--gold … for segmented words" in trouble
    assert "--references … for translations" in trouble
    code, trouble = ask("compare", *readers.example("trec")[:2])
    assert code == 2 and "None" not in trouble and "say --gold … with the judgements" in trouble
