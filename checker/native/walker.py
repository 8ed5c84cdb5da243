"""Walks in machine code: states are the bytes of their words, and are unpacked only to be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epochal.checker.reading import Codes, Move, Walker
from epochal.spec.language import Member

from .program.program import FAILED, INSTANCE_BITS, RULE_FAILED
from .stepper import INSIDE, PLACE

if TYPE_CHECKING:
    from .reading import NativeReading

RULE_FAILS = 1 << (INSTANCE_BITS + RULE_FAILED)
UNEVALUATED = 1 << (INSTANCE_BITS + FAILED)


class NativeWalker(Walker[bytes]):
    """What fails is evaluated once more by the reading, which words it."""

    def __init__(self, reading: NativeReading, members: Sequence[Member]) -> None:
        super().__init__(members)
        self._reading, self._stepper = reading, reading.stepper
        self._numbers = [compiled.instance.number for compiled in reading.model.instances]
        self._constrained = bool(reading.protocol.members("constraint"))
        asked = [one for one in reading.model.properties if one.member.name in self.pending]
        self._of_states = {reading.bits[one.member.name]: one.member.name for one in asked if not one.of_steps}
        self._of_steps = {reading.bits[one.member.name]: one.member.name for one in asked if one.of_steps}
        self._states, self._steps = sum(self._of_states), sum(self._of_steps)

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
        bits = tag >> INSTANCE_BITS
        if not bits:
            return []
        if tag & UNEVALUATED:
            instance = self._reading.protocol.instances[number]
            self._reading.shown_by_step(self.codes(before), instance, self.codes(after), self._steps)
        return [name for bit, name in self._of_steps.items() if bits & bit]

    def inside(self, state: bytes) -> bool:
        if not self._constrained or self._stepper.inside(state) == INSIDE:
            return True
        return self._reading.within_constraint(self.codes(state))
