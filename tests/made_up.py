"""Made-up files as people have them, for comparing two readers of the same rule.

`made_up(seed)` gives files and options: tables wide, long or one per system, with any separator or
as JSON, with ids, groups, blanks and columns that belong to nothing, whole or slightly broken.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

Cells = dict[str, list[str]]

_WORDS = [("True", "False"), ("true", "false"), ("pass", "fail"), ("yes", "no"), ("C", "I")]
_NAMES = [
    ["old", "new", "large", "tiny"],
    ["A", "B", "C", "D"],
    ["it's", "größer", "b-2", "model b"],
]
_CLASSES = [["x", "y"], ["NEG", "POS", "neutral"], ["0", "1"], ["1", "2", "3", "4", "5"]]
_BROKEN = ["n/a", "0,5", "85%", "nan", "1_000", "1e150", "½", "-", "1e999", "0x1", "٣"]


@dataclass
class Made:
    """Files by name, and what is said about them."""

    files: dict[str, str]
    options: dict[str, Any] = field(default_factory=dict)


def made_up(seed: int) -> Made:
    """Files and options; the same for the same seed."""
    luck = random.Random(seed)
    layout = luck.choices(["wide", "long", "files", "lines"], [60, 18, 18, 4])[0]
    if layout == "lines":
        return _lines(luck)
    table = _Table(luck)
    options = table.options
    if layout == "wide":
        made = Made({f"table{_ending(luck)}": ""}, options)
        made.files = {name: _written(luck, table.wide(), name) for name in made.files}
    elif layout == "long":
        made = Made({}, options)
        name = f"runs{_ending(luck)}"
        made.files[name] = _written(luck, table.long(), name)
        options.pop("systems", None)
    else:
        parts = table.one_per_system()
        made = Made({}, options)
        options.pop("systems", None)
        for system, part in parts.items():
            name = f"{system}{_ending(luck)}"
            made.files[name] = _written(luck, part, name)
    return made


def _ending(luck: random.Random) -> str:
    return luck.choice([".csv", ".csv", ".csv", ".tsv", ".txt", ".jsonl", ".json"])


def _lines(luck: random.Random) -> Made:
    n = luck.choice([6, 12, 40, 300])
    files = {}
    for name in ("old", "new")[: luck.choice([1, 2, 2, 2])]:
        numbers = [f"{luck.gauss(0.5, 0.2):.4f}" for _ in range(n)]
        if luck.random() < 0.1:
            numbers[luck.randrange(n)] = luck.choice(_BROKEN)
        files[f"{name}.txt"] = "\n".join(numbers) + "\n"
    options: dict[str, Any] = {}
    if luck.random() < 0.4:
        options = luck.choice([{"items": True}, {"test_share": 0.1}])
    return Made(files, options)


class _Table:
    """What is in the files, before it is written down."""

    def __init__(self, luck: random.Random) -> None:
        self.luck = luck
        self.n = luck.choice([4, 9, 12, 25, 40, 60, 150, 320, 1100])
        k = luck.choices([1, 2, 3, 4], [3, 75, 15, 7])[0]
        self.systems = luck.choice(_NAMES)[:k]
        self.options: dict[str, Any] = {}
        self.labelled = False
        self.columns: Cells = {}
        self.answers: Cells = {}
        self._name_rows()
        self._put_in_groups()
        self._answer()
        self._add_extras()
        self._leave_blank()
        self._say()

    def maybe(self, share: float) -> bool:
        return self.luck.random() < share

    def _name_rows(self) -> None:
        luck, n = self.luck, self.n
        kind = luck.choice(
            ["none", "text", "text", "text", "numbers", "shuffled", "pandas", "twice"]
        )
        if kind == "none":
            return
        name = luck.choice(["id", "item", "question_id", "segment", "Sample", "prompt", "nr"])
        cells = [f"s{i:04d}" for i in range(n)]
        if kind in ("numbers", "shuffled", "pandas"):
            cells = [str(i + (kind == "numbers")) for i in range(n)]
        if kind == "shuffled":
            luck.shuffle(cells)
        if kind == "twice":
            cells[-1] = cells[0]
        self.columns["" if kind == "pandas" else name] = cells

    def _put_in_groups(self) -> None:
        luck, n = self.luck, self.n
        kind = luck.choice(["none", "none", "known", "known", "unknown", "numbers", "within"])
        if kind == "none":
            return
        size = luck.choice([2, 3, 7, 30])
        name = luck.choice(["document", "task", "contest_id", "author"])
        place = [min(int(size * (i / n) ** 1.5), size - 1) for i in range(n)]
        if self.maybe(0.4):
            luck.shuffle(place)
        if kind in ("unknown", "numbers"):
            name = luck.choice(["topic", "genre", "chapter"])
            self._answer_question(name)
        if kind == "within":
            seen: dict[int, int] = {}
            inside = []
            for one in place:
                seen[one] = seen.get(one, 0) + 1
                inside.append(str(seen[one]))
            self.columns[luck.choice(["sentence", "number"])] = inside
        word = "" if kind == "numbers" else "g"
        self.columns[name] = [f"{word}{one}" for one in place]

    def _answer_question(self, name: str) -> None:
        """Sometimes what is not clear is said, sometimes not."""
        said = self.luck.choice(["groups", "groups", "ignore", "nothing"])
        if said == "groups":
            self.options["groups"] = name
        if said == "ignore":
            self.options.setdefault("ignore", []).append(name)

    def _answer(self) -> None:
        luck = self.luck
        kind = luck.choice(
            ["scores", "scores", "right", "words", "labels", "labels", "grades", "large"]
        )
        hard = [luck.gauss(0, 1) for _ in range(self.n)]
        lift = luck.choice([0, 0.1, 0.3, 1])
        if kind == "labels":
            self._label(hard, lift)
            return
        pair = luck.choice(_WORDS)
        for number, name in enumerate(self.systems):
            noise = [x + luck.gauss(lift * number, 0.8) for x in hard]
            self.answers[name] = [_score(kind, x, pair) for x in noise]
        if self.maybe(0.05):  # everybody agrees
            first = self.answers[self.systems[0]]
            self.answers = {name: list(first) for name in self.systems}

    def _label(self, hard: list[float], lift: float) -> None:
        luck = self.luck
        self.labelled = True
        classes = luck.choice(_CLASSES)
        if self.maybe(0.1):
            classes = [f"answer {i}" for i in range(60)]
        gold = [luck.choice(classes) for _ in hard]
        self.columns[luck.choice(["gold", "label", "target", "answer", "right one"])] = gold
        for number, name in enumerate(self.systems):
            right = [x + luck.gauss(lift * number, 0.7) > -0.8 for x in hard]
            given = [g if ok else luck.choice(classes) for g, ok in zip(gold, right)]
            if self.maybe(0.15):
                given[luck.randrange(len(given))] = "Slip of the 'pen'"
            self.answers[name] = given
        if "right one" in self.columns and self.maybe(0.7):
            self.options["gold"] = "right one"

    def _add_extras(self) -> None:
        luck, n = self.luck, self.n
        if self.maybe(0.25):
            notes = [""] * n
            for _ in range(max(1, n // 15)):
                notes[luck.randrange(n)] = luck.choice(["odd", "a typo, or two", 'says "no"'])
            self.columns["note"] = notes
        if self.maybe(0.2):
            self.columns["difficulty"] = [luck.choice(["easy", "hard"]) for _ in range(n)]
            self._answer_question("difficulty")
            if self.maybe(0.3):
                self.options["where"] = {"difficulty": luck.choice(["easy", "hard"])}
        if self.maybe(0.12):
            self.columns["length"] = [str(luck.randint(3, 90)) for _ in range(n)]
            if self.maybe(0.6):
                self.options.setdefault("ignore", []).append("length")
        if self.maybe(0.06):
            self.columns["long"] = [luck.choice(["True", "False"]) for _ in range(n)]
        if self.maybe(0.1):
            self.columns["text"] = [
                f"Text no. {i}; of\nlines, {luck.random():.3f}" for i in range(n)
            ]

    def _leave_blank(self) -> None:
        if self.maybe(0.15):
            for name in self.answers:
                for _ in range(self.luck.choice([0, 1, max(1, self.n // 20)])):
                    self.answers[name][self.luck.randrange(self.n)] = ""
            if self.maybe(0.8):
                self.options["empty"] = self.luck.choice(["wrong", "drop"])
        if self.maybe(0.08):
            name = self.luck.choice(list(self.answers))
            self.answers[name][self.luck.randrange(self.n)] = self.luck.choice(_BROKEN)

    def _say(self) -> None:
        luck = self.luck
        if self.maybe(0.1):
            self.options["lower"] = True
        if self.maybe(0.1):
            self.options["margin"] = luck.choice([0.0137, 0.0519])
        if self.maybe(0.2):
            known = (
                ["accuracy", "f1", "macro_f1", "recall"] if self.labelled else ["mean", "accuracy"]
            )
            self.options["metric"] = luck.choice([*known, *known, "precision", "mean"])
        if self.maybe(0.25 if self.labelled else 0.01):
            self.options["positive"] = luck.choice(["x", "POS", "1", "nothing"])
        if self.maybe(0.15):
            self.options["unmatched"] = "drop"
        if self.maybe(0.1) and len(self.systems) > 2:
            self.options["systems"] = luck.sample(self.systems, 2)
        if self.maybe(0.25):
            self.options["items"] = True
        elif self.maybe(0.05):
            self.options["test_share"] = luck.choice([0.1, 0.2])

    # --- Layouts --------------------------------------------------------------------------------

    def wide(self) -> Cells:
        """One column per system, sometimes somewhere between the others."""
        columns = [*self.columns.items(), *self.answers.items()]
        if self.maybe(0.2):
            self.luck.shuffle(columns)
        # No other place has a name that is blank.
        columns.sort(key=lambda pair: pair[0] != "")
        return dict(columns)

    def long(self) -> Cells:
        """One row per item and system, and per run."""
        runs = self.luck.choice([1, 1, 2, 3])
        if not self.columns or self.maybe(0.5):  # else little can be said about a long table
            self.columns = {"item": [f"s{i:04d}" for i in range(self.n)], **self.columns}
        model = self.luck.choice(["model", "system", "model_name"])
        value = self.luck.choice(["score", "acc", "result"])
        found: Cells = {
            name: [] for name in (*self.columns, model, *(["seed"] if runs > 1 else []))
        }
        found[value] = []
        for name, own in self.answers.items():
            for run in range(runs):
                for i, cell in enumerate(own):
                    for column, cells in self.columns.items():
                        found[column].append(cells[i])
                    found[model].append(name)
                    if runs > 1:
                        found["seed"].append(str(run + 8))
                    again = run and self.luck.random() < 0.2
                    found[value].append(self.luck.choice(own) if again else cell)
        return found

    def one_per_system(self) -> dict[str, Cells]:
        """A file per system; ids may come in another order, and not all of them."""
        value = self.luck.choice(["score", "COMET", "wer", "correct"])
        found = {}
        for number, (name, own) in enumerate(self.answers.items()):
            rows = list(range(self.n))
            if number and self.maybe(0.4):
                self.luck.shuffle(rows)
            if number and self.maybe(0.15):
                rows = rows[: -max(1, self.n // 10)]
            whole = {**self.columns, (name if self.maybe(0.1) else value): own}
            found[name] = {column: [cells[i] for i in rows] for column, cells in whole.items()}
        return found


def _score(kind: str, x: float, pair: tuple[str, str]) -> str:
    if kind == "right":
        return str(int(x > -0.3))
    if kind == "words":
        return pair[int(x < -0.3)]
    if kind == "grades":
        return str(min(5, max(1, round(3 + x))))
    if kind == "large":
        return f"{60 + 12 * x:.2f}"
    return f"{1 / (1 + 2.718**-x):.3f}"


# --- Writing it down ----------------------------------------------------------------------------


def _written(luck: random.Random, table: Cells, name: str) -> str:
    if name.endswith((".jsonl", ".json")):
        return _as_json(luck, table, lines=name.endswith(".jsonl"))
    mark = "\t" if name.endswith(".tsv") else luck.choice([",", ",", ",", ";", "\t"])
    rows = [list(table), *map(list, zip(*table.values()))]
    if luck.random() < 0.04:
        _damage(luck, rows)
    always = luck.random() < 0.1
    lines = [mark.join(_cell(cell, mark, always) for cell in row) for row in rows]
    if luck.random() < 0.06:
        lines.insert(0, "# made by nobody, for nothing")
    if luck.random() < 0.03:
        lines[0] = "#" + lines[0]
    end = "\r\n" if luck.random() < 0.15 else "\n"
    text = end.join(lines) + end * luck.choice([0, 1, 1, 2])
    return "\ufeff" + text if luck.random() < 0.05 else text


def _damage(luck: random.Random, rows: list[list[str]]) -> None:
    """One thing that goes wrong with files."""
    what = luck.choice(["cut", "empty", "names", "header", "more"])
    place = luck.randrange(1, len(rows))
    if what == "cut":
        rows[-1] = rows[-1][:-1]
    if what == "empty":
        rows[place] = [""] * len(rows[place])
    if what == "names":
        rows[0][-1] = rows[0][0]
    if what == "header":
        del rows[0]
    if what == "more":
        rows[place].append("1")


def _cell(cell: str, mark: str, always: bool) -> str:
    if always or any(letter in cell for letter in f'{mark}"\n\r'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _as_json(luck: random.Random, table: Cells, *, lines: bool) -> str:
    typed = luck.random() < 0.7
    rows = [dict(zip(table, row)) for row in zip(*table.values())]
    records = [{name: _json_value(cell, typed) for name, cell in row.items()} for row in rows]
    if luck.random() < 0.15:
        for record in records:
            record["meta"] = {"b": [1, 2.50], "a": None}
    if lines:
        return (
            "\n".join(json.dumps(one, ensure_ascii=luck.random() < 0.5) for one in records) + "\n"
        )
    return json.dumps(records, indent=luck.choice([None, 1]))


def _json_value(cell: str, typed: bool) -> Any:
    if cell == "":
        return None
    if typed and cell in ("True", "False", "true", "false"):
        return cell.lower() == "true"
    try:
        return json.loads(cell) if typed else cell
    except ValueError:
        return cell
