"""The storage of a distributed search: one driver at a time, and a bit that flips is noticed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import epochal
from epochal.checker.base.files import held
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.log import (
    BEFORE,
    FOLDER,
    FORMAT,
    KEPT,
    LEVELS,
    Level,
    LogFile,
    Manifest,
    Report,
    level_file,
    read_log,
    read_manifest,
    write_head,
    write_levels,
    write_manifest,
)
from epochal.checker.search.spark.master import ClusterError, LogDamaged, ResumeRefused
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.faults import Dies, Fails, Once, in_process, same_as_native, twice
from tests.checker.search.test_checkpoint import flipped

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


def test_what_fails_before_a_run_is_begun_advises_no_resume(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk while the program is compiled."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(driver, "CompiledProgram", full)
    with pytest.raises(ClusterError, match=r"No space left on device\n  Nothing was searched: mend the cause and give"):
        check(PROTOCOL, EVERYTHING, replace(cluster, start=in_process))


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


# Whatever happens to a task, a cache or the driver, the result is the one without the fault.

OF_THREE = classic("kip-279", 3, 1, 1, 1)


@pytest.fixture
def faulty(cluster: Cluster) -> Cluster:
    """Tasks in this process."""
    return replace(cluster, start=in_process)


@pytest.mark.parametrize("moment", ["expand", "table updated", "log written", "exchange written", "table closed"])
def test_a_task_fails(moment: str, faulty: Cluster, tmp_path: Path) -> None:
    """Before its table is updated, between that and the log, after the log, with candidates in it, and when all is
    done.
    """
    fault = Fails(moment, 2, tmp_path / "mark", after=9)
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, hook=fault)), OF_THREE, EVERYTHING)
    assert fault.happened


def test_every_task_runs_twice(faulty: Cluster) -> None:
    """A second attempt of a partition, whose table the first one took and closed, builds its own and logs the same."""
    result = check(OF_THREE, EVERYTHING, replace(faulty, start=twice))
    same_as_native(result, OF_THREE, EVERYTHING)
    storage = Storage(faulty.storage)
    manifest = read_manifest(storage)
    assert manifest is not None
    named = {file.name for level in manifest.levels for file in level.files if file.count}
    assert named < set(storage.sizes("log")), "the attempts that do not count have left files, and nobody reads them"


class Wipes(Once):
    """The folder of caches is removed."""

    def act(self) -> None:
        """Remove it."""
        shutil.rmtree(self.mark.with_name("cache"))


def test_caches_are_wiped(faulty: Cluster, tmp_path: Path) -> None:
    fault = Wipes("after manifest", 9, tmp_path / "mark")
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, hook=fault)), OF_THREE, EVERYTHING)
    assert fault.happened


@dataclass(frozen=True)
class LosesFile(Once):
    """One file of every table that lies between two levels is gone, or ends too early."""

    name: str = ""
    size: int | None = None

    def act(self) -> None:
        """Remove it, or cut it off."""
        files = list(self.mark.with_name("cache").glob(f"*/*/*/{self.name}"))
        assert len(files) > 2, "there are tables"
        for file in files:
            if self.size is None:
                file.unlink()
            else:
                os.truncate(file, self.size)


@pytest.mark.parametrize("size", [None, 0, 4096])
@pytest.mark.parametrize("name", ["states", "table-*", "parents", "actions", "senders"])
def test_a_file_of_a_table_is_missing(name: str, size: int | None, faulty: Cluster, tmp_path: Path) -> None:
    """It is not made again with nothing in it: the table is made again, from the log."""
    fault = LosesFile("after manifest", 9, tmp_path / "mark", name=name, size=size)
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, hook=fault)), OF_THREE, EVERYTHING)
    assert fault.happened


class Stop(Exception):
    """The driver is gone."""


class Leaves(Once):
    """The driver ends at this moment, without tidying up."""

    def act(self) -> None:
        """Leave."""
        raise Stop


@pytest.mark.parametrize("moment", ["before manifest", "before head", "after manifest"])
@pytest.mark.parametrize("level", [2, 3, 8, 17])
def test_the_driver_stops_and_is_resumed(moment: str, level: int, faulty: Cluster, tmp_path: Path) -> None:
    """With a level done but not recorded, or in a file that no head names, and at a boundary; while the driver searches
    alone, and later.
    """
    faulty = replace(faulty, threshold=40)
    with pytest.raises(Stop):
        check(OF_THREE, EVERYTHING, replace(faulty, hook=Leaves(moment, level, tmp_path / "mark")))
    with pytest.raises(ResumeRefused, match="holds a run of kip-279"):
        check(OF_THREE, EVERYTHING, faulty)
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, resume=True)), OF_THREE, EVERYTHING)


def test_a_finished_run_is_told_again(faulty: Cluster) -> None:
    """Resuming what is over gives the same result, without a search."""
    check(OF_THREE, EVERYTHING, faulty)
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, resume=True, start=None)), OF_THREE, EVERYTHING)


def test_another_question_is_not_resumed(faulty: Cluster) -> None:
    """Other bounds, other properties, another protocol; or nothing to resume."""
    with pytest.raises(ResumeRefused, match="no run to resume"):
        check(OF_THREE, EVERYTHING, replace(faulty, resume=True))
    check(OF_THREE, EVERYTHING, faulty)
    for other, options in (
        (classic("kip-279", 2, 1, 1, 1), EVERYTHING),
        (OF_THREE, Options(("weak_isr",), all_violations=True)),
        (classic("kip-101", 3, 1, 1, 1), EVERYTHING),
    ):
        with pytest.raises(ResumeRefused, match="another question"):
            check(other, options, replace(faulty, resume=True))


@pytest.mark.parametrize("damage", ["truncated", "changed", "gone"])
def test_a_damaged_log_is_refused(damage: str, faulty: Cluster, tmp_path: Path) -> None:
    """A file of the log that is not what was written is found when it is needed, and never used."""
    with pytest.raises(Stop):
        check(OF_THREE, EVERYTHING, replace(faulty, hook=Leaves("after manifest", 9, tmp_path / "mark")))
    manifest = read_manifest(Storage(faulty.storage))
    assert manifest is not None
    file = Path(faulty.storage) / next(f.name for f in manifest.levels[5].files if f.count)
    content = bytearray(file.read_bytes())
    if damage == "truncated":
        file.write_bytes(content[:-100])
    elif damage == "changed":
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    else:
        file.unlink()
    shutil.rmtree(faulty.cache)
    with pytest.raises(LogDamaged, match="Restore it"):
        check(OF_THREE, EVERYTHING, replace(faulty, resume=True))


def test_a_damaged_log_is_found_at_the_end(faulty: Cluster, tmp_path: Path) -> None:
    class Truncates(Once):
        def act(self) -> None:
            file = next(iter(sorted((Path(faulty.storage) / "log" / "level-00005").iterdir())))
            file.write_bytes(file.read_bytes()[:-8])

    with pytest.raises(LogDamaged, match="were written"):
        check(OF_THREE, EVERYTHING, replace(faulty, hook=Truncates("after manifest", 12, tmp_path / "mark")))


class Vanishes(Once):
    """The storage is not there any more."""

    def act(self) -> None:
        """Move it away, and put a file in its place."""
        storage = self.mark.with_name("storage")
        storage.rename(self.mark.with_name("moved"))
        storage.write_text("no folder", encoding="ascii")


def test_the_storage_vanishes(faulty: Cluster, tmp_path: Path) -> None:
    """That ends the search with a message, and the manifest is as it was; when the storage is back, it goes on."""
    fault = Vanishes("table updated", 1, tmp_path / "mark", after=9)
    with pytest.raises(ClusterError, match="go on with --resume last"):
        check(OF_THREE, EVERYTHING, replace(faulty, hook=fault))
    assert fault.happened
    (tmp_path / "storage").unlink()
    (tmp_path / "moved").rename(tmp_path / "storage")
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, resume=True)), OF_THREE, EVERYTHING)


@pytest.mark.parametrize("part", [FOLDER, LEVELS])
def test_the_storage_is_full(part: str, faulty: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for the head of the manifest, or for the file of a level: what was recorded before stays."""
    write = Storage.write

    def refuse(self: Storage, name: str, content: bytes) -> None:
        if name.startswith(part) and (tmp_path / "full").exists():
            raise OSError(28, "No space left on device", name)
        write(self, name, content)

    class Fills(Once):
        def act(self) -> None:
            (tmp_path / "full").touch()

    monkeypatch.setattr(Storage, "write", refuse)
    with pytest.raises(ClusterError, match="No space left on device"):
        check(OF_THREE, EVERYTHING, replace(faulty, hook=Fills("table updated", 1, tmp_path / "mark", after=9)))
    before = read_manifest(Storage(faulty.storage))
    assert before is not None and before.states > 0 and not before.finished
    (tmp_path / "full").unlink()
    same_as_native(check(OF_THREE, EVERYTHING, replace(faulty, resume=True)), OF_THREE, EVERYTHING)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("kind", [pytest.param(Fails, marks=pytest.mark.long), Dies])
def test_a_task_fails_on_spark(kind: type[Once], cluster: Cluster, spark: str, tmp_path: Path) -> None:
    """Between the update of its table and the log: by an exception, and by the end of its process."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    fault = kind("table updated", 1, tmp_path / "mark", after=1)
    cluster = replace(cluster, master=spark, hook=fault, threshold=40)
    same_as_native(check(protocol, EVERYTHING, cluster), protocol, EVERYTHING)
    assert fault.happened
