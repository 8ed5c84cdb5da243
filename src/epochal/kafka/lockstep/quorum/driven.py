"""One run of the quorum on both sides: Kafka's voters and the model take each step, and then both are compared."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from epochal.checker.semantics.semantics import Codes
from epochal.checker.trace.trace import Step
from epochal.spec.language import ActionInstance, Set
from epochal.spec.quorum.reconfiguration import VotersRecord
from epochal.spec.quorum.state import QuorumState, Record, Role

from ..compared import LeafDifference, differences
from ..driven import DrivenRun, Harness, Threw
from ..family import Leaves
from .compared import BatchSeen, Seen, VoterSeen, kafka_leaves, model_leaves, read_batch, read_state, shape_of
from .steps import AT_ONCE, DELAYED, MAPPED, NOT_CAUGHT_UP

NOTHING = "nothing"
"""What a leader tells a broker that has all that is committed."""


class DrivenQuorum(DrivenRun[QuorumState]):
    """Kafka's voters and the model beside them, from the initial state on.

    `committed` is what some leader of Kafka had below a high watermark of its own epoch, in the order in which that was
    seen, and `applied` what brokers were told. `left_out` says why neither side has taken the last step, "" if they
    have.
    """

    def __init__(self, kafka: Harness, protocol: QuorumState, seed: int) -> None:
        (initial,) = protocol.initial_states()
        super().__init__(kafka, protocol, initial)
        state = self.state
        self._members = dict(enumerate(state.voters, start=1))
        self.places = {one: place for place, one in self._members.items()}
        self.places |= {one: place for place, one in enumerate(state.applied, start=1)}
        self._shape = shape_of(protocol)
        self._epochs: dict[int, int] = {}
        self.applied: dict[Any, list[BatchSeen]] = {one: [] for one in state.applied}
        self.committed: list[BatchSeen] = []
        self.commit_epoch = 0
        self.said = self.left_out = ""
        self.answer(f"begin:{len(self._members)}:{seed}:{int(self._shape.changes)}")
        self.seen: Seen = read_state(self.answer("state"))

    def take(self, instance: ActionInstance, after: Codes, then: Sequence[Step] = ()) -> tuple[LeafDifference, ...]:
        """Take a step on both sides; where they differ after it. `then` are steps that Kafka takes at once with it."""
        arguments = dict(zip((one.name for one in instance.parameters), instance.arguments, strict=True))
        line = MAPPED[instance.action.name](self.state, arguments, self.places)
        before, taken = self.codes, len(self.steps)
        self.steps += [Step(instance, after), *then]
        self.codes = self.steps[-1].codes
        try:
            self.said = self.answer(line)
            self.left_out = DELAYED if self.said == NOT_CAUGHT_UP else ""
            if self.left_out:
                self.codes = before
                del self.steps[taken:]
            if instance.action.name == "observer_applies" and self.said != NOTHING:
                self.applied[arguments["observer"]].append(self._in_epoch(read_batch(self.said)))
            self._look(arguments.get("candidate") if self._shape.one_step else None)
        except Threw as thrown:
            return (LeafDifference("exception", str(thrown), "none"),)
        self._remember_committed()
        return self.differs()

    def at_once(self, after: Codes) -> list[Step]:
        """The steps that Kafka takes together with one that leads to this state.

        A leader that was removed by another one before it leads on: nobody waits for the end of that (Q9).
        """
        state: Any = self.protocol.at(after)
        if not self._shape.changes or not any(_has_removed_itself(state, one) for one in state.voters):
            return []
        found = (one for one in self.protocol.successors(after) if one[0].action.name == AT_ONCE)
        return [Step(*one) for one in itertools.islice(found, 1)]

    def refuse(self, line: str) -> tuple[LeafDifference, ...]:
        """Ask Kafka for what the model refuses; where the states differ after it, although nothing has happened."""
        try:
            self.said = self.answer(line)
            self._look()
        except Threw as thrown:
            return (LeafDifference("exception", str(thrown), "none"),)
        return self.differs()

    def _look(self, elected: Any = None) -> None:
        """Read the state of Kafka's voters; in an election that is one step its epoch is numbered first."""
        seen = read_state(self.answer("state"))
        if elected is not None:
            self._number(seen[self.places[elected]].epoch, elected)
        self.seen = {id: self._renumbered(own) for id, own in seen.items()}

    def differs(self) -> tuple[LeafDifference, ...]:
        """Where the states differ now."""
        return differences(self._leaves(), model_leaves(self.state, self._shape))

    def _leaves(self) -> Leaves:
        names = {place: str(one) for place, one in self._members.items()}
        applied = {str(one): log for one, log in self.applied.items()}
        return kafka_leaves(self.seen, applied, names, self._shape)

    def _number(self, epoch: int, candidate: Any) -> None:
        """Where an election is one step, Kafka's epoch after it is that of the model, by whatever number.

        Who has resigned leaves its epoch first (pollResigned), and so its election is in the epoch after the next.
        """
        self._epochs[epoch] = self.state.voters[candidate].epoch

    def _renumbered(self, own: VoterSeen) -> VoterSeen:
        log = tuple(map(self._in_epoch, own.log))
        return own._replace(epoch=self._epochs.get(own.epoch, own.epoch), log=log)

    def _in_epoch(self, batch: BatchSeen) -> BatchSeen:
        return batch._replace(epoch=self._epochs.get(batch.epoch, batch.epoch))

    def consequence(self, lines: Sequence[str]) -> str:
        """What Kafka throws at the first of these lines at which it throws; "" if it does not."""
        for line in lines:
            try:
                self.answer(line)
            except Threw as thrown:
                return str(thrown)
        return ""

    def place(self, member: Any) -> int:
        """The id of a voter in Kafka."""
        return self.places[member]

    def _remember_committed(self) -> None:
        for own in self.seen.values():
            if own.has_led and own.high_watermark > max(own.epoch_start, len(self.committed)):
                self.committed += own.log[len(self.committed) : own.high_watermark]
                self.commit_epoch = own.epoch

    # -- properties -----------------------------------------------------------------------------------------------

    def decoded(self) -> QuorumState:
        """Kafka's own state as one of the specification, for its properties; what was committed is what was seen."""
        state: Any = self.state
        for place, own in self.seen.items():
            voter = state.voters[self._members[place]]
            voter.role, voter.epoch = Role[own.role], own.epoch
            voter.leader = self._members.get(own.leader)
            voter.voted_for = self._members.get(own.vote(place))
            voter.votes = Set(self._members[one] for one in own.votes)
            voter.has_fetched = own.has_fetched
            voter.hw = own.high_watermark
            voter.log = self._log(own.log)
            if self._shape.snapshots:
                voter.start, voter.snapshot = own.start, own.snapshot
            for other in self._members:
                voter.acknowledged[self._members[other]] = own.known_copies.get(other, 0)
        for observer, log in self.applied.items():
            state.applied[observer] = self._log(log)
        state.committed, state.commit_epoch = self._log(self.committed), self.commit_epoch
        decoded: QuorumState = state
        return decoded

    def _log(self, batches: Iterable[BatchSeen]) -> Any:
        if not self._shape.changes:
            return [Record(epoch=one.epoch, leader=self._members[one.leader]) for one in batches]
        records, voters = [], frozenset(self._members)
        for one in batches:
            voters = one.voters or voters
            named = Set(self._members[id] for id in voters)
            records.append(VotersRecord(epoch=one.epoch, leader=self._members[one.leader], voters=named))
        return records


def _has_removed_itself(state: Any, leader: Any) -> bool:
    """Whether somebody leads who has written in this epoch that it is no voter any more."""
    own = state.voters[leader]
    changes = [offset for offset in range(len(own.log)) if state.is_change(leader, offset)]
    is_removed = own.role == Role.LEADER and leader not in state.last_voters(leader)
    return is_removed and own.log[changes[-1]].epoch == own.epoch
