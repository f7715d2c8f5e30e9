"""Files that are downloaded on demand: where they are, what they should be, how they come.

A file counts as there only if its SHA-256 is the registered one. A download goes to a
temporary name in ``.part`` and is moved into place after size and hash were checked, so a run
that is stopped leaves either the whole file or none; what a killed one left in ``.part`` the next
one removes.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

import platformdirs
from tqdm import tqdm

from .. import _checks

__all__ = ["DownloadError", "Resource", "cache_folder", "download", "fetch", "resources"]

ENVIRONMENT = "BETTERTHAN_DATA"
TIMEOUT = 30  # seconds without an answer before a server counts as out of reach
PART = ".part-"

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
    with files("betterthan").joinpath("registry.csv").open(encoding="utf-8", newline="") as lines:
        rows = [Resource(**row) for row in csv.DictReader(lines)]
    return {row.file: row._replace(bytes=int(row.bytes)) for row in rows}


def cache_folder() -> Path:
    """Where the files are kept: ``BETTERTHAN_DATA``, or the user's cache folder.

    Examples
    --------
    >>> import os
    >>> os.environ["BETTERTHAN_DATA"] = "/data/corpora"  # doctest: +SKIP
    >>> cache_folder()  # doctest: +SKIP
    PosixPath('/data/corpora')
    """
    chosen = os.environ.get(ENVIRONMENT)
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("betterthan"))


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
    import requests.exceptions

    target = folder / resource.file
    found = _sha256(target) if target.is_file() else None
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_dead_parts(folder)
        # In `folder` itself: a folder for parts could be removed by one download as another
        # begins to write into it.
        with tempfile.NamedTemporaryFile(dir=folder, prefix=PART, delete=False) as file:
            part = Path(file.name)
            _stream(resource, file)
        # A temporary file is for its owner only; a folder may serve a whole class.
        part.chmod(0o644)
        os.replace(part, target)
        return
    except requests.exceptions.ConnectionError as error:
        host = urlsplit(resource.url).netloc
        reason = f"no connection to {host}, or it broke off ({type(error).__name__})"
    except requests.exceptions.RequestException as error:
        reason = f"its server did not send the whole file ({type(error).__name__}: {error})"
    except ValueError as error:
        reason = f"what its server sent is not the registered file ({error})"
    except OSError as error:
        reason = (
            f"no space left on the disk of {target.parent}"
            if error.errno == errno.ENOSPC
            else f"{target.parent} cannot be written ({type(error).__name__}: {error})"
        )
    finally:
        if part:
            part.unlink(missing_ok=True)
    lines = [
        f"{resource.file} of the corpus {resource.corpus!r} could not be downloaded: {reason}.",
        "Nothing was left half-written; the same call goes on where it stopped.",
        f"Without a network: get {resource.url}",
        f"and save it as {target},",
        f"or let the environment variable {ENVIRONMENT} name a folder that holds {resource.file}.",
    ]
    if found:
        lines.insert(
            1, f"The file that is there is damaged: SHA-256 {found}, expected {resource.sha256}."
        )
    raise DownloadError("\n".join(lines))


def _remove_dead_parts(folder: Path) -> None:
    # A download that is alive has written within TIMEOUT, or its server is given up.
    for left in folder.glob(f"{PART}*"):
        with contextlib.suppress(FileNotFoundError):  # its download has just ended
            if time.time() - left.stat().st_mtime > 2 * TIMEOUT:
                left.unlink()


def _stream(resource: Resource, file: BinaryIO) -> None:
    """Download into `file`, and stop as soon as it cannot be what is registered."""
    import requests

    digest, size = hashlib.sha256(), 0
    label = {"desc": resource.file, "unit": "B", "unit_scale": True, "leave": False}
    with (
        requests.get(resource.url, stream=True, timeout=TIMEOUT) as answer,
        tqdm(total=resource.bytes, **label) as bar,
    ):
        answer.raise_for_status()
        for chunk in answer.iter_content(1 << 16):
            size += len(chunk)
            if size > resource.bytes:
                raise ValueError(f"more than the registered {resource.bytes:,} bytes")
            file.write(chunk)
            digest.update(chunk)
            bar.update(len(chunk))
    if digest.hexdigest() != resource.sha256:
        raise ValueError(f"SHA-256 {digest.hexdigest()}, expected {resource.sha256}")
