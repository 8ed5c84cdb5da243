"""What tasks send each other through an object store: packed, checked, and made again where it is lost."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.master import ClusterError
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import Job, Order, Outbox, Outcome, Packing, folder_of
from tests.checker.search.models import classic
from tests.checker.search.spark.faults import Fails, InProcess, Once, same_as_native, twice

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-320", 2, 1, 1, 1)


@dataclass(frozen=True)
class Damages(Once):
    """Every file of the exchange is damaged."""

    remote: str = ""
    how: str = ""

    def act(self) -> None:
        """Damage them."""
        storage = Storage(self.remote)
        files = {name: storage.read(name).to_pybytes() for name in storage.sizes("exchange")}
        assert any(files.values()), "there is an exchange"
        for name, whole in files.items():
            half = len(whole) // 2
            storage.remove(name)
            if self.how != "missing":
                flipped = whole[:half] + bytes([whole[half] ^ 1]) + whole[half + 1 :]
                found = {"truncated": whole[:half], "zero": bytes(len(whole)), "flipped": flipped}
                storage.write(name, found[self.how])


@pytest.mark.parametrize("how", ["missing", "truncated", "zero", "flipped"])
def test_an_exchange_that_is_lost(how: str, remote: Cluster, tmp_path: Path) -> None:
    """The level is expanded again from the log, and that is said."""
    fault = Damages("after manifest", 8, tmp_path / "mark", remote=remote.storage, how=how)
    result = check(PROTOCOL, EVERYTHING, replace(remote, hook=fault))
    same_as_native(result, PROTOCOL, EVERYTHING)
    assert fault.happened
    told = [text for text in result.warnings if "was expanded again from the log" in text]
    assert len(told) == 1 and told[0].startswith("level 7 was expanded again from the log: ")


def test_what_is_whole_and_cannot_be_unpacked_is_lost_as_well(remote: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another version has written it."""
    pack, packed = Packing.pack, list[int]()

    def cut(self: Packing, entries: memoryview) -> tuple[memoryview, memoryview]:
        hashes, columns = pack(self, entries)
        packed.append(len(columns))
        return hashes, columns[:-1] if len(packed) == 6 else columns

    monkeypatch.setattr(Packing, "pack", cut)
    result = check(PROTOCOL, EVERYTHING, remote)
    same_as_native(result, PROTOCOL, EVERYTHING)
    told = [text for text in result.warnings if "was expanded again from the log" in text]
    assert len(told) == 1 and " entries: " in told[0] and len(packed) > 6


def test_an_exchange_that_is_always_lost(remote: Cluster) -> None:
    """An error that says what to do, and no endless loop; and the search can be gone on with."""
    storage = Storage(remote.storage)

    def hook(now: str, _: int) -> None:
        if now == "exchange written":
            for name in storage.sizes("exchange"):
                storage.remove(name)

    with pytest.raises(ClusterError, match=r"was lost 3 times: .*\n  Give --storage a folder that every executor sees"):
        check(PROTOCOL, EVERYTHING, replace(remote, hook=hook))
    same_as_native(check(PROTOCOL, EVERYTHING, replace(remote, resume=True)), PROTOCOL, EVERYTHING)


def test_what_superseded_attempts_leave_is_not_read(remote: Cluster) -> None:
    """Files of other attempts lie beside those that count, and nothing is left in the end."""
    storage = Storage(remote.storage)

    def hook(moment: str, number: int) -> None:
        if moment == "before manifest" and number > 3:
            (driver,) = {name.split("/")[1] for name in storage.sizes("exchange")}
            for level in (number - 1, number):
                with Outbox(storage, folder_of(driver, level), 1, uuid.uuid4().hex) as outbox:
                    outbox.put(memoryview(bytes(120)), [120])

    result = check(PROTOCOL, EVERYTHING, replace(remote, hook=hook))
    same_as_native(result, PROTOCOL, EVERYTHING)
    assert not any("expanded again" in text for text in result.warnings)
    assert storage.sizes("exchange") == {}


def test_every_task_runs_twice(remote: Cluster) -> None:
    same_as_native(check(PROTOCOL, EVERYTHING, replace(remote, start=twice)), PROTOCOL, EVERYTHING)


@pytest.mark.parametrize("moment", ["expand", "exchange written", "table closed"])
def test_a_task_fails(moment: str, remote: Cluster, tmp_path: Path) -> None:
    fault = Fails(moment, 1, tmp_path / "mark", after=5)
    same_as_native(check(PROTOCOL, EVERYTHING, replace(remote, hook=fault)), PROTOCOL, EVERYTHING)
    assert fault.happened


def test_all_of_it_is_packed_where_the_storage_is_remote_and_nothing_elsewhere(remote: Cluster, tmp_path: Path) -> None:
    """The same entries, in fewer bytes, though these are few of them."""
    protocol, found = classic("kip-320", 3, 2, 1, 1), list[tuple[int, int, int]]()

    class Recorded(InProcess):
        def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
            outcomes = super().__call__(job, orders)
            sent = [stretch for one in outcomes for _, stretch in one.sent]
            found.append((len(sent), sum(one.size for one in sent), sum(one.packed for one in sent)))
            assert {one.packed > 0 for one in sent} <= {job.storage.local is None}
            return outcomes

    def start(_: Cluster, program: Program, __: str) -> InProcess:
        return Recorded(program)

    entry = 8 * (compile_protocol(protocol).layout.words + 2)
    here = replace(remote, storage=str(tmp_path / "here"), start=start)
    same_as_native(check(protocol, EVERYTHING, here), protocol, EVERYTHING)
    in_rows = [(number, size) for number, size, _ in found]
    found.clear()
    same_as_native(check(protocol, EVERYTHING, replace(remote, start=start)), protocol, EVERYTHING)
    assert [(number, packed * entry) for number, _, packed in found] == in_rows
    assert 0 < sum(size for _, size, _ in found) < 0.7 * sum(size for _, size in in_rows)
