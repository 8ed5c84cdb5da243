"""Single states in machine code: the functions that a search runs, called for one state at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from epochal.spec.language import Member

from ..ir.model import Model
from ..reading import Answers, Codes, Taken, Truth
from ..symmetry.canonical import CanonicalForm
from .llvm.jit import MachineCode
from .program.program import FAILED, INSTANCE_BITS, RULE_FAILED
from .runtime.context import WORD, SuccessorBuffer

INSIDE, FAILS = 1, 2
"""What `within` returns for a state within the constraint, and where that cannot be evaluated."""


@dataclass(frozen=True)
class Entry:
    """What `step` says of one instance, by its place in the model: a new state, or that it cannot be evaluated.

    `bits` are those of the open properties of steps that the step shows; `unjudged` says that one of them fails.
    """

    place: int
    words: tuple[int, ...]
    fails: bool
    bits: int
    unjudged: bool


class SingleStates:
    """The machine code of a model, called for single states."""

    def __init__(self, model: Model, code: MachineCode) -> None:
        self.model = model
        self._code = code  # the functions live as long as it does
        out_degree = sum(1 + len(compiled.failures) for compiled in model.instances)
        self._buffer = SuccessorBuffer(model.layout.words, out_degree)
        self._state = (WORD * model.layout.words)()
        self._address = ctypes.addressof(self._state)
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._step = code.function("step", word, pointer, pointer, word)
        self._judge = code.function("judge", word, pointer, word)
        self._within = code.function("within", word, pointer)

    def _load(self, codes: Codes) -> int:
        self._state[:] = list(self.model.layout.pack(codes))
        return self._address

    def entries(self, codes: Codes, open: int) -> Iterator[Entry]:
        """What `step` says of a state; `open` are the bits of the properties of steps that it is to judge."""
        made: int = self._step(self._load(codes), self._buffer.address, open)
        for entry in range(made):
            tag = self._buffer.tag(entry)
            place, bits = tag & (1 << INSTANCE_BITS) - 1, tag >> INSTANCE_BITS
            fails, unjudged = bool(bits >> RULE_FAILED & 1), bool(bits >> FAILED & 1)
            yield Entry(place, self._buffer.state(entry), fails, bits & (1 << FAILED) - 1, unjudged)

    def judge(self, codes: Codes, open: int) -> tuple[int, bool]:
        """The bits of those properties of states, of the `open` ones, that a state shows, and whether one fails."""
        bits: int = self._judge(self._load(codes), open)
        return bits & (1 << FAILED) - 1, bool(bits >> FAILED & 1)

    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint; None if that cannot be evaluated."""
        inside: int = self._within(self._load(codes))
        return None if inside == FAILS else inside == INSIDE

    def codes(self, words: Sequence[int]) -> Codes:
        """The codes of a state; one more than there are leaves if it has bits that belong to no leaf."""
        codes = self.model.layout.unpack(words)
        return codes if self.model.layout.pack(codes) == tuple(words) else (*codes, 0)


class MachineAnswers(Answers):
    """What the machine code of a search says, of the properties that the search judges.

    With a form it is the code of a search of representatives, which has `canonical`.
    """

    def __init__(
        self, name: str, model: Model, code: MachineCode, members: Sequence[Member], form: CanonicalForm | None = None
    ) -> None:
        self.name = name
        self.single = SingleStates(model, code)
        self._model = model
        self._canonical = code.function("canonical", None, ctypes.c_void_p) if form is not None else None
        asked = {member.name for member in members}
        chosen = [(1 << i, one) for i, one in enumerate(model.properties) if one.member.name in asked]
        self._of_states = {bit: one.member for bit, one in chosen if not one.of_steps}
        self._of_steps = {bit: one.member for bit, one in chosen if one.of_steps}

    def steps(self, codes: Codes) -> Mapping[int, Taken]:
        """Every instance that is enabled or fails in a state, by its number."""
        made = list(self.single.entries(codes, sum(self._of_steps)))
        alone: dict[int, dict[int, Entry]] = {}
        if any(entry.unjudged for entry in made):
            alone = {bit: {e.place: e for e in self.single.entries(codes, bit)} for bit in self._of_steps}
        found = {}
        for entry in made:
            judged: dict[str, Truth] = {}
            for bit, member in self._of_steps.items():
                own = alone[bit][entry.place] if entry.unjudged else entry
                judged[member.name] = None if own.unjudged and own is not entry else _truth(member, own.bits & bit)
            number = self._model.instances[entry.place].instance.number
            found[number] = Taken(None if entry.fails else self.single.codes(entry.words), judged)
        return found

    def judged(self, codes: Codes) -> Mapping[str, Truth]:
        """The properties of single states, by their names."""
        bits, unjudged = self.single.judge(codes, sum(self._of_states))
        if not unjudged:
            return {member.name: _truth(member, bits & bit) for bit, member in self._of_states.items()}
        found: dict[str, Truth] = {}
        for bit, member in self._of_states.items():
            own, fails = self.single.judge(codes, bit)
            found[member.name] = None if fails else _truth(member, own)
        return found

    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint."""
        return self.single.within(codes)

    def representative(self, codes: Codes) -> Codes:
        """What the machine code replaces a state by."""
        if self._canonical is None:
            return codes
        words = (WORD * self._model.layout.words)(*self._model.layout.pack(codes))
        self._canonical(ctypes.addressof(words))
        return self.single.codes(tuple(words))


def _truth(member: Member, shown: int) -> bool:
    """Whether a property is true, from whether the search is shown what it looks for."""
    return bool(shown) == (member.mark.kind == "reachable")
