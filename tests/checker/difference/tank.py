"""A small protocol, of which the tests of this folder compare variants."""

from __future__ import annotations

from typing import Annotated, ClassVar

from epochal.spec.language import Bounds, Integers, Protocol, action, require


class Tank(Protocol):
    """A tank that is filled and drained."""

    name: ClassVar[str] = "tank"
    bounds: Bounds
    level: Annotated[int, Integers(0, 7)]
    valve: bool

    @action
    def fill(self) -> None:
        """One more, while there is room."""
        require(self.level < 5)
        self.level += 1

    @action
    def drain(self, amount: Annotated[int, Integers(1, 2)]) -> None:
        """Some less."""
        require(self.level >= amount)
        self.level -= amount
