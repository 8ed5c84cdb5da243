"""The catalogue of known bugs and design holes of Kafka's replication, over all families of protocols.

Numbers S1 to S35 are those of the project's fact sheet; N1 to N3 were found by the checker (docs/kafka/findings.md).
"""

from __future__ import annotations

from .kraft.catalogue import SCENARIOS as KRAFT
from .scenario import NotSearched, Scenario

OTHERS: tuple[Scenario, ...] = (
    Scenario(
        "S3",
        "After two quick failovers the follower is told an offset that means another epoch, and the logs diverge",
        "KIP-279, KAFKA-6361",
        "0.11 to 1.1",
        "strong_isr",
        "kip-320-offset-only",
        "kip-320",
        (("replicas", 2), ("records", 3)),
    ),
    Scenario(
        "S3b",
        "A follower without any epoch as old as the one it is answered still trusts the leader's offset",
        "KAFKA-7415",
        "2.0.0",
        "strong_isr",
        "kip-320-epoch-floor",
        "kip-320",
        (("replicas", 2), ("records", 3)),
    ),
    Scenario(
        "S4",
        "A new leader does not know its own epoch before it has appended, and the follower falls back to its HW",
        "KAFKA-7415",
        "0.11 to 2.0.0",
        "strong_isr",
        "kip-320-own-epoch-unknown",
        "kip-320",
        (("replicas", 2),),
    ),
    Scenario(
        "S5",
        "A zombie follower goes on fetching across leader epochs, and keeps what the leader has lost",
        "KIP-320, KAFKA-6880",
        "0.8 to 2.0",
        "weak_isr",
        "kip-320-unfenced-fetch",
        "kip-320",
    ),
    Scenario(
        "S6",
        "A follower of another epoch counts as having the record, then obeys an older leader and truncates it",
        "KIP-320",
        "0.11 to 2.0",
        "weak_isr",
        "kip-279",
        "kip-320",
    ),
    Scenario(
        "S7",
        "An empty log has no tail to disagree: comparing the last record's epoch is not enough",
        "KIP-320",
        "none; the first proposal",
        "strong_isr",
        "kip-320-first-try",
        "kip-320",
    ),
    Scenario(
        "S8",
        "A leader of another epoch answers where to truncate",
        "KIP-320",
        "none; the mistake that KIP-320 avoids",
        "strong_isr",
        "kip-320-m1",
        "kip-320",
    ),
    Scenario(
        "S9 classic",
        "The same before KRaft: the ISR grows while the new leader's high watermark is stale",
        "KAFKA-7128",
        "0.8 to 2.0.0",
        "strong_isr",
        "kip-279",
        "kip-320",
        (("max_epoch", 1),),
    ),
    Scenario(
        "S14 ZooKeeper",
        "The same with ZooKeeper: a former controller confirms an ISR that is not so any more",
        "KAFKA-14154",
        "2.7 to 3.2",
        "leader_counts_the_isr",
        "zookeeper-stale-confirmation",
        "zookeeper-alter-isr",
    ),
    Scenario(
        "S19 ZooKeeper",
        "The same with ZooKeeper: a broker is back before the controller looks, and old requests reach it",
        "KIP-380, KAFKA-7235",
        "before 2.2",
        "leader_completeness",
        "zookeeper-no-broker-epochs",
        "zookeeper-lost-disk",
    ),
    Scenario(
        "S32",
        "The quorum commits a record of an earlier epoch before any of its own (Figure 8 of the Raft paper)",
        "KAFKA-12619",
        "2.7 (not in use yet)",
        "leader_completeness",
        "quorum-hw-any-epoch",
        "quorum",
    ),
    Scenario(
        "S34",
        "Only the first fetch of a session is fenced",
        "KAFKA-9338",
        "2.1 to 2.4.0",
        "weak_isr",
        "kip-320-fenced-once",
        "kip-320",
    ),
)
"""What other families than the modern protocol show."""

NOT_SEARCHED: tuple[NotSearched, ...] = (
    NotSearched(
        "S26b",
        "A consumer has read what a clean or unclean election then loses",
        "KAFKA-1211 and others",
        "as S1, S9, S20, S21, S27",
        "no bug of its own: what is committed here is what consumers may have read, so that each of those shows it",
    ),
    NotSearched(
        "S26c",
        "A consumer has read what acks=1 then loses",
        "-",
        "none",
        "no bug: consumers read what is committed, and S25 loses what is not; leader_completeness holds there",
    ),
    NotSearched(
        "S31",
        "A retry after NOT_ENOUGH_REPLICAS_AFTER_APPEND or a timeout appends the record twice",
        "KIP-98",
        "all, without idempotence",
        "no value is sent twice in these models; a duplicate breaks no property of replication",
    ),
    NotSearched(
        "S33",
        "A leader that never resigns, a high watermark that waits, a follower that never counts as caught up",
        "KAFKA-15489, KAFKA-15021, KAFKA-13091, KAFKA-4485, KAFKA-19996, KAFKA-14144",
        "various, up to 4.1",
        "liveness: nothing wrong is ever reached, only something good is not; searches here judge states and steps",
    ),
    NotSearched(
        "S35",
        "Fewer brokers are alive than min.insync.replicas, so that no write succeeds",
        "KIP-966",
        "all",
        "availability, and as documented; `refused_for_lack_of_replicas` of kraft shows that it happens",
    ),
)
"""What is known and in no model, with the reason. Nothing is left out in silence."""


def _place(id: str) -> tuple[bool, int, str]:
    """Where an entry stands: S before N, by number, then by letter."""
    digits = "".join(c for c in id.split()[0] if c.isdigit())
    return id[0] != "S", int(digits), id


CATALOGUE: tuple[Scenario, ...] = tuple(
    sorted((*(one.entry() for one in KRAFT), *OTHERS), key=lambda one: _place(one.id))
)
"""Everything that is searched, in the order of its numbers."""
