"""What consumers do: read at leaders and followers (KIP-392), check their position, and ask for the latest offset."""

from __future__ import annotations

from typing import Annotated, Self

from ...language import (
    Capacity,
    Ghost,
    Identifier,
    Log,
    action,
    action_property,
    invariant,
    reachable,
    require,
    shown,
    view,
)
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by, since
from ..state import B, Epoch, Offset, Record, Replica


@governed_by(diverging_answer_has_no_hw=since("3.4.1"))
class FollowerReads(BrokerLifecycle):
    """KIP-392, Kafka 2.4: consumers read from followers, too, up to the follower's own high watermark."""

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always. Before KAFKA-14704 a follower took the high watermark from an answer with a diverging epoch before
        it cut its log back; here a consumer may read between the two.
        """
        raised = min(self.brokers[leader].hw, self.end(follower))
        if (
            not self.settings.diverging_answer_has_no_hw
            and follower != leader
            and self.presumes_leadership(leader)
            and self.follows(follower, leader)
            and self.diverges(follower, leader)
            and raised > self.brokers[follower].hw
        ):
            self.brokers[follower].hw = raised
        else:
            super().fetch(follower, leader)

    @invariant
    def follower_read_consistency(self) -> bool:
        """Whatever a replica has below its high watermark, so that consumers may read it there, is committed."""
        return all(
            all(
                offset < min(self.end(r), len(self.committed)) and self.brokers[r].log[offset] == self.committed[offset]
                for offset in range(self.brokers[r].hw)
            )
            for r in self.brokers
        )


@governed_by("offset_not_available")
class LatestOffsets(BrokerLifecycle):
    """ListOffsets with timestamp -1: a consumer asks a leader for the latest offset. `latest` is the last answer."""

    latest: Ghost[Offset]

    @action(
        by="consumer",
        to="leader",
        sends="ListOffsets",
        receives="ListOffsets response",
        says="A consumer asks {leader} for the latest offset",
    )
    def list_latest_offset(self, leader: Replica) -> None:
        """KIP-207: OFFSET_NOT_AVAILABLE until the high watermark has reached the start of the leader's epoch."""
        require(self.is_legitimate(leader))
        if self.settings.offset_not_available:
            require(self.brokers[leader].hw >= self.brokers[leader].epoch_start)
        self.latest = self.brokers[leader].hw

    @action_property
    def latest_offset_never_goes_back(self, new: Self) -> bool:
        """The latest offset that consumers are told never goes back."""
        return new.latest >= self.latest

    @view(of="consumer")
    def latest_in_words(self) -> str:
        """What consumers were told last."""
        return f"was told of latest offset {self.latest}" if self.latest > 0 else ""


