"""Prisoners who are let into a room with two switches, and must know when all were there.

Source: tlaplus/Examples, `Prisoners/Prisoners`.
States:
    Prisoners(prisoners=4): 214, depth 14
Awkward: `<>Done` is a liveness property with `once`; without that it would be about every state, as `[]<>Done`.
"""

from __future__ import annotations

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
    leads_to,
)


@dataclass(frozen=True)
class PrisonBounds(Bounds):
    prisoners: int = bound(4, least=2, most=6, help="the number of prisoners, one of whom counts")


Other = Annotated[Identifier, Identifiers("p", PrisonBounds.prisoners - 1)]


class Prisoners(Protocol):
    """One prisoner counts: it turns switch A down and counts that. The others turn it up, each twice and no more. Who
    has nothing to do with A turns B.
    """

    bounds: PrisonBounds
    a_is_up: bool
    b_is_up: bool
    turned: Map[Other, Annotated[int, Integers(0, 2)]]
    count: Annotated[int, Integers(0, 2 * PrisonBounds.prisoners - 1)]

    def initial(self, a: bool, b: bool) -> None:
        self.a_is_up = a
        self.b_is_up = b

    @action(by="other", fair="weak", says="{other} is let in")
    def other_comes(self, other: Other) -> None:
        if not self.a_is_up and self.turned[other] < 2:
            self.a_is_up = True
            self.turned[other] = self.turned[other] + 1
        else:
            self.b_is_up = not self.b_is_up

    @action(by="counter", fair="weak", says="the prisoner who counts is let in")
    def counter_comes(self) -> None:
        if self.a_is_up:
            self.a_is_up = False
            self.count = self.count + 1
        else:
            self.b_is_up = not self.b_is_up

    def done(self) -> bool:
        """Whether the counter says that all were there."""
        return self.count == 2 * (self.bounds.prisoners - 1)

    @invariant
    def counter_is_right(self) -> bool:
        """When the counter says that all were there, they were."""
        return not self.done() or all(self.turned[p] > 0 for p in self.turned)

    @invariant
    def counted(self) -> bool:
        """What was turned up was counted, is up now, or was up in the beginning."""
        turned = sum(self.turned[p] for p in self.turned)
        return self.count + int(self.a_is_up) in (turned, turned + 1)

    @leads_to(fair=("other_comes", "counter_comes"), once=True)
    def counter_says_so(self) -> tuple[bool, bool]:
        """Some time the counter says that all were there."""
        return True, self.done()
