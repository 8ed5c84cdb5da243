"""What every reading of a specification can do: take steps and judge properties, one state at a time.

The searches, the replay of traces and the simulation are written against this. The readings are the Python one below
and the native one in `checker.native.reading`; tests hold them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epochal.checker.properties import is_step_property
from epochal.spec.language import ActionInstance, Disabled, Member, OutOfBounds, Protocol
from epochal.spec.language.protocol import evaluated

Codes = tuple[int, ...]
Truth = bool | None
"""What a reading says of a condition: None if it cannot be evaluated."""


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


class Reading(ABC):
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
        """Whether an invariant is false in a state; no other is judged."""

    @abstractmethod
    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        """The ids of the action properties that are false for a step."""

    @abstractmethod
    def step_violates(self, member: Member, codes: Codes, instance: ActionInstance, after: Codes) -> bool:
        """Whether an action property is false for a step; no other is judged."""

    def answers(self, members: Sequence[Member]) -> Answers | None:
        """What the cross-check asks of these properties; None of the reading that it compares with."""
        return None

    @abstractmethod
    def within_constraint(self, codes: Codes) -> bool:
        """Whether the state is to be counted and explored further."""

    @abstractmethod
    def promised(self, member: Member, arguments: tuple[Any, ...], codes: Codes) -> tuple[bool, bool]:
        """Whether premise and goal of a promise hold in a state."""

    @abstractmethod
    def stopped(self, codes: Codes, numbers: Collection[int]) -> bool:
        """Whether nothing but a bound keeps one of these instances from being taken in a state."""


class PythonReading(Reading):
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
    reading = PythonReading(protocol)

    def judge(state: Codes) -> None:
        for member in members:
            if not is_step_property(member):
                evaluated(member.function, protocol.at(state))

    judge(codes)
    for _, after in protocol.successors(codes):
        for member in members:
            if is_step_property(member):
                evaluated(member.function, protocol.at(codes), protocol.at(after))
        reading.within_constraint(after)
        judge(after)
