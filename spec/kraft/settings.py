"""What distinguishes Kafka versions, and what an operator sets: one frozen record, read in one place for each rule."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..language import BoundsError, Given


class Acks(enum.Enum):
    """What a producer waits for (`acks`)."""

    NONE = "0"
    LEADER = "1"
    ALL = "all"


class Truncation(enum.Enum):
    """Where a follower cuts its log back."""

    DIVERGING_EPOCH = "to where it diverges from the leader"
    HIGH_WATERMARK = "to its own high watermark"


class CountedIsr(enum.Enum):
    """Which replicas the high watermark waits for while a change of the ISR is pending (KIP-497)."""

    MAXIMAL = "committed and proposed"
    COMMITTED = "committed only"
    PROPOSED = "proposed only"


class FollowersForgotten(enum.Enum):
    """When a leader forgets how far its followers were, if it replays that it leads in a newer epoch (N1)."""

    EACH_EPOCH = "in each new epoch"
    MISSED_EPOCH = "in an epoch that is not the next one"
    NEW_LEADER = "only if it did not lead before"


class ReassignmentEnds(enum.Enum):
    """When a reassignment is complete, and the old replicas may go (PartitionReassignmentReplicas)."""

    ALL_ADDED = "when all new replicas are in the ISR"
    ALL_TARGETS = "when all target replicas are in the ISR"
    ALL_ADDED_IF_AS_MANY = "when all new ones are in the ISR, and if they are fewer than those that go, all target ones"


class AnswerRead(enum.Enum):
    """What a leader reads first for the answer to a fetch; the rest may be newer (Partition.readRecords)."""

    LOG_START = "the log start offset"
    HIGH_WATERMARK = "the high watermark, and then the log start offset"
    RECORDS = "the records"


@dataclass(frozen=True)
class Settings:
    """The protocol as designed, unless said otherwise. A field set to another value is a rule taken away.

    The first four are what an operator or a producer chooses; each of the rest names the KIP or JIRA that brought it.
    Some rules are about steps that the core leaves out (`options`): `with_settings` adds them where they are needed.
    The steps say which rules those are, and which releases have them (`rules.governed_by`).
    """

    min_insync_replicas: int = 2
    """`min.insync.replicas`, as both controller and leader know it. KAFKA-15583 (KAFKA-21110), Kafka 3.7: no more are
    waited for than there are replicas; before, every write with acks=all was refused where it was more."""

    acks: Acks = Acks.ALL
    """`acks` of every producer."""

    unclean_leader_election: bool = False
    """`unclean.leader.election.enable`: with no other candidate, any live replica may lead. KAFKA-12670, Kafka 3.9:
    KRaft heeds it; before, only an operator elected so (ElectLeaders UNCLEAN)."""

    unclean_by_longest_log: bool = False
    """A variant of unclean election that was never shipped: the live replica with the longest log leads."""

    elr: bool = True
    """KIP-966, Kafka 4.0 (`eligible.leader.replicas.version=1`): the ISR may become empty, and eligible leader
    replicas and the last known leader are kept beside it."""

    strict_hw: bool = True
    """KIP-966, Kafka 3.7: the high watermark stands still while the ISR is smaller than `min.insync.replicas`."""

    leader_min_insync_replicas: int | None = None
    """KAFKA-16540: what the leader takes `min.insync.replicas` for, where it differs from the controller."""

    min_isr_follows_log: bool = True
    """H1: a leader that acts on a change of the partition takes `min.insync.replicas` as it was when that was made. In
    Kafka the configuration of a batch is published after the partitions, and an answer to AlterPartition carries none;
    no ticket is known."""

    min_isr_change_clears_left_over_elr: bool = True
    """H14: a change of `min.insync.replicas` clears the ELR (KAFKA-16540), also what is left of it when the feature is
    switched off. In Kafka it does so only while ELR is on; no ticket is known."""

    unclean_restart_leaves_left_over_elr: bool = True
    """H14b: whoever registers after an unclean shutdown leaves the ELR (KIP-966), also what is left of it when the
    feature is switched off. In Kafka only while ELR is on; no ticket is known."""

    elects_last_known_leader: bool = True
    """KIP-966: with neither ISR nor ELR the last known leader leads again, even without unclean election. Its second
    part, which looks into the logs instead, is not in any release."""

    known_leader_must_be_active: bool = True
    """KAFKA-19522, Kafka 4.1: the last known leader is elected only if it is alive."""

    last_known_leader_is_kept_up: bool = True
    """The last known leader is noted whenever the ISR becomes empty, and forgotten with every change while somebody
    leads. Since Kafka 4.1.1 it is noted only where none is kept, and forgotten only with an election
    (apache/kafka#20629): whoever switches ELR off and on may have a leader of long ago elected; no ticket is known."""

    only_active_brokers_expire: bool = True
    """KAFKA-19130, Kafka 4.1: a controller that takes office waits for the heartbeats of active brokers only. In 4.0
    (KAFKA-17793) the session of a fenced one expires as well, and if it is in the ISR or leads, it leaves both."""

    registration_fences_the_old_incarnation: bool = True
    """KAFKA-18106, Kafka 4.0: registering takes the incarnation before out of leadership and ISR. Kafka does not wait
    for it to be fenced (ClusterControlManager.registerBroker asks for an expired session only) and writes the changes
    of partitions itself, in one step; where that differs from fencing and then registering, it is one step here, too
    (`BrokerLifecycle.registers_at_once`)."""

    bounce_noticed: bool = True
    """KIP-380, Kafka 2.2: a broker that was away so shortly that its id never vanished is still taken for a new one."""

    broker_epoch_check: bool = True
    """KIP-903, Kafka 3.5: AlterPartition names the broker epoch of every member, and the controller compares them."""

    fenced_check: bool = True
    """KIP-841, Kafka 3.3: a fenced replica is neither proposed for the ISR nor accepted."""

    partition_epoch_check: bool = True
    """KIP-497: the controller refuses an AlterPartition that is based on an older partition epoch."""

    counted_isr: CountedIsr = CountedIsr.MAXIMAL
    """KIP-497: which replicas the leader counts while a proposal is pending."""

    followers_forgotten: FollowersForgotten = FollowersForgotten.EACH_EPOCH
    """N1: in Kafka a leader that led before keeps its follower table (Replica.resetReplicaState), since KAFKA-2721
    (0.9) and in every release up to 4.4; no ticket is known. KAFKA-7164 closed the follower's side of it. The smallest
    fix takes an epoch that is not the next one for a new term (Partition.makeLeader, MISSED_EPOCH)."""

    truncation: Truncation = Truncation.DIVERGING_EPOCH
    """KIP-595 and KAFKA-10554, Kafka 2.7, and KIP-101 and KIP-279 before it: to the diverging epoch."""

    known_partition_epoch_ignored: bool = True
    """S15: whether a leader ignores metadata of a partition epoch that it knows from the answer to its proposal. Kafka
    does not (Partition.makeLeader accepts an equal epoch, KAFKA-13790): it forgets what it has proposed meanwhile.
    Before 3.3 it looked at no partition epoch there at all, which is worse. No ticket is known."""

    copies_arrive_in_order: bool = True
    """Whether no earlier copy of an AlterPartition can arrive after the answer to a later one. TCP sees to it, unless
    the copies come by different connections."""

    stale_controller_refuses: bool = True
    """A deposed controller confirms nothing from memory. In KRaft it never did: it asks for equal epochs, and answers
    when the change is committed. The controllers on ZooKeeper did up to 3.2 (KAFKA-14154)."""

    joins_by_fetch_only: bool = True
    """A follower is proposed for the ISR by a fetch of its own alone (Partition.maybeExpandIsr)."""

    reassignment_ends: ReassignmentEnds = ReassignmentEnds.ALL_TARGETS
    """KAFKA-15665, Kafka 3.8: a reassignment is complete when all target replicas are in the ISR; before, when all new
    ones are. KAFKA-19975, Kafka 4.3, went half the way back."""

    last_known_leader_goes_with_replica: bool = True
    """H15: the last known leader is forgotten when its replica goes (KIP-455). Kafka keeps it where nobody leads, and
    throws when it looks for its log directory (LeaderAcceptor); no ticket is known."""

    override_starts_anew: bool = True
    """H7: what a reassignment adds and takes away, it does so instead of the one that it overrides (KIP-455). In Kafka
    what one adds stays if the next adds nobody, and what it takes away if the next takes nobody away
    (ReplicationControlManager.changePartitionReassignment); no ticket is known."""

    elr_has_only_replicas: bool = True
    """W4: whether a replica that a reassignment takes away leaves the ELR as well. In Kafka it stays or even enters
    (PartitionChangeBuilder.maybeUpdateRecordElr); no ticket is known."""

    directory_change_keeps_elr: bool = True
    """H3, Kafka 4.3: the ELR stays as it is when a replica is assigned to a log directory. In 4.0 to 4.2 it was emptied
    (handleAssignReplicasToDirs); no ticket is known, the fix was a minor one."""

    missing_directory_is_unclean: bool = True
    """H4: a broker that comes back without one of its log directories counts as one that may have lost data. In Kafka
    only the directories that are configured are looked at; no ticket is known."""

    abandoned_future_log_has_caught_up: bool = True
    """H13: a broker that starts takes the log of a move that it had not ended only if nothing is missing there. Kafka
    takes it if the controller has it in that directory, and deletes the other (KAFKA-16082, Kafka 3.7.1); no ticket is
    known."""

    future_log_keeps_log_start: bool = True
    """H16: a future log that takes the place of the current one begins no earlier than that. In Kafka only the high
    watermark is handed on, and no log start offset (LogManager.replaceCurrentWithFutureLog); no ticket is known."""

    late_answer_checked_when_applied: bool = True
    """H6: a follower looks at the leader epoch of an answer in the same step in which it truncates by it. In Kafka the
    lock is given up between (AbstractFetcherThread.processFetchRequest and truncateOnFetchResponse); no ticket is
    known."""

    fetched_partitions_only: bool = True
    """KAFKA-13207, Kafka 2.8.1 and 3.0: what diverges is truncated only if the thread that has asked still fetches the
    partition. Before, also if it had left the thread meanwhile, whoever leads it now."""

    late_answers_dropped: bool = True
    """KAFKA-18991, Kafka 3.9.1, 4.0.1 and 4.1.0: a follower drops the answer to a fetch that it sent in another leader
    epoch."""

    diverging_answer_has_no_hw: bool = True
    """KAFKA-14704, Kafka 3.4.1: the high watermark of an answer with a diverging epoch is ignored."""

    decides_on_one_fetch: bool = True
    """KAFKA-15221, Kafka 3.7: a follower is proposed under the broker epoch of the fetch by which it was
    found caught up, not of its latest one."""

    coordinator_hears_as_leader_only: bool = True
    """KAFKA-20634, Kafka 4.2.2, 4.3.1 and 4.4: a coordinator's writes succeed by the high watermark of a leader only,
    and not by that of the follower that it has become."""

    followers_take_any_size: bool = True
    """KAFKA-17375, Kafka 4.5: a follower copies a batch that is larger than `segment.bytes` is by now."""

    retention_stops_at_hw: bool = True
    """KAFKA-5634, Kafka 0.11.0.1: retention deletes nothing at or beyond the high watermark."""

    out_of_range_is_not_fatal: bool = True
    """KAFKA-7414, Kafka 2.0.1: a follower whose log ends beyond its leader's truncates. Before, its broker halted if
    unclean election is off."""

    answer_read: AnswerRead = AnswerRead.LOG_START
    """H8: the log start offset of an answer is read before the high watermark, which is never below it. In Kafka it is
    read just after (Partition.readRecords); no ticket is known. Before KAFKA-7104, Kafka 2.0, the offsets of an answer
    were of a later moment than its records."""

    deletion_waits_for_candidates: bool = True
    """H8b: DeleteRecords succeeds when all members of ISR and ELR, and those proposed, have deleted the records. In
    Kafka it waits for brokers that are alive only (Partition.lowWatermarkIfLeader); no ticket is known."""

    joins_at_log_start: bool = True
    """H8c: a follower joins the ISR when its log begins no earlier than its leader's. In Kafka nobody compares its
    records below the leader's log start offset, nor waits until it has deleted them; no ticket is known."""

    full_truncation_raises_hw: bool = True
    """KAFKA-9491, Kafka 2.4.1: a follower whose log begins anew at its leader's log start offset takes that for its
    high watermark, too."""

    out_of_range_before_divergence: bool = True
    """KAFKA-12996, Kafka 2.7.2, 2.8.1 and 3.0: a fetch below the leader's log start offset is OFFSET_OUT_OF_RANGE also
    where epochs diverge."""

    local_retention_asks_lineage: bool = True
    """T1: local retention of tiered storage (KIP-405) deletes only what the remote tier has of the log as it is. In
    Kafka it asks for the highest offset that was ever uploaded (UnifiedLog.highestOffsetInRemoteStorage), and no
    truncation takes that back; no ticket is known."""

    copied_offset_within_lineage: bool = True
    """KAFKA-15241, Kafka 3.7: what a leader of tiered storage (KIP-405) takes to be uploaded of an epoch ends where
    this epoch ends in its own log."""

    expiry_looks_up_first: bool = True
    """KAFKA-20732, Kafka 4.4: expiry by size of tiered storage (KIP-405) looks up what is uploaded if its broker has
    noted nothing so far. Up to 3.8 the task that copies did so just before."""

    failed_copies_count_for_nothing: bool = True
    """KAFKA-17062, Kafka 3.8.1 and 3.9: a copy to the remote tier (KIP-405) that has failed does not count for
    `retention.bytes`."""

    log_start_raised_before_deletion: bool = True
    """KAFKA-15352, before Kafka 3.6 was released: a leader of tiered storage (KIP-405) raises the start of its log
    before it deletes segments in the remote tier."""

    truncation_keeps_log_start: bool = True
    """T5: a log of tiered storage (KIP-405) that is cut to before its disk begins keeps its log start offset. In Kafka
    it begins anew at the cut (UnifiedLog.truncateFullyAndStartAt), and forgets what is in the remote tier before that;
    no ticket is known."""

    remote_metadata_needs_two: bool = True
    """KAFKA-19858, Kafka 4.3: `__remote_log_metadata` (KIP-405) acknowledges what is on two replicas (KIP-1235). Before
    it had the brokers' `min.insync.replicas`, by default 1, and where it is there already it still has."""

    leader_finds_log_start: bool = True
    """KAFKA-15351, before Kafka 3.6 was released: a new leader of tiered storage (KIP-405) raises its log start offset
    to where the remote tier begins."""

    log_start_found_without_copying: bool = True
    """T2: a new leader of tiered storage (KIP-405) looks for its log start offset also with `remote.log.copy.disable`
    (KIP-950). In Kafka the task that copies does that, and there is no such task then; no ticket is known."""

    log_start_found_again: bool = True
    """T7: a leader of tiered storage (KIP-405) raises its log start offset whenever the remote tier begins later. In
    Kafka it looks once, and takes a segment for the first whose deletion has begun; no ticket is known."""

    log_start_found_within_lineage: bool = True
    """T6: a new leader of tiered storage (KIP-405) takes segments of its own lineage alone for the start of its log. In
    Kafka all of the earliest epoch count (RemoteLogManager.findLogStartOffset); no ticket is known."""

    epochs_read_before_truncation: bool = True
    """T3: a follower that begins anew after what is in the remote tier (KIP-405) reads the epochs of that first. In
    Kafka it truncates its log, and then reads (TierStateMachine.buildRemoteLogAuxState); no ticket is known."""

    offset_not_available: bool = True
    """KIP-207, Kafka 2.2: no latest offset is told until the high watermark has reached the leader's epoch."""

    lossy_crashes_spare_last_member: bool = False
    """What may go wrong, and no rule: the only member of the ISR never loses data."""

    fetch_answers_lost: bool = False
    """What may go wrong, and no rule: a leader knows where a follower is, and the follower never gets its answer. For
    Kafka's own rules that changes no verdict (docs/decisions/011), so a fetch is one step; a class with rules of its
    own that read what a fetch has changed has this step without being told (`reductions`)."""

    every_fetch_raises_high_watermark: bool = True
    """A leader looks at its high watermark at each fetch. In Kafka only where the follower's end is another one than at
    the fetch before (Partition.updateFollowerFetchState), which delays it after a refused AlterPartition; no ticket is
    known."""

    waits_for_caught_up: bool = False
    """Whether the high watermark waits for a replica outside the ISR that was at the leader's log end within
    `replica.lag.time.max.ms` (Partition.shouldWaitForReplicaToJoinIsr). Kafka's does. That only delays, so it is left
    out where every state counts; with it some runs are longer."""

    epoch_start_rule: bool = True
    """KAFKA-7128, Kafka 2.1: a replica joins the ISR only when it has reached the start of the leader's epoch."""

    shrink_bumps_leader_epoch: bool = False
    """Before KAFKA-15021, Kafka 3.6: the leader epoch grows when a replica leaves the ISR, too."""

    idempotence: bool = True
    """`enable.idempotence` of a producer that retries (KIP-98, Kafka 0.11; the default since 3.0). Needs acks=all."""

    empty_log_begins_at_zero: bool = True
    """KAFKA-15591, Kafka 4.5: a leader whose log has never held a record takes no batch of an idempotent producer but
    the first. Since KIP-360 it took any (KAFKA-14359)."""

    producer_state_follows_log: bool = True
    """KIP-98: what a broker remembers of producers is cut back with its log (truncateAndReload)."""

    snapshots_keep_batches: bool = True
    """P1: a snapshot of what a broker remembers of a producer has all batches of it. In Kafka it has the last one only
    (ProducerStateManager.writeSnapshot), of the five in memory; no ticket is known."""

    producer_state_outlives_retries: bool = True
    """KIP-854: `producer.id.expiration.ms` is longer than a producer sends a batch again (`delivery.timeout.ms`)."""

    records_outlive_retries: bool = True
    """What an operator sees to, and no rule: no record is deleted while its producer may send it again."""

    producer_state_outlives_records: bool = True
    """KIP-360 (KAFKA-7190, Kafka 2.4, and KAFKA-8710, 2.5): a leader remembers a producer whose records were deleted,
    and takes its next batch even if it does not."""

    replicas_take_any_sequence: bool = True
    """KAFKA-6003, Kafka 0.11.0.2 and 1.0: only the leader looks at sequence numbers, and only at those of clients."""

    markers_acknowledged: bool = True
    """KIP-98: a transaction is complete when the high watermark has passed its marker, which is written until then."""

    lso_waits_for_replicated_marker: bool = True
    """KIP-98: a marker decides its transaction for consumers when the high watermark has passed it
    (ProducerStateManager.unreplicatedTxns)."""

    unreplicated_markers_are_kept: bool = True
    """P2: a broker that has loaded its log knows which markers are not replicated yet. In Kafka a snapshot has open
    transactions only (ProducerStateManager.unreplicatedTxns is in memory alone); no ticket is known."""

    markers_wait_for_replicated_decision: bool = True
    """X1: a transaction coordinator carries out a decision that it has loaded when the high watermark has passed it. In
    Kafka it sends the markers at once (TransactionStateManager.loadTransactionMetadata); no ticket is known."""

    transactions_verified: bool = True
    """KIP-890, Kafka 3.6 (KAFKA-14402): a leader asks the coordinator before it appends the first record of a
    transaction."""

    epoch_per_transaction: bool = True
    """KIP-890, Kafka 4.0 (`transaction.version=2`): each transaction has a producer epoch of its own, so that a leader
    fences what comes late from one before."""

    late_markers_refused: bool = True
    """KIP-1228 (KAFKA-19446, Kafka 4.2, with `transaction.version=2`): a marker that comes late decides nothing of the
    next transaction."""

    def __post_init__(self) -> None:
        if self.unclean_by_longest_log and not self.unclean_leader_election:
            raise BoundsError(
                (Given("unclean_by_longest_log", True), " needs ", Given("unclean_leader_election", True))
            )


ALONE = Settings(min_insync_replicas=1)
"""One copy is enough: `min.insync.replicas=1`."""

BEFORE_ELR = Settings(elr=False)
BEFORE_STRICT_HW = Settings(elr=False, strict_hw=False, min_insync_replicas=1)
