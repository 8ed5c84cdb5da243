"""Two jugs of three and five gallons, a tap, and a bomb that wants four gallons.

Source: tlaplus/Examples, `DieHard/DieHard`, of which TLC finds so many states if types alone are checked; the film "Die
Hard with a Vengeance".
States:
    DieHard(): 16
Awkward: nothing; steps that would change nothing are no steps here, so they have a guard.
"""

from __future__ import annotations

from typing import Annotated

from epochal.language import Integers, Protocol, action, invariant, require

SMALL, BIG, WANTED = 3, 5, 4


class DieHard(Protocol):
    """Jugs are filled, emptied, and poured into each other until one is full or the other is empty."""

    small: Annotated[int, Integers(0, SMALL)]
    big: Annotated[int, Integers(0, BIG)]

    @action(says="fill the small jug")
    def fill_small(self) -> None:
        require(self.small < SMALL)
        self.small = SMALL

    @action(says="fill the big jug")
    def fill_big(self) -> None:
        require(self.big < BIG)
        self.big = BIG

    @action(says="empty the small jug")
    def empty_small(self) -> None:
        require(self.small > 0)
        self.small = 0

    @action(says="empty the big jug")
    def empty_big(self) -> None:
        require(self.big > 0)
        self.big = 0

    @action(says="pour the small jug into the big one")
    def pour_into_big(self) -> None:
        poured = min(self.small, BIG - self.big)
        require(poured > 0)
        self.small, self.big = self.small - poured, self.big + poured

    @action(says="pour the big jug into the small one")
    def pour_into_small(self) -> None:
        poured = min(self.big, SMALL - self.small)
        require(poured > 0)
        self.small, self.big = self.small + poured, self.big - poured

    @invariant
    def bomb_explodes(self) -> bool:
        """Nobody ever has four gallons. It is violated, and the run is the solution."""
        return self.big != WANTED
