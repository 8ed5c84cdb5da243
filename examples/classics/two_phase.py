"""A transaction is committed: as a wish (TCommit), and by a transaction manager with two phases (TwoPhase).

Source: tlaplus/Examples, `transaction_commit`; J. Gray and L. Lamport, "Consensus on Transaction Commit".
States:
    TCommit(managers=3): 34, depth 7
    TwoPhase(managers=3): 288, depth 11
Awkward: one set of messages of several kinds becomes a variable for each kind; that TwoPhase implements TCommit is
written out as a property of its steps.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Map,
    Protocol,
    Set,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class CommitBounds(Bounds):
    managers: int = bound(3, least=1, most=4, help="the number of resource managers")


Manager = Annotated[Identifier, Identifiers("r", CommitBounds.managers)]
State = enum.Enum("State", ["WORKING", "PREPARED", "COMMITTED", "ABORTED"])
Decision = enum.Enum("Decision", ["COMMIT", "ABORT"])


class Committing(Protocol):
    """What both are about: the states of the resource managers, and that they agree."""

    bounds: CommitBounds
    states: Map[Manager, State]

    @invariant
    def consistent(self) -> bool:
        """None has aborted where another has committed."""
        return not {State.COMMITTED, State.ABORTED} <= {self.states[r] for r in self.states}

    @reachable
    def all_commit(self) -> bool:
        """All have committed."""
        return all(self.states[r] == State.COMMITTED for r in self.states)

    @reachable
    def all_abort(self) -> bool:
        """All have aborted."""
        return all(self.states[r] == State.ABORTED for r in self.states)


class TCommit(Committing):
    """A manager sees the others, and commits or aborts as they allow."""

    @action(by="r", says="{r} prepares")
    def prepare(self, r: Manager) -> None:
        require(self.states[r] == State.WORKING)
        self.states[r] = State.PREPARED

    @action(by="r", says="{r} commits")
    def commit(self, r: Manager) -> None:
        require(self.states[r] == State.PREPARED)
        require(all(self.states[s] in (State.PREPARED, State.COMMITTED) for s in self.states))
        self.states[r] = State.COMMITTED

    @action(by="r", says="{r} aborts")
    def abort(self, r: Manager) -> None:
        require(self.states[r] in (State.WORKING, State.PREPARED))
        require(all(self.states[s] != State.COMMITTED for s in self.states))
        self.states[r] = State.ABORTED


class TwoPhase(Committing):
    """A transaction manager collects who has prepared, and decides. Messages stay where they were sent.

    A message is an entry of `prepared` or of `told`, and there is no record of all messages.
    """

    decided: Decision | None
    known: Set[Manager]
    prepared: Set[Manager]
    told: Set[Decision]

    @action(by="r", to="manager", sends="Prepared", says="{r} prepares")
    def prepare(self, r: Manager) -> None:
        require(self.states[r] == State.WORKING)
        self.states[r] = State.PREPARED
        self.prepared = self.prepared | {r}

    @action(by="r", says="{r} aborts by itself")
    def abort_alone(self, r: Manager) -> None:
        require(self.states[r] == State.WORKING)
        self.states[r] = State.ABORTED

    @action(by="manager", to="r", receives="Prepared", says="the manager hears that {r} has prepared")
    def hear(self, r: Manager) -> None:
        require(self.decided is None and r in self.prepared)
        self.known = self.known | {r}

    @action(by="manager", says="the manager decides: {decision}")
    def decide(self, decision: Decision) -> None:
        require(self.decided is None)
        require(decision == Decision.ABORT or self.known == Set(self.states))
        self.decided = decision
        self.told = self.told | {decision}

    @action(by="r", to="manager", receives="Decision", says="{r} is told: {decision}")
    def learn(self, r: Manager, decision: Decision) -> None:
        require(decision in self.told)
        self.states[r] = State.COMMITTED if decision == Decision.COMMIT else State.ABORTED

    @action_property
    def implements_t_commit(self, new: Self) -> bool:
        """Each step is one of TCommit, or changes the state of no manager."""
        can_commit = all(self.states[s] in (State.PREPARED, State.COMMITTED) for s in self.states)
        can_abort = all(self.states[s] != State.COMMITTED for s in self.states)
        return sum(1 for r in self.states if self.states[r] != new.states[r]) <= 1 and all(
            self.states[r] == new.states[r]
            or (self.states[r] == State.WORKING and new.states[r] == State.PREPARED)
            or (self.states[r] == State.PREPARED and new.states[r] == State.COMMITTED and can_commit)
            or (self.states[r] in (State.WORKING, State.PREPARED) and new.states[r] == State.ABORTED and can_abort)
            for r in self.states
        )
