"""A record seen as the state of another protocol: its own steps are attempted there, the same in every reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import (
    Bounds,
    Capacity,
    Ghost,
    Identifier,
    Identifiers,
    Integers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Struct,
    action,
    attempt,
    bound,
    invariant,
    require,
    seen_as,
)
from tests.checker.compile.agreement import agreement


@dataclass(frozen=True)
class TankBounds(Bounds):
    """How much a tank holds."""

    size: int = bound(2, least=1, most=4, help="litres")


Level = Annotated[int, Integers(0, TankBounds.size)]
Tap = Annotated[Identifier, Identifiers("t", 2)]


class Base(Protocol):
    """A word and a step that the next one changes."""

    bounds: TankBounds
    level: Map[Tap, Level]
    history: Annotated[Log[Level], Capacity(TankBounds.size)]

    @property
    def total(self) -> int:
        """What is in both."""
        return sum(self.level[t] for t in self.level)

    @action
    def fill(self, tap: Tap) -> None:
        """One litre more."""
        require(self.total < self.bounds.size)
        self.level[tap] += 1


class Tank(Base):
    """Remembers what was filled, and refuses to be emptied."""

    def fill(self, tap: Tap) -> None:
        """As always."""
        super().fill(tap)
        if self.level[tap] > 1:
            require(len(self.history) < self.bounds.size)
        self.history.append(self.total)

    @action
    def swap(self) -> None:
        """Both levels change places, where they differ."""
        one, two = self.level[self.member(Tap, 0)], self.level[self.member(Tap, 1)]
        require(one != two)
        for tap in self.level:
            self.level[tap] = one if self.level[tap] == two else two


class TankState(Struct):
    """A state of the tank."""

    level: Map[Tap, Level]
    history: Annotated[Log[Level], Capacity(TankBounds.size)]


@dataclass(frozen=True)
class HostBounds(TankBounds):
    """The same, and how often a tap is turned."""

    turns: int = bound(4, least=1, most=9, help="turns")


class Host(Protocol):
    """Turns taps, whether or not the tank has room."""

    name: ClassVar[str] = "host"
    bounds: HostBounds
    total: Annotated[int, Integers(0, HostBounds.turns)]
    tank: Ghost[TankState]
    refused: Ghost[Annotated[int, Integers(0, HostBounds.turns * 2)]]

    def seen(self) -> Tank:
        """The tank."""
        return seen_as(Tank, self.tank, TankBounds(self.bounds.size))

    @action
    def turn(self, tap: Tap) -> None:
        """Fill, whatever comes of it, and now and then swap."""
        require(self.total < self.bounds.turns)
        self.total += 1
        filled = attempt(self.seen().fill, tap)
        if not filled:
            self.refused += 1
            swapped = attempt(self.seen().swap)
            if not swapped:
                self.refused += 1

    @invariant
    def room(self) -> bool:
        """The tank's own words say how full it is."""
        return self.seen().total == min(self.total, self.bounds.size)

    @invariant
    def nothing_refused(self) -> bool:
        """The tank takes everything."""
        return self.refused == 0


def test_the_readings_agree_in_every_state() -> None:
    readings = agreement(Host)
    seen = set(readings.protocol.initial_states())
    frontier = list(seen)
    while frontier:
        for _, after in readings.compare(frontier.pop()):
            if after not in seen:
                seen.add(after)
                frontier.append(after)
    assert len(seen) > 10


def test_a_refused_step_disables_nothing() -> None:
    """Every turn is taken; the third is refused by the tank, which holds two litres."""
    options = Options(all_violations=True)
    native, python = breadth_first.check(Host(), options), reference_engine.check(Host(), options)
    assert (native.state_digest, native.step_digest) == (python.state_digest, python.step_digest)
    assert {p.member.name: (p.verdict, p.length) for p in native.properties} == {
        "room": ("holds", None),
        "nothing_refused": ("violated", 4),
    }
    assert native.depth == 5


def test_a_refused_step_leaves_no_trace() -> None:
    """What the step changed before it came to its guard is taken back."""
    host = Host()
    for _ in range(2):
        host.turn(next(iter(host.tank.level)))
    before = host.seen().codes()
    one = next(iter(host.tank.level))
    assert not attempt(host.seen().fill, one)
    assert host.seen().codes() == before


class OtherDomain(Struct):
    """One domain is another."""

    level: Map[Tap, Annotated[int, Integers(0, 1)]]
    history: Annotated[Log[Level], Capacity(TankBounds.size)]


class Misfit(Host):
    """The record is not that of a tank."""

    other: OtherDomain

    def seen(self) -> Tank:
        """Not a tank."""
        return seen_as(Tank, self.other, TankBounds(self.bounds.size))


class Unseen(Host):
    """Attempts a step of its own."""

    @action
    def turn(self, tap: Tap) -> None:
        """Of its own."""
        allowed = attempt(self.drain)
        require(allowed)

    def drain(self) -> None:
        """Nothing."""


class InOperand(Host):
    """Attempts inside an operand."""

    @action
    def turn(self, tap: Tap) -> None:
        """Inside an operand."""
        if self.total == 0 or attempt(self.seen().swap):
            self.total = 0


class Written(Host):
    """Changes what it sees by itself."""

    @action
    def turn(self, tap: Tap) -> None:
        """Without an attempt."""
        self.seen().level[tap] = 0


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Written, "a state that seen_as gave is changed"),
        (Misfit, r"OtherDomain cannot stand for a state of Tank, from \.level"),
        (Unseen, "attempt takes a step of a state that seen_as gave"),
        (InOperand, "attempt stands inside an operand"),
    ],
)
def test_mistakes_are_told(kind: type[Host], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        compile_protocol(kind())


@pytest.mark.parametrize(("kind", "message"), [(Misfit, "cannot stand for"), (Unseen, "that seen_as gave")])
def test_python_tells_them_too(kind: type[Host], message: str) -> None:
    host = kind()
    with pytest.raises(LanguageError, match=message):
        host.turn(next(iter(host.tank.level)))
