"""A spent budget cuts the search, says so, and keeps everything that is known."""

from __future__ import annotations

import _thread
import os
import re
import signal
import threading
import time
from pathlib import Path
from types import ModuleType

import pytest

from epochal.checker.native.kernel import kernel
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.budget import TICK, BudgetExceeded, Deadline, why_stopped
from epochal.checker.search.result import INTERRUPTED, Options, Progress, StopReason
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.test_workers import everything

ENGINES = pytest.mark.parametrize("engine", [breadth_first, reference_engine], ids=["native", "python"])


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of the test's own, so that everything is compiled."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))


@ENGINES
def test_states(engine: ModuleType) -> None:
    """`max_states` is checked now and then, and never reported as success."""
    result = engine.check(small_faulty(), Options(max_states=1, all_violations=True))
    assert not result.exhaustive and result.cut == "the budget of 1 states is spent"
    assert result.limit == "states"
    assert result.exit_code in (12, 30)
    assert all(p.verdict != "holds" for p in result.properties if p.member.mark.kind != "reachable")


@ENGINES
def test_time(engine: ModuleType, nothing_kept: None) -> None:
    """A time budget of nothing is spent at once."""
    result = engine.check(middling(), Options(budget=0.0))
    assert result.cut.startswith("the time budget of 0 s is spent while compiling ") and result.exit_code == 30
    assert result.limit == "time" and result.distinct_states == 0
    assert {p.verdict for p in result.properties} == {"unknown"}


@ENGINES
def test_memory(engine: ModuleType, nothing_kept: None) -> None:
    result = engine.check(middling(), Options(max_memory=1 << 20))
    assert result.cut.startswith("the memory budget of 1 MiB is spent while compiling ") and result.exit_code == 30
    assert result.limit == "memory" and result.distinct_states == 0


def test_growth_is_refused_before_it_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.native.runtime import worker_pool as state_store
    from epochal.checker.search import budget

    monkeypatch.setattr(state_store.StateStore, "growth_bytes", lambda self, demand: 1 << 50)
    monkeypatch.setattr(budget, "memory_limit", lambda: 1 << 49)
    result = breadth_first.check(middling(), Options(), tuning=Tuning(first_slots=1 << 12))
    assert "90 % of this machine's memory" in result.cut and result.exit_code == 30


def test_what_memory_errors_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.native.runtime import worker_pool as state_store

    def refuse(self: object, demand: object) -> None:
        raise MemoryError("the system gives no 12 MiB of memory")

    monkeypatch.setattr(state_store.StateStore, "grow", refuse)
    result = breadth_first.check(middling(), Options(), tuning=Tuning(first_slots=1 << 12))
    assert result.cut == "the system gives no 12 MiB of memory" and result.limit == "memory"
    assert result.distinct_states > 0 and result.exit_code == 30


@pytest.mark.usefixtures("heeding_interrupts")
def test_interrupt() -> None:
    protocol = classic("kip-320", 3, 3, 3, 3)
    seen: list[Progress] = []

    def watch(progress: Progress) -> None:
        seen.append(progress)
        if progress.states > 100_000:
            _thread.interrupt_main()

    assert threading.current_thread() is threading.main_thread()
    result = breadth_first.check(protocol, Options(progress=watch))
    time.sleep(0)
    assert result.cut == "interrupted" and result.exit_code == 30
    assert result.distinct_states >= 100_000
    assert [p.states for p in seen] == sorted(p.states for p in seen)


def test_early_stop_finishes_the_level() -> None:
    """Without --all-violations the search stops with the level of the first violation, the same in both engines."""
    native = breadth_first.check(small_faulty(), Options())
    python = reference_engine.check(small_faulty(), Options())
    assert native.depth == python.depth == 9
    assert native.state_digest == python.state_digest
    assert native.exit_code == 12 and "first violation" in native.cut and native.limit is None


# States in files and fingerprints instead of states: the same result, and what it costs.

PROTOCOLS = pytest.mark.parametrize(
    "protocol", [small_faulty(), middling(), classic("kip-101", 3, 1, 1, 1)], ids=lambda protocol: protocol.name
)


@PROTOCOLS
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("compact", [False, True], ids=["spilled", "compact"])
def test_the_same_result(protocol: Protocol, workers: int, compact: bool, tmp_path: Path) -> None:
    expected = breadth_first.check(protocol, Options(all_violations=True, workers=1))
    options = Options(all_violations=True, workers=workers, spill=tmp_path, compact=compact)
    tuning = Tuning(share_from=300, first_slots=1 << 10, first_records=64)
    result = breadth_first.check(protocol, options, tuning=tuning)
    assert everything(result) == everything(expected)
    assert result.state_file_bytes > 0 and list(tmp_path.iterdir()) == []
    traces = [p.trace for p in result.properties if p.trace is not None]
    assert traces and all(replay(trace, [PythonSemantics(protocol)]).ok for trace in traces)


