"""Replicas that have different records at an offset below the high watermark of both: committed twice, and not alike.

Records of one offset and one leader epoch are the same, so that epochs tell it. A follower may differ above its high
watermark: that is cut off when it fetches (KIP-101).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from epochal.evidence.broker_events import UNKNOWN_BROKER
from epochal.evidence.place import Place, partition_named
from epochal.evidence.replicas import Replica

from .noticed import Noticed, Weight

DIVERGED = "KIP-101 (S28)"


def diverged(replicas: Iterable[Replica]) -> Iterator[Noticed]:
    """The first such offset of each two replicas of a partition, of whatever brokers."""
    partitions: dict[tuple[str, int, str | None], list[Replica]] = {}
    for one in replicas:
        if one.broker != UNKNOWN_BROKER and one.high_watermark is not None:
            partitions.setdefault((one.topic, one.number, one.topic_id), []).append(one)
    for (topic, number, _), copies in partitions.items():
        for one, other in itertools.combinations(copies, 2):
            found = _first_difference(one, other)
            if found is not None:
                offset, epochs = found
                says = (
                    f"brokers {one.broker} and {other.broker} have different records at offset {offset}, of leader "
                    f"epochs {epochs[0]} and {epochs[1]}, and their high watermarks are beyond it"
                )
                yield Noticed(Place(one.name), None, partition_named(topic, number), DIVERGED, says, Weight.GONE)


def _first_difference(one: Replica, other: Replica) -> tuple[int, tuple[int, int]] | None:
    """The least offset below both high watermarks at which the leader epochs differ, and these."""
    committed = min(one.high_watermark or 0, other.high_watermark or 0)
    mine, theirs = iter(one.stretches), iter(other.stretches)
    a, b = next(mine, None), next(theirs, None)
    while a is not None and b is not None:
        offset = max(a.first, b.first)
        if offset >= committed:
            return None
        if offset <= min(a.last, b.last) and a.leader_epoch != b.leader_epoch:
            return offset, (a.leader_epoch, b.leader_epoch)
        if a.last <= b.last:
            a = next(mine, None)
        else:
            b = next(theirs, None)
    return None
