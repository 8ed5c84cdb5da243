"""Folders and archives as people send them: one in the other, cut, unreadable, full of other files, with odd names."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import epochal
from epochal.cli.main import main
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence import files
from epochal.kafka.evidence.files import DEEPEST, LONGEST, evidence_files
from epochal.kafka.evidence.place import EvidenceError
from epochal.kafka.validation.collected import collected
from tests.conformance.evidence import FOLDER

pytestmark = pytest.mark.usefixtures("without_runs")

NAME = "leader-change-4.3.1"
ARCHIVE = FOLDER / f"{NAME}.tar.xz"
ESCAPES = "\x1b[31m\x07\u202e\n"


def in_tar(**members: bytes) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, one in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(one)
            archive.addfile(member, io.BytesIO(one))
    return content.getvalue()


def in_zip(content: bytes) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr("folder/inner.tar.xz", content)
    return found.getvalue()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("x.tar.xz.gz", gzip.compress),
        ("x.tar.xz.bz2", bz2.compress),
        ("x.zip", in_zip),
        ("x.tar", lambda content: in_tar(**{"./inner.tar.xz": content})),
        ("x.tar.gz", lambda content: gzip.compress(in_tar(inner=in_tar(again=content)))),
    ],
)
def test_archives_in_archives(name: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(pack(ARCHIVE.read_bytes()))
    found, known = collected([path]), collected([ARCHIVE])
    assert found.read == known.read and found.replicas != ()
    assert [one.broker for one in found.replicas] == [one.broker for one in known.replicas]
    assert epochal.conform(path).exit_code == ExitCode.HOLDS


def test_a_small_file_that_makes_a_large_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table of contents is at its end, so that it would be copied whole: to memory, and then to a disk."""
    monkeypatch.setattr(files, "MOST_COPIED", 1 << 20)
    (tmp_path / "bomb.zip.gz").write_bytes(gzip.compress(b"PK\x03\x04" + bytes(files.COPIED)))
    with pytest.raises(EvidenceError, match=r"bomb\.zip\.gz is a zip of more than 1 MiB") as refused:
        list(evidence_files([tmp_path]))
    assert refused.value.advice == "Unpack it, and name the folder."


def test_too_many_archives_in_archives(tmp_path: Path) -> None:
    content = ARCHIVE.read_bytes()
    for _ in range(DEEPEST + 1):
        content = gzip.compress(content)
    (tmp_path / "bomb.gz").write_bytes(content)
    with pytest.raises(EvidenceError, match=r"bomb\.gz: more than 8 archives lie one in the other") as refused:
        epochal.conform(tmp_path)
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.zip", in_zip(b"1234" * 1000)[:-30]),
        ("x.zip", in_zip(ARCHIVE.read_bytes())[:1000] + in_zip(ARCHIVE.read_bytes())[3000:]),
        ("x.tar", in_tar(a=b"[2026-11-23 00:34:55,099] INFO x\n" * 1000)[:3000]),
        ("x.tar.gz", gzip.compress(in_tar(a=ARCHIVE.read_bytes()))[:20_000]),
        ("x.gz", gzip.compress(b"[2026-11-23 00:34:55,099] INFO x\n" * 1000)[:-10]),
        ("x.gz", gzip.compress(b"[2026-11-23 00:34:55,099] INFO x\n" * 1000)[:-8] + b"12345678"),
        ("x.bz2", bz2.compress(b"1234" * 1000)[:-10]),
    ],
)
def test_what_is_cut_off_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(EvidenceError, match=rf"^{name} is damaged: \w"):
        epochal.conform(tmp_path / name)


