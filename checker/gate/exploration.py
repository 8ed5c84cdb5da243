"""Walking through the reachable states of some rules while watching for steps of interest, with machine code.

The steps that are watched for are compiled into the same program as the steps of the rules, so one call for each state
gives its successors and what is of interest in it. The walk is breadth-first and its answers do not depend on the order
of discovery: an example is at the least depth, and there of the least step and state.
"""

from __future__ import annotations

import ctypes
import struct
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType

from epochal.checker.native.engine import NativeModel
from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.marks import Mark

from ..ir.layout import lay_out
from ..ir.model import CompiledInstance, Model
from ..native.program.program import EXTRA_WORDS, FAILED, INSTANCE_BITS
from ..native.runtime.context import WORD, SuccessorBuffer
from .rules import Codes, Rules, StepRule

NO_PARENT = (1 << 32) - 1
CLOCK_EVERY = 1024
INDEX_MASK = (1 << INSTANCE_BITS) - 1
FAILURES = INSTANCE_BITS + FAILED


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
    return _Walker(protocol, model, rules, watched, limits).run()


def _compiled(step: StepRule, number: int) -> CompiledInstance:
    member = without_source(step.key[0], Mark("action"), step.where)
    return CompiledInstance(ActionInstance(number, member, (), ()), (), step.updates, (), step.enabled)


def without_source(action: str, mark: Mark, where: SourceLine) -> Member:
    """The member of a step that is known by its expressions only. It cannot be run in Python."""

    def gone() -> None:
        raise AssertionError("a step without source is not run in Python")

    assert isinstance(gone, FunctionType)
    return Member(action, gone, mark, where)


class _Walker:
    """One walk: the program, and the states found so far as packed bytes."""

    def __init__(
        self, protocol: Protocol, model: Model, rules: Rules, watched: Sequence[StepRule], limits: Limits
    ) -> None:
        self.steps = (*rules.steps, *watched)
        self.own = len(rules.steps)
        if len(self.steps) >= 1 << INSTANCE_BITS:
            raise LanguageError(f"{len(self.steps):,} steps are too many to compare two specifications")
        self.rules, self.limits = rules, limits
        self.layout = lay_out(protocol.leaves)
        instances = tuple(_compiled(step, number) for number, step in enumerate(self.steps))
        native = NativeModel(
            Model(protocol, model.graph, self.layout, instances, (), rules.constraint, model.constraint_failures)
        )
        self.native = native
        self.buffer = SuccessorBuffer(self.layout.words, native.out_degree)
        self.state = (WORD * self.layout.words)()
        self.size = 8 * self.layout.words
        self.entry = struct.Struct(f"<{self.size}sQ{8 * (EXTRA_WORDS - 1)}x")
        self.order: list[bytes] = []
        self.known: set[bytes] = set()
        self.parents, self.taken = array("I"), array("H")
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._step = native.program.function("step", word, pointer, pointer, word)
        self._within = native.program.function("within", word, pointer)
        self.constrained = rules.constraint is not model.graph.true

    def run(self) -> Walk:
        """Visit level after level."""
        found = Walk()
        for codes in self.rules.initial:
            self._admit(struct.pack(f"<{self.layout.words}Q", *self.layout.pack(codes)), NO_PARENT, 0)
        begin = 0
        while begin < len(self.order) and not found.cut:
            end = len(self.order)
            begin = self._level(begin, end, found)
        found.states = len(self.order)
        return found

    def _level(self, begin: int, end: int, found: Walk) -> int:
        """Expand the states from `begin` to `end`."""
        address, out = ctypes.addressof(self.state), self.buffer.address
        raw = memoryview(self.buffer.array).cast("B")
        size, unpack, known, order = self.entry.size, self.entry.iter_unpack, self.known, self.order
        seen: dict[str, tuple[int, bytes, int, bytes]] = {}
        for at in range(begin, end):
            if at % CLOCK_EVERY == 0 and (cut := self._spent()):
                found.cut = cut
                break
            before = order[at]
            ctypes.memmove(address, before, self.size)
            made = self._step(address, out, 0)
            for after, tag in unpack(bytes(raw[: made * size])):
                index = tag & INDEX_MASK
                if tag >> FAILURES:
                    continue
                if index >= self.own:
                    action = self.steps[index].key[0]
                    found.counts[action] = found.counts.get(action, 0) + 1
                    if action not in found.first:
                        candidate = (index, before, at, after)
                        if action not in seen or candidate < seen[action]:
                            seen[action] = candidate
                elif after not in known:
                    self._admit(after, at, index)
        for action, (index, _, at, after) in seen.items():
            found.first[action] = Sighting(self.steps[index], self._path(at), self._codes(after))
        return end

    def _spent(self) -> str:
        if self.limits.deadline is not None and time.monotonic() >= self.limits.deadline:
            return "the time budget is spent"
        if self.limits.max_states is not None and len(self.order) >= self.limits.max_states:
            return f"the budget of {self.limits.max_states:,} states is spent"
        return ""

    def _admit(self, words: bytes, parent: int, index: int) -> None:
        if self.constrained:
            ctypes.memmove(ctypes.addressof(self.state), words, self.size)
            if self._within(ctypes.addressof(self.state)) != 1:
                return
        self.known.add(words)
        self.order.append(words)
        self.parents.append(parent)
        self.taken.append(index)

    def _codes(self, words: bytes) -> Codes:
        return self.layout.unpack(struct.unpack(f"<{self.layout.words}Q", words))

    def _path(self, at: int) -> tuple[tuple[StepRule | None, Codes], ...]:
        path: list[tuple[StepRule | None, Codes]] = []
        while self.parents[at] != NO_PARENT:
            path.append((self.steps[self.taken[at]], self._codes(self.order[at])))
            at = self.parents[at]
        path.append((None, self._codes(self.order[at])))
        return tuple(reversed(path))
