"""What consumers do: read from followers (KIP-392), and ask for the latest offset."""

from __future__ import annotations

from typing import Self

from spec.language import Ghost, action, action_property, invariant, require

from .broker_lifecycle import BrokerLifecycle
from .state import Offset, Replica


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


class LatestOffsets(BrokerLifecycle):
    """ListOffsets with timestamp -1: a consumer asks a leader for the latest offset. `latest` is the last answer."""

    latest: Ghost[Offset]

    @action(by="consumer", to="leader", says="A consumer asks {leader} for the latest offset")
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
