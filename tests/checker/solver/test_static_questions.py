"""What Z3 says of any typed state: checked by trying every state of small protocols, and on the known ones."""

from __future__ import annotations

from typing import Annotated, Any

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.solver.static_checks import Questions, StaticReport
from epochal.spec.classic.async_isr import AsyncIsr
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import EvaluationError, Integers, Protocol
from epochal.spec.language.protocol import evaluated
from tests.checker.solver.test_induction import every_state
from tests.zoo.rows import made

Digit = Annotated[int, Integers(0, 3)]


Odd: type[Any] = made(
    globals(),
    "Protocol",
    """
    Odd: What intervals cannot see: sums, sets, unused slots of logs.
        name: ClassVar[str] = "odd"
        bounds: Bounds
        a: Digit
        b: Digit
        chosen: Set[Digit]
        log: Annotated[Log[Digit], Capacity(2)]
        constraint small: The two numbers are not both great.
            return self.a + self.b <= 5
        action add: Safe: of two numbers whose sum is three the product is at most two.
            require(self.a + self.b == 3)
            self.a = self.a * self.b
        action multiply: Not safe: three times three is nine.
            require(self.a != self.b)
            self.a = self.a * self.b
        action impossible: Seven is prime, and there are four digits.
            require(len(self.chosen) * self.a == 7)
            self.b = 0
        action beyond_the_constraint: Only states outside the constraint would enable it.
            require(self.a * self.b == 9)
            self.b = 0
        action rare: Possible in a single way.
            require(len(self.chosen) + self.a > 6 and len(self.log) == 2)
            self.b = 0
        invariant tautology: A number squared has no remainder of two.
            return (self.a * self.a) % 3 != 2
        invariant counted: The threes in the log are among its entries.
            return sum(1 for n in self.log if n == 3) <= len(self.log)
        invariant contradiction: No digit is half of three.
            return self.b * 2 == 3
        invariant depends: It may be.
            return self.a * self.b != 6
        action_property always_between: The difference of two digits is small.
            return -3 <= new.a - self.a <= 3 and (new.a * new.a) % 3 != 2
        action_property grows: It may.
            return new.a >= self.a
        reachable never: No digit is the root of two.
            return self.a * self.a == 2
    """,
)


def asked(protocol: Protocol) -> tuple[Questions, StaticReport]:
    """All questions about a protocol."""
    questions = Questions(compile_protocol(protocol))
    return questions, questions.all()


def test_it_says_what_trying_every_state_says() -> None:
    """Actions, failures and properties of a small protocol, by the Python reading on every typed state."""
    protocol = Odd()
    states = every_state(protocol)
    enabled, failing = set(), set()
    for codes in states:
        if not protocol.at(codes).small():
            continue
        for instance in protocol.instances:
            try:
                if protocol.step(protocol.at(codes), instance) is not None:
                    enabled.add(instance.action.name)
            except EvaluationError as error:
                assert error.where is not None
                failing.add(error.where.line)
    _, report = asked(protocol)
    answers = {one.subject: one.verdict for one in report.answers if one.kind == "action"}
    assert answers == {
        a.name: "possible" if a.name in enabled else "impossible" for a in protocol.members("action")
    } | {"impossible": "impossible", "beyond_the_constraint": "impossible"}
    assert enabled == {"add", "multiply", "rare"}
    lines = {one.where.line: one.verdict for one in report.of("failure", "possible", "impossible") if one.where}
    assert {line for line, verdict in lines.items() if verdict == "possible"} == failing
    assert "impossible" in lines.values() and failing
    for one in report.of("property", "always", "never", "open"):
        member = next(
            m for m in protocol.__class__.__mro__[0].__dict__.values() if getattr(m, "__name__", "") == one.subject
        )
        if one.subject in ("always_between", "grows"):
            sample = states[:: max(len(states) // 60, 1)]
            truths = {bool(evaluated(member, protocol.at(s), protocol.at(t))) for s in sample for t in sample}
        else:
            truths = {bool(evaluated(member, protocol.at(codes))) for codes in states}
        assert truths == {"always": {True}, "never": {False}, "open": {True, False}}[one.verdict], one


def test_the_findings_read_like_those_of_the_static_checks() -> None:
    """Vacuous properties and dead actions with their lines, none of which the checks without Z3 can see."""
    questions, report = asked(Odd())
    told = [diagnostic.message for diagnostic in report.diagnostics]
    assert told == [
        "Impossible cannot happen at these bounds: no typed state enables it (checked by Z3)",
        "BeyondTheConstraint cannot happen at these bounds: no typed state enables it (checked by Z3)",
        "tautology is true of every typed state at these bounds (checked by Z3)",
        "counted is true of every typed state at these bounds (checked by Z3)",
        "contradiction is false of every typed state at these bounds (checked by Z3)",
        "always_between is true of every typed state at these bounds (checked by Z3)",
        "never is false of every typed state at these bounds (checked by Z3)",
    ]
    assert all(one.vacuous and one.where for one in report.diagnostics)
    assert [one.dead_action for one in report.diagnostics][:2] == ["impossible", "beyond_the_constraint"]
    seen = [d.message for d in diagnose(questions.model)]
    assert not any("impossible" in message.lower() or "tautology" in message for message in seen)


def test_known_protocols() -> None:
    """KIP-320 has nothing odd; of the failures of asynchronous ISR changes two of three cannot happen."""
    _, report = asked(Kip320())
    assert report.diagnostics == ()
    assert [one.verdict for one in report.of("failure", "possible", "impossible", "unknown")] == ["possible"]
    _, report = asked(AsyncIsr())
    verdicts = {one.subject: one.verdict for one in report.answers if one.kind == "failure"}
    assert verdicts == {"the value is outside 0..3": "impossible", "min of nothing": "possible"}


def test_a_spent_limit_is_unknown() -> None:
    report = Questions(compile_protocol(Odd()), rlimit=1).all()
    assert report.diagnostics == ()
    assert {one.verdict for one in report.answers} == {"unknown"}


def test_failures_that_cannot_happen_are_named() -> None:
    """The conditions that the bounded search leaves out are the impossible ones, and only those."""
    questions = Questions(compile_protocol(Odd()))
    impossible = questions.impossible_failures()
    conditions = {f.condition.id for c in questions.model.instances for f in c.failures}
    assert impossible < conditions
    assert impossible
