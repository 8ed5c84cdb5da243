"""A tank that is filled and drained, and changes to it whose effect is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.zoo.rows import rows

rows(
    globals(),
    "Protocol",
    """
    Tank: A tank that is filled and drained.
        name: ClassVar[str] = "tank"
        bounds: Bounds
        level: Annotated[int, Integers(0, 7)]
        valve: bool
        action fill: One more, while there is room.
            require(self.level < 5)
            self.level += 1
        action drain(amount: Annotated[int, Integers(1, 2)]): Some less.
            require(self.level >= amount)
            self.level -= amount
    Smaller < Tank: It is full earlier.
        def fill(self) -> None:
            require(self.level < 4)
            self.level += 1
    Opening < Tank: The valve opens when the tank is full.
        def fill(self) -> None:
            require(self.level < 5)
            self.level += 1
            self.valve = self.level == 5
    Closed < Tank: Nothing can be filled in.
        def fill(self) -> None:
            require(self.valve != self.valve)
            self.level += 1
    Overflowing < Tank: It is filled beyond its size.
        def fill(self) -> None:
            self.level += 1
    FailsFirst < Tank: It is filled before anybody looks.
        def fill(self) -> None:
            self.level += 3
            require(self.valve)
    OtherAmounts < Tank: Nothing may be drained, but not two.
        def drain(self, amount: Annotated[int, Integers(0, 1)]) -> None:
            require(self.level >= amount)
            self.level -= amount
    Poured < Tank: Filling has another name.
        fill = None
        action pour: One more, while there is room.
            require(self.level < 5)
            self.level += 1
    Narrow < Tank: It is not looked at when it is nearly full.
        constraint narrow: Below four.
            return self.level < 4
    Cautious < Narrow: The same in other words.
        def narrow(self) -> bool:
            return not self.level >= 4
    FromOne < Tank: Levels are counted from one.
        level: Annotated[int, Integers(1, 8)]
    Refactored < Tank: The same steps, told differently.
        def fill(self) -> None:
            if self.level >= 5:
                require(False)
            self.level = self.level + 2 - 1
    OnlyUnreachable < Tank: Another step where no run comes.
        def fill(self) -> None:
            require(self.level != 5 and self.level < 7)
            self.level += 1
    Renamed: The tank with other names, and drained by one only.
        bounds: Bounds
        level: Annotated[int, Integers(0, 7)]
        valve: bool
        action pour: One more, while there is room.
            require(self.level < 5)
            self.level += 1
        action drain: One less.
            require(self.level >= 1)
            self.level -= 1
    HalfFull < Tank: It begins in the middle.
        def initial(self) -> None:
            self.level = 3
    OtherDomain < Tank: A larger tank.
        level: Annotated[int, Integers(0, 9)]
    OneMore < Tank: Another variable.
        alarm: bool
    History < Tank: A variable that is history here.
        valve: Ghost[bool]
    """,
)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
