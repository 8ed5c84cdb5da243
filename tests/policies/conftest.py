"""The command line, and a cache folder in which nothing else was searched: what is decided comes with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import run

__all__ = ["run"]


@pytest.fixture(scope="session")
def empty_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests of policies, which ask the same."""
    return tmp_path_factory.mktemp("policies-cache")


@pytest.fixture(autouse=True)
def nothing_kept(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an audit nor a policy is answered from what another test has searched."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(empty_cache))
