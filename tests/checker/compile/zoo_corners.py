"""Tiny specifications of the corners of the language: where a careless reading would differ from Python's."""

from __future__ import annotations

from typing import Annotated

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
    invariant,
    reachable,
    require,
)
from tests.checker.compile.zoo_values import B, Node, Pair, ZooBounds

Few = Annotated[int, Integers(0, 2)]
Many = Annotated[int, Integers(-1, 3)]
Peer = Annotated[Identifier, Identifiers("n", B.nodes + 1)]
LIMITS = (2, 1)


class Slot(Struct):
    """A record with an optional field."""

    owner: Node | None
    count: Few


class Elsewhere(Protocol):
    """Sets whose elements lie in wider or narrower universes, and sets that hold none."""

    bounds: ZooBounds
    few: Set[Few]
    many: Set[Many]
    nodes: Set[Node]
    peer: Peer
    node: Node | None
    slots: Set[Slot]

    @action
    def choose(self, n: Many, peer: Peer) -> None:
        require(n not in self.few)
        self.peer = peer
        self.many = (self.many ^ {n, 3} if n > 2 else self.many | {n}) - (self.few if peer in self.nodes else {-1})

    @action
    def compare(self, n: Many) -> None:
        require(self.few < self.many or self.few == self.many or {n, 9} >= self.many)
        require(self.few.isdisjoint({n}) and not self.many <= {0, 1, 99})
        self.few = (self.many | {7, n}) & Set([0, 1, 2]) - {n}

    @action
    def appoint(self) -> None:
        require({self.node} != self.nodes or self.node is None)
        self.node = next((n for n in self.nodes), None) if self.peer not in self.nodes else None
        self.nodes = self.nodes | ({self.peer} if self.peer in self.each(Node) else set())

    @action
    def fill(self) -> None:
        owners = {self.node, None} if self.few else {self.node}
        require(owners - self.nodes == {None} or None not in owners)
        self.slots = {Slot(owner=o, count=min(len(owners), 2)) for o in owners} | {
            s for s in self.slots if s.owner is None
        }

    @invariant
    def slots_are_known(self) -> bool:
        """A slot that counts more than it can is in no set."""
        return Slot(owner=self.node, count=sum(self.many)) not in self.slots or sum({2, len(self.many)}) > 2

    @reachable
    def shared(self) -> bool:
        """Both sets have the same two elements, and a slot is empty."""
        return len(self.few) == 2 and self.few == self.many and any(s.owner is None for s in self.slots)


class Sequences(Protocol):
    """Logs of different capacity and entries, assigned to each other, from lists and from filtered lists."""

    bounds: ZooBounds
    n: Many
    short: Annotated[Log[Few], Capacity(2)]
    long: Annotated[Log[Many], Capacity(3)]

    @action
    def choose(self, n: Many) -> None:
        require(self.n != n)
        self.n = n

    @action
    def widen(self) -> None:
        require(len(self.short) > 0 or self.n < 0)
        self.long = self.short
        self.long.append(self.n)

    @action
    def narrow(self) -> None:
        kept = [n for n in self.long if 0 <= n < 2]
        require(len(kept) < 3)
        self.short = kept

    @action
    def replace(self) -> None:
        require(self.n in range(len(self.short), 3))
        self.short = [self.n] if self.n in self.long else [self.n, 2 - self.n]

    @action
    def turn(self) -> None:
        require(len(self.long) > 1)
        self.long = list(reversed(self.long))

    @invariant
    def short_is_part(self) -> bool:
        """The short log is the beginning of the long one, or the long one holds what is negative."""
        return all(a == b for a, b in zip(self.short, self.long, strict=False)) or -1 in self.long

    @reachable
    def equal(self) -> bool:
        """Both logs are the same two entries."""
        return self.short == self.long and len(self.long) == 2


class Order(Protocol):
    """What is evaluated when, and what is not evaluated at all: nothing here ever fails."""

    bounds: ZooBounds
    table: Map[Few, Few | None]
    here: Few

    @action
    def put(self, key: Few, value: Few | None) -> None:
        require(self.table[key] != value and (value is None or value <= key))
        self.table[key] = value
        self.here = key

    @action
    def first(self) -> None:
        """Stops at the first entry that is there: `None > 0` is never asked."""
        require(self.table[0] is not None)
        self.here = next(k for k in self.table if self.table[k] >= 0)  # type: ignore[operator]  # it stops before none

    @action
    def found(self) -> None:
        require(
            self.table[0] is not None and 1 in (self.table[k] + 1 for k in self.table if self.table[k] is not None)  # type: ignore[operator]  # the guard excludes none
        )
        self.here = self.table[0] or (self.table[1] or 2)

    @action
    def limited(self, i: Few) -> None:
        """The guard stops before the index that is not there."""
        require(i < len(LIMITS))
        require(self.here == LIMITS[i])
        self.here = 0 if self.table[i] is None else LIMITS[1 - i]

    @action
    def shift(self) -> None:
        """Each element of the generator sees what the loop wrote before."""
        require(self.here == 2)
        for k in (k for k in self.table if self.table[k] is None or self.here > 0):
            self.here -= 1 if self.here > 0 and self.table[k] is not None else 0
            self.table[k] = None

    @invariant
    def short_circuits(self) -> bool:
        """What comes after a decisive operand is not evaluated."""
        return (
            all(self.table[k] is None or self.table[k] < 3 for k in self.table)  # type: ignore[operator]  # the guard excludes none
            and any(v is None or v + 1 > 0 for v in self.table.values())
            and (self.table[self.here] is None or 0 <= self.table[self.here] <= self.here)  # type: ignore[operator]  # the guard excludes none
            and not (self.here > 1 and self.table[0] is not None and self.table[0] + self.here == 2)
        )


class Names(Protocol):
    """Records read into variables: what is changed through them, and what is exchanged."""

    bounds: ZooBounds
    a: Pair
    b: Pair
    pairs: Map[Node, Slot]

    @action
    def through(self, node: Node) -> None:
        """A name for a record of the state changes the state."""
        slot = self.pairs[node]
        require(slot.count < 2)
        slot.count += 1
        slot.owner = node if self.pairs[node].count == 2 else None

    @action
    def exchange(self) -> None:
        require(self.a != self.b)
        self.a, self.b = self.b, self.a

    @action
    def rotate(self) -> None:
        first = self.member(Node, 0)
        require(self.pairs[first].owner is not None)
        second = next((n for n in self.pairs if n != first), first)
        self.pairs[second], self.pairs[first] = self.pairs[first], self.pairs[second]

    @action
    def set(self, number: Annotated[int, Integers(0, 1)]) -> None:
        record = self.a if self.b.flag else self.b
        require(record.number != number)
        record.number = number
        record.flag = self.a.flag == self.b.flag

    @invariant
    def different(self) -> bool:
        """The two records differ, or one counter is at its end."""
        return self.a != self.b or any(p.count == 2 for p in self.pairs.values()) or not self.a.flag
