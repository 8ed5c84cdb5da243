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
    NotModelled(
        "KAFKA-9144",
        "A producer of whom only a marker is left in the log is forgotten at once, and a zombie of it is not fenced",
        "KAFKA-9144",
        "0.11 to 2.4",
        "the transactional producer here is never replaced by another with the same transactional id",
    ),
    NotModelled(
        "KAFKA-12153",
        "After truncation the first unstable offset is not in the log any more when the high watermark is updated",
        "KAFKA-12153",
        "0.11 to 2.7",
        "an order of statements within one step under one lock; here the last stable offset is computed from the log",
    ),
    NotModelled(
        "KAFKA-18464",
        "A transaction that is aborted empty fences its own producer",
        "KAFKA-18464",
        "none; found before 4.0 was released",
        "the state machine of the coordinator, which is one machine here that changes state in one step",
    ),
    NotModelled(
        "KAFKA-19690",
        "A leader looks at the verification of a batch before its producer epoch, and the producer gives up",
        "KAFKA-19690",
        "3.6 to 4.1",
        "which error a refused batch is answered with; it is refused either way",
    ),
    NotModelled(
        "KAFKA-19999",
        "A marker that is written again is refused for ever, because its epoch is not newer",
        "KAFKA-19999",
        "none; found before 4.2 was released",
        "liveness: the coordinator is never done; searches here judge states and steps",
    ),
)
