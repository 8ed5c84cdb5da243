"""Dijkstra's token ring, which stabilizes itself: from any state there is one token in the end.

Source: tlaplus/Examples, `ewd426/TokenRing`; E. W. Dijkstra, EWD 426.
States:
    TokenRing(values=6): 46656, depth 1
Awkward: `<>[]P` is two properties; WF(Next) needs one action for all steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import Bounds, Integers, Map, Protocol, action, action_property, bound, leads_to, require


@dataclass(frozen=True)
class RingBounds(Bounds):
    nodes: int = bound(6, least=2, most=6, help="the number of nodes")
    values: int = bound(6, least=2, most=7, help="the number of values of a counter, one less than nodes at least")


Node = Annotated[int, Integers(0, RingBounds.nodes - 1)]
Value = Annotated[int, Integers(0, RingBounds.values - 1)]


class TokenRing(Protocol):
    """Node 0 has the token if its counter is that of the last node, any other if its counter is not that of the node
    before it."""

    bounds: RingBounds
    c: Map[Node, Value]

    def initial(self, c: Map[Node, Value]) -> None:
        self.c = c

    @action(by="i", fair="weak", each=(), says="{i} passes the token on")
    def move(self, i: Node) -> None:
        if i == 0:
            require(self.c[0] == self.c[self.bounds.nodes - 1])
            self.c[0] = (self.c[0] + 1) % self.bounds.values
        else:
            require(self.c[i] != self.c[i - 1])
            self.c[i] = self.c[i - 1]

    def has_one_token(self) -> bool:
        """Whether the counters are those of node 0 up to some node, and one less from there on."""
        return any(
            all(self.c[j] == (self.c[0] if j < i else (self.c[0] - 1) % self.bounds.values) for j in self.c)
            for i in range(1, self.bounds.nodes + 1)
        )

    @leads_to(fair=("move",))
    def it_stabilizes(self) -> tuple[bool, bool]:
        """In the end there is one token."""
        return True, self.has_one_token()

    @action_property
    def it_stays_stable(self, new: Self) -> bool:
        """One token stays one token."""
        return not self.has_one_token() or new.has_one_token()
