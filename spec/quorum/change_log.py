"""The joint of quorum and data plane: how a quorum does what `spec/kraft` takes one controller with one log to do.

`spec/kraft` takes a *change log* for granted. That is a specification of its own. Its state is a log of changes, and
for each broker a position in it; at first the log is empty, and every position 0. A step appends changes, and leaves
those before them alone; or it moves one broker to a later position, up to the end. One controller after the other
decides what is appended, each change in view of all those before it.

`ChangeLog` maps a state of the quorum to a state of the change log, and checks the steps of the quorum by it: each is a
step of the change log, or changes nothing of it (a refinement map, Abadi and Lamport 1991). The map needs history,
because a restart forgets the high watermark: the change log has at each offset the record that a leader's high
watermark passed there last. So nothing is append-only by definition; a change that is replaced is seen.

| in `spec/kraft` | in the quorum |
|---|---|
| `append_change`, one step | a leader writes the record; the change is made when a high watermark passes it |
| `metadata[0]`, by which the controller decides | the leader's log below the record that it writes |
| `metadata[n]` | the change log without its last n records |
| `behind` | how far a broker's position is from the end, records that make no difference to it not counted |
| `metadata_lag` | nothing: in the quorum a broker may be any number of records behind |
| `replay_metadata` of n records | n steps of `observer_applies` |
| no controller fails | the change log stays; the next leader's LeaderChange record makes no difference to brokers |

A record whose leader wrote it in vain was never decided: brokers do not apply it, the answer waits for the commit, and
a deposed controller goes back to what is committed (`StaleController` in `spec/kraft` is one that answers before).
What a former leader left behind is committed with the LeaderChange record of the next, so that one step may append
several changes. What a controller knows and no record says, such as who sent a heartbeat lately, `spec/kraft` leaves
open anyway. The map is about safety: that some leader is there in the end, as `spec/kraft` has it, is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from ..language import (
    Capacity,
    Ghost,
    Identifier,
    Log,
    Map,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    shown,
    view,
)
from .quorum import Quorum
from .state import B, Epoch, QuorumBounds, Record, Voter


@dataclass(frozen=True)
class OneFailover(QuorumBounds):
    """Two leaders, and room for the LeaderChange record and one change of each."""

    log_size: int = bound(
        4, least=1, most=6, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    max_epoch: int = bound(
        2, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


class ChangeLog(Quorum):
    """The map from quorum to change log, the steps of the change log, and the result.

    `change_log` is what high watermarks exposed, the latest word at each offset. `decided` holds for each epoch the log
    of its leader as it was when that leader wrote last.
    """

    change_log: Ghost[Annotated[Log[Record], Capacity(B.log_size)]]
    decided: Ghost[Map[Epoch, Annotated[Log[Record], Capacity(B.log_size)]]]

    # -- the map --------------------------------------------------------------------------------------------------

    def commit(self, leader: Identifier, offset: int) -> None:
        """As in the quorum; what a high watermark passes is in the change log from then on."""
        before = self.voters[leader].hw
        super().commit(leader, offset)
        if self.voters[leader].hw > before:
            for o in range(self.voters[leader].hw):
                if o < len(self.change_log):
                    self.change_log[o] = self.voters[leader].log[o]
                else:
                    self.change_log.append(self.voters[leader].log[o])

    def become_leader(self, v: Identifier) -> None:
        """As in the quorum; the LeaderChange record is the leader's first decision."""
        super().become_leader(v)
        self.remember_decision(v)

    @action(by="leader", says="{leader} appends a record")
    def append(self, leader: Voter) -> None:
        """As in the quorum: the active controller decides on a change, in view of its whole log."""
        super().append(leader)
        self.remember_decision(leader)

    def remember_decision(self, leader: Identifier) -> None:
        """What the leader of this epoch has written, and all that it had in view."""
        self.decided[self.voters[leader].epoch] = self.voters[leader].log

    def position(self, broker: Identifier) -> int:
        """How much of the change log a broker has replayed."""
        return len(self.applied[broker])

    # -- the steps of the change log ------------------------------------------------------------------------------

    def log_stays(self, new: Self) -> bool:
        """The change log is as it was."""
        return new.change_log == self.change_log

    def log_grows(self, new: Self) -> bool:
        """Changes are appended, and those before them are as they were."""
        return len(new.change_log) > len(self.change_log) and self.begins_with(
            new.change_log, self.change_log, len(self.change_log)
        )

    def stays(self, new: Self, broker: Identifier) -> bool:
        """A broker has replayed what it had."""
        return new.applied[broker] == self.applied[broker]

    def replays(self, new: Self, broker: Identifier) -> bool:
        """A broker has replayed more than it had, and all of it is the change log up to the broker's position."""
        return new.position(broker) > self.position(broker) and self.begins_with(
            new.change_log, new.applied[broker], new.position(broker)
        )

    # -- the result --------------------------------------------------------------------------------------------

    @action_property
    def refines_change_log(self, new: Self) -> bool:
        """Every step appends changes to the change log, or lets one broker replay the next of them, or does neither."""
        nobody_replays = all(self.stays(new, b) for b in self.applied)
        one_replays = any(
            self.replays(new, b) and all(other == b or self.stays(new, other) for other in self.applied)
            for b in self.applied
        )
        return (self.log_grows(new) and nobody_replays) or (self.log_stays(new) and (one_replays or nobody_replays))

    @invariant
    def decided_in_view_of_the_log(self) -> bool:
        """Each change was decided by the controller of its epoch, in view of all changes before it and no others."""
        return all(
            self.begins_with(self.decided[e], self.change_log, o + 1)
            for o in range(len(self.change_log))
            for e in self.decided
            if self.change_log[o].epoch == e
        )

    @invariant
    def controllers_take_turns(self) -> bool:
        """In the change log no controller comes after its successor, and each epoch has one controller."""
        return all(
            self.change_log[o].epoch < self.change_log[o + 1].epoch or self.change_log[o] == self.change_log[o + 1]
            for o in range(len(self.change_log) - 1)
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    def is_change(self, o: int) -> bool:
        """Whether there is a record at this offset that is more than the LeaderChange record of its epoch."""
        return 0 < o < len(self.change_log) and self.change_log[o - 1].epoch == self.change_log[o].epoch

    @reachable
    def failover_between_changes(self) -> bool:
        """One leader's change is in the log, and after it a change of the next leader."""
        return any(
            self.is_change(early)
            and self.is_change(late)
            and self.change_log[early].leader != self.change_log[late].leader
            for late in range(self.bounds.log_size)
            for early in range(late)
        )

    @reachable
    def decision_is_lost(self) -> bool:
        """A leader wrote a record in vain: the change log has another one in its place."""
        return any(
            o < len(self.change_log) and o < len(self.decided[e]) and self.change_log[o].epoch > e
            for e in self.decided
            for o in range(self.bounds.log_size)
        )

    # -- words ----------------------------------------------------------------------------------------------------

    @view(of="change log")
    def change_log_in_words(self) -> str:
        """The change log."""
        return " ".join(map(shown, self.change_log))

    @view(of="decided")
    def decided_in_words(self) -> str:
        """The log of each epoch's leader, as it was when that leader wrote last."""
        logs = {epoch: self.decided[epoch] for epoch in self.decided if len(self.decided[epoch]) > 0}
        return ", ".join(f"in e{epoch} {' '.join(map(shown, log))}" for epoch, log in logs.items())


class QuorumChangeLog(ChangeLog):
    """The quorum, and with it the log of changes that the data plane takes for granted: one failover, three voters."""

    name: ClassVar[str] = "quorum-change-log"
    bounds: OneFailover
