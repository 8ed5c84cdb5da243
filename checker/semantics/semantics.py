"""What every semantics of a specification can do: take steps and check properties, one state at a time.

The searches, the replay of traces and the simulation are written against this. The semantics are the Python one below
and the native one in `checker.native.backend`; tests hold them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

from epochal.spec.language import ActionInstance, Disabled, Member, OutOfBounds, Protocol
from epochal.spec.language.protocol import evaluated

from .properties import is_step_property, promised

Codes = tuple[int, ...]
Truth = bool | None
"""What a semantics says of a condition: None if it cannot be evaluated."""


@dataclass(frozen=True)
class Taken:
    """What an engine says of an instance that is enabled or fails.

    `after` is the state it leads to, None if it cannot be evaluated; `judged` is what the properties of steps say.
    """

    after: Codes | None
    judged: Mapping[str, Truth]


class Answers(ABC):
    """What an engine says of single states, through the code that it searches or proves with."""

    name: str

    @abstractmethod
    def steps(self, codes: Codes) -> Mapping[int, Taken]:
        """Every instance that is enabled or fails in a state, by its number."""

    @abstractmethod
    def judged(self, codes: Codes) -> Mapping[str, Truth]:
        """The properties of single states, by their names."""

    @abstractmethod
    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint."""

    def representative(self, codes: Codes) -> Codes:
        """What a state is replaced by."""
        return codes

    def promised(self, codes: Codes) -> Iterable[tuple[Member, tuple[Any, ...], tuple[bool, bool] | None]]:
        """Premise and goal in a state of each liveness property with each choice of its parameters, and of what says
        where runs may end; None where they cannot be evaluated.
        """
        return ()


State = TypeVar("State", bound=Hashable)
Move = tuple[int, State, int]
"""A step of a walk: the number of its instance, the state after it, and what its walker wants to know of it again."""


