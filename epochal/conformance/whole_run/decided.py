"""What the controller decided about one partition and its brokers, in the order of the metadata log."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from epochal.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.spec.kraft.settings import Settings

from ..image import Brokers, Image, Partition, TopicPartition
from ..partition_history import Named
from ..rules import Rules

CREATED, CHANGE, CLEARED = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD", "CLEAR_ELR_RECORD"

FENCED, UNFENCED, REGISTERED, SHUTTING_DOWN = "is fenced", "is unfenced", "registers", "is allowed to shut down"


@dataclass(frozen=True)
class Changed:
    """The partition changes. `cleared` says that no record of its own says so (ClearElrRecord)."""

    record: MetadataRecord
    found: Partition
    settings: Settings
    cleared: bool = False


@dataclass(frozen=True)
class OfBroker:
    """A broker that the partition has to do with registers, is fenced, is unfenced, or may shut down."""

    record: MetadataRecord
    broker: int
    says: str
    settings: Settings


Decision = Changed | OfBroker


@dataclass(frozen=True)
class Created:
    """A partition as it was created: which of its brokers were active then."""

    record: MetadataRecord
    partition: Partition
    active: Brokers
    settings: Settings


@dataclass(frozen=True)
class Decided:
    """All that was decided about a partition, from its creation on. `brokers` are those it ever had to do with."""

    of: TopicPartition
    name: str
    created: Created
    decisions: tuple[Decision, ...]
    brokers: tuple[int, ...]

    @property
    def last_leader_epoch(self) -> int:
        """The last leader epoch that there was."""
        changes = [one.found for one in self.decisions if isinstance(one, Changed)]
        return max((one.leader_epoch for one in changes), default=self.created.partition.leader_epoch)

    def registers_first(self, broker: int) -> bool:
        """Whether a broker that is not active at first comes in a new process, and is not only unfenced."""
        for one in self.decisions:
            if isinstance(one, OfBroker) and one.broker == broker and one.says in (REGISTERED, UNFENCED):
                return one.says == REGISTERED
        return True


def decided(log: MetadataLog, rules: Rules, wanted: AbstractSet[Named]) -> Iterator[Decided]:
    """Those of the wanted partitions that are created in a metadata log, in their order."""
    brokers: dict[TopicPartition, set[int]] = {}
    created: dict[TopicPartition, Created] = {}
    decisions: dict[TopicPartition, list[Decision]] = {}
    names: dict[TopicPartition, str] = {}
    image = Image()
    for record in log.begins_with:
        image.apply(record)
    for record in log.records:
        before = {one: image.partitions.get(one) for one in created} if record.kind == CLEARED else {}
        said = _of_broker(record, image)
        of = (record.data.get("topicId", ""), record.data.get("partitionId", -1))
        is_new = record.kind == CREATED and of not in image.partitions
        image.apply(record)
        if is_new and (image.topics.get(of[0], ""), of[1]) in wanted:
            partition = image.partitions[of]
            active = frozenset(one for one in image.brokers if image.is_active(one))
            created[of] = Created(record, partition, active, rules.settings(image, of))
            brokers[of], decisions[of], names[of] = set(partition.brokers), [], image.name_of(of)
        elif record.kind == CHANGE and of in created:
            brokers[of] |= image.partitions[of].brokers
            decisions[of].append(Changed(record, image.partitions[of], rules.settings(image, of)))
        elif record.kind == CLEARED:
            for other, was in before.items():
                if was is not None and image.partitions[other] != was:
                    settings = rules.settings(image, other)
                    decisions[other].append(Changed(record, image.partitions[other], settings, cleared=True))
        elif said is not None:
            for other in created:
                if other in image.partitions:
                    decisions[other].append(OfBroker(record, *said, rules.settings(image, other)))
    for of, one in created.items():
        concerned = tuple(
            decision for decision in decisions[of] if isinstance(decision, Changed) or decision.broker in brokers[of]
        )
        yield Decided(of, names[of], one, concerned, tuple(sorted(brokers[of])))


def _of_broker(record: MetadataRecord, image: Image) -> tuple[int, str] | None:
    """What a record says of a broker, if it says anything new."""
    broker = record.data.get("brokerId", -1)
    known = image.brokers.get(broker)
    if record.kind == "REGISTER_BROKER_RECORD":
        again = known is not None and known.epoch == record.data["brokerEpoch"]
        return None if again else (broker, REGISTERED)
    if record.kind == "UNREGISTER_BROKER_RECORD":
        return broker, FENCED
    if record.kind == "BROKER_REGISTRATION_CHANGE_RECORD":
        if record.data.get("fenced", 0) == 1:
            return broker, FENCED
        if record.data.get("fenced", 0) == -1:
            return broker, UNFENCED
        if record.data.get("inControlledShutdown", 0) == 1:
            return broker, SHUTTING_DOWN
    return None
