"""Taggers as files: one ``.npz`` archive with a JSON header, no pickle."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from betterthan.sequences import Tagger

FORMAT = "betterthan.sequences.Tagger"
VERSION = 1
PARAMETERS = ("algorithm", "passes", "r", "phi", "C", "seed")


def save(tagger: Tagger, path: str | os.PathLike[str]) -> None:
    """Write `tagger` to `path`, whole or not at all."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(tagger, name) for name in PARAMETERS},
        "labels": tagger.labels_,
        "scales": tagger.scales_,
        "features": len(tagger._vocabulary),
    }
    arrays = {
        "header": np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8),
        "features": tagger._vocabulary.text,
        "means": _narrow(tagger._means, len(tagger.labels_)),
    }
    if tagger._variances is not None:
        arrays["variances"] = _narrow(tagger._variances, len(tagger.labels_))
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # mkstemp lets only the owner read
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(cls: type[Tagger], path: str | os.PathLike[str]) -> Tagger:
    """Read a tagger; a file that is not one is a ValueError."""
    from betterthan._sequences_index import Vocabulary

    header, arrays = _read(path)
    try:
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r:.40}")
        if header["version"] != VERSION:
            raise ValueError(f"its version is {header['version']!r:.40}, expected {VERSION}")
        tagger = cls(**{name: header[name] for name in PARAMETERS})
        labels = tuple(header["labels"])
        if not labels or list(labels) != sorted(set(labels)):
            raise ValueError("its labels are not a sorted list of strings")
        text = arrays["features"]
        if text.dtype != np.uint8 or text.ndim != 1 or (text.size and text[-1] != 0):
            raise ValueError("its features are not NUL-terminated text")
        vocabulary = Vocabulary(text.copy())
        rows = header["features"] + len(labels)
        if len(vocabulary) != header["features"]:
            raise ValueError(
                f"it holds {len(vocabulary)} features and promises {header['features']}"
            )
        tagger._means = _widen("means", arrays["means"], rows, len(labels), 0.0)
        tagger._variances = None
        if tagger.algorithm in ("cw", "arow"):
            tagger._variances = _widen("variances", arrays["variances"], rows, len(labels), 1.0)
        tagger.scales_ = {str(name): float(scale) for name, scale in header["scales"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"path={str(path)!r}: expected a saved Tagger, but {error}") from error
    tagger.labels_ = labels
    tagger._vocabulary = vocabulary
    return tagger


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays["header"].tobytes().decode())
        if not isinstance(header, dict):
            raise ValueError("its header is not a JSON object")
    except FileNotFoundError:
        raise
    except (
        AttributeError,
        EOFError,
        KeyError,
        OSError,
        TypeError,
        ValueError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ValueError(
            f"path={str(path)!r}: expected a file written by Tagger.save, but it is foreign or "
            f"damaged ({error})"
        ) from error
    return header, arrays


def _narrow(padded: np.ndarray, n_labels: int) -> np.ndarray:
    return np.ascontiguousarray(padded.reshape(padded.shape[0], -1)[:, :n_labels])


def _widen(name: str, narrow: np.ndarray, rows: int, n_labels: int, fill: float) -> np.ndarray:
    if narrow.dtype != np.float32 or narrow.shape != (rows, n_labels):
        raise ValueError(
            f"its {name} are {narrow.dtype} of shape {narrow.shape}, "
            f"expected float32 of shape {(rows, n_labels)}"
        )
    if not np.isfinite(narrow).all():
        raise ValueError(f"its {name} are not all finite")
    blocks = -(-n_labels // 4)
    padded = np.full((rows, 4 * blocks), fill, np.float32)
    padded[:, :n_labels] = narrow
    return padded.reshape(rows, blocks, 4)
