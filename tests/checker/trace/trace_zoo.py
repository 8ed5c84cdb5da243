"""A protocol with one variable of every kind of domain, for what the Kafka protocols do not use."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from hypothesis import strategies as st

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Codes, Step, Trace
from epochal.spec.language import (
    Bounds,
    Capacity,
    Ghost,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class ZooBounds(Bounds):
    """How large the zoo is."""

    nodes: int = bound(2, most=3, help="the number of nodes")
    high: int = bound(2, least=0, most=5, help="the greatest number")


B = ZooBounds
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Number = Annotated[int, Integers(-1, B.high)]


class Color(enum.Enum):
    """Members read as people write them."""

    DARK_RED = 1
    GREEN = 2


class Twin(enum.Enum):
    """Two members that read alike, so that only their own names tell them apart."""

    READ_ONLY = 1
    Read_Only = 2


class Dash(enum.Enum):
    """A member that reads like none."""

    _ = 1
    OTHER = 2


class Entry(Struct):
    """A record without a text format."""

    number: Number
    color: Color | None


class Secretive(Struct, text="s{shown}"):
    """A record whose text leaves out a field."""

    shown: bool
    hidden: bool


class Pair(Struct, text="{color}/{flag}"):
    """A record for sets."""

    color: Color
    flag: bool


class NodeState(Struct):
    """Has a field of the same name as Other, so that `n1.x` would be two leaves."""

    x: Number
    log: Annotated[Log[Entry], Capacity(2)]


class Other(Struct):
    """See NodeState."""

    x: bool


class Zoo(Protocol):
    """Nothing that makes sense."""

    name: ClassVar[str] = "zoo"
    bounds: ZooBounds

    flag: bool
    maybe_flag: bool | None
    number: Number
    maybe_number: Number | None
    color: Color
    maybe_color: Color | None
    twin: Twin | None
    dash: Dash | None
    node: Node | None
    nodes: Set[Node]
    pairs: Set[Pair]
    entry: Entry | None
    secret: Secretive
    maybe_secret: Secretive | None
    states: Map[Node, NodeState]
    others: Map[Node, Other]
    counts: Map[Node, Map[Color, Number]]
    by_flag: Map[bool, Number | None]
    by_number: Map[Number, Entry]
    by_maybe: Map[Node | None, bool]
    numbers: Annotated[Log[Number], Capacity(3)]
    maybes: Annotated[Log[Color | None], Capacity(2)]
    history: Ghost[Set[Number]]

    @action(by="node", to="producer", says="{node} sets the flag")
    def set_flag(self, node: Node) -> None:
        """Set the flag."""
        require(not self.flag)
        self.flag = True
        self.node = node

    @action
    def nothing(self) -> None:
        """Change nothing at all; nobody does it."""

    @action(by="controller", to="controller", says="")
    def hide(self, secret: Secretive, entry: Entry) -> None:
        """Two instances of this action can have the same label."""
        require(
            self.flag
            and entry.color is not None
        )  # fmt: skip
        self.secret = secret
        self.entry = entry

    @action(by="a lane; with <signs> #1", says="overflow")
    def overflow(self) -> None:
        """Fails where the number is at its highest."""
        require(self.flag)
        self.number += 1

    @invariant
    def no_flag(self) -> bool:
        """The flag is not set."""
        return not self.flag

    @action_property
    def flag_stays_down(self, new: Self) -> bool:
        """The flag is never raised."""
        return self.flag or not new.flag

    @reachable
    def flag_is_set(self) -> bool:
        """The flag is set."""
        return self.flag

    @reachable
    def number_grows(self, new: Self) -> bool:
        """The number grows."""
        return new.number > self.number


def states_of(protocol: Protocol) -> st.SearchStrategy[Codes]:
    """Any state in canonical form, reachable or not."""
    codes = st.tuples(*(st.integers(0, leaf.domain.size - 1) for leaf in protocol.leaves))
    return codes.map(lambda found: tuple(protocol.at(found).codes()))


def traces_of(protocol: Protocol) -> st.SearchStrategy[Trace]:
    """A trace of any states and any steps: what a file may hold, whether or not it can be replayed."""
    steps = st.lists(st.builds(Step, st.sampled_from(protocol.instances), states_of(protocol)), max_size=3)
    facts = st.fixed_dictionaries(
        {},
        optional={"engine": st.just("native"), "seed": st.integers(), "shortest": st.booleans(), "zone": st.just("a")},
    )
    return st.builds(
        Trace, st.just(protocol), states_of(protocol), steps.map(tuple), note=st.text("ab é\n{}\"'\\"), facts=facts
    )


def walk(protocol: Protocol, length: int) -> Trace:
    """A run that takes another of the enabled steps in every state, and stops outside the constraint."""
    codes = initial = protocol.initial_states()[0]
    steps: list[Step] = []
    reading = PythonSemantics(protocol)
    while len(steps) < length and reading.within_constraint(codes) and (enabled := reading.successors(codes)):
        instance, codes = enabled[(7 * len(steps)) % len(enabled)]
        steps.append(Step(instance, codes))
    return Trace(protocol, initial, tuple(steps))
