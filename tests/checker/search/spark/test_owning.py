"""Who owns a state: bits of it that few steps change, chosen once, and a log that is walked back all the same."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import fs

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.checker.search import native as breadth_first
from epochal.checker.search.compile_cache import CompiledProgram
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark import storage as lease
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.log import (
    FOLDER,
    KEPT,
    LEVELS,
    Head,
    Manifest,
    heads_in,
    newest_head,
    read_log,
    read_manifest,
    write_head,
)
from epochal.checker.search.spark.master import ClusterError, LogDamaged
from epochal.checker.search.spark.owner import Owner, in_memory
from epochal.checker.search.spark.owning import chosen, owner_of, owners_of, whole
from epochal.checker.search.spark.program import loaded, make_program
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import Job, _rebuild
from epochal.checker.search.spark.walk import Came, Walker
from tests.checker.search.models import classic
from tests.checker.search.spark.faults import facts, in_process, same_as_native, twice
from tests.checker.search.spark.object_store import InPlace, Killed, ObjectStore
from tests.checker.search.spark.test_exchange import Removes
from tests.checker.search.spark.test_spark_damage import Leaves, Stop, manifest_of
from tests.zoo.searched import TwoHands

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 3, 1, 1, 1)


@pytest.fixture
def local(cluster: Cluster) -> Cluster:
    """Tasks in this process, from a level on that has enough states to choose by."""
    return replace(cluster, start=in_process, threshold=100)


def by_some_bits(manifest: Manifest) -> bool:
    """Whether a run has chosen; the other tests of this folder have all bits."""
    model = compile_protocol(PROTOCOL)
    return manifest.owning not in ((), whole(model.layout.words))


def test_states_are_where_their_bits_say(local: Cluster) -> None:
    """And each names the partition that has the state before it."""
    same_as_native(check(PROTOCOL, EVERYTHING, local), PROTOCOL, EVERYTHING)
    manifest, storage = manifest_of(local), Storage(local.storage)
    assert by_some_bits(manifest)
    model = compile_protocol(PROTOCOL)
    walker = Walker(model, make_program(model), storage, manifest)
    elsewhere = 0
    for number, level in enumerate(manifest.levels):
        for file in level.written if level.shards > 1 else ():
            states = read_log(storage, file)
            for at in range(states.count):
                words = walker.state(states, at)
                assert owner_of(manifest.owning, words, level.shards) == file.partition
                came, place = walker.reached(states, at)
                before = walker.before(number - 1, came, walker.instance(place), words)[0]
                if manifest.levels[number - 1].shards > 1:
                    assert came == Came(came.hash, owner_of(manifest.owning, before, level.shards))
                elsewhere += came.partition != file.partition
    assert 0 < elsewhere < manifest.states / 2, "most steps stay in their partition"


def test_a_run_keeps_to_what_was_chosen(local: Cluster, tmp_path: Path) -> None:
    """Also when another sample would say otherwise, and with tables that are made from the log."""
    leaves = Leaves("after manifest", 12, tmp_path / "mark")
    with pytest.raises(Stop):
        check(PROTOCOL, EVERYTHING, replace(local, hook=leaves))
    before = manifest_of(local)
    assert by_some_bits(before) and before.levels[-1].shards > 1
    resumed = replace(local, resume=True, start=twice)
    same_as_native(check(PROTOCOL, EVERYTHING, resumed), PROTOCOL, EVERYTHING)
    assert manifest_of(local).owning == before.owning


def test_an_exchange_that_is_lost(local: Cluster, tmp_path: Path) -> None:
    """The level is expanded again from the log, by the same bits."""
    fault = Removes("after manifest", 12, tmp_path / "mark")
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, hook=fault)), PROTOCOL, EVERYTHING)
    assert fault.happened and by_some_bits(manifest_of(local))


def test_many_at_once_are_owned_as_one_by_one() -> None:
    """By the definition of the digest, whatever the number of words."""
    some = random.Random(1)
    for words in range(1, 6):
        rows = [[some.getrandbits(64) for _ in range(words)] for _ in range(50)] + [[0] * words, list(whole(words))]
        for bits in (whole(words), tuple(some.getrandbits(64) for _ in range(words))):
            found = owners_of(bits, np.array(rows, np.uint64), 37).tolist()
            assert found == [owner_of(bits, row, 37) for row in rows]


# -- what is chosen -----------------------------------------------------------------------------------------------


def bits_of(model: Model, states: Sequence[tuple[int, ...]]) -> list[bool]:
    """Which leaves are gone by, for a sample of states and four partitions."""
    packed = np.array([model.layout.pack(state) for state in states], np.uint64)
    found = chosen(loaded(make_program(model)), model.layout, packed, len(states), 4)
    return [bool(found[field.word] & field.mask) for field in model.layout.fields]


def test_the_slowest_fields_that_spread_states_are_taken() -> None:
    """One that no step changes, if there is one; else one that few do; and all of them where nothing is spared."""
    model = compile_protocol(TwoHands())
    hands = [(slow, fast) for slow in range(8) for fast in range(16)]
    assert bits_of(model, [(kind, *hands[kind % 128]) for kind in range(1024)]) == [True, False, False]
    assert bits_of(model, [(0, *hand) for hand in hands] * 4) == [True, True, True], "eight values do not spread"
    assert bits_of(model, [(0, 0, fast) for fast in range(16)]) == [True, True, True], "every step leads elsewhere"
    assert bits_of(model, [(0, 0, 0)]) == [True, True, True], "nothing is known"


def test_a_table_that_is_made_again_must_have_what_the_log_has(local: Cluster) -> None:
    """States that belong elsewhere, and the manifest of a driver that has chosen otherwise, are noticed."""
    check(PROTOCOL, EVERYTHING, local)
    manifest, storage = manifest_of(local), Storage(local.storage)
    program = make_program(compile_protocol(PROTOCOL))
    right = manifest.owning or whole(program.words)
    wrong = tuple(~bits & (1 << 64) - 1 for bits in right)
    facts = manifest.run, storage, lambda: program, manifest.levels, manifest.shards, right, 0, local.cache
    job = Job(*facts, head=manifest.heads[-1])
    for owning in (right, wrong):
        owner = Owner(loaded(program), 0, manifest.shards, owning, in_memory)
        if owning is right:
            _rebuild(owner, job, manifest.levels, 0)
        else:
            with pytest.raises(LogDamaged, match=r"new states of partition 0 in the log instead of"):
                _rebuild(owner, job, manifest.levels, 0)
        owner.close()
    assert job.slim().all_levels() == manifest.levels


# A driver that is killed between any two operations on its manifest, on every kind of file system.

HEADED = classic("kip-279", 2, 1, 1, 1)
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
    return check(HEADED, EVERYTHING, replace(cluster, resume=recorded(cluster) is not None))


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
    made = CompiledProgram(HEADED, EVERYTHING, lambda _: None)
    monkeypatch.setattr(driver, "CompiledProgram", lambda *_: made)  # a hundred drivers need not compile the same
    wanted = facts(breadth_first.check(HEADED, EVERYTHING))
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