def test_two_brokers_whose_logs_are_called_alike(tmp_path: Path) -> None:
    """They are two logs, and not one that was rotated."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path / "all", filter="data")
    for node in (1, 2):
        folder = tmp_path / f"all/node-{node}"
        log = (folder / "logs/state-change.log").read_bytes()
        (tmp_path / f"b{node}.tar").write_bytes(in_tar(**{"logs/state-change.log": log}))
    names = [log.name for log in collected([tmp_path / "b1.tar", tmp_path / "b2.tar"]).logs]
    assert names == [f"{tmp_path}/b{node}.tar/logs/state-change.log" for node in (1, 2)]
    both = tmp_path / "both"
    both.mkdir()
    for node in (1, 2):
        (tmp_path / f"b{node}.tar").rename(both / f"b{node}.tar")
    assert [log.name for log in collected([both]).logs] == [f"b{n}.tar/logs/state-change.log" for n in (1, 2)]


def test_ten_thousand_other_files(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(in_tar(**{f"folder/{number}": b"hello" for number in range(10_000)}))
    result = epochal.conform(path, ARCHIVE)
    assert "10,015 other files of no known kind" in str(result) and len(str(result).splitlines()) < 50


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("what", ["folder", "folder/file"])
def test_what_may_not_be_read(what: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(b"hello")
    (tmp_path / what).chmod(0)
    with pytest.raises(EvidenceError, match=rf"{what}: Permission denied"):
        epochal.conform(tmp_path)
    (tmp_path / what).chmod(0o700)


def test_what_the_operating_system_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so that the refusal is made here."""
    (tmp_path / "file").write_bytes(b"hello")

    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(EvidenceError, match=r"^file: Permission denied"):
        epochal.conform(tmp_path)


def test_a_folder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in it is left out in silence."""

    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(EvidenceError, match=f"{tmp_path}: Permission denied"):
        epochal.conform(tmp_path)


def test_names_and_texts_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    """Of files, in archives, of topics in a metadata log: they are shown escaped, and end no line of the report."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path / "all", filter="data")
    dump = (tmp_path / "all/dumps/node-101-metadata.txt").read_text()
    topic = json.dumps(f"t{ESCAPES}")[1:-1]
    assert '"name":"t"' in dump
    content = dump.replace('"name":"t"', f'"name":"{topic}"').replace('"isr":[2,3],"leader":2', '"isr":[3],"leader":3')
    path = tmp_path / "odd.tar"
    path.write_bytes(in_tar(**{f"du{ESCAPES}mp": content.encode(), "a\udcff.log": b"[2026-11-23 00:34:55,099] INFO x"}))
    result = epochal.conform(path, kafka="4.3.1")
    assert result.exit_code == ExitCode.DRIFTED
    said = r"du\x1b[31m\x07\u202e\nmp:"
    (line,) = (line for line in str(result).splitlines() if line.startswith(said))
    assert line.endswith(r": t\x1b[31m\x07\u202e\n-0")
    shown = CliRunner().invoke(main, ["conform", str(path), "--kafka", "4.3.1"])
    assert shown.exit_code == ExitCode.DRIFTED and said in shown.output
    assert not set("\x1b\x07\u202e\udcff") & set(shown.output)


def test_an_error_does_nothing_to_a_terminal(tmp_path: Path) -> None:
    """What it quotes is escaped as well."""
    (tmp_path / f"his{ESCAPES}tory").write_text(
        '{"what": "read", "topic": "t", "partition": 0, "value": "r", "offset": 1}\n' + f"{{{ESCAPES}"
    )
    shown = CliRunner().invoke(main, ["conform", str(tmp_path)])
    assert shown.exit_code == ExitCode.USAGE
    assert r"his\x1b[31m\x07\u202e\ntory:2: no line of a history of clients" in shown.output
    assert not set("\x1b\x07\u202e") & set(shown.output)


def test_a_line_without_an_end(tmp_path: Path) -> None:
    """A file that is all one line is not held as a whole; the lines behind it are counted as an editor does."""
    path = tmp_path / "server.log"
    with path.open("wb") as file:
        file.write(b"[2026-11-23 00:34:55,099] INFO x\n")
        file.truncate(3 * LONGEST)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    (found,) = evidence_files([path])
    with path.open("rb"):
        lines = [len(line) for file in evidence_files([path]) for line in file.lines()]
    assert lines == [33, LONGEST, 5] and found.name == "server.log"


def test_links_are_not_followed_in_circles(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/again").symlink_to(tmp_path)
    (tmp_path / "folder/nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "folder/link.tar.xz").symlink_to(ARCHIVE)
    assert epochal.conform(tmp_path).exit_code == ExitCode.HOLDS
