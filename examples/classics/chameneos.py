"""Creatures that meet two at a time, and change their colors when they do.

Source: tlaplus/Examples, `Chameneos/Chameneos`; C. Kaiser and J.-F. Pradat-Peyre, "Chameneos, a Concurrency Game".
States:
    Chameneos(creatures=4, meetings=4): 34534, depth 13
Awkward: nothing; the colors of all creatures are one choice.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    action,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class GameBounds(Bounds):
    creatures: int = bound(4, least=2, most=5, help="the number of creatures")
    meetings: int = bound(4, least=1, most=5, help="the number of meetings after which they fade")


Creature = Annotated[Identifier, Identifiers("c", GameBounds.creatures)]
Count = Annotated[int, Integers(0, GameBounds.meetings)]
Color = enum.Enum("Color", ["BLUE", "RED", "YELLOW", "FADED"])


class Chameneos(Protocol):
    """One waits at the meeting place, and meets the next one. Both take the third color, or keep the one they share."""

    bounds: GameBounds
    color: Map[Creature, Color]
    met: Map[Creature, Count]
    waiting: Creature | None
    meetings: Count

    def initial(self, color: Map[Creature, Color]) -> None:
        require(all(color[c] != Color.FADED for c in color))
        self.color = color

    def complement(self, one: Color, other: Color) -> Color:
        """The color of two after they have met."""
        if one == other:
            return one
        return next(c for c in (Color.BLUE, Color.RED, Color.YELLOW) if c not in (one, other))

    @action(by="c", says="{c} comes to the meeting place")
    def meet(self, c: Creature) -> None:
        other = self.waiting
        require(self.color[c] != Color.FADED and other != c)
        if other is not None:
            self.color[c] = self.color[other] = self.complement(self.color[c], self.color[other])
            self.met[c] += 1
            self.met[other] += 1
            self.meetings += 1
            self.waiting = None
        elif self.meetings < self.bounds.meetings:
            self.waiting = c
        else:
            self.color[c] = Color.FADED

    @invariant
    def meetings_are_counted(self) -> bool:
        """In the end, each meeting was counted by two."""
        return self.meetings < self.bounds.meetings or sum(self.met.values()) == 2 * self.bounds.meetings

    @reachable
    def all_fade(self) -> bool:
        """The game ends."""
        return all(color == Color.FADED for color in self.color.values())
