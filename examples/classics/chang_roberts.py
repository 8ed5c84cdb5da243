"""A leader is elected on a ring: the smallest name of those who want to lead comes round.

Source: tlaplus/Examples, `chang_roberts/MCChangRoberts`; E. Chang and R. Roberts, "An Improved Algorithm for
Decentralized Extrema-Finding in Circular Configurations of Processes".
States:
    ChangRoberts(nodes=3): 137, depth 10
Awkward: those who have begun are a set, in place of the labels of PlusCal.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, Set, action, bound, invariant, leads_to, require


@dataclass(frozen=True)
class RingBounds(Bounds):
    nodes: int = bound(3, least=2, most=6, help="the number of nodes")


Node = Annotated[int, Integers(1, RingBounds.nodes)]
State = enum.Enum("State", ["LOST", "CANDIDATE", "WON"])


class ChangRoberts(Protocol):
    """Initiators send their names round; a node passes on only what is smaller than its own, unless it has lost."""

    bounds: RingBounds
    initiators: Set[Node]
    begun: Set[Node]
    messages: Map[Node, Set[Node]]
    state: Map[Node, State]

    def initial(self, initiators: Set[Node]) -> None:
        self.initiators = initiators
        for n in initiators:
            self.state[n] = State.CANDIDATE

    def send_on(self, n: int, name: int) -> None:
        """Send a name to the next node of the ring."""
        successor = 1 if n == self.bounds.nodes else n + 1
        self.messages[successor] = self.messages[successor] | {name}

    @action(by="n", fair="weak", says="{n} begins")
    def begin(self, n: Node) -> None:
        require(n not in self.begun)
        self.begun = self.begun | {n}
        if n in self.initiators:
            self.send_on(n, n)

    @action(by="n", fair="weak", says="{n} handles the name {name}")
    def handle(self, n: Node, name: Node) -> None:
        require(n in self.begun and name in self.messages[n])
        self.messages[n] = self.messages[n] - {name}
        if self.state[n] == State.LOST or name < n:
            self.state[n] = State.LOST
            self.send_on(n, name)
        elif name == n:
            self.state[n] = State.WON

    @invariant
    def the_smallest_wins(self) -> bool:
        """Who has won is the smallest initiator, and all others have lost."""
        return all(
            n in self.initiators
            and all(self.state[m] == State.LOST for m in self.state if m != n)
            and all(n <= m for m in self.initiators)
            for n in self.state
            if self.state[n] == State.WON
        )

    @leads_to(fair=("begin", "handle"))
    def somebody_wins(self) -> tuple[bool, bool]:
        """Where there is a candidate, somebody wins."""
        states = {self.state[n] for n in self.state}
        return State.CANDIDATE in states, State.WON in states
