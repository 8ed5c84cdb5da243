"""A driver that is killed between any two operations on its manifest, on every kind of file system."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from epochal.checker.search import native as breadth_first
from epochal.checker.search.compile_cache import CompiledProgram
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark import storage as lease
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.log import (
    FOLDER,
    KEPT,
    LEVELS,
    Head,
    Manifest,
    heads_in,
    newest_head,
    read_manifest,
    write_head,
)
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.comparison import facts
from tests.checker.search.spark.object_store import InPlace, Killed, ObjectStore

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 2, 1, 1, 1)
WATCHED = f"run/{FOLDER}/", f"run/{LEVELS}/"


class Folder(ObjectStore):
    """The file system of this machine, whose operations are counted as those of the others."""

    def __init__(self, storage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(WATCHED)
        move, sync, remove = Path.replace, os.fsync, Storage.remove

        def counted(path: Path, act: Callable[[], Any]) -> Any:
            if not path.is_relative_to(storage):
                return act()
            name = "/".join(("run", *path.relative_to(storage).parts[1:]))  # there is a storage for every search
            self.operation(name)
            found = act()
            self.operation(name)
            return found

        def synced(file: int) -> None:
            counted(Path(f"/proc/self/fd/{file}").readlink(), lambda: sync(file))

        monkeypatch.setattr(Path, "replace", lambda path, to: counted(to, lambda: move(path, to)))
        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(Storage, "remove", lambda self, name: counted(storage / name, lambda: remove(self, name)))


def at(monkeypatch: pytest.MonkeyPatch, store: ObjectStore) -> None:
    """All storages are folders of a store."""
    opened = fs.PyFileSystem(store), "run"
    monkeypatch.setattr(Storage, "_opened", property(lambda _: opened))


@pytest.fixture(params=[*(pytest.param(kind, marks=pytest.mark.long) for kind in ("folder", "objects")), "in place"])
def store(request: pytest.FixtureRequest, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """Where the storage is, whose operations on heads and files of levels are counted."""
    monkeypatch.setattr(lease, "ENDED", 0.0)  # whoever was killed is not waited for
    if request.param == "folder":
        return Folder(Path(cluster.storage), monkeypatch)
    made = (ObjectStore if request.param == "objects" else InPlace)(WATCHED)
    at(monkeypatch, made)
    return made


def recorded(cluster: Cluster) -> Manifest | None:
    """What a driver that comes now finds."""
    return read_manifest(Storage(cluster.storage))


def goes_on(cluster: Cluster) -> CheckResult:
    """The search of another driver: from what there is, or from the beginning."""
    return check(PROTOCOL, EVERYTHING, replace(cluster, resume=recorded(cluster) is not None))


def killed(store: ObjectStore, cluster: Cluster, after: int) -> bool:
    """Let a driver search, and kill it after so many operations; whether it came that far."""
    store.left = store.done + after
    try:
        goes_on(cluster)
    except (Killed, ClusterError):
        return True
    finally:
        store.left = 1 << 60
    return False


def test_a_driver_is_killed_between_any_two_operations(
    store: ObjectStore, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded stays, and the next one goes on from it; also if that is killed as well."""
    made = CompiledProgram(PROTOCOL, EVERYTHING, lambda _: None)
    monkeypatch.setattr(driver, "CompiledProgram", lambda *_: made)  # a hundred drivers need not compile the same
    wanted = facts(breadth_first.check(PROTOCOL, EVERYTHING))
    storages = (f"{cluster.storage}/{number}" for number in range(1 << 10))
    alone = partial(replace, cluster, threshold=1 << 30)
    assert facts(goes_on(alone(storage=next(storages)))) == wanted
    operations = store.done
    assert operations > 70
    for point in (*range(24), *range(operations - 8, operations)):  # those between them are alike
        here = alone(storage=next(storages))
        if not isinstance(store, Folder):
            store.objects.clear()
        assert killed(store, here, point)
        before = recorded(here)
        killed(store, here, point % 9)  # unless it is at the end before
        after = recorded(here)
        if before is not None:
            assert after is not None and after.levels[: len(before.levels)] == before.levels
        assert facts(goes_on(here)) == wanted
        last = recorded(here)
        assert last is not None and last.finished
        assert len(last.heads) == len(heads_in(Storage(here.storage))) <= KEPT + 2, "one more of each that was killed"


def test_half_of_a_head_does_not_count(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does none of it; and the first head that is only half there is no run."""
    store = InPlace(WATCHED)
    at(monkeypatch, store)
    storage = Storage(cluster.storage)
    for left in range(3):
        store.left = store.done + left
        with pytest.raises(Killed):
            write_head(storage, (), b"the first")
        store.left = 1 << 60
        assert newest_head(storage) is None
    first = write_head(storage, (), b"the first")
    for left in range(3):
        store.left = store.done + left
        with pytest.raises(Killed):
            write_head(storage, first, b"the second")
        store.left = 1 << 60
        found = newest_head(storage)
        assert found is not None and found[1] == b"the first" and found[0][-1] == first[-1]
        second = write_head(storage, found[0], b"the second")
        assert second == (first[-1], Head(1, 10, second[-1].digest)) == tuple(heads_in(storage))
        storage.remove(second[-1].name)


def test_of_two_drivers_heads_the_one_that_is_farther_counts(tmp_path: Path) -> None:
    """One that has lost the storage changes nothing of what the other has written."""
    storage = Storage(str(tmp_path))
    common = write_head(storage, write_head(storage, (), b"0"), b"1")
    late, ours = write_head(storage, common, b"theirs"), write_head(storage, common, b"ours")
    assert len(heads_in(storage)) == 3
    ours = write_head(storage, ours, b"ours, farther")
    late = write_head(storage, late[:-1], b"theirs, once more")
    found = newest_head(storage)
    assert found is not None and found[1] == b"ours, farther" and found[0][-1] == ours[-1]


def test_a_reader_looks_again_where_heads_have_gone_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its listing and its reading a driver may record twice."""
    storage = Storage(str(tmp_path))
    heads = write_head(storage, (), b"0")
    read = Storage.read

    def goes_on_meanwhile(self: Storage, name: str) -> Any:
        nonlocal heads
        if len(heads) < KEPT:
            heads = write_head(storage, write_head(storage, heads, b"1"), b"2")
        return read(self, name)

    monkeypatch.setattr(Storage, "read", goes_on_meanwhile)
    found = newest_head(storage)
    assert found is not None and found[1] == b"2"
