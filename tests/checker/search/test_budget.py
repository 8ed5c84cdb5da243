"""A spent budget cuts the search, says so, and keeps everything that is known."""

from __future__ import annotations

import _thread
import threading
import time
from pathlib import Path
from types import ModuleType

import pytest

from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options, Progress
from tests.checker.search.models import classic, middling, small_faulty

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
    """A memory budget below what the process has already."""
    result = engine.check(middling(), Options(max_memory=1 << 20))
    assert result.cut.startswith("the memory budget of 1 MiB is spent while compiling ") and result.exit_code == 30
    assert result.limit == "memory" and result.distinct_states == 0


def test_growth_is_refused_before_it_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is counted before the table grows, not after."""
    from epochal.checker.native.runtime import worker as state_store
    from epochal.checker.search import budget

    monkeypatch.setattr(state_store.StateStore, "growth_bytes", lambda self, demand: 1 << 50)
    monkeypatch.setattr(budget, "memory_limit", lambda: 1 << 49)
    result = breadth_first.check(middling(), Options(), tuning=Tuning(first_slots=1 << 12))
    assert "90 % of this machine's memory" in result.cut and result.exit_code == 30


def test_what_memory_errors_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that gives no more memory ends the search with what is known."""
    from epochal.checker.native.runtime import worker as state_store

    def refuse(self: object, demand: object) -> None:
        raise MemoryError("the system gives no 12 MiB of memory")

    monkeypatch.setattr(state_store.StateStore, "grow", refuse)
    result = breadth_first.check(middling(), Options(), tuning=Tuning(first_slots=1 << 12))
    assert result.cut == "the system gives no 12 MiB of memory" and result.limit == "memory"
    assert result.distinct_states > 0 and result.exit_code == 30


@pytest.mark.usefixtures("heeding_interrupts")
def test_interrupt() -> None:
    """Ctrl-C in the middle reports what is known."""
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
