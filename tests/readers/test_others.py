"""Examples, p-values, TREC runs, candidates, words, probabilities, translations, bare numbers."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from betterthan import InputError, Results, compare, confidence, read, readers, score
from betterthan.ranking import average_precision_per_query
from betterthan.readers.pvalues import P_COLUMNS

ROOT = Path(__file__).parents[2]

# --- Examples -------------------------------------------------------------------------------

READ = {
    "candidates": readers.read_candidates,
    "conll": readers.read_conll,
    "answers": lambda path: readers.read_table(path, groups="topic"),
    "conllu": lambda *paths: readers.read_conllu(*paths[:2], gold=paths[-1]),
    "datasets": readers.read_table,
    "fold_counts": lambda path: readers.read_fold_counts(path, repetitions=3),
    "folds": readers.read_folds,
    "inspect": readers.read_inspect,
    "lm_eval": readers.read_lm_eval,
    "numbers": readers.read,
    "predictions": readers.read_table,
    "probabilities": readers.read_probabilities,
    "promptfoo": readers.read_promptfoo,
    "prompts": readers.read_table,
    "pvalues": readers.read_pvalues,
    "raters": readers.read_table,
    "scores": readers.read_table,
    "seconds": readers.read_table,
    "swebench": readers.read_swebench,
    "table": readers.read_table,
    "translations": readers.read_translations,
    "trec": readers.read_trec,
    "votes": readers.read_votes,
    "words": lambda *paths: [readers.read_words(path) for path in paths],
}


@pytest.mark.parametrize("kind", sorted(READ))
def test_every_example_is_there_small_and_read_without_more_said(kind, recwarn):
    paths = readers.example(kind)
    several = paths if isinstance(paths, tuple) else (paths,)
    for path in several:
        for file in path.rglob("*") if path.is_dir() else [path]:
            assert 0 < file.stat().st_size < 30_000
            assert file.suffix == ".eval" or b"\r" not in file.read_bytes()
    assert len(READ[kind](*several)) > 0
    assert not recwarn


def test_there_is_no_example_without_a_reader():
    with pytest.raises(InputError, match="kind='xml': expected one of") as raised:
        readers.example("xml")
    listed = re.findall(r"'(\w+)'", str(raised.value).partition("expected")[2])
    assert sorted(listed) == sorted(READ), "every kind of example has a line in READ"
    assert {known.kind for known in readers.FORMATS} <= set(READ)


@pytest.mark.parametrize("known", readers.FORMATS, ids=lambda known: known.kind)
def test_every_format_says_what_is_needed_of_it(known):
    assert hasattr(readers, known.reader)
    assert known.holds and known.you_have and known.then and known.questions
    assert set(known.questions) <= {"score", "compare", "datasets", "plan", "threshold"}
    assert known.untyped <= known.options
    folder = Path(readers.__file__).parents[1] / "examples"
    assert known.example and all((folder / file).exists() for file in known.example)


def test_every_reader_is_of_a_format():
    known = {name for name in readers.__all__ if name.startswith("read_")}
    assert known - {one.reader for one in readers.FORMATS} == {"read_columns"}


def test_the_examples_go_into_the_wheel():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert "lib/betterthan" in wheel["only-include"]
    folder = ROOT / "lib" / "betterthan" / "examples"
    files = {path.relative_to(ROOT).as_posix() for path in folder.rglob("*") if path.is_file()}
    excluded = set(build.get("exclude", [])) | set(wheel.get("exclude", []))
    assert files
    assert not any(part in file for part in excluded for file in files)
    ignored = subprocess.run(
        ["git", "check-ignore", *sorted(files)], cwd=ROOT, capture_output=True, text=True
    )
    assert ignored.stdout == ""


def test_the_old_system_comes_first():
    assert [path.stem for path in readers.example("conll")] == ["old", "new"]
    assert [path.name for path in readers.example("lm_eval")] == ["old", "new"]
    assert [path.stem for path in readers.example("trec")] == ["old", "new", "judgements"]
    words = [path.stem for path in readers.example("words")]
    assert words == ["gold", "old", "new", *(f"judge{n:02d}" for n in range(1, 11))]


@pytest.mark.parametrize("kind", sorted(set(READ) - {"datasets"}))
def test_folders_and_missing_files_are_the_systems_errors(tmp_path, kind):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises((OSError, InputError)):
            READ[kind](*[path] * {"trec": 3, "translations": 2}.get(kind, 1))


def test_what_no_format_has_is_refused_with_what_can_be_read(write):
    with pytest.raises(InputError, match=r"mine\.txt: expected one of: translations, a log of"):
        read(write("one sentence alone"))
    with pytest.raises(InputError, match=r"a table of p-values, which readers.read_pvalues reads"):
        read(readers.example("pvalues"))
    with pytest.raises(InputError, match=r"labels with probabilities, which readers.read_prob"):
        read(readers.example("probabilities"))


def test_readers_do_not_load_pandas_for_counts():
    code = (
        "import sys; from betterthan import readers; "
        "readers.read(*readers.example('conll')); readers.read(readers.example('scores')); "
        "sys.exit('pandas' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- p-values -------------------------------------------------------------------------------


def test_pvalues(write):
    frame = readers.read_pvalues(write("dataset,a,b,p\nnews,90,91,0.03\ntweets,61,60,1\n"))
    assert frame.columns.tolist() == ["dataset", "p", "a", "b"]
    assert frame["p"].tolist() == [0.03, 1.0]
    said = write("dataset,p,alternative,a,b\nx,.1,two-sided,1,2\ny,.1,greater,1,2\n")
    assert readers.read_pvalues(said)["alternative"].tolist() == ["two-sided", "greater"]
    for name in (*P_COLUMNS, "P-Value", "p value"):
        assert readers.read_pvalues(write(f"dataset,{name}\nnews,0.03\n"))["p"].tolist() == [0.03]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("dataset,p\nx,1.2\n", "line 2: p='1.2': expected a number above 0 and at most 1"),
        ("dataset,p\nx,-0.1\n", "line 2: p='-0.1'"),
        ("dataset,p\nx,0.5\ny,<0.001\n", "line 3: p='<0.001': .*write 0.001, which it cannot"),
        ("dataset,p\nx,< .05\n", r"line 2: p='< \.05': .*write \.05, which it cannot"),
        ("dataset,p\nx,0.5\ny,0\n", r"line 3: p='0': .*no test gives exactly 0.*1/\(n_resamples"),
        ("dataset,p\nx,0_1\n", "line 2: p='0_1'"),
        ("dataset,q\nx,0.1\n", "expected the columns dataset, p"),
        ("dataset,a,b\nx,90,91\n", "expected the columns dataset, p.*found dataset, a, b"),
        ("dataset,p,a\nx,0.1,2\n", "a with b"),
        ("dataset,p,note\nx,0.1,yes\n", "found dataset, p, note"),
        ("dataset,p,pvalue\nx,0.1,0.1\n", "found dataset, p, pvalue"),
        ("dataset,p\nx,<.001\n", "line 2: p='<.001': expected a"),
        ("dataset,p\nx,.1\nx,.2\n", "line 3: dataset='x': comes twice, first in line 2"),
        ("dataset,p,alternative\nx,.1,two-sided\n", "line 2: alternative='two-sided': .*a and b"),
        ("dataset,p,alternative,a,b\nx,.1,less,1,2\n", "line 2: alternative='less': expected grea"),
    ],
)
def test_pvalues_refuse_with_file_and_line(write, content, words):
    with pytest.raises(InputError, match=words):
        readers.read_pvalues(write(content))


# --- TREC -----------------------------------------------------------------------------------

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
OLD = "1 Q0 d1 1 9.5 x\n1 Q0 d3 2 9.5 x\n2 Q0 d9 1 1 x\n"
NEW = "1 Q0 d2 7 -1e3 y\n1 Q0 d1 8 inf y\n"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_trec(write):
    paths = write(OLD, "old"), write("\ufeff" + NEW.replace("\n", "\r\n"), "new"), write(QRELS, "q")
    frame = readers.read_trec(*paths, missing="zero")
    rows = frame.to_numpy().tolist()
    lost = -math.inf
    # Equal scores: d3 before d1, as trec_eval has it. The rank column is not used.
    assert rows == [
        ["1", "d1", 1, -2.0, -1.0],
        ["1", "d2", 0, lost, -2.0],
        ["1", "d3", 0, -1.0, lost],
        ["2", "d1", 1, lost, lost],
        ["2", "d9", 0, -1.0, lost],
    ]
    again = readers.read_trec(*paths, relevant_from=2, missing="zero")
    assert again["gold"].tolist() == [0, 0, 0, 1, 0]
    bom = write("\ufeff" + OLD, "old")
    assert readers.read_trec(bom, *paths[1:], missing="zero").equals(frame)


def test_trec_names_queries_without_judgements(write):
    old = write(OLD + "3 Q0 d1 1 1 x\n", "old")
    with pytest.warns(UserWarning) as caught:
        frame = readers.read_trec(old, write(NEW, "new"), write(QRELS, "q"), missing="zero")
    said = [str(one.message) for one in caught]
    assert "old: 1 query (3) without judgements left out." in said
    assert "1 query (2) not in new count 0." in said
    assert {one.filename for one in caught} == {__file__}
    assert set(frame["query"]) == {"1", "2"}
    with pytest.raises(InputError, match="no query of the runs is judged"):
        readers.read_trec(old, old, write("9 0 d1 1\n", "q"))


def test_trec_queries_that_a_run_lacks_are_never_zero_in_silence(write):
    lines = [f"{q} Q0 d{d} 1 {(q * d) % 7} x\n" for q in range(1, 31) for d in (1, 2, 3)]
    qrels = "".join(f"{q} 0 d{q % 3 + 1} 1\n" for q in range(1, 31)) + "99 0 d1 0\n"
    old, cut, paths = write("".join(lines), "old"), write("".join(lines[:60]), "cut"), write(qrels)
    with pytest.raises(InputError, match=r"cut: 10 queries \(21, .*, and 5 more\).*missing='zero'"):
        readers.read_trec(old, cut, paths)
    with pytest.raises(InputError, match="not in this run"):  # though both lack them
        readers.read_trec(cut, cut, paths)
    assert len({*readers.read_trec(old, old, paths)["query"]}) == 31  # 99 has none to find

    def sentence(missing):
        with pytest.warns(UserWarning, match="1 query without a relevant document"):
            return str(compare(*read(old, cut, gold=paths, missing=missing)))

    assert re.search(r"10 queries \(21.* not in cut count 0\.", sentence("zero"))
    assert "; 20 queries; " in sentence("drop")
    assert re.search(r"10 queries \(21.* not in both runs left out\.", sentence("drop"))


def test_trec_runs_become_results():
    old, new, judged = readers.example("trec")
    table = readers.read_trec(old, new, judged)
    a, b = read(old, new, gold=judged)
    for found, column in ((a, "a"), (b, "b")):
        expected = average_precision_per_query(table, column)
        assert found.values.tolist() == expected.tolist()
        assert found.ids.tolist() == expected.index.tolist()
    assert (a.unit, a.quantity, a.name) == ("query", "average precision", "old")
    [alone] = read(old, gold=judged)
    assert alone.values.tolist() == a.values.tolist()
    with pytest.raises(InputError, match=r"old\.run: .*judgements; say gold="):
        read(old, new)


@pytest.mark.parametrize(
    ("old", "qrels", "words"),
    [
        ("", QRELS, "old: no rows"),
        ("1 Q0 d1 1 x\n", QRELS, "old, line 1: expected 6 columns"),
        ("\n\n1 Q0 d1 1 best x\n", QRELS, "old, line 3: expected a number in column 5: '1 Q0 d1"),
        ("1 Q0 d1 1 nan x\n", QRELS, "old, line 1: expected a number in column 5"),
        ("1 Q0 d1 1 1_0 x\n", QRELS, "old, line 1: expected a number in column 5"),
        (OLD + "1 Q0 d1 3 1 x\n", QRELS, "old, line 4: this document comes twice"),
        (b"1 Q0 d1 1 1 x\n1 Q0 d\xff 1 1 x\n", QRELS, "old, line 2: the byte"),
        (OLD, "1 0 d1\n", "qrels, line 1: expected 4 columns"),
        (OLD, "1 0 d1 0.5\n", "qrels, line 1: expected a whole number in column 4"),
        (OLD, "1 0 d1 inf\n", "qrels, line 1: expected a whole number in column 4"),
        (OLD, "1 0 d1 1\n1 0 d1 0\n", "qrels, line 2: this document comes twice"),
    ],
)
def test_trec_refuses_with_file_and_line(write, old, qrels, words):
    with pytest.raises(InputError, match=words):
        readers.read_trec(write(old, "old"), write(OLD, "new"), write(qrels, "qrels"))


def test_relevance_begins_at_a_whole_number(write):
    with pytest.raises(InputError, match=r"relevant_from=0\.5"):
        readers.read_trec(write(OLD, "o"), write(NEW, "n"), write(QRELS, "q"), relevant_from=0.5)


# --- Candidates -----------------------------------------------------------------------------


def test_candidates(write):
    path = write('\ufeffpair,old,new,gold\n"a\nb",1,-inf,1\n\nc,2,3e-1,False\n', "mine.csv.gz")
    frame = readers.read_candidates(path)
    assert frame.columns.tolist() == ["pair", "old", "new", "gold"]
    assert frame["gold"].tolist() == [1, 0]
    assert frame["new"].tolist() == [-math.inf, 0.3]
    assert frame["pair"].tolist() == ["a\nb", "c"]
    assert readers.read_candidates(path, scores=["new"])["old"].tolist() == ["1", "2"]
    assert readers.read_candidates(path, scores="new").equals(
        readers.read_candidates(path, scores=("new",))
    )


def test_candidates_are_right_or_wrong_in_any_spelling(write):
    said = ["0", "1", "0.0", "1.0", "false", "True", "NO", "yes"]
    path = write("gold,a\n" + "".join(f"{one},{k}\n" for k, one in enumerate(said)))
    assert readers.read_candidates(path)["gold"].tolist() == [0, 1] * 4


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        # R's write.table: one name fewer than columns; pandas takes 0.9 for score_a.
        (
            "score_a,score_b,gold\n5,0.9,0,1\n",
            {},
            "line 2: expected 3 columns.*write.table.*found 4",
        ),
        ("gold,a,b\n1,2,3\n1,2\n", {}, "line 3: expected 3 columns, one per name, found 2"),
        ('gold,a\n\n1,"2"\n\n\n1,x\n', {}, "line 6: a='x': expected a number"),
        ('gold,a,t\n1,1,"x\n\ny"\n2,1,z\n', {}, "line 5: gold='2': expected 0 or 1"),
        ("gold,a\n1,nan\n", {"scores": ["a"]}, "line 2: a='nan': expected a number"),
        ("gold,a\n1,nan\n", {}, "expected a column of scores beside 'gold'; say scores="),
        ("gold,a\n1,1\n", {"gold": "hit"}, "gold='hit': expected a column of .*: gold, a"),
        ("gold,a\n1,1\n", {"scores": ["b"]}, "scores='b': expected a column"),
        ("gold,a\n1,1\n", {"scores": 3}, "scores=3: expected"),
        (b"PK\x03\x04 not a table\n", {}, "not readable as Excel"),
        (b"gold,a\n1,\xfe\n", {}, "line 2: the byte"),
    ],
)
@pytest.mark.parametrize("name", ["mine.csv", "mine.zip", "mine.gz", "mine.xz", "mine.tar"])
def test_candidates_refuse_with_file_and_line(write, name, content, options, words):
    with pytest.raises(InputError, match=words):
        readers.read_candidates(write(content, name), **options)


# --- Words ----------------------------------------------------------------------------------


def test_words(write):
    path = write("\ufeff一 种\u3000物质\r\n是\r\n\r\n")
    assert readers.read_words(path) == [["一", "种", "物质"], ["是"]]
    assert readers.read_words(write("a\u2028b c\n")) == [["a", "b", "c"]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.txt, line 1: an empty line"),
        ("a b\n\nc\n", "mine.txt, line 2: an empty line; expected one sentence per line"),
        ("a b\n" + "c" * 100_001, "mine.txt, line 2: a line of 100,001 characters"),
        (b"a\nb\xff\n", "mine.txt, line 2: the byte"),
    ],
)
def test_words_refuse_with_file_and_line(write, content, words):
    with pytest.raises(InputError, match=words):
        readers.read_words(write(content))


def test_words_beside_the_gold_standard_become_results(write):
    gold = write("ab c\nd ef\n", "gold.txt")
    old, new = write("a b c\nd ef\n", "old.txt"), write("ab c\nd e f\n", "new.txt")
    a, b = read(old, new, gold=str(gold))
    assert a.values.tolist() == [[1, 2, 1], [2, 0, 0]]  # tp, fp, fn
    assert b.values.tolist() == [[2, 0, 0], [1, 2, 1]]
    assert (a.unit, a.metric, a.name) == ("sentence", "f1", "old")
    for other, words in (
        ("ab c\n", "1 sentences, but 2 in .*gold"),
        ("ab c\nd eg\n", "line 2: another text than in .*gold"),
    ):
        with pytest.raises(InputError, match=words):
            read(write(other, "other.txt"), gold=str(gold))


# --- Probabilities --------------------------------------------------------------------------


def test_probabilities(write):
    found = readers.read_probabilities(write("probability,correct\n0.5,1\n1,0\n0,1\n"))
    assert found.table.to_dict("list") == {"correct": [1, 0, 1], "probability": [0.5, 1.0, 0.0]}
    assert found.correct.tolist() == [1, 0, 1] and found.groups is None and len(found) == 3
    words = readers.read_probabilities(write("Confidence,correct\n0.5,True\n1,false\n0,TRUE\n"))
    assert words.correct.tolist() == [1, 0, 1] and words.probability.tolist() == [0.5, 1, 0]
    rows = "".join(f"w{i},x,{'xy'[i % 2]},.9,s{i // 2}\n" for i in range(4))
    found = readers.read_probabilities(write(f"word,gold,label,probability,group\n{rows}"))
    wanted = ["correct", "probability", "word", "gold", "label", "group"]
    assert found.table.columns.tolist() == wanted
    assert found.correct.tolist() == [1, 0, 1, 0]
    assert found.groups.tolist() == ["s0", "s0", "s1", "s1"]
    assert "not used: word" in found.reading


def test_probabilities_with_columns_of_other_names(write):
    rows = "".join(f"d{i // 5},q{i},x,{'xy'[i % 3 == 0]},0.{5 + i % 4}\n" for i in range(40))
    path = write(f"topic,question,gold,answer,probability\n{rows}")

    def found(**options):
        mine = readers.read_probabilities(path, label="answer", **options)
        return confidence.evaluate(mine.correct, mine.probability, groups=mine.groups)

    words = r"'topic' repeats.*say groups='topic' .*, or ignore='topic'"
    with pytest.raises(InputError, match=words):
        found()
    assert found(groups="topic").n_groups == 8
    assert found(ignore=["topic"]).n_groups == 40
    assert found(ignore="topic").n_groups == 40
    with pytest.raises(InputError, match="groups='page': expected a column"):
        found(groups="page")
    with pytest.raises(InputError, match="label='page': expected a column"):
        readers.read_probabilities(path, label="page")
    named = write(f"document,question,gold,answer,probability\n{rows}")
    mine = readers.read_probabilities(named, label="answer")
    assert len(set(mine.groups)) == 8


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("correct,a\n1,2\n", "expected a column probability, or confidence"),
        ("probability,label\n1,x\n", "expected a column correct, or gold and label"),
        (
            "probability,correct\n1.1,1\n",
            "line 2: probability='1.1': expected a number from 0 to 1",
        ),
        ("probability,correct\n-1e-9,1\n", "line 2: probability='-1e-9'"),
        ("probability,correct\n1,1\n1,2\n", "line 3: correct='2': expected 0 or 1"),
        ("probability,gold,label\n1,x,\n", "line 2: label='': expected a value in every row"),
        (
            "probability,correct,group\n1,1,a\n1,1,a\n1,0,b\n1,0,\n",
            "line 5: group='': expected a value",
        ),
    ],
)
def test_probabilities_refuse_with_file_and_line(write, content, words):
    with pytest.raises(InputError, match=words):
        readers.read_probabilities(write(content))


# --- Translations ---------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_translations_add_up_to_the_corpus_score(metric):
    metrics = pytest.importorskip("sacrebleu.metrics")
    paths = readers.example("translations")
    old, new = readers.read_translations(*paths, metric=metric)
    reference, *texts = (path.read_text("utf-8").splitlines() for path in paths)
    peer = {"bleu": metrics.BLEU, "chrf": metrics.CHRF, "ter": metrics.TER}[metric]()
    result = compare(old, new)  # of TER, less is better: the metric knows
    right = [peer.corpus_score(text, [reference]).score for text in texts]
    assert [result.value_a, result.value_b] == pytest.approx(right)
    assert str(result).startswith({"bleu": "BLEU is", "chrf": "ChrF is", "ter": "TER is"}[metric])
    assert "new is better than old" in str(result)
    assert old.higher_is_better == (metric != "ter")
    assert old[10:].higher_is_better == old.higher_is_better
    assert score(old[:30]).value == pytest.approx(
        peer.corpus_score(texts[0][:30], [reference[:30]]).score
    )


def test_translations_refuse(write):
    reference, old, _ = readers.example("translations")
    short = write(b"one\ntwo\n", "short.txt")
    with pytest.raises(InputError, match=r"short\.txt: 2 lines, but 60 in .*reference"):
        readers.read_translations(reference, old, short)
    with pytest.raises(InputError, match=r"gap\.txt, line 2: an empty reference"):
        readers.read_translations(write(b"one\n\nthree\n", "gap.txt"), write(b"a\nb\nc\n", "h.txt"))
    with pytest.raises(InputError, match="expected at least one file"):
        readers.read_translations(reference)
    with pytest.raises(InputError, match="references: expected at least one file"):
        readers.read_translations([], old)
    with pytest.raises(InputError, match="metric='comet': expected one of 'bleu'"):
        readers.read_translations(reference, old, metric="comet")


@pytest.mark.parametrize("end", ["", "\n"])
def test_an_empty_hypothesis_may_be_the_last(write, end):
    """A system that says nothing has said something wrong; the file may end with it or not."""
    reference = write("one two\nthree four\nfive six\n", "reference.txt")
    [mine] = readers.read_translations(reference, write(f"one two\n\n{end}", "mine.txt"))
    assert len(mine) == 3
    [other] = readers.read_translations(reference, write(f"one two\n\nx{end}", "other.txt"))
    assert len(other) == 3
    with pytest.raises(InputError, match="4 lines, but 3"):
        readers.read_translations(reference, write("a\nb\nc\nd\n", "long.txt"))


# --- One number per line ----------------------------------------------------------------------


def test_one_number_per_line(write):
    old, new = read(
        write("".join(f" {i % 3 / 2} \r\n" for i in range(40)), "old.txt"),
        write("".join(f"{i % 5 / 4}\n" for i in range(40)) + "\n\n", "new.txt"),
    )
    assert old.values.tolist() == [i % 3 / 2 for i in range(40)] and len(new) == 40
    assert (old.name, old.unit, old.ids) == ("old", "item", None)
    few = write("0.5\n0.6\n0.7\n", "few.txt")
    with pytest.raises(InputError, match=r"3 numbers that may be folds .*test_share=0\.1.*items="):
        read(few)
    assert read(few, items=True)[0].unit == "item"
    assert read(few, test_share=0.2)[0].test_share == 0.2
    for bad, words in (
        ("0.5\n\n0.5\n", "line 2: expected a finite number, found ''"),
        ("0.5\nx\n", "line 2: expected a finite number, found 'x'"),
        ("0.5\n1e999\n", "line 2: expected a finite number"),
        ("0.5\nnan\n", "line 2: expected a finite number"),
    ):
        with pytest.raises(InputError, match=words):
            read(write(bad, "bad.txt"), items=True)


def test_what_comes_out_goes_into_compare():
    """One type from every reader of results, and the front doors take it."""
    for kind in ("conll", "numbers", "inspect", "predictions"):
        paths = readers.example(kind)
        old, new = read(*(paths if isinstance(paths, tuple) else (paths,)))
        assert isinstance(old, Results) and compare(old, new).names == (old.name, new.name)
    for a, b in readers.read_lm_eval(*readers.example("lm_eval")).values():
        assert a.ids.tolist() == b.ids.tolist() and compare(a, b).n_units == len(a)
