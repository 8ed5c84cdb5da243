"""Parameters that are maps, logs and records that may be none: each value is a choice, in every engine."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Annotated

import pytest

from epochal.checker.search import native, reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Struct,
    action,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class NodeBounds(Bounds):
    nodes: int = bound(2, least=1, most=3, help="the number of nodes")


Node = Annotated[Identifier, Identifiers("n", NodeBounds.nodes)]


class Pair(Struct):
    flag: bool
    node: Node


class Deep(Struct):
    on: Map[Node, bool]
    pair: Pair | None


Nodes = Annotated[Log[Node], Capacity(2)]


class Choices(Protocol):
    """Steps that are chosen by a map, a log, and records with both."""

    bounds: NodeBounds
    on: Map[Node, bool]
    owner: Map[Node, Node]
    log: Nodes
    pair: Pair | None
    deep: Deep

    def initial(self, on: Map[Node, bool], owner: Map[Node, Node]) -> None:
        self.on = on
        self.owner = owner

    @action(by="node", says="{node} sets {to}, {order}, {pair}")
    def turn(self, node: Node, to: Map[Node, bool], order: Nodes, pair: Pair | None) -> None:
        require(self.on[node] and not to[node])
        for other in to:
            if to[other]:
                self.on[other] = False
        self.on[node] = to[node]
        self.log = order
        self.pair = pair
        if pair is not None:
            require(len(order) > 0 and order.last == pair.node and pair.node in order)

    @action
    def deepen(self, deep: Deep) -> None:
        require(len(self.log) > 0 and not self.deep.on[self.owner[self.log[0]]])
        self.deep = deep
        for node in self.owner:
            if not deep.on[node]:
                self.owner[node] = node

    @invariant
    def who_stands_twice(self) -> bool:
        return len(self.log) < 2 or self.log[0] != self.log[1] or all(self.deep.on.values()) or self.pair is None

    @reachable
    def all_are_on(self) -> bool:
        return any(all(one.values()) and one == self.on for one in self.each(Map[Node, bool]))


def test_a_choice_can_be_copied_and_sent() -> None:
    for instance in Choices().instances:
        for again in (pickle.loads(pickle.dumps(instance.arguments)), copy.deepcopy(instance.arguments)):
            assert again == instance.arguments
    (deep,) = copy.deepcopy(Choices().instances[-1].arguments)
    with pytest.raises(LanguageError, match="a parameter cannot be changed in place"):
        deep.on[next(iter(deep.on))] = True


@pytest.mark.parametrize("symmetry", [False, True])
def test_every_value_is_a_choice(symmetry: bool) -> None:
    """TLC counts the same in the exported module: 2,652 states at depth 4, 91,112 steps and 16 initial states."""
    protocol = Choices()
    assert [len(protocol.initial_states()), len(protocol.instances)] == [16, 2 * 4 * 7 * 5 + 4 * 5]
    options = Options(all_violations=True, symmetry=symmetry)
    found, reference = native.check(protocol, options), reference_engine.check(protocol, options)
    states, steps = (1_329, 45_632) if symmetry else (2_652, 91_112)
    assert (found.distinct_states, found.transitions, found.depth) == (states, steps, 4)
    assert (found.state_digest, found.step_digest) == (reference.state_digest, reference.step_digest)
    lengths = {one.member.name: one.length for one in found.properties}
    assert lengths == {"who_stands_twice": 2, "all_are_on": 1}
    assert [one.trace for one in found.properties] == [one.trace for one in reference.properties]
