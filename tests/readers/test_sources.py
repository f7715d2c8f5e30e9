"""Files as bytes: opened once and whole, unpacked within limits, decoded with their line."""

from __future__ import annotations

import builtins
import gzip
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from betterthan import InputError, read, readers
from betterthan.readers import _text
from betterthan.readers._text import Source, as_number, as_score

NUMBERS = "".join(f"{0.25 + 0.5 * (i % 2)}\n" for i in range(20_000))  # 100 KB, mean 0.5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_read_once_and_whole(tmp_path):
    """It lost its first 8 KB: opened once to guess, and once to read."""
    pipe = tmp_path / "numbers"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(NUMBERS,))
    writer.start()
    [found] = read(pipe)
    writer.join()
    assert len(found) == 20_000 and found.values.mean() == 0.5


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize("kind", ["conll", "scores", "numbers"])
def test_what_a_shell_passes_in_is_read_like_a_file(kind):
    """``betterthan score <(cat FILE)``: the shell gives /dev/fd/63."""
    paths = readers.example(kind)
    path = paths[0] if isinstance(paths, tuple) else paths
    end, other = os.pipe()

    def send():
        with open(other, "wb") as pipe:
            pipe.write(path.read_bytes())

    writer = threading.Thread(target=send)
    writer.start()
    found = read(f"/dev/fd/{end}")
    writer.join()
    os.close(end)
    expected = read(path)
    assert [one.values.tolist() for one in found] == [one.values.tolist() for one in expected]


@pytest.mark.parametrize("kind", ["conll", "scores", "numbers"])
def test_standard_input_is_a_file_called_minus(kind):
    paths = readers.example(kind)
    path = paths[0] if isinstance(paths, tuple) else paths
    code = "from betterthan import read; print([one.values.tolist() for one in read('-')])"
    done = subprocess.run([sys.executable, "-c", code], stdin=path.open("rb"), capture_output=True)
    expected = [one.values.tolist() for one in read(path)]
    assert done.stdout.decode().strip() == str(expected), done.stderr


def test_a_file_that_is_not_there_may_be_another(write):
    path = write("id,old,new\ns1,1,0\ns2,0,1\n", "scores.csv")
    for typed in ("scoers.csv", "Scores.cvs"):
        with pytest.raises(FileNotFoundError, match=r"\(is it .*scores\.csv\?\)") as refusal:
            read(path.parent / typed)
        assert refusal.value.filename == str(path.parent / typed)
    with pytest.raises(FileNotFoundError, match="directory: "):
        read(path.parent / "other.csv")


def test_standard_input_is_no_folder_even_where_one_has_its_name(tmp_path, monkeypatch):
    (tmp_path / "-").mkdir()
    monkeypatch.chdir(tmp_path)
    assert readers.Source("-").folder is None and readers.Source("./-").folder is not None


@pytest.mark.parametrize("kind", ["conll", "scores", "numbers", "predictions", "inspect"])
def test_what_is_read_is_opened_once(monkeypatch, kind):
    opened = []

    def counted(path, *arguments, **options):
        opened.append(path)
        return opens(path, *arguments, **options)

    opens = builtins.open
    monkeypatch.setattr(builtins, "open", counted)
    paths = readers.example(kind)
    paths = paths if isinstance(paths, tuple) else (paths,)
    read(*paths)
    assert [opened.count(path) for path in paths] == [1] * len(paths)


def test_files_packed_by_gzip_are_unpacked_whatever_they_are_called(write):
    for name in ("numbers.gz", "numbers.txt"):
        [found] = read(write(gzip.compress(NUMBERS.encode()), name))
        assert len(found) == 20_000 and found.name == "numbers"
    twice = write(gzip.compress(b"0.5\n" * 10) + gzip.compress(b"0.25\n" * 10), "twice.gz")
    assert len(read(twice)[0]) == 20  # what `cat a.gz b.gz` and parallel gzip write


@pytest.mark.parametrize("cut", [3, 12, -5])
def test_a_gzip_file_that_is_cut_off_is_refused(write, cut):
    packed = gzip.compress(np.random.default_rng(0).bytes(500))
    with pytest.raises(InputError, match=r"mine\.gz: not readable as gzip .*cut off"):
        read(write(packed[:cut], "mine.gz"))


def test_gzip_followed_by_something_else_is_refused(write):
    with pytest.raises(InputError, match=r"mine\.gz: not readable as gzip"):
        read(write(gzip.compress(b"0.5\n" * 20) + b"0.25\n" * 20, "mine.gz"))


