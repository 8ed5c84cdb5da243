"""The zoo: tiny specifications that together use every operator and domain of the language."""

from __future__ import annotations

from typing import ClassVar

from epochal.spec.language import Protocol, action, invariant, require
from tests.checker.compile.zoo_collections import Logs, Loops, Sets
from tests.checker.compile.zoo_corners import Elsewhere, Names, Order, Sequences
from tests.checker.compile.zoo_values import Arithmetic, Enumerations, Maps, Mode, Optionals, Small, Truths, ZooBounds


def clamped(value: int, least: int, most: int) -> int:
    """A function of the module, called with values of the state."""
    if value < least:
        return least
    return most if value > most else value


class Base(Protocol):
    """What the next one is derived from."""

    name: ClassVar[str] = "base"
    bounds: ZooBounds
    x: Small
    mode: Mode

    @staticmethod
    def twice(n: int) -> int:
        return 2 * n

    @action
    def up(self) -> None:
        """Goes up by one."""
        self.climb(1)

    @action
    def down(self) -> None:
        """Goes down by one."""
        require(self.x > 0)
        self.x -= 1

    @action
    def switch(self) -> None:
        """Becomes busy."""
        require(self.mode == Mode.IDLE)
        self.mode = Mode.BUSY

    def climb(self, by: int) -> None:
        self.x = clamped(self.x + by, 0, self.bounds.high)

    @invariant
    def small(self) -> bool:
        """Stays below the greatest number."""
        return self.x < self.bounds.high


class Derived(Base):
    """Overrides a helper and a step with `super()`, removes a step, and drops a property."""

    name: ClassVar[str] = "derived"
    down = None  # type: ignore[assignment]  # none takes the rule away

    def climb(self, by: int) -> None:
        super().climb(self.twice(by) if self.mode == Mode.BUSY else by)

    @action
    def switch(self) -> None:
        """Becomes busy at the bottom, and idle at the top."""
        if self.x == 0:
            super().switch()
        else:
            require(self.mode == Mode.BUSY and self.x >= self.bounds.high)
            self.mode = Mode.IDLE
            self.x = 0

    @invariant
    def small(self) -> bool:
        """Is never at the top while idle."""
        return super().small() or self.mode == Mode.BUSY


ZOO: tuple[type[Protocol], ...] = (
    Arithmetic,
    Truths,
    Optionals,
    Maps,
    Enumerations,
    Sets,
    Logs,
    Loops,
    Base,
    Derived,
    Elsewhere,
    Sequences,
    Order,
    Names,
)
