"""Which states can be reached, and in how many steps: as the breadth-first search of the Python reading says."""

from __future__ import annotations

from typing import Annotated

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search import native as breadth_first
from epochal.checker.search.reachability import reach
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.spec.language import Bounds, Capacity, Integers, Log, Protocol, action, require
from tests.checker.compile.test_readings_agree import WHOLE
from tests.checker.search.models import classic


def depths(protocol: Protocol) -> dict[Codes, int]:
    """The least number of steps to every state."""
    reading = PythonSemantics(protocol)
    level, found, depth = protocol.initial_states(), dict.fromkeys(protocol.initial_states(), 0), 0
    while level:
        depth += 1
        following = []
        for codes in level:
            for _, after in reading.successors(codes):
                if after not in found and reading.within_constraint(after):
                    found[after] = depth
                    following.append(after)
        level = following
    return found


@pytest.mark.parametrize(("protocol", "bounds"), WHOLE, ids=[p.__name__ for p, _ in WHOLE])
def test_every_state_is_reached_in_as_few_steps(protocol: type[Protocol], bounds: Bounds) -> None:
    """Constraints and several initial states included; one state that cannot be reached makes it go on to the end."""
    specification = protocol(bounds)
    size = breadth_first.check(specification, Options(all_violations=True)).distinct_states
    expected = depths(specification)
    model = compile_protocol(specification)
    last = max(expected.values())
    some = [codes for codes, depth in expected.items() if depth == last] + list(expected)[:: max(len(expected) // 9, 1)]
    unreachable = next((codes for codes in _typed(specification) if codes not in expected), None)
    found = reach(model, [*some, *([unreachable] if unreachable else [])], max_states=10**6)
    assert found.steps == {codes: expected[codes] for codes in some}
    assert found.exhaustive == (unreachable is not None)
    if unreachable is not None:
        assert found.states == len(expected) == size


def _typed(protocol: Protocol) -> list[Codes]:
    """A few typed states."""
    highest = tuple(leaf.domain.size - 1 for leaf in protocol.leaves)
    found = [protocol.at(highest).codes()]
    for at in range(len(highest)):
        found.append(protocol.at(tuple(code if i == at else 0 for i, code in enumerate(highest))).codes())
    return found


def test_a_budget_of_states_ends_the_search() -> None:
    """Then it is not exhaustive, and says how many states it saw; `progress` is called on the way."""
    protocol = classic("kip-320", 3, 2, 2, 1)
    model = compile_protocol(protocol)
    nowhere = tuple(leaf.domain.size - 1 for leaf in protocol.leaves)
    seen: list[int] = []
    found = reach(model, [protocol.at(nowhere).codes()], 9000, seen.append)
    assert (found.steps, found.states, found.exhaustive) == ({}, 9000, False)
    assert seen == [4096, 8192]
    every = reach(model, [protocol.at(nowhere).codes()], 10**6)
    assert (every.states, every.exhaustive) == (39_619, True)


class Failing(Protocol):
    """Two steps, of which one cannot be evaluated in some states."""

    bounds: Bounds
    x: Annotated[int, Integers(0, 5)]
    log: Annotated[Log[Annotated[int, Integers(0, 1)]], Capacity(2)]

    @action
    def up(self) -> None:
        """One more."""
        require(self.x < 5)
        self.x += 1

    @action
    def append(self) -> None:
        """Append, though the log may be full."""
        require(self.x >= 2)
        self.log.append(1)


def test_a_step_that_cannot_be_evaluated_is_not_taken() -> None:
    """The others are."""
    protocol = Failing()
    model = compile_protocol(protocol)
    assert any(compiled.failures for compiled in model.instances)
    wanted = [(5, 2, 1, 1), (2, 1, 1, 0), (1, 1, 1, 0)]
    found = reach(model, wanted, 10**6)
    assert found.steps == {(5, 2, 1, 1): 7, (2, 1, 1, 0): 3}
    assert found.exhaustive and found.states == 2 + 4 * 3


@pytest.mark.parametrize("max_states", [500, 10**6])
def test_the_nearest_state_differs_in_the_fewest_leaves(max_states: int) -> None:
    """Of those that were reached, as comparing leaf by leaf says; of what was reached, and not asked for, none."""
    protocol = classic("kip-279-proof", 2, 1, 1, 1)
    model = compile_protocol(protocol)
    known = list(depths(protocol))
    everything = reach(model, known, 10**6)
    unreachable = [codes for codes in _typed(protocol) if codes not in everything.steps]
    found = reach(model, [known[3], *unreachable], max_states, compared=[known[3], *unreachable[1:]])
    assert set(found.nearest) == set(unreachable[1:]) and len(unreachable) > 5
    for codes, nearest in found.nearest.items():
        assert nearest in everything.steps
        apart = [sum(a != b for a, b in zip(codes, one, strict=True)) for one in known]
        assert sum(a != b for a, b in zip(codes, nearest, strict=True)) >= min(apart) > 0
        if max_states > len(known):
            assert sum(a != b for a, b in zip(codes, nearest, strict=True)) == min(apart)
