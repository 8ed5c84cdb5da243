"""A search whose storage is an object store: the S3 server of moto, in a thread of this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from epochal.checker.base.processes import Background
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import storage as lease
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.log import level_file, read_manifest
from epochal.checker.search.spark.master import ClusterError, LogDamaged, ResumeRefused
from epochal.checker.search.spark.storage import DRIVERS, Lease, Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.faults import same_as_native

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 2, 1, 1, 1)
ROOT = Path(__file__).parents[4]


def drivers(cluster: Cluster) -> list[str]:
    """The files of drivers in its storage."""
    return sorted(Storage(cluster.storage).sizes(DRIVERS))


class Cut:
    """The driver dies at this moment of a level."""

    def __init__(self, moment: str, level: int) -> None:
        self.when = moment, level

    def __call__(self, moment: str, number: int) -> None:
        if (moment, number) == self.when:
            raise ConnectionError("the driver dies")


def test_counts_digests_and_runs_are_native_s(remote: Cluster) -> None:
    same_as_native(check(PROTOCOL, EVERYTHING, remote), PROTOCOL, EVERYTHING)
    assert not drivers(remote)


@pytest.mark.parametrize("moment", ["before manifest", "before head"])
def test_a_driver_that_died_is_followed_by_another(moment: str, remote: Cluster) -> None:
    with pytest.raises(ClusterError, match="the driver dies"):
        check(PROTOCOL, EVERYTHING, replace(remote, hook=Cut(moment, 5)))
    manifest = read_manifest(Storage(remote.storage))
    assert manifest is not None and len(manifest.levels) == 4
    same_as_native(check(PROTOCOL, EVERYTHING, replace(remote, resume=True)), PROTOCOL, EVERYTHING)


def test_two_drivers_on_one_storage(remote: Cluster) -> None:
    """The second is refused while the first lives."""
    with Lease(Storage(remote.storage)).held():
        with pytest.raises(ResumeRefused) as caught:
            check(PROTOCOL, EVERYTHING, remote)
        assert str(caught.value).startswith(f"another run is using the storage {remote.storage}: process ")
        assert str(caught.value).endswith(
            "Wait until it ends (if it was killed: 60 s), or give this run a storage of its own: --storage URI."
        )
        assert len(drivers(remote)) == 1
    same_as_native(check(PROTOCOL, EVERYTHING, remote), PROTOCOL, EVERYTHING)


def test_of_two_that_begin_at_once_none_is_alone(remote: Cluster) -> None:
    storage = Storage(remote.storage)
    first, second = Lease(storage), Lease(storage)
    first._write()
    second._write()
    for one in (first, second):
        with pytest.raises(ResumeRefused, match="another run is using the storage"):
            one._refuse_others()


def test_a_killed_driver_is_in_the_way_for_a_time_only(remote: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    Storage(remote.storage).write(f"{DRIVERS}/killed.json", b"half of what it w")
    with pytest.raises(ResumeRefused, match=r"a driver that has written drivers/killed.json, seen \d+ s ago"):
        check(PROTOCOL, EVERYTHING, remote)
    monkeypatch.setattr(lease, "ENDED", 0.0)
    same_as_native(check(PROTOCOL, EVERYTHING, remote), PROTOCOL, EVERYTHING)
    assert not drivers(remote)


def test_signs_of_life_are_given_again_and_again(remote: Cluster) -> None:
    held = Lease(Storage(remote.storage), beat=0.01)
    with held.held() as still_alone:
        begun, until = held._written, time.monotonic() + 20
        while held._written == begun:
            assert time.monotonic() < until, "no second sign of life"
            time.sleep(0.01)
        still_alone()


def test_who_could_give_no_sign_of_life_records_nothing(remote: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another driver may have taken it for ended, and gone on."""
    monkeypatch.setattr(lease, "SILENT", -1.0)
    with pytest.raises(ClusterError, match=r"so this one records nothing more\.\n  See to the storage, then go on"):
        check(PROTOCOL, EVERYTHING, remote)
    assert read_manifest(Storage(remote.storage)) is None


