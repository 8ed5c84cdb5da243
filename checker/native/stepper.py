"""Single states in machine code: the functions that a search runs, called for one state at a time.

Whoever needs single steps uses this: the native backend, the cross-check, and walks that look at each step.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from epochal.spec.language import Member

from ..ir.model import Model
from ..semantics.semantics import Answers, Codes, Taken, Truth
from ..symmetry.canonical import CanonicalForm
from .engine import out_degree
from .llvm.jit import MachineCode
from .program.program import EXTRA_WORDS, FAILED, INSTANCE_BITS, RULE_FAILED
from .runtime.memory import WORD, SuccessorBuffer

INSIDE, FAILS = 1, 2
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
        return None if inside == FAILS else inside == INSIDE


class MachineAnswers(Answers):
    """What the machine code of a search says, of the properties that the search evaluates.

    With a form it is the code of a search of representatives, which has `canonical`.
    """

    def __init__(
        self, name: str, model: Model, code: MachineCode, members: Sequence[Member], form: CanonicalForm | None = None
    ) -> None:
        self.name = name
        self.stepper = Stepper(model, code)
        self._model = model
        self._canonical = code.function("canonical", None, ctypes.c_void_p) if form is not None else None
        asked = {member.name for member in members}
        chosen = [(1 << i, one) for i, one in enumerate(model.properties) if one.member.name in asked]
        self._of_states = {bit: one.member for bit, one in chosen if not one.of_steps}
        self._of_steps = {bit: one.member for bit, one in chosen if one.of_steps}

    def steps(self, codes: Codes) -> Mapping[int, Taken]:
        """Every instance that is enabled or fails in a state, by its number."""
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
        """The properties of single states, by their names."""
        bits, unevaluated = self.stepper.evaluate(codes, sum(self._of_states))
        if not unevaluated:
            return {member.name: _truth(member, bits & bit) for bit, member in self._of_states.items()}
        found: dict[str, Truth] = {}
        for bit, member in self._of_states.items():
            own, fails = self.stepper.evaluate(codes, bit)
            found[member.name] = None if fails else _truth(member, own)
        return found

    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint."""
        return self.stepper.within(codes)

    def representative(self, codes: Codes) -> Codes:
        """What the machine code replaces a state by."""
        if self._canonical is None:
            return codes
        packed = (WORD * self._model.layout.words).from_buffer_copy(self.stepper.packed(codes))
        self._canonical(ctypes.addressof(packed))
        return self.stepper.unpacked(bytes(packed))


def _truth(member: Member, shown: int) -> bool:
    """Whether a property is true, from whether the search is shown what it looks for."""
    return bool(shown) == (member.mark.kind == "reachable")
