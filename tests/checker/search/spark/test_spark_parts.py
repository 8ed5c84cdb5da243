"""Promises judged by executors, part by part: the same verdicts, counts, needs, ends and runs as the native engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.checker.liveness.result import NotJudged
from epochal.checker.search import budget
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options, Progress
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.master import ClusterError
from epochal.checker.search.spark.parts import part
from epochal.checker.search.spark.storage import Storage
from epochal.language import Protocol
from tests.checker.search.spark.faults import Fails, Once, in_process, twice
from tests.checker.search.spark.test_spark_findings import WHOLE, ZOO, judged
from tests.zoo import liveness as zoo
from tests.zoo.searched import ManyPromises

ALL = replace(WHOLE, deadlock=True, needs=True)
SMALL = epochal.load("zookeeper-version-first", brokers=2, max_version=2, stops=0)
"""Two of its promises are broken, by runs that go through several ranks."""


@pytest.fixture
def parts(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Tasks in this process, and a driver that has no memory for states."""
    monkeypatch.setattr(driver, "RUN_BYTES", 1 << 60)
    return replace(cluster, start=in_process)


def same(found: CheckResult, protocol: Protocol, options: Options) -> None:
    """Whether parts were judged, with the answer of the native engine, and nothing is left of them."""
    native = breadth_first.check(protocol, options)
    assert found.liveness.parts > 0
    assert judged(found) == judged(native)
    assert found.liveness.ends == native.liveness.ends
    assert found.liveness.needs == native.liveness.needs


@pytest.mark.parametrize("kind", (*ZOO, zoo.Idle, zoo.Fetches, zoo.Ping))
def test_tiny_protocols(kind: type[Protocol], parts: Cluster) -> None:
    """Also what has no rank but one."""
    protocol = kind()
    same(check(protocol, ALL, parts), protocol, ALL)
    assert not Storage(parts.storage).sizes("promises")


@pytest.mark.parametrize("name", ["zookeeper-alter-isr", "zookeeper-version-first"])
def test_kafka_14144(name: str, parts: Cluster) -> None:
    protocol = epochal.load(name, brokers=2, max_version=2, stops=0)
    found = check(protocol, ALL, parts)
    same(found, protocol, ALL)
    assert found.liveness.parts > 10


@pytest.mark.long
def test_with_strong_fairness(parts: Cluster) -> None:
    """A pre-vote and a vote that are taken if they are possible again and again."""
    protocol = epochal.load("quorum", max_epoch=1, log_size=1)
    same(check(protocol, WHOLE, parts), protocol, WHOLE)


@pytest.mark.long
def test_more_states_than_one_batch_sorts(parts: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.search.spark.parts.part.SORTED_AT_ONCE", 5_000)
    protocol = epochal.load("kip-279", replicas=3, log_size=2, records=1, max_epoch=2)
    same(check(protocol, WHOLE, parts), protocol, WHOLE)


def test_more_promises_than_a_word_has_bits(parts: Cluster) -> None:
    protocol = ManyPromises()
    found = check(protocol, ALL, parts)
    same(found, protocol, ALL)
    assert sum(case.doomed > 0 for case in found.liveness.promises[0].cases) == 6


def test_a_promise_that_cannot_be_evaluated(parts: Cluster) -> None:
    found = check(zoo.CannotBeEvaluated(), WHOLE, parts)
    native = breadth_first.check(zoo.CannotBeEvaluated(), WHOLE)
    assert found.error is not None
    assert native.error is not None
    assert found.error.rule == native.error.rule == "fails"
    assert found.error.trace.states == native.error.trace.states
    assert found.exit_code == native.exit_code == 75


@pytest.mark.xdist_group("spark")
def test_on_spark(cluster: Cluster, spark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "RUN_BYTES", 1 << 60)
    same(check(SMALL, ALL, replace(cluster, master=spark, threshold=100)), SMALL, ALL)


@pytest.mark.parametrize("moment", ["judged", "handed on", "origins"])
def test_a_task_fails(moment: str, parts: Cluster, tmp_path: Path) -> None:
    fault = Fails(moment, 2, tmp_path / "mark", after=1)
    same(check(SMALL, WHOLE, replace(parts, hook=fault)), SMALL, WHOLE)
    assert fault.happened


def test_every_task_runs_twice(parts: Cluster) -> None:
    same(check(SMALL, WHOLE, replace(parts, start=twice)), SMALL, WHOLE)


class Breaks(Fails):
    """A task fails whenever it is tried, with what no storage raises."""

    def __call__(self, moment: str, number: int) -> None:
        if moment == self.moment:
            raise ValueError("a fault of the test")


def test_a_task_that_fails_for_good_is_told(parts: Cluster, tmp_path: Path) -> None:
    """As what it is, with what to do: the search need not be repeated."""
    with pytest.raises(ClusterError, match=r"(?s)checking liveness on Spark failed: .*--resume last"):
        check(SMALL, WHOLE, replace(parts, hook=Breaks("judged", 0, tmp_path / "mark")))
    assert not Storage(parts.storage).sizes("promises")
    same(check(SMALL, WHOLE, replace(parts, resume=True)), SMALL, WHOLE)


class Spoils(Once):
    """A byte of every file that tasks have handed on is changed."""

    def act(self) -> None:
        """Change it."""
        for file in (self.mark.parent / "storage" / "promises").glob("*/*"):
            content = bytearray(file.read_bytes())
            content[0] ^= 1
            file.write_bytes(content)


def test_a_damaged_file_is_refused(parts: Cluster, tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="has another content than the one that was written") as raised:
        check(SMALL, WHOLE, replace(parts, hook=Spoils("judged", 2, tmp_path / "mark", after=1)))
    assert "--resume last" in str(raised.value)
    same(check(SMALL, WHOLE, replace(parts, resume=True)), SMALL, WHOLE)


def test_a_part_that_is_too_large(parts: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is reported, and of the promises it is said what would do."""

    def refuses(_: int) -> None:
        raise NotJudged("memory: an executor would take another 9 TiB for a part of the states")

    monkeypatch.setattr(part, "_require", refuses)
    found = check(SMALL, WHOLE, parts)
    assert found.exhaustive
    assert found.liveness.reason.startswith("memory: an executor would take")
    assert {one.verdict for one in found.liveness.promises} == {"not judged"}
    assert not Storage(parts.storage).sizes("promises")


class Interrupts(Once):
    """Somebody presses Ctrl-C."""

    def act(self) -> None:
        """As Python tells it."""
        raise KeyboardInterrupt


def test_progress_and_ctrl_c(parts: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is being done is told; and who breaks it off keeps what was searched."""
    monkeypatch.setattr(budget, "PROGRESS_EVERY", 0.0)  # a fast machine is done before it is time to tell anything
    check(SMALL, replace(WHOLE, liveness=False), parts)
    told = list[str]()

    def progress(now: Progress) -> None:
        told.append(now.doing)

    check(SMALL, replace(WHOLE, progress=progress), replace(parts, resume=True))
    assert any(doing.startswith("checking liveness, ") for doing in told)

    found = check(SMALL, WHOLE, replace(parts, resume=True, hook=Interrupts("judged", 2, Path(parts.storage) / "mark")))
    assert found.liveness.reason == "interrupted"
    assert found.exhaustive
