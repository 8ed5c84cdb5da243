"""Every detector on a collection of evidence, each with the ticket or finding that it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from epochal.evidence.metadata_log import MetadataLog
from epochal.evidence.place import partition_named

from .brokers import partitions_in, unclean_starts
from .collected import Collected
from .diverged import diverged
from .held import SUSPECTED, Known
from .lost_records import ClientsVerdict, judge_clients, known_partitions
from .missed_terms import N1, forgotten_proposals, missed_terms
from .noticed import SHORT, Noticed
from .partition_history import history_of

LAST_MEMBER = "KIP-966 (S20)"
"""The last member of the ISR loses the end of its log, and leads all the same."""

CRASH = "a crash: what is not flushed may be lost (S24)"


def known_of(evidence: Collected, metadata: MetadataLog) -> Known:
    """What the metadata log knows of the partitions of which brokers and clients tell."""
    wanted = partitions_in(evidence.logs) | known_partitions(evidence.histories)
    return Known(history_of(metadata, wanted), metadata.is_whole)


def detected(
    evidence: Collected, known: Known, found: Iterable[Noticed]
) -> tuple[tuple[Noticed, ...], ClientsVerdict | None]:
    """What is noticed besides what was `found`, and what became of the records that clients were told of.

    An ISR that was too small is told with the loss that came of it, where nothing else explains that.
    """
    events = [*found, *missed_terms(evidence.logs, known), *forgotten_proposals(evidence.logs, known)]
    events += diverged(evidence.replicas)
    if not evidence.histories:
        return tuple(events), None
    clients = judge_clients(evidence.histories, evidence.replicas, known, _causes(events, evidence, known))
    unexplained = {one.partition for one in clients.lost if one.about == LAST_MEMBER}
    events = [_with_loss(one) if one.about == SHORT and one.partition in unexplained else one for one in events]
    return (*events, *clients.lost), clients


def _causes(events: Iterable[Noticed], evidence: Collected, known: Known) -> dict[str, str]:
    """What may explain that a partition has lost records: an event that loses some, else a small ISR, else a crash."""
    found: dict[str, list[str]] = {}
    for one in events:
        said = found.setdefault(one.partition, [])
        said += [one.about] if one.about not in said else []
    causes: dict[str, str] = {}
    for partition, said in found.items():
        strong = [about for about in said if about != SHORT and not (about == SUSPECTED and N1 in said)]
        causes[partition] = " and ".join(strong) or LAST_MEMBER
    unclean = {broker for broker, lost in unclean_starts(evidence.logs).items() if lost}
    for (topic, number), lives in known.history.items():
        if unclean & {leader for life in lives for leader in life.leaders.values()}:
            causes.setdefault(partition_named(topic, number), CRASH)
    return causes


def _with_loss(short: Noticed) -> Noticed:
    says = "acknowledged records are lost: whoever stays alone may come back without the end of its log, and leads"
    return replace(short, about=LAST_MEMBER, says=f"{short.says}; {says}")
