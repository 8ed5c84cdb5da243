"""Recorded evidence as tests take it: an archive's metadata log, also with records put in the place of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from epochal.kafka.evidence.files import Kind, evidence_files
from epochal.kafka.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.brokers import BrokersVerdict, judge_brokers
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import ControllerVerdict, Outline, RuleSet, judge_controller
from epochal.kafka.validation.detectors import known_of
from epochal.kafka.validation.image import NOBODY, Image
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as

FOLDER = Path(__file__).resolve().parents[1] / "evidence"
INJECTED = tuple(path.name.removesuffix(".tar.xz") for path in sorted(FOLDER.glob("injected-*.tar.xz")))
"""Runs with random faults (`test_injected.py`)."""
ARCHIVES = tuple(
    name for path in sorted(FOLDER.glob("*.tar.xz")) if (name := path.name.removesuffix(".tar.xz")) not in INJECTED
)
TIERED = tuple(name for name in ARCHIVES if name.startswith(("reproduced-t1", "reproduced-t5")))
"""Recordings of a log whose beginning is in the remote tier, or was to be."""

CHANGE = "PARTITION_CHANGE_RECORD"


def partition_of(name: str) -> str:
    """The partition that the scenario of an archive is about."""
    return "__transaction_state-0" if name.startswith("reproduced-x1") else "t-0"


@cache
def of_archive(name: str) -> Collected:
    """What an archive has."""
    return collected([FOLDER / f"{name}.tar.xz"])


def records_of(name: str) -> tuple[MetadataRecord, ...]:
    """The metadata log of an archive."""
    log = of_archive(name).metadata
    assert log is not None
    return log.records


def judged(
    name: str,
    records: tuple[MetadataRecord, ...] | None = None,
    kind: type[ConfigurableKraft] = ConfigurableKraft,
    kafka: str | None = None,
) -> ControllerVerdict:
    """An archive's controller held against the rules of its version, or of another; other records may be put in."""
    evidence = of_archive(name)
    version = kafka or evidence.versions[0]
    rules = RuleSet(kind, VERSIONS[known_as(version)], version, evidence.static)
    return judge_controller(MetadataLog(records or records_of(name)), rules)


def changes_of(name: str) -> list[MetadataRecord]:
    """The changes of the topic that the scenario is about, in their order."""
    return [record for record in records_of(name) if record.kind == CHANGE]


def edited(
    name: str, number: int, edit: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
) -> tuple[tuple[MetadataRecord, ...], MetadataRecord]:
    """The log with one change edited, and that change; None puts a record without a meaning there."""
    chosen = changes_of(name)[number]
    data = edit(chosen.data)
    put = replace(chosen, kind="NO_OP_RECORD", data={}) if data is None else replace(chosen, data=data)
    return tuple(put if record is chosen else record for record in records_of(name)), chosen


# Logs of recorded brokers as tests take them: with lines edited, put in, taken away, or in files of other names.

Edit = Callable[[bytes], list[bytes]]


@cache
def logs_of(name: str) -> Mapping[str, bytes]:
    """The logs of an archive, by their names."""
    return {
        file.name: file.stream.read() for file in evidence_files([FOLDER / f"{name}.tar.xz"]) if file.kind is Kind.LOG
    }


def judged_brokers(name: str, metadata: MetadataLog | None = None) -> BrokersVerdict:
    """The brokers of an archive, held against its metadata log or a part of that."""
    evidence = of_archive(name)
    log = metadata or evidence.metadata
    assert log is not None
    return judge_brokers(evidence.logs, known_of(evidence, log, _version(name)))


def judged_files(name: str, files: Mapping[str, bytes], folder: Path) -> BrokersVerdict:
    """The archive's metadata log with other logs, written below a folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    metadata = of_archive(name).metadata
    assert metadata is not None
    evidence = collected([folder])
    return judge_brokers(evidence.logs, known_of(evidence, metadata, _version(name)))


def _version(name: str) -> str:
    """The version of an archive's brokers."""
    (version,) = of_archive(name).versions
    return version


def line_of(name: str, file: str, *words: str) -> int:
    """The number of the first line that has these words, counted from 1."""
    for number, line in enumerate(logs_of(name)[file].splitlines(), start=1):
        if all(word.encode() in line for word in words):
            return number
    raise AssertionError(f"{name}: no line of {file} has {words}")


def changed(name: str, file: str, number: int, edit: Edit) -> dict[str, bytes]:
    """The logs of an archive, where one line of a file is replaced by others."""
    lines = logs_of(name)[file].splitlines(keepends=True)
    lines[number - 1 : number] = edit(lines[number - 1])
    return {**logs_of(name), file: b"".join(lines)}


def put(old: str, new: str) -> Edit:
    """The edit that puts one text in the place of another, once."""

    def edit(line: bytes) -> list[bytes]:
        assert line.count(old.encode()) >= 1, line
        return [line.replace(old.encode(), new.encode(), 1)]

    return edit


# Metadata logs that begin with a snapshot, made of those that begin at the beginning.


def beginning_at(records: Sequence[MetadataRecord], first: int) -> MetadataLog:
    """The log from its record with this number on: what was before is in a snapshot, as SnapshotGenerator writes it."""
    image = Image()
    for record in records[:first]:
        image.apply(record)
    said: list[tuple[str, dict[str, Any]]] = [
        ("FEATURE_LEVEL_RECORD", {"name": name, "featureLevel": level}) for name, level in image.features.items()
    ]
    for broker, known in image.brokers.items():
        told = {"fenced": known.fenced, "inControlledShutdown": known.shutting_down, "logDirs": [*known.directories]}
        said.append(("REGISTER_BROKER_RECORD", {"brokerId": broker, "brokerEpoch": known.epoch, **told}))
    for topic, name in image.topics.items():
        said.append(("TOPIC_RECORD", {"topicId": topic, "name": name}))
    for (topic, number), one in image.partitions.items():
        last = [] if one.last_known_leader is None else [one.last_known_leader]
        epochs = {"leaderEpoch": one.leader_epoch, "partitionEpoch": one.partition_epoch}
        lists = {"isr": [*one.isr], "addingReplicas": [*one.adding], "removingReplicas": [*one.removing]}
        lists |= {"eligibleLeaderReplicas": [*one.elr], "lastKnownElr": last, "replicas": [*one.replicas]}
        leader = {"leader": -1 if one.leader is None else one.leader, "leaderRecoveryState": int(one.recovering)}
        said.append(
            (
                "PARTITION_RECORD",
                {
                    "topicId": topic,
                    "partitionId": number,
                    **epochs,
                    **lists,
                    **leader,
                    "directories": [*one.directories],
                },
            )
        )
    for (kind, name), settings in image.configs.items():
        of = {"resourceType": kind, "resourceName": name}
        said += [("CONFIG_RECORD", {**of, "name": key, "value": value}) for key, value in settings.items()]
    snapshot = (
        MetadataRecord(offset, 1, kind, data, Place("snapshot.checkpoint", offset=offset))
        for offset, (kind, data) in enumerate(said)
    )
    return MetadataLog(tuple(records[first:]), tuple(snapshot))


# PartitionChangeBuilder as Kafka has it, written down from its source for one partition without reassignments.


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


# Metadata logs that tests make up, record by record: what a real controller writes is said by who makes them.

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
