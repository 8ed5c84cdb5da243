"""The cache believes only what the user has put there under the same key: anything else is a miss, and is told once."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from epochal.checker.base import files as module
from epochal.checker.base.cache import DAY, KEY_FILE, SEAL_BYTES, Cache, Key
from epochal.checker.base.files import DIGEST_BYTES, file_digest
from epochal.checker.gate import cache as results
from epochal.checker.gate.configuration import read_configuration
from epochal.checker.native.engine import KERNEL_LEVEL
from epochal.checker.native.llvm.jit import OBJECTS, Compiler
from epochal.checker.solver.dispatch import PROOFS

ROOT = Path(__file__).resolve().parents[3]
SHARED = "a secret of thirty-two characters, or more"
SOME = Cache("some", "bin", most=9)
KINDS = (SOME, OBJECTS, PROOFS, results.RESULTS)
NOT_MINE = (
    "epochal: warning: the cache {} has entries that are damaged, or of another user, machine or version. "
    "They are not used.\n"
    "  They are made again; or remove the folder. Machines that share one need the same EPOCHAL_CACHE_KEY.\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test, which is not there yet."""
    monkeypatch.delenv("EPOCHAL_CACHE_KEY", raising=False)
    return moved_to(tmp_path / "cache", monkeypatch)


def moved_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use this cache folder from now on."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(folder))
    return folder


def mode(path: Path) -> int:
    """The permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_an_entry_is_read_as_it_was_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SOME.read(Key("a")) is None
    assert SOME.write(Key("a"), b"content") and SOME.write(Key("b"), b"")
    assert (SOME.read(Key("a")), SOME.read(Key("b")), SOME.read(Key("c"))) == (b"content", b"", None)
    assert (mode(folder), mode(folder / KEY_FILE)) == (0o700, 0o600)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_every_flipped_bit_is_a_miss(kind: Cache, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kind.write(Key("a"), b"content")
    stored = kind.path(Key("a")).read_bytes()
    assert len(stored) == 7 + SEAL_BYTES
    for bit in range(8 * len(stored)):
        changed = bytearray(stored)
        changed[bit // 8] ^= 1 << bit % 8
        kind.path(Key("a")).write_bytes(changed)
        assert kind.read(Key("a")) is None
    assert capsys.readouterr().err == NOT_MINE.format(folder), "told once"
    kind.path(Key("a")).write_bytes(stored)
    assert kind.read(Key("a")) == b"content"


@pytest.mark.parametrize("length", [0, 1, SEAL_BYTES - 1, SEAL_BYTES, SEAL_BYTES + 6])
def test_a_torn_entry_is_a_miss(length: int) -> None:
    SOME.write(Key("a"), b"content")
    SOME.path(Key("a")).write_bytes(SOME.path(Key("a")).read_bytes()[:length])
    assert SOME.read(Key("a")) is None


def test_an_entry_of_another_key_or_kind_is_a_miss(capsys: pytest.CaptureFixture[str]) -> None:
    other = Cache("other", "bin", most=9)
    SOME.write(Key("a"), b"content")
    other.write(Key("b"), b"")
    shutil.copy(SOME.path(Key("a")), SOME.path(Key("b")))
    shutil.copy(SOME.path(Key("a")), other.path(Key("a")))
    assert SOME.read(Key("b")) is other.read(Key("a")) is None
    assert "damaged, or of another user" in capsys.readouterr().err


def test_a_flipped_bit_of_the_key_makes_every_entry_a_miss(folder: Path) -> None:
    SOME.write(Key("a"), b"content")
    key = (folder / KEY_FILE).read_bytes()
    (folder / KEY_FILE).write_bytes(bytes([key[0] ^ 1]) + key[1:])
    assert SOME.read(Key("a")) is None
    assert SOME.write(Key("a"), b"content") and SOME.read(Key("a")) == b"content"


@pytest.mark.parametrize("left", [b"", b"half", b"x" * 40])
def test_a_key_that_is_not_whole_is_made_again(left: bytes, folder: Path) -> None:
    SOME.write(Key("a"), b"content")
    (folder / KEY_FILE).write_bytes(left)
    assert SOME.read(Key("a")) is None
    assert SOME.write(Key("a"), b"content") and SOME.read(Key("a")) == b"content"
    assert len((folder / KEY_FILE).read_bytes()) == 32


def test_a_copy_of_the_folder_is_not_believed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its key, owner and times: that is what a CI system does that stores the folder for its next job."""
    SOME.write(Key("a"), b"content")
    shutil.copytree(folder, tmp_path / "copy", copy_function=shutil.copy2)
    copy = moved_to(tmp_path / "copy", monkeypatch)
    assert (copy / KEY_FILE).read_bytes() == (folder / KEY_FILE).read_bytes()
    assert SOME.read(Key("a")) is None
    assert capsys.readouterr().err == NOT_MINE.format(copy)


