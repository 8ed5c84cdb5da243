"""Bounded search by Z3: as long as breadth-first search says, from anywhere, and honest about what it does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.solver.bounded import (
    BoundedOptions,
    BoundedResult,
    LengthResult,
    bounded_search,
    from_conditions,
    from_trace,
)
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.replay import replay
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import NOT_INDUCTIVE, Trace
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.classic.truncate_to_hw import TruncateToHw
from epochal.spec.language import LanguageError, Protocol
from epochal.spec.registry import registered
from tests.spec.classic.known_answers import KNOWN_ANSWERS
from tests.zoo.rows import made

SMALL = ClassicBounds(2, 1, 1, 1)


def verdicts(result: BoundedResult) -> dict[str, tuple[str, int]]:
    """Verdict and steps of each property."""
    return {one.member.name: (one.verdict, one.steps) for one in result.properties}


SHORT = [
    (row.protocol, row.bounds, name, length)
    for row in KNOWN_ANSWERS
    if row.bounds in ((2, 1, 1, 1), (2, 2, 2, 1), (3, 1, 1, 1))
    for name, length in row.violated.items()
    if length <= 10
]


@pytest.mark.parametrize(("protocol", "bounds", "name", "length"), SHORT, ids=str)
def test_known_bugs_have_their_known_length(protocol: str, bounds: tuple[int, ...], name: str, length: int) -> None:
    """The shortest counterexamples that TLC found: not one step shorter, not one longer; they replay."""
    made = registered(protocol)(ClassicBounds(*bounds))
    result = bounded_search(made, BoundedOptions(length + 1, (name,)))
    assert (result.exit_code, verdicts(result)) == (12, {name: ("violated", length - 1)})
    assert [one.verdict for one in result.lengths] == ["none"] * (length - 1) + ["found"]
    trace = result.properties[0].trace
    assert trace is not None and trace.length == length
    outcome = replay(trace, [PythonSemantics(made), NativeBackend(made)])
    assert outcome.ok, outcome.lines()


def test_the_trace_is_as_long_as_that_of_the_search() -> None:
    """Both verdicts of one protocol, with the lengths that `check` gives."""
    protocol = TruncateToHw(SMALL)
    searched = breadth_first.check(protocol, Options(all_violations=True))
    result = bounded_search(protocol, BoundedOptions(10, all_violations=True))
    expected = {one.member.name: one.length for one in searched.properties if one.verdict == "violated"}
    found = {p.member.name: p.trace.length for p in result.properties if p.trace is not None}
    assert found == expected == {"weak_isr": 9, "strong_isr": 10}


def test_nothing_is_found_below_the_length_of_the_bug() -> None:
    """One step short of the bug: exit code 0, and only runs of that length were looked at."""
    result = bounded_search(TruncateToHw(SMALL), BoundedOptions(7))
    assert result.exit_code == 0
    assert set(verdicts(result).values()) == {("none", 7)}
    assert (result.complete_to, len(result.lengths)) == (7, 8)


def test_actions_are_first_taken_when_the_search_takes_them() -> None:
    """For every action the least number of steps, by exploring levels in the Python reading."""
    protocol = Kip320(SMALL)
    level, seen = protocol.initial_states(), set(protocol.initial_states())
    first: dict[str, int] = {}
    for steps in range(1, 7):
        following = []
        for codes in level:
            for instance, after in protocol.successors(codes):
                first.setdefault(instance.action.name, steps)
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        level = following
    result = bounded_search(protocol, BoundedOptions(6, ("leader_in_isr",), actions=True))
    assert result.first_taken == first
    assert result.never_taken == tuple(a.name for a in protocol.members("action") if a.name not in first)


def test_a_witness_is_found_or_missed() -> None:
    """A property that must be reachable: reached at the search's length, and missing one step before."""
    protocol = Kip320(SMALL)
    searched = breadth_first.check(protocol, Options(("record_committed",)))
    length = searched.properties[0].length
    assert length is not None
    found = bounded_search(protocol, BoundedOptions(length, ("record_committed",)))
    assert (found.exit_code, verdicts(found)) == (0, {"record_committed": ("reached", length - 1)})
    missed = bounded_search(protocol, BoundedOptions(length - 2, ("record_committed",)))
    assert (missed.exit_code, verdicts(missed)) == (21, {"record_committed": ("none", length - 2)})


