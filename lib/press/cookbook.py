"""The cookbook: every cell that readers copy, on one page, by the file they have.

`make chapters` writes `chapters/cookbook.md` from the chapters; a test says when it is out of
date, and `test_cells.py` runs each of the cells in an empty process.
"""

from __future__ import annotations

import json
import re
import zipfile

import jupytext

from betterthan import readers
from press import ROOT

PAGE = ROOT / "chapters" / "cookbook.md"
# A file that a reader may have: its name, its example and the function that reads it.
FILES = [
    ("Tags in CoNLL columns", "conll", "read_conll"),
    ("A CSV of predictions", "predictions", "read_predictions"),
    ("A CSV of scores per item", "scores", "read_scores"),
    ("A CSV of scores on datasets", "datasets", "read_scores"),
    ("Scores of a cross-validation", "folds", "read_folds"),
    ("A CSV of p-values", "pvalues", "read_pvalues"),
    ("Logs of lm-evaluation-harness", "lm_eval", "read_lm_eval"),
    ("Logs of Inspect", "inspect", "read_inspect"),
    ("Translations and references", "translations", "read_translations"),
    ("Segmented text", "words", "read_words"),
    ("A CSV of ranked candidates", "candidates", "read_candidates"),
    ("TREC runs and judgements", "trec", "read_trec"),
    ("A CSV of labels with probabilities", "probabilities", "read_probabilities"),
]
# Where no chapter has a cell for a file.
CELLS = {
    "predictions": """\
from betterthan import compare, readers

file = readers.example("predictions")  # your own: "predictions.csv"
systems = readers.read_predictions(file)
old, new = systems["old"], systems["new"]
print(compare(old, new, metric="accuracy", names=("old", "new")))
result = compare(old, new, metric="macro_f1", names=("old", "new"))
print(result)  # the sentence for your paper
result.plot()""",
    "scores": """\
from betterthan import compare_many, readers

file = readers.example("scores")  # your own: "scores.csv"
scores = readers.read_scores(file)
result = compare_many(dict(scores))  # two systems: compare(scores["old"], scores["new"])
print(result)  # the sentence for your paper
print(result.table().round(4).to_string(index=False))
result.plot()""",
    "folds": """\
from betterthan import compare_folds, readers

file = readers.example("folds")  # your own: "folds.csv"
folds = readers.read_folds(file)
names = ("old", "new")
result = compare_folds(folds["old"], folds["new"], test_share=0.1, names=names)  # ten folds
print(result)  # the sentence for your paper
result.plot()""",
    "inspect": """\
from betterthan import compare, readers

logs = readers.example("inspect")  # your own: ("old.eval", "new.eval")
tasks = readers.read_inspect(*logs)
old, new = tasks["capitals"]  # one pair per task; epochs are runs
result = compare(old, new, names=("old", "new"))
print(result)  # the sentence for your paper
result.plot()""",
    "translations": """\
from betterthan import compare, readers

files = readers.example("translations")  # your own: ("reference.txt", "old.txt", "new.txt")
(old, new), bleu = readers.read_translations(*files)  # or metric="chrf"; needs sacrebleu
result = compare(old, new, metric=bleu, names=("old", "new"))
print(result)  # the sentence for your paper
result.plot()""",
    "probabilities": """\
from betterthan import confidence, readers

file = readers.example("probabilities")  # your own: "labels.csv"
labels = readers.read_probabilities(file)
result = confidence.evaluate(labels["correct"], labels["probability"], groups=labels["group"])
print(result)  # the sentence for your paper
print(labels.nsmallest(10, "probability").to_string(index=False))  # check these first
result.plot()""",
}
OPENING = """\
(cookbook)=
# Cookbook

<!-- Written by `make chapters` from the chapters; edit the cells there. -->

Every cell of the book that is made to be copied. Each one brings its own imports and runs by
itself in an empty file. The cells of the first part, *By the file you have*, need `betterthan`:

```console
pip install "betterthan @ git+https://github.com/better-than-chance/better-than-chance"
```

They read small example files that come with it, so that a copied cell runs at once; put the names
of your own files in the line that says so. Everywhere *old* is A, the baseline, and *new* is B; a
difference is new minus old. The cells of the second part need numpy and scipy and nothing of ours.
The chapter behind each cell says what the numbers mean and when not to trust them.
"""


def lines_of(kind: str, count: int = 3) -> str:
    """The first lines of an example, as the reader's own file should look."""
    paths = readers.example(kind)
    blocks = []
    several = paths if isinstance(paths, tuple) else (paths,)
    # One of each sort: both runs look alike, the judgements do not.
    for path in [*{path.suffix: path for path in several[::-1]}.values()][::-1]:
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as log:
                first = json.loads(log.read("summaries.json"))[0]
            text = f"{path.name} (a zip), summaries.json:\n{json.dumps(first)}"
            blocks.append(f"```text\n{text}\n…\n```\n")
            continue
        file = path if path.is_file() else min(path.glob("*.jsonl"))
        lines = [line for line in file.read_text("utf-8").splitlines() if line]
        rows = [line for line in lines if not line.startswith("-DOCSTART-")]
        blocks.append("```text\n" + "\n".join(rows[:count]) + "\n…\n```\n")
    return "\n".join(blocks)


def kind_of(source: str) -> str | None:
    """What kind of file a cell reads; of two that one function reads, the example it names."""
    kinds = [kind for _, kind, reader in FILES if f".{reader}(" in source]
    named = [kind for kind in kinds if f'"{kind}"' in source]
    return next(iter(named or kinds), None)


def cells() -> list[tuple[str, str, str, set[str]]]:
    """Label and title of the chapter, source and tags of every code cell."""
    found = []
    for page in sorted((ROOT / "chapters").glob("[0-9]-*.md")):
        text = page.read_text("utf-8")
        title = re.search(r"^# (.+)$", text, re.MULTILINE)[1]
        label = re.search(r"^\(((?:ch|more)-\d)\)=$", text, re.MULTILINE)[1]
        for cell in jupytext.reads(text, fmt="md:myst").cells:
            if cell.cell_type == "code":
                tags = set(cell.metadata.get("tags", []))
                found.append((label, title, cell.source.strip(), tags))
    return found


def place(label: str) -> str:
    """A link to the chapter or the workshop that `label` names."""
    kind, number = label.split("-")
    return f"{{ref}}`{'chapter' if kind == 'ch' else 'workshop'} {number} <{label}>`"


def page() -> str:
    """The text of the cookbook, as the chapters stand now."""
    code = "```python\n{}\n```\n"
    every = cells()
    home = [cell for cell in every if "take-home" in cell[3]]
    parts = [OPENING, "## By the file you have\n"]
    for name, kind, _ in [*FILES, ("Anything else", None, None)]:
        mine = [cell for cell in home if kind_of(cell[2]) == kind]
        if not mine and kind not in CELLS:
            continue
        parts.append(f"### {name}\n")
        if kind:
            parts.append(lines_of(kind))
        for label, title, source, _ in mine:
            parts += [f"From {place(label)}, *{title}*:\n", code.format(source)]
        if not mine:
            parts.append(code.format(CELLS[kind]))
    parts.append("## With numpy and scipy alone\n")
    alone = [cell for cell in every if "standalone" in cell[3]]
    for label, title in dict.fromkeys(cell[:2] for cell in alone):
        parts += [f"### {title}\n", f"From {place(label)}.\n"]
        parts += [code.format(source) for where, _, source, _ in alone if where == label]
    return "\n".join(parts)


def write() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