def test_a_gzip_bomb_is_counted_by_what_it_unpacks_to(write, monkeypatch):
    monkeypatch.setattr(_text, "MOST_BYTES", 100_000)
    bomb = gzip.compress(b"0.5\n" * 10_000_000)
    assert len(bomb) < 100_000
    # The last four bytes declare the size: they may say anything.
    path = write(bomb[:-4] + b"\x10\x00\x00\x00", "bomb.gz")
    with pytest.raises(InputError, match=r"bomb\.gz: unpacks to more than 100,000 bytes"):
        read(path)
    several = write(gzip.compress(b"0.5\n" * 10_000) * 3, "several.gz")
    with pytest.raises(InputError, match=r"several\.gz: unpacks to more than 100,000 bytes"):
        read(several)


def test_files_beyond_the_limits_are_refused_with_the_reason(write, monkeypatch):
    monkeypatch.setattr(_text, "MOST_BYTES", 20)
    with pytest.raises(InputError, match=r"mine\.txt: more than 20 bytes; expected a smaller file"):
        readers.read_words(write("a" * 21))
    monkeypatch.setattr(_text, "MOST_LINES", 3)
    with pytest.raises(InputError, match=r"mine\.txt: more than 3 lines"):
        readers.read_table(write("\n" * 4))
    assert readers.read_words(write("a\nb\nc\n")) == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a\nb\n\xffc", 3), (b"a\rb\rc\xff", 3), (b"a\r\nb\xff\r\n", 2), (b"\xff", 1)],
)
def test_bytes_that_are_no_text_are_named_with_their_line(write, data, line):
    with pytest.raises(
        InputError, match=rf"mine\.txt, line {line}: the byte\(s\) ff are not utf-8"
    ):
        _ = Source(write(data)).text


# --- Numbers as people write them ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.5", 0.5),
        ("+1", 1.0),
        ("-.5e-3", -0.0005),
        ("3.", 3.0),
        ("1E5", 1e5),
        ("", None),
        (".", None),
        ("1_000", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("0x10", None),
        ("1,5", None),
        (" 1", None),
        ("\u0661", None),
        ("1e", None),
    ],
)
def test_numbers(cell, value):
    assert as_number(cell) == value


def test_scores_may_be_infinite():
    assert as_score("-Inf") == -np.inf and as_score("nan") is None and as_score("2") == 2


def test_long_rows_of_digits_take_time_in_proportion():
    """Twenty thousand digits and an x took twelve seconds."""
    start = time.process_time()
    for tail in ("x", ".x", "e", "e+x"):
        assert as_number("1" * 200_000 + tail) is None
    assert time.process_time() - start < 1


def test_a_table_with_a_long_row_of_digits_ends_soon(write):
    rows = "".join(f"s{i},{i % 3 / 2},{'1' * 20_000}x\n" for i in range(20))
    start = time.process_time()
    [old] = read(write(f"id,old,new\n{rows}"))
    assert old.name == "old"
    assert time.process_time() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["x{}", "0.{}"])
def test_sixty_thousand_columns_end(write, cell):
    """Names were looked up in a list, for each of them."""
    n = 60_000
    rows = [",".join(f"c{i}" for i in range(n))]
    rows += [",".join(cell.format(i + row) for i in range(n)) for row in range(3)]
    path = write("\n".join(rows))
    start = time.process_time()
    with pytest.raises(InputError) as raised:
        read(path, items=True)
    assert time.process_time() - start < 10 and len(str(raised.value)) < 2_000


# --- Two hundred megabytes ----------------------------------------------------------------------


@pytest.fixture(
    scope="module",
    params=[b"\n", b"a,", b"a", b"1 2 3\n"],
    ids=["newlines", "names", "letters", "rows"],
)
def big_file(request, tmp_path_factory):
    """200 MB, written once for all readers."""
    path = tmp_path_factory.mktemp("big") / "samples_big.jsonl"
    path.write_bytes(request.param * (200_000_000 // len(request.param)))
    yield path
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("known", readers.FORMATS, ids=lambda known: known.kind)
def test_two_hundred_megabytes_are_dealt_with_soon_and_briefly(big_file, known):
    start = time.process_time()
    options = {"gold": big_file} if "gold" in known.options else {}
    options |= {"references": big_file} if "references" in known.options else {}
    with pytest.raises(InputError, match="samples_big") as raised:
        known.read([Source(big_file)], **options)
    assert len(str(raised.value)) < 1_000
    assert time.process_time() - start < 10
