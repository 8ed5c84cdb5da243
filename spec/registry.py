"""The specifications that can be named on the command line."""

from __future__ import annotations

import importlib

from .language import LoadError, Protocol
from .language.configurable import configuration_of, with_configuration, without_settings

REGISTRY: dict[str, str] = {
    "truncate-to-hw": "epochal.spec.classic.truncate_to_hw:TruncateToHw",
    "kip-101": "epochal.spec.classic.kip_101:Kip101",
    "kip-279": "epochal.spec.classic.kip_279:Kip279",
    "kip-320-first-try": "epochal.spec.classic.kip_320_first_try:Kip320FirstTry",
    "kip-320": "epochal.spec.classic.kip_320:Kip320",
    "kip-320-as-shipped": "epochal.spec.classic.kip_320_as_shipped:Kip320AsShipped",
    "kip-320-m1": "epochal.spec.classic.mutants:Kip320M1",
    "kip-320-m2": "epochal.spec.classic.mutants:Kip320M2",
    "kip-320-m3": "epochal.spec.classic.mutants:Kip320M3",
    "kip-320-proof": "epochal.spec.classic.kip_320_proof:Kip320Proof",
    "kip-279-proof": "epochal.spec.classic.kip_320_proof:Kip279Proof",
    "async-isr": "epochal.spec.classic.async_isr:AsyncIsr",
    "async-isr-high-watermark": "epochal.spec.classic.async_high_watermark:AsyncIsrHighWatermark",
    "async-isr-held-back": "epochal.spec.classic.async_high_watermark:AsyncIsrHeldBack",
    "quorum": "epochal.spec.quorum.quorum:Quorum",
    "quorum-hw-any-epoch": "epochal.spec.quorum.switches:QuorumHwAnyEpoch",
    "quorum-vote-any-log": "epochal.spec.quorum.switches:QuorumVoteAnyLog",
    "quorum-vote-not-persisted": "epochal.spec.quorum.switches:QuorumVoteNotPersisted",
    "quorum-no-pre-vote": "epochal.spec.quorum.switches:QuorumNoPreVote",
    "quorum-resigned-stays": "epochal.spec.quorum.switches:QuorumResignedStays",
    "quorum-candidate-again": "epochal.spec.quorum.switches:QuorumCandidateAgain",
    "quorum-no-check-quorum": "epochal.spec.quorum.switches:QuorumNoCheckQuorum",
    "quorum-same-cadence": "epochal.spec.quorum.switches:QuorumSameCadence",
    "quorum-lost-disk": "epochal.spec.quorum.switches:QuorumLostDisk",
    "quorum-uncommitted-replay": "epochal.spec.quorum.switches:QuorumUncommittedReplay",
    "quorum-change-log": "epochal.spec.quorum.change_log:QuorumChangeLog",
    "quorum-reconfiguration": "epochal.spec.quorum.reconfiguration:QuorumReconfiguration",
    "quorum-change-any-epoch": "epochal.spec.quorum.reconfiguration_switches:QuorumChangeAnyEpoch",
    "quorum-many-changes": "epochal.spec.quorum.reconfiguration_switches:QuorumManyChanges",
    "quorum-removed-leader-counts": "epochal.spec.quorum.reconfiguration_switches:QuorumRemovedLeaderCounts",
    "quorum-voters-when-committed": "epochal.spec.quorum.reconfiguration_switches:QuorumVotersWhenCommitted",
    "quorum-voters-not-read-again": "epochal.spec.quorum.voters_in_memory:QuorumVotersNotReadAgain",
    "quorum-reconfiguration-snapshots": (
        "epochal.spec.quorum.reconfiguration_snapshots:QuorumReconfigurationSnapshots"
    ),
    "quorum-snapshot-without-voters": "epochal.spec.quorum.voters_in_memory:QuorumSnapshotWithoutVoters",
    "quorum-snapshots": "epochal.spec.quorum.snapshots:QuorumSnapshots",
    "quorum-snapshot-must-be-ahead": "epochal.spec.quorum.snapshot_switches:QuorumSnapshotMustBeAhead",
    "quorum-snapshot-any-offset": "epochal.spec.quorum.snapshot_switches:QuorumSnapshotAnyOffset",
    "quorum-snapshot-by-offset": "epochal.spec.quorum.snapshot_switches:QuorumSnapshotByOffset",
    "quorum-delete-below-hw": "epochal.spec.quorum.snapshot_switches:QuorumDeleteBelowHw",
    "quorum-proof": "epochal.spec.quorum.election_history:QuorumProof",
    "quorum-commit-proof": "epochal.spec.quorum.log_history:QuorumCommitProof",
    "quorum-vote-not-persisted-proof": "epochal.spec.quorum.election_history:QuorumVoteNotPersistedProof",
    "zookeeper": "epochal.spec.zookeeper.zookeeper:ZooKeeper",
    "zookeeper-unfenced-controller": "epochal.spec.zookeeper.zombie:ZooKeeperUnfencedController",
    "zookeeper-lost-disk": "epochal.spec.zookeeper.lost_disk:ZooKeeperLostDisk",
    "zookeeper-no-broker-epochs": "epochal.spec.zookeeper.lost_disk:ZooKeeperNoBrokerEpochs",
    "zookeeper-alter-isr": "epochal.spec.zookeeper.alter_isr:ZooKeeperAlterIsr",
    "zookeeper-version-first": "epochal.spec.zookeeper.alter_isr:ZooKeeperVersionFirst",
    "zookeeper-stale-confirmation": "epochal.spec.zookeeper.alter_isr:ZooKeeperStaleConfirmation",
    "kraft": "epochal.spec.kraft.configuration:ConfigurableKraft",
    "kraft-proof": "epochal.spec.kraft.commit_proof:KraftProof",
    "kraft-reassignment": "epochal.spec.kraft.reassigned:KraftReassignment",
    "kraft-kip-320": "epochal.spec.kraft.classic_refinement:KraftKip320",
    "leader-epoch-cache": "epochal.spec.epoch_cache.epoch_cache:LeaderEpochCache",
    "leader-epoch-cache-truncates-records-only": "epochal.spec.epoch_cache.switches:EpochCacheTruncatesRecordsOnly",
    "leader-epoch-cache-skips-epoch-0": "epochal.spec.epoch_cache.switches:EpochCacheSkipsEpoch0",
    "leader-epoch-cache-writes-later": "epochal.spec.epoch_cache.switches:EpochCacheWritesLater",
    "leader-epoch-cache-writes-snapshots": "epochal.spec.epoch_cache.switches:EpochCacheWritesSnapshots",
    "balancing-zookeeper": "epochal.spec.balancing.policies:ZooKeeperBalancing",
    "balancing-kraft": "epochal.spec.balancing.policies:KraftBalancing",
    "transactions": "epochal.spec.transactions.transactions:TransactionProtocol",
    "transactions-v1": "epochal.spec.transactions.transactions:TransactionProtocolV1",
    "share-groups": "epochal.spec.share_groups.share_groups:ShareGroups",
    "share-groups-unclean": "epochal.spec.share_groups.unclean:ShareGroupsUnclean",
    "diskless": "epochal.spec.diskless.diskless:Diskless",
    "diskless-transactions": "epochal.spec.diskless.transactions:DisklessTransactions",
}


