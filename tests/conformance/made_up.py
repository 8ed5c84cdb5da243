"""Metadata logs that tests make up, record by record: what a real controller writes is said by who makes them."""

from __future__ import annotations

from typing import Any

from epochal.kafka.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.controller import ControllerVerdict, RuleSet, judge_controller
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS

TOPIC = "id-of-t"
LEVELS = {"metadata.version": 29, "eligible.leader.replicas.version": 1}


def disk(broker: int, number: int) -> str:
    """The name of a log directory of a broker."""
    return f"directory-{broker}-{number}"


class MadeUp:
    """A cluster of three brokers with two log directories each, and the partition t-0 in the first of each."""

    def __init__(self, min_isr: int = 2, **levels: int) -> None:
        self.records: list[MetadataRecord] = []
        for name, level in (LEVELS | levels).items():
            self.add("FEATURE_LEVEL_RECORD", name=name.replace("_", "."), featureLevel=level)
        for broker in (1, 2, 3):
            self.registers(broker)
            self.is_unfenced(broker)
        self.add("TOPIC_RECORD", name="t", topicId=TOPIC)
        self.add("CONFIG_RECORD", resourceType=2, resourceName="t", name="min.insync.replicas", value=str(min_isr))
        self.creates(0)

    def add(self, kind: str, **data: Any) -> None:
        """A record more."""
        offset = len(self.records)
        self.records.append(MetadataRecord(offset, 1, kind, data, Place("metadata.log", offset=offset)))

    def creates(self, number: int) -> None:
        """A partition more, led by broker 1."""
        told = {"leader": 1, "leaderEpoch": 0, "partitionEpoch": 0, "directories": [disk(one, 1) for one in (1, 2, 3)]}
        self.add("PARTITION_RECORD", topicId=TOPIC, partitionId=number, replicas=[1, 2, 3], isr=[1, 2, 3], **told)

    def registers(self, broker: int, *disks: int) -> None:
        """With both log directories, or with these."""
        named = [disk(broker, number) for number in disks or (1, 2)]
        self.add("REGISTER_BROKER_RECORD", brokerId=broker, brokerEpoch=len(self.records), fenced=True, logDirs=named)

    def registration_changes(self, broker: int, **data: Any) -> None:
        """BrokerRegistrationChangeRecord."""
        self.add("BROKER_REGISTRATION_CHANGE_RECORD", brokerId=broker, brokerEpoch=0, **data)

    def is_unfenced(self, broker: int) -> None:
        """It counts from now on."""
        self.registration_changes(broker, fenced=-1)

    def is_fenced(self, broker: int) -> None:
        """It counts no longer. Its changes stand before."""
        self.registration_changes(broker, fenced=1)

    def loses(self, broker: int, *left: int) -> None:
        """Only these log directories are online any more. The changes that come of it stand before."""
        self.registration_changes(broker, logDirs=[disk(broker, number) for number in left])

    def changes(self, number: int = 0, **data: Any) -> None:
        """PartitionChangeRecord."""
        self.add("PARTITION_CHANGE_RECORD", topicId=TOPIC, partitionId=number, **data)

    def log(self) -> MetadataLog:
        """All of it, and time goes on: at the very end the record beside a change might not be here yet."""
        offset = len(self.records)
        goes_on = MetadataRecord(offset, 1, "NO_OP_RECORD", {}, Place("metadata.log", offset=offset))
        return MetadataLog((*self.records, goes_on))

    def judged(self, version: str = "4.3.1") -> ControllerVerdict:
        """Held against a version."""
        return judge_controller(self.log(), RuleSet(ConfigurableKraft, VERSIONS[version], version))


def accepted(made: MadeUp, version: str = "4.3.1") -> dict[str, int]:
    """What explains the changes of a log in which nothing is refused."""
    verdict = made.judged(version)
    assert verdict.refused == [] and verdict.left_out == {}
    return verdict.explained


def refused(made: MadeUp, version: str = "4.3.1") -> list[int]:
    """The offsets at which a log is refused."""
    return [one.record.offset for one in made.judged(version).refused]
