"""Dijkstra's token ring, which stabilizes itself: from any state there is one token in the end.

Source: tlaplus/Examples, `ewd426/TokenRing`; E. W. Dijkstra, EWD 426.
States:
    TokenRing(values=6): 46656, depth 1
Awkward: `initial` cannot choose a map of numbers, so that it has a parameter for each node, and the number of nodes is
no bound; `<>[]P` is two properties; WF(Next) needs one action for all steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import Bounds, Integers, Map, Protocol, action, action_property, bound, leads_to, require

NODES = 6


@dataclass(frozen=True)
class ValueBounds(Bounds):
    values: int = bound(6, least=2, most=7, help="the number of values of a counter, one less than nodes at least")


Node = Annotated[int, Integers(0, NODES - 1)]
Value = Annotated[int, Integers(0, ValueBounds.values - 1)]


class TokenRing(Protocol):
    """Node 0 has the token if its counter is that of the last node, any other if its counter is not that of the node
    before it."""

    bounds: ValueBounds
    c: Map[Node, Value]

    def initial(self, c0: Value, c1: Value, c2: Value, c3: Value, c4: Value, c5: Value) -> None:
        self.c[0], self.c[1], self.c[2], self.c[3], self.c[4], self.c[5] = c0, c1, c2, c3, c4, c5

    @action(by="i", fair="weak", each=(), says="{i} passes the token on")
    def move(self, i: Node) -> None:
        if i == 0:
            require(self.c[0] == self.c[NODES - 1])
            self.c[0] = (self.c[0] + 1) % self.bounds.values
        else:
            require(self.c[i] != self.c[i - 1])
            self.c[i] = self.c[i - 1]

    def has_one_token(self) -> bool:
        """Whether the counters are those of node 0 up to some node, and one less from there on."""
        return any(
            all(self.c[j] == (self.c[0] if j < i else (self.c[0] - 1) % self.bounds.values) for j in range(NODES))
            for i in range(1, NODES + 1)
        )

    @leads_to(fair=("move",))
    def it_stabilizes(self) -> tuple[bool, bool]:
        """In the end there is one token."""
        return True, self.has_one_token()

    @action_property
    def it_stays_stable(self, new: Self) -> bool:
        """One token stays one token."""
        return not self.has_one_token() or new.has_one_token()
