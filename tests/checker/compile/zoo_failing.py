"""Specifications of which a rule cannot be evaluated, each in its way; the line that fails says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.checker.compile.zoo import Mode, Pair  # noqa: F401  # rows use them
from tests.zoo.rows import made, rows

Counter: type[Any] = made(
    globals(),
    "Protocol",
    """
    Small = Annotated[int, Integers(0, 3)]
    Node = Annotated[Identifier, Identifiers("n", 2)]
    Peer = Annotated[Identifier, Identifiers("n", 3)]
    Item < Struct: A record with a small number.
        value: Annotated[int, Integers(0, 1)]
    Counter: Counts to three; every failing specification below does so too, and fails at two.
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
        action up: Counts.
            require(self.x < 3)
            self.x += 1
            self.peer = self.member(Peer, 2) if self.x == 2 else self.member(Peer, 0)
        action act(really: bool): What may fail, or nothing: an action that always fails is refused before the search.
            if really:
                self.attempt()
            else:
                require(self.x == 0)
        def attempt(self) -> None:
            pass  # it is replaced
    """,
)


FAILING = rows(
    globals(),
    "Counter",
    """
    IndexBeyondEnd(): offset 0 is outside the log, which ends at 0
        require(self.x < 3)
        self.x = self.log[self.x - 2] if self.x > 1 else 0  # fails
    IndexNegative(): offset -1 is outside the log, which ends at 1
        require(self.x == 2)
        self.log.append(1)
        self.log[self.x - 3] = 1  # fails
    LastOfEmpty(): the last entry of an empty log
        require(self.x == 2)
        self.x = self.items.last.value  # fails
    AppendToFull(): append to a full log (2 entries)
        require(self.x == 2)
        self.log.append(1)
        self.log.append(self.x)
        self.log.append(0)  # fails
    TruncateBeyond(): truncate to 2, but the log ends at 0
        require(self.x == 2)
        self.log.truncate(self.x)  # fails
    TruncateNegative(): truncate to -1, but the log ends at 0
        require(self.x > 0)
        self.log.truncate(1 - self.x)  # fails
    NumberOutside(): x: 4 is outside 0..3
        self.x = self.x * 2  # fails
    KeyOutside(): 2 is not a key of this map (0..1)
        self.table[self.x] = 0  # fails
    KeyUnknown(): n3 is not a key of this map (n1..n2)
        self.names[self.peer] = True  # fails
    ElementOutside(): numbers: {2} is outside sets of 0..1
        self.numbers = self.numbers | {self.x}  # fails
    IdentifierOutside(): nodes: {n3} is outside sets of n1..n2
        self.nodes = {self.peer}  # fails
    FieldOutside(): value: 2 is outside 0..1
        require(len(self.items) == 0)
        self.items.append(Item(value=self.x))  # fails
    NoneUsed(): TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'
        require(self.x == 2)
        self.x = self.maybe - 1  # fails
    NoneStored(): x: None is outside 0..3
        require(self.x == 2)
        self.x = self.maybe  # fails
    NoneRecord(): AttributeError: 'NoneType' object has no attribute 'flag'
        require(self.x == 2)
        self.kept.flag = self.record.flag  # fails
    NoneRecordStored(): kept: None is not a Pair
        require(self.x == 2)
        self.kept = self.record  # fails
    MinimumOfNothing(): ValueError: min() arg is an empty sequence
        require(self.x > 0)
        self.x = min(n for n in range(self.x, 2))  # fails
    NextOfNothing(): StopIteration
        require(self.x > 0)
        self.x = next(n for n in range(self.x, 2))  # fails
    ConstantOutOfRange(): IndexError: tuple index out of range
        if self.x == 2:
            self.x = (0, 1)[5]  # fails
    DivisionByNothing(): ZeroDivisionError: integer division or modulo by zero
        for i in range(2):
            if self.x == i + 1:
                self.x = 1 // (1 - i)  # fails
    InABranchOnly(): offset 0 is outside the log, which ends at 0
        if self.x == 1:
            self.x = 0
        elif self.x == 2 and self.log[0] == 1:  # fails
            self.x = 3
    AfterAChange(): 2 is not a key of this map (0..1)
        # The guard after the failure does not hide it.
        self.table[0] = self.table[self.x]  # fails
        require(self.x < 2)
    LogTooLong(): log: 3 entries in a log of 2
        self.log = [n + 0 for n in range(self.x + 1)]  # fails
    InAnInvariant: offset 0 is outside the log, which ends at 0
        invariant broken
            return self.x < 2 or self.log[0] == 1  # fails
    InAReachable: 2 is not a key of this map (0..1)
        reachable broken
            return self.x > 1 and self.table[self.x] > 1  # fails
    InAnActionProperty: 2 is not a key of this map (0..1)
        action_property broken
            return new.x < 2 or self.table[new.x] == 0  # fails
    InAConstraint: offset 2 is outside the log, which ends at 0
        constraint broken
            return self.x < 2 or self.log[self.x] == 1  # fails
    InitialProperty: offset 0 is outside the log, which ends at 0
        invariant broken
            return self.log[0] == 0  # fails
    UpToItems(): append to a full log (2 entries)
        # Appends until nothing fits.
        require(self.x == 0)
        self.items.append(Item(value=1))  # fails
    """,
    "    def attempt(self) -> None:\n",
)
"""All of these fail where they say; those below are about when a rule is evaluated at all."""

NOT_ALWAYS = rows(
    globals(),
    "Counter",
    """
    FailsInitially:
        # Its initial state lies outside its domain.
        def initial(self) -> None:
            self.x = 4
    Idle:
        # Never fails: what could fail is not evaluated.
        def attempt(self) -> None:
            require(self.x == 2 and len(self.log) > 1 and self.log[1] == 0)
            self.kept.mode = Mode.BUSY if self.record is None or self.record.flag else Mode.DONE
        invariant guarded
            return all(self.log[i] < 3 for i in range(len(self.log))) and (
                self.x not in self.table or self.table[self.x] == 0
            )
    FoundBefore < Idle:
        # Its property could not be evaluated at two, but is settled at one, and so is never asked again.
        reachable one
            return self.x == 1 or (self.x > 1 and self.log[0] == 1)
        reachable step_to_one(new: Self)
            return new.x == 1 or (new.x > 1 and self.log[0] == 1)
    ViolatedAndBroken < InAnInvariant:
        # In the same state one property is violated and another cannot be evaluated; so it is for the step before.
        invariant apart
            return self.x < 2
        action_property slow
            return new.x < 3
    ViolatedAndBrokenStep < InAnActionProperty:
        # In the same step one property is violated and another cannot be evaluated.
        action_property slow
            return new.x < 2
    """,
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
