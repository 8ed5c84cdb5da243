"""Lamport's mutual exclusion with messages and clocks.

Source: tlaplus/Examples, `lamport_mutex/MCLamportMutex`; L. Lamport, "Time, Clocks, and the Ordering of Events".
States:
    LamportMutex(processes=3, max_clock=6): 724274, depth 61
Awkward: the first entry of a channel is taken out by a comprehension over the others; clocks have a domain, so that the
constraint is written beside one that is larger by one; the lexicographic order of pairs is written out.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Capacity,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    bound,
    constraint,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class LamportBounds(Bounds):
    processes: int = bound(3, least=2, most=4, help="the number of processes")
    max_clock: int = bound(6, least=1, most=8, help="the clock up to which is searched")


Number = Annotated[int, Integers(1, LamportBounds.processes)]
Time = Annotated[int, Integers(0, LamportBounds.max_clock + 1)]
Kind = enum.Enum("Kind", ["REQUEST", "ACKNOWLEDGE", "RELEASE"])


class Message(Struct):
    """A message, and for requests the clock of its sender."""

    kind: Kind
    clock: Time


class LamportMutex(Protocol):
    """Each process keeps the requests of all, and enters when its own is the oldest and all others have answered.

    Channels have room for one message more than is ever in them, so that the invariant about it
    can fail; and clocks have the values 0 to `max_clock + 1`, of which the last lies outside the constraint. Tuples
    that hold values of the state have no order, so what is older is written out.
    """

    bounds: LamportBounds
    clock: Map[Number, Time]
    requests: Map[Number, Map[Number, Time]]
    answers: Map[Number, Set[Number]]
    channel: Map[Number, Map[Number, Annotated[Log[Message], Capacity(4)]]]
    inside: Set[Number]

    def initial(self) -> None:
        for p in self.clock:
            self.clock[p] = 1

    def broadcast(self, p: Number, message: Message) -> None:
        """Send a message to all others."""
        for q in self.clock:
            if q != p:
                self.channel[p][q].append(message)

    def received(self, p: Number, q: Number, kind: Kind) -> int:
        """Take the first message from `q` to `p`, which must be of this kind; its clock."""
        require(p != q and len(self.channel[q][p]) > 0)
        first = self.channel[q][p][0]
        require(first.kind == kind)
        rest = [self.channel[q][p][i] for i in range(1, len(self.channel[q][p]))]
        self.channel[q][p] = rest  # type: ignore[assignment]  # a place for a log takes a list
        return first.clock

    def is_older(self, p: Number, q: Number) -> bool:
        """Whether `p` knows of no request of `q` or its own is older; of two as old, that of the smaller number."""
        own, other = self.requests[p][p], self.requests[p][q]
        return other == 0 or own < other or (own == other and p < q)

    @action(by="p", says="{p} requests")
    def request(self, p: Number) -> None:
        require(self.requests[p][p] == 0)
        self.requests[p][p] = self.clock[p]
        self.answers[p] = Set({p})
        self.broadcast(p, Message(kind=Kind.REQUEST, clock=self.clock[p]))

    @action(by="p", to="q", says="{p} hears the request of {q}, and answers")
    def hear_request(self, p: Number, q: Number) -> None:
        clock = self.received(p, q, Kind.REQUEST)
        self.requests[p][q] = clock
        self.clock[p] = max(clock, self.clock[p]) + 1
        self.channel[p][q].append(Message(kind=Kind.ACKNOWLEDGE, clock=0))

    @action(by="p", to="q", says="{p} hears the answer of {q}")
    def hear_answer(self, p: Number, q: Number) -> None:
        self.received(p, q, Kind.ACKNOWLEDGE)
        self.answers[p] = self.answers[p] | {q}

    @action(by="p", to="q", says="{p} hears that {q} has left")
    def hear_release(self, p: Number, q: Number) -> None:
        self.received(p, q, Kind.RELEASE)
        self.requests[p][q] = 0

    @action(by="p", says="{p} enters")
    def enter(self, p: Number) -> None:
        require(self.answers[p] == Set(self.clock))
        require(all(q == p or self.is_older(p, q) for q in self.clock))
        self.inside = self.inside | {p}

    @action(by="p", says="{p} leaves")
    def leave(self, p: Number) -> None:
        require(p in self.inside)
        self.inside = self.inside - {p}
        self.requests[p][p] = 0
        self.answers[p] = Set()
        self.broadcast(p, Message(kind=Kind.RELEASE, clock=0))

    @constraint
    def clocks_are_bounded(self) -> bool:
        """How far is searched."""
        return all(self.clock[p] <= self.bounds.max_clock for p in self.clock)

    @invariant
    def one_at_a_time(self) -> bool:
        """At most one process is inside."""
        return len(self.inside) <= 1

    @invariant
    def channels_are_short(self) -> bool:
        """No channel has more than three messages."""
        return all(len(self.channel[p][q]) <= 3 for p in self.clock for q in self.clock)

    @reachable
    def channels_fill(self) -> bool:
        """A channel has three messages."""
        return any(len(self.channel[p][q]) == 3 for p in self.clock for q in self.clock)
