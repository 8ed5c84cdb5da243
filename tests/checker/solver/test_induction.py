"""Proofs by induction: of KIP-320, of what is wrong with KIP-279, and of small protocols, trying all their states."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.solver.induction import ObligationResult, ProofResult, prove
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.replay import replay
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import NOT_INDUCTIVE, Step, Trace
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import EvaluationError, LanguageError, Protocol
from epochal.spec.language.protocol import evaluated
from epochal.spec.registry import registered
from tests.zoo.rows import made, rows

pytestmark = pytest.mark.xdist_group("induction")
"""The proofs that most of these tests look at are made once."""

MIDDLING = ClassicBounds(3, 2, 2, 1)


@pytest.fixture(scope="module")
def proof() -> ProofResult:
    """KIP-320 at 3 replicas, 2 offsets, 2 records, 2 epochs."""
    return prove(Kip320Proof(MIDDLING))


@pytest.fixture(scope="module")
def refuted() -> ProofResult:
    """KIP-279 with the same lemmas."""
    return prove(Kip279Proof(MIDDLING))


def traces(result: ProofResult) -> list[Trace]:
    """The counterexamples."""
    found = [answer.trace for answer in result.failed]
    return [trace for trace in found if trace is not None]


# -- the classic family -------------------------------------------------------------------------------------------


def test_kip_320_is_proved(proof: ProofResult) -> None:
    """Strong ISR, Weak ISR and leader-in-ISR hold after any number of steps: all obligations are proved."""
    assert {answer.verdict for answer in proof.answers} == {"proved"}
    assert proof.exit_code == 0
    assert [member.name for member in proof.properties] == ["weak_isr", "strong_isr", "leader_in_isr"]
    count = len(proof.model.instances)
    assert len(proof.answers) == 19 + count * (19 + 1) + 3
    assert count == 51
    assert proof.trivial == ()
    assert all(answer.core for answer in proof.answers if answer.obligation.kind == "implication")


@pytest.mark.parametrize(
    "bounds",
    [
        (3, 2, 2, 2),
        (2, 3, 3, 5),
        pytest.param((3, 3, 3, 3), marks=pytest.mark.long),
        pytest.param((3, 4, 4, 4), marks=pytest.mark.long),
        pytest.param((5, 3, 3, 2), marks=pytest.mark.long),
    ],
    ids=str,
)
def test_kip_320_is_proved_at_larger_bounds(bounds: tuple[int, ...]) -> None:
    """A proof holds for its bounds only: lemmas that suffice for two epochs can fall at three or four."""
    result = prove(Kip320Proof(ClassicBounds(*bounds)))
    assert [answer.obligation.label for answer in (*result.failed, *result.unknown)] == []


def test_kip_279_fails_where_kip_320_fences(refuted: ProofResult) -> None:
    """Negative control: with the unfenced steps the same lemmas are not preserved, in just those steps."""
    assert refuted.exit_code == 32
    assert not refuted.unknown
    assert refuted.vacuous == ()  # nothing is proved that could mean less
    labels = {answer.obligation.label for answer in refuted.answers}
    assert "Fetch(b2, b1) preserves epoch_is_entered_by_its_leader_first" in labels
    broken = {(a.obligation.instance.action.name, a.obligation.column) for a in refuted.failed if a.obligation.instance}
    assert {name for name, _ in broken} == {
        "leader_expands_isr",
        "advance_high_watermark",
        "become_follower",
        "fetch",
    }
    assert ("leader_expands_isr", "quorum_isr_holds_what_is_committed") in broken
    assert ("advance_high_watermark", "quorum_isr_holds_what_is_committed") in broken
    assert ("become_follower", "epoch_is_entered_by_its_leader_first") in broken


def test_counterexamples_to_induction_replay_in_both_readings(refuted: ProofResult) -> None:
    """Every one is an ordinary trace of one step, which survives its file and replays exactly."""
    readings = [PythonSemantics(refuted.protocol), NativeBackend(refuted.protocol, refuted.model)]
    assert len(traces(refuted)) == len(refuted.failed) > 30
    for trace in traces(refuted):
        assert (trace.verdict, trace.length) == (NOT_INDUCTIVE, 2)
        again = decode(dumps(trace), registered)
        assert again.states == trace.states
        outcome = replay(again, readings)
        assert outcome.ok, outcome.lines()


def test_the_story_does_not_call_the_first_state_initial(refuted: ProofResult) -> None:
    text = "\n".join(story(traces(refuted)[0]))
    assert "0. Any state in which every lemma holds" in text
    assert "Initial state" not in text
    assert "state 0, which need not be reachable" in text
    assert "is not proved" in text and "violated" not in text


def test_a_counterexample_that_shows_nothing_does_not_replay(refuted: ProofResult) -> None:
    """A first state that breaks a lemma, and a last state that breaks none, are refused."""
    trace, reading = traces(refuted)[0], PythonSemantics(refuted.protocol)
    bad_start = replace(trace, initial=trace.steps[0].codes, steps=())
    assert "is false in state 0, so it shows nothing" in replay(bad_start, [reading]).outcomes[0].reason
    other = replace(trace, property_id="hw_is_in_the_log")
    assert "hw_is_in_the_log holds at the end" in replay(other, [reading]).outcomes[0].reason
    stuck = replace(trace, steps=(Step(trace.steps[0].instance, trace.initial),))
    assert "leads to another state" in replay(stuck, [reading]).outcomes[0].reason


def test_a_lemma_is_missed_when_it_is_missing() -> None:
    """Without the lemma about ISRs that cover the future, nothing supports the commitment of a record."""

    class Without(Kip320Proof):
        """KIP-320 without its central lemma."""

        isr_is_superseded_or_covers_the_future = None  # type: ignore[assignment]  # none takes the rule away

    result = prove(Without(MIDDLING), ("strong_isr",))
    assert result.exit_code == 32
    broken = {a.obligation.instance.action.name for a in result.failed if a.obligation.instance}
    assert broken == {"advance_high_watermark"}


@pytest.mark.long
def test_answers_are_the_same_each_time(refuted: ProofResult) -> None:
    again = prove(Kip279Proof(MIDDLING))
    assert [(a.obligation.label, a.verdict) for a in again.answers] == [
        (a.obligation.label, a.verdict) for a in refuted.answers
    ]
    assert [dumps(trace) for trace in traces(again)] == [dumps(trace) for trace in traces(refuted)]


def test_a_spent_limit_is_unknown_and_never_proved() -> None:
    """With next to no resources Z3 gives up: exit code 31, and the obligations are named."""
    result = prove(Kip320Proof(MIDDLING), ("strong_isr",), rlimit=1)
    assert result.exit_code == 31
    assert result.unknown
    assert all(answer.reason and answer.trace is None for answer in result.unknown)
    assert all(a.verdict == "unknown" for a in result.answers if a.obligation.kind == "implication")


# -- small protocols: the solver against trying every state --------------------------------------------------------


Stack: type[Any] = made(
    globals(),
    "Protocol",
    """
    Stack: A log and a counter, with lemmas that hold, that fall at a step, and a step that can go wrong.
        name: ClassVar[str] = "stack"
        bounds: Bounds
        log: Annotated[Log[Annotated[int, Integers(0, 2)]], Capacity(3)]
        count: Annotated[int, Integers(0, 3)]
        high: Annotated[int, Integers(0, 2)] | None
        action push(n: Annotated[int, Integers(0, 2)]): Append a number; the log may be full.
            require(self.high is None or n >= self.high)
            self.log.append(n)
            self.count += 1
            self.high = n
        action pop: Remove the last number.
            require(len(self.log) > 0)
            self.log.truncate(len(self.log) - 1)
            self.count -= 1
        action forget: Forget the greatest number.
            require(len(self.log) == 0)
            self.high = None
        lemma counted: The counter is the length of the log.
            return self.count == len(self.log)
        lemma highest: No number is above the greatest.
            return all(self.high is not None and n <= self.high for n in self.log)
        lemma first_is_least: The first number is the least; it cannot be evaluated on an empty log.
            return all(n >= self.log[0] for n in self.log) and (
                self.count == 0 or self.log[self.count - 1] >= self.log[0]
            )
        lemma high_is_of_a_number: There is a greatest number only where there are numbers.
            return self.high is None or len(self.log) > 0
        invariant rising: Numbers never fall.
            return all(self.log[i] <= self.log[i + 1] for i in range(len(self.log) - 1))
        invariant last_is_at_most_high: The last number is at most the greatest.
            return len(self.log) == 0 or self.high is None or self.log.last <= self.high
    """,
)


def every_state(protocol: Protocol) -> list[tuple[int, ...]]:
    """All typed, canonical states."""
    found: dict[tuple[int, ...], None] = {}
    for codes in itertools.product(*(range(leaf.domain.size) for leaf in protocol.leaves)):
        found[protocol.at(codes).codes()] = None
    return list(found)


def true_in(protocol: Protocol, name: str, codes: tuple[int, ...]) -> bool:
    """Whether a lemma or invariant can be evaluated and is true."""
    members = [*protocol.members("lemma"), *protocol.members("invariant")]
    member = next(m for m in members if m.name == name)
    try:
        return bool(evaluated(member.function, protocol.at(codes)))
    except EvaluationError:
        return False


def by_trying(protocol: Protocol, answer: ObligationResult) -> bool:
    """Whether an obligation is met, by trying every state in the Python reading."""
    obligation = answer.obligation
    lemmas = [m.name for m in protocol.members("lemma")]
    if obligation.kind == "initiation":
        return all(true_in(protocol, obligation.column, codes) for codes in protocol.initial_states())
    for codes in every_state(protocol):
        if not all(true_in(protocol, name, codes) for name in lemmas):
            continue
        if obligation.kind == "implication":
            if not true_in(protocol, obligation.column, codes):
                return False
            continue
        assert obligation.instance is not None
        try:
            after = protocol.step(protocol.at(codes), obligation.instance)
        except EvaluationError:
            if obligation.kind == "evaluation":
                return False
            continue
        if obligation.kind == "preservation" and after is not None and not true_in(protocol, obligation.column, after):
            return False
    return True


def test_the_solver_says_what_trying_every_state_says() -> None:
    """All obligations of a small protocol, some of which are not met."""
    protocol = Stack()
    result = prove(protocol)
    expected = {a.obligation.label: by_trying(protocol, a) for a in result.answers}
    assert {a.obligation.label: a.verdict == "proved" for a in result.answers} == expected
    failed = {label for label, met in expected.items() if not met}
    assert {"Push(2) can be evaluated", "the lemmas imply rising", "Pop() preserves high_is_of_a_number"} <= failed
    assert 0 < len(failed) < len(expected)
    for trace in traces(result):
        outcome = replay(trace, [PythonSemantics(protocol), NativeBackend(protocol, result.model)])
        assert outcome.ok, outcome.lines()
    overflow = next(a.trace for a in result.failed if a.obligation.kind == "evaluation")
    assert overflow is not None and (overflow.property_id, overflow.length) == ("", 1)


FalseAtFirst: type[Any] = made(
    globals(),
    "Stack",
    """
    FalseAtFirst: A lemma that the initial state breaks.
        name: ClassVar[str] = "false-at-first"
        lemma not_empty: There is always a number.
            return len(self.log) > 0
    """,
)


def test_a_lemma_that_is_false_initially_is_a_violation() -> None:
    """The initial state is reachable, so this is no counterexample to induction but a violation."""
    result = prove(FalseAtFirst())
    assert result.exit_code == 12
    trace = result.failed[0].trace
    assert trace is not None and (trace.property_id, trace.verdict, trace.steps) == ("not_empty", "violated", ())
    assert replay(trace, [PythonSemantics(result.protocol)]).ok


PARAMETER = rows(
    globals(),
    "Stack",
    """
    Parameter:
        lemma about(n: Annotated[int, Integers(0, 2)])
            return self.high == n
    """,
)


def test_a_lemma_takes_no_parameters() -> None:
    row = PARAMETER["Parameter"]
    with pytest.raises(LanguageError, match="the lemma about takes parameters") as caught:
        prove(row.kind())
    assert caught.value.where is not None and caught.value.where.file == row.file


def test_what_cannot_be_proved_is_refused() -> None:
    with pytest.raises(LanguageError, match="kip-320 has no lemmas"):
        prove(Kip320(MIDDLING))
    with pytest.raises(LanguageError, match="'epochs_only_grow' is no invariant of kip-320-proof"):
        prove(Kip320Proof(MIDDLING), ("epochs_only_grow",))


def test_a_lemma_that_says_nothing_at_these_bounds_is_named() -> None:
    """At one offset there is no offset before another."""
    result = prove(Kip320Proof(ClassicBounds(2, 1, 1, 1)))
    assert result.exit_code == 0
    assert result.trivial == ("log_matching",)
