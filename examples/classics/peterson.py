"""Peterson's two processes, which let each other go first.

Source: tlaplus/Examples, `locks_auxiliary_vars/Peterson`; G. L. Peterson, "Myths about the mutual exclusion problem".
States:
    Peterson(): 42, depth 11
Awkward: the labels of the PlusCal processes are an enumeration, and each of their steps is an action.
"""

from __future__ import annotations

import enum
from typing import Annotated

from epochal.language import Integers, Map, Protocol, action, invariant, require

Process = Annotated[int, Integers(1, 2)]
Place = enum.Enum("Place", ["OUTSIDE", "ASK", "YIELD", "WAIT", "INSIDE", "LEAVE"])


class Peterson(Protocol):
    """Two processes say that they want to enter, and let the other go first."""

    place: Map[Process, Place]
    wants: Map[Process, bool]
    turn: Process

    def moved(self, p: Process, before: Place, after: Place) -> None:
        require(self.place[p] == before)
        self.place[p] = after

    @action(by="p", says="{p} would like to enter")
    def come(self, p: Process) -> None:
        self.moved(p, Place.OUTSIDE, Place.ASK)

    @action(by="p", says="{p} says so")
    def ask(self, p: Process) -> None:
        self.moved(p, Place.ASK, Place.YIELD)
        self.wants[p] = True

    @action(by="p", says="{p} lets the other go first")
    def let_go(self, p: Process) -> None:
        self.moved(p, Place.YIELD, Place.WAIT)
        self.turn = 3 - p

    @action(by="p", says="{p} enters")
    def enter(self, p: Process) -> None:
        require(not self.wants[3 - p] or self.turn == p)
        self.moved(p, Place.WAIT, Place.INSIDE)

    @action(by="p", says="{p} is done")
    def finish(self, p: Process) -> None:
        self.moved(p, Place.INSIDE, Place.LEAVE)

    @action(by="p", says="{p} leaves")
    def leave(self, p: Process) -> None:
        self.moved(p, Place.LEAVE, Place.OUTSIDE)
        self.wants[p] = False

    @invariant
    def one_at_a_time(self) -> bool:
        """The two are never inside together."""
        return sum(1 for p in self.place if self.place[p] in (Place.INSIDE, Place.LEAVE)) < 2

    @invariant
    def wishes_are_told(self) -> bool:
        """Who has said that it wants to enter has not left yet."""
        return all(self.wants[p] == (self.place[p] not in (Place.OUTSIDE, Place.ASK)) for p in self.place)

    @invariant
    def who_is_inside_has_priority(self) -> bool:
        """Where one is inside, it is its turn, or the other has not yielded yet."""
        return all(
            self.turn == p or self.place[3 - p] in (Place.OUTSIDE, Place.ASK, Place.YIELD)
            for p in self.place
            if self.place[p] in (Place.INSIDE, Place.LEAVE)
        )
