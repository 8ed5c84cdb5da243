"""Specifications of which a rule cannot be evaluated, each in its way; the line that fails says so."""

from __future__ import annotations

from typing import Annotated, Self

from epochal.spec.language import (
    Capacity,
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
"""All of these; those below are about when a rule is evaluated at all."""


class FailsInitially(Counter):
    """Its initial state lies outside its domain."""

    def initial(self) -> None:
        self.x = 4


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
