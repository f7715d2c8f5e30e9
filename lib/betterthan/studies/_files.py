"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path


def sha256(data: bytes | Path) -> str:
    """The hash of bytes or of a file."""
    if isinstance(data, Path):
        with data.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    return hashlib.sha256(data).hexdigest()


def write_atomically(path: Path, data: bytes, scratch: Path) -> None:
    """Write to a temporary file in `scratch` (same file system), then rename.

    Whatever goes wrong (a full disk, a kill), `path` holds its old bytes or all the new ones.
    """
    half = scratch / f"{path.name}.tmp"
    try:
        with half.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(half, path)
    except BaseException:
        with contextlib.suppress(OSError):
            half.unlink()
        raise


@contextlib.contextmanager
def locked(path: Path, busy: str) -> Iterator[None]:
    """Hold `path` as a lock; a second holder gets a RuntimeError that says `busy`.

    The system frees the lock when its holder dies, so a killed run leaves none behind.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows; there two runs at once are the caller's risk
        yield
        return
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(busy) from None
        yield
