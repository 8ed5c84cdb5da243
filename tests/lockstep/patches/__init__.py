"""Classes of Kafka changed as bytecode: the smallest fixes of open holes, and mutants that must be noticed.

They are made of the released class by Javassist, which Maven fetches once and a checksum pins. Nothing of Kafka is kept
here.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from epochal.kafka.lockstep.class_path import jars_folder, kafka_classes
from epochal.kafka.lockstep.harness import found_jdk
from epochal.spec.kraft.generations import numbered

HERE = Path(__file__).resolve().parent
JAVASSIST: Final = "org.javassist:javassist:3.30.2-GA"
JAVASSIST_SHA256: Final = "eba37290994b5e4868f3af98ff113f6244a6b099385d9ad46881307d3cb01aaf"
PARTITION: Final = "kafka.cluster.Partition"
REPLICA: Final = "org.apache.kafka.server.replica.Replica"


class PatchMissing(Exception):
    """What makes patches is not here."""


@dataclass(frozen=True)
class Patch:
    """A method of a class, and code before it, after it (`finally`: if it throws, too), in its place, or in the place
    of calls in it.

    `{call}` in the code is `()` where `makeLeader` is given an object with accessors: up to 4.1; `{read}` and `{part}`
    are `()` where LogReadInfo and BatchMetadata are records: since 4.2; `{replica}` is the class of a leader's
    followers. `field` is one that the class gets, and `more` are other methods of the same class.
    """

    name: str
    class_name: str
    method: str
    where: Literal[
        "before",
        "after",
        "finally",
        "body",
        "calls isEmpty",
        "calls replaceCurrentWithFutureLog",
        "calls segmentSize",
        "calls entrySet",
    ]
    code: str
    field: str = ""
    more: tuple[Patch, ...] = ()

    def made(self, version: str, folder: Path) -> Path:
        """A folder with the changed class of a release, below another."""
        is_record = numbered(version) >= (4, 2)
        words = {
            "{call}": "" if is_record else "()",
            "{read}": "()" if is_record else "",
            "{part}": "()" if is_record else "",
            "{replica}": REPLICA if numbered(version) >= (4, 1) else "kafka.cluster.Replica",
        }
        out = folder / f"{self.name}-{version}"
        jars = ":".join(map(str, (out, *kafka_classes(version, None).entries)))  # what was changed already comes first
        java = found_jdk().java
        for one in (self, *self.more):
            code = functools.reduce(lambda code, word: code.replace(*word), words.items(), one.code)
            arguments = [jars, str(out), one.class_name, one.method, one.where, code]
            arguments += [one.field] if one.field else []
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

H1_FIXED: Final = Patch(
    "h1",
    PARTITION,
    "effectiveMinIsr",
    "body",
    "{ org.apache.kafka.common.config.ConfigResource topic = new org.apache.kafka.common.config.ConfigResource("
    "org.apache.kafka.common.config.ConfigResource.Type.TOPIC, topicPartition().topic());"
    ' String set = metadataCache.config(topic).getProperty("min.insync.replicas");'
    " int least = set == null ? $1.config().minInSyncReplicas : Integer.parseInt(set);"
    " return Math.min(least, remoteReplicasMap().size() + 1); }",
)
"""A leader looks min.insync.replicas up in the image that it has its own state from, and not in the log's settings."""

H2_FIXED: Final = Patch(
    "h2",
    "org.apache.kafka.controller.ReplicationControlManager",
    "getTopicEffectiveMinIsr",
    "body",
    '{ return Integer.parseInt(configurationControl.getTopicConfig($1, "min.insync.replicas").value()); }',
)
"""The controller takes the setting of the topic; that it is never more than the replicas of the partition in hand, the
builder of the change sees to (PartitionChangeBuilder.maybePopulateTargetElr)."""

H7_FIXED: Final = Patch(
    "h7",
    "org.apache.kafka.controller.ReplicationControlManager",
    "changePartitionReassignment",
    "calls isEmpty",
    "{ $_ = false; }",
)
"""An override replaces who comes and who goes, also where nobody does."""

H13_FIXED: Final = Patch(
    "h13",
    "org.apache.kafka.storage.internals.log.LogManager",
    "recoverAbandonedFutureLogs",
    "calls replaceCurrentWithFutureLog",
    "{ if (!$1.isPresent() || ((org.apache.kafka.storage.internals.log.UnifiedLog) $1.get()).logEndOffset()"
    " <= $2.logEndOffset()) $proceed($$); }",
)
"""A future log that was left behind takes the place of no log that has more (the class of 4.4)."""

