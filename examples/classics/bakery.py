"""Lamport's bakery: who comes takes a number, and the smallest is served. Reads and writes of numbers may overlap.

Source: tlaplus/Examples, `Bakery-Boulangerie/MCBakery`; L. Lamport, "A New Solution of Dijkstra's Concurrent
Programming Problem".
States:
    AnyBakery(max_number=2): 655200, depth 1
Awkward: the published count is that of the states that the inductive invariant allows. The labels of PlusCal are an
enumeration.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import Bounds, Integers, Map, Protocol, Set, action, bound, invariant, lemma, require


@dataclass(frozen=True)
class BakeryBounds(Bounds):
    processes: int = bound(2, least=2, most=4, help="the number of processes")
    max_number: int = bound(2, least=1, most=6, help="the greatest number that can be taken")


Process = Annotated[int, Integers(1, BakeryBounds.processes)]
Number = Annotated[int, Integers(0, BakeryBounds.max_number)]
Place = enum.Enum("Place", ["NCS", "E1", "E2", "E3", "E4", "W1", "W2", "CS", "EXIT"])


class Bakery(Protocol):
    """A process looks at the numbers of all others, takes a greater one, and waits for each other that has a smaller
    one. A write that takes time is a number of steps that write anything, and a last one."""

    bounds: BakeryBounds
    number: Map[Process, Number]
    flag: Map[Process, bool]
    place: Map[Process, Place]
    unchecked: Map[Process, Set[Process]]
    greatest: Map[Process, Number]
    next: Map[Process, Process]

    def others(self, p: int) -> Set[Process]:
        """All other processes."""
        return Set(self.place) - {p}

    def comes_before(self, p: int, q: int) -> bool:
        """Whether the number of p is smaller, or as great and p is smaller."""
        return (self.number[p], p) < (self.number[q], q)

    @action(by="p", says="{p} comes")
    def come(self, p: Process) -> None:
        require(self.place[p] == Place.NCS)
        self.place[p] = Place.E1

    @action(by="p", says="{p} writes its flag")
    def flicker(self, p: Process) -> None:
        require(self.place[p] in (Place.E1, Place.E4))
        self.flag[p] = not self.flag[p]

    @action(by="p", says="{p} has raised its flag")
    def raise_flag(self, p: Process) -> None:
        require(self.place[p] == Place.E1)
        self.flag[p] = True
        self.unchecked[p] = self.others(p)
        self.greatest[p] = 0
        self.place[p] = Place.E2

    @action(by="p", says="{p} reads the number of {q}")
    def read(self, p: Process, q: Process) -> None:
        require(self.place[p] == Place.E2 and q in self.unchecked[p])
        self.unchecked[p] = self.unchecked[p] - {q}
        self.greatest[p] = max(self.greatest[p], self.number[q])

    @action(by="p", says="{p} has read all numbers")
    def read_all(self, p: Process) -> None:
        require(self.place[p] == Place.E2 and self.unchecked[p] == set())
        self.place[p] = Place.E3

    @action(by="p", says="{p} writes its number: {k}")
    def write(self, p: Process, k: Number) -> None:
        require(self.place[p] in (Place.E3, Place.EXIT))
        self.number[p] = k

    @action(by="p", says="{p} has taken number {k}")
    def take(self, p: Process, k: Number) -> None:
        require(self.place[p] == Place.E3 and k > self.greatest[p])
        self.number[p] = k
        self.place[p] = Place.E4

    @action(by="p", says="{p} has lowered its flag")
    def lower_flag(self, p: Process) -> None:
        require(self.place[p] == Place.E4)
        self.flag[p] = False
        self.unchecked[p] = self.others(p)
        self.place[p] = Place.W1

    @action(by="p", says="{p} sees that {q} has a number, or none")
    def look(self, p: Process, q: Process) -> None:
        require(self.place[p] == Place.W1 and q in self.unchecked[p] and not self.flag[q])
        self.next[p] = q
        self.place[p] = Place.W2

    @action(by="p", says="{p} comes before the one it looks at")
    def check(self, p: Process) -> None:
        q = self.next[p]
        require(self.place[p] == Place.W2 and (self.number[q] == 0 or self.comes_before(p, q)))
        self.unchecked[p] = self.unchecked[p] - {q}
        self.place[p] = Place.W1

    @action(by="p", says="{p} enters")
    def enter(self, p: Process) -> None:
        require(self.place[p] == Place.W1 and self.unchecked[p] == set())
        self.place[p] = Place.CS

    @action(by="p", says="{p} leaves")
    def leave(self, p: Process) -> None:
        require(self.place[p] == Place.CS)
        self.place[p] = Place.EXIT

    @action(by="p", says="{p} gives its number back")
    def give_back(self, p: Process) -> None:
        require(self.place[p] == Place.EXIT)
        self.number[p] = 0
        self.place[p] = Place.NCS

    @invariant
    def mutual_exclusion(self) -> bool:
        """At most one process is inside."""
        return sum(1 for p in self.place if self.place[p] == Place.CS) <= 1

    def is_before(self, p: int, q: int) -> bool:
        """Whether p has a number, and q has a later one or will take one, if it takes any."""
        place = self.place[q]
        if place in (Place.NCS, Place.E1, Place.EXIT):
            later = True
        elif place == Place.E2:
            later = p in self.unchecked[q] or self.greatest[q] >= self.number[p]
        elif place == Place.E3:
            later = self.greatest[q] >= self.number[p]
        elif place == Place.CS:
            later = False
        else:
            later = self.comes_before(p, q) and (place == Place.E4 or p in self.unchecked[q])
        return self.number[p] > 0 and later

    @lemma
    def who_waits_has_a_number(self) -> bool:
        """From when it has taken it until it leaves."""
        held = (Place.E4, Place.W1, Place.W2, Place.CS)
        return all(self.place[p] not in held or self.number[p] > 0 for p in self.place)

    @lemma
    def who_takes_a_number_says_so(self) -> bool:
        """Its flag is up."""
        return all(self.place[p] not in (Place.E2, Place.E3) or self.flag[p] for p in self.place)

    @lemma
    def nobody_waits_for_itself(self) -> bool:
        """Neither does it look at itself."""
        waits = (Place.W1, Place.W2)
        return all(
            (self.place[p] != Place.W2 or self.next[p] != p)
            and (self.place[p] not in waits or p not in self.unchecked[p])
            for p in self.place
        )

    @lemma
    def who_was_checked_comes_later(self) -> bool:
        """Those that a waiting process has checked come later, and all others when it is inside."""
        return all(
            (self.place[p] not in (Place.W1, Place.W2) or q in self.unchecked[p] or self.is_before(p, q))
            and (self.place[p] != Place.CS or self.is_before(p, q))
            for p in self.place
            for q in self.others(p)
        )

    @lemma
    def who_is_looked_at_will_come_later(self) -> bool:
        """If the other is about to take a number and has read this one's, it takes a greater one."""
        return all(
            self.place[p] != Place.W2
            or self.greatest[self.next[p]] >= self.number[p]
            or not (
                (self.place[self.next[p]] == Place.E2 and p not in self.unchecked[self.next[p]])
                or self.place[self.next[p]] == Place.E3
            )
            for p in self.place
        )


class AnyBakery(Bakery):
    """Two processes begin in any state that the lemmas allow, and each step leads to another such state."""

    def initial(
        self,
        number: Map[Process, Number],
        flag: Map[Process, bool],
        place: Map[Process, Place],
        unchecked: Map[Process, Set[Process]],
        greatest: Map[Process, Number],
        next: Map[Process, Process],
    ) -> None:
        self.number, self.flag, self.place = number, flag, place
        self.unchecked, self.greatest, self.next = unchecked, greatest, next
        require(self.who_waits_has_a_number() and self.who_takes_a_number_says_so())
        require(self.nobody_waits_for_itself())
        require(self.who_was_checked_comes_later() and self.who_is_looked_at_will_come_later())
