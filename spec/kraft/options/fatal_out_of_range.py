"""KAFKA-7414: a follower whose log ends beyond its leader's, where only clean elections are allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from ...language import action_property
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by
from ..settings import BEFORE_STRICT_HW, Truncation
from ..state import Replica, Status


@governed_by("out_of_range_is_not_fatal")
class FatalOutOfRange(BrokerLifecycle):
    """ReplicaFetcherThread.handleOffsetOutOfRange, as fetchOffsetAndTruncate was called."""

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always. Before KAFKA-7414 a follower with more records than its leader had its broker exit.

        It took them for those that an unclean election has lost: where such are not allowed, it was not to truncate
        (FatalExitError). It may start again, and finds the same.
        """
        if (
            not self.settings.out_of_range_is_not_fatal
            and not self.settings.unclean_leader_election
            and follower != leader
            and self.presumes_leadership(leader)
            and self.follows(follower, leader)
            and not self.diverges(follower, leader)
            and self.end(follower) > self.end(leader)
        ):
            self.stop(follower, Status.SHUT_DOWN)
        else:
            super().fetch(follower, leader)

    def failures(self) -> int:
        """How many brokers have failed, or were shut down, while they were alive."""
        return self.used.crashes + self.used.lossy_crashes + self.used.fencings

    @action_property
    def no_broker_exits_by_itself(self, new: Self) -> bool:
        """No process ends but by a failure of its own, or because it is shut down: never by what a leader answers."""
        return new.failures() > self.failures() or all(
            new.is_running(r) or not self.is_running(r) for r in self.brokers
        )


BUGS = (
    KraftBug(
        id="KAFKA-7414",
        title="A follower with more records than its leader has its broker exit, and again at every start",
        tickets=("KAFKA-7414", "KAFKA-1028"),
        versions="0.8.2 to 2.0.0",
        faulty=replace(BEFORE_STRICT_HW, truncation=Truncation.HIGH_WATERMARK, out_of_range_is_not_fatal=False),
        sound=replace(BEFORE_STRICT_HW, truncation=Truncation.HIGH_WATERMARK),
        properties=("no_broker_exits_by_itself",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 1},
        story=(
            "b1 alone commits r0 and loses it with its machine; b2 has r0, but was out of the ISR. b1 leads again, as "
            "the last member of the ISR, and b2 fetches at offset 1 from a log that ends at 0: OFFSET_OUT_OF_RANGE. "
            "Because unclean election is off, b2 must not truncate what an unclean election would have lost, and halts "
            "(FatalExitError). It will do so again at every start, and takes all its partitions along. With leader "
            "epochs (KIP-101) a follower truncates before it fetches and does not come there; this is the protocol of "
            "logs without them. r0 is lost either way."
        ),
        lesson=(
            "No message of a peer may stop a broker for good. One partition that cannot go on must not take the others "
            "along."
        ),
    ),
)
