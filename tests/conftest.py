"""Every test run has a cache folder of its own, so that no test is answered from another run's results."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of this test run."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("EPOCHAL_CACHE_DIR")
    os.environ["EPOCHAL_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["EPOCHAL_CACHE_DIR"]
    else:
        os.environ["EPOCHAL_CACHE_DIR"] = before
