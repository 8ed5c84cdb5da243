"""What tasks send each other: a cache that is checked, and beside which the log has everything."""

from __future__ import annotations

import ctypes
import dataclasses
import pickle
import threading
import time
import uuid
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from epochal.checker.search.result import Options
from epochal.checker.search.spark import tasks
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.log import Manifest, read_manifest
from epochal.checker.search.spark.master import ClusterError, LogDamaged
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import (
    ExchangeLost,
    Job,
    Order,
    Outbox,
    Outcome,
    Reader,
    Stretch,
    folder_of,
    run_task,
)
from epochal.spec.language import Protocol
from tests.checker.compile import zoo_failing as failures
from tests.checker.search.models import classic, small_faulty
from tests.checker.search.spark.faults import InProcess, Once, in_process, same_as_native
from tests.zoo.searched import Counts

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-320", 2, 1, 1, 1)
ENTRIES = bytes(range(120))
STRIDE = 24
SEVENTH = folder_of("driver", 7)


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(str(tmp_path / "storage"))


def sent(storage: Storage, token: str = "token") -> list[Stretch]:
    """Two stretches, for the owners 1 and 3, written in two goes."""
    with Outbox(storage, SEVENTH, 2, token) as outbox:
        outbox.put(memoryview(ENTRIES), [0, STRIDE, 0, 4 * STRIDE])
        outbox.put(memoryview(ENTRIES)[:STRIDE], [0, STRIDE, 0, 0])
    assert [owner for owner, _ in outbox.sent] == [1, 3, 1]
    return [stretch for _, stretch in outbox.sent]


def read(storage: Storage, stretches: Sequence[Stretch]) -> list[bytes]:
    found = list[bytes]()
    for address, size, sender in Reader().read(storage, stretches):
        assert sender == 2
        found.append(ctypes.string_at(address, size))
    return found


def test_what_is_sent_is_read(storage: Storage) -> None:
    """Each stretch by itself, from a file that is named by the level that it is for."""
    stretches = sent(storage)
    assert read(storage, stretches) == [ENTRIES[:STRIDE], ENTRIES[STRIDE:], ENTRIES[:STRIDE]]
    assert {one.name for one in stretches} == {"exchange/driver/level-00007/part-00002-token.entries"}
    assert storage.sizes(SEVENTH) == {stretches[0].name: len(ENTRIES) + STRIDE}


def test_every_flipped_bit_is_noticed(storage: Storage) -> None:
    stretches = sent(storage)
    file = Path(storage.path(stretches[0].name))
    whole = file.read_bytes()
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        with pytest.raises(ExchangeLost, match="has another content than the one that was written"):
            read(storage, stretches)


@pytest.mark.parametrize(("size", "said"), [(0, "ends too early"), (-1, "ends too early"), (None, "cannot be read")])
def test_what_is_missing_is_noticed(size: int | None, said: str, storage: Storage) -> None:
    stretches = sent(storage)
    file = Path(storage.path(stretches[0].name))
    if size is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(ExchangeLost, match=said):
        read(storage, stretches)


def test_a_task_that_fails_leaves_no_file(storage: Storage) -> None:
    with pytest.raises(ZeroDivisionError), Outbox(storage, SEVENTH, 2, "token") as outbox:
        outbox.put(memoryview(ENTRIES), [len(ENTRIES)])
        _ = 1 // 0
    assert storage.sizes("exchange") == {}


def test_who_sends_nothing_writes_nothing(storage: Storage) -> None:
    with Outbox(storage, SEVENTH, 2, "token") as outbox:
        pass
    assert outbox.sent == () and storage.sizes("exchange") == {}


# -- a search whose exchange is lost ------------------------------------------------------------------------------


class Damages(Once):
    """Every file of the exchange is damaged, in one of three ways."""

    def act(self) -> None:
        """Damage them."""
        files = list(self.mark.with_name("storage").glob("exchange/*/*/*"))
        assert files, "there is an exchange"
        for file in files:
            self.damage(file)

    def damage(self, file: Path) -> None:
        """Damage one."""
        raise NotImplementedError


class Removes(Damages):
    """The files are gone."""

    def damage(self, file: Path) -> None:
        file.unlink()


class Truncates(Damages):
    """Half of each is gone."""

    def damage(self, file: Path) -> None:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


class Zeroes(Damages):
    """Their bytes are zero, as after the end of a machine that had not written them to its disk."""

    def damage(self, file: Path) -> None:
        file.write_bytes(bytes(file.stat().st_size))