def test_a_silence_that_has_ended_is_not_forgotten(remote: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    held, now = Lease(Storage(remote.storage)), lease._now
    with held.held() as still_alone:
        still_alone()
        monkeypatch.setattr(lease, "_now", lambda: now() + 100)
        held._write()
        monkeypatch.setattr(lease, "_now", now)
        with pytest.raises(ClusterError, match="could not be written to for 1"):
            still_alone()


def test_whose_sign_of_life_was_removed_gives_none_again(remote: Cluster) -> None:
    """Whoever goes on from a driver that seems to have ended removes its file."""
    held = Lease(Storage(remote.storage))
    with held.held() as still_alone:
        Storage(remote.storage).remove(held._name)
        held._sign()
        assert not drivers(remote)
        with pytest.raises(ClusterError, match="has been taken over by another run, so this one records nothing"):
            still_alone()


class TakenOver:
    """Another driver goes on from this one's storage, as after a minute of silence, and is in the middle of it."""

    def __init__(self, remote: Cluster, notices: bool) -> None:
        self.remote, self.storage, self.notices = remote, Storage(remote.storage), notices
        self.in_the_middle, self.go_on = threading.Event(), threading.Event()
        self.there: dict[str, int] = {}
        self.next: Background[CheckResult] | None = None

    def __call__(self, moment: str, number: int) -> None:
        """Called by the driver that loses it."""
        if (moment, number) != ("after manifest", 4) or self.next is not None:
            return
        while mine := drivers(self.remote):  # a sign of life may be on its way
            for name in mine:
                self.storage.remove(name)
            time.sleep(0.2 if self.notices else 0.0)
        other = replace(self.remote, resume=True, hook=self.waits)
        self.next = Background("next", lambda: check(PROTOCOL, EVERYTHING, other))
        assert self.in_the_middle.wait(60)
        self.there = self.files()
        if not self.notices:
            raise ConnectionError("the driver dies")
        time.sleep(0.5)

    def waits(self, moment: str, number: int) -> None:
        """Called by the other one."""
        if (moment, number) == ("after manifest", 7):
            self.in_the_middle.set()
            assert self.go_on.wait(60)

    def files(self) -> dict[str, int]:
        """All that the storage has, but for signs of life."""
        folders = ("exchange", "heads", "levels", "log", "promises")
        return {name: size for folder in folders for name, size in self.storage.sizes(folder).items()}


@pytest.mark.parametrize("notices", [True, False])
def test_a_driver_that_has_lost_the_storage_removes_nothing(
    notices: bool, remote: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it knows that when it ends, or not yet. The one that has gone on finds all that it has written."""
    monkeypatch.setattr(lease, "BEAT", 0.05 if notices else 60.0)
    taken = TakenOver(remote, notices)
    Storage(remote.storage).write("promises/next/piece", b"of a judging")
    try:
        with pytest.raises(
            ClusterError, match=r"the driver dies|has been taken over by another run|has gone on with the"
        ):
            check(PROTOCOL, EVERYTHING, replace(remote, hook=taken))
        senders = {name.split("/")[1] for name in taken.there if name.startswith("exchange/")}
        assert len(senders) == 1, "what the one before has left is gone, and the other has sent something"
        assert taken.there.items() <= taken.files().items()
    finally:
        taken.go_on.set()
    assert taken.next is not None
    result = taken.next.wait(lambda: None)
    same_as_native(result, PROTOCOL, EVERYTHING)
    assert not any("expanded again" in text for text in result.warnings)


def test_the_file_of_a_level_is_missing(remote: Cluster) -> None:
    check(PROTOCOL, EVERYTHING, remote)
    storage = Storage(remote.storage)
    manifest = read_manifest(storage)
    assert manifest is not None
    lost = level_file(2, manifest.recorded[2])
    storage.remove(lost)
    with pytest.raises(LogDamaged, match=rf"{lost} cannot be read: .*\n  Restore it, or search again"):
        check(PROTOCOL, EVERYTHING, replace(remote, resume=True))


def test_a_bucket_that_is_not_there(remote: Cluster) -> None:
    elsewhere = replace(remote, storage=remote.storage.replace("s3://epochal/", "s3://nowhere/"))
    with pytest.raises(ClusterError, match=r"cannot be used: .*\n  Give a folder that the driver and every"):
        check(PROTOCOL, EVERYTHING, elsewhere)


@pytest.mark.long
def test_executors_of_spark_use_it(remote: Cluster) -> None:
    """In a process of its own: its Java gets the credentials, and hands them to its workers."""
    sizes = (3, 2, 2, 1)
    command = [sys.executable, "-m", "tests.checker.search.spark.alone", "local[2]", remote.storage, remote.cache]
    command += ["/".join(map(str, sizes)), "--shards", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    native = breadth_first.check(classic("kip-320", *sizes), EVERYTHING)
    found = [native.distinct_states, native.depth, native.state_digest, native.step_digest]
    assert json.loads(done.stdout.splitlines()[-1]) == json.loads(json.dumps(found))
