"""When a leader looks at its high watermark again (KIP-497): a rule that Kafka lacked after an answer to AlterIsr.

`AsyncIsr` says how far the high watermark may go. Here the leader remembers how far it went, and moves it on only in
certain steps: when it appends, when a follower's fetch says that it has more, and when the ISR is another one.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import invariant
from .async_isr import AsyncIsr, Offset, Replica, VersionedIsr


class AsyncIsrHighWatermark(AsyncIsr):
    """Asynchronous ISR changes, and a high watermark that the leader remembers and moves on when it looks."""

    name: ClassVar[str] = "async-isr-high-watermark"

    remembered: Offset

    def high_watermark(self) -> int:
        """Where the leader's high watermark is."""
        return self.remembered

    def possible_high_watermark(self) -> int:
        """Where it may be: what every member of the maximal ISR holds."""
        return super().high_watermark()

    def look_again(self) -> None:
        """Partition.maybeIncrementLeaderHW: it never goes back."""
        self.remembered = max(self.remembered, self.possible_high_watermark())

    def leader_write(self) -> None:
        """As without; a leader that is alone in the ISR commits at once."""
        super().leader_write()
        self.look_again()

    def follower_replicates(self, follower: Replica) -> None:
        """As without; the fetch says that the follower has more than before."""
        super().follower_replicates(follower)
        self.look_again()

    def leader_handles_update(self, update: VersionedIsr) -> None:
        """As without; what a replica that left the ISR has not is committed now."""
        super().leader_handles_update(update)
        self.look_after_an_answer()

    def look_after_an_answer(self) -> None:
        """KAFKA-13091: who is not waited for any more may have been the only one that was behind."""
        self.look_again()

    @invariant
    def nothing_is_held_back(self) -> bool:
        """What every replica holds that may be in the ISR is committed, whether or not anybody fetches again."""
        return self.remembered >= self.possible_high_watermark()


class AsyncIsrHeldBack(AsyncIsrHighWatermark):
    """Kafka 2.7 to 3.0: after the ISR has shrunk the high watermark stays until somebody fetches more or appends."""

    name: ClassVar[str] = "async-isr-held-back"

    def look_after_an_answer(self) -> None:
        """The leader does not look."""
