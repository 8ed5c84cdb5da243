"""How a ring of nodes notices that nobody works any more: Dijkstra's token.

Source: tlaplus/Examples, `ewd840/EWD840` and `ewd840/EWD840_json`; E. W. Dijkstra, EWD 840.
States:
    Ewd840(nodes=3): 302
    Ewd840(nodes=4): 1566, depth 12
Awkward: nothing; the color of a node is whether it is black.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, action, bound, invariant, leads_to, require


@dataclass(frozen=True)
class RingBounds(Bounds):
    nodes: int = bound(4, least=2, most=6, help="the number of nodes")


Node = Annotated[int, Integers(0, RingBounds.nodes - 1)]


class Ewd840(Protocol):
    """A token goes round from node 0 downwards. Who has sent work upwards is black, and blackens the token."""

    bounds: RingBounds
    active: Map[Node, bool]
    black: Map[Node, bool]
    token: Node
    token_is_black: bool

    def initial(self, active: Map[Node, bool], black: Map[Node, bool], token: Node) -> None:
        self.active = active
        self.black = black
        self.token = token
        self.token_is_black = True

    @action(fair="weak", each=(), says="node 0 sends the token round again")
    def begin(self) -> None:
        require(self.token == 0 and (self.token_is_black or self.black[0]))
        self.token = self.bounds.nodes - 1
        self.token_is_black = False
        self.black[0] = False

    @action(fair="weak", each=(), says="{node} passes the token on")
    def pass_on(self, node: Node) -> None:
        require(node > 0 and self.token == node)
        require(not self.active[node] or self.black[node] or self.token_is_black)
        self.token = node - 1
        self.token_is_black = self.token_is_black or self.black[node]
        self.black[node] = False

    @action(by="node", to="other", says="{node} gives work to {other}")
    def send(self, node: Node, other: Node) -> None:
        require(self.active[node] and node != other)
        self.active[other] = True
        if other > node:
            self.black[node] = True

    @action(by="node", says="{node} has done its work")
    def rest(self, node: Node) -> None:
        require(self.active[node])
        self.active[node] = False

    def detected(self) -> bool:
        """Whether node 0 knows from the token that nobody works."""
        return self.token == 0 and not (self.token_is_black or self.black[0] or self.active[0])

    def all_rest(self) -> bool:
        """Whether nobody works."""
        return not any(self.active[node] for node in self.active)

    @invariant
    def detection_is_right(self) -> bool:
        """What node 0 knows is true."""
        return not self.detected() or self.all_rest()

    @invariant
    def dijkstras(self) -> bool:
        """Nodes that the token has passed rest, or it will meet a black node, or it is black: Dijkstra's P0 to P2."""
        return (
            all(node <= self.token for node in self.active if self.active[node])
            or any(node <= self.token for node in self.black if self.black[node])
            or self.token_is_black
        )

    @leads_to(fair=("begin", "pass_on"))
    def rest_is_detected(self) -> tuple[bool, bool]:
        """When nobody works any more node 0 comes to know it."""
        return self.all_rest(), self.detected()
