"""Reliable broadcast where some processes lie: what correct ones accept, all correct ones accept.

Source: tlaplus/Examples, `bcastByz/bcastByz`; T. K. Srikanth and S. Toueg, "Simulating
Authenticated Broadcasts to Derive Simple Fault-Tolerant Algorithms".
States:
    BcastByz(processes=4, tolerated=1, faulty=1): 14424, depth 7
Awkward: which of four rules a step follows is a parameter of it, because its fairness is of their disjunction; fairness
of a part of a step, of messages from correct processes only, needs an action of its own. A step can be chosen in at
most 20,000 ways, so the model `bcastByzNoBcast` with ten processes and any set of messages at a time is out of reach.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Map,
    Protocol,
    Set,
    action,
    bound,
    invariant,
    leads_to,
    require,
)


@dataclass(frozen=True)
class ByzantineBounds(Bounds):
    processes: int = bound(4, least=1, most=10, help="the number of processes")
    tolerated: int = bound(1, least=0, most=3, help="the number of faults that are tolerated")
    faulty: int = bound(1, least=0, most=3, help="the number of faulty processes")


Process = Annotated[Identifier, Identifiers("p", ByzantineBounds.processes)]
State = enum.Enum("State", ["V0", "V1", "SENT", "ACCEPTED"])
Rule = enum.Enum("Rule", ["TOLD", "ENOUGH_TO_SEND", "ENOUGH_TO_ACCEPT", "ENOUGH_TO_ACCEPT_AS_WELL"])


class BcastByz(Protocol):
    """A process that was told (V1) or has heard of enough others sends an echo, and accepts with yet more."""

    bounds: ByzantineBounds
    correct: Set[Process]
    state: Map[Process, State]
    received: Map[Process, Set[Process]]
    sent: Set[Process]

    def initial(self, correct: Set[Process], told: Set[Process]) -> None:
        require(len(correct) == self.bounds.processes - self.bounds.faulty)
        self.correct = correct
        for p in told:
            self.state[p] = State.V1

    def apply(self, p: Process, rule: Rule) -> None:
        """Follow a rule with what is received, if it allows that."""
        size, tolerated = self.bounds.processes, self.bounds.tolerated
        received, state = len(self.received[p]), self.state[p]
        if rule == Rule.TOLD:
            require(state == State.V1)
            self.state[p] = State.SENT
        elif rule == Rule.ENOUGH_TO_SEND:
            require(state in (State.V0, State.V1) and size - 2 * tolerated <= received < size - tolerated)
            self.state[p] = State.SENT
        else:
            before = (State.V0, State.V1) if rule == Rule.ENOUGH_TO_ACCEPT else (State.SENT,)
            require(state in before and received >= size - tolerated)
            self.state[p] = State.ACCEPTED
        self.sent = self.sent | {p}

    @action(by="p", says="{p} hears also of {new}, and takes a step: {rule}")
    def hear(self, p: Process, new: Set[Process], rule: Rule) -> None:
        require(p in self.correct and new <= self.sent | (Set(self.state) - self.correct))
        self.received[p] = self.received[p] | new
        self.apply(p, rule)

    @action(by="p", fair="weak", each=(), says="{p} hears also of {new}, all of whom are correct: {rule}")
    def hear_correct(self, p: Process, new: Set[Process], rule: Rule) -> None:
        require(p in self.correct and new <= self.sent)
        self.received[p] = self.received[p] | new
        self.apply(p, rule)

    @invariant
    def only_the_faulty_lie(self) -> bool:
        """What is received was sent, or is of a faulty process."""
        return all(self.received[p] & self.correct <= self.sent for p in self.state)

    @leads_to(fair=("hear_correct",), once=True)
    def correctness(self) -> tuple[bool, bool]:
        """If all correct processes are told, one of them accepts in the end."""
        told = all(self.state[p] == State.V1 for p in self.correct)
        return told, any(self.state[p] == State.ACCEPTED for p in self.correct)

    @leads_to(fair=("hear_correct",))
    def relay(self) -> tuple[bool, bool]:
        """If one correct process accepts, all of them accept in the end."""
        accepted = [self.state[p] == State.ACCEPTED for p in self.correct]
        return any(accepted), all(accepted)


class BcastByzNoBcast(BcastByz):
    """Nobody was told."""

    def initial(self, correct: Set[Process]) -> None:  # type: ignore[override]  # one choice less
        require(len(correct) == self.bounds.processes - self.bounds.faulty)
        self.correct = correct

    @invariant
    def unforgeability(self) -> bool:
        """No correct process accepts what nobody was told."""
        return all(self.state[p] != State.ACCEPTED for p in self.correct)
