"""Writing files whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.files import write_atomically


def test_writes_utf_8_with_plain_line_ends(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "é\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == "é\nb\n".encode()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_replaces_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a much longer old content")
    write_atomically(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_failed_write_leaves_the_old_content_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(tmp_path / "a.txt", "half \ud800")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_missing_folder_and_a_folder_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a.txt", "a")
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, "a")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_atomically(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_device_is_written_and_stays_a_device() -> None:
    write_atomically(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()
