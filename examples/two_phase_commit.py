"""Two-phase commit (Gray 1978): a coordinator commits only if every participant is prepared."""

import enum
from dataclasses import dataclass
from typing import Annotated

import epochal
from epochal.language import Bounds, Identifier, Identifiers, Map, Protocol, Set, action, bound, invariant, require


@dataclass(frozen=True)
class CommitBounds(Bounds):
    participants: int = bound(3, least=1, most=6, help="the number of participants")


Participant = Annotated[Identifier, Identifiers("p", CommitBounds.participants)]
Decision = enum.Enum("Decision", ["COMMIT", "ABORT"])
State = enum.Enum("State", ["WORKING", "PREPARED", "COMMITTED", "ABORTED"])


class TwoPhaseCommit(Protocol):
    """Messages are never lost, and may be read late: votes and the decision stay where they are written."""

    bounds: CommitBounds
    states: Map[Participant, State]
    votes: Set[Participant]
    decision: Decision | None

    @action(by="p", to="coordinator", sends="Prepared", says="{p} prepares and votes yes")
    def prepare(self, p: Participant) -> None:
        require(self.states[p] == State.WORKING)
        self.states[p] = State.PREPARED
        self.votes = self.votes | {p}

    @action(by="p", says="{p} aborts by itself")
    def abort_alone(self, p: Participant) -> None:
        require(self.states[p] == State.WORKING)
        self.states[p] = State.ABORTED

    @action(by="coordinator", says="the coordinator decides: {decision}")
    def decide(self, decision: Decision) -> None:
        require(self.decision is None)
        require(decision == Decision.ABORT or self.votes == Set(self.states))
        self.decision = decision

    @action(by="coordinator", to="p", sends="Decision", says="{p} learns the decision")
    def learn(self, p: Participant) -> None:
        require(self.decision is not None and self.states[p] in (State.WORKING, State.PREPARED))
        self.states[p] = State.COMMITTED if self.decision == Decision.COMMIT else State.ABORTED

    @invariant
    def all_agree(self) -> bool:
        """No participant has committed where another has aborted."""
        return not {State.COMMITTED, State.ABORTED} <= {self.states[p] for p in self.states}


result = epochal.check(TwoPhaseCommit())
assert (result.violated, result.exhaustive, result.states) == (set(), True, 99), result  # 3**n + 2**n + 4**n
