"""Tiny specifications, one for each kind of collection: sets, logs, comprehensions, and what loops over them."""

from __future__ import annotations

from typing import Annotated, Self

from epochal.spec.language import (
    Capacity,
    Ghost,
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
from tests.checker.compile.zoo_values import B, Below, Mode, Node, Signed, Small, ZooBounds

Sign = Annotated[int, Integers(-1, 0)]
Bit = Annotated[int, Integers(0, 1)]


class Cell(Struct, text="{who}:{what}"):
    """A record small enough to be the element of a set."""

    who: Node | None
    what: Bit


class Sets(Protocol):
    """Sets of numbers, identifiers, enumeration members and records, and every operation on them."""

    bounds: ZooBounds
    numbers: Set[Below]
    more: Set[Signed]
    nodes: Set[Node]
    modes: Set[Mode]
    cells: Set[Cell]
    last: Signed

    @action
    def insert(self, n: Below) -> None:
        require(n not in self.numbers)
        self.numbers = self.numbers | {n}
        self.last = max(self.numbers, default=0) - min(self.numbers) * 0 - 1

    @action
    def widen(self) -> None:
        require(self.more >= self.numbers or self.numbers.isdisjoint(self.more))
        self.more = {n * 2 for n in self.numbers if n > -2} | self.numbers - {0, 99}
        self.last = min(len(self.more), self.bounds.high)

    @action
    def cut(self) -> None:
        require(self.numbers != self.more & self.numbers or self.numbers > {1})
        self.numbers = self.numbers & self.more
        self.more -= self.numbers

    @action
    def join(self, node: Node) -> None:
        self.nodes = self.nodes - {node} if node in self.nodes else self.nodes | {node}
        for n in self.nodes:
            self.cells |= {Cell(who=n, what=0 if len(self.nodes) == 1 else 1)}

    @action
    def mark(self) -> None:
        require(Cell(who=None, what=1) not in self.cells)
        for mode in (Mode.IDLE, Mode.DONE):
            if mode not in self.modes:
                self.modes = self.modes | {mode} if self.nodes else set()
        self.cells = {Cell(who=None, what=c.what) for c in self.cells if c.what > 0 or c.who in self.nodes}

    @action
    def drop(self) -> None:
        require(self.nodes and len(self.cells) >= 2)
        first = next(iter_node for iter_node in self.nodes)
        self.nodes = Set([first])
        self.cells = Set(c for c in self.cells if c.who is not None and c.who == first)
        self.last = sum(c.what for c in self.cells) - len([n for n in self.numbers if n < 0])

    @invariant
    def last_is_small(self) -> bool:
        """The last result is small while nodes are left."""
        return self.last < 2 or not self.nodes

    @invariant
    def subsets(self) -> bool:
        """The numbers are a part of what they were widened to, or small."""
        return self.numbers <= self.more or self.numbers < {-1, 0, 1, 2} or Set() == self.numbers

    @invariant
    def modes_known(self) -> bool:
        """Nobody is busy, and the nodes of cells are nodes."""
        return self.last > 4 or (
            Mode.BUSY not in self.modes and all(c.who is None or c.who in self.nodes or c.what == 0 for c in self.cells)
        )

    @action_property
    def one_node(self, new: Self) -> bool:
        """A step changes the membership of at most one node."""
        return len(new.nodes - self.nodes | (self.nodes - new.nodes)) <= 1

    @reachable
    def all_negative(self) -> bool:
        """All numbers are negative, and there are two."""
        return {n for n in self.numbers if n < 0} == self.numbers and len(self.numbers) == 2


class Logs(Protocol):
    """Logs of scalars and of records: append, truncate, last, indexes found in the state, comparison, assignment."""

    bounds: ZooBounds
    here: Small
    numbers: Annotated[Log[Sign], Capacity(B.high)]
    entries: Annotated[Log[Cell], Capacity(2)]
    copies: Map[Node, Annotated[Log[Below], Capacity(2)]]

    @action
    def append(self, n: Sign) -> None:
        require(len(self.numbers) < self.bounds.high)
        self.numbers.append(n)
        self.here = len(self.numbers) - 1

    @action
    def seek(self) -> None:
        require(self.numbers and self.here > 0)
        self.here -= 1

    @action
    def overwrite(self) -> None:
        require(self.here < len(self.numbers))
        require(self.numbers[self.here] < self.numbers.last)
        self.numbers[self.here] = self.numbers[0]

    @action
    def truncate(self) -> None:
        require(self.here < len(self.numbers) and self.numbers[self.here] == 0)
        self.numbers.truncate(self.here)

    @action
    def record(self) -> None:
        require(len(self.entries) < 2 and len(self.numbers) > 0)
        self.entries.append(Cell(who=None, what=abs(self.numbers.last)))
        if len(self.entries) == 2 and self.entries[0] == self.entries[1]:
            self.entries.truncate(1)
            self.entries[len(self.entries) - 1] = Cell(who=self.member(Node, 0), what=min(self.here, 1))

    @action
    def copy(self, node: Node) -> None:
        require(len(self.numbers) <= 2 and self.copies[node] != self.numbers)
        self.copies[node] = self.numbers

    @action
    def filter(self) -> None:
        require(len(self.numbers) == self.bounds.high)
        self.numbers = [n for n in self.numbers if n < 0]
        self.here = 0

    @invariant
    def sorted(self) -> bool:
        """The numbers grow, or two neighbours are equal."""
        return all(
            self.numbers[i] <= self.numbers[i + 1] or self.numbers[i] == self.numbers.last
            for i in range(len(self.numbers) - 1)
        ) or any(i < self.here and n == -1 for i, n in enumerate(self.numbers))

    @invariant
    def entries_busy(self) -> bool:
        """No two records are equal, and none is empty."""
        return len({e.what for e in self.entries}) == len(self.entries) or self.entries[0].who != self.entries.last.who

    @action_property
    def append_only(self, new: Self) -> bool:
        """What is in a log stays, unless it is cut."""
        return len(new.numbers) < len(self.numbers) or all(
            old == later for old, later in zip(self.numbers, new.numbers, strict=False)
        )

    @reachable
    def same_copies(self) -> bool:
        """All copies are the same log of two."""
        return all(copy == [-1, 0] or copy == (0, 0) for copy in self.copies.values())


class Loops(Protocol):
    """Accumulating loops, merged locals, generators that see the writes of the loop they feed."""

    bounds: ZooBounds
    levels: Map[Node, Small]
    total: Annotated[int, Integers(-9, 12)]
    turns: Small
    lifted: Ghost[Set[Node]]

    @constraint
    def small(self) -> bool:
        """Only a few turns are explored."""
        return self.turns < self.bounds.high

    def spread(self) -> int:
        return max(self.levels[n] for n in self.levels) - min(level for level in self.levels.values())

    @action
    def lift(self, node: Node) -> None:
        """Each node that is still at the bottom goes up, until one is up."""
        require(self.turns < self.bounds.high)
        self.turns += 1
        up = 0
        for n in (m for m in self.levels if self.levels[m] == 0 and self.levels[node] < 2):
            self.levels[n] += 1 if n == node else 0
            up += self.levels[n]
            if n == node:
                self.levels[node] = 2
                self.lifted |= {n}
        self.total = up

    @action
    def level(self) -> None:
        """The levels meet."""
        require(self.turns < self.bounds.high and self.spread() > 0)
        self.turns += 1
        low = min((level for level in self.levels.values() if level > 0), default=1)
        position = -1
        for i, n in enumerate(self.levels):
            if self.levels[n] > low:
                position = i
                self.levels[n] = low
            elif self.levels[n] < low:
                self.levels[n] = self.levels[n] + 1
        self.total = position + sum(a * b for a in self.levels.values() for b in (1, -1, 2) if a + b > 1)

    @action
    def pairs(self) -> None:
        """Adds up pairs of nodes."""
        require(self.turns < self.bounds.high)
        self.turns += 1
        found = [a for a in self.levels if any(a != b and self.levels[a] > self.levels[b] for b in self.levels)]
        best = next((self.levels[n] for n in reversed(found)), None)
        if best is None:
            extra = 1
        else:
            extra = best
            extra -= 1
        self.total = len(found) + extra if found else -extra

    @invariant
    def total_small(self) -> bool:
        """The total is below the sum of all levels, or one node is at the bottom."""
        return self.total <= sum(self.levels.values()) or any(
            not self.levels[n] and n not in self.lifted for n in self.levels
        )

    @action_property
    def turns_grow(self, new: Self) -> bool:
        """Each step is a turn."""
        return new.turns == self.turns + 1

    @reachable
    def at_top(self, new: Self) -> bool:
        """A step brings all nodes to the same level above the bottom."""
        return new.spread() == 0 and self.spread() > 0 and all(new.levels[n] > 0 for n in new.levels)
