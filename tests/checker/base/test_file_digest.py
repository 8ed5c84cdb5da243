"""The digest of a file is that of its bytes now, however often it was asked for."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from epochal.checker.base import files as module
from epochal.checker.base.files import DIGEST_BYTES, file_digest


def digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are read from now on."""
    found: list[Path] = []
    read = Path.read_bytes

    def noted(path: Path) -> bytes:
        found.append(path)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    monkeypatch.setattr(module, "_KNOWN", {})
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.py"
    made.write_bytes(b"one")
    return made


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """The clock of the process goes on."""
    now = time.time() + seconds
    monkeypatch.setattr(time, "time", lambda: now)


def test_a_file_that_was_just_written_is_read_each_time(file: Path, reads: list[Path]) -> None:
    """Its time would be the same if it were written again at once."""
    assert file_digest(file) == file_digest(file) == digest(b"one")
    assert reads == [file, file]


def test_a_file_that_is_left_alone_is_read_once(file: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    later(monkeypatch, 60)
    assert [file_digest(file) for _ in range(3)] == [digest(b"one")] * 3
    assert reads == [file]


def test_what_is_written_is_seen(file: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is as long as before and somebody puts its time back, or another file has its name."""
    later(monkeypatch, 60)
    before = file.stat()
    assert file_digest(file) == digest(b"one")
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file_digest(file) == digest(b"two")
    beside = file.with_name("b.py")
    beside.write_bytes(b"six")
    os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
    beside.replace(file)
    assert file_digest(file) == digest(b"six")
    file.unlink()
    with pytest.raises(FileNotFoundError):
        file_digest(file)


def test_a_file_from_days_to_come_is_read_once_it_is_settled(
    file: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock may have been put back."""
    later(monkeypatch, -60)
    assert [file_digest(file) for _ in range(2)] == [digest(b"one")] * 2
    assert reads == [file]
