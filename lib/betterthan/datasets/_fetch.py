"""Files that are downloaded on demand: where they are, what they should be, how they come.

A file counts as there only if its SHA-256 is the registered one. pooch downloads the others: to a
temporary name beside the place of the file, and moved there after the hash was checked. So a run
that is stopped leaves either the whole file or none, and many may run at once; what a killed one
left the next one removes.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import io
import logging
import os
import re
import time
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

from tqdm import tqdm

from .. import _checks
from .._extras import require

__all__ = ["DownloadError", "Resource", "cache_folder", "download", "fetch", "resources"]

ENVIRONMENT = "BETTERTHAN_DATA"
TIMEOUT = 30  # seconds without an answer before a server counts as out of reach
RETRIES = 3  # after a download that began and broke off, or came out wrong
# What tempfile, and so pooch, calls a file that is not yet finished.
_PART = re.compile(r"tmp[a-z0-9_]{8}")

_log = logging.getLogger("betterthan.datasets")


class DownloadError(OSError):
    """A file that is needed could not be had; the message says what to do."""


class Resource(NamedTuple):
    """One registered file."""

    corpus: str
    file: str
    bytes: int
    sha256: str
    url: str
    licence: str
    what: str
    key: str
    citation: str


@cache
def resources() -> dict[str, Resource]:
    """The registry: from the file's name in the cache to what is known of it."""
    text = files("betterthan").joinpath("registry.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return {
        row["file"]: Resource(
            corpus=row["corpus"],
            file=row["file"],
            bytes=int(row["bytes"]),
            sha256=row["sha256"],
            url=row["url"],
            licence=row["licence"],
            what=row["what"],
            key=row["key"],
            citation=row["citation"],
        )
        for row in rows
    }


def cache_folder() -> Path:
    """Where the files are kept: ``BETTERTHAN_DATA``, or the user's cache folder.

    Returns
    -------
    Path
        The folder; it need not exist yet.

    Raises
    ------
    ModuleNotFoundError
        If neither ``BETTERTHAN_DATA`` is set nor pooch installed, which knows the cache folder.

    Examples
    --------
    >>> import os
    >>> os.environ["BETTERTHAN_DATA"] = "/data/corpora"  # doctest: +SKIP
    >>> cache_folder()  # doctest: +SKIP
    PosixPath('/data/corpora')
    """
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        return Path(chosen).expanduser()
    pooch = require("pooch", extra="corpora", what="The folder of downloaded corpora")
    return Path(pooch.os_cache("betterthan"))


def fetch(names: Iterable[str]) -> list[Path]:
    """The paths of registered files, downloading those that are not there.

    Raises
    ------
    DownloadError
        For a missing network, a server's refusal, a download that is not what was registered, or a
        folder that cannot be written.
    """
    registry, folder = resources(), cache_folder()
    wanted = [registry[name] for name in names]
    missing = [resource for resource in wanted if not _is_there(folder, resource)]
    if missing:
        _notice(missing, folder)
    for resource in missing:
        _download(resource, folder)
    return [folder / resource.file for resource in wanted]


def download(*corpora: str) -> Path:
    """Download all files of some corpora, to work without a network later.

    Parameters
    ----------
    corpora : str
        Their names; none for all (26 MB). Files that are there are kept.

    Returns
    -------
    Path
        The folder that holds them.

    Raises
    ------
    ValueError
        For a name that is not registered.
    DownloadError
        As `fetch`.
    ModuleNotFoundError
        If pooch is not installed, which downloads.

    Examples
    --------
    >>> download("wikigold", "btc")  # doctest: +SKIP
    PosixPath('/home/me/.cache/betterthan')
    """
    registry = resources()
    known = tuple(dict.fromkeys(resource.corpus for resource in registry.values()))
    for number, corpus in enumerate(corpora):
        _checks.choice(f"corpora[{number}]", corpus, known)
    wanted = corpora or known
    fetch(name for name, resource in registry.items() if resource.corpus in wanted)
    return cache_folder()


def _is_there(folder: Path, resource: Resource) -> bool:
    path = folder / resource.file
    return path.is_file() and _sha256(path) == resource.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _notice(missing: list[Resource], folder: Path) -> None:
    # A warning, so that it is seen where logging was not set up.
    for corpus in dict.fromkeys(resource.corpus for resource in missing):
        parts = [resource for resource in missing if resource.corpus == corpus]
        size = sum(resource.bytes for resource in parts) / 1e6
        _log.warning(
            "%s: downloading %d file(s), %.1f MB, to %s\n  Licence: %s\n  Please cite: %s",
            corpus,
            len(parts),
            size,
            folder,
            parts[0].licence,
            parts[0].citation,
        )


