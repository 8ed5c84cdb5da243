"""Promises after a search on Spark: the same verdicts, counts and runs as of the native engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.checker.liveness.edges import Arrays
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.language import Protocol
from tests.checker.liveness import zoo
from tests.checker.search.spark.in_process import in_process

WHOLE = Options(all_violations=True, liveness=True)
ZOO = (
    zoo.Lift,
    zoo.Called,
    zoo.LiftWithADoorThatCloses,
    zoo.Counter,
    zoo.RealEnd,
    zoo.Constrained,
    zoo.Choice,
    zoo.Trip,
)


def judged(result: CheckResult) -> list[object]:
    """Everything that is known of its promises, runs included."""
    assert result.liveness.judged, result.liveness.reason
    return [
        (
            one.member.name,
            *(
                (
                    case.arguments,
                    case.waiting,
                    case.stopped,
                    case.doomed,
                    case.trace and (case.trace.states, case.trace.loop, case.trace.closing),
                )
                for case in one.cases
            ),
        )
        for one in result.liveness.promises
    ]


@pytest.mark.parametrize("kind", ZOO)
def test_tiny_protocols(kind: type[Protocol], cluster: Cluster) -> None:
    """With the tasks of four partitions in this process."""
    found = check(kind(), WHOLE, replace(cluster, start=in_process))
    assert judged(found) == judged(breadth_first.check(kind(), WHOLE))


@pytest.mark.parametrize("name", ["zookeeper-alter-isr", "zookeeper-version-first"])
def test_kafka_14144(name: str, cluster: Cluster) -> None:
    protocol = epochal.load(name, brokers=2, max_version=2, stops=0)
    found = check(protocol, WHOLE, replace(cluster, start=in_process))
    assert judged(found) == judged(breadth_first.check(protocol, WHOLE))
    broken = {one.member.name for one in found.liveness.broken}
    assert broken == ({"follower_joins_isr", "proposal_is_answered"} if name.endswith("first") else set())


@pytest.mark.parametrize("workers", [1, 2])
def test_many_states_are_shared_by_the_drivers_processors(workers: int, cluster: Cluster) -> None:
    protocol = epochal.load("kip-279", replicas=3, log_size=2, records=1, max_epoch=2)
    options = replace(WHOLE, workers=workers)
    found = check(protocol, options, replace(cluster, start=in_process))
    assert found.distinct_states > 1 << 16
    assert judged(found) == judged(breadth_first.check(protocol, options))


def test_resumed(cluster: Cluster) -> None:
    """A run that was finished before is judged from its log."""
    protocol = epochal.load("zookeeper-version-first", brokers=2, max_version=2, stops=0)
    cluster = replace(cluster, start=in_process)
    left_out = check(protocol, replace(WHOLE, liveness=False), cluster)
    assert not left_out.liveness.judged
    again = check(protocol, WHOLE, replace(cluster, resume=True))
    assert judged(again) == judged(breadth_first.check(protocol, WHOLE))


def test_in_files_where_memory_is_short(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = epochal.load("kip-279", replicas=3, log_size=2, records=1, max_epoch=2)
    expected = judged(breadth_first.check(protocol, WHOLE))
    monkeypatch.setattr(Arrays, "allows", lambda arrays, _: arrays.folder is not None)
    found = check(protocol, replace(WHOLE, spill=tmp_path), replace(cluster, start=in_process))
    assert judged(found) == expected
    assert found.liveness.file_bytes > 0
