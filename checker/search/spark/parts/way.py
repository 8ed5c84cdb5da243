"""The run that breaks a promise, told from what tasks have kept: its way backwards part by part, then its round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from epochal.spec.language import Protocol

from ....fairness import Unit
from ....ir.digest import state_hash
from ....ir.evaluate import evaluate
from ....ir.model import CompiledPromise
from ....liveness.lasso import OUTSIDE, Doom, Explored, lasso
from ....native.kernel.promise_vocabulary import STAYS
from ....native.program.promise_program import labelled
from ....native.stepper import INSIDE, Stepper
from ....trace.trace import Codes, Step, Trace
from ..walk import Walker
from .origins import Origin, doomed_with, origin_of
from .ranking import Words

State = tuple[int, ...]
Place = tuple[int, int]
"""Rank and part."""


class Way:
    """The states that a run is told with, by numbers in the order in which they are met; steps are made when asked for.

    `kept` gives what is kept of the states of a part that are come to.
    """

    def __init__(self, walker: Walker, kept: Callable[[Place], Words]) -> None:
        model = walker.model
        self.protocol: Protocol = model.protocol
        self._walker, self._kept, self._layout = walker, kept, model.layout
        self._stepper = Stepper(model, walker.code)
        self._numbers = [one.instance.number for one in model.instances]
        self._bounded = [(one.instance.number, one.stopped) for one in labelled(model) if one.stopped is not None]
        self._constrained = bool(model.protocol.members("constraint"))
        self._states: list[State] = []
        self._known: dict[State, int] = {}
        self._places: dict[int, Place] = {}
        self._origins: dict[int, Origin] = {}
        self._explored: dict[int, Explored] = {}

    def number(self, state: State, place: Place | None = None) -> int:
        """The number of a state, and where it is from now on known to be."""
        found = self._known.setdefault(state, len(self._states))
        if found == len(self._states):
            self._states.append(state)
        if place is not None:
            self._places[found] = place
        return found

    def origin(self, state: int) -> Origin:
        """How a state is come to that the way goes through."""
        if state not in self._origins:
            self._origins[state] = origin_of(self._kept(self._places[state]), self._states[state])
        return self._origins[state]

    def before(self, state: int, _: int) -> int:
        """The state before."""
        origin = self.origin(state)
        return self.number(origin.before, origin.place)

    def codes(self, state: int) -> Codes:
        """A state itself."""
        return self._layout.unpack(self._states[state])

    def hash(self, state: int) -> int:
        """The hash by which the search breaks ties."""
        return state_hash(self._states[state])

    def level(self, state: int) -> int:
        """How many steps a shortest run to a state of the way has."""
        return self.origin(state).level

    def run_to(self, state: int) -> tuple[Codes, tuple[Step, ...]]:
        """The run to a state of the way that the log tells."""
        return self._walker.run(self.level(state), self._states[state])

    def explored(self, state: int) -> Explored:
        """The steps from a state, and what only a bound stops there."""
        if state not in self._explored:
            self._explored[state] = self._explore(state)
        return self._explored[state]

    def _explore(self, state: int) -> Explored:
        codes, steps = self.codes(state), []
        for entry in self._stepper.entries(codes, 0):
            after = self._stepper.unpacked(entry.state)
            if after == codes:
                continue
            left = self._constrained and self._stepper.inside(entry.state) != INSIDE
            target = OUTSIDE if left else self.number(self._layout.pack(after))
            steps.append((self._numbers[entry.place], target))
        truths = evaluate([stopped for _, stopped in self._bounded], codes)
        stopped = frozenset(number for (number, _), holds in zip(self._bounded, truths, strict=True) if holds)
        return Explored(tuple(sorted(steps)), stopped)

    def tell(
        self, promise: CompiledPromise, units: Sequence[Unit], doomed: State, place: Place, number: int, of: Words
    ) -> Trace:
        """The run to a doomed state, and how it goes on. `number` is that of its component in its part, `of` the doomed
        states there."""
        component = doomed_with(of, number & ~STAYS, STAYS)
        return lasso(
            self,
            Doom(
                promise,
                tuple(units),
                lambda state: self.origin(state).cost,
                self.before,
                self.number(doomed, place),
                lambda state: self._states[state] in component,
            ),
        )
