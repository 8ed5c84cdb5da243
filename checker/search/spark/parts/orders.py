"""What a task of a judging is told, and what all of them need. Orders and answers are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..program import Program
from ..storage import Storage
from ..tasks import Hook
from .plan import Plan
from .scratch import Piece, piece_of

Case = tuple[int, int]
"""A promise with one choice of its parameters: the number of its batch, and its bit there."""


@dataclass(frozen=True)
class Judging:
    """What every task of a judging needs: the storage and where to write there, the search's program, how to judge."""

    storage: Storage
    folder: str
    program: Callable[[], Program]
    plan: Callable[[], Plan]
    hook: Hook | None = None

    def at(self, moment: str, part: int) -> None:
        """Tell whoever wants to know."""
        if self.hook is not None:
            self.hook(moment, part)


@dataclass(frozen=True)
class Order:
    """A part to look at: its states, and what tasks before have handed on to it.

    `received` has pieces for each batch of promises, those that say where a run may end after the others. `cases` are
    those that are broken somewhere and wait in this part, with pieces of what they cost to come to, and of which states
    are doomed here.
    """

    rank: int
    part: int
    states: tuple[Piece, ...]
    received: dict[int, list[Piece]] = field(default_factory=dict)
    cases: tuple[tuple[Case, tuple[Piece, ...], tuple[Piece, ...]], ...] = ()

    def text(self) -> str:
        """As JSON."""

        def listed(pieces: Iterable[Piece]) -> list[Any]:
            return [piece.document() for piece in pieces]

        received = [[batch, listed(pieces)] for batch, pieces in self.received.items()]
        cases = [[case, listed(costs), listed(doomed)] for case, costs, doomed in self.cases]
        return json.dumps([self.rank, self.part, listed(self.states), received, cases])


def order_of(text: str) -> Order:
    """What `Order.text` stands for."""
    rank, part, states, received, cases = json.loads(text)

    def pieces(found: list[Any]) -> tuple[Piece, ...]:
        return tuple(map(piece_of, found))

    return Order(
        rank,
        part,
        pieces(states),
        {batch: list(pieces(found)) for batch, found in received},
        tuple(((case[0], case[1]), pieces(costs), pieces(doomed)) for case, costs, doomed in cases),
    )