FAMILIES: dict[str, str] = {
    "classic": "The partition protocol up to KIP-320: leader epochs, truncation, fencing; the controller is abstracted",
    "kraft": "The partition protocol of KRaft, by version: AlterPartition, broker epochs, eligible leader replicas",
    "quorum": "The metadata quorum: Raft with pull replication (KIP-595)",
    "zookeeper": "The controllers of ZooKeeper's time: zombies, requests in flight, lost disks",
    "epoch_cache": "Where leader epochs begin in a replica's log: the cache, its file, and what failures leave of it",
    "balancing": "Which broker leads which partition: preferred elections",
    "transactions": "One transactional id: producers, their epochs, the coordinator with failover, and its markers",
    "share_groups": "Share groups (KIP-932): records delivered in turns, acknowledged one by one, and persisted",
    "diskless": "Diskless topics, proposed (KIP-1150): objects in a store, and the coordinator that gives offsets",
}
"""The families of protocols, by the package that has them, in the order in which they are worth reading."""

START: dict[str, str] = {
    "truncate-to-hw": "where it began: followers truncate to their own high watermark, and lose records",
    "kip-101": "the first repair, and the bug that was left in it: a run of a few steps",
    "kip-320": "the repair that holds; 'epochal prove kip-320' proves it",
    "kraft": "today's protocol; --kafka 3.9 is that of a version",
}
"""Where to start, and why."""


def family_of(name: str) -> str:
    """The family of a registered protocol, a key of FAMILIES."""
    return REGISTRY[name].removeprefix("epochal.spec.").partition(".")[0]


PROOFS: dict[str, str] = {
    "kip-320": "kip-320-proof",
    "kip-279": "kip-279-proof",
    "kraft": "kraft-proof",
    "quorum": "quorum-commit-proof",
    "quorum-vote-not-persisted": "quorum-vote-not-persisted-proof",
}
"""Protocols whose proof needs history: by their name, that of the protocol that takes the same steps and remembers."""


