"""Tiny specifications, one for each kind of value: numbers, truth values, optionals, records, enumerations, maps."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from epochal.spec.language import (
    Bounds,
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class ZooBounds(Bounds):
    """How large the zoo is."""

    nodes: int = bound(2, most=3, help="the number of nodes")
    high: int = bound(3, least=1, most=5, help="the greatest number")


B = ZooBounds
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Small = Annotated[int, Integers(0, B.high)]
Signed = Annotated[int, Integers(-3, B.high)]
Wide = Annotated[int, Integers(-20, 20)]
Below = Annotated[int, Integers(-2, 1)]
Third = Annotated[int, Integers(-1, 1)]


class Mode(enum.Enum):
    """Three modes."""

    IDLE = "idle"
    BUSY = "busy"
    DONE = "done"


class Pair(Struct):
    """A record of three kinds of scalars."""

    number: Below
    mode: Mode
    flag: bool


class Arithmetic(Protocol):
    """Every operation on integers, with negative numbers."""

    bounds: ZooBounds
    x: Signed
    y: Signed
    result: Wide

    @action
    def move(self, dx: Annotated[int, Integers(-1, 1)]) -> None:
        require(dx != 0)
        require(-3 <= self.x + dx <= self.bounds.high)
        self.x += dx

    @action
    def swap(self) -> None:
        self.x, self.y = self.y, self.x

    @action
    def divide(self, by: Annotated[int, Integers(1, 3)]) -> None:
        self.result = self.x // by * 3 + self.x % by - (-self.y) // 2

    @action
    def multiply(self) -> None:
        self.result = self.x * self.y + abs(self.x) - abs(self.y - self.x) // 4

    @action
    def extremes(self) -> None:
        self.result = max(self.x, self.y, 1) * 2 - min(self.x, self.y) + min(self.x + 1, 2) + max(self.y, -1)

    @action
    def count(self) -> None:
        total: int = 0
        for i in range(self.x, self.y):
            if i % 2 == 0:
                total += i
            elif i > 1:
                total -= 1
        self.result = (
            total
            + len(range(self.x, self.y))
            + sum(range(self.y))
            + int(self.x > self.y)
            + (1 if 0 < self.x != self.y else -1)
        )

    @invariant
    def bounded(self) -> bool:
        """The result stays small."""
        return -20 < self.result < 16 and not (self.result == 11 and self.x == 2)

    @invariant
    def division_is_floor(self) -> bool:
        """Division rounds down and the remainder is never negative."""
        return self.x == 2 * (self.x // 2) + self.x % 2 and 0 <= self.x % 2 <= 1 and -self.x == 0 - self.x

    @action_property
    def moves_by_one(self, new: Self) -> bool:
        """A step moves x by at most one, or exchanges it with y."""
        return abs(new.x - self.x) <= 1 or (new.x, new.y) == (self.y, self.x)

    @reachable
    def negative(self) -> bool:
        """The result becomes negative while both numbers are positive."""
        return self.result < 0 < self.x and self.y > 0


class Truths(Protocol):
    """Booleans: stored, computed, converted, compared, optional, as map keys and as set elements."""

    bounds: ZooBounds
    a: bool
    b: bool
    maybe: bool | None
    seen: Set[bool]
    counts: Map[bool, Small]

    @action
    def flip(self, which: bool) -> None:
        if which:
            self.a = not self.a
        else:
            self.b = self.a != self.b

    @action
    def guess(self) -> None:
        self.maybe = None if self.a and self.b else (self.maybe if self.a == self.b else bool(self.counts[self.a]))
        self.seen = self.seen | {self.a or self.b}

    @action
    def count(self) -> None:
        require(self.counts[self.a] < self.bounds.high)
        self.counts[self.a] += 1
        self.counts[False] = min(self.counts[False], int(self.b) + sum(flag for flag in (self.a, self.b)))

    @action
    def forget(self) -> None:
        require(self.maybe)
        self.maybe = False if self.b else None
        self.counts = {False: self.counts[True], True: self.counts[False]}

    @invariant
    def sees_something(self) -> bool:
        """What is guessed was seen, or nothing was."""
        return not self.seen or (self.a in self.seen) or (self.b in self.seen) or self.maybe is None

    @action_property
    def counts_grow(self, new: Self) -> bool:
        """No count ever decreases."""
        return all(new.counts[k] >= self.counts[k] for k in self.counts)

    @reachable
    def known_false(self) -> bool:
        """A guess is known to be false."""
        return self.maybe == False and self.maybe is not None  # noqa: E712


class Optionals(Protocol):
    """Optional integers with negative values, identifiers, enumeration members and records."""

    bounds: ZooBounds
    number: Third | None
    other: Third | None
    node: Node | None
    mode: Mode | None
    record: Pair | None
    kept: Pair

    @action
    def choose(self, number: Third | None, node: Node | None) -> None:
        require(self.number != number or self.node != node)
        self.number = number
        self.node = node
        self.mode = Mode.BUSY if number is None else (None if node is None else Mode.DONE)

    @action
    def add(self) -> None:
        require(self.number is not None and self.other is not None)
        require(-1 <= self.number + self.other <= 1)  # type: ignore[operator]  # the guard excludes none
        self.other = self.number + self.other - (-self.number) * 0  # type: ignore[operator]  # the guard excludes none

    @action
    def take(self) -> None:
        self.other = self.number or 1
        if self.number:
            self.other = min(self.number - 1, -1) if self.number > -1 else None

    @action
    def write(self, flag: bool) -> None:
        number = -1 if self.number is None else self.number
        self.record = Pair(number=number, mode=Mode.IDLE if self.mode is None else self.mode, flag=flag)

    @action
    def drop(self) -> None:
        require(self.record is not None)
        if self.record.flag:  # type: ignore[union-attr]  # the guard excludes none
            self.kept = self.record  # type: ignore[assignment]  # the guard excludes none
            self.record = None
        else:
            kept = self.record if self.kept.flag else None
            self.record = kept

    @action
    def keep(self) -> None:
        require(self.record is None or self.record != self.kept)
        self.record = self.kept
        self.kept.number = min(abs(self.kept.number), 1)

    @invariant
    def record_is_new(self) -> bool:
        """A record that is there differs from the one that was kept, unless it is idle."""
        return self.record is None or self.record != self.kept or self.record.mode == Mode.IDLE

    @invariant
    def order(self) -> bool:
        """Both numbers, where known, are ordered."""
        return self.number is None or self.other is None or self.number <= self.other or self.other < 0

    @reachable
    def nobody_is_done(self) -> bool:
        """A record of somebody who is done, while nobody is chosen."""
        return self.node is None and self.record is not None and self.record.mode == Mode.DONE


class Maps(Protocol):
    """Maps keyed by identifiers, numbers, enumeration members, nested maps; entries found by the state."""

    bounds: ZooBounds
    here: Small
    node: Node
    numbers: Map[Annotated[int, Integers(-1, B.high)], Below]
    modes: Map[Node, Mode]
    grid: Map[Node, Map[Mode, Small]]
    records: Map[Mode, Pair]

    def initial(self, node: Node) -> None:
        self.node = node
        for key in self.numbers:
            self.numbers[key] = -1 if key < 1 else 0

    @action
    def go(self, to: Small) -> None:
        require(to != self.here)
        self.here = to
        self.node = next((n for n in self.modes if self.modes[n] == Mode.BUSY), self.node)

    @action
    def put(self) -> None:
        self.numbers[self.here - 1] = self.numbers[self.here]
        self.modes[self.node] = Mode.DONE if self.numbers[self.here] < 0 else Mode.BUSY

    @action
    def raise_cell(self) -> None:
        cell = self.grid[self.node]
        require(cell[self.modes[self.node]] < 1)
        cell[self.modes[self.node]] += 1

    @action
    def exchange(self) -> None:
        require(self.modes[self.node] != Mode.IDLE)
        record = self.records[self.modes[self.node]]
        record.number = self.numbers[self.here]
        record.flag = not record.flag
        self.records[Mode.IDLE], self.records[Mode.DONE] = self.records[Mode.DONE], self.records[Mode.IDLE]

    @action
    def copy(self, a: Node, b: Node) -> None:
        require(a != b and self.grid[a] != self.grid[b])
        self.grid[a] = self.grid[b]

    @action
    def reset(self) -> None:
        require(any(self.grid[n][m] > 0 for n in self.grid for m in self.grid[n]))
        for _, row in self.grid.items():
            for m in row.keys():  # noqa: SIM118
                row[m] = 0

    @invariant
    def numbers_small(self) -> bool:
        """All numbers together are not negative enough."""
        return sum(self.numbers.values()) > -4 and len(self.numbers) == self.bounds.high + 2

    @invariant
    def busy_counts(self) -> bool:
        """A node that is busy is in nobody's record."""
        return (
            all(
                self.records[m].number >= -1 and (not record.flag or record.mode == Mode.IDLE)
                for m, record in self.records.items()
            )
            or self.here in self.numbers
        )

    @reachable
    def far(self) -> bool:
        """The cell of a node that is done is full."""
        return any(self.modes[n] == Mode.DONE and self.grid[n][Mode.DONE] == 1 for n in self.grid)


