"""Runs for the tests of traces: any states and any steps, or those of a walk."""

from __future__ import annotations

from hypothesis import strategies as st

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Codes, Step, Trace
from epochal.spec.language import Protocol


def states_of(protocol: Protocol) -> st.SearchStrategy[Codes]:
    """Any state in canonical form, reachable or not."""
    codes = st.tuples(*(st.integers(0, leaf.domain.size - 1) for leaf in protocol.leaves))
    return codes.map(lambda found: tuple(protocol.at(found).codes()))


def traces_of(protocol: Protocol) -> st.SearchStrategy[Trace]:
    """A trace of any states and any steps: what a file may hold, whether or not it can be replayed."""
    steps = st.lists(st.builds(Step, st.sampled_from(protocol.instances), states_of(protocol)), max_size=3)
    facts = st.fixed_dictionaries(
        {},
        optional={"engine": st.just("native"), "seed": st.integers(), "shortest": st.booleans(), "zone": st.just("a")},
    )
    return st.builds(
        Trace, st.just(protocol), states_of(protocol), steps.map(tuple), note=st.text("ab é\n{}\"'\\"), facts=facts
    )


def walk(protocol: Protocol, length: int) -> Trace:
    """A run that takes another of the enabled steps in every state, and stops outside the constraint."""
    codes = initial = protocol.initial_states()[0]
    steps: list[Step] = []
    reading = PythonSemantics(protocol)
    while len(steps) < length and reading.within_constraint(codes) and (enabled := reading.successors(codes)):
        instance, codes = enabled[(7 * len(steps)) % len(enabled)]
        steps.append(Step(instance, codes))
    return Trace(protocol, initial, tuple(steps))
