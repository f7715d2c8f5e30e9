"""Made-up tables whose spelling is odd: what spreadsheets, scripts and people make of a table.

`odd(seed)` gives files and options: quoted or not, with lines that end in either way, numbers and
words that look like something else, names in any script or twice, ids in another order in the
second file, runs in a long table, votes. `tests/made_up.py` varies what is in a table; this varies
how it is written.
"""

from __future__ import annotations

import random
from typing import Any

from .made_up import Made

_SYSTEMS = [
    ["old", "new"],
    ["旧", "新"],
    ["e\u0301te\u0301", "été"],
    ["model 🤖", "model 🧪"],
    ["constructor", "__proto__"],
    ["x" * 70 + "1", "x" * 70 + "2"],
    ["a,b", 'a "b"'],
    ["1st", "2nd"],
    ["1", "2"],
    ["same", "same"],
    ["Old", "old"],
    ["old ", "new"],
    ["old", "new", "newer"],
    ["old", "new", "newer", "newest"],
]
_ODD_CELLS = [
    "nan",
    "NaN",
    "NA",
    "None",
    "null",
    "inf",
    "-inf",
    "Infinity",
    "1,234",
    "1,234.5",
    "1 234",
    "1'234",
    "12%",
    "−0.5",
    "+0.5",
    ".5",
    "5.",
    "1e-3",
    "1E5",
    "0x10",
    "٣",
    "½",
    "1_0",
    "True",
    "yes",
    " ",
    "-",
    "#",
    "0,5",
    "1e101",
    "1e99",
    "99999999999999999",
    "$5",
    "(0.5)",
    "0.5s",
]
_WORDS = [
    ("True", "False"),
    ("YES", "no"),
    ("Pass", "FAIL"),
    ("passed", "failed"),
    ("correct", "incorrect"),
    ("right", "wrong"),
    ("c", "i"),
    ("1.0", "0.0"),
    ("1", "0"),
    ("ja", "nein"),
]
_IDS = ["id", "Item", "example-id", "question id", "uuid", "key", "  id", "identifier", "nr.", "名"]
_GROUPS = ["document", "Doc_ID", "user", "thread", "topic", "speaker", "language", "Session id"]
_COLUMNS = ["score", "wer", "loss", "correct", "COMET", "acc", "value", "F1", "TER"]


def odd(seed: int) -> Made:
    """Files and options; the same for the same seed."""
    luck = random.Random(f"odd {seed}")
    make = luck.choices([_wide, _two_files, _long, _votes], [45, 25, 20, 10])[0]
    files, options = make(luck)
    if luck.random() < 0.15:
        options["margin"] = luck.choice([0.02, 0.0137, 1, 1e-3])
    if luck.random() < 0.1:
        options["lower"] = True
    if luck.random() < 0.05:
        options["metric"] = luck.choice(["mean", "accuracy", "f1", "macro_f1"])
    return Made(files, options)


