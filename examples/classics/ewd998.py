"""How a ring of nodes that send messages notices that nobody works any more: Safra's token.

Source: tlaplus/Examples, `ewd998/AsyncTerminationDetection` and `ewd998/EWD998PCal`; E. W. Dijkstra, EWD 998.
States:
    AsyncTerminationDetection(nodes=4): 4097, depth 14
    Ewd998(nodes=3): 321370, depth 47
Awkward: a bag of messages is a number of them; counters have a domain, whose ends have to be thought out, and which is
where they begin unless `initial` says 0; `x' in {y, z}` is a parameter of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import (
    Bounds,
    Integers,
    Map,
    Protocol,
    Set,
    action,
    action_property,
    bound,
    constraint,
    invariant,
    leads_to,
    require,
)


@dataclass(frozen=True)
class RingBounds(Bounds):
    nodes: int = bound(3, least=2, most=4, help="the number of nodes")


Node = Annotated[int, Integers(0, RingBounds.nodes - 1)]


class AsyncTerminationDetection(Protocol):
    """What is to be done: to detect that all nodes rest and no message is on its way."""

    bounds: RingBounds
    active: Set[Node]
    pending: Map[Node, Annotated[int, Integers(0, 4)]]
    detected: bool

    def initial(self, active: Set[Node], detected: bool) -> None:
        self.active = active
        require(not detected or active == set())
        self.detected = detected

    def has_terminated(self) -> bool:
        """Whether all rest and no message is on its way."""
        return self.active == set() and all(self.pending[n] == 0 for n in self.pending)

    @action(by="i", says="{i} has done its work; that all rest is detected: {detected}")
    def rest(self, i: Node, detected: bool) -> None:
        require(i in self.active)
        self.active = self.active - {i}
        if detected:
            self.detected = self.has_terminated()

    @action(by="i", to="j", says="{i} sends work to {j}")
    def send(self, i: Node, j: Node) -> None:
        require(i in self.active)
        self.pending[j] += 1

    @action(by="i", says="{i} receives work")
    def receive(self, i: Node) -> None:
        require(self.pending[i] > 0)
        self.active = self.active | {i}
        self.pending[i] -= 1

    @action(fair="weak", says="it is detected that all rest")
    def detect(self) -> None:
        require(self.has_terminated())
        self.detected = True

    @constraint
    def few_are_pending(self) -> bool:
        """How far is searched."""
        return all(self.pending[n] <= 3 for n in self.pending)

    @invariant
    def detection_is_right(self) -> bool:
        """What is detected is true."""
        return not self.detected or self.has_terminated()

    @action_property
    def rest_is_final(self, new: Self) -> bool:
        """Where all rest nobody works again."""
        return not self.has_terminated() or new.has_terminated()

    @leads_to(fair=("detect",))
    def rest_is_detected(self) -> tuple[bool, bool]:
        """That all rest is detected."""
        return self.has_terminated(), self.detected


class Ewd998(Protocol):
    """Each node counts what it sends minus what it receives. The token collects the counts, and is black where a node
    has received something since it passed."""

    bounds: RingBounds
    active: Set[Node]
    black: Set[Node]
    counter: Map[Node, Annotated[int, Integers(-2 * RingBounds.nodes + 2, 3)]]
    pending: Map[Node, Annotated[int, Integers(0, 2 * RingBounds.nodes + 1)]]
    token: Node
    token_count: Annotated[int, Integers(-24, 6)]
    token_is_black: bool

    def initial(self, active: Set[Node]) -> None:
        self.active = active
        self.black = Set(self.counter)
        for n in self.counter:
            self.counter[n] = 0
        self.token_count = 0
        self.token_is_black = True

    @action(by="i", to="j", says="{i} sends work to {j}")
    def send(self, i: Node, j: Node) -> None:
        require(i in self.active and i != j)
        self.pending[j] += 1
        self.counter[i] += 1

    @action(by="i", says="{i} receives work")
    def receive(self, i: Node) -> None:
        require(self.pending[i] > 0)
        self.pending[i] -= 1
        self.counter[i] -= 1
        self.active = self.active | {i}
        self.black = self.black | {i}

    @action(by="i", says="{i} has done its work")
    def rest(self, i: Node) -> None:
        require(i in self.active)
        self.active = self.active - {i}

    @action(by="i", says="{i} passes the token on")
    def pass_on(self, i: Node) -> None:
        require(i > 0 and self.token == i and i not in self.active)
        self.token = i - 1
        self.token_count += self.counter[i]
        self.token_is_black = self.token_is_black or i in self.black
        self.black = self.black - {i}

    @action(says="node 0 sends the token round again")
    def begin(self) -> None:
        require(self.token == 0)
        require(0 in self.black or self.token_is_black or self.token_count + self.counter[0] != 0)
        self.token = self.bounds.nodes - 1
        self.token_count = 0
        self.token_is_black = False
        self.black = self.black - {0}

    @constraint
    def counters_are_small(self) -> bool:
        """How far is searched."""
        return all(self.counter[n] < 3 for n in self.counter)

    def detected(self) -> bool:
        """Whether node 0 knows from the token that all rest."""
        is_white = not self.token_is_black and 0 not in self.black
        return self.token == 0 and is_white and 0 not in self.active and self.token_count + self.counter[0] == 0

    @invariant
    def detection_is_right(self) -> bool:
        """What node 0 knows is true."""
        return not self.detected() or (self.active == set() and sum(self.pending.values()) == 0)

    @invariant
    def safras(self) -> bool:
        """Messages are counted; and nodes that the token has passed rest and are counted, or it will notice."""
        counted = sum(self.counter[n] for n in self.counter if n > self.token)
        ahead = sum(self.counter[n] for n in self.counter if n <= self.token)
        return sum(self.counter.values()) == sum(self.pending.values()) and (
            (all(n <= self.token for n in self.active) and self.token_count == counted)
            or ahead + self.token_count > 0
            or any(n <= self.token for n in self.black)
            or self.token_is_black
        )
