"""A partition that was there before the metadata log begins: what brokers say since then, and what was in logs.

Every cluster that has run for a week has such a log, while those of its brokers go further back. What they say of the
life at the snapshot counts from the first line on that names a later partition epoch or leader epoch. What was in the
replicas then nobody says, but their disks have it still: the records of leader epochs before that of the snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import dropwhile

from epochal.evidence.broker_events import BrokerEvent, FetcherAdded, IsrUpdated, RoleKept, RoleTaken

from .decided import REGISTERED, Created, Decided, OfBroker
from .lives import Lane, Life


def lives_since(decided: Decided, broker: int, lives: tuple[Life, ...]) -> tuple[Life, ...]:
    """The lives of a broker's replica that the metadata log has.

    There is one for each registration, and the one before them if the broker was running; how that began is not known.
    """
    registrations = sum(
        1 for one in decided.decisions if isinstance(one, OfBroker) and (one.broker, one.says) == (broker, REGISTERED)
    )
    running = broker in decided.created.active or not decided.registers_first(broker)
    most = registrations + running
    kept = lives[-most:] if most else ()
    if not running or not kept:
        return kept
    if len(kept) < most:
        return (Life(None, ()), *kept)
    lanes = (_since(decided.created, lane) for lane in kept[0].lanes)
    return (replace(kept[0], start=None, lanes=tuple(lane for lane in lanes if lane)), *kept[1:])


def epochs_before(created: Created, lives: Mapping[int, tuple[Life, ...]], offsets: Iterable[int]) -> list[int]:
    """The leader epochs of the first records, of as many as are on a disk and from before the epoch of the snapshot."""
    disks = [life.disk for some in lives.values() for life in some if life.disk is not None]
    found: list[int] = []
    for offset in offsets:
        said = [epoch for disk in disks if (epoch := disk.epoch_at(offset)) is not None]
        if not said or min(said) >= created.partition.leader_epoch:
            break
        found.append(min(said))
    return found


def _since(created: Created, lane: Lane) -> Lane:
    return tuple(dropwhile(lambda one: not _is_later(created, one), lane))


def _is_later(created: Created, one: BrokerEvent) -> bool:
    event, then = one.event, created.partition
    if isinstance(event, (RoleTaken, RoleKept, IsrUpdated)):
        return event.partition_epoch > then.partition_epoch
    return isinstance(event, FetcherAdded) and event.leader_epoch > then.leader_epoch
