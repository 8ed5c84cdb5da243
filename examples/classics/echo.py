"""A spanning tree of a network is found from one node: an echo comes back from all others.

Source: tlaplus/Examples, `echo/MCEcho`; E. J. H. Chang, "Echo Algorithms".
States:
    Echo(nodes=3): 75, depth 16
Awkward: the transitive closure of the parents is a loop with a bound; assertions inside steps are invariants.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, Set, Struct, action, bound, invariant, reachable, require


@dataclass(frozen=True)
class NetworkBounds(Bounds):
    nodes: int = bound(3, least=2, most=4, help="the number of nodes, each of which is a neighbour of all others")


Node = Annotated[int, Integers(1, NetworkBounds.nodes)]
Received = Annotated[int, Integers(0, NetworkBounds.nodes - 1)]
Kind = enum.Enum("Kind", ["MESSAGE", "CHILD"])
Place = enum.Enum("Place", ["N0", "N1", "N2", "DONE"])
INITIATOR = 1


class Letter(Struct):
    """What a node sends to another."""

    kind: Kind
    sender: Node


class Echo(Protocol):
    """The sender of the first message is a node's parent. It tells all other neighbours, and when it has heard of all,
    its parent that it is a child."""

    bounds: NetworkBounds
    inbox: Map[Node, Set[Letter]]
    place: Map[Node, Place]
    parent: Map[Node, Node | None]
    children: Map[Node, Set[Node]]
    received: Map[Node, Received]

    def tell(self, sender: int, all_but: int) -> None:
        """Send a message to all neighbours but one."""
        for n in self.inbox:
            if n not in (sender, all_but):
                self.inbox[n] = self.inbox[n] | {Letter(kind=Kind.MESSAGE, sender=sender)}

    @action(by="n", says="{n} begins")
    def begin(self, n: Node) -> None:
        require(self.place[n] == Place.N0)
        self.place[n] = Place.N1
        if n == INITIATOR:
            self.tell(n, n)

    @action(by="n", to="sender", says="{n} receives of {sender}: {kind}")
    def receive(self, n: Node, kind: Kind, sender: Node) -> None:
        letter = Letter(kind=kind, sender=sender)
        require(self.place[n] == Place.N1 and self.received[n] < self.bounds.nodes - 1 and letter in self.inbox[n])
        self.inbox[n] = self.inbox[n] - {letter}
        self.received[n] += 1
        if n != INITIATOR and self.received[n] == 1:
            self.parent[n] = sender
            self.tell(n, sender)
        if kind == Kind.CHILD:
            self.children[n] = self.children[n] | {sender}

    @action(by="n", says="{n} has heard of all neighbours")
    def hear_all(self, n: Node) -> None:
        require(self.place[n] == Place.N1 and self.received[n] == self.bounds.nodes - 1)
        self.place[n] = Place.N2

    @action(by="n", says="{n} tells its parent, and is done")
    def finish(self, n: Node) -> None:
        require(self.place[n] == Place.N2)
        self.place[n] = Place.DONE
        parent = self.parent[n]
        if n != INITIATOR and parent is not None:
            self.inbox[parent] = self.inbox[parent] | {Letter(kind=Kind.CHILD, sender=n)}

    def is_below_the_initiator(self, n: int) -> bool:
        """Whether the way from a node to its parent, and so on, leads to the initiator."""
        at: int | None = n
        for _ in range(self.bounds.nodes):
            if at is not None and at != INITIATOR:
                at = self.parent[at]
        return at == INITIATOR

    @invariant
    def it_is_a_tree(self) -> bool:
        """When all are done, each node is below the initiator, which has no parent."""
        done = all(self.place[n] == Place.DONE for n in self.place)
        return not done or all(self.is_below_the_initiator(n) for n in self.place)

    @invariant
    def initiator_has_no_parent(self) -> bool:
        """The initiator has no parent, and who has told its parent has one."""
        others = all(self.parent[n] is not None for n in self.place if n > INITIATOR and self.received[n] > 0)
        return self.parent[INITIATOR] is None and others

    @invariant
    def children_have_parents(self) -> bool:
        """Who is a node's child has it as its parent; when a node is done, it knows all of its children."""
        return all(
            (n not in self.children[m] or self.parent[n] == m)
            and (self.parent[n] != m or self.place[m] != Place.DONE or n in self.children[m])
            for m in self.place
            for n in self.place
        )

    @reachable
    def all_are_done(self) -> bool:
        """All are done."""
        return all(self.place[n] == Place.DONE for n in self.place)
