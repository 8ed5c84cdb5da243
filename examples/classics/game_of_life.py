"""Conway's Game of Life on a square board, from every position.

Source: tlaplus/Examples, `GameOfLife/GameOfLife`; M. Gardner, "The Fantastic Combinations of John Conway's New
Solitaire Game".
States:
    GameOfLife(size=4): 65536, depth 1
Awkward: the keys of a map are scalars, so the board is the set of living cells, of which 64 is the most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import Bounds, Integers, Protocol, Set, Struct, action, action_property, bound


@dataclass(frozen=True)
class BoardBounds(Bounds):
    size: int = bound(4, least=1, most=4, help="the length of a side of the board")


Coordinate = Annotated[int, Integers(1, BoardBounds.size)]


class Cell(Struct, text="{x},{y}"):
    """A place of the board."""

    x: Coordinate
    y: Coordinate


class GameOfLife(Protocol):
    """A living cell with two or three living neighbours stays alive, and a dead one with three comes to life."""

    bounds: BoardBounds
    alive: Set[Cell]

    def initial(self, alive: Set[Cell]) -> None:
        self.alive = alive

    def score(self, x: int, y: int) -> int:
        """The number of living neighbours."""
        return sum(1 for c in self.alive if abs(c.x - x) <= 1 and abs(c.y - y) <= 1 and (c.x, c.y) != (x, y))

    @action(says="a generation")
    def generation(self) -> None:
        side = range(1, self.bounds.size + 1)
        self.alive = {
            Cell(x=x, y=y)
            for x in side
            for y in side
            if self.score(x, y) == 3 or (self.score(x, y) == 2 and Cell(x=x, y=y) in self.alive)
        }

    @action_property
    def nothing_comes_of_nothing(self, new: Self) -> bool:
        """An empty board stays empty."""
        return self.alive != set() or new.alive == set()
