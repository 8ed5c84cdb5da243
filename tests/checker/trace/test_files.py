"""Writing files whole or not at all."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from epochal.checker.base.files import held, write_atomically, write_together


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


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    """Also by a process that has its number, as in a container; what somebody is writing stays, and so do others."""
    left = tmp_path / f".a.txt.{os.getpid()}.{threading.get_ident()}.tmp"
    left.write_text("hal")
    written, others = tmp_path / ".a.txt.1.2.tmp", {".b.txt.1.2.tmp", ".a.txt.mine.tmp"}
    for name in others:
        (tmp_path / name).touch()
    with written.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomically(tmp_path / "a.txt", "new")
        assert {p.name for p in tmp_path.iterdir()} == {"a.txt", written.name, *others}
    write_atomically(tmp_path / "a.txt", "newer")
    assert {p.name for p in tmp_path.iterdir()} == {"a.txt", *others}
    assert (tmp_path / "a.txt").read_text() == "newer"


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    """Such as a Parquet table; nothing stays beside them."""
    write_atomically(tmp_path / "a.bin", b"\r\n\xff")
    assert (tmp_path / "a.bin").read_bytes() == b"\r\n\xff" and len(list(tmp_path.iterdir())) == 1


def test_of_several_files_none_is_written_if_one_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "\ud800"})
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    write_together({tmp_path / "a.txt": "new", tmp_path / "b.txt": "other"})
    assert [(tmp_path / name).read_text() for name in ("a.txt", "b.txt")] == ["new", "other"]


def test_a_folder_is_held_by_one_writer_or_many_readers(tmp_path: Path) -> None:
    with held(tmp_path, shared=True) as nobody_wrote:
        assert nobody_wrote and not (tmp_path / "lock").exists()
    with held(tmp_path) as first, held(tmp_path) as second, held(tmp_path, shared=True) as reader:
        assert (first, second, reader) == (True, False, False)
    with held(tmp_path, shared=True) as first, held(tmp_path, shared=True) as second, held(tmp_path) as writer:
        assert (first, second, writer) == (True, True, False)
    with held(tmp_path) as again:
        assert again


def test_a_process_that_is_killed_lets_go(tmp_path: Path) -> None:
    program = "import sys, time; from pathlib import Path; from epochal.checker.base.files import held\n"
    program += "with held(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)"
    arguments = [sys.executable, "-P", "-c", program, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        with held(tmp_path) as alone:
            assert not alone
        process.kill()
    with held(tmp_path) as alone:
        assert alone
