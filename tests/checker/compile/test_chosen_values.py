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
from tests.spec.language.snippets import Load, loader, refused

__all__ = ["loader"]  # the fixture that the tests below ask for


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


class Between(Protocol):
    """Steps whose parameters are chosen between, and looked into at places that depend on the state."""

    bounds: NodeBounds
    on: Map[Node, bool]
    log: Nodes
    node: Node
    flag: bool

    @action
    def turn(self, to: Map[Node, bool], of: Map[Node, bool]) -> None:
        chosen = to if self.flag else of
        require(chosen[self.node] != self.flag and self.on != chosen)
        self.on = chosen if self.on[self.node] else to
        self.flag = (to if self.node in self.log else of if self.flag else self.on_but(to))[self.node]

    @action
    def order(self, first: Nodes, then: Nodes) -> None:
        either = first if self.flag else then
        require(self.node in either and either.count(self.node) < 2 and len(first) <= len(then))
        self.log = either[first.index(self.node) if self.node in first else 0 :] + then[:1]
        self.node = (then if self.on[self.node] else first).first

    def on_but(self, to: Map[Node, bool]) -> Map[Node, bool]:
        return to


def test_parameters_are_chosen_between_by_the_state() -> None:
    protocol = Between()
    options = Options(all_violations=True)
    found, reference = native.check(protocol, options), reference_engine.check(protocol, options)
    assert (found.distinct_states, found.state_digest, found.step_digest) == (
        reference.distinct_states,
        reference.state_digest,
        reference.step_digest,
    )


def test_instances_with_maps_have_a_hash() -> None:
    instances = Choices().instances
    assert len(set(instances)) == len(instances)


REFUSED = {
    "order.append(node)": "a parameter cannot be changed in place",
    "order[0] = node": "a parameter cannot be changed in place",
    "order.truncate(0)": "a parameter cannot be changed in place",
    "order.pop()": "a parameter cannot be changed in place",
    "to[node] = True": "a parameter cannot be changed in place",
    "pair.flag = True": "a parameter cannot be changed in place",
    "(to if self.pair is None else on)[node] = True": "a parameter cannot be changed in place",
    "self.on[node] = to.get(node)": "a Map has no attribute 'get'",
    "self.on = to if self.pair is None else self.on": "is stored as a whole",
    "self.on[node] = maybe.flag": "none has no field 'flag'",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_what_is_no_use_of_a_parameter_is_refused(load: Load, statement: str) -> None:
    text = f"""
Nodes = Annotated[Log[Node], Capacity(2)]


class Pair(Struct):
    flag: bool
    node: Node


class Spec(Protocol):
    on: Map[Node, bool]
    pair: Pair | None

    @action
    def act(
        self, node: Node, to: Map[Node, bool], on: Map[Node, bool], order: Nodes, pair: Pair, maybe: Pair | None
    ) -> None:
        require(len(order) > 0)
        {statement}  # here
"""
    error = refused(load, text)
    assert REFUSED[statement] in error.message
    assert error.advice


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
