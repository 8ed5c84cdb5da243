"""Smokers who have one ingredient each, and a dealer who offers all but one.

Source: tlaplus/Examples, `CigaretteSmokers/CigaretteSmokers`; S. S. Patil, 1971.
States:
    CigaretteSmokers(): 6, depth 2
Awkward: the set of offers is what is left without one ingredient, because there is no set of sets.
"""

from __future__ import annotations

import enum

from epochal.language import Map, Protocol, Set, action, invariant, leads_to, require

Ingredient = enum.Enum("Ingredient", ["MATCHES", "PAPER", "TOBACCO"])


class CigaretteSmokers(Protocol):
    """The dealer offers two ingredients; the smoker who has the third takes them and smokes."""

    smoking: Map[Ingredient, bool]
    offer: Set[Ingredient]

    def initial(self, missing: Ingredient) -> None:
        self.offer = Set(self.smoking) - {missing}

    @action(fair="weak", says="somebody begins to smoke")
    def start(self) -> None:
        require(self.offer != set())
        for own in self.smoking:
            self.smoking[own] = self.offer | {own} == Set(self.smoking)
        self.offer = Set()

    @action(by="dealer", fair="weak", each=(), says="smoking ends, and all but {missing} are offered")
    def stop(self, missing: Ingredient) -> None:
        require(self.offer == set())
        for own in self.smoking:
            self.smoking[own] = False
        self.offer = Set(self.smoking) - {missing}

    @invariant
    def at_most_one(self) -> bool:
        """At most one smokes."""
        return sum(self.smoking.values()) <= 1

    @leads_to(fair=("start", "stop"))
    def somebody_smokes(self) -> tuple[bool, bool]:
        """There is smoking again and again."""
        return True, any(self.smoking.values())
