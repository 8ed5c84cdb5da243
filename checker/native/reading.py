"""The native reading: single steps and judgements by the same machine code that searches run."""

from __future__ import annotations

import ctypes
from typing import NoReturn

from checker.compile.model import Model, compile_protocol
from checker.reading import Codes, PythonReading, Reading
from spec.language import ActionInstance, Member, Protocol
from spec.language.protocol import evaluated

from .context import WORD, SuccessorBuffer
from .engine import NativeModel
from .program import FAILED, INSTANCE_BITS

UNEXPLAINED = "a rule fails in machine code, but not in the Python reading"


class NativeReading(Reading):
    """Steps and properties by machine code. What is not asked for is not evaluated."""

    name = "native"

    def __init__(self, protocol: Protocol, model: Model | None = None) -> None:
        super().__init__(protocol)
        self.model = model or compile_protocol(protocol)
        self._native = NativeModel(self.model)
        self._buffer = SuccessorBuffer(self.model.layout.words, self._native.out_degree)
        self._state = (WORD * self.model.layout.words)()
        self._last: tuple[Codes, int, list[tuple[ActionInstance, Codes, int]]] | None = None
        kinds = [p.member.mark.kind for p in self.model.properties]
        self._invariants = sum(1 << i for i, kind in enumerate(kinds) if kind == "invariant")
        self._action_properties = sum(1 << i for i, kind in enumerate(kinds) if kind == "action_property")
        code = self._native.program
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._step = code.function("step", word, pointer, pointer, word)
        self._judge = code.function("judge", word, pointer, word)
        self._within = code.function("within", word, pointer)

    def _load(self, codes: Codes) -> int:
        self._state[:] = list(self.model.layout.pack(codes))
        return ctypes.addressof(self._state)

    def tagged_successors(self, codes: Codes, open: int) -> list[tuple[ActionInstance, Codes, int]]:
        """The enabled steps, each with the bits of those properties of steps, of the `open` ones, that it shows.

        A step shows a property that it violates, and a `reachable` that it makes true.
        """
        if self._last is not None and self._last[:2] == (codes, open):
            return self._last[2]
        made = self._step(self._load(codes), self._buffer.address, open)
        found = []
        for entry in range(made):
            tag = self._buffer.tag(entry)
            index, bits = tag & (1 << INSTANCE_BITS) - 1, tag >> INSTANCE_BITS
            if bits >> FAILED:
                self._explain_steps(codes, open)
            after = self.model.layout.unpack(self._buffer.state(entry))
            found.append((self.model.instances[index].instance, after, bits))
        found.sort(key=lambda step: step[0].number)
        self._last = (codes, open, found)
        return found

    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        return [(instance, after) for instance, after, _ in self.tagged_successors(codes, 0)]

    def judged(self, codes: Codes, open: int) -> int:
        """The bits of those properties of states, of the `open` ones, that a state shows."""
        bits: int = self._judge(self._load(codes), open)
        if bits >> FAILED & 1:
            for member in self._members(open, of_steps=False):
                evaluated(member.function, self.protocol.at(codes))
            raise AssertionError(UNEXPLAINED)
        return bits

    def violated(self, codes: Codes) -> tuple[str, ...]:
        return self._names(self.judged(codes, self._invariants))

    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        for taken, reached, bits in self.tagged_successors(codes, self._action_properties):
            if taken.number == instance.number and reached == after:
                return self._names(bits)
        return ()

    def within_constraint(self, codes: Codes) -> bool:
        inside: int = self._within(self._load(codes))
        if inside == 2:
            PythonReading(self.protocol).within_constraint(codes)
            raise AssertionError(UNEXPLAINED)
        return inside == 1

    def _names(self, bits: int) -> tuple[str, ...]:
        return tuple(p.member.name for i, p in enumerate(self.model.properties) if bits >> i & 1)

    def _members(self, open: int, of_steps: bool) -> list[Member]:
        return [p.member for i, p in enumerate(self.model.properties) if open >> i & 1 and p.of_steps == of_steps]

    def _explain_steps(self, codes: Codes, open: int) -> NoReturn:
        """Raise the failure of a step, or of a property of it, as the Python reading words it."""
        for _, after in self.protocol.successors(codes):
            for member in self._members(open, of_steps=True):
                evaluated(member.function, self.protocol.at(codes), self.protocol.at(after))
        raise AssertionError(UNEXPLAINED)
