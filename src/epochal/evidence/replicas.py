"""What a broker has on its disks: its log directories, and in them the replicas of partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Named = tuple[str, int]
"""A partition: the name of its topic and its number."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Records one behind the other, from the first offset to the last, that leaders of one epoch have appended.

    Where a log was compacted, some of the offsets between may have no record.
    """

    first: int
    last: int
    leader_epoch: int


@dataclass(frozen=True)
class Replica:
    """A replica of a partition as its files have it. `name` is the folder or the dump that tells.

    `broker` is UNKNOWN_BROKER where nothing says whose folder it is. `start` and `end` are the first offset and the one
    behind the last, None if no segment is here; there is no `end` either where a segment is damaged. `epochs` is the
    leader-epoch-checkpoint: epochs, and where each begins. The other three are what the checkpoints of the log
    directory say of it; None where they do not. `values` are those of some records: of the offsets that somebody asks
    for.
    """

    name: str
    broker: int
    topic: str
    number: int
    topic_id: str | None
    stretches: tuple[Stretch, ...]
    start: int | None
    end: int | None
    epochs: tuple[tuple[int, int], ...] | None
    high_watermark: int | None
    recovery_point: int | None
    log_start: int | None
    values: Mapping[int, bytes] = field(default_factory=dict)

    def epoch_at(self, offset: int) -> int | None:
        """The leader epoch in which the record at an offset was appended; None if it has none there."""
        return next((one.leader_epoch for one in self.stretches if one.first <= offset <= one.last), None)


@dataclass(frozen=True)
class LogDirectory:
    """A log directory: whose it is by meta.properties, and whether its broker was shut down cleanly after all else.

    The offsets are those of its three checkpoints, by partition; None if a file is not here.
    """

    name: str
    broker: int
    cluster_id: str | None
    directory_id: str | None
    clean: bool
    high_watermarks: Mapping[Named, int] | None
    recovery_points: Mapping[Named, int] | None
    log_starts: Mapping[Named, int] | None


def joined(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The same with those put together that lie one behind the other and are of one epoch."""
    found: list[Stretch] = []
    for one in stretches:
        if found and found[-1].leader_epoch == one.leader_epoch and found[-1].last + 1 == one.first:
            found[-1] = Stretch(found[-1].first, one.last, one.leader_epoch)
        else:
            found.append(one)
    return tuple(found)
