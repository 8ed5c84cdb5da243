"""Random simulation: reproducible, the same in both readings, honest about what it did not reach."""

from __future__ import annotations

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.checker.search.simulate import AFTER_VIOLATION, STATES, SimulationResult, simulate
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.language import Protocol
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered
from tests.checker.search.models import classic
from tests.zoo.searched import Lamp, Late, Overflowing, Tree, WorseTree


def told(result: SimulationResult) -> tuple[object, ...]:
    """What must not depend on the reading."""
    return (
        result.runs,
        result.steps,
        result.distinct_states,
        result.terminal_states,
        result.left_constraint,
        result.longest,
        result.actions,
        [(p.member.name, p.verdict, p.length) for p in result.properties],
    )


@pytest.mark.parametrize("name", ["kip-279", "kip-320", "async-isr"])
def test_seed_and_reading(name: str) -> None:
    """The same seed gives the same runs in both readings; another seed gives others."""
    protocol = registered(name)()
    native = simulate(protocol, NativeBackend(protocol), runs=25, depth=30, seed=7)
    python = simulate(protocol, PythonSemantics(protocol), runs=25, depth=30, seed=7)
    other = simulate(protocol, PythonSemantics(protocol), runs=25, depth=30, seed=8)
    assert told(native) == told(python)
    assert told(python) != told(other)


def test_a_violation_is_found_and_replays() -> None:
    """The bug of the oldest generation is easily met, and the run that shows it replays."""
    protocol = classic("truncate-to-hw", 2, 2, 2, 2)
    reading = NativeBackend(protocol)
    result = simulate(protocol, reading, runs=2000, depth=40, seed=1)
    shown = {p.member.name: p for p in result.properties}
    assert shown["weak_isr"].verdict == "violated" and result.exit_code == 12
    assert shown["leader_in_isr"].verdict == "unknown"
    assert shown["record_committed"].verdict == "holds"
    trace = shown["weak_isr"].trace
    assert trace is not None and trace.facts["shortest"] is False and trace.facts["seed"] == 1
    assert replay(trace, [PythonSemantics(protocol), reading]).ok


def test_runs_end_where_nothing_is_new() -> None:
    """No state is entered twice, and none is left in the end; a state without a next step is counted."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    result = simulate(protocol, PythonSemantics(protocol), depth=1000, seed=3)
    known = check(protocol, Options())
    assert result.all_seen and result.distinct_states == known.distinct_states == result.steps + 1
    assert 0 < result.terminal_states <= result.runs and 0 < result.longest < 1000


def test_runs_end_at_the_depth() -> None:
    """No run is longer than asked for, and what is behind that is not said to be seen."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    result = simulate(protocol, PythonSemantics(protocol), depth=4, seed=3)
    assert result.longest == 4 and not result.all_seen
    assert simulate(protocol, PythonSemantics(protocol), runs=3, depth=2, seed=3).longest == 2


def test_the_constraint_ends_a_run() -> None:
    """A state outside the state constraint is judged and ends its run; it is not counted."""
    protocol = registered("async-isr")(replicas=2, max_offset=1, max_version=1)
    result = simulate(protocol, PythonSemantics(protocol), depth=200, seed=5)
    assert result.left_constraint > 0 and result.terminal_states == 0
    assert result.all_seen and result.distinct_states == check(protocol, Options()).distinct_states


@pytest.mark.parametrize("reading", [PythonSemantics, NativeBackend])
def test_steps_to_states_that_were_seen_are_judged(reading: type[PythonSemantics] | type[NativeBackend]) -> None:
    """No run takes the step back to the first state, and yet it is found."""
    protocol = Lamp()
    result = simulate(protocol, reading(protocol), depth=20, seed=0)
    (judged,) = result.properties
    assert (judged.verdict, judged.length, result.distinct_states, result.steps) == ("violated", 3, 2, 1)


