"""What every partition was at each of its partition epochs, as the metadata log tells."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain

from epochal.evidence.metadata_log import MetadataLog

from .image import Image, Partition, TopicPartition

Named = tuple[str, int]
"""A partition as logs call it: the name of its topic and its number."""

PARTITIONS = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
CLEARED = "CLEAR_ELR_RECORD"
REMOVED = "REMOVE_TOPIC_RECORD"


@dataclass
class Life:
    """A partition from its creation on: a topic that is made anew under its name has another."""

    topic_id: str
    at: dict[int, Partition] = field(default_factory=dict)
    leaders: dict[int, int | None] = field(default_factory=dict)
    """The leader of each leader epoch."""

    removed: bool = False
    """Whether its topic was deleted."""

    def now(self, partition: Partition) -> None:
        """What it is from now on."""
        self.at[partition.partition_epoch] = partition
        self.leaders[partition.leader_epoch] = partition.leader

    @property
    def first(self) -> int:
        """The first partition epoch that is known."""
        return min(self.at)

    @property
    def last(self) -> int:
        """The last one."""
        return max(self.at)

    @property
    def last_leader(self) -> int | None:
        """Who leads, or led last; None if nobody did that is known.

        Where that was before the metadata log begins: the last known leader, or who is left alone in the ISR (without
        ELR the leader stays there).
        """
        led = [epoch for epoch, leader in self.leaders.items() if leader is not None]
        if led:
            return self.leaders[max(led)]
        now = self.at[self.last]
        alone = min(now.isr) if len(now.isr) == 1 else None
        return now.last_known_leader if now.last_known_leader is not None else alone

    @property
    def was_uncleanly_elected(self) -> bool:
        """Whether a leader was elected that may have lacked committed records."""
        return any(partition.recovering for partition in self.at.values())


History = dict[Named, list[Life]]
"""The lives of each partition, one after the other."""


def history_of(log: MetadataLog, wanted: AbstractSet[Named]) -> History:
    """The history of these partitions: each by the name or by the id of its topic.

    ClearElrRecord changes partitions without naming them: the partition epoch of each that had eligible leader replicas
    rises (TopicDelta.maybeClearElr).
    """
    image = Image()
    found: History = {}
    if not wanted:
        return found
    lives: dict[TopicPartition, Life] = {}
    for record in chain(log.begins_with, log.records):
        image.apply(record)
        if record.kind in PARTITIONS:
            _note(image, (record.data["topicId"], record.data["partitionId"]), wanted, found, lives)
        elif record.kind == CLEARED:
            for of, life in lives.items():
                if of in image.partitions:
                    life.now(image.partitions[of])
        elif record.kind == REMOVED:
            for of, life in lives.items():
                life.removed = life.removed or of[0] == record.data["topicId"]
    return found


def _note(
    image: Image, of: TopicPartition, wanted: AbstractSet[Named], found: History, lives: dict[TopicPartition, Life]
) -> None:
    named = (image.topics.get(of[0], ""), of[1])
    if (named in wanted or of in wanted) and of in image.partitions:
        if of not in lives:
            lives[of] = Life(of[0])
            found.setdefault(named, []).append(lives[of])
        lives[of].now(image.partitions[of])
