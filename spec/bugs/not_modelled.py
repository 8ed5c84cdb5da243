"""What is known and in no model, with the reason. Nothing is left out in silence."""

from __future__ import annotations

from dataclasses import dataclass

from .known_bug import besides, called


@dataclass(frozen=True)
class NotModelled:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str

    @property
    def name(self) -> str:
        """What people call it: its ticket or KIP, if it has one, then its number."""
        return called(self.id, self._tickets)

    @property
    def also(self) -> str:
        """Where else it was reported, in one line."""
        return besides(self._tickets)

    @property
    def _tickets(self) -> list[str]:
        return [] if self.source == "-" else self.source.split(", ")


NOT_MODELLED: tuple[NotModelled, ...] = (
    NotModelled(
        "S26b",
        "A consumer has read what a clean or unclean election then loses",
        "KAFKA-1211, others",
        "as S1, S9, S20, S21, S27",
        "no bug of its own: what is committed here is what consumers may have read, so that each of those shows it",
    ),
    NotModelled(
        "S26c",
        "A consumer has read what acks=1 then loses",
        "-",
        "none",
        "no bug: consumers read what is committed, and S25 loses what is not; leader_completeness holds there",
    ),
    NotModelled(
        "S31",
        "A retry after NOT_ENOUGH_REPLICAS_AFTER_APPEND or a timeout appends the record twice",
        "KIP-98",
        "all, without idempotence",
        "no value is sent twice in these models; a duplicate breaks no property of replication",
    ),
    NotModelled(
        "S33",
        "A leader that never resigns, a high watermark that waits, a follower that never counts as caught up",
        "KAFKA-15489, KAFKA-15021, KAFKA-13091, KAFKA-4485, KAFKA-19996, KAFKA-14144",
        "various, up to 4.1",
        "liveness: nothing wrong is ever reached, only something good is not; searches here judge states and steps",
    ),
    NotModelled(
        "S35",
        "Fewer brokers are alive than min.insync.replicas, so that no write succeeds",
        "KIP-966",
        "all",
        "availability, and as documented; `refused_for_lack_of_replicas` of kraft shows that it happens",
    ),
)