@pytest.mark.parametrize("kind", [Removes, Truncates, Zeroes])
def test_an_exchange_that_is_lost(kind: type[Damages], cluster: Cluster, tmp_path: Path) -> None:
    """The level is expanded again from the log, and that is said."""
    fault = kind("after manifest", 8, tmp_path / "mark")
    result = check(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, start=in_process, hook=fault))
    same_as_native(result, PROTOCOL, EVERYTHING)
    assert fault.happened
    told = [text for text in result.warnings if "was expanded again from the log" in text]
    assert len(told) == 1 and told[0].startswith("level 7 was expanded again from the log: ")


@pytest.mark.parametrize("moment", ["exchange written", "table updated"])
def test_an_exchange_that_is_always_lost(moment: str, cluster: Cluster, tmp_path: Path) -> None:
    """A storage that does not keep what is written: an error that says what to do, and no endless loop."""

    def loses(_: str, __: int) -> None:
        for file in (tmp_path / "storage").glob("exchange/*/*/*"):
            file.unlink()

    def hook(now: str, number: int) -> None:
        if now == moment:
            loses(now, number)

    with pytest.raises(ClusterError, match=r"was lost 3 times: .*\n  Give --storage a folder that every executor sees"):
        check(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, start=in_process, hook=hook))
    same_as_native(
        check(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, start=in_process, resume=True)), PROTOCOL, EVERYTHING
    )


def test_what_superseded_attempts_leave_is_not_read(cluster: Cluster, tmp_path: Path) -> None:
    """Files of other attempts lie beside those that count; and nothing is left in the end."""

    def hook(moment: str, number: int) -> None:
        if moment == "before manifest" and number > 3:
            for level in (number - 1, number):
                storage = Storage(cluster.storage)
                (driver,) = {name.split("/")[1] for name in storage.sizes("exchange")}
                with Outbox(storage, folder_of(driver, level), 1, uuid.uuid4().hex) as outbox:
                    outbox.put(memoryview(ENTRIES), [len(ENTRIES)])

    result = check(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, start=in_process, hook=hook))
    same_as_native(result, PROTOCOL, EVERYTHING)
    assert result.warnings == check(PROTOCOL, EVERYTHING, other(cluster)).warnings
    assert not (tmp_path / "storage" / "exchange").exists()


def other(cluster: Cluster) -> Cluster:
    """The same with another storage."""
    return dataclasses.replace(cluster, start=in_process, storage=f"{cluster.storage}-other")


def test_files_are_removed_when_the_level_that_they_are_for_is_recorded(cluster: Cluster, tmp_path: Path) -> None:
    """Not sooner: until then they may be read again. And not much later."""
    seen: dict[tuple[str, int], set[str]] = {}

    def hook(moment: str, number: int) -> None:
        if moment.endswith("manifest"):
            found = (tmp_path / "storage").glob("exchange/*/*")
            seen[moment, number] = {folder.name for folder in found if any(folder.iterdir())}

    check(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, start=in_process, hook=hook))
    level = 9  # the one that is recorded here; `number` counts the levels before it or with it
    assert seen["before manifest", level + 1] == {f"level-{n:05d}" for n in (level, level + 1)}
    assert seen["after manifest", level + 1] == {f"level-{n:05d}" for n in (level, level + 1)}
    assert seen["before manifest", level + 2] == {f"level-{n:05d}" for n in (level + 1, level + 2)}


# -- a level that is expanded before it is judged -----------------------------------------------------------------