def _values(luck: random.Random, n: int, k: int) -> list[list[str]]:
    """What `k` systems got on `n` items, one or two cells of which may look odd."""
    kind = luck.choice(["words", "words", "share", "large", "tiny", "whole", "same"])
    hard = [luck.gauss(0, 1) for _ in range(n)]
    lift, pair, found = luck.choice([0, 0.2, 0.8]), luck.choice(_WORDS), []
    for number in range(k):
        own = [x + luck.gauss(lift * number, 0.7) for x in hard]
        if kind == "words":
            found.append([pair[int(x < -0.4)] for x in own])
        elif kind == "share":
            found.append([f"{1 / (1 + 2.718**-x):.{luck.choice([2, 3, 6])}f}" for x in own])
        elif kind == "large":
            found.append([f"{2.718 ** (6 + x):.2f}" for x in own])
        elif kind == "tiny":
            found.append([f"{1e-6 * (3 + x):.3e}" for x in own])
        elif kind == "whole":
            found.append([str(round(4 + 2 * x)) for x in own])
        else:
            found.append(["0.5"] * n)
    for column in found:
        if luck.random() < 0.08:
            cell = luck.choice(_ODD_CELLS)
            for _ in range(luck.choice([1, 1, 2, n // 3])):
                column[luck.randrange(n)] = cell
    return found


def _ids(luck: random.Random, n: int) -> list[str]:
    kind = luck.choice(["q", "q", "number", "zeros", "float", "script", "case"])
    if kind == "number":
        return [str(i + luck.choice([0, 1])) if i < 1 else str(i + 1) for i in range(n)]
    if kind == "zeros":
        return [f"{i:03d}" for i in range(n)]
    if kind == "float":
        return [f"{i}.0" for i in range(n)]
    if kind == "script":
        return [f"第{i}题" for i in range(n)]
    if kind == "case":
        return [f"{'Qq'[i % 2]}{i // 2}" for i in range(n)]
    return [f"q{i}" for i in range(n)]


def _groups(luck: random.Random, n: int) -> list[str]:
    size = luck.choice([2, 5, 12, n])
    word = luck.choice(["d", "größe ", "", "文"])
    cells = [f"{word}{luck.randrange(size)}" for _ in range(n)]
    if luck.random() < 0.1:
        cells[luck.randrange(n)] = ""
    return cells


def _size(luck: random.Random) -> int:
    return luck.choice([5, 9, 10, 11, 20, 21, 48, 49, 90, 230])


def _said(luck: random.Random, name: str, options: dict[str, Any]) -> None:
    what = luck.choice(["groups", "groups", "ignore", "nothing"])
    if what != "nothing":
        options[what] = name if what == "groups" else [name]


def _wide(luck: random.Random) -> tuple[dict[str, str], dict[str, Any]]:
    n, names, options = _size(luck), luck.choice(_SYSTEMS), {}
    columns: list[tuple[str, list[str]]] = []
    if luck.random() < 0.8:
        columns.append((luck.choice(_IDS), _ids(luck, n)))
    if luck.random() < 0.4:
        columns.append((luck.choice(_GROUPS), _groups(luck, n)))
        _said(luck, columns[-1][0], options)
    columns += zip(names, _values(luck, n, len(names)))
    if luck.random() < 0.6:
        options["items"] = True
    if luck.random() < 0.1:
        options["empty"] = luck.choice(["wrong", "drop"])
    name = luck.choice(["table.csv", "TABLE.CSV", "my table.csv", "t.tsv", "tабл.txt"])
    return {name: _written(luck, columns, "\t" if name.endswith("tsv") else None)}, options


def _two_files(luck: random.Random) -> tuple[dict[str, str], dict[str, Any]]:
    n, options, files = _size(luck), {}, {}
    ids, values = _ids(luck, n), _values(luck, n, 2)
    key, column = luck.choice(_IDS), luck.choice(_COLUMNS)
    groups = _groups(luck, n) if luck.random() < 0.3 else None
    grouped = luck.choice(_GROUPS)
    for number, system in enumerate(luck.choice([["old", "new"], ["a b", "ä"], ["x", "X2"]])):
        rows = [*range(n)]
        if number and luck.random() < 0.6:
            luck.shuffle(rows)
        if luck.random() < 0.12:
            rows = rows[luck.choice([1, n // 3]) :]
        columns = [(key, [ids[i] for i in rows]), (column, [values[number][i] for i in rows])]
        if groups is not None:
            columns.append((grouped, [groups[i] for i in rows]))
        if luck.random() < 0.3:
            columns.reverse()
        files[f"{system}.csv"] = _written(luck, columns)
    if groups is not None:
        _said(luck, grouped, options)
    if luck.random() < 0.3:
        options["unmatched"] = "drop"
    if luck.random() < 0.15:
        options["paired"] = False
    return files, options


def _long(luck: random.Random) -> tuple[dict[str, str], dict[str, Any]]:
    n, runs, options = luck.choice([9, 21, 40]), luck.choice([1, 2, 3, 5]), {}
    names = luck.choice(_SYSTEMS)
    run = luck.choice(["seed", "run", "Judge", "template", "trial"])
    ids, rows = _ids(luck, n), []
    values = [_values(luck, n, len(names)) for _ in range(runs)]
    for r in range(runs):
        for k, name in enumerate(names):
            called = r if k == 0 or luck.random() < 0.9 else r + 10
            rows += [(ids[i], name, str(called), values[r][k][i]) for i in range(n)]
    if luck.random() < 0.4:
        luck.shuffle(rows)
    if luck.random() < 0.08:
        rows.pop()
    cells = [list(column) for column in zip(*rows)]
    called = [luck.choice(_IDS), luck.choice(["model", "System", "model name"]), run, "score"]
    columns = list(zip(called, cells))
    if runs == 1:
        del columns[2]
    if luck.random() < 0.15 and runs > 1:
        options["shared_runs"] = True
    return {"long.csv": _written(luck, columns)}, options


def _votes(luck: random.Random) -> tuple[dict[str, str], dict[str, Any]]:
    n, options = luck.choice([8, 30, 75, 160]), {}
    left, right = luck.choice(
        [("model_a", "model_b"), ("Model A", "Model B"), ("model_1", "model_2")]
    )
    names = luck.choice(_SYSTEMS)[:2]
    places = [luck.sample(names, 2) for _ in range(n)]
    words = luck.choice(
        [
            ("model_a", "model_b", "tie"),
            ("A", "B", "Tie (both bad)"),
            ("left", "right", "neither"),
            ("1", "2", "draw"),
            ("first", "second", "same"),
            ("model_1", "model_2", "bothbad"),
        ]
    )
    won = [words[luck.choices([0, 1, 2], [4, 5, 2])[0]] for _ in range(n)]
    if luck.random() < 0.1:
        won[luck.randrange(n)] = luck.choice(["", "C", "both", "equal"])
    columns = [(left, [a for a, _ in places]), (right, [b for _, b in places]), ("winner", won)]
    if luck.random() < 0.6:
        rater = luck.choice(["judge", "worker_id", "rater_id", "user", "annotator_id"])
        columns.insert(0, (rater, [f"r{luck.randrange(6)}" for _ in range(n)]))
        if luck.random() < 0.4:
            options["groups"] = rater
    if luck.random() < 0.5:
        columns.append((luck.choice(["prompt", "question_id"]), [f"p{i // 2}" for i in range(n)]))
    return {"votes.csv": _written(luck, columns)}, options


def _written(
    luck: random.Random, columns: list[tuple[str, list[str]]], mark: str | None = None
) -> str:
    """The table as text, spelled in some way."""
    mark = mark or luck.choice([",", ",", ",", ";", "\t"])
    rows = [[name for name, _ in columns], *map(list, zip(*(cells for _, cells in columns)))]
    quoted, padded = luck.choice([0, 0, 0.3, 1]), luck.choice(["", "", "", " "])
    ends = luck.choice(
        [["\n"], ["\n"], ["\n"], ["\r\n"], ["\r\n"], ["\n", "\r\n"], ["\n", "\r\n"], ["\r"]]
    )
    blank = luck.choice([0, 0, 0, 0.1])
    text = "\ufeff" if luck.random() < 0.15 else ""
    for row in rows:
        cells = [_cell(luck, cell, mark, quoted) for cell in row]
        text += (mark + padded).join(cells) + luck.choice(ends)
        text += luck.choice(ends) * (luck.random() < blank)
    return text.rstrip("\r\n") if luck.random() < 0.2 else text


def _cell(luck: random.Random, cell: str, mark: str, quoted: float) -> str:
    if luck.random() < quoted or any(letter in cell for letter in f'{mark}"\n\r'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
