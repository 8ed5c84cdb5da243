"""No test of the audit is answered from what another one has searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import folder, run

__all__ = ["folder", "run"]


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder without answers."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