class Consumer(BrokerLifecycle):
    """One consumer that reads from its first offset on, at leaders and followers, and checks its position (KIP-320).

    `consumed` is what it has read, so that its end is the consumer's position. It fetches in the leader epoch that its
    metadata named last, and after a newer one only when the leader has confirmed its position. An offset between a
    replica's high watermark and its log end gets an empty answer; one beyond the log end of a follower is
    OFFSET_OUT_OF_RANGE, and the consumer goes back to the leader with its position unchanged (KIP-392).
    """

    consumed: Annotated[Log[Record], Capacity(B.records)]
    metadata_epoch: Epoch
    confirmed: bool
    told_of_truncation: Ghost[bool]

    def initial(self, leader: Replica) -> None:
        """As always, and the consumer begins."""
        super().initial(leader)
        self.confirmed = True

    @action(
        by="consumer",
        to="broker",
        sends="Metadata",
        receives="Metadata response",
        says="The consumer learns the leader epoch from {broker}",
        fair="weak",
    )
    def refresh_metadata(self, broker: Replica) -> None:
        """Metadata of an older leader epoch is ignored; with a newer one the position has to be confirmed again."""
        require(self.is_running(broker))
        require(self.view(broker).leader_epoch > self.metadata_epoch)
        self.metadata_epoch = self.view(broker).leader_epoch
        self.confirmed = len(self.consumed) == 0

    @action(
        by="consumer",
        to="leader",
        sends="OffsetForLeaderEpoch",
        receives="OffsetForLeaderEpoch response",
        says="The consumer asks {leader} to confirm its position",
        fair="weak",
    )
    def confirm_position(self, leader: Replica) -> None:
        """KIP-320, OffsetForLeaderEpoch: does the leader's log still hold what the consumer read last?

        If it does not, LogTruncationException tells where the two part, and the consumer goes on from there.
        """
        require(not self.confirmed)
        require(self.presumes_leadership(leader) and self.view(leader).leader_epoch == self.metadata_epoch)
        read = self.consumed.last.epoch
        end = self.end_offset_for(leader, read)
        if end < len(self.consumed) or self.epoch_before(leader, end, read) < read:
            self.told_of_truncation = True
            self.consumed.truncate(min(end, len(self.consumed)))
        self.confirmed = True

    @action(
        by="consumer",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="The consumer reads a record at {leader}, the leader",
        fair="weak",
    )
    def read_at_leader(self, leader: Replica) -> None:
        """A leader answers with what is below its high watermark; of another epoch, with FENCED_LEADER_EPOCH."""
        require(self.presumes_leadership(leader))
        self.read(leader)

    @action(
        by="consumer",
        to="follower",
        sends="Fetch",
        receives="Fetch response",
        says="The consumer reads a record at {follower}, a follower",
        fair="weak",
    )
    def read_at_follower(self, follower: Replica) -> None:
        """KIP-392: a follower answers with what is below its own high watermark, and fences as a leader does."""
        require(self.is_running(follower))
        require(self.view(follower).leader is not None and self.view(follower).leader != follower)
        self.read(follower)

    def read(self, replica: Identifier) -> None:
        """A fetch of the next record."""
        require(self.confirmed)
        require(self.view(replica).leader_epoch == self.metadata_epoch)
        require(len(self.consumed) < self.brokers[replica].hw)
        self.consumed.append(self.brokers[replica].log[len(self.consumed)])

    @invariant
    def consistent_read(self) -> bool:
        """What the consumer has read the partition's leader has, at the same offsets."""
        return all(
            len(self.consumed) <= self.end(r)
            and all(self.brokers[r].log[offset] == self.consumed[offset] for offset in range(len(self.consumed)))
            for r in self.brokers
            if self.is_legitimate(r)
        )

    @invariant
    def truncation_never_detected(self) -> bool:
        """The consumer is never told that what it has read is gone (LogTruncationException)."""
        return not self.told_of_truncation

    @invariant
    def offset_in_range(self) -> bool:
        """No leader answers the consumer with OFFSET_OUT_OF_RANGE."""
        return all(
            len(self.consumed) <= self.end(r)
            for r in self.brokers
            if self.confirmed and self.presumes_leadership(r) and self.view(r).leader_epoch == self.metadata_epoch
        )

    @reachable
    def waits_above_high_watermark(self) -> bool:
        """After a failover the consumer's offset is above the new leader's high watermark: an empty answer."""
        return any(
            self.brokers[r].hw < len(self.consumed)
            for r in self.brokers
            if self.is_legitimate(r) and self.confirmed and self.view(r).leader_epoch == self.metadata_epoch
        )

    @view(of="consumer")
    def consumed_in_words(self) -> str:
        """What the consumer has read, and how sure it is of its position."""
        said = [f"knows e{self.metadata_epoch}"]
        if len(self.consumed) > 0:
            said.append(f"has read {' '.join(map(shown, self.consumed))}")
        if not self.confirmed:
            said.append("has yet to confirm its position")
        if self.told_of_truncation:
            said.append("was told of a truncation")
        return ", ".join(said)