def test_what_a_compact_state_costs(tmp_path: Path) -> None:
    """At most 14 bytes of memory a state, once the tables are as large as the search needs them."""
    options = Options(spill=tmp_path, compact=True, workers=1)
    result = breadth_first.check(classic("kip-320", 3, 2, 2, 2), options, tuning=Tuning(first_slots=1 << 12))
    assert result.distinct_states == 737_794
    assert result.state_memory_bytes <= 14 * result.distinct_states
    n = result.distinct_states
    assert result.collision_probability == pytest.approx(n * n / 2**65, rel=1e-3)


def test_fingerprints_that_collide_lose_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprints are what decides: with a hash of few bits, states are missed, and not in exact mode."""
    protocol, whole = middling(), kernel.text_of("search")
    few = r"\1  %few = or i64 \2, 1099511627775\n  ret i64 %few"
    poor = re.sub(r"(define internal i64 @fingerprint\(.*?)  ret i64 (%\d+)", few, whole, count=1, flags=re.DOTALL)
    monkeypatch.setattr(kernel, "text_of", lambda _: poor)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    compact = breadth_first.check(protocol, Options(spill=tmp_path, compact=True, workers=1))
    exact = breadth_first.check(protocol, Options(workers=1))
    assert compact.distinct_states < exact.distinct_states == 39_619


def test_a_full_disk_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Room in files is taken before it is used, so a full disk is an error, and what is known is reported."""

    def full(handle: int, offset: int, length: int) -> None:
        if length > 1 << 20:
            raise OSError(28, "No space left on device")
        os.ftruncate(handle, offset + length)

    monkeypatch.setattr(os, "posix_fallocate", full)
    tuning = Tuning(first_records=1 << 12)
    result = breadth_first.check(classic("kip-320", 3, 2, 2, 2), Options(spill=tmp_path), tuning=tuning)
    assert "No space left on device" in result.cut and str(tmp_path) in result.cut
    assert result.exit_code == 153 and result.distinct_states > 1_000


# Deadlines: what is watched is interrupted once a budget is spent, and everything is as before afterwards.


def test_a_sleep_is_interrupted() -> None:
    patience = Deadline(budget=0.2)
    spent = r"the time budget of 0\.2 s is spent while sleeping"
    with pytest.raises(BudgetExceeded, match=spent) as caught, patience.watching("sleeping"):
        time.sleep(3600)
    assert why_stopped(caught.value) == StopReason(str(caught.value), "time")
    assert why_stopped(KeyboardInterrupt()) == INTERRUPTED


def test_handlers_of_exception_do_not_stop_it() -> None:
    def stubborn() -> None:
        while True:
            try:
                time.sleep(3600)
            except Exception:
                continue

    with pytest.raises(BudgetExceeded), Deadline(budget=0.1).watching("trying"):
        stubborn()


def test_what_cleans_up_is_not_interrupted_again() -> None:
    cleaned: list[str] = []
    with pytest.raises(BudgetExceeded), Deadline(budget=0.1).watching("working"):
        try:
            time.sleep(3600)
        finally:
            time.sleep(5 * TICK)
            cleaned.append("up")
    assert cleaned == ["up"]


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    with Deadline(budget=3600).watching("nothing"):
        time.sleep(3 * TICK)
        assert any(thread.name == "patience" for thread in threading.enumerate())
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)) == before
    assert not any(thread.name == "patience" for thread in threading.enumerate())


def test_handlers_are_put_back_after_an_interruption() -> None:
    def mine(*_: object) -> None:
        raise AssertionError("nobody sends this signal")

    before = signal.signal(signal.SIGALRM, mine)
    try:
        for _ in range(5):
            with pytest.raises(BudgetExceeded), Deadline(budget=0.0).watching("nothing"):
                time.sleep(3600)
            assert signal.getsignal(signal.SIGALRM) is mine
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_call_says_what_is_done_and_notices_a_spent_budget() -> None:
    patience = Deadline(budget=0.0)
    with pytest.raises(BudgetExceeded, match="the time budget of 0 s is spent while compiling Fetch"):
        patience("compiling Fetch")
    with pytest.raises(BudgetExceeded, match=r"the memory budget of 1 MiB is spent while compiling Fetch") as caught:
        Deadline(max_memory=1 << 20)("compiling Fetch")
    assert caught.value.reason.limit == "memory"
    Deadline()("anything")


def test_a_budget_counts_from_the_moment_it_is_given() -> None:
    with pytest.raises(BudgetExceeded):
        Deadline(budget=60, begun=time.monotonic() - 61)("anything")


def test_outside_the_main_thread_only_calls_end_it() -> None:
    found: list[str] = []

    def work() -> None:
        patience = Deadline(budget=0.0)
        with patience.watching("waiting"):
            time.sleep(3 * TICK)
            found.append("went on")
            try:
                patience("looking")
            except BudgetExceeded as spent:
                found.append(str(spent))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["went on", "the time budget of 0 s is spent while looking"]


def test_progress_is_told_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Progress] = []
    begun = time.monotonic() - 2.5
    with Deadline(progress=heard.append, begun=begun).watching("compiling"):
        time.sleep(3 * TICK)
    assert heard and all(one.doing == "compiling" and one.seconds >= 2.5 for one in heard)
    heard.clear()
    with Deadline(progress=heard.append).watching("compiling"):
        time.sleep(3 * TICK)
    assert heard == []
