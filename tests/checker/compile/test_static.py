"""What can be said of a specification without exploring it, each with the line of the specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import Diagnostic, diagnose
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.exit_codes import ExitCode
from epochal.spec.language import LanguageError, Protocol
from tests.checker.compile.zoo import ZOO
from tests.zoo.rows import Row, made, rows

made(
    globals(),
    "Protocol",
    """
    Small = Annotated[int, Integers(0, 3)]
    Clock: Goes round; nothing is odd about it.
        x: Small
        action tick: Goes on.
            self.x = (self.x + 1) % 4
        invariant small: Stays small.
            return self.x < 4 and self.x != 7
    """,
)
ODD = rows(
    globals(),
    "Clock",
    """
    Dead:
        action never(by: Small)  # Never cannot happen at these bounds: no state enables it
            require(self.x < by)
            require(by < self.x)
        action sometimes(by: Small)
            require(self.x > by)
            self.x = by
    Empty:
        # Properties that no state can change.
        invariant always  # always is true whatever the state at these bounds
            return 0 <= self.x <= 3
        reachable never  # never is false whatever the state at these bounds
            return self.x > 3
        action_property steps  # steps is true whatever the state at these bounds
            return self.x - 4 < new.x
    Unused: the state variable {} is never read: written, counted, history
        # One that is only read to be written again is not read.
        written: Small
        counted: Small
        log: Annotated[Log[Small], Capacity(2)]
        history: Ghost[Small]
        action count
            self.written = self.x
            self.counted = min(self.counted + 1, 3)
            self.history = self.x
            require(len(self.log) == 0)
    GhostFlow: the state variable {} is never read: past
        # What was just written to a ghost is no history.
        past: Ghost[Small]
        action remember
            self.past = self.x
            if self.past > 1:
                self.x = 0
    Possible:
        # One parameter is harmless: this is found by exploring.
        action leap(by: Annotated[int, Integers(0, 1)])
            require(self.x == 3)
            self.x = self.x + by
    """,
)
HISTORY = "Ghost state is history for properties only."
WIDEN = "Widen the domain, or guard the step with require."
REFUSED = rows(
    globals(),
    "Clock",
    f"""
    GhostGuard: {HISTORY}
        past: Ghost[Small]
        action remember
            require(self.past == 0)  # a guard depends on the ghost variable past
            self.past = self.x
    GhostReadBack: the new value of x depends on the ghost variable past. {HISTORY}
        # From before the step.
        past: Ghost[Small]
        action remember
            self.x = self.past
            self.past = 0
    Certain: {WIDEN}
        log: Annotated[Log[Small], Capacity(2)]
        action leap
            require(self.x > 1)
            self.log.append(1)
            self.x = self.x + 2  # Leap can never be carried out: the value is outside 0..3
    CertainForAll: {WIDEN}
        action leap(by: Annotated[int, Integers(1, 2)])
            require(self.x == 3)
            self.x = self.x + by  # Leap can never be carried out: the value is outside 0..3
    """,
)


def diagnosed(specification: type[Protocol]) -> Sequence[Diagnostic]:
    """What is odd, except for what every clock has."""
    found = diagnose(compile_protocol(specification()))
    return [d for d in found if "small is true" not in d.message and "variable x is" not in d.message]


@pytest.mark.parametrize("row", ODD.values(), ids=ODD)
def test_what_is_odd_is_told_with_its_line(row: Row) -> None:
    found = diagnosed(row.kind)
    assert {d.where.line: d.message for d in found if d.where} == row.marks
    assert [str(d) for d in found if d.where] == [f"{row.file}:{d.where.line}: {d.message}" for d in found if d.where]
    said, _, names = row.expected.rpartition(": ")
    assert [d.message for d in found if not d.where] == [said.format(name) for name in names.split(", ") if name]
    assert all(d.vacuous == bool(d.where) for d in found)


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_told_with_its_line(row: Row) -> None:
    with pytest.raises(LanguageError) as caught:
        diagnose(compile_protocol(row.kind()))
    error, place = caught.value, caught.value.where
    assert ({place.line: error.message} if place else {}) == row.marks
    assert row.expected == (error.advice if place else f"{error.message}. {error.advice}")


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_the_result_tells(check: Callable[..., CheckResult]) -> None:
    result = check(ODD["Dead"].kind(), Options())
    assert result.exit_code == ExitCode.VACUOUS
    assert any("Never cannot happen" in text for text in result.vacuous)
    assert any("history is never read" in text for text in check(ODD["Unused"].kind(), Options()).warnings)


def test_an_action_that_may_fail_is_explored() -> None:
    row = ODD["Possible"]
    error = breadth_first.check(row.kind(), Options()).error
    assert error is not None and error.where is not None and error.where.line == row.first + row.text.count("\n") - 1


def test_nothing_is_odd_about_the_zoo() -> None:
    for protocol in ZOO:
        assert not [str(d) for d in diagnose(compile_protocol(protocol())) if d.vacuous]


INDEXES = rows(
    globals(),
    "Clock",
    """
    Proved:
        log: Annotated[Log[Small], Capacity(3)]
        action read
            require(self.x < len(self.log))
            self.log[self.x] = 1
            total = 0
            for i in range(len(self.log)):
                if self.log[i] > 1 and (i == 0 or self.log[i - 1] == 1):
                    total += 1
            self.log.truncate(min(total, self.x))
        action guess
            self.x = self.log[self.x]
    """,
)


def test_the_index_is_proved_where_it_can_be() -> None:
    """Guards, branches and loops prove an index; what they do not prove is checked when it runs."""
    model = compile_protocol(INDEXES["Proved"].kind())
    failures = {c.instance.action.name: [f.message for f in c.failures] for c in model.instances}
    assert failures == {"tick": [], "read": [], "guess": ["the offset is outside the log"]}
