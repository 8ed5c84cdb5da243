"""The remote store of tiered storage: what is in the folder, and that brokers are told where it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.conftest import needed
from tests.brokers.process import NotReady
from tests.brokers.releases import PINNED, Release, release
from tests.brokers.remote_store import SOURCE, TIERED, RemoteStore


def test_segments_are_told_by_offset_and_id(tmp_path: Path) -> None:
    store = RemoteStore(tmp_path / "remote")
    folder = Path(store.settings["rsm.config.folder"])
    for name in ("t-0-00000000000000000004-B_b", "t-0-00000000000000000000-A-a", "u-0-00000000000000000000-C"):
        (folder / name).mkdir()
        (folder / name / "segment.log").touch()
    (folder / "t-0-00000000000000000008-D").mkdir()  # an upload that is under way: its records come last
    assert store.uploaded("t") == ["00000000000000000000-A-a", "00000000000000000004-B_b"]


def test_the_class_is_the_one_that_brokers_are_told() -> None:
    assert (
        f"class {TIERED['remote.log.storage.manager.class.name']} implements RemoteStorageManager" in SOURCE.read_text()
    )


def test_without_a_compiler_there_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NotReady, match=r"javac \(a JDK 17 or newer\) is not here"):
        RemoteStore(tmp_path / "remote").compile(Release("4.3.1"))


def test_a_cluster_has_a_store_only_if_its_shape_asks_for_it() -> None:
    with pytest.raises(NotReady, match="the cluster has no tiered storage"):
        _ = Cluster(Release("4.3.1"), Shape()).remote


@pytest.mark.brokers
@pytest.mark.parametrize("version", PINNED)
def test_it_is_compiled_with_every_release(version: str, tmp_path: Path) -> None:
    store = RemoteStore(tmp_path / "remote")
    store.compile(needed(release(version)))
    assert (Path(store.settings["remote.log.storage.manager.class.path"]) / f"{SOURCE.stem}.class").exists()