def _download(resource: Resource, folder: Path) -> None:
    pooch = require("pooch", extra="corpora", what="Downloading a corpus")
    from requests.exceptions import RequestException  # pooch downloads with it

    target = folder / resource.file
    damaged = _sha256(target) if target.is_file() else None
    try:
        # By ourselves: pooch fails where another download makes the same folder at this moment.
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_dead_parts(target.parent)
        pooch.create(
            path=folder,
            base_url="",
            registry={resource.file: f"sha256:{resource.sha256}"},
            urls={resource.file: resource.url},
            retry_if_failed=RETRIES,
        ).fetch(resource.file, downloader=_Downloader(resource))
        return
    except _NoUseToRetryError as error:
        reason = str(error)
    except RequestException as error:
        reason = f"its server did not send the whole file ({type(error).__name__}: {error})"
    except ValueError as error:
        difference = str(error).partition(". ")[0]
        reason = f"what its server sent is not the registered file ({difference})"
    except OSError as error:
        reason = (
            f"no space left on the disk of {target.parent}"
            if error.errno == errno.ENOSPC
            else f"{target.parent} cannot be written ({type(error).__name__}: {error})"
        )
    raise DownloadError(_what_to_do(resource, target, reason, damaged))


def _what_to_do(resource: Resource, target: Path, reason: str, damaged: str | None) -> str:
    lines = [
        f"{resource.file} of the corpus {resource.corpus!r} could not be downloaded: {reason}."
    ]
    if damaged:
        lines.append(
            f"The file that is there is damaged: SHA-256 {damaged}, expected {resource.sha256}."
        )
    lines += [
        "Nothing was left half-written; the same call goes on where it stopped.",
        f"Without a network: get {resource.url}",
        f"and save it as {target},",
        f"or let the environment variable {ENVIRONMENT} name a folder that holds {resource.file}.",
    ]
    return "\n".join(lines)


def _remove_dead_parts(folder: Path) -> None:
    # A download that is alive has written within TIMEOUT, or its server is given up.
    for left in folder.iterdir():
        if _PART.fullmatch(left.name):
            with contextlib.suppress(FileNotFoundError):  # its download has just ended
                if time.time() - left.stat().st_mtime > 2 * TIMEOUT:
                    left.unlink()


class _NoUseToRetryError(Exception):
    """Why a download failed for good: pooch tries again after its own errors, not after this."""


class _Downloader:
    """What pooch calls to fill a file: over HTTP, with a bar, and no further than registered."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    def __call__(self, url: str, output_file: str, pooch: object) -> None:
        """Download `url` into the file that pooch has named."""
        from pooch import HTTPDownloader
        from requests.exceptions import ConnectionError, HTTPError

        over_http = HTTPDownloader(chunk_size=1 << 16, timeout=TIMEOUT)
        with open(output_file, "wb") as file, self._bar() as bar:
            sink = _Sink(file, self.resource.bytes, bar)
            try:
                over_http(url, sink, pooch)
            except ConnectionError as error:
                if sink.size:
                    raise
                name, host = type(error).__name__, urlsplit(url).netloc
                said = f"no connection to {host}, or it broke off ({name})"
                raise _NoUseToRetryError(said) from None
            except HTTPError as error:
                if error.response is None or error.response.status_code >= 500:
                    raise
                said = f"its server did not send the whole file (HTTPError: {error})"
                raise _NoUseToRetryError(said) from None
        # A temporary file is for its owner only; a folder may serve a whole class.
        os.chmod(output_file, 0o644)

    def _bar(self) -> tqdm:
        label = self.resource.file
        return tqdm(total=self.resource.bytes, desc=label, unit="B", unit_scale=True, leave=False)


class _Sink:
    """A file that moves a bar and takes no more bytes than were registered."""

    def __init__(self, file: BinaryIO, limit: int, bar: tqdm) -> None:
        self.file, self.limit, self.bar, self.size = file, limit, bar, 0

    def write(self, chunk: bytes) -> None:
        """Write some bytes, or refuse them."""
        self.size += len(chunk)
        if self.size > self.limit:
            raise _NoUseToRetryError(
                "what its server sent is not the registered file "
                f"(more than the registered {self.limit:,} bytes)"
            )
        self.file.write(chunk)
        self.bar.update(len(chunk))

    def flush(self) -> None:
        """Hand on what was written, so that others see that this download is alive."""
        self.file.flush()
