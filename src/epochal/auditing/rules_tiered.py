"""Known losses of tiered storage and of transactional ids, from their tickets: nothing of them is searched here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from epochal.spec.kraft.generations import Version, numbered

from .asked import Audited
from .cluster import MIN_ISR, Topic
from .finding import Finding, Fix
from .fixes import set_for
from .said import Said, is_number, yes
from .topic_class import Classified

TIERED, KEPT_BYTES = "remote.storage.enable", "retention.bytes"
KEPT_BYTES_OF_BROKERS = "log.retention.bytes"
TRANSACTIONS, REMOTE_LOG_METADATA = "__transaction_state", "__remote_log_metadata"

FROM_THE_TICKET = "From the ticket and Kafka's sources; nothing of it was executed here."


class Hole(NamedTuple):
    """A bug that is known from its ticket: the first release that had it, and those that have its fix.

    `fixed` has the first release of each version that is fixed; every later version is.
    """

    tickets: str
    since: Version
    fixed: tuple[Version, ...]

    def is_in(self, release: str) -> bool:
        """Whether a release has it."""
        version = numbered(release)
        if version < self.since or version >= max(self.fixed):
            return False
        return not any(version[:2] == one[:2] and version >= one for one in self.fixed)

    @property
    def in_releases(self) -> str:
        """Who had it, for people."""
        first = ".".join(map(str, self.since[:2]))
        return f"Kafka {first} on, until {' and '.join('.'.join(map(str, one)) for one in sorted(self.fixed))}"


RETENTION = Hole("KAFKA-20732, apache/kafka#22661", (3, 6, 0), ((4, 3, 2), (4, 4, 0)))
"""The fix is on the branches 4.3, after 4.3.1, and 4.4; of 3.9 to 4.2 requests are open (apache/kafka#22735 to
#22738)."""

METADATA = Hole("KAFKA-19858, KIP-1235, apache/kafka#20811", (3, 6, 0), ((4, 3, 0),))
"""Since 4.3 the topic is made with min.insync.replicas=2; one that is there already stays as it is."""

IDS = Hole("KAFKA-20090, apache/kafka#21469 and #21506; KAFKA-20310, apache/kafka#21828", (4, 0, 0), ((4, 3, 0),))
"""Transactions of version 2 (KIP-890, 4.0) bump the epoch each time, so that it runs out."""


def _had(audited: Audited, hole: Hole) -> bool:
    return audited.decides and any(hole.is_in(one) for one in audited.releases)


def _said(topic: Topic, name: str) -> Said | None:
    """What is in force for a topic alone, or as a broker told it."""
    return topic.own.get(name) or (topic.seen or {}).get(name)


def _tiered(audited: Audited) -> list[Classified]:
    return [
        one
        for one in audited.topics
        if (said := _said(one.topic, TIERED)) is not None and any(yes(each, TIERED) for each in said.each)
    ]


def _limited(audited: Audited, one: Classified) -> Said | None:
    """What limits a topic's size: its own value, or one of the brokers where it has none."""
    said = _said(one.topic, KEPT_BYTES)
    cluster = audited.cluster
    others = (
        [said]
        if said is not None
        else [
            *(node.static.get(KEPT_BYTES_OF_BROKERS) for node in cluster.nodes.values()),
            cluster.everywhere.get(KEPT_BYTES_OF_BROKERS),
            cluster.planned.get(KEPT_BYTES_OF_BROKERS),
        ]
    )
    return next((one for said in others if said is not None for one in said.each if is_number(one.value, 19)), None)


def retained_too_little(audited: Audited) -> Iterator[Finding]:
    """Warnings: a tiered topic with a limit of its size, in a release in which a new leader counts segments twice."""
    if not _had(audited, RETENTION):
        return
    limited = [(one, said) for one in _tiered(audited) if (said := _limited(audited, one)) is not None]
    if limited:
        yield Finding(
            "tiered-retention",
            "warning",
            tuple(one.topic.name for one, _ in limited),
            f"a new leader may count segments of both tiers twice, and delete from all of them what {KEPT_BYTES} keeps "
            "(KAFKA-20732)",
            (
                "Expiration runs before the leader knows what it has uploaded (highestOffsetInRemoteStorage is -1).",
                f"{RETENTION.in_releases}; {RETENTION.tickets}. {FROM_THE_TICKET}",
            ),
            tuple(said.place for _, said in limited),
            Fix((f"Kafka 4.4.0 or newer, or {KEPT_BYTES}=-1 with retention.ms as the limit until then",)),
        )


def metadata_on_one(audited: Audited) -> Iterator[Finding]:
    """Warnings: what is uploaded is known from a topic whose writes one replica acknowledges."""
    one = next((one for one in audited.topics if one.topic.name == REMOTE_LOG_METADATA), None)
    if one is not None and not one.min_isr.assumed and "1" in one.min_isr.values:
        yield _metadata(
            (REMOTE_LOG_METADATA,),
            f"{MIN_ISR}=1: what is uploaded may be forgotten with one broker, and with it every record that is there "
            "alone (KAFKA-19858)",
            [one.topic],
            audited.elr,
        )
    elif one is None and _had(audited, METADATA) and (tiered := _tiered(audited)):
        yield _metadata(
            (REMOTE_LOG_METADATA,),
            f"topics are tiered, and before Kafka 4.3 this topic is made with the cluster's {MIN_ISR}: with 1, what is "
            "uploaded may be forgotten with one broker (KAFKA-19858)",
            [each.topic for each in tiered],
            audited.elr,
        )


def _metadata(subjects: tuple[str, ...], title: str, topics: Sequence[Topic], elr: bool) -> Finding:
    return Finding(
        "tiered-metadata",
        "warning",
        subjects,
        title,
        (f"Since 4.3 it is made with 2, one that is there stays as it is; {METADATA.tickets}. {FROM_THE_TICKET}",),
        tuple(one.place for one in topics),
        Fix(tuple(set_for(subjects, f"{MIN_ISR}=2", elr))),
    )


def ids_not_kept(audited: Audited) -> Iterator[Finding]:
    """Notes: a transactional producer whose producer id is used up just before the coordinator fails over."""
    topic = audited.cluster.topics.get(TRANSACTIONS)
    if topic is not None and _had(audited, IDS):
        yield Finding(
            "producer-ids",
            "note",
            (TRANSACTIONS,),
            "a transaction may stay open, or its producer be fenced for good, where the epochs of a producer id are "
            "used up while the coordinator fails over (KAFKA-20090, KAFKA-20310)",
            (
                "With transaction.version=2 every transaction takes an epoch, and an id has 32,767; the next id was "
                "not in the log.",
                f"{IDS.in_releases}; {IDS.tickets}. {FROM_THE_TICKET}",
            ),
            (topic.place,),
        )
