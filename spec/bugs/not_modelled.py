"""What is known and in no model, with the reason. Nothing is left out in silence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NotModelled:
    """A bug that is known and that no protocol here can show, with the reason."""

    id: str
    title: str
    source: str
    versions: str
    reason: str


NOT_MODELLED: tuple[NotModelled, ...] = (
    NotModelled(
        "S26b",
        "A consumer has read what a clean or unclean election then loses",
        "KAFKA-1211 and others",
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
    NotModelled(
        "KAFKA-9087",
        "A move to another log directory begins to copy at the wrong offset, and never ends",
        "KAFKA-9087",
        "1.1 to 3.4",
        "no record is at stake: the future log refuses what does not follow, and the current log stays as it is",
    ),
    NotModelled(
        "KAFKA-15375",
        "A broker that fails while it starts marks its log directories as cleanly shut down",
        "KAFKA-15375",
        "2.8 to 3.5.1",
        "no record is at stake: logs are not recovered that need it; the controller knows of the marker since 4.0 only",
    ),
    NotModelled(
        "KAFKA-15608",
        "A move to another log directory drops leader epochs without records, and followers ask in vain for ever",
        "KAFKA-15608, KAFKA-20961",
        "2.1 to 4.4",
        "liveness, and about epochs in which nothing was written: the epoch cache of these models follows from the log",
    ),
    NotModelled(
        "KAFKA-16234",
        "A log directory is offline when its broker starts, and the partition is created anew in another",
        "KAFKA-16234",
        "3.7.0",
        "no bug of its own here: a broker that comes back without its log is S20 without ELR, and H4 with it",
    ),
    NotModelled(
        "KAFKA-16424",
        "Segments that were cut off during a move to another log directory stay on disk",
        "KAFKA-16424",
        "1.1 to 3.7",
        "disk space: nobody reads these files again",
    ),
    NotModelled(
        "KAFKA-16297",
        "A disk fails before a replica has moved off it, and the controller has the replica on the other one",
        "KAFKA-16297, KAFKA-15649",
        "3.7",
        "availability: the leader cannot serve the partition, until the controller is told; nothing is lost by that",
    ),
)
