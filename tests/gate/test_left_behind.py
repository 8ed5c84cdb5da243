"""The folders of runs that were killed are removed by the next run; those that are in use are not."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from checker.files import held
from cli.base import FRESH, PREFIX, remove_left_behind


def test_what_killed_runs_have_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used, fresh, other = (tmp_path / name for name in (f"{PREFIX}1", f"{PREFIX}2", f"{PREFIX}3", "other"))
    long_ago = time.time() - 2 * FRESH
    for folder in (left, used, fresh, other):
        (folder / "files").mkdir(parents=True)
        (folder / "files" / "spec.py").touch()
    link = tmp_path / f"{PREFIX}4"
    link.symlink_to(other)
    with held(used):
        for folder in (left, used, other):
            os.utime(folder, (long_ago, long_ago))
        remove_left_behind()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([used.name, fresh.name, other.name, link.name])
