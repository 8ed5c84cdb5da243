"""The files that are opened while a specification is imported: everybody who listens hears them, by one hook."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epochal.checker.gate.fingerprint import opened_files


def test_everybody_who_listens_hears_it(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("before", "both", "outer", "after")]
    before, both, outer, after = names
    Path(before).write_bytes(b"")
    with opened_files() as first:
        with opened_files() as second:
            Path(both).write_bytes(b"")
        Path(outer).write_bytes(b"")
    Path(after).write_bytes(b"")
    assert [name for name in names if name in first] == [both, outer]
    assert [name for name in names if name in second] == [both]


def test_whoever_listens_again_adds_no_hook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A hook stays for the life of the process, and each of them hears everything."""
    with opened_files():
        pass
    added: list[object] = []
    monkeypatch.setattr(sys, "addaudithook", added.append)
    for number in range(3):
        file = tmp_path / str(number)
        with opened_files() as heard:
            file.write_bytes(b"")
        assert str(file) in heard
    assert not added
