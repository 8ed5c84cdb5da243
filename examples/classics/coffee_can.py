"""Two beans are taken out of a can, and one goes back: which color is the last one?

Source: tlaplus/Examples, `CoffeeCan/CoffeeCan`; D. Gries, "The Science of Programming", after
E. W. Dijkstra.
States:
    CoffeeCan(beans=100): 5150, depth 1
    CoffeeCan(beans=1000): 501500, depth 1
Awkward: a hypothesis about the first state, `IF ... THEN <>...`, is two liveness properties with `once`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import Bounds, Integers, Protocol, action, action_property, bound, leads_to, require


@dataclass(frozen=True)
class CanBounds(Bounds):
    beans: int = bound(100, least=1, most=1000, help="the number of beans at most")


Beans = Annotated[int, Integers(0, CanBounds.beans)]


class CoffeeCan(Protocol):
    """Of two beans of one color a black one is left, of two different ones the white one."""

    bounds: CanBounds
    black: Beans
    white: Beans

    def initial(self, black: Beans, white: Beans) -> None:
        require(1 <= black + white <= self.bounds.beans)
        self.black, self.white = black, white

    @action(fair="weak", says="two black beans are taken, and one is put back")
    def pick_two_black(self) -> None:
        require(self.black >= 2)
        self.black -= 1

    @action(fair="weak", says="two white beans are taken, and a black one is put back")
    def pick_two_white(self) -> None:
        require(self.white >= 2)
        self.black, self.white = self.black + 1, self.white - 2

    @action(fair="weak", says="one of each color is taken, and the white one is put back")
    def pick_different(self) -> None:
        require(self.black >= 1 and self.white >= 1)
        self.black -= 1

    @action_property
    def beans_get_fewer(self, new: Self) -> bool:
        """Each step leaves one bean less."""
        return new.black + new.white < self.black + self.white

    @action_property
    def white_beans_stay_even_or_odd(self, new: Self) -> bool:
        """An even number of white beans stays even, and an odd number odd."""
        return self.white % 2 == new.white % 2

    @leads_to(fair=("pick_two_black", "pick_two_white", "pick_different"), once=True)
    def black_is_left(self) -> tuple[bool, bool]:
        """If the number of white beans is even, a black bean is left."""
        return self.white % 2 == 0, self.black == 1 and self.white == 0

    @leads_to(fair=("pick_two_black", "pick_two_white", "pick_different"), once=True)
    def white_is_left(self) -> tuple[bool, bool]:
        """If the number of white beans is odd, a white bean is left."""
        return self.white % 2 == 1, self.black == 0 and self.white == 1