IN_CATALOGUE: dict[str, str] = {
    "kip-320-offset-only": "epochal.spec.classic.older_rules:Kip320OffsetOnly",
    "kip-320-epoch-floor": "epochal.spec.classic.older_rules:Kip320EpochFloor",
    "kip-320-own-epoch-unknown": "epochal.spec.classic.older_rules:Kip320OwnEpochUnknown",
    "kip-320-unfenced-fetch": "epochal.spec.classic.older_rules:Kip320UnfencedFetch",
    "zookeeper-late-answers": "epochal.spec.zookeeper.late_answers:ZooKeeperLateAnswers",
    "zookeeper-emptied-place": "epochal.spec.zookeeper.late_answers:ZooKeeperEmptiedPlace",
    "zookeeper-asked-twice": "epochal.spec.zookeeper.asked_twice:ZooKeeperAskedTwice",
    "zookeeper-unchanged-version": "epochal.spec.zookeeper.asked_twice:ZooKeeperUnchangedVersion",
    "kraft-observed": "epochal.spec.kraft.observed:ObservedKraft",
    "kraft-tolerated": "epochal.spec.kraft.tolerated:KraftTolerated",
    "kip-320-fenced-once": "epochal.spec.classic.older_rules:Kip320FencedOnce",
    "transactions-small": "epochal.spec.transactions.switches:SmallTransactions",
    "transactions-v1-small": "epochal.spec.transactions.switches:SmallTransactionsV1",
    "transactions-timeout-fences-nobody": "epochal.spec.transactions.switches:TimeOutFencesNobody",
    "transactions-fences-may-fail": "epochal.spec.transactions.switches:FencesMayFail",
    "transactions-failed-fences-use-up-epochs": "epochal.spec.transactions.switches:FailedFencesUseUpEpochs",
    "transactions-whole-loads": "epochal.spec.transactions.switches:WholeLoads",
    "transactions-partial-loads-are-served": "epochal.spec.transactions.switches:PartialLoadsAreServed",
    "transactions-late-responses": "epochal.spec.transactions.switches:LateResponses",
    "transactions-late-responses-end-markers": "epochal.spec.transactions.switches:LateResponsesEndMarkers",
    "transactions-empty-abort-is-fenced": "epochal.spec.transactions.switches:EmptyAbortIsFenced",
    "transactions-empty-commit-is-sent": "epochal.spec.transactions.switches:EmptyCommitIsSent",
    "transactions-overflow-is-told-late": "epochal.spec.transactions.switches:OverflowIsToldLate",
    "transactions-fences-bump-twice": "epochal.spec.transactions.switches:FencesBumpTwice",
    "transactions-fences-keep-the-producer-id": "epochal.spec.transactions.switches:FencesKeepTheProducerId",
    "transactions-rotation-is-not-logged": "epochal.spec.transactions.switches:RotationIsNotLogged",
    "transactions-repeated-markers-are-refused": "epochal.spec.transactions.switches:RepeatedMarkersAreRefused",
    "transactions-group-expiry": "epochal.spec.transactions.switches:GroupExpiry",
    "transactions-pending-offsets-keep-no-group": "epochal.spec.transactions.switches:PendingOffsetsKeepNoGroup",
    "share-groups-start-goes-back": "epochal.spec.share_groups.switches:ShareStartGoesBack",
    "share-groups-start-passes-transitions": "epochal.spec.share_groups.switches:ShareStartPassesTransitions",
    "share-groups-start-ignores-log-start": "epochal.spec.share_groups.switches:ShareStartIgnoresLogStart",
    "share-groups-gaps-passed-over": "epochal.spec.share_groups.switches:ShareGapsPassedOver",
    "share-groups-alter-keeps-epoch": "epochal.spec.share_groups.switches:ShareAlterKeepsEpoch",
    "share-groups-leader-is-refused": "epochal.spec.share_groups.switches:ShareLeaderIsRefused",
    "share-groups-added-partition": "epochal.spec.share_groups.switches:ShareAddedPartition",
    "share-groups-added-partition-from-end": "epochal.spec.share_groups.switches:ShareAddedPartitionFromEnd",
    "share-groups-told-of-lost-writes": "epochal.spec.share_groups.switches:ShareToldOfLostWrites",
    "share-groups-start-not-persisted": "epochal.spec.share_groups.switches:ShareStartNotPersisted",
    "share-groups-epoch-forgotten": "epochal.spec.share_groups.switches:ShareEpochForgotten",
    "share-groups-earliest": "epochal.spec.share_groups.switches:ShareGroupFromEarliest",
    "share-groups-state-epoch-again": "epochal.spec.share_groups.switches:ShareStateEpochAgain",
    "share-groups-own-writes-late": "epochal.spec.share_groups.switches:ShareOwnWritesLate",
    "share-groups-leader-outlives-group": "epochal.spec.share_groups.switches:ShareLeaderOutlivesGroup",
    "share-groups-state-outlives-records": "epochal.spec.share_groups.unclean:ShareStateOutlivesRecords",
    "diskless-validates-applied": "epochal.spec.diskless.switches:DisklessValidatesApplied",
    "diskless-answers-early": "epochal.spec.diskless.switches:DisklessAnswersEarly",
    "diskless-no-duplicates": "epochal.spec.diskless.switches:DisklessNoDuplicates",
    "diskless-any-order": "epochal.spec.diskless.switches:DisklessAnyOrder",
    "diskless-deletes-part": "epochal.spec.diskless.switches:DisklessDeletesPart",
    "diskless-duplicates-answered": "epochal.spec.diskless.switches:DisklessDuplicatesAnswered",
    "diskless-loads-to-log-end": "epochal.spec.diskless.switches:DisklessLoadsToLogEnd",
    "diskless-deletes-early": "epochal.spec.diskless.switches:DisklessDeletesEarly",
    "diskless-late-commits": "epochal.spec.diskless.switches:DisklessLateCommits",
    "diskless-sweeps-at-once": "epochal.spec.diskless.switches:DisklessSweepsAtOnce",
    "diskless-sweep-misses-pending": "epochal.spec.diskless.switches:DisklessSweepMissesPending",
    "diskless-sweep-asks-follower": "epochal.spec.diskless.switches:DisklessSweepAsksFollower",
    "diskless-no-sweep": "epochal.spec.diskless.switches:DisklessNoSweep",
    "diskless-out-of-range": "epochal.spec.diskless.switches:DisklessOutOfRange",
    "diskless-verifies-early": "epochal.spec.diskless.switches:DisklessVerifiesEarly",
    "diskless-forgets-aborted": "epochal.spec.diskless.switches:DisklessForgetsAborted",
    "diskless-markers-answered": "epochal.spec.diskless.switches:DisklessMarkersAnswered",
    "diskless-two-views": "epochal.spec.diskless.switches:DisklessTwoViews",
}
"""More protocols with a name: those that only the catalogue of known bugs needs (spec/bugs/), and the one in which
recorded runs of brokers are told (`kraft-observed`).

With them go `kraft-s1` and so on, the modern protocol without the rule of one bug, and `kraft-s1-fixed` with it.
"""

