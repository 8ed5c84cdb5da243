"""The visited table and the arrays grow without losing or inventing a state."""

from __future__ import annotations

from types import ModuleType
from typing import Annotated

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epochal.checker.ir.layout import SECRETS, Digest, fold, lay_out, state_hash
from epochal.checker.native.runtime import worker_pool as state_store
from epochal.checker.native.runtime.memory import PAGE, Region
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.language import Integers, LanguageError, Protocol
from tests.checker.search.models import classic, middling, small_faulty
from tests.zoo.searched import Nowhere


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


# Digests of states and steps: the same in any order and any engine, different for different behaviour.

WORDS = st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=5)


@given(st.lists(st.tuples(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1)), max_size=8), st.randoms())
def test_order_does_not_matter(members: list[tuple[int, int]], random: object) -> None:
    forwards, backwards = Digest(), Digest()
    for low, high in members:
        forwards = forwards.add(low, high)
    for low, high in reversed(members):
        backwards = backwards.add(low, high)
    assert str(forwards) == str(backwards) and len(str(forwards)) == 32


def _keeps_every_word(words: list[int], lane: int) -> bool:
    """Whether no product on the way is zero: what `state_hash` says of the words that it is blind for."""
    first, value = SECRETS[lane * 4], SECRETS[lane * 4 + 1]
    padded = [*words, 0] if len(words) % 2 else words
    for one, other in zip(padded[::2], padded[1::2], strict=True):
        if one == first or other == value:
            return False
        value = fold(one ^ first, other ^ value)
    return True


@given(WORDS, WORDS)
@example([0, 0, SECRETS[4], 0], [0, 0, SECRETS[4], 1])
@example([1, SECRETS[1]], [2, SECRETS[1]])
def test_hashes_tell_states_apart(a: list[int], b: list[int]) -> None:
    """Different states of the same size have different hashes, here at least, in each lane that is not blind for one.

    Hypothesis tries the numbers that stand in our source, so it does find the words that a lane is blind for.
    """
    if len(a) == len(b) and a != b:
        for lane in (0, 1):
            if _keeps_every_word(a, lane) and _keeps_every_word(b, lane):
                assert state_hash(a, lane) != state_hash(b, lane)


def test_what_one_lane_is_blind_for_the_other_tells_apart() -> None:
    """The two ways to lose a word, as the definition says them."""
    for lane in (0, 1):
        first, second = SECRETS[lane * 4], SECRETS[lane * 4 + 1]
        for one, other in (([first, 1], [first, 2]), ([1, second], [2, second])):
            assert state_hash(one, lane) == state_hash(other, lane)
            assert state_hash(one, 1 - lane) != state_hash(other, 1 - lane)


def test_fold_is_the_definition() -> None:
    assert fold(1 << 63, 2) == 1
    assert fold((1 << 64) - 1, (1 << 64) - 1) == ((1 << 64) - 2) ^ 1


def test_the_published_digest() -> None:
    """The digest of one small model, so that a change of the definition does not go unnoticed."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    native, python = breadth_first.check(protocol, Options()), reference_engine.check(protocol, Options())
    assert native.state_digest == python.state_digest == "261cd329a11792804669a385da652f08"
    assert native.step_digest == python.step_digest == "96bfeecc7cfde35dd14d71c97d5a7d01"


def test_behaviour_shows_in_the_digest() -> None:
    one = breadth_first.check(classic("kip-279", 2, 2, 2, 1), Options(all_violations=True))
    other = breadth_first.check(classic("kip-320", 2, 2, 2, 1), Options(all_violations=True))
    assert one.state_digest != other.state_digest and one.step_digest != other.step_digest


# Where a search begins: what is said if it cannot.

Small = Annotated[int, Integers(0, 2)]


@pytest.mark.parametrize("engine", [breadth_first, reference_engine], ids=["native", "python"])
def test_no_initial_state_is_told_with_its_line(engine: ModuleType) -> None:
    with pytest.raises(LanguageError) as caught:
        engine.check(Nowhere(), Options())
    error = caught.value
    assert error.message == "Nowhere has no initial state"
    assert error.where is not None and error.where.function == "initial"
    assert error.where.file.endswith("tests/zoo/searched.py.Neighbours")
    assert error.advice == "Let some choice of initial's parameters pass all of its requires."


# The counterexample that is printed: shortest, and of the shortest the one that a fixed order decides.

Coded = tuple[int, ...]


def canonical(protocol: Protocol, property_id: str) -> list[int]:
    """The numbers of the instances of that run, by brute force: levels, then backwards the least step at each."""
    reading, layout = PythonSemantics(protocol), lay_out(protocol.leaves)

    def hashed(codes: Coded) -> int:
        return state_hash(layout.pack(codes))

    levels: list[set[Coded]] = [set(protocol.initial_states())]
    seen = set(levels[0])
    while not any(property_id in reading.violated(codes) for codes in levels[-1]):
        following = {after for codes in levels[-1] for _, after in reading.successors(codes)} - seen
        seen |= following
        levels.append(following)
    now = min((codes for codes in levels[-1] if property_id in reading.violated(codes)), key=hashed)
    numbers: list[int] = []
    for level in reversed(levels[:-1]):
        ways = [(i.number, hashed(c), c) for c in level for i, after in reading.successors(c) if after == now]
        number, _, now = min(ways)
        numbers.insert(0, number)
    return numbers


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("property_id", ["weak_isr", "strong_isr"])
@pytest.mark.parametrize("protocol", [small_faulty(), classic("truncate-to-hw", 2, 2, 2, 1)], ids=["one", "two"])
def test_the_least_of_the_shortest(protocol: Protocol, property_id: str, workers: int) -> None:
    """The native search, with any number of workers, and the Python engine find the run that brute force finds."""
    options = Options(all_violations=True, workers=workers or None)
    if workers:
        result = breadth_first.check(protocol, options, tuning=Tuning(share_from=0))
    else:
        result = reference_engine.check(protocol, options)
    trace = next(p.trace for p in result.properties if p.member.name == property_id)
    assert trace is not None
    assert [step.instance.number for step in trace.steps] == canonical(protocol, property_id)
