"""Which of some states can be reached, and after how many steps: a breadth-first search to a number of states.

That is enough to tell whether the state of a counterexample to induction is one that can happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir.model import Model
from ..native.engine import NativeModel
from ..native.stepper import Stepper
from ..reading import Codes
from .initial import initial_states
from .walk import StateWalk


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
    found = _Search(model, wanted, max_states, progress)
    found.run(initial_states(model.protocol))
    found.take_frontier(found.frontier_from)
    return Reach(found.steps, len(found.states), found.complete)


class _Search(StateWalk):
    """A walk until all wanted states are found."""

    def __init__(
        self, model: Model, wanted: Sequence[Codes], max_states: int, progress: Callable[[int], None] | None
    ) -> None:
        stepper = Stepper(model, NativeModel(model).program)
        constrained = bool(model.protocol.members("constraint"))
        super().__init__(stepper, len(model.instances), constrained, max_states)
        self.steps: dict[Codes, int] = {}
        self.frontier_from = 0
        self._pending = {stepper.packed(codes): codes for codes in wanted}
        self._depth, self._progress = 0, progress

    def take_frontier(self, begin: int) -> None:
        """Note the wanted states among those from `begin` on, which are all at one depth."""
        for state in self.states[begin:]:
            if state in self._pending:
                self.steps[self._pending.pop(state)] = self._depth

    def level(self, begin: int, end: int) -> bool:
        self.take_frontier(begin)
        self.frontier_from, self._depth = end, self._depth + 1
        return bool(self._pending)

    def grown(self) -> None:
        if self._progress is not None:
            self._progress(len(self.states))
