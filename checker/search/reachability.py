"""Which of some states can be reached, and after how many steps: a breadth-first search to a number of states.

That is enough to tell whether the state of a counterexample to induction is one that can happen, and if not, which
state that can is most like it. Every state is kept in Python's memory: some hundred thousand steps a second.
`breadth_first` is for millions of states.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..ir.layout import Layout
from ..ir.model import Model
from ..native.backend import FAILURES, INSIDE, Stepper
from ..native.engine import NativeModel
from ..semantics.semantics import Codes
from .findings import initial_states

REPORT_EVERY = 4096


@dataclass(frozen=True)
class Reach:
    """What the search found: the least number of steps to each wanted state that was reached.

    `states` were seen; `exhaustive` tells whether they are all within the bounds. `nearest` has of wanted states that
    were not reached the one that was which differs from it in the fewest leaves, and of several the first.
    """

    steps: dict[Codes, int]
    states: int
    exhaustive: bool
    nearest: dict[Codes, Codes] = field(default_factory=dict)


def reach(
    model: Model,
    wanted: Sequence[Codes],
    max_states: int,
    progress: Callable[[int], None] | None = None,
    compared: Collection[Codes] = (),
) -> Reach:
    """Search for the wanted states until all are found, every state is seen, or `max_states` are.

    A step that cannot be evaluated is not taken, and a state outside the constraint is not entered. `progress` is
    called with the number of states now and then. Of wanted states that are `compared`, the nearest is looked for.
    """
    found, stepper, known = _reach(model, wanted, max_states, progress)
    nearest = {
        codes: stepper.unpacked(_nearest(model.layout, stepper.packed(codes), known, stepper))
        for codes in sorted(set(compared) - found.steps.keys())
    }
    return replace(found, nearest=nearest)


def _reach(
    model: Model, wanted: Sequence[Codes], max_states: int, progress: Callable[[int], None] | None
) -> tuple[Reach, Stepper, dict[bytes, None]]:
    """The search, and the states that it has seen, in the order in which it came to them."""
    stepper = Stepper(model, NativeModel(replace(model, properties=())).program)
    pending = {stepper.packed(codes): codes for codes in wanted}
    constrained = bool(model.protocol.members("constraint"))
    frontier = list(dict.fromkeys(stepper.packed(codes) for codes in initial_states(model.protocol)))
    known, steps, depth = dict.fromkeys(frontier), dict[Codes, int](), 0
    while True:
        steps |= {pending.pop(state): depth for state in frontier if state in pending}
        if not pending or not frontier:
            return Reach(steps, len(known), not frontier), stepper, known
        following: list[bytes] = []
        for after in (after for state in frontier for after, tag in stepper.steps(state) if not tag >> FAILURES):
            if after not in known and (not constrained or stepper.inside(after) == INSIDE):
                if len(known) >= max_states:
                    steps |= {pending.pop(state): depth + 1 for state in following if state in pending}
                    return Reach(steps, len(known), False), stepper, known
                known[after] = None
                following.append(after)
                if progress is not None and len(known) % REPORT_EVERY == 0:
                    progress(len(known))
        frontier, depth = following, depth + 1


def _nearest(layout: Layout, wanted: bytes, known: Iterable[bytes], stepper: Stepper) -> bytes:
    """The known state that differs from the wanted one in the fewest leaves, the first of several.

    All leaves are compared at once. Of two states that are one number each, the difference of a leaf is a field of
    their exclusive or; adding all but its first bit to it carries into that one unless it is 0, and no further.
    """
    first = _number(stepper.packed(tuple(1 << one.bits - 1 if one.bits else 0 for one in layout.fields)))
    rest = _number(stepper.packed(tuple((1 << one.bits - 1) - 1 if one.bits else 0 for one in layout.fields)))
    goal = _number(wanted)

    def distance(state: bytes) -> int:
        differs = _number(state) ^ goal
        return ((((differs & rest) + rest) | differs) & first).bit_count()

    return min(known, key=distance)


def _number(state: bytes) -> int:
    return int.from_bytes(state, sys.byteorder)