def test_a_spent_limit_is_unknown() -> None:
    """With next to no resources the solver gives up: 31, and what was not answered is open."""
    result = bounded_search(TruncateToHw(SMALL), BoundedOptions(8, ("strong_isr",), rlimit=20_000))
    assert result.exit_code == 31
    assert result.reason
    assert result.lengths[-1].verdict == "unknown"
    assert verdicts(result) == {"strong_isr": ("unknown", result.complete_to)}
    assert result.complete_to < 8


def test_every_length_is_told_as_it_is_done() -> None:
    told: list[LengthResult] = []
    result = bounded_search(Kip320(SMALL), BoundedOptions(3, progress=told.append))
    assert tuple(told) == result.lengths
    assert [one.steps for one in told] == [0, 1, 2, 3]


def test_the_same_run_each_time() -> None:
    traces = []
    for _ in range(2):
        result = bounded_search(TruncateToHw(SMALL), BoundedOptions(9, ("strong_isr",)))
        assert result.properties[0].trace is not None
        traces.append(dumps(result.properties[0].trace))
    assert traces[0] == traces[1]


# -- other starts ---------------------------------------------------------------------------------------------------


def counterexample(protocol: Protocol, name: str) -> Trace:
    """The search's counterexample."""
    trace = breadth_first.check(protocol, Options((name,))).properties[0].trace
    assert trace is not None
    return trace


