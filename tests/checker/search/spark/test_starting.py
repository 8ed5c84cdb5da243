"""Spark is started beside the search, which the driver goes on with meanwhile."""

from __future__ import annotations

import dataclasses
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from epochal.checker.base.background import supervised
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.supersteps import Supersteps
from tests.checker.search.models import classic
from tests.checker.search.spark.in_process import InProcess, in_process

EVERYTHING = Options(all_violations=True)
SMALL = classic("kip-320", 2, 1, 1, 1)


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """An event that only comes when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_the_driver_does_not_wait_for_spark(cluster: Cluster, never: threading.Event) -> None:
    """A search that ends before Spark is there has every state, and says that there was no task."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(60)
        return in_process(cluster, program, group)

    native = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=in_process, storage=f"{cluster.storage}-2"))
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=1 << 40))
    assert result.cluster is not None and result.cluster.by_driver == result.cluster.levels
    assert (result.distinct_states, result.state_digest) == (native.distinct_states, native.state_digest)
    assert result.step_digest == native.step_digest


def test_beyond_what_the_driver_may_have_it_waits(cluster: Cluster) -> None:
    """Once there are `ahead` states, the next level is made by Spark, however long it takes to start."""
    threads = []

    def start(_: Cluster, program: Program, __: str) -> Supersteps:
        threads.append(threading.current_thread())
        threading.Event().wait(0.2)
        return InProcess(program)

    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=20))
    assert result.cluster is not None and 1 < result.cluster.by_driver < result.cluster.levels
    assert len(threads) == 1 and threads[0] is not threading.main_thread()


@pytest.mark.parametrize("part", [1 << 30, 1])
def test_with_a_quarter_of_its_memory_taken_it_waits(
    part: int, cluster: Cluster, never: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the search needs room too. What the process had before does not count."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(0.3 if part > 1 else 60)
        return in_process(cluster, program, group)

    monkeypatch.setattr(driver, "OWN_SHARE", part)  # some bytes of the memory, or all of it
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=1 << 40))
    assert result.cluster is not None and not result.cut
    assert (result.cluster.by_driver < result.cluster.levels) == (part > 1)


def test_a_start_that_fails_ends_the_search(cluster: Cluster) -> None:
    """What the start has raised in its thread is told."""

    def start(_: Cluster, __: Program, ___: str) -> Supersteps:
        raise ClusterError("Spark cannot be started here")

    with pytest.raises(ClusterError, match="cannot be started here"):
        check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start, ahead=20))


def test_a_budget_is_spent_while_spark_starts(cluster: Cluster, never: threading.Event) -> None:
    """The search ends, says so, and can be resumed: nobody waits longer than he said."""

    def start(cluster: Cluster, program: Program, group: str) -> Supersteps:
        never.wait(60)
        return in_process(cluster, program, group)

    told: list[str] = []
    options = dataclasses.replace(EVERYTHING, progress=lambda now: told.append(now.doing), budget=0.5)
    begun = time.monotonic()
    cut = check(SMALL, options, dataclasses.replace(cluster, start=start))
    assert time.monotonic() - begun < 10
    assert cut.cut == "the time budget of 0.5 s is spent while starting Spark at local[2,4]" and cut.limit == "time"
    assert cut.exit_code == 30 and "starting Spark at local[2,4]" in told
    native = breadth_first.check(SMALL, EVERYTHING)
    result = check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=in_process, resume=True))
    assert (result.distinct_states, result.step_digest) == (native.distinct_states, native.step_digest)


@pytest.mark.usefixtures("heeding_interrupts")
def test_ctrl_c_while_spark_starts(cluster: Cluster, never: threading.Event) -> None:
    """It is not waited for."""

    def start(_: Cluster, __: Program, ___: str) -> Supersteps:
        signal.raise_signal(signal.SIGINT)
        never.wait(60)
        raise AssertionError

    assert check(SMALL, EVERYTHING, dataclasses.replace(cluster, start=start)).cut == "interrupted"


def test_what_check_raises_breaks_the_work_off() -> None:
    """It is cancelled and waited for; what fails by itself is not cancelled."""
    going, cancelled = threading.Event(), list[str]()

    def cancel() -> None:
        cancelled.append("now")
        going.set()

    def refuse() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        supervised(lambda: going.wait(60), cancel, refuse)
    assert cancelled == ["now"]
    with pytest.raises(ZeroDivisionError):
        supervised(lambda: 1 // 0, cancel, lambda: None)
    assert supervised(lambda: 7, cancel, lambda: None) == 7 and cancelled == ["now"]
