"""Whatever happens to a task, a cache or the driver, the result is the one without the fault."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError, LogDamaged, ResumeRefused
from epochal.checker.search.spark.log import FOLDER, LEVELS, read_manifest
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.faults import Dies, Fails, Once
from tests.checker.search.spark.in_process import in_process, twice

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 3, 1, 1, 1)


@pytest.fixture
def local(cluster: Cluster) -> Cluster:
    """Tasks in this process."""
    return replace(cluster, start=in_process)


@pytest.mark.parametrize("moment", ["expand", "table updated", "log written", "exchange written", "table closed"])
def test_a_task_fails(moment: str, local: Cluster, tmp_path: Path) -> None:
    """Before its table is updated, between that and the log, after the log, with candidates in it, and when all is
    done.
    """
    fault = Fails(moment, 2, tmp_path / "mark", after=9)
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, hook=fault)), PROTOCOL, EVERYTHING)
    assert fault.happened


def test_every_task_runs_twice(local: Cluster) -> None:
    """A second attempt of a partition, whose table the first one took and closed, builds its own and logs the same."""
    result = check(PROTOCOL, EVERYTHING, replace(local, start=twice))
    same_as_native(result, PROTOCOL, EVERYTHING)
    storage = Storage(local.storage)
    manifest = read_manifest(storage)
    assert manifest is not None
    named = {file.name for level in manifest.levels for file in level.files if file.count}
    assert named < set(storage.sizes("log")), "the attempts that do not count have left files, and nobody reads them"


class Wipes(Once):
    """The folder of caches is removed."""

    def act(self) -> None:
        """Remove it."""
        shutil.rmtree(self.mark.with_name("cache"))


def test_caches_are_wiped(local: Cluster, tmp_path: Path) -> None:
    """Between two levels."""
    fault = Wipes("after manifest", 9, tmp_path / "mark")
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, hook=fault)), PROTOCOL, EVERYTHING)
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
def test_a_file_of_a_table_is_missing(name: str, size: int | None, local: Cluster, tmp_path: Path) -> None:
    """It is not made again with nothing in it: the table is made again, from the log."""
    fault = LosesFile("after manifest", 9, tmp_path / "mark", name=name, size=size)
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, hook=fault)), PROTOCOL, EVERYTHING)
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
def test_the_driver_stops_and_is_resumed(moment: str, level: int, local: Cluster, tmp_path: Path) -> None:
    """With a level done but not recorded, or in a file that no head names, and at a boundary; while the driver searches
    alone, and later.
    """
    local = replace(local, threshold=40)
    with pytest.raises(Stop):
        check(PROTOCOL, EVERYTHING, replace(local, hook=Leaves(moment, level, tmp_path / "mark")))
    with pytest.raises(ResumeRefused, match="holds a run of kip-279"):
        check(PROTOCOL, EVERYTHING, local)
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, resume=True)), PROTOCOL, EVERYTHING)


def test_a_finished_run_is_told_again(local: Cluster) -> None:
    """Resuming what is over gives the same result, without a search."""
    check(PROTOCOL, EVERYTHING, local)
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, resume=True, start=None)), PROTOCOL, EVERYTHING)


def test_another_question_is_not_resumed(local: Cluster) -> None:
    """Other bounds, other properties, another protocol; or nothing to resume."""
    with pytest.raises(ResumeRefused, match="no run to resume"):
        check(PROTOCOL, EVERYTHING, replace(local, resume=True))
    check(PROTOCOL, EVERYTHING, local)
    for other, options in (
        (classic("kip-279", 2, 1, 1, 1), EVERYTHING),
        (PROTOCOL, Options(("weak_isr",), all_violations=True)),
        (classic("kip-101", 3, 1, 1, 1), EVERYTHING),
    ):
        with pytest.raises(ResumeRefused, match="another question"):
            check(other, options, replace(local, resume=True))


@pytest.mark.parametrize("damage", ["truncated", "changed", "gone"])
def test_a_damaged_log_is_refused(damage: str, local: Cluster, tmp_path: Path) -> None:
    """A file of the log that is not what was written is found when it is needed, and never used."""
    with pytest.raises(Stop):
        check(PROTOCOL, EVERYTHING, replace(local, hook=Leaves("after manifest", 9, tmp_path / "mark")))
    manifest = read_manifest(Storage(local.storage))
    assert manifest is not None
    file = Path(local.storage) / next(f.name for f in manifest.levels[5].files if f.count)
    content = bytearray(file.read_bytes())
    if damage == "truncated":
        file.write_bytes(content[:-100])
    elif damage == "changed":
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    else:
        file.unlink()
    shutil.rmtree(local.cache)
    with pytest.raises(LogDamaged, match="Restore it"):
        check(PROTOCOL, EVERYTHING, replace(local, resume=True))


def test_a_damaged_log_is_found_at_the_end(local: Cluster, tmp_path: Path) -> None:
    """Even where the caches make reading it unnecessary."""

    class Truncates(Once):
        def act(self) -> None:
            file = next(iter(sorted((Path(local.storage) / "log" / "level-00005").iterdir())))
            file.write_bytes(file.read_bytes()[:-8])

    with pytest.raises(LogDamaged, match="were written"):
        check(PROTOCOL, EVERYTHING, replace(local, hook=Truncates("after manifest", 12, tmp_path / "mark")))


class Vanishes(Once):
    """The storage is not there any more."""

    def act(self) -> None:
        """Move it away, and put a file in its place."""
        storage = self.mark.with_name("storage")
        storage.rename(self.mark.with_name("moved"))
        storage.write_text("no folder", encoding="ascii")


def test_the_storage_vanishes(local: Cluster, tmp_path: Path) -> None:
    """That ends the search with a message, and the manifest is as it was; when the storage is back, it goes on."""
    fault = Vanishes("table updated", 1, tmp_path / "mark", after=9)
    with pytest.raises(ClusterError, match="go on with --resume last"):
        check(PROTOCOL, EVERYTHING, replace(local, hook=fault))
    assert fault.happened
    (tmp_path / "storage").unlink()
    (tmp_path / "moved").rename(tmp_path / "storage")
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, resume=True)), PROTOCOL, EVERYTHING)


@pytest.mark.parametrize("part", [FOLDER, LEVELS])
def test_the_storage_is_full(part: str, local: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        check(PROTOCOL, EVERYTHING, replace(local, hook=Fills("table updated", 1, tmp_path / "mark", after=9)))
    before = read_manifest(Storage(local.storage))
    assert before is not None and before.states > 0 and not before.finished
    (tmp_path / "full").unlink()
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, resume=True)), PROTOCOL, EVERYTHING)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("kind", [pytest.param(Fails, marks=pytest.mark.long), Dies])
def test_a_task_fails_on_spark(kind: type[Once], cluster: Cluster, spark: str, tmp_path: Path) -> None:
    """Between the update of its table and the log: by an exception, and by the end of its process."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    fault = kind("table updated", 1, tmp_path / "mark", after=1)
    cluster = replace(cluster, master=spark, hook=fault, threshold=40)
    same_as_native(check(protocol, EVERYTHING, cluster), protocol, EVERYTHING)
    assert fault.happened
