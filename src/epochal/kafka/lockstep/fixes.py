"""The smallest fixes of open holes, as changes to methods of Kafka's released classes.

Each is Java as Javassist compiles it into the bytecode of the class (`changed.py`): nothing of Kafka is kept here. The
number of a hole is that of the catalogue, and its page among the findings tells the fix in words.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from epochal.errors import UsageError
from epochal.spec.language.errors import advice

Where = Literal[
    "before",
    "after",
    "finally",
    "body",
    "calls addInitializingTopicsRecords",
    "calls groupEpoch",
    "calls isEmpty",
    "calls replaceCurrentWithFutureLog",
    "calls segmentSize",
    "calls truncateFullyAndStartAt",
    "calls truncateToLatestSnapshot",
    "calls entrySet",
    "calls hasLeader",
    "calls isElrFeatureEnabled",
    "calls isVotedCandidate",
    "calls scheduleOnce",
    "calls updateHighestOffsetInRemoteStorage",
]


@dataclass(frozen=True)
class Patch:
    """A method of a class, and code before it, after it (`finally`: if it throws, too), in its place, or in the place
    of calls in it.

    `{call}` in the code is `()` where `makeLeader` is given an object with accessors: up to 4.1; `{read}` and `{part}`
    are `()` where LogReadInfo and BatchMetadata are records: since 4.2; `{replica}` is the class of a leader's
    followers. `{log}` and `{remote}` are the packages of UnifiedLog and RemoteLogManager, also in the name of a class;
    `{uploaded}`, `{epochs}` and `{epoch}` are what these two call the highest offset that was uploaded, the epochs of a
    log, and an epoch. `{coordinator}` is the package of what a transaction coordinator loads. `field` is one that the
    class gets.
    """

    class_name: str
    method: str
    where: Where
    code: str
    field: str = ""

    def class_for(self, version: str) -> str:
        """The class of a version."""
        return _with_words(self.class_name, version)

    def code_for(self, version: str) -> str:
        """The code for the classes of a version."""
        return _with_words(self.code, version)


def _with_words(text: str, version: str) -> str:
    number = tuple(map(int, version.split(".")[:2]))
    is_record, is_java = number >= (4, 2), number >= (4, 1)
    words = {
        "{call}": "" if is_record else "()",
        "{read}": "()" if is_record else "",
        "{part}": "()" if is_record else "",
        "{replica}": REPLICA if is_java else "kafka.cluster.Replica",
        "{log}": _LOG if is_java else "kafka.log.",
        "{remote}": f"{_REMOTE}storage." if is_java else "kafka.log.remote.",
        "{uploaded}": "highestOffsetInRemoteStorage" if is_java else "_highestOffsetInRemoteStorage",
        "{epochs}": "leaderEpochCache()" if number >= (4, 0) else "leaderEpochCache().get()",
        "{epoch}": "epoch" if is_java else "leaderEpoch",
        "{coordinator}": f"{'org.apache.' if number >= (4, 4) else ''}kafka.coordinator.transaction.",
    }
    return functools.reduce(lambda code, word: code.replace(*word), words.items(), text)


class SmallestFix:
    """The smallest fix of a hole, or of two: `says` is it in words."""

    def __init__(self, holes: tuple[str, ...], says: str, *patches: Patch) -> None:
        self.holes, self.says, self.patches = holes, says, patches

    @property
    def id(self) -> str:
        """The hole that it is called by."""
        return self.holes[0]


PARTITION: Final = "kafka.cluster.Partition"
FETCHER: Final = "kafka.server.AbstractFetcherThread"
CONTROLLER: Final = "org.apache.kafka.controller.ReplicationControlManager"
COORDINATOR: Final = "kafka.coordinator.transaction.TransactionStateManager"
REPLICA: Final = "org.apache.kafka.server.replica.Replica"
_LOG: Final = "org.apache.kafka.storage.internals.log."
_REMOTE: Final = "org.apache.kafka.server.log.remote."
_RAFT: Final = "org.apache.kafka.raft."
SHARE_PARTITION: Final = "kafka.server.share.SharePartition"
_PERSISTER: Final = "org.apache.kafka.server.share.persister."
_GROUP: Final = "org.apache.kafka.coordinator.group."

FIXES: Final = (
    SmallestFix(
        ("N1",),
        "An epoch that is not the next one is taken for a new term: the leader forgets how far its followers were.",
        Patch(
            PARTITION,
            "makeLeader",
            "before",
            """{
                if (isLeader() && $1.partitionEpoch{call} >= getPartitionEpoch()
                        && $1.leaderEpoch{call} > getLeaderEpoch() + 1)
                    leaderReplicaIdOpt_$eq(scala.Option.empty());
            }""",
        ),
    ),
    SmallestFix(
        ("S15",),
        "Metadata of the partition epoch that the leader has is ignored, and what it has proposed meanwhile stays.",
        Patch(
            PARTITION,
            "makeLeader",
            "before",
            """{
                if (isLeader() && $1.leaderEpoch{call} == getLeaderEpoch()
                        && $1.partitionEpoch{call} == getPartitionEpoch())
                    return false;
            }""",
        ),
    ),
    SmallestFix(
        ("H1",),
        "A leader looks min.insync.replicas up in the image that it has its own state from, and not in its log.",
        Patch(
            PARTITION,
            "effectiveMinIsr",
            "body",
            """{
                org.apache.kafka.common.config.ConfigResource topic =
                    new org.apache.kafka.common.config.ConfigResource(
                        org.apache.kafka.common.config.ConfigResource.Type.TOPIC, topicPartition().topic());
                String set = metadataCache.config(topic).getProperty("min.insync.replicas");
                int least = set == null ? $1.config().minInSyncReplicas : Integer.parseInt(set);
                return Math.min(least, remoteReplicasMap().size() + 1);
            }""",
        ),
    ),
    SmallestFix(
        ("H2",),
        "The controller takes the setting of the topic. PartitionChangeBuilder sees to it that this is never more "
        "than the replicas of the partition in hand.",
        Patch(
            CONTROLLER,
            "getTopicEffectiveMinIsr",
            "body",
            """{ return Integer.parseInt(configurationControl.getTopicConfig($1, "min.insync.replicas").value()); }""",
        ),
    ),
    SmallestFix(
        ("H5",),
        "What was truncated of the epochs is written to their file at once.",
        Patch(
            "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
            "truncateFromEndAsyncFlush",
            "after",
            "{ writeIfDirExists(); }",
        ),
    ),
    SmallestFix(
        ("H6",),
        "Under the lock under which a fetcher truncates it looks again for the leader epoch in which it has asked.",
        Patch(
            FETCHER,
            "processFetchRequest",
            "before",
            "{ lockstepAsked = $1; }",
            field="private java.util.Map lockstepAsked;",
        ),
        Patch(
            FETCHER,
            "truncateOnFetchResponse",
            "before",
            """{
                partitionMapLock().lock();
                scala.collection.Iterator all = $1.iterator();
                while (all.hasNext()) {
                    Object partition = ((scala.Tuple2) all.next())._1();
                    Object now = partitionStates().stateValue((org.apache.kafka.common.TopicPartition) partition);
                    org.apache.kafka.common.requests.FetchRequest$PartitionData asked =
                        (org.apache.kafka.common.requests.FetchRequest$PartitionData) lockstepAsked.get(partition);
                    if (now == null || !asked.currentLeaderEpoch.equals(java.util.Optional.of(
                            now.getClass().getMethod("currentLeaderEpoch", new Class[0]).invoke(now, new Object[0]))))
                        $1 = (scala.collection.Map) $1.$minus(partition);
                }
            }""",
        ),
        Patch(FETCHER, "truncateOnFetchResponse", "finally", "{ partitionMapLock().unlock(); }"),
    ),
    SmallestFix(
        ("H7", "H7b"),
        "An override replaces who comes and who goes, also where nobody does.",
        Patch(CONTROLLER, "changePartitionReassignment", "calls isEmpty", "{ $_ = false; }"),
    ),
    SmallestFix(
        ("H8",),
        "The log start offset of an answer is never beyond its high watermark.",
        Patch(
            PARTITION,
            "readRecords",
            "after",
            """{
                $_ = new org.apache.kafka.storage.internals.log.LogReadInfo(
                    $_.fetchedData{read}, $_.divergingEpoch{read}, $_.highWatermark{read},
                    Math.min($_.logStartOffset{read}, $_.highWatermark{read}),
                    $_.logEndOffset{read}, $_.lastStableOffset{read});
            }""",
        ),
    ),
    SmallestFix(
        ("H8b",),
        "A deletion waits for every replica, whether its broker is alive or not: who is down may be elected later.",
        Patch(
            PARTITION,
            "lowWatermarkIfLeader",
            "after",
            """{
                scala.collection.Iterator all = remoteReplicas().iterator();
                while (all.hasNext())
                    $_ = Math.min($_, (({replica}) all.next()).stateSnapshot().logStartOffset());
            }""",
        ),
    ),
    SmallestFix(
        ("H8c",),
        "A follower whose log begins before its leader's is not in sync.",
        Patch(
            PARTITION,
            "isFollowerInSync",
            "before",
            "{ if ($1.stateSnapshot().logStartOffset() < localLogOrException().logStartOffset()) return false; }",
        ),
    ),
    SmallestFix(
        ("H13",),
        "A future log that was left behind takes the place of no log that has more. It is made for 4.4, whose class "
        "is Java.",
        Patch(
            f"{_LOG}LogManager",
            "recoverAbandonedFutureLogs",
            "calls replaceCurrentWithFutureLog",
            f"""{{
                if (!$1.isPresent() || (({_LOG}UnifiedLog) $1.get()).logEndOffset() <= $2.logEndOffset())
                    $proceed($$);
            }}""",
        ),
    ),
    SmallestFix(
        ("H14",),
        "A change of min.insync.replicas clears the ELR, whether the feature is on or off.",
        Patch(
            "org.apache.kafka.controller.ConfigurationControlManager",
            "createClearElrRecordsAsNeeded",
            "calls isElrFeatureEnabled",
            "{ $_ = true; }",
        ),
    ),
    SmallestFix(
        ("H14b",),
        "Whoever registers after an unclean shutdown leaves the ELR, whether the feature is on or off.",
        Patch(
            CONTROLLER,
            "handleBrokerShutdown",
            "before",
            """{
                if (!$2 && !featureControl.isElrFeatureEnabled())
                    generateLeaderAndIsrUpdates("handleBrokerUncleanShutdown", -1, -1, $1, $3,
                        brokersToElrs.partitionsWithBrokerInElr($1));
            }""",
        ),
    ),
    SmallestFix(
        ("H15",),
        "The last known leader is forgotten when its replica goes, also where nobody leads.",
        Patch(
            "org.apache.kafka.controller.PartitionChangeBuilder",
            "maybeUpdateLastKnownLeader",
            "after",
            """{
                java.util.List known = $1.lastKnownElr() != null ? $1.lastKnownElr()
                    : org.apache.kafka.metadata.Replicas.toList(partition.lastKnownElr);
                if (!targetReplicas.containsAll(known))
                    $1.setLastKnownElr(java.util.Collections.emptyList());
            }""",
        ),
    ),
    SmallestFix(
        ("SG2",),
        "A leader that has found a start offset writes it, and serves the group when that is persisted. It is made for "
        "4.4, in whose class the method that hears the state has this name.",
        Patch(
            SHARE_PARTITION,
            "lambda$maybeInitialize$0",
            "after",
            f"""{{
                if (partitionState == {SHARE_PARTITION}$SharePartitionState.ACTIVE
                        && (({_PERSISTER}PartitionAllData) (({_PERSISTER}TopicData) $2.topicsData().get(0))
                            .partitions().get(0)).startOffset() == -1L) {{
                    partitionState = {SHARE_PARTITION}$SharePartitionState.INITIALIZING;
                    lockstepStarts = writeShareGroupState(java.util.Collections.emptyList());
                }}
            }}""",
            field="private java.util.concurrent.CompletableFuture lockstepStarts;",
        ),
        Patch(
            SHARE_PARTITION,
            "partitionState",
            "before",
            f"""{{
                if (lockstepStarts != null && lockstepStarts.isDone()) {{
                    partitionState = lockstepStarts.isCompletedExceptionally()
                        ? {SHARE_PARTITION}$SharePartitionState.FAILED
                        : {SHARE_PARTITION}$SharePartitionState.ACTIVE;
                    lockstepStarts = null;
                }}
            }}""",
        ),
    ),
    SmallestFix(
        ("SG3",),
        "The record of an Initialize says the leader epoch that the share coordinator knows.",
        Patch(
            "org.apache.kafka.coordinator.share.ShareCoordinatorShard",
            "generateInitializeStateRecord",
            "after",
            """{
                Integer known = (Integer) leaderEpochMap.get($2);
                if (known != null)
                    ((org.apache.kafka.coordinator.share.generated.ShareSnapshotValue) $_.value().message())
                        .setLeaderEpoch(known.intValue());
            }""",
        ),
    ),
    SmallestFix(
        ("KAFKA-20910",),
        "Altering offsets raises the group epoch.",
        Patch(
            f"{_GROUP}GroupMetadataManager",
            "alterShareGroupOffsets",
            "calls groupEpoch",
            "{ $_ = $proceed($$) + 1; }",
        ),
        Patch(
            f"{_GROUP}GroupMetadataManager",
            "alterShareGroupOffsets",
            "calls addInitializingTopicsRecords",
            f"""{{
                $proceed($$);
                {_GROUP}modern.share.ShareGroup altered = shareGroup($1);
                $2.add({_GROUP}GroupCoordinatorRecordHelpers.newShareGroupEpochRecord(
                    $1, altered.groupEpoch() + 1, altered.metadataHash()));
            }}""",
        ),
    ),
    SmallestFix(
        ("Q5",),
        "A follower that has fetched a snapshot truncates its log for it, whatever records the log has.",
        Patch(
            f"{_RAFT}KafkaRaftClient",
            "handleFetchSnapshotResponse",
            "calls truncateToLatestSnapshot",
            """{
                $_ = $proceed($$);
                if (!$_) {
                    $0.truncateTo($0.startOffset());
                    $_ = $proceed($$);
                }
            }""",
        ),
    ),
    SmallestFix(
        ("Q9",),
        "Whoever truncates its log reads from there again.",
        Patch(
            f"{_RAFT}internals.KRaftControlRecordStateMachine",
            "truncateNewEntries",
            "after",
            "{ nextOffset = Math.min(nextOffset, $1); }",
        ),
    ),
    SmallestFix(
        ("Q11",),
        "A voter that starts reads the leader of its epoch first: it is a candidate again only if it knows none.",
        Patch(
            f"{_RAFT}QuorumState",
            "initialize",
            "calls isVotedCandidate",
            "{ $_ = !$0.hasLeader() && $proceed($$); }",
        ),
    ),
    SmallestFix(
        ("Q12",),
        "A voter that knows the leader and no address of it follows it as soon as an answer names one.",
        Patch(
            f"{_RAFT}KafkaRaftClient",
            "maybeHandleCommonResponse",
            "calls hasLeader",
            "{ $_ = $proceed($$) && !$0.isUnattached(); }",
        ),
    ),
    SmallestFix(
        ("Q13",),
        "A follower grants pre-votes once its fetch timeout is over, also if it takes itself for an observer, which no "
        "timer makes ask for votes. It is made for 4.0 and newer: before, there are no pre-votes.",
        Patch(
            f"{_RAFT}FollowerState",
            "canGrantVote",
            "before",
            """{
                fetchTimer.update();
                if ($3 && $2 && fetchTimer.isExpired()) return true;
            }""",
        ),
    ),
    SmallestFix(
        ("W4",),
        "Nobody is eligible who is no replica after the change.",
        Patch(
            "org.apache.kafka.controller.PartitionChangeBuilder",
            "maybeUpdateRecordElr",
            "before",
            """{
                java.util.List kept = new java.util.ArrayList(targetElr);
                kept.retainAll(targetReplicas);
                targetElr = kept;
            }""",
        ),
    ),
    SmallestFix(
        ("P1",),
        "A snapshot has an entry for each batch of a producer, the oldest first; whoever loads it puts them together "
        "again. It is made for 4.0 and newer: before, the method has an array of as many entries as producers.",
        Patch(
            f"{_LOG}ProducerStateManager",
            "writeSnapshot",
            "calls entrySet",
            f"""{{
                java.util.LinkedHashSet all = new java.util.LinkedHashSet();
                for (java.util.Iterator producers = $0.values().iterator(); producers.hasNext();) {{
                    {_LOG}ProducerStateEntry whole = ({_LOG}ProducerStateEntry) producers.next();
                    java.util.Iterator batches = whole.batchMetadata().iterator();
                    do {{
                        {_LOG}ProducerStateEntry one = {_LOG}ProducerStateEntry.empty(whole.producerId());
                        one.update(whole.producerEpoch(), whole.coordinatorEpoch(), whole.lastTimestamp());
                        if (whole.currentTxnFirstOffset().isPresent())
                            one.setCurrentTxnFirstOffset(whole.currentTxnFirstOffset().getAsLong());
                        if (batches.hasNext()) {{
                            {_LOG}BatchMetadata batch = ({_LOG}BatchMetadata) batches.next();
                            one.addBatch(whole.producerEpoch(), batch.lastSeq{{part}}, batch.lastOffset{{part}},
                                batch.offsetDelta{{part}}, batch.timestamp{{part}});
                        }}
                        all.add(new java.util.AbstractMap$SimpleImmutableEntry(
                            Long.valueOf(whole.producerId()), one));
                    }} while (batches.hasNext());
                }}
                $_ = all;
            }}""",
        ),
        Patch(
            f"{_LOG}ProducerStateManager",
            "loadProducerEntry",
            "before",
            f"""{{
                {_LOG}ProducerStateEntry known =
                    ({_LOG}ProducerStateEntry) producers.get(Long.valueOf($1.producerId()));
                if (known != null) {{
                    known.update($1);
                    $1 = known;
                }}
            }}""",
        ),
    ),
    SmallestFix(
        ("T1",),
        "A truncation takes the highest offset that counts as uploaded back with it, and an upload counts only if the "
        "log still has its last offset in the epoch in which it was uploaded.",
        *(
            Patch(
                "{log}UnifiedLog",
                method,
                "before",
                "{ if ($1 <= {uploaded}) {uploaded} = $1 - 1L; }",
            )
            for method in ("truncateTo", "truncateFullyAndStartAt")
        ),
        Patch(
            "{remote}RemoteLogManager$RLMCopyTask",
            "copyLogSegment",
            "calls updateHighestOffsetInRemoteStorage",
            """{
                java.util.OptionalInt now =
                    ((org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache) $0.{epochs}).epochForOffset($1);
                int then =
                    ((org.apache.kafka.server.common.OffsetAndEpoch) copiedOffsetOption.get()).{epoch}();
                if ($1 < $0.logEndOffset() && now.isPresent() && now.getAsInt() == then)
                    $proceed($$);
            }""",
        ),
    ),
    SmallestFix(
        ("T5",),
        "A log that is cut to before its disk begins keeps its log start offset, and the epochs of what is before the "
        "cut. It is made for 4.2 and newer: the lambda is called so there.",
        Patch(
            f"{_LOG}UnifiedLog",
            "lambda$truncateTo$1",
            "calls truncateFullyAndStartAt",
            """{
                long start = Math.min($0.logStartOffset(), $1);
                java.util.List known = new java.util.ArrayList($0.leaderEpochCache().epochEntries());
                $proceed($1, java.util.Optional.of(Long.valueOf(start)));
                for (int at = 0; at < known.size(); at++) {
                    org.apache.kafka.storage.internals.log.EpochEntry one =
                        (org.apache.kafka.storage.internals.log.EpochEntry) known.get(at);
                    if (one.startOffset() < $1)
                        $0.leaderEpochCache().assign(one.epoch(), one.startOffset());
                }
            }""",
        ),
    ),
    SmallestFix(
        ("T6",),
        "What a new leader takes for the start of its log begins before its epoch ends in the log. It is made for 4.2 "
        "and newer: the manager of what is written of segments is called so there.",
        Patch(
            "{remote}RemoteLogManager",
            "findLogStartOffset",
            "body",
            f"""{{
                java.util.Iterator epochs = $2.leaderEpochCache().epochEntries().iterator();
                while (epochs.hasNext()) {{
                    int epoch = ((org.apache.kafka.storage.internals.log.EpochEntry) epochs.next()).epoch();
                    java.util.Map.Entry end = $2.leaderEpochCache().endOffsetFor(epoch, $2.logEndOffset());
                    java.util.Iterator listed =
                        (({_REMOTE}storage.RemoteLogMetadataManager) remoteLogMetadataManagerPlugin.get())
                            .listRemoteLogSegments($1, epoch);
                    while (listed.hasNext()) {{
                        long start = (({_REMOTE}storage.RemoteLogSegmentMetadata) listed.next()).startOffset();
                        if (start < ((Long) end.getValue()).longValue())
                            return start;
                    }}
                }}
                return $2.localLogStartOffset();
            }}""",
        ),
    ),
    SmallestFix(
        ("T3",),
        "A follower that begins after the remote tier reads the epochs there before it truncates its log, and has them "
        "at once. It is made for 4.2 and newer.",
        Patch(
            "kafka.server.TierStateMachine",
            "buildRemoteLogAuxState",
            "calls truncateFullyAndStartAt",
            """{
                java.util.List known = readLeaderEpochCheckpoint(rlm, remoteLogSegmentMetadata);
                $proceed($$);
                unifiedLog.leaderEpochCache().assign(known);
            }""",
        ),
    ),
    SmallestFix(
        ("H16",),
        "A future log begins no earlier than the log whose place it takes. It is made for 4.4, whose class is Java.",
        *(
            Patch(
                f"{_LOG}LogManager",
                method,
                "calls replaceCurrentWithFutureLog",
                f"""{{
                    if ($1.isPresent()) {{
                        long start = Math.min((({_LOG}UnifiedLog) $1.get()).logStartOffset(), $2.logEndOffset());
                        $2.updateHighWatermark(Math.max($2.highWatermark(), start));
                        $2.maybeIncrementLogStartOffset(
                            start, {_LOG}LogStartOffsetIncrementReason.LeaderOffsetIncremented);
                    }}
                    $proceed($$);
                }}""",
            )
            for method in ("replaceCurrentWithFutureLog", "recoverAbandonedFutureLogs")
        ),
    ),
    SmallestFix(
        ("X1",),
        "A coordinator that takes office reads its log when the high watermark has reached the end of it; until then "
        "it looks again every 10 ms.",
        Patch(
            COORDINATOR,
            "loadTransactionsForTxnTopicPartition",
            "calls scheduleOnce",
            "{ loads.put($1, $2); $_ = $proceed($$); }",
            "private final java.util.Map loads = new java.util.concurrent.ConcurrentHashMap();",
        ),
        Patch(
            COORDINATOR,
            "loadTransactions$1",
            "before",
            """{
                scala.Option found = replicaManager.onlinePartition($2);
                if (found.isDefined() && ((kafka.cluster.Partition) found.get()).isLeader()) {
                    kafka.cluster.Partition led = (kafka.cluster.Partition) found.get();
                    if (led.localLogOrException().highWatermark() < led.localLogOrException().logEndOffset()) {
                        String load = "load-txns-for-partition-" + $2;
                        scheduler.scheduleOnce(load, (Runnable) loads.get(load), 10L);
                        return;
                    }
                }
            }""",
        ),
    ),
    SmallestFix(
        ("X2",),
        "A coordinator that has read its log looks once more whether its broker leads; if it does not, the load is "
        "cancelled, as if the broker had resigned already.",
        Patch(
            COORDINATOR,
            "loadTransactionMetadata",
            "after",
            """{
                if (replicaManager.getLogEndOffset($1).isEmpty()) {
                    stateLock.writeLock().lock();
                    try {
                        loadingPartitions.remove(new {coordinator}TransactionPartitionAndLeaderEpoch(
                            $1.partition(), $2));
                    } finally {
                        stateLock.writeLock().unlock();
                    }
                }
            }""",
        ),
    ),
    SmallestFix(
        ("KAFKA-15591",),
        "In a log that has never held a record no batch of an unknown producer is taken but the first.",
        Patch(
            f"{_LOG}ProducerAppendInfo",
            "checkSequence",
            "before",
            """{
                if ($3 == 0L && $2 != 0 && currentEntry.isEmpty())
                    throw new org.apache.kafka.common.errors.OutOfOrderSequenceException("an empty log begins at 0");
            }""",
        ),
    ),
    SmallestFix(
        ("KAFKA-17375",),
        "A follower, which assigns no offsets, copies a batch of any size. It is made for 4.2 and newer: the lambda is "
        "called so there.",
        Patch(
            f"{_LOG}UnifiedLog",
            "lambda$append$1",
            "calls segmentSize",
            "{ $_ = validateAndAssignOffsets ? $proceed($$) : Integer.MAX_VALUE; }",
        ),
    ),
)
"""In the order of the findings."""

NOT_IN_THE_MODEL: Final = ("Q12", "Q13")
"""Findings that Kafka's classes have shown and no specification has: no entry of the catalogue is about them."""


def fixes_named(keys: Iterable[str]) -> tuple[SmallestFix, ...]:
    """The fixes of these holes, each once. Raises UsageError for a hole that has none here."""
    known: Mapping[str, SmallestFix] = {hole.casefold(): one for one in FIXES for hole in one.holes}
    for key in keys:
        if key.casefold() not in known:
            names = [hole for one in FIXES for hole in one.holes]
            raise UsageError(f"there is no fix of {key}", advice(key, names, "fixes"))
    return tuple(dict.fromkeys(known[key.casefold()] for key in keys))
