"""KAFKA-7414: a follower whose log ends beyond its leader's, where only clean elections are allowed."""

from __future__ import annotations

from typing import Self

from ...language import action_property
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
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
