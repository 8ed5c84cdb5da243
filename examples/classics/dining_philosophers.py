"""Philosophers who hand their forks to each other, and wash them first: the solution of Chandy and Misra.

Source: tlaplus/Examples, `DiningPhilosophers/DiningPhilosophers`; K. M. Chandy and J. Misra, "The Drinking Philosophers
Problem".
States:
    DiningPhilosophers(philosophers=5): 67, depth 29
Awkward: the labels of the PlusCal processes are an enumeration, and each of their steps is an action.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, action, bound, invariant, leads_to, require


@dataclass(frozen=True)
class TableBounds(Bounds):
    philosophers: int = bound(5, least=2, most=7, help="the number of philosophers, and of forks")


Seat = Annotated[int, Integers(1, TableBounds.philosophers)]
Place = enum.Enum("Place", ["LOOP", "EAT", "THINK"])


class DiningPhilosophers(Protocol):
    """Fork p lies between philosopher p and its left neighbour. One who holds dirty forks washes them and gives them
    away, and eats with two that are clean."""

    bounds: TableBounds
    holder: Map[Seat, Seat]
    clean: Map[Seat, bool]
    place: Map[Seat, Place]
    hungry: Map[Seat, bool]

    def initial(self) -> None:
        for p in self.holder:
            self.holder[p] = 1 if p == 2 else p
            self.hungry[p] = True

    def right(self, p: int) -> int:
        """The fork, and the neighbour, to the right of a philosopher."""
        return 1 if p == self.bounds.philosophers else p + 1

    def left(self, p: int) -> int:
        """The neighbour to the left."""
        return self.bounds.philosophers if p == 1 else p - 1

    def can_eat(self, p: int) -> bool:
        """Whether a philosopher holds both of its forks, and they are clean."""
        return all(self.holder[fork] == p and self.clean[fork] for fork in (p, self.right(p)))

    @action(by="p", fair="weak", says="{p} looks at its forks")
    def loop(self, p: Seat) -> None:
        require(self.place[p] == Place.LOOP)
        can_eat = self.can_eat(p)
        right = self.right(p)
        if self.holder[p] == p and not self.clean[p]:
            self.holder[p], self.clean[p] = self.left(p), True
        elif self.holder[right] == p and not self.clean[right]:
            self.holder[right], self.clean[right] = right, True
        if not self.hungry[p]:
            self.place[p] = Place.THINK
        elif can_eat:
            self.place[p] = Place.EAT

    @action(by="p", fair="weak", says="{p} eats")
    def eat(self, p: Seat) -> None:
        require(self.place[p] == Place.EAT)
        self.hungry[p] = False
        self.clean[p] = self.clean[self.right(p)] = False
        self.place[p] = Place.LOOP

    @action(by="p", fair="weak", says="{p} thinks")
    def think(self, p: Seat) -> None:
        require(self.place[p] == Place.THINK)
        self.hungry[p] = True
        self.place[p] = Place.LOOP

    @invariant
    def neighbours_do_not_eat_together(self) -> bool:
        """No two eat who share a fork."""
        return not any(self.place[p] == Place.EAT and self.place[self.right(p)] == Place.EAT for p in self.place)

    @leads_to(fair=("loop", "eat", "think"))
    def nobody_starves(self, p: Seat) -> tuple[bool, bool]:
        """Each philosopher eats again and again."""
        return True, not self.hungry[p]
