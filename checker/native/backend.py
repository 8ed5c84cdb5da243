"""Single steps and results by the same machine code that searches run: the native backend."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epochal.spec.language import ActionInstance, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..compile.compiler import compile_protocol
from ..crosscheck.cross_check import disagree_on_property, disagree_on_step
from ..ir.model import CompiledLiveness, Model
from ..semantics.semantics import Answers, Codes, Move, PythonSemantics, Semantics, Taken, Truth, Walker
from ..symmetry.canonical import CanonicalForm
from ..trace.trace import Step
from .engine import NativeModel, out_degree
from .llvm.jit import MachineCode
from .program.program import (
    EXTRA_WORDS,
    FAILED,
    INSTANCE_BITS,
    PROPERTIES_AT_ONCE,
    RULE_FAILED,
    labelled,
    liveness_program_text,
)
from .runtime.memory import WORD, SuccessorBuffer

# -- stepper ----------------------------------------------------------------------------------------------------------
# Single states in machine code: the functions that a search runs, called for one state at a time. Whoever needs single
# steps uses this: the native backend, the cross-check, and walks that look at each step.

INSIDE, CONSTRAINT_FAILS = 1, 2
"""What `within` returns for a state within the constraint, and where that cannot be evaluated."""

PLACE = (1 << INSTANCE_BITS) - 1
"""The bits of a tag that hold the place of an instance in the model."""

FAILURES = INSTANCE_BITS + FAILED
"""A tag shifted down by this is not zero if the action, or a property of the step, cannot be evaluated."""


@dataclass(frozen=True)
class Entry:
    """What `step` says of one instance, by its place in the model: a new state, or that it cannot be evaluated.

    `bits` are those of the pending properties of steps that the step shows; `unevaluated` says that one of them fails.
    """

    place: int
    state: bytes
    fails: bool
    bits: int
    unevaluated: bool


class Stepper:
    """The machine code of a model, called for single states: as codes, or packed as the bytes of their words."""

    def __init__(self, model: Model, code: MachineCode) -> None:
        self.model = model
        self._code = code  # the functions live as long as it does
        words = model.layout.words
        self._buffer = SuccessorBuffer(words, out_degree(model))
        self._state = (WORD * words)()
        self._address, self._size = ctypes.addressof(self._state), ctypes.sizeof(self._state)
        self._words = struct.Struct(f"={words}Q")
        self._entry = struct.Struct(f"={self._size}sQ{ctypes.sizeof(WORD) * (EXTRA_WORDS - 1)}x")
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._step = code.function("step", word, pointer, pointer, word)
        self._judge = code.function("judge", word, pointer, word)
        self._within = code.function("within", word, pointer)

    # -- packed states --------------------------------------------------------------------------------------------

    def packed(self, codes: Codes) -> bytes:
        """A state as the bytes of its words."""
        return self._words.pack(*self.model.layout.pack(codes))

    def unpacked(self, state: bytes) -> Codes:
        """The codes of a state; one more than there are leaves if it has bits that belong to no leaf."""
        codes = self.model.layout.unpack(self._words.unpack(state))
        return codes if self.packed(codes) == state else (*codes, 0)

    def steps(self, state: bytes, pending: int = 0) -> Iterator[tuple[bytes, int]]:
        """The state after each step, and its tag (see `program`); all are computed when this is called.

        `pending` are the bits of the properties of steps that are evaluated.
        """
        ctypes.memmove(self._address, state, self._size)
        made: int = self._step(self._address, self._buffer.address, pending)
        return self._entry.iter_unpack(ctypes.string_at(self._buffer.address, made * self._entry.size))

    def inside(self, state: bytes) -> int:
        """What `within` returns for a state."""
        ctypes.memmove(self._address, state, self._size)
        return int(self._within(self._address))

    def judged(self, state: bytes, pending: int) -> int:
        """What `judge` returns for a state: bits of the pending properties of states, and whether one fails."""
        ctypes.memmove(self._address, state, self._size)
        return int(self._judge(self._address, pending))

    # -- states as codes ------------------------------------------------------------------------------------------

    def entries(self, codes: Codes, pending: int) -> Iterator[Entry]:
        """What `step` says of a state; `pending` are the bits of the properties of steps that it is to evaluate."""
        for after, tag in self.steps(self.packed(codes), pending):
            place, bits = tag & PLACE, tag >> INSTANCE_BITS
            fails, unevaluated = bool(bits >> RULE_FAILED & 1), bool(bits >> FAILED & 1)
            yield Entry(place, after, fails, bits & (1 << FAILED) - 1, unevaluated)

    def evaluate(self, codes: Codes, pending: int) -> tuple[int, bool]:
        """The bits of those properties of states, of the pending ones, that a state shows, and whether one fails."""
        bits = self.judged(self.packed(codes), pending)
        return bits & (1 << FAILED) - 1, bool(bits >> FAILED & 1)

    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint; None if that cannot be evaluated."""
        inside = self.inside(self.packed(codes))
        return None if inside == CONSTRAINT_FAILS else inside == INSIDE