def test_a_folder_is_shared_by_those_who_have_the_same_key(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_KEY", SHARED)
    SOME.write(Key("a"), b"content")
    assert not (folder / KEY_FILE).exists()
    shutil.copytree(folder, tmp_path / "copy")
    copy = moved_to(tmp_path / "copy", monkeypatch)
    assert SOME.read(Key("a")) == b"content"
    assert capsys.readouterr().err == ""
    for other in (SHARED + ".", ""):
        monkeypatch.setenv("EPOCHAL_CACHE_KEY", other)
        SOME.write(Key("b"), b"of the other key")
        assert SOME.read(Key("a")) is None
    assert capsys.readouterr().err == NOT_MINE.format(copy)


def test_a_key_to_share_is_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from epochal.errors import EpochalError

    for key, good in ((SHARED, True), ("", True), ("too short", False)):
        monkeypatch.setenv("EPOCHAL_CACHE_KEY", key)
        if good:
            read_configuration(tmp_path)
            continue
        with pytest.raises(EpochalError) as failed:
            read_configuration(tmp_path)
        assert failed.value.exit_code == 151
        assert failed.value.message == (
            "EPOCHAL_CACHE_KEY must have at least 32 characters: who guesses it can write the cache.\n"
            "  Make one: openssl rand -hex 32"
        )


@pytest.mark.parametrize("permissions", [0o770, 0o707, 0o777, 0o1777])
@pytest.mark.parametrize("shared", ["", SHARED])
def test_a_folder_that_others_can_write_to_is_not_used(
    permissions: int, shared: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_KEY", shared)
    SOME.write(Key("a"), b"content")
    folder.chmod(permissions)
    assert SOME.read(Key("a")) is None
    assert not SOME.write(Key("b"), b"content")
    assert not SOME.path(Key("b")).exists()
    assert capsys.readouterr().err == (
        f"epochal: warning: the cache {folder} can be written by others (mode {permissions:03o}), and is not used.\n"
        "  Make it yours alone (chmod 700), remove it, or name another folder: EPOCHAL_CACHE_DIR.\n"
    )


def test_a_folder_of_another_user_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    SOME.write(Key("a"), b"content")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert SOME.read(Key("a")) is None
    assert not SOME.write(Key("b"), b"content")
    said = capsys.readouterr().err
    assert said.startswith(
        f"epochal: warning: the cache {folder} belongs to another user ({owner}), and is not used.\n"
    )


def test_a_key_that_others_can_read_is_not_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SOME.write(Key("a"), b"content")
    (folder / KEY_FILE).chmod(0o640)
    assert SOME.read(Key("a")) is None
    assert not SOME.write(Key("b"), b"content")
    assert capsys.readouterr().err == (
        f"epochal: warning: the key of the cache, {folder / KEY_FILE}, could be read or written by others, and is not "
        f"used.\n  Remove {folder}: what is kept there can be computed again.\n"
    )


def test_a_key_elsewhere_is_not_used(folder: Path, tmp_path: Path) -> None:
    SOME.write(Key("a"), b"content")
    (folder / KEY_FILE).rename(tmp_path / "elsewhere")
    (folder / KEY_FILE).symlink_to(tmp_path / "elsewhere")
    assert SOME.read(Key("a")) is None
    assert not SOME.write(Key("b"), b"content")


def test_a_key_that_another_process_made_meanwhile_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the lock finds the key of the one that had it."""
    theirs = bytes(range(32))

    def flock(file: int, how: int) -> None:
        assert how in (fcntl.LOCK_EX, fcntl.LOCK_SH)
        if how == fcntl.LOCK_EX and not os.fstat(file).st_size:
            (folder / KEY_FILE).write_bytes(theirs)

    monkeypatch.setattr(fcntl, "flock", flock)
    assert SOME.write(Key("a"), b"content")
    assert (folder / KEY_FILE).read_bytes() == theirs
    assert SOME.read(Key("a")) == b"content"


def test_processes_that_begin_at_once_agree_on_the_key(folder: Path) -> None:
    program = f"import sys; from {__name__} import SOME; assert SOME.write(sys.argv[1], sys.argv[1].encode())"
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen([*command, str(number)], cwd=ROOT, stderr=subprocess.PIPE) for number in range(8)]
    said = [process.communicate()[1] for process in running]
    assert said == [b""] * 8
    assert [SOME.read(Key(str(number))) for number in range(8)] == [str(number).encode() for number in range(8)]


def test_what_a_killed_process_left_is_removed_once_it_is_old(folder: Path) -> None:
    assert SOME.write(Key("one"), b"kept")
    old, new = (SOME.path(Key("two")).with_name(f"two.{SOME.suffix}.{number}.1") for number in (1, 2))
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (time.time() - 2 * DAY,) * 2)
    SOME.forget_oldest()
    assert not old.exists() and new.exists() and SOME.read(Key("one")) == b"kept"


def test_what_was_used_longest_ago_is_forgotten(folder: Path) -> None:
    """What every search needs is written once, before much that is needed once."""
    for number in range(SOME.most):
        assert SOME.write(Key(str(number)), b"content")
        os.utime(SOME.path(Key(str(number))), (1_000_000_000 + number,) * 2)
    assert SOME.read(Key("0")) == b"content"
    assert SOME.write(Key("new"), b"content")
    SOME.forget_oldest()
    assert sorted(SOME.entries()) == ["0", *map(str, range(2, SOME.most)), "new"]


def test_object_code_of_another_text_is_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Copied over that of the text, or damaged: it is compiled again, and then kept."""
    compiler = Compiler()
    texts = [f"define i64 @answer() {{\n  ret i64 {number}\n}}\n" for number in (41, 42)]

    def answers() -> list[int]:
        loaded = [compiler.load(compiler.compile_and_keep(text, KERNEL_LEVEL, True)) for text in texts]
        return [code.function("answer", ctypes.c_int64)() for code in loaded]

    assert answers() == [41, 42]
    first, second = sorted(OBJECTS.folder.iterdir())
    before = first.read_bytes()
    shutil.copy(second, first)
    assert answers() == [41, 42]
    assert capsys.readouterr().err.startswith("epochal: warning: the cache ")
    assert first.read_bytes()[:-SEAL_BYTES] == before[:-SEAL_BYTES], "it is mended"
    for at in range(0, len(before), 97):
        changed = bytearray(before)
        changed[at] ^= 1 << at % 8
        first.write_bytes(changed)
        assert answers() == [41, 42]


# The digest of a file is that of its bytes now, however often it was asked for.


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