@pytest.mark.parametrize("reading", [PythonSemantics, NativeBackend])
def test_a_rule_that_fails_is_told_without_a_step_to_spare(
    reading: type[PythonSemantics] | type[NativeBackend],
) -> None:
    """The run to where a rule fails is shortened, too: it fails for the same reason."""
    found = []
    for seed in range(4):
        protocol = Overflowing()
        result = simulate(protocol, reading(protocol), depth=30, seed=seed)
        assert result.error is not None and result.exit_code == 75
        assert replay(result.error.trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok
        found.append(result.error.trace.length)
    assert set(found) == {4}


def test_runs_end_some_states_after_the_last_violation() -> None:
    """A property that does not hold is often not the only one; who says how many runs there are gets all of them."""

    def simulated(protocol: Protocol, runs: int | None = None, *properties: str) -> SimulationResult:
        reading = NativeBackend(protocol)
        return simulate(protocol, reading, runs=runs, depth=60, seed=0, properties=properties or None)

    found = simulated(Tree())
    assert found.ended_after_violation and not found.all_seen and not found.cut
    assert AFTER_VIOLATION < found.distinct_states < AFTER_VIOLATION + 60
    more = simulated(WorseTree())
    assert more.ended_after_violation and more.distinct_states > AFTER_VIOLATION + 10
    assert [p.verdict for p in more.properties] == ["violated", "unknown", "violated"]
    asked = simulated(Tree(), 10**6)
    assert asked.all_seen and asked.distinct_states == 2**16 - 1 and not asked.ended_after_violation
    alone = simulated(Tree(), None, "is_at_the_root")
    assert alone.distinct_states < 60 and not alone.ended_after_violation
    holds = simulated(Tree(), None, "is_in_the_tree")
    assert holds.all_seen and not holds.ended_after_violation


@pytest.mark.parametrize("reading", [PythonSemantics, NativeBackend])
def test_promises_are_evaluated_and_not_judged(reading: type[PythonSemantics] | type[NativeBackend]) -> None:
    """A premise that has no value in a state that was seen is told with its place."""
    protocol = Late()
    result = simulate(protocol, reading(protocol), depth=60, seed=0)
    assert result.exit_code == 75 and result.not_judged == ("is_told",)
    assert result.error is not None and result.error.trace.length == 3
    assert "offset 0 is outside the log" in result.error.message and "searched.py" in str(result.error.where)
    alone = simulate(protocol, reading(protocol), depth=60, seed=0, properties=("is_a_number",))
    assert alone.exit_code == 0 and alone.all_seen and alone.not_judged == ("is_told",)


# Simulation finds the known bugs, whatever the seed, and says each in a run of which nothing can be left out.

LONGER = {"S17b": 16, "S29": 18, "S32": 18, "W4": 30, "zookeeper-stale-confirmation leader_completeness": 18}
LONGER |= {"X2": 20, "KIP-890b": 18}
LONGER |= {"KAFKA-18494": 22, "KAFKA-19859": 20, "SG4": 20, "SG5": 25, "SG6": 20}
"""The bugs whose shortest runs have more than 15 states: nobody is promised that runs by chance find them."""
SEEDS = (1, 2, 3)


def faulty(bug: KnownBug) -> Protocol:
    """The protocol that lacks the rule, within the bounds of the bug."""
    return instantiate(registered(bug.without_rule), dict(bug.other_bounds))


def is_liveness(bug: KnownBug) -> bool:
    """Whether the bug loses nothing and only stops something, which no run of finite length shows."""
    return bug.property_id in {member.name for member in registered(bug.without_rule)().members("leads_to")}


def known_as(bug: KnownBug) -> str:
    """The id of a bug, or what is faulty and what it breaks."""
    return bug.id or f"{bug.without_rule} {bug.property_id}"


BUGS = [bug for bug in KNOWN_BUGS if known_as(bug) not in LONGER and not is_liveness(bug)]
IN_SUITE = [bug for bug in BUGS if not isinstance(bug, KraftBug)]
"""Those that are not made of settings, whose programs are large."""


def simulated(bug: KnownBug, seed: int) -> SimulationResult:
    """What a simulation with the defaults of the command says of the property of a bug."""
    protocol = faulty(bug)
    return simulate(protocol, NativeBackend(protocol), depth=60, seed=seed, properties=(bug.property_id,))


def assert_found(bug: KnownBug, seed: int) -> None:
    """The bug is found, and its run replays, violates the property in its last state, and needs every step."""
    result = simulated(bug, seed)
    (judged,) = result.properties
    assert judged.verdict == "violated", f"{result.distinct_states:,} states"
    trace, protocol = judged.trace, result.protocol
    assert trace is not None and result.distinct_states <= STATES
    readings = [PythonSemantics(protocol), NativeBackend(protocol)]
    assert replay(trace, readings).ok
    python = readings[0]
    for left_out in range(len(trace.steps)):
        now = trace.initial
        for step in (*trace.steps[:left_out], *trace.steps[left_out + 1 :]):
            after = python.taken(now, step.instance)
            if after is None:
                break
            before, now, instance = now, after, step.instance
        else:
            if judged.member.mark.kind == "invariant":
                assert not python.violates(judged.member, now)
            else:
                assert not python.step_violates(judged.member, before, instance, now)


@pytest.mark.parametrize("bug", IN_SUITE, ids=lambda bug: bug.without_rule)
def test_faulty_protocols_are_found(bug: KnownBug) -> None:
    assert_found(bug, 0)


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.without_rule)
def test_known_bugs_are_found_whatever_the_seed(bug: KnownBug) -> None:
    """The same, and every entry of the catalogue that is made of settings."""
    for seed in SEEDS:
        assert_found(bug, seed)