LivenessCode = Sequence[tuple[Sequence[CompiledLiveness], MachineCode]]
"""Liveness properties, up to 64 at a time, with the machine code that says where they wait."""


class MachineAnswers(Answers):
    """What the machine code of a search says, of the properties that the search evaluates.

    With a form it is the code of a search of representatives, which has `canonical`. `liveness` gives liveness
    properties with the code that tells where they wait; it is called when they are first asked about.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        code: MachineCode,
        members: Sequence[Member],
        form: CanonicalForm | None = None,
        liveness: Callable[[], LivenessCode] = lambda: (),
    ) -> None:
        self.name = name
        self._liveness = liveness
        self.stepper = Stepper(model, code)
        self._model = model
        self._canonical = code.function("canonical", None, ctypes.c_void_p) if form is not None else None
        asked = {member.name for member in members}
        chosen = [(1 << i, one) for i, one in enumerate(model.properties) if one.member.name in asked]
        self._of_states = {bit: one.member for bit, one in chosen if not one.of_steps}
        self._of_steps = {bit: one.member for bit, one in chosen if one.of_steps}

    def steps(self, codes: Codes) -> Mapping[int, Taken]:
        made = list(self.stepper.entries(codes, sum(self._of_steps)))
        alone: dict[int, dict[int, Entry]] = {}
        if any(entry.unevaluated for entry in made):
            alone = {bit: {e.place: e for e in self.stepper.entries(codes, bit)} for bit in self._of_steps}
        found = {}
        for entry in made:
            judged: dict[str, Truth] = {}
            for bit, member in self._of_steps.items():
                own = alone[bit][entry.place] if entry.unevaluated else entry
                judged[member.name] = None if own.unevaluated and own is not entry else _truth(member, own.bits & bit)
            number = self._model.instances[entry.place].instance.number
            found[number] = Taken(None if entry.fails else self.stepper.unpacked(entry.state), judged)
        return found

    def judged(self, codes: Codes) -> Mapping[str, Truth]:
        bits, unevaluated = self.stepper.evaluate(codes, sum(self._of_states))
        if not unevaluated:
            return {member.name: _truth(member, bits & bit) for bit, member in self._of_states.items()}
        found: dict[str, Truth] = {}
        for bit, member in self._of_states.items():
            own, fails = self.stepper.evaluate(codes, bit)
            found[member.name] = None if fails else _truth(member, own)
        return found

    def within(self, codes: Codes) -> Truth:
        return self.stepper.within(codes)

    def representative(self, codes: Codes) -> Codes:
        if self._canonical is None:
            return codes
        packed = (WORD * self._model.layout.words).from_buffer_copy(self.stepper.packed(codes))
        self._canonical(ctypes.addressof(packed))
        return self.stepper.unpacked(bytes(packed))

    @cached_property
    def _waiting(self) -> list[tuple[Sequence[CompiledLiveness], list[Callable[[bytes], int]]]]:
        """Up to 64 liveness properties at a time, with what says of a state, bit by bit, which premises and goals hold
        there, and which fail.
        """
        which = ("premises", "goals", "failing")
        return [
            (promises, [code.function(name, WORD, ctypes.c_void_p) for name in which])
            for promises, code in self._liveness()
        ]

    def promised(self, codes: Codes) -> Iterator[tuple[Member, tuple[Any, ...], tuple[bool, bool] | None]]:
        state = self.stepper.packed(codes)
        for promises, functions in self._waiting:
            premises, goals, failing = (function(state) for function in functions)
            for bit, one in enumerate(promises):
                truths = bool(premises >> bit & 1), bool(goals >> bit & 1)
                yield one.member, one.arguments, None if failing >> bit & 1 else truths


def _truth(member: Member, shown: int) -> bool:
    """Whether a property is true, from whether the search is shown what it looks for."""
    return bool(shown) == (member.mark.kind == "reachable")


NATIVE = "native"
FAILS_HERE = ((NATIVE, "cannot be evaluated"), (PythonSemantics.name, "can be evaluated"))
RULE_FAILS = 1 << (INSTANCE_BITS + RULE_FAILED)
UNEVALUATED = 1 << (INSTANCE_BITS + FAILED)
"""The bits of a tag that say that the action, or a property of the step, cannot be evaluated."""


class NativeBackend(Semantics):
    """Steps and properties by machine code. What is not asked for is not evaluated.

    Where machine code cannot evaluate something, the Python semantics words the failure. Raises SemanticsDisagree if it
    has none.
    """

    name = NATIVE

    def __init__(self, protocol: Protocol, model: Model | None = None) -> None:
        super().__init__(protocol)
        self.model = model or compile_protocol(protocol)
        self.native = NativeModel(self.model)
        self.stepper = Stepper(self.model, self.native.program)
        self._last: tuple[Codes, int, list[Entry]] | None = None
        self._compiled: dict[tuple[int, ...], MachineCode] = {}
        self._failing: list[MachineCode] = []
        self.bits = {p.member.name: 1 << i for i, p in enumerate(self.model.properties)}
        kinds = [p.member.mark.kind for p in self.model.properties]
        self._invariants = sum(1 << i for i, kind in enumerate(kinds) if kind == "invariant")
        self._action_properties = sum(1 << i for i, kind in enumerate(kinds) if kind == "action_property")

    def _entries(self, codes: Codes, pending: int) -> list[Entry]:
        if self._last is None or self._last[:2] != (codes, pending):
            self._last = codes, pending, list(self.stepper.entries(codes, pending))
        return self._last[2]

    def _instance(self, entry: Entry) -> ActionInstance:
        return self.model.instances[entry.place].instance

    def tagged_successors(self, codes: Codes, pending: int) -> list[tuple[ActionInstance, Codes, int]]:
        """The enabled steps, each with the bits of those properties of steps, of the pending ones, that it shows.

        A step shows a property that it violates, and a `reachable` that it makes true.
        """
        found = []
        for entry in sorted(self._entries(codes, pending), key=lambda entry: self._instance(entry).number):
            instance = self._instance(entry)
            if entry.fails:
                self._explain_step(codes, instance)
            after = self.stepper.unpacked(entry.state)
            if entry.unevaluated:
                self._explain_step_property(pending, codes, instance, after)
            found.append((instance, after, entry.bits))
        return found

    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        return [(instance, after) for instance, after, _ in self.tagged_successors(codes, 0)]

    def taken(self, codes: Codes, instance: ActionInstance) -> Codes | None:
        own = [e for e in self._entries(codes, 0) if self._instance(e).number == instance.number]
        if any(entry.fails for entry in own):
            self._explain_step(codes, instance)
        return self.stepper.unpacked(own[0].state) if own else None

    def judged(self, codes: Codes, pending: int) -> int:
        """The bits of those properties of states, of the pending ones, that a state shows."""
        bits, unevaluated = self.stepper.evaluate(codes, pending)
        if unevaluated:
            self._explain_property(self._members(pending, of_steps=False), codes, (codes,))
        return bits

    def violated(self, codes: Codes) -> tuple[str, ...]:
        return self._names(self.judged(codes, self._invariants))

    def violates(self, member: Member, codes: Codes) -> bool:
        return bool(self.judged(codes, self.bits[member.name]))

    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        return self._names(self.shown_by_step(codes, instance, after, self._action_properties))

    def step_violates(self, member: Member, codes: Codes, instance: ActionInstance, after: Codes) -> bool:
        return bool(self.shown_by_step(codes, instance, after, self.bits[member.name]))

    def shown_by_step(self, codes: Codes, instance: ActionInstance, after: Codes, pending: int) -> int:
        """The bits of those properties of steps, of the pending ones, that a step shows."""
        for entry in self._entries(codes, pending):
            if self._instance(entry).number == instance.number and self.stepper.unpacked(entry.state) == after:
                if entry.unevaluated:
                    self._explain_step_property(pending, codes, instance, after)
                return entry.bits
        return 0

    def walker(self, members: Sequence[Member]) -> NativeWalker:
        return NativeWalker(self, members)

    def answers(self, members: Sequence[Member]) -> MachineAnswers:
        return MachineAnswers(self.name, self.model, self.native.program, members)

    def within_constraint(self, codes: Codes) -> bool:
        inside = self.stepper.within(codes)
        if inside is None:
            PythonSemantics(self.protocol).within_constraint(codes)
            raise disagree_on_property(self.protocol, codes, self.protocol.members("constraint")[0], FAILS_HERE)
        return inside

    def promised(self, member: Member, arguments: tuple[Any, ...], codes: Codes) -> tuple[bool, bool]:
        code = self._promises(member, arguments)
        state = self._words(codes)
        premise, goal, fails = (
            bool(code.function(name, WORD, ctypes.c_void_p)(state)) for name in ("premises", "goals", "failing")
        )
        if fails:
            PythonSemantics(self.protocol).promised(member, arguments, codes)
            raise disagree_on_property(self.protocol, codes, member, FAILS_HERE, arguments=arguments)
        return premise, goal

    def stopped(self, codes: Codes, numbers: Collection[int]) -> bool:
        instances = labelled(self.model)
        by = (WORD * len(instances))(*(one.instance.number in numbers for one in instances))
        code = self._promises(None, ())
        found = code.function("stopped", WORD, ctypes.c_void_p, ctypes.c_void_p)(self._words(codes), by)
        return bool(found)

    def promises_that_may_fail(self) -> Sequence[tuple[Sequence[CompiledLiveness], Callable[[Any], int]]]:
        """The liveness properties that cannot be evaluated in every typed state, and what says of a state where: a bit
        for each.

        Where no index and no value can leave its domain there are none, and nothing is compiled.
        """
        found, suspect = [], [one for one in self.model.promised if one.failures]
        for some in (suspect[at : at + PROPERTIES_AT_ONCE] for at in range(0, len(suspect), PROPERTIES_AT_ONCE)):
            text = liveness_program_text(self.model, some, ())
            self._failing.append(self.native.compiler.load(self.native.compiler.compile(text, 0, False)))
            found.append((some, self._failing[-1].function("failing", WORD, ctypes.c_void_p)))
        return found

    def words_of(self, state: bytes) -> ctypes.Array[ctypes.c_uint64]:
        """The words of a state that is given by their bytes, for what machine code reads."""
        return (WORD * self.model.layout.words).from_buffer_copy(state)

    def _words(self, codes: Codes) -> ctypes.Array[ctypes.c_uint64]:
        return (WORD * self.model.layout.words)(*self.model.layout.pack(codes))

    def _promises(self, member: Member | None, arguments: tuple[Any, ...]) -> MachineCode:
        """The code of one liveness property, or of what bounds stop."""
        asked = None if member is None else (member.name, arguments)  # a map, of which nobody makes a hash, may be one
        key = tuple(i for i, p in enumerate(self.model.promises) if (p.member.name, p.arguments) == asked)
        if key not in self._compiled:
            wanted = [self.model.promises[i] for i in key]
            fair = {one.instance.number for one in labelled(self.model)} if member is None else set[int]()
            text = liveness_program_text(self.model, wanted, fair)
            self._compiled[key] = self.native.compiler.load(self.native.compiler.compile(text, 0, False))
        return self._compiled[key]

    def _names(self, bits: int) -> tuple[str, ...]:
        return tuple(p.member.name for i, p in enumerate(self.model.properties) if bits >> i & 1)

    def _members(self, pending: int, of_steps: bool) -> list[Member]:
        return [p.member for i, p in enumerate(self.model.properties) if pending >> i & 1 and p.of_steps == of_steps]

    def _explain_step(self, codes: Codes, instance: ActionInstance) -> None:
        """Raise the failure of an instance as the Python semantics words it."""
        self.protocol.step(self.protocol.at(codes), instance)
        raise disagree_on_step(self.protocol, codes, instance, FAILS_HERE)

    def _explain_step_property(self, pending: int, codes: Codes, instance: ActionInstance, after: Codes) -> None:
        members = self._members(pending, of_steps=True)
        self._explain_property(members, codes, (codes, after), Step(instance, after))

    def _explain_property(
        self, members: list[Member], codes: Codes, views: tuple[Codes, ...], step: Step | None = None
    ) -> None:
        """Raise the failure of a property as the Python semantics words it."""
        for member in members:
            evaluated(member.function, *(self.protocol.at(view) for view in views))
        raise disagree_on_property(self.protocol, codes, members[0], FAILS_HERE, step)


class NativeWalker(Walker[bytes]):
    """Walks in machine code: states are the bytes of their words, and are unpacked only to be told.

    What fails is evaluated once more by the semantics, which words it.
    """

    def __init__(self, reading: NativeBackend, members: Sequence[Member]) -> None:
        super().__init__(members)
        self._reading, self._stepper = reading, reading.stepper
        self._numbers = [compiled.instance.number for compiled in reading.model.instances]
        self._constrained = bool(reading.protocol.members("constraint"))
        asked = [one for one in reading.model.properties if one.member.name in self.pending]
        self._of_states = {reading.bits[one.member.name]: one.member.name for one in asked if not one.of_steps}
        self._of_steps = {reading.bits[one.member.name]: one.member.name for one in asked if one.of_steps}
        self._states, self._steps = sum(self._of_states), sum(self._of_steps)
        self._may_fail = reading.promises_that_may_fail()

    @property
    def judges_steps(self) -> bool:
        return bool(self._steps)

    def found(self, name: str) -> None:
        super().found(name)
        bit = self._reading.bits[name]
        self._states, self._steps = self._states & ~bit, self._steps & ~bit

    def state(self, codes: Codes) -> bytes:
        return self._stepper.packed(codes)

    def codes(self, state: bytes) -> Codes:
        return self._stepper.unpacked(state)

    def moves(self, state: bytes) -> list[Move[bytes]]:
        numbers = self._numbers
        found = [(numbers[tag & PLACE], after, tag) for after, tag in self._stepper.steps(state, self._steps)]
        if any(tag & RULE_FAILS for _, _, tag in found):
            self._reading.successors(self.codes(state))
        found.sort()
        return found

    def shown(self, state: bytes) -> list[str]:
        if not self._states:
            return []
        bits = self._stepper.judged(state, self._states)
        if bits >> FAILED:
            self._reading.judged(self.codes(state), self._states)
        return [name for bit, name in self._of_states.items() if bits & bit] if bits else []

    def shown_by(self, before: bytes, move: Move[bytes]) -> list[str]:
        number, after, tag = move
        if tag & UNEVALUATED:
            instance = self._reading.protocol.instances[number]
            self._reading.shown_by_step(self.codes(before), instance, self.codes(after), self._steps)
        bits = tag >> INSTANCE_BITS & self._steps  # another step from the same state may have shown some meanwhile
        return [name for bit, name in self._of_steps.items() if bits & bit] if bits else []

    def inside(self, state: bytes) -> bool:
        if not self._constrained or self._stepper.inside(state) == INSIDE:
            return True
        return self._reading.within_constraint(self.codes(state))

    def evaluate_promises(self, state: bytes) -> None:
        for promises, failing in self._may_fail:
            bits = failing(self._reading.words_of(state))
            for place, one in enumerate(promises):
                if bits >> place & 1:
                    self._reading.promised(one.member, one.arguments, self.codes(state))
