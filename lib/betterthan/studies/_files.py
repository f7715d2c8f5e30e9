"""Files that are either whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
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
    handle, name = tempfile.mkstemp(dir=scratch, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files private; a result is for everybody the umask allows
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
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
