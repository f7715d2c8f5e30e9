"""The explorables' data and still pictures, made from what the book has committed.

    python -m press.explore          # all
    python -m press.explore groups   # some

`chapters/_static/explore/NAME.js` draws on the page, with what `NAME.data.js` holds (`PARTS` names
the other scripts of a large one); `NAME.svg` is for paper and for the notebooks. A function
``NAME_data`` returns what goes into the former, one called ``NAME_still`` draws the latter (with _
for the hyphens of NAME); both are found by their names, here or in another module of `MODULES`.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
from collections.abc import Callable
from typing import Any

from press import ROOT

FOLDER = ROOT / "chapters" / "_static" / "explore"
MODULES = ("press.explore", "press.explore_more", "press.explore_lesson", "press.explore_seal")
# Explorables in several scripts: those that come before NAME.js, in this order.
PARTS = {
    "compare-files": (
        "compare-words",
        "compare-tables",
        "compare-roles",
        "compare-read",
        "compare-conll",
        "compare-conllu",
        "compare-swebench",
        "compare-promptfoo",
        "compare-votes",
        "compare-fold-counts",
        "compare-elsewhere",
        "compare-formats",
        "compare-together",
        "compare-jackknife",
        "compare-score",
        "compare-separate",
        "compare-stats",
        "compare-pictures",
    )
}
WIDTH, HEIGHT = 6.4, 3.2


# Where a page asks for other values than the script starts with, ``:::{explore} NAME PRESET``: the
# controls of NAME, and the still picture that fits them, NAME-PRESET.svg.
PRESETS = {("coin-flips", "flytxt"): {"a": "FLYTXT", "b": "UH-RiTUAL", "side": "one"}}


def markdown(called_for: str, words: str, folder: str = "") -> str:
    """A box with the still picture and the words: what the directive stands for in a notebook.

    `called_for` is the name of an explorable, and after it that of a preset if the page has one.
    The words say what is to be seen, so they are folded: a reader plays first.
    """
    name, _, preset = called_for.partition(" ")
    if preset and (name, preset) not in PRESETS:
        raise ValueError(f"explore {called_for}: there is no such preset in press.explore.PRESETS")
    values = " ".join(f"{key}={value}" for key, value in PRESETS.get((name, preset), {}).items())
    asked = f' data-preset="{values}"' if values else ""
    called = name.replace("-", " ")
    alt = f"Still picture of something to play with, {called}; the words below say what it shows."
    box = f'<div class="explore" data-explore="{name}"{asked} role="group" aria-label="{called}">'
    picture = f"![{alt}]({folder}_static/explore/{called_for.replace(' ', '-')}.svg)"
    answer = '<details class="explore-answer"><summary>What it shows</summary>'
    return "\n\n".join([box, picture, answer, words.strip(), "</details>", "</div>"])


def scripts(*names: str) -> list[str]:
    """The scripts that a page with these explorables loads, in their order."""
    wanted = ["core.js"]
    for name in names:
        wanted += [f"{part}.js" for part in PARTS.get(name, ())]
        wanted += [f"{name}.data.js", f"{name}.js"]
    return [file for file in wanted if (FOLDER / file).exists()]


def found(kind: str) -> dict[str, Callable]:
    """The functions that make data, or still pictures, by the names of the explorables."""
    modules = [importlib.import_module(name) for name in MODULES]
    functions = [pair for module in modules for pair in vars(module).items()]
    end = f"_{kind}"
    return {n.removesuffix(end).replace("_", "-"): f for n, f in functions if n.endswith(end)}


def script(name: str, data: Any) -> str:
    """What `NAME.data.js` says."""
    packed = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    head = f"// Written by `python -m press.explore {name}` from committed tables.\n"
    return f"{head}Explore.data[{json.dumps(name)}] = {packed};\n"


def still(draw: Callable[[], Any]) -> str:
    """The picture as SVG, the same bytes every time; text stays text."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    settings = {"svg.hashsalt": "betterthan", "svg.fonttype": "none"}
    with mpl.rc_context(), plt.style.context("betterthan.book"), mpl.rc_context(settings):
        figure, buffer = draw(), io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    # Places to a hundredth of a point, finer than any screen; what the picture says stays as it is.
    text = re.sub(r'="[^"]*"', _to_hundredths, buffer.getvalue())
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _to_hundredths(attribute: re.Match[str]) -> str:
    return re.sub(r"(\d\.\d\d)\d+", r"\1", attribute[0])


def files(*names: str) -> dict[str, str]:
    """The text of every file, by its name, or of those of some explorables."""
    made = {f"{n}.data.js": lambda n=n, f=f: script(n, f()) for n, f in found("data").items()}
    made |= {f"{n}.svg": lambda f=f: still(f) for n, f in found("still").items()}
    return {n: make() for n, make in made.items() if not names or n.split(".")[0] in names}


def main() -> None:
    for name, text in files(*sys.argv[1:]).items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.encode()):,} bytes")


# --- coin-flips: intro and chapter 3 --------------------------------------------------------


