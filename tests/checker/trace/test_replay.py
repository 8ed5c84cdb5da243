"""Replaying traces in every reading, and naming the first step that is no longer possible."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from epochal.checker.search.reference_engine import check
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.checker.trace.explain import Change, refusal
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.replay import Replay, replay
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.classic.async_isr import AsyncIsr, AsyncIsrBounds
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicState
from epochal.spec.language import ActionInstance, EvaluationError, Protocol
from epochal.spec.registry import REGISTRY, registered
from tests.checker.trace.runs import walk
from tests.zoo.traced import Choosy, Fixed, Unborn, Unjudged, Unshown, Zoo, ZooBounds

Edit = Callable[[list[tuple[ActionInstance, Codes]]], Sequence[tuple[ActionInstance, Codes]]]


class Other(PythonSemantics):
    """Stands for another engine, which may be wrong."""

    name = "native"

    def __init__(self, protocol: Protocol, edit: Edit = lambda steps: steps) -> None:
        super().__init__(protocol)
        self.edit = edit

    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        return list(self.edit(super().successors(codes)))

    def taken(self, codes: Codes, instance: ActionInstance) -> Codes | None:
        return next((after for one, after in self.successors(codes) if one.number == instance.number), None)


def replayed(trace: Trace) -> Replay:
    """The trace in the Python reading."""
    return replay(trace, [PythonSemantics(trace.protocol)])


def as_read_by(trace: Trace, protocol: type[Protocol]) -> Trace:
    """The same file, read when the specification was another."""
    return decode(dumps(trace), lambda name: protocol)


def test_every_trace_of_a_search_replays_in_every_reading(found: dict[str, Trace]) -> None:
    for trace in found.values():
        result = replay(trace, [PythonSemantics(trace.protocol), Other(trace.protocol)])
        assert result.ok
        assert [(o.reading, o.ok, o.step, o.reason) for o in result.outcomes] == [
            ("python", True, None, ""),
            ("native", True, None, ""),
        ]


def test_the_lines_say_so(counterexample: Trace) -> None:
    readings = [PythonSemantics(counterexample.protocol), Other(counterexample.protocol)]
    assert replay(counterexample, readings).lines() == [
        "python: every step is possible, with the result that the trace says",
        "native: every step is possible, with the result that the trace says",
    ]


@pytest.mark.parametrize("name", REGISTRY)
def test_runs_of_every_registered_protocol_replay(name: str) -> None:
    trace = walk(registered(name)(), 8)
    assert replayed(decode(dumps(trace), registered)).ok


def test_a_counterexample_that_was_fixed_names_the_guard_that_fixed_it(counterexample: Trace) -> None:
    result = replayed(as_read_by(counterexample, Kip320))
    outcome = result.outcomes[0]
    assert not result.ok
    assert outcome.step == 8
    assert outcome.reason == "step 8, BecomeFollower(b2, b1, 1), is not possible in state 7"
    assert outcome.refusal is not None
    assert outcome.refusal.text == "require(self.replicas[leader].epoch == epoch)"
    where = outcome.refusal.where
    assert where.file == "spec/classic/kip_320.py"
    assert where.function == "become_follower"
    assert linecache.getline(where.file, where.line).strip() == outcome.refusal.text
    assert result.lines() == [f"python: {outcome.reason}", f"  {where}: {outcome.refusal.text}"]


def test_a_guard_in_a_helper_is_found_where_it_stands(counterexample: Trace) -> None:
    protocol = counterexample.protocol
    again = next(i for i in protocol.instances if i.label == "ElectLeader(b2)")
    guard = refusal(protocol, counterexample.states[-1], again)
    assert guard is not None
    assert guard.where.file == "spec/classic/controller.py"
    full = next(i for i in protocol.instances if i.label == "ControllerShrinksIsr(b1)")
    guard = refusal(protocol, counterexample.states[-1], full)
    assert guard is not None
    assert guard.where.function == "send"
    assert guard.text == "bounded(len(self.requests) <= self.bounds.max_epoch)"


def test_a_guard_on_several_lines_is_shown_whole(zoo: Zoo) -> None:
    hide = next(i for i in zoo.instances if i.action.name == "hide")
    guard = refusal(zoo, zoo.initial_states()[0], hide)
    assert guard is not None
    assert guard.text == "require( self.flag and entry.color is not None )"
    assert Path(guard.where.file).name == "traced.py.ZooBounds"


def test_an_enabled_step_has_no_refusal(counterexample: Trace) -> None:
    step = counterexample.steps[0]
    assert refusal(counterexample.protocol, counterexample.initial, step.instance) is None


def test_another_result_names_the_leaves(counterexample: Trace) -> None:
    steps = list(counterexample.steps)
    state = counterexample.protocol.at(steps[6].codes)
    assert isinstance(state, ClassicState)
    b1, _ = state.replicas
    state.replicas[b1].hw = 0
    steps[6] = Step(steps[6].instance, state.codes())
    result = replayed(replace(counterexample, steps=tuple(steps)))
    outcome = result.outcomes[0]
    assert (outcome.step, outcome.reason) == (7, "step 7, AdvanceHighWatermark(b1), leads to another state")
    assert outcome.changes == (Change("b1.hw", "0", "1"),)
    assert result.lines()[1] == "  b1.hw: 0 in the trace, 1 now"


def test_the_first_state_must_be_initial(counterexample: Trace) -> None:
    state = counterexample.protocol.at(counterexample.initial)
    state.next_record = 1
    outcome = replayed(replace(counterexample, initial=state.codes())).outcomes[0]
    assert (outcome.ok, outcome.step, outcome.reason) == (False, 0, "state 0 is not an initial state")
    assert outcome.changes == (Change("next_record", "1", "0"),)


def test_a_reading_that_misses_a_step_is_told_apart_from_a_guard(counterexample: Trace) -> None:
    other = Other(counterexample.protocol, lambda steps: [s for s in steps if s[0].action.name != "fetch"])
    result = replay(counterexample, [PythonSemantics(counterexample.protocol), other])
    assert [o.ok for o in result.outcomes] == [True, False]
    assert result.outcomes[1].step == 6
    assert result.outcomes[1].refusal is None
    assert result.outcomes[1].reason == (
        "step 6, Fetch(b2, b1), is not possible in state 5; in the Python semantics it is, so the semantics disagree"
    )


def test_a_property_that_holds_now_is_said(zoo: Zoo) -> None:
    trace = check(zoo, Options(properties=("no_flag",))).properties[0].trace
    assert trace is not None
    assert replayed(trace).ok
    outcome = replayed(as_read_by(trace, Fixed)).outcomes[0]
    assert (outcome.ok, outcome.step) == (False, None)
    assert outcome.reason == "no_flag holds at the end, although the trace says that it does not"


def test_an_action_property_is_judged_on_the_last_step(zoo: Zoo) -> None:
    trace = check(zoo, Options(properties=("flag_stays_down",))).properties[0].trace
    assert trace is not None
    assert replayed(trace).ok
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    longer = replace(trace, steps=(*trace.steps, Step(nothing, trace.states[-1])))
    assert replayed(longer).outcomes[0].reason.startswith("flag_stays_down holds at the end")
    none = replayed(Trace(zoo, trace.initial, (), "flag_stays_down", "violated")).outcomes[0]
    assert none.reason == "flag_stays_down is about a step, and the trace has none"


def test_a_witness_must_still_be_one(zoo: Zoo) -> None:
    for name in ("flag_is_set", "number_grows"):
        trace = check(zoo, Options(properties=(name,))).properties[0].trace
        assert trace is not None
        assert replayed(trace).ok
        start = Trace(zoo, trace.initial, (), name, "reached")
        assert replayed(start).outcomes[0].reason == f"{name} is not reached at the end"


def test_a_property_that_is_gone_is_said(counterexample: Trace) -> None:
    outcome = replayed(replace(counterexample, property_id="gone")).outcomes[0]
    assert outcome.reason == "the specification has no property 'gone'"


def overflowing(zoo: Zoo) -> Trace:
    """A run to a state in which the number is at its highest, so that the action overflow cannot be evaluated."""
    raised = next(i for i in zoo.instances if i.label == "SetFlag(n1)")
    grow = next(i for i in zoo.instances if i.label == "Overflow()")
    codes = initial = zoo.initial_states()[0]
    steps = []
    for instance in (raised, grow):
        codes = zoo.step(zoo.at(codes), instance) or ()
        steps.append(Step(instance, codes))
    return Trace(zoo, initial, tuple(steps), "", "error")


def test_a_rule_that_fails_at_the_end_is_what_an_error_trace_claims() -> None:
    zoo = Zoo(ZooBounds(nodes=1, high=0))
    trace = overflowing(zoo)
    assert replayed(trace).ok
    shorter = replace(trace, steps=trace.steps[:1])
    assert replayed(shorter).outcomes[0].reason == (
        "every rule can be evaluated at the end, although the trace says that one cannot"
    )


def test_rules_about_steps_are_evaluated_too(zoo: Zoo) -> None:
    trace = replace(walk(zoo, 1), verdict="error")
    assert not replayed(trace).ok
    assert replayed(as_read_by(trace, Unshown)).ok


def test_a_step_that_fails_is_an_outcome_and_its_neighbours_do_not_matter() -> None:
    zoo = Zoo(ZooBounds(nodes=1, high=0))
    trace = overflowing(zoo)
    nothing = next(i for i in zoo.instances if i.label == "Nothing()")
    assert replayed(replace(trace, steps=(*trace.steps, Step(nothing, trace.states[-1])))).ok
    again = Step(trace.steps[-1].instance, trace.states[-1])
    outcome = replayed(replace(trace, steps=(*trace.steps, again))).outcomes[0]
    assert outcome.step == 3
    assert not outcome.ok
    assert "step 3, Overflow(), cannot be taken in state 2: " in outcome.reason
    assert "number: 1 is outside -1..0" in outcome.reason
    with pytest.raises(EvaluationError):
        refusal(zoo, trace.states[-1], trace.steps[-1].instance)


def test_rules_that_cannot_be_evaluated_are_outcomes(zoo: Zoo) -> None:
    trace = check(zoo, Options(properties=("no_flag",))).properties[0].trace
    assert trace is not None
    assert "the last state cannot be evaluated: " in replayed(as_read_by(trace, Unjudged)).outcomes[0].reason
    unborn = replayed(as_read_by(trace, Unborn)).outcomes[0]
    assert not unborn.ok
    assert unborn.step == 0
    assert "the initial states cannot be evaluated: " in unborn.reason
    choosy = replayed(as_read_by(trace, Choosy)).outcomes[0]
    assert (choosy.step, choosy.changes) == (0, ())


def test_states_outside_the_constraint_are_not_explored_further() -> None:
    protocol = AsyncIsr(AsyncIsrBounds(replicas=1, max_offset=0, max_version=0))
    write = next(i for i in protocol.instances if i.label == "LeaderWrite()")
    codes = initial = protocol.initial_states()[0]
    after = protocol.step(protocol.at(codes), write)
    assert after is not None
    assert replayed(Trace(protocol, initial, (Step(write, after),))).ok
    outcome = replayed(Trace(protocol, initial, (Step(write, after), Step(write, after)))).outcomes[0]
    assert outcome.step == 2
    assert outcome.reason == "state 1 is outside the constraint of the specification, which is not explored further"
    claimed = replayed(Trace(protocol, initial, (Step(write, after),), "", "error")).outcomes[0]
    assert claimed.reason.startswith("every rule can be evaluated at the end")
