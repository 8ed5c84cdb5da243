"""Topics of the same settings are one class: what decides what is promised, and nothing else."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .cluster import Cluster, Producer, Topic
from .precedence import InForce, min_isr, unclean
from .said import Said, refuse, yes
from .storage import loses_logs

ACKS = {"0": "0", "1": "1", "all": "all", "-1": "all"}


@dataclass(frozen=True, order=True)
class Kind:
    """What decides what is promised to a topic: its class.

    `min_isr` is the effective one, never more than there are copies. `acks_known` is False if no producer says.
    `ephemeral` says that a broker comes back from a restart without its log.
    """

    copies: int
    min_isr: int
    acks: str
    unclean: bool
    elr: bool
    acks_known: bool = True
    ephemeral: bool = False


@dataclass(frozen=True)
class Classified:
    """A topic with its class, and where each value comes from."""

    topic: Topic
    kind: Kind
    min_isr: InForce
    unclean: InForce
    acks: Said | None
    writers: tuple[Producer, ...] = field(default=(), repr=False)


def classified(cluster: Cluster, elr: bool, default_copies: int | None = None) -> tuple[list[Classified], list[Topic]]:
    """The topics with their classes in the order of their names, and those whose replication factor nobody says.

    Raises EvidenceError for a value that Kafka would refuse.
    """
    found, unknown = [], []
    for _, topic in sorted(cluster.topics.items()):
        copies = topic.copies or default_copies
        if copies is None:
            unknown.append(topic)
            continue
        wanted, election = min_isr(cluster, topic, elr), unclean(cluster, topic, elr)
        acks, writers = _acks(cluster.producers, topic)
        kind = Kind(
            copies,
            min(int(wanted.value), copies),
            "all" if topic.is_internal or acks is None else ACKS[acks.value.strip()],
            election.value.strip().lower() == "true",
            elr,
            topic.is_internal or acks is not None,
            loses_logs(cluster, topic) is not None,
        )
        found.append(Classified(topic, kind, wanted, election, None if topic.is_internal else acks, writers))
    return found, unknown


def _acks(producers: Iterable[Producer], topic: Topic) -> tuple[Said | None, tuple[Producer, ...]]:
    """The weakest `acks` of the producers that write to a topic, or may; None if none says."""
    writers = tuple(
        one for one in producers if not one.topics or any(fnmatch.fnmatchcase(topic.name, p) for p in one.topics)
    )
    said = [found for one in writers if (found := _acks_of(one)) is not None]
    return min(said, key=lambda one: ("0", "1", "all").index(ACKS[one.value.strip()]), default=None), writers


def _acks_of(producer: Producer) -> Said | None:
    """What a producer waits for, if it says so. One that is idempotent, as one with transactions is, waits for all."""
    said, idempotence = producer.settings.get("acks"), producer.settings.get("enable.idempotence")
    if said is None and idempotence is None and "transactional.id" in producer.settings:
        return replace(producer.settings["transactional.id"], value="all")
    idempotent = idempotence is not None and yes(idempotence, "enable.idempotence")
    if said is None:
        return Said("all", idempotence.place) if idempotence is not None and idempotent else None
    value = ACKS.get(said.value.strip())
    if value is None:
        raise refuse(said.place, f"acks is {said.value[:60]!r}", "Kafka knows 0, 1, all and -1, which is all.")
    if idempotence is not None and idempotent and value != "all":
        advice = "The producer does not start so: write acks=all, or enable.idempotence=false."
        raise refuse(said.place, f"acks is {value}, beside enable.idempotence=true ({idempotence.place})", advice)
    return said


def grouped(topics: Sequence[Classified]) -> dict[Kind, list[Classified]]:
    """The topics by their classes, in the order in which they come."""
    found: dict[Kind, list[Classified]] = {}
    for one in topics:
        found.setdefault(one.kind, []).append(one)
    return found


def with_acks(kind: Kind, acks: str) -> Kind:
    """The same class with other producers."""
    return replace(kind, acks=acks, acks_known=True)
