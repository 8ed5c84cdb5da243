"""Walking through the reachable states breadth-first with the steps of machine code, one state at a time, with hooks.

A walk evaluates no property and keeps every state in Python's memory: some hundred thousand steps a second. It is for
questions that need to see each state or step; `breadth_first` is for millions of states.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable

from ..native.stepper import FAILURES, INSIDE, PLACE, Stepper
from ..reading import Codes

NO_PREDECESSOR = (1 << 32) - 1
LOOK_EVERY, REPORT_EVERY = 1024, 4096


class StateWalk:
    """The states that were reached, packed, in the order of discovery: what subclasses hook into.

    The steps of the first `followed` instances are taken; those of the others are shown to `watched` and lead nowhere.
    A step that cannot be evaluated is not taken, and a state outside the constraint is not entered. At most
    `most_states` are; `complete` says whether every state was reached.
    """

    def __init__(self, stepper: Stepper, followed: int, constrained: bool, most_states: int = sys.maxsize) -> None:
        self.stepper = stepper
        self.states: list[bytes] = []
        self.complete = False
        self._followed, self._constrained, self._most = followed, constrained, most_states
        self._known: set[bytes] = set()
        self._predecessors, self._places = array("I"), array("H")

    # -- hooks ----------------------------------------------------------------------------------------------------

    def level(self, begin: int, end: int) -> bool:
        """The frontier is the states from `begin` to `end`; whether to go on."""
        return True

    def level_ended(self) -> None:
        """The frontier was expanded, or the walk ends."""

    def look(self) -> bool:
        """Some states were expanded; whether to go on."""
        return True

    def grown(self) -> None:
        """Some thousand more states were reached."""

    def watched(self, place: int, at: int, after: bytes) -> None:
        """An instance that is not followed is enabled in a state, and would lead to another."""

    # -- walking --------------------------------------------------------------------------------------------------

    def run(self, initial: Iterable[Codes]) -> None:
        """Walk until every state is reached or a hook ends it."""
        for codes in initial:
            packed = self.stepper.packed(codes)
            if packed not in self._known and (not self._constrained or self._within(packed)):
                self._enter(packed, NO_PREDECESSOR, 0)
        begin = 0
        while begin < len(self.states):
            end = len(self.states)
            if not self.level(begin, end):
                return
            expanded = self._expand(begin, end)
            self.level_ended()
            if not expanded:
                return
            begin = end
        self.complete = True

    def _expand(self, begin: int, end: int) -> bool:
        """Take the steps from the states of the frontier; whether to go on."""
        states, known, followed, steps = self.states, self._known, self._followed, self.stepper.steps
        constrained, most, enter, watched = self._constrained, self._most, self._enter, self.watched
        for at in range(begin, end):
            if at % LOOK_EVERY == 0 and not self.look():
                return False
            for after, tag in steps(states[at]):
                if tag >> FAILURES:
                    continue
                place = tag & PLACE
                if place >= followed:
                    watched(place, at, after)
                elif after not in known and (not constrained or self._within(after)):
                    if len(states) >= most:
                        return False
                    enter(after, at, place)
        return True

    def _within(self, state: bytes) -> bool:
        return self.stepper.inside(state) == INSIDE

    def _enter(self, state: bytes, predecessor: int, place: int) -> None:
        self._known.add(state)
        self.states.append(state)
        self._predecessors.append(predecessor)
        self._places.append(place)
        if len(self.states) % REPORT_EVERY == 0:
            self.grown()

    def path(self, at: int) -> list[tuple[int | None, Codes]]:
        """How a state was reached: the instances' places and the states after them; no step leads to the first."""
        found: list[tuple[int | None, Codes]] = []
        while (before := self._predecessors[at]) != NO_PREDECESSOR:
            found.append((self._places[at], self.stepper.unpacked(self.states[at])))
            at = before
        found.append((None, self.stepper.unpacked(self.states[at])))
        return found[::-1]
