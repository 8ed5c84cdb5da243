"""Any number of workers: the same figures, digests, findings and traces."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from epochal.checker.native.runtime import worker_pool
from epochal.checker.native.runtime import worker_pool as state_store
from epochal.checker.native.runtime.worker_pool import Demand, Threads
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.classic.async_isr import AsyncIsr, AsyncIsrBounds
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, middling, small_faulty

SHARED = Tuning(share_from=0)
"""All workers take part from the beginning."""


def everything(result: CheckResult) -> tuple[object, ...]:
    """All that must not depend on the number of workers."""
    return (
        result.distinct_states,
        result.transitions,
        result.depth,
        result.state_digest,
        result.step_digest,
        result.actions,
        result.terminal_states,
        result.left_constraint,
        result.cut,
        [(p.member.name, p.verdict, p.trace and (p.trace.initial, p.trace.steps)) for p in result.properties],
    )


@pytest.mark.parametrize("all_violations", [True, False])
@pytest.mark.parametrize(
    "protocol",
    [small_faulty(), middling(), classic("kip-101", 3, 1, 1, 1), AsyncIsr(AsyncIsrBounds(2, 2, 2))],
    ids=lambda protocol: protocol.name,
)
def test_the_same_for_one_two_three(protocol: Protocol, all_violations: bool) -> None:
    results = [
        breadth_first.check(protocol, Options(all_violations=all_violations, workers=workers), tuning=SHARED)
        for workers in (1, 2, 3)
    ]
    assert [result.workers for result in results] == [1, 2, 3]
    assert everything(results[0]) == everything(results[1]) == everything(results[2])


@pytest.mark.parametrize("begin", [0, 500, 2_500])
def test_joining_later_changes_nothing(begin: int) -> None:
    """States found by one worker are redistributed over all, with their parents."""
    protocol = classic("kip-101", 3, 1, 1, 1)
    expected = everything(breadth_first.check(protocol, Options(all_violations=True, workers=1)))
    options = Options(all_violations=True, workers=4)
    result = breadth_first.check(protocol, options, tuning=Tuning(share_from=begin))
    assert result.workers == 4
    assert everything(result) == expected


def test_short_quanta_and_tiny_tables() -> None:
    protocol = middling()
    expected = everything(breadth_first.check(protocol, Options(workers=1)))
    tuning = Tuning(share_from=0, slack=1, first_slots=1 << 10, first_records=64, quantum=100)
    assert everything(breadth_first.check(protocol, Options(workers=3), tuning=tuning)) == expected


def test_no_memory_for_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """If one worker cannot grow the search ends with what is known, and nobody waits for ever."""

    def refuse(self: state_store.StateStore, demand: Demand) -> None:
        if self.context["worker"] == 1 and self.count > 1_000:
            raise MemoryError("no more")
        grow(self, demand)

    grow = state_store.StateStore.grow
    monkeypatch.setattr(state_store.StateStore, "grow", refuse)
    tuning = Tuning(share_from=0, first_slots=1 << 10, first_records=64)
    result = breadth_first.check(middling(), Options(workers=2), tuning=tuning)
    assert result.cut == "no more" and result.exit_code == 30
    assert result.distinct_states > 1_000


@pytest.mark.parametrize("workers", [2, 3, 5, 16])
@pytest.mark.parametrize("compact", [False, True], ids=["exact", "compact"])
def test_batches_stops_and_growth(workers: int, compact: bool) -> None:
    """Batches that are left half expanded when some part of the table is full are expanded later, once."""
    protocol = classic("kip-101", 3, 1, 1, 1)
    options = Options(all_violations=True, compact=compact)
    expected = everything(breadth_first.check(protocol, replace(options, workers=1)))
    for quantum in (1, 500, 1 << 15):
        tuning = Tuning(share_from=0, slack=0, first_slots=1 << 8, first_records=1, quantum=quantum)
        result = breadth_first.check(protocol, replace(options, workers=workers), tuning=tuning)
        assert everything(result) == expected


def test_many_workers_need_little_more_memory() -> None:
    """Room in every part of the table for what every worker may find is not room for all that all may find."""
    alone = breadth_first.check(middling(), Options(workers=1))
    many = breadth_first.check(middling(), Options(workers=64), tuning=SHARED)
    assert many.state_memory_bytes < alone.state_memory_bytes + (16 << 20)


@pytest.mark.parametrize(("kind", "name"), [(state_store.StateStore, "hold"), (worker_pool.WorkerPool, "reserve")])
def test_no_memory_between_levels(kind: type, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError("no more")

    monkeypatch.setattr(kind, name, refuse)
    result = breadth_first.check(middling(), Options(workers=2, compact=True), tuning=Tuning(share_from=1_000))
    assert result.cut == "no more" and result.limit == "memory" and result.exit_code == 30


def test_a_job_is_over_when_all_have_ended() -> None:
    """A failure, wherever it is, is raised only once nobody works any more."""
    ended: list[int] = []

    def job(number: int) -> None:
        if number == 1:
            raise KeyboardInterrupt
        time.sleep(0.05 * number)
        ended.append(number)

    threads = Threads(4, lambda: None)
    with pytest.raises(KeyboardInterrupt):
        threads.run(job)
    assert sorted(ended) == [0, 2, 3]
    threads.close()
