"""A rule that cannot be evaluated is a finding with its line and its trace, the same for both engines."""

from __future__ import annotations

import inspect
from typing import Annotated, Self

import pytest

from epochal.checker.native.reading import NativeReading
from epochal.checker.search import breadth_first, reference_engine
from epochal.checker.search.result import EvaluationFinding, Options
from epochal.exit_codes import ExitCode
from epochal.spec.language import (
    Capacity,
    EvaluationError,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    action_property,
    constraint,
    invariant,
    reachable,
    require,
)
from tests.checker.compile.zoo_values import Mode, Pair

Small = Annotated[int, Integers(0, 3)]
Node = Annotated[Identifier, Identifiers("n", 2)]
Peer = Annotated[Identifier, Identifiers("n", 3)]


class Item(Struct):
    """A record with a small number."""

    value: Annotated[int, Integers(0, 1)]


class Counter(Protocol):
    """Counts to three; every failing specification below does so too, and fails at two."""

    x: Small
    maybe: Small | None
    log: Annotated[Log[Small], Capacity(2)]
    items: Annotated[Log[Item], Capacity(2)]
    table: Map[Annotated[int, Integers(0, 1)], Small]
    numbers: Set[Annotated[int, Integers(0, 1)]]
    nodes: Set[Node]
    names: Map[Node, bool]
    peer: Peer
    record: Pair | None
    kept: Pair

    @action
    def up(self) -> None:
        """Counts."""
        require(self.x < 3)
        self.x += 1
        self.peer = self.member(Peer, 2) if self.x == 2 else self.member(Peer, 0)

    @action
    def act(self, really: bool) -> None:
        """Does what may fail, or nothing: an action that always fails is refused before the search."""
        if really:
            self.attempt()
        else:
            require(self.x == 0)

    def attempt(self) -> None:
        """Is replaced."""


class IndexBeyondEnd(Counter):
    def attempt(self) -> None:
        require(self.x < 3)
        self.x = self.log[self.x - 2] if self.x > 1 else 0  # fails


