"""PartitionChangeBuilder as Kafka has it, written down from its source for one partition without reassignments.

That is org.apache.kafka.controller.PartitionChangeBuilder of 4.3, and of 4.1.0, where the last known leader is kept
in another way. Who is elected depends on the order of replicas: here everybody who may be is an outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from epochal.kafka.validation.controller import Outline
from epochal.kafka.validation.image import NOBODY


@dataclass(frozen=True)
class Cluster:
    """What may change while a partition lives, and what the controller knows of the brokers: sets are bits."""

    elr: bool
    min_isr: int
    unclean: bool
    keeps_up: bool
    active: int
    offline: int = 0


def built(
    was: Outline,
    cluster: Cluster,
    isr: int,
    removed: int = 0,
    unclean: int = 0,
    election: str = "ONLINE",
    recovered: bool = False,
) -> Iterator[Outline]:
    """`build()`: what a partition becomes whose ISR shall be `isr`.

    `removed` is who leaves, `unclean` who has come back without a clean shutdown: neither may lead.
    """
    acceptable = cluster.active & ~removed & ~unclean & ~cluster.offline
    elr = was.elr  # maybePopulateTargetElr
    if cluster.elr:
        large = isr.bit_count() >= min(cluster.min_isr, was.replicas.bit_count())
        elr = 0 if large else (was.elr | was.isr) & ~isr & ~unclean
    clean = acceptable & (isr or elr)
    may_be_last = cluster.elr and not isr and not elr and was.last_known_leader != NOBODY
    may_be_last = may_be_last and bool(acceptable >> was.last_known_leader & 1)
    if was.leader != NOBODY and clean >> was.leader & 1:
        elected = [(was.leader, False)]
    elif clean:
        elected = [(one, False) for one in _members(clean)]
    elif may_be_last:
        elected = [(was.last_known_leader, True)]
    elif election == "UNCLEAN" and acceptable:
        elected = [(one, True) for one in _members(acceptable)]
    else:
        elected = [(NOBODY, False)]
    for leader, is_unclean in elected:
        yield _record(was, cluster, leader, is_unclean, isr, elr, recovered)


def _record(
    was: Outline, cluster: Cluster, leader: int, is_unclean: bool, isr: int, elr: int, recovered: bool
) -> Outline:
    """What is written about an election, and about ISR and ELR (tryElection, maybeUpdateRecordElr and the rest)."""
    changed = leader != was.leader
    recovering = was.recovering and not recovered
    if changed and leader != NOBODY and elr >> leader & 1:
        isr, elr = 1 << leader, elr & ~(1 << leader)
    if changed and is_unclean:
        isr, recovering = 1 << leader, True
    if (changed and is_unclean) or not cluster.elr:
        elr = 0
    if not isr and not cluster.elr:
        isr = was.isr
    last = was.last_known_leader
    if cluster.elr and not cluster.keeps_up:
        if changed and leader == NOBODY and last == NOBODY:
            last = was.leader
        elif changed and leader != NOBODY:
            last = NOBODY
    elif cluster.elr:
        if isr != was.isr and not isr and last != was.leader:
            last = was.leader
        elif leader != NOBODY:
            last = NOBODY
    return Outline(leader, was.epoch + changed, isr, was.replicas, 0, 0, elr, last, recovering)


def _members(some: int) -> list[int]:
    return [place for place in range(some.bit_length()) if some >> place & 1]
