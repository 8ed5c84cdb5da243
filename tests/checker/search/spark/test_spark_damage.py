"""The storage of a distributed search: one driver at a time, and a bit that flips is noticed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.checker.base.files import held
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError, LogDamaged, ResumeRefused
from epochal.checker.search.spark.findings import Report
from epochal.checker.search.spark.log import (
    BEFORE,
    FOLDER,
    FORMAT,
    KEPT,
    LEVELS,
    Level,
    LogFile,
    Manifest,
    level_file,
    read_log,
    read_manifest,
    write_head,
    write_levels,
    write_manifest,
)
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.in_process import in_process
from tests.checker.search.test_checkpoint_damage import flipped

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 2, 1, 1, 1)


@pytest.fixture
def local(cluster: Cluster) -> Cluster:
    """Tasks in this process, and a run that has ended."""
    local = replace(cluster, start=in_process)
    same_as_native(check(PROTOCOL, EVERYTHING, local), PROTOCOL, EVERYTHING)
    return replace(local, resume=True)


def manifest_of(cluster: Cluster) -> Manifest:
    """The manifest of its storage."""
    manifest = read_manifest(Storage(cluster.storage))
    assert manifest is not None
    return manifest


def test_two_drivers_on_one_storage(local: Cluster) -> None:
    """The second is refused, whether it begins or resumes; when the first has ended, or died, it goes on."""
    with held(Path(local.storage)):
        for cluster in (local, replace(local, resume=False)):
            with pytest.raises(ResumeRefused) as caught:
                check(PROTOCOL, EVERYTHING, cluster)
            assert str(caught.value) == (
                f"another run is using the storage {local.storage}.\n"
                "  Wait until it ends, or give this run a folder of its own: --storage DIR."
            )
    same_as_native(check(PROTOCOL, EVERYTHING, local), PROTOCOL, EVERYTHING)


def test_a_storage_that_is_no_folder_is_told(local: Cluster) -> None:
    """Also where only its lock cannot be opened."""
    lock = Path(local.storage) / "lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(ClusterError, match=r"cannot be used: .*\n  Give a folder that the driver and every"):
        check(PROTOCOL, EVERYTHING, local)


def test_every_flipped_bit_of_the_head_is_refused(local: Cluster) -> None:
    """The one before is not taken in its place: it is there for a head that was never whole."""
    before = manifest_of(local)
    file = Path(local.storage) / before.heads[-1].name
    whole = file.read_bytes()
    for damaged in (*flipped(whole, 61), whole + b" "):
        file.write_bytes(damaged)
        with pytest.raises(LogDamaged) as caught:
            manifest_of(local)
        assert str(caught.value) == (
            f"{file} is damaged: it has another content than the one that was written.\n"
            "  Restore it, or search again with an empty --storage."
        )
    file.write_bytes(whole)
    assert manifest_of(local) == before


def test_heads_that_were_whole_and_are_all_gone(local: Cluster) -> None:
    """It is not taken for a storage where nothing was recorded."""
    heads = [Path(local.storage) / head.name for head in manifest_of(local).heads]
    assert len(heads) == KEPT
    for file in heads:
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LogDamaged, match=r"heads has no head that is whole, and once had one\.\n  Restore it, or"):
        check(PROTOCOL, EVERYTHING, local)


def test_a_head_of_something_else_is_refused(local: Cluster) -> None:
    """Whole, as its name says, and no head."""
    storage, before = Storage(local.storage), manifest_of(local)
    for content in (b"[" * 100_000, b"[]", b"{}", b'{"format": 3}', b"\xff"):
        (*_, head) = write_head(storage, before.heads, content)
        with pytest.raises(LogDamaged, match=r"head-\d+-\d+-\w+\.json is damaged: .*\n  Restore it, or search again"):
            check(PROTOCOL, EVERYTHING, local)
        storage.remove(head.name)
        (Path(local.storage) / before.heads[0].name).write_bytes(b"")  # write_head has removed it


def test_every_flipped_bit_of_the_file_of_a_level_is_refused(local: Cluster) -> None:
    """And one that is missing, cut off, or of another level."""
    before = manifest_of(local)
    files = [Path(local.storage) / level_file(number, digest) for number, digest in enumerate(before.recorded)]
    assert len(files) == len(before.levels) > 5 and all(file.is_file() for file in files)
    for file in files[1:4]:
        whole = file.read_bytes()
        for damaged in (*flipped(whole, 97), b"", whole[:-1], files[0].read_bytes()):
            file.write_bytes(damaged)
            with pytest.raises(LogDamaged) as caught:
                manifest_of(local)
            assert str(caught.value) == (
                f"{file} is damaged: it has another content than the one that was written.\n"
                "  Restore it, or search again with an empty --storage."
            )
        file.unlink()
        with pytest.raises(LogDamaged, match=f"{file.name} cannot be read: .*\\n  Restore it, or search again"):
            check(PROTOCOL, EVERYTHING, local)
        file.write_bytes(whole)
    assert manifest_of(local) == before


def test_the_file_of_a_level_is_missed_at_the_end(cluster: Cluster) -> None:
    """Where nothing has read it: else only who reads the run later would."""

    def loses(moment: str, number: int) -> None:
        if (moment, number) == ("after manifest", 6):
            for file in (Path(cluster.storage) / LEVELS).glob("level-00003-*"):
                file.unlink()

    with pytest.raises(LogDamaged, match=r"level-00003-\w+\.json cannot be read: .*\n  Restore it"):
        check(PROTOCOL, EVERYTHING, replace(cluster, start=in_process, hook=loses))


def test_another_driver_s_level_changes_nothing(local: Cluster) -> None:
    """One that has lost the storage and does not know it yet: it writes its level, and no head names it."""
    storage, before = Storage(local.storage), manifest_of(local)
    late = replace(before, levels=(*before.levels[:4], before.levels[5]), recorded=before.recorded[:4])
    assert write_levels(storage, late).recorded[4] != before.recorded[4]
    assert len(storage.sizes(LEVELS)) == len(before.levels) + 1
    assert manifest_of(local) == before
    same_as_native(check(PROTOCOL, EVERYTHING, local), PROTOCOL, EVERYTHING)


def test_another_format_is_refused_in_words(local: Cluster) -> None:
    """One to come; and those of before, which had their head, and once everything, in one file."""
    storage, before = Storage(local.storage), manifest_of(local)
    (*_, head) = write_head(storage, before.heads, before.head().replace('"format": 3', '"format": 4').encode())
    wanted = {storage.path(head.name): 4, storage.path(BEFORE): 2}
    for file, format in wanted.items():
        if format < FORMAT:
            shutil.rmtree(Path(local.storage) / FOLDER)
            Path(file).write_text(json.dumps({"checksum": "", "manifest": {"format": format}}))
        reads: list[Callable[[], object]] = [
            lambda: check(PROTOCOL, EVERYTHING, local),
            lambda: epochal.export(local.storage, out="tables"),
        ]
        for read in reads:
            with pytest.raises(ResumeRefused) as caught:
                read()
            assert str(caught.value) == (
                f"{file} was written by another version of Epochal, in format {format}; this version reads format 3.\n"
                "  Use that version, or search again with an empty --storage."
            )


def test_the_folder_of_a_checkpoint_is_no_storage(cluster: Cluster) -> None:
    """It is not written to."""
    breadth_first.check(PROTOCOL, Options(all_violations=True, checkpoint=Path(cluster.storage)))
    with pytest.raises(ResumeRefused, match=r"manifest\.json belongs to no search on Spark\.\n  Give --storage"):
        check(PROTOCOL, EVERYTHING, replace(cluster, start=in_process))


def test_what_is_written_of_a_level_hardly_grows(tmp_path: Path) -> None:
    """200 partitions, 100 levels: the files of the last, and its digest in the head."""
    storage = Storage(str(tmp_path))
    files = tuple(LogFile(n, f"{n:012x}", f"log/{n:056}", n + 1, 26 * n, 1 << 31) for n in range(200))
    manifest, written, heads = Manifest("run", {}, "digest", 200, 0), [], []
    for _ in range(100):
        before = sum(storage.sizes(LEVELS).values())
        manifest = write_manifest(storage, manifest.with_level(Level(200, files), Report()))
        written.append(sum(storage.sizes(LEVELS).values()) - before)
        heads.append(manifest.heads[-1].size)
    assert min(written) == max(written) < 60_000 and heads[-1] < heads[0] + 100 * 64
    assert read_manifest(storage) == manifest and len(manifest.heads) == len(storage.sizes(FOLDER)) == KEPT


def test_every_flipped_bit_of_the_log_is_refused(local: Cluster) -> None:
    """Frames, lengths and padding of Arrow as well as states, parents and actions."""
    storage = Storage(local.storage)
    files = [file for level in manifest_of(local).levels for file in level.files if file.count]
    assert len(files) > 5
    for file in files:
        path = Path(local.storage) / file.name
        whole = path.read_bytes()
        for damaged in flipped(whole, 97):
            path.write_bytes(damaged)
            with pytest.raises(LogDamaged, match=r"has another content than the one that was written\.\n  The search"):
                read_log(storage, file)
        path.write_bytes(whole)
        assert read_log(storage, file).count == file.count