_KRAFT = "kraft-"


def names_in_catalogue() -> tuple[str, ...]:
    """The names that only the catalogue needs, those of the modern protocol included."""
    from .bugs.kraft import BUGS

    return (*IN_CATALOGUE, *(name for bug in BUGS for name in (bug.without_rule, bug.with_rule)))


_WITH_OPTIONS = "kraft+"


def names_options(name: str) -> bool:
    """Whether a name is one of a protocol with options, `kraft+retention+future-logs`. They may be unknown."""
    return name.startswith(_WITH_OPTIONS)


def is_registered(name: str) -> bool:
    """Whether a protocol has this name."""
    if names_options(name):
        from .kraft.composed import can_be_composed

        return can_be_composed(_options_in(name))
    return name in REGISTRY or name in IN_CATALOGUE or (name.startswith(_KRAFT) and name in names_in_catalogue())


def _options_in(name: str) -> list[str]:
    return name.removeprefix(_WITH_OPTIONS).split("+")


def proof_of(kind: type[Protocol]) -> type[Protocol] | None:
    """The protocol with history and lemmas that takes the steps of a registered one; None if it needs, or has, none.

    Of a protocol that settings have made, the one that the same settings make.
    """
    plain = without_settings(kind)
    name = PROOFS.get(plain.name, "")
    if not name or registered(plain.name) is not plain:
        return None
    return with_configuration(registered(name), configuration_of(kind))


def registered(name: str) -> type[Protocol]:
    """The protocol registered under `name`; `kraft+retention+reassignment` has these options (`kraft.composed`).

    Raises LoadError if there is none.
    """
    if names_options(name):
        from .kraft.composed import composed

        return composed(_options_in(name))
    if not is_registered(name):
        raise LoadError(f"no protocol is named {name!r}", advice=f"Registered: {', '.join(REGISTRY)}.")
    if name not in REGISTRY and name not in IN_CATALOGUE:
        from .bugs.protocols import protocol_of

        return protocol_of(name)
    module, _, attribute = (REGISTRY.get(name) or IN_CATALOGUE[name]).partition(":")
    found: type[Protocol] = getattr(importlib.import_module(module), attribute)
    return found
