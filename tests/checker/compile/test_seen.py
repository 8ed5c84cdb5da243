"""A record seen as the state of another protocol: its own steps are attempted there, the same in every reading."""

from __future__ import annotations

import re
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import LanguageError, attempt
from tests.checker.compile.agreement import agreement
from tests.zoo.rows import Row, rows

KINDS = rows(
    globals(),
    "Protocol",
    """
    TankBounds < Bounds: How much a tank holds.
        size: int = bound(2, least=1, most=4, help="litres")
    Level = Annotated[int, Integers(0, TankBounds.size)]
    Tap = Annotated[Identifier, Identifiers("t", 2)]
    TankState < Struct: A state of the tank.
        level: Map[Tap, Level]
        history: Annotated[Log[Level], Capacity(TankBounds.size)]
    HostBounds < TankBounds: The same, and how often a tap is turned.
        turns: int = bound(4, least=1, most=9, help="turns")
    Base: A word and a step that the next one changes.
        bounds: TankBounds
        level: Map[Tap, Level]
        history: Annotated[Log[Level], Capacity(TankBounds.size)]
        @property
        def total(self) -> int:
            # What is in both.
            return sum(self.level[t] for t in self.level)
        action fill(tap: Tap): One litre more.
            require(self.total < self.bounds.size)
            self.level[tap] += 1
    Tank < Base: Remembers what was filled, and refuses to be emptied.
        def fill(self, tap: Tap) -> None:
            # As always.
            super().fill(tap)
            if self.level[tap] > 1:
                require(len(self.history) < self.bounds.size)
            self.history.append(self.total)
        action swap: Both levels change places, where they differ.
            one, two = self.level[self.member(Tap, 0)], self.level[self.member(Tap, 1)]
            require(one != two)
            for tap in self.level:
                self.level[tap] = one if self.level[tap] == two else two
    Host: Turns taps, whether or not the tank has room.
        name: ClassVar[str] = "host"
        bounds: HostBounds
        total: Annotated[int, Integers(0, HostBounds.turns)]
        tank: Ghost[TankState]
        refused: Ghost[Annotated[int, Integers(0, HostBounds.turns * 2)]]
        def seen(self) -> Tank:
            # The tank.
            return seen_as(Tank, self.tank, TankBounds(self.bounds.size))
        action turn(tap: Tap): Fill, whatever comes of it, and now and then swap.
            require(self.total < self.bounds.turns)
            self.total += 1
            filled = attempt(self.seen().fill, tap)
            if not filled:
                self.refused += 1
                swapped = attempt(self.seen().swap)
                if not swapped:
                    self.refused += 1
        invariant room: The tank's own words say how full it is.
            return self.seen().total == min(self.total, self.bounds.size)
        invariant nothing_refused: The tank takes everything.
            return self.refused == 0
    """,
)
Tank: type[Any] = KINDS["Tank"].kind
Host: type[Any] = KINDS["Host"].kind


def test_the_readings_agree_in_every_state() -> None:
    readings = agreement(KINDS["Host"].kind)
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


MISTAKES = rows(
    globals(),
    "Host",
    """
    OtherDomain < Struct: One domain is another.
        level: Map[Tap, Annotated[int, Integers(0, 1)]]
        history: Annotated[Log[Level], Capacity(TankBounds.size)]
    Misfit: OtherDomain cannot stand for a state of Tank, from .level
        other: OtherDomain
        def seen(self) -> Tank:
            return seen_as(Tank, self.other, TankBounds(self.bounds.size))
    Unseen: attempt takes a step of a state that seen_as gave
        action turn(tap: Tap)
            allowed = attempt(self.drain)
            require(allowed)
        def drain(self) -> None:
            pass
    InOperand: attempt stands inside an operand
        action turn(tap: Tap)
            if self.total == 0 or attempt(self.seen().swap):
                self.total = 0
    Written: a state that seen_as gave is changed
        action turn(tap: Tap)
            self.seen().level[tap] = 0
    """,
)


@pytest.mark.parametrize("row", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told(row: Row) -> None:
    with pytest.raises(LanguageError, match=re.escape(row.expected)):
        compile_protocol(row.kind())


@pytest.mark.parametrize(("name", "message"), [("Misfit", "cannot stand for"), ("Unseen", "that seen_as gave")])
def test_python_tells_them_too(name: str, message: str) -> None:
    host: Any = MISTAKES[name].kind()
    with pytest.raises(LanguageError, match=message):
        host.turn(next(iter(host.tank.level)))
