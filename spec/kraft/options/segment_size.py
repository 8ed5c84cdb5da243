"""KAFKA-17375: `segment.bytes` is lowered below the size of a batch that followers have yet to copy."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import Offset, Replica, Status


@governed_by("followers_take_any_size")
class LoweredSegmentSize(BrokerLifecycle):
    """A leader has taken a batch that is larger than a segment may be now.

    Batches with an id below `too_large` are. `failed` are followers whose fetcher has given up the partition.
    """

    too_large: Offset
    failed: Set[Replica]

    @action(by="operator", says="segment.bytes becomes smaller than what was written")
    def lower_segment_size(self) -> None:
        """What is in a log stays there, whatever its size."""
        require(self.too_large == 0 and self.next_record > 0)
        self.too_large = self.next_record

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, while the partition is among those that the follower's thread fetches."""
        require(follower not in self.failed)
        super().fetch(follower, leader)

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """UnifiedLog.append: before KAFKA-17375 a follower refused what is larger than a segment, as a leader does.

        AbstractFetcherThread then gives up the partition, and fetches its others (KIP-461).
        """
        if (
            not self.settings.followers_take_any_size
            and self.end(follower) < self.end(leader)
            and self.brokers[leader].log[self.end(follower)].id < self.too_large
        ):
            self.failed |= {follower}
        else:
            super().copy_next(follower, leader)

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; in a new leader epoch the fetcher gets the partition anew."""
        if self.view(broker).leader_epoch > epoch_before:
            self.failed -= {broker}
        super().act_on_metadata(broker, led_before, epoch_before)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; a new process fetches anew."""
        super().stop(broker, status)
        self.failed -= {broker}

    @view(of="operator")
    def too_large_in_words(self) -> str:
        """Which batches are larger than a segment may be."""
        return f"batches before r{self.too_large} are larger than segment.bytes" if self.too_large > 0 else ""

    @view(of="broker")
    def failed_in_words(self, broker: Replica) -> str:
        """Whether a follower has given up the partition."""
        return "does not fetch the partition any more" if broker in self.failed else ""
