"""Walking through the reachable states of some rules while watching for steps of interest, with machine code.

The steps that are watched for are compiled into the same program as the steps of the rules, so one call for each state
gives its successors and what is of interest in it. The walk is breadth-first and its answers do not depend on the order
of discovery: an example is at the least depth, and there of the least step and state.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType

from epochal.checker.native.engine import NativeModel
from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.marks import Mark

from ..ir.layout import lay_out
from ..ir.model import CompiledInstance, Model
from ..native.program.program import INSTANCE_BITS
from ..native.stepper import Stepper
from ..search.walk import StateWalk
from .rules import Codes, Rules, StepRule


@dataclass(frozen=True)
class Limits:
    """When a walk ends early: at this moment of `time.monotonic()`, or after this many states."""

    deadline: float | None = None
    max_states: int | None = None


@dataclass(frozen=True)
class Sighting:
    """A watched step: the run that leads to it, as steps of the rules and the states after them, and the step itself.

    `path` begins with the initial state, which no step leads to.
    """

    step: StepRule
    path: tuple[tuple[StepRule | None, Codes], ...]
    after: Codes


@dataclass
class Walk:
    """What a walk has seen. `cut` says why it ended early ("" if it did not)."""

    states: int = 0
    cut: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, Sighting] = field(default_factory=dict)


def walk(protocol: Protocol, model: Model, rules: Rules, watched: Sequence[StepRule], limits: Limits) -> Walk:
    """Visit every state that the rules reach; count, for each action, the watched steps seen from those states.

    `model` gives the graph in which the expressions were made. Raises LanguageError if there are too many steps.
    """
    walker = _Walker(protocol, model, rules, watched, limits)
    walker.run(rules.initial)
    walker.found.states = len(walker.states)
    return walker.found


def _compiled(step: StepRule, number: int) -> CompiledInstance:
    member = without_source(step.key[0], Mark("action"), step.where)
    return CompiledInstance(ActionInstance(number, member, (), ()), (), step.updates, (), step.enabled)


def without_source(action: str, mark: Mark, where: SourceLine) -> Member:
    """The member of a step that is known by its expressions only. It cannot be run in Python."""

    def gone() -> None:
        raise AssertionError("a step without source is not run in Python")

    assert isinstance(gone, FunctionType)
    return Member(action, gone, mark, where)


class _Walker(StateWalk):
    """One walk: the rules, and what was seen of the watched steps."""

    def __init__(
        self, protocol: Protocol, model: Model, rules: Rules, watched: Sequence[StepRule], limits: Limits
    ) -> None:
        self.steps = (*rules.steps, *watched)
        if len(self.steps) >= 1 << INSTANCE_BITS:
            raise LanguageError(f"{len(self.steps):,} steps are too many to compare two specifications")
        self.limits = limits
        instances = tuple(_compiled(step, number) for number, step in enumerate(self.steps))
        layout = lay_out(protocol.leaves)
        program = Model(protocol, model.graph, layout, instances, (), rules.constraint, model.constraint_failures)
        stepper = Stepper(program, NativeModel(program).program)
        super().__init__(stepper, len(rules.steps), rules.constraint is not model.graph.true)
        self.found = Walk()
        self._candidates: dict[str, tuple[int, bytes, int, bytes]] = {}

    def watched(self, place: int, at: int, after: bytes) -> None:
        action, found = self.steps[place].key[0], self.found
        found.counts[action] = found.counts.get(action, 0) + 1
        if action not in found.first:
            candidate = (place, self.states[at], at, after)
            if action not in self._candidates or candidate < self._candidates[action]:
                self._candidates[action] = candidate

    def level_ended(self) -> None:
        for action, (place, _, at, after) in self._candidates.items():
            self.found.first[action] = Sighting(self.steps[place], self._sighted(at), self.stepper.unpacked(after))
        self._candidates.clear()

    def look(self) -> bool:
        limits = self.limits
        if limits.deadline is not None and time.monotonic() >= limits.deadline:
            self.found.cut = "the time budget is spent"
        elif limits.max_states is not None and len(self.states) >= limits.max_states:
            self.found.cut = f"the budget of {limits.max_states:,} states is spent"
        return not self.found.cut

    def _sighted(self, at: int) -> tuple[tuple[StepRule | None, Codes], ...]:
        return tuple((None if place is None else self.steps[place], codes) for place, codes in self.path(at))
