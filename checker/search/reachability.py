"""Which of some states can be reached, and after how many steps: a breadth-first search to a number of states.

That is enough to tell whether the state of a counterexample to induction is one that can happen. Every state is kept in
Python's memory: some hundred thousand steps a second. `breadth_first` is for millions of states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir.model import Model
from ..native.engine import NativeModel
from ..native.stepper import FAILURES, INSIDE, Stepper
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

    A step that cannot be evaluated is not taken, and a state outside the constraint is not entered. `progress` is
    called with the number of states now and then.
    """
    stepper = Stepper(model, NativeModel(model).program)
    pending = {stepper.packed(codes): codes for codes in wanted}
    constrained = bool(model.protocol.members("constraint"))
    frontier = list(dict.fromkeys(stepper.packed(codes) for codes in initial_states(model.protocol)))
    known, steps, depth = set(frontier), dict[Codes, int](), 0
    while True:
        steps |= {pending.pop(state): depth for state in frontier if state in pending}
        if not pending or not frontier:
            return Reach(steps, len(known), not frontier)
        following: list[bytes] = []
        for after in (after for state in frontier for after, tag in stepper.steps(state) if not tag >> FAILURES):
            if after not in known and (not constrained or stepper.inside(after) == INSIDE):
                if len(known) >= max_states:
                    steps |= {pending.pop(state): depth + 1 for state in following if state in pending}
                    return Reach(steps, len(known), False)
                known.add(after)
                following.append(after)
                if progress is not None and len(known) % REPORT_EVERY == 0:
                    progress(len(known))
        frontier, depth = following, depth + 1
