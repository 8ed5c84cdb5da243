"""Which of some states can be reached, and after how many steps: a breadth-first search to a number of states.

It runs the compiled steps of the specification from a loop in Python, some hundred thousand steps a second, and judges
no property: enough to tell whether the state of a counterexample to induction is one that can happen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..ir.model import Model
from ..native.engine import NativeModel
from ..native.program.program import FAILED, INSTANCE_BITS
from ..native.runtime.context import WORD, SuccessorBuffer
from ..reading import Codes
from .initial import initial_states

REPORT_EVERY = 4096


@dataclass(frozen=True)
class Reach:
    """What the search found: the least number of steps to each wanted state that was reached.

    `states` were seen; `exhaustive` tells whether they are all within the bounds.
    """

    steps: dict[Codes, int]
    states: int
    exhaustive: bool


def reach(
    model: Model, wanted: Sequence[Codes], max_states: int, progress: Callable[[int], None] | None = None
) -> Reach:
    """Search for the wanted states until all are found, every state is seen, or `max_states` are.

    A step that cannot be evaluated is not taken. `progress` is called with the number of states now and then.
    """
    steps = _Steps(model)
    open = {steps.packed(codes): codes for codes in wanted}
    found: dict[Codes, int] = {}
    level = list(dict.fromkeys(steps.packed(codes) for codes in initial_states(model.protocol)))
    seen = set(level)
    depth = 0
    while level:
        for state in level:
            if state in open:
                found[open.pop(state)] = depth
        if not open:
            return Reach(found, len(seen), exhaustive=False)
        following: list[bytes] = []
        for state in level:
            for after in steps.after(state):
                if after in seen or not steps.within(after):
                    continue
                if len(seen) >= max_states:
                    found |= {open[one]: depth + 1 for one in following if one in open}
                    return Reach(found, len(seen), exhaustive=False)
                seen.add(after)
                following.append(after)
                if progress is not None and len(seen) % REPORT_EVERY == 0:
                    progress(len(seen))
        level, depth = following, depth + 1
    return Reach(found, len(seen), exhaustive=True)


class _Steps:
    """The compiled steps, on states as the bytes of their words."""

    def __init__(self, model: Model) -> None:
        self.layout = model.layout
        native = NativeModel(model)
        self._buffer = SuccessorBuffer(self.layout.words, native.out_degree)
        self._state = (WORD * self.layout.words)()
        self._code = native.program  # the functions live as long as it does
        self._step = self._code.function("step", ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
        self._within = self._code.function("within", ctypes.c_uint64, ctypes.c_void_p)
        self._constrained = bool(model.protocol.members("constraint"))

    def packed(self, codes: Codes) -> bytes:
        """A state as bytes."""
        return bytes((WORD * self.layout.words)(*self.layout.pack(codes)))

    def after(self, state: bytes) -> Iterator[bytes]:
        """The states one step later."""
        ctypes.memmove(self._state, state, len(state))
        made = self._step(ctypes.addressof(self._state), self._buffer.address, 0)
        entry, words = self._buffer.entry_words * ctypes.sizeof(WORD), len(state)
        stored = ctypes.string_at(self._buffer.address, made * entry)
        for at in range(0, made * entry, entry):
            tag = int.from_bytes(stored[at + words : at + words + ctypes.sizeof(WORD)], "little")
            if not tag >> (INSTANCE_BITS + FAILED):
                yield stored[at : at + words]

    def within(self, state: bytes) -> bool:
        """Whether a state lies within the constraint of the specification."""
        if not self._constrained:
            return True
        ctypes.memmove(self._state, state, len(state))
        return bool(self._within(ctypes.addressof(self._state)) == 1)
