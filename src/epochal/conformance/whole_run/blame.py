"""Which line it is that no run explains: the one without which the most of the rest is explained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from epochal.evidence.broker_events import RoleKept, RoleTaken
from epochal.spec.kraft.configuration import ConfigurableKraft

from ..meter import SILENT, Meter
from .blocked import Blocked, blocked, contradicts, is_behind
from .lives import Life
from .partition_evidence import PartitionEvidence
from .search import Found, RunSearch

LEAST = 1_500
"""How many moments a run is looked for, at least, where disks are left out: with them it may end at once."""


def blamed(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: Found, meter: Meter = SILENT
) -> tuple[Blocked, ...]:
    """Where no run goes on, the line first that is to blame.

    What lies on disks comes after all else: if there is a run without it, the first disk that it contradicts is to
    blame, unless it goes without those that may be copied earlier than the logs. Else each line at which the nearest
    run ends is left out in its turn.
    """
    bare, most = evidence.without_disks(), max(found.moments, LEAST)
    if bare == evidence:
        return _left_out_in_turn(kind, evidence, found, meter)
    without = RunSearch(kind, bare).found(most, meter)
    if not without.whole:
        return _left_out_in_turn(kind, bare, without, meter)
    disks = {broker: life for broker, lives in evidence.lives.items() for life in lives if life.disk is not None}
    behind = _behind(RunSearch(kind, bare), without, disks)
    if behind:
        rest = RunSearch(kind, evidence.without_disks(but_of=disks.keys() - behind.keys())).found(most, meter)
        if rest.whole:
            return tuple(behind.values())
    taken: list[int] = []
    for broker in disks:
        taken.append(broker)
        search = RunSearch(kind, evidence.without_disks(but_of=taken))
        one_more = search.found(found.moments, meter)
        if not one_more.whole:
            before = RunSearch(kind, evidence.without_disks(but_of=taken[:-1]))
            return contradicts(before, before.found(found.moments, meter).furthest, disks[broker], broker), *blocked(
                search, one_more.furthest
            )
    return tuple(blocked(RunSearch(kind, evidence), found.furthest))


def _behind(search: RunSearch, run: Found, disks: Mapping[int, Life]) -> dict[int, Blocked]:
    """The disks that have less than their brokers had in a run without any: they may be copied earlier."""
    return {
        broker: replace(contradicts(search, run.furthest, life, broker), is_behind=True)
        for broker, life in disks.items()
        if life.disk is not None and is_behind(search, run.furthest, life.disk, broker)
    }


def _left_out_in_turn(
    kind: type[ConfigurableKraft], evidence: PartitionEvidence, found: Found, meter: Meter
) -> tuple[Blocked, ...]:
    """The lines at which the nearest run ends, that first without which another run goes furthest.

    If none of them alone is to blame, it may be one that is missing.
    """
    heads = blocked(RunSearch(kind, evidence), found.furthest)
    best, most = 0, -1
    for number, head in enumerate(heads):
        if head.of is None or head.missing is not None:
            continue
        without = _without(kind, evidence, head).found(found.moments, meter)
        if without.furthest.explained > most:
            best, most = number, without.furthest.explained
        if without.whole:
            return heads[number], *heads[:number], *heads[number + 1 :]
    if heads[0].missing is not None:
        best = 0
    return heads[best], *heads[:best], *heads[best + 1 :]


def _without(kind: type[ConfigurableKraft], evidence: PartitionEvidence, head: Blocked) -> RunSearch:
    """The search for a run that leaves a line out; of a role it leaves out what it says of the log."""
    if head.said is None:
        return RunSearch(kind, evidence.without_start(head.place))
    if isinstance(head.said.event, RoleTaken | RoleKept):
        return RunSearch(kind, evidence, head.said)
    return RunSearch(kind, evidence.without(head.said))