class Walker(ABC, Generic[State]):
    """A semantics for walks: steps on states of a form of its own, which can be compared and hashed.

    `pending` are the properties that are checked, by their names; whoever walks takes out what was found.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        self.pending = {member.name: member for member in members}

    def found(self, name: str) -> None:
        """Check this property no more."""
        del self.pending[name]

    @property
    def judges_steps(self) -> bool:
        """Whether a property of steps is pending."""
        return any(is_step_property(member) for member in self.pending.values())

    @abstractmethod
    def state(self, codes: Codes) -> State:
        """A state in the form of this walker."""

    @abstractmethod
    def codes(self, state: State) -> Codes:
        """The codes of such a state."""

    @abstractmethod
    def moves(self, state: State) -> list[Move[State]]:
        """The enabled steps, in the order of the instances. Raises EvaluationError if a rule fails."""

    @abstractmethod
    def shown(self, state: State) -> list[str]:
        """Which pending properties of states this one shows: an invariant by being false, a `reachable` by being true.

        Raises EvaluationError if one of them cannot be evaluated.
        """

    @abstractmethod
    def shown_by(self, before: State, move: Move[State]) -> list[str]:
        """Which pending properties of steps this step shows, likewise."""

    @abstractmethod
    def inside(self, state: State) -> bool:
        """Whether a state lies within the constraint."""

    @abstractmethod
    def evaluate_promises(self, state: State) -> None:
        """Evaluate premise and goal of the liveness properties that are not optional. Raises EvaluationError."""


class Semantics(ABC):
    """One way to evaluate a protocol within bounds. States are given and returned as the codes of their leaves."""

    name: str

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol

    @abstractmethod
    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        """The enabled steps, in the order of the instances. Raises EvaluationError if a rule fails."""

    @abstractmethod
    def taken(self, codes: Codes, instance: ActionInstance) -> Codes | None:
        """The state that one instance leads to, None if it is not enabled; no other instance is looked at.

        Raises EvaluationError if it cannot be evaluated.
        """

    @abstractmethod
    def violated(self, codes: Codes) -> tuple[str, ...]:
        """The ids of the invariants that are false in a state."""

    @abstractmethod
    def violates(self, member: Member, codes: Codes) -> bool:
        """Whether an invariant is false in a state; no other is checked."""

    @abstractmethod
    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        """The ids of the action properties that are false for a step."""

    @abstractmethod
    def step_violates(self, member: Member, codes: Codes, instance: ActionInstance, after: Codes) -> bool:
        """Whether an action property is false for a step; no other is checked."""

    @abstractmethod
    def walker(self, members: Sequence[Member]) -> Walker[Any]:
        """The same for walks of very many steps, on which these properties are checked."""

    def answers(self, members: Sequence[Member]) -> Answers | None:
        """What the cross-check asks of these properties; None of the semantics that it compares with."""
        return None

    @abstractmethod
    def within_constraint(self, codes: Codes) -> bool:
        """Whether the state is to be counted and explored further."""

    @abstractmethod
    def promised(self, member: Member, arguments: tuple[Any, ...], codes: Codes) -> tuple[bool, bool]:
        """Whether premise and goal of a liveness property hold in a state."""

    @abstractmethod
    def stopped(self, codes: Codes, numbers: Collection[int]) -> bool:
        """Whether nothing but a bound keeps one of these instances from being taken in a state."""


class PythonWalker(Walker[Codes]):
    """Walks in the reference: its states are the codes themselves."""

    def __init__(self, reading: PythonSemantics, members: Sequence[Member]) -> None:
        super().__init__(members)
        self._reading, self._protocol = reading, reading.protocol
        self._promises = [
            (member, arguments)
            for member in promised(reading.protocol)
            for arguments in product(*(one.domain.values() for one in reading.protocol.parameters(member.function)))
        ]

    def state(self, codes: Codes) -> Codes:
        return codes

    def codes(self, state: Codes) -> Codes:
        return state

    def moves(self, state: Codes) -> list[Move[Codes]]:
        return [(instance.number, after, 0) for instance, after in self._reading.successors(state)]

    def shown(self, state: Codes) -> list[str]:
        return self._shown(False, self._protocol.at(state))

    def shown_by(self, before: Codes, move: Move[Codes]) -> list[str]:
        return self._shown(True, self._protocol.at(before), self._protocol.at(move[1]))

    def inside(self, state: Codes) -> bool:
        return self._reading.within_constraint(state)

    def evaluate_promises(self, state: Codes) -> None:
        for member, arguments in self._promises:
            self._reading.promised(member, arguments, state)

    def _shown(self, of_steps: bool, *states: Protocol) -> list[str]:
        asked = [member for member in self.pending.values() if is_step_property(member) == of_steps]
        return [m.name for m in asked if bool(evaluated(m.function, *states)) == (m.mark.kind == "reachable")]


class PythonSemantics(Semantics):
    """The reference: the specification's own methods on ordinary Python values."""

    name = "python"

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol)
        self._state = protocol.at(protocol.codes())
        self._new = protocol.at(protocol.codes())
        self._invariants = protocol.members("invariant")
        self._action_properties = protocol.members("action_property")
        self._constraints = protocol.members("constraint")

    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        return list(self.protocol.successors(codes))

    def walker(self, members: Sequence[Member]) -> PythonWalker:
        return PythonWalker(self, members)

    def taken(self, codes: Codes, instance: ActionInstance) -> Codes | None:
        return self.protocol.step(self.protocol.at(codes), instance)

    def violates(self, member: Member, codes: Codes) -> bool:
        return not evaluated(member.function, self.protocol.at(codes))

    def step_violates(self, member: Member, codes: Codes, instance: ActionInstance, after: Codes) -> bool:
        return not evaluated(member.function, self.protocol.at(codes), self.protocol.at(after))

    def violated(self, codes: Codes) -> tuple[str, ...]:
        self._state.load(codes)
        return tuple(p.name for p in self._invariants if not evaluated(p.function, self._state))

    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        self._state.load(codes)
        self._new.load(after)
        return tuple(p.name for p in self._action_properties if not evaluated(p.function, self._state, self._new))

    def within_constraint(self, codes: Codes) -> bool:
        if not self._constraints:
            return True
        self._state.load(codes)
        return all(evaluated(c.function, self._state) for c in self._constraints)

    def promised(self, member: Member, arguments: tuple[Any, ...], codes: Codes) -> tuple[bool, bool]:
        premise, goal = evaluated(member.function, self.protocol.at(codes), *arguments)
        return bool(premise), bool(goal)

    def stopped(self, codes: Codes, numbers: Collection[int]) -> bool:
        for number in numbers:
            instance = self.protocol.instances[number]
            try:
                evaluated(instance.action.function, self.protocol.at(codes), *instance.arguments)
            except OutOfBounds:
                return True
            except Disabled:
                continue
        return False


def evaluate_everything(protocol: Protocol, codes: Codes, members: Sequence[Member]) -> None:
    """Evaluate every rule and these properties on a state and on its steps, in the order of a search.

    Raises the EvaluationError of the first rule that fails.
    """
    reading = PythonSemantics(protocol)
    evaluate_properties(protocol, members, codes)
    for _, after in protocol.successors(codes):
        evaluate_properties(protocol, members, codes, after)
        reading.within_constraint(after)
        evaluate_properties(protocol, members, after)


def evaluate_properties(protocol: Protocol, members: Sequence[Member], *states: Codes) -> None:
    """Evaluate those of these properties that are of a state, or of a step if there are two states. Raises the
    EvaluationError of the first that fails."""
    for member in members:
        if is_step_property(member) == (len(states) > 1):
            evaluated(member.function, *map(protocol.at, states))
