"""A storage without folders: the log, the manifest and what tasks send each other as objects."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import pytest
from pyarrow import fs

from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.exchange import Outbox
from epochal.checker.search.spark.storage import Storage
from tests.checker.search.models import classic
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.in_process import in_process
from tests.checker.search.spark.object_store import ObjectStore

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-320", 2, 1, 1, 1)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """What every storage leads to."""
    made = ObjectStore()

    def opened(_: Storage) -> tuple[Any, str]:
        return fs.PyFileSystem(made), "bucket/run"

    replaced = cached_property(opened)
    replaced.__set_name__(Storage, "_opened")
    monkeypatch.setattr(Storage, "_opened", replaced)
    return made


@pytest.fixture
def remote(cluster: Cluster) -> Cluster:
    return dataclasses.replace(cluster, storage="objects://bucket/run", start=in_process)


def test_a_search(remote: Cluster, store: ObjectStore) -> None:
    """Everything is there, and in the end nothing of the exchange."""
    same_as_native(check(PROTOCOL, EVERYTHING, remote), PROTOCOL, EVERYTHING)
    kinds = {name.removeprefix("bucket/run/").split("/")[0] for name in store.objects}
    assert kinds == {"manifest.json", "log"}
    assert any(name.startswith("bucket/run/exchange/") for name in store.written)


def test_objects_that_are_lost(remote: Cluster, store: ObjectStore) -> None:
    """One that is gone, and one that is cut off."""

    def hook(moment: str, number: int) -> None:
        if (moment, number) in (("after manifest", 6), ("after manifest", 9)):
            name = next(name for name in store.objects if f"exchange/level-{number:05d}" in name)
            if number == 6:
                del store.objects[name]
            else:
                store.objects[name] = store.objects[name][:-1]

    result = check(PROTOCOL, EVERYTHING, dataclasses.replace(remote, hook=hook))
    same_as_native(result, PROTOCOL, EVERYTHING)
    told = [text for text in result.warnings if "expanded again from the log" in text]
    assert [text.split(" was ")[0] for text in told] == ["level 5", "level 8"]
    assert "cannot be read" in told[0] and "ends too early" in told[1]


def test_a_task_that_fails_leaves_no_object(store: ObjectStore) -> None:
    with pytest.raises(ZeroDivisionError), Outbox(Storage("objects://bucket/run"), 7, 2, "token") as outbox:
        outbox.put(memoryview(bytes(24)), [24])
        _ = 1 // 0
    assert store.objects == {}


def test_a_storage_that_refuses(remote: Cluster, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says is told, and the search goes on when it is back."""

    def refuses(self: ObjectStore, path: str, _: Any) -> Any:
        raise OSError(f"access to {path} denied")

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "open_output_stream", refuses)
        with pytest.raises(ClusterError, match=r"access to bucket/run/.* denied"):
            check(PROTOCOL, EVERYTHING, remote)
    resumed = dataclasses.replace(remote, resume=any("manifest" in name for name in store.objects))
    same_as_native(check(PROTOCOL, EVERYTHING, resumed), PROTOCOL, EVERYTHING)
