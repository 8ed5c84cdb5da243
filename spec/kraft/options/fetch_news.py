"""A fetch that tells a leader nothing new leaves its high watermark, although fewer replicas may count by now."""

from __future__ import annotations

from ...language import Bookkeeping, Identifier
from ..broker_lifecycle import BrokerLifecycle
from ..rules import NEVER, governed_by


@governed_by(every_fetch_raises_high_watermark=NEVER, only_where_asked_for=True)
class FetchNews(BrokerLifecycle):
    """Partition.updateFollowerFetchState looks at the high watermark only where the follower's end is another one.

    The core does so at each fetch, which makes a difference after a refused AlterPartition alone: fewer replicas count
    then, and nothing has looked at the high watermark since. In Kafka it rises with the next record, or with the next
    follower that comes on, so that this only delays. `no_news` is about the fetch that is being handled, and about
    none between two steps.
    """

    no_news: Bookkeeping[bool]

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """As always, but for the high watermark."""
        told = self.brokers[leader].followers[follower] != self.end(follower)
        self.no_news = not told and not self.settings.every_fetch_raises_high_watermark
        super().accept_fetch(leader, follower)
        self.no_news = False

    def advance_high_watermark(self, leader: Identifier) -> None:
        """As always, unless a fetch brings no news."""
        if not self.no_news:
            super().advance_high_watermark(leader)
