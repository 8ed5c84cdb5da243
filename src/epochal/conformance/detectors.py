"""Every detector on a collection of evidence, each with the ticket or finding that it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from epochal.evidence.metadata_log import MetadataLog
from epochal.evidence.place import partition_named

from .brokers import partitions_in, unclean_starts
from .collected import Collected
from .cut_off import cut_off
from .diverged import diverged
from .findings import S20, by_clean_events, is_among
from .held import Known
from .lost_disks import lost_disks, lost_folders
from .lost_records import ClientsVerdict, judge_clients, known_partitions
from .missed_terms import forgotten_proposals, leaders_known, missed_terms
from .noticed import SHORT, Noticed, Seen, Weight, by_weight
from .partition_history import history_of
from .unknown_min_isr import unknown_min_isr

CRASH = "a crash: what is not flushed may be lost (S24)"


def known_of(evidence: Collected, metadata: MetadataLog, version: str) -> Known:
    """What the metadata log knows of the partitions of which brokers and clients tell."""
    wanted = partitions_in(evidence.logs) | known_partitions(evidence.histories)
    return Known(history_of(metadata, wanted), metadata.is_whole, version)


def detected(
    evidence: Collected, known: Known, seen: Seen, suspected: Iterable[Noticed]
) -> tuple[tuple[Noticed, ...], ClientsVerdict | None]:
    """All that is noticed, and what became of the records that clients were told of.

    `seen` is what the metadata log shows, `suspected` are lines of brokers that lose what was committed.

    An ISR that was too small is told with the loss that came of it, where nothing else explains that.
    """
    suspected = list(suspected)
    missed = missed_terms(evidence.logs, lambda event: leaders_known(known, event))
    events = [*seen.events, *suspected, *missed, *forgotten_proposals(evidence.logs, known)]
    events += [*unknown_min_isr(evidence.logs, known, seen.short), *diverged(evidence.replicas)]
    events += [*lost_folders(evidence.logs, known)]
    if evidence.metadata is not None:
        events += lost_disks(evidence.metadata, evidence.directories)
    causes = _causes(events, evidence, known)
    events += cut_off(evidence.logs, causes, by_clean_events(known.version), suspected)
    if not evidence.histories:
        return by_weight(events), None
    clients = judge_clients(evidence.histories, evidence.replicas, known, causes, evidence.logs)
    unexplained = {one.partition for one in clients.lost if one.about == S20}
    events = [_with_loss(one) if one.about == SHORT and one.partition in unexplained else one for one in events]
    return by_weight([*events, *clients.lost]), clients


def _causes(events: Iterable[Noticed], evidence: Collected, known: Known) -> dict[str, str]:
    """What may explain that a partition has lost records: an event that loses some, else a small ISR, else a crash."""
    found: dict[str, list[str]] = {}
    for one in events:
        said = found.setdefault(one.partition, [])
        said += [one.about] if one.about not in said else []
    causes: dict[str, str] = {}
    for partition, said in found.items():
        strong = [about for about in said if about != SHORT and not is_among(about, said)]
        causes[partition] = " and ".join(strong) or S20
    unclean = {broker for broker, lost in unclean_starts(evidence.logs).items() if lost}
    for (topic, number), lives in known.history.items():
        if unclean & {leader for life in lives for leader in life.leaders.values()}:
            causes.setdefault(partition_named(topic, number), CRASH)
    return causes


def _with_loss(short: Noticed) -> Noticed:
    says = "acknowledged records are lost: whoever stays alone may come back without the end of its log, and leads"
    return replace(short, about=S20, says=f"{short.says}; {says}", weight=Weight.OPENED)