def test_from_a_state_of_a_trace_the_whole_run_is_told() -> None:
    """From a state on the way to the bug, the rest of the way is found, and the run begins in the initial state."""
    protocol = TruncateToHw(SMALL)
    way = counterexample(protocol, "strong_isr")
    start = from_trace(protocol, way, 5, "way.itf.json")
    result = bounded_search(protocol, BoundedOptions(9, ("strong_isr",)), start)
    trace = result.properties[0].trace
    assert verdicts(result) == {"strong_isr": ("violated", 4)}
    assert trace is not None and trace.length == 10 and trace.steps[:5] == way.steps[:5] and trace.start == ""
    assert start.reachable
    assert replay(trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok
    at_end = bounded_search(protocol, BoundedOptions(0, ("strong_isr",)), from_trace(protocol, way, None, "way"))
    assert verdicts(at_end) == {"strong_isr": ("violated", 0)}


def test_a_trace_of_another_protocol_gives_its_state_only() -> None:
    """What KIP-320 would do in a state of KIP-279's bug: the trace begins there and says so, also in its file."""
    bounds = ClassicBounds(3, 1, 1, 1)
    way = counterexample(Kip279(bounds), "strong_isr")
    protocol = Kip320(bounds)
    start = from_trace(protocol, way, None, "bug.itf.json")
    result = bounded_search(protocol, BoundedOptions(0, ("strong_isr",)), start)
    trace = result.properties[0].trace
    assert trace is not None and not start.reachable
    assert trace.start == "State 11 of bug.itf.json"
    assert "0. State 11 of bug.itf.json" in story(trace)[2]
    again = decode(dumps(trace), registered)
    assert again.start == trace.start and again.states == trace.states
    assert replay(again, [PythonSemantics(protocol)]).ok


def test_a_trace_that_is_none_of_the_protocol_is_refused() -> None:
    way = counterexample(TruncateToHw(SMALL), "weak_isr")
    with pytest.raises(LanguageError, match="way has no state 9"):
        from_trace(TruncateToHw(SMALL), way, 9, "way")
    with pytest.raises(LanguageError, match=r"the states of kip-320 and of way differ: next_record is of 0..2 in"):
        from_trace(Kip320(ClassicBounds(2, 2, 2, 1)), way, 0, "way")


def test_from_a_counterexample_to_induction() -> None:
    protocol = Kip320Proof(SMALL)
    codes = protocol.initial_states()[0]
    start = from_trace(protocol, Trace(protocol, codes, (), "strong_isr", NOT_INDUCTIVE), 0, "step")
    assert not start.reachable
    assert start.way is not None and start.way.start == "Any state in which every lemma holds"


def test_from_the_lemmas_a_step_of_induction() -> None:
    """From states that satisfy every lemma, two steps of KIP-320 never break Strong ISR; without them one does."""
    protocol = Kip320Proof(ClassicBounds(2, 1, 1, 1))
    lemmas = [member.name for member in protocol.members("lemma")]
    held = bounded_search(protocol, BoundedOptions(2, ("strong_isr",)), from_conditions(protocol, lemmas))
    assert (held.exit_code, verdicts(held)) == (0, {"strong_isr": ("none", 2)})
    broken = bounded_search(protocol, BoundedOptions(1, ("strong_isr",)), from_conditions(protocol, ["strong_isr"]))
    trace = broken.properties[0].trace
    assert verdicts(broken) == {"strong_isr": ("violated", 1)}
    assert trace is not None and trace.start == "Any typed state in which strong_isr holds"
    assert replay(trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok


# -- a small protocol -------------------------------------------------------------------------------------------------


Walk: type[Any] = made(
    globals(),
    "Protocol",
    """
    Walk: A number that goes up by one or two, with a constraint, a property of steps and a rule that can fail.
        name: ClassVar[str] = "walk"
        bounds: Bounds
        place: Annotated[int, Integers(0, 9)]
        jumps: Annotated[int, Integers(0, 1)]
        def initial(self, at: Annotated[int, Integers(0, 9)]) -> None:
            # At 1 or at 2.
            require(1 <= at <= 2)
            self.place = at
        action go: One further.
            self.place += 1
        action jump: Two further, once; it fails beyond the end.
            require(self.jumps == 0)
            self.place += 2
            self.jumps = 1
        action rest: Never.
            require(self.place * 2 == 7)
        constraint near: Not beyond seven.
            return self.place <= 7
        invariant below_six: It stays below six.
            return self.place < 6
        action_property small_steps: No step from four leads to six.
            return not (self.place == 4 and new.place == 6)
        reachable nine(new: Self): A step leads to nine.
            return new.place == 9
    """,
)


Cliff: type[Any] = made(
    globals(),
    "Walk",
    """
    Cliff: The same without its constraint: it walks off the end.
        name: ClassVar[str] = "cliff"
        near = None
    """,
)


def at_four(self: Any) -> bool:
    """Where it is at four."""
    return bool(self.place == 4)


def beyond(self: Any) -> bool:
    """Nowhere."""
    return bool(self.place > 9)


def of_steps(self: Any, new: Any) -> bool:
    """About two states."""
    return bool(new.place > self.place)


def test_properties_of_states_and_steps_constraint_and_several_initial_states() -> None:
    """Each at the length that the reference search finds."""
    from epochal.checker.search import reference_engine

    protocol = Walk()
    searched = reference_engine.check(protocol, Options(all_violations=True))
    asked = BoundedOptions(9, ("below_six", "small_steps", "nine"), all_violations=True, actions=True)
    result = bounded_search(protocol, asked)
    lengths = {p.member.name: p.length for p in searched.properties}
    assert lengths == {"below_six": 4, "small_steps": 4, "nine": 7}
    assert {p.member.name: p.trace and p.trace.length for p in result.properties} == lengths
    assert result.first_taken == {"go": 1, "jump": 1} and result.never_taken == ("rest",)
    for one in result.properties:
        assert one.trace is not None and replay(one.trace, [PythonSemantics(protocol)]).ok


def test_a_rule_that_cannot_be_evaluated_is_a_finding() -> None:
    """Off the end after six steps from 2 with a jump: exit code 75, with the run and the rule's line."""
    result = bounded_search(Cliff(), BoundedOptions(9, ("nine",)))
    assert result.exit_code == 75
    assert result.error is not None
    assert result.error.message == "place: 10 is outside 0..9"
    assert result.error.where is not None and result.error.where.file == "tests/checker/solver/test_bounded.py.Walk"
    searched = breadth_first.check(Cliff(), Options(("nine",)))
    assert searched.error is not None and result.error.trace.length == searched.error.trace.length
    assert replay(result.error.trace, [PythonSemantics(Cliff())]).ok


def test_a_start_condition_of_ones_own() -> None:
    """A function of the state, compiled like an invariant; and what is wrong with others."""
    protocol = Walk()
    result = bounded_search(protocol, BoundedOptions(3, ("small_steps",)), from_conditions(protocol, [at_four]))
    trace = result.properties[0].trace
    assert verdicts(result) == {"small_steps": ("violated", 1)}
    assert trace is not None and protocol.at(trace.initial).place == 4
    assert trace.start == "Any typed state in which at_four holds"
    with pytest.raises(LanguageError, match="no state is like this: Any typed state in which beyond holds"):
        bounded_search(protocol, BoundedOptions(1), from_conditions(protocol, [beyond]))
    with pytest.raises(LanguageError, match="of_steps does not take the state alone") as caught:
        from_conditions(protocol, [of_steps])
    assert caught.value.where is not None and Path(caught.value.where.file).name == "test_bounded.py"
    with pytest.raises(LanguageError, match="'nine' is no condition on states of walk"):
        from_conditions(protocol, ["nine"])
