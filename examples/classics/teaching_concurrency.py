"""Processes on a circle that write, and then read what the one before them has written.

Source: tlaplus/Examples, `TeachingConcurrency/Simple` and `SimpleRegular`; L. Lamport, "Teaching Concurrency".
States:
    Simple(processes=5): 723, depth 11
    SimpleRegular(processes=8): 277726, depth 25
Awkward: the labels of PlusCal are an enumeration.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, Set, action, bound, invariant, require


@dataclass(frozen=True)
class CircleBounds(Bounds):
    processes: int = bound(5, least=1, most=8, help="the number of processes")


Process = Annotated[int, Integers(0, CircleBounds.processes - 1)]
Bit = Annotated[int, Integers(0, 1)]
Place = enum.Enum("Place", ["A", "B", "DONE"])
RegularPlace = enum.Enum("RegularPlace", ["A1", "A2", "B", "DONE"])


class Simple(Protocol):
    """Registers are atomic."""

    bounds: CircleBounds
    x: Map[Process, Bit]
    y: Map[Process, Bit]
    place: Map[Process, Place]

    @action(by="i", says="{i} writes")
    def a(self, i: Process) -> None:
        require(self.place[i] == Place.A)
        self.x[i] = 1
        self.place[i] = Place.B

    @action(by="i", says="{i} reads")
    def b(self, i: Process) -> None:
        require(self.place[i] == Place.B)
        self.y[i] = self.x[(i - 1) % self.bounds.processes]
        self.place[i] = Place.DONE

    @invariant
    def one_has_read_one(self) -> bool:
        """When all are done, at least one of them has read 1."""
        return any(self.place[i] != Place.DONE for i in self.place) or any(self.y[i] == 1 for i in self.y)


class SimpleRegular(Protocol):
    """Registers are regular: who reads while another writes gets the value before or after."""

    bounds: CircleBounds
    x: Map[Process, Set[Bit]]
    y: Map[Process, Bit]
    place: Map[Process, RegularPlace]

    def initial(self) -> None:
        for i in self.x:
            self.x[i] = Set({0})

    @action(by="i", says="{i} begins to write")
    def a1(self, i: Process) -> None:
        require(self.place[i] == RegularPlace.A1)
        self.x[i] = Set({0, 1})
        self.place[i] = RegularPlace.A2

    @action(by="i", says="{i} has written")
    def a2(self, i: Process) -> None:
        require(self.place[i] == RegularPlace.A2)
        self.x[i] = Set({1})
        self.place[i] = RegularPlace.B

    @action(by="i", says="{i} reads {v}")
    def b(self, i: Process, v: Bit) -> None:
        require(self.place[i] == RegularPlace.B and v in self.x[(i - 1) % self.bounds.processes])
        self.y[i] = v
        self.place[i] = RegularPlace.DONE

    @invariant
    def one_has_read_one(self) -> bool:
        """When all are done, at least one of them has read 1."""
        return any(self.place[i] != RegularPlace.DONE for i in self.place) or any(self.y[i] == 1 for i in self.y)
