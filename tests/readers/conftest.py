"""What the tests of readers share: files of one's own making."""

from __future__ import annotations

import pytest


@pytest.fixture
def write(tmp_path):
    def put(content, name="mine.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
