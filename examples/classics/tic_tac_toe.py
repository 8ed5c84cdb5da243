"""Tic-tac-toe: two players put their marks on a board of nine places until one has three in a row.

Source: the puzzle `tictactoe` of Quint, without a strategy for X; that there are 5,478 positions, which turns and
reflections do not identify, is well known.
States:
    TicTacToe(): 5478, depth 10
Awkward: nothing; whose turn it is, is counted, since a variable for it would say nothing more.
"""

from __future__ import annotations

import enum
from typing import Annotated

from epochal.language import Integers, Map, Protocol, action, invariant, reachable, require

Place = Annotated[int, Integers(0, 8)]
Mark = enum.Enum("Mark", ["X", "O"])
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe(Protocol):
    """X begins."""

    board: Map[Place, Mark | None]

    def count(self, mark: Mark) -> int:
        """How often a player has put its mark."""
        return sum(1 for place in self.board if self.board[place] == mark)

    def has_won(self, mark: Mark) -> bool:
        """Whether a player has three in a row."""
        return any(all(self.board[place] == mark for place in line) for line in LINES)

    @action(by="mark", says="{mark} is put on {place}")
    def put(self, mark: Mark, place: Place) -> None:
        require(self.board[place] is None)
        require(self.count(Mark.X) == self.count(Mark.O) + (1 if mark == Mark.O else 0))
        require(not self.has_won(Mark.X) and not self.has_won(Mark.O))
        self.board[place] = mark

    @invariant
    def one_wins(self) -> bool:
        """Not both players win."""
        return not (self.has_won(Mark.X) and self.has_won(Mark.O))

    @reachable
    def x_wins(self) -> bool:
        """X can win."""
        return self.has_won(Mark.X)

    @reachable
    def o_wins(self) -> bool:
        """O can win."""
        return self.has_won(Mark.O)

    @reachable
    def stalemate(self) -> bool:
        """Nobody may win."""
        full = all(self.board[place] is not None for place in self.board)
        return full and not self.has_won(Mark.X) and not self.has_won(Mark.O)
