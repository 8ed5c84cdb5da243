"""Simulation finds the known bugs, whatever the seed, and says each in a run of which nothing can be left out."""

from __future__ import annotations

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.search.simulate import STATES, SimulationResult, simulate
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.language import Protocol
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered

LONGER = {"S17b": 16, "S29": 18, "S32": 18, "W4": 30, "zookeeper-stale-confirmation leader_completeness": 18}
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
    """Every faulty protocol with a run of at most 15 states."""
    assert_found(bug, 0)


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.without_rule)
def test_known_bugs_are_found_whatever_the_seed(bug: KnownBug) -> None:
    """The same, and every entry of the catalogue that is made of settings."""
    for seed in SEEDS:
        assert_found(bug, seed)
