"""Steps in words, and the leaves that change."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.trace.explain import (
    Change,
    claim,
    differences,
    explain,
    property_of,
    protocol_name,
    sentence,
    shown_bounds,
)
from epochal.checker.trace.messages import lanes
from epochal.checker.trace.trace import Trace
from epochal.spec.classic.async_isr import AsyncIsr
from epochal.spec.language import ActionInstance, Bounds, Protocol
from tests.checker.trace.trace_zoo import Zoo, states_of

ZOO = Zoo()


def step_of(protocol: Protocol, label: str) -> ActionInstance:
    """The first instance with this label."""
    return next(instance for instance in protocol.instances if instance.label == label)


def test_a_step_tells_who_did_what_to_whom(counterexample: Trace) -> None:
    fetch = explain(counterexample)[5]
    assert (fetch.number, fetch.label) == (6, "Fetch(b2, b1)")
    assert (fetch.by, fetch.to) == ("b2", "b1")
    assert fetch.sentence == "b2 fetches the next record from b1"
    assert fetch.where.file == "spec/classic/follower.py"
    assert [str(change) for change in fetch.changes] == ["b2.log[0]: - -> r0@e0"]


def test_a_lane_stays_a_lane(counterexample: Trace) -> None:
    elect = explain(counterexample)[0]
    assert (elect.by, elect.to) == ("controller", "b1")
    assert elect.changes == (
        Change("quorum.leader", "-", "b1"),
        Change("requests[0]", "-", "b1 {b1, b2}"),
    )
    assert lanes(step_of(AsyncIsr(), "FollowerReplicates(b2)")) == ("b2", "leader")
    assert lanes(step_of(AsyncIsr(), "LeaderWrite()")) == ("leader", "")


def test_a_step_that_says_nothing_has_the_first_sentence_of_its_docstring(zoo: Zoo) -> None:
    assert sentence(step_of(zoo, "Nothing()")) == "Change nothing at all; nobody does it"
    assert sentence(zoo.instances[-2]) == "Two instances of this action can have the same label"


class Nameless(Protocol):
    """It has neither a name nor bounds."""

    bounds: Bounds
    flag: bool


def test_a_difference_that_the_text_hides_is_told_by_the_stored_leaves(zoo: Zoo) -> None:
    before = zoo.initial_states()[0]
    state = zoo.at(before)
    state.secret.hidden = True
    assert differences(zoo, before, state.codes()) == (Change("secret.hidden", "false", "true"),)


def test_values_that_read_alike_are_told_apart_by_their_codes(zoo: Zoo) -> None:
    state = zoo.at(zoo.initial_states()[0])
    states = []
    for member in list(zoo.variables["twin"].domain.values())[1:]:
        state.twin = member
        states.append(state.codes())
    assert differences(zoo, *states) == (Change("twin", "read-only (code 1)", "read-only (code 2)"),)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_unequal_states_always_differ_in_some_leaf(data: st.DataObject) -> None:
    before = data.draw(states_of(ZOO))
    leaf = data.draw(st.integers(0, len(before) - 1))
    codes = list(before)
    codes[leaf] = data.draw(st.integers(0, ZOO.leaves[leaf].domain.size - 1))
    after = tuple(ZOO.at(codes).codes())
    assert bool(differences(ZOO, before, after)) == (before != after)
    assert all(change.before != change.after for change in differences(ZOO, before, after))


def test_what_a_trace_claims(counterexample: Trace, witness: Trace) -> None:
    assert claim(counterexample) == "weak_isr is violated"
    assert claim(witness) == "record_committed is reached"
    assert claim(replace(counterexample, property_id="", verdict="error")) == "a rule cannot be evaluated"
    assert claim(replace(counterexample, property_id="", verdict="run")) == "a run"


def test_names(counterexample: Trace) -> None:
    assert protocol_name(counterexample) == "truncate-to-hw"
    assert protocol_name(replace(counterexample, facts={"protocol": "mine.py:Mine"})) == "mine.py:Mine"
    assert protocol_name(Trace(Nameless(), (0,), ())) == "Nameless"
    assert shown_bounds(counterexample.protocol) == "replicas 2, log_size 1, records 1, max_epoch 1"
    assert shown_bounds(Nameless()) == "no bounds"


def test_the_property_of_a_trace(counterexample: Trace) -> None:
    member = property_of(counterexample)
    assert member is not None and member.name == "weak_isr"
    assert property_of(replace(counterexample, property_id="")) is None
    assert property_of(replace(counterexample, property_id="gone")) is None
