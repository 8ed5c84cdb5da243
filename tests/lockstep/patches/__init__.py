"""Classes of Kafka changed as bytecode: the smallest fixes of open holes, and mutants that must be noticed.

They are made of the released class by Javassist, which Maven fetches once and a checksum pins. Nothing of Kafka is kept
here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from epochal.kafka.lockstep.class_path import jars_folder, kafka_classes
from epochal.kafka.lockstep.harness import found_jdk
from epochal.spec.kraft.generations import numbered

HERE = Path(__file__).resolve().parent
JAVASSIST: Final = "org.javassist:javassist:3.30.2-GA"
JAVASSIST_SHA256: Final = "eba37290994b5e4868f3af98ff113f6244a6b099385d9ad46881307d3cb01aaf"
PARTITION: Final = "kafka.cluster.Partition"


class PatchMissing(Exception):
    """What makes patches is not here."""


class Change(NamedTuple):
    """A method, and code before it, in place of its body, or in place of a call in it, by the name of the called."""

    method: str
    where: str
    code: str


@dataclass(frozen=True)
class Patch:
    """A method of a class, and the code before it or in place of it; `more` are further changes of the class.

    `{call}` in the code is `()` where `makeLeader` is given an object with accessors: up to 4.1. `{part}` is `()` where
    BatchMetadata has accessors: since 4.2.
    """

    name: str
    class_name: str
    method: str
    where: str
    code: str
    more: tuple[Change, ...] = ()

    def made(self, version: str, folder: Path) -> Path:
        """A folder with the changed class of a release, below another."""
        call, part = ("()", "") if numbered(version) < (4, 2) else ("", "()")
        jars = ":".join(map(str, kafka_classes(version, None).entries))
        out = folder / f"{self.name}-{version}"
        java = found_jdk().java
        changes = (Change(self.method, self.where, self.code), *self.more)
        words = (word.replace("{call}", call).replace("{part}", part) for change in changes for word in change)
        arguments = (jars, str(out), self.class_name, *words)
        command = [str(java), "-cp", str(javassist()), str(HERE / "ChangedClass.java"), *arguments]
        subprocess.run(command, check=True, timeout=120, stdin=subprocess.DEVNULL)
        return out


def javassist() -> Path:
    """The jar of Javassist, held against its checksum; fetched beside those of Kafka if it is not there."""
    folder = jars_folder("javassist")
    jar = folder / f"{JAVASSIST.split(':')[1]}-{JAVASSIST.split(':')[2]}.jar"
    if not jar.is_file():
        maven = shutil.which("mvn")
        if maven is None:
            raise PatchMissing(f"{jar} is not here, and Maven, which would fetch it, is not either")
        command = [maven, "--batch-mode", "--quiet", "--strict-checksums", "dependency:copy"]
        command += [f"-Dartifact={JAVASSIST}", f"-DoutputDirectory={folder}"]
        subprocess.run(command, check=True, timeout=600, stdin=subprocess.DEVNULL)
    if hashlib.sha256(jar.read_bytes()).hexdigest() != JAVASSIST_SHA256:
        raise PatchMissing(f"{jar} is not {JAVASSIST}: remove it")
    return jar


N1_FIXED: Final = Patch(
    "n1",
    PARTITION,
    "makeLeader",
    "before",
    "{ if (isLeader() && $1.partitionEpoch{call} >= getPartitionEpoch() && $1.leaderEpoch{call} > getLeaderEpoch() + 1)"
    " leaderReplicaIdOpt_$eq(scala.Option.empty()); }",
)
"""An epoch that is not the next one is taken for a new term: the leader forgets how far its followers were."""

S15_FIXED: Final = Patch(
    "s15",
    PARTITION,
    "makeLeader",
    "before",
    "{ if (isLeader() && $1.leaderEpoch{call} == getLeaderEpoch() && $1.partitionEpoch{call} == getPartitionEpoch())"
    " return false; }",
)
"""Metadata of the partition epoch that the leader has is ignored, and what it has proposed meanwhile stays."""

_LOG: Final = "org.apache.kafka.storage.internals.log."

P1_FIXED: Final = Patch(
    "p1",
    f"{_LOG}ProducerStateManager",
    "writeSnapshot",
    "entrySet",
    "{ java.util.LinkedHashSet all = new java.util.LinkedHashSet();"
    " for (java.util.Iterator producers = $0.values().iterator(); producers.hasNext();) {"
    f" {_LOG}ProducerStateEntry whole = ({_LOG}ProducerStateEntry) producers.next();"
    " java.util.Iterator batches = whole.batchMetadata().iterator();"
    " do {"
    f" {_LOG}ProducerStateEntry one = {_LOG}ProducerStateEntry.empty(whole.producerId());"
    " one.update(whole.producerEpoch(), whole.coordinatorEpoch(), whole.lastTimestamp());"
    " if (whole.currentTxnFirstOffset().isPresent())"
    " one.setCurrentTxnFirstOffset(whole.currentTxnFirstOffset().getAsLong());"
    " if (batches.hasNext()) {"
    f" {_LOG}BatchMetadata batch = ({_LOG}BatchMetadata) batches.next();"
    " one.addBatch(whole.producerEpoch(), batch.lastSeq{part}, batch.lastOffset{part}, batch.offsetDelta{part},"
    " batch.timestamp{part});"
    " }"
    " all.add(new java.util.AbstractMap$SimpleImmutableEntry(Long.valueOf(whole.producerId()), one));"
    " } while (batches.hasNext()); }"
    " $_ = all; }",
    (
        Change(
            "loadProducerEntry",
            "before",
            f"{{ {_LOG}ProducerStateEntry known ="
            f" ({_LOG}ProducerStateEntry) producers.get(Long.valueOf($1.producerId()));"
            " if (known != null) { known.update($1); $1 = known; } }",
        ),
    ),
)
"""A snapshot has an entry for each batch of a producer, the oldest first; whoever loads it puts them together again.

Since 4.0: before, the method has an array of as many entries as there are producers."""

KAFKA_15591_FIXED: Final = Patch(
    "kafka-15591",
    f"{_LOG}ProducerAppendInfo",
    "checkSequence",
    "before",
    "{ if ($3 == 0L && $2 != 0 && currentEntry.isEmpty())"
    ' throw new org.apache.kafka.common.errors.OutOfOrderSequenceException("an empty log begins at 0"); }',
)
"""In a log that has never held a record no batch of an unknown producer is taken but the first."""

MUTANTS: Final = (
    Patch("never-under-min-isr", PARTITION, "isUnderMinIsr", "body", "{ return false; }"),
    Patch("everybody-eligible", PARTITION, "isReplicaIsrEligible", "body", "{ return true; }"),
    Patch("everybody-in-sync", PARTITION, "isFollowerInSync", "body", "{ return true; }"),
)
"""Rules of the leader taken away: random runs must notice each."""
