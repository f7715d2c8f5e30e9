"""Made-up files of other people's tools, for comparing two readers of the same formats.

`made_up_of(kind, seed)` gives files and options, whole or slightly broken: votes, reports of
SWE-bench, results of promptfoo, CoNLL-U, tags in columns, counts of folds, and two separate
samples.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from .made_up import Made

_NAMES = [("old", "new", "large"), ("A", "B", "C"), ("gpt-x", "größer", "it's 3")]


def made_up_of(kind: str, seed: int) -> Made:
    """Files of one kind and options; the same for the same seed."""
    return KINDS[kind](random.Random(f"{kind} {seed}"))


def _csv(rows: Sequence[Sequence[Any]], mark: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
    return out.getvalue()


# --- Votes ----------------------------------------------------------------------------------------


def _votes(luck: random.Random) -> Made:
    names = luck.choice(_NAMES)[: luck.choices([2, 3], [85, 15])[0]]
    pair = luck.choice([("model_a", "model_b"), ("left", "right"), ("Model 1", "Model 2")])
    n = luck.choice([8, 30, 90, 240])
    prompts = [f"p{luck.randrange(max(n // 4, 2))}" for _ in range(n)]
    header = [*pair, luck.choice(["winner", "preferred"])]
    rows = [_vote(luck, names, pair) for _ in range(n)]
    extra: dict[str, list[Any]] = {}
    if luck.random() < 0.7:
        extra[luck.choice(["prompt", "question_id"])] = prompts
    if luck.random() < 0.4:
        extra[luck.choice(["rater", "judge", "worker_id"])] = [
            f"r{luck.randrange(6)}" for _ in rows
        ]
    if luck.random() < 0.3:
        extra["id"] = [f"v{k}" for k in range(n)]
    if luck.random() < 0.2:
        extra["language"] = [luck.choice(["en", "de"]) for _ in rows]
    options: dict[str, Any] = {}
    if luck.random() < 0.3 and extra:
        options[luck.choice(["groups", "ignore"])] = luck.choice(list(extra))
    if luck.random() < 0.3 or len(names) > 2:
        options["systems"] = luck.sample(names, 2)
    if luck.random() < 0.2:
        options["margin"] = 0.1
    if luck.random() < 0.08:
        rows[luck.randrange(n)][2] = luck.choice(["", "nobody", "C"])
    whole = [[*row, *(column[k] for column in extra.values())] for k, row in enumerate(rows)]
    mark = luck.choice([",", ",", ";", "\t"])
    return Made({"votes.csv": _csv([[*header, *extra], *whole], mark)}, options)


def _vote(luck: random.Random, names: Sequence[str], pair: tuple[str, str]) -> list[str]:
    first, second = luck.sample(list(names), 2)
    better = names.index(first) + luck.gauss(0, 1.5) > names.index(second)
    if luck.random() < 0.1:
        return [first, second, luck.choice(["tie", "Tie (both bad)", "neither"])]
    words = {True: [first, pair[0], "A"], False: [second, pair[1], "b"]}[better]
    # A letter is clear only where no model is called so.
    return [first, second, words[luck.choices([0, 1, 2], [5, 4, 1 if "A" not in names else 0])[0]]]


# --- SWE-bench ------------------------------------------------------------------------------------


def _swebench(luck: random.Random) -> Made:
    n, repositories = luck.choice([6, 40, 150]), luck.choice([1, 3, 9])
    ids = [f"own{luck.randrange(repositories)}__repo-{1000 + k}" for k in range(n)]
    if luck.random() < 0.15:
        ids[0] = "odd name"
    pro = luck.random() < 0.3
    files = {}
    for name, share in (("old", 0.3), ("new", 0.45)):
        own = [one for one in ids if luck.random() > 0.01]
        solved = {one for one in own if luck.random() < share}
        write = _by_instance if pro else _report
        text = write(luck, own, solved)
        files[f"{name}.json"] = text[: luck.choice([len(text)] * 15 + [len(text) // 2])]
    options: dict[str, Any] = {}
    if luck.random() < 0.6:
        options["unmatched"] = "drop"
    elif luck.random() < 0.3:
        options["paired"] = False
    if luck.random() < 0.2:
        options["metric"] = luck.choice(["mean", "accuracy", "f1"])
    return Made(files, options)


def _report(luck: random.Random, ids: list[str], solved: set[str]) -> str:
    rest = [one for one in ids if one not in solved]
    cut = luck.randrange(len(rest) + 1)
    report: dict[str, Any] = {
        "total_instances": len(ids),
        "completed_ids": sorted({*solved, *rest[:cut]}),
        "resolved_ids": sorted(solved),
        "unresolved_ids": rest[:cut],
        "empty_patch_ids": rest[cut : cut + 2],
        "error_ids": rest[cut + 2 :],
    }
    if luck.random() < 0.05:
        report["error_ids"] = "none"
    if luck.random() < 0.05:
        report["unresolved_ids"] = [*rest[:cut], *sorted(solved)[:1]]
    if luck.random() < 0.05:
        report["total_instances"] = len(ids) + 7
    return json.dumps(report, indent=luck.choice([None, 4]))


def _by_instance(luck: random.Random, ids: list[str], solved: set[str]) -> str:
    inside = luck.random() < 0.5
    found: dict[str, Any] = {one: one in solved for one in ids}
    if inside:
        found = {one: {"patch_applied": True, "resolved": own} for one, own in found.items()}
    if luck.random() < 0.1:
        found[luck.choice(ids)] = luck.choice(["yes", 1, None, {"resolved": None}])
    return json.dumps(found)


# --- promptfoo ------------------------------------------------------------------------------------


def _promptfoo(luck: random.Random) -> Made:
    n, repeat = luck.choice([5, 30, 80]), luck.choice([1, 1, 1, 2, 3])
    providers = list(luck.choice(_NAMES)[: luck.choices([1, 2, 3], [8, 80, 12])[0]])
    prompts = luck.choice(
        [["Say {{x}}"], ["Say {{x}}"], ["Line one,\nline two: {{x}}"], ["p", "q"]]
    )
    tests = [_test(luck, k) for k in range(n)]
    if luck.random() < 0.1:
        tests[-1] = tests[0]
    topics = luck.random() < 0.3
    for k, test in enumerate(tests):
        if topics:
            test["vars"]["topic"] = f"t{k % 4}"
    records = [
        _record(luck, place, provider, prompt, number * repeat + r, test)
        for place, (prompt, provider) in enumerate((q, p) for q in prompts for p in providers)
        for number, test in enumerate(tests)
        for r in range(repeat)
    ]
    luck.shuffle(records)
    options: dict[str, Any] = {}
    if topics and luck.random() < 0.8:
        options[luck.choice(["groups", "ignore"])] = "topic"
    if luck.random() < 0.3:
        options["metric"] = luck.choice(["score", "accuracy", "exact", "nix", "mean"])
    if luck.random() < 0.2:
        options["systems"] = providers[:2][::-1]
    if luck.random() < 0.2:
        options["margin"] = 0.1
    form = luck.choice(["json", "jsonl", "csv"])
    if form == "json":
        whole = {"evalId": "e", "results": {"version": 3, "results": records}}
        text = json.dumps(
            whole | {"runtimeOptions": {"repeat": repeat}}, indent=luck.choice([None, 2])
        )
    elif form == "jsonl":
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    else:
        text = _promptfoo_csv(records, tests, repeat)
    if luck.random() < 0.05:
        text = text[: 2 * len(text) // 3]
    return Made({f"out.{form}": text}, options)


def _test(luck: random.Random, k: int) -> dict[str, Any]:
    value = luck.choice([f"item {k}", k, k + 0.5, {"deep": [k, None]}, f"größer {k}"])
    test: dict[str, Any] = {"vars": {"x": value, "y": luck.choice(["", "b, c"])}}
    if luck.random() < 0.3:
        test["description"] = f"test {k}"
    return test


def _record(
    luck: random.Random, place: int, provider: str, prompt: str, number: int, test: dict[str, Any]
) -> dict[str, Any]:
    score = luck.choice([0, 1, 1, 0.6666666666666666])
    failed = luck.random() < 0.03
    return {
        "promptIdx": place,
        "testIdx": number,
        "testCase": test,
        "vars": test["vars"],
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": prompt, "label": prompt},
        "success": score == 1 and not failed,
        "score": score,
        "namedScores": {"exact": round(luck.random(), 3)},
        "failureReason": 2 if failed else int(score != 1),
    }


def _promptfoo_csv(records: list[dict[str, Any]], tests: list[dict[str, Any]], repeat: int) -> str:
    systems = sorted({(r["promptIdx"], r["provider"]["id"], r["prompt"]["raw"]) for r in records})
    names = list(tests[0]["vars"])
    header = [*names]
    for _, provider, prompt in systems:
        header += [f"[{provider}] {prompt}", "Status", "Score", "Named Scores", "Grader Reason"]
    by_place = {(r["testIdx"], r["promptIdx"]): r for r in records}
    rows = []
    for number in range(len(tests) * repeat):
        given = tests[number // repeat]["vars"]
        row = [one if isinstance(one, str) else json.dumps(one) for one in given.values()]
        for place, _, _ in systems:
            own = by_place[number, place]
            said = "ERROR" if own["failureReason"] == 2 else "PASS" if own["success"] else "FAIL"
            row += ["said", said, f"{own['score']:.2f}", json.dumps(own["namedScores"]), "why"]
        rows.append(row)
    return _csv([header, *rows])


# --- CoNLL-U --------------------------------------------------------------------------------------

_TAGS = ["NOUN", "VERB", "DET", "ADJ", "PUNCT"]


def _conllu(luck: random.Random) -> Made:
    n = luck.choice([3, 20, 60])
    documents = luck.choice(["none", "named", "numbered"])
    sentences = [[_word(luck, k) for k in range(1, luck.randint(1, 9) + 1)] for _ in range(n)]
    gold = _treebank(luck, sentences, documents, 0.0)
    files = {"gold.conllu": gold}
    for name, share in (("old", 0.25), ("new", 0.15)):
        text = _treebank(luck, sentences, documents, share)
        if luck.random() < 0.06:
            text = text.replace("\t", " ", 1)
        if luck.random() < 0.06:
            text = text.replace("w1\t", "v1\t", 1)
        files[f"{name}.conllu"] = text
    options: dict[str, Any] = {} if luck.random() < 0.05 else {"gold": "gold.conllu"}
    if luck.random() < 0.6:
        columns = ["XPOS", "LEMMA", "FEATS", "UAS", "deprel", "LAS", "upos", "MISC"]
        options["column"] = luck.choice(columns)
    if luck.random() < 0.3:
        options["metric"] = luck.choice(["macro_f1", "accuracy", "LAS", "f1"])
    if luck.random() < 0.2:
        options["margin"] = 0.05
    return Made(files, options)


def _word(luck: random.Random, k: int) -> list[str]:
    tag = luck.choice(_TAGS)
    return [str(k), f"w{k}", f"l{luck.randrange(9)}", tag, tag[:2], "_", str(k - 1), tag.lower()]


def _treebank(luck: random.Random, sentences: Any, documents: str, wrong: float) -> str:
    lines = []
    for number, words in enumerate(sentences):
        if number % 5 == 0 and documents != "none":
            lines.append("# newdoc" + (f" id = d{number}" if documents == "named" else ""))
        lines.append(f"# sent_id = {number}")
        if number % 7 == 3:
            lines.append("1-2\t" + "\t".join(["both", *["_"] * 8]))
        for word in words:
            own = list(word)
            for place in (2, 3, 4, 6, 7):
                if luck.random() < wrong:
                    own[place] = luck.choice([*_TAGS, "0"]) if place != 6 else "0"
            lines.append("\t".join([*own, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _tags_apart(luck: random.Random) -> Made:
    """Tags of systems and of the gold standard, each in a file of its own."""
    n, spans = luck.choice([4, 25, 60]), luck.random() < 0.7
    kinds = ["O", "O", "B-PER", "I-PER", "B-LOC"] if spans else _TAGS
    gold = [[luck.choice(kinds) for _ in range(luck.randint(1, 8))] for _ in range(n)]
    files = {}
    for name, wrong in (("gold", 0.0), ("old", 0.3), ("new", 0.2)):
        blocks = [
            "\n".join(
                f"w{k} {tag if luck.random() >= wrong else luck.choice(kinds)}"
                for k, tag in enumerate(sentence)
            )
            for sentence in gold
        ]
        if luck.random() < 0.05:
            blocks[0] = "v" + blocks[0]
        files[f"{name}.tags"] = "\n\n".join(blocks) + "\n"
    options: dict[str, Any] = {} if luck.random() < 0.1 else {"gold": "gold.tags"}
    if luck.random() < 0.3:
        options["scheme"] = "plain"
    if luck.random() < 0.3:
        options["metric"] = luck.choice(["f1", "macro_f1", "accuracy", "recall"])
    return Made(files, options)


# --- Tags in columns --------------------------------------------------------------------------

# What the first, the inner, the last and the only tag of a span are called.
_SCHEMES = {
    "IOB2": "BIIB",
    "IOB1": "IIII",
    "IOBES": "BIES",
    "BILOU": "BILU",
    "BMES": "BMES",
}


def _conll(luck: random.Random) -> Made:
    """Gold and predicted tags beside each other: a file per system, or both in one."""
    n, scheme = luck.choice([3, 20, 60]), luck.choice([*_SCHEMES, "plain", "loose"])
    labels = luck.choice([["PER", "LOC"], ["PER", "LOC", "B-2"], [""]])
    gold = [_tagged(luck, luck.randint(1, 9), scheme, labels) for _ in range(n)]
    said = [
        [
            tags if luck.random() < share else _tagged(luck, len(tags), scheme, labels)
            for tags in gold
        ]
        for share in (0.6, 0.75)
    ]
    documents = luck.choice([0, 0, 3, 10])
    mark, remarks = luck.choice(["\t", " "]), luck.random() < 0.15
    options: dict[str, Any] = {}
    if luck.random() < 0.4:
        files = {"both.conll": _columns([gold, *said], mark, documents, remarks)}
        places = [[0, 1, 2, 3], [0, -3, -1, -2], [0, 1, 2], [0, 1, 4, 2], [0, 1, 1, 2]]
        if luck.random() < 0.9:
            options["columns"] = luck.choices(places, [60, 20, 10, 5, 5])[0]
    else:
        files = {
            f"{name}.conll": _columns([gold, own], mark, documents, remarks)
            for name, own in zip(("old", "new"), said, strict=True)
        }
    name = luck.choice(list(files))
    files[name] = _spoilt(luck, files[name], mark)
    if remarks and luck.random() < 0.8:
        options["comments"] = "# "
    if luck.random() < (0.5 if scheme == "plain" else 0.1):
        options["scheme"] = "plain"
    if luck.random() < 0.4:
        options["metric"] = luck.choice(["f1", "precision", "recall", "macro_f1", "accuracy"])
    if luck.random() < 0.2:
        options["margin"] = luck.choice([0.02, 0.2])
    return Made(files, options)


def _tagged(luck: random.Random, n: int, scheme: str, labels: list[str]) -> list[str]:
    """The tags of one sentence."""
    if scheme == "plain":
        return [luck.choice(_TAGS) for _ in range(n)]
    ends = {label: f"-{label}" if label else "" for label in labels}
    if scheme == "loose":  # what no scheme allows, and models still write
        return [
            luck.choice(["O", *(f"{mark}{ends[luck.choice(labels)]}" for mark in "BIESLUM")])
            for _ in range(n)
        ]
    tags: list[str] = []
    while len(tags) < n:
        length = min(luck.choice([1, 1, 2, 3]), n - len(tags))
        if luck.random() < 0.5:
            tags += ["O"] * length
            continue
        first, inner, last, only = _SCHEMES[scheme]
        marks = [only] if length == 1 else [first, *[inner] * (length - 2), last]
        label = luck.choice(labels)
        tags += [f"{mark}{ends[label]}" for mark in marks]
    return tags


def _columns(parts: list[list[list[str]]], mark: str, documents: int, remarks: bool) -> str:
    lines = []
    for number, columns in enumerate(zip(*parts, strict=True)):
        if documents and number % documents == 0:
            lines += [mark.join(["-DOCSTART-", *["O"] * len(parts)]), ""]
        if remarks and number % 3 == 0:
            lines.append(f"# sentence {number}")
        for k, tags in enumerate(zip(*columns, strict=True)):
            lines.append(mark.join([f"w{k}", *tags]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _spoilt(luck: random.Random, text: str, mark: str) -> str:
    """Mostly as it was; sometimes a word, a tag or a cell is not what it should be."""
    return luck.choices(
        [
            text,
            text.replace(f"w1{mark}", f"v1{mark}", 1),
            text.rstrip("\n").rsplit(mark, 1)[0],
            text.replace("O\n", "Q-1\n", 1),
            text.replace(f"w2{mark}", f"w2{mark}more{mark}", 1),
            text.replace("\n\n", "\n", 1),
            text.replace("\n\n", "\n \t\n", 1),
        ],
        [70, 5, 5, 5, 5, 5, 5],
    )[0]


# --- Counts of folds ------------------------------------------------------------------------------


def _fold_counts(luck: random.Random) -> Made:
    folds = luck.choice([2, 4, 6, 6, 6, 10, 5])
    size = luck.choice([12, 90, 2000])
    names = luck.choice(_NAMES)[: luck.choices([1, 2, 3], [5, 85, 10])[0]]
    again = luck.random() < 0.3
    header = ["model", luck.choice(["fold", "split"]), "tp", "fp", "fn"]
    rows: list[list[Any]] = []
    gold = [size + luck.randrange(size) for _ in range(folds)]
    for place, name in enumerate(names):
        for k in range(folds):
            tp = int(gold[k] * min(luck.gauss(0.7 + 0.04 * place, 0.05), 1))
            rows.append([name, k + 1, tp, luck.randrange(size), gold[k] - tp])
    if again:
        header.append("repetition")
        for row in rows:
            row.append((row[1] - 1) // 2)
    if luck.random() < 0.15:
        header.append(luck.choice(["tn", "note"]))
        for row in rows:
            row.append(7)
    if luck.random() < 0.1:
        luck.choice(rows)[2] = luck.choice(["3.5", "-1", "", "4"])
    options: dict[str, Any] = {}
    if luck.random() < 0.7:
        options["repetitions"] = luck.choices([folds // 2, 3, 0], [80, 15, 5])[0]
    if luck.random() < 0.3:
        options["margin"] = luck.choice([0.001, 0.01, 0.2])
    if luck.random() < 0.3:
        options["metric"] = luck.choice(["precision", "recall", "f1", "mean"])
    if luck.random() < 0.2:
        options["systems"] = list(names[:2])[::-1]
    if luck.random() < 0.4:
        parts = {f"{name}.csv": [header[1:]] for name in names}
        for row in rows:
            parts[f"{row[0]}.csv"].append(row[1:])
        options.pop("systems", None)
        return Made({name: _csv(own) for name, own in parts.items()}, options)
    return Made({"counts.csv": _csv([header, *rows])}, options)


# --- Two separate samples -------------------------------------------------------------------------


def _separate(luck: random.Random) -> Made:
    kind = luck.choice(["right", "right", "share", "seconds", "labels", "same"])
    sizes = [luck.choice([3, 12, 50, 300]) for _ in range(2)]
    header = ["id", *(["document"] if luck.random() < 0.4 else [])]
    header += ["gold", "said"] if kind == "labels" else ["score"]
    files = {}
    for name, n in zip(("march", "april"), sizes, strict=True):
        rows = []
        for k in range(n):
            row = [f"{name if luck.random() < 0.97 else 'both'}{k}"]
            row += [f"d{luck.randrange(max(n // 5, 2))}"] * ("document" in header)
            rows.append([*row, *_outcome(luck, kind)])
        files[f"{name}.csv"] = _csv([header, *rows])
    options: dict[str, Any] = {"paired": False} if luck.random() < 0.9 else {}
    if luck.random() < 0.3:
        options["margin"] = luck.choice([0.05, 0.3])
    if luck.random() < 0.2:
        options["metric"] = luck.choice(["mean", "accuracy", "macro_f1"])
    if luck.random() < 0.2:
        options["lower"] = True
    if luck.random() < 0.1:
        options[luck.choice(["ratio", "shared_runs"])] = True
    if luck.random() < 0.1:
        options["unmatched"] = "drop"
    return Made(files, options)


def _outcome(luck: random.Random, kind: str) -> list[Any]:
    if kind == "labels":
        gold = luck.choice("xyz")
        return [gold, gold if luck.random() < 0.6 else luck.choice("xyz")]
    return [
        {
            "right": int(luck.random() < 0.7),
            "share": round(luck.betavariate(4, 2), 3),
            "seconds": round(luck.lognormvariate(1, 1), 3),
            "same": 1,
        }[kind]
    ]


KINDS: dict[str, Callable[[random.Random], Made]] = {
    "votes": _votes,
    "swebench": _swebench,
    "promptfoo": _promptfoo,
    "conllu": _conllu,
    "conll": _conll,
    "tags_apart": _tags_apart,
    "fold_counts": _fold_counts,
    "separate": _separate,
}
