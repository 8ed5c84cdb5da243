"""Random simulation: reproducible, the same in both readings, honest about what it did not reach."""

from __future__ import annotations

from typing import Annotated, Self

import pytest

from epochal.checker.native.reading import NativeReading
from epochal.checker.reading import PythonReading
from epochal.checker.search.breadth_first import check
from epochal.checker.search.result import Options
from epochal.checker.search.simulate import SimulationResult, simulate
from epochal.checker.trace.replay import replay
from epochal.language import Integers, Protocol, action, action_property, invariant
from epochal.spec.registry import registered
from tests.checker.search.models import classic


def told(result: SimulationResult) -> tuple[object, ...]:
    """What must not depend on the reading."""
    return (
        result.runs,
        result.steps,
        result.distinct_states,
        result.dead_ends,
        result.left_constraint,
        result.longest,
        result.actions,
        [(p.member.name, p.verdict, p.length) for p in result.properties],
    )


@pytest.mark.parametrize("name", ["kip-279", "kip-320", "async-isr"])
def test_seed_and_reading(name: str) -> None:
    """The same seed gives the same runs in both readings; another seed gives others."""
    protocol = registered(name)()
    native = simulate(protocol, NativeReading(protocol), runs=25, depth=30, seed=7)
    python = simulate(protocol, PythonReading(protocol), runs=25, depth=30, seed=7)
    other = simulate(protocol, PythonReading(protocol), runs=25, depth=30, seed=8)
    assert told(native) == told(python)
    assert told(python) != told(other)


def test_a_violation_is_found_and_replays() -> None:
    """The bug of the oldest generation is easily met, and the run that shows it replays."""
    protocol = classic("truncate-to-hw", 2, 2, 2, 2)
    reading = NativeReading(protocol)
    result = simulate(protocol, reading, runs=2000, depth=40, seed=1)
    shown = {p.member.name: p for p in result.properties}
    assert shown["weak_isr"].verdict == "violated" and result.exit_code == 12
    assert shown["leader_in_isr"].verdict == "unknown"
    assert shown["record_committed"].verdict == "holds"
    trace = shown["weak_isr"].trace
    assert trace is not None and trace.facts["shortest"] is False and trace.facts["seed"] == 1
    assert replay(trace, [PythonReading(protocol), reading]).ok


def test_runs_end_where_nothing_is_new() -> None:
    """No state is entered twice, and none is left in the end; a state without a next step is counted."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    result = simulate(protocol, PythonReading(protocol), depth=1000, seed=3)
    known = check(protocol, Options())
    assert result.all_seen and result.distinct_states == known.distinct_states == result.steps + 1
    assert 0 < result.dead_ends <= result.runs and 0 < result.longest < 1000


def test_runs_end_at_the_depth() -> None:
    """No run is longer than asked for, and what is behind that is not said to be seen."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    result = simulate(protocol, PythonReading(protocol), depth=4, seed=3)
    assert result.longest == 4 and not result.all_seen
    assert simulate(protocol, PythonReading(protocol), runs=3, depth=2, seed=3).longest == 2


def test_the_constraint_ends_a_run() -> None:
    """A state outside the state constraint is judged and ends its run; it is not counted."""
    protocol = registered("async-isr")(replicas=2, max_offset=1, max_version=1)
    result = simulate(protocol, PythonReading(protocol), depth=200, seed=5)
    assert result.left_constraint > 0 and result.dead_ends == 0
    assert result.all_seen and result.distinct_states == check(protocol, Options()).distinct_states


class Lamp(Protocol):
    """A lamp that is switched on and off, which it should not be."""

    on: bool

    @action
    def press(self) -> None:
        """The lamp changes."""
        self.on = not self.on

    @action
    def pull_the_plug(self) -> None:
        """The same by other means: two steps of one state show the same."""
        self.on = not self.on

    @action_property
    def stays_on(self, new: Self) -> bool:
        """Nobody switches it off."""
        return not self.on or new.on


@pytest.mark.parametrize("reading", [PythonReading, NativeReading])
def test_steps_to_states_that_were_seen_are_judged(reading: type[PythonReading] | type[NativeReading]) -> None:
    """No run takes the step back to the first state, and yet it is found."""
    protocol = Lamp()
    result = simulate(protocol, reading(protocol), depth=20, seed=0)
    (judged,) = result.properties
    assert (judged.verdict, judged.length, result.distinct_states, result.steps) == ("violated", 3, 2, 1)


@pytest.mark.parametrize("reading", [PythonReading, NativeReading])
def test_a_rule_that_fails_is_told_without_a_step_to_spare(
    reading: type[PythonReading] | type[NativeReading],
) -> None:
    """The run to where a rule fails is shortened, too: it fails for the same reason."""
    found = []
    for seed in range(4):
        protocol = Overflowing()
        result = simulate(protocol, reading(protocol), depth=30, seed=seed)
        assert result.error is not None and result.exit_code == 75
        assert replay(result.error.trace, [PythonReading(protocol), NativeReading(protocol)]).ok
        found.append(result.error.trace.length)
    assert set(found) == {4}


class Overflowing(Protocol):
    """A number that gets too large, and something beside it that does not matter."""

    number: Annotated[int, Integers(0, 3)]
    beside: Annotated[int, Integers(0, 9)]

    @action
    def count(self) -> None:
        """The last time there is no room."""
        self.number = self.number + 1

    @action
    def turn(self) -> None:
        """What does not matter."""
        self.beside = (self.beside + 1) % 10

    @invariant
    def is_small(self) -> bool:
        """Nothing else is wrong."""
        return self.number < 4
