"""The folders of runs that were killed are removed by the next run; those that are in use are not."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from epochal.checker.base.files import held
from epochal.checker.gate.base import FRESH, PREFIX, remove_left_behind
from tests.checker.gate.conftest import SMALL, Repository


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


def test_a_run_of_the_gate_removes_them(kip_320: Repository, tmp_path: Path) -> None:
    """Also where it finds nothing to unpack that it could use: the commit does not have the folder."""
    left = tmp_path / "tmp" / f"{PREFIX}1"
    left.mkdir(parents=True)
    os.utime(left, (time.time() - 2 * FRESH,) * 2)
    inside = Repository(kip_320.path / "new", kip_320.cache)
    inside.write("mine.py", (kip_320.path / "mine.py").read_text(encoding="utf-8"))
    inside.model(SMALL)
    done = inside.epochal("gate", "--base", "HEAD", TMPDIR=str(tmp_path / "tmp"))
    assert "it has no folder new" in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []
    assert done.returncode == 0, done.stdout + done.stderr