W4_FIXED: Final = Patch(
    "w4",
    "org.apache.kafka.controller.PartitionChangeBuilder",
    "maybeUpdateRecordElr",
    "before",
    "{ java.util.List kept = new java.util.ArrayList(targetElr); kept.retainAll(targetReplicas); targetElr = kept; }",
)
"""Nobody is eligible who is no replica after the change."""
FETCHER: Final = "kafka.server.AbstractFetcherThread"

H6_FIXED: Final = Patch(
    "h6",
    FETCHER,
    "processFetchRequest",
    "before",
    "{ lockstepAsked = $1; }",
    field="private java.util.Map lockstepAsked;",
    more=(
        Patch(
            "h6",
            FETCHER,
            "truncateOnFetchResponse",
            "before",
            "{ partitionMapLock().lock();"
            " scala.collection.Iterator all = $1.iterator();"
            " while (all.hasNext()) {"
            "  Object partition = ((scala.Tuple2) all.next())._1();"
            "  Object now ="
            " partitionStates().stateValue((org.apache.kafka.common.TopicPartition) partition);"
            "  org.apache.kafka.common.requests.FetchRequest$PartitionData asked ="
            " (org.apache.kafka.common.requests.FetchRequest$PartitionData) lockstepAsked.get(partition);"
            "  if (now == null || !asked.currentLeaderEpoch.equals(java.util.Optional.of("
            'now.getClass().getMethod("currentLeaderEpoch", new Class[0]).invoke(now, new Object[0]))))'
            "   $1 = (scala.collection.Map) $1.$minus(partition);"
            " } }",
        ),
        Patch("h6", FETCHER, "truncateOnFetchResponse", "finally", "{ partitionMapLock().unlock(); }"),
    ),
)
"""Under the lock under which a fetcher truncates it looks again for the leader epoch in which it has asked."""

H8_FIXED: Final = Patch(
    "h8",
    PARTITION,
    "readRecords",
    "after",
    "{ $_ = new org.apache.kafka.storage.internals.log.LogReadInfo($_.fetchedData{read}, $_.divergingEpoch{read},"
    " $_.highWatermark{read}, Math.min($_.logStartOffset{read}, $_.highWatermark{read}), $_.logEndOffset{read},"
    " $_.lastStableOffset{read}); }",
)
"""The log start offset of an answer is never beyond its high watermark."""

H8B_FIXED: Final = Patch(
    "h8b",
    PARTITION,
    "lowWatermarkIfLeader",
    "after",
    "{ scala.collection.Iterator all = remoteReplicas().iterator();"
    " while (all.hasNext()) $_ = Math.min($_, (({replica}) all.next()).stateSnapshot().logStartOffset()); }",
)
"""A deletion waits for every replica, whether its broker is alive or not: who is down may be elected later."""

H8C_FIXED: Final = Patch(
    "h8c",
    PARTITION,
    "isFollowerInSync",
    "before",
    "{ if ($1.stateSnapshot().logStartOffset() < localLogOrException().logStartOffset()) return false; }",
)
"""A follower whose log begins before its leader's is not in sync."""

LARGE_FIXED: Final = Patch(
    "kafka-17375",
    "org.apache.kafka.storage.internals.log.UnifiedLog",
    "lambda$append$1",
    "calls segmentSize",
    "{ $_ = validateAndAssignOffsets ? $proceed($$) : Integer.MAX_VALUE; }",
)
"""A follower, which assigns no offsets, copies a batch of any size. The lambda is called so in the newest release."""

H5_FIXED: Final = Patch(
    "h5",
    "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
    "truncateFromEndAsyncFlush",
    "after",
    "{ writeIfDirExists(); }",
)
"""What was truncated is written at once."""

_LOG: Final = "org.apache.kafka.storage.internals.log."

P1_FIXED: Final = Patch(
    "p1",
    f"{_LOG}ProducerStateManager",
    "writeSnapshot",
    "calls entrySet",
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
    more=(
        Patch(
            "p1",
            f"{_LOG}ProducerStateManager",
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

RAFT: Final = "org.apache.kafka.raft."

QUORUM_MUTANTS: Final = (
    Patch("votes-for-any-log", RAFT + "UnattachedState", "canGrantVote", "body", "{ return true; }"),
    Patch("nobody-is-asked-early", RAFT + "FollowerState", "canGrantVote", "body", "{ return false; }"),
    Patch("nothing-is-committed", RAFT + "LeaderState", "maybeUpdateHighWatermark", "body", "{ return false; }"),
    Patch("no-candidate-again", RAFT + "ElectionState", "isVotedCandidate", "body", "{ return false; }"),
)
"""Rules of the voters taken away: random runs must notice each."""
