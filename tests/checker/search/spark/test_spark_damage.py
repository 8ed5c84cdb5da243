"""The storage of a distributed search: one driver at a time, and a bit that flips is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from epochal.checker.host.files import held
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError, LogDamaged, ResumeRefused
from epochal.checker.search.spark.log import read_log
from epochal.checker.search.spark.manifest import Manifest, read_manifest
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


def test_every_flipped_bit_of_the_manifest_is_refused(local: Cluster) -> None:
    """Or says the same."""
    file = Path(local.storage) / "manifest.json"
    whole, before, refused = file.read_bytes(), manifest_of(local), 0
    for damaged in flipped(whole, 61):
        file.write_bytes(damaged)
        try:
            assert manifest_of(local) == before
        except LogDamaged as error:
            refused += 1
            assert "manifest.json is damaged: " in str(error)
            assert "Restore it, or search again with an empty --storage." in str(error)
    assert refused > len(whole) // 61 // 2
    file.write_text("[" * 100_000)
    with pytest.raises(LogDamaged, match=r"manifest\.json is damaged"):
        check(PROTOCOL, EVERYTHING, local)


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