class Enumerations(Protocol):
    """Enumeration members and identifiers chosen by conditions, merged over branches, and returned by helpers."""

    LIMITS: ClassVar[tuple[int, ...]] = (1, 2)
    bounds: ZooBounds
    mode: Mode
    owner: Node
    turns: Small

    def following(self, mode: Mode) -> Mode:
        if mode == Mode.IDLE:
            return Mode.BUSY
        if mode == Mode.BUSY:
            if self.turns > 1:
                return Mode.DONE
            return Mode.BUSY
        return Mode.IDLE

    def both(self) -> tuple[Mode, int]:
        if self.mode == Mode.DONE:
            return Mode.IDLE, 0
        return self.following(self.mode), self.turns + 1

    @property
    def finished(self) -> bool:
        return self.mode is not None and self.mode in (Mode.DONE, Mode.IDLE)

    @action
    def turn(self) -> None:
        mode, turns = self.both()
        require(turns <= self.bounds.high)
        self.mode, self.turns = mode, turns

    @action
    def limited(self, i: Small) -> None:
        require(i < len(self.LIMITS))
        require(self.turns >= self.LIMITS[i])
        while i > 0:
            i -= 1
        self.turns = self.LIMITS[i] - 1

    @action
    def pass_on(self, to: Node) -> None:
        require(self.finished and self.owner != to)
        first = self.member(Node, 0)
        self.owner = to if self.turns < 2 else (first if self.owner == to else self.owner)
        self.mode = Mode.DONE if self.owner == first else self.mode

    @invariant
    def owners(self) -> bool:
        """Somebody owns it."""
        return any(self.owner == n for n in self.each(Node)) and (self.mode != Mode.DONE or self.turns != 2)
