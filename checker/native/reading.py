"""The native reading: single steps and judgements by the same machine code that searches run."""

from __future__ import annotations

import ctypes

from checker.compile.model import Model, compile_protocol
from checker.reading import Codes, PythonReading, Reading
from spec.language import ActionInstance, EvaluationError, Protocol

from .engine import WORD, NativeModel, SuccessorBuffer
from .program import FAILED, INSTANCE_BITS

ALL_OPEN = (1 << FAILED) - 1


class NativeReading(Reading):
    """Steps and properties by machine code."""

    name = "native"

    def __init__(self, protocol: Protocol, model: Model | None = None) -> None:
        super().__init__(protocol)
        self.model = model or compile_protocol(protocol)
        self._native = NativeModel(self.model)
        self._buffer = SuccessorBuffer(self._native, 1)
        self._state = (WORD * self.model.layout.words)()
        self._last: tuple[Codes, list[tuple[ActionInstance, Codes, int]]] | None = None
        code = self._native.program
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._step = code.function("step", word, pointer, pointer, word)
        self._judge = code.function("judge", word, pointer, word)
        self._within = code.function("within", word, pointer)

    def _load(self, codes: Codes) -> int:
        self._state[:] = list(self.model.layout.pack(codes))
        return ctypes.addressof(self._state)

    def tagged_successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes, int]]:
        """The enabled steps with the bits of the step properties that each violates or shows."""
        if self._last is not None and self._last[0] == codes:
            return self._last[1]
        made = self._step(self._load(codes), self._buffer.address, ALL_OPEN)
        found = []
        for entry in range(made):
            tag = self._buffer.tag(entry)
            index, bits = tag & (1 << INSTANCE_BITS) - 1, tag >> INSTANCE_BITS
            if bits >> FAILED & 1:
                self._explain(codes)
            after = self.model.layout.unpack(self._buffer.state(entry))
            found.append((self.model.instances[index].instance, after, bits))
        found.sort(key=lambda step: step[0].number)
        self._last = (codes, found)
        return found

    def successors(self, codes: Codes) -> list[tuple[ActionInstance, Codes]]:
        return [(instance, after) for instance, after, _ in self.tagged_successors(codes)]

    def violated(self, codes: Codes) -> tuple[str, ...]:
        bits = self._judged(codes)
        return tuple(
            p.member.name
            for i, p in enumerate(self.model.properties)
            if p.member.mark.kind == "invariant" and bits >> i & 1
        )

    def _judged(self, codes: Codes) -> int:
        """The bits of the properties of states that a state violates or shows."""
        bits: int = self._judge(self._load(codes), ALL_OPEN)
        if bits >> FAILED & 1:
            self._explain(codes)
        return bits

    def violated_by_step(self, codes: Codes, instance: ActionInstance, after: Codes) -> tuple[str, ...]:
        for taken, reached, bits in self.tagged_successors(codes):
            if taken.number == instance.number and reached == after:
                return tuple(
                    p.member.name
                    for i, p in enumerate(self.model.properties)
                    if p.member.mark.kind == "action_property" and bits >> i & 1
                )
        return ()

    def within_constraint(self, codes: Codes) -> bool:
        inside: int = self._within(self._load(codes))
        if inside == 2:
            self._explain(codes)
        return inside == 1

    def _explain(self, codes: Codes) -> None:
        """Raise the failure as the Python reading words it."""
        python = PythonReading(self.protocol)
        python.violated(codes)
        python.within_constraint(codes)
        for instance, after in python.successors(codes):
            python.violated_by_step(codes, instance, after)
        raise EvaluationError("a rule could not be evaluated, but the Python reading evaluates it")