class IndexNegative(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.log.append(1)
        self.log[self.x - 3] = 1  # fails


class LastOfEmpty(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.x = self.items.last.value  # fails


class AppendToFull(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.log.append(1)
        self.log.append(self.x)
        self.log.append(0)  # fails


class TruncateBeyond(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.log.truncate(self.x)  # fails


class TruncateNegative(Counter):
    def attempt(self) -> None:
        require(self.x > 0)
        self.log.truncate(1 - self.x)  # fails


class NumberOutside(Counter):
    def attempt(self) -> None:
        self.x = self.x * 2  # fails


class KeyOutside(Counter):
    def attempt(self) -> None:
        self.table[self.x] = 0  # fails


class KeyUnknown(Counter):
    def attempt(self) -> None:
        self.names[self.peer] = True  # fails


class ElementOutside(Counter):
    def attempt(self) -> None:
        self.numbers = self.numbers | {self.x}  # fails


class IdentifierOutside(Counter):
    def attempt(self) -> None:
        self.nodes = {self.peer}  # fails


class FieldOutside(Counter):
    def attempt(self) -> None:
        require(len(self.items) == 0)
        self.items.append(Item(value=self.x))  # fails


class NoneUsed(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.x = self.maybe - 1  # type: ignore[operator]  # fails


class NoneStored(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.x = self.maybe  # type: ignore[assignment]  # fails


class NoneRecord(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.kept.flag = self.record.flag  # type: ignore[union-attr]  # fails


class NoneRecordStored(Counter):
    def attempt(self) -> None:
        require(self.x == 2)
        self.kept = self.record  # type: ignore[assignment]  # fails


class MinimumOfNothing(Counter):
    def attempt(self) -> None:
        require(self.x > 0)
        self.x = min(n for n in range(self.x, 2))  # fails


class NextOfNothing(Counter):
    def attempt(self) -> None:
        require(self.x > 0)
        self.x = next(n for n in range(self.x, 2))  # fails


class ConstantOutOfRange(Counter):
    def attempt(self) -> None:
        if self.x == 2:
            self.x = (0, 1)[5]  # type: ignore[misc]  # fails


class DivisionByNothing(Counter):
    def attempt(self) -> None:
        for i in range(2):
            if self.x == i + 1:
                self.x = 1 // (1 - i)  # fails


class InABranchOnly(Counter):
    def attempt(self) -> None:
        if self.x == 1:
            self.x = 0
        elif self.x == 2 and self.log[0] == 1:  # fails
            self.x = 3


class AfterAChange(Counter):
    """The guard after the failure does not hide it."""

    def attempt(self) -> None:
        self.table[0] = self.table[self.x]  # fails
        require(self.x < 2)


class LogTooLong(Counter):
    def attempt(self) -> None:
        self.log = [n + 0 for n in range(self.x + 1)]  # fails


class InAnInvariant(Counter):
    @invariant
    def broken(self) -> bool:
        """Looks where nothing is."""
        return self.x < 2 or self.log[0] == 1  # fails


class InAReachable(Counter):
    @reachable
    def broken(self) -> bool:
        """Looks where nothing is."""
        return self.x > 1 and self.table[self.x] > 1  # fails


class InAnActionProperty(Counter):
    @action_property
    def broken(self, new: Self) -> bool:
        """Looks where nothing is."""
        return new.x < 2 or self.table[new.x] == 0  # fails


class InAConstraint(Counter):
    @constraint
    def broken(self) -> bool:
        """Looks where nothing is."""
        return self.x < 2 or self.log[self.x] == 1  # fails


class InitialProperty(Counter):
    @invariant
    def broken(self) -> bool:
        """Fails in the initial state."""
        return self.log[0] == 0  # fails


class UpToItems(Counter):
    """Appends until nothing fits."""

    def attempt(self) -> None:
        require(self.x == 0)
        self.items.append(Item(value=1))  # fails


FAILING = [
    value
    for value in list(globals().values())
    if isinstance(value, type) and issubclass(value, Counter) and value is not Counter
]
LENGTHS = {"InitialProperty": 1, "InAnActionProperty": 3, "InAnInvariant": 3, "InAReachable": 3, "UpToItems": 3}
LENGTHS |= {"IndexBeyondEnd": 3, "NumberOutside": 3}


def failing_line(specification: type[Protocol]) -> int:
    """The line of the class that says it fails."""
    lines, first = inspect.getsourcelines(specification)
    return first + next(i for i, line in enumerate(lines) if "# fails" in line)


def finding(specification: type[Protocol], engine: str) -> EvaluationFinding:
    """The failure that an engine finds."""
    check = {"native": breadth_first.check, "python": reference_engine.check}[engine]
    result = check(specification(), Options())
    assert result.exit_code == ExitCode.EVALUATION_FAILED
    assert not result.exhaustive
    assert result.error is not None
    return result.error


@pytest.mark.parametrize("specification", FAILING, ids=lambda s: s.__name__)
def test_both_engines_report_the_failure(specification: type[Protocol]) -> None:
    native, python = finding(specification, "native"), finding(specification, "python")
    assert (native.message, native.where) == (python.message, python.where)
    assert native.trace.states == python.trace.states
    assert [s.instance.label for s in native.trace.steps] == [s.instance.label for s in python.trace.steps]
    assert native.where is not None
    assert native.where.file == "tests/checker/compile/test_failures.py"
    assert native.where.line == failing_line(specification)
    if specification.__name__ in LENGTHS:
        assert native.trace.length == LENGTHS[specification.__name__]


@pytest.mark.parametrize("specification", FAILING, ids=lambda s: s.__name__)
def test_single_steps_fail_likewise(specification: type[Protocol]) -> None:
    """Where the search stops, the native reading of single states raises what the Python reading raises."""
    error = finding(specification, "python")
    reading = NativeReading(specification())
    everything = (1 << len(reading.model.properties)) - 1
    with pytest.raises(EvaluationError) as raised:
        for codes in error.trace.states:
            reading.judged(codes, everything)
            reading.within_constraint(codes)
            reading.tagged_successors(codes, everything)
    assert (raised.value.message, raised.value.where) == (error.message, error.where)


class FailsInitially(Counter):
    """Its initial state lies outside its domain."""

    def initial(self) -> None:
        self.x = 4


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_initial_state_that_cannot_be_made(check: object) -> None:
    result = breadth_first.check if check is breadth_first.check else reference_engine.check
    with pytest.raises(EvaluationError, match=r"x: 4 is outside 0\.\.3"):
        result(FailsInitially(), Options())


class Idle(Counter):
    """Never fails: what could fail is not evaluated."""

    def attempt(self) -> None:
        require(self.x == 2 and len(self.log) > 1 and self.log[1] == 0)
        self.kept.mode = Mode.BUSY if self.record is None or self.record.flag else Mode.DONE

    @invariant
    def guarded(self) -> bool:
        """Looks only where something is."""
        return all(self.log[i] < 3 for i in range(len(self.log))) and (
            self.x not in self.table or self.table[self.x] == 0
        )


def test_what_is_not_evaluated_does_not_fail() -> None:
    native, python = breadth_first.check(Idle(), Options()), reference_engine.check(Idle(), Options())
    assert native.error is None and python.error is None
    assert native.distinct_states == python.distinct_states == 4


class FoundBefore(Idle):
    """Its property could not be evaluated at two, but is settled at one, and so is never asked again."""

    @reachable
    def one(self) -> bool:
        """Reaches one."""
        return self.x == 1 or (self.x > 1 and self.log[0] == 1)

    @reachable
    def step_to_one(self, new: Self) -> bool:
        """Steps to one."""
        return new.x == 1 or (new.x > 1 and self.log[0] == 1)


def test_a_property_that_is_settled_is_not_evaluated_again() -> None:
    native, python = breadth_first.check(FoundBefore(), Options()), reference_engine.check(FoundBefore(), Options())
    for result in (native, python):
        assert result.error is None and result.exhaustive
        assert [p.length for p in result.properties if p.member.mark.kind == "reachable"] == [2, 2]


class ViolatedAndBroken(InAnInvariant):
    """In the same state one property is violated and another cannot be evaluated; so it is for the step before."""

    @invariant
    def apart(self) -> bool:
        """Never reaches two."""
        return self.x < 2

    @action_property
    def slow(self, new: Self) -> bool:
        """Never steps to three."""
        return new.x < 3


class ViolatedAndBrokenStep(InAnActionProperty):
    """In the same step one property is violated and another cannot be evaluated."""

    @action_property
    def slow(self, new: Self) -> bool:
        """Never steps to two."""
        return new.x < 2


@pytest.mark.parametrize(
    ("specification", "violated"),
    [(ViolatedAndBroken, "apart"), (ViolatedAndBrokenStep, "slow")],
    ids=["state", "step"],
)
def test_a_violation_beside_a_failure_is_reported(specification: type[Protocol], violated: str) -> None:
    for check in (breadth_first.check, reference_engine.check):
        result = check(specification(), Options(all_violations=True))
        assert result.exit_code == ExitCode.VIOLATED
        assert result.error is not None and result.error.where is not None
        assert result.error.where.function == "broken" and result.error.trace.length == 3
        verdicts = {p.member.name: (p.verdict, p.length) for p in result.properties}
        assert verdicts[violated] == ("violated", 3)
        assert verdicts["broken"] == ("unknown", None)
