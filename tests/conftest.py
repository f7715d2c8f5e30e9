"""What all tests share: where the downloaded corpora are, and skipping without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from betterthan.datasets import _fetch

ROOT = Path(__file__).parents[1]
# After the chapters, while much else is left to do, so that the workers end together.
LONGEST = ("test_browser", "test_studies", "test_readers", "test_taggers")

# The same made-up cases in every run; `--hypothesis-profile default` looks for new ones.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.load_profile("same")


def missing_files(folder: Path, corpora: tuple[str, ...] = ()) -> list[str]:
    """Registered files that are not in `folder`, by their size (loading checks the hash)."""
    return [
        resource.file
        for resource in _fetch.resources().values()
        if (not corpora or resource.corpus in corpora)
        and not (
            (folder / resource.file).is_file()
            and (folder / resource.file).stat().st_size == resource.bytes
        )
    ]


def pytest_configure() -> None:
    # A folder of corpora beside the clone serves where no other cache was named or filled.
    beside = ROOT.parent / "shared" / "data"
    if (
        not os.environ.get(_fetch.ENVIRONMENT)
        and missing_files(_fetch.cache_folder())
        and beside.is_dir()
    ):
        os.environ[_fetch.ENVIRONMENT] = str(beside)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; skip tests marked ``corpora`` (or those it names) where files miss."""
    items.sort(key=lambda item: (item.path.suffix == ".py") + (item.path.stem not in LONGEST))
    folder = _fetch.cache_folder()
    for item in items:
        mark = item.get_closest_marker("corpora")
        if mark is None:
            continue
        missing = missing_files(folder, mark.args)
        if missing:
            reason = (
                f"needs downloaded corpora: {len(missing)} file(s) such as {missing[0]} are not in "
                f"the cache (python -c 'from betterthan import datasets; datasets.download()' "
                f"gets them, or {_fetch.ENVIRONMENT} names a folder that has them)"
            )
            item.add_marker(pytest.mark.skip(reason=reason))
