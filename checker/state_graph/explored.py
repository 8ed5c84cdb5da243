"""Every reachable state of a small protocol with every step, in the Python semantics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from epochal.errors import UsageError
from epochal.spec.language import Protocol
from epochal.spec.language.views import told_lines

from ..semantics.semantics import Codes, PythonSemantics
from ..trace.explain import told_between

LIMIT: Final = 200
"""The most states that are drawn unless more are asked for: beyond that nobody reads a picture."""

MOST: Final = 2_000
"""The most that may be asked for."""


class TooManyStates(UsageError):
    """A state space that is too large to be drawn."""


@dataclass(frozen=True)
class State:
    """A state: its number, the one from which the search came to it, and what is false in it.

    `parent` is None for an initial state. `told` is what differs from the parent, of an initial state all of it.
    """

    number: int
    codes: Codes
    parent: int | None
    told: tuple[str, ...]
    violated: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A step from state to state by one instance of an action, and the properties of steps that are false for it."""

    before: int
    after: int
    label: str
    violated: tuple[str, ...]


@dataclass(frozen=True)
class StateGraph:
    """The states in the order of a breadth-first search, and the steps in the order in which it takes them."""

    protocol: Protocol
    states: tuple[State, ...]
    steps: tuple[Step, ...]

    @property
    def violated(self) -> dict[str, int]:
        """The properties that are false somewhere, each with the number of the states and steps where it is."""
        found: dict[str, int] = {}
        for violated in (*(state.violated for state in self.states), *(step.violated for step in self.steps)):
            for name in violated:
                found[name] = found.get(name, 0) + 1
        return found

    @property
    def terminal_states(self) -> frozenset[int]:
        """The numbers of the states from which nothing can happen."""
        return frozenset(range(len(self.states))) - {step.before for step in self.steps}


def explored(protocol: Protocol, limit: int = LIMIT, all_fields: bool = False) -> StateGraph:
    """Every state within the bounds and the state constraint, with its steps.

    Views tell what differs, or with `all_fields` every field does. Raises TooManyStates beyond `limit` states,
    EvaluationError for a rule or a property that fails, LanguageError for a view that does.
    """
    reading = PythonSemantics(protocol)
    parents: dict[Codes, int | None] = {}
    for codes in protocol.initial_states():
        if reading.within_constraint(codes):
            _admit(parents, codes, None, protocol, limit)
    queue, numbers = list(parents), {codes: number for number, codes in enumerate(parents)}
    steps = []
    for number, codes in enumerate(queue):  # which grows meanwhile
        for instance, after in reading.successors(codes):
            if after not in numbers:
                if not reading.within_constraint(after):
                    continue
                _admit(parents, after, number, protocol, limit)
                numbers[after] = len(queue)
                queue.append(after)
            false = reading.violated_by_step(codes, instance, after)
            steps.append(Step(number, numbers[after], instance.label, false))
    states = tuple(
        State(numbers[codes], codes, parent, _told(protocol, queue, codes, parent, all_fields), reading.violated(codes))
        for codes, parent in parents.items()
    )
    return StateGraph(protocol, states, tuple(steps))


def _admit(parents: dict[Codes, int | None], codes: Codes, parent: int | None, protocol: Protocol, limit: int) -> None:
    """Note a state and the one before it. Raises TooManyStates."""
    if codes not in parents and len(parents) == limit:
        bounds = ", ".join(f"{name} {value}" for name, value in protocol.bounds.items()) or "its bounds"
        raise TooManyStates(
            f"{protocol.name} has more than {limit:,} states within {bounds}: nobody can read that as a graph.",
            "Take smaller bounds: replicas, records and epochs multiply ('epochal show' lists the bounds, 'epochal "
            f"check' counts states). --limit draws more, {MOST:,} at most. One run, with what else was possible, is "
            "drawn by 'epochal trace export FILE --to dot'.",
        )
    parents.setdefault(codes, parent)


def _told(
    protocol: Protocol, queue: list[Codes], codes: Codes, parent: int | None, all_fields: bool
) -> tuple[str, ...]:
    if parent is None:
        return tuple(_lines(told_lines(protocol, codes, all_fields)))
    return tuple(str(told) for told in told_between(protocol, queue[parent], codes, all_fields))


def _lines(told: dict[str, str]) -> Iterator[str]:
    return (f"{head}: {text}" for head, text in told.items())
