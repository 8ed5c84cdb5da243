"""What is known of each bug that the ZooKeeper era shows."""

from __future__ import annotations

from epochal.spec.known_bug import KnownBug

KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        "zookeeper-unfenced-controller",
        ("controller_knows_the_leader", "zombies_elect_nobody"),
        "A former controller elects a leader behind the back of the controller",
        ("KAFKA-6082",),
        "0.8",
        "2.0",
    ),
    KnownBug(
        "zookeeper-no-broker-epochs",
        ("leader_completeness",),
        "A broker loses its log and is back before the controller looks: it was never away, and old requests reach it",
        ("KAFKA-7235", "KIP-380"),
        "0.8",
        "2.1",
    ),
    KnownBug(
        "zookeeper-stale-confirmation",
        ("leader_counts_the_isr",),
        "A former controller confirms an ISR that it remembers, and that is not so any more",
        ("KAFKA-14154",),
        "2.7",
        "3.2",
    ),
    KnownBug(
        "zookeeper-stale-confirmation",
        ("leader_completeness",),
        "A former controller confirms an ISR that is not so any more, and a committed record is lost",
        ("KAFKA-14154",),
        "2.7",
        "3.2",
        bounds=(("stops", 0), ("max_version", 4)),
    ),
    KnownBug(
        "zookeeper-lost-disk",
        ("leader_completeness",),
        "A broker loses its log and is back between two controllers: the second never knew the incarnation before "
        "(derived; no report is known)",
        ("KIP-380",),
        "0.8",
        "3.9 (ZooKeeper mode)",
        bounds=(("controllers", 2),),
    ),
)
