"""The visited table and the arrays grow without losing or inventing a state."""

from __future__ import annotations

import pytest

from epochal.checker.native.runtime import worker as state_store
from epochal.checker.native.runtime.memory import PAGE, Region
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from tests.checker.search.models import classic, middling


def figures(result: CheckResult) -> tuple[object, ...]:
    """Everything that must not depend on memory."""
    return (
        result.distinct_states,
        result.depth,
        result.transitions,
        result.state_digest,
        result.step_digest,
        result.actions,
        result.terminal_states,
    )


@pytest.mark.parametrize(("states", "slots"), [(256, 1024), (300, 999), (1 << 12, 1 << 16)])
def test_growth_changes_nothing(states: int, slots: int) -> None:
    """A search that begins with a tiny table, of whatever size, finds the same as one that never grows."""
    expected = figures(breadth_first.check(middling(), Options(workers=1)))
    tuning = Tuning(first_records=states, first_slots=slots, swept_slots=1 << 10)
    result = breadth_first.check(middling(), Options(workers=1), tuning=tuning)
    assert figures(result) == expected
    assert result.state_memory_bytes <= 40 * result.distinct_states


def test_parents_survive_growth() -> None:
    """Traces that are rebuilt after the arrays have moved replay exactly."""
    protocol, tuning = classic("kip-101", 3, 1, 1, 1), Tuning(first_records=64, first_slots=512)
    result = breadth_first.check(protocol, Options(all_violations=True), tuning=tuning)
    traces = [p.trace for p in result.properties if p.trace is not None]
    assert {t.property_id: t.length for t in traces}["strong_isr"] == 12
    assert all(replay(trace, [PythonSemantics(protocol)]).ok for trace in traces)


def test_two_word_states_fit_in_forty_bytes() -> None:
    """The promise of the README, just after a table has grown, which is the worst moment."""
    worst = 16 + 8 + 8 * state_store.GROWTH / state_store.LOAD
    assert worst <= 40


def test_region_keeps_its_content() -> None:
    """A region grows in place or by moving; what was there stays, the rest is zero."""
    import ctypes

    region = Region(PAGE)
    ctypes.memmove(region.address, b"epochal!", 8)
    region.grow(64 * PAGE)
    assert region.size >= 64 * PAGE
    assert ctypes.string_at(region.address, 8) == b"epochal!"
    assert ctypes.string_at(region.address + 64 * PAGE - 8, 8) == bytes(8)
    region.forget(0, region.size)
    assert ctypes.string_at(region.address, 8) == bytes(8)
    region.close()


def test_too_many_states_are_refused() -> None:
    """The index of a state has 32 bits; a search that needs more ends with what it knows."""
    result = breadth_first.check(middling(), Options(), tuning=Tuning(record_limit=20_000))
    assert not result.exhaustive and "no room for more than 20,000 states" in result.cut and result.limit == "memory"
    assert 0 < result.distinct_states <= 20_000
    assert result.exit_code == 30


def test_a_small_table_grows_in_few_steps() -> None:
    """To four times its size until it has the early slots, then by two fifths."""
    table = state_store._Table(1 << 10, state_store.LOAD, state_store.GROWTH, 64, early=10_000)
    sizes = []
    for _ in range(4):
        sizes.append(table.slots)
        table.slots = table.larger(table.capacity + 1)
    assert sizes == [1 << 10, 1 << 12, 10_000, 14_000]
    table.region.close()