def coin_flips_data() -> dict[str, Any]:
    """Counts per sentence of the systems of WNUT-2017, the best first; start with the best two."""
    from betterthan import datasets

    table = datasets.study_table("replicability-wnut")
    times, names = table["sentences"], [n[3:] for n in table if n.startswith("tp_")]
    sums = {n: [table[f"{k}_{n}"] @ times for k in ("tp", "fp", "fn")] for n in names}
    ranked = sorted(names, key=lambda n: -sums[n][0] / (2 * sums[n][0] + sum(sums[n][1:])))
    columns = [f"{kind}_{name}" for name in ranked for kind in ("tp", "fp", "fn")]
    return {
        "systems": ranked,
        "start": [1, 0],
        "total": int(times.sum()),
        "sentences": times.tolist(),
        "counts": table[columns].to_numpy().tolist(),
    }


def coin_flips_still(pair: tuple[int, int] | None = None, one_way: bool = False) -> Any:
    """The histogram after many rounds, with the difference that was seen."""
    import matplotlib.pyplot as plt
    import numpy as np

    data, rng = coin_flips_data(), np.random.default_rng(0)
    rows = np.repeat(np.array(data["counts"]), data["sentences"], axis=0).reshape(-1, 7, 3)
    pair = pair or tuple(data["start"])
    a, b = (rows[:, i] for i in pair)
    moved = np.concatenate([rng.integers(0, 2, (500, len(a))) @ (b - a) for _ in range(20)])
    f1 = lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1] + s[..., 2])  # noqa: E731
    drawn, seen = (f1(b.sum(0) - m) - f1(a.sum(0) + m) for m in (moved, 0 * moved[0]))
    figure, ax = plt.subplots(figsize=(WIDTH, HEIGHT))
    width = abs(seen) / round(abs(seen) / 0.002)
    edges = np.arange(-30, 31) * width
    counts, _ = np.histogram(drawn, edges)
    middle = edges[:-1] + width / 2
    far = (middle * np.sign(seen) if one_way else np.abs(middle)) > abs(seen)
    colours = np.where(far, np.where(middle > 0, "C1", "C0"), "0.6")  # of who is ahead
    ax.bar(edges[:-1], counts, width, align="edge", color=colours)
    ax.axvline(seen, color="0.2")
    if not one_way:
        ax.axvline(-seen, color="0.2", linestyle=":")
    ax.annotate("seen", (seen, counts.max()), (4, 0), textcoords="offset points")
    names = [data["systems"][i] for i in pair]
    ax.set(xlabel=f"{names[1]} minus {names[0]}, F1, after the coins", ylabel="rounds")
    return figure


def coin_flips_flytxt_still() -> Any:
    """The same for the pair that chapter 3 asks for, one way round."""
    asked, systems = PRESETS["coin-flips", "flytxt"], coin_flips_data()["systems"]
    return coin_flips_still((systems.index(asked["a"]), systems.index(asked["b"])), one_way=True)


# --- groups: chapter 1 ----------------------------------------------------------------------


def groups_still() -> Any:
    """How many independent items a test set is worth, as the items of a group grow alike."""
    import matplotlib.pyplot as plt
    import numpy as np

    alike = np.linspace(0, 0.8, 81)
    figure, ax = plt.subplots(figsize=(WIDTH, HEIGHT))
    for n_groups in (60, 20, 12, 5):
        ax.plot(alike, 480 / (1 + (480 / n_groups - 1) * alike), label=f"{n_groups} groups")
    ax.set(xlabel="how alike the items of a group are (intra-class correlation)", yscale="log")
    ax.set(ylabel="what 480 items are worth", yticks=[5, 12, 20, 60, 480], ylim=(4, 600))
    ax.yaxis.set_major_formatter("{x:.0f}")
    ax.minorticks_off()
    ax.legend(ncols=2)
    return figure


# --- compare-files: Compare two files here --------------------------------------------------


def compare_files_data() -> list[dict[str, Any]]:
    """The shipped examples, to try the page with."""
    from betterthan import readers

    kinds = {
        "conll": "Two CoNLL files",
        "predictions": "Predictions",
        "scores": "Scores",
        "votes": "Votes",
    }
    made = []
    for kind, label in kinds.items():
        paths = readers.example(kind)
        paths = paths if isinstance(paths, tuple) else (paths,)
        first, *others = ({"name": path.name, "text": path.read_text("utf-8")} for path in paths)
        files = [first, *(_by_its_changes(one, first["text"]) for one in others)]
        made.append({"label": label, "files": files})
    return made


def _by_its_changes(file: dict[str, Any], first: str) -> dict[str, Any]:
    """A file with as many lines as the first by those that differ, which is half the bytes."""
    both = list(zip(first.split("\n"), file["text"].split("\n"), strict=True))
    changes = {row: own for row, (was, own) in enumerate(both) if was != own}
    return {"name": file["name"], "changes": changes}


def compare_files_still() -> Any:
    """What the page draws for the CoNLL example."""
    from betterthan import compare, read, readers

    return compare(*read(*readers.example("conll"))).plot().figure


if __name__ == "__main__":
    main()
