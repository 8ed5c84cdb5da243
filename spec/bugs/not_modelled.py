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
        "KAFKA-6975",
        "A log start offset in the middle of a batch: followers that begin there get a batch that begins before",
        "KAFKA-6975",
        "0.11.0 to 1.0.1 and 1.1.0",
        "records are not batched here, so that every log start offset is the first offset of one",
    ),
    NotModelled(
        "KAFKA-9133",
        "The log cleaner fails on a log start offset beyond the first offset of the active segment",
        "KAFKA-9133",
        "2.3.1",
        "no log is compacted here",
    ),
    NotModelled(
        "KAFKA-19492",
        "DeleteRecords does not say why an offset is out of range",
        "KAFKA-19492",
        "0.11 to 4.2",
        "no bug of replication: what was added is a line in a log",
    ),
    NotModelled(
        "KAFKA-16541",
        "The file of the leader-epoch cache is broken when the machine fails: truncation did not force it to disk",
        "KAFKA-15046, KAFKA-16541",
        "3.7",
        "Kafka does not load a log whose file is broken; `leader-epoch-cache` has it lost, and the log says the rest",
    ),
    NotModelled(
        "KAFKA-7897",
        "A leader-epoch cache that is kept where records have no leader epoch truncates whole logs",
        "KAFKA-7897, KAFKA-7959, KAFKA-7601",
        "1.1.1 to 2.1.0",
        "every record has a leader epoch here, as in the message format since 0.11",
    ),
    NotModelled(
        "KAFKA-15695",
        "A follower that begins anew from tiered storage keeps a local log start offset of before",
        "KAFKA-15695",
        "3.6.0",
        "no log is in tiered storage here",
    ),
)
