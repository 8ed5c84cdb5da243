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
        "KAFKA-9892",
        "A snapshot of producers is not forced to disk, and is empty after the machine has crashed",
        "KAFKA-9892",
        "0.11 to 2.7",
        "a snapshot that fails its checksum is left out, and the log before it read instead: with less in snapshots "
        "more is remembered (P1), and where that part of the log is deleted KIP-360 shows what follows",
    ),
    NotModelled(
        "KAFKA-12520",
        "A broker that was stopped while it compacted makes its producer state anew from the whole log",
        "KAFKA-12520",
        "up to 2.8",
        "it costs hours at the start and changes no answer; compaction is in no model",
    ),
    NotModelled(
        "KAFKA-19821",
        "A leader does not log that it has found a duplicate",
        "KAFKA-19821",
        "up to 4.1",
        "a line in the broker's log; nothing that a client or a replica sees",
    ),
)
