"""Which setting is read by which optional steps, so that no setting is void because its steps are not there.

Some rules are about what the core leaves out to stay small: answers that are late, a deposed controller, reassignment.
A class whose settings take such a rule away needs the steps that the rule governs: without them nothing would change.
"""

from __future__ import annotations

from dataclasses import replace

from ...language import Protocol
from ..reductions import FETCH, void
from ..settings import Settings
from ..state import KraftState
from .answers import AnswersAheadOfMetadata, RepeatedRequests
from .caught_up import CaughtUpReplicas
from .consumer import FollowerReads, LatestOffsets
from .coordinator import CoordinatorWrites
from .deleted_records import DeletedRecords
from .deletion_answers import DeletionAnswers
from .directories import DirectoryAssignment, ReplacedDirectory
from .fatal_out_of_range import FatalOutOfRange
from .fenced_in_isr import FencedInIsr, FencedLeader
from .future_log import FutureLogs
from .idempotence import IdempotentProducer
from .last_stable_offset import LastStableOffset
from .late_decision import LateDecision
from .late_fetch import AnswerCheckedBefore, LateFetchAnswers
from .log_start import LogStart
from .lost_fetch import LostFetchAnswers, UnansweredFetches
from .min_isr_change import RaisedMinIsr
from .overlapping import OverlappingReassignments
from .producer_expiry import ProducerExpiry
from .producer_snapshots import ProducerSnapshots
from .reassignment import Reassignment
from .retention import Retention
from .segment_size import LoweredSegmentSize
from .stale_controller import StaleController
from .torn_answer import TornAnswers
from .unnoticed_restart import UnnoticedRestart

STEPS: dict[str, type[KraftState]] = {
    "registration_fences_the_old_incarnation": UnnoticedRestart,
    "known_leader_must_be_active": FencedLeader,
    "only_active_brokers_expire": FencedLeader,
    "fenced_check": FencedInIsr,
    "known_partition_epoch_ignored": AnswersAheadOfMetadata,
    "late_answers_dropped": LateFetchAnswers,
    "late_answer_checked_when_applied": AnswerCheckedBefore,
    "fetched_partitions_only": AnswerCheckedBefore,
    "min_isr_follows_log": RaisedMinIsr,
    "directory_change_keeps_elr": DirectoryAssignment,
    "missing_directory_is_unclean": ReplacedDirectory,
    "abandoned_future_log_has_caught_up": FutureLogs,
    "diverging_answer_has_no_hw": FollowerReads,
    "coordinator_hears_as_leader_only": CoordinatorWrites,
    "stale_controller_refuses": StaleController,
    "decides_on_one_fetch": LateDecision,
    "copies_arrive_in_order": RepeatedRequests,
    "override_starts_anew": OverlappingReassignments,
    "joins_by_fetch_only": Reassignment,
    "reassignment_ends": Reassignment,
    "elr_has_only_replicas": Reassignment,
    "followers_take_any_size": LoweredSegmentSize,
    "retention_stops_at_hw": Retention,
    "out_of_range_is_not_fatal": FatalOutOfRange,
    "answer_read": TornAnswers,
    "deletion_waits_for_candidates": DeletionAnswers,
    "joins_at_log_start": LostFetchAnswers,
    "full_truncation_raises_hw": LostFetchAnswers,
    "out_of_range_before_divergence": LogStart,
    "offset_not_available": LatestOffsets,
    "fetch_answers_lost": UnansweredFetches,
    "waits_for_caught_up": CaughtUpReplicas,
    "idempotence": IdempotentProducer,
    "empty_log_begins_at_zero": IdempotentProducer,
    "producer_state_follows_log": IdempotentProducer,
    "snapshots_keep_batches": ProducerSnapshots,
    "producer_state_outlives_retries": ProducerExpiry,
    "records_outlive_retries": DeletedRecords,
    "producer_state_outlives_records": DeletedRecords,
    "replicas_take_any_sequence": DeletedRecords,
    "markers_acknowledged": LastStableOffset,
    "lso_waits_for_replicated_marker": LastStableOffset,
    "transactions_verified": LastStableOffset,
    "epoch_per_transaction": LastStableOffset,
    "late_markers_refused": LastStableOffset,
}
"""The steps that read each of these settings. A rule that is in place needs none of them."""


ONLY_WITH_ELR = frozenset({"known_leader_must_be_active", "only_active_brokers_expire"})
"""Rules about the last known leader (KIP-966)."""


ONLY_WHERE_ASKED_FOR = frozenset(
    {
        "reassignment_ends",
        "elr_has_only_replicas",
        "override_starts_anew",
        "empty_log_begins_at_zero",
        "snapshots_keep_batches",
        "transactions_verified",
        "epoch_per_transaction",
        "late_markers_refused",
    }
)
"""Rules of steps that no version brings along: a partition is reassigned, and producers send again what they have no
answer for, or write in transactions, only in a protocol that says so."""


def about_its_steps(kind: type[KraftState], version: Settings) -> Settings:
    """The settings of a version, without the rules of steps that a class does not have and nobody asks for."""
    designed = Settings()
    left_out = {name for name in ONLY_WHERE_ASKED_FOR if not issubclass(kind, STEPS[name])}
    return replace(version, **{name: getattr(designed, name) for name in left_out})


def missing_steps(kind: type[KraftState], settings: Settings) -> dict[str, type[KraftState]]:
    """The settings without their rule whose steps a class does not have, and those steps.

    So is a rule of the class itself for which a fetch is not one step.
    """
    newest = Settings()
    missing = {
        name: steps
        for name, steps in STEPS.items()
        if getattr(settings, name) != getattr(newest, name) and _counts(name, settings) and not _has(kind, steps)
    }
    if not loses_answers(kind):
        for one in void(kind):
            if one.reduction is FETCH:
                missing.setdefault(one.rules[0], UnansweredFetches)
    return missing


def _counts(name: str, settings: Settings) -> bool:
    """Whether a rule can make a difference. Without ELR there is no last known leader, and nobody fenced leads."""
    return settings.elr or name not in ONLY_WITH_ELR


def loses_answers(kind: type[Protocol]) -> bool:
    """Whether the answer to a fetch may be lost in a class, so that a fetch is two steps."""
    return _has(kind, UnansweredFetches)


def _has(kind: type[Protocol], steps: type[KraftState]) -> bool:
    """Whether a class has these steps. By name, because a mutant has copies of all classes that it is made of."""
    return any((one.__module__, one.__name__) == (steps.__module__, steps.__name__) for one in kind.__mro__)