class Recorded(InProcess):
    """Keeps what tasks have handed back."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.calls: list[tuple[Job, Sequence[Order], list[Outcome]]] = []

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        outcomes = super().__call__(job, orders)
        self.calls.append((job, orders, outcomes))
        return outcomes


def searched(protocol: Protocol, options: Options, cluster: Cluster) -> tuple[Recorded, Manifest]:
    """The tasks of a search whose result is that of the native engine, and its manifest."""
    made: list[Recorded] = []

    def start(_: Cluster, program: Program, __: str) -> Recorded:
        made.append(Recorded(program))
        return made[0]

    same_as_native(check(protocol, options, dataclasses.replace(cluster, start=start)), protocol, options)
    manifest = read_manifest(Storage(cluster.storage))
    assert manifest is not None
    return made[0], manifest


def test_a_level_that_ends_the_search_is_not_counted_as_expanded(cluster: Cluster) -> None:
    """Its tasks have expanded it before anybody knew."""
    spark, manifest = searched(small_faulty(), Options(), cluster)
    last = spark.calls[-1][2]
    assert sum(one.expanded.expanded for one in last) == manifest.levels[-1].count > 0
    assert manifest.totals.expanded == manifest.states - manifest.levels[-1].count


def test_a_property_that_a_level_closes_is_not_found_again_in_its_expansion(cluster: Cluster) -> None:
    """The tasks look for it, as they do not know; what they find of it does not count."""
    spark, manifest = searched(Counts(), EVERYTHING, cluster)
    again = [found for *_, outcomes in spark.calls for one in outcomes for found in one.expanded.findings]
    assert len(again) == 2 and [number for number, _ in manifest.findings] == [1]


def test_a_failure_of_what_a_level_closes_is_no_failure(cluster: Cluster) -> None:
    """The level is expanded again, with the properties that are pending then."""
    spark, manifest = searched(failures.FoundBefore(), EVERYTHING, cluster)
    assert manifest.failure is None
    began = [(job.number, job.pending) for job, orders, _ in spark.calls if orders[0].inbox is None]
    assert len(began) == 2 and began[1][1] == manifest.pending != began[0][1]


# -- what a task is sent ------------------------------------------------------------------------------------------


def unsent() -> Program:
    """In place of the program, which is not sent with a job."""
    raise AssertionError


def test_a_job_does_not_grow_with_the_levels(cluster: Cluster) -> None:
    """It has the files of one level, and each order the inbox of its own partition."""
    spark, _ = searched(PROTOCOL, EVERYTHING, cluster)
    for job, orders, _ in spark.calls:
        assert len(job.slim().levels) == 1 and job.slim().number == job.number
        assert all(order.inbox is None or order.inbox or order.kept for order in orders)
    sizes = [len(pickle.dumps(dataclasses.replace(job.slim(), program=unsent))) for job, *_ in spark.calls[1:]]
    assert len(sizes) > 10 and max(sizes[2:]) < sizes[2] + 64


def test_partitions_that_are_sent_nothing_have_no_task(cluster: Cluster) -> None:
    """And their tables are found when they are sent something again."""
    spark, manifest = searched(PROTOCOL, EVERYTHING, dataclasses.replace(cluster, shards=16))
    counts = [len(orders) for _, orders, _ in spark.calls]
    assert min(counts) < 16 and counts[0] == 16
    tokens = [level.files[3].token for level in manifest.levels if level.shards > 1]
    assert any(a == b for a, b in pairwise(tokens))


def test_what_a_partition_owns_itself_is_kept(cluster: Cluster) -> None:
    """Only where a level is expanded from the log it is sent. A task with another table hands back the same."""
    spark, _ = searched(PROTOCOL, EVERYTHING, cluster)
    for _, orders, outcomes in spark.calls:
        for order, outcome in zip(orders, outcomes, strict=True):
            own = any(owner == outcome.shard for owner, _ in outcome.sent)
            assert not own or (order.inbox is None and not outcome.kept)
    assert sum(order.kept for _, orders, _ in spark.calls for order in orders) > 20


def test_who_rebuilds_a_table_asks_the_manifest(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slim job knows one level; where its head is not seen, or not yet as a whole, that is said in words."""
    spark, _ = searched(PROTOCOL, EVERYTHING, cluster)
    job, orders, _ = spark.calls[-1]
    slim = dataclasses.replace(job.slim(), cache=f"{cluster.cache}-2")
    assert slim.all_levels() == job.levels
    shard = orders[0].shard
    again = run_task(slim, Order(shard))
    assert again.expanded.expanded == job.levels[-1].files[shard].count
    monkeypatch.setattr(tasks, "SEEN_AFTER", 0.5)
    assert job.head is not None
    head = Path(cluster.storage) / job.head.name
    whole = head.read_bytes()
    for there in (whole[:-1], b"", None):
        head.unlink() if there is None else head.write_bytes(there)
        with pytest.raises(LogDamaged, match=r"lacks the manifest of \d+ levels, which the driver has written\."):
            slim.all_levels()

    def written_later() -> None:
        time.sleep(0.2)
        head.write_bytes(whole)

    monkeypatch.setattr(tasks, "SEEN_AFTER", 60.0)
    writer = threading.Thread(target=written_later)
    writer.start()
    assert slim.all_levels() == job.levels
    writer.join()
